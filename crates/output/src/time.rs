//! Instants as text.
//!
//! Written here, because `jiff`, `time` and `chrono` end before the years that 64 bits of
//! microseconds reach.
//!
//! Civil dates from day numbers by counting in eras of 400 years, which all have 146,097 days
//! (proleptic Gregorian calendar). Years begin in March here, so that the leap day is the last day
//! of its year.

/// Microseconds since 1970-01-01T00:00:00Z as RFC 3339 in UTC, with six decimals, or none if the
/// second is whole.
///
/// Years outside 0 to 9999 have a sign and at least six digits, as ISO 8601 asks.
pub fn rfc3339(micros: i64) -> String {
    const DAY: i64 = 86_400;
    let (seconds, micro) = (micros.div_euclid(1_000_000), micros.rem_euclid(1_000_000));
    let (days, second) = (seconds.div_euclid(DAY), seconds.rem_euclid(DAY));
    let (year, month, day) = civil(days);
    let year = if (0..=9999).contains(&year) {
        format!("{year:04}")
    } else {
        format!("{year:+07}")
    };
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    let fraction = if micro == 0 {
        String::new()
    } else {
        format!(".{micro:06}")
    };
    format!("{year}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}{fraction}Z")
}

/// Year, month and day of a day counted from 1970-01-01.
fn civil(days: i64) -> (i64, i64, i64) {
    const ERA: i64 = 146_097;
    // Days from 0000-03-01 to 1970-01-01.
    let days = days + 719_468;
    let (era, day) = (days.div_euclid(ERA), days.rem_euclid(ERA));
    let year = (day - day / 1460 + day / 36_524 - day / (ERA - 1)) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    // March is month 0; from March on, the months' lengths repeat every five months (153 days).
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (year, month) = if month < 10 {
        (year, month + 3)
    } else {
        (year + 1, month - 9)
    };
    (era * 400 + year, month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_instants() {
        assert_eq!(rfc3339(0), "1970-01-01T00:00:00Z");
        assert_eq!(rfc3339(-1), "1969-12-31T23:59:59.999999Z");
        assert_eq!(rfc3339(951_782_400_000_000), "2000-02-29T00:00:00Z");
        assert_eq!(
            rfc3339(1_700_000_000_123_000),
            "2023-11-14T22:13:20.123000Z"
        );
        assert_eq!(rfc3339(253_402_300_800_000_000), "+010000-01-01T00:00:00Z");
        assert_eq!(rfc3339(i64::MAX), "+294247-01-10T04:00:54.775807Z");
        assert_eq!(rfc3339(i64::MIN), "-290308-12-21T19:59:05.224192Z");
    }

    #[test]
    fn every_day_of_five_centuries_follows_the_one_before() {
        let lengths = |year: i64| {
            let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
            [
                31,
                if leap { 29 } else { 28 },
                31,
                30,
                31,
                30,
                31,
                31,
                30,
                31,
                30,
                31,
            ]
        };
        let (mut year, mut month, mut day) = (1970, 1, 1);
        for days in 0..500 * 366 {
            assert_eq!(civil(days), (year, month, day));
            day += 1;
            if day > lengths(year)[month as usize - 1] {
                (month, day) = (month + 1, 1);
            }
            if month > 12 {
                (year, month) = (year + 1, 1);
            }
        }
    }
}
