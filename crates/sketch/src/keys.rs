//! The secret constants of a run, expanded from its seed.
//!
//! BLAKE3 in key derivation mode, context `pipeline fingerprint keys v1`, over the UTF-8 bytes of
//! the seed; its extended output is read as little-endian 64-bit words, in this order:
//!
//! | words | used as |
//! |---|---|
//! | 1 | x, the point of token hashes |
//! | 1 | y, the point of windows |
//! | 1 | z, the weight of labels |
//! | 1 | v, the point of the lexical fingerprint |
//! | 6 | a₁ b₁ a₂ b₂ a₃ b₃ of the mixer; the lowest bit of each b is set |
//! | 1 | seed of the sketch digest |
//! | 1 | seed for hashing bodies |
//! | 2 | key for hashing URLs |
//! | 1 | key of the permutations of min-hashes |
//! | 1 | key of other families of fingerprints |
//!
//! A word below 2 is no use as a point: it is left out and the next word taken in its place. The
//! published digest of the seed is the first 16 bytes under another context, `pipeline seed digest
//! v1`, and tells nothing about the keys. A person who guesses the seed can confirm the guess with
//! it, so a seed that must stay secret should be long and random.

use std::fmt;

/// The secret constants of a run. Its `Debug` form shows the digest only.
#[derive(Clone, PartialEq, Eq)]
pub struct FingerprintKeys {
    pub(crate) token_point: u64,
    pub(crate) window_point: u64,
    pub(crate) label_weight: u64,
    pub(crate) lexical_point: u64,
    pub(crate) mixer: [(u64, u64); 3],
    pub(crate) sketch_seed: u64,
    content_seed: u64,
    url_key: [u64; 2],
    pub(crate) permutation_key: u64,
    pub(crate) family_key: u64,
    digest: [u8; 16],
}

impl FingerprintKeys {
    /// The keys of a seed. Any string will do, also the empty one.
    pub fn from_seed(seed: &str) -> FingerprintKeys {
        let mut words = blake3::Hasher::new_derive_key("pipeline fingerprint keys v1");
        words.update(seed.as_bytes());
        let mut words = words.finalize_xof();
        let mut digest = [0; 16];
        let mut hasher = blake3::Hasher::new_derive_key("pipeline seed digest v1");
        hasher
            .update(seed.as_bytes())
            .finalize_xof()
            .fill(&mut digest);
        let mut next = || {
            let mut word = [0; 8];
            words.fill(&mut word);
            u64::from_le_bytes(word)
        };
        let [token_point, window_point, label_weight, lexical_point] =
            [(); 4].map(|()| point(&mut next));
        let mixer = [(); 3].map(|()| (next(), next() | 1));
        let (sketch_seed, content_seed) = (next(), next());
        let url_key = [next(), next()];
        let (permutation_key, family_key) = (next(), next());
        FingerprintKeys {
            token_point,
            window_point,
            label_weight,
            lexical_point,
            mixer,
            sketch_seed,
            content_seed,
            url_key,
            permutation_key,
            family_key,
            digest,
        }
    }

    /// A one-way digest of the seed: equal for equal seeds, safe to publish.
    pub fn digest(&self) -> [u8; 16] {
        self.digest
    }

    /// The seed for hashing document bodies elsewhere. Secret, as the other keys are.
    pub fn content_seed(&self) -> u64 {
        self.content_seed
    }

    /// The key for hashing URLs, so that nobody can write many that collide. Secret, as the other
    /// keys are.
    pub fn url_key(&self) -> [u64; 2] {
        self.url_key
    }
}

impl fmt::Debug for FingerprintKeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "FingerprintKeys(digest {:032x})",
            u128::from_le_bytes(self.digest).swap_bytes()
        )
    }
}

/// The next word that is neither 0 nor 1.
fn point(next: &mut impl FnMut() -> u64) -> u64 {
    loop {
        let word = next();
        if word >= 2 {
            return word;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_below_two_are_left_out() {
        let mut words = [0, 1, 1, 7, 0, 9].into_iter();
        let mut next = || words.next().expect("enough words");
        assert_eq!((point(&mut next), point(&mut next)), (7, 9));
    }

    #[test]
    fn seeds_differ_and_repeat() {
        let keys = FingerprintKeys::from_seed("change me");
        assert_eq!(keys, FingerprintKeys::from_seed("change me"));
        let other = FingerprintKeys::from_seed("change me ");
        assert_ne!(keys.digest(), other.digest());
        assert_ne!(keys.token_point, other.token_point);
        assert!(keys.mixer.iter().all(|(_, odd)| odd & 1 == 1));
    }

    #[test]
    fn debug_shows_no_key() {
        let keys = FingerprintKeys::from_seed("secret");
        let shown = format!("{keys:?}");
        let digest: String = keys
            .digest()
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        assert_eq!(shown, format!("FingerprintKeys(digest {digest})"));
    }
}
