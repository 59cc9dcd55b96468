//! The references: files of items → the items and the index of their n-grams, in memory.
//!
//! *Input.* Files, directories and globs of the user, in any format that is read. A row of JSONL or
//! Parquet is an item, of which the named fields count; any other document is an item with one
//! field, its text. *Output.* [`References`]. *Algorithm.* Of each item the n-grams of n − 1 words
//! that begin at even words are registered: a run of n equal words has one of them. *Memory.* The
//! texts, and 6 bytes a word. *Limits.* A file that cannot be read, or has no item, is an error:
//! nothing found would be taken for nothing there.

use super::fields::{USUAL_FIELDS, carried};
use super::item_index::{ItemEntries, ItemIndex};
use super::item_sink::ItemSink;
use super::items::Items;
use super::reference_file::{MEND, ReferenceFile};
use super::request::DecontaminateRequest;
use super::words::parameters;
use engine::{Engine, Error};
use input::{
    Discovery, FieldNames, InputError, Listing, Piece, ReadOptions, RejectedFile, SourceFile,
};
use model::Content;
use sketch::Winnower;
use std::collections::HashSet;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

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
        let mut sink = ItemSink::new(&names, request, &engine.budget);
        let mut files: Vec<ReferenceFile> = Vec::with_capacity(listing.files.len());
        for file in &listing.files {
            engine.disk.check_interrupt()?;
            files.push(sink.read(file, &options)?);
        }
        let unseen = names
            .iter()
            .zip(&sink.is_seen)
            .find(|(_, is_seen)| !**is_seen);
        if let Some((name, _)) = unseen.filter(|_| !request.fields.is_empty()) {
            return Err(Error::Usage(format!(
                "failed to read the references: no record has a field {name} with a text; mend \
                 --fields"
            )));
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
    // as the caller knows it: below one of the given directories, or given itself
    let given = |name: &str| {
        let mut given = request.references.iter();
        let found = given.find_map(|path| {
            let path = match path.is_dir() {
                true => path.join(name),
                false => path.clone(),
            };
            (path.ends_with(name) && path.exists()).then_some(path)
        });
        found.map_or_else(|| name.to_owned(), |path| path.display().to_string())
    };
    let refused = |file: &RejectedFile| {
        // the advice on how input is configured says nothing of references
        let detail = file.detail.split("; set format").next().unwrap_or_default();
        Error::Reference {
            file: given(&file.name),
            why: [file.reason, detail].join(" ").trim_end().to_owned(),
            mend: MEND.to_owned(),
        }
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
    let listing = input::discover(&Discovery::of_all(paths, here)).map_err(|error| {
        Error::Usage(match error {
            InputError::Missing { pattern, .. } | InputError::NothingMatches { pattern } => {
                format!("failed to read the references: there is no file {pattern}")
            }
            error => format!("failed to read the references: {error}"),
        })
    })?;
    let mut rejected = listing.rejected.iter();
    let unread = rejected.find(|file| file.reason != input::NOT_A_PAGE);
    match (unread, listing.files.is_empty(), listing.rejected.first()) {
        (Some(file), ..) | (None, true, Some(file)) => Err(refused(file)),
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
