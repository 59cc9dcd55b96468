//! Whether every part of the input has a document: a source that was not read would be a reference
//! that removes nothing, and data that was not read would be data without a duplicate.
//!
//! *Input.* The sources of the configuration; the listing; segments. *Output.* An error that names
//! the first part without a document, with the reason; a note for each source without a word.
//! *Algorithm.* Segments are in the order of files, so that only those are read that may have a
//! file of a part which no segment before has. *Memory.* A number for each segment.

use crate::rejected::{of_file, skipped_types, told};
use config::Config;
use engine::{Engine, Error, segments::SegmentFile};
use input::{Discovery, FormatChoice, Listing, SourceFile};
use output::RejectedExample;
use std::collections::BTreeMap;

/// A part of the input.
#[derive(Clone, Copy)]
enum InputPart<'a> {
    /// The source of a name.
    Source(&'a str),
    /// The input that is of no source.
    Data,
}

impl InputPart<'_> {
    fn has(self, file: &SourceFile) -> bool {
        match self {
            InputPart::Source(name) => file.is_of(name),
            InputPart::Data => file.sources.is_empty(),
        }
    }
}

/// Fails if no file of a source can be read, or none of `paths`: what earlier runs made is better
/// left as it is.
pub fn check_listing(config: &Config, listing: &Listing) -> Result<(), Error> {
    let has_file = |name: &str| listing.files.iter().any(|file| file.is_of(name));
    if let Some(name) = names(config).into_iter().find(|name| !has_file(name)) {
        return Err(empty_source(config, name, None)?);
    }
    // Sources that list all files of `paths` leave nothing over.
    let is_data = |file| InputPart::Data.has(file);
    let (paths, has_sources) = (data_paths(config), !config.input.sources.is_empty());
    let may_be_empty = has_sources && !paths.is_empty() && !listing.rejected.is_empty();
    if may_be_empty && !listing.files.iter().any(is_data) {
        let listed = input::discover(&config.discovery(paths.to_vec()))?;
        if listed.files.is_empty() {
            return Err(empty_data(config, None, &|_| true)?);
        }
    }
    Ok(())
}

/// Fails if no document of a source could be read, or none of the data beside references. Notes
/// sources without a word.
pub fn check(engine: &Engine<'_>) -> Result<(), Error> {
    let listing = &engine.inputs.listing;
    let files = &listing.files;
    let sources = names(engine.config).into_iter().map(InputPart::Source);
    let data = listing.has_references().then_some(InputPart::Data);
    let parts: Vec<InputPart<'_>> = sources.chain(data).collect();
    let has = |part: InputPart<'_>, file: usize| files.get(file).is_some_and(|file| part.has(file));
    let lacking = Lacking::of(engine, parts, has)?;
    match lacking.documents.first() {
        Some(InputPart::Source(name)) => Err(empty_source(engine.config, name, Some(engine))?),
        Some(InputPart::Data) => Err(empty_data(engine.config, Some(engine), &|at| {
            has(InputPart::Data, at)
        })?),
        None => {
            for part in lacking.words {
                if let InputPart::Source(name) = part {
                    note_without_words(engine, name);
                }
            }
            Ok(())
        }
    }
}

/// Notes the sources of which no document has a word; `has` tells their files.
pub fn note_words(
    engine: &Engine<'_>,
    names: Vec<&str>,
    has: impl Fn(&str, usize) -> bool,
) -> Result<(), Error> {
    let lacking = Lacking::of(engine, names, has)?;
    for name in lacking.words {
        note_without_words(engine, name);
    }
    Ok(())
}

fn note_without_words(engine: &Engine<'_>, name: &str) {
    engine.reporter.line(&format!(
        "note: source {name:?}: none of its documents has a word, so that nothing resembles them; \
         look at its format and at the fields that its text is read from"
    ));
}

/// Parts of the input that lack something.
struct Lacking<P> {
    /// Parts without a document.
    documents: Vec<P>,
    /// Parts without a document that has a word.
    words: Vec<P>,
}

impl<P: Copy> Lacking<P> {
    /// Of these parts; `has` tells their files.
    fn of(
        engine: &Engine<'_>,
        parts: Vec<P>,
        has: impl Fn(P, usize) -> bool,
    ) -> Result<Lacking<P>, Error> {
        let mut lacking = Lacking {
            documents: parts.clone(),
            words: parts,
        };
        if lacking.words.is_empty() {
            return Ok(lacking);
        }
        let segments = engine.segments()?;
        let documents = |segment: usize| segments.rows_of(segment, SegmentFile::Documents);
        // ⟨segment, file of its first document⟩
        let mut firsts = Vec::new();
        for segment in (0..segments.count()).filter(|one| segments.documents_of(*one) > 0) {
            if let Some((_, row)) = documents(segment).next_document()? {
                firsts.push((segment, row.file as usize));
            }
        }
        let last = engine.inputs.listing.files.len().saturating_sub(1);
        for (at, &(segment, first)) in firsts.iter().enumerate() {
            let next = firsts.get(at + 1).map_or(last, |(_, file)| *file);
            let is_wanted = |file: usize| lacking.words.iter().any(|part| has(*part, file));
            if !(first..=next).any(is_wanted) {
                continue;
            }
            let mut rows = documents(segment);
            while let Some((_, row)) = rows.next_document()? {
                let is_of = |part: &P| has(*part, row.file as usize);
                lacking.documents.retain(|part| !is_of(part));
                lacking.words.retain(|part| row.words == 0 || !is_of(part));
            }
        }
        Ok(lacking)
    }
}

fn names(config: &Config) -> Vec<&str> {
    let sources = config.input.sources.iter();
    sources.map(|one| one.source.name.as_str()).collect()
}

/// `paths` without those of the sources, which come last.
fn data_paths(config: &Config) -> &[String] {
    let paths = &config.input.paths;
    let sources = config.input_discovery().sources;
    let first = sources.first().map_or(paths.len(), |one| one.first_path);
    paths.get(..first).unwrap_or_default()
}

/// The error of a source without a document.
pub fn empty_source(
    config: &Config,
    name: &str,
    engine: Option<&Engine<'_>>,
) -> Result<Error, Error> {
    let reasons = Reasons::of_source(config, name, engine)?;
    let mend = match config.has_snapshots {
        true => "run with the keys of [input] by which it can be read, or drop the snapshot",
        false => "mend its paths, format or fields in [[input.source]], or remove it",
    };
    Ok(reasons.error(format!("source {name:?}"), mend))
}

/// Notes what of a source could not be read, if anything.
pub fn note_unread(engine: &Engine<'_>, name: &str) -> Result<(), Error> {
    let reasons = Reasons::of_source(engine.config, name, Some(engine))?;
    let rejected: u64 = reasons.rejected.values().sum();
    if rejected > 0 {
        let why = reasons.why();
        let note = format!("note: of source {name:?} could not be read: {rejected}{why}");
        engine.reporter.line(&note);
    }
    Ok(())
}

/// The error of input from which nothing can go, as no document of it could be read. `is_data`
/// tells its files.
pub fn empty_data(
    config: &Config,
    engine: Option<&Engine<'_>>,
    is_data: &dyn Fn(usize) -> bool,
) -> Result<Error, Error> {
    let mut reasons = Reasons::default();
    match engine {
        Some(engine) => reasons.of_files(engine, is_data)?,
        None => reasons.of_listing(config, data_paths(config), config.input.format)?,
    }
    let part = "the data, which is what references and --against leave of paths in [input]";
    let mend = "mend paths, format or fields in [input], or those of the sources";
    Ok(reasons.error(part.to_owned(), mend))
}

/// Why a part of the input has no document.
#[derive(Default)]
struct Reasons {
    rejected: BTreeMap<String, u64>,
    first: Option<RejectedExample>,
    left_out: BTreeMap<String, u64>,
}

impl Reasons {
    /// Those of a source, or of a snapshot that is one.
    fn of_source(
        config: &Config,
        name: &str,
        engine: Option<&Engine<'_>>,
    ) -> Result<Reasons, Error> {
        let mut reasons = Reasons::default();
        if let Some(source) = config.input.source(name) {
            reasons.of_listing(config, &source.paths, source.source.format)?;
        }
        if let Some(engine) = engine {
            let inputs = &engine.inputs;
            let mut snapshots = inputs.snapshots.iter();
            let snapshot = snapshots.find(|live| !live.may_change() && live.name == name);
            let of_snapshot = |at| snapshot.is_some_and(|live| live.has(at));
            let is_of = |at: usize| {
                let file = inputs.listing.files.get(at);
                file.is_some_and(|file| file.is_of(name)) || of_snapshot(at)
            };
            reasons.of_files(engine, &is_of)?;
        }
        Ok(reasons)
    }

    fn count(&mut self, rejected: RejectedExample) {
        *self.rejected.entry(rejected.reason.clone()).or_insert(0) += 1;
        self.first.get_or_insert(rejected);
    }

    /// Adds those of files that are not read: a listing has their names alone.
    fn of_listing(
        &mut self,
        config: &Config,
        paths: &[String],
        format: FormatChoice,
    ) -> Result<(), Error> {
        let listing = input::discover(&Discovery {
            format,
            ..config.discovery(paths.to_vec())
        })?;
        for file in listing.rejected {
            if file.reason == input::NOT_A_PAGE {
                *self.left_out.entry(file.detail).or_insert(0) += 1;
            } else {
                self.count(of_file(&file));
            }
        }
        Ok(())
    }

    /// Adds what was rejected of listed files.
    fn of_files(
        &mut self,
        engine: &Engine<'_>,
        is_of: &dyn Fn(usize) -> bool,
    ) -> Result<(), Error> {
        let files = &engine.inputs.listing.files;
        let mut rows = engine.segments()?.rows(SegmentFile::Rejected);
        while let Some(row) = rows.next_rejected()? {
            // A file that was not listed has no place in the listing.
            let at = row.file as usize;
            let file = files.get(at).filter(|_| row.name.is_none() && is_of(at));
            if let Some(file) = file {
                self.count(RejectedExample {
                    source: file.name.clone(),
                    byte: row.offset,
                    reason: row.reason.to_owned(),
                    detail: row.detail.to_owned(),
                    ..RejectedExample::default()
                });
            }
        }
        Ok(())
    }

    /// The counts by reason and the first one, to be read after their sum.
    fn why(&self) -> String {
        let counts = self.rejected.iter();
        let counts: Vec<String> = counts
            .map(|(reason, count)| format!("{count} {reason}"))
            .collect();
        match &self.first {
            Some(first) if counts.len() == 1 => told(first),
            Some(first) => format!(" ({}){}", counts.join(", "), told(first)),
            None if self.left_out.is_empty() => {
                "; what was read of it is no page and no row".to_owned()
            }
            None => skipped_types(&self.left_out),
        }
    }

    fn error(self, part: String, mend: &'static str) -> Error {
        Error::EmptySource {
            part,
            rejected: self.rejected.values().sum(),
            why: self.why(),
            mend,
        }
    }
}
