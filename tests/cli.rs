//! The command line: help, formats, colours, and output that cannot be written.

use std::fs::File;
use std::process::Stdio;

use crate::common::{DESIGN, GUARD, Repo, has_keys, table};
use write_guard_policy::finding::Rule;

/// A repository with a finding and a granted change.
fn repo() -> Repo {
    let repo = Repo::new();
    repo.govern(&[("utils/lld.rs", "Add", "x")]);
    repo.stage("core/lld.rs", "x\n");
    repo.stage("utils/lld.rs", "x\n");
    repo
}

/// The verbs that a help text lists.
fn verbs_of(help: &str) -> impl Iterator<Item = &str> {
    let (_, list) = help.split_once("\nCommands:\n").unwrap();
    let lines = list.lines().take_while(|line| !line.is_empty());
    // Continuation lines of a description are indented further.
    let verbs = lines.filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    verbs.filter_map(|line| line.split_whitespace().next())
}

/// `cli::tests` checks the examples of every verb.
#[test]
fn help_lists_the_verbs_and_names_examples() {
    let repo = Repo::new();
    let help = repo.guard(&["--help"]).exits(0).stdout;
    let first: Vec<&str> = verbs_of(&help).filter(|verb| *verb != "trial").collect();
    let expected = "init install doctor lint status scope use approve review explain";
    assert_eq!(first.join(" "), expected);
    // Every other verb is in one group, and `guard help all` describes them all.
    let groups = ["Files:", "Machines:", "More:"];
    let groups = groups.map(|group| help.split_once(group).unwrap().1.lines().next().unwrap());
    let grouped = groups.iter().flat_map(|line| line.trim().split(", "));
    let mut shown: Vec<&str> = verbs_of(&help).chain(grouped).collect();
    let all = repo.guard(&["help", "all"]).exits(0).stdout;
    let mut every: Vec<&str> = verbs_of(&all).collect();
    shown.sort_unstable();
    every.sort_unstable();
    assert_eq!(shown, every);
    assert_eq!(repo.guard(&["-h"]).exits(0).stdout, help);
    assert_eq!(repo.guard(&["help"]).exits(0).stdout, help);
    assert_eq!(repo.guard(&[]).exits(2).stderr, help);
    for words in [&["lint"][..], &["snapshot"], &["scope", "add"]] {
        let by_flag = repo.guard(&[words, &["--help"]].concat()).exits(0);
        let by_verb = repo.guard(&[&["help"], words].concat()).exits(0);
        assert_eq!(by_flag.stdout, by_verb.stdout);
    }
    let unknown = repo.guard(&["help", "nothing"]).exits(2);
    unknown.says("unrecognized subcommand 'nothing'");
    let expected = format!("guard {}\n", env!("CARGO_PKG_VERSION"));
    for flag in ["--version", "-V"] {
        assert_eq!(repo.guard(&[flag]).exits(0).text(), expected);
    }
}

#[test]
fn every_rule_is_explained_even_outside_a_repository() {
    let repo = Repo::new();
    let list = repo.guard(&["-C", "..", "explain"]).exits(0).stdout;
    for rule in Rule::ALL {
        assert!(list.contains(rule.id()), "{}", rule.id());
        let page = repo.guard(&["-C", "..", "explain", rule.id()]).exits(0);
        assert_eq!(page.stdout, rule.page());
    }
    let all = repo.json(&["explain"]);
    let all = all["rules"].as_array().unwrap().iter();
    let ids = all.map(|rule| rule["rule"].as_str().unwrap());
    assert!(ids.eq(Rule::ALL.iter().map(|rule| rule.id())));
    let one = repo.json(&["explain", "out-of-scope"]);
    let keys = "rule level summary what why example fix allow configurable approvable";
    has_keys(&one["rules"][0], keys);
}

#[test]
fn quiet_prints_only_errors() {
    let repo = repo();
    let variable: &[(&str, &str)] = &[("GUARD_QUIET", "1")];
    for (arguments, environment) in [(&["lint", "-q"][..], &[][..]), (&["lint"], variable)] {
        let output = repo.guard_with(environment, arguments).exits(1);
        let output = output.says("error[out-of-scope]").stdout;
        assert!(!output.contains("guard: refused"), "{output}");
    }
    repo.git(&["rm", "--quiet", "--cached", "core/lld.rs"]);
    assert_eq!(repo.guard(&["-q", "lint"]).exits(0).text(), "");
    let check = repo.guard(&["-q", "check", "utils/lld.rs"]);
    assert_eq!(check.exits(0).text(), "");
}

#[test]
fn colour_is_used_only_on_terminals_unless_requested() {
    let repo = repo();
    // An explicit request wins.
    for [arguments, variables, expected] in table(
        "lint | - | plain
         lint --color never | - | plain
         lint --color always | - | coloured
         lint | NO_COLOR=1 | plain
         lint | CLICOLOR_FORCE=1 | coloured
         lint | CLICOLOR_FORCE=1 NO_COLOR=1 | plain
         lint --color always | NO_COLOR=1 | coloured
         lint | GUARD_COLOR=always | coloured
         lint --format json --color always | - | plain",
    ) {
        let words: Vec<&str> = arguments.split(' ').collect();
        let pairs = variables.split(' ').filter_map(|pair| pair.split_once('='));
        let output = repo.guard_with(&pairs.collect::<Vec<_>>(), &words).exits(1);
        let is_coloured = output.stdout.contains("\u{1b}[");
        let found = if is_coloured { "coloured" } else { "plain" };
        assert_eq!(found, expected, "{arguments} {variables}");
    }
}

/// Runs guard with this as standard output.
fn guard_into(repo: &Repo, arguments: &[&str], stdout: impl Into<Stdio>) -> (Option<i32>, String) {
    let mut guard = repo.command(GUARD);
    guard.args(arguments).stdin(Stdio::null());
    let output = guard.stdout(stdout).stderr(Stdio::piped()).spawn().unwrap();
    let output = output.wait_with_output().unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    (output.status.code(), told)
}

const PRINTING: [&[&str]; 5] = [
    &["lint"],
    &["lint", "--format", "json"],
    &["check", "core/lld.rs"],
    &["scope", "show"],
    &["explain"],
];

/// A closed pipe ends guard quietly.
#[test]
#[cfg_attr(
    not(target_os = "linux"),
    ignore = "needs /dev/full, which only Linux has"
)]
fn verdict_that_cannot_be_printed_exits_with_2() {
    let repo = repo();
    for arguments in PRINTING {
        let full = File::options().write(true).open("/dev/full").unwrap();
        let (code, stderr) = guard_into(&repo, arguments, full);
        assert_eq!(code, Some(2), "{arguments:?}");
        assert!(stderr.contains("the report cannot be written"), "{stderr}");
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let expected = Some(repo.guard(arguments).code);
        let found = guard_into(&repo, arguments, writer);
        assert_eq!(found, (expected, String::new()), "{arguments:?}");
    }
}

const FINDING: &str = "rule level path message closest design help commands details";

/// Keys are added, never renamed.
#[test]
fn the_json_of_lint_scope_and_check_has_its_keys_in_order() {
    let change = "path from action class original_lines new_lines lost_share approved";
    let report = repo().json(&["lint"]);
    let keys = "version verdict source designs findings changes summary";
    has_keys(&report, keys);
    has_keys(&report["source"], "kind base head branch notes");
    has_keys(&report["designs"][0], "path from selected_by grants");
    has_keys(&report["findings"][0], FINDING);
    has_keys(&report["findings"][0]["design"], "path line column");
    has_keys(&report["changes"][0], change);
    has_keys(&report["summary"], "errors warnings notes changes approved");
    assert_eq!(report["designs"][0]["path"], DESIGN);
    assert_eq!(report["designs"][0]["from"], "HEAD");
    assert_eq!(report["source"]["kind"], "index");
    assert_eq!(report["source"]["branch"], "188-work");

    let repo = Repo::new();
    repo.govern(&[
        ("utils/lld.rs", "Add", "x"),
        ("kept.rs", "Exists", "x"),
        ("../x", "Add", "x"),
    ]);
    let grant = "path kind actions from role form description exists protected design line column";
    let scope = repo.json(&["scope", "show"]);
    has_keys(
        &scope,
        "version designs grants mentions denials problems notes",
    );
    has_keys(&scope["grants"][0], grant);
    has_keys(&scope["mentions"][0], "path change_type design line column");
    has_keys(&scope["problems"][0], FINDING);
    assert_eq!(scope["mentions"][0]["path"], "kept.rs");

    let result =
        "requested_path path absolute_path allowed closest_match reason rule kind violation";
    let report = repo.json(&["check", "core/lld.rs", "../x"]);
    has_keys(&report, "version results notes");
    has_keys(&report["results"][1], result);
}

#[test]
fn a_name_that_looks_like_a_flag() {
    let repo = Repo::new();
    repo.govern(&[("--version", "Add", "x")]);
    let check = repo.guard(&["check", "--", "--version"]).exits(0);
    check.says("allowed --version");
    repo.stage("--version", "x\n");
    repo.guard(&["lint"]).exits(0);
}

#[test]
fn lint_accepts_a_range_as_argument() {
    let repo = repo();
    repo.git(&["branch", "start"]);
    repo.commit("Out of scope");
    let by_option = repo.guard(&["lint", "--range", "start..HEAD", "--format", "json"]);
    let by_word = repo.guard(&["lint", "start..HEAD", "--format", "json"]);
    assert_eq!((by_option.code, &by_option.stdout), (1, &by_word.stdout));
    assert_eq!(by_word.code, 1);
    repo.guard(&["lint", "start..HEAD", "--staged"]).exits(2);
    repo.guard(&["lint", "--staged", "--worktree"]).exits(2);
    for word in ["start", "core/lld.rs"] {
        repo.guard(&["lint", word])
            .exits(2)
            .says(&format!("{word} is not a range"));
    }
}
