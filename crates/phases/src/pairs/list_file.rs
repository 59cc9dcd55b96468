//! A scratch file of lists of documents, encoded as 32-bit words.

use super::outputs::PHASE;
use crate::expansion::{List, Lists, words_of};
use engine::{Engine, Error};
use format::{Disk, FileKind, FormatError, RecordReader, RecordSpec, RecordWriter};
use model::Unpoisoned;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// A word of an encoded list.
type Word = u32;

/// A file that several threads append to, and that is read after it was sealed. It is removed when
/// this is dropped.
pub(super) struct ListFile {
    disk: Disk,
    path: PathBuf,
    block_bytes: usize,
    /// Created with the first list.
    writer: Mutex<Option<RecordWriter<Word>>>,
    words: AtomicU64,
}

impl ListFile {
    pub(super) fn new(engine: &Engine<'_>, name: &str, block_bytes: usize) -> ListFile {
        ListFile {
            disk: engine.disk.clone(),
            path: engine.dir(PHASE).join(name),
            block_bytes: block_bytes.clamp(64, format::BLOCK_BYTES),
            writer: Mutex::new(None),
            words: AtomicU64::new(0),
        }
    }

    /// How many words the file has.
    pub(super) fn words(&self) -> u64 {
        self.words.load(Ordering::Relaxed)
    }

    /// Appends lists; `words` must end with a complete list.
    pub(super) fn write(&self, words: &[u32]) -> Result<(), Error> {
        let mut writer = self.writer.lock().unpoisoned();
        if writer.is_none() {
            let spec = RecordSpec::scratch(self.path.clone(), self.block_bytes);
            *writer = Some(RecordWriter::create(&self.disk, spec)?);
        }
        let Some(writer) = writer.as_mut() else {
            return Ok(());
        };
        self.words.fetch_add(words.len() as u64, Ordering::Relaxed);
        writer.push_all(words).map_err(Error::from)
    }

    /// Completes the file.
    pub(super) fn seal(&self) -> Result<(), Error> {
        let writer = self.writer.lock().unpoisoned().take();
        writer.map(RecordWriter::finish).transpose()?;
        Ok(())
    }

    /// Passes each list to `take` until that returns false; returns whether all were taken.
    pub(super) fn each_list(
        &self,
        mut take: impl FnMut(List<'_>) -> Result<bool, Error>,
    ) -> Result<bool, Error> {
        if self.words() == 0 {
            return Ok(true);
        }
        let mut reader = RecordReader::<Word>::open(&self.disk, &self.path, FileKind::Run)?;
        // The beginning of a list that ends in a later block.
        let mut begun: Vec<Word> = Vec::new();
        while let Some(mut block) = reader.next_slice()? {
            if let Some(&first) = begun.first() {
                let (now, later) = block.split_at((words_of(first) - begun.len()).min(block.len()));
                begun.extend_from_slice(now);
                block = later;
                let Some(list) = Lists(&begun).next() else {
                    continue;
                };
                if !take(list)? {
                    return Ok(false);
                }
                begun = Vec::new();
            }
            let mut lists = Lists(block);
            for list in lists.by_ref() {
                if !take(list)? {
                    return Ok(false);
                }
            }
            begun.extend_from_slice(lists.0);
        }
        Ok(true)
    }

    /// Removes the file after it was read for the last time.
    pub(super) fn remove(&self) -> Result<(), FormatError> {
        if self.words() == 0 {
            Ok(())
        } else {
            self.disk.remove(&self.path)
        }
    }
}

impl Drop for ListFile {
    fn drop(&mut self) {
        self.writer.lock().unpoisoned().take();
        let _ = self.disk.remove(&self.path);
    }
}
