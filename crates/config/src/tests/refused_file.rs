//! The refusals, word for word: the file as a whole and `[input]`.

use super::told;

/// A file, and the messages about it.
const REFUSED: &[(&str, &[&str])] = &[
    (
        "",
        &[
            r#"1:1: missing key "version"; begin the file with `version = 1`"#,
            r#"1:1: missing key "paths" in [input]; name the files, directories or globs to read"#,
        ],
    ),
    (
        "version = 1",
        &[r#"1:1: missing key "paths" in [input]; name the files, directories or globs to read"#],
    ),
    (
        "version = 1\n[input]\n",
        &[r#"2:1: missing key "paths" in [input]; name the files, directories or globs to read"#],
    ),
    (
        "version = 2\n[input]\npaths = [\"a\"]\n",
        &["1:11: version: expected 1, the only one this program reads, got 2"],
    ),
    (
        "version = \"1\"\ninput.paths = [\"a\"]",
        &[r#"1:11: version: expected a whole number, got the text "1""#],
    ),
    (
        "[input]\npaths = [\"a\"]\n",
        &[r#"1:1: missing key "version"; begin the file with `version = 1`"#],
    ),
    (
        "version = 1\n[input\npaths",
        &["2:7: invalid TOML: unclosed table, expected `]`"],
    ),
    (
        "version = 1\ninput = 3",
        &["2:9: input: expected a table, got the number 3"],
    ),
    (
        "version = 1\nversion = 1",
        &["2:1: invalid TOML: duplicate key"],
    ),
    (
        "version = 1\n[input]\npaths = [\"a]\n",
        &["3:13: invalid TOML: unclosed array, expected `]`"],
    ),
    (
        "version = 1\n[input]\npaths = []",
        &["3:9: paths in [input]: expected at least one path, got an empty list"],
    ),
    (
        "version = 1\n[input]\npaths = \"a\"",
        &[r#"3:9: paths in [input]: expected a list of texts, got the text "a""#],
    ),
    (
        "version = 1\n[input]\npaths = [\"a\", 3, \"\"]",
        &[
            "3:15: paths in [input]: expected a text in quotes, got the number 3",
            r#"3:18: paths in [input]: expected a path, got """#,
        ],
    ),
    (
        "version = 1\n[input]\npaths = [\"~/crawl\", \"${HOME}/x\", \"a\\\\u0000b\"]",
        &[
            r#"3:10: paths in [input]: "~/crawl" is not expanded as in a shell; write the whole path"#,
            r#"3:21: paths in [input]: "${HOME}/x" is not expanded as in a shell; write the whole path"#,
        ],
    ),
    (
        "version = 1\ninput.paths = [\"in\"]\nresemblance = 0.4",
        &[r#"3:1: unknown key "resemblance" at the top level; it belongs in [cluster]"#],
    ),
    (
        "version = 1\ninput.paths = [\"in\"] extra",
        &["2:22: invalid TOML: unexpected key or value, expected newline, `#`"],
    ),
    (
        "version = 99999999999999999999999999999999999999999999",
        &[
            r#"1:1: missing key "paths" in [input]; name the files, directories or globs to read"#,
            "1:11: version: expected a whole number, got the number 99999999999999999999999999999999999999999999",
        ],
    ),
    (
        "version = 1\n[[input]]\npaths=[\"a\"]",
        &["2:1: input: expected a table, got a list"],
    ),
    (
        "version = 1\ninput.paths = [\"work/*.warc\"]",
        &[
            r#"2:16: paths in [input]: "work/*.warc" lies inside dir of [work]; move the input out of it"#,
        ],
    ),
    (
        "version = 1\ninput.paths = [\"out/documents\", \"@work/list\", \"**/*.html\", \"*/*.jsonl\", \"*.jsonl\", \"wo*/x\", \"out.d/1/x\"]",
        &[
            r#"2:16: paths in [input]: "out/documents" lies inside output of [work]; move the input out of it"#,
            r#"2:33: paths in [input]: "@work/list" lies inside dir of [work]; move the input out of it"#,
            r#"2:93: paths in [input]: "out.d/1/x" lies inside output of [work]; move the input out of it"#,
        ],
    ),
    (
        "version = 1\ninput.paths = [\"in\"]\ninput.format = \"wrac\"",
        &[
            r#"3:16: format in [input]: expected one of auto, warc, wet, arc, wacz, jsonl, parquet, html, text, got "wrac"; did you mean "warc"?"#,
        ],
    ),
    (
        "version = 1\ninput.paths = [\"in\"]\ninput.format = \"pdf\"",
        &[
            r#"3:16: format in [input]: expected one of auto, warc, wet, arc, wacz, jsonl, parquet, html, text, got "pdf""#,
        ],
    ),
    (
        "version = 1\ninput.paths = [\"in\"]\ninput.text-field = \"\"",
        &[r#"3:20: text-field in [input]: expected the name of a field, got """#],
    ),
    (
        "version = 1\ninput.paths = [\"in\"]\ninput.text-field = \"html\"",
        &[
            r#"3:20: text-field and html-field in [input]: both are "html"; name two different fields"#,
        ],
    ),
    (
        "version = 1\ninput.paths = [\"in\"]\ninput.carry-fields = [\"a\", \"b\", \"a\", \"\"]",
        &[
            r#"3:33: carry-fields in [input]: "a" occurs twice"#,
            r#"3:38: carry-fields in [input]: expected the name of a field, got """#,
        ],
    ),
    (
        "version = 1\ninput.paths = [\"in\"]\ninput.carry-fields = [\"s\", \"É\", \"S\", \"é\", \"Url\"]",
        &[
            r#"3:33: carry-fields in [input]: "s" and "S" differ in case alone, which readers of tables do not tell apart; name one of them"#,
            r#"3:38: carry-fields in [input]: "É" and "é" differ in case alone, which readers of tables do not tell apart; name one of them"#,
            r#"3:43: carry-fields in [input]: the document table already has a column "url"; remove the field from the list"#,
        ],
    ),
    (
        "version = 1\ninput.paths = [\"in\"]\ninput.max-document = 0",
        &["3:22: max-document in [input]: expected at least 1 byte, got 0"],
    ),
    (
        "version = 1\ninput.paths = [\"in\"]\ninput.max-url = \"2MiB\"",
        &["3:17: max-url in [input]: expected at most 1048576 bytes, got \"2MiB\""],
    ),
    (
        "version = 1\ninput.paths = [\"in\"]\ninput.max-rejected = \"101%\"",
        &[
            r#"3:22: max-rejected in [input]: expected a percentage such as "5%", or a share from 0 to 1, got "101%""#,
        ],
    ),
    (
        "version = 1\ninput.paths = [\"in\"]\ninput.max-rejected = \"5\"",
        &[
            r#"3:22: max-rejected in [input]: expected a percentage such as "5%", or a share from 0 to 1, got "5""#,
        ],
    ),
    (
        "version = 1\ninput.paths = [\"in\"]\ninput.max-rejected = 1.5",
        &[
            r#"3:22: max-rejected in [input]: expected a percentage such as "5%", or a share from 0 to 1, got 1.5"#,
        ],
    ),
    (
        "version = 1\ninput.paths = [\"in\"]\ninput.max-rejected = nan",
        &[
            r#"3:22: max-rejected in [input]: expected a percentage such as "5%", or a share from 0 to 1, got NaN"#,
        ],
    ),
    (
        "version = 1\ninput.paths = [\"in\"]\ninput.max-rejected = \"-1%\"",
        &[
            r#"3:22: max-rejected in [input]: expected a percentage such as "5%", or a share from 0 to 1, got "-1%""#,
        ],
    ),
];

#[test]
fn each_is_refused_with_its_message() {
    for (text, messages) in REFUSED {
        assert_eq!(told(text), *messages, "{text}");
    }
}
