//! The files in which npm lists packages, and changes to them that only bring guard's own. They need no design, as a
//! change of `hook_lines` that only adds calls.

use bstr::{BStr, ByteSlice};
use serde_json::{Map, Value};

use crate::named::is_in;

/// What npm writes when it installs guard for husky or lefthook.
const MANIFESTS: &str = "package.json|package-lock.json|npm-shrinkwrap.json";

/// guard's packages for npm: what follows `write-guard` in their names.
const PACKAGES: &str = "|-linux-x64|-linux-arm64|-darwin-x64|-darwin-arm64|-win32-x64";

/// Whether the file lists the packages that npm installs.
pub(super) fn is_manifest(path: &BStr) -> bool {
    path.to_str().is_ok_and(|path| is_in(path, MANIFESTS))
}

/// Whether the step from `old` (empty for a new file) to `new` only adds guard's own packages to a manifest or lock
/// file, or changes their versions.
pub(super) fn brings_only_packages(old: &[u8], new: &[u8]) -> bool {
    let parse = |text: &[u8]| match text {
        b"" => Some(Map::new()),
        text => serde_json::from_slice(text).ok(),
    };
    let (Some(mut before), Some(after)) = (parse(old), parse(new)) else {
        return false;
    };
    let mut others = after.clone();
    remove_packages(&mut before, "");
    remove_packages(&mut others, "");
    // npm gives a new file a name and the like, but no scripts.
    let is_plain = |value: &Value| !value.is_object() && !value.is_array();
    let is_new = old.is_empty() && others.values().all(is_plain);
    others != after && (others == before || is_new)
}

/// Removes guard's packages from the lists below the key `holder`, and the lists that this empties.
fn remove_packages(keys: &mut Map<String, Value>, holder: &str) {
    let is_list = holder == "packages" || holder.ends_with("ependencies");
    keys.retain(|key, value| {
        let name = key.strip_prefix("node_modules/").unwrap_or(key);
        let kind = name.strip_prefix("write-guard").filter(|_| is_list);
        if let Value::Object(inner) = value {
            remove_packages(inner, key);
        }
        let is_empty = value.as_object().is_some_and(Map::is_empty);
        !is_empty && !kind.is_some_and(|kind| is_in(kind, PACKAGES) && is_released(value))
    });
}

/// Whether a manifest or lock file takes a package from a registry. guard's packages run nothing when they are
/// installed.
fn is_released(value: &Value) -> bool {
    match value {
        // A file, an address, an alias or a repository has one of them.
        Value::String(version) => !version.contains([':', '/']),
        Value::Object(locked) => {
            let from = locked.get("resolved");
            let is_archive = from.is_none_or(|from| {
                let from = from.as_str().unwrap_or_default();
                from.starts_with("http") && from.ends_with(".tgz")
            });
            is_archive && !locked.contains_key("hasInstallScript")
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_packages_of_guard_need_no_design() {
        let only = |old: &str, new: &str| brings_only_packages(old.as_bytes(), new.as_bytes());
        let manifest = |list: &str| format!("{{\"name\": \"x\", \"devDependencies\": {{{list}}}}}");
        let own = "\"write-guard\": \"^0.1.0\"";
        let husky = "\"husky\": \"^9.0.0\"";
        let both = format!("{husky}, {own}");
        let lock = |entries: &str| {
            format!(
                "{{\"lockfileVersion\": 3, \"packages\": {{\"\": {{\"devDependencies\": {{{own}}}}}, {entries}}}}}"
            )
        };
        let installed = "\"node_modules/write-guard\": {}, \"node_modules/write-guard-linux-x64\": {\"version\": \"0.1.0\"}";
        assert!(only("", &manifest(own)));
        assert!(only("{\"name\": \"x\"}", &manifest(own)));
        assert!(only(&manifest(husky), &manifest(&both)));
        assert!(only(
            &manifest(&both),
            &manifest(&both.replace("0.1", "0.2"))
        ));
        assert!(only("", &lock(installed)));
        let from = |address: &str| {
            let resolved = format!("{{\"resolved\": \"{address}\"}}");
            lock(&installed.replace("{}", &resolved))
        };
        assert!(only("", &from("https://registry.example/x.tgz")));
        assert!(!only("", &from("https://registry.example/x.git")));
        assert!(!only("", &from("file:x.tgz")));
        assert!(!only("", &lock(&installed.replace("{}", "[]"))));
        let nested = manifest(&both).replace("\"name\": \"x\"", "\"files\": [\"x\"]");
        assert!(
            !only("", &nested.replace(&format!("{husky}, "), "")),
            "a list in a new file"
        );
        for (old, new) in [
            // guard's removal, other packages, and what npm runs.
            (manifest(&both), manifest(husky)),
            (manifest(husky), manifest(&both.replace("9.0", "8.0"))),
            (String::new(), manifest(&both)),
            (
                String::new(),
                manifest(&own.replace("write-guard", "@x/write-guard")),
            ),
            (
                String::new(),
                manifest(&own.replace("write-guard", "write-guard-x")),
            ),
            (String::new(), lock(&installed.replace("-linux-x64", "-x"))),
            (
                String::new(),
                manifest(own).replace("\"x\"", "{\"postinstall\": \"x\"}"),
            ),
            (
                manifest(husky),
                format!(
                    "{{\"scripts\": {{{own}}}, \"name\": \"x\", \"devDependencies\": {{{husky}}}}}"
                ),
            ),
            (manifest(husky), "[]".to_owned()),
            (manifest(husky), manifest(&both.replace('^', "file:../"))),
            (manifest(husky), manifest(&both.replace("^0", "x/y#0"))),
            (
                String::new(),
                lock(&installed.replace("{}", "{\"hasInstallScript\": true}")),
            ),
            (
                String::new(),
                lock(&installed.replace("{}", "{\"resolved\": \"git+ssh://x/write-guard.git\"}")),
            ),
        ] {
            assert!(!only(&old, &new), "{old} -> {new}");
        }
    }
}
