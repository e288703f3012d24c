//! The map of the change: a tree of directories with a bar per file.

use std::collections::{BTreeMap, HashSet};

use gix::bstr::{BStr, BString, ByteSlice};

use super::markup::{LimitedPart, left_out, name, push, section};
use super::overview::grouped;
use crate::finding::refused_paths;
use crate::report::changed_lines::{ChangedLines, renamed_away};
use crate::report::human::plural;
use crate::verdict::{JudgedChange, Verdict};

const NAMES: usize = 200_000;
/// Room for the legend and what stands around the lists.
const AROUND: usize = 4_000;
/// The end of a directory.
const END: &str = "</ul></details></li>";
/// With at most so many files, every directory is open.
const ALL_OPEN: usize = 200;
/// Of more files, directories with a refused one are open if they have at most so many.
const FEW: usize = 20;

const LEGEND: &str = "<p class=\"legend\" aria-hidden=\"true\"><span><i class=\"k\"></i> kept</span> <span><i class=\"l\"></i> lost</span> <span><i class=\"a\"></i> added</span> <span class=\"q\">Longer bars stand for more lines, by their square root.</span></p>";

/// A directory with what changed below it.
#[derive(Default)]
struct Folder<'a> {
    folders: BTreeMap<&'a BStr, Folder<'a>>,
    files: Vec<(&'a BStr, &'a JudgedChange, Option<ChangedLines>)>,
    lines: ChangedLines,
    count: usize,
    refused: usize,
    replaced: usize,
}

/// The section, with at most so many bytes.
pub(super) fn section_of(verdict: &Verdict, limit: usize) -> String {
    let heading = "Map of the change";
    if verdict.changes.is_empty() {
        return section("map", heading, "", "<p class=\"none\">Nothing changes.</p>");
    }
    let refused = refused_paths(&verdict.findings);
    let away = renamed_away(verdict);
    let mut root = Folder::default();
    let mut most = 1;
    for change in verdict.ordered_changes() {
        let lines = match away.contains::<BStr>(change.path.as_ref()) {
            true => None,
            false => ChangedLines::of(change),
        };
        most = most.max(lines.map_or(0, ChangedLines::total));
        root.insert(change, lines, refused.contains(&change.path));
    }
    let mut drawing = Drawing {
        out: LimitedPart::new(limit.saturating_sub(NAMES + AROUND)),
        left: Vec::new(),
        most,
        all_open: verdict.changes.len() <= ALL_OPEN,
        refused: &refused,
        away: &away,
    };
    drawing.folder(&root, 0);
    let more = left_out("files", drawing.left.into_iter(), NAMES);
    let lines = root.lines;
    let lead = format!(
        "{}: {} lines kept, {} lost, {} added.",
        plural(root.count, "file"),
        grouped(lines.kept),
        grouped(lines.lost),
        grouped(lines.added)
    );
    let head = "<p class=\"maphead\" aria-hidden=\"true\"><span></span><span></span><span>kept</span><span>lost</span><span>added</span></p>";
    let map = format!(
        "{LEGEND}<div class=\"map\">{head}<ul class=\"tree\">{}</ul></div>{more}",
        drawing.out.finish()
    );
    section("map", heading, &lead, &map)
}

impl<'a> Folder<'a> {
    fn insert(&mut self, change: &'a JudgedChange, lines: Option<ChangedLines>, is_refused: bool) {
        let mut folder = self;
        let mut rest: &BStr = change.path.as_ref();
        loop {
            folder.count += 1;
            folder.refused += usize::from(is_refused);
            folder.replaced += usize::from(change.class == "REPLACE");
            folder.lines.add(lines.unwrap_or_default());
            let Some((first, below)) = rest.split_once_str("/") else {
                break;
            };
            folder = folder.folders.entry(first.as_bstr()).or_default();
            rest = below.as_bstr();
        }
        folder.files.push((rest, change, lines));
    }

    /// Every file below.
    fn paths(&self, out: &mut Vec<&'a [u8]>) {
        for folder in self.folders.values() {
            folder.paths(out);
        }
        out.extend(
            self.files
                .iter()
                .map(|(_, change, _)| change.path.as_slice()),
        );
    }
}

struct Drawing<'a, 'b> {
    out: LimitedPart,
    /// The files that do not fit.
    left: Vec<&'a [u8]>,
    /// The most lines of a file.
    most: usize,
    all_open: bool,
    refused: &'b HashSet<&'a BString>,
    away: &'b HashSet<&'a BStr>,
}

impl<'a> Drawing<'a, '_> {
    fn folder(&mut self, folder: &Folder<'a>, depth: usize) {
        for (first, below) in &folder.folders {
            // Directories with nothing else in them share a line.
            let mut path = (*first).to_owned();
            let mut below = below;
            while below.files.is_empty()
                && let [(only, next)] = below.folders.iter().collect::<Vec<_>>()[..]
            {
                path = [path.as_slice(), b"/", only].concat().into();
                below = next;
            }
            path.push(b'/');
            let is_wanted = depth == 0
                || below.replaced > 0 && below.count <= ALL_OPEN
                || below.refused > 0 && below.count <= FEW;
            let open = if self.all_open || is_wanted {
                " open"
            } else {
                ""
            };
            let mut tags = String::new();
            for (count, class, word) in [
                (below.refused, "refused", "refused"),
                (below.replaced, "warn", "replaced"),
            ] {
                if count > 0 {
                    push(
                        &mut tags,
                        format_args!(" <span class=\"tag {class}\">{count} {word}</span>"),
                    );
                }
            }
            let files = plural(below.count, "file");
            let head = format!(
                "<li class=\"d\"><details{open}><summary><span class=\"nm\"><bdi>{}</bdi> <span class=\"q\">{files}</span>{tags}</span>{}</summary><ul>",
                name(&path),
                self.bar(Some(below.lines), true)
            );
            if !self.out.open(&head, END) {
                below.paths(&mut self.left);
                continue;
            }
            self.folder(below, depth + 1);
            self.out.close(END);
        }
        for (base, change, lines) in &folder.files {
            let row = format!(
                "<li class=\"f\"><span class=\"nm\"><bdi>{}</bdi>{}</span>{}</li>",
                name(base),
                self.tags(change),
                self.bar(*lines, false)
            );
            if !self.out.push(&row) {
                self.left.push(change.path.as_slice());
            }
        }
    }

    fn tags(&self, change: &JudgedChange) -> String {
        let mut out = String::new();
        let path: &BStr = change.path.as_ref();
        if self.refused.contains(&change.path) {
            out.push_str(" <span class=\"tag refused\">✕ refused</span>");
        }
        if change.approved {
            out.push_str(" <span class=\"tag good\">approved</span>");
        }
        match change.class {
            _ if self.away.contains(path) => out.push_str(" <span class=\"tag\">renamed</span>"),
            "MODIFY" => {}
            "REPLACE" => out.push_str(" <a class=\"tag warn\" href=\"#replaced\">replaced</a>"),
            "DELETE" => out.push_str(" <span class=\"tag warn\">deleted</span>"),
            "NEW" => out.push_str(" <span class=\"tag\">new</span>"),
            other => push(
                &mut out,
                format_args!(" <span class=\"tag\">{other}</span>"),
            ),
        }
        if let Some(from) = &change.from {
            push(
                &mut out,
                format_args!(" <span class=\"q\">from {}</span>", name(from)),
            );
        }
        if change.reformatted {
            out.push_str(" <span class=\"tag\">reformatted</span>");
        }
        for (to, lines) in change.moved_to.iter().take(3) {
            push(
                &mut out,
                format_args!(
                    " <span class=\"q\">{lines} lines moved to {}</span>",
                    name(to)
                ),
            );
        }
        out
    }

    /// The bar and its figures; a directory's bar has full length, because it compares nothing.
    fn bar(&self, lines: Option<ChangedLines>, is_folder: bool) -> String {
        let Some(lines) = lines.filter(|lines| lines.total() > 0) else {
            return "<span class=\"b none\">no lines counted</span>".to_owned();
        };
        let of = |count: usize| (count * 100).checked_div(lines.total()).unwrap_or(0);
        // What is there is seen, and all parts together have the whole width.
        let (lost, added) = (
            seen(of(lines.lost), lines.lost),
            seen(of(lines.added), lines.added),
        );
        let (mut lost, mut added) = (lost, added);
        let kept = match lines.kept {
            0 if lost == 0 => {
                added = 100;
                0
            }
            0 => {
                lost = 100 - added.min(100);
                0
            }
            _ => 100_usize.saturating_sub(lost + added),
        };
        let length = match is_folder {
            true => 100,
            false => root_share(lines.total(), self.most),
        };
        let mut parts = String::new();
        for (class, width) in [("k", kept), ("l", lost), ("a", added)] {
            if width > 0 {
                push(
                    &mut parts,
                    format_args!("<i class=\"{class} w{width}\"></i>"),
                );
            }
        }
        let percent = lines.lost_percent().filter(|_| lines.lost > 0);
        let percent = percent.map_or_else(String::new, |percent| format!(" ({percent} %)"));
        format!(
            "<span class=\"b\" role=\"img\" aria-label=\"{} of {} lines kept, {} lost{percent}, {} added\"><span class=\"w{length}\">{parts}</span></span><span class=\"cs\" aria-hidden=\"true\"><b>{}</b>{}{}</span>",
            lines.kept,
            lines.old(),
            lines.lost,
            lines.added,
            grouped(lines.kept),
            signed("lo", '−', lines.lost),
            signed("ad", '+', lines.added)
        )
    }
}

/// A part of at least one line is at least two per cent wide.
fn seen(percent: usize, count: usize) -> usize {
    if count == 0 { 0 } else { percent.max(2) }
}

/// A figure with its sign; only what there is has a colour.
fn signed(class: &str, sign: char, count: usize) -> String {
    match count {
        0 => "<b>0</b>".to_owned(),
        count => format!("<b class=\"{class}\">{sign}{}</b>", grouped(count)),
    }
}

/// The square root of a share in per cent, at least 4.
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss
)]
fn root_share(count: usize, most: usize) -> usize {
    let share = count as f64 / most.max(1) as f64;
    ((share.sqrt() * 100.0).round() as usize).clamp(4, 100)
}
