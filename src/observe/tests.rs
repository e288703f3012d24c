//! What several observations of one event tell together.

use super::*;

fn told(text: &str, is_neutral: bool, for_person: Option<&str>) -> Told {
    Told {
        text: text.to_owned(),
        is_neutral,
        for_person: for_person.map(str::to_owned),
    }
}

#[test]
fn two_texts_are_told_as_one_and_hold_the_agent_if_one_of_them_does() {
    for (first, second, expected) in [
        (told("a", true, None), told("b", true, None), (true, None)),
        (told("a", false, None), told("b", true, None), (false, None)),
        (told("a", true, None), told("b", false, None), (false, None)),
        (
            told("a", false, None),
            told("b", false, None),
            (false, None),
        ),
        (
            told("a", true, Some("x")),
            told("b", true, None),
            (true, Some("x")),
        ),
        (
            told("a", true, None),
            told("b", true, Some("y")),
            (true, Some("y")),
        ),
        (
            told("a", true, Some("x")),
            told("b", true, Some("y")),
            (true, Some("x\ny")),
        ),
    ] {
        let both = first.with(second);
        assert_eq!(both, told("a\nb", expected.0, expected.1));
    }
}
