//! Dates of records, as microseconds.
//!
//! Written here, because no well-kept crate reads all these forms by itself: a year, a month, a day
//! and minutes would each need a format and a rule here, which is as long as this parser.
//!
//! *Input.* RFC 3339 text, or W3C's shorter forms of it (a year, a month, a day, minutes), or a
//! number of seconds, milliseconds, microseconds or nanoseconds since 1970. *Output.* Microseconds
//! since 1970-01-01T00:00:00Z, finer digits cut off. *Algorithm.* Days of the proleptic Gregorian
//! calendar. The unit of a number shows in its size. *Limits.* Years 0 to 9999; of numbers, years
//! to 5138, and milliseconds before March 1973 pass for seconds. Without an offset the time is
//! taken for UTC. An impossible date is `None`.

use crate::document::Date;

const MICROS: i64 = 1_000_000;

/// The flag of a document whose date cannot be read.
pub const IMPOSSIBLE_DATE: &str = "impossible-date";

/// From here on a number is none of seconds, which would be after the year 5138, but of
/// milliseconds; a thousand times as much, of microseconds; and so on.
const SECONDS_END: u64 = 100_000_000_000;

/// The first microsecond after the year 9999.
const END: Date = 253_402_300_800 * MICROS;

/// Reads `text`; `None` if it is no date or an impossible one, such as the 65th of March.
pub fn parse(text: &str) -> Option<Date> {
    let mut rest = text.trim().as_bytes();
    let year = digits(&mut rest, 4)?;
    let (mut month, mut day) = (1, 1);
    if take(&mut rest, b"-") {
        month = digits(&mut rest, 2)?;
        if take(&mut rest, b"-") {
            day = digits(&mut rest, 2)?;
        }
    }
    let days = days_from_civil(year, month, day)?;
    if rest.is_empty() {
        return Some(days * 86_400 * MICROS);
    }
    if !take(&mut rest, b"Tt ") {
        return None;
    }
    let hour = digits(&mut rest, 2).filter(|&hour| hour < 24)?;
    let minute = if take(&mut rest, b":") {
        digits(&mut rest, 2).filter(|&minute| minute < 60)?
    } else {
        return None;
    };
    // 60 is a leap second: it is the first one of the next minute.
    let second = if take(&mut rest, b":") {
        digits(&mut rest, 2).filter(|&second| second <= 60)?
    } else {
        0
    };
    let micros = if take(&mut rest, b".") {
        fraction(&mut rest)?
    } else {
        0
    };
    let offset = offset_seconds(&mut rest)?;
    if !rest.is_empty() {
        return None;
    }
    Some((days * 86_400 + hour * 3_600 + minute * 60 + second - offset) * MICROS + micros)
}

/// The date that lies so many seconds, milliseconds, microseconds or nanoseconds after 1970; `None`
/// before the year 0.
pub fn from_number(number: i64) -> Option<Date> {
    within_years(match number.unsigned_abs() / SECONDS_END {
        0 => number * MICROS,
        1..1_000 => number * 1_000,
        1_000..1_000_000 => number,
        _ => number.div_euclid(1_000),
    })
}

/// As [`from_number`], with a fraction; `None` also for what is no number, and beyond nanoseconds.
pub fn from_float(number: f64) -> Option<Date> {
    let micros = match number.abs() / SECONDS_END as f64 {
        size if size < 1.0 => number * 1e6,
        size if size < 1e3 => number * 1e3,
        size if size < 1e6 => number,
        size if size < 1e9 => number / 1e3,
        _ => return None,
    };
    within_years(micros.round() as Date)
}

/// The date, unless it is after the year 9999 or before the year 0.
pub fn within_years(date: Date) -> Option<Date> {
    (-62_167_219_200 * MICROS..END)
        .contains(&date)
        .then_some(date)
}

fn take(rest: &mut &[u8], any_of: &[u8]) -> bool {
    match rest.split_first() {
        Some((first, after)) if any_of.contains(first) => {
            *rest = after;
            true
        }
        _ => false,
    }
}

/// Exactly `count` digits.
fn digits(rest: &mut &[u8], count: usize) -> Option<i64> {
    let (number, after) = rest.split_at_checked(count)?;
    *rest = after;
    number.iter().try_fold(0, |value, byte| {
        byte.is_ascii_digit()
            .then(|| value * 10 + i64::from(byte - b'0'))
    })
}

/// One or more digits after the point, as microseconds.
fn fraction(rest: &mut &[u8]) -> Option<i64> {
    let length = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (number, after) = rest.split_at(length);
    *rest = after;
    let micros = number
        .iter()
        .chain(&[b'0'; 6])
        .take(6)
        .fold(0, |value, byte| value * 10 + i64::from(byte - b'0'));
    (length > 0).then_some(micros)
}

fn offset_seconds(rest: &mut &[u8]) -> Option<i64> {
    if rest.is_empty() || take(rest, b"Zz") {
        return Some(0);
    }
    let sign = match rest.first() {
        Some(b'+') => 1,
        Some(b'-') => -1,
        _ => return None,
    };
    take(rest, b"+-");
    let hours = digits(rest, 2).filter(|&hours| hours < 24)?;
    take(rest, b":");
    let minutes = digits(rest, 2).filter(|&minutes| minutes < 60)?;
    Some(sign * (hours * 3_600 + minutes * 60))
}

/// Days since 1970-01-01 of a day that exists.
fn days_from_civil(year: i64, month: i64, day: i64) -> Option<i64> {
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let length = match month {
        4 | 6 | 9 | 11 => 30,
        2 if is_leap => 29,
        2 => 28,
        1..=12 => 31,
        _ => return None,
    };
    if !(1..=length).contains(&day) {
        return None;
    }
    // Years begin in March here, so that the leap day is the last of its year; month lengths then
    // follow 153/5.
    let shifted = if month > 2 { year } else { year - 1 };
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let leap_days = shifted.div_euclid(4) - shifted.div_euclid(100) + shifted.div_euclid(400);
    Some(shifted * 365 + leap_days + day_of_year - 719_468)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn dates_as_written_in_the_wild() {
        let cases = [
            ("1970-01-01T00:00:00Z", Some(0)),
            ("2000-02-29T12:34:56Z", Some(951_827_696_000_000)),
            ("2009-03-65T00:00:00Z", None),
            ("2001-02-29T00:00:00Z", None),
            ("2016-12-31T23:59:60Z", Some(1_483_228_800_000_000)),
            (
                "2020-01-01T01:00:00.123456789+01:00",
                Some(1_577_836_800_123_456),
            ),
            ("2020-01-01t00:00:00.5z", Some(1_577_836_800_500_000)),
            ("2020-01-01 00:00:00", Some(1_577_836_800_000_000)),
            ("2020", Some(1_577_836_800_000_000)),
            ("2020-01", Some(1_577_836_800_000_000)),
            ("2020-01-01", Some(1_577_836_800_000_000)),
            ("2020-01-01T00:00Z", Some(1_577_836_800_000_000)),
            ("1969-12-31T23:59:59Z", Some(-1_000_000)),
            ("0000-01-01", Some(-62_167_219_200_000_000)),
            ("", None),
            ("20200101", None),
            ("2020-1-1", None),
            ("2020-01-01T24:00:00Z", None),
            ("2020-01-01T00:00:00.Z", None),
            ("2020-01-01T00:00:00Zulu", None),
            ("1577836800", None),
        ];
        for (text, expected) in cases {
            assert_eq!(parse(text), expected, "{text}");
        }
        assert_eq!(within_years(END - 1), Some(END - 1));
        assert_eq!(within_years(END), None);
        assert_eq!(parse("0000").and_then(within_years), parse("0000"));
        assert_eq!(within_years(i64::MIN), None);
    }

    #[test]
    fn the_unit_of_a_number_shows_in_its_size() {
        let date = parse("2023-11-14T22:13:20Z").expect("a date");
        for unit in [1, 1_000, 1_000_000, 1_000_000_000] {
            assert_eq!(from_number(1_700_000_000 * unit), Some(date));
            assert_eq!(from_float((1_700_000_000 * unit) as f64), Some(date));
        }
        assert_eq!(from_number(-1), Some(-MICROS));
        assert_eq!(from_number(-1_700_000_000_000), Some(-date));
        assert_eq!(from_number(99_999_999_999), Some(99_999_999_999 * MICROS));
        assert_eq!(from_number(i64::MAX), Some(i64::MAX / 1_000));
        assert_eq!(from_number(i64::MIN), Some(i64::MIN.div_euclid(1_000)));
        assert_eq!(from_number(-99_000_000_000_000_000), None);
        assert_eq!(from_float(1.5), Some(1_500_000));
        assert_eq!(from_float(-1.5), Some(-1_500_000));
        for none in [f64::NAN, f64::INFINITY, 1e300] {
            assert_eq!(from_float(none), None);
        }
    }

    proptest! {
        /// Counting days one by one gives the same.
        #[test]
        fn every_day_follows_the_one_before(year in 0i64..9999, month in 1i64..=12, day in 1i64..=31) {
            if let Some(days) = days_from_civil(year, month, day) {
                let next = days_from_civil(year, month, day + 1)
                    .or_else(|| days_from_civil(year, month + 1, 1))
                    .or_else(|| days_from_civil(year + 1, 1, 1));
                prop_assert_eq!(next, Some(days + 1));
            }
        }

        /// A number is a date of a year from 0 to 9999, or none.
        #[test]
        fn numbers_are_dates_of_known_years(number: i64, float: f64) {
            for date in [from_number(number), from_float(float)].into_iter().flatten() {
                prop_assert_eq!(within_years(date), Some(date));
            }
        }

        #[test]
        fn no_text_panics(text in "\\PC{0,40}", near in "[0-9TZz:.+ -]{0,32}") {
            let _ = (parse(&text), parse(&near));
        }
    }
}
