//! The branch that a ref stands for.

use bstr::{BStr, ByteSlice};

/// How the names begin that merge queues give to the commits they check. The numbers in them are those of requests.
const QUEUES: &[&[u8]] = &[
    b"gh-readonly-queue/",
    b"mergify/merge-queue/",
    b"mergify/merge-train/",
    b"trunk-merge/",
    b"gtmq_",
    b"mq-bot-",
];

/// The branch whose design applies to the commits of a ref, which may lack `refs/heads/`; `None` for a tag, for the ref of
/// a request, and for a name that a merge queue makes: it says nothing about the work.
pub fn branch_of_ref(name: &BStr) -> Option<&BStr> {
    let short = name.strip_prefix(b"refs/heads/").unwrap_or(name);
    let is_other = short.starts_with(b"refs/");
    let is_queue = QUEUES.iter().any(|start| short.starts_with(start));
    (!short.is_empty() && !is_other && !is_queue).then(|| short.as_bstr())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ref_stands_for_the_branch_of_the_work_or_for_none() {
        for (name, expected) in [
            ("7-work", Some("7-work")),
            ("refs/heads/feature/7", Some("feature/7")),
            ("refs/tags/v7", None),
            ("refs/pull/7/merge", None),
            ("refs/merge-requests/7/train", None),
            ("gh-readonly-queue/main/pr-57-0123", None),
            ("refs/heads/gh-readonly-queue/main/pr-57-0123", None),
            ("mergify/merge-queue/57", None),
            ("", None),
        ] {
            let expected = expected.map(BStr::new);
            assert_eq!(branch_of_ref(name.into()), expected, "{name}");
        }
    }
}
