//! Records in the list of snapshots what a run found in each: digests of the files, the number of
//! documents, and the snapshots that hold the bodies of its revisits.

use super::intake::Intake;
use super::retained;
use super::snapshot::{Snapshot, SnapshotFile};
use crate::Error;
use crate::intake::manifest::{self, OTHER_BYTES};
use config::Config;
use format::{InputFile, Manifest};
use std::collections::BTreeSet;

impl Intake {
    /// Records the findings of every snapshot in the manifest.
    pub fn record_all(&mut self, manifest: &Manifest) -> Result<(), Error> {
        let files = manifest::files_of(manifest);
        for snapshot in &manifest.snapshots {
            let files = files.get(&snapshot.number).copied().unwrap_or_default();
            self.record(snapshot.number, files, u64::from(snapshot.documents))?;
            self.record_revisit_sources(snapshot.number, &snapshot.revisit_sources);
        }
        Ok(())
    }

    /// Records the documents of a snapshot and the digests of its files, which are `files` in input
    /// order.
    pub(super) fn record(
        &mut self,
        number: u32,
        files: &[InputFile],
        documents: u64,
    ) -> Result<(), Error> {
        let Some((list, at)) = self.list.as_mut().and_then(|list| {
            let at = list.place_of(number)?;
            Some((list, at))
        }) else {
            return Ok(());
        };
        let snapshot = &list.snapshots[at];
        if let Some((file, more)) = differing(snapshot, files) {
            return Err(Error::SnapshotChanged {
                snapshot: snapshot.name.clone(),
                file,
                what: OTHER_BYTES.to_owned(),
                more,
                dependents: Vec::new(),
                is_sketched: false,
            });
        }
        let is_known = |(known, read): (&SnapshotFile, &InputFile)| known.digest == read.digest;
        if snapshot.documents == Some(documents) && snapshot.files.iter().zip(files).all(is_known) {
            return Ok(());
        }
        let snapshot = list.change_files(at);
        snapshot.documents = Some(documents);
        for (known, read) in snapshot.files.iter_mut().zip(files) {
            known.digest.clone_from(&read.digest);
        }
        Ok(())
    }

    fn record_revisit_sources(&mut self, number: u32, sources: &BTreeSet<u32>) {
        let Some(list) = &mut self.list else { return };
        let Some(at) = list.place_of(number) else {
            return;
        };
        if !list.snapshots[at].revisit_sources.iter().eq(sources) {
            list.change()[at].revisit_sources = sources.iter().copied().collect();
        }
    }

    /// Forgets the files of dropped snapshots that no revisit needs any more, then does as
    /// [`Intake::persist`].
    pub fn persist_released(&mut self, config: &Config) -> Result<(), Error> {
        if let Some(list) = &mut self.list {
            retained::release(list);
        }
        self.persist(config)
    }
}

/// The first file that differs from the recorded one, and how many more do.
fn differing(snapshot: &Snapshot, files: &[InputFile]) -> Option<(String, usize)> {
    if snapshot.files.len() != files.len() {
        let longer = snapshot.files.get(files.len()).map(|file| &file.name);
        let name = longer.or(files.get(snapshot.files.len()).map(|file| &file.name));
        return name.map(|name| (name.clone(), 0));
    }
    let mut other = snapshot.files.iter().zip(files).filter(|(known, read)| {
        let is_other_digest = !known.digest.is_empty() && known.digest != read.digest;
        known.name != read.name || known.bytes != read.stat.bytes || is_other_digest
    });
    let (first, _) = other.next()?;
    Some((first.name.clone(), other.count()))
}
