//! `pipeline compare`: resemblance and containment of two documents, exact and estimated.
//!
//! *Input.* [`CompareRequest`], [`CompareOptions`]. *Output.* [`Comparison`]. *Algorithm.*
//! [`DocumentPair`]. The sketch of several documents together follows from their sketches
//! ([`sketch::UnionSketch`]). Further samples are sketches by the keys of other seeds: a writer who
//! knows the sample of the run cannot know these. *Memory.* The texts, and 32 bytes
//! a token, four times as much with further samples, reserved in `work.memory`. *Disk.* Read-only.
//! *Limits.* None but memory.

use crate::asked_document::{self, AskedDocument, ChangeSinceRun};
use crate::document_pair::{CompareRequest, DocumentPair};
use crate::figures::{Figure, Figures, PairFigures};
use crate::overlaps::ShingledDocument;
use crate::repeated_parts::words_in;
use engine::Error;
use output::counted;
use serde::Serialize;
use sketch::{FingerprintKeys, SketchParams, UnionSketch};
use std::ffi::OsString;
use std::fmt;

/// The requests beside the figures of two documents.
#[derive(Clone, Debug, Default)]
pub struct CompareOptions {
    /// Documents that count as parts of the first one: files, doc_ids or URLs.
    pub joined: Vec<OsString>,
    /// Seeds of further samples.
    pub samples: Vec<String>,
}

/// The figures of two documents.
#[derive(Clone, Debug, Serialize)]
pub struct Comparison {
    /// The first name.
    pub a: String,
    /// The names of the documents that count as parts of it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub joined: Vec<String>,
    /// If there are any: how many shingles they have together, by their sketches.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub union: Option<UnionEstimate>,
    /// The second name.
    pub b: String,
    /// Documents that are not as the run has read them, or whose files are not.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub changed_since_run: Vec<ChangedDocument>,
    /// The figures of the two documents.
    #[serde(flatten)]
    pub figures: PairFigures,
    /// The estimates of further samples.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub samples: Vec<Figures>,
    /// Words of the first document that stand at several places of the corpus, if the run has
    /// passages.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repeated_words_a: Option<u64>,
    /// Words of the second one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repeated_words_b: Option<u64>,
}

/// A document of the run whose file changed since.
#[derive(Clone, Debug, Serialize)]
pub struct ChangedDocument {
    /// Its name.
    pub name: String,
    /// Whether the document changed, too. Its present text is compared.
    pub changed: bool,
}

/// The number of shingles of several documents together.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct UnionEstimate {
    /// The estimate.
    pub shingles: f64,
    /// Its standard error.
    pub error: f64,
}

/// Bytes a token takes while all shingles are sorted, and afterwards.
const TOKEN_BYTES: usize = 32;

/// Compares two documents.
pub fn compare(request: &CompareRequest, options: &CompareOptions) -> Result<Comparison, Error> {
    let pair = DocumentPair::read(request)?;
    let read = |name: &OsString| asked_document::read(pair.config, pair.corpus.as_ref(), name);
    let joined: Vec<AskedDocument> = options.joined.iter().map(read).collect::<Result<_, _>>()?;
    let parts: Vec<&AskedDocument> = std::iter::once(&pair.a).chain(&joined).collect();
    let factor = if options.samples.is_empty() { 1 } else { 4 };
    let reserve = |one| pair.reserve(one, 2 * factor, TOKEN_BYTES * factor);
    let _memory = parts
        .iter()
        .copied()
        .chain([&pair.b])
        .map(reserve)
        .collect::<Result<Vec<_>, _>>()?;
    let whole = shingled(&pair.params, &parts);
    let b = ShingledDocument::of(&pair.params, pair.b.content());
    let figures = pair.compare_shingles(&whole, &b);
    let samples = options.samples.iter().map(|seed| {
        let params = SketchParams {
            keys: FingerprintKeys::from_seed(seed),
            ..pair.params.clone()
        };
        let whole = shingled(&params, &parts);
        let b = ShingledDocument::of(&params, pair.b.content());
        pair.figures(&whole.estimated(&b, params.sampling))
    });
    let repeated = |one| Ok::<_, Error>(pair.passages(one)?.map(|passages| words_in(&passages)));
    let (repeated_words_a, repeated_words_b) = (repeated(&pair.a)?, repeated(&pair.b)?);
    let sampling = pair.params.sampling;
    let union = || {
        let sketch = UnionSketch {
            level: whole.level as u8,
            fingerprints: whole.sketch.clone(),
        };
        let (shingles, error) = sketch.shingles(sampling);
        UnionEstimate { shingles, error }
    };
    Ok(Comparison {
        changed_since_run: changed(parts.iter().copied().chain([&pair.b])),
        samples: samples.collect(),
        union: (!joined.is_empty() && !sampling.has_fixed_size()).then(union),
        repeated_words_a,
        repeated_words_b,
        joined: joined.iter().map(|one| one.name.clone()).collect(),
        a: pair.a.name,
        b: pair.b.name,
        figures,
    })
}

/// The documents of the run that are not as the run has read them.
fn changed<'d>(documents: impl Iterator<Item = &'d AskedDocument>) -> Vec<ChangedDocument> {
    let changed = documents.filter(|one| one.since != ChangeSinceRun::Nothing);
    let named = changed.map(|one| ChangedDocument {
        name: one.name.clone(),
        changed: one.since == ChangeSinceRun::Document,
    });
    named.collect()
}

/// The document that has the shingles of all.
fn shingled(params: &SketchParams, parts: &[&AskedDocument]) -> ShingledDocument {
    let of = |part: &&AskedDocument| ShingledDocument::of(params, part.content());
    let joined = |a: ShingledDocument, b: ShingledDocument| a.joined(&b, params.sampling);
    parts.iter().map(of).reduce(joined).unwrap_or_default()
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "A {}", self.a.escape_debug())?;
        for name in &self.joined {
            writeln!(f, "  with {}", name.escape_debug())?;
        }
        writeln!(f, "B {}", self.b.escape_debug())?;
        for ChangedDocument { name, changed } in &self.changed_since_run {
            let what = match changed {
                true => "changed since the run; its present text is compared",
                false => "the file changed since the run, but this document did not",
            };
            writeln!(f, "  {}: {what}", name.escape_debug())?;
        }
        writeln!(f, "{}", self.figures.headline())?;
        self.figures.write_table(f)?;
        for (number, sample) in (2..).zip(&self.samples) {
            let Figure { value, low, high } = sample.resemblance;
            let name = format!("resemblance, sample {number}");
            writeln!(
                f,
                "{name:<22} {:>8}  {value:>8.4}  {low:.4} to {high:.4}",
                ""
            )?;
        }
        let [exact, estimated] =
            [&self.figures.exact, &self.figures.estimated].map(Figures::counts);
        writeln!(f, "shingles: {exact}; sampled: {estimated}")?;
        let repeated = [("A", self.repeated_words_a), ("B", self.repeated_words_b)];
        let repeated = repeated.into_iter().filter_map(|(letter, words)| {
            words.map(|words| format!("{} of {letter}", counted(words, "word")))
        });
        let repeated: Vec<String> = repeated.collect();
        if !repeated.is_empty() {
            writeln!(f, "in passages of the corpus: {}", repeated.join(", "))?;
        }
        if let Some(UnionEstimate { shingles, error }) = self.union {
            writeln!(
                f,
                "shingles of A and those with it, by their sketches: {shingles:.0}, standard error {error:.0}"
            )?;
        }
        Ok(())
    }
}
