//! Reads the lines of any document for the files that its work may touch. It is generous: a row is certain only if the
//! strict reader grants its path, and a person confirms or drops the others.

use std::collections::HashMap;

use gix::bstr::{BStr, BString};

use super::row;
use super::token::{FileLookup, PathToken, PlanToken, path_token, tokens};
use crate::design;
use crate::scope::Actions;
use crate::scope::settings::Settings;

/// The rows for all paths of a document outside quotes and outside code that lists no files. A doubtful row starts with
/// `? `, a cell that moves the others out of their columns: it grants nothing until a person removes the mark.
pub fn rows_of_document(path: &BStr, text: &str, lookup: &FileLookup<'_>) -> Vec<String> {
    let options = Settings {
        tasks: true,
        ..Settings::default()
    };
    let design = design::parse(path, text.as_bytes(), &options);
    let granted = design
        .grants
        .into_iter()
        .map(|grant| (grant.path, grant.actions));
    let mut reader = PlanReader {
        document: path,
        lookup,
        granted: granted.collect(),
        heading: String::new(),
        rows: Vec::new(),
        places: HashMap::new(),
    };
    let mut fence: Option<(&str, &str, Vec<&str>)> = None;
    let mut is_comment = false;
    for line in text.lines() {
        let bare = line.trim();
        let rest = bare.trim_start_matches(['`', '~']);
        let mark = &bare[..bare.len() - rest.len()];
        match &mut fence {
            Some((open, language, lines)) if rest.is_empty() && mark.starts_with(*open) => {
                reader.block(language, lines);
                fence = None;
            }
            Some((.., lines)) => lines.push(line),
            None if is_comment => is_comment = !line.contains("-->"),
            None if mark.len() > 2 && !rest.contains('`') => fence = Some((mark, rest, Vec::new())),
            None => {
                let (shown, comment) = bare.split_once("<!--").unwrap_or((bare, "-->"));
                is_comment = !comment.contains("-->");
                // Struck text does not count.
                if !bare.starts_with('>') {
                    reader.line(&shown.split("~~").step_by(2).collect::<String>());
                }
            }
        }
    }
    reader.rows.into_iter().map(|(row, _)| row).collect()
}

struct PlanReader<'a> {
    document: &'a BStr,
    lookup: &'a FileLookup<'a>,
    granted: HashMap<BString, Actions>,
    heading: String,
    /// The rows, each with whether nothing can be known better.
    rows: Vec<(String, bool)>,
    /// The place of the row of each path.
    places: HashMap<String, usize>,
}

impl PlanReader<'_> {
    fn line(&mut self, line: &str) {
        let sentence: String = line.chars().take(80).collect();
        for (token, verb) in paths_of_line(line, self.lookup) {
            let bare = token.path.trim_end_matches('/');
            let granted = self.granted.get(BStr::new(bare));
            if token.is_weak && granted.is_none() && verb.is_none() {
                continue;
            }
            let change_type = match verb {
                _ if granted.is_some_and(|actions| *actions == Actions::DELETE) => "Delete",
                Some("Delete") if granted.is_none() => "Delete",
                Some("Rename") if granted.is_none() && token.exists => "Delete",
                _ if token.path.ends_with('/') => "Add/Modify",
                Some("Modify") => "Modify",
                _ if token.exists => "Modify",
                _ => "Add",
            };
            let (mark, about) = match granted {
                Some(_) => ("", self.heading.clone()),
                None => ("? ", format!("{}: {sentence}", self.heading)),
            };
            let path = BStr::new(&token.path);
            let Some(row) = row(self.document, path, change_type, &about) else {
                continue;
            };
            let row = (format!("{mark}{row}"), verb.is_some());
            let at = *self.places.entry(token.path).or_insert(self.rows.len());
            match self.rows.get_mut(at) {
                None => self.rows.push(row),
                Some(known) if row.1 && !known.1 => *known = row,
                Some(_) => {}
            }
        }
        if line.starts_with('#') {
            self.heading = line.trim_matches(['#', ' ']).to_owned();
        }
    }

    /// A code block, if it lists files or draws a tree. What is below an entry of a tree is in it.
    fn block(&mut self, language: &str, lines: &[&str]) {
        if !matches!(language, "" | "text" | "txt") {
            return;
        }
        let is_tree = lines
            .iter()
            .any(|line| line.contains(['├', '└']) || line.contains("|--"));
        let mut open: Vec<(usize, &str)> = Vec::new();
        for (at, line) in lines.iter().enumerate() {
            let (indent, name, remark) = entry(line);
            open.retain(|(above, _)| *above < indent);
            let is_deeper = lines.get(at + 1).is_some_and(|next| entry(next).0 > indent);
            let is_directory = is_deeper && is_tree || name.ends_with('/');
            let bare = name.trim_start_matches("./").trim_end_matches('/');
            let above: String = open.iter().map(|(_, name)| format!("{name}/")).collect();
            let path = format!("{above}{bare}{}", if is_directory { "/" } else { "" });
            let is_named = is_tree || path_token(name, false, self.lookup).is_some();
            if is_named && !(is_deeper && remark.is_empty()) {
                self.line(&format!("`{path}` - {remark}"));
            }
            if is_directory && !matches!(bare, "" | ".") {
                open.push((indent, bare));
            }
        }
    }
}

/// The indentation of a line in a code block, its first word, and the rest.
fn entry(line: &str) -> (usize, &str, &str) {
    let is_drawn = |c: char| c.is_whitespace() || "├└│─┬|+`-".contains(c);
    let entry = line.trim_start_matches(is_drawn);
    let (name, remark) = entry.split_once(char::is_whitespace).unwrap_or((entry, ""));
    (line.chars().count() - entry.chars().count(), name, remark)
}

/// The beginnings of the verbs that give a type; a common ending follows.
const TYPES: [(&str, &str); 4] = [
    ("Add", "creat add new writ implement generat test"),
    ("Modify", "modif updat edit chang extend refactor rewrit"),
    ("Delete", "delet remov"),
    ("Rename", "renam mov"),
];
const ENDINGS: &str = "e es s d ed ing y ies ied";

/// How many tokens before a path can say what happens to it.
const NEAR: usize = 30;

fn type_of(word: &str) -> Option<&'static str> {
    let is_form = |stem: &str| {
        let ending = word.strip_prefix(stem);
        ending
            .is_some_and(|ending| ending.is_empty() || ENDINGS.split(' ').any(|one| one == ending))
    };
    let mut types = TYPES.into_iter();
    let found = types.find(|(_, stems)| stems.split(' ').any(is_form));
    found.map(|(word, _)| word)
}

/// The paths that a line names, each with the type of the last verb before it or, if there is none, of the word behind.
fn paths_of_line(text: &str, lookup: &FileLookup<'_>) -> Vec<(PathToken, Option<&'static str>)> {
    let tokens = tokens(text, lookup);
    let verb = |token: &PlanToken| match token {
        PlanToken::Word(word) => type_of(word),
        _ => None,
    };
    let mut found = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        let PlanToken::Path(path) = token else {
            continue;
        };
        let before = tokens[at.saturating_sub(NEAR)..at].iter().rev();
        let mut before = before.take_while(|token| **token != PlanToken::Stop);
        let mut behind = tokens[at + 1..]
            .iter()
            .skip_while(|token| **token == PlanToken::Mark);
        let change_type = before
            .find_map(verb)
            .or_else(|| behind.next().and_then(verb));
        found.push((path.clone(), change_type));
    }
    found
}
