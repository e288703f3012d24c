//! The words of a type.

use super::languages;
use crate::policy::Actions;

/// What a row does with its path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RowAction {
    /// Grants these actions.
    Grant(Actions),
    /// Deletes the old path; adds and modifies the new one.
    Rename,
    /// Names the path without granting it.
    Mention,
}

impl RowAction {
    /// Whether it may remove a path.
    pub(super) fn takes_away(self) -> bool {
        match self {
            RowAction::Grant(actions) => actions.contains(Actions::DELETE),
            RowAction::Rename => true,
            RowAction::Mention => false,
        }
    }
}

/// What an `Add` row grants.
pub(super) fn add() -> Actions {
    Actions::ADD | Actions::MODIFY_NEW
}

/// The meaning of a word in lower case.
pub(super) fn of_word(word: &str) -> Option<RowAction> {
    Some(match word {
        "add" | "adds" | "added" | "adding" | "new" | "create" | "creates" | "created"
        | "creating" | "创建" | "新建" | "新增" | "添加" => RowAction::Grant(add()),
        "modify" | "modifies" | "modified" | "modifying" | "update" | "updates" | "updated"
        | "updating" | "edit" | "edits" | "edited" | "editing" | "change" | "changes"
        | "changed" | "changing" | "rewrite" | "rewrites" | "rewritten" | "rewriting" | "修改"
        | "更新" => RowAction::Grant(Actions::MODIFY),
        "delete" | "deletes" | "deleted" | "deleting" | "remove" | "removes" | "removed"
        | "removing" | "删除" | "移除" => RowAction::Grant(Actions::DELETE),
        "rename" | "renames" | "renamed" | "renaming" | "move" | "moves" | "moved" | "moving"
        | "重命名" | "移动" => RowAction::Rename,
        "symlink" | "symlinked" => RowAction::Grant(Actions::SYMLINK),
        "submodule" => RowAction::Grant(Actions::SUBMODULE),
        "exist" | "exists" | "existing" | "verify" | "verifies" | "verified" | "unchanged"
        | "read" | "check" | "keep" | "reference" | "读取" | "查看" | "参考" | "检查" | "验证"
        | "保持" => RowAction::Mention,
        word => return of_word(languages::verb(word)?),
    })
}

/// More verbs at the start of a list item or task that say that its file is edited.
const WRITES: &[&str] = &[
    "adapt",
    "adjust",
    "amend",
    "annotate",
    "append",
    "bump",
    "configure",
    "consolidate",
    "convert",
    "correct",
    "declare",
    "define",
    "document",
    "enable",
    "enhance",
    "expand",
    "export",
    "extend",
    "extract",
    "fill",
    "fix",
    "generate",
    "harden",
    "implement",
    "import",
    "improve",
    "initialize",
    "insert",
    "integrate",
    "introduce",
    "localize",
    "migrate",
    "normalize",
    "patch",
    "populate",
    "port",
    "refactor",
    "regenerate",
    "register",
    "replace",
    "restructure",
    "revise",
    "rework",
    "scaffold",
    "simplify",
    "split",
    "strip",
    "stub",
    "swap",
    "tighten",
    "touch",
    "trim",
    "tweak",
    "unify",
    "wire",
    "write",
];
/// Verbs and prepositions that say that a file is only looked at, run or followed.
const READS: &[&str] = &[
    "analyze",
    "analyse",
    "audit",
    "based",
    "call",
    "calls",
    "compare",
    "confirm",
    "consult",
    "depends",
    "ensure",
    "examine",
    "execute",
    "existing",
    "follow",
    "following",
    "follows",
    "for",
    "inspect",
    "inspected",
    "inspection",
    "leave",
    "like",
    "mirror",
    "mirroring",
    "mirrors",
    "observe",
    "open",
    "per",
    "pattern",
    "patterns",
    "preserve",
    "readonly",
    "reading",
    "refer",
    "references",
    "referenced",
    "reuse",
    "reuses",
    "reusing",
    "review",
    "reviewed",
    "run",
    "runs",
    "see",
    "similar",
    "study",
    "unmodified",
    "use",
    "used",
    "uses",
    "using",
    "validate",
    "verification",
    "verifying",
    "via",
    "view",
    "with",
];

/// The meaning of a word at the start of a list item or task, in lower case.
pub(super) fn of_item_word(word: &str) -> Option<RowAction> {
    if WRITES.contains(&word) {
        return Some(RowAction::Grant(Actions::ADD | Actions::MODIFY));
    }
    if READS.contains(&word) {
        return Some(RowAction::Mention);
    }
    if let Some(verb) = languages::verb(word) {
        return of_item_word(verb);
    }
    of_word(word)
}

/// The leading run of letters and digits, and what follows.
pub(super) fn split_word(text: &str) -> (&str, &str) {
    let end = text
        .find(|c: char| !c.is_alphanumeric())
        .unwrap_or(text.len());
    text.split_at(end)
}
