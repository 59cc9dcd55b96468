//! The judgements of the user: whether two documents are duplicates.
//!
//! *Input.* The file of judgements, if it is there. *Output.* A JSON line at its end for each
//! judgement. *Memory.* A few dozen bytes a judged pair.

use pipeline::{Error, Judgement, Judgements, now};
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// The judgements, and the right to add some.
pub(crate) struct JudgementFile {
    path: PathBuf,
    judgements: Mutex<Judgements>,
    /// A page of another site cannot read it, so it cannot judge.
    token: String,
}

impl JudgementFile {
    /// Reads the file if it is there, and draws a token.
    ///
    /// # Errors
    /// When it cannot be read, and at a line that is no judgement.
    pub(crate) fn open(path: &Path) -> Result<JudgementFile, Error> {
        let judgements = match path.exists() {
            true => Judgements::read(path)?,
            false => Judgements::default(),
        };
        let mut bytes = [0; 16];
        File::open("/dev/urandom")
            .and_then(|mut random| random.read_exact(&mut bytes))
            .map_err(Error::io("read /dev/urandom".to_owned()))?;
        Ok(JudgementFile {
            path: path.to_owned(),
            judgements: Mutex::new(judgements),
            token: bytes.iter().map(|byte| format!("{byte:02x}")).collect(),
        })
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
        let judgements = self.judgements.lock();
        judgements.unwrap_or_else(PoisonError::into_inner).of(a, b)
    }

    /// Writes a judgement, and the time of it, to the end of the file.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(crate) fn add(&self, judgement: Judgement) -> Result<(), Error> {
        let judgement = Judgement {
            judged: Some(now()),
            ..judgement
        };
        let failed = || Error::io(format!("write {}", self.path.display()));
        let line = serde_json::to_string(&judgement).map_err(|error| failed()(error.into()))?;
        let judgements = self.judgements.lock();
        let mut judgements = judgements.unwrap_or_else(PoisonError::into_inner);
        let file = OpenOptions::new()
            .create(true)
            .append(true)
            .open(&self.path);
        let mut file = file.map_err(failed())?;
        let separator = match ends_a_line(&self.path).map_err(failed())? {
            true => "",
            false => "\n",
        };
        file.write_all(format!("{separator}{line}\n").as_bytes())
            .map_err(failed())?;
        judgements.add(&judgement);
        Ok(())
    }
}

/// Whether a line can begin at the end of the file. An editor may leave out the last line feed.
fn ends_a_line(path: &Path) -> io::Result<bool> {
    let mut file = File::open(path)?;
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

    #[test]
    fn judgements_are_kept_in_the_file() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("judgements.jsonl");
        let file = JudgementFile::open(&path).unwrap();
        let judgement = |duplicate| Judgement {
            a: 1,
            b: 2,
            duplicate,
            resemblance: 0.75,
            url_a: Some("http://a.example/".to_owned()),
            url_b: None,
            judged: None,
        };
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
}
