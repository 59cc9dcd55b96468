//! From links to clusters, and which documents of a cluster are kept.
//!
//! Input: links between representatives, classes, ranks. Output: groups of classes; of each the
//! stars, of which one document stays. Algorithm: connected components by breadth-first search
//! (*Syntactic Clustering of the Web*, fourth phase); stars or leaders in the order of `keep`.
//! Memory: O(links).

use std::collections::VecDeque;

use model::{Equality, Ratio};

use super::classes::Classes;
use super::outcome::{OracleCluster, OracleLink};
use super::question::{OracleDocument, OracleKeep, OracleLinkage, OracleParams};

/// The classes of a cluster.
pub(super) struct Group {
    /// Representatives of its classes.
    pub(super) classes: Vec<u32>,
    /// Representatives of those that no other one of them contains, or all.
    candidates: Vec<u32>,
    /// Lowest resemblance of its links.
    weakest: Option<Ratio>,
}

/// Classes of which one document stays.
#[derive(Clone)]
pub(super) struct Star {
    /// Representatives of its classes.
    pub(super) classes: Vec<u32>,
    /// Representatives from whose classes the kept document comes.
    candidates: Vec<u32>,
}

impl Star {
    fn around(class: u32) -> Star {
        Star {
            classes: vec![class],
            candidates: vec![class],
        }
    }
}

/// The stars of a cluster: it is one itself with `components`, else all that begin in it.
pub(super) fn stars_of(group: &Group, all: &[Star], linkage: OracleLinkage) -> Vec<Star> {
    if linkage == OracleLinkage::Components {
        return vec![Star {
            classes: group.classes.clone(),
            candidates: group.candidates.clone(),
        }];
    }
    let is_inside = |star: &&Star| {
        star.classes
            .iter()
            .all(|class| group.classes.contains(class))
    };
    all.iter().filter(is_inside).cloned().collect()
}

/// The stars of all clusters; none with `components`.
pub(super) fn all_stars(
    documents: &[OracleDocument],
    classes: &Classes,
    links: &[OracleLink],
    params: &OracleParams,
) -> Vec<Star> {
    match params.linkage {
        OracleLinkage::Components => Vec::new(),
        OracleLinkage::Star => stars(documents, classes, links, params),
        OracleLinkage::Leader => leaders(documents, classes, links, params),
    }
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
fn stars(
    documents: &[OracleDocument],
    classes: &Classes,
    links: &[OracleLink],
    params: &OracleParams,
) -> Vec<Star> {
    let mut taken: Vec<u32> = Vec::new();
    let mut stars = Vec::new();
    for kept in ranked(documents, classes, links, params) {
        if taken.contains(&kept) {
            continue;
        }
        taken.push(kept);
        let mut star = Star::around(kept);
        for link in links
            .iter()
            .filter(|link| link.joins(params) && link.contained_one_way() != Some(kept))
        {
            let Some(neighbour) = link.other(kept).filter(|class| !taken.contains(class)) else {
                continue;
            };
            taken.push(neighbour);
            star.classes.push(neighbour);
        }
        stars.push(star);
    }
    stars
}

/// Leaders: in the order of `keep`, each class joins the leader that it resembles most, the first
/// of equals, or leads.
fn leaders(
    documents: &[OracleDocument],
    classes: &Classes,
    links: &[OracleLink],
    params: &OracleParams,
) -> Vec<Star> {
    let mut stars: Vec<Star> = Vec::new();
    for class in ranked(documents, classes, links, params) {
        let mut joined: Option<(usize, Ratio)> = None;
        for (place, star) in stars.iter().enumerate() {
            let leader = star.classes[0];
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
            Some((place, _)) => stars[place].classes.push(class),
            None => stars.push(Star::around(class)),
        }
    }
    stars
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
    star: &Star,
    keep: OracleKeep,
) -> Option<u32> {
    best(documents, classes.members(&star.candidates), keep)
}

/// The best-ranked of some documents.
pub(super) fn best(documents: &[OracleDocument], docs: Vec<u32>, keep: OracleKeep) -> Option<u32> {
    docs.into_iter()
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

/// The row of the cluster table; of the best kept document and the number of all.
pub(super) fn describe(
    classes: &Classes,
    members: &[u32],
    group: &Group,
    [kept, keeps]: [u32; 2],
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
        keeps,
    }
}
