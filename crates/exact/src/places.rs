//! Where the wanted documents are in the input.

use crate::WantedDocuments;
use engine::segments::SegmentFile;
use format::{BLOCK_BYTES, Mark};
use input::Place;
use model::{Words, record};
use runtime::Error;
use sets::Workplace;

/// What opening a file costs, in bytes read.
const OPEN_BYTES: u64 = 64 << 10;

/// A wanted document and its place, in the order of the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct WantedPlace {
    /// The document whose set is wanted.
    pub(crate) doc: u32,
    /// The fingerprint of the tokens of the document that is read.
    pub(crate) lexical: u64,
    entry_offset: u64,
    inner_offset: u64,
}

record! { WantedPlace { doc, lexical, entry_offset, inner_offset } }

impl WantedPlace {
    /// The place, without its length.
    pub(crate) fn place(&self) -> Place {
        Place {
            entry_offset: self.entry_offset,
            inner_offset: self.inner_offset,
            length: 0,
        }
    }
}

/// The documents of a file that are wanted.
pub(crate) struct WantedFile {
    /// Its number in the listing.
    pub(crate) file: usize,
    /// The first of its documents in the file of places, and their number.
    pub(crate) first: u64,
    pub(crate) count: u64,
    /// Bytes to decode if each is read at its place.
    pub(crate) bytes: u64,
}

/// The input files with wanted documents, and what is known of the documents.
pub(crate) struct WantedFiles {
    pub(crate) files: Vec<WantedFile>,
    /// Bytes of the largest body.
    pub(crate) largest_body: u64,
    /// Documents without a body.
    pub(crate) bodiless: u64,
}

/// Writes the places of the documents to a scratch file. A revisit has no body of its own and is
/// left out.
pub(crate) fn write_places(
    workplace: &Workplace<'_>,
    mut wanted: WantedDocuments,
    name: &str,
) -> Result<WantedFiles, Error> {
    let work = Error::work(workplace.phase);
    let segments = workplace.engine.segments()?;
    let mut rows = segments.rows(SegmentFile::Documents);
    let mut marks = segments.marks();
    let mut revisited = segments.revisited();
    let mut files: Vec<WantedFile> = Vec::new();
    let (mut largest_body, mut bodiless) = (0, 0);
    let mut writer = workplace
        .write::<WantedPlace>(name, BLOCK_BYTES)
        .map_err(work)?;
    let mut next = wanted.next().map_err(work)?;
    while let Some(Words([text, _])) = next {
        rows.skip_segments(text);
        marks.skip_segments(text);
        let Some((at, row)) = rows.next_document()? else {
            break;
        };
        let Some((_, Mark { lexical, bytes, .. })) = marks.next()? else {
            break;
        };
        if at != text {
            continue;
        }
        let has_body = !revisited.has(text)?;
        bodiless += u64::from(!has_body);
        largest_body = u64::from(bytes).max(largest_body);
        while let Some(Words([_, doc])) = next.filter(|Words([one, _])| *one == text) {
            next = wanted.next().map_err(work)?;
            if !has_body {
                continue;
            }
            let file = row.file as usize;
            if files.last().is_none_or(|last| last.file != file) {
                files.push(WantedFile {
                    file,
                    first: writer.records(),
                    count: 0,
                    bytes: 0,
                });
            }
            if let Some(last) = files.last_mut() {
                last.count += 1;
                last.bytes += row.inner_offset + row.length + OPEN_BYTES;
            }
            let place = WantedPlace {
                doc,
                lexical,
                entry_offset: row.entry_offset,
                inner_offset: row.inner_offset,
            };
            writer.push(&place).map_err(work)?;
        }
    }
    writer.finish().map_err(work)?;
    Ok(WantedFiles {
        files,
        largest_body,
        bodiless,
    })
}
