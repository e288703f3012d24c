//! Detects paths that collide with a link on a case-insensitive file system.
//!
//! A tree with the link `a` and the file `A/x` is harmless on a case-sensitive file system; elsewhere, checkout
//! writes `x` through the link.

use std::collections::HashMap;

use gix::bstr::{BStr, BString};

use super::escape::escaped;
use super::portable::fold;
use super::reason::{PathFault, Reason, Rejection};

/// The links of a tree.
#[derive(Debug, Default)]
pub struct Links {
    /// The paths by their case-folded spelling.
    by_fold: HashMap<BString, Vec<BString>>,
}

impl Links {
    /// From the paths of all links in a tree or index.
    pub fn new(paths: impl IntoIterator<Item = BString>) -> Links {
        let mut by_fold: HashMap<BString, Vec<BString>> = HashMap::new();
        for path in paths {
            by_fold.entry(fold(path.as_ref())).or_default().push(path);
        }
        Links { by_fold }
    }

    /// Refuses an entry of the same tree that is below a link, or that equals a link or is below one when case is
    /// ignored.
    ///
    /// Check all changed entries or, if a link changed, all entries.
    pub fn check(&self, path: &BStr) -> Result<(), Rejection> {
        if self.by_fold.is_empty() {
            return Ok(());
        }
        let mut folded = BString::default();
        let mut end = 0;
        for name in path.split(|&byte| byte == b'/') {
            if end > 0 {
                folded.push(b'/');
                end += 1;
            }
            end += name.len();
            folded.extend_from_slice(&fold(name.into()));
            let same = self.by_fold.get(&folded).map_or(&[][..], Vec::as_slice);
            for link in same {
                check_pair(path, end, link).map_err(|fault| fault.of(path))?;
            }
        }
        Ok(())
    }
}

/// Checks a path whose first `end` bytes equal a link when case is ignored.
fn check_pair(path: &[u8], end: usize, link: &[u8]) -> Result<(), PathFault> {
    if path[..end] != *link {
        let what = format!(
            "collides with the link {} on case-insensitive file systems",
            escaped(link)
        );
        return Err(PathFault::new(Reason::CaseCollision, what));
    }
    if end < path.len() {
        let what = format!("is below the link {}", escaped(link));
        return Err(PathFault::new(Reason::DirFileConflict, what));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(links: &[&str], path: &str) -> Option<Reason> {
        Links::new(links.iter().map(|&link| link.into()))
            .check(path.into())
            .err()
            .map(|rejection| rejection.reason)
    }

    #[test]
    fn entries_that_collide_with_a_link_only_if_case_is_ignored() {
        for (links, path) in [
            (&["a"][..], "A/post-checkout"),
            (&["a"], "A"),
            (&["sub/a"], "SUB/A/x"),
            (&["a", "A"], "a"),
            (&["\u{212a}"], "k/x"),
        ] {
            assert_eq!(
                verdict(links, path),
                Some(Reason::CaseCollision),
                "{links:?} {path}"
            );
        }
    }

    #[test]
    fn entries_below_a_link() {
        assert_eq!(verdict(&["d"], "d/x"), Some(Reason::DirFileConflict));
        assert_eq!(verdict(&["s/d"], "s/d/e/x"), Some(Reason::DirFileConflict));
    }

    #[test]
    fn link_itself_and_its_neighbours_are_allowed() {
        for path in ["d", "dd/x", "s/d", "d.x/y"] {
            assert_eq!(verdict(&["d"], path), None, "{path}");
        }
        assert_eq!(verdict(&[], "d/x"), None);
    }
}
