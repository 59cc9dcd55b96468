//! What a run found in a snapshot, put down: digests of its files, and how many documents they
//! hold.

use super::{Intake, Snapshot};
use format::InputFile;
use runtime::Error;

impl Intake {
    /// Puts down digests and documents of a snapshot whose sketches are done; `files` are its files
    /// in input order. The list is durable once it is settled again.
    ///
    /// # Errors
    /// When a file is not the one that was read before: its digest is another.
    pub fn note(&mut self, number: u32, files: &[InputFile], documents: u64) -> Result<(), Error> {
        let Some(list) = &mut self.list else {
            return Ok(());
        };
        let Some(at) = list
            .snapshots
            .iter()
            .position(|snapshot| snapshot.number == number)
        else {
            return Ok(());
        };
        let snapshot = &list.snapshots[at];
        let changed = differing(snapshot, files);
        if let Some((file, more)) = changed {
            let what = "has other bytes than when it was read first".to_owned();
            return Err(Error::SnapshotChanged {
                snapshot: snapshot.name.clone(),
                file,
                what,
                more,
            });
        }
        let is_known =
            |(known, read): (&super::SnapshotFile, &InputFile)| known.digest == read.digest;
        if snapshot.documents == Some(documents) && snapshot.files.iter().zip(files).all(is_known) {
            return Ok(());
        }
        let snapshot = &mut list.change()[at];
        snapshot.documents = Some(documents);
        for (known, read) in snapshot.files.iter_mut().zip(files) {
            known.digest.clone_from(&read.digest);
        }
        Ok(())
    }
}

/// The first file that is another one than was noted, and how many more are.
fn differing(snapshot: &Snapshot, files: &[InputFile]) -> Option<(String, usize)> {
    if snapshot.files.len() != files.len() {
        let longer = snapshot.files.get(files.len()).map(|file| &file.name);
        let name = longer.or(files.get(snapshot.files.len()).map(|file| &file.name));
        return name.map(|name| (name.clone(), 0));
    }
    let mut other = snapshot.files.iter().zip(files).filter(|(known, read)| {
        let is_other_digest = !known.digest.is_empty() && known.digest != read.digest;
        known.name != read.name || known.bytes != read.bytes || is_other_digest
    });
    let (first, _) = other.next()?;
    Some((first.name.clone(), other.count()))
}
