//! Names of elements.

/// The name of an element in lower case: up to 16 bytes packed into a number, the last one lowest;
/// 0 for longer names, none of which means anything here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Name(u128);

impl Name {
    /// The name, which must be in lower case.
    pub(crate) const fn of(name: &str) -> Name {
        Name(packed(name.as_bytes()))
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
    let mut packed = 0;
    let mut at = 0;
    while at < word.len() {
        packed = packed << 8 | word[at].to_ascii_lowercase() as u128;
        at += 1;
    }
    packed
}

/// The name of a tag, which begins with it, and what stands behind the name.
pub(crate) fn split(tag: &[u8]) -> (Name, &[u8]) {
    let ends = |byte: &u8| is_space(*byte) || matches!(byte, b'/' | b'>');
    let end = tag.iter().position(ends).unwrap_or(tag.len());
    let (name, rest) = tag.split_at(end);
    (Name(packed(name)), rest)
}

/// Whether a byte is white space in a tag.
pub(crate) fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\n' | b'\t' | b'\r' | 0x0C)
}
