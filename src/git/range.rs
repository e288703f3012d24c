//! A range: a head, the commit that it is compared with, and the commits between.

use gix::ObjectId;
use gix::bstr::{BStr, BString, ByteSlice};

use super::{Commit, Repository, failed};
use crate::error::{Error, Result};
use crate::finding::Help;
use crate::path::escaped;

/// Commits to judge together or one by one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Range {
    /// The merge base, or what a forced push replaced; `None` if nothing existed before.
    pub base: Option<ObjectId>,
    /// Further merge bases, older than `base`; several after criss-cross merges.
    pub other_bases: Vec<ObjectId>,
    /// What existed before, such as the tip of the target branch, which may be newer than the merge base.
    pub known: Vec<ObjectId>,
    /// The last commit; `None` if nothing is left to judge, for example after a branch was deleted.
    pub head: Option<ObjectId>,
    /// The commits between, parents before children.
    pub commits: Vec<Commit>,
    /// Whether the clone is shallow and lacks some of the commits.
    pub is_cut: bool,
    /// The ref that a push updates.
    pub reference: Option<BString>,
    /// The branch of the commits.
    pub branch: Option<BString>,
    /// How this range was determined, one sentence each.
    pub notes: Vec<String>,
}

impl Range {
    /// An empty range, and why.
    pub fn nothing(why: impl Into<String>) -> Range {
        Range {
            notes: vec![why.into()],
            ..Range::default()
        }
    }

    /// The same range, judged from the previous state of the branch: what a forced push removes from the target
    /// branch counts as lost, by the rules in force then.
    pub fn judged_from(mut self, before: Option<ObjectId>) -> Range {
        if before.is_some() {
            self.base = before;
            self.other_bases.clear();
        }
        self
    }
}

impl Repository {
    /// The range `A..B` or `A...B`: both mean the commits of B since its merge base with A. B defaults to HEAD. A is
    /// required: an unset variable would otherwise make the range empty.
    ///
    /// # Errors
    /// The text is not a range, a revision is unknown, or the merge base is uncertain.
    pub(crate) fn parse_range(&self, text: &str) -> Result<Range> {
        let unusable = |why| {
            Error::new(why).help("write A..B; for the commits of a branch: --range main..HEAD")
        };
        let (from, to) = text
            .split_once("...")
            .or_else(|| text.split_once(".."))
            .ok_or_else(|| unusable(format!("{} is not a range", escaped(text))))?;
        if from.is_empty() {
            let shown = escaped(text);
            return Err(unusable(format!("the range {shown} has no start")));
        }
        self.range_between(from, if to.is_empty() { "HEAD" } else { to })
    }

    /// From the merge base of two revisions to the second.
    ///
    /// # Errors
    /// As for [`Repository::parse_range`].
    pub(crate) fn range_between(&self, from: &str, to: &str) -> Result<Range> {
        let base = self.revision(from)?;
        let (head, branch) = self.revision_and_branch(to)?;
        let range = self.range_from(&[base], head, &[from, to])?;
        if range.base == range.head && (base != head || self.is_same_revision(from, to)) {
            return Err(self.empty_range(from, to, base == head));
        }
        Ok(Range { branch, ..range })
    }

    /// Whether both names mean the same ref, so that the range is always empty. Two refs at the same commit, such as
    /// main and a new branch, are different revisions.
    fn is_same_revision(&self, from: &str, to: &str) -> bool {
        let full = |revision: &str| {
            let name = if revision == "@" { "HEAD" } else { revision };
            let Some(reference) = self.repo.try_find_reference(name).ok().flatten() else {
                return BString::from(name);
            };
            let target = reference.target();
            let name = target.try_name().unwrap_or(reference.name());
            name.as_bstr().to_owned()
        };
        full(from) == full(to)
    }

    /// The error for an empty range that the user named.
    fn empty_range(&self, from: &str, to: &str, is_same: bool) -> Error {
        let (shown_from, shown_to) = (escaped(from), escaped(to));
        if is_same {
            return Error::new(format!(
                "the range {shown_from}..{shown_to} is empty: both ends are the same revision"
            ))
            .help("name the target branch first:")
            .help(Help::command("guard lint --range main..HEAD"));
        }
        Error::new(format!(
            "the range {shown_from}..{shown_to} is empty: {shown_to} is an ancestor of {shown_from}"
        ))
        .help(format!(
            "if the ends are swapped: --range {shown_to}..{shown_from}"
        ))
        .help(format!(
            "if {shown_to} is already merged or has no commits yet, there is nothing to judge"
        ))
    }

    /// From the merge bases of `head` with any of `known` to `head`. `fetch` says what to fetch if there is none.
    ///
    /// # Errors
    /// There is no merge base, or the clone is too shallow to be sure.
    pub(crate) fn range_from(
        &self,
        known: &[ObjectId],
        head: ObjectId,
        fetch: &[&str],
    ) -> Result<Range> {
        let history = self.history(known, head)?;
        let is_shallow = self.is_shallow();
        let Some((&base, other_bases)) = history.bases.split_first() else {
            let why = if is_shallow {
                "the clone is shallow and ends before the merge base"
            } else {
                "the two histories have no commit in common"
            };
            return Err(Error::new(format!("there is no range to judge: {why}"))
                .help(fetch_command(is_shallow, fetch)));
        };
        // If the known commit is itself the base, nothing can lie between, even in a shallow clone.
        let is_certain = known == [base] || base == head;
        if history.is_cut && !is_certain {
            return Err(Error::new(
                "the merge base is uncertain: the clone is shallow and ends within the range",
            )
            .help(fetch_command(is_shallow, fetch)));
        }
        let mut notes = Vec::new();
        if !other_bases.is_empty() {
            let all = history
                .bases
                .iter()
                .map(|id| id.to_hex_with_len(12).to_string());
            notes.push(format!(
                "there are {} merge bases; judging against each of them: {}",
                history.bases.len(),
                all.collect::<Vec<_>>().join(", ")
            ));
        }
        Ok(Range {
            base: Some(base),
            other_bases: other_bases.to_vec(),
            known: known.to_vec(),
            head: Some(head),
            commits: history.ahead,
            is_cut: history.ahead_is_cut,
            notes,
            ..Range::default()
        })
    }

    /// The commit of a revision, and its branch: by name, or because HEAD is on it.
    ///
    /// # Errors
    /// The revision is unknown.
    pub(crate) fn revision_and_branch(&self, name: &str) -> Result<(ObjectId, Option<BString>)> {
        let id = self.revision(name)?;
        Ok((id, self.branch_of(name, id)?))
    }

    /// The commit of a revision.
    ///
    /// # Errors
    /// The revision is unknown.
    pub(crate) fn revision(&self, name: &str) -> Result<ObjectId> {
        self.refuse_ambiguous(name)?;
        let known = self.resolve_commit(BStr::new(name))?;
        known.ok_or_else(|| {
            Error::new(format!(
                "{} is not a commit in this repository",
                escaped(name)
            ))
            .help(fetch_command(self.is_shallow(), &[name]))
        })
    }

    /// If a tag and a branch share a name, git uses the tag: anyone who can push tags could then choose the start of
    /// a range.
    fn refuse_ambiguous(&self, revision: &str) -> Result<()> {
        let end = revision.find(['~', '^', '@', ':']);
        let name = &revision[..end.unwrap_or(revision.len())];
        let places = ["", "refs/", "refs/tags/", "refs/heads/", "refs/remotes/"];
        let mut found: Vec<(String, ObjectId)> = Vec::new();
        for full in places.map(|place| format!("{place}{name}")) {
            if let Some(id) = self.commit_of_ref(&full)? {
                found.push((full, id));
            }
        }
        let Some((first, id)) = found.first() else {
            return Ok(());
        };
        let Some((other, _)) = found.iter().find(|(_, other)| other != id) else {
            return Ok(());
        };
        let (first, other) = (escaped(first), escaped(other));
        Err(Error::new(format!(
            "{} is ambiguous: {first} or {other}",
            escaped(name)
        ))
        .help("write the name in full, such as refs/heads/main"))
    }

    /// The commit of the ref with exactly this full name; `None` if there is no such ref.
    ///
    /// # Errors
    /// The ref does not name a commit.
    pub(crate) fn commit_of_ref(&self, full: &str) -> Result<Option<ObjectId>> {
        let found = self.repo.try_find_reference(full).ok().flatten();
        let Some(mut reference) = found.filter(|found| found.name().as_bstr() == full) else {
            return Ok(None);
        };
        let commit = reference
            .peel_to_id()
            .map_err(failed(format!("{} cannot be read", escaped(full))))?;
        self.resolve_commit(commit.to_string().as_str().into())
    }

    /// Whether the clone is shallow.
    pub(crate) fn is_shallow(&self) -> bool {
        // A file that cannot be read counts as a boundary.
        self.repo.is_shallow().unwrap_or(true)
    }

    fn branch_of(&self, name: &str, head: ObjectId) -> Result<Option<BString>> {
        if name != "HEAD" && name != "@" {
            // Without the full name, git would find a tag of the same name (at the same commit) first.
            let full = ["refs/heads/", "refs/remotes/", ""]
                .iter()
                .find_map(|place| {
                    let found = self.repo.try_find_reference(&format!("{place}{name}"));
                    Some(found.ok()??.name().as_bstr().to_owned())
                });
            let full = full.unwrap_or_default();
            if let Some(local) = full.strip_prefix(b"refs/heads/") {
                return Ok(Some(local.into()));
            }
            let remote = full.strip_prefix(b"refs/remotes/");
            if let Some((_, branch)) = remote.and_then(|name| name.split_once_str("/")) {
                return Ok(Some(branch.into()));
            }
        }
        if self.head_commit()? != Some(head) {
            return Ok(None);
        }
        self.design_branch()
    }
}

/// The command that completes a clone. `wanted` are branches, commits, or refspecs with a leading `+`.
pub fn fetch_command(is_shallow: bool, wanted: &[&str]) -> String {
    let mut command = "git fetch --no-tags".to_owned();
    if is_shallow {
        command += " --unshallow";
    }
    command += " origin";
    for name in wanted {
        let name = name.trim_start_matches("refs/remotes/");
        // A remote knows names and ids, but not revision expressions.
        if name.starts_with('+') || !name.contains(['~', '^', ':', '@']) {
            let name = name.trim_start_matches("origin/");
            command += &format!(" {}", escaped(name));
        }
    }
    format!("run `{command}`")
}
