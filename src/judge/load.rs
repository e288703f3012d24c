//! Which policy judges: settings and designs of HEAD, chosen as DESIGN 3 says.

mod locate;

use std::collections::HashSet;
use std::path::PathBuf;

use gix::bstr::{BStr, BString};

use super::{Options, named};
use crate::change::{Change, Kind};
use crate::error::{Error, Result};
use crate::git::{Branch, Index, Objects, Parents, Repository, Tree};
use crate::path::{shell_word, show};
use crate::policy::design::{self, Design};
use crate::policy::scope::Scope;
use crate::policy::settings::{self, Missing, Settings};
use crate::policy::{Governing, Origin, Policy, select};
use crate::rules;

pub(super) use locate::{Located, locate};

/// What a request is judged by.
pub struct Request<'a> {
    /// How to choose the designs.
    pub options: &'a Options,
    /// Whether the answer depends on a design at all.
    pub needs_design: bool,
}

/// The policy for the commit that the index would make.
///
/// # Errors
/// Settings or designs that cannot be used, no design, or more than one without a choice.
pub fn load_for_commit(
    repo: &Repository,
    index: &Index,
    parents: &Parents,
    changes: &[Change],
    options: &Options,
) -> Result<Policy> {
    let head = repo.tree_of(parents.head)?;
    let mut loader = Loader::new(repo, head, Some(index), options)?;
    loader.moved_designs = moved_designs(&loader.settings, changes);
    let mut needs_design = false;
    for change in changes {
        needs_design = needs_design || !loader.goes_without_design(change)?;
    }
    let designs = loader.designs(needs_design)?;
    loader.finish(designs, needs_design)
}

/// The policy for a path that somebody wants to write: HEAD's.
///
/// # Errors
/// As for [`load_for_commit`].
pub fn load_for_request(repo: &Repository, request: &Request<'_>) -> Result<Policy> {
    let head = repo.tree_of(repo.head_commit()?)?;
    let mut loader = Loader::new(repo, head, None, request.options)?;
    let designs = loader.designs(request.needs_design)?;
    loader.finish(designs, request.needs_design)
}

/// A design to load, and why it.
pub(super) struct Choice {
    pub(super) path: BString,
    pub(super) by: String,
    /// By a flag or variable: the work tree may serve where HEAD lacks it.
    by_hand: bool,
}

struct Loader<'a> {
    repo: &'a Repository,
    objects: Objects,
    head: Tree<'a>,
    index: Option<&'a Index>,
    options: &'a Options,
    settings: Settings,
    /// HEAD has settings that can be used.
    configured: bool,
    adopting: bool,
    broken_settings: Option<String>,
    branch: Option<Branch>,
    by_hand: Vec<BString>,
    notes: Vec<String>,
    moved_designs: Vec<BString>,
}

impl<'a> Loader<'a> {
    fn new(
        repo: &'a Repository,
        head: Tree<'a>,
        index: Option<&'a Index>,
        options: &'a Options,
    ) -> Result<Self> {
        let by_hand = options
            .designs
            .iter()
            .map(|file| named::in_repository(repo, file))
            .collect::<Result<_>>()?;
        let mut loader = Loader {
            repo,
            objects: repo.objects(),
            head,
            index,
            options,
            settings: Settings::default(),
            configured: false,
            adopting: false,
            broken_settings: None,
            branch: repo.branch()?,
            by_hand,
            notes: Vec::new(),
            moved_designs: Vec::new(),
        };
        loader.read_settings()?;
        Ok(loader)
    }

    /// HEAD's settings. Where it has none, or broken ones, the staged file says only where designs are:
    /// enough to recognise the commit that sets guard up, or repairs it.
    fn read_settings(&mut self) -> Result<()> {
        let file = BStr::new(settings::FILE);
        let head = self.head.read(file)?;
        let staged = match self.index {
            Some(index) => index.read(self.repo, &self.objects, file)?,
            None => None,
        };
        let is_new = staged.is_some() && staged != head;
        let proposed = staged
            .filter(|_| is_new)
            .map(|bytes| settings::parse(&bytes));
        self.broken_settings = match &proposed {
            Some(Err(error)) => Some(error.message.clone()),
            _ => None,
        };
        let current = head.map(|bytes| settings::parse(&bytes));
        let bootstrap = |proposed: Settings| Settings {
            lld_path: proposed.lld_path,
            standing: proposed.standing,
            ..Settings::default()
        };
        match (current, proposed) {
            (Some(Ok(settings)), _) => {
                self.settings = settings;
                self.configured = true;
            }
            (Some(Err(_)), Some(Ok(proposed))) => {
                self.settings = bootstrap(proposed);
                self.notes
                    .push("HEAD's guard.toml cannot be used; this commit replaces it".to_owned());
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

    /// Designs, guard's own settings and, in the commit that sets guard up, what calls it.
    fn goes_without_design(&self, change: &Change) -> Result<bool> {
        let path = change.path.as_ref();
        Ok(select::is_own_settings(path)
            || select::is_design(&self.settings, path)
            || self.moved_designs.contains(&change.path)
            || self.by_hand.iter().any(|chosen| chosen == path)
            || self.adopting && rules::may_call_guard(path)
            || self.moves_own_version(change)?)
    }

    /// Whether nothing but guard's own version changes in the configuration of a hook framework.
    fn moves_own_version(&self, change: &Change) -> Result<bool> {
        let (Some(old), Some(new)) = (change.old, change.new) else {
            return Ok(false);
        };
        let are_files = old.kind.is_file() && new.kind.is_file();
        if !are_files || !rules::may_call_guard(change.path.as_ref()) {
            return Ok(false);
        }
        let (mut before, mut after) = (Vec::new(), Vec::new());
        self.objects.blob(old.id, &mut before)?;
        self.objects.blob(new.id, &mut after)?;
        Ok(rules::moves_own_version(
            change.path.as_ref(),
            &before,
            &after,
        ))
    }

    /// The designs in force. Where none is needed, those that can be used, to watch over them.
    fn designs(&mut self, needed: bool) -> Result<Vec<Governing>> {
        let own = match self.choices() {
            Err(error) if needed => return Err(error),
            Err(_) => Vec::new(),
            Ok(choices) => choices,
        };
        let has_own = !own.is_empty();
        let standing = self.standing()?;
        let mut designs = Vec::new();
        for choice in own.into_iter().chain(standing) {
            if designs
                .iter()
                .any(|governing: &Governing| governing.design.path == choice.path)
            {
                continue;
            }
            match self.load(&choice) {
                Ok(governing) => designs.push(governing),
                Err(error) if needed => return Err(error),
                Err(_) => {}
            }
        }
        if needed && !has_own {
            if designs.is_empty() && self.settings.missing == Missing::Block {
                return Err(self.no_design());
            }
            if self.settings.missing == Missing::Block {
                self.notes.push(format!(
                    "{}: only standing designs apply",
                    self.no_design().message
                ));
            }
        }
        Ok(designs)
    }

    fn finish(self, designs: Vec<Governing>, needed: bool) -> Result<Policy> {
        let has_own = designs
            .iter()
            .any(|governing| !self.is_standing(governing.design.path.as_ref()));
        let skipped = needed && !has_own && self.settings.missing == Missing::Skip;
        let grants = |governing: &Governing| governing.design.grants.clone();
        let in_force = designs
            .iter()
            .filter(|governing| governing.origin != Origin::Index);
        let proposed = designs
            .iter()
            .filter_map(|governing| governing.proposed.as_ref());
        Ok(Policy {
            scope: (!skipped).then(|| Scope::new(in_force.flat_map(grants).collect())),
            proposed: Scope::new(proposed.flat_map(|design| design.grants.clone()).collect()),
            settings: self.settings,
            designs,
            notes: self.notes,
            broken_settings: self.broken_settings,
            adopting: self.adopting,
            moved_designs: self.moved_designs,
        })
    }

    /// The designs of this branch, by the first way that names one.
    fn choices(&self) -> Result<Vec<Choice>> {
        if !self.by_hand.is_empty() {
            let by = self.options.designs_from;
            return Ok(self
                .by_hand
                .iter()
                .map(|path| choice(path.clone(), by, true))
                .collect());
        }
        if let Some(branch) = &self.branch
            && let Some(path) = self.repo.branch_value(branch.name.as_ref(), "guardDesign")
        {
            return Ok(vec![choice(path, "guard use", false)]);
        }
        let issue = self.issue();
        let by = match (&self.branch, &issue) {
            (Some(branch), Some(issue)) => {
                format!("issue {issue} of branch {}", show(&branch.name))
            }
            _ => "guard.toml".to_owned(),
        };
        let patterns = select::patterns(&self.settings, issue.as_deref());
        let mut found = self.matching(&patterns)?;
        if found.len() > 1 {
            let paths: Vec<String> = found.iter().map(|path| show(path).to_string()).collect();
            return Err(Error::new(format!("more than one design could judge this: {}", paths.join(", ")))
                .help("choose with `guard use FILE` for this branch, or `--lld FILE` (repeat it for a union)"));
        }
        Ok(found
            .drain(..)
            .map(|path| choice(path, &by, false))
            .collect())
    }

    fn issue(&self) -> Option<String> {
        select::issue_of(&self.settings, self.branch.as_ref()?.name.as_ref())
    }

    fn is_standing(&self, path: &BStr) -> bool {
        let standing = self
            .settings
            .standing
            .iter()
            .map(|pattern| select::normal(pattern));
        standing
            .into_iter()
            .any(|pattern| select::matches(&pattern, path))
    }

    fn standing(&mut self) -> Result<Vec<Choice>> {
        let mut choices = Vec::new();
        for pattern in self.settings.standing.clone() {
            let found = self.matching(&[select::normal(&pattern)])?;
            if found.is_empty() {
                self.notes
                    .push(format!("no standing design matches {}", show(&pattern)));
            }
            choices.extend(
                found
                    .into_iter()
                    .map(|path| choice(path, "standing", false)),
            );
        }
        Ok(choices)
    }

    /// The files of HEAD that match; where HEAD has none, those of the index.
    fn matching(&self, patterns: &[String]) -> Result<Vec<BString>> {
        let mut found = Vec::new();
        for pattern in patterns {
            if select::is_literal(pattern) {
                let path = BStr::new(pattern);
                found.extend(self.head.get(path)?.map(|_| path.to_owned()));
            } else {
                let below = self
                    .head
                    .files_below(select::literal_directory(pattern).into())?;
                found.extend(
                    below
                        .into_iter()
                        .filter(|path| select::matches(pattern, path.as_ref())),
                );
            }
        }
        if found.is_empty()
            && let Some(index) = self.index
        {
            let matches = |path: &BStr| {
                patterns
                    .iter()
                    .any(|pattern| select::matches(pattern, path))
            };
            found.extend(
                index
                    .files()
                    .filter(|(path, _)| matches(path))
                    .map(|(path, _)| path.to_owned()),
            );
        }
        found.sort();
        found.dedup();
        Ok(found)
    }

    fn load(&mut self, choice: &Choice) -> Result<Governing> {
        let path: &BStr = choice.path.as_ref();
        let staged = match self.index {
            Some(index) => index.read(self.repo, &self.objects, path)?,
            None => None,
        };
        if let Some(bytes) = self.head.read(path)? {
            if choice.by_hand && self.in_work_tree(path).is_some_and(|now| now != bytes) {
                self.notes.push(format!(
                    "{} is read from HEAD; the work tree has another version",
                    show(path)
                ));
            }
            let proposed = staged
                .filter(|staged| *staged != bytes)
                .map(|staged| self.parse(path, &staged));
            let design = self.usable(path, &bytes)?;
            return Ok(governing(design, Origin::Head, choice, proposed));
        }
        if let Some(bytes) = staged {
            let design = self.usable(path, &bytes)?;
            return Ok(governing(
                design.clone(),
                Origin::Index,
                choice,
                Some(design),
            ));
        }
        match self.in_work_tree(path) {
            Some(bytes) if choice.by_hand && !self.options.in_hook => {
                self.notes.push(format!(
                    "{} is read from the work tree: HEAD does not have it",
                    show(path)
                ));
                let design = self.usable(path, &bytes)?;
                Ok(governing(design, Origin::WorkTree, choice, None))
            }
            Some(_) => Err(
                Error::new(format!("the design {} is not committed", show(path)))
                    .help("commit it first:")
                    .help(add_and_commit(path)),
            ),
            None if self.is_directory(path)? => Err(Error::new(format!(
                "the design {} is a directory",
                show(path)
            ))
            .help("name the Markdown file itself")),
            None => Err(
                Error::new(format!("there is no design at {}", show(path))).help(format!(
                    "it was chosen by {}; write it, or choose another",
                    choice.by
                )),
            ),
        }
    }

    fn is_directory(&self, path: &BStr) -> Result<bool> {
        Ok(self.head.is_dir(path)? || self.file(path).is_some_and(|file| file.is_dir()))
    }

    fn file(&self, path: &BStr) -> Option<PathBuf> {
        let relative = gix::path::from_bstr(path).ok()?;
        Some(self.repo.workdir().ok()?.join(relative))
    }

    fn in_work_tree(&self, path: &BStr) -> Option<Vec<u8>> {
        std::fs::read(self.file(path)?).ok()
    }

    fn parse(&self, path: &BStr, bytes: &[u8]) -> Design {
        design::parse(path, bytes, &design::Options::from_settings(&self.settings))
    }

    fn usable(&self, path: &BStr, bytes: &[u8]) -> Result<Design> {
        let design = self.parse(path, bytes);
        if design.is_usable() {
            return Ok(design);
        }
        let mut error = Error::new(format!("the design {} cannot be used", show(path)))
            .help("correct it and commit it first:")
            .help(format!(
                "  git commit -m \"Correct the design\" -- {}",
                shell_word(path)
            ));
        error.problems = design.findings();
        error.texts.insert(design.path.clone(), design.text);
        Err(error)
    }

    /// Why there is no design, and what to do about it.
    fn no_design(&self) -> Error {
        if !self.configured {
            let error = Error::new("HEAD has no guard.toml, and no design was named");
            return if self.in_work_tree(BStr::new(settings::FILE)).is_some() {
                error
                    .help("commit the settings first:")
                    .help("  git add guard.toml && git commit -m \"Set guard up\" -- guard.toml")
            } else {
                error
                    .help("set guard up with `guard init`, or name a design: guard lint --lld FILE")
            };
        }
        if self.settings.lld_path.is_empty() {
            return Error::new("guard.toml does not say where the designs are")
                .help("add `path = \"docs/lld/LLD-{issue}.md\"` to [lld], or name a design: guard lint --lld FILE");
        }
        let branch = self
            .branch
            .as_ref()
            .map(|branch| show(&branch.name).to_string());
        let Some(issue) = self.issue() else {
            let where_from = match branch {
                Some(branch) => format!("the branch {branch} names no issue"),
                None => "HEAD is detached and names no issue".to_owned(),
            };
            return Error::new(format!("no design: {where_from}"))
                .help("name the branch after the issue, such as 188-enforce-paths")
                .help("or choose a design: `guard use FILE` for this branch, `--lld FILE` for this run");
        };
        let patterns = select::patterns(&self.settings, Some(&issue));
        let uncommitted = patterns.iter().find(|pattern| {
            select::is_literal(pattern) && self.in_work_tree(BStr::new(pattern.as_str())).is_some()
        });
        let error = Error::new(format!(
            "no design for issue {issue}: {} is not in HEAD",
            patterns.join(", ")
        ));
        match uncommitted {
            Some(path) => error
                .help("commit it first:")
                .help(add_and_commit(path.as_bytes())),
            None => error
                .help("write it and commit it first")
                .help("or choose another design: `guard use FILE` for this branch, `--lld FILE` for this run"),
        }
    }
}

/// Where designs go that leave their place: a new Markdown file with the file name of a design that the same
/// change deletes. Its content may differ, as by a status line.
fn moved_designs(settings: &Settings, changes: &[Change]) -> Vec<BString> {
    let name = |path: &BString| path.rsplit(|&byte| byte == b'/').next().map(<[u8]>::to_vec);
    let left: HashSet<_> = changes
        .iter()
        .filter(|change| change.new.is_none() && select::is_design(settings, change.path.as_ref()))
        .map(|change| name(&change.path))
        .collect();
    changes
        .iter()
        .filter(|change| change.old.is_none() && left.contains(&name(&change.path)))
        .filter(|change| change.new.is_some_and(|state| state.kind == Kind::File))
        .map(|change| change.path.clone())
        .filter(|path| path.ends_with(b".md"))
        .collect()
}

/// The command that commits a new design, to be pasted.
fn add_and_commit(path: &[u8]) -> String {
    let word = shell_word(path);
    format!("  git add {word} && git commit -m \"Add the design\" -- {word}")
}

fn choice(path: BString, by: &str, by_hand: bool) -> Choice {
    Choice {
        path,
        by: by.to_owned(),
        by_hand,
    }
}

fn governing(
    design: Design,
    origin: Origin,
    choice: &Choice,
    proposed: Option<Design>,
) -> Governing {
    Governing {
        design,
        origin,
        chosen_by: choice.by.clone(),
        proposed,
    }
}
