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
    let workflow = Path::new(SOURCE).join(".github/workflows/ci.yml");
    assert_valid("vendor.github-workflows", &workflow);
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
    let workflow = fs::read_to_string(Path::new(SOURCE).join(".github/workflows/ci.yml")).unwrap();
    for line in ACTION.lines().chain(workflow.lines()) {
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
    let workflow = fs::read_to_string(Path::new(SOURCE).join(".github/workflows/ci.yml")).unwrap();
    let mut pinned = 0;
    for line in workflow.lines() {
        let Some((_, action)) = line.split_once("uses: ") else {
            continue;
        };
        if action == "./" {
            continue;
        }
        let (_, reference) = action.split_once('@').unwrap();
        let (commit, tag) = reference.split_once(" # v").expect(line);
        assert!(
            commit.len() == 40 && commit.bytes().all(|c| c.is_ascii_hexdigit()),
            "{line}"
        );
        assert!(!tag.is_empty());
        pinned += 1;
    }
    assert!(pinned > 0, "{workflow}");
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

/// rustup looks for rust-toolchain.toml from the current directory upwards, and may run what it names as cargo.
#[cfg(unix)]
#[test]
fn action_does_not_install_guard_from_the_checkout() {
    let repo = Repo::new();
    let (action, bin) = (repo.path("../action"), repo.path("../bin"));
    fs::create_dir(&action).unwrap();
    program(
        &bin.join("cargo"),
        "#!/bin/sh\npwd >../cargo-ran\nprintf '%s\\n' \"$@\" >>../cargo-ran\n",
    );
    let path = std::env::var("PATH").unwrap();
    let mut step = bash(&repo, &scripts()[0]);
    step.env("PATH", format!("{}:{path}", bin.display()))
        .env("RUNNER_TEMP", repo.path("../runner"))
        .env("GITHUB_ACTION_PATH", &action);
    common::run(&mut step).exits(0);
    let ran = fs::read_to_string(repo.path("../cargo-ran")).unwrap();
    let (directory, arguments) = ran.split_once('\n').unwrap();
    assert_eq!(Path::new(directory), action.canonicalize().unwrap());
    assert!(arguments.ends_with("\n--path\n.\n"), "{arguments}");
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
    fs::write(temp.join("guard.sarif"), "of an earlier step").unwrap();
    let outputs = temp.join("outputs");
    let mut step = bash(repo, &scripts()[1]);
    step.env("RUNNER_TEMP", &temp)
        .env("GITHUB_OUTPUT", &outputs)
        .env("GUARD_ACTION_DESIGN", design)
        .env("GUARD_ACTION_ARGS", args);
    common::run(&mut step).exits(code);
    assert!(!temp.join("guard.sarif").exists(), "an old report stays");
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
        let sarif = repo.path("../runner").join("guard.sarif");
        let sarif = sarif.to_str().unwrap();
        assert_eq!(
            arguments,
            [
                "lint",
                "--ci",
                "--format",
                "github",
                "--output",
                &format!("sarif={sarif}")
            ]
        );
        assert_eq!(outputs, format!("sarif-file={sarif}\n"));
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
        arguments[6..],
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
