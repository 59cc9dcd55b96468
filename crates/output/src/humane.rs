//! Counts, bytes and seconds as people read them. Plain ASCII.

use std::collections::BTreeMap;

/// 1234567 as 1,234,567.
pub fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() * 4 / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A number with its noun; `singular` gets an s unless the number is 1.
pub fn counted(number: u64, singular: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {singular}{plural}", thousands(number))
}

/// The entries of a map of counts, most frequent first; equal counts in the order of their names.
pub fn most_frequent(counts: &BTreeMap<String, u64>) -> Vec<(&str, u64)> {
    let entries = counts.iter().map(|(name, &count)| (name.as_str(), count));
    let mut entries: Vec<(&str, u64)> = entries.collect();
    // A stable sort.
    entries.sort_by_key(|&(_, count)| std::cmp::Reverse(count));
    entries
}

pub(crate) fn total<'a>(counts: impl IntoIterator<Item = &'a u64>) -> u64 {
    counts
        .into_iter()
        .fold(0, |sum, &count| sum.saturating_add(count))
}

/// Bytes in the largest binary unit of which there is one, with one decimal.
pub fn humane_bytes(bytes: u64) -> String {
    let mut value = bytes as f64;
    let mut unit = "B";
    for next in ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"] {
        // A figure that would be shown as 1024.0 is one of the next unit.
        if value < 1023.95 {
            break;
        }
        (value, unit) = (value / 1024.0, next);
    }
    if unit == "B" {
        format!("{bytes} B")
    } else {
        format!("{value:.1} {unit}")
    }
}

/// Seconds as `1.25 s`, `2 m 05 s` or `3 h 07 m`; anything that is no duration as `-`.
pub fn humane_seconds(seconds: f64) -> String {
    if !(0.0..1e12).contains(&seconds) {
        return "-".to_owned();
    }
    let whole = seconds.round() as u64;
    match whole {
        0..60 => format!("{seconds:.2} s"),
        60..3600 => format!("{} m {:02} s", whole / 60, whole % 60),
        _ => format!("{} h {:02} m", whole / 3600, whole % 3600 / 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn humane_figures() {
        assert_eq!(
            [0, 999, 1000, 1_234_567].map(thousands),
            ["0", "999", "1,000", "1,234,567"]
        );
        assert_eq!(
            [0, 1023, 1024, 1_048_575, 1 << 30].map(humane_bytes),
            ["0 B", "1023 B", "1.0 KiB", "1.0 MiB", "1.0 GiB"]
        );
        assert_eq!(humane_bytes(u64::MAX), "16.0 EiB");
        assert_eq!(
            [0.0, 59.4, 59.996, 3599.6, -1.0].map(humane_seconds),
            ["0.00 s", "59.40 s", "1 m 00 s", "1 h 00 m", "-"]
        );
    }
}
