//! Ranges by the names of commits, by pushes and by what existed before.

use gix::ObjectId;
use gix::bstr::{BStr, BString, ByteSlice};

use super::{PushSide, Range, Repository, TargetBranch, Update, failed};
use write_guard_policy::error::{Error, Result};
use write_guard_policy::finding::Help;
use write_guard_policy::path::escaped;

impl Repository {
    /// The range `A..B` or `A...B`: both mean the commits of B since its merge base with A. B defaults to HEAD. A is
    /// required: an unset variable would otherwise make the range empty.
    ///
    /// # Errors
    /// The text is not a range, a revision is unknown, or the merge base is uncertain.
    pub fn parse_range(&self, text: &str) -> Result<Range> {
        let (from, to) = text
            .split_once("...")
            .or_else(|| text.split_once(".."))
            .ok_or_else(|| unusable_range(format!("{} is not a range", escaped(text))))?;
        if from.is_empty() {
            let shown = escaped(text);
            return Err(unusable_range(format!("the commits {shown} has no start")));
        }
        self.range_between(from, if to.is_empty() { "HEAD" } else { to })
    }

    /// From the merge base of two revisions to the second.
    ///
    /// # Errors
    /// As for [`Repository::parse_range`].
    pub fn range_between(&self, from: &str, to: &str) -> Result<Range> {
        let base = self.revision(from)?;
        let (head, branch) = self.revision_and_branch(to)?;
        let range = self.range_from(&[base], head, &[from, to])?;
        if range.base == range.head && (base != head || self.is_same_revision(from, to)) {
            let from = escaped(from);
            let to = escaped(to);
            let why = format!("{to} has no commit that {from} lacks");
            return Err(
                Error::new(format!("the range {from}..{to} is empty: {why}"))
                    .help("name the target branch first:")
                    .help(Help::command("guard lint --range main..HEAD")),
            );
        }
        Ok(Range { branch, ..range })
    }

    /// Whether both names mean the same ref, so that the range is always empty. Two refs at the same commit, such as
    /// main and a new branch, are different revisions.
    fn is_same_revision(&self, from: &str, to: &str) -> bool {
        self.full_name(from) == self.full_name(to)
    }

    /// The full name of the ref that a revision names, behind symbolic refs; another revision as it is.
    fn full_name(&self, revision: &str) -> BString {
        let name = if revision == "@" { "HEAD" } else { revision };
        let reference = self.repo.try_find_reference(name).ok().flatten();
        let name = reference.map_or(name.into(), |found| found.name().as_bstr().to_owned());
        self.points_to(&name.to_str_lossy()).unwrap_or(name)
    }

    /// From the merge bases of `head` with any of `known` to `head`. `fetch` says what to fetch if there is none.
    ///
    /// # Errors
    /// There is no merge base, or the clone is too shallow to be sure.
    pub fn range_from(&self, known: &[ObjectId], head: ObjectId, fetch: &[&str]) -> Result<Range> {
        let range = self.history(known, head)?;
        let Some(base) = range.base else {
            let why = if self.is_shallow() {
                "the clone is shallow and ends before the merge base"
            } else {
                "the two histories have no commit in common"
            };
            return Err(Error::new(format!("there are no commits to check: {why}"))
                .help(self.fetch_command(fetch)));
        };
        // If the known commit is itself the base, nothing can lie between, even in a shallow clone.
        let is_certain = known == [base] || base == head;
        if range.is_uncertain && !is_certain {
            return Err(Error::new(
                "the merge base is uncertain: the clone is shallow and ends within these commits",
            )
            .help(self.fetch_command(fetch)));
        }
        let count = 1 + range.other_bases.len();
        let note = format!("there are {count} merge bases; checking against each of them");
        Ok(Range {
            known: known.to_vec(),
            notes: (count > 1).then_some(note).into_iter().collect(),
            ..range
        })
    }

    /// What `head` changes in an ancestor, which a shallow clone need not know to be one; without an ancestor, all of its
    /// history.
    ///
    /// # Errors
    /// A commit is missing or damaged.
    pub fn range_since(&self, base: Option<ObjectId>, head: ObjectId) -> Result<Range> {
        let range = self.history(base.as_slice(), head)?;
        Ok(Range { base, ..range })
    }

    /// The commit of a revision, and its branch: by name, or because HEAD is on it.
    ///
    /// # Errors
    /// The revision is unknown.
    pub fn revision_and_branch(&self, name: &str) -> Result<(ObjectId, Option<BString>)> {
        let id = self.revision(name)?;
        Ok((id, self.branch_of(name, id)?))
    }

    /// The commit of a revision.
    ///
    /// # Errors
    /// The revision is unknown.
    pub fn revision(&self, name: &str) -> Result<ObjectId> {
        self.refuse_ambiguous(name)?;
        let known = self.resolve_commit(BStr::new(name))?;
        known.ok_or_else(|| {
            let shown = escaped(name);
            Error::new(format!("{shown} is not a commit in this repository"))
                .help(self.fetch_command(&[name]))
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
        let Some((other, _)) = found.iter().find(|(_, id)| *id != found[0].1) else {
            return Ok(());
        };
        let shown = escaped(name);
        let first = escaped(&found[0].0);
        let other = escaped(other);
        let message = format!("{shown} is ambiguous: {first} or {other}");
        Err(Error::new(message).help("write the name in full, such as refs/heads/main"))
    }

    /// The commit of the ref with exactly this full name; `None` if there is no such ref.
    ///
    /// # Errors
    /// The ref does not name a commit.
    pub fn commit_of_ref(&self, full: &str) -> Result<Option<ObjectId>> {
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
    pub fn is_shallow(&self) -> bool {
        // A file that cannot be read counts as a boundary.
        self.repo.is_shallow().unwrap_or(true)
    }

    fn branch_of(&self, name: &str, head: ObjectId) -> Result<Option<BString>> {
        if name != "HEAD" && name != "@" {
            // Without the full name, git would find a tag of the same name (at the same commit) first.
            let mut places = ["refs/heads/", "refs/remotes/", ""].iter();
            let full = places.find_map(|place| {
                let found = self.repo.try_find_reference(&format!("{place}{name}"));
                Some(found.ok()??.name().as_bstr().to_owned())
            });
            let full = full.unwrap_or_default();
            if let Some(local) = full.strip_prefix(b"refs/heads/") {
                return Ok(Some(local.into()));
            }
            let remote = full.strip_prefix(b"refs/remotes/");
            if let Some((_, branch)) = remote.and_then(|short| short.split_once_str("/")) {
                return Ok(Some(branch.into()));
            }
        }
        if self.head_commit()? != Some(head) {
            return Ok(None);
        }
        self.design_branch()
    }

    /// The range of one ref of a push, without its branch.
    ///
    /// The target branch is checked from its previous state. Any other branch is checked from its merge base with the
    /// target branch, so that changes on the target branch or settings from an earlier push do not count.
    ///
    /// # Errors
    /// The previous state is unknown, or an object is missing.
    pub fn range_of_update(
        &self,
        update: &Update,
        push: &[Update],
        target: Option<&TargetBranch>,
        side: PushSide<'_>,
    ) -> Result<Range> {
        let is_target = target.is_some_and(|target| target.is_of(update));
        let shown = escaped(&update.name);
        let Some(new) = update.new.filter(|_| update.holds_code()) else {
            let why = format!("{shown} is deleted or contains no code: not checked");
            return Ok(Range {
                notes: vec![why],
                ..Range::default()
            });
        };
        let commit = self.resolve_commit(new.to_string().as_str().into())?;
        let new =
            commit.ok_or_else(|| Error::new(format!("object {new} is not in the repository")))?;
        let begin = if is_target {
            update.old
        } else {
            target.and_then(|target| target.tip)
        };
        let ahead = self.ahead_elsewhere(begin, target, side)?;
        let mut known = Vec::from_iter(ahead);
        if is_target {
            known.extend(update.old);
        } else {
            if let Some(target) = target {
                known.extend(target.tip);
                let pushed = push.iter().find(|pushed| target.is_of(pushed));
                known.extend(pushed.and_then(|pushed| pushed.new));
            }
            if known.is_empty() {
                known.extend(update.old);
            }
        }
        if let Some(missing) = known.iter().find(|&&id| !self.has(id)) {
            let what = format!("commit {missing}, which the remote already has,");
            return Err(Error::new(format!("{what} is not in this repository"))
                .help(Help::run("fetch first, then push again", "git fetch")));
        }
        if known.is_empty() {
            return match side {
                PushSide::Server => Ok(Range {
                    notes: vec![format!("{shown} is the first ref in this repository")],
                    ..self.range_since(None, new)?
                }),
                PushSide::Local(remote) => Err(unknown_remote(remote)),
            };
        }
        let range = self.range_from(&known, new, &[])?;
        let is_continued = is_target && ahead.is_none();
        let mut range = range.judged_from(update.old.filter(|_| is_continued));
        // The previous value of the ref is replaced, as by a rebase, not continued.
        range.known.retain(|&id| Some(id) != update.old);
        let from = range
            .base
            .map_or_else(String::new, |id| id.to_hex_with_len(12).to_string());
        let what = match target.filter(|_| !is_continued) {
            Some(target) => format!("merge base with {}", escaped(&target.name)),
            None => "previous state".to_owned(),
        };
        let note = format!("{shown} is checked from {from}, its {what}");
        range.notes.insert(0, note);
        Ok(range)
    }

    /// The commit of the target branch on another remote, if that one has all that the remote has: the copy in a fork
    /// stays behind, and what it lacks is the work of others.
    fn ahead_elsewhere(
        &self,
        begin: Option<ObjectId>,
        target: Option<&TargetBranch>,
        side: PushSide<'_>,
    ) -> Result<Option<ObjectId>> {
        let (Some(begin), Some(target), PushSide::Local(remote)) = (begin, target, side) else {
            return Ok(None);
        };
        let mut furthest = begin;
        for other in self.repo.remote_names() {
            let name = format!("refs/remotes/{other}/{}", target.name);
            let tip = self.commit_of_ref(&name)?;
            let Some(tip) = tip.filter(|_| other.as_bytes() != remote.as_bytes()) else {
                continue;
            };
            if self.has(begin) && self.merge_base(furthest, tip)? == Some(furthest) {
                furthest = tip;
            }
        }
        Ok((furthest != begin).then_some(furthest))
    }

    /// The target branch: `base` of the settings, or the default branch of the remote or server.
    ///
    /// # Errors
    /// A ref is damaged.
    pub fn target(&self, base: Option<&str>, side: PushSide<'_>) -> Result<Option<TargetBranch>> {
        let prefix = match side {
            PushSide::Local(remote) => format!("refs/remotes/{remote}/"),
            PushSide::Server => "refs/heads/".to_owned(),
        };
        let head = match side {
            PushSide::Local(_) => format!("{prefix}HEAD"),
            PushSide::Server => "HEAD".to_owned(),
        };
        if let Some(base) = base
            && let tip @ Some(_) = self.commit_of_ref(&format!("{prefix}{base}"))?
        {
            let name = base.into();
            return Ok(Some(TargetBranch { name, tip }));
        }
        let full = self.points_to(&head).unwrap_or_default();
        let Some(name) = full.strip_prefix(prefix.as_bytes()) else {
            return Ok(None);
        };
        let name = BString::from(name);
        let tip = self.commit_of_ref(&format!("{prefix}{name}"))?;
        Ok((tip.is_some() || side == PushSide::Server).then_some(TargetBranch { name, tip }))
    }

    /// The short names and the tips of the branches below a prefix, such as `refs/heads/`. A symbolic ref has no tip.
    ///
    /// # Errors
    /// The refs cannot be listed or read.
    pub fn branches(&self, prefix: &str) -> Result<Vec<(BString, Option<ObjectId>)>> {
        let cannot = failed("the branches cannot be listed");
        let references = self.repo.references().map_err(&cannot)?;
        let found = references.prefixed(prefix).map_err(&cannot)?;
        let branches = found.map(|branch| {
            let branch =
                branch.map_err(|error| Error::new(format!("a branch cannot be read: {error}")))?;
            let name = branch.name().as_bstr();
            let name = name.strip_prefix(prefix.as_bytes()).unwrap_or(name);
            Ok((name.into(), branch.try_id().map(gix::Id::detach)))
        });
        branches.collect()
    }

    /// The command that completes a clone. `wanted` are branches, commits, or refspecs with a leading `+`.
    pub fn fetch_command(&self, wanted: &[&str]) -> String {
        let mut command = "git fetch --no-tags".to_owned();
        if self.is_shallow() {
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

    /// The target of a symbolic ref.
    pub(super) fn points_to(&self, name: &str) -> Option<BString> {
        let reference = self.repo.try_find_reference(name).ok()??;
        let target = reference.target().try_name()?.as_bstr().to_owned();
        Some(target)
    }
}

fn unusable_range(why: String) -> Error {
    Error::new(why).help("write A..B; for the commits of a branch: --range main..HEAD")
}

fn unknown_remote(remote: &str) -> Error {
    let shown = escaped(remote);
    Error::new(format!("guard does not know what {shown} already has"))
        .help(Help::run(
            "fetch it",
            format_args!("git fetch {shown} && git remote set-head {shown} --auto"),
        ))
        .help(
            "if the remote is empty, there is nothing to compare with: push once with \
             `git push --no-verify`",
        )
}
