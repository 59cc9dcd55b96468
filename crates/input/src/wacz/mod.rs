//! WACZ files → documents: a zip file that holds WARC files as they are.
//!
//! *Input.* A piece of a file: records whose gzip members (or plain records) begin in it are its
//! own. *Output.* As [`crate::warc`]; offsets are those of the zip file, so that a record can be
//! read without its directory. *Algorithm.* The [`zip`] directory says where the WARC files lie.
//! Each is read in place by the reader of WARC; a record may begin at the beginning of each. A WARC
//! file that is deflated within the zip file is one entry, and belongs to the piece in which it
//! begins. *Memory.* As for WARC, and the places of the WARC files. *Limits.* To read one record
//! again of a deflated WARC file, the file is decoded from its beginning on. What is encrypted, or
//! compressed otherwise, is rejected.

#[cfg(test)]
mod tests;

use decode::codec::{Compression, Decompressor};
use decode::expansion::ExpansionLimit;
use decode::range::RangeReader;
use decode::zip::{self, Storage, ZipMember};
use decode::{
    document::{Place, Rejection, Sink},
    error::InputError,
    options::{Piece, PieceEnd, ReadOptions, SourceFile},
};

use crate::warc::{self, Syntax};

/// Reads the records of one piece; see [`crate::read_piece`].
pub(crate) fn read_piece(
    file: &SourceFile,
    piece: &Piece,
    from: Option<u64>,
    options: &ReadOptions,
    sink: &mut dyn Sink,
) -> Result<PieceEnd, InputError> {
    let input = RangeReader::open(file, piece.start, piece.end)?;
    let members = match zip::members(&input, is_warc)? {
        Ok(members) => members,
        Err(detail) => {
            let rejection = Rejection::new(0, "damaged-zip", detail);
            return warc::unreadable(file, piece, rejection, sink);
        }
    };
    let end = piece.end.min(file.stat.bytes);
    let known = from.or((piece.start == 0).then_some(0));
    if let Some(known) = known.filter(|known| *known >= end) {
        return PieceEnd::of(None, known, input);
    }
    // Where the next record begins, as soon as one is known.
    let (mut first, mut next) = (known, known);
    let mut reading = WaczReading {
        input,
        expansion: ExpansionLimit::new(options.max_expansion),
    };
    for member in members.iter().filter(|member| member.start < end) {
        let begins = match next {
            Some(next) if next >= member.end => continue,
            Some(next) => Some(next.max(member.start)),
            None if member.end <= piece.start => continue,
            None if member.start >= piece.start => Some(member.start),
            None => None,
        };
        if begins.is_some_and(|begins| begins >= end) {
            break;
        }
        let read;
        (read, reading) = reading.member(member, piece.start..end, begins, options, sink)?;
        if let Some((began, ended)) = read {
            first = first.or(Some(began));
            next = Some(ended.min(member.end));
        }
    }
    let following = |at: u64| {
        let member = members.iter().find(|member| at < member.end);
        member.map_or(file.stat.bytes, |member| at.max(member.start))
    };
    PieceEnd::of(first, next.map_or(end, following).max(end), reading.input)
}

/// Where the records of a member began and ended, if any begins in the piece; and the file behind
/// them.
type MemberRead = (Option<(u64, u64)>, WaczReading);

/// The file, and how far its members may still expand.
struct WaczReading {
    input: RangeReader,
    expansion: ExpansionLimit,
}

impl WaczReading {
    /// Behind a member that was decoded; `before` is what was left before it.
    fn behind(before: ExpansionLimit, source: Decompressor) -> WaczReading {
        WaczReading {
            expansion: source.expansion().unwrap_or(before),
            input: source.into_input(),
        }
    }

    /// Reads the records of a member that begin in a piece; `begins` is where the first does, if
    /// known.
    fn member(
        mut self,
        member: &ZipMember,
        piece: std::ops::Range<u64>,
        begins: Option<u64>,
        options: &ReadOptions,
        sink: &mut dyn Sink,
    ) -> Result<MemberRead, InputError> {
        let expansion = self.expansion;
        let mut refusal = match &member.storage {
            Storage::Stored => None,
            Storage::Unreadable(why) => Some(why.clone()),
            Storage::Deflated(crc32) if begins == Some(member.start) => {
                self.input.seek(member.start)?;
                let source = Decompressor::deflated(self.input, member.end, Some(*crc32));
                let source = warc::read_entry(source.bounded(expansion), options, sink)?;
                let read = Some((member.start, member.end));
                return Ok((read, WaczReading::behind(expansion, source)));
            }
            Storage::Deflated(_) => return Ok((None, self)),
        };
        let compression = Compression::at(&self.input, member.start)?;
        if compression == Compression::Zstd {
            refusal.get_or_insert_with(|| "is compressed with zstd".to_owned());
        }
        if let Some(refusal) = refusal {
            let Some(begins) = begins else {
                return Ok((None, self));
            };
            let detail = format!(
                "{} {refusal}; unpack the file and name its WARC files",
                member.name
            );
            sink.rejected(Rejection::new(begins, "bad-zip-member", detail))?;
            return Ok((Some((begins, member.end)), self));
        }
        let source = match Decompressor::new(self.input, compression)? {
            Ok(source) => source.bounded(expansion),
            // Only zstd has something to read before its first frame.
            Err((_, detail)) => {
                return Err(InputError::io("decode", member.name.as_str())(
                    std::io::Error::other(detail),
                ));
            }
        };
        let range = piece.start.max(member.start)..piece.end.min(member.end);
        let read = warc::read_range(source, Syntax::Warc, range, begins, options, sink)?;
        let found = read.first.map(|first| (first, read.next));
        Ok((found, WaczReading::behind(expansion, read.source)))
    }
}

/// Hands on the record at a place.
pub(crate) fn read_at(
    file: &SourceFile,
    place: &Place,
    options: &ReadOptions,
    sink: &mut dyn Sink,
) -> Result<(), InputError> {
    let at = place.entry_offset;
    let input = RangeReader::open(file, at, at)?;
    let compression = Compression::at(&input, at)?;
    let mut first = [0; 1];
    let known = input.peek_at(at, &mut first)?;
    // No deflate stream begins like gzip or like a record: both would be of its reserved kind.
    if compression == Compression::Plain && first[..known] != *b"W" {
        let source = Decompressor::deflated(input, file.stat.bytes, None);
        return warc::read_entry(source, options, sink).map(drop);
    }
    let Ok(source) = Decompressor::new(input, compression)? else {
        return Ok(());
    };
    let range = at..at.saturating_add(1);
    warc::read_range(source, Syntax::Warc, range, Some(at), options, sink).map(drop)
}

/// Whether a file of this name in a WACZ file is a WARC file of the crawl.
fn is_warc(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    name.starts_with("archive/") && (name.ends_with(".warc.gz") || name.ends_with(".warc"))
}
