//! The fate of clusters between two memberships, by the definitions, and the sums to which the rows
//! must add up to.

use std::collections::{BTreeMap, BTreeSet};

/// Document → cluster, of documents that are in one; its lowest document is the cluster.
pub type Membership = BTreeMap<i64, i64>;

/// A row of the journal, without its publication.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClusterEvent {
    /// born, died, grown, merged, renamed, shrunk, split.
    pub event: String,
    /// The cluster before.
    pub old: Option<i64>,
    /// The cluster now.
    pub new: Option<i64>,
    /// Documents before, after, and that it is about.
    pub documents: [i64; 3],
}

type Clusters = BTreeMap<i64, BTreeSet<i64>>;

fn clusters(membership: &Membership) -> Clusters {
    let mut clusters = Clusters::new();
    for (&doc, &cluster) in membership {
        clusters.entry(cluster).or_default().insert(doc);
    }
    clusters
}

fn in_both(a: &BTreeSet<i64>, b: &BTreeSet<i64>) -> i64 {
    a.intersection(b).count() as i64
}

/// The rows, by old cluster, new cluster and event; none comes last.
pub fn cluster_events(old: &Membership, new: &Membership) -> Vec<ClusterEvent> {
    let (olds, news) = (clusters(old), clusters(new));
    let lowest_kept =
        |cluster: &BTreeSet<i64>| cluster.iter().find(|doc| new.contains_key(doc)).copied();
    let lowest_known =
        |cluster: &BTreeSet<i64>| cluster.iter().find(|doc| old.contains_key(doc)).copied();
    let continues = |then: &BTreeSet<i64>, now: &BTreeSet<i64>| {
        lowest_kept(then).is_some_and(|doc| lowest_known(now) == Some(doc))
    };
    let mut rows = Vec::new();
    let mut tell = |event: &str, old: Option<i64>, new: Option<i64>, documents: i64| {
        let size =
            |clusters: &Clusters, id: Option<i64>| id.map_or(0, |id| clusters[&id].len() as i64);
        let documents = [size(&olds, old), size(&news, new), documents];
        rows.push(ClusterEvent {
            event: event.to_owned(),
            old,
            new,
            documents,
        });
    };
    for (&id, then) in &olds {
        let met: Vec<i64> = news
            .iter()
            .filter(|(_, now)| in_both(then, now) > 0)
            .map(|(id, _)| *id)
            .collect();
        let heir = met.iter().copied().find(|now| continues(then, &news[now]));
        let left = then.iter().filter(|doc| !new.contains_key(doc)).count() as i64;
        if met.is_empty() {
            tell("died", Some(id), None, left);
        } else if left > 0 {
            tell("shrunk", Some(id), heir, left);
        }
        if let Some(heir) = heir.filter(|heir| *heir != id) {
            tell("renamed", Some(id), Some(heir), in_both(then, &news[&heir]));
        }
        for &now in met
            .iter()
            .filter(|now| met.len() > 1 && Some(**now) != heir)
        {
            tell("split", Some(id), Some(now), in_both(then, &news[&now]));
        }
    }
    for (&id, now) in &news {
        let met: Vec<i64> = olds
            .iter()
            .filter(|(_, then)| in_both(then, now) > 0)
            .map(|(id, _)| *id)
            .collect();
        let continued = met.iter().copied().find(|then| continues(&olds[then], now));
        let came = now.iter().filter(|doc| !old.contains_key(doc)).count() as i64;
        if met.is_empty() {
            tell("born", None, Some(id), came);
        } else if came > 0 {
            tell("grown", continued, Some(id), came);
        }
        for &then in met
            .iter()
            .filter(|then| met.len() > 1 && Some(**then) != continued)
        {
            tell("merged", Some(then), Some(id), in_both(&olds[&then], now));
        }
    }
    let none_last = |id: Option<i64>| id.unwrap_or(i64::MAX);
    rows.sort_by_key(|row| (none_last(row.old), none_last(row.new), row.event.clone()));
    rows
}

/// Checks what can be said of the sizes of clusters from the rows alone, and that what no row names
/// is as it was.
///
/// # Panics
/// When they do not add up.
pub fn cluster_events_add_up(old: &Membership, new: &Membership, rows: &[ClusterEvent]) {
    let (olds, news) = (clusters(old), clusters(new));
    let of = |event: &'static str| rows.iter().filter(move |row| row.event == event);
    let pair = |row: &ClusterEvent| row.old.zip(row.new).expect("both clusters");
    let flows: BTreeMap<(i64, i64), i64> = of("merged")
        .chain(of("split"))
        .map(|row| (pair(row), row.documents[2]))
        .collect();
    let mut heirs: BTreeMap<i64, i64> = olds
        .keys()
        .filter(|id| news.contains_key(id))
        .map(|id| (*id, *id))
        .collect();
    heirs.extend(of("renamed").map(pair));
    for (then, now) in heirs {
        let inflow: i64 = flows
            .iter()
            .filter(|(key, _)| key.1 == now)
            .map(|(_, n)| n)
            .sum();
        let outflow: i64 = flows
            .iter()
            .filter(|(key, _)| key.0 == then)
            .map(|(_, n)| n)
            .sum();
        let came: i64 = of("grown")
            .filter(|row| row.new == Some(now))
            .map(|row| row.documents[2])
            .sum();
        let left: i64 = of("shrunk")
            .filter(|row| row.old == Some(then))
            .map(|row| row.documents[2])
            .sum();
        let [before, after] = [olds[&then].len() as i64, news[&now].len() as i64];
        assert_eq!(
            before + came + inflow - left - outflow,
            after,
            "cluster {then}, {now} now: {rows:?}"
        );
    }
    let touched: BTreeSet<i64> = rows
        .iter()
        .flat_map(|row| [row.old, row.new])
        .flatten()
        .collect();
    for (id, then) in olds.iter().filter(|(id, _)| !touched.contains(id)) {
        assert_eq!(
            news.get(id),
            Some(then),
            "cluster {id} is another and nothing is said of it"
        );
    }
    assert!(
        news.keys()
            .all(|id| touched.contains(id) || olds.contains_key(id)),
        "a cluster that nobody speaks of"
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The rows of memberships written as groups of documents.
    fn told(old: &[&[i64]], new: &[&[i64]]) -> Vec<ClusterEvent> {
        let membership = |groups: &[&[i64]]| -> Membership {
            groups
                .iter()
                .flat_map(|group| group.iter().map(|doc| (*doc, group[0])).collect::<Vec<_>>())
                .collect()
        };
        let (old, new) = (membership(old), membership(new));
        let rows = cluster_events(&old, &new);
        cluster_events_add_up(&old, &new, &rows);
        rows
    }

    #[test]
    fn the_definitions_say_what_they_are_meant_to() {
        let row = |event: &str, old, new, documents| ClusterEvent {
            event: event.to_owned(),
            old,
            new,
            documents,
        };
        assert_eq!(told(&[&[1, 2]], &[&[1, 2]]), []);
        assert_eq!(
            told(&[], &[&[1, 2]]),
            [row("born", None, Some(1), [0, 2, 2])]
        );
        assert_eq!(
            told(&[&[1, 2]], &[]),
            [row("died", Some(1), None, [2, 0, 2])]
        );
        assert_eq!(
            told(&[&[1, 2]], &[&[1, 2, 3]]),
            [row("grown", Some(1), Some(1), [2, 3, 1])]
        );
        // As many came as left.
        let expected = [
            row("grown", Some(1), Some(1), [3, 3, 1]),
            row("shrunk", Some(1), Some(1), [3, 3, 1]),
        ];
        assert_eq!(told(&[&[1, 2, 3]], &[&[1, 2, 4]]), expected);
        // The lowest document was dropped.
        let expected = [
            row("renamed", Some(1), Some(2), [3, 2, 2]),
            row("shrunk", Some(1), Some(2), [3, 2, 1]),
        ];
        assert_eq!(told(&[&[1, 2, 3]], &[&[2, 3]]), expected);
        // A lower document that was alone joins.
        let expected = [
            row("grown", Some(2), Some(1), [2, 3, 1]),
            row("renamed", Some(2), Some(1), [2, 3, 2]),
        ];
        assert_eq!(told(&[&[2, 3]], &[&[1, 2, 3]]), expected);
        assert_eq!(
            told(&[&[1, 2], &[3, 4]], &[&[1, 2, 3, 4]]),
            [row("merged", Some(3), Some(1), [2, 4, 2])]
        );
        assert_eq!(
            told(&[&[1, 2, 3, 4]], &[&[1, 2], &[3, 4]]),
            [row("split", Some(1), Some(3), [4, 2, 2])]
        );
        // Part of one joins another, of which it is the lowest.
        let expected = [
            row("merged", Some(1), Some(3), [4, 4, 2]),
            row("split", Some(1), Some(3), [4, 4, 2]),
            row("merged", Some(5), Some(3), [2, 4, 2]),
        ];
        assert_eq!(
            told(&[&[1, 2, 3, 4], &[5, 6]], &[&[1, 2], &[3, 4, 5, 6]]),
            expected
        );
    }
}
