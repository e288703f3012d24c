//! Labels such as `**Files:**` and what they say about the files that follow.

use std::ops::Range;

use super::blocks::{InlineText, PieceKind};
use super::change_type::{RowAction, add, of_item_word};
use super::claim::Claim;
use super::doubt;
use super::exclusion::{self, words};
use super::kind;
use super::languages;
use super::source::DesignText;
use crate::policy::Actions;

/// The words at the start of a line that end with a colon or are bold as a whole.
pub(super) struct Label {
    /// The words without parentheses.
    pub(super) text: String,
    /// The text in parentheses and brackets.
    pub(super) notes: String,
    /// The rest of the line, trimmed; empty for a label alone.
    pub(super) value: Range<usize>,
    pub(super) is_bold: bool,
}

/// What a label, or a heading, says about files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LabelRole {
    /// The files are the scope.
    Files(Claim),
    /// The files are only looked at.
    Mention,
    /// It speaks of files, but not clearly of a change.
    Unclear,
}

/// The longest label, in bytes.
const MAX_LABEL: usize = 120;
const COLONS: [char; 2] = [':', '：'];

/// The label at the start of a line.
pub(super) fn label(source: &DesignText<'_>, line: &InlineText) -> Option<Label> {
    let span = source.trim(line.span.clone());
    let text = source.slice(span.clone());
    let begin =
        text.find(|c: char| c.is_alphanumeric() || matches!(c, '*' | '_' | '`' | '[' | '<'))?;
    let (text, start) = (text.get(begin..)?, span.start + begin);
    let mark = text.get(..2).filter(|mark| matches!(*mark, "**" | "__"));
    let Some(mark) = mark else {
        return plain(source, line, start..span.end);
    };
    let inner = text.get(2..)?;
    let inner = inner.get(..inner.find(mark)?)?;
    let after = start + 2 + inner.len() + 2;
    let (words, value) = match inner.find(COLONS) {
        Some(colon) if !inner.get(..colon)?.contains('`') => {
            let width = inner.get(colon..)?.chars().next().map_or(1, char::len_utf8);
            let value = source.trim(start + 2 + colon + width..after - 2);
            let rest = source.trim(after..span.end);
            let value = match (value.is_empty(), rest.is_empty()) {
                (true, _) => rest,
                (false, true) => value,
                (false, false) => value.start..rest.end,
            };
            (inner.get(..colon)?, value)
        }
        _ => (inner, source.trim(after..span.end)),
    };
    if words.len() > MAX_LABEL || words.contains('`') {
        return None;
    }
    let (text, mut notes) = without_notes(words);
    let value = behind_notes(source, value, inner.contains(COLONS), &mut notes)?;
    Some(Label {
        text,
        notes,
        value,
        is_bold: true,
    })
}

/// A label without bold: it ends with a colon.
fn plain(source: &DesignText<'_>, line: &InlineText, span: Range<usize>) -> Option<Label> {
    let text = source.slice(span.clone());
    let (colon, width) = text
        .char_indices()
        .take_while(|(index, _)| *index <= MAX_LABEL)
        .find(|&(index, c)| {
            let rest = text.get(index + c.len_utf8()..).unwrap_or("");
            let ends = rest.is_empty() || rest.starts_with([' ', '\t', '\n', '\r', '`', '*', '_']);
            c == '：' || c == ':' && ends
        })
        .map(|(index, c)| (index, c.len_utf8()))?;
    let before = text.get(..colon)?;
    let has_piece = line
        .pieces
        .first()
        .is_some_and(|piece| piece.span.start < span.start + colon);
    if before.contains('`') || has_piece || before.contains('\n') {
        return None;
    }
    let (words, notes) = without_notes(before.trim_matches(['*', '_', ' ']));
    let rest = source.slice(span.start + colon + width..span.end);
    let skipped = rest.len() - rest.trim_start_matches(['*', '_', ' ']).len();
    Some(Label {
        text: words,
        notes,
        value: source.trim(span.start + colon + width + skipped..span.end),
        is_bold: false,
    })
}

/// The words outside parentheses and brackets, and those inside.
fn without_notes(text: &str) -> (String, String) {
    let (mut words, mut notes, mut depth) = (String::new(), String::new(), 0_usize);
    for c in text.chars() {
        match c {
            '(' | '[' | '（' => depth += 1,
            ')' | ']' | '）' => {
                depth = depth.saturating_sub(1);
                notes.push(' ');
            }
            _ if depth > 0 => notes.push(c),
            _ => words.push(c),
        }
    }
    (words.trim().to_owned(), notes)
}

/// The value behind parentheses and a colon: `**New files** (2): …`. `None` if a sentence follows instead.
fn behind_notes(
    source: &DesignText<'_>,
    mut value: Range<usize>,
    has_colon: bool,
    notes: &mut String,
) -> Option<Range<usize>> {
    loop {
        let text = source.slice(value.clone());
        let close = match text.chars().next() {
            Some('(') => ')',
            Some('（') => '）',
            Some('[') => ']',
            _ => break,
        };
        let end = text.find(close)?;
        let note = text.get(..end)?;
        if text.get(end..)?.starts_with("](") {
            break;
        }
        notes.push_str(note.get(1..).unwrap_or(""));
        notes.push(' ');
        value = source.trim(value.start + end + close.len_utf8()..value.end);
    }
    let text = source.slice(value.clone());
    if has_colon || text.is_empty() {
        return Some(value);
    }
    if let Some(mark) = text
        .chars()
        .next()
        .filter(|c| COLONS.contains(c) || matches!(c, '—' | '–'))
    {
        return Some(source.trim(value.start + mark.len_utf8()..value.end));
    }
    let dash = text.starts_with("- ") || text.starts_with("-> ");
    if dash {
        return Some(source.trim(value.start + 2..value.end));
    }
    text.starts_with('`').then_some(value)
}

/// Words for making a file, in addition to those of headings.
const CREATE: &[&str] = &[
    "new",
    "produced",
    "generated",
    "introduced",
    "create",
    "created",
    "add",
    "added",
];
const MODIFY: &[&str] = &[
    "modify",
    "modified",
    "modification",
    "modifications",
    "update",
    "updated",
    "updates",
    "edit",
    "edited",
    "edits",
    "fix",
    "fixed",
    "refactor",
    "refactored",
    "extend",
    "extended",
    "rewrite",
    "migrate",
    "requiring",
    "rewritten",
];
const DELETE: &[&str] = &["delete", "deleted", "remove", "removed"];
const ANY: &[&str] = &[
    "change",
    "changed",
    "changes",
    "changing",
    "touch",
    "touched",
    "affected",
    "impacted",
    "implement",
    "implemented",
    "scope",
    "involved",
    "write",
    "written",
    "declared",
    "renamed",
    "moved",
    "rename",
    "move",
    "target",
    "targets",
    "path",
    "paths",
];
/// Words without a meaning of their own.
const FILLERS: &[&str] = &[
    "the",
    "all",
    "to",
    "be",
    "and",
    "or",
    "that",
    "will",
    "in",
    "this",
    "task",
    "of",
    "by",
    "expected",
    "planned",
    "proposed",
    "likely",
    "list",
    "summary",
    "need",
    "needs",
    "needing",
    "for",
    "following",
    "these",
    "below",
    "as",
    "follows",
    "we",
    "are",
    "were",
    "s",
    "plan",
    "story",
    "unit",
    "phase",
];
/// Words that say that files are only looked at.
const LOOK: &[&str] = &[
    "read",
    "reference",
    "references",
    "referenced",
    "investigate",
    "inspect",
    "check",
    "checked",
    "verify",
    "verified",
    "review",
    "reviewed",
    "keep",
    "see",
    "use",
    "used",
    "consult",
    "consulted",
    "study",
    "understand",
    "analyze",
    "analyzed",
    "examine",
    "examined",
    "existing",
    "key",
    "relevant",
    "related",
    "critical",
    "important",
    "context",
    "input",
    "source",
    "unchanged",
    "follow",
    "preserve",
    "protected",
    "ignored",
    "open",
    "load",
    "location",
    "locations",
    "naming",
    "name",
    "names",
    "format",
    "size",
    "count",
    "total",
];
/// Words that may stand before "files" where the change is named too.
const ADJECTIVES: &[&str] = &[
    "existing",
    "key",
    "main",
    "core",
    "other",
    "additional",
    "relevant",
    "primary",
    "source",
    "code",
    "project",
    "important",
    "critical",
    "likely",
    "possible",
    "config",
    "configuration",
    "test",
    "tests",
    "backend",
    "frontend",
    "documentation",
    "doc",
    "docs",
];

/// What a label or heading says about files; `None` if it does not speak of files. `notes` are its remarks in
/// parentheses.
pub(super) fn role(text: &str, notes: &str) -> Option<LabelRole> {
    // How the words for files begin, in the languages that need no other letters.
    const FILES: [&[u8; 4]; 6] = [b"file", b"code", b"arqu", b"arch", b"fich", b"date"];
    let is_file = |part: &[u8]| {
        FILES
            .iter()
            .any(|word| part.eq_ignore_ascii_case(&word[..]))
    };
    if !text.is_ascii() {
        if let Some(role) = chinese(text) {
            return Some(role);
        }
    } else if !text.as_bytes().windows(4).any(is_file) {
        return None;
    }
    let lower = text.to_lowercase().replace("file(s)", "files");
    let mut said = words(&lower);
    if said.len() > 10 {
        return None;
    }
    // "Task 3 files" and "1. Files".
    said.retain(|word| !word.chars().all(|c| c.is_ascii_digit()));
    let said = languages::label(&said).unwrap_or_else(|| said.iter().map(String::as_str).collect());
    let is_file = |word: &str| matches!(word, "file" | "files");
    let affected_code = matches!(
        *said,
        ["affected" | "impacted" | "changed", "code"]
            | ["code", "affected" | "impacted" | "changes"]
    );
    if !said.iter().any(|word| is_file(word)) && !affected_code {
        return None;
    }
    if exclusion::is_in(notes) || is_denial(&said) {
        return Some(LabelRole::Mention);
    }
    if affected_code {
        return Some(LabelRole::Files(Claim::Any));
    }
    // "Files Modified During Review".
    let said = said.strip_suffix(&["during", "review"]).unwrap_or(&said);
    let rest: Vec<&str> = said.iter().copied().filter(|word| !is_file(word)).collect();
    if rest.last() == Some(&"to") {
        return None;
    }
    let is_filler = |word: &&str| FILLERS.contains(word);
    if matches!(
        *rest,
        ["location"] | ["locations"] | ["list"] | ["inventory"] | ["map"]
    ) || rest.iter().all(is_filler)
        || rest.last() == Some(&"list")
            && matches!(*said, [.., "file", "list"])
            && !rest.iter().any(|word| LOOK.contains(word))
    {
        return Some(LabelRole::Files(Claim::Any));
    }
    if let Some(found) = of_words(&rest) {
        return Some(LabelRole::Files(found));
    }
    let named = |list: &[&str]| rest.iter().any(|word| list.contains(word));
    if named(LOOK) {
        return Some(LabelRole::Mention);
    }
    // A sentence that happens to speak of files.
    (rest.len() <= 3).then_some(LabelRole::Unclear)
}

/// "Files NOT to modify", "Do not change these files".
fn is_denial(said: &[&str]) -> bool {
    said.iter().any(|word| exclusion::is_word(word))
        || said
            .windows(2)
            .any(|pair| matches!(*pair, ["no", "change" | "changes"] | ["out", "of"]))
}

/// The claim of the words next to "files"; `None` if some of them are not about a change.
fn of_words(rest: &[&str]) -> Option<Claim> {
    let mut found: Option<Claim> = None;
    for word in rest {
        let one = [
            (CREATE, Claim::Create),
            (MODIFY, Claim::Modify),
            (DELETE, Claim::Delete),
            (ANY, Claim::Any),
        ]
        .into_iter()
        .find(|(list, _)| list.contains(word))
        .map(|(_, claim)| claim);
        match (one, found) {
            (None, _) if FILLERS.contains(word) || ADJECTIVES.contains(word) => {}
            (None, _) => return None,
            (Some(one), None) => found = Some(one),
            // "Requiring changes", "new files to create".
            (Some(one), Some(before)) if one == before => {}
            (Some(Claim::Any), Some(_)) => {}
            (Some(one), Some(Claim::Any)) => found = Some(one),
            (Some(_), Some(_)) => found = Some(Claim::Any),
        }
    }
    let is_test = |word: &&str| matches!(*word, "test" | "tests");
    found.or_else(|| rest.iter().all(is_test).then_some(Claim::Any))
}

/// Whether a label or heading announces the changes: "Changes", "2. Code changes".
pub(super) fn is_changes(text: &str) -> bool {
    let mut said = words(text);
    said.retain(|word| !word.chars().all(|c| c.is_ascii_digit()));
    let Some((last, rest)) = said.split_last() else {
        return false;
    };
    let is_plain = |word: &String| {
        matches!(
            word.as_str(),
            "code" | "proposed" | "required" | "planned" | "the" | "needed" | "specific"
        )
    };
    matches!(last.as_str(), "changes" | "modifications" | "edits") && rest.iter().all(is_plain)
}

/// The claim of a group within a list of files, such as "New" or "Modified".
pub(super) fn group(text: &str) -> Option<Claim> {
    let said = words(text);
    if let [word] = said.as_slice()
        && !word.is_ascii()
    {
        return of_type(word);
    }
    let said: Vec<&str> = said.iter().map(String::as_str).collect();
    let is_verb = |word: &&str| {
        FILLERS.contains(word)
            || [CREATE, MODIFY, DELETE, ANY]
                .iter()
                .any(|list| list.contains(word))
    };
    (!said.is_empty() && said.len() <= 4 && said.iter().all(is_verb))
        .then(|| of_words(&said))
        .flatten()
}

/// The claim of a verb of another language.
fn of_type(word: &str) -> Option<Claim> {
    match kind::parse(word)?.kind {
        RowAction::Grant(actions) if actions == add() => Some(Claim::Create),
        RowAction::Grant(Actions::MODIFY) => Some(Claim::Modify),
        RowAction::Grant(Actions::DELETE) => Some(Claim::Delete),
        _ => None,
    }
}

/// Labels of a group that hold no files.
pub(super) fn is_narrative(text: &str) -> bool {
    const NARRATIVE: &[&str] = &[
        "note",
        "notes",
        "approach",
        "rationale",
        "why",
        "steps",
        "step",
        "verification",
        "verify",
        "context",
        "risk",
        "risks",
        "acceptance",
        "requirements",
        "dependencies",
        "log",
        "status",
        "summary",
        "details",
        "behavior",
        "behaviour",
        "scenarios",
        "patterns",
        "follow",
        "reference",
        "references",
        "goal",
        "objective",
        "criteria",
        "existing",
        "unchanged",
        "estimate",
        "commands",
        "command",
        "run",
        "see",
        "example",
        "examples",
        "key",
        "total",
        "changes",
    ];
    words(text)
        .iter()
        .any(|word| NARRATIVE.contains(&word.as_str()))
}

fn chinese(text: &str) -> Option<LabelRole> {
    let text = text.trim();
    let code = text.contains("代码") && text.contains("影响");
    const FILES: &[&str] = &["文件", "檔案", "ファイル"];
    let names_files = FILES.iter().any(|word| text.contains(word));
    if !names_files && !code || text.chars().count() > 16 {
        return None;
    }
    let has = |words: &[&str]| words.iter().any(|word| text.contains(word));
    if has(&[
        "不",
        "无需",
        "参考",
        "阅读",
        "读取",
        "查看",
        "检查",
        "相关",
        "现有",
        "关键",
        "不",
        "參考",
        "閱讀",
        "相關",
        "現有",
        "参照",
        "確認",
        "既存",
        "対象外",
        "不要",
        "除外",
    ]) {
        return Some(LabelRole::Mention);
    }
    let claims = [
        (
            &["新建", "创建", "新增", "建立", "新規", "作成", "追加"][..],
            Claim::Create,
        ),
        (&["修改", "更新", "変更", "修正"][..], Claim::Modify),
        (&["删除", "移除", "刪除", "削除"][..], Claim::Delete),
    ];
    let mut found = claims.iter().filter(|(words, _)| has(words));
    let first = found.next().map(|(_, claim)| *claim);
    let claim = match (first, found.next()) {
        (Some(one), None) => one,
        _ => Claim::Any,
    };
    let known = first.is_some()
        || code
        || has(&[
            "涉及",
            "影响",
            "影響",
            "变更",
            "變更",
            "改动",
            "対象",
            "ファイル配置",
            "ファイル一覧",
        ])
        || FILES.contains(&text);
    Some(if known {
        LabelRole::Files(claim)
    } else {
        LabelRole::Unclear
    })
}

/// What a heading says that does not start a table of files as [`claim`] knows it.
pub(super) fn of_heading(text: &str) -> Option<LabelRole> {
    let (text, notes) = without_notes(text);
    let said = words(&text);
    let is_list = said.iter().any(|word| word == "files" || word == "code")
        || matches!(
            said.iter().map(String::as_str).collect::<Vec<_>>()[..],
            [
                ..,
                "file",
                "list" | "locations" | "location" | "structure" | "layout" | "plan" | "overview"
            ]
        );
    if is_list || chinese(&text).is_some() {
        role(&text, &notes)
    } else {
        None
    }
}

/// Whether a heading or label leaves open whether the files below it change: "Maybe: …", "Optional files".
pub(super) fn is_undecided(text: &str) -> bool {
    let lower = text.to_lowercase();
    if doubt::has_open_phrase(&lower) || doubt::is_condition(&lower) {
        return true;
    }
    let first = words(&lower)
        .into_iter()
        .find(|word| !word.chars().all(|c| c.is_ascii_digit()));
    first.is_some_and(|word| {
        matches!(
            word.as_str(),
            "maybe"
                | "perhaps"
                | "possible"
                | "possibly"
                | "potential"
                | "potentially"
                | "optional"
                | "optionally"
        )
    })
}

/// Whether a group within a list of files says that its files are only looked at: "Read first", "Do not modify".
pub(super) fn only_looks(text: &str) -> bool {
    let first = words(text).into_iter().next().unwrap_or_default();
    exclusion::is_in(text) || of_item_word(&first) == Some(RowAction::Mention)
}

/// Whether a line says that all paths of the document start at another directory than the root.
pub(super) fn moves_all_paths(text: &str) -> bool {
    const RELATIVE: &str = " relative to ";
    let mut parts = text.as_bytes().windows(RELATIVE.len());
    if !parts.any(|part| part.eq_ignore_ascii_case(RELATIVE.as_bytes())) {
        return false;
    }
    let lower = text
        .trim_start_matches(['*', '_', '-', '>', ' '])
        .to_lowercase();
    let Some((before, rest)) = lower.split_once(RELATIVE) else {
        return false;
    };
    let is_all = [
        "all paths",
        "all file paths",
        "paths in this",
        "file paths in this",
    ]
    .iter()
    .any(|begin| before.starts_with(begin));
    let place = rest
        .split_whitespace()
        .take(3)
        .map(|word| word.trim_matches(['.', ',', ':']));
    is_all
        && before.split_whitespace().count() < 12
        && place
            .filter(|word| !matches!(*word, "`./`" | "`.`" | "`/`" | "./" | "/"))
            .any(|word| word.contains(['/', '`']))
}

/// Whether a label or paragraph says that the paths below it start at another directory than the root.
pub(super) fn is_relative(text: &str) -> bool {
    let lower = text.to_lowercase();
    let behind = |words: &str| {
        lower
            .split_once(words)
            .map(|(_, rest)| rest.trim_start().to_owned())
    };
    let at_root = |rest: &str| {
        [
            "the repo",
            "repo",
            "the root",
            "root",
            "the project",
            "project",
            "the workspace",
            "workspace",
            "`./`",
            "`.`",
            "main",
        ]
        .iter()
        .any(|root| rest.starts_with(root))
    };
    let elsewhere = ["relative to", "relative from"]
        .iter()
        .find_map(|words| behind(words))
        .is_some_and(|rest| !at_root(&rest));
    let all_in = [
        "all in ",
        "all under ",
        "all files in ",
        "all paths in ",
        "all below ",
        "all inside ",
        "everything in ",
    ]
    .iter()
    .find_map(|words| behind(words))
    .is_some_and(|rest| {
        let place = rest.split_whitespace().next().unwrap_or("");
        place.contains(['`', '/'])
    });
    let trimmed = lower.trim_matches(['*', '_', ':', ' ', '(', ')']);
    let package = trimmed.starts_with("in ")
        && trimmed.ends_with(" package")
        && trimmed.split_whitespace().count() < 6;
    let base = ["base directory", "base path", "base dir"]
        .iter()
        .any(|words| lower.contains(words));
    elsewhere || all_in || package || base
}

/// Whether a line has something other than plain text and code at its start, such as a struck-out part.
pub(super) fn is_struck(line: &InlineText) -> bool {
    line.pieces
        .iter()
        .any(|piece| piece.kind == PieceKind::Struck)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_of_real_documents() {
        for (text, claim) in [
            ("Files", Claim::Any),
            ("File", Claim::Any),
            ("Files to modify", Claim::Modify),
            ("Files modified", Claim::Modify),
            ("Files produced", Claim::Create),
            ("Files Requiring Changes", Claim::Modify),
            ("Files to Fix", Claim::Modify),
            ("Files affected", Claim::Any),
            ("New Files", Claim::Create),
            ("New Files to Create", Claim::Create),
            ("Files to Create/Modify", Claim::Any),
            ("Files to Remove", Claim::Delete),
            ("Deleted Files", Claim::Delete),
            ("File List", Claim::Any),
            ("File Locations", Claim::Any),
            ("Affected code", Claim::Any),
            ("Existing files to modify", Claim::Modify),
            ("Test Files", Claim::Any),
            ("文件", Claim::Any),
            ("修改的文件", Claim::Modify),
        ] {
            assert_eq!(role(text, ""), Some(LabelRole::Files(claim)), "{text}");
        }
        for text in [
            "Files read",
            "Files to review",
            "Existing Files to Use",
            "Key Files",
            "Files NOT to modify",
            "参考文件",
        ] {
            assert_eq!(role(text, ""), Some(LabelRole::Mention), "{text}");
        }
        assert_eq!(
            role("Existing Files", "No Changes"),
            Some(LabelRole::Mention)
        );
        assert_eq!(role("Log files", ""), Some(LabelRole::Unclear));
        for text in ["Approach", "Affected specs", "Profile", "Code"] {
            assert_eq!(role(text, ""), None, "{text}");
        }
    }

    #[test]
    fn paths_that_start_elsewhere() {
        for text in [
            "All in `src/commands/`",
            "relative to packages/ux",
            "Base directory: `apps/web`",
            "in ux package",
        ] {
            assert!(is_relative(text), "{text}");
        }
        for text in [
            "relative to the repository root",
            "All in one commit",
            "The package is new",
        ] {
            assert!(!is_relative(text), "{text}");
        }
    }
}
