//! Lists that are refused, each with its place.

use super::read;

const HEAD: &str =
    "version = 1\nlast-number = 1\n[[snapshot]]\nnumber = 1\nname = \"a\"\npaths = [\"x\"]\n";
const FILES: &str =
    "roots = [\"\"]\nfiles = [\n{ name = \"f\", format = \"warc\", bytes = 1 },\n]\n";

#[test]
fn the_plainest_list_is_accepted() {
    let list = read(format!("{HEAD}{FILES}")).expect("a list");
    assert_eq!((list.len(), list[0].files.len()), (1, 1));
    let odd = format!("# c\r\n{HEAD}\t # d\n{FILES}")
        .replace('\n', "\r\n")
        .replace("},", "}  # last");
    assert_eq!(read(odd), Ok(list));
    assert_eq!(read("version = 1\nlast-number = 0\n"), Ok(Vec::new()));
}

#[test]
fn each_kind_of_damage_is_told_with_its_line() {
    let whole = format!("{HEAD}{FILES}");
    let second = whole
        .split_once("[[")
        .expect("a head")
        .1
        .replace("number = 1", "number = 2");
    let with = |from: &str, to: &str| whole.replacen(from, to, 1);
    let two = |second: &str| {
        format!(
            "{}[[{second}",
            whole.replace("last-number = 1", "last-number = 2")
        )
    };
    let line = "{ name = \"f\", format = \"warc\", bytes = 1 },\n";
    let cases = [
        (String::new(), "1:1: missing key \"version\""),
        (
            "version = 2\nlast-number = 0\n".to_owned(),
            "this program reads version 1",
        ),
        (
            "version = 1\n".to_owned(),
            "1:1: missing key \"last-number\"",
        ),
        (
            "version = 1\nversion = 1\n".to_owned(),
            "2:1: version occurs twice",
        ),
        (
            "version = 1\nlast-number = 4294967296\n".to_owned(),
            "above 2147483647",
        ),
        ("verson = 1\n".to_owned(), "1:1: unknown key \"verson\""),
        (
            with("last-number = 1", "last-number = 2"),
            "ends with snapshot 1, and last-number is 2: it was cut",
        ),
        (
            with("number = 1\nname", "number = 2\nname"),
            "3:1: snapshot 2 follows 0",
        ),
        (with("paths =", "pahts ="), "6:1: unknown key \"pahts\""),
        (with("paths = [\"x\"]\n", ""), "3:1: missing key \"paths\""),
        (with("name = \"a\"\n", ""), "3:1: missing key \"name\""),
        (
            with("name = \"a\"\n", "name = \"a\"\nname = \"a\"\n"),
            "6:1: name occurs twice",
        ),
        (
            with("\"a\"", "\"default\""),
            "3:1: name \"default\": that is what",
        ),
        (with("\"a\"", "\"a/b\""), "it has a slash in it"),
        (
            with("\"a\"", "7"),
            "5:1: name: expected another kind of value, got a number",
        ),
        (
            with("name = \"a\"\n", "name = \"a\"\ndropped = true\n").replace(line, ""),
            "roots of a snapshot that was dropped",
        ),
        (
            with("]\nfiles", "]\nunreadable = 1\nfiles"),
            "unreadable is 1, and 0 are in the list: it was cut",
        ),
        (
            with("paths", "date = 2026-02-30T00:00:00Z\npaths"),
            "6:8: expected a text",
        ),
        (with("roots = [\"\"]\n", ""), "3:1: missing key \"roots\""),
        (
            with("roots = [\"\"]\n", "roots = []\n"),
            "\"f\" has root 0, and there are 0",
        ),
        (
            HEAD.to_owned() + "roots = [\"\"]\n",
            "missing key \"files\"",
        ),
        (
            HEAD.to_owned() + "files = []\n",
            "7:1: files: expected what this program writes here",
        ),
        (
            HEAD.to_owned() + "paths = [\n",
            "7:1: paths: expected what this program writes here",
        ),
        (with("]\n", "]\n{ name = \"f\" }\n"), "4:1: expected a key"),
        (
            with("},\n]\n", "},\n"),
            "the file ends within the list \"files\" of line 8: it was cut",
        ),
        (
            with(line, &line.repeat(2)),
            "10:1: the file \"f\" occurs twice",
        ),
        (
            with(line, &(line.replace("\"f\"", "\"g\"") + line)),
            "10:1: files are not in the order of their names",
        ),
        (with("\"warc\"", "\"arc\""), "9:1: unknown format \"arc\""),
        (
            with("bytes = 1", "bytes = 1, bytes = 1"),
            "9:43: bytes occurs twice",
        ),
        (with("bytes = 1", "bytes = -1"), "9:40: expected a text"),
        (with(", bytes = 1", ""), "9:1: missing key \"bytes\""),
        (
            with("bytes = 1", "bytes = 1, digest = \"12\""),
            "9:1: digest: expected 16 hex digits",
        ),
        (
            with("bytes = 1", "bytes = 1, size = 1"),
            "9:43: unknown key \"size\"",
        ),
        (
            with("{ name", "{ name-bytes = \"0g\", name"),
            "9:1: name-bytes: expected pairs of hex digits",
        ),
        (
            with(
                "\n]\n",
                "\n]\nrejected = [\n{ name = \"x\", reason = \"odd\" },\n]\n",
            ),
            "12:1: unknown reason \"odd\"",
        ),
        (two(&second), "the name \"a\" occurs twice"),
        (
            two(&second.replace("number = 2", "number = 3")),
            "snapshot 3 follows 1",
        ),
        (
            two(&second.replace("number = 2", "number = 1")),
            "snapshot 1 follows 1",
        ),
        (with("bytes = 1", "bytes = 1 # }"), "9:42: expected"),
        (
            format!("version = 1 #{}\n", "x".repeat(1 << 20)),
            "1:1: the line is longer than 1 MiB",
        ),
        ("[[snapshots]]\n".to_owned(), "1:1: expected a key"),
    ];
    for (text, expected) in cases {
        let told = read(&text).expect_err(&text);
        assert!(told.contains(expected), "{expected:?} is not in {told:?}");
        assert!(
            told.starts_with("snapshots.toml:") && told.contains("from a backup"),
            "{told}"
        );
    }
    assert!(
        read(b"version = 1\nlast\xff")
            .unwrap_err()
            .contains("2:5: expected UTF-8")
    );
}
