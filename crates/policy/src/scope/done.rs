//! `[lld] done`: which files say that the work of a plan is done. `{1}` in a pattern stands for what the first star of
//! `[lld] path` or `standing` matched in the path of the plan, `{issue}` for what that placeholder matched.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use bstr::{BStr, BString};
use regex_lite::Regex;

use super::glob::{Glob, bytes_of, characters, expand};

/// What a pattern leaves open, with the expression of what it may match. The longer one comes first. A placeholder takes as
/// little as possible, because the number of an issue ends where the next word begins.
const OPEN: &[(&str, &str)] = &[
    ("{issue}", "([^/]*?)"),
    ("{slug}", "([^/]*?)"),
    ("{branch}", "(.*?)"),
    ("**/", "((?:.*/)?)"),
    ("**", "(.*)"),
    ("*", "([^/]*)"),
];

/// A reference of `done` to an open part: `{1}` or the name of a placeholder. Without the expression, nothing is one.
static REFERENCE: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"\{(?:[0-9]+|issue|slug|branch)\}").ok());

/// The patterns of the files that say that the work of a plan is done: those of `done`, filled in by each pattern of plans
/// that matches the path of this one.
pub fn signs_of<'p>(
    plan: &BStr,
    patterns: impl Iterator<Item = &'p String>,
    done: &[String],
) -> Vec<BString> {
    let mut signs = Vec::new();
    for pattern in patterns {
        let Some(parts) = open_parts(pattern, plan) else {
            continue;
        };
        signs.extend(done.iter().filter_map(|one| fill(one, &parts)));
    }
    signs
}

/// Whether a file says that the work of some plan is done. A plan that moves to such a place stays the same plan.
pub fn is_sign(path: &BStr, done: &[String]) -> bool {
    let Some(reference) = &*REFERENCE else {
        return false;
    };
    done.iter().any(|one| {
        let any = reference.replace_all(normal(one), "**");
        Glob::new(any.as_ref().into()).is_ok_and(|glob| glob.matches(path))
    })
}

/// Whether some pattern of plans has all the parts that a pattern of `done` refers to.
pub(super) fn can_be_filled<'p>(
    done: &str,
    mut patterns: impl Iterator<Item = &'p String>,
) -> bool {
    patterns.any(|pattern| {
        let alternatives = expand(normal(pattern), "").unwrap_or_default();
        alternatives.iter().any(|one| {
            let (_, names) = expression(one);
            let parts = names.into_iter().map(|name| (name, String::new()));
            fill(done, &parts.collect()).is_some()
        })
    })
}

/// A pattern of the settings in git's path notation.
fn normal(pattern: &str) -> &str {
    pattern.trim_start_matches("./").trim_start_matches('/')
}

/// What the open parts of a pattern match in `path`, by their names; `None` if the pattern does not match.
fn open_parts(pattern: &str, path: &BStr) -> Option<BTreeMap<String, String>> {
    let path = characters(path);
    for one in expand(&characters(normal(pattern).into()), "")? {
        let (expression, names) = expression(&one);
        let captures = Regex::new(&expression).ok()?.captures(&path);
        let Some(captures) = captures else {
            continue;
        };
        let mut parts = BTreeMap::new();
        for (name, part) in names.into_iter().zip(captures.iter().skip(1)) {
            let part = part.map_or("", |part| part.as_str());
            // In the filled pattern, what is special there matches itself, and more: in doubt, the work is done.
            let part = part.trim_end_matches('/').replace(['{', '}', ','], "*");
            parts.insert(name, part);
        }
        return Some(parts);
    }
    None
}

/// A pattern without alternatives as a regular expression with a group per open part, and the names of these parts.
fn expression(pattern: &str) -> (String, Vec<String>) {
    let mut expression = "(?s)^".to_owned();
    let mut names = Vec::new();
    let mut rest = pattern;
    let mut stars = 0;
    while let Some(next) = rest.chars().next() {
        let begins_segment = rest.len() == pattern.len() || expression.ends_with('/');
        let open = OPEN
            .iter()
            .find(|(text, _)| rest.starts_with(text) && (*text != "**/" || begins_segment));
        let Some((text, group)) = open else {
            expression.push_str(&regex_lite::escape(&next.to_string()));
            rest = &rest[next.len_utf8()..];
            continue;
        };
        expression.push_str(group);
        if text.starts_with('*') {
            stars += 1;
            names.push(stars.to_string());
        } else {
            names.push(text.trim_matches(['{', '}']).to_owned());
        }
        rest = &rest[text.len()..];
    }
    (expression + "$", names)
}

/// A pattern of `done` with its references filled in; `None` if it refers to a part that is not there.
fn fill(done: &str, parts: &BTreeMap<String, String>) -> Option<BString> {
    let mut filled = characters(normal(done).into());
    for (name, part) in parts {
        filled = filled.replace(&format!("{{{name}}}"), part);
    }
    let reference = REFERENCE.as_ref();
    let has_reference = reference.is_some_and(|reference| reference.is_match(&filled));
    // A part that matched nothing leaves its slashes.
    (!has_reference).then(|| bytes_of(&filled.replace("//", "/")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn signs(patterns: &[&str], done: &str, plan: &str) -> Vec<BString> {
        let patterns: Vec<String> = patterns.iter().map(|one| (*one).to_owned()).collect();
        signs_of(plan.into(), patterns.iter(), &[done.to_owned()])
    }

    #[test]
    fn references_stand_for_what_the_pattern_leaves_open() {
        for (pattern, done, plan, sign) in [
            (
                ".planning/phases/*/*-PLAN.md",
                ".planning/phases/{1}/{2}-SUMMARY.md",
                ".planning/phases/03.1-login/03.1-02-PLAN.md",
                ".planning/phases/03.1-login/03.1-02-SUMMARY.md",
            ),
            (
                "./p/*PLAN.md",
                "/p/{1}SUMMARY.md",
                "p/PLAN.md",
                "p/SUMMARY.md",
            ),
            (
                "lld/active/LLD-{issue}-*.md",
                "lld/done/LLD-{issue}-{1}.md",
                "lld/active/LLD-8-fix-it.md",
                "lld/done/LLD-8-fix-it.md",
            ),
            (
                "specs/{branch}/{spec,plan}.md",
                "specs/{branch}/DONE",
                "specs/a/004-x/plan.md",
                "specs/a/004-x/DONE",
            ),
            ("a/**/*.md", "b/{1}/{2}.done", "a/x/y/z.md", "b/x/y/z.done"),
            ("a/**/*.md", "b/{1}/{2}.done", "a/z.md", "b/z.done"),
            ("**/*.md", "b/{1}/{2}.done", "x/y/z.md", "b/x/y/z.done"),
            ("*/{a,b*}.md", "{1}/{2}", "x/bc.md", "x/c"),
            ("ä/*.md", "ä/{1}.done", "ä/ö.md", "ä/ö.done"),
            // What is special in a pattern never hides the file.
            ("p/*.md", "p/{1}.done", "p/{a,b}.md", "p/*a*b*.done"),
            ("p/*.md", "p/{1}.done", "p/{2}.md", "p/*2*.done"),
        ] {
            assert_eq!(signs(&[pattern], done, plan), [sign], "{pattern} {plan}");
        }
    }

    #[test]
    fn pattern_with_another_reference_or_for_other_plans_says_nothing() {
        for (pattern, done, plan) in [
            ("p/*.md", "p/{2}.done", "p/a.md"),
            ("p/*.md", "p/{issue}.done", "p/a.md"),
            ("p/*.md", "p/{1}.done", "q/a.md"),
            ("p/*.md", "p/{1}.done", "p/a/b.md"),
        ] {
            assert_eq!(signs(&[pattern], done, plan), [""; 0], "{pattern} {done}");
        }
        let both = signs(&["p/*.md", "**/*.md"], "d/{2}", "p/a.md");
        assert_eq!(both, ["d/a"]);
        assert_eq!(signs(&["p/*.md"], "d/all", "p/a.md"), ["d/all"]);
    }

    #[test]
    fn a_sign_is_known_without_its_plan() {
        let done = [
            "docs/done/LLD-{issue}.md".to_owned(),
            "p/{1}/{2}.done".to_owned(),
        ];
        for (path, is) in [
            ("docs/done/LLD-7.md", true),
            ("p/a/b.done", true),
            ("docs/active/LLD-7.md", false),
            ("docs/done/README.md", false),
        ] {
            assert_eq!(is_sign(path.into(), &done), is, "{path}");
        }
    }

    #[test]
    fn references_are_known_before_there_is_a_plan() {
        let patterns = ["a/*/{issue}.md".to_owned(), "b/{x,*-*}.md".to_owned()];
        for (done, can) in [
            ("{1}/{issue}", true),
            ("{1}-{2}", true),
            ("all", true),
            ("{2}/{issue}", false),
            ("{3}", false),
            ("{slug}", false),
        ] {
            assert_eq!(can_be_filled(done, patterns.iter()), can, "{done}");
        }
    }
}
