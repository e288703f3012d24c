//! What is nowhere any more: contents that only the work tree or the index had, and commits that no ref reaches.

use std::cell::Cell;

use gix::ObjectId;
use gix::bstr::{BStr, BString, ByteSlice};

use super::session::ObservedSession;
use super::table::{Does, Fact, Had, Maker, Now};
use super::whereabouts::Whereabouts;
use write_guard_policy::change::{Change, Kind, State};
use write_guard_policy::error::Result;
use write_guard_policy::measure::{self, Lost, Thresholds, Unit};
use write_guard_policy::sha256::sha256;
use write_guard_repo::{Checkpoint, CheckpointStore, Repository, Tree, Unreached};

/// So many bytes stand for 100 lines where lines are not counted.
const BYTES_PER_HUNDRED_LINES: usize = 8 * 1024;

/// So many contents are measured; of more deleted files, each counts as a line. A command has a few seconds.
const MOST_MEASURED: usize = 2000;

/// Something that is nowhere any more.
#[derive(Debug, Clone)]
pub(super) struct LostWork {
    /// What it was.
    pub(super) what: LostThing,
    /// How it went.
    pub(super) now: Now,
    /// Who made it.
    pub(super) made_by: Maker,
    /// How many lines go with it.
    pub(super) lines: usize,
}

/// What is lost.
#[derive(Debug, Clone)]
pub(super) enum LostThing {
    /// The content of a file, of which guard may have no copy.
    File {
        path: BString,
        content: State,
        has_copy: bool,
    },
    /// The content of a path of the index.
    Staged { path: BString, content: State },
    /// A commit or stash.
    Commit(Box<Unreached>),
}

impl LostWork {
    /// What the table says about it.
    fn fact(&self) -> Fact {
        Fact {
            had: match self.what {
                LostThing::Commit(_) => Had::Reached,
                _ => Had::OnlyCopy,
            },
            now: self.now,
            made_by: self.made_by,
            lines: self.lines,
        }
    }
}

/// The losses of a call, by what guard does about them.
#[derive(Debug, Default)]
pub(super) struct Losses {
    /// Work of others.
    pub(super) told: Vec<LostWork>,
    /// The session's own, if it is much.
    pub(super) own: Vec<LostWork>,
}

impl Losses {
    /// Sorts losses by the table. What the session itself made counts together.
    pub(super) fn sorted(all: Vec<LostWork>) -> Losses {
        let (own, others): (Vec<LostWork>, Vec<LostWork>) = all
            .into_iter()
            .partition(|loss| loss.made_by == Maker::Session);
        let lines = own.iter().map(|loss| loss.lines).sum();
        let together = own.first().map(|loss| Fact {
            lines,
            ..loss.fact()
        });
        let is_said = together.is_some_and(|fact| fact.does() == Does::OneLine);
        let told = others.into_iter();
        Losses {
            told: told
                .filter(|loss| loss.fact().does() == Does::TellLoss)
                .collect(),
            own: if is_said { own } else { Vec::new() },
        }
    }

    /// All of them.
    pub(super) fn all(&self) -> impl Iterator<Item = &LostWork> {
        self.told.iter().chain(&self.own)
    }
}

/// Finds losses between two checkpoints.
pub(super) struct LossFinder<'a> {
    pub(super) store: &'a CheckpointStore<'a>,
    /// Also reads the contents of checkpoints.
    pub(super) repo: &'a Repository,
    pub(super) before: &'a Checkpoint,
    pub(super) after: &'a Checkpoint,
    pub(super) session: &'a ObservedSession,
    /// The files that changed, those of the index left out.
    pub(super) changes: &'a [Change],
    /// How many contents were measured.
    pub(super) measured: Cell<usize>,
}

impl LossFinder<'_> {
    /// All losses; without those of commits, if another work tree has the same refs.
    ///
    /// # Errors
    /// An object is missing or damaged.
    pub(super) fn find(&self, leaves_refs: bool) -> Result<Vec<LostWork>> {
        let sides = (self.before, self.after);
        let places = Whereabouts::of((self.store, self.repo), sides, self.changes)?;
        let mut losses = self.files(&places)?;
        if self.before.index != self.after.index {
            losses.extend(self.staged(&places)?);
        }
        if !leaves_refs {
            losses.extend(self.commits(&places)?);
        }
        Ok(losses)
    }

    fn files(&self, places: &Whereabouts<'_>) -> Result<Vec<LostWork>> {
        let head = self.repo.tree_of(self.before.head_commit())?;
        let mut losses = Vec::new();
        for change in self.changes {
            let path: &BStr = change.path.as_ref();
            let committed = head.get(path)?;
            let Some(old) = change.old.filter(|old| !is_same(Some(*old), committed)) else {
                continue;
            };
            let Some((now, lines)) = self.fate(places, change, (old, committed))? else {
                continue;
            };
            let name = path.to_str_lossy();
            let has_copy = !self.before.sizes.contains_key(&*name) && old.kind != Kind::Submodule;
            losses.push(LostWork {
                what: LostThing::File {
                    path: change.path.clone(),
                    content: old,
                    has_copy,
                },
                now,
                made_by: self.session.maker_of(old.id),
                lines,
            });
        }
        Ok(losses)
    }

    /// The contents that only the index had.
    fn staged(&self, places: &Whereabouts<'_>) -> Result<Vec<LostWork>> {
        let index = |one| self.store.index_of(self.repo, one);
        let was = index(self.before)?;
        let now = index(self.after)?;
        let head = self.repo.tree_of(self.before.head_commit())?;
        let files = self.repo.tree_in(self.before);
        let mut losses = Vec::new();
        for change in now.changes_since(&was)? {
            let path: &BStr = change.path.as_ref();
            let committed = head.get(path)?;
            let is_elsewhere = |state| {
                is_same(Some(state), committed)
                    || files.get(path).is_ok_and(|file| is_same(Some(state), file))
            };
            let Some(old) = change.old.filter(|old| !is_elsewhere(*old)) else {
                continue;
            };
            if let Some((fate, lines)) = self.fate(places, &change, (old, committed))? {
                losses.push(LostWork {
                    what: LostThing::Staged {
                        path: change.path.clone(),
                        content: old,
                    },
                    now: fate,
                    made_by: self.session.maker_of(old.id),
                    lines,
                });
            }
        }
        Ok(losses)
    }

    /// How a content went, and how many lines of it; `None` if it is still somewhere.
    fn fate(
        &self,
        places: &Whereabouts<'_>,
        change: &Change,
        (old, committed): (State, Option<State>),
    ) -> Result<Option<(Now, usize)>> {
        let path: &BStr = change.path.as_ref();
        if old.kind == Kind::Submodule {
            return Ok(change.new.is_none().then_some((Now::Gone, 0)));
        }
        if places.has(path, old.id)? {
            return Ok(None);
        }
        let is_one_of_many = self.measured.replace(self.measured.get() + 1) >= MOST_MEASURED;
        if is_one_of_many && change.new.is_none() {
            return Ok(Some((Now::Gone, 1)));
        }
        let (was, is) = self.repo.objects().both(Some(old), change.new)?;
        if was.trim_ascii().is_empty() || self.is_checked_out(path, &was, committed)? {
            return Ok(None);
        }
        let stays = match change.new {
            None => self.repo.objects().content(committed)?,
            Some(_) => is.clone(),
        };
        let lines = lines_of(&measure::lost(&was, &stays));
        let now = match change.new {
            None => Now::Gone,
            Some(new) if places.is_committed(path, new.id)? => Now::Committed,
            Some(new) if new.kind == Kind::Submodule => Now::Replaced,
            Some(_) if measure::kept(&was, &is, &Thresholds::default()).enough => return Ok(None),
            Some(_) => Now::Replaced,
        };
        Ok(Some((now, lines)))
    }

    /// Whether a content is what git makes of the committed version: with other line endings, out of Git LFS, or of the
    /// size that the index has noted where a filter changes it.
    fn is_checked_out(&self, path: &BStr, was: &[u8], committed: Option<State>) -> Result<bool> {
        let Some(state) = committed.filter(|state| state.kind.is_file()) else {
            return Ok(false);
        };
        let plain = self.repo.objects().content(Some(state))?;
        let is_lfs = measure::is_lfs_pointer(&plain)
            && plain.contains_str(sha256(was).to_string().as_bytes());
        let noted = || self.store.size_in_index(self.before, path, state.id);
        let is_filtered =
            || plain.len() != was.len() && noted().is_some_and(|size| size == was.len());
        Ok(is_lfs || without_returns(was) == without_returns(&plain) || is_filtered())
    }

    fn commits(&self, places: &Whereabouts<'_>) -> Result<Vec<LostWork>> {
        let mut losses = Vec::new();
        for mut one in self.store.unreached(self.repo, self.before, self.after)? {
            let successor = match (one.is_stash(), one.successor) {
                (true, _) => self.repo.tree_in(self.after),
                (false, Some(tip)) => self.repo.tree_of(Some(tip))?,
                (false, None) => self.repo.tree_of(self.after.head_commit())?,
            };
            let mut lines = 0;
            let mut made_by = Maker::Session;
            let mut lost = Vec::new();
            for change in std::mem::take(&mut one.changes) {
                if let Some(gone) = self.gone_of(places, &change, &successor)? {
                    lines += gone;
                    if let Some(new) = change.new
                        && self.session.maker_of(new.id) == Maker::Others
                    {
                        made_by = Maker::Others;
                    }
                    lost.push(change);
                }
            }
            if lost.is_empty() {
                continue;
            }
            one.changes = lost;
            losses.push(LostWork {
                what: LostThing::Commit(Box::new(one)),
                now: Now::Unreached,
                made_by,
                lines,
            });
        }
        Ok(losses)
    }

    /// How many lines that a lost commit made are nowhere; `None` if most of them are still there, as after a rebase.
    fn gone_of(
        &self,
        places: &Whereabouts<'_>,
        change: &Change,
        successor: &Tree<'_>,
    ) -> Result<Option<usize>> {
        let path: &BStr = change.path.as_ref();
        let Some(made) = change.new.filter(|new| new.kind != Kind::Submodule) else {
            return Ok(None);
        };
        if places.has(path, made.id)? {
            return Ok(None);
        }
        let objects = self.repo.objects();
        let (base, made) = objects.both(change.old, Some(made))?;
        let stays = objects.content(
            successor
                .get(path)?
                .filter(|one| one.kind != Kind::Submodule),
        )?;
        let added = lines_of(&measure::lost(&made, &base));
        let without = lines_of(&measure::lost(&base, &stays));
        let gone = lines_of(&measure::lost(&made, &stays)).saturating_sub(without);
        Ok((added > 0 && gone * 2 >= added).then_some(gone))
    }
}

/// The content with plain line endings.
fn without_returns(content: &[u8]) -> Vec<u8> {
    content.replace("\r\n", "\n")
}

/// Whether both sides have the same content, whatever their mode.
fn is_same(one: Option<State>, other: Option<State>) -> bool {
    let id = |state: Option<State>| -> Option<ObjectId> { Some(state?.id) };
    id(one) == id(other)
}

/// The lost lines; where lines are not counted, as many as 8 KiB are for 100.
fn lines_of(lost: &Lost) -> usize {
    match lost.unit {
        Unit::Lines => lost.all.lost,
        Unit::Tokens | Unit::Bytes => {
            let bytes = (lost.bytes as f64 * lost.share()) as usize;
            (bytes * 100).div_ceil(BYTES_PER_HUNDRED_LINES)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use write_guard_policy::measure::LostPart;

    #[test]
    fn bytes_that_are_lost_count_as_lines() {
        for (unit, lost, bytes, lines) in [
            (Unit::Lines, 3, 999_999, 3),
            (Unit::Bytes, 0, 8192, 0),
            (Unit::Bytes, 10, 8192, 100),
            (Unit::Bytes, 5, 8192, 50),
            (Unit::Bytes, 10, 81, 1),
            (Unit::Bytes, 10, 82, 2),
            (Unit::Tokens, 10, 16384, 200),
            (Unit::Tokens, 1, 16384, 20),
        ] {
            let lost = Lost {
                all: LostPart { lost, total: 10 },
                unit,
                bytes,
                ..Lost::NOTHING
            };
            assert_eq!(lines_of(&lost), lines, "{lost:?}");
        }
    }
}
