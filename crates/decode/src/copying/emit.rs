//! Hands the parts of a file that stay to the sink: spans of its bytes, and parts of entries
//! decoded again.

use std::ops::Range;

use super::records::CopySink;
use crate::codec::{DecodeError, Decompressor, EntryStart};
use crate::range::RangeReader;
use crate::{error::InputError, options::SourceFile};

/// Bytes copied at a time.
const COPY_BYTES: usize = 1 << 20;
/// Bytes decoded at a time: as the readers do, so that a damaged entry gives the same bytes.
const STEP_BYTES: usize = 64 << 10;

/// Gathers spans of the file, so that neighbours are copied at once.
pub struct Emitter<'s> {
    file: &'s SourceFile,
    input: RangeReader,
    buffer: Vec<u8>,
    span: Range<u64>,
    sink: &'s mut dyn CopySink,
}

impl<'s> Emitter<'s> {
    /// For a file; what it keeps goes to `sink`.
    pub fn open(file: &'s SourceFile, sink: &'s mut dyn CopySink) -> Result<Self, InputError> {
        let input = RangeReader::open(file, 0, 0)?;
        Ok(Emitter {
            file,
            input,
            buffer: Vec::new(),
            span: 0..0,
            sink,
        })
    }

    /// Bytes of the file that stay as they are. Spans come in order.
    pub fn keep(&mut self, span: Range<u64>) -> Result<(), InputError> {
        if span.is_empty() {
            return Ok(());
        }
        if span.start == self.span.end {
            self.span.end = span.end;
        } else {
            self.flush()?;
            self.span = span;
        }
        Ok(())
    }

    /// Decoded bytes of an entry that is encoded anew.
    pub fn content(&mut self, bytes: &[u8]) -> Result<(), InputError> {
        self.flush()?;
        self.sink.content(bytes).map_err(InputError::Sink)
    }

    /// The entry is complete.
    pub fn end_entry(&mut self) -> Result<(), InputError> {
        self.flush()?;
        self.sink.end_entry().map_err(InputError::Sink)
    }

    fn flush(&mut self) -> Result<(), InputError> {
        if self.span.is_empty() {
            return Ok(());
        }
        if self.buffer.is_empty() {
            self.buffer = vec![0; COPY_BYTES];
        }
        while !self.span.is_empty() {
            let wanted = (self.span.end - self.span.start).min(COPY_BYTES as u64) as usize;
            let got = self
                .input
                .peek_at(self.span.start, &mut self.buffer[..wanted])?;
            if got == 0 {
                return Err(InputError::changed(&self.file.path));
            }
            self.sink.raw(&self.buffer[..got])?;
            self.span.start += got as u64;
        }
        // The next span may follow this one.
        self.span = self.span.end..self.span.end;
        Ok(())
    }

    /// Writes what is left and checks that the file is still the listed one.
    pub fn finish(mut self) -> Result<(), InputError> {
        self.flush()?;
        self.input.finish().map(drop)
    }

    /// A second reader of an entry; `None` if it cannot be begun.
    pub fn cursor(&self, entry: u64) -> Result<Option<EmitCursor>, InputError> {
        let Ok(mut source) = Decompressor::open(self.file, 0, 0)? else {
            return Ok(None);
        };
        source.seek(entry)?;
        match source.begin_entry() {
            Ok(true) => {}
            Err(DecodeError::Input(error)) => return Err(error),
            Ok(false) | Err(DecodeError::Damaged { .. }) => return Ok(None),
        }
        Ok(Some(EmitCursor {
            source,
            entry,
            block: vec![0; STEP_BYTES],
            used: 0,
            filled: 0,
            at: 0,
        }))
    }
}

/// Reads an entry again, going forward only.
pub struct EmitCursor {
    source: Decompressor,
    /// Where the entry begins in the file.
    pub entry: u64,
    block: Vec<u8>,
    used: usize,
    filled: usize,
    /// Decoded byte of the entry that comes next.
    at: u64,
}

impl EmitCursor {
    /// Hands on a range of the decoded bytes; fewer where the entry is damaged.
    pub fn emit(&mut self, range: &Range<u64>, out: &mut Emitter<'_>) -> Result<(), InputError> {
        while self.at < range.end {
            if self.used == self.filled {
                (self.used, self.filled) = (0, 0);
                match self.source.read_entry(&mut self.block) {
                    // A record may go on in the next entry.
                    Ok(0) if self.source.continue_entry(EntryStart::NONE)? => continue,
                    Ok(0) | Err(DecodeError::Damaged { .. }) => return Ok(()),
                    Ok(read) => self.filled = read,
                    Err(DecodeError::Input(error)) => return Err(error),
                }
            }
            let held = (self.filled - self.used) as u64;
            let (wanted, take) = match range
                .start
                .checked_sub(self.at)
                .filter(|before| *before > 0)
            {
                Some(before) => (before, false),
                None => (range.end - self.at, true),
            };
            let step = held.min(wanted);
            let until = self.used + step as usize;
            if take {
                out.content(&self.block[self.used..until])?;
            }
            self.used = until;
            self.at += step;
        }
        Ok(())
    }
}
