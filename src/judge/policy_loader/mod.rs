//! Loads the policy. Settings always come from the base. Designs come from the base for a commit or a request, and
//! from the head for a range, unless the settings say otherwise.

mod read;
mod select;

use gix::bstr::{BStr, BString};

use super::facts::JudgementFacts;
use super::tree_view::in_repository;
use super::{Options, excuses};
use crate::change::{Change, Kind};
use crate::error::{Error, Result};
use crate::finding::Help;
use crate::git::{Objects, Repository, Tree};
use crate::path::{escaped, escaped_list, shell_word};
use crate::policy::{self, Governing, Policy, Stage};
use crate::rules;
use crate::scope::path_placeholders::NamedBy;
use crate::scope::settings::{self, Authority, Missing, Settings};

pub(super) use read::{declares_nothing, is_other_text};
pub use select::{CHOICE_KEY, CandidateDesigns, GUARD_USE, candidates};
pub(super) use select::{Choice, LocatedDesigns, locate};

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
    let facts = of_head(repo)?;
    let mut loader = Loader::new(&facts, options)?;
    loader.is_manual = false;
    loader.policy(needs_design)
}

/// The same for display only: a design named by the user that HEAD lacks comes from the work tree.
///
/// # Errors
/// As for [`load_for_request`], but for a design that HEAD lacks.
pub(super) fn load_to_show(repo: &Repository, options: &Options) -> Result<Policy> {
    let facts = of_head(repo)?;
    Loader::new(&facts, options)?.policy(true)
}

fn of_head(repo: &Repository) -> Result<JudgementFacts<'_>> {
    let nothing = repo.tree_of(None)?;
    JudgementFacts::new(repo, Stage::Request, repo.head_commit()?, nothing)?.uncommitted()
}

/// The policy for the changes.
///
/// # Errors
/// Settings or designs that cannot be used, no design, or more than one without a choice.
pub(super) fn load_for_changes(facts: &JudgementFacts<'_>, options: &Options) -> Result<Policy> {
    let mut loader = Loader::new(facts, options)?;
    loader.moved_designs = moved_designs(&loader.settings, &facts.changes);
    for change in &facts.changes {
        if !loader.goes_without_design(change)? {
            loader.first_refused = Some(change.path.clone());
            break;
        }
    }
    let needs_design = loader.first_refused.is_some();
    loader.policy(needs_design)
}

struct Loader<'f, 'a> {
    facts: &'f JudgementFacts<'a>,
    options: &'f Options,
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
    /// The commit that the changes revert exactly, if there is no design.
    reverts: Option<gix::ObjectId>,
    /// The first change that needs a design.
    first_refused: Option<BString>,
}

impl<'f, 'a> Loader<'f, 'a> {
    fn new(facts: &'f JudgementFacts<'a>, options: &'f Options) -> Result<Self> {
        let by_hand = options
            .designs
            .iter()
            .map(|file| in_repository(facts.repo, file))
            .collect::<Result<_>>()?;
        let mut loader = Loader {
            facts,
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
            reverts: None,
            first_refused: None,
        };
        loader.read_settings()?;
        Ok(loader)
    }

    fn base(&self) -> &'f Tree<'a> {
        self.facts.base.tree()
    }

    fn objects(&self) -> &'a Objects {
        self.facts.repo.objects()
    }

    /// Whether the proposal's designs are in force instead of the base's.
    fn head_governs(&self) -> bool {
        self.facts.stage == Stage::Range && self.settings.authority == Authority::Head
    }

    /// The base as messages name it.
    fn base_name(&self) -> String {
        match (self.facts.stage, self.facts.head) {
            (Stage::Range | Stage::Step, _) => "the merge base".to_owned(),
            (Stage::Commit, Some(judged)) => {
                format!("the parent of commit {}", judged.to_hex_with_len(12))
            }
            (Stage::Commit | Stage::Request, _) => "HEAD".to_owned(),
        }
    }

    /// The base's settings. If they are missing or broken, the proposed file only says where designs are, which is
    /// enough to recognise the commit that sets guard up or repairs it.
    fn read_settings(&mut self) -> Result<()> {
        let file = BStr::new(settings::FILE);
        let current = self.base().read(file)?;
        let proposed = self.proposed(file)?;
        let proposed = proposed
            .filter(|text| Some(text) != current.as_ref())
            .map(|text| settings::parse(&text));
        if let Some(Err(error)) = &proposed {
            self.broken_settings = Some(error.message.clone());
        }
        let proposed = proposed.and_then(Result::ok);
        let is_first = current.is_none() && proposed.is_some();
        let current = match &self.options.settings {
            Some(settings) => Some(Ok(settings.clone())),
            None => current.map(|text| settings::parse(&text)),
        };
        match (current, proposed) {
            (Some(Ok(settings)), proposed) => {
                self.adopting = is_first;
                self.next_settings = proposed;
                self.settings = settings;
                self.configured = true;
            }
            (Some(Err(error)), None) => return Err(error),
            (current, Some(proposed)) => {
                self.settings.lld_path = proposed.lld_path;
                self.settings.standing = proposed.standing;
                self.adopting = current.is_none();
                if current.is_some() {
                    self.notes.push(format!(
                        "the guard.toml of {} cannot be used; this change replaces it",
                        self.base_name()
                    ));
                }
            }
            (None, None) => {}
        }
        Ok(())
    }

    /// The proposal's content at `path`.
    fn proposed(&self, path: &BStr) -> Result<Option<Vec<u8>>> {
        self.facts.result.read(path)
    }

    /// Whether the change needs no design: designs, guard's own settings and, in the commit that sets guard up, files
    /// that call it.
    fn goes_without_design(&self, change: &Change) -> Result<bool> {
        // A link is neither a design nor settings.
        if change.leaves_no_regular_file() {
            return Ok(false);
        }
        let path = change.path.as_ref();
        Ok(policy::is_own_settings(&self.settings, path)
            || policy::is_design(&self.settings, path)
            || self.moved_designs.iter().any(|moved| moved.to == path)
            || self.is_by_hand(&change.path)
            || self.adopting && rules::may_call_guard(path)
            || self.changes_only_own_part(change)?)
    }

    /// Whether only guard's own part of hook settings changes.
    fn changes_only_own_part(&self, change: &Change) -> Result<bool> {
        let path: &BStr = change.path.as_ref();
        let is_file = change.new.is_some_and(|new| new.kind.is_file());
        let was_file = change.old.is_none_or(|old| old.kind.is_file());
        if !is_file || !was_file || !rules::wants_content(path) {
            return Ok(false);
        }
        let before = self.objects().content(change.old)?;
        let after = self.objects().content(change.new)?;
        Ok(rules::changes_only_own_part(path, &before, &after))
    }

    /// The designs in force. If no change needs one, the usable ones, to protect them.
    fn designs(&mut self, needed: bool) -> Result<Vec<Governing>> {
        let own = match self.choices() {
            Err(error) if needed => return Err(error),
            own => own.unwrap_or_default(),
        };
        let has_own = !own.is_empty();
        let mut standing = self.standing(&own)?;
        let mut designs = self.load_all(own, needed, false)?;
        standing.retain(|choice| {
            let mut known = designs.iter();
            !known.any(|governing| governing.design.path == choice.path)
        });
        designs.extend(self.load_all(standing, needed, has_own)?);
        if !needed || has_own || self.settings.missing == Missing::Skip {
            return Ok(designs);
        }
        if designs.is_empty() {
            if self.configured {
                let changes = self.facts.changes.iter();
                let found = excuses::reverted_above(self.facts, &self.settings, changes)?;
                self.reverts = found.map(|(commit, _)| commit);
            }
            if self.reverts.is_none() {
                return Err(self.no_design());
            }
        } else if !self.settings.lld_path.is_empty() {
            self.notes.push(format!(
                "{}, so only standing designs count; for other work, write a design (guard scope new) or choose one (guard use FILE)",
                self.no_design().message
            ));
        }
        Ok(designs)
    }

    fn policy(mut self, needs_design: bool) -> Result<Policy> {
        let designs = self.designs(needs_design)?;
        let of_others = self.added_elsewhere(&designs)?;
        let skips = self.settings.missing == Missing::Skip || self.reverts.is_some();
        let mut policy = Policy::new(self.facts.stage, self.settings, designs);
        if needs_design && !policy.has_own_design() && skips {
            policy.scope = None;
        }
        policy.added.extend(of_others);
        let moved = self.moved_designs.into_iter();
        Ok(Policy {
            notes: self.notes,
            reverts: self.reverts,
            broken_settings: self.broken_settings,
            adopting: self.adopting,
            operation: self.facts.operation,
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
    let is_gone = |change: &&Change| {
        change.new.is_none() && policy::is_design(settings, change.path.as_ref())
    };
    let mut moves = Vec::new();
    for gone in changes.iter().filter(is_gone) {
        moves.extend(new_documents(changes, &gone.path).map(|to| Move {
            from: gone.path.clone(),
            to: to.clone(),
        }));
    }
    moves
}

/// The new Markdown files with the file name of `path`.
fn new_documents<'c>(
    changes: &'c [Change],
    path: &BString,
) -> impl Iterator<Item = &'c BString> + use<'c> {
    let name = |path: &BString| path.rsplit(|&byte| byte == b'/').next().map(<[u8]>::to_vec);
    let wanted = name(path);
    let new = changes.iter().filter(|change| is_new_file(change));
    let paths = new.map(|change| &change.path);
    paths.filter(move |new| new.ends_with(b".md") && name(new) == wanted)
}

/// Whether the change adds a file.
fn is_new_file(change: &Change) -> bool {
    change.old.is_none() && change.new.is_some_and(|state| state.kind == Kind::File)
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

impl Loader<'_, '_> {
    /// Why there is no design, and what to do.
    fn no_design(&self) -> Error {
        let mut error = self.why_no_design();
        let order = self
            .first_refused
            .iter()
            .flat_map(|path| self.order(path.as_ref()));
        error.help.extend(order);
        error
    }

    /// Which order of commits works when guard is set up.
    fn order(&self, path: &BStr) -> Vec<Help> {
        let becomes_design = self
            .next_settings
            .as_ref()
            .is_some_and(|next| policy::is_design(next, path));
        let shown = escaped(path);
        if becomes_design {
            let commits = self.facts.stage == Stage::Commit && self.facts.head.is_none();
            let mut help = vec![format!(
                "only the guard.toml in this change makes {shown} a design: commit guard.toml first, then the design"
            ).into()];
            let command = Help::command("git commit -m \"Change guard's settings\" -- guard.toml");
            help.extend(commits.then_some(command));
            return help;
        }
        if self.configured && rules::may_call_guard(path) {
            return vec![format!(
                "commit the lines of {shown} that call guard first, in a separate commit: they need no design"
            ).into()];
        }
        Vec::new()
    }

    fn why_no_design(&self) -> Error {
        let base = self.base_name();
        let is_range = self.facts.stage == Stage::Range;
        let is_commit = self.facts.stage == Stage::Commit && self.facts.base.commit().is_none();
        if let Some(root) = self.facts.head.filter(|_| is_commit && !self.configured) {
            let root = root.to_hex_with_len(12);
            return Error::new(format!(
                "commit {root} has no parent with a guard.toml to check it against"
            ))
            .help(format!(
                "name a design for this run: guard lint --commit {root} --lld FILE"
            ));
        }
        if !self.configured {
            let error = Error::new(format!("{base} has no guard.toml, and no design was named"));
            return if is_range || self.facts.head.is_some() {
                error.help(
                    "set guard up in a separate change first, with guard.toml and designs but without code: guard init",
                )
            } else if self.in_work_tree(BStr::new(settings::FILE)).is_some() {
                error.help("commit the settings first:").help(Help::command(
                    "git add guard.toml && git commit -m \"Set guard up\" -- guard.toml",
                ))
            } else {
                error.help("set guard up: guard init")
            };
        }
        if self.settings.lld_path.is_empty() {
            let what = match self.settings.standing.is_empty() {
                true => "guard.toml does not set `[lld] path`".to_owned(),
                false => format!("no design: nothing in {base} matches `[lld] standing`"),
            };
            return Error::new(what)
                .help("add `path = \"docs/lld/LLD-{issue}.md\"` under [lld], or choose a design for this branch: guard use FILE");
        }
        let names = match self.names() {
            Ok(names) => names,
            Err(error) => return error,
        };
        let filled = policy::filled_patterns(&self.settings, &names);
        let tries: Vec<&String> = filled.iter().flat_map(|one| &one.tries).collect();
        if tries.is_empty() {
            let by = filled.iter().map(|one| one.by).min();
            let what = self.missing_name(by.unwrap_or(NamedBy::Settings));
            let what = format!("no design applies: {what}");
            let ways = match policy::needs_issue(&self.settings) {
                true => {
                    "name the branch after an issue that has a design, such as 188-enforce-paths, or choose one with `guard use`"
                }
                false => {
                    "name the branch after its plan and commit the plan first, or choose a design with `guard use`"
                }
            };
            return Error::new(what)
                .help(ways)
                .help("to write a design: guard scope new NAME");
        }
        let work = match (&names.issue, &names.branch) {
            (Some(issue), _) => format!(" for issue {issue}"),
            (None, Some(branch)) => format!(" for branch {}", escaped(branch)),
            (None, None) => String::new(),
        };
        let first = filled.iter().filter_map(|one| one.tries.first());
        let what = format!(
            "no design{work}: {} is not in {}",
            escaped_list(first),
            if is_range { "the branch" } else { "HEAD" }
        );
        match self.uncommitted().first().filter(|_| !is_range) {
            Some(choice) => commit_first(Error::new(what), &choice.path),
            None => Error::new(what)
                .help("choose another design with `guard use`, or write this one: guard scope new"),
        }
    }

    /// Why nothing fills a placeholder.
    fn missing_name(&self, by: NamedBy) -> String {
        let is_range = self.facts.stage == Stage::Range;
        match (by, &self.facts.branch) {
            (NamedBy::Branch, Some(branch)) => format!(
                "the branch name {} cannot be part of a path",
                escaped(branch)
            ),
            (_, Some(branch)) => format!(
                "the branch name {} contains no issue number",
                escaped(branch)
            ),
            (_, None) if is_range => {
                "neither the branch name nor a Guard-Design trailer names one".to_owned()
            }
            (_, None) => "HEAD is detached, so no branch name gives the path".to_owned(),
        }
    }
}
