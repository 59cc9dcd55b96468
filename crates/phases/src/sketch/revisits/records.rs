//! What the joins sort.

use format::Mark;
use model::{Record, Sampling};

/// ⟨key, rank of the key, revisit⟩: a revisit looks for documents with this key. 21 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Wanted {
    pub(super) key: u128,
    /// The lower, the better.
    pub(super) rank: u8,
    pub(super) revisit: u32,
}

impl Record for Wanted {
    const SIZE: usize = 21;
    fn encode(&self, bytes: &mut [u8]) {
        bytes[..16].copy_from_slice(&self.key.to_le_bytes());
        bytes[16..20].copy_from_slice(&self.revisit.to_le_bytes());
        bytes[20] = self.rank;
    }
    fn decode(bytes: &[u8]) -> Self {
        let mut key = [0; 16];
        key.copy_from_slice(&bytes[..16]);
        Wanted {
            key: u128::from_le_bytes(key),
            rank: bytes[20],
            revisit: word(bytes, 16),
        }
    }
    fn prefix(&self) -> u64 {
        (self.key >> 64) as u64
    }
}

/// What a revisit gets of its document besides the sketch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Lent {
    pub(super) revisit: u32,
    pub(super) modulus: u32,
    pub(super) bytes: u64,
    pub(super) shingles: u64,
    pub(super) sizes: [u32; Sampling::LEVELS_MAX],
    pub(super) mark: Mark,
}

/// Where the sizes and the mark begin.
const SIZES: usize = 24;
const MARK: usize = SIZES + 4 * Sampling::LEVELS_MAX;

impl Record for Lent {
    const SIZE: usize = MARK + Mark::SIZE;
    fn encode(&self, bytes: &mut [u8]) {
        bytes[..4].copy_from_slice(&self.revisit.to_le_bytes());
        bytes[4..8].copy_from_slice(&self.modulus.to_le_bytes());
        bytes[8..16].copy_from_slice(&self.bytes.to_le_bytes());
        bytes[16..SIZES].copy_from_slice(&self.shingles.to_le_bytes());
        for (slot, size) in bytes[SIZES..MARK].chunks_exact_mut(4).zip(self.sizes) {
            slot.copy_from_slice(&size.to_le_bytes());
        }
        self.mark.encode(&mut bytes[MARK..MARK + Mark::SIZE]);
    }
    fn decode(bytes: &[u8]) -> Self {
        Lent {
            revisit: word(bytes, 0),
            modulus: word(bytes, 4),
            bytes: long(bytes, 8),
            shingles: long(bytes, 16),
            sizes: std::array::from_fn(|level| word(bytes, SIZES + 4 * level)),
            mark: Mark::decode(&bytes[MARK..MARK + Mark::SIZE]),
        }
    }
    fn prefix(&self) -> u64 {
        u64::from(self.revisit) << 32
    }
}

/// ⟨revisit, fingerprint of its sketch⟩. 12 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Print {
    pub(super) revisit: u32,
    pub(super) fingerprint: u64,
}

impl Record for Print {
    const SIZE: usize = 12;
    fn encode(&self, bytes: &mut [u8]) {
        bytes[..4].copy_from_slice(&self.revisit.to_le_bytes());
        bytes[4..12].copy_from_slice(&self.fingerprint.to_le_bytes());
    }
    fn decode(bytes: &[u8]) -> Self {
        Print {
            revisit: word(bytes, 0),
            fingerprint: long(bytes, 4),
        }
    }
    fn prefix(&self) -> u64 {
        u64::from(self.revisit) << 32 | self.fingerprint >> 32
    }
}

fn word(bytes: &[u8], at: usize) -> u32 {
    let mut word = [0; 4];
    word.copy_from_slice(&bytes[at..at + 4]);
    u32::from_le_bytes(word)
}

fn long(bytes: &[u8], at: usize) -> u64 {
    let mut long = [0; 8];
    long.copy_from_slice(&bytes[at..at + 8]);
    u64::from_le_bytes(long)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn round<R: Record + std::fmt::Debug>(record: R) {
        let mut bytes = vec![0; R::SIZE];
        record.encode(&mut bytes);
        assert_eq!(R::decode(&bytes), record);
    }

    proptest! {
        #[test]
        fn records_read_back(key: u128, n: [u32; 4], long: [u64; 4], rank: u8, sizes: [u32; Sampling::LEVELS_MAX]) {
            round(Wanted { key, rank, revisit: n[0] });
            round(Print { revisit: n[0], fingerprint: long[0] });
            let mark = Mark {
                identity: key, lexical: long[0], sketch: !key, words: long[1], sketch_size: n[1], level: rank, bytes: n[2],
            };
            round(Lent { revisit: n[0], modulus: n[3], bytes: long[2], shingles: long[3], sizes, mark });
        }
    }
}
