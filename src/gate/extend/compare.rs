//! What a scope lacks of another one.

use std::collections::{HashMap, HashSet};

use super::import::Atom;
use super::place::{self, Insertion, Place};
use super::scope::{Definition, Import, Scope};
use super::syntax::{Head, Syntax, plain};
use crate::gate::Extension;

/// Characters of a statement in the answer.
const SHOWN: usize = 60;

/// What has to be added.
#[derive(Debug, Default)]
pub(super) struct Comparison {
    pub(super) insertions: Vec<Insertion>,
    pub(super) extension: Extension,
    /// The keys that the result has besides those of the old file.
    pub(super) keys: Vec<String>,
}

/// What `old` lacks of `new`.
///
/// # Errors
/// Both give one name different meanings, or there is no place for what is missing; a clause that says so.
pub(super) fn compare(
    syntax: &Syntax,
    old: &Scope<'_>,
    new: &Scope<'_>,
) -> Result<Comparison, String> {
    if let Some(header) = new.header
        && new.header != old.header
    {
        return Err(format!(
            "the content says `{header}`, which the file does not"
        ));
    }
    let mut comparison = Comparison::default();
    let whole = Level::new(vec![old], None, String::new(), String::new());
    comparison.scope(syntax, &whole, new)?;
    comparison.extension.kept.dedup();
    Ok(comparison)
}

/// One scope of the old file; an `impl` may be there in several parts.
struct Level<'a, 't> {
    olds: Vec<&'a Scope<'t>>,
    definitions: HashMap<&'a str, Vec<&'a Definition<'t>>>,
    /// What is imported, and as what.
    targets: HashSet<(&'a str, Option<&'a str>)>,
    /// What imported names stand for.
    bound: HashMap<&'a str, &'a str>,
    /// Names that statements may bind.
    hidden: HashSet<&'a str>,
    /// Statements without a name.
    others: HashSet<String>,
    /// The last of its parts; `None` for the file.
    container: Option<&'a Definition<'t>>,
    /// What its members are called after.
    owner: String,
    /// The same for keys.
    key: String,
}

impl<'a, 't> Level<'a, 't> {
    fn new(
        olds: Vec<&'a Scope<'t>>,
        container: Option<&'a Definition<'t>>,
        owner: String,
        key: String,
    ) -> Level<'a, 't> {
        let mut level = Level {
            definitions: HashMap::new(),
            targets: HashSet::new(),
            bound: HashMap::new(),
            hidden: HashSet::new(),
            others: HashSet::new(),
            olds: Vec::new(),
            container,
            owner,
            key,
        };
        for old in &olds {
            for definition in &old.definitions {
                for name in &definition.head.names {
                    level.definitions.entry(name).or_default().push(definition);
                }
            }
            for atom in old.imports.iter().flat_map(|import| &import.bindings.atoms) {
                level.targets.insert((&atom.target, atom.bound.as_deref()));
                if let Some(bound) = &atom.bound {
                    level.bound.insert(bound, &atom.meaning);
                }
            }
            level.hidden.extend(old.hidden.iter().map(String::as_str));
            level
                .others
                .extend(old.others.iter().map(|range| old.dedented(range)));
        }
        level.olds = olds;
        level
    }

    fn named(&self, name: &str) -> impl Iterator<Item = &'a Definition<'t>> {
        self.definitions.get(name).into_iter().flatten().copied()
    }
}

impl Comparison {
    fn scope(
        &mut self,
        syntax: &Syntax,
        level: &Level<'_, '_>,
        new: &Scope<'_>,
    ) -> Result<(), String> {
        let mut missing = Vec::new();
        for definition in &new.definitions {
            if is_missing(level, definition)? {
                missing.push(definition);
            } else {
                self.meet(syntax, level, new, definition)?;
            }
        }
        let place = Place {
            syntax,
            old: level.olds[level.olds.len() - 1],
            container: level.container,
        };
        let added: String = missing.iter().map(|it| new.text_of(&it.range)).collect();
        self.imports(&place, level, new, &added)?;
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

    /// A definition that is there: its members are compared, or it is kept.
    fn meet(
        &mut self,
        syntax: &Syntax,
        level: &Level<'_, '_>,
        new: &Scope<'_>,
        definition: &Definition<'_>,
    ) -> Result<(), String> {
        let head = &definition.head;
        let names = head.names.iter();
        let there: Vec<&Definition<'_>> = names
            .flat_map(|name| level.named(name))
            .filter(|old| has_shape(&old.head, head))
            .collect();
        let name = label(&level.owner, head);
        let containers: Vec<(&Definition<'_>, &Scope<'_>)> = there
            .iter()
            .filter_map(|old| Some((*old, old.members.as_deref()?)))
            .collect();
        let (Some(members), Some((last, _))) = (&definition.members, containers.last()) else {
            let old = level.olds[0];
            let text = new.dedented(&definition.range);
            if !there.iter().any(|it| old.dedented(&it.range) == text) {
                self.extension.kept.push(name);
            }
            return Ok(());
        };
        let is_headed = |(old, _): &(&Definition<'_>, &Scope<'_>)| {
            level.olds[0].header_of(old) == new.header_of(definition)
        };
        if !containers.iter().any(is_headed) {
            self.extension.kept.push(name);
        }
        let separator = syntax.separator;
        let inner = Level::new(
            containers.iter().map(|(_, members)| *members).collect(),
            Some(last),
            format!("{}{}{separator}", level.owner, head.names.join(", ")),
            format!("{}{} / ", level.key, last.head.key()),
        );
        self.scope(syntax, &inner, members)
    }

    fn imports(
        &mut self,
        place: &Place<'_, '_>,
        level: &Level<'_, '_>,
        new: &Scope<'_>,
        added: &str,
    ) -> Result<(), String> {
        let mut statements = Vec::new();
        for Import { range, bindings } in &new.imports {
            let lacks = |atom: &&Atom| {
                !level
                    .targets
                    .contains(&(atom.target.as_str(), atom.bound.as_deref()))
            };
            let (mut lacking, is_whole) = {
                let lacking: Vec<&Atom> = bindings.atoms.iter().filter(lacks).collect();
                let is_whole = lacking.len() == bindings.atoms.len() && !bindings.is_list;
                (lacking, is_whole)
            };
            if let Some(uses) = place.syntax.uses {
                let (used, unused) = lacking.into_iter().partition(|atom| uses(atom, added));
                lacking = used;
                let unused: Vec<&Atom> = unused;
                let sources = unused.iter().map(|atom| format!("import {}", atom.source));
                self.extension.left_out.extend(sources);
            }
            for atom in &lacking {
                refuse_conflict(level, atom)?;
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
        // The first ones stand apart only where there are others to stand before.
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
                let text = place::with_keyword(place.syntax, text);
                self.extension.added.push(shortened(&text));
            }
            self.insertions.push(place.imports(&statements, is_first)?);
        }
        Ok(())
    }

    /// Statements without a name are not added; the answer says which.
    fn leave_out(&mut self, level: &Level<'_, '_>, new: &Scope<'_>) {
        for range in &new.others {
            let text = new.dedented(range);
            if !level.others.contains(&text) {
                self.extension.left_out.push(shortened(&text));
            }
        }
    }
}

/// Whether nothing of that name is there.
fn is_missing(level: &Level<'_, '_>, definition: &Definition<'_>) -> Result<bool, String> {
    let head = &definition.head;
    let has = |name: &&String| level.named(name).any(|old| has_shape(&old.head, head));
    let there = head.names.iter().filter(has).count();
    if there == head.names.len() {
        return Ok(false);
    }
    let name = head.names.join(", ");
    if there > 0 {
        return Err(format!("the file has only a part of {} {name}", head.kind));
    }
    for name in &head.names {
        for old in level.named(name) {
            refuse_rival(name, old, definition)?;
        }
        if head.spaces != 0 && level.bound.contains_key(name.as_str()) {
            return Err(format!(
                "the file imports {name}, which the content defines"
            ));
        }
        if level.hidden.contains(name.as_str()) {
            return Err(format!("the file binds {name} within a statement already"));
        }
    }
    Ok(true)
}

/// Refuses what has the same name and cannot stand beside it.
fn refuse_rival(name: &str, old: &Definition<'_>, new: &Definition<'_>) -> Result<(), String> {
    let (was, is) = (&old.head, &new.head);
    if was.kind != is.kind && was.spaces & is.spaces != 0 {
        return Err(format!(
            "{name} is a {} in the file and a {} in the content",
            was.kind, is.kind
        ));
    }
    // Two parts of one type's methods; of other definitions a shape is part of the name.
    let members = |it: &Definition<'_>| -> HashSet<String> {
        let members = it.members.iter().flat_map(|members| &members.definitions);
        members
            .flat_map(|member| member.head.names.clone())
            .collect()
    };
    if was.kind == is.kind && !members(old).is_disjoint(&members(new)) {
        return Err(format!(
            "the {} {name} has other bounds in the file than in the content",
            was.kind
        ));
    }
    Ok(())
}

fn refuse_conflict(level: &Level<'_, '_>, atom: &Atom) -> Result<(), String> {
    let Some(bound) = atom.bound.as_deref() else {
        return Ok(());
    };
    if let Some(&other) = level.bound.get(bound)
        && other != atom.meaning
    {
        return Err(format!(
            "{bound} would be imported from two places: {other} and {}",
            atom.target
        ));
    }
    if level.hidden.contains(bound) || level.named(bound).next().is_some() {
        return Err(format!(
            "the file defines {bound}, which the content imports"
        ));
    }
    Ok(())
}

/// A name without a shape is that name in any shape.
fn has_shape(old: &Head<'_>, new: &Head<'_>) -> bool {
    let is_shaped = old.shape == new.shape || old.shape.is_empty() || new.shape.is_empty();
    old.kind == new.kind && is_shaped
}

fn label(owner: &str, head: &Head<'_>) -> String {
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
