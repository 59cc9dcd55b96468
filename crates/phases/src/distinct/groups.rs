//! The keys by which documents are compared as a whole, and the groups of equal keys.

use model::{SketchedFingerprints, keyed, record};

/// The key of a document for each relation, from narrow to wide; `None` if it takes no part in one.
///
/// A document without tokens takes part in the first relation only. A sketch of fewer than
/// `shingle_class_min` fingerprints says too little for the third one. The lexical key contains the
/// number of tokens beside their fingerprint.
pub fn keys(document: &SketchedFingerprints, shingle_class_min: u32) -> [Option<u128>; 3] {
    let has_tokens = document.words > 0;
    let lexical = (u128::from(document.lexical) << 64) | u128::from(document.words);
    [
        Some(document.identity),
        has_tokens.then_some(lexical),
        (has_tokens && document.sketch_size >= shingle_class_min.max(1)).then_some(document.sketch),
    ]
}

/// A key and a document that has it, sorted by both. 20 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct DocumentKey {
    /// One of [`keys`].
    pub key: u128,
    /// The document.
    pub doc: u32,
}

record! { DocumentKey { key, doc }, |keyed| (keyed.key >> 64) as u64 }
model::keyed! { DocumentKey: u128 = |document| document.key }

/// A document of a group of two or more, and the lowest document of the group; sorted by document.
/// 8 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Lowest {
    /// The document.
    pub doc: u32,
    /// The lowest document of its group.
    pub lowest: u32,
}

keyed! { Lowest: u32 = |member| member.doc }
record! { Lowest { doc, lowest }, |member| u64::from(member.doc) << 32 | u64::from(member.lowest) }

/// Finds groups in a sorted stream of [`DocumentKey`]. Takes constant memory, however large a
/// group.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct KeyGroups {
    group: Option<OpenGroup>,
    /// Number of groups of two or more.
    pub(super) groups: u64,
    /// Number of documents in these groups.
    pub(super) documents: u64,
}

/// The group whose records come by.
#[derive(Clone, Copy, Debug)]
struct OpenGroup {
    key: u128,
    /// Its lowest document, which comes first.
    lowest: u32,
    /// Members so far.
    members: u64,
}

impl KeyGroups {
    /// Takes the next record in order. Returns the members of a group that are known since then:
    /// none, one or two.
    pub(super) fn push(&mut self, next: DocumentKey) -> [Option<Lowest>; 2] {
        match &mut self.group {
            Some(group) if group.key == next.key => {
                let lowest = group.lowest;
                group.members += 1;
                self.documents += 1;
                // The first member is returned together with the second.
                let first = (group.members == 2).then_some(Lowest {
                    doc: lowest,
                    lowest,
                });
                if first.is_some() {
                    self.groups += 1;
                    self.documents += 1;
                }
                [
                    first,
                    Some(Lowest {
                        doc: next.doc,
                        lowest,
                    }),
                ]
            }
            _ => {
                self.group = Some(OpenGroup {
                    key: next.key,
                    lowest: next.doc,
                    members: 1,
                });
                [None, None]
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Record;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        #[test]
        fn groups_are_those_of_a_map(keys in proptest::collection::vec(0u128..10, 0..60)) {
            let mut records: Vec<DocumentKey> = keys.iter().zip(0..).map(|(&key, doc)| DocumentKey { key, doc }).collect();
            let mut map: BTreeMap<u128, Vec<u32>> = BTreeMap::new();
            for record in &records {
                map.entry(record.key).or_default().push(record.doc);
            }
            let mut expected: Vec<Lowest> = map.values().filter(|docs| docs.len() > 1)
                .flat_map(|docs| docs.iter().map(|&doc| Lowest { doc, lowest: docs[0] })).collect();
            expected.sort_unstable();
            records.sort_unstable();
            let mut groups = KeyGroups::default();
            let mut found: Vec<Lowest> = records.into_iter().flat_map(|r| groups.push(r)).flatten().collect();
            found.sort_unstable();
            prop_assert_eq!(groups.documents, found.len() as u64);
            prop_assert_eq!(groups.groups, map.values().filter(|docs| docs.len() > 1).count() as u64);
            prop_assert_eq!(found, expected);
        }

        #[test]
        fn records_read_back(key: u128, doc: u32, lowest: u32) {
            let mut bytes = [0; 20];
            DocumentKey { key, doc }.encode(&mut bytes);
            prop_assert_eq!(DocumentKey::decode(&bytes), DocumentKey { key, doc });
            Lowest { doc, lowest }.encode(&mut bytes[..8]);
            prop_assert_eq!(Lowest::decode(&bytes[..8]), Lowest { doc, lowest });
        }
    }

    #[test]
    fn documents_without_tokens_join_only_identical_ones() {
        let empty = SketchedFingerprints {
            identity: 1,
            lexical: 0,
            words: 0,
            sketch: 9,
            sketch_size: 0,
        };
        assert_eq!(keys(&empty, 16), [Some(1), None, None]);
        let short = SketchedFingerprints {
            words: 3,
            sketch_size: 15,
            ..empty
        };
        assert_eq!(keys(&short, 16), [Some(1), Some(3), None]);
        assert_eq!(
            keys(
                &SketchedFingerprints {
                    sketch_size: 16,
                    ..short
                },
                16
            )[2],
            Some(9)
        );
    }
}
