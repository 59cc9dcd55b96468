//! Named parts of the input: references of which nothing goes, keys of their own, and sources of
//! which no document can be read.

use crate::dedup::{copies, lines};
use crate::harness::{Place, Ran, files_below};

/// Words of a page that resembles no page of another number.
fn text(number: usize) -> String {
    let words = (0..60).map(|word| format!("w{}", (number * 7919 + word * 104_729) % 99_991));
    words.collect::<Vec<_>>().join(" ")
}

/// Lines of JSONL with the texts of these numbers in a field.
fn jsonl(name: &str, field: &str, numbers: &[usize]) -> String {
    let line = |number: &usize| {
        let text = text(*number);
        format!("{{\"id\": \"{name}{number}\", \"{field}\": \"{text}\"}}\n")
    };
    numbers.iter().map(line).collect()
}

/// A place with the data `train`, a benchmark that has two of its texts, and these keys of it.
fn place(field: &str, keys: &str) -> Place {
    let place = Place::new();
    place.write("train/a.jsonl", jsonl("t", "text", &[1, 2, 3, 4, 4]));
    place.write("z-bench.jsonl", jsonl("b", field, &[2, 3, 7, 7]));
    configure(&place, "bench", keys);
    place
}

/// Writes the configuration with the benchmark under a name; with none, without a source.
fn configure(place: &Place, name: &str, keys: &str) {
    place.config(&["input.paths = [\"train\"]"]);
    let toml = std::fs::read_to_string(place.path("pipeline.toml")).expect("a file");
    let source =
        format!("\n[[input.source]]\nname = {name:?}\npaths = [\"z-bench.jsonl\"]\n{keys}\n");
    let source = if name.is_empty() {
        String::new()
    } else {
        source
    };
    place.write(
        "pipeline.toml",
        toml.replace("\n[sketch]", &format!("{source}\n[sketch]")),
    );
}

#[track_caller]
fn ends_with_3(ran: &Ran, messages: &[&str]) {
    ran.exits(3);
    messages.iter().for_each(|message| ran.says(message));
}

/// The ids of the rows that are copied.
fn ids(place: &Place, name: &str) -> Vec<String> {
    let id = |line: String| {
        let row: serde_json::Value = serde_json::from_str(&line).expect("a row");
        row["id"].as_str().expect("an id").to_owned()
    };
    lines(place, name).into_iter().map(id).collect()
}

#[test]
fn a_source_without_a_document_is_named_and_what_was_published_stays() {
    let place = place("question", "");
    configure(&place, "", "");
    place.run();
    let before = place.published();
    configure(&place, "bench", "");
    let named = "failed to read source \"bench\": it has no document; records rejected: 4";
    let why = "the first is z-bench.jsonl, byte 0: no-text";
    let remedy = "mend its paths, format or fields in [[input.source]], or remove it";
    for _ in 0..2 {
        ends_with_3(&place.pipeline(&["run"]), &[named, why, remedy]);
        assert!(before == place.published(), "the publication changed");
    }
    let key = "set text-field of \"bench\" in [[input.source]] to one of id, question";
    for dedup in [&["dedup", "-n"][..], &["dedup", "-n", "--against", "bench"]] {
        ends_with_3(&place.pipeline(dedup), &[named, why, key, remedy]);
    }
    // Its only file is one of another format.
    configure(&place, "bench", "format = \"parquet\"");
    let why = "the first is z-bench.jsonl, byte 0: bad-parquet";
    ends_with_3(&place.pipeline(&["run"]), &["\"bench\"", why]);
    // Nothing of it is listed at all.
    place.write("z-bench.jsonl", "");
    let why = "the first is z-bench.jsonl, byte 0: empty-file";
    for call in [
        &["run"][..],
        &["run", "--dry-run"],
        &["status"],
        &["dedup", "-n"],
    ] {
        ends_with_3(&place.pipeline(call), &["\"bench\"", why]);
    }
    assert!(before == place.published(), "the publication changed");
}

#[test]
fn a_source_whose_paths_match_no_file_is_named() {
    let place = place("text", "");
    std::fs::create_dir(place.path("nothing")).expect("a directory");
    let toml = std::fs::read_to_string(place.path("pipeline.toml")).expect("a file");
    for path in ["missing.jsonl", "z-*.warc", "nothing"] {
        place.write("pipeline.toml", toml.replace("z-bench.jsonl", path));
        let named = format!("failed to read source \"bench\": no file matches {path:?}");
        for call in ["run", "status"] {
            ends_with_3(&place.pipeline(&[call]), &[&named, "[[input.source]]"]);
        }
    }
    for path in ["missing.jsonl", "t*.warc"] {
        place.write("pipeline.toml", toml.replace("train", path));
        let named = format!(
            "failed to read the data, which is what paths in [input] name beside the sources: no file matches {path:?}"
        );
        for call in ["run", "status"] {
            ends_with_3(&place.pipeline(&[call]), &[&named]);
        }
    }
    place.write("pipeline.toml", &toml);
    place.run();
    place.write("pipeline.toml", toml.replace("z-bench.jsonl", "nothing"));
    let dedup = place.pipeline(&["dedup", "-n", "--against", "bench"]);
    ends_with_3(&dedup, &["\"bench\": no file matches \"nothing\""]);
}

#[test]
fn dedup_refuses_a_source_that_a_run_before_its_name_could_not_read() {
    let place = Place::new();
    place.write("train/a.jsonl", jsonl("t", "text", &[1, 2, 3]));
    place.write("bench/b.jsonl", jsonl("b", "question", &[2]));
    let source = |name: &str, path: &str| {
        format!("\n[[input.source]]\nname = \"{name}\"\npaths = [\"{path}\"]\n")
    };
    let configure = |sources: &str| {
        let text = format!("version = 1\n{sources}\n[sketch]\nseed = \"s\"\n");
        place.write("pipeline.toml", text);
    };
    let both = "\n[[input.source]]\nname = \"all\"\npaths = [\"train\", \"bench\"]\n";
    configure(both);
    place.run();
    // All files are of sources, before and now: no phase is out of date.
    configure(&(source("train", "train") + &source("bench", "bench")));
    for against in [&[][..], &["--against", "bench"]] {
        let dedup = place.pipeline(&[&["dedup", "-n"], against].concat());
        ends_with_3(&dedup, &["failed to read source \"bench\"", "no-text"]);
    }
    ends_with_3(
        &place.pipeline(&["run"]),
        &["failed to read source \"bench\""],
    );
}

#[test]
fn data_without_a_document_beside_references_is_named() {
    let place = place("text", "");
    let why = "failed to read the data, which is what references and --against leave of paths in \
               [input]: it has no document; records rejected: ";
    let rejected = "5; the first is a.jsonl, byte 0: no-text";
    place.write("train/a.jsonl", jsonl("t", "question", &[1, 2, 3, 4, 4]));
    ends_with_3(&place.pipeline(&["run"]), &[why, rejected]);
    // A run before the name was given could read nothing of it either.
    place.write("train/a.jsonl", "");
    let empty = "1; the first is a.jsonl, byte 0: empty-file";
    for run in [&["run"][..], &["run", "--dry-run"]] {
        ends_with_3(&place.pipeline(run), &[why, empty]);
    }
    // A source has all files of `paths`, so that nothing is left.
    place.config(&["input.paths = [\"z-bench.jsonl\"]"]);
    let toml = std::fs::read_to_string(place.path("pipeline.toml")).expect("a file");
    let source = "\n[[input.source]]\nname = \"bench\"\npaths = [\"z-bench.jsonl\"]\n";
    let toml = toml.replace("\n[sketch]", &format!("{source}\n[sketch]"));
    place.write("pipeline.toml", toml);
    place.run();
    place.pipeline(&["dedup", "-n"]).exits(0);
    ends_with_3(
        &place.pipeline(&["dedup", "-n", "--against", "bench"]),
        &[why],
    );
}

#[test]
fn dedup_refuses_a_snapshot_without_a_document() {
    let place = Place::new();
    place.write("one/a.jsonl", jsonl("t", "text", &[1, 2]));
    place.write("two/b.jsonl", jsonl("t", "question", &[2]));
    place.write("pipeline.toml", "version = 1\n[sketch]\nseed = \"s\"\n");
    for name in ["one", "two"] {
        place.pipeline(&["snapshot", "add", name, name]).exits(0);
    }
    place.run();
    let refused = place.pipeline(&["dedup", "-n", "--against", "one"]);
    let why = "records rejected: 1; the first is b.jsonl, byte 0: no-text";
    ends_with_3(
        &refused,
        &["failed to read the data", "paths in [input]", why],
    );
    let refused = place.pipeline(&["dedup", "-n", "--against", "two"]);
    let messages = [
        "\"two\": it has no document; records rejected: 1; the first is b.jsonl, byte 0: no-text",
        "or drop the snapshot",
    ];
    ends_with_3(&refused, &messages);
}

#[test]
fn a_source_is_read_by_its_own_keys() {
    let place = place("question", "text-field = \"question\"");
    place.run();
    let out = copies(&place, "against", &["--against", "bench"]);
    assert_eq!([&out["removed"], &out["against"]], [2, 4]);
    assert_eq!(ids(&place, "against"), ["t1", "t4", "t4"]);
    // What is read again is read by the same keys.
    let explained = place.pipeline(&["explain", "b2", "t2"]);
    explained.exits(0);
    assert!(
        explained.stdout().contains("all words are equal")
            || explained.stdout().contains("100.0 %"),
        "{}",
        explained.stdout()
    );
    let asked = place.pipeline(&["query", "like", "z-bench.jsonl"]);
    asked.says("failed to read z-bench.jsonl as one document: it has 4");
    let documents = place.rows("documents");
    // Other keys are another way to read it, and the same keys of all are the same.
    configure(
        &place,
        "bench",
        "text-field = \"question\"\nformat = \"jsonl\"",
    );
    let ran = place.run();
    ran.says("format of \"bench\" was not set, is jsonl");
    assert_eq!(documents, place.rows("documents"));
    configure(&place, "bench", "text-field = \"other\"");
    ends_with_3(&place.pipeline(&["run"]), &["\"bench\"", "no-text"]);
    configure(&place, "bench", "text-field = \"html\"");
    let same = place.pipeline(&["run"]);
    same.exits(2);
    same.says("text-field and html-field in [input.source]: both are \"html\"");
}

#[test]
fn nothing_of_a_reference_goes_and_the_data_goes_in_favour_of_it() {
    let place = place("text", "");
    for settings in [&[][..], &["--linkage", "star"], &["--keep", "longest"]] {
        place.run();
        let name = format!("copies{}", settings.concat());
        let out = copies(&place, &name, settings);
        assert_eq!([&out["documents"], &out["removed"]], [9, 3]);
        let bench = serde_json::json!({
            "name": "bench", "documents": 4, "removed": 0, "is_copied": false,
        });
        assert_eq!(out["sources"], serde_json::json!([bench]));
        assert_eq!(ids(&place, &name), ["t1", "t4"]);
        let files: Vec<String> = files_below(&place.path(&format!("{name}/data")))
            .into_keys()
            .collect();
        assert_eq!(files, ["a.jsonl"]);
    }
    let told = place.pipeline(&["dedup", "--dry-run"]);
    let line = "of them              4  in bench, a reference: it stays as it is and is not copied";
    assert!(told.stdout().contains(line), "{}", told.stdout());
    // The published tables keep the document of the reference, too.
    let rows = place.rows("removed");
    let of_data = |row: &&serde_json::Value| row["id"].as_str().expect("an id").starts_with('t');
    let kept = rows.iter().filter(of_data);
    let kept: Vec<&str> = kept
        .map(|row| row["kept_id"].as_str().expect("an id"))
        .collect();
    assert_eq!(kept, ["b2", "b3", "t4"]);
    assert_eq!(
        (rows.len(), kept.len()),
        (3, 3),
        "a reference goes: {rows:?}"
    );
    let report = std::fs::read_to_string(place.path("out/report.json")).expect("a report");
    let report: serde_json::Value = serde_json::from_str(&report).expect("JSON");
    assert_eq!(report["clusters"]["removed_if_deduplicated"], 3);
    let again = place.run().stdout();
    assert!(again.contains("of which 3 are copies"), "{again}");
    let out = copies(&place, "all", &["--drop-all"]);
    assert_eq!(
        (&out["removed"], ids(&place, "all")),
        (&4.into(), vec!["t1".to_owned()])
    );
}

#[test]
fn a_name_for_files_that_were_read_makes_clusters_anew_but_no_sketches() {
    let place = place("text", "");
    let out = |place: &Place| copies(place, "named", &[]);
    place.run();
    let named = place.published();
    std::fs::remove_dir_all(place.path("work")).expect("removed");
    // Without a name all are data, and the first file has the documents that are kept.
    place.config(&["input.paths = [\"train\", \"z-bench.jsonl\"]"]);
    place.run();
    let plain = copies(&place, "plain", &[]);
    assert_eq!(
        (&plain["removed"], &plain["sources"]),
        (&4.into(), &serde_json::json!([]))
    );
    configure(&place, "bench", "");
    let ran = place.run();
    assert!(!ran.stderr().contains("sketch: "), "{}", ran.stderr());
    assert!(
        named == place.published(),
        "other results than from scratch"
    );
    assert_eq!(out(&place)["removed"], 3);
}

#[test]
fn data_goes_in_favour_of_each_of_several_names() {
    let place = place("text", "");
    place.write("y-other.jsonl", jsonl("o", "text", &[1, 8]));
    let toml = std::fs::read_to_string(place.path("pipeline.toml")).expect("a file");
    let other = "\n[[input.source]]\nname = \"other\"\npaths = [\"y-other.jsonl\"]\n\n[sketch]";
    place.write("pipeline.toml", toml.replace("\n[sketch]", other));
    place.run();
    let against = |name: &str, options: &[&str]| {
        let out = copies(&place, name, options);
        (out["removed"].clone(), ids(&place, name))
    };
    let left = |names: &[&str]| {
        names
            .iter()
            .map(|name| (*name).to_owned())
            .collect::<Vec<_>>()
    };
    let bench = against("bench", &["--against", "bench"]);
    assert_eq!(bench, (2.into(), left(&["t1", "t4", "t4"])));
    let other = against("other", &["--against", "other"]);
    assert_eq!(other, (1.into(), left(&["t2", "t3", "t4", "t4"])));
    let both = against("both", &["--against", "other", "--against", "bench"]);
    assert_eq!(both, (3.into(), left(&["t4", "t4"])));
    let unknown = place.pipeline(&["dedup", "-n", "--against", "bench", "--against", "no"]);
    unknown.exits(2);
    unknown.says("\"no\"");
}

#[test]
fn data_goes_in_favour_of_a_part_of_it_that_it_resembles() {
    let place = Place::new();
    let long = format!("{} and some ten words more of this one page alone", text(1));
    let page = |id: &str, text: &str| format!("{{\"id\": {id:?}, \"text\": {text:?}}}\n");
    place.write("train/a.jsonl", page("t1", &long) + &page("t2", &text(2)));
    place.write("z-bench.jsonl", page("b1", &text(1)));
    configure(&place, "bench", "");
    let toml = std::fs::read_to_string(place.path("pipeline.toml")).expect("a file");
    place.write("pipeline.toml", toml + "\n[cluster]\ncontainment = 0.9\n");
    place.run();
    assert_eq!(place.rows("pairs")[0]["kind"], "both");
    for against in [&[][..], &["--against", "bench"]] {
        let name = format!("copies{}", against.len());
        assert_eq!(copies(&place, &name, against)["removed"], 1);
        assert_eq!(ids(&place, &name), ["t2"]);
    }
}

#[test]
fn a_file_that_became_empty_is_not_called_gone() {
    let place = place("text", "");
    place.write("train/b.jsonl", jsonl("u", "text", &[8]));
    place.run();
    place.write("train/b.jsonl", "");
    let told = "input b.jsonl cannot be read any more (empty-file)";
    let status = place.pipeline(&["status"]).stdout();
    assert!(status.contains(told), "{status}");
    ends_with_3(&place.pipeline(&["dedup", "-n"]), &[told]);
}

#[test]
fn sources_without_other_files_are_data() {
    let place = place("text", "");
    let toml = std::fs::read_to_string(place.path("pipeline.toml")).expect("a file");
    let train = "[[input.source]]\nname = \"train\"\npaths = [\"train\"]\n";
    let toml = toml.replace("paths = [\"train\"]\n", "");
    place.write(
        "pipeline.toml",
        toml.replacen("[input]\n", &format!("[input]\n{train}"), 1),
    );
    place.run();
    let out = copies(&place, "copies", &[]);
    assert_eq!(out["removed"], 4);
    let removed: Vec<u64> = out["sources"]
        .as_array()
        .expect("sources")
        .iter()
        .map(|source| source["removed"].as_u64().expect("a number"))
        .collect();
    assert_eq!(removed, [1, 3]);
    assert_eq!(ids(&place, "copies"), ["t1", "t2", "t3", "t4", "b7"]);
}

#[test]
fn a_source_without_a_word_is_noted() {
    let place = place("text", "");
    let note = "note: source \"bench\": none of its documents has a word";
    assert!(!place.run().stderr().contains("has a word"));
    place.write("z-bench.jsonl", "{\"text\": \"\"}\n{\"text\": \"...\"}\n");
    place.run().says(note);
    let again = place.pipeline(&["dedup", "-o", "copies"]);
    again.exits(0);
    again.says(note);
    let against = place.pipeline(&["dedup", "--against", "bench", "-o", "news"]);
    against.exits(0);
    against.says(note);
}
