//! Recognises the frameworks in which teams write plans by their directories.

use regex_lite::Regex;

use crate::policy::{design_selection, path_placeholders};
/// How the file names of plans begin, where other documents are beside them.
const DATED: &str = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}-";
const NUMBERED: &str = r"^[0-9]+[.-][0-9]+";

/// Each framework, the key of `[lld]` for its plans, their pattern, and how their names begin. All plans of those that
/// go from plan to plan on one branch are standing.
const FRAMEWORKS: &str = "\
GSD                  standing .planning/phases/*/*PLAN.md
yolo                 standing .yolo-planning/phases/*/*PLAN.md
vbw                  standing .vbw-planning/phases/*/*PLAN.md
superpowers          path     docs/superpowers/plans/*-{slug}.md dated
compound_engineering path     docs/plans/*-{slug}-plan.md dated
dated_plans          path     docs/plans/*-{slug}.md dated
ultrapower           path     .omc/plans/{slug}.md
OpenSpec             path     openspec/changes/{slug}/{proposal,design,tasks}.md
spec-kit             path     specs/{branch}/{spec,plan,tasks}.md
BMAD_4               standing docs/stories/*.md numbered
BMAD_6               standing _bmad-output/implementation-artifacts/*-*-*.md numbered
BMAD_6               standing _bmad-output/implementation-artifacts/stories/*.md numbered
Kiro                 path     .kiro/specs/{slug}/{requirements,design,tasks}.md
";

/// Documents in a directory of plans that are none.
const OTHERS: &[&str] = &["AGENTS.md", "CLAUDE.md", "README.md"];

/// The plans of frameworks in a repository.
#[derive(Debug, Default)]
pub(super) struct FrameworkPlans {
    /// For `[lld] path`.
    pub(super) paths: Vec<String>,
    /// For `[lld] standing`.
    pub(super) standing: Vec<String>,
    /// What was found, one sentence each.
    pub(super) told: Vec<String>,
    pub(super) count: usize,
}

impl FrameworkPlans {
    pub(super) fn find(files: &[String]) -> FrameworkPlans {
        let mut found = FrameworkPlans::default();
        let mut left: Vec<&String> = files.iter().collect();
        for line in FRAMEWORKS.lines() {
            let mut words = line.split_whitespace();
            let mut word = || words.next().unwrap_or_default();
            let (name, key, pattern) = (word().replace('_', " "), word(), word());
            let start = match word() {
                "dated" => DATED,
                "numbered" => NUMBERED,
                _ => "",
            };
            let Ok(start) = Regex::new(start) else {
                continue;
            };
            let any = path_placeholders::for_any_name(pattern);
            let before = left.len();
            left.retain(|file| {
                let file_name = file.rsplit('/').next().unwrap_or_default();
                let is_plan = !OTHERS.contains(&file_name) && start.is_match(file_name);
                !(is_plan && design_selection::matches(&any, file.as_str().into()))
            });
            let documents = match before - left.len() {
                0 => continue,
                1 => "1 document".to_owned(),
                count => format!("{count} documents"),
            };
            found.count += before - left.len();
            let (patterns, by) = match key {
                "path" => (&mut found.paths, "the branch name selects the plan"),
                _ => (
                    &mut found.standing,
                    "all apply until guard use DIR narrows them",
                ),
            };
            patterns.push(pattern.to_owned());
            found
                .told
                .push(format!("{documents} of {name} found; {by}"));
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::design_selection;

    fn find(files: &[&str]) -> FrameworkPlans {
        let files: Vec<String> = files.iter().map(|file| (*file).to_owned()).collect();
        FrameworkPlans::find(&files)
    }

    #[test]
    fn each_framework_has_its_pattern() {
        for (file, path) in [
            (
                "docs/superpowers/plans/2026-01-31-x.md",
                "docs/superpowers/plans/*-{slug}.md",
            ),
            (
                "docs/plans/2026-01-31-001-feat-x-plan.md",
                "docs/plans/*-{slug}-plan.md",
            ),
            ("docs/plans/2026-01-31-x.md", "docs/plans/*-{slug}.md"),
            (".omc/plans/x.md", ".omc/plans/{slug}.md"),
            (
                "openspec/changes/x/tasks.md",
                "openspec/changes/{slug}/{proposal,design,tasks}.md",
            ),
            ("specs/004-x/plan.md", "specs/{branch}/{spec,plan,tasks}.md"),
            (
                ".kiro/specs/6-api/design.md",
                ".kiro/specs/{slug}/{requirements,design,tasks}.md",
            ),
        ] {
            let found = find(&[file]);
            assert_eq!(found.paths, [path], "{file}");
            assert_eq!(found.standing, [""; 0], "{file}");
            assert_eq!(found.told.len(), 1);
        }
        for file in [
            ".planning/phases/03-x/03-01-PLAN.md",
            ".yolo-planning/phases/03-x/01-PLAN.md",
            ".vbw-planning/phases/03-x/01-PLAN.md",
            "docs/stories/1.2.login.md",
            "_bmad-output/implementation-artifacts/1-2-login.md",
            "_bmad-output/implementation-artifacts/stories/1.2.md",
        ] {
            let found = find(&[file]);
            assert_eq!(found.paths, [""; 0], "{file}");
            let [pattern] = found.standing.as_slice() else {
                panic!("{file}: {:?}", found.standing);
            };
            assert!(design_selection::matches(pattern, file.into()), "{file}");
        }
    }

    #[test]
    fn other_documents_are_no_plans() {
        for file in [
            "docs/plans/AGENTS.md",
            "docs/plans/launch.md",
            ".omc/plans/README.md",
            "specs/plan.md",
            "openspec/changes/archive/2026-01-31-x/tasks.md",
            "openspec/specs/x/spec.md",
            "tests/.planning/phases/1/01-PLAN.md",
        ] {
            assert_eq!(find(&[file]).count, 0, "{file}");
        }
    }
}
