//! guard judges changes: a change may touch only what its design document
//! names, may not leave the workspace, and may not silently destroy a file.

pub mod change;
pub mod finding;
pub mod path;
pub mod measure;
pub mod error;
pub mod policy;
pub mod report;
pub mod git;
