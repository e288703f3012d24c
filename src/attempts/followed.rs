//! What followed each refusal, and how many attempts a design took until its first accepted commit.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use gix::bstr::{BStr, BString, ByteSlice};

use super::refusal::{RefusedRequest, has_row, in_repository};
use crate::files::{REFUSED, Record};
use crate::judge::{self, Options};
use crate::report::rfc3339;
use write_guard_policy::design;
use write_guard_policy::error::{Error, Result};
use write_guard_policy::named;
use write_guard_policy::path::escaped;
use write_guard_policy::policy;
use write_guard_policy::scope::Scope;
use write_guard_policy::scope::settings::Settings;
use write_guard_repo::disk::absolute;
use write_guard_repo::{Commit, Repository, changes_between};

/// The event of an approval.
const APPROVED: &str = "approved";

named! {
    /// What came after a refusal.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub enum Followed {
        /// A person approved the change.
        Approved = "approved",
        /// The same path was tried again, and refused.
        SamePath = "same-path",
        /// A row names the path by now.
        RowAdded = "row-added",
        /// The work went on at the path that guard had named.
        AsSuggested = "as-suggested",
        /// The work went on elsewhere.
        AnotherPath = "another-path",
        /// Nothing followed.
        GivenUp = "given-up",
    }
}

/// The refusals of one agent on one branch, under one design.
#[derive(Debug)]
pub(crate) struct Work {
    /// The branch; empty for none.
    pub(crate) branch: String,
    /// The designs that applied, separated by commas.
    pub(crate) design: String,
    /// The agent; empty for the command line.
    pub(crate) agent: String,
    /// Each refusal, the oldest first, with what followed.
    pub(crate) refusals: Vec<(RefusedRequest, Followed)>,
    /// The refusals before the first accepted commit, and the one attempt that it is; `None` without such a commit.
    pub(crate) attempts: Option<usize>,
}

/// The branch, the designs and the agent.
type WorkKey = (String, String, String);

/// What the log knows about refusals since a day.
///
/// # Errors
/// A branch cannot be read.
pub(crate) fn attempts(
    repo: &Repository,
    options: &Options,
    log: &[u8],
    since: Option<&str>,
) -> Result<Vec<Work>> {
    let records: Vec<Record> = log.lines().filter_map(Record::parse).collect();
    let root = absolute(repo.workdir()?);
    let mut groups: BTreeMap<WorkKey, Vec<RefusedRequest>> = BTreeMap::new();
    for (at, record) in records.iter().enumerate() {
        let is_recent = since.is_none_or(|since| record.text("time") >= since);
        if is_recent && let Some(refusal) = RefusedRequest::of(record, at, &root) {
            let design = refusal.designs.join(", ");
            let key = (refusal.branch.clone(), design, refusal.agent.clone());
            groups.entry(key).or_default().push(refusal);
        }
    }
    let settings = judge::settings_of_head(repo)?;
    let mut all = Vec::new();
    for ((branch, design, agent), refusals) in groups {
        let later = BranchWork::since(repo, &settings, &branch, &refusals)?;
        let attempts = later.attempts(repo, options, &refusals);
        let followed = refusals.into_iter().map(|refusal| {
            let after = later.after(&refusal, &records[refusal.at + 1..], &root);
            (refusal, after)
        });
        all.push(Work {
            refusals: followed.collect(),
            branch,
            design,
            agent,
            attempts,
        });
    }
    Ok(all)
}

/// What became of a branch since its first refusal.
struct BranchWork<'a> {
    settings: &'a Settings,
    branch: BString,
    /// The commits, the oldest first, each with its time and the paths that it changes.
    commits: Vec<(Commit, String, BTreeSet<BString>)>,
    /// The rows of the designs as the branch has them now.
    scope: Scope,
}

impl<'a> BranchWork<'a> {
    fn since(
        repo: &Repository,
        settings: &'a Settings,
        branch: &str,
        refusals: &[RefusedRequest],
    ) -> Result<BranchWork<'a>> {
        let mut work = BranchWork {
            settings,
            branch: branch.into(),
            commits: Vec::new(),
            scope: Scope::default(),
        };
        let tip = repo.commit_of_ref(&format!("refs/heads/{branch}"))?;
        let Some(tip) = tip.or(repo.head_commit()?) else {
            return Ok(work);
        };
        let begin = refusals.first().map_or("", |first| first.time.as_str());
        for commit in repo.commits_since(tip, i64::MIN)? {
            let time = rfc3339(commit.time);
            // A record and a commit of one second may come in either order.
            if time.as_str() < begin {
                break;
            }
            if let [parent] = commit.parents[..]
                && repo.has(parent)
            {
                let old = repo.tree_of(Some(parent))?.id();
                let changes = changes_between(repo.objects(), old, commit.tree)?;
                let paths = changes.into_iter().map(|change| change.path).collect();
                work.commits.push((commit, time, paths));
            }
        }
        work.commits.reverse();
        let tree = repo.tree_of(Some(tip))?;
        let designs: BTreeSet<&String> = refusals.iter().flat_map(|one| &one.designs).collect();
        let mut grants = Vec::new();
        for path in designs {
            let path = BStr::new(path);
            if let Some(content) = tree.read(path)? {
                grants.extend(design::parse(path, &content, settings).grants);
            }
        }
        work.scope = Scope::new(grants);
        Ok(work)
    }

    /// The refusals before the first accepted commit with more than designs in it, and that commit.
    fn attempts(
        &self,
        repo: &Repository,
        options: &Options,
        refusals: &[RefusedRequest],
    ) -> Option<usize> {
        let is_code = |path: &BString| !policy::is_design(self.settings, path.as_ref());
        let with_code = self
            .commits
            .iter()
            .filter(|(.., paths)| paths.iter().any(is_code));
        for (commit, time, _) in with_code {
            let verdict = judge::commit(repo, commit.id, Some(self.branch.clone()), options);
            if verdict.is_ok_and(|verdict| verdict.exit_code() == 0) {
                let before = refusals.iter().filter(|refusal| refusal.time <= *time);
                return Some(before.count() + 1);
            }
        }
        None
    }

    /// What followed a refusal, by the records behind it and by the commits.
    fn after(&self, refusal: &RefusedRequest, later: &[Record], root: &Path) -> Followed {
        let path_of = |record: &Record| in_repository(record.text("path"), root);
        let mut approvals = later.iter().filter(|record| record.event() == APPROVED);
        let is_this = |record: &Record| {
            path_of(record) == refusal.path && record.text("new") == refusal.content
        };
        if refusal.is_held && approvals.any(is_this) {
            return Followed::Approved;
        }
        let of_design = |record: &&Record| {
            let mut designs = record.designs();
            designs.any(|design| refusal.designs.iter().any(|one| one == design))
        };
        let mut again = later.iter().filter(of_design);
        if again.any(|record| record.event() == REFUSED && path_of(record) == refusal.path) {
            return Followed::SamePath;
        }
        if refusal.is_about_scope() && has_row(&self.scope, &refusal.path) {
            return Followed::RowAdded;
        }
        let logged = later.iter().filter(of_design);
        let logged: BTreeSet<String> = logged.map(path_of).collect();
        let commits = self.commits.iter();
        let committed = commits.filter(|(_, time, _)| *time >= refusal.time);
        let committed = committed.flat_map(|(.., paths)| paths);
        let mut went_on: BTreeSet<String> =
            committed.map(|path| escaped(path).to_string()).collect();
        went_on.extend(logged);
        if went_on.contains(&refusal.closest) {
            Followed::AsSuggested
        } else if went_on.is_empty() {
            Followed::GivenUp
        } else {
            Followed::AnotherPath
        }
    }
}

/// A day as people write it, which the times of records begin with.
///
/// # Errors
/// It is none.
pub(crate) fn day(text: &str) -> Result<String> {
    let shape = text
        .bytes()
        .map(|byte| if byte.is_ascii_digit() { b'0' } else { byte });
    if shape.eq(*b"0000-00-00") {
        return Ok(text.to_owned());
    }
    let message = format!("`{}` is not a day", escaped(text));
    Err(Error::new(message).help("write it as in 2026-11-30"))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use gix::ObjectId;
    use gix::hash::Kind;
    use serde_json::{Value, json};

    use super::*;

    /// A record of `src/a.py` under `plan.md`, with other members.
    fn record(event: &str, others: &Value) -> Record {
        let mut facts = json!({
            "event": event,
            "time": "2026-01-02T00:00:00Z",
            "path": "src/a.py",
            "new": "digest",
            "designs": ["plan.md"],
        });
        let facts = facts.as_object_mut().unwrap();
        facts.extend(others.as_object().unwrap().clone());
        Record {
            seq: 1,
            prev: String::new(),
            hash: String::new(),
            facts: facts.clone(),
        }
    }

    fn refusal(others: &Value) -> RefusedRequest {
        let mut refused = record(REFUSED, &json!({"closest": "src/b.py"}));
        refused.facts.extend(others.as_object().unwrap().clone());
        RefusedRequest::of(&refused, 0, Path::new("/root")).unwrap()
    }

    /// The work of a branch whose commits change one path each.
    fn work<'a>(settings: &'a Settings, rows: &str, commits: &[(&str, &str)]) -> BranchWork<'a> {
        let design = format!("## Files Changed\n\n| File | Change Type |\n|---|---|\n{rows}");
        let none = ObjectId::null(Kind::Sha1);
        let commit = Commit {
            id: none,
            tree: none,
            parents: Vec::new(),
            time: 0,
            trailers: BString::default(),
        };
        let commits = commits.iter().map(|(time, path)| {
            let paths = BTreeSet::from([BString::from(*path)]);
            (commit.clone(), (*time).to_owned(), paths)
        });
        BranchWork {
            settings,
            branch: "work".into(),
            commits: commits.collect(),
            scope: Scope::new(design::parse("plan.md".into(), design.as_bytes(), settings).grants),
        }
    }

    #[test]
    fn records_behind_a_refusal_say_what_followed() {
        let settings = Settings::default();
        let held = json!({"reason": "held"});
        let plain = json!({"reason": "refused"});
        let same = json!({});
        let elsewhere = json!({"path": "src/c.py"});
        let other_design = json!({"designs": ["other.md"]});
        for (own, event, later, expected) in [
            (&held, APPROVED, &same, Followed::Approved),
            (&held, APPROVED, &other_design, Followed::Approved),
            (&held, "rejected", &other_design, Followed::GivenUp),
            (&plain, APPROVED, &other_design, Followed::GivenUp),
            (
                &held,
                APPROVED,
                &json!({"new": "other"}),
                Followed::AnotherPath,
            ),
            (&held, APPROVED, &elsewhere, Followed::AnotherPath),
            (&plain, REFUSED, &same, Followed::SamePath),
            (&plain, REFUSED, &other_design, Followed::GivenUp),
            (&plain, REFUSED, &elsewhere, Followed::AnotherPath),
            (
                &plain,
                "done",
                &json!({"path": "src/b.py"}),
                Followed::AsSuggested,
            ),
            (&plain, "done", &elsewhere, Followed::AnotherPath),
        ] {
            let found = work(&settings, "", &[]).after(
                &refusal(own),
                &[record(event, later)],
                Path::new("/root"),
            );
            assert_eq!(found, expected, "{own} {event} {later}");
        }
    }

    #[test]
    fn rows_and_later_commits_say_what_followed() {
        let settings = Settings::default();
        let row = "| `src/a.py` | Add |\n";
        let (before, after) = ("2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z");
        for (rule, rows, commits, expected) in [
            ("out-of-scope", row, &[][..], Followed::RowAdded),
            ("out-of-scope", "", &[], Followed::GivenUp),
            ("destructive-change", row, &[], Followed::GivenUp),
            (
                "out-of-scope",
                "",
                &[(after, "src/b.py")],
                Followed::AsSuggested,
            ),
            (
                "out-of-scope",
                "",
                &[(after, "src/c.py")],
                Followed::AnotherPath,
            ),
            (
                "out-of-scope",
                "",
                &[(before, "src/b.py")],
                Followed::GivenUp,
            ),
        ] {
            let refusal = refusal(&json!({"rule": rule}));
            let work = work(&settings, rows, commits);
            let found = work.after(&refusal, &[], Path::new("/root"));
            assert_eq!(found, expected, "{rule} {rows:?} {commits:?}");
        }
    }
}
