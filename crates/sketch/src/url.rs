//! URLs as keys: a hash of the loose form, followed by a hash of the URL itself.
//!
//! *Algorithm.* The loose form of a URL leaves out scheme, user, `www.`, default port, case of the
//! host, trailing slashes of the path, order of the fields of the query, and fragment. The high 40
//! bits of a key are a keyed hash of the loose form (SipHash-1-3, Aumasson and Bernstein, 2012),
//! the low 24 bits one of the URL itself. In the order of keys all documents of one URL therefore
//! lie together, next to those of URLs with the same loose form. *Limits.* A key only proposes:
//! after a lookup the URLs themselves are compared. Among 2^32 URLs, 0.4 % have a neighbour by
//! chance.

use crate::FingerprintKeys;
use siphasher::sip::SipHasher13;
use siphasher::sip128::{self, Hasher128};
use std::fmt;
use std::hash::Hasher;

/// Bits of a key that tell URLs of one loose form apart.
const EXACT_BITS: u32 = 24;

/// Makes keys. Without the seed of the run nobody can construct URLs that collide.
#[derive(Clone, Copy)]
pub struct UrlKeys {
    loose: [u64; 2],
    exact: [u64; 2],
}

impl fmt::Debug for UrlKeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("UrlKeys")
    }
}

impl UrlKeys {
    /// With the secret constants of a run.
    pub fn of(keys: &FingerprintKeys) -> UrlKeys {
        let [k0, k1] = keys.url_key();
        UrlKeys {
            loose: [k0, k1],
            exact: [k1, k0],
        }
    }

    /// The key of a URL; `form` is scratch and holds the loose form afterwards.
    pub fn key(&self, url: &str, form: &mut Vec<u8>) -> u64 {
        loose_form(url, form);
        let loose = hash(self.loose, form) >> EXACT_BITS << EXACT_BITS;
        loose | hash(self.exact, url.as_bytes()) >> (64 - EXACT_BITS)
    }

    /// The key of a document's own id.
    pub fn of_id(&self, id: &str) -> u64 {
        hash(self.exact, id.as_bytes())
    }

    /// A key of the URL itself, by which documents of the same URL are brought together: 128 bits,
    /// so that two of 2^32 URLs have the same key with a probability of 2^-65.
    pub fn exact(&self, url: &str) -> u128 {
        let [k0, k1] = self.exact;
        let mut hasher = sip128::SipHasher13::new_with_keys(k0, k1);
        hasher.write(url.as_bytes());
        hasher.finish128().as_u128()
    }

    /// The first key of all URLs of the same loose form, and the one after the last; none after the
    /// highest.
    pub fn neighbours(key: u64) -> (u64, Option<u64>) {
        let first = key >> EXACT_BITS << EXACT_BITS;
        (first, first.checked_add(1 << EXACT_BITS))
    }
}

fn hash([k0, k1]: [u64; 2], bytes: &[u8]) -> u64 {
    let mut hasher = SipHasher13::new_with_keys(k0, k1);
    hasher.write(bytes);
    hasher.finish()
}

/// The URL from its authority on, without scheme and `//`.
fn after_scheme(url: &str) -> &str {
    let is_scheme = |scheme: &str| {
        scheme
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.'))
    };
    // A scheme has no colon, so the first one ends it. (Every URL is taken apart every night: a
    // search for "://" costs more.)
    match url
        .bytes()
        .position(|byte| byte == b':')
        .map(|colon| url.split_at(colon))
    {
        Some((scheme, rest)) if rest.starts_with("://") && is_scheme(scheme) => &rest[3..],
        _ => url.strip_prefix("//").unwrap_or(url),
    }
}

fn authority_end(rest: &str) -> usize {
    rest.bytes()
        .position(|byte| matches!(byte, b'/' | b'?' | b'#'))
        .unwrap_or(rest.len())
}

/// Writes the loose form of a URL. A text that is no URL, such as the path of a page in a tree, is
/// treated as a URL without scheme.
pub fn loose_form(url: &str, out: &mut Vec<u8>) {
    out.clear();
    // Blanks last: what they stand beside may be taken off before.
    let rest = after_scheme(url.split('#').next().unwrap_or_default().trim()).trim();
    let (authority, rest) = rest.split_at(authority_end(rest));
    let host = authority.rsplit('@').next().unwrap_or_default();
    let host = [":80", ":443", ":"]
        .iter()
        .find_map(|port| host.strip_suffix(port))
        .unwrap_or(host);
    let host = host.strip_suffix('.').unwrap_or(host);
    out.extend(host.bytes().map(|byte| byte.to_ascii_lowercase()));
    if out.starts_with(b"www.") {
        out.drain(..4);
    }
    let (path, query) = rest.split_once('?').unwrap_or((rest, ""));
    out.extend_from_slice(path.trim_end_matches('/').as_bytes());
    if query.is_empty() {
        return;
    }
    let mut fields: Vec<&str> = query.split('&').filter(|field| !field.is_empty()).collect();
    fields.sort_unstable();
    for (index, field) in fields.iter().enumerate() {
        out.push(if index == 0 { b'?' } else { b'&' });
        out.extend_from_slice(field.as_bytes());
    }
}

/// The host of a URL, without user and port, in the case it has; empty where there is none.
pub fn host_of(url: &str) -> &str {
    // Looked for byte by byte: it is near the start, where a search prepares longer than it runs.
    let Some(scheme) = url.as_bytes().windows(3).position(|three| three == b"://") else {
        return "";
    };
    let rest = url.get(scheme + 3..).unwrap_or_default();
    let authority = &rest[..authority_end(rest)];
    let user = authority.bytes().rposition(|byte| byte == b'@');
    let host = user.map_or(authority, |user| &authority[user + 1..]);
    if let Some(end) = host.bytes().position(|byte| byte == b']') {
        return &host[..=end];
    }
    let port = host.bytes().position(|byte| byte == b':');
    port.map_or(host, |port| &host[..port])
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn loose(url: &str) -> String {
        let mut form = Vec::new();
        loose_form(url, &mut form);
        String::from_utf8(form).unwrap()
    }

    #[test]
    fn what_hardly_matters_does_not_count() {
        for url in [
            "http://www.Example.org:80/a/b/?y=2&x=1#top",
            "https://example.org/a/b?x=1&y=2",
            "//example.org./a/b//?&x=1&&y=2&",
            "example.org:443/a/b?y=2&x=1",
            "ftp://user:secret@EXAMPLE.ORG:/a/b?x=1&y=2",
            " example.org/a/b?x=1&y=2#x?y ",
        ] {
            assert_eq!(loose(url), "example.org/a/b?x=1&y=2", "{url}");
        }
        assert_eq!(loose("HTTP://WWW.A.example"), "a.example");
        assert_eq!(loose("notes/Chapter 1.html"), "notes/Chapter 1.html");
    }

    #[test]
    fn what_matters_counts() {
        let all = [
            "a.test/x",
            "a.test/X",
            "b.test/x",
            "a.test:8080/x",
            "a.test/x?q",
            "a.test/x?q=1",
            "a.test/x/y",
            "",
        ];
        for (i, one) in all.iter().enumerate() {
            for other in &all[i + 1..] {
                assert_ne!(loose(one), loose(other));
            }
        }
    }

    #[test]
    fn keys_depend_on_the_seed_and_neighbours_share_their_high_bits() {
        let keys = |seed| UrlKeys::of(&FingerprintKeys::from_seed(seed));
        let mut form = Vec::new();
        let (one, other) = (
            keys("a").key("http://x.test/", &mut form),
            keys("b").key("http://x.test/", &mut form),
        );
        assert_ne!(one, other);
        let near = keys("a").key("https://www.x.test", &mut form);
        assert_ne!(one, near);
        assert_eq!(UrlKeys::neighbours(one), UrlKeys::neighbours(near));
        let (first, end) = UrlKeys::neighbours(one);
        assert!(first <= one && end.is_none_or(|end| one < end));
        assert_eq!(UrlKeys::neighbours(u64::MAX), (u64::MAX << 24, None));
    }

    #[test]
    fn hosts_are_found() {
        for (url, host) in [
            ("http://a.test/x", "a.test"),
            ("https://u@A.test:8080?x", "A.test"),
            ("http://[::1]:80/", "[::1]"),
            ("a.test/x", ""),
            ("http://", ""),
        ] {
            assert_eq!(host_of(url), host);
        }
    }

    proptest! {
        #[test]
        fn any_text_has_a_form_and_scheme_and_fragment_never_change_it(text in ".*", fragment in "[a-z]*") {
            let url = format!("http://{}", text.replace(['#', '/'], ""));
            prop_assert_eq!(loose(&url), loose(&format!("{}#{fragment}", url.replacen("http", "https", 1))));
            let _ = (loose(&text), host_of(&text));
        }

        #[test]
        fn the_order_of_fields_does_not_count(mut fields in proptest::collection::vec("[a-z]{1,3}=[0-9]", 1..5)) {
            let url = |fields: &[String]| format!("http://a.test/?{}", fields.join("&"));
            let before = loose(&url(&fields));
            fields.reverse();
            prop_assert_eq!(before, loose(&url(&fields)));
        }
    }
}
