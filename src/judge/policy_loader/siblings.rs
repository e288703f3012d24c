//! Which documents count where guard found several at once: those of one directory, or those of one pattern.

use std::collections::HashSet;

use gix::bstr::BString;

use super::{Choice, Loader};
use crate::error::Result;
use crate::finding::Rule;
use crate::path::escaped;
use crate::policy::design::Design;
use crate::policy::{ChosenBy, Governing, design_selection};

impl Loader<'_> {
    /// Reads the chosen documents, each once. If they are not `needed`, those that cannot be used are left out.
    /// `beside`: whether other designs apply as well.
    pub(super) fn load_all(
        &mut self,
        choices: Vec<Choice>,
        needed: bool,
        beside: bool,
    ) -> Result<Vec<Governing>> {
        let mut designs: Vec<Governing> = Vec::new();
        let mut known = HashSet::new();
        for choice in choices {
            if !known.insert(choice.path.clone()) {
                continue;
            }
            match self.load(&choice) {
                Ok(governing) => designs.push(governing),
                Err(error) if needed => return Err(error),
                Err(_) => {}
            }
        }
        self.those_that_count(designs, needed, beside)
    }

    /// Leaves out the documents that declare nothing as long as another one does, and those of a directory whose scope
    /// is a typed table in another document. If no design is needed, all that cannot be used are left out.
    ///
    /// # Errors
    /// None of the documents grants anything, or the rows of one cannot be used.
    fn those_that_count(
        &mut self,
        read: Vec<Governing>,
        needed: bool,
        beside: bool,
    ) -> Result<Vec<Governing>> {
        let one_grants = beside || read.iter().any(|governing| governing.design.is_usable());
        let mut designs = Vec::with_capacity(read.len());
        for governing in read {
            if governing.design.is_usable() {
                designs.push(governing);
                continue;
            }
            let is_standing = governing.chosen_by == ChosenBy::Standing;
            // Removing a table must not widen the scope to the lists beside it.
            let was_typed = governing.before.as_ref().is_some_and(Design::is_typed);
            let is_silent = !was_typed && declares_nothing(&governing.design);
            if needed && !(one_grants && (is_standing || is_silent)) {
                let unusable = self.corrected(governing.design.usable());
                return unusable.map(|_| Vec::new());
            }
            // One bad plan among those of a pattern does not stop all work.
            if needed && !is_silent {
                let path = escaped(&governing.design.path);
                self.notes.push(format!(
                    "the standing design {path} cannot be used: guard scope check {path}"
                ));
            }
        }
        self.narrow(&mut designs);
        Ok(designs)
    }

    /// A typed table is the scope of all documents of its directory, in each version of them.
    fn narrow(&self, designs: &mut Vec<Governing>) {
        let key =
            |design: &Design| design_selection::design_of(&self.settings, design.path.as_ref());
        let typed = |version: fn(&Governing) -> Option<&Design>| -> Vec<BString> {
            let versions = designs.iter().filter_map(version);
            versions.filter(|one| one.is_typed()).map(key).collect()
        };
        let now = typed(|governing| Some(&governing.design));
        let before = typed(|governing| governing.before.as_ref());
        let proposed = typed(|governing| governing.proposed.as_ref());
        let is_beside =
            |keys: &[BString], design: &Design| !design.is_typed() && keys.contains(&key(design));
        designs.retain(|governing| !is_beside(&now, &governing.design));
        for governing in designs {
            for (version, keys) in [
                (&mut governing.before, &before),
                (&mut governing.proposed, &proposed),
            ] {
                if let Some(design) = version.as_mut().filter(|design| is_beside(keys, design)) {
                    design.grants.clear();
                }
            }
        }
    }
}

/// Whether the document has no passage that names files to change, as most specifications do.
pub(in crate::judge) fn declares_nothing(design: &Design) -> bool {
    let is_absence = |reason| matches!(reason, "no-section" | "empty-section" | "nothing-granted");
    let is_harmless = |rule| rule == Rule::DesignUnread;
    !design.is_typed()
        && design
            .faults
            .iter()
            .all(|fault| is_absence(fault.reason) || is_harmless(fault.rule))
}
