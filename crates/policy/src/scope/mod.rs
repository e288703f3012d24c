//! The scope: settings, and the grants of designs with their lookup.

pub mod closest;
mod denial;
pub mod done;
pub mod glob;
mod grant;
mod lookup;
pub mod overlap;
pub mod path_placeholders;
pub mod patterns;
pub mod settings;
mod similarity;
pub mod unicode_form;

pub use denial::{Denial, DenialSource};
#[cfg(test)]
pub(crate) use grant::testing;
pub use grant::{Actions, Grant, GrantForm, GrantKind, Role};
pub use lookup::{DeclaredRows, Scope};
pub(crate) use similarity::closest_word;
