//! An accepted request is a relative path without `..` and `.git`, an index may contain it, and it is accepted again
//! unchanged. An accepted link target stays inside. A name is printed on one line.
#![no_main]

use bstr::{BStr, ByteSlice};
use libfuzzer_sys::fuzz_target;
use write_guard_policy::change::Kind;
use write_guard_policy::path::{
    Platform, check_entry, check_link_target, escaped, from_directory, is_hostile,
    normalize_request, spelled_below,
};

fn check_names(path: &BStr) {
    assert!(!path.is_empty() && !path.contains(&0), "{path:?}");
    for name in path.split(|&byte| byte == b'/') {
        let is_odd = matches!(name, b"" | b"." | b"..") || name.eq_ignore_ascii_case(b".git");
        assert!(!is_odd, "{path:?}");
    }
}

fuzz_target!(|data: &[u8]| {
    let (here, input) = data.split_once_str("\n").unwrap_or((b"src", data));
    for (platform, root) in [
        (Platform::Unix, &b"/ws"[..]),
        (Platform::Windows, br"C:\ws"),
    ] {
        if let Ok(path) = normalize_request(root, input, platform) {
            check_names(path.as_ref());
            assert_eq!(check_entry(path.as_ref(), Kind::File, platform), Ok(()));
            // `./~x` is how to name `~x`.
            for again in [
                ["./".as_bytes(), &path].concat(),
                [root, b"/", &path].concat(),
            ] {
                assert_eq!(normalize_request(root, &again, platform), Ok(path.clone()));
            }
            assert!(spelled_below(root, input, platform).is_ok());
        }
        let _ = normalize_request(root, &from_directory(here, input, platform), platform);
        let entry = BStr::new(input);
        if check_entry(entry, Kind::File, platform).is_ok() {
            check_names(entry);
        }
        if check_entry(here.into(), Kind::Symlink, platform).is_ok()
            && check_link_target(here.into(), input, platform).is_ok()
        {
            let mut depth = here.split(|&byte| byte == b'/').count() - 1;
            let is_separator =
                |byte: &u8| *byte == b'/' || platform == Platform::Windows && *byte == b'\\';
            for name in input.split(is_separator) {
                depth = match name {
                    b"" | b"." => depth,
                    b".." => depth.checked_sub(1).expect("the link leaves the workspace"),
                    _ => depth + 1,
                };
            }
        }
    }
    let shown = escaped(input).to_string();
    assert!(
        !shown.contains(|c: char| c.is_control() || is_hostile(c)),
        "{shown:?}"
    );
});
