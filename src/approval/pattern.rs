//! The patterns of OpenSSH (ssh_config(5), "PATTERNS").

/// OpenSSH's limit for one pattern.
const MAX_PATTERN: usize = 1024;

/// OpenSSH pattern lists: separated by commas, with `*` and `?` as in a shell, and `!` for exclusions.
pub(super) fn matches_list(list: &str, text: &str) -> bool {
    let mut found = false;
    for pattern in list.split(',') {
        let bare = pattern.strip_prefix('!');
        let (negated, pattern) = (bare.is_some(), bare.unwrap_or(pattern));
        if pattern.len() >= MAX_PATTERN {
            return false;
        }
        if matches(pattern.as_bytes(), text.as_bytes()) {
            if negated {
                return false;
            }
            found = true;
        }
    }
    found
}

/// The last `*` expands until the rest matches.
fn matches(pattern: &[u8], text: &[u8]) -> bool {
    let (mut p, mut t) = (0, 0);
    let mut star = None;
    while t < text.len() {
        match pattern.get(p) {
            Some(b'*') => {
                star = Some((p, t));
                p += 1;
            }
            Some(&byte) if byte == b'?' || byte == text[t] => {
                p += 1;
                t += 1;
            }
            _ => match star {
                Some((at, taken)) => {
                    star = Some((at, taken + 1));
                    p = at + 1;
                    t = taken + 1;
                }
                None => return false,
            },
        }
    }
    pattern[p..].iter().all(|&byte| byte == b'*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overlong_pattern_matches_nothing_quickly() {
        assert!(matches_list("*,a", "a"));
        let long = format!("{}*,a", "a".repeat(MAX_PATTERN));
        assert!(!matches_list(&long, "a"));
        // Exponential in the number of stars if it were done by trying everything.
        let stars = "*a".repeat(500);
        assert!(!matches_list(&stars, &"a".repeat(499)));
        assert!(matches_list(&stars, &"a".repeat(500)));
    }
}
