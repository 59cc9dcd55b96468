//! The index of random corpora, made within a few KiB, against the definitions.

use super::by_url;
use crate::index::Index;
use engine::{Engine, PhaseName};
use format::{Disk, FileKind, LinkRecord, MemberRecord};
use model::{Class, Overlap, SizesByLevel};
use publication::publish::Publication;
use sketch::{UrlKeys, loose_form};
use std::collections::{BTreeMap, BTreeSet};
use testbed::read;
use testkit::OracleCase;

fn docs(range: &format::RecordRange<'_, format::GroupRecord>) -> Vec<u32> {
    range.iter().map(|record| record.unwrap().doc).collect()
}

/// Makes the index as phase `index` does and compares every lookup.
pub fn agrees(engine: &Engine<'_>, case: &OracleCase, seed: u64) {
    std::fs::create_dir_all(engine.dir(PhaseName::Index)).unwrap();
    let output = engine.config.work.dir.join("published");
    let publication = Publication::begin(
        &engine.disk,
        &output,
        engine::runtime::parameters::semantic(engine.config),
        || {},
    )
    .unwrap();
    publication::maps::build(
        engine,
        &publication,
        publication::maps::urls(engine, &publication).unwrap(),
        &format::Sealed::default(),
        None,
    )
    .unwrap();
    let left = std::fs::read_dir(engine.dir(PhaseName::Index))
        .unwrap()
        .count();
    assert_eq!(left, 0, "sorting left something behind");
    let disk = Disk::default();
    let index = Index::open(
        &disk,
        &publication.path("index"),
        UrlKeys::of(&engine.config.sketch.keys),
    )
    .unwrap();
    let page = std::fs::metadata(publication.path("index/index.json"))
        .unwrap()
        .len();
    assert_eq!(disk.traffic().1, page, "opening reads the first page alone");
    let n = case.documents.len() as u32;
    assert_eq!(index.documents(), n);
    let classes = groups(engine, &index, n);
    sketches(&index, case, &classes);
    urls(&index, case, seed);
}

/// Classes, members, clusters, links. Gives the class of every document.
fn groups(engine: &Engine<'_>, index: &Index, n: u32) -> Vec<Class> {
    let mut classes: Vec<Class> = (0..n).map(Class::alone).collect();
    for class in read::<Class>(engine, PhaseName::Distinct, "classes", FileKind::Classes) {
        classes[class.doc as usize] = class;
    }
    let mut members: Vec<(u32, u32)> = (0..n).map(|doc| (doc, doc)).collect();
    let mut by_cluster: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for member in read::<MemberRecord>(engine, PhaseName::Cluster, "members", FileKind::Members) {
        members[member.doc as usize] = (member.cluster, member.kept);
        by_cluster
            .entry(member.cluster)
            .or_default()
            .push(member.doc);
    }
    for doc in 0..n {
        let (class, member) = (classes[doc as usize], index.member(doc).unwrap());
        assert_eq!(index.class(doc).unwrap(), class);
        assert_eq!(
            (member.same_as, member.representative),
            (class.same_as(), class.representative())
        );
        assert_eq!((member.cluster, member.kept), members[doc as usize]);
        assert_eq!(index.doc_of(index.public_id(doc)), Some(doc));
        assert_eq!(
            docs(&index.cluster_documents(doc).unwrap()),
            by_cluster.remove(&doc).unwrap_or_default()
        );
        let stands_for =
            |other: &u32| *other != doc && classes[*other as usize].representative() == doc;
        let represented: Vec<u32> = (0..n).filter(stands_for).collect();
        assert_eq!(docs(&index.class_documents(doc).unwrap()), represented);
    }
    assert!(
        index.doc_of(i64::from(n)).is_none()
            && index.doc_of(-1).is_none()
            && index.doc_of(1 << 32).is_none()
    );
    let clusters =
        read::<format::ClusterRecord>(engine, PhaseName::Cluster, "clusters", FileKind::Clusters);
    for cluster in &clusters {
        assert_eq!(index.cluster(cluster.cluster).unwrap(), Some(*cluster));
    }
    let all = (0..n)
        .filter(|doc| index.cluster(*doc).unwrap().is_some())
        .count();
    assert_eq!(all, clusters.len());
    let links = read::<LinkRecord>(engine, PhaseName::Cluster, "links", FileKind::Links);
    let mut from: BTreeMap<u32, Vec<LinkRecord>> = BTreeMap::new();
    for link in links {
        assert_eq!(index.link(link.b, link.a).unwrap(), Some(link));
        from.entry(link.a).or_default().push(link);
    }
    for doc in 0..n {
        let found: Vec<LinkRecord> = index
            .links_from(doc)
            .unwrap()
            .iter()
            .map(Result::unwrap)
            .collect();
        assert_eq!(found, from.remove(&doc).unwrap_or_default());
        assert_eq!(index.link(doc, doc).unwrap(), None);
    }
    classes
}

/// Sketches, postings, common shingles, and what two sketches share.
fn sketches(index: &Index, case: &OracleCase, classes: &[Class]) {
    let representatives: Vec<u32> = classes
        .iter()
        .filter(|class| class.representative() == class.doc)
        .map(|class| class.doc)
        .collect();
    let mut postings: BTreeMap<u64, Vec<u32>> = BTreeMap::new();
    for &doc in &representatives {
        for &shingle in &case.documents[doc as usize].fingerprints {
            postings.entry(shingle).or_default().push(doc);
        }
    }
    let common: BTreeMap<u64, u32> = testkit::run(&case.documents, &case.params)
        .common
        .into_iter()
        .map(|(shingle, documents, _)| (shingle, documents))
        .collect();
    for (shingle, docs) in &postings {
        let found: Vec<u32> = index
            .postings(*shingle)
            .unwrap()
            .iter()
            .map(|posting| posting.unwrap().doc)
            .collect();
        assert_eq!(found, *docs);
        let record = index.common(*shingle).unwrap();
        assert_eq!(
            record.map(|record| record.documents),
            common.get(shingle).copied()
        );
        assert!(
            postings.contains_key(&shingle.wrapping_add(1))
                || index.postings(shingle.wrapping_add(1)).unwrap().is_empty()
        );
    }
    assert_eq!(index.common_shingles().unwrap().count(), common.len());
    let sampling = case.params.sampling;
    let kept = |doc: u32| case.documents[doc as usize].fingerprints.clone();
    for (doc, document) in (0..).zip(&case.documents) {
        let sketch = index.sketch(doc).unwrap();
        assert_eq!(
            (sketch.level, &sketch.fingerprints),
            (document.level, &document.fingerprints)
        );
        let row = index.document(doc, |row| (row.words, row.bytes, row.date));
        assert_eq!(
            row.unwrap(),
            (document.words, document.bytes, document.date)
        );
        assert_eq!(index.mark(doc).unwrap().identity, document.identity);
    }
    for &doc in &representatives {
        let expected: SizesByLevel =
            sampling.sizes_by_level(case.documents[doc as usize].level, &kept(doc));
        assert_eq!(
            index.sizes(doc).unwrap().sizes[..sampling.levels()],
            expected.sizes[..sampling.levels()]
        );
    }
    for (at, &a) in representatives.iter().enumerate().take(12) {
        for &b in representatives.iter().skip(at + 1).step_by(5) {
            let level = case.documents[a as usize]
                .level
                .max(case.documents[b as usize].level);
            let at_level = |doc: u32| -> BTreeSet<u64> {
                kept(doc)
                    .into_iter()
                    .filter(|shingle| !case.params.drops_common || !common.contains_key(shingle))
                    .filter(|shingle| sampling.coarsest_level_of(*shingle) >= level)
                    .collect()
            };
            let (of_a, of_b) = (at_level(a), at_level(b));
            let count = |n: usize| n as u32;
            let expected = Overlap {
                shared: count(of_a.intersection(&of_b).count()),
                size_a: count(of_a.len()),
                size_b: count(of_b.len()),
                modulus: sampling.modulus_at(level),
            };
            assert_eq!(index.overlap(a, b).unwrap(), expected);
            // Whether by the link or by the sketches: the same counts, and both ways.
            assert_eq!(index.relation(a, b).unwrap().overlap, expected);
            let turned = index.relation(b, a).unwrap().overlap;
            assert_eq!(
                (turned.size_a, turned.size_b, turned.shared),
                (expected.size_b, expected.size_a, expected.shared)
            );
        }
    }
}

/// Every URL, those that are almost it, and some that are not there.
fn urls(index: &Index, case: &OracleCase, seed: u64) {
    let n = case.documents.len() as u32;
    let mut by_text: BTreeMap<String, Vec<u32>> = BTreeMap::new();
    let mut by_form: BTreeMap<Vec<u8>, BTreeSet<String>> = BTreeMap::new();
    for doc in (0..n).rev() {
        let Some(url) = testbed::url_of(doc, seed) else {
            assert_eq!(index.url(doc).unwrap(), None);
            continue;
        };
        let mut form = Vec::new();
        loose_form(&url, &mut form);
        by_form.entry(form).or_default().insert(url.clone());
        by_text.entry(url).or_default().push(doc);
    }
    for docs in by_text.values_mut() {
        let date = |doc: &u32| case.documents[*doc as usize].date;
        docs.sort_by_key(|doc| std::cmp::Reverse((date(doc), *doc)));
    }
    for (url, newest_first) in &by_text {
        let found = index.docs_of_url(url, usize::MAX).unwrap();
        assert_eq!(
            (&found.docs, found.total),
            (newest_first, newest_first.len() as u64)
        );
        let two = index.docs_of_url(url, 2).unwrap();
        assert_eq!(
            (two.docs.as_slice(), two.total),
            (&newest_first[..newest_first.len().min(2)], found.total)
        );
        let mut form = Vec::new();
        loose_form(url, &mut form);
        let expected: BTreeSet<&String> =
            by_form[&form].iter().filter(|near| *near != url).collect();
        let near = index.near_urls(url, usize::MAX).unwrap();
        assert_eq!(
            near.iter().map(|(_, near)| near).collect::<BTreeSet<_>>(),
            expected
        );
        assert!(
            near.iter().all(|(doc, near)| by_text[near][0] == *doc),
            "not the newest of {near:?}"
        );
        assert_eq!(index.near_urls(url, 1).unwrap().len(), near.len().min(1));
        let missing = format!("{url}x");
        assert!(index.docs_of_url(&missing, 9).unwrap().docs.is_empty());
    }
    if let Some(url) = by_text.keys().next() {
        let asked = url.replacen("://", "://user@", 1);
        let message = by_url(index, &asked, 5)
            .map(|_| ())
            .unwrap_err()
            .to_string();
        assert!(message.contains(url.as_str()), "{message}");
    }
}
