//! Each word of the grammar has its own case: a document with it, and a control document without it.
#![allow(clippy::unwrap_used)]

use gix::bstr::BStr;
use write_guard::design::parse;
use write_guard::scope::settings::Settings;

use super::{design, deviations, none_deviates};

const PHRASES: &str = "do not|don't|must not|not part of|no changes|unchanged|untouched|off limits|out of scope|\
    only if|if needed|if necessary|optional|maybe|later|follow-up|TBD|tbd";

/// The words that deny an item without a type, each in a remark.
const WORDS: &str = "not the loop|no loop|never the loop|the loop isn't there|without the loop|unaffected|\
    skip the loop|frozen|perhaps|possibly|probably|might grow|may grow|if it grows|unless it grows|when it grows|\
    once it grows|next|in phase 2|the loop?|stays|remains|or similar|or equivalent|as needed";

/// Words that excluding headings and bold groups have.
const EXCLUDING: &str = "not|non-goal|non-goals|out of scope|won't|deferred|later|future|follow-up|follow-ups|\
    alternative|alternatives|considered|rejected|discarded|dropped|done|completed|history|background|context|\
    current|existing|example|examples|template|templates|appendix|reference|references|rollback|rollbacks|optional|\
    maybe|untouched|unchanged|unaffected|frozen|backlog|blocked|previous|root cause|root causes|investigate";

/// What type words grant.
const TYPES: [(&str, &str); 7] = [
    ("add", "Add|New|Create|Added|Created|ADD"),
    (
        "modify",
        "Modify|Update|Edit|Change|Rewrite|Modified|Updated|Edited|Changed|modify",
    ),
    ("delete", "Delete|Remove|Deleted|Removed"),
    ("write", "Add/Modify|Test|Write"),
    ("symlink", "Symlink"),
    ("submodule", "Submodule"),
    (
        "mention",
        "Exists|Existing|Verify|Unchanged|No change|Read|Check|Review|Reference|Keep",
    ),
];

/// The phrases of labels and headings, with what an untyped item below them grants.
const LABELS: [(&str, &str); 21] = [
    ("Files changed", "write"),
    ("Files touched", "write"),
    ("Files affected", "write"),
    ("Files modified", "change"),
    ("Files to create", "add"),
    ("Files to modify", "modify"),
    ("Files to change", "change"),
    ("Files to update", "change"),
    ("Files to implement", "change"),
    ("Files to Create/Modify", "write"),
    ("Files to create and modify", "write"),
    ("Files to create or modify", "write"),
    ("File changes", "write"),
    ("File map", "write"),
    ("Declared files", "write"),
    ("New files", "add"),
    ("Created files", "add"),
    ("Modified files", "modify"),
    ("Updated files", "modify"),
    ("Deleted files", "delete"),
    ("Affected code", "write"),
];

/// A document with an item beside one that is granted.
fn item(item: &str) -> String {
    format!("# Plan\n\n**Files:**\n- Modify: `src/a.rs`\n- {item}\n")
}

/// Checks documents against labels; every document also grants to modify `src/a.rs`.
#[track_caller]
fn check(cases: impl IntoIterator<Item = (String, String)>) {
    none_deviates(cases.into_iter().map(|(text, label)| {
        let mut labels = vec!["modify src/a.rs".to_owned()];
        if !label.is_empty() {
            labels.push(label);
        }
        let deviations = deviations(&design("docs/plans/plan.md", &text), &labels);
        (text, deviations)
    }));
}

#[test]
fn each_denial_phrase_makes_an_item_bad() {
    let denied = PHRASES.split('|').flat_map(|phrase| {
        let remarks = [
            format!("- {phrase}"),
            format!("- {phrase} the loop"),
            format!("- the loop; {}", phrase.to_uppercase()),
            format!("({phrase})"),
            format!("(the loop, {phrase})"),
        ];
        remarks.into_iter().flat_map(|remark| {
            ["", "Modify: "]
                .map(|kind| (item(&format!("{kind}`src/b.rs` {remark}")), String::new()))
        })
    });
    check(denied);
}

#[test]
fn without_a_denial_phrase_the_same_items_are_granted() {
    let remarks = ["", "- the loop", "(the loop)", "- collateral, latest, mayb"];
    check(remarks.into_iter().flat_map(|remark| {
        ["write", "modify"].map(|action| {
            let kind = if action == "modify" { "Modify: " } else { "" };
            (
                item(&format!("{kind}`src/b.rs` {remark}")),
                format!("{action} src/b.rs"),
            )
        })
    }));
}

#[test]
fn each_denial_word_makes_an_untyped_item_bad_and_no_typed_one() {
    check(WORDS.split('|').flat_map(|word| {
        [
            format!(" - {word}"),
            format!(" ({word})"),
            format!(": {word}"),
        ]
        .into_iter()
        .flat_map(|remark| {
            [
                (item(&format!("`src/b.rs`{remark}")), String::new()),
                (
                    item(&format!("Modify: `src/b.rs`{remark}")),
                    "modify src/b.rs".to_owned(),
                ),
            ]
        })
    }));
}

#[test]
fn words_that_only_contain_a_denial_word_deny_nothing() {
    let words = [
        "notation", "another", "ifdef", "mighty", "whenever", "nextest", "nonce", "skipper",
    ];
    check(words.map(|word| {
        (
            item(&format!("`src/b.rs` - {word}")),
            "write src/b.rs".to_owned(),
        )
    }));
}

#[test]
fn each_type_word_grants_its_actions() {
    check(TYPES.iter().flat_map(|(actions, words)| {
        words.split('|').flat_map(move |word| {
            [
                format!("{word}: `src/b.rs`"),
                format!("{word} `src/b.rs`"),
                format!("**{word}:** `src/b.rs`"),
                format!("**{word}**: `src/b.rs` - the loop"),
                format!("{}: src/b.rs", word.to_lowercase()),
            ]
            .map(|text| (item(&text), format!("{actions} src/b.rs")))
        })
    }));
}

#[test]
fn a_word_that_is_no_type_grants_nothing() {
    check(TYPES.iter().flat_map(|(_, words)| {
        words.split('|').flat_map(|word| {
            [
                format!("x{word}: `src/b.rs`"),
                format!("{word}x `src/b.rs`"),
                format!("**Not {word}:** `src/b.rs`"),
                format!("To {word}: `src/b.rs`"),
                format!("{word} the loop of `src/b.rs`"),
                format!("{word}, `src/b.rs` behind it"),
            ]
            .map(|text| (item(&text), String::new()))
        })
    }));
}

#[test]
fn types_of_items_are_no_types_of_tables() {
    const TABLE: &str = "# Plan\n\n## Files Changed\n\n| File | Change Type |\n|---|---|\n| `src/a.rs` | Modify |\n";
    let words = ["Test", "Write"];
    check(words.map(|word| {
        (
            format!("{TABLE}| `src/b.rs` | {word} |\n"),
            format!("report | {word} |"),
        )
    }));
}

#[test]
fn each_phrase_begins_a_passage_as_label_and_as_heading() {
    const OTHER: &str = "\n\n### Work\n\n**Files:**\n- Modify: `src/a.rs`\n";
    check(LABELS.iter().flat_map(|(phrase, actions)| {
        [
            format!("# Plan\n\n## {phrase}\n\n- `src/b.rs`{OTHER}"),
            format!("# Plan\n\n## 2.1 {phrase} (engine)\n\n- `src/b.rs`{OTHER}"),
            format!(
                "# Plan\n\n#### {}:\n- `src/b.rs`{OTHER}",
                phrase.to_uppercase()
            ),
            format!("# Plan\n\n**{phrase}:**\n- `src/b.rs`{OTHER}"),
            format!("# Plan\n\n**{phrase}**\n\n- `src/b.rs`{OTHER}"),
            format!("# Plan\n\n{phrase}:\n\n- `src/b.rs`{OTHER}"),
            format!("# Plan\n\n- {phrase}:\n  - `src/b.rs`{OTHER}"),
            format!("# Plan\n\n**{phrase}:** `src/b.rs`{OTHER}"),
            format!("# Plan\n\n- **{phrase}**: `src/b.rs`{OTHER}"),
        ]
        .map(|text| (text, format!("{actions} src/b.rs")))
    }));
}

#[test]
fn a_phrase_with_further_words_begins_no_passage() {
    const OTHER: &str = "\n\n## Work\n\n**Files:**\n- Modify: `src/a.rs`\n";
    check(LABELS.iter().flat_map(|(phrase, _)| {
        [
            format!("# Plan\n\n**{phrase} again:**\n- `src/b.rs`{OTHER}"),
            format!("# Plan\n\n**My {phrase}:** `src/b.rs`{OTHER}"),
            format!("# Plan\n\n{phrase} in the SDK:\n\n- `src/b.rs`{OTHER}"),
            format!("# Plan\n\n{phrase}\n\n- `src/b.rs`{OTHER}"),
            format!("# Plan\n\n**{phrase} (soon):**\n- `src/b.rs`{OTHER}"),
            format!("# Plan\n\nThe {phrase}\n**{phrase}:** `src/b.rs`{OTHER}"),
            format!("# Plan\n\n## {phrase} of the SDK\n\n- `src/b.rs`{OTHER}"),
            format!("# Plan\n\n## Not {phrase}\n\n- `src/b.rs`{OTHER}"),
            format!("# Plan\n\n## {phrase}\n\nThese:\n\n- `src/b.rs`{OTHER}"),
        ]
        .map(|text| (text, String::new()))
    }));
}

#[test]
fn headings_of_the_settings_begin_passages() {
    let options = Settings {
        headings: vec!["Geänderte Dateien".to_owned()],
        ..Settings::default()
    };
    let text =
        "# Plan\n\n## 1. Geänderte Dateien\n\n- `src/a.rs`\n\n## Andere Dateien\n\n- `src/b.rs`\n";
    let design = parse(BStr::new("docs/plans/plan.md"), text.as_bytes(), &options);
    let wrong = deviations(&design, &["write src/a.rs".to_owned()]);
    assert!(wrong.is_empty(), "{wrong}");
}

/// A passage below a heading, and another one that counts.
fn below(heading: &str) -> String {
    format!(
        "# Plan\n\n{heading}\n\n#### Details\n\nFiles to modify:\n\n- `src/b.rs`\n\n## Work\n\n**Files:**\n- Modify: `src/a.rs`\n"
    )
}

#[test]
fn each_excluding_word_takes_out_everything_below_its_heading() {
    check(EXCLUDING.split('|').flat_map(|word| {
        [
            below(&format!("## {word}")),
            below(&format!("## {}", word.to_uppercase())),
            below(&format!("## 3. The {word} index")),
            below(&format!("## Parser ({word})")),
            below(&format!("### Phase 2: {word}")),
            below(&format!("### Task 1: engine ({word})")),
            below(&format!("## Work\n\n## {word}\n\n### Parser")),
            format!("# Plan\n\n## Files to Modify ({word})\n\n- `src/b.rs`\n\n## Work\n\n**Files:**\n- Modify: `src/a.rs`\n"),
            format!("# Plan\n\n**{word}**\n\nFiles to modify:\n\n- `src/b.rs`\n\n## Work\n\n**Files:**\n- Modify: `src/a.rs`\n"),
        ]
        .map(|text| (text, String::new()))
    }));
}

#[test]
fn a_title_a_task_and_a_longer_word_exclude_nothing() {
    check(EXCLUDING.split('|').flat_map(|word| {
        [
            below("## Parser"),
            below(&format!("## {word}ish")),
            below(&format!("### Task 1: Handle the {word} index")),
            below(&format!("### Unit 2: Move {word} tokens")),
            below("## Parser").replace("# Plan", &format!("# The {word} index")),
            below(&format!("## {word}\n\n## Parser")),
        ]
        .map(|text| (text, "modify src/b.rs".to_owned()))
    }));
}
