//! `Transfer-Encoding: chunked`, undone in place (RFC 9112, 7.1).
//!
//! *Algorithm.* One pass that moves each chunk's data to the front. *Memory.* None. *Limits.*
//! Crawlers that store the body unchunked often keep the header: so if the first chunk header is
//! none, the body stands as it is. A later one that is none ends the chunks, and what follows is
//! kept as it is. Other crawlers keep the chunks without the header: a body is in chunks if nothing
//! but chunks is in it.

/// The first chunk header is invalid: the body was never chunked.
pub(crate) const LIED: &str = "chunked-header-lied";
/// The body was in chunks, and no header said so.
pub const UNDECLARED: &str = "chunked-undeclared";
/// The body ends before its last chunk.
pub const TRUNCATED: &str = "chunked-truncated";
/// A later chunk header is invalid; the rest is kept as it stands.
pub(crate) const DAMAGED: &str = "chunked-damaged";

/// Longest chunk header with extensions.
const MAX_HEADER_BYTES: usize = 4096;
/// No chunk of a page is larger; a larger size is a lie.
const MAX_CHUNK_BYTES: u64 = 1 << 40;

enum ChunkLine {
    /// Size of the chunk, and bytes of the header.
    Chunk(u64, usize),
    Invalid,
    /// The body ends inside it.
    Cut,
}

/// Undoes the coding in place; gives the bytes of the body now and what was wrong.
pub fn undo(body: &mut [u8]) -> (usize, Option<&'static str>) {
    let (mut from, mut to) = (0, 0);
    loop {
        match parse_header(&body[from..]) {
            ChunkLine::Chunk(0, _) => return (to, None),
            ChunkLine::Chunk(size, header) => {
                from += header;
                let left = (body.len() - from) as u64;
                let length = size.min(left) as usize;
                body.copy_within(from..from + length, to);
                (from, to) = (from + length, to + length);
                if size >= left {
                    return (to, Some(TRUNCATED));
                }
                from += match body[from..] {
                    [b'\r', b'\n', ..] => 2,
                    [b'\n', ..] => 1,
                    _ => 0,
                };
            }
            ChunkLine::Cut if from > 0 => return (to, Some(TRUNCATED)),
            ChunkLine::Invalid if from > 0 => {
                let rest = body.len() - from;
                body.copy_within(from.., to);
                return (to + rest, Some(DAMAGED));
            }
            ChunkLine::Cut | ChunkLine::Invalid => return (body.len(), Some(LIED)),
        }
    }
}

/// Whether the body is chunks from its beginning to the last one, which is empty, and at least one
/// is not.
pub fn is_complete(body: &[u8]) -> bool {
    let mut from = 0;
    loop {
        let ChunkLine::Chunk(size, header) = parse_header(&body[from..]) else {
            return false;
        };
        if size == 0 {
            return from > 0;
        }
        from += header;
        let behind = usize::try_from(size)
            .ok()
            .and_then(|size| body.get(from + size..));
        match behind {
            Some([b'\r', b'\n', ..]) => from += size as usize + 2,
            _ => return false,
        }
    }
}

fn parse_header(bytes: &[u8]) -> ChunkLine {
    let searched = &bytes[..bytes.len().min(MAX_HEADER_BYTES)];
    let digits = searched
        .iter()
        .take_while(|byte| byte.is_ascii_hexdigit())
        .count();
    let size = searched[..digits].iter().try_fold(0u64, |size, &digit| {
        let value = (digit as char).to_digit(16)?;
        size.checked_mul(16)?
            .checked_add(u64::from(value))
            .filter(|&size| size <= MAX_CHUNK_BYTES)
    });
    let Some(size) = size else {
        return ChunkLine::Invalid;
    };
    let Some(line) = memchr::memchr(b'\n', searched) else {
        let cut =
            searched.len() == bytes.len() && (digits > 0 || bytes.is_empty() || bytes == b"\r");
        return if cut {
            ChunkLine::Cut
        } else {
            ChunkLine::Invalid
        };
    };
    let extension = searched[digits..line.max(digits)].trim_ascii();
    if digits == 0 || !(extension.is_empty() || extension.starts_with(b";")) {
        return ChunkLine::Invalid;
    }
    ChunkLine::Chunk(size, line + 1)
}
