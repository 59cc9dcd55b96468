//! Reading the finished outputs of phases.

use format::RecordReader;
use model::Record;
use runtime::{Error, PhaseName};
use sort::Stream;

/// Reads a record file that a phase wrote. An error names the phase that must run again.
pub struct Output<R> {
    /// The file.
    pub reader: RecordReader<R>,
    phase: PhaseName,
}

impl<R: Record> Output<R> {
    /// Wraps an open file of `phase`.
    pub fn of(reader: RecordReader<R>, phase: PhaseName) -> Output<R> {
        Output { reader, phase }
    }

    /// The next record; `None` after the last.
    ///
    /// # Errors
    /// When the file is damaged or cannot be read.
    #[expect(
        clippy::should_implement_trait,
        reason = "an Iterator cannot end in an error"
    )]
    #[inline]
    pub fn next(&mut self) -> Result<Option<R>, Error> {
        self.reader.next().map_err(Error::work(self.phase))
    }

    /// The next records, at least one; `None` after the last.
    ///
    /// # Errors
    /// As [`Output::next`].
    pub fn next_slice(&mut self) -> Result<Option<&[R]>, Error> {
        self.reader.next_slice().map_err(Error::work(self.phase))
    }

    /// Continues at this record, counted from the start of the file.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn seek(&mut self, record: u64) -> Result<(), Error> {
        self.reader.seek(record).map_err(Error::work(self.phase))
    }
}

impl<R: Record> Stream for Output<R> {
    type Record = R;
    type Error = Error;
    #[inline]
    fn next(&mut self) -> Result<Option<R>, Error> {
        Output::next(self)
    }
}
