//! Reading `guard.toml` is deterministic, every place lies within the text, and a comment changes nothing.
#![no_main]

use libfuzzer_sys::fuzz_target;
use write_guard_policy::scope::settings::{parse, parse_with_places};

fuzz_target!(|text: &[u8]| {
    match parse_with_places(text) {
        Ok((settings, places)) => {
            let lines = text.split(|&byte| byte == b'\n').count();
            for place @ (line, column) in places.values() {
                assert!((1..=lines).contains(line) && *column > 0, "{place:?}");
            }
            let commented = parse(&[text, b"\n# a comment\n"].concat());
            assert_eq!(commented.ok(), Some(settings));
        }
        Err(error) => {
            let again = parse(text).err().map(|error| error.to_string());
            assert_eq!(Some(error.to_string()), again);
        }
    }
});
