//! What `extend` did to a file.

/// What extending a file did; each entry names one definition, import or statement.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Extension {
    /// What the file has now and lacked before.
    pub added: Vec<String>,
    /// What is different in the file and in the content, and stays as it is.
    pub kept: Vec<String>,
    /// What the content has and extend does not add: statements without a name, imports that nothing added uses.
    pub left_out: Vec<String>,
}
