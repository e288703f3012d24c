//! A case file: parses its header and builds the repository that it describes.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::{GUARD, Repo, SOURCE, system};

/// The header of a case file.
#[derive(Debug)]
pub struct Case {
    /// `GROUP/NAME`.
    pub name: String,
    file: PathBuf,
    pub exit: i32,
    pub rules: BTreeSet<String>,
    pub says: Vec<String>,
    pub never: Vec<String>,
    /// The arguments after `guard`.
    pub run: Vec<String>,
    /// What happens, in one paragraph.
    pub about: String,
    /// The name of the everyday situation, for docs/start.md.
    pub situation: Option<String>,
    /// The commands after which guard accepts the refused change.
    pub then: Vec<String>,
}

/// All case files below `fixtures/repos`, by name.
pub fn all() -> Result<Vec<Case>, String> {
    let root = Path::new(SOURCE).join("fixtures/repos");
    let list = |directory: &Path| {
        let entries = fs::read_dir(directory).unwrap();
        entries.map(|entry| entry.unwrap().path())
    };
    let mut cases = Vec::new();
    let groups = list(&root).filter(|path| path.is_dir());
    for file in groups.flat_map(|group| list(&group)) {
        let stem = file.with_extension("");
        let name = system::in_shell(stem.strip_prefix(&root).unwrap());
        let text = fs::read_to_string(&file).unwrap();
        cases.push(parse(&name, file, &text).map_err(|error| format!("{name}: {error}"))?);
    }
    cases.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(cases)
}

/// Reads the comment at the top of a case file.
fn parse(name: &str, file: PathBuf, text: &str) -> Result<Case, String> {
    let mut exit = None;
    let mut rules = None;
    let mut run = words("guard lint");
    let (mut says, mut never) = (Vec::new(), Vec::new());
    let (mut situation, mut then) = (None, Vec::new());
    let lines = text.lines().map_while(|line| line.strip_prefix('#'));
    let mut lines = lines.map(str::trim);
    // An empty comment line ends the description.
    let about: Vec<&str> = lines.by_ref().take_while(|line| !line.is_empty()).collect();
    for line in lines.filter(|line| !line.is_empty()) {
        let (key, value) = line
            .split_once(": ")
            .ok_or_else(|| format!("not a header: {line}"))?;
        match key {
            "exit" => exit = value.parse().ok(),
            "rules" if value == "none" => rules = Some(BTreeSet::new()),
            "rules" => rules = Some(value.split(", ").map(str::to_owned).collect()),
            "says" => says.push(value.to_owned()),
            "never" => never.push(value.to_owned()),
            "run" => run = words(value),
            "situation" => situation = Some(value.to_owned()),
            "then" => then.push(value.to_owned()),
            // What a gate does that trusts `git diff --cached --numstat`: for people who read the case.
            "naive" => {}
            _ => return Err(format!("unknown header: {line}")),
        }
    }
    assert_eq!(run.remove(0), "guard");
    Ok(Case {
        name: name.to_owned(),
        file,
        exit: exit.ok_or("exit: N is missing")?,
        rules: rules.ok_or("rules: is missing")?,
        says,
        never,
        run,
        about: about.join(" "),
        situation,
        then,
    })
}

fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

/// The repository of a case, ready to be judged.
pub struct Built {
    pub repo: Repo,
    /// Environment for guard.
    environment: Vec<(String, String)>,
}

/// The result of a case's script.
pub enum Outcome {
    Built(Built),
    /// It cannot run here, and why.
    Skipped(String),
}

/// The formatter of the toolchain that runs the tests. The one on `PATH` may need the caller's home directory.
fn rustfmt() -> PathBuf {
    let cargo = std::env::var_os("CARGO").unwrap_or_default();
    Path::new(&cargo).with_file_name("rustfmt")
}

/// Runs the script of a case in an empty directory.
pub fn build(case: &Case) -> Result<Outcome, String> {
    let repo = Repo::nothing();
    let canary = format!(
        "#!/bin/sh\necho \"$0 $*\" >>'{}'\ncat \"$@\" 2>/dev/null || true\n",
        mark(&repo).display()
    );
    super::write_executable(&repo.path("../canary"), &canary);
    fs::create_dir(repo.path("../outside")).unwrap();
    let built = Built {
        repo,
        environment: Vec::new(),
    };
    let prelude = Path::new(SOURCE).join("fixtures/repos/prelude.sh");
    let script = format!(". '{}'\n. '{}'\n", prelude.display(), case.file.display());
    let mut command = built.judging("sh");
    command
        .args(["-euc", &script])
        .env("CANARY", built.repo.path("../canary"))
        .env("OUTSIDE", built.repo.path("../outside"))
        .env("TOOLS", Path::new(SOURCE).join("target"))
        .env("RUSTFMT", rustfmt())
        .env("JUDGE_ENV", built.repo.path("../judge-env"))
        .env("GUARD", GUARD);
    let output = super::run(&mut command);
    match output.code {
        0 => {}
        77 => return Ok(Outcome::Skipped(output.stderr.trim().to_owned())),
        code => return Err(format!("the script ends with {code}:\n{}", output.text())),
    }
    let environment = fs::read_to_string(built.repo.path("../judge-env")).unwrap_or_default();
    let variables = environment.lines().filter_map(|line| line.split_once('='));
    let environment = variables.map(|(name, value)| (name.to_owned(), value.to_owned()));
    let environment = environment.collect();
    Ok(Outcome::Built(Built {
        environment,
        ..built
    }))
}

impl Built {
    /// A program, with the built guard on `PATH`, in the environment that the case asks for.
    pub fn judging(&self, program: &str) -> Command {
        let mut command = self.repo.with_guard_on_path(program);
        command.envs(self.environment.iter().cloned());
        command
    }

    /// The variables that the case asks for.
    pub fn environment(&self) -> impl Iterator<Item = (String, String)> + '_ {
        self.environment.iter().cloned()
    }

    /// A line of shell in the environment that the case asks for.
    pub fn shell(&self, line: &str) -> Command {
        let mut command = self.judging("sh");
        command.args(["-euc", line]);
        command
    }

    /// Whether the attacker's program ran since the last call.
    pub fn canary_ran(&self) -> bool {
        fs::remove_file(mark(&self.repo)).is_ok()
    }
}

fn mark(repo: &Repo) -> PathBuf {
    repo.path("../canary-ran")
}
