//! URLs after the shapes of real ones: few hosts have most pages, paths are words, some end in
//! numbers or queries.

use std::fmt::Write;

const SYLLABLES: [&str; 32] = [
    "an", "ber", "co", "de", "el", "fin", "gar", "ho", "in", "jo", "ka", "lo", "mar", "ne", "or",
    "pa", "qui", "ros", "san", "ter", "un", "vi", "wal", "xen", "ya", "zo", "ing", "ion", "ly",
    "ment", "est", "er",
];
const ENDINGS: [&str; 8] = ["com", "org", "net", "de", "co.uk", "fr", "edu", "info"];

/// SplitMix64 (Steele, Lea and Flood, 2014).
fn mix(n: u64) -> u64 {
    let n = n.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let n = (n ^ (n >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let n = (n ^ (n >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    n ^ (n >> 31)
}

fn word(out: &mut String, mut bits: u64, syllables: u64) {
    for _ in 0..syllables {
        out.push_str(SYLLABLES[(bits % 32) as usize]);
        bits /= 32;
    }
}

/// Writes the URL of document `n` of a crawl of `documents`. Some two in a hundred documents have
/// that of an earlier one.
pub fn url(out: &mut String, n: u32, documents: u32) {
    out.clear();
    let n = if n.is_multiple_of(53) { n / 2 } else { n };
    let own = mix(u64::from(n));
    // A host's share falls with the cube of its rank.
    let uniform = (own >> 11) as f64 / (1_u64 << 53) as f64;
    let host = (uniform.powi(3) * f64::from(documents / 40 + 1)) as u64;
    let site = mix(host ^ 0x5EED);
    out.push_str(if site.is_multiple_of(3) {
        "http://"
    } else {
        "https://"
    });
    out.push_str(if (site >> 8) % 5 < 3 { "www." } else { "" });
    word(out, site >> 16, 2 + (site >> 12) % 3);
    // writing to a String cannot fail
    let _ = write!(
        out,
        "{}.{}",
        host % 1000,
        ENDINGS[((site >> 50) % 8) as usize]
    );
    for level in 0..1 + (own >> 3) % 4 {
        // Higher levels have fewer names.
        let names = mix(site ^ (own % (8 << (2 * level))) ^ (level << 40));
        out.push('/');
        word(out, names, 1 + names % 4);
    }
    let _ = match (own >> 6) % 8 {
        0 => write!(out, "/{n}/"),
        1 => write!(out, "?id={n}"),
        2 => write!(out, "?page={}&item={n}&lang=en", own % 90),
        3 => write!(out, "/index-{n:x}"),
        _ => write!(out, "-{n}.html"),
    };
}
