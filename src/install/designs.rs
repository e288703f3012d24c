//! Finds the designs of a repository without settings by their file names.

use std::collections::BTreeMap;

use regex_lite::Regex;

/// Where designs go if there are none yet.
pub(super) const DEFAULT_PATH: &str = "docs/lld/active/LLD-{issue}.md";

/// Directories that hold designs, by their own name.
const DESIGN_DIRECTORIES: &[&str] = &[
    "lld",
    "llds",
    "design",
    "designs",
    "design-docs",
    "plan",
    "plans",
    "spec",
    "specs",
    "rfcs",
];

/// Directories whose designs are only examples.
const EXAMPLES: &[&str] = &[
    "fixtures",
    "node_modules",
    "template",
    "templates",
    "test",
    "tests",
    "third_party",
    "vendor",
];

/// Directories of finished designs.
const FINISHED: &[&str] = &["archive", "archived", "closed", "done", "old"];

/// The name of a design without its extension. Dates and numbers with leading zeros are not issues, because no branch
/// has such a name.
const DESIGN_NAME: &str = r"^(?P<prefix>(?i:lld|design|plan|spec|issue|rfc)[-_])?(?P<issue>(?P<key>[A-Z][A-Z0-9]+-)?[1-9][0-9]*)(?P<rest>[-_].*)?$";
const DATE: &str = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}";

/// The existing designs.
#[derive(Debug, Default)]
pub(super) struct Designs {
    /// For `[lld] path`.
    pub(super) patterns: Vec<String>,
    pub(super) count: usize,
    /// Whether issues are keys such as `ABC-12`.
    pub(super) keys: bool,
    /// Directories with designs that the patterns leave out.
    others: Vec<String>,
}

impl Designs {
    /// The place with the best name, then with the most designs.
    pub(super) fn find(files: &[String]) -> Designs {
        let (Ok(name), Ok(date)) = (Regex::new(DESIGN_NAME), Regex::new(DATE)) else {
            return Designs::default();
        };
        // Directory, prefix and kind of issue; for each the patterns and their number.
        let mut places: BTreeMap<(&str, String, bool), BTreeMap<String, usize>> = BTreeMap::new();
        for file in files.iter().filter(|file| is_plain(file)) {
            let Some((directory, stem)) = design_stem(file) else {
                continue;
            };
            let Some(parts) = name.captures(stem).filter(|_| !date.is_match(stem)) else {
                continue;
            };
            let part = |name: &str| parts.name(name).map_or("", |part| part.as_str());
            let prefix = part("prefix");
            let is_lld = prefix
                .get(..3)
                .is_some_and(|word| word.eq_ignore_ascii_case("lld"));
            let named = |names: &[&str]| directory.split('/').any(|part| names.contains(&part));
            if named(EXAMPLES) || !(is_lld || named(DESIGN_DIRECTORIES)) {
                continue;
            }
            let rest = part("rest")
                .get(..1)
                .map_or(String::new(), |first| format!("{first}*"));
            let pattern = format!("{directory}/{prefix}{{issue}}{rest}.md");
            let place = (directory, prefix.to_owned(), !part("key").is_empty());
            *places.entry(place).or_default().entry(pattern).or_default() += 1;
        }
        let last = |directory: &str| directory.rsplit('/').next().unwrap_or_default().to_owned();
        let best = places
            .iter()
            .max_by_key(|((directory, prefix, _), patterns)| {
                (
                    !FINISHED.contains(&last(directory).as_str()),
                    last(directory) == "active",
                    prefix.to_ascii_lowercase().starts_with("lld"),
                    patterns.values().sum::<usize>(),
                )
            });
        let Some(((directory, _, keys), patterns)) = best else {
            return Designs::default();
        };
        let mut others: Vec<String> = places
            .keys()
            .map(|(other, ..)| (*other).to_owned())
            .filter(|other| other != directory)
            .collect();
        others.dedup();
        Designs {
            patterns: patterns.keys().cloned().collect(),
            count: patterns.values().sum(),
            keys: *keys,
            others,
        }
    }

    pub(super) fn told(&self) -> Vec<String> {
        let Some(first) = self.patterns.first() else {
            return Vec::new();
        };
        let designs = match self.count {
            1 => "1 design is".to_owned(),
            count => format!("{count} designs are"),
        };
        let mut told = vec![format!("{designs} named like {first}")];
        if !self.others.is_empty() {
            told.push(format!(
                "left out the designs in {}",
                self.others.join(", ")
            ));
        }
        told
    }
}

/// Whether all characters are ordinary in TOML strings, comments and globs.
pub(super) fn is_plain(name: &str) -> bool {
    name.chars()
        .all(|c| c.is_ascii_alphanumeric() || "._-/ +@".contains(c))
}

/// The directory and the name without extension of a Markdown file that is not at the root.
fn design_stem(file: &str) -> Option<(&str, &str)> {
    let (directory, name) = file.rsplit_once('/')?;
    Some((directory, name.strip_suffix(".md")?))
}
