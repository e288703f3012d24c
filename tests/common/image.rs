//! A file system in an image file, whose power can be cut.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::{Repo, run, skip};

/// The size of the image in bytes; most of it is a hole.
const SIZE: u64 = 64 << 20;

/// What still reaches the journal when the power is cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cut {
    /// File names and sizes, but no unwritten data: the harsh case.
    JournalFlushed = 1,
    /// Nothing.
    NothingFlushed = 2,
}

/// ext4 without its workarounds for programs that forget to sync, mounted at a directory. Unmounted on drop.
pub struct Image {
    file: PathBuf,
    at: PathBuf,
}

impl Image {
    /// Makes and mounts an image at the root of a repository that is [`Repo::nothing`] so far; a counted skip where
    /// that is not possible.
    pub fn mount(repo: &Repo) -> Option<Image> {
        let file = repo.path("../image");
        File::create_new(&file).unwrap().set_len(SIZE).unwrap();
        let made = Command::new("mkfs.ext4")
            .args(["-q", "-F", "-E", "lazy_itable_init=0"])
            .arg(&file)
            .output();
        if !made.is_ok_and(|made| made.status.success()) {
            skip("mkfs.ext4 is missing or failed");
            return None;
        }
        let image = Image {
            file,
            at: repo.root.clone(),
        };
        if let Err(why) = image.attach() {
            skip(&format!("mounting is not allowed: {why}"));
            return None;
        }
        std::fs::remove_dir(repo.path("lost+found")).unwrap();
        Some(image)
    }

    fn attach(&self) -> Result<(), String> {
        let mount = Command::new("mount")
            .args(["-o", "loop,noauto_da_alloc"])
            .args([&self.file, &self.at])
            .output()
            .unwrap();
        if mount.status.success() {
            return Ok(());
        }
        Err(String::from_utf8_lossy(&mount.stderr).into_owned())
    }

    /// Cuts the power: from now on everything fails. `EXT4_IOC_SHUTDOWN` of the kernel.
    pub fn cut(&self, cut: Cut, after_ms: u64) {
        let script = "import fcntl, os, struct, sys, time\n\
             time.sleep(int(sys.argv[3]) / 1000)\n\
             root = os.open(sys.argv[1], os.O_RDONLY)\n\
             fcntl.ioctl(root, 0x8004587D, struct.pack('I', int(sys.argv[2])))";
        run(Command::new("python3")
            .args(["-c", script])
            .arg(&self.at)
            .args([(cut as u32).to_string(), after_ms.to_string()]))
        .exits(0);
    }

    /// Replays the journal, as a restart of the machine does.
    pub fn restart(&self) {
        run(Command::new("umount").arg(&self.at)).exits(0);
        self.attach().unwrap();
    }
}

impl Drop for Image {
    fn drop(&mut self) {
        detach(&self.at);
    }
}

/// Unmounting gives the loop device back as well.
fn detach(at: &Path) {
    let unmounted = Command::new("umount").arg(at).status();
    if !unmounted.is_ok_and(|status| status.success()) {
        let _ = Command::new("umount").arg("--lazy").arg(at).status();
    }
}
