//! The command line: one file per verb, or per few that belong together, and what all verbs share.

// Options have variables, and users name files.
#![allow(clippy::disallowed_methods)]

mod agent_hook;
mod approve;
mod audit;
mod bounded;
mod check;
mod exec;
mod explain;
mod files;
mod generate;
mod hook;
mod init;
mod install;
mod lint;
mod mcp;
mod options;
mod output;
mod question;
mod report_file;
mod review;
mod scope;
mod snapshot;
mod trial;
mod usage;
mod use_design;

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

use write_guard_policy::error::{Error, Result};

use output::{CANNOT_JUDGE, Output, on_panic};

/// Refuse changes that touch more than their design document names, leave the workspace, or silently destroy a file.
#[derive(Debug, Parser)]
#[command(
    name = "guard",
    bin_name = "guard",
    version,
    max_term_width = 100,
    after_help = EXIT_CODES,
    disable_help_subcommand = true
)]
struct Cli {
    /// Run as if guard had been started in DIR.
    #[arg(short = 'C', value_name = "DIR", global = true, help_heading = options::GLOBAL)]
    directory: Option<PathBuf>,
    #[command(flatten)]
    output: output::OutputArgs,
    #[command(subcommand)]
    verb: Verb,
}

const EXIT_CODES: &str = "\
Exit codes:
  0  accepted: no finding at level error
  1  refused: at least one finding at level error
  2  could not check: usage, settings, design or repository

Environment:
  GUARD_LLD                  designs to use, separated as in PATH
  COLUMNS                    width of the output if stdout is not a terminal (80)
  NO_COLOR, CLICOLOR_FORCE   turn colours off or on

Examples:
  guard init                 write guard.toml from what the repository contains
  guard lint                 check the staged changes
  guard lint main..HEAD      check a branch
  guard check src/state.py   check whether a path may be written

`guard COMMAND --help` has more examples.";

// The order is that of the help. The options of a verb are defined only when it is called, because defining those of all
// verbs took longer than parsing.
#[derive(Debug, Subcommand)]
#[command(defer = true)]
enum Verb {
    /// Write the first guard.toml from what the repository contains.
    Init(init::InitArgs),
    /// Install the hooks that call guard.
    Install(install::Install),
    /// Check the set-up, including a trial commit.
    #[command(after_help = install::DOCTOR_EXAMPLES)]
    Doctor,
    /// Check the staged changes, a branch or a commit.
    Lint(lint::LintArgs),
    /// Show the design, its open rows, and what a commit now would say.
    #[command(after_help = lint::STATUS_EXAMPLES)]
    Status,
    /// List, check and extend what the designs allow.
    Scope {
        #[command(subcommand)]
        verb: scope::ScopeArgs,
    },
    /// Choose the design for this branch.
    Use(use_design::UseArgs),
    /// List, approve and reject the changes that wait for a person.
    Approve(approve::ApproveArgs),
    /// Write the review page of a branch, and print its address.
    Review(review::ReviewArgs),
    /// Check the last changes of the target branch as if guard had been there.
    Trial(trial::TrialArgs),
    /// Explain a rule, with an example and the fix.
    Explain(explain::ExplainArgs),
    /// Check whether paths may be written.
    Check(check::CheckArgs),
    /// Read a file inside the workspace.
    Read(files::ReadArgs),
    /// Write a file; guard checks, backs up and logs the change.
    Write(files::WriteArgs),
    /// Replace exact text in a file.
    Patch(files::PatchArgs),
    /// Delete a file.
    #[command(after_help = "Examples:\n  guard delete src/old.py")]
    Delete(files::OperationTarget),
    /// Move or rename a file.
    Move(files::MoveArgs),
    /// List, show and restore snapshots of earlier content.
    Snapshot {
        #[command(subcommand)]
        verb: snapshot::SnapshotArgs,
    },
    /// Run a program under the scope, and take back what it may not change.
    Exec(exec::ExecArgs),
    /// Run guard as a hook of git, of a hook framework or of a coding agent.
    Hook {
        #[command(subcommand)]
        verb: hook::HookArgs,
    },
    /// Serve the file operations to a program, by the Model Context Protocol.
    #[command(after_help = mcp::EXAMPLES)]
    Mcp(options::DesignArgs),
    /// Print completions, manual pages, or the schema or reference of guard.toml.
    Generate {
        #[command(subcommand)]
        verb: generate::GenerateArgs,
    },
    /// Remove what `guard install` wrote.
    Uninstall(install::Targets),
    /// List the settings in force and where each comes from.
    #[command(after_help = explain::SETTINGS_EXAMPLES)]
    Settings(options::DesignArgs),
    /// Show and verify the log of requests and decisions.
    Audit {
        #[command(subcommand)]
        verb: audit::AuditArgs,
    },
    /// Describe the commands that people need first, all commands, or one of them.
    Help(usage::HelpArgs),
}

/// The command line. Only the verbs among these words have the options of reports, all without any words.
fn command(words: &[OsString]) -> clap::Command {
    Cli::command().mut_subcommands(|verb| {
        let is_named = words.iter().any(|word| word == verb.get_name());
        if is_named || words.is_empty() {
            options::with_formats(verb)
        } else {
            verb
        }
    })
}

/// Runs a command line, the program's name first.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    on_panic(", nothing was checked", || {
        std::process::exit(i32::from(CANNOT_JUDGE))
    });
    write_guard_repo::system::survive_size_limit();
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    let parsed = usage::in_short(command(&arguments))
        .try_get_matches_from(&arguments)
        .and_then(|matches| Ok((Cli::from_arg_matches(&matches)?, options::reports(&matches))));
    let (cli, reports) = match parsed {
        Ok(parsed) => parsed,
        Err(error) => {
            let code = usage::print(&error);
            let is_exec_failure = code != 0 && exec::is_called_by(&arguments);
            return ExitCode::from(if is_exec_failure { exec::FAILED } else { code });
        }
    };
    let mut output = Output::new(&cli.output, reports);
    match cli.run(&mut output) {
        Ok(code) => output.finish(code),
        Err(error) if matches!(cli.verb, Verb::Exec(_)) => {
            output.error_beside_program(&error);
            output.finish(exec::FAILED)
        }
        Err(error) => {
            output.error(&error);
            output.finish(CANNOT_JUDGE)
        }
    }
}

impl Cli {
    fn run(&self, output: &mut Output) -> Result<u8> {
        if let Some(directory) = &self.directory {
            std::env::set_current_dir(directory).map_err(|error| {
                Error::new(format!(
                    "-C {}: {error}",
                    write_guard_repo::show_file(directory)
                ))
            })?;
        }
        match &self.verb {
            Verb::Lint(args) => args.run(output),
            Verb::Status => lint::status(output),
            Verb::Review(args) => args.run(output),
            Verb::Trial(args) => args.run(output),
            Verb::Check(args) => args.run(output),
            Verb::Scope { verb } => verb.run(output),
            Verb::Use(args) => args.run(output),
            Verb::Read(args) => files::told(output, |output| args.run(output)),
            Verb::Write(args) => files::told(output, |output| args.run(output)),
            Verb::Patch(args) => files::told(output, |output| args.run(output)),
            Verb::Delete(target) => files::told(output, |output| target.delete(output)),
            Verb::Move(args) => files::told(output, |output| args.run(output)),
            Verb::Approve(args) => files::told(output, |output| args.run(output)),
            Verb::Snapshot { verb } => files::told(output, |output| verb.run(output)),
            Verb::Exec(args) => args.run(output),
            Verb::Audit { verb } => verb.run(output),
            Verb::Explain(args) => args.run(output),
            Verb::Settings(design) => explain::settings(output, design),
            Verb::Generate { verb } => verb.run(output, command(&[])),
            Verb::Init(args) => args.run(output),
            Verb::Install(args) => args.targets.carry_out(Some(&args.with), output),
            Verb::Uninstall(targets) => targets.carry_out(None, output),
            Verb::Doctor => install::doctor(output),
            Verb::Mcp(design) => mcp::run(design),
            Verb::Hook { verb } => verb.run(output),
            Verb::Help(args) => Ok(args.run(command(&[]))),
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::Command;

    /// The command line with the options of all verbs.
    fn whole_command() -> Command {
        let mut command = super::command(&[]);
        command.build();
        command
    }

    /// Calls `look` with every verb and the words that call it.
    fn for_each_verb(command: &Command, words: &[&str], look: &mut impl FnMut(&Command, &[&str])) {
        look(command, words);
        for verb in command.get_subcommands() {
            for_each_verb(verb, &[words, &[verb.get_name()]].concat(), look);
        }
    }

    /// The words of an example up to its description, as a shell splits them; `None` where a shell would do more.
    fn words(example: &str) -> Option<Vec<String>> {
        let mut words = Vec::new();
        let mut rest = example.split("   ").next()?.trim();
        while !rest.is_empty() {
            let (word, tail) = match rest.strip_prefix('\'') {
                Some(quoted) => quoted.split_once('\'')?,
                None => rest.split_once(' ').unwrap_or((rest, "")),
            };
            match word {
                "<" | ">" | ">>" | "|" => break,
                _ if word.starts_with('$') => return None,
                _ => words.push(word.to_owned()),
            }
            rest = tail.trim_start();
        }
        Some(words)
    }

    #[test]
    fn every_verb_has_examples_and_guard_understands_each() {
        let mut tried = 0;
        let all = whole_command();
        for_each_verb(&all, &["guard"], &mut |verb, called| {
            let help = verb.get_after_help().map(ToString::to_string);
            let help = help.unwrap_or_default();
            let about = verb
                .get_about()
                .map(ToString::to_string)
                .unwrap_or_default();
            assert!(
                !about.is_empty() && !about.contains(['?', '\n']),
                "{called:?}: {about}"
            );
            assert!(!verb.is_hide_set(), "{called:?} is in no list");
            let (_, examples) = help
                .split_once("Examples:\n")
                .unwrap_or_else(|| panic!("{} has no examples", called.join(" ")));
            for example in examples.lines().take_while(|line| !line.is_empty()) {
                let Some(line) = example.strip_prefix("  guard ").and_then(words) else {
                    continue;
                };
                tried += 1;
                let line = ["guard".to_owned()].into_iter().chain(line);
                if let Err(error) = super::command(&[]).try_get_matches_from(line) {
                    panic!("{example}: {error}");
                }
            }
        });
        assert!(tried > 40, "{tried}");
    }

    #[test]
    fn help_is_wrapped_once() {
        let all = whole_command();
        for_each_verb(&all, &["guard"], &mut |verb, called| {
            let help = verb.get_after_help().map(ToString::to_string);
            let help = help.unwrap_or_default();
            // clap wraps paragraphs to the terminal's width, so each must be one line here. It would break examples.
            for paragraph in help.split("\n\n").filter(|text| !text.contains(":\n")) {
                assert_eq!(paragraph.lines().count(), 1, "{called:?}: {paragraph}");
            }
            let mut indented = help.lines().filter(|line| line.starts_with(' '));
            assert_eq!(
                indented.find(|line| line.chars().count() > 90),
                None,
                "{called:?}"
            );
        });
    }

    #[test]
    fn verb_lists_exactly_its_formats() {
        let all = whole_command();
        for_each_verb(&all, &[], &mut |verb, called| {
            let Some((first, _)) = called.split_first() else {
                return;
            };
            let option = |name: &str| verb.get_arguments().find(|arg| arg.get_id() == name);
            let formats: Vec<String> = option("format")
                .map(|arg| arg.get_possible_values())
                .unwrap_or_default()
                .iter()
                .map(|value| value.get_name().to_owned())
                .collect();
            let printed = crate::report::Format::ALL
                .iter()
                .filter(|format| !format.is_for_files());
            let all: Vec<&str> = printed.map(|format| format.name()).collect();
            let expected: &[&str] = match *first {
                "lint" | "hook" => &all,
                "generate" | "mcp" | "help" => &[],
                _ => &["human", "json"],
            };
            assert_eq!(formats, expected, "{called:?}");
            let writes = matches!(*first, "lint" | "check" | "scope" | "trial");
            assert_eq!(option("output").is_some(), writes, "{called:?}");
        });
    }
}
