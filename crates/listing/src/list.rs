//! `@list` files: one path a line.
//!
//! *Input.* A text file, plain or gzip or zstd, as archives publish them. *Output.* Each line's
//! path, relative to the directory of the list. Blank lines and lines that begin with `#` are
//! passed over. *Memory.* One line. *Limits.* A line has at most 64 KiB.

use std::fs;
use std::io::{self, BufRead, BufReader, Read};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use super::found::FoundFile;
use decode::error::InputError;
use decode::open::open_regular;

const LINE_BYTES: u64 = 64 << 10;

/// Adds the files that `list`, the `order`-th of the roots, names.
///
/// # Errors
/// [`InputError::Io`] if the list cannot be read, [`InputError::ListEntry`] for a line that names
/// no regular file.
pub(super) fn read(list: &Path, order: u32, found: &mut Vec<FoundFile>) -> Result<(), InputError> {
    let io = |error| InputError::io("read", list)(error);
    let mut lines = open(list).map_err(io)?;
    let directory = list.parent().unwrap_or_else(|| Path::new("."));
    let mut line = Vec::new();
    for number in 1.. {
        line.clear();
        if (&mut lines)
            .take(LINE_BYTES)
            .read_until(b'\n', &mut line)
            .map_err(io)?
            == 0
        {
            break;
        }
        let entry = trimmed(&line);
        if entry.is_empty() || entry.starts_with(b"#") {
            continue;
        }
        let refuse = |reason: String| InputError::ListEntry {
            list: list.to_owned(),
            line: number,
            entry: String::from_utf8_lossy(&entry[..entry.len().min(200)]).into_owned(),
            reason,
        };
        if line.len() as u64 == LINE_BYTES {
            return Err(refuse("the line is longer than 64 KiB".to_owned()));
        }
        let path = directory.join(std::ffi::OsStr::from_bytes(entry));
        let name_start = path.as_os_str().len() - entry.len();
        match fs::metadata(&path) {
            Ok(metadata) if metadata.is_file() => {
                found.push(FoundFile::new(path, name_start, order, &metadata));
            }
            Ok(_) => {
                return Err(refuse(
                    "it is not a regular file; a list names files only".to_owned(),
                ));
            }
            Err(_) if entry.windows(3).any(|part| part == b"://") => {
                return Err(refuse(
                    "it is a URL, and the network is never used; download the file first"
                        .to_owned(),
                ));
            }
            Err(error) => {
                return Err(refuse(format!(
                    "{error}; paths are relative to the directory of the list"
                )));
            }
        }
    }
    Ok(())
}

fn open(list: &Path) -> io::Result<Box<dyn BufRead>> {
    let (file, _) = open_regular(list)?;
    let mut file = BufReader::new(file);
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
