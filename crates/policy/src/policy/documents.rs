//! The documents of one directory are one design: what they allow together, and which of them gets a new row. Messages
//! show the row in the form of that document, and `guard scope add` writes it there.

use bstr::{BStr, BString};

use super::{Policy, design_of};
use crate::design::Design;
use crate::scope::{DeclaredRows, Scope};

impl Policy {
    /// Whether a design of this branch is in force.
    pub fn has_own_design(&self) -> bool {
        self.own_designs().next().is_some()
    }

    /// The designs of this branch. Where no setting selects designs by branch, the standing ones are the designs of every
    /// branch.
    pub fn own_designs(&self) -> impl Iterator<Item = &Design> + Clone {
        let is_by_branch = !self.settings.lld_path.is_empty();
        let designs = self.designs.iter();
        let own = designs.filter(move |governing| !is_by_branch || !governing.is_standing());
        own.map(|governing| &governing.design)
    }

    /// The document for a new row: of the design of `near`, if that is one of this branch, or else of the first one.
    pub(crate) fn document_to_extend(&self, near: Option<&BStr>) -> Option<&Design> {
        let mut own = self.own_designs();
        let named = own
            .clone()
            .find(|design| near == Some(design.path.as_ref()));
        let key = self.key_of(named.or_else(|| own.next())?);
        let documents = self.own_designs();
        document_for_rows(documents.filter(move |design| self.key_of(design) == key))
    }

    /// Whether a command must say which of several designs of this branch it means.
    pub(crate) fn has_several_designs(&self) -> bool {
        let mut keys = self.own_designs().map(|design| self.key_of(design));
        let first = keys.next();
        keys.any(|key| Some(key) != first)
    }

    fn key_of(&self, design: &Design) -> BString {
        design_of(&self.settings, design.path.as_ref())
    }
}

/// The document of a design that gets new rows: the one whose table is the scope of all, or else the first that allows
/// something.
pub fn document_for_rows<'d>(
    documents: impl Iterator<Item = &'d Design> + Clone,
) -> Option<&'d Design> {
    let mut usable = documents.clone().filter(|design| design.is_usable());
    let typed = usable.clone().find(|design| design.is_typed());
    typed
        .or_else(|| usable.next())
        .or_else(|| documents.clone().next())
}

/// What the documents of one design allow. If one of them has a table with types, the others allow nothing.
pub fn scope_of_design(documents: &[&Design]) -> Scope {
    let is_typed = documents.iter().any(|design| design.is_typed());
    Scope::of_documents(documents.iter().map(|design| DeclaredRows {
        grants: if is_typed && !design.is_typed() {
            Vec::new()
        } else {
            design.grants.clone()
        },
        denials: design.denials.clone(),
        ..DeclaredRows::default()
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::design;
    use crate::scope::settings::Settings;

    fn document(path: &str, text: &str) -> Design {
        design::parse(path.into(), text.as_bytes(), &Settings::default())
    }

    #[test]
    fn new_rows_go_to_the_table_of_the_design_or_to_its_first_rows() {
        let prose = document("a.md", "# A\n\nWords.\n");
        let list = document("b.md", "## Files to modify\n\n- `b.rs`\n");
        let table = "## Files Changed\n\n| File | Type |\n|---|---|\n| `c.rs` | Modify |\n";
        let table = document("c.md", table);
        for (documents, expected) in [
            (vec![&prose, &list, &table], Some("c.md")),
            (vec![&prose, &list], Some("b.md")),
            (vec![&prose], Some("a.md")),
            (vec![], None),
        ] {
            let found = document_for_rows(documents.into_iter());
            assert_eq!(
                found.map(|design| design.path.to_string()).as_deref(),
                expected
            );
        }
        let scope = scope_of_design(&[&list, &table]);
        assert!(scope.lookup("b.rs".into()).is_empty());
        assert_eq!(scope.lookup("c.rs".into()).len(), 1);
    }
}
