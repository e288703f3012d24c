//! Whose signatures count, and what a forged or stale approval is worth.

use super::*;

#[test]
fn keys_of_every_kind_are_checked_as_ssh_keygen_checks_them() {
    let Some(repo) = listed() else { return };
    for (name, options) in [
        ("ed", &["-t", "ed25519"][..]),
        ("rsa2048", &["-t", "rsa", "-b", "2048"]),
        ("rsa4096", &["-t", "rsa", "-b", "4096"]),
        ("ecdsa", &["-t", "ecdsa", "-b", "256"]),
    ] {
        let public = keygen(&repo, name, options);
        let list = format!("{WHO} {public}\n");
        let signers = Signers::parse("f", list.as_bytes()).unwrap();
        let one = signed(&repo, name, approval(&repo, "a", "b"));
        let verify = |one: &Approval| one.verify(one.signature.as_deref().unwrap(), &signers);
        assert_eq!(verify(&one), Ok(()), "{name}");
        assert!(ssh_keygen_verifies(&repo, &one, &list), "{name}");
        let mut edited = one.clone();
        edited.reason.push('!');
        assert_eq!(verify(&edited), Err(Invalid::Text), "{name}");
        assert!(!ssh_keygen_verifies(&repo, &edited, &list), "{name}");
    }
}

/// One list after the other: guard and ssh-keygen agree on each.
#[test]
fn lists_of_signers_mean_what_they_mean_to_ssh_keygen() {
    let Some(repo) = listed() else { return };
    let person = std::fs::read_to_string(key(&repo, "person") + ".pub").unwrap();
    let other = std::fs::read_to_string(key(&repo, "other") + ".pub").unwrap();
    let (person, other) = (person.trim(), other.trim());
    let one = signed(&repo, "person", approval(&repo, "a", "b"));
    let mut accepted = 0;
    for list in [
        "author@example.com KEY",
        "author@example.com KEY with a comment",
        "\"author@example.com\" KEY",
        "\tauthor@example.com\tKEY",
        "# author@example.com KEY",
        "",
        "*@example.com KEY",
        "*@example.org KEY",
        "a?thor@* KEY",
        "AUTHOR@example.com KEY",
        "x@y,author@example.com KEY",
        "*,!author@example.com KEY",
        "!author@example.com,* KEY",
        "!x@y KEY",
        "author@example.com OTHER",
        "author@example.com OTHER\nauthor@example.com KEY",
        "x@y KEY\nauthor@example.com KEY",
        "author@example.com namespaces=\"guard\" KEY",
        "author@example.com namespaces=\"git,guard\" KEY",
        "author@example.com namespaces=\"git\" KEY",
        "author@example.com namespaces=\"g*,!guard\" KEY",
        "author@example.com NAMESPACES=\"guard\" KEY",
        "author@example.com valid-after=\"20260101\" KEY",
        "author@example.com valid-after=\"20260101000001\" KEY",
        "author@example.com valid-before=\"20260101000000\" KEY",
        "author@example.com valid-before=\"20251231235959\" KEY",
        "author@example.com valid-after=\"202512312359\",valid-before=\"202601010001\",namespaces=\"guard\" KEY",
        "author@example.com cert-authority KEY",
    ] {
        let list = list.replace("KEY", person).replace("OTHER", other) + "\n";
        let signers = Signers::parse("f", list.as_bytes()).unwrap();
        let here = one.verify(one.signature.as_deref().unwrap(), &signers);
        let there = ssh_keygen_verifies(&repo, &one, &list);
        assert_eq!(here.is_ok(), there, "{list}: {here:?}");
        accepted += usize::from(there);
    }
    assert_eq!(accepted, 15);
    // What ssh-keygen passes over with a warning, guard refuses to read.
    for list in ["author@example.com KEY2", "author@example.com no-touch KEY"] {
        let list = list
            .replace("KEY", person)
            .replace("ssh-ed255192", "ssh-ed25519 2");
        assert!(!ssh_keygen_verifies(&repo, &one, &list), "{list}");
    }
}

#[test]
fn a_forged_or_stale_approval_does_not_count_and_the_report_says_why() {
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
            "approved locally by author@example.com, unsigned: that does not count here",
        ),
        (
            signed(&repo, "other", good()),
            "that signed it is not listed",
        ),
        (
            sign_as(|one| one.who = "boss@example.com".into()),
            "the key that signed it is not listed for boss@example.com",
        ),
        (git_namespace, "it was signed for `git` and not for `guard`"),
        (raw_text, "its signature is that of another text"),
        (
            edit(|one| one.reason = "sure".into()),
            "that of another text",
        ),
        (edit(|one| one.id.push('2')), "that of another text"),
        (edit(|one| one.expires += 1), "that of another text"),
        (edit(|one| one.when += 1), "that of another text"),
        (edit(|one| one.how = "x".into()), "that of another text"),
        (edit(|one| one.design = None), "that of another text"),
        (
            edit(|one| one.signature = Some("AAAA".into())),
            "its signature cannot be read",
        ),
        (
            sign_as(|one| one.expires = one.when),
            "it had expired when the commit was made",
        ),
        (
            sign_as(|one| one.new = one.old.clone()),
            "the commit does not make the change that it names",
        ),
        (
            sign_as(|one| one.old = None),
            "the commit does not make the change that it names",
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
    // The same with nothing wrong, so that the table above means something.
    land(&repo, &new(), &[&signed(&repo, "person", good())]);
    passes(&repo);
}

#[test]
fn an_approval_of_another_path_says_nothing_of_this_one() {
    let Some(repo) = listed() else { return };
    let other = Approval {
        path: "src/other.py".into(),
        ..approval(&repo, &old(), &new())
    };
    land(&repo, &new(), &[&signed(&repo, "person", other)]);
    let refused = range(&repo, &[]).exits(1).says("loses");
    assert!(
        !refused.text().contains("the approval by"),
        "{}",
        refused.text()
    );
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
        "nobody is listed in .guard/allowed_signers at the merge base",
    );
    // The settings of the merge base say where the list is, and whether unsigned approvals count.
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
    stays(&repo, &[], "nobody is listed in docs/signers");
}

/// A key that main took off its list since, or had on it for a while only, is nobody's there.
#[test]
fn what_main_takes_back_from_its_signers_counts_no_more() {
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
    stays(&repo, &[], "its signer is not one any more");
    stays(&repo, &["--each-commit"], "its signer is not one any more");

    let Some(repo) = scene("[approvals]\naccept-unsigned = true\n", "") else {
        return;
    };
    land(&repo, &new(), &[&approval(&repo, &old(), &new())]);
    passes(&repo);
    repo.git(&["switch", "--quiet", "main"]);
    repo.stage("guard.toml", SETTINGS);
    repo.commit("Want signatures");
    repo.git(&["switch", "--quiet", "188-work"]);
    stays(&repo, &[], "unsigned: that does not count here");
}

#[test]
fn a_list_of_signers_elsewhere_is_guards_own_too() {
    let elsewhere = "[approvals]\nsigners = \"docs/signers\"\n";
    let Some(repo) = scene(elsewhere, "") else {
        return;
    };
    repo.stage("docs/signers", "# nobody\n");
    repo.commit("Begin a list");
    range(&repo, &[]).exits(0);
    // Not together with code.
    land(&repo, &edited(&old(), 0), &[]);
    range(&repo, &[])
        .exits(1)
        .says("error[policy-changed]: docs/signers");
    // Nor by an agent.
    repo.write("../content", "me ssh-ed25519 AAAA\n");
    repo.guard(&["write", "docs/signers", "--content-file", "../content"])
        .exits(1)
        .says("docs/signers steers guard");
}

#[test]
fn a_list_that_cannot_be_read_stops_the_judgement_where_it_is_needed() {
    let Some(repo) = scene("", "# people\nauthor@example.com ssh-rsa nonsense\n") else {
        return;
    };
    // Without an approval nobody reads it.
    repo.stage(FILE, edited(&old(), 0));
    repo.commit("A small edit");
    range(&repo, &[]).exits(0);
    // Neither for an unsigned one.
    let unsigned = approval(&repo, &edited(&old(), 0), &new());
    land(&repo, &new(), &[&unsigned]);
    stays(&repo, &[], "unsigned");
    repo.git(&["reset", "--quiet", "--hard", "HEAD~"]);
    land(&repo, &new(), &[&signed(&repo, "person", unsigned)]);
    range(&repo, &[])
        .exits(2)
        .says(".guard/allowed_signers:2: `ssh-rsa` does not begin a public key")
        .says("or begin it with # to leave it out");
}

#[test]
fn authorities_are_left_out_with_a_warning() {
    let Some(repo) = scene("", &format!("{WHO} cert-authority KEY\n{WHO} KEY")) else {
        return;
    };
    let one = signed(&repo, "person", approval(&repo, &old(), &new()));
    land(&repo, &new(), &[&one]);
    range(&repo, &[])
        .exits(0)
        .says(".guard/allowed_signers:1: certificate authorities sign no approvals here");
}

#[test]
fn a_trailer_that_is_no_approval_is_told() {
    let Some(repo) = listed() else { return };
    repo.stage(FILE, new());
    let bad = format!(
        "Change\n\n{TRAILER}: yes\n{TRAILER}: {{\"path\": \"a\"}}\n{TRAILER}: 1\n{TRAILER}: 2"
    );
    repo.commit(&bad);
    stays(
        &repo,
        &[],
        "a Guard-Approved trailer is no approval: it is not a JSON object",
    )
    .says("`id` is missing")
    .says("and 1 more Guard-Approved trailers are none");
}
