//! Judges what a command does to a path, where it does not name the content.

use gix::bstr::{BStr, BString};

use super::failure::Failure;
use super::{FailureKind, Gate, GateResult, Operation, Strategy};
use crate::finding::Rule;
use crate::path::{Node, TreeView, escaped, shell_word};
use crate::rules::Access;

impl Gate<'_> {
    /// What lies at a path from [`Gate::locate`].
    pub(crate) fn node(&self, path: &BStr) -> Option<Node> {
        self.boundary.view().entry(path)
    }

    /// The content of a file that a command copies, if guard may read it.
    pub(crate) fn source(&self, request: &BStr) -> Option<Vec<u8>> {
        self.find(request).ok().map(|(_, entry)| entry.content)
    }

    /// Judges a replacement by content that guard cannot see, which may lose all that is there.
    ///
    /// # Errors
    /// The path is refused, or it may lose most of a large file.
    pub(crate) fn judge_replacement(&self, request: &BStr) -> GateResult<()> {
        self.judge_path(request)?;
        let nothing = Operation::Write {
            content: Vec::new(),
            strategy: Strategy::Replace,
            expect: None,
            allow_empty: true,
        };
        // Only a possible loss matters: the content will be another.
        let Ok((plan, Some(finding))) = self.plan(request, &nothing) else {
            return Ok(());
        };
        let path = escaped(plan.path()).to_string();
        let failure = Failure {
            message: format!(
                "the command may replace all of {path}, with content that guard cannot see"
            ),
            help: vec![
                "use the agent's own tool to edit or write it, so that guard can judge the content"
                    .into(),
            ],
            ..Failure::from(finding)
        };
        self.note_refusal("write", request, [], &failure);
        Err(failure)
    }

    /// Judges that a tracked file goes back to what HEAD has. This needs no row, because it undoes a change.
    ///
    /// # Errors
    /// The path is refused, or most of a large file would be lost that no commit has.
    pub(crate) fn judge_restoration(&self, request: &BStr) -> GateResult<()> {
        self.judge_entry(request)?;
        let judge = || {
            let context = self.context()?;
            let path = self.boundary.locate(request)?;
            let path: &BStr = path.as_ref();
            let max = self.policy.settings.max_size;
            let (there, committed) = (
                self.boundary.read_stable(path, max)?,
                context.committed(path)?,
            );
            let (Some(there), Some(committed)) = (there, committed) else {
                return Ok(());
            };
            let lost = context.step(Some(&there.content), Some(&committed));
            if !lost.destroys() {
                return self.let_change_pass(path.to_owned(), Some(&committed));
            }
            let word = shell_word(path);
            Err(Failure::new(
                FailureKind::Refused,
                format!(
                    "the command would discard most of {}, which no commit has",
                    escaped(path)
                ),
            )
            .help(format!(
                "if that is meant, ask the user to run: git restore {word}"
            )))
        };
        judge().inspect_err(|failure: &Failure| self.note_refusal("restore", request, [], failure))
    }

    /// Judges that something comes into being which no design names: a directory, or a file that git ignores.
    ///
    /// # Errors
    /// The path is outside the workspace, a secret, or otherwise refused to every request.
    pub(crate) fn judge_entry(&self, request: &BStr) -> GateResult<()> {
        let admit = || {
            let path = self.boundary.locate(request)?;
            match self.context()?.admit(path.as_ref(), Access::Write)? {
                Err(finding) if finding.rule != Rule::OutsideRoots => Err(finding.into()),
                _ => Ok(()),
            }
        };
        admit().inspect_err(|failure: &Failure| self.note_refusal("write", request, [], failure))
    }

    /// The names in a directory of the workspace; none if it cannot be listed.
    pub(crate) fn names_in(&self, directory: &BStr) -> Vec<BString> {
        let listing = self.boundary.list(directory);
        listing
            .and_then(|listing| listing.names())
            .unwrap_or_default()
    }
}
