use proptest::prelude::*;

use super::*;

fn case(
    body: &[u8],
    http: Option<&str>,
    markup: Markup,
) -> (String, &'static str, Vec<&'static str>) {
    let decoded = decode(body, http, markup);
    (decoded.text.into_owned(), decoded.name, decoded.flags)
}

fn name(body: &[u8]) -> &'static str {
    case(body, None, Markup::Html).1
}

#[test]
fn the_order_is_mark_then_header_then_meta() {
    let meta = b"<meta charset=koi8-r>\xc4\xc1";
    assert_eq!(case(meta, None, Markup::Html).0, "<meta charset=koi8-r>да");
    assert_eq!(
        case(meta, Some("windows-1252"), Markup::Html).1,
        "windows-1252"
    );
    assert_eq!(
        case(meta, Some("no-such-charset"), Markup::Html).1,
        "KOI8-R"
    );
    assert_eq!(case(meta, Some("\"utf-8"), Markup::Html).1, "KOI8-R");
    assert_eq!(
        case(b"\xef\xbb\xbfa", Some("windows-1252"), Markup::Html),
        ("a".into(), "UTF-8", vec![])
    );
    assert_eq!(
        case(b"\xff\xfea\0", Some("utf-8"), Markup::None),
        ("a".into(), "UTF-16LE", vec![])
    );
    assert_eq!(
        case(b"\xfe\xff\0a", None, Markup::None),
        ("a".into(), "UTF-16BE", vec![])
    );
    // Plain text does not name its encoding.
    assert_eq!(
        case(b"<meta charset=koi8-r> abc", None, Markup::None).1,
        "UTF-8"
    );
}

#[test]
fn malformed_sequences_are_replaced_and_told() {
    assert_eq!(
        case(b"a\xffb", Some("utf-8"), Markup::None),
        ("a\u{fffd}b".into(), "UTF-8", vec![MALFORMED])
    );
    assert_eq!(case(b"\xe2\x82", Some("utf-8"), Markup::None).0, "\u{fffd}");
    // One half of a surrogate pair, and half a unit.
    let odd = case(b"\xff\xfe\x00\xd8a\0b", None, Markup::None);
    assert_eq!(
        (odd.0.as_str(), odd.2),
        ("\u{fffd}a\u{fffd}", vec![MALFORMED])
    );
    // A withdrawn encoding decodes to one replacement character.
    assert_eq!(
        case(b"hello", Some("iso-2022-kr"), Markup::None).1,
        "replacement"
    );
}

#[test]
fn what_nothing_names_is_utf_8_or_guessed() {
    assert_eq!(
        case("naïve €".as_bytes(), None, Markup::None),
        ("naïve €".into(), "UTF-8", vec![])
    );
    let (text, name, flags) = case(
        b"Le caf\xe9 est tr\xe8s chaud, l'\xe9t\xe9 aussi.",
        None,
        Markup::None,
    );
    assert_eq!((name, flags), ("windows-1252", vec![DETECTED]));
    assert!(text.contains("café"));
    let russian = encoding_rs::WINDOWS_1251
        .encode("Широкая электрификация южных губерний даст мощный толчок")
        .0;
    assert_eq!(case(&russian, None, Markup::None).1, "windows-1251");
    let japanese = encoding_rs::SHIFT_JIS
        .encode("これは日本語の文章です。文字コードを推定します。")
        .0;
    assert_eq!(case(&japanese, None, Markup::None).1, "Shift_JIS");
}

#[test]
fn the_prescan_follows_the_standard() {
    for (page, expected) in [
        (&b"<meta charset=utf-16le>\xe9\xe9\xe9"[..], "UTF-8"),
        (b"<meta charset=x-user-defined>", "windows-1252"),
        (b"<META CHARSET='Shift_JIS'>", "Shift_JIS"),
        (b"<meta/charset=gbk>", "GBK"),
        (b"<metacharset=gbk>", "UTF-8"),
        (
            b"<meta http-equiv=Content-Type content='text/html; charset=euc-kr'>",
            "EUC-KR",
        ),
        (
            b"<meta content='text/html; charset=\"big5\" ' http-equiv=\"content-type\">",
            "Big5",
        ),
        (b"<meta content='text/html; charset=big5'>", "UTF-8"),
        (
            b"<meta http-equiv=refresh content='0; charset=big5'>",
            "UTF-8",
        ),
        (b"<!-- <meta charset=big5> --><meta charset=gbk>", "GBK"),
        (b"<!--><meta charset=gbk>", "GBK"),
        (b"<p title='<meta charset=big5>'><meta charset=gbk>", "GBK"),
        (b"<p title=\"a>b\"><meta charset=gbk>", "GBK"),
        (b"</p x=y><meta charset=gbk>", "GBK"),
        (b"<!doctype html><?x?></1><meta charset=gbk>", "GBK"),
        (b"<meta charset=nonsense><meta charset=gbk>", "GBK"),
        (b"<meta charset=gbk charset=big5>", "GBK"),
        (b"<meta name=charset content=gbk>", "UTF-8"),
        (
            b"<?xml version='1.0' encoding=\"iso-8859-2\"?><html>",
            "ISO-8859-2",
        ),
        (b"<?xml version='1.0' encoding='utf-16'?><html>", "UTF-8"),
        (b"<\0?\0x\0", "UTF-16LE"),
        (b"<meta charset=", "UTF-8"),
        (b"<meta charset='gbk", "UTF-8"),
    ] {
        assert_eq!(name(page), expected, "{}", String::from_utf8_lossy(page));
    }
}

#[test]
fn the_prescan_ends_after_1024_bytes() {
    let tag = b"<meta charset=gbk>";
    for (spaces, expected) in [
        (1024 - tag.len(), "GBK"),
        (1024 - tag.len() + 4, "UTF-8"),
        (1024, "UTF-8"),
    ] {
        let page = [vec![b' '; spaces], tag.to_vec()].concat();
        assert_eq!(name(&page), expected, "{spaces}");
    }
}

#[test]
fn decoding_stops_above_the_limit_and_never_below() {
    let body = vec![0xe9; 1_000_000];
    let length = |limit| {
        decode_up_to(limit, &body, Some("windows-1252"), Markup::None)
            .text
            .len()
    };
    assert_eq!(length(2_000_000), 2_000_000);
    assert_eq!(length(1_999_999), 2_000_000);
    assert!((300_001..600_000).contains(&length(300_000)));
}

#[test]
fn long_texts_are_decoded_over_many_chunks() {
    let text = "ж日本Ω".repeat(100_000);
    let (bytes, _, unmappable) = encoding_rs::GB18030.encode(&text);
    assert!(!unmappable);
    assert_eq!(
        case(&bytes, Some("gb18030"), Markup::None),
        (text, "gb18030", vec![])
    );
}

proptest! {
    /// Chunked decoding is the library's decoding; no input panics.
    #[test]
    fn agrees_with_the_library(body in proptest::collection::vec(any::<u8>(), 0..400), index in 0usize..6) {
        let label = ["utf-8", "gbk", "shift_jis", "utf-16le", "windows-1252", "iso-2022-jp"][index];
        let encoding = Encoding::for_label(label.as_bytes()).unwrap();
        let (expected, used, malformed) = encoding.decode(&body);
        let decoded = decode(&body, Some(label), Markup::Html);
        prop_assert_eq!(&decoded.text, &expected);
        prop_assert_eq!(decoded.name, used.name());
        prop_assert_eq!(decoded.flags.contains(&MALFORMED), malformed);
        decode(&body, None, Markup::Html);
        prescan::prescan(&body);
    }

    #[test]
    fn hostile_markup_does_not_panic(page in "[<>!a-c=\"' /-]{0,60}(<meta [a-z= \"';/<>]{0,40}){0,3}") {
        decode(page.as_bytes(), None, Markup::Html);
    }
}
