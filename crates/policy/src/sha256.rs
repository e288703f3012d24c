//! SHA-256.

use gix_hash::ObjectId;
use gix_hash::{Kind, hasher};

/// The SHA-256 of these bytes.
#[allow(
    clippy::expect_used,
    reason = "only SHA-1 has a detection of collisions, which can fail"
)]
pub fn sha256(bytes: &[u8]) -> ObjectId {
    let mut hasher = hasher(Kind::Sha256);
    hasher.update(bytes);
    hasher.try_finalize().expect("SHA-256 does not fail")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_digest_is_the_one_of_the_standard() {
        // FIPS 180-2, appendix B.1.
        assert_eq!(
            sha256(b"abc").to_string(),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
    }
}
