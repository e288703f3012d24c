//! `guard patch`: a file and pairs of search and replacement, with NUL in between. The list applies as its edits one by
//! one, each replaces exactly one occurrence, and undoing gives the file back.
#![no_main]

use bstr::ByteSlice;
use libfuzzer_sys::fuzz_target;
use write_guard::files::{Edit, apply};

fuzz_target!(|data: &[u8]| {
    let mut parts = data.split(|&byte| byte == 0);
    let old = parts.next().unwrap_or_default();
    let parts: Vec<&[u8]> = parts.take(8).collect();
    let edit = |pair: &[&[u8]]| Edit {
        search: String::from_utf8_lossy(pair[0]).into_owned(),
        replace: String::from_utf8_lossy(pair[1]).into_owned(),
        every: false,
    };
    let edits: Vec<Edit> = parts.chunks_exact(2).map(edit).collect();
    let mut content = Ok(old.to_vec());
    for edit in &edits {
        let Some(before) = content.as_ref().ok().cloned() else {
            break;
        };
        content = apply(&before, std::slice::from_ref(edit));
        if let Ok(after) = &content {
            assert_eq!(before.find_iter(&edit.search).count(), 1);
            let at = before.find(&edit.search).expect("it was replaced");
            assert!(after[at..].starts_with(edit.replace.as_bytes()));
            let behind = &after[at + edit.replace.len()..];
            assert_eq!(
                [&before[..at], edit.search.as_bytes(), behind].concat(),
                before
            );
        }
    }
    assert_eq!(apply(old, &edits).ok(), content.ok());
});
