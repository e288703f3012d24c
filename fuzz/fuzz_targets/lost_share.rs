//! Two versions with NUL and NUL in between. A share lies in 0..=1, and nothing is lost without a change.
#![no_main]

use bstr::ByteSlice;
use libfuzzer_sys::fuzz_target;
use write_guard_policy::measure::lost;

fuzz_target!(|data: &[u8]| {
    let (old, new) = data.split_once_str("\0\0").unwrap_or((data, b""));
    let before = lost(old, new);
    assert!((0.0..=1.0).contains(&before.share()), "{before:?}");
    assert!(before.lost <= before.total, "{before:?}");
    assert_eq!(before, lost(old, new));
    let unchanged = lost(old, old);
    assert_eq!(
        (unchanged.lost, unchanged.total),
        (0, before.total),
        "{unchanged:?}"
    );
});
