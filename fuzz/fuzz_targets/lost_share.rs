//! Two versions with NUL and NUL in between. A share lies in 0..=1, nothing is lost without a change, and a line more
//! never raises an exact loss.
#![no_main]

use bstr::ByteSlice;
use libfuzzer_sys::fuzz_target;
use write_guard::measure::lost;

fuzz_target!(|data: &[u8]| {
    let (old, new) = data.split_once_str("\0\0").unwrap_or((data, b""));
    let before = lost(old, new);
    assert!((0.0..=1.0).contains(&before.share()), "{before:?}");
    assert!(
        before.gone <= before.lost && before.lost <= before.total,
        "{before:?}"
    );
    assert_eq!(before, lost(old, new));
    let unchanged = lost(old, old);
    assert_eq!(
        (unchanged.lost, unchanged.total),
        (0, before.total),
        "{unchanged:?}"
    );
    let is_text = |text: &[u8]| text.is_ascii() && !text.is_empty();
    // A newline behind a carriage return belongs to the end of that line.
    if before.is_exact
        && is_text(new)
        && !new.contains(&0)
        && old.is_ascii()
        && !new.ends_with(b"\r")
    {
        let after = lost(old, &[new, b"\none more line\n"].concat());
        assert!(
            !after.is_exact || after.lost <= before.lost,
            "{before:?} {after:?}"
        );
    }
});
