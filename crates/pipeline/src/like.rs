//! `pipeline query like`, `within`, `contains`: documents like this one.
//!
//! *Input.* A document: a file, standard input, or the doc_id or URL of one of the publication; or a stream of documents. The
//! query index of the publication. *Output.* [`LikeAnswer`] for each, in the order they came. *Algorithm.* The document is
//! sketched as a run would do it, and looked up by [`query::like`]; for `contains` all its shingles are, because a small
//! document in a large one leaves little in the sketch of the large one. *Memory.* `work.memory`: a stream is taken
//! in portions whose sketches fit a quarter of it. *Disk.* Read-only; a stream from a pipe is put in a nameless file first.
//! *Limits.* Estimates are those of the publication: common shingles are the run's.

mod stdin;
#[cfg(test)]
pub(crate) mod tests;
mod text;

use crate::compare::Figure;
use crate::config::Config;
use crate::named::{self, Corpus};
use crate::query::damaged;
use crate::{Error, signals};
use ::query::Index;
use ::query::like::{Found, Likeness, Probe, Search, Wanted};
use input::{Document, Rejection, Sink, SinkError};
use model::{Content, Sampling, Threshold};
use serde::Serialize;
use sketch::{SketchParams, Sketcher};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// What to look for.
#[derive(Clone, Debug)]
pub struct LikeRequest {
    /// File, `-`, doc_id or URL; for a stream a file of any format, or `-`.
    pub name: String,
    /// Which documents are wanted.
    pub wanted: LikeWanted,
    /// How many are shown at most.
    pub limit: usize,
    /// The estimate they must reach, 0 to 1.
    pub least: Option<f64>,
}

/// Which documents are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum LikeWanted {
    /// Those that resemble it.
    Like,
    /// Those it is contained in.
    Within,
    /// Those contained in it.
    Contains,
}

/// A document that was found.
#[derive(Clone, Debug, Serialize)]
pub struct LikeRow {
    /// Its id: that of the representative of its class.
    pub doc_id: i64,
    /// Its URL.
    pub url: Option<String>,
    /// Sampled shingles in both.
    pub shared: u32,
    /// Sampled shingles of the document asked about, common ones left out.
    pub size_a: u32,
    /// The same of the document found.
    pub size_b: u32,
    /// One in so many shingles was looked at.
    pub modulus: u32,
    /// Estimate of the resemblance.
    pub resemblance: Figure,
    /// How much of the document asked about is in the one found.
    pub containment_a_in_b: Figure,
    /// How much of the document found is in the one asked about.
    pub containment_b_in_a: Figure,
    /// Its cluster.
    pub cluster_id: i64,
    /// Whether it is kept.
    pub keep: bool,
    /// Documents equal to it, as many as are shown of everything.
    pub same: Vec<SameDocument>,
    /// How many those are; some may not be listed.
    pub same_in_all: u64,
}

/// A document that the one found stands for.
#[derive(Clone, Debug, Serialize)]
pub struct SameDocument {
    /// Its id.
    pub doc_id: i64,
    /// Its URL.
    pub url: Option<String>,
}

/// What was found for one document.
#[derive(Clone, Debug, Serialize)]
pub struct LikeAnswer {
    /// The document as it was named; in a stream its id or URL there.
    pub name: Option<String>,
    /// Its place in a stream, from 0.
    pub number: u64,
    /// What was asked for.
    pub wanted: LikeWanted,
    /// Fingerprints it was looked up by.
    pub sketch_size: usize,
    /// Of those, how many are common shingles and were left out.
    pub common_shingles: u32,
    /// Distinct documents found; some may not be listed.
    pub found_in_all: u64,
    /// Best first.
    pub found: Vec<LikeRow>,
    /// Why nothing could be asked, of a record of a stream that is no document.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rejected: Option<String>,
}

impl LikeWanted {
    fn search(self) -> Wanted {
        match self {
            LikeWanted::Like => Wanted::Like,
            LikeWanted::Within => Wanted::Within,
            LikeWanted::Contains => Wanted::Contained,
        }
    }
}

/// Answers for one document.
///
/// # Errors
/// When it cannot be found or read, and at damage of the index.
pub fn like(config: &Config, request: &LikeRequest) -> Result<LikeAnswer, Error> {
    let corpus = Corpus::open(config)?;
    let asker = Asker::new(&corpus, request)?;
    let known = if request.name == "-" { None } else { corpus.find(&request.name)? };
    let probe = match known {
        Some(doc) if request.wanted != LikeWanted::Contains => {
            let sketch = corpus.index.sketch(doc).map_err(damaged)?;
            Probe { fingerprints: sketch.fingerprints, level: sketch.level }
        }
        Some(doc) => {
            let page = corpus.page(doc, &request.name)?;
            if page.changed {
                let name = &request.name;
                return Err(Error::NotFound(format!(
                    "failed to read {name} again: it changed since the run; run again"
                )));
            }
            asker.probe(page.content())
        }
        None => {
            let file = asker.file()?;
            asker.probe(named::file_page(config, file.path(), &request.name)?.content())
        }
    };
    let asked = Asked { name: Some(request.name.clone()), number: 0, probe, rejected: None };
    let mut answers = asker.answers(vec![asked])?;
    answers.pop().ok_or_else(|| Error::NotFound(format!("failed to find a document in {}", request.name)))
}

/// Answers for every document of a stream, in its order; `give` gets each.
///
/// # Errors
/// As [`like`], those of `give`, and [`Error::Interrupted`].
pub fn like_batch(
    config: &Config,
    request: &LikeRequest,
    give: &mut dyn FnMut(&LikeAnswer) -> Result<(), Error>,
) -> Result<(), Error> {
    let corpus = Corpus::open(config)?;
    let asker = Asker::new(&corpus, request)?;
    let file = asker.file()?;
    let mut batch = Batch { asker: &asker, waiting: Vec::new(), waiting_bytes: 0, number: 0, give };
    match named::read_file(config, file.path(), &mut batch) {
        Err(Error::Input(input::InputError::Sink(stop))) => {
            return Err(match stop.downcast::<Stop>() {
                Ok(stop) => stop.0,
                Err(other) => Error::Input(input::InputError::Sink(other)),
            });
        }
        other => other?,
    }
    batch.flush()
}

/// A document to ask about.
struct Asked {
    name: Option<String>,
    number: u64,
    probe: Probe,
    rejected: Option<String>,
}

struct Asker<'a> {
    corpus: &'a Corpus<'a>,
    request: &'a LikeRequest,
    params: SketchParams,
    least: Option<Threshold>,
    stop: Arc<AtomicBool>,
}

/// A file to read: one that has a name, or what came from standard input.
enum Source {
    Named(PathBuf),
    Spooled(stdin::Spooled),
}

impl Source {
    fn path(&self) -> &Path {
        match self {
            Source::Named(path) => path,
            Source::Spooled(spooled) => spooled.path(),
        }
    }
}

impl<'a> Asker<'a> {
    fn new(corpus: &'a Corpus<'a>, request: &'a LikeRequest) -> Result<Asker<'a>, Error> {
        let mut params = corpus.config.sketch.params();
        if let (LikeWanted::Contains, Sampling::Adaptive { .. }) = (request.wanted, params.sampling) {
            // the finest of its levels
            params.sampling = Sampling::Modulus { modulus: 1 };
        }
        let least = request.least.map(Threshold::from_f64).transpose();
        let least = least.map_err(|error| Error::Usage(format!("failed to take --min: {error}")))?;
        Ok(Asker { corpus, request, params, least, stop: signals::install()? })
    }

    fn file(&self) -> Result<Source, Error> {
        let name = &self.request.name;
        if name == "-" {
            return Ok(Source::Spooled(stdin::spool(&self.stop)?));
        }
        if !Path::new(name).exists() {
            return Err(named::unknown(Some(self.corpus), name)?);
        }
        Ok(Source::Named(PathBuf::from(name)))
    }

    fn probe(&self, content: Content<'_>) -> Probe {
        probe_of(&mut Sketcher::new(&self.params), content)
    }

    /// A signal ends a stream between two documents.
    fn check_stop(&self) -> Result<(), Error> {
        if self.stop.load(Ordering::Relaxed) {
            return Err(Error::Interrupted { signal: signals::received() });
        }
        Ok(())
    }

    fn memory_bytes(&self) -> usize {
        usize::try_from(self.corpus.config.work.memory_bytes).unwrap_or(usize::MAX)
    }

    fn answers(&self, asked: Vec<Asked>) -> Result<Vec<LikeAnswer>, Error> {
        let index = &self.corpus.index;
        let search = Search {
            wanted: self.request.wanted.search(),
            limit: self.request.limit,
            least: self.least,
            memory_bytes: self.memory_bytes() / 2,
        };
        let mut names = Vec::with_capacity(asked.len());
        let mut probes = Vec::with_capacity(asked.len());
        for Asked { name, number, probe, rejected } in asked {
            names.push((name, number, rejected));
            probes.push(probe);
        }
        let found = ::query::like::like(index, &probes, &search).map_err(damaged)?;
        let sizes = probes.iter().map(|probe| probe.fingerprints.len());
        let answers =
            names.into_iter().zip(sizes).zip(found).map(|(((name, number, rejected), sketch_size), likeness)| {
                let Likeness { found, total, common } = likeness;
                let rows = found
                    .iter()
                    .map(|found| row(index, found, search.limit))
                    .collect::<Result<Vec<LikeRow>, Error>>()?;
                Ok(LikeAnswer {
                    name,
                    number,
                    wanted: self.request.wanted,
                    sketch_size,
                    common_shingles: common,
                    found_in_all: total,
                    found: rows,
                    rejected,
                })
            });
        answers.collect()
    }
}

fn probe_of(sketcher: &mut Sketcher, content: Content<'_>) -> Probe {
    let sketched = sketcher.sketch(content);
    Probe { fingerprints: sketched.fingerprints.to_vec(), level: usize::from(sketched.level) }
}

/// What a result shows, and at most `limit` of the documents it stands for.
fn row(index: &Index, found: &Found, limit: usize) -> Result<LikeRow, Error> {
    let Found { doc, overlap } = found;
    let member = index.member(*doc).map_err(damaged)?;
    let equal = index.class_documents(*doc).map_err(damaged)?;
    let mut same = Vec::new();
    for record in equal.iter().take(limit) {
        let doc = record.map_err(damaged)?.doc;
        same.push(SameDocument { doc_id: index.public_id(doc), url: index.url(doc).map_err(damaged)? });
    }
    Ok(LikeRow {
        doc_id: index.public_id(*doc),
        url: index.url(*doc).map_err(damaged)?,
        shared: overlap.shared,
        size_a: overlap.size_a,
        size_b: overlap.size_b,
        modulus: overlap.modulus,
        resemblance: Figure::of(&overlap.resemblance()),
        containment_a_in_b: Figure::of(&overlap.containment_a_in_b()),
        containment_b_in_a: Figure::of(&overlap.containment_b_in_a()),
        cluster_id: index.public_id(member.cluster),
        keep: member.keep,
        same,
        same_in_all: equal.len(),
    })
}

/// What stops a stream, through the reader.
#[derive(Debug, thiserror::Error)]
#[error("stopped")]
struct Stop(Error);

/// Documents of a stream that wait for their answers.
struct Batch<'a, 'g> {
    asker: &'a Asker<'a>,
    waiting: Vec<Asked>,
    waiting_bytes: usize,
    number: u64,
    give: &'g mut dyn FnMut(&LikeAnswer) -> Result<(), Error>,
}

impl Batch<'_, '_> {
    fn take(&mut self, name: Option<String>, probe: Probe, rejected: Option<String>) -> Result<(), SinkError> {
        // a fingerprint once in the sketch and once in the order of the postings
        self.waiting_bytes += 200 + 24 * probe.fingerprints.len() + name.as_ref().map_or(0, String::len);
        self.waiting.push(Asked { name, number: self.number, probe, rejected });
        self.number += 1;
        let full = self.waiting_bytes > self.asker.memory_bytes() / 4;
        let gone_on = self.asker.check_stop().and_then(|()| if full { self.flush() } else { Ok(()) });
        gone_on.map_err(|error| Box::new(Stop(error)).into())
    }

    fn flush(&mut self) -> Result<(), Error> {
        self.waiting_bytes = 0;
        for answer in self.asker.answers(std::mem::take(&mut self.waiting))? {
            self.asker.check_stop()?;
            (self.give)(&answer)?;
        }
        Ok(())
    }
}

impl Sink for Batch<'_, '_> {
    fn document(&mut self, document: &Document<'_>) -> Result<(), SinkError> {
        let name = document.id.or(document.url).map(str::to_owned);
        self.take(name, self.asker.probe(document.content), None)
    }
    fn rejected(&mut self, rejection: Rejection) -> Result<(), SinkError> {
        let why = format!("{} {}", rejection.reason, rejection.detail).trim_end().to_owned();
        self.take(rejection.url, Probe::default(), Some(why))
    }
    fn skipped(&mut self, _: &str) {}
}
