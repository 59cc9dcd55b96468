use super::*;
use model::VecCells;
use proptest::prelude::*;

const DOCUMENTS: u32 = 60;

/// Classes within classes: of each relation the group of a document, `None` where it is alone.
fn classes() -> impl Strategy<Value = Vec<Class>> {
    proptest::collection::vec((0u8..40, 0u8..3, 0u8..3), DOCUMENTS as usize).prop_map(|groups| {
        let class = |(doc, own): (usize, &(u8, u8, u8))| {
            let of = |same: &dyn Fn(&(u8, u8, u8)) -> bool| {
                let is_shared = groups.iter().filter(|other| same(other)).count() > 1;
                let lowest = groups.iter().position(same).unwrap_or(doc) as u32;
                if is_shared { lowest } else { Class::NONE }
            };
            let lowest = [
                of(&|other| other == own),
                of(&|other| (other.0, other.1) == (own.0, own.1)),
                of(&|o| o.0 == own.0),
            ];
            Class {
                doc: doc as u32,
                lowest,
            }
        };
        groups.iter().enumerate().map(class).collect()
    })
}

/// The cluster of some documents, by the definitions.
fn cluster(candidates: &[Candidate<1>], links: impl Iterator<Item = WeakestLink>) -> Cluster {
    let best = candidates
        .iter()
        .min_by_key(|one| (one.excluded, one.rank, one.doc));
    let shared = |relation: usize| {
        let lowest = candidates[0].lowest[relation];
        lowest != Class::NONE && candidates.iter().all(|one| one.lowest[relation] == lowest)
    };
    let count =
        |is_one: &dyn Fn(&&Candidate<1>) -> bool| candidates.iter().filter(is_one).count() as u32;
    Cluster {
        cluster: candidates[0].doc,
        documents: candidates.len() as u32,
        distinct: count(&|one| one.class().representative() == one.doc),
        kind: (0..3).find(|relation| shared(*relation)).unwrap_or(3) as u8,
        kept: best.unwrap().doc,
        keeps: count(&|one| one.is_kept_class).max(1),
        weakest: links.min(),
    }
}

proptest! {
    #[test]
    fn ranges_of_clusters_have_the_figures_of_the_definitions(
        classes in classes(), links in proptest::collection::vec((0..DOCUMENTS, 0..DOCUMENTS, 1u32..9, 0u32..9), 0..60),
        ranks in proptest::collection::vec((0u8..4, any::<bool>(), any::<bool>()), DOCUMENTS as usize), batch in 1usize..20,
        most in prop_oneof![1usize..6, Just(60)], beside in 0usize..3,
    ) {
        let mut sets = UnionFind::new(VecCells::with_words(DOCUMENTS as usize, beside));
        let mut rows: Vec<(u32, WeakestLink)> = Vec::new();
        for (a, b, shared, more) in links {
            let [a, b] = [a, b].map(|doc| classes[doc as usize].representative());
            if a != b {
                sets.union(a, b).unwrap();
                rows.push((a.min(b), WeakestLink { shared, union: shared + more }));
            }
        }
        rows.sort_unstable();
        let roots: Vec<u32> = classes.iter().map(|class| sets.find(class.representative()).unwrap()).collect();
        let in_cluster = |doc: u32| roots.iter().filter(|&&root| root == roots[doc as usize]).count() > 1;
        let candidates: Vec<Candidate<1>> = classes.iter().zip(&ranks).filter(|(class, _)| in_cluster(class.doc)).map(
            |(class, &(excluded, ranked, is_kept_class))| Candidate {
                doc: class.doc, lowest: class.lowest, excluded, rank: [u8::from(ranked)], is_kept_class,
            },
        ).collect();
        let expected: Vec<Cluster> = (0..DOCUMENTS).filter(|&doc| in_cluster(doc) && roots[doc as usize] == doc).map(|root| {
            let of_cluster = |doc: u32| roots[doc as usize] == root;
            let members: Vec<_> = candidates.iter().filter(|one| of_cluster(one.doc)).copied().collect();
            cluster(&members, rows.iter().filter(|row| of_cluster(row.0)).map(|row| row.1))
        }).collect();

        let mut tallies = Tallies::<_, 1>::new(sets, most);
        let mut found = Vec::new();
        loop {
            for docs in (tallies.first()..DOCUMENTS).collect::<Vec<_>>().chunks(batch) {
                let of = |doc: &u32| candidates.iter().find(|candidate| candidate.doc == *doc).copied();
                let came: Vec<Candidate<1>> = docs.iter().filter_map(of).collect();
                let by_itself = |doc: &&u32| {
                    tallies.is_alone(**doc).unwrap() && classes[**doc as usize].lowest == [Class::NONE; 3]
                };
                prop_assert_eq!(docs.len() - docs.iter().filter(by_itself).count(), came.len());
                tallies.add(&came).unwrap();
                for row in rows.iter().filter(|row| docs.contains(&row.0)) {
                    tallies.linked(row.0, row.1).unwrap();
                }
            }
            found.extend(tallies.clusters());
            if !tallies.next_range() {
                break;
            }
        }
        prop_assert_eq!(found, expected);
        for doc in 0..DOCUMENTS {
            let root = in_cluster(doc).then(|| roots[doc as usize]);
            prop_assert_eq!(tallies.cluster_of(doc).unwrap(), root);
        }
    }
}
