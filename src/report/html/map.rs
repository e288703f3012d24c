//! The map of the change: a tree of directories with a bar per file.

use std::collections::{BTreeMap, HashSet};

use gix::bstr::{BStr, BString, ByteSlice};

use super::hunks::tags;
use super::markup::{PagePart, grouped, name, not_shown, part};
use crate::finding::refused_paths;
use crate::report::texts::plural;
use crate::verdict::{ChangedLines, JudgedChange, Verdict};

const LIMIT: usize = 2_400_000;
/// With at most so many files, every directory is open.
const ALL_OPEN: usize = 60;

const LEGEND: &str = "<p class=\"legend\" aria-hidden=\"true\"><span><i class=\"k\"></i> kept</span> <span><i class=\"l\"></i> lost</span> <span><i class=\"a\"></i> added</span> <span class=\"q\">Longer bars stand for more lines, by their square root.</span></p>";
const HEAD: &str = "<p class=\"maphead\" aria-hidden=\"true\"><span></span><span></span><span>kept</span><span>lost</span><span>added</span></p>";

/// A directory with what changed below it.
#[derive(Default)]
struct Folder<'a> {
    folders: BTreeMap<&'a BStr, Folder<'a>>,
    files: Vec<(&'a BStr, &'a JudgedChange, Option<ChangedLines>)>,
    lines: ChangedLines,
    count: usize,
    refused: usize,
}

pub(super) fn section_of(verdict: &Verdict) -> Option<PagePart> {
    let (refused, away) = (refused_paths(&verdict.findings), verdict.renamed_away());
    let mut root = Folder::default();
    for change in verdict.ordered_changes() {
        let lines = change.lines().filter(|_| !away.contains(&change.path));
        root.insert(change, lines, refused.contains(&change.path));
    }
    let files = root.files.iter().filter_map(|(_, _, lines)| *lines);
    let at_root = files.chain(root.folders.values().map(|below| below.lines));
    let mut drawing = Drawing {
        out: String::new(),
        left_out: 0,
        most: at_root.map(ChangedLines::total).max().unwrap_or(1),
        all_open: verdict.changes.len() <= ALL_OPEN,
        refused,
        away,
    };
    drawing.folder(&root, 0);
    let lines = root.lines;
    let lead = format!(
        "{}: {} lines kept, {} lost, {} added.",
        plural(root.count, "file"),
        grouped(lines.kept),
        grouped(lines.lost),
        grouped(lines.added)
    );
    let map = format!(
        "{LEGEND}<div class=\"map\">{HEAD}<ul class=\"tree\">{}</ul></div>{}",
        drawing.out,
        not_shown(drawing.left_out, "files")
    );
    part("map", root.count, &lead, map)
}

impl<'a> Folder<'a> {
    fn insert(&mut self, change: &'a JudgedChange, lines: Option<ChangedLines>, is_refused: bool) {
        let mut folder = self;
        let mut rest: &BStr = change.path.as_ref();
        loop {
            folder.count += 1;
            folder.refused += usize::from(is_refused);
            folder.lines.add(lines.unwrap_or_default());
            let Some((first, below)) = rest.split_once_str("/") else {
                break;
            };
            folder = folder.folders.entry(first.as_bstr()).or_default();
            rest = below.as_bstr();
        }
        folder.files.push((rest, change, lines));
    }
}

struct Drawing<'a> {
    out: String,
    /// The number of files that do not fit.
    left_out: usize,
    /// The most lines of what is at the root.
    most: usize,
    all_open: bool,
    refused: HashSet<&'a BString>,
    away: HashSet<&'a BString>,
}

impl Drawing<'_> {
    fn folder(&mut self, folder: &Folder<'_>, depth: usize) {
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
            if self.out.len() > LIMIT {
                self.left_out += below.count;
                continue;
            }
            let open = match self.all_open || depth == 0 {
                true => " open",
                false => "",
            };
            let refused = match below.refused {
                0 => String::new(),
                count => format!(" <span class=\"tag refused\">{count} refused</span>"),
            };
            self.out += &format!(
                "<li class=\"d\"><details{open}><summary><span class=\"nm\"><bdi>{}</bdi> <span class=\"q\">{}</span>{refused}</span>{}</summary><ul>",
                name(&path),
                plural(below.count, "file"),
                self.bar(Some(below.lines))
            );
            self.folder(below, depth + 1);
            self.out += "</ul></details></li>";
        }
        for (base, change, lines) in &folder.files {
            if self.out.len() > LIMIT {
                self.left_out += 1;
                continue;
            }
            let row = format!(
                "<li class=\"f\"><span class=\"nm\"><bdi>{}</bdi>{}</span>{}</li>",
                name(base),
                tags(
                    change,
                    self.refused.contains(&change.path),
                    self.away.contains(&change.path)
                ),
                self.bar(*lines)
            );
            self.out += &row;
        }
    }

    /// The bar and its figures; all bars have one scale.
    fn bar(&self, lines: Option<ChangedLines>) -> String {
        let Some(lines) = lines.filter(|lines| lines.total() > 0) else {
            return "<span class=\"b none\">no lines counted</span>".to_owned();
        };
        // The square root of the share in per cent.
        let length = (lines.total() * 10_000 / self.most.max(1)).isqrt();
        let length = length.clamp(4, 100);
        // A part of at least one line is seen; the style sheet fits the parts to the whole width.
        let parts =
            [("k", lines.kept), ("l", lines.lost), ("a", lines.added)].map(|(class, count)| {
                let width = (count * 100 / lines.total()).max(2);
                match count {
                    0 => String::new(),
                    _ => format!("<i class=\"{class} w{width}\"></i>"),
                }
            });
        let figure = |class: &str, sign: &str, count: usize| match count {
            0 => "<b>0</b>".to_owned(),
            count => format!("<b class=\"{class}\">{sign}{}</b>", grouped(count)),
        };
        format!(
            "<span class=\"b\" role=\"img\" aria-label=\"{} of {} lines kept, {} lost{}, {} added\"><span class=\"w{length}\">{}</span></span><span class=\"cs\" aria-hidden=\"true\">{}{}{}</span>",
            lines.kept,
            lines.kept + lines.lost,
            lines.lost,
            lines.lost_percent(),
            lines.added,
            parts.concat(),
            figure("", "", lines.kept),
            figure("lo", "−", lines.lost),
            figure("ad", "+", lines.added)
        )
    }
}
