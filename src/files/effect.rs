//! What an operation does to a file: as planned, and once it is done.

use gix::ObjectId;
use gix::bstr::{BStr, BString, ByteSlice};
use serde_json::{Value, json};

use super::{Extension, Gate, Operation};
use crate::judge::Loss;
use write_guard_policy::change::Change;
use write_guard_policy::finding::Finding;
use write_guard_policy::measure::{self, Class, Measured};
use write_guard_policy::path::escaped;
use write_guard_repo::Before;
use write_guard_repo::boundary::OpenedFile;

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
    pub(crate) new: Option<Vec<u8>>,
    /// The blob id of the content before, as `--expect` takes it.
    pub(crate) old_digest: Option<String>,
    /// That of the content afterwards.
    pub digest: Option<String>,
    /// Class and counts, on disk and since HEAD. guard judges the greater loss, because small edits add up.
    pub(super) loss: Loss,
    /// The step that a person would approve, from the shown old content to the new one.
    pub(crate) consent: Change,
    /// The step of the next commit, if it loses nothing else.
    pub(crate) consent_to_commit: Option<Change>,
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

    /// Whether the file existed.
    pub fn existed(&self) -> bool {
        self.old.is_some()
    }

    /// Whether the file is removed.
    pub fn is_gone(&self) -> bool {
        self.new.is_none()
    }

    /// The size afterwards, in bytes.
    pub fn size(&self) -> usize {
        self.new.as_ref().map_or(0, Vec::len)
    }

    /// Class and counts of the effect on the file as it is on disk.
    pub fn measured(&self) -> &Measured {
        &self.loss.edit
    }

    pub(crate) fn old_content(&self) -> Option<&[u8]> {
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
        let what = match self.operation {
            Operation::Patch(_) => "file patch",
            Operation::Restore(_) => "restore",
            _ => "file mod",
        };
        format!(
            "Backup before {what}: {}",
            escaped(name.unwrap_or_default())
        )
    }

    /// What happened, in a line.
    pub fn in_words(&self) -> String {
        let path = escaped(&self.path);
        let to = self.moved_to.as_ref().map(escaped);
        let what = match (&self.operation, to) {
            (Operation::Restore(_), _) if self.is_gone() => format!("removed {path}"),
            (Operation::Restore(_), _) => format!("restored {path} ({} bytes)", self.size()),
            (_, Some(to)) => format!("moved {path} to {to}"),
            _ if self.is_gone() => format!("deleted {path}"),
            _ if !self.changes() => format!("unchanged {path} ({} bytes)", self.size()),
            _ => format!("wrote {path} ({} bytes)", self.size()),
        };
        match self.backup {
            Some(backup) => format!("{what}; snapshot {backup}"),
            None => what,
        }
    }

    /// The unified preview of the effect on the file as it is on disk, at most 50 lines.
    pub fn preview(&self) -> String {
        preview(&self.path, self.old_content(), self.new.as_deref())
    }

    /// The preview of what a person decides about, and what is lost. HEAD's version may lose more than the one on disk.
    pub(crate) fn shown(&self) -> (String, String) {
        let committed = self.loss.committed.as_deref();
        let committed = self.finding.as_ref().and(committed);
        let old = committed.or(self.old_content());
        let new = self.new.as_deref();
        let lost = lost(&self.loss.judged, old, new);
        (preview(&self.path, old, new), lost.unwrap_or_default())
    }

    /// The analysis for programs (requirement 000, section 2.3).
    pub fn analysis(&self) -> Value {
        let measured = self.measured();
        let since_head = self.loss.since_head.as_ref().map(|since| {
            json!({
                "original_lines": since.original_lines,
                "change_classification": since.class.name(),
                "change_percentage": since.lost.share() * 100.0,
            })
        });
        json!({
            "target_path": self.path.to_str_lossy(),
            "exists": self.existed(),
            "original_lines": measured.original_lines,
            "new_lines": measured.new_lines,
            "change_classification": measured.class.name(),
            "change_percentage": measured.lost.share() * 100.0,
            "requires_approval": self.finding.is_some(),
            // Only a person's consent permits it, never `--auto`.
            "auto_mode_blocked": self.finding.is_some(),
            "deleted_content": lost(measured, self.old_content(), self.new.as_deref()),
            "diff_preview": self.preview(),
            "since_head": since_head,
        })
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
        } else if let Operation::Patch(edits) = &self.operation {
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
        answer["analysis"] = self.analysis();
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
            "analysis": self.analysis(),
        })
    }
}

fn preview(path: &BString, old: Option<&[u8]>, new: Option<&[u8]>) -> String {
    let old = old.unwrap_or_default();
    let new = new.unwrap_or_default();
    let name = escaped(path).to_string();
    measure::unified_preview(old, new, &name, &name, PREVIEW_LINES)
}

/// The lost content, if a file is replaced, converted or deleted.
fn lost(measured: &Measured, old: Option<&[u8]>, new: Option<&[u8]>) -> Option<String> {
    let old = old.unwrap_or_default();
    let new = new.unwrap_or_default();
    let is_lost = matches!(measured.class, Class::Replace | Class::Delete);
    (is_lost || measured.conversion.is_some())
        .then(|| measure::deleted_content(old, new, PREVIEW_LINES))
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
