//! Targets for a fuzzer: for each decoder of bytes from outside, a function that must not panic,
//! hang, or contradict a second implementation, whatever it is given.
//!
//! *Input.* Bytes. *Output.* A panic if a promise is broken. *Algorithm.* [`TARGETS`] names the
//! functions. `cargo run -p fuzzing --example mutate -- SECONDS` gives them mutations of the files
//! in `corpus`, which the tests replay. *Limits.* Files of the work directory are not among the
//! targets: bytes without the right checksums pass no first check.

mod containers;
mod texts;

/// A target: its name, which is also that of its directory in `corpus`, and its function.
pub type Target = (&'static str, fn(&[u8]));

/// All targets.
pub const TARGETS: [Target; 13] = [
    ("gzip", containers::gzip),
    ("zstd", containers::zstd),
    ("warc", containers::warc),
    ("arc", containers::arc),
    ("wacz", containers::wacz),
    ("jsonl", containers::jsonl),
    ("parquet", containers::parquet),
    ("page", containers::page),
    ("http", texts::http),
    ("charset", texts::charset),
    ("date", texts::date),
    ("sketch", texts::sketch),
    ("config", texts::config),
];

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::path::Path;

    #[test]
    fn the_corpora_are_replayed() {
        let corpora = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus");
        for (name, function) in TARGETS {
            let files = fs::read_dir(corpora.join(name)).expect("a corpus for each target");
            let mut replayed = 0;
            for file in files {
                let path = file.expect("an entry").path();
                function(&fs::read(&path).expect("a file"));
                replayed += 1;
            }
            assert!(replayed > 0, "{name}");
        }
    }
}
