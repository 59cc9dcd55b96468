//! The attributes of a start tag, one after another.

use crate::tag_name::is_space;
use memchr::memchr;

/// Calls `f` with name and value of each attribute of a tag.
pub(super) fn for_each<'a>(tag: &'a [u8], mut f: impl FnMut(&'a [u8], &'a [u8])) {
    any(tag, |name, value| {
        f(name, value);
        false
    });
}

/// Whether a tag has an attribute of this name, which is in lower case.
pub(super) fn has(tag: &[u8], name: &[u8]) -> bool {
    any(tag, |found, _| found.eq_ignore_ascii_case(name))
}

/// Whether `f` is true of name and value of an attribute of a tag. `tag` goes from behind the name
/// of the element to the closing bracket. As in browsers, a quote opens a value only behind `=`.
fn any<'a>(tag: &'a [u8], mut f: impl FnMut(&'a [u8], &'a [u8]) -> bool) -> bool {
    let mut at = 0;
    loop {
        at = end_of(tag, at, |byte| is_space(byte) || byte == b'/');
        if matches!(tag.get(at), None | Some(b'>')) {
            return false;
        }
        // the first byte of a name may be anything, also `=`
        let name = at;
        at = end_of(tag, at + 1, |byte| {
            !is_space(byte) && !matches!(byte, b'=' | b'/' | b'>')
        });
        let name = &tag[name..at];
        let behind = end_of(tag, at, is_space);
        if tag.get(behind) != Some(&b'=') {
            if f(name, b"") {
                return true;
            }
            continue;
        }
        at = end_of(tag, behind + 1, is_space);
        let value = match tag.get(at) {
            Some(&quote @ (b'"' | b'\'')) => {
                let rest = &tag[at + 1..];
                let value = &rest[..memchr(quote, rest).unwrap_or(rest.len())];
                at = (at + value.len() + 2).min(tag.len());
                value
            }
            _ => {
                let start = at;
                at = end_of(tag, at, |byte| !is_space(byte) && byte != b'>');
                &tag[start..at]
            }
        };
        if f(name, value) {
            return true;
        }
    }
}

/// The end of the bytes from `at` on that pass.
fn end_of(bytes: &[u8], at: usize, passes: impl Fn(u8) -> bool) -> usize {
    let rest = bytes.get(at..).unwrap_or_default();
    let length = rest.iter().position(|&byte| !passes(byte));
    at + length.unwrap_or(rest.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn attributes(tag: &str) -> Vec<(String, String)> {
        let mut found = Vec::new();
        for_each(tag.as_bytes(), |name, value| {
            let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
            found.push((text(name), text(value)));
        });
        found
    }

    #[test]
    fn attributes_are_those_of_browsers() {
        for (tag, expected) in [
            (">", vec![]),
            (
                " class=\"a b\" id='c' hidden>",
                vec![("class", "a b"), ("id", "c"), ("hidden", "")],
            ),
            (" class = a/b id=c/>", vec![("class", "a/b"), ("id", "c/")]),
            (" =x=y a\"b>", vec![("=x", "y"), ("a\"b", "")]),
            ("/ a/b>", vec![("a", ""), ("b", "")]),
            (" a=>", vec![("a", "")]),
            (" a=\"never closed>", vec![("a", "never closed>")]),
        ] {
            let found = attributes(tag);
            let found: Vec<(&str, &str)> = found
                .iter()
                .map(|(name, value)| (name.as_str(), value.as_str()))
                .collect();
            assert_eq!(found, expected, "{tag}");
        }
    }

    proptest! {
        #[test]
        fn names_and_values_are_parts_of_the_tag_in_their_order(tag in "[ a=\"'/>x-]{0,30}") {
            let mut rest = tag.as_str();
            for (name, value) in attributes(&tag) {
                for part in [name, value] {
                    let found = rest.find(&part);
                    prop_assert!(found.is_some(), "{part} in {rest} of {tag}");
                    rest = &rest[found.unwrap_or(0) + part.len()..];
                }
            }
        }
    }
}
