//! Refusals that an agent has read before.

// Notes below the git directory what was refused last.
#![allow(clippy::disallowed_methods)]

use std::fs;
use std::path::Path;

use crate::disk;
use crate::path::escaped;

/// From which time on the same refusal is shorter.
const SHORT: usize = 3;

/// How often the session was told this, with now; notes it in the git directory. A note that fails only keeps a
/// refusal long.
pub(crate) fn times_told(git_dir: &Path, session: &str, reason: &str) -> usize {
    let directory = git_dir.join("guard");
    let file = directory.join("refused-last");
    let key = format!("{}\n{reason}", escaped(session));
    let known = fs::read_to_string(&file).unwrap_or_default();
    let before: usize = match known.split_once('\n') {
        Some((times, last)) if last == key => times.parse().unwrap_or(0),
        _ => 0,
    };
    let times = before.saturating_add(1);
    let note = format!("{times}\n{key}");
    let written = disk::create_private_directory(&directory)
        .and_then(|()| disk::replace(&file, note.as_bytes(), Some(disk::PRIVATE)));
    drop(written);
    times
}

/// The reason, in short if the session has read it before.
pub(super) fn in_short(reason: String, times: usize) -> String {
    if times < SHORT {
        return reason;
    }
    let first = reason.lines().next().unwrap_or_default();
    format!("{first}\nThis is the same refusal as before. Do something else, or ask the user.")
}
