//! Decides whether a record is read, skipped or rejected, by its header and the beginning of its
//! block.
//!
//! *Algorithm.* A record is skipped if it says that it is no page: by its type, its URL, its HTTP
//! status or its media type. It is rejected if it says that it is a page and cannot be read.

use decode::http::{self, Body, HTML, MediaType, TEXT, XHTML};
use decode::record_url as url;

use super::header::{HTTP_MESSAGE, RecordHeader};

/// The statuses of a page: 203 is one that a proxy has changed.
const PAGE_STATUS: [u16; 2] = [200, 203];

/// The decision about a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum RecordVerdict {
    /// It says that it is no page; counted under this name.
    Skip(String),
    /// It is not used: reason and detail.
    Reject(&'static str, String),
    /// Its body is read.
    Read(Body),
    /// Its body is that of another record.
    Revisit,
}

/// Judges a record; `block` may be cut after [`http::MAX_HEAD_BYTES`].
pub(crate) fn judge(header: &RecordHeader, block: &[u8]) -> RecordVerdict {
    let url = header.url.as_deref().unwrap_or_default();
    match &*header.kind {
        "response" | "revisit" if !url::is_web(url) => {
            RecordVerdict::Skip(format!("{}, not http", header.kind))
        }
        "resource" | "conversion" if url::is_of_crawler(url) => {
            RecordVerdict::Skip(format!("{} of the crawler", header.kind))
        }
        "response" | "revisit" | "resource" | "conversion" if url::is_robots_txt(url) => {
            RecordVerdict::Skip("robots.txt".to_owned())
        }
        "response" => response(header, block),
        "resource" => by_type(
            header,
            Body {
                media_type: header.media_type.clone(),
                ..Body::default()
            },
        ),
        "conversion" => by_type(header, conversion(header)),
        "revisit" => revisit(header, block),
        "" => RecordVerdict::Reject("bad-warc-header", "the header has no WARC-Type".to_owned()),
        kind => RecordVerdict::Skip(kind.to_owned()),
    }
}

fn response(header: &RecordHeader, block: &[u8]) -> RecordVerdict {
    match http::parse_head(block) {
        None => response_without_head(header, block),
        Some((status, _)) if !PAGE_STATUS.contains(&status) => other_status(status),
        Some((_, body)) => by_type(header, body),
    }
}

/// The block may be the page itself, if the record says of which type it is.
fn response_without_head(header: &RecordHeader, block: &[u8]) -> RecordVerdict {
    let declared = header.media_type.as_ref().or(header.identified.as_ref());
    match declared.filter(|declared| declared.essence != HTTP_MESSAGE) {
        _ if block.is_empty() => RecordVerdict::Reject("empty", String::new()),
        None => RecordVerdict::Reject("not-http", String::new()),
        media_type => by_type(
            header,
            Body {
                media_type: media_type.cloned(),
                ..Body::default()
            },
        ),
    }
}

/// An error page, a redirect, a part of a page.
fn other_status(status: u16) -> RecordVerdict {
    RecordVerdict::Skip(format!("http status {status:03}"))
}

/// The head, if one was recorded, may say that this is no page: an error page, an image that is as
/// it was.
fn revisit(header: &RecordHeader, block: &[u8]) -> RecordVerdict {
    match http::parse_head(block) {
        Some((status, _)) if !PAGE_STATUS.contains(&status) && status != 304 => {
            other_status(status)
        }
        Some((_, body)) => match by_type(header, body) {
            RecordVerdict::Read(_) => RecordVerdict::Revisit,
            verdict => verdict,
        },
        None => RecordVerdict::Revisit,
    }
}

/// Extracted text is UTF-8 unless it says otherwise.
fn conversion(header: &RecordHeader) -> Body {
    let mut media_type = header
        .media_type
        .clone()
        .unwrap_or_else(|| MediaType::parse(TEXT));
    media_type.charset.get_or_insert_with(|| "utf-8".to_owned());
    Body {
        media_type: Some(media_type),
        ..Body::default()
    }
}

/// A type that is none may have been meant as that of a page, so it is a rejection. Where the
/// header of the body says no type or no charset, the one that the crawler identified counts.
fn by_type(header: &RecordHeader, mut body: Body) -> RecordVerdict {
    if let Some(identified) = &header.identified {
        let declared = body.media_type.get_or_insert_with(|| identified.clone());
        if declared.charset.is_none() {
            declared.charset.clone_from(&identified.charset);
        }
    }
    let essence = body.media_type.as_ref().map(|declared| &*declared.essence);
    match essence {
        None | Some(HTML | XHTML | TEXT) => RecordVerdict::Read(body),
        Some(other) if http::is_media_type(other) => RecordVerdict::Skip(other.to_owned()),
        Some(other) => RecordVerdict::Reject("media-type", other.chars().take(100).collect()),
    }
}
