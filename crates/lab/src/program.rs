//! A run of the program itself over documents made here.
//!
//! *Disk.* The documents as JSON lines, and the work directory of the run, in a directory of its
//! own below the temporary one. It is removed at the end, or by [`remove_directories`] where a
//! signal ends the program.

use engine::{Error, PhaseName, Reporter};
use run::{RunOptions, RunOutcome};
use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// A directory that is removed when this is dropped.
pub(crate) struct Scratch(PathBuf);

/// The directories of this process so far.
static DIRECTORIES: AtomicU64 = AtomicU64::new(0);

impl Scratch {
    /// Makes an empty directory.
    pub(crate) fn new() -> Result<Scratch, Error> {
        let number = DIRECTORIES.fetch_add(1, Ordering::Relaxed);
        let path = directory(number);
        fs::create_dir(&path).map_err(failed("make", &path))?;
        Ok(Scratch(path))
    }

    /// A file in it.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// Writes documents to a file, one a line, with URLs. The field is `text` or `html`.
    pub(crate) fn write_documents(
        &self,
        name: &str,
        field: &str,
        documents: impl Iterator<Item = String>,
    ) -> Result<(), Error> {
        let path = self.path(name);
        let write = || -> io::Result<()> {
            let mut file = BufWriter::new(fs::File::create(&path)?);
            for (number, text) in documents.enumerate() {
                let url = format!("http://site{}.example/page/{number}.html", number % 97);
                let line = serde_json::json!({ "url": url, field: text });
                writeln!(file, "{line}")?;
            }
            file.flush()
        };
        write().map_err(failed("write", &path))
    }

    /// Runs the program over a file of documents, up to a phase if one is named. `settings` are the
    /// keys of `[sketch]` and what follows.
    pub(crate) fn run(
        &self,
        name: &str,
        settings: &str,
        until: Option<PhaseName>,
    ) -> Result<RunOutcome, Error> {
        let text = format!(
            "version = 1\n[input]\npaths = [\"{name}\"]\n[work]\ndir = \"{name}.work\"\n\
             output = \"{name}.out\"\n[sketch]\nseed = \"evaluate\"\n{settings}"
        );
        let config = config::parse(&text, &self.path("pipeline.toml"))?;
        let options = RunOptions {
            until,
            ..RunOptions::default()
        };
        run::run(&config, &options, &Reporter::silent())
    }
}

/// The temporary directory of this process with this number.
fn directory(number: u64) -> PathBuf {
    let name = format!("pipeline-evaluate-{}-{number}", std::process::id());
    std::env::temp_dir().join(name)
}

/// Removes the temporary directories of this process, before a signal ends it. Work in other
/// threads fails then.
pub fn remove_directories() {
    for number in 0..DIRECTORIES.load(Ordering::Relaxed) {
        let path = directory(number);
        // A thread may make a file meanwhile.
        while fs::remove_dir_all(&path)
            .is_err_and(|error| error.kind() == io::ErrorKind::DirectoryNotEmpty)
        {}
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// For `map_err` on an operation on a file.
pub(crate) fn failed(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Error {
    Error::io(format!("{action} {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_copies_are_linked_and_nothing_stays() {
        let scratch = Scratch::new().expect("a directory");
        let words = crate::words::text(3, 400);
        let copy = [&words[..395], &words[..1]].concat();
        let other = crate::words::text(4, 400);
        let texts = [words, copy, other].map(|words| words.join(" "));
        scratch
            .write_documents("pages.jsonl", "text", texts.into_iter())
            .expect("written");
        let outcome = scratch.run("pages.jsonl", "", None).expect("a run");
        let clusters = outcome.report.expect("a report").clusters;
        assert_eq!((clusters.clusters, clusters.documents), (1, 2));
        let path = scratch.path("");
        drop(scratch);
        assert!(!path.exists());
    }
}
