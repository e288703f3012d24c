//! The answers of the file operations as JSON, with the fields of requirement 001 section 3 and requirement 000
//! section 2.3.

use gix::bstr::{BStr, BString, ByteSlice};
use serde_json::{Map, Value, json};

use super::{Analysis, CompletedOperation, Failure, Forecast, Gate};
use crate::boundary::OpenedFile;

/// The answer to a read. `content` is the requested part of the file.
pub fn read_json(gate: &Gate<'_>, path: &BStr, content: &[u8], entry: &OpenedFile) -> Value {
    json!({
        "version": 1,
        "path": gate.absolute(path).to_string_lossy(),
        "content": content.to_str_lossy(),
        "size": entry.content.len(),
        "digest": gate.digest(Some(&entry.content)),
        "exists": true,
    })
}

impl CompletedOperation {
    /// The answer to an operation.
    pub fn to_json(&self, gate: &Gate<'_>) -> Value {
        let absolute = |path: &BString| Value::from(gate.absolute(path.as_ref()).to_string_lossy());
        let mut object = Map::new();
        object.insert("version".into(), 1.into());
        let path = self.moved_to.as_ref().unwrap_or(&self.analysis.path);
        object.insert("path".into(), absolute(path));
        if self.moved_to.is_some() {
            object.insert("moved_from".into(), absolute(&self.analysis.path));
            object.insert("size".into(), self.size.into());
        } else if self.is_gone {
            object.insert("deleted".into(), true.into());
        } else if self.verb == "patch" {
            object.insert("matched".into(), true.into());
            object.insert("replaced".into(), self.replaced.into());
        } else {
            object.insert("size".into(), self.size.into());
            object.insert("created".into(), (!self.analysis.exists).into());
            if let Some(extension) = &self.extension {
                object.insert("added".into(), extension.added.clone().into());
                object.insert("kept".into(), extension.kept.clone().into());
                object.insert("left_out".into(), extension.left_out.clone().into());
            }
        }
        object.insert("changed".into(), self.changed.into());
        object.insert("digest".into(), self.digest.clone().into());
        let backup = self.backup.map(|backup| backup.to_string());
        object.insert("backup".into(), backup.into());
        object.insert("analysis".into(), self.analysis.to_json());
        object.into()
    }
}

impl Forecast {
    /// The answer to a `--dry-run`.
    pub fn to_json(&self, gate: &Gate<'_>) -> Value {
        json!({
            "version": 1,
            "path": gate.absolute(self.analysis.path.as_ref()).to_string_lossy(),
            "digest": self.digest,
            "changed": self.changes,
            "rule": self.finding.as_ref().map(|finding| finding.rule.id()),
            "analysis": self.analysis.to_json(),
        })
    }
}

impl Analysis {
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

impl Failure {
    /// The answer to an operation that failed.
    pub fn to_json(&self) -> Value {
        json!({
            "version": 1,
            "error": {
                "kind": self.kind.name(),
                "message": self.message,
                "help": self.help,
                "rule": self.finding.as_ref().map(|finding| finding.rule.id()),
                "details": self.details,
                "analysis": self.analysis.as_deref().map(Analysis::to_json),
            },
        })
    }
}
