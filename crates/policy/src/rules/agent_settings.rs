//! The settings of coding agents in which `guard install AGENT` registers guard's hooks.

use bstr::{BStr, ByteSlice};
use jsonc_parser::cst::CstRootNode;
use serde_json::Value;

use super::Access;
use super::hook_lines::runs_guard;
use crate::finding::{Finding, Rule};
use crate::path::escaped;

macro_rules! shipped {
    ($($path:literal $file:literal,)*) => {
        [$(($path, include_str!(concat!("../../../../hooks/agents/", $file)))),*]
    };
}

/// Each file with the settings that guard ships for it.
pub const FILES: [(&str, &str); 7] = shipped![
    ".claude/settings.json" "claude.json",
    ".codex/hooks.json" "codex.json",
    ".cursor/hooks.json" "cursor.json",
    ".gemini/settings.json" "gemini.json",
    ".github/hooks/guard.json" "copilot.json",
    ".github/hooks/guard-vscode.json" "vscode.json",
    ".opencode/plugins/guard.js" "opencode.js",
];

fn shipped(path: &BStr) -> Option<&'static str> {
    let found = FILES.iter().find(|(file, _)| path == *file);
    found.map(|(_, text)| *text)
}

/// Whether guard may have hooks in the file.
pub(super) fn concerns(path: &BStr) -> bool {
    shipped(path).is_some()
}

/// Whether the step from `old` (empty for a new file) to `new` only adds guard's own entries, all of them.
pub(super) fn brings_only_hooks(path: &BStr, old: &[u8], new: &[u8]) -> bool {
    let Some(shipped) = shipped(path) else {
        return false;
    };
    if old.is_empty() && new == shipped.as_bytes() {
        return true;
    }
    let parse = |text: &[u8]| -> Option<Value> {
        CstRootNode::parse(text.to_str().ok()?, &Default::default())
            .ok()?
            .to_serde_value()
    };
    let old = if old.is_empty() { b"{}" } else { old };
    match (parse(old), parse(shipped.as_bytes()), parse(new)) {
        (Some(old), Some(own), Some(new)) => with_entries(old, &own) == new,
        _ => false,
    }
}

/// The settings with guard's entries at the end of each list. What is there stays.
pub fn with_entries(settings: Value, own: &Value) -> Value {
    match (settings, own) {
        (Value::Object(mut keys), Value::Object(own)) => {
            for (key, value) in own {
                let known = keys.get_mut(key).map(Value::take).unwrap_or_default();
                keys.insert(key.clone(), with_entries(known, value));
            }
            keys.into()
        }
        (Value::Array(mut all), Value::Array(own)) => {
            let missing = own.iter().filter(|entry| !all.contains(entry));
            let missing: Vec<Value> = missing.cloned().collect();
            all.extend(missing);
            all.into()
        }
        (Value::Null, own) => own.clone(),
        (other, _) => other,
    }
}

/// Refuses to let a request change the settings that call guard, or those that could switch these off. `committed`
/// gives HEAD's content of a file.
///
/// # Errors
/// Those of `committed`.
pub fn refuse_request<E>(
    path: &BStr,
    access: Access,
    committed: impl FnOnce(&BStr) -> Result<Option<Vec<u8>>, E>,
) -> Result<Option<Finding>, E> {
    let local = path == ".claude/settings.local.json";
    let settings = if local {
        ".claude/settings.json".into()
    } else {
        path
    };
    if access != Access::Write || !concerns(settings) {
        return Ok(None);
    }
    let content = committed(settings)?.unwrap_or_default();
    Ok(content.lines().any(runs_guard).then(|| {
        let message = format!("{} decides whether the agent calls guard", escaped(path));
        Finding::new(Rule::ProtectedPath, path, message)
            .help("ask a person to change it in a separate commit")
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn only_hooks(old: &str, new: &str) -> bool {
        brings_only_hooks(
            ".claude/settings.json".into(),
            old.as_bytes(),
            new.as_bytes(),
        )
    }

    #[test]
    fn only_guards_own_entries_need_no_row() {
        let (_, own) = FILES[0];
        for (file, shipped) in FILES {
            assert!(
                brings_only_hooks(file.into(), b"", shipped.as_bytes()),
                "{file}"
            );
        }
        assert!(only_hooks("{}", own));
        let model = own.replacen('{', "{ \"model\": \"x\", // mine\n", 1);
        assert!(only_hooks("{\"model\": \"x\"}", &model));
        assert!(!only_hooks("{}", &model), "another key came along");
        assert!(!only_hooks("", &model));
        assert!(!only_hooks(own, "{}"), "the hooks are removed");
        assert!(!only_hooks(
            "{}",
            &own.replace("guard hook claude", "./guard hook claude")
        ));
        assert!(!only_hooks("{}", &own.replacen("Write|", "", 1)));
        let more = own.replacen("\"Stop\": [", "\"Stop\": [{ \"hooks\": [] }, ", 1);
        assert_ne!(own, more);
        assert!(!only_hooks("{}", &more));
        assert!(!brings_only_hooks(
            "settings.json".into(),
            b"{}",
            own.as_bytes()
        ));
    }
    #[test]
    fn guards_entries_come_behind_those_of_each_list_once() {
        let (_, own) = FILES[0];
        let own: Value = serde_json::from_str(own).unwrap_or_default();
        let mine = serde_json::json!({ "hooks": [] });
        let only = |old: &Value, new: &Value| only_hooks(&old.to_string(), &new.to_string());
        let with_stop = |list: &[&Value]| {
            let mut settings = own.clone();
            settings["hooks"]["Stop"] = list.iter().copied().cloned().collect();
            settings
        };
        let stop = &own["hooks"]["Stop"][0];
        assert!(only(&with_stop(&[&mine]), &with_stop(&[&mine, stop])));
        assert!(only(&with_stop(&[]), &own));
        assert!(!only(&with_stop(&[&mine]), &with_stop(&[stop, &mine])));
        assert!(!only(&with_stop(&[&mine]), &with_stop(&[stop])));
        assert!(!only(&with_stop(&[]), &with_stop(&[stop, stop])));
        // A value that is no list stays, so guard's entries are not all there.
        assert!(!only(&serde_json::json!({ "hooks": true }), &own));
    }
}
