//! How a file is compressed, by its first bytes.

use crate::error::InputError;
use crate::range::RangeReader;

/// How a file is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compression {
    /// Not at all.
    Plain,
    /// RFC 1952, any number of members.
    Gzip,
    /// RFC 8878, any number of frames, also with a dictionary in a first frame of its own.
    Zstd,
}

impl Compression {
    /// By the bytes of a file from an offset on.
    pub fn at(input: &RangeReader, offset: u64) -> Result<Compression, InputError> {
        let mut first = [0; 4];
        let known = input.peek_at(offset, &mut first)?;
        Ok(Compression::sniff(&first[..known]))
    }

    /// By the first bytes of a file; four are enough.
    pub fn sniff(first: &[u8]) -> Self {
        match first {
            [0x1f, 0x8b, ..] => Compression::Gzip,
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Compression::Zstd,
            [kind, 0x2a, 0x4d, 0x18, ..] if kind & 0xf0 == 0x50 => Compression::Zstd,
            _ => Compression::Plain,
        }
    }
}
