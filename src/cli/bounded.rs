//! Reads input up to a limit, because it may never end.

use std::io::{self, Read};

use write_guard_policy::error::{Error, Result};

/// The whole input, or `None` if it has more than `limit` bytes.
pub(super) fn whole(input: impl Read, limit: u64) -> io::Result<Option<Vec<u8>>> {
    let mut content = Vec::new();
    input.take(limit + 1).read_to_end(&mut content)?;
    Ok((content.len() as u64 <= limit).then_some(content))
}

/// All of an input; messages call it `what`.
///
/// # Errors
/// It cannot be opened or read, or is larger than `limit`.
pub(super) fn read(what: &str, opened: io::Result<impl Read>, limit: u64) -> Result<Vec<u8>> {
    opened
        .and_then(|input| whole(input, limit))
        .map_err(|error| Error::new(format!("{what} cannot be read: {error}")))?
        .ok_or_else(|| Error::new(format!("{what} has more than {limit} bytes")))
}

/// The refs on standard input; a line takes about 200 bytes.
pub(super) fn refs() -> Result<Vec<u8>> {
    const MAX_REFS: u64 = 64 << 20;
    let input = Ok(io::stdin().lock());
    read("the list of refs on standard input", input, MAX_REFS)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn endless_input_is_rejected() {
        assert_eq!(whole(&b"abc"[..], 3).unwrap(), Some(b"abc".to_vec()));
        assert_eq!(whole(io::repeat(b'a'), 3).unwrap(), None);
    }
}
