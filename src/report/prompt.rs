//! The report of `guard scope prompt`: the section of an agent's prompt that names what it may write
//! (requirement 002, section 2.5).

use std::io;

use gix::bstr::{BString, ByteSlice};
use serde::Serialize;

use super::json::{document, path};
use super::{Format, Mention, ScopeGrant, escape};
use crate::path::show;
use crate::policy::{Actions, GrantKind, Role};
use crate::rules::Protection;

/// Characters of a description: one line of a prompt.
const DESCRIPTION_CHARS: usize = 300;

/// The paths of the scope, each once, in the order of the designs.
#[derive(Debug, Clone, Default)]
pub struct PromptReport {
    designs: Vec<BString>,
    paths: Vec<Line>,
    /// Named, not granted.
    named: Vec<BString>,
    /// How many faults the designs have: what is behind them grants nothing.
    faults: usize,
    notes: Vec<String>,
}

#[derive(Debug, Clone)]
struct Line {
    path: BString,
    kind: GrantKind,
    actions: Actions,
    role: Role,
    descriptions: Vec<String>,
    exists: bool,
    protection: Option<Protection>,
}

#[derive(Serialize)]
struct PromptJson<'a> {
    version: u32,
    designs: Vec<String>,
    text: String,
    paths: Vec<LineJson>,
    notes: &'a [String],
}

#[derive(Serialize)]
struct LineJson {
    path: String,
    kind: &'static str,
    actions: Vec<&'static str>,
    role: &'static str,
    description: String,
    exists: bool,
    do_not_modify: bool,
    reason: Option<&'static str>,
}

impl PromptReport {
    /// The section for these grants, each with what protects it.
    pub fn new(
        designs: Vec<BString>,
        grants: Vec<(ScopeGrant, Option<Protection>)>,
        mentions: Vec<Mention>,
        faults: usize,
        notes: Vec<String>,
    ) -> PromptReport {
        let mut paths: Vec<Line> = Vec::new();
        for (line, protection) in grants {
            let grant = line.grant;
            let known = paths
                .iter_mut()
                .find(|known| known.path == grant.path && known.kind == grant.kind);
            match known {
                Some(known) => {
                    known.actions = known.actions | grant.actions;
                    known.protection = known.protection.or(protection);
                    if !known.descriptions.contains(&grant.description) {
                        known.descriptions.push(grant.description);
                    }
                }
                None => paths.push(Line {
                    path: grant.path,
                    kind: grant.kind,
                    actions: grant.actions,
                    role: grant.role,
                    descriptions: vec![grant.description],
                    exists: line.exists,
                    protection,
                }),
            }
        }
        let mut named: Vec<BString> = Vec::new();
        for mention in mentions {
            let is_listed = paths.iter().any(|line| line.path == mention.path);
            if !is_listed && !named.contains(&mention.path) {
                named.push(mention.path);
            }
        }
        PromptReport {
            designs,
            paths,
            named,
            faults,
            notes,
        }
    }

    /// Remarks for whoever asks for the section; they are no part of it.
    pub fn remarks(&self) -> Vec<String> {
        let mut remarks = self.notes.clone();
        if self.faults > 0 {
            remarks.push(
                "the design has faults, and what cannot be read grants nothing: guard scope check"
                    .to_owned(),
            );
        }
        remarks
    }

    /// Writes the section.
    ///
    /// # Errors
    ///
    /// Those of `out`.
    pub fn write(&self, format: Format, out: &mut dyn io::Write) -> io::Result<()> {
        let text = match format {
            Format::Human => self.text(),
            Format::Json => document(&PromptJson {
                version: 1,
                designs: self.designs.iter().map(|d| path(d.as_bstr())).collect(),
                text: self.text(),
                paths: self.paths.iter().map(Line::json).collect(),
                notes: &self.remarks(),
            })?,
            other => return Err(other.not_here("guard scope prompt")),
        };
        out.write_all(text.as_bytes())
    }

    /// Nothing for an empty scope.
    fn text(&self) -> String {
        if self.paths.is_empty() {
            return String::new();
        }
        let designs: Vec<String> = self.designs.iter().map(|d| show(d).to_string()).collect();
        let mut out = format!(
            "REQUIRED FILE PATHS (from {} - do not deviate):\n",
            designs.join(", ")
        );
        for line in &self.paths {
            out.push_str(&line.text());
        }
        if !self.named.is_empty() {
            out.push_str("\nNamed by the design, not to be changed:\n");
            for path in &self.named {
                out.push_str(&format!("- {}\n", shown(path)));
            }
        }
        out.push_str("\nAny files written to other paths will be rejected.\n");
        out
    }
}

impl Line {
    fn text(&self) -> String {
        let slash = match self.kind {
            GrantKind::Directory => "/",
            GrantKind::File | GrantKind::Glob => "",
        };
        let mut out = format!("- {}{slash}  # {}", shown(&self.path), self.permits());
        let description = self.description();
        if !description.is_empty() {
            out.push_str(&format!(": {description}"));
        }
        out.push_str(self.warning());
        out.push('\n');
        out
    }

    /// The actions in words, and what they hold for.
    fn permits(&self) -> String {
        let actions: Vec<&str> = self.actions.names().collect();
        let all = match self.kind {
            GrantKind::File => "",
            GrantKind::Directory => " anything below",
            GrantKind::Glob => " what matches",
        };
        format!("{}{all}", actions.join(" or "))
    }

    fn warning(&self) -> &'static str {
        let adds_only =
            self.actions.contains(Actions::ADD) && !self.actions.contains(Actions::MODIFY);
        match self.protection {
            Some(Protection::Settings) => " - DO NOT MODIFY (protected)",
            Some(Protection::Scaffolded) => " - DO NOT MODIFY (already scaffolded)",
            None if self.kind != GrantKind::File
                && self.role == Role::Test
                && self.exists
                && adds_only =>
            {
                " - DO NOT MODIFY the files that exist (already scaffolded)"
            }
            None => "",
        }
    }

    fn description(&self) -> String {
        let all = self
            .descriptions
            .iter()
            .filter(|description| !description.is_empty());
        let joined = all.cloned().collect::<Vec<_>>().join("; ");
        escape::clip(&escape::text(&joined), DESCRIPTION_CHARS).into_owned()
    }

    fn json(&self) -> LineJson {
        let reason = self.protection.map(|protection| match protection {
            Protection::Settings => "protected",
            Protection::Scaffolded => "scaffolded",
        });
        LineJson {
            path: path(self.path.as_bstr()),
            kind: self.kind.name(),
            actions: self.actions.names().collect(),
            role: self.role.name(),
            description: self.descriptions.join("; "),
            exists: self.exists,
            do_not_modify: reason.is_some(),
            reason,
        }
    }
}

/// A path that cannot be taken for the path and the remark of another line.
fn shown(path: &BString) -> String {
    let text = show(path).to_string();
    if text.contains('#') && !text.starts_with('"') {
        format!("\"{text}\"")
    } else {
        text
    }
}
