//! The refusals, word for word: `[sketch]`.

use super::{told, with};

/// Lines after a complete configuration of two lines, and the messages about it.
const REFUSED: &[(&str, &[&str])] = &[
    (
        "[sketch]\nresemblance = 0.4",
        &[r#"4:1: unknown key "resemblance" in [sketch]; it belongs in [cluster]"#],
    ),
    (
        "[sketch]\nversion = 1",
        &[
            r#"4:1: unknown key "version" in [sketch]; it belongs at the top of the file, before the first table"#,
        ],
    ),
    (
        "[sketch]\nshingle_size = 3",
        &[r#"4:1: unknown key "shingle_size" in [sketch]; did you mean "shingle-size"?"#],
    ),
    (
        "[sketch]\nwibble = 3",
        &[
            r#"4:1: unknown key "wibble" in [sketch]; known keys: content, min-words, tokens, drop-numbers, shingle-size, shingles, method, fingerprint, fingerprint-bits, seed, seed-file, shingle-class-min"#,
        ],
    ),
    (
        "[sketch]\n\"a\\u001b[31m\\u202e\" = 3",
        &[
            r#"4:1: unknown key "a\u{1b}[31m\u{202e}" in [sketch]; known keys: content, min-words, tokens, drop-numbers, shingle-size, shingles, method, fingerprint, fingerprint-bits, seed, seed-file, shingle-class-min"#,
        ],
    ),
    (
        "[sketch]\nmethod = { kind = \"modulus\", modulos = 25 }",
        &[r#"4:30: unknown key "modulos" in [sketch.method]; did you mean "modulus"?"#],
    ),
    (
        "[sketch]\nmethod = { kind = \"modulus\" }",
        &[r#"4:10: missing key "modulus" in [sketch.method]; AltaVista used 25; 1 keeps all"#],
    ),
    (
        "[sketch]\nmethod = { modulus = 25 }",
        &[
            r#"4:10: missing key "kind" in [sketch.method]; known kinds: modulus, adaptive-modulus, min, min-of-modulus, minhash, super-shingles"#,
        ],
    ),
    (
        "[sketch]\nmethod = { kind = \"modulus\", modulus = 0 }",
        &["4:40: modulus in [sketch.method]: expected a whole number from 1 to 4294967295, got 0"],
    ),
    (
        "[sketch]\nmethod = { kind = \"modulus\", modulus = 4294967296 }",
        &[
            "4:40: modulus in [sketch.method]: expected a whole number from 1 to 4294967295, got 4294967296",
        ],
    ),
    (
        "[sketch]\nmethod = { kind = \"modulus\", modulus = 25, target = 3 }",
        &[r#"4:53: key "target" in [sketch.method] is not for kind "modulus"; remove it"#],
    ),
    (
        "[sketch]\nmethod = { kind = \"adaptive-modulus\", modulus = 25 }",
        &[
            r#"4:49: key "modulus" in [sketch.method] is not for kind "adaptive-modulus"; remove it"#,
        ],
    ),
    (
        "[sketch]\nmethod = { kind = \"adaptive-modulus\", target = 0 }",
        &["4:48: target in [sketch.method]: expected a whole number from 1 to 4294967295, got 0"],
    ),
    (
        "[sketch]\nmethod = { kind = \"adaptive-modulus\", coarsest = 33 }",
        &["4:50: coarsest in [sketch.method]: expected a power of two from 1 to 32768, got 33"],
    ),
    (
        "[sketch]\nmethod = { kind = \"adaptive-modulus\", coarsest = 65536 }",
        &["4:50: coarsest in [sketch.method]: expected a power of two from 1 to 32768, got 65536"],
    ),
    (
        "[sketch]\nmethod = { kind = \"min\", size = 4097 }",
        &["4:33: size in [sketch.method]: expected a whole number from 1 to 4096, got 4097"],
    ),
    (
        "[sketch]\nmethod = { kind = \"min\", modulus = 4 }",
        &[r#"4:36: key "modulus" in [sketch.method] is not for kind "min"; remove it"#],
    ),
    (
        "[sketch]\nmethod = { kind = \"min\", bands = 4 }",
        &[r#"4:34: key "bands" in [sketch.method] is not for kind "min"; remove it"#],
    ),
    (
        "[sketch]\nmethod = { kind = \"minhash\", shared = 2 }",
        &["4:39: shared in [sketch.method]: only with bands or super-shingles"],
    ),
    (
        "[sketch]\nmethod = { kind = \"minhash\", family = \"keyed\", numpy-seed = 1 }",
        &[
            "4:61: numpy-seed in [sketch.method]: family and numpy-seed are both given; remove one of them",
        ],
    ),
    (
        "[sketch]\nmethod = { kind = \"minhash\", bands = 30 }",
        &["4:38: bands in [sketch.method]: 200 permutations do not make 30 equal bands"],
    ),
    (
        "[sketch]\nmethod = { kind = \"minhash\", permutations = 10, bands = 5, shared = 6 }",
        &["4:69: shared in [sketch.method]: no two sketches share 6 bands, as each has at most 5"],
    ),
    (
        "[sketch]\nmethod = { kind = \"super-shingles\", size = 9, shared = 7 }",
        &[
            "4:56: shared in [sketch.method]: no two sketches share 7 super-shingles, as each has at most 6",
        ],
    ),
    (
        "[sketch]\nmethod = { kind = \"super-shingles\", permutations = 100 }",
        &[
            r#"4:52: key "permutations" in [sketch.method] is not for kind "super-shingles of min"; remove it"#,
        ],
    ),
    (
        "[sketch]\nmethod = { kind = \"minhash\" }\n[cluster]\ncontainment = 0.9",
        &[
            "6:15: containment in [cluster]: the method in [sketch] keeps sketches of a fixed size, which estimate no containment; remove this key, or use the method modulus or adaptive-modulus",
        ],
    ),
    (
        "[sketch]\nmethod = { kind = \"adaptive-moduls\" }",
        &[
            r#"4:19: unknown kind "adaptive-moduls" in [sketch.method]; known kinds: modulus, adaptive-modulus, min, min-of-modulus, minhash, super-shingles; did you mean "adaptive-modulus"?"#,
        ],
    ),
    (
        "[sketch]\nmethod = { kind = 3 }",
        &["4:19: kind in [sketch.method]: expected a text in quotes, got the number 3"],
    ),
    (
        "[sketch]\nmethod = \"modulus\"",
        &[r#"4:10: method in [sketch]: expected a table, got the text "modulus""#],
    ),
    (
        "[sketch]\nshingle-size = 0",
        &["4:16: shingle-size in [sketch]: expected a whole number from 1 to 1000, got 0"],
    ),
    (
        "[sketch]\nshingle-size = 1001",
        &["4:16: shingle-size in [sketch]: expected a whole number from 1 to 1000, got 1001"],
    ),
    (
        "[sketch]\nshingle-size = -1",
        &["4:16: shingle-size in [sketch]: expected a whole number from 1 to 1000, got -1"],
    ),
    (
        "[sketch]\nshingle-size = 10.0",
        &["4:16: shingle-size in [sketch]: expected a whole number, got the number 10.0"],
    ),
    (
        "[sketch]\nshingle-size = \"10\"",
        &[r#"4:16: shingle-size in [sketch]: expected a whole number, got the text "10""#],
    ),
    (
        "[sketch]\nshingle-size = 340282366920938463463374607431768211456",
        &[
            "4:16: shingle-size in [sketch]: expected a whole number, got the number 340282366920938463463374607431768211456",
        ],
    ),
    (
        "[sketch]\nshingles = \"sets\"",
        &[
            r#"4:12: shingles in [sketch]: expected one of set, labelled, got "sets"; did you mean "set"?"#,
        ],
    ),
    (
        "[sketch]\ntokens = \"bytes\"",
        &[
            r#"4:10: tokens in [sketch]: expected one of words, chars, chars-and-spaces, all-chars, lines, got "bytes""#,
        ],
    ),
    (
        "[sketch]\ntokens = true",
        &["4:10: tokens in [sketch]: expected a text in quotes, got true"],
    ),
    (
        "[sketch]\ndrop-numbers = \"yes\"",
        &[r#"4:16: drop-numbers in [sketch]: expected true or false, got the text "yes""#],
    ),
    (
        "[sketch]\nfingerprint-bits = 48",
        &["4:20: fingerprint-bits in [sketch]: expected 64, 40 or 32, got 48"],
    ),
    (
        "[sketch]\nseed = \"\"",
        &[r#"4:8: seed in [sketch]: expected a text of at least one character, got """#],
    ),
    (
        "[sketch]\nseed = \"a\"\nseed-file = \"b\"",
        &["5:13: seed and seed-file in [sketch]: both are given; remove one of them"],
    ),
    (
        "[sketch]\nseed-file = \"missing\"",
        &[
            r#"4:13: seed-file in [sketch]: failed to read the seed from "missing": No such file or directory (os error 2)"#,
        ],
    ),
    (
        "[sketch]\nseed-file = \"/\"",
        &[
            r#"4:13: seed-file in [sketch]: failed to read the seed from "/": it is not a regular file"#,
        ],
    ),
    (
        "[sketch]\nshingle-class-min = 0",
        &[
            "4:21: shingle-class-min in [sketch]: expected a whole number from 1 to 4294967295, got 0",
        ],
    ),
];

#[test]
fn each_is_refused_with_its_message() {
    for (lines, messages) in REFUSED {
        assert_eq!(told(&with(lines)), *messages, "{lines}");
    }
}
