//! `guard explain`: one rule's text, or the list of all rules.

use std::io;

use annotate_snippets::renderer::DEFAULT_EMPHASIS_STYLE;

use super::Style;
use super::human::paint;
use crate::finding::Rule;
use crate::policy::settings::KEYS;

/// Writes the long text of one rule.
///
/// # Errors
///
/// Those of `out`.
pub fn write_rule(rule: Rule, out: &mut dyn io::Write, style: &Style) -> io::Result<()> {
    let title = |text| paint(DEFAULT_EMPHASIS_STYLE, text, style);
    let text = rule.explain();
    let mut page = format!(
        "{} ({})\n\n{}\n",
        title(rule.id()),
        rule.default_level().name(),
        text.what
    );
    let sections = [
        ("Why", text.why),
        ("Example", text.example),
        ("Fix", text.fix),
        ("Level", level(rule)),
        ("Approval", approval(rule)),
    ];
    for (name, body) in sections {
        page.push_str(&format!("\n{}\n", title(name)));
        for line in body.lines() {
            page.push_str(&format!("  {line}\n"));
        }
    }
    out.write_all(page.as_bytes())
}

/// Writes one line a rule: name, default level, when it fires.
///
/// # Errors
///
/// Those of `out`.
pub fn write_rules(out: &mut dyn io::Write, style: &Style) -> io::Result<()> {
    let widest = Rule::ALL
        .iter()
        .map(|rule| rule.id().len())
        .max()
        .unwrap_or(0);
    let mut page = String::new();
    for rule in Rule::ALL {
        // Padded before it is painted: colour codes have no width.
        let name = paint(
            DEFAULT_EMPHASIS_STYLE,
            &format!("{:widest$}", rule.id()),
            style,
        );
        let level = rule.default_level().name();
        page.push_str(&format!("{name}  {level:7}  {}\n", rule.summary()));
    }
    page.push_str("\n`guard explain RULE` tells why, with an example and the fix.\n");
    out.write_all(page.as_bytes())
}

/// Writes every key of `guard.toml` by table, as a file with all defaults would hold it.
///
/// # Errors
///
/// Those of `out`.
pub fn write_settings(out: &mut dyn io::Write, style: &Style) -> io::Result<()> {
    let mut page = String::new();
    let mut section = "";
    for key in KEYS {
        if key.section != section {
            section = key.section;
            page.push_str(&format!(
                "{}\n",
                paint(DEFAULT_EMPHASIS_STYLE, &format!("[{section}]"), style)
            ));
        }
        let default = match key.default {
            "" => String::new(),
            default => format!(" = {default}"),
        };
        page.push_str(&format!("  {}{default}\n      {}\n", key.name, key.doc));
    }
    page.push_str(&format!(
        "{}\n",
        paint(DEFAULT_EMPHASIS_STYLE, "[rules]", style)
    ));
    page.push_str("  RULE = \"off\" | \"note\" | \"warning\" | \"error\"\n      The level of a rule; `guard explain` lists them.\n");
    out.write_all(page.as_bytes())
}

fn level(rule: Rule) -> &'static str {
    if rule.is_always() {
        "Always an error; no setting changes it."
    } else {
        "Can be set under [rules] in guard.toml."
    }
}

fn approval(rule: Rule) -> &'static str {
    if rule.can_be_approved() {
        "A person's approval of exactly this change clears it (`guard approve`), a signed one in ranges and CI too."
    } else if rule.is_always() {
        "No approval clears it."
    } else if rule.is_about_design() {
        "Does not apply: the document is to be corrected."
    } else {
        "Does not apply."
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(rule: Rule) -> String {
        let mut out = Vec::new();
        write_rule(rule, &mut out, &Style::default()).unwrap_or_default();
        String::from_utf8(out).unwrap_or_default()
    }

    #[test]
    fn an_always_rule_says_that_nothing_clears_it() {
        let page = page(Rule::UnsafePath);
        assert!(page.starts_with("unsafe-path (error)\n\n"), "{page}");
        assert!(page.contains("Always an error; no setting changes it."));
        assert!(page.contains("No approval clears it."));
    }

    #[test]
    fn a_page_has_all_sections() {
        insta::assert_snapshot!(page(Rule::OutOfScope));
    }

    #[test]
    fn the_list_has_one_line_a_rule() {
        let mut out = Vec::new();
        write_rules(&mut out, &Style::default()).unwrap_or_default();
        let list = String::from_utf8(out).unwrap_or_default();
        for rule in Rule::ALL {
            let lines = list
                .lines()
                .filter(|line| line.split(' ').next() == Some(rule.id()))
                .count();
            assert_eq!(lines, 1, "{}", rule.id());
        }
    }
}
