//! Keys, lists of signers and signed approvals, made by the real `ssh-keygen`.

use std::fs;
use std::process::Command;

use write_guard_policy::approve::{Approval, NAMESPACE, TRAILER, one_line};

use super::{DESIGN, Output, Repo, SETTINGS, lines, run, skip};

/// The file that is replaced.
pub const FILE: &str = "src/state.py";
/// The signer: the address of git's identity in the tests.
pub const WHO: &str = "author@example.com";
/// The default path of the list of signers.
pub const SIGNERS: &str = ".guard/allowed_signers";

/// 200 lines.
pub fn old() -> String {
    lines(1..=200)
}

/// Nothing of [`old`] is left.
pub fn new() -> String {
    old().replace("line", "other")
}

/// `text` with ten lines changed, starting at this one: a small edit.
pub fn edited(text: &str, first: usize) -> String {
    let edit = |(at, line): (usize, &str)| {
        if (first..first + 10).contains(&at) {
            format!("edited {line}\n")
        } else {
            format!("{line}\n")
        }
    };
    text.lines().enumerate().map(edit).collect()
}

/// Whether `ssh-keygen` is installed; a counted skip otherwise.
pub fn has_ssh_keygen() -> bool {
    let found = Command::new("ssh-keygen").arg("-?").output().is_ok();
    if !found {
        skip("ssh-keygen is not installed");
    }
    found
}

/// Makes the key pair `../keys/NAME` and returns the public key.
#[track_caller]
pub fn keygen(repo: &Repo, name: &str) -> String {
    fs::create_dir_all(repo.path("../keys")).unwrap();
    let mut keygen = repo.command("ssh-keygen");
    keygen.args(["-q", "-C", "", "-N", "", "-t", "ed25519", "-f"]);
    run(keygen.arg(key(repo, name))).exits(0);
    let public = fs::read_to_string(key(repo, name) + ".pub").unwrap();
    public.trim().to_owned()
}

/// The file of the private key.
pub fn key(repo: &Repo, name: &str) -> String {
    repo.path("../keys").join(name).display().to_string()
}

/// On `main`: the file, the settings with `settings` added, a design that grants changing the file, and the list of
/// signers (`KEY` in it is the key `person`); then the branch `188-work`. `None` without ssh-keygen.
pub fn scene(settings: &str, signers: &str) -> Option<Repo> {
    if !has_ssh_keygen() {
        return None;
    }
    let repo = Repo::new();
    let public = keygen(&repo, "person");
    keygen(&repo, "other");
    repo.stage(FILE, old());
    repo.commit("Begin");
    repo.stage("guard.toml", format!("{SETTINGS}{settings}"));
    repo.design(DESIGN, &[(FILE, "Modify", "the state")]);
    if !signers.is_empty() {
        repo.stage(SIGNERS, signers.replace("KEY", &public) + "\n");
    }
    repo.commit("Say what may change");
    repo.branch("188-work");
    Some(repo)
}

/// The scene of most tests: the person's key is listed.
pub fn listed() -> Option<Repo> {
    scene("", &format!("{WHO} namespaces=\"guard\" KEY"))
}

/// An unsigned approval of [`FILE`] going from one content to the other; empty content stands for no file.
pub fn approval(repo: &Repo, old: &str, new: &str) -> Approval {
    let id = |text: &str| (!text.is_empty()).then(|| repo.blob(text.as_bytes()).to_string());
    let (old, new) = (id(old), id(new));
    Approval {
        id: format!("{:?}-{:?}", old, new),
        path: FILE.into(),
        old,
        new,
        design: Some(DESIGN.into()),
        who: WHO.to_owned(),
        // The commits of the tests are made at 2026-01-01T00:00:00Z.
        when: 1_767_225_600,
        how: "terminal".to_owned(),
        reason: "agreed".to_owned(),
        expires: 1_767_225_600 + 14 * 86_400,
        signature: None,
    }
}

/// The signature of `ssh-keygen -Y sign` over a text.
#[track_caller]
pub fn signature(repo: &Repo, name: &str, namespace: &str, text: &str) -> String {
    let file = repo.path("../keys/text");
    let signed = repo.path("../keys/text.sig");
    let _ = fs::remove_file(&signed);
    fs::write(&file, text).unwrap();
    let mut keygen = repo.command("ssh-keygen");
    keygen.args(["-q", "-Y", "sign", "-n", namespace, "-f", &key(repo, name)]);
    run(keygen.arg(&file)).exits(0);
    one_line(&fs::read_to_string(signed).unwrap()).unwrap()
}

/// The approval signed with a key.
#[track_caller]
pub fn signed(repo: &Repo, name: &str, approval: Approval) -> Approval {
    let signature = Some(signature(repo, name, NAMESPACE, &approval.payload()));
    Approval {
        signature,
        ..approval
    }
}

/// Commits this content of [`FILE`] (deletes it if empty) with these approvals in the message, without hooks.
#[track_caller]
pub fn land(repo: &Repo, content: &str, approvals: &[&Approval]) -> String {
    if content.is_empty() {
        repo.git(&["rm", "--quiet", FILE]);
    } else {
        repo.stage(FILE, content);
    }
    commit(repo, approvals)
}

/// Commits the old content with these approvals, and a change of the design: the next commit is no exact revert of this
/// one.
#[track_caller]
pub fn put_back(repo: &Repo, approvals: &[&Approval]) -> String {
    let design = fs::read_to_string(repo.path(DESIGN)).unwrap();
    repo.stage(DESIGN, design + "\nMore.\n");
    land(repo, &old(), approvals)
}

/// Commits what is staged with these approvals in the message.
#[track_caller]
pub fn commit(repo: &Repo, approvals: &[&Approval]) -> String {
    let trailer = |one: &&Approval| format!("{TRAILER}: {}\n", one.to_trailer_value());
    let trailers: String = approvals.iter().map(trailer).collect();
    repo.commit(&format!("Change\n\n{trailers}"))
}

/// Judges the branch; no line is wrapped.
#[track_caller]
pub fn range(repo: &Repo, options: &[&str]) -> Output {
    let lint = ["lint", "--range", "main..188-work"];
    unwrapped(repo, &[&lint, options].concat())
}

/// Runs guard without wrapping lines.
#[track_caller]
pub fn unwrapped(repo: &Repo, arguments: &[&str]) -> Output {
    let mut guard = repo.command(super::GUARD);
    run(guard.env("COLUMNS", "1000").args(arguments))
}
