//! Tests of the test harness itself.

use crate::common::SOURCE;

#[test]
fn every_file_of_tests_is_a_module_of_the_program() {
    let programs = ["main", "fixtures", "long"]
        .map(|name| std::fs::read_to_string(format!("{SOURCE}/tests/{name}.rs")).unwrap())
        .concat();
    let named: Vec<_> = programs
        .lines()
        .filter_map(|line| line.strip_prefix("mod ")?.strip_suffix(';'))
        .collect();
    let files = std::fs::read_dir(format!("{SOURCE}/tests")).unwrap();
    let missing: Vec<_> = files
        .map(|file| file.unwrap().file_name().into_string().unwrap())
        .filter_map(|file| Some(file.strip_suffix(".rs")?.to_owned()))
        // src/lib.rs includes `pure`, for .ci/mutants.
        .filter(|name| !["main", "fixtures", "long", "pure"].contains(&name.as_str()))
        .filter(|name| !named.contains(&name.as_str()))
        .collect();
    assert!(
        missing.is_empty(),
        "no program names these modules: {missing:?}"
    );
}
