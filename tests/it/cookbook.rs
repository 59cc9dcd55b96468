//! The questions of docs/guide/cookbook.md, asked of the sample crawl with DuckDB.

use crate::guide::{page, samples};
use crate::harness::{Place, Ran};
use crate::passage_views;
use std::process::{Command, Stdio};

/// A query of the page and the answer below it.
struct Recipe<'a> {
    query: &'a str,
    answer: &'a str,
}

/// Blocks of the language `sql`, each with the block of `text` behind it.
fn recipes(page: &str) -> Vec<Recipe<'_>> {
    let blocks = page.split("```sql\n").skip(1);
    let recipe = |block| {
        let (query, rest): (&str, &str) = str::split_once(block, "```").expect("an end");
        let (_, rest) = rest.split_once("```text\n").expect("an answer");
        let (answer, _) = rest.split_once("```").expect("an end");
        Recipe { query, answer }
    };
    blocks.map(recipe).collect()
}

/// Prints the answer to a query, a row a line, with columns as wide as their values.
const ASK: &str = "
import sys, duckdb
def shown(value):
    if value is None:
        return ''
    return str(value).lower() if isinstance(value, bool) else str(value)
found = duckdb.sql(sys.argv[1])
rows = [found.columns] + [[shown(value) for value in row] for row in found.fetchall()]
widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
for row in rows:
    print('  '.join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip())
";

fn python(program: &str) -> Command {
    let mut python = Command::new("python3");
    python.args(["-c", program]).stdin(Stdio::null());
    python
}

/// Whether Python has DuckDB. Where it has not, the test says so and passes; CI installs it.
fn has_duckdb() -> bool {
    let asked = python("import duckdb").output();
    let has_it = asked.is_ok_and(|asked| asked.status.success());
    assert!(
        has_it || std::env::var_os("CI").is_none(),
        "python3 has no duckdb, and CI has to ask it"
    );
    if !has_it {
        eprintln!("python3 has no duckdb: not asked");
    }
    has_it
}

#[test]
fn every_recipe_of_the_cookbook_has_its_answer() {
    let page = page("cookbook.md");
    let recipes = recipes(&page);
    assert_eq!(recipes.len(), 17);
    if !has_duckdb() {
        return;
    }
    let place = passage_views::samples(10);
    place.pipeline(&["dedup", "-q", "-o", "copies"]).exits(0);
    for Recipe { query, answer } in recipes {
        let printed = ask(&place, query);
        assert_eq!(printed, answer, "{query}prints\n{printed}");
    }
    let reserved = "SELECT name FROM parquet_schema('out/**/*.parquet'), duckdb_keywords()
        WHERE name = keyword_name AND keyword_category IN ('reserved', 'type_function')";
    let crawls = samples();
    for place in [&place, &crawls] {
        assert_eq!(ask(place, reserved), "name\n", "columns that need quotes");
    }
}

fn ask(place: &Place, query: &str) -> String {
    let mut duckdb = python(ASK);
    duckdb.arg(query).current_dir(place.path(""));
    let ran = Ran(duckdb.output().expect("python3"));
    ran.exits(0);
    ran.stdout()
}
