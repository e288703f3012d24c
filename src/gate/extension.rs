//! The result of `extend`.

/// The result of `extend`; each entry names one definition, import or statement.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Extension {
    /// What was added.
    pub added: Vec<String>,
    /// What differs between file and content, and stays unchanged.
    pub kept: Vec<String>,
    /// What the content has but `extend` does not add: statements without a name, and unused imports.
    pub left_out: Vec<String>,
}
