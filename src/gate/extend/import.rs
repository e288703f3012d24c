//! Imports as single bindings, so that `from m import a, b` and two statements are the same.

/// One name of elsewhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Atom {
    /// What is imported from where.
    pub(super) target: String,
    /// What the name stands for, if that is not the target: `import a.b` binds `a`.
    pub(super) meaning: String,
    /// The name that it has here; `None` where it has none of its own, or where several may share one.
    pub(super) bound: Option<String>,
    /// A statement that imports just this.
    pub(super) source: String,
    /// Whether it stands before all other imports.
    pub(super) is_first: bool,
}

impl Atom {
    pub(super) fn new(
        target: impl Into<String>,
        bound: Option<&str>,
        source: impl Into<String>,
    ) -> Atom {
        let target = target.into();
        Atom {
            meaning: target.clone(),
            target,
            bound: bound.map(str::to_owned),
            source: source.into(),
            is_first: false,
        }
    }
}

/// What one statement imports.
#[derive(Debug, Clone, Default)]
pub(super) struct Bindings {
    pub(super) atoms: Vec<Atom>,
    /// The byte of the bracket that closes a list over several lines, into which single imports go.
    pub(super) list_end: Option<usize>,
    /// Whether the statement is for its single imports only, and is never copied as a whole.
    pub(super) is_list: bool,
}

impl From<Vec<Atom>> for Bindings {
    fn from(atoms: Vec<Atom>) -> Bindings {
        Bindings {
            atoms,
            ..Bindings::default()
        }
    }
}
