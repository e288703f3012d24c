//! Which step of a range an approval is for, and what is lost besides it.

use super::*;

#[test]
fn small_edits_and_a_rebase_after_a_signed_approval_pass() {
    for is_signed in [true, false] {
        let Some(repo) = listed() else { return };
        let mut one = approval(&repo, &old(), &new());
        if is_signed {
            one = signed(&repo, "person", one);
        }
        land(&repo, &new(), &[&one]);
        let first = edited(&new(), 0);
        let second = edited(&first, 50);
        land(&repo, &first, &[]);
        land(&repo, &second, &[]);
        let verdict = |repo: &Repo| {
            if is_signed {
                passes(repo);
            } else {
                stays(repo, &[], "unsigned");
                stays(repo, &["--each-commit"], "unsigned");
            }
        };
        verdict(&repo);
        let before = repo.git(&["rev-parse", "HEAD"]);
        repo.git(&["switch", "--quiet", "main"]);
        repo.stage("src/main.py", "main\n");
        repo.commit("Meanwhile");
        repo.git(&["switch", "--quiet", "188-work"]);
        repo.git(&["rebase", "--quiet", "main"]);
        assert_ne!(repo.git(&["rev-parse", "HEAD"]), before);
        verdict(&repo);
    }
}

#[test]
fn what_is_lost_besides_the_approved_step_stays_refused() {
    let Some(repo) = listed() else { return };
    let one = signed(&repo, "person", approval(&repo, &old(), &new()));
    land(&repo, &new(), &[&one]);
    // Half of what was approved goes, ten lines a commit: no commit alone is a replacement.
    let whole = new();
    let mut kept: Vec<&str> = whole.lines().collect();
    while kept.len() > 100 {
        kept.truncate(kept.len() - 10);
        land(&repo, &(kept.join("\n") + "\n"), &[]);
    }
    let why = "counts, but not for what is changed besides: src/state.py loses 100 of 200 lines";
    stays(&repo, &[], why);
    // The findings of the commits, all of them notes, do not hide that.
    stays(&repo, &["--each-commit"], why);
    let report = repo.json(&["lint", "--range", "main..188-work"]);
    assert_eq!(report["changes"][0]["approved"], false);
    // One line less, and it is no replacement.
    repo.git(&["reset", "--quiet", "--hard", "HEAD~"]);
    passes(&repo);
    // A second consent closes the gap.
    let before = std::fs::read_to_string(repo.path(FILE)).unwrap();
    let two = signed(&repo, "person", approval(&repo, &before, "gone\n"));
    land(&repo, "gone\n", &[&two]);
    passes(&repo);
}

#[test]
fn what_is_lost_before_the_approved_step_stays_refused() {
    let Some(repo) = listed() else { return };
    let start = edited(&old(), 0);
    land(&repo, &start, &[]);
    let one = signed(&repo, "person", approval(&repo, &start, &new()));
    land(&repo, &new(), &[&one]);
    passes(&repo);
    repo.git(&["reset", "--quiet", "--hard", "main"]);
    // Unapproved replacement first; consent to a trifle after it covers nothing.
    let gutted = "gutted\n".repeat(150);
    let trifle = format!("{gutted}more\n");
    land(&repo, &gutted, &[]);
    let one = signed(&repo, "person", approval(&repo, &gutted, &trifle));
    land(&repo, &trifle, &[&one]);
    stays(&repo, &[], "not for what is changed besides");
    let report = repo.json(&["lint", "--range", "main..188-work", "--each-commit"]);
    assert_eq!(report["verdict"], "refused");
}

#[test]
fn approval_of_one_content_is_none_of_another() {
    let Some(repo) = listed() else { return };
    let one = signed(&repo, "person", approval(&repo, &old(), &new()));
    let gone = "gone\n".repeat(3);
    land(&repo, &gone, &[&one]);
    stays(
        &repo,
        &[],
        "the commit does not make the change that it names",
    );
    // The exec bit is another step too.
    repo.git(&["reset", "--quiet", "--hard", "HEAD~"]);
    repo.stage(FILE, new());
    repo.git(&["update-index", "--chmod=+x", FILE]);
    commit(&repo, &[&one]);
    stays(
        &repo,
        &[],
        "the commit does not make the change that it names",
    );
}

#[test]
fn a_deletion_and_a_rename_can_be_approved() {
    let Some(repo) = listed() else { return };
    let one = signed(&repo, "person", approval(&repo, &old(), ""));
    land(&repo, "", &[&one]);
    range(&repo, &[]).exits(0);
    repo.git(&["reset", "--quiet", "--hard", "main"]);
    // Nine tenths are the same, so that it is a rename, and the new name is granted nowhere.
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
fn a_replacement_on_the_way_of_a_rename_can_be_approved() {
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
        repo.commit("Before");
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
    moved(&edited(&old(), 0), &new(), &[]);
    range(&repo, &[])
        .exits(1)
        .says("src/moved.py loses 200 of 200 lines");
    repo.git(&["reset", "--quiet", "--hard", "main"]);
    let gone = away(&edited(&old(), 0));
    moved(&edited(&old(), 0), &new(), &[&one, &gone]);
    range(&repo, &[]).exits(0);
    unwrapped(&repo, &["lint", "--commit", "188-work"]).exits(0);
    // What was lost before the rename nobody approved.
    repo.git(&["reset", "--quiet", "--hard", "main"]);
    moved("gutted\n", &new(), &[&one, &away("gutted\n")]);
    range(&repo, &[])
        .exits(1)
        .says("counts, but not for what is changed besides");
    // Consent to a new file, given while the old one stayed, names nothing that is lost.
    repo.git(&["reset", "--quiet", "--hard", "main"]);
    repo.stage("src/moved.py", new());
    commit(&repo, &[&one]);
    repo.git(&["rm", "--quiet", FILE]);
    repo.commit("Remove it");
    let both = "approve its deletion in the same commit too";
    range(&repo, &[])
        .exits(1)
        .says("src/moved.py loses 200 of 200 lines")
        .says(both);
    repo.git(&["reset", "--quiet", "--hard", "main"]);
    moved(&edited(&old(), 0), &new(), &[&one]);
    range(&repo, &[]).exits(1).says(both);
    range(&repo, &["--each-commit"]).exits(1).says(both);
    unwrapped(&repo, &["lint", "--commit", "188-work"])
        .exits(1)
        .says(both);
}

#[test]
fn consent_to_a_new_file_is_none_to_the_removal_of_the_one_before() {
    let Some(repo) = listed() else { return };
    let one = signed(&repo, "person", approval(&repo, "", &new()));
    // The row lets the file be modified, so that its removal is an error of another rule than the loss is.
    land(&repo, "", &[]);
    land(&repo, &new(), &[&one]);
    stays(
        &repo,
        &[],
        "counts, but not for what is changed besides: src/state.py is deleted",
    );
    // With consent to both steps it passes.
    repo.git(&["reset", "--quiet", "--hard", "main"]);
    let away = signed(&repo, "person", approval(&repo, &old(), ""));
    land(&repo, "", &[&away]);
    land(&repo, &new(), &[&one]);
    passes(&repo);
}

#[test]
fn other_errors_than_a_loss_need_consent_to_the_whole_step() {
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
    // Without consent nothing more may happen to a protected file, be it ever so small.
    let more = edited(&small, 20);
    land(&repo, &more, &[]);
    range(&repo, &[])
        .exits(1)
        .says("protected-path")
        .says("in commit")
        .says("counts, but not for what is changed besides\n");
    let two = signed(&repo, "person", approval(&repo, &small, &more));
    repo.git(&["reset", "--quiet", "--hard", "HEAD~"]);
    land(&repo, &more, &[&two]);
    passes(&repo);
}

#[test]
fn no_signature_clears_the_two_rules_that_always_hold() {
    let Some(repo) = listed() else { return };
    let target = "../../outside";
    let link = Approval {
        path: "src/link".into(),
        new: Some(format!("120000 {}", repo.blob(target.as_bytes()))),
        ..approval(&repo, "", "x")
    };
    let blob = repo.blob(target.as_bytes());
    repo.stage_raw(&[(0o120_000, blob, b"src/link")]);
    commit(&repo, &[&signed(&repo, "person", link)]);
    let report = repo.json(&["lint", "--range", "main..188-work"]);
    let errors: Vec<_> = report["findings"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|finding| finding["level"] == "error")
        .map(|finding| finding["rule"].as_str().unwrap())
        .collect();
    assert_eq!(errors, ["outside-workspace"]);
}

#[test]
fn approvals_beside_each_other_and_in_merges_count() {
    let Some(repo) = listed() else { return };
    // Consent on the branch, then main is merged into it.
    let one = signed(&repo, "person", approval(&repo, &old(), &new()));
    land(&repo, &new(), &[&one]);
    repo.git(&["switch", "--quiet", "main"]);
    repo.stage("src/main.py", "main\n");
    repo.commit("Meanwhile");
    repo.git(&["switch", "--quiet", "188-work"]);
    repo.git(&["merge", "--quiet", "--no-edit", "main"]);
    passes(&repo);
    // The same step on two branches, each with its own consent: the second way is as good.
    repo.git(&["switch", "--quiet", "--create", "side", "main"]);
    let two = Approval {
        id: "two".to_owned(),
        ..approval(&repo, &old(), &new())
    };
    land(&repo, &new(), &[&signed(&repo, "person", two)]);
    repo.git(&["switch", "--quiet", "188-work"]);
    repo.git(&["merge", "--quiet", "--no-edit", "side"]);
    passes(&repo);
    // What a merge itself replaces needs consent that stands in the merge.
    repo.git(&["switch", "--quiet", "--create", "third", "main"]);
    repo.stage("docs/more.md", "more\n");
    repo.commit("More");
    repo.git(&["switch", "--quiet", "188-work"]);
    repo.git(&["merge", "--quiet", "--no-commit", "--no-ff", "third"]);
    repo.git(&["rm", "--quiet", "-f", "docs/more.md"]);
    let gutted = "gutted\n";
    repo.stage(FILE, gutted);
    let three = signed(&repo, "person", approval(&repo, &new(), gutted));
    let unapproved = repo.git(&["write-tree"]);
    commit(&repo, &[&three]);
    range(&repo, &[]).exits(0);
    range(&repo, &["--each-commit"])
        .exits(1)
        .says("docs/more.md");
    repo.git(&["reset", "--quiet", "--hard", "HEAD~"]);
    repo.git(&["merge", "--quiet", "--no-commit", "--no-ff", "third"]);
    repo.git(&["read-tree", &unapproved]);
    commit(&repo, &[]);
    stays(&repo, &[], "not for what is changed besides");
}

#[test]
fn a_project_that_accepts_unsigned_approvals_judges_their_steps_all_the_same() {
    let Some(repo) = scene("[approvals]\naccept-unsigned = true\n", "") else {
        return;
    };
    let one = approval(&repo, &old(), &new());
    land(&repo, &new(), &[&one]);
    land(&repo, &edited(&new(), 0), &[]);
    passes(&repo);
    land(&repo, &half(), &[]);
    stays(&repo, &[], "not for what is changed besides");
}
