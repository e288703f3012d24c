//! What an item says before its path: a verb such as `Modify:`, a noun such as "Component:", or a phrase.

use std::ops::Range;

use super::bare_path::is_bare_path;
use super::blocks::{InlineText, PieceKind};
use super::cell;
use super::change_type::of_item_word;
use super::doubt::{self, is_open};
use super::exclusion::{self, first_word, words};
use super::kind::{self, RowAction, Type};
use super::problem::{LocatedProblem, unknown_type};
use super::source::DesignText;

/// What precedes the path.
pub(super) enum Lead {
    /// Nothing about the file.
    None,
    /// A type, the words for it, and whether a colon follows.
    Type(TypeWords, bool),
    /// A noun with a colon: "Component:".
    Noun,
    /// An edit of a part of the file: "Remove the debug flag from".
    Phrase,
    /// A verb that leaves open whether the file changes.
    Open,
}

/// A type and the words for it.
pub(super) type TypeWords = (Type, String);

/// Words before a colon that say what the file is, not what happens to it.
const NOUNS: &[&str] = &[
    "actions",
    "adapter",
    "adapters",
    "admin",
    "agent",
    "android",
    "api",
    "app",
    "assets",
    "auth",
    "authentication",
    "backend",
    "barrel",
    "build",
    "builder",
    "button",
    "card",
    "catalog",
    "changelog",
    "ci",
    "cli",
    "client",
    "code",
    "command",
    "common",
    "component",
    "components",
    "config",
    "configuration",
    "console",
    "constants",
    "context",
    "controller",
    "controllers",
    "core",
    "cron",
    "css",
    "dashboard",
    "data",
    "database",
    "db",
    "deployment",
    "desktop",
    "dialog",
    "doc",
    "docker",
    "docs",
    "documentation",
    "domain",
    "e2e",
    "email",
    "endpoint",
    "endpoints",
    "engine",
    "entities",
    "entity",
    "entry",
    "env",
    "environment",
    "error",
    "errors",
    "event",
    "events",
    "exports",
    "extension",
    "factory",
    "feature",
    "file",
    "files",
    "fixture",
    "fixtures",
    "footer",
    "form",
    "frontend",
    "graphql",
    "guide",
    "handler",
    "handlers",
    "header",
    "helper",
    "helpers",
    "hook",
    "hooks",
    "i18n",
    "icon",
    "icons",
    "image",
    "images",
    "implementation",
    "index",
    "infra",
    "infrastructure",
    "integration",
    "interface",
    "interfaces",
    "ios",
    "job",
    "jobs",
    "layout",
    "library",
    "listener",
    "listeners",
    "locale",
    "locales",
    "localization",
    "location",
    "logger",
    "logging",
    "logic",
    "main",
    "manager",
    "manifest",
    "metrics",
    "middleware",
    "migration",
    "migrations",
    "mobile",
    "modal",
    "model",
    "models",
    "module",
    "modules",
    "mutation",
    "mutations",
    "navigation",
    "openapi",
    "orchestrator",
    "package",
    "page",
    "pages",
    "panel",
    "parser",
    "path",
    "permissions",
    "plugin",
    "policies",
    "policy",
    "prompt",
    "prompts",
    "proto",
    "provider",
    "queries",
    "query",
    "queue",
    "readme",
    "reducer",
    "registration",
    "registry",
    "repository",
    "resolver",
    "resolvers",
    "root",
    "route",
    "router",
    "routes",
    "rules",
    "runtime",
    "schema",
    "schemas",
    "screen",
    "script",
    "scripts",
    "sdk",
    "seed",
    "seeds",
    "server",
    "service",
    "services",
    "shared",
    "sidebar",
    "skill",
    "skills",
    "spec",
    "specs",
    "sql",
    "state",
    "store",
    "stores",
    "styles",
    "subscriber",
    "swagger",
    "table",
    "tasks",
    "template",
    "templates",
    "terraform",
    "test",
    "testing",
    "tests",
    "theme",
    "translation",
    "translations",
    "type",
    "types",
    "ui",
    "unit",
    "util",
    "utilities",
    "utility",
    "utils",
    "validation",
    "view",
    "views",
    "web",
    "webhook",
    "webhooks",
    "widget",
    "worker",
    "workflow",
    "workspace",
    "测试",
    "測試",
];

/// Whether the words before a colon are a noun.
fn is_noun(label: &str) -> bool {
    let said = words(label);
    let is_known = |word: &String| NOUNS.contains(&word.as_str());
    // "Documentation/evidence"
    let is_pair = label.contains('/') && said.iter().any(is_known);
    !said.is_empty()
        && said.len() <= 4
        && (is_pair || said.last().is_some_and(is_known))
        && said
            .iter()
            .all(|word| of_item_word(word).is_none() || word == "configure")
}

fn mention() -> Type {
    Type {
        kind: RowAction::Mention,
        directory: false,
        bare: true,
    }
}

/// Reads `Modify:` or `Create` before the path, and where the path begins.
pub(super) fn split_label(
    source: &DesignText<'_>,
    item: &InlineText,
    span: Range<usize>,
) -> Result<(Lead, Range<usize>), LocatedProblem> {
    let is_outside = |at: usize| {
        let before = source.slice(span.start..at.max(span.start));
        before.matches(['(', '（']).count() <= before.matches([')', '）']).count()
    };
    let first = item.pieces.iter().find(|piece| {
        !matches!(piece.kind, PieceKind::Struck | PieceKind::Html) && is_outside(piece.span.start)
    });
    let first = first.filter(|piece| piece.span.start < span.end);
    let first_piece = first.map(|piece| &piece.kind);
    let text =
        source.slice(span.start..first.map_or(span.end, |piece| piece.span.start.max(span.start)));
    let colon = text.char_indices().find(|&(index, c)| {
        let rest = text.get(index + c.len_utf8()..).unwrap_or("");
        c == '：' || c == ':' && (rest.is_empty() || rest.starts_with([' ', '*', '_']))
    });
    if let Some((colon, mark)) = colon {
        let label = text
            .get(..colon)
            .unwrap_or("")
            .trim_matches(['*', '_', ' ', '[', ']']);
        let after = span.start + colon + mark.len_utf8();
        let skipped = source
            .slice(after..span.end)
            .find(|c: char| !matches!(c, '*' | '_' | ' '))
            .unwrap_or(0);
        let path = after + skipped..span.end;
        let lower = label.to_lowercase();
        let first = first_word(&lower);
        if doubt::is_hedge(&first) || is_open(&lower) || doubt::is_condition(&lower) {
            return Ok((Lead::Open, path));
        }
        if let Some(found) = kind::parse(label) {
            return Ok((Lead::Type((found, label.to_owned()), true), path));
        }
        if kind::is_phrase(label) {
            return Ok((Lead::Phrase, path));
        }
        // In `src/a.py: what changes` the path comes first.
        let names_file =
            matches!(first_piece, Some(PieceKind::Code(text)) if cell::has_path_shape(text));
        let is_path = label.contains(['/', '.'])
            && !label.contains(char::is_whitespace)
            && (!names_file || is_bare_path(label, false));
        if is_path {
            return Ok((Lead::None, span));
        }
        if let Some(kind) = of_item_word(&first)
            && !kind::denies(label)
            && words(&lower).len() <= 3
        {
            let found = Type {
                kind,
                directory: false,
                bare: true,
            };
            return Ok((Lead::Type((found, label.to_owned()), true), path));
        }
        if exclusion::is_in(label) {
            return Ok((Lead::Type((mention(), label.to_owned()), true), path));
        }
        if is_noun(label) {
            return Ok((Lead::Noun, path));
        }
        if words(label).is_empty() {
            return Ok((Lead::None, path));
        }
        return Err(unknown_type(label).at(span));
    }
    let end = if first.is_some() {
        text.len()
    } else {
        text.find(' ').unwrap_or(0)
    };
    let word = text
        .get(..end)
        .unwrap_or("")
        .trim_matches(['*', '_', ' ', '[', ']']);
    if word.contains(['.', '/']) && !word.contains(' ') {
        return Ok((Lead::None, span));
    }
    let leading = first_word(word);
    let label = if kind::is_phrase(word) {
        Lead::Phrase
    } else if let Some(found) = kind::parse(word) {
        Lead::Type((found, word.to_owned()), false)
    } else if of_item_word(&leading) == Some(RowAction::Mention) {
        Lead::Type((mention(), word.to_owned()), false)
    } else {
        return Ok((Lead::None, span));
    };
    // Words directly before the path may say that it is only looked at, or the place of files without a name.
    let last = words(word).pop().unwrap_or_default();
    let is_directory = matches!(first_piece, Some(PieceKind::Code(text)) if text.ends_with('/'));
    if is_directory && doubt::is_place(&last) {
        return Ok((Lead::None, span));
    }
    if matches!(
        last.as_str(),
        "for"
            | "using"
            | "via"
            | "like"
            | "per"
            | "following"
            | "matching"
            | "mirroring"
            | "against"
    ) {
        return Ok((Lead::None, span));
    }
    Ok((label, span.start + end..span.end))
}
