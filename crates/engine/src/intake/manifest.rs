//! Input files as the manifest of the work directory describes them.

use crate::Error;
use crate::runtime::parameters;
use format::{Disk, InputFile, Manifest};
use input::{InputError, Listing, Piece, RejectedFile, SourceFile};
use model::FileStat;
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::hash::Hasher;
use std::slice::from_ref;
use twox_hash::XxHash3_64;

/// The problem of a file of another digest; to be read after its name.
pub(crate) const OTHER_BYTES: &str = "has other bytes than when it was first read";

/// The entry of the manifest for a listed file that was not read yet.
pub fn input_file(file: &SourceFile) -> InputFile {
    InputFile {
        name: file.name.clone(),
        format: file.format_name(),
        stat: file.stat.without_device(),
        digest: String::new(),
        is_of_source: !file.sources.is_empty(),
    }
}

/// The files of each snapshot as the manifest has them, by number.
pub fn files_of(manifest: &Manifest) -> BTreeMap<u32, &[InputFile]> {
    let mut from = 0;
    let mut of = BTreeMap::new();
    for snapshot in &manifest.snapshots {
        let to = (from + snapshot.files as usize).min(manifest.inputs.len());
        of.insert(snapshot.number, &manifest.inputs[from..to]);
        from = to;
    }
    of
}

/// The first of the files that were read whose bytes are others now. Only those are read again that
/// `may_differ`; names and sizes are the same.
pub fn other_content<'a>(
    disk: &Disk,
    before: &'a [InputFile],
    now: &[SourceFile],
    may_differ: impl Fn(&FileStat, &FileStat) -> bool,
) -> Result<Option<&'a str>, Error> {
    let to_compare = |(old, new): (&InputFile, &SourceFile)| {
        !old.digest.is_empty() && may_differ(&old.stat, &new.stat)
    };
    if !before.iter().zip(now).any(to_compare) {
        return Ok(None);
    }
    let bytes = now.iter().map(|file| file.stat.bytes).sum();
    let pieces: Vec<Piece> = input::plan(now, input::Sizes::of(bytes))
        .into_iter()
        .flatten()
        .collect();
    for pieces in pieces.chunk_by(|a, b| a.file == b.file) {
        let file = pieces[0].file as usize;
        let (old, new) = (&before[file], &now[file]);
        if !to_compare((old, new)) {
            continue;
        }
        let mut hasher = XxHash3_64::new();
        for piece in pieces {
            disk.check_interrupt()?;
            hasher.write(&input::piece_digest(new, piece)?.to_le_bytes());
        }
        if format!("{:016x}", hasher.finish()) != old.digest {
            return Ok(Some(&old.name));
        }
    }
    Ok(None)
}

/// Whether a file has the bytes that were read of it. One that cannot be opened has not.
pub fn has_known_bytes(disk: &Disk, known: &InputFile, file: &SourceFile) -> Result<bool, Error> {
    if known.digest.is_empty() || !file.can_be_opened()? {
        return Ok(false);
    }
    match other_content(disk, from_ref(known), from_ref(file), |_, _| true) {
        Ok(other) => Ok(other.is_none()),
        Err(Error::Input(InputError::Changed { .. })) => Ok(false),
        Err(error) => Err(error),
    }
}

/// A fingerprint of the content of files that were read; `None` if one was not.
pub fn content_of(files: &[InputFile]) -> Option<String> {
    let all_read = files.iter().all(|file| !file.digest.is_empty());
    all_read.then(|| content_read_of(files))
}

/// A fingerprint of the content of files, as far as they were read.
pub fn content_read_of(files: &[InputFile]) -> String {
    let mut text = String::new();
    for file in files {
        text += &format!(
            "{} {} {} {}\n",
            file.name, file.format, file.stat.bytes, file.digest
        );
    }
    parameters::hex(parameters::fingerprint(&text))
}

/// Whether other files than before are references, or none are any more: then phase `cluster` keeps
/// others.
pub fn has_other_references(manifest: &Manifest, listing: &Listing) -> bool {
    let files = manifest.inputs.iter().zip(&listing.files);
    let is_other =
        |(old, new): (&InputFile, &SourceFile)| old.is_of_source == new.sources.is_empty();
    let matters = || parameters::has_references(manifest) || listing.has_references();
    files.into_iter().any(is_other) && matters()
}

/// The first difference between the files of a snapshot that were read and those of now, by name,
/// size and format. `rejected` has the files of now that cannot be read.
pub fn listed_difference(
    before: &[InputFile],
    now: &[SourceFile],
    rejected: &[RejectedFile],
) -> Option<String> {
    let gone = |name: &String| {
        let found = rejected.iter().find(|file| file.name == *name);
        let what = found.map_or_else(
            || "is gone".to_owned(),
            |file| format!("cannot be read any more ({})", file.reason),
        );
        Some(format!("input {name} {what}"))
    };
    for (old, new) in before.iter().zip(now) {
        if old.name != new.name {
            return match old.name < new.name {
                true => gone(&old.name),
                false => Some(format!("input {} is new", new.name)),
            };
        }
        if old.stat.bytes != new.stat.bytes || old.format != new.format_name() {
            return Some(format!("input {} changed", old.name));
        }
    }
    match before.len().cmp(&now.len()) {
        Ordering::Less => Some(format!("input {} is new", now[before.len()].name)),
        Ordering::Greater => gone(&before[now.len()].name),
        Ordering::Equal => None,
    }
}
