//! The public API of the library: `examples/judge_in_memory.rs` uses nothing else.

use std::process::Command;

use write_guard::{Format, Level, Policy, ProposedChange, Rule, Verdict, judge_changes};

const DESIGN: &str = "
## Files Changed

| File | Change Type |
|------|-------------|
| `a.rs` | Add |
| `old.rs` | Modify |
| `gone.rs` | Delete |
";

fn policy(guard_toml: &str) -> Policy {
    Policy::from_texts(guard_toml, &[("docs/LLD-1.md", DESIGN)]).unwrap()
}

/// The errors of a verdict, each with its rule and path.
fn errors(verdict: &Verdict) -> Vec<(Rule, String)> {
    let errors = verdict
        .findings
        .iter()
        .filter(|one| one.level == Level::Error);
    let errors = errors.map(|one| (one.rule, one.path.as_ref().unwrap().to_string()));
    errors.collect()
}

fn judge(changes: &[ProposedChange]) -> Vec<(Rule, String)> {
    errors(&judge_changes(&policy(""), changes).unwrap())
}

/// `cargo run` builds the example if `cargo test` has not built it.
#[test]
fn the_example_runs_and_refuses() {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["run", "--locked", "--quiet", "--example", "judge_in_memory"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.contains("error[out-of-scope]: src/core/lld.rs"));
    assert!(text.contains("error[destructive-change]: CHANGELOG.md"));
    assert!(!text.contains("error[out-of-scope]: src/utils/lld.rs"));
}

#[test]
fn changes_in_memory_are_judged_by_their_rows() {
    let granted = [
        ProposedChange::add("a.rs", "a\n"),
        ProposedChange::modify("old.rs", "a\n", "b\n"),
        ProposedChange::delete("gone.rs", "a\n"),
    ];
    assert_eq!(judge(&granted), []);
    let deleted = [ProposedChange::delete("old.rs", "a\n")];
    let refused = (Rule::ActionNotGranted, "old.rs".to_owned());
    assert_eq!(judge(&deleted), [refused]);
    let outside = [ProposedChange::add("../a.rs", "a\n")];
    assert!(!judge(&outside).is_empty());
}

#[test]
fn change_in_memory_to_its_own_design_grants_nothing() {
    let widened = format!("{DESIGN}| `b.rs` | Add |\n");
    let changes = [
        ProposedChange::modify("docs/LLD-1.md", DESIGN, widened),
        ProposedChange::add("b.rs", "b\n"),
    ];
    let amended = (Rule::ScopeAmended, "docs/LLD-1.md".to_owned());
    assert_eq!(judge(&changes), [amended]);
}

#[test]
fn settings_passed_as_text_apply() {
    let policy = policy("[scope]\nprotect = [\"a.rs\"]\n");
    let verdict = judge_changes(&policy, &[ProposedChange::add("a.rs", "a\n")]).unwrap();
    assert_eq!(errors(&verdict), [(Rule::ProtectedPath, "a.rs".to_owned())]);
}

#[test]
fn unusable_texts_are_errors() {
    let error = Policy::from_texts("[scope]\nprotekt = []\n", &[]).unwrap_err();
    assert!(error.to_string().contains("guard.toml"), "{error}");
    let twice = ["a.rs", "b.rs", "a.rs"].map(|path| ProposedChange::add(path, "a\n"));
    let error = judge_changes(&policy(""), &twice).unwrap_err();
    assert!(error.to_string().contains("a.rs changes twice"), "{error}");
    let error = Policy::from_texts("", &[("docs/LLD-1.md", "No table.\n")]).unwrap_err();
    assert!(error.to_string().contains("docs/LLD-1.md"), "{error}");
}

#[test]
fn a_verdict_is_printed_in_every_format() {
    let verdict = judge_changes(&policy(""), &[ProposedChange::add("b.rs", "b\n")]).unwrap();
    for &format in Format::ALL {
        let mut out = Vec::new();
        format.write(&verdict, &mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert!(text.contains("b.rs"), "{}: {text}", format.name());
    }
}

#[test]
fn a_design_may_move_and_keeps_its_faults() {
    let moves = |to: &str| {
        let policy = policy("[lld]\npath = \"docs/LLD-{issue}.md\"\n");
        let changes = [
            ProposedChange::delete("docs/LLD-1.md", DESIGN),
            ProposedChange::add(to, DESIGN),
        ];
        errors(&judge_changes(&policy, &changes).unwrap())
    };
    let elsewhere = "docs/done/LLD-1.md";
    assert_eq!(moves(elsewhere), []);
    let renamed = moves("docs/done/LLD-2.md");
    assert!(!renamed.is_empty());
    let faulty = format!("{DESIGN}\n**Files:**\n- `b.rs`\n");
    let policy = Policy::from_texts("", &[("docs/LLD-1.md", &faulty)]).unwrap();
    let verdict = judge_changes(&policy, &[ProposedChange::add("a.rs", "a\n")]).unwrap();
    let findings = verdict.findings.iter().map(|one| (one.rule, one.level));
    let findings: Vec<_> = findings.collect();
    assert_eq!(findings, [(Rule::DesignBadRow, Level::Warning)]);
}
