//! Phase `distinct`: marks → classes of identical, lexically and shingle-equivalent documents.
//!
//! *Input.* The fingerprints of every document, in document order. *Output.* For each document that
//! equals another, the lowest document of each of its classes. *Algorithm.* *Syntactic Clustering
//! of the Web*, "Identical documents": for each relation, ⟨fingerprint, document⟩ is sorted
//! ([`keys`] says which documents take part), groups of two or more are found in one pass
//! ([`KeyGroups`]), sorted back by document and joined. Threads take segments and feed the three
//! sorts, then take parts of each sort, in which groups are whole. *Memory and disk.* Those of the
//! sorts. *Limits.* Equal fingerprints of 128 bits count as equal documents: with n documents of a
//! relation about n² / 2^129 false equals are expected, 10⁻²⁴ for 30 million.

mod groups;

pub use groups::{DocumentKey, Lowest, keys};

use crate::memory;
use engine::{Engine, Error, PhaseName, figures::DistinctFigures, segments::Segments};
use format::{FileKind, FormatError, PhaseRecord, Sealed};
use groups::KeyGroups;
use model::{Class, Equality, SketchedFingerprints};
use output::{ClassCount, ClassCounts};
use sort::{KeepAll, Lookup, Prefixes, Sorted, Sorter};

const PHASE: PhaseName = PhaseName::Distinct;

/// State that the threads share while they read marks.
struct DistinctContext<'a> {
    engine: &'a Engine<'a>,
    segments: Segments,
    by_key: [Sorter<DocumentKey, KeepAll>; 3],
    task: engine::runtime::progress::Task,
}

/// Runs the phase; gives its outputs and counts for the manifest.
pub fn run(engine: &Engine<'_>) -> Result<PhaseRecord, Error> {
    let segments = engine.segments()?;
    let documents = segments.documents();
    let task = engine
        .reporter
        .task(PHASE, "documents", u64::from(documents));
    // Three sorts of keys fill side by side; each gives its memory back before its groups are
    // sorted.
    let memory = engine.budget.take(memory::CLASSES);
    let share = memory.part_bytes();
    let sorter = |relation: Equality| {
        engine
            .sorter(PHASE, relation.name(), share, KeepAll)
            .expecting(Prefixes::ALL)
    };
    let by_key = Equality::ALL.map(sorter);
    let shared = DistinctContext {
        engine,
        segments,
        by_key,
        task,
    };
    shared
        .segments
        .in_every_thread(|segments| shared.feed(segments))?;
    let mut figures = DistinctFigures::default();
    let ClassCounts {
        identical,
        lexical,
        shingle,
        ..
    } = &mut figures.classes;
    let counts = [identical, lexical, shingle];
    let mut by_document = Vec::new();
    for ((sorter, relation), count) in shared.by_key.into_iter().zip(Equality::ALL).zip(counts) {
        let name = format!("{}-groups", relation.name());
        let members = engine
            .sorter(PHASE, &name, share / 3, KeepAll)
            .expecting(Prefixes::documents(documents));
        let found = find_groups(sorter.finish()?, &members)?;
        *count = ClassCount {
            classes: found.groups,
            documents: found.documents,
        };
        by_document.push(members.finish()?);
    }
    let (sealed, represented) = join(engine, by_document)?;
    figures.represented = represented;
    figures.classes.representatives = u64::from(documents) - represented;
    Ok(PhaseRecord::of([sealed], &figures))
}

impl DistinctContext<'_> {
    /// The work of one thread on its segments.
    fn feed(&self, segments: &mut dyn Iterator<Item = usize>) -> Result<(), Error> {
        let class_min = self.engine.config.sketch.shingle_class_min;
        let mut feeders = self.by_key.each_ref().map(Sorter::feeder);
        for segment in segments {
            let mut marks = self.segments.marks_of(segment);
            while let Some((doc, mark)) = marks.next()? {
                let keys = keys(&SketchedFingerprints::from(&mark), class_min);
                for (feeder, key) in feeders.iter_mut().zip(keys) {
                    if let Some(key) = key {
                        feeder.push(DocumentKey { key, doc })?;
                    }
                }
            }
            self.task
                .add(u64::from(self.segments.documents_of(segment)));
        }
        feeders
            .into_iter()
            .try_for_each(|feeder| feeder.finish().map_err(Error::from))
    }
}

/// Gives the members of every group to a sort by document, and counts groups and members. Equal
/// keys are in one part.
fn find_groups(
    sorted: Sorted<DocumentKey, KeepAll>,
    members: &Sorter<Lowest, KeepAll>,
) -> Result<KeyGroups, FormatError> {
    let parts = sorted.for_each_part(|part| {
        let mut groups = KeyGroups::default();
        let mut feeder = members.feeder();
        while let Some(slice) = part.next_slice()? {
            for keyed in slice {
                for member in groups.push(*keyed).into_iter().flatten() {
                    feeder.push(member)?;
                }
            }
        }
        feeder.finish()?;
        Ok::<KeyGroups, FormatError>(groups)
    })?;
    let mut all = KeyGroups::default();
    for part in parts {
        all.groups += part.groups;
        all.documents += part.documents;
    }
    Ok(all)
}

/// Joins the three lists and writes the classes; also counts the documents that another one
/// represents.
fn join(engine: &Engine<'_>, lists: Vec<Sorted<Lowest, KeepAll>>) -> Result<(Sealed, u64), Error> {
    let mut writer = engine.writer::<Class>(PHASE, "classes", FileKind::Classes)?;
    let lists = lists.into_iter().map(Lookup::over);
    let mut lists = lists.collect::<Result<Vec<_>, _>>()?;
    let mut represented = 0;
    while let Some(doc) = lists
        .iter()
        .filter_map(Lookup::peek)
        .map(|one| one.doc)
        .min()
    {
        let mut class = Class::alone(doc);
        for (lowest, list) in class.lowest.iter_mut().zip(&mut lists) {
            if let Some(member) = list.next_of(doc)? {
                *lowest = member.lowest;
            }
        }
        represented += u64::from(class.representative() != doc);
        writer.push(&class)?;
    }
    Ok((writer.finish()?, represented))
}
