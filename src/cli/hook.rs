//! `guard hook`: the entry points for git's hooks, local and on a server, and for the pre-commit framework.

use std::ffi::OsString;
use std::fs;
use std::path::PathBuf;

use clap::Subcommand;
use gix::bstr::{BString, ByteSlice, ByteVec};

use super::options::{DesignArgs, repository};
use super::{agent_hook, bounded, lint, output::Output};
use crate::agents::Agent;
use crate::approvals::{self, with_unexpired};
use crate::ci;
use crate::files::Failure;
use crate::judge::{self, AmendedApprovals, Options};
use write_guard_policy::approve::{Approval, TRAILER};
use write_guard_policy::error::{Error, Result};
use write_guard_policy::finding::Help;
use write_guard_policy::path::escaped;
use write_guard_policy::trailer;
use write_guard_repo::{PushSide, Repository, Update, show_file, with_trailers};

#[derive(Debug, Subcommand)]
#[command(after_help = "\
Examples:
  guard install git        install the scripts that call these hooks
  guard hook pre-commit    do what such a script does
  guard hook claude < payload.json")]
pub(super) enum HookArgs {
    /// Judge the staged changes before a commit.
    #[command(after_help = "Examples:\n  guard hook pre-commit")]
    PreCommit(DesignArgs),
    /// Judge what `git am` has applied before it creates the commit.
    #[command(after_help = "Examples:\n  guard hook pre-applypatch")]
    PreApplypatch(DesignArgs),
    /// Judge a merge's own changes before git creates the commit.
    #[command(after_help = "Examples:\n  guard hook pre-merge-commit")]
    PreMergeCommit(DesignArgs),
    /// Judge commits for which git skips pre-commit, and add the trailers to the message.
    #[command(after_help = ABOUT_PREPARE)]
    PrepareCommitMsg {
        #[command(flatten)]
        message: MessageArgs,
        /// The source of the message: message, template, merge, squash or commit.
        #[arg(env = "PRE_COMMIT_COMMIT_MSG_SOURCE")]
        source: Option<OsString>,
        /// The commit whose message git reuses.
        commit: Option<OsString>,
    },
    /// Add the trailers to a message that was written in an editor.
    #[command(after_help = "Examples:\n  guard hook commit-msg .git/COMMIT_EDITMSG")]
    CommitMsg(MessageArgs),
    /// Remove the approvals that the new commit has used.
    #[command(after_help = "Examples:\n  guard hook post-commit")]
    PostCommit,
    /// Judge what is about to be pushed; reads the refs from standard input.
    #[command(after_help = "Examples:\n  guard hook pre-push origin < refs")]
    PrePush {
        /// The name of the remote, as passed by git.
        #[arg(default_value = "origin")]
        remote: String,
        /// The URL of the remote, as passed by git.
        url: Option<OsString>,
    },
    /// Check what the pre-commit framework asks for: the staged changes or the commits of a push.
    #[command(after_help = "Examples:\n  guard hook framework")]
    Framework(DesignArgs),
    /// Judge one ref of a push, on a server.
    #[command(after_help = "Examples:\n  guard hook update refs/heads/main 4b45435 9f3c1a2")]
    Update {
        /// The full name of the ref.
        reference: OsString,
        /// The current commit of the ref; zeros for a new ref.
        old: String,
        /// The new commit of the ref; zeros for a deleted ref.
        new: String,
    },
    /// Judge all refs of a push, on a server; reads the lines OLD NEW REF from standard input.
    #[command(after_help = "Examples:\n  guard hook pre-receive < refs")]
    PreReceive,
    /// Judge new commits of branches, however they were made; reads the lines OLD NEW REF from standard input.
    #[command(after_help = "Examples:\n  guard hook reference-transaction prepared < refs")]
    ReferenceTransaction {
        /// The state of the transaction; guard judges only `prepared`.
        #[arg(value_parser = ["preparing", PREPARED, "committed", "aborted"])]
        state: String,
    },
    /// Judge a tool call of Claude Code before it runs; reads the event PreToolUse from standard input.
    #[command(after_help = about_agent("claude"))]
    Claude(DesignArgs),
    /// Judge a tool call of OpenAI Codex CLI before it runs; reads the event PreToolUse from standard input.
    #[command(after_help = about_agent("codex"))]
    Codex(DesignArgs),
    /// Judge a tool call of GitHub Copilot before it runs; reads the event preToolUse from standard input.
    #[command(after_help = about_agent("copilot"))]
    Copilot(DesignArgs),
    /// Judge a tool call of Cursor before it runs; reads the event preToolUse from standard input.
    #[command(after_help = about_agent("cursor"))]
    Cursor(DesignArgs),
    /// Judge a tool call of Gemini CLI before it runs; reads the event BeforeTool from standard input.
    #[command(after_help = about_agent("gemini"))]
    Gemini(DesignArgs),
    /// Judge a tool call of OpenCode before it runs; reads its plugin's message from standard input.
    #[command(after_help = about_agent("opencode"))]
    Opencode(DesignArgs),
    /// Judge a tool call of VS Code before it runs; reads the event PreToolUse from standard input.
    #[command(after_help = about_agent("vscode"))]
    Vscode(DesignArgs),
}

const ABOUT_PREPARE: &str = "\
Examples:
  guard hook prepare-commit-msg .git/COMMIT_EDITMSG message

git also calls this hook for `commit --no-verify`, cherry-pick, revert and a stopped rebase. In an \
amended commit, guard checks only what the amendment adds. The trailers name the design of the \
change and the approvals that it used.";

fn about_agent(agent: &str) -> String {
    format!(
        "\
Examples:
  guard hook {agent} < payload.json

The agent calls this command; docs/agents.md links the settings. guard rebuilds the file as the \
tool would leave it and answers in the agent's own form. It never writes the file. If guard \
cannot check a call, it denies it."
    )
}

/// The size limit of a message.
const MAX_MESSAGE: u64 = 64 << 20;

#[derive(Debug, clap::Args)]
pub(super) struct MessageArgs {
    /// The file with the message.
    file: PathBuf,
    #[command(flatten)]
    design: DesignArgs,
}

/// The state in which a hook may still refuse the updates.
const PREPARED: &str = "prepared";

impl HookArgs {
    pub(super) fn run(&self, output: &mut Output) -> Result<u8> {
        match self {
            HookArgs::PreCommit(args) | HookArgs::PreApplypatch(args) => {
                staged(output, &repository()?, &options(output, args, false))
            }
            HookArgs::PreMergeCommit(args) => {
                let report = lint::staged_report(&repository()?, &options(output, args, true))?;
                lint::print(output, &report)
            }
            HookArgs::PrepareCommitMsg {
                message, source, ..
            } => {
                // A template is not a message yet; commit-msg sees the final one.
                let is_template = source.as_deref() == Some("template".as_ref());
                message.run(output, !is_template, false)
            }
            HookArgs::CommitMsg(message) => message.run(output, true, true),
            HookArgs::PostCommit => {
                // The commit exists already, so this judges nothing.
                let repo = repository()?;
                approvals::consume(&repo, &judge::landed(&repo)?).map_err(Failure::into_error)?;
                Ok(0)
            }
            HookArgs::Framework(args) => {
                framework(output, &options(output, args, !called_by_git_commit()))
            }
            HookArgs::PrePush { remote, .. } => {
                let updates = Update::parse_pushed(&bounded::refs()?)?;
                push(output, &updates, PushSide::Local(remote))
            }
            HookArgs::Update {
                reference,
                old,
                new,
            } => {
                let name = Vec::from_os_string(reference.clone())
                    .map_err(|_| Error::new("the name of the ref cannot be read"))?;
                let update = Update::new(name.as_bstr(), old.as_bytes(), new.as_bytes())?;
                push(output, &[update], PushSide::Server)
            }
            HookArgs::PreReceive => {
                let updates = Update::parse_received(&bounded::refs()?)?;
                push(output, &updates, PushSide::Server)
            }
            HookArgs::ReferenceTransaction { state } if state != PREPARED => Ok(0),
            HookArgs::ReferenceTransaction { .. } => transaction(output),
            HookArgs::Claude(args) => Ok(agent_hook::answer(Agent::Claude, args)),
            HookArgs::Codex(args) => Ok(agent_hook::answer(Agent::Codex, args)),
            HookArgs::Copilot(args) => Ok(agent_hook::answer(Agent::Copilot, args)),
            HookArgs::Cursor(args) => Ok(agent_hook::answer(Agent::Cursor, args)),
            HookArgs::Gemini(args) => Ok(agent_hook::answer(Agent::Gemini, args)),
            HookArgs::Opencode(args) => Ok(agent_hook::answer(Agent::Opencode, args)),
            HookArgs::Vscode(args) => Ok(agent_hook::answer(Agent::Vscode, args)),
        }
    }
}

/// `githead`: whether git is merging, as far as the caller can tell.
fn options(output: &Output, design: &DesignArgs, githead: bool) -> Options {
    Options {
        githead,
        precision: output.precision(),
        ..design.options(true)
    }
}

/// Whether `git commit` runs the hook. Before any hook it sets the author's date in git's internal format, whatever the
/// variable held; `git merge` does not. The pre-commit framework does not tell its hooks which git hook it runs for.
fn called_by_git_commit() -> bool {
    std::env::var_os("GIT_AUTHOR_DATE")
        .is_some_and(|date| date.as_encoded_bytes().starts_with(b"@"))
}

impl MessageArgs {
    /// Judges the commit once more, because variables may have told an earlier hook of other parents. Prints a refusal;
    /// otherwise adds the trailers, if the message is there yet. `githead` stays false: when git asks for a message, it
    /// has written `MERGE_HEAD`.
    fn run(&self, output: &mut Output, is_there: bool, is_final: bool) -> Result<u8> {
        let repo = repository()?;
        let options = Options {
            precision: output.precision(),
            ..with_unexpired(&repo, self.design.options(true))?
        };
        let verdict = judge::staged(&repo, &options)?;
        if verdict.exit_code() != 0 {
            return lint::print(output, &verdict);
        }
        if is_there {
            self.add_trailers(output, &repo, &options, is_final)?;
        }
        Ok(0)
    }

    /// Adds the trailers. Leaves an empty message and an untouched template as they are, so that the user can still
    /// abort the commit.
    fn add_trailers(
        &self,
        output: &Output,
        repo: &Repository,
        options: &Options,
        is_final: bool,
    ) -> Result<()> {
        let designs = judge::governing_designs(repo, options)?;
        let mut approvals = judge::used_approvals(repo, options)?;
        let mut amended = AmendedApprovals::default();
        if is_amending(repo)? {
            amended = judge::amended_approvals(repo)?;
        }
        if !is_final {
            output.notes(&notes_on_dropped(&amended.dropped));
        }
        approvals.append(&mut amended.kept);
        if designs.is_empty() && approvals.is_empty() {
            return Ok(());
        }
        let what = format!("the message {}", show_file(&self.file));
        let text = bounded::read(&what, fs::File::open(&self.file), MAX_MESSAGE)?;
        let said = trailer::comment_of(&text).map(BString::from);
        let comment = said.unwrap_or_else(|| comment(repo));
        let content = trailer::content(&text, &comment);
        let template = repo.config_path("commit.template")?;
        let untouched = template
            .filter(|_| is_final)
            .and_then(|file| bounded::read("it", fs::File::open(file), MAX_MESSAGE).ok())
            .is_some_and(|template_text| trailer::content(&template_text, &comment) == content);
        if content.is_empty() || untouched {
            return Ok(());
        }
        let designs = designs.into_iter().map(|path| (trailer::DESIGN, path));
        let approvals = approvals
            .iter()
            .map(|one| (TRAILER, one.to_trailer_value().into()));
        let trailers: Vec<(&str, BString)> = designs.chain(approvals).collect();
        let completed = with_trailers(&text, comment.as_ref(), &trailers)?;
        if completed != text {
            fs::write(&self.file, completed)
                .map_err(|error| Error::new(format!("{what} cannot be written: {error}")))?;
        }
        Ok(())
    }
}

/// Whether git amends HEAD. It tells no hook, and with a new message not even names HEAD as the source; but it keeps the
/// author's date, which it sets before any hook.
fn is_amending(repo: &Repository) -> Result<bool> {
    let Some(head) = repo.head_commit()? else {
        return Ok(false);
    };
    let authored = repo.headline(head)?.authored;
    let date = std::env::var("GIT_AUTHOR_DATE").unwrap_or_default();
    let seconds = date
        .strip_prefix('@')
        .and_then(|date| date.split(' ').next());
    Ok(seconds.and_then(|seconds| seconds.parse().ok()) == Some(authored))
}

fn notes_on_dropped(dropped: &[Approval]) -> Vec<String> {
    let mut notes = Vec::new();
    for approval in dropped {
        notes.push(format!(
            "the approval of {} in the amended commit no longer counts, because the new commit \
             changes the file in another way; to approve that, run `git reset --soft HEAD~1`, \
             then `guard approve --staged`, and commit",
            escaped(&approval.path)
        ));
    }
    notes
}

/// The prefix of comment lines in messages. Under `auto`, git takes another one only where a message begins a line with
/// this one.
fn comment(repo: &Repository) -> BString {
    let set = ["core.commentString", "core.commentChar"]
        .iter()
        .find_map(|key| repo.config(key));
    let set = set.filter(|value| !value.is_empty() && value != "auto");
    set.unwrap_or_else(|| "#".into())
}

/// Judges the new commits of a transaction that may still be refused.
fn transaction(output: &mut Output) -> Result<u8> {
    let updates = Update::parse_received(&bounded::refs()?)?;
    let repo = repository()?;
    // Unsigned approvals count here, as they did before the commit.
    let options = with_unexpired(&repo, committed_only(output))?;
    let report = judge::new_commits(&repo, &updates, &options)?;
    if report.changes.is_empty() && report.findings.is_empty() {
        // Most transactions bring no new commit and pass silently.
        return Ok(0);
    }
    lint::print(output, &report)
}

/// A framework requests a range by variables. During a commit git names the index, and guard then judges the staged
/// changes whatever the variables say.
fn framework(output: &mut Output, options: &Options) -> Result<u8> {
    let repo = repository()?;
    if !commit_in_progress()
        && let Some(report) = lint::framework_push(&repo, options)?
    {
        return lint::print(output, &report);
    }
    staged(output, &repo, options)
}

/// Judges the staged changes in a hook. If no commit is in progress and nothing is staged, as when a framework runs over
/// all files, there is nothing to check. In CI this must not count as accepted.
fn staged(output: &mut Output, repo: &Repository, options: &Options) -> Result<u8> {
    let mut report = lint::staged_report(repo, options)?;
    if report.changes.is_empty() && report.findings.is_empty() && !commit_in_progress() {
        if ci::is_job(&lint::variables()) {
            return Err(
                Error::new("nothing is staged, so guard checked nothing in this CI job")
                    .help(Help::run("check the pull request", "guard lint --ci"))
                    .help("or name its commits: pre-commit run --from-ref BASE --to-ref HEAD"),
            );
        }
        report.notes.push(
            "nothing is staged, so guard checked nothing; in CI use `guard lint --ci`, or \
             `pre-commit run` with --from-ref and --to-ref"
                .to_owned(),
        );
    }
    lint::print(output, &report)
}

/// Whether git is creating a commit: it then names the index to its hooks.
fn commit_in_progress() -> bool {
    std::env::var_os("GIT_INDEX_FILE").is_some()
}

fn push(output: &mut Output, updates: &[Update], side: PushSide<'_>) -> Result<u8> {
    let report = judge::push(&repository()?, updates, side, &committed_only(output))?;
    lint::print(output, &report)
}

/// Hooks of a push take no design from the caller.
fn committed_only(output: &Output) -> Options {
    Options {
        in_hook: true,
        precision: output.precision(),
        ..Options::default()
    }
}
