//! Id and URL of the kept document of each removed one.
//!
//! *Input.* Removals in document order; document rows. *Output.* Two texts for each removal, in the
//! same order. *Algorithm.* The rows of the kept documents are read in document order. Their texts
//! stay in memory if all of them fit a share. Else a sort of the removals by their kept document is
//! merged with the rows, and the texts are sorted back into the order of the removed documents.
//! *Memory.* Two sorts of a share at most.

use super::removal::{RemovalFile, RemovalRecord};
use super::task::RemovalTask;
use super::texts::{SortedTexts, TextSorter};
use crate::urls::HeldTexts;
use engine::{Error, segments::SegmentFile};
use model::{keyed, word_record};
use sort::{Lookup, Stream};

/// Removed documents handed on together.
const BLOCK_DOCUMENTS: usize = 1024;

/// Bytes of a removal, while the kept documents are collected; lists grow twofold.
const HELD_BYTES: usize = 8;

/// Id and URL of kept documents.
pub(crate) enum KeptTexts {
    /// All of them.
    Memory(HeldTexts<2>),
    /// The texts of each removed document, by that document.
    Sorted(SortedTexts<2>),
}

impl KeptTexts {
    /// The texts of all removals; in memory if they take at most so many bytes.
    pub(crate) fn of_all(
        task: &RemovalTask<'_>,
        removals: &RemovalFile,
        most_bytes: usize,
    ) -> Result<KeptTexts, Error> {
        Ok(match held(task, removals, most_bytes)? {
            Some(held) => KeptTexts::Memory(held),
            None => KeptTexts::Sorted(sorted(task, removals)?),
        })
    }

    /// Id and URL of the kept document of a removal; removals are asked for in order.
    pub(crate) fn of(&mut self, removal: &RemovalRecord) -> Result<[Option<&str>; 2], Error> {
        match self {
            KeptTexts::Memory(held) => {
                let kept = removal.kept_document();
                Ok(kept.map_or([None; 2], |kept| held.of(kept)))
            }
            KeptTexts::Sorted(texts) => texts.of(removal.doc),
        }
    }
}

/// The texts of all kept documents; `None` if they take more than so many bytes.
fn held(
    task: &RemovalTask<'_>,
    removals: &RemovalFile,
    most_bytes: usize,
) -> Result<Option<HeldTexts<2>>, Error> {
    if removals.records() as usize > most_bytes / HELD_BYTES {
        return Ok(None);
    }
    let mut docs = Vec::new();
    let mut reader = removals.read()?;
    while let Some(removal) = reader.next()? {
        docs.extend(removal.kept_document());
    }
    let segments = task.engine.segments()?;
    HeldTexts::read(&segments, docs, most_bytes, |row| [row.id, row.url])
}

/// A removed document, by the one kept in its favour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct ByKept {
    kept: u32,
    doc: u32,
}

word_record! { ByKept { kept, doc } }
keyed! { ByKept: u32 = |one| one.kept }

/// The texts for each removed document, sorted by it.
fn sorted(task: &RemovalTask<'_>, removals: &RemovalFile) -> Result<SortedTexts<2>, Error> {
    let of_kept = |removal: RemovalRecord| {
        let doc = removal.doc;
        removal.kept_document().map(|kept| ByKept { kept, doc })
    };
    let by_kept = task.by_document::<ByKept>("by-kept");
    let by_kept = removals
        .read()?
        .filter_map(of_kept)
        .sort_by(by_kept, |one| one)?;
    let mut by_kept = Lookup::over(by_kept)?;
    let mut texts = TextSorter::new(task.by_document("kept-texts"));
    let mut rows = task.engine.segments()?.rows(SegmentFile::Documents);
    let mut removed = Vec::new();
    while let Some(ByKept { kept, .. }) = by_kept.peek() {
        let row = rows.document(kept)?;
        let found = row.map_or([None; 2], |row| [row.id, row.url]);
        // A cluster may be large: its documents are handed on a block at a time.
        while let Some(one) = by_kept.next_of(kept)? {
            removed.push(one.doc);
            if removed.len() == BLOCK_DOCUMENTS {
                texts.push(removed.drain(..), found)?;
            }
        }
        texts.push(removed.drain(..), found)?;
    }
    texts.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::removals::candidate::{Members, from_clusters};
    use crate::removals::evidence;
    use engine::Engine;
    use format::Access;
    use testkit::OracleCase;

    /// The texts of all removals, within so many bytes.
    fn all(
        task: &RemovalTask<'_>,
        file: &RemovalFile,
        most_bytes: usize,
    ) -> Vec<[Option<String>; 2]> {
        let mut texts = KeptTexts::of_all(task, file, most_bytes).unwrap();
        let is_held = matches!(texts, KeptTexts::Memory(_));
        assert_eq!(is_held, most_bytes > 0 || file.records() == 0);
        let mut reader = file.read().unwrap();
        let mut all = Vec::new();
        while let Some(removal) = reader.next().unwrap() {
            let found = texts.of(&removal).unwrap();
            all.push(found.map(|text| text.map(str::to_owned)));
        }
        all
    }

    fn agrees(engine: &Engine<'_>, seed: u64) {
        let memory = engine.budget.take(crate::memory::REMOVALS);
        let task = RemovalTask {
            engine,
            scratch: engine
                .scratch_in(engine::work_dir::scratch_dir(&engine.config.work.dir))
                .unwrap(),
            share_bytes: memory.part_bytes(),
        };
        engine
            .disk
            .create_dir(&task.scratch.dir, Access::Private)
            .unwrap();
        let candidates = from_clusters(&task, Members::NotKept, |_| true).unwrap();
        let removals = evidence::removals(&task, candidates).unwrap();
        let file = task.scratch.store("removals.run-file", removals).unwrap();
        let held = all(&task, &file, usize::MAX / 2);
        assert_eq!(held, all(&task, &file, 0), "seed {seed}");
        let mut reader = file.read().unwrap();
        for texts in held {
            let removal = reader.next().unwrap().unwrap();
            let url = testbed::url_of(removal.kept, seed);
            assert_eq!(texts, [None, url], "{removal:?}, seed {seed}");
        }
        std::fs::remove_dir_all(engine::work_dir::scratch_dir(&engine.config.work.dir)).unwrap();
    }

    #[test]
    fn texts_are_the_same_in_memory_and_sorted() {
        testbed::cases(100, |seed, memory_bytes| {
            let case = OracleCase::from_seed(seed);
            testbed::clustered(&case, seed, memory_bytes, |engine| agrees(engine, seed));
        });
    }
}
