//! URL or id → documents, and the URLs that are almost it.

use super::Index;
use format::{DocumentRow, FormatError};
use sketch::{UrlKeys, host_of, loose_form};

/// The documents of a URL, or of an id.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UrlMatches {
    /// Documents, the newest first; as many as were asked for.
    pub docs: Vec<u32>,
    /// How many there are in all.
    pub total: u64,
}

impl Index {
    /// A key of the host of a URL, whatever its case; no one can construct two hosts of one key.
    pub fn host_key(&self, url: &str) -> u128 {
        self.keys.exact(&host_of(url).to_ascii_lowercase())
    }

    /// The documents of a URL, the newest (by date, then by id) first, at most `limit`.
    pub fn docs_of_url(&self, url: &str, limit: usize) -> Result<UrlMatches, FormatError> {
        let key = self.keys.key(url, &mut Vec::new());
        self.docs_of_key(key, limit, |row| row.url == Some(url))
    }

    /// The documents that have this id in the input, in the same order.
    pub fn docs_of_id(&self, id: &str, limit: usize) -> Result<UrlMatches, FormatError> {
        let key = self.keys.of_id(id);
        self.docs_of_key(key, limit, |row| row.id == Some(id))
    }

    fn docs_of_key(
        &self,
        key: u64,
        limit: usize,
        is_wanted: impl Fn(&DocumentRow<'_>) -> bool,
    ) -> Result<UrlMatches, FormatError> {
        let range = self.urls.equal(key)?;
        let mut found = UrlMatches {
            docs: Vec::new(),
            total: range.len(),
        };
        for record in range.iter().rev() {
            if found.docs.len() == limit {
                break;
            }
            let doc = record?.doc;
            if self.document(doc, &is_wanted)? {
                found.docs.push(doc);
            } else {
                // Another URL or id with the same key: it counts for nothing.
                found.total -= 1;
            }
        }
        Ok(found)
    }

    /// The newest document of each URL that differs from this one only in scheme, user, `www.`,
    /// default port, case of the host, trailing slash, order of the query or fragment; at most
    /// `limit`, the highest ids first.
    pub fn near_urls(&self, url: &str, limit: usize) -> Result<Vec<(u32, String)>, FormatError> {
        let (mut form, mut other) = (Vec::new(), Vec::new());
        let (mut next, end) = UrlKeys::neighbours(self.keys.key(url, &mut form));
        let mut found: Vec<(u32, String)> = Vec::new();
        while found.len() < limit {
            // The last document of the first key that was not seen yet.
            let Some(first) = self.urls.between(next, end)?.first()? else {
                break;
            };
            let Some(last) = self.urls.equal(first.key)?.iter().next_back() else {
                break;
            };
            let doc = last?.doc;
            if let Some(near) = self.url(doc)?
                && near != url
            {
                loose_form(&near, &mut other);
                if other == form {
                    found.push((doc, near));
                }
            }
            match first
                .key
                .checked_add(1)
                .filter(|key| end.is_none_or(|end| *key < end))
            {
                Some(key) => next = key,
                None => break,
            }
        }
        found.sort_unstable_by(|a, b| b.cmp(a));
        Ok(found)
    }
}
