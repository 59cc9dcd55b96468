//! Entries of `paths` that are URLs: an object, all objects below a URL, or those that a glob
//! matches.
//!
//! *Input.* The entry, and the store of [`decode::objects`]. *Output.* The objects with their
//! figures. *Limits.* Globs and directories need a store that lists: `s3://`. A glob of objects
//! matches the key, so `*` crosses no `/`, as on a disk.

use std::io;
use std::path::PathBuf;

use decode::error::InputError;
use decode::objects::{self, ObjectStore, is_url};
use model::FileStat;

use super::glob_syntax::{bad, is_special};

/// Objects that an entry names.
#[derive(Debug)]
pub(super) struct FoundObjects {
    /// URLs and figures.
    pub(super) objects: Vec<(String, FileStat)>,
    /// Where the name of each begins in its URL.
    pub(super) name_start: usize,
    /// Whether the entry is the URL of one object.
    pub(super) is_named: bool,
}

/// An entry that is a URL.
pub(super) enum UrlEntry {
    /// Of an object that lists files.
    List(PathBuf),
    /// Of objects.
    Objects(FoundObjects),
}

/// Understands an entry that is a URL; `None` if it is none, or there is no store.
pub(super) fn parse(pattern: &str) -> Result<Option<UrlEntry>, InputError> {
    let (is_list, url) = match pattern.strip_prefix('@') {
        Some(list) => (true, list),
        None => (false, pattern),
    };
    let Some(store) = objects::store().filter(|_| is_url(url)) else {
        return Ok(None);
    };
    if is_list {
        return Ok(Some(UrlEntry::List(url.into())));
    }
    let found = match url.starts_with("s3://") {
        true => listed(store, url)?,
        false => one(store, url)?.ok_or_else(|| missing(url))?,
    };
    Ok(Some(UrlEntry::Objects(found)))
}

/// The URL as that of one object, if there is such a one.
fn one(store: &dyn ObjectStore, url: &str) -> Result<Option<FoundObjects>, InputError> {
    let found = store.look_at(&[url.to_owned()]).pop();
    let stat = match found.unwrap_or_else(|| Err(io::ErrorKind::NotFound.into())) {
        Ok(stat) => stat,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(InputError::io("look at", url)(error)),
    };
    Ok(Some(FoundObjects {
        objects: vec![(url.to_owned(), stat)],
        name_start: directory(url).len(),
        is_named: true,
    }))
}

/// An object, or all objects below the URL, or those that it matches as a glob.
fn listed(store: &dyn ObjectStore, url: &str) -> Result<FoundObjects, InputError> {
    let (root, glob) = match url.find(is_special) {
        Some(special) => url.split_at(directory(&url[..special]).len()),
        None => (url, ""),
    };
    if root == "s3://" {
        return Err(bad(url, "expected s3://BUCKET/KEY; a bucket is no glob"));
    }
    let has_key = root.matches('/').count() > 2 && !root.ends_with('/');
    if let Some(found) = has_key.then(|| one(store, root)).transpose()?.flatten() {
        return Ok(found);
    }
    fast_glob::validate(glob).map_err(|error| bad(url, &error.to_string()))?;
    let root = match root.ends_with('/') {
        true => root.to_owned(),
        false => format!("{root}/"),
    };
    let mut objects = store.list(&root).map_err(InputError::io("list", &root))?;
    objects.retain(|(url, _)| {
        let name = url.get(root.len()..).unwrap_or_default();
        // A key that ends in a slash stands for a directory.
        !name.is_empty()
            && !name.ends_with('/')
            && (glob.is_empty() || fast_glob::glob_match(glob, name))
    });
    Ok(FoundObjects {
        objects,
        name_start: root.len(),
        is_named: false,
    })
}

/// A URL up to its last slash.
pub(super) fn directory(url: &str) -> &str {
    &url[..url.rfind('/').map_or(0, |slash| slash + 1)]
}

fn missing(url: &str) -> InputError {
    InputError::Missing {
        pattern: url.to_owned(),
        path: url.into(),
    }
}
