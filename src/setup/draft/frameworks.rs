//! The plan frameworks that `guard init` knows: how to recognise each, where its plans are, what it writes beside them,
//! and what says that a plan is done.

/// A framework, or a habit of naming designs.
#[derive(Debug)]
pub(super) struct Framework {
    pub(super) name: &'static str,
    /// The directories at the root that show that it is in use, also before its first plan and after its last. Without
    /// any, only its plans show it.
    pub(super) directories: &'static [&'static str],
    pub(super) plans: &'static [Plans],
    /// What it writes beside its plans, as patterns of `[scope] always`. Everything below a covered directory is covered
    /// whatever a later `!` says, so each directory that holds plans is taken out before they are.
    pub(super) always: &'static [&'static str],
    /// Where the line belongs that makes its plans name their files in a table; `None` where they do already.
    pub(super) line_goes_to: Option<&'static str>,
}

/// Where plans are.
#[derive(Debug)]
pub(super) struct Plans {
    pub(super) selected: Selected,
    pub(super) pattern: &'static str,
    /// Whether a file is one, by its name: other documents may be beside plans.
    pub(super) is_plan: fn(&str) -> bool,
    /// The pattern of `[lld] done` for them.
    pub(super) done: Option<&'static str>,
}

/// How a branch gets its plans: the key of `[lld]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Selected {
    /// `path`: by the name of the branch.
    ByBranch,
    /// `standing`: all are in force, because work goes from plan to plan on one branch.
    All,
}

/// Where designs go if there are none yet.
pub(super) const DEFAULT_PATH: &str = "docs/lld/active/LLD-{issue}.md";
/// Where they go once their work is done.
pub(super) const DEFAULT_DONE: &str = "docs/lld/done/LLD-{issue}.md";

const AGENT_FILES: Option<&str> = Some("AGENTS.md or CLAUDE.md");

const NOTHING: Framework = Framework {
    name: "",
    directories: &[],
    plans: &[],
    always: &[],
    line_goes_to: None,
};

/// An earlier entry takes a file away from the later ones.
pub(super) const FRAMEWORKS: &[Framework] = &[
    Framework {
        name: "GSD",
        directories: &[".planning"],
        plans: &[Plans {
            selected: Selected::All,
            pattern: ".planning/phases/*/*PLAN.md",
            is_plan: any_name,
            done: Some(".planning/phases/{1}/{2}SUMMARY.md"),
        }],
        always: &[
            "/.planning/**",
            "!/.planning/**/",
            "!/.planning/phases/*/*PLAN.md",
        ],
        ..NOTHING
    },
    Framework {
        name: "yolo",
        directories: &[".yolo-planning"],
        plans: &[Plans {
            selected: Selected::All,
            pattern: ".yolo-planning/phases/*/*PLAN.md",
            is_plan: any_name,
            done: Some(".yolo-planning/phases/{1}/{2}SUMMARY.md"),
        }],
        always: &[
            "/.yolo-planning/**",
            "!/.yolo-planning/**/",
            "!/.yolo-planning/phases/*/*PLAN.md",
        ],
        line_goes_to: AGENT_FILES,
    },
    Framework {
        name: "vbw",
        directories: &[".vbw-planning"],
        plans: &[Plans {
            selected: Selected::All,
            pattern: ".vbw-planning/phases/*/*PLAN.md",
            is_plan: any_name,
            done: Some(".vbw-planning/phases/{1}/{2}SUMMARY.md"),
        }],
        always: &[
            "/.vbw-planning/**",
            "!/.vbw-planning/**/",
            "!/.vbw-planning/phases/*/*PLAN.md",
        ],
        line_goes_to: AGENT_FILES,
    },
    Framework {
        name: "superpowers",
        directories: &["docs/superpowers"],
        plans: &[Plans {
            selected: Selected::ByBranch,
            pattern: "docs/superpowers/plans/*-{slug}.md",
            is_plan: begins_with_date,
            done: None,
        }],
        always: &["/docs/superpowers/specs/"],
        line_goes_to: AGENT_FILES,
    },
    Framework {
        name: "compound engineering",
        plans: &[Plans {
            selected: Selected::ByBranch,
            pattern: "docs/plans/*-{slug}-plan.md",
            is_plan: begins_with_date,
            done: None,
        }],
        always: &["/docs/brainstorms/", "/docs/solutions/"],
        line_goes_to: AGENT_FILES,
        ..NOTHING
    },
    Framework {
        name: "dated plans",
        plans: &[Plans {
            selected: Selected::ByBranch,
            pattern: "docs/plans/*-{slug}.md",
            is_plan: begins_with_date,
            done: None,
        }],
        line_goes_to: AGENT_FILES,
        ..NOTHING
    },
    Framework {
        name: "ultrapower",
        directories: &[".omc/plans"],
        plans: &[Plans {
            selected: Selected::ByBranch,
            pattern: ".omc/plans/{slug}.md",
            is_plan: any_name,
            done: None,
        }],
        always: &["/.omc/**", "!/.omc/**/", "!/.omc/plans/*.md"],
        line_goes_to: AGENT_FILES,
    },
    Framework {
        name: "OpenSpec",
        directories: &["openspec"],
        plans: &[Plans {
            selected: Selected::ByBranch,
            pattern: "openspec/changes/{slug}/{proposal,design,tasks,files}.md",
            is_plan: any_name,
            done: None,
        }],
        always: &[
            "/openspec/**",
            "!/openspec/**/",
            "!/openspec/changes/*/proposal.md",
            "!/openspec/changes/*/design.md",
            "!/openspec/changes/*/tasks.md",
            "!/openspec/changes/*/files.md",
        ],
        line_goes_to: AGENT_FILES,
    },
    Framework {
        name: "spec-kit",
        directories: &[".specify"],
        plans: &[Plans {
            selected: Selected::ByBranch,
            pattern: "specs/{branch}/{spec,plan,tasks,files}.md",
            is_plan: any_name,
            done: None,
        }],
        // Its directories begin with a number or a date; others below specs/ may hold tests. Its scripts are code.
        always: &[
            "/specs/[0-9]*/**",
            "!/specs/**/",
            "!/specs/*/spec.md",
            "!/specs/*/plan.md",
            "!/specs/*/tasks.md",
            "!/specs/*/files.md",
            "/.specify/**",
            "!/.specify/**/",
            "!/.specify/scripts/**",
        ],
        line_goes_to: Some(".specify/templates/plan-template.md"),
    },
    Framework {
        name: "BMAD 4",
        directories: &[".bmad-core"],
        plans: &[Plans {
            selected: Selected::All,
            pattern: "docs/stories/*.md",
            is_plan: begins_with_story,
            done: None,
        }],
        always: &["/docs/qa/gates/", "/docs/qa/assessments/"],
        line_goes_to: AGENT_FILES,
    },
    Framework {
        name: "BMAD 6",
        directories: &["_bmad", "_bmad-output"],
        plans: &[
            Plans {
                selected: Selected::All,
                pattern: "_bmad-output/implementation-artifacts/*-*-*.md",
                is_plan: begins_with_story,
                done: None,
            },
            Plans {
                selected: Selected::All,
                pattern: "_bmad-output/implementation-artifacts/stories/*.md",
                is_plan: begins_with_story,
                done: None,
            },
            // What its skill for building writes.
            Plans {
                selected: Selected::All,
                pattern: "_bmad-output/implementation-artifacts/spec-*.md",
                is_plan: any_name,
                done: None,
            },
        ],
        always: &[
            "/_bmad-output/**",
            "!/_bmad-output/**/",
            "!/_bmad-output/implementation-artifacts/*-*-*.md",
            "!/_bmad-output/implementation-artifacts/stories/*.md",
            "!/_bmad-output/implementation-artifacts/spec-*.md",
        ],
        line_goes_to: AGENT_FILES,
    },
    Framework {
        name: "numbered designs",
        plans: &[
            Plans {
                selected: Selected::ByBranch,
                pattern: "docs/lld/active/LLD-{issue}-*.md",
                is_plan: is_numbered_with_title,
                done: Some("docs/lld/done/LLD-{issue}-{1}.md"),
            },
            Plans {
                selected: Selected::ByBranch,
                pattern: DEFAULT_PATH,
                is_plan: is_numbered,
                done: Some(DEFAULT_DONE),
            },
            Plans {
                selected: Selected::ByBranch,
                pattern: "docs/lld/LLD-{issue}-*.md",
                is_plan: is_numbered_with_title,
                done: None,
            },
            Plans {
                selected: Selected::ByBranch,
                pattern: "docs/lld/LLD-{issue}.md",
                is_plan: is_numbered,
                done: None,
            },
            Plans {
                selected: Selected::ByBranch,
                pattern: "docs/design/LLD-{issue}-*.md",
                is_plan: is_numbered_with_title,
                done: None,
            },
            Plans {
                selected: Selected::ByBranch,
                pattern: "docs/design/LLD-{issue}.md",
                is_plan: is_numbered,
                done: None,
            },
        ],
        ..NOTHING
    },
    Framework {
        name: "Kiro",
        directories: &[".kiro"],
        plans: &[Plans {
            selected: Selected::ByBranch,
            pattern: ".kiro/specs/{slug}/{requirements,design,tasks,files}.md",
            is_plan: any_name,
            done: None,
        }],
        // Its hooks and settings start programs.
        always: &[
            "/.kiro/steering/",
            "/.kiro/specs/**",
            "!/.kiro/specs/**/",
            "!/.kiro/specs/*/requirements.md",
            "!/.kiro/specs/*/design.md",
            "!/.kiro/specs/*/tasks.md",
            "!/.kiro/specs/*/files.md",
        ],
        line_goes_to: Some("a file below .kiro/steering/"),
    },
    Framework {
        name: "Agent OS",
        directories: &["agent-os"],
        plans: &[Plans {
            selected: Selected::ByBranch,
            pattern: "agent-os/specs/*-{slug}/{spec,plan,tasks,files}.md",
            is_plan: any_name,
            done: None,
        }],
        always: &[
            "/agent-os/**",
            "!/agent-os/**/",
            "!/agent-os/specs/*/spec.md",
            "!/agent-os/specs/*/plan.md",
            "!/agent-os/specs/*/tasks.md",
            "!/agent-os/specs/*/files.md",
        ],
        line_goes_to: AGENT_FILES,
    },
    Framework {
        name: "Agent OS 1",
        directories: &[".agent-os"],
        plans: &[Plans {
            selected: Selected::ByBranch,
            pattern: ".agent-os/specs/*-{slug}/{spec,tasks,files}.md",
            is_plan: any_name,
            done: None,
        }],
        always: &[
            "/.agent-os/**",
            "!/.agent-os/**/",
            "!/.agent-os/specs/*/spec.md",
            "!/.agent-os/specs/*/tasks.md",
            "!/.agent-os/specs/*/files.md",
        ],
        line_goes_to: AGENT_FILES,
    },
    // Its tasks are JSON and name no files.
    Framework {
        name: "Taskmaster",
        directories: &[".taskmaster"],
        always: &["/.taskmaster/"],
        ..NOTHING
    },
];

fn any_name(_: &str) -> bool {
    true
}

/// `2026-01-31-login.md`
fn begins_with_date(name: &str) -> bool {
    let form = "0000-00-00-";
    name.len() > form.len()
        && name
            .bytes()
            .zip(form.bytes())
            .all(|(byte, form)| byte == form || form == b'0' && byte.is_ascii_digit())
}

/// `1.2.login.md`, `1-2-login.md`
fn begins_with_story(name: &str) -> bool {
    let epic = name.trim_start_matches(|c: char| c.is_ascii_digit());
    let story = epic.strip_prefix(['.', '-']).unwrap_or_default();
    epic.len() < name.len() && story.starts_with(|c: char| c.is_ascii_digit())
}

/// `LLD-188.md`
fn is_numbered(name: &str) -> bool {
    behind_number(name).is_some_and(|rest| rest.starts_with('.'))
}

/// `LLD-188-login.md`
fn is_numbered_with_title(name: &str) -> bool {
    behind_number(name).is_some_and(|rest| rest.starts_with('-'))
}

/// What follows the number of a design, which is an issue's and has no zeros in front.
fn behind_number(name: &str) -> Option<&str> {
    let number = name.strip_prefix("LLD-")?;
    let rest = number.trim_start_matches(|c: char| c.is_ascii_digit());
    (rest.len() < number.len() && !number.starts_with('0')).then_some(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dated_plan_begins_with_year_month_and_day() {
        for name in ["2026-01-31-x", "2026-01-31-login.md", "0000-99-99-.md"] {
            assert!(begins_with_date(name), "{name}");
        }
        for name in [
            "2026-01-31-",
            "2026-01-31",
            "2026-01-31.md",
            "2026-1-31-login.md",
            "20260131-login.md",
            "2026_01_31_login.md",
            "2026-0a-31-login.md",
            "2026-01-3--login.md",
            "x2026-01-31-login.md",
            "launch-of-login.md",
        ] {
            assert!(!begins_with_date(name), "{name}");
        }
    }

    #[test]
    fn a_story_begins_with_the_numbers_of_its_epic_and_of_itself() {
        for name in ["1.2.login.md", "1-2-login.md", "10.21.md", "1.2"] {
            assert!(begins_with_story(name), "{name}");
        }
        for name in [
            "",
            "1",
            "1.",
            "12.md",
            "1.login.md",
            "1-login.md",
            ".2.md",
            "-2-login.md",
            "1_2_login.md",
            "a1.2.md",
        ] {
            assert!(!begins_with_story(name), "{name}");
        }
    }

    #[test]
    fn a_numbered_design_has_the_number_of_an_issue() {
        for (name, is_alone, has_title) in [
            ("LLD-188.md", true, false),
            ("LLD-7.md", true, false),
            ("LLD-188-login.md", false, true),
            ("LLD-.md", false, false),
            ("LLD--login.md", false, false),
            ("LLD-088.md", false, false),
            ("LLD-188a.md", false, false),
            ("188.md", false, false),
        ] {
            assert_eq!(is_numbered(name), is_alone, "{name}");
            assert_eq!(is_numbered_with_title(name), has_title, "{name}");
        }
    }
}
