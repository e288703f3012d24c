use super::*;

#[test]
fn finding_has_the_layout_of_rustc() {
    let drawing = r"
error[out-of-scope]: src/core/lld.rs is not in the design
  --> docs/lld/LLD-188.md:24:3
   |
24 | | `src/utils/lld.rs` | Add | path enforcement |
   |   ^^^^^^^^^^^^^^^^^^ closest path in the design
   |
   = help: write src/utils/lld.rs, or add this row and commit the design first:
           | `src/core/lld.rs` | Add | … |
   = help: to learn more: guard explain out-of-scope

note: docs/lld/LLD-188.md was read from HEAD
guard: refused: 1 error in 2 changes (design docs/lld/LLD-188.md, from branch name)
";
    assert_eq!(plain(&refused()), drawing.trim_start());
}

#[test]
fn a_finding_in_colour() {
    let style = Style {
        color: true,
        ..Style::default()
    };
    let text = write(&refused(), Format::Human, &style);
    // annotate-snippets has other colours on Windows.
    if !cfg!(windows) {
        insta::assert_snapshot!(text.replace('\u{1b}', "␛"));
    }
    let stripped = anstream::adapter::strip_str(&text).to_string();
    assert_eq!(stripped, plain(&refused()));
}

#[test]
fn a_finding_whose_document_is_not_at_hand_shows_its_place() {
    let mut report = refused();
    report.texts.clear();
    assert!(plain(&report).contains("--> docs/lld/LLD-188.md:24:3\n"));
}

#[test]
fn the_place_is_written_as_seen_from_the_current_directory() {
    for (prefix, path) in [
        ("", "docs/lld/LLD-188.md"),
        ("docs", "lld/LLD-188.md"),
        ("docs/lld/", "LLD-188.md"),
        ("docs/design", "../../docs/lld/LLD-188.md"),
        ("src/core", "../../docs/lld/LLD-188.md"),
    ] {
        let style = Style {
            prefix: Some(prefix.into()),
            ..Style::default()
        };
        let text = write(&refused(), Format::Human, &style);
        assert!(text.contains(&format!("--> {path}:24:3\n")), "{text}");
    }
}

#[test]
fn a_long_line_is_trimmed_around_the_mark_at_80_and_at_120_columns() {
    let row = format!(
        "| {} | `src/utils/lld.rs` | {} |",
        "a".repeat(500),
        "b".repeat(500)
    );
    let (texts, at) = anchor(&row, "`src/utils/lld.rs`", "closest");
    let report = Verdict {
        findings: vec![out_of_scope("src/core/lld.rs", at)],
        texts,
        ..Verdict::default()
    };
    for width in [80, 120] {
        let text = write(&report, Format::Human, &columns(width));
        let lines: Vec<_> = text.lines().collect();
        let row = lines.iter().position(|l| l.starts_with("24 |")).unwrap();
        assert!(lines[row].chars().count() <= width, "{text}");
        assert!(lines[row].chars().count() > width / 2, "{text}");
        let path = lines[row].find("`src/utils/lld.rs`").unwrap();
        let mark = lines[row + 1].find("^^^^^^^^^^^^^^^^^^ closest").unwrap();
        assert_eq!(path, mark, "{text}");
        assert!(text.contains(":24:506\n"), "{text}");
    }
}

#[test]
fn preview_stands_below_the_finding() {
    let text = plain(&destructive());
    let (finding, preview) = text.split_once("\npreview:\n").unwrap();
    assert!(finding.starts_with("error[destructive-change]"), "{text}");
    let lines = "  | @@ -1,2 +1,2 @@\n  | -    old\n  | +    new\n  |  same\n\n";
    assert!(preview.starts_with(lines), "{text}");
}

#[test]
fn finding_fits_on_one_screen() {
    let mut report = destructive();
    report.changes.clear();
    report.findings[0].message = "m".repeat(100_000);
    report.findings[0].help = (1..=25).map(|i| format!("step {i}").into()).collect();
    let text = plain(&report);
    let title = text.lines().next().unwrap();
    assert_eq!(title.matches('m').count(), 1999);
    assert!(text.contains("step 20\n") && !text.contains("step 21\n"));
    assert!(text.contains("… and 6 more lines (use --format json for all)\n"));
}

#[test]
fn attack_41_nothing_hostile_reaches_the_terminal() {
    let row = format!(
        "| {HOSTILE} `{}` | Add | {HOSTILE} |",
        "src/\u{1b}[2Ja\u{202e}"
    );
    let (texts, mut at) = anchor(&row, "`src/\u{1b}[2Ja\u{202e}`", HOSTILE);
    at.path = HOSTILE.into();
    let texts = Texts::from([(HOSTILE.into(), texts[&BString::from(DESIGN)].clone())]);
    let mut finding = out_of_scope(HOSTILE, at)
        .help(HOSTILE)
        .detail("raw", HOSTILE);
    finding.rule = Rule::DestructiveChange;
    finding.closest = Some(HOSTILE.into());
    let mut line = change(HOSTILE);
    line.from = Some(HOSTILE.into());
    line.preview = Some(HOSTILE.into());
    let report = Verdict {
        source: Source {
            branch: Some(HOSTILE.into()),
            ..Source::default()
        },
        designs: vec![DesignUsed {
            path: HOSTILE.into(),
            from: HOSTILE.into(),
            selected_by: HOSTILE.into(),
            grants: 1,
            is_standing: false,
        }],
        findings: vec![finding],
        changes: vec![line],
        notes: vec![HOSTILE.into()],
        texts,
        ..Verdict::default()
    };
    let text = plain(&report);
    assert_clean(&text);
    // The quoted line is marked where the path is, and no name starts a line of its own.
    let lines: Vec<_> = text.lines().collect();
    let row = lines.iter().position(|l| l.starts_with("24 |")).unwrap();
    let column = |line: &str, c| line.chars().position(|x| x == c).unwrap();
    assert_eq!(
        column(lines[row], '`'),
        column(lines[row + 1], '^'),
        "{text}"
    );
    assert!(!lines.iter().any(|line| line.starts_with('y')), "{text}");

    let style = Style {
        color: true,
        ..Style::default()
    };
    let colored = write(&report, Format::Human, &style);
    assert_eq!(anstream::adapter::strip_str(&colored).to_string(), text);

    let json = write(&report, Format::Json, &Style::default());
    assert_clean(&json);
    let value: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(value["findings"][0]["path"], HOSTILE);
    assert_eq!(value["findings"][0]["details"]["raw"], HOSTILE);
}

#[test]
fn attack_41_a_github_command_never_begins_a_line() {
    let mut report = destructive();
    report.findings[0].message = "a\n::error::forged".into();
    report.findings[0].help = vec!["b\n::error::forged".into()];
    report.changes[0].preview = Some("::error::forged\n".into());
    let text = plain(&report);
    assert_eq!(text.matches("::error::forged").count(), 3);
    let begins = |line: &str| line.trim_start().starts_with("::");
    assert!(!text.lines().any(begins), "{text}");
}

#[test]
fn findings_of_one_rule_are_folded_after_twenty() {
    let (texts, at) = anchor(ROW, "`src/utils/lld.rs`", "");
    let mut report = Verdict {
        findings: (0..23)
            .map(|i| out_of_scope(&format!("src/{i:02}.rs"), at.clone()))
            .collect(),
        texts,
        ..Verdict::default()
    };
    report
        .findings
        .push(Finding::new(Rule::UnsafePath, "z", "z is unsafe"));
    let text = plain(&report);
    assert_eq!(text.matches("is not in the design").count(), 20);
    assert!(text.contains("z is unsafe"));
    assert!(text.contains("error[out-of-scope]: … and 3 more (use --format json for all)\n"));
    assert!(
        text.ends_with("guard: refused: 24 errors in 0 changes (no design)\n"),
        "{text}"
    );
    let json = write(&report, Format::Json, &Style::default());
    assert_eq!(json.matches("is not in the design").count(), 23);
}

#[test]
fn quiet_prints_errors_and_nothing_else() {
    let style = Style {
        quiet: true,
        ..Style::default()
    };
    let mut report = refused();
    report
        .findings
        .push(Finding::new(Rule::PortableName, "CON", "CON is reserved"));
    let text = write(&report, Format::Human, &style);
    assert!(text.starts_with("error[out-of-scope]"));
    assert!(!text.contains("CON") && !text.contains("note:") && !text.contains("guard:"));
    report.findings.clear();
    assert_eq!(write(&report, Format::Human, &style), "");
}

#[test]
fn the_last_line_sums_up() {
    let last = |report: &Verdict| plain(report).lines().last().unwrap_or_default().to_owned();
    let mut report = refused();
    assert_eq!(
        last(&report),
        "guard: refused: 1 error in 2 changes (design docs/lld/LLD-188.md, from branch name)"
    );
    report.findings[0].level = Level::Warning;
    assert_eq!(report.exit_code(), 0);
    assert_eq!(
        last(&report),
        "guard: accepted: 2 changes within design docs/lld/LLD-188.md, from branch name, 1 warning"
    );
    report.findings.clear();
    report.changes[0].approved = true;
    report.designs = ["a.md", "b.md", "c.md", "d.md"]
        .map(|path| DesignUsed {
            path: path.into(),
            ..design()
        })
        .to_vec();
    assert_eq!(
        last(&report),
        "guard: accepted: 2 changes within designs a.md, b.md and 2 more, 1 approved"
    );
    report.changes.clear();
    assert_eq!(last(&report), "guard: accepted: nothing to check");
}

#[test]
fn any_line_mark_and_width_can_be_drawn() {
    let alphabet = [
        "a", "|", " ", "\t", "é", "文", "👍", "\u{301}", "\u{1b}", "`",
    ];
    let mut state = 7_u32;
    let mut next = |below: usize| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as usize % below
    };
    for round in 0..2000 {
        let length = next(if round % 10 == 0 { 900 } else { 120 });
        let text: String = (0..length)
            .map(|_| alphabet[next(alphabet.len())])
            .collect();
        let start = next(text.len() + 1);
        let span = start..start + next(text.len() - start + 1);
        let at = Anchor {
            path: DESIGN.into(),
            span,
            line: 1 + next(2_000_000),
            column: 1,
            label: "l".repeat(next(150)),
        };
        let report = Verdict {
            findings: vec![out_of_scope("a", at)],
            texts: Texts::from([(DESIGN.into(), text)]),
            ..Verdict::default()
        };
        let text = write(&report, Format::Human, &columns(next(140)));
        assert_clean(&text);
    }
}
