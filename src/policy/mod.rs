//! What a change is judged by: settings, designs and their scope.

pub mod closest;
pub mod design;
pub mod glob;
mod grant;
pub mod scope;

pub use grant::{Actions, Grant, GrantKind, Role};
