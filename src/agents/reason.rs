//! What a model reads about a denial and about the scope: what is wrong, what to do next, and what will not help.

use std::fmt::Write;

use super::payload::AgentEvent;
use super::protocol::EventKind;
use crate::attempts::refused_before;
use crate::files::{Failure, FailureKind};
use crate::judge::{self, Options};
use crate::observe::Told;
use crate::report::prompt_text;
use write_guard_policy::finding::Help;
use write_guard_policy::path::escaped;
use write_guard_repo::Repository;

/// What a branch without a design of its own means for the agent.
const NO_DESIGN: &str = "End it with a section Files Changed, a table File | Change Type | Description with a row for \
    each file (| `src/a.py` | Modify | why |), and commit it before you change other files. Or ask the user for a \
    design of this branch: `guard scope new` writes one, `guard use FILE` chooses one. Without a design, guard refuses \
    changes of files that are not listed here.";
const HELD: &str =
    "If it is approved, guard writes it: read the file again instead of repeating the call.";
const NEEDS_ROW: &str = " Ask the user before you add the row. Until it is committed, guard refuses another try or \
    another tool, too.";
const NO_WAY_AROUND: &str = " guard refuses another try or another tool for this change, too.";
/// About how many bytes a model reads with attention.
const LENGTH: usize = 600;

/// What an agent may do on a branch without a design of its own: it may write the plan itself.
fn no_design(repo: &Repository) -> String {
    let settings = judge::settings_of_head(repo).unwrap_or_default();
    let places: Vec<String> = settings
        .lld_path
        .iter()
        .map(|place| format!("`{place}`"))
        .collect();
    let place = match places.as_slice() {
        [] => "the place that `[lld] path` of guard.toml names".to_owned(),
        places => places.join(" or "),
    };
    format!("On a branch named after this work, write the plan to {place}. {NO_DESIGN}")
}

/// What a model reads about a failure, after a verdict: what is wrong, what to do next as far as it fits into `most` bytes,
/// and what will not help. `undone` is what did not happen: `read`, `written` or `changed`.
pub(crate) fn explained(verdict: &str, failure: &Failure, undone: &str, most: usize) -> String {
    let mut text = format!("{verdict}: {}", failure.message);
    if let Some(finding) = &failure.finding {
        let _ = write!(text, " [{}]", finding.rule.id());
        if let Some(closest) = &finding.closest {
            let _ = write!(text, "\nClosest path in the design: {}", escaped(closest));
            if let Some(at) = &finding.design {
                let _ = write!(text, " ({}:{})", escaped(&at.path), at.line);
            }
        }
    }
    let wants_row = failure.help.iter().any(Help::is_row);
    let nothing = format!("Nothing was {undone}.");
    let end = match failure.kind {
        FailureKind::Held => HELD.to_owned(),
        FailureKind::Refused if undone == "read" => nothing,
        FailureKind::Refused if wants_row => nothing + NEEDS_ROW,
        FailureKind::Refused => nothing + NO_WAY_AROUND,
        _ => nothing,
    };
    for help in &failure.help {
        if text.len() + help.len() + end.len() > most {
            break;
        }
        let _ = write!(text, "\n{}", help.trim_end());
    }
    format!("{text}\n{end}")
}

/// The reason for a denial of a tool.
pub(super) fn of(tool: &str, undone: &str, failure: &Failure) -> String {
    let tool = escaped(tool);
    let verdict = match (failure.kind, failure.kind.exit_code()) {
        (FailureKind::Held, _) => format!("guard: {tool} waits for approval"),
        (_, 1) => format!("guard refused {tool}"),
        _ => format!("guard could not check {tool}"),
    };
    explained(&verdict, failure, undone, LENGTH)
}

/// The scope for a new context; nothing where none applies.
pub(super) fn scope_to_tell(
    event: &AgentEvent,
    repo: &Repository,
    options: &Options,
) -> Option<Told> {
    if event.kind != EventKind::NewContext {
        return None;
    }
    let text = match judge::prompt(repo, options) {
        Ok(None) => return None,
        Ok(Some(section)) if section.has_own_design() => prompt_text(&section),
        Ok(Some(section)) => format!("{}\n{}\n", prompt_text(&section), no_design(repo)),
        Err(error) => format!(
            "guard allows no change here: {}. {}\n",
            error.message,
            no_design(repo)
        ),
    };
    let text = text + &refused_before(repo, options);
    Some(Told {
        text,
        is_neutral: true,
        ..Told::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_much_help_is_told_as_fits_into_the_limit() {
        let failure = Failure {
            help: vec!["one\n".into(), "two".into()],
            ..Failure::new(FailureKind::Refused, "m")
        };
        let whole = "v: m\none\ntwo\nNothing was read.";
        let first = "v: m\none\nNothing was read.";
        let none = "v: m\nNothing was read.";
        // Without the line ends between the parts.
        let all = whole.len() - 2;
        let of_first = "v: mone\nNothing was read.".len();
        for (most, expected) in [
            (1_000, whole),
            (all, whole),
            (all - 1, first),
            (of_first, first),
            (of_first - 1, none),
            (0, none),
        ] {
            assert_eq!(explained("v", &failure, "read", most), expected, "{most}");
        }
    }
}
