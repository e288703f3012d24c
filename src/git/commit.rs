//! Reading commits.

use gix::ObjectId;
use gix::bstr::{BString, ByteSlice};
use gix::objs::CommitRef;

use super::{Objects, Repository};
use crate::error::{Error, Result};
use crate::trailer;

/// The parts of a commit that guard needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Commit {
    /// Its id.
    pub id: ObjectId,
    /// The id of its tree.
    pub tree: ObjectId,
    /// The parents that it names, even if the clone lacks them.
    pub parents: Vec<ObjectId>,
    /// The commit time in seconds since 1970; only a hint for the order of a walk.
    pub time: i64,
    /// The trailers of its message, see `crate::trailer::of_guard`.
    pub trailers: BString,
}

impl Commit {
    /// Reads a commit; `buffer` can be reused.
    ///
    /// # Errors
    /// It is missing, damaged or not a commit.
    pub(super) fn read(objects: &Objects, id: ObjectId, buffer: &mut Vec<u8>) -> Result<Commit> {
        objects.commit(id, buffer)?;
        match plain(id, buffer) {
            Some(commit) => Ok(commit),
            None => parse(id, buffer).map(|commit| summary(id, &commit)),
        }
    }
}

/// What a person recognises a commit by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Headline {
    /// The first line of its message.
    pub subject: BString,
    /// The name of its author.
    pub author: BString,
}

impl Repository {
    /// Reads a commit.
    ///
    /// # Errors
    /// It is missing, damaged or not a commit.
    pub(crate) fn commit(&self, id: ObjectId) -> Result<Commit> {
        Commit::read(&self.objects, id, &mut Vec::new())
    }

    /// Reads a commit and its whole message.
    ///
    /// # Errors
    /// As for [`Repository::commit`].
    pub(crate) fn commit_with_message(&self, id: ObjectId) -> Result<(Commit, BString)> {
        let mut buffer = Vec::new();
        self.objects.commit(id, &mut buffer)?;
        let commit = parse(id, &buffer)?;
        Ok((summary(id, &commit), commit.message.to_owned()))
    }

    /// What a person recognises a commit by.
    ///
    /// # Errors
    /// As for [`Repository::commit`].
    pub(crate) fn headline(&self, id: ObjectId) -> Result<Headline> {
        let mut buffer = Vec::new();
        self.objects.commit(id, &mut buffer)?;
        let commit = parse(id, &buffer)?;
        let subject = commit.message.lines().next().unwrap_or_default();
        Ok(Headline {
            subject: subject.as_bstr().to_owned(),
            author: commit
                .author()
                .map_or_else(|_| BString::default(), |author| author.name.to_owned()),
        })
    }

    /// The author time of a commit in seconds since 1970, which a rebase keeps. [`i64::MAX`] if the commit has none.
    ///
    /// # Errors
    /// As for [`Repository::commit`].
    pub(crate) fn authored(&self, id: ObjectId) -> Result<i64> {
        let mut buffer = Vec::new();
        self.objects.commit(id, &mut buffer)?;
        let commit = parse(id, &buffer).ok();
        let author = commit.and_then(|commit| commit.author().ok());
        let time = author.and_then(|author| author.time().ok());
        Ok(time.map_or(i64::MAX, |time| time.seconds))
    }
}

fn parse(id: ObjectId, content: &[u8]) -> Result<CommitRef<'_>> {
    CommitRef::from_bytes(content, id.kind())
        .map_err(|error| Error::new(format!("commit {id} is damaged: {error}")))
}

fn summary(id: ObjectId, commit: &CommitRef<'_>) -> Commit {
    Commit {
        id,
        tree: commit.tree(),
        parents: commit.parents().collect(),
        time: commit.time().map_or(0, |time| time.seconds),
        trailers: trailer::of_guard(commit.message).into(),
    }
}

/// Parses a commit in git's usual unsigned form at a tenth of the parser's cost, because a range may contain
/// thousands. `None` means only that the full parser must decide.
fn plain(id: ObjectId, content: &[u8]) -> Option<Commit> {
    let hash = |hex: &[u8]| {
        let is_whole = hex.len() == id.kind().len_in_hex();
        let is_plain = is_whole && !hex.iter().any(u8::is_ascii_uppercase);
        is_plain.then(|| ObjectId::from_hex(hex).ok()).flatten()
    };
    let (tree, mut rest) = field(content, b"tree ")?;
    let tree = hash(tree)?;
    let mut parents = Vec::new();
    while let Some((parent, after)) = field(rest, b"parent ") {
        parents.push(hash(parent)?);
        rest = after;
    }
    let (author, rest) = field(rest, b"author ")?;
    plain_time(author)?;
    let (committer, rest) = field(rest, b"committer ")?;
    Some(Commit {
        id,
        tree,
        parents,
        time: plain_time(committer)?,
        trailers: trailer::of_guard(rest.strip_prefix(b"\n")?).into(),
    })
}

/// The value of the first header, and the rest.
fn field<'a>(content: &'a [u8], key: &[u8]) -> Option<(&'a [u8], &'a [u8])> {
    let rest = content.strip_prefix(key)?;
    let end = rest.find_byte(b'\n')?;
    Some((&rest[..end], &rest[end + 1..]))
}

/// The seconds of `Name <address> 1800000000 +0100`.
fn plain_time(person: &[u8]) -> Option<i64> {
    let end = person.rfind_byte(b'>')?;
    let start = person.find_byte(b'<')?;
    let time = person.get(end + 1..)?.strip_prefix(b" ")?;
    let (seconds, zone) = time.split_at(time.find_byte(b' ')?);
    let zone = zone.strip_prefix(b" ")?;
    let (sign, zone) = zone.split_first()?;
    let is_zone = matches!(
        zone,
        [b'0', b'0'..=b'9', b'0'..=b'5', b'0'..=b'9']
            | [b'1', b'0'..=b'4', b'0'..=b'5', b'0'..=b'9']
    );
    let is_plain = is_zone
        && matches!(sign, b'+' | b'-')
        && start < end
        && (1..=12).contains(&seconds.len())
        && seconds.iter().all(u8::is_ascii_digit);
    let seconds = std::str::from_utf8(seconds).ok()?;
    is_plain.then(|| seconds.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: ObjectId = ObjectId::null(gix::hash::Kind::Sha1);
    const PLAIN: &str = "tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904\n\
        parent d3f2c35221e8c5b7aef5414a03ad368500000000\n\
        parent a2f4ac17d018760e8b5ee11081ac6d7b5fd4e91b\n\
        author A U Thor <author@example.com> 1799999999 -1130\n\
        committer C <> 1800000000 +0100\n\
        \n\
        Subject\n\nGuard-Design: docs/a.md\n";

    fn parsed(content: &[u8]) -> Option<Commit> {
        parse(ID, content).ok().map(|commit| summary(ID, &commit))
    }

    #[test]
    fn plain_commit_uses_the_fast_path() {
        let commit = plain(ID, PLAIN.as_bytes());
        assert_eq!(commit, parsed(PLAIN.as_bytes()));
        let seen = commit.map(|commit| (commit.parents.len(), commit.time, commit.trailers));
        let trailers = BString::from("Guard-Design: docs/a.md");
        assert_eq!(seen, Some((2, 1_800_000_000, trailers)));
    }

    #[test]
    fn unusual_commit_uses_the_parser() {
        for (part, instead) in [
            ("\n\nSubject", "\nencoding latin1\n\nSubject"),
            (
                "\n\nSubject",
                "\ngpgsig -----BEGIN\n \n -----END\n\nSubject",
            ),
            ("tree 4", "tree A"),
            ("tree 4", "tree "),
            ("<author@example.com>", "author@example.com"),
            ("1800000000", "99999999999999999999"),
            ("1800000000", "-1"),
            ("+0100", "+100000"),
            ("+0100", ""),
            ("committer", "commiter"),
        ] {
            let content = PLAIN.replacen(part, instead, 1);
            assert_eq!(plain(ID, content.as_bytes()), None, "{content}");
        }
    }

    #[test]
    fn fast_path_reads_the_same_as_the_parser() {
        // Every byte in turn becomes each of those that mean something in a commit, or goes.
        let mut read = 0;
        for at in 0..PLAIN.len() {
            for byte in b"\n <>0+-azA\0\xff" {
                let mut changed = PLAIN.as_bytes().to_vec();
                changed[at] = *byte;
                let mut shorter = PLAIN.as_bytes().to_vec();
                shorter.remove(at);
                let mut longer = PLAIN.as_bytes().to_vec();
                longer.insert(at, *byte);
                for content in [changed, shorter, longer, PLAIN.as_bytes()[..at].to_vec()] {
                    if let Some(commit) = plain(ID, &content) {
                        let text = content.as_bstr();
                        assert_eq!(Some(commit), parsed(&content), "{text}");
                        read += 1;
                    }
                }
            }
        }
        assert!(read > 1_000, "{read}");
    }
}
