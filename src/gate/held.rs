//! Changes that wait for a person: kept with mode 0600 in the git common directory, removed on decision or expiry.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use gix::bstr::{BString, ByteSlice};
use serde_json::{Value, json};

use super::{Failure, FailureKind};

/// The store of held changes and of decisions about them.
#[derive(Debug, Clone)]
pub struct Held {
    directory: PathBuf,
}

/// One change that waits, or its approval: exactly this path, this old and this new content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeldChange {
    /// The path in the workspace.
    pub path: BString,
    /// `write`, `patch` or `delete`.
    pub operation: String,
    /// The blob id of what is there; `None` for nothing.
    pub old: Option<String>,
    /// The blob id of what is to be there; `None` for nothing.
    pub new: Option<String>,
    /// The class, such as `REPLACE`.
    pub class: String,
    /// Permission bits to keep.
    pub mode: Option<u32>,
    /// The new content.
    pub content: Option<Vec<u8>>,
}

impl HeldChange {
    /// Names the change: equal for the same path, old and new content.
    pub fn id(&self) -> String {
        let mut hasher = gix::hash::hasher(gix::hash::Kind::Sha256);
        for part in [
            self.path.as_bytes(),
            self.old.as_deref().unwrap_or("-").as_bytes(),
            self.new.as_deref().unwrap_or("-").as_bytes(),
        ] {
            hasher.update(&part.len().to_be_bytes());
            hasher.update(part);
        }
        // SHA-256 has no collision detection that could fail.
        hasher
            .try_finalize()
            .map_or_else(|_| String::new(), |id| id.to_hex_with_len(12).to_string())
    }

    fn to_json(&self) -> Value {
        json!({
            "path": self.path.to_str_lossy(),
            "operation": self.operation,
            "old": self.old,
            "new": self.new,
            "class": self.class,
            "mode": self.mode,
        })
    }
}

impl Held {
    /// The store below a git common directory. Nothing is created before the first change.
    pub fn new(common_dir: &Path) -> Held {
        Held {
            directory: common_dir.join("guard").join("held"),
        }
    }

    /// Keeps a change and returns its id; the same change keeps its id.
    ///
    /// # Errors
    /// The store cannot be written: then nothing is held, and the change is refused all the same.
    pub fn hold(&self, change: &HeldChange) -> Result<String, Failure> {
        let id = change.id();
        let write = || -> std::io::Result<()> {
            fs::create_dir_all(&self.directory)?;
            if let Some(content) = &change.content {
                write_private(&self.directory.join(format!("{id}.content")), content)?;
            }
            write_private(
                &self.directory.join(format!("{id}.json")),
                change.to_json().to_string().as_bytes(),
            )
        };
        write().map_err(|error| {
            Failure::new(
                FailureKind::Held,
                format!("the change needs a person, and it cannot be held: {error}"),
            )
            .help("nothing was written; make room below the git directory")
        })?;
        Ok(id)
    }

    /// Whether a person has consented to exactly this change.
    pub fn is_approved(&self, _change: &HeldChange) -> bool {
        false
    }
}

/// Writes a file that only its owner can read, in one step.
fn write_private(path: &Path, content: &[u8]) -> std::io::Result<()> {
    let temporary = path.with_extension(format!("tmp{}", std::process::id()));
    let mut options = fs::OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    let mut file = options.open(&temporary)?;
    file.write_all(content)?;
    file.sync_all()?;
    fs::rename(&temporary, path)
}
