use super::*;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// Postings, the number of the next one, and how many come together.
struct Slice<'a>(&'a [Posting], usize, usize);
impl PostingSource for Slice<'_> {
    type Error = ();
    fn next_slice(&mut self) -> Result<Option<&[Posting]>, ()> {
        // Slices end at multiples of the block size, wherever reading begins.
        let end = ((self.1 / self.2 + 1) * self.2).min(self.0.len());
        let slice = &self.0[self.1..end];
        self.1 = end;
        Ok((!slice.is_empty()).then_some(slice))
    }
    fn seek(&mut self, position: u64) -> Result<(), ()> {
        self.1 = position as usize;
        Ok(())
    }
}

#[derive(Default, Debug, PartialEq)]
struct RecordingSink {
    pairs: BTreeMap<(u32, u32), u32>,
    common: Vec<(u64, u64, u32)>,
    common_of: BTreeMap<(u32, u64), u32>,
}
impl GroupSink for RecordingSink {
    type Error = ();
    fn list(&mut self, docs: &[u32]) -> Result<(), ()> {
        for (at, &a) in docs.iter().enumerate() {
            docs[at + 1..]
                .iter()
                .for_each(|&b| *self.pairs.entry((a, b)).or_default() += 1);
        }
        Ok(())
    }
    fn common(&mut self, shingle: u64, documents: u64, example: u32) -> Result<(), ()> {
        self.common.push((shingle, documents, example));
        Ok(())
    }
    fn common_of(&mut self, doc: u32, shingle: u64) -> Result<(), ()> {
        *self.common_of.entry((doc, shingle)).or_default() += 1;
        Ok(())
    }
}

proptest! {
    #[test]
    fn expansion_is_that_of_sets(
        postings in proptest::collection::btree_set((0u64..12, 0u32..30), 0..200),
        common_limit in 1u64..12, group_documents_max in 1usize..15, block in 1usize..40,
        cuts in proptest::collection::vec(0u64..200, 0..4),
    ) {
        let postings: Vec<Posting> = postings.into_iter().map(|(shingle, doc)| Posting { shingle, doc }).collect();
        let mut groups: BTreeMap<u64, BTreeSet<u32>> = BTreeMap::new();
        for posting in &postings {
            groups.entry(posting.shingle).or_default().insert(posting.doc);
        }
        let mut expected = RecordingSink::default();
        for (&shingle, docs) in &groups {
            let documents = docs.len() as u64;
            if documents > common_limit {
                expected.common.push((shingle, documents, *docs.first().unwrap()));
                expected.common_of.extend(docs.iter().map(|&doc| ((doc, shingle), 1)));
                continue;
            }
            for &a in docs {
                for &b in docs.range(a + 1..) {
                    *expected.pairs.entry((a, b)).or_default() += 1;
                }
            }
        }
        let mut seen = RecordingSink::default();
        let params = ExpandParams { common_limit, group_documents_max };
        let mut bounds: Vec<u64> = cuts.iter().map(|cut| cut % (postings.len() as u64 + 1)).collect();
        bounds.extend([0, postings.len() as u64]);
        bounds.sort_unstable();
        let mut totals = Expansion::default();
        for bounds in bounds.windows(2) {
            let shard = PostingShard { start: bounds[0], end: bounds[1] };
            let mut slice = Slice(&postings, 0, block);
            totals += expand(&mut slice, shard, params, &mut seen).unwrap();
        }
        prop_assert_eq!(&seen, &expected);
        prop_assert_eq!(totals.postings, postings.len() as u64);
        prop_assert_eq!(totals.shingles, groups.len() as u64);
        prop_assert_eq!(totals.single, groups.values().filter(|docs| docs.len() == 1).count() as u64);
        prop_assert_eq!(totals.increments, expected.pairs.values().map(|&n| u64::from(n)).sum::<u64>());
    }
}
