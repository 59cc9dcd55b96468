//! `pipeline compare`: resemblance and containment of two documents, exact and estimated.
//!
//! *Input.* Two names: each a file, or, with a run, the doc_id or URL of one of its documents
//! ([`named`]). *Output.* [`Comparison`]. *Algorithm.* [`query::compare`], of all shingles and of
//! the sketches. *Memory.* The texts, and 32 bytes a token, reserved in `work.memory`. *Disk.*
//! Read-only. *Limits.* None but memory.

use crate::named::{Corpus, Page};
use crate::{named, tokens};
use config::Config;
use model::{Content, Overlap, Sampling};
use query::ShingledDocument;
use runtime::Error;
use serde::Serialize;
use sketch::{SketchParams, Sketcher};
use sort::{BudgetError, MemoryBudget, Reservation};
use std::ffi::{OsStr, OsString};
use std::fmt::{self, Write};

/// What to compare.
#[derive(Clone, Debug)]
pub struct CompareRequest {
    /// File, doc_id or URL.
    pub a: OsString,
    /// File, doc_id or URL.
    pub b: OsString,
    /// The run whose documents and common shingles count; without it only files can be compared and
    /// no shingle is left out.
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
    pub fn of(estimate: &model::Estimate) -> Figure {
        Figure {
            value: estimate.ratio.to_f64(),
            low: estimate.interval.low,
            high: estimate.interval.high,
        }
    }
}

impl Figures {
    pub fn of(overlap: &Overlap) -> Figures {
        let figure = |estimate: model::Estimate| Figure::of(&estimate);
        let Overlap {
            shared,
            size_a,
            size_b,
            modulus,
        } = *overlap;
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

/// Two documents side by side.
pub struct Compared {
    pub figures: query::Compared,
    /// Common shingles of the run in either, with the representatives that have them, ascending;
    /// none without a run.
    pub common: Option<Vec<(u64, u32)>>,
}

/// Two documents and what is needed to compare them.
pub(crate) struct Sides<'a> {
    pub config: &'a Config,
    pub corpus: Option<Corpus<'a>>,
    pub params: SketchParams,
    pub pages: [Page; 2],
    budget: MemoryBudget,
}

impl<'a> Sides<'a> {
    /// Reads both. `run` has the configuration if one was named, `config` the one that counts.
    pub fn read(
        config: &'a Config,
        run: Option<&'a Config>,
        names: [&OsStr; 2],
    ) -> Result<Sides<'a>, Error> {
        let corpus = run.map(Corpus::open_if_any).transpose()?.flatten();
        let budget =
            MemoryBudget::new(usize::try_from(config.work.memory_bytes).unwrap_or(usize::MAX));
        let [a, b] = names.map(|name| named::page(config, corpus.as_ref(), name));
        let pages = [a?, b?];
        Ok(Sides {
            config,
            corpus,
            params: config.sketch.params(),
            pages,
            budget,
        })
    }

    /// Reserves what is made of each document: so many times its text, and so many bytes a token.
    pub fn reserve(
        &self,
        texts: usize,
        token_bytes: [usize; 2],
    ) -> Result<[Reservation; 2], BudgetError> {
        let reserve = |page: &Page, token_bytes: usize| {
            let mut tokens = 0;
            sketch::for_each_token(self.params.rules(), page.content(), &mut |_| tokens += 1);
            let bytes = texts
                .saturating_mul(page.content().as_str().len())
                .saturating_add(token_bytes * tokens);
            self.budget
                .reserve("what is made of two documents to compare them", bytes)
        };
        let [a, b] = &self.pages;
        Ok([reserve(a, token_bytes[0])?, reserve(b, token_bytes[1])?])
    }

    pub fn compared(&self) -> Result<Compared, Error> {
        let [a, b] = self
            .pages
            .each_ref()
            .map(|page| shingled(&self.params, page.content()));
        let common = self
            .corpus
            .as_ref()
            .map(|corpus| corpus.common(&a.all, &b.all))
            .transpose()?;
        let left_out: Vec<u64> = common
            .iter()
            .flatten()
            .map(|(shingle, _)| *shingle)
            .collect();
        Ok(Compared {
            figures: query::compare(&a, &b, self.config.sketch.sampling, &left_out),
            common,
        })
    }
}

/// Bytes a token takes while all shingles are sorted, and held.
const TOKEN_BYTES: usize = 32;

/// Compares two documents.
///
/// # Errors
/// When one cannot be found or read, and when they do not fit `work.memory`.
pub fn compare(request: &CompareRequest) -> Result<Comparison, Error> {
    let standard = tokens::default_config()?;
    let config = request.config.as_ref().unwrap_or(&standard);
    let sides = Sides::read(config, request.config.as_ref(), [&request.a, &request.b])?;
    let _memory = sides.reserve(2, [TOKEN_BYTES, TOKEN_BYTES])?;
    let Compared { figures, common } = sides.compared()?;
    let [a, b] = sides.pages.map(|page| page.name);
    Ok(Comparison {
        a,
        b,
        exact: Figures::of(&figures.exact),
        estimated: Figures::of(&figures.estimated),
        common_shingles_left_out: common.map(|common| common.len()),
    })
}

/// All shingles of a document, and its sketch.
fn shingled(params: &SketchParams, content: Content<'_>) -> ShingledDocument {
    let everything = SketchParams {
        sampling: Sampling::Modulus { modulus: 1 },
        ..params.clone()
    };
    let all = Sketcher::new(&everything)
        .sketch(content)
        .fingerprints
        .to_vec();
    let mut sketcher = Sketcher::new(params);
    let sketched = sketcher.sketch(content);
    let (sketch, level) = (sketched.fingerprints.to_vec(), usize::from(sketched.level));
    ShingledDocument { all, sketch, level }
}

/// The table of both, and of what nothing is left to compare by.
pub(crate) fn write_figures(
    out: &mut dyn Write,
    exact: &Figures,
    estimated: &Figures,
    common: Option<usize>,
) -> fmt::Result {
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
    if common.is_none_or(|common| common == 0) {
        return Ok(());
    }
    let sizes = [
        ("A", exact.size_a, estimated.size_a),
        ("B", exact.size_b, estimated.size_b),
    ];
    for (name, all, sampled) in sizes {
        match (all, sampled) {
            (0, _) => writeln!(
                out,
                "{name} has no shingle but common ones: there is nothing to compare it by"
            )?,
            (_, 0) => writeln!(
                out,
                "{name} has no sampled shingle but common ones: there is no estimate"
            )?,
            _ => {}
        }
    }
    Ok(())
}

/// A number and the word for it, which is `one` with an s if they are several.
pub fn counted(number: u64, one: &str) -> String {
    format!(
        "{} {one}{}",
        output::thousands(number),
        if number == 1 { "" } else { "s" }
    )
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let show = |name: &str| name.escape_debug().to_string();
        writeln!(f, "A {}\nB {}", show(&self.a), show(&self.b))?;
        write_figures(
            f,
            &self.exact,
            &self.estimated,
            self.common_shingles_left_out,
        )?;
        let counts = |figures: &Figures| {
            format!(
                "{} shared of {} and {} (modulus {})",
                figures.shared, figures.size_a, figures.size_b, figures.modulus
            )
        };
        writeln!(
            f,
            "shingles: {}; sampled: {}",
            counts(&self.exact),
            counts(&self.estimated)
        )?;
        match self.common_shingles_left_out {
            Some(1) => writeln!(f, "1 common shingle of the run was left out"),
            Some(n) => writeln!(f, "{n} common shingles of the run were left out"),
            None => writeln!(f, "no common shingle was left out: there is no run to ask"),
        }
    }
}
