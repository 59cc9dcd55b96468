//! Files that were listed are looked at again.

use crate::listing::{Discovery, discover};
use model::FileStat;
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
        let discovery = Discovery::of_all(paths, dir.path().to_owned());
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
            file.stat = FileStat {
                bytes: file.stat.bytes,
                ..FileStat::default()
            };
            assert_eq!(file.look_again(), None);
            assert_eq!(*file, before);
        }
    }
    let discovery = Discovery::of_all(vec!["a".into()], dir.path().to_owned());
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
        "has 10 bytes, but had 6 when it was added",
        "is gone",
        "is not a regular file any more",
    ];
    assert_eq!(told, expected);
    assert_eq!(files[0].stat.bytes, 6);
}
