//! Old document numbers to new ones, after snapshots were added or dropped.
//!
//! *Input.* Two lists of snapshots with their documents, each in ascending order of numbers.
//! *Output.* The number of a document of the first list in the second; `None` if its snapshot is
//! not there. *Algorithm.* The documents of a snapshot stay together and in order, so one addition
//! for each snapshot translates them. The order of the remaining documents never changes, so a file
//! that is sorted by document stays sorted.

/// A snapshot and its documents, as a file knew them that counts documents over all snapshots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SnapshotDocuments {
    /// Number of the snapshot.
    pub number: u32,
    /// Its documents.
    pub documents: u32,
}

/// Documents of one snapshot that stay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct StayingDocuments {
    /// The first of them, and one past the last, before.
    from: u32,
    to: u32,
    /// The first of them now.
    now: u32,
}

/// A monotone map of document numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Renumbering {
    pieces: Vec<StayingDocuments>,
    identity: bool,
}

impl Renumbering {
    /// From the numbers in one list to those in another.
    pub fn between(before: &[SnapshotDocuments], now: &[SnapshotDocuments]) -> Renumbering {
        let firsts = |list: &[SnapshotDocuments]| {
            list.iter()
                .scan(0_u32, |first, snapshot| {
                    let own = *first;
                    *first = first.saturating_add(snapshot.documents);
                    Some((snapshot.number, own))
                })
                .collect::<Vec<_>>()
        };
        let firsts_now = firsts(now);
        let mut pieces: Vec<StayingDocuments> = Vec::new();
        let with_documents =
            |(snapshot, _): &(&SnapshotDocuments, (u32, u32))| snapshot.documents > 0;
        for (snapshot, (number, from)) in before.iter().zip(firsts(before)).filter(with_documents) {
            let Some(&(_, now)) = firsts_now.iter().find(|(other, _)| *other == number) else {
                continue;
            };
            let to = from.saturating_add(snapshot.documents);
            match pieces.last_mut() {
                Some(last)
                    if last.to == from && now.checked_sub(last.now) == Some(from - last.from) =>
                {
                    last.to = to;
                }
                _ => pieces.push(StayingDocuments { from, to, now }),
            }
        }
        let all = before
            .iter()
            .map(|snapshot| snapshot.documents)
            .fold(0, u32::saturating_add);
        let identity = all == 0
            || pieces
                == [StayingDocuments {
                    from: 0,
                    to: all,
                    now: 0,
                }];
        Renumbering { pieces, identity }
    }

    /// Whether every document of the first list keeps its number.
    pub fn is_identity(&self) -> bool {
        self.identity
    }

    /// The number a document has now.
    #[inline]
    pub fn get(&self, doc: u32) -> Option<u32> {
        let at = self
            .pieces
            .partition_point(|piece| piece.from <= doc)
            .checked_sub(1)?;
        let piece = self.pieces[at];
        (doc < piece.to).then(|| piece.now + (doc - piece.from))
    }

    /// The first document whose number now is at least this one, and whether it is this one; none
    /// if all are below.
    pub fn first_at_least(&self, now: u32) -> Option<(u32, bool)> {
        let at = self
            .pieces
            .partition_point(|piece| piece.now + (piece.to - piece.from) <= now);
        let piece = self.pieces.get(at)?;
        Some((piece.from + now.saturating_sub(piece.now), now >= piece.now))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn list(numbers: &[(u32, u32)]) -> Vec<SnapshotDocuments> {
        numbers
            .iter()
            .map(|&(number, documents)| SnapshotDocuments { number, documents })
            .collect()
    }

    #[test]
    fn documents_of_a_dropped_snapshot_have_no_number_and_the_others_close_up() {
        let by = Renumbering::between(
            &list(&[(1, 3), (2, 2), (4, 2)]),
            &list(&[(1, 3), (4, 2), (5, 9)]),
        );
        let found: Vec<Option<u32>> = (0..8).map(|doc| by.get(doc)).collect();
        assert_eq!(
            found,
            [
                Some(0),
                Some(1),
                Some(2),
                None,
                None,
                Some(3),
                Some(4),
                None
            ]
        );
        assert!(!by.is_identity());
        assert!(Renumbering::between(&list(&[(1, 3)]), &list(&[(1, 3), (5, 9)])).is_identity());
        assert!(!Renumbering::between(&list(&[(1, 3)]), &[]).is_identity());
    }

    proptest! {
        #[test]
        fn every_document_keeps_its_snapshot_and_place(
            sizes in proptest::collection::vec((0u32..5, any::<bool>(), any::<bool>()), 0..8),
        ) {
            let pick = |wanted: &dyn Fn(&(u32, bool, bool)) -> bool| -> Vec<SnapshotDocuments> {
                let numbered = sizes.iter().enumerate().filter(|(_, size)| wanted(size));
                numbered.map(|(at, size)| SnapshotDocuments { number: at as u32, documents: size.0 }).collect()
            };
            let (before, now) = (pick(&|size| size.1), pick(&|size| size.2));
            let names = |list: &[SnapshotDocuments]| -> Vec<(u32, u32)> {
                list.iter().flat_map(|one| (0..one.documents).map(|place| (one.number, place))).collect()
            };
            let (named, named_now) = (names(&before), names(&now));
            let by = Renumbering::between(&before, &now);
            let mut same = true;
            for (doc, name) in named.iter().enumerate() {
                let expected = named_now.iter().position(|other| other == name).map(|at| at as u32);
                prop_assert_eq!(by.get(doc as u32), expected);
                same &= expected == Some(doc as u32);
            }
            prop_assert_eq!(by.get(named.len() as u32), None);
            for now in 0..named_now.len() as u32 + 2 {
                let first = (0..named.len() as u32).find(|doc| by.get(*doc).is_some_and(|found| found >= now));
                prop_assert_eq!(by.first_at_least(now), first.map(|doc| (doc, by.get(doc) == Some(now))));
            }
            prop_assert_eq!(by.is_identity(), same);
        }
    }
}
