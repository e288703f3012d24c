//! How similar two paths look.

use gix::bstr::{BStr, BString, ByteSlice};

/// The weight of the file name without its extension.
const STEM: f64 = 0.6;

/// The weight of the directories.
pub(super) const DIRECTORIES: f64 = 0.3;

/// The weight of the extension.
pub(super) const EXTENSION: f64 = 0.1;

/// Names less similar than this have nothing in common.
const MIN_STEM: f64 = 0.5;

/// Longer names and deeper paths are not compared.
const MAX_NAME: usize = 255;
const MAX_SEGMENTS: usize = 64;

/// Names that every directory may have, and so say nothing.
const COMMON_NAMES: [&str; 8] = [
    "__init__.py",
    "mod.rs",
    "index.js",
    "index.ts",
    "index.tsx",
    "package.json",
    "cargo.toml",
    "readme.md",
];

/// Extensions of prose.
const PROSE: [&str; 6] = ["md", "markdown", "rst", "txt", "adoc", "html"];

/// A path, split and folded.
#[derive(Debug, Clone)]
pub(super) struct PathName {
    /// The file name, unchanged.
    pub(super) base: BString,
    /// The directory, unchanged, without the slash.
    pub(super) directory: BString,
    /// Whether every directory may have this file name.
    pub(super) common: bool,
    stem: String,
    extension: String,
    segments: Vec<String>,
    /// Which letter pairs occur, hashed into 64 bits.
    pub(super) stem_mask: u64,
    pub(super) directory_mask: u64,
}

impl PathName {
    pub(super) fn new(path: &BStr) -> PathName {
        let (directory, base) = path.rsplit_once_str("/").unwrap_or((b"", path));
        let name = base.to_str_lossy();
        let (stem, extension) = match name.rsplit_once('.') {
            Some((stem, extension)) if !stem.is_empty() => (stem, extension),
            _ => (&*name, ""),
        };
        let segments: Vec<String> = directory
            .split_str("/")
            .filter(|segment| !segment.is_empty())
            .map(|segment| fold(&segment.to_str_lossy()))
            .collect();
        let stem = fold(stem);
        PathName {
            base: base.into(),
            directory: directory.into(),
            common: COMMON_NAMES.contains(&name.to_lowercase().as_str()),
            extension: fold(extension),
            stem_mask: pairs(&stem),
            directory_mask: segments
                .iter()
                .fold(0, |mask, segment| mask | pairs(segment)),
            stem,
            segments,
        }
    }

    /// The file name, folded.
    pub(super) fn folded(&self) -> String {
        format!("{}.{}", self.stem, self.extension)
    }

    /// Whether one directory contains the other; the root contains all.
    pub(super) fn is_above_or_below(&self, other: &PathName) -> bool {
        self.segments.starts_with(&other.segments) || other.segments.starts_with(&self.segments)
    }

    /// Whether one path may be a mistake for the other although name and directory differ: not prose for code, and
    /// another kind of file only in a related directory.
    pub(super) fn may_stand_for(&self, other: &PathName) -> bool {
        self.extension == other.extension
            || self.is_prose() == other.is_prose() && self.directory_similarity(other) > 0.0
    }

    fn is_prose(&self) -> bool {
        PROSE.contains(&self.extension.as_str())
    }

    /// The similarity of two paths, 0 to 1. A bare name says nothing about directories.
    pub(super) fn score(&self, other: &PathName) -> f64 {
        let stem = if self.common {
            0.0
        } else {
            STEM * text_similarity(&self.stem, &other.stem)
        };
        let extension = if self.extension == other.extension {
            EXTENSION
        } else {
            0.0
        };
        if self.directory.is_empty() && !other.directory.is_empty() {
            return (stem + extension) / (STEM + EXTENSION);
        }
        stem + DIRECTORIES * self.directory_similarity(other) + extension
    }

    /// The longest common subsequence of the directories, weighted by the similarity of segments, relative to the
    /// longer path.
    pub(super) fn directory_similarity(&self, other: &PathName) -> f64 {
        let longer = self.segments.len().max(other.segments.len());
        if longer == 0 {
            return 1.0;
        }
        if longer > MAX_SEGMENTS {
            return 0.0;
        }
        let mut row = vec![0.0_f64; other.segments.len() + 1];
        for segment in &self.segments {
            let mut diagonal = 0.0;
            for (at, theirs) in other.segments.iter().enumerate() {
                let above = row[at + 1];
                let matched = diagonal + text_similarity(segment, theirs);
                row[at + 1] = above.max(row[at]).max(matched);
                diagonal = above;
            }
        }
        row[other.segments.len()] / longer as f64
    }
}

/// 1 minus the share of letters to edit; 0 if that is less than half.
fn text_similarity(left: &str, right: &str) -> f64 {
    if left == right {
        return 1.0;
    }
    if left.len().max(right.len()) > MAX_NAME {
        return 0.0;
    }
    let longer = left.chars().count().max(right.chars().count());
    let similarity = 1.0 - strsim::osa_distance(left, right) as f64 / longer as f64;
    if similarity < MIN_STEM {
        0.0
    } else {
        similarity
    }
}

fn pairs(text: &str) -> u64 {
    let bytes = text.as_bytes();
    let bit = |pair: &[u8]| {
        let value = pair
            .iter()
            .fold(0_u64, |sum, &byte| sum * 257 + u64::from(byte));
        1_u64 << (value.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 58)
    };
    let single = bytes.get(..1).map_or(0, bit);
    bytes.windows(2).fold(single, |mask, pair| mask | bit(pair))
}

/// The overlap of two masks, 0 to 100.
pub(super) fn overlap(left: u64, right: u64) -> u32 {
    let all = (left | right).count_ones();
    (100 * (left & right).count_ones())
        .checked_div(all)
        .unwrap_or(100)
}

/// Lower case; `camelCase` as `camel_case`; `-` and blanks as `_`; without accents; Greek and Cyrillic look-alikes as
/// Latin letters.
fn fold(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    let mut after_small = false;
    for c in text.chars() {
        if after_small && c.is_uppercase() {
            folded.push('_');
        }
        after_small = c.is_lowercase() || c.is_ascii_digit();
        folded.extend(c.to_lowercase().filter_map(fold_letter));
    }
    folded
}

/// `None` for a combining accent.
fn fold_letter(c: char) -> Option<char> {
    Some(match c {
        '\u{300}'..='\u{36f}' | '\u{200b}'..='\u{200d}' | '\u{feff}' => return None,
        '-' | ' ' | '\u{a0}' | '\u{2010}'..='\u{2015}' => '_',
        'à'..='å' | 'α' | 'а' => 'a',
        'ç' | 'с' => 'c',
        'è'..='ë' | 'е' | 'ё' => 'e',
        'ì'..='ï' | 'ι' | 'і' | 'ı' => 'i',
        'ñ' => 'n',
        'ò'..='ö' | 'ο' | 'о' => 'o',
        'ù'..='ü' | 'υ' => 'u',
        'ý' | 'ÿ' | 'у' => 'y',
        'ԁ' => 'd',
        'һ' => 'h',
        'ј' => 'j',
        'κ' | 'к' => 'k',
        'ν' => 'v',
        'р' | 'ρ' => 'p',
        'ѕ' => 's',
        'х' | 'χ' => 'x',
        c => c,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn score(left: &str, right: &str) -> f64 {
        PathName::new(left.into()).score(&PathName::new(right.into()))
    }

    fn close(left: f64, right: f64) -> bool {
        (left - right).abs() < 1e-9
    }

    #[test]
    fn names_are_folded_before_they_are_compared() {
        assert_eq!(fold("LldPathV2"), "lld_path_v2");
        assert_eq!(fold("lld-path v2"), "lld_path_v2");
        assert_eq!(fold("Café"), "cafe");
        assert_eq!(fold("cafe\u{301}"), "cafe");
        assert_eq!(fold("\u{440}\u{430}th"), "path");
        assert_eq!(fold("日本"), "日本");
    }

    #[test]
    fn stem_directories_and_extension_have_their_weights() {
        assert!(close(score("a/b.rs", "a/b.rs"), 1.0));
        assert!(close(score("a/b.rs", "a/b.py"), 0.9));
        assert!(close(score("a/b.rs", "z/b.rs"), 0.7));
        assert!(close(score("a/b.rs", "a/z.rs"), 0.4));
        // Two of three segments in order.
        assert!(close(score("a/b/x.rs", "a/q/b/x.rs"), 0.9));
        // One of eight letters: 7/8 of the stem's weight.
        assert!(close(
            score("a/template.rs", "a/templata.rs"),
            0.4 + 0.6 * 0.875
        ));
    }

    #[test]
    fn bare_name_matches_any_directory() {
        assert!(close(score("b.rs", "a/b.rs"), 1.0));
        assert!(score("a/b.rs", "b.rs") < 1.0);
    }

    #[test]
    fn leading_dot_starts_a_name_not_an_extension() {
        assert!(close(score("a/.env", "a/.env"), 1.0));
        assert_eq!(PathName::new(".env".into()).folded(), ".env.");
    }
}
