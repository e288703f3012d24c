//! The phrases that announce files, in headings and in labels: a bold line, or one that ends in a colon.

use std::ops::Range;
use std::sync::LazyLock;

use regex_lite::Regex;

use super::words::{LOOK, negates, negations, words};
use super::{Actions, DesignBuilder, DesignText, GrantForm, InlineText, PieceKind, Problem, Row};
use super::{RowAction, Run, WrittenPath, add, any, is_in, item, paths, problem, types};

/// What a heading says about files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Title {
    /// A table with types below it is the scope; a passage directly below it counts, too. A row without a type grants
    /// these actions.
    Scope(Actions),
    /// Only a passage directly below it counts.
    Passage(Actions),
    /// The files below are not to be changed.
    Denied,
    /// Something else.
    #[default]
    Other,
}

/// Other headings than "files …ed" and "files to …".
const PHRASES: &str =
    "file changes|file change|files changes|file map|file inventory|files inventory|declared files";
/// What may be said of files, beside [`LOOK`].
const VERBS: &str = "create|created|add|added|modify|modified|update|updated|edit|edited|delete|deleted|remove|removed|\
    change|changed|touch|touched|affected|implement|implemented";

/// A phrase, in which `V` stands for a verb, with the words around it that do not change its meaning. "Files" alone is too
/// vague, but "Files Summary" is a list of files.
static PHRASE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let lead = "(?:(?:the|all|list|summary|of|proposed|planned|expected) )*";
    let tail = "(?: (?:summary|list|table|overview))";
    let phrase = format!("{PHRASES}|files?(?: to(?: be)?)?(?: V)+|(?:V )+files?");
    Regex::new(&format!("^{lead}(?:(?:{phrase}){tail}*|files{tail}+)$")).ok()
});

/// Classifies a heading; `extra` are the phrases of the settings.
pub(super) fn title(text: &str, extra: &[String]) -> Title {
    let mut main = words(split(text).0);
    if negates(text) {
        let mut negations = negations(&main).into_iter();
        main.retain(|_| negations.next() != Some(true));
        return phrase(&main).map_or(Title::Other, |_| Title::Denied);
    }
    if extra.iter().any(|phrase| words(phrase) == main) {
        return Title::Scope(any());
    }
    let passage = || passage(&main).map_or(Title::Other, Title::Passage);
    phrase(&main).map_or_else(passage, Title::Scope)
}

/// Whether a heading is nothing but its phrase, a number and a note: only then a passage below it counts.
pub(super) fn is_plain(text: &str) -> bool {
    let rest = split(text).1.trim_end_matches(':');
    let is_note = rest.starts_with('(') && rest.find(')') == Some(rest.len() - 1);
    !text.trim().starts_with('[') && (rest.is_empty() || is_note)
}

/// The headings and labels that only passages know.
fn passage(words: &[String]) -> Option<Actions> {
    match words.join(" ").as_str() {
        "new files" => Some(add()),
        "file list" | "affected code" => Some(any()),
        _ => None,
    }
}

/// What a row without a type grants below a phrase: what all verbs say, or anything.
fn phrase(words: &[String]) -> Option<Actions> {
    let words = words.iter().map(String::as_str);
    let mut words: Vec<&str> = words.filter(|word| !is_in(word, "and|or")).collect();
    let verbs = words.iter_mut();
    let verbs = verbs.filter(|word| is_in(word, VERBS) || is_in(word, LOOK));
    let verbs = verbs.map(|word| std::mem::replace(word, "V"));
    let actions = verbs.map(|verb| match types::of_word(verb) {
        Some(RowAction::Grant(actions)) if !verb.starts_with("change") => actions,
        _ => any(),
    });
    let actions = actions.reduce(|all, one| if all == one { all } else { any() });
    let is_phrase = PHRASE.as_ref()?.is_match(&words.join(" "));
    is_phrase.then_some(actions.unwrap_or(any()))
}

/// The phrase without a label in brackets and a number, and what follows from a parenthesis, colon or dash on.
fn split(text: &str) -> (&str, &str) {
    let text = text.trim();
    let label = text.strip_prefix('[').and_then(|rest| rest.split_once(']'));
    let text = label.map_or(text, |(_, rest)| rest.trim_start());
    let number = NUMBER.as_ref().and_then(|number| number.find(text));
    let text = &text[number.map_or(0, |number| number.end())..];
    let end = text.find(['(', '[', ':', '—', '–']).unwrap_or(text.len());
    text.split_at(end.min(text.find(" - ").unwrap_or(end)))
}

/// `2.1`, `3.`, `§8`, `A)`, `IV.` or `Section 2:` at the start of a heading.
static NUMBER: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let number = r"(?:section|part|chapter|appendix|step|§)[.):-]*\s+\S+|§*[0-9][0-9.]*[.):-]*|(?:[a-z]|[ivx]+)[.):-]+";
    Regex::new(&format!(r"^(?i:{number})(?:\s+[-–—:\s]*|$)")).ok()
});

/// What an item without a type grants below a label, which is given without its note. The singular "File" names no list.
fn of_label(text: &str, extra: &[String]) -> Option<Actions> {
    let said = words(text);
    let is_list = !said.iter().any(|word| word == "file") || is_in(&said.join(" "), PHRASES);
    let is_own = said == ["files"] || extra.iter().any(|phrase| words(phrase) == said);
    match negates(text) {
        true => None,
        false if is_own => Some(any()),
        false => phrase(&said).filter(|_| is_list).or_else(|| passage(&said)),
    }
}

/// A label at the start of a paragraph or list item, or a heading, directly below which files may be listed.
pub(super) struct Label {
    /// What an item without a type grants.
    pub(super) untyped: Actions,
    /// The items on its line.
    pub(super) items: Vec<Run>,
    /// The place of the label.
    pub(super) span: Range<usize>,
    /// Whether more lines of the paragraph follow.
    pub(super) has_more: bool,
    /// What a list below it is.
    pub(super) form: GrantForm,
}

/// The label at the start of a paragraph or list item.
pub(super) fn label(source: &DesignText<'_>, content: &InlineText) -> Option<Label> {
    let whole = source.slice(content.span.clone()).trim();
    let first = whole.lines().next().unwrap_or("").trim_end();
    let line = content.run.part(content.run.text.split('\n').next()?);
    let has_marks =
        |mark: &&str| first.starts_with(*mark) && first.trim_end_matches(':').ends_with(*mark);
    let is_bold = first.len() > 4 && ["**", "__"].iter().any(has_marks);
    let colon = line.text.find(':');
    if colon.is_none() && !is_bold || paths::check_pieces(&line, source.path).is_err() {
        return None;
    }
    let head = &line.text[..colon.unwrap_or(line.text.len())];
    let (phrase, note) = match head.split_once('(') {
        Some((phrase, note)) => (phrase, Some(note.trim().strip_suffix(')')?.trim())),
        None => (head, None),
    };
    let untyped = RowAction::Grant(of_label(phrase, &source.options.headings)?);
    let is_number = |note: &&str| !note.is_empty() && note.bytes().all(|c| c.is_ascii_digit());
    let note = note.filter(|note| !is_number(note));
    let RowAction::Grant(untyped) = note.map_or(Some(untyped), types::of_note)? else {
        return None;
    };
    let items = colon.map_or("", |colon| &line.text[colon + 1..]);
    let items = item::parts(items, &[';']).map(|part| line.part(part));
    Some(Label {
        untyped,
        items: items.collect(),
        span: source.span_of(first),
        has_more: whole.len() > first.len(),
        form: GrantForm::LabelList,
    })
}

/// The place of a label in the middle of a paragraph, where it announces nothing.
pub(super) fn label_inside(source: &DesignText<'_>, content: &InlineText) -> Option<Range<usize>> {
    let (marks, extra) = (['*', '_', ' '], &source.options.headings);
    let is_label = |line: &&str| {
        let head = line.trim_start_matches(marks).split_once(':');
        head.is_some_and(|(head, _)| of_label(head.trim_matches(marks), extra).is_some())
    };
    let mut lines = source.slice(content.span.clone()).lines().skip(1);
    let line = lines.find(is_label)?;
    Some(source.line_span(source.span_of(line).start))
}

/// Whether a paragraph begins like a label: a bold line or one with a colon that has the word "files".
pub(super) fn resembles_label(source: &DesignText<'_>, content: &InlineText) -> bool {
    let line = source.slice(source.line_span(content.span.start));
    let head = line.split(':').next().unwrap_or("");
    (line.starts_with(['*', '_']) || line.ends_with(':')) && words(head).contains(&"files".into())
}

/// The type of a heading that names one file, as written: `#### [MODIFY] [name](path)`.
pub(super) fn file_type(content: &InlineText) -> Option<&str> {
    let text = content.plain.trim().strip_prefix('[')?;
    let (word, rest) = text.split_once(']')?;
    let is_type = matches!(word.to_uppercase().as_str(), "NEW" | "MODIFY" | "DELETE");
    (is_type && !rest.trim().is_empty()).then_some(word)
}

/// Grants the file of the heading, if it names one.
pub(super) fn read_file(content: &InlineText, draft: &mut DesignBuilder<'_>) {
    let source = draft.source;
    let found = file_type(content).and_then(|word| Some((word, types::of_item(word)?)));
    let Some((word, kind)) = found else {
        return;
    };
    draft.form = GrantForm::FileHeading;
    draft.item(heading_path(source, content).map(|path| Row::of(vec![path], kind, word)));
}

fn heading_path(source: &DesignText<'_>, content: &InlineText) -> Result<WrittenPath, Problem> {
    let run = &content.run;
    let unclear = || problem::file_heading().at(source.line_span(content.span.start));
    let start = run.text.find(']').map_or(run.text.len(), |end| end + 1);
    let rest = run.part(run.text.split_at(start).1);
    for piece in &run.pieces {
        let PieceKind::Link { text, target } = &piece.kind else {
            continue;
        };
        let (name, target) = (text.trim(), paths::decode(target));
        let target = target.strip_prefix("file://").unwrap_or(&target);
        if target != name && !target.ends_with(&format!("/{name}")) {
            return Err(problem::link_mismatch(name, target).at(piece.span.clone()));
        }
        let says_more = rest.text.trim().chars().count() > 1;
        return match says_more || content.is_struck || content.is_obscured {
            true => Err(unclear()),
            false => Ok(WrittenPath::new(target, piece.span.clone())),
        };
    }
    let row = item::read(source, &rest, Actions::NONE, "")?;
    match row.paths.as_slice() {
        [path] if row.change_type.is_empty() => Ok(path.clone()),
        _ => Err(unclear()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Title {
        title(text, &[])
    }

    #[test]
    fn headings_of_real_documents() {
        for text in [
            "2.1 Files Changed",
            "Files Changed",
            "6. Files Changed",
            "2. Files to Implement",
            "Files Touched",
            "Files Affected",
            "Affected Files",
            "File Changes",
            "File Change Summary",
            "Files Summary",
            "File Map",
            "§8 Files inventory",
            "Declared files",
            "FILES TO CREATE/MODIFY",
            "Files Created/Modified",
            "Files to Change / Create",
            "Files to Create or Modify",
            "A. Files changed",
            "IV) Files changed",
            "Section 2.1: Files Changed",
            "Files Changed (estimated)",
            "Files Changed:",
            "📁 Files Changed",
            "List of files changed",
            "Files to be changed",
            "2.1 - Files changed",
            "1.2.3. Files changed",
        ] {
            assert_eq!(of(text), Title::Scope(any()), "{text}");
        }
    }

    #[test]
    fn the_heading_implies_the_action() {
        assert_eq!(of("Files to Create"), Title::Scope(add()));
        assert_eq!(of("2.1 Files to Modify"), Title::Scope(Actions::MODIFY));
        assert_eq!(of("Files to Update"), Title::Scope(Actions::MODIFY));
        assert_eq!(of("9. Files Modified"), Title::Scope(Actions::MODIFY));
        assert_eq!(of("Files to Delete"), Title::Scope(Actions::DELETE));
    }

    #[test]
    fn negative_words_never_grant() {
        for text in [
            "Files NOT to Modify",
            "Files not changed",
            "Files to Investigate",
            "Files to Read",
            "Files changed (do not edit)",
            "[UNCHANGED] 2.1 Files Changed",
            "Files don’t modify",
            "Reference files",
        ] {
            assert_eq!(of(text), Title::Denied, "{text}");
        }
    }

    #[test]
    fn look_alikes() {
        for text in [
            "2.4 Check 4 — Files Changed Table Parses (ERROR)",
            "Notes to Modify",
            "2.1 Bias Types",
            "Profiles changed",
            "Critical Files for Implementation",
            "2.1",
            "",
            "Not in scope",
            "I",
            "Files to",
            "Read configuration files",
            "Files not found",
            "Reference: files changed",
        ] {
            assert_eq!(of(text), Title::Other, "{text}");
        }
    }

    #[test]
    fn notebook_is_not_the_word_not() {
        assert_eq!(of("Files Changed: notebooks"), Title::Scope(any()));
    }

    #[test]
    fn settings_add_phrases() {
        let extra = ["Implementation Paths".to_owned()];
        assert_eq!(
            title("3. Implementation paths", &extra),
            Title::Scope(any())
        );
        assert_eq!(title("Implementation paths not used", &extra), Title::Other);
    }
    #[test]
    fn a_plain_heading_is_a_number_a_phrase_and_one_note() {
        for (text, expected) in [
            ("Files Changed", true),
            ("2.1 Files Changed:", true),
            ("Files Changed (estimated)", true),
            ("Files Changed (estimated):", true),
            ("Files Changed (a) (b)", false),
            ("Files Changed (a", false),
            ("Files Changed - later", false),
            ("[NEW] Files Changed", false),
            ("[Files Changed]", false),
        ] {
            assert_eq!(is_plain(text), expected, "{text}");
        }
    }
}
