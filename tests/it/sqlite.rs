//! `export` to SQLite: every table in a database, beside its JSON lines and its CSV. The tests of a
//! build without the feature `sqlite` are in `bad_input`.

use crate::guide::{samples, two_snapshots};
use crate::harness::Ran;

/// Exits 0 if the tables of a database have the rows of the files beside it.
const COMPARE: &str = r#"
import csv, json, sqlite3, sys
csv.field_size_limit(1 << 30)
database = sqlite3.connect("all.sqlite")
assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
tables = [name for name, in database.execute("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY rowid")]
assert tables == sys.argv[1:], tables
kinds = {"INTEGER": int, "REAL": float, "TEXT": str}
seen = set()
for table in tables:
    columns = database.execute(f'PRAGMA table_info("{table}")').fetchall()
    names = [column[1] for column in columns]
    rows = database.execute(f'SELECT * FROM "{table}" ORDER BY rowid').fetchall()
    objects = [json.loads(line) for line in open(f"{table}.jsonl")]
    lines = list(csv.reader(open(f"{table}.csv", newline="")))
    assert lines[0] == names, table
    assert len(rows) == len(objects) == len(lines) - 1, table
    for row, object, line in zip(rows, objects, lines[1:]):
        assert list(row) == [object.get(name) for name in names], (table, row, object)
        for value, text, (_, name, kind, is_not_null, _, _) in zip(row, line, columns):
            seen.add((kind, value is None))
            if value is None:
                assert text == "" and not is_not_null, (table, name, text)
                continue
            assert type(value) is kinds[kind], (table, name, value, kind)
            text = {"true": "1", "false": "0"}.get(text, text) if kind == "INTEGER" else text
            assert kinds[kind](text) == value, (table, name, value, text)
assert seen == {(kind, null) for kind in kinds for null in (True, False)}, seen
keys = [table for table in tables if any(column[5] for column in database.execute(f'PRAGMA table_info("{table}")'))]
assert keys == ["documents", "membership", "removed", "clusters", "moved"], keys
about, = database.execute("SELECT sql FROM sqlite_schema WHERE name = 'documents'").fetchone()
assert all(" -- " in line for line in about.split("\n")[1:-1]), about
"#;

#[test]
fn a_database_has_the_rows_of_every_table() {
    let place = two_snapshots();
    place
        .pipeline(&["export", "all", "-o", "all.sqlite"])
        .exits(0);
    let tables = [
        "documents",
        "membership",
        "removed",
        "host_pairs",
        "clusters",
        "pairs",
        "common",
        "changes",
        "moved",
        "host_changes",
        "cluster_changes",
    ];
    for table in tables {
        for (format, verbatim) in [("jsonl", None), ("csv", Some("--verbatim"))] {
            let file = format!("{table}.{format}");
            let arguments = ["export", table, "-o", file.as_str()];
            let arguments: Vec<&str> = arguments.into_iter().chain(verbatim).collect();
            place.pipeline(&arguments).exits(0);
        }
    }
    let mut python = std::process::Command::new("python3");
    python.args(["-c", COMPARE]).args(tables);
    let compared = Ran(python
        .current_dir(place.path(""))
        .output()
        .expect("python3 starts"));
    compared.exits(0);
}

/// One snapshot has no tables of changes. A file of before is replaced; a pipe is refused.
#[test]
fn a_database_takes_the_place_of_a_file() {
    let place = samples();
    place.write("some.sqlite", "no database");
    let bytes = |name| std::fs::read(place.path(name)).expect("a file");
    let export = |table, file| place.pipeline(&["export", table, "-f", "sqlite", "-o", file]);
    export("all", "some.sqlite").exits(0);
    assert!(bytes("some.sqlite").starts_with(b"SQLite format 3"));
    export("removed", "some").exits(0);
    let one = bytes("some");
    assert!(one.starts_with(b"SQLite format 3") && one.len() < bytes("some.sqlite").len());
    export("changes", "none").exits(1);
    export("all", "/dev/null").exits(1);
    place.pipeline(&["export", "all", "-f", "sqlite"]).exits(2);
    let left = std::fs::read_dir(place.path("")).expect("a directory");
    let mut names = left.map(|entry| entry.expect("an entry").file_name());
    assert!(names.all(|name| !name.to_string_lossy().ends_with(".partial")));
}
