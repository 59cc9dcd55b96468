//! `pipeline inspect`: header, trailer and first records of any work file, as text.

use format::{
    BlockKey, BlockPlace, ClusterRecord, CommonOfDocument, CommonRecord, Disk, DocumentRow,
    FileKind, FileReader, FormatError, GroupRecord, LinkRecord, Mark, MemberRecord, PayloadRecord,
    RecordReader, RejectedRow, RevisitRow, RowReader, SegmentRecord, SettledRecord, SizesRow,
    SketchRow, SourceRow, UrlRecord,
};
use model::{Class, PairCount, Posting, Record};
use phases::distinct::{DocumentKey, Lowest};
use runtime::Error;
use serde::Serialize;
use std::fmt;
use std::path::{Path, PathBuf};

/// Records shown.
const SHOWN: usize = 10;

/// What a file says of itself.
#[derive(Clone, Debug, Serialize)]
pub struct Inspection {
    /// The file.
    pub file: PathBuf,
    /// What it holds.
    pub kind: String,
    /// Version of its format.
    pub format_version: u16,
    /// Bytes of a record; 0 for rows of varying length and packed records.
    pub record_bytes: u32,
    /// Whether the records are packed, block by block.
    pub packed: bool,
    /// What made it.
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
///
/// # Errors
/// [`Error::Usage`] when it is no work file; when it is not finished, or is damaged.
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
    Ok(Inspection {
        file: path.to_path_buf(),
        kind: format!("{:?}", header.kind).to_lowercase(),
        format_version: format::FORMAT_VERSION,
        record_bytes: header.record_bytes,
        packed: header.is_packed(),
        fingerprint: runtime::parameters::hex(header.fingerprint),
        records: trailer.records,
        blocks: trailer.blocks,
        payload_bytes: trailer.payload_bytes,
        checksum: format!("{:016x}", trailer.checksum),
        first: first(&disk, path, header.kind, header.record_bytes)?,
    })
}

/// The first records of a file, as text.
fn first(
    disk: &Disk,
    path: &Path,
    kind: FileKind,
    record_bytes: u32,
) -> Result<Vec<String>, Error> {
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
        FileKind::Representatives | FileKind::Revisited | FileKind::Affected => {
            records::<u32>(disk, path, kind)
        }
        FileKind::Payloads => records::<PayloadRecord>(disk, path, kind),
        FileKind::Run if record_bytes as usize == DocumentKey::SIZE => {
            records::<DocumentKey>(disk, path, kind)
        }
        FileKind::Run if record_bytes as usize == Lowest::SIZE => {
            records::<Lowest>(disk, path, kind)
        }
        FileKind::Run => Ok(vec![format!(
            "records of {record_bytes} bytes of a sort under way"
        )]),
        FileKind::Documents
        | FileKind::Sizes
        | FileKind::Sketches
        | FileKind::Rejected
        | FileKind::Revisits
        | FileKind::Sources => first_rows(disk, path, kind),
    }
}

/// The first rows of a file of rows, as text.
fn first_rows(disk: &Disk, path: &Path, kind: FileKind) -> Result<Vec<String>, Error> {
    match kind {
        FileKind::Documents => rows(disk, path, kind, |r| {
            Ok(r.next::<DocumentRow<'_>>()?.map(|row| format!("{row:?}")))
        }),
        FileKind::Sizes => rows(disk, path, kind, |r| {
            Ok(r.next::<SizesRow>()?.map(|row| {
                let known = row
                    .0
                    .sizes
                    .iter()
                    .filter(|size| **size != model::SizesByLevel::UNKNOWN);
                format!(
                    "from level {}: {:?}",
                    row.0.own_level().unwrap_or(0),
                    known.collect::<Vec<_>>()
                )
            }))
        }),
        FileKind::Sketches => rows(disk, path, kind, |r| {
            Ok(r.next::<SketchRow<'_>>()?.map(|row| {
                let some: Vec<String> = row.iter().take(4).map(|f| format!("{f:016x}")).collect();
                format!(
                    "document {}: {} fingerprints, {} …",
                    row.doc,
                    row.iter().count(),
                    some.join(" ")
                )
            }))
        }),
        FileKind::Rejected => rows(disk, path, kind, |r| {
            Ok(r.next::<RejectedRow<'_>>()?.map(|row| format!("{row:?}")))
        }),
        FileKind::Revisits => rows(disk, path, kind, |r| {
            Ok(r.next::<RevisitRow<'_>>()?.map(|row| format!("{row:?}")))
        }),
        FileKind::Sources => rows(disk, path, kind, |r| {
            Ok(r.next::<SourceRow<'_>>()?.map(|row| {
                let path = String::from_utf8_lossy(row.path).into_owned();
                format!(
                    "{:?} at {path:?}, {}, {} bytes, digest {}",
                    row.name, row.format, row.stat.bytes, row.digest
                )
            }))
        }),
        _ => Ok(Vec::new()),
    }
}

fn rows(
    disk: &Disk,
    path: &Path,
    kind: FileKind,
    mut next: impl FnMut(&mut RowReader) -> Result<Option<String>, format::FormatError>,
) -> Result<Vec<String>, Error> {
    let failed = |e| Error::from_format(None, e);
    let mut reader = RowReader::open(disk, path, kind).map_err(failed)?;
    let mut shown = Vec::new();
    while shown.len() < SHOWN {
        let Some(text) = next(&mut reader).map_err(failed)? else {
            break;
        };
        shown.push(text);
    }
    Ok(shown)
}

fn records<R: Record + fmt::Debug>(
    disk: &Disk,
    path: &Path,
    kind: FileKind,
) -> Result<Vec<String>, Error> {
    let failed = |e| Error::from_format(None, e);
    let mut reader = RecordReader::<R>::open(disk, path, kind).map_err(failed)?;
    let mut shown = Vec::new();
    while shown.len() < SHOWN {
        let Some(record) = reader.next().map_err(failed)? else {
            break;
        };
        shown.push(format!("{record:?}"));
    }
    Ok(shown)
}

impl fmt::Display for Inspection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "file         {}", self.file.display())?;
        writeln!(
            f,
            "kind         {} (format version {})",
            self.kind, self.format_version
        )?;
        match self.record_bytes {
            0 if self.packed => writeln!(f, "records      {}, packed", self.records)?,
            0 => writeln!(f, "records      {} rows of varying length", self.records)?,
            bytes => writeln!(f, "records      {} of {bytes} bytes", self.records)?,
        }
        writeln!(
            f,
            "blocks       {} with {} bytes",
            self.blocks, self.payload_bytes
        )?;
        writeln!(f, "fingerprint  {}", self.fingerprint)?;
        writeln!(f, "checksum     {}", self.checksum)?;
        for text in &self.first {
            // Text in rows comes from the input: Debug has escaped its control characters.
            writeln!(f, "  {text}")?;
        }
        Ok(())
    }
}
