//! Whether a file is unchanged since the index recorded it, without reading it.
//!
//! Stricter than git's settings (`core.checkStat`, `core.trustctime`): a difference only means that guard reads the
//! file.

use std::path::Path;

use cap_std::fs::Metadata;
use gix::index::entry::Stat;
use gix::index::entry::stat::Time;

use crate::system;

/// When the index was written.
pub(in crate::git) struct IndexTime(Option<Time>);

impl IndexTime {
    /// Uses the time of the index file; without one, no entry is trusted.
    pub(in crate::git) fn of(index: &Path) -> IndexTime {
        let modified = index.metadata().and_then(|metadata| metadata.modified());
        IndexTime(modified.ok().and_then(|time| Time::try_from(time).ok()))
    }

    /// No entry is trusted.
    pub(in crate::git) fn never() -> IndexTime {
        IndexTime(None)
    }

    /// Whether the file has the recorded stat data and is older than the index. A file changed in the same second may
    /// look unchanged (git calls such an entry racy).
    pub(super) fn is_unchanged(&self, recorded: &Stat, now: &Metadata) -> bool {
        let is_older = self.0.is_some_and(|index| recorded.mtime.secs < index.secs);
        is_older && system::stat(now).is_some_and(|now| is_same(recorded, &now))
    }

    /// The same for a file that git itself may just have written: parts of a second count.
    pub(in crate::git) fn is_as_written(&self, recorded: &Stat, now: &Metadata) -> bool {
        let time = |time: &Time| (time.secs, time.nsecs);
        let is_older = self
            .0
            .is_some_and(|index| time(&recorded.mtime) < time(&index));
        is_older && system::stat(now).is_some_and(|now| is_same(recorded, &now))
    }
}

fn is_same(recorded: &Stat, now: &Stat) -> bool {
    // Device numbers change when a disk is remounted; git ignores them too.
    let now = Stat {
        dev: recorded.dev,
        ..*now
    };
    *recorded == now
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    /// A file, what the index would record of it, and an index written `later` seconds after.
    fn recorded(later: u32) -> (Metadata, Stat, IndexTime) {
        let directory = tempfile::tempdir().unwrap();
        std::fs::write(directory.path().join("a"), "content").unwrap();
        let root =
            cap_std::fs::Dir::open_ambient_dir(directory.path(), cap_std::ambient_authority());
        let metadata = root.unwrap().symlink_metadata("a").unwrap();
        let stat = system::stat(&metadata).unwrap();
        let written = Time {
            secs: stat.mtime.secs + later,
            nsecs: 999_999_999,
        };
        (metadata, stat, IndexTime(Some(written)))
    }

    #[test]
    #[cfg_attr(
        any(not(unix), guard_no_unix),
        ignore = "no numbers that the index records"
    )]
    fn racily_clean_entry_is_compared() {
        let (metadata, stat, fresh) = recorded(1);
        assert!(fresh.is_unchanged(&stat, &metadata));
        let (metadata, stat, fresh) = recorded(0);
        assert!(!fresh.is_unchanged(&stat, &metadata));
        assert!(!IndexTime(None).is_unchanged(&stat, &metadata));
    }

    #[test]
    #[cfg_attr(
        any(not(unix), guard_no_unix),
        ignore = "no numbers that the index records"
    )]
    fn every_stat_field_except_the_device_counts() {
        let (metadata, stat, fresh) = recorded(9);
        let with = |change: fn(&mut Stat)| {
            let mut stat = stat;
            change(&mut stat);
            fresh.is_unchanged(&stat, &metadata)
        };
        assert!(with(|stat| stat.dev += 1));
        assert!(!with(|stat| stat.ino += 1));
        assert!(!with(|stat| stat.size += 1));
        assert!(!with(|stat| stat.uid += 1));
        assert!(!with(|stat| stat.mtime.secs -= 1));
        assert!(!with(|stat| stat.mtime.nsecs ^= 1));
        assert!(!with(|stat| stat.ctime.secs -= 1));
        assert!(!with(|stat| stat.ctime.nsecs ^= 1));
    }
}
