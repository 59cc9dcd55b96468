//! The keys by which a revisit finds its original: equal keys make a match.
//!
//! *Algorithm.* Where a record is named by its id, or by URL and date, and both sides name a digest
//! of the body, the digests have to agree. So a document has two keys of each kind: one with its
//! digest, or that it has none; one for revisits that have none to compare. A revisit that names
//! nothing has the key of its URL, and its date behind it. *Memory.* A Bloom
//! filter of 16 bits for each key that is looked for: most documents are sorted by none of theirs.

use format::RevisitRow;
use sort::Reservation;
use twox_hash::XxHash3_128;

/// Kinds of keys.
const ID: u8 = 1;
const URL_AND_DATE: u8 = 2;
const PAYLOAD: u8 = 3;
const URL: u8 = 4;

/// Bits of a date, in microseconds since 1970, behind the hash of a URL: until 2112.
const DATE_BITS: u32 = 52;

/// The byte of a key that says which digest of the body it asks for: none, one, any.
const NO_PAYLOAD: u8 = 0;
const SOME_PAYLOAD: u8 = 1;
const ANY_PAYLOAD: u8 = 2;

/// Computes the keys of documents and of revisits.
#[derive(Clone, Copy, Debug)]
pub(super) struct KeyHasher {
    pub(super) seed: u64,
}

impl KeyHasher {
    /// The keys under which a document, or a revisit that became one, is found.
    pub(super) fn of_document(&self, names: &RevisitRow<'_>, mut take: impl FnMut(u128)) {
        let own = names
            .payload
            .map_or((NO_PAYLOAD, 0), |payload| (SOME_PAYLOAD, payload));
        for payload in [own, (ANY_PAYLOAD, 0)] {
            if let Some(id) = names.id {
                take(self.id(id, payload));
            }
            if let (Some(url), Some(date)) = (names.url, names.date) {
                take(self.url_and_date(url, date, payload));
            }
        }
        if let Some(payload) = names.payload {
            take(self.payload(payload));
        }
    }

    /// The keys that a revisit looks for, the best first.
    pub(super) fn of_revisit(&self, row: &RevisitRow<'_>, mut take: impl FnMut(u8, u128)) {
        let (with, without) = ((SOME_PAYLOAD, row.payload.unwrap_or(0)), (NO_PAYLOAD, 0));
        let named = if row.payload.is_some() {
            &[with, without][..]
        } else {
            &[(ANY_PAYLOAD, 0)]
        };
        for (rank, payload) in named.iter().enumerate() {
            if let Some(id) = row.refers_to_id {
                take(rank as u8, self.id(id, *payload));
            }
            if let (Some(url), Some(date)) = (row.refers_to_url, row.refers_to_date) {
                take(2 + rank as u8, self.url_and_date(url, date, *payload));
            }
        }
        if let Some(payload) = row.payload {
            take(4, self.payload(payload));
        }
    }

    /// The key of all records of a URL, for the filter.
    pub(super) fn url(&self, url: &str) -> u128 {
        self.key(URL, url, (NO_PAYLOAD, 0), 0)
    }

    /// The key of a URL at a date. The keys of a URL are in the order of their dates, and
    /// [`is_of_one_url`] knows them: its hash has 76 bits.
    pub(super) fn url_at(&self, url: &str, date: i64) -> u128 {
        let date = date.clamp(0, (1 << DATE_BITS) - 1);
        (self.url(url) >> DATE_BITS << DATE_BITS) | date.unsigned_abs() as u128
    }

    fn id(&self, id: &str, payload: (u8, u128)) -> u128 {
        self.key(ID, id, payload, 0)
    }

    fn url_and_date(&self, url: &str, date: i64, payload: (u8, u128)) -> u128 {
        self.key(URL_AND_DATE, url, payload, date)
    }

    fn payload(&self, payload: u128) -> u128 {
        self.key(PAYLOAD, "", (SOME_PAYLOAD, payload), 0)
    }

    fn key(&self, kind: u8, text: &str, (tag, payload): (u8, u128), date: i64) -> u128 {
        let mut hasher = XxHash3_128::with_seed(self.seed);
        hasher.write(&[kind, tag]);
        hasher.write(&payload.to_le_bytes());
        hasher.write(&date.to_le_bytes());
        hasher.write(text.as_bytes());
        hasher.finish_128()
    }
}

/// Whether two keys of [`KeyHasher::url_at`] are of one URL.
pub(super) fn is_of_one_url(a: u128, b: u128) -> bool {
    a >> DATE_BITS == b >> DATE_BITS
}

/// Says which keys are certainly not looked for. Each key sets two bits (Bloom, 1970).
pub(super) struct BloomFilter {
    words: Vec<u64>,
    /// Bits less one: a power of two less one.
    mask: u64,
    #[expect(dead_code, reason = "held for its drop")]
    memory: Reservation,
}

impl BloomFilter {
    /// For so many keys, within what was reserved.
    pub(super) fn new(keys: u64, memory: Reservation) -> BloomFilter {
        let most = (memory.bytes() as u64 * 8).max(64);
        let bits = keys.saturating_mul(16).clamp(64, most);
        // The next lower power of two.
        let bits = 1_u64 << (63 - bits.leading_zeros());
        BloomFilter {
            words: vec![0; (bits / 64) as usize],
            mask: bits - 1,
            memory,
        }
    }

    fn bits(&self, key: u128) -> [u64; 2] {
        [key as u64 & self.mask, (key >> 64) as u64 & self.mask]
    }

    pub(super) fn insert(&mut self, key: u128) {
        for bit in self.bits(key) {
            self.words[(bit / 64) as usize] |= 1 << (bit % 64);
        }
    }

    pub(super) fn may_have(&self, key: u128) -> bool {
        self.bits(key)
            .into_iter()
            .all(|bit| self.words[(bit / 64) as usize] >> (bit % 64) & 1 != 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn keys_of_a_url_are_in_the_order_of_dates(dates: [u32; 2], urls in ["[ab]{0,2}", "[ab]{0,2}"]) {
            let keys = KeyHasher { seed: 7 };
            let second = |at: usize| i64::from(dates[at]) * 1_000_000;
            let [a, b] = [0, 1].map(|at| keys.url_at(&urls[at], second(at)));
            prop_assert_eq!(is_of_one_url(a, b), urls[0] == urls[1]);
            if urls[0] == urls[1] {
                prop_assert_eq!(a.cmp(&b), dates[0].cmp(&dates[1]));
            }
        }
    }

    #[test]
    fn impossible_dates_stay_with_their_url() {
        let keys = KeyHasher { seed: 7 };
        let of = |date| keys.url_at("http://a/", date);
        assert!(is_of_one_url(of(i64::MIN), of(i64::MAX)) && of(i64::MIN) < of(i64::MAX));
    }
}
