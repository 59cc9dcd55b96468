//! The look of the words of a difference: a version, a date, a number, or words.

use serde::Serialize;

/// The look of the words of a difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum DifferenceKind {
    /// Both are version numbers, such as `1.74.0`.
    Version,
    /// Both are dates or times.
    Date,
    /// Only digits differ.
    Number,
    /// Anything else.
    Words,
}

impl DifferenceKind {
    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            DifferenceKind::Version => "version",
            DifferenceKind::Date => "date",
            DifferenceKind::Number => "number",
            DifferenceKind::Words => "words",
        }
    }
}

/// Longer texts are no version, date or number.
const BYTES_MAX: usize = 200;

/// The kind of a difference between two texts; one may be empty.
pub(super) fn kind_of(a: &str, b: &str) -> DifferenceKind {
    let both = |is: fn(&str) -> bool| is(a) && is(b);
    if a.is_empty() || b.is_empty() || a.len().max(b.len()) > BYTES_MAX {
        DifferenceKind::Words
    } else if both(is_version) {
        DifferenceKind::Version
    } else if both(is_date) {
        DifferenceKind::Date
    } else if without_digits(a) == without_digits(b) {
        DifferenceKind::Number
    } else {
        DifferenceKind::Words
    }
}

/// Numbers with points between them, such as `1.74.0`, `v2.1` and `3.11-rc1`.
fn is_version(text: &str) -> bool {
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let number = text.strip_prefix('v').unwrap_or(text);
    let number = number.split(['-', '_', '+']).next().unwrap_or_default();
    number.contains('.') && number.split('.').all(is_number)
}

/// The first letters of English names of months and days.
const NAMES: [&str; 19] = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec", "mon",
    "tue", "wed", "thu", "fri", "sat", "sun",
];

/// Words beside the numbers of a time.
const TIME_WORDS: [&str; 9] = ["am", "pm", "gmt", "utc", "cet", "cest", "est", "pst", "at"];

/// Numbers with names of months or days, or numbers with `-`, `/` or `:` between them.
fn is_date(text: &str) -> bool {
    let pieces = || {
        let pieces = text.split(|c: char| !c.is_alphanumeric());
        pieces.filter(|piece| !piece.is_empty())
    };
    let is_number = |piece: &&str| piece.starts_with(|c: char| c.is_ascii_digit());
    let is_name = |piece: &&str| {
        let piece = piece.to_ascii_lowercase();
        piece.len() <= "wednesday".len() && NAMES.iter().any(|name| piece.starts_with(name))
    };
    let is_time_word = |piece: &&str| TIME_WORDS.contains(&&*piece.to_ascii_lowercase());
    let numbers = pieces().filter(is_number).count();
    let names = pieces().filter(is_name).count();
    let is_joined = text.contains(['-', '/', ':']) && numbers >= 2;
    numbers > 0
        && (names > 0 || is_joined)
        && pieces().all(|piece| is_number(&piece) || is_name(&piece) || is_time_word(&piece))
}

fn without_digits(text: &str) -> String {
    text.chars().filter(|c| !c.is_numeric()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_dates_and_numbers_are_told_from_words() {
        let kinds = |texts: &[&str], kind| {
            for text in texts {
                assert_eq!(kind_of(text, texts[0]), kind, "{text}");
            }
        };
        kinds(
            &["1.74.0", "v2.1", "3.11-rc1", "10.0"],
            DifferenceKind::Version,
        );
        kinds(
            &[
                "2024-01-31",
                "31/01/2024",
                "3 May 2020",
                "Tuesday, Nov 24 2026 at 12:00",
                "12:03:04 GMT",
            ],
            DifferenceKind::Date,
        );
        assert_eq!(
            kind_of("page 17 of 20", "page 3 of 9"),
            DifferenceKind::Number
        );
        for (a, b) in [
            ("May", "June"),
            ("monday 3", "the 3"),
            ("", "1.2"),
            ("example.com", "example.org"),
        ] {
            assert_eq!(kind_of(a, b), DifferenceKind::Words, "{a} {b}");
        }
    }
}
