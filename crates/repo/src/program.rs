//! Starts git. guard does so only where this module is used: to add the work tree, to merge, to stage a file, to set a
//! value of the configuration, to add trailers to a message, and for checkpoints. And keeps objects outside the
//! repository: in the quarantine of a push, or in a temporary directory where git writes what the repository shall not
//! keep.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread;

use gix::bstr::{BStr, BString, ByteSlice, ByteVec};
use tempfile::TempDir;

use super::objects::MAX_MEMORY;
use super::{find_program, real_path, show_file};
use crate::disk::absolute;
use write_guard_policy::error::{Error, Result};
use write_guard_policy::path::text_on_one_line;

/// The variables that git needs whatever it does.
const ALWAYS: &[&str] = &["PATH", "SYSTEMROOT", "TMPDIR", "TEMP"];

/// A call of git.
pub(super) struct Git {
    command: Command,
    /// Whether `PATH` has git. A bare name would be looked for elsewhere, too.
    is_found: bool,
}

impl Git {
    /// git with no configuration but that of `git_dir`, so that nothing of the user or the system acts.
    pub(super) fn isolated(git_dir: &Path) -> Git {
        Git::with_environment(|name| ALWAYS.iter().any(|one| name.eq_ignore_ascii_case(one)))
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_ATTR_NOSYSTEM", "1")
            .env("GIT_DIR", git_dir)
    }

    /// git in a work tree, as its user has configured it, but without hooks. Of the variables of git, only settings
    /// count.
    pub(super) fn in_work_tree(git_dir: &Path, root: &Path, index: &Path) -> Git {
        let git = Git::with_environment(|name| {
            let name = name.as_encoded_bytes();
            !name.starts_with(b"GIT_") || name.starts_with(b"GIT_CONFIG")
        });
        let root = absolute(root);
        git.in_directory(&root)
            .env("GIT_DIR", absolute(git_dir))
            .env("GIT_WORK_TREE", &root)
            .env("GIT_INDEX_FILE", absolute(index))
            .set("core.hooksPath", "/dev/null")
            .set("core.fsmonitor", "false")
    }

    fn with_environment(keep: impl Fn(&OsStr) -> bool) -> Git {
        // A whole path is started without a copy of this process.
        let program = find_program("git");
        let is_found = program.is_some();
        let mut command = Command::new(program.unwrap_or_default());
        for (name, _) in std::env::vars_os().filter(|(name, _)| !keep(name)) {
            command.env_remove(name);
        }
        Git { command, is_found }
            .env("LC_ALL", "C")
            .env("GIT_TERMINAL_PROMPT", "0")
            .env("GIT_NO_LAZY_FETCH", "1")
    }

    pub(super) fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Git {
        self.command.env(name, value);
        self
    }

    /// Sets a value of the configuration for this call.
    pub(super) fn set(mut self, key: &str, value: &str) -> Git {
        self.command.arg("-c").arg(format!("{key}={value}"));
        self
    }

    /// Whatever it commits is guard's.
    pub(super) fn by_guard(self) -> Git {
        self.set("user.name", "guard")
            .set("user.email", "guard@localhost")
    }

    /// git itself changes to the directory, which is absolute: where guard is a static program, the standard library could
    /// only do so in a copy of this process, and making that takes longer than starting git.
    pub(super) fn in_directory(mut self, directory: &Path) -> Git {
        self.command.arg("-C").arg(directory);
        self
    }

    /// Also finds the objects in this directory.
    pub(super) fn borrows(self, objects: &Path) -> Git {
        // In quotes, a colon separates nothing.
        let objects = objects.to_string_lossy();
        let quoted = objects.replace('\\', "\\\\").replace('"', "\\\"");
        self.env("GIT_ALTERNATE_OBJECT_DIRECTORIES", format!("\"{quoted}\""))
    }

    /// Starts git with no input. Whatever happens meanwhile, the answer must be finished.
    ///
    /// # Errors
    /// git cannot be started.
    pub(super) fn start(
        self,
        arguments: impl IntoIterator<Item = impl AsRef<OsStr>>,
    ) -> std::result::Result<Running, String> {
        Ok(Running(self.spawn(arguments, Stdio::null())?))
    }

    fn spawn(
        mut self,
        arguments: impl IntoIterator<Item = impl AsRef<OsStr>>,
        stdin: Stdio,
    ) -> std::result::Result<Child, String> {
        if !self.is_found {
            return Err("git cannot be started: it is not on PATH".to_owned());
        }
        let git = self.command.args(arguments).stdin(stdin);
        let child = git.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
        child.map_err(|error| format!("git cannot be started: {error}"))
    }

    /// Runs git with this input.
    ///
    /// # Errors
    /// git cannot be started, or its output not read.
    pub(super) fn output(
        self,
        arguments: impl IntoIterator<Item = impl AsRef<OsStr>>,
        input: &[u8],
    ) -> std::result::Result<Output, String> {
        let mut child = self.spawn(arguments, Stdio::piped())?;
        let stdin = child.stdin.take();
        let output = thread::scope(|scope| {
            // If git ends early, its exit code tells.
            scope.spawn(|| stdin.map(|mut stdin| stdin.write_all(input)));
            child.wait_with_output()
        });
        output.map_err(|error| format!("git failed: {error}"))
    }

    /// Runs git with this input, and answers what it prints.
    ///
    /// # Errors
    /// git cannot be started, or it fails.
    pub(super) fn run(
        self,
        arguments: impl IntoIterator<Item = impl AsRef<OsStr>>,
        input: &[u8],
    ) -> std::result::Result<Vec<u8>, String> {
        printed(self.output(arguments, input)?)
    }
}

/// A git that runs beside guard.
pub(super) struct Running(Child);

impl Running {
    /// Waits until git has ended, and answers what it printed.
    ///
    /// # Errors
    /// It fails, or its output cannot be read.
    pub(super) fn finish(self) -> std::result::Result<Vec<u8>, String> {
        let output = self.0.wait_with_output();
        printed(output.map_err(|error| format!("git failed: {error}"))?)
    }
}

fn printed(output: Output) -> std::result::Result<Vec<u8>, String> {
    if output.status.success() {
        Ok(output.stdout)
    } else {
        Err(told(&output))
    }
}

/// The message of a commit with these trailers where it lacks them; `comment` starts a comment line. A value with a line
/// break is not a trailer and is left out.
///
/// # Errors
/// git cannot be started, or it fails.
pub fn with_trailers(
    message: &[u8],
    comment: &BStr,
    trailers: &[(&str, BString)],
) -> Result<Vec<u8>> {
    let start = [
        "interpret-trailers",
        "--no-divider",
        "--if-exists=addIfDifferent",
    ];
    let mut arguments: Vec<OsString> = start.map(OsString::from).into();
    for (key, value) in trailers {
        if !value.iter().any(u8::is_ascii_control) {
            arguments.push("--trailer".into());
            let trailer = [key.as_bytes(), b": ", value].concat();
            arguments.push(trailer.into_os_string_lossy());
        }
    }
    // No repository: its settings could name programs.
    Git::isolated(Path::new("/dev/null"))
        .set("core.commentChar", &comment.to_str_lossy())
        .run(arguments, message)
        .map_err(|why| Error::new(format!("git cannot add trailers to the message: {why}")))
}

/// What git says about its failure: the first line that calls itself an error, or else the last one.
pub(super) fn told(output: &Output) -> String {
    let told = output.stderr.to_str_lossy();
    let line = told
        .lines()
        .find(|line| line.starts_with("error: ") || line.starts_with("fatal: "))
        .or_else(|| told.lines().last());
    let line = line.unwrap_or_default();
    text_on_one_line(line.split_once(": ").map_or(line, |(_, why)| why)).into_owned()
}

/// A temporary directory whose `objects` also has the objects of other directories; removed on drop.
pub(super) struct PrivateObjects {
    directory: TempDir,
}

impl PrivateObjects {
    /// Borrows the objects in these directories.
    ///
    /// # Errors
    /// The directory for temporary files is not writable, or a path cannot be listed.
    pub(super) fn borrowing(others: impl IntoIterator<Item = PathBuf>) -> Result<PrivateObjects> {
        let mut list = String::new();
        for directory in others {
            list += &object_directory(&directory)?;
        }
        let private = PrivateObjects {
            directory: TempDir::with_prefix("guard-").map_err(|error| no_directory(&error))?,
        };
        let info = private.file("objects/info");
        fs::create_dir_all(&info)
            .and_then(|()| fs::write(info.join("alternates"), list))
            .map_err(|error| no_directory(&error))?;
        Ok(private)
    }

    /// A file in the directory.
    pub(super) fn file(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// Reads these objects from now on.
    ///
    /// # Errors
    /// They cannot be read.
    pub(super) fn open(&self, hash: gix::hash::Kind) -> Result<gix::OdbHandle> {
        let options = gix::odb::store::init::Options {
            alloc_limit_bytes: Some(MAX_MEMORY),
            ..Default::default()
        };
        let objects = gix::odb::at_opts(self.file("objects"), hash, None, options);
        let objects = objects.map_err(|error| no_directory(&error))?;
        Ok(gix::odb::memory::Proxy::from(objects))
    }
}

/// The value of a variable that is set, and not to nothing.
fn variable(name: &str) -> Option<OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}

/// Also reads objects from the quarantine, if there is one. `git receive-pack` keeps pushed objects there until it
/// accepts them, and names it to the pre-receive hook in variables that gix ignores.
///
/// # Errors
/// As for [`PrivateObjects::borrowing`].
pub(super) fn enter_quarantine(repo: &mut gix::Repository) -> Result<Option<PrivateObjects>> {
    let Some(quarantine) = variable("GIT_QUARANTINE_PATH") else {
        return Ok(None);
    };
    // git sets both to the same directory.
    let own = PathBuf::from(variable("GIT_OBJECT_DIRECTORY").unwrap_or(quarantine));
    let others = variable("GIT_ALTERNATE_OBJECT_DIRECTORIES").unwrap_or_default();
    let others = std::env::split_paths(&others).filter(|path| !path.as_os_str().is_empty());
    let directories = std::iter::once(own).chain(others);
    let all = directories.chain([repo.objects.store_ref().path().to_owned()]);
    let private = PrivateObjects::borrowing(all)?;
    repo.objects = private.open(repo.object_hash())?;
    Ok(Some(private))
}

/// The configuration of a private repository with this hash: what every one has, and these lines of `[core]`.
pub(super) fn private_config(hash: gix::hash::Kind, core: &str) -> String {
    let (version, extensions) = match hash {
        gix::hash::Kind::Sha1 => (0, String::new()),
        other => (1, format!("[extensions]\n\tobjectFormat = {other}\n")),
    };
    format!("{extensions}[core]\n\trepositoryFormatVersion = {version}\n{core}")
}

/// The line that names an object directory in `info/alternates`.
fn object_directory(directory: &Path) -> Result<String> {
    let shown = show_file(directory);
    let text = real_path(directory).ok();
    let text = text.as_deref().and_then(Path::to_str);
    match text {
        Some(text) if !text.contains('\n') && !text.starts_with(['"', '#']) => {
            Ok(format!("{text}\n"))
        }
        _ => Err(Error::new(format!("the objects at {shown} cannot be read"))
            .help(
                "`git receive-pack` sets GIT_QUARANTINE_PATH, GIT_OBJECT_DIRECTORY and \
                 GIT_ALTERNATE_OBJECT_DIRECTORIES",
            )
            .help("outside its hooks, unset these variables")),
    }
}

fn no_directory(error: &io::Error) -> Error {
    let message = format!("objects cannot be kept in a temporary directory: {error}");
    Error::new(message).help("guard needs a writable directory for temporary files (TMPDIR)")
}
