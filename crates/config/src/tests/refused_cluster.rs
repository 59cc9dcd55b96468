//! The refusals, word for word: `[pairs]` and `[cluster]`.

use super::{told, with};

/// Lines after a complete configuration of two lines, and the messages about it.
const REFUSED: &[(&str, &[&str])] = &[
    (
        "[pairs]\nfloor = 1.5",
        &["4:9: floor in [pairs]: expected a number from 0 to 1 with at most 18 decimals, got 1.5"],
    ),
    (
        "[pairs]\ncommon-shingle-limit = 0",
        &[
            r#"4:24: common-shingle-limit in [pairs]: expected a whole number from 1 to 4294967294, or "unlimited", got 0"#,
        ],
    ),
    (
        "[pairs]\ncommon-shingle-limit = \"unlimted\"",
        &[
            r#"4:24: common-shingle-limit in [pairs]: expected a whole number from 1 to 4294967294, or "unlimited", got "unlimted""#,
        ],
    ),
    (
        "[pairs]\ncommon-shingle-limit = 4294967295",
        &[
            r#"4:24: common-shingle-limit in [pairs]: expected a whole number from 1 to 4294967294, or "unlimited", got 4294967295"#,
        ],
    ),
    (
        "[pairs]\ncommon-shingle-limit = []",
        &["4:24: common-shingle-limit in [pairs]: expected a number or a text, got a list"],
    ),
    (
        "[cluster]\nresemblance = 1.0000001",
        &[
            "4:15: resemblance in [cluster]: expected a number from 0 to 1 with at most 18 decimals, got 1.0000001",
        ],
    ),
    (
        "[cluster]\nresemblance = -0.1",
        &[
            "4:15: resemblance in [cluster]: expected a number from 0 to 1 with at most 18 decimals, got -0.1",
        ],
    ),
    (
        "[cluster]\nresemblance = nan",
        &[
            "4:15: resemblance in [cluster]: expected a number from 0 to 1 with at most 18 decimals, got NaN",
        ],
    ),
    (
        "[cluster]\nresemblance = inf",
        &[
            "4:15: resemblance in [cluster]: expected a number from 0 to 1 with at most 18 decimals, got inf",
        ],
    ),
    (
        "[cluster]\nresemblance = \"0.5\"",
        &[
            r#"4:15: resemblance in [cluster]: expected a number from 0 to 1 with at most 18 decimals, got "0.5""#,
        ],
    ),
    (
        "[cluster]\nresemblance = 1e999",
        &[
            "4:15: resemblance in [cluster]: expected a number from 0 to 1 with at most 18 decimals, got inf",
        ],
    ),
    (
        "[cluster]\nresemblance = 1e-30",
        &[
            "4:15: resemblance in [cluster]: expected a number from 0 to 1 with at most 18 decimals, got 0.000000000000000000000000000001",
        ],
    ),
    (
        "[cluster]\nresemblance = 1979-05-27",
        &["4:15: resemblance in [cluster]: expected a number or a text, got a date"],
    ),
    (
        "[cluster]\ncontainment = 2",
        &[
            "4:15: containment in [cluster]: expected a number from 0 to 1 with at most 18 decimals, got 2",
        ],
    ),
    (
        "[cluster]\ncontainment-joins = true",
        &[
            "4:21: containment-joins in [cluster]: containment is not set; set it, or set this to false",
        ],
    ),
    (
        "[cluster]\nmin-shared = 0",
        &["4:14: min-shared in [cluster]: expected a whole number from 1 to 4294967295, got 0"],
    ),
    (
        "[cluster]\nlinkage = \"componets\"",
        &[
            r#"4:11: linkage in [cluster]: expected one of components, star, leader, got "componets"; did you mean "components"?"#,
        ],
    ),
    (
        "[cluster]\nlinks = \"al\"",
        &[
            r#"4:9: links in [cluster]: expected one of strongest, all, got "al"; did you mean "all"?"#,
        ],
    ),
    (
        "[cluster]\nkeep = \"frist\"",
        &[
            r#"4:8: keep in [cluster]: expected first, longest, oldest, newest, field:NAME, field:NAME:desc or hosts:[A,B], got "frist"; did you mean "first"?"#,
        ],
    ),
    (
        "[cluster]\nkeep = \"field:score\"",
        &[
            r#"4:8: keep in [cluster]: field "score" is not in carry-fields of [input]; add it there"#,
        ],
    ),
    (
        "[cluster]\nkeep = \"hosts:\"",
        &[r#"4:8: keep in [cluster]: expected hosts:[A,B] with at least one host, got "hosts:""#],
    ),
    (
        "[cluster]\nkeep = \"hosts:[]\"",
        &[r#"4:8: keep in [cluster]: expected hosts:[A,B] with at least one host, got "hosts:[]""#],
    ),
    (
        "[cluster]\nkeep = \"hosts:[a,,http://b, a]\"",
        &[
            r#"4:8: keep in [cluster]: expected host names without scheme, port or path, got """#,
            r#"4:8: keep in [cluster]: expected host names without scheme, port or path, got "http://b""#,
            r#"4:8: keep in [cluster]: "a" occurs twice"#,
        ],
    ),
    (
        "[cluster]\nkeep = [\"a\"]",
        &["4:8: keep in [cluster]: expected a text in quotes, got a list"],
    ),
];

#[test]
fn each_is_refused_with_its_message() {
    for (lines, messages) in REFUSED {
        assert_eq!(told(&with(lines)), *messages, "{lines}");
    }
}
