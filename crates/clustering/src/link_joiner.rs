//! Links in order → the sets they join, and the weakest link of each lower document.
//!
//! *Input.* Links by their two documents. *Output.* A union-find; a file of ⟨lower document,
//! shared, union⟩. *Algorithm.* Those that join of one lower document are all of one set: their
//! weakest is found while they are at hand, so what is the weakest of a cluster needs no second
//! look at the links. *Memory.* The cells. *Disk.* 12 bytes for each document that joins with a
//! higher one.

use crate::link_policy::{reached, union};
use crate::partition::{UnionFind, WeakestLink};
use engine::{Error, ScratchDir};
use format::{FormatError, LinkRecord, ScratchFile, ScratchWriter};
use model::record;
use model::{Cells, LinkPolicy, VecCells};

/// Joins the documents of links.
pub(super) struct LinkJoiner<C> {
    policy: LinkPolicy,
    sets: UnionFind<C>,
    rows: ScratchWriter<WeakestRow>,
}

/// The weakest of some links of a document with higher ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct WeakestRow {
    pub(super) doc: u32,
    shared: u32,
    union: u32,
}

record! { WeakestRow { doc, shared, union } }

impl WeakestRow {
    pub(super) fn link(&self) -> WeakestLink {
        WeakestLink {
            shared: self.shared,
            union: self.union,
        }
    }
}

impl<C: Cells<Error: Into<FormatError>>> LinkJoiner<C> {
    /// Over cells that are all 0.
    pub(super) fn new(
        scratch: &ScratchDir,
        policy: &LinkPolicy,
        cells: C,
    ) -> Result<LinkJoiner<C>, Error> {
        Ok(LinkJoiner {
            policy: *policy,
            sets: UnionFind::new(cells),
            rows: scratch.file("weakest.run-rows")?,
        })
    }

    /// Takes the next links in order.
    pub(super) fn take(&mut self, links: &[LinkRecord]) -> Result<(), FormatError> {
        let LinkJoiner { policy, sets, rows } = self;
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
                rows.push(&WeakestRow {
                    doc: row[0].a,
                    shared,
                    union,
                })?;
            }
        }
        Ok(())
    }

    /// All links came.
    pub(super) fn finish(self) -> Result<JoinedSets<C>, FormatError> {
        Ok(JoinedSets {
            sets: self.sets,
            rows: self.rows.finish()?,
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
    /// In order of the lower documents; of one document there may be several.
    pub(super) rows: ScratchFile<WeakestRow>,
}
