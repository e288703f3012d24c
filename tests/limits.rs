//! guard refuses endless input, and objects whose headers claim more than they contain.
use crate::common::{GUARD, Output, Repo, run};

/// Runs guard with an address space of this many MiB, for at most two minutes, with standard input from a file.
fn within(
    most: usize,
    repo: &Repo,
    input: &str,
    variables: &[(&str, &str)],
    arguments: &[&str],
) -> Output {
    let most = most * 1024;
    let script = format!("ulimit -v {most} && timeout 300 \"$@\" < \"$0\"; exit $?");
    let mut shell = repo.command("sh");
    shell.args(["-c", &script, input, GUARD]).args(arguments);
    run(shell.envs(variables.iter().copied()))
}

#[test]
#[cfg_attr(
    not(target_os = "linux"),
    ignore = "needs a limit on the address space, which only Linux keeps"
)]
fn endless_input_is_refused() {
    let repo = Repo::new();
    repo.govern(&[("src/a.rs", "Add", "a")]);
    repo.stage("src/a.rs", "a\n");
    let event = [
        ("GITHUB_ACTIONS", "true"),
        ("GITHUB_EVENT_NAME", "push"),
        ("GITHUB_EVENT_PATH", "/dev/zero"),
    ];
    let refs = "the list of refs on standard input";
    for (variables, arguments, what) in [
        (&event[..], &["lint", "--ci"][..], "the event /dev/zero"),
        (&[], &["hook", "pre-push", "origin", "url"], refs),
        (&[], &["hook", "pre-receive"], refs),
        (&[], &["hook", "commit-msg", "/dev/zero"], "/dev/zero"),
    ] {
        within(700, &repo, "/dev/zero", variables, arguments)
            .exits(2)
            .says(&format!("{what} has more than 67108864 bytes"));
    }
}

#[test]
#[cfg_attr(
    not(target_os = "linux"),
    ignore = "needs a limit on the address space, which only Linux keeps"
)]
fn many_deletions_are_reported_in_little_memory() {
    let repo = Repo::new();
    repo.govern(&[("src/a.rs", "Add", "a")]);
    let blob = repo.blob(b"x\n");
    let lines = |mode: &str| -> String {
        (0..60_000)
            .map(|n| format!("{mode} {blob}\tlib/d{}/f{n}.rs\n", n / 1000))
            .collect()
    };
    let stage = |mode| {
        repo.git_with_input(&["update-index", "--index-info"], lines(mode).as_bytes());
    };
    stage("100644");
    repo.commit("Add many files");
    stage("0");
    for format in ["json", "sarif"] {
        let arguments = ["lint", "--format", format];
        let printed = within(240, &repo, "/dev/null", &[], &arguments)
            .exits(1)
            .stdout;
        assert!(printed.len() > 1_000_000, "{format}: {}", printed.len());
    }
}

/// A zlib stream of these bytes, stored as they are.
fn stored(bytes: &[u8]) -> Vec<u8> {
    let length = u16::try_from(bytes.len()).unwrap();
    let mut stream = vec![0x78, 0x01, 0x01];
    stream.extend(length.to_le_bytes());
    stream.extend((!length).to_le_bytes());
    stream.extend(bytes);
    let (mut a, mut b) = (1_u32, 0_u32);
    for &byte in bytes {
        a = (a + u32::from(byte)) % 65_521;
        b = (b + a) % 65_521;
    }
    stream.extend((b << 16 | a).to_be_bytes());
    stream
}

#[test]
#[cfg_attr(
    not(target_os = "linux"),
    ignore = "needs a limit on the address space, which only Linux keeps"
)]
fn a_loose_object_that_claims_four_gigabytes_is_refused_before_it_is_inflated() {
    let repo = Repo::new();
    repo.govern(&[("big.txt", "Add", "a")]);
    let id = "aa".repeat(20);
    let file = format!(".git/objects/aa/{}", &id[2..]);
    repo.write(file, stored(b"blob 4294967295\0x"));
    let entry = format!("100644,{id},big.txt");
    repo.git(&["update-index", "--add", "--cacheinfo", &entry]);
    within(700, &repo, "/dev/null", &[], &["lint"])
        .exits(2)
        .says("has 4294967295 bytes; guard reads objects of up to 256 MiB");
}
