//! Names of tags, and the bytes that end them.

/// The name of a tag, or another word, in lower case: up to 16 bytes packed into a number, the last
/// one lowest, so that comparing is one instruction; 0 for longer names, none of which means
/// anything here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TagName(pub(crate) u128);

impl TagName {
    pub(crate) const fn of(name: &str) -> TagName {
        TagName(packed(name.as_bytes()))
    }

    /// `N` names, with a blank between them.
    pub(crate) const fn list<const N: usize>(names: &str) -> [TagName; N] {
        let (mut rest, mut list) = (names.as_bytes(), [TagName(0); N]);
        let mut count = 0;
        while !rest.is_empty() {
            let mut end = 0;
            while end < rest.len() && rest[end] != b' ' {
                end += 1;
            }
            let (name, behind) = rest.split_at(end);
            list[count] = TagName(packed(name));
            count += 1;
            rest = behind.trim_ascii_start();
        }
        assert!(count == N);
        list
    }

    /// The name of a tag, which begins with it, and what stands behind the name.
    pub(crate) fn split(tag: &[u8]) -> (TagName, &[u8]) {
        let end = tag.iter().position(|&byte| ends_name(byte));
        let (name, rest) = tag.split_at(end.unwrap_or(tag.len()));
        (TagName(packed(name)), rest)
    }

    /// Length in bytes.
    pub(crate) fn len(self) -> usize {
        (128 - self.0.leading_zeros() as usize).div_ceil(8)
    }

    /// Whether the bytes at `at` are this name in either case, followed by what ends a name.
    pub(crate) fn is_at(self, bytes: &[u8], at: usize) -> bool {
        let length = self.len();
        match bytes.get(at..at + length + 1) {
            Some(found) => packed(&found[..length]) == self.0 && ends_name(found[length]),
            None => false,
        }
    }
}

/// The bytes of a word in lower case, the last one lowest; 0 if they are more than 16.
pub(crate) const fn packed(word: &[u8]) -> u128 {
    if word.len() > 16 {
        return 0;
    }
    let (high, low) = word.split_at(word.len().saturating_sub(8));
    (packed_short(high) as u128) << 64 | packed_short(low) as u128
}

/// Up to eight bytes of a word in lower case, the last one lowest.
const fn packed_short(word: &[u8]) -> u64 {
    let mut packed = 0;
    let mut at = 0;
    while at < word.len() {
        packed = packed << 8 | word[at].to_ascii_lowercase() as u64;
        at += 1;
    }
    packed
}

/// Whether the name of a tag ends at this byte.
pub(crate) fn ends_name(byte: u8) -> bool {
    is_space(byte) || matches!(byte, b'/' | b'>')
}

/// Whether a byte is white space in a tag.
pub(crate) fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\n' | b'\t' | b'\r' | 0x0C)
}
