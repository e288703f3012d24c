//! The formats for machines: one mixed report in each, their limits, hostile names.

use super::*;
use serde_json::Value;
use write_guard_policy::finding::Help;
use write_guard_policy::measure::LineEdit;

/// All formats but those that only people read.
fn machines() -> impl Iterator<Item = Format> {
    let is_for_people = |format: Format| format == Format::Human || format.is_for_files();
    let all = Format::ALL.iter().copied();
    all.filter(move |format| !is_for_people(*format))
}

/// A new file, a deleted one, a gutted one; a warning and a note.
fn mixed() -> Verdict {
    let mut report = refused();
    let (_, at) = anchor(ROW, "`src/utils/lld.rs`", "");
    let delete = Finding::new(
        Rule::ActionNotGranted,
        "src/old name.rs",
        "src/old name.rs may be changed, not deleted",
    )
    .at(at.clone());
    let mut row = Finding::new(
        Rule::RowUntouched,
        "src/new.rs",
        "nothing touched src/new.rs",
    );
    row.design = Some(at);
    let mut whole = Finding::new(Rule::DesignDuplicate, "", "two rows name a path");
    whole.path = None;
    let gutted = destructive();
    report.findings.extend([delete, row, whole]);
    report.findings.extend(gutted.findings);
    report.changes.extend(gutted.changes);
    report.changes.push(JudgedChange {
        path: "src/old name.rs".into(),
        action: "delete",
        class: "DELETE",
        ..JudgedChange::default()
    });
    report
}

/// As `mixed`, every text chosen by an enemy.
fn hostile() -> Verdict {
    let name = format!("::error::x\n::add-mask::%0A##[error]]]>|`<b>@who #1{HOSTILE}\u{ffff}");
    let mut report = mixed();
    let bad = |text: &str| format!("{name}{text}");
    for finding in &mut report.findings {
        finding.message = bad(" in a message");
        finding.path = finding.path.as_ref().map(|_| name.as_str().into());
        finding.closest = Some(name.as_str().into());
        finding.help = vec![bad(" in help").into(), Help::Row(format!("| {name} |"))];
        finding.details.insert("x", name.clone().into());
        if let Some(at) = &mut finding.design {
            at.path = name.as_str().into();
            at.label = bad(" in a label");
        }
    }
    for change in &mut report.changes {
        change.path = name.as_str().into();
        change.preview = Some(format!("{name}\n{name}\n"));
    }
    report.notes = vec![bad(" in a note")];
    report.designs[0].path = name.as_str().into();
    report
}

fn plain_in(report: &Verdict, format: Format) -> String {
    write(report, format, &Style::default())
}

fn json(report: &Verdict, format: Format) -> Value {
    serde_json::from_str(&plain_in(report, format)).unwrap()
}

/// What GitHub's runner takes from a log: a line that starts with `::`, or
/// `##[` anywhere in it, outside of a stopped part. Each is (command with its
/// properties, data), decoded.
fn commands(log: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut stopped: Option<String> = None;
    for line in log.lines() {
        let text = line.trim_start();
        if let Some(token) = &stopped {
            if text.starts_with(&format!("::{token}::")) {
                stopped = None;
            }
            continue;
        }
        if let Some((head, data)) = text
            .strip_prefix("::")
            .and_then(|rest| rest.split_once("::"))
        {
            if head == "stop-commands" {
                stopped = Some(data.to_owned());
            } else {
                found.push((head.to_owned(), decoded(data)));
            }
        } else if let Some((_, command)) = line.split_once("##[") {
            found.push((format!("##[{command}"), String::new()));
        }
    }
    assert_eq!(stopped, None, "commands stay stopped");
    found
}

fn decoded(text: &str) -> String {
    text.replace("%0D", "\r")
        .replace("%0A", "\n")
        .replace("%3A", ":")
        .replace("%2C", ",")
        .replace("%25", "%")
}

/// SARIF's list of rules is the pages of the rules.
#[test]
fn a_mixed_report_in_every_format_whatever_its_order() {
    let mut turned = mixed();
    turned.findings.reverse();
    turned.changes.reverse();
    let mut all = String::new();
    for format in machines() {
        let mut text = plain_in(&mixed(), format);
        assert_eq!(text, plain_in(&turned, format), "{format:?}");
        if format == Format::Sarif {
            let mut sarif: Value = serde_json::from_str(&text).unwrap();
            let run = &mut sarif["runs"][0];
            let driver = &mut run["tool"]["driver"];
            assert_eq!(driver["version"], env!("CARGO_PKG_VERSION"));
            // The list of rules has its own test, and a new rule moves the others.
            *driver = "guard".into();
            for result in run["results"].as_array_mut().unwrap() {
                result.as_object_mut().unwrap().shift_remove("ruleIndex");
            }
            text = format!("{sarif:#}\n");
        }
        all.push_str(&format!("======== {}\n{text}", format.name()));
    }
    insta::assert_snapshot!("machines", all);
}

#[test]
fn names_never_control_a_terminal_or_start_a_command_in_any_format() {
    for format in [Format::Human].into_iter().chain(machines()) {
        let text = plain_in(&hostile(), format);
        assert_clean(&text);
        for (head, _) in commands(&text) {
            assert!(
                format == Format::Github
                    && ["error ", "warning ", "notice "]
                        .iter()
                        .any(|own| head.starts_with(own)),
                "{format:?}: {head}\n{text}"
            );
        }
    }
}

fn failure(error: &Error, format: Format) -> String {
    written(|to| write_failure(error, to), format, &Style::default())
}

#[test]
fn an_error_cannot_start_a_command_either() {
    let mut error = Error::new("two designs could be meant:\n::error::x\n ##[add-mask]y");
    error.help = vec!["::stop-commands::z".into()];
    error.problems = hostile().findings;
    for format in [Format::Human].into_iter().chain(machines()) {
        let text = failure(&error, format);
        assert_clean(&text);
        let found = commands(&text);
        assert_eq!(
            found.is_empty(),
            format != Format::Github,
            "{format:?}: {found:?}"
        );
        for (head, _) in found {
            let own = ["error ", "warning ", "notice "];
            assert!(own.iter().any(|own| head.starts_with(own)), "{head}");
        }
    }
}

#[test]
fn annotations_decode_to_the_original_message() {
    let mut report = refused();
    report.findings[0].path = Some("src/a,b:c%2C.rs".into());
    report.changes.push(change("src/a,b:c%2C.rs"));
    report.findings[0].message = "src/a,b:c%2C.rs is 100 % wrong".into();
    report.findings[0].help = vec!["one".into(), "two".into()];
    let log = plain_in(&report, Format::Github);
    let (head, data) = commands(&log).remove(0);
    assert_eq!(data, "src/a,b:c%2C.rs is 100 % wrong\none\ntwo");
    let (command, properties) = head.split_once(' ').unwrap();
    assert_eq!(command, "error");
    let properties: Vec<_> = properties.split(',').map(decoded).collect();
    assert_eq!(
        properties,
        [
            "file=src/a,b:c%2C.rs",
            "line=1",
            "title=guard: out-of-scope"
        ]
    );
}

#[test]
fn sarif_places_findings_without_a_line_at_the_design() {
    let sarif = json(&mixed(), Format::Sarif);
    let run = &sarif["runs"][0];
    let of_rule = |rule: &str| {
        let results = run["results"].as_array().unwrap();
        results
            .iter()
            .find(|result| result["ruleId"] == rule)
            .unwrap()
    };
    let uri = |place: &Value| place["physicalLocation"]["artifactLocation"]["uri"].clone();

    let added = of_rule("out-of-scope");
    assert_eq!(uri(&added["locations"][0]), "src/core/lld.rs");
    assert!(
        added["partialFingerprints"]
            .get("primaryLocationLineHash")
            .is_none()
    );

    let deleted = of_rule("action-not-granted");
    assert_eq!(uri(&deleted["locations"][0]), DESIGN);
    assert_eq!(
        deleted["locations"][0]["physicalLocation"]["region"],
        serde_json::json!({"startLine": 24, "startColumn": 1, "endLine": 24, "endColumn": 1})
    );
    assert_eq!(deleted["properties"]["path"], "src/old name.rs");
    let text = deleted["message"]["text"].as_str().unwrap();
    assert!(text.contains("src/old name.rs"), "{text}");

    for result in run["results"].as_array().unwrap() {
        let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
        assert_eq!(
            run["tool"]["driver"]["rules"][index]["id"],
            result["ruleId"]
        );
    }
    assert_eq!(run["automationDetails"]["id"], "guard/");
}

#[test]
fn a_name_that_leaves_the_repository_is_never_a_place() {
    for name in ["../x", "a/../../x", "/etc/passwd", "a//b", "."] {
        let mut report = refused();
        report.findings[0].path = Some(name.into());
        report.findings[0].design.as_mut().unwrap().path = name.into();
        report.changes.push(change(name));
        for (format, pointer) in [
            (
                Format::Sarif,
                "/runs/0/results/0/locations/0/physicalLocation/artifactLocation/uri",
            ),
            (Format::Gitlab, "/0/location/path"),
        ] {
            let value = json(&report, format);
            assert_eq!(value.pointer(pointer).unwrap(), DESIGN, "{name}");
        }
    }
}

#[test]
fn sarif_is_truncated_at_githubs_limit_with_a_note() {
    let mut report = Verdict::default();
    for i in 0..25_003 {
        report
            .findings
            .push(Finding::new(Rule::OutOfScope, format!("f{i}"), "m"));
    }
    let sarif = json(&report, Format::Sarif);
    let run = &sarif["runs"][0];
    assert_eq!(run["results"].as_array().unwrap().len(), 25_000);
    let note = run["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"].as_str();
    assert!(
        note.unwrap().starts_with("3 more findings were left out"),
        "{note:?}"
    );
}

#[test]
fn message_in_sarif_is_not_a_link() {
    let mut report = refused();
    report.findings[0].message = "[x](https://example.com) is bad".into();
    let sarif = json(&report, Format::Sarif);
    let text = sarif["runs"][0]["results"][0]["message"]["text"]
        .as_str()
        .unwrap();
    assert!(text.contains("[x\\](https://example.com)"), "{text}");
}

/// 2,000 findings with long messages.
fn long() -> Verdict {
    let mut report = Verdict::default();
    for i in 0..2000 {
        let message = format!("{}{i}", "long ".repeat(80));
        report
            .findings
            .push(Finding::new(Rule::OutOfScope, format!("f{i:04}"), message));
    }
    report
}

#[test]
fn markdown_fits_in_a_comment() {
    let report = long();
    let text = plain_in(&report, Format::Markdown);
    assert!(text.len() < 65_536, "{}", text.len());
    let rows = text.matches("| error |").count();
    assert!(text.contains(&format!("… and {} more", 2000 - rows)));
}

#[test]
fn name_in_markdown_is_not_a_link() {
    let mut report = refused();
    report.findings[0].path = Some("x www.evil.example, me@evil.example".into());
    report.findings[0].message = "see https://evil.example or WWW.evil.example".to_owned();
    let text = plain_in(&report, Format::Markdown);
    assert!(
        text.contains(
            "<code>x www<span>.</span>evil.example&#44; me<span>@</span>evil.example</code>"
        ),
        "{text}"
    );
    assert!(
        text.contains("see https<span>:</span>//evil.example or WWW<span>.</span>evil.example"),
        "{text}"
    );
}

#[test]
fn markdown_rows_have_five_cells_for_any_name() {
    let text = plain_in(&hostile(), Format::Markdown);
    for row in text.lines().filter(|line| line.starts_with("| ")) {
        assert_eq!(row.matches('|').count(), 6, "{row}");
        assert!(!row.contains("<b>") && !row.contains('`'), "{row}");
    }
    let outside_of_code: String = text
        .split("<code>")
        .map(|part| part.rsplit("</code>").next().unwrap())
        .collect();
    assert!(!outside_of_code.contains("@who"), "{outside_of_code}");
}

#[test]
fn run_that_could_not_judge_has_no_verdict_in_any_format() {
    let error = Error::new("no design was found").help("write one");
    let failure = |format| failure(&error, format);
    let value = |format| serde_json::from_str::<Value>(&failure(format)).unwrap();

    for &format in Format::ALL {
        let text = failure(format);
        assert!(text.contains("no design was found"), "{text}");
    }
    assert_eq!(
        value(Format::Json)["error"]["message"],
        "no design was found"
    );
    assert!(value(Format::Json).get("verdict").is_none());
    let invocation = &value(Format::Sarif)["runs"][0]["invocations"][0];
    assert_eq!(invocation["executionSuccessful"], false);
    assert_eq!(invocation["exitCode"], 2);
    // Viewers look at results only, and take none for "all well".
    let run = &value(Format::Sarif)["runs"][0];
    assert_eq!(run["results"].as_array().unwrap().len(), 1);
    let result = &run["results"][0];
    assert_eq!(result["ruleId"], "could-not-judge");
    assert_eq!(result["level"], "error");
    assert_eq!(
        result["message"]["text"],
        "guard could not check: no design was found; write one"
    );
    assert!(result["partialFingerprints"]["primaryLocationLineHash"].is_string());
    assert_eq!(value(Format::Gitlab)[0]["severity"], "blocker");
    assert!(failure(Format::Junit).contains("errors=\"1\""));
    assert!(failure(Format::Markdown).starts_with("### guard: could not check\n"));
    let annotations = commands(&failure(Format::Github));
    assert_eq!(annotations.len(), 1);
    assert_eq!(
        annotations[0].1,
        "guard could not check: no design was found; write one"
    );
}

#[test]
fn a_bare_finding_and_a_measured_change_in_json() {
    let mut report = destructive();
    report.findings[0].path = None;
    let json = json(&report, Format::Json);
    let finding = &json["findings"][0];
    for key in ["path", "closest", "design"] {
        assert!(finding[key].is_null(), "{key}");
    }
    assert_eq!(finding["details"], serde_json::json!({}));
    let change = &json["changes"][0];
    assert_eq!(change["lost_share"].as_f64(), Some(230.0 / 270.0));
    assert_eq!(change["original_lines"], 270);
    assert!(change.get("preview").is_none());
}

/// One finding per level, and one that no setting can lower.
fn of_each_level() -> Verdict {
    let rules = [
        (Rule::OutsideWorkspace, Level::Error),
        (Rule::OutOfScope, Level::Error),
        (Rule::PortableName, Level::Warning),
        (Rule::RowUntouched, Level::Note),
    ];
    let findings = rules.map(|(rule, level)| {
        let mut finding = Finding::new(rule, "src/a.rs", "a message");
        finding.level = level;
        finding
    });
    Verdict {
        findings: findings.into(),
        ..Verdict::default()
    }
}

#[test]
fn gitlab_is_told_how_serious_each_finding_is() {
    let issues = json(&of_each_level(), Format::Gitlab);
    for (rule, severity) in [
        ("outside-workspace", "blocker"),
        ("out-of-scope", "critical"),
        ("portable-name", "minor"),
        ("row-untouched", "info"),
    ] {
        let mut issues = issues.as_array().unwrap().iter();
        let issue = issues.find(|issue| issue["check_name"] == rule).unwrap();
        assert_eq!(issue["severity"], severity, "{rule}");
    }
}

#[test]
fn quiet_log_of_github_has_only_errors_as_annotations() {
    let quiet = Style {
        quiet: true,
        ..Style::default()
    };
    for (style, expected) in [
        (Style::default(), "error error warning notice"),
        (quiet, "error error"),
    ] {
        let log = write(&of_each_level(), Format::Github, &style);
        let found = commands(&log);
        let found = found.iter().filter_map(|(head, _)| head.split(' ').next());
        let found: Vec<&str> = found.collect();
        assert_eq!(found.join(" "), expected);
    }
}

/// GitHub refuses a comment that begins where it ends.
#[test]
fn comment_of_a_review_names_its_first_line_if_it_is_another() {
    for (first, last, start) in [(7, 7, None), (7, 8, Some(7)), (7, 12, Some(7))] {
        let mut report = refused();
        let edit = LineEdit {
            first,
            last,
            lines: vec![ROW.to_owned()],
        };
        report.suggestions.edits = vec![(DESIGN.into(), edit)];
        let review = json(&report, Format::GithubReview);
        let comment = &review["comments"][0];
        assert_eq!(comment["path"], DESIGN);
        assert_eq!(comment["line"], last);
        assert_eq!(comment["side"], "RIGHT");
        assert_eq!(comment.get("start_line").and_then(Value::as_u64), start);
        let side = start.map(|_| "RIGHT");
        assert_eq!(comment.get("start_side").and_then(Value::as_str), side);
    }
}

#[test]
fn review_names_fifty_commands_and_counts_the_others() {
    for (count, more) in [
        (1, ""),
        (50, ""),
        (51, "\n- … and 1 more"),
        (60, "\n- … and 10 more"),
    ] {
        let finding = |at: usize| {
            let command = format!("guard scope add src/{at}.rs");
            Finding::new(Rule::OutOfScope, format!("src/{at}.rs"), "no row")
                .help(Help::run("add a row", command))
        };
        let report = Verdict {
            findings: (0..count).map(finding).collect(),
            ..Verdict::default()
        };
        let review = json(&report, Format::GithubReview);
        let body = review["body"].as_str().unwrap();
        let (_, commands) = body.split_once("To add the others, run:\n").unwrap();
        assert_eq!(commands.matches("guard scope add").count(), count.min(50));
        assert_eq!(commands.contains("more"), !more.is_empty(), "{body}");
        assert!(commands.ends_with(more), "{body}");
        let paths = format!("rows for {count} of the changed paths");
        assert!(body.contains(&paths), "{body}");
    }
}
