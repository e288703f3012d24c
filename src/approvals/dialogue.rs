//! The question at a terminal: shows a change, and reads the word that approves it.

use std::io::{self, BufRead, BufReader, Write};

use super::decision::Answer;
use super::person::Person;
use crate::files::Strategy;
use write_guard_policy::approve::{REJECT, reason_line};
use write_guard_repo::system;

/// Shows a question, and returns the line that the person types; `None` if the terminal closes.
pub(crate) fn answer(person: &Person, question: &str) -> Option<String> {
    // What was typed before the question is no answer to it.
    system::discard_input(&person.reads).ok()?;
    write!(&person.writes, "{question}").ok()?;
    let mut typed = String::new();
    BufReader::new(&person.reads).read_line(&mut typed).ok()?;
    let line = typed.strip_suffix('\n')?;
    Some(line.trim().to_owned())
}

/// Shows `text`, and asks for the word and a reason, or for one of the `others`: strategies to preview instead. An
/// interrupt ends guard before anything happens.
pub(crate) fn ask_for_word(person: &Person, text: &str, word: &str, others: &[&str]) -> Answer {
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
    let (name, line) = typed.split_once(' ').unwrap_or((typed, ""));
    let mut others = others.iter();
    let is_offered = others.any(|other| other.split(' ').next() == Some(name));
    Strategy::named(name, line.trim().parse().ok()).filter(|_| is_offered)
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
