//! Which classes may be kept of a cluster.
//!
//! *Input.* Links, the sets that they join. *Output.* Whether a class may be kept, and whether it
//! is. *Memory.* A cell a document, if containment is configured; else see [`star`].

use crate::link_policy::{PHASE, reached};
use crate::partition::UnionFind;
use crate::star::{self, Standing, Stars};
use engine::{Engine, Error, cells::SpillableCells};
use format::{FileKind, FormatError, LinkRecord, Sealed};
use model::{Cells, ContainedDocument, LinkPolicy};

/// The classes that may be kept.
pub(super) enum MayStay {
    /// A cluster keeps one document, of none of these classes if there are others. A cell of 1 says
    /// that another class of its set contains one; no cells if containment is not looked for.
    NotContained(Option<SpillableCells>),
    /// A cluster keeps one document of each class that has its own star.
    Stars(Stars),
}

impl MayStay {
    /// Decides by the linkage of the configuration.
    pub(super) fn of_links(
        engine: &Engine<'_>,
        policy: &LinkPolicy,
        links: &Sealed,
        sets: &mut UnionFind<SpillableCells>,
    ) -> Result<MayStay, Error> {
        if engine.config.cluster.linkage.is_direct() {
            return Ok(MayStay::Stars(star::stars(engine, policy, links)?));
        }
        if policy.containment.is_none() {
            return Ok(MayStay::NotContained(None));
        }
        let mut contained = engine.scratch(PHASE)?.cells("contained")?;
        let mut reader = engine.open::<LinkRecord>(PHASE, links, FileKind::Links)?;
        while let Some(links) = reader.next_slice()? {
            for link in links {
                let reached = reached(link);
                let Some(end) = reached.contained_document() else {
                    continue;
                };
                // Two documents of a link that joins are in one set.
                if policy.joins(reached) || sets.find(link.a)? == sets.find(link.b)? {
                    let doc = match end {
                        ContainedDocument::A => link.a,
                        ContainedDocument::B => link.b,
                    };
                    contained.set(doc, 1)?;
                }
            }
        }
        Ok(MayStay::NotContained(Some(contained)))
    }

    /// The standing of the class of a representative. A class is so with all its documents.
    pub(super) fn of(&mut self, representative: u32) -> Result<Standing, FormatError> {
        match self {
            MayStay::Stars(stars) => stars.of(representative),
            MayStay::NotContained(contained) => {
                let is_excluded = match contained {
                    Some(contained) => contained.get(representative)? == 1,
                    None => false,
                };
                Ok(Standing {
                    is_excluded,
                    is_kept: false,
                })
            }
        }
    }
}
