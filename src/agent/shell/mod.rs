//! Which paths a shell command writes, as far as its text says so. Looks at nothing but the text.
//!
//! The grammar is that of Bash. Words are expanded as far as the text decides: quotes, braces, variables that the
//! command itself sets, loops over words, here-documents. A path that depends on anything else stays unseen.

mod effect;
mod git;
mod interpreter;
mod javascript;
mod options;
mod output;
mod pattern;
mod place;
mod programs;
mod python;
mod run;
mod search;
mod tools;
mod unified_diff;
mod word;
mod words;

pub(crate) use effect::{CopySource, EffectKind, FileEffect, Sight, TEMPORARY};
pub(crate) use pattern::{PathPattern, Segment};
pub(crate) use place::CommandPlace;

use run::Shell;

/// What a command does to files.
pub(crate) fn look(command: &str, place: &CommandPlace) -> Sight {
    let mut shell = Shell::new(place);
    shell.text(command, &mut shell.scope());
    shell.into_sight()
}
