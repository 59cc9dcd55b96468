//! Sparse indexes: the first key, or the first document, of each block of the files of an index;
//! its segments and sources.

use engine::{
    Engine, Error,
    segments::{SegmentFile, Segments},
};
use format::{
    BlockKey, BlockPlace, ClusterRecord, CommonRecord, Disk, FileKind, FormatError, GroupRecord,
    LinkRecord, MemberRecord, MergeLevel, PassageRecord, QuoteRecord, RecordWriter, RowWriter,
    Seal, Sealed, SegmentRecord, SettledRecord, SourceRow, UrlRecord, block_keys, row_blocks,
};
use format::{IndexFile, OF_SOURCE};
use model::{Class, Posting, Record};
use std::collections::BTreeMap;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// The disk, and the directory of the index.
type IndexDir<'a> = (&'a Disk, &'a Path);

/// Which keys or places belong to which file.
type Parts = BTreeMap<String, [u64; 2]>;

/// The files of a segment that are taken over, in the order of [`format::SegmentPart`].
pub(super) const SEGMENT_FILES: [SegmentFile; 4] = [
    SegmentFile::Documents,
    SegmentFile::Marks,
    SegmentFile::Sizes,
    SegmentFile::Sketches,
];

/// The file of a segment by the place of the file in the index.
const ROW_FILES: [SegmentFile; 3] = [
    SegmentFile::Documents,
    SegmentFile::Sizes,
    SegmentFile::Sketches,
];

/// Writes the list of segments.
pub(super) fn segments(
    segments: &Segments,
    mut writer: RecordWriter<SegmentRecord>,
) -> Result<Sealed, Error> {
    for segment in 0..segments.count() {
        let files = SEGMENT_FILES.map(|file| segments.sealed(segment, file));
        let first = files[0].map_or(0, |(first, _)| first);
        let files =
            files.map(|file| file.map_or_else(Seal::default, |(_, sealed)| Seal::of(sealed)));
        let (snapshot, number) = segments.place(segment);
        let documents = segments.documents_of(segment);
        writer.push(&SegmentRecord {
            first,
            documents,
            snapshot,
            number,
            files,
        })?;
    }
    writer.finish().map_err(Error::from)
}

/// Writes the list of input files, with what tells whether they are still those that were read.
pub(super) fn sources(engine: &Engine<'_>, mut writer: RowWriter) -> Result<Sealed, Error> {
    let (files, known) = (&engine.inputs.listing.files, engine.manifest());
    for (file, known) in files.iter().zip(known.inputs.iter()) {
        let format = file.format.name();
        let format = file.reading().map_or_else(
            || format.to_owned(),
            |source| format!("{format}{OF_SOURCE}{}", source.name),
        );
        writer.push(&SourceRow {
            name: &file.name,
            path: file
                .path
                .strip_prefix(&engine.config.base)
                .unwrap_or(&file.path)
                .as_os_str()
                .as_bytes(),
            format: &format,
            stat: file.stat,
            digest: &known.digest,
        })?;
    }
    drop(known);
    writer.finish().map_err(Error::from)
}

/// Writes the first key of each block of the sorted files.
pub(super) fn keys(
    index: IndexDir<'_>,
    files: &BTreeMap<String, Sealed>,
    postings: &[MergeLevel],
    parts: &mut Parts,
    writer: RecordWriter<BlockKey>,
) -> Result<Sealed, Error> {
    let mut keys = KeyWriter {
        index,
        files,
        parts,
        writer,
    };
    keys.add::<Class>(IndexFile::Classes)?;
    for level in postings {
        keys.add_file::<Posting>(&level.sealed.name, FileKind::Postings)?;
    }
    keys.add::<CommonRecord>(IndexFile::Common)?;
    keys.add::<SettledRecord>(IndexFile::Settled)?;
    keys.add::<LinkRecord>(IndexFile::Links)?;
    keys.add::<MemberRecord>(IndexFile::Members)?;
    keys.add::<ClusterRecord>(IndexFile::Clusters)?;
    keys.add::<UrlRecord>(IndexFile::Urls)?;
    keys.add::<PassageRecord>(IndexFile::Passages)?;
    keys.add::<QuoteRecord>(IndexFile::Quotes)?;
    keys.add::<GroupRecord>(IndexFile::ClusterDocuments)?;
    keys.add::<GroupRecord>(IndexFile::ClassDocuments)?;
    keys.writer.finish().map_err(Error::from)
}

struct KeyWriter<'a> {
    index: IndexDir<'a>,
    files: &'a BTreeMap<String, Sealed>,
    parts: &'a mut Parts,
    writer: RecordWriter<BlockKey>,
}

impl KeyWriter<'_> {
    fn add<R: Record>(&mut self, file: IndexFile) -> Result<(), Error> {
        self.add_file::<R>(file.name(), file.kind())
    }

    fn add_file<R: Record>(&mut self, name: &str, kind: FileKind) -> Result<(), Error> {
        let Some(sealed) = self.files.get(name) else {
            return Ok(());
        };
        let start = self.writer.records();
        let ((disk, dir), writer) = (self.index, &mut self.writer);
        block_keys::<R>(disk, dir, sealed, kind, &mut |key| {
            writer.push(&BlockKey(key))
        })?;
        self.parts
            .insert(name.to_owned(), [start, self.writer.records()]);
        Ok(())
    }
}

/// Writes the places of the blocks of all files of rows.
pub(super) fn places(
    (disk, dir): IndexDir<'_>,
    segments: &Segments,
    files: &BTreeMap<String, Sealed>,
    parts: &mut Parts,
    mut writer: RecordWriter<BlockPlace>,
) -> Result<Sealed, Error> {
    for file in ROW_FILES {
        let start = writer.records();
        for segment in 0..segments.count() {
            let Some((base, sealed)) = segments.sealed(segment, file) else {
                continue;
            };
            let mut push = |block: format::RowBlock| -> Result<(), FormatError> {
                // Sketches have no row where they are empty and several where they are long: each
                // says its document.
                let row = if file == SegmentFile::Sketches {
                    block.first_number
                } else {
                    block.rows_before
                };
                let (first, segment) = (base.saturating_add(row), segment as u32);
                writer.push(&BlockPlace {
                    first,
                    segment,
                    block: block.block,
                    offset: block.offset,
                })
            };
            row_blocks(disk, dir, sealed, file.kind(), &mut push)?;
        }
        parts.insert(file.extension().to_owned(), [start, writer.records()]);
    }
    if let Some(sealed) = files.get(IndexFile::Sources.name()) {
        let start = writer.records();
        let mut push = |block: format::RowBlock| {
            writer.push(&BlockPlace {
                first: block.rows_before,
                segment: 0,
                block: block.block,
                offset: block.offset,
            })
        };
        row_blocks(disk, dir, sealed, IndexFile::Sources.kind(), &mut push)?;
        parts.insert(
            IndexFile::Sources.name().to_owned(),
            [start, writer.records()],
        );
    }
    writer.finish().map_err(Error::from)
}
