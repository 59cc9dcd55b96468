//! The records of a file of references → items.
//!
//! *Input.* The records of a file. *Output.* [`Items`]; the records that are none, by reason.
//! *Algorithm.* A row of JSONL or Parquet is an item, of which the named fields count; any other
//! document is an item with one field, its text. *Memory.* 34 bytes a distinct item of the file.
//! *Limits.* Where an unknown number of records is lost, the file is refused.

use super::fields::texts_of;
use super::items::{ItemField, Items};
use super::outcome::LeftOut;
use super::reference_file::{MEND, ReferenceFile, shown};
use super::request::DecontaminateRequest;
use super::words::parameters;
use engine::Error;
use input::{
    Document, Format, InputError, Piece, ReadOptions, Rejection, Sink, SinkError, SourceFile,
};
use model::Content;
use sketch::Winnower;
use sort::{BudgetError, MemoryBudget};
use std::collections::HashSet;
use twox_hash::XxHash3_128;

/// Why an item is left out: it is too short to be told.
pub(super) const TOO_SHORT: &str = "too-short";
/// Why an item is left out: an earlier one of its file has the same words.
pub(super) const REPEATED: &str = "repeated";
/// Why a record is no item: it has none of the fields.
pub(super) const WITHOUT_FIELD: &str = "without-field";

/// Rejections that lose more than a record: nobody knows how many items were behind them.
const LOSES_MORE: [&str; 11] = [
    "bad-dictionary",
    "bad-gzip",
    "bad-parquet",
    "bad-warc-header",
    "bad-zip-member",
    "bad-zstd",
    "damaged",
    "damaged-zip",
    "expands-too-far",
    "truncated",
    "unreadable",
];

/// The field of a document that has no fields.
const TEXT: &str = "text";

/// Makes items of the records of one file after another.
pub(super) struct ItemSink<'a> {
    names: &'a [String],
    words: Winnower,
    /// Words of the shortest item.
    least: u32,
    pub(super) items: Items,
    /// The file at hand.
    file: ReferenceFile,
    /// Whether its records have fields.
    is_table: bool,
    /// Digests of the words of its items.
    texts: HashSet<u128>,
    /// Whether each field was met in any file.
    pub(super) is_seen: Vec<bool>,
}

impl<'a> ItemSink<'a> {
    /// For the items of all files, of which the fields of these names count.
    pub(super) fn new(
        names: &'a [String],
        request: &DecontaminateRequest,
        budget: &MemoryBudget,
    ) -> ItemSink<'a> {
        ItemSink {
            names,
            words: Winnower::new(&parameters(1), 1),
            least: request.least_words.max(request.gram_words),
            items: Items::new(budget),
            file: ReferenceFile::default(),
            is_table: false,
            texts: HashSet::new(),
            is_seen: vec![false; names.len()],
        }
    }

    /// Reads a file.
    ///
    /// # Errors
    /// It cannot be read, or has no item.
    pub(super) fn read(
        &mut self,
        file: &SourceFile,
        options: &ReadOptions,
    ) -> Result<ReferenceFile, Error> {
        self.file = ReferenceFile {
            name: shown(&file.path),
            first: self.items.count(),
            bytes: file.stat.bytes,
            ..ReferenceFile::default()
        };
        self.is_table = matches!(file.format, Format::Jsonl | Format::Parquet);
        let piece = Piece::whole(0, file.stat.bytes);
        let end = input::read_piece(file, &piece, Some(0), options, self);
        let end = end.map_err(|error| match error {
            error @ InputError::Sink(_) => Error::from(error),
            error => self.refused(error.to_string(), MEND),
        })?;
        self.texts.clear();
        self.file.digest = end.digest;
        self.file.items = self.items.count() - self.file.first;
        match self.file.items {
            0 => Err(self.without_item()),
            _ => Ok(std::mem::take(&mut self.file)),
        }
    }

    fn without_item(&self) -> Error {
        let mut mend = MEND;
        let reasons = self.file.left_out.iter().map(|(reason, left_out)| {
            let LeftOut { records, named } = left_out;
            match &**reason {
                TOO_SHORT => {
                    mend = "lower --least";
                    format!("{records} of fewer than {} words", self.least)
                }
                WITHOUT_FIELD => {
                    mend = "name its fields with --fields";
                    let fields = self.names.join(", ");
                    format!("{records} without one of the fields {fields}")
                }
                _ => {
                    let first = named.first().map_or("", String::as_str);
                    format!("{records} because of {reason}, the first at {first}")
                }
            }
        });
        let reasons: Vec<String> = reasons.collect();
        match reasons.is_empty() {
            true => self.refused("it has no record".to_owned(), MEND),
            false => {
                let why = format!("none of its records is an item: {}", reasons.join("; "));
                self.refused(why, mend)
            }
        }
    }

    fn refused(&self, why: String, mend: &str) -> Error {
        Error::Reference {
            file: self.file.name.clone(),
            why,
            mend: mend.to_owned(),
        }
    }

    fn item(&mut self, id: &str, fields: &[(u8, &str)]) -> Result<(), BudgetError> {
        let mut counted = Vec::with_capacity(fields.len());
        let mut digest = XxHash3_128::new();
        for &(name, text) in fields {
            let mut words = 0;
            digest.write(&[name]);
            self.words.windows(Content::Text(text), |word| {
                digest.write(&word.to_le_bytes());
                words += 1;
            });
            counted.push(ItemField { name, words, text });
        }
        let fields = counted;
        let words: u64 = fields.iter().map(|field| u64::from(field.words)).sum();
        let reason = if words < u64::from(self.least) {
            TOO_SHORT
        } else if self.is_repeated(digest.finish_128())? {
            REPEATED
        } else {
            return self.items.push(id, &fields);
        };
        self.file.leave_out(reason, 1, || id.to_owned());
        Ok(())
    }

    /// Whether an earlier item of the file has this digest.
    fn is_repeated(&mut self, digest: u128) -> Result<bool, BudgetError> {
        if self.texts.len() == self.texts.capacity() {
            let more = self.texts.capacity().max(1 << 10);
            // a table has up to twice the places, of 17 bytes each
            self.items.reserve(34 * more)?;
            self.texts.reserve(more);
        }
        Ok(!self.texts.insert(digest))
    }
}

impl Sink for ItemSink<'_> {
    fn document(&mut self, document: &Document<'_>) -> Result<(), SinkError> {
        let row = document.row.map(|row| row.to_string());
        let id = document
            .id
            .or(row.as_deref())
            .or(document.url)
            .unwrap_or_default();
        if !self.is_table {
            let text = sketch::whole_text(document.content);
            let name = self.names.iter().position(|name| name == TEXT);
            if let Some(name) = name {
                self.is_seen[name] = true;
            }
            return Ok(self.item(id, &[(name.unwrap_or(usize::from(u8::MAX)) as u8, &text)])?);
        }
        let mut texts = Vec::new();
        for (number, name) in (0..u8::MAX).zip(self.names) {
            let of_field = texts_of(document, name);
            self.is_seen[usize::from(number)] |= !of_field.is_empty();
            texts.extend(of_field.into_iter().map(|text| (number, text)));
        }
        let fields: Vec<(u8, &str)> = texts.iter().map(|(name, text)| (*name, &**text)).collect();
        if fields.is_empty() {
            self.file.leave_out(WITHOUT_FIELD, 1, || id.to_owned());
            return Ok(());
        }
        Ok(self.item(id, &fields)?)
    }

    fn rejected(&mut self, rejection: Rejection) -> Result<(), SinkError> {
        let Rejection {
            reason,
            detail,
            offset,
            records,
            ..
        } = rejection;
        let place = format!("byte {offset}: {detail}");
        if LOSES_MORE.contains(&reason) {
            let why = format!("{reason} at {place}");
            return Err(Box::new(self.refused(why, MEND)));
        }
        self.file.leave_out(reason, records, || place);
        Ok(())
    }

    fn skipped(&mut self, _: &str) {}
}
