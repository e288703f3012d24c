//! Expands `{a,b}` in a path.

use crate::policy::glob::group;

/// The maximum number of alternatives.
const MAX_ALTERNATIVES: usize = 256;

/// All paths that the braces expand to; `None` if they are unclosed or expand to too many.
pub(super) fn expand(path: &str) -> Option<Vec<String>> {
    let mut done = Vec::new();
    let mut open = vec![path.to_owned()];
    while let Some(text) = open.pop() {
        let Some(start) = text.find('{') else {
            done.push(text);
            continue;
        };
        let (alternatives, end) = group(text.as_bytes(), start..text.len())?;
        let count = done.len() + open.len() + alternatives.len();
        if alternatives.len() < 2 || count > MAX_ALTERNATIVES {
            return None;
        }
        let (head, tail) = (text.get(..start)?, text.get(end..)?);
        for alternative in alternatives.into_iter().rev() {
            open.push(format!("{head}{}{tail}", text.get(alternative)?));
        }
    }
    let is_closed = |path: &String| !path.contains('}');
    done.iter().all(is_closed).then_some(done)
}

/// Whether there is a group without a comma: `{name}` is a placeholder.
pub(super) fn has_template(path: &str) -> bool {
    let groups = path
        .split('{')
        .skip(1)
        .filter_map(|rest| rest.split_once('}'));
    groups.into_iter().any(|(group, _)| !group.contains(','))
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
