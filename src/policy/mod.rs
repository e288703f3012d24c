//! The policy: the settings and designs that judge a change, and what selects the designs.

mod documents;
mod done_plan;

use std::collections::HashSet;

use gix::ObjectId;
use gix::bstr::{BStr, BString, ByteSlice};

use crate::design::Design;
use crate::finding::Help;
use crate::path::{escaped, shell_word};
use crate::scope::glob::{Glob, directory_above};
use crate::scope::path_placeholders::{self, PathNames};
use crate::scope::settings::{Authority, Settings};
use crate::scope::{DeclaredRows, Denial, Grant, GrantKind, Scope};

pub use documents::{document_for_rows, scope_of_design};
pub use done_plan::DonePlan;
pub(crate) use done_plan::note_on_done;

/// What `chosen_by` of a design says that joins every other: it matches `[lld] standing`.
pub const STANDING: &str = "standing";

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
    /// What chose it, such as `--lld` or `issue 188 in the branch name`.
    pub chosen_by: String,
    /// Whether its rows grant anything. Rows of a design that the change itself adds do not, except in a range with
    /// `authority = "head"`.
    pub in_force: bool,
    /// The version in the change, if it differs and is not in force.
    pub proposed: Option<Design>,
    /// The merge base's version, if the range's version is in force.
    pub before: Option<Design>,
}

impl Governing {
    /// A design in force, of which no other version is known.
    pub fn new(design: Design, blob: ObjectId, origin: String, chosen_by: &str) -> Governing {
        Governing {
            design,
            blob,
            origin,
            chosen_by: chosen_by.to_owned(),
            in_force: true,
            proposed: None,
            before: None,
        }
    }

    /// Whether the design joins every other.
    pub fn is_standing(&self) -> bool {
        self.chosen_by == STANDING
    }
}

/// The designs of a branch, whether or not they can be used.
#[derive(Debug, Clone, Default)]
pub(crate) struct BranchDesigns {
    /// The documents that govern the branch.
    pub(crate) selected: Vec<BString>,
    /// What `[lld] path` stands for on the branch.
    pub(crate) patterns: Vec<String>,
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
    /// The grants of `designs`; `None` if no design is needed or `missing = "skip"` applies.
    pub(crate) scope: Option<Scope>,
    /// The scope where `scope` is `None`: only its denials count.
    pub(crate) unasked: Scope,
    /// The designs of the branch that a request is for; empty at other stages.
    pub(crate) of_branch: BranchDesigns,
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
    /// Old and new paths of designs that the change moves, such as from `active/` to `done/`.
    pub(crate) moved_designs: Vec<(BString, BString)>,
    /// The plans that grant nothing because their work is done.
    pub(crate) done: Vec<DonePlan>,
}

impl Policy {
    /// What settings make before designs are read.
    pub(crate) fn of_settings(stage: Stage, settings: Settings) -> Policy {
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
            adopting: false,
            operation: None,
            moved_designs: Vec::new(),
            done: Vec::new(),
        }
    }

    /// The same policy with these designs instead. Of each, only the grants stay that no denial takes away.
    pub(crate) fn with_designs(mut self, mut designs: Vec<Governing>) -> Policy {
        let in_force = self.scope_of(&designs, |governing| {
            let design = governing.in_force.then_some(&governing.design);
            [design, design]
        });
        let is_request = self.stage == Stage::Request;
        for grant in in_force.grants().iter().filter(|_| is_request) {
            // A row that names the file says that it is none.
            let (path, settings): (&BStr, _) = (grant.path.as_ref(), &mut self.settings);
            if grant.kind == GrantKind::File && settings.secrets.contains(path) {
                settings.secrets.except(path);
            }
        }
        // A design that the change leaves alone goes on to forbid what it forbids.
        self.proposed = self.scope_of(&designs, |governing| {
            let proposed = governing.proposed.as_ref();
            let in_force = governing.in_force.then_some(&governing.design);
            [proposed, proposed.or(in_force)]
        });
        let added = match self.stage == Stage::Range && self.settings.authority == Authority::Head {
            true => {
                let before = self.scope_of(&designs, |governing| [governing.before.as_ref(); 2]);
                in_force.grants_beyond(&before)
            }
            false => self.proposed.grants_beyond(&in_force),
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
    pub(crate) fn without_scope(mut self) -> Policy {
        self.unasked = self.scope.take().unwrap_or_default();
        self
    }

    /// The denial that refuses a change of `path`. None concerns the designs in force and guard's own settings: a design
    /// that forbids `docs/` can still be amended.
    pub(crate) fn denial(&self, path: &BStr) -> Option<&Denial> {
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

    /// The help that asks for a commit of one file before the others.
    pub(crate) fn commit_alone(&self, why: &str, title: &str, path: &BStr) -> [Help; 2] {
        let leave = |operation| format!("; leave the {operation} for that, and start it again");
        let leave = self.operation.map(leave).unwrap_or_default();
        [
            format!("{why}{leave}:").into(),
            self.commit_command(title, path),
        ]
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
        is_design(&self.settings, path)
            || self.governing(path).is_some()
            || self.is_moved_design(path)
    }

    /// Whether the change moves a design there.
    pub(crate) fn is_moved_design(&self, path: &BStr) -> bool {
        self.moved_designs.iter().any(|(_, to)| to == path)
    }

    /// The governing design at `path`.
    pub(crate) fn governing(&self, path: &BStr) -> Option<&Governing> {
        self.designs
            .iter()
            .find(|governing| governing.design.path == path)
    }

    /// Whether `path` needs no row: a design, or one of guard's own settings.
    pub(crate) fn is_exempt(&self, path: &BStr) -> bool {
        self.is_design(path) || is_own_settings(&self.settings, path)
    }

    /// The versions of the designs in force.
    pub(crate) fn design_versions(&self) -> Vec<DesignVersion> {
        let in_force = self.designs.iter().filter(|governing| governing.in_force);
        let version = |one: &Governing| (one.design.path.clone(), one.blob);
        in_force.map(version).collect()
    }
}

/// guard's own directory, in addition to `guard.toml`.
pub const OWN_DIRECTORY: &str = ".guard";

/// Whether `path` matches `[lld] path`, for any branch.
pub fn is_design(settings: &Settings, path: &BStr) -> bool {
    // A pattern is compiled only for paths below the right directory.
    let near =
        |pattern: &&String| path.starts_with(directory_above(normal_pattern(pattern).into()));
    let any_name = settings.lld_path.iter().filter(near);
    any_name
        .map(|pattern| path_placeholders::for_any_name(pattern))
        .chain(settings.standing.iter().filter(near).cloned())
        .any(|pattern| pattern_matches(normal_pattern(&pattern), path))
}

/// Whether `path` is `guard.toml`, below `.guard/`, or the list of signers.
pub fn is_own_settings(settings: &Settings, path: &BStr) -> bool {
    path == crate::scope::settings::FILE
        || path == settings.signers.as_bytes()
        || path
            .strip_prefix(OWN_DIRECTORY.as_bytes())
            .is_some_and(|rest| rest.starts_with(b"/"))
}

/// Whether `path` matches `[lld] standing`.
pub fn is_standing(settings: &Settings, path: &BStr) -> bool {
    let mut standing = settings.standing.iter();
    standing.any(|pattern| pattern_matches(normal_pattern(pattern), path))
}

/// The distinct issues in a branch name, by `[lld] issue-pattern`. If the pattern has a group, only matches of the
/// group count. An issue consists of letters, digits, `.`, `-` and `_`, so that a branch name cannot point outside
/// the design's directory.
pub fn issues_of(settings: &Settings, branch: &BStr) -> Vec<String> {
    let mut issues = Vec::new();
    // Settings with an invalid regular expression are refused when they are read.
    let (Ok(branch), Ok(pattern)) = (
        branch.to_str(),
        regex_lite::Regex::new(&settings.issue_pattern),
    ) else {
        return issues;
    };
    let group = usize::from(pattern.captures_len() > 1);
    let mut at = 0;
    while let Some(captures) = pattern.captures_at(branch, at) {
        let found = captures.get(group);
        let issue = found.map_or("", |found| found.as_str());
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
        if !issue.is_empty()
            && issue.chars().all(plain)
            && !issue.starts_with('.')
            && issues.iter().all(|known| known != issue)
        {
            issues.push(issue.to_owned());
        }
        // The separator after an issue may also precede the next one.
        let end = found.or(captures.get(0)).map_or(at, |found| found.end());
        let next = branch[at..].chars().next().map(|c| at + c.len_utf8());
        match next {
            _ if end > at => at = end,
            Some(next) => at = next,
            None => break,
        }
    }
    issues
}

/// Whether the settings select designs by issue.
pub fn needs_issue(settings: &Settings) -> bool {
    let mut patterns = settings.lld_path.iter();
    patterns.any(|pattern| pattern.contains("{issue}"))
}

/// An entry of `[lld] path` with its placeholders filled in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilledPattern {
    /// The patterns to try; the first that matches a document counts.
    pub tries: Vec<String>,
    /// What names the documents, for reports.
    pub by: String,
}

/// The entries of `[lld] path` for these names; one whose name is missing has nothing to try.
pub fn filled_patterns(settings: &Settings, names: &PathNames) -> Vec<FilledPattern> {
    let fill = |pattern: &String| FilledPattern {
        tries: path_placeholders::fill(normal_pattern(pattern), names),
        by: match (&names.branch, &names.issue) {
            (Some(branch), _) if pattern.contains("{branch}") || pattern.contains("{slug}") => {
                format!("branch name {}", escaped(branch))
            }
            (_, Some(issue)) if pattern.contains("{issue}") => {
                format!("issue {issue} in the branch name")
            }
            _ => crate::scope::settings::FILE.to_owned(),
        },
    };
    settings.lld_path.iter().map(fill).collect()
}

/// The key of the design that a document belongs to: its directory if the settings list the documents of one
/// directory, else its own path.
pub fn design_of(settings: &Settings, path: &BStr) -> BString {
    let slash = path.rfind_byte(b'/').map_or(0, |slash| slash + 1);
    let is_in_set = settings.lld_path.iter().any(|pattern| {
        let any = path_placeholders::for_any_name(normal_pattern(pattern));
        path_placeholders::is_set(pattern) && pattern_matches(&any, path)
    });
    match is_in_set {
        true => path[..slash].into(),
        false => path.to_owned(),
    }
}

/// A pattern in git's path notation.
pub fn normal_pattern(pattern: &str) -> &str {
    pattern.trim_start_matches("./").trim_start_matches('/')
}

/// Whether a pattern of the settings matches `path`; an invalid pattern matches nothing.
pub fn pattern_matches(pattern: &str, path: &BStr) -> bool {
    Glob::new(pattern.into()).is_ok_and(|glob| glob.matches(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(path: &str) -> Settings {
        Settings {
            lld_path: vec![path.to_owned()],
            ..Settings::default()
        }
    }

    fn issues(branch: &str) -> Vec<String> {
        issues_of(&Settings::default(), branch.into())
    }

    #[test]
    fn standalone_number_is_the_issue() {
        for branch in [
            "188",
            "188-enforce-paths",
            "188_enforce_paths",
            "feature/188-v2",
            "feature/188",
            "feature/188/paths",
            "fix-188",
            "fix-188-crash",
            "fix/#188",
            "fix#188-crash",
            "gh-188",
            "GH-188-crash",
            "issue-188",
            "user/issue-188-crash",
            "PROJ-188",
            "feature/PROJ-188-crash",
            "v1.0-188",
            "2026-11-22-188-crash",
            "188-again-188",
            "python3-188",
        ] {
            assert_eq!(issues(branch), ["188"], "{branch}");
        }
    }

    #[test]
    fn digits_in_words_versions_dates_and_ids_are_not_an_issue() {
        for branch in [
            "main",
            "fix/python3-crash",
            "s3-upload",
            "utf8-names",
            "gh188",
            "v2",
            "release/v2",
            "release-1.2",
            "release/1.2.x",
            "1.2-fixes",
            "dependabot/npm_and_yarn/lodash-4.17.21",
            "dependabot/github_actions/actions/checkout-5",
            "renovate/node-22",
            "renovate/major-7-eslint/12",
            "2026-11-22-x",
            "x/2026-11-22",
            "release/2026-11",
            "fix/3f2a9c1",
            "codex/9d8e-4f1a",
            "x/188é",
        ] {
            assert_eq!(issues(branch), [""; 0], "{branch}");
        }
    }

    #[test]
    fn every_different_issue_is_found() {
        for (branch, expected) in [
            ("188-part-2", &["188", "2"][..]),
            ("188/189", &["188", "189"]),
            ("188-189-188", &["188", "189"]),
            ("2026-11-22-188-189", &["188", "189"]),
        ] {
            assert_eq!(issues(branch), expected, "{branch}");
        }
    }

    #[test]
    fn custom_pattern_uses_its_first_group() {
        let settings = |pattern: &str| Settings {
            issue_pattern: pattern.into(),
            ..Settings::default()
        };
        for (pattern, branch, expected) in [
            (
                "^(?:fix|feat)/([A-Z]+-[0-9]+)",
                "feat/ABC-12-x",
                &["ABC-12"][..],
            ),
            ("[A-Z]+-[0-9]+", "feat/ABC-12-x", &["ABC-12"]),
            ("[A-Z]+-[0-9]+", "ABC-12-ABC-13", &["ABC-12", "ABC-13"]),
            ("^(?:main|x([0-9]+))", "main", &[]),
            ("[0-9]*", "é7", &["7"]),
            ("", "7", &[]),
        ] {
            let found = issues_of(&settings(pattern), branch.into());
            assert_eq!(found, expected, "{pattern} {branch}");
        }
    }

    #[test]
    fn branch_name_cannot_select_a_document_elsewhere() {
        let settings = Settings {
            issue_pattern: "^x/(.*)$".into(),
            ..Settings::default()
        };
        for branch in ["x/../../evil", "x/*", "x/{a,b}", "x/", "x/.."] {
            assert_eq!(issues_of(&settings, branch.into()), [""; 0], "{branch}");
        }
    }

    #[test]
    fn entry_without_its_issue_has_nothing_to_try() {
        let settings = settings("./docs/LLD-{issue}.md");
        let tries = |issue: Option<&str>| {
            let names = PathNames {
                issue: issue.map(str::to_owned),
                ..PathNames::default()
            };
            filled_patterns(&settings, &names).remove(0).tries
        };
        assert_eq!(tries(Some("7")), ["docs/LLD-7.md"]);
        assert_eq!(tries(None), [""; 0]);
        assert!(is_design(&settings, "docs/LLD-9.md".into()));
        assert!(!is_design(&settings, "docs/sub/LLD-9.md".into()));
    }

    #[test]
    fn designs_for_any_branch() {
        for (pattern, path, is) in [
            ("specs/{branch}/{spec,plan}.md", "specs/004-a/plan.md", true),
            (
                "specs/{branch}/{spec,plan}.md",
                "specs/x/004-a/plan.md",
                true,
            ),
            ("specs/{branch}/{spec,plan}.md", "specs/plan.md", false),
            (
                "specs/{branch}/{spec,plan}.md",
                "specs/004-a/other.md",
                false,
            ),
            ("changes/{slug}/tasks.md", "changes/a/tasks.md", true),
            (
                "changes/{slug}/tasks.md",
                "changes/archive/a/tasks.md",
                false,
            ),
        ] {
            assert_eq!(is_design(&settings(pattern), path.into()), is, "{path}");
        }
    }

    #[test]
    fn own_settings_are_the_file_and_the_directory() {
        for (path, own) in [
            ("guard.toml", true),
            (".guard/allowed_signers", true),
            (".guardian/x", false),
            ("a/guard.toml", false),
        ] {
            assert_eq!(
                is_own_settings(&Settings::default(), path.into()),
                own,
                "{path}"
            );
        }
    }
}
