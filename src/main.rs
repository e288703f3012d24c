//! Arguments to verb to exit code, nothing else.

use std::process::ExitCode;

fn main() -> ExitCode {
    write_guard::cli::run(std::env::args_os())
}
