//! The directory of a zip file: where the files in it lie.
//!
//! *Input.* The end of the file, the central directory, the header before each wanted file (PKWARE,
//! *APPNOTE*, 4.3 and 4.5: zip64). *Output.* A [`ZipMember`] for each wanted file, in the order of
//! their bytes. *Memory.* 100 bytes and its name for each, up to [`MOST_MEMBERS`] and
//! [`MOST_NAME_BYTES`]; eight bytes for each of up to [`MOST_FILES`] files. *Limits.* Zip files of
//! one part only.

use crate::error::InputError;
use crate::range::RangeReader;

/// The most wanted files in a zip file.
const MOST_MEMBERS: usize = 1 << 14;
/// The most files in a zip file.
const MOST_FILES: u64 = 1 << 16;
/// The most bytes of all names of wanted files.
const MOST_NAME_BYTES: usize = 2 << 20;
/// Bytes of the end record and of the longest comment behind it.
const END_BYTES: u64 = 22 + 65_535;
/// A field of 32 bits that stands for one of 64 bits elsewhere.
const IN_ZIP64: u64 = 0xffff_ffff;

/// A file within the zip file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ZipMember {
    /// Its path in the zip file.
    pub name: String,
    /// Its first byte.
    pub start: u64,
    /// One past its last byte.
    pub end: u64,
    /// How its bytes lie there.
    pub storage: Storage,
}

/// How the bytes of a file lie in the zip file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Storage {
    /// As they are.
    Stored,
    /// As a deflate stream; with the CRC-32 of the content.
    Deflated(u32),
    /// So that they cannot be read: why.
    Unreadable(String),
}

/// The files of a zip file whose names are wanted, or what is wrong with it.
pub fn members(
    input: &RangeReader,
    is_wanted: impl Fn(&str) -> bool,
) -> Result<Result<Vec<ZipMember>, String>, InputError> {
    let Some((mut at, files)) = central(input)? else {
        return Ok(Err("its end has no directory of a zip file".to_owned()));
    };
    if files > MOST_FILES {
        return Ok(Err(format!("it has {files} files, more than {MOST_FILES}")));
    }
    let mut members = Vec::new();
    let mut name_bytes = 0;
    // Where the files begin, and the directory behind them.
    let mut offsets = vec![at];
    for number in 0..files {
        let Some((header, next)) = file_header(input, at)? else {
            return Ok(Err(format!("its directory ends before file {number}")));
        };
        at = next;
        offsets.push(header.offset);
        if !is_wanted(&header.name) {
            continue;
        }
        name_bytes += header.name.len();
        if name_bytes > MOST_NAME_BYTES {
            return Ok(Err(format!(
                "the names of its files that are read have more than {MOST_NAME_BYTES} bytes"
            )));
        }
        let Some(member) = member(input, header)? else {
            return Ok(Err(format!("file {number} of its directory is not there")));
        };
        members.push(member);
        if members.len() > MOST_MEMBERS {
            return Ok(Err(format!(
                "it has more than {MOST_MEMBERS} files that are read"
            )));
        }
    }
    members.sort_by_key(|member| member.start);
    offsets.sort_unstable();
    let overlaps = |member: &ZipMember| {
        let next = offsets.partition_point(|offset| *offset < member.start);
        offsets.get(next).is_none_or(|next| member.end > *next)
    };
    if members.iter().any(overlaps) {
        return Ok(Err("its files overlap".to_owned()));
    }
    Ok(Ok(members))
}

/// Where the central directory begins, and how many files it has.
fn central(input: &RangeReader) -> Result<Option<(u64, u64)>, InputError> {
    let bytes = input.file_bytes().min(END_BYTES);
    let from = input.file_bytes() - bytes;
    let mut tail = vec![0; bytes as usize];
    let got = input.peek_at(from, &mut tail)?;
    let Some(at) = memchr::memmem::rfind(&tail[..got], b"PK\x05\x06") else {
        return Ok(None);
    };
    let end = &tail[at..got];
    let (Some(files), Some(start)) = (number(end, 10, 2), number(end, 16, 4)) else {
        return Ok(None);
    };
    if files != 0xffff && start != IN_ZIP64 {
        return Ok(Some((start, files)));
    }
    let Some(locator) = at.checked_sub(20).map(|at| &tail[at..]) else {
        return Ok(None);
    };
    let Some(offset) = number(locator, 8, 8).filter(|_| locator.starts_with(b"PK\x06\x07")) else {
        return Ok(None);
    };
    let mut record = [0; 56];
    let got = input.peek_at(offset, &mut record)?;
    let record = &record[..got];
    let found = number(record, 48, 8).zip(number(record, 32, 8));
    Ok(found.filter(|_| record.starts_with(b"PK\x06\x06")))
}

/// The entry of the directory about a file.
struct FileHeader {
    name: String,
    flags: u64,
    method: u64,
    crc32: u32,
    bytes: u64,
    offset: u64,
}

/// The header at an offset of the directory, and where the next one begins.
fn file_header(input: &RangeReader, at: u64) -> Result<Option<(FileHeader, u64)>, InputError> {
    let mut fixed = [0; 46];
    let got = input.peek_at(at, &mut fixed)?;
    let fixed = &fixed[..got];
    if got < 46 || !fixed.starts_with(b"PK\x01\x02") {
        return Ok(None);
    }
    let field = |at: usize, bytes: usize| number(fixed, at, bytes).unwrap_or(0);
    let (name_bytes, extra_bytes) = (field(28, 2), field(30, 2));
    let mut variable = vec![0; (name_bytes + extra_bytes) as usize];
    let got = input.peek_at(at + 46, &mut variable)?;
    if got < variable.len() {
        return Ok(None);
    }
    let (name, extra) = variable.split_at(name_bytes as usize);
    let mut long = zip64(extra);
    let mut wide = |value: u64| match value {
        IN_ZIP64 => number(long, 0, 8).inspect(|_| long = long.get(8..).unwrap_or_default()),
        value => Some(value),
    };
    // In the order in which the long ones are stored.
    let (Some(_), Some(bytes), Some(offset)) =
        (wide(field(24, 4)), wide(field(20, 4)), wide(field(42, 4)))
    else {
        return Ok(None);
    };
    let header = FileHeader {
        name: String::from_utf8_lossy(name).into_owned(),
        flags: field(8, 2),
        method: field(10, 2),
        crc32: field(16, 4) as u32,
        bytes,
        offset,
    };
    let next = at + 46 + name_bytes + extra_bytes + field(32, 2);
    Ok(Some((header, next)))
}

/// The numbers of 64 bits among the extra fields.
fn zip64(mut extra: &[u8]) -> &[u8] {
    while let (Some(id), Some(bytes)) = (number(extra, 0, 2), number(extra, 2, 2)) {
        let (from, to) = (4, 4 + bytes as usize);
        let Some(value) = extra.get(from..to) else {
            break;
        };
        if id == 1 {
            return value;
        }
        extra = &extra[to..];
    }
    &[]
}

/// Where the bytes of a file lie; `None` if they are not in the zip file.
fn member(input: &RangeReader, header: FileHeader) -> Result<Option<ZipMember>, InputError> {
    let mut local = [0; 30];
    let got = input.peek_at(header.offset, &mut local)?;
    let local = &local[..got];
    let lengths = number(local, 26, 2).zip(number(local, 28, 2));
    let Some((name, extra)) = lengths.filter(|_| local.starts_with(b"PK\x03\x04")) else {
        return Ok(None);
    };
    let start = header.offset + 30 + name + extra;
    let end = start.saturating_add(header.bytes);
    let storage = match (header.flags & 1, header.method) {
        (1, _) => Storage::Unreadable("is encrypted".to_owned()),
        (_, 0) => Storage::Stored,
        (_, 8) => Storage::Deflated(header.crc32),
        (_, method) => Storage::Unreadable(format!("is compressed by method {method} of zip")),
    };
    let member = ZipMember {
        name: header.name,
        start,
        end,
        storage,
    };
    Ok((end <= input.file_bytes()).then_some(member))
}

/// A number of up to eight bytes, the lowest first.
fn number(bytes: &[u8], at: usize, length: usize) -> Option<u64> {
    let bytes = bytes.get(at..at.checked_add(length)?)?;
    Some(
        bytes
            .iter()
            .rev()
            .fold(0, |number, byte| number << 8 | u64::from(*byte)),
    )
}
