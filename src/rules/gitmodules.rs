//! `submodule-changed` for `.gitmodules`: where submodules come from, and what git runs for them.

use std::collections::BTreeMap;

use gix::bstr::{BStr, BString, ByteSlice};

use super::{Case, MeasuredChange, Sink, missing_row};
use crate::finding::{Finding, Rule};
use crate::path::escaped;
use crate::policy::Actions;
use crate::policy::design::MissingRow;

/// The keys of each submodule, by its name.
type Modules = BTreeMap<BString, BTreeMap<String, BString>>;

/// Whether the rule reads this file.
pub(super) fn concerns(path: &BStr) -> bool {
    path == ".gitmodules"
}

pub(super) fn check(case: &Case<'_>, sink: &mut Sink<'_>) {
    let found = case.changes.iter().find(|changed| concerns(changed.path()));
    let Some((changed, (old, new))) =
        found.and_then(|changed| Some((changed, changed.content.as_deref()?)))
    else {
        return;
    };
    // Another rule refuses a link or a directory in its place.
    if !changed.change.new.is_some_and(|new| new.kind.is_file()) {
        return;
    }
    let Some(new) = parse(new) else {
        sink.push(
            Finding::new(
                Rule::SubmoduleChanged,
                changed.path(),
                ".gitmodules is not valid git configuration",
            )
            .help("write it with `git submodule add` and `git config --file .gitmodules`"),
        );
        return;
    };
    // An old version that cannot be parsed has no keys to keep.
    let old = parse(old).unwrap_or_default();
    for (name, keys) in &new {
        let before = old.get(name);
        for (key, value) in keys {
            if before.and_then(|keys| keys.get(key)) == Some(value) {
                continue;
            }
            judge(
                case,
                sink,
                changed,
                name.as_ref(),
                keys,
                key,
                value.as_ref(),
            );
        }
    }
}

fn judge(
    case: &Case<'_>,
    sink: &mut Sink<'_>,
    changed: &MeasuredChange,
    name: &BStr,
    keys: &BTreeMap<String, BString>,
    key: &str,
    value: &BStr,
) {
    let report = |rule, what: String| {
        Finding::new(rule, changed.path(), what).detail("submodule", name.to_string())
    };
    if let Some(why) = hostile(name, key, value) {
        sink.push(
            report(
                Rule::SubmoduleChanged,
                format!(
                    "submodule {}: {key} = {} {why}",
                    escaped(name),
                    escaped(value)
                ),
            )
            .help("remove the line"),
        );
        return;
    }
    if key == "ignore" && value.as_bytes() != b"none" {
        sink.push(
            report(
                Rule::HiddenChange,
                format!(
                    "submodule {}: ignore = {} hides its changes from git diff and git status",
                    escaped(name),
                    escaped(value)
                ),
            )
            .help("remove the line"),
        );
        return;
    }
    let path = keys.get("path").map_or(name, |path| path.as_bstr());
    let granted = case
        .policy
        .scope
        .as_ref()
        .is_some_and(|scope| scope.lookup(path).actions.contains(Actions::SUBMODULE));
    if !granted && matches!(key, "url" | "path" | "branch" | "update") {
        let finding = report(
            Rule::SubmoduleChanged,
            format!(
                "submodule {}: {key} changes to {}, but no row grants {}",
                escaped(name),
                escaped(value),
                escaped(path)
            ),
        );
        let wanted = MissingRow {
            path,
            from: None,
            word: "Submodule",
            actions: Actions::SUBMODULE,
        };
        sink.push(missing_row::advise(finding, case.policy, &wanted, ""));
    }
}

/// Why git or a user could be harmed by the value.
fn hostile(name: &BStr, key: &str, value: &BStr) -> Option<&'static str> {
    if name.split_str("/").any(|part| part == b"..")
        || name.split_str("\\").any(|part| part == b"..")
    {
        return Some("belongs to a name that escapes .git/modules");
    }
    match key {
        "update" if value.starts_with(b"!") => Some("runs a command in every clone"),
        "url" if value.to_ascii_lowercase().starts_with(b"ext::") => {
            Some("runs a command instead of connecting to a server")
        }
        "url" | "path" if value.starts_with(b"-") => {
            Some("begins with a dash and is read as an option")
        }
        "url" | "path" if value.iter().any(u8::is_ascii_control) => {
            Some("contains a control character")
        }
        _ => None,
    }
}

fn parse(content: &[u8]) -> Option<Modules> {
    let file = gix::config::File::from_bytes_no_includes(
        content,
        gix::config::file::Metadata::default(),
        gix::config::file::init::Options::default(),
    )
    .ok()?;
    let mut modules = Modules::new();
    for section in file.sections_by_name("submodule").into_iter().flatten() {
        let Some(name) = section.header().subsection_name() else {
            continue;
        };
        let keys = modules.entry(name.to_owned()).or_default();
        for key in section.body().value_names() {
            if let Some(value) = section.body().value(&key) {
                keys.insert(key.to_lowercase(), value.to_owned());
            }
        }
    }
    Some(modules)
}
