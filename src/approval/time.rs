//! Parses times in lists of signers (ssh-keygen(1)): `YYYYMMDD`, `YYYYMMDDHHMM` or `YYYYMMDDHHMMSS`, each with or
//! without `Z`. Without it ssh-keygen uses local time, but guard always uses UTC, so that every machine reaches the
//! same verdict.

const DAY: i64 = 86_400;

/// Seconds since 1970; `None` if it is not a valid time.
pub(super) fn parse(text: &str) -> Option<i64> {
    let digits = text.strip_suffix('Z').unwrap_or(text);
    let is_time = digits.bytes().all(|byte| byte.is_ascii_digit());
    if !is_time || ![8, 12, 14].contains(&digits.len()) {
        return None;
    }
    let number = |from: usize, to: usize| match digits.get(from..to) {
        None => Some(0),
        Some(part) => part.parse::<i64>().ok(),
    };
    let (year, month, day) = (number(0, 4)?, number(4, 6)?, number(6, 8)?);
    let (hour, minute, second) = (number(8, 10)?, number(10, 12)?, number(12, 14)?);
    let is_date = (1..=12).contains(&month) && (1..=days_of(year, month)).contains(&day);
    if year < 1970 || !is_date || hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let years: i64 = (1970..year).map(|year| 365 + leap(year)).sum();
    let months: i64 = (1..month).map(|month| days_of(year, month)).sum();
    Some((years + months + day - 1) * DAY + hour * 3600 + minute * 60 + second)
}

fn leap(year: i64) -> i64 {
    i64::from(year % 4 == 0 && (year % 100 != 0 || year % 400 == 0))
}

fn days_of(year: i64, month: i64) -> i64 {
    match month {
        2 => 28 + leap(year),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn times_of_every_length_are_read_as_utc() {
        for (text, seconds) in [
            ("19700101", 0),
            ("19700102Z", 86_400),
            ("20240229", 1_709_164_800),
            ("20240301", 1_709_251_200),
            ("202601010000", 1_767_225_600),
            ("20260101000001Z", 1_767_225_601),
            ("20260101235959", 1_767_311_999),
        ] {
            assert_eq!(parse(text), Some(seconds), "{text}");
        }
    }

    #[test]
    fn other_forms_are_not_a_time() {
        for text in [
            "",
            "Z",
            "2026",
            "20260230",
            "20261301",
            "20260100",
            "2026010124",
            "202601012400",
            "202601010060",
            "+2026010",
            "1969123१",
            "20260101z",
            "forever",
            "21000229",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
