//! The review page: one HTML file without scripts and without anything from elsewhere.
//!
//! Its policy for content (CSP) permits one style sheet, by its hash, and nothing else. Each section has a limit, and
//! all together stay below 5 MB; what does not fit is counted.

mod commits;
mod design_table;
mod findings;
mod hunks;
mod map;
mod markup;
mod overview;

use super::texts::{RunResult, cannot_judge};
pub(super) use commits::trial;
use markup::{PagePart, prose, section};
use overview::Home;
use write_guard_policy::approve::base64;
use write_guard_policy::error::Error;
use write_guard_policy::sha256::sha256;
use write_guard_policy::verdict::Verdict;

/// How every page begins, by which guard recognises its own.
pub(super) const BEGINNING: &str = "<!doctype html>\n\
                                    <html lang=\"en\">\n\
                                    <head>\n\
                                    <meta charset=\"utf-8\">\n\
                                    <meta name=\"generator\" content=\"guard ";

/// The style sheet. Bars take their widths from the classes that [`style`] adds.
const STYLE: &str = include_str!("page.css");

/// The page of a verdict, or the reason why there is none.
pub(super) fn report(RunResult { verdict, failure }: RunResult<'_>) -> String {
    if let Some(error) = failure {
        return page("could not check", &failed(error));
    }
    let outcome = verdict.outcome().name();
    let subject = overview::subject(verdict);
    page(&format!("{outcome} · {subject}"), &body(verdict))
}

fn body(verdict: &Verdict) -> String {
    let home = Home::of(verdict);
    // What is refused comes first, and what is empty is left out.
    let parts = [
        findings::refused(verdict, &home),
        findings::others(verdict),
        hunks::section_of(verdict, &home),
        design_table::section_of(verdict),
        map::section_of(verdict),
        commits::approvals(verdict),
        commits::commits(verdict, &home),
    ];
    let parts: Vec<PagePart> = parts.into_iter().flatten().collect();
    format!(
        "{}<main id=\"main\">\n{}</main>\n{}",
        overview::header(verdict, &parts, &home),
        parts.iter().map(|part| &*part.section).collect::<String>(),
        overview::footer(verdict)
    )
}

/// The body of a page without a verdict.
fn failed(error: &Error) -> String {
    let problems = error.problems.iter().take(200);
    let problems: String = problems.map(findings::item).collect();
    let why = format!(
        "<p>{}</p><ul class=\"findings\">{problems}</ul>",
        prose(&cannot_judge(error))
    );
    format!(
        "<header class=\"top refused\"><div class=\"in\">\
         <p class=\"brand\">guard review</p>\
         <h1><span class=\"mark\" aria-hidden=\"true\">!</span> Could not check</h1>\
         </div></header>\n\
         <main id=\"main\">{}</main>\n",
        section("findings", "Why there is no result", "", &why)
    )
}

/// A page with this title.
pub(super) fn page(title: &str, body: &str) -> String {
    let style = style();
    // Browsers compare it with its padding: 32 bytes lack one.
    let hash = base64(sha256(style.as_bytes()).as_slice()) + "=";
    let title = prose(title);
    let version = env!("CARGO_PKG_VERSION");
    format!(
        "{BEGINNING}{version}\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; \
         style-src 'sha256-{hash}'; base-uri 'none'; form-action 'none'\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <meta name=\"referrer\" content=\"no-referrer\">\n\
         <title>guard: {title}</title>\n\
         <style>{style}</style>\n\
         </head>\n<body>\n{body}</body>\n</html>\n"
    )
}

/// The style sheet with a class per width in per cent: the policy for content forbids styles in attributes.
fn style() -> String {
    // A check-out may have changed the line endings, and browsers undo that before they compute the hash.
    let mut style = STYLE.replace("\r\n", "\n");
    for width in 0..=100 {
        style += &format!(".w{width}{{width:{width}%}}\n");
    }
    style
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_style_has_a_class_for_each_width() {
        let style = style();
        assert!(style.starts_with(STYLE.lines().next().unwrap_or_default()));
        for class in [".w0{width:0%}", ".w50{width:50%}", ".w100{width:100%}"] {
            assert!(style.contains(class), "{class}");
        }
    }

    #[test]
    fn page_has_one_style_and_no_other_resource() {
        let page = report(RunResult {
            verdict: &Verdict::default(),
            failure: None,
        });
        assert!(page.starts_with(BEGINNING));
        assert_eq!(page.matches("<style").count(), 1);
        for forbidden in [
            "<script", "style=", "url(", "@import", "<img", "<iframe", "src=",
        ] {
            assert!(!page.contains(forbidden), "{forbidden}");
        }
    }
}
