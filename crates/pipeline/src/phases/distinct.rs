//! Marks → classes. Three sorts of ⟨fingerprint, document⟩, one a relation, their groups sorted back by document.

use crate::engine::Engine;
use crate::{Error, PhaseName};
use distinct::{Groups, Join, Keyed, Lowest, SketchedFingerprints, keys};
use format::{FileKind, PhaseRecord, Sealed};
use model::{Class, Equality};
use sort::{Keep, Sorted};

const PHASE: PhaseName = PhaseName::Distinct;

pub(crate) fn run(engine: &Engine<'_>) -> Result<PhaseRecord, Error> {
    let work = Error::work(PHASE);
    let segments = engine.segments()?;
    let task = engine.reporter.task(PHASE, "documents", u64::from(segments.documents()));
    // Three sorts of keys fill side by side; each gives its memory back before its groups are sorted.
    let memory = engine.budget.reserve_share(1, 1);
    let share = memory.bytes() / 4;
    let mut by_key = Equality::ALL.map(|relation| engine.sorter(PHASE, relation.name(), share, Keep));
    let mut marks = segments.marks();
    while let Some((doc, mark)) = marks.next()? {
        let fingerprints = SketchedFingerprints {
            identity: mark.identity,
            lexical: mark.lexical,
            words: mark.words,
            sketch: mark.sketch,
            sketch_size: mark.sketch_size,
        };
        for (sorter, key) in by_key.iter_mut().zip(keys(&fingerprints, engine.config.sketch.shingle_class_min)) {
            if let Some(key) = key {
                sorter.push(Keyed { key, doc }).map_err(work)?;
            }
        }
        task.add(1);
    }
    let mut counts = Vec::new();
    let mut by_document = Vec::new();
    for (sorter, relation) in by_key.into_iter().zip(Equality::ALL) {
        let mut sorted = sorter.finish().map_err(work)?;
        let mut groups = Groups::default();
        let name = format!("{}-groups", relation.name());
        let mut members = engine.sorter::<Lowest, _>(PHASE, &name, share / 3, Keep);
        while let Some(next) = sorted.next().map_err(work)? {
            for member in groups.push(next).into_iter().flatten() {
                members.push(member).map_err(work)?;
            }
        }
        counts.push((format!("{}_classes", relation.name()), groups.groups));
        counts.push((format!("{}_documents", relation.name()), groups.documents));
        by_document.push(members.finish().map_err(work)?);
    }
    let (sealed, represented) = join(engine, by_document)?;
    counts.push(("represented".to_owned(), represented));
    counts.push(("representatives".to_owned(), u64::from(segments.documents()) - represented));
    let mut record = super::record([sealed], []);
    record.counts = counts.into_iter().collect();
    Ok(record)
}

/// Joins the three lists and writes the classes; also counts the documents that another one represents.
fn join(engine: &Engine<'_>, mut lists: Vec<Sorted<Lowest, Keep>>) -> Result<(Sealed, u64), Error> {
    let work = Error::work(PHASE);
    let mut writer = engine.writer::<Class>(PHASE, "classes", FileKind::Classes)?;
    let mut heads = [None; 3];
    for (head, list) in heads.iter_mut().zip(&mut lists) {
        *head = list.next().map_err(work)?;
    }
    let mut join = Join::new(heads);
    let mut represented = 0;
    while let Some(class) = join.next(|relation| lists[relation].next()).map_err(work)? {
        represented += u64::from(class.representative() != class.doc);
        writer.push(&class).map_err(work)?;
    }
    Ok((writer.finish().map_err(work)?, represented))
}
