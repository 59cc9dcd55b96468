//! Decides whether a record is read, skipped or rejected, by its header and the beginning of its
//! block.

use decode::http::{self, HTML, Head, MediaType, TEXT, XHTML};

use super::header::RecordHeader;

/// The decision about a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// It is no page by its type; counted under this name.
    Skip(String),
    /// It is not used: reason and detail.
    Reject(&'static str, String),
    /// Its body is read.
    Read(Body),
    /// Its body is that of another record.
    Revisit,
}

/// Where the body is in the block, and how it is coded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Body {
    /// Bytes of the block before it.
    pub(crate) head_bytes: usize,
    /// Its type, if declared.
    pub(crate) media_type: Option<MediaType>,
    /// In chunks.
    pub(crate) chunked: bool,
    /// Content codings, in the order they were applied.
    pub(crate) codings: Vec<String>,
}

/// Judges a record; `block` may be cut after [`http::MAX_HEAD_BYTES`].
pub(crate) fn judge(header: &RecordHeader, block: &[u8]) -> Verdict {
    match &*header.kind {
        "response" if !is_web(header) => Verdict::Skip("response, not http".to_owned()),
        "response" => response(block),
        "resource" => by_type(Body {
            media_type: header.media_type.clone(),
            ..Body::default()
        }),
        "conversion" => by_type(conversion(header)),
        "revisit" if !is_web(header) => Verdict::Skip("revisit, not http".to_owned()),
        "revisit" => revisit(block),
        "" => Verdict::Reject("bad-warc-header", "the header has no WARC-Type".to_owned()),
        kind => Verdict::Skip(kind.to_owned()),
    }
}

/// Crawlers record name lookups and the like as responses, too.
fn is_web(header: &RecordHeader) -> bool {
    let colon = |url: &str| memchr::memchr(b':', url.as_bytes());
    header
        .url
        .as_deref()
        .is_none_or(|url| match colon(url).map(|at| &url[..at]) {
            Some("http" | "https") => true,
            Some(scheme)
                if scheme
                    .bytes()
                    .all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte)) =>
            {
                scheme.eq_ignore_ascii_case("http")
                    || scheme.eq_ignore_ascii_case("https")
                    || scheme.contains('.')
            }
            _ => true,
        })
}

fn response(block: &[u8]) -> Verdict {
    let Some(head) = http::parse_head(block) else {
        let reason = if block.is_empty() {
            "empty"
        } else {
            "not-http"
        };
        return Verdict::Reject(reason, String::new());
    };
    let Head {
        status,
        bytes,
        media_type,
        chunked,
        codings,
    } = head;
    if status != 200 {
        return Verdict::Reject("http-status", status.to_string());
    }
    by_type(Body {
        head_bytes: bytes,
        media_type,
        chunked,
        codings,
    })
}

/// The head, if one was recorded, may say that this is no page: an error page, an image that is as
/// it was.
fn revisit(block: &[u8]) -> Verdict {
    match http::parse_head(block) {
        Some(head) if head.status != 200 && head.status != 304 => {
            Verdict::Reject("http-status", head.status.to_string())
        }
        Some(Head { media_type, .. }) => match by_type(Body {
            media_type,
            ..Body::default()
        }) {
            Verdict::Read(_) => Verdict::Revisit,
            verdict => verdict,
        },
        None => Verdict::Revisit,
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

fn by_type(body: Body) -> Verdict {
    match body
        .media_type
        .as_ref()
        .map(|media_type| &*media_type.essence)
    {
        None | Some(HTML | XHTML | TEXT) => Verdict::Read(body),
        Some(other) => Verdict::Reject("media-type", other.chars().take(100).collect()),
    }
}
