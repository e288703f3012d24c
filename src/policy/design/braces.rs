//! Expands `{a,b}` in a path.

/// The maximum number of alternatives.
const MAX_ALTERNATIVES: usize = 256;

/// All paths that the braces expand to; `None` if they are unclosed or expand to too many.
pub(super) fn expand(path: &str) -> Option<Vec<String>> {
    let mut done = Vec::new();
    let mut open = vec![path.to_owned()];
    while let Some(text) = open.pop() {
        let Some(start) = text.find('{') else {
            if text.contains('}') {
                return None;
            }
            done.push(text);
            continue;
        };
        let (head, rest) = text.split_at(start);
        let (alternatives, tail) = group(rest)?;
        if done.len() + open.len() + alternatives.len() > MAX_ALTERNATIVES {
            return None;
        }
        open.extend(
            alternatives
                .iter()
                .rev()
                .map(|alternative| format!("{head}{alternative}{tail}")),
        );
    }
    Some(done)
}

/// Whether there is a group without a comma: `{name}` is a placeholder.
pub(super) fn has_template(path: &str) -> bool {
    path.match_indices('{').any(|(start, _)| {
        let (_, rest) = path.split_at(start);
        group(rest).is_some_and(|(alternatives, _)| alternatives.len() < 2)
    })
}

/// Splits `{a,b}tail` into its alternatives and the tail.
fn group(text: &str) -> Option<(Vec<&str>, &str)> {
    let mut depth = 0_usize;
    let mut begin = 1;
    let mut alternatives = Vec::new();
    for (index, byte) in text.bytes().enumerate() {
        match byte {
            b'{' => depth += 1,
            b',' if depth == 1 => {
                alternatives.push(text.get(begin..index)?);
                begin = index + 1;
            }
            b'}' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    alternatives.push(text.get(begin..index)?);
                    return Some((alternatives, text.get(index + 1..)?));
                }
            }
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn alternatives() {
        assert_eq!(expand("a{b,c}d"), Some(vec!["abd".into(), "acd".into()]));
        assert_eq!(
            expand("{a,b{c,d}}"),
            Some(vec!["a".into(), "bc".into(), "bd".into()])
        );
        assert_eq!(expand("{a,}x"), Some(vec!["ax".into(), "x".into()]));
        assert_eq!(expand("plain"), Some(vec!["plain".into()]));
    }

    #[test]
    fn broken_or_huge() {
        assert_eq!(expand("a{b,c"), None);
        assert_eq!(expand("a}b{c,d}"), None);
        assert_eq!(expand(&"{a,b}".repeat(9)), None);
    }

    #[test]
    fn templates() {
        assert!(has_template("src/{name}.py"));
        assert!(has_template("{}"));
        assert!(!has_template("src/{a,b}.py"));
        assert!(!has_template("src/{a"));
    }
}
