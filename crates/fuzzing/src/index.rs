//! The query index with one file exchanged, and questions to a sound one.

use crate::work_files::{sealed, small_run};
use ask::Index;
use ask::query as questions;
use config::Config;
use format::{Disk, FormatError, INDEX_MANIFEST, INDEX_VERSION, IndexManifest};
use sketch::UrlKeys;
use std::fs;
use std::path::PathBuf;

/// The publication of a small run.
struct Base {
    _kept: tempfile::TempDir,
    config: Config,
    dir: PathBuf,
    keys: UrlKeys,
    /// Its first page.
    manifest: IndexManifest,
    /// Its files but for the first page, by their names.
    files: Vec<(String, Vec<u8>)>,
}

impl Base {
    fn new() -> Base {
        let (kept, config) = small_run();
        let dir = kept
            .path()
            .join("out/index")
            .canonicalize()
            .expect("an index");
        let manifest = IndexManifest::load(&Disk::default(), &dir).expect("an index");
        let entries = fs::read_dir(&dir).expect("an index");
        let file = |entry: std::io::Result<fs::DirEntry>| {
            let entry = entry.expect("an entry");
            let name = entry.file_name().to_string_lossy().into_owned();
            (name, fs::read(entry.path()).expect("a file"))
        };
        let mut files: Vec<_> = entries.map(file).collect();
        files.retain(|(name, _)| name != INDEX_MANIFEST);
        files.sort();
        let keys = UrlKeys::of(&config.sketch.keys);
        Base {
            _kept: kept,
            config,
            dir,
            keys,
            manifest,
            files,
        }
    }
}

thread_local! {
    static BASE: Base = Base::new();
    /// An index of which no file is exchanged, and the run that made it.
    static INDEX: (Base, Index) = {
        let base = Base::new();
        let index = Index::open(&Disk::default(), &base.dir, base.keys).expect("an index");
        (base, index)
    };
}

/// The first byte says which file is exchanged for the other bytes; behind the last file, it is the
/// first page.
pub(crate) fn index(bytes: &[u8]) {
    BASE.with(|base| exchanged(base, bytes));
}

fn exchanged(base: &Base, bytes: &[u8]) {
    let disk = Disk::default();
    let Some((&chosen, content)) = bytes.split_first() else {
        return;
    };
    let mut manifest = base.manifest.clone();
    let chosen = base.files.get(usize::from(chosen));
    if let Some((name, _)) = chosen {
        let content = sealed(content, name);
        let trailer = &content[content.len() - 48..];
        let number = |at: usize| {
            let word = trailer[at..at + 8].try_into().expect("eight bytes");
            u64::from_le_bytes(word)
        };
        let levels = manifest.postings.iter_mut().map(|level| &mut level.sealed);
        for sealed in manifest.files.values_mut().chain(levels) {
            if sealed.name == *name {
                sealed.bytes = content.len() as u64;
                sealed.records = number(8);
                sealed.checksum = format!("{:016x}", number(32));
            }
        }
        fs::write(base.dir.join(name), content).expect("written");
    } else if let Ok(other) = serde_json::from_slice::<IndexManifest>(content) {
        manifest = other;
        manifest.version = INDEX_VERSION;
    }
    manifest.store(&disk, &base.dir).expect("written");
    _ = Index::open(&disk, &base.dir, base.keys).and_then(|index| ask_all(&index));
    if let Some((name, content)) = chosen {
        fs::write(base.dir.join(name), content).expect("written");
    }
}

/// Asks what can be asked of a few documents. Errors are ignored: only panics count.
fn ask_all(index: &Index) -> Result<(), FormatError> {
    for doc in (0..index.documents().min(9)).chain([index.documents(), u32::MAX]) {
        _ = index.document(doc, |row| row.words);
        _ = index
            .class(doc)
            .and_then(|class| index.class_documents(class.lowest[0]).map(drop));
        _ = index.member(doc);
        _ = index.cluster(doc);
        _ = index
            .cluster_documents(doc)
            .map(|documents| documents.iter().take(9).for_each(drop));
        _ = index
            .links_from(doc)
            .map(|links| links.iter().take(9).for_each(drop));
        _ = index.sizes(doc);
        _ = index.overlap(doc, 0);
        _ = index.relation(0, doc);
        _ = index.mark(doc);
        _ = index.source(doc);
        _ = index.doc_of(index.public_id(doc));
        if let Ok(sketch) = index.sketch(doc) {
            for shingle in sketch.fingerprints.iter().take(3) {
                _ = index
                    .postings(*shingle)
                    .map(|found| found.iter().take(9).for_each(drop));
                _ = index.common(*shingle);
            }
        }
        _ = questions::by_id(index, index.public_id(doc), 5);
        _ = questions::by_cluster(index, index.public_id(doc), 5);
    }
    _ = index.docs_of_url("http://a.example/1", 5);
    _ = index.docs_of_id("n1", 5);
    _ = index.near_urls("a.example/1/", 5);
    index.common_shingles()?.take(9).for_each(drop);
    Ok(())
}

/// Bytes as a URL, an id, a number, and a list to be grouped.
pub(crate) fn query(bytes: &[u8]) {
    INDEX.with(|(base, index)| ask(base, index, bytes));
}

fn ask(base: &Base, index: &Index, bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let number = text.trim().parse().unwrap_or(i64::from(bytes.len() as u32));
    if let Ok(answer) = questions::by_url(index, &text, 5) {
        assert!(!answer.doc_ids.is_empty());
    }
    _ = index.docs_of_id(&text, 5).expect("a sound index");
    _ = index.near_urls(&text, 5).expect("a sound index");
    _ = questions::by_id(index, number, 5);
    _ = questions::by_cluster(index, number, 5);
    _ = questions::gone(index, number, 5);
    _ = questions::history(index, &text);
    _ = index.postings(number as u64).expect("a sound index");
    let lines = bytes.split(|&byte| byte == b'\n').count();
    if let Ok(answer) = questions::group(index, &base.config, &mut &*bytes) {
        assert!(answer.groups.len() <= lines);
    }
}

/// Files of the index that the fuzzer can start from: target, name and content.
#[cfg(test)]
pub(crate) fn seeds() -> Vec<(&'static str, String, Vec<u8>)> {
    let numbered = |(number, (name, content)): (usize, &(String, Vec<u8>))| {
        let content = [&[number as u8][..], content].concat();
        ("index", name.replace('/', "-"), content)
    };
    let base = Base::new();
    let mut seeds: Vec<_> = base.files.iter().enumerate().map(numbered).collect();
    let page = serde_json::to_vec(&base.manifest).expect("JSON");
    seeds.push(("index", "page".to_owned(), [&[255][..], &page].concat()));
    seeds
}
