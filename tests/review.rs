//! The review page: what it contains for accepted, refused and large changes, where it may be written, and that
//! hostile text stays text.

use std::fs;

use crate::common::reviews::{self, PAYLOADS};
use crate::common::system::{self, HAS_MODES};
use crate::common::{GUARD, Repo, run};

/// The page of the branch, with the exit code of guard.
#[track_caller]
fn page(repo: &Repo) -> (i32, String) {
    let output = repo.guard(&["review", "--file", "../review.html"]);
    assert_eq!(output.stderr, "");
    (output.code, repo.text("../review.html"))
}

/// The part of a page between two sections.
#[track_caller]
fn section<'a>(page: &'a str, id: &str) -> &'a str {
    let (_, part) = page.split_once(&format!("<section id=\"{id}\"")).unwrap();
    part.split("</section>").next().unwrap()
}

/// The page has these sections, no others, in their order, each with something in it, and the way to each.
#[track_caller]
fn has_sections(page: &str, expected: &str) {
    let ids = |begin: &str, count: usize| {
        let parts = page.split(begin).skip(1).take(count);
        let ids: Vec<&str> = parts.filter_map(|part| part.split('"').next()).collect();
        ids.join(" ")
    };
    assert_eq!(ids("<section id=\"", 99), expected);
    let count = expected.split(' ').count();
    assert_eq!(ids("<li><a href=\"#", count), expected);
    let is_empty = page.contains(">Nothing to") || page.contains(" <b>0</b></a>");
    assert!(!is_empty, "an empty section");
    for part in "<header <nav <main <footer <h1> Content-Security-Policy".split(' ') {
        assert_eq!(page.matches(part).count(), 1, "{part}");
    }
}

/// Each line of `expected` is a section, or `page`, and the texts that it shows, between ` | `.
#[track_caller]
fn shows(page: &str, expected: &str) {
    for line in expected.trim().lines() {
        let (id, texts) = line.trim().split_once(": ").unwrap();
        let part = match id {
            "page" => page,
            _ => section(page, id),
        };
        for text in texts.split(" | ") {
            let shown: String = part.chars().take(5_000).collect();
            assert!(part.contains(text), "{text:?} is missing in\n{shown}");
        }
    }
}

#[track_caller]
fn counts(page: &str, id: &str, text: &str, expected: usize) {
    assert_eq!(section(page, id).matches(text).count(), expected, "{text}");
}

#[test]
fn page_of_an_accepted_branch_shows_design_approval_and_commits() {
    let Some(repo) = reviews::accepted() else {
        return;
    };
    let (code, page) = page(&repo);
    assert_eq!(code, 0);
    has_sections(&page, "findings hunks design map approvals commits");
    // Touched rows are folded into one line.
    shows(
        &page,
        r#"
        page: <title>guard: accepted · 188-work</title> | Accepted</h1>
        design: src/runs/layout.py | Keep entries by run instead of by time | <summary>5 rows touched</summary>
        findings: approved by author@example.com
        approvals: valid</span> | author@example.com | reviewed with the team | ssh-ed25519 SHA256:
        commits: Describe the layout on disk
        "#,
    );
    counts(&page, "design", "<tr class=", 6);
    counts(&page, "design", "class=\"touched\"", 5);
    // Only src/cli/options.py.
    counts(&page, "design", "class=\"untouched\"", 1);
    counts(&page, "commits", "<li>", 3);
}

#[test]
fn page_of_a_refused_branch_shows_what_is_lost_and_what_is_outside() {
    let repo = reviews::refused();
    let secret = "https://me:secret@github.com/runs/runs.git";
    repo.git(&["remote", "set-url", "origin", secret]);
    let (code, page) = page(&repo);
    assert_eq!(code, 1);
    has_sections(&page, "refused hunks design map commits");
    let [head, main] = ["HEAD", "main"].map(|name| repo.git(&["rev-parse", name]));
    assert!(!page.contains("secret"));
    // Each refused file with its hunks.
    let expected = r#"
        page: <title>guard: refused · 188-work</title> | Refused</h1> | href="HUB/compare/MAIN...HEAD"
        page: runs/runs< | >188-work< | 4 by <bdi> | Refused <b>3</b>
        refused: destructive-change | src/runs/state.py loses | +    print(entries)
        refused: src/cli/layout.py | href="HUB/blob/HEAD/src/cli/main.py"
        map: runs/ | state.py | 156 kept, 216 lost | class="tag refused" | replaced
        hunks: <span class="q">@@ - | <span class="o">- | src/runs/legacy.py | state.old()
        "#;
    let expected = expected.replace("HUB", "https://github.com/runs/runs");
    shows(
        &page,
        &expected.replace("MAIN", &main).replace("HEAD", &head),
    );
    counts(&page, "refused", "<pre class=\"diff\"", 3);
    counts(&page, "design", "class=\"refused\"", 1);
    counts(&page, "commits", "<li>", 4);
}

/// Every payload is there as text, and no piece of it as markup.
#[test]
fn hostile_names_and_contents_stay_text() {
    let repo = reviews::hostile();
    let (code, page) = page(&repo);
    assert_eq!(code, 1);
    for id in ["refused", "design", "map", "commits"] {
        shows(&page, &format!("{id}: &lt;"));
    }
    for markup in ["<script", "<img", "<svg", "<iframe", "<link"] {
        assert!(!page.contains(markup), "{markup}");
    }
    assert_eq!(page.matches("<style").count(), 1);
    assert!(page.matches("alert(1)").count() > PAYLOADS.len());
    for address in page.split("href=\"").skip(1) {
        assert!(address.starts_with('#'));
    }
    // Of an attribute, only the names that guard writes.
    for tag in page.split('<').skip(1) {
        let tag = tag.split('>').next().unwrap();
        for (name, _) in tag.split(' ').filter_map(|part| part.split_once('=')) {
            assert!(!name.starts_with("on") && name != "style", "<{tag}>");
        }
    }
    let is_odd = |c: char| {
        let turns = matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}');
        turns || c.is_control() && c != '\n' && c != '\t'
    };
    assert!(!page.contains(is_odd));
}

/// What does not fit is named.
#[test]
fn page_of_long_names_and_large_files_stays_below_5_mb() {
    let repo = Repo::nothing_in_memory().initialized(&[]);
    let name = |n: usize| format!("{}/{}/{n:05}.py", "directory-".repeat(8), "x".repeat(60));
    let text = |word: &str| -> String {
        let lines = (0..20_000).map(|n| format!("{word} <{n}> &\n"));
        lines.collect()
    };
    for n in 0..40 {
        repo.write(format!("large/{n}.py"), text("old"));
    }
    repo.git(&["add", "--all"]);
    repo.govern(&[("large/", "Modify", "x")]);
    for n in 0..6_000 {
        repo.write(name(n), "");
    }
    for n in 0..40 {
        repo.write(format!("large/{n}.py"), text("new"));
    }
    repo.git(&["add", "--all"]);
    let output = repo.guard(&["lint", "--output", "html=../review.html"]);
    assert_eq!(output.code, 1);
    let page = repo.text("../review.html");
    has_sections(&page, "refused design map");
    assert!(page.len() < 5_000_000, "{} bytes", page.len());
    shows(
        &page,
        "refused: more refused files, not shown for size | large/39.py",
    );
    shows(&page, "refused: [truncated] 19803 more removed lines");
}

#[test]
fn without_a_file_the_page_goes_to_the_temporary_directory() {
    let repo = reviews::refused();
    fs::create_dir(repo.path("../tmp dir")).unwrap();
    let temporary = system::real(repo.path("../tmp dir"));
    let review = |arguments: &[&str]| {
        let mut guard = repo.command(GUARD);
        run(system::set_temporary(&mut guard, &temporary)
            .arg("review")
            .args(arguments))
    };
    let before = repo.digest_tree();
    let output = review(&[]).exits(1);
    let (verdict, address) = output.stdout.trim_end().split_once('\n').unwrap();
    assert!(verdict.starts_with("guard: refused: "), "{verdict}");
    let mut files = fs::read_dir(&temporary).unwrap();
    let file = files.next().unwrap().unwrap().path();
    assert_eq!(address, system::address(&file).replace(' ', "%20"));
    has_sections(&repo.text(&file), "refused hunks design map commits");
    assert_eq!(repo.digest_tree(), before, "the repository is as it was");
    // Private, as the code may be.
    let mode = system::mode(&file);
    assert!(!HAS_MODES || mode & 0o077 == 0, "{mode:o}");
    // Again, and for programs: the same file.
    let json = review(&["main..HEAD", "--format", "json"]).exits(1);
    let json: serde_json::Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!(json["verdict"], "refused");
    assert_eq!(json["address"], address);
    assert_eq!(fs::read_dir(&temporary).unwrap().count(), 1);
    // What guard cannot judge replaces the page, which would otherwise be taken for the answer.
    review(&["--lld", "none.md"]).exits(2);
    shows(&repo.text(&file), "page: Could not check | none.md");
}

#[test]
fn html_is_for_files_only() {
    let repo = reviews::refused();
    for line in [
        "lint --format html",
        "lint --output html=-",
        "hook pre-commit --format html",
        "review --format html",
        "check a --output html=x.html",
    ] {
        assert_eq!(repo.tells(line, 2, "").stdout, "", "{line}");
    }
    repo.guard_with(&[("GUARD_FORMAT", "html")], &["lint"])
        .exits(2);
}

#[test]
fn review_without_a_target_branch_says_what_to_name() {
    let repo = Repo::new();
    repo.stage("a.py", "a = 1\n");
    repo.govern(&[("a.py", "Modify", "x")]);
    repo.tells("review", 2, "guard review main..HEAD");
    repo.tells("review main", 2, "main is not a range");
}
