//! The draft of a document's declarations. Items wait until the list ends, so that a long one is read at once.

use super::blocks::InlineText;
use super::design_builder::DesignBuilder;
use super::item::{self, Reading};
use super::source::DesignText;
use super::tasks;

pub(super) struct Draft<'r, 'd, 'e> {
    source: &'r DesignText<'r>,
    builder: &'r mut DesignBuilder<'d>,
    /// Items with how to read them, or tasks.
    waiting: Vec<(&'e InlineText, Option<Reading>)>,
}

impl<'r, 'd, 'e> Draft<'r, 'd, 'e> {
    pub(super) fn new(source: &'r DesignText<'r>, builder: &'r mut DesignBuilder<'d>) -> Self {
        Draft {
            source,
            builder,
            waiting: Vec::new(),
        }
    }

    /// The draft with all items.
    pub(super) fn now(&mut self) -> &mut DesignBuilder<'d> {
        let source = self.source;
        let waiting = std::mem::take(&mut self.waiting);
        self.builder
            .each(&waiting, |(content, reading), draft| match reading {
                Some(reading) => {
                    item::read(source, content, *reading, draft);
                }
                None => tasks::read(source, content, draft),
            });
        self.builder
    }

    /// Adds an item to be read later, or a task.
    pub(super) fn later(&mut self, content: &'e InlineText, reading: Option<Reading>) {
        let last = self.waiting.last();
        // Each task is a form of its own, and an item belongs to the last form.
        if last.is_some_and(|(_, last)| last.is_some() != reading.is_some()) {
            self.now();
        }
        self.waiting.push((content, reading));
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use gix::bstr::BStr;

    use crate::policy::design::{Design, DesignOptions, parse};
    use crate::policy::settings::Settings;

    /// Enough rows for several threads.
    const ROWS: usize = 10_000;
    /// Stands for a number of as many digits.
    const NUMBER: &str = "#####";

    fn parsed(name: &str, text: &str) -> Design {
        let options = DesignOptions::from_settings(&Settings::default());
        parse(BStr::new(name), text.as_bytes(), &options)
    }

    /// What a design says, with lines that count from `first`.
    fn said(design: &Design, first: usize) -> Vec<String> {
        let grants = design.grants.iter().map(|grant| {
            let (line, form) = (grant.anchor.line + first, grant.form);
            let of = (
                &grant.path,
                &grant.renamed,
                &grant.change_type,
                &grant.description,
            );
            format!(
                "{line} {:?} {form:?} {of:?} {:?}",
                grant.actions, grant.anchor.column
            )
        });
        let mentions = design.mentions.iter();
        let mentions =
            mentions.map(|found| format!("{} {}", found.anchor.line + first, found.path));
        let faults = design.faults.iter().map(|fault| {
            let line = fault.anchor.as_ref().unwrap().line + first;
            format!("{line} {} {:?}", fault.message, fault.help)
        });
        let mut said: Vec<String> = grants.chain(mentions).chain(faults).collect();
        said.extend(design.doubtful.iter().map(|name| format!("{name}?")));
        said.sort();
        said.dedup();
        said
    }

    #[test]
    fn a_long_list_is_read_like_many_short_ones() {
        let list = "- Create: `src/a.rs` - a module\n- `src/b.rs:10`\n- Delete: `src/c.rs`\n\
            - Read: `src/d.rs`\n- maybe `src/e.rs`\n- `../f.rs`\n- Rename: `src/g.rs` -> `src/h.rs`\n- nothing\n";
        let table = "| `src/a#####.rs` | Add | a |\n| `src/b#####.rs` | Modify | ä `x` |\n| `src/c#####.rs`, `src/d#####.rs` | Delete | |\n\
            | `TBD` | Add | |\n| `src/e.rs` | Frobnicate | |\n| `/f.rs` | Add | |\n| `src/g#####.rs` | Exists | |\n";
        let tasks = "- [ ] T001 Create the model in src/a.rs\n- [ ] T002 Run `npm test`\n\
            - [ ] T003 Rename `src/b.rs` to `src/c.rs`\n- [ ] T004 Verify src/d.rs\n";
        let kinds = [
            ("d.md", "**Files:**\n\n", list),
            ("d.md", "## Files Changed\n\n", list),
            (
                "d.md",
                "## Files Changed\n\n| File | Change Type | Description |\n|-|-|-|\n",
                table,
            ),
            ("tasks.md", "# Tasks\n\n", tasks),
        ];
        for (name, head, rows) in kinds {
            let lines = rows.lines().count();
            let numbers = 0..ROWS / lines;
            let as_number = |text: &str, number| text.replace(NUMBER, &format!("{number:05}"));
            let all: String = numbers
                .clone()
                .map(|number| as_number(rows, number))
                .collect();
            let whole = said(&parsed(name, &format!("{head}{all}")), 0);
            let part = parsed(name, &format!("{head}{rows}"));
            let parts = numbers.flat_map(|number| {
                let said = said(&part, number * lines);
                said.into_iter().map(move |line| as_number(&line, number))
            });
            let mut parts: Vec<String> = parts.collect();
            parts.sort();
            parts.dedup();
            assert!(whole.len() > ROWS / 2, "{head}");
            assert_eq!(whole.len(), parts.len(), "{head}");
            let differs = whole.iter().zip(&parts).find(|(a, b)| a != b);
            assert_eq!(differs, None, "{head}");
        }
    }
}
