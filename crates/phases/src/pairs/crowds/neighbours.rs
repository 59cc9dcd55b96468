//! The pairs that are compared: each document of a group with the first and the previous one.

use format::FormatError;
use model::{Posting, Words};
use sort::{Distinct, Keep, Sorted, Sorter};

/// A group as far as it was read: the documents of one key, in order.
#[derive(Clone, Copy)]
struct Group {
    key: u64,
    first: u32,
    previous: u32,
}

/// Sorts the pairs of neighbours in the groups of equal keys, those of documents from `first` on
/// with the ones before them.
pub(super) fn pairs(
    keys: Sorter<Posting, Keep>,
    mut pairs: Sorter<Words<2>, Distinct>,
    first: u32,
) -> Result<Sorted<Words<2>, Distinct>, FormatError> {
    let mut keys = keys.finish()?;
    let mut group: Option<Group> = None;
    while let Some(postings) = keys.next_slice()? {
        for &Posting { shingle: key, doc } in postings {
            let Some(same) = group.as_mut().filter(|group| group.key == key) else {
                group = Some(Group {
                    key,
                    first: doc,
                    previous: doc,
                });
                continue;
            };
            for other in [same.first, same.previous] {
                // Two bands of a document may have the same key.
                if other != doc && doc >= first {
                    pairs.push(Words([other, doc]))?;
                }
            }
            same.previous = doc;
        }
    }
    drop(keys);
    pairs.finish()
}
