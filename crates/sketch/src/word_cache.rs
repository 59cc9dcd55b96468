//! A cache of token hashes for words that are not ASCII alone. Pages repeat the same few thousand
//! words.
//!
//! A *span* is a stretch of bytes between separators, as it stands on the page. *Input.* A span,
//! and later the hash of its token; only spans that make exactly one token are cached. *Output.*
//! That hash, when the same bytes come again. *Algorithm.* A direct-mapped table: each span has one
//! slot, and the latest span keeps it. A hit needs all bytes to be equal, so a collision costs time
//! and nothing else. The rules and keys of a sketcher never change, so a span always has the same
//! hash. *Memory.* [`MEMORY_BYTES`]. *Limits.* Spans of up to [`SPAN_BYTES_MAX`] bytes.

/// Longest span. 24 bytes, twelve letters of two bytes, and the hash fill a slot of 32 bytes, so
/// that two slots fill a cache line.
pub(crate) const SPAN_BYTES_MAX: usize = 24;

/// 2,048 slots of 32 bytes, for the few thousand words that pages repeat.
const SLOTS_LOG2: u32 = 11;

pub(crate) const MEMORY_BYTES: u64 = (size_of::<CacheSlot>() as u64) << SLOTS_LOG2;

/// The bytes of a span, padded with zeros. NUL is a separator, so no span contains one, and padded
/// spans are equal only if the spans are.
pub(crate) type Span = [u64; SPAN_BYTES_MAX / 8];

#[derive(Clone, Copy, Default)]
#[repr(align(32))]
struct CacheSlot {
    /// Zeros only if the slot is free. No span is empty.
    span: Span,
    hash: u64,
}

pub(crate) struct WordCache(Box<[CacheSlot]>);

impl WordCache {
    pub(crate) fn new() -> WordCache {
        WordCache(vec![CacheSlot::default(); 1 << SLOTS_LOG2].into_boxed_slice())
    }

    /// The hash noted for a span.
    #[inline(always)]
    pub(crate) fn hash(&self, span: &Span) -> Option<u64> {
        let slot = self.0[slot_of(span)];
        (slot.span == *span).then_some(slot.hash)
    }

    /// Notes the hash of a span.
    pub(crate) fn note(&mut self, span: &Span, hash: u64) {
        self.0[slot_of(span)] = CacheSlot { span: *span, hash };
    }
}

/// The slot of a span. One multiplication to 128 bits and one to 64 (as wyhash does) mix all bytes
/// into the upper bits.
#[inline(always)]
fn slot_of(span: &Span) -> usize {
    let product =
        u128::from(span[0] ^ 0x9E37_79B9_7F4A_7C15) * u128::from(span[1] ^ 0xD6E8_FEB8_6659_FD93);
    let mixed =
        (product as u64 ^ (product >> 64) as u64 ^ span[2]).wrapping_mul(0xA076_1D64_78BD_642F);
    (mixed >> (u64::BITS - SLOTS_LOG2)) as usize
}

/// The bytes `text[start..end]` as a span; `None` if they are more than 24, or begin in the last 23
/// bytes of the text: 24 are loaded at once.
#[inline(always)]
pub(crate) fn span_of(text: &[u8], start: usize, end: usize) -> Option<Span> {
    let length = end - start;
    if length > SPAN_BYTES_MAX {
        return None;
    }
    let bytes: &[u8; SPAN_BYTES_MAX] = text.get(start..)?.first_chunk()?;
    let mut span = [0; SPAN_BYTES_MAX / 8];
    for (index, (word, bytes)) in span.iter_mut().zip(bytes.as_chunks().0).enumerate() {
        let kept = length.saturating_sub(8 * index).min(8);
        let mask = if kept == 0 {
            0
        } else {
            u64::MAX >> (64 - 8 * kept)
        };
        *word = u64::from_le_bytes(*bytes) & mask;
    }
    Some(span)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashMap;

    proptest! {
        #[test]
        fn a_span_is_its_bytes(text in "[a-zé字]{0,20}", start in 0_usize..20, length in 1_usize..30) {
            let (text, end) = (text.as_bytes(), start + length);
            prop_assume!(end <= text.len());
            let fits = length <= SPAN_BYTES_MAX && start + SPAN_BYTES_MAX <= text.len();
            let span = span_of(text, start, end);
            prop_assert_eq!(span.is_some(), fits);
            if let Some(span) = span {
                let bytes: Vec<u8> = span.iter().flat_map(|word| word.to_le_bytes()).collect();
                prop_assert_eq!(&bytes[..length], &text[start..end]);
                prop_assert!(bytes[length..].iter().all(|&byte| byte == 0));
            }
        }

        #[test]
        fn what_is_found_is_what_was_noted(spans in prop::collection::vec([1_u64..3, 0_u64..900, 0_u64..2], 1..3000)) {
            let (mut cache, mut noted) = (WordCache::new(), HashMap::new());
            for (hash, span) in (0_u64..).zip(&spans) {
                if let Some(hash) = cache.hash(span) {
                    prop_assert_eq!(Some(&hash), noted.get(span));
                }
                cache.note(span, hash);
                noted.insert(*span, hash);
                prop_assert_eq!(cache.hash(span), Some(hash));
            }
        }
    }

    #[test]
    fn most_of_a_few_hundred_words_find_a_place_of_their_own() {
        let mut cache = WordCache::new();
        let words: Vec<String> = (0..400).map(|n| format!("été{n}{:24}", "")).collect();
        let spans: Vec<Span> = words
            .iter()
            .filter_map(|word| span_of(word.as_bytes(), 0, word.trim_end().len()))
            .collect();
        (0_u64..)
            .zip(&spans)
            .for_each(|(hash, span)| cache.note(span, hash));
        let found = (0_u64..)
            .zip(&spans)
            .filter(|(hash, span)| cache.hash(span) == Some(*hash))
            .count();
        assert!(spans.len() == 400 && found > 320, "{found}");
    }
}
