//! The references: files of items → the items and the index of their n-grams, in memory.
//!
//! *Input.* Files, directories and globs of the user, in any format that is read. A row of JSONL or
//! Parquet is an item, of which the named fields count; any other document is an item with one
//! field, its text. *Output.* [`References`]. *Algorithm.* Of each item the n-grams of n − 1 words
//! that begin at even words are registered: a run of n equal words has one of them. *Memory.* The
//! texts, and 6 bytes a word. *Limits.* A file that cannot be read, or has no item, is an error:
//! nothing found would be taken for nothing there.

use super::fields::{USUAL_FIELDS, carried, text_of};
use super::item_index::{ItemEntries, ItemIndex};
use super::items::{ItemField, Items};
use super::outcome::LeftOut;
use super::request::DecontaminateRequest;
use engine::{Engine, Error};
use input::{
    Discovery, Document, FieldNames, Format, InputError, Listing, Piece, ReadOptions, Rejection,
    Sink, SinkError, SourceFile,
};
use model::{Content, Sampling};
use sketch::{
    Family, FingerprintBits, FingerprintKeys, ShingleKind, SketchParams, TextOfPages, TokenUnit,
    Winnower,
};
use sort::BudgetError;
use std::collections::{BTreeMap, HashSet};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use twox_hash::XxHash3_128;

/// Records that are named of those that are left out of a file for one reason.
const LEFT_OUT_NAMED: usize = 100;

/// Why an item is left out: it is too short to be told.
pub(super) const TOO_SHORT: &str = "too-short";
/// Why an item is left out: an earlier one of its file has the same words.
pub(super) const REPEATED: &str = "repeated";
/// Why a record is no item: it has none of the fields.
pub(super) const WITHOUT_FIELD: &str = "without-field";

/// The field of a document that has no fields.
const TEXT: &str = "text";

/// The items, and how they are found.
pub(super) struct References {
    pub(super) files: Vec<ReferenceFile>,
    /// The names of fields, by their numbers.
    pub(super) names: Vec<String>,
    pub(super) items: Items,
    pub(super) index: ItemIndex,
    /// The files by device and inode.
    inodes: HashSet<(u64, u64)>,
}

/// A file of references.
#[derive(Clone, Debug, Default)]
pub(super) struct ReferenceFile {
    /// Its path, relative to the current directory if it lies below.
    pub(super) name: String,
    /// Its first item.
    pub(super) first: u32,
    pub(super) items: u32,
    /// Records that are not searched for, by reason.
    pub(super) left_out: BTreeMap<String, LeftOut>,
    bytes: u64,
    /// The digest of its bytes.
    pub(super) digest: u64,
}

impl ReferenceFile {
    fn leave_out(&mut self, reason: &str, records: u64, name: impl FnOnce() -> String) {
        let left_out = self.left_out.entry(reason.to_owned()).or_default();
        left_out.records += records;
        if left_out.named.len() < LEFT_OUT_NAMED {
            left_out.named.push(name());
        }
    }
}

/// How texts become words and n-grams of so many words. The seed is no secret: words are compared
/// where n-grams are alike.
pub(super) fn parameters(words: u32) -> SketchParams {
    SketchParams {
        tokens: TokenUnit::Words,
        drop_numbers: false,
        text_of_pages: TextOfPages::Whole,
        shingle_size: words,
        shingles: ShingleKind::Set,
        sampling: Sampling::Modulus { modulus: 1 },
        bits: FingerprintBits::B64,
        family: Family::Keyed,
        keys: FingerprintKeys::from_seed("decontaminate"),
    }
}

impl References {
    /// Reads all files, and makes the index.
    pub(super) fn read(
        engine: &Engine<'_>,
        request: &DecontaminateRequest,
    ) -> Result<References, Error> {
        let listing = list(request)?;
        let names = match &request.fields[..] {
            [] => USUAL_FIELDS.map(str::to_owned).to_vec(),
            named => named.to_vec(),
        };
        let options = read_options(engine, &names);
        let mut sink = ItemSink {
            names: &names,
            words: Winnower::new(&parameters(1), 1),
            least: request.least_words.max(request.gram_words),
            items: Items::new(&engine.budget),
            file: ReferenceFile::default(),
            is_table: false,
            texts: HashSet::new(),
        };
        let mut files: Vec<ReferenceFile> = Vec::with_capacity(listing.files.len());
        for file in &listing.files {
            engine.disk.check_interrupt()?;
            files.push(sink.read(file, &options)?);
        }
        let mut items = sink.items;
        let stats = listing
            .files
            .iter()
            .map(|file| (file.stat.device, file.stat.inode));
        Ok(References {
            index: index(&mut items, request.gram_words)?,
            inodes: stats.collect(),
            files,
            names,
            items,
        })
    }

    /// Whether each file of the input is one of the references, or has its bytes.
    pub(super) fn are_among(&self, files: &[SourceFile]) -> Result<Vec<bool>, Error> {
        let has_bytes_of = |file: &SourceFile| -> Result<bool, Error> {
            let bytes = file.stat.bytes;
            let mut alike = self
                .files
                .iter()
                .filter(|one| one.bytes == bytes)
                .peekable();
            if alike.peek().is_none() {
                return Ok(false);
            }
            let digest = input::piece_digest(file, &Piece::whole(0, bytes))?;
            Ok(alike.any(|one| one.digest == digest))
        };
        let is_one = |file: &SourceFile| {
            let place = (file.stat.device, file.stat.inode);
            Ok(self.inodes.contains(&place) || has_bytes_of(file)?)
        };
        files.iter().map(is_one).collect()
    }

    /// Whether a path is one of the references.
    pub(super) fn have(&self, path: &Path) -> bool {
        let found = path.metadata();
        found.is_ok_and(|found| self.inodes.contains(&(found.dev(), found.ino())))
    }

    /// The name of a field by its number.
    pub(super) fn field_name(&self, field: u8) -> &str {
        self.names
            .get(usize::from(field))
            .map_or("all", String::as_str)
    }

    /// The file of an item.
    pub(super) fn file_of(&self, item: u32) -> usize {
        self.files.partition_point(|file| file.first <= item) - 1
    }
}

/// Finds the files.
fn list(request: &DecontaminateRequest) -> Result<Listing, Error> {
    let here = std::env::current_dir().map_err(Error::io("find the current directory"))?;
    let refused = |name: &str, why: String| Error::Reference {
        file: name.to_owned(),
        why,
        mend: "mend it, or leave it out".to_owned(),
    };
    let mut paths = Vec::new();
    for path in &request.references {
        let text = path.to_str().ok_or_else(|| {
            Error::Usage(format!(
                "failed to read reference {path:?}: its name is no UTF-8; rename it"
            ))
        })?;
        paths.push(text.to_owned());
    }
    let listing = input::discover(&Discovery::of_all(paths, here))
        .map_err(|error| Error::Usage(format!("failed to read the references: {error}")))?;
    let mut rejected = listing.rejected.iter();
    if let Some(file) = rejected.find(|file| file.reason != input::NOT_A_PAGE) {
        return Err(refused(
            &file.name,
            [file.reason, &file.detail].join(" ").trim_end().to_owned(),
        ));
    }
    match (listing.files.is_empty(), listing.rejected.first()) {
        (true, Some(file)) => Err(refused(&file.name, file.detail.clone())),
        _ => Ok(listing),
    }
}

/// How references are read: for the fields, which may be as long as documents.
fn read_options(engine: &Engine<'_>, names: &[String]) -> ReadOptions {
    let options = engine.config.input.read_options();
    ReadOptions {
        fields: FieldNames {
            text: String::new(),
            carry: carried(names),
            fields_only: true,
            ..FieldNames::default()
        },
        max_field_bytes: options.max_document_bytes,
        charset: None,
        ..options
    }
}

/// Makes the index of the n-grams.
fn index(items: &mut Items, gram_words: u32) -> Result<ItemIndex, Error> {
    let size = gram_words - 1;
    let entries = usize::try_from(items.words / 2).unwrap_or(usize::MAX) + items.count() as usize;
    items.reserve(ItemEntries::bytes(entries))?;
    let mut index = ItemEntries::with_capacity(entries, items.count() as usize);
    let mut winnower = Winnower::new(&parameters(size), size);
    for number in 0..items.count() {
        let item = items.item(number);
        let texts: Vec<&str> = item.fields.iter().map(|field| field.text).collect();
        let (text, mut at) = (texts.join("\n"), 0_u32);
        winnower.windows(Content::Text(&text), |print| {
            if at.is_multiple_of(2) {
                index.push(print, number);
            }
            at += 1;
        });
    }
    Ok(index.finish())
}

/// Makes items of the records of one file after another.
struct ItemSink<'a> {
    names: &'a [String],
    words: Winnower,
    /// Words of the shortest item.
    least: u32,
    items: Items,
    /// The file at hand.
    file: ReferenceFile,
    /// Whether its records have fields.
    is_table: bool,
    /// Digests of the words of its items.
    texts: HashSet<u128>,
}

impl ItemSink<'_> {
    fn read(&mut self, file: &SourceFile, options: &ReadOptions) -> Result<ReferenceFile, Error> {
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
            error => self.refused(error.to_string(), "mend it, or leave it out"),
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
        let left_out = &self.file.left_out;
        let records = |reason| left_out.get(reason).map_or(0, |one| one.records);
        let (too_short, without_field) = (records(TOO_SHORT), records(WITHOUT_FIELD));
        if too_short > 0 {
            let least = self.least;
            let why = format!("each of its {too_short} items has fewer than {least} words");
            self.refused(why, "lower --least")
        } else if without_field > 0 {
            let fields = self.names.join(", ");
            let why = format!("none of its {without_field} records has one of the fields {fields}");
            self.refused(why, "name its fields with --fields")
        } else if let Some((reason, LeftOut { records, named })) = left_out.iter().next() {
            let first = named.first().map_or("", String::as_str);
            let why = format!(
                "none of its {records} records can be used, the first because of {reason} at {first}"
            );
            self.refused(why, "mend it, or leave it out")
        } else {
            self.refused("it has no record".to_owned(), "mend it, or leave it out")
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
            return Ok(self.item(id, &[(name.unwrap_or(usize::from(u8::MAX)) as u8, &text)])?);
        }
        let texts = self.names.iter().map(|name| text_of(document, name));
        let texts: Vec<_> = (0..u8::MAX).zip(texts).collect();
        let texts = texts
            .iter()
            .filter_map(|(name, text)| Some((*name, text.as_deref()?)));
        let fields: Vec<(u8, &str)> = texts.collect();
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
        let place = || format!("byte {offset}: {detail}");
        self.file.leave_out(reason, records, place);
        Ok(())
    }

    fn skipped(&mut self, _: &str) {}
}

/// A path as results show it: relative to the current directory where it lies below it.
pub(super) fn shown(path: &Path) -> String {
    let here = std::env::current_dir().unwrap_or_default();
    path.strip_prefix(here)
        .unwrap_or(path)
        .display()
        .to_string()
}
