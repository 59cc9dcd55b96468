//! Ranks documents by the rule `keep`. A rank is an array of bytes; of a cluster, the document with
//! the lowest one is kept.

use model::Keep;

/// Bytes of a rank.
pub const RANK_BYTES: usize = 33;

/// A rank; lower is better. The first byte is 1 if the value is missing, so that it comes last. A
/// number follows as 8 bytes, the highest first. A field has a byte between them: 0 for a number, 1
/// for a text, of which only the first 31 bytes count.
pub type Rank = [u8; RANK_BYTES];

/// Bytes that matter of a rank by a number that is no field.
pub const NUMBER_RANK_BYTES: usize = 9;

/// How many bytes of a rank by this rule may differ between documents; all further bytes are equal.
pub fn rank_bytes(keep: &Keep) -> usize {
    match keep {
        Keep::First => 0,
        Keep::Longest | Keep::Oldest | Keep::Newest | Keep::Hosts(_) => NUMBER_RANK_BYTES,
        Keep::Field { .. } => RANK_BYTES,
    }
}

/// The value of a carried field.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FieldRef<'a> {
    /// A number; `NaN` counts as missing.
    Number(f64),
    /// A text.
    Text(&'a str),
}

/// The attributes of a document that `keep` may rank by.
#[derive(Clone, Copy, Debug, Default)]
pub struct Attributes<'a> {
    /// Number of canonical tokens.
    pub words: u64,
    /// Microseconds since 1970.
    pub date: Option<i64>,
    /// URL.
    pub url: Option<&'a str>,
    /// The field that `keep` names.
    pub field: Option<FieldRef<'a>>,
}

/// The rank of a document. Of equal ranks, the caller takes the lower document. Numbers are
/// inverted where the highest one is the best.
pub fn rank(keep: &Keep, attributes: &Attributes<'_>) -> Rank {
    match keep {
        Keep::First => [0; RANK_BYTES],
        Keep::Longest => number(!attributes.words),
        Keep::Oldest => attributes
            .date
            .map_or(MISSING, |date| number(ordered(date))),
        Keep::Newest => attributes
            .date
            .map_or(MISSING, |date| number(!ordered(date))),
        Keep::Field { descending, .. } => match attributes.field {
            None => MISSING,
            Some(FieldRef::Number(value)) if value.is_nan() => MISSING,
            Some(value) => {
                let mut rank = field(value);
                if *descending {
                    rank[1..].iter_mut().for_each(|byte| *byte = !*byte);
                }
                rank
            }
        },
        Keep::Hosts(hosts) => {
            let host = attributes.url.and_then(host_of);
            let place =
                host.and_then(|host| hosts.iter().position(|listed| belongs_to(host, listed)));
            place.map_or(MISSING, |place| number(place as u64))
        }
    }
}

const MISSING: Rank = {
    let mut rank = [0; RANK_BYTES];
    rank[0] = 1;
    rank
};

fn number(value: u64) -> Rank {
    let mut rank = [0; RANK_BYTES];
    for (slot, shift) in rank[1..9].iter_mut().zip((0..64).step_by(8).rev()) {
        *slot = (value >> shift) as u8;
    }
    rank
}

/// Maps a signed number to an unsigned one and preserves the order.
fn ordered(value: i64) -> u64 {
    (value as u64) ^ (1 << 63)
}

/// Numbers sort before texts.
fn field(value: FieldRef<'_>) -> Rank {
    match value {
        FieldRef::Number(value) => {
            // The bits of doubles sort like integers if those of negative numbers are inverted. −0
            // is 0.
            let bits = if value == 0.0 { 0 } else { value.to_bits() };
            let sorted = if bits >> 63 == 1 {
                !bits
            } else {
                bits ^ (1 << 63)
            };
            let mut rank = number(sorted);
            rank.copy_within(1..9, 2);
            rank[1] = 0;
            rank
        }
        FieldRef::Text(text) => {
            let mut rank = [0; RANK_BYTES];
            rank[1] = 1;
            for (slot, byte) in rank[2..].iter_mut().zip(text.bytes()) {
                *slot = byte;
            }
            rank
        }
    }
}

/// The host of a URL, without user, port and scheme; `None` if it has none.
fn host_of(url: &str) -> Option<&str> {
    let rest = url.split_once("://")?.1;
    let authority = rest.split(['/', '?', '#']).next()?;
    let host = authority
        .rsplit_once('@')
        .map_or(authority, |(_, host)| host);
    let host = if host.starts_with('[') {
        host.split_inclusive(']').next()?
    } else {
        host.split(':').next()?
    };
    (!host.is_empty()).then_some(host)
}

/// Whether a host is the listed one or a subdomain of it, in upper or lower case.
fn belongs_to(host: &str, listed: &str) -> bool {
    let Some(at) = host.len().checked_sub(listed.len()) else {
        return false;
    };
    host.is_char_boundary(at)
        && host[at..].eq_ignore_ascii_case(listed)
        && (at == 0 || host[..at].ends_with('.'))
}

/// The first bytes of a rank.
pub fn first_bytes<const N: usize>(rank: &Rank) -> [u8; N] {
    std::array::from_fn(|at| rank.get(at).copied().unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn by(keep: &Keep, field: Option<FieldRef<'_>>) -> Rank {
        rank(
            keep,
            &Attributes {
                field,
                ..Attributes::default()
            },
        )
    }

    #[test]
    fn hosts_rank_by_their_place() {
        let keep = Keep::Hosts(vec!["example.org".into(), "mirror.test".into()]);
        let at = |url| {
            rank(
                &keep,
                &Attributes {
                    url: Some(url),
                    ..Attributes::default()
                },
            )
        };
        assert!(at("http://www.EXAMPLE.org:80/a") < at("https://u:p@mirror.test/"));
        assert!(at("https://mirror.test/") < at("http://badexample.org/"));
        assert_eq!(at("http://other.test/"), MISSING);
    }

    #[test]
    fn longer_newer_and_older_rank_as_they_say_and_missing_dates_last() {
        let words = |words| {
            rank(
                &Keep::Longest,
                &Attributes {
                    words,
                    ..Attributes::default()
                },
            )
        };
        assert!(words(10) < words(9));
        let date = |keep, date| {
            rank(
                &keep,
                &Attributes {
                    date,
                    ..Attributes::default()
                },
            )
        };
        assert!(date(Keep::Newest, Some(5)) < date(Keep::Newest, Some(-5)));
        assert!(date(Keep::Oldest, Some(-5)) < date(Keep::Oldest, Some(5)));
        assert!(date(Keep::Oldest, Some(i64::MAX)) < date(Keep::Oldest, None));
    }

    proptest! {
        #[test]
        fn fields_rank_like_their_values(a in -1e12f64..1e12, b in -1e12f64..1e12, s in "[a-z]{0,8}", t in "[a-z]{0,8}") {
            let up = Keep::Field { name: "x".into(), descending: false };
            let down = Keep::Field { name: "x".into(), descending: true };
            let numbers = a.partial_cmp(&b).unwrap();
            prop_assert_eq!(by(&up, Some(FieldRef::Number(a))).cmp(&by(&up, Some(FieldRef::Number(b)))), numbers);
            prop_assert_eq!(by(&down, Some(FieldRef::Number(b))).cmp(&by(&down, Some(FieldRef::Number(a)))), numbers);
            prop_assert_eq!(by(&up, Some(FieldRef::Text(&s))).cmp(&by(&up, Some(FieldRef::Text(&t)))), s.cmp(&t));
            prop_assert!(by(&down, Some(FieldRef::Text(&s))) < by(&down, None));
        }
    }
}
