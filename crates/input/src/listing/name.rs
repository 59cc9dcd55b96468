//! Names of files: the path below the root, as text, and the extension.

use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// The part of `path` from byte `name_start` on.
pub(super) fn name_of(path: &Path, name_start: usize) -> &std::ffi::OsStr {
    std::ffi::OsStr::from_bytes(
        path.as_os_str()
            .as_bytes()
            .get(name_start..)
            .unwrap_or_default(),
    )
}

/// A path as text: bytes that are no UTF-8 are written `\xNN`.
pub(super) fn text_of(name: &[u8]) -> String {
    if let Ok(text) = std::str::from_utf8(name) {
        return text.to_owned();
    }
    let mut text = String::with_capacity(name.len());
    for chunk in name.utf8_chunks() {
        text.push_str(chunk.valid());
        for byte in chunk.invalid() {
            text.push_str(&format!("\\x{byte:02X}"));
        }
    }
    text
}

/// The extension of `path` in lowercase, after `.gz` and `.zst` are taken off.
pub(crate) fn extension(path: &Path) -> String {
    let name = path
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .to_ascii_lowercase();
    let name = name
        .strip_suffix(".gz")
        .or_else(|| name.strip_suffix(".zst"))
        .unwrap_or(&name);
    match name.rsplit_once('.') {
        Some((stem, extension)) if !stem.is_empty() => extension.to_owned(),
        _ => String::new(),
    }
}
