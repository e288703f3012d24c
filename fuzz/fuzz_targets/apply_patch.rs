//! The patches of agents, a file and a patch with NUL in between: see `write_guard::fuzzing::apply_patch`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    if let Some(at) = data.iter().position(|&byte| byte == 0)
        && let Ok(patch) = std::str::from_utf8(&data[at + 1..])
    {
        write_guard::fuzzing::apply_patch(&data[..at], patch);
    }
});
