//! Verbs whose options are defined only when they are called. Defining those of all verbs took longer than parsing.

use std::ops::Deref;

use clap::builder::Resettable;
use clap::{ArgMatches, Args, Command, Error, FromArgMatches, Subcommand};

use super::formats;

/// The options of a verb, with those that every verb of its kind has.
#[derive(Debug)]
pub(super) struct Deferred<T>(T);

impl<T> Deref for Deferred<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T: FromArgMatches> FromArgMatches for Deferred<T> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        T::from_arg_matches(matches).map(Deferred)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        self.0.update_from_arg_matches(matches)
    }
}

/// The verb with its options. Its description stays: that of a group of options would replace it.
fn defined(verb: Command, define: fn(Command) -> Command) -> Command {
    let (about, long_about) = (verb.get_about().cloned(), verb.get_long_about().cloned());
    let verb = formats::with_formats(define(verb));
    verb.about(Resettable::from(about))
        .long_about(Resettable::from(long_about))
}

impl<T: Args> Args for Deferred<T> {
    fn augment_args(verb: Command) -> Command {
        verb.defer(|verb| defined(verb, T::augment_args))
    }

    fn augment_args_for_update(verb: Command) -> Command {
        Self::augment_args(verb)
    }
}

impl<T: Subcommand> Subcommand for Deferred<T> {
    fn augment_subcommands(verb: Command) -> Command {
        verb.defer(|verb| defined(verb, T::augment_subcommands))
    }

    fn augment_subcommands_for_update(verb: Command) -> Command {
        Self::augment_subcommands(verb)
    }

    fn has_subcommand(name: &str) -> bool {
        T::has_subcommand(name)
    }
}
