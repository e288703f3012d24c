//! Approvals signed with the real `ssh-keygen`, in ranges, pushes and CI.

#![allow(clippy::unwrap_used)]

use crate::common::commits::lint_pull_request;
use crate::common::signing::*;
use crate::common::{self, DESIGN, GUARD, Output, Repo, SETTINGS};
use serde_json::{Value, json};
use write_guard::approve::{Approval, NAMESPACE, TRAILER};

/// A finding about [`FILE`].
fn finding(report: &Value) -> &Value {
    let all = report["findings"].as_array().unwrap();
    all.iter()
        .find(|finding| finding["rule"] == "destructive-change")
        .unwrap()
}

#[track_caller]
fn passes(repo: &Repo) {
    range(repo, &[]).exits(0);
    range(repo, &["--each-commit"]).exits(0);
}

/// The replacement is refused, and the report says why the approval does not help.
#[track_caller]
fn stays(repo: &Repo, options: &[&str], why: &str) -> Output {
    range(repo, options)
        .exits(1)
        .says("error[destructive-change]: src/state.py loses")
        .says(why)
}

#[test]
fn signed_approval_counts_in_a_range_and_is_reported() {
    let Some(repo) = listed() else { return };
    let one = signed(&repo, "person", approval(&repo, &old(), &new()));
    let commit = land(&repo, &new(), &[&one]);
    passes(&repo);
    repo.guard(&["lint", "--commit", "188-work"]).exits(0);
    let report = repo.json(&["lint", "--range", "main..188-work"]);
    assert_eq!(report["changes"][0]["approved"], true);
    let finding = finding(&report);
    assert_eq!(finding["level"], "note");
    let message = finding["message"].as_str().unwrap();
    assert!(
        message.ends_with("approved by author@example.com: agreed"),
        "{message}"
    );
    assert_eq!(
        finding["details"]["approval"],
        json!({
            "id": one.id, "who": WHO, "when": one.when, "how": "terminal", "reason": "agreed",
            "expires": one.expires, "signed": true, "counts": true, "commit": commit,
        })
    );
    let sarif = repo.guard(&["lint", "--range", "main..188-work", "--format", "sarif"]);
    sarif
        .exits(0)
        .says("approved by author@example.com: agreed");
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
    let git_namespace = Approval {
        signature: Some(signature(&repo, "person", "git", &good().payload())),
        ..good()
    };
    let raw_text = Approval {
        signature: Some(signature(&repo, "person", NAMESPACE, "guard approval 1\n")),
        ..good()
    };
    for (one, why) in [
        (
            good(),
            "approved locally by author@example.com, but unsigned approvals do not count here",
        ),
        (signed(&repo, "other", good()), "is not listed"),
        (
            sign_as(|one| one.who = "boss@example.com".into()),
            "is not listed for boss@example.com",
        ),
        (git_namespace, "it was signed for `git`, not for `guard`"),
        (raw_text, "incorrect signature"),
        (
            edit(|one| one.reason = "sure".into()),
            "incorrect signature",
        ),
        (edit(|one| one.id.push('2')), "incorrect signature"),
        (edit(|one| one.expires += 1), "incorrect signature"),
        (edit(|one| one.when += 1), "incorrect signature"),
        (edit(|one| one.how = "x".into()), "incorrect signature"),
        (edit(|one| one.design = None), "incorrect signature"),
        (
            edit(|one| one.signature = Some("AAAA".into())),
            "its signature is malformed",
        ),
        (
            sign_as(|one| one.expires = one.when),
            "it had expired when the commit was made",
        ),
        (
            sign_as(|one| one.new = one.old.clone()),
            "the commit does not make the approved change",
        ),
        (
            sign_as(|one| one.old = None),
            "the commit does not make the approved change",
        ),
    ] {
        land(&repo, &new(), &[&one]);
        stays(&repo, &[], why);
        stays(&repo, &["--each-commit"], why);
        unwrapped(&repo, &["lint", "--commit", "188-work"])
            .exits(1)
            .says(why);
        let report = repo.json(&["lint", "--range", "main..188-work"]);
        assert_eq!(report["changes"][0]["approved"], false);
        assert_eq!(finding(&report)["details"]["approval"]["counts"], false);
        repo.git(&["reset", "--quiet", "--hard", "HEAD~"]);
    }
    // The same without a fault passes, so the table above proves something.
    land(&repo, &new(), &[&signed(&repo, "person", good())]);
    passes(&repo);
}

#[test]
fn only_the_signers_of_the_merge_base_count() {
    let who = format!("{WHO} KEY");
    // The branch lists its own key.
    let Some(repo) = scene("", "") else { return };
    let person = std::fs::read_to_string(key(&repo, "person") + ".pub").unwrap();
    repo.stage(SIGNERS, who.replace("KEY", &person));
    repo.commit("List myself");
    let one = signed(&repo, "person", approval(&repo, &old(), &new()));
    land(&repo, &new(), &[&one]);
    stays(
        &repo,
        &[],
        "the merge base lists no signers in .guard/allowed_signers",
    );
    // The settings of the merge base name the list and decide whether unsigned approvals count.
    let elsewhere = "[approvals]\nsigners = \"docs/signers\"\n";
    let Some(repo) = scene(elsewhere, &who) else {
        return;
    };
    let one = signed(&repo, "person", approval(&repo, &old(), &new()));
    land(&repo, &new(), &[&one]);
    repo.stage(
        "guard.toml",
        format!("{SETTINGS}[approvals]\naccept-unsigned = true\n"),
    );
    repo.commit("Accept anything");
    stays(
        &repo,
        &[],
        "the merge base lists no signers in docs/signers",
    );
}

/// A key that main has removed from its list since, or listed only for a while, does not count.
#[test]
fn approvals_of_a_removed_signer_no_longer_count() {
    let Some(repo) = listed() else { return };
    let one = signed(&repo, "person", approval(&repo, &old(), &new()));
    land(&repo, &new(), &[&one]);
    let on_main = |file: &str, text: &str| {
        repo.git(&["switch", "--quiet", "main"]);
        repo.stage(file, text);
        repo.commit("Change who may approve");
        repo.git(&["switch", "--quiet", "188-work"]);
    };
    let list = repo.git(&["show", &format!("main:{SIGNERS}")]);
    let other = std::fs::read_to_string(key(&repo, "other") + ".pub").unwrap();
    on_main(SIGNERS, &format!("{list}\n{WHO} {other}"));
    passes(&repo);
    on_main(SIGNERS, &format!("{WHO} {other}"));
    stays(&repo, &[], "its signer is no longer listed");
    stays(&repo, &["--each-commit"], "its signer is no longer listed");

    let Some(repo) = scene("[approvals]\naccept-unsigned = true\n", "") else {
        return;
    };
    land(&repo, &new(), &[&approval(&repo, &old(), &new())]);
    passes(&repo);
    repo.git(&["switch", "--quiet", "main"]);
    repo.stage("guard.toml", SETTINGS);
    repo.commit("Want signatures");
    repo.git(&["switch", "--quiet", "188-work"]);
    stays(&repo, &[], "unsigned approvals do not count here");
}

#[test]
fn signer_list_at_another_path_is_protected_too() {
    let elsewhere = "[approvals]\nsigners = \"docs/signers\"\n";
    let Some(repo) = scene(elsewhere, "") else {
        return;
    };
    repo.stage("docs/signers", "# nobody\n");
    repo.commit("Begin a list");
    range(&repo, &[]).exits(0);
    // It may not change together with code.
    land(&repo, &edited(&old(), 0), &[]);
    range(&repo, &[])
        .exits(1)
        .says("error[policy-changed]: docs/signers");
    // An agent may not change it either.
    repo.write("content", "me ssh-ed25519 AAAA\n");
    repo.guard(&["write", "docs/signers", "--content-file", "content"])
        .exits(1)
        .says("docs/signers configures guard");
}

#[test]
fn invalid_approval_trailer_is_reported() {
    let Some(repo) = listed() else { return };
    repo.stage(FILE, new());
    let bad = format!(
        "Change\n\n{TRAILER}: yes\n{TRAILER}: {{\"path\": \"a\"}}\n{TRAILER}: 1\n{TRAILER}: 2"
    );
    repo.commit(&bad);
    stays(
        &repo,
        &[],
        "invalid Guard-Approved trailer: it is not a JSON object",
    )
    .says("`id` is missing");
}

#[test]
fn an_approval_counts_once() {
    let Some(repo) = listed() else { return };
    let one = signed(&repo, "person", approval(&repo, &old(), &new()));
    let first = land(&repo, &new(), &[&one]);
    passes(&repo);
    // Reverting needs an approval too; then a second commit carries a copy of the first approval.
    let back = signed(&repo, "person", approval(&repo, &new(), &old()));
    put_back(&repo, &[&back]);
    passes(&repo);
    land(&repo, &new(), &[&one]);
    let why = format!(
        "already used in commit {}; an approval counts once",
        &first[..12]
    );
    range(&repo, &["--each-commit"])
        .exits(1)
        .says("destructive-change")
        .says(&why);
    // Another approval of the same step counts.
    repo.git(&["reset", "--quiet", "--hard", "HEAD~"]);
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
    repo.git(&["branch", "--quiet", "--force", "188-work", "main"]);
    repo.git(&["switch", "--quiet", "188-work"]);
    land(&repo, &new(), &[&one]);
    stays(&repo, &[], &why);
    stays(&repo, &["--each-commit"], &why);
    unwrapped(&repo, &["lint", "--commit", "188-work"])
        .exits(1)
        .says(&why);
}

#[test]
fn approval_is_used_up_by_a_squash_merge_into_main() {
    let Some(repo) = listed() else { return };
    let one = signed(&repo, "person", approval(&repo, &old(), &new()));
    land(&repo, &new(), &[&one]);
    land(&repo, &edited(&new(), 0), &[]);
    repo.git(&["switch", "--quiet", "main"]);
    let line = format!("{TRAILER}: {}", one.to_trailer_value());
    for message in [
        // As a forge and as `git merge --squash` write the message.
        format!("Change (#1)\n\n* Change\n\n{line}\n\n* More\n\nReviewed-by: X <x@y>"),
        format!("Squashed commit of the following:\n\ncommit 1\n\n    Change\n\n    {line}\n\nEnd"),
    ] {
        repo.stage(FILE, new());
        repo.commit(&message);
        put_back(&repo, &[]);
        repo.git(&["branch", "--quiet", "--force", "188-work", "main"]);
        repo.git(&["switch", "--quiet", "188-work"]);
        land(&repo, &new(), &[&one]);
        stays(&repo, &[], "already used in commit");
        stays(&repo, &["--each-commit"], "already used in commit");
        repo.git(&["switch", "--quiet", "main"]);
        repo.git(&["reset", "--quiet", "--hard", "HEAD~2"]);
    }
}

#[test]
fn older_branch_does_not_restore_a_removed_signer() {
    let Some(repo) = listed() else { return };
    let one = signed(&repo, "person", approval(&repo, &old(), &new()));
    land(&repo, &new(), &[&one]);
    // main already has the change; the branch still has its own commit.
    repo.git(&["switch", "--quiet", "main"]);
    repo.stage("README.md", "More.\n");
    repo.commit("Go on");
    let taken = land(&repo, &new(), &[&one]);
    passes(&repo);
    land(&repo, &old(), &[]);
    let why = format!(
        "already used in commit {}; an approval counts once",
        &taken[..12]
    );
    stays(&repo, &[], &why);
    stays(&repo, &["--each-commit"], &why);
}

#[test]
fn expiry_is_judged_at_the_time_of_the_commit() {
    let Some(repo) = listed() else { return };
    let one = signed(&repo, "person", approval(&repo, &old(), &new()));
    repo.stage(FILE, new());
    let message = format!("Change\n\n{TRAILER}: {}", one.to_trailer_value());
    for (author, committer, code) in [
        ("2026-01-14T23:59:59Z", "2026-01-14T23:59:59Z", 0),
        // A rebase much later.
        ("2026-01-14T23:59:59Z", "2027-01-01T00:00:00Z", 0),
        ("2026-01-15T00:00:00Z", "2026-01-01T00:00:00Z", 1),
    ] {
        let mut git = repo.command("git");
        git.env("GIT_AUTHOR_DATE", author)
            .env("GIT_COMMITTER_DATE", committer)
            .args(["commit", "--quiet", "-m", &message]);
        common::run(&mut git).exits(0);
        range(&repo, &[]).exits(code);
        range(&repo, &["--each-commit"]).exits(code);
        repo.git(&["reset", "--quiet", "--soft", "HEAD~"]);
    }
}

#[test]
fn small_edits_and_a_rebase_after_a_signed_approval_pass() {
    let Some(repo) = listed() else { return };
    let one = signed(&repo, "person", approval(&repo, &old(), &new()));
    land(&repo, &new(), &[&one]);
    let first = edited(&new(), 0);
    land(&repo, &first, &[]);
    land(&repo, &edited(&first, 50), &[]);
    passes(&repo);
    let before = repo.git(&["rev-parse", "HEAD"]);
    repo.git(&["switch", "--quiet", "main"]);
    repo.stage("src/main.py", "main\n");
    repo.commit("Meanwhile");
    repo.git(&["switch", "--quiet", "188-work"]);
    repo.git(&["rebase", "--quiet", "main"]);
    assert_ne!(repo.git(&["rev-parse", "HEAD"]), before);
    passes(&repo);
}

#[test]
fn loss_outside_the_approved_step_stays_refused() {
    let Some(repo) = listed() else { return };
    let one = signed(&repo, "person", approval(&repo, &old(), &new()));
    land(&repo, &new(), &[&one]);
    // Half of the approved content goes, ten lines per commit: no single commit is a replacement.
    let whole = new();
    let mut kept: Vec<&str> = whole.lines().collect();
    while kept.len() > 100 {
        kept.truncate(kept.len() - 10);
        land(&repo, &(kept.join("\n") + "\n"), &[]);
    }
    let why = "does not cover the other changes: src/state.py loses 100 of 200 lines";
    stays(&repo, &[], why);
    // The findings per commit, all notes, do not hide that.
    stays(&repo, &["--each-commit"], why);
    let report = repo.json(&["lint", "--range", "main..188-work"]);
    assert_eq!(report["changes"][0]["approved"], false);
    // With one line less it is not a replacement.
    repo.git(&["reset", "--quiet", "--hard", "HEAD~"]);
    passes(&repo);
    // A second approval closes the gap.
    let before = std::fs::read_to_string(repo.path(FILE)).unwrap();
    let two = signed(&repo, "person", approval(&repo, &before, "gone\n"));
    land(&repo, "gone\n", &[&two]);
    passes(&repo);
}

#[test]
fn loss_before_the_approved_step_stays_refused() {
    let Some(repo) = listed() else { return };
    let start = edited(&old(), 0);
    land(&repo, &start, &[]);
    let one = signed(&repo, "person", approval(&repo, &start, &new()));
    land(&repo, &new(), &[&one]);
    passes(&repo);
    repo.git(&["reset", "--quiet", "--hard", "main"]);
    // The unapproved replacement comes first; approving a small change after it does not cover it.
    let gutted = "gutted\n".repeat(150);
    let trifle = format!("{gutted}more\n");
    land(&repo, &gutted, &[]);
    let one = signed(&repo, "person", approval(&repo, &gutted, &trifle));
    land(&repo, &trifle, &[&one]);
    stays(&repo, &[], "does not cover the other changes");
    let report = repo.json(&["lint", "--range", "main..188-work", "--each-commit"]);
    assert_eq!(report["verdict"], "refused");
}

#[test]
fn a_deletion_and_a_rename_can_be_approved() {
    let Some(repo) = listed() else { return };
    let one = signed(&repo, "person", approval(&repo, &old(), ""));
    land(&repo, "", &[&one]);
    range(&repo, &[]).exits(0);
    repo.git(&["reset", "--quiet", "--hard", "main"]);
    // Nine tenths are equal, so this is a rename; no row grants the new name.
    repo.git(&["mv", FILE, "src/moved.py"]);
    repo.stage("src/moved.py", edited(&old(), 0));
    let moved = Approval {
        path: "src/moved.py".into(),
        id: "moved".to_owned(),
        ..approval(&repo, "", &edited(&old(), 0))
    };
    let away = approval(&repo, &old(), "");
    let signed = [moved, away].map(|one| signed(&repo, "person", one));
    commit(&repo, &[&signed[0]]);
    range(&repo, &[]).exits(1);
    repo.git(&["reset", "--quiet", "--soft", "main"]);
    commit(&repo, &[&signed[0], &signed[1]]);
    passes(&repo);
}

#[test]
fn replacement_during_a_rename_can_be_approved() {
    let Some(repo) = listed() else { return };
    repo.git(&["switch", "--quiet", "main"]);
    repo.design(
        DESIGN,
        &[("src/state.py` -> `src/moved.py", "Rename", "the state")],
    );
    repo.commit("Rename it");
    repo.git(&["branch", "--quiet", "--force", "188-work", "main"]);
    repo.git(&["switch", "--quiet", "188-work"]);
    let moved = |old: &str, new: &str, approvals: &[&Approval]| {
        repo.stage(FILE, old);
        repo.git(&["commit", "--quiet", "--allow-empty", "-m", "Before"]);
        repo.git(&["mv", FILE, "src/moved.py"]);
        repo.stage("src/moved.py", new);
        commit(&repo, approvals);
    };
    let one = Approval {
        path: "src/moved.py".into(),
        ..approval(&repo, "", &new())
    };
    let one = signed(&repo, "person", one);
    let away = |old: &str| signed(&repo, "person", approval(&repo, old, ""));
    moved(&old(), &new(), &[&one, &away(&old())]);
    range(&repo, &[]).exits(0);
    unwrapped(&repo, &["lint", "--commit", "188-work"]).exits(0);
    // The loss before the rename is not approved.
    repo.git(&["reset", "--quiet", "--hard", "main"]);
    moved("gutted\n", &new(), &[&one, &away("gutted\n")]);
    range(&repo, &[])
        .exits(1)
        .says("does not cover the other changes");
    // An approval of a new file covers no loss of the old one.
    let both = "whose deletion needs approval, too";
    repo.git(&["reset", "--quiet", "--hard", "main"]);
    moved(&edited(&old(), 0), &new(), &[&one]);
    range(&repo, &[]).exits(1).says(both);
    range(&repo, &["--each-commit"]).exits(1).says(both);
    unwrapped(&repo, &["lint", "--commit", "188-work"])
        .exits(1)
        .says(both);
}

#[test]
fn approval_of_a_new_file_does_not_cover_deleting_the_previous_one() {
    let Some(repo) = listed() else { return };
    let one = signed(&repo, "person", approval(&repo, "", &new()));
    // The row permits modifying the file, so removing it breaks another rule than the loss.
    land(&repo, "", &[]);
    land(&repo, &new(), &[&one]);
    stays(
        &repo,
        &[],
        "does not cover the other changes: src/state.py is deleted",
    );
    // With both steps approved, it passes.
    repo.git(&["reset", "--quiet", "--hard", "main"]);
    let away = signed(&repo, "person", approval(&repo, &old(), ""));
    land(&repo, "", &[&away]);
    land(&repo, &new(), &[&one]);
    passes(&repo);
}

#[test]
fn errors_other_than_loss_need_approval_of_the_whole_step() {
    let protect = "[scope]\nprotect = [\"src/state.py\"]\n";
    let Some(repo) = scene(protect, &format!("{WHO} KEY")) else {
        return;
    };
    let small = edited(&old(), 0);
    let one = signed(&repo, "person", approval(&repo, &old(), &small));
    land(&repo, &small, &[]);
    range(&repo, &[]).exits(1).says("protected-path");
    repo.git(&["reset", "--quiet", "--hard", "main"]);
    land(&repo, &small, &[&one]);
    passes(&repo);
    // Without an approval, not even a small further change of a protected file passes.
    let more = edited(&small, 20);
    land(&repo, &more, &[]);
    range(&repo, &[])
        .exits(1)
        .says("protected-path")
        .says("in commit")
        .says("does not cover the other changes\n");
    let two = signed(&repo, "person", approval(&repo, &small, &more));
    repo.git(&["reset", "--quiet", "--hard", "HEAD~"]);
    land(&repo, &more, &[&two]);
    passes(&repo);
}

#[test]
fn several_approvals_and_approvals_in_merges_count() {
    let Some(repo) = listed() else { return };
    // The approval is on the branch; then main is merged into it.
    let one = signed(&repo, "person", approval(&repo, &old(), &new()));
    land(&repo, &new(), &[&one]);
    repo.git(&["switch", "--quiet", "main"]);
    repo.stage("src/main.py", "main\n");
    repo.commit("Meanwhile");
    repo.git(&["switch", "--quiet", "188-work"]);
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
    let three = signed(&repo, "person", approval(&repo, &new(), "gutted\n"));
    for (approvals, code) in [(&[&three][..], 0), (&[], 1)] {
        repo.git(&["merge", "--quiet", "--no-commit", "--no-ff", "third"]);
        repo.git(&["rm", "--quiet", "-f", "docs/more.md"]);
        repo.stage(FILE, "gutted\n");
        commit(&repo, approvals);
        range(&repo, &[]).exits(code);
        repo.git(&["reset", "--quiet", "--hard", "HEAD~"]);
    }
}

/// One commit makes the approved step at two paths, and the approval names one of them.
#[test]
fn signed_approval_counts_only_at_its_path() {
    let Some(repo) = listed() else { return };
    repo.git(&["switch", "--quiet", "main"]);
    repo.stage("src/twin.py", old());
    let rows = [(FILE, "Modify", ""), ("src/twin.py", "Modify", "")];
    repo.design(DESIGN, &rows);
    repo.commit("Have a twin");
    repo.git(&["branch", "--quiet", "--force", "188-work", "main"]);
    repo.git(&["switch", "--quiet", "188-work"]);
    let one = Approval {
        path: "src/twin.py".into(),
        ..approval(&repo, &old(), &new())
    };
    repo.stage("src/twin.py", new());
    land(&repo, &new(), &[&signed(&repo, "person", one)]);
    for mode in [
        &["lint", "--range", "main..188-work"][..],
        &["lint", "--range", "main..188-work", "--each-commit"],
        &["lint", "--commit", "188-work"],
    ] {
        let refused = unwrapped(&repo, mode)
            .exits(1)
            .says("error[destructive-change]: src/state.py loses 200 of 200 lines")
            .text();
        assert!(!refused.contains("error[destructive-change]: src/twin.py"));
        assert!(!refused.contains("the approval by"));
    }
}

#[test]
fn signed_approval_covers_one_executable_bit() {
    let Some(repo) = listed() else { return };
    repo.stage(FILE, new());
    repo.git(&["update-index", "--chmod=+x", FILE]);
    let one = approval(&repo, &old(), &new());
    commit(&repo, &[&signed(&repo, "person", one)]);
    for options in [&[][..], &["--each-commit"]] {
        stays(
            &repo,
            options,
            "the commit does not make the approved change",
        );
    }
}

#[test]
fn signed_approval_never_clears_unsafe_path_or_outside_workspace() {
    for (path, mode, content, rule) in [
        ("src/link", 0o120_000, "../../outside", "outside-workspace"),
        ("src/a\u{202e}b.py", 0o100_644, "x\n", "unsafe-path"),
    ] {
        let Some(repo) = listed() else { return };
        let blob = repo.blob(content.as_bytes());
        let new = match mode {
            0o120_000 => format!("120000 {blob}"),
            _ => blob.to_string(),
        };
        let one = Approval {
            path: path.into(),
            new: Some(new),
            ..approval(&repo, "", "x")
        };
        repo.stage_raw(&[(mode, blob, path.as_bytes())]);
        commit(&repo, &[&signed(&repo, "person", one)]);
        for options in [&[][..], &["--each-commit"]] {
            let lint = [&["lint", "--range", "main..188-work"], options].concat();
            let report = repo.json(&lint);
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
fn ci_counts_signed_approvals() {
    let Some(repo) = listed() else { return };
    let unsigned = approval(&repo, &old(), &new());
    let good = signed(&repo, "person", unsigned.clone());
    for (one, code) in [(good, 0), (unsigned, 1)] {
        repo.git(&["switch", "--quiet", "188-work"]);
        repo.git(&["reset", "--quiet", "--hard", "main"]);
        land(&repo, &new(), &[&one]);
        land(&repo, &edited(&new(), 0), &[]);
        let [base, head] = ["main", "188-work"].map(|name| repo.git(&["rev-parse", name]));
        repo.git(&["switch", "--quiet", "--detach", "main"]);
        repo.git(&["merge", "--quiet", "--no-ff", "--no-edit", "188-work"]);
        lint_pull_request(&repo, &base, &head).exits(code);
    }
}

/// The push hooks, local and on the server, count only signed approvals.
#[test]
fn a_push_counts_signed_approvals() {
    for hook in ["pre-push", "update", "pre-receive"] {
        let Some(repo) = listed() else { return };
        repo.push_to_server();
        if hook == "pre-push" {
            repo.install_hook(hook);
        } else {
            repo.install_server_hook(hook);
        }
        let one = approval(&repo, &old(), &new());
        land(&repo, &new(), &[&one]);
        let push = ["push", "--quiet", "origin", "188-work"];
        let mut git = repo.command("git");
        let refused = common::run(git.env("COLUMNS", "1000").args(push));
        assert_ne!(refused.code, 0, "{hook}");
        refused.says("unsigned approvals do not count here");
        repo.git(&["reset", "--quiet", "--hard", "main"]);
        land(&repo, &new(), &[&signed(&repo, "person", one)]);
        repo.try_git(&push).exits(0);
    }
}

#[test]
fn without_ssh_keygen_a_signature_is_an_error_and_never_counts() {
    let Some(repo) = listed() else { return };
    let one = approval(&repo, &old(), &new());
    let without = |options: &[&str]| {
        let mut guard = repo.command(GUARD);
        guard
            .args(["lint", "--range", "main..188-work"])
            .args(options);
        common::run(
            guard
                .env("PATH", repo.path("../keys"))
                .env("COLUMNS", "1000"),
        )
    };
    land(&repo, &new(), &[&one]);
    without(&[])
        .exits(1)
        .says("unsigned approvals do not count here");
    repo.git(&["reset", "--quiet", "--hard", "main"]);
    land(&repo, &new(), &[&signed(&repo, "person", one)]);
    passes(&repo);
    for options in [&[][..], &["--each-commit"]] {
        without(options)
            .exits(2)
            .says("cannot verify the signature of an approval: ssh-keygen is not on PATH")
            .says("install the OpenSSH client");
    }
}
