//! `git -c key=value` around a hook: git passes it in `GIT_CONFIG_PARAMETERS`, which gix ignores.

use gix::bstr::{BString, ByteVec};

use crate::error::{Error, Result};

const VARIABLE: &str = "GIT_CONFIG_PARAMETERS";

/// The settings of the environment as `key=value` strings.
///
/// # Errors
/// The variable is malformed.
pub(super) fn overrides() -> Result<Vec<BString>> {
    let Some(value) = std::env::var_os(VARIABLE) else {
        return Ok(Vec::new());
    };
    Vec::from_os_string(value)
        .ok()
        .and_then(|bytes| parse(&bytes))
        .ok_or_else(|| {
            Error::new(format!("{VARIABLE} is malformed")).help(format!("unset {VARIABLE}"))
        })
}

/// Blank-separated items, each `'key=value'` or `'key'='value'`, quoted for a shell.
fn parse(input: &[u8]) -> Option<Vec<BString>> {
    let mut items = Vec::new();
    let mut rest = input.trim_ascii();
    while !rest.is_empty() {
        let mut item = unquote(&mut rest)?;
        if let Some(after) = rest.strip_prefix(b"=") {
            rest = after;
            item.push(b'=');
            if !rest.is_empty() && !rest.starts_with(b" ") {
                item.extend(unquote(&mut rest)?);
            }
        }
        items.push(item.into());
        if !(rest.is_empty() || rest.starts_with(b" ")) {
            return None;
        }
        rest = rest.trim_ascii_start();
    }
    Some(items)
}

/// One single-quoted string, where `'\''` is a quote and `'\!'` an exclamation mark.
fn unquote(rest: &mut &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    *rest = rest.strip_prefix(b"'")?;
    loop {
        let end = rest.iter().position(|&byte| byte == b'\'')?;
        out.extend_from_slice(&rest[..end]);
        *rest = &rest[end + 1..];
        match rest {
            [b'\\', escaped @ (b'\'' | b'!'), b'\'', ..] => {
                out.push(*escaped);
                *rest = &rest[3..];
            }
            _ => return Some(out),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn both_forms_of_git_are_read() {
        let items =
            parse(br"'a.b=c d' 'branch.x.guardDesign'='it'\''s' 'flag'=").unwrap_or_default();
        assert_eq!(items, ["a.b=c d", "branch.x.guardDesign=it's", "flag="]);
    }

    #[test]
    fn anything_else_is_refused() {
        for bad in ["a=b", "'a", "'a''b'", "'a'b", "'a'='b"] {
            assert_eq!(parse(bad.as_bytes()), None, "{bad}");
        }
    }
}
