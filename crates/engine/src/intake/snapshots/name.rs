//! The rules for names of snapshots, and the date in a name. Every publication has a file
//! `documents/NAME.parquet`, so a name must be a file name.

use output::is_harmful;

/// The name of the whole corpus where there are no snapshots. No snapshot may have it.
pub(crate) const DEFAULT: &str = "default";

/// A public id is number × 2^32 + document and has to fit 63 bits.
pub(super) const NUMBER_MAX: u32 = (1 << 31) - 1;

/// With `.parquet.part` a name has to fit the 255 bytes of a file name.
const NAME_BYTES_MAX: usize = 200;

/// The problem with a name; `None` if it can be used.
pub(super) fn problem(name: &str) -> Option<&'static str> {
    Some(match name {
        "" => "it is empty",
        DEFAULT => "it is the name of a corpus without snapshots",
        _ if name.starts_with('.') => "it begins with a dot",
        _ if name.starts_with('-') => "it begins with a hyphen",
        _ if name.len() > NAME_BYTES_MAX => "it has more than 200 bytes",
        _ if name.contains('/') => "it contains a slash, and it becomes the name of a file",
        _ if name.chars().any(is_harmful) => "it contains control or direction characters",
        _ if name.trim() != name => "it begins or ends with a space",
        _ => return None,
    })
}

/// Reads a date of at least a day, in microseconds since 1970, that can be written again.
pub(super) fn day(text: &str) -> Option<i64> {
    let date = input::parse_date(text).filter(|_| text.trim().len() >= DAY.len())?;
    (input::parse_date(&output::rfc3339(date)) == Some(date)).then_some(date)
}

/// A day as an example of its form.
const DAY: &str = "2026-01-31";

/// The day that a name begins with, if it does; most names of snapshots do.
pub(super) fn date_of(name: &str) -> Option<i64> {
    let (begin, rest) = name.split_at_checked(DAY.len())?;
    let has_form = begin
        .bytes()
        .zip(DAY.bytes())
        .all(|(byte, form)| match form {
            b'-' => byte == b'-',
            _ => byte.is_ascii_digit(),
        });
    let is_whole = !rest.starts_with(|next: char| next.is_ascii_digit());
    day(name)
        .or_else(|| day(begin))
        .filter(|_| has_form && is_whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_begins_with_a_day_has_its_date() {
        let known = day("2026-01-31");
        assert!(known.is_some());
        for name in [
            "2026-01-31",
            "2026-01-31-news",
            "2026-01-31_2",
            "2026-01-31 again",
        ] {
            assert_eq!(date_of(name), known, "{name}");
        }
        assert_eq!(date_of("2026-01-31T03:15:00Z"), day("2026-01-31T03:15:00Z"));
        for name in [
            "",
            "nightly",
            "20260131",
            "2026-02-31",
            "2026-1-31",
            "2026-01-311",
            "x2026-01-31",
            "1769829300",
            "ä026-01-31",
        ] {
            assert_eq!(date_of(name), None, "{name}");
        }
    }

    #[test]
    fn names_are_names_of_files() {
        for name in [
            "2026-01-31",
            "a b",
            "nightly_7",
            "日本",
            "x.parquet",
            "Default",
            &"n".repeat(200),
        ] {
            assert_eq!(problem(name), None, "{name}");
        }
        for name in [
            "",
            "default",
            ".",
            "..",
            ".a",
            "-a",
            "a/b",
            "a\nb",
            "a\0",
            "a\u{202e}b",
            " a",
            "a ",
            &"n".repeat(201),
        ] {
            assert!(problem(name).is_some(), "{name}");
        }
    }
}
