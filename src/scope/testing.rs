//! Grants for unit tests.

use crate::finding::Anchor;

use super::glob::is_glob;
use super::{Actions, Grant, GrantKind, Role};

/// A grant as a row would give it: a trailing slash makes a directory, stars make a glob.
pub(crate) fn grant(path: &str, actions: Actions) -> Grant {
    let kind = if path.ends_with('/') {
        GrantKind::Directory
    } else if is_glob(path.into()) {
        GrantKind::Glob
    } else {
        GrantKind::File
    };
    Grant {
        path: path.trim_end_matches('/').into(),
        kind,
        actions,
        change_type: String::new(),
        renamed: None,
        form: crate::scope::GrantForm::Table,
        role: Role::Implementation,
        description: String::new(),
        anchor: Anchor {
            path: "design.md".into(),
            span: 0..0,
            line: 1,
            column: 1,
            label: String::new(),
        },
    }
}
