//! Loads the policy. Settings always come from the base. Designs come from the base for a commit or a request, and
//! from the head for a range, unless the settings say otherwise.

mod by_branch;
mod documents;
mod done;
mod locate;
mod moved;
mod no_design;
mod read;
mod select;
mod unconfigured;
mod work_of_branch;

use std::cell::{OnceCell, RefCell};

use gix::bstr::{BStr, BString};

use super::Options;
use super::facts::JudgementFacts;
use super::reverts::Revert;
use super::tree_view::in_repository;
use write_guard_policy::change::Change;
use write_guard_policy::error::{Error, Result};
use write_guard_policy::finding::Help;
use write_guard_policy::path::{escaped_list, shell_word};
use write_guard_policy::policy::{self, DonePlan, Governing, Policy, Stage};
use write_guard_policy::rules;
use write_guard_policy::scope::settings::{self, Authority, Missing, Settings};
use write_guard_repo::{Repository, Tree};

pub(super) use documents::moved_designs;
pub use locate::candidates;
pub(super) use locate::{LocatedDesigns, locate, locate_with};
pub(super) use read::is_other_text;
pub use select::CHOICE_KEY;
pub(super) use select::{Choice, matching_among};
pub(super) use unconfigured::{never_had_settings, target_with_settings};
use work_of_branch::WorkOfBranch;

/// What a policy for requests is loaded for, which decides whether it needs a design.
#[derive(Debug, Clone, Copy)]
pub enum Purpose<'a> {
    /// To read files.
    Read,
    /// To change the files at these paths.
    Change(&'a [BString]),
    /// To know the scope.
    Scope,
}

/// The policy for requests: HEAD's, so that a request cannot grant itself anything. Designs that cannot be used are an
/// error only if the purpose needs one.
///
/// # Errors
/// Settings or designs that cannot be used, no design, more than one without a choice, or one that HEAD lacks.
pub fn load_for_request(
    repo: &Repository,
    options: &Options,
    purpose: Purpose<'_>,
) -> Result<Policy> {
    let options = Options {
        in_hook: true,
        ..options.clone()
    };
    let facts = of_head(repo)?;
    let loader = Loader::new(&facts, &options)?;
    let needs_design = match purpose {
        Purpose::Read => false,
        Purpose::Change(paths) => !paths.iter().all(|path| loader.is_design_or_settings(path)),
        Purpose::Scope => true,
    };
    loader.finish(needs_design)
}

/// The same for display only: a design named by the user that HEAD lacks comes from the work tree.
///
/// # Errors
/// As for [`load_for_request`], but for a design that HEAD lacks.
pub(super) fn load_to_show(repo: &Repository, options: &Options) -> Result<Policy> {
    Loader::new(&of_head(repo)?, options)?.finish(true)
}

fn of_head(repo: &Repository) -> Result<JudgementFacts<'_>> {
    let nothing = repo.tree_of(None)?;
    JudgementFacts::new(repo, Stage::Request, repo.head_commit()?, nothing)
}

/// The policy for the changes.
///
/// # Errors
/// Settings or designs that cannot be used, no design, or more than one without a choice.
pub(super) fn load_for_changes(facts: &JudgementFacts<'_>, options: &Options) -> Result<Policy> {
    let mut loader = Loader::new(facts, options)?;
    loader.policy.moved_designs = moved_designs(&loader.policy.settings, &facts.changes);
    for change in &facts.changes {
        if !loader.goes_without_design(change)? {
            return loader.finish(true);
        }
    }
    loader.finish(false)
}

struct Loader<'f, 'a> {
    facts: &'f JudgementFacts<'a>,
    options: &'f Options,
    /// Whether the base has usable settings.
    configured: bool,
    /// The target branch, if the work began before its settings.
    older_than: Option<String>,
    by_hand: Vec<BString>,
    /// The plans that were asked for and are done.
    done: RefCell<Vec<DonePlan>>,
    /// Whether that is why the branch has no design of its own.
    own_is_done: bool,
    /// What is committed on this branch; looked up when a choice first depends on it.
    work: OnceCell<Option<WorkOfBranch<'f>>>,
    /// The policy so far, without designs.
    policy: Policy,
}

impl<'f, 'a> Loader<'f, 'a> {
    fn new(facts: &'f JudgementFacts<'a>, options: &'f Options) -> Result<Self> {
        let by_hand = options.designs.iter();
        let by_hand = by_hand.map(|file| in_repository(facts.repo, file));
        let mut loader = Loader {
            facts,
            options,
            configured: false,
            older_than: facts.older_than.clone(),
            by_hand: by_hand.collect::<Result<_>>()?,
            done: RefCell::default(),
            own_is_done: false,
            work: OnceCell::new(),
            policy: Policy {
                operation: facts.operation,
                ..Policy::of_settings(facts.stage, Settings::default())
            },
        };
        loader.read_settings()?;
        if !loader.configured && !loader.policy.adopting && facts.stage != Stage::Range {
            loader.older_than = loader.target_of_older_work()?;
        }
        Ok(loader)
    }

    fn base(&self) -> &'f Tree<'a> {
        &self.facts.base.tree
    }

    /// Whether the proposal's designs are in force instead of the base's.
    fn head_governs(&self) -> bool {
        self.facts.stage == Stage::Range && self.policy.settings.authority == Authority::Head
    }

    /// The base as messages name it.
    fn base_name(&self) -> &'static str {
        match (self.facts.stage, self.facts.head) {
            (Stage::Range, _) => "the merge base",
            (_, Some(_)) => "the parent commit",
            (_, None) => "HEAD",
        }
    }

    /// The base's settings. If they are missing or broken, the proposed file only says where designs are, which is
    /// enough to recognise the commit that sets guard up or repairs it.
    fn read_settings(&mut self) -> Result<()> {
        let file = BStr::new(settings::FILE);
        let current = self.base().read(file)?;
        let proposed = self.facts.result.read(file)?;
        let proposed = proposed.filter(|text| Some(text) != current.as_ref());
        let next = match proposed.map(|text| settings::parse(&text)) {
            Some(Err(error)) => {
                self.policy.broken_settings = Some(error.message);
                None
            }
            next => next.and_then(Result::ok),
        };
        self.policy.adopting = current.is_none() && next.is_some();
        if self.facts.stage == Stage::Range && current.is_some() {
            self.policy.next_settings = next.clone().map(Box::new);
        }
        let current = match &self.options.settings {
            Some(settings) => Some(Ok(settings.clone())),
            None => current.map(|text| settings::parse(&text)),
        };
        match (current, next) {
            // In a repository that only begins to observe, there is nothing to protect from it.
            (None, Some(next)) if next.is_observing() && self.is_first_set_up()? => {
                self.policy.settings = next;
                self.configured = true;
            }
            (Some(Ok(settings)), _) => {
                self.policy.settings = settings;
                self.configured = true;
            }
            (Some(Err(error)), None) => return Err(error),
            (current, Some(next)) => {
                self.policy.settings.lld_path = next.lld_path;
                self.policy.settings.standing = next.standing;
                self.policy.notes.extend(current.map(|_| {
                    let base = self.base_name();
                    format!("the guard.toml of {base} cannot be used; this change replaces it")
                }));
            }
            (None, None) => {}
        }
        Ok(())
    }

    /// Whether no other branch has settings, so that none were lost here.
    fn is_first_set_up(&self) -> Result<bool> {
        let is_range = self.facts.stage == Stage::Range;
        Ok(is_range || target_with_settings(self.facts.repo)?.is_none())
    }

    /// The target branch, if this work began before its settings and has none itself.
    fn target_of_older_work(&self) -> Result<Option<String>> {
        let repo = self.facts.repo;
        let head = self.facts.base.commit;
        if self.facts.stage != Stage::Request {
            return unconfigured::target_of_older_work(repo, head, &self.facts.result);
        }
        let Some(index) = unconfigured::index_of(repo)? else {
            return Ok(None);
        };
        unconfigured::target_of_older_work(repo, head, &index.tree()?)
    }

    /// Whether the change needs no design: designs, guard's own settings, guard's own part of hook settings and, in the
    /// commit that sets guard up, files that call it.
    fn goes_without_design(&self, change: &Change) -> Result<bool> {
        // A link is neither a design nor settings.
        if change.leaves_no_regular_file() {
            return Ok(false);
        }
        let path: &BStr = change.path.as_ref();
        if self.is_design_or_settings(&change.path)
            || self.policy.is_moved_design(path)
            || self.by_hand.contains(&change.path)
            || self.policy.adopting && rules::may_call_guard(path)
        {
            return Ok(true);
        }
        let was_file = change.old.is_none_or(|old| old.kind.is_file());
        if change.new.is_none() || !was_file || !rules::wants_content(path) {
            return Ok(false);
        }
        let (before, after) = self.facts.repo.objects().both(change.old, change.new)?;
        Ok(rules::changes_only_own_part(path, &before, &after))
    }

    /// Whether the path is one of a design or of guard's own settings, which no design has to name.
    fn is_design_or_settings(&self, path: &BString) -> bool {
        let settings = &self.policy.settings;
        policy::is_design(settings, path.as_ref())
            || policy::is_own_settings(settings, path.as_ref())
    }

    /// The designs in force. If no change needs one, the usable ones, to protect them.
    fn designs(&mut self, needed: bool) -> Result<Vec<Governing>> {
        let own = match self.choices() {
            Err(error) if needed => return Err(error),
            own => own.unwrap_or_default(),
        };
        let standing = self.standing(&own)?;
        let mut choices = self.own_open_ones(own)?;
        let has_own = !choices.is_empty();
        choices.extend(self.open_ones(standing)?);
        if self.facts.stage == Stage::Request {
            self.policy.of_branch = self.designs_of_branch(&choices);
        }
        let designs = self.load_all(choices, needed)?;
        if !needed || has_own || self.policy.settings.missing == Missing::Skip {
            return Ok(designs);
        }
        if !designs.is_empty() {
            if self.own_is_done || !self.policy.settings.lld_path.is_empty() {
                let paths = designs.iter().map(|governing| &governing.design.path);
                let paths = escaped_list(paths.collect::<Vec<_>>());
                let why = self.no_design().message;
                let ways = self.ways_to_a_design();
                let mut note = format!("{why}; only {paths} counts");
                if self.waiting().is_some() {
                    let ways: Vec<&str> = ways.iter().map(|way| way.trim()).collect();
                    note += &format!("; {}", ways.join(" "));
                }
                self.policy.notes.push(note);
                self.policy.ways_to_a_design = ways;
            }
            return Ok(designs);
        }
        if self.configured {
            let found = Revert::of(self.facts, &self.policy.settings)?;
            self.policy.reverts = found.map(|revert| revert.commit);
        }
        match self.policy.reverts {
            Some(_) => Ok(designs),
            None => Err(self.no_design()),
        }
    }

    fn finish(mut self, needs_design: bool) -> Result<Policy> {
        if let Some(target) = &self.older_than {
            self.policy.notes.push(unconfigured::note(target));
            return Ok(Policy {
                settings: Settings::without_rules(),
                ..self.policy
            });
        }
        let designs = self.designs(needs_design)?;
        let of_others = self.added_elsewhere(&designs)?;
        self.policy.done = self.done.take();
        let mut policy = self.policy.with_designs(designs);
        let skips = policy.settings.missing == Missing::Skip || policy.reverts.is_some();
        if needs_design && !policy.has_own_design() && skips {
            policy = policy.without_scope();
        }
        policy.added.extend(of_others);
        Ok(policy)
    }
}

/// Adds the command that commits a new design.
fn commit_first(error: Error, path: &[u8]) -> Error {
    let word = shell_word(path);
    error
        .help("commit the design first:")
        .help(Help::command(format_args!(
            "git add {word} && git commit -m \"Add the design\" -- {word}"
        )))
}
