//! The known name that a misspelt one was meant to be.
//!
//! Distance is that of optimal string alignment: insertions, deletions, substitutions and swaps of
//! neighbours. Case does not count, nor does `_` for `-`. Its table is quadratic, so words longer
//! than [`NAME_CHARS_MAX`] have no near name.

use strsim::osa_distance;

/// Longer words are not compared.
const NAME_CHARS_MAX: usize = 64;

/// The nearest of `known` to `word`, the first one of equals; `None` if none is near: at most one
/// edit for every three characters, but always one.
pub fn nearest<'a>(word: &str, known: &[&'a str]) -> Option<&'a str> {
    let word = folded(word);
    let chars = word.chars().count();
    if chars > NAME_CHARS_MAX {
        return None;
    }
    let near = known
        .iter()
        .map(|name| (osa_distance(&word, &folded(name)), *name))
        .min_by_key(|(edits, _)| *edits);
    near.filter(|(edits, _)| *edits <= (chars / 3).max(1))
        .map(|(_, name)| name)
}

/// `; did you mean "sketch"?`, if a known name is near.
pub(super) fn did_you_mean(word: &str, known: &[impl AsRef<str>]) -> String {
    let known: Vec<&str> = known.iter().map(AsRef::as_ref).collect();
    nearest(word, &known).map_or(String::new(), |near| format!("; did you mean {near:?}?"))
}

fn folded(word: &str) -> String {
    let lower = word.chars().flat_map(char::to_lowercase);
    let dashed = lower.map(|c| if c == '_' { '-' } else { c });
    dashed.take(NAME_CHARS_MAX + 1).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn edits(a: &str, b: &str) -> usize {
        osa_distance(&folded(a), &folded(b))
    }

    #[test]
    fn misspelt_names_are_found() {
        let known = ["modulus", "kind", "target", "coarsest", "shingle-size"];
        for (word, name) in [
            ("modulos", Some("modulus")),
            ("Modulus", Some("modulus")),
            ("knid", Some("kind")),
            ("shingle_size", Some("shingle-size")),
            ("shinglesize", Some("shingle-size")),
            ("taget", Some("target")),
            ("resemblance", None),
            ("", None),
            ("k", None),
        ] {
            assert_eq!(nearest(word, &known), name, "{word}");
        }
        assert_eq!(nearest(&"m".repeat(100_000), &known), None);
        assert_eq!(nearest("modulus", &[]), None);
    }

    #[test]
    fn known_distances() {
        assert_eq!(edits("", ""), 0);
        assert_eq!(edits("kitten", "sitting"), 3);
        assert_eq!(edits("ab", "ba"), 1);
        assert_eq!(edits("abc", ""), 3);
    }

    proptest! {
        #[test]
        fn distance_is_symmetric_and_bounded(a in "[a-c]{0,8}", b in "[a-c]{0,8}") {
            let d = edits(&a, &b);
            prop_assert_eq!(d, edits(&b, &a));
            prop_assert!(d <= a.len().max(b.len()) && d >= a.len().abs_diff(b.len()));
            prop_assert_eq!(d == 0, a == b);
        }

        #[test]
        fn one_edit_is_one(word in "[a-z]{2,12}", at in 0usize..12) {
            let at = at % word.len();
            let mut shorter = word.clone();
            shorter.remove(at);
            prop_assert_eq!(edits(&word, &shorter), 1);
            prop_assert_eq!(nearest(&shorter, &[&word]), Some(word.as_str()));
        }
    }
}
