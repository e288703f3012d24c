//! Approvals signed with the real `ssh-keygen`, in ranges, pushes and CI.

use crate::common::commits::lint_pull_request;
use crate::common::signing::*;
use crate::common::{self, DESIGN, GUARD, Repo, SETTINGS};
use serde_json::{Value, json};
use write_guard_policy::approve::{Approval, NAMESPACE, TRAILER};

const EACH: &str = "--each-commit";

/// A finding about [`FILE`].
fn finding(report: &Value) -> &Value {
    let mut all = report["findings"].as_array().unwrap().iter();
    let is_loss = |finding: &&Value| finding["rule"] == "destructive-change";
    all.find(is_loss).unwrap()
}

/// A good approval of this step.
#[track_caller]
fn step(repo: &Repo, old: &str, new: &str) -> Approval {
    signed(repo, "person", approval(repo, old, new))
}

/// The replacement is on the branch, with a good approval.
fn landed() -> Option<(Repo, Approval)> {
    let repo = listed()?;
    let one = step(&repo, &old(), &new());
    land(&repo, &new(), &[&one]);
    Some((repo, one))
}

/// Begins the branch anew at main.
fn from_main(repo: &Repo) {
    repo.git(&["switch", "--quiet", "--force-create", "188-work", "main"]);
}

fn drop_last_commit(repo: &Repo) {
    repo.git(&["reset", "--quiet", "--hard", "HEAD~"]);
}

#[track_caller]
fn passes(repo: &Repo) {
    range(repo, &[]).exits(0);
    range(repo, &[EACH]).exits(0);
}

/// The replacement is refused, and the report says why the approval does not help.
#[track_caller]
fn stays(repo: &Repo, why: &str) {
    for options in [&[][..], &[EACH]] {
        let refused = range(repo, options).exits(1).says(why);
        refused.says("error[destructive-change]: src/state.py loses");
    }
}

/// The branch is refused for this.
#[track_caller]
fn refused(repo: &Repo, why: &str) {
    range(repo, &[]).exits(1).says(why);
}

fn at(path: &str, approval: Approval) -> Approval {
    let path = path.into();
    Approval { path, ..approval }
}

/// The same, also for the last commit alone.
#[track_caller]
fn stays_alone(repo: &Repo, why: &str) {
    stays(repo, why);
    let alone = unwrapped(repo, &["lint", "--commit", "188-work"]);
    alone.exits(1).says(why);
}

#[test]
fn signed_approval_counts_in_a_range_and_is_reported() {
    let Some((repo, one)) = landed() else { return };
    let commit = repo.git(&["rev-parse", "HEAD"]);
    passes(&repo);
    repo.guard(&["lint", "--commit", "188-work"]).exits(0);
    let report = repo.json(&["lint", "--range", "main..188-work"]);
    assert_eq!(report["changes"][0]["approved"], true);
    let finding = finding(&report);
    assert_eq!(finding["level"], "note");
    let said = "approved by author@example.com: agreed";
    assert!(finding["message"].as_str().unwrap().ends_with(said));
    assert_eq!(
        finding["details"]["approval"],
        json!({
            "id": one.id, "who": WHO, "when": one.when, "how": "terminal", "reason": "agreed",
            "expires": one.expires, "signed": true, "counts": true, "commit": commit,
        })
    );
    let sarif = repo.guard(&["lint", "--range", "main..188-work", "--format", "sarif"]);
    sarif.exits(0).says(said);
}

#[test]
fn forged_or_stale_approval_does_not_count_and_the_report_says_why() {
    let Some(repo) = listed() else { return };
    let good = || approval(&repo, &old(), &new());
    let edit = |change: fn(&mut Approval)| {
        let mut one = signed(&repo, "person", good());
        change(&mut one);
        one
    };
    let sign_as = |change: fn(&mut Approval)| {
        let mut one = good();
        change(&mut one);
        signed(&repo, "person", one)
    };
    let sign_text = |namespace, text: &str| Approval {
        signature: Some(signature(&repo, "person", namespace, text)),
        ..good()
    };
    let unsigned = "approved locally by author@example.com, but unsigned approvals do not count";
    let incorrect = "incorrect signature";
    let other = "the commit does not make the approved change";
    let (unlisted, foreign) = (
        "is not listed for boss@a.b",
        "signed for `git`, not for `guard`",
    );
    let malformed = "its signature is malformed";
    let expired = "it had expired when the commit was made";
    for (one, why) in [
        (good(), unsigned),
        (signed(&repo, "other", good()), "is not listed"),
        (sign_as(|one| one.who = "boss@a.b".into()), unlisted),
        (sign_text("git", &good().payload()), foreign),
        (sign_text(NAMESPACE, "guard approval 1\n"), incorrect),
        (edit(|one| one.reason = "sure".into()), incorrect),
        (edit(|one| one.id.push('2')), incorrect),
        (edit(|one| one.expires += 1), incorrect),
        (edit(|one| one.when += 1), incorrect),
        (edit(|one| one.how = "x".into()), incorrect),
        (edit(|one| one.design = None), incorrect),
        (edit(|one| one.signature = Some("AAAA".into())), malformed),
        (sign_as(|one| one.expires = one.when), expired),
        (sign_as(|one| one.new = one.old.clone()), other),
        (sign_as(|one| one.old = None), other),
    ] {
        land(&repo, &new(), &[&one]);
        stays_alone(&repo, why);
        let report = repo.json(&["lint", "--range", "main..188-work"]);
        assert_eq!(report["changes"][0]["approved"], false);
        assert_eq!(finding(&report)["details"]["approval"]["counts"], false);
        drop_last_commit(&repo);
    }
    // The same without a fault passes, so the table above proves something.
    land(&repo, &new(), &[&signed(&repo, "person", good())]);
    passes(&repo);
    // What is no approval at all is reported as well.
    from_main(&repo);
    repo.stage(FILE, new());
    repo.commit(&format!("x\n\n{TRAILER}: yes\n{TRAILER}: {{\"path\": 1}}"));
    let invalid = "invalid Guard-Approved trailer: it is not a JSON object";
    stays(&repo, invalid);
    stays(&repo, "`path` is neither a text nor a list of bytes");
}

#[test]
fn only_the_signers_of_the_merge_base_count() {
    let who = format!("{WHO} KEY");
    // The branch lists its own key.
    let Some(repo) = scene("", "") else { return };
    let person = std::fs::read_to_string(key(&repo, "person") + ".pub").unwrap();
    repo.stage(SIGNERS, who.replace("KEY", &person));
    repo.commit("List myself");
    land(&repo, &new(), &[&step(&repo, &old(), &new())]);
    let none = format!("the merge base lists no signers in {SIGNERS}");
    stays(&repo, &none);
    // The settings of the merge base name the list and decide whether unsigned approvals count.
    let repo = scene("[approvals]\nsigners = \"docs/signers\"\n", &who).unwrap();
    land(&repo, &new(), &[&step(&repo, &old(), &new())]);
    let anything = format!("{SETTINGS}[approvals]\naccept-unsigned = true\n");
    repo.stage("guard.toml", anything);
    repo.commit("Accept anything");
    stays(&repo, "the merge base lists no signers in docs/signers");
}

/// A key that main has removed from its list since does not count, nor an unsigned approval that main accepted once.
#[test]
fn approvals_of_a_removed_signer_no_longer_count() {
    let Some((repo, _)) = landed() else { return };
    let list = repo.git(&["show", &format!("main:{SIGNERS}")]);
    let other = std::fs::read_to_string(key(&repo, "other") + ".pub").unwrap();
    repo.on_main(SIGNERS, format!("{list}\n{WHO} {other}"));
    passes(&repo);
    repo.on_main(SIGNERS, format!("{WHO} {other}"));
    stays(&repo, "its signer is no longer listed");

    let repo = scene("[approvals]\naccept-unsigned = true\n", "").unwrap();
    land(&repo, &new(), &[&approval(&repo, &old(), &new())]);
    passes(&repo);
    repo.on_main("guard.toml", SETTINGS);
    stays(&repo, "unsigned approvals do not count here");
}

#[test]
fn signer_list_at_another_path_is_protected_too() {
    let repo = scene("[approvals]\nsigners = \"docs/signers\"\n", "");
    let Some(repo) = repo else { return };
    repo.stage("docs/signers", "# nobody\n");
    repo.commit("Begin a list");
    range(&repo, &[]).exits(0);
    // It may not change together with code.
    land(&repo, &edited(&old(), 0), &[]);
    refused(&repo, "error[policy-changed]: docs/signers");
    // An agent may not change it either.
    repo.write("content", "me ssh-ed25519 AAAA\n");
    let write = repo.guard(&["write", "docs/signers", "--content-file", "content"]);
    write.exits(1).says("docs/signers configures guard");
}

#[test]
fn an_approval_counts_once() {
    let Some((repo, one)) = landed() else { return };
    let first = repo.git(&["rev-parse", "HEAD"]);
    // Reverting needs an approval too; then a second commit carries a copy of the first approval.
    put_back(&repo, &[&step(&repo, &new(), &old())]);
    passes(&repo);
    land(&repo, &new(), &[&one]);
    let once = "; an approval counts once";
    let used = |id: &str| format!("already used in commit {}{once}", &id[..12]);
    let again = range(&repo, &[EACH]).exits(1);
    again.says("destructive-change").says(&used(&first));
    // Another approval of the same step counts.
    drop_last_commit(&repo);
    let again = Approval {
        id: "another".to_owned(),
        ..approval(&repo, &old(), &new())
    };
    land(&repo, &new(), &[&signed(&repo, "person", again)]);
    passes(&repo);
    // It does not count a second time after the first commit is in main either.
    repo.git(&["switch", "--quiet", "main"]);
    repo.git(&["merge", "--quiet", "188-work"]);
    put_back(&repo, &[]);
    from_main(&repo);
    land(&repo, &new(), &[&one]);
    stays_alone(&repo, &used(&first));
    // main makes the change with it; the branch must be rebased.
    let Some((repo, one)) = landed() else { return };
    repo.on_main("README.md", "More.\n");
    repo.git(&["switch", "--quiet", "main"]);
    let taken = land(&repo, &new(), &[&one]);
    stays(&repo, &used(&taken));
}

#[test]
fn approval_is_used_up_by_a_squash_merge_into_main() {
    let Some((repo, one)) = landed() else { return };
    let line = format!("{TRAILER}: {}", one.to_trailer_value());
    for message in [
        // As a forge and as `git merge --squash` write the message.
        format!("Change (#1)\n\n* Change\n\n{line}\n\n* More\n\nReviewed-by: X <x@y>"),
        format!("Squashed commit of the following:\n\ncommit 1\n\n    Change\n\n    {line}\n\nEnd"),
    ] {
        repo.git(&["switch", "--quiet", "main"]);
        repo.stage(FILE, new());
        repo.commit(&message);
        put_back(&repo, &[]);
        from_main(&repo);
        land(&repo, &new(), &[&one]);
        stays(&repo, "already used in commit");
        repo.git(&["branch", "--quiet", "--force", "main", "main~2"]);
    }
}

/// The clock of a committer may be wrong, so the nearest commits count whatever their dates say.
#[test]
fn approval_is_used_up_by_a_commit_that_claims_to_be_older() {
    let Some((repo, one)) = landed() else { return };
    let commit_long_ago = |content: &str, message: &str| {
        repo.stage(FILE, content);
        repo.stage("README.md", message);
        let mut git = repo.command("git");
        git.env("GIT_COMMITTER_DATE", "2020-01-01T00:00:00Z");
        common::run(git.args(["commit", "--quiet", "--message", message])).exits(0);
    };
    repo.git(&["switch", "--quiet", "main"]);
    let line = format!("{TRAILER}: {}", one.to_trailer_value());
    commit_long_ago(&new(), &format!("Change\n\n{line}\n"));
    commit_long_ago(&old(), "Put it back\n");
    from_main(&repo);
    land(&repo, &new(), &[&one]);
    stays(&repo, "already used in commit");
}

/// Each finding tells of the approvals of its own path and, for a single commit, of that commit.
#[test]
fn refused_approval_is_told_only_where_it_belongs() {
    let repo = Repo::new();
    let other = "src/other.py";
    let (whole, half) = (common::lines(1..=400), common::lines(201..=400));
    for path in [FILE, other] {
        repo.stage(path, &whole);
    }
    repo.govern(&[(FILE, "Modify", "x"), (other, "Modify", "x")]);
    land(&repo, &half, &[&approval(&repo, &whole, &half)]);
    repo.stage(other, new());
    repo.commit("Change another file");
    land(&repo, &new(), &[]);
    let lint = ["lint", "--range", "main..188-work"];
    let of_range = &[(other, false), (FILE, true)][..];
    let of_each = &[(FILE, true), (other, false), (FILE, false)];
    for (options, expected) in [(&[][..], of_range), (&[EACH], of_each)] {
        let report = repo.json(&[&lint, options].concat());
        let findings = report["findings"].as_array().unwrap().iter();
        let told: Vec<(&str, bool)> = findings
            .map(|one| {
                let is_told = one["help"].to_string().contains("approved locally by");
                assert_eq!(one["details"]["approval"].is_object(), is_told, "{one}");
                (one["path"].as_str().unwrap(), is_told)
            })
            .collect();
        assert_eq!(told, expected, "{report}");
    }
}

#[test]
fn expiry_is_judged_at_the_time_of_the_commit() {
    let Some((repo, _)) = landed() else { return };
    for (author, committer, code) in [
        ("2026-01-14T23:59:59Z", "2026-01-14T23:59:59Z", 0),
        // A rebase much later.
        ("2026-01-14T23:59:59Z", "2027-01-01T00:00:00Z", 0),
        ("2026-01-15T00:00:00Z", "2026-01-01T00:00:00Z", 1),
    ] {
        let mut git = repo.command("git");
        git.env("GIT_COMMITTER_DATE", committer);
        git.args("commit --quiet --amend --no-edit --date".split(' '));
        common::run(git.arg(author)).exits(0);
        range(&repo, &[]).exits(code);
        range(&repo, &[EACH]).exits(code);
    }
}

#[test]
fn loss_outside_the_approved_step_stays_refused() {
    let Some((repo, _)) = landed() else { return };
    // Small edits and a rebase pass.
    land(&repo, &edited(&new(), 0), &[]);
    passes(&repo);
    repo.on_main("src/main.py", "main\n");
    repo.git(&["rebase", "--quiet", "main"]);
    passes(&repo);
    drop_last_commit(&repo);
    // Half of the approved content goes, ten lines per commit: no single commit is a replacement.
    let whole = new();
    let mut kept: Vec<&str> = whole.lines().collect();
    while kept.len() > 100 {
        kept.truncate(kept.len() - 10);
        land(&repo, &(kept.join("\n") + "\n"), &[]);
    }
    // The findings per commit, all notes, do not hide that.
    stays(
        &repo,
        "the other changes: src/state.py loses 100 of 200 lines",
    );
    let report = repo.json(&["lint", "--range", "main..188-work"]);
    assert_eq!(report["changes"][0]["approved"], false);
    // With one line less it is not a replacement.
    drop_last_commit(&repo);
    passes(&repo);
    // A second approval closes the gap.
    let before = std::fs::read_to_string(repo.path(FILE)).unwrap();
    land(&repo, "gone\n", &[&step(&repo, &before, "gone\n")]);
    passes(&repo);
    // A small edit before the approved step passes.
    from_main(&repo);
    let start = edited(&old(), 0);
    land(&repo, &start, &[]);
    land(&repo, &new(), &[&step(&repo, &start, &new())]);
    passes(&repo);
    // The unapproved replacement comes first; approving a small change after it does not cover it.
    from_main(&repo);
    let gutted = "gutted\n".repeat(150);
    let trifle = format!("{gutted}more\n");
    land(&repo, &gutted, &[]);
    land(&repo, &trifle, &[&step(&repo, &gutted, &trifle)]);
    range(&repo, &[EACH]).exits(1);
    refused(&repo, "does not cover the other changes");
}

#[test]
fn a_deletion_and_a_rename_can_be_approved() {
    let Some(repo) = listed() else { return };
    let away = step(&repo, &old(), "");
    land(&repo, "", &[&away]);
    range(&repo, &[]).exits(0);
    // An approval of the file that comes then does not cover the deletion.
    let one = step(&repo, "", &new());
    land(&repo, &new(), &[&one]);
    passes(&repo);
    from_main(&repo);
    land(&repo, "", &[]);
    land(&repo, &new(), &[&one]);
    stays(&repo, "the other changes: src/state.py is deleted");
    // Nine tenths are equal, so this is a rename; no row grants the new name.
    from_main(&repo);
    repo.git(&["mv", FILE, "src/moved.py"]);
    repo.stage("src/moved.py", edited(&old(), 0));
    let moved = at("src/moved.py", approval(&repo, "", &edited(&old(), 0)));
    let moved = signed(&repo, "person", moved);
    commit(&repo, &[&moved]);
    range(&repo, &[]).exits(1);
    repo.git(&["reset", "--quiet", "--soft", "main"]);
    commit(&repo, &[&moved, &away]);
    passes(&repo);
}

#[test]
fn replacement_during_a_rename_can_be_approved() {
    let Some(repo) = listed() else { return };
    repo.git(&["switch", "--quiet", "main"]);
    let row = ("src/state.py` -> `src/moved.py", "Rename", "the state");
    repo.design(DESIGN, &[row]);
    repo.commit("Rename it");
    let one = at("src/moved.py", approval(&repo, "", &new()));
    let one = signed(&repo, "person", one);
    let away = |old: &str| step(&repo, old, "");
    let rename = |old: &str, approvals: &[&Approval]| {
        from_main(&repo);
        repo.stage(FILE, old);
        repo.git(&["commit", "--quiet", "--allow-empty", "-m", "Before"]);
        repo.git(&["mv", FILE, "src/moved.py"]);
        repo.stage("src/moved.py", new());
        commit(&repo, approvals);
    };
    rename(&old(), &[&one, &away(&old())]);
    range(&repo, &[]).exits(0);
    unwrapped(&repo, &["lint", "--commit", "188-work"]).exits(0);
    // The loss before the rename is not approved.
    rename("gutted\n", &[&one, &away("gutted\n")]);
    refused(&repo, "does not cover the other changes");
    // An approval of a new file covers no loss of the old one.
    rename(&edited(&old(), 0), &[&one]);
    for mode in MODES {
        let refused = unwrapped(&repo, mode).exits(1);
        refused.says("whose deletion needs approval, too");
    }
}

/// The ways to judge the last commit of the branch.
const MODES: [&[&str]; 3] = [
    &["lint", "--range", "main..188-work"],
    &["lint", "--range", "main..188-work", EACH],
    &["lint", "--commit", "188-work"],
];

#[test]
fn errors_other_than_loss_need_approval_of_the_whole_step() {
    let protect = "[scope]\nprotect = [\"src/state.py\"]\n";
    let repo = scene(protect, &format!("{WHO} KEY"));
    let Some(repo) = repo else { return };
    let small = edited(&old(), 0);
    land(&repo, &small, &[]);
    refused(&repo, "protected-path");
    drop_last_commit(&repo);
    land(&repo, &small, &[&step(&repo, &old(), &small)]);
    passes(&repo);
    // Without an approval, not even a small further change of a protected file passes.
    let more = edited(&small, 20);
    land(&repo, &more, &[]);
    for part in [
        "protected-path",
        "in commit",
        "does not cover the other changes\n",
    ] {
        refused(&repo, part);
    }
    drop_last_commit(&repo);
    land(&repo, &more, &[&step(&repo, &small, &more)]);
    passes(&repo);
}

#[test]
fn several_approvals_and_approvals_in_merges_count() {
    let Some((repo, _)) = landed() else { return };
    // The approval is on the branch; then main is merged into it.
    repo.on_main("src/main.py", "main\n");
    repo.git(&["merge", "--quiet", "--no-edit", "main"]);
    passes(&repo);
    // Two branches make the same step, each with its own approval: both count.
    repo.git(&["switch", "--quiet", "--create", "side", "main"]);
    let two = Approval {
        id: "two".to_owned(),
        ..approval(&repo, &old(), &new())
    };
    land(&repo, &new(), &[&signed(&repo, "person", two)]);
    repo.git(&["switch", "--quiet", "188-work"]);
    repo.git(&["merge", "--quiet", "--no-edit", "side"]);
    passes(&repo);
    // A replacement made in a merge commit needs an approval in that commit.
    repo.git(&["switch", "--quiet", "--create", "third", "main"]);
    repo.stage("docs/more.md", "more\n");
    repo.commit("More");
    repo.git(&["switch", "--quiet", "188-work"]);
    let three = step(&repo, &new(), "gutted\n");
    for (approvals, code) in [(&[&three][..], 0), (&[], 1)] {
        repo.git(&["merge", "--quiet", "--no-commit", "--no-ff", "third"]);
        repo.git(&["rm", "--quiet", "-f", "docs/more.md"]);
        repo.stage(FILE, "gutted\n");
        commit(&repo, approvals);
        range(&repo, &[]).exits(code);
        drop_last_commit(&repo);
    }
}

/// One commit makes the approved step at two paths, and the approval names one of them.
#[test]
fn signed_approval_counts_only_at_its_path_and_without_the_executable_bit() {
    let Some((repo, _)) = landed() else { return };
    repo.git(&["update-index", "--chmod=+x", FILE]);
    repo.git(&["commit", "--quiet", "--amend", "--no-edit"]);
    stays(&repo, "the commit does not make the approved change");

    repo.git(&["switch", "--quiet", "--force", "main"]);
    repo.stage("src/twin.py", old());
    let rows = [(FILE, "Modify", ""), ("src/twin.py", "Modify", "")];
    repo.design(DESIGN, &rows);
    repo.commit("Have a twin");
    from_main(&repo);
    let one = at("src/twin.py", approval(&repo, &old(), &new()));
    repo.stage("src/twin.py", new());
    land(&repo, &new(), &[&signed(&repo, "person", one)]);
    for mode in MODES {
        let loss = "error[destructive-change]: src/";
        let refused = unwrapped(&repo, mode).exits(1);
        let text = refused
            .says(&format!("{loss}state.py loses 200 of 200 lines"))
            .text();
        assert!(!text.contains(&format!("{loss}twin.py")));
        assert!(!text.contains("the approval by"));
    }
}

#[test]
fn signed_approval_never_clears_unsafe_path_or_outside_workspace() {
    for (path, mode, kind, content, rule) in [
        (
            "src/link",
            0o120_000,
            "120000 ",
            "../../outside",
            "outside-workspace",
        ),
        ("src/a\u{202e}b.py", 0o100_644, "", "x\n", "unsafe-path"),
    ] {
        let Some(repo) = listed() else { return };
        let blob = repo.blob(content.as_bytes());
        let mut one = at(path, approval(&repo, "", "x"));
        one.new = Some(format!("{kind}{blob}"));
        repo.stage_raw(&[(mode, blob, path.as_bytes())]);
        commit(&repo, &[&signed(&repo, "person", one)]);
        for mode in &MODES[..2] {
            let report = repo.json(mode);
            let all = report["findings"].as_array().unwrap().iter();
            let level = |one: &Value| (one["rule"].clone(), one["level"].clone());
            let found: Vec<_> = all.map(level).collect();
            // The approval is good: it clears the missing row.
            let cleared = ("out-of-scope".into(), "note".into());
            assert!(found.contains(&cleared), "{report}");
            assert!(found.contains(&(rule.into(), "error".into())), "{report}");
        }
    }
}

#[test]
fn ci_and_pushes_count_only_signed_approvals() {
    let Some((repo, good)) = landed() else { return };
    let unsigned = approval(&repo, &old(), &new());
    for (one, code) in [(&good, 0), (&unsigned, 1)] {
        from_main(&repo);
        land(&repo, &new(), &[one]);
        land(&repo, &edited(&new(), 0), &[]);
        let [base, head] = ["main", "188-work"].map(|name| repo.git(&["rev-parse", name]));
        repo.git(&["switch", "--quiet", "--detach", "main"]);
        repo.git(&["merge", "--quiet", "--no-ff", "--no-edit", "188-work"]);
        lint_pull_request(&repo, &base, &head).exits(code);
    }
    // The push hooks, local and on the server.
    for hook in ["pre-push", "update", "pre-receive"] {
        let Some((repo, good)) = landed() else { return };
        repo.push_to_server();
        match hook {
            "pre-push" => repo.install_hook(hook),
            _ => repo.install_server_hook(hook),
        }
        let push = ["push", "--quiet", "origin", "188-work"];
        from_main(&repo);
        land(&repo, &new(), &[&unsigned]);
        let mut git = repo.command("git");
        let refused = common::run(git.env("COLUMNS", "1000").args(push));
        assert_ne!(refused.code, 0, "{hook}");
        refused.says("unsigned approvals do not count here");
        from_main(&repo);
        land(&repo, &new(), &[&good]);
        repo.try_git(&push).exits(0);
    }
}

#[test]
fn without_ssh_keygen_a_signature_is_an_error_and_never_counts() {
    let Some((repo, _)) = landed() else { return };
    let without = |mode: &[&str]| {
        let mut guard = repo.command(GUARD);
        guard.env("PATH", repo.path("../keys"));
        common::run(guard.env("COLUMNS", "1000").args(mode))
    };
    passes(&repo);
    for mode in &MODES[..2] {
        without(mode)
            .exits(2)
            .says("cannot verify the signature of an approval: ssh-keygen is not on PATH")
            .says("install the OpenSSH client");
    }
    from_main(&repo);
    land(&repo, &new(), &[&approval(&repo, &old(), &new())]);
    without(MODES[0])
        .exits(1)
        .says("unsigned approvals do not count here");
}

/// A later commit takes the approved change back, exactly or nearly, so the approval has ended.
#[test]
fn approval_ends_when_a_later_commit_takes_its_change_back() {
    for back in [old(), edited(&old(), 50)] {
        let Some((repo, _)) = landed() else { return };
        passes(&repo);
        let taken_back = land(&repo, &back, &[]);
        range(&repo, &[]).exits(0);
        land(&repo, &new(), &[]);
        let why = format!("commit {} took the approved change back", &taken_back[..12]);
        refused(&repo, &why);
        drop_last_commit(&repo);
        let again = step(&repo, &back, &new());
        let id = "another".to_owned();
        land(
            &repo,
            &new(),
            &[&signed(&repo, "person", Approval { id, ..again })],
        );
        range(&repo, &[]).exits(0);
    }
}
