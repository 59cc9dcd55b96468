//! Pages of a tree: one HTML page or one text a file.
//!
//! *Input.* A whole file, plain, gzip or zstd. *Output.* One document whose URL is its relative
//! path, or one rejection; or the text again without some of its characters. *Algorithm.*
//! Characters by the WHATWG rules, without an HTTP header. *Memory.* The page and its decoded text;
//! a page over 1 MiB waits at the gate. *Limits.* A page larger than `max_document_bytes` is not
//! held; its bytes are still digested.

#[cfg(test)]
mod tests;

use model::{Content, Markup};
use std::borrow::Cow;
use std::ops::Range;

use crate::listing::extension;
use decode::charset::{self, Charset, Declared};
use decode::codec::{Compression, Decompressor};
use decode::copying::{CopySink, cut_text};
use decode::expansion::ExpansionLimit;
use decode::http::sniff;
use decode::range::RangeReader;
use decode::{
    document::{Document, Place, Refusal, Rejection, Sink},
    error::InputError,
    options::{Format, Piece, PieceEnd, ReadOptions, SourceFile},
};

use crate::warc::Gate;

const BLOCK_BYTES: usize = 64 << 10;

/// Reads the page, if `piece` is the one it begins in; see [`crate::read_piece`].
pub(crate) fn read_piece(
    file: &SourceFile,
    piece: &Piece,
    from: Option<u64>,
    options: &ReadOptions,
    sink: &mut dyn Sink,
) -> Result<PieceEnd, InputError> {
    let is_ours = piece.start == 0 && from.unwrap_or(0) == 0;
    let first = (is_ours && file.stat.bytes > 0).then_some(0);
    let next = file.stat.bytes;
    let input = RangeReader::open(file, piece.start, piece.end)?;
    if !is_ours {
        return PieceEnd::of(first, next, input);
    }
    // Declared before the page, so that the page is gone when the next large one may come.
    let mut gate = Gate::new(&options.large);
    let (page, digest) = load(input, file, options, &mut gate)?;
    match page {
        Ok(page) => deliver(file, &page, options, sink)?,
        Err(refusal) => reject(refusal, sink)?,
    }
    Ok(PieceEnd {
        first,
        next,
        lines: 0,
        digest,
    })
}

/// The bytes of the page, or why there are none; and the digest of the file.
fn load(
    mut input: RangeReader,
    file: &SourceFile,
    options: &ReadOptions,
    gate: &mut Gate<'_>,
) -> Result<(Result<Vec<u8>, Refusal>, u64), InputError> {
    let max = options.max_document_bytes;
    let too_large = |bytes: u64| {
        (
            "too-large",
            format!("the file has {bytes} bytes or more, max-document is {max}"),
        )
    };
    let mut page = vec![0; BLOCK_BYTES];
    let first = input.read(&mut page)?;
    page.truncate(first);
    let compression = Compression::sniff(&page);
    if compression != Compression::Plain {
        page.clear();
        input.seek(0)?;
    } else if file.stat.bytes > max {
        return Ok((Err(too_large(file.stat.bytes)), input.finish()?));
    }
    let mut source = match Decompressor::new(input, compression)? {
        Ok(source) => source.bounded(ExpansionLimit::new(options.max_expansion)),
        Err(refusal) => {
            let digest = RangeReader::open(file, 0, file.stat.bytes)?.finish()?;
            return Ok((Err(refusal), digest));
        }
    };
    gate.need(usize::try_from(file.stat.bytes).unwrap_or(usize::MAX));
    let refusal = loop {
        let length = page.len();
        if length as u64 > max {
            break Some(too_large(length as u64));
        }
        gate.need(length + BLOCK_BYTES);
        page.resize(length + BLOCK_BYTES, 0);
        let read = source.read(&mut page[length..]);
        page.truncate(length + *read.as_ref().unwrap_or(&0));
        match read {
            Ok(0) => break None,
            Ok(_) => {}
            Err(error) => break Some(error.damage()?),
        }
    };
    let page = match refusal {
        Some(refusal) => Err(refusal),
        None => Ok(page),
    };
    Ok((page, source.into_input().finish()?))
}

/// Copies a text without some of its characters, in its encoding; in UTF-8 if its bytes are not all
/// those of its characters in that encoding.
pub(crate) fn cut(
    file: &SourceFile,
    ranges: &[Range<u32>],
    marker: &str,
    options: &ReadOptions,
    sink: &mut dyn CopySink,
) -> Result<(), InputError> {
    let mut gate = Gate::new(&options.large);
    let input = RangeReader::open(file, 0, file.stat.bytes)?;
    let (Ok(page), _) = load(input, file, options, &mut gate)? else {
        return Err(InputError::changed(&file.path));
    };
    let declared = Declared {
        forced: options.charset,
        label: None,
        markup: Markup::None,
    };
    let max = usize::try_from(options.max_document_bytes).unwrap_or(usize::MAX);
    let decoded = charset::decode(&page, declared, max);
    let mut kept = Vec::new();
    let keep = |bytes: &[u8]| {
        kept.extend_from_slice(bytes);
        Ok(())
    };
    if !cut_text(&decoded.text, ranges, marker, keep)? {
        return Err(InputError::changed(&file.path));
    }
    let mark = charset::utf8_mark(&page);
    let is_faithful = charset::encode(&decoded.text, decoded.name)
        .is_some_and(|bytes| *bytes == page[mark.len()..]);
    let kept = String::from_utf8(kept).unwrap_or_default();
    let encoded = match is_faithful {
        true => charset::encode(&kept, decoded.name),
        false => None,
    };
    sink.content(mark)?;
    sink.content(&encoded.unwrap_or(Cow::Borrowed(kept.as_bytes())))?;
    sink.end_entry().map_err(InputError::Sink)
}

fn deliver(
    file: &SourceFile,
    page: &[u8],
    options: &ReadOptions,
    sink: &mut dyn Sink,
) -> Result<(), InputError> {
    let (forced, max) = (options.charset, options.max_document_bytes);
    if let Some(kind) = sniff::binary_kind(page, forced.map(Charset::name)) {
        return reject(("binary", kind.to_owned()), sink);
    }
    let markup = match extension(&file.path).as_str() {
        _ if file.format != Format::Html => Markup::None,
        "xhtml" | "xht" => Markup::Xhtml,
        _ => Markup::Html,
    };
    let declared = Declared {
        forced,
        label: None,
        markup,
    };
    let decoded = charset::decode(page, declared, usize::try_from(max).unwrap_or(usize::MAX));
    let text = decoded.text.as_ref();
    if text.len() as u64 > max {
        let detail = format!(
            "{} bytes of text or more, max-document is {max}",
            text.len()
        );
        return reject(("too-large", detail), sink);
    }
    let document = Document {
        id: None,
        url: Some(&file.name),
        date: None,
        place: Place {
            entry_offset: 0,
            inner_offset: 0,
            length: page.len() as u64,
        },
        row: None,
        payload: None,
        content: Content::new(markup, text),
        body: page,
        media_type: markup.media_type(),
        charset: decoded.name,
        fields: &[],
        flags: &decoded.flags,
    };
    sink.document(&document).map_err(InputError::Sink)
}

fn reject((reason, detail): Refusal, sink: &mut dyn Sink) -> Result<(), InputError> {
    sink.rejected(Rejection::new(0, reason, detail))
        .map_err(InputError::Sink)
}
