use proptest::prelude::*;

use super::*;

#[test]
fn heads_are_read() {
    let (status, head) = parse_head(
        b"HTTP/1.1 200 OK\r\nServer: x\r\nCONTENT-TYPE: text/html;\r\n charset=utf-8\r\nnonsense\r\n\
          Content-Encoding: GZIP, identity,\r\nContent-Encoding: br\r\nTransfer-Encoding: chunked\r\n\r\nbody",
    )
    .unwrap();
    assert_eq!(status, 200);
    assert_eq!(
        head.media_type.unwrap(),
        MediaType {
            essence: "text/html".into(),
            charset: Some("utf-8".into())
        }
    );
    assert_eq!(head.codings, ["gzip", "br"]);
    assert!(head.chunked);
    let bytes = |block: &[u8]| parse_head(block).unwrap().1.head_bytes;
    let (status, head) = parse_head(b"HTTP/1.0 404 Not Found\nA: b\n\nbody").unwrap();
    assert_eq!((status, head.head_bytes, head.chunked), (404, 29, false));
    assert_eq!(bytes(b"HTTP/1.1 200 OK\r\n\r\nx"), 19);
    assert_eq!(bytes(b"HTTP/1.1 200 OK"), 15);
    assert_eq!(parse_head(b""), None);
}

#[test]
fn media_types_are_read() {
    for (value, essence, charset) in [
        ("text/html", "text/html", None),
        (" Text/HTML ; Charset = UTF-8 ", "text/html", Some("UTF-8")),
        (
            "text/html; boundary=\"a;charset=b\"; charset=c",
            "text/html",
            Some("c"),
        ),
        (
            "text/html;charset=\"u\\tf-8\"; charset=other",
            "text/html",
            Some("utf-8"),
        ),
        ("text/html; charset=\"open", "text/html", Some("open")),
        ("text/html; charset=", "text/html", None),
        ("text/html;;;", "text/html", None),
        ("Image/PNG", "image/png", None),
        ("", "", None),
    ] {
        let expected = MediaType {
            essence: essence.into(),
            charset: charset.map(str::to_owned),
        };
        assert_eq!(MediaType::parse(value), expected, "{value}");
    }
}

proptest! {
    #[test]
    fn nothing_panics(bytes in proptest::collection::vec(any::<u8>(), 0..200), text in "\\PC{0,60}") {
        parse_head(&bytes);
        parse_head(&[b"HTTP/1.1 200\n", &bytes[..]].concat());
        MediaType::parse(&text);
        let mut body = bytes.clone();
        let (length, _) = chunked::undo(&mut body);
        prop_assert!(length <= bytes.len());
    }

    /// Chunks of any size, the body cut at any byte: what is there is a prefix of the body.
    #[test]
    fn chunks_come_back(body in "[g-z<>]{1,400}", size in 1usize..300, cut in 0.0f64..1.0) {
        let mut coded = Vec::new();
        for chunk in body.as_bytes().chunks(size) {
            coded.extend_from_slice(format!("{:X}\r\n", chunk.len()).as_bytes());
            coded.extend_from_slice(chunk);
            coded.extend_from_slice(b"\r\n");
        }
        coded.extend_from_slice(b"0\r\n\r\n");
        let mut whole = coded.clone();
        let (length, flag) = chunked::undo(&mut whole);
        prop_assert_eq!((&whole[..length], flag), (body.as_bytes(), None));
        let cut = (cut * coded.len() as f64) as usize;
        coded.truncate(cut);
        let (length, flag) = chunked::undo(&mut coded);
        prop_assert!(body.as_bytes().starts_with(&coded[..length]) || flag == Some(chunked::LIED));
    }
}
