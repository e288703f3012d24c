//! Loads the policy. Settings always come from the base. Designs come from the base for a commit or a request, and
//! from the head for a range, unless the settings say otherwise.

mod candidates;
mod choose;
mod document;
mod locate;
mod siblings;

use std::collections::HashMap;

use gix::ObjectId;
use gix::bstr::{BStr, BString};

use super::tree_view::GitTree;
use super::{Options, named_files, reverts};
use crate::change::{Change, Kind};
use crate::error::Result;
use crate::finding::Help;
use crate::git::{Commit, Objects, Parents, Repository, Tree};
use crate::path::shell_word;
use crate::policy::settings::{self, Authority, Missing, Settings};
use crate::policy::{Governing, Policy, Stage, design_selection};
use crate::rules;

pub use candidates::{CandidateDesigns, candidates};
pub(super) use choose::Choice;
pub use choose::{CHOICE_KEY, GUARD_USE};
pub(super) use locate::{LocatedDesigns, locate};
pub(super) use siblings::declares_nothing;

/// The policy for a path that a request wants to write: HEAD's, so that a request cannot grant itself anything.
/// `needs_design`: whether the answer depends on a design.
///
/// # Errors
/// Settings or designs that cannot be used, no design, more than one without a choice, or one that HEAD lacks.
pub fn load_for_request(
    repo: &Repository,
    options: &Options,
    needs_design: bool,
) -> Result<Policy> {
    let mut loader = loader_of_head(repo, options)?;
    loader.is_manual = false;
    loader.policy(needs_design)
}

/// The same for display only: a design named by the user that HEAD lacks comes from the work tree.
///
/// # Errors
/// As for [`load_for_request`], but for a design that HEAD lacks.
pub(super) fn load_to_show(repo: &Repository, options: &Options) -> Result<Policy> {
    loader_of_head(repo, options)?.policy(true)
}

fn loader_of_head<'a>(repo: &'a Repository, options: &'a Options) -> Result<Loader<'a>> {
    let head = repo.head_commit()?;
    let inputs = PolicyInputs::uncommitted(repo, Stage::Request, head, GitTree::Changes(&[]))?;
    Loader::new(repo, inputs, options)
}

/// What is compared with what, and what the history says about the selection of designs.
pub(super) struct PolicyInputs<'a> {
    pub(super) stage: Stage,
    /// HEAD for a commit, the merge base for a range; `None` for the empty tree.
    pub(super) base: Option<ObjectId>,
    /// The resulting tree.
    pub(super) proposal: GitTree<'a>,
    /// The commit of a proposal that is already committed.
    pub(super) head: Option<ObjectId>,
    pub(super) branch: Option<BString>,
    /// The operation of git that waits for this commit.
    pub(super) operation: Option<&'static str>,
    /// The commits of a range.
    pub(super) commits: &'a [Commit],
    /// The designs in `Guard-Design:` trailers, each with its commit.
    pub(super) trailers: Vec<(BString, ObjectId)>,
}

impl<'a> PolicyInputs<'a> {
    /// For the commit that records `tree`.
    ///
    /// # Errors
    /// HEAD cannot be read.
    pub(super) fn of_next_commit(
        repo: &Repository,
        tree: &'a Tree<'a>,
        parents: &Parents,
    ) -> Result<Self> {
        let (head, operation) = (parents.head, parents.operation);
        Ok(PolicyInputs {
            operation,
            ..PolicyInputs::uncommitted(repo, Stage::Commit, head, GitTree::Tree(tree))?
        })
    }

    /// For uncommitted changes on the current branch.
    fn uncommitted(
        repo: &Repository,
        stage: Stage,
        base: Option<ObjectId>,
        proposal: GitTree<'a>,
    ) -> Result<Self> {
        Ok(PolicyInputs {
            stage,
            base,
            proposal,
            head: None,
            branch: repo.design_branch()?,
            operation: None,
            commits: &[],
            trailers: Vec::new(),
        })
    }
}

/// The policy for changes from one side to the other.
///
/// # Errors
/// Settings or designs that cannot be used, no design, or more than one without a choice.
pub(super) fn load_for_changes<'a>(
    repo: &'a Repository,
    inputs: PolicyInputs<'a>,
    changes: &'a [Change],
    options: &'a Options,
) -> Result<Policy> {
    let mut loader = Loader::new(repo, inputs, options)?;
    loader.changes = changes;
    loader.moved_designs = moved_designs(&loader.settings, changes);
    let mut needs_design = false;
    for change in changes {
        if !needs_design && !loader.goes_without_design(change)? {
            needs_design = true;
            loader.first_refused = Some(change.path.clone());
        }
    }
    let designs = loader.designs(needs_design)?;
    let of_others = loader.added_elsewhere(changes, &designs)?;
    let mut policy = loader.finish(designs, needs_design)?;
    policy.added.extend(of_others);
    Ok(policy)
}

struct Loader<'a> {
    repo: &'a Repository,
    objects: &'a Objects,
    base: Tree<'a>,
    inputs: PolicyInputs<'a>,
    options: &'a Options,
    /// Whether a person runs guard by hand. A flag may then name any document, also one that only the work tree has.
    is_manual: bool,
    settings: Settings,
    /// Whether the base has usable settings.
    configured: bool,
    adopting: bool,
    broken_settings: Option<String>,
    by_hand: Vec<BString>,
    notes: Vec<String>,
    moved_designs: Vec<Move>,
    /// The settings that the change brings, if other ones are in force.
    next_settings: Option<Settings>,
    /// What is judged; a request has none.
    changes: &'a [Change],
    /// The commit that the changes revert exactly, if there is no design.
    reverts: Option<ObjectId>,
    /// The first change that needs a design.
    first_refused: Option<BString>,
}

impl<'a> Loader<'a> {
    fn new(repo: &'a Repository, inputs: PolicyInputs<'a>, options: &'a Options) -> Result<Self> {
        let by_hand = options
            .designs
            .iter()
            .map(|file| named_files::in_repository(repo, file))
            .collect::<Result<_>>()?;
        let mut loader = Loader {
            repo,
            objects: repo.objects(),
            base: repo.tree_of(inputs.base)?,
            inputs,
            options,
            is_manual: !options.in_hook,
            settings: Settings::default(),
            configured: false,
            adopting: false,
            broken_settings: None,
            by_hand,
            notes: Vec::new(),
            moved_designs: Vec::new(),
            next_settings: None,
            changes: &[],
            reverts: None,
            first_refused: None,
        };
        loader.read_settings()?;
        Ok(loader)
    }

    /// Whether the proposal's designs are in force instead of the base's.
    fn head_governs(&self) -> bool {
        self.inputs.stage == Stage::Range && self.settings.authority == Authority::Head
    }

    /// The base as messages name it.
    fn base_name(&self) -> String {
        match (self.inputs.stage, self.inputs.head) {
            (Stage::Range | Stage::Step, _) => "the merge base".to_owned(),
            (Stage::Commit, Some(judged)) => {
                format!("the parent of commit {}", judged.to_hex_with_len(12))
            }
            (Stage::Commit | Stage::Request, _) => "HEAD".to_owned(),
        }
    }

    /// The commit to judge, if it has no parent that could contain a policy.
    fn root_commit(&self) -> Option<ObjectId> {
        let is_commit = self.inputs.stage == Stage::Commit;
        let judged = self.inputs.head.filter(|_| is_commit)?;
        let made = self.repo.commit(judged).ok()?;
        made.parents.is_empty().then_some(judged)
    }

    /// The base's settings. If they are missing or broken, the proposed file only says where designs are, which is
    /// enough to recognise the commit that sets guard up or repairs it.
    fn read_settings(&mut self) -> Result<()> {
        let file = BStr::new(settings::FILE);
        let current = self.base.read(file)?;
        let proposed = self.proposed(file)?;
        let is_new = proposed.is_some() && proposed != current;
        let proposed = proposed
            .filter(|_| is_new)
            .map(|bytes| settings::parse(&bytes));
        self.broken_settings = match &proposed {
            Some(Err(error)) => Some(error.message.clone()),
            _ => None,
        };
        let current = current.map(|bytes| settings::parse(&bytes));
        let bootstrap = |proposed: Settings| Settings {
            lld_path: proposed.lld_path,
            standing: proposed.standing,
            ..Settings::default()
        };
        match (current, proposed) {
            (Some(Ok(settings)), proposed) => {
                self.next_settings = proposed.and_then(Result::ok);
                self.settings = settings;
                self.configured = true;
            }
            (Some(Err(_)), Some(Ok(proposed))) => {
                self.settings = bootstrap(proposed);
                self.notes.push(format!(
                    "the guard.toml of {} cannot be used; this change replaces it",
                    self.base_name()
                ));
            }
            (Some(Err(error)), _) => return Err(error),
            (None, Some(Ok(proposed))) => {
                self.settings = bootstrap(proposed);
                self.adopting = true;
            }
            (None, _) => {}
        }
        Ok(())
    }

    /// The proposal's content at `path`.
    fn proposed(&self, path: &BStr) -> Result<Option<Vec<u8>>> {
        self.inputs.proposal.read(self.objects, path)
    }

    /// Whether the change needs no design: designs, guard's own settings and, in the commit that sets guard up, files
    /// that call it.
    fn goes_without_design(&self, change: &Change) -> Result<bool> {
        // A link is neither a design nor settings.
        if change.leaves_no_regular_file() {
            return Ok(false);
        }
        let path = change.path.as_ref();
        Ok(design_selection::is_own_settings(&self.settings, path)
            || design_selection::is_design(&self.settings, path)
            || self
                .moved_designs
                .iter()
                .any(|moved| moved.to == change.path)
            || self.by_hand.iter().any(|chosen| chosen == path)
            || self.adopting && rules::may_call_guard(path)
            || self.changes_only_own_part(change)?)
    }

    /// Whether only guard's own part of hook settings changes.
    fn changes_only_own_part(&self, change: &Change) -> Result<bool> {
        let Some(new) = change.new else {
            return Ok(false);
        };
        let are_files = new.kind.is_file() && change.old.is_none_or(|old| old.kind.is_file());
        if !are_files || !rules::may_call_guard(change.path.as_ref()) {
            return Ok(false);
        }
        let (mut before, mut after) = (Vec::new(), Vec::new());
        if let Some(old) = change.old {
            self.objects.blob(old.id, &mut before)?;
        }
        self.objects.blob(new.id, &mut after)?;
        Ok(rules::changes_only_own_part(
            change.path.as_ref(),
            &before,
            &after,
        ))
    }

    /// The designs in force. If no change needs one, the usable ones, to protect them.
    fn designs(&mut self, needed: bool) -> Result<Vec<Governing>> {
        let own = match self.choices() {
            Err(error) if needed => return Err(error),
            Err(_) => Vec::new(),
            Ok(choices) => choices,
        };
        let has_own = !own.is_empty();
        let standing = self.standing(&own)?;
        let mut designs = self.load_all(own, needed, false)?;
        let standing = standing.into_iter();
        let others = standing.filter(|choice| {
            let mut known = designs.iter();
            !known.any(|governing| governing.design.path == choice.path)
        });
        let others = others.collect();
        designs.extend(self.load_all(others, needed, has_own)?);
        if needed && !has_own {
            if designs.is_empty() && self.settings.missing == Missing::Block {
                self.reverts = self.exact_revert()?;
                if self.reverts.is_none() {
                    return Err(self.no_design());
                }
            } else if self.settings.missing == Missing::Block && !self.settings.lld_path.is_empty()
            {
                self.notes.push(format!(
                    "{}: only standing designs apply; for other work, write a design (guard scope new) or choose one (guard use FILE)",
                    self.no_design().message
                ));
            }
        }
        Ok(designs)
    }

    /// The commit that the changes revert exactly, if guard is set up.
    fn exact_revert(&self) -> Result<Option<ObjectId>> {
        match self.inputs.base.filter(|_| self.configured) {
            Some(base) => {
                let PolicyInputs { stage, head, .. } = self.inputs;
                let changes = self.changes.iter();
                let found =
                    reverts::reverted_above(self.repo, &self.settings, stage, base, head, changes)?;
                Ok(found.map(|reverted| reverted.commit))
            }
            None => Ok(None),
        }
    }

    fn policy(mut self, needs_design: bool) -> Result<Policy> {
        let designs = self.designs(needs_design)?;
        self.finish(designs, needs_design)
    }

    fn finish(self, designs: Vec<Governing>, needed: bool) -> Result<Policy> {
        let skips = self.settings.missing == Missing::Skip || self.reverts.is_some();
        let policy = Policy::new(self.inputs.stage, self.settings, designs);
        let skipped = needed && !policy.has_own_design() && skips;
        let moved = self.moved_designs.into_iter();
        Ok(Policy {
            scope: policy.scope.filter(|_| !skipped),
            notes: self.notes,
            reverts: self.reverts,
            broken_settings: self.broken_settings,
            adopting: self.adopting,
            operation: self.inputs.operation,
            moved_designs: moved.map(|moved| moved.to).collect(),
            ..policy
        })
    }
}

/// A design that moves.
pub(super) struct Move {
    from: BString,
    pub(super) to: BString,
}

/// Where designs move: a new Markdown file with the file name of a design that the same change deletes. The content
/// may differ, for example by a status line.
pub(super) fn moved_designs(settings: &Settings, changes: &[Change]) -> Vec<Move> {
    let name = |path: &BString| path.rsplit(|&byte| byte == b'/').next().map(<[u8]>::to_vec);
    let left: HashMap<_, _> = changes
        .iter()
        .filter(|change| {
            change.new.is_none() && design_selection::is_design(settings, change.path.as_ref())
        })
        .map(|change| (name(&change.path), &change.path))
        .collect();
    changes
        .iter()
        .filter(|change| change.old.is_none())
        .filter(|change| change.new.is_some_and(|state| state.kind == Kind::File))
        .filter(|change| change.path.ends_with(b".md"))
        .filter_map(|change| {
            left.get(&name(&change.path)).map(|&from| Move {
                from: from.clone(),
                to: change.path.clone(),
            })
        })
        .collect()
}

/// The command that commits a new design.
fn add_and_commit(path: &[u8]) -> Help {
    let word = shell_word(path);
    Help::command(format_args!(
        "git add {word} && git commit -m \"Add the design\" -- {word}"
    ))
}
