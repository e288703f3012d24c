//! What earlier versions read as rows: it grants nothing, the refusal names the command that proposes a table, and that
//! table, committed with the plan, lets the work through.

use crate::common::{DESIGN, Repo, SETTINGS};

/// A plan in a form that is no row any more, and the files that its work changes.
struct RemovedForm {
    name: &'static str,
    text: &'static str,
    files: &'static [&'static str],
}

const REMOVED_FORMS: &[RemovedForm] = &[
    RemovedForm {
        name: "task lines",
        text: "## Tasks\n\n- [ ] T001 Create `src/new.rs`\n- [ ] T002 [P] Update src/old.rs\n",
        files: &["src/new.rs", "src/old.rs"],
    },
    RemovedForm {
        name: "a tree",
        text: "```text\nsrc/\n└── old.rs  # MODIFY\n```\n",
        files: &["src/old.rs"],
    },
    RemovedForm {
        name: "a code block of paths",
        text: "**Files:**\n\n```\nsrc/new.rs\nsrc/old.rs\n```\n",
        files: &["src/new.rs", "src/old.rs"],
    },
    RemovedForm {
        name: "a code block below a heading",
        text: "## Files Changed\n\n```\nsrc/new.rs\nsrc/old.rs\n```\n",
        files: &["src/new.rs", "src/old.rs"],
    },
    RemovedForm {
        name: "headings that name files",
        text: "#### [NEW] src/new.rs\n\n#### [MODIFY] [old.rs](src/old.rs)\n",
        files: &["src/new.rs", "src/old.rs"],
    },
    RemovedForm {
        name: "files tags",
        text: "<task>\n<files>src/new.rs, src/old.rs</files>\n</task>\n",
        files: &["src/new.rs", "src/old.rs"],
    },
    RemovedForm {
        name: "paths on the line of a label",
        text: "**Files:** `src/new.rs`, `src/old.rs`\n",
        files: &["src/new.rs", "src/old.rs"],
    },
    RemovedForm {
        name: "a list behind a sentence",
        text: "**Files:**\n\nThe parser changes.\n\n- Create: `src/new.rs`\n- Modify: `src/old.rs`\n",
        files: &["src/new.rs", "src/old.rs"],
    },
    RemovedForm {
        name: "sentences",
        text: "Create `src/new.rs`, and change `src/old.rs`.\n",
        files: &["src/new.rs", "src/old.rs"],
    },
];

#[test]
fn a_removed_form_grants_nothing_and_its_refusal_names_the_next_step_which_works() {
    for form in REMOVED_FORMS {
        let repo = Repo::new();
        repo.stage("guard.toml", SETTINGS);
        repo.stage("src/old.rs", "old\n");
        let plan = format!("# Plan\n\n{}", form.text);
        repo.stage(DESIGN, &plan);
        repo.commit("Begin");
        repo.branch("188-work");
        for path in form.files {
            repo.stage(path, "changed\n");
        }
        println!("{}", form.name);
        let lint = repo.guard(&["lint"]).exits(2);
        lint.says(&format!("guard scope import {DESIGN}"));
        let checked = repo.json(&["scope", "check", DESIGN]);
        assert_eq!(checked["grants"].as_array().map(Vec::len), Some(0));

        let printed = repo.guard(&["scope", "import", DESIGN, "--print"]).exits(0);
        repo.stage(DESIGN, format!("{plan}\n{}", printed.stdout));
        repo.git(&["commit", "--quiet", "-m", "Add rows", "--", DESIGN]);
        repo.guard(&["lint"]).exits(0);
        repo.tells("scope check", 0, "nothing to correct");
        repo.stage("src/other.rs", "x\n");
        repo.tells("lint", 1, "src/other.rs is not in the design");
    }
}

/// Beside a row, such a form is no error, and what it names stays out of scope.
#[test]
fn a_removed_form_beside_a_row_grants_nothing() {
    for form in REMOVED_FORMS {
        let repo = Repo::new();
        repo.stage("guard.toml", SETTINGS);
        let rows = "# Work\n\n**Files:**\n\n- `src/a.rs`\n";
        repo.stage(DESIGN, format!("# Plan\n\n{}\n{rows}", form.text));
        repo.commit("Begin");
        repo.branch("188-work");
        repo.stage("src/a.rs", "changed\n");
        println!("{}", form.name);
        repo.guard(&["lint"]).exits(0);
        for path in form.files {
            repo.stage(path, "changed\n");
            repo.tells("lint", 1, &format!("{path} is not in the design"));
            repo.git(&["rm", "--quiet", "--cached", path]);
        }
    }
}
