//! The list of signers, in the format of git's `gpg.ssh.allowedSignersFile` (ssh-keygen(1), "ALLOWED SIGNERS").

use ssh_key::PublicKey;
use ssh_key::public::KeyData;

use super::pattern::matches_list;
use super::time;
use crate::error::{Error, Result};
use crate::path::escaped;

/// The namespace of signatures, so that a signature for another purpose does not count.
pub const NAMESPACE: &str = "guard";

/// RSA key sizes that are neither weak nor slow.
const RSA_BYTES: std::ops::RangeInclusive<usize> = 256..=512;

const NOT_CHECKED: &str =
    "guard supports only ed25519, ecdsa-sha2-nistp256 and RSA keys of 2048 to 4096 bits";

/// The keys in a list, each with its principals.
#[derive(Debug, Clone, Default)]
pub struct Signers {
    pub(super) lines: Vec<SignerLine>,
    /// Ignored lines, one sentence each.
    pub warnings: Vec<String>,
}

/// One key.
#[derive(Debug, Clone)]
pub(super) struct SignerLine {
    principals: String,
    namespaces: Option<String>,
    /// The first and the last second of its validity.
    pub(super) valid: (Option<i64>, Option<i64>),
    pub(super) key: KeyData,
}

impl SignerLine {
    /// Whether the key is listed for `who`.
    pub(super) fn is_for(&self, who: &str) -> bool {
        matches_list(&self.principals, who)
    }

    /// Whether the key may sign approvals.
    pub(super) fn may_approve(&self) -> bool {
        self.namespaces
            .as_ref()
            .is_none_or(|list| matches_list(list, NAMESPACE))
    }
}

impl Signers {
    /// Parses the text of `file`; the name is for messages.
    ///
    /// # Errors
    /// All malformed lines, each with its place and the fix.
    pub fn parse(file: &str, text: &[u8]) -> Result<Signers> {
        let mut signers = Signers::default();
        let mut faults = Vec::new();
        for (number, line) in (1..).zip(text.split(|&byte| byte == b'\n')) {
            let place = format!("{}:{number}", escaped(file));
            let read = std::str::from_utf8(line)
                .map_err(|_| "it is not UTF-8".to_owned())
                .and_then(|line| parse_line(line.trim_matches([' ', '\t', '\r'])));
            match read {
                Ok(Read::Nothing) => {}
                Ok(Read::Key(line)) => signers.lines.push(*line),
                Ok(Read::LeftOut(why)) => signers.warnings.push(format!("{place}: {why}")),
                Err(why) => faults.push(format!("{place}: {why}")),
            }
        }
        if faults.is_empty() {
            return Ok(signers);
        }
        Err(Error::new(faults.join("\n")).help(
            "write each line as `person@example.org namespaces=\"guard\" ssh-ed25519 AAAA…`, or start it with # to disable it",
        ))
    }

    /// The line that lists the public key `text` for `who`, for approvals only, or why there is none; `FILE` in that
    /// sentence stands for the list.
    ///
    /// # Errors
    /// The key is unsupported or already listed, or `who` cannot be a principal.
    pub fn line_for(&self, who: &str, text: &str) -> Result<String, String> {
        let mut lines = text.lines().filter(|line| !line.trim().is_empty());
        let (Some(text), None) = (lines.next(), lines.next()) else {
            return Err("it is not a single public key on one line".to_owned());
        };
        let data = key(text.trim())?;
        if !can_verify(&data) {
            return Err(NOT_CHECKED.to_owned());
        }
        if self.lines.iter().any(|line| line.key == data) {
            return Err("FILE already lists it".to_owned());
        }
        let is_plain = |c: char| !c.is_whitespace() && !c.is_control() && !"\"*?!,#".contains(c);
        if who.is_empty() || !who.chars().all(is_plain) {
            return Err(format!(
                "git's user.email `{}` cannot be used in FILE",
                escaped(who)
            ));
        }
        // Without the comment, which may contain anything.
        let words: Vec<&str> = text.split_whitespace().take(2).collect();
        Ok(format!(
            "{who} namespaces=\"{NAMESPACE}\" {}",
            words.join(" ")
        ))
    }

    /// How many keys may sign approvals.
    pub fn count(&self) -> usize {
        self.lines.iter().filter(|line| line.may_approve()).count()
    }
}

enum Read {
    Nothing,
    Key(Box<SignerLine>),
    LeftOut(&'static str),
}

fn parse_line(line: &str) -> Result<Read, String> {
    if line.is_empty() || line.starts_with('#') {
        return Ok(Read::Nothing);
    }
    let (principals, rest) = principals(line)?;
    if principals.split(',').any(str::is_empty) {
        return Err("a principal is empty".to_owned());
    }
    let mut options = SignerOptions::default();
    let key = match key(rest) {
        Ok(key) => key,
        Err(_) if !begins_with_key_type(rest) => {
            let (text, rest) = first_word(rest)?;
            options = parse_options(text)?;
            key(rest)?
        }
        Err(error) => return Err(error),
    };
    if options.is_authority {
        return Ok(Read::LeftOut(
            "certificate authorities cannot sign approvals; list the key itself",
        ));
    }
    if !can_verify(&key) {
        return Ok(Read::LeftOut(NOT_CHECKED));
    }
    Ok(Read::Key(Box::new(SignerLine {
        principals: principals.to_owned(),
        namespaces: options.namespaces,
        valid: (options.valid_after, options.valid_before),
        key,
    })))
}

/// The first field, possibly quoted, and the rest.
fn principals(line: &str) -> Result<(&str, &str), String> {
    let (field, rest) = match line.strip_prefix('"') {
        Some(quoted) => quoted
            .split_once('"')
            .ok_or_else(|| "the quote around the principals is not closed".to_owned())?,
        None => line
            .split_once([' ', '\t'])
            .ok_or_else(|| "there is no key after the principals".to_owned())?,
    };
    Ok((field, rest.trim_start_matches([' ', '\t'])))
}

/// Up to the first blank outside quotes.
fn first_word(text: &str) -> Result<(&str, &str), String> {
    let mut quoted = false;
    for (at, char) in text.char_indices() {
        match char {
            '"' => quoted = !quoted,
            ' ' | '\t' if !quoted => {
                return Ok((&text[..at], text[at..].trim_start_matches([' ', '\t'])));
            }
            _ => {}
        }
    }
    Err(if quoted {
        "a quote in the options is not closed".to_owned()
    } else {
        "there is no key after the options".to_owned()
    })
}

/// Whether the text is a public key, not the name of a file.
pub fn is_public_key(text: &str) -> bool {
    key(text).is_ok()
}

fn begins_with_key_type(text: &str) -> bool {
    ["ssh-", "ecdsa-", "sk-"]
        .iter()
        .any(|prefix| text.starts_with(prefix))
}

fn key(text: &str) -> Result<KeyData, String> {
    let mut words = text.split([' ', '\t']).filter(|word| !word.is_empty());
    let kind = words.next().unwrap_or_default();
    let data = words.next().unwrap_or_default();
    PublicKey::from_openssh(&format!("{kind} {data}"))
        .map(|key| key.key_data().clone())
        .map_err(|_| format!("`{}` does not start a public key", escaped(kind)))
}

fn can_verify(key: &KeyData) -> bool {
    match key {
        KeyData::Ed25519(_) | KeyData::SkEd25519(_) | KeyData::SkEcdsaSha2NistP256(_) => true,
        KeyData::Rsa(key) => {
            let bytes = key.n.as_positive_bytes().map_or(0, <[u8]>::len);
            RSA_BYTES.contains(&bytes)
        }
        KeyData::Ecdsa(key) => key.curve() == ssh_key::EcdsaCurve::NistP256,
        _ => false,
    }
}

#[derive(Default)]
struct SignerOptions {
    is_authority: bool,
    namespaces: Option<String>,
    valid_after: Option<i64>,
    valid_before: Option<i64>,
}

fn parse_options(mut text: &str) -> Result<SignerOptions, String> {
    let mut options = SignerOptions::default();
    loop {
        let end = text.find([',', '=']).unwrap_or(text.len());
        let name = text[..end].to_ascii_lowercase();
        text = &text[end..];
        let mut value = None;
        if let Some(rest) = text.strip_prefix('=') {
            let quoted = rest
                .strip_prefix('"')
                .and_then(|rest| rest.split_once('"'))
                .ok_or_else(|| format!("the value of `{}` needs quotes", escaped(&name)))?;
            (value, text) = (Some(quoted.0), quoted.1);
        }
        options.set(&name, value)?;
        match text.strip_prefix(',') {
            Some(rest) => text = rest,
            None if text.is_empty() => return Ok(options),
            None => return Err("separate options with commas, without spaces".to_owned()),
        }
    }
}

impl SignerOptions {
    fn set(&mut self, name: &str, value: Option<&str>) -> Result<(), String> {
        let twice = || format!("`{}` is repeated", escaped(name));
        let time = |old: Option<i64>, value: &str| match (old, time::parse(value)) {
            (Some(_), _) => Err(twice()),
            (None, None) => Err(format!(
                "`{}` is not a valid time; write YYYYMMDD or YYYYMMDDHHMMSS, with Z for UTC",
                escaped(value)
            )),
            (None, time) => Ok(time),
        };
        match (name, value) {
            ("cert-authority", None) => self.is_authority = true,
            ("namespaces", Some(_)) if self.namespaces.is_some() => return Err(twice()),
            ("namespaces", Some(list)) => self.namespaces = Some(list.to_owned()),
            ("valid-after", Some(value)) => self.valid_after = time(self.valid_after, value)?,
            ("valid-before", Some(value)) => self.valid_before = time(self.valid_before, value)?,
            _ => {
                return Err(format!(
                    "`{}` is not an option of allowed signers; the options are namespaces=\"…\", valid-after=\"…\", \
                     valid-before=\"…\" and cert-authority",
                    escaped(name)
                ));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    const KEY: &str =
        "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAILM+rvN+ot98qgEN796jTiQfZfG1KaT0PtFDJ/XFSqti";

    fn parse(text: &str) -> Result<Signers> {
        Signers::parse(".guard/allowed_signers", text.as_bytes())
    }

    fn line(text: &str) -> SignerLine {
        let mut signers = parse(text).unwrap();
        assert_eq!(signers.warnings, [""; 0], "{text}");
        assert_eq!(signers.lines.len(), 1, "{text}");
        signers.lines.remove(0)
    }

    #[test]
    fn lines_of_every_form_are_read() {
        for text in [
            format!("a@x {KEY}"),
            format!("a@x {KEY} a comment of words"),
            format!("\ta@x \t {}\r", KEY.replace(' ', "\t")),
            format!("\"a@x\" {KEY}"),
            format!("b@x,a@x namespaces=\"git,guard\" {KEY}"),
            format!("a@x Namespaces=\"g*\",VALID-AFTER=\"20200101\" {KEY}"),
        ] {
            let line = line(&text);
            assert!(line.is_for("a@x") && line.may_approve(), "{text}");
        }
        assert!(line(&format!("\"A Person\" {KEY}")).is_for("A Person"));
        let nothing = parse("\n# a comment\n   \n\r\n").unwrap();
        assert!(nothing.lines.is_empty() && nothing.warnings.is_empty());
    }

    #[test]
    fn principals_are_patterns() {
        for (principals, who, expected) in [
            ("a@x", "a@x", true),
            ("a@x", "A@x", false),
            ("a@x", "a@xy", false),
            ("*@x", "a@x", true),
            ("*@x", "a@x@y", false),
            ("?@x", "ab@x", false),
            ("*", "", true),
            ("**a*b", "xxabb", true),
            ("*,!b@x", "a@x", true),
            ("*,!b@x", "b@x", false),
            ("!b@x,*", "b@x", false),
            ("!b@x", "a@x", false),
            ("a@x,b@x", "a@x,b@x", false),
            ("a@x", "*", false),
        ] {
            let line = line(&format!("{principals} {KEY}"));
            assert_eq!(line.is_for(who), expected, "{principals} {who}");
        }
    }

    #[test]
    fn namespaces_and_times_are_kept() {
        assert!(!line(&format!("a namespaces=\"git\" {KEY}")).may_approve());
        assert!(!line(&format!("a namespaces=\"*,!guard\" {KEY}")).may_approve());
        let both = line(&format!(
            "a valid-after=\"20260101Z\",valid-before=\"202601020000\" {KEY}"
        ));
        assert_eq!(both.valid, (Some(1_767_225_600), Some(1_767_312_000)));
        assert_eq!(line(&format!("a {KEY}")).valid, (None, None));
    }

    #[test]
    fn unsupported_lines_are_ignored_with_a_warning() {
        let p384 = "ecdsa-sha2-nistp384 AAAAE2VjZHNhLXNoYTItbmlzdHAzODQAAAAIbmlzdHAzODQAAABhBHZxfGH+YBg0K5SCxwUFX5d0Tzwx67t+fQyScHGDrzCfmaqyXFuFU0x/QSf7qkQdwR/KJsEdMO3mL+++5Lb5vhjdFvuWcj4ZLpVwi/i5QLLooU2NYkoZNQseMM0u4CADQw==";
        let text = format!("a cert-authority {KEY}\nb {p384}\nc {KEY}\n");
        let signers = parse(&text).unwrap();
        assert_eq!(signers.lines.len(), 1);
        assert!(
            signers.warnings[0].starts_with(".guard/allowed_signers:1: certificate authorities"),
            "{:?}",
            signers.warnings
        );
        assert!(
            signers.warnings[1]
                .starts_with(".guard/allowed_signers:2: guard supports only ed25519"),
            "{:?}",
            signers.warnings
        );
        assert_eq!(signers.count(), 1);
    }

    #[test]
    fn only_usable_unlisted_keys_get_a_line() {
        let none = Signers::default();
        let line = format!("a@x namespaces=\"guard\" {KEY}");
        let commented = format!("\n{KEY} a comment\r\n");
        assert_eq!(none.line_for("a@x", &commented), Ok(line.clone()));
        let listed = parse(&format!("b@x {KEY}\n")).unwrap();
        for (signers, who, text) in [
            (&listed, "a@x", KEY.to_owned()),
            (&none, "a@x", String::new()),
            (&none, "a@x", "ssh-ed25519 AAAA".to_owned()),
            (&none, "a@x", format!("{KEY}\n{KEY}")),
            (&none, "a@x", line),
            (&none, "", KEY.to_owned()),
            (&none, "*", KEY.to_owned()),
            (&none, "a b", KEY.to_owned()),
            (&none, "a\",b", KEY.to_owned()),
        ] {
            assert!(signers.line_for(who, &text).is_err(), "{who} {text}");
        }
    }

    #[test]
    fn weak_or_huge_rsa_keys_are_ignored() {
        use ssh_key::Mpint;
        use ssh_key::public::RsaPublicKey;
        for (bytes, counts) in [(128, 0), (255, 0), (256, 1), (512, 1), (513, 0)] {
            let number = |bytes: &[u8]| Mpint::from_positive_bytes(bytes).unwrap();
            let key = RsaPublicKey {
                e: number(&[1, 0, 1]),
                n: number(&vec![0xff; bytes]),
            };
            let key = PublicKey::from(key).to_openssh().unwrap();
            let signers = parse(&format!("a@x {key}")).unwrap();
            assert_eq!(signers.count(), counts, "{bytes}");
            assert_eq!(signers.warnings.len(), 1 - counts, "{bytes}");
        }
    }

    #[test]
    fn a_line_that_does_not_parse_is_named_with_its_place_and_the_fix() {
        for (bad, why) in [
            ("a@x", "there is no key after the principals"),
            (
                "a@x ssh-ed25519",
                "`ssh-ed25519` does not start a public key",
            ),
            ("a@x ssh-ed25519 AAAA", "does not start a public key"),
            (
                "a@x namespaces=\"guard\"",
                "there is no key after the options",
            ),
            ("a@x namespaces=\"guard KEY", "is not closed"),
            ("a@x namespaces=guard KEY", "needs quotes"),
            ("a@x namespaces=\"a\",namespaces=\"b\" KEY", "is repeated"),
            ("a@x namespaces=\"a\"valid-after=\"20200101\" KEY", "commas"),
            ("a@x namespaces=\"a\", KEY", "is not an option"),
            ("a@x valid-after=\"yesterday\" KEY", "is not a valid time"),
            ("a@x no-touch-required KEY", "is not an option"),
            ("a@x cert-authority=\"\" KEY", "is not an option"),
            ("a@x,,b@x KEY", "a principal is empty"),
            ("\"a@x KEY", "the quote around the principals is not closed"),
            // Without a principal the type of the key is taken for one.
            ("KEY", "there is no key after the options"),
        ] {
            let text = format!("# one\nb@x {KEY}\n{}\n", bad.replace("KEY", KEY));
            let error = parse(&text).unwrap_err();
            assert!(
                error.message.starts_with(".guard/allowed_signers:3: ")
                    && error.message.contains(why),
                "{bad}: {}",
                error.message
            );
            assert!(!error.help.is_empty());
        }
        let error = Signers::parse("f", b"a \xff\nb\n").unwrap_err();
        assert_eq!(error.message.lines().count(), 2, "{}", error.message);
    }
}
