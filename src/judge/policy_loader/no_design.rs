//! Why no design applies, and what to do about it.

use gix::bstr::BStr;

use super::{Loader, add_and_commit};
use crate::error::Error;
use crate::finding::Help;
use crate::path::escaped;
use crate::policy::{Stage, design_selection};
use crate::rules;
use crate::scope::path_placeholders::NamedBy;
use crate::scope::settings;

impl Loader<'_, '_> {
    /// Why there is no design, and what to do.
    pub(super) fn no_design(&self) -> Error {
        let error = self.why_no_design();
        match &self.first_refused {
            Some(path) => self
                .order(path.as_ref())
                .into_iter()
                .fold(error, Error::help),
            None => error,
        }
    }

    /// Which order of commits works when guard is set up.
    fn order(&self, path: &BStr) -> Vec<Help> {
        let becomes_design = self
            .next_settings
            .as_ref()
            .is_some_and(|next| design_selection::is_design(next, path));
        let shown = escaped(path);
        if becomes_design {
            let commits = self.facts.stage == Stage::Commit && self.facts.head.is_none();
            let how = format!(
                "only the guard.toml in this change makes {shown} a design: commit guard.toml first, then the design"
            );
            let command = Help::command("git commit -m \"Change guard's settings\" -- guard.toml");
            return std::iter::once(how.into())
                .chain(commits.then_some(command))
                .collect();
        }
        if self.configured && rules::may_call_guard(path) {
            return vec![format!(
                "commit the lines of {shown} that call guard first, in a separate commit: they need no design"
            ).into()];
        }
        Vec::new()
    }

    pub(super) fn why_no_design(&self) -> Error {
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
        let filled = design_selection::filled(&self.settings, &names);
        let tries: Vec<&String> = filled.iter().flat_map(|one| &one.tries).collect();
        if tries.is_empty() {
            let by = filled.iter().map(|one| one.by).min();
            let what = self.missing_name(by.unwrap_or(NamedBy::Settings));
            let what = format!("no design applies: {what}");
            let ways = match design_selection::needs_issue(&self.settings) {
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
        let first: Vec<String> = first.map(|pattern| escaped(pattern).to_string()).collect();
        let what = format!(
            "no design{work}: {} is not in {}",
            first.join(", "),
            if is_range { "the branch" } else { "HEAD" }
        );
        match self.uncommitted().first().filter(|_| !is_range) {
            Some(choice) => Error::new(what)
                .help("commit the design first:")
                .help(add_and_commit(&choice.path)),
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
