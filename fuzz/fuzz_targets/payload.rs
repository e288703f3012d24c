//! What agents send to `guard hook`: see `write_guard::fuzzing::payload`.
#![no_main]

libfuzzer_sys::fuzz_target!(|payload: &[u8]| write_guard::fuzzing::payload(payload));
