//! `pipeline explain cluster`: the links that hold a cluster together, and the stars it would be
//! split into.

use super::links::{ClusterGraph, ClusterLink, cluster_graph};
use crate::asked_document::{Corpus, display_name, not_published};
use crate::graph::{Diameter, Edge, Graph};
use crate::index::Index;
use crate::query::{NamedDocument, shown_name};
use clustering::partition::{Rank, rank};
use config::Config;
use engine::Error;
use format::RowCursor;
use model::Equality;
use model::{ContainedDocument, Linkage};
use output::thousands;
use serde::Serialize;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fmt;
use std::sync::Arc;

/// The text before the first parameter in which the publication differs.
pub(super) const OUTDATED: &str = "note: the configuration differs from that of the publication";

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
    /// The documents that `star` would keep, with how many documents each stands for; most first.
    pub star_keepers: Vec<StarCentre>,
    /// The first parameter in which the publication differs from the configuration.
    pub outdated: Option<String>,
}

/// A document that a star keeps.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StarCentre {
    /// The document.
    #[serde(flatten)]
    pub document: NamedDocument,
    /// Documents removed in its favour.
    pub removes: usize,
}

/// Explains the cluster with this id, or the one that a document or URL is in; shows at most
/// `limit` of each list. `index` is the query index of the run, if it is open already.
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
    let keepers = star_keepers(&corpus, &documents, &graph)?;
    let listed = |edges: &[Edge]| {
        let links = edges.iter().take(limit);
        links
            .map(|edge| ClusterLink::of(index, edge))
            .collect::<Result<Vec<_>, Error>>()
    };
    let shown = keepers.iter().take(limit).map(|(kept, removes)| {
        Ok(StarCentre {
            document: NamedDocument::of(index, *kept)?,
            removes: *removes,
        })
    });
    let (kept_id, kept_url) = index.names(record.kept)?;
    Ok(ClusterExplanation {
        cluster_id: index.public_id(cluster),
        documents: record.documents,
        distinct: record.distinct,
        kind: Equality::name_of_relation(record.kind.into()),
        kept: index.public_id(record.kept),
        kept_url,
        kept_id,
        links: graph.links(),
        weakest: listed(&graph.weakest(limit))?,
        bridges_in_all: bridges.len(),
        bridges: listed(&bridges)?,
        diameter_low: low,
        diameter_high: high,
        star_keeps: keepers.len(),
        star_removes: documents.len() - keepers.len(),
        star_keepers: shown.collect::<Result<_, Error>>()?,
        is_by_stars: config.cluster.linkage == Linkage::Star,
        outdated: crate::query::outdated(index, config),
    })
}

/// Documents of one class: the first of them by `keep`, and how many there are.
struct ClassMembers {
    /// Whether it is of no source, as documents of references come first; its rank; the document.
    best: (bool, Rank, u32),
    documents: usize,
}

/// ⟨document that stars keep, documents removed in its favour⟩, most first.
fn star_keepers(
    corpus: &Corpus<'_>,
    documents: &[u32],
    graph: &Graph,
) -> Result<Vec<(u32, usize)>, Error> {
    let classes = classes(corpus, documents)?;
    let mut ranked = graph.documents().to_vec();
    ranked.retain(|representative| classes.contains_key(representative));
    ranked.sort_by_key(|representative| classes[representative].best);
    let stars = graph.stars(&ranked, |edge| contained(corpus, edge));
    let linked: BTreeMap<u32, u32> = stars.into_iter().collect();
    let mut keepers: BTreeMap<u32, usize> = BTreeMap::new();
    for (representative, class) in &classes {
        let keeper = linked.get(representative).unwrap_or(representative);
        let (_, _, kept) = classes.get(keeper).unwrap_or(class).best;
        *keepers.entry(kept).or_default() += class.documents;
    }
    let keepers = keepers.into_iter().map(|(kept, size)| (kept, size - 1));
    let mut keepers: Vec<(u32, usize)> = keepers.collect();
    keepers.sort_by_key(|(kept, removes)| (Reverse(*removes), *kept));
    Ok(keepers)
}

/// The classes of a cluster, by representative.
fn classes(corpus: &Corpus<'_>, documents: &[u32]) -> Result<BTreeMap<u32, ClassMembers>, Error> {
    let (index, keep) = (&corpus.index, &corpus.config.cluster.keep);
    let field = corpus.config.keep_field();
    let mut cursor = RowCursor::default();
    let mut classes: BTreeMap<u32, ClassMembers> = BTreeMap::new();
    for &doc in documents {
        let (file, rank) = index.with_document(&mut cursor, doc, |row| {
            (row.file, rank(keep, &clustering::attributes(row, field)))
        })?;
        let best = (index.source(file)?.source.is_empty(), rank, doc);
        let class = classes.entry(index.class(doc)?.representative());
        let class = class.or_insert(ClassMembers { best, documents: 0 });
        class.best = class.best.min(best);
        class.documents += 1;
    }
    Ok(classes)
}

/// The end of a link that is contained in the other one, if only one is.
fn contained(corpus: &Corpus<'_>, edge: &Edge) -> Option<u32> {
    let link = corpus.index.link(edge.a, edge.b).ok().flatten()?;
    match clustering::reached(&link).contained_document()? {
        ContainedDocument::A => Some(link.a),
        ContainedDocument::B => Some(link.b),
    }
}

impl fmt::Display for ClusterExplanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (cluster, documents, distinct) = (self.cluster_id, self.documents, self.distinct);
        let kind = self.kind;
        writeln!(
            f,
            "cluster {cluster}: {documents} documents, {distinct} distinct, {kind}"
        )?;
        let kept = shown_name(&self.kept_url, &self.kept_id);
        writeln!(f, "kept first: {}  {kept}", self.kept)?;
        let diameter = match (self.diameter_low, self.diameter_high) {
            (low, high) if low == high => format!("{low}"),
            (low, high) => format!("{low} to {high}"),
        };
        let count = thousands(self.links as u64);
        writeln!(
            f,
            "links: {count}; longest chain between two documents: {diameter}"
        )?;
        links(f, "weakest links", &self.weakest)?;
        let bridges = thousands(self.bridges_in_all as u64);
        match (self.links, self.bridges_in_all) {
            (0, _) => writeln!(
                f,
                "all its documents have the same sketch, so it needs no links"
            )?,
            (_, 0) => {
                writeln!(
                    f,
                    "no link is a bridge: without any one link, the cluster stays whole"
                )?;
            }
            _ => {
                writeln!(
                    f,
                    "bridges, links whose loss would split the cluster: {bridges}"
                )?;
                links(f, "weakest bridges", &self.bridges)?;
            }
        }
        let stays = match self.is_by_stars {
            true => "of its documents, these stay",
            false => "linkage = \"star\" would keep",
        };
        let [keeps, removes] = [self.star_keeps, self.star_removes].map(|n| thousands(n as u64));
        writeln!(f, "{stays}: {keeps}; the others go: {removes}")?;
        for star in &self.star_keepers {
            let NamedDocument { doc_id, id, url } = &star.document;
            let (removes, name) = (star.removes, shown_name(url, id));
            writeln!(f, "  keeps {doc_id:>10}, removes {removes:>6}  {name}")?;
        }
        match &self.outdated {
            Some(what) => writeln!(f, "{OUTDATED}: {what}"),
            None => Ok(()),
        }
    }
}

fn links(f: &mut fmt::Formatter<'_>, title: &str, links: &[ClusterLink]) -> fmt::Result {
    if links.is_empty() {
        return Ok(());
    }
    writeln!(f, "{title}")?;
    links.iter().try_for_each(|link| writeln!(f, "  {link}"))
}
