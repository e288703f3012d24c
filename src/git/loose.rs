//! Reads loose objects, as `git add` writes them, without mapping them into memory: threads wait for each other's maps.
//! And gix makes a decompressor for each object, twice, which costs more than a small object. Whatever is packed, large
//! or unusual is left to gix, and so are errors. A packed object hides a loose one of the same name, as for git.

use std::cell::{Cell, RefCell};
use std::fs;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use gix::ObjectId;
use gix::objs::Kind;
use gix::odb::pack::{index, multi_index};
use gix::zlib::{Inflate, Status};

use crate::system;

/// Longer files are left to gix.
const LONGEST_FILE: usize = 256 << 10;

/// Larger objects, with their headers, are left to gix.
const LARGEST_OBJECT: usize = 1 << 20;

/// More than the longest header, `commit SIZE` and a NUL.
const LONGEST_HEADER: usize = 32;

/// Reads the loose objects of a database. A clone goes with a clone of the database.
#[derive(Default)]
pub(super) struct LooseObjects {
    /// `None` if they cannot be read.
    directories: Arc<OnceLock<Option<ObjectDirectories>>>,
    /// Whether gix knows all packs, so that it looks into them first.
    packs_first: Cell<bool>,
    /// Whether gix reads all objects.
    left_to_gix: bool,
    buffers: RefCell<Option<Buffers>>,
}

impl Clone for LooseObjects {
    fn clone(&self) -> LooseObjects {
        LooseObjects {
            directories: Arc::clone(&self.directories),
            left_to_gix: self.left_to_gix,
            ..LooseObjects::default()
        }
    }
}

impl LooseObjects {
    /// Called when gix finds a loose object. Says whether gix shall look again: it looks into packs later, as long as it
    /// does not know them.
    pub(super) fn look_into_packs(&self, odb: &gix::OdbHandle) -> bool {
        !self.packs_first.replace(true) && odb.packed_object_count().is_ok()
    }

    /// Leaves all objects to gix, which remembers some.
    pub(super) fn leave_to_gix(&mut self) {
        self.left_to_gix = true;
    }

    /// Reads an object into `buffer`, replacing its content, and returns its kind. With `None`, gix shall look.
    pub(super) fn read(
        &self,
        odb: &gix::OdbHandle,
        id: ObjectId,
        buffer: &mut Vec<u8>,
    ) -> Option<Kind> {
        if self.left_to_gix {
            return None;
        }
        let directories = self.directories.get_or_init(|| ObjectDirectories::of(odb));
        let directories = directories.as_ref()?;
        if directories.is_packed(id) {
            return None;
        }
        let mut file = directories.open(id)?;
        let mut buffers = self.buffers.borrow_mut();
        buffers.get_or_insert_default().read(&mut file, buffer)
    }
}

/// The object directories of a repository, with what is packed in them.
struct ObjectDirectories {
    directories: Vec<PathBuf>,
    packs: Vec<index::File>,
    multi_packs: Vec<multi_index::File>,
}

impl ObjectDirectories {
    /// The directories that gix reads, in its order; `None` if the packs cannot be read.
    fn of(odb: &gix::OdbHandle) -> Option<ObjectDirectories> {
        let store = odb.store_ref();
        let mut all = ObjectDirectories {
            directories: vec![store.path().to_owned()],
            packs: Vec::new(),
            multi_packs: Vec::new(),
        };
        all.directories.extend(store.alternate_db_paths().ok()?);
        for at in 0..all.directories.len() {
            let directory = all.directories[at].join("pack");
            all.add_packs(&directory, store.object_hash())?;
        }
        Some(all)
    }

    fn add_packs(&mut self, directory: &Path, hash: gix::hash::Kind) -> Option<()> {
        let names = match fs::read_dir(directory) {
            Ok(names) => names,
            Err(error) if error.kind() == ErrorKind::NotFound => return Some(()),
            Err(_) => return None,
        };
        let mut single = Vec::new();
        let mut multiple = None;
        for name in names {
            let path = name.ok()?.path();
            if path.extension().is_some_and(|ending| ending == "idx") {
                single.push(path);
            } else if path
                .file_name()
                .is_some_and(|name| name == "multi-pack-index")
            {
                multiple = Some(multi_index::File::at(path, None).ok()?);
            }
        }
        if let Some(multiple) = &multiple {
            let is_in = |path: &PathBuf| {
                let name = path.file_name().map(Path::new);
                multiple
                    .index_names()
                    .iter()
                    .any(|other| Some(other.as_path()) == name)
            };
            single.retain(|path| !is_in(path));
        }
        self.multi_packs.extend(multiple);
        for path in single {
            self.packs.push(index::File::at(path, hash).ok()?);
        }
        Some(())
    }

    fn is_packed(&self, id: ObjectId) -> bool {
        self.packs.iter().any(|pack| pack.lookup(id).is_some())
            || self
                .multi_packs
                .iter()
                .any(|packs| packs.lookup(id).is_some())
    }

    /// Opens the file of a loose object.
    fn open(&self, id: ObjectId) -> Option<fs::File> {
        let name = id.to_hex().to_string();
        let (folder, file) = name.split_at(2);
        for directory in &self.directories {
            match system::open_without_waiting(&directory.join(folder).join(file)) {
                Ok(file) => return Some(file),
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(_) => return None,
            }
        }
        None
    }
}

/// The memory for one object after the other.
struct Buffers {
    inflate: Inflate,
    file: Vec<u8>,
    object: Vec<u8>,
}

impl Default for Buffers {
    fn default() -> Buffers {
        Buffers {
            inflate: Inflate::default(),
            file: vec![0; LONGEST_FILE],
            object: vec![0; LARGEST_OBJECT],
        }
    }
}

impl Buffers {
    fn read(&mut self, file: &mut fs::File, content: &mut Vec<u8>) -> Option<Kind> {
        // If one call does not yield the whole file, the stream has no end.
        let length = file.read(&mut self.file).ok()?;
        self.inflate.reset();
        let compressed = &self.file[..length];
        let (status, read, written) = self.inflate.once(compressed, &mut self.object).ok()?;
        if status != Status::StreamEnd || read != length {
            return None;
        }
        let (kind, body) = parse(&self.object[..written])?;
        content.clear();
        content.extend_from_slice(body);
        Some(kind)
    }
}

/// The kind and the content of a loose object; `None` if its header does not say its size.
fn parse(object: &[u8]) -> Option<(Kind, &[u8])> {
    let header = &object[..object.len().min(LONGEST_HEADER)];
    let end = header.iter().position(|&byte| byte == 0)?;
    let (header, content) = (&header[..end], &object[end + 1..]);
    let blank = header.iter().position(|&byte| byte == b' ')?;
    let kind = Kind::from_bytes(&header[..blank]).ok()?;
    let is_size = header[blank + 1..] == *content.len().to_string().as_bytes();
    is_size.then_some((kind, content))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_header_that_says_the_size_is_read() {
        assert_eq!(parse(b"blob 3\0abc"), Some((Kind::Blob, &b"abc"[..])));
        assert_eq!(parse(b"tree 0\0"), Some((Kind::Tree, &b""[..])));
        assert_eq!(parse(b"blob 1\0\0"), Some((Kind::Blob, &b"\0"[..])));
        for other in [
            &b""[..],
            b"blob",
            b"blob 3",
            b"blob 3\0ab",
            b"blob 3\0abcd",
            b"blob 03\0abc",
            b"blob +3\0abc",
            b"blob  3\0abc",
            b"blob3\0abc",
            b"blub 3\0abc",
            b" 3\0abc",
        ] {
            assert_eq!(parse(other), None, "{other:?}");
        }
    }
}
