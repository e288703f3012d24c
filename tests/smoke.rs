//! `packaging/smoke`, which every released program and the Windows program under Wine must pass, passes with this build.

use std::path::Path;
use std::process::Command;

use crate::common::{self, GUARD, SOURCE};

#[test]
fn every_step_does_what_it_should() {
    let python = Path::new("/usr/bin/python3");
    if !python.exists() {
        common::skip("there is no python3 in /usr/bin");
        return;
    }
    let mut smoke = Command::new(python);
    smoke.arg("packaging/smoke").arg(GUARD).current_dir(SOURCE);
    let output = common::run(&mut smoke).exits(0);
    output.says("16 passed, 0 failed");
}
