//! Finds what one scope lacks of another.

use super::assemble::Insertion;
use super::import::Atom;
use super::level::{MergedScope, has_shape, is_missing, refuse_conflict};
use super::place::TargetScope;
use super::scope::{CodeScope, Definition, Import};
use super::syntax::{DefinitionHead, plain};
use crate::gate::Extension;

/// The maximum length of a statement in the answer.
const SHOWN: usize = 60;

/// What to add.
#[derive(Debug, Default)]
pub(super) struct Comparison {
    pub(super) insertions: Vec<Insertion>,
    pub(super) extension: Extension,
    /// The new keys of the result.
    pub(super) keys: Vec<String>,
}

/// What `old` lacks of `new`.
///
/// # Errors
/// Both give a name different meanings, or there is no place for an addition. The error is a clause.
pub(super) fn compare(old: &CodeScope<'_>, new: &CodeScope<'_>) -> Result<Comparison, String> {
    let mut comparison = Comparison::default();
    let whole = MergedScope::new(vec![old]);
    comparison.scope(&whole, new)?;
    comparison.extension.kept.dedup();
    Ok(comparison)
}

impl Comparison {
    fn scope(&mut self, level: &MergedScope<'_, '_>, new: &CodeScope<'_>) -> Result<(), String> {
        let proposed = MergedScope::new(vec![new]);
        let mut missing = Vec::new();
        for definition in &new.definitions {
            if is_missing(level, &proposed, definition)? {
                missing.push(definition);
            } else {
                self.meet(level, new, definition)?;
            }
        }
        let place = TargetScope {
            old: level.parts[level.parts.len() - 1],
            container: level.container,
        };
        self.imports(&place, level, &proposed)?;
        if !missing.is_empty() {
            self.insertions.push(place.definitions(new, &missing)?);
        }
        for definition in missing {
            self.extension
                .added
                .push(label(&level.owner, &definition.head));
            let keys = definition.keys();
            self.keys
                .extend(keys.iter().map(|key| format!("{}{key}", level.key)));
        }
        self.leave_out(level, new);
        Ok(())
    }

    /// Handles an existing definition: compares its members or keeps it.
    fn meet(
        &mut self,
        level: &MergedScope<'_, '_>,
        new: &CodeScope<'_>,
        definition: &Definition<'_>,
    ) -> Result<(), String> {
        let head = &definition.head;
        let names = head.names.iter();
        let there: Vec<&Definition<'_>> = names
            .flat_map(|name| level.named(name))
            .filter(|old| has_shape(&old.head, head))
            .collect();
        let name = label(&level.owner, head);
        let containers: Vec<(&Definition<'_>, &CodeScope<'_>)> = there
            .iter()
            .filter_map(|old| Some((*old, old.members.as_deref()?)))
            .collect();
        let (Some(members), Some((last, _))) = (&definition.members, containers.last()) else {
            let old = level.parts[0];
            let text = new.dedented(&definition.range);
            if !there.iter().any(|it| old.dedented(&it.range) == text) {
                self.extension.kept.push(name);
            }
            return Ok(());
        };
        let is_headed = |(old, _): &(&Definition<'_>, &CodeScope<'_>)| {
            level.parts[0].header_of(old) == new.header_of(definition)
        };
        if !containers.iter().any(is_headed) {
            self.extension.kept.push(name);
        }
        let inner = MergedScope {
            container: Some(last),
            owner: format!("{}{}.", level.owner, head.names.join(", ")),
            key: format!("{}{} / ", level.key, last.head.key()),
            ..MergedScope::new(containers.iter().map(|(_, members)| *members).collect())
        };
        self.scope(&inner, members)
    }

    fn imports(
        &mut self,
        place: &TargetScope<'_, '_>,
        level: &MergedScope<'_, '_>,
        proposed: &MergedScope<'_, '_>,
    ) -> Result<(), String> {
        let new = proposed.parts[0];
        let mut statements = Vec::new();
        for Import { range, atoms } in &new.imports {
            let lacks = |atom: &&Atom| {
                !level
                    .targets
                    .contains(&(atom.target.as_str(), atom.bound.as_deref()))
            };
            let lacking: Vec<&Atom> = atoms.iter().filter(lacks).collect();
            let is_whole = lacking.len() == atoms.len();
            for atom in &lacking {
                refuse_conflict(level, proposed, atom)?;
                let bound = &atom.bound;
                self.keys
                    .push(format!("{}import {} {bound:?}", level.key, atom.target));
            }
            if is_whole && !lacking.is_empty() {
                let is_first = lacking.iter().any(|atom| atom.is_first);
                statements.push((new.dedented(range), is_first));
            } else {
                statements.extend(lacking.iter().map(|it| (it.source.clone(), it.is_first)));
            }
        }
        // The first import is separated only from imports that follow it.
        statements.sort_by_key(|(_, is_first)| !is_first);
        let has_others = !place.old.imports.is_empty();
        let (first, rest): (Vec<_>, Vec<_>) = statements
            .into_iter()
            .partition(|(_, is_first)| *is_first && has_others);
        for (statements, is_first) in [(first, true), (rest, false)] {
            let statements: Vec<String> = statements.into_iter().map(|(text, _)| text).collect();
            if statements.is_empty() {
                continue;
            }
            for text in &statements {
                self.extension.added.push(shortened(text));
            }
            self.insertions.push(place.imports(&statements, is_first)?);
        }
        Ok(())
    }

    /// Statements without a name are not added, but listed in the answer.
    fn leave_out(&mut self, level: &MergedScope<'_, '_>, new: &CodeScope<'_>) {
        for range in &new.others {
            let text = new.dedented(range);
            if !level.others.contains(&text) {
                self.extension.left_out.push(shortened(&text));
            }
        }
    }
}

fn label(owner: &str, head: &DefinitionHead<'_>) -> String {
    let shape = Some(&head.shape).filter(|shape| shape.starts_with('('));
    let shape = shape.map_or("", String::as_str);
    format!("{} {owner}{}{shape}", head.kind, head.names.join(", "))
}

fn shortened(text: &str) -> String {
    let line = plain(text);
    match line.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}
