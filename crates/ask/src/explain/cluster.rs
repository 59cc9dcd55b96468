//! `pipeline explain cluster`: the links that hold a cluster together, and the stars it would be
//! split into.

use super::links::{ClusterGraph, ClusterLink, cluster_graph};
use crate::asked_document::{Corpus, display_name, not_published};
use crate::graph::{Diameter, Edge, Graph, Stars};
use crate::index::Index;
use crate::query::shown_name;
use cluster::{ContainedDocument, Linkage, Rank, rank};
use config::Config;
use format::RowCursor;
use model::Equality;
use output::thousands;
use runtime::Error;
use serde::Serialize;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fmt;
use std::sync::Arc;

/// Steps that finding the exact diameter may take: about a second.
const DIAMETER_STEPS: usize = 200_000_000;

/// The links that hold a cluster together.
#[derive(Clone, Debug, Serialize)]
pub struct ClusterExplanation {
    /// Its id: its lowest document.
    pub cluster_id: i64,
    /// Documents in it.
    pub documents: u32,
    /// Representatives: documents that are not equal to one another.
    pub distinct: u32,
    /// The weakest relation needed: identical, lexical, shingle or similar.
    pub kind: &'static str,
    /// The document that is kept.
    pub kept: i64,
    /// Its URL.
    pub kept_url: Option<String>,
    /// Its id in the input.
    pub kept_id: Option<String>,
    /// Links between representatives that join.
    pub links: usize,
    /// The weakest of them.
    pub weakest: Vec<ClusterLink>,
    /// Links whose loss would split the cluster.
    pub bridges_in_all: usize,
    /// The weakest of those.
    pub bridges: Vec<ClusterLink>,
    /// Lower bound of the number of links between the two representatives furthest apart.
    pub diameter_low: u32,
    /// Upper bound; equal to the lower one if the number is exact.
    pub diameter_high: u32,
    /// Documents that `linkage = "star"` would keep.
    pub star_keeps: usize,
    /// Documents that it would remove.
    pub star_removes: usize,
    /// Whether the run decided by it, so that these stay.
    #[serde(skip)]
    pub is_by_stars: bool,
    /// Those it would keep, with how many documents each stands for; most first.
    pub star_keepers: Vec<StarCentre>,
    /// The first parameter in which the publication differs from the configuration.
    pub outdated: Option<String>,
}

/// A document that a star keeps.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StarCentre {
    /// The document.
    pub doc_id: i64,
    /// Its id in the input.
    pub id: Option<String>,
    /// Its URL.
    pub url: Option<String>,
    /// Documents removed in its favour.
    pub removes: usize,
}

/// Explains the cluster with this id, or the one that a document or URL is in; shows at most
/// `limit` of each list. `index` is the query index of the run, if it is open already.
///
/// # Errors
/// When there is no such cluster of two or more, when its links do not fit `work.memory`, and at
/// damage of the index.
pub fn explain_cluster(
    config: &Config,
    index: Option<&Arc<Index>>,
    name: &OsStr,
    limit: usize,
) -> Result<ClusterExplanation, Error> {
    let corpus = Corpus::of(config, index)?;
    let index = &corpus.index;
    let Some(doc) = corpus.find(name)? else {
        let text = format!(
            "failed to find a cluster of {}: the publication has no such doc_id, URL or id",
            display_name(name)
        );
        return Err(not_published(&corpus, name, text)?);
    };
    let cluster = index.member(doc)?.cluster;
    let Some(record) = index.cluster(cluster)? else {
        return Err(Error::NotFound(format!(
            "failed to find a cluster of {}: the document is in no cluster",
            display_name(name)
        )));
    };
    let ClusterGraph {
        documents,
        graph,
        memory: _memory,
    } = cluster_graph(&corpus, cluster)?;
    let Diameter { low, high } = graph.diameter(DIAMETER_STEPS);
    let bridges = graph.bridges();
    let stars = StarRemovals::of(&corpus, &documents, &graph)?;
    let listed = |edges: &[Edge]| {
        edges
            .iter()
            .take(limit)
            .map(|edge| ClusterLink::of(index, edge))
            .collect::<Result<Vec<_>, Error>>()
    };
    Ok(ClusterExplanation {
        cluster_id: index.public_id(cluster),
        documents: record.documents,
        distinct: record.distinct,
        kind: Equality::name_of_relation(record.kind.into()),
        kept: index.public_id(record.kept),
        kept_url: index.url(record.kept)?,
        kept_id: index.id(record.kept)?,
        links: graph.links(),
        weakest: listed(&graph.weakest(limit))?,
        bridges_in_all: bridges.len(),
        bridges: listed(&bridges)?,
        diameter_low: low,
        diameter_high: high,
        star_keeps: stars.keepers.len(),
        star_removes: documents.len() - stars.keepers.len(),
        star_keepers: stars.shown(index, limit)?,
        is_by_stars: config.cluster.linkage == Linkage::Star,
        outdated: crate::query::outdated(index, config),
    })
}

/// ⟨kept document, documents removed in its favour⟩, most first.
struct StarRemovals {
    keepers: Vec<(u32, usize)>,
}

impl StarRemovals {
    fn of(corpus: &Corpus<'_>, documents: &[u32], graph: &Graph) -> Result<StarRemovals, Error> {
        let (ranked, best) = Classes::of(corpus, documents)?.ranked(graph);
        let stars: Stars = graph.stars(&ranked, |edge| contained(corpus, edge));
        let mut keepers: BTreeMap<u32, usize> = BTreeMap::new();
        let linked: BTreeMap<u32, u32> = stars.keepers.into_iter().collect();
        for (representative, (kept, size)) in &best {
            let keeper = linked
                .get(representative)
                .copied()
                .unwrap_or(*representative);
            let of_keeper = best.get(&keeper).map_or(*kept, |(kept, _)| *kept);
            *keepers.entry(of_keeper).or_default() += size;
        }
        let mut keepers: Vec<(u32, usize)> = keepers
            .into_iter()
            .map(|(kept, size)| (kept, size - 1))
            .collect();
        keepers.sort_by_key(|(kept, removes)| (std::cmp::Reverse(*removes), *kept));
        Ok(StarRemovals { keepers })
    }

    fn shown(&self, index: &Index, limit: usize) -> Result<Vec<StarCentre>, Error> {
        let shown = self.keepers.iter().take(limit).map(|(kept, removes)| {
            Ok(StarCentre {
                doc_id: index.public_id(*kept),
                id: index.id(*kept)?,
                url: index.url(*kept)?,
                removes: *removes,
            })
        });
        shown.collect()
    }
}

/// The end of a link that is contained in the other one, if only one is.
fn contained(corpus: &Corpus<'_>, edge: &Edge) -> Option<u32> {
    let link = corpus.index.link(edge.a, edge.b).ok().flatten()?;
    match clustering::reached(&link).contained_document()? {
        ContainedDocument::A => Some(link.a),
        ContainedDocument::B => Some(link.b),
    }
}

/// Whether a document is of no source, and its rank by `keep`.
type Order = (bool, Rank);

/// The classes of a cluster, with the rank of their best member.
struct Classes {
    /// ⟨rank, best member⟩ and size, by representative.
    best: BTreeMap<u32, ((Order, u32), usize)>,
}

impl Classes {
    fn of(corpus: &Corpus<'_>, documents: &[u32]) -> Result<Classes, Error> {
        let (index, keep) = (&corpus.index, &corpus.config.cluster.keep);
        let field = corpus.config.keep_field();
        let mut cursor = RowCursor::default();
        let mut best: BTreeMap<u32, ((Order, u32), usize)> = BTreeMap::new();
        for &doc in documents {
            let representative = index.class(doc)?.representative();
            let ranked = index.with_document(&mut cursor, doc, |row| {
                (row.file, rank(keep, &clustering::attributes(row, field)))
            });
            let (file, rank) = ranked?;
            // Documents of references come before others.
            let is_data = index.source(file)?.source.is_empty();
            let ranked = ((is_data, rank), doc);
            let (first, size) = best.entry(representative).or_insert((ranked, 0));
            *first = (*first).min(ranked);
            *size += 1;
        }
        Ok(Classes { best })
    }

    /// The representatives with links, best first; and of all the member that would be kept, and
    /// the size.
    fn ranked(self, graph: &Graph) -> (Vec<u32>, BTreeMap<u32, (u32, usize)>) {
        let linked = graph
            .documents()
            .iter()
            .filter_map(|doc| Some((self.best.get(doc)?.0, *doc)));
        let mut order: Vec<((Order, u32), u32)> = linked.collect();
        order.sort_unstable();
        let best = self
            .best
            .into_iter()
            .map(|(representative, ((_, kept), size))| (representative, (kept, size)));
        (
            order
                .into_iter()
                .map(|(_, representative)| representative)
                .collect(),
            best.collect(),
        )
    }
}

impl fmt::Display for ClusterExplanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ClusterExplanation {
            cluster_id,
            documents,
            distinct,
            kind,
            kept,
            ..
        } = self;
        writeln!(
            f,
            "cluster {cluster_id}: {documents} documents, {distinct} distinct, {kind}"
        )?;
        writeln!(
            f,
            "kept first: {kept}  {}",
            shown_name(&self.kept_url, &self.kept_id)
        )?;
        let (low, high) = (self.diameter_low, self.diameter_high);
        let diameter = if low == high {
            format!("{low}")
        } else {
            format!("{low} to {high}")
        };
        writeln!(
            f,
            "links: {}; longest chain between two documents: {diameter}",
            thousands(self.links as u64)
        )?;
        links(f, "weakest links", &self.weakest)?;
        self.write_bridges(f)?;
        self.write_stars(f)?;
        match &self.outdated {
            Some(what) => writeln!(
                f,
                "note: the configuration differs from that of the publication: {what}"
            ),
            None => Ok(()),
        }
    }
}

impl ClusterExplanation {
    fn write_bridges(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.links == 0 {
            return writeln!(
                f,
                "all its documents have the same sketch, so it needs no links"
            );
        }
        if self.bridges_in_all == 0 {
            return writeln!(
                f,
                "no link is a bridge: without any one link, the cluster stays whole"
            );
        }
        writeln!(
            f,
            "bridges, links whose loss would split the cluster: {}",
            thousands(self.bridges_in_all as u64)
        )?;
        links(f, "weakest bridges", &self.bridges)
    }

    fn write_stars(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let stays = if self.is_by_stars {
            "of its documents, these stay"
        } else {
            "linkage = \"star\" would keep"
        };
        writeln!(
            f,
            "{stays}: {}; the others go: {}",
            thousands(self.star_keeps as u64),
            thousands(self.star_removes as u64)
        )?;
        for star in &self.star_keepers {
            let StarCentre {
                doc_id, removes, ..
            } = star;
            let name = shown_name(&star.url, &star.id);
            writeln!(f, "  keeps {doc_id:>10}, removes {removes:>6}  {name}")?;
        }
        Ok(())
    }
}

fn links(f: &mut fmt::Formatter<'_>, title: &str, links: &[ClusterLink]) -> fmt::Result {
    if links.is_empty() {
        return Ok(());
    }
    writeln!(f, "{title}")?;
    links.iter().try_for_each(|link| writeln!(f, "  {link}"))
}
