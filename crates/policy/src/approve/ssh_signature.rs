//! What guard reads in an SSH signature itself (OpenSSH's PROTOCOL.sshsig): its namespace, its key, and whether a
//! hardware key was touched, which `ssh-keygen` does not ask for.

use crate::sha256::sha256;

/// The namespace of signatures of approvals, so that a signature for another purpose does not count.
pub const NAMESPACE: &str = "guard";

const BEGIN: &str = "-----BEGIN SSH SIGNATURE-----\n";
const END: &str = "-----END SSH SIGNATURE-----";
const MAGIC: &[u8] = b"SSHSIG\0\0\0\x01";
/// The limit; even a signature with the largest key is far shorter.
const MAX_SIGNATURE: usize = 16 << 10;
/// The flag of a hardware key that it was touched (FIDO CTAP2, "user present").
const TOUCHED: u8 = 1;
const BASE64: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// A signature that is not verified yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SshSignature {
    /// As `ssh-keygen` reads it.
    pub armoured: String,
    /// What it was made for.
    pub namespace: String,
    /// The kind and the fingerprint of its key.
    pub key: String,
    /// Whether it is by a software key, or by a hardware key that was touched.
    pub is_touched: bool,
}

impl SshSignature {
    /// Parses the body of an armoured signature, which is base64 on one line; `None` if it is malformed.
    pub fn parse(body: &str) -> Option<SshSignature> {
        let bytes = decode(body).filter(|_| body.len() <= MAX_SIGNATURE)?;
        let mut rest = bytes.strip_prefix(MAGIC)?;
        let key = field(&mut rest)?;
        let namespace = field(&mut rest)?;
        let _reserved = field(&mut rest)?;
        let _hash = field(&mut rest)?;
        let mut signature = field(&mut rest).filter(|_| rest.is_empty())?;
        let key_kind = field(&mut &*key)?;
        let kind = field(&mut signature)?;
        let _ = field(&mut signature)?;
        let is_hardware = [key_kind, kind]
            .iter()
            .any(|kind| kind.starts_with(b"sk-") || kind.starts_with(b"webauthn-sk-"));
        let fingerprint = base64(sha256(key).as_slice());
        Some(SshSignature {
            armoured: format!("{BEGIN}{body}\n{END}\n"),
            namespace: String::from_utf8_lossy(namespace).into_owned(),
            key: format!("{} SHA256:{fingerprint}", String::from_utf8_lossy(key_kind)),
            is_touched: !is_hardware || signature.first().is_some_and(|flags| flags & TOUCHED != 0),
        })
    }
}

/// The body of an armoured signature on one line; `None` if it is not armoured.
pub fn one_line(armoured: &str) -> Option<String> {
    let body = armoured
        .trim()
        .strip_prefix(BEGIN.trim_end())?
        .strip_suffix(END)?;
    Some(body.split_ascii_whitespace().collect())
}

/// The next field of the format: four bytes of length, then the content.
fn field<'a>(rest: &mut &'a [u8]) -> Option<&'a [u8]> {
    let (length, tail) = rest.split_first_chunk::<4>()?;
    let length = usize::try_from(u32::from_be_bytes(*length)).ok()?;
    let (field, tail) = tail.split_at_checked(length)?;
    *rest = tail;
    Some(field)
}

/// Strict base64: padded, without anything else in it.
fn decode(text: &str) -> Option<Vec<u8>> {
    let digits = text.trim_end_matches('=');
    if !text.len().is_multiple_of(4) || text.len() - digits.len() > 2 {
        return None;
    }
    let mut bytes = Vec::new();
    for four in digits.as_bytes().chunks(4) {
        let mut bits = 0;
        for at in 0..4 {
            let digit = match four.get(at) {
                Some(digit) => BASE64.iter().position(|one| one == digit)?,
                None => 0,
            };
            bits = bits << 6 | u32::try_from(digit).ok()?;
        }
        bytes.extend_from_slice(bits.to_be_bytes().get(1..four.len())?);
    }
    Some(bytes)
}

/// Base64 without padding, as in fingerprints.
pub fn base64(bytes: &[u8]) -> String {
    let mut text = String::new();
    for three in bytes.chunks(3) {
        let mut bits = 0_u32;
        for at in 0..3 {
            bits = bits << 8 | u32::from(three.get(at).copied().unwrap_or_default());
        }
        for at in 0..=three.len() {
            text.push(char::from(BASE64[(bits >> (18 - 6 * at) & 63) as usize]));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn encoded(bytes: &[u8]) -> String {
        let mut text = base64(bytes);
        while !text.len().is_multiple_of(4) {
            text.push('=');
        }
        text
    }

    fn fields(fields: &[&[u8]]) -> Vec<u8> {
        let field = |field: &&[u8]| [&(field.len() as u32).to_be_bytes(), *field].concat();
        fields.iter().flat_map(field).collect()
    }

    /// A signature of this kind of key; `tail` follows it, as the flags and the counter of a hardware key do.
    fn signature(kind: &str, tail: &[u8]) -> String {
        let key = fields(&[kind.as_bytes(), &[7; 32]]);
        let signature = [fields(&[kind.as_bytes(), &[9; 64]]), tail.to_vec()].concat();
        let body = fields(&[&key, b"guard", b"", b"sha512", &signature]);
        encoded(&[MAGIC, &body].concat())
    }

    #[test]
    fn hardware_key_counts_only_if_touched() {
        let is_touched = |kind: &str, flags: u8| {
            let text = signature(kind, &[flags, 0, 0, 0, 7]);
            SshSignature::parse(&text).unwrap().is_touched
        };
        for kind in [
            "sk-ssh-ed25519@openssh.com",
            "sk-ecdsa-sha2-nistp256@openssh.com",
            "webauthn-sk-ecdsa-sha2-nistp256@openssh.com",
        ] {
            for (flags, expected) in [(0, false), (1, true), (4, false), (5, true)] {
                assert_eq!(is_touched(kind, flags), expected, "{kind} {flags}");
            }
            let cut = SshSignature::parse(&signature(kind, &[])).unwrap();
            assert!(!cut.is_touched, "{kind}");
        }
        assert!(is_touched("ssh-ed25519", 0));
    }

    #[test]
    fn malformed_signature_is_refused_without_a_panic() {
        let good = signature("ssh-ed25519", b"");
        let parsed = SshSignature::parse(&good).unwrap();
        assert_eq!(parsed.namespace, "guard");
        assert!(parsed.key.starts_with("ssh-ed25519 SHA256:"));
        assert_eq!(one_line(&parsed.armoured), Some(good.clone()));
        let mut approval = super::super::testing::approval();
        assert_eq!(approval.key(), None);
        approval.signature = Some(good.clone());
        assert_eq!(approval.key(), Some(parsed.key));
        for bad in [
            "",
            "AAAA",
            "====",
            "not base64",
            "ä",
            "U1NIU0lH",
            &good[1..],
            &good[..good.len() - 4],
            &format!("{good}AAAA"),
            &good.replace('A', "\n"),
            &"A".repeat(MAX_SIGNATURE + 4),
        ] {
            assert_eq!(SshSignature::parse(bad), None, "{bad}");
        }
        assert_eq!(one_line("AAAA"), None);
        assert_eq!(one_line(BEGIN), None);
    }

    #[test]
    fn base64_is_that_of_rfc_4648() {
        for (bytes, text) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
        ] {
            assert_eq!(encoded(bytes.as_bytes()), text);
            assert_eq!(decode(text).unwrap(), bytes.as_bytes());
        }
    }

    #[test]
    fn other_padding_or_another_sign_is_no_base64() {
        for text in [
            "Z", "Z===", "====", "Zg", "Zg=", "Zm9v=", "Zm9v====", "=Zg=", "Zm 9", "Zm9-",
        ] {
            assert_eq!(decode(text), None, "{text}");
        }
    }
}
