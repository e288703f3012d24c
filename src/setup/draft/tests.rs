//! What `guard init` finds and writes.

#![allow(clippy::unwrap_used)]

use super::*;
use write_guard_policy::design::parse;
use write_guard_policy::scope::done::signs_of;
use write_guard_policy::scope::settings::{self, Settings};

fn drafted(files: &[&str], base: &str) -> (SettingsDraft, Settings) {
    let files: Vec<String> = files.iter().map(|name| (*name).to_owned()).collect();
    let draft = draft(&files, Some(base.to_owned()));
    let settings = settings::parse(draft.text.as_bytes()).unwrap();
    (draft, settings)
}

#[test]
fn designs_are_found_by_their_names() {
    for (files, path) in [
        (
            &["docs/lld/LLD-188.md", "docs/lld/LLD-9.md"][..],
            &["docs/lld/LLD-{issue}.md"][..],
        ),
        (
            &["docs/design/LLD-7-sort.md"],
            &["docs/design/LLD-{issue}-*.md"],
        ),
        (
            &[
                "docs/lld/active/LLD-7.md",
                "docs/lld/active/LLD-8-x.md",
                "docs/lld/done/LLD-1.md",
            ],
            &[
                "docs/lld/active/LLD-{issue}-*.md",
                "docs/lld/active/LLD-{issue}.md",
            ],
        ),
        (&["docs/lld/LLD-0042-padded.md"], &[DEFAULT_PATH]),
        (&["tests/docs/lld/LLD-1.md"], &[DEFAULT_PATH]),
        (&["LLD-1.md", "docs/lld/LLD-{issue}.md"], &[DEFAULT_PATH]),
    ] {
        let (draft, settings) = drafted(files, "main");
        assert_eq!(settings.lld_path, path, "{files:?}");
        let is_first = draft.next.contains("write the first design");
        assert_eq!(is_first, path == [DEFAULT_PATH], "{files:?}");
    }
}

/// The settings of a repository with these files and a standing design.
fn of_files(files: &[&str]) -> Settings {
    drafted(&[files, &[STANDING]].concat(), "main").1
}

#[test]
fn each_framework_has_its_pattern() {
    for (file, key, pattern) in [
        (
            "docs/superpowers/plans/2026-01-31-x.md",
            "path",
            "docs/superpowers/plans/*-{slug}.md",
        ),
        (
            "docs/plans/2026-01-31-001-x-plan.md",
            "path",
            "docs/plans/*-{slug}-plan.md",
        ),
        (
            "docs/plans/2026-01-31-x.md",
            "path",
            "docs/plans/*-{slug}.md",
        ),
        (".omc/plans/x.md", "path", ".omc/plans/{slug}.md"),
        (
            "specs/004-x/plan.md",
            "path",
            "specs/{branch}/{spec,plan,tasks,files}.md",
        ),
        ("docs/stories/1.2.login.md", "standing", "docs/stories/*.md"),
        ("docs/plans/AGENTS.md", "", ""),
        ("docs/plans/launch.md", "", ""),
        ("docs/plans/2026-1-31-x.md", "", ""),
        ("docs/stories/login.md", "", ""),
        ("specs/plan.md", "", ""),
        ("specs/login/login_spec.rb", "", ""),
        ("tests/.planning/phases/1/01-PLAN.md", "", ""),
        (".planning-notes/x.md", "", ""),
    ] {
        let settings = of_files(&[file]);
        let found = match (&settings.lld_path[..], &settings.standing[..]) {
            ([path], []) if path != DEFAULT_PATH => ("path", path.as_str()),
            ([], [standing]) => ("standing", standing.as_str()),
            _ => ("", ""),
        };
        assert_eq!(found, (key, pattern), "{file}");
    }
}

/// Fresh from its own `init`, or with nothing but work that is done, a framework is in use as well.
#[test]
fn framework_is_known_by_its_directory_without_an_open_plan() {
    const OPENSPEC: &str = "openspec/changes/{slug}/{proposal,design,tasks,files}.md";
    const SPEC_KIT: &str = "specs/{branch}/{spec,plan,tasks,files}.md";
    const KIRO: &str = ".kiro/specs/{slug}/{requirements,design,tasks,files}.md";
    const SUPERPOWERS: &str = "docs/superpowers/plans/*-{slug}.md";
    for (file, path, standing) in [
        ("openspec/", &[OPENSPEC][..], &[][..]),
        ("openspec/specs/x/spec.md", &[OPENSPEC], &[]),
        (
            "openspec/changes/archive/2026-01-31-x/tasks.md",
            &[OPENSPEC],
            &[],
        ),
        (".specify/memory/constitution.md", &[SPEC_KIT], &[]),
        (".kiro/steering/product.md", &[KIRO], &[]),
        (
            "docs/superpowers/specs/2026-01-31-x-design.md",
            &[SUPERPOWERS],
            &[],
        ),
        (
            ".planning/PROJECT.md",
            &[],
            &[".planning/phases/*/*PLAN.md"],
        ),
        (
            ".yolo-planning/",
            &[],
            &[".yolo-planning/phases/*/*PLAN.md"],
        ),
        (".vbw-planning/x", &[], &[".vbw-planning/phases/*/*PLAN.md"]),
        (".bmad-core/core-config.yaml", &[], &["docs/stories/*.md"]),
        (
            "_bmad/config.yaml",
            &[],
            &[
                "_bmad-output/implementation-artifacts/*-*-*.md",
                "_bmad-output/implementation-artifacts/stories/*.md",
                "_bmad-output/implementation-artifacts/spec-*.md",
            ],
        ),
        (
            "agent-os/config.yml",
            &["agent-os/specs/*-{slug}/{spec,plan,tasks,files}.md"],
            &[],
        ),
        (
            ".agent-os/product/mission.md",
            &[".agent-os/specs/*-{slug}/{spec,tasks,files}.md"],
            &[],
        ),
        // Tasks in JSON are no designs.
        (".taskmaster/tasks/tasks.json", &[DEFAULT_PATH], &[]),
    ] {
        let settings = of_files(&[file]);
        assert_eq!(settings.lld_path, path, "{file}");
        assert_eq!(settings.standing, standing, "{file}");
    }
}

#[test]
fn bookkeeping_of_a_framework_needs_no_row_and_its_plans_are_not_among_it() {
    for (mark, bookkeeping, others) in [
        (
            ".planning/",
            &[
                ".planning/STATE.md",
                ".planning/phases/03-x/03-01-SUMMARY.md",
                ".planning/phases/03-x/03-CONTEXT.md",
            ][..],
            &[
                ".planning/phases/03-x/03-01-PLAN.md",
                ".planning/phases/03-x/PLAN.md",
                "x/.planning/STATE.md",
            ][..],
        ),
        (
            "openspec/",
            &[
                "openspec/config.yaml",
                "openspec/changes/x/specs/login/spec.md",
                "openspec/specs/login/spec.md",
                "openspec/changes/archive/2026-01-31-x/tasks.md",
            ],
            &[
                "openspec/changes/x/proposal.md",
                "openspec/changes/x/design.md",
                "openspec/changes/x/tasks.md",
                "openspec/changes/x/files.md",
            ],
        ),
        (
            ".specify/",
            &[
                ".specify/feature.json",
                ".specify/memory/constitution.md",
                "specs/004-x/research.md",
                "specs/004-x/contracts/api.yaml",
                "specs/20260131-101500-x/checklists/ux.md",
            ],
            &[
                "specs/004-x/spec.md",
                "specs/004-x/plan.md",
                "specs/004-x/tasks.md",
                "specs/004-x/files.md",
                "specs/models/user_spec.rb",
                ".specify/scripts/bash/setup-plan.sh",
            ],
        ),
        (
            "docs/superpowers/",
            &["docs/superpowers/specs/2026-01-31-x-design.md"],
            &["docs/superpowers/plans/2026-01-31-x.md"],
        ),
        (
            "_bmad-output/",
            &[
                "_bmad-output/implementation-artifacts/sprint-status.yaml",
                "_bmad-output/planning-artifacts/prd.md",
            ],
            &[
                "_bmad-output/implementation-artifacts/1-2-x.md",
                "_bmad-output/implementation-artifacts/stories/1.2.md",
                "_bmad-output/implementation-artifacts/spec-x.md",
                "_bmad/x.md",
            ],
        ),
        (
            ".bmad-core/",
            &["docs/qa/gates/1.2-x.yml"],
            &["docs/stories/1.2.x.md", ".bmad-core/core-config.yaml"],
        ),
        (
            ".kiro/",
            &[".kiro/steering/product.md", ".kiro/specs/x/.config.kiro"],
            &[
                ".kiro/specs/x/requirements.md",
                ".kiro/specs/x/design.md",
                ".kiro/specs/x/tasks.md",
                ".kiro/specs/x/files.md",
                ".kiro/settings/mcp.json",
                ".kiro/hooks/test.kiro.hook",
            ],
        ),
        (
            "agent-os/",
            &[
                "agent-os/product/mission.md",
                "agent-os/specs/2026-01-31-x/planning/requirements.md",
            ],
            &["agent-os/specs/2026-01-31-x/tasks.md"],
        ),
        (
            ".agent-os/",
            &[
                ".agent-os/product/roadmap.md",
                ".agent-os/specs/2026-01-31-x/spec-lite.md",
            ],
            &[".agent-os/specs/2026-01-31-x/spec.md"],
        ),
        (
            ".taskmaster/",
            &[".taskmaster/tasks/tasks.json", ".taskmaster/state.json"],
            &["x/taskmaster/x"],
        ),
        ("docs/lld/active/LLD-7.md", &[], &["docs/lld/x.md"]),
    ] {
        let always = of_files(&[mark]).always;
        for file in bookkeeping {
            assert!(always.contains((*file).into()), "{mark} {file}");
        }
        for file in others {
            assert!(!always.contains((*file).into()), "{mark} {file}");
        }
    }
}

#[test]
fn what_says_that_a_plan_is_done_is_set_where_there_is_such_a_file() {
    for (file, done) in [
        (".planning/", &[".planning/phases/{1}/{2}SUMMARY.md"][..]),
        ("docs/lld/active/LLD-7.md", &[DEFAULT_DONE]),
        (
            "docs/lld/active/LLD-7-x.md",
            &["docs/lld/done/LLD-{issue}-{1}.md"],
        ),
        ("docs/lld/LLD-7.md", &[]),
        ("openspec/", &[]),
        ("src/lib.rs", &[DEFAULT_DONE]),
    ] {
        assert_eq!(of_files(&[file]).done, done, "{file}");
    }
    let settings = of_files(&[".planning/", ".yolo-planning/", ".vbw-planning/"]);
    for (plan, sign) in [
        (
            ".planning/phases/03.1-x/03.1-02-PLAN.md",
            ".planning/phases/03.1-x/03.1-02-SUMMARY.md",
        ),
        (
            ".planning/phases/1/PLAN.md",
            ".planning/phases/1/SUMMARY.md",
        ),
        (
            ".vbw-planning/phases/03-x/02-PLAN.md",
            ".vbw-planning/phases/03-x/02-SUMMARY.md",
        ),
    ] {
        let signs = signs_of(plan.into(), settings.standing.iter(), &settings.done);
        assert!(signs.contains(&sign.into()), "{plan} {signs:?}");
    }
}

#[test]
fn plans_without_a_table_get_the_line_that_asks_for_one() {
    for (files, places) in [
        (&[".planning/"][..], &[][..]),
        (&["src/lib.rs"], &[]),
        (&[".taskmaster/"], &[]),
        (&["openspec/"], &["AGENTS.md or CLAUDE.md"]),
        (
            &["openspec/", ".specify/", ".agent-os/"],
            &[
                "AGENTS.md or CLAUDE.md",
                ".specify/templates/plan-template.md",
            ],
        ),
    ] {
        assert_eq!(drafted(files, "main").0.line_goes_to, places, "{files:?}");
    }
}

#[test]
fn hostile_names_stay_out_of_the_files() {
    let files = [
        "a\nb/tests/x",
        "x\n[rules]/Cargo.lock",
        "x\n| `src/` | Modify |/Cargo.toml",
    ];
    let (draft, settings) = drafted(&files, "1\n[rules]\nout-of-scope=\"off\"");
    assert!(!draft.text.contains("[rules]"), "{}", draft.text);
    assert_eq!(settings.levels, Settings::default().levels);
    assert!(!draft.standing.unwrap().contains("src/"));
}

#[test]
fn rows_of_the_standing_design_name_the_files_of_the_repository() {
    let files = "CHANGELOG.md .pre-commit-config.yaml Cargo.lock Cargo.toml a/b/package.json \
        node_modules/x/package.json rustfmt.toml src/lib.rs tests/x/Cargo.toml";
    let own = ".pre-commit-config.yaml Cargo.toml a/b/package.json rustfmt.toml CHANGELOG.md";
    for (files, expected) in [("", "CHANGELOG.md"), (files, own)] {
        let files: Vec<&str> = files.split_whitespace().collect();
        let text = drafted(&files, "main").0.standing.unwrap();
        let design = parse(STANDING.into(), text.as_bytes(), &Settings::default());
        let granted: Vec<_> = design
            .grants
            .iter()
            .map(|grant| grant.path.to_string())
            .collect();
        assert_eq!(granted.join(" "), expected);
        assert_eq!(design.faults, []);
    }
    assert_eq!(drafted(&[STANDING], "main").0.standing, None);
}

#[test]
fn change_logs_are_known_by_their_names() {
    for name in [
        "CHANGES",
        "Changelog.md",
        "changelog.rst",
        "CHANGE_NOTES.txt",
        "history.adoc",
        "NEWS",
        "news.md",
        "RELEASES.md",
        "ReleaseNotes.md",
        "release-notes.txt",
    ] {
        assert!(is_change_log(name), "{name}");
    }
    for name in [
        "README.md",
        "LICENSE",
        "notes.txt",
        "changes.png",
        "release.toml",
        "news.yaml",
        "exchange.md",
        "newsletter.md",
        "historical.md",
        "changes.md.txt",
        "",
    ] {
        assert!(!is_change_log(name), "{name}");
    }
}
