//! Imports as single bindings, so that `from m import a, b` equals two statements.

/// One imported name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Atom {
    /// What is imported, and from where.
    pub(super) target: String,
    /// What the name refers to, if not the target: `import a.b` binds `a`.
    pub(super) meaning: String,
    /// The local name; `None` if there is none, or if several imports may share one.
    pub(super) bound: Option<String>,
    /// A statement that imports only this.
    pub(super) source: String,
    /// Whether it must come before all other imports.
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
