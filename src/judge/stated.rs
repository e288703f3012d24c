//! The approvals that the messages of commits state, and which of them count. Anybody can write such a line; it
//! counts with the signature of a signer of the base, in the commit that makes the change, once.

use std::collections::HashMap;
use std::fmt;

use gix::ObjectId;
use gix::bstr::BStr;

use super::used;
use crate::approval::{Approval, Invalid, Signers, TRAILER};
use crate::change::{Change, State};
use crate::error::Result;
use crate::finding::Finding;
use crate::git::{Commit, Repository, Tree};
use crate::path::show;
use crate::policy::settings::{self, Settings};
use crate::rules;
use crate::trailer;

/// More lines that are no approval than these are not told.
const MAX_NOTES: usize = 3;

/// A trailer as it stands in a commit.
pub(super) struct Found {
    commit: ObjectId,
    approval: Result<Approval, String>,
}

/// The approvals that a commit states.
pub(super) fn in_commit(commit: &Commit) -> Vec<Found> {
    let found = |value: &[u8]| Found {
        commit: commit.id,
        approval: Approval::from_trailer_value(value).map_err(|error| error.0),
    };
    trailer::values(&commit.trailers, TRAILER)
        .map(found)
        .collect()
}

/// An approval that a commit states, and whether it counts.
pub(super) struct Statement {
    pub(super) commit: ObjectId,
    pub(super) approval: Approval,
    /// What was at the path before the commit and is there after it, where it counts.
    pub(super) step: (Option<State>, Option<State>),
    pub(super) doubt: Option<Doubt>,
}

/// Why a stated approval does not count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Doubt {
    Unsigned,
    NoSigners(String),
    Signature(Invalid),
    Expired,
    /// The commit before this one is not in the clone, so that nobody can tell what it changed.
    Shallow,
    /// The commit changes something else.
    OtherStep,
    /// It is a copy of one that counted in another commit.
    Used(ObjectId),
}

impl fmt::Display for Doubt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Doubt::Unsigned => f.write_str("it is not signed"),
            Doubt::NoSigners(file) => {
                write!(f, "nobody is listed in {} at the merge base", show(file))
            }
            Doubt::Signature(invalid) => invalid.fmt(f),
            Doubt::Expired => f.write_str("it had expired when the commit was made"),
            Doubt::Shallow => f.write_str("the commit before is not in this clone"),
            Doubt::OtherStep => f.write_str("the commit does not make the change that it names"),
            Doubt::Used(commit) => write!(
                f,
                "it counts once, and did in commit {}",
                commit.to_hex_with_len(12)
            ),
        }
    }
}

impl Statement {
    /// Why it does not count, in a sentence.
    fn refusal(&self) -> Option<String> {
        let who = show(&self.approval.who);
        let commit = self.commit.to_hex_with_len(12);
        Some(match self.doubt.as_ref()? {
            Doubt::Unsigned => {
                format!("approved locally by {who}, unsigned: that does not count here")
            }
            doubt => format!("the approval by {who} in commit {commit} does not count: {doubt}"),
        })
    }
}

/// More refused approvals of one path than these are not told.
const MAX_TOLD: usize = 3;

/// What the commits of a range state.
#[derive(Default)]
pub(super) struct Stated {
    /// In the order of the commits.
    pub(super) all: Vec<Statement>,
    /// The places of those of a commit.
    by_commit: HashMap<ObjectId, Vec<usize>>,
    /// Remarks on lines that are no approvals, and on the list of signers.
    pub(super) notes: Vec<String>,
}

impl Stated {
    /// Judges what was found by `settings` and the signers of the commit `base`. Where nothing was found, nothing is
    /// read.
    ///
    /// # Errors
    /// The list of signers or an object cannot be read.
    pub(super) fn judge(
        repo: &Repository,
        found: Vec<Found>,
        settings: &Settings,
        base: Option<ObjectId>,
    ) -> Result<Stated> {
        let approvals = found
            .iter()
            .filter_map(|found| found.approval.as_ref().ok());
        let oldest = approvals.map(|approval| approval.when).min();
        let mut judge = Judge::new(repo, settings, base, oldest);
        let mut stated = Stated::default();
        let mut unread = Vec::new();
        for Found { commit, approval } in found {
            match approval {
                Ok(approval) => {
                    let places = stated.by_commit.entry(commit).or_default();
                    places.push(stated.all.len());
                    stated.all.push(judge.statement(commit, approval)?);
                }
                Err(why) => unread.push(format!(
                    "commit {}: a {TRAILER} trailer is no approval: {why}",
                    commit.to_hex_with_len(12)
                )),
            }
        }
        let left_out = unread.len().saturating_sub(MAX_NOTES);
        unread.truncate(MAX_NOTES);
        if left_out > 0 {
            unread.push(format!("and {left_out} more {TRAILER} trailers are none"));
        }
        stated.notes = unread;
        if let Some(Some(signers)) = judge.signers {
            stated.notes.extend(signers.warnings);
        }
        Ok(stated)
    }

    /// Those that count in this commit.
    pub(super) fn counted_in(&self, commit: ObjectId) -> Vec<Approval> {
        let counted = self
            .of(Some(commit))
            .filter(|statement| statement.doubt.is_none());
        counted
            .map(|statement| statement.approval.clone())
            .collect()
    }

    /// Says of each error that stays why an approval of its path does not count; of one commit or of all.
    pub(super) fn tell(&self, findings: &mut [Finding], commit: Option<ObjectId>) {
        let mut refused: HashMap<&BStr, Vec<&Statement>> = HashMap::new();
        for statement in self.of(commit) {
            let path = statement.approval.path.as_ref();
            let same_path = refused.entry(path).or_default();
            if statement.doubt.is_some() && same_path.len() < MAX_TOLD {
                same_path.push(statement);
            }
        }
        for finding in findings {
            let path = finding.path.as_ref().map(|path| BStr::new(path).to_owned());
            let same_path = path
                .as_ref()
                .and_then(|path| refused.get::<BStr>(path.as_ref()));
            if !rules::can_be_cleared(finding) {
                continue;
            }
            for statement in same_path.into_iter().flatten() {
                finding.help.extend(statement.refusal());
                let facts = statement.facts(statement.doubt.as_ref().map(Doubt::to_string));
                finding.details.insert("approval", facts);
            }
        }
    }

    fn of(&self, commit: Option<ObjectId>) -> impl Iterator<Item = &Statement> {
        let (some, all) = match commit {
            Some(commit) => (self.by_commit.get(&commit), [].as_slice()),
            None => (None, self.all.as_slice()),
        };
        let some = some.into_iter().flatten().map(|&at| &self.all[at]);
        some.chain(all)
    }
}

impl Statement {
    /// What a finding says of it to programs; `why_not` where it does not clear the finding.
    pub(super) fn facts(&self, why_not: Option<String>) -> serde_json::Value {
        let mut facts = self.approval.facts();
        facts["counts"] = why_not.is_none().into();
        facts["commit"] = self.commit.to_string().into();
        if let Some(why_not) = why_not {
            facts["why_not"] = why_not.into();
        }
        facts
    }
}

struct Judge<'a> {
    repo: &'a Repository,
    settings: &'a Settings,
    base: Option<ObjectId>,
    /// When the oldest of the approvals was given.
    oldest: i64,
    /// Read when the first signature is met; `Some(None)` where there is no list.
    signers: Option<Option<Signers>>,
    /// In which commit an approval counted; with those of the base's history from the first that might count on.
    used: Option<HashMap<String, ObjectId>>,
}

impl<'a> Judge<'a> {
    fn new(
        repo: &'a Repository,
        settings: &'a Settings,
        base: Option<ObjectId>,
        oldest: Option<i64>,
    ) -> Self {
        Judge {
            repo,
            settings,
            base,
            oldest: oldest.unwrap_or(i64::MAX),
            signers: None,
            used: None,
        }
    }

    fn statement(&mut self, commit: ObjectId, approval: Approval) -> Result<Statement> {
        let mut statement = Statement {
            commit,
            step: (None, None),
            doubt: None,
            approval,
        };
        statement.doubt = self.doubt(&mut statement.step, commit, &statement.approval)?;
        Ok(statement)
    }

    fn doubt(
        &mut self,
        step: &mut (Option<State>, Option<State>),
        commit: ObjectId,
        approval: &Approval,
    ) -> Result<Option<Doubt>> {
        if !self.settings.accept_unsigned
            && let Some(doubt) = self.signature(approval)?
        {
            return Ok(Some(doubt));
        }
        if self.repo.authored(commit)? >= approval.expires {
            return Ok(Some(Doubt::Expired));
        }
        match step_of(self.repo, commit, approval.path.as_ref())? {
            None => return Ok(Some(Doubt::Shallow)),
            Some(made) => *step = made,
        }
        let change = Change {
            path: approval.path.clone(),
            old: step.0,
            new: step.1,
            renamed: None,
        };
        if !approval.is_for(&change) {
            return Ok(Some(Doubt::OtherStep));
        }
        let used = self.used()?;
        if let Some(&first) = used.get(&approval.id) {
            return Ok(Some(Doubt::Used(first)));
        }
        used.insert(approval.id.clone(), commit);
        Ok(None)
    }

    fn used(&mut self) -> Result<&mut HashMap<String, ObjectId>> {
        let known = match self.used.take() {
            Some(known) => known,
            None => used::in_history(self.repo, self.base, self.oldest)?,
        };
        Ok(self.used.insert(known))
    }

    fn signature(&mut self, approval: &Approval) -> Result<Option<Doubt>> {
        let Some(signature) = &approval.signature else {
            return Ok(Some(Doubt::Unsigned));
        };
        if self.signers.is_none() {
            let base = self.repo.tree_of(self.base)?;
            self.signers = Some(signers(&base, self.settings)?);
        }
        let Some(Some(signers)) = &self.signers else {
            return Ok(Some(Doubt::NoSigners(self.settings.signers.clone())));
        };
        let verified = approval.verify(signature, signers);
        Ok(verified.err().map(Doubt::Signature))
    }
}

/// The signers that a tree lists; `None` where it has no list.
///
/// # Errors
/// A line of the list cannot be read, or the tree cannot.
pub(super) fn signers(tree: &Tree<'_>, settings: &Settings) -> Result<Option<Signers>> {
    let file = &settings.signers;
    let text = tree.read(BStr::new(file))?;
    text.map(|text| Signers::parse(file, &text)).transpose()
}

/// What a commit made of a path, against its first parent; `None` where that parent is not here.
fn step_of(
    repo: &Repository,
    commit: ObjectId,
    path: &BStr,
) -> Result<Option<(Option<State>, Option<State>)>> {
    let recorded = repo.objects().recorded(commit)?;
    let parent = recorded.parents.first().copied();
    if parent.is_some_and(|parent| !repo.has(parent)) {
        return Ok(None);
    }
    let old = repo.tree_of(parent)?.get(path)?;
    let new = repo.tree_of(Some(commit))?.get(path)?;
    Ok(Some((old, new)))
}

/// What was at a path before a commit.
///
/// # Errors
/// The commit or its first parent is missing or damaged.
pub(super) fn before(repo: &Repository, commit: ObjectId, path: &BStr) -> Result<Option<State>> {
    let parent = repo.objects().recorded(commit)?.parents.first().copied();
    repo.tree_of(parent)?.get(path)
}

/// What HEAD's `guard.toml` says.
fn settings_of_head(repo: &Repository) -> Result<(Option<ObjectId>, Settings)> {
    let head = repo.head_commit()?;
    let text = repo.tree_of(head)?.read(BStr::new(settings::FILE))?;
    let settings = text.map_or(Ok(Settings::default()), |text| settings::parse(&text))?;
    Ok((head, settings))
}

/// Says of signed approvals that would not count by HEAD's list why they would not.
///
/// # Errors
/// HEAD, its settings or its list cannot be read.
pub fn not_listed(repo: &Repository, approvals: &[Approval]) -> Result<Vec<String>> {
    let is_signed = |approval: &&Approval| approval.signature.is_some();
    let mut signed = approvals.iter().filter(is_signed).peekable();
    if signed.peek().is_none() {
        return Ok(Vec::new());
    }
    let (head, settings) = settings_of_head(repo)?;
    let mut judge = Judge::new(repo, &settings, head, None);
    let mut notes = Vec::new();
    for approval in signed {
        if let Some(doubt) = judge.signature(approval)? {
            let doubt = match doubt {
                Doubt::NoSigners(file) => format!("HEAD has no {}", show(&file)),
                doubt => doubt.to_string(),
            };
            let note = format!("in a range and in CI this approval will not count: {doubt}");
            if !notes.contains(&note) {
                notes.push(note);
            }
        }
    }
    Ok(notes)
}

/// The signed approvals that a message brings along when git makes a commit anew, as in a rebase: those that count by
/// HEAD's list, hold at `now` (in seconds since 1970) and stand in no commit before.
///
/// # Errors
/// As for [`not_listed`], or a commit cannot be read.
pub fn brought_along(repo: &Repository, message: &BStr, now: i64) -> Result<Vec<Approval>> {
    let trailers = trailer::of_guard(message);
    let mut approvals: Vec<Approval> = trailer::values(trailers, TRAILER)
        .filter_map(|value| Approval::from_trailer_value(value).ok())
        .filter(|approval| approval.signature.is_some() && now < approval.expires)
        .collect();
    let Some(oldest) = approvals.iter().map(|approval| approval.when).min() else {
        return Ok(Vec::new());
    };
    let (head, settings) = settings_of_head(repo)?;
    let mut judge = Judge::new(repo, &settings, head, Some(oldest));
    let mut counted = Vec::new();
    for approval in approvals.drain(..) {
        if judge.signature(&approval)?.is_none() && !judge.used()?.contains_key(&approval.id) {
            counted.push(approval);
        }
    }
    Ok(counted)
}
