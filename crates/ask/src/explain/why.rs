//! The reason why the run has joined two documents, or has not.

use super::links::{ClusterGraph, ClusterLink, cluster_graph, contained};
use crate::asked_document::Corpus;
use crate::figures::Figures;
use crate::index::Membership;
use clustering::reached;
use engine::Error;
use format::LinkRecord;
use model::Overlap;
use model::Settle;
use serde::Serialize;

/// How the run sees two documents of its publication.
#[derive(Clone, Debug, Serialize)]
pub struct ClusteringReason {
    /// The cluster of A.
    pub cluster_a: i64,
    /// The cluster of B.
    pub cluster_b: i64,
    /// Whether the two are the same.
    pub together: bool,
    /// The document that A goes for; none if it stays.
    pub a_goes_for: Option<i64>,
    /// The document that B goes for; none if it stays.
    pub b_goes_for: Option<i64>,
    /// The narrowest class that both are in: identical, lexical or shingle.
    pub class: Option<&'static str>,
    /// Figures of the two sketches in the index.
    pub sketches: Figures,
    /// The links that join them, if they are in one cluster.
    pub chain: Option<LinkChain>,
    /// Whether the two are linked themselves; `sketches` then has the figures of this link. A chain
    /// of stronger links may join them, too.
    pub is_linked: bool,
    /// The reasons why they are apart, if they are not in one cluster.
    pub missing: Vec<String>,
}

/// The links from one document to another of its cluster, chosen so that the weakest is as strong
/// as can be, and then that they are few. None between documents of one class.
#[derive(Clone, Debug, Serialize)]
pub struct LinkChain {
    /// From A to B.
    pub links: Vec<ClusterLink>,
    /// The weakest of them.
    pub weakest: Option<ClusterLink>,
}

/// Why two documents that the configuration joins are apart.
const CHANGED: &str = "the thresholds of the configuration changed after the publication was made";

impl ClusteringReason {
    /// Which of the two documents stay, and what the others go for.
    pub fn fates(&self, [a, b]: [Option<i64>; 2]) -> String {
        let fate = |letter: &str, goes_for: Option<i64>, other: Option<i64>, other_letter: &str| {
            match goes_for {
                None => format!("{letter} stays"),
                kept if kept == other => format!("{letter} goes for {other_letter}"),
                Some(kept) => format!("{letter} goes for {kept}"),
            }
        };
        let of_a = fate("A", self.a_goes_for, b, "B");
        let of_b = fate("B", self.b_goes_for, a, "A");
        format!("{of_a}; {of_b}")
    }
}

/// How the run sees two documents: why they are together, or are not.
pub(super) fn why(corpus: &Corpus<'_>, a: u32, b: u32) -> Result<ClusteringReason, Error> {
    let index = &corpus.index;
    let (of_a, of_b) = (index.member(a)?, index.member(b)?);
    let relation = index.relation(a, b)?;
    let together = of_a.cluster == of_b.cluster;
    let link = index.link(of_a.representative, of_b.representative)?;
    let goes_for = |doc: u32, member: Membership| {
        let goes = member.kept != doc;
        goes.then(|| index.public_id(member.kept))
    };
    Ok(ClusteringReason {
        a_goes_for: goes_for(a, of_a),
        b_goes_for: goes_for(b, of_b),
        cluster_a: index.public_id(of_a.cluster),
        cluster_b: index.public_id(of_b.cluster),
        together,
        class: relation.equality.map(|equality| equality.name()),
        sketches: Figures::of(&relation.overlap),
        chain: together.then(|| chain(corpus, of_a, of_b)).transpose()?,
        is_linked: link.is_some(),
        missing: match (together, &link) {
            (true, _) => Vec::new(),
            (false, Some(link)) => vec![unjoined(corpus, link, of_a)],
            (false, None) => missing(corpus, of_a, of_b, &relation.overlap)?,
        },
    })
}

fn chain(corpus: &Corpus<'_>, a: Membership, b: Membership) -> Result<LinkChain, Error> {
    let mut path = Vec::new();
    if a.representative != b.representative {
        let ClusterGraph { graph, .. } = cluster_graph(corpus, a.cluster)?;
        let widest = graph.widest_path(a.representative, b.representative);
        path = widest.unwrap_or_default();
    }
    let weakest = path.iter().min_by_key(|edge| edge.resemblance());
    let link = |edge| ClusterLink::of(&corpus.index, edge);
    Ok(LinkChain {
        weakest: weakest.map(link).transpose()?,
        links: path.iter().map(link).collect::<Result<_, Error>>()?,
    })
}

/// The reason why documents with this link are apart, as a sentence without a full stop.
fn unjoined(corpus: &Corpus<'_>, link: &LinkRecord, a: Membership) -> String {
    if corpus.config.cluster.link_policy().joins(reached(link)) {
        return CHANGED.to_owned();
    }
    let (doc, share) = contained(link).unwrap_or_default();
    let is_a = doc == a.representative;
    let (inner, outer) = if is_a { ("A", "B") } else { ("B", "A") };
    format!("{share:.4} of {inner} is in {outer}, but containment-joins is false")
}

/// The reasons why documents without a link are apart, as sentences without a full stop.
fn missing(
    corpus: &Corpus<'_>,
    a: Membership,
    b: Membership,
    overlap: &Overlap,
) -> Result<Vec<String>, Error> {
    let policy = corpus.config.cluster.link_policy();
    let mut missing = Vec::new();
    for (name, size) in [("A", overlap.size_a), ("B", overlap.size_b)] {
        if size == 0 {
            let rate = match overlap.modulus {
                Overlap::SMALLEST | Overlap::MIN_HASHES => String::new(),
                modulus => format!(", which keep one in {modulus}"),
            };
            missing.push(format!(
                "{name} has no shingle in the sketches that are compared{rate}"
            ));
        }
    }
    if overlap.shared < policy.min_shared {
        let (shared, least) = (overlap.shared, policy.min_shared);
        missing.push(format!(
            "they share {shared} sampled shingles, and min-shared is {least}"
        ));
    }
    let estimate = overlap.resemblance();
    let is_settled = corpus.config.cluster.settle != Settle::Off && overlap.modulus > 1;
    let compared = corpus.index.settled(a.representative, b.representative);
    let but = match compared? {
        Some(_) => "the exact comparison of all their shingles does not",
        None => "one of the two could not be read again for the exact comparison",
    };
    if !policy.resemblance.reached_by(estimate.ratio) {
        let (low, high) = (estimate.interval.low, estimate.interval.high);
        let threshold = policy.resemblance.to_f64();
        let near = match high >= threshold {
            true if is_settled => format!("; the interval reaches it, but {but}"),
            true => "; the interval reaches it".to_owned(),
            false => String::new(),
        };
        missing.push(format!(
            "their resemblance is estimated as {:.4} ({low:.4} to {high:.4}), and the threshold is {threshold}{near}",
            estimate.ratio.to_f64()
        ));
    }
    if missing.is_empty() && is_settled {
        missing.push(format!("their estimate reaches a threshold, but {but}"));
    }
    if missing.is_empty() {
        missing.push(CHANGED.to_owned());
    }
    Ok(missing)
}
