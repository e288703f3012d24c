//! The review page and the page of a trial: which changes and findings they show, and where they lead.

use super::*;
use crate::judge::{Trial, TriedChange};
use gix::ObjectId;
use write_guard_policy::scope::{Actions, Grant, GrantForm, GrantKind};
use write_guard_policy::verdict::{Review, ReviewRow};
use write_guard_repo::Headline;

/// The page of a change of a known host.
fn page(report: &Verdict) -> String {
    let mut report = report.clone();
    report.source.repository = Some("https://github.com/o/r".into());
    report.source.base = Some("1111".to_owned());
    report.source.head = Some("2222".to_owned());
    write(&report, Format::Html, &Style::default())
}

/// The part of a page between two sections; empty if it has no such section.
fn section<'a>(page: &'a str, id: &str) -> &'a str {
    let begin = format!("<section id=\"{id}\"");
    let part = page.split_once(&begin).map_or("", |(_, part)| part);
    part.split("</section>").next().unwrap()
}

/// The entries of the files in a section, each from its opening on.
fn files(section: &str) -> Vec<&str> {
    section.split("<details class=\"file\"").skip(1).collect()
}

fn of_class(path: &str, class: &'static str, preview: Option<&str>) -> JudgedChange {
    JudgedChange {
        class,
        preview: preview.map(str::to_owned),
        ..change(path)
    }
}

const HUNK: Option<&str> = Some("--- a\n+++ b\n@@ -1 +1 @@\n-old <line>\n+new\n same\n");

#[test]
fn what_loses_content_is_shown_hunk_by_hunk() {
    let mut moved = of_class("src/moved.rs", "NEW", None);
    moved.from = Some("src/away.rs".into());
    let report = Verdict {
        findings: vec![Finding::new(Rule::OutOfScope, "src/no.rs", "no row")],
        changes: vec![
            of_class("src/away.rs", "DELETE", HUNK),
            of_class("src/gone.bin", "DELETE", None),
            of_class("src/gutted.rs", "REPLACE", HUNK),
            of_class("src/image.png", "REPLACE", None),
            of_class("src/link", "MODIFY", Some("")),
            of_class("src/log.rs", "MODIFY", None),
            of_class("src/no.rs", "REPLACE", HUNK),
            moved,
        ],
        ..Verdict::default()
    };
    let page = page(&report);
    let cut = "<p class=\"cut\">No lines are shown";
    let shown = files(section(&page, "hunks"));
    for (at, (path, commit, tag, part)) in [
        ("src/gone.bin", "1111", ">deleted<", cut),
        (
            "src/gutted.rs",
            "2222",
            ">replaced<",
            "<span class=\"o\">-old &lt;line&gt;",
        ),
        ("src/image.png", "2222", ">replaced<", cut),
        ("src/link", "2222", "", ""),
    ]
    .into_iter()
    .enumerate()
    {
        let file = shown[at];
        assert!(file.contains(&format!("<bdi>{path}</bdi>")), "{file}");
        let link = format!("href=\"https://github.com/o/r/blob/{commit}/{path}\"");
        assert!(file.contains(&link), "{file}");
        assert!(file.contains(tag) && file.contains(part), "{file}");
        // The first three are open from the start.
        assert_eq!(file.starts_with(" open>"), at < 3, "{file}");
        assert!(!file.contains("+++"), "{file}");
    }
    assert_eq!(shown.len(), 4, "{page}");
    let [refused] = files(section(&page, "refused"))[..] else {
        panic!("{page}")
    };
    assert!(refused.contains("src/no.rs") && refused.contains(">out-of-scope<"));
}

/// The table of the design shows untouched rows, where there is one.
#[test]
fn findings_that_are_not_about_a_refused_file_have_their_own_list() {
    let mut whole = Finding::new(Rule::DesignDuplicate, "", "two rows name a path");
    whole.path = None;
    let mut warning = Finding::new(Rule::PortableName, "src/a.rs", "not portable");
    warning.level = Level::Warning;
    let mut row = Finding::new(Rule::RowUntouched, "src/b.rs", "nothing touched it");
    row.level = Level::Note;
    let refused = Finding::new(Rule::OutOfScope, "src/c.rs", "no row for it");
    let mut report = Verdict {
        findings: vec![whole, warning, row, refused],
        ..Verdict::default()
    };
    for has_table in [false, true] {
        report.review = has_table.then(|| Box::new(Review::default()));
        let page = page(&report);
        let findings = section(&page, "findings");
        assert!(findings.contains("two rows name a path") && findings.contains("not portable"));
        assert_eq!(findings.contains("nothing touched it"), !has_table);
        assert!(!findings.contains("no row for it"), "{findings}");
        assert!(section(&page, "refused").contains("no row for it"));
    }
}

#[test]
fn page_of_a_trial_has_room_for_many_changes_with_errors_or_warnings() {
    let tried = |number: usize, level| {
        let mut finding = Finding::new(Rule::OutOfScope, "src/a.rs", "long ".repeat(190));
        finding.level = level;
        let id = format!("{number:040x}");
        TriedChange {
            id: ObjectId::from_hex(id.as_bytes()).unwrap(),
            headline: Headline {
                subject: format!("Change {number}").into(),
                author: "A".into(),
                authored: 0,
            },
            findings: vec![finding],
            designs: Vec::new(),
            unscoped: None,
            needs_design: false,
        }
    };
    let trial = |changes| Trial {
        target: "main".to_owned(),
        changes,
        missing: None,
        skips_scope: false,
    };
    let page = |trial: &Trial| {
        let write = |to: Target<'_>| write_trial(trial, "guard.toml of HEAD", to);
        written(write, Format::Html, &Style::default())
    };
    let many = page(&trial(
        (0..1000).map(|at| tried(at, Level::Error)).collect(),
    ));
    assert_eq!(many.matches("<section ").count(), 1000);
    assert!(many.len() > 1_000_000 && !many.contains("not shown for size"));
    let levels = [Level::Error, Level::Warning, Level::Note];
    let mixed = levels.into_iter().enumerate();
    let mixed = page(&trial(mixed.map(|(at, level)| tried(at, level)).collect()));
    assert!(
        mixed.contains(">Change 0<") && mixed.contains(">Change 1<"),
        "{mixed}"
    );
    assert!(!mixed.contains(">Change 2<"), "{mixed}");
    let clean = page(&trial(vec![tried(0, Level::Note)]));
    assert!(clean.contains("<p>Nothing to report.</p>"), "{clean}");
}

fn row(path: &str, line: usize) -> ReviewRow {
    let (_, at) = anchor(ROW, "`src/utils/lld.rs`", "");
    let grant = Grant {
        path: path.into(),
        kind: GrantKind::File,
        actions: Actions::ADD | Actions::MODIFY,
        change_type: "Add".to_owned(),
        renamed: None,
        form: GrantForm::Table,
        description: format!("row {line}"),
        anchor: Anchor { line, ..at },
    };
    ReviewRow {
        grant,
        in_force: true,
        touched: 0,
        refused: 0,
    }
}

#[test]
fn rows_of_a_design_are_shown_with_what_became_of_them() {
    let mut touched = row("src/touched.rs", 1);
    touched.touched = 2;
    let mut refused = row("src/refused.rs", 3);
    refused.touched = 1;
    refused.refused = 1;
    let mut later = row("src/later.rs", 4);
    later.in_force = false;
    let mut below = row("src/below", 5);
    below.grant.kind = GrantKind::Directory;
    below.grant.change_type = String::new();
    let glob = ReviewRow {
        grant: Grant {
            path: "src/*.rs".into(),
            kind: GrantKind::Glob,
            ..row("", 5).grant
        },
        ..below.clone()
    };
    let rows = vec![touched, row("src/none.rs", 2), refused, later, below, glob];
    let report = Verdict {
        review: Some(Box::new(Review {
            rows,
            ..Review::default()
        })),
        ..Verdict::default()
    };
    let page = page(&report);
    let shown = section(&page, "design");
    let lines: Vec<&str> = shown.split("<tr class=").skip(1).collect();
    for (at, (class, word, paths, kind)) in [
        ("refused", "refused", &["src/refused.rs"][..], "Add"),
        ("untouched", "untouched", &["src/none.rs"], "Add"),
        ("mention", "not in force", &["src/later.rs"], "Add"),
        (
            "untouched",
            "untouched",
            &["src/below/", "src/*.rs"],
            "add, modify",
        ),
        ("touched", "touched", &["src/touched.rs"], "Add"),
    ]
    .into_iter()
    .enumerate()
    {
        let line = lines[at];
        let paths: Vec<String> = paths
            .iter()
            .map(|path| format!("<code><bdi>{path}</bdi></code>"))
            .collect();
        let cells = format!("<td class=\"pa\">{}</td><td>{kind}</td>", paths.join(", "));
        assert!(line.starts_with(&format!("\"{class}\"")), "{line}");
        assert!(line.contains(&format!(">{word}</span>")), "{line}");
        assert!(line.contains(&cells), "{cells} in {line}");
    }
    assert_eq!(lines.len(), 5, "{shown}");
    assert!(
        shown.contains("<summary>1 row touched</summary>"),
        "{shown}"
    );
}

#[test]
fn first_four_refused_files_are_open_and_tell_their_figures() {
    let mut report = destructive();
    for at in 1..=5 {
        let path = format!("src/{at}.bin");
        report.changes.push(of_class(&path, "NEW", None));
        report
            .findings
            .push(Finding::new(Rule::OutOfScope, path, "no row"));
    }
    let page = page(&report);
    let shown = files(section(&page, "refused"));
    // A loss comes first.
    let begins = [
        "src/state.py",
        "src/1.bin",
        "src/2.bin",
        "src/3.bin",
        "src/4.bin",
        "src/5.bin",
    ];
    assert_eq!(shown.len(), begins.len());
    for (at, (file, path)) in shown.iter().zip(begins).enumerate() {
        assert!(file.contains(&format!("<bdi>{path}</bdi>")), "{file}");
        assert_eq!(file.starts_with(" open>"), at < 4, "{file}");
    }
    assert!(
        shown[0].contains("40 kept, 230 lost (85 %), 16 added lines"),
        "{}",
        shown[0]
    );
    assert!(
        shown[1].contains("<span class=\"q\">not text</span>"),
        "{}",
        shown[1]
    );
}
