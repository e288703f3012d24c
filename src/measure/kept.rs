//! Whether a renamed file keeps enough of its content.

use super::rename::MIN_SIMILARITY;
use super::{Conversion, Lost, Profile, Thresholds, measure};
use crate::change::Kind;

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
mod tests {
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
