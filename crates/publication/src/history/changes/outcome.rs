//! The facts that are known of a document of a URL that was in the older of two snapshots.

use model::{Equality, Overlap, record, word_record};

/// Something found of a document, or of where it went. Of one document the first in order counts
/// most.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Outcome {
    pub(super) doc: u32,
    /// A place in [`Equality::ALL`], [`UNEQUAL`], [`GONE`], [`MOVED`] and more, [`MOVED_BY_LINK`].
    pub(super) kind: u32,
    /// The other document; [`NONE`] if it is gone.
    pub(super) other: u32,
    /// How many documents qualify as the other one.
    pub(super) candidates: u32,
    /// The overlap of the two.
    pub(super) overlap: Overlap,
    /// Whether the other one is a copy that appeared a snapshot before.
    pub(super) is_copy: bool,
}

record! { Outcome { doc, kind, other, candidates, overlap, is_copy } }
word_record! { Outcome { doc, kind, other, candidates, overlap, is_copy } }
model::keyed! { Outcome: u32 = |outcome| outcome.doc }

/// The versions are in no class together; below it, the place of the narrowest one in
/// [`Equality::ALL`].
pub(super) const UNEQUAL: u32 = 3;
pub(super) const GONE: u32 = 4;
/// A gone one has others in a class with it among what is new: this, and the place of the class.
pub(super) const MOVED: u32 = 5;
/// A gone one has links with what is new.
pub(super) const MOVED_BY_LINK: u32 = MOVED + 3;

/// No document.
pub(super) const NONE: u32 = u32::MAX;

/// Nothing is shared that was counted.
pub(super) const UNCOUNTED: Overlap = Overlap {
    shared: 0,
    size_a: 0,
    size_b: 0,
    modulus: 1,
};

impl Outcome {
    /// The newer version of a URL.
    pub(super) fn version(doc: u32, kind: u32, newer: u32, overlap: Overlap) -> Outcome {
        Outcome {
            doc,
            kind,
            other: newer,
            candidates: 1,
            overlap,
            is_copy: false,
        }
    }

    /// A URL that is gone.
    pub(super) fn gone(doc: u32) -> Outcome {
        Outcome {
            candidates: 0,
            ..Outcome::version(doc, GONE, NONE, UNCOUNTED)
        }
    }

    fn is_moved_by_class(&self) -> bool {
        (MOVED..MOVED_BY_LINK).contains(&self.kind)
    }
}

/// Two documents, the second for the first: versions of a URL, or a gone one and where it went.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct SuccessorPair {
    pub(super) doc: u32,
    /// None if they are in no class together.
    pub(super) equality: Option<Equality>,
    pub(super) overlap: Overlap,
}

/// The fate of a document.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Fate {
    /// The URL is there still.
    Stays(SuccessorPair),
    Gone,
    /// The best outcome of those that qualify, with the number of all candidates.
    Moved(Outcome),
}

/// From all that was found for one document, in order.
pub(super) fn fate(found: &[Outcome]) -> Option<Fate> {
    let first = found.first()?;
    if first.kind != GONE {
        return Some(Fate::Stays(SuccessorPair::of(first)));
    }
    let Some(best) = found.get(1) else {
        return Some(Fate::Gone);
    };
    // Classes widen: what is in a narrow one is counted in the widest, too.
    let mut classes = found.iter().filter(|outcome| outcome.is_moved_by_class());
    let mut links = found.iter().filter(|outcome| outcome.kind == MOVED_BY_LINK);
    let count = |outcome: Option<&Outcome>| outcome.map_or(0, |outcome| outcome.candidates);
    let candidates = count(classes.next_back()).saturating_add(count(links.next_back()));
    Some(Fate::Moved(Outcome {
        candidates,
        ..*best
    }))
}

impl SuccessorPair {
    /// The other document of an outcome.
    pub(super) fn of(outcome: &Outcome) -> SuccessorPair {
        let class = match outcome.kind {
            kind @ MOVED.. => kind - MOVED,
            kind => kind,
        };
        SuccessorPair {
            doc: outcome.other,
            equality: Equality::ALL.get(class as usize).copied(),
            overlap: outcome.overlap,
        }
    }

    /// The overlap by which versions are counted: equal ones share all.
    pub(super) fn counted(&self) -> Overlap {
        let whole = Overlap {
            shared: 1,
            size_a: 1,
            size_b: 1,
            modulus: 1,
        };
        self.equality.map_or(self.overlap, |_| whole)
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
