//! Lookups of random sketches against every representative, one by one.

use super::best::SimilarDocument;
use super::containing::ContainingDocuments;
use super::search::{LikeWanted, ProbeAnswer, Search, like};
use crate::index::{Index, StoredSketch};
use engine::{Engine, PhaseName};
use format::{Disk, FileKind};
use model::{Class, Overlap, Threshold};
use publication::publish::Publication;
use sketch::UrlKeys;
use std::collections::BTreeSet;
use testbed::read;
use testkit::{OracleCase, OracleDocument};

/// Asks for every document, known ones and parts of them, with all the memory there is and with
/// hardly any.
pub fn agrees(engine: &Engine<'_>, case: &OracleCase, seed: u64) {
    std::fs::create_dir_all(engine.dir(PhaseName::Index)).unwrap();
    let publication = Publication::begin(
        &engine.disk,
        &engine.config.work.dir.join("liked"),
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
    let keys = UrlKeys::of(&engine.config.sketch.keys);
    let index = Index::open(&Disk::default(), &publication.path("index"), keys).unwrap();
    let classes = read::<Class>(engine, PhaseName::Distinct, "classes", FileKind::Classes);
    let represented: BTreeSet<u32> = classes
        .iter()
        .filter(|class| class.representative() != class.doc)
        .map(|class| class.doc)
        .collect();
    let known = case
        .documents
        .iter()
        .map(|document| (document.fingerprints.clone(), document.level));
    let parts = case.documents.iter().step_by(3).map(|document| {
        let part = document
            .fingerprints
            .iter()
            .copied()
            .filter(|shingle| !(shingle / 64 + seed).is_multiple_of(3));
        (part.collect(), document.level)
    });
    let probes: Vec<StoredSketch> = known
        .chain(parts)
        .map(|(fingerprints, level)| StoredSketch {
            fingerprints,
            level,
        })
        .collect();
    let wanted = [LikeWanted::Like, LikeWanted::Within, LikeWanted::Contains][(seed % 3) as usize];
    let least = (seed.is_multiple_of(4)).then(|| Threshold::from_f64(0.4).unwrap());
    let limit = [1, 3, 1000][(seed / 3 % 3) as usize];
    let memory_bytes = [0, 2000, 1 << 24][(seed / 9 % 3) as usize];
    let search = Search {
        wanted,
        limit,
        least,
        count: (seed % 5 < 3).then(|| Threshold::from_f64(0.7).unwrap()),
        memory_bytes,
    };
    let corpus = Definition {
        case,
        represented: &represented,
    };
    let expected: Vec<ProbeAnswer> = probes
        .iter()
        .map(|probe| corpus.directly(probe, &search))
        .collect();
    assert_eq!(
        like(&index, &probes, &search).unwrap(),
        expected,
        "seed {seed}, {search:?}, {:?}",
        case.params
    );
    std::fs::remove_dir_all(engine.dir(PhaseName::Index)).unwrap();
}

/// The definition of an answer, over documents in memory.
struct Definition<'a> {
    case: &'a OracleCase,
    represented: &'a BTreeSet<u32>,
}

impl Definition<'_> {
    /// The definition: each representative compared by itself.
    fn directly(&self, probe: &StoredSketch, search: &Search) -> ProbeAnswer {
        let sampling = self.case.params.sampling;
        let compared = |document: &OracleDocument| {
            let level = probe.level.max(document.level);
            let modulus = sampling.modulus_at(level);
            let kept = |list: &[u64]| -> BTreeSet<u64> {
                let multiples = list
                    .iter()
                    .copied()
                    .filter(|shingle| shingle.is_multiple_of(u64::from(modulus)));
                multiples.collect()
            };
            let (a, b) = (kept(&probe.fingerprints), kept(&document.fingerprints));
            let shared = a.intersection(&b).count() as u32;
            Overlap {
                shared,
                size_a: a.len() as u32,
                size_b: b.len() as u32,
                modulus,
            }
        };
        let documents = (0_u32..)
            .zip(&self.case.documents)
            .filter(|(doc, _)| !self.represented.contains(doc));
        let mut found: Vec<SimilarDocument> = documents
            .map(|(doc, document)| SimilarDocument {
                doc,
                overlap: compared(document),
            })
            .filter(|found| found.overlap.shared > 0)
            .filter(|found| {
                search
                    .least
                    .is_none_or(|least| least.reached_by(search.wanted.ratio(&found.overlap)))
            })
            .collect();
        let containing = search
            .count
            .map(|least| self.containing(probe, least, &compared));
        found.sort_by(|x, y| {
            let key = |found: &SimilarDocument| {
                let overlap = &found.overlap;
                let ratio = search.wanted.ratio(overlap);
                (ratio, overlap.shared_of_union(), overlap.shared)
            };
            key(y).cmp(&key(x)).then(x.doc.cmp(&y.doc))
        });
        let total = found.len() as u64;
        found.truncate(search.limit);
        ProbeAnswer {
            found,
            total,
            containing,
        }
    }

    /// Documents that contain the share `least` of a text, each compared by itself.
    fn containing(
        &self,
        probe: &StoredSketch,
        least: Threshold,
        compared: &dyn Fn(&OracleDocument) -> Overlap,
    ) -> ContainingDocuments {
        let sampling = self.case.params.sampling;
        let mut expected = ContainingDocuments {
            share: least.to_f64(),
            ..ContainingDocuments::default()
        };
        for document in &self.case.documents {
            let overlap = compared(document);
            let Some(estimate) = overlap.containment_a_in_b() else {
                panic!("a sample at a modulus estimates containment")
            };
            if overlap.shared == 0 {
                continue;
            }
            expected.low += u64::from(estimate.interval.low >= least.to_f64());
            expected.documents += u64::from(least.reached_by(estimate.ratio));
            expected.high += u64::from(estimate.interval.high >= least.to_f64());
        }
        let is_empty = |level: &usize| {
            let modulus = u64::from(sampling.modulus_at(*level));
            let mut kept = probe.fingerprints.iter();
            *level >= probe.level && !kept.any(|shingle| shingle % modulus == 0)
        };
        let level = (0..sampling.levels()).find(is_empty);
        expected.unseen_modulus = level.map(|level| sampling.modulus_at(level));
        expected
    }
}
