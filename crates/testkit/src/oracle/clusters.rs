//! From links to clusters, and which document of a cluster is kept.
//!
//! Input: links between representatives, classes, ranks. Output: groups of classes. Algorithm:
//! connected components by breadth-first search (*Syntactic Clustering of the Web*, fourth phase),
//! or stars or leaders in the order of `keep`. Memory: O(links).

use std::collections::VecDeque;

use model::{Equality, Ratio};

use super::classes::Classes;
use super::outcome::{OracleCluster, OracleLink};
use super::question::{OracleDocument, OracleKeep, OracleParams};

/// The classes of a cluster.
pub(super) struct Group {
    /// Representatives of its classes.
    pub(super) classes: Vec<u32>,
    /// Representatives from whose classes the kept document comes.
    candidates: Vec<u32>,
    /// Lowest resemblance of its links.
    weakest: Option<Ratio>,
}

/// Connected components of joining links.
pub(super) fn components(
    classes: &Classes,
    links: &[OracleLink],
    params: &OracleParams,
) -> Vec<Group> {
    let mut groups = Vec::new();
    let mut seen: Vec<u32> = Vec::new();
    for start in classes.representatives() {
        if seen.contains(&start) {
            continue;
        }
        seen.push(start);
        let (mut queue, mut reached) = (VecDeque::from([start]), Vec::new());
        while let Some(next) = queue.pop_front() {
            reached.push(next);
            for neighbour in links
                .iter()
                .filter(|link| link.joins(params))
                .filter_map(|link| link.other(next))
            {
                if !seen.contains(&neighbour) {
                    seen.push(neighbour);
                    queue.push_back(neighbour);
                }
            }
        }
        groups.push(component(reached, links, params));
    }
    groups
}

fn component(classes: Vec<u32>, links: &[OracleLink], params: &OracleParams) -> Group {
    let inside: Vec<&OracleLink> = links
        .iter()
        .filter(|link| classes.contains(&link.a) && classes.contains(&link.b))
        .collect();
    let joining = inside.iter().filter(|link| link.joins(params));
    let weakest = joining.map(|link| link.overlap().resemblance().ratio).min();
    // every directed link counts here, also one that joins nothing
    let contained: Vec<u32> = inside
        .iter()
        .filter_map(|link| link.contained_one_way())
        .collect();
    let mut candidates: Vec<u32> = classes
        .iter()
        .copied()
        .filter(|class| !contained.contains(class))
        .collect();
    if candidates.is_empty() {
        // a circle of containments: someone must stay
        candidates.clone_from(&classes);
    }
    Group {
        classes,
        candidates,
        weakest,
    }
}

/// Stars: in the order of `keep`, each class not yet taken takes its untaken neighbours.
pub(super) fn stars(
    documents: &[OracleDocument],
    classes: &Classes,
    links: &[OracleLink],
    params: &OracleParams,
) -> Vec<Group> {
    let mut taken: Vec<u32> = Vec::new();
    let mut groups = Vec::new();
    for kept in ranked(documents, classes, links, params) {
        if taken.contains(&kept) {
            continue;
        }
        taken.push(kept);
        let mut group = Group {
            classes: vec![kept],
            candidates: vec![kept],
            weakest: None,
        };
        for link in links
            .iter()
            .filter(|link| link.joins(params) && link.contained_one_way() != Some(kept))
        {
            let Some(neighbour) = link.other(kept).filter(|class| !taken.contains(class)) else {
                continue;
            };
            taken.push(neighbour);
            group.classes.push(neighbour);
            let resemblance = link.overlap().resemblance().ratio;
            group.weakest = Some(
                group
                    .weakest
                    .map_or(resemblance, |weakest| weakest.min(resemblance)),
            );
        }
        groups.push(group);
    }
    groups
}

/// Leaders: in the order of `keep`, each class joins the leader that it resembles most, the first
/// of equals, or leads a new cluster.
pub(super) fn leaders(
    documents: &[OracleDocument],
    classes: &Classes,
    links: &[OracleLink],
    params: &OracleParams,
) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for class in ranked(documents, classes, links, params) {
        let mut joined: Option<(usize, Ratio)> = None;
        for (place, group) in groups.iter().enumerate() {
            let leader = group.classes[0];
            let link = links.iter().find(|link| {
                link.joins(params)
                    && link.other(leader) == Some(class)
                    && link.contained_one_way() != Some(leader)
            });
            let resemblance = link.map(|link| link.overlap().resemblance().ratio);
            if let Some(resemblance) =
                resemblance.filter(|r| joined.is_none_or(|(_, best)| best < *r))
            {
                joined = Some((place, resemblance));
            }
        }
        match joined {
            Some((place, resemblance)) => {
                let group = &mut groups[place];
                group.classes.push(class);
                let weakest = group.weakest.unwrap_or(resemblance);
                group.weakest = Some(weakest.min(resemblance));
            }
            None => groups.push(Group {
                classes: vec![class],
                candidates: vec![class],
                weakest: None,
            }),
        }
    }
    groups
}

/// The classes in the order of `keep`: those that a joining link finds contained in another come
/// after all others.
fn ranked(
    documents: &[OracleDocument],
    classes: &Classes,
    links: &[OracleLink],
    params: &OracleParams,
) -> Vec<u32> {
    let contained: Vec<u32> = links
        .iter()
        .filter(|link| link.joins(params))
        .filter_map(OracleLink::contained_one_way)
        .collect();
    let mut order = classes.representatives();
    let best = |class: u32| {
        let members = classes.members(&[class]).into_iter();
        members.map(|doc| rank(documents, doc, params.keep)).min()
    };
    order.sort_by_cached_key(|&class| (contained.contains(&class), best(class)));
    order
}

/// The best-ranked candidate; `None` of no documents.
pub(super) fn kept(
    documents: &[OracleDocument],
    classes: &Classes,
    group: &Group,
    keep: OracleKeep,
) -> Option<u32> {
    classes
        .members(&group.candidates)
        .into_iter()
        .min_by_key(|&doc| rank(documents, doc, keep))
}

/// Place of a document in the order of `keep`, lowest first: missing values last, then the value,
/// then the number.
fn rank(documents: &[OracleDocument], doc: u32, keep: OracleKeep) -> (bool, i128, u32) {
    let document = &documents[doc as usize];
    let value = match keep {
        OracleKeep::First => Some(0),
        OracleKeep::Longest => Some(-i128::from(document.words)),
        OracleKeep::Newest => document.date.map(|date| -i128::from(date)),
        OracleKeep::Oldest => document.date.map(i128::from),
    };
    (value.is_none(), value.unwrap_or(0), doc)
}

/// The row of the cluster table.
pub(super) fn describe(
    classes: &Classes,
    members: &[u32],
    group: &Group,
    kept: u32,
) -> OracleCluster {
    let kind = if classes.in_one(members, Equality::Identical) {
        0
    } else if classes.in_one(members, Equality::Lexical) {
        1
    } else if group.classes.len() == 1 {
        2
    } else {
        3
    };
    OracleCluster {
        cluster: members.first().copied().unwrap_or(kept),
        documents: members.len() as u32,
        distinct: group.classes.len() as u32,
        kind,
        weakest: group.weakest,
        kept,
    }
}
