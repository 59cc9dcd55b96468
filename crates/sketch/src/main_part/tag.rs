//! Names of elements.

/// The name of an element in lower case: up to 16 bytes packed into a number, the last one lowest;
/// 0 for longer names, none of which means anything here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ElementName(u128);

impl ElementName {
    /// The name, which must be in lower case.
    pub(crate) const fn of(name: &str) -> ElementName {
        ElementName(packed(name.as_bytes()))
    }

    /// Its number.
    pub(crate) fn packed(self) -> u128 {
        self.0
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

/// Up to seven bytes, the first one lowest.
#[inline]
pub(crate) fn rest_of(bytes: &[u8]) -> u64 {
    let places = bytes.iter().zip(0..);
    places.fold(0, |word, (byte, place)| {
        word | u64::from(*byte) << (8 * place)
    })
}

/// The name of a tag, which begins with it, and what stands behind the name.
pub(crate) fn split(tag: &[u8]) -> (ElementName, &[u8]) {
    let end = tag.iter().position(|&byte| ends_name(byte));
    let end = end.unwrap_or(tag.len());
    let (name, rest) = tag.split_at(end);
    (ElementName(packed(name)), rest)
}

/// Whether the name of an element ends at this byte.
pub(crate) fn ends_name(byte: u8) -> bool {
    is_space(byte) || matches!(byte, b'/' | b'>')
}

/// Whether a byte is white space in a tag.
pub(crate) fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\n' | b'\t' | b'\r' | 0x0C)
}
