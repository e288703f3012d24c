//! Whether the terminal makes hyperlinks of OSC 8 sequences. Others would print rubbish, so guard asks for a sign that
//! the terminal does.

use std::env;

use crate::ci;

/// Whether standard output, a terminal, shows hyperlinks to files of this computer.
pub(super) fn are_shown() -> bool {
    let variables: ci::Variables = env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .collect();
    supports(&variables) && !ci::is_job(&variables)
}

fn supports(variables: &ci::Variables) -> bool {
    let value = |name: &str| variables.get(name).map(String::as_str).unwrap_or_default();
    let is_set = |name: &str| !value(name).is_empty();
    // The terminal of an SSH session runs on another computer; in a hook, the output belongs to git or a framework.
    if [
        "SSH_CONNECTION",
        "GIT_INDEX_FILE",
        "GIT_DIR",
        "PRE_COMMIT",
        "CI",
    ]
    .into_iter()
    .any(is_set)
    {
        return false;
    }
    let programs = [
        "iTerm.app",
        "WezTerm",
        "vscode",
        "ghostty",
        "Hyper",
        "rio",
        "Tabby",
    ];
    let terms = [
        "xterm-kitty",
        "xterm-ghostty",
        "alacritty",
        "foot",
        "wezterm",
    ];
    // Older versions of VTE crash on the sequence.
    let is_new_vte = value("VTE_VERSION")
        .parse()
        .is_ok_and(|version: u32| version >= 5_000);
    is_new_vte
        || programs.contains(&value("TERM_PROGRAM"))
        || terms.contains(&value("TERM"))
        || [
            "WT_SESSION",
            "KONSOLE_VERSION",
            "DOMTERM",
            "KITTY_WINDOW_ID",
        ]
        .into_iter()
        .any(is_set)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hyperlinks_need_a_sign_and_no_counter_sign() {
        let of = |all: &[(&str, &str)]| {
            let pairs = all.iter();
            supports(
                &pairs
                    .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
                    .collect(),
            )
        };
        assert!(of(&[("TERM", "xterm-kitty")]));
        assert!(of(&[("TERM_PROGRAM", "vscode")]));
        assert!(of(&[("VTE_VERSION", "7603")]));
        assert!(!of(&[("VTE_VERSION", "4000")]));
        assert!(!of(&[("TERM", "xterm-256color")]));
        assert!(!of(&[]));
        for stop in [
            "CI",
            "SSH_CONNECTION",
            "GIT_INDEX_FILE",
            "GIT_DIR",
            "PRE_COMMIT",
        ] {
            assert!(!of(&[("TERM", "xterm-kitty"), (stop, "1")]), "{stop}");
        }
    }
}
