//! Files of the phase that several of its steps open.

use crate::link_policy::PHASE;
use engine::{Engine, Error, cells::SpillableCells};
use format::{FileKind, LinkRecord, RecordReader, Sealed};

/// Opens the links just written.
pub(super) fn read_links(
    engine: &Engine<'_>,
    links: &Sealed,
) -> Result<RecordReader<LinkRecord>, Error> {
    engine.open(PHASE, links, FileKind::Links)
}

/// A cell for each document, in memory or in a file `NAME.run-cells`.
pub(super) fn cells(engine: &Engine<'_>, name: &str) -> Result<SpillableCells, Error> {
    let documents = engine.segments()?.documents() as usize;
    let path = engine.dir(PHASE).join(format!("{name}.run-cells"));
    SpillableCells::create(&engine.disk, &path, documents, &engine.budget).map_err(Error::from)
}
