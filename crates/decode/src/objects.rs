//! Input that is not on a disk of this machine: objects of a store, named by URLs.
//!
//! This crate does not know how to reach a store. A program that can calls [`use_store`] once; in
//! all others a URL is refused as an unsupported path.

use std::fmt::Debug;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use model::FileStat;

/// Where objects come from.
pub trait ObjectStore: Send + Sync {
    /// Looks at objects by their URLs, several at a time. Answers come in the order of the URLs.
    fn look_at(&self, urls: &[String]) -> Vec<io::Result<FileStat>>;

    /// The URLs and figures of all objects whose URLs begin with `prefix`, in any order.
    fn list(&self, prefix: &str) -> io::Result<Vec<(String, FileStat)>>;

    /// Opens an object for reading.
    fn open(&self, url: &str) -> io::Result<Arc<dyn Object>>;

    /// Allows so many bytes for reading ahead, by so many readers at once. Gives the bytes that
    /// will be used: 0 as long as no object was looked at.
    fn reserve(&self, bytes: usize, readers: usize) -> usize;
}

/// An object that is open. All reads are of the bytes that [`Object::stat`] describes.
pub trait Object: Debug + Send + Sync {
    /// Its figures when it was opened.
    fn stat(&self) -> FileStat;

    /// Reads bytes at an offset, as [`std::os::unix::fs::FileExt::read_at`] does.
    ///
    /// # Errors
    /// [`ObjectChanged`] within, if the object is another one by now; what the store says.
    fn read_at(&self, out: &mut [u8], offset: u64) -> io::Result<usize>;
}

/// The object was replaced after it was opened.
#[derive(Debug, thiserror::Error)]
#[error("the object was replaced while it was being read")]
pub struct ObjectChanged;

/// The program is to end, so nothing waits for the store any more.
#[derive(Debug, thiserror::Error)]
#[error("stopped by a signal")]
pub struct ObjectStopped;

static STORE: OnceLock<Box<dyn ObjectStore>> = OnceLock::new();

/// Reads URLs from this store from now on. The first call counts.
pub fn use_store(store: Box<dyn ObjectStore>) {
    let _ = STORE.set(store);
}

/// The store, if this program has one.
pub fn store() -> Option<&'static dyn ObjectStore> {
    STORE.get().map(AsRef::as_ref)
}

/// As [`ObjectStore::reserve`]; 0 without a store.
pub fn reserve_read_ahead(bytes: usize, readers: usize) -> usize {
    store().map_or(0, |store| store.reserve(bytes, readers))
}

/// The store and the URL of an object; `None` for a path of this machine, and without a store.
pub fn object_at(path: &Path) -> Option<(&'static dyn ObjectStore, &str)> {
    let store = store()?;
    let text = std::str::from_utf8(path.as_os_str().as_bytes()).ok()?;
    is_url(text).then_some((store, text))
}

/// A recorded path of the input: relative to `base`, or the URL of an object.
pub fn joined(base: &Path, path: PathBuf) -> PathBuf {
    match object_at(&path) {
        Some(_) => path,
        None => base.join(path),
    }
}

/// Whether a path begins like a URL: `https://`, `s3://`.
pub fn is_url(path: &str) -> bool {
    path.split_once("://").is_some_and(|(scheme, _)| {
        let is_letter = |c: char| c.is_ascii_alphanumeric() || "+-.".contains(c);
        !scheme.is_empty() && scheme.chars().all(is_letter)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_are_told_from_paths() {
        for url in ["s3://bucket/a", "https://a.example/b.warc.gz", "x+y-1.z://"] {
            assert!(is_url(url), "{url}");
        }
        for path in ["a/b", "/s3://a", "://a", "a b://c", "s3:/a"] {
            assert!(!is_url(path), "{path}");
        }
        assert!(object_at(Path::new("s3://bucket/a")).is_none());
    }
}
