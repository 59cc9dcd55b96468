//! Files of the work directory, with the checksums that belong to their bytes.

use crate::containers::directory;
use engine::Reporter;
use format::{
    BlockKey, BlockPlace, ClusterRecord, CommonOfDocument, CommonRecord, CutRecord, Disk,
    DocumentRow, FORMAT_VERSION, FileKind, FileReader, FormatError, GroupRecord, LinkRecord,
    Manifest, Mark, MemberRecord, PassageRecord, PayloadRecord, QuoteRecord, RecordReader,
    RejectedRow, RevisitRow, RowReader, SegmentRecord, SettledRecord, SizesRow, SketchRow,
    SourceRow, UrlRecord,
};
use model::{Class, PairCount, Posting, Record};
use run::RunOptions;
use std::fs;
use std::hash::Hasher;
use std::path::Path;
use twox_hash::XxHash3_64;

const HEADER_BYTES: usize = 64;
const BLOCK_HEADER_BYTES: usize = 16;
const TRAILER_BYTES: usize = 48;

/// A file whose bytes are these but for magic numbers, version, lengths and checksums, which are
/// right. The format is that of FORMATS.md.
pub(crate) fn sealed(bytes: &[u8], name: &str) -> Vec<u8> {
    let mut file = bytes.to_vec();
    file.resize(file.len().max(HEADER_BYTES + TRAILER_BYTES), 0);
    let mut trailer = file.split_off(file.len() - TRAILER_BYTES);
    put(&mut file, 0, b"\x89NDP\r\n\x1a\n");
    put(&mut file, 10, &FORMAT_VERSION.to_le_bytes());
    put(
        &mut file,
        40,
        &XxHash3_64::oneshot(name.as_bytes()).to_le_bytes(),
    );
    let checksum = XxHash3_64::oneshot(&file[..56]);
    put(&mut file, 56, &checksum.to_le_bytes());
    let seed = XxHash3_64::oneshot(&file[..HEADER_BYTES]);
    let mut whole = XxHash3_64::new();
    whole.write(&file[..HEADER_BYTES]);
    let (mut at, mut blocks, mut payload) = (HEADER_BYTES, 0_u64, 0_u64);
    while file.len() - at >= BLOCK_HEADER_BYTES {
        let start = at + BLOCK_HEADER_BYTES;
        let mut length = [0; 4];
        length.copy_from_slice(&file[at..at + 4]);
        let end = start
            .saturating_add(u32::from_le_bytes(length) as usize)
            .min(file.len());
        put(&mut file, at, &((end - start) as u32).to_le_bytes());
        let mut hasher = XxHash3_64::with_seed(seed);
        hasher.write(&blocks.to_le_bytes());
        hasher.write(&file[at + 4..at + 8]);
        hasher.write(&file[start..end]);
        let checksum = hasher.finish().to_le_bytes();
        put(&mut file, at + 8, &checksum);
        whole.write(&checksum);
        (at, blocks, payload) = (end, blocks + 1, payload + (end - start) as u64);
    }
    file.truncate(at);
    put(&mut trailer, 0, b"NDP-END\n");
    put(&mut trailer, 16, &blocks.to_le_bytes());
    put(&mut trailer, 24, &payload.to_le_bytes());
    put(&mut trailer, 32, &whole.finish().to_le_bytes());
    let own = XxHash3_64::oneshot(&trailer[..40]);
    put(&mut trailer, 40, &own.to_le_bytes());
    file.extend(trailer);
    file
}

fn put(bytes: &mut [u8], at: usize, value: &[u8]) {
    bytes[at..at + value.len()].copy_from_slice(value);
}

/// Reads a file to its end, whatever its kind.
pub(crate) fn work_file(bytes: &[u8]) {
    let (disk, path) = (Disk::default(), directory().join("file"));
    fs::write(&path, sealed(bytes, "file")).expect("written");
    let Ok(mut reader) = FileReader::open(&disk, &path) else {
        return;
    };
    let kind = reader.header().kind;
    let is_sound = reader.verify_rest().is_ok();
    drop(reader);
    let read = read(&disk, &path, kind);
    assert!(is_sound || read.is_err(), "{kind:?}: damage is not told");
    let inspected = ask::inspect::inspect(&path);
    assert!(
        read.is_err() || inspected.is_ok(),
        "{kind:?} is not inspected"
    );
}

fn read(disk: &Disk, path: &Path, kind: FileKind) -> Result<(), FormatError> {
    match kind {
        FileKind::Marks => records::<Mark>(disk, path, kind),
        FileKind::Classes => records::<Class>(disk, path, kind),
        FileKind::Postings => records::<Posting>(disk, path, kind),
        FileKind::Pairs => records::<PairCount>(disk, path, kind),
        FileKind::Common => records::<CommonRecord>(disk, path, kind),
        FileKind::CommonOfDocuments => records::<CommonOfDocument>(disk, path, kind),
        FileKind::Links => records::<LinkRecord>(disk, path, kind),
        FileKind::Settled => records::<SettledRecord>(disk, path, kind),
        FileKind::Members => records::<MemberRecord>(disk, path, kind),
        FileKind::Clusters => records::<ClusterRecord>(disk, path, kind),
        FileKind::Urls => records::<UrlRecord>(disk, path, kind),
        FileKind::Groups => records::<GroupRecord>(disk, path, kind),
        FileKind::Keys => records::<BlockKey>(disk, path, kind),
        FileKind::Blocks => records::<BlockPlace>(disk, path, kind),
        FileKind::Segments => records::<SegmentRecord>(disk, path, kind),
        FileKind::Payloads => records::<PayloadRecord>(disk, path, kind),
        FileKind::Passages => records::<PassageRecord>(disk, path, kind),
        FileKind::Cuts => records::<CutRecord>(disk, path, kind),
        FileKind::Quotes => records::<QuoteRecord>(disk, path, kind),
        FileKind::Representatives | FileKind::Revisited | FileKind::Affected | FileKind::Run => {
            records::<u32>(disk, path, kind)
        }
        FileKind::Documents => rows(disk, path, kind, |rows| {
            Ok(rows.next::<DocumentRow<'_>>()?.is_some())
        }),
        FileKind::Sizes => rows(disk, path, kind, |rows| {
            Ok(rows.next::<SizesRow>()?.is_some())
        }),
        FileKind::Sketches => rows(disk, path, kind, |rows| {
            let row = rows.next::<SketchRow<'_>>()?;
            Ok(row.map(|row| row.iter().count()).is_some())
        }),
        FileKind::Rejected => rows(disk, path, kind, |rows| {
            Ok(rows.next::<RejectedRow<'_>>()?.is_some())
        }),
        FileKind::Revisits => rows(disk, path, kind, |rows| {
            Ok(rows.next::<RevisitRow<'_>>()?.is_some())
        }),
        FileKind::Sources => rows(disk, path, kind, |rows| {
            Ok(rows.next::<SourceRow<'_>>()?.is_some())
        }),
    }
}

/// All records, one by one and block by block, and some of them looked up.
fn records<R: Record>(disk: &Disk, path: &Path, kind: FileKind) -> Result<(), FormatError> {
    let mut reader = RecordReader::<R>::open(disk, path, kind)?;
    let mut single = 0;
    while reader.next()?.is_some() {
        single += 1;
    }
    let mut reader = RecordReader::<R>::open(disk, path, kind)?;
    let mut in_blocks = 0;
    while let Some(records) = reader.next_slice()? {
        in_blocks += records.len() as u64;
    }
    assert_eq!(single, in_blocks, "{kind:?}");
    let mut reader = RecordReader::<R>::open(disk, path, kind)?.for_lookups();
    for record in [single / 2, single, u64::MAX] {
        let start = reader.start_of_block(record);
        if reader.seek(start).is_ok() {
            _ = reader.next();
        }
    }
    Ok(())
}

fn rows(
    disk: &Disk,
    path: &Path,
    kind: FileKind,
    next: impl Fn(&mut RowReader) -> Result<bool, FormatError>,
) -> Result<(), FormatError> {
    let mut reader = RowReader::open(disk, path, kind)?;
    while next(&mut reader)? {}
    Ok(())
}

/// The manifest of a work directory: as a whole file, and as content under a right digest.
pub(crate) fn manifest(bytes: &[u8]) {
    let (disk, work) = (Disk::default(), directory());
    fs::write(work.join("manifest.json"), bytes).expect("written");
    _ = Manifest::load(&disk, &work);
    let Ok(mut manifest) = serde_json::from_slice::<Manifest>(bytes) else {
        return;
    };
    manifest.version = FORMAT_VERSION;
    manifest.store(&disk, &work).expect("written");
    let read = Manifest::load(&disk, &work).expect("readable");
    assert_eq!(
        read,
        Some(manifest),
        "another manifest is read than was written"
    );
}

/// A directory with a configuration, the work directory and the publication of a small run.
pub(crate) fn small_run() -> (tempfile::TempDir, config::Config) {
    let kept = tempfile::tempdir().expect("a directory");
    let base = kept.path();
    let page = |number: usize| {
        let words = "a page of some words that stay as they are ".repeat(2 + number % 3);
        format!(
            "{{\"url\":\"http://a.example/{number}\",\"id\":\"n{number}\",\"text\":\"{words} {number}\"}}\n"
        )
    };
    let pages: String = (0..6)
        .map(page)
        .chain(["{\"text\":7}\n".to_owned()])
        .collect();
    fs::write(base.join("crawl.jsonl"), pages).expect("written");
    let text = "version = 1\n[input]\npaths = [\"crawl.jsonl\"]\n[sketch]\nseed = \"fuzz\"\n\
                method = { kind = \"modulus\", modulus = 1 }\n[work]\nmemory = \"256MiB\"\n";
    let path = base.join("pipeline.toml");
    fs::write(&path, text).expect("written");
    let config = config::load(&path).expect("a configuration");
    run::run(&config, &RunOptions::default(), &Reporter::silent()).expect("a run");
    (kept, config)
}

/// Files of a run that the fuzzer can start from: target, name and content.
#[cfg(test)]
pub(crate) fn seeds() -> Vec<(&'static str, String, Vec<u8>)> {
    let (_kept, config) = small_run();
    let mut seeds = Vec::new();
    let mut open = vec![config.work.dir.clone()];
    while let Some(next) = open.pop() {
        for entry in fs::read_dir(next).expect("a directory") {
            let path = entry.expect("an entry").path();
            let name = path
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned();
            if path.is_dir() {
                open.push(path);
            } else if name == "manifest.json" {
                let content = fs::read(&path).expect("a file");
                let page: serde_json::Value = serde_json::from_slice(&content).expect("JSON");
                seeds.push(("manifest", "page".to_owned(), content));
                let inner = page["manifest"].to_string().into_bytes();
                seeds.push(("manifest", "content".to_owned(), inner));
            } else if let Ok(reader) = FileReader::open(&Disk::default(), &path) {
                let name = format!("{:?}", reader.header().kind).to_lowercase();
                seeds.push(("work-file", name, fs::read(&path).expect("a file")));
            }
        }
    }
    seeds
}
