//! Pages of a tree: characters, sizes, files that vanish or change.

use std::io::Write;
use std::path::PathBuf;

use crate::tests::collect::{Collected, options, read_in_pieces, read_whole, source};
use crate::{PlaceContent, read_document_at, read_piece};
use decode::{
    document::Place,
    error::InputError,
    options::{Format, Piece, SourceFile},
};
use model::Markup;

fn page(directory: &tempfile::TempDir, name: &str, content: &[u8]) -> SourceFile {
    let path: PathBuf = directory.path().join(name);
    std::fs::write(&path, content).unwrap();
    let format = if name.contains("txt") {
        Format::Text
    } else {
        Format::Html
    };
    source(&path, format)
}

#[test]
fn a_page_has_its_name_as_url() {
    let directory = tempfile::tempdir().unwrap();
    let content = "<p>Grüße</p>".as_bytes();
    let file = SourceFile {
        name: "a/b.html".to_owned(),
        ..page(&directory, "b.html", content)
    };
    let (collected, end) = read_whole(&file, &options(100, &[]));
    let [kept] = &collected.documents[..] else {
        panic!("{collected:?}")
    };
    assert_eq!(
        (kept.url.as_deref(), kept.id.as_deref(), kept.date),
        (Some("a/b.html"), None, None)
    );
    assert_eq!(
        (kept.text.as_str(), kept.markup, kept.media_type.as_str()),
        ("<p>Grüße</p>", Markup::Html, "text/html")
    );
    assert_eq!(
        kept.place,
        Place {
            entry_offset: 0,
            inner_offset: 0,
            length: content.len() as u64
        }
    );
    assert_eq!((end.first, end.next), (Some(0), file.stat.bytes));
    assert_eq!(end.digest, twox_hash::XxHash3_64::oneshot(content));
    assert_eq!(
        read_in_pieces(&file, &[3, 7], &options(100, &[])).unwrap(),
        collected
    );
    let mut text = String::new();
    assert_eq!(
        read_document_at(&file, &kept.place, &options(100, &[]), &mut |d| text =
            d.content.as_str().to_owned())
        .unwrap(),
        PlaceContent::Document
    );
    assert_eq!(text, kept.text);

    let text = read_whole(&page(&directory, "c.txt", b"<p>"), &options(100, &[])).0;
    assert_eq!(
        (
            text.documents[0].markup,
            text.documents[0].media_type.as_str()
        ),
        (Markup::None, "text/plain")
    );
    let xhtml = read_whole(&page(&directory, "c.xhtml", b"<p/>"), &options(100, &[])).0;
    assert_eq!(xhtml.documents[0].media_type, "application/xhtml+xml");
    assert_eq!(xhtml.documents[0].markup, Markup::Xhtml);
}

/// Items 44 and 47: no words, and charsets that contradict each other.
#[test]
fn characters_are_read_by_the_rules_of_browsers() {
    let directory = tempfile::tempdir().unwrap();
    let utf16: Vec<u8> = "\u{feff}<p>é"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    let cases: [(&[u8], &str, &str); 7] = [
        (
            b"<p>caf\xe9 cr\xe8me br\xfbl\xe9e",
            "windows-1252",
            "<p>café crème brûlée",
        ),
        (
            b"<meta charset=iso-8859-5><p>\xb8",
            "ISO-8859-5",
            "<meta charset=iso-8859-5><p>И",
        ),
        (
            b"\xef\xbb\xbf<meta charset=windows-1251><p>\xc3\xa9",
            "UTF-8",
            "<meta charset=windows-1251><p>é",
        ),
        (&utf16, "UTF-16LE", "<p>é"),
        (
            b"<meta charset=utf-16><p>\xc3\xa9",
            "UTF-8",
            "<meta charset=utf-16><p>é",
        ),
        (
            b"<meta charset=x-user-defined>\x80",
            "windows-1252",
            "<meta charset=x-user-defined>€",
        ),
        (b"   ", "UTF-8", "   "),
    ];
    for (content, charset, text) in cases {
        let (collected, _) = read_whole(&page(&directory, "x.html", content), &options(100, &[]));
        assert_eq!(
            (
                collected.documents[0].charset,
                collected.documents[0].text.as_str()
            ),
            (charset, text)
        );
    }
}

#[test]
fn a_compressed_page_is_read_and_a_damaged_one_is_not() {
    let directory = tempfile::tempdir().unwrap();
    let content = "<p>x".repeat(1000);
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(content.as_bytes()).unwrap();
    let mut packed = encoder.finish().unwrap();
    let (collected, _) = read_whole(&page(&directory, "x.html.gz", &packed), &options(4000, &[]));
    assert_eq!(collected.texts(), [content.as_str()]);
    assert_eq!(collected.documents[0].place.length, 4000);
    let too_large = read_whole(&page(&directory, "y.html.gz", &packed), &options(3999, &[])).0;
    assert_eq!(too_large.reasons(), ["too-large"]);
    assert!(
        too_large.rejected[0].detail.contains("or more"),
        "it is not decompressed to its end"
    );
    let end = packed.len() - 6;
    packed[end] ^= 1;
    let damaged = page(&directory, "z.html.gz", &packed);
    let (collected, end) = read_whole(&damaged, &options(4000, &[]));
    assert_eq!(collected.reasons(), ["bad-gzip"]);
    assert_eq!(end.digest, twox_hash::XxHash3_64::oneshot(&packed));
}

#[test]
fn a_large_page_is_refused_but_digested() {
    let directory = tempfile::tempdir().unwrap();
    let file = page(&directory, "x.html", &vec![b'x'; 2_000_000]);
    let (collected, end) = read_whole(&file, &options(1_999_999, &[]));
    assert_eq!(collected.reasons(), ["too-large"]);
    assert_eq!(
        end.digest,
        twox_hash::XxHash3_64::oneshot(&vec![b'x'; 2_000_000])
    );
    let (collected, _) = read_whole(&file, &options(2_000_000, &[]));
    assert_eq!(collected.texts()[0].len(), 2_000_000);
    // Latin-1 letters take two bytes in UTF-8.
    let grown = page(
        &directory,
        "y.html",
        &[b"<meta charset=latin1>".as_slice(), &[0xe9; 100]].concat(),
    );
    assert_eq!(
        read_whole(&grown, &options(150, &[])).0.reasons(),
        ["too-large"]
    );
}

/// Item 51: a page that has vanished, become a FIFO or changed is not read. The caller decides
/// whether that stops a run.
#[test]
fn pages_that_are_no_longer_as_listed() {
    let directory = tempfile::tempdir().unwrap();
    let file = page(&directory, "x.html", b"<p>1");
    let piece = Piece::whole(0, 4);
    let read = || {
        let mut collected = Collected::default();
        let result = read_piece(&file, &piece, None, &options(10, &[]), &mut collected);
        assert!(collected.rejected.is_empty());
        result.unwrap_err()
    };
    let is_unopened = |error: &InputError| matches!(error, InputError::Io { action: "open", .. });
    std::fs::remove_file(&file.path).unwrap();
    let vanished = read();
    assert!(is_unopened(&vanished), "{vanished}");
    assert!(
        std::process::Command::new("mkfifo")
            .arg(&file.path)
            .status()
            .unwrap()
            .success()
    );
    let fifo = read();
    assert!(matches!(fifo, InputError::Changed { .. }), "{fifo}");
    std::fs::remove_file(&file.path).unwrap();
    page(&directory, "x.html", b"<p>22");
    let changed = read();
    assert!(matches!(changed, InputError::Changed { .. }), "{changed}");
}
