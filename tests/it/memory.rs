//! Memory under a limit of the kernel: past it, allocation fails and the program ends with exit 4.

use crate::harness::Place;
use crate::web::Server;
use parquet::basic::{Compression, ZstdLevel};
use parquet::data_type::{ByteArray, ByteArrayType};
use parquet::file::properties::{WriterProperties, WriterPropertiesBuilder};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use std::process::{Command, Output};
use std::sync::Arc;

pub(crate) const MIB: u64 = 1 << 20;

/// Runs with RLIMIT_DATA: private memory, reserved but untouched stacks and arenas aside.
pub(crate) fn run_within(place: &Place, limit_bytes: u64) -> Output {
    called_within(place, "run -q", limit_bytes)
}

/// The same with other words.
fn called_within(place: &Place, words: &str, limit_bytes: u64) -> Output {
    let script = format!(
        "ulimit -d {} && exec {} {words}",
        limit_bytes / 1024,
        env!("CARGO_BIN_EXE_pipeline")
    );
    Command::new("sh")
        .args(["-c", &script])
        .current_dir(place.path(""))
        .output()
        .expect("sh runs")
}

#[test]
fn a_corpus_larger_than_the_budget_runs_within_it_plus_64_mib() {
    let place = Place::new();
    // Twice the budget and more, with so many shared shingles that sorts spill.
    place.corpus(41, 30_000);
    let bytes: u64 = (0..3)
        .map(|i| {
            std::fs::metadata(place.path(&format!("crawl/part-{i}.jsonl")))
                .expect("a file")
                .len()
        })
        .sum();
    assert!(bytes > 40 * MIB, "{bytes} bytes of corpus");
    place.config(&[
        "work.memory = \"64MiB\"",
        "sketch.method = { kind = \"adaptive-modulus\", target = 4096, coarsest = 32 }",
    ]);
    let ended = run_within(&place, 128 * MIB);
    assert!(
        ended.status.success(),
        "{}",
        String::from_utf8_lossy(&ended.stderr)
    );
    // The same run under a limit below the budget must die: the test can fail.
    std::fs::remove_dir_all(place.path("work")).expect("removed");
    let ended = run_within(&place, 16 * MIB);
    assert_eq!(
        ended.status.code(),
        Some(4),
        "16 MiB are enough, so the limit is none"
    );
}

#[test]
fn memory_that_the_system_refuses_ends_the_run_with_exit_4() {
    let place = Place::with_corpus(43, 3_000);
    place.config(&["work.memory = \"64MiB\"", "work.threads = 16"]);
    let (mut threads, mut bytes) = (0, 0);
    // Below the stacks of the threads, and a little above them.
    for limit in (8..=64).step_by(8) {
        let ended = run_within(&place, limit * MIB);
        let said = String::from_utf8_lossy(&ended.stderr);
        if ended.status.success() {
            continue;
        }
        assert_eq!(ended.status.code(), Some(4), "{limit} MiB: {said}");
        assert!(said.contains("ulimit -d"), "{limit} MiB: {said}");
        threads += u32::from(said.contains("failed to start"));
        bytes += u32::from(said.contains("failed to allocate"));
    }
    assert!(
        threads > 0 && bytes > 0,
        "{threads} of threads, {bytes} of bytes"
    );
    place.run();
}

#[test]
fn hostile_documents_stay_within_the_budget() {
    let place = Place::new();
    let page = |text: &str| format!("{{\"html\": \"{text}\"}}\n");
    let words = "one two three four five six seven eight nine ten ".repeat(320_000);
    let mut corpus = page(&words[..15_000_000]);
    corpus += &page(&"<div>".repeat(2_000_000));
    corpus += &page(&"<a href='".repeat(900_000));
    corpus += &page(&"&amp;".repeat(2_000_000));
    corpus += &page(&"x".repeat(15_000_000));
    corpus += &page("a page of a few words, so that there is something to keep");
    corpus += &page(&"too large ".repeat(3_000_000));
    place.write("crawl/hostile.jsonl", corpus);
    place.config(&["work.memory = \"64MiB\"", "work.threads = 8"]);
    let ended = run_within(&place, 128 * MIB);
    assert!(
        ended.status.success(),
        "{}",
        String::from_utf8_lossy(&ended.stderr)
    );
    assert_eq!(place.rows("documents").len(), 6);
}

#[test]
fn answers_with_long_names_stay_within_their_memory() {
    let place = Place::new();
    let text = "one two three four five six seven eight nine ten eleven twelve";
    let row = |at: u32| {
        let id = format!("{at} ") + &"x".repeat(1_000_000);
        format!("{{\"id\": \"{id}\", \"text\": \"{text}\"}}\n")
    };
    place.write("crawl/a.jsonl", (0..60).map(row).collect::<String>());
    let list: String = (0..2000).map(|line| format!("{}\n", line % 60)).collect();
    place.write("list", list);
    place.config(&[]);
    place.run();
    for words in [
        "query group < list",
        "query group --json < list",
        "query cluster 0 -n 200",
        "query cluster 0 -n 200 --json",
        "query like 0 -n 200 --json",
        "report -o report.html",
    ] {
        let ended = called_within(&place, words, 128 * MIB);
        let said = String::from_utf8_lossy(&ended.stderr);
        assert!(ended.status.success(), "{words}: {said}");
    }
    let grouped = called_within(&place, "query group --json < list", 128 * MIB);
    let grouped: serde_json::Value = serde_json::from_slice(&grouped.stdout).expect("JSON");
    let folded = grouped["groups"][0]["folded"].as_array().expect("lines");
    let named = folded.iter().filter(|line| line["id"].is_string());
    assert_eq!((folded.len(), named.count()), (1999, 4));
    assert_eq!(grouped["unnamed"], 1995);
    let cluster = place.pipeline(&["query", "cluster", "0", "-n", "200", "--json"]);
    assert_eq!(cluster.json()["members"].as_array().map(Vec::len), Some(4));
    let told = "56 more, as names are long; `pipeline export membership` has them";
    let cluster = place.pipeline(&["query", "cluster", "0", "-n", "200"]);
    assert!(cluster.stdout().contains(told));
    let page = Server::start(&place).get("/cluster/0");
    assert!(
        page.contains("The first 4 of 60 documents are listed."),
        "{page}"
    );
}

#[test]
fn hosts_of_common_shingles_are_counted_within_the_memory() {
    let place = Place::new();
    let row = |at: u32| {
        let words: String = (0..20).map(|word| format!(" common{word}")).collect();
        let host = format!("{at}x{}", "y".repeat(60_000));
        format!("{{\"url\": \"http://{host}.test/\", \"text\": \"own{at} {words}\"}}\n")
    };
    place.write("crawl/a.jsonl", (0..2_000).map(row).collect::<String>());
    place.config(&[
        "input.max-document = \"64KiB\"",
        "pairs.common-shingle-limit = 100",
        "sketch.method = { kind = \"modulus\", modulus = 1 }",
    ]);
    place.run();
    let ended = called_within(&place, "query common --json", 64 * MIB);
    let said = String::from_utf8_lossy(&ended.stderr);
    assert!(ended.status.success(), "{said}");
    let answer: serde_json::Value = serde_json::from_slice(&ended.stdout).expect("JSON");
    let shingles = answer["shingles"].as_array().expect("shingles");
    assert!(shingles.iter().all(|one| one["hosts"] == 2_000));
    let sites = shingles
        .iter()
        .map(|one| one["sites"].as_array().map_or(0, Vec::len));
    // 4 MiB of names, of 60,000 bytes each.
    assert_eq!(sites.sum::<usize>(), 69);
}

#[test]
fn a_budget_below_the_minimum_is_refused_and_the_minimum_is_at_most_64_mib() {
    let place = Place::with_corpus(42, 10);
    place.config(&["work.memory = \"4MiB\""]);
    let ran = place.pipeline(&["run"]);
    ran.exits(2);
    ran.says("this configuration needs");
    place.config(&["work.memory = \"64MiB\""]);
    place.run();
    place.config(&["work.memory = \"64MiB\"", "input.max-document = \"512MiB\""]);
    place.pipeline(&["run"]).exits(2);
}

/// A Parquet file of one row group, of these columns of text.
pub(crate) fn parquet(
    properties: WriterPropertiesBuilder,
    columns: &[(&str, Vec<ByteArray>)],
) -> Vec<u8> {
    let fields: String = columns
        .iter()
        .map(|(name, _)| format!("required binary {name} (UTF8);"))
        .collect();
    let schema =
        Arc::new(parse_message_type(&format!("message m {{ {fields} }}")).expect("a schema"));
    let zstd = Compression::ZSTD(ZstdLevel::default());
    let properties = Arc::new(properties.set_compression(zstd).build());
    let mut writer = SerializedFileWriter::new(Vec::new(), schema, properties).expect("a writer");
    let mut group = writer.next_row_group().expect("a row group");
    for (_, values) in columns {
        let mut column = group.next_column().expect("no error").expect("a column");
        column
            .typed::<ByteArrayType>()
            .write_batch(values, None, None)
            .expect("values");
        column.close().expect("a column");
    }
    group.close().expect("a row group");
    writer.into_inner().expect("a file")
}

#[test]
fn parquet_pages_stay_within_the_budget() {
    const ROWS: usize = 100_000;
    let place = Place::new();
    let large_pages = || {
        let all = usize::MAX / 2;
        let properties = WriterProperties::builder()
            .set_data_page_size_limit(all)
            .set_dictionary_page_size_limit(all);
        properties
            .set_data_page_row_count_limit(all)
            .set_column_dictionary_enabled("text".into(), false)
    };
    let usual = |file: usize| {
        let text = |row: usize| {
            (0..200)
                .map(|word| format!("w{} ", (row * 31 + word * word + file) % 5_003))
                .collect()
        };
        (0..6_000)
            .map(|row| ByteArray::from(String::into_bytes(text(row))))
            .collect()
    };
    for file in 0..4 {
        place.write(
            &format!("crawl/usual-{file}.parquet"),
            parquet(WriterProperties::builder(), &[("text", usual(file))]),
        );
    }
    // As much as is read at once: a dictionary of many ids, and a page of many texts with a long
    // one among them.
    let ids = (0..ROWS)
        .map(|row| ByteArray::from(format!("id-{row:08}").into_bytes()))
        .collect();
    let mut texts: Vec<_> = (0..ROWS)
        .map(|row| ByteArray::from(format!("page {row}").into_bytes()))
        .collect();
    texts[ROWS / 2] = ByteArray::from(
        (0..2_000_000)
            .map(|i| format!("{:06x} ", i * 7 % 9_999_991))
            .collect::<String>()
            .into_bytes(),
    );
    place.write(
        "crawl/large.parquet",
        parquet(large_pages(), &[("id", ids), ("text", texts)]),
    );
    // More than is read at once: three pages of 35 MiB.
    let page = || vec![ByteArray::from(b"one two three four five six seven ".repeat(1 << 15)); 33];
    let properties = large_pages()
        .set_dictionary_enabled(false)
        .set_compression(Compression::SNAPPY);
    place.write(
        "crawl/too-large.parquet",
        parquet(
            properties,
            &[("html", page()), ("text", page()), ("url", page())],
        ),
    );
    // These texts are all the same.
    let expansion = "input.max-expansion = 1000000";
    place.config(&["work.memory = \"64MiB\"", "work.threads = 8", expansion]);
    let ended = run_within(&place, 128 * MIB);
    assert!(
        ended.status.success(),
        "{}",
        String::from_utf8_lossy(&ended.stderr)
    );
    assert_eq!(place.rows("documents").len(), 4 * 6_000 + ROWS);
    let rejected = std::fs::read_to_string(place.path("out/rejected.jsonl")).expect("a list");
    assert!(
        rejected.lines().count() == 1 && rejected.contains("page-too-large"),
        "{rejected}"
    );
    // They are read where the configuration allows it, within the budget.
    place.config(&[
        "work.memory = \"192MiB\"",
        "work.threads = 8",
        "input.max-page = \"112MiB\"",
        expansion,
    ]);
    let ended = run_within(&place, 256 * MIB);
    assert!(
        ended.status.success(),
        "{}",
        String::from_utf8_lossy(&ended.stderr)
    );
    assert_eq!(place.rows("documents").len(), 4 * 6_000 + ROWS + 33);
    place.config(&["work.memory = \"64MiB\"", "input.max-page = \"112MiB\""]);
    let ended = run_within(&place, 128 * MIB);
    assert_eq!(ended.status.code(), Some(2));
    let why = String::from_utf8_lossy(&ended.stderr);
    assert!(
        why.contains("in pages of max-page = 117440512); set memory = "),
        "{why}"
    );
}

#[test]
fn long_urls_ids_and_fields_stay_within_the_budget() {
    for (field, flag) in [
        ("host", "url-too-long"),
        ("url", "url-too-long"),
        ("f", "field-too-long"),
        ("id", ""),
    ] {
        let place = Place::new();
        let line = |n: usize| {
            let long = format!("{n:07}").repeat(4_000_000);
            let of = |name: &str, short: String| if name == field { long.clone() } else { short };
            format!(
                "{{\"id\":\"{}\",\"url\":\"http://{}.example/{}\",\"f\":\"{}\",\"text\":\"words of pages {}\"}}\n",
                of("id", n.to_string()),
                of("host", n.to_string()),
                of("url", n.to_string()),
                of("f", n.to_string()),
                n / 2
            )
        };
        place.write("crawl/a.jsonl", (0..6).map(line).collect::<String>());
        place.config(&[
            "work.memory = \"64MiB\"",
            "input.carry-fields = [\"f\"]",
            "cluster.keep = \"field:f\"",
        ]);
        let ended = run_within(&place, 128 * MIB);
        let said = String::from_utf8_lossy(&ended.stderr);
        if flag.is_empty() {
            assert_eq!(ended.status.code(), Some(3), "{said}");
            assert!(
                said.contains("id-too-long: the id has 28000000 bytes, max-field in [input] is"),
                "{said}"
            );
            continue;
        }
        assert!(ended.status.success(), "{field}: {said}");
        let rows = place.rows("documents");
        assert_eq!(rows.len(), 6);
        let column = if field == "f" { "f" } else { "url" };
        assert!(rows.iter().all(|row| row[column].is_null()), "{field}");
        let report = std::fs::read_to_string(place.path("out/report.json")).expect("a report");
        let report: serde_json::Value = serde_json::from_str(&report).expect("JSON");
        assert_eq!(report["input"]["flags"][flag], 6, "{report}");
    }
}
