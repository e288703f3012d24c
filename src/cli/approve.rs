//! `guard pending`, `approve` and `reject`: the changes that wait for a person, and the decision.

use std::fmt::Write as _;

use gix::bstr::ByteSlice;
use serde_json::{Map, Value, json};

use super::design_args::DesignArgs;
use super::files::{print_done, told};
use super::person::Person;
use super::question::{GUTTER, ask, push_quoted};
use super::repository::{repository, with_approvals};
use super::sign::SignArgs;
use super::snapshot::elsewhere;
use super::{enroll, output::Output};
use crate::approval;
use crate::error::{Error, Result};
use crate::gate::{
    self, Answer, Consent, Failure, FailureKind, Gate, HeldChange, HeldRecord, HeldStatus,
};
use crate::git::Repository;
use crate::judge::{self, Clearable};
use crate::measure;
use crate::path::escaped;
use crate::report::{Style, painted};

/// Lines of each preview, the marker `[truncated]` included (requirement 000, section 2.4).
const PREVIEW_LINES: usize = 50;

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  guard pending\n  guard pending 3f2a9c0b1d4e --full\n  guard pending --format json"
)]
pub(super) struct PendingArgs {
    /// Show only this change, with a preview, or whether it was approved or rejected or has expired.
    #[arg(value_name = "ID")]
    id: Option<String>,
    /// Show the whole change instead of the preview.
    #[arg(long, requires = "id")]
    full: bool,
}

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct ApproveArgs {
    /// The held change, as listed by `guard pending`.
    #[arg(value_name = "ID")]
    id: Option<String>,
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
  guard approve 3f2a9c0b1d4e    review a held change and write it
  guard approve --staged        review the staged changes that guard refuses
  guard approve --staged --sign ~/.ssh/id_ed25519_sk
                                also sign, so that ranges and CI accept it
  guard approve --enroll ~/.ssh/id_ed25519.pub
                                list the key that signs your approvals

guard shows what would be lost, then asks for a word taken from the change and for a reason. Type `p` to page \
through the whole change. Instead of the word you may type `append`, `insert LINE` or `extend`: guard shows what that \
would do, and asks again.

Only a person at a terminal can approve: guard refuses to ask under an agent or CI, and no flag, variable or setting \
approves anything. An approval covers one path with one old and one new content. It is valid until the commit is made \
or two weeks have passed. It never clears unsafe-path or outside-workspace.

`ssh-keygen` signs the approval with the key of --sign or GUARD_SIGN, else with git's `user.signingKey` if \
`gpg.format` is `ssh`. Ranges, pushes and CI count only signed approvals.";

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  guard reject 3f2a9c0b1d4e\n  guard reject 3f2a9c0b1d4e --reason 'extend the class instead'\n\nYou can reject a change that another work tree of the repository holds, but approve it only there."
)]
pub(super) struct RejectArgs {
    /// The held change, as listed by `guard pending`.
    #[arg(value_name = "ID")]
    id: String,
    /// The reason, for the log.
    #[arg(
        long,
        value_name = "TEXT",
        default_value = "",
        allow_hyphen_values = true
    )]
    reason: String,
}

impl PendingArgs {
    pub(super) fn run(&self, output: &mut Output) -> gate::GateResult<u8> {
        let repo = repository()?;
        let (held, diff) = match &self.id {
            Some(id) => {
                let last = gate::last_event(&repo, id)?;
                if let Some(last) = last.as_ref().filter(|last| last.is_decided()) {
                    print_status(output, id, last);
                    return Ok(0);
                }
                match (gate::held_change(&repo, id), last) {
                    (Ok((change, old)), _) => {
                        let diff = self.diff(&change, &old);
                        (vec![change], Some(diff))
                    }
                    (Err(failure), Some(last))
                        if failure.kind == FailureKind::NotFound
                            && last.status == HeldStatus::Expired =>
                    {
                        print_status(output, id, &last);
                        return Ok(0);
                    }
                    (Err(failure), _) => return Err(failure),
                }
            }
            None => (gate::pending(&repo)?, None),
        };
        let style = output.style.clone();
        output.print_either(
            || {
                let held: Vec<_> = held
                    .iter()
                    .map(|change| {
                        json!({
                            "id": change.id(),
                            "worktree": repo.place_of(&change.work_tree).map(|place| place.to_string_lossy().into_owned()),
                            "path": change.path.to_str_lossy(),
                            "operation": change.operation,
                            "class": change.class,
                            "reason": change.why,
                            "old": change.old,
                            "new": change.new,
                            "expires": change.expires,
                            "diff": diff,
                        })
                    })
                    .collect();
                let mut object = Map::from_iter([("version".to_owned(), 1.into())]);
                if let Some(id) = &self.id {
                    object.insert("id".into(), id.clone().into());
                    object.insert("status".into(), HeldStatus::Held.name().into());
                }
                object.insert("held".into(), held.into());
                Value::Object(object)
            },
            |out| {
                if held.is_empty() && !style.quiet {
                    return writeln!(out, "no change waits for approval");
                }
                held.iter().try_for_each(|change| {
                    let elsewhere = elsewhere(&repo, &change.work_tree);
                    let (id, operation, why) = (change.id(), &change.operation, &change.why);
                    writeln!(out, "{id}  {operation}  {why}{elsewhere}")
                })?;
                let diff = painted(diff.as_deref().unwrap_or_default(), &style);
                diff.lines()
                    .try_for_each(|line| writeln!(out, "{GUTTER}{line}"))
            },
        );
        Ok(0)
    }

    fn diff(&self, change: &HeldChange, old: &[u8]) -> String {
        let name = escaped(&change.path).to_string();
        let new = change.content.as_deref().unwrap_or_default();
        let max = if self.full { usize::MAX } else { PREVIEW_LINES };
        measure::unified_preview(old, new, &name, &name, max)
    }
}

/// Prints what became of a change that is not held any more.
fn print_status(output: &mut Output, id: &str, last: &HeldRecord) {
    let fact = |key: &str| last.facts.get(key).cloned().unwrap_or_default();
    let status = last.status.name();
    output.print_either(
        || {
            json!({
                "version": 1,
                "id": id,
                "status": status,
                "path": fact("path"),
                "time": fact("time"),
                "who": fact("who"),
                "reason": match last.is_decided() {
                    true => fact("reason"),
                    false => Value::Null,
                },
                "held": [],
            })
        },
        |out| {
            let text = |key: &str| escaped(fact(key).as_str().unwrap_or_default()).to_string();
            let (path, who, reason) = (text("path"), text("who"), text("reason"));
            match last.is_decided() {
                true => writeln!(out, "{id}  {path}  {status} by {who}: {reason}"),
                false => writeln!(out, "{id}  {path}  {status}"),
            }
        },
    );
}

impl ApproveArgs {
    pub(super) fn run(&self, output: &mut Output) -> Result<u8> {
        if let Some(key) = &self.enroll {
            return enroll::run(output, key);
        }
        let repo = repository()?;
        if self.id.is_none() && !self.staged {
            return Err(nothing_named(&repo));
        }
        let mut person = Person::present()?;
        match &self.id {
            Some(id) => told(output, |output| self.held(output, &repo, &mut person, id)),
            None => self.staged(output, &repo, &mut person),
        }
    }

    fn held(
        &self,
        output: &mut Output,
        repo: &Repository,
        person: &mut Person,
        id: &str,
    ) -> gate::GateResult<u8> {
        let mut is_unsigned = false;
        let style = output.style.clone();
        let signer = self.sign.signer(repo)?;
        let has_signer = signer.is_some();
        let gate = Gate::open(repo, &self.design.options(false))?
            .signing(signer)
            .as_strict_as(id)?;
        output.notes(gate.notes());
        let done = gate.approve(id, &mut |question| {
            is_unsigned = question.finding.is_some() && !has_signer;
            ask(person, question, &style)
        });
        let done = done?;
        print_done(output, &gate, &done);
        if is_unsigned {
            output.notes(&enroll::unsigned_notes(repo));
        }
        Ok(0)
    }

    fn staged(&self, output: &mut Output, repo: &Repository, person: &mut Person) -> Result<u8> {
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
        person: &mut Person,
        waiting: &[Clearable],
    ) -> gate::GateResult<()> {
        let signer = self.sign.signer(repo)?;
        if signer.is_none() {
            output.notes(&enroll::unsigned_notes(repo));
        }
        let reason = match person.ask(
            &shown(waiting, PREVIEW_LINES, &output.style),
            &shown(waiting, usize::MAX, &output.style),
            &word(waiting),
            &[],
        ) {
            Answer::Approve(reason) => reason,
            Answer::Reject(_) | Answer::Instead(_) | Answer::Nothing => {
                return Err(Failure::new(
                    FailureKind::NotApproved,
                    "nothing was approved",
                ));
            }
        };
        let approve = |change: &Clearable| {
            let consent = Consent {
                reason: reason.clone(),
                design: change.design.clone(),
                how: gate::TERMINAL,
                signer: signer.clone(),
            };
            consent.to(repo, &change.change)
        };
        // Sign all before keeping the first, so that a failed signature leaves nothing behind.
        let approvals: Vec<_> = waiting
            .iter()
            .map(approve)
            .collect::<gate::GateResult<_>>()?;
        for (approval, change) in approvals.iter().zip(waiting) {
            gate::keep(repo, approval, &change.designs)?;
        }
        // The changes are approved, so an error in the list of signers is only a note.
        let notes = judge::not_listed(repo, &approvals);
        output.notes(&notes.unwrap_or_else(|error| vec![error.message]));
        let paths: Vec<String> = waiting
            .iter()
            .map(|change| escaped(&change.change.path).to_string())
            .collect();
        output.print_either(
            || {
                let signed = signer.is_some();
                json!({ "version": 1, "approved": paths, "reason": reason, "signed": signed })
            },
            |out| {
                let how = signer.as_ref().map_or("", |_| ", signed");
                paths
                    .iter()
                    .try_for_each(|path| writeln!(out, "approved {path}{how}: commit it now"))
            },
        );
        Ok(())
    }
}

impl RejectArgs {
    pub(super) fn run(&self, output: &mut Output) -> gate::GateResult<u8> {
        let repo = repository()?;
        Person::present()?;
        let path = gate::reject(&repo, &self.id, &approval::reason_line(&self.reason))?.path;
        output.print_either(
            || json!({ "version": 1, "rejected": self.id, "path": path.to_str_lossy() }),
            |out| writeln!(out, "rejected {}: {} is unchanged", self.id, escaped(&path)),
        );
        Ok(0)
    }
}

/// The command names nothing to approve; the error lists the held changes.
fn nothing_named(repo: &Repository) -> Error {
    let error = Error::new("guard approve needs --staged or the ID of a held change")
        .help("to approve staged changes: guard approve --staged");
    match gate::pending(repo) {
        Ok(held) if held.is_empty() => error.help("no change is held"),
        Ok(held) => held.iter().fold(error, |error, change| {
            let id = change.id();
            let command = gate::command_in(repo, &change.work_tree, &format!("approve {id}"));
            let command = command.unwrap_or_else(|| format!("guard reject {id}"));
            error.help(format!("{}: {command}", change.why))
        }),
        // `guard pending` reports errors of the store.
        Err(_) => error.help("to list held changes: guard pending"),
    }
}

/// Every waiting staged change with its findings, and at most `max` lines each of its preview and its loss.
fn shown(waiting: &[Clearable], max: usize, style: &Style) -> String {
    let mut text = String::new();
    for change in waiting {
        for finding in &change.findings {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "guard: {}: {}", finding.rule.id(), finding.message);
        }
        let (old, new) = (&change.old, &change.new);
        if change.findings.is_empty() {
            // The new path of the rename shows what is lost.
            let _ = writeln!(
                text,
                "guard: {} is removed by the rename",
                escaped(&change.change.path)
            );
            continue;
        }
        if measure::is_binary(old) || measure::is_binary(new) {
            let _ = writeln!(
                text,
                "Binary content: {} bytes become {} bytes",
                old.len(),
                new.len()
            );
            continue;
        }
        let name = escaped(&change.change.path).to_string();
        let preview = measure::unified_preview(old, new, &name, &name, max);
        push_quoted(&mut text, "The change", Some(&painted(&preview, style)));
        let lost = measure::deleted_content(old, new, max);
        push_quoted(&mut text, "What would be lost", Some(&lost));
    }
    text
}

/// The word that approves all changes, taken from the first one that loses something.
fn word(waiting: &[Clearable]) -> String {
    let lost = |change: &Clearable| {
        measure::deleted_content(&change.old, &change.new, PREVIEW_LINES).into_bytes()
    };
    // From the content that the person sees.
    let first = waiting
        .iter()
        .filter(|change| !change.findings.is_empty())
        .map(|change| (change, lost(change)))
        .max_by_key(|(_, lost)| !lost.is_empty());
    first.map_or_else(String::new, |(change, lost)| {
        let (_, new) = approval::sides(&change.change);
        let id = new.unwrap_or_default();
        approval::word(
            &lost,
            change.change.path.as_ref(),
            id.get(..12).unwrap_or("staged"),
        )
    })
}
