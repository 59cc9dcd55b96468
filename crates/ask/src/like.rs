//! `pipeline query like`, `within`, `contains`: finds documents like a given one.
//!
//! *Input.* A document: a file, standard input, or the doc_id or URL of one of the publication; or
//! a stream of documents. The query index of the publication. *Output.* A [`LikeAnswer`] for each,
//! in input order. *Algorithm.* The document is sketched as a run would do it, and looked up by
//! module `search`. For `contains` all its shingles are looked up, because the sketch of a large
//! document has few shingles of a small one in it. Of a document without shingles those of its
//! class are found. *Memory.* `work.memory`: a stream is read in portions whose sketches fit a
//! quarter of it. *Disk.* Read-only; input that is no regular file is copied to a nameless file
//! first. *Limits.* Estimates are those of the publication.

mod batch;
mod best;
mod containing;
mod search;
#[cfg(test)]
pub mod tests;
mod text;

use crate::asked_document::{self, ChangeSinceRun, Corpus};
use crate::figures::Figures;
use crate::index::{Index, StoredSketch};
use crate::query::{NameRoom, NamedDocument};
use best::SimilarDocument;
use config::Config;
pub use containing::ContainingDocuments;
use engine::{Error, runtime::signals};
use model::{Content, Sampling, Threshold};
pub use search::LikeWanted;
use search::{ProbeAnswer, Search};
use serde::Serialize;
use sketch::{SketchParams, Sketcher};
use std::ffi::OsString;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A search for documents like a given one.
#[derive(Clone, Debug)]
pub struct LikeRequest {
    /// File, `-`, doc_id or URL; for a stream a file of any format, or `-`.
    pub name: OsString,
    /// Which documents are wanted.
    pub wanted: LikeWanted,
    /// How many are shown at most.
    pub limit: usize,
    /// The estimate they must reach, 0 to 1.
    pub least: Option<f64>,
    /// Count the documents that contain at least this share of it, 0 to 1, instead of listing them.
    pub count: Option<f64>,
}

/// A document that was found.
#[derive(Clone, Debug, Serialize)]
pub struct LikeRow {
    /// The representative of its class.
    #[serde(flatten)]
    pub document: NamedDocument,
    /// How they compare. Document a is the one asked about.
    #[serde(flatten)]
    pub figures: Figures,
    /// Its cluster.
    pub cluster_id: i64,
    /// Whether it is kept.
    pub keep: bool,
    /// Documents equal to it, as many as are shown of everything.
    pub same: Vec<NamedDocument>,
    /// How many those are; some may not be listed.
    pub same_in_all: u64,
}

/// The answer for one document.
#[derive(Clone, Debug, Serialize)]
pub struct LikeAnswer {
    /// The name that the user gave; in a stream the document's id or URL.
    pub name: Option<String>,
    /// Its place in a stream, from 0.
    pub number: u64,
    /// The request.
    pub wanted: LikeWanted,
    /// Fingerprints it was looked up by.
    pub sketch_size: usize,
    /// Distinct documents found; some may not be listed.
    pub found_in_all: u64,
    /// Best first.
    pub found: Vec<LikeRow>,
    /// The documents that contain it, if they were to be counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub containing: Option<ContainingDocuments>,
    /// Why nothing could be asked, of a record of a stream that is no document.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rejected: Option<String>,
}

/// A document to ask about.
struct LikeQuery {
    name: Option<String>,
    number: u64,
    probe: StoredSketch,
    /// The document, if it is one of the publication.
    doc: Option<u32>,
    rejected: Option<String>,
}

/// Why sketches of a fixed size do not find documents by containment.
const NO_CONTAINMENT: &str = "the method in [sketch] keeps sketches of a fixed size, which estimate \
     no containment: only `query like` can be asked; use the method modulus or adaptive-modulus";

/// A search for documents like others in an open publication.
pub struct LikeSearch<'a> {
    corpus: Corpus<'a>,
    request: &'a LikeRequest,
    params: SketchParams,
    search: Search,
    stop: Arc<AtomicBool>,
}

impl<'a> LikeSearch<'a> {
    /// Opens the newest publication of a configuration.
    pub fn open(config: &'a Config, request: &'a LikeRequest) -> Result<LikeSearch<'a>, Error> {
        if request.wanted != LikeWanted::Like && config.sketch.sampling.has_fixed_size() {
            return Err(Error::Usage(NO_CONTAINMENT.to_owned()));
        }
        let corpus = Corpus::of(config, None)?;
        let mut params = config.sketch.params();
        if let (LikeWanted::Contains, Sampling::Adaptive { .. }) = (request.wanted, params.sampling)
        {
            // the finest of its levels
            params.sampling = Sampling::Modulus { modulus: 1 };
        }
        let share = |value: Option<f64>, option: &str| {
            let share = value.map(Threshold::from_f64).transpose();
            share.map_err(|error| Error::Usage(format!("failed to read {option}: {error}")))
        };
        let least = share(request.least, "--min")?;
        let count = share(request.count, "--count")?;
        let search = Search {
            wanted: request.wanted,
            limit: count.map_or(request.limit, |_| 0),
            least,
            count,
            memory_bytes: config.work.memory() / 2,
        };
        Ok(LikeSearch {
            corpus,
            request,
            params,
            search,
            stop: signals::stop_flag(),
        })
    }

    /// The first parameter in which the publication differs from the configuration, in words.
    pub fn outdated(&self) -> Option<String> {
        crate::query::outdated(&self.corpus.index, self.corpus.config)
    }

    /// Answers for one document.
    pub fn one(&self) -> Result<LikeAnswer, Error> {
        let (corpus, name) = (&self.corpus, &self.request.name);
        let (probe, doc) = match corpus.find(name)? {
            Some(doc) if self.request.wanted != LikeWanted::Contains => {
                (corpus.index.sketch(doc)?, Some(doc))
            }
            Some(doc) => {
                let document = corpus.read(doc, name)?;
                if document.since == ChangeSinceRun::Document {
                    let name = asked_document::display_name(name);
                    return Err(Error::InputChanged(format!(
                        "failed to read {name} again: it changed since the run; run again"
                    )));
                }
                (self.probe(document.content()), Some(doc))
            }
            None if asked_document::is_file(name) => {
                let document = asked_document::read_single(corpus.config, name)?;
                (self.probe(document.content()), None)
            }
            None => return Err(asked_document::not_found(Some(corpus), name)?),
        };
        self.answer_probe(probe, doc)
    }

    /// Answers for a text at hand, which is in no file.
    pub fn text(&self, content: Content<'_>) -> Result<LikeAnswer, Error> {
        self.answer_probe(self.probe(content), None)
    }

    fn answer_probe(&self, probe: StoredSketch, doc: Option<u32>) -> Result<LikeAnswer, Error> {
        let name = &self.request.name;
        let query = LikeQuery {
            name: Some(name.to_string_lossy().into_owned()),
            number: 0,
            probe,
            doc,
            rejected: None,
        };
        let answer = self.answers(vec![query])?.pop();
        answer.ok_or_else(|| {
            Error::NotFound(format!(
                "failed to find a document in {}",
                asked_document::display_name(name)
            ))
        })
    }

    fn probe(&self, content: Content<'_>) -> StoredSketch {
        let mut sketcher = Sketcher::new(&self.params);
        let sketched = sketcher.sketch(content);
        StoredSketch {
            fingerprints: sketched.fingerprints.to_vec(),
            level: usize::from(sketched.level),
        }
    }

    /// A signal ends a stream between two documents.
    fn check_stop(&self) -> Result<(), Error> {
        if self.stop.load(Ordering::Relaxed) {
            return Err(Error::Stopped {
                signal: signals::received(),
            });
        }
        Ok(())
    }

    fn answers(&self, mut queries: Vec<LikeQuery>) -> Result<Vec<LikeAnswer>, Error> {
        let probes: Vec<StoredSketch> = queries
            .iter_mut()
            .map(|query| std::mem::take(&mut query.probe))
            .collect();
        let found = search::like(&self.corpus.index, &probes, &self.search)?;
        let answers = queries.into_iter().zip(&probes).zip(found);
        answers
            .map(|((query, probe), likeness)| self.answer(query, probe, likeness))
            .collect()
    }

    /// The answer to a query, whose probe was taken out of it.
    fn answer(
        &self,
        query: LikeQuery,
        probe: &StoredSketch,
        likeness: ProbeAnswer,
    ) -> Result<LikeAnswer, Error> {
        let ProbeAnswer {
            found,
            total,
            mut containing,
        } = likeness;
        let (index, limit) = (&self.corpus.index, self.request.limit);
        let mut room = NameRoom::default();
        let mut rows = Vec::new();
        for SimilarDocument { doc, overlap } in &found {
            let row = row(index, *doc, Figures::of(overlap), limit, &mut room)?;
            if !room.takes([&row.document.id, &row.document.url]) {
                break;
            }
            rows.push(row);
        }
        let alone = query.doc.filter(|_| probe.fingerprints.is_empty());
        if let Some(doc) = alone {
            let representative = index.class(doc)?.representative();
            if let Some(count) = &mut containing {
                count.add_class(index, representative)?;
            } else {
                let relation = index.relation(doc, representative)?;
                let figures = Figures::of_equal(&relation.overlap);
                rows.push(row(index, representative, figures, limit, &mut room)?);
                rows.truncate(limit);
            }
        }
        let total = total + u64::from(alone.is_some());
        Ok(LikeAnswer {
            name: query.name,
            number: query.number,
            wanted: self.request.wanted,
            sketch_size: probe.fingerprints.len(),
            found_in_all: total,
            found: rows,
            containing,
            rejected: query.rejected,
        })
    }
}

/// The content of a result, and at most `limit` of the documents it stands for, as far as there is
/// room.
fn row(
    index: &Index,
    doc: u32,
    figures: Figures,
    limit: usize,
    room: &mut NameRoom,
) -> Result<LikeRow, Error> {
    let member = index.member(doc)?;
    let equal = index.class_documents(doc)?;
    let mut same = Vec::new();
    for record in equal.iter().take(limit) {
        let one = NamedDocument::of(index, record?.doc)?;
        if !room.takes([&one.id, &one.url]) {
            break;
        }
        same.push(one);
    }
    Ok(LikeRow {
        document: NamedDocument::of(index, doc)?,
        figures,
        cluster_id: index.public_id(member.cluster),
        keep: member.kept == doc,
        same,
        same_in_all: equal.len(),
    })
}
