//! The GitHub action: which guard it installs, and how it runs it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::common::system;
use crate::common::{self, Repo, SOURCE, assert_says};

const ACTION: &str = include_str!("../action.yml");

/// The scripts of the action, as the runner hands them to bash: install, judge, suggest.
pub fn scripts() -> Vec<String> {
    let scripts = ACTION.split("      run: |\n").skip(1);
    let script = |rest: &str| {
        let is_inside = |line: &&str| line.is_empty() || line.starts_with("        ");
        let lines: Vec<&str> = rest.lines().take_while(is_inside).collect();
        lines.join("\n").replace("\n        ", "\n")
    };
    scripts.map(script).collect()
}

/// bash as the runner calls it.
pub fn bash(repo: &Repo, script: &str) -> Command {
    let mut bash = repo.command("bash");
    bash.args("--noprofile --norc -e -o pipefail -c".split(' '))
        .arg(script);
    bash
}

fn program(path: &Path, script: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    common::write_executable(path, script);
}

/// The first step of the action, for a copy of the action at `../action` whose release is below `../server`.
struct Install {
    repo: Repo,
    reference: String,
    system: (&'static str, &'static str),
}

impl Install {
    const TAG: &str = concat!("v", env!("CARGO_PKG_VERSION"));

    fn new() -> Install {
        let repo = Repo::new();
        for file in ["Cargo.toml", "packaging/install"] {
            let copy = repo.path("../action").join(file);
            fs::create_dir_all(copy.parent().unwrap()).unwrap();
            fs::copy(Path::new(SOURCE).join(file), copy).unwrap();
        }
        let cargo = "#!/bin/sh\npwd >>../cargo-ran\nprintf '%s\\n' \"$@\" >>../cargo-ran\n";
        program(&repo.path("../bin/cargo"), cargo);
        Install {
            repo,
            reference: Install::TAG.to_owned(),
            system: ("Linux", "X64"),
        }
    }

    /// Releases a guard that says that it was released.
    fn release(&self) -> PathBuf {
        let releases = self.repo.path("../server/org/guard/releases/download");
        let release = releases.join(Install::TAG);
        program(&release.join("guard"), "#!/bin/sh\necho released\n");
        let pack = "tar -czf guard-linux-x64.tar.gz guard && rm guard && sha256sum * >SHA256SUMS";
        common::run(bash(&self.repo, pack).current_dir(&release)).exits(0);
        release
    }

    fn run(&self) -> common::Output {
        let path = std::env::var("PATH").unwrap();
        let beside = |name: &str| {
            let beside = self.repo.root.parent().unwrap();
            beside.join(name).display().to_string()
        };
        let server = format!("file://{}", beside("server"));
        let mut step = bash(&self.repo, &scripts()[0]);
        step.env("PATH", format!("{}:{path}", beside("bin")))
            .env("RUNNER_TEMP", beside("runner"))
            .env("RUNNER_OS", self.system.0)
            .env("RUNNER_ARCH", self.system.1)
            .env("GITHUB_ACTION_PATH", beside("action"))
            .env("GUARD_ACTION_SERVER", server)
            .env("GUARD_ACTION_REPOSITORY", "org/guard")
            .env("GUARD_ACTION_REF", &self.reference);
        fs::create_dir_all(self.repo.path("../runner")).unwrap();
        common::run(&mut step)
    }

    /// The directory and the arguments of cargo, if the step built guard.
    fn built(&self) -> Option<String> {
        fs::read_to_string(self.repo.path("../cargo-ran")).ok()
    }

    fn says_released(&self) -> bool {
        let guard = self.repo.path("../runner/guard/bin/guard");
        guard.exists() && common::run(&mut self.repo.command(guard)).stdout == "released\n"
    }
}

#[test]
#[cfg_attr(
    not(unix),
    ignore = "needs the programs of a Linux runner, which Windows cannot start"
)]
fn action_takes_the_released_binary_of_its_tag() {
    let install = Install::new();
    install.release();
    let said = format!("installed the released binary of {}", Install::TAG);
    let told = install.run().exits(0).says(&said);
    told.says("verifying its checksum");
    assert!(install.says_released());
    assert_eq!(install.built(), None);
}

#[test]
#[cfg_attr(
    not(unix),
    ignore = "needs the programs of a Linux runner, which Windows cannot start"
)]
fn action_refuses_a_release_with_a_wrong_checksum() {
    let install = Install::new();
    let release = install.release();
    let sums = fs::read_to_string(release.join("SHA256SUMS")).unwrap();
    let (sum, name) = sums.split_once(' ').unwrap();
    let wrong: String = sum.chars().rev().collect();
    fs::write(release.join("SHA256SUMS"), format!("{wrong} {name}")).unwrap();
    let refused = install.run().exits(2).says("::error").text();
    assert_says(&refused, &["guard-linux-x64.tar.gz", sum, &wrong]);
    assert_eq!(install.built(), None);
    assert!(!install.says_released());
}

/// rustup looks for rust-toolchain.toml from the current directory upwards, and may run what it names as cargo.
#[test]
#[cfg_attr(
    not(unix),
    ignore = "needs the programs of a Linux runner, which Windows cannot start"
)]
fn action_builds_its_own_sources_outside_the_checkout_if_there_is_no_release() {
    let (x64, arm, mac) = (("Linux", "X64"), ("Linux", "ARM"), ("macOS", "ARM64"));
    for (reference, system, why) in [
        (Install::TAG, x64, "has no release v"),
        ("main", x64, "main is not the release v"),
        (Install::TAG, mac, "has no guard-darwin-arm64.tar.gz"),
        (Install::TAG, arm, "no released binary for Linux on ARM"),
    ] {
        let mut install = Install::new();
        if why != "has no release v" {
            install.release();
        }
        (install.reference, install.system) = (reference.to_owned(), system);
        install.run().exits(0).says(why).says("builds guard");
        let ran = install.built().unwrap();
        let (directory, arguments) = ran.split_once('\n').unwrap();
        let action = system::real(install.repo.path("../action"));
        assert_eq!(Path::new(directory), action);
        assert!(arguments.ends_with("\n--path\n.\n"), "{arguments}");
    }
}

/// Runs the action's second step with a guard that records its arguments, one per line.
fn run_action(repo: &Repo, design: &str, args: &str, code: i32) -> (Vec<String>, String) {
    let temp: PathBuf = repo.path("../runner");
    let record = "printf '%s\\n' \"$@\" >../runner/arguments\necho refused >../runner/guard.md";
    let script = format!("#!/bin/sh\n{record}\nexit {code}\n");
    program(&temp.join("guard/bin/guard"), &script);
    let old = ["guard.sarif", "guard-review.html"].map(|name| temp.join(name));
    for file in &old {
        fs::write(file, "of an earlier step").unwrap();
    }
    let (outputs, summary) = (temp.join("outputs"), temp.join("summary"));
    fs::write(&summary, "earlier\n").unwrap();
    let mut step = bash(repo, &scripts()[1]);
    step.env("RUNNER_TEMP", &temp)
        .env("GITHUB_STEP_SUMMARY", &summary)
        .env("GITHUB_OUTPUT", &outputs)
        .env("GUARD_ACTION_DESIGN", design)
        .env("GUARD_ACTION_ARGS", args)
        .env("GUARD_ACTION_SUGGEST", "false");
    common::run(&mut step).exits(code);
    assert!(old.iter().all(|file| !file.exists()), "an old report stays");
    assert_eq!(fs::read_to_string(summary).unwrap(), "earlier\nrefused\n");
    let arguments = fs::read_to_string(temp.join("arguments")).unwrap();
    let arguments = arguments.lines().map(str::to_owned).collect();
    (arguments, fs::read_to_string(outputs).unwrap())
}

#[test]
#[cfg_attr(
    not(unix),
    ignore = "needs the programs of a Linux runner, which Windows cannot start"
)]
fn action_runs_guard_once_and_names_the_report_even_if_refused() {
    for code in [0, 1, 2] {
        let repo = Repo::new();
        let (arguments, outputs) = run_action(&repo, "", "", code);
        let file = |name| repo.path("../runner").join(name).display().to_string();
        let (sarif, review) = (file("guard.sarif"), file("guard-review.html"));
        let markdown = file("guard.md");
        let files = format!("sarif={sarif} --output html={review} --output markdown={markdown}");
        let expected = format!("lint --ci --format github --output {files}");
        assert_eq!(arguments.join(" "), expected);
        let expected = format!("sarif-file={sarif}\nreview-file={review}\n");
        assert_eq!(outputs, expected);
    }
}

#[test]
#[cfg_attr(
    not(unix),
    ignore = "needs the programs of a Linux runner, which Windows cannot start"
)]
fn action_inputs_are_arguments_never_shell_code() {
    let repo = Repo::new();
    let designs = "docs/a b.md\n$(touch pwned).md";
    let more = "--quiet\n*; touch pwned\n`touch pwned`";
    let (arguments, _) = run_action(&repo, designs, more, 0);
    let expected = format!("--lld\n{}\n{more}", designs.replace('\n', "\n--lld\n"));
    assert_eq!(arguments[10..].join("\n"), expected);
    assert!(!repo.path("pwned").exists());
}
