//! The gate that people write first: it trusts `git diff --cached --numstat`.

use super::case::Built;
use crate::common::{self, DESIGN};

/// Files of at most this many lines may be rewritten.
const LARGE: usize = 100;

/// Whether the naive gate refuses what is staged.
pub fn refuses(built: &Built) -> bool {
    let git = |arguments: &[&str]| common::run(built.judging("git").args(arguments));
    let numstat = git(&["diff", "--cached", "--numstat"]);
    if numstat.code != 0 {
        return true;
    }
    let design = git(&["show", &format!("HEAD:{DESIGN}")]).stdout;
    numstat.stdout.lines().any(|line| {
        let mut columns = line.splitn(3, '\t').skip(1);
        let (Some(deleted), Some(path)) = (columns.next(), columns.next()) else {
            return true;
        };
        // numstat shows binary files as `-`: nothing to count.
        let deleted: usize = deleted.parse().unwrap_or(0);
        let old = git(&["cat-file", "blob", &format!("HEAD:{path}")])
            .stdout
            .lines()
            .count();
        let in_design = path == DESIGN || design.contains(&format!("`{path}`"));
        !in_design || old > LARGE && deleted * 2 >= old
    })
}
