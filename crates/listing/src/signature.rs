//! The bytes with which files of a format begin.

/// Whether bytes begin with the version line of a WARC record: `WARC/`, digits, a point, digits,
/// the end of the line.
pub fn is_version_line(bytes: &[u8]) -> bool {
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
