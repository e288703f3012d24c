//! README.md and docs/start.md: their commands work in the order of the text. Also that the documentation stays short, and
//! its links lead somewhere.

use std::fs;
use std::path::Path;

use crate::common::pages::{blocks, page, pages_in};
use crate::common::terminal::{End, driver, guard_at_terminal};
use crate::common::{GUARD, Output, Repo, SOURCE, run};

/// Runs a line in a shell that finds guard; a comment behind it that says "refused" wants a failure.
fn obey(repo: &Repo, line: &str) -> Output {
    let output = run(repo.with_guard_on_path("sh").args(["-c", line]));
    let comment = line.split_once(" # ").map_or("", |(_, comment)| comment);
    let output = output.exits(i32::from(comment.starts_with("refused")));
    if line.starts_with("guard doctor") {
        let text = output.text();
        assert!(text.lines().all(|line| line.starts_with("ok ")), "{text}");
    }
    output
}

#[test]
fn commands_of_the_readme_do_what_it_says() {
    let page = page("README.md");
    let repo = Repo::new();
    let lines = blocks(&page, "Three minutes in your own repository", "sh");
    let mut refusals = Vec::new();
    for line in &lines {
        let output = obey(&repo, line);
        if line.contains("# refused") {
            refusals.push((line, output.text()));
        }
    }
    let [(line, refusal)] = &refusals[..] else {
        panic!("{refusals:#?}");
    };
    // The refusal at the top of the page is the one that these commands lead to.
    let (_, shown) = page.split_once("```text\n$ ").unwrap();
    let (command, report) = shown.split("```").next().unwrap().split_once('\n').unwrap();
    assert!(line.starts_with(command), "{line}");
    assert!(refusal.starts_with(report), "{refusal}");
    assert_eq!(repo.git(&["status", "--porcelain"]), "");
    assert!(repo.path("measure/temperature.py").is_file());
    let design = blocks(&page, "Three minutes in your own repository", "sh").join("\n");
    let row = report.lines().find_map(|line| line.split_once("| | `"));
    assert!(design.contains(row.unwrap().1), "{report}");
}

#[test]
fn demonstration_ends_as_it_announces() {
    let repo = Repo::new();
    let mut demo = repo.command("bash");
    demo.arg(Path::new(SOURCE).join("fixtures/demo/run"));
    let shown = run(demo.env("GUARD_DEMO_BINARY", GUARD)).exits(0);
    shown.says("refused, accepted, refused").says("guard init");
}

#[test]
fn commands_of_the_first_page_do_what_it_says() {
    let page = page("docs/start.md");
    let repo = Repo::new();
    repo.git(&["commit", "--quiet", "--allow-empty", "-m", "Begin"]);
    let mut shown = 0;
    for block in page.split("\n```").skip(1).step_by(2) {
        let (language, text) = block.split_once('\n').unwrap();
        if language == "console" {
            let (command, answer) = text.split_once('\n').unwrap();
            let output = obey(&repo, command.strip_prefix("$ ").unwrap());
            assert_eq!(output.stdout.trim_end(), answer, "{command}");
            shown += 1;
            continue;
        }
        assert_eq!(language, "sh", "{text}");
        for line in text.lines() {
            // Only a person may add rows.
            if let Some(words) = line.strip_prefix("guard scope add") {
                let Some(driver) = driver(&repo) else {
                    return;
                };
                let words = ["scope", "add"].into_iter().chain(words.split_whitespace());
                let words: Vec<_> = words.collect();
                guard_at_terminal(driver, &words, &[], End::Wait).exits(0);
                continue;
            }
            let output = obey(&repo, line);
            if let Some((_, reason)) = line.split_once(" # refused: ") {
                output.says(reason);
            }
        }
    }
    assert_eq!(shown, 1);
    assert_eq!(repo.git(&["status", "--porcelain"]), "");
    let work =
        ["188-temperatures", "main"].map(|branch| repo.git(&["log", "-1", "--format=%s", branch]));
    assert_eq!(work, ["Add temperatures", "Add a limit"]);
    assert!(repo.path("limit.py").is_file());
}

#[test]
fn documentation_for_users_has_at_most_fourteen_thousand_words() {
    let words = page("README.md").split_whitespace().count();
    assert!(words <= 950, "{words}");
    let pages = pages_in("docs");
    // Even with the marks of tables and lists.
    let words = pages.iter().flat_map(|(_, page)| page.split_whitespace());
    let words = words.count();
    assert!(words <= 14_000, "{words}");
}

#[test]
fn documentation_for_contributors_has_at_most_6600_words() {
    let mut words = 0;
    for entry in fs::read_dir(Path::new(SOURCE).join("docs/dev")).unwrap() {
        let text = fs::read_to_string(entry.unwrap().path()).unwrap();
        words += text.split_whitespace().count();
    }
    assert!(words <= 6600, "{words}");
}

#[test]
fn the_page_about_agents_has_at_most_2400_words() {
    let words = page("docs/agents.md").split_whitespace().count();
    assert!(words <= 2_400, "{words}");
}

#[test]
fn each_hook_id_is_documented() {
    let (shipped, settings) = (page(".pre-commit-hooks.yaml"), page("docs/settings.md"));
    let ids = shipped
        .lines()
        .filter_map(|line| line.strip_prefix("- id: "));
    let ids: Vec<&str> = ids.collect();
    for id in &ids {
        let plain = id.trim_end_matches("-rust").trim_end_matches("-system");
        assert!(settings.contains(&format!("\n| `{plain}` |")), "{id}");
        let kinds = [format!("{plain}-rust"), format!("{plain}-system")];
        assert!(
            kinds.iter().all(|kind| ids.contains(&kind.as_str())),
            "{id}"
        );
    }
    assert_eq!(ids.len(), 12);
}

/// The anchor of a heading, as GitHub makes it.
fn anchor(heading: &str) -> String {
    let text = heading.trim_start_matches('#').trim().to_lowercase();
    let kept = text
        .chars()
        .filter(|c| c.is_alphanumeric() || " -_".contains(*c));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

#[test]
fn links_of_the_documentation_lead_to_a_file_and_a_heading() {
    let mut pages = [pages_in("docs"), pages_in("docs/dev")].concat();
    for name in ["README.md", "CONTRIBUTING.md", "SECURITY.md"] {
        pages.push((name.to_owned(), page(name)));
    }
    let mut broken = Vec::new();
    for (name, text) in &pages {
        // Links stand outside of code; the odd parts of a text split at the marks of code are code.
        let prose = text.split("```").step_by(2);
        for part in prose.flat_map(|part| part.split('`').step_by(2)) {
            let links = part.split("](").skip(1);
            for link in links.filter_map(|rest| rest.split(')').next()) {
                if link.starts_with("http") {
                    continue;
                }
                let (to, heading) = link.split_once('#').unwrap_or((link, ""));
                let folder = Path::new(SOURCE).join(name).parent().unwrap().to_owned();
                let file = match to {
                    "" => Path::new(SOURCE).join(name),
                    _ => folder.join(to),
                };
                let has_heading = || {
                    let text = fs::read_to_string(&file).unwrap();
                    let mut headings = text.lines().filter(|line| line.starts_with('#'));
                    headings.any(|line| anchor(line) == heading)
                };
                if !file.exists() || !heading.is_empty() && !has_heading() {
                    broken.push(format!("{name}: {link}"));
                }
            }
        }
    }
    assert!(broken.is_empty(), "{broken:#?}");
}
