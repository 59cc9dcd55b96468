//! Linear time on pages written to be slow: eight times the page may take at most three times eight times as long.

use model::{Content, Sampling};
use sketch::{FingerprintBits, FingerprintKeys, ShingleKind, SketchParams, Sketcher, TokenUnit};
use std::time::{Duration, Instant};

const SMALL_BYTES: usize = 256 * 1024;
const GROWTH: u32 = 8;

/// What comes once, and what is repeated after it.
const PAGES: &[(&str, &str)] = &[
    ("", "<!--"),
    ("", "<!-- -- "),
    ("<!--", "--!"),
    ("", "<a href=\""),
    ("<a href=\"", "x"),
    ("<a ", "x=y "),
    ("<a ", "/"),
    ("<a x", " "),
    ("", "<ul><li>"),
    ("", "<b><i>"),
    ("", "</div>"),
    ("", "<"),
    ("", "</"),
    ("", "<a<a<a"),
    ("", "<a/"),
    ("", "&"),
    ("", "&CounterClockwiseContourIntegral"),
    ("", "&nGt;"),
    ("&#", "1"),
    ("", "&#x1F600;"),
    ("", "<script>"),
    ("<script>", "<!--<script></script>"),
    ("<script>", "</scrip"),
    ("<script><!--", "-->"),
    ("", "<title>"),
    ("<title>", "</titl"),
    ("<textarea>", "&a"),
    ("", "<template>"),
    ("", "<style></style>"),
    ("", "<plaintext>"),
    ("", "<svg>"),
    ("", "<svg><desc>"),
    ("", "<svg><desc></svg></p>"),
    ("<svg>", "<![CDATA["),
    ("<svg>", "<![CDATA[]]"),
    ("", "<![CDATA["),
    ("", "<!doctype "),
    ("\0", "a\0"),
    ("", "\u{301}"),
    ("a", "\u{301}\u{316}"),
    ("", "e\u{316}\u{301}"),
    ("", "\u{344}"),
    ("", "Σ"),
    ("", "Σ\u{301}"),
    ("", "İ"),
    ("", "\u{FDFA}\u{1D160}"),
    ("", "\u{AD}"),
    ("", "字"),
    ("", "\u{1112}\u{1161}\u{11AB}"),
    ("", "a"),
    ("", "é"),
    ("", "a "),
    ("", "\n"),
    ("", "=\u{338}"),
];

fn sketcher(tokens: TokenUnit, shingles: ShingleKind) -> Sketcher {
    Sketcher::new(&SketchParams {
        tokens,
        drop_numbers: true,
        shingle_size: 10,
        shingles,
        sampling: Sampling::Adaptive { target: 128, coarsest_log2: 5 },
        bits: FingerprintBits::B64,
        keys: FingerprintKeys::from_seed("hostile"),
    })
}

fn fastest(sketcher: &mut Sketcher, rounds: u32, page: &str) -> Duration {
    let time = |_| {
        let start = Instant::now();
        sketcher.sketch(Content::Html(page));
        start.elapsed()
    };
    (0..rounds).map(time).min().unwrap_or_default()
}

fn check(tokens: TokenUnit, shingles: ShingleKind) {
    let mut sketcher = sketcher(tokens, shingles);
    for (first, repeated) in PAGES {
        let times = SMALL_BYTES / repeated.len();
        let small = fastest(&mut sketcher, 3, &format!("{first}{}", repeated.repeat(times)));
        let large = fastest(&mut sketcher, 1, &format!("{first}{}", repeated.repeat(times * GROWTH as usize)));
        let allowed = small * 3 * GROWTH + Duration::from_millis(100);
        assert!(large <= allowed, "{first}{repeated}…: {small:?} became {large:?} ({tokens:?}, {shingles:?})");
    }
}

#[test]
fn words_take_linear_time() {
    check(TokenUnit::Words, ShingleKind::Set);
}

#[test]
fn characters_take_linear_time() {
    check(TokenUnit::Chars, ShingleKind::Labelled);
}

#[test]
fn lines_take_linear_time() {
    check(TokenUnit::Lines, ShingleKind::Set);
}
