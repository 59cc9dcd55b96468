//! The bytes that end the plain part of a string: quotes, backslashes and control characters, many
//! bytes at a time.
//!
//! Eight at a time in a register everywhere; 64 at a time with SSE2, which every x86-64 has, and by
//! eights elsewhere.

/// Whether a string cannot hold this byte as it is.
#[inline]
pub(super) fn is_special(byte: u8) -> bool {
    matches!(byte, b'"' | b'\\' | 0..0x20)
}

/// The top bit of every special byte; behind the first one, of others perhaps as well.
#[inline]
pub(super) fn special_tops(word: [u8; 8]) -> u64 {
    const ONES: u64 = u64::MAX / 255;
    const TOPS: u64 = ONES << 7;
    let word = u64::from_le_bytes(word);
    // The top bit of a byte that is below n, if none before it was; false ones come only behind a
    // true one.
    let below = |word: u64, n: u64| word.wrapping_sub(ONES * n) & !word;
    let found = below(word, 0x20)
        | below(word ^ (ONES * u64::from(b'"')), 1)
        | below(word ^ (ONES * u64::from(b'\\')), 1);
    found & TOPS
}

/// Where the first quote, backslash or control character is at or behind `from`; the end if there
/// is none.
#[inline]
pub(super) fn special(bytes: &[u8], from: usize) -> usize {
    let mut at = from;
    let (words, rest) = bytes.get(from..).unwrap_or_default().as_chunks::<8>();
    for word in words {
        let found = special_tops(*word);
        if found != 0 {
            return at + found.trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    at + rest
        .iter()
        .position(|&byte| is_special(byte))
        .unwrap_or(rest.len())
}

/// Which bytes of a block are special, the first one in bit 0.
#[cfg(target_arch = "x86_64")]
#[inline]
#[expect(unsafe_code, reason = "vector instructions")]
pub(super) fn specials(block: &[u8; 64]) -> u64 {
    use std::arch::x86_64::*;
    let mask = |part: &[u8; 16]| {
        // SAFETY: SSE2 is part of x86-64; the array has 16 bytes, at any alignment.
        unsafe {
            let part = _mm_loadu_si128(part.as_ptr().cast());
            let [quote, backslash, last] =
                [b'"', b'\\', 0x1F].map(|byte| _mm_set1_epi8(byte.cast_signed()));
            let named = _mm_or_si128(_mm_cmpeq_epi8(part, quote), _mm_cmpeq_epi8(part, backslash));
            let control = _mm_cmpeq_epi8(_mm_min_epu8(part, last), part);
            u64::from(_mm_movemask_epi8(_mm_or_si128(named, control)).cast_unsigned())
        }
    };
    block
        .as_chunks()
        .0
        .iter()
        .rev()
        .fold(0, |found, part| found << 16 | mask(part))
}

/// The special bytes of a block, found in words of eight bytes.
#[cfg(any(test, not(target_arch = "x86_64")))]
pub(super) fn specials_by_words(block: &[u8; 64]) -> u64 {
    const ONES: u64 = u64::MAX / 255;
    const LOWER: u64 = ONES * 0x7F;
    // The top bit of every byte that is zero, and of no other (Hacker's Delight, 2nd edition, 6-1).
    let zeros = |word: u64| !(((word & LOWER) + LOWER) | word | LOWER);
    let mask = |word: &[u8; 8]| {
        let word = u64::from_le_bytes(*word);
        let named =
            zeros(word ^ (ONES * u64::from(b'"'))) | zeros(word ^ (ONES * u64::from(b'\\')));
        let found = named | zeros(word & (ONES * 0xE0));
        // The product has each of the eight bits once among its upper eight, in order.
        (found >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56
    };
    block
        .as_chunks()
        .0
        .iter()
        .rev()
        .fold(0, |found, word| found << 8 | mask(word))
}

#[cfg(not(target_arch = "x86_64"))]
pub(super) use specials_by_words as specials;

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn special_bytes_are_found(bytes in prop::collection::vec(prop_oneof![any::<u8>(), 0x1E..0x24_u8, 0x5A..0x5F_u8], 64)) {
            let block = bytes.first_chunk().unwrap();
            let directly = block.iter().rev().fold(0, |mask, &byte| mask << 1 | u64::from(is_special(byte)));
            prop_assert_eq!(specials(block), directly);
            prop_assert_eq!(specials_by_words(block), directly);
            prop_assert_eq!(special(&bytes, 0), directly.trailing_zeros() as usize);
        }
    }
}
