//! The files that call guard in CI and under pre-commit: what `guard install` writes, into which file.

use std::path::Path;

use super::{Part, Plan, SetupAction, Step, add_by_hand};
use crate::error::Result;
use crate::rules::runs_guard;

/// A file that calls guard.
#[derive(Debug)]
pub struct Snippet {
    /// Its name in `guard install NAME`.
    pub name: &'static str,
    /// The file, from the root of the work tree.
    file: &'static str,
    /// A new file.
    content: &'static str,
    /// What is left to a person.
    next: &'static str,
}

/// Everything that guard writes.
pub const SNIPPETS: [Snippet; 3] = [
    Snippet {
        name: "pre-commit",
        file: ".pre-commit-config.yaml",
        content: include_str!("../../hooks/ci/pre-commit.yaml"),
        next: "write the address of guard behind `repo:`, commit the file alone, and run: pre-commit install",
    },
    Snippet {
        name: "github",
        file: ".github/workflows/guard.yml",
        content: include_str!("../../hooks/ci/github.yml"),
        next: "write the address of guard behind `uses:`, and make the job `guard` a required check of the branch",
    },
    Snippet {
        name: "gitlab",
        file: ".gitlab-ci.yml",
        content: include_str!("../../hooks/ci/gitlab.yml"),
        next: "write the address of guard behind `--git`, and let merge requests wait for their pipelines",
    },
];

impl Snippet {
    /// Writes the file, or prints what to add to it.
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
        self.part(root).uninstall == Plan::Remove
    }

    fn part(&self, root: &Path) -> Part {
        let mut part = Part::new(self.name, root.join(self.file));
        let Some(text) = part.text_or_plan(root, self.content) else {
            return part;
        };
        if text == self.content {
            part.message = "runs guard".to_owned();
            part.uninstall = Plan::Remove;
        } else if text.lines().any(|line| runs_guard(line.as_bytes())) {
            part.message = "runs guard, by lines that guard install did not write".to_owned();
            part.uninstall = Plan::ByHand(vec!["remove the lines that run guard".to_owned()]);
        } else {
            part.message = "exists, and does not run guard".to_owned();
            let lines = self.content.split_once("repos:\n");
            part.install = match lines {
                Some((_, entry)) => add_by_hand("add this to the list `repos`:", entry),
                None => add_by_hand("add these lines yourself:", self.content),
            };
        }
        part
    }
}
