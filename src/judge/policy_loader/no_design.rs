//! Why no design of the branch applies, and what to do about it: at a terminal a person writes or chooses one, the author
//! of a pull request changes the branch.

use gix::bstr::BString;

use super::{Loader, commit_first};
use write_guard_policy::error::{Error, Result};
use write_guard_policy::finding::Help;
use write_guard_policy::path::{escaped, escaped_list, shell_word};
use write_guard_policy::policy::{self, Stage};

impl Loader<'_, '_> {
    /// Why there is no design, and what to do.
    pub(super) fn no_design(&self) -> Error {
        if !self.configured {
            return self.no_settings();
        }
        let error = match self.why_none() {
            Ok(what) => Error::new(what),
            Err(error) => return error,
        };
        if self.is_done() {
            let is_range = self.facts.stage == Stage::Range;
            let other = if is_range {
                ""
            } else {
                ", or choose another: guard use FILE"
            };
            return error.help(format!("commit the plan of this work first{other}"));
        }
        self.ways_to_a_design().into_iter().fold(error, Error::help)
    }

    fn no_settings(&self) -> Error {
        let base = self.base_name();
        let error = Error::new(format!(
            "{base} has no guard.toml, so no document is a design"
        ));
        if self.facts.stage == Stage::Range {
            return error
                .help("if the target branch has one, rebase onto it or merge it")
                .help("otherwise set guard up on the target branch first: guard init");
        }
        error.help("set guard up: guard init, then commit guard.toml")
    }

    fn is_done(&self) -> bool {
        !self.done.borrow().is_empty()
            && (self.own_is_done || self.policy.settings.lld_path.is_empty())
    }

    /// Why no design of the branch applies, in a sentence.
    ///
    /// # Errors
    /// The branch name contains several issues.
    fn why_none(&self) -> Result<String> {
        let is_range = self.facts.stage == Stage::Range;
        let names = self.names()?;
        let settings = &self.policy.settings;
        if self.is_done()
            && let Some(done) = self.done.borrow().first()
        {
            return Ok(format!("no design applies: {}", done.statement()));
        }
        let filled = policy::filled_patterns(settings, &names);
        let first: Vec<&String> = filled.iter().filter_map(|one| one.tries.first()).collect();
        let branch = self.facts.branch.as_ref();
        let branch = branch.map(|branch| escaped(branch).to_string());
        Ok(match (&names.issue, branch) {
            _ if settings.lld_path.is_empty() => {
                "no design applies: guard.toml does not set `[lld] path`".to_owned()
            }
            (issue, branch) if !first.is_empty() => {
                let work = match (issue, branch) {
                    (Some(issue), _) => format!(" for issue {issue}"),
                    (None, Some(branch)) => format!(" for branch {branch}"),
                    (None, None) => String::new(),
                };
                let side = if is_range { "the branch" } else { "HEAD" };
                format!("no design{work}: {} is not in {side}", escaped_list(first))
            }
            (_, Some(branch)) => {
                let problem = if policy::needs_issue(settings) {
                    "contains no issue number"
                } else {
                    "cannot be part of a path"
                };
                format!("no design applies: the branch name {branch} {problem}")
            }
            (_, None) if is_range => {
                "no design applies: neither the branch name nor a Guard-Design trailer names one"
                    .to_owned()
            }
            (_, None) => {
                "no design applies: HEAD is detached, so no branch name gives the path".to_owned()
            }
        })
    }

    /// What leads to a design of the branch: the one that waits for its commit, or else a new or another one.
    pub(super) fn ways_to_a_design(&self) -> Vec<Help> {
        if self.facts.stage == Stage::Range {
            return self.ways_of_an_author();
        }
        if let Some(path) = self.waiting() {
            return self.commit_and_choose(&path);
        }
        if self.facts.branch.is_none() {
            let command = format!("git switch --create {}", policy::name_of_new_design(None));
            return vec![Help::run("switch to a branch first", command)];
        }
        let mut ways = vec!["choose the design of this work with `guard use`".into()];
        if let Some(name) = self.name_for_a_new_one() {
            // An empty design would be refused next.
            let is_commit = self.facts.stage == Stage::Commit && !self.facts.changes.is_empty();
            let rows = if is_commit { " --from-changes" } else { "" };
            ways.push(Help::run(
                "to write a design",
                format_args!("guard scope new{name}{rows}"),
            ));
        } else {
            ways.push("set `[lld] path` in guard.toml, and commit it".into());
        }
        ways
    }

    /// What the author of a pull request can do. The job knows nothing of the choices in somebody's clone.
    fn ways_of_an_author(&self) -> Vec<Help> {
        let name = if policy::needs_issue(&self.policy.settings) {
            "rename the branch after the issue of its design, as in 188-short-title"
        } else {
            "rename the branch after its design"
        };
        vec![
            name.into(),
            "or add the trailer `Guard-Design: FILE` to the message of one of its commits".into(),
            "or commit a new design on the branch: the only one that a branch adds applies".into(),
        ]
    }

    /// The design that is staged or only in the work tree, and would be that of this branch.
    pub(super) fn waiting(&self) -> Option<BString> {
        let staged = self.new_designs(&self.facts.changes).into_iter().next();
        staged.or_else(|| Some(self.uncommitted().into_iter().next()?.path))
    }

    /// How to commit a design that waits, and to choose it if nothing else will.
    fn commit_and_choose(&self, path: &BString) -> Vec<Help> {
        let by_name = self.names().is_ok_and(|names| {
            let filled = policy::filled_patterns(&self.policy.settings, &names);
            let mut patterns = filled.iter().flat_map(|entry| &entry.tries);
            patterns.any(|pattern| policy::pattern_matches(pattern, path.as_ref()))
        });
        if by_name {
            return commit_first(Error::default(), path).help;
        }
        let word = shell_word(path);
        let commit = format!("git add {word} && git commit -m \"Add the design\" -- {word}");
        vec![
            "commit the design first, and choose it for this branch:".into(),
            Help::command(format_args!("{commit} && guard use {word}")),
        ]
    }

    /// What follows `guard scope new` here: nothing where the branch says enough; `None` where no place is set.
    fn name_for_a_new_one(&self) -> Option<String> {
        let settings = &self.policy.settings;
        let branch = self.facts.branch.as_ref().map(|branch| branch.to_string());
        let branch = branch.as_deref();
        let is_base = branch.is_some() && branch == settings.base.as_deref();
        if !is_base && policy::place_of_new_design(settings, branch, None, "").is_some() {
            return Some(String::new());
        }
        let name = policy::name_of_new_design(branch.filter(|_| !is_base));
        policy::place_of_new_design(settings, branch, Some(&name), "")?;
        Some(format!(" {name}"))
    }

    /// Adds to an error about several designs how to choose one of them.
    pub(super) fn how_to_choose(&self, error: Error, one: Option<&BString>) -> Error {
        if self.facts.stage == Stage::Range {
            return error.help(
                "name the design in the message of a commit with the trailer `Guard-Design: FILE`",
            );
        }
        match one {
            Some(one) => error.help(Help::run(
                "to choose one for this branch",
                format_args!("guard use {}", shell_word(one)),
            )),
            None => error.help("choose the design of this branch: guard use FILE"),
        }
    }
}
