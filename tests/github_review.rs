//! `--format github-review`: the missing rows as suggestions on a pull request, and the step of the action that posts them.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::thread;

use serde_json::Value;

use crate::ci_kit::{bash, scripts};
use crate::common::{DESIGN, Repo, SETTINGS, run, write_executable};

/// The rows that the design of the range has.
const ROWS: &[(&str, &str, &str)] = &[
    ("src/log.py", "Modify", "logging"),
    ("src/utils/lld.py", "Add", "designs"),
];

/// A repository whose branch `188-work` has a design and more than that allows; `is_new` says whether the range adds the
/// design.
fn repo(is_new: bool, files: &[&str]) -> Repo {
    let repo = Repo::new();
    repo.stage("guard.toml", SETTINGS);
    repo.stage("src/log.py", "x = 1\n");
    if !is_new {
        repo.design(DESIGN, ROWS);
    }
    repo.commit("Begin");
    repo.branch("188-work");
    if is_new {
        repo.design(DESIGN, ROWS);
        repo.commit("Add the design");
    }
    for file in files {
        repo.stage(file, "x = 1\n");
    }
    if !files.is_empty() {
        repo.commit("Work");
    }
    repo
}

fn review(repo: &Repo, code: i32) -> Value {
    let lint = ["lint", "main..188-work", "--format", "github-review"];
    serde_json::from_str(&repo.guard(&lint).exits(code).stdout).unwrap()
}

/// The lines that a suggestion puts in the place of others.
fn suggested(comment: &Value) -> Vec<String> {
    let body = comment["body"].as_str().unwrap();
    let (_, rest) = body.split_once("```suggestion\n").unwrap();
    let (lines, rest) = rest.split_once("\n```").unwrap();
    assert_eq!(rest.trim_matches('`'), "", "{body}");
    lines.lines().map(str::to_owned).collect()
}

/// Does what GitHub does when a reviewer accepts a suggestion, and commits it.
fn accept(repo: &Repo, comments: &Value) {
    let mut edits: Vec<&Value> = comments.as_array().unwrap().iter().collect();
    edits.sort_by_key(|comment| comment["line"].as_u64());
    for comment in edits.iter().rev() {
        let path = comment["path"].as_str().unwrap();
        let text = repo.text(path);
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let number = |key: &str| {
            comment[key]
                .as_u64()
                .map(|line| usize::try_from(line).unwrap())
        };
        let last = number("line").unwrap();
        let first = number("start_line").unwrap_or(last);
        lines.splice(first - 1..last, suggested(comment));
        repo.stage(path, lines.join("\n") + "\n");
    }
    repo.commit("Accept the suggestion");
}

#[test]
fn an_accepted_suggestion_makes_the_request_pass() {
    let repo = repo(true, &["src/core/lld.py", "src/more.py"]);
    let head = repo.git(&["rev-parse", "HEAD"]);
    let review = review(&repo, 1);
    assert_eq!(
        (&review["event"], &review["commit_id"]),
        (&"COMMENT".into(), &head.into())
    );
    let comments = review["comments"].as_array().unwrap();
    assert_eq!(comments.len(), 1, "{review}");
    let comment = &comments[0];
    assert_eq!(
        (&comment["path"], &comment["side"]),
        (&DESIGN.into(), &"RIGHT".into())
    );
    // Behind the last row, which it repeats.
    let lines = suggested(comment);
    assert_eq!(lines.len(), 3, "{lines:?}");
    assert!(
        lines[0].contains("`src/utils/lld.py` | Add | designs"),
        "{lines:?}"
    );
    let text = repo.text(DESIGN);
    let line = usize::try_from(comment["line"].as_u64().unwrap()).unwrap();
    assert_eq!(text.lines().nth(line - 1), Some(lines[0].as_str()));
    let body = review["body"].as_str().unwrap();
    assert!(
        body.contains("lacks rows for 2 of the changed paths"),
        "{body}"
    );
    assert!(!body.contains("guard scope add"), "{body}");
    accept(&repo, &review["comments"]);
    repo.guard(&["lint", "main..188-work"]).exits(0);
    let after = self::review(&repo, 0);
    assert_eq!(
        (&after["body"], &after["comments"]),
        (&"".into(), &Value::Array(Vec::new()))
    );
}

#[test]
fn a_type_that_is_too_narrow_is_replaced() {
    let repo = repo(true, &[]);
    repo.git(&["rm", "--quiet", "src/log.py"]);
    repo.commit("Delete it");
    let review = review(&repo, 1);
    assert_eq!(review["comments"].as_array().unwrap().len(), 1, "{review}");
    accept(&repo, &review["comments"]);
    repo.guard(&["lint", "main..188-work"]).exits(0);
}

#[test]
fn what_cannot_be_suggested_is_a_command_in_the_text() {
    for (is_new, file) in [
        // The request does not show the design.
        (false, "src/more.py"),
        (true, "src/a b.py"),
        (true, "src/*.py"),
        (true, "src/[x](y).py"),
        (true, "src/`x`.py"),
    ] {
        let repo = repo(is_new, &[file]);
        let review = review(&repo, 1);
        assert_eq!(
            review["comments"],
            Value::Array(Vec::new()),
            "{file}: {review}"
        );
        let body = review["body"].as_str().unwrap();
        assert!(body.contains("lacks rows for 1 of"), "{file}: {body}");
        assert!(
            !body.contains("](y)") && !body.contains('*'),
            "{file}: {body}"
        );
    }
    let repo = repo(false, &["src/more.py"]);
    let body = review(&repo, 1)["body"].as_str().unwrap().to_owned();
    assert!(body.contains("<code>guard scope add src/more.py"), "{body}");
}

#[test]
fn a_design_that_the_request_changes_elsewhere_gets_no_suggestion() {
    let repo = Repo::new();
    repo.stage("guard.toml", SETTINGS);
    repo.design(DESIGN, ROWS);
    let filler: String = (0..40)
        .map(|n| format!("\nA line of text, number {n}.\n"))
        .collect();
    let text = repo.text(DESIGN) + &filler;
    repo.stage(DESIGN, &text);
    repo.commit("Begin");
    repo.branch("188-work");
    repo.stage(DESIGN, text.replace("number 39", "number forty"));
    repo.stage("src/more.py", "x = 1\n");
    repo.commit("Work");
    assert_eq!(review(&repo, 1)["comments"], Value::Array(Vec::new()));
    // One near the rows does.
    repo.stage(DESIGN, text.replace("number 0.", "number zero."));
    repo.commit("Work near the rows");
    assert_eq!(review(&repo, 1)["comments"].as_array().unwrap().len(), 1);
}

#[test]
fn design_with_the_line_endings_of_windows_gets_no_suggestion() {
    let repo = repo(true, &["src/more.py"]);
    assert_eq!(review(&repo, 1)["comments"].as_array().unwrap().len(), 1);
    repo.stage(DESIGN, repo.text(DESIGN).replace('\n', "\r\n"));
    repo.commit("Write it as Windows does");
    let review = review(&repo, 1);
    assert_eq!(review["comments"], Value::Array(Vec::new()));
    let body = review["body"].as_str().unwrap();
    assert!(body.contains("guard scope add"), "{body}");
}

/// A member, and whether a value is of its type.
type Member = (&'static str, fn(&Value) -> bool);

/// The members that GitHub's description of `pulls/create-review` has, of a review and of each of its comments, with their
/// types.
const REVIEW: &[Member] = &[
    ("commit_id", Value::is_string),
    ("body", Value::is_string),
    ("event", |event| {
        ["APPROVE", "REQUEST_CHANGES", "COMMENT"].contains(&event.as_str().unwrap_or_default())
    }),
    ("comments", Value::is_array),
];
const COMMENT: &[Member] = &[
    ("path", Value::is_string),
    ("position", Value::is_u64),
    ("body", Value::is_string),
    ("line", Value::is_u64),
    ("side", Value::is_string),
    ("start_line", Value::is_u64),
    ("start_side", Value::is_string),
];

#[test]
fn review_has_the_members_of_the_published_description_only() {
    let has_only = |value: &Value, members: &[Member]| {
        for (key, value) in value.as_object().unwrap() {
            let member = members.iter().find(|(name, _)| name == key);
            assert!(
                member.is_some_and(|(_, is_of_type)| is_of_type(value)),
                "{key}: {value}"
            );
        }
    };
    for (is_new, code) in [(true, 1), (false, 1)] {
        let review = review(&repo(is_new, &["src/more.py", "src/core/lld.py"]), code);
        has_only(&review, REVIEW);
        for comment in review["comments"].as_array().unwrap() {
            has_only(comment, COMMENT);
            assert!(comment["path"].is_string() && comment["body"].is_string());
        }
    }
    let repo = repo(true, &[]);
    repo.stage("src/more.py", "x = 1\n");
    let failed = ["lint", "--lld", "none.md", "--format", "github-review"];
    let failed = repo.guard(&failed).exits(2).stdout;
    has_only(&serde_json::from_str(&failed).unwrap(), REVIEW);
}

/// Answers one request with this status, and returns it: the head, and the body.
fn answer_one(listener: &TcpListener, status: &str) -> (String, String) {
    let (stream, _) = listener.accept().unwrap();
    let mut reader = BufReader::new(stream);
    let (mut head, mut length) = (String::new(), 0);
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        if line.trim().is_empty() {
            break;
        }
        let lower = line.to_lowercase();
        if let Some(value) = lower.strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
        head += &line;
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    let answer = format!("HTTP/1.1 {status}\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{{}}");
    reader.into_inner().write_all(answer.as_bytes()).unwrap();
    (head, String::from_utf8(body).unwrap())
}

/// Runs the two last steps of the action for a pull request, and answers the call.
fn run_action(repo: &Repo, status: &str) -> (String, String, String) {
    let temp = repo.path("../runner");
    let script = format!(
        "#!/bin/sh\nfor last; do :; done\nexec '{}' lint main..188-work --output \"$last\"\n",
        crate::common::GUARD
    );
    let guard = temp.join("guard/bin/guard");
    std::fs::create_dir_all(guard.parent().unwrap()).unwrap();
    write_executable(&guard, &script);
    let mut judge = bash(repo, &scripts()[1]);
    judge
        .env("RUNNER_TEMP", &temp)
        .env("GITHUB_OUTPUT", temp.join("outputs"))
        .env("GUARD_ACTION_DESIGN", "")
        .env("GUARD_ACTION_ARGS", "")
        .env("GUARD_ACTION_SUGGEST", "true");
    run(&mut judge).exits(1);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let status = status.to_owned();
    let server = thread::spawn(move || answer_one(&listener, &status));
    let mut suggest = bash(repo, &scripts()[2]);
    suggest
        .env("RUNNER_TEMP", &temp)
        .env("GH_TOKEN", "secret")
        .env("GITHUB_API_URL", format!("http://{address}"))
        .env("GITHUB_REPOSITORY", "owner/repo")
        .env("GUARD_ACTION_PULL", "7");
    let said = run(&mut suggest).exits(0).text();
    let (head, body) = server.join().unwrap();
    (head, body, said)
}

#[test]
#[cfg_attr(
    not(unix),
    ignore = "needs the programs of a Linux runner, which Windows cannot start"
)]
fn action_posts_the_review_in_one_call() {
    let repo = repo(true, &["src/more.py"]);
    let (head, body, said) = run_action(&repo, "200 OK");
    assert!(
        head.starts_with("POST /repos/owner/repo/pulls/7/reviews HTTP/1.1"),
        "{head}"
    );
    assert!(head.contains("Authorization: Bearer secret"), "{head}");
    let sent: Value = serde_json::from_str(&body).unwrap();
    assert_eq!(sent, review(&repo, 1));
    assert_eq!(said, "");
}

#[test]
#[cfg_attr(
    not(unix),
    ignore = "needs the programs of a Linux runner, which Windows cannot start"
)]
fn action_says_what_to_do_where_the_token_may_not_write() {
    let repo = repo(true, &["src/more.py"]);
    let (_, _, said) = run_action(&repo, "403 Forbidden");
    assert!(said.contains("::notice title=guard::"), "{said}");
    assert!(said.contains("pull-requests: write"), "{said}");
}
