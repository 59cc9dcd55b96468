//! Sizes as people write them: `"16MiB"`, `"512 MB"`, `"1GiB"`, `"4096"`.
//!
//! Decimal units are powers of 1000, binary ones powers of 1024; upper and lower case are the same.
//! Whole numbers only, so that a size never depends on rounding. Nothing above [`SIZE_BYTES_MAX`]
//! is a size: sums of sizes cannot overflow.

/// The largest size that is accepted: 1 EiB.
pub const SIZE_BYTES_MAX: u64 = 1 << 60;

/// Units with their bytes, in the order in which messages name them.
const UNITS: [(&str, u64); 11] = [
    ("B", 1),
    ("kB", 1000),
    ("MB", 1_000_000),
    ("GB", 1_000_000_000),
    ("TB", 1_000_000_000_000),
    ("PB", 1_000_000_000_000_000),
    ("KiB", 1 << 10),
    ("MiB", 1 << 20),
    ("GiB", 1 << 30),
    ("TiB", 1 << 40),
    ("PiB", 1 << 50),
];

/// Bytes of a size such as `"16MiB"`; a number without a unit is in bytes.
pub fn parse_size(text: &str) -> Result<u64, String> {
    parse_units(text).map_err(|expected| format!("expected {expected}"))
}

/// Reads a number of bytes with its unit; the error says what was expected.
pub(super) fn parse_units(text: &str) -> Result<u64, &'static str> {
    let text = text.trim();
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = text.split_at(digits);
    let unit = unit.trim_start();
    if number.is_empty() || unit.starts_with(['.', ',', '_', '\'']) {
        return Err("a whole number with a unit, such as \"512MiB\" or \"2GB\"");
    }
    let unit = if unit.is_empty() { "B" } else { unit };
    let mut units = UNITS.iter();
    let Some((_, factor)) = units.find(|(name, _)| name.eq_ignore_ascii_case(unit)) else {
        return Err(
            "the unit B, kB, MB, GB, TB, PB (powers of 1000) or KiB, MiB, GiB, TiB, PiB (powers of \
             1024)",
        );
    };
    let bytes = number
        .parse()
        .ok()
        .and_then(|number: u64| number.checked_mul(*factor));
    bytes
        .filter(|bytes| *bytes <= SIZE_BYTES_MAX)
        .ok_or("at most 1024PiB")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn decimal_and_binary_units_are_told_apart() {
        let table = [
            ("0", 0),
            ("4096", 4096),
            ("7B", 7),
            ("1kB", 1000),
            ("1KB", 1000),
            ("1KiB", 1024),
            ("512MB", 512_000_000),
            ("16MiB", 16 << 20),
            ("1GiB", 1 << 30),
            ("1gib", 1 << 30),
            (" 10 TiB ", 10 << 40),
            ("1024PiB", 1 << 60),
        ];
        for (text, bytes) in table {
            assert_eq!(parse_size(text), Ok(bytes), "{text}");
        }
    }

    #[test]
    fn whatever_else_is_refused() {
        for text in [
            "", "GiB", "-1", "+1", "1.5GiB", "1,5GiB", "1_000", "0x10", "1e9", "∞", "１GiB",
        ] {
            assert!(parse_size(text).is_err(), "{text}");
        }
        for text in ["1M", "1 Gb/s", "1 GiB 2", "1GiBB"] {
            assert!(
                parse_size(text).is_err_and(|message| message.contains("unit")),
                "{text}"
            );
        }
    }

    #[test]
    fn overflow_is_refused() {
        for text in [
            "1025PiB",
            "20000000TiB",
            "18446744073709551615",
            "18446744073709551616",
            "99999999999999999999PB",
        ] {
            assert_eq!(
                parse_size(text),
                Err("expected at most 1024PiB".to_owned()),
                "{text}"
            );
        }
    }

    proptest! {
        #[test]
        fn every_unit_multiplies(number in 0u64..1024, unit in 0usize..11) {
            let (name, bytes) = UNITS[unit];
            prop_assert_eq!(parse_size(&format!("{number}{name}")), Ok(number * bytes));
        }

        #[test]
        fn no_text_panics(text in ".{0,30}") {
            let _ = parse_size(&text);
        }
    }
}
