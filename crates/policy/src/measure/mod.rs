//! Measures what a change destroys: lost share, class, preview, renames. All are pure functions of blobs.

mod carried;
mod common;
mod content;
mod count;
mod line_diff;
mod line_edits;
mod look;
mod moved;
mod preview;
mod reformat;
mod rename;
mod share;
mod similarity;
mod text;

pub use content::{Content, is_binary, is_lfs_pointer, line_count};
pub use count::{LostPart, MovedLines};
pub use line_diff::is_taken_over;
pub use line_edits::{LineEdit, line_edits, shown_lines};
pub use moved::AddedLines;
pub use preview::{deleted_content, truncate_preview, unified_preview};
pub use rename::{RenameEnd, pair_renames};
pub use share::{Class, Lost, Thresholds, classify, lost, lost_words};
use similarity::{MIN_SIMILARITY, Profile};
use text::Text;
pub use text::Unit;

use crate::change::Kind;

named! {
    /// A file's content that became something else. The old version is lost whole,
    /// whatever its size.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum Conversion {
        /// Text became binary.
        Binary = "binary",
        /// Binary became text.
        Text = "text",
        /// Text became UTF-16 or UTF-32, which git shows as binary.
        WideText = "UTF-16 or UTF-32",
        /// Content became a Git LFS pointer.
        LfsPointer = "a Git LFS pointer",
        /// A file became a symbolic link.
        Symlink = "a symbolic link",
        /// A file became a submodule.
        Submodule = "a submodule",
        /// The file contains only blanks now.
        Emptied = "empty",
    }
}

/// Which losses to count.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Precision {
    /// All, for reports that print them.
    #[default]
    Exact,
    /// Those that may reach a threshold; enough for the rules.
    Verdict,
}

/// The effect of a change on content.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Measured {
    /// The class by lines and lost share, regardless of [`Conversion`].
    pub class: Class,
    /// The lines of the old version; `None` if it is missing, binary or not a file.
    pub original_lines: Option<usize>,
    /// The lines of the new version, likewise.
    pub new_lines: Option<usize>,
    /// The loss; nothing if the old version is not a file.
    pub lost: Lost,
    /// Whether the old version exceeds the threshold of lines, or of bytes if lines are not counted.
    pub large: bool,
    /// The new kind of content, if it changed.
    pub conversion: Option<Conversion>,
    /// Whether the loss reaches the threshold only by lines: the words are kept, in another layout.
    pub reformatted: bool,
}

impl Measured {
    /// Whether the lost share reaches the threshold and the words are lost too.
    pub fn loses(&self, thresholds: &Thresholds) -> bool {
        !self.reformatted && self.lost.at_least(thresholds.share)
    }

    /// Whether most of the content is lost or changed its kind.
    pub fn destroys(&self) -> bool {
        self.class == Class::Replace || self.conversion.is_some()
    }

    /// The lost share; `None` if the old version has nothing to count.
    pub fn lost_share(&self) -> Option<f64> {
        let is_counted = self.original_lines.is_some() || self.lost.all.total > 0;
        is_counted.then(|| self.lost.share())
    }

    /// How bad the loss is.
    pub fn weight(&self) -> (u8, bool, f64) {
        let class = u8::from(self.class == Class::Replace) + u8::from(self.conversion.is_some());
        let large_and_gone = self.class == Class::Delete && self.large;
        (class, large_and_gone, self.lost.share())
    }

    /// The same step, if the old content is known to exist elsewhere.
    pub fn without_loss(self) -> Measured {
        Measured {
            class: Class::Modify,
            lost: Lost::NOTHING,
            conversion: None,
            reformatted: false,
            ..self
        }
    }
}

/// Measures the step from `old` to `new`, each a kind with its blob (ignored for a submodule); `None` is a missing
/// side.
///
/// A rename is measured as one step from the old to the new path.
pub fn measure(
    old: Option<(Kind, &[u8])>,
    new: Option<(Kind, &[u8])>,
    thresholds: &Thresholds,
) -> Measured {
    measure_sides(&old.map(Side::of), &new.map(Side::of), thresholds)
}

/// Like [`measure`], but `None` if `precision` permits it and the change is surely a [`Class::Modify`] without
/// [`Conversion`].
pub fn measure_if(
    old: Option<(Kind, &[u8])>,
    new: Option<(Kind, &[u8])>,
    thresholds: &Thresholds,
    precision: Precision,
) -> Option<Measured> {
    let old = old.map(Side::of);
    let new = new.map(Side::of);
    let is_enough = precision == Precision::Verdict
        && conversion(&old, &new).is_none()
        && texts(&old, &new).is_some_and(|(old_text, new_text)| {
            share::is_surely_modify(old_text, new_text, thresholds)
        });
    (!is_enough).then(|| measure_sides(&old, &new, thresholds))
}

fn measure_sides(
    old: &Option<Side<'_>>,
    new: &Option<Side<'_>>,
    thresholds: &Thresholds,
) -> Measured {
    let conversion = conversion(old, new);
    let texts = texts(old, new);
    let compared = texts
        .filter(|_| matches!(conversion, None | Some(Conversion::Emptied)))
        .map(|(old_text, new_text)| share::compare(old_text, new_text));
    let lost = match (compared, old) {
        (Some(lost), _) => lost,
        (_, None) => Lost::NOTHING,
        (_, Some(old)) => match (&old.text, old.content) {
            (Some(text), _) => Lost::all_of(text),
            (None, Some(_)) => lost_bytes(old, new, conversion),
            (None, None) => Lost::NOTHING,
        },
    };
    let reformatted = conversion.is_none()
        && lost.at_least(thresholds.share)
        && texts.is_some_and(|(old_text, new_text)| reformat::is_reformat(old_text, new_text));
    Measured {
        class: match (old, new) {
            (None, _) => Class::New,
            (_, None) => Class::Delete,
            _ if reformatted => Class::Modify,
            _ => classify(&lost, thresholds),
        },
        original_lines: old.as_ref().and_then(Side::lines),
        new_lines: new.as_ref().and_then(Side::lines),
        lost,
        large: lost.exceeds_lines(thresholds.lines),
        conversion,
        reformatted,
    }
}

/// The loss of what is not text, of which no part can be compared.
fn lost_bytes(old: &Side<'_>, new: &Option<Side<'_>>, conversion: Option<Conversion>) -> Lost {
    let total = old.blob.len();
    match new {
        // Another version of an image has none of its bytes, and is no loss.
        Some(new) if conversion.is_none() && new.blob.len() >= total.div_ceil(2) => Lost::NOTHING,
        // With less than half of the bytes it cannot be another version.
        Some(new) if conversion.is_none() => Lost::bytes(total - new.blob.len(), total),
        // It is deleted, or becomes something else.
        _ => Lost::bytes(total, total),
    }
}

/// One side of a step.
struct Side<'a> {
    kind: Kind,
    blob: &'a [u8],
    /// `None` if it is not a file.
    content: Option<Content>,
    /// The text, if it can be counted.
    text: Option<Text<'a>>,
}

impl<'a> Side<'a> {
    fn of((kind, blob): (Kind, &'a [u8])) -> Self {
        let is_file = !matches!(kind, Kind::Symlink | Kind::Submodule);
        let content = is_file.then(|| Content::of(blob));
        Side {
            kind,
            blob,
            text: content
                .is_some_and(|content| content != Content::Binary)
                .then(|| Text::of(blob)),
            content,
        }
    }

    fn lines(&self) -> Option<usize> {
        self.text.as_ref().map(|text| text.lines)
    }

    fn is_blank(&self) -> bool {
        let text = self.text.as_ref();
        text.map_or(self.blob.is_empty(), Text::is_blank)
    }
}

/// Both texts, if both sides are text.
fn texts<'a, 's>(
    old: &'s Option<Side<'a>>,
    new: &'s Option<Side<'a>>,
) -> Option<(&'s Text<'a>, &'s Text<'a>)> {
    Some((old.as_ref()?.text.as_ref()?, new.as_ref()?.text.as_ref()?))
}

fn conversion(old: &Option<Side<'_>>, new: &Option<Side<'_>>) -> Option<Conversion> {
    let old = old.as_ref()?;
    let new = new.as_ref()?;
    let before = old.content?;
    if old.is_blank() {
        return None;
    }
    let Some(after) = new.content else {
        return Some(match new.kind {
            Kind::Submodule => Conversion::Submodule,
            _ => Conversion::Symlink,
        });
    };
    match (before, after) {
        _ if new.is_blank() => Some(Conversion::Emptied),
        (Content::LfsPointer, Content::LfsPointer) => None,
        (_, Content::LfsPointer) => Some(Conversion::LfsPointer),
        (Content::Binary, Content::Binary) => None,
        (Content::Binary, _) => Some(Conversion::Text),
        (_, Content::Binary) | (Content::Text, Content::TextWithNul) => Some(Conversion::Binary),
        (Content::Text, Content::WideText) => Some(Conversion::WideText),
        _ => None,
    }
}

/// What the new file of a rename keeps of the old one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Kept {
    /// Whether that is enough to count as the same file.
    pub enough: bool,
    /// The loss, if both are text.
    pub lost: Lost,
    /// What the content became, if it changed its kind.
    pub conversion: Option<Conversion>,
}

impl Kept {
    /// Everything is kept.
    pub const WHOLE: Kept = Kept {
        enough: true,
        lost: Lost::NOTHING,
        conversion: None,
    };

    /// Nothing comparable is kept, for example if a link replaces a file.
    pub const NOTHING: Kept = Kept {
        enough: false,
        ..Kept::WHOLE
    };
}

/// What `new` keeps of `old`. It is enough if the lost share is below the threshold of a replacement, whatever the
/// size, and the content keeps its kind. Binary files must be as similar as for a rename.
pub fn kept(old: &[u8], new: &[u8], thresholds: &Thresholds) -> Kept {
    if old == new {
        return Kept::WHOLE;
    }
    let measured = measure(Some((Kind::File, old)), Some((Kind::File, new)), thresholds);
    let is_text = measured.original_lines.is_some();
    Kept {
        enough: measured.conversion.is_none()
            && if is_text {
                !measured.loses(thresholds)
            } else {
                Profile::of(old).similarity(&Profile::of(new)) >= MIN_SIMILARITY
            },
        lost: measured.lost,
        conversion: measured.conversion,
    }
}

#[cfg(test)]
mod tests;

#[cfg(test)]
mod kept_tests {
    use super::*;

    fn enough(old: &str, new: &str) -> bool {
        kept(old.as_bytes(), new.as_bytes(), &Thresholds::default()).enough
    }

    #[test]
    fn less_than_half_may_be_lost_however_small_the_file() {
        assert!(enough("a\nb\nc\n", "a\nb\nx\n"));
        assert!(!enough("a\nb\n", "a\nx\n"), "exactly half is lost");
        assert!(!enough("a\n", "x\n"));
    }

    #[test]
    fn added_lines_do_not_count() {
        assert!(enough(
            "a\nb\nc\n",
            &format!("a\nb\n{}", "more\n".repeat(500))
        ));
    }

    #[test]
    fn empty_file_is_kept_anywhere_and_keeps_nothing() {
        assert!(enough("", "x\n"));
        assert!(!enough("x\n", ""));
        assert!(!enough("x\n", " \n\n"));
    }

    #[test]
    fn binary_files_must_be_similar() {
        let chunks = |from: usize| {
            (from..from + 100).fold("\0".to_owned(), |all, n| all + &format!("\0{n}\n"))
        };
        assert!(enough(&chunks(0), &chunks(20)));
        assert!(!enough(&chunks(0), &chunks(400)));
        assert!(!enough("text\n", &chunks(0)));
    }
}
