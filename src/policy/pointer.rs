//! The files in which frameworks keep what is being worked on: spec-kit's `feature.json`, BMAD's `sprint-status.yaml`
//! and the `STATE.md` of GSD. Each names one plan or, when in doubt, none.

use std::collections::BTreeSet;

/// Finds the directory, story or plan that the text of a pointer file names.
pub type PointerReader = fn(&str) -> Option<String>;

/// The reader for the pointer file at `path`; `None` if guard does not know this kind of file.
pub fn reader(path: &str) -> Option<PointerReader> {
    let name = path.rsplit('/').next().unwrap_or_default();
    match name.rsplit_once('.')?.1 {
        "json" => Some(feature),
        "yaml" | "yml" => Some(story),
        "md" => Some(position),
        _ => None,
    }
}

/// The feature directory of spec-kit.
fn feature(text: &str) -> Option<String> {
    let json: serde_json::Value = serde_json::from_str(text).ok()?;
    let directory = json.get("feature_directory")?.as_str()?;
    let directory = directory.strip_prefix("./").unwrap_or(directory);
    Some(directory.trim_end_matches('/').to_owned())
}

/// The only story in progress: `1-2-name: in-progress`. Epics have keys such as `epic-1`.
fn story(text: &str) -> Option<String> {
    let mut stories = text.lines().filter_map(|line| {
        let (key, value) = line.trim().split_once(':')?;
        let value = value.split(" #").next()?.trim().trim_matches(['"', '\'']);
        let is_story = key.starts_with(|c: char| c.is_ascii_digit());
        (is_story && value == "in-progress").then(|| key.to_owned())
    });
    let story = stories.next();
    story.filter(|_| stories.next().is_none())
}

/// The plan of GSD's section Current Position, as `03-02`; or the phase of `**Current Phase:** 3`, as `03`.
fn position(text: &str) -> Option<String> {
    let (mut phases, mut plans, mut current) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    let (mut is_position, mut is_code) = (false, false);
    for line in text.lines() {
        let line = line.trim();
        if line.starts_with("```") {
            is_code = !is_code;
        }
        if is_code {
            continue;
        }
        if line.starts_with('#') {
            is_position = line.to_lowercase().contains("current position");
            continue;
        }
        let line: String = line.chars().filter(|&c| c != '*').collect();
        let line = line.trim_start_matches(['-', ' ']);
        let Some((label, value)) = line.split_once(':') else {
            continue;
        };
        match label.trim() {
            "Phase" if is_position => phases.insert(number(value)),
            "Plan" if is_position => plans.insert(number(value)),
            "Current Phase" => current.insert(number(value)),
            _ => false,
        };
    }
    let only = |numbers: BTreeSet<Option<String>>| match numbers.len() {
        1 => numbers.into_iter().next().flatten(),
        _ => None,
    };
    match (phases.is_empty(), plans.is_empty()) {
        (true, true) => only(current),
        _ => Some(format!("{}-{}", only(phases)?, only(plans)?)),
    }
}

/// The number at the start of a value, its whole part with two digits: `3 of 5` is `03`, and `4.1` is `04.1`.
fn number(value: &str) -> Option<String> {
    let value = value.trim_start();
    let end = value
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .unwrap_or(value.len());
    let is_word = value[end..].starts_with(|c: char| c.is_alphanumeric() || c == '-');
    let digits = value[..end].trim_end_matches('.');
    let (whole, rest) = digits.split_at(digits.find('.').unwrap_or(digits.len()));
    let is_number = !whole.is_empty() && whole.len() < 6 && rest.matches('.').count() < 2;
    (is_number && !is_word).then(|| format!("{whole:0>2}{rest}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn position_needs_one_phase_and_one_plan() {
        for (lines, expected) in [
            ("Phase: 3 of 5 (Login)\nPlan: 2 of 3", Some("03-02")),
            ("- **Phase:** 4.1\n- **Plan:** 12", Some("04.1-12")),
            ("Phase: 3\nPlan: Not started", None),
            ("Phase: 3", None),
            ("Phase: 3\nPlan: 2\nPlan: 1", None),
            ("Phase: 3\nPlan: 2nd", None),
            ("Phase: ../3\nPlan: 2", None),
        ] {
            let text = format!("## Current Position\n\n{lines}\n");
            assert_eq!(position(&text).as_deref(), expected, "{lines}");
            let text = format!("## Elsewhere\n\n{lines}\n");
            assert_eq!(position(&text), None);
        }
        assert_eq!(position("**Current Phase:** 3\n").as_deref(), Some("03"));
        assert_eq!(position("Current Phase: 3\nCurrent Phase: 4\n"), None);
    }

    #[test]
    fn story_needs_to_be_the_only_one_in_progress() {
        let one = "development_status:\n  epic-1: in-progress\n  1-1-a: done\n  1-2-b: 'in-progress' # x\n";
        assert_eq!(story(one).as_deref(), Some("1-2-b"));
        assert_eq!(story(&one.replace("done", "in-progress")), None);
        assert_eq!(story(""), None);
    }

    #[test]
    fn kind_follows_from_the_extension() {
        let read = |path: &str, text: &str| reader(path).and_then(|read| read(text));
        let json = r#"{"feature_directory": "./specs/004-a/"}"#;
        let found = read(".specify/feature.json", json);
        assert_eq!(found.as_deref(), Some("specs/004-a"));
        assert_eq!(read("x.json", "[]"), None);
        assert!(reader("x.txt").is_none() && reader("md").is_none());
    }
}
