//! `removed.parquet`: every document that goes when duplicates are removed, beside the one that is
//! kept instead.
//!
//! *Input.* The files of phase `cluster` and of those before. *Output.* The table. *Algorithm.* The
//! crate `removals` pairs and counts. Chains of links are not counted. *Memory.* Half the budget,
//! for sorts. *Disk.* 32 bytes a removed document, until the table is written.

use super::PHASE;
use crate::publish::Publication;
use engine::Engine;
use engine::cells::SpillableCells;
use format::Sealed;
use removals::candidate::{Members, from_clusters};
use removals::evidence::{self, DirectLinks};
use removals::removal::RemovalFile;
use removals::table;
use removals::task::Task;
use runtime::Error;

/// The documents that go, in a scratch file.
pub struct Removed<'a> {
    engine: &'a Engine<'a>,
    file: RemovalFile,
}

/// Steps of the phase, whose sorts are of so many bytes.
fn task<'a>(engine: &'a Engine<'a>, share_bytes: usize) -> Task<'a> {
    Task {
        engine,
        dir: engine.dir(PHASE),
        share_bytes,
    }
}

impl<'a> Removed<'a> {
    /// Finds them, with the evidence.
    pub fn find(engine: &'a Engine<'a>) -> Result<Removed<'a>, Error> {
        let memory = engine.budget.reserve_share(1, 2);
        let task = task(engine, memory.bytes() / 4);
        let candidates = from_clusters::<SpillableCells>(&task, Members::NotKept, None)?;
        let removals = evidence::removals(&task, candidates, &mut DirectLinks::open(engine)?)?;
        let file = RemovalFile::write(&task, "removals.run-0", removals)?;
        Ok(Removed { engine, file })
    }

    /// Writes the table, and removes the scratch file.
    pub fn publish(self, publication: &Publication) -> Result<Sealed, Error> {
        let memory = self.engine.budget.reserve_share(1, 2);
        let task = task(self.engine, memory.bytes() / 2);
        let file = publication.file("removed.parquet")?;
        let sealed = table::write(&task, &self.file, PHASE, file, |_, _, _| Ok(()))?;
        self.file.remove(&task)?;
        Ok(sealed)
    }
}
