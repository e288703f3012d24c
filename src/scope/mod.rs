//! The scope: settings, and the grants of designs with their lookup.

pub mod closest;
pub mod glob;
mod grant;
mod lookup;
pub mod path_placeholders;
pub mod patterns;
mod role;
pub mod settings;
#[cfg(test)]
pub(crate) mod testing;

pub use grant::{Actions, Grant, GrantForm, GrantKind, Role};
pub use lookup::{Lookup, Scope};
pub use role::role;
