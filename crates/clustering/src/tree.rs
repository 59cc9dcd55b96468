//! The clusters at every threshold as a tree: at which resemblance do two clusters join?
//!
//! *Input.* Pair counts, sketch sizes and classes of a finished run. *Output.* The joins, from the
//! highest resemblance to the lowest; of equal ones by their documents. *Algorithm.* Single linkage
//! by the maximum spanning forest of the links (Kruskal, 1956): the links are sorted by their
//! resemblance, and a link that joins two sets of a union-find is a join. *Memory.* A cell for
//! each document and one for its size, and the sort; all lie on disk where they do not fit. *Disk.*
//! 25 bytes a link, and 24 in the sort. *Limits.* Links below the floor of the run are not known.

use crate::cluster_sizes::ClusterSizes;
use crate::link_policy::{PHASE, union};
use crate::memory;
use crate::partition::{UnionFind, weakness};
use crate::resemblances;
use engine::{Engine, Error, PhaseName};
use format::{FileKind, LinkRecord};
use model::LinkPolicy;
use model::{Threshold, Words};

/// Two clusters that become one. A cluster is named by its lowest representative.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Join {
    /// The cluster that gives its name to both.
    pub cluster: u32,
    /// The other one.
    pub other: u32,
    /// Shared shingles of the strongest link between them.
    pub shared: u32,
    /// Shingles of its union.
    pub union: u32,
    /// Documents of both.
    pub documents: u64,
}

/// Hands on the joins of links that reach `lowest`, strongest first.
///
/// # Errors
/// When counts cannot be read or scratch files cannot be written, and those of `take`.
pub fn joins(
    engine: &Engine<'_>,
    lowest: Threshold,
    take: &mut dyn FnMut(&Join) -> Result<(), Error>,
) -> Result<(), Error> {
    let by_resemblance = LinkPolicy {
        resemblance: lowest,
        containment: None,
        containment_joins: false,
        ..engine.config.cluster.link_policy()
    };
    let scratch = engine.scratch(PHASE)?;
    let mut links = scratch.file::<LinkRecord>("tree.run-links")?;
    resemblances::write_links(engine, &by_resemblance, links.as_writer())?;
    let links = links.finish()?;
    let classes = engine.reader(PhaseName::Distinct, "classes", FileKind::Classes)?;
    let mut sizes = ClusterSizes::of(classes, &scratch)?;
    let mut sets = UnionFind::new(scratch.cells("tree-parents")?);
    let memory = scratch.budget.take(memory::TREE);
    let mut sorter = scratch.sorter::<Words<6>>("tree", memory.bytes());
    let mut reader = links.read()?;
    while let Some(link) = reader.next()? {
        let union = union(&link);
        let weakness = weakness(link.shared, union);
        let [high, low] = [(weakness >> 32) as u32, weakness as u32];
        sorter.push(Words([high, low, link.a, link.b, link.shared, union]))?;
    }
    drop((reader, links));
    let mut sorted = sorter.finish()?;
    while let Some(Words([_, _, a, b, shared, union])) = sorted.next()? {
        let (a, b) = (sets.find(a)?, sets.find(b)?);
        if sets.union(a, b)? {
            let (cluster, other) = (a.min(b), a.max(b));
            let documents = sizes.get(a)? + sizes.get(b)?;
            sizes.set(cluster, documents)?;
            take(&Join {
                cluster,
                other,
                shared,
                union,
                documents,
            })?;
        }
    }
    Ok(())
}
