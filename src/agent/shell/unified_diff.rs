//! The files that a patch changes.

/// A file that a patch changes.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct File {
    pub(super) path: String,
    pub(super) is_deleted: bool,
}

/// The files of a unified diff, without as many leading directories.
pub(super) fn files(patch: &str, strip: usize) -> Vec<File> {
    let mut files: Vec<File> = Vec::new();
    let mut old = None;
    let mut add = |name: &str, is_deleted: bool| {
        if let Some(path) = stripped(name, strip) {
            let file = File { path, is_deleted };
            if !files.contains(&file) {
                files.push(file);
            }
        }
    };
    for line in patch.lines() {
        if let Some(name) = line.strip_prefix("--- ") {
            old = Some(name);
        } else if let Some(name) = line.strip_prefix("+++ ") {
            match (is_nothing(name), old.take()) {
                (false, _) => add(name, false),
                (true, Some(old)) => add(old, true),
                (true, None) => {}
            }
        } else if let Some(name) = line.strip_prefix("rename from ") {
            add(&format!("a/{name}"), true);
        } else if let Some(name) = line
            .strip_prefix("rename to ")
            .or_else(|| line.strip_prefix("copy to "))
        {
            add(&format!("b/{name}"), false);
        }
    }
    files
}

fn is_nothing(name: &str) -> bool {
    name.split('\t')
        .next()
        .is_some_and(|name| name.trim() == "/dev/null")
}

fn stripped(name: &str, strip: usize) -> Option<String> {
    let name = name.split('\t').next()?.trim();
    let mut rest = name;
    for _ in 0..strip {
        rest = rest.split_once('/').map_or(rest, |(_, rest)| rest);
    }
    (!rest.is_empty()).then(|| rest.to_owned())
}
