//! `submodule-changed`: a submodule is added, moved to another commit or removed without a Submodule row, or
//! `.gitmodules` says something else about where submodules come from and what git runs for them.

use bstr::{BStr, BString};

use super::{Case, ChangeRule, MeasuredChange, Sink, granted, missing_row};
use crate::change::{Kind, State};
use crate::design::MissingRow;
use crate::finding::{Finding, Rule};
use crate::path::escaped;
use crate::policy::Policy;
use crate::scope::Actions;

pub(super) const RULE: ChangeRule = ChangeRule {
    check,
    reads: Some(concerns),
};

/// Whether the rule reads this file.
pub(super) fn concerns(path: &BStr) -> bool {
    path == ".gitmodules"
}

fn check(case: &Case<'_>, sink: &mut Sink<'_>) {
    for changed in case.changes {
        // Another rule refuses a link or a directory in place of the file.
        let is_file = changed.change.new.is_some_and(|new| new.kind.is_file());
        if changed.change.is_gitlink() && !is_granted(case.policy, changed) {
            sink.push(without_row(case.policy, changed));
        } else if concerns(changed.path())
            && is_file
            && let Some((old, new)) = changed.content.as_deref()
        {
            check_modules(case, changed.path(), [old, new], sink);
        }
    }
}

/// Whether a Submodule row grants it, or for a removal a Delete row.
fn is_granted(policy: &Policy, changed: &MeasuredChange) -> bool {
    grants_submodule(policy, changed.path())
        || policy
            .scope
            .as_ref()
            .is_some_and(|scope| granted::may_go(scope, changed))
}

fn grants_submodule(policy: &Policy, path: &BStr) -> bool {
    let scope = policy.scope.as_ref();
    scope.is_some_and(|scope| scope.actions(path).contains(Actions::SUBMODULE))
}

fn without_row(policy: &Policy, changed: &MeasuredChange) -> Finding {
    let change = &changed.change;
    let from = change.old.and_then(short_id);
    let to = change.new.and_then(short_id);
    let what = match (&from, &to) {
        (Some(from), Some(to)) => format!("moves from {from} to {to}"),
        (Some(from), None) => format!("is removed; it was at {from}"),
        (None, to) => format!("is added at {}", to.as_deref().unwrap_or_default()),
    };
    let path = escaped(changed.path());
    let message = format!("the submodule {path} {what} without a Submodule row");
    let mut finding = Finding::new(Rule::SubmoduleChanged, changed.path(), message)
        .detail("action", change.action().name());
    let ids = [("from", from), ("to", to)].into_iter();
    (finding.details).extend(ids.filter_map(|(key, id)| Some((key, id?.into()))));
    missing_row::advise(finding, policy, &missing_row::of(change), "")
}

/// The commit of a submodule, shortened.
fn short_id(state: State) -> Option<String> {
    (state.kind == Kind::Submodule).then(|| state.id.to_hex_with_len(12).to_string())
}

fn check_modules(case: &Case<'_>, file: &BStr, [old, new]: [&[u8]; 2], sink: &mut Sink<'_>) {
    let Some(new) = (case.submodules)(new) else {
        let message = ".gitmodules is not valid git configuration";
        let help = "change it with git's own commands; to see where it is wrong: \
                    git config --file .gitmodules --list";
        return sink.push(Finding::new(Rule::SubmoduleChanged, file, message).help(help));
    };
    // An old version that cannot be parsed has no keys to keep.
    let old = (case.submodules)(old).unwrap_or_default();
    for ((name, key), value) in &new {
        if old.get(&(name.clone(), key.clone())) != Some(value) {
            let path = new.get(&(name.clone(), "path".to_owned())).unwrap_or(name);
            let finding = judge(
                case.policy,
                file,
                [name, path, value].map(BString::as_ref),
                key,
            );
            finding.into_iter().for_each(|finding| sink.push(finding));
        }
    }
}

/// Judges one key of a submodule with this name and path.
fn judge(policy: &Policy, file: &BStr, names: [&BStr; 3], key: &str) -> Option<Finding> {
    let [name, path, value] = names;
    let [shown, shown_path, shown_value] = names.map(escaped);
    if let Some((rule, why)) = harm(name, key, value) {
        let message = format!("submodule {shown}: {key} = {shown_value} {why}");
        let finding = Finding::new(rule, file, message).detail("submodule", name.to_string());
        return Some(finding.help("remove the line"));
    }
    if !matches!(key, "url" | "path" | "branch" | "update") || grants_submodule(policy, path) {
        return None;
    }
    let message = format!(
        "submodule {shown}: {key} changes to {shown_value}, but no row allows {shown_path}"
    );
    let wanted = MissingRow {
        path,
        from: None,
        word: "Submodule",
        actions: Actions::SUBMODULE,
    };
    let finding =
        Finding::new(Rule::SubmoduleChanged, file, message).detail("submodule", name.to_string());
    Some(missing_row::advise(finding, policy, &wanted, ""))
}

/// How the value could harm git or a user, and the rule about that.
fn harm(name: &BStr, key: &str, value: &BStr) -> Option<(Rule, &'static str)> {
    let mut parts = name.split(|byte| matches!(byte, b'/' | b'\\'));
    let why = match key {
        _ if parts.any(|part| part == b"..") => "belongs to a name that escapes .git/modules",
        "update" if value.starts_with(b"!") => "runs a command in every clone",
        "url" if value.to_ascii_lowercase().starts_with(b"ext::") => {
            "runs a command instead of connecting to a server"
        }
        "url" | "path" if value.starts_with(b"-") => "begins with a dash and is read as an option",
        "url" | "path" if value.iter().any(u8::is_ascii_control) => "contains a control character",
        "ignore" if value != "none" => {
            let why = "hides its changes from git diff and git status";
            return Some((Rule::HiddenChange, why));
        }
        _ => return None,
    };
    Some((Rule::SubmoduleChanged, why))
}
