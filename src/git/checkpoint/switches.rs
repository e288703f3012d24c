//! The files that say which hooks run, what git ignores and how guard judges; and the ignore rules of a work tree in one
//! list, so that they outlive the files that state them.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use gix::bstr::{BStr, BString, ByteSlice};
use serde_json::Value;

use super::{Checkpoint, CheckpointStore, SavedFile, differing};
use crate::disk::absolute;
use crate::error::Result;
use crate::git::Repository;
use crate::git::work_tree::excludes_file;

/// Sections of git's configuration that everyday commands write, and that say nothing about what is judged.
const EVERYDAY: &[&str] = &["branch", "remote", "submodule", "user", "pull", "push"];
/// The key of such a section that does: the choice of a design.
const CHOICE: &str = "guarddesign";

impl CheckpointStore {
    pub(super) fn switches(&self, repo: &Repository) -> Result<Vec<PathBuf>> {
        let common = &self.common_dir;
        let mut files: Vec<PathBuf> = vec![
            common.join("config"),
            common.join("info").join("exclude"),
            common.join("info").join("attributes"),
            self.git_dir.join("config.worktree"),
        ];
        files.extend(excludes_file(repo)?);
        let home = std::env::home_dir();
        files.extend(home.as_ref().map(|home| home.join(".gitconfig")));
        let config = std::env::var_os("XDG_CONFIG_HOME").map(PathBuf::from);
        let config = config.or_else(|| Some(home?.join(".config")));
        files.extend(config.map(|config| config.join("git").join("config")));
        let hooks = repo.hooks_directory()?;
        let mut directories = vec![common.join("hooks"), absolute(&hooks)];
        directories.dedup();
        for directory in directories {
            // Hooks in the work tree are files of it.
            if directory.starts_with(&self.root) && !directory.starts_with(common) {
                continue;
            }
            let entries = fs::read_dir(directory).into_iter().flatten().flatten();
            let entries = entries.map(|entry| entry.path());
            // git runs none of the samples that it brings.
            files.extend(entries.filter(|path| path.extension().is_none_or(|end| end != "sample")));
        }
        Ok(files)
    }

    /// The switches that differ, each with what changed; those in the work tree's own files are left out.
    ///
    /// # Errors
    /// A copy cannot be read.
    pub fn changed_switches(
        &self,
        before: &Checkpoint,
        after: &Checkpoint,
    ) -> Result<Vec<(PathBuf, String)>> {
        let mut changed = Vec::new();
        for (name, old, new) in differing_switches(before, after) {
            let path = PathBuf::from(name);
            let text = |saved: Option<&SavedFile>| match saved {
                Some(saved) => self.read_copy(&saved.copy),
                None => Ok(Vec::new()),
            };
            let is_config = ["config", "config.worktree", ".gitconfig"]
                .iter()
                .any(|known| path.file_name().is_some_and(|name| name == *known));
            if !is_config {
                let is_json = path
                    .extension()
                    .is_some_and(|extension| extension == "json");
                if !is_json || hooks(&text(old)?) != hooks(&text(new)?) {
                    changed.push((path, String::new()));
                }
                continue;
            }
            for key in changed_settings(&text(old)?, &text(new)?) {
                changed.push((path.clone(), key));
            }
        }
        Ok(changed)
    }
}

/// The switches that differ, each with both copies.
pub(super) fn differing_switches<'a>(
    before: &'a Checkpoint,
    after: &'a Checkpoint,
) -> impl Iterator<Item = (&'a String, Option<&'a SavedFile>, Option<&'a SavedFile>)> {
    let file = |saved: Option<&'a Option<SavedFile>>| saved.and_then(Option::as_ref);
    differing(&before.switches, &after.switches)
        .map(move |(name, old, new)| (name, file(old), file(new)))
        .filter(|(_, old, new)| old != new)
}

/// The keys of git's configuration whose values differ, without those of everyday commands.
fn changed_settings(old: &[u8], new: &[u8]) -> Vec<String> {
    let (old, new) = (settings(old), settings(new));
    let (Some(old), Some(new)) = (old, new) else {
        return vec!["what git cannot read".to_owned()];
    };
    let keys = differing(&old, &new).map(|(key, ..)| key);
    keys.filter(|key| !is_everyday(key)).cloned().collect()
}

/// What an agent's settings say about hooks; agents also write there what the user allows them.
fn hooks(text: &[u8]) -> Option<Vec<(String, Value)>> {
    if text.is_empty() {
        return Some(Vec::new());
    }
    let text = std::str::from_utf8(text).ok()?;
    let all = jsonc_parser::cst::CstRootNode::parse(text, &Default::default()).ok()?;
    let all = all.to_serde_value()?;
    let mut found = Vec::new();
    let mut open = vec![(String::new(), all)];
    while let Some((name, value)) = open.pop() {
        match value {
            value if name.to_lowercase().contains("hook") => found.push((name, value)),
            Value::Object(object) => {
                open.extend(
                    object
                        .into_iter()
                        .map(|(key, value)| (format!("{name}/{key}"), value)),
                );
            }
            _ => {}
        }
    }
    found.sort_by(|a, b| a.0.cmp(&b.0));
    Some(found)
}

fn is_everyday(key: &str) -> bool {
    let section = key.split('.').next().unwrap_or_default();
    let name = key.rsplit('.').next().unwrap_or_default();
    EVERYDAY.contains(&section) && name != CHOICE
}

fn settings(text: &[u8]) -> Option<BTreeMap<String, Vec<BString>>> {
    let source = gix::config::file::Metadata::api();
    let file = gix::config::File::from_bytes_no_includes(text, source, Default::default()).ok()?;
    let mut settings: BTreeMap<String, Vec<BString>> = BTreeMap::new();
    for section in file.sections() {
        let header = section.header();
        let name = header.name().to_str_lossy().to_lowercase();
        let below = header.subsection_name().map(|below| format!(".{below}"));
        let below = below.unwrap_or_default();
        for key in section.value_names() {
            let key: &str = key.as_ref();
            let full = format!("{name}{below}.{}", key.to_lowercase());
            let values = section.values(key).into_iter();
            settings.entry(full).or_default().extend(values);
        }
    }
    Some(settings)
}

/// The name of the files with the rules of a directory.
pub(super) const RULES: &[u8] = b".gitignore";

impl CheckpointStore {
    /// The rules outside the work tree: of the user and of the repository, in rising precedence.
    pub(super) fn outer_rules(&self, repo: &Repository) -> Result<Vec<u8>> {
        let files = [
            excludes_file(repo)?,
            Some(self.common_dir.join("info").join("exclude")),
        ];
        let mut rules = Vec::new();
        for file in files.into_iter().flatten() {
            rules.extend(fs::read(file).unwrap_or_default());
            rules.push(b'\n');
        }
        Ok(rules)
    }

    /// The outer rules, then those of each directory, the deepest last.
    pub(super) fn all_rules(&self, outer: Vec<u8>, files: Vec<BString>) -> Vec<u8> {
        let mut files = files;
        files.sort_by_key(|path| (path.find_iter("/").count(), path.clone()));
        files.dedup();
        let mut rules = outer;
        for file in files {
            let Ok(place) = gix::path::from_bstr(BStr::new(&file)) else {
                continue;
            };
            let place = self.root.join(place);
            // git follows no link here.
            if place.is_symlink() {
                continue;
            }
            let text = fs::read(place).unwrap_or_default();
            let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&text);
            let directory = file
                .rsplit_once_str("/")
                .map_or(&b""[..], |(before, _)| before);
            for line in text.lines() {
                rules.extend(from_root(directory, line));
                rules.push(b'\n');
            }
        }
        rules
    }
}

/// A pattern of a directory, as it reads at the root.
fn from_root(directory: &[u8], line: &[u8]) -> Vec<u8> {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    if directory.is_empty() || line.is_empty() || line.starts_with(b"#") {
        return line.to_owned();
    }
    let (sign, pattern) = match line.strip_prefix(b"!") {
        Some(pattern) => (&b"!/"[..], pattern),
        None => (&b"/"[..], line),
    };
    let mut text = sign.to_owned();
    for &byte in directory {
        if b"*?[\\".contains(&byte) {
            text.push(b'\\');
        }
        text.push(byte);
    }
    let end = pattern.trim_end();
    let is_anchored = end[..end.len().saturating_sub(1)].contains(&b'/');
    text.extend(if is_anchored { &b"/"[..] } else { b"/**/" });
    text.extend(pattern.strip_prefix(b"/").unwrap_or(pattern));
    text
}

#[cfg(test)]
mod tests {
    use super::{changed_settings, from_root};

    #[test]
    fn settings_of_everyday_commands_do_not_count() {
        let old = b"[core]\n\tbare = false\n[branch \"a\"]\n\tremote = origin\n";
        let everyday = b"[core]\n\tbare = false\n[branch \"b\"]\n\tremote = origin\n[remote \"x\"]\n\turl = y\n";
        assert!(changed_settings(old, everyday).is_empty());
        for (line, key) in [
            ("[core]\n\thooksPath = /dev/null\n", "core.hookspath"),
            (
                "[branch \"a\"]\n\tguardDesign = x.md\n",
                "branch.a.guarddesign",
            ),
            ("[include]\n\tpath = x\n", "include.path"),
            ("[filter \"x.y\"]\n\tclean = rm\n", "filter.x.y.clean"),
        ] {
            let new = [&old[..], line.as_bytes()].concat();
            assert_eq!(changed_settings(old, &new), [key]);
        }
        assert_eq!(changed_settings(old, b"[core").len(), 1);
    }

    #[test]
    fn pattern_of_a_directory_reads_the_same_at_the_root() {
        for (directory, line, expected) in [
            ("", "*.o", "*.o"),
            ("a/b", "*.o", "/a/b/**/*.o"),
            ("a", "!keep", "!/a/**/keep"),
            ("a", "/top", "/a/top"),
            ("a", "dir/", "/a/**/dir/"),
            ("a", "x/y", "/a/x/y"),
            ("[a]*", "x\r", "/\\[a]\\*/**/x"),
            ("a", "# a comment", "# a comment"),
            ("a", "", ""),
        ] {
            let found = from_root(directory.as_bytes(), line.as_bytes());
            assert_eq!(String::from_utf8_lossy(&found), expected);
        }
    }
}
