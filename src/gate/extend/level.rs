//! The contents of a file at one level, and which definitions conflict.

use std::collections::{HashMap, HashSet};

use super::import::Atom;
use super::scope::{CodeScope, Definition};
use super::syntax::DefinitionHead;

/// One scope of a file; a class that is defined twice has several parts.
#[derive(Default)]
pub(super) struct MergedScope<'a, 't> {
    pub(super) parts: Vec<&'a CodeScope<'t>>,
    pub(super) definitions: HashMap<&'a str, Vec<&'a Definition<'t>>>,
    /// The imports and their local names.
    pub(super) targets: HashSet<(&'a str, Option<&'a str>)>,
    /// The meanings of imported names.
    pub(super) bound: HashMap<&'a str, Vec<&'a str>>,
    /// Names that statements may bind.
    pub(super) hidden: HashSet<&'a str>,
    /// Statements without a name.
    pub(super) others: HashSet<String>,
    /// The last of its parts; `None` for the file.
    pub(super) container: Option<&'a Definition<'t>>,
    /// The prefix of its members' names.
    pub(super) owner: String,
    /// The prefix of its members' keys.
    pub(super) key: String,
}

impl<'a, 't> MergedScope<'a, 't> {
    pub(super) fn new(parts: Vec<&'a CodeScope<'t>>) -> MergedScope<'a, 't> {
        let mut level = MergedScope::default();
        for old in &parts {
            for definition in &old.definitions {
                for name in &definition.head.names {
                    level.definitions.entry(name).or_default().push(definition);
                }
            }
            for atom in old.imports.iter().flat_map(|import| &import.atoms) {
                level.targets.insert((&atom.target, atom.bound.as_deref()));
                if let Some(bound) = &atom.bound {
                    level.bound.entry(bound).or_default().push(&atom.meaning);
                }
            }
            level.hidden.extend(old.hidden.iter().map(String::as_str));
            level
                .others
                .extend(old.others.iter().map(|range| old.dedented(range)));
        }
        level.parts = parts;
        level
    }

    pub(super) fn named(&self, name: &str) -> impl Iterator<Item = &'a Definition<'t>> {
        self.definitions.get(name).into_iter().flatten().copied()
    }

    /// Whether the scope has such a definition of the name.
    fn has(&self, name: &str, head: &DefinitionHead<'_>) -> bool {
        let mut named = self.named(name);
        named.any(|it| (it.head.kind, &it.head.shape) == (head.kind, &head.shape))
    }

    /// The meanings of an imported name.
    fn meanings(&self, name: &str) -> impl Iterator<Item = &'a str> {
        self.bound.get(name).into_iter().flatten().copied()
    }

    fn means(&self, name: &str, meaning: &str) -> bool {
        self.meanings(name).any(|it| it == meaning)
    }
}

/// Whether `old` has nothing of that name. Definitions that coexist in `new` may coexist in the result.
pub(super) fn is_missing(
    old: &MergedScope<'_, '_>,
    new: &MergedScope<'_, '_>,
    definition: &Definition<'_>,
) -> Result<bool, String> {
    let head = &definition.head;
    let has = |name: &&String| old.named(name).any(|it| has_shape(&it.head, head));
    let there = head.names.iter().filter(has).count();
    if there == head.names.len() {
        return Ok(false);
    }
    let name = head.names.join(", ");
    if there > 0 {
        return Err(format!("the file has only part of {} {name}", head.kind));
    }
    for name in &head.names {
        for rival in old.named(name).filter(|it| !new.has(name, &it.head)) {
            refuse_rival(name, rival, definition)?;
        }
        if old.meanings(name).any(|it| !new.means(name, it)) {
            return Err(format!(
                "the file imports {name}, which the content defines"
            ));
        }
        if old.hidden.contains(name.as_str()) && !new.hidden.contains(name.as_str()) {
            return Err(format!("a statement in the file already binds {name}"));
        }
    }
    Ok(true)
}

/// Refuses a definition that conflicts with one of the same name.
fn refuse_rival(name: &str, old: &Definition<'_>, new: &Definition<'_>) -> Result<(), String> {
    let (was, is) = (&old.head, &new.head);
    if was.kind != is.kind {
        return Err(format!(
            "{name} is a {} in the file but a {} in the content",
            was.kind, is.kind
        ));
    }
    // Two parts of one type's methods; for other definitions the shape is part of the name.
    let members = |it: &Definition<'_>| -> HashSet<String> {
        let members = it.members.iter().flat_map(|members| &members.definitions);
        members
            .flat_map(|member| member.head.names.clone())
            .collect()
    };
    if was.kind == is.kind && !members(old).is_disjoint(&members(new)) {
        return Err(format!(
            "the {} {name} has different bounds in the file and in the content",
            was.kind
        ));
    }
    Ok(())
}

/// Refuses an import of `new` that would give a name in `old` a second meaning, unless `new` has both.
pub(super) fn refuse_conflict(
    old: &MergedScope<'_, '_>,
    new: &MergedScope<'_, '_>,
    atom: &Atom,
) -> Result<(), String> {
    let Some(bound) = atom.bound.as_deref() else {
        return Ok(());
    };
    let is_other = |it: &&str| *it != atom.meaning && !new.means(bound, it);
    if let Some(other) = old.meanings(bound).find(is_other) {
        return Err(format!(
            "{bound} would be imported from two places: {other} and {}",
            atom.target
        ));
    }
    let is_hidden = old.hidden.contains(bound) && !new.hidden.contains(bound);
    let is_rival = |it: &Definition<'_>| !new.has(bound, &it.head);
    if is_hidden || old.named(bound).any(is_rival) {
        return Err(format!(
            "the file defines {bound}, which the content imports"
        ));
    }
    Ok(())
}

/// A name without a shape matches any shape.
pub(super) fn has_shape(old: &DefinitionHead<'_>, new: &DefinitionHead<'_>) -> bool {
    let is_shaped = old.shape == new.shape || old.shape.is_empty() || new.shape.is_empty();
    old.kind == new.kind && is_shaped
}
