//! The files that say which hooks run, what git ignores and how guard judges.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use gix::bstr::{BString, ByteSlice};
use serde_json::Value;

use super::{Checkpoint, CheckpointStore, differing};
use crate::disk::absolute;
use crate::work_tree::excludes_file;
use write_guard_policy::error::Result;

/// Sections of git's configuration that everyday commands write, and that say nothing about what is judged.
const EVERYDAY: &[&str] = &["branch", "remote", "submodule", "user", "pull", "push"];
/// The keys of such sections that do: the choice of a design, and programs that git runs.
const SWITCHING: &[(&str, &str)] = &[
    ("branch", "guarddesign"),
    ("branch", "guardmadefrom"),
    ("remote", "receivepack"),
    ("remote", "uploadpack"),
    ("remote", "vcs"),
    ("submodule", "update"),
];

/// The names of files with git's configuration.
const CONFIGS: &[&str] = &["config", "config.worktree", ".gitconfig"];

impl CheckpointStore<'_> {
    pub(super) fn switches(&self) -> Result<Vec<PathBuf>> {
        let common = &self.common_dir;
        let info = common.join("info");
        let mut files = vec![info.join("exclude"), info.join("attributes")];
        files.extend(excludes_file(self.repo)?);
        // All files with settings, also those that others include.
        let config = self.repo.repo.config_snapshot();
        let sections = config.plumbing().sections();
        files.extend(sections.filter_map(|one| Some(absolute(one.meta().path.as_ref()?))));
        let hooks = self.repo.hooks_directory()?;
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
        for (name, old, new) in differing(&before.switches, &after.switches) {
            let path = PathBuf::from(name);
            let old = self.content_of(old)?;
            let new = self.content_of(new)?;
            let file = path.file_name().unwrap_or_default();
            if CONFIGS.iter().any(|known| file == *known) {
                let keys = changed_settings(&old, &new).into_iter();
                changed.extend(keys.map(|key| (path.clone(), key)));
            } else if !name.ends_with(".json") || hooks(&old) != hooks(&new) {
                changed.push((path, String::new()));
            }
        }
        Ok(changed)
    }
}

/// The keys of git's configuration whose values differ, without those of everyday commands.
fn changed_settings(old: &[u8], new: &[u8]) -> Vec<String> {
    let (Some(old), Some(new)) = (settings(old), settings(new)) else {
        return vec!["what git cannot read".to_owned()];
    };
    let changed = differing(&old, &new).filter(|(key, was, is)| {
        let mut values = was.iter().chain(is).flat_map(|values| values.iter());
        // A strategy of updates is none of these, a command is.
        let is_strategy = key.starts_with("submodule.") && !values.any(|one| one.starts_with(b"!"));
        !is_everyday(key) && !is_strategy
    });
    changed.map(|(key, ..)| key.clone()).collect()
}

/// What an agent's settings say about hooks; agents also write there what the user allows them.
fn hooks(text: &[u8]) -> Option<Vec<(String, Value)>> {
    let mut found = Vec::new();
    if !text.is_empty() {
        let text = std::str::from_utf8(text).ok()?;
        let all = jsonc_parser::cst::CstRootNode::parse(text, &Default::default()).ok()?;
        collect_hooks(all.to_serde_value()?, &mut found);
        found.sort_by(|a, b| a.0.cmp(&b.0));
    }
    Some(found)
}

fn collect_hooks(json: Value, found: &mut Vec<(String, Value)>) {
    let Value::Object(object) = json else {
        return;
    };
    for (name, value) in object {
        if name.to_lowercase().contains("hook") {
            found.push((name, value))
        } else {
            collect_hooks(value, found)
        }
    }
}

fn is_everyday(key: &str) -> bool {
    let section = key.split('.').next().unwrap_or_default();
    let name = key.rsplit('.').next().unwrap_or_default();
    EVERYDAY.contains(&section) && !SWITCHING.contains(&(section, name))
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

#[cfg(test)]
mod tests {
    use super::changed_settings;

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
            ("[submodule \"x\"]\n\tupdate = !y\n", "submodule.x.update"),
            ("[remote \"x\"]\n\tuploadpack = y\n", "remote.x.uploadpack"),
            ("[include]\n\tpath = x\n", "include.path"),
            ("[filter \"x.y\"]\n\tclean = rm\n", "filter.x.y.clean"),
        ] {
            let new = [&old[..], line.as_bytes()].concat();
            assert_eq!(changed_settings(old, &new), [key]);
        }
        assert_eq!(changed_settings(old, b"[core").len(), 1);
    }
}
