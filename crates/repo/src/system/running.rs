//! Runs a program in guard's place on Unix: it has guard's streams and terminal, and gets the signals that are for guard.

use std::fs::{self, File};
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, ExitStatus};
use std::thread;

use rustix::process::{Pid, Signal, getpgrp, kill_process};
use rustix::termios::tcgetpgrp;
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};
use signal_hook::iterator::Signals;

/// What would end guard while the program runs.
const ENDING: &[i32] = &[SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2];
/// What a terminal sends to each program of its foreground.
const BY_KEY: &[i32] = &[SIGINT, SIGQUIT];
/// What a shell adds to the number of the signal that ended a program.
const BY_SIGNAL: i32 = 128;

/// Runs a program to its end. The answer is its exit code or, as in a shell, 128 and the number of the signal that ended
/// it. guard itself outlives these signals.
///
/// # Errors
/// The program cannot be started.
pub fn run_in_place(command: &mut Command) -> io::Result<u8> {
    // The program inherits what is ignored, such as SIGHUP below `nohup`.
    let ignored = ignored_signals();
    let is_caught = |signal: &&i32| ignored >> (**signal - 1) & 1 == 0;
    let mut signals = Signals::new(ENDING.iter().filter(is_caught))?;
    let end = signals.handle();
    let mut child = command.spawn()?;
    let process = Pid::from_child(&child);
    let passing_on = thread::spawn(move || {
        for signal in signals.forever() {
            let has_it = BY_KEY.contains(&signal) && is_in_foreground();
            if !has_it && let Some(signal) = Signal::from_named_raw(signal) {
                // A program that has just ended needs no signal.
                let _ = kill_process(process, signal);
            }
        }
    });
    let status = child.wait();
    end.close();
    let _ = passing_on.join();
    Ok(code_of(status?))
}

fn code_of(status: ExitStatus) -> u8 {
    let by_signal = status.signal().map(|signal| BY_SIGNAL + signal);
    let code = status.code().or(by_signal);
    code.and_then(|code| u8::try_from(code).ok())
        .unwrap_or(u8::MAX)
}

/// Whether guard and the program are in the foreground of their terminal.
fn is_in_foreground() -> bool {
    let terminal = File::open("/dev/tty").ok();
    terminal.is_some_and(|terminal| tcgetpgrp(&terminal).is_ok_and(|group| group == getpgrp()))
}

/// A bit for each signal that guard was told to ignore, as far as the system says so.
fn ignored_signals() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mut lines = status.lines();
    let bits = lines.find_map(|line| line.strip_prefix("SigIgn:"));
    bits.and_then(|bits| u64::from_str_radix(bits.trim(), 16).ok())
        .unwrap_or_default()
}
