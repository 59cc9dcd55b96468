//! How many links lie between a representative and the one its cluster keeps.
//!
//! *Input.* The links, and a cell of 1 for each kept representative. *Output.* In each cell the
//! length of the shortest chain of joining links, plus 1; 0 where there is none. *Algorithm.* Links
//! are looked at in turn, forwards and backwards, and each shortens what it can, until nothing
//! changes: two rounds for chains in the order of documents, and never more than the longest chain
//! has links. *Memory.* The cells, and a block of links. *Disk.* Reads only.

use cluster::{Cells, LinkPolicy};
use clustering::reached;
use engine::Engine;
use format::{FileKind, FormatError, LinkRecord};
use publication::removals::evidence::Links;
use runtime::{Error, PhaseName};

/// Lengths of chains plus one, by representative.
pub(super) struct ChainLengths<C>(pub(super) C);

impl<C: Cells<Error = format::FormatError>> Links for ChainLengths<C> {
    fn between(&mut self, _: u32, _: u32, removed: u32) -> Result<u32, Error> {
        Ok(self.0.get(removed)?.saturating_sub(1))
    }
}

/// Links looked at together.
const BLOCK_LINKS: u64 = 8192;

/// Fills the cells.
pub(super) fn fill<C: Cells<Error = FormatError>>(
    engine: &Engine<'_>,
    cells: &mut C,
) -> Result<(), Error> {
    let policy = engine.config.cluster.link_policy();
    let mut links = engine.reader::<LinkRecord>(PhaseName::Cluster, "links", FileKind::Links)?;
    let count = links.records();
    let mut block = Vec::new();
    for round in 0_u64.. {
        let mut changed = false;
        for number in 0..count.div_ceil(BLOCK_LINKS) {
            let backwards = round % 2 == 1;
            let number = if backwards {
                count.div_ceil(BLOCK_LINKS) - 1 - number
            } else {
                number
            };
            let first = number * BLOCK_LINKS;
            links.seek(first)?;
            block.clear();
            while (block.len() as u64) < BLOCK_LINKS.min(count - first) {
                let Some(link) = links.next()? else { break };
                block.push(link);
            }
            if backwards {
                block.reverse();
            }
            for link in &block {
                changed |= shorten(&policy, link, cells)?;
            }
        }
        if !changed {
            break;
        }
    }
    Ok(())
}

/// Lets a link shorten the way to either end.
fn shorten<C: Cells<Error = FormatError>>(
    policy: &LinkPolicy,
    link: &LinkRecord,
    cells: &mut C,
) -> Result<bool, FormatError> {
    if !policy.joins(reached(link)) {
        return Ok(false);
    }
    let (a, b) = (cells.get(link.a)?, cells.get(link.b)?);
    let longer = |from: u32, to: u32| from != 0 && (to == 0 || to > from + 1);
    if longer(a, b) {
        cells.set(link.b, a + 1)?;
    } else if longer(b, a) {
        cells.set(link.a, b + 1)?;
    } else {
        return Ok(false);
    }
    Ok(true)
}
