//! Dates of RFC 3339, as `WARC-Date` has them, in microseconds since 1970.

use crate::Date;

/// Reads `2025-03-01T12:34:56Z`, with a fraction of any length and an offset; `None` if it is no possible time.
///
/// A date without a time means its first moment, as W3C-DTF, which WARC refers to, allows it. Fractions beyond
/// microseconds are cut off. A leap second is the second before.
pub(crate) fn parse(text: &str) -> Option<Date> {
    let bytes = text.trim().as_bytes();
    let number = |from: usize, length: usize| {
        let digits = bytes.get(from..from + length)?;
        digits.iter().all(u8::is_ascii_digit).then(|| digits.iter().fold(0, |sum, d| sum * 10 + i64::from(d - b'0')))
    };
    let is = |at: usize, expected: &[u8]| bytes.get(at).is_some_and(|byte| expected.contains(byte));
    let (year, month, day) = (number(0, 4)?, number(5, 2)?, number(8, 2)?);
    if !is(4, b"-") || !is(7, b"-") || !(1..=12).contains(&month) || !(1..=days_in(year, month)).contains(&day) {
        return None;
    }
    let days_us = days_from_civil(year, month, day) * 86_400_000_000;
    if bytes.len() == 10 {
        return Some(days_us);
    }
    let (hour, minute, second) = (number(11, 2)?, number(14, 2)?, number(17, 2)?);
    if !is(10, b"Tt ") || !is(13, b":") || !is(16, b":") || hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    let (fraction_us, at) = fraction(bytes, 19)?;
    let offset_minutes = match bytes.get(at)? {
        b'Z' | b'z' if bytes.len() == at + 1 => 0,
        sign @ (b'+' | b'-') if bytes.len() == at + 6 && is(at + 3, b":") => {
            let (hours, minutes) = (number(at + 1, 2)?, number(at + 4, 2)?);
            if hours > 23 || minutes > 59 {
                return None;
            }
            (hours * 60 + minutes) * if *sign == b'-' { -1 } else { 1 }
        }
        _ => return None,
    };
    let seconds = hour * 3600 + (minute - offset_minutes) * 60 + second.min(59);
    Some(days_us + seconds * 1_000_000 + fraction_us)
}

/// Microseconds of the fraction at `at`, if there is one, and where it ends.
fn fraction(bytes: &[u8], at: usize) -> Option<(i64, usize)> {
    if bytes.get(at) != Some(&b'.') {
        return Some((0, at));
    }
    let digits = bytes[at + 1..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let micros = (0..6).fold(0, |sum, i| {
        let digit = if i < digits { bytes[at + 1 + i] - b'0' } else { 0 };
        sum * 10 + i64::from(digit)
    });
    (digits > 0).then_some((micros, at + 1 + digits))
}

fn days_in(year: i64, month: i64) -> i64 {
    match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days since 1970-01-01 in the Gregorian calendar, carried back before its time.
fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    // Years begin in March, so that the leap day is the last of its year.
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_microseconds_since_1970() {
        for (text, expected) in [
            ("1970-01-01T00:00:00Z", Some(0)),
            ("2024-02-29T12:34:56Z", Some(1_709_210_096_000_000)),
            ("2024-02-29T12:34:56.789Z", Some(1_709_210_096_789_000)),
            ("2024-02-29T12:34:56.123456789Z", Some(1_709_210_096_123_456)),
            ("2024-02-29T14:34:56+02:00", Some(1_709_210_096_000_000)),
            ("2024-02-29T11:04:56-01:30", Some(1_709_210_096_000_000)),
            ("1969-12-31T23:59:59.5Z", Some(-500_000)),
            ("2000-03-01", Some(951_868_800_000_000)),
            ("2016-12-31T23:59:60Z", Some(1_483_228_799_000_000)),
            ("1900-02-29T00:00:00Z", None),
            ("2009-03-65T00:00:00Z", None),
            ("2009-13-01T00:00:00Z", None),
            ("2009-00-01T00:00:00Z", None),
            ("2009-03-05T24:00:00Z", None),
            ("2009-03-05T10:00:00", None),
            ("2009-03-05T10:00:00.Z", None),
            ("2009-03-05T10:00:00Zx", None),
            ("2009-03-05T10:00:00+2:00", None),
            ("20090305100000", None),
            ("é009-03-05", None),
            ("", None),
        ] {
            assert_eq!(parse(text), expected, "{text}");
        }
    }

    #[test]
    fn every_day_follows_the_one_before() {
        let mut expected = parse("1583-01-01").unwrap();
        for year in 1583..2500 {
            for month in 1..=12 {
                for day in 1..=days_in(year, month) {
                    assert_eq!(parse(&format!("{year:04}-{month:02}-{day:02}")), Some(expected));
                    expected += 86_400_000_000;
                }
            }
        }
    }
}
