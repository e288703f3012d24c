//! What a repository copies to gate its pull requests: the action and the snippets. Also guard's own settings.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::common::{self, Repo, SOURCE};

const ACTION: &str = include_str!("../action.yml");
const PAGE: &str = include_str!("../docs/ci.md");

/// Asserts that the file is valid under the schema of its kind that check-jsonschema ships.
fn assert_valid(kind: &str, file: &Path) {
    let Some(program) = common::tool("check-jsonschema") else {
        return;
    };
    let mut check = Command::new(program);
    check
        .args(["--no-cache", "--builtin-schema", kind])
        .args(["--force-filetype", "yaml"])
        .arg(file);
    match kind {
        "vendor.gitlab-ci" => check.args(["--data-transform", "gitlab-ci"]),
        // Patterns of this schema are not valid in the Unicode mode that is the default.
        "vendor.azure-pipelines" => check.args([
            "--data-transform",
            "azure-pipelines",
            "--regex-variant",
            "nonunicode",
        ]),
        _ => &mut check,
    };
    common::run(&mut check).exits(0);
}

/// The code blocks of the page, by the file name in the comment on their first line.
fn snippets() -> Vec<(&'static str, &'static str)> {
    PAGE.split("```yaml\n")
        .skip(1)
        .map(|rest| {
            let block = rest.split("```").next().unwrap();
            let name = block.lines().next().unwrap();
            (name.strip_prefix("# ").unwrap(), block)
        })
        .collect()
}

#[test]
fn the_action_and_the_workflows_follow_githubs_schemas() {
    assert_valid(
        "vendor.github-actions",
        &Path::new(SOURCE).join("action.yml"),
    );
    for (workflow, _) in workflows() {
        assert_valid("vendor.github-workflows", &workflow);
    }
}

/// The workflows of this repository with their text.
fn workflows() -> Vec<(PathBuf, String)> {
    let files = fs::read_dir(Path::new(SOURCE).join(".github/workflows")).unwrap();
    let files = files.map(|file| file.unwrap().path());
    let all: Vec<_> = files
        .map(|file| (file.clone(), fs::read_to_string(file).unwrap()))
        .collect();
    assert_eq!(all.len(), 2);
    all
}

#[test]
fn the_snippets_follow_the_schemas_of_their_systems() {
    let temp = tempfile::tempdir().unwrap();
    let mut kinds = Vec::new();
    for (name, block) in snippets() {
        let kind = match name {
            ".github/workflows/guard.yml" => "vendor.github-workflows",
            ".gitlab-ci.yml" => "vendor.gitlab-ci",
            "azure-pipelines.yml" => "vendor.azure-pipelines",
            ".buildkite/pipeline.yml" => "vendor.buildkite",
            other => panic!("a snippet for {other} has no schema here"),
        };
        let file = temp.path().join("snippet.yml");
        fs::write(&file, block).unwrap();
        assert_valid(kind, &file);
        kinds.push(kind);
    }
    assert_eq!(kinds.len(), 4, "{kinds:?}");
}

#[test]
fn expressions_of_action_and_workflow_are_not_inside_scripts() {
    let workflows = workflows();
    let workflows = workflows.iter().flat_map(|(_, text)| text.lines());
    for line in ACTION.lines().chain(workflows) {
        if let Some((before, _)) = line.split_once("${{") {
            let key = before.trim().trim_start_matches("- ");
            let (key, rest) = key.split_once(':').expect(line);
            assert!(
                key.chars()
                    .all(|c| c.is_ascii_alphanumeric() || "_-".contains(c)),
                "{line}"
            );
            assert!(key != "run" && !rest.contains('"'), "{line}");
        }
    }
}

/// A tag can be moved to other code, a commit cannot.
#[test]
fn third_party_actions_are_pinned_to_a_commit() {
    let workflows = workflows();
    let versions = include_str!("../docs/dev/releasing.md");
    let mut pinned = 0;
    for line in workflows.iter().flat_map(|(_, text)| text.lines()) {
        let Some((_, action)) = line.split_once("uses: ") else {
            continue;
        };
        if action.starts_with("./ ") {
            continue;
        }
        let (_, reference) = action.split_once('@').unwrap();
        let (commit, tag) = reference.split_once(" # v").expect(line);
        assert!(
            commit.len() == 40 && commit.bytes().all(|c| c.is_ascii_hexdigit()),
            "{line}"
        );
        let (name, _) = action.split_once('@').unwrap();
        let documented = format!("| `{name}` | v{tag} | `{commit}` |");
        assert!(
            versions.contains(&documented),
            "docs/dev/releasing.md lacks {documented}"
        );
        pinned += 1;
    }
    assert!(pinned > 0);
}

/// The scripts of the action, as the runner hands them to bash: install, judge.
fn scripts() -> Vec<String> {
    ACTION
        .split("      run: |\n")
        .skip(1)
        .map(|rest| {
            rest.lines()
                .take_while(|line| line.is_empty() || line.starts_with("        "))
                .map(|line| format!("{}\n", line.strip_prefix("        ").unwrap_or_default()))
                .collect()
        })
        .collect()
}

/// bash as the runner calls it.
#[cfg(unix)]
fn bash(repo: &Repo, script: &str) -> Command {
    let mut bash = repo.command("bash");
    bash.args([
        "--noprofile",
        "--norc",
        "-e",
        "-o",
        "pipefail",
        "-c",
        script,
    ]);
    bash
}

#[cfg(unix)]
fn program(path: &Path, script: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    common::write_executable(path, script);
}

/// The first step of the action, for a copy of the action at `../action` whose release is below `../server`.
#[cfg(unix)]
struct Install {
    repo: Repo,
    reference: String,
    system: (&'static str, &'static str),
}

#[cfg(unix)]
impl Install {
    const TAG: &str = concat!("v", env!("CARGO_PKG_VERSION"));

    fn new() -> Install {
        let repo = Repo::new();
        for file in ["Cargo.toml", "packaging/install"] {
            let copy = repo.path("../action").join(file);
            fs::create_dir_all(copy.parent().unwrap()).unwrap();
            fs::copy(Path::new(SOURCE).join(file), copy).unwrap();
        }
        program(
            &repo.path("../bin/cargo"),
            "#!/bin/sh\npwd >>../cargo-ran\nprintf '%s\\n' \"$@\" >>../cargo-ran\n",
        );
        Install {
            repo,
            reference: Install::TAG.to_owned(),
            system: ("Linux", "X64"),
        }
    }

    /// Releases a guard that says that it was released.
    fn release(&self) -> PathBuf {
        let release = self
            .repo
            .path("../server/org/guard/releases/download")
            .join(Install::TAG);
        program(&release.join("guard"), "#!/bin/sh\necho released\n");
        let pack = "tar -czf guard-linux-x64.tar.gz guard && rm guard && sha256sum * >SHA256SUMS";
        common::run(bash(&self.repo, pack).current_dir(&release)).exits(0);
        release
    }

    fn run(&self) -> common::Output {
        let path = std::env::var("PATH").unwrap();
        let server = self.repo.path("../server").canonicalize();
        let server = server.unwrap_or_else(|_| self.repo.path("../server"));
        let mut step = bash(&self.repo, &scripts()[0]);
        step.env(
            "PATH",
            format!("{}:{path}", self.repo.path("../bin").display()),
        )
        .env("RUNNER_TEMP", self.repo.path("../runner"))
        .env("RUNNER_OS", self.system.0)
        .env("RUNNER_ARCH", self.system.1)
        .env("GITHUB_ACTION_PATH", self.repo.path("../action"))
        .env(
            "GUARD_ACTION_SERVER",
            format!("file://{}", server.display()),
        )
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

#[cfg(unix)]
#[test]
fn action_takes_the_released_binary_of_its_tag() {
    let install = Install::new();
    install.release();
    install
        .run()
        .exits(0)
        .says(&format!(
            "installed the released binary of {}",
            Install::TAG
        ))
        .says("verifying its checksum");
    assert!(install.says_released());
    assert_eq!(install.built(), None);
}

#[cfg(unix)]
#[test]
fn action_pinned_to_the_commit_of_the_tag_takes_its_binary() {
    let mut install = Install::new();
    let server = install.repo.path("../server/org/guard");
    install.release();
    install.repo.stage("a", "a\n");
    let released = install.repo.commit("Release");
    install.repo.git(&["tag", "-m", "Release", Install::TAG]);
    install.repo.stage("a", "b\n");
    let later = install.repo.commit("Later");
    // A directory that is a repository and holds the releases.
    let clone = install.repo.path("../clone");
    install
        .repo
        .git(&["clone", "--quiet", "--bare", ".", clone.to_str().unwrap()]);
    common::run(
        install
            .repo
            .command("cp")
            .args(["-R"])
            .arg(clone.join("."))
            .arg(&server),
    )
    .exits(0);

    install.reference = later;
    install.run().exits(0).says("is not the release");
    assert!(install.built().is_some());
    assert!(!install.says_released());

    install.reference = released;
    install.run().exits(0).says("installed the released binary");
    assert!(install.says_released());
}

#[cfg(unix)]
#[test]
fn action_refuses_a_release_with_a_wrong_checksum() {
    let install = Install::new();
    let release = install.release();
    let sums = fs::read_to_string(release.join("SHA256SUMS")).unwrap();
    let (sum, name) = sums.split_once(' ').unwrap();
    let wrong: String = sum.chars().rev().collect();
    fs::write(release.join("SHA256SUMS"), format!("{wrong} {name}")).unwrap();
    install
        .run()
        .exits(2)
        .says("::error")
        .says("guard-linux-x64.tar.gz")
        .says(sum)
        .says(&wrong);
    assert_eq!(install.built(), None);
    assert!(!install.says_released());
}

/// rustup looks for rust-toolchain.toml from the current directory upwards, and may run what it names as cargo.
#[cfg(unix)]
#[test]
fn action_builds_its_own_sources_outside_the_checkout_if_there_is_no_release() {
    for (reference, system, released, why) in [
        (Install::TAG, ("Linux", "X64"), false, "has no release v"),
        ("main", ("Linux", "X64"), true, "main is not the release v"),
        (
            Install::TAG,
            ("macOS", "ARM64"),
            true,
            "has no guard-darwin-arm64.tar.gz",
        ),
        (
            Install::TAG,
            ("Linux", "ARM"),
            true,
            "no released binary for Linux on ARM",
        ),
    ] {
        let mut install = Install::new();
        if released {
            install.release();
        }
        (install.reference, install.system) = (reference.to_owned(), system);
        install.run().exits(0).says(why).says("builds guard");
        let ran = install.built().unwrap();
        let (directory, arguments) = ran.split_once('\n').unwrap();
        let action = install.repo.path("../action").canonicalize().unwrap();
        assert_eq!(Path::new(directory), action);
        assert!(arguments.ends_with("\n--path\n.\n"), "{arguments}");
    }
}

#[test]
fn snippets_do_not_install_guard_from_the_checkout() {
    let installs: Vec<_> = snippets()
        .into_iter()
        .flat_map(|(_, block)| block.lines())
        .filter(|line| line.contains("cargo install"))
        .collect();
    assert_eq!(installs.len(), 2);
    assert!(
        installs.iter().all(|line| line.contains("cd / && cargo")),
        "{installs:?}"
    );
}

/// Runs the action's last step with a guard that records its arguments, one per line.
#[cfg(unix)]
fn run_action(repo: &Repo, design: &str, args: &str, code: i32) -> (Vec<String>, String) {
    let temp: PathBuf = repo.path("../runner");
    program(
        &temp.join("guard/bin/guard"),
        &format!("#!/bin/sh\nprintf '%s\\n' \"$@\" >../runner/arguments\nexit {code}\n"),
    );
    let old = ["guard.sarif", "guard-review.html"].map(|name| temp.join(name));
    for file in &old {
        fs::write(file, "of an earlier step").unwrap();
    }
    let outputs = temp.join("outputs");
    let mut step = bash(repo, &scripts()[1]);
    step.env("RUNNER_TEMP", &temp)
        .env("GITHUB_OUTPUT", &outputs)
        .env("GUARD_ACTION_DESIGN", design)
        .env("GUARD_ACTION_ARGS", args);
    common::run(&mut step).exits(code);
    assert!(old.iter().all(|file| !file.exists()), "an old report stays");
    let arguments = fs::read_to_string(temp.join("arguments")).unwrap();
    (
        arguments.lines().map(str::to_owned).collect(),
        fs::read_to_string(outputs).unwrap(),
    )
}

#[cfg(unix)]
#[test]
fn action_runs_guard_once_and_names_the_report_even_if_refused() {
    for code in [0, 1, 2] {
        let repo = Repo::new();
        let (arguments, outputs) = run_action(&repo, "", "", code);
        let file = |name| repo.path("../runner").join(name).display().to_string();
        let (sarif, review) = (file("guard.sarif"), file("guard-review.html"));
        assert_eq!(
            arguments,
            [
                "lint",
                "--ci",
                "--format",
                "github",
                "--output",
                &format!("sarif={sarif}"),
                "--output",
                &format!("html={review}")
            ]
        );
        assert_eq!(
            outputs,
            format!("sarif-file={sarif}\nreview-file={review}\n")
        );
    }
}

#[cfg(unix)]
#[test]
fn action_inputs_are_arguments_never_shell_code() {
    let repo = Repo::new();
    let (arguments, _) = run_action(
        &repo,
        "docs/a b.md\n$(touch pwned).md",
        "--quiet\n*; touch pwned\n`touch pwned`",
        0,
    );
    assert_eq!(
        arguments[8..],
        [
            "--lld",
            "docs/a b.md",
            "--lld",
            "$(touch pwned).md",
            "--quiet",
            "*; touch pwned",
            "`touch pwned`"
        ]
    );
    assert!(!repo.path("pwned").exists());
}

#[test]
fn guards_own_settings_and_design_are_usable() {
    let repo = Repo::new();
    for name in ["guard.toml", "docs/design/LLD-4.md"] {
        repo.stage(name, fs::read(Path::new(SOURCE).join(name)).unwrap());
    }
    repo.commit("Say what may change");
    repo.branch("4-pull-request-gate");
    let scope = repo.json(&["scope", "show"]);
    assert_eq!(scope["problems"], serde_json::json!([]));

    repo.stage("src/report/sarif.rs", "fn report() {}\n");
    repo.stage("CHANGELOG.md", "# Changelog\n");
    repo.guard(&["lint"]).exits(0);
    repo.stage("src/gate/extend/go.rs", "fn go() {}\n");
    repo.guard(&["lint"])
        .exits(1)
        .says("src/gate/extend/go.rs is not in the design");
}
