//! Lists of documents, joined with the documents by sorts, against a look at every pair.

use super::{FileRole, Files, Random};
use crate::listed;
use engine::Engine;
use engine::segments::SegmentFile;
use format::Access;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use testkit::OracleCase;

/// Whether a document of this doc_id and name is named.
type IsNamed = dyn Fn(i64, Option<&str>) -> bool;

/// An entry of a list, and the documents that it names.
struct Entry {
    line: String,
    names: Box<IsNamed>,
}

fn entry(random: &mut Random, names: &[Option<String>]) -> Entry {
    let doc = random.below(names.len() as u64 + 3);
    let url = names
        .get(random.below(names.len() as u64) as usize)
        .cloned();
    let url = url.flatten().unwrap_or_else(|| "nobody".to_owned());
    let (doc_id, quoted) = (doc as i64, serde_json::Value::from(url.as_str()));
    match random.below(5) {
        0 => Entry {
            line: format!("{{\"doc_id\": {doc}}}"),
            names: Box::new(move |id, _| id == doc_id),
        },
        1 => Entry {
            line: format!("{{\"id\": {quoted}}}"),
            names: Box::new(move |_, name| name == Some(&*url)),
        },
        2 => Entry {
            line: format!("{{\"doc_id\": {doc}, \"id\": {quoted}}}"),
            names: Box::new(move |id, name| id == doc_id && name == Some(&*url)),
        },
        3 => Entry {
            line: doc.to_string(),
            names: Box::new(move |id, _| id == doc_id),
        },
        _ => Entry {
            line: url.clone(),
            names: Box::new(move |_, name| name == Some(&*url)),
        },
    }
}

fn agrees(engine: &Engine<'_>, case: &OracleCase, seed: u64) {
    let mut rows = engine.segments().unwrap().rows(SegmentFile::Documents);
    let mut names = Vec::new();
    while let Some((_, row)) = rows.next_document().unwrap() {
        names.push(row.url.map(str::to_owned));
    }
    let documents = case.documents.len() as u32;
    assert_eq!(names.len(), documents as usize);
    let half = documents / 2;
    let files = Files {
        first: vec![0, half, documents],
        roles: vec![FileRole::Data, FileRole::Aside],
    };
    let mut random = Random::new(seed);
    let entries: Vec<Entry> = (0..1 + random.below(40))
        .map(|_| entry(&mut random, &names))
        .collect();
    let mut text = String::new();
    entries
        .iter()
        .for_each(|one| writeln!(text, "{}", one.line).unwrap());
    let dir = engine::work_dir::scratch_dir(&engine.config.work.dir);
    engine.disk.create_dir(&dir, Access::Private).unwrap();
    let list = engine.config.work.dir.join("list");
    std::fs::write(&list, text).unwrap();
    let named: Vec<BTreeSet<u32>> = entries
        .iter()
        .map(|one| {
            let all = names.iter().enumerate();
            let these = all.filter(|(doc, name)| (one.names)(*doc as i64, name.as_deref()));
            these.map(|(doc, _)| doc as u32).collect()
        })
        .collect();
    let all: BTreeSet<u32> = named.iter().flatten().copied().collect();
    let unknown = named.iter().filter(|these| these.is_empty()).count() as u64;
    let memory = engine.budget.take(crate::memory::TABLE);
    let task = crate::task_of(engine, memory.bytes() / 8).unwrap();
    match listed::decide(&task, &list, &files) {
        Err(error) => assert!(all.is_empty(), "seed {seed}: {error}"),
        Ok((removals, outcome)) => {
            assert!(
                !all.is_empty(),
                "seed {seed}: nothing is named, and no error"
            );
            let (mut reader, mut found) = (removals.read().unwrap(), Vec::new());
            while let Some(removal) = reader.next().unwrap() {
                assert_eq!(removal.kept_document(), None);
                found.push(removal.doc);
            }
            let expected: Vec<u32> = all.range(..half).copied().collect();
            assert_eq!(found, expected, "seed {seed}: {list:?}");
            assert_eq!(outcome.of_references, (all.len() - expected.len()) as u64);
            assert_eq!(
                (outcome.entries, outcome.unknown),
                (entries.len() as u64, unknown)
            );
            assert_eq!(outcome.first_unknown.len() as u64, unknown.min(3));
        }
    }
    std::fs::remove_dir_all(dir).unwrap();
}

#[test]
fn a_list_names_what_a_look_at_every_document_finds() {
    testbed::cases(200, |seed, memory_bytes| {
        let case = OracleCase::from_seed(seed);
        testbed::clustered(&case, seed, memory_bytes, |engine| {
            agrees(engine, &case, seed);
        });
    });
}
