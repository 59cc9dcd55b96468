//! Other families of fingerprints: functions of the text of a shingle, for comparison with ours.
//!
//! *Input.* The tokens of a document. *Output.* A fingerprint for each shingle. *Algorithm.* The
//! text of a shingle is its tokens: words parted by blanks, lines by line feeds, characters by
//! nothing. A fingerprint has l bits (`fingerprint-bits`); the constants follow from the seed.
//!
//! | family | fingerprint of a text | from |
//! |---|---|---|
//! | Rabin | its residue modulo a random irreducible polynomial of degree l ([`Rabin`]) | Broder 1997, 4.1 |
//! | modular | (a k + b) mod p, the upper l bits; k is the text as a number, p = 2^64 − 59, a prime | Bergillos 2018, 6.1 |
//! | multiplicative | the upper l bits of h, where each 8 bytes c make h ← (h + c) s mod 2^64; s is odd | the same, 6.2 |
//! | MurmurHash3 | the upper l bits of the first half of x64, 128 bits | the same, 6.2.1 |
//! | XXH64, XXH3 | the lower l bits of the hash of 64 bits with seed 0 | datatrove; text-dedup |
//!
//! A labelled shingle has the fingerprint of its own fingerprint and the number of occurrences
//! before, each as 8 bytes; the first occurrence keeps its own. *Memory.* The text of one shingle,
//! a few times, and of 64 tokens. *Limits.* Each shingle is read from scratch, so these are slower
//! than ours. XXH64 and XXH3 have no key: who knows them can write texts that steer the sample.
//!
//! *Why shingles wait.* A read of bytes that several writes have just made waits for them. So the
//! last words are written some time before they are hashed.

use crate::params::{Family, SketchParams, TokenUnit};
use crate::rabin::Rabin;
use model::{Content, mix};
use twox_hash::{XxHash3_64, XxHash64};

/// The largest prime below 2^64.
const PRIME: u64 = u64::MAX - 58;

/// Shingles that wait to be hashed, and bytes of their text, at most: but for the last token.
const SHINGLES_WAITING: usize = 64;
const TEXT_BYTES_WAITING: usize = 4096;

/// A function of a family other than ours.
enum TextHash {
    Rabin(Box<Rabin>),
    Modular { factor: u64, summand: u64 },
    Multiplicative { factor: u64 },
    Murmur3 { seed: u32 },
    Xxh64,
    Xxh3,
}

/// The shingles of a document by another family than ours, in the making.
pub(crate) struct TextShingles {
    hash: TextHash,
    bits: u32,
    size: usize,
    /// The text of the last tokens.
    text: Vec<u8>,
    /// Where they begin in it.
    starts: Vec<usize>,
    /// The length of the text at which shingles are hashed next.
    full: usize,
    /// The shingles hashed last.
    shingles: Vec<u64>,
    /// Whether a shingle was complete.
    is_complete: bool,
    /// Between tokens.
    separator: Option<u8>,
}

impl TextShingles {
    /// `None` for our own family.
    pub(crate) fn new(params: &SketchParams) -> Option<TextShingles> {
        let key = params.keys.family_key;
        let mut number = 0;
        let mut constant = || {
            number += 1;
            mix(key.wrapping_add(number))
        };
        let bits = params.bits.count();
        let hash = match params.family {
            Family::Keyed => return None,
            Family::Rabin => TextHash::Rabin(Box::new(Rabin::new(bits, constant))),
            Family::Modular => TextHash::Modular {
                factor: 1 + constant() % (PRIME - 1),
                summand: constant() % PRIME,
            },
            Family::Multiplicative => TextHash::Multiplicative {
                factor: constant() | 1,
            },
            Family::Murmur3 => TextHash::Murmur3 {
                seed: constant() as u32,
            },
            Family::Xxh64 => TextHash::Xxh64,
            Family::Xxh3 => TextHash::Xxh3,
        };
        Some(TextShingles {
            hash,
            bits,
            size: params.shingle_size.max(1) as usize,
            text: Vec::new(),
            starts: Vec::new(),
            full: TEXT_BYTES_WAITING,
            shingles: Vec::new(),
            is_complete: false,
            separator: Some(b' '),
        })
    }

    pub(crate) fn begin(&mut self, unit: TokenUnit, content: Content<'_>) {
        self.text.clear();
        self.text.shrink_to(1 << 20);
        self.starts.clear();
        self.full = TEXT_BYTES_WAITING;
        self.is_complete = false;
        self.separator = match (content, unit) {
            (Content::Features(_), _) | (_, TokenUnit::Lines) => Some(b'\n'),
            (_, TokenUnit::Words) => Some(b' '),
            (_, TokenUnit::Chars(_)) => None,
        };
    }

    /// Takes the next token; gives its place, so that it may still be changed.
    pub(crate) fn append(&mut self, token: &[u8]) -> &mut [u8] {
        let start = self.begin_token();
        self.text.extend_from_slice(token);
        &mut self.text[start..]
    }

    /// Takes the next token, which has at most 16 bytes.
    #[inline]
    pub(crate) fn append_short(&mut self, token: [u8; 16], length: usize) {
        let start = self.begin_token();
        // Sixteen bytes are one store.
        self.text.extend_from_slice(&token);
        self.text.truncate(start + length);
    }

    /// Where the next token begins.
    #[inline]
    fn begin_token(&mut self) -> usize {
        if !self.starts.is_empty() {
            self.text.extend(self.separator);
        }
        self.starts.push(self.text.len());
        self.text.len()
    }

    /// Whether so much waits that [`TextShingles::shingles`] is due.
    #[inline]
    pub(crate) fn is_full(&self) -> bool {
        self.starts.len() >= self.size + SHINGLES_WAITING || self.text.len() >= self.full
    }

    /// The shingles of the tokens so far that were not given before.
    pub(crate) fn shingles(&mut self) -> &[u64] {
        let mut shingles = std::mem::take(&mut self.shingles);
        shingles.clear();
        if let Some(following) = self.starts.get(self.size..) {
            let separator = usize::from(self.separator.is_some());
            let ends = following.iter().map(|start| start - separator);
            let places = self.starts.iter().zip(ends.chain([self.text.len()]));
            let of_places = places.map(|(start, end)| self.of(&self.text[*start..end]));
            shingles.extend(of_places);
            self.is_complete = true;
        }
        let next = self.starts.get(shingles.len());
        let next = next.copied().unwrap_or(self.text.len());
        self.text.drain(..next);
        self.starts.drain(..shingles.len());
        self.starts.iter_mut().for_each(|start| *start -= next);
        self.full = self.text.len() + TEXT_BYTES_WAITING;
        self.shingles = shingles;
        &self.shingles
    }

    /// Bytes there is room for.
    #[cfg(test)]
    pub(crate) fn capacity(&self) -> usize {
        self.text.capacity() + 8 * (self.starts.capacity() + self.shingles.capacity())
    }

    /// The shingle of a document that has fewer tokens than a shingle.
    pub(crate) fn short_document(&self) -> Option<u64> {
        let has_tokens = !self.is_complete && !self.starts.is_empty();
        has_tokens.then(|| self.of(&self.text))
    }

    /// The fingerprint of a shingle that occurred so often before.
    pub(crate) fn labelled(&self, fingerprint: u64, before: u64) -> u64 {
        if before == 0 {
            return fingerprint;
        }
        let both = [fingerprint.to_le_bytes(), before.to_le_bytes()];
        self.of(both.as_flattened())
    }

    fn of(&self, text: &[u8]) -> u64 {
        let words = || {
            text.chunks(8).map(|chunk| {
                let of_bytes = |word, byte: &u8| word << 8 | u64::from(*byte);
                (chunk.len(), chunk.iter().fold(0, of_bytes))
            })
        };
        let upper = |hash: u64| hash >> (64 - self.bits);
        let lower = |hash: u64| hash & (u64::MAX >> (64 - self.bits));
        match &self.hash {
            TextHash::Rabin(rabin) => rabin.of(text),
            TextHash::Modular { factor, summand } => {
                let number = words().fold(0, |number, (length, word)| {
                    let moved = u128::from(number) << (8 * length);
                    ((moved + u128::from(word)) % u128::from(PRIME)) as u64
                });
                let value = u128::from(*factor) * u128::from(number) + u128::from(*summand);
                upper((value % u128::from(PRIME)) as u64)
            }
            TextHash::Multiplicative { factor } => {
                let multiplied =
                    |hash: u64, (_, word)| hash.wrapping_add(word).wrapping_mul(*factor);
                upper(words().fold(0, multiplied))
            }
            TextHash::Murmur3 { seed } => upper(mur3::murmurhash3_x64_128(text, *seed).0),
            TextHash::Xxh64 => lower(XxHash64::oneshot(0, text)),
            TextHash::Xxh3 => lower(XxHash3_64::oneshot(text)),
        }
    }
}
