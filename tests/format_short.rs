//! `--format short`: one line per finding, which editors read.

use regex_lite::Regex;
use write_guard_repo::find_program;

use crate::common::{Repo, SOURCE, skip};

/// A refused commit: a file without a row, and a row that guard cannot read.
fn repo() -> Repo {
    let repo = Repo::new();
    repo.stage("src/a.rs", "a\n");
    repo.govern(&[("src/a.rs", "Modify", "x"), ("src/b.rs", "Whatever", "y")]);
    repo.stage("src/other.rs", "x\n");
    repo
}

/// The lines of docs/review.md that set the editor up.
fn from_the_page(start: &str) -> String {
    let page = std::fs::read_to_string(format!("{SOURCE}/docs/review.md")).unwrap();
    let line = page.lines().find(|line| line.trim().starts_with(start));
    line.unwrap().trim().to_owned()
}

#[test]
fn each_finding_is_one_line_with_its_place() {
    let repo = repo();
    let report = repo.guard(&["lint", "--format", "short"]).exits(1);
    let lines: Vec<&str> = report.stdout.lines().collect();
    let [file, row, last] = lines.as_slice() else {
        panic!("{lines:?}");
    };
    assert!(
        file.starts_with("src/other.rs:1:1: error[out-of-scope]: "),
        "{file}"
    );
    assert!(row.starts_with("docs/lld/active/LLD-188.md:8:"), "{row}");
    assert!(row.contains(": warning[design-bad-row]: "), "{row}");
    assert!(last.starts_with("guard: refused: "), "{last}");
    let quiet = repo
        .guard(&["lint", "--format", "short", "--quiet"])
        .exits(1);
    assert_eq!(quiet.stdout.lines().collect::<Vec<_>>(), [*file]);
    repo.tells("lint --output short=report", 2, "choose one of human, json");
    repo.write("guard.toml", "[lld\n");
    repo.git(&["add", "guard.toml"]);
    repo.commit("Break the settings");
    let failed = repo.guard(&["lint", "--format", "short"]).exits(2);
    assert!(
        failed
            .stdout
            .starts_with("guard: error: guard could not check: "),
        "{failed:?}"
    );
}

#[test]
fn the_problem_matcher_of_the_page_reads_each_finding() {
    let matcher = from_the_page("\"pattern\": { \"regexp\"");
    let pattern = matcher.split('"').nth(5).unwrap().replace("\\\\", "\\");
    let pattern = Regex::new(&pattern).unwrap();
    let report = repo().guard(&["lint", "--format", "short"]).stdout;
    let found: Vec<_> = report
        .lines()
        .filter_map(|line| pattern.captures(line))
        .collect();
    let places: Vec<[&str; 4]> = found
        .iter()
        .map(|captures| [1, 2, 4, 5].map(|group| captures.get(group).unwrap().as_str()))
        .collect();
    let expected = [
        ["src/other.rs", "1", "error", "out-of-scope"],
        [
            "docs/lld/active/LLD-188.md",
            "8",
            "warning",
            "design-bad-row",
        ],
    ];
    assert_eq!(places, expected);
}

#[test]
fn vim_jumps_to_each_finding() {
    if find_program("vim").is_none() {
        return skip("vim is not installed");
    }
    let repo = repo();
    let report = repo.guard(&["lint", "--format", "short"]).stdout;
    repo.write("report.txt", &report);
    let script = format!(
        "{}\ncgetfile report.txt\n\
         call writefile(map(getqflist(), 'bufname(v:val.bufnr).\":\".v:val.lnum.\":\".v:val.type'), 'found.txt')\n\
         qall!\n",
        from_the_page("set errorformat=")
    );
    repo.write("read.vim", &script);
    let mut vim = repo.command("vim");
    vim.args(["-N", "-u", "NONE", "-es", "-S", "read.vim"]);
    assert!(vim.status().unwrap().success());
    let expected = "src/other.rs:1:e\ndocs/lld/active/LLD-188.md:8:w\n";
    assert_eq!(repo.text("found.txt"), expected);
}
