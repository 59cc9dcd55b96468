//! `pipeline compare`: resemblance and containment of two documents, exact and estimated.
//!
//! A name is a file, or, with a run, the doc_id or URL of one of its documents, which is then read again from the input
//! by its recorded place. All shingles of both are held: 8 bytes a token.

use crate::config::Config;
use crate::segments::{SegmentFile, Segments};
use crate::{Error, PhaseName, run, tokens};
use format::{CommonRecord, Disk, FileKind, Manifest, RecordReader};
use input::{Document, LargeRecords, Place, ReadOptions, Rejection, Sink, SinkError, SourceFile};
use model::{Content, DocId, Overlap, PublicId, Sampling};
use query::ShingledDocument;
use serde::Serialize;
use sketch::{SketchParams, Sketcher};
use std::fmt;
use std::path::Path;

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

impl Figures {
    fn of(overlap: &Overlap) -> Figures {
        let figure = |estimate: model::Estimate| Figure {
            value: estimate.ratio.to_f64(),
            low: estimate.interval.low,
            high: estimate.interval.high,
        };
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
        Some(config) => Corpus::open(config)?,
        None => None,
    };
    let a = shingled(config, corpus.as_ref(), &request.a)?;
    let b = shingled(config, corpus.as_ref(), &request.b)?;
    let common = match &corpus {
        Some(corpus) => Some(corpus.common(&a.all, &b.all)?),
        None => None,
    };
    let compared = query::compare(&a, &b, config.sketch.sampling, common.as_deref().unwrap_or_default());
    Ok(Comparison {
        a: request.a.clone(),
        b: request.b.clone(),
        exact: Figures::of(&compared.exact),
        estimated: Figures::of(&compared.estimated),
        common_shingles_left_out: common.map(|common| common.len()),
    })
}

/// The documents and common shingles of a finished run.
struct Corpus<'a> {
    config: &'a Config,
    disk: Disk,
    manifest: Manifest,
    segments: Segments,
}

impl<'a> Corpus<'a> {
    fn open(config: &'a Config) -> Result<Option<Corpus<'a>>, Error> {
        let disk = Disk::default();
        let Some(manifest) = Manifest::load(&disk, &config.work.dir).map_err(Error::manifest)? else { return Ok(None) };
        let segments = Segments::of(&disk, &config.work.dir, &manifest)?;
        Ok(Some(Corpus { config, disk, manifest, segments }))
    }

    /// Common shingles of the run that occur in either list, ascending.
    fn common(&self, a: &[u64], b: &[u64]) -> Result<Vec<u64>, Error> {
        let record = self.manifest.phases.get(PhaseName::Pairs.name());
        let Some(sealed) = record.and_then(|record| record.outputs.get("common")) else { return Ok(Vec::new()) };
        let failed = Error::work(PhaseName::Pairs);
        let dir = self.config.work.dir.join(PhaseName::Pairs.name());
        let mut reader: RecordReader<CommonRecord> =
            RecordReader::open_sealed(&self.disk, &dir, sealed, FileKind::Common).map_err(failed)?;
        let mut common = Vec::new();
        while let Some(record) = reader.next().map_err(failed)? {
            if a.binary_search(&record.shingle).is_ok() || b.binary_search(&record.shingle).is_ok() {
                common.push(record.shingle);
            }
        }
        Ok(common)
    }

    /// File and place of the document with this id or URL (the newest, which is the last).
    fn find(&self, name: &str) -> Result<Option<(u32, Place)>, Error> {
        let wanted = name.parse::<i64>().ok().and_then(|id| PublicId(id).split());
        let mut rows = self.segments.rows(SegmentFile::Documents);
        let mut found = None;
        while let Some((doc, row)) = rows.next_document()? {
            let by_id = wanted.is_some_and(|(snapshot, id)| snapshot.0 == 0 && id == DocId(doc));
            if by_id || row.url == Some(name) {
                let (entry_offset, inner_offset, length) = (row.entry_offset, row.inner_offset, row.length);
                found = Some((row.file, Place { entry_offset, inner_offset, length }));
            }
        }
        Ok(found)
    }

    /// Reads a document again from the input, which must still be what it was.
    fn read(&self, file: u32, place: Place, sink: &mut One<'_>) -> Result<(), Error> {
        let listing = run::discover(self.config)?;
        let known = self.manifest.inputs.get(file as usize);
        let listed: Option<&SourceFile> =
            known.and_then(|known| listing.files.iter().find(|listed| listed.name == known.name));
        let (Some(known), Some(listed)) = (known, listed) else {
            return Err(Error::NotFound("failed to read the document again: its file is gone".to_owned()));
        };
        if known.bytes != listed.bytes || known.modified_ns != listed.modified_ns.to_string() {
            let text = format!("failed to read the document again: {} changed since the run; run again", known.name);
            return Err(Error::NotFound(text));
        }
        let options = ReadOptions {
            fields: self.config.input.fields.clone(),
            max_document_bytes: self.config.input.max_document_bytes,
            large: LargeRecords::default(),
        };
        let read = input::read_document_at(listed, &place, &options, &mut |document| sink.take(document.content));
        read.map_err(Error::Input).map(|_| ())
    }
}

fn shingled(config: &Config, corpus: Option<&Corpus<'_>>, name: &str) -> Result<ShingledDocument, Error> {
    let params = config.sketch.params();
    let mut one = One { params: &params, document: None, more: 0 };
    let place = match corpus {
        Some(corpus) => corpus.find(name)?.map(|found| (corpus, found)),
        None => None,
    };
    match place {
        Some((corpus, (file, place))) => corpus.read(file, place, &mut one)?,
        None if Path::new(name).exists() => tokens::read_file(config, Path::new(name), &mut one)?,
        None => {
            let text = format!("failed to find {name}: no file, and no doc_id or URL of a run here");
            return Err(Error::NotFound(text));
        }
    }
    if one.more > 0 {
        return Err(Error::Usage(format!(
            "failed to compare {name}: it holds {} documents, expected one",
            one.more + 1
        )));
    }
    one.document.ok_or_else(|| Error::NotFound(format!("failed to find a document in {name}")))
}

/// Takes the first document, counts the others.
struct One<'a> {
    params: &'a SketchParams,
    document: Option<ShingledDocument>,
    more: u64,
}

impl One<'_> {
    fn take(&mut self, content: Content<'_>) {
        if self.document.is_some() {
            self.more += 1;
            return;
        }
        let mut everything = self.params.clone();
        everything.sampling = Sampling::Modulus { modulus: 1 };
        let all = Sketcher::new(&everything).sketch(content).fingerprints.to_vec();
        let mut sketcher = Sketcher::new(self.params);
        let sketched = sketcher.sketch(content);
        let (sketch, level) = (sketched.fingerprints.to_vec(), usize::from(sketched.level));
        self.document = Some(ShingledDocument { all, sketch, level });
    }
}

impl Sink for One<'_> {
    fn document(&mut self, document: &Document<'_>) -> Result<(), SinkError> {
        self.take(document.content);
        Ok(())
    }
    fn rejected(&mut self, _: Rejection) -> Result<(), SinkError> {
        Ok(())
    }
    fn skipped(&mut self, _: &str) {}
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
