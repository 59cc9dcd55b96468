//! A directory to run in, and what tests ask of it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use testkit::{TextCorpus, TextShape};

/// The repository.
pub(crate) fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .canonicalize()
        .expect("the repository is there")
}

/// Whether a program of others is installed. Where it is not, a test that asks it passes by; in CI,
/// where it has to be, the test fails.
pub(crate) fn is_installed(tool: &str) -> bool {
    let is_there = Command::new(tool).arg("--version").output().is_ok();
    assert!(
        is_there || std::env::var_os("CI").is_none(),
        "{tool} is not installed, and CI has to ask it"
    );
    if !is_there {
        eprintln!("{tool} is not installed: not asked");
    }
    is_there
}

/// A temporary directory with a configuration; in memory where the system offers that, as every run
/// syncs its files.
pub(crate) struct Place {
    dir: tempfile::TempDir,
}

impl Place {
    /// An empty one.
    pub(crate) fn new() -> Place {
        let memory = Path::new("/dev/shm");
        // Containers often have a small one.
        let roomy =
            rustix::fs::statvfs(memory).is_ok_and(|stat| stat.f_bavail * stat.f_frsize > 2 << 30);
        let dir = if roomy {
            tempfile::tempdir_in(memory)
        } else {
            tempfile::tempdir()
        };
        Place {
            dir: dir.expect("a temporary directory"),
        }
    }

    /// One with a corpus of so many pages in three JSONL files, and a configuration for them.
    pub(crate) fn with_corpus(seed: u64, pages: u32) -> Place {
        let place = Place::new();
        place.corpus(seed, pages);
        place.config(&[]);
        place
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a directory");
        fs::write(path, bytes).expect("a file");
    }

    pub(crate) fn corpus(&self, seed: u64, pages: u32) {
        let shape = TextShape {
            pages,
            ..TextShape::default()
        };
        let mut bytes = Vec::new();
        TextCorpus::new(seed, shape)
            .write_jsonl(&mut bytes)
            .expect("a corpus");
        let lines: Vec<&[u8]> = bytes.split_inclusive(|&b| b == b'\n').collect();
        for (index, chunk) in lines.chunks(lines.len().div_ceil(3).max(1)).enumerate() {
            self.write(&format!("crawl/part-{index}.jsonl"), chunk.concat());
        }
    }

    /// Writes `pipeline.toml`: the corpus, a seed, and these lines, each `section.key = value`.
    pub(crate) fn config(&self, settings: &[&str]) {
        self.config_file("pipeline.toml", settings);
    }

    pub(crate) fn config_file(&self, name: &str, settings: &[&str]) {
        let mut sections: BTreeMap<&str, BTreeMap<&str, &str>> = BTreeMap::new();
        sections
            .entry("input")
            .or_default()
            .insert("paths", "[\"crawl\"]");
        sections
            .entry("sketch")
            .or_default()
            .insert("seed", "\"tests\"");
        sections
            .entry("work")
            .or_default()
            .insert("memory", "\"64MiB\"");
        for setting in settings {
            let (key, value) = setting.split_once(" = ").expect("key = value");
            let (section, key) = key.split_once('.').expect("section.key");
            sections.entry(section).or_default().insert(key, value);
        }
        let mut text = "version = 1\n".to_owned();
        for (section, keys) in sections {
            text += &format!("\n[{section}]\n");
            for (key, value) in keys {
                text += &format!("{key} = {value}\n");
            }
        }
        self.write(name, text);
    }

    /// The program, to be run here.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        self.called(Command::new(env!("CARGO_BIN_EXE_pipeline")), arguments)
    }

    /// The program, which answers signals: started in the background of a script, or with nohup,
    /// the tests ignore some, and so would it.
    fn answering(&self, arguments: &[&str]) -> Command {
        let mut env = Command::new("env");
        env.args(["--default-signal", env!("CARGO_BIN_EXE_pipeline")]);
        self.called(env, arguments)
    }

    fn called(&self, mut command: Command, arguments: &[&str]) -> Command {
        command
            .args(arguments)
            .current_dir(self.dir.path())
            .stdin(Stdio::null())
            .env_remove("PIPELINE_FAULT")
            .env_remove("PIPELINE_FAULT_COUNT");
        command
    }

    /// Runs the program to its end.
    pub(crate) fn pipeline(&self, arguments: &[&str]) -> Ran {
        Ran(self
            .command(arguments)
            .output()
            .expect("the program starts"))
    }

    pub(crate) fn spawn(&self, arguments: &[&str]) -> Child {
        self.answering(arguments)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the program starts")
    }

    /// A run that must succeed.
    pub(crate) fn run(&self) -> Ran {
        let ran = self.pipeline(&["run"]);
        ran.exits(0);
        ran
    }

    /// Every file of the publication with its bytes, but what tells of this run and this machine.
    pub(crate) fn published(&self) -> BTreeMap<String, Vec<u8>> {
        published_in(&self.path("out"))
    }

    /// The names of the files of the publication that are no part of its index, but `run.json`.
    pub(crate) fn tables(&self) -> Vec<String> {
        let is_table = |name: &String| !name.starts_with("index/") && name != "run.json";
        files_below(&self.path("out"))
            .into_keys()
            .filter(is_table)
            .collect()
    }

    /// The rows of a published table.
    pub(crate) fn rows(&self, table: &str) -> Vec<serde_json::Value> {
        let ran = self.pipeline(&["export", table, "--format", "jsonl"]);
        ran.exits(0);
        ran.stdout()
            .lines()
            .map(|line| serde_json::from_str(line).expect("a JSON row"))
            .collect()
    }
}

/// A publication without `run.json`, and without the journal of clusters, which tells of
/// publications before. Of its index what is answered from: the contents of its blocks, without
/// headers and checksums, which tell of times and inodes of the input, so that it can be known
/// again. Files of steps are counted from 0: a phase that ran again has gone on counting.
pub(crate) fn published_in(dir: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = files_below(dir);
    assert!(
        files.remove("run.json").is_some(),
        "run.json is missing in {:?}",
        files.keys()
    );
    for volatile in ["index/sources", "index/segments", "cluster_changes.parquet"] {
        assert!(
            files.remove(volatile).is_some(),
            "{volatile} is missing in {:?}",
            files.keys()
        );
    }
    let page = files.remove("index/index.json").expect("a first page");
    let mut json: serde_json::Value = serde_json::from_slice(&page).expect("JSON");
    json["digest"].take();
    json["index"]["journal"].take();
    let mut steps = Vec::new();
    for level in json["index"]["postings"]
        .as_array_mut()
        .expect("files of steps")
    {
        steps.push(level["sealed"]["name"].as_str().expect("a name").to_owned());
        drop(level["sealed"]["checksum"].take());
        drop(level["steps"].take());
    }
    let listed = json["index"]["files"].as_object_mut().expect("files");
    listed
        .values_mut()
        .for_each(|file| drop(file["checksum"].take()));
    listed.remove("sources");
    let mut page = json.to_string();
    for (number, name) in steps.iter().enumerate() {
        page = page.replace(&format!("\"{name}\""), &format!("\"postings.{number}\""));
        let postings = files.remove(&format!("index/{name}")).expect("postings");
        files.insert(format!("index/postings.{number}"), postings);
    }
    files
        .iter_mut()
        .filter(|(name, _)| name.starts_with("index/"))
        .for_each(|(_, bytes)| *bytes = payloads(bytes));
    files.insert("index/index.json".to_owned(), page.into_bytes());
    files
}

/// What the blocks of a file hold.
fn payloads(bytes: &[u8]) -> Vec<u8> {
    let (mut all, mut at, end) = (Vec::new(), 64, bytes.len() - 48);
    while at < end {
        let length = u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes")) as usize;
        all.extend_from_slice(&bytes[at + 16..at + 16 + length]);
        at += 16 + length;
    }
    all
}

/// Files below a directory by their relative names.
pub(crate) fn files_below(dir: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    let mut open = vec![dir.to_path_buf()];
    while let Some(next) = open.pop() {
        let Ok(entries) = fs::read_dir(&next) else {
            continue;
        };
        for entry in entries {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                open.push(path);
            } else {
                let name = path
                    .strip_prefix(dir)
                    .expect("below")
                    .to_string_lossy()
                    .into_owned();
                files.insert(name, fs::read(&path).expect("a file"));
            }
        }
    }
    files
}

/// What a process left behind.
pub(crate) struct Ran(pub(crate) Output);

impl Ran {
    pub(crate) fn code(&self) -> Option<i32> {
        self.0.status.code()
    }

    #[track_caller]
    pub(crate) fn exits(&self, code: i32) {
        assert_eq!(
            self.code(),
            Some(code),
            "stdout: {}\nstderr: {}",
            self.stdout(),
            self.stderr()
        );
    }

    pub(crate) fn stdout(&self) -> String {
        String::from_utf8_lossy(&self.0.stdout).into_owned()
    }

    pub(crate) fn stderr(&self) -> String {
        String::from_utf8_lossy(&self.0.stderr).into_owned()
    }

    #[track_caller]
    pub(crate) fn says(&self, text: &str) {
        assert!(
            self.stderr().contains(text),
            "expected {text:?} in: {}",
            self.stderr()
        );
    }

    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.stdout()).expect("JSON on standard output")
    }
}
