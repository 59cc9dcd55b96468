//! The judgements of the user: whether two documents are duplicates.
//!
//! *Input.* The file of judgements, if it is there. *Output.* A JSON line at its end for each
//! judgement. *Memory.* A few dozen bytes a judged pair.

use pipeline::{Error, Judgement, Judgements, now};
use rustix::fs::{AtFlags, CWD, OFlags, linkat};
use rustix::io::Errno;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The judgements, and the right to add some.
pub(crate) struct JudgementFile {
    path: PathBuf,
    contents: Mutex<Contents>,
    /// A page of another site cannot read it, so it cannot judge.
    token: String,
}

struct Contents {
    judgements: Judgements,
    /// Opened at the start, since a server may open no file for writing. It gets its name with the
    /// first judgement. The reason why not if it could not be opened.
    file: Result<File, io::Error>,
    has_name: bool,
}

impl JudgementFile {
    /// Reads the file if it is there, and draws a token.
    pub(crate) fn open(path: &Path) -> Result<JudgementFile, Error> {
        let has_name = path
            .try_exists()
            .map_err(Error::io(format!("read {}", path.display())))?;
        let judgements = match has_name {
            true => Judgements::read(path)?,
            false => Judgements::default(),
        };
        let mut bytes = [0; 16];
        File::open("/dev/urandom")
            .and_then(|mut random| random.read_exact(&mut bytes))
            .map_err(Error::io("read /dev/urandom".to_owned()))?;
        let (file, has_name) = match has_name {
            true => (options().open(path), true),
            false => made(path),
        };
        Ok(JudgementFile {
            path: path.to_owned(),
            contents: Mutex::new(Contents {
                judgements,
                file,
                has_name,
            }),
            token: bytes.iter().map(|byte| format!("{byte:02x}")).collect(),
        })
    }

    /// The directory of the file.
    pub(crate) fn directory(&self) -> &Path {
        directory(&self.path)
    }

    /// The name of the file.
    pub(crate) fn name(&self) -> String {
        self.path.display().to_string()
    }

    /// The token that a form sends back.
    pub(crate) fn token(&self) -> &str {
        &self.token
    }

    /// Whether a token is that of the forms of this server. The time it takes does not depend on
    /// where the two differ.
    pub(crate) fn accepts(&self, token: &str) -> bool {
        let differences = token.bytes().zip(self.token.bytes());
        let differences = differences.fold(0, |found, (a, b)| found | (a ^ b));
        token.len() == self.token.len() && differences == 0
    }

    /// Whether a pair was judged to be duplicates; `None` if it was not judged.
    pub(crate) fn of(&self, a: i64, b: i64) -> Option<bool> {
        self.contents().judgements.of(a, b)
    }

    fn contents(&self) -> MutexGuard<'_, Contents> {
        self.contents.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes a judgement, and the time of it, to the end of the file.
    pub(crate) fn add(&self, judgement: Judgement) -> Result<(), Error> {
        let judgement = Judgement {
            judged: Some(now()),
            ..judgement
        };
        let written = self.contents().add(&self.path, &judgement);
        written.map_err(Error::io(format!("write {}", self.path.display())))
    }
}

impl Contents {
    fn add(&mut self, path: &Path, judgement: &Judgement) -> io::Result<()> {
        let file = match &mut self.file {
            Ok(file) => file,
            Err(error) => return Err(io::Error::new(error.kind(), error.to_string())),
        };
        if !self.has_name {
            let open = format!("/proc/self/fd/{}", file.as_raw_fd());
            match linkat(CWD, open, CWD, path, AtFlags::SYMLINK_FOLLOW) {
                // It is another file: see below.
                Ok(()) | Err(Errno::EXIST) => self.has_name = true,
                Err(error) => return Err(error.into()),
            }
        }
        let named = path.metadata()?;
        let opened = file.metadata()?;
        if (named.dev(), named.ino()) != (opened.dev(), opened.ino()) {
            return Err(io::Error::other(
                "another file has taken its place; start the server again",
            ));
        }
        let separator = match ends_a_line(file)? {
            true => "",
            false => "\n",
        };
        let line = serde_json::to_string(judgement)?;
        let written = file
            .write_all(format!("{separator}{line}\n").as_bytes())
            .and_then(|()| file.sync_data());
        if written.is_err() {
            // Half a line would be no judgement for the next reader.
            file.set_len(opened.len())?;
        } else {
            self.judgements.add(judgement);
        }
        written
    }
}

fn options() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true).append(true);
    options
}

/// A new file, and whether it has its name already, because the file system has no files without.
fn made(path: &Path) -> (io::Result<File>, bool) {
    let nameless = OFlags::TMPFILE.bits() as i32;
    match options().custom_flags(nameless).open(directory(path)) {
        // A kernel that does not know the flag sees a directory.
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::Unsupported | io::ErrorKind::IsADirectory
            ) =>
        {
            (options().create_new(true).open(path), true)
        }
        made => (made, false),
    }
}

fn directory(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// Whether a line can begin at the end of the file. An editor may leave out the last line feed.
fn ends_a_line(file: &mut File) -> io::Result<bool> {
    if file.metadata()?.len() == 0 {
        return Ok(true);
    }
    let mut last = [0];
    file.seek(SeekFrom::End(-1))?;
    file.read_exact(&mut last)?;
    Ok(last == *b"\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judgement(duplicate: bool) -> Judgement {
        Judgement {
            a: 1,
            b: 2,
            duplicate,
            resemblance: 0.75,
            url_a: Some("http://a.example/".to_owned()),
            url_b: None,
            judged: None,
        }
    }

    #[test]
    fn judgements_are_kept_in_the_file() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("judgements.jsonl");
        let file = JudgementFile::open(&path).unwrap();
        file.add(judgement(true)).unwrap();
        file.add(judgement(false)).unwrap();
        assert_eq!((file.of(2, 1), file.of(1, 3)), (Some(false), None));
        assert_eq!(std::fs::read_to_string(&path).unwrap().lines().count(), 2);
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, text.trim_end()).unwrap();
        file.add(judgement(false)).unwrap();
        let again = JudgementFile::open(&path).unwrap();
        assert_eq!(again.of(1, 2), Some(false));
        assert!(again.accepts(again.token()) && !again.accepts(file.token()));
        assert!(!again.accepts("") && !again.accepts(&again.token()[1..]));
    }

    #[test]
    fn the_second_of_two_servers_with_a_new_file_says_what_to_do() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("judgements.jsonl");
        let [one, other] = [0, 1].map(|_| JudgementFile::open(&path).unwrap());
        one.add(judgement(true)).unwrap();
        for _ in 0..2 {
            let refused = other.add(judgement(false)).unwrap_err().to_string();
            assert!(refused.contains("start the server again"), "{refused}");
        }
        assert_eq!(std::fs::read_to_string(&path).unwrap().lines().count(), 1);
    }
}
