//! The rules as tables: settings, a design and changes in memory on one side, findings on the other. What is expected
//! comes from the pages in docs/rules.

#![allow(clippy::unwrap_used)]

mod approvals;
mod content;
mod denials;
mod designs;
mod destruction;
mod paths;
mod renames;
mod requests;
mod scope;
mod settings;

use std::collections::{BTreeMap, HashMap};

use bstr::{BStr, BString, ByteSlice};
use gix_hash::ObjectId;

use super::*;
use crate::approve::{self, Approval};
use crate::change::{Change, Kind, State};
use crate::design::{self, Design};
use crate::finding::{Level, Rule};
use crate::measure::{self, Kept, Precision};
use crate::path::{Node, Platform, TreeView};
use crate::policy::{ChosenBy, Governing, Stage};
use crate::scope::settings as guard_toml;
use crate::verdict::MovedTo;

/// The design of the branch.
const DESIGN: &str = "docs/lld/LLD-1.md";

/// One side of a change.
type Side = Option<(Kind, Vec<u8>)>;

fn file(text: impl Into<Vec<u8>>) -> Side {
    Some((Kind::File, text.into()))
}

/// Lines that differ from each other, and from those of another `word`.
fn lines(word: &str, count: usize) -> String {
    (0..count)
        .map(|at| format!("{word} {at} {word}{at}\n"))
        .collect()
}

/// A state whose id is that of the content, as in git; a submodule's content is a digit, of which its commit consists.
fn state((kind, content): &(Kind, Vec<u8>)) -> State {
    let hash = gix_hash::Kind::Sha1;
    let id = match kind {
        Kind::Submodule => ObjectId::from_hex(&content.repeat(40)).unwrap(),
        _ => gix_object::compute_hash(hash, gix_object::Kind::Blob, content).unwrap(),
    };
    State { kind: *kind, id }
}

/// A tree in memory.
#[derive(Default)]
struct Tree(BTreeMap<BString, (Kind, Vec<u8>)>);

impl Tree {
    fn of(paths: &[&str]) -> Tree {
        let entry = |path: &&str| ((*path).into(), (Kind::File, Vec::new()));
        Tree(paths.iter().map(entry).collect())
    }
}

impl TreeView for Tree {
    fn entry(&self, path: &BStr) -> Option<Node> {
        let below = [path.as_bytes(), b"/"].concat();
        match self.0.get(path) {
            Some((kind, _)) => Some(Node::Entry(*kind)),
            None => {
                (self.0.keys().any(|other| other.starts_with(&below))).then_some(Node::Directory)
            }
        }
    }

    fn link_target(&self, path: &BStr) -> Option<BString> {
        self.0
            .get(path)
            .map(|(_, content)| content.as_bstr().into())
    }
}

impl ResultTree for Tree {
    fn for_each(&self, visit: &mut dyn FnMut(&BStr, Kind)) {
        // Only directories have an order.
        for (path, _) in self.0.iter().filter(|entry| entry.1.0 == Kind::DIRECTORY) {
            visit(path.as_ref(), Kind::DIRECTORY);
        }
        for (path, (kind, _)) in self.0.iter().rev() {
            if *kind != Kind::DIRECTORY {
                visit(path.as_ref(), *kind);
            }
        }
    }
}

/// The values of a `.gitmodules`, as git reads them.
fn submodules(content: &[u8]) -> Option<Submodules> {
    let file = gix_config::File::from_bytes_no_includes(
        content,
        gix_config::file::Metadata::default(),
        gix_config::file::init::Options::default(),
    );
    let file = file.ok()?;
    let mut values = Submodules::new();
    for section in file.sections_by_name("submodule").into_iter().flatten() {
        let Some(name) = section.header().subsection_name() else {
            continue;
        };
        for key in section.body().value_names() {
            let value = section.body().value(&key)?;
            values.insert((name.to_owned(), key.to_lowercase()), value);
        }
    }
    Some(values)
}

/// The input of one judgement.
struct Work {
    policy: Policy,
    changes: Vec<(Change, Side, Side)>,
    /// The rest of the resulting tree.
    unchanged: Tree,
    /// What the merge base holds, if it is known.
    merge_base: Option<HashMap<BString, Option<State>>>,
    approvals: Vec<Approval>,
}

/// A document whose table has these rows, without the outer bars.
fn document(rows: &[&str]) -> String {
    let rows: Vec<String> = rows.iter().map(|row| format!("| {row} |\n")).collect();
    let table = "## Files Changed\n\n| File | Change Type | Description |\n|---|---|---|\n";
    format!("# Design\n\n{table}{}", rows.concat())
}

fn governing(path: &str, text: &str, settings: &Settings) -> Governing {
    let design = parsed(path, text, settings);
    Governing {
        before: Some(design.clone()),
        design,
        blob: ObjectId::null(gix_hash::Kind::Sha1),
        origin: "memory".to_owned(),
        chosen_by: ChosenBy::Caller("a test"),
        in_force: true,
        proposed: None,
        obstacle: None,
    }
}

fn parsed(path: &str, text: &str, settings: &Settings) -> Design {
    design::parse(path.into(), text.as_bytes(), settings)
}

/// A commit on a branch with a design of these rows, judged by these settings.
fn commit(settings: &str, rows: &[&str]) -> Work {
    work(Stage::Commit, settings, rows)
}

fn work(stage: Stage, settings: &str, rows: &[&str]) -> Work {
    with_designs(stage, settings, |settings| {
        vec![governing(DESIGN, &document(rows), settings)]
    })
}

fn with_designs(
    stage: Stage,
    settings: &str,
    designs: impl FnOnce(&Settings) -> Vec<Governing>,
) -> Work {
    let path = "path = \"docs/lld/LLD-{issue}.md\"\n";
    let settings = match settings.strip_prefix("[lld]\n") {
        Some(lld) => format!("[lld]\n{path}{lld}"),
        None => format!("[lld]\n{path}{settings}"),
    };
    let settings = guard_toml::parse(settings.as_bytes()).unwrap();
    let designs = designs(&settings);
    Work {
        policy: Policy::of_settings(stage, settings).with_designs(designs),
        changes: Vec::new(),
        unchanged: Tree::default(),
        merge_base: None,
        approvals: Vec::new(),
    }
}

impl Work {
    fn step(mut self, path: &str, old: Side, new: Side) -> Work {
        let states = [&old, &new].map(|side| side.as_ref().map(state));
        let change = Change::new(path, states[0], states[1]);
        self.changes.push((change, old, new));
        self
    }

    fn add(self, path: &str, text: &str) -> Work {
        self.step(path, None, file(text))
    }

    fn modify(self, path: &str, old: &str, new: &str) -> Work {
        self.step(path, file(old), file(new))
    }

    fn delete(self, path: &str, old: &str) -> Work {
        self.step(path, file(old), None)
    }

    /// A deleted and an added file that guard has paired.
    fn rename(self, from: &str, to: &str, old: &str, new: &str) -> Work {
        let mut work = self.delete(from, old).add(to, new);
        for (change, ..) in &mut work.changes {
            if change.path == from {
                change.renamed = Some(to.into());
            } else if change.path == to {
                change.renamed = Some(from.into());
            }
        }
        work
    }

    /// Other entries of the resulting tree.
    fn beside(mut self, path: &str, kind: Kind, content: &str) -> Work {
        let entry = (kind, content.as_bytes().to_vec());
        self.unchanged.0.insert(path.into(), entry);
        self
    }

    /// What the merge base has at these paths.
    fn began_with(mut self, files: &[(&str, Option<&str>)]) -> Work {
        let known = files.iter().map(|(path, text)| {
            let old = text.and_then(file);
            (BString::from(*path), old.as_ref().map(state))
        });
        self.merge_base = Some(known.collect());
        self
    }

    /// Approves the change at a path.
    fn approve(mut self, path: &str) -> Work {
        let mut changes = self.changes.iter();
        let (change, ..) = changes.find(|(change, ..)| change.path == path).unwrap();
        let (old, new) = approve::sides(change);
        self.approvals.push(Approval {
            path: path.into(),
            old,
            new,
            ..approve::testing::approval()
        });
        self
    }

    /// The policy, changed after it was made.
    fn with(mut self, change: impl FnOnce(&mut Policy)) -> Work {
        change(&mut self.policy);
        self
    }

    fn measured(&self) -> Vec<MeasuredChange> {
        let bytes = |side: &Side| {
            side.as_ref()
                .map(|(_, text)| text.clone())
                .unwrap_or_default()
        };
        let thresholds = &self.policy.settings.thresholds;
        let measured = |(change, old, new): &(Change, Side, Side)| {
            let from = change.renamed.as_ref().filter(|_| change.old.is_none());
            let mut all = self.changes.iter();
            let from = from.and_then(|from| all.find(|(other, ..)| other.path == *from));
            let old = from.map_or(old, |(_, old, _)| old);
            let slice = |side: &'_ Side| side.as_ref().map(|(kind, text)| (*kind, text.clone()));
            let before = slice(old);
            let after = slice(new);
            let is_link = matches!(new, Some((Kind::Symlink, _)));
            let is_wanted = is_link || wants_content_under(&self.policy, change.path.as_ref());
            MeasuredChange {
                change: change.clone(),
                compared: old.as_ref().map(state),
                measured: measure::measure_if(
                    before.as_ref().map(|(kind, text)| (*kind, text.as_slice())),
                    after.as_ref().map(|(kind, text)| (*kind, text.as_slice())),
                    thresholds,
                    Precision::Exact,
                ),
                new_ends: self.new_ends(change, old),
                moved_to: Vec::new(),
                is_committed: true,
                pays_for: None,
                content: is_wanted.then(|| Box::new((bytes(old), bytes(new)))),
            }
        };
        self.changes.iter().map(measured).collect()
    }

    /// What the new paths of Rename rows keep of a deleted file.
    fn new_ends(&self, change: &Change, old: &Side) -> Vec<RenameTarget> {
        let Some((_, old)) = old.as_ref().filter(|_| change.new.is_none()) else {
            return Vec::new();
        };
        let scopes = self.policy.scope.iter().chain([&self.policy.proposed]);
        let mut paths: Vec<BString> = scopes
            .flat_map(|scope| scope.new_ends(change.path.as_ref()).collect::<Vec<_>>())
            .collect();
        paths.dedup();
        let made = |path: BString| {
            let mut all = self.changes.iter();
            let (_, _, new) = all.find(|(other, ..)| other.path == path)?;
            let kept = match new.as_ref()? {
                (kind, new) if kind.is_file() => {
                    measure::kept(old, new, &self.policy.settings.thresholds)
                }
                _ => Kept::NOTHING,
            };
            Some(RenameTarget { path, kept })
        };
        paths.into_iter().filter_map(made).collect()
    }

    fn check(&self, changes: &[MeasuredChange]) -> Vec<Finding> {
        self.judged(changes, check)
    }

    /// Passes all that the rules need to one of them, or to all.
    fn judged<T>(&self, changes: &[MeasuredChange], judge: impl FnOnce(&Case<'_>) -> T) -> T {
        let mut result = Tree(self.unchanged.0.clone());
        for (change, _, new) in &self.changes {
            // A request is judged by what is there before it is written.
            if self.policy.stage != Stage::Request
                && let Some(entry) = new.as_ref()
            {
                result.0.insert(change.path.clone(), entry.clone());
            }
        }
        judge(&Case {
            platform: Platform::Unix,
            policy: &self.policy,
            changes,
            result: &result,
            merge_base: &|path| self.merge_base.as_ref()?.get(path).copied(),
            submodules,
            approvals: &self.approvals,
        })
    }

    fn findings(&self) -> Vec<Finding> {
        self.check(&self.measured())
    }

    /// Asserts level, rule, path and message of all findings.
    #[track_caller]
    fn says(&self, expected: &[&str]) {
        let findings: Vec<String> = self.findings().iter().map(said).collect();
        assert_eq!(findings, expected);
    }

    /// Asserts that the first finding has exactly this help.
    #[track_caller]
    fn helps(&self, expected: &[&str]) {
        let findings = self.findings();
        let help = findings[0].help.iter().map(|help| &**help);
        assert_eq!(help.collect::<Vec<_>>(), expected, "{findings:?}");
    }

    /// The facts of the first finding for programs.
    fn details(&self) -> serde_json::Value {
        serde_json::to_value(&self.findings()[0].details).unwrap()
    }
}

/// A finding as `error out-of-scope src/a.rs: message`.
fn said(finding: &Finding) -> String {
    let path = finding.path.as_ref().map(ToString::to_string);
    let level = finding.level.name();
    let rule = finding.rule.id();
    format!(
        "{level} {rule} {}: {}",
        path.unwrap_or_default(),
        finding.message
    )
}
