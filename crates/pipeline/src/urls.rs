//! The URLs of some documents, which lie anywhere: rows are read once for as many documents as fit.

use crate::Error;
use crate::segments::{SegmentFile, Segments};

/// The URLs of some documents.
pub(crate) struct Urls {
    docs: Vec<u32>,
    urls: Vec<Option<Box<str>>>,
}

impl Urls {
    /// Those of these documents; `None` if they take more than so many bytes.
    pub(crate) fn of(segments: &Segments, mut docs: Vec<u32>, most_bytes: usize) -> Result<Option<Urls>, Error> {
        docs.sort_unstable();
        docs.dedup();
        let mut rows = segments.rows(SegmentFile::Documents);
        let mut urls: Vec<Option<Box<str>>> = Vec::with_capacity(docs.len());
        let mut bytes = 0;
        while urls.len() < docs.len() {
            let Some((doc, row)) = rows.next_document()? else { break };
            if doc != docs[urls.len()] {
                continue;
            }
            bytes += row.url.map_or(0, str::len);
            if bytes > most_bytes {
                return Ok(None);
            }
            urls.push(row.url.map(Box::from));
        }
        Ok(Some(Urls { docs, urls }))
    }

    /// The URL of one of them.
    pub(crate) fn find(&self, doc: u32) -> Option<&str> {
        let at = self.docs.binary_search(&doc).ok()?;
        self.urls.get(at)?.as_deref()
    }
}
