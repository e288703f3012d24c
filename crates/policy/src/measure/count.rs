//! How much is lost, and how much of that moved.

/// How many of something are lost.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LostPart {
    /// Those that the diff does not keep in place.
    pub lost: usize,
    /// Those of the old version.
    pub total: usize,
}

impl LostPart {
    pub(super) const fn whole(total: usize) -> LostPart {
        LostPart { lost: total, total }
    }

    /// The lost share, 0 to 1; 0 for nothing.
    pub fn share(&self) -> f64 {
        match self.total {
            0 => 0.0,
            total => self.lost as f64 / total as f64,
        }
    }

    /// Adds some, and whether they are lost.
    pub(super) fn add(&mut self, count: usize, are_lost: bool) {
        self.total += count;
        if are_lost {
            self.lost += count;
        }
    }

    /// The same with more of them found elsewhere.
    pub(super) fn without(self, found: usize) -> LostPart {
        LostPart {
            lost: self.lost.saturating_sub(found),
            ..self
        }
    }
}

/// Lines of a file that loses them, in another one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MovedLines {
    /// How many.
    pub lines: usize,
    /// Those of them that carry content.
    pub with_content: usize,
}
