//! Lists directories and finds files by name, within what may be read.

use gix::bstr::{BStr, BString, ByteSlice};

use super::{Gate, GateResult};
use write_guard_policy::change::Kind;
use write_guard_policy::path::{Node, below_directory};
use write_guard_policy::rules::Access;
use write_guard_policy::scope::glob::Glob;
use write_guard_repo::boundary::ROOT;

/// The most entries of an answer; a model reads no more.
pub(crate) const MOST_LISTED: usize = 1_000;
/// The most entries that a search looks at.
const MOST_SEEN: usize = 200_000;

/// What is in a directory, or what a search has found.
#[derive(Debug, Default)]
pub(crate) struct Listing {
    /// The paths in order, each with what is there.
    pub(crate) entries: Vec<(BString, Node)>,
    /// Whether there is more.
    pub(crate) is_cut: bool,
}

impl Gate<'_> {
    /// The directory of a request, or whatever may be read there; the root is empty. The root may be listed even if only
    /// directories in it may be read.
    fn directory(&self, request: &BStr) -> GateResult<BString> {
        let request = if request.is_empty() {
            ROOT.into()
        } else {
            request
        };
        let path = self.boundary.locate_directory(request)?;
        if path == ROOT {
            return Ok(BString::default());
        }
        self.admit(path, Access::Read)
    }

    /// The entries of a directory that may be read.
    ///
    /// # Errors
    /// The directory may not be read, or there is none.
    pub(crate) fn list(&self, request: &BStr) -> GateResult<Listing> {
        let directory = self.directory(request)?;
        let mut listing = Listing::default();
        for (path, node) in self.readable(directory.as_ref())? {
            if listing.entries.len() == MOST_LISTED {
                listing.is_cut = true;
                break;
            }
            listing.entries.push((path, node));
        }
        Ok(listing)
    }

    /// What is below a directory, may be read and has a path from there that matches a glob. Links are not followed.
    ///
    /// # Errors
    /// A directory cannot be read.
    pub(crate) fn search(&self, request: &BStr, pattern: &Glob) -> GateResult<Listing> {
        let mut listing = Listing::default();
        let start = self.directory(request)?;
        let mut left = vec![start.clone()];
        let mut seen = 0;
        while let Some(directory) = left.pop() {
            for (path, node) in self.readable(directory.as_ref())? {
                seen += 1;
                if listing.entries.len() == MOST_LISTED || seen > MOST_SEEN {
                    listing.is_cut = true;
                    return Ok(listing);
                }
                let below = path.strip_prefix(start.as_bytes()).unwrap_or(&path);
                let below = below.strip_prefix(b"/").unwrap_or(below);
                if pattern.matches(below.as_bstr()) {
                    listing.entries.push((path.clone(), node));
                }
                if node == Node::Directory {
                    left.push(path);
                }
            }
        }
        listing.entries.sort_by(|one, other| one.0.cmp(&other.0));
        Ok(listing)
    }

    /// The entries of a directory without git's own and those that may not be read.
    fn readable(&self, directory: &BStr) -> GateResult<Vec<(BString, Node)>> {
        let mut readable = Vec::new();
        for (name, node) in self.boundary.entries(directory)? {
            if name.eq_ignore_ascii_case(b".git") {
                continue;
            }
            let path = below_directory(directory, &name);
            let is_link = node == Node::Entry(Kind::Symlink);
            if !is_link
                && self
                    .context()
                    .refusal(path.as_ref(), Access::Read)?
                    .is_some()
            {
                continue;
            }
            readable.push((path, node));
        }
        Ok(readable)
    }
}
