//! Writes compared pairs that reach the floor, among those that are taken over from an earlier run.

use super::crowds::EarlierPairs;
use super::outputs::PHASE;
use engine::Engine;
use format::{FileKind, LinkRecord, RecordWriter, Sealed};
use model::{Overlap, Threshold};
use runtime::Error;

/// The file in the making.
pub(super) struct PairWriter {
    writer: RecordWriter<LinkRecord>,
    floor: Option<Threshold>,
    earlier: Option<EarlierPairs>,
}

impl PairWriter {
    /// A file of this name.
    pub(super) fn new(
        engine: &Engine<'_>,
        name: &str,
        floor: Option<Threshold>,
        earlier: Option<EarlierPairs>,
    ) -> Result<PairWriter, Error> {
        Ok(PairWriter {
            writer: engine.writer(PHASE, name, FileKind::Links)?,
            floor,
            earlier,
        })
    }

    /// Takes the next pair, if it shares anything and reaches the floor. Pairs come in order.
    pub(super) fn push(&mut self, [a, b]: [u32; 2], overlap: Overlap) -> Result<(), Error> {
        let ratio = overlap.shared_of_union();
        let is_high = self.floor.is_none_or(|floor| floor.reached_by(ratio));
        if overlap.shared == 0 || !is_high {
            return Ok(());
        }
        self.take_over(Some([a, b]))?;
        let pair = LinkRecord {
            a,
            b,
            shared: overlap.shared,
            size_a: overlap.size_a,
            size_b: overlap.size_b,
            modulus: overlap.modulus,
            reached: 0,
        };
        self.writer.push(&pair).map_err(Error::work(PHASE))
    }

    /// Writes the earlier pairs before this one, or all.
    fn take_over(&mut self, end: Option<[u32; 2]>) -> Result<(), Error> {
        let Some(earlier) = &mut self.earlier else {
            return Ok(());
        };
        let writer = &mut self.writer;
        earlier.each_below(end, |pair| writer.push(pair).map_err(Error::work(PHASE)))
    }

    /// All pairs were compared.
    pub(super) fn finish(mut self) -> Result<Sealed, Error> {
        self.take_over(None)?;
        self.writer.finish().map_err(Error::work(PHASE))
    }
}
