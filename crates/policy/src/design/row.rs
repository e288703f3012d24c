//! Rows: a type, paths, and remarks, wherever they stand. One function decides what a row says.

use super::remarks::{self, Remark};
use super::types::RowAction;
use super::{Problem, WrittenPath, problem};

/// A row as written.
pub(super) struct WrittenRow {
    pub(super) paths: Vec<WrittenPath>,
    pub(super) action: RowAction,
    /// The type as written; empty if the row has none of its own.
    pub(super) change_type: String,
    /// What the row says about the change, on one line.
    pub(super) description: String,
    /// Its remarks without their code spans: the other cells, notes, and the text behind a dash or colon.
    pub(super) remarks: Vec<String>,
    /// Whether a remark may begin with a mention word: a table without types, or a list.
    pub(super) is_open: bool,
}

/// What a row does, with its remarks taken into account.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RowMeaning {
    /// It grants what its type says.
    Grants,
    /// It only names its paths.
    Mentions,
    /// It forbids everyone to change them.
    Forbids,
}

impl WrittenRow {
    /// What the row does.
    ///
    /// # Errors
    /// A remark contradicts the type, or the row names a path twice in different ways.
    pub(super) fn meaning(&mut self) -> Result<RowMeaning, Problem> {
        let mut strongest = Remark::Plain;
        let mut contradiction = None;
        for remark in &self.remarks {
            let said = remarks::judge(remark, self.action, self.is_open);
            if said == Remark::Contradiction {
                contradiction.get_or_insert(remark.as_str());
            }
            strongest = strongest.max(said);
        }
        if strongest == Remark::Forbidden {
            return Ok(RowMeaning::Forbids);
        }
        if self.action == RowAction::Mention {
            return Ok(RowMeaning::Mentions);
        }
        if let Some(remark) = contradiction {
            return Err(problem::contradiction(remark.trim()));
        }
        self.join_shortened_paths()?;
        if strongest == Remark::Mention {
            return Ok(RowMeaning::Mentions);
        }
        Ok(RowMeaning::Grants)
    }

    /// A path without a slash beside one with a slash is the same path if it is its end. Else its directory is
    /// missing: guard would read a file of the root.
    fn join_shortened_paths(&mut self) -> Result<(), Problem> {
        let (long, short): (Vec<_>, Vec<_>) = self
            .paths
            .iter()
            .cloned()
            .partition(|path| path.text.contains('/'));
        if self.action == RowAction::Rename || long.is_empty() {
            return Ok(());
        }
        for path in short {
            let name = super::paths::without_lines(&path.text);
            let is_end = long.iter().any(|other| {
                super::paths::without_lines(&other.text).ends_with(&format!("/{name}"))
            });
            if !is_end {
                return Err(problem::short_path(name).at(path.span));
            }
        }
        self.paths = long;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::types::any;
    use super::*;
    use crate::scope::Actions;

    fn meaning(action: RowAction, remarks: &[&str]) -> Result<RowMeaning, &'static str> {
        let mut row = row(action, &["src/a.rs"]);
        row.remarks = remarks.iter().map(|&remark| remark.to_owned()).collect();
        row.meaning().map_err(|problem| problem.reason)
    }

    fn row(action: RowAction, paths: &[&str]) -> WrittenRow {
        let paths = paths.iter().map(|path| WrittenPath::code(path, 0..0));
        WrittenRow {
            paths: paths.collect(),
            action,
            change_type: String::new(),
            description: String::new(),
            remarks: Vec::new(),
            is_open: false,
        }
    }

    #[test]
    fn the_strongest_remark_decides() {
        let modify = RowAction::Grant(Actions::MODIFY);
        for (remarks, expected) in [
            (&["the parser", "tests"][..], Ok(RowMeaning::Grants)),
            (&["the parser", "only if needed"], Ok(RowMeaning::Mentions)),
            (&["rejected", "only if needed"], Err("contradiction")),
            (&["rejected", "do not modify"], Ok(RowMeaning::Forbids)),
        ] {
            assert_eq!(meaning(modify, remarks), expected, "{remarks:?}");
        }
        assert_eq!(
            meaning(RowAction::Mention, &["rejected"]),
            Ok(RowMeaning::Mentions)
        );
        let forbidden = meaning(RowAction::Mention, &["do not modify"]);
        assert_eq!(forbidden, Ok(RowMeaning::Forbids));
    }

    #[test]
    fn a_path_without_a_slash_is_the_end_of_one_beside_it_or_bad() {
        let any = RowAction::Grant(any());
        for (paths, expected) in [
            (&["src/a.rs", "a.rs"][..], Some(&["src/a.rs"][..])),
            (&["a.rs:10", "src/a.rs"], Some(&["src/a.rs"])),
            (&["a.rs", "b.rs"], Some(&["a.rs", "b.rs"])),
            (&["src/a.rs", "b.rs"], None),
            (&["src/xa.rs", "a.rs"], None),
        ] {
            let mut row = row(any, paths);
            let is_read = row.meaning().is_ok();
            assert_eq!(is_read, expected.is_some(), "{paths:?}");
            if let Some(expected) = expected {
                let found: Vec<&str> = row.paths.iter().map(|path| &*path.text).collect();
                assert_eq!(found, expected, "{paths:?}");
            }
        }
        // The ends of a rename are two paths.
        assert!(
            row(RowAction::Rename, &["src/a.rs", "b.rs"])
                .meaning()
                .is_ok()
        );
    }
}
