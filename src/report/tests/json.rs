use super::*;

#[test]
fn the_json_of_a_run() {
    let json = write(&refused(), Format::Json, &Style::default());
    insta::assert_snapshot!(json);
    assert!(json.ends_with("}\n") && !json.ends_with("\n\n"));
}

#[test]
fn a_bare_finding_and_a_measured_change_in_json() {
    let mut report = destructive();
    report.findings[0].path = None;
    let json: serde_json::Value =
        serde_json::from_str(&write(&report, Format::Json, &Style::default())).unwrap();
    let finding = &json["findings"][0];
    for key in ["path", "closest", "design"] {
        assert!(finding[key].is_null(), "{key}");
    }
    assert_eq!(finding["details"], serde_json::json!({}));
    let change = &json["changes"][0];
    assert_eq!(change["lost_share"].as_f64(), Some(230.0 / 270.0));
    assert_eq!(change["original_lines"], 270);
    assert!(change.get("preview").is_none() && change.get("deleted").is_none());
}
