//! Lists of documents as words: ⟨length, documents⟩, one after the other.

/// Appends a list as the words that [`Lists`] reads.
#[inline]
pub fn put_list(words: &mut Vec<u32>, docs: &[u32]) {
    words.reserve(docs.len() + 1);
    words.push(docs.len() as u32);
    // A call that copies is dear for the few documents that most lists have.
    if docs.len() <= 8 { words.extend(docs) } else { words.extend_from_slice(docs) }
}

/// Reads lists one after the other from words; what is left may be the beginning of one.
#[derive(Clone, Copy, Debug)]
pub struct Lists<'a>(pub &'a [u32]);

impl<'a> Iterator for Lists<'a> {
    type Item = &'a [u32];
    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let (&length, rest) = self.0.split_first()?;
        let (docs, rest) = rest.split_at_checked(length as usize)?;
        self.0 = rest;
        Some(docs)
    }
}

/// Makes the pairs of a list.
///
/// # Errors
/// Those of `emit`.
#[inline]
pub fn pairs_of<E>(docs: &[u32], mut emit: impl FnMut(u32, u32) -> Result<(), E>) -> Result<(), E> {
    for (i, &a) in docs.iter().enumerate() {
        for &b in &docs[i + 1..] {
            emit(a, b)?;
        }
    }
    Ok(())
}

/// What of a list concerns pairs whose lower document is in a range: from its first document there on, and how many of
/// these documents are the lower one of a pair. `None` if none is.
#[inline]
pub fn of_range(docs: &[u32], range: std::ops::Range<u32>) -> Option<(&[u32], usize)> {
    // Most lists are short; of a long one the ends are found by halving.
    let below = |limit: u32, docs: &[u32]| {
        if docs.len() < 16 {
            docs.iter().take_while(|&&doc| doc < limit).count()
        } else {
            docs.partition_point(|&doc| doc < limit)
        }
    };
    let docs = &docs[below(range.start, docs)..];
    let lower = below(range.end, docs).min(docs.len().saturating_sub(1));
    (lower > 0).then_some((docs, lower))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn lists_read_back_and_a_beginning_is_left(
            lists in proptest::collection::vec(proptest::collection::vec(any::<u32>(), 0..6), 0..20),
            cut in 1usize..4,
        ) {
            let mut words = Vec::new();
            lists.iter().for_each(|docs| put_list(&mut words, docs));
            let read: Vec<_> = Lists(&words).map(<[u32]>::to_vec).collect();
            prop_assert_eq!(&read, &lists);
            if lists.last().is_some_and(|last| last.len() >= cut) {
                let mut cut_off = Lists(&words[..words.len() - cut]);
                prop_assert_eq!(cut_off.by_ref().count(), lists.len() - 1);
                prop_assert_eq!(cut_off.0.len(), lists[lists.len() - 1].len() + 1 - cut);
            }
        }

        #[test]
        fn ranges_share_out_the_pairs_of_a_list(
            docs in proptest::collection::btree_set(0u32..60, 0..40), mut cuts in proptest::collection::vec(0u32..60, 0..6),
        ) {
            let docs: Vec<u32> = docs.into_iter().collect();
            let mut all = Vec::new();
            pairs_of(&docs, |a, b| { all.push((a, b)); Ok::<_, ()>(()) }).unwrap();
            cuts.extend([0, 60]);
            cuts.sort_unstable();
            let mut shared_out = Vec::new();
            for range in cuts.windows(2) {
                let Some((docs, lower)) = of_range(&docs, range[0]..range[1]) else { continue };
                prop_assert!(lower < docs.len(), "the last document is the lower one of no pair");
                for (at, &a) in docs[..lower].iter().enumerate() {
                    shared_out.extend(docs[at + 1..].iter().map(|&b| (a, b)));
                }
            }
            prop_assert_eq!(shared_out, all);
        }
    }
}
