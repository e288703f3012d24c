//! Recognises guard's own reports, so that a new report replaces no other file.

use regex_lite::Regex;

use super::html;
use super::target::Format;
use write_guard_policy::finding::Rule;

/// How many bytes of a file to inspect.
pub(crate) const RECOGNISED_FROM: u64 = 64 * 1024;

/// Whether a file that starts with `start` is a guard report in this format.
pub(crate) fn is_report(format: Format, start: &[u8]) -> bool {
    let rules: Vec<_> = Rule::ALL.iter().map(|rule| rule.id()).collect();
    let rules = rules.join("|");
    let pattern = match format {
        // A finding, or the first line of lint, check, scope show and scope prompt.
        Format::Human => [
            "guard: ",
            "allowed ",
            "refused ",
            "You may change only these files",
            &format!(r"(error|warning|note)\[({rules})\]: "),
        ]
        .join("|"),
        Format::Short => return false,
        Format::Json => {
            "\\{\n  \"version\": 1,\n  \"(verdict|error|results|designs|findings|target)\""
                .to_owned()
        }
        Format::Sarif => {
            "\\{\n  \"\\$schema\": \"(?s:.*)\n          \"name\": \"guard\",".to_owned()
        }
        Format::Github => "::stop-commands::".to_owned(),
        Format::GithubReview => "\\{\n  \"event\": \"COMMENT\",\n  \"body\": \"".to_owned(),
        Format::Gitlab => {
            let first = format!(
                "\n  \\{{\n    \"description\": \".*\n    \"check_name\": \"({rules}|guard)\""
            );
            format!("\\[(\\]\\s*$|{first})")
        }
        Format::Junit => {
            r#"<\?xml version="1.0" encoding="UTF-8"\?>\n<testsuites name="guard" "#.to_owned()
        }
        Format::Markdown => "### guard: ".to_owned(),
        Format::Html => html::BEGINNING.to_owned(),
    };
    let report = Regex::new(&format!("^({pattern})"));
    report.is_ok_and(|report| report.is_match(&String::from_utf8_lossy(start)))
}
