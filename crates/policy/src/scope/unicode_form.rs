//! Names that look alike and differ in their Unicode form: `ü` is one character when composed, and a letter with a
//! combining mark when decomposed. Git and guard compare bytes, but a person sees no difference.

use std::borrow::Cow;
use std::collections::HashMap;

use bstr::{BStr, ByteSlice};
use unicode_normalization::{UnicodeNormalization, is_nfc, is_nfd};

use super::closest::Closest;
use super::{GrantKind, Scope};

/// The Unicode form of a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnicodeForm {
    /// NFC, which most systems write.
    Composed,
    /// NFD, which some programs of macOS write.
    Decomposed,
    /// Parts of both.
    Mixed,
}

impl UnicodeForm {
    /// The form of a name that has more than one.
    pub fn of(name: &BStr) -> UnicodeForm {
        let name = name.to_str_lossy();
        if is_nfc(&name) {
            UnicodeForm::Composed
        } else if is_nfd(&name) {
            UnicodeForm::Decomposed
        } else {
            UnicodeForm::Mixed
        }
    }

    /// The form in a sentence.
    pub fn name(self) -> &'static str {
        match self {
            UnicodeForm::Composed => "the composed form (NFC)",
            UnicodeForm::Decomposed => "the decomposed form (NFD)",
            UnicodeForm::Mixed => "a mixed form",
        }
    }

    /// The form for programs.
    pub fn id(self) -> &'static str {
        match self {
            UnicodeForm::Composed => "NFC",
            UnicodeForm::Decomposed => "NFD",
            UnicodeForm::Mixed => "mixed",
        }
    }
}

/// The path that a grant covers and that differs from `path` only in its Unicode form; `None` if `path` is granted.
pub fn in_another_form<'a>(scope: &'a Scope, path: &BStr) -> Option<Closest<'a>> {
    let text = path.to_str().ok()?;
    if !scope.lookup(path).is_empty() {
        return None;
    }
    let known = scope.composed.get_or_init(|| by_composed_path(scope));
    let composed = composed(text);
    if let Some(&index) = known.get(&*composed) {
        let grant = &scope.grants()[index];
        return Some(Closest {
            path: grant.path.clone(),
            grant,
        });
    }
    // No form adds or removes a slash, so the directories above have as many parts in each form.
    for ((slash, _), in_path) in composed.rmatch_indices('/').zip(path.rfind_iter("/")) {
        if let Some(&index) = known.get(&composed[..=slash]) {
            let grant = &scope.grants()[index];
            let path = [grant.path.as_slice(), &path[in_path..]].concat().into();
            return Some(Closest { path, grant });
        }
    }
    None
}

fn by_composed_path(scope: &Scope) -> HashMap<String, usize> {
    let mut known = HashMap::new();
    for (index, grant) in scope.grants().iter().enumerate() {
        let Ok(path) = grant.path.to_str() else {
            continue;
        };
        let mut key = composed(path).into_owned();
        match grant.kind {
            GrantKind::File => {}
            GrantKind::Directory => key.push('/'),
            GrantKind::Glob => continue,
        }
        known.entry(key).or_insert(index);
    }
    known
}

/// The path in the composed form (NFC).
pub fn composed(path: &str) -> Cow<'_, str> {
    if is_nfc(path) {
        Cow::Borrowed(path)
    } else {
        Cow::Owned(path.nfc().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scope::Actions;
    use crate::scope::testing::grant;

    const COMPOSED: &str = "docs/M\u{fc}ller.md";
    const DECOMPOSED: &str = "docs/Mu\u{308}ller.md";

    fn found(granted: &[&str], path: &str) -> Option<String> {
        let grants = granted.iter().map(|path| grant(path, Actions::ADD));
        let scope = Scope::new(grants.collect());
        in_another_form(&scope, path.into()).map(|found| found.path.to_string())
    }

    #[test]
    fn a_file_is_found_in_either_form() {
        for (granted, path) in [(COMPOSED, DECOMPOSED), (DECOMPOSED, COMPOSED)] {
            assert_eq!(found(&["a.md", granted], path).as_deref(), Some(granted));
        }
        // The Kelvin sign is a letter K when composed.
        assert_eq!(
            found(&["\u{212a}.md"], "K.md").as_deref(),
            Some("\u{212a}.md")
        );
    }

    #[test]
    fn a_directory_is_found_with_the_rest_of_the_path() {
        let path = "u\u{308}ber/a\u{308}/x.md";
        for (granted, expected) in [
            ("\u{fc}ber/", "\u{fc}ber/a\u{308}/x.md"),
            ("\u{fc}ber/\u{e4}/", "\u{fc}ber/\u{e4}/x.md"),
        ] {
            assert_eq!(found(&[granted], path).as_deref(), Some(expected));
        }
        // A directory is not what is below it.
        assert_eq!(found(&["\u{fc}ber/"], "u\u{308}ber"), None);
    }

    #[test]
    fn other_and_granted_names_are_not_found() {
        assert_eq!(found(&[COMPOSED], COMPOSED), None);
        assert_eq!(found(&[COMPOSED, DECOMPOSED], DECOMPOSED), None);
        assert_eq!(found(&[COMPOSED], "docs/Muller.md"), None);
        // Full-width letters look different, and are other letters in both forms.
        assert_eq!(found(&["a.md"], "\u{ff41}.md"), None);
        let scope = Scope::new(vec![grant(COMPOSED, Actions::ADD)]);
        assert_eq!(in_another_form(&scope, b"docs/M\xfcller.md".into()), None);
    }

    #[test]
    fn forms_are_told_apart() {
        for (name, form) in [
            (COMPOSED, UnicodeForm::Composed),
            (DECOMPOSED, UnicodeForm::Decomposed),
            ("\u{fc}u\u{308}", UnicodeForm::Mixed),
        ] {
            assert_eq!(UnicodeForm::of(name.into()), form);
        }
    }
}
