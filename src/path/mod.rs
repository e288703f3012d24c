//! Path rules: pure functions over bytes.
//!
//! | question | function |
//! |---|---|
//! | may an index or a tree contain this entry? | [`check_entry`] |
//! | which workspace path does this request name? | [`normalize_request`], [`spelled_below`] |
//! | may a link have this target? | [`check_link_target`], [`resolve_link`] |
//! | does an entry collide with a link on some file system? | [`Links`] |
//! | would Windows refuse the name? | [`portable_name`] |
//! | how is a hostile name printed? | [`escaped`] |
//!
//! Every refusal is a [`Rejection`]: a [`Reason`] with a sentence. A path that could reach `.git` or leave the workspace
//! on any system is refused on all systems; a path that Windows merely cannot create is refused only there.

mod anchor;
mod chars;
mod collision;
mod disguise;
mod entry;
mod escape;
mod link;
mod names;
mod platform;
mod portable;
mod reason;
mod request;
mod separator;
mod shell;
mod text;

pub use chars::is_hostile;
pub use collision::Links;
pub use entry::check_entry;
pub use escape::{Escaped, escaped, text_on_one_line};
pub use link::{MAX_LINKS, Node, TreeView, check_link_target, resolve_link, resolve_path};
pub use names::{MAX_NAME, MAX_PATH};
pub use platform::Platform;
pub use portable::{fold, fold_into, portable_name};
pub(crate) use reason::PathFault;
pub use reason::{Reason, Rejection};
pub use request::{from_directory, normalize_request, spelled_below};
pub use shell::{shell_word, single_quoted};
