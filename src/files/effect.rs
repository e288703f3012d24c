//! What an operation does to a file: as planned, and once it is done.

use gix::ObjectId;
use gix::bstr::{BStr, BString, ByteSlice};
use serde_json::{Map, Value, json};

use super::log::members;
use super::{Extension, Gate, Operation, Strategy};
use crate::boundary::OpenedFile;
use crate::change::Change;
use crate::finding::Finding;
use crate::git::Before;
use crate::measure::{self, Class, Measured};
use crate::path::escaped;

/// The maximum lines of the preview and of the lost content (requirement 000, section 2.4).
const PREVIEW_LINES: usize = 50;

/// What an operation does to a file.
#[derive(Debug, Clone)]
pub struct Effect {
    /// What was requested.
    pub operation: Operation,
    /// The path of the file.
    pub path: BString,
    /// The new path of a moved file.
    pub moved_to: Option<BString>,
    /// The file before.
    pub(super) old: Option<OpenedFile>,
    /// Its content afterwards; `None` if it is removed.
    pub(super) new: Option<Vec<u8>>,
    /// The blob id of the content before, as `--expect` takes it.
    pub(super) old_digest: Option<String>,
    /// That of the content afterwards.
    pub digest: Option<String>,
    /// Class, counts and preview.
    pub analysis: Analysis,
    /// The loss by which it is judged: that of the analysis or, if greater, since HEAD.
    pub(super) judged: Measured,
    /// What to compare the new content with when a person must decide; HEAD's version may lose more.
    pub(super) compared: Option<Vec<u8>>,
    /// The step that a person would approve, from the shown old content to the new one.
    pub(super) consent: Change,
    /// Why a person must approve it.
    pub finding: Option<Finding>,
    /// What `extend` adds and keeps.
    pub extension: Option<Extension>,
    /// The snapshot of the state before; `None` until it is done, or if nothing changes.
    pub backup: Option<ObjectId>,
}

impl Effect {
    /// Whether anything changes; not if the file already has the new content.
    pub fn changes(&self) -> bool {
        self.moved_to.is_some() || self.old_content() != self.new.as_deref()
    }

    /// Whether the file is removed.
    pub fn is_gone(&self) -> bool {
        self.new.is_none()
    }

    /// The size afterwards, in bytes.
    pub fn size(&self) -> usize {
        self.new.as_ref().map_or(0, Vec::len)
    }

    pub(super) fn old_content(&self) -> Option<&[u8]> {
        self.old.as_ref().map(|file| file.content.as_slice())
    }

    /// The paths that change, as they were before.
    pub(super) fn before(&self) -> impl Iterator<Item = Before<'_>> {
        let target = self.moved_to.as_ref().map(|target| (target.as_ref(), None));
        let old = self.old.as_ref();
        let old = old.map(|file| (file.content.as_slice(), file.is_executable()));
        [(self.path.as_ref(), old)].into_iter().chain(target)
    }

    /// The title of the snapshot (requirement 001, section 2.2).
    pub(super) fn title(&self) -> String {
        let name = self.path.rsplit(|&byte| byte == b'/').next();
        let name = escaped(name.unwrap_or_default());
        match self.operation.verb() {
            "patch" => format!("Backup before file patch: {name}"),
            "restore" => format!("Backup before restore: {}", escaped(&self.path)),
            _ => format!("Backup before file mod: {name}"),
        }
    }

    /// What it does to which file, for the log.
    pub(super) fn facts(&self) -> Map<String, Value> {
        let strategy = self.operation.strategy();
        let strategy = strategy.filter(|way| *way != Strategy::Replace);
        let to = self.moved_to.as_ref().map(|target| target.to_str_lossy());
        members([
            ("operation", Some(self.operation.verb().into())),
            ("path", Some(self.path.to_str_lossy().into())),
            ("strategy", strategy.map(|way| way.name().into())),
            ("to", to.map(Value::from)),
            ("class", Some(self.judged.class.name().into())),
            ("old", Some(self.old_digest.clone().into())),
            ("new", Some(self.digest.clone().into())),
        ])
    }

    /// The answer once it is done, with the fields of requirement 001, section 3.
    pub fn to_json(&self, gate: &Gate<'_>) -> Value {
        let path = self.moved_to.as_ref().unwrap_or(&self.path);
        let mut answer = json!({ "version": 1, "path": spelled(gate, path.as_ref()) });
        if self.moved_to.is_some() {
            answer["moved_from"] = spelled(gate, self.path.as_ref());
            answer["size"] = self.size().into();
        } else if self.is_gone() {
            answer["deleted"] = true.into();
        } else if let Operation::Patch { edits, .. } = &self.operation {
            answer["matched"] = true.into();
            answer["replaced"] = edits.len().into();
        } else {
            answer["size"] = self.size().into();
            answer["created"] = self.old.is_none().into();
            if let Some(extension) = &self.extension {
                answer["added"] = extension.added.clone().into();
                answer["kept"] = extension.kept.clone().into();
                answer["left_out"] = extension.left_out.clone().into();
            }
        }
        answer["changed"] = self.changes().into();
        answer["digest"] = self.digest.clone().into();
        answer["backup"] = self.backup.map(|backup| backup.to_string()).into();
        answer["analysis"] = self.analysis.to_json();
        answer
    }

    /// The answer to a `--dry-run`.
    pub fn forecast_json(&self, gate: &Gate<'_>) -> Value {
        json!({
            "version": 1,
            "path": spelled(gate, self.path.as_ref()),
            "digest": self.old_digest,
            "changed": self.changes(),
            "rule": self.finding.as_ref().map(|finding| finding.rule.id()),
            "analysis": self.analysis.to_json(),
        })
    }
}

/// The absolute path.
fn spelled(gate: &Gate<'_>, path: &BStr) -> Value {
    gate.boundary.absolute(path).to_string_lossy().into()
}

/// The answer to a read.
pub fn read_json(gate: &Gate<'_>, path: &BStr, entry: &OpenedFile) -> Value {
    json!({
        "version": 1,
        "path": spelled(gate, path),
        "content": entry.content.to_str_lossy(),
        "size": entry.content.len(),
        "digest": gate.digest(Some(&entry.content)),
        "exists": true,
    })
}

/// The effect on the file as it is on disk (requirement 000, section 2.3).
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
        path: &BStr,
        (measured, since_head): (Measured, Option<Measured>),
        exists: bool,
        old: Option<&[u8]>,
        new: Option<&[u8]>,
    ) -> Analysis {
        let name = escaped(path).to_string();
        let (old, new) = (old.unwrap_or_default(), new.unwrap_or_default());
        let shows_loss = matches!(measured.class, Class::Replace | Class::Delete)
            || measured.conversion.is_some();
        Analysis {
            path: path.to_owned(),
            exists,
            measured,
            since_head,
            requires_approval: false,
            deleted_content: shows_loss.then(|| measure::deleted_content(old, new, PREVIEW_LINES)),
            diff_preview: measure::unified_preview(old, new, &name, &name, PREVIEW_LINES),
        }
    }

    /// The analysis of a write.
    pub fn to_json(&self) -> Value {
        let since_head = self.since_head.as_ref().map(|since| {
            json!({
                "original_lines": since.original_lines,
                "change_classification": since.class.name(),
                "change_percentage": since.lost.share() * 100.0,
            })
        });
        json!({
            "target_path": self.path.to_str_lossy(),
            "exists": self.exists,
            "original_lines": self.measured.original_lines,
            "new_lines": self.measured.new_lines,
            "change_classification": self.measured.class.name(),
            "change_percentage": self.measured.lost.share() * 100.0,
            "requires_approval": self.requires_approval,
            // Only a person's consent permits it, never `--auto`.
            "auto_mode_blocked": self.requires_approval,
            "deleted_content": self.deleted_content,
            "diff_preview": self.diff_preview,
            "since_head": since_head,
        })
    }
}
