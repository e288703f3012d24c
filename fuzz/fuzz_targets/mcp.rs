//! Messages to `guard mcp`: see `write_guard::fuzzing::message`.
#![no_main]

libfuzzer_sys::fuzz_target!(|line: &[u8]| write_guard::fuzzing::message(line));
