use super::*;
use std::collections::BTreeMap;
use testkit::{Membership, Random, cluster_events};

/// Random memberships, one after the other; some go on from the one before.
fn histories(random: &mut Random) -> Vec<Membership> {
    let documents = 2 + random.below(14) as i64;
    let labels = 1 + random.below(6);
    let mut groups: BTreeMap<i64, u64> = (0..documents)
        .map(|doc| (doc, random.below(labels)))
        .collect();
    let mut all = Vec::new();
    for _ in 0..2 + random.below(6) {
        let mut of_group: BTreeMap<u64, Vec<i64>> = BTreeMap::new();
        groups
            .iter()
            .for_each(|(doc, group)| of_group.entry(*group).or_default().push(*doc));
        let real = of_group.values().filter(|docs| docs.len() > 1);
        all.push(
            real.flat_map(|docs| docs.iter().map(|doc| (*doc, docs[0])))
                .collect(),
        );
        let moved = random.below(500);
        for doc in 0..documents {
            if random.chance(moved) {
                groups.insert(doc, random.below(labels));
            } else if random.chance(60) {
                groups.remove(&doc);
            }
        }
    }
    all
}

/// Which clusters of the last membership come of a cluster, and since when it is gone, step by
/// step.
fn by_steps(all: &[Membership], id: i64) -> Option<(usize, BTreeSet<i64>)> {
    let is_there = |at: usize, id: i64| all[at].values().any(|cluster| *cluster == id);
    let last = all.len() - 1;
    let since = (1..=last)
        .rev()
        .find(|at| is_there(at - 1, id) && !is_there(*at, id))?;
    if is_there(last, id) {
        return None;
    }
    let mut heirs = BTreeSet::from([id]);
    for at in since..=last {
        let docs = all[at - 1]
            .iter()
            .filter(|(_, cluster)| heirs.contains(cluster))
            .map(|(doc, _)| doc);
        heirs = docs.filter_map(|doc| all[at].get(doc)).copied().collect();
    }
    Some((since, heirs))
}

#[test]
fn a_gone_cluster_is_followed_to_the_end() {
    let (mut followed, mut still) = (0, 0);
    for seed in 0..3000 {
        let all = histories(&mut Random::new(seed));
        for id in 0..16 {
            let mut story = GoneSearch {
                id,
                limit: 100,
                ..GoneSearch::default()
            };
            for (at, both) in all.windows(2).enumerate() {
                for event in cluster_events(&both[0], &both[1]) {
                    let [documents_before, documents_after, documents] = event.documents;
                    let (publication, previous) = (at as i64 + 2, at as i64 + 1);
                    story.row(&ClusterChangeRow {
                        publication,
                        previous,
                        snapshot: "s",
                        event: &event.event,
                        old_cluster_id: event.old,
                        new_cluster_id: event.new,
                        documents_before,
                        documents_after,
                        documents,
                    });
                }
            }
            story.end_publication();
            let Some((since, heirs)) = by_steps(&all, id) else {
                continue;
            };
            let gone = story.gone.expect("it is gone");
            assert_eq!(
                (gone.publication, gone.cluster_id),
                (since as i64 + 1, id),
                "seed {seed}"
            );
            assert_eq!(story.heirs, heirs, "seed {seed}, cluster {id}");
            followed += 1;
            still += u32::from(!heirs.is_empty() && since + 1 < all.len());
        }
    }
    assert!(
        followed > 3000 && still > 300,
        "{followed} followed, {still} for long"
    );
}
