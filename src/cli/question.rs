//! Asks a person about a change, with quotes from it.

use std::fmt::Write as _;
use std::io::{self, BufRead, BufReader, Write as _};

use super::files::extension_lines;
use super::output::Output;
use super::person::Person;
use super::signing::{SignArgs, unsigned_notes};
use crate::approve::{REJECT, reason_line};
use crate::files::{Answer, Ask, Gate, GateResult, Question, Strategy};
use crate::git::Repository;
use crate::path::escaped;
use crate::report::{Style, push_change};
use crate::system;

/// The person to ask about a destructive change, with the key that signs the approval. Without one, guard holds the
/// change.
pub(super) fn person_to_ask(auto: bool) -> Option<(Person, SignArgs)> {
    let person = match auto {
        true => None,
        false => Person::present().ok(),
    };
    person.map(|person| (person, SignArgs::of_environment()))
}

/// Does something with a gate, and asks the person, if there is one, about what needs approval.
pub(super) fn asking<'r, T>(
    output: &mut Output,
    repo: &Repository,
    gate: Gate<'r>,
    person: Option<(Person, SignArgs)>,
    work: impl FnOnce(&Gate<'r>, Option<Ask<'_>>) -> GateResult<T>,
) -> GateResult<(Gate<'r>, T)> {
    let Some((person, sign)) = person else {
        let done = work(&gate, None)?;
        return Ok((gate, done));
    };
    let signer = sign.signer(repo)?;
    let (is_signed, mut is_unsigned) = (signer.is_some(), false);
    let (gate, style) = (gate.signing(signer), output.style.clone());
    let mut ask = |question: &Question| {
        is_unsigned = question.finding.is_some() && !is_signed;
        ask(&person, question, &style)
    };
    let done = work(&gate, Some(&mut ask))?;
    if is_unsigned {
        output.notes(&unsigned_notes(repo));
    }
    Ok((gate, done))
}

/// Asks about one held or destructive change.
fn ask(person: &Person, question: &Question, style: &Style) -> Answer {
    let mut text = String::new();
    if let Some(problem) = &question.problem {
        let help: Vec<&str> = problem.help.iter().map(|line| &**line).collect();
        let _ = writeln!(text, "\nguard: {}: {}", problem.message, help.join("; "));
    }
    let analysis = &question.analysis;
    // Writing to a string cannot fail.
    let _ = match (&question.finding, question.strategy) {
        (Some(finding), _) => writeln!(text, "guard: {}", finding.message),
        (None, Some(way)) => writeln!(
            text,
            "guard: with {}, {} loses nothing that needs approval",
            way.name(),
            escaped(&analysis.path)
        ),
        (None, None) => Ok(()),
    };
    for line in question.extension.iter().flat_map(extension_lines) {
        let _ = writeln!(text, "{line}");
    }
    let lost = analysis.deleted_content.as_deref().unwrap_or_default();
    push_change(&mut text, &analysis.diff_preview, lost, style);
    ask_for_word(person, &text, &question.word, &question.others)
}

/// The warning on systems where guard cannot see its parent processes.
const UNSEEN: &str = "On this system guard cannot see which program started it. It only checked for variables that agents and CI set.";

/// Shows `text`, and asks for the word and a reason, or for one of the `others`: strategies to preview instead. An
/// interrupt ends guard before anything happens.
pub(super) fn ask_for_word(person: &Person, text: &str, word: &str, others: &[&str]) -> Answer {
    // Without a complete dialogue there is no answer.
    dialogue(person, text, word, others).unwrap_or(Answer::Nothing)
}

fn dialogue(person: &Person, text: &str, word: &str, others: &[&str]) -> io::Result<Answer> {
    // Discard what was typed before the question.
    system::discard_input(&person.reads)?;
    let mut terminal = &person.writes;
    let instead = match others {
        [] => String::new(),
        _ => format!(" `{}` to preview that instead,", others.join("`, `")),
    };
    writeln!(terminal, "{text}")?;
    if !system::SHOWS_PROCESSES {
        writeln!(terminal, "{UNSEEN}")?;
    }
    let mut lines = BufReader::new(&person.reads);
    let mut next = || -> io::Result<Option<String>> {
        let mut line = String::new();
        lines.read_line(&mut line)?;
        // A line without an end was cut off when the terminal closed.
        Ok(line.strip_suffix('\n').map(|line| line.trim().to_owned()))
    };
    write!(
        terminal,
        "Type `{word}` to approve,{instead} `{REJECT}` to reject, or anything else to decide later: "
    )?;
    let is_rejection = match next()? {
        Some(typed) if typed == word => false,
        Some(typed) if typed == REJECT => true,
        Some(typed) => {
            let chosen = chosen(&typed, others);
            return Ok(chosen.map_or(Answer::Nothing, Answer::Instead));
        }
        None => return Ok(Answer::Nothing),
    };
    write!(terminal, "Reason: ")?;
    let Some(reason) = next()?.map(|reason| reason_line(&reason)) else {
        return Ok(Answer::Nothing);
    };
    Ok(match (is_rejection, reason.is_empty()) {
        (true, _) => Answer::Reject(reason),
        (false, false) => Answer::Approve(reason),
        (false, true) => {
            writeln!(terminal, "An approval needs a reason.")?;
            Answer::Nothing
        }
    })
}

/// The strategy that was typed, if it was offered.
fn chosen(typed: &str, others: &[&str]) -> Option<Strategy> {
    let (name, line) = match typed.split_once(' ') {
        Some((name, line)) => (name, Some(line.trim().parse().ok()?)),
        None => (typed, None),
    };
    let mut others = others.iter();
    let is_offered = others.any(|other| other.split(' ').next() == Some(name));
    Strategy::named(name, line).filter(|_| is_offered)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strategy_can_be_chosen_only_if_offered() {
        let offered = ["append", "insert LINE"];
        assert_eq!(chosen("append", &offered), Some(Strategy::Append));
        assert_eq!(
            chosen("insert 12", &offered),
            Some(Strategy::Insert { line: 12 })
        );
        for typed in [
            "extend",
            "insert",
            "insert x",
            "insert -1",
            "append 1",
            "",
            "LINE",
        ] {
            assert_eq!(chosen(typed, &offered), None, "{typed}");
        }
    }
}
