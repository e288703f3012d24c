//! What holds for every design: small changes of the labelled documents never widen what they grant.
//!
//! `GUARD_LONG` makes more changes, and `GUARD_SEED` chooses others.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use gix::bstr::BStr;
use write_guard::design::{Design, parse};
use write_guard::scope::settings::Settings;
use write_guard::scope::{Actions, GrantKind};

use crate::common::documents::corpus;
use crate::common::random::Random;

fn read(at: &str, text: &str) -> Design {
    parse(BStr::new(at), text.as_bytes(), &Settings::default())
}

/// For each path, all that its grants let a change do.
type Granted = BTreeMap<(String, &'static str), Actions>;

fn granted(design: &Design) -> Granted {
    let mut granted = Granted::new();
    for grant in &design.grants {
        let kind = match grant.kind {
            GrantKind::File => "file",
            GrantKind::Directory => "directory",
            GrantKind::Glob => "glob",
        };
        let key = (grant.path.to_string(), kind);
        let actions = granted.entry(key).or_insert(Actions::NONE);
        *actions = *actions | grant.actions;
    }
    granted
}

/// What `after` lets a change do and `before` does not. An Add row may modify what is new, which Modify includes.
fn beyond(before: &Granted, after: &Granted) -> Vec<String> {
    let mut beyond = Vec::new();
    for (key, actions) in after {
        let mut known = before.get(key).copied().unwrap_or(Actions::NONE);
        if known.contains(Actions::MODIFY) {
            known = known | Actions::MODIFY_NEW;
        }
        if !known.contains(*actions) {
            beyond.push(format!("{key:?}: {actions:?}"));
        }
    }
    beyond
}

fn random() -> Random {
    let seed = std::env::var("GUARD_SEED").ok();
    let seed = seed.and_then(|seed| seed.parse().ok());
    Random(seed.unwrap_or(0x9e37_79b9_7f4a_7c15))
}

/// How often each document is changed.
fn rounds() -> usize {
    if std::env::var_os("GUARD_LONG").is_some() {
        400
    } else {
        20
    }
}

/// Fails with the first documents whose change granted something.
#[track_caller]
fn none_grants_more(wrong: &[String]) {
    let mut text = format!("{} changes grant more\n", wrong.len());
    for found in wrong.iter().take(5) {
        write!(text, "\n=======\n{found}").unwrap();
    }
    assert!(wrong.is_empty(), "{text}");
}

/// What earlier versions read as rows, and what people write around rows.
const INSERTIONS: &[&str] = &[
    "Change `src/inserted.rs` as well, and delete `src/main.rs`.",
    "Files that may be touched: src/inserted.rs, src/main.rs",
    "- [ ] T042 [P] Create src/inserted.rs",
    "- [x] 2.1 Update `src/inserted.rs`: count the joins",
    "- [ ] **Step 1:** Delete `src/inserted.rs`",
    "- [ ] `src/inserted.rs`",
    "- [x] Modify: `src/inserted.rs` — done",
    "```text\nsrc/\n├── inserted.rs  # NEW\n└── main.rs      # DELETE\n```",
    "```\nsrc/inserted.rs\nsrc/main.rs\n```",
    "~~~\n## Files Changed\n\n- `src/inserted.rs`\n~~~",
    "<files>src/inserted.rs, src/main.rs</files>",
    "<task>\n<files>src/inserted.rs</files>\n</task>",
    "**File:** `src/inserted.rs`",
    "**Files:** `src/inserted.rs`, `src/main.rs`",
    "**Files to modify:** Modify: `src/inserted.rs`",
    "> **Files:**\n> - `src/inserted.rs`",
    "The parser changes. It reads `src/inserted.rs`.",
    "1. First, read `src/inserted.rs`.\n2. Then write `src/other.rs`.",
];

/// The lines at which a block of the top level begins: after an empty line, not indented, and outside of front matter and
/// fences.
fn boundaries(text: &str) -> Vec<usize> {
    let mut boundaries = Vec::new();
    let mut at = 0;
    let mut is_after_blank = false;
    let mut fence: Option<&str> = None;
    let is_front = text.trim_start_matches('\u{feff}').starts_with("---");
    let mut is_in_front = is_front;
    for (number, line) in text.split_inclusive('\n').enumerate() {
        let bare = line.trim();
        if is_in_front {
            is_in_front = number == 0 || !matches!(bare, "---" | "...");
            is_after_blank = !is_in_front;
            at += line.len();
            continue;
        }
        if is_after_blank && fence.is_none() && !line.starts_with(char::is_whitespace) {
            boundaries.push(at);
        }
        let mark = ["```", "~~~"]
            .into_iter()
            .find(|mark| bare.starts_with(mark));
        if let Some(mark) = mark {
            fence = match fence {
                None => Some(mark),
                Some(open) if open == mark => None,
                open => open,
            };
        }
        is_after_blank = bare.is_empty();
        at += line.len();
    }
    boundaries.push(text.len());
    boundaries
}

#[test]
fn an_inserted_sentence_task_tree_tag_or_code_block_grants_nothing() {
    let mut random = random();
    let (mut count, mut wrong) = (0, Vec::new());
    for (at, text) in corpus() {
        let before = granted(&read(&at, &text));
        let boundaries = boundaries(&text);
        for _ in 0..rounds() {
            let place = boundaries[random.below(boundaries.len())];
            let inserted = random.of(INSERTIONS);
            let mut changed = text.clone();
            changed.insert_str(place, &format!("\n{inserted}\n\n"));
            let beyond = beyond(&before, &granted(&read(&at, &changed)));
            count += 1;
            if !beyond.is_empty() {
                wrong.push(format!("{at}: {beyond:?}\n{changed}"));
            }
        }
    }
    assert!(count >= 10_000, "only {count} changes");
    none_grants_more(&wrong);
}

/// Letters of other scripts that look like those of ASCII.
const LOOK_ALIKES: &[(char, char)] = &[
    ('a', '\u{430}'),
    ('c', '\u{441}'),
    ('e', '\u{435}'),
    ('i', '\u{456}'),
    ('o', '\u{43e}'),
    ('x', '\u{445}'),
    ('A', '\u{391}'),
    ('M', '\u{39c}'),
    ('N', '\u{39d}'),
    ('T', '\u{422}'),
];

#[test]
fn another_letter_in_a_type_removes_the_row() {
    let mut random = random();
    let (mut count, mut untyped, mut wrong) = (0, 0, Vec::new());
    for (at, text) in corpus() {
        let design = read(&at, &text);
        let before = granted(&design);
        for grant in &design.grants {
            let Some(start) = type_place(&text, grant) else {
                continue;
            };
            let letters: Vec<(usize, char)> = text[start..start + grant.change_type.len()]
                .char_indices()
                .filter(|(_, c)| c.is_ascii_alphabetic())
                .collect();
            let Some((offset, letter)) = letters.get(random.below(letters.len().max(1))) else {
                continue;
            };
            let look_alike = LOOK_ALIKES.iter().find(|(ascii, _)| ascii == letter);
            let mut others = vec!['q', 'X', '\u{e9}', '\u{200b}'];
            others.extend(look_alike.map(|(_, other)| other));
            for other in others {
                let mut changed = text.clone();
                let place = start + offset;
                changed.replace_range(place..place + letter.len_utf8(), &other.to_string());
                let after = read(&at, &changed);
                count += 1;
                let place = grant.anchor.span.start
                    + usize::from(place < grant.anchor.span.start)
                        * (other.len_utf8() - letter.len_utf8());
                let same = after
                    .grants
                    .iter()
                    .filter(|found| found.anchor.span.start == place);
                // The only type of a column with another header makes it one of types.
                if design.is_typed() && !after.is_typed() {
                    untyped += 1;
                    continue;
                }
                let beyond = beyond(&before, &granted(&after));
                for found in same {
                    wrong.push(format!("{at}: kept {}\n{changed}", found.change_type));
                }
                if !beyond.is_empty() {
                    wrong.push(format!("{at}: {beyond:?}\n{changed}"));
                }
            }
        }
    }
    assert!(count >= 2_000, "only {count} changes");
    assert!(untyped <= count / 100, "{untyped} of {count}");
    none_grants_more(&wrong);
}

/// Where the type of a row stands: in front of the path in an item, or in a cell of the same line.
fn type_place(text: &str, grant: &write_guard::scope::Grant) -> Option<usize> {
    if grant.change_type.is_empty() {
        return None;
    }
    let span = &grant.anchor.span;
    let start = text[..span.start].rfind('\n').map_or(0, |end| end + 1);
    let end = text[span.end..]
        .find('\n')
        .map_or(text.len(), |end| span.end + end);
    let before = text[start..span.start].find(&grant.change_type);
    let behind = text[span.end..end].find(&grant.change_type);
    before
        .map(|at| start + at)
        .or(behind.map(|at| span.end + at))
}

/// A table in a document: the range of its rows, and their cells, the header and its marks first.
struct FoundTable {
    start: usize,
    end: usize,
    rows: Vec<Vec<String>>,
}

/// The tables whose lines are simple: each begins and ends with a pipe and has the same number of cells.
fn tables(text: &str) -> Vec<FoundTable> {
    let mut tables: Vec<FoundTable> = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let bare = line.trim_end();
        let is_row = bare.len() > 2 && bare.starts_with('|') && bare.ends_with('|');
        if is_row && !bare.contains("\\|") && !bare.contains('<') {
            let cells: Vec<String> = bare[1..bare.len() - 1]
                .split('|')
                .map(str::to_owned)
                .collect();
            match tables.last_mut() {
                Some(table) if table.end == at => table.rows.push(cells),
                _ => tables.push(FoundTable {
                    start: at,
                    end: at,
                    rows: vec![cells],
                }),
            }
            if let Some(table) = tables.last_mut() {
                table.end = at + line.len();
            }
        }
        at += line.len();
    }
    let is_whole = |table: &FoundTable| {
        let width = table.rows[0].len();
        let marks = |cell: &String| cell.trim().chars().all(|c| matches!(c, '-' | ':'));
        // A line of text behind a table is a row of it.
        let next = text[table.end..].lines().next().unwrap_or("");
        table.rows.len() > 2
            && table.rows.iter().all(|row| row.len() == width)
            && table.rows[1].iter().all(marks)
            && next.trim().is_empty()
    };
    tables.retain(is_whole);
    tables
}

/// Moves what stands in a list by a random order.
fn shuffled(random: &mut Random, length: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..length).collect();
    for end in (1..length).rev() {
        order.swap(end, random.below(end + 1));
    }
    order
}

#[test]
fn the_order_of_columns_and_rows_does_not_matter() {
    let mut random = random();
    let (mut count, mut with_grants, mut wrong) = (0, 0, Vec::new());
    for (at, text) in corpus() {
        let before = read(&at, &text);
        // A pipe inside of a code span makes a row that is too long, wherever it stands.
        if before
            .faults
            .iter()
            .any(|fault| fault.reason == "extra-cells")
        {
            continue;
        }
        let expected = granted(&before);
        let denied: BTreeSet<_> = before.denials.iter().map(|denial| &denial.path).collect();
        for table in tables(&text) {
            for _ in 0..4 {
                let columns = shuffled(&mut random, table.rows[0].len());
                let rows = shuffled(&mut random, table.rows.len() - 2);
                let order = [0, 1].into_iter().chain(rows.iter().map(|row| row + 2));
                let mut lines = String::new();
                for row in order {
                    let cells: Vec<&str> = columns
                        .iter()
                        .map(|&column| table.rows[row][column].as_str())
                        .collect();
                    writeln!(lines, "|{}|", cells.join("|")).unwrap();
                }
                let changed = format!("{}{lines}{}", &text[..table.start], &text[table.end..]);
                let after = read(&at, &changed);
                count += 1;
                with_grants += usize::from(!expected.is_empty());
                let found: BTreeSet<_> = after.denials.iter().map(|denial| &denial.path).collect();
                if granted(&after) != expected || found != denied {
                    let found = granted(&after);
                    wrong.push(format!("{at}: {expected:?}\n{found:?}\n{changed}"));
                }
            }
        }
    }
    println!("{count} changes, {with_grants} of tables with grants");
    assert!(with_grants >= 300, "only {with_grants} tables");
    none_grants_more(&wrong);
}
