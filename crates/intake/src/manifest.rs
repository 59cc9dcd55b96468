//! Input files as the manifest of the work directory describes them.

use format::{InputFile, Manifest};
use input::SourceFile;
use runtime::parameters;
use std::cmp::Ordering;
use std::collections::BTreeMap;

/// The entry of the manifest for a listed file that was not read yet.
pub fn input_file(file: &SourceFile) -> InputFile {
    InputFile {
        name: file.name.clone(),
        format: format_name(file),
        bytes: file.bytes,
        modified_ns: file.modified_ns.to_string(),
        changed_ns: file.changed_ns.to_string(),
        inode: file.inode,
        digest: String::new(),
    }
}

/// The format of a file, as the manifest spells it.
pub fn format_name(file: &SourceFile) -> String {
    file.format.name().to_owned()
}

/// Whether times or inode of a file with the same name and size differ: then its bytes have to be
/// compared.
pub fn is_touched(old: &InputFile, new: &InputFile) -> bool {
    (&old.modified_ns, &old.changed_ns, old.inode) != (&new.modified_ns, &new.changed_ns, new.inode)
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
            file.name, file.format, file.bytes, file.digest
        );
    }
    parameters::hex(parameters::fingerprint(&text))
}

/// The first difference between the files of a snapshot that were read and those of now, by name,
/// size and format.
pub fn listed_difference(before: &[InputFile], now: &[SourceFile]) -> Option<String> {
    for (old, new) in before.iter().zip(now) {
        if old.name != new.name {
            let (name, what) = if old.name < new.name {
                (&old.name, "is gone")
            } else {
                (&new.name, "is new")
            };
            return Some(format!("input {name} {what}"));
        }
        if old.bytes != new.bytes || old.format != format_name(new) {
            return Some(format!("input {} changed", old.name));
        }
    }
    match before.len().cmp(&now.len()) {
        Ordering::Less => Some(format!("input {} is new", now[before.len()].name)),
        Ordering::Greater => Some(format!("input {} is gone", before[now.len()].name)),
        Ordering::Equal => None,
    }
}
