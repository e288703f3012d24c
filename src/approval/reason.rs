//! The reason of a decision, as the log keeps it.

/// Longer reasons are cut.
const REASON_CHARS: usize = 500;

/// A reason for the log: printable, and of limited length.
pub fn reason_line(reason: &str) -> String {
    reason
        .chars()
        .filter(|c| !c.is_control())
        .take(REASON_CHARS)
        .collect::<String>()
        .trim()
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_is_one_printable_line() {
        assert_eq!(reason_line(" a\u{1b}[2Jb\tc "), "a[2Jbc");
        assert_eq!(reason_line(&"x".repeat(600)).len(), 500);
    }
}
