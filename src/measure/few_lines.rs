//! What is lost where two texts differ in a few lines, without a diff.

use super::units::{Counted, Unit};

/// With more lines that the other text lacks, Myers' diff with git's bounds may leave out frequent lines between
/// them, and no longer count what the shortest diff does (git's `xdl_clean_mmatch`).
const FEW: usize = 6;

/// How many lines of `old` a diff does not keep, where no such line is anywhere else that the texts differ, so that
/// all of them are gone too. `None` where it takes the diff to tell.
pub(super) fn lost(old: &Counted<'_>, new: &Counted<'_>) -> Option<usize> {
    if old.unit != Unit::Lines {
        return None;
    }
    let (mut before, mut after) = (old.lines(), new.lines());
    skip_equal(&mut before, &mut after, Iterator::next);
    skip_equal(&mut before, &mut after, DoubleEndedIterator::next_back);
    // Where both have as many lines left, those at the same place belong together.
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

/// Takes lines from one end of both as long as they are equal.
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
