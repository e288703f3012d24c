//! Settings of a branch in the repository's configuration file, written like git: guard writes `config.lock` and
//! renames it. Because that lock is also the temporary file, this is the only file not written by [`crate::disk`].

use std::fs;
use std::io::{ErrorKind, Write};
use std::path::Path;

use gix::bstr::{BStr, BString, ByteSlice};
use gix::config::File;
use gix::config::file::{Metadata, init::Options};

use super::{Repository, failed, show_file};
use crate::error::{Error, Result};

const SECTION: &str = "branch";

impl Repository {
    /// The values of `branch.<branch>.<key>`.
    pub(crate) fn branch_values(&self, branch: &BStr, key: &str) -> Vec<BString> {
        let config = self.repo.config_snapshot();
        let values = config.plumbing().strings_by(SECTION, Some(branch), key);
        values.unwrap_or_default()
    }

    /// Sets the values of `branch.<branch>.<key>` in the repository's own file, or removes the key if there are none.
    /// The rest of the file, including comments, stays unchanged.
    ///
    /// # Errors
    /// Another process holds the lock, or the file cannot be read, written or preserved.
    pub(crate) fn set_branch_values(
        &self,
        branch: &BStr,
        key: &str,
        values: &[BString],
    ) -> Result<()> {
        let file = self.repo.common_dir().join("config");
        write(&file, branch, key, values)
    }
}

fn write(file: &Path, branch: &BStr, key: &str, values: &[BString]) -> Result<()> {
    let shown = show_file(file);
    let mut lock = gix::lock::File::acquire(
        file,
        gix::lock::acquire::Fail::Immediately,
        None,
        0,
        Some(&gix::lock::acquire::resolve_symlink),
    )
    .map_err(failed(format!("{shown} cannot be locked")))
    .map_err(|error| error.help(format!("if no git command is running, remove {shown}.lock")))?;
    let cannot = |error: std::io::Error| Error::new(format!("{shown} cannot be written: {error}"));
    let (old, mode) = match fs::read(file) {
        Ok(bytes) => (
            bytes,
            Some(fs::metadata(file).map_err(cannot)?.permissions()),
        ),
        Err(error) if error.kind() == ErrorKind::NotFound => (Vec::new(), None),
        Err(error) => return Err(Error::new(format!("{shown} cannot be read: {error}"))),
    };
    let new = edited(&old, branch, key, values).map_err(|why| {
        Error::new(format!("{shown} cannot be changed safely: {why}"))
            .help("change it with `git config`, then try again")
    })?;
    if new == old {
        return Ok(());
    }
    lock.with_mut(|out| {
        out.write_all(&new)?;
        if let Some(mode) = mode {
            out.set_permissions(mode)?;
        }
        out.sync_all()
    })
    .map_err(cannot)?;
    let committed = lock.commit().map_err(|error| cannot(error.error));
    committed.map(drop)
}

/// The file's content with the new values, parsed again to make sure that no byte of a path becomes another setting.
fn edited(
    old: &[u8],
    branch: &BStr,
    key: &str,
    values: &[BString],
) -> std::result::Result<Vec<u8>, String> {
    let parse = |bytes: &[u8]| {
        File::from_bytes_no_includes(bytes, Metadata::default(), Options::default())
            .map_err(|error| error.probable_cause().to_string())
    };
    let mut old = old.to_owned();
    if !old.is_empty() && !old.ends_with(b"\n") {
        old.push(b'\n');
    }
    let mut config = parse(&old)?;
    if config.to_bstring() != old {
        return Err("guard cannot write it back unchanged".to_owned());
    }
    let read = |config: &File| {
        let values = config.strings_by(SECTION, Some(branch), key);
        values.unwrap_or_default()
    };
    if read(&config) == values {
        return Ok(old);
    }
    clear(&mut config, branch, key);
    if !values.is_empty() {
        let mut section = config
            .section_mut_or_create_new(SECTION, Some(branch))
            .map_err(|error| error.probable_cause().to_string())?;
        for value in values {
            section
                .push(key, value)
                .map_err(|error| error.probable_cause().to_string())?;
        }
    }
    let new: Vec<u8> = config.to_bstring().into();
    if read(&parse(&new)?) != values {
        return Err("git would read back another value".to_owned());
    }
    Ok(new)
}

/// Removes all values of the key, and sections that become empty.
fn clear(config: &mut File, branch: &BStr, key: &str) {
    let sections: Vec<_> = config
        .sections_and_ids_by_name(SECTION)
        .into_iter()
        .flatten()
        .filter(|(section, _)| section.header().subsection_name() == Some(branch))
        .filter(|(section, _)| section.contains_value_name(key))
        .map(|(section, id)| {
            let other_values = section.body().num_values() > section.values(key).len();
            let comments = section.to_bstring().find_byteset(b"#;").is_some();
            (id, other_values || comments)
        })
        .collect();
    for (id, keep) in sections {
        if !keep {
            config.remove_section_by_id(id);
        } else if let Some(mut section) = config.section_mut_by_id(id) {
            while section.remove(key).is_some() {}
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    const KEY: &str = "guardDesign";

    fn set(old: &str, branch: &str, value: &str) -> String {
        let new = edited(old.as_bytes(), branch.into(), KEY, &[value.into()]).unwrap();
        String::from_utf8(new).unwrap()
    }

    fn cleared(old: &str, branch: &str) -> String {
        let new = edited(old.as_bytes(), branch.into(), KEY, &[]).unwrap();
        String::from_utf8(new).unwrap()
    }

    #[test]
    fn other_configuration_is_kept() {
        let old = "# mine\n[core]\n\tbare = false ; really\n[branch \"main\"]\n\tremote = origin\n\n[alias]\n  x = !echo \"a b\" # c";
        let new = set(old, "main", "docs/a.md");
        for line in old.lines() {
            assert!(new.contains(line), "{line}\n{new}");
        }
        assert_eq!(set(&new, "main", "docs/a.md"), new);
        assert_eq!(cleared(&new, "main"), format!("{old}\n"));
    }

    #[test]
    fn a_value_cannot_become_another_setting() {
        for value in [
            "a\\b.md",
            "a\"b.md",
            "a#b;c.md",
            " leading and trailing ",
            "a\tb",
            "a\n[core]\n\tfsmonitor = evil",
        ] {
            let new = edited(b"[core]\n", "main".into(), KEY, &[value.into()]).unwrap();
            let config =
                File::from_bytes_no_includes(&new, Metadata::default(), Options::default())
                    .unwrap();
            let found = config
                .string_by(SECTION, Some(BStr::new("main")), KEY)
                .unwrap();
            assert_eq!(found, value);
            assert_eq!(config.string("core.fsmonitor"), None, "{value:?}");
        }
    }

    #[test]
    fn clearing_removes_an_empty_section() {
        assert_eq!(cleared(&set("", "a.b\"c", "x.md"), "a.b\"c"), "");
        let with_comment = "[branch \"x\"]\n\t# why\n\tguardDesign = a.md\n";
        assert!(cleared(with_comment, "x").contains("# why"));
        assert_eq!(cleared("[core]\n", "x"), "[core]\n");
    }

    #[test]
    fn clearing_removes_every_value() {
        let twice = "[branch \"x\"]\n\tguardDesign = a.md\n\tguarddesign = b.md\n[branch \"x\"]\n\tguardDesign = c.md\n[branch \"y\"]\n\tguardDesign = d.md\n";
        assert_eq!(
            cleared(twice, "x"),
            "[branch \"y\"]\n\tguardDesign = d.md\n"
        );
    }

    #[test]
    fn several_values_are_kept_in_order() {
        let old = "[branch \"x\"]\n\tremote = origin\n";
        let new = edited(
            old.as_bytes(),
            "x".into(),
            KEY,
            &["b.md".into(), "a b.md".into()],
        );
        let new = String::from_utf8(new.unwrap()).unwrap();
        assert!(
            new.contains("guardDesign = b.md\n\tguardDesign = a b.md\n"),
            "{new}"
        );
        assert_eq!(set(&new, "x", "c.md").matches("guardDesign").count(), 1);
        assert_eq!(cleared(&new, "x"), old);
    }

    #[test]
    fn a_broken_file_is_left_alone() {
        assert!(edited(b"[core\n", "x".into(), KEY, &["a.md".into()]).is_err());
    }
}
