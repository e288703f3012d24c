//! Verifies that a listed signer made a signature. Pure: runs no program and reads no clock.

use std::fmt;

use ssh_key::public::KeyData;
use ssh_key::{HashAlg, PublicKey, SshSig};

use super::Approval;
use super::signers::{NAMESPACE, Signers};
use crate::path::escaped;

const BEGIN: &str = "-----BEGIN SSH SIGNATURE-----";
const END: &str = "-----END SSH SIGNATURE-----";
/// OpenSSH's line width.
const WIDTH: usize = 70;
/// The limit; even a signature with the largest key is far shorter.
const MAX_SIGNATURE: usize = 16 << 10;

/// The flag of a hardware key that it was touched (FIDO CTAP2, "user present").
const TOUCHED: u8 = 1;
/// The size of flags and counter at the end of a hardware key's signature.
const SK_TRAILER: usize = 5;

/// Why a signature does not count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Invalid {
    /// It is malformed.
    NotASignature,
    /// It has another namespace.
    Namespace(String),
    /// The key is not listed.
    UnknownKey(String),
    /// The key is listed, but not for this person.
    NotForPerson(String),
    /// The key is listed, but not for approvals.
    NotForApprovals(String),
    /// The approval was given outside the validity period of the key.
    Time(String),
    /// It signs another text.
    Text,
    /// The hardware key was not touched.
    Untouched,
    /// This guard was built without the code that verifies keys of this kind.
    NotBuilt,
}

impl fmt::Display for Invalid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Invalid::NotASignature => f.write_str("its signature is malformed"),
            Invalid::Namespace(name) => write!(
                f,
                "it was signed for `{}`, not for `{NAMESPACE}`",
                escaped(name)
            ),
            Invalid::UnknownKey(key) => write!(f, "its signing key {key} is not listed"),
            Invalid::NotForPerson(who) => {
                write!(f, "its signing key is not listed for {}", escaped(who))
            }
            Invalid::NotForApprovals(who) => write!(
                f,
                "the key of {} is not listed for the namespace `{NAMESPACE}`",
                escaped(who)
            ),
            Invalid::Time(who) => write!(
                f,
                "the key of {} was not valid when the approval was given",
                escaped(who)
            ),
            Invalid::Text => f.write_str("its signature is for another text"),
            Invalid::Untouched => f.write_str("the hardware key signed it without a touch"),
            Invalid::NotBuilt => f.write_str("this guard cannot verify RSA signatures"),
        }
    }
}

impl Approval {
    /// Verifies that the named person signed it, with a key that was valid then.
    ///
    /// # Errors
    /// Why the signature does not count.
    pub fn verify(&self, signature: &str, signers: &Signers) -> Result<(), Invalid> {
        let signature = read(signature).ok_or(Invalid::NotASignature)?;
        if signature.namespace() != NAMESPACE {
            return Err(Invalid::Namespace(signature.namespace().to_owned()));
        }
        let key = signature.public_key();
        let mut lines: Vec<_> = signers.lines.iter().collect();
        lines.retain(|line| line.key == *key);
        if lines.is_empty() {
            let fingerprint = key.fingerprint(HashAlg::Sha256);
            return Err(Invalid::UnknownKey(fingerprint.to_string()));
        }
        lines.retain(|line| line.is_for(&self.who));
        if lines.is_empty() {
            return Err(Invalid::NotForPerson(self.who.clone()));
        }
        lines.retain(|line| line.may_approve());
        if lines.is_empty() {
            return Err(Invalid::NotForApprovals(self.who.clone()));
        }
        let in_time = |(after, before): (Option<i64>, Option<i64>)| {
            after.is_none_or(|after| after <= self.when)
                && before.is_none_or(|before| self.when <= before)
        };
        if !lines.iter().any(|line| in_time(line.valid)) {
            return Err(Invalid::Time(self.who.clone()));
        }
        if cfg!(not(feature = "rsa")) && key.is_rsa() {
            return Err(Invalid::NotBuilt);
        }
        PublicKey::from(key.clone())
            .verify(NAMESPACE, self.payload().as_bytes(), &signature)
            .map_err(|_| Invalid::Text)?;
        if !is_touched(key, signature.signature_bytes()) {
            return Err(Invalid::Untouched);
        }
        Ok(())
    }
}

impl Approval {
    /// The kind and the fingerprint of the key that made the signature, whether or not that counts.
    pub fn key(&self) -> Option<String> {
        let signature = read(self.signature.as_deref()?)?;
        let key = signature.public_key();
        let fingerprint = key.fingerprint(HashAlg::Sha256);
        Some(format!("{} {fingerprint}", key.algorithm()))
    }
}

/// Whether a hardware key was touched; software keys need no touch.
fn is_touched(key: &KeyData, signature: &[u8]) -> bool {
    let is_hardware = key.is_sk_ed25519() || key.is_sk_ecdsa_p256();
    let flags = signature.iter().nth_back(SK_TRAILER - 1);
    !is_hardware || flags.is_some_and(|flags| flags & TOUCHED != 0)
}

/// The body of an armoured signature on one line; `None` if it is not armoured.
pub fn one_line(armoured: &str) -> Option<String> {
    let body = armoured.trim().strip_prefix(BEGIN)?.strip_suffix(END)?;
    Some(body.split_ascii_whitespace().collect())
}

fn read(signature: &str) -> Option<SshSig> {
    let is_base64 = |byte: u8| byte.is_ascii_alphanumeric() || b"+/=".contains(&byte);
    if signature.len() > MAX_SIGNATURE || !signature.bytes().all(is_base64) {
        return None;
    }
    let mut armoured = format!("{BEGIN}\n");
    for line in signature.as_bytes().chunks(WIDTH) {
        armoured.push_str(&String::from_utf8_lossy(line));
        armoured.push('\n');
    }
    armoured.push_str(END);
    let signature = SshSig::from_pem(armoured).ok()?;
    // Reserved fields of the format are ignored.
    (signature.version() == SshSig::VERSION && signature.reserved().is_empty()).then_some(signature)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use ssh_key::private::{Ed25519Keypair, KeypairData};
    use ssh_key::public::SkEd25519;
    use ssh_key::sha2::{Digest, Sha256};
    use ssh_key::{Algorithm, LineEnding, PrivateKey, Signature};

    use super::super::testing::approval;
    use super::*;

    fn key(seed: u8) -> PrivateKey {
        KeypairData::from(Ed25519Keypair::from_seed(&[seed; 32]))
            .try_into()
            .unwrap()
    }

    fn sign(key: &PrivateKey, namespace: &str, text: &str) -> String {
        let signature = key
            .sign(namespace, HashAlg::Sha512, text.as_bytes())
            .unwrap();
        one_line(&signature.to_pem(LineEnding::LF).unwrap()).unwrap()
    }

    fn listed(line: &str, key: &PublicKey) -> Signers {
        let line = line.replace("KEY", &key.to_openssh().unwrap());
        Signers::parse("f", line.as_bytes()).unwrap()
    }

    fn verified(approval: &Approval, namespace: &str, line: &str) -> Result<(), Invalid> {
        let signature = sign(&key(1), namespace, &approval.payload());
        approval.verify(&signature, &listed(line, key(1).public_key()))
    }

    const WHO: &str = "person@example.org";

    #[test]
    fn listed_key_counts_only_for_its_person_and_period() {
        let ok = |line: &str| verified(&approval(), NAMESPACE, line);
        // The approval was given at 2023-11-14T22:13:20Z.
        for line in [
            "person@example.org KEY",
            "*@example.org namespaces=\"guard\" KEY",
            "person@example.org valid-after=\"20231114221320\" KEY",
            "person@example.org valid-before=\"20231114221320\" KEY",
            "other@example.org KEY\nperson@example.org KEY",
            "person@example.org valid-before=\"20200101\" KEY\nperson@example.org KEY",
        ] {
            assert_eq!(ok(line), Ok(()), "{line}");
        }
        let who = || WHO.to_owned();
        for (line, why) in [
            ("other@example.org KEY", Invalid::NotForPerson(who())),
            ("*,!person@example.org KEY", Invalid::NotForPerson(who())),
            (
                "person@example.org namespaces=\"git\" KEY",
                Invalid::NotForApprovals(who()),
            ),
            (
                "person@example.org valid-after=\"20231114221321\" KEY",
                Invalid::Time(who()),
            ),
            (
                "person@example.org valid-before=\"20231114221319\" KEY",
                Invalid::Time(who()),
            ),
        ] {
            assert_eq!(ok(line), Err(why), "{line}");
        }
    }

    #[test]
    fn another_key_namespace_or_text_does_not_count() {
        let signers = listed("person@example.org KEY", key(1).public_key());
        let text = approval().payload();
        let other = approval().verify(&sign(&key(2), NAMESPACE, &text), &signers);
        assert!(matches!(other, Err(Invalid::UnknownKey(print)) if print.starts_with("SHA256:")));
        assert_eq!(
            approval().verify(&sign(&key(1), "git", &text), &signers),
            Err(Invalid::Namespace("git".to_owned()))
        );
        let mut edited = approval();
        edited.reason.push('!');
        assert_eq!(
            edited.verify(&sign(&key(1), NAMESPACE, &text), &signers),
            Err(Invalid::Text)
        );
        assert!(approval().verify("", &Signers::default()).is_err());
    }

    #[test]
    fn malformed_signature_is_refused_without_a_panic() {
        let signers = listed("person@example.org KEY", key(1).public_key());
        let good = sign(&key(1), NAMESPACE, &approval().payload());
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
            assert_eq!(
                approval().verify(bad, &signers),
                Err(Invalid::NotASignature),
                "{bad}"
            );
        }
        // Every changed character of the 64 bytes that are the signature proper is noticed.
        for at in good.len() - 86..good.len() {
            let mut bytes = good.clone().into_bytes();
            bytes[at] = if bytes[at] == b'B' { b'C' } else { b'B' };
            let changed = String::from_utf8(bytes).unwrap();
            assert!(approval().verify(&changed, &signers).is_err(), "{at}");
        }
    }

    /// A hardware key as FIDO defines it, in software.
    fn hardware(flags: u8) -> (PublicKey, String) {
        let pair = Ed25519Keypair::from_seed(&[3; 32]);
        let public = SkEd25519::new(pair.public, "ssh:");
        let payload = approval().payload();
        let signed = SshSig::signed_data(NAMESPACE, HashAlg::Sha512, payload.as_bytes()).unwrap();
        let tail = [flags, 0, 0, 0, 7];
        let hash = |bytes: &[u8]| Sha256::digest(bytes).to_vec();
        let message = [hash(b"ssh:"), tail.to_vec(), hash(&signed)].concat();
        let signature: Signature = ssh_key::private::KeypairData::from(pair)
            .try_into()
            .map(|key: PrivateKey| signature_of(&key, &message))
            .unwrap();
        let data = [signature.as_bytes(), &tail].concat();
        let signature = Signature::new(Algorithm::SkEd25519, data).unwrap();
        let public = KeyData::from(public);
        let signature = SshSig::new(public.clone(), NAMESPACE, HashAlg::Sha512, signature).unwrap();
        let armoured = signature.to_pem(LineEnding::LF).unwrap();
        (public.into(), one_line(&armoured).unwrap())
    }

    fn signature_of(key: &PrivateKey, message: &[u8]) -> Signature {
        use ssh_key::SigningKey;
        fn sign(key: &impl SigningKey, message: &[u8]) -> Signature {
            key.try_sign(message).unwrap()
        }
        sign(key, message)
    }

    #[test]
    fn hardware_key_counts_only_if_touched() {
        let verify = |flags| {
            let (public, signature) = hardware(flags);
            approval().verify(&signature, &listed("person@example.org KEY", &public))
        };
        assert_eq!(verify(TOUCHED), Ok(()));
        assert_eq!(verify(TOUCHED | 4), Ok(()));
        assert_eq!(verify(0), Err(Invalid::Untouched));
        assert_eq!(verify(4), Err(Invalid::Untouched));
    }

    #[test]
    fn armour_is_removed_and_added() {
        assert_eq!(one_line("AAAA"), None);
        assert_eq!(one_line(BEGIN), None);
        let armoured = format!("{BEGIN}\nAAAA\nBBBB\n{END}\n");
        assert_eq!(one_line(&armoured).as_deref(), Some("AAAABBBB"));
    }
}
