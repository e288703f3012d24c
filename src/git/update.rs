//! The refs that a push changes, with their old and new values, and the range of each.

use gix::ObjectId;
use gix::bstr::{BStr, BString, ByteSlice};

use super::{Range, Repository, failed};
use crate::error::{Error, Result};
use crate::path::escaped;

/// One ref of a push, by its name on the receiving side.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Update {
    /// The full name.
    pub name: BString,
    /// The old value; `None` for a new ref.
    pub old: Option<ObjectId>,
    /// The new value; `None` for a deletion.
    pub new: Option<ObjectId>,
}

/// The target branch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TargetBranch {
    /// The short name.
    pub name: BString,
    /// Its commit; `None` while it is empty.
    pub tip: Option<ObjectId>,
}

/// Where a push is judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PushSide<'a> {
    /// Before it is sent to the remote of this name.
    Local(&'a str),
    /// Where it is received.
    Server,
}

impl Update {
    /// A ref with hexadecimal values; all zeros mean none.
    ///
    /// # Errors
    /// A value is not an object id.
    pub fn new(name: &BStr, old: &[u8], new: &[u8]) -> Result<Update> {
        Ok(Update {
            name: name.to_owned(),
            old: object_id(old)?,
            new: object_id(new)?,
        })
    }

    /// Parses the input of the pre-push hook: `<local ref> <local id> <remote ref> <remote id>` per line.
    ///
    /// # Errors
    /// A line is malformed.
    pub fn parse_pushed(input: &[u8]) -> Result<Vec<Update>> {
        parse(input, |words| match words {
            [_, new, name, old] => Some((name, old, new)),
            _ => None,
        })
    }

    /// Parses the input of the pre-receive and reference-transaction hooks: `<old id> <new id> <ref>` per line.
    ///
    /// # Errors
    /// A line is malformed.
    pub fn parse_received(input: &[u8]) -> Result<Vec<Update>> {
        parse(input, |words| match words {
            [old, new, name] => Some((name, old, new)),
            _ => None,
        })
    }

    /// The short name of a branch.
    pub fn branch(&self) -> Option<&BStr> {
        self.name
            .strip_prefix(b"refs/heads/")
            .map(ByteSlice::as_bstr)
    }
}

/// The name, old and new value in a line.
type Words<'a> = (&'a [u8], &'a [u8], &'a [u8]);

fn parse(
    input: &[u8],
    order: impl for<'a> Fn(&[&'a [u8]]) -> Option<Words<'a>>,
) -> Result<Vec<Update>> {
    let mut updates = Vec::new();
    for line in input.lines().filter(|line| !line.is_empty()) {
        let words: Vec<&[u8]> = line.split(|&byte| byte == b' ').collect();
        let Some((name, old, new)) = order(&words) else {
            return Err(Error::new(format!(
                "{} is not valid input for this hook",
                escaped(line.as_bstr())
            )));
        };
        // A symbolic ref does not name a commit itself.
        if !new.starts_with(b"ref:") {
            let old = if old.starts_with(b"ref:") { b"0" } else { old };
            updates.push(Update::new(name.as_bstr(), old, new)?);
        }
    }
    Ok(updates)
}

fn object_id(hex: &[u8]) -> Result<Option<ObjectId>> {
    if !hex.is_empty() && hex.iter().all(|&byte| byte == b'0') {
        return Ok(None);
    }
    ObjectId::from_hex(hex)
        .map(Some)
        .map_err(|_| Error::new(format!("{} is not an object id", escaped(hex.as_bstr()))))
}

impl Repository {
    /// The ranges of a push, one per ref.
    ///
    /// The target branch is judged from its previous state. Any other branch is judged from its merge base with the
    /// target branch, so that changes on the target branch or settings from an earlier push do not count.
    ///
    /// # Errors
    /// The previous state is unknown, or an object is missing.
    pub(crate) fn ranges_of_push(
        &self,
        updates: &[Update],
        target: Option<&TargetBranch>,
        side: PushSide<'_>,
    ) -> Result<Vec<Range>> {
        let on_target = |update: &&Update| {
            target.is_some_and(|target| update.branch() == Some(target.name.as_ref()))
        };
        let pushed_target = updates.iter().find(on_target).and_then(|update| update.new);
        let ranges = updates.iter().map(|update| {
            let own = on_target(&update);
            let mut range = self
                .range_of_update(update, own, target, pushed_target, side)
                .map_err(|mut error| {
                    error.message = format!("{}: {}", escaped(&update.name), error.message);
                    error
                })?;
            range.reference = Some(update.name.clone());
            range.branch = update.branch().map(ToOwned::to_owned);
            Ok(range)
        });
        ranges.collect()
    }

    fn range_of_update(
        &self,
        update: &Update,
        is_target: bool,
        target: Option<&TargetBranch>,
        pushed_target: Option<ObjectId>,
        side: PushSide<'_>,
    ) -> Result<Range> {
        let shown = escaped(&update.name);
        let Some(new) = update.new else {
            return Ok(Range::nothing(format!(
                "{shown} is deleted: nothing to judge"
            )));
        };
        if update.name.starts_with(b"refs/notes/") || update.name.starts_with(b"refs/guard/") {
            return Ok(Range::nothing(format!(
                "{shown} contains no code: not judged"
            )));
        }
        let new = self.commit_of(new)?;
        let mut known: Vec<ObjectId> = Vec::new();
        if is_target {
            known.extend(update.old);
        } else {
            known.extend(target.and_then(|target| target.tip));
            known.extend(pushed_target);
            if known.is_empty() {
                known.extend(update.old);
            }
        }
        if let Some(missing) = known.iter().find(|&&id| !self.has(id)) {
            return Err(Error::new(format!(
                "commit {missing}, which the remote already has, is not in this repository"
            ))
            .help("fetch first, then push again: git fetch"));
        }
        if known.is_empty() {
            return match side {
                PushSide::Server => Ok(Range {
                    head: Some(new),
                    commits: self.history(&[], new)?.ahead,
                    notes: vec![format!("{shown} is the first ref in this repository")],
                    ..Range::default()
                }),
                PushSide::Local(remote) => Err(unknown_remote(remote)),
            };
        }
        let range = self.range_from(&known, new, &[])?;
        let mut range = range.judged_from(update.old.filter(|_| is_target));
        // The previous value of the ref is replaced, as by a rebase, not continued.
        range.known.retain(|&id| Some(id) != update.old);
        let from = range
            .base
            .map_or_else(String::new, |id| id.to_hex_with_len(12).to_string());
        range.notes.insert(
            0,
            match (is_target, target) {
                (false, Some(target)) => format!(
                    "{shown} is judged from {from}, its merge base with {}",
                    escaped(&target.name)
                ),
                _ => format!("{shown} is judged from {from}, its previous state"),
            },
        );
        Ok(range)
    }

    /// The commit of an id, which may be an annotated tag.
    fn commit_of(&self, id: ObjectId) -> Result<ObjectId> {
        let commit = self.resolve_commit(id.to_string().as_str().into())?;
        commit.ok_or_else(|| Error::new(format!("object {id} is not in the repository")))
    }

    /// The target branch: `base` of the settings, or the default branch of the remote or server.
    ///
    /// # Errors
    /// A ref is damaged.
    pub(crate) fn target(
        &self,
        base: Option<&str>,
        side: PushSide<'_>,
    ) -> Result<Option<TargetBranch>> {
        let prefix = match side {
            PushSide::Local(remote) => format!("refs/remotes/{remote}/"),
            PushSide::Server => "refs/heads/".to_owned(),
        };
        let named = |name: &BStr| -> Result<Option<ObjectId>> {
            self.commit_of_ref(&format!("{prefix}{name}"))
        };
        if let Some(base) = base
            && let Some(tip) = named(base.into())?
        {
            return Ok(Some(TargetBranch {
                name: base.into(),
                tip: Some(tip),
            }));
        }
        let head = match side {
            PushSide::Local(_) => format!("{prefix}HEAD"),
            PushSide::Server => "HEAD".to_owned(),
        };
        let full = self.points_to(&head).unwrap_or_default();
        let Some(name) = full.strip_prefix(prefix.as_bytes()) else {
            return Ok(None);
        };
        let name = BString::from(name);
        let tip = named(name.as_ref())?;
        Ok((tip.is_some() || side == PushSide::Server).then_some(TargetBranch { name, tip }))
    }

    /// The tips of all local and remote-tracking branches.
    ///
    /// # Errors
    /// The refs cannot be listed, or a branch does not name a commit.
    pub(crate) fn branch_tips(&self) -> Result<Vec<ObjectId>> {
        let cannot = failed("the branches cannot be listed");
        let references = self.repo.references().map_err(&cannot)?;
        let mut tips = Vec::new();
        for prefix in ["refs/heads/", "refs/remotes/"] {
            let branches = references.prefixed(prefix).map_err(&cannot)?;
            for branch in branches {
                let branch = branch
                    .map_err(|error| Error::new(format!("a branch cannot be read: {error}")))?;
                if let Some(id) = branch.try_id() {
                    tips.push(id.detach());
                }
            }
        }
        Ok(tips)
    }

    /// The target of a symbolic ref.
    pub(super) fn points_to(&self, name: &str) -> Option<BString> {
        let reference = self.repo.try_find_reference(name).ok()??;
        let target = reference.target().try_name()?.as_bstr().to_owned();
        Some(target)
    }
}

fn unknown_remote(remote: &str) -> Error {
    let shown = escaped(remote);
    Error::new(format!("guard does not know what {shown} already has"))
        .help(format!("fetch it: git fetch {shown} && git remote set-head {shown} --auto"))
        .help("if the remote is empty, there is nothing to compare with: push once with `git push --no-verify`")
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: &str = "1111111111111111111111111111111111111111";
    const ZERO: &str = "0000000000000000000000000000000000000000";

    #[test]
    fn both_forms_of_git_are_read() {
        let a = ObjectId::from_hex(A.as_bytes()).ok();
        let pushed =
            Update::parse_pushed(format!("refs/heads/x {A} refs/heads/y {ZERO}\n").as_bytes());
        let expected = Update {
            name: "refs/heads/y".into(),
            old: None,
            new: a,
        };
        assert_eq!(pushed.ok(), Some(vec![expected]));
        let received = Update::parse_received(format!("{A} {ZERO} refs/heads/y\n").as_bytes());
        let expected = Update {
            name: "refs/heads/y".into(),
            old: a,
            new: None,
        };
        assert_eq!(received.ok(), Some(vec![expected]));
        let symbolic = Update::parse_received(b"ref:refs/heads/a ref:refs/heads/b HEAD\n");
        assert_eq!(symbolic.ok(), Some(Vec::new()));
    }

    #[test]
    fn anything_else_is_refused() {
        for bad in [
            "x",
            &format!("{A} {A}"),
            &format!("{A} xyz refs/heads/a"),
            &format!("{A} {A} a b"),
        ] {
            assert!(Update::parse_received(bad.as_bytes()).is_err(), "{bad}");
        }
        assert!(Update::parse_pushed(format!("{A} {A} refs/heads/a\n").as_bytes()).is_err());
    }
}
