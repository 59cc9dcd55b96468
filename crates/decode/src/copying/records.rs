//! The records that a copy leaves out, and the receiver of what stays.

use std::collections::VecDeque;

use model::record;
use twox_hash::XxHash3_64;

use super::cuts::{DocumentCut, DocumentCuts};
use crate::{
    document::{Place, SinkError},
    error::InputError,
    options::SourceFile,
};

/// A record that is not copied.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Removal {
    /// Where it lies, as [`crate::document::Document::place`] said.
    pub place: Place,
    /// [`record_hash`] of its WARC-Record-ID; 0 if it has none.
    pub record: u64,
}

record! { Removal { place, record } }

/// The hash of a record's id, by which another record can be seen to name it.
pub fn record_hash(id: &str) -> u64 {
    XxHash3_64::oneshot(id.as_bytes()).max(1)
}

/// Receives the parts of a file that stay.
pub trait CopySink {
    /// Bytes of the file as they are; between two entries, if the file is compressed.
    fn raw(&mut self, bytes: &[u8]) -> Result<(), SinkError>;
    /// Decoded bytes of an entry that is to be encoded anew.
    fn content(&mut self, bytes: &[u8]) -> Result<(), SinkError>;
    /// The entry of the bytes before is complete.
    fn end_entry(&mut self) -> Result<(), SinkError>;
}

/// How a file is compressed, so that its copy can be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Packaging {
    /// Not at all, or by itself (Parquet).
    Plain,
    /// Gzip members.
    Gzip,
    /// Zstandard frames, all of them with this dictionary if it is not empty.
    Zstd {
        /// Its bytes.
        dictionary: Vec<u8>,
    },
}

/// The losses of a copy besides the records that were to be removed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CopyLosses {
    /// WARC records that went because they belong to a removed response.
    pub belonging: u64,
    /// Bytes of the file that could not be decoded and shared a member or frame with a removed
    /// record.
    pub lost_bytes: u64,
}

/// Removals looked at before they are met.
const AHEAD: usize = 64;
/// Ids of removed records that are remembered, and ids that removed records name.
const BEHIND: usize = 4096;

/// The removals of a file: those to come, and the ids of those near by.
pub struct Pending<'a> {
    path: &'a std::path::Path,
    source: &'a mut dyn DocumentCuts,
    ahead: VecDeque<Removal>,
    behind: VecDeque<u64>,
    /// Ids that removed records named: of records that go, too, where they still come.
    pub named: VecDeque<u64>,
    ended: bool,
}

impl<'a> Pending<'a> {
    /// The removals of a file, the first of them read. No text of a record can be cut.
    pub fn new(file: &'a SourceFile, source: &'a mut dyn DocumentCuts) -> Result<Self, InputError> {
        let (ahead, behind) = (VecDeque::with_capacity(AHEAD), VecDeque::new());
        let mut pending = Pending {
            path: &file.path,
            source,
            ahead,
            behind,
            named: VecDeque::new(),
            ended: false,
        };
        pending.fill()?;
        Ok(pending)
    }

    fn fill(&mut self) -> Result<(), InputError> {
        while self.ahead.len() < AHEAD && !self.ended {
            let Some((place, cut)) = self.source.next()? else {
                self.ended = true;
                break;
            };
            let record = match cut {
                DocumentCut::Whole => 0,
                DocumentCut::Record(record) => record,
                DocumentCut::Parts(_) => return Err(self.not_met()),
            };
            self.ahead.push_back(Removal { place, record });
        }
        Ok(())
    }

    /// The next one.
    pub fn peek(&self) -> Option<Removal> {
        self.ahead.front().copied()
    }

    /// The next one is met.
    pub fn advance(&mut self) -> Result<(), InputError> {
        let met = self.ahead.pop_front();
        if let Some(removal) = met.filter(|removal| removal.record != 0) {
            remember(&mut self.behind, removal.record);
        }
        self.fill()
    }

    /// Whether a removed record near by has this id.
    pub fn removes(&self, record: u64) -> bool {
        self.behind.contains(&record) || self.ahead.iter().any(|removal| removal.record == record)
    }

    /// No record was found where one was named.
    pub fn not_met(&self) -> InputError {
        InputError::changed(self.path)
    }
}

/// Adds an id, in place of the oldest of [`BEHIND`].
pub fn remember(ids: &mut VecDeque<u64>, id: u64) {
    ids.drain(..(ids.len() + 1).saturating_sub(BEHIND));
    ids.push_back(id);
}
