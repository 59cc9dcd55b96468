//! Lines that are JSON but for values that some programs write and no standard has.
//!
//! *Input.* A line that is no JSON. *Output.* The line with `null` for `NaN` and infinite numbers,
//! and half a surrogate pair as the text that stands for it, `\ud83d`; nothing if it has neither.
//! *Memory.* A copy of the line.

use crate::charset::MALFORMED;

/// A number that JSON does not have was read as null.
pub const NOT_A_NUMBER: &str = "not-a-number";

/// The words that Python and JavaScript write for numbers that JSON does not have.
const NO_NUMBERS: [&[u8]; 3] = [b"NaN", b"Infinity", b"-Infinity"];

/// A line that may be sound now.
pub struct Repaired {
    /// The line.
    pub line: Vec<u8>,
    /// The kinds of replacements.
    pub flags: Vec<&'static str>,
}

/// Replaces what can be replaced; `None` if there is nothing.
pub fn repaired(line: &[u8]) -> Option<Repaired> {
    let (mut sound, mut flags) = (Vec::new(), Vec::new());
    let (mut at, mut copied, mut in_string) = (0, 0, false);
    while let Some(&byte) = line.get(at) {
        let rest = &line[at..];
        // The flag of what is replaced, its replacement, and the bytes that this stands for.
        let mut replaced: Option<(_, &[u8], usize)> = None;
        let mut passed = 1;
        if byte == b'"' {
            in_string = !in_string;
        } else if byte == b'\\' && in_string {
            passed = match [unit(rest), rest.get(6..).and_then(unit)] {
                [Some(0xd800..0xdc00), Some(0xdc00..0xe000)] => 12,
                [Some(0xd800..0xe000), _] => {
                    // Behind another backslash it is text.
                    replaced = Some((MALFORMED, b"\\", 0));
                    6
                }
                _ => 2,
            };
        } else if !in_string
            && let Some(number) = NO_NUMBERS.iter().find(|number| rest.starts_with(number))
        {
            passed = number.len();
            replaced = Some((NOT_A_NUMBER, b"null", passed));
        }
        if let Some((flag, instead, length)) = replaced {
            sound.extend_from_slice(&line[copied..at]);
            sound.extend_from_slice(instead);
            copied = at + length;
            if !flags.contains(&flag) {
                flags.push(flag);
            }
        }
        at += passed;
    }
    sound.extend_from_slice(&line[copied..]);
    (!flags.is_empty()).then_some(Repaired { line: sound, flags })
}

/// The value of an escape of four hexadecimal digits.
pub(crate) fn unit(escape: &[u8]) -> Option<u32> {
    let digits = escape.strip_prefix(b"\\u")?.get(..4)?;
    let mut values = digits.iter().map(|&digit| char::from(digit).to_digit(16));
    values.try_fold(0, |unit, digit| Some(unit << 4 | digit?))
}
