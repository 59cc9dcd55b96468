//! What lies within records: HTTP heads and codings, character sets, dates, texts; and the
//! configuration.

use decode::charset;
use decode::http::{chunked, coding, fields, head_bytes, media, parse_head, sniff};
use model::{Content, Markup};
use sketch::{Cpu, Sketcher};
use std::io::Read;
use std::path::Path;
use std::sync::LazyLock;

/// Bytes that a body may have.
const BODY_MAX: usize = 1 << 20;

pub(crate) fn http(bytes: &[u8]) {
    if let Some(head) = head_bytes(bytes) {
        assert!(head <= bytes.len());
        fields(&bytes[..head]).for_each(drop);
    }
    _ = parse_head(bytes);
    let mut body = bytes.to_vec();
    let (length, _) = chunked::undo(&mut body);
    assert!(length <= bytes.len());
    for name in ["gzip", "deflate", "br", "zstd"] {
        let mut growing = |capacity: usize| assert!(capacity <= BODY_MAX);
        let mut output = coding::Output {
            cap: BODY_MAX,
            growing: &mut growing,
        };
        let undone = coding::undo(&[name.to_owned()], bytes, &mut output, &mut Vec::new());
        let Ok(Some(decoded)) = undone else { continue };
        assert!(decoded.len() <= BODY_MAX);
        if name == "gzip" {
            let mut expected = Vec::new();
            let other = flate2::bufread::MultiGzDecoder::new(bytes);
            let read = other.take(BODY_MAX as u64 + 1).read_to_end(&mut expected);
            assert!(
                read.is_err() || decoded == expected,
                "flate2 decodes other bytes"
            );
        }
    }
    _ = sniff::looks_like_html(bytes);
    _ = sniff::binary_kind(bytes, None);
    _ = media::MediaType::parse(&String::from_utf8_lossy(bytes));
}

pub(crate) fn charset(bytes: &[u8]) {
    for markup in [Markup::Html, Markup::None] {
        for label in [None, Some("utf-8"), Some("shift_jis"), Some("utf-16")] {
            let decoded = charset::decode(bytes, label, markup);
            let part = charset::decode_up_to(64, bytes, label, markup);
            assert_eq!(decoded.name, part.name);
            assert!(
                decoded.text.starts_with(&*part.text),
                "a part is not the beginning"
            );
        }
    }
    let is_utf8 = std::str::from_utf8(bytes).is_ok();
    assert_eq!(is_utf8, charset::is_utf8(bytes));
}

pub(crate) fn date(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    if let Some(date) = decode::date::parse(text) {
        // From the year 0 to 9999, in microseconds.
        assert!(
            (-62_200_000_000_000_000..=253_500_000_000_000_000).contains(&date),
            "{date}"
        );
    }
}

/// The sketch of a text by the best form for this processor, and by the others.
pub(crate) fn sketch(bytes: &[u8]) {
    static SKETCHERS: LazyLock<sketch::SketchParams> = LazyLock::new(|| {
        let text =
            "version = 1\n[input]\npaths = [\"a\"]\n[sketch]\nseed = \"fuzz\"\nshingle-size = 3\n";
        let parsed = config::parse(text, Path::new("pipeline.toml")).expect("a configuration");
        parsed.sketch.params()
    });
    let text = String::from_utf8_lossy(bytes);
    let mut plain = Sketcher::for_cpu(&SKETCHERS, Cpu::portable());
    for content in [
        Content::Html(&text),
        Content::Xhtml(&text),
        Content::Text(&text),
        Content::Features(&text),
    ] {
        let expected = plain.sketch(content);
        for cpu in Cpu::all() {
            let mut fast = Sketcher::for_cpu(&SKETCHERS, cpu);
            assert_eq!(expected, fast.sketch(content), "{cpu}");
        }
    }
}

pub(crate) fn config(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    if let Err(errors) = config::parse(text, Path::new("pipeline.toml")) {
        assert!(!errors.to_string().is_empty());
    }
}
