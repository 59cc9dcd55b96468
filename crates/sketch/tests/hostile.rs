//! Linear time on pages written to be slow: eight times the page may take at most three times eight
//! times as long. Times are of this thread on a processor where the kernel tells, so that a busy
//! machine does not matter.

use model::{Content, Sampling};
use sketch::{
    Blanks, Family, FingerprintBits, FingerprintKeys, ShingleKind, SketchParams, Sketcher,
    TextOfPages, TokenUnit,
};
use std::time::{Duration, Instant};

const SMALL_BYTES: usize = 128 * 1024;
const GROWTH: u32 = 8;

/// The part that comes once, and the part that is repeated after it.
const PAGES: &[(&str, &str)] = &[
    ("", "<!--"),
    ("", "<!-- -- "),
    ("<!--", "--!"),
    ("", "<a href=\""),
    ("<a href=\"", "x"),
    ("<a ", "x=y "),
    ("<a ", "/"),
    ("<a x", " "),
    ("<a ", "x=\"y\" "),
    ("", "<a x=\"y\" z='>'>"),
    ("", "<a x=\"<\" "),
    ("", "<template></template>"),
    ("<template></template>\0", "<b>a"),
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
        text_of_pages: TextOfPages::Whole,
        shingle_size: 10,
        shingles,
        sampling: Sampling::Adaptive {
            target: 128,
            coarsest_log2: 5,
        },
        bits: FingerprintBits::B64,
        family: Family::Keyed,
        keys: FingerprintKeys::from_seed("hostile"),
    })
}

fn fastest(sketcher: &mut Sketcher, page: &str) -> Duration {
    let clock = Instant::now();
    let mut time = || {
        let start = used(clock);
        sketcher.sketch(Content::Html(page));
        used(clock).saturating_sub(start)
    };
    (0..2).map(|_| time()).min().unwrap_or_default()
}

/// Processor time of this thread; where that is not to be had, time since `clock`.
fn used(clock: Instant) -> Duration {
    let kernel = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = kernel.and_then(|text| text.split(' ').next()?.parse().ok());
    nanoseconds.map_or_else(|| clock.elapsed(), Duration::from_nanos)
}

fn check(tokens: TokenUnit, shingles: ShingleKind) {
    let mut sketcher = sketcher(tokens, shingles);
    for (first, repeated) in PAGES {
        let times = SMALL_BYTES / repeated.len();
        let small = fastest(&mut sketcher, &format!("{first}{}", repeated.repeat(times)));
        let large = fastest(
            &mut sketcher,
            &format!("{first}{}", repeated.repeat(times * GROWTH as usize)),
        );
        let allowed = small * 3 * GROWTH + Duration::from_millis(100);
        assert!(
            large <= allowed,
            "{first}{repeated}…: {small:?} became {large:?} ({tokens:?}, {shingles:?})"
        );
    }
}

#[test]
fn words_take_linear_time() {
    check(TokenUnit::Words, ShingleKind::Set);
}

#[test]
fn characters_take_linear_time() {
    check(TokenUnit::Chars(Blanks::Keep), ShingleKind::Labelled);
}

#[test]
fn lines_take_linear_time() {
    check(TokenUnit::Lines, ShingleKind::Set);
}
