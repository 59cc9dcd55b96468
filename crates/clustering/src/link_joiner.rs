//! Links in order → the sets they join, and the weakest link of each lower document.
//!
//! *Input.* Links by their two documents. *Output.* A union-find; a file of ⟨lower document,
//! shared, union⟩. *Algorithm.* Those that join of one lower document are all of one set: their
//! weakest is found while they are at hand, so what is the weakest of a cluster needs no second
//! look at the links. *Memory.* The cells. *Disk.* 12 bytes for each document that joins with a
//! higher one.

use crate::link_policy::{PHASE, reached, union};
use cluster::{Cells, LinkPolicy, UnionFind, VecCells, WeakestLink};
use engine::Engine;
use format::{Disk, FileKind, FormatError, LinkRecord, RecordReader, RecordSpec, RecordWriter};
use model::Words;
use runtime::Error;
use std::path::PathBuf;

/// Joins the documents of links.
pub(super) struct LinkJoiner<C> {
    policy: LinkPolicy,
    sets: UnionFind<C>,
    rows: RecordWriter<Words<3>>,
    scratch: ScratchFile,
}

/// A file that goes with this.
struct ScratchFile {
    disk: Disk,
    path: PathBuf,
}

impl Drop for ScratchFile {
    fn drop(&mut self) {
        let _ = self.disk.remove(&self.path);
    }
}

impl<C: Cells<Error: Into<FormatError>>> LinkJoiner<C> {
    /// Over cells that are all 0.
    pub(super) fn new(
        engine: &Engine<'_>,
        policy: &LinkPolicy,
        cells: C,
    ) -> Result<LinkJoiner<C>, Error> {
        let path = engine.dir(PHASE).join("weakest.run-rows");
        let spec = RecordSpec::scratch(path.clone(), 64 << 10);
        let rows = RecordWriter::create(&engine.disk, spec)?;
        let scratch = ScratchFile {
            disk: engine.disk.clone(),
            path,
        };
        Ok(LinkJoiner {
            policy: *policy,
            sets: UnionFind::new(cells),
            rows,
            scratch,
        })
    }

    /// Takes the next links in order.
    pub(super) fn take(&mut self, links: &[LinkRecord]) -> Result<(), FormatError> {
        let LinkJoiner {
            policy, sets, rows, ..
        } = self;
        let joins = |link: &&LinkRecord| policy.joins(reached(link));
        sets.prefetch(links.iter().filter(joins).map(|link| (link.a, link.b)));
        for row in links.chunk_by(|one, next| one.a == next.a) {
            let mut least: Option<WeakestLink> = None;
            for link in row.iter().filter(joins) {
                sets.join(link.a, link.b).map_err(Into::into)?;
                let link = WeakestLink {
                    shared: link.shared,
                    union: union(link),
                };
                least = Some(least.map_or(link, |least| least.or_weaker(link)));
            }
            if let Some(WeakestLink { shared, union }) = least {
                rows.push(&Words([row[0].a, shared, union]))?;
            }
        }
        Ok(())
    }

    /// All links came.
    pub(super) fn finish(self) -> Result<JoinedSets<C>, FormatError> {
        let LinkJoiner {
            sets,
            rows,
            scratch,
            ..
        } = self;
        rows.finish()?;
        let rows = RecordReader::open(&scratch.disk, &scratch.path, FileKind::Run)?;
        Ok(JoinedSets {
            sets,
            rows: WeakestLinkRows { rows, scratch },
        })
    }
}

impl LinkJoiner<VecCells> {
    /// The words beside the cell of a document.
    #[inline]
    pub(super) fn words(&self, doc: u32) -> &[u32] {
        self.sets.cells().words(doc)
    }

    /// The cells, to fill the words beside them.
    pub(super) fn cells_mut(&mut self) -> &mut VecCells {
        self.sets.cells_mut()
    }

    /// Asks for cells and what lies beside them.
    #[inline]
    pub(super) fn ask(&self, docs: impl Iterator<Item = u32>) {
        // The loads must happen though nobody wants their values yet; the processor does not wait
        // for them.
        std::hint::black_box(
            docs.map(|doc| self.sets.cells().touch(doc))
                .fold(0, u32::wrapping_add),
        );
    }
}

/// Joined links.
pub(super) struct JoinedSets<C> {
    pub(super) sets: UnionFind<C>,
    pub(super) rows: WeakestLinkRows,
}

/// The weakest link of each lower document, in order of these; of one document there may be
/// several.
pub(super) struct WeakestLinkRows {
    rows: RecordReader<Words<3>>,
    #[expect(dead_code, reason = "held for its drop")]
    scratch: ScratchFile,
}

impl WeakestLinkRows {
    /// The next one.
    #[inline]
    pub(super) fn next(&mut self) -> Result<Option<(u32, WeakestLink)>, FormatError> {
        Ok(self
            .rows
            .next()?
            .map(|Words([doc, shared, union])| (doc, WeakestLink { shared, union })))
    }
}
