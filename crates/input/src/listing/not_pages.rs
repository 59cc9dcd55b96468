//! Files of a site that are not pages, by their names.

use std::path::Path;

/// Why a listing leaves out a file that is not a page by its name. Its detail is the kind of the
/// file: such files are counted by kind, and are not rejected.
pub const NOT_A_PAGE: &str = "not-a-page";

/// Extensions of files that are not pages: texts for programs, pictures, fonts, sounds, films, and
/// the indexes and logs that crawlers write beside their archives.
const EXTENSIONS: &[&str] = &[
    "atom",
    "avi",
    "avif",
    "bmp",
    "cdx",
    "cdxj",
    "css",
    "eot",
    "gif",
    "ico",
    "ini",
    "jpeg",
    "jpg",
    "js",
    "log",
    "map",
    "mjs",
    "mov",
    "mp3",
    "mp4",
    "ogg",
    "otf",
    "png",
    "rss",
    "svg",
    "swf",
    "tif",
    "tiff",
    "toml",
    "ttf",
    "wasm",
    "wav",
    "webm",
    "webmanifest",
    "webp",
    "woff",
    "woff2",
    "xml",
    "xsl",
    "yaml",
    "yml",
];

/// Whether files with this extension, in lowercase, are not pages.
pub(super) fn is_extension(extension: &str) -> bool {
    EXTENSIONS.binary_search(&extension).is_ok()
}

/// Whether a file has the rules for crawlers of a site.
pub(super) fn is_robots_txt(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name == "robots.txt")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extensions_are_in_order() {
        assert!(EXTENSIONS.is_sorted());
        assert!(
            is_extension("atom")
                && is_extension("cdx")
                && is_extension("css")
                && is_extension("yml")
        );
        assert!(!is_extension("html") && !is_extension(""));
    }
}
