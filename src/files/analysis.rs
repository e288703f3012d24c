//! What a file operation does to the text, for the answer, for `--dry-run` and for the person who decides.

use gix::bstr::BString;

use crate::finding::Finding;
use crate::measure::{self, Class, Measured};
use crate::path::escaped;

/// The maximum lines of the preview and of the lost content (requirement 000, section 2.4).
const PREVIEW_LINES: usize = 50;

/// The effect of an operation on the file as it is on disk (requirement 000, section 2.3).
#[derive(Debug, Clone)]
pub struct Analysis {
    /// The path in the workspace.
    pub path: BString,
    /// Whether the file existed.
    pub exists: bool,
    /// Class and counts.
    pub measured: Measured,
    /// Class and counts of all changes since HEAD, this one included; `None` if HEAD has no such file. guard judges the
    /// greater loss, because small edits add up.
    pub since_head: Option<Measured>,
    /// Whether a person must approve it.
    pub requires_approval: bool,
    /// The lost content, if a file is replaced, converted or deleted.
    pub deleted_content: Option<String>,
    /// The unified preview, at most 50 lines.
    pub diff_preview: String,
}

impl Analysis {
    /// Compares both versions of a file; a missing one is empty. `exists` says whether the file existed, because the
    /// old version may be HEAD's.
    pub(super) fn new(
        path: BString,
        (measured, since_head): (Measured, Option<Measured>),
        exists: bool,
        old: Option<&[u8]>,
        new: Option<&[u8]>,
    ) -> Analysis {
        let name = escaped(&path).to_string();
        let (old, new) = (old.unwrap_or_default(), new.unwrap_or_default());
        let shows_loss = matches!(measured.class, Class::Replace | Class::Delete)
            || measured.conversion.is_some();
        Analysis {
            exists,
            measured,
            since_head,
            requires_approval: false,
            deleted_content: shows_loss.then(|| measure::deleted_content(old, new, PREVIEW_LINES)),
            diff_preview: measure::unified_preview(old, new, &name, &name, PREVIEW_LINES),
            path,
        }
    }
}

/// What an operation would do.
#[derive(Debug, Clone)]
pub struct Forecast {
    /// The effect.
    pub analysis: Analysis,
    /// Why a person would have to approve it.
    pub finding: Option<Finding>,
    /// Whether it would change anything.
    pub changes: bool,
    /// The blob id of the current content, as `--expect` takes it; `None` for no file.
    pub digest: Option<String>,
}
