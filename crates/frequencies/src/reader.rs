//! Reads the file of frequencies.

use engine::Engine;
use format::{FileKind, FrequencyRecord, RecordReader, Sealed};
use model::Frequency;
use pairs::{FrequencySource, ShingleFrequency};
use runtime::{Error, PhaseName};

const PHASE: PhaseName = PhaseName::Pairs;

/// The name of the file.
pub const FREQUENCIES: &str = "frequencies";

/// Frequencies in the order of their shingles.
pub struct FrequencyReader(Option<RecordReader<FrequencyRecord>>);

impl FrequencyReader {
    /// Opens a file; there are no frequencies without one.
    ///
    /// # Errors
    /// When it is missing or damaged.
    pub fn open(engine: &Engine<'_>, file: Option<&Sealed>) -> Result<FrequencyReader, Error> {
        let (dir, kind) = (engine.dir(PHASE), FileKind::Frequencies);
        let open = |file| RecordReader::open_sealed(&engine.disk, &dir, file, kind);
        let reader = file.map(open).transpose();
        Ok(FrequencyReader(reader?))
    }

    /// The file of the last run of the phase; `None` if it has none.
    pub fn last_file(engine: &Engine<'_>) -> Option<Sealed> {
        let manifest = engine.manifest();
        let levels = manifest.levels.get(PHASE.name())?;
        levels.others.get(FREQUENCIES).cloned()
    }

    pub(crate) fn next_record(&mut self) -> Result<Option<FrequencyRecord>, Error> {
        let Some(reader) = &mut self.0 else {
            return Ok(None);
        };
        reader.next().map_err(Error::from)
    }
}

impl FrequencySource for FrequencyReader {
    type Error = Error;

    fn next(&mut self) -> Result<Option<ShingleFrequency>, Error> {
        Ok(self.next_record()?.map(|record| ShingleFrequency {
            shingle: record.shingle,
            frequency: Frequency {
                beyond: u64::from(record.beyond),
                total: u64::from(record.total),
            },
            example: record.example,
        }))
    }
}
