//! Documents of which parts are cut, and the cutter of a text.
//!
//! *Input.* A text, plain or between the quotes of a JSON string, and the ranges of its characters
//! that go. *Output.* The other characters, as they are written. *Algorithm.* One pass over the
//! characters; an escape is one, and is kept or goes whole. Where a part goes, a marker stands in
//! its place; without a marker a blank, if there is white space on neither side: two words must not
//! become one. *Memory.* None.

use std::ops::Range;

use crate::document::{Place, SinkError};
use crate::error::InputError;
use crate::json_repair::unit;

/// What goes of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DocumentCut {
    /// All of it: its line, its row, its file.
    Whole,
    /// All of it, and the records that belong to it: that of this [`super::record_hash`].
    Record(u64),
    /// These characters of its text, from 0, in order and apart.
    Parts(Vec<Range<u32>>),
}

/// Where the documents of a file come from of which something goes.
pub trait DocumentCuts {
    /// The place of the next one, in file order, and what goes of it.
    fn next(&mut self) -> Result<Option<(Place, DocumentCut)>, SinkError>;
}

/// Takes the parts of a text that stay.
pub trait KeepText: FnMut(&[u8]) -> Result<(), InputError> {}

impl<F: FnMut(&[u8]) -> Result<(), InputError>> KeepText for F {}

/// Hands on a text without some of its characters; `false` if it has fewer characters than that.
pub fn cut_text(
    text: &str,
    ranges: &[Range<u32>],
    marker: &str,
    keep: impl KeepText,
) -> Result<bool, InputError> {
    let characters = text.char_indices().map(|(at, value)| Written {
        end: at + value.len_utf8(),
        value,
        characters: 1,
    });
    cut(text.as_bytes(), characters, ranges, marker, keep)
}

/// Hands on the inside of a JSON string without some of the characters that it stands for; `false`
/// if it has fewer. `marker` is written as in a string. An escape of half a surrogate pair stands
/// for the six characters that it is written with.
pub fn cut_json(
    string: &str,
    ranges: &[Range<u32>],
    marker: &str,
    keep: impl KeepText,
) -> Result<bool, InputError> {
    let mut at = 0;
    let characters = std::iter::from_fn(|| {
        let written = next_written(string.get(at..)?)?;
        at += written.end;
        Some(Written { end: at, ..written })
    });
    cut(string.as_bytes(), characters, ranges, marker, keep)
}

/// A character as it is written.
struct Written {
    /// The byte behind it.
    end: usize,
    value: char,
    /// The characters that it counts for.
    characters: u32,
}

/// The first character of the rest of a JSON string.
fn next_written(rest: &str) -> Option<Written> {
    let of = |end, value| Written {
        end,
        value,
        characters: 1,
    };
    let mut chars = rest.chars();
    let first = chars.next()?;
    if first != '\\' {
        return Some(of(first.len_utf8(), first));
    }
    let Some(high) = unit(rest.as_bytes()) else {
        let escaped = chars.next()?;
        let value = match escaped {
            'n' | 't' | 'r' | 'f' => ' ',
            other => other,
        };
        return Some(of(1 + escaped.len_utf8(), value));
    };
    if let Some(value) = char::from_u32(high) {
        return Some(of(6, value));
    }
    let low = rest.as_bytes().get(6..).and_then(unit);
    let pair = char::decode_utf16(
        [Some(high), low]
            .into_iter()
            .flatten()
            .map(|unit| unit as u16),
    );
    Some(match { pair }.next() {
        Some(Ok(value)) => of(12, value),
        _ => Written {
            characters: 6,
            ..of(6, '\\')
        },
    })
}

fn cut(
    text: &[u8],
    written: impl Iterator<Item = Written>,
    ranges: &[Range<u32>],
    marker: &str,
    mut keep: impl KeepText,
) -> Result<bool, InputError> {
    let mut ranges = ranges.iter().filter(|range| !range.is_empty()).peekable();
    let (mut character, mut begin) = (0, 0);
    // Where the part begins that is not handed on yet, and the character before a part that goes.
    let (mut kept, mut before, mut is_cut) = (0, None, false);
    for Written {
        end,
        value,
        characters,
    } in written
    {
        let behind = character + characters;
        if ranges.peek().is_some_and(|range| range.start < behind) {
            if !is_cut {
                keep(&text[kept..begin])?;
                is_cut = true;
            }
            kept = end;
        } else {
            let joins = |before: char| !before.is_whitespace() && !value.is_whitespace();
            if is_cut && !marker.is_empty() {
                keep(marker.as_bytes())?;
            } else if is_cut && before.is_some_and(joins) {
                keep(b" ")?;
            }
            (before, is_cut) = (Some(value), false);
        }
        while ranges.next_if(|range| range.end <= behind).is_some() {}
        (character, begin) = (behind, end);
    }
    if is_cut && !marker.is_empty() {
        keep(marker.as_bytes())?;
    }
    keep(&text[kept..])?;
    Ok(ranges.peek().is_none())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Cuts a text and the same text in a JSON string; both have to give the same.
    fn both(text: &str, string: &str, ranges: &[Range<u32>], marker: &str) -> String {
        let (mut plain, mut json) = (Vec::new(), Vec::new());
        let taken = |to: &mut Vec<u8>, bytes: &[u8]| {
            to.extend_from_slice(bytes);
            Ok(())
        };
        assert!(cut_text(text, ranges, marker, |bytes| taken(&mut plain, bytes)).unwrap());
        let escaped = serde_json::to_string(marker).unwrap();
        let marker = &escaped[1..escaped.len() - 1];
        assert!(cut_json(string, ranges, marker, |bytes| taken(&mut json, bytes)).unwrap());
        let json = format!("\"{}\"", String::from_utf8(json).unwrap());
        let plain = String::from_utf8(plain).unwrap();
        assert_eq!(
            serde_json::from_str::<String>(&json).unwrap(),
            plain,
            "{json}"
        );
        plain
    }

    #[test]
    fn words_do_not_grow_together() {
        let cut = |text: &str, range: Range<u32>, marker: &str| both(text, text, &[range], marker);
        assert_eq!(cut("one two three", 4..7, ""), "one  three");
        assert_eq!(cut("ab漢字cd", 2..4, ""), "ab cd");
        assert_eq!(cut("one two", 0..3, ""), " two");
        assert_eq!(cut("one two", 4..7, ""), "one ");
        assert_eq!(cut("one two three", 4..7, "[…]"), "one […] three");
        assert_eq!(cut("one", 0..3, "\"x\\"), "\"x\\");
    }

    #[test]
    fn parts_that_touch_are_one() {
        assert_eq!(both("abcdef", "abcdef", &[1..3, 3..4], "-"), "a-ef");
    }

    #[test]
    fn a_text_that_is_too_short_is_told() {
        let [plain, escaped] = [1..4, 3..4].map(|range| [range]);
        assert!(!cut_text("one", &plain, "", |_| Ok(())).unwrap());
        assert!(!cut_json("on\\u0065", &escaped, "", |_| Ok(())).unwrap());
    }

    /// Half a surrogate pair is read as the text that stands for it.
    #[test]
    fn half_a_pair_goes_whole() {
        let cut = |range: Range<u32>| {
            let mut kept = Vec::new();
            let keep = |bytes: &[u8]| {
                kept.extend_from_slice(bytes);
                Ok(())
            };
            cut_json("a \\ud83d b", &[range], "", keep).unwrap();
            String::from_utf8(kept).unwrap()
        };
        assert_eq!(cut(3..8), "a  b");
        assert_eq!(cut(0..1), " \\ud83d b");
        assert_eq!(cut(9..10), "a \\ud83d ");
    }

    /// A character, and one of the ways to write it in a JSON string.
    fn character() -> impl Strategy<Value = (char, String)> {
        let values = prop_oneof![any::<char>(), prop::char::range(' ', '~'), Just('\n')];
        (values, any::<bool>(), any::<bool>()).prop_map(|(value, is_escaped, is_upper)| {
            let plain = serde_json::to_string(&value).unwrap();
            let mut units = [0; 2];
            let escapes = value
                .encode_utf16(&mut units)
                .iter()
                .map(|unit| match is_upper {
                    true => format!("\\u{unit:04X}"),
                    false => format!("\\u{unit:04x}"),
                });
            match is_escaped {
                true => (value, escapes.collect()),
                false => (value, plain[1..plain.len() - 1].to_owned()),
            }
        })
    }

    proptest! {
        #[test]
        fn a_string_is_cut_like_its_text(
            characters in prop::collection::vec(character(), 1..60),
            edges in prop::collection::btree_set(0..60_u32, 0..8),
            marker in prop_oneof![Just(""), Just("…"), Just("\"\\n")],
        ) {
            let text: String = characters.iter().map(|(value, _)| value).collect();
            let string: String = characters.iter().map(|(_, written)| written.as_str()).collect();
            let edges: Vec<u32> = edges.into_iter().filter(|edge| *edge <= characters.len() as u32).collect();
            let ranges: Vec<Range<u32>> = edges.chunks_exact(2).map(|edge| edge[0]..edge[1]).collect();
            let plain = both(&text, &string, &ranges, marker);
            let stays = |at: &usize| !ranges.iter().any(|range| range.contains(&(*at as u32)));
            let mut expected = String::new();
            for at in 0..=characters.len() {
                let begins = ranges.iter().find(|range| range.start as usize == at);
                if let Some(range) = begins {
                    let after = text.chars().nth(range.end as usize);
                    let is_joint = |c: Option<char>| c.is_some_and(|c| !c.is_whitespace());
                    if !marker.is_empty() {
                        expected += marker;
                    } else if at > 0 && is_joint(text.chars().nth(at - 1)) && is_joint(after) {
                        expected.push(' ');
                    }
                }
                expected.extend(text.chars().nth(at).filter(|_| stays(&at)));
            }
            prop_assert_eq!(plain, expected);
        }
    }
}
