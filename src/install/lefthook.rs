//! Settings of lefthook: finds the jobs of a hook, and says what to add without breaking the file. Pure.

use gix::bstr::ByteSlice;

use super::calls::READS_INPUT;
use super::managed_settings::SettingsFile;

/// Where lefthook looks for its settings.
pub(super) fn settings_names() -> Vec<String> {
    let mut names = Vec::new();
    for stem in ["lefthook", ".lefthook", ".config/lefthook"] {
        for extension in ["yml", "yaml", "toml", "json"] {
            names.push(format!("{stem}.{extension}"));
        }
    }
    names
}

/// The lines of the settings for one git hook.
pub(super) fn section(name: &str, content: &[u8], hook: &str) -> Option<Vec<u8>> {
    if name.ends_with(".json") {
        let all: serde_json::Value = serde_json::from_slice(content).ok()?;
        return serde_json::to_vec_pretty(all.get(hook)?).ok();
    }
    let is_toml = name.ends_with(".toml");
    let mut is_own = false;
    let mut section = Vec::new();
    for line in content.lines() {
        let own_head = if is_toml {
            line.trim_start()
                .starts_with(b"[")
                .then(|| table_is(line, hook))
        } else {
            key_at_the_margin(line).map(|key| key == hook.as_bytes())
        };
        is_own = own_head.unwrap_or(is_own);
        if is_own {
            section.extend_from_slice(line);
            section.push(b'\n');
        }
    }
    (!section.is_empty()).then_some(section)
}

/// Whether a TOML header, such as `[[pre-commit.jobs]]`, belongs to this hook.
fn table_is(line: &[u8], hook: &str) -> bool {
    let name = line.trim().trim_start_with(|at| at == '[');
    let rest = name.trim_start().strip_prefix(hook.as_bytes());
    rest.is_some_and(|rest| rest.starts_with(b".") || rest.starts_with(b"]"))
}

/// The key of an unindented line of YAML. Indented lines and comments belong to the key before.
fn key_at_the_margin(line: &[u8]) -> Option<&[u8]> {
    let first = *line.first()?;
    if first.is_ascii_whitespace() || first == b'#' || first == b'-' {
        return None;
    }
    let key = line.split_str(":").next()?;
    Some(key.trim_with(|at| matches!(at, '"' | '\'' | ' ')))
}

/// The lines to add. A second key of the same name would be an error, so this extends an existing section.
pub(super) fn advice(settings: Option<&SettingsFile>, hook: &str) -> Vec<String> {
    let input = READS_INPUT.contains(&hook);
    let with_input = if input { ", use_stdin: true" } else { "" };
    let job = format!("{{run: \"guard hook {hook} {{0}}\"{with_input}}}");
    let name = settings.map_or("lefthook.yml", |settings| settings.name.as_str());
    if name.ends_with(".toml") {
        let mut lines = vec![
            format!("add this to the end of {name}"),
            format!("[[{hook}.jobs]]"),
            format!("run = \"guard hook {hook} {{0}}\""),
        ];
        lines.extend(input.then(|| "use_stdin = true".to_owned()));
        return lines;
    }
    if name.ends_with(".json") {
        let with_input = if input { ", \"use_stdin\": true" } else { "" };
        return vec![format!(
            "add this to the list `jobs` of `{hook}` in {name}: {{\"run\": \"guard hook {hook} {{0}}\"{with_input}}}"
        )];
    }
    let section = settings.and_then(|settings| section(name, &settings.content, hook));
    let Some(section) = section else {
        return vec![format!("add this to {name}: `{hook}: {{jobs: [{job}]}}`")];
    };
    let mut lines = section.lines();
    let head = lines.next().unwrap_or_default();
    let value = head
        .split_once_str(":")
        .map_or(&b""[..], |(_, value)| value);
    if !value.trim().is_empty() && !value.trim_start().starts_with(b"#") {
        return vec![format!(
            "{name} already has `{hook}:`; add this to its list `jobs`: {job}"
        )];
    }
    let lines: Vec<&[u8]> = lines.filter(|line| is_content(line)).collect();
    let indent = lines.first().map_or(2, |line| indent_of(line));
    let jobs = lines.iter().position(|line| {
        indent_of(line) == indent && line.trim_end().ends_with(b"jobs:") && line.trim() == b"jobs:"
    });
    let Some(at) = jobs else {
        return vec![
            format!("add this to {name}, right below `{hook}:`"),
            format!("{:indent$}jobs:", ""),
            format!("{:indent$}  - {job}", ""),
        ];
    };
    let item = lines
        .get(at + 1)
        .filter(|line| line.trim_start().starts_with(b"-"));
    let indent = item.map_or(indent + 2, |line| indent_of(line));
    vec![
        format!("add this to {name}, right below `jobs:` of `{hook}:`"),
        format!("{:indent$}- {job}", ""),
    ]
}

fn is_content(line: &[u8]) -> bool {
    let line = line.trim_start();
    !line.is_empty() && !line.starts_with(b"#")
}

fn indent_of(line: &[u8]) -> usize {
    line.len() - line.trim_start().len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn call_in_another_hooks_section_does_not_count() {
        let yaml = b"pre-commit:\n  jobs:\n    - run: make\n# x\npre-push:\n  jobs:\n    - run: guard lint\n";
        let own = section("lefthook.yml", yaml, "pre-commit").unwrap_or_default();
        assert!(own.contains_str("make") && !own.contains_str("guard"));
        assert_eq!(section("lefthook.yml", yaml, "commit-msg"), None);
        let toml = b"[[pre-commit.jobs]]\nrun = \"guard lint\"\n[pre-push]\nparallel = true\n";
        let own = section("lefthook.toml", toml, "pre-push").unwrap_or_default();
        assert!(!own.contains_str("guard") && own.contains_str("parallel"));
        let json = b"{\"pre-commit\": {\"jobs\": [{\"run\": \"guard lint\"}]}}";
        let own = section("lefthook.json", json, "pre-commit").unwrap_or_default();
        assert!(own.contains_str("guard lint"));
    }
}
