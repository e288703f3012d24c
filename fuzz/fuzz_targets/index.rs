//! The index of a repository. Reading it twice gives the same, and without conflicts the tree that git would commit has
//! the same files as the entries.
#![no_main]

use std::path::PathBuf;
use std::process::Command;

use libfuzzer_sys::fuzz_target;
use write_guard::Repository;
use write_guard_repo::Index;

thread_local! {
    static REPOSITORY: (PathBuf, Repository) = repository();
}

/// An empty one in memory, if the system has such a place.
fn repository() -> (PathBuf, Repository) {
    let memory = PathBuf::from("/dev/shm");
    let parent = if memory.is_dir() {
        memory
    } else {
        std::env::temp_dir()
    };
    let root = parent.join(format!("guard-fuzz-index-{}", std::process::id()));
    let made = Command::new("git").args(["init", "-q"]).arg(&root).status();
    assert!(made.is_ok_and(|status| status.success()), "git init failed");
    let repository = Repository::open(&root).expect("a new repository opens");
    (root.join(".git/index"), repository)
}

fuzz_target!(|bytes: &[u8]| {
    REPOSITORY.with(|(path, repository)| {
        std::fs::write(path, bytes).expect("the index can be written");
        let Ok(index) = Index::open(repository) else {
            return;
        };
        let files = index.files();
        let tree = index.tree().and_then(|tree| tree.entries_below("".into()));
        let again = Index::open(repository).expect("it opened before");
        assert_eq!(files.as_ref().ok(), again.files().ok().as_ref());
        if let (Ok(files), Ok(tree)) = (files, tree)
            && index.unmerged().is_empty()
        {
            assert_eq!(files, tree);
        }
    });
});
