//! Passages within a few KiB, against a count of all windows in memory.

use super::*;
use crate::job::TakerMaker;
use config::DEFAULT_TOML;
use engine::{Engine, Reporter};
use format::{Disk, Manifest};
use model::{Content, Words};
use proptest::prelude::*;
use sort::MemoryBudget;
use std::collections::{BTreeMap, BTreeSet};

/// Documents of words that are numbers.
struct MadeTexts<'a>(&'a [Vec<u32>]);

impl PassageTexts for MadeTexts<'_> {
    fn read(&self, mut wanted: WantedDocuments, taker: &TakerMaker<'_>) -> Result<(), Error> {
        let mut taker = taker()?;
        while let Some(Words([text, doc])) = wanted.next_document()? {
            let words: String = self.0[text as usize]
                .iter()
                .map(|word| format!("w{word} "))
                .collect();
            taker(Words([text, doc]), Content::Text(&words))?;
        }
        Ok(())
    }
}

/// Passages, cuts and quotes.
type AllFound = (Vec<PassageRecord>, Vec<CutRecord>, Vec<QuoteRecord>);

/// All windows, counted in memory.
fn expected(documents: &[Vec<u32>], words: usize) -> AllFound {
    let mut places: BTreeMap<&[u32], Vec<(u32, u32)>> = BTreeMap::new();
    for (doc, document) in documents.iter().enumerate() {
        for (first, window) in document.windows(words).enumerate() {
            places
                .entry(window)
                .or_default()
                .push((doc as u32, first as u32));
        }
    }
    let (mut passages, mut cuts, mut quotes): AllFound = Default::default();
    for (doc, document) in documents.iter().enumerate() {
        let doc = doc as u32;
        let (mut goes, mut stays) = (BTreeSet::new(), BTreeSet::new());
        let mut before = None;
        for (first, window) in document.windows(words).enumerate() {
            let (first, stand) = (first as u32, &places[window]);
            if stand.len() == 1 {
                continue;
            }
            let end = first + words as u32;
            let (source_doc, source_begin) = stand[0];
            let goes_on = before == Some((first, source_doc, source_begin));
            before = Some((first + 1, source_doc, source_begin + 1));
            if source_doc != doc && !goes_on {
                quotes.push(QuoteRecord {
                    source_doc,
                    source_begin,
                    doc,
                    begin: first,
                });
            }
            let is_source = stand[0] == (doc, first);
            if is_source {
                stays.extend(first..end);
            } else {
                goes.extend(first..end);
            }
            let documents = stand
                .iter()
                .map(|(doc, _)| doc)
                .collect::<BTreeSet<_>>()
                .len() as u32;
            let count = stand.len() as u32;
            match passages
                .last_mut()
                .filter(|last| last.doc == doc && first <= last.end)
            {
                Some(last) => {
                    last.end = end;
                    last.places = [last.places[0].min(count), last.places[1].max(count)];
                    last.documents = last.documents.max(documents);
                    last.is_source &= is_source;
                }
                None => passages.push(PassageRecord {
                    doc,
                    begin: first,
                    end,
                    characters: Characters::UNKNOWN,
                    places: [count; 2],
                    documents,
                    source_doc: stand[0].0,
                    source_begin: stand[0].1,
                    is_source,
                }),
            }
        }
        for token in goes.difference(&stays) {
            match cuts
                .last_mut()
                .filter(|last| last.doc == doc && last.end == *token)
            {
                Some(last) => last.end += 1,
                None => cuts.push(CutRecord {
                    doc,
                    begin: *token,
                    end: token + 1,
                    characters: Characters::UNKNOWN,
                }),
            }
        }
    }
    (passages, cuts, quotes)
}

fn found(documents: &[Vec<u32>], words: u32, memory_bytes: usize) -> AllFound {
    let dir = tempfile::tempdir().expect("a directory");
    let mut config = config::parse(DEFAULT_TOML, &dir.path().join("pipeline.toml")).expect("right");
    config.sketch.shingle_size = 3;
    let reporter = Reporter::silent();
    let mut engine = Engine::over(&config, Disk::default(), Manifest::default(), &reporter);
    engine.budget = MemoryBudget::new(memory_bytes);
    let mut scratch = engine
        .scratch_in(dir.path().to_path_buf())
        .expect("a scratch directory");
    scratch.documents = documents.len() as u32;
    let unread = scratch.cells("unread").expect("room");
    let passages = Passages {
        engine: &engine,
        scratch,
        words,
        order: Mutex::new(DocumentOrder::of_input()),
        bodies: Mutex::default(),
        unread: Mutex::new(unread),
    };
    let mut all = 0..documents.len() as u32;
    let wanted = passages
        .wanted(|| all.next().map(|doc| passages.text_of(doc)).transpose())
        .expect("room");
    let mut all = AllFound::default();
    find(&passages, wanted, &MadeTexts(documents), |covered| {
        all.0.extend(covered.passage);
        all.1.extend(covered.cut);
        all.2.extend(covered.quote);
        Ok(())
    })
    .expect("found");
    drop(passages);
    let left = std::fs::read_dir(dir.path()).expect("a directory").count();
    assert_eq!(left, 0, "scratch files are left");
    all
}

/// Documents that quote one another and themselves.
fn documents() -> impl Strategy<Value = Vec<Vec<u32>>> {
    let piece = (0..12_usize, 0..60_usize, 1..50_usize);
    prop::collection::vec(
        prop::collection::vec((any::<u32>(), piece, 0..4_u32), 0..9),
        1..14,
    )
    .prop_map(|plan| {
        let mut made: Vec<Vec<u32>> = Vec::new();
        for pieces in plan {
            let mut document = Vec::new();
            for (seed, (from, at, length), kind) in pieces {
                let new = |n: usize| seed.wrapping_mul(31).wrapping_add(n as u32) % 5000;
                match (kind, made.get(from % made.len().max(1))) {
                    (0 | 1, Some(other)) if !other.is_empty() => {
                        let at = at % other.len();
                        document.extend_from_slice(&other[at..other.len().min(at + length)]);
                    }
                    (2, _) => document.extend(vec![seed % 3; length]),
                    _ => document.extend((0..length).map(new)),
                }
            }
            made.push(document);
        }
        made
    })
}

proptest! {
    #[test]
    fn passages_are_those_of_a_count_of_all_windows(
        documents in documents(), words in 1_u32..24, memory in prop_oneof![Just(8_usize << 10), Just(1 << 20)],
    ) {
        let (passages, cuts, quotes) = expected(&documents, words as usize);
        let (found_passages, found_cuts, found_quotes) = found(&documents, words, memory);
        prop_assert_eq!(found_quotes, quotes);
        prop_assert_eq!(found_passages, passages);
        prop_assert_eq!(found_cuts, cuts);
    }
}
