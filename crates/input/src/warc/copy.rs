//! A WARC or ARC file again, without some of its records.
//!
//! *Input.* The file; the records that go, by their places. *Output.* The other records, in order.
//! *Algorithm.* Entries are decoded to see where their records begin. What stays whole is copied
//! raw: a member or frame, or the records of a plain file. An entry of which a part goes is decoded
//! a second time, and each record that stays becomes an entry of its own. A `request` or `metadata`
//! record goes with a removed one that it names in `WARC-Concurrent-To`, or that names it there.
//! Everything else that is no document stays, damaged or not: where no record can be recognised,
//! all bytes up to the next removed record are kept. *Memory.* 1 MiB, and [`RECORDS_MAX`] records.
//! *Limits.* A record that belongs to a removed one is looked for among the last [`HELD_ENTRIES`]
//! entries before it, and by the ids of some thousand removed ones near by and those they name.

use std::collections::VecDeque;
use std::ops::Range;

use decode::codec::{DecodeError, Decompressor};
use decode::copying::{CopyLosses, EmitCursor, Emitter, Pending, record_hash, remember};
use decode::{error::InputError, options::LargeRecords};

use super::header;
use super::syntax::Syntax;
use super::window::{EntryWindow, Gate, LARGE_WINDOW_BYTES};

/// Records of one entry that are held before their fate is carried out.
const RECORDS_MAX: usize = 1 << 15;
/// Entries held because a record behind them may take them along.
const HELD_ENTRIES: usize = 64;

/// Copies the records that stay.
pub(crate) fn copy<'a>(
    source: Decompressor,
    syntax: Syntax,
    pending: &'a mut Pending<'_>,
    large: &'a LargeRecords,
    out: Emitter<'_>,
) -> Result<CopyLosses, InputError> {
    let plain = source.is_plain();
    let file_bytes = source.input().file_bytes();
    let window = EntryWindow::new(source, syntax);
    let mut walk = CopyWalk {
        window,
        gate: Gate::new(large),
        pending,
        plain,
        file_bytes,
        held: VecDeque::new(),
        out,
        cursor: None,
        copied: CopyLosses::default(),
    };
    walk.file()?;
    if walk.pending.peek().is_some() {
        return Err(walk.pending.not_met());
    }
    let CopyWalk { out, copied, .. } = walk;
    out.finish()?;
    Ok(copied)
}

/// A record of an entry, and whether it stays.
#[derive(Clone, Debug)]
struct EntryRecord {
    /// Its decoded bytes in the entry, with the line ends behind it.
    bytes: Range<u64>,
    /// [`record_hash`] of its id; 0 if it has none, or if it never goes together with others.
    belongs: u64,
    stays: bool,
}

/// The decision about the record at the beginning of the window.
struct RecordFate {
    stays: bool,
    /// As [`EntryRecord::belongs`].
    belongs: u64,
    /// Bytes up to where the next record is looked for.
    length: u64,
    is_record: bool,
}

/// A member or frame; of a plain file, a record.
#[derive(Debug)]
struct WarcEntry {
    bytes: Range<u64>,
    parts: Vec<EntryRecord>,
    is_sound: bool,
}

struct CopyWalk<'a, 'p, 's> {
    window: EntryWindow,
    gate: Gate<'a>,
    pending: &'a mut Pending<'p>,
    plain: bool,
    file_bytes: u64,
    /// Entries whose last record may still go with the next one.
    held: VecDeque<WarcEntry>,
    out: Emitter<'s>,
    /// The entry that is being encoded anew.
    cursor: Option<EmitCursor>,
    copied: CopyLosses,
}

impl CopyWalk<'_, '_, '_> {
    fn file(&mut self) -> Result<(), InputError> {
        self.window.source.seek(0)?;
        loop {
            let start = self.window.source.input().position();
            let damaged = match self.window.source.begin_entry() {
                Err(DecodeError::Input(error)) => return Err(error),
                Ok(false) => break,
                Ok(true) => {
                    let window_bytes = self.window.source.window_bytes();
                    self.gate.held_by_entry = window_bytes > LARGE_WINDOW_BYTES;
                    self.gate.need(if self.gate.held_by_entry {
                        window_bytes as usize
                    } else {
                        0
                    });
                    self.window.begin()?;
                    let entry = self.records(start)?;
                    self.gate.held_by_entry = false;
                    let damaged = self.window.damage().is_some();
                    self.finish_entry(entry, damaged)?;
                    damaged
                }
                // Nothing of it was ever a record.
                Err(DecodeError::Damaged { .. }) => true,
            };
            if damaged {
                let start_of_entry = self.window.syntax.entry_start();
                let next = self.window.source.recover(start_of_entry)?.next;
                if let Some(entry) = self
                    .held
                    .back_mut()
                    .filter(|entry| !entry.is_sound && entry.bytes.start == start)
                {
                    entry.bytes.end = next;
                } else {
                    self.held.push_back(WarcEntry {
                        bytes: start..next,
                        parts: Vec::new(),
                        is_sound: false,
                    });
                }
                self.carry_out()?;
            }
            self.window.relax();
            self.gate.release();
            if self.plain {
                break;
            }
        }
        self.carry_out()
    }

    /// Holds an entry that is decoded to its end, or carries out what is held.
    fn finish_entry(&mut self, mut entry: WarcEntry, damaged: bool) -> Result<(), InputError> {
        if self.plain {
            return Ok(());
        }
        entry.bytes.end = self.window.source.input().position();
        entry.is_sound = !damaged;
        let waits = entry.parts.last().is_some_and(|part| part.belongs != 0)
            && self.held.len() < HELD_ENTRIES;
        self.held.push_back(entry);
        if waits || damaged {
            Ok(())
        } else {
            self.carry_out()
        }
    }

    /// The records of the entry just begun. Those of a plain file are entries of their own and held
    /// at once.
    fn records(&mut self, start: u64) -> Result<WarcEntry, InputError> {
        let mut entry = WarcEntry {
            bytes: start..start,
            parts: Vec::new(),
            is_sound: true,
        };
        // Line ends before the first record are its own.
        let mut from = Some(0);
        while self.window.skip_newlines(&mut self.gate)? {
            let at = self.window.offset();
            self.close_part(&mut entry, at)?;
            let judged = self.judge(start, at, &mut entry.parts)?;
            if self.plain {
                self.window.skip_plain(judged.length)?;
            } else if judged.is_record {
                self.window.skip_record(judged.length, &mut self.gate)?;
            } else {
                self.window.skip(judged.length, &mut self.gate)?;
            }
            // Bytes that are no record stay behind the record that it may be a part of.
            if judged.is_record || entry.parts.last().is_none_or(|part| !part.stays) {
                let RecordFate { stays, belongs, .. } = judged;
                entry.parts.push(EntryRecord {
                    bytes: from.take().unwrap_or(at)..at,
                    belongs,
                    stays,
                });
            }
            if entry.parts.len() >= RECORDS_MAX {
                self.part_of_entry(&mut entry, start)?;
            }
        }
        let end = if self.plain {
            self.file_bytes
        } else {
            self.window.offset()
        };
        self.close_part(&mut entry, end)?;
        Ok(entry)
    }

    /// The record before ends where the next one begins.
    fn close_part(&mut self, entry: &mut WarcEntry, end: u64) -> Result<(), InputError> {
        let Some(part) = entry.parts.last_mut() else {
            return Ok(());
        };
        part.bytes.end = end;
        if self.plain {
            let part = entry.parts.remove(0);
            let waits = part.belongs != 0 && self.held.len() < HELD_ENTRIES;
            self.held.push_back(WarcEntry {
                bytes: part.bytes.clone(),
                parts: vec![part],
                is_sound: true,
            });
            if !waits {
                self.carry_out()?;
            }
        }
        Ok(())
    }

    /// The decision about the record at the beginning of the window.
    fn judge(
        &mut self,
        start: u64,
        at: u64,
        before: &mut [EntryRecord],
    ) -> Result<RecordFate, InputError> {
        let place = if self.plain { (at, 0) } else { (start, at) };
        let next = self.pending.peek().map(|removal| removal.place.start());
        if next.is_some_and(|next| next < place) {
            return Err(self.pending.not_met());
        }
        let header_bytes = self.header_bytes()?;
        let header = header_bytes.map(|bytes| &self.window.bytes()[..bytes]);
        if next == Some(place) {
            let named = header.map(header::concurrent_to).unwrap_or_default();
            let length = self
                .pending
                .peek()
                .map_or(0, |removal| removal.place.length);
            self.pending.advance()?;
            self.take_along(&named, before);
            return Ok(RecordFate {
                stays: false,
                belongs: 0,
                length,
                is_record: true,
            });
        }
        // Whatever a record claims, one that goes is not inside it.
        let most = match next {
            Some((entry, inner)) if !self.plain && entry == start => inner - at,
            Some((entry, _)) if self.plain => entry - at,
            _ if self.plain => self.file_bytes - at,
            _ => u64::MAX,
        };
        let parsed = header.and_then(|header| {
            self.window
                .syntax
                .parse(header)
                .ok()
                .map(|parsed| (parsed, header.len()))
        });
        let Some((parsed, header_bytes)) = parsed else {
            return Ok(RecordFate {
                stays: true,
                belongs: 0,
                length: most,
                is_record: false,
            });
        };
        let length = parsed
            .block_bytes
            .saturating_add(header_bytes as u64)
            .min(most);
        if !matches!(&*parsed.kind, "request" | "metadata") {
            return Ok(RecordFate {
                stays: true,
                belongs: 0,
                length,
                is_record: true,
            });
        }
        let named = header.map(header::concurrent_to).unwrap_or_default();
        let belongs = parsed.id.as_deref().map_or(1, record_hash);
        let goes = self.pending.named.contains(&belongs)
            || named.iter().any(|id| self.pending.removes(record_hash(id)));
        self.copied.belonging += u64::from(goes);
        Ok(RecordFate {
            stays: !goes,
            belongs,
            length,
            is_record: true,
        })
    }

    /// Takes along the records that a removed one names: those before it, and those to come.
    fn take_along(&mut self, named: &[String], before: &mut [EntryRecord]) {
        if named.is_empty() {
            return;
        }
        let named: Vec<u64> = named.iter().map(|id| record_hash(id)).collect();
        named
            .iter()
            .for_each(|id| remember(&mut self.pending.named, *id));
        let held = self.held.iter_mut().flat_map(|entry| &mut entry.parts);
        for part in held
            .chain(before)
            .filter(|part| part.stays && named.contains(&part.belongs))
        {
            part.stays = false;
            self.copied.belonging += 1;
        }
    }

    /// Bytes of the header at the beginning of the window, if a record begins there.
    fn header_bytes(&mut self) -> Result<Option<usize>, InputError> {
        let syntax = self.window.syntax;
        self.window.ensure(syntax.start_bytes(), &mut self.gate)?;
        if !syntax.begins_record(self.window.bytes()) {
            return Ok(None);
        }
        self.window.header_bytes(&mut self.gate)
    }

    /// An entry of very many records is encoded anew, whatever stays of it.
    fn part_of_entry(&mut self, entry: &mut WarcEntry, start: u64) -> Result<(), InputError> {
        let Some(last) = entry.parts.pop() else {
            return Ok(());
        };
        self.carry_out()?;
        self.encode(start, &entry.parts)?;
        entry.parts.clear();
        entry.parts.push(last);
        Ok(())
    }

    /// Writes what is held.
    fn carry_out(&mut self) -> Result<(), InputError> {
        while let Some(mut entry) = self.held.pop_front() {
            let begun = self
                .cursor
                .as_ref()
                .is_some_and(|cursor| cursor.entry == entry.bytes.start);
            let all_stay = entry.parts.iter().all(|part| part.stays);
            if all_stay && (!begun || self.plain) {
                self.out.keep(entry.bytes)?;
                continue;
            }
            if !entry.is_sound {
                self.copied.lost_bytes += entry.bytes.end - entry.bytes.start;
                // Nothing sound follows it: it was never a document, and must not become one with a
                // checksum of its own.
                entry.parts.pop();
            }
            if !self.plain && entry.parts.iter().any(|part| part.stays) {
                self.encode(entry.bytes.start, &entry.parts)?;
            }
        }
        Ok(())
    }

    /// Decodes an entry again and hands on the records that stay, each to be an entry of its own.
    fn encode(&mut self, start: u64, parts: &[EntryRecord]) -> Result<(), InputError> {
        if self
            .cursor
            .as_ref()
            .is_none_or(|cursor| cursor.entry != start)
        {
            self.cursor = self.out.cursor(start)?;
        }
        let Some(cursor) = self.cursor.as_mut() else {
            return Ok(());
        };
        for part in parts.iter().filter(|part| part.stays) {
            cursor.emit(&part.bytes, &mut self.out)?;
            self.out.end_entry()?;
        }
        Ok(())
    }
}
