//! The removals of random corpora, decided within a few KiB and on several threads, against the
//! definitions.

mod corpus;
mod lists;

use super::files::{FileRole, Files};
use super::{DedupRequest, decide};
use corpus::Corpus;
use engine::{Engine, Error};
use exact::{
    Compared, FingerprintedTexts, SetFeeder, TakeFingerprint, Texts, WantedDocuments, Workplace,
};
use format::Access;
use model::{Ratio, Threshold, WordRecord, Words};
use publication::removals::candidate::{NONE, SIMILAR};
use publication::removals::removal::{NOT_COUNTED, RemovalRecord};
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use testkit::{OracleCase, Random};

/// One kind of call for each seed: what it decides is what the definitions say, and always the
/// same.
fn agrees(engine: &Engine<'_>, case: &OracleCase, seed: u64) {
    let kind = seed / 5 % 6;
    let lossless =
        matches!(kind, 1 | 2 | 4).then(|| [0.2, 0.5, 0.75, 0.9, 1.0][(seed / 30 % 5) as usize]);
    let against = matches!(kind, 3 | 4).then(|| "named".to_owned());
    let against: Vec<String> = against.into_iter().collect();
    let request = DedupRequest {
        lossless,
        against,
        drop_all: kind == 5,
        ..DedupRequest::default()
    };
    let files = files(
        case.documents.len() as u32,
        seed,
        !request.against.is_empty(),
    );
    let corpus = Corpus::of(engine, case);
    let found = decided(&corpus, &request, &files, 1 + seed as usize % 3, 4);
    let again = decided(&corpus, &request, &files, 1 + (seed as usize + 1) % 3, 40);
    let context = format!("seed {seed}, {request:?}, {:?}", case.params);
    assert_eq!(
        found, again,
        "other threads and another share of the memory; {context}"
    );
    let expected = match &request {
        DedupRequest { drop_all: true, .. } => corpus.drop_all(),
        DedupRequest { against, .. } if !against.is_empty() => corpus.against(&files),
        _ => corpus.clusters(),
    };
    let share = request
        .lossless
        .map(|share| Threshold::from_f64(share).unwrap());
    let expected = match share {
        Some(share) => {
            let named = (!request.against.is_empty()).then_some(&files);
            corpus.lossless(&expected, share, named)
        }
        None => expected,
    };
    let found: BTreeMap<u32, [u32; 8]> = found
        .into_iter()
        .map(|removal| {
            let mut words = [0; 8];
            removal.write_words(&mut words);
            (removal.doc, words)
        })
        .collect();
    assert_eq!(found, expected, "{context}");
    holds_together(&corpus, &found, &request, &files, &context);
}

/// The properties that must hold whatever the definitions say in detail.
fn holds_together(
    corpus: &Corpus<'_>,
    found: &BTreeMap<u32, [u32; 8]>,
    request: &DedupRequest,
    files: &Files,
    context: &str,
) {
    let stays = |doc: &u32| !found.contains_key(doc);
    let kept = corpus.documents().filter(stays).count();
    assert_eq!(
        kept + found.len(),
        corpus.documents().count(),
        "kept and removed are all documents; {context}"
    );
    for (doc, [_, kept, relation, .., links]) in found {
        if request.drop_all {
            assert_eq!(*kept, NONE);
            continue;
        }
        assert!(stays(kept), "{doc} goes for {kept}, which goes; {context}");
        assert_eq!(
            *relation < SIMILAR,
            corpus.class(*doc) == corpus.class(*kept),
            "{doc} and {kept}; {context}"
        );
        let is_linked = corpus.joining(*doc, *kept).is_some();
        if corpus.is_direct() && request.lossless.is_none()
            || !request.against.is_empty() && request.lossless.is_none()
        {
            assert!(
                *relation < SIMILAR || is_linked,
                "{doc} goes for {kept}, not linked to it; {context}"
            );
        }
        assert!(
            *relation < SIMILAR
                || (*links == 1) == is_linked
                || *links == NOT_COUNTED && !is_linked,
            "{context}"
        );
        if !request.against.is_empty() {
            let of_name = |doc: u32| files.against().any(|other| other == doc);
            assert!(
                of_name(*kept) && !of_name(*doc),
                "{doc} goes for {kept}; {context}"
            );
        }
        if let Some(share) = request.lossless.filter(|_| *relation >= 1) {
            let (own, other) = (corpus.text(*doc).unwrap(), corpus.text(*kept).unwrap());
            let ratio = Ratio::new(own.intersection(&other).count() as u64, own.len() as u64);
            let share = Threshold::from_f64(share).unwrap();
            assert!(
                own == other || !share.is_all() && share.reached_by(ratio),
                "only {ratio:?} of {doc} is in {kept}; {context}"
            );
        }
    }
    let plain = request.lossless.is_none() && request.against.is_empty();
    if plain && !corpus.is_direct() {
        for (a, b) in corpus.all_joining() {
            let both = [a, b].map(|class| corpus.members(class).iter().any(stays));
            assert_ne!(
                both, [true; 2],
                "{a} and {b} are linked and both stay; {context}"
            );
        }
    }
}

/// Five files, some of them of NAME.
fn files(documents: u32, seed: u64, named: bool) -> Files {
    let first: Vec<u32> = (0..=5).map(|file| documents * file / 5).collect();
    Files {
        first,
        roles: (0..5)
            .map(|file| match named && seed >> file & 3 == 1 {
                true => FileRole::Against,
                false => FileRole::Data,
            })
            .collect(),
    }
}

/// The texts of a corpus, as if they were read again.
struct MadeTexts<'a>(&'a Corpus<'a>);

impl Texts for MadeTexts<'_> {
    fn read<'a>(
        &self,
        mut wanted: WantedDocuments,
        place: &Workplace<'a>,
    ) -> Result<SetFeeder<'a>, Error> {
        let sets = SetFeeder::of_run(place)?;
        let mut feeder = sets.thread();
        while let Some(Words([text, doc])) = wanted.next_document().unwrap() {
            if let Some(shingles) = self.0.text(text) {
                let shingles: Vec<u64> = shingles.into_iter().collect();
                feeder.push(doc, 0, &shingles).unwrap();
            }
        }
        Ok(sets)
    }
}

impl FingerprintedTexts for MadeTexts<'_> {
    fn fingerprint(
        &self,
        mut wanted: WantedDocuments,
        compared: Compared,
        take: &TakeFingerprint<'_>,
    ) -> Result<(), Error> {
        assert_eq!(compared, Compared::Characters);
        while let Some(Words([text, doc])) = wanted.next_document().unwrap() {
            if let Some(shingles) = self.0.text(text) {
                let mut hasher = DefaultHasher::new();
                shingles.hash(&mut hasher);
                take(doc, u128::from(hasher.finish())).unwrap();
            }
        }
        Ok(())
    }
}

fn decided(
    corpus: &Corpus<'_>,
    request: &DedupRequest,
    files: &Files,
    threads: usize,
    shares: usize,
) -> Vec<RemovalRecord> {
    let engine = corpus.engine;
    let pool = engine::runtime::threads::thread_pool(threads).unwrap();
    pool.install(|| {
        let memory = engine.budget.take(super::memory::TABLE);
        let task = super::task_of(engine, memory.bytes() / shares).unwrap();
        engine
            .disk
            .create_dir(&task.scratch.dir, Access::Private)
            .unwrap();
        let removals = decide::decide(&task, request, files, &MadeTexts(corpus)).unwrap();
        let mut reader = removals.read().unwrap();
        let mut all = Vec::new();
        while let Some(removal) = reader.next().unwrap() {
            all.push(removal);
        }
        assert_eq!(all.len() as u64, removals.records());
        std::fs::remove_dir_all(engine::work_dir::scratch_dir(&engine.config.work.dir)).unwrap();
        all
    })
}

impl Corpus<'_> {
    fn is_direct(&self) -> bool {
        self.engine.config.cluster.linkage.is_direct()
    }
}

#[test]
fn what_goes_follows_from_the_definitions() {
    testbed::cases(700, |seed, memory_bytes| {
        // The other cases are those of questions.
        if seed % 7 >= 3 {
            let case = OracleCase::from_seed(seed);
            testbed::clustered(&case, seed, memory_bytes, |engine| {
                agrees(engine, &case, seed);
            });
        }
    });
}
