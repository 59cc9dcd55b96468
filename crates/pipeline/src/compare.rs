//! `pipeline compare`: resemblance and containment of two documents, exact and estimated.
//!
//! A name is a file, or, with a run, the doc_id or URL of one of its documents ([`named`]). All shingles of both are held:
//! 8 bytes a token.

use crate::config::Config;
use crate::named::Corpus;
use crate::{Error, named, tokens};
use model::{Content, Overlap, Sampling};
use query::ShingledDocument;
use serde::Serialize;
use sketch::{SketchParams, Sketcher};
use std::fmt;

/// What to compare.
#[derive(Clone, Debug)]
pub struct CompareRequest {
    /// File, doc_id or URL.
    pub a: String,
    /// File, doc_id or URL.
    pub b: String,
    /// The run whose documents and common shingles count; without it only files can be compared and no shingle is left
    /// out.
    pub config: Option<Config>,
}

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

/// The counts and the ratios that follow from them.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Figures {
    /// Shingles in both.
    pub shared: u32,
    /// Shingles of a.
    pub size_a: u32,
    /// Shingles of b.
    pub size_b: u32,
    /// One in so many shingles was looked at.
    pub modulus: u32,
    /// |A ∩ B| / |A ∪ B|.
    pub resemblance: Figure,
    /// |A ∩ B| / |A|.
    pub containment_a_in_b: Figure,
    /// |A ∩ B| / |B|.
    pub containment_b_in_a: Figure,
}

/// How two documents compare.
#[derive(Clone, Debug, Serialize)]
pub struct Comparison {
    /// The first name.
    pub a: String,
    /// The second name.
    pub b: String,
    /// From all shingles.
    pub exact: Figures,
    /// From the sketches.
    pub estimated: Figures,
    /// Common shingles of the run that were left out; `null` if there was no run to ask.
    pub common_shingles_left_out: Option<usize>,
}

impl Figure {
    pub(crate) fn of(estimate: &model::Estimate) -> Figure {
        Figure { value: estimate.ratio.to_f64(), low: estimate.interval.low, high: estimate.interval.high }
    }
}

impl Figures {
    pub(crate) fn of(overlap: &Overlap) -> Figures {
        let figure = |estimate: model::Estimate| Figure::of(&estimate);
        let Overlap { shared, size_a, size_b, modulus } = *overlap;
        Figures {
            shared,
            size_a,
            size_b,
            modulus,
            resemblance: figure(overlap.resemblance()),
            containment_a_in_b: figure(overlap.containment_a_in_b()),
            containment_b_in_a: figure(overlap.containment_b_in_a()),
        }
    }
}

/// Compares two documents.
///
/// # Errors
/// When one cannot be found or read.
pub fn compare(request: &CompareRequest) -> Result<Comparison, Error> {
    let standard = tokens::default_config()?;
    let config = request.config.as_ref().unwrap_or(&standard);
    let corpus = match &request.config {
        Some(config) => Corpus::open_if_any(config)?,
        None => None,
    };
    let params = config.sketch.params();
    let shingled = |name: &str| -> Result<ShingledDocument, Error> {
        Ok(shingled(&params, named::page(config, corpus.as_ref(), name)?.content()))
    };
    let (a, b) = (shingled(&request.a)?, shingled(&request.b)?);
    let common = match &corpus {
        Some(corpus) => Some(corpus.common(&a.all, &b.all)?),
        None => None,
    };
    let left_out: Vec<u64> = common.iter().flatten().map(|(shingle, _)| *shingle).collect();
    let compared = query::compare(&a, &b, config.sketch.sampling, &left_out);
    Ok(Comparison {
        a: request.a.clone(),
        b: request.b.clone(),
        exact: Figures::of(&compared.exact),
        estimated: Figures::of(&compared.estimated),
        common_shingles_left_out: common.map(|common| common.len()),
    })
}

/// All shingles of a document, and its sketch.
pub(crate) fn shingled(params: &SketchParams, content: Content<'_>) -> ShingledDocument {
    let everything = SketchParams { sampling: Sampling::Modulus { modulus: 1 }, ..params.clone() };
    let all = Sketcher::new(&everything).sketch(content).fingerprints.to_vec();
    let mut sketcher = Sketcher::new(params);
    let sketched = sketcher.sketch(content);
    let (sketch, level) = (sketched.fingerprints.to_vec(), usize::from(sketched.level));
    ShingledDocument { all, sketch, level }
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let show = |name: &str| name.escape_debug().to_string();
        writeln!(f, "A {}\nB {}", show(&self.a), show(&self.b))?;
        writeln!(f, "{:<22} {:>8}  {:>8}  95 % interval", "", "exact", "estimate")?;
        let rows = [
            ("resemblance", self.exact.resemblance, self.estimated.resemblance),
            ("containment of A in B", self.exact.containment_a_in_b, self.estimated.containment_a_in_b),
            ("containment of B in A", self.exact.containment_b_in_a, self.estimated.containment_b_in_a),
        ];
        for (name, exact, estimate) in rows {
            let (value, low, high) = (estimate.value, estimate.low, estimate.high);
            writeln!(f, "{name:<22} {:>8.4}  {value:>8.4}  {low:.4} to {high:.4}", exact.value)?;
        }
        let counts = |figures: &Figures| {
            format!(
                "{} shared of {} and {} (modulus {})",
                figures.shared, figures.size_a, figures.size_b, figures.modulus
            )
        };
        writeln!(f, "shingles: {}; sampled: {}", counts(&self.exact), counts(&self.estimated))?;
        match self.common_shingles_left_out {
            Some(n) => writeln!(f, "{n} common shingles of the run were left out"),
            None => writeln!(f, "no common shingle was left out: there is no run to ask"),
        }
    }
}
