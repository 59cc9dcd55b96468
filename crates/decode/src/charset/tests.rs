use proptest::prelude::*;

use super::*;

fn case(
    body: &[u8],
    http: Option<&str>,
    markup: Markup,
) -> (String, &'static str, Vec<&'static str>) {
    let decoded = decode(body, declared(http, markup), usize::MAX);
    (decoded.text.into_owned(), decoded.name, decoded.flags)
}

fn declared(label: Option<&str>, markup: Markup) -> Declared<'_> {
    Declared {
        forced: None,
        label,
        markup,
    }
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
fn malformed_bytes_stand_as_words_and_are_told() {
    let naive =
        "Das Gebäude gehört der Größe nach zu den größten Bühnen, sagte Frau Müller. ".repeat(3);
    let with = |bytes: &[u8]| [naive.as_bytes(), bytes, naive.as_bytes()].concat();
    assert_eq!(
        case(&with(b"a\xff \xe2\x82b"), Some("utf-8"), Markup::None),
        (
            format!("{naive}a\\xff \\xe2\\x82b{naive}"),
            "UTF-8",
            vec![MALFORMED]
        )
    );
    // A character that the end cuts off is no sign of another encoding.
    let cut = &"größe €".as_bytes()[..9];
    assert_eq!(
        case(cut, Some("utf-8"), Markup::None),
        ("größe \\xe2".into(), "UTF-8", vec![MALFORMED])
    );
    // One half of a surrogate pair, and half a unit.
    let odd = [&b"\xff\xfe"[..], &b"a\0".repeat(1000), b"\x00\xd8a\0b"].concat();
    let (text, name, flags) = case(&odd, None, Markup::None);
    assert!(text.ends_with("aa\\x00\\xd8a\\x62"), "{text}");
    assert_eq!((name, flags), ("UTF-16LE", vec![MALFORMED]));
}

#[test]
fn a_label_of_which_nothing_can_be_read_counts_as_unknown() {
    for label in ["iso-2022-kr", "hz-gb-2312", "x-user-defined"] {
        assert_eq!(case(b"hello", Some(label), Markup::None).1, "UTF-8");
        let russian = encoding_rs::WINDOWS_1251.encode("Широкая электрификация южных губерний");
        assert_eq!(
            case(&russian.0, Some(label), Markup::None).1,
            "windows-1251"
        );
    }
}

#[test]
fn a_label_that_does_not_fit_gives_way_to_the_page_and_then_to_a_guess() {
    for (charset, text) in [
        (
            "windows-1251",
            "Широкая электрификация южных губерний даст мощный толчок",
        ),
        (
            "koi8-r",
            "Широкая электрификация южных губерний даст мощный толчок",
        ),
        ("gbk", "中国的经济发展速度很快，社会问题研究也在进行。"),
        ("big5", "臺灣的經濟發展速度很快，社會問題研究也在進行。"),
        (
            "shift_jis",
            "これは日本語の文章です。文字コードを推定します。",
        ),
        (
            "euc-kr",
            "한국의 경제 발전은 매우 빠르며 사회 문제 연구도 진행 중이다.",
        ),
        (
            "windows-1252",
            "Le café est très chaud, l'été aussi, paraît-il.",
        ),
    ] {
        let encoding = Encoding::for_label(charset.as_bytes()).unwrap();
        // However much markup is about it.
        let script = "let x = 1; ".repeat(2000);
        let page = |meta| format!("<meta charset={meta}><script>{script}</script><p>{text}");
        let bytes = |meta| encoding.encode(&page(meta)).0.into_owned();
        let (decoded, name, flags) = case(&bytes(charset), Some("utf-8"), Markup::Html);
        assert!(decoded == page(charset), "{charset}");
        assert_eq!((name, flags), (encoding.name(), vec![LIED]));
        let (decoded, name, flags) = case(&bytes("utf-8"), None, Markup::Html);
        assert!(decoded == page("utf-8"), "{charset} as {name}");
        assert_eq!(flags, [DETECTED, LIED]);
    }
}

#[test]
fn utf_8_is_utf_8_under_any_label() {
    let texts = [
        "naïve",
        "«Год» 2024",
        "中国的经济发展",
        "これは日本語",
        "ภาษาไทย",
        "한국의 경제",
    ];
    for (text, label) in texts
        .iter()
        .flat_map(|text| ["iso-8859-1", "windows-1251", "utf-16"].map(|label| (text, label)))
        .chain([(&texts[2], "gbk"), (&texts[3], "shift_jis")])
    {
        let expected = (text.to_string(), "UTF-8", vec![LIED]);
        assert_eq!(case(text.as_bytes(), Some(label), Markup::None), expected);
        // Also where the body is cut.
        let (cut, ..) = case(
            &text.as_bytes()[..text.len() - 1],
            Some(label),
            Markup::None,
        );
        let whole = text.chars().count() - 1;
        let start: String = text.chars().take(whole).collect();
        assert!(cut.starts_with(&start), "{cut}");
    }
    // Two characters of GBK that could be UTF-8.
    let gbk = encoding_rs::GBK.encode("通知").0;
    assert!(is_utf8(&gbk));
    assert_eq!(case(&gbk, Some("gbk"), Markup::None).0, "通知");
    assert_eq!(case(b"caf\xe9", Some("latin1"), Markup::None).0, "café");
    // ASCII says nothing.
    assert_eq!(case(b"abc", Some("gbk"), Markup::None).1, "GBK");
}

#[test]
fn a_few_wrong_bytes_do_not_make_a_page_another_one() {
    let text = "Широкая электрификация — «мощный» толчок. ".repeat(5);
    let damaged = [text.as_bytes(), b"\xe8\xe9\x80", text.as_bytes()].concat();
    for label in [Some("utf-8"), None] {
        let (decoded, name, flags) = case(&damaged, label, Markup::None);
        assert_eq!(decoded, format!("{text}\\xe8\\xe9\\x80{text}"));
        assert_eq!((name, flags), ("UTF-8", vec![MALFORMED]));
    }
    // One byte beyond ASCII is no UTF-8.
    let (decoded, name, _) = case(b"It\x92s all right, isn't it?", Some("utf-8"), Markup::None);
    assert_eq!(
        (&*decoded, name),
        ("It’s all right, isn't it?", "windows-1252")
    );
}

#[test]
fn a_forced_charset_stands_above_all() {
    let forced = Declared {
        forced: Charset::named("KOI8-R"),
        ..declared(Some("utf-8"), Markup::Html)
    };
    let page = b"<meta charset=utf-8>\xc4\xc1";
    let decoded = decode(page, forced, usize::MAX);
    assert_eq!(
        (&*decoded.text, decoded.name),
        ("<meta charset=utf-8>да", "KOI8-R")
    );
    assert!(decoded.flags.is_empty());
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
        (&b"<meta charset=utf-16le>\xc3\xa9"[..], "UTF-8"),
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
        decode(&body, declared(Some("windows-1252"), Markup::None), limit)
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
    /// Chunked decoding is the library's decoding, but for the bytes that it replaces; no input
    /// panics.
    #[test]
    fn agrees_with_the_library(body in proptest::collection::vec(any::<u8>(), 0..400), index in 0usize..6) {
        let label = ["utf-8", "gbk", "shift_jis", "utf-16le", "windows-1252", "iso-2022-jp"][index];
        let encoding = Encoding::for_label(label.as_bytes()).unwrap();
        let (expected, malformed) = encoding.decode_without_bom_handling(&body);
        let attempt = Attempt::of(&body, encoding, usize::MAX);
        // Every part between malformed sequences is there, in order.
        let mut rest = &*attempt.text;
        for part in expected.split('\u{fffd}') {
            let at = rest.find(part);
            prop_assert!(at.is_some_and(|at| malformed || at == 0), "{:?} in {:?}", part, attempt.text);
            rest = &rest[at.unwrap_or(0) + part.len()..];
        }
        prop_assert!(malformed || rest.is_empty());
        prop_assert_eq!(attempt.malformed > 0 || attempt.is_cut, malformed);
        prop_assert!(attempt.decoded(&[]).flags.contains(&MALFORMED) == malformed);
        decode(&body, declared(None, Markup::Html), usize::MAX);
        decode(&body, declared(Some(label), Markup::Html), usize::MAX);
        prescan::prescan(&body);
    }

    /// Bytes that nothing can read are distinguished by the text that is made of them.
    #[test]
    fn no_two_bodies_are_equal_because_they_cannot_be_read(
        one in proptest::collection::vec(0x80..=0xff_u8, 0..20), other in proptest::collection::vec(0x80..=0xff_u8, 0..20),
    ) {
        let [a, b] = [&one, &other].map(|body| Attempt::of(body, UTF_8, usize::MAX).text.into_owned());
        prop_assert_eq!(a == b, one == other);
    }

    #[test]
    fn hostile_markup_does_not_panic(page in "[<>!a-c=\"' /-]{0,60}(<meta [a-z= \"';/<>]{0,40}){0,3}") {
        decode(page.as_bytes(), declared(None, Markup::Html), usize::MAX);
    }
}
