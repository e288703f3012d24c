//! A content of the work tree as git would store it: line endings, encodings and `$Id$` converted as the configuration
//! and the attributes say, and a pointer in place of what Git LFS keeps elsewhere.
//!
//! An approval names the content that a commit will have, so it must be this one. No program runs for it: what another
//! filter makes of a content is not known before git has staged it.

use std::borrow::Cow;
use std::io;
use std::path::Path;

use gix::ObjectId;
use gix::attrs::StateRef;
use gix::bstr::BStr;
use gix::filter::plumbing::pipeline::CrlfRoundTripCheck;
use gix::filter::plumbing::pipeline::convert::ToGitOutcome;
use gix::worktree::Stack;
use gix::worktree::stack::state::attributes::Source;

use super::{Repository, failed};
use write_guard_policy::error::{Error, Result};
use write_guard_policy::measure::is_lfs_pointer;
use write_guard_policy::path::escaped;
use write_guard_policy::sha256::sha256;

impl Repository {
    /// The id of the blob that `git add` would make of a content at a path of the work tree.
    ///
    /// # Errors
    /// The attributes or the index cannot be read, or the content cannot be converted.
    pub fn stored_id(&self, path: &BStr, content: &[u8]) -> Result<ObjectId> {
        self.blob_id(&self.as_stored(path, content)?)
    }

    fn as_stored<'c>(&self, path: &BStr, content: &'c [u8]) -> Result<Cow<'c, [u8]>> {
        let what = format!("guard cannot tell how git would store {}", escaped(path));
        let fail = failed(&what);
        let unreadable = |error: io::Error| Error::new(format!("{what}: {error}"));
        let file = gix::path::from_bstr(path).map_err(&fail)?;
        let mut attributes = self.attributes().map_err(&fail)?;
        let is_kept = self.is_kept_by_lfs(&mut attributes, &file);
        if is_kept.map_err(unreadable)? {
            return Ok(lfs_pointer(content));
        }
        let pipeline = gix::filter::Pipeline::new(&self.repo, attributes).map_err(&fail)?;
        let (mut filters, mut stack) = pipeline.into_parts();
        let options = filters.options_mut();
        options.drivers.clear();
        // git warns about these line endings, and stores the same.
        options.crlf_roundtrip_check = CrlfRoundTripCheck::Skip;
        let at_path = stack.at_path(&*file, None, &self.repo.objects);
        let at_path = at_path.map_err(unreadable)?;
        let outcome = filters.convert_to_git(
            content,
            &file,
            &mut |_, found| {
                at_path.matching_attributes(found);
            },
            &mut |buffer| self.staged_content(path, buffer),
        );
        Ok(match outcome.map_err(&fail)? {
            ToGitOutcome::Buffer(converted) => Cow::Owned(converted.to_owned()),
            ToGitOutcome::Unchanged(_) | ToGitOutcome::Process(_) => Cow::Borrowed(content),
        })
    }

    /// The attributes of the files in the work tree.
    fn attributes(&self) -> gix::Result<Stack> {
        let no_index = gix::index::State::new(self.repo.object_hash());
        let source = Source::WorktreeThenIdMapping;
        Ok(self.repo.attributes_only(&no_index, source)?.detach())
    }

    /// Whether the attributes of a file give it to Git LFS.
    fn is_kept_by_lfs(&self, attributes: &mut Stack, file: &Path) -> io::Result<bool> {
        let mut found = attributes.selected_attribute_matches(["filter"]);
        attributes
            .at_path(file, None, &self.repo.objects)?
            .matching_attributes(&mut found);
        Ok(found
            .iter_selected()
            .any(|filter| match filter.assignment.state {
                StateRef::Value(name) => name.as_bstr() == "lfs",
                _ => false,
            }))
    }

    /// Reads what the index has of a path: git converts line endings only where it has none of Windows.
    fn staged_content(&self, path: &BStr, buffer: &mut Vec<u8>) -> gix::Result<Option<()>> {
        use gix::prelude::Find;
        let index = self.repo.index_or_empty()?;
        let Some(entry) = index.entry_by_path(path) else {
            return Ok(None);
        };
        let found = self.repo.objects.try_find(&entry.id, buffer)?;
        Ok(found
            .filter(|found| found.kind == gix::objs::Kind::Blob)
            .map(|_| ()))
    }
}

/// The pointer that `git lfs clean` makes of a content; a pointer stays as it is.
fn lfs_pointer(content: &[u8]) -> Cow<'_, [u8]> {
    if is_lfs_pointer(content) || content.is_empty() {
        return Cow::Borrowed(content);
    }
    let pointer = format!(
        "version https://git-lfs.github.com/spec/v1\noid sha256:{}\nsize {}\n",
        sha256(content),
        content.len()
    );
    Cow::Owned(pointer.into_bytes())
}
