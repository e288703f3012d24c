//! Spare copies of the objects of young snapshots: files in one directory, `ID-SECONDS`, with the time of writing in
//! seconds since 1970. guard looks for lost objects before each write, so it must find out what there is with one call.

use std::fs;
use std::io::{self, BufReader, Write as _};
use std::path::PathBuf;

use gix::ObjectId;
use gix::objs::Kind;
use gix::objs::encode::loose_header;
use gix::zlib::stream::{deflate, inflate};
use gix::zlib::{Compression, Decompress};

use crate::disk;
use crate::system;

/// The directory of spare copies.
pub(super) struct Spares {
    directory: PathBuf,
}

/// A spare copy of an object, a file like that of a loose object.
pub(super) struct Spare {
    pub(super) id: ObjectId,
    pub(super) file: PathBuf,
    /// When it was written, in seconds since 1970.
    pub(super) written: i64,
}

impl Spares {
    pub(super) fn new(directory: PathBuf) -> Spares {
        Spares { directory }
    }

    /// Writes a spare copy, which may not be on disk yet.
    pub(super) fn write(&self, id: ObjectId, kind: Kind, content: &[u8]) -> io::Result<Spare> {
        let written = gix::date::Time::now_utc().seconds;
        let file = self.directory.join(format!("{id}-{written}"));
        let spare = Spare { id, file, written };
        // Left over from a power cut, or the same content a moment ago.
        let _ = fs::remove_file(&spare.file);
        let create = || system::create_read_only(&spare.file);
        let file = create().or_else(|_| {
            disk::create_private_directory(&self.directory)?;
            create()
        })?;
        let mut file = deflate::Write::new(file, Compression::BEST_SPEED);
        file.write_all(&loose_header(kind, content.len() as u64))?;
        file.write_all(content)?;
        file.flush()?;
        Ok(spare)
    }

    /// All of them.
    pub(super) fn all(&self) -> Vec<Spare> {
        let entries = fs::read_dir(&self.directory).into_iter().flatten();
        let spare = |entry: fs::DirEntry| {
            let name = entry.file_name().into_string().ok()?;
            let (id, written) = name.split_once('-')?;
            Some(Spare {
                id: ObjectId::from_hex(id.as_bytes()).ok()?,
                written: written.parse().ok()?,
                file: entry.path(),
            })
        };
        entries.flatten().filter_map(spare).collect()
    }
}

impl Spare {
    /// Whether it is complete and matches its id.
    pub(super) fn is_intact(&self, hash: gix::hash::Kind) -> bool {
        let object = self.read().unwrap_or_default();
        let parsed = gix::objs::decode::loose_header(&object).ok();
        let parsed = parsed.and_then(|(kind, _, start)| Some((kind, object.get(start..)?)));
        let id =
            parsed.and_then(|(kind, content)| gix::objs::compute_hash(hash, kind, content).ok());
        id == Some(self.id)
    }

    fn read(&self) -> io::Result<Vec<u8>> {
        let mut file = BufReader::new(system::open_without_waiting(&self.file)?);
        let mut state = Decompress::new();
        let (mut object, mut part) = (Vec::new(), vec![0; 1 << 16]);
        loop {
            match inflate::read(&mut file, &mut state, &mut part)? {
                0 => return Ok(object),
                length => object.extend_from_slice(&part[..length]),
            }
        }
    }
}
