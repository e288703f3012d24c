//! What guard asks of the system, as strace sees it.

use std::fs;
use std::process::Command;

use crate::common::log::grow;
use crate::common::{GUARD, Repo, run, strace};
use crate::log_growth;

#[test]
#[cfg_attr(
    not(target_os = "linux"),
    ignore = "needs strace, which only Linux has"
)]
fn guard_opens_no_socket() {
    let repo = Repo::new();
    repo.govern(&[("src/a.rs", "Add", "x")]);
    repo.stage("src/a.rs", "x\n");
    if strace::is_there(&repo) {
        let mut traced = repo.command("strace");
        traced.args(["-f", "-qq", "-o", "../trace", "-etrace=socket,connect"]);
        run(traced.args([GUARD, "lint"])).exits(0);
        let trace = fs::read_to_string(repo.path("../trace")).unwrap();
        assert!(!trace.contains("socket("), "{trace}");
    }
}

/// The cost of a write does not depend on the length of the log.
#[test]
#[cfg_attr(
    not(target_os = "linux"),
    ignore = "needs strace, which only Linux has"
)]
fn write_reads_only_the_end_of_the_log() {
    let repo = log_growth::repo();
    if !strace::is_there(&repo) {
        return;
    }
    grow(&repo, 3_000);
    let size = repo.read(".git/guard/log.jsonl").len();
    assert!(size > 1_000_000, "{size}");
    repo.write("new", "2\n");
    let mut command = repo.command("strace");
    command.args("-f -qq -y -etrace=read,pread64 -o ../trace".split(' '));
    run(command.args([GUARD, "write", "a", "--content-file", "new"])).exits(0);
    let trace = repo.read("../trace");
    let trace = String::from_utf8_lossy(&trace);
    let reads = trace.lines().filter(|line| line.contains("log.jsonl>"));
    let reads = reads.filter_map(|line| line.rsplit_once(" = ")?.1.parse::<usize>().ok());
    let sum: usize = reads.sum();
    assert!((1..200_000).contains(&sum), "{sum} bytes of {size}");
}

/// The race on a kernel without `openat2`: strace disables it.
#[test]
#[cfg_attr(
    not(target_os = "linux"),
    ignore = "needs strace, which only Linux has"
)]
fn swapping_never_escapes_without_openat2() {
    let repo = Repo::open();
    if !strace::is_there(&repo) {
        return;
    }
    let trace = repo.path("../trace");
    let output = Command::new("strace")
        .args(["-f", "-qq", "--seccomp-bpf", "-etrace=openat2", "-o"])
        .arg(&trace)
        .arg("-einject=openat2:error=ENOSYS")
        .arg(std::env::current_exe().unwrap())
        .args([
            "--exact",
            "file_race::swapping_directories_and_links_never_escapes_the_file_verbs",
        ])
        .arg("--nocapture")
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    println!("{text}");
    assert!(output.status.success(), "{text}");
    let trace = fs::read_to_string(trace).unwrap();
    let [all, taken] = [" openat2(", "(INJECTED)"].map(|part| trace.matches(part).count());
    assert!(taken > 0 && taken == all, "{taken} of {all} calls");
}
