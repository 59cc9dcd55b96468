//! `pipeline inspect`: header, trailer and first records of any work file, as text.

use engine::Error;
use format::{
    BlockKey, BlockPlace, ClusterRecord, CommonOfDocument, CommonRecord, CutRecord, Disk,
    DocumentRow, FileKind, FileReader, FormatError, GroupRecord, LinkRecord, Mark, MemberRecord,
    PassageRecord, PayloadRecord, QuoteRecord, RecordReader, RejectedRow, RevisitRow, RowReader,
    SegmentRecord, SettledRecord, SizesRow, SketchRow, SourceRow, UrlRecord,
};
use model::{Class, PairCount, Posting, Record};
use phases::distinct::{DocumentKey, Lowest};
use serde::Serialize;
use std::fmt;
use std::path::{Path, PathBuf};

/// Records shown.
const SHOWN: usize = 10;

/// The content of the header and the trailer of a file.
#[derive(Clone, Debug, Serialize)]
pub struct Inspection {
    /// The file.
    pub file: PathBuf,
    /// The kind of its content.
    pub kind: String,
    /// Version of its format.
    pub format_version: u16,
    /// Bytes of a record; 0 for rows of varying length and packed records.
    pub record_bytes: u32,
    /// Whether the records are packed, block by block.
    pub packed: bool,
    /// Fingerprint of the parameters and inputs that it was made with.
    pub fingerprint: String,
    /// Records or rows.
    pub records: u64,
    /// Blocks.
    pub blocks: u64,
    /// Bytes in all blocks.
    pub payload_bytes: u64,
    /// Checksum of the whole.
    pub checksum: String,
    /// The first records.
    pub first: Vec<String>,
}

/// Reads a work file's ends and its first records.
pub fn inspect(path: &Path) -> Result<Inspection, Error> {
    let failed = |e| Error::from_format(None, e);
    let disk = Disk::default();
    let is_ours = match FileReader::begins_as_ours(&disk, path) {
        // no regular file
        Err(FormatError::Damaged { .. }) => false,
        found => found.map_err(failed)?,
    };
    if !is_ours {
        return Err(Error::Usage(format!(
            "failed to inspect {}: it is not a file of this program with header and trailer; name \
             one of the work directory or of out/index, not JSON or Parquet",
            path.display()
        )));
    }
    let reader = FileReader::open(&disk, path).map_err(failed)?;
    let (header, trailer) = (*reader.header(), *reader.trailer());
    drop(reader);
    let first = ShownRecords {
        disk: &disk,
        path,
        kind: header.kind,
    };
    Ok(Inspection {
        file: path.to_path_buf(),
        kind: format!("{:?}", header.kind).to_lowercase(),
        format_version: format::FORMAT_VERSION,
        record_bytes: header.record_bytes,
        packed: header.is_packed(),
        fingerprint: engine::runtime::parameters::hex(header.fingerprint),
        records: trailer.records,
        blocks: trailer.blocks,
        payload_bytes: trailer.payload_bytes,
        checksum: format!("{:016x}", trailer.checksum),
        first: first.shown(header.record_bytes).map_err(failed)?,
    })
}

/// A file whose first records are shown.
struct ShownRecords<'a> {
    disk: &'a Disk,
    path: &'a Path,
    kind: FileKind,
}

impl ShownRecords<'_> {
    /// The first records, as text.
    fn shown(&self, record_bytes: u32) -> Result<Vec<String>, FormatError> {
        match self.kind {
            FileKind::Marks => self.records::<Mark>(),
            FileKind::Classes => self.records::<Class>(),
            FileKind::Postings => self.records::<Posting>(),
            FileKind::Pairs => self.records::<PairCount>(),
            FileKind::Common => self.records::<CommonRecord>(),
            FileKind::CommonOfDocuments => self.records::<CommonOfDocument>(),
            FileKind::Links => self.records::<LinkRecord>(),
            FileKind::Settled => self.records::<SettledRecord>(),
            FileKind::Members => self.records::<MemberRecord>(),
            FileKind::Clusters => self.records::<ClusterRecord>(),
            FileKind::Urls => self.records::<UrlRecord>(),
            FileKind::Groups => self.records::<GroupRecord>(),
            FileKind::Keys => self.records::<BlockKey>(),
            FileKind::Blocks => self.records::<BlockPlace>(),
            FileKind::Segments => self.records::<SegmentRecord>(),
            FileKind::Representatives | FileKind::Revisited | FileKind::Affected => {
                self.records::<u32>()
            }
            FileKind::Payloads => self.records::<PayloadRecord>(),
            FileKind::Passages => self.records::<PassageRecord>(),
            FileKind::Cuts => self.records::<CutRecord>(),
            FileKind::Quotes => self.records::<QuoteRecord>(),
            FileKind::Run => match record_bytes as usize {
                DocumentKey::SIZE => self.records::<DocumentKey>(),
                Lowest::SIZE => self.records::<Lowest>(),
                bytes => Ok(vec![format!(
                    "records of {bytes} bytes of a sort under way"
                )]),
            },
            FileKind::Documents => self.rows(|reader| text(reader.next::<DocumentRow<'_>>()?)),
            FileKind::Rejected => self.rows(|reader| text(reader.next::<RejectedRow<'_>>()?)),
            FileKind::Revisits => self.rows(|reader| text(reader.next::<RevisitRow<'_>>()?)),
            FileKind::Sizes => self.rows(|reader| Ok(reader.next::<SizesRow>()?.map(sizes))),
            FileKind::Sketches => {
                self.rows(|reader| Ok(reader.next::<SketchRow<'_>>()?.map(|row| sketch(&row))))
            }
            FileKind::Sources => {
                self.rows(|reader| Ok(reader.next::<SourceRow<'_>>()?.map(|row| source(&row))))
            }
        }
    }

    fn records<R: Record + fmt::Debug>(&self) -> Result<Vec<String>, FormatError> {
        let mut reader = RecordReader::<R>::open(self.disk, self.path, self.kind)?;
        first(|| text(reader.next()?))
    }

    fn rows(
        &self,
        mut next: impl FnMut(&mut RowReader) -> Result<Option<String>, FormatError>,
    ) -> Result<Vec<String>, FormatError> {
        let mut reader = RowReader::open(self.disk, self.path, self.kind)?;
        first(|| next(&mut reader))
    }
}

fn first(
    mut next: impl FnMut() -> Result<Option<String>, FormatError>,
) -> Result<Vec<String>, FormatError> {
    std::iter::from_fn(|| next().transpose())
        .take(SHOWN)
        .collect()
}

fn text(record: Option<impl fmt::Debug>) -> Result<Option<String>, FormatError> {
    Ok(record.map(|record| format!("{record:?}")))
}

fn sizes(row: SizesRow) -> String {
    let level = row.0.own_level().unwrap_or(0);
    let sizes = row.0.sizes.iter();
    let known = sizes.filter(|size| **size != model::SizesByLevel::UNKNOWN);
    format!("from level {level}: {:?}", known.collect::<Vec<_>>())
}

fn sketch(row: &SketchRow<'_>) -> String {
    let (doc, count) = (row.doc, row.iter().count());
    let some: Vec<String> = row.iter().take(4).map(|f| format!("{f:016x}")).collect();
    format!("document {doc}: {count} fingerprints, {} …", some.join(" "))
}

fn source(row: &SourceRow<'_>) -> String {
    let path = String::from_utf8_lossy(row.path);
    format!(
        "{:?} at {path:?}, {}, {} bytes, digest {}",
        row.name, row.format, row.stat.bytes, row.digest
    )
}

impl fmt::Display for Inspection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "file         {}", self.file.display())?;
        let (kind, version) = (&self.kind, self.format_version);
        writeln!(f, "kind         {kind} (format version {version})")?;
        match self.record_bytes {
            0 if self.packed => writeln!(f, "records      {}, packed", self.records)?,
            0 => writeln!(f, "records      {} rows of varying length", self.records)?,
            bytes => writeln!(f, "records      {} of {bytes} bytes", self.records)?,
        }
        let (blocks, bytes) = (self.blocks, self.payload_bytes);
        writeln!(f, "blocks       {blocks} with {bytes} bytes")?;
        writeln!(f, "fingerprint  {}", self.fingerprint)?;
        writeln!(f, "checksum     {}", self.checksum)?;
        for text in &self.first {
            // Text in rows comes from the input: Debug has escaped its control characters.
            writeln!(f, "  {text}")?;
        }
        Ok(())
    }
}
