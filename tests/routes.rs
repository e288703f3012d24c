//! README.md's routes to a hook: its commands and snippets as they stand there, in a fresh repository, with guard from
//! its packages. `tests/readme.rs` has the route of plain hooks. `GUARD_PACKAGES` names a directory of packages that
//! `.ci/release` has built; without it they hold the tested binary.

use std::fs;
use std::path::{Path, PathBuf};

use crate::common::frameworks::{frameworks, lefthook};
use crate::common::pages::{blocks, page};
use crate::common::{self, Output, Repo, SOURCE, registry};
use crate::packages::{packages, path, tools};

/// A fresh repository, and one of the tools that run hooks.
struct Route {
    repo: Repo,
    /// The tool's name in README.
    item: &'static str,
    /// Its program and, where another has the same commands, the one in README.
    programs: [&'static str; 2],
    /// What a person types in the place of `guard`.
    guard: &'static str,
    /// Further directories of programs.
    directories: Vec<PathBuf>,
    environment: Vec<(&'static str, String)>,
}

impl Route {
    /// Runs a line in a shell; a comment behind it that says "refused" wants a refusal by guard.
    #[track_caller]
    fn obey(&self, line: &str) -> Output {
        let [program, named] = self.programs;
        let script = format!(
            "guard() {{ {} \"$@\"; }}\n{named}() {{ command {program} \"$@\"; }}\n{line}\n",
            self.guard
        );
        // bash has names of functions with hyphens.
        let mut shell = self.repo.command("bash");
        shell
            .args(["-c", &script])
            .env("PATH", path(&self.directories))
            .envs(self.environment.iter().cloned());
        let output = common::run(&mut shell);
        let comment = line.split_once(" # ").map_or("", |(_, comment)| comment);
        if comment.starts_with("refused") {
            return output.exits(1).says("out-of-scope");
        }
        output.exits(0)
    }

    /// README's three minutes, with this tool in the place of `guard install git`.
    #[track_caller]
    fn follow(&self) {
        let page = page("README.md");
        let mut refused = 0;
        for line in blocks(&page, "Three minutes in your own repository", "sh") {
            if line.starts_with("guard install git") {
                self.set_up(&page);
                continue;
            }
            let told = self.obey(&line).stdout;
            refused += usize::from(line.contains("# refused"));
            if line.starts_with("guard doctor") {
                let proves = |line: &str| line.starts_with("ok    proof: ");
                // README's lines for pre-commit leave out what names the design in messages.
                let is_fine = |line: &str| {
                    line.starts_with("ok ") || line.starts_with("warn  prepare-commit-msg: ")
                };
                assert!(told.lines().all(is_fine), "{told}");
                assert!(told.lines().any(proves), "{told}");
            }
        }
        assert_eq!(refused, 1);
        let git = |arguments: &[&str]| self.repo.git(arguments);
        assert_eq!(git(&["status", "--porcelain"]), "");
        assert_eq!(git(&["log", "-1", "--format=%s"]), "Add temperatures");
    }

    /// What the tool's item says: a file and its content, and commands in the sentence before it.
    #[track_caller]
    fn set_up(&self, page: &str) {
        let (_, item) = page.split_once(&format!("\n- **{}", self.item)).unwrap();
        let (sentence, block) = item.split_once("\n\n  ```").unwrap();
        let (_, block) = block.split_once('\n').unwrap();
        let block = block.split("  ```").next().unwrap();
        let lines = block.lines().map(|line| line.strip_prefix("  ").unwrap());
        let content: String = lines.map(|line| format!("{line}\n")).collect();
        let spans = sentence.split('`').skip(1).step_by(2);
        let (commands, files): (Vec<_>, Vec<_>) = spans.partition(|span| span.contains(' '));
        let [file] = files[..] else {
            panic!("{files:?}");
        };
        if !commands.iter().any(|command| command.starts_with("guard ")) {
            self.repo.write(file, &content);
        }
        assert!(!commands.is_empty());
        for command in commands {
            self.obey(command);
        }
        let written = self.repo.text(file);
        assert!(written.starts_with(&content), "{written}");
        // Without code, as README says: a manifest is code here.
        let alone = file.split('/').next().unwrap();
        self.obey(&format!("git add {alone} && git commit -m 'Call guard'"));
        self.obey("git add --all && git diff --cached --quiet || git commit -m 'Add the package'");
    }
}

/// guard's own repository, as `repo:` names it.
fn hooks_repository(repo: &Repo) {
    let hooks = repo.path("../guard");
    fs::create_dir_all(hooks.join("packaging/pypi")).unwrap();
    for file in [
        "Cargo.toml",
        "pyproject.toml",
        ".pre-commit-hooks.yaml",
        "packaging/pypi/placeholder.py",
    ] {
        fs::copy(Path::new(SOURCE).join(file), hooks.join(file)).unwrap();
    }
    let git = |arguments: &[&str]| {
        let all = [&["-C", "../guard"], arguments].concat();
        repo.git(&all);
    };
    git(&["init", "--quiet", "--template="]);
    git(&["add", "--all"]);
    git(&["commit", "--quiet", "-m", "guard"]);
    git(&["tag", concat!("v", env!("CARGO_PKG_VERSION"))]);
    let there = format!("url.file://{}.insteadOf", hooks.display());
    repo.git(&["config", "--global", &there, "https://example.com/guard"]);
}

#[test]
#[cfg_attr(
    not(target_os = "linux"),
    ignore = "needs the packages for Linux, which only Linux installs"
)]
fn readme_works_with_pre_commit_and_prek() {
    let Some(packages) = packages() else {
        return;
    };
    let found = |key| (key, packages.display().to_string());
    let on = |key| (key, "1".to_owned());
    let found = ["PIP_FIND_LINKS", "UV_FIND_LINKS"].map(found);
    let offline = ["PIP_NO_INDEX", "UV_NO_INDEX", "UV_OFFLINE"].map(on);
    let environment = [&found[..], &offline].concat();
    let tools = tools().unwrap().join("bin");
    for (name, program) in frameworks() {
        let route = Route {
            repo: Repo::new(),
            item: "pre-commit",
            programs: [name, "pre-commit"],
            guard: "uvx --from write-guard guard",
            directories: vec![program.parent().unwrap().to_owned(), tools.clone()],
            environment: environment.clone(),
        };
        hooks_repository(&route.repo);
        route.follow();
    }
}

/// A repository that has husky, or has lefthook without npm.
fn with_npm(item: &'static str, directories: Vec<PathBuf>) -> Option<Route> {
    let address = registry::serve(packages()?);
    let off = |key| (key, "false".to_owned());
    let route = Route {
        repo: Repo::new(),
        item,
        programs: [item; 2],
        guard: "npx --yes --package write-guard guard",
        directories,
        environment: vec![
            ("npm_config_registry", address),
            off("npm_config_audit"),
            off("npm_config_fund"),
            off("npm_config_update_notifier"),
        ],
    };
    route.obey("echo node_modules >.gitignore");
    Some(route)
}

#[test]
#[cfg_attr(
    not(target_os = "linux"),
    ignore = "needs the packages for Linux, which only Linux installs"
)]
fn readme_works_with_husky() {
    if let Some(route) = with_npm("husky", Vec::new()) {
        route.obey("npm install --save-dev husky && npx husky");
        route.obey("git add --all && git commit --message 'Use husky'");
        route.follow();
    }
}

#[test]
#[cfg_attr(
    not(target_os = "linux"),
    ignore = "needs the packages for Linux, which only Linux installs"
)]
fn readme_works_with_lefthook() {
    let Some(program) = lefthook() else {
        return;
    };
    let directory = program.parent().unwrap().to_owned();
    if let Some(route) = with_npm("lefthook", vec![directory]) {
        // A package already, so that `guard init` lets its manifest and lock file change.
        route.obey("npm init --yes >npm.log && npm install && rm npm.log");
        route.obey("git add --all && git commit --message 'Begin'");
        route.follow();
    }
}
