//! The digest that identical documents have in common, as 128 bits.

use input::Document;
use twox_hash::XxHash3_128;
use twox_hash::xxhash3_128::{RawHasher, SecretBuffer};

/// Fingerprint of what makes two documents identical: body, effective media type and charset.
pub fn identity(document: &Document<'_>, seed: u64) -> u128 {
    let mut hasher = XxHash3_128::with_seed(seed);
    hasher.write(document.body);
    hasher.write(document.media_type.as_bytes());
    hasher.write(&[0]);
    hasher.write(document.charset.as_bytes());
    hasher.write(&(document.body.len() as u64).to_le_bytes());
    hasher.finish_128()
}

/// Makes [`identity`] for one document after another: what it begins with is made once, and what
/// follows the body is handed on at once.
pub struct Identities {
    seed: u64,
    /// `None` never, as a secret of this length is one.
    begun: Option<SecretBuffer<[u8; SECRET_BYTES]>>,
    tail: Vec<u8>,
}

/// Bytes of a secret that XXH3 makes from a seed.
const SECRET_BYTES: usize = 192;

impl Identities {
    /// For this seed.
    pub fn new(seed: u64) -> Identities {
        Identities {
            seed,
            begun: SecretBuffer::with_seed(seed, [0; SECRET_BYTES]).ok(),
            tail: Vec::new(),
        }
    }

    /// The fingerprint of the next document.
    pub fn of(&mut self, document: &Document<'_>) -> u128 {
        let Some(begun) = &self.begun else {
            return identity(document, self.seed);
        };
        let mut hasher = RawHasher::new(begun.clone());
        hasher.write(document.body);
        self.tail.clear();
        self.tail.extend_from_slice(document.media_type.as_bytes());
        self.tail.push(0);
        self.tail.extend_from_slice(document.charset.as_bytes());
        self.tail
            .extend_from_slice(&(document.body.len() as u64).to_le_bytes());
        hasher.write(&self.tail);
        hasher.finish_128()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// One after another, of any lengths.
        #[test]
        fn identities_are_those_of_their_definition(seed: u64, bodies in prop::collection::vec("\\PC{0,900}", 1..6), kind in "[a-z/+]{0,60}") {
            let mut identities = Identities::new(seed);
            prop_assert!(identities.begun.is_some());
            for body in &bodies {
                let document = Document {
                    id: None,
                    url: None,
                    date: None,
                    place: input::Place::default(),
                    row: None,
                    payload: None,
                    content: model::Content::Text(body),
                    body: body.as_bytes(),
                    media_type: &kind,
                    charset: "UTF-8",
                    fields: &[],
                    flags: &[],
                };
                prop_assert_eq!(identities.of(&document), identity(&document, seed));
            }
        }
    }
}
