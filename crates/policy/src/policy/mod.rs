//! The policy: the settings and designs that judge a change, and what selects the designs.

mod chosen_by;
mod document_paths;
mod documents;
mod done_plan;
mod new_design;
mod work_branch;

use std::collections::HashSet;

use bstr::{BStr, BString, ByteSlice};
use gix_hash::ObjectId;

use crate::change::blob_id;
use crate::design::{self, Design};
use crate::error::Result;
use crate::finding::Help;
use crate::path::shell_word;
use crate::scope::settings::{self, Authority, Settings};
use crate::scope::{DeclaredRows, Denial, Grant, GrantKind, Scope};

pub use chosen_by::ChosenBy;
pub use document_paths::{
    FilledPattern, design_of, filled_patterns, group_of, is_design, is_own_settings, is_standing,
    issues_of, needs_issue, normal_pattern, pattern_matches,
};
pub use documents::{document_for_rows, scope_of_design};
pub use done_plan::DonePlan;
pub use done_plan::note_on_done;
pub use new_design::{name_of_new_design, place_of_new_design};
pub use work_branch::branch_of_ref;

/// A version of a design, for the audit log: its path and the id of the blob.
pub type DesignVersion = (BString, ObjectId);

/// A design in force.
#[derive(Debug, Clone)]
pub struct Governing {
    /// The document.
    pub design: Design,
    /// The id of the blob.
    pub blob: ObjectId,
    /// The version: `HEAD`, `index`, `work tree`, `merge base`, `memory`, or a commit in hexadecimal.
    pub origin: String,
    /// What chose it.
    pub chosen_by: ChosenBy,
    /// Whether its rows grant anything. Rows of a design that the change itself adds do not, except in a range with
    /// `authority = "head"`.
    pub in_force: bool,
    /// The version in the change, if it differs and is not in force.
    pub proposed: Option<Design>,
    /// The merge base's version, if the range's version is in force.
    pub before: Option<Design>,
    /// Why its file cannot simply get another row now.
    pub obstacle: Option<Obstacle>,
}

/// What stands in the way of another row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Obstacle {
    /// The change takes the design, or the settings, away.
    Gone,
    /// The work tree has another version than the index.
    Unstaged,
    /// What is judged is committed, or only the rows of the merge base count.
    Settled,
}

impl Governing {
    /// A design in force, of which no other version is known.
    pub fn new(design: Design, blob: ObjectId, origin: String, chosen_by: ChosenBy) -> Governing {
        Governing {
            design,
            blob,
            origin,
            chosen_by,
            in_force: true,
            proposed: None,
            before: None,
            obstacle: None,
        }
    }

    /// Whether the design joins every other.
    pub fn is_standing(&self) -> bool {
        self.chosen_by == ChosenBy::Standing
    }
}

/// The designs of a branch, whether or not they can be used.
#[derive(Debug, Clone, Default)]
pub struct BranchDesigns {
    /// The documents that govern the branch.
    pub selected: Vec<BString>,
    /// What `[lld] path` stands for on the branch.
    pub patterns: Vec<String>,
}

impl BranchDesigns {
    /// Whether the document governs the branch.
    pub(crate) fn has_selected(&self, path: &BStr) -> bool {
        self.selected.iter().any(|selected| selected == path)
    }

    /// Whether `[lld] path` names the document for the branch.
    pub(crate) fn names(&self, path: &BStr) -> bool {
        let mut patterns = self.patterns.iter();
        patterns.any(|pattern| pattern_matches(pattern, path))
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

/// What changes are judged by: settings, designs and the scope that they make. It comes from the commits of
/// a repository, which `write_guard` reads, or from texts ([`Policy::from_texts`]), and never changes.
#[derive(Debug, Clone)]
pub struct Policy {
    /// When the change is judged.
    pub stage: Stage,
    /// The settings in force.
    pub settings: Settings,
    /// The governing designs, in the order of selection.
    pub designs: Vec<Governing>,
    /// The grants of `designs`; `None` if no design is needed or `missing = "skip"` applies.
    pub scope: Option<Scope>,
    /// The scope where `scope` is `None`: only its denials count.
    pub unasked: Scope,
    /// The designs of the branch that a request is for; empty at other stages.
    pub of_branch: BranchDesigns,
    /// The grants of proposed versions, to show what the change would grant itself.
    pub proposed: Scope,
    /// The rows that the change adds.
    pub added: Vec<Grant>,
    /// Notes on how this policy was loaded.
    pub notes: Vec<String>,
    /// The commit that the change reverts exactly, if that is why it needs no design.
    pub reverts: Option<ObjectId>,
    /// Why the proposed `guard.toml` is invalid.
    pub broken_settings: Option<String>,
    /// The settings that a range proposes in place of those that judge it.
    pub next_settings: Option<Box<Settings>>,
    /// Whether the change adds the first `guard.toml`.
    pub adopting: bool,
    /// The operation of git that waits for this commit, such as `merge`.
    pub operation: Option<&'static str>,
    /// Old and new paths of designs that the change moves, such as from `active/` to `done/`.
    pub moved_designs: Vec<(BString, BString)>,
    /// The plans that grant nothing because their work is done.
    pub done: Vec<DonePlan>,
    /// What leads to a design of this branch, where only standing ones apply.
    pub ways_to_a_design: Vec<Help>,
}

impl Policy {
    /// A policy from the text of `guard.toml`, which may be empty, and the Markdown of each design with its path.
    ///
    /// ```
    /// use write_guard_policy::Policy;
    ///
    /// let design = "## Files Changed\n\n| File | Change Type |\n|---|---|\n| `a.rs` | Add |\n";
    /// let policy = Policy::from_texts("", &[("docs/lld/LLD-188.md", design)])?;
    /// assert!(policy.scope.is_some_and(|scope| scope.grants()[0].path == "a.rs"));
    /// # Ok::<(), write_guard_policy::Error>(())
    /// ```
    ///
    /// # Errors
    /// `guard.toml` has a fault, or a design grants nothing. Without a design, every change is out of scope.
    pub fn from_texts(guard_toml: &str, designs: &[(&str, &str)]) -> Result<Policy> {
        let settings = settings::parse(guard_toml.as_bytes())?;
        let mut governing = Vec::new();
        for &(path, text) in designs {
            let design = design::parse(path.into(), text.as_bytes(), &settings).usable()?;
            let blob = blob_id(gix_hash::Kind::Sha1, text.as_bytes())?;
            let chosen_by = ChosenBy::Caller("the caller");
            governing.push(Governing::new(design, blob, "memory".to_owned(), chosen_by));
        }
        Ok(Policy::of_settings(Stage::Commit, settings).with_designs(governing))
    }

    /// What settings make before designs are read.
    pub fn of_settings(stage: Stage, settings: Settings) -> Policy {
        Policy {
            stage,
            settings,
            designs: Vec::new(),
            of_branch: BranchDesigns::default(),
            scope: None,
            unasked: Scope::default(),
            proposed: Scope::default(),
            added: Vec::new(),
            notes: Vec::new(),
            reverts: None,
            broken_settings: None,
            next_settings: None,
            adopting: false,
            operation: None,
            moved_designs: Vec::new(),
            done: Vec::new(),
            ways_to_a_design: Vec::new(),
        }
    }

    /// The same policy with these designs instead. Of each, only the grants stay that no denial takes away.
    pub fn with_designs(mut self, mut designs: Vec<Governing>) -> Policy {
        let in_force = self.scope_of(&designs, |governing| {
            let design = governing.in_force.then_some(&governing.design);
            [design, design]
        });
        let is_request = self.stage == Stage::Request;
        for grant in in_force.grants().iter().filter(|_| is_request) {
            // A row that names the file says that it is none.
            let path: &BStr = grant.path.as_ref();
            let secrets = &mut self.settings.secrets;
            if grant.kind == GrantKind::File && secrets.contains(path) {
                secrets.except(path);
            }
        }
        // A design that the change leaves alone goes on to forbid what it forbids.
        self.proposed = self.scope_of(&designs, |governing| {
            let proposed = governing.proposed.as_ref();
            let design = governing.in_force.then_some(&governing.design);
            [proposed, proposed.or(design)]
        });
        let added = if self.stage == Stage::Range && self.settings.authority == Authority::Head {
            let before = self.scope_of(&designs, |governing| [governing.before.as_ref(); 2]);
            in_force.grants_beyond(&before)
        } else {
            self.proposed.grants_beyond(&in_force)
        };
        self.added = added.into_iter().cloned().collect();
        let kept: HashSet<_> = in_force.grants().iter().map(Grant::place).collect();
        for governing in designs.iter_mut().filter(|governing| governing.in_force) {
            let grants = &mut governing.design.grants;
            grants.retain(|grant| kept.contains(&grant.place()));
        }
        self.scope = Some(in_force);
        self.designs = designs;
        self
    }

    /// The scope of one version of each design: what grants, and what forbids.
    fn scope_of(
        &self,
        designs: &[Governing],
        versions: impl Fn(&Governing) -> [Option<&Design>; 2],
    ) -> Scope {
        Scope::of_documents(designs.iter().map(|governing| {
            let [granting, forbidding] = versions(governing);
            DeclaredRows {
                design: design_of(&self.settings, governing.design.path.as_ref()),
                is_standing: governing.is_standing(),
                grants: granting.map_or_else(Vec::new, |design| design.grants.clone()),
                denials: forbidding.map_or_else(Vec::new, |design| design.denials.clone()),
            }
        }))
    }

    /// The same policy, which judges no scope: only denials count.
    pub fn without_scope(mut self) -> Policy {
        self.unasked = self.scope.take().unwrap_or_default();
        self
    }

    /// The denial that refuses a change of `path`. None concerns the designs in force and guard's own settings: a design
    /// that forbids `docs/` can still be amended.
    pub fn denial(&self, path: &BStr) -> Option<&Denial> {
        let scope = self.scope.as_ref().unwrap_or(&self.unasked);
        let denial = scope.denial(path)?;
        let is_own = self.governing(path).is_some()
            || self.is_moved_design(path)
            || is_own_settings(&self.settings, path);
        (!is_own).then_some(denial)
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

    /// The help that asks for a commit of some files before the others.
    pub(crate) fn commit_alone(&self, why: &str, title: &str, paths: &[&BStr]) -> [Help; 2] {
        let leave = self
            .operation
            .map(|operation| format!("; leave the {operation} for that, and start it again"))
            .unwrap_or_default();
        [
            format!("{why}{leave}:").into(),
            self.commit_command(title, paths),
        ]
    }

    /// The command that commits some files before the others, or leaves the operation that prevents it.
    pub(crate) fn commit_command(&self, title: &str, paths: &[&BStr]) -> Help {
        let words: Vec<String> = paths
            .iter()
            .map(|path| shell_word(path).to_string())
            .collect();
        Help::command(match self.operation {
            None => format!("git commit -m \"{title}\" -- {}", words.join(" ")),
            Some(operation) => format!("git {operation} --abort"),
        })
    }

    /// How to leave a change out of the commit; nothing for what is already committed or only asked about.
    pub(crate) fn leave_out(&self, path: &BStr) -> Option<Help> {
        let command = format!("git restore --staged -- {}", shell_word(path));
        // git takes no path that leaves the work tree.
        let climbs = path.split_str("/").any(|part| part == b"..");
        (self.stage == Stage::Commit && !climbs)
            .then(|| Help::run("to leave it out of the commit", command))
    }

    /// Whether `path` is a design: by the settings, by selection, or because the change moves a design there.
    pub(crate) fn is_design(&self, path: &BStr) -> bool {
        is_design(&self.settings, path)
            || self.governing(path).is_some()
            || self.is_moved_design(path)
    }

    /// Whether the change moves a design there.
    pub fn is_moved_design(&self, path: &BStr) -> bool {
        self.moved_designs.iter().any(|(_, to)| to == path)
    }

    /// The governing design at `path`.
    pub fn governing(&self, path: &BStr) -> Option<&Governing> {
        self.designs
            .iter()
            .find(|governing| governing.design.path == path)
    }

    /// Whether `path` needs no row: a design, or one of guard's own settings.
    pub fn is_exempt(&self, path: &BStr) -> bool {
        self.is_design(path) || is_own_settings(&self.settings, path)
    }

    /// The versions of the designs in force.
    pub fn design_versions(&self) -> Vec<DesignVersion> {
        let in_force = self.designs.iter().filter(|governing| governing.in_force);
        in_force
            .map(|one| (one.design.path.clone(), one.blob))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    const ROW: &str = "## Files Changed\n\n| File | Type |\n|---|---|\n| `.env` | Modify |\n";

    #[test]
    fn a_row_says_of_a_file_that_it_is_no_secret_for_requests_only() {
        let policy = Policy::from_texts("", &[("docs/LLD-1.md", ROW)]).unwrap();
        let is_secret = |policy: &Policy| policy.settings.secrets.contains(".env".into());
        assert!(is_secret(&policy), "a commit");
        let request = Policy::of_settings(Stage::Request, Settings::default());
        assert!(!is_secret(&request.with_designs(policy.designs)));
    }

    #[test]
    fn a_denial_concerns_neither_a_design_in_force_nor_the_settings() {
        let front = format!("---\nforbidden_paths: [\"docs/\"]\n---\n\n{ROW}");
        let signers = "[approvals]\nsigners = \"docs/signers\"\n";
        let policy = Policy::from_texts(signers, &[("docs/LLD-1.md", &front)]).unwrap();
        let is_denied = |path: &str| policy.denial(path.into()).is_some();
        assert!(is_denied("docs/other.md"));
        assert!(!is_denied("docs/LLD-1.md"));
        assert!(!is_denied("docs/signers"));
        assert!(!is_denied("src/a.rs"));
    }
}
