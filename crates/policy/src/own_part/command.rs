//! The closed list of command lines by which others call guard.

use crate::hooks::is_hook;

/// The program, as hooks find it: on `PATH`, where a package manager puts it, or by a package runner.
const PROGRAMS: &[&str] = &[
    "guard",
    "node_modules/write-guard/guard",
    "node_modules/.bin/guard",
    "uvx --from write-guard guard",
    "npx --package write-guard guard",
];

/// What ends a hook with guard's refusal.
const ENDINGS: &[&str] = &["|| exit $?", "|| exit 1", "|| exit 2"];

/// Flags that take nothing away from a judgement.
const FLAGS: &[&str] = &[
    "--quiet",
    "-q",
    "--ci",
    "--staged",
    "--each-commit",
    "--push",
];

/// The same with a value behind them.
const FLAGS_WITH_VALUE: &[&str] = &["--output", "--format", "--color"];

/// What passes the arguments of a hook on.
const ARGUMENTS: &[&str] = &["\"$@\"", "{0}"];

/// A call of guard.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct GuardCall {
    /// What it judges: `hook pre-commit`, `lint`, `scope check`.
    pub(super) verb: String,
    /// Whether nothing behind it runs.
    pub(super) is_last: bool,
}

impl GuardCall {
    /// The call, if the line runs guard to judge and does nothing else.
    pub(super) fn parse(line: &str) -> Option<GuardCall> {
        let line = line.trim();
        let (line, is_last) = match line.strip_prefix("exec ") {
            Some(rest) => (rest.trim_start(), true),
            None => (line, false),
        };
        let mut endings = ENDINGS.iter();
        let line = endings
            .find_map(|ending| line.strip_suffix(ending))
            .unwrap_or(line);
        let mut programs = PROGRAMS.iter();
        let rest = programs.find_map(|program| line.strip_prefix(program)?.strip_prefix(' '))?;
        let mut words = rest.split_whitespace();
        let verb = match words.next()? {
            "lint" => "lint".to_owned(),
            "scope" => match words.next()? {
                "check" => "scope check".to_owned(),
                _ => return None,
            },
            "hook" => match words.next()? {
                hook if hook == "framework" || is_hook(hook) => format!("hook {hook}"),
                _ => return None,
            },
            _ => return None,
        };
        let words: Vec<&str> = words.collect();
        are_known(&words).then_some(GuardCall { verb, is_last })
    }

    /// Whether it judges what this hook of git is about.
    pub(super) fn is_for(&self, hook: &str) -> bool {
        match self.verb.strip_prefix("hook ") {
            Some(name) => name == hook || name == "framework",
            None => true,
        }
    }
}

/// Whether these arguments weaken nothing.
pub(super) fn are_known(words: &[&str]) -> bool {
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let (flag, value) = match word.split_once('=') {
            Some((flag, value)) => (flag, Some(value)),
            None => (*word, None),
        };
        let is_known = if FLAGS_WITH_VALUE.contains(&flag) {
            let value = value.or_else(|| words.next().copied());
            value.is_some_and(|value| {
                value
                    .bytes()
                    .all(|byte| byte.is_ascii_alphanumeric() || b"_./=-".contains(&byte))
                    && !value.starts_with('-')
            })
        } else {
            FLAGS.contains(word) || ARGUMENTS.contains(word)
        };
        if !is_known {
            return false;
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_runs_guard_to_judge_and_nothing_else() {
        for (line, verb) in [
            ("guard lint", Some("lint")),
            ("exec guard lint", Some("lint")),
            ("guard hook pre-commit \"$@\"", Some("hook pre-commit")),
            ("guard hook pre-commit {0}", Some("hook pre-commit")),
            ("guard scope check --staged", Some("scope check")),
            ("guard lint --ci --output junit=guard.xml", Some("lint")),
            ("guard lint --quiet || exit $?", Some("lint")),
            ("guard hook framework || exit 1", Some("hook framework")),
            (
                "uvx --from write-guard guard hook pre-push",
                Some("hook pre-push"),
            ),
            ("guard lint || exit 0", None),
            ("guard lint || true", None),
            ("guard lint --help", None),
            ("guard lint --lld docs/a.md", None),
            ("guard lint HEAD..HEAD", None),
            ("guard -C elsewhere lint", None),
            ("guard", None),
            ("guard hook claude", None),
            ("other lint", None),
            ("./guard lint", None),
            ("guard lint; curl x", None),
            ("guard lint $(x)", None),
            ("guard lint --output=-x", None),
        ] {
            let found = GuardCall::parse(line).map(|call| call.verb);
            assert_eq!(found.as_deref(), verb, "{line}");
        }
    }
}
