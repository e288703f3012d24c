//! The table in docs/start.md: what guard says in everyday situations, from the cases in fixtures/repos that have one.
//! `fixtures` runs the same cases, with the commands that the page names.

use crate::common::case::{self, Case};
use crate::common::pages::{assert_current, page};

const PAGE: &str = "docs/start.md";
/// The table stands between these lines.
const START: &str = "<!-- the table of the cases begins -->\n";
const END: &str = "<!-- the table of the cases ends -->\n";

fn situations() -> Vec<Case> {
    let mut cases = case::all().unwrap();
    cases.retain(|case| case.situation.is_some());
    cases.sort_by_key(|case| case.situation.clone());
    cases
}

fn row<const N: usize>(cells: [String; N]) -> String {
    let cells = cells.map(|cell| cell.replace('|', "\\|"));
    format!("| {} |\n", cells.join(" | "))
}

/// The refused situations with the commands that help, and then the accepted ones.
fn tables() -> String {
    let (accepted, refused): (Vec<_>, Vec<_>) =
        situations().into_iter().partition(|case| case.exit == 0);
    let mut tables = "| guard refuses | because | what helps |\n|---|---|---|\n".to_owned();
    let link = |case: &Case| {
        let situation = case.situation.as_deref().unwrap();
        format!("[{situation}](../fixtures/repos/{}.sh)", case.name)
    };
    for case in refused {
        let rule = match case.rules.iter().next() {
            Some(rule) => format!("`{rule}`: "),
            None => String::new(),
        };
        let then: Vec<String> = case.then.iter().map(|line| format!("`{line}`")).collect();
        tables += &row([link(&case), rule + &case.about, then.join("<br>")]);
    }
    tables += "\n| guard accepts | for example |\n|---|---|\n";
    for case in accepted {
        tables += &row([link(&case), case.about.clone()]);
    }
    tables
}

#[test]
fn the_table_of_the_cases_is_current() {
    let page = page(PAGE);
    let (before, rest) = page.split_once(START).unwrap();
    let (_, after) = rest.split_once(END).unwrap();
    let current = format!("{before}{START}\n{}\n{END}{after}", tables());
    assert_current(PAGE, &current);
}
