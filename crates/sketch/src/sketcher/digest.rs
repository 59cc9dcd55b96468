//! The digests of a sample and of a text: equal ones have the same.

use twox_hash::XxHash3_128;

/// Longest sample that is copied for its digest.
const DIGESTED_AT_ONCE: usize = 1024;

/// XXH3, 128 bits, over the modulus and the fingerprints, each as 8 little-endian bytes; `bytes` is
/// scratch.
pub(super) fn digest(seed: u64, modulus: u32, fingerprints: &[u64], bytes: &mut Vec<u8>) -> u128 {
    if fingerprints.len() > DIGESTED_AT_ONCE {
        return digest_in_parts(seed, modulus, fingerprints);
    }
    bytes.clear();
    bytes.extend_from_slice(&u64::from(modulus).to_le_bytes());
    bytes.extend(
        fingerprints
            .iter()
            .flat_map(|fingerprint| fingerprint.to_le_bytes()),
    );
    XxHash3_128::oneshot_with_seed(seed, bytes)
}

/// The digest of a sketch, without a copy of the fingerprints.
pub(super) fn digest_in_parts(seed: u64, modulus: u32, fingerprints: &[u64]) -> u128 {
    let mut hasher = XxHash3_128::with_seed(seed);
    hasher.write(&u64::from(modulus).to_le_bytes());
    for fingerprint in fingerprints {
        hasher.write(&fingerprint.to_le_bytes());
    }
    hasher.finish_128()
}

/// The digest of a sketch and of the sum of all fingerprints, those left out included.
pub(super) fn with_sum(sketch: u128, sum: u64) -> u128 {
    XxHash3_128::oneshot_with_seed(sum, &sketch.to_le_bytes())
}

/// The digest of a text in which white space is as good as any other; none at its ends counts.
pub(super) fn of_text(seed: u64, text: &str) -> u128 {
    let mut hasher = XxHash3_128::with_seed(seed);
    for word in text.split_whitespace() {
        hasher.write(word.as_bytes());
        hasher.write(b" ");
    }
    hasher.finish_128()
}
