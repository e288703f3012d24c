//! Every key of `guard.toml`: one row per key. From these rows come [`Settings`] with its defaults, reading the file,
//! `guard settings`, the JSON schema and the reference in docs/settings.md. A new key is a
//! new row. The kinds of values: how to read and write them.

use std::collections::BTreeMap;

use serde::de::IntoDeserializer;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use toml::Spanned;
use toml::de::DeValue;

use crate::finding::{Level, Rule};
use crate::measure::Thresholds;
use crate::scope::patterns::Patterns;

/// The largest file that requests read or write, in bytes.
pub const MAX_SIZE: u64 = 20_000_000;

/// How long an unused approval stays valid, in seconds.
pub const EXPIRY: u64 = 14 * DAY;

/// The path of the file.
pub const FILE: &str = "guard.toml";

/// The table whose keys are rule names.
pub const RULES: &str = "rules";

/// The levels that this table accepts; `None` is off.
pub const LEVELS: [(&str, Option<Level>); 4] = [
    ("off", None),
    ("note", Some(Level::Note)),
    ("warning", Some(Level::Warning)),
    ("error", Some(Level::Error)),
];

/// What happens on a branch without a design.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Missing {
    /// guard exits with 2.
    Block,
    /// The scope rules are skipped.
    Skip,
}

/// Which listed tests stay as they are once they exist, unless their row says Modify.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ProtectTests {
    /// Committed ones, for requests.
    Requests,
    /// All that exist, for requests; committed ones, for commits.
    Always,
    /// None.
    Off,
}

/// Which version of a design counts in a range.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Authority {
    /// The version at the head of the range; added rows are listed.
    Head,
    /// The version at the merge base; added rows grant nothing.
    Base,
}

/// A number that stands alone: `123-x`, `x/123`, `x-123-y`, `#123`. Digits of a word (`python3`), of a version (`4.17.21`),
/// of a date and its time (`2026-11-22`, `20261122-0637`) and behind a word for a pull request or a counter (`patch-1`,
/// `backport-57`) are not an issue, and no digits of a bot's branch are (`renovate/node-22`): all these match without the
/// group.
const ISSUE_PATTERN: &str = concat!(
    // The branch of a bot.
    r"^(?:dependabot|renovate)/.*",
    r"|(?:^|[/_#-])(?:",
    // A date, with or without marks, and perhaps its time.
    r"20[0-9]{2}-[01][0-9](?:-[0-3][0-9](?:[T_-][0-2][0-9][:.-][0-5][0-9](?:[:.-][0-5][0-9])?)?)?\b",
    r"|20[0-9]{2}[01][0-9][0-3][0-9](?:[T_-]?[0-2][0-9][0-5][0-9](?:[0-5][0-9])?)?\b",
    // A pull request or a counter.
    r"|(?:patch[_-]|(?:pr|pull|pull-request|revert|backport|cherry-pick)[/_-])#?[0-9]+",
    // The issue.
    r"|([0-9]+)(?:[/_-]|$))",
);

/// One key of `guard.toml`.
#[derive(Debug)]
pub struct Key {
    /// The table, such as `lld`.
    pub section: &'static str,
    /// The key within it.
    pub name: &'static str,
    /// What its value must be.
    pub kind: ValueKind,
    /// What it does, in a sentence.
    pub doc: &'static str,
    /// What docs/settings.md adds, in Markdown.
    pub more: &'static str,
    /// The default in words, where it is a long list.
    default_words: Option<&'static str>,
    get: fn(&Settings) -> serde_json::Result<Value>,
    pub(super) set: fn(&mut Settings, Value) -> serde_json::Result<()>,
}

/// An expression that need not be there.
macro_rules! optional {
    () => {
        None
    };
    ($value:expr) => {
        Some($value)
    };
}

/// `"key" Kind => field: Type = default; "what it does" "what docs/settings.md adds, if anything";`, by table. A key whose
/// field belongs to another structure names the field without type and default.
macro_rules! settings {
    ($($section:literal $title:literal {
        $($name:literal $kind:expr => $field:ident $(.$part:ident)?
            $(: $type:ty = $default:expr)? $(, $words:literal)?; $doc:literal $($more:literal)?;)*
    })*) => {
        /// Everything that `guard.toml` can say; [`Settings::default`] is what an empty file means.
        #[derive(Debug, Clone, PartialEq)]
        pub struct Settings {
            $($($(#[doc = $doc] pub $field: $type,)?)*)*
            /// When a change is a replacement.
            pub thresholds: Thresholds,
            /// Levels that differ from the rules' own; `None` is off.
            pub levels: BTreeMap<Rule, Option<Level>>,
        }

        impl Default for Settings {
            fn default() -> Self {
                Settings {
                    $($($($field: $default,)?)*)*
                    thresholds: Thresholds::default(),
                    levels: BTreeMap::from([(Rule::RowUntouched, None)]),
                }
            }
        }

        /// The tables in the order of the documentation, each with what it is about.
        pub const SECTIONS: &[(&str, &str)] = &[$(($section, $title)),*];

        /// Every key but those of `[rules]`, which are the names of the rules; in the order of the documentation.
        pub const KEYS: &[Key] = &[$($(Key {
            section: $section,
            name: $name,
            kind: $kind,
            doc: $doc,
            more: concat!($($more)?),
            default_words: optional!($($words)?),
            get: |settings| serde_json::to_value(&settings.$field $(.$part)?),
            set: |settings, value| {
                settings.$field $(.$part)? = serde_json::from_value(value)?;
                Ok(())
            },
        },)*)*];
    };
}

settings! {
    "lld" "selecting the design" {
        "path" ValueKind::Texts => lld_path: Vec<String> = Vec::new();
            "The paths of the designs: `{issue}`, `{branch}` and `{slug}` stand for names, `*`, \
             `**` and `{a,b}` match as in a shell."
            "See [Which design is in force](designs.md#which-design-is-in-force).";
        "standing" ValueKind::Texts => standing: Vec<String> = Vec::new();
            "Designs that always apply, such as those for releases, dependency bumps and \
             formatting.";
        "done" ValueKind::Texts => done: Vec<String> = Vec::new();
            "Files that say that a plan is done: if one existed before this work began, the plan \
             grants nothing."
            "See [Plans that are done](#plans-that-are-done).";
        "base" ValueKind::Text => base: Option<String> = None;
            "The branch that work starts from, such as `main`."
            "The work began at the merge base of this branch and HEAD. Without this key, guard \
             uses the default branch of the upstream, then `origin/HEAD`.";
        "issue-pattern" ValueKind::Regex => issue_pattern: String = ISSUE_PATTERN.to_owned();
            "A regular expression that finds the issue in the branch name: its first group if it \
             has one, else the whole match."
            "The default finds a number that stands alone: `123-…`, `…/123-…`, `…-123`, `#123`, \
             `gh-123`, `PROJ-123`. Digits in a word (`python3`), a version or a date do not \
             count, nor do those behind `patch-`, `pr-`, `pull-`, `revert-`, `backport-` or \
             `cherry-pick-`, or in branches of bots (`dependabot/…`, `renovate/…`). Two different \
             issues in one name are an error.";
        "headings" ValueKind::Texts => headings: Vec<String> = Vec::new();
            "Phrases that mark the heading of a table of files, in addition to the built-in ones."
            "See [Headings](designs.md#headings).";
        "missing" ValueKind::Choice(&["block", "skip"]) => missing: Missing = Missing::Block;
            "On a branch without a design, `block` makes guard exit with 2, and `skip` leaves out \
             the scope rules."
            "With `skip`, all other rules apply.";
        "authority" ValueKind::Choice(&["head", "base"]) => authority: Authority = Authority::Head;
            "Whether rows that a branch adds count in that branch (`head`) or not (`base`)."
            "guard reports such rows in either case.";
    }
    "scope" "paths that need no row, and protected paths" {
        "always" ValueKind::Patterns => always: Patterns = Patterns::default();
            "Paths that need no row.";
        "protect" ValueKind::Patterns => protect: Patterns = Patterns::default();
            "Paths that no change may touch."
            "No row permits it. Rule `protected-path`.";
        "protect-tests" ValueKind::Choice(&["requests", "always", "off"])
            => protect_tests: ProtectTests = ProtectTests::Requests;
            "Listed tests that exist stay as they are, unless their row says Modify: with \
             `requests`, guard writes no committed ones; with `always`, it also writes none that \
             only the disk has, and refuses commits that change committed ones."
            "`guard scope prompt` marks what may not be written through guard. A row that says DO \
             NOT MODIFY protects its file in any case.";
    }
    "workspace" "what may be read and written through guard" {
        "read" ValueKind::Directories => read: Vec<String> = vec![".".to_owned()];
            "Directories that may be read through guard."
            "Rule `outside-roots`.";
        "write" ValueKind::Directories => write: Vec<String> = vec![".".to_owned()];
            "Directories that may be written through guard."
            "Rule `outside-roots`.";
        "secrets" ValueKind::Patterns => secrets: Patterns = Patterns::built_in(SECRETS),
            "`.env`, `*.pem` and other common names of secrets, but not `.env.example` and other \
             templates";
            "Files that guard never reads or writes for anyone, instead of the built-in names."
            "Case is ignored here: `.ENV` is `.env`. Rule `protected-path`.";
    }
    "destructive" "what counts as destroying a file" {
        "lines" ValueKind::Count => thresholds.lines;
            "A file with more lines than this is large. Losing most of it needs approval, \
             deleting it needs a row."
            "If lines average more than 400 bytes, or the content is not text, 8 KiB count as 100 \
             lines.";
        "share" ValueKind::Share => thresholds.share;
            "A change that loses at least this share of a large file's lines is a replacement."
            "If lines average more than 400 bytes, words count instead.";
        "exempt" ValueKind::Patterns => exempt: Patterns = Patterns::built_in(EXEMPT),
            "lock files of all ecosystems, snapshots and golden files";
            "Files that may be replaced, instead of the built-in lock files, snapshots and golden \
             files."
            "A renamed file is exempt only if both its names match.";
    }
    "approvals" "a person's consent" {
        "signers" ValueKind::Text => signers: String = ".guard/allowed_signers".to_owned();
            "The file that lists who may sign approvals, in the format of git's \
             `gpg.ssh.allowedSignersFile`."
            "guard reads it at the merge base: see \
             [Signed approvals](approvals.md#signed-approvals).";
        "accept-unsigned" ValueKind::Flag => accept_unsigned: bool = false;
            "Accept unsigned approvals in branches and pull requests."
            "guard then checks no signatures.";
    }
    "snapshots" "copies of changed files" {
        "keep" ValueKind::Span => keep: u64 = 90 * DAY;
            "How long guard keeps snapshots.";
    }
}

impl Key {
    /// The value as `guard.toml` would hold it; `null` where there is none.
    pub fn value(&self, settings: &Settings) -> Value {
        // Plain data always becomes JSON.
        let value = (self.get)(settings).unwrap_or_default();
        self.kind.written(value)
    }

    /// The default as TOML; `None` where there is none, or where it is a long list.
    pub fn default_text(&self) -> Option<String> {
        let value = self.value(&Settings::default());
        let is_shown = self.default_words.is_none() && !value.is_null();
        is_shown.then(|| match value.as_str() {
            Some(text) if text.contains('\\') && !text.contains('\'') => format!("'{text}'"),
            _ => value.to_string(),
        })
    }

    /// The default in Markdown.
    pub fn default_markdown(&self) -> String {
        match (self.default_words, self.default_text()) {
            (Some(words), _) => words.to_owned(),
            (None, Some(text)) => format!("`{text}`"),
            (None, None) => "none".to_owned(),
        }
    }
}

impl Settings {
    /// Settings under which only the rules count that no settings change.
    pub fn without_rules() -> Settings {
        let others = Rule::ALL.iter().filter(|rule| !rule.has_fixed_level());
        Settings {
            missing: Missing::Skip,
            levels: others.map(|rule| (*rule, None)).collect(),
            ..Settings::default()
        }
    }

    /// Whether guard only observes: no rule about commits is an error, and commits need no design.
    pub fn is_observing(&self) -> bool {
        let mut levels = Rule::ALL.iter().filter(|rule| {
            let is_about_requests = matches!(rule, Rule::ProtectedPath | Rule::OutsideRoots);
            !rule.has_fixed_level() && !is_about_requests
        });
        self.missing == Missing::Skip && levels.all(|rule| self.level(*rule) != Some(Level::Error))
    }

    /// The level of a rule; `None` where it is off.
    pub fn level(&self, rule: Rule) -> Option<Level> {
        match self.levels.get(&rule) {
            Some(&level) if !rule.has_fixed_level() => level,
            _ => Some(rule.default_level()),
        }
    }
}

/// Names of files with secrets, by the tools that write them. Templates without values are committed.
#[rustfmt::skip]
pub(super) const SECRETS: &[&str] = &[
    ".env", ".env.*", "!.env*.example", "!.env*.sample", "!.env*.template", "!.env*.dist",
    "*.pem", "*.key", "*.p12", "*.pfx", "*.jks", "*.keystore",
    "id_rsa*", "id_dsa*", "id_ecdsa*", "id_ed25519*",
    "credentials", "*-credentials", "*credentials*.json", ".git-credentials",
    "*secret*.json", "*secret*.yaml", "*secret*.yml", "*secret*.toml",
    ".netrc", ".npmrc", ".pypirc",
];

/// The patterns of tests.
#[rustfmt::skip]
pub(crate) const TEST_PATTERNS: &[&str] = &[
    "tests/", "test/", "__tests__/", "spec/", "testdata/",
    "test_*.py", "*_test.py", "conftest.py",
    "*_test.go", "*_test.rs", "*_test.dart", "*_test.exs",
    "*.test.*", "*.spec.*",
    "*_test.rb", "*_spec.rb",
    "*Test.java", "*Test.kt", "*Tests.cs", "*Test.php", "*Tests.swift",
];

/// Files that programs write anew: lock files, by the package managers, and what tests compare with.
#[rustfmt::skip]
pub(super) const EXEMPT: &[&str] = &[
    "__snapshots__/", "*.snap", "*.golden",
    "Cargo.lock", "go.sum", "go.work.sum",
    "package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml", "bun.lock", "bun.lockb", "deno.lock",
    "requirements.lock", "poetry.lock", "uv.lock", "pdm.lock", "pylock.toml", "Pipfile.lock", "conda-lock.yml", "pixi.lock",
    "Gemfile.lock", "composer.lock", "mix.lock", "rebar.lock", "pubspec.lock", "flake.lock",
    "packages.lock.json", "paket.lock", "Podfile.lock", "Package.resolved", "Cartfile.resolved",
    "gradle.lockfile", "buildscript-gradle.lockfile", ".terraform.lock.hcl", "Chart.lock", "MODULE.bazel.lock",
    "cabal.project.freeze", "stack.yaml.lock", "Manifest.toml", "renv.lock", "shard.lock", "vcpkg-lock.json", "conan.lock",
];

/// One hour and one day in seconds.
const HOUR: u64 = 60 * 60;
const DAY: u64 = 24 * HOUR;

/// The kind of a value in `guard.toml`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ValueKind {
    /// A string.
    Text,
    /// A regular expression.
    Regex,
    /// One of these words.
    Choice(&'static [&'static str]),
    /// A string or a list of strings.
    Texts,
    /// A directory of the repository or a list of them.
    Directories,
    /// A gitignore pattern or a list of them.
    Patterns,
    /// `true` or `false`.
    Flag,
    /// A whole number, at least 0.
    Count,
    /// A number from 0 to 1.
    Share,
    /// A length of time: `"12h"`, `"14d"`, `"8w"`.
    Span,
}

impl ValueKind {
    /// The expected value, for error messages and documentation.
    pub fn expected(self) -> String {
        match self {
            ValueKind::Text | ValueKind::Regex => "a string",
            ValueKind::Choice(words) => {
                let quoted: Vec<String> = words.iter().map(|word| format!("\"{word}\"")).collect();
                return quoted.join(" or ");
            }
            ValueKind::Texts | ValueKind::Directories | ValueKind::Patterns => {
                "a string or a list of strings"
            }
            ValueKind::Flag => "true or false",
            ValueKind::Count => "a whole number, 0 or more",
            ValueKind::Share => "a number above 0, at most 1",
            ValueKind::Span => r#"a string such as "12h", "14d" or "8w""#,
        }
        .to_owned()
    }

    /// The value as the settings store it: a list for lists, seconds for durations. `None` if it is
    /// of another kind, which the type of the field decides for most.
    pub(super) fn read(self, value: Spanned<DeValue<'_>>) -> Option<Value> {
        let value = Value::deserialize(value.into_deserializer()).ok()?;
        match self {
            ValueKind::Texts | ValueKind::Directories | ValueKind::Patterns
                if value.is_string() =>
            {
                Some(json!([value]))
            }
            ValueKind::Share => value
                .as_f64()
                .is_some_and(|share| 0.0 < share && share <= 1.0)
                .then_some(value),
            ValueKind::Span => span(value.as_str()?).map(Value::from),
            _ => Some(value),
        }
    }

    /// The value as `guard.toml` would hold it, from what [`ValueKind::read`] made of it.
    pub(super) fn written(self, value: Value) -> Value {
        match (self, value.as_u64()) {
            // Days and hours are enough.
            (ValueKind::Span, Some(time)) if time.is_multiple_of(DAY) => {
                format!("{}d", time / DAY).into()
            }
            (ValueKind::Span, Some(time)) => format!("{}h", time / HOUR).into(),
            _ => value,
        }
    }
}

/// The seconds of a whole number with a unit, such as `14d`.
fn span(text: &str) -> Option<u64> {
    let (number, unit) = text.split_at(text.find(|c: char| !c.is_ascii_digit())?);
    let seconds = match unit.trim_start() {
        "h" => HOUR,
        "d" => DAY,
        "w" => 7 * DAY,
        _ => return None,
    };
    number.parse::<u64>().ok()?.checked_mul(seconds)
}
