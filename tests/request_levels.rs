//! The levels of `[rules]` apply to requests too: `outside-roots` and `protected-path`.
use crate::common::Repo;
use crate::common::files::Answer;

/// Levels that let a request pass.
const PASSING: [&str; 3] = ["off", "note", "warning"];

/// A repository with `file`, a snapshot of its older version, and these settings.
fn repo(file: &str, settings: &str) -> (Repo, String) {
    let repo = Repo::open_with("[workspace]\nsecrets = []\n");
    repo.write(file, "old\n");
    let answer = repo.put(file, "new\n", &[]);
    let snapshot = answer.backup();
    repo.stage(
        "guard.toml",
        format!("[lld]\nmissing = \"skip\"\n{settings}"),
    );
    repo.commit("Set levels");
    (repo, snapshot)
}

/// Every request that concerns the file, by name; the file is restored after each.
fn requests(file: &str, settings: &str) -> Vec<(&'static str, Answer)> {
    let (repo, snapshot) = repo(file, settings);
    let patch = ["patch", file, "--search", "new", "--replace", "newer"];
    let answers = vec![
        ("read", repo.ask(&["read", file])),
        ("write", repo.put(file, "new\n", &[])),
        ("content file", {
            let content = ["write", "src/copy", "--content-file", file];
            repo.ask(&content)
        }),
        ("patch", repo.ask(&patch)),
        ("restore", repo.ask(&["snapshot", "restore", &snapshot])),
        ("move from", repo.ask(&["move", file, "src/moved"])),
        ("move to", {
            repo.write("src/moved", "new\n");
            let _ = std::fs::remove_file(repo.path(file));
            repo.ask(&["move", "src/moved", file])
        }),
        ("delete", {
            repo.write(file, "new\n");
            repo.ask(&["delete", file])
        }),
    ];
    answers
}

/// What `guard check` says: whether the path may be written, and the rule that refuses.
fn check(file: &str, settings: &str) -> (bool, String) {
    let report = repo(file, settings).0.json(&["check", file]);
    let result = &report["results"][0];
    let rule = result["rule"].as_str().unwrap_or_default();
    (result["allowed"].as_bool().unwrap(), rule.to_owned())
}

/// Every request passes at each level below an error, and is refused by the rule at that level.
fn obeys_its_level(rule: &str, file: &str, settings: &str) {
    for level in PASSING {
        let settings = format!("{settings}[rules]\n{rule} = \"{level}\"\n");
        for (name, answer) in requests(file, &settings) {
            assert_eq!(answer.code, 0, "{name} at {level}: {answer:#?}");
        }
        assert_eq!(check(file, &settings), (true, String::new()), "{level}");
    }
    let settings = format!("{settings}[rules]\n{rule} = \"error\"\n");
    for (name, answer) in requests(file, &settings) {
        assert_eq!(answer.code, 1, "{name}: {answer:#?}");
        assert_eq!(answer.json["error"]["rule"], rule, "{name}: {answer:#?}");
    }
    assert_eq!(check(file, &settings), (false, rule.to_owned()));
}

#[test]
fn roots_obey_the_level_of_outside_roots() {
    let roots = "[workspace]\nread = [\"src\"]\nwrite = [\"src\"]\n";
    obeys_its_level("outside-roots", "other/a", roots);
}

#[test]
fn secrets_obey_the_level_of_protected_path() {
    let secrets = "[workspace]\nsecrets = [\"*.pem\"]\n";
    obeys_its_level("protected-path", "other/a.pem", secrets);
}

#[test]
fn requests_never_change_guards_settings_at_any_level() {
    for level in PASSING {
        let levels = format!(
            "[approvals]\nsigners = \"docs/signers\"\n[rules]\nprotected-path = \"{level}\"\n"
        );
        let (repo, _) = repo("a", &levels);
        for path in "guard.toml GUARD.toml .guard/allowed_signers docs/signers".split(' ') {
            let answer = repo.put(path, "x\n", &[]);
            let rule = answer.fails("refused").rule();
            assert_eq!(rule, "protected-path", "{path} at {level}");
            let report = repo.json(&["check", path]);
            assert_eq!(report["results"][0]["rule"], "protected-path", "{path}");
        }
        repo.ask(&["delete", "guard.toml"]).fails("refused");
        repo.ask(&["move", "a", ".guard/x"]).fails("refused");
        repo.ask(&["read", "guard.toml"]).works();
    }
}
