//! Messages to `guard mcp`. Every line is decoded or answered, except responses and notifications; the answer has the id of
//! the request.
#![no_main]

use serde_json::Value;
use write_guard::mcp::decode;

libfuzzer_sys::fuzz_target!(|line: &[u8]| {
    let Err(answer) = decode(line) else {
        return;
    };
    // In a text that no reader needs, half a surrogate pair is no fault.
    let Ok(message) = serde_json::from_slice::<Value>(line) else {
        return;
    };
    let has = |key: &str| message.get(key).is_some_and(|value| !value.is_null());
    match answer {
        None => assert!(!has("id") || has("result") || has("error"), "{message}"),
        Some(answer) => {
            assert!(answer["error"]["message"].is_string(), "{answer}");
            let is_same = answer["id"] == message["id"];
            assert!(answer["id"].is_null() || is_same, "{answer}");
        }
    }
});
