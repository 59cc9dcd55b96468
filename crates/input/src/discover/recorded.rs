//! Files that were listed before: their record, and the check whether it still holds.
//!
//! *Input.* A [`SourceFile`] as it was listed. *Output.* Its root and name, to be kept; later its
//! times and inode as they are now, and what is different. *Algorithm.* One stat a file; the format
//! is not found out again, so nothing is opened.

use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use crate::SourceFile;

/// Every reason for which a listing leaves a file out.
pub const LISTING_REASONS: [&str; 8] = [
    "bad-path",
    "empty-file",
    "json-array",
    "not-a-file",
    "symlink",
    "unknown-format",
    "unreadable",
    "utf-16",
];

impl SourceFile {
    /// Its path in two parts: the root, and the name in bytes as it lies there. Joined they are the
    /// path again.
    pub fn root_and_name(&self) -> (&Path, &[u8]) {
        let path = self.path.as_os_str().as_bytes();
        // Bytes that are no UTF-8 look different in the name, but its separators do not.
        let parts = self.name.matches('/').count() + 1;
        let separators = path
            .iter()
            .enumerate()
            .rev()
            .filter(|(_, byte)| **byte == b'/');
        let start = separators.map(|(at, _)| at + 1).nth(parts - 1).unwrap_or(0);
        let (root, name) = path.split_at(start);
        (Path::new(std::ffi::OsStr::from_bytes(root)), name)
    }

    /// Looks at the file again: times and inode become those of now; size and format stay as they
    /// were. Says what is different, to be read after the name of the file; `None` if nothing is.
    pub fn look_again(&mut self) -> Option<String> {
        let metadata = match fs::metadata(&self.path) {
            Ok(metadata) => metadata,
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
                ) =>
            {
                return Some("is gone".to_owned());
            }
            Err(error) => return Some(format!("cannot be looked at ({error})")),
        };
        if !metadata.is_file() {
            return Some("is no regular file any more".to_owned());
        }
        self.modified_ns =
            i128::from(metadata.mtime()) * 1_000_000_000 + i128::from(metadata.mtime_nsec());
        self.changed_ns =
            i128::from(metadata.ctime()) * 1_000_000_000 + i128::from(metadata.ctime_nsec());
        self.inode = metadata.ino();
        let (now, before) = (metadata.len(), self.bytes);
        (now != before).then(|| format!("has {now} bytes, and had {before} when it was added"))
    }
}

#[cfg(test)]
mod tests {
    use crate::{Discovery, FormatChoice, discover};
    use std::fs;
    use std::os::unix::ffi::OsStrExt;

    #[test]
    fn roots_and_names_are_the_path_again_and_a_change_is_told() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir_all(dir.path().join("a/b")).unwrap();
        let odd = std::ffi::OsStr::from_bytes(b"caf\xe9\\xE9.html");
        for name in [
            "a/x.html".as_ref(),
            "a/b/y.html".as_ref(),
            std::path::Path::new("a").join(odd).as_path(),
        ] {
            fs::write(dir.path().join(name), "<html>").unwrap();
        }
        fs::write(dir.path().join("list"), "a/x.html\na//b/y.html\n").unwrap();
        for (paths, expected) in [
            (
                &["a"][..],
                &[
                    ("a/", &b"b/y.html"[..]),
                    ("a/", b"caf\xe9\\xE9.html"),
                    ("a/", b"x.html"),
                ][..],
            ),
            (&["a/x.html"], &[("a/", b"x.html")]),
            (&["*/*/y.html"], &[("", b"a/b/y.html")]),
            (&["@list"], &[("", b"a//b/y.html"), ("", b"a/x.html")]),
        ] {
            let paths = paths.iter().map(|path| (*path).to_owned()).collect();
            let discovery = Discovery {
                paths,
                base: dir.path().to_owned(),
                format: FormatChoice::Auto,
            };
            let mut listing = discover(&discovery).unwrap();
            let found: Vec<_> = listing
                .files
                .iter()
                .map(|file| file.root_and_name())
                .collect();
            let full: Vec<_> = expected
                .iter()
                .map(|(root, name)| (dir.path().join(root), *name))
                .collect();
            for ((root, name), (full, expected)) in found.iter().zip(&full) {
                assert_eq!((*root, *name), (full.as_path(), *expected));
            }
            assert_eq!(found.len(), full.len());
            for file in &mut listing.files {
                let before = file.clone();
                (file.modified_ns, file.changed_ns, file.inode) = (0, 0, 0);
                assert_eq!(file.look_again(), None);
                assert_eq!(*file, before);
            }
        }
        let discovery = Discovery {
            paths: vec!["a".into()],
            base: dir.path().to_owned(),
            format: FormatChoice::Auto,
        };
        let mut files = discover(&discovery).unwrap().files;
        fs::write(dir.path().join("a/b/y.html"), "<html>more").unwrap();
        fs::remove_file(dir.path().join("a/x.html")).unwrap();
        fs::create_dir(dir.path().join("a/x.html")).unwrap();
        fs::remove_file(dir.path().join("a").join(odd)).unwrap();
        let told: Vec<_> = files
            .iter_mut()
            .map(|file| file.look_again().unwrap())
            .collect();
        let expected = [
            "has 10 bytes, and had 6 when it was added",
            "is gone",
            "is no regular file any more",
        ];
        assert_eq!(told, expected);
        assert_eq!(files[0].bytes, 6);
    }
}
