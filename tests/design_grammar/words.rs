//! Each word of the grammar has its own case: a document with it, and a control document without it.

use super::{design, deviations, none_deviates};
use crate::common::table;

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
const TYPES: &str = "\
    add | Add New Create Added Created ADD
    modify | Modify Update Edit Change Rewrite Modified Updated Edited Changed modify
    delete | Delete Remove Deleted Removed
    write | Add/Modify Test Write
    symlink | Symlink
    submodule | Submodule
    mention | Exists Existing Verify Unchanged Read Check Review Reference Keep";

/// The phrases of labels and headings, with what an untyped item below them grants.
const LABELS: &str = "\
    write | Files changed, Files touched, Files affected, Files to Create/Modify, Files to create and modify
    write | Files to create or modify, File changes, File map, Declared files, Affected code
    change | Files modified, Files to change, Files to update, Files to implement
    add | Files to create, New files, Created files
    modify | Files to modify, Modified files, Updated files
    delete | Deleted files";

/// The names of a list with their action.
fn words(
    list: &'static str,
    end: &'static str,
) -> impl Iterator<Item = (&'static str, &'static str)> {
    let rows = table(list);
    rows.flat_map(move |[action, words]| words.split(end).map(move |word| (action, word)))
}

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

/// An item beside one that is granted, and what is granted for it: nothing, or an action on `src/b.rs`.
#[track_caller]
fn check_items(items: impl IntoIterator<Item = (String, &'static str)>) {
    check(items.into_iter().map(|(text, action)| match action {
        "" => (item(&text), String::new()),
        action => (item(&text), format!("{action} src/b.rs")),
    }));
}

#[test]
fn each_denial_phrase_makes_an_item_bad() {
    check_items(PHRASES.split('|').flat_map(|phrase| {
        [
            format!("`src/b.rs` - {phrase}"),
            format!("Modify: `src/b.rs` - {phrase} the loop"),
            format!("`src/b.rs` - the loop; {}", phrase.to_uppercase()),
            format!("Modify: `src/b.rs` ({phrase})"),
            format!("`src/b.rs` (the loop, {phrase})"),
        ]
        .map(|text| (text, ""))
    }));
    let remarks = ["", "- the loop", "(the loop)", "- collateral, latest, mayb"];
    check_items(remarks.into_iter().flat_map(|remark| {
        [
            (format!("`src/b.rs` {remark}"), "write"),
            (format!("Modify: `src/b.rs` {remark}"), "modify"),
        ]
    }));
}

#[test]
fn each_denial_word_makes_an_untyped_item_bad_and_no_typed_one() {
    for format in [" - %", " (%)", ": %"] {
        let remarks = WORDS.split('|').map(|word| format.replace('%', word));
        check_items(remarks.flat_map(|remark| {
            [
                (format!("`src/b.rs`{remark}"), ""),
                (format!("Modify: `src/b.rs`{remark}"), "modify"),
            ]
        }));
    }
    let longer = "notation|another|ifdef|mighty|whenever|nextest|nonce|skipper";
    let longer = longer.split('|');
    check_items(longer.map(|word| (format!("`src/b.rs` - {word}"), "write")));
}

#[test]
fn each_type_word_grants_its_actions_and_a_similar_one_nothing() {
    check_items(words(TYPES, " ").flat_map(|(action, word)| {
        [
            format!("{word}: `src/b.rs`"),
            format!("{word} `src/b.rs`"),
            format!("**{word}:** `src/b.rs`"),
            format!("**{word}**: `src/b.rs` - the loop"),
            format!("{}: src/b.rs", word.to_lowercase()),
        ]
        .map(|text| (text, action))
    }));
    check_items(words(TYPES, " ").flat_map(|(_, word)| {
        [
            format!("x{word}: `src/b.rs`"),
            format!("{word}x `src/b.rs`"),
            format!("**Not {word}:** `src/b.rs`"),
            format!("To {word}: `src/b.rs`"),
            format!("{word} the loop of `src/b.rs`"),
            format!("{word}, `src/b.rs` behind it"),
        ]
        .map(|text| (text, ""))
    }));
}

#[test]
fn types_of_items_are_no_types_of_tables() {
    const TABLE: &str = "# Plan\n\n## Files Changed\n\n| File | Change Type |\n|---|---|\n| `src/a.rs` | Modify |\n";
    check(["Test", "Write"].map(|word| {
        let row = format!("| `src/b.rs` | {word} |");
        (format!("{TABLE}{row}\n"), format!("report | {word} |"))
    }));
}

#[test]
fn each_phrase_begins_a_passage_as_label_and_as_heading_and_a_longer_one_does_not() {
    let plan = |text: String| {
        format!("# Plan\n\n{text}`src/b.rs`\n\n### Work\n\n**Files:**\n- Modify: `src/a.rs`\n")
    };
    check(words(LABELS, ", ").flat_map(|(actions, phrase)| {
        [
            format!("## {phrase}\n\n- "),
            format!("## 2.1 {phrase} (engine)\n\n- "),
            format!("#### {}:\n- ", phrase.to_uppercase()),
            format!("**{phrase}:**\n- "),
            format!("**{phrase}**\n\n- "),
            format!("{phrase}:\n\n- "),
            format!("- {phrase}:\n  - "),
            format!("**{phrase}:** "),
            format!("- **{phrase}**: "),
        ]
        .map(|text| (plan(text), format!("{actions} src/b.rs")))
    }));
    check(words(LABELS, ", ").flat_map(|(_, phrase)| {
        [
            format!("**{phrase} again:**\n- "),
            format!("**My {phrase}:** "),
            format!("{phrase} in the SDK:\n\n- "),
            format!("{phrase}\n\n- "),
            format!("**{phrase} (soon):**\n- "),
            format!("The {phrase}\n**{phrase}:** "),
            format!("## {phrase} of the SDK\n\n- "),
            format!("## Not {phrase}\n\n- "),
            format!("## {phrase}\n\nThese:\n\n- "),
        ]
        .map(|text| (plan(text).replace("### Work", "## Work"), String::new()))
    }));
}

/// A passage below a heading, and another one that counts.
fn below(heading: &str) -> String {
    format!(
        "# Plan\n\n{heading}\n\n#### Details\n\nFiles to modify:\n\n- `src/b.rs`\n\n## Work\n\n**Files:**\n- Modify: `src/a.rs`\n"
    )
}

#[test]
fn each_excluding_word_takes_out_everything_below_its_heading() {
    let work = "\n\n## Work\n\n**Files:**\n- Modify: `src/a.rs`\n";
    check(EXCLUDING.split('|').flat_map(|word| {
        [
            below(&format!("## {word}")),
            below(&format!("## {}", word.to_uppercase())),
            below(&format!("## 3. The {word} index")),
            below(&format!("## Parser ({word})")),
            below(&format!("### Phase 2: {word}")),
            below(&format!("### Task 1: engine ({word})")),
            below(&format!("## Work\n\n## {word}\n\n### Parser")),
            format!("# Plan\n\n## Files to Modify ({word})\n\n- `src/b.rs`{work}"),
            format!("# Plan\n\n**{word}**\n\nFiles to modify:\n\n- `src/b.rs`{work}"),
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
