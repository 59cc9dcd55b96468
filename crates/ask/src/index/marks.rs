//! Marks of documents. The file of a segment is opened when a mark of it is first asked for.

use format::{FileKind, FormatError, MappedRecords, Mark, SegmentFiles};
use model::Unpoisoned;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};

/// Marks, by segment and document.
#[derive(Debug)]
pub(super) struct IndexedMarks {
    files: SegmentFiles,
    open: Mutex<HashMap<u32, Arc<MappedRecords<Mark>>>>,
}

impl IndexedMarks {
    /// Of these files; none is opened yet.
    pub(super) fn new(files: SegmentFiles) -> IndexedMarks {
        IndexedMarks {
            files,
            open: Mutex::default(),
        }
    }

    /// The mark of a document of this segment.
    pub(super) fn get(&self, segment: u32, doc: u32) -> Result<Mark, FormatError> {
        let first = self.files.segments.get(u64::from(segment))?.first;
        let mut open = self.open.lock().unpoisoned();
        let records = match open.get(&segment) {
            Some(records) => Arc::clone(records),
            None => {
                let sealed = self.files.sealed(segment)?;
                let (disk, dir) = (&self.files.disk, &self.files.dir);
                let records = Arc::new(MappedRecords::open_sealed(
                    disk,
                    dir,
                    &sealed,
                    FileKind::Marks,
                )?);
                open.insert(segment, Arc::clone(&records));
                records
            }
        };
        records.get(u64::from(doc.saturating_sub(first)))
    }
}
