//! What guard does about a difference between two checkpoints: the table of cases. Each entry is a line of the table in
//! docs/agents.md; nothing else decides.

use std::ops::RangeInclusive;

/// What the checkpoint before had or lacked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Had {
    /// A path, in any state.
    Path,
    /// The content of a file that only the work tree or the index had.
    OnlyCopy,
    /// A commit or stash that a ref reached.
    Reached,
    /// What guard looks with: its log, snapshots and checkpoints, the switches of hooks, an agent's settings.
    Means,
    /// A commit that no ref reached.
    NoRef,
    /// The content of a path, which a commit of a ref or stash has.
    Known,
    /// The scope in force.
    Scope,
}

/// What there is now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Now {
    /// It differs from before and from the new HEAD.
    Differs,
    /// It is gone.
    Gone,
    /// A committed version is there again.
    Committed,
    /// Most of it is replaced.
    Replaced,
    /// No ref reaches it.
    Unreached,
    /// It is changed or gone.
    Changed,
    /// A ref of a remote has it, which was configured with this address when the session began.
    Fetched,
    /// It is checked out.
    CheckedOut,
}

/// Who made a content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Maker {
    /// Calls of this session.
    Session,
    /// Anyone else.
    Others,
}

/// What guard does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Does {
    /// Reports what the rules refuse, with the command that takes back these paths and no others.
    Report,
    /// Tells that it is gone, with the restore.
    TellLoss,
    /// Says it in one neutral line with the restore.
    OneLine,
    /// Says nothing.
    Nothing,
    /// Reports it, and that the hooks may be off now.
    ReportMeans,
    /// Tells it, and logs it.
    TellScope,
}

/// A line of the table.
#[derive(Debug)]
struct TableLine {
    had: &'static [Had],
    now: &'static [Now],
    /// `None` for everyone.
    made_by: Option<Maker>,
    /// How many lines go with the command.
    lines: RangeInclusive<usize>,
    does: Does,
}

const ANY: RangeInclusive<usize> = 0..=usize::MAX;
/// So many lines of its own a session may lose without a word.
const FEW: usize = 100;
/// The ways in which a content goes.
const GONE: &[Now] = &[Now::Gone, Now::Committed, Now::Replaced];
/// The same for what a session itself made, commits included.
const GONE_OR_UNREACHED: &[Now] = &[Now::Gone, Now::Committed, Now::Replaced, Now::Unreached];

/// The first line that fits decides.
const TABLE: &[TableLine] = &[
    TableLine {
        had: &[Had::Path, Had::NoRef],
        now: &[Now::Differs],
        made_by: None,
        lines: ANY,
        does: Does::Report,
    },
    TableLine {
        had: &[Had::OnlyCopy],
        now: GONE,
        made_by: Some(Maker::Others),
        lines: ANY,
        does: Does::TellLoss,
    },
    TableLine {
        had: &[Had::Reached],
        now: &[Now::Unreached],
        made_by: Some(Maker::Others),
        lines: ANY,
        does: Does::TellLoss,
    },
    TableLine {
        had: &[Had::OnlyCopy, Had::Reached],
        now: GONE_OR_UNREACHED,
        made_by: Some(Maker::Session),
        lines: 0..=FEW,
        does: Does::Nothing,
    },
    TableLine {
        had: &[Had::OnlyCopy, Had::Reached],
        now: GONE_OR_UNREACHED,
        made_by: Some(Maker::Session),
        lines: FEW + 1..=usize::MAX,
        does: Does::OneLine,
    },
    TableLine {
        had: &[Had::Means],
        now: &[Now::Changed],
        made_by: None,
        lines: ANY,
        does: Does::ReportMeans,
    },
    TableLine {
        had: &[Had::NoRef],
        now: &[Now::Fetched],
        made_by: None,
        lines: ANY,
        does: Does::Nothing,
    },
    TableLine {
        had: &[Had::Known],
        now: &[Now::CheckedOut],
        made_by: None,
        lines: ANY,
        does: Does::Nothing,
    },
    TableLine {
        had: &[Had::Scope],
        now: &[Now::Changed],
        made_by: None,
        lines: ANY,
        does: Does::TellScope,
    },
];

/// One difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Fact {
    pub(super) had: Had,
    pub(super) now: Now,
    pub(super) made_by: Maker,
    /// How many lines go with the command.
    pub(super) lines: usize,
}

impl TableLine {
    fn fits(&self, fact: &Fact) -> bool {
        self.had.contains(&fact.had)
            && self.now.contains(&fact.now)
            && self.made_by.is_none_or(|maker| maker == fact.made_by)
            && self.lines.contains(&fact.lines)
    }
}

impl Fact {
    /// A difference for which neither the maker nor the size matters.
    pub(super) fn of(had: Had, now: Now) -> Fact {
        Fact {
            had,
            now,
            made_by: Maker::Others,
            lines: 0,
        }
    }

    /// What guard does about it. When in doubt, it reports.
    pub(super) fn does(&self) -> Does {
        let found = TABLE.iter().find(|case| case.fits(self));
        found.map_or(Does::Report, |case| case.does)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_decides_about_something() {
        for (at, case) in TABLE.iter().enumerate() {
            let mut facts = case.had.iter().flat_map(|&had| {
                case.now.iter().map(move |&now| Fact {
                    had,
                    now,
                    made_by: case.made_by.unwrap_or(Maker::Others),
                    lines: *case.lines.start(),
                })
            });
            let is_reached = facts.any(|fact| !TABLE[..at].iter().any(|one| one.fits(&fact)));
            assert!(is_reached, "line {at} is never reached");
        }
    }
}
