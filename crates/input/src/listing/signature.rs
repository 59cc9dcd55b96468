//! The bytes with which files of a format begin: of those that are read, and of those that are not
//! but are often found beside them.

/// Why a file is refused whose format is known and not read. The detail says what to do.
pub(super) const UNSUPPORTED: &str = "unsupported-format";

/// Where a signature lies, its bytes, and what to do with such a file.
type Signature = (usize, &'static [u8], &'static str);

/// Formats that are not read.
const UNSUPPORTED_SIGNATURES: [Signature; 15] = [
    (257, b"ustar", "it is a tar archive; unpack it with tar -xf"),
    (30, b"mimetypeapplication/epub+zip", EPUB),
    (0, b"PK\x03\x04", ZIP),
    (0, b"PK\x05\x06", ZIP),
    (
        0,
        b"\xfd7zXZ\0",
        "it is compressed with xz; decompress it with xz -d",
    ),
    (
        4,
        b"1AY&SY",
        "it is compressed with bzip2; decompress it with bunzip2",
    ),
    (
        0,
        b"\x04\x22\x4d\x18",
        "it is compressed with lz4; decompress it with lz4 -d",
    ),
    (
        0,
        b"7z\xbc\xaf\x27\x1c",
        "it is a 7z archive; unpack it with 7z x",
    ),
    (
        0,
        b"Rar!\x1a\x07",
        "it is a RAR archive; unpack it with unrar x",
    ),
    (0, b"%PDF-", "it is PDF; extract its text with pdftotext"),
    (0, b"ARROW1", "it is an Arrow file; convert it to Parquet"),
    (0, b"Obj\x01", "it is an Avro file; convert it to Parquet"),
    (
        0,
        b"SQLite format 3\0",
        "it is an SQLite database; export it as JSONL",
    ),
    (0, b"!<arch>\n", "it is an ar archive; unpack it with ar x"),
    // As browsers write it; a message of e-mail may begin with any header.
    (
        0,
        b"From: <Saved by ",
        "it is MHTML; save the page as HTML instead",
    ),
];
const EPUB: &str = "it is an EPUB book; unpack it with unzip and name its XHTML files";
const ZIP: &str = "it is a zip archive; unpack it with unzip";

/// Whether a zip file is WACZ: by its ending, or by the path of its first file.
pub(super) fn is_wacz(head: &[u8], extension: &str) -> bool {
    let first = head.get(30..).unwrap_or_default();
    let paths: [&[u8]; 2] = [b"archive/", b"datapackage"];
    head.starts_with(b"PK\x03\x04")
        && (extension == "wacz" || paths.iter().any(|path| first.starts_with(path)))
}

/// Advice for a file whose first bytes, after decompression, show that its format is not read.
pub(super) fn unsupported(head: &[u8]) -> Option<&'static str> {
    let is_here =
        |(at, bytes, _): &&Signature| head.get(*at..).is_some_and(|rest| rest.starts_with(bytes));
    let known = UNSUPPORTED_SIGNATURES.iter().find(is_here);
    known
        .filter(|(at, ..)| *at != 4 || head.starts_with(b"BZh"))
        .map(|(_, _, advice)| *advice)
}

/// Whether text begins like a sitemap: XML with the root `urlset` or `sitemapindex`.
pub(super) fn is_sitemap(text: &[u8]) -> bool {
    let mut rest = text.trim_ascii_start();
    while let Some(after) = rest
        .strip_prefix(b"<?")
        .or_else(|| rest.strip_prefix(b"<!--"))
    {
        let Some(end) = memchr::memchr(b'>', after) else {
            return false;
        };
        rest = after[end + 1..].trim_ascii_start();
    }
    let is_root = |root: &&[u8]| {
        rest.strip_prefix(*root)
            .and_then(<[u8]>::first)
            .is_some_and(|byte| *byte == b'>' || byte.is_ascii_whitespace())
    };
    [&b"<urlset"[..], b"<sitemapindex"].iter().any(is_root)
}

/// Whether bytes begin with the version line of a WARC record: `WARC/`, digits, a point, digits,
/// the end of the line.
pub(crate) fn is_version_line(bytes: &[u8]) -> bool {
    let digits = |bytes: &[u8]| {
        bytes
            .iter()
            .take_while(|byte| byte.is_ascii_digit())
            .count()
    };
    let Some(rest) = bytes.strip_prefix(b"WARC/") else {
        return false;
    };
    let major = digits(rest);
    let Some(rest) = rest[major..].strip_prefix(b".") else {
        return false;
    };
    let minor = digits(rest);
    let rest = &rest[minor..];
    let ends: [&[u8]; 3] = [b"\r\n", b"\n", b"\r\r\n"];
    major > 0 && minor > 0 && ends.iter().any(|end| rest.starts_with(end))
}
