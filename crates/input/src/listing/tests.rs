//! Listing: order, links, what is no file, and formats by content.

mod recorded;

use std::fs;
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use proptest::prelude::*;

use super::*;
use decode::options::Format;

fn tree(files: &[(&str, &[u8])]) -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    for (name, content) in files {
        let path = directory.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
    directory
}

fn list(base: &Path, paths: &[&str]) -> Result<Listing, InputError> {
    let paths = paths.iter().map(|path| (*path).to_owned()).collect();
    discover(&Discovery::of_all(paths, base.to_owned()))
}

fn names(listing: &Listing) -> Vec<&str> {
    listing
        .files
        .iter()
        .map(|file| file.name.as_str())
        .collect()
}

fn reasons(listing: &Listing) -> Vec<(&str, &str)> {
    listing
        .rejected
        .iter()
        .map(|file| (file.name.as_str(), file.reason))
        .collect()
}

fn gzip(content: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}

const PAGE: &[u8] = b"<!DOCTYPE html><title>x</title>";

#[test]
fn files_come_in_byte_order_of_their_relative_paths() {
    let root = tree(&[
        ("w/b/x.html", PAGE),
        ("w/b-a/x.html", PAGE),
        ("w/a.html", PAGE),
        ("w/B.html", PAGE),
        ("w/b.html", PAGE),
    ]);
    let listing = list(root.path(), &["w"]).unwrap();
    assert_eq!(
        names(&listing),
        ["B.html", "a.html", "b-a/x.html", "b.html", "b/x.html"]
    );
    assert_eq!(names(&list(root.path(), &["w/"]).unwrap()), names(&listing));
    let globbed = list(root.path(), &["w/**/*.html"]).unwrap();
    assert_eq!(names(&globbed), names(&listing));
}

#[test]
fn roots_decide_names_and_break_ties() {
    let root = tree(&[
        ("one/p.html", PAGE),
        ("two/p.html", PAGE),
        ("two/q/a.html", PAGE),
    ]);
    let listing = list(root.path(), &["two", "one", "two/q/a.html"]).unwrap();
    // By its second pattern a.html is named relative to two/q, and that name comes first.
    assert_eq!(names(&listing), ["a.html", "p.html", "p.html"]);
    assert!(listing.files[1].path.ends_with("two/p.html"));
    assert!(listing.files[2].path.ends_with("one/p.html"));
}

#[test]
fn globs_stay_within_a_name_unless_doubled() {
    let root = tree(&[
        ("w/a.html", PAGE),
        ("w/s/b.html", PAGE),
        ("w/s/!x.txt", PAGE),
        ("w/s/t/c.html", PAGE),
        ("w/d.htm", PAGE),
    ]);
    let of = |pattern| list(root.path(), &[pattern]).map(|listing| names(&listing).join(" "));
    assert_eq!(of("w/*.html").unwrap(), "a.html");
    assert_eq!(of("w/*/*.html").unwrap(), "s/b.html");
    assert_eq!(of("w/**/*.html").unwrap(), "a.html s/b.html s/t/c.html");
    assert_eq!(
        of("w/**/?.htm{l,}").unwrap(),
        "a.html d.htm s/b.html s/t/c.html"
    );
    assert_eq!(of("w/[a-b].html").unwrap(), "a.html");
    assert_eq!(of("w/s/[!a].html").unwrap(), "b.html");
    assert_eq!(of("w/s/!?.txt").unwrap(), "!x.txt");
    assert_eq!(of("*/s/t/*").unwrap(), "w/s/t/c.html");
    assert_eq!(of("w/{s,x/y}/**").unwrap(), "s/!x.txt s/b.html s/t/c.html");
    assert_eq!(of("w/**/s/t/c.htm?").unwrap(), "s/t/c.html");
    assert!(
        matches!(of("w/**/t*"), Err(InputError::NothingMatches { .. })),
        "t is a directory"
    );
    assert!(matches!(
        of("w/*.pdf"),
        Err(InputError::NothingMatches { .. })
    ));
    assert!(matches!(
        of("nosuch/*.html"),
        Err(InputError::NothingMatches { .. })
    ));
    assert!(matches!(of("w/[a"), Err(InputError::BadPattern { .. })));
    assert!(matches!(of(""), Err(InputError::BadPattern { .. })));
    assert!(matches!(
        of("/dev/null"),
        Err(InputError::BadPattern { .. })
    ));
}

#[test]
fn a_path_that_exists_is_never_a_glob() {
    let root = tree(&[("a[1].html", PAGE), ("a1.html", PAGE)]);
    assert_eq!(
        names(&list(root.path(), &["a[1].html"]).unwrap()),
        ["a[1].html"]
    );
}

#[test]
fn a_named_file_has_to_exist_and_an_empty_directory_matches_nothing() {
    let root = tree(&[("w/.git/config", b"x")]);
    let error = list(root.path(), &["nosuch.warc.gz"]).unwrap_err();
    assert!(matches!(&error, InputError::Missing { pattern, .. } if pattern == "nosuch.warc.gz"));
    assert!(error.to_string().contains("nosuch.warc.gz"));
    assert!(matches!(
        list(root.path(), &["w"]),
        Err(InputError::NothingMatches { .. })
    ));
    assert!(matches!(
        list(root.path(), &["@nosuch.txt"]),
        Err(InputError::Missing { .. })
    ));
}

#[test]
fn a_file_met_twice_is_read_once() {
    let root = tree(&[("w/a.html", PAGE), ("w/b.html", b"<html>b")]);
    fs::hard_link(root.path().join("w/a.html"), root.path().join("w/z.html")).unwrap();
    symlink(root.path().join("w/b.html"), root.path().join("link.html")).unwrap();
    let listing = list(
        root.path(),
        &["w/*.html", "w", "w/a.html", "link.html", "w/../w/b.html"],
    )
    .unwrap();
    assert_eq!(names(&listing), ["a.html", "b.html"]);
    let told = "3 links to files that are read: \"b.html\" is \"b.html\", \"link.html\" is \"b.html\", \"z.html\" is \"a.html\"";
    assert_eq!(listing.linked.to_string(), told);
    assert_eq!(
        list(root.path(), &["w", "w/*.html"]).unwrap().linked.count,
        1
    );
}

#[test]
fn lists_name_files_relative_to_themselves() {
    let content = "\u{feff}# two\n\ncrawl/b.html\r\n  crawl/a.html  \n";
    let root = tree(&[
        ("l/crawl/a.html", PAGE),
        ("l/crawl/b.html", b"<html>b"),
        ("l/paths.txt", content.as_bytes()),
    ]);
    let listing = list(root.path(), &["@l/paths.txt"]).unwrap();
    assert_eq!(names(&listing), ["crawl/a.html", "crawl/b.html"]);
    fs::write(root.path().join("l/paths.gz"), gzip(content.as_bytes())).unwrap();
    assert_eq!(list(root.path(), &["@l/paths.gz"]).unwrap(), listing);

    for (line, word) in [
        ("crawl/c.html", "relative to"),
        ("crawl", "not a regular file"),
        ("https://x.org/a", "network"),
    ] {
        fs::write(
            root.path().join("l/bad.txt"),
            format!("crawl/a.html\n# x\n{line}\n"),
        )
        .unwrap();
        let error = list(root.path(), &["@l/bad.txt"]).unwrap_err();
        assert!(
            matches!(&error, InputError::ListEntry { line: 3, .. }),
            "{error}"
        );
        let text = error.to_string();
        assert!(
            text.contains(word) && text.contains("l/bad.txt") && text.contains("line 3"),
            "{text}"
        );
    }
    fs::write(root.path().join("l/long.txt"), vec![b'x'; 70_000]).unwrap();
    assert!(
        list(root.path(), &["@l/long.txt"])
            .unwrap_err()
            .to_string()
            .contains("64 KiB")
    );
}

/// Items 51 and 67: loops, links out of the root, FIFOs, sockets, odd names, depth, case twins.
#[test]
fn a_hostile_tree_is_listed_without_following_or_blocking() {
    let root = tree(&[
        ("w/a.html", PAGE),
        ("w/A.html", PAGE),
        ("w/.git/HEAD", b"ref"),
        ("w/.hidden.html", PAGE),
        ("w/new\nline.html", PAGE),
    ]);
    let w = root.path().join("w");
    symlink(&w, w.join("loop")).unwrap();
    symlink("/etc/passwd", w.join("outside.html")).unwrap();
    symlink("nowhere", w.join("dangling")).unwrap();
    assert!(
        Command::new("mkfifo")
            .arg(w.join("fifo.html"))
            .status()
            .unwrap()
            .success()
    );
    let _socket = std::os::unix::net::UnixListener::bind(w.join("socket")).unwrap();
    let odd = w.join(std::ffi::OsStr::from_bytes(b"caf\xe9.html"));
    fs::write(&odd, PAGE).unwrap();
    fs::write(w.join(format!("{}.html", "n".repeat(250))), PAGE).unwrap();
    let deep: PathBuf = std::iter::repeat_n("d", 200).collect();
    fs::create_dir_all(w.join(&deep)).unwrap();
    fs::write(w.join(&deep).join("x.html"), PAGE).unwrap();

    let listing = list(root.path(), &["w"]).unwrap();
    let names = names(&listing);
    assert_eq!(names.len(), 7, "{names:?}");
    assert_eq!(names[..2], [".hidden.html", "A.html"]);
    assert!(names.contains(&"caf\\xE9.html") && names.contains(&"new\nline.html"));
    assert!(
        names
            .iter()
            .any(|name| name.len() == 200 * 2 + "x.html".len())
    );
    let expected = [
        ("dangling", "symlink"),
        ("fifo.html", "not-a-file"),
        ("loop", "symlink"),
        ("outside.html", "symlink"),
        ("socket", "not-a-file"),
    ];
    assert_eq!(reasons(&listing), expected);
    assert_eq!(
        reasons(&list(root.path(), &["w", "w/**"]).unwrap()),
        expected,
        "each is refused once"
    );
}

#[test]
fn formats_are_found_by_content_then_by_name() {
    let object = br#"{"text":"a"}"#;
    let long_line = [br#"{"text":""#.as_slice(), "é".repeat(20_000).as_bytes()].concat();
    let utf16: Vec<u8> = "\u{feff}<html>"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    let root = tree(&[
        ("a.bin", b"WARC/1.0\r\n"),
        ("b.txt", &gzip(b"WARC/1.1\r\n")),
        ("c.gz", b"WARC/1.0\r\n"),
        (
            "d.warc.zst",
            &[0x5d, 0x2a, 0x4d, 0x18, 4, 0, 0, 0, 1, 2, 3, 4],
        ),
        ("e", b"PAR1...."),
        ("f.dat", object),
        ("g.jsonl.gz", &gzip(&long_line)),
        ("h", b"\xef\xbb\xbf\n {\"a\":1}\n{"),
        ("i.jsonl", b"not json\n"),
        ("j.html.gz", &gzip(PAGE)),
        ("k.php", b"<!-- x -->\n <?xml version='1.0'?>\n<HTML>"),
        ("l.htm", b"plain"),
        ("m", &utf16),
        ("n.txt", b"\xff\xfe\x41\x42 not utf-8"),
        ("o", "Grüße".as_bytes()),
        ("p.md", b"<!-- c --> # title"),
        ("q", b"WARC/1.0\r\nWARC-Type: response\r\n"),
        ("r", b"WARC/1.0\r\nis a version line"),
        (
            "s",
            &gzip(b"filedesc://a.arc 0.0.0.0 20050101000000 text/plain 9\n"),
        ),
        ("t.arc", b"no record"),
        ("t.wacz", b"PK\x03\x04"),
        ("u", b"WARC/1.0\r\r\nWARC-Type: response\r\r\n"),
    ]);
    let listing = list(root.path(), &["."]).unwrap();
    let formats: Vec<Format> = listing.files.iter().map(|file| file.format).collect();
    use Format::{Arc, Html, Jsonl, Parquet, Text, Wacz, Warc};
    let expected = [
        Warc, Warc, Warc, Warc, Parquet, Jsonl, Jsonl, Jsonl, Jsonl, Html, Html, Html, Html, Text,
        Text, Text, Warc, Text, Arc, Arc, Wacz, Warc,
    ];
    assert_eq!(
        formats,
        expected,
        "{:?} {:?}",
        names(&listing),
        listing.rejected
    );
}

/// Items 2, 32, 42, 44: files without anything to read, each with its reason.
#[test]
fn what_cannot_be_read_says_why() {
    let utf16: Vec<u8> = "\u{feff}{\"text\":\"a\"}"
        .encode_utf16()
        .flat_map(u16::to_be_bytes)
        .collect();
    let root = tree(&[
        ("a.html", b""),
        ("b.gz", &gzip(b"")),
        ("c.json", b" [\n{\"text\":\"a\"}]"),
        ("d.jsonl", &utf16),
        ("e.jsonl", b"{\0\"\0"),
        ("f.png", b"\x89PNG\r\n\x1a\n\0"),
        ("g.css", b"body { color: red }"),
        ("h.json", b"{\n \"a\": 1\n}"),
        ("i.gz", b"\x1f\x8bxx"),
    ]);
    let listing = list(root.path(), &["."]).unwrap();
    let expected = [
        ("a.html", "empty-file"),
        ("b.gz", "empty-file"),
        ("c.json", "json-array"),
        ("d.jsonl", "utf-16"),
        ("e.jsonl", "utf-16"),
        ("f.png", "not-a-page"),
        ("g.css", "not-a-page"),
        ("h.json", "unknown-format"),
        ("i.gz", "unknown-format"),
    ];
    assert_eq!(reasons(&listing), expected);
    assert!(
        listing
            .rejected
            .iter()
            .all(|file| file.reason == "empty-file" || !file.detail.is_empty())
    );

    let only = |format| {
        let discovery = Discovery {
            paths: vec![".".to_owned()],
            base: root.path().to_owned(),
            format: FormatChoice::Only(format),
            sources: Vec::new(),
            passed_over: Default::default(),
        };
        discover(&discovery).unwrap()
    };
    let jsonl = only(Format::Jsonl);
    assert_eq!(reasons(&jsonl)[..5], expected[..5]);
    assert_eq!(names(&only(Format::Html)).len(), 8);
}

#[test]
fn a_file_that_cannot_be_opened_is_refused() {
    let root = tree(&[("w/a.html", PAGE)]);
    let gone = format_of_missing(&root.path().join("w/b.html"));
    assert_eq!(gone, "unreadable");
}

fn format_of_missing(path: &Path) -> &'static str {
    sniff::format_of(path, 10, FormatChoice::Auto, false)
        .unwrap()
        .unwrap_err()
        .0
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// The order in which files were made, and so in which the directory lists them, does not
    /// matter; nor that of patterns with the same root.
    #[test]
    fn order_does_not_depend_on_the_directory(
        mut names in prop::collection::btree_set("[a-c./-]{1,6}", 1..20).prop_map(|set| set.into_iter().collect::<Vec<_>>()),
        seed in any::<u64>(),
    ) {
        names = names.iter().map(|name| name.split('/').map(|part| format!("x{part}")).collect::<Vec<_>>().join("/")).collect();
        let make = |names: &[String]| {
            let root = tempfile::tempdir().unwrap();
            let mut made = Vec::new();
            for name in names {
                let path = root.path().join(name);
                // A name may be a file here and a directory there: the first one made would win, so
                // such names are left out.
                if names.iter().any(|other| other.starts_with(&format!("{name}/"))) {
                    continue;
                }
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(&path, PAGE).unwrap();
                made.push(name.clone());
            }
            (root, made)
        };
        let (first, mut made) = make(&names);
        let at = (seed % names.len() as u64) as usize;
        names.rotate_left(at);
        names.reverse();
        let (second, _) = make(&names);
        let (a, b) = (list(first.path(), &["."]).unwrap(), list(second.path(), &["**", "."]).unwrap());
        made.sort_unstable();
        prop_assert_eq!(a.files.iter().map(|file| file.name.clone()).collect::<Vec<_>>(), made.clone());
        prop_assert_eq!(b.files.iter().map(|file| file.name.clone()).collect::<Vec<_>>(), made);
    }
}

#[test]
fn a_named_file_is_no_pattern_and_may_be_text_of_any_charset() {
    let odd = std::ffi::OsStr::from_bytes(b"@\xff[x]*");
    let root = tree(&[
        ("[a].html", PAGE),
        ("latin", b"Gr\xfc\xdfe"),
        ("bin", b"\x89PNG\r\n\x1a\n\0"),
        ("none", b""),
    ]);
    fs::write(root.path().join(odd), b"WARC/1.0 is how a record begins").unwrap();
    let format = |name: &std::ffi::OsStr| {
        let found = discover_file(&root.path().join(name), FormatChoice::Auto).unwrap();
        found
            .map(|file| (file.name, file.format))
            .map_err(|rejection| rejection.reason)
    };
    assert_eq!(
        format("[a].html".as_ref()),
        Ok(("[a].html".to_owned(), Format::Html))
    );
    assert_eq!(
        format("latin".as_ref()),
        Ok(("latin".to_owned(), Format::Text))
    );
    assert_eq!(format(odd), Ok(("@\\xFF[x]*".to_owned(), Format::Text)));
    assert_eq!(format("bin".as_ref()), Err("unknown-format"));
    assert_eq!(format("none".as_ref()), Err("empty-file"));
    for name in ["not there", "."] {
        let refused = discover_file(&root.path().join(name), FormatChoice::Auto).unwrap_err();
        assert!(matches!(refused, InputError::Io { .. }), "{refused}");
    }
}

/// Files that are often found beside crawls, each with what to do.
#[test]
fn formats_that_are_not_read_say_what_to_do_first() {
    let mut tar = vec![0; 600];
    tar[..5].copy_from_slice(b"a.txt");
    tar[257..262].copy_from_slice(b"ustar");
    let zip = b"PK\x03\x04\x14\0\0\0\0\0";
    let epub = [&zip[..], &[0; 20], b"mimetypeapplication/epub+zip"].concat();
    let sitemap = b"<?xml version=\"1.0\"?>\n<!-- x -->\n<urlset xmlns=\"x\"><url>";
    let root = tree(&[
        ("a.tar", &tar),
        ("b.tgz", &gzip(&tar)),
        ("c.zip", zip),
        ("d.epub", &epub),
        ("e.warc.xz", b"\xfd7zXZ\0\0\x04"),
        ("f.warc.bz2", b"BZh91AY&SY\x01"),
        ("g.warc.lz4", b"\x04\x22\x4d\x18\x64"),
        ("h.7z", b"7z\xbc\xaf\x27\x1c\0\x04"),
        ("i.pdf", b"%PDF-1.7\n%\xe2"),
        ("j.csv", b"url,text\nhttp://a/,words\n"),
        ("k.xml", sitemap),
        ("l.xml.gz", &gzip(b"<sitemapindex>")),
        ("m.mhtml", b"From: <Saved by Blink>\r\nSnapshot-"),
    ]);
    let listing = list(root.path(), &["."]).unwrap();
    assert!(listing.files.is_empty());
    let told: Vec<&str> = listing
        .rejected
        .iter()
        .map(|file| {
            assert_eq!(file.reason, "unsupported-format");
            &*file.detail
        })
        .collect();
    for (told, expected) in told.iter().zip([
        "tar -xf",
        "tar -xf",
        "unzip",
        "XHTML",
        "xz -d",
        "bunzip2",
        "lz4 -d",
        "7z x",
        "pdftotext",
        "duckdb",
        "sitemap",
        "sitemap",
        "MHTML",
    ]) {
        assert!(told.contains(expected), "{told}, not {expected}");
    }
    assert_eq!(told.len(), 13);
    // Words that are only near to these.
    let text = tree(&[("a", b"BZh and PK"), ("b.txt", b"<urlsets>")]);
    assert_eq!(list(text.path(), &["."]).unwrap().files.len(), 2);
}

#[test]
fn urls_are_not_paths() {
    let root = tree(&[("a.html", PAGE)]);
    for url in [
        "https://a.example/x.warc.gz",
        "s3://bucket/*.warc.gz",
        "@https://a.example/warc.paths.gz",
        "file:///a.html",
    ] {
        let refused = list(root.path(), &[url]).unwrap_err();
        assert!(matches!(refused, InputError::NotLocal { .. }), "{refused}");
        assert!(refused.to_string().contains("copy the files"), "{refused}");
    }
    for path in ["a://b", "x y://b", "://"] {
        let refused = list(root.path(), &[path]);
        let is_url = matches!(refused, Err(InputError::NotLocal { .. }));
        assert_eq!(is_url, path == "a://b", "{path}");
    }
    fs::create_dir_all(root.path().join("s3:/bucket")).unwrap();
    fs::write(root.path().join("s3:/bucket/b.html"), PAGE).unwrap();
    assert_eq!(list(root.path(), &["s3://bucket"]).unwrap().files.len(), 1);
}

/// Content that changed without any figure changing shows who was asked: the memory or the file.
#[test]
fn what_is_remembered_is_not_looked_into_again() {
    let root = tree(&[
        ("a.txt", b"words"),
        ("b.bin", &[0, 1, 2]),
        ("c.html", b"<html>x"),
    ]);
    let discovery = Discovery::of_all(vec![".".to_owned()], root.path().to_owned());
    let first = discover(&discovery).unwrap();
    assert_eq!(names(&first), ["a.txt", "c.html"]);
    let [rejected] = &first.rejected[..] else {
        panic!("{:?}", first.rejected)
    };
    assert_eq!(
        (rejected.name.as_str(), rejected.reason),
        ("b.bin", "unknown-format")
    );
    assert_eq!(rejected.stat.unwrap().bytes, 3);

    let asked = std::cell::RefCell::new(Vec::new());
    let again = discover_again(&discovery, &|name, stat| {
        asked
            .borrow_mut()
            .push((name.to_owned(), stat.bytes, stat.inode));
        match name {
            "a.txt" => Some(Ok(Format::Jsonl)),
            "b.bin" => Some(Err(("json-array", "as before".to_owned()))),
            _ => None,
        }
    });
    let again = again.unwrap();
    assert_eq!(
        again
            .files
            .iter()
            .map(|file| file.format)
            .collect::<Vec<_>>(),
        [Format::Jsonl, Format::Html]
    );
    assert_eq!(reasons(&again), [("b.bin", "json-array")]);
    assert_eq!(again.rejected[0].detail, "as before");
    assert_eq!(again.rejected[0].stat, rejected.stat);
    let asked = asked.into_inner();
    assert_eq!(asked.len(), 3);
    assert_eq!(asked[0], ("a.txt".to_owned(), 5, first.files[0].stat.inode));
}
