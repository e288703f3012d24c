//! What counts as a large file, in `guard lint`, `guard check` and `guard write`.

use crate::common::commits::{error_findings, install, passes, refused};
use crate::common::random::Random;
use crate::common::{self, Repo};

const PATH: &str = "src/old.data";
const NUL: &str = "\0\n";

/// This many lines, starting at number `first`.
fn lines(count: usize) -> String {
    (0..count).map(|n| format!("line {n}\n")).collect()
}

/// A repository whose HEAD has this content at [`PATH`], which a Modify row names.
fn holding(old: impl AsRef<[u8]>) -> Repo {
    let repo = Repo::new();
    repo.stage(PATH, old);
    repo.commit("Begin");
    repo.govern(&[(PATH, "Modify", "x")]);
    install(&repo);
    repo
}

/// Asserts that the change is a replacement and that the hook refuses it.
#[track_caller]
fn is_refused(old: impl AsRef<[u8]>, new: impl AsRef<[u8]>) {
    let repo = holding(old);
    repo.stage(PATH, new);
    refused(&repo, "destructive-change", PATH);
}

#[track_caller]
fn is_accepted(old: impl AsRef<[u8]>, new: impl AsRef<[u8]>) {
    let repo = holding(old);
    repo.stage(PATH, new);
    passes(&repo);
}

fn utf16(text: &str) -> Vec<u8> {
    text.encode_utf16().flat_map(u16::to_le_bytes).collect()
}

/// The first bytes of an image, followed by bytes like those of compressed data.
fn image(bytes: usize, seed: u64) -> Vec<u8> {
    let mut random = Random(seed);
    let mut image = b"\x89PNG\r\n\x1a\n\0".to_vec();
    image.extend((0..bytes).map(|_| random.below(256) as u8));
    image
}

#[test]
fn gutting_text_of_any_form_is_refused() {
    let chinese: String = (0..48)
        .map(|n| format!("{}{n}\n", "\u{8fd9}\u{662f}\u{6587}\u{4ef6}".repeat(60)))
        .collect();
    let half = chinese.lines().take(20).collect::<Vec<_>>().join("\n");
    is_refused(&chinese, half);
    is_accepted(&chinese, chinese.replace('7', "\u{4e03}"));
    let one_line = "lorem ipsum dolor sit amet ".repeat(9_000);
    is_refused(&one_line, &one_line[..80_000]);
    // Newlines may become carriage returns.
    let mac = |text: String| text.replace('\n', "\r");
    is_accepted(lines(148), mac(lines(148)));
    is_refused(mac(lines(300)), mac(lines(30)));
    is_refused(lines(300) + NUL, lines(30) + NUL);
    is_refused(utf16(&lines(300)), utf16(&lines(30)));
    is_accepted(lines(300) + NUL, lines(290) + NUL);
    is_refused(lines(300), lines(300) + NUL);
}

#[test]
fn binary_may_become_another_binary_but_not_empty() {
    is_refused(image(1 << 20, 1), "");
    is_accepted(image(1 << 20, 1), image(1 << 20, 2));
}

#[test]
fn deleting_a_large_binary_needs_a_row_even_at_an_exempt_path() {
    let repo = holding(image(1 << 20, 1));
    repo.stage("gen/large.bin", image(9_000, 3));
    repo.stage("gen/small.bin", image(100, 4));
    let settings = format!("{}\n[scope]\nalways = [\"/gen/**\"]\n", common::SETTINGS);
    repo.stage("guard.toml", settings);
    repo.commit("Generate");
    repo.git(&["rm", "--quiet", "gen/small.bin"]);
    passes(&repo);
    repo.git(&["rm", "--quiet", "gen/large.bin"]);
    refused(&repo, "destructive-change", "gen/large.bin");
}

/// `lint`, `check` and `write` agree on a binary file that text overwrites.
#[test]
fn a_binary_overwritten_by_text_is_a_replacement_in_every_command() {
    let old = image(400_000, 1);
    let repo = holding(&old);
    repo.write("text", "text\n");
    for verb in ["check", "write"] {
        repo.guard(&[verb, PATH, "--content-file", "text"]).exits(1);
    }
    assert!(repo.read(PATH) == old);
    repo.stage(PATH, "text\n");
    let report = repo.json(&["lint"]);
    assert_eq!(error_findings(&report), [("destructive-change", PATH)]);
    assert_eq!(report["changes"][0]["class"], "REPLACE");
    assert_eq!(report["changes"][0]["lost_share"], 1.0);
}
