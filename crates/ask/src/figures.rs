//! Figures of two documents: shared shingles, resemblance and containment, with intervals.
//!
//! `compare`, `explain` and `query like` all report these; `compare` and `explain` print them in
//! one table.

use model::{Estimate, Overlap};
use serde::Serialize;
use std::fmt::{self, Write};

/// A ratio with its interval.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Figure {
    /// The ratio.
    pub value: f64,
    /// Lower end of its 95 % interval.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

/// The counts of two documents, a and b, and the ratios that follow from them.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Figures {
    /// Shingles in both.
    pub shared: u32,
    /// Shingles of a; `null` if `shared` counts equal min-hashes.
    pub size_a: Option<u32>,
    /// Shingles of b; `null` as for `size_a`.
    pub size_b: Option<u32>,
    /// Shingles of both together, or min-hashes of each.
    pub union: u32,
    /// One shingle in this many was sampled; 1 if all were counted; `null` if the counts are of
    /// min-hashes, or of the smallest shingles of both.
    pub modulus: Option<u32>,
    /// |A ∩ B| / |A ∪ B|.
    pub resemblance: Figure,
    /// |A ∩ B| / |A|; `null` if `shared` counts equal min-hashes, unless the documents are known to
    /// be equal.
    pub containment_a_in_b: Option<Figure>,
    /// |A ∩ B| / |B|; `null` as for `containment_a_in_b`.
    pub containment_b_in_a: Option<Figure>,
}

/// Exact and estimated figures of two documents.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct PairFigures {
    /// From all shingles.
    pub exact: Figures,
    /// From the sketches.
    pub estimated: Figures,
    /// Number of common shingles of the run that were left out; `null` without a run.
    pub common_shingles_left_out: Option<usize>,
}

impl Figure {
    fn of(estimate: Estimate) -> Figure {
        Figure {
            value: estimate.ratio.to_f64(),
            low: estimate.interval.low,
            high: estimate.interval.high,
        }
    }
}

/// The figure of equal documents. It is exact, whatever was sampled.
const WHOLE: Figure = Figure {
    value: 1.0,
    low: 1.0,
    high: 1.0,
};

impl Figures {
    /// Those of two texts. A text is like itself also if no shingle of it counts.
    pub fn of_texts(overlap: &Overlap, a: &str, b: &str) -> Figures {
        if overlap.shared == 0 && a == b {
            Figures::of_equal(overlap)
        } else {
            Figures::of(overlap)
        }
    }

    /// Those of documents that are known to be equal.
    pub(crate) fn of_equal(overlap: &Overlap) -> Figures {
        Figures {
            resemblance: WHOLE,
            containment_a_in_b: Some(WHOLE),
            containment_b_in_a: Some(WHOLE),
            ..Figures::of(overlap)
        }
    }

    /// The ratios of an overlap, with their intervals.
    pub fn of(overlap: &Overlap) -> Figures {
        let sizes = overlap.sizes();
        let resemblance = overlap.resemblance();
        Figures {
            shared: overlap.shared,
            size_a: sizes.map(|[size, _]| size),
            size_b: sizes.map(|[_, size]| size),
            union: u32::try_from(resemblance.ratio.denominator).unwrap_or(u32::MAX),
            modulus: (overlap.modulus < Overlap::SMALLEST).then_some(overlap.modulus),
            resemblance: Figure::of(resemblance),
            containment_a_in_b: overlap.containment_a_in_b().map(Figure::of),
            containment_b_in_a: overlap.containment_b_in_a().map(Figure::of),
        }
    }

    /// The counts in words.
    pub(crate) fn counts(&self) -> String {
        let Figures {
            shared,
            size_a: Some(size_a),
            size_b: Some(size_b),
            modulus,
            ..
        } = self
        else {
            return format!("{} of {} min-hashes are equal", self.shared, self.union);
        };
        let sample = match modulus {
            Some(modulus) => format!("modulus {modulus}"),
            None => "the smallest of both".to_owned(),
        };
        format!("{shared} shared of {size_a} and {size_b} ({sample})")
    }
}

impl PairFigures {
    /// Writes the ratios as a table. Notes follow if common shingles were left out and a document
    /// has no others.
    pub(crate) fn write_table(&self, out: &mut dyn Write) -> fmt::Result {
        let (exact, estimated) = (&self.exact, &self.estimated);
        writeln!(
            out,
            "{:<22} {:>8}  {:>8}  95 % interval",
            "", "exact", "estimate"
        )?;
        let rows = [
            (
                "resemblance",
                Some(exact.resemblance),
                Some(estimated.resemblance),
            ),
            (
                "containment of A in B",
                exact.containment_a_in_b,
                estimated.containment_a_in_b,
            ),
            (
                "containment of B in A",
                exact.containment_b_in_a,
                estimated.containment_b_in_a,
            ),
        ];
        for (name, exact, estimate) in rows {
            let exact = exact.map_or(String::new(), |exact| format!("{:.4}", exact.value));
            write!(out, "{name:<22} {exact:>8}  ")?;
            match estimate {
                Some(Figure { value, low, high }) => {
                    writeln!(out, "{value:>8.4}  {low:.4} to {high:.4}")?;
                }
                None => writeln!(out, "{:>8}  min-hashes estimate no containment", "-")?,
            }
        }
        if self.common_shingles_left_out.is_none_or(|count| count == 0) {
            return Ok(());
        }
        write_if_empty(out, "A", exact.size_a, estimated.size_a)?;
        write_if_empty(out, "B", exact.size_b, estimated.size_b)
    }
}

/// Says so if no shingle of a document is left to compare.
fn write_if_empty(
    out: &mut dyn Write,
    name: &str,
    all: Option<u32>,
    sampled: Option<u32>,
) -> fmt::Result {
    match (all, sampled) {
        (Some(0), _) => writeln!(
            out,
            "{name} has only common shingles: there is nothing to compare"
        ),
        (_, Some(0)) => writeln!(
            out,
            "{name} has only common shingles in its sketch: there is no estimate"
        ),
        _ => Ok(()),
    }
}
