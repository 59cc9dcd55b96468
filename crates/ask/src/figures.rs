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
    /// Shingles of a.
    pub size_a: u32,
    /// Shingles of b.
    pub size_b: u32,
    /// One shingle in this many was sampled; 1 if all were counted.
    pub modulus: u32,
    /// |A ∩ B| / |A ∪ B|.
    pub resemblance: Figure,
    /// |A ∩ B| / |A|.
    pub containment_a_in_b: Figure,
    /// |A ∩ B| / |B|.
    pub containment_b_in_a: Figure,
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

impl Figures {
    /// The ratios of an overlap, with their intervals.
    pub fn of(overlap: &Overlap) -> Figures {
        Figures {
            shared: overlap.shared,
            size_a: overlap.size_a,
            size_b: overlap.size_b,
            modulus: overlap.modulus,
            resemblance: Figure::of(overlap.resemblance()),
            containment_a_in_b: Figure::of(overlap.containment_a_in_b()),
            containment_b_in_a: Figure::of(overlap.containment_b_in_a()),
        }
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
            ("resemblance", exact.resemblance, estimated.resemblance),
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
            let (value, low, high) = (estimate.value, estimate.low, estimate.high);
            writeln!(
                out,
                "{name:<22} {:>8.4}  {value:>8.4}  {low:.4} to {high:.4}",
                exact.value
            )?;
        }
        if self.common_shingles_left_out.is_none_or(|count| count == 0) {
            return Ok(());
        }
        write_if_empty(out, "A", exact.size_a, estimated.size_a)?;
        write_if_empty(out, "B", exact.size_b, estimated.size_b)
    }
}

/// Says so if no shingle of a document is left to compare.
fn write_if_empty(out: &mut dyn Write, name: &str, all: u32, sampled: u32) -> fmt::Result {
    match (all, sampled) {
        (0, _) => writeln!(
            out,
            "{name} has only common shingles: there is nothing to compare"
        ),
        (_, 0) => writeln!(
            out,
            "{name} has only common shingles in its sketch: there is no estimate"
        ),
        _ => Ok(()),
    }
}
