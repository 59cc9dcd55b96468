//! The URLs of some documents, which lie anywhere: rows of the segments that they are in are read
//! once for as many documents as fit.

use engine::segments::{SegmentFile, Segments};
use runtime::Error;

/// The URLs of some documents.
pub struct Urls {
    docs: Vec<u32>,
    urls: Vec<Option<Box<str>>>,
}

impl Urls {
    /// Those of these documents; `None` if they take more than so many bytes.
    pub fn of(
        segments: &Segments,
        mut docs: Vec<u32>,
        most_bytes: usize,
    ) -> Result<Option<Urls>, Error> {
        docs.sort_unstable();
        docs.dedup();
        let mut urls: Vec<Option<Box<str>>> = Vec::with_capacity(docs.len());
        let mut bytes = 0;
        for segment in 0..segments.count() {
            let end = segments.first_of(segment + 1);
            if docs.get(urls.len()).is_none_or(|doc| *doc >= end) {
                continue;
            }
            let mut rows = segments.rows_of(segment, SegmentFile::Documents);
            while let Some((doc, row)) = rows.next_document()? {
                if docs.get(urls.len()) != Some(&doc) {
                    continue;
                }
                bytes += row.url.map_or(0, str::len);
                if bytes > most_bytes {
                    return Ok(None);
                }
                urls.push(row.url.map(Box::from));
                if docs.get(urls.len()).is_none_or(|doc| *doc >= end) {
                    break;
                }
            }
        }
        Ok(Some(Urls { docs, urls }))
    }

    /// The URL of one of them.
    pub fn find(&self, doc: u32) -> Option<&str> {
        let at = self.docs.binary_search(&doc).ok()?;
        self.urls.get(at)?.as_deref()
    }
}
