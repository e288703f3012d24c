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

mod chars;
mod entry;
mod escape;
mod link;
mod names;
mod platform;
mod reason;
mod rejection;
mod request;
mod windows;

pub use chars::{fold, fold_into, is_hostile};
pub use entry::{Links, check_entry};
pub use escape::{
    Escaped, escaped, escaped_list, listed, shell_word, single_quoted, text_on_one_line,
};
pub use link::{MAX_LINKS, Node, TreeView, check_link_target, resolve_link, resolve_path};
pub use names::{MAX_NAME, MAX_PATH};
pub use platform::{Platform, without_verbatim_prefix};
pub use reason::Reason;
pub use rejection::{PathFault, Rejection};
pub use request::{below_directory, from_directory, normalize_request, spelled_below};
pub use windows::portable_name;
