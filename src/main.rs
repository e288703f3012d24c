//! Arguments to verb to exit code, nothing else.

fn main() {}
