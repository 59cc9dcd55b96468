//! The links of a cluster, from the index.

use crate::asked_document::Corpus;
use crate::graph::{Edge, Graph, memory_bytes};
use crate::index::Index;
use clustering::reached;
use engine::Error;
use format::LinkRecord;
use model::Ratio;
use serde::Serialize;
use sort::MemoryBudget;
use std::fmt;

/// A link between two documents.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ClusterLink {
    /// The lower document.
    pub a: i64,
    /// The higher one.
    pub b: i64,
    /// Estimate of their resemblance, 0 to 1: `shared` / `union`.
    pub resemblance: f64,
    /// Shingles that both have, of those that were counted.
    pub shared: u32,
    /// Counted shingles of the two together.
    pub union: u32,
    /// If they are linked by containment alone: the document that is in the other.
    pub contained: Option<Contained>,
}

/// A document that a link finds contained in another one.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Contained {
    /// The document.
    pub doc_id: i64,
    /// How much of it is in the other one.
    pub share: f64,
}

impl ClusterLink {
    pub(super) fn of(index: &Index, edge: &Edge) -> Result<ClusterLink, Error> {
        let link = index.link(edge.a, edge.b)?;
        let contained = link.as_ref().and_then(contained);
        Ok(ClusterLink {
            a: index.public_id(edge.a),
            b: index.public_id(edge.b),
            resemblance: edge.resemblance().to_f64(),
            shared: edge.shared,
            union: edge.union,
            contained: contained.map(|(doc, share)| Contained {
                doc_id: index.public_id(doc),
                share,
            }),
        })
    }
}

impl fmt::Display for ClusterLink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (a, b, resemblance) = (self.a, self.b, self.resemblance);
        let (shared, union) = (self.shared, self.union);
        write!(f, "{a:>10} {b:>10}  {resemblance:.4}  {shared} of {union}")?;
        match &self.contained {
            Some(Contained { doc_id, share }) => {
                write!(f, "; {share:.4} of {doc_id} is in the other")
            }
            None => Ok(()),
        }
    }
}

/// The document that is in the other one, and how much of it is, if a link is by containment alone.
pub(super) fn contained(link: &LinkRecord) -> Option<(u32, f64)> {
    let (met, overlap) = (reached(link), link.overlap());
    let (doc, estimate) = match (met.resemblance, met.a_in_b) {
        (true, _) => return None,
        (false, true) => (link.a, overlap.containment_a_in_b()),
        (false, false) => (link.b, overlap.containment_b_in_a()),
    };
    Some((doc, estimate?.ratio.to_f64()))
}

/// A cluster with its links.
pub(super) struct ClusterGraph {
    /// Its documents, ascending.
    pub(super) documents: Vec<u32>,
    /// Joining links between its representatives.
    pub(super) graph: Graph,
    /// The reservations for both.
    pub(super) memory: Vec<sort::Reservation>,
}

/// The edge of a link.
pub(super) fn edge(link: &LinkRecord) -> Edge {
    let Ratio {
        numerator,
        denominator,
    } = link.overlap().shared_of_union();
    let word = |n: u64| u32::try_from(n).unwrap_or(u32::MAX);
    Edge {
        a: link.a,
        b: link.b,
        shared: word(numerator),
        union: word(denominator),
    }
}

/// Links that memory is reserved for at a time.
const STEP: usize = 1 << 16;

/// The documents and joining links of a cluster, within `work.memory`.
pub(super) fn cluster_graph(corpus: &Corpus<'_>, cluster: u32) -> Result<ClusterGraph, Error> {
    let index = &corpus.index;
    let budget = MemoryBudget::new(corpus.config.work.memory());
    let mut memory = Vec::new();
    let members = index.cluster_documents(cluster)?;
    let count = usize::try_from(members.len()).unwrap_or(usize::MAX);
    memory.push(budget.reserve("the documents of the cluster", memory_bytes(0, count))?);
    let mut documents = Vec::with_capacity(count);
    for member in members.iter() {
        documents.push(member?.doc);
    }
    let policy = corpus.config.cluster.link_policy();
    let mut edges: Vec<Edge> = Vec::new();
    for &doc in &documents {
        for link in index.links_from(doc)?.iter() {
            let link = link?;
            if !policy.joins(reached(&link)) || documents.binary_search(&link.b).is_err() {
                continue;
            }
            if edges.len().is_multiple_of(STEP) {
                memory.push(budget.reserve("the links of the cluster", memory_bytes(STEP, 0))?);
            }
            edges.push(edge(&link));
        }
    }
    Ok(ClusterGraph {
        documents,
        graph: Graph::new(edges),
        memory,
    })
}
