//! Runs guard in a real terminal, driven by `terminal.py`: a pseudo-terminal of Unix, or a console of Windows.

use std::ffi::OsStr;
use std::path::Path;
use std::process::Command;

use super::{GUARD, Repo, run, skip, system};

/// How a session ends after the last answer.
#[derive(Debug, Clone, Copy)]
pub enum End {
    Wait,
    Interrupt,
    Close,
}

/// What a session left behind.
#[derive(Debug)]
pub struct Session {
    /// The exit code; negative for a signal.
    pub code: i32,
    /// Everything that the terminal showed, its echo included.
    pub shown: String,
}

impl Session {
    #[track_caller]
    pub fn exits(self, code: i32) -> Session {
        assert_eq!(self.code, code, "{}", self.shown);
        self
    }

    #[track_caller]
    pub fn says(self, part: &str) -> Session {
        super::assert_says(&self.shown, &[part]);
        self
    }
}

/// A command that drives guard, or `None` (a counted skip) without Python.
pub fn driver(repo: &Repo) -> Option<Command> {
    let Some(python) = system::python() else {
        skip("there is no Python to play a terminal");
        return None;
    };
    let script = Path::new(super::SOURCE).join("tests/common/terminal.py");
    let mut command = repo.command(python);
    // Python would write its cache beside the sources.
    command.arg("-B").arg(script);
    Some(command)
}

/// Runs guard in a terminal and answers each question.
#[track_caller]
pub fn guard_at_terminal(
    driver: Command,
    arguments: &[&str],
    answers: &[(&str, &str)],
    end: End,
) -> Session {
    at_terminal(driver, &[&[GUARD], arguments].concat(), answers, end)
}

/// Runs a program, the first of `words`, in a terminal.
#[track_caller]
pub fn at_terminal(
    mut driver: Command,
    words: &[impl AsRef<OsStr>],
    answers: &[(&str, &str)],
    end: End,
) -> Session {
    driver.arg(match end {
        End::Wait => "wait",
        End::Interrupt => "interrupt",
        End::Close => "close",
    });
    for (question, answer) in answers {
        driver.args([question, answer]);
    }
    let output = run(driver.arg("--").args(words)).exits(0);
    let (code, shown) = output.stdout.split_once('\n').unwrap();
    Session {
        code: code.parse().unwrap(),
        shown: shown.replace("\r\n", "\n"),
    }
}

/// Approves at a terminal: types a word of the change and a reason.
#[track_caller]
pub fn decide(driver: Command, arguments: &[&str], word: &str, reason: &str) -> Session {
    let (word, reason) = (format!("{word}\n"), format!("{reason}\n"));
    let answers = [("Type `", word.as_str()), ("Reason: ", reason.as_str())];
    guard_at_terminal(driver, arguments, &answers, End::Wait)
}
