//! `guard approve`: lists the changes that wait for a person, shows, approves and rejects them, and approves staged
//! changes.

use std::fmt::Write as _;

use gix::bstr::BStr;
use serde_json::{Map, Value, json};

use super::files::print_done;
use super::options::{DesignArgs, repository};
use super::output::Output;
use super::question::{SignArgs, asking};
use super::usage::usage;
use crate::approvals::{
    self, Answer, HeldChange, Person, ask_for_word, unsigned_notes, with_unexpired,
};
use crate::files::{Failure, FailureKind, Gate, GateResult};
use crate::judge::{self, Clearable};
use crate::report::{Style, gutter, painted, push_change};
use crate::setup::git_hooks::{self, Survey};
use write_guard_policy::approve::{self, Approval};
use write_guard_policy::measure;
use write_guard_policy::path::escaped;
use write_guard_repo::Repository;
use write_guard_repo::boundary::Boundary;

/// Lines of each preview, the marker `[truncated]` included (requirement 000, section 2.4).
const PREVIEW_LINES: usize = 50;

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct ApproveArgs {
    /// A change that waits for approval, as listed by `guard approve`.
    #[arg(value_name = "ID")]
    id: Option<String>,
    /// Only show the whole change.
    #[arg(long, requires = "id")]
    show: bool,
    /// Reject the change instead of approving it.
    #[arg(long, requires = "id", conflicts_with = "show")]
    reject: bool,
    /// The reason of the rejection, for the log. guard asks for the reason of an approval.
    #[arg(long, value_name = "TEXT", requires = "id", allow_hyphen_values = true)]
    reason: Option<String>,
    /// Approve all staged changes that guard refuses, in one prompt.
    #[arg(long, conflicts_with = "id")]
    staged: bool,
    #[command(flatten)]
    sign: SignArgs,
    #[command(flatten)]
    design: DesignArgs,
}

const EXAMPLES: &str = "\
Examples:
  guard approve                 list the changes that wait for a person
  guard approve 3f2a9c0b1d4e    review a waiting change and write it
  guard approve --staged        review the staged changes that guard refuses

guard shows what would be lost, then asks for a word taken from the change and for a reason. \
Instead of the word you may type `append`, `insert LINE` or `extend`: guard shows what that would \
do, and asks again. Only a person at a terminal can approve. An approval covers one path with one \
old and one new content, until the commit is made or two weeks have passed. Ranges, pushes and CI \
count only approvals that are signed with an SSH key.";

impl ApproveArgs {
    pub(super) fn run(&self, output: &mut Output) -> GateResult<u8> {
        if let Some(id) = &self.id
            && self.reject
        {
            return self.reject(output, id);
        }
        if self.reason.is_some() {
            return Err(usage("--reason belongs to --reject")
                .help("guard asks for the reason of an approval")
                .into());
        }
        match &self.id {
            _ if self.staged => self.staged(output),
            Some(id) if !self.show => self.held(output, id),
            _ => self.list(output),
        }
    }

    /// Lists the held changes, or shows one.
    fn list(&self, output: &mut Output) -> GateResult<u8> {
        let repo = &repository()?;
        let mut json = json!({ "version": 1 });
        let mut text = String::new();
        if let Some(id) = &self.id {
            let change = approvals::held_change(repo, id)?;
            let boundary = Boundary::open(repo.own_workdir()?)?;
            let old = boundary.read(BStr::new(&change.path), u64::MAX)?;
            let old = old.map_or_else(Vec::new, |entry| entry.content);
            let name = escaped(&change.path).to_string();
            let new = change.content.as_deref().unwrap_or_default();
            let diff = measure::unified_preview(&old, new, &name, &name, usize::MAX);
            json["id"] = change.id.as_str().into();
            json["status"] = "held".into();
            json["held"] = json!([held_json(repo, &change, Some(&diff))]);
            text = held_line(&change) + "\n" + &gutter(&painted(&diff, &output.style));
        } else {
            let held = approvals::pending(repo)?;
            json["held"] = held
                .iter()
                .map(|change| held_json(repo, change, None))
                .collect();
            text.extend(held.iter().map(|change| held_line(change) + "\n"));
        }
        if text.is_empty() {
            output.report_done(&json, "no change waits for approval\n")
        } else {
            output.answer(&json, text)
        }
        Ok(0)
    }

    /// Rejects the change.
    fn reject(&self, output: &mut Output, id: &str) -> GateResult<u8> {
        let repo = repository()?;
        Person::present()?;
        let reason = self.reason.as_deref().unwrap_or_default();
        let path = approvals::reject(&repo, id, &approve::reason_line(reason))?.path;
        let told = format!("rejected {id}: {} is unchanged\n", escaped(&path));
        output.answer(&json!({"version": 1, "rejected": id, "path": path}), told);
        Ok(0)
    }

    fn held(&self, output: &mut Output, id: &str) -> GateResult<u8> {
        let repo = repository()?;
        let person = Person::present()?;
        let held = approvals::held_change(&repo, id)?.path.into();
        let mut gate = Gate::open_to_change(&repo, &self.design.options(false), &[held])?;
        output.notes(&gate.policy.notes);
        let person = Some((person, self.sign.clone()));
        let done = asking(output, &repo, &mut gate, person, |gate, ask| match ask {
            Some(ask) => gate.approve(id, ask),
            None => Err(Failure::new(FailureKind::NotApproved, "nobody was asked")),
        })?;
        print_done(output, &gate, &done);
        Ok(0)
    }

    fn staged(&self, output: &mut Output) -> GateResult<u8> {
        let repo = repository()?;
        let person = Person::present()?;
        // The commit will be judged in the same way.
        let options = with_unexpired(&repo, self.design.options(true))?;
        let (waiting, fixed) = judge::clearable(&repo, &options)?;
        for finding in &fixed {
            let rule = finding.rule.id();
            let message = &finding.message;
            output.notes(&[format!("an approval cannot clear {rule}: {message}")]);
        }
        if waiting.is_empty() {
            output.notes(&["no staged change needs an approval that could clear it".to_owned()])
        } else {
            self.approve_all(output, &repo, &person, &waiting)?
        }
        Ok(u8::from(!fixed.is_empty()))
    }

    fn approve_all(
        &self,
        output: &mut Output,
        repo: &Repository,
        person: &Person,
        waiting: &[Clearable],
    ) -> GateResult<()> {
        let signer = self.sign.signer(repo)?;
        if signer.is_none() {
            output.notes(&unsigned_notes(repo));
        }
        output.notes(note_on_trailers(&git_hooks::survey(repo)?).as_slice());
        let (text, word) = shown(waiting, &output.style);
        let Answer::Approve(reason) = ask_for_word(person, &text, &word, &[]) else {
            let why = "nothing was approved";
            return Err(Failure::new(FailureKind::NotApproved, why));
        };
        // Sign all before keeping the first, so that a failed signature leaves nothing behind.
        let decision = (approvals::TERMINAL, reason.as_str());
        let approvals = waiting.iter().map(|clearable| {
            let change = &clearable.change;
            let design = clearable.design.clone();
            approvals::new_approval(repo, change, design, decision, signer.as_ref())
        });
        let approvals: Vec<Approval> = approvals.collect::<GateResult<_>>()?;
        for (approval, change) in approvals.iter().zip(waiting) {
            approvals::keep(repo, approval, &change.designs, Map::new())?;
        }
        let paths: Vec<String> = waiting
            .iter()
            .map(|clearable| escaped(&clearable.change.path).to_string())
            .collect();
        let signed = signer.is_some();
        let how = if signed { ", signed" } else { "" };
        let told: String = paths
            .iter()
            .map(|path| format!("approved {path}{how}: commit it now\n"))
            .collect();
        let json = json!({"version": 1, "approved": paths, "reason": reason, "signed": signed});
        output.answer(&json, told);
        Ok(())
    }
}

/// Warns before an approval that would be lost, because no hook writes it into the commit's message.
fn note_on_trailers(survey: &Survey) -> Option<String> {
    let fix = survey.trailer_fix()?;
    // Lines of settings do not fit into a sentence.
    let how = if fix.len() > 2 {
        "`guard doctor` prints the lines to add".to_owned()
    } else {
        fix.join(", ")
    };
    Some(format!(
        "no hook will write the approval into the commit's message, so pushes and CI will not \
         see it: {how}"
    ))
}

/// A held change in a list.
pub(super) fn held_line(change: &HeldChange) -> String {
    format!("{}  {}  {}", change.id, change.operation.name(), change.why)
}

/// A held change for programs.
pub(super) fn held_json(repo: &Repository, change: &HeldChange, diff: Option<&str>) -> Value {
    let place = repo.place_of(&repo.work_tree());
    let mut json = json!(change);
    json["worktree"] = place
        .map(|place| place.to_string_lossy().into_owned())
        .into();
    json["diff"] = diff.into();
    json
}

/// Every waiting staged change with its findings, and the start of its preview and its loss; and the word that approves
/// them all, from what is lost.
fn shown(waiting: &[Clearable], style: &Style) -> (String, String) {
    let mut text = String::new();
    let mut all_lost = String::new();
    for clearable in waiting {
        let Clearable {
            change, old, new, ..
        } = clearable;
        let name = escaped(&change.path).to_string();
        for finding in &clearable.findings {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "guard: {}: {}", finding.rule.id(), finding.message);
        }
        if clearable.findings.is_empty() {
            // The new path of the rename shows what is lost.
            let _ = writeln!(text, "guard: {name} is removed by the rename");
        } else if measure::is_binary(old) || measure::is_binary(new) {
            let old = old.len();
            let new = new.len();
            let _ = writeln!(text, "Binary content: {old} bytes become {new} bytes");
        } else {
            let preview = measure::unified_preview(old, new, &name, &name, PREVIEW_LINES);
            let lost = measure::deleted_content(old, new, PREVIEW_LINES);
            push_change(&mut text, &preview, &lost, style);
            all_lost.push_str(&lost);
        }
    }
    let last = waiting.last().map(|clearable| &clearable.change);
    let id = last.and_then(|change| approve::sides(change).1);
    let path = last.map_or(BStr::new(""), |change| change.path.as_ref());
    let word = approve::word(all_lost.as_bytes(), path, id.as_deref().unwrap_or("staged"));
    (text, word)
}
