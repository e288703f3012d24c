//! The map of the change: a tree of directories with a bar per file.

use gix::bstr::{BStr, ByteSlice};

use super::hunks::tags;
use super::markup::{PagePart, grouped, name, not_shown, part};
use crate::finding::refused_paths;
use crate::report::texts::plural;
use crate::verdict::{ChangedLines, Verdict};

const LIMIT: usize = 2_400_000;
/// With at most so many files, every directory is open.
const ALL_OPEN: usize = 60;

const LEGEND: &str = "<p class=\"legend\" aria-hidden=\"true\"><span><i class=\"k\"></i> kept</span> <span><i class=\"l\"></i> lost</span> <span><i class=\"a\"></i> added</span> <span class=\"q\">Longer bars stand for more lines, by their square root.</span></p>";
const HEAD: &str = "<p class=\"maphead\" aria-hidden=\"true\"><span></span><span></span><span>kept</span><span>lost</span><span>added</span></p>";

/// A changed file below a directory of the tree.
struct MapFile<'a> {
    /// The path from that directory.
    path: &'a BStr,
    lines: Option<ChangedLines>,
    is_refused: bool,
    tags: String,
}

impl<'a> MapFile<'a> {
    /// The first directory of the path.
    fn directory(&self) -> Option<&'a BStr> {
        let (directory, _) = self.path.split_once_str("/")?;
        Some(directory.as_bstr())
    }
}

fn sum(files: &[MapFile<'_>]) -> ChangedLines {
    let mut sum = ChangedLines::default();
    let lines = files.iter().filter_map(|file| file.lines);
    lines.for_each(|lines| sum.add(lines));
    sum
}

pub(super) fn section_of(verdict: &Verdict) -> Option<PagePart> {
    let (refused, away) = (refused_paths(&verdict.findings), verdict.renamed_away());
    let changes = verdict.ordered_changes().into_iter();
    let files = changes.map(|change| {
        let is_refused = refused.contains(&change.path);
        let is_away = away.contains(&change.path);
        MapFile {
            path: change.path.as_ref(),
            lines: change.lines().filter(|_| !is_away),
            is_refused,
            tags: tags(change, is_refused, is_away),
        }
    });
    let mut files: Vec<_> = files.collect();
    let (count, lines) = (files.len(), sum(&files));
    let at_root = files.chunk_by(|a, b| a.directory().is_some_and(|at| b.directory() == Some(at)));
    let mut tree = MapTree {
        out: String::new(),
        left_out: 0,
        most: at_root.map(|files| sum(files).total()).max().unwrap_or(0),
        all_open: count <= ALL_OPEN,
    };
    tree.draw(&mut files, 0);
    let lead = format!(
        "{}: {} lines kept, {} lost, {} added.",
        plural(count, "file"),
        grouped(lines.kept),
        grouped(lines.lost),
        grouped(lines.added)
    );
    let map = format!(
        "{LEGEND}<div class=\"map\">{HEAD}<ul class=\"tree\">{}</ul></div>{}",
        tree.out,
        not_shown(tree.left_out, "files")
    );
    part(("map", "Map", "Map of the change"), count, &lead, map)
}

struct MapTree {
    out: String,
    /// The number of files that do not fit.
    left_out: usize,
    /// The most lines of what is at the root.
    most: usize,
    all_open: bool,
}

impl MapTree {
    /// Draws what is in a directory: the directories in it, then the files.
    fn draw(&mut self, files: &mut [MapFile<'_>], depth: usize) {
        files.sort_by_key(|file| file.directory().is_none());
        for below in files.chunk_by_mut(|a, b| a.directory() == b.directory()) {
            if self.out.len() > LIMIT {
                self.left_out += below.len();
            } else if below[0].directory().is_some() {
                self.draw_directory(below, depth);
            } else {
                for file in below {
                    let bar = self.bar(file.lines);
                    self.out += &format!(
                        "<li class=\"f\"><span class=\"nm\"><bdi>{}</bdi>{}</span>{bar}</li>",
                        name(file.path),
                        file.tags
                    );
                }
            }
        }
    }

    /// Draws a directory. Directories with nothing else in them share a line.
    fn draw_directory(&mut self, below: &mut [MapFile<'_>], depth: usize) {
        let mut path = Vec::new();
        while let Some(first) = below[0].directory()
            && below.iter().all(|file| file.directory() == Some(first))
        {
            path.extend_from_slice(first);
            path.push(b'/');
            for file in below.iter_mut() {
                file.path = &file.path[first.len() + 1..];
            }
        }
        let open = match self.all_open || depth == 0 {
            true => " open",
            false => "",
        };
        let refused = match below.iter().filter(|file| file.is_refused).count() {
            0 => String::new(),
            count => format!(" <span class=\"tag refused\">{count} refused</span>"),
        };
        let bar = self.bar(Some(sum(below)));
        self.out += &format!(
            "<li class=\"d\"><details{open}><summary><span class=\"nm\"><bdi>{}</bdi> <span class=\"q\">{}</span>{refused}</span>{bar}</summary><ul>",
            name(&path),
            plural(below.len(), "file"),
        );
        self.draw(below, depth + 1);
        self.out += "</ul></details></li>";
    }

    /// The bar and its figures; all bars have one scale.
    fn bar(&self, lines: Option<ChangedLines>) -> String {
        let Some(lines) = lines.filter(|lines| lines.total() > 0) else {
            return "<span class=\"b none\">no lines counted</span>".to_owned();
        };
        // The square root of the share in per cent.
        let length = (lines.total() * 10_000 / self.most.max(1)).isqrt();
        let length = length.clamp(4, 100);
        let (mut parts, mut figures) = (String::new(), String::new());
        for (part, class, sign, count) in [
            ("k", "", "", lines.kept),
            ("l", "lo", "−", lines.lost),
            ("a", "ad", "+", lines.added),
        ] {
            if count == 0 {
                figures += "<b>0</b>";
                continue;
            }
            // A part of at least one line is seen; the style sheet fits the parts to the whole width.
            let width = (count * 100 / lines.total()).max(2);
            parts += &format!("<i class=\"{part} w{width}\"></i>");
            figures += &format!("<b class=\"{class}\">{sign}{}</b>", grouped(count));
        }
        format!(
            "<span class=\"b\" role=\"img\" aria-label=\"{} of {} lines kept, {} lost{}, {} added\"><span class=\"w{length}\">{parts}</span></span><span class=\"cs\" aria-hidden=\"true\">{figures}</span>",
            lines.kept,
            lines.kept + lines.lost,
            lines.lost,
            lines.lost_percent(),
            lines.added
        )
    }
}
