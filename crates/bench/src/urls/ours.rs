//! The map of the query index.

use super::{Bench, Lookup, cpu_s, shape, size};
use anyhow::Result;
use format::{
    BlockKey, BlockPlace, Disk, DocumentRow, FileKind, KeyRange, MappedRecords, MappedRows,
    PlaceRange, RecordSpec, RecordWriter, RowReader, RowWriter, Seal, Sealed, SegmentFiles,
    SegmentRecord, SortedRecords, Spot, UrlRecord, block_keys, row_blocks,
};
use query::UrlKeys;
use sketch::FingerprintKeys;
use sort::{Keep, Prefixes, SortSpec, Sorter};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Its files.
#[derive(Clone, Debug)]
pub struct Parts {
    urls: Sealed,
    keys: Sealed,
    blocks: Sealed,
    segments: Sealed,
}

/// What building it gave.
#[derive(Clone, Debug)]
pub struct Built {
    /// The files, to be opened.
    pub parts: Parts,
    /// All that a lookup touches.
    pub files: Vec<PathBuf>,
    /// Bytes of the map, without the rows.
    pub bytes: u64,
    /// Bytes of the rows.
    pub rows_bytes: u64,
    /// User and system seconds, reading the rows among them.
    pub cpu_s: f64,
}

const ROWS: &str = "segment-0-00000.documents";

fn writer<R: model::Record>(
    disk: &Disk,
    dir: &Path,
    (name, kind): (&str, FileKind),
) -> Result<RecordWriter<R>> {
    let spec = RecordSpec {
        block_bytes: 16 << 10,
        ..RecordSpec::durable(dir.join(name), kind, [0; 16])
    };
    Ok(RecordWriter::create(disk, spec)?)
}

fn write_rows(bench: &Bench, disk: &Disk) -> Result<Sealed> {
    let mut writer = RowWriter::create(disk, bench.dir.join(ROWS), FileKind::Documents, [0; 16])?;
    let mut url = String::new();
    for doc in 0..bench.urls {
        shape::url(&mut url, doc, bench.urls);
        let (entry_offset, length, words) = (u64::from(doc) * 1500, 1500, 300);
        writer.push(&DocumentRow {
            url: Some(&url),
            entry_offset,
            length,
            words,
            ..DocumentRow::default()
        })?;
    }
    Ok(writer.finish()?)
}

fn keys() -> UrlKeys {
    UrlKeys::of(&FingerprintKeys::from_seed("urls"))
}

/// Writes rows, then reads them and builds the map.
///
/// # Errors
/// When a file cannot be written or read.
pub fn build(bench: &Bench) -> Result<Built> {
    let (disk, dir) = (Disk::default(), bench.dir.clone());
    let rows = write_rows(bench, &disk)?;
    let start = cpu_s();
    let spec = SortSpec::new(
        disk.clone(),
        dir.clone(),
        "urls".to_owned(),
        bench.memory_bytes,
    );
    let sorter = Sorter::<UrlRecord, Keep>::new(spec, Keep).expecting(Prefixes::ALL);
    let mut reader = RowReader::open_sealed(&disk, &dir, &rows, FileKind::Documents)?;
    let (keys, mut form) = (keys(), Vec::new());
    let mut feeder = sorter.feeder();
    let mut doc = 0;
    while let Some(row) = reader.next::<DocumentRow<'_>>()? {
        if let Some(url) = row.url {
            feeder.push(UrlRecord {
                key: keys.key(url, &mut form),
                doc,
            })?;
        }
        doc += 1;
    }
    feeder.finish()?;
    let mut sorted = sorter.finish()?;
    let mut urls = writer::<UrlRecord>(&disk, &dir, ("urls", FileKind::Urls))?;
    while let Some(records) = sorted.next_slice()? {
        urls.push_all(records)?;
    }
    let urls = urls.finish()?;
    let mut block_key = writer::<BlockKey>(&disk, &dir, ("keys", FileKind::Keys))?;
    block_keys::<UrlRecord>(&disk, &dir, (&urls, FileKind::Urls), &mut |key| {
        block_key.push(&BlockKey(key))
    })?;
    let mut places = writer::<BlockPlace>(&disk, &dir, ("blocks", FileKind::Blocks))?;
    row_blocks(&disk, &dir, (&rows, FileKind::Documents), &mut |block| {
        places.push(&BlockPlace {
            first: block.rows_before,
            segment: 0,
            block: block.block,
            offset: block.offset,
        })
    })?;
    let mut segments = writer::<SegmentRecord>(&disk, &dir, ("segments", FileKind::Segments))?;
    let files = [
        Seal::of(&rows),
        Seal::default(),
        Seal::default(),
        Seal::default(),
    ];
    segments.push(&SegmentRecord {
        first: 0,
        documents: bench.urls,
        snapshot: 0,
        number: 0,
        files,
    })?;
    let (keys, blocks, segments) = (block_key.finish()?, places.finish()?, segments.finish()?);
    let parts = Parts {
        urls,
        keys,
        blocks,
        segments,
    };
    let cpu_s = cpu_s() - start;
    let bytes = [&parts.urls, &parts.keys, &parts.blocks]
        .iter()
        .map(|sealed| sealed.bytes)
        .sum();
    let names = ["urls", "keys", "blocks", "segments", ROWS];
    let files = names.map(|name| dir.join(name)).to_vec();
    Ok(Built {
        parts,
        files,
        bytes,
        rows_bytes: size(&dir.join(ROWS))?,
        cpu_s,
    })
}

/// The open map.
pub struct Ours {
    keys: UrlKeys,
    urls: SortedRecords<UrlRecord>,
    rows: MappedRows,
}

/// Opens it.
///
/// # Errors
/// When a file is not there or not whole.
pub fn open(dir: &Path, parts: &Parts) -> Result<Ours> {
    let disk = Disk::default();
    let block_keys = Arc::new(MappedRecords::<BlockKey>::open_sealed(
        &disk,
        dir,
        &parts.keys,
        FileKind::Keys,
    )?);
    let places = Arc::new(MappedRecords::<BlockPlace>::open_sealed(
        &disk,
        dir,
        &parts.blocks,
        FileKind::Blocks,
    )?);
    let segments = Arc::new(MappedRecords::open_sealed(
        &disk,
        dir,
        &parts.segments,
        FileKind::Segments,
    )?);
    let urls = MappedRecords::<UrlRecord>::open_sealed(&disk, dir, &parts.urls, FileKind::Urls)?;
    let range = 0..block_keys.len();
    let urls = SortedRecords::new(
        urls,
        KeyRange {
            keys: block_keys,
            range,
        },
    );
    let (dir, kind, extension) = (dir.to_path_buf(), FileKind::Documents, "documents");
    let files = SegmentFiles {
        disk,
        dir,
        segments,
        slot: 0,
        extension,
        kind,
    };
    let range = 0..places.len();
    Ok(Ours {
        keys: keys(),
        urls,
        rows: MappedRows::of_segments(files, PlaceRange { places, range }),
    })
}

impl Lookup for Ours {
    fn find(&self, url: &str) -> Result<bool> {
        let key = self.keys.key(url, &mut Vec::new());
        for record in self.urls.equal(key)?.iter().rev() {
            let (mut spot, doc) = (Spot::default(), record?.doc);
            let is_it = |row: DocumentRow<'_>| row.url == Some(url);
            let found = self.rows.row(&mut spot, doc, DocumentRow::skip, |bytes| {
                <DocumentRow<'_> as format::Row<'_>>::decode(bytes).map(is_it)
            })?;
            if found {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
