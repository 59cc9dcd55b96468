//! The sorts and scratch files of the steps that decide which documents go.

use engine::{Engine, PhaseName, ScratchDir};
use exact::Workplace;
use model::WordRecord;
use sort::WordSorter;

/// The engine, and where the sorts of a call work.
#[derive(Clone)]
pub struct RemovalTask<'a> {
    /// The run whose documents are decided on.
    pub engine: &'a Engine<'a>,
    /// Where sorts spill and scratch files lie.
    pub scratch: ScratchDir,
    /// Memory of one sort; at most three exist at a time.
    pub share_bytes: usize,
}

impl<'a> RemovalTask<'a> {
    /// Where documents are compared by all their shingles.
    pub fn workplace(&self) -> Workplace<'a> {
        Workplace {
            engine: self.engine,
            dir: self.scratch.dir.clone(),
            phase: PhaseName::Cluster,
        }
    }

    /// The task with sorts that take one of so many parts of the memory.
    pub fn in_parts(&self, parts: usize) -> RemovalTask<'a> {
        RemovalTask {
            share_bytes: self.share_bytes / parts,
            ..self.clone()
        }
    }

    /// A sort of small records, which one thread pushes.
    pub fn sorter<R: WordRecord>(&self, name: &str) -> WordSorter<R> {
        self.scratch.sorter(name, self.share_bytes)
    }

    /// A sort of small records that begin with a document, which one thread pushes.
    pub fn by_document<R: WordRecord>(&self, name: &str) -> WordSorter<R> {
        self.scratch.by_document(name, self.share_bytes)
    }
}
