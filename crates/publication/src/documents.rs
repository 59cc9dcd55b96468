//! The document tables and the rejected records of all snapshots, put into the publication by a
//! second name.

use super::{REJECTED, documents_table};
use crate::publish::Publication;
use engine::{
    Engine, Error, PhaseName,
    document_tables::{documents_work, rejected_work},
};
use format::{AtomicFile, Sealed};
use std::collections::BTreeMap;

/// The phase that makes the tables.
const PHASE: PhaseName = PhaseName::Sketch;

/// Puts the tables of all snapshots into a publication; those of the sketch phase get a second
/// name.
pub fn publish(
    engine: &Engine<'_>,
    publication: &Publication,
) -> Result<BTreeMap<String, Sealed>, Error> {
    let work = engine.dir(PHASE);
    let spans = engine.spans();
    let mut outputs = BTreeMap::new();
    let mut link = |from: &str, to: String| {
        let sealed = engine.sealed(PHASE, from)?;
        AtomicFile::verify(&engine.disk, &work.join(from), &sealed)?;
        publication.link(&work.join(from), &to)?;
        outputs.insert(to.clone(), Sealed { name: to, ..sealed });
        Ok::<(), Error>(())
    };
    for span in &spans {
        link(&documents_work(span.number), documents_table(&span.name))?;
    }
    if let [only] = &spans[..] {
        link(&rejected_work(only.number), REJECTED.to_owned())?;
        return Ok(outputs);
    }
    let mut all = publication.file(REJECTED)?;
    let mut records = 0;
    for span in &spans {
        let sealed = engine.sealed(PHASE, &rejected_work(span.number))?;
        records += sealed.records;
        let path = work.join(&sealed.name);
        AtomicFile::verify(&engine.disk, &path, &sealed)?;
        all.append_file(&path)
            .map_err(|e| Error::from_format(Some(PhaseName::Index), e))?;
    }
    outputs.insert(
        REJECTED.to_owned(),
        all.commit(records)
            .map_err(|e| Error::from_format(Some(PhaseName::Index), e))?,
    );
    Ok(outputs)
}
