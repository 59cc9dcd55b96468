//! Super-shingles: shingles of the sorted values of a sketch.
//!
//! *Algorithm.* Broder, Glassman, Manasse and Zweig, *Syntactic Clustering of the Web* (1997),
//! "Super shingles". A sketch shorter than a super-shingle has none.

use crate::set::{set_of, shared};
use model::key_of;

/// The set of the super-shingles of `length` values of a sorted sketch.
pub(crate) fn super_shingles(sketch: &[u64], length: usize) -> Vec<u64> {
    let windows = sketch.windows(length.max(1));
    set_of(windows.map(key_of))
}

/// Whether two documents have a super-shingle in common.
pub(crate) fn share_one(a: &[u64], b: &[u64], length: usize) -> bool {
    shared(&super_shingles(a, length), &super_shingles(b, length)) > 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_common_sequence_is_needed() {
        let (a, b) = ([1, 3, 5, 7, 9, 11], [3, 5, 7, 8, 9, 11]);
        assert_eq!(super_shingles(&a, 3).len(), 4);
        assert!(share_one(&a, &b, 3));
        assert!(!share_one(&a, &b, 4));
        assert!(!share_one(&a[..2], &a[..2], 3), "shorter than three values");
    }

    /// "The extra shingles will be interspersed with the common shingles."
    #[test]
    fn a_contained_document_loses_its_sequences() {
        let whole: Vec<u64> = (0..60).collect();
        let part: Vec<u64> = (0..60).step_by(3).collect();
        assert!(!share_one(&part, &whole, 2));
    }
}
