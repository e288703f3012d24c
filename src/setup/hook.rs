//! Recognises a hook file of git, and decides what installing, removing and checking it means. Pure: bytes in, answers
//! out.

use std::path::PathBuf;

use gix::bstr::ByteSlice;

use super::manager::{Managed, call, call_lines};
use super::{Part, Plan, Status};
use write_guard_policy::hooks::Hook;
use write_guard_policy::path::shell_word;

/// The hook that guard installs only on request, because git runs it at every ref update.
pub const OPT_IN: &str = "reference-transaction";

/// The beginning of the second line of every guard script; a version follows.
const MARKER: &[u8] = b"# guard hook, version ";

/// What exists at the path of a hook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HookState {
    /// Nothing.
    Missing,
    /// guard's own script.
    Ours,
    /// guard's own script, edited or written by another version.
    Changed,
    /// Something else that already calls guard; a hook manager does by its settings.
    CallsGuard,
    /// A file, or a hook manager, that does not call guard, or a file that guard cannot read; with the reason.
    Foreign(String),
}

/// Classifies the content of a hook file; what a manager runs is not known yet.
pub(super) fn classify(hook: &Hook, content: &[u8]) -> HookState {
    let second_line = content.lines().nth(1);
    if content == hook.script.as_bytes() {
        HookState::Ours
    } else if second_line.is_some_and(|line| line.starts_with(MARKER)) {
        HookState::Changed
    } else if call(hook.name, content).is_some() {
        HookState::CallsGuard
    } else {
        HookState::Foreign("does not call guard".to_owned())
    }
}

/// What a file in this state means, and whether git calls guard by it. `executable`: whether git would run it.
pub(super) fn assess(
    hook: &Hook,
    state: &HookState,
    managed: Option<&Managed>,
    executable: bool,
    path: PathBuf,
) -> (Part, Status) {
    let file = &shell_word(path.as_os_str().as_encoded_bytes());
    let mut part = Part {
        name: hook.name,
        path: path.clone(),
        ..Part::default()
    };
    // Without pre-commit, guard judges no ordinary commit. The other hooks close gaps.
    let mut status = match hook.name {
        "pre-commit" => Status::Fail,
        _ => Status::Warn,
    };
    match state {
        HookState::Missing => {
            part.message = format!("is missing, so {}", hook.gap);
            part.install = Plan::Write(hook.script.into(), "installed");
            return (part, status);
        }
        HookState::Ours => {
            status = Status::Ok;
            part.message = "is installed".to_owned();
            part.uninstall = Plan::Remove;
        }
        HookState::Changed => {
            status = Status::Fail;
            part.message = "was edited, or written by another version of guard".to_owned();
            let how = format!("remove guard's lines, or the whole file: {file}");
            part.install = Plan::ByHand(vec![how.clone(), "then: guard install git".to_owned()]);
            part.uninstall = Plan::ByHand(vec![how]);
        }
        HookState::CallsGuard => {
            status = Status::Ok;
            let by = managed.map(|by| format!(" through {} ({})", by.tool.name(), by.file));
            part.message = format!("calls guard{}", by.unwrap_or_default());
        }
        HookState::Foreign(why) => {
            part.message.clone_from(why);
            let how = "let it call guard first, in a shell script by its second line:";
            part.install =
                Plan::ByHand(managed.map_or_else(|| call_lines(how, hook.name), Managed::advice));
        }
    }
    let is_theirs = managed.is_some() && matches!(state, HookState::Foreign(_));
    if !executable && *state != HookState::Changed && !is_theirs {
        status = Status::Fail;
        part.message = "is not executable, so git ignores it".to_owned();
        // guard does not enable a hook that its owner disabled.
        part.install = match state {
            HookState::Ours => Plan::Write(hook.script.into(), "made executable again"),
            _ => Plan::ByHand(vec![
                format!("make it executable: chmod +x {file}"),
                format!("or remove it: rm {file}"),
                "then: guard install git".to_owned(),
            ]),
        };
    }
    (part, status)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use write_guard_policy::hooks::HOOKS;

    const PRE: Hook = HOOKS[0];

    #[test]
    fn every_script_has_the_marker_and_calls_its_hook() {
        for hook in HOOKS {
            let lines: Vec<&str> = hook.script.lines().collect();
            assert_eq!(lines[0], "#!/bin/sh");
            assert!(lines[1].as_bytes().starts_with(MARKER), "{}", hook.name);
            let call = format!("exec guard hook {} \"$@\"", hook.name);
            assert_eq!(lines.last(), Some(&call.as_str()));
            assert_eq!(classify(&hook, hook.script.as_bytes()), HookState::Ours);
        }
    }

    #[test]
    fn scripts_are_recognised_by_content() {
        let foreign = HookState::Foreign("does not call guard".to_owned());
        let calls = HookState::CallsGuard;
        for (content, state) in [
            ("", foreign.clone()),
            ("\x7fELF\0\0", foreign.clone()),
            ("#!/usr/bin/env python3\n", foreign.clone()),
            ("#!/bin/sh\nmake\n", foreign.clone()),
            ("#!/bin/sh\n# guard hook pre-commit\n", foreign.clone()),
            ("#!/bin/sh\nguard hook pre-commit-x\n", foreign.clone()),
            ("#!/bin/sh\nsafeguard hook pre-commit\n", foreign.clone()),
            ("#!/bin/sh\nguard lint\n", foreign),
            (
                "#!/bin/sh\n'/opt/a/guard' hook pre-commit \"$@\"\n",
                calls.clone(),
            ),
            (
                "#!/bin/sh\nguard --quiet hook pre-commit || exit 1\n",
                calls,
            ),
            (
                "#!/bin/sh\n# guard hook, version 0: x\nexit 0\n",
                HookState::Changed,
            ),
        ] {
            assert_eq!(classify(&PRE, content.as_bytes()), state, "{content:?}");
        }
    }

    #[test]
    fn files_of_others_are_never_written_or_removed() {
        for state in [
            HookState::Changed,
            HookState::CallsGuard,
            HookState::Foreign("x".to_owned()),
        ] {
            let stays = |plan: &Plan| matches!(plan, Plan::Keep | Plan::ByHand(_));
            for executable in [true, false] {
                let (part, _) = assess(&PRE, &state, None, executable, "x".into());
                assert!(stays(&part.uninstall) && stays(&part.install), "{state:?}");
            }
        }
    }
}
