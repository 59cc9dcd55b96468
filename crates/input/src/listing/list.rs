//! `@list` files: one path a line, or each with a NUL behind it, as `find -print0` writes them.
//!
//! *Input.* A text file, plain or gzip or zstd, as archives publish them; it may be an object of a
//! store. *Output.* Each line's path, relative to the directory of the list, or the URL of an
//! object. Archives publish lists of paths below the root of their host, so an entry that is not
//! in the directory of a list of the web is looked for there. Blank lines and lines that begin with
//! `#` are passed over. *Memory.* One line; of objects, all URLs. *Limits.* A line has at most 64
//! KiB.

use std::io::{self, BufRead, BufReader, Read};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::found::FoundFile;
use super::objects::directory;
use decode::error::InputError;
use decode::objects::{ObjectStore, is_url, object_at, store};
use decode::open_file::{OpenFile, stat_at};

const LINE_BYTES: u64 = 64 << 10;

/// Adds the files that `list`, the `order`-th of the roots, names.
pub(super) fn read(list: &Path, order: u32, found: &mut Vec<FoundFile>) -> Result<(), InputError> {
    let io = |error| InputError::io("read", list)(error);
    let mut lines = open(list).map_err(io)?;
    let end = entry_end(lines.fill_buf().map_err(io)?);
    let place = EntryBase::of(list);
    let mut objects = Vec::new();
    let mut line = Vec::new();
    for number in 1.. {
        line.clear();
        let mut limited = (&mut lines).take(LINE_BYTES);
        if limited.read_until(end, &mut line).map_err(io)? == 0 {
            break;
        }
        let entry = match line.strip_suffix(b"\0") {
            Some(name) => name,
            None => trimmed(&line),
        };
        if entry.is_empty() || (end == b'\n' && entry.starts_with(b"#")) {
            continue;
        }
        let refused = |reason: String| refused(list, number, entry, reason);
        if line.len() as u64 == LINE_BYTES {
            return Err(refused("the line is longer than 64 KiB".to_owned()));
        }
        let path = match place.of_entry(entry) {
            EntryPlace::File(path) => path,
            EntryPlace::Object(urls) => {
                objects.push(ListedObject {
                    line: number,
                    entry_bytes: entry.len(),
                    urls,
                });
                continue;
            }
        };
        let name_start = path.as_os_str().len() - entry.len();
        match stat_at(&path) {
            Ok(stat) => found.push(FoundFile::new(path, name_start, order, stat)),
            Err(error) => return Err(refused(reason(&error, entry))),
        }
    }
    if let Some(store) = store() {
        look_at(store, list, objects, order, found)?;
    }
    Ok(())
}

/// The byte behind each entry of the list that begins so: a NUL if one is there, as no path holds
/// one, else a line feed.
pub fn entry_end(beginning: &[u8]) -> u8 {
    if beginning.contains(&0) { 0 } else { b'\n' }
}

/// Why a path of a list cannot be used.
fn reason(error: &io::Error, entry: &[u8]) -> String {
    if error.kind() == io::ErrorKind::InvalidInput {
        return "it is not a regular file; a list names files only".to_owned();
    }
    if entry.windows(3).any(|part| part == b"://") {
        let remedy = "take one with the feature s3, or download the file first";
        return format!("it is a URL, and this build never uses the network; {remedy}");
    }
    format!("{error}; paths are relative to the directory of the list")
}

fn refused(list: &Path, line: u64, entry: &[u8], reason: String) -> InputError {
    InputError::ListEntry {
        list: list.to_owned(),
        line,
        entry: String::from_utf8_lossy(&entry[..entry.len().min(200)]).into_owned(),
        reason,
    }
}

/// The place that the entries of a list are relative to.
enum EntryBase<'a> {
    /// A directory of this machine.
    Directory(&'a Path),
    /// The URL of a directory, and that of its host.
    Url(&'a str, &'a str),
}

impl<'a> EntryBase<'a> {
    fn of(list: &'a Path) -> EntryBase<'a> {
        match object_at(list) {
            Some((_, url)) => {
                let slashes = url.match_indices('/');
                let host = slashes.map(|(at, _)| at + 1).nth(2).unwrap_or(url.len());
                EntryBase::Url(directory(url), &url[..host])
            }
            None => EntryBase::Directory(list.parent().unwrap_or_else(|| Path::new("."))),
        }
    }

    fn of_entry(&self, entry: &[u8]) -> EntryPlace {
        let text = String::from_utf8_lossy(entry);
        match self {
            EntryBase::Directory(directory) => {
                let path = directory.join(std::ffi::OsStr::from_bytes(entry));
                match store().is_some() && is_url(&text) && !path.exists() {
                    true => EntryPlace::Object(vec![text.into_owned()]),
                    false => EntryPlace::File(path),
                }
            }
            EntryBase::Url(..) if is_url(&text) => EntryPlace::Object(vec![text.into_owned()]),
            EntryBase::Url(directory, host) => EntryPlace::Object(vec![
                format!("{directory}{text}"),
                format!("{host}{}", text.trim_start_matches('/')),
            ]),
        }
    }
}

/// Where the file of an entry is.
enum EntryPlace {
    /// On this machine.
    File(PathBuf),
    /// At one of these URLs.
    Object(Vec<String>),
}

/// A line that names an object.
struct ListedObject {
    line: u64,
    entry_bytes: usize,
    /// Where it may be, the likeliest first.
    urls: Vec<String>,
}

/// Adds the objects that are there. All first URLs are looked at together, then the second ones of
/// those that are not there.
fn look_at(
    store: &dyn ObjectStore,
    list: &Path,
    mut objects: Vec<ListedObject>,
    order: u32,
    found: &mut Vec<FoundFile>,
) -> Result<(), InputError> {
    while !objects.is_empty() {
        let first = objects.iter_mut().map(|object| object.urls.remove(0));
        let urls: Vec<String> = first.collect();
        let mut left = Vec::new();
        for ((object, url), stat) in objects.into_iter().zip(&urls).zip(store.look_at(&urls)) {
            match stat {
                Ok(stat) => {
                    // The name of a URL begins behind its host.
                    let slashes = url.match_indices('/').map(|(at, _)| at + 1);
                    let host = slashes.take(3).last().unwrap_or(0);
                    let name_start = url.len().saturating_sub(object.entry_bytes).max(host);
                    found.push(FoundFile::new(url.into(), name_start, order, stat));
                }
                Err(error)
                    if error.kind() == io::ErrorKind::NotFound && !object.urls.is_empty() =>
                {
                    left.push(object);
                }
                Err(error) => {
                    return Err(refused(
                        list,
                        object.line,
                        url.as_bytes(),
                        error.to_string(),
                    ));
                }
            }
        }
        objects = left;
    }
    Ok(())
}

fn open(list: &Path) -> io::Result<Box<dyn BufRead>> {
    let mut file = BufReader::new(OpenFile::open_regular(list)?.reader(0));
    let magic = file.fill_buf()?;
    if magic.starts_with(&[0x1f, 0x8b]) {
        Ok(Box::new(BufReader::new(
            flate2::bufread::MultiGzDecoder::new(file),
        )))
    } else if magic.starts_with(&[0x28, 0xb5, 0x2f, 0xfd]) {
        Ok(Box::new(BufReader::new(
            zstd::stream::read::Decoder::with_buffer(file)?,
        )))
    } else {
        Ok(Box::new(file))
    }
}

/// The line without its end, without surrounding blanks, without a byte order mark.
fn trimmed(line: &[u8]) -> &[u8] {
    line.strip_prefix(b"\xef\xbb\xbf")
        .unwrap_or(line)
        .trim_ascii()
}
