//! `hidden-change`: added attributes that hide content from a reviewer.

use bstr::{BStr, ByteSlice};

use super::{Case, ChangeRule, Sink};
use crate::finding::{Finding, Rule};
use crate::path::escaped;

pub(super) const RULE: ChangeRule = ChangeRule {
    check,
    reads: Some(concerns),
};

/// Whether the rule reads this file.
pub(super) fn concerns(path: &BStr) -> bool {
    path == ".gitattributes" || path.ends_with(b"/.gitattributes")
}

fn check(case: &Case<'_>, sink: &mut Sink<'_>) {
    for changed in case.changes {
        let path = changed.path();
        let Some((old, new)) = changed.content.as_deref().filter(|_| concerns(path)) else {
            continue;
        };
        for line in new.lines().map(ByteSlice::trim) {
            let Some((attribute, why)) = hiding(line) else {
                continue;
            };
            if old.lines().any(|before| before.trim() == line) {
                continue;
            }
            let message = format!("{} adds `{}`, which {why}", escaped(path), escaped(line));
            let help =
                "remove the line, or review the matching files: git diff --text --no-textconv";
            let finding = Finding::new(Rule::HiddenChange, path, message).help(help);
            sink.push(finding.detail("attribute", attribute.to_str_lossy()));
        }
    }
}

/// The attribute of a line that hides content, and its effect.
fn hiding(line: &[u8]) -> Option<(&[u8], &'static str)> {
    let mut attributes = line.fields().skip(1).filter(|_| !line.starts_with(b"#"));
    attributes.find_map(|one| Some((one, what_it_does(one)?)))
}

/// Sources: gitattributes(5), and GitHub's documentation for the linguist attributes.
fn what_it_does(attribute: &[u8]) -> Option<&'static str> {
    let name = attribute
        .split(|&byte| byte == b'=')
        .next()
        .unwrap_or(attribute);
    match (name, attribute) {
        (b"-diff" | b"binary" | b"!diff", _) => Some("hides the content of files from diffs"),
        (b"diff", [_, _, _, _, b'=', ..]) => Some("lets a program decide what diffs show"),
        (b"linguist-generated" | b"linguist-vendored", _) if !attribute.ends_with(b"=false") => {
            Some("collapses files in reviews")
        }
        (b"filter" | b"working-tree-encoding", _) if attribute.contains(&b'=') => {
            Some("makes the work tree differ from the commit")
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_that_hide_content_are_recognised() {
        for (line, hides) in [
            ("*.py -diff", true),
            ("*.bin binary", true),
            ("*.py diff=odd", true),
            ("*.py diff", false),
            ("*.py text eol=lf", false),
            ("*.py linguist-generated", true),
            ("*.py linguist-generated=true", true),
            ("*.py linguist-generated=false", false),
            ("*.py filter=lfs diff=lfs merge=lfs -text", true),
            ("*.py working-tree-encoding=UTF-16", true),
            ("# *.py -diff", false),
            ("", false),
        ] {
            assert_eq!(hiding(line.as_bytes()).is_some(), hides, "{line}");
        }
    }
}
