//! What is known of a document of a URL that was in the older of two snapshots.

use model::{Equality, Overlap, Words};

/// ⟨older document, what it is, the other document, candidates, shared, size of the older, of the
/// other, modulus, 1 if the other is a copy that appeared a snapshot before⟩.
pub(super) type Outcome = Words<9>;

/// The versions are in no class together; below it, the place of the narrowest one in
/// [`Equality::ALL`].
pub(super) const UNEQUAL: u32 = 3;
/// The URL is gone.
pub(super) const GONE: u32 = 4;
/// A gone one has others in a class with it among what is new: this, and the place of the class.
pub(super) const MOVED: u32 = 5;
/// A gone one has links with what is new.
pub(super) const MOVED_BY_LINK: u32 = MOVED + 3;

/// No document.
pub(super) const NONE: u32 = u32::MAX;

/// What shows nothing but equality.
pub(super) fn equal([doc, kind, other, candidates]: [u32; 4]) -> Outcome {
    Words([doc, kind, other, candidates, 0, 0, 0, 1, 0])
}

/// With counts.
pub(super) fn counted([doc, kind, other, candidates]: [u32; 4], overlap: Overlap) -> Outcome {
    let Overlap {
        shared,
        size_a,
        size_b,
        modulus,
    } = overlap;
    Words([
        doc, kind, other, candidates, shared, size_a, size_b, modulus, 0,
    ])
}

/// Two documents, the second for the first: versions of a URL, or a gone one and where it went.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Successor {
    pub(super) doc: u32,
    /// None if they are in no class together.
    pub(super) equality: Option<Equality>,
    pub(super) overlap: Overlap,
}

/// What became of a document.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Fate {
    /// The URL is there still.
    Stays(Successor),
    Gone,
    /// So many documents qualify; this is the best.
    Moved(Successor, u32),
}

/// From all that was found for one document, in order.
pub(super) fn fate(found: &[Outcome]) -> Option<Fate> {
    let first = found.first()?;
    let kind = first.0[1];
    if kind != GONE {
        return Some(Fate::Stays(Successor::of(first, kind)));
    }
    let Some(best) = found.get(1) else {
        return Some(Fate::Gone);
    };
    // Classes widen: what is in a narrow one is counted in the widest, too.
    let mut classes = found
        .iter()
        .filter(|outcome| (MOVED..MOVED_BY_LINK).contains(&outcome.0[1]));
    let mut links = found.iter().filter(|outcome| outcome.0[1] == MOVED_BY_LINK);
    let count = |outcome: Option<&Outcome>| outcome.map_or(0, |outcome| outcome.0[3]);
    let candidates = count(classes.next_back()).saturating_add(count(links.next_back()));
    Some(Fate::Moved(Successor::moved(best, best.0[1]), candidates))
}

impl Successor {
    fn of(outcome: &Outcome, class: u32) -> Successor {
        let Words([_, _, doc, _, shared, size_a, size_b, modulus, _]) = *outcome;
        let equality = Equality::ALL.get(class as usize).copied();
        Successor {
            doc,
            equality,
            overlap: Overlap {
                shared,
                size_a,
                size_b,
                modulus,
            },
        }
    }

    /// Where a gone one went.
    pub(super) fn moved(outcome: &Outcome, kind: u32) -> Successor {
        Successor::of(outcome, kind.saturating_sub(MOVED))
    }

    /// Resemblance, containment of the older in the newer, and of the newer in the older: each as
    /// value, low, high. Equal tokens are known to be equal, whatever was sampled of them.
    /// Containments are `None` if min-hashes were compared.
    pub(super) fn figures(&self) -> [Option<[f64; 3]>; 3] {
        if matches!(self.equality, Some(Equality::Identical | Equality::Lexical)) {
            return [Some([1.0; 3]); 3];
        }
        let overlap = self.overlap;
        [
            Some(overlap.resemblance()),
            overlap.containment_a_in_b(),
            overlap.containment_b_in_a(),
        ]
        .map(|estimate| estimate.map(|estimate| estimate.with_ends()))
    }
}
