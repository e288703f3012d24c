//! The files that call guard in CI and under pre-commit: what `guard install` writes, into which file.

use std::path::Path;

use super::{Check, Part, Plan, SetupAction, Status, Step, text};
use crate::error::Result;
use crate::rules::runs_guard;

/// A file, and what guard has in it.
#[derive(Debug)]
pub struct Snippet {
    /// Its name in `guard install NAME`.
    pub name: &'static str,
    /// The file, from the root of the work tree.
    file: &'static str,
    /// A new file.
    content: &'static str,
    /// The part of it that an existing file gets at its end.
    kind: SnippetKind,
    /// What is left to a person.
    next: &'static str,
}

/// How a file that exists is extended.
#[derive(Debug, Clone, Copy)]
enum SnippetKind {
    /// Not at all.
    File,
    /// By a key at its end.
    Job,
    /// By an item at the end of the list `repos`, the last key.
    Repository,
}

/// Everything that guard writes.
pub const SNIPPETS: [Snippet; 3] = [
    Snippet {
        name: "pre-commit",
        file: ".pre-commit-config.yaml",
        content: include_str!("../../hooks/ci/pre-commit.yaml"),
        kind: SnippetKind::Repository,
        next: "write the address of guard behind `repo:`, commit the file alone, and run: pre-commit install",
    },
    Snippet {
        name: "github",
        file: ".github/workflows/guard.yml",
        content: include_str!("../../hooks/ci/github.yml"),
        kind: SnippetKind::File,
        next: "write the address of guard behind `uses:`, and make the job `guard` a required check of the branch",
    },
    Snippet {
        name: "gitlab",
        file: ".gitlab-ci.yml",
        content: include_str!("../../hooks/ci/gitlab.yml"),
        kind: SnippetKind::Job,
        next: "write the address of guard behind `--git`, and let merge requests wait for their pipelines",
    },
];

/// Addresses in the files that stand for those of guard.
const PLACEHOLDERS: [&str; 2] = ["your-organisation/guard", "https://example.com/guard"];

impl Snippet {
    /// Writes the file or guard's entry in it.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn install(&self, root: &Path, dry_run: bool) -> Result<Step> {
        let part = self.part(root);
        let mut step = part.carry_out(&part.install, dry_run)?;
        if step.action == SetupAction::Write {
            step.help.push(self.next.to_owned());
        }
        Ok(step)
    }

    /// Removes what guard wrote.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn uninstall(&self, root: &Path, dry_run: bool) -> Result<Step> {
        let part = self.part(root);
        part.carry_out(&part.uninstall, dry_run)
    }

    /// Whether guard wrote what calls it in the file.
    pub fn is_written(&self, root: &Path) -> bool {
        matches!(self.part(root).uninstall, Plan::Remove | Plan::Write(..))
    }

    /// Checks a definition of CI that runs guard; doctor finds the hooks of pre-commit by themselves.
    pub(super) fn check(&self, root: &Path) -> Option<Check> {
        let check = |status, what| Check::new(self.name, status, format!("{} {what}", self.file));
        let text = text(root, &root.join(self.file)).ok()??;
        let is_ci = !matches!(self.kind, SnippetKind::Repository);
        let lines = text
            .lines()
            .filter(|line| is_ci && runs_guard(line.as_bytes()));
        let lines: Vec<_> = lines.collect();
        let is_placeholder = |line: &&str| PLACEHOLDERS.iter().any(|one| line.contains(one));
        match lines.iter().any(is_placeholder) {
            _ if lines.is_empty() => None,
            true => {
                Some(check(Status::Warn, "does not name the address of guard yet").help(self.next))
            }
            false => Some(check(Status::Ok, "runs guard")),
        }
    }

    fn part(&self, root: &Path) -> Part {
        let mut part = Part::new(self.name, root.join(self.file));
        let Some(text) = part.text_or_plan(root, self.content) else {
            return part;
        };
        let mut widths = 0..=8;
        let without = widths.find_map(|width| {
            let rest = text.strip_suffix(&self.entry(width))?;
            (self.with_entry(rest)? == text).then_some(rest)
        });
        if text == self.content {
            part.message = "runs guard".to_owned();
            part.uninstall = Plan::Remove;
        } else if let Some(rest) = without {
            part.message = "runs guard".to_owned();
            part.uninstall = Plan::Write(rest.into(), "guard's entry removed");
        } else if text.lines().any(|line| runs_guard(line.as_bytes())) {
            part.message = "runs guard, by lines that guard install did not write".to_owned();
            part.uninstall = Plan::ByHand(vec!["remove the lines that run guard".to_owned()]);
        } else if let Some(new) = self.with_entry(&text) {
            part.message = "does not run guard".to_owned();
            part.install = Plan::Write(new.into(), "extended");
        } else {
            part.message = "does not run guard, and guard cannot tell where to add it".to_owned();
            let entry = self.entry(0);
            let lines = entry.lines().map(str::to_owned);
            let how = match self.kind {
                SnippetKind::Repository => "add this to the list `repos`:",
                _ => "add these lines yourself:",
            };
            part.install = Plan::ByHand([how.to_owned()].into_iter().chain(lines).collect());
        }
        part
    }

    /// What an existing file gets at its end, indented.
    fn entry(&self, width: usize) -> String {
        let indent = " ".repeat(width);
        match self.kind {
            SnippetKind::Repository => {
                let lines = self
                    .content
                    .lines()
                    .skip_while(|line| !line.starts_with('-'));
                lines.map(|line| format!("{indent}{line}\n")).collect()
            }
            _ => format!("\n{}", self.content),
        }
    }

    /// The file with guard's entry at its end; `None` if its form does not show that this is the place.
    fn with_entry(&self, text: &str) -> Option<String> {
        let is_top = |line: &&str| !line.starts_with([' ', '#', '-']) && !line.is_empty();
        let keys: Vec<&str> = text.lines().filter(is_top).collect();
        let is_key = |line: &&str| {
            let starts =
                line.starts_with(|first: char| first.is_alphanumeric() || "._".contains(first));
            starts && (line.trim_end().ends_with(':') || line.contains(": "))
        };
        if text.contains('\t') || !keys.iter().all(is_key) {
            return None;
        }
        let entry = match self.kind {
            SnippetKind::File => return None,
            SnippetKind::Job => {
                let has = |start: &str| keys.iter().any(|line| line.starts_with(start));
                let is_list = |line: &str| line.starts_with('-') && !line.starts_with("---");
                let has_stage = !has("stages:") || text.lines().any(|line| line.trim() == "- test");
                let fits = has_stage && !has("guard:") && !text.lines().any(is_list);
                fits.then(|| self.entry(0))?
            }
            SnippetKind::Repository => {
                let list = keys.last().filter(|key| key.trim_end() == "repos:")?;
                let mut items = text.lines().skip_while(|line| line != list).skip(1);
                let is_item =
                    |line: &&str| !line.trim().is_empty() && !line.trim().starts_with('#');
                let first = items.find(is_item)?;
                let width = first.len() - first.trim_start().len();
                first
                    .trim_start()
                    .starts_with("- ")
                    .then(|| self.entry(width))?
            }
        };
        let newline = if text.ends_with('\n') { "" } else { "\n" };
        Some(format!("{text}{newline}{entry}"))
    }
}
