//! guard's workflow of GitHub and its job of GitLab.

use serde_json::{Map, Value};

use super::command::GuardCall;
use super::remainder::Without;
use super::yaml;

/// What `guard install github` writes.
pub(super) const GITHUB: &str = include_str!("../../../../hooks/ci/github.yml");
/// What `guard install gitlab` writes.
const GITLAB: &str = include_str!("../../../../hooks/ci/gitlab.yml");

/// The name of the job.
const JOB: &str = "guard";

/// A condition that a step of the workflow may have: pull requests from forks may not upload.
const NO_FORK: &str = "github.event.pull_request.head.repo.full_name == github.repository";

/// The workflow without guard's part, which is all of it or nothing.
pub(super) fn without_workflow(text: &str) -> Option<Without> {
    let mut found = Without::default();
    match own_workflow(text) {
        Some(source) => {
            found.calls.insert("workflow".to_owned());
            found.sources.insert(source);
            text.clone_into(&mut found.part);
        }
        None => text.clone_into(&mut found.rest),
    }
    Some(found)
}

/// Where guard comes from in a workflow that does nothing else than what guard ships: other versions of the same
/// actions, and fewer uploads, change nothing.
fn own_workflow(text: &str) -> Option<String> {
    let own = yaml::values(&yaml::entries(text)?)?;
    let shipped = yaml::values(&yaml::entries(GITHUB)?)?;
    for (key, value) in &own {
        let expected = shipped.get(key)?;
        match key.as_str() {
            "name" | "jobs" => {}
            "on" if has_all(value, expected) => {}
            "permissions" if is_part_of(value, expected) => {}
            _ if value == expected => {}
            _ => return None,
        }
    }
    own.get("on")?;
    let job = only_job(&own)?;
    let expected = only_job(&shipped)?;
    for (key, value) in job {
        let is_fine = match key.as_str() {
            "steps" => true,
            "timeout-minutes" => value
                .as_str()
                .is_some_and(|minutes| minutes.parse::<u16>().is_ok()),
            "runs-on" => value
                .as_str()
                .is_some_and(|image| image.starts_with("ubuntu-")),
            _ => expected.get(key) == Some(value),
        };
        if !is_fine {
            return None;
        }
    }
    steps(
        job.get("steps")?.as_array()?,
        expected.get("steps")?.as_array()?,
    )
}

fn only_job(workflow: &Map<String, Value>) -> Option<&Map<String, Value>> {
    let jobs = workflow.get("jobs")?.as_object()?;
    let job = jobs.get(JOB)?.as_object()?;
    (jobs.len() == 1).then_some(job)
}

/// The keys of a mapping that are those of the expected one and perhaps some of its own.
fn has_all(value: &Value, expected: &Value) -> bool {
    let Some(value) = value.as_object() else {
        return false;
    };
    let Some(expected) = expected.as_object() else {
        return false;
    };
    expected
        .iter()
        .all(|(key, wanted)| value.get(key) == Some(wanted))
}

fn is_part_of(value: &Value, expected: &Value) -> bool {
    has_all(expected, value)
}

/// What stands before the version of an action.
fn action(step: &Map<String, Value>) -> Option<&str> {
    let uses = step.get("uses")?.as_str()?;
    uses.split_once('@').map(|(action, _)| action)
}

/// Where guard comes from, if the steps are those that guard ships, in their order.
fn steps(steps: &[Value], shipped: &[Value]) -> Option<String> {
    let mut shipped = shipped.iter();
    let mut source = None;
    for step in steps {
        let step = step.as_object()?;
        let name = action(step)?;
        let is_guard = step.get("id").and_then(Value::as_str) == Some(JOB);
        let expected = shipped.find_map(|expected| {
            let expected = expected.as_object()?;
            let is_same = match expected.get("id") {
                Some(_) => is_guard,
                None => action(expected) == Some(name),
            };
            is_same.then_some(expected)
        })?;
        for (key, value) in step {
            let is_fine = match key.as_str() {
                "uses" => true,
                "if" => expected.get(key) == Some(value) || has_no_fork(value, expected.get(key)),
                _ => expected.get(key) == Some(value),
            };
            if !is_fine {
                return None;
            }
        }
        if expected.keys().any(|key| !step.contains_key(key)) {
            return None;
        }
        if is_guard {
            source = Some(name.to_owned());
        }
    }
    source
}

fn has_no_fork(value: &Value, expected: Option<&Value>) -> bool {
    let Some(expected) = expected.and_then(Value::as_str) else {
        return false;
    };
    value.as_str() == Some(&format!("{expected} && {NO_FORK}"))
}

/// The pipeline without guard's job.
pub(super) fn without_job(text: &str) -> Option<Without> {
    let mut found = Without::default();
    let root = yaml::entries(text)?;
    let mut cut = Vec::new();
    for entry in root.iter().filter(|entry| entry.key == JOB) {
        let job = entry.value.value();
        if let Some(source) = job.as_ref().and_then(|job| own_job(job.as_object()?)) {
            found.calls.insert("job".to_owned());
            found.sources.extend(source);
            cut.push(entry.lines.clone());
        }
    }
    (found.rest, found.part) = yaml::split_lines(text, &cut)?;
    Some(found)
}

/// The pipeline with guard's job at its end.
pub(super) fn with_job(text: &str) -> Option<String> {
    let root = yaml::entries(text)?;
    if root.iter().any(|entry| entry.key == JOB) {
        return None;
    }
    let end = if text.is_empty() || text.ends_with('\n') {
        ""
    } else {
        "\n"
    };
    Some(format!("{text}{end}{GITLAB}"))
}

/// Where guard comes from in a job that does nothing else than what guard ships.
fn own_job(job: &Map<String, Value>) -> Option<Option<String>> {
    let shipped = yaml::values(&yaml::entries(GITLAB)?)?;
    let shipped = shipped.get(JOB)?.as_object()?;
    for (key, value) in job {
        let is_fine = match key.as_str() {
            "stage" => value.is_string(),
            "image" => value.as_str().is_some_and(|text| text.starts_with("rust:")),
            "script" => true,
            _ => shipped.get(key) == Some(value),
        };
        if !is_fine {
            return None;
        }
    }
    let mut source = None;
    let mut has_call = false;
    for line in job.get("script")?.as_array()? {
        let line = line.as_str()?;
        if let Some(call) = GuardCall::parse(line) {
            has_call |= call.verb == "lint" && line.split(' ').any(|word| word == "--ci");
        } else {
            source = installed_from(line)?;
        }
    }
    // A job without the rest of what guard ships could run in another pipeline, or never.
    let is_whole = ["rules", "variables"]
        .iter()
        .all(|key| job.contains_key(*key));
    (has_call && is_whole).then_some(source)
}

/// The address in a line of the script that installs guard; `None` for another line, and no address where a registry
/// has it.
#[expect(
    clippy::option_option,
    reason = "whether the line is guard's, and what it names"
)]
fn installed_from(line: &str) -> Option<Option<String>> {
    if let Some(version) = line.strip_prefix("pip install write-guard==") {
        return is_plain_word(version).then_some(None);
    }
    let rest = line.strip_prefix("(cd / && cargo install --quiet --locked --git ")?;
    let rest = rest.strip_suffix(" write-guard)")?;
    let (address, tag) = rest.split_once(" --tag ")?;
    (is_plain_word(address) && is_plain_word(tag)).then(|| Some(address.to_owned()))
}

/// Whether the word is a version, a tag or an address, which means nothing else to a shell.
fn is_plain_word(word: &str) -> bool {
    !word.is_empty()
        && word
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"._-+:/".contains(&byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_that_installs_guard_has_a_version_or_an_address_and_nothing_else() {
        let cargo = |address: &str, tag: &str| {
            format!(
                "(cd / && cargo install --quiet --locked --git {address} --tag {tag} write-guard)"
            )
        };
        let from = "https://example.com/guard.git";
        for (line, expected) in [
            ("pip install write-guard==1.2.3".to_owned(), Some(None)),
            (cargo(from, "v1.2.3"), Some(Some(from))),
            ("pip install write-guard==".to_owned(), None),
            ("pip install write-guard==1 2".to_owned(), None),
            ("pip install write-guard==$(x)".to_owned(), None),
            (cargo("", "v1"), None),
            (cargo(from, ""), None),
            (cargo(from, "v1;x"), None),
            (cargo("a|b", "v1"), None),
            ("cargo install write-guard".to_owned(), None),
        ] {
            let expected = expected.map(|address| address.map(str::to_owned));
            assert_eq!(installed_from(&line), expected, "{line}");
        }
    }
}
