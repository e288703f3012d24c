//! The policy: the settings and designs that judge a change, and what selects the designs.

pub mod design_selection;

use std::fmt;

use gix::ObjectId;
use gix::bstr::{BStr, BString};

use crate::design::Design;
use crate::finding::Help;
use crate::path::shell_word;
use crate::scope::settings::{Authority, Settings};
use crate::scope::{Grant, GrantKind, Scope};

/// Where the text of a design was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// HEAD.
    Head,
    /// The index, because HEAD lacks the document.
    Index,
    /// The work tree, because neither HEAD nor the index has the document.
    WorkTree,
    /// The merge base of a range.
    MergeBase,
    /// This commit.
    Commit(ObjectId),
    /// Nowhere: the caller of the library gave the text.
    Memory,
}

impl Origin {
    /// `HEAD`, `index`, `work tree`, `merge base`, or the commit's id.
    pub fn name(&self) -> String {
        match self {
            Origin::Head => "HEAD".to_owned(),
            Origin::Index => "index".to_owned(),
            Origin::WorkTree => "work tree".to_owned(),
            Origin::MergeBase => "merge base".to_owned(),
            Origin::Commit(id) => id.to_string(),
            Origin::Memory => "memory".to_owned(),
        }
    }
}

/// A version of a design, for the audit log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DesignVersion {
    /// The path in the repository.
    pub path: BString,
    /// The id of the blob.
    pub blob: ObjectId,
}

/// A design in force.
#[derive(Debug, Clone)]
pub struct Governing {
    /// The document.
    pub design: Design,
    /// The id of the blob.
    pub blob: ObjectId,
    /// The source of its text.
    pub origin: Origin,
    /// What chose it.
    pub chosen_by: ChosenBy,
    /// Whether its rows grant anything. Rows of a design that the change itself adds do not, except in a range with
    /// `authority = "head"`.
    pub in_force: bool,
    /// The version in the change, if it differs and is not in force.
    pub proposed: Option<Design>,
    /// The merge base's version, if the range's version is in force.
    pub before: Option<Design>,
}

/// What chose a design.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChosenBy {
    /// `[lld] standing`: the design joins every other.
    Standing,
    /// Anything else, such as `--lld` or `issue 188 in the branch name`.
    Named(String),
}

impl From<&str> for ChosenBy {
    fn from(name: &str) -> ChosenBy {
        ChosenBy::Named(name.to_owned())
    }
}

impl fmt::Display for ChosenBy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ChosenBy::Standing => "standing",
            ChosenBy::Named(name) => name,
        })
    }
}

/// When a change is judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// Before it is written, as a request.
    Request,
    /// When it is committed.
    Commit,
    /// After it was committed: a branch, a push, a pull request.
    Range,
    /// One commit of a range, by the policy of the range.
    Step,
}

/// What changes are judged by: settings, designs and the scope that they make. A policy comes from a repository
/// ([`Repository::policy`](crate::Repository::policy)) or from texts ([`Policy::from_texts`]), and never changes.
#[derive(Debug, Clone)]
pub struct Policy {
    /// When the change is judged.
    pub(crate) stage: Stage,
    /// The settings in force.
    pub(crate) settings: Settings,
    /// The governing designs, in the order of selection.
    pub(crate) designs: Vec<Governing>,
    /// Their grants; `None` if no design is needed or `missing = "skip"` applies.
    pub(crate) scope: Option<Scope>,
    /// The grants of proposed versions, to show what the change would grant itself.
    pub(crate) proposed: Scope,
    /// The rows that the change adds.
    pub(crate) added: Vec<Grant>,
    /// Notes on how this policy was loaded.
    pub(crate) notes: Vec<String>,
    /// The commit that the change reverts exactly, if that is why it needs no design.
    pub(crate) reverts: Option<ObjectId>,
    /// Why the proposed `guard.toml` is invalid.
    pub(crate) broken_settings: Option<String>,
    /// Whether the change adds the first `guard.toml`.
    pub(crate) adopting: bool,
    /// The operation of git that waits for this commit, such as `merge`.
    pub(crate) operation: Option<&'static str>,
    /// New paths of designs that the change moves, such as from `active/` to `done/`.
    pub(crate) moved_designs: Vec<BString>,
}

impl Policy {
    /// The policy that settings and designs make.
    pub(crate) fn new(stage: Stage, mut settings: Settings, designs: Vec<Governing>) -> Policy {
        let scope_of = |version: fn(&Governing) -> Option<&Design>| {
            let designs = designs.iter().filter_map(version);
            Scope::new(designs.flat_map(|design| design.grants.clone()).collect())
        };
        let in_force = scope_of(|governing| governing.in_force.then_some(&governing.design));
        for grant in in_force.grants().iter().filter(|_| stage == Stage::Request) {
            // A row that names the file says that it is none.
            let path: &BStr = grant.path.as_ref();
            if grant.kind == GrantKind::File && settings.secrets.contains(path) {
                settings.secrets = settings.secrets.except(path);
            }
        }
        let proposed = scope_of(|governing| governing.proposed.as_ref());
        let before = scope_of(|governing| governing.before.as_ref());
        let added = match stage == Stage::Range && settings.authority == Authority::Head {
            true => in_force.grants_beyond(&before),
            false => proposed.grants_beyond(&in_force),
        };
        Policy {
            stage,
            added: added.into_iter().cloned().collect(),
            scope: Some(in_force),
            proposed,
            settings,
            designs,
            notes: Vec::new(),
            reverts: None,
            broken_settings: None,
            adopting: false,
            operation: None,
            moved_designs: Vec::new(),
        }
    }

    /// What to do after adding a row, or changing its type.
    pub(crate) fn commit_the_design(&self) -> String {
        match (self.stage, self.operation) {
            (Stage::Range | Stage::Step, _) => "add a commit with the design".to_owned(),
            (Stage::Commit, Some(operation)) => format!(
                "commit the design first: leave the {operation}, commit, and start it again"
            ),
            _ => "commit the design first".to_owned(),
        }
    }

    /// The help that asks for a commit of one file before the others.
    pub(crate) fn commit_alone(&self, why: &str, title: &str, path: &BStr) -> [Help; 2] {
        let why = match self.operation {
            None => format!("{why}:"),
            Some(operation) => format!(
                "{why}; git commits no single file during a {operation}, so leave it, commit the file and start again:"
            ),
        };
        [why.into(), self.commit_command(title, path)]
    }

    /// The command that commits one file before the others, or leaves the operation that prevents it.
    pub(crate) fn commit_command(&self, title: &str, path: &BStr) -> Help {
        Help::command(match self.operation {
            None => format!("git commit -m \"{title}\" -- {}", shell_word(path)),
            Some(operation) => format!("git {operation} --abort"),
        })
    }

    /// How to leave a change out of the commit; nothing for what is already committed or only asked about.
    pub(crate) fn leave_out(&self, path: &BStr) -> Option<Help> {
        let command = format!(
            "to leave it out of the commit: git restore --staged -- {}",
            shell_word(path)
        );
        (self.stage == Stage::Commit).then(|| command.into())
    }

    /// Whether `path` is a design: by the settings, by selection, or because the change moves a design there.
    pub(crate) fn is_design(&self, path: &BStr) -> bool {
        design_selection::is_design(&self.settings, path)
            || self.governing(path).is_some()
            || self.moved_designs.iter().any(|moved| moved == path)
    }

    /// The governing design at `path`.
    pub(crate) fn governing(&self, path: &BStr) -> Option<&Governing> {
        self.designs
            .iter()
            .find(|governing| governing.design.path == path)
    }

    /// Whether a design of this branch is in force. Where no setting selects designs by branch, the standing ones are
    /// the designs of every branch.
    pub(crate) fn has_own_design(&self) -> bool {
        let is_by_branch = !self.settings.lld_path.is_empty();
        let mut designs = self.designs.iter();
        designs.any(|governing| !is_by_branch || governing.chosen_by != ChosenBy::Standing)
    }

    /// Whether `path` needs no row: a design, or one of guard's own settings.
    pub(crate) fn is_exempt(&self, path: &BStr) -> bool {
        self.is_design(path) || design_selection::is_own_settings(&self.settings, path)
    }

    /// The versions of the designs in force.
    pub(crate) fn design_versions(&self) -> Vec<DesignVersion> {
        let in_force = self.designs.iter().filter(|governing| governing.in_force);
        in_force
            .map(|governing| DesignVersion {
                path: governing.design.path.clone(),
                blob: governing.blob,
            })
            .collect()
    }
}
