//! Judges what a shell command does to files, as far as its text says so.

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use gix::bstr::{BStr, BString, ByteSlice};

use super::shell::{
    CommandPlace, CopySource, EffectKind, FileEffect, PathPattern, Segment, Sight, TEMPORARY,
};
use crate::boundary::Boundary;
use crate::change::Change;
use crate::error::Result;
use crate::gate::{Failure, FailureKind, Gate, GateResult, Operation, Passed, Strategy};
use crate::git::{IgnoreRules, Repository};
use crate::judge::{self, Options};
use crate::path::{Node, TreeView, escaped, text_on_one_line};

/// More files than one command may change are not judged.
const MAX_FILES: usize = 5000;

/// More names are not visited to expand a wildcard.
const MAX_VISITED: usize = 500_000;

/// Where a path lies.
enum Location {
    /// In the workspace, at this path.
    Inside(BString),
    /// The workspace itself.
    Root,
    /// Where writing does not matter.
    Free,
    /// Anywhere else, or where no request may write.
    Refused,
}

/// Judges the effects of a command in their order. The result is what it may do to existing files.
///
/// # Errors
/// The first one that is refused, or a part that may write and cannot be read.
pub(super) fn judge(
    repo: &Repository,
    options: &Options,
    place: &CommandPlace,
    sight: &Sight,
) -> GateResult<Passed> {
    let boundary = Boundary::open(repo.own_workdir()?)?;
    let rules = IgnoreRules::new(repo, &boundary)?;
    let map = Whereabouts {
        root: boundary.absolute(BStr::new("")),
        boundary: &boundary,
        place,
    };
    let effects = &sight.effects;
    let mut passed = Passed::default();
    let matters = |effect: &&FileEffect| !matches!(map.locate(&effect.path.base), Location::Free);
    if effects.iter().any(|effect| matters(&effect)) {
        let requests = effects
            .iter()
            .filter(|effect| wants_design(&map, &rules, effect));
        let requests: Vec<BString> = requests
            .map(|effect| effect.path.base.as_str().into())
            .collect();
        let judge = CommandJudge {
            repo,
            gate: Gate::open_to_check(repo, options, &requests)?,
            rules: &rules,
            map,
            made: BTreeSet::new(),
            uncommitted: OnceCell::new(),
        };
        passed = judge.all(effects)?;
    }
    match &sight.unread {
        None => Ok(passed),
        Some(text) => Err(unreadable(text)),
    }
}

fn unreadable(text: &str) -> Failure {
    let text: String = text.chars().take(80).collect();
    let text = text_on_one_line(&text);
    Failure::new(
        FailureKind::CannotJudge,
        format!("guard cannot read a part of the command that may write files: {text}"),
    )
    .help("use simpler commands, one per call, or the agent's own tools to write and edit")
}

/// Whether the effect is one that a design must allow.
fn wants_design(map: &Whereabouts<'_>, rules: &IgnoreRules<'_>, effect: &FileEffect) -> bool {
    match map.locate(&effect.path.base) {
        Location::Free | Location::Refused => false,
        Location::Root => true,
        Location::Inside(path) => {
            let node = map.boundary.view().entry(path.as_ref());
            let needs_none = match effect.kind {
                EffectKind::Directory | EffectKind::Restore => true,
                EffectKind::Delete | EffectKind::Clean => node.is_none(),
                EffectKind::Touch => node.is_some(),
                _ => false,
            };
            let is_directory = node == Some(Node::Directory);
            !needs_none
                && !rules
                    .is_ignored(path.as_ref(), is_directory)
                    .unwrap_or(false)
        }
    }
}

struct Whereabouts<'a> {
    root: PathBuf,
    boundary: &'a Boundary,
    place: &'a CommandPlace,
}

impl Whereabouts<'_> {
    fn locate(&self, path: &str) -> Location {
        if let Ok(path) = self.boundary.locate(path.into()) {
            return Location::Inside(path);
        }
        let real = real(Path::new(path));
        if real == self.root {
            return Location::Root;
        }
        let is_free = |directory: &str| {
            let directory = Path::new(directory);
            real.starts_with(directory)
                || directory
                    .canonicalize()
                    .is_ok_and(|directory| real.starts_with(directory))
        };
        // In the workspace, only paths that no request may name are left.
        let is_near = real.starts_with(&self.root) || self.root.starts_with(&real);
        let temporary = [self.place.temporary.as_str()];
        match !is_near
            && TEMPORARY
                .iter()
                .chain(&temporary)
                .any(|place| is_free(place))
        {
            true => Location::Free,
            false => Location::Refused,
        }
    }
}

/// The path without links and `..`, as far as it exists.
fn real(path: &Path) -> PathBuf {
    let mut rest = Vec::new();
    let mut existing = path;
    let mut real = loop {
        if let Ok(real) = existing.canonicalize() {
            break real;
        }
        match (existing.parent(), existing.components().next_back()) {
            (Some(parent), Some(name)) => {
                rest.push(name);
                existing = parent;
            }
            _ => break PathBuf::from("/"),
        }
    };
    for name in rest.into_iter().rev() {
        match name {
            std::path::Component::ParentDir => {
                real.pop();
            }
            name => real.push(name),
        }
    }
    real
}

struct CommandJudge<'a> {
    repo: &'a Repository,
    gate: Gate<'a>,
    rules: &'a IgnoreRules<'a>,
    map: Whereabouts<'a>,
    /// Directories that the command makes.
    made: BTreeSet<String>,
    /// What differs from HEAD now.
    uncommitted: OnceCell<Vec<Change>>,
}

impl CommandJudge<'_> {
    fn all(mut self, effects: &[FileEffect]) -> GateResult<Passed> {
        for (at, effect) in effects.iter().enumerate() {
            if self.is_passing(effect, &effects[at + 1..]) {
                continue;
            }
            match &effect.kind {
                EffectKind::Copy(source) | EffectKind::Move(source)
                    if !effect.path.rest.is_empty() =>
                {
                    let moves = matches!(effect.kind, EffectKind::Move(_));
                    self.rename_each(source, &effect.path, moves)?;
                }
                kind => {
                    for path in self.expand(&effect.path)? {
                        self.one(kind, &path)?;
                    }
                }
            }
        }
        Ok(self.gate.passed())
    }

    /// A copy whose target has the wildcards of its source, such as `$f.bak`.
    fn rename_each(
        &mut self,
        source: &CopySource,
        to: &PathPattern,
        moves: bool,
    ) -> GateResult<()> {
        let sources = self.expand(&source.path)?;
        for from in sources.iter().filter(|_| moves) {
            self.one(&EffectKind::Delete, from)?;
        }
        match sources.is_empty() {
            true => Ok(()),
            false => self.one(&EffectKind::Unpack, &to.base),
        }
    }

    /// Whether the command creates a file and later moves or deletes it itself.
    fn is_passing(&self, effect: &FileEffect, later: &[FileEffect]) -> bool {
        let creates = matches!(
            effect.kind,
            EffectKind::Replace { .. }
                | EffectKind::Modify
                | EffectKind::Touch
                | EffectKind::Copy(_)
        );
        let is_gone = |later: &FileEffect| match &later.kind {
            EffectKind::Delete => later.path.rest.is_empty() && later.path.base == effect.path.base,
            EffectKind::Move(source) => {
                source.path.rest.is_empty() && source.path.base == effect.path.base
            }
            _ => false,
        };
        let is_missing = || match self.map.locate(&effect.path.base) {
            Location::Inside(path) => self.gate.node(path.as_ref()).is_none(),
            _ => false,
        };
        creates && effect.path.rest.is_empty() && later.iter().any(is_gone) && is_missing()
    }

    fn is_ignored(&self, path: &BStr) -> Result<bool> {
        let is_directory = self.gate.node(path) == Some(Node::Directory);
        self.rules.is_ignored(path, is_directory)
    }

    fn one(&mut self, kind: &EffectKind, path: &str) -> GateResult<()> {
        if let EffectKind::Copy(source) | EffectKind::Move(source) = kind {
            let moves = matches!(kind, EffectKind::Move(_));
            return self.transfer(source, path, moves);
        }
        let request = BStr::new(path);
        let inside = match self.map.locate(path) {
            Location::Free => return Ok(()),
            Location::Refused => return self.gate.judge_path(request),
            Location::Root => None,
            Location::Inside(inside) => Some(inside),
        };
        let below = inside.clone().unwrap_or_default();
        let node = match &inside {
            Some(inside) => self.gate.node(inside.as_ref()),
            None => Some(Node::Directory),
        };
        let is_directory = node == Some(Node::Directory);
        match kind {
            EffectKind::Restore => return self.restore(below.as_ref(), is_directory),
            EffectKind::Clean => {
                for path in self.changed(below.as_ref(), |change| change.old.is_none())? {
                    self.gate.judge(path.as_ref(), &Operation::DELETE)?;
                }
                return Ok(());
            }
            EffectKind::Delete if is_directory => {
                for path in self.files(below.as_ref())? {
                    self.gate.judge(path.as_ref(), &Operation::DELETE)?;
                }
                return Ok(());
            }
            EffectKind::Unpack => return self.unpack(inside.as_ref(), request),
            EffectKind::Directory => {
                self.made.insert(path.to_owned());
            }
            _ => {}
        }
        let Some(inside) = inside else {
            return Ok(());
        };
        // What a program does in a directory is not in the text.
        let is_harmless = is_directory
            || matches!(kind, EffectKind::Directory)
            || (matches!(kind, EffectKind::Touch) && node.is_some());
        if is_harmless || self.is_ignored(inside.as_ref())? {
            return self.gate.judge_entry(request);
        }
        match kind {
            EffectKind::Delete if node.is_none() => self.gate.judge_entry(request),
            EffectKind::Delete => self.gate.judge(request, &Operation::DELETE),
            EffectKind::Replace { content } => {
                self.replace(request, content.as_deref().map(str::as_bytes))
            }
            _ => self.gate.judge_path(request),
        }
    }

    fn replace(&self, request: &BStr, content: Option<&[u8]>) -> GateResult<()> {
        let Some(content) = content.filter(|content| !content.contains(&0)) else {
            return self.gate.judge_replacement(request);
        };
        let write = Operation::Write {
            content: content.to_vec(),
            strategy: Strategy::Replace,
            expect: None,
            allow_empty: true,
        };
        self.gate.judge(request, &write)
    }

    /// An archive may write any file of the directory.
    fn unpack(&self, inside: Option<&BString>, request: &BStr) -> GateResult<()> {
        if let Some(inside) = inside
            && self.is_ignored(inside.as_ref())?
        {
            return self.gate.judge_entry(request);
        }
        let any = BString::from([request.as_bytes(), b"/unknown-file"].concat());
        self.gate
            .judge_path(any.as_ref())
            .map_err(|failure| Failure {
                message: format!(
                    "the command writes files whose names guard cannot see into {}",
                    inside.map_or_else(
                        || "the workspace".to_owned(),
                        |path| escaped(path).to_string()
                    )
                ),
                help: vec![
                    "unpack or copy into a temporary directory, and write what the design names"
                        .into(),
                ],
                ..failure
            })
    }

    fn restore(&self, path: &BStr, is_directory: bool) -> GateResult<()> {
        if !is_directory {
            return match self.gate.node(path) {
                None => Ok(()),
                Some(_) => self.gate.judge_restoration(path),
            };
        }
        for path in self.changed(path, |change| change.old.is_some())? {
            if self.gate.node(path.as_ref()).is_some() {
                self.gate.judge_restoration(path.as_ref())?;
            }
        }
        Ok(())
    }

    /// The paths in a directory that differ from HEAD.
    fn changed(
        &self,
        directory: &BStr,
        is_wanted: impl Fn(&Change) -> bool,
    ) -> GateResult<Vec<BString>> {
        if self.uncommitted.get().is_none() {
            let repo = Repository::open(self.repo.own_workdir()?)?;
            let _ = self.uncommitted.set(judge::uncommitted(repo)?);
        }
        let is_below = |path: &BStr| {
            directory.is_empty()
                || path == directory
                || path
                    .strip_prefix(directory.as_bytes())
                    .is_some_and(|rest| rest.starts_with(b"/"))
        };
        let changes = self.uncommitted.get().into_iter().flatten();
        Ok(changes
            .filter(|change| is_below(change.path.as_ref()) && is_wanted(change))
            .map(|change| change.path.clone())
            .collect())
    }

    /// The files below a directory that git tracks or would add.
    fn files(&self, directory: &BStr) -> GateResult<Vec<BString>> {
        let mut files = Vec::new();
        let mut open = vec![directory.to_owned()];
        while let Some(path) = open.pop() {
            if !path.is_empty() && self.is_ignored(path.as_ref())? {
                continue;
            }
            let is_directory =
                path.is_empty() || self.gate.node(path.as_ref()) == Some(Node::Directory);
            if !is_directory {
                files.push(path);
                if files.len() > MAX_FILES {
                    return Err(too_many());
                }
                continue;
            }
            for name in self.gate.names_in(path.as_ref()) {
                if name != ".git" {
                    open.push(join(path.as_ref(), name.as_ref()));
                }
            }
        }
        files.sort();
        Ok(files)
    }

    /// The paths of a pattern.
    fn expand(&self, pattern: &PathPattern) -> GateResult<Vec<String>> {
        let base = match self.map.locate(&pattern.base) {
            _ if pattern.rest.is_empty() => return Ok(vec![pattern.base.clone()]),
            Location::Free => return Ok(Vec::new()),
            // Whatever it matches is refused.
            Location::Refused => return Ok(vec![pattern.base.clone()]),
            Location::Root => BString::default(),
            Location::Inside(path) => path,
        };
        let mut found = BTreeSet::new();
        let mut visited = 0;
        let mut open = vec![(base, pattern.rest.as_slice())];
        while let Some((path, segments)) = open.pop() {
            visited += 1;
            if visited > MAX_VISITED || found.len() > MAX_FILES {
                return Err(too_many());
            }
            let Some((segment, rest)) = segments.split_first() else {
                found.insert(self.map.root.join(path.to_str_lossy().as_ref()));
                continue;
            };
            if let Segment::Below = segment {
                open.push((path.clone(), rest));
            }
            for name in self.gate.names_in(path.as_ref()) {
                let below = join(path.as_ref(), name.as_ref());
                if name == ".git" {
                    continue;
                }
                if let Segment::Below = segment {
                    // What git ignores never matters; it may be large.
                    if self.gate.node(below.as_ref()) == Some(Node::Directory)
                        && !self.rules.is_ignored(below.as_ref(), true)?
                    {
                        open.push((below, segments));
                    }
                } else if segment.matches(&name.to_str_lossy()) {
                    open.push((below, rest));
                }
            }
        }
        let texts = found
            .into_iter()
            .map(|path| path.to_string_lossy().into_owned());
        Ok(texts.collect())
    }

    /// A copy, or a move.
    fn transfer(&mut self, source: &CopySource, target: &str, moves: bool) -> GateResult<()> {
        for from in self.expand(&source.path)? {
            let name = from.rsplit('/').next().unwrap_or_default();
            let is_directory =
                source.into_directory || self.made.contains(target) || self.is_directory(target);
            let to = match is_directory && !source.contents {
                true => format!("{}/{name}", target.trim_end_matches('/')),
                false => target.to_owned(),
            };
            if source.contents || self.is_directory(&from) {
                let inside = match self.map.locate(&from) {
                    Location::Inside(path) => path,
                    Location::Root => BString::default(),
                    // guard does not look into other directories.
                    Location::Free | Location::Refused => {
                        self.one(&EffectKind::Unpack, &to)?;
                        continue;
                    }
                };
                for file in self.files(inside.as_ref())? {
                    let rest = &file[inside.len()..];
                    let to = format!("{to}/{}", rest.to_str_lossy().trim_start_matches('/'));
                    self.file(
                        &self
                            .map
                            .root
                            .join(file.to_str_lossy().as_ref())
                            .to_string_lossy(),
                        &to,
                        moves,
                    )?;
                }
                continue;
            }
            self.file(&from, &to, moves)?;
        }
        Ok(())
    }

    /// Whether a directory of the workspace is there.
    fn is_directory(&self, path: &str) -> bool {
        match self.map.locate(path) {
            Location::Root => true,
            Location::Inside(path) => self.gate.node(path.as_ref()) == Some(Node::Directory),
            Location::Free | Location::Refused => Path::new(path).is_dir(),
        }
    }

    fn file(&self, from: &str, to: &str, moves: bool) -> GateResult<()> {
        let (source, target) = (self.map.locate(from), self.map.locate(to));
        let content = match source {
            Location::Inside(_) => self.gate.source(from.into()),
            _ => None,
        };
        if moves && let Location::Inside(path) = &source {
            let is_ignored = self.is_ignored(path.as_ref())?;
            if let (Some(content), Location::Inside(target)) = (&content, &target)
                && !is_ignored
                && self.gate.node(target.as_ref()).is_none()
                && !self.is_ignored(target.as_ref())?
            {
                return self.gate.judge_move(from.into(), to.into(), content);
            }
            match (self.gate.node(path.as_ref()), is_ignored) {
                (None, _) => {}
                (Some(_), true) => self.gate.judge_entry(from.into())?,
                (Some(_), false) => self.gate.judge(from.into(), &Operation::DELETE)?,
            }
        }
        if moves && matches!(source, Location::Refused) {
            self.gate.judge_path(from.into())?;
        }
        match target {
            Location::Free | Location::Root => Ok(()),
            Location::Refused => self.gate.judge_path(to.into()),
            Location::Inside(path) if self.is_ignored(path.as_ref())? => {
                self.gate.judge_entry(to.into())
            }
            Location::Inside(_) => self.replace(to.into(), content.as_deref()),
        }
    }
}

fn too_many() -> Failure {
    Failure::new(
        FailureKind::CannotJudge,
        "the command changes more files than guard judges for one command",
    )
    .help("name fewer files per command")
}

fn join(directory: &BStr, name: &BStr) -> BString {
    let slash: &[u8] = if directory.is_empty() { b"" } else { b"/" };
    [directory.as_bytes(), slash, name].concat().into()
}
