//! The rules for paths: pure functions over bytes, no disk, no git, no environment.
//!
//! | question | function |
//! |---|---|
//! | may this entry stand in an index or a tree? | [`check_entry`] |
//! | which workspace path does this request name? | [`normalize_request`], [`spelled_below`] |
//! | may a link have this target? | [`check_link_target`], [`resolve_link`] |
//! | does an entry share a name with a link on some file system? | [`Links`] |
//! | would Windows refuse the name? | [`portable_name`] |
//! | how is a hostile name printed? | `show` |
//!
//! Every verdict is a [`Rejection`]: a [`Reason`] with a sentence. Where the
//! systems on which a repository is checked out differ, the strictest reading
//! decides if it would reach `.git` or leave the workspace; what is merely
//! impossible on Windows is refused on Windows only.

mod anchor;
mod chars;
mod collision;
mod disguise;
mod entry;
mod link;
mod names;
mod platform;
mod portable;
mod reason;
mod request;
mod separator;
mod shell;
mod show;
mod text;

pub use chars::is_hostile;
pub use collision::Links;
pub use entry::check_entry;
pub use link::{MAX_LINKS, Node, TreeView, check_link_target, resolve_link, resolve_path};
pub use names::{MAX_NAME, MAX_PATH};
pub use platform::Platform;
pub use portable::{fold, fold_into, portable_name};
pub(crate) use reason::PathFault;
pub use reason::{Reason, Rejection};
pub use request::{from_directory, normalize_request, spelled_below};
pub use shell::shell_word;
pub use show::{Shown, show};
