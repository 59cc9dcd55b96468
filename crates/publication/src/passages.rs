//! `passages.parquet`: one row a passage; and how many words of each document are in passages.
//!
//! *Input.* The files of phase `passages`, document rows, marks, classes. *Output.* The table; the
//! counts of the report. *Algorithm.* Joined in document order. *Memory.* Four bytes a document for
//! its repeated words, on disk if they do not fit.

use super::PHASE;
use crate::leading_passages::LeadingPassages;
use crate::publish::{Publication, end_table};
use config::PassagesConfig;
use engine::cells::SpillableCells;
use engine::segments::SegmentFile;
use engine::{Engine, Error, PhaseName, figures::PassageFigures};
use format::{Characters, FileKind, PassageRecord, PublicIds, RecordReader, Sealed};
use model::{Cells, Class};
use output::{CoveredDocument, PASSAGES, PassageCounts, PassageRow, RepeatedPassage};
use sort::Lookup;

/// Passages and documents shown in the report.
const SHOWN: usize = 10;

/// The repeated words of a document that could not be read.
const UNKNOWN: u32 = u32::MAX;

/// The passages of a run, by document; `None` where they are not looked for.
fn passages_of(engine: &Engine<'_>) -> Result<Option<Lookup<RecordReader<PassageRecord>>>, Error> {
    if engine.config.passages.is_none() {
        return Ok(None);
    }
    let reader = engine.reader(PhaseName::Passages, "passages", FileKind::Passages)?;
    Ok(Some(Lookup::over(reader)?))
}

/// How many words of each document are in passages.
pub(crate) struct RepeatedWords {
    cells: SpillableCells,
    counts_all: bool,
}

impl RepeatedWords {
    /// Adds them up; `None` where passages are not looked for.
    pub(crate) fn find(engine: &Engine<'_>) -> Result<Option<RepeatedWords>, Error> {
        let Some(mut passages) = passages_of(engine)? else {
            return Ok(None);
        };
        let mut cells = engine.scratch(PHASE)?.cells("repeated-words")?;
        while let Some(PassageRecord { doc, .. }) = passages.peek() {
            let mut words = 0;
            while let Some(passage) = passages.next_if(|next| next.doc == doc)? {
                words = match passage.is_of_unread() {
                    true => UNKNOWN,
                    false => words + passage.end - passage.begin,
                };
            }
            cells.set(doc, words)?;
        }
        let counts_all = engine.config.passages.is_some_and(|one| one.counts_all);
        Ok(Some(RepeatedWords { cells, counts_all }))
    }

    /// Those of a document, which has this class; `None` if it could not be read.
    pub(crate) fn of(&mut self, doc: u32, class: Option<&Class>) -> Result<Option<i64>, Error> {
        let standing = match class {
            Some(class) if !self.counts_all => class.lowest_of_equal_tokens(),
            Some(_) | None => doc,
        };
        let words = self.cells.get(standing)?;
        Ok((words != UNKNOWN).then_some(i64::from(words)))
    }
}

/// The published passages.
pub struct PublishedPassages {
    /// `passages.parquet`.
    pub table: Sealed,
    /// The counts of the report.
    pub counts: PassageCounts,
}

/// Writes the table; `None` where passages are not looked for.
pub fn passages(
    engine: &Engine<'_>,
    publication: &Publication,
) -> Result<Option<PublishedPassages>, Error> {
    let (Some(mut passages), Some(settings)) = (passages_of(engine)?, engine.config.passages)
    else {
        return Ok(None);
    };
    let (segments, ids) = (engine.segments()?, engine.public_ids());
    let rows = passages.stream().records();
    let mut table = publication.table("passages.parquet", PASSAGES.schema(), rows)?;
    let mut documents = segments.rows(SegmentFile::Documents);
    let mut leading = LeadingPassages::of(SHOWN);
    while let Some(PassageRecord { doc, .. }) = passages.peek() {
        let Some(row) = documents.document(doc)? else {
            let text = format!("failed to describe passages of document {doc}: it has no row");
            return Err(Error::Usage(format!("{text}; run again")));
        };
        while let Some(passage) = passages.next_of(doc)? {
            leading.add(passage, row.words);
            if !passage.is_of_unread() {
                table.write(&row_of(&passage, [row.id, row.url], &ids))?;
            }
        }
    }
    let (most_repeated, most_covered) = leading.sorted();
    let most_repeated = most_repeated.iter().map(|passage| RepeatedPassage {
        doc_id: ids.get(passage.doc),
        begin: passage.begin,
        end: passage.end,
        places: passage.places[1],
        documents: passage.documents,
    });
    let most_covered = most_covered.iter().map(|document| CoveredDocument {
        doc_id: ids.get(document.doc),
        words: document.words,
        repeated_words: document.repeated_words,
    });
    Ok(Some(PublishedPassages {
        table: end_table(table)?,
        counts: PassageCounts {
            most_repeated: most_repeated.collect(),
            most_covered: most_covered.collect(),
            ..counts(engine, settings)?
        },
    }))
}

/// The row of a passage; of its document the id and the URL are given.
fn row_of<'a>(
    passage: &PassageRecord,
    [id, url]: [Option<&'a str>; 2],
    ids: &PublicIds,
) -> PassageRow<'a> {
    let characters = Some(passage.characters).filter(|one| *one != Characters::UNKNOWN);
    let [places_min, places_max] = passage.places;
    PassageRow {
        doc_id: ids.get(passage.doc),
        id,
        url,
        begin_word: i64::from(passage.begin),
        end_word: i64::from(passage.end),
        begin_character: characters.map(|one| i64::from(one.begin)),
        end_character: characters.map(|one| i64::from(one.end)),
        words: i64::from(passage.end - passage.begin),
        places_min: i64::from(places_min),
        places_max: i64::from(places_max),
        documents: i64::from(passage.documents),
        source_doc_id: ids.get(passage.source_doc),
        source_begin: i64::from(passage.source_begin),
        is_source: passage.is_source,
    }
}

/// The counts of the report, without its lists.
fn counts(engine: &Engine<'_>, settings: PassagesConfig) -> Result<PassageCounts, Error> {
    let manifest = engine.manifest();
    let record = manifest.phases.get(PhaseName::Passages.name());
    let figures = record.map(|record| record.figures.read::<PassageFigures>());
    drop(manifest);
    let figures = figures.unwrap_or_default();
    let mut counts = PassageCounts {
        shortest: settings.words,
        passages: figures.passages,
        documents_with_passages: figures.documents,
        repeated_words: figures.words,
        unread: figures.unread,
        ..PassageCounts::default()
    };
    let (mut marks, mut classes) = (engine.segments()?.marks(), engine.classes()?);
    while let Some((doc, mark)) = marks.next()? {
        if settings.counts_all || classes.of(doc)?.lowest_of_equal_tokens() == doc {
            counts.documents += 1;
            counts.words += mark.words;
        }
    }
    Ok(counts)
}
