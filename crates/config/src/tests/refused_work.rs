//! The refusals, word for word: `[work]`, and keys in the wrong place.

use super::{told, with};

/// Lines after a complete configuration of two lines, and the messages about it.
const REFUSED: &[(&str, &[&str])] = &[
    (
        r#"seed = "x""#,
        &[r#"3:1: unknown key "seed" at the top level; it belongs in [sketch]"#],
    ),
    (
        "[skecth]\nx = 1",
        &[r#"3:2: unknown key "skecth" at the top level; did you mean "sketch"?"#],
    ),
    (
        "[input2]\n",
        &[r#"3:2: unknown key "input2" at the top level; did you mean "input"?"#],
    ),
    (
        "[work]\nmemory = \"1GB2\"",
        &[
            r#"4:10: memory in [work]: expected the unit B, kB, MB, GB, TB, PB (powers of 1000) or KiB, MiB, GiB, TiB, PiB (powers of 1024), got "1GB2""#,
        ],
    ),
    (
        "[work]\nmemory = 1.5",
        &[
            r#"4:10: memory in [work]: expected a whole number of bytes, or a text such as "512MiB", got 1.5"#,
        ],
    ),
    (
        "[work]\nmemory = \"1.5GiB\"",
        &[
            r#"4:10: memory in [work]: expected a whole number with a unit, such as "512MiB" or "2GB", got "1.5GiB""#,
        ],
    ),
    (
        "[work]\nmemory = -1",
        &[
            r#"4:10: memory in [work]: expected a whole number of bytes, or a text such as "512MiB", got -1"#,
        ],
    ),
    (
        "[work]\nmemory = \"20000000TiB\"",
        &[r#"4:10: memory in [work]: expected at most 1024PiB, got "20000000TiB""#],
    ),
    (
        "[work]\nmemory = true",
        &["4:10: memory in [work]: expected a number or a text, got true"],
    ),
    (
        "[work]\nmemory = \"1M\"",
        &[
            r#"4:10: memory in [work]: expected the unit B, kB, MB, GB, TB, PB (powers of 1000) or KiB, MiB, GiB, TiB, PiB (powers of 1024), got "1M""#,
        ],
    ),
    (
        "[work]\ndisk = \"unlimitd\"",
        &[
            r#"4:8: disk in [work]: expected a size such as "100GiB", or "unlimited", got "unlimitd""#,
        ],
    ),
    (
        "[work]\nthreads = 1025",
        &["4:11: threads in [work]: expected a whole number from 0 to 1024, got 1025"],
    ),
    (
        "[work]\nthreads = -1",
        &["4:11: threads in [work]: expected a whole number from 0 to 1024, got -1"],
    ),
    (
        "[work]\nmetrics = \"m.txt\"",
        &[
            r#"4:11: metrics in [work]: expected a file whose name ends in .prom (the node exporter reads no other), got "m.txt""#,
        ],
    ),
    (
        "[work]\nmetrics = \"m/.prom\"",
        &[
            r#"4:11: metrics in [work]: expected a file whose name ends in .prom (the node exporter reads no other), got "m/.prom""#,
        ],
    ),
    (
        "[work]\nmetrics = \"out.d/m.prom\"",
        &["4:11: metrics in [work]: it lies inside output of [work]; choose another directory"],
    ),
    (
        "[work]\nmetrics = \"work/m.prom\"",
        &["4:11: metrics in [work]: it lies inside dir of [work]; choose another directory"],
    ),
    (
        "[work]\ndir = \"\"",
        &[r#"4:7: dir in [work]: expected a path, got """#],
    ),
    (
        "[work]\ndir = \"out\"",
        &["4:7: output in [work]: it is the same directory as dir; choose another one"],
    ),
    (
        "[work]\noutput = \"work\"",
        &["4:10: output in [work]: it is the same directory as dir; choose another one"],
    ),
    (
        "[work]\noutput = \"work/out\"",
        &["4:10: output in [work]: it lies inside dir; move it beside dir"],
    ),
    (
        "[work]\ndir = \"out/work\"",
        &["4:7: dir in [work]: it lies inside output; move it beside output"],
    ),
    (
        "[work]\ndir = \"out.d\"",
        &[
            r#"4:7: dir in [work]: "/nowhere/out.d" is the directory of the generations of output; choose another name"#,
        ],
    ),
    (
        "[work]\ndir = \".\"",
        &[
            r#"2:16: paths in [input]: "in" lies inside dir of [work]; move the input out of it"#,
            "4:7: output in [work]: it lies inside dir; move it beside dir",
        ],
    ),
    (
        "[work]\noutput = \".\"",
        &[
            r#"2:16: paths in [input]: "in" lies inside output of [work]; move the input out of it"#,
            "4:10: dir in [work]: it lies inside output; move it beside output",
        ],
    ),
    (
        "[work]\noutput = \"a/..\"",
        &[r#"4:10: output in [work]: expected a directory of its own, got "/nowhere/a/..""#],
    ),
    (
        "[work]\ndir = \"a/../out\"",
        &["4:7: output in [work]: it is the same directory as dir; choose another one"],
    ),
    (
        "[work]\ndir = \"in\"",
        &[r#"2:16: paths in [input]: "in" lies inside dir of [work]; move the input out of it"#],
    ),
    (
        "[work]\noutput = 3\ndir = 4",
        &[
            "4:10: output in [work]: expected a text in quotes, got the number 3",
            "5:7: dir in [work]: expected a text in quotes, got the number 4",
        ],
    ),
];

#[test]
fn each_is_refused_with_its_message() {
    for (lines, messages) in REFUSED {
        assert_eq!(told(&with(lines)), *messages, "{lines}");
    }
}
