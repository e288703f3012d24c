//! Checks what gix's decoder ignores: the checksum (gix would check it before decoding, not in parallel), and invalid
//! mode bits, which git would commit.

use gix::hash::Kind as HashKind;

/// The size of an entry before its object id: ten 32-bit fields.
const STAT_LEN: usize = 40;
/// The offset of the mode.
const MODE_OFFSET: usize = 24;
/// The name length that means "4,095 or more".
const NAME_LEN_MASK: u16 = 0x0fff;
/// The flag for a second flags field (version 3 and later).
const EXTENDED: u16 = 0x4000;

/// Checks an index file's checksum and the modes of its entries.
pub(super) fn check(bytes: &[u8], hash: HashKind) -> Result<(), String> {
    checksum(bytes, hash)?;
    modes(bytes, hash.len_in_bytes())
        .unwrap_or_else(|| Err("it ends in the middle of an entry".into()))
}

fn checksum(bytes: &[u8], hash: HashKind) -> Result<(), String> {
    let at = bytes
        .len()
        .checked_sub(hash.len_in_bytes())
        .ok_or("it is truncated")?;
    let (body, trailer) = bytes.split_at(at);
    // `index.skipHash` writes zeros.
    if trailer.iter().all(|&byte| byte == 0) {
        return Ok(());
    }
    let mut hasher = gix::hash::hasher(hash);
    hasher.update(body);
    let actual = hasher.try_finalize().map_err(|error| error.to_string())?;
    if actual.as_slice() != trailer {
        return Err("its checksum is wrong".into());
    }
    Ok(())
}

/// `None` if the bytes end too early.
fn modes(bytes: &[u8], hash_len: usize) -> Option<Result<(), String>> {
    let version = u32_at(bytes, 4)?;
    let count = u32_at(bytes, 8)?;
    let mut start = 12;
    for _ in 0..count {
        let mode = u32_at(bytes, start + MODE_OFFSET)?;
        let flags_at = start + STAT_LEN + hash_len;
        let flags = u16::from_be_bytes(bytes.get(flags_at..flags_at + 2)?.try_into().ok()?);
        let name_at = flags_at + if flags & EXTENDED == 0 { 2 } else { 4 };
        let rest = bytes.get(name_at..)?;
        if !matches!(mode, 0o100644 | 0o100755 | 0o120000 | 0o160000 | 0o040000) {
            return Some(Err(format!("an entry has the invalid mode {mode:o}")));
        }
        if flags & NAME_LEN_MASK == NAME_LEN_MASK {
            return Some(Err("a path is longer than 4,094 bytes".into()));
        }
        start = if version == 4 {
            // How much of the previous path to drop (a number in 7-bit groups), then the rest of this path.
            let varint = rest.iter().position(|byte| byte & 0x80 == 0)? + 1;
            name_at + varint + rest.get(varint..)?.iter().position(|&byte| byte == 0)? + 1
        } else {
            // Padded with one to eight NULs to a multiple of eight.
            let length = name_at - start + usize::from(flags & NAME_LEN_MASK);
            start + (length + 8) / 8 * 8
        };
    }
    Some(Ok(()))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}
