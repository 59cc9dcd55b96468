//! Figures of two documents: shared shingles, resemblance and containment, with intervals.
//!
//! `compare`, `explain`, `query like` and `serve` all report these. Of two documents there is one
//! figure, the resemblance of the text that counts by all shingles; `compare` prints the estimate
//! beside it.

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
    /// The text of the documents that counts.
    pub text: ComparedText,
    /// From all shingles.
    pub exact: Figures,
    /// From the sketches.
    pub estimated: Figures,
}

/// Which text of two documents is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ComparedText {
    /// Of a page its main part.
    Main,
    /// All of it.
    All,
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
    /// The figures of two texts.
    pub fn of_texts(overlap: &Overlap, a: &str, b: &str) -> Figures {
        if overlap.shared == 0 && a == b {
            Figures::of_equal(overlap)
        } else {
            Figures::of(overlap)
        }
    }

    /// The figures of documents that are known to be equal: a text is like itself also if it has no
    /// shingle.
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

    /// The ratios by name.
    pub fn rows(&self) -> [(&'static str, Option<Figure>); 3] {
        [
            ("resemblance", Some(self.resemblance)),
            ("containment of A in B", self.containment_a_in_b),
            ("containment of B in A", self.containment_b_in_a),
        ]
    }

    /// The counts in words.
    pub(crate) fn counts(&self) -> String {
        let (Some(size_a), Some(size_b)) = (self.size_a, self.size_b) else {
            return format!("{} of {} min-hashes are equal", self.shared, self.union);
        };
        let sample = match self.modulus {
            Some(modulus) => format!("modulus {modulus}"),
            None => "the smallest of both".to_owned(),
        };
        format!("{} shared of {size_a} and {size_b} ({sample})", self.shared)
    }
}

impl PairFigures {
    /// The figure of the two, and of which text it is.
    pub fn headline(&self) -> String {
        let exact = &self.exact;
        let text = match self.text {
            ComparedText::Main => "main text",
            ComparedText::All => "text",
        };
        let shorter = exact.size_a.min(exact.size_b).unwrap_or(0);
        let resemblance = exact.resemblance.value;
        if shorter > 0 {
            let share = f64::from(exact.shared) / f64::from(shorter);
            format!(
                "resemblance of the {text} {resemblance:.4}; {share:.4} of the shorter one is in \
                 the other"
            )
        } else if resemblance >= 1.0 {
            "the texts are equal".to_owned()
        } else {
            format!("the {text} is too short to be compared")
        }
    }

    /// Writes the ratios as a table.
    pub(crate) fn write_table(&self, out: &mut dyn Write) -> fmt::Result {
        let (exact, estimated) = (&self.exact, &self.estimated);
        let (head, estimate) = ("exact", "estimate");
        writeln!(out, "{:<22} {head:>8}  {estimate:>8}  95 % interval", "")?;
        for ((name, exact), (_, estimate)) in exact.rows().into_iter().zip(estimated.rows()) {
            let exact = exact.map_or(String::new(), |exact| format!("{:.4}", exact.value));
            write!(out, "{name:<22} {exact:>8}  ")?;
            match estimate {
                Some(Figure { value, low, high }) => {
                    writeln!(out, "{value:>8.4}  {low:.4} to {high:.4}")?;
                }
                None => writeln!(out, "{:>8}  min-hashes estimate no containment", "-")?,
            }
        }
        Ok(())
    }
}
