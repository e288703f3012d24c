//! `guard approve`: lists the changes that wait for a person, shows, approves and rejects them, approves staged
//! changes, and lists a signer. `guard pending` and `guard reject` are older names for parts of it.

use std::fmt::Write as _;

use serde_json::{Map, Value, json};

use super::files::{print_done, told};
use super::options::{DesignArgs, repository, with_approvals};
use super::output::Output;
use super::person::Person;
use super::question::{ask_for_word, asking};
use super::signing::{SignArgs, enroll, unsigned_notes};
use super::snapshot::elsewhere;
use crate::approve;
use crate::error::{Error, Result};
use crate::files::{
    self, Answer, Consent, Failure, FailureKind, Gate, HeldChange, HeldRecord, HeldStatus,
};
use crate::git::Repository;
use crate::judge::{self, Clearable};
use crate::measure;
use crate::path::escaped;
use crate::report::{Style, gutter, painted, push_change};

/// Lines of each preview, the marker `[truncated]` included (requirement 000, section 2.4).
const PREVIEW_LINES: usize = 50;

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct ApproveArgs {
    /// A change that waits for approval, as listed by `guard approve`.
    #[arg(value_name = "ID")]
    id: Option<String>,
    /// Only show the change, or whether it was approved or rejected or has expired.
    #[arg(long, requires = "id")]
    show: bool,
    /// Only show it, and the whole change instead of the preview.
    #[arg(long, requires = "id")]
    full: bool,
    /// Reject the change instead of approving it.
    #[arg(long, requires = "id", conflicts_with_all = ["show", "full"])]
    reject: bool,
    /// The reason of the rejection, for the log.
    #[arg(long, value_name = "TEXT", requires = "id", allow_hyphen_values = true)]
    reason: Option<String>,
    /// Approve all staged changes that guard refuses, in one prompt.
    #[arg(long, conflicts_with = "id")]
    staged: bool,
    /// Add your public key from this file to the list of signers (`[approvals] signers`).
    #[arg(long, value_name = "KEY", conflicts_with_all = ["id", "staged", "no_sign"])]
    enroll: Option<std::path::PathBuf>,
    #[command(flatten)]
    sign: SignArgs,
    #[command(flatten)]
    design: DesignArgs,
}

const EXAMPLES: &str = "\
Examples:
  guard approve                 list the changes that wait for a person
  guard approve 3f2a9c0b1d4e    review a waiting change and write it
  guard approve 3f2a9c0b1d4e --show
                                show it; --full shows all of it
  guard approve 3f2a9c0b1d4e --reject --reason 'extend the class instead'
  guard approve --staged        review the staged changes that guard refuses
  guard approve --staged --sign ~/.ssh/id_ed25519_sk
                                also sign, so that pull requests and CI accept it
  guard approve --enroll ~/.ssh/id_ed25519.pub
                                list the key that signs your approvals

guard shows what would be lost, then asks for a word taken from the change and for a reason. Instead of the word you \
may type `append`, `insert LINE` or `extend`: guard shows what that would do, and asks again. Another work tree's \
change can be rejected here, but approved only there.

Only a person at a terminal can approve: guard refuses to ask under an agent or CI, and no flag, variable or setting \
approves anything. An approval covers one path with one old and one new content. It is valid until the commit is made \
or two weeks have passed. It never clears unsafe-path or outside-workspace.

`ssh-keygen` signs the approval with the key of --sign or GUARD_SIGN, else with git's `user.signingKey` if \
`gpg.format` is `ssh`. Ranges, pushes and CI count only signed approvals.";

impl ApproveArgs {
    pub(super) fn run(&self, output: &mut Output) -> Result<u8> {
        if let Some(key) = &self.enroll {
            return enroll(output, key);
        }
        if self.reject {
            return self.reject(output);
        }
        if self.reason.is_some() {
            return Err(Error::new("--reason belongs to --reject")
                .help("guard asks for the reason of an approval"));
        }
        match &self.id {
            _ if self.staged => self.staged(output, &repository()?, &Person::present()?),
            Some(id) if !self.show && !self.full => {
                let (repo, person) = (repository()?, Person::present()?);
                told(output, |output| self.held(output, &repo, person, id))
            }
            _ => self.list(output),
        }
    }

    /// Lists the held changes, or shows one.
    pub(super) fn list(&self, output: &mut Output) -> Result<u8> {
        told(output, |output| {
            let repo = repository()?;
            match &self.id {
                Some(id) => self.print_one(output, &repo, id)?,
                None => print_held(output, &repo, None, &files::pending(&repo)?, None),
            }
            Ok(0)
        })
    }

    fn print_one(&self, output: &mut Output, repo: &Repository, id: &str) -> files::GateResult<()> {
        let last = files::last_event(repo, id)?;
        let last = last.as_ref();
        let found = match last.filter(|last| last.is_decided()) {
            Some(decided) => {
                print_status(output, id, decided);
                return Ok(());
            }
            None => files::held_change(repo, id),
        };
        match (found, last) {
            (Ok((change, old)), _) => {
                let name = escaped(&change.path).to_string();
                let new = change.content.as_deref().unwrap_or_default();
                let max = if self.full { usize::MAX } else { PREVIEW_LINES };
                let diff = measure::unified_preview(&old, new, &name, &name, max);
                print_held(output, repo, Some(id), &[change], Some(&diff));
            }
            (Err(failure), Some(last))
                if failure.kind == FailureKind::NotFound && last.status == HeldStatus::Expired =>
            {
                print_status(output, id, last);
            }
            (Err(failure), _) => return Err(failure),
        }
        Ok(())
    }

    /// Rejects the change.
    pub(super) fn reject(&self, output: &mut Output) -> Result<u8> {
        let Some(id) = &self.id else {
            return Err(Error::new("name the change to reject")
                .help("guard approve lists the changes that wait for approval"));
        };
        told(output, |output| {
            let repo = repository()?;
            Person::present()?;
            let reason = self.reason.as_deref().unwrap_or_default();
            let path = files::reject(&repo, id, &approve::reason_line(reason))?.path;
            output.answer(
                &json!({ "version": 1, "rejected": id, "path": path }),
                format!("rejected {id}: {} is unchanged\n", escaped(&path)),
            );
            Ok(0)
        })
    }

    fn held(
        &self,
        output: &mut Output,
        repo: &Repository,
        person: Person,
        id: &str,
    ) -> files::GateResult<u8> {
        let gate = Gate::open(repo, &self.design.options(false))?.as_strict_as(id)?;
        output.notes(&gate.policy.notes);
        let person = Some((person, self.sign.clone()));
        let (gate, done) = asking(output, repo, gate, person, |gate, ask| match ask {
            Some(ask) => gate.approve(id, ask),
            None => Err(Failure::new(FailureKind::NotApproved, "nobody was asked")),
        })?;
        print_done(output, &gate, &done);
        Ok(0)
    }

    fn staged(&self, output: &mut Output, repo: &Repository, person: &Person) -> Result<u8> {
        // The commit will be judged in the same way.
        let options = with_approvals(repo, self.design.options(true))?;
        let (waiting, fixed) = judge::clearable(repo, &options)?;
        for finding in &fixed {
            let note = format!(
                "an approval cannot clear {}: {}",
                finding.rule.id(),
                finding.message
            );
            output.notes(&[note]);
        }
        if waiting.is_empty() {
            let what = if fixed.is_empty() {
                "no staged change needs approval"
            } else {
                "no staged change can be approved"
            };
            output.notes(&[what.to_owned()]);
            return Ok(u8::from(!fixed.is_empty()));
        }
        told(output, |output| {
            self.approve_all(output, repo, person, &waiting)?;
            Ok(u8::from(!fixed.is_empty()))
        })
    }

    fn approve_all(
        &self,
        output: &mut Output,
        repo: &Repository,
        person: &Person,
        waiting: &[Clearable],
    ) -> files::GateResult<()> {
        let signer = self.sign.signer(repo)?;
        if signer.is_none() {
            output.notes(&unsigned_notes(repo));
        }
        let (text, word) = shown(waiting, &output.style);
        let Answer::Approve(reason) = ask_for_word(person, &text, &word, &[]) else {
            let why = "nothing was approved";
            return Err(Failure::new(FailureKind::NotApproved, why));
        };
        let approve = |change: &Clearable| {
            let consent = Consent {
                reason: reason.clone(),
                design: change.design.clone(),
                how: files::TERMINAL,
                signer: signer.clone(),
            };
            consent.to(repo, &change.change)
        };
        // Sign all before keeping the first, so that a failed signature leaves nothing behind.
        let approvals: Vec<_> = waiting
            .iter()
            .map(approve)
            .collect::<files::GateResult<_>>()?;
        for (approval, change) in approvals.iter().zip(waiting) {
            files::keep(repo, approval, &change.designs, Map::new())?;
        }
        // The changes are approved, so an error in the list of signers is only a note.
        let notes = judge::not_listed(repo, &approvals);
        output.notes(&notes.unwrap_or_else(|error| vec![error.message]));
        let paths: Vec<String> = waiting
            .iter()
            .map(|change| escaped(&change.change.path).to_string())
            .collect();
        let signed = signer.is_some();
        let how = if signed { ", signed" } else { "" };
        let line = |path| format!("approved {path}{how}: commit it now\n");
        output.answer(
            &json!({ "version": 1, "approved": paths, "reason": reason, "signed": signed }),
            paths.iter().map(line).collect::<String>(),
        );
        Ok(())
    }
}

/// Prints held changes, or the one with this ID and its diff.
fn print_held(
    output: &mut Output,
    repo: &Repository,
    id: Option<&str>,
    held: &[HeldChange],
    diff: Option<&str>,
) {
    let mut json = json!({ "version": 1 });
    if let Some(id) = id {
        json["id"] = id.into();
        json["status"] = HeldStatus::Held.name().into();
    }
    let entries = held.iter().map(|change| held_json(repo, change, diff));
    json["held"] = entries.collect();
    if held.is_empty() {
        return output.report_done(&json, "no change waits for approval\n");
    }
    let lines = held.iter().map(|change| held_line(repo, change) + "\n");
    let diff = gutter(&painted(diff.unwrap_or_default(), &output.style));
    output.answer(&json, lines.chain([diff]).collect::<String>());
}

/// A held change in a list.
pub(super) fn held_line(repo: &Repository, change: &HeldChange) -> String {
    let elsewhere = elsewhere(repo, &change.work_tree);
    let (id, operation, why) = (change.id(), &change.operation, &change.why);
    format!("{id}  {operation}  {why}{elsewhere}")
}

/// A held change for programs.
pub(super) fn held_json(repo: &Repository, change: &HeldChange, diff: Option<&str>) -> Value {
    let place = repo.place_of(&change.work_tree);
    json!({
        "id": change.id(),
        "worktree": place.map(|place| place.to_string_lossy().into_owned()),
        "path": change.path,
        "operation": change.operation,
        "class": change.class,
        "reason": change.why,
        "old": change.old,
        "new": change.new,
        "expires": change.expires,
        "diff": diff,
    })
}

/// Prints what became of a change that is not held any more.
fn print_status(output: &mut Output, id: &str, last: &HeldRecord) {
    let fact = |key: &str| last.facts.get(key).cloned().unwrap_or_default();
    let status = last.status.name();
    let text = |key: &str| escaped(fact(key).as_str().unwrap_or_default()).to_string();
    let (reason, by) = match last.is_decided() {
        true => {
            let by = format!(" by {}: {}", text("who"), text("reason"));
            (fact("reason"), by)
        }
        false => (Value::Null, String::new()),
    };
    let json = json!({
        "version": 1,
        "id": id,
        "status": status,
        "path": fact("path"),
        "time": fact("time"),
        "who": fact("who"),
        "reason": reason,
        "held": [],
    });
    output.answer(&json, format!("{id}  {}  {status}{by}\n", text("path")));
}

/// Every waiting staged change with its findings, and the start of its preview and its loss; and the word that approves
/// them all, from the last one that loses something.
fn shown(waiting: &[Clearable], style: &Style) -> (String, String) {
    let (mut text, mut word, mut loses) = (String::new(), String::new(), false);
    for Clearable {
        change,
        old,
        new,
        findings,
        ..
    } in waiting
    {
        let name = escaped(&change.path).to_string();
        for finding in findings {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "guard: {}: {}", finding.rule.id(), finding.message);
        }
        if findings.is_empty() {
            // The new path of the rename shows what is lost.
            let _ = writeln!(text, "guard: {name} is removed by the rename");
            continue;
        }
        let mut lost = String::new();
        if measure::is_binary(old) || measure::is_binary(new) {
            let (old, new) = (old.len(), new.len());
            let _ = writeln!(text, "Binary content: {old} bytes become {new} bytes");
        } else {
            let preview = measure::unified_preview(old, new, &name, &name, PREVIEW_LINES);
            lost = measure::deleted_content(old, new, PREVIEW_LINES);
            push_change(&mut text, &preview, &lost, style);
        }
        if !loses || !lost.is_empty() {
            let id = approve::sides(change).1.unwrap_or_default();
            let id = id.get(..12).unwrap_or("staged");
            word = approve::word(lost.as_bytes(), change.path.as_ref(), id);
            loses |= !lost.is_empty();
        }
    }
    (text, word)
}
