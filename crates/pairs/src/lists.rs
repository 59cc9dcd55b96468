//! Lists of documents as words: ⟨length, documents⟩, one after the other; a list that stands for several equal ones has
//! [`REPEATED`] in its length, and how many behind its documents.

/// Set in the length of a list that came more than once.
const REPEATED: u32 = 1 << 31;

/// A list of documents in order, and how often it came.
pub type List<'a> = (&'a [u32], u32);

/// Appends a list as the words that [`Lists`] reads.
#[inline]
pub fn put_list(words: &mut Vec<u32>, (docs, count): List<'_>) {
    words.reserve(docs.len() + 2);
    words.push(docs.len() as u32 | if count > 1 { REPEATED } else { 0 });
    put_docs(words, docs);
    if count > 1 {
        words.push(count);
    }
}

/// Appends documents. A call that copies is dear for the few that most lists have.
#[inline]
pub(crate) fn put_docs(words: &mut Vec<u32>, docs: &[u32]) {
    if docs.len() <= 8 {
        words.extend(docs);
    } else {
        words.extend_from_slice(docs);
    }
}

/// How many words a list has whose first word is this.
#[inline]
pub fn words_of(first: u32) -> usize {
    1 + (first & !REPEATED) as usize + (first >> 31) as usize
}

/// Reads lists one after the other from words; what is left may be the beginning of one.
#[derive(Clone, Copy, Debug)]
pub struct Lists<'a>(pub &'a [u32]);

impl<'a> Iterator for Lists<'a> {
    type Item = List<'a>;
    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let first = *self.0.first()?;
        let (list, rest) = self.0.split_at_checked(words_of(first))?;
        self.0 = rest;
        let count = if first & REPEATED == 0 { 1 } else { list[list.len() - 1] };
        Some((&list[1..1 + (first & !REPEATED) as usize], count))
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
            lists in proptest::collection::vec((proptest::collection::vec(any::<u32>(), 0..6), 1u32..4), 0..20),
            cut in 1usize..4,
        ) {
            let (mut words, mut before) = (Vec::new(), 0);
            for (docs, count) in &lists {
                before = words.len();
                put_list(&mut words, (docs, *count));
            }
            let read: Vec<_> = Lists(&words).map(|(docs, count)| (docs.to_vec(), count)).collect();
            prop_assert_eq!(&read, &lists);
            let last = words.len() - before;
            if last > cut {
                prop_assert_eq!(words_of(words[before]), last);
                let mut cut_off = Lists(&words[..words.len() - cut]);
                prop_assert_eq!(cut_off.by_ref().count(), lists.len() - 1);
                prop_assert_eq!(cut_off.0.len(), last - cut);
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
