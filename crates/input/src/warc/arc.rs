//! The header of an ARC record: one line of fields, with spaces between them.
//!
//! *Input.* `URL IP date type length` (five fields, versions 1.0 and 1.1), or `URL IP date type
//! status checksum location offset file length` (ten fields, version 2.0). *Output.* The fields
//! that matter here. *Algorithm.* Fields are taken from the end of the line, because a URL may have
//! spaces. A line of ten fields is told from one of five by its date, status and offset. The first
//! record of a file, `filedesc:`, describes the file. *Limits.* A record is searched for by its
//! line, so a line of more than 4 KiB is not found behind damage.

use std::borrow::Cow;

use decode::date::{self, IMPOSSIBLE_DATE};
use decode::document::{Date, Refusal};
use decode::http::MediaType;

use super::header::{BAD_LENGTH, RecordHeader, text};

/// Bytes that show whether a line begins with the scheme of a URL.
pub(super) const START_BYTES: usize = 16;
/// Bytes behind a line feed that say whether a header line begins there.
pub(super) const LOOK_AHEAD_BYTES: usize = 4 << 10;
/// The URL of the record that describes the file begins so.
const FILE_DESCRIPTION: &[u8] = b"filedesc:";

/// Reads a header line.
pub(super) fn parse(line: &[u8]) -> Result<RecordHeader, Refusal> {
    let line = line.trim_ascii_end();
    let Some(fields) = Fields::of(line) else {
        let expected = "expected URL, IP, date, type and length";
        return Err(("bad-arc-header", expected.to_owned()));
    };
    let is_description = fields.url.starts_with(FILE_DESCRIPTION);
    let mut header = RecordHeader {
        kind: Cow::Borrowed(if is_description {
            "filedesc"
        } else {
            "response"
        }),
        url: Some(text(fields.url).into_owned()),
        date: date_of(fields.date),
        ..RecordHeader::default()
    };
    if header.date.is_none() {
        header.flags.push(IMPOSSIBLE_DATE);
    }
    // `no-type` and `-` are none.
    if fields.media_type.contains(&b'/') {
        header.media_type = Some(MediaType::parse(&text(fields.media_type)));
    }
    header.block_bytes = std::str::from_utf8(fields.length)
        .ok()
        .and_then(|digits| digits.parse().ok())
        .ok_or_else(|| {
            let got = text(fields.length);
            (BAD_LENGTH, format!("the length is {got:?}, not a number"))
        })?;
    Ok(header)
}

/// The fields of a line that are used.
struct Fields<'a> {
    url: &'a [u8],
    date: &'a [u8],
    media_type: &'a [u8],
    length: &'a [u8],
}

impl<'a> Fields<'a> {
    /// The fields of a line without its end.
    fn of(line: &'a [u8]) -> Option<Fields<'a>> {
        Fields::of_ten(line).or_else(|| Fields::of_five(line))
    }

    fn of_five(line: &'a [u8]) -> Option<Fields<'a>> {
        let [length, media_type, date, _ip, url] = last_fields(line)?;
        let fields = Fields {
            url,
            date,
            media_type,
            length,
        };
        fields.is_sound().then_some(fields)
    }

    fn of_ten(line: &'a [u8]) -> Option<Fields<'a>> {
        let [
            length,
            _file,
            offset,
            _location,
            _checksum,
            status,
            media_type,
            date,
            _ip,
            url,
        ] = last_fields(line)?;
        let fields = Fields {
            url,
            date,
            media_type,
            length,
        };
        let is_number = |field: &[u8]| is_digits(field) || field == b"-";
        (fields.is_sound() && is_number(offset) && is_number(status)).then_some(fields)
    }

    fn is_sound(&self) -> bool {
        let date = is_digits(self.date) && (8..=17).contains(&self.date.len());
        date && is_digits(self.length) && begins_with_scheme(self.url)
    }
}

/// So many fields from the end of a line, the last one first. The first field of the line may have
/// spaces.
fn last_fields<const N: usize>(line: &[u8]) -> Option<[&[u8]; N]> {
    let mut fields = [&line[..0]; N];
    let mut parts = line.rsplitn(N, |byte| *byte == b' ');
    for field in &mut fields {
        *field = parts.next().filter(|part| !part.is_empty())?;
    }
    Some(fields)
}

fn is_digits(field: &[u8]) -> bool {
    !field.is_empty() && field.iter().all(u8::is_ascii_digit)
}

/// `YYYYMMDDhhmmss`, from the day on.
fn date_of(digits: &[u8]) -> Option<Date> {
    let digits = std::str::from_utf8(digits).ok()?;
    let part = |at: usize| digits.get(at..at + 2).unwrap_or("00");
    date::parse(&format!(
        "{}-{}-{}T{}:{}:{}Z",
        digits.get(..4)?,
        part(4),
        part(6),
        part(8),
        part(10),
        part(12)
    ))
}

/// Whether bytes begin with the scheme of a URL and its colon.
pub(super) fn begins_with_scheme(bytes: &[u8]) -> bool {
    let start = &bytes[..bytes.len().min(START_BYTES)];
    let scheme = start
        .iter()
        .take_while(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(byte))
        .count();
    start.first().is_some_and(u8::is_ascii_alphabetic) && start.get(scheme) == Some(&b':')
}

/// Whether bytes begin with a whole header line.
pub(super) fn begins_with_header_line(bytes: &[u8]) -> bool {
    let seen = &bytes[..bytes.len().min(LOOK_AHEAD_BYTES)];
    begins_with_scheme(seen)
        && memchr::memchr(b'\n', seen)
            .is_some_and(|end| Fields::of(seen[..end].trim_ascii_end()).is_some())
}

/// Where the first header line begins whose line feed before it is among the first `searched`
/// bytes.
pub(super) fn next_header_line(bytes: &[u8], searched: usize) -> Option<usize> {
    let end = bytes.len().min(searched + LOOK_AHEAD_BYTES);
    memchr::memchr_iter(b'\n', &bytes[..searched.min(end)])
        .map(|at| at + 1)
        .find(|&at| begins_with_header_line(&bytes[at..end]))
}
