//! Reading a design is deterministic, every place lies within the text, and a sentence grants nothing.
#![no_main]

use libfuzzer_sys::fuzz_target;
use write_guard_policy::design::{Design, parse};
use write_guard_policy::scope::settings::Settings;

fn read(text: &[u8]) -> Design {
    parse("docs/lld/LLD-1.md".into(), text, &Settings::default())
}

fuzz_target!(|text: &[u8]| {
    let design = read(text);
    assert_eq!(design, read(text));
    let lines = design.text.split('\n').count();
    let grants = design.grants.iter().map(|grant| &grant.anchor);
    let mentions = design.mentions.iter().map(|mention| &mention.anchor);
    let denials = design.denials.iter().map(|denial| &denial.anchor);
    let faults = design
        .faults
        .iter()
        .filter_map(|fault| fault.anchor.as_deref());
    for anchor in grants.chain(mentions).chain(denials).chain(faults) {
        assert!(
            (1..=lines).contains(&anchor.line) && anchor.column > 0,
            "{anchor:?}"
        );
        assert!(design.text.get(anchor.span.clone()).is_some(), "{anchor:?}");
    }
    for grant in &design.grants {
        let mut names = grant.path.split(|&byte| byte == b'/');
        assert!(
            names.all(|name| !name.is_empty() && name != b".."),
            "{grant:?}"
        );
    }
    let more = read(&[text, b"\n\nSee also the file `src/never/granted.rs`.\n"].concat());
    let is_granted = |design: &Design| {
        let mut grants = design.grants.iter();
        grants.any(|grant| grant.path.ends_with(b"src/never/granted.rs"))
    };
    assert!(is_granted(&design) || !is_granted(&more));
    if design.is_typed() {
        assert_eq!(design.grants, more.grants);
    }
});
