//! Published tables held against the exact answer.
//!
//! *Input.* [`Truth`], [`Limited`], [`Tables`]. *Output.* [`Score`]. *Algorithm.* The unit is the
//! group of documents with equal sets. Every published link is judged by the sets of its two
//! documents. A pair of groups is found if their representatives are linked, or are one document:
//! then the run declared them equal. Clusters are compared over pairs of groups, and again over
//! pairs of documents. Documents without a shingle are in no cluster and are left out.

use super::tables::{Kind, Link, Tables};
use super::truth::{Limited, Thresholds, Truth};
use crate::exact::Agreement;
use crate::set::shared;
use anyhow::{Result, ensure};
use model::{Ratio, Threshold};
use rayon::prelude::*;
use std::collections::{BTreeMap, HashSet};

/// The figures of one run.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Score {
    /// Links by kind.
    pub(super) kinds: BTreeMap<Kind, u64>,
    /// Links that say that two documents resemble each other.
    pub(super) links: Links,
    /// Directed links, if there is a threshold of containment.
    pub(super) containment: Option<Found>,
    /// Groups that another one represents: the run declared the two equal.
    pub(super) declared: Found,
    /// Pairs of groups that resemble each other, without the published common shingles if the run
    /// drops these.
    pub(super) pairs: Found,
    /// Clusters of groups.
    pub(super) groups: Clusters,
    /// Clusters of documents.
    pub(super) documents: Clusters,
}

/// Links of resemblance. A link is right if its resemblance reaches the threshold: with all
/// shingles, or without the published common ones if the run drops these.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Links {
    /// All of them.
    pub(super) published: u64,
    /// Right.
    pub(super) right: u64,
    /// Too low by more than 0.1.
    pub(super) far: u64,
}

/// Published answers beside exact ones, where each side is counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Found {
    /// Published answers.
    pub(super) published: u64,
    /// Those of them that are right.
    pub(super) right: u64,
    /// Exact answers.
    pub(super) exact: u64,
    /// Those of them that are published.
    pub(super) found: u64,
}

/// Published clusters beside exact ones: single linkage, all shingles counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Clusters {
    /// Members of clusters, also of clusters of one.
    pub(super) members: u64,
    /// Members beyond the first of each exact cluster.
    pub(super) redundant: u64,
    /// Those of them that are left if each exact cluster is cut into the published ones.
    pub(super) found: u64,
    /// Pairs of members in one cluster.
    pub(super) together: Agreement,
}

impl Clusters {
    /// Compares the clusters ⟨published, exact⟩ of all members.
    fn of(members: impl Iterator<Item = (u32, u32)> + Clone) -> Clusters {
        let count = members.clone().count();
        let exact: HashSet<u32> = members.clone().map(|of| of.1).collect();
        let both: HashSet<(u32, u32)> = members.clone().collect();
        Clusters {
            members: count as u64,
            redundant: (count - exact.len()) as u64,
            found: (count - both.len()) as u64,
            together: Agreement::of(members),
        }
    }
}

/// Judges a run.
pub(super) fn of(
    truth: &Truth,
    limited: &Limited,
    tables: &Tables,
    thresholds: Thresholds,
) -> Result<Score> {
    let corpus = &truth.corpus;
    let words = tables.documents.iter().map(|document| document.words);
    ensure!(
        words.eq(corpus.words.iter().copied()),
        "the run read other documents: {}, expected {}",
        tables.documents.len(),
        corpus.words.len()
    );
    let judge = Judge {
        truth,
        limited,
        tables,
        thresholds,
    };
    let mut kinds: BTreeMap<Kind, u64> = Kind::ALL.map(|kind| (kind, 0)).into();
    for link in &tables.links {
        *kinds.entry(link.kind).or_default() += 1;
    }
    let has_shingles = |group: &u32| !corpus.sets[*group as usize].is_empty();
    let member = |doc: u32, group: u32| {
        let published = tables.documents[doc as usize].cluster;
        (published, truth.cluster_of[group as usize])
    };
    let groups = (0_u32..).zip(&corpus.first_of);
    let groups = groups.filter(|(group, _)| has_shingles(group));
    let documents = (0_u32..).zip(&corpus.group_of);
    let documents = documents.filter(|(_, group)| has_shingles(group));
    Ok(Score {
        kinds,
        links: judge.links(),
        containment: thresholds.containment.map(|least| judge.containment(least)),
        declared: judge.declared(),
        pairs: judge.pairs(),
        groups: Clusters::of(groups.map(|(group, doc)| member(*doc, group))),
        documents: Clusters::of(documents.map(|(doc, group)| member(doc, *group))),
    })
}

struct Judge<'a> {
    truth: &'a Truth,
    limited: &'a Limited,
    tables: &'a Tables,
    thresholds: Thresholds,
}

impl Judge<'_> {
    /// The groups of a link's documents.
    fn groups(&self, link: &Link) -> [usize; 2] {
        [link.a, link.b].map(|doc| self.truth.corpus.group_of[doc as usize] as usize)
    }

    /// How many pairs of groups are published: their representatives, which are those of their
    /// first documents, are a pair of these, or one document.
    fn found(&self, pairs: &[(u32, u32)], published: &HashSet<(u32, u32)>) -> u64 {
        let representative = |group: u32| {
            let first = self.truth.corpus.first_of[group as usize];
            self.tables.documents[first as usize].representative
        };
        let is_found = |(a, b): &&(u32, u32)| {
            let (a, b) = (representative(*a), representative(*b));
            a == b || published.contains(&(a, b))
        };
        pairs.iter().filter(is_found).count() as u64
    }

    /// Judges the links of resemblance.
    fn links(&self) -> Links {
        let least = self.thresholds.resemblance;
        let links = self.tables.links.par_iter();
        let links = links.filter(|link| link.kind.is_resemblance());
        let judged = links.map(|link| {
            let [a, b] = self.groups(link).map(|group| &self.limited.sets[group]);
            let exact = resemblance(a, b);
            let denominator = 10 * exact.denominator;
            let a_tenth_more = Ratio::new(10 * exact.numerator + exact.denominator, denominator);
            [least.reached_by(exact), !least.reached_by(a_tenth_more)].map(u64::from)
        });
        let judged: Vec<[u64; 2]> = judged.collect();
        Links {
            published: judged.len() as u64,
            right: judged.iter().map(|[is_right, _]| is_right).sum(),
            far: judged.iter().map(|[_, is_far]| is_far).sum(),
        }
    }

    fn declared(&self) -> Found {
        let mut counts = Found::default();
        for (group, doc) in (0..).zip(&self.truth.corpus.first_of) {
            let representative = self.tables.documents[*doc as usize].representative as usize;
            let other = self.truth.corpus.group_of[representative];
            if other != group {
                let sets = &self.truth.corpus.sets;
                let exact = resemblance(&sets[group as usize], &sets[other as usize]);
                counts.published += 1;
                counts.right += u64::from(self.thresholds.resemblance.reached_by(exact));
            }
        }
        counts
    }

    fn pairs(&self) -> Found {
        let links = self.tables.links.iter();
        let links = links.filter(|link| link.kind.is_resemblance());
        let linked = links.flat_map(|link| [(link.a, link.b), (link.b, link.a)]);
        Found {
            exact: self.limited.pairs.len() as u64,
            found: self.found(&self.limited.pairs, &linked.collect()),
            ..Found::default()
        }
    }

    fn containment(&self, least: Threshold) -> Found {
        let mut published = HashSet::new();
        let mut right = 0;
        for link in self
            .tables
            .links
            .iter()
            .filter(|link| link.kind.is_directed())
        {
            let [a, b] = self.groups(link);
            let directions = [
                (link.a_in_b, (link.a, link.b), (a, b)),
                (link.b_in_a, (link.b, link.a), (b, a)),
            ];
            for (share, documents, (a, b)) in directions {
                // The published share is the double nearest to an exact fraction.
                if share >= least.to_f64() {
                    published.insert(documents);
                    let [inner, outer] = [a, b].map(|group| &self.limited.sets[group]);
                    let exact = Ratio::new(shared(inner, outer) as u64, inner.len() as u64);
                    right += u64::from(least.reached_by(exact));
                }
            }
        }
        Found {
            published: published.len() as u64,
            right,
            exact: self.limited.contained.len() as u64,
            found: self.found(&self.limited.contained, &published),
        }
    }
}

/// The resemblance of two ascending sets.
fn resemblance(a: &[u64], b: &[u64]) -> Ratio {
    let shared = shared(a, b);
    Ratio::new(shared as u64, (a.len() + b.len() - shared) as u64)
}

#[cfg(test)]
mod tests;
