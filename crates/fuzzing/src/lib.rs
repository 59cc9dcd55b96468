//! Targets for a fuzzer: for each reader of bytes from outside, a function that must not panic,
//! hang, or contradict a second implementation, whatever it is given.
//!
//! *Input.* Bytes. *Output.* A panic if a promise is broken. *Algorithm.* [`TARGETS`] names the
//! functions. `scripts/fuzz` gives them inputs that libFuzzer makes; the workspace `fuzz` has its
//! corpora, which the test here replays. *Limits.* Files of the work directory and of the query
//! index get the checksums that belong to their bytes, since others pass no first check.

#[cfg(test)]
mod answers;
mod containers;
mod contents;
mod cuts;
mod index;
mod lists;
mod references;
mod texts;
mod work_files;

/// A target: its name, which is also that of its directory in `fuzz/corpus`, and its function.
pub type Target = (&'static str, fn(&[u8]));

/// All targets.
pub const TARGETS: [Target; 27] = [
    ("gzip", containers::gzip),
    ("zstd", containers::zstd),
    ("warc", containers::warc),
    ("arc", containers::arc),
    ("wacz", containers::wacz),
    ("jsonl", jsonl),
    ("parquet", parquet),
    ("page", containers::page),
    ("json", containers::json),
    ("http", contents::http),
    ("chunked", contents::chunked),
    ("coding", contents::coding),
    ("brotli", contents::brotli),
    ("charset", contents::charset),
    ("html", texts::html),
    ("sketch", texts::sketch),
    ("windows", texts::windows),
    ("date", texts::date),
    ("url", texts::url),
    ("config", texts::config),
    ("snapshots", texts::snapshots),
    ("manifest", work_files::manifest),
    ("work-file", work_files::work_file),
    ("index", index::index),
    ("query", index::query),
    ("id-list", lists::id_list),
    ("reference", references::reference),
];

fn jsonl(bytes: &[u8]) {
    containers::jsonl(bytes);
    cuts::lines(bytes);
}

fn parquet(bytes: &[u8]) {
    containers::parquet(bytes);
    cuts::rows(bytes);
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::path::{Path, PathBuf};

    fn corpora() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus")
    }

    #[test]
    fn the_corpora_are_replayed() {
        let mut bytes = 0;
        for (name, function) in TARGETS {
            let files = fs::read_dir(corpora().join(name)).expect("a corpus for each target");
            let mut replayed = 0;
            for file in files {
                let content = fs::read(file.expect("an entry").path()).expect("a file");
                bytes += content.len();
                function(&content);
                replayed += 1;
            }
            assert!(replayed > 0, "{name}");
        }
        assert!(bytes <= 5 << 20, "the corpora have {bytes} bytes");
    }

    /// `UPDATE_GOLDEN=1` writes them anew, as a change of the formats wants it.
    #[test]
    fn files_of_a_run_are_among_the_corpora() {
        let seeds = work_files::seeds().into_iter().chain(index::seeds());
        for (target, name, content) in seeds {
            let path = corpora().join(target).join(name);
            if std::env::var_os("UPDATE_GOLDEN").is_some() {
                fs::create_dir_all(path.parent().expect("a directory")).expect("made");
                fs::write(&path, &content).expect("written");
            }
            assert!(path.exists(), "{} is missing", path.display());
        }
    }
}
