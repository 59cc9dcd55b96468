//! Payload digests as keys: what two records must have in common to have the same body.
//!
//! *Input.* `WARC-Payload-Digest`. *Output.* 128 bits. *Algorithm.* `ALGORITHM:VALUE`; the value is
//! decoded from hex or base32 (RFC 4648), whichever has the length that the algorithm's digests
//! have, so that both spellings of a digest give one key. What is of an unknown algorithm, or
//! neither, counts letter by letter. Digests by two algorithms never give one key. *Limits.*
//! Nothing is computed from bodies: a record without the field has no key.

use std::borrow::Cow;

use twox_hash::{XxHash3_64, XxHash3_128};

/// The key of a digest; `None` if there is no value.
pub fn key(text: &str) -> Option<u128> {
    let (algorithm, value) = text.trim().split_once(':')?;
    let (value, algorithm) = (
        value.trim(),
        algorithm.trim().to_ascii_lowercase().replace('-', ""),
    );
    if value.is_empty() {
        return None;
    }
    let bytes = decode(&algorithm, value).map_or(Cow::Borrowed(value.as_bytes()), Cow::Owned);
    Some(XxHash3_128::oneshot_with_seed(
        XxHash3_64::oneshot(algorithm.as_bytes()),
        &bytes,
    ))
}

/// The bytes of a digest.
fn decode(algorithm: &str, value: &str) -> Option<Vec<u8>> {
    let bytes: usize = match algorithm {
        "md5" => 16,
        "sha1" => 20,
        "sha224" => 28,
        "sha256" => 32,
        "sha384" => 48,
        "sha512" => 64,
        _ => return None,
    };
    let value = value.trim_end_matches('=');
    let bits = match value.len() {
        length if length == 2 * bytes => 4,
        length if length == (8 * bytes).div_ceil(5) => 5,
        _ => return None,
    };
    let (mut decoded, mut held, mut count) = (Vec::with_capacity(bytes), 0_u32, 0);
    for letter in value.bytes() {
        held = (held << bits | digit(letter, bits)?) & 0xFFFF;
        count += bits;
        if count >= 8 {
            count -= 8;
            decoded.push((held >> count) as u8);
        }
    }
    Some(decoded)
}

/// A digit of so many bits, in either case of letters.
fn digit(letter: u8, bits: u32) -> Option<u32> {
    match (letter.to_ascii_uppercase(), bits) {
        (digit @ b'0'..=b'9', 4) => Some(u32::from(digit - b'0')),
        (letter @ b'A'..=b'F', 4) => Some(u32::from(letter - b'A') + 10),
        (letter @ b'A'..=b'Z', 5) => Some(u32::from(letter - b'A')),
        (digit @ b'2'..=b'7', 5) => Some(u32::from(digit - b'2') + 26),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// SHA-1 of nothing, as OpenSSL and as Heritrix write it.
    const HEX: &str = "sha1:da39a3ee5e6b4b0d3255bfef95601890afd80709";
    const BASE32: &str = "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ";

    #[test]
    fn hex_and_base32_of_a_digest_are_one_key_in_any_case_of_letters() {
        let expected = key(HEX);
        assert!(expected.is_some());
        for same in [
            BASE32,
            &BASE32.to_lowercase(),
            &HEX.to_uppercase(),
            " SHA-1: 3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ ",
        ] {
            assert_eq!(key(same), expected, "{same}");
        }
        let [md5, padded] = [
            "md5:d41d8cd98f00b204e9800998ecf8427e",
            "md5:2QOYZWMPACZAJ2MABGMOZ6CCPY======",
        ]
        .map(key);
        assert_eq!(md5, padded);
        assert_ne!(md5, expected);
    }

    #[test]
    fn what_cannot_be_decoded_counts_letter_by_letter() {
        let keys = [
            "sha1:da39",
            "sha1:DA39",
            "sha1:da3!a3ee5e6b4b0d3255bfef95601890afd80709",
            "crc9:da39",
        ]
        .map(key);
        assert!(
            keys.iter()
                .enumerate()
                .all(|(at, one)| one.is_some() && !keys[..at].contains(one)),
            "{keys:?}"
        );
        assert_eq!(["", "sha1", "sha1:", "sha1: "].map(key), [None; 4]);
    }
}
