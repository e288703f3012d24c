//! An approval counts, and is used up, however long the log is.

use gix::bstr::BStr;
use serde_json::Map;
use write_guard::approvals::{self, Answer};
use write_guard::files::{Gate, Log, Operation};
use write_guard::judge::Options;
use write_guard_repo::Repository;

use crate::common::log::grow;
use crate::common::{Repo, lines};

/// A repository with an approval that no commit has used up yet, and records after it.
pub fn repo() -> Repo {
    let repo = Repo::open();
    repo.stage("large.py", lines(1..=200));
    repo.commit("Large");
    approve(&repo);
    repo.put("a", "1\n", &[]).works();
    repo
}

fn approve(repo: &Repo) {
    let opened = Repository::open(&repo.root).unwrap();
    let gate = Gate::open(&opened, &Options::default()).unwrap();
    let operation = Operation::replace(b"x = 1\n".to_vec());
    let mut ask = |_: &approvals::Question| Answer::Approve("agreed".to_owned());
    gate.perform(BStr::new("large.py"), &operation, None, Some(&mut ask))
        .unwrap();
}

fn approvals(repo: &Repo) -> usize {
    let opened = Repository::open(&repo.root).unwrap();
    approvals::unexpired(&opened).unwrap().len()
}

#[test]
fn used_approval_does_not_count_however_long_the_log_is() {
    let repo = repo();
    assert_eq!(approvals(&repo), 1);
    grow(&repo, 500);
    repo.guard(&["audit", "verify"]).exits(0);
    assert_eq!(approvals(&repo), 1);
    let mut records = repo.records().into_iter();
    let approved = records.find(|record| record["event"] == "approved");
    let id = approved.unwrap()["id"].clone();
    let log = Log::of(&Repository::open(&repo.root).unwrap());
    log.append("consumed", Map::from_iter([("id".to_owned(), id)]))
        .unwrap();
    assert_eq!(approvals(&repo), 0);
    repo.put("a", "2\n", &[]).works();
    grow(&repo, 700);
    assert_eq!(approvals(&repo), 0);
}
