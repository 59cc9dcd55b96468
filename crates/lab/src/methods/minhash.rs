//! Signatures: the least value of a set under each of many hash functions; bands of them.
//!
//! *Input.* Sets of fingerprints. *Output.* Signatures; candidate pairs. *Algorithm.* Manning,
//! Raghavan and Schütze, section 19.6; Bergillos, Rambla and Cabeza, sections 4 and 5. *Memory.* 4
//! bytes a value; the bands of all documents, 16 bytes each.

use super::family::{HashFamily, HashFunction};
use model::key_of;

/// Many hash functions of one family.
pub(crate) struct Functions(Vec<HashFunction>);

impl Functions {
    pub(crate) fn new(family: &HashFamily, count: usize, seed: u64) -> Functions {
        let numbers = 0..count as u64;
        Functions(
            numbers
                .map(|number| family.function(seed, number))
                .collect(),
        )
    }

    /// The minimum of the set under each function. An empty set has the largest value everywhere.
    pub(crate) fn signature(&self, set: &[u64]) -> Vec<u32> {
        self.0.iter().map(|minimum| minimum(set)).collect()
    }
}

pub(crate) use sketch::equal_places;

/// The pairs of documents whose signatures are equal in a whole band of `rows` values, each once,
/// the lower document first.
pub(crate) fn candidates(signatures: &[Vec<u32>], rows: usize) -> Vec<(u32, u32)> {
    let mut pairs = Vec::new();
    let values = signatures.first().map_or(0, Vec::len);
    for start in (0..values).step_by(rows.max(1)) {
        let band = |signature: &Vec<u32>| {
            let rows = signature.iter().skip(start).take(rows);
            key_of(&rows.map(|value| u64::from(*value)).collect::<Vec<_>>())
        };
        let numbered = (0_u32..).zip(signatures);
        let mut buckets: Vec<(u64, u32)> = numbered.map(|(doc, one)| (band(one), doc)).collect();
        buckets.sort_unstable();
        for bucket in buckets.chunk_by(|a, b| a.0 == b.0) {
            for (at, (_, a)) in bucket.iter().enumerate() {
                pairs.extend(bucket[at + 1..].iter().map(|(_, b)| (*a, *b)));
            }
        }
    }
    pairs.sort_unstable();
    pairs.dedup();
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::methods::family::FAMILIES;
    use crate::random::mix;

    /// Manning, figure 19.9: the columns have the resemblance 2/5, and of all permutations of the
    /// six rows the same share has the first 1 of both columns in one row.
    #[test]
    fn the_first_ones_of_the_matrix_agree_in_two_of_five_permutations() {
        let (one, two) = ([0, 1, 1, 0, 1, 0], [1, 0, 1, 0, 1, 1]);
        let kinds = |x, y| (0..6).filter(|&row| (one[row], two[row]) == (x, y)).count();
        assert_eq!(
            [kinds(0, 0), kinds(0, 1), kinds(1, 0), kinds(1, 1)],
            [1, 2, 1, 2]
        );
        let (mut rows, mut all, mut equal) = ([0, 1, 2, 3, 4, 5], 0, 0);
        permutations(&mut rows, 0, &mut |rows| {
            let first = |column: [u8; 6]| rows.iter().position(|&row| column[row] == 1);
            all += 1;
            equal += usize::from(first(one) == first(two));
        });
        assert_eq!((equal, all), (720 * 2 / 5, 720));
    }

    fn permutations(rows: &mut [usize; 6], at: usize, f: &mut impl FnMut(&[usize; 6])) {
        if at == rows.len() {
            return f(rows);
        }
        for other in at..rows.len() {
            rows.swap(at, other);
            permutations(rows, at + 1, f);
            rows.swap(at, other);
        }
    }

    /// 160 of 200 minima at a resemblance of 80 %, within three standard deviations, whatever the
    /// family.
    #[test]
    fn the_share_of_equal_minima_is_the_resemblance() {
        let (a, b): (Vec<u64>, Vec<u64>) =
            ((1..901).map(mix).collect(), (101..1001).map(mix).collect());
        for family in &FAMILIES {
            let functions = Functions::new(family, 200, 5);
            let equal = equal_places(&functions.signature(&a), &functions.signature(&b));
            assert!(
                (143..=177).contains(&equal),
                "{}: {equal} of 200",
                family.name
            );
        }
    }

    #[test]
    fn a_candidate_is_equal_in_a_whole_band() {
        let signatures = [
            vec![1, 2, 3, 4],
            vec![9, 2, 3, 4],
            vec![1, 2, 9, 9],
            vec![0; 4],
        ];
        assert_eq!(candidates(&signatures, 2), [(0, 1), (0, 2)]);
        assert_eq!(candidates(&signatures, 4), []);
        assert_eq!(candidates(&signatures, 1), [(0, 1), (0, 2), (1, 2)]);
        assert_eq!(candidates(&[], 2), []);
    }
}
