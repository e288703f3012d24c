//! On a volume that ignores case, as macOS and Windows have them, another spelling of a name is the same file, and guard
//! judges it as that.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::common::{Repo, skip};

const PROTECTED: &str = "src/locked-file.py";
const SPELLINGS: [&str; 3] = [
    "src/LOCKED-FILE.py",
    "src/Locked-File.PY",
    "SRC/locked-file.py",
];

/// NTFS in an image file, mounted with `ignore_case` by ntfs-3g, which lists names in lower case. Unmounted on drop.
struct Volume {
    at: PathBuf,
}

impl Volume {
    /// Mounts it at the root of a repository that is [`Repo::nothing`] so far; a counted skip where that is not possible.
    fn mount(repo: &Repo) -> Option<Volume> {
        if !Path::new("/dev/fuse").exists() {
            skip("there is no /dev/fuse");
            return None;
        }
        let image = repo.path("../image");
        File::create_new(&image).unwrap().set_len(64 << 20).unwrap();
        let mut format = Command::new("mkntfs");
        format.args(["-F", "-Q", "-q"]).arg(&image);
        let mut mount = Command::new("lowntfs-3g");
        mount.args(["-o", "ignore_case"]).args([&image, &repo.root]);
        for mut command in [format, mount] {
            let done = command.output();
            if !done.is_ok_and(|done| done.status.success()) {
                skip(&format!("{command:?} is missing (ntfs-3g) or not allowed"));
                return None;
            }
        }
        Some(Volume {
            at: repo.root.clone(),
        })
    }
}

impl Drop for Volume {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(&self.at).status();
    }
}

/// On such a volume: a design that adds and modifies everything in `src/`, but for one protected file.
fn governed() -> Option<(Repo, Volume)> {
    let repo = Repo::nothing();
    let volume = Volume::mount(&repo)?;
    let repo = repo.initialized(&[]);
    repo.stage(PROTECTED, "p = 1\n");
    repo.stage("src/free.py", "f = 1\n");
    // ntfs-3g lists names in lower case, so the design has such a name, too.
    repo.stage(
        "guard.toml",
        "[lld]\npath = [\"docs/plan.md\"]\n[scope]\nprotect = [\"src/locked-file.py\"]\n",
    );
    repo.design(
        "docs/plan.md",
        &[("src/", "Modify", ""), ("src/", "Add", "")],
    );
    repo.commit("Begin");
    Some((repo, volume))
}

#[test]
#[cfg_attr(
    not(target_os = "linux"),
    ignore = "needs a volume that ntfs-3g mounts, which only Linux has"
)]
fn a_protected_file_is_refused_in_every_spelling() {
    let Some((repo, _volume)) = governed() else {
        return;
    };
    for spelling in SPELLINGS {
        assert_eq!(repo.read(spelling), b"p = 1\n", "the volume minds case");
        repo.guard(&["check", spelling]).exits(1).says(PROTECTED);
        repo.guard_reads(&["write", "--auto", spelling], "p = 2\n")
            .exits(1)
            .says(PROTECTED);
    }
    assert_eq!(repo.read(PROTECTED), b"p = 1\n");
    assert_eq!(repo.git(&["status", "--short"]), "");
}

#[test]
#[cfg_attr(
    not(target_os = "linux"),
    ignore = "needs a volume that ntfs-3g mounts, which only Linux has"
)]
fn a_write_in_another_spelling_changes_the_file_and_is_logged_by_its_name() {
    let Some((repo, _volume)) = governed() else {
        return;
    };
    repo.guard_reads(&["write", "--auto", "SRC/FREE.PY"], "f = 2\n")
        .exits(0);
    assert_eq!(repo.git(&["status", "--short"]), " M src/free.py");
    let records = repo.records();
    assert!(!records.is_empty());
    for record in records {
        assert_eq!(record["path"], "src/free.py", "{record}");
    }
}
