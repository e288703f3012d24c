//! Recognises the frameworks in which teams write plans by their directories, and knows which document of each is in
//! force.

use regex_lite::Regex;

/// A framework and where it keeps its plans.
struct Framework {
    name: &'static str,
    /// Matches a plan.
    plan: &'static str,
    /// For `[lld] path`; `{root}` is what the group `root` of `plan` matches.
    paths: &'static [&'static str],
    /// The file that names the plan in force, with a further path that it selects by.
    pointer: Option<(&'static str, &'static str)>,
}

const FRAMEWORKS: &[Framework] = &[
    Framework {
        name: "GSD",
        plan: r"^\.planning/phases/[^/]+/[^/]*PLAN\.md$",
        paths: &[],
        pointer: Some((".planning/STATE.md", ".planning/phases/*/{pointer}-PLAN.md")),
    },
    Framework {
        name: "yolo",
        plan: r"^(?P<root>\.(yolo|vbw)-planning)/phases/[^/]+/[^/]*PLAN\.md$",
        paths: &[],
        pointer: Some(("{root}/STATE.md", "{root}/phases/{pointer}-*/*PLAN.md")),
    },
    Framework {
        name: "superpowers",
        plan: r"^docs/superpowers/plans/[0-9]{4}-[0-9]{2}-[0-9]{2}-[^/]+\.md$",
        paths: &["docs/superpowers/plans/*-{slug}.md"],
        pointer: None,
    },
    Framework {
        name: "compound engineering",
        plan: r"^docs/plans/[0-9]{4}-[0-9]{2}-[0-9]{2}-[^/]+-plan\.md$",
        paths: &["docs/plans/*-{slug}-plan.md"],
        pointer: None,
    },
    Framework {
        name: "dated plans",
        plan: r"^docs/plans/[0-9]{4}-[0-9]{2}-[0-9]{2}-[^/]+\.md$",
        paths: &["docs/plans/*-{slug}.md"],
        pointer: None,
    },
    Framework {
        name: "ultrapower",
        plan: r"^\.omc/plans/[^/]+\.md$",
        paths: &[".omc/plans/{slug}.md"],
        pointer: None,
    },
    Framework {
        name: "OpenSpec",
        plan: r"^openspec/changes/[^/]+/(proposal|design|tasks)\.md$",
        paths: &["openspec/changes/{slug}/{proposal,design,tasks}.md"],
        pointer: None,
    },
    Framework {
        name: "spec-kit",
        plan: r"^specs/[^/]+(/[^/]+)?/(spec|plan|tasks)\.md$",
        paths: &["specs/{branch}/{spec,plan,tasks}.md"],
        pointer: Some((
            ".specify/feature.json",
            "specs/{pointer}/{spec,plan,tasks}.md",
        )),
    },
    Framework {
        name: "BMAD 4",
        plan: r"^docs/stories/[0-9]+\.[0-9]+[^/]*\.md$",
        paths: &["docs/stories/{slug}{,.*,_*}.md"],
        pointer: None,
    },
    Framework {
        name: "BMAD 6",
        plan: r"^(?P<root>_bmad-output/implementation-artifacts)/[0-9]+-[0-9]+-[^/]+\.md$",
        paths: &[],
        pointer: Some(("{root}/sprint-status.yaml", "{root}/{pointer}.md")),
    },
    Framework {
        name: "BMAD 6",
        plan: r"^_bmad-output/implementation-artifacts/stories/[0-9]+\.[0-9]+[^/]*\.md$",
        paths: &["_bmad-output/implementation-artifacts/stories/{slug}{,.*,_*}.md"],
        pointer: None,
    },
    Framework {
        name: "Kiro",
        plan: r"^\.kiro/specs/[^/]+/(requirements|design|tasks)\.md$",
        paths: &[".kiro/specs/{slug}/{requirements,design,tasks}.md"],
        pointer: None,
    },
];

/// Documents in a directory of plans that are none.
const OTHERS: &[&str] = &["AGENTS.md", "CLAUDE.md", "README.md"];

/// The plans of frameworks in a repository.
#[derive(Debug, Default)]
pub(super) struct FrameworkPlans {
    /// For `[lld] path`.
    pub(super) paths: Vec<String>,
    /// For `[lld] pointer`.
    pub(super) pointer: Option<String>,
    /// What was found, one sentence each.
    pub(super) told: Vec<String>,
    pub(super) count: usize,
}

impl FrameworkPlans {
    pub(super) fn find(files: &[String]) -> FrameworkPlans {
        let mut found = FrameworkPlans::default();
        let mut taken = vec![false; files.len()];
        for framework in FRAMEWORKS {
            let Ok(plan) = Regex::new(framework.plan) else {
                continue;
            };
            let mut count = 0;
            let mut root = "";
            for (file, taken) in files.iter().zip(&mut taken) {
                let name = file.rsplit('/').next().unwrap_or_default();
                if *taken || OTHERS.contains(&name) {
                    continue;
                }
                if let Some(captures) = plan.captures(file) {
                    *taken = true;
                    count += 1;
                    root = captures.name("root").map_or("", |root| root.as_str());
                }
            }
            if count > 0 {
                found.add(framework, root, count, files);
            }
        }
        found
    }

    fn add(&mut self, framework: &Framework, root: &str, count: usize, files: &[String]) {
        let documents = match count {
            1 => "1 document".to_owned(),
            count => format!("{count} documents"),
        };
        let mut paths: Vec<String> = framework.paths.iter().map(|path| (*path).into()).collect();
        let mut by = "the branch name selects the plan";
        if let Some((pointer, path)) = framework.pointer {
            let pointer = pointer.replace("{root}", root);
            // spec-kit had no pointer at first. There is one pointer per repository.
            let is_there = files.contains(&pointer) || framework.paths.is_empty();
            if is_there && self.pointer.is_none() {
                paths.push(path.replace("{root}", root));
                self.pointer = Some(pointer);
                by = match framework.paths {
                    [] => "its own state selects the plan",
                    _ => "the branch name selects the plan, else its own state",
                };
            } else if framework.paths.is_empty() {
                by = "choose its plans with guard use";
            }
        }
        self.told
            .push(format!("{documents} of {} found; {by}", framework.name));
        self.paths.extend(paths);
        self.count += count;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(files: &[&str]) -> FrameworkPlans {
        let files: Vec<String> = files.iter().map(|file| (*file).to_owned()).collect();
        FrameworkPlans::find(&files)
    }

    #[test]
    fn each_framework_has_its_paths() {
        for (files, paths, pointer) in [
            (
                &[".planning/phases/03-x/03-01-PLAN.md", ".planning/STATE.md"][..],
                &[".planning/phases/*/{pointer}-PLAN.md"][..],
                Some(".planning/STATE.md"),
            ),
            (
                &[".vbw-planning/phases/03-x/01-PLAN.md"],
                &[".vbw-planning/phases/{pointer}-*/*PLAN.md"],
                Some(".vbw-planning/STATE.md"),
            ),
            (
                &["docs/superpowers/plans/2026-01-31-x.md"],
                &["docs/superpowers/plans/*-{slug}.md"],
                None,
            ),
            (
                &["docs/plans/2026-01-31-001-feat-x-plan.md"],
                &["docs/plans/*-{slug}-plan.md"],
                None,
            ),
            (
                &["docs/plans/2026-01-31-x.md"],
                &["docs/plans/*-{slug}.md"],
                None,
            ),
            (&[".omc/plans/x.md"], &[".omc/plans/{slug}.md"], None),
            (
                &["openspec/changes/x/tasks.md"],
                &["openspec/changes/{slug}/{proposal,design,tasks}.md"],
                None,
            ),
            (
                &["specs/004-x/plan.md"],
                &["specs/{branch}/{spec,plan,tasks}.md"],
                None,
            ),
            (
                &[".specify/feature.json", "specs/004-x/plan.md"],
                &[
                    "specs/{branch}/{spec,plan,tasks}.md",
                    "specs/{pointer}/{spec,plan,tasks}.md",
                ],
                Some(".specify/feature.json"),
            ),
            (
                &["docs/stories/1.2.login.md"],
                &["docs/stories/{slug}{,.*,_*}.md"],
                None,
            ),
            (
                &["_bmad-output/implementation-artifacts/1-2-login.md"],
                &["_bmad-output/implementation-artifacts/{pointer}.md"],
                Some("_bmad-output/implementation-artifacts/sprint-status.yaml"),
            ),
            (
                &[".kiro/specs/6-api/design.md"],
                &[".kiro/specs/{slug}/{requirements,design,tasks}.md"],
                None,
            ),
        ] {
            let found = find(files);
            assert_eq!(found.paths, paths, "{files:?}");
            assert_eq!(found.pointer.as_deref(), pointer, "{files:?}");
            assert_eq!(found.told.len(), 1);
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
