//! A sample of the input: read and sketched as the run would, in memory.
//!
//! *Input.* The listed files and the configuration. *Output.* A [`Sample`]. *Algorithm.* A small
//! pilot says how large records are; then slots of a few records each are drawn
//! ([`windows`](super::windows)) until there are 16 √N documents for an input of N: classes of
//! equal documents, whose number is the hardest to tell, are met in pairs, and 16 √N documents hold
//! 128 such pairs for every one that a document has on average. Of a snapshot that joins others,
//! whose classes are known, 4 √N do: reading them is a part of what such a run costs. At least 2
//! MiB of the input are read, or all of it if it is smaller; at most 64 MiB, or 2 % of a larger
//! one. A file that can be entered only at its beginning (one compressed stream, a Parquet file of
//! few row groups) is read from there, and as how far that was is not known, its share is a guess.
//! *Memory.* An eighth of `work.memory`, from 1 to 64 MiB, and a reader of documents of up to a
//! 64th of it. *Limits.* Of larger documents nothing is learnt, nor of Parquet with less than 160
//! MiB: the program would not give back all that they take, and the run needs its memory.
//! Everything but the times follows from the input and the memory alone. A stream of nothing but
//! records that are no pages by their type is read to its end: the reader does not ask between
//! them.

use super::sink::{Allowed, Sampled, Stop, Sums, Taker};
use super::windows::{Axis, draw};
use config::Config;
use input::{InputError, LargeRecords, Listing, Piece, ReadOptions};
use runtime::Error;

const MIB: u64 = 1 << 20;

/// An input up to this size is read whole.
pub(crate) const WHOLE_BYTES: u64 = 2 * MIB;

/// What is read at most of an input of up to fifty times as much.
const MOST_BYTES: u64 = 64 * MIB;

/// Of a larger input one byte in so many is read at most.
const MOST_ONE_IN: u64 = 50;

/// Documents of a sample, times the square root of those of the input.
const DOCUMENTS_A_ROOT: f64 = 16.0;

/// The same where only new snapshots are looked at.
const NEW_DOCUMENTS_A_ROOT: f64 = 4.0;

/// Bytes of the pilot's slots, the second if the first find nothing.
const PILOT_BYTES: [u64; 2] = [32 << 10, MIB];
const PILOT_SLOTS: usize = 6;

/// Slots of a sample at most: each costs a file opened and a MiB read, however little of it is
/// wanted.
const SLOTS_MAX: u64 = 1024;

/// Records of a slot, and its bytes.
const SLOT_RECORDS: u64 = 4;
const SLOT_BYTES: (u64, u64) = (8 << 10, 4 * MIB);

/// Unpacked bytes that a byte of input can stand for, beyond which a slot is taken for a stream.
const UNPACKED_MAX: u64 = 40;

/// Unpacked bytes a byte of input stands for in files that can be entered only at their beginning:
/// a guess.
const UNPACKED: f64 = 4.0;

/// Such files that are looked into.
const HEADS_MAX: usize = 64;

/// Part of the sample.
pub(crate) struct Sample {
    /// The share of the input that was looked at, 0 to 1.
    pub(super) share: f64,
    /// Documents in the order they were met in.
    pub(super) documents: Vec<Sampled>,
    /// ⟨shingle, document⟩ of all of them.
    pub(super) postings: Vec<(u64, u32)>,
    pub(super) sums: Sums,
    /// The share is a guess.
    pub(super) is_rough: bool,
}

/// Documents beyond this size are left out of a sample: what they need would be held besides what
/// the run needs for them, as the program does not give all of it back.
fn large_bytes(config: &Config) -> u64 {
    (config.work.memory_bytes / 64).max(MIB)
}

/// What a row group of a Parquet file may need at once: its pages are large, and read whole.
const ROW_GROUP_BYTES: u64 = 40 * MIB;

/// Whether a sample can be read in its part of the memory.
fn fits(config: &Config, listing: &Listing) -> bool {
    let has_parquet = listing
        .files
        .iter()
        .any(|file| file.format == input::Format::Parquet);
    !has_parquet || config.work.memory_bytes / 4 >= ROW_GROUP_BYTES
}

/// What is looked at: files, and whether they join others that are known.
#[derive(Clone, Copy)]
pub(super) struct Looked<'a> {
    pub(super) listing: &'a Listing,
    pub(super) joins: bool,
}

/// Takes a sample; `None` if not one document was found, or it does not fit the memory.
///
/// # Errors
/// When a signal came, or the input cannot be read.
pub(super) fn take(
    config: &Config,
    Looked { listing, joins }: Looked<'_>,
    is_stopped: &dyn Fn() -> bool,
) -> Result<Option<Sample>, Error> {
    if !fits(config, listing) {
        return Ok(None);
    }
    let reading = Reading {
        config,
        listing,
        axis: Axis::new(&listing.files),
        options: ReadOptions {
            fields: config.input.fields.clone(),
            max_document_bytes: config.input.max_document_bytes.min(large_bytes(config)),
            large: LargeRecords::default(),
        },
        documents_a_root: if joins {
            NEW_DOCUMENTS_A_ROOT
        } else {
            DOCUMENTS_A_ROOT
        },
        is_stopped,
    };
    let sample = reading.sample()?;
    Ok(sample.filter(|sample| !sample.documents.is_empty() && sample.share > 0.0))
}

struct Reading<'a> {
    config: &'a Config,
    listing: &'a Listing,
    axis: Axis<'a>,
    options: ReadOptions,
    documents_a_root: f64,
    is_stopped: &'a dyn Fn() -> bool,
}

/// How reading some pieces ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ended {
    AtTheEnd,
    Stopped(Stop),
}

impl<'a> Reading<'a> {
    fn taker(&self) -> Taker<'a> {
        let mut taker = Taker::new(
            self.config.sketch.params(),
            self.config.sketch.shingle_class_min,
            self.is_stopped,
        );
        taker.memory_bytes =
            usize::try_from((self.config.work.memory_bytes / 8).clamp(MIB, 64 * MIB)).unwrap_or(0);
        taker
    }

    fn sample(&self) -> Result<Option<Sample>, Error> {
        let total = self.axis.bytes();
        if total <= WHOLE_BYTES {
            return self.slots(Slots {
                bytes: total.max(1),
                wanted: 1,
                least_bytes: total,
                most_bytes: total,
            });
        }
        for bytes in PILOT_BYTES {
            let pilot = Slots {
                bytes,
                wanted: PILOT_SLOTS,
                least_bytes: u64::MAX,
                most_bytes: u64::MAX,
            };
            match self.slots(pilot)? {
                None => return self.heads(),
                Some(pilot) if pilot.documents.is_empty() => {}
                Some(pilot) => {
                    let density = pilot.documents.len() as f64 / pilot.share;
                    let sample = self.slots(self.plan(&pilot))?;
                    // Documents that all came from one slot of the pilot are those of a stream.
                    let is_alike = |sample: &Sample| {
                        sample.documents.len() as f64 > density * sample.share / 10.0
                    };
                    return sample
                        .filter(is_alike)
                        .map_or_else(|| self.heads(), |sample| Ok(Some(sample)));
                }
            }
        }
        self.heads()
    }

    /// The slots of a sample, from what a pilot met.
    fn plan(&self, pilot: &Sample) -> Slots {
        let total = self.axis.bytes();
        let documents = pilot.documents.len() as f64;
        let mean = (pilot.share * total as f64 / documents).max(1.0);
        let wanted = self.documents_a_root * (total as f64 / mean).sqrt() * mean;
        let most_bytes = MOST_BYTES.max(total / MOST_ONE_IN).min(total);
        let bytes = (wanted as u64).clamp(WHOLE_BYTES.min(most_bytes), most_bytes);
        let slot = (SLOT_RECORDS * mean as u64)
            .clamp(SLOT_BYTES.0, SLOT_BYTES.1)
            .max(bytes / SLOTS_MAX);
        // The pilot may have met larger records than there are: twice as many slots are at hand.
        let wanted = usize::try_from(2 * bytes.div_ceil(slot)).unwrap_or(usize::MAX);
        Slots {
            bytes: slot,
            wanted,
            least_bytes: WHOLE_BYTES.min(total),
            most_bytes,
        }
    }

    /// Reads slots until there are documents enough; `None` if a file can only be read from its
    /// beginning.
    fn slots(&self, slots: Slots) -> Result<Option<Sample>, Error> {
        let total = self.axis.bytes();
        let mut taker = self.taker();
        let count = total.div_ceil(slots.bytes);
        let mut seen_bytes = 0_u64;
        let beyond = if count > 1 {
            Stop::Stream
        } else {
            Stop::Enough
        };
        let unpacked = slots.bytes.saturating_mul(UNPACKED_MAX);
        for number in draw(count, slots.wanted) {
            let (start, end) = (
                number * slots.bytes,
                (number + 1).saturating_mul(slots.bytes).min(total),
            );
            let (documents, postings, sums) =
                (taker.documents.len(), taker.postings.len(), taker.sums);
            taker.begin(Allowed {
                bytes: unpacked,
                beyond,
            });
            match self.read(&self.axis.pieces(start, end), &mut taker)? {
                Ended::AtTheEnd => seen_bytes += end - start,
                Ended::Stopped(Stop::Stream) => return Ok(None),
                Ended::Stopped(_) if seen_bytes > 0 => {
                    // A slot counts whole or not at all.
                    taker.documents.truncate(documents);
                    taker.postings.truncate(postings);
                    taker.sums = sums;
                    break;
                }
                Ended::Stopped(_) => return self.heads(),
            }
            let expected = taker.documents.len() as f64 * total as f64 / seen_bytes as f64;
            let enough = taker.documents.len() as f64 >= self.documents_a_root * expected.sqrt();
            if (enough && seen_bytes >= slots.least_bytes) || seen_bytes >= slots.most_bytes {
                break;
            }
        }
        let share = if total == 0 {
            1.0
        } else {
            seen_bytes as f64 / total as f64
        };
        Ok(Some(Sample::of(taker, share)))
    }

    /// Reads files from their beginnings.
    fn heads(&self) -> Result<Option<Sample>, Error> {
        let mut taker = self.taker();
        let total = self.axis.bytes();
        let chosen = draw(self.listing.files.len() as u64, HEADS_MAX);
        let whole = (total as f64 * UNPACKED) as u64;
        let wanted = (whole / MOST_ONE_IN).clamp(4 * WHOLE_BYTES, MOST_BYTES);
        let each = wanted / (chosen.len() as u64).max(1);
        let mut seen_bytes = 0.0;
        for number in chosen {
            let Some(file) = self.listing.files.get(number as usize) else {
                continue;
            };
            taker.begin(Allowed {
                bytes: each,
                beyond: Stop::Enough,
            });
            let piece = Piece {
                file: u32::try_from(number).unwrap_or(u32::MAX),
                start: 0,
                end: file.bytes,
            };
            let ended = self.read(&[piece], &mut taker)?;
            seen_bytes += match ended {
                Ended::AtTheEnd => file.bytes as f64,
                Ended::Stopped(_) => (taker.slot_bytes() as f64 / UNPACKED).min(file.bytes as f64),
            };
        }
        let share = (seen_bytes / total.max(1) as f64).min(1.0);
        Ok(Some(Sample {
            is_rough: share < 1.0,
            ..Sample::of(taker, share)
        }))
    }

    fn read(&self, pieces: &[Piece], taker: &mut Taker<'_>) -> Result<Ended, Error> {
        for piece in pieces {
            let Some(file) = self.listing.files.get(piece.file as usize) else {
                continue;
            };
            let from = (piece.start == 0).then_some(0);
            match input::read_piece(file, piece, from, &self.options, taker) {
                Ok(_) => {}
                Err(InputError::Sink(why)) => match why.downcast_ref::<Stop>() {
                    Some(Stop::Interrupted) => {
                        return Err(Error::from_format(None, format::FormatError::Interrupted));
                    }
                    Some(stop) => return Ok(Ended::Stopped(*stop)),
                    None => return Err(Error::Input(InputError::Sink(why))),
                },
                Err(error) => return Err(Error::Input(error)),
            }
        }
        Ok(Ended::AtTheEnd)
    }
}

/// Which slots are read.
#[derive(Clone, Copy, Debug)]
struct Slots {
    bytes: u64,
    /// Slots at most.
    wanted: usize,
    /// Bytes that are read even if there are documents enough.
    least_bytes: u64,
    most_bytes: u64,
}

impl Sample {
    fn of(taker: Taker<'_>, share: f64) -> Sample {
        let Taker {
            documents,
            postings,
            sums,
            ..
        } = taker;
        Sample {
            share,
            documents,
            postings,
            sums,
            is_rough: false,
        }
    }
}
