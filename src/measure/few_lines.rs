//! Counts the loss without a diff where two texts differ in only a few lines.

use super::units::{Counted, Unit};

/// With more differing lines, Myers' diff with git's heuristics may drop frequent lines and no longer match the
/// shortest diff (git's `xdl_clean_mmatch`).
const FEW: usize = 6;

/// The number of lines of `old` that a diff would not keep, if none of them occurs elsewhere in the differing parts.
/// `None` if only a diff can tell.
pub(super) fn lost(old: &Counted<'_>, new: &Counted<'_>) -> Option<usize> {
    if old.unit != Unit::Lines {
        return None;
    }
    let (mut before, mut after) = (old.lines(), new.lines());
    skip_equal(&mut before, &mut after, Iterator::next);
    skip_equal(&mut before, &mut after, DoubleEndedIterator::next_back);
    // If both have equally many lines left, lines at the same position correspond.
    let opposite = (old.count == new.count).then(|| after.clone());
    let mut opposite = opposite.into_iter().flatten();
    let mut lost = Vec::with_capacity(FEW);
    for line in before {
        if opposite.next() != Some(line) {
            if lost.len() == FEW {
                return None;
            }
            lost.push(line);
        }
    }
    let is_kept = after.into_iter().any(|line| lost.contains(&line));
    (!is_kept).then_some(lost.len())
}

/// Skips equal lines at one end of both.
fn skip_equal<'a, L: Iterator<Item = &'a [u8]> + Clone>(
    before: &mut L,
    after: &mut L,
    take: impl Fn(&mut L) -> Option<&'a [u8]>,
) {
    loop {
        let (mut next_before, mut next_after) = (before.clone(), after.clone());
        match (take(&mut next_before), take(&mut next_after)) {
            (Some(one), Some(other)) if one == other => {
                (*before, *after) = (next_before, next_after);
            }
            _ => return,
        }
    }
}
