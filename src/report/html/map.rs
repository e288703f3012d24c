//! The map of the change: a tree of directories with a bar per file.

use gix::bstr::{BStr, ByteSlice};

use super::hunks::{counted, tags};
use super::markup::{LIMIT, PagePart, name, not_shown, part, tag};
use crate::report::texts::plural;
use write_guard_policy::finding::refused_paths;
use write_guard_policy::verdict::{ChangedLines, Verdict};

/// Directories below another are open if they have at most so many files.
const FEW: usize = 10;

const LEGEND: &str = "<p class=\"legend\" aria-hidden=\"true\">\
                      <span><i class=\"k\"></i> kept</span> \
                      <span><i class=\"l\"></i> lost</span> \
                      <span><i class=\"a\"></i> added</span> \
                      <span class=\"q\">Longer bars stand for more lines, \
                      by their square root.</span></p>";

/// A changed file below a directory of the tree.
struct MapFile<'a> {
    /// The path from that directory.
    path: &'a BStr,
    lines: ChangedLines,
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
    files.iter().for_each(|file| sum.add(file.lines));
    sum
}

pub(super) fn section_of(verdict: &Verdict) -> Option<PagePart> {
    let refused = refused_paths(&verdict.findings);
    let away = verdict.renamed_away();
    let changes = verdict.ordered_changes().into_iter();
    let files = changes.map(|change| {
        let is_refused = refused.contains(&change.path);
        let is_away = away.contains(&change.path);
        let lines = change.lines().filter(|_| !is_away);
        MapFile {
            path: change.path.as_ref(),
            lines: lines.unwrap_or_default(),
            is_refused,
            tags: tags(change, is_refused, is_away),
        }
    });
    let mut files: Vec<_> = files.collect();
    let count = files.len();
    let lines = sum(&files);
    let mut tree = MapTree {
        out: String::new(),
        left_out: 0,
        most: lines.total(),
    };
    tree.draw(&mut files, 0);
    let lead = format!("{}: {} lines.", plural(count, "file"), counted(lines));
    let map = format!(
        "{LEGEND}<div class=\"map\"><ul class=\"tree\">{}</ul></div>{}",
        tree.out,
        not_shown(tree.left_out, "files")
    );
    part(("map", "Map"), count, &lead, map)
}

struct MapTree {
    out: String,
    /// The number of files that do not fit.
    left_out: usize,
    /// The lines of all files.
    most: usize,
}

impl MapTree {
    /// Draws what is in a directory: the directories in it, then the files.
    fn draw(&mut self, files: &mut [MapFile<'_>], depth: usize) {
        files.sort_by_key(|file| file.directory().is_none());
        for below in files.chunk_by_mut(|a, b| a.directory() == b.directory()) {
            if self.out.len() > 2 * LIMIT {
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
        // The files are in the order of their paths.
        let first = below[0].path;
        let last = below[below.len() - 1].path;
        let both = first.iter().zip(last.iter());
        let common = both.take_while(|(a, b)| a == b).count();
        let end = first[..common].rfind_byte(b'/').map_or(0, |at| at + 1);
        for file in below.iter_mut() {
            file.path = file.path[end..].as_bstr();
        }
        let is_open = depth == 0 || below.len() <= FEW;
        let open = if is_open { " open" } else { "" };
        let refused = match below.iter().filter(|file| file.is_refused).count() {
            0 => String::new(),
            count => tag("refused", &format!("{count} refused")),
        };
        let bar = self.bar(sum(below));
        self.out += &format!(
            "<li class=\"d\"><details{open}><summary><span class=\"nm\"><bdi>{}</bdi> \
             <span class=\"q\">{}</span>{refused}</span>{bar}</summary><ul>",
            name(&first[..end]),
            plural(below.len(), "file"),
        );
        self.draw(below, depth + 1);
        self.out += "</ul></details></li>";
    }

    /// The bar and its figures; all bars have one scale.
    fn bar(&self, lines: ChangedLines) -> String {
        if lines.total() == 0 {
            return "<span class=\"b none\">no lines counted</span>".to_owned();
        }
        // The square root of the share in per cent.
        let length = (lines.total() * 10_000 / self.most).isqrt();
        let length = length.clamp(4, 100);
        let parts = [("k", lines.kept), ("l", lines.lost), ("a", lines.added)];
        let parts = parts.into_iter().filter(|(_, count)| *count > 0);
        let parts: String = parts
            .map(|(part, count)| {
                // A part of at least one line is seen; the style sheet fits the parts to the whole width.
                let width = (count * 100 / lines.total()).max(2);
                format!("<i class=\"{part} w{width}\"></i>")
            })
            .collect();
        format!(
            "<span class=\"b\" aria-hidden=\"true\"><span class=\"w{length}\">{parts}</span></span>\
             <span class=\"cs\">{}</span>",
            counted(lines)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(most: usize) -> MapTree {
        MapTree {
            out: String::new(),
            left_out: 0,
            most,
        }
    }

    #[test]
    fn bar_is_as_long_as_the_root_of_its_share_and_shows_each_part() {
        for (most, kept, lost, added, length, parts) in [
            (100, 100, 0, 0, 100, "k100"),
            (100, 0, 25, 0, 50, "l100"),
            (100, 0, 0, 1, 10, "a100"),
            (400, 50, 30, 20, 50, "k50 l30 a20"),
            (300, 99, 0, 201, 100, "k33 a67"),
            // A part or bar of one line is seen.
            (1000, 998, 1, 1, 100, "k99 l2 a2"),
            (1_000_000, 1, 0, 0, 4, "k100"),
        ] {
            let bar = tree(most).bar(ChangedLines { kept, lost, added });
            let shown = bar.split("</span>").next().unwrap_or_default();
            let parts: String = parts
                .split(' ')
                .map(|part| part.split_at(1))
                .map(|(part, width)| format!("<i class=\"{part} w{width}\"></i>"))
                .collect();
            let expected = format!("<span class=\"w{length}\">{parts}");
            assert!(shown.ends_with(&expected), "{expected} in {bar}");
            let figures = format!("{kept} kept, {lost} lost");
            assert!(bar.contains(&figures), "{bar}");
        }
        let none = tree(100).bar(ChangedLines::default());
        assert!(none.contains("no lines counted"), "{none}");
    }

    /// The tree of files without lines.
    fn drawn(mut tree: MapTree, paths: &[String]) -> MapTree {
        let files = paths.iter().map(|path| MapFile {
            path: path.as_str().into(),
            lines: ChangedLines::default(),
            is_refused: path.contains("no"),
            tags: String::new(),
        });
        tree.draw(&mut files.collect::<Vec<_>>(), 0);
        tree
    }

    fn numbered(directory: &str, count: usize) -> Vec<String> {
        (10..10 + count)
            .map(|number| format!("{directory}/{number}.rs"))
            .collect()
    }

    #[test]
    fn directory_below_another_is_open_if_it_has_few_files() {
        let closed = "<details><summary>";
        for (paths, are_open) in [
            (numbered("top", FEW + 1), "true"),
            (numbered("top/below/more", FEW + 1), "true"),
            (
                [numbered("top/a", FEW), numbered("top/b", FEW + 1)].concat(),
                "true true false",
            ),
            (
                [numbered("a/b/c", FEW + 1), numbered("a/b/d/e", 1)].concat(),
                "true false true",
            ),
        ] {
            let out = drawn(tree(1), &paths).out;
            let opened = out.split("<details").skip(1);
            let opened: Vec<String> = opened
                .map(|part| part.starts_with(" open>").to_string())
                .collect();
            assert_eq!(opened.join(" "), are_open, "{out}");
            let count = are_open.matches("false").count();
            assert_eq!(out.matches(closed).count(), count, "{out}");
        }
    }

    #[test]
    fn directories_with_nothing_else_share_a_line_and_count_what_is_refused() {
        let paths = ["src/a/b/no.rs", "src/a/b/x/no.rs", "src/a/b/x/y.rs", "z.rs"];
        let out = drawn(tree(1), &paths.map(str::to_owned)).out;
        for (name, count, refused) in [("src/a/b/", "3 files", 2), ("x/", "2 files", 1)] {
            let tag = tag("refused", &format!("{refused} refused"));
            let line = format!("<bdi>{name}</bdi> <span class=\"q\">{count}</span>{tag}");
            assert!(out.contains(&line), "{line} in {out}");
        }
        assert_eq!(out.matches("<li class=\"d\">").count(), 2, "{out}");
        for name in ["no.rs", "y.rs", "z.rs"] {
            assert!(out.contains(&format!("<bdi>{name}</bdi>")), "{out}");
        }
    }

    #[test]
    fn files_beyond_the_limit_are_counted() {
        let paths = [numbered("a", 2), numbered("b", 3), vec!["c.rs".to_owned()]].concat();
        for (length, left_out) in [(0, 0), (LIMIT + 3, 0), (2 * LIMIT + 1, 6), (3 * LIMIT, 6)] {
            let mut full = tree(1);
            full.out = "x".repeat(length);
            let full = drawn(full, &paths);
            assert_eq!(full.left_out, left_out, "{length}");
            assert_eq!(full.out.len() == length, left_out > 0, "{length}");
        }
        // The line of the first directory still fits.
        let mut nearly = tree(1);
        nearly.out = "x".repeat(2 * LIMIT);
        let nearly = drawn(nearly, &paths);
        assert_eq!(nearly.left_out, 6);
        assert!(nearly.out.contains("<bdi>a/</bdi>") && !nearly.out.contains("<bdi>b/</bdi>"));
    }
}
