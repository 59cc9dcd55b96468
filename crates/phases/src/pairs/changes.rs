//! What is new in the postings → what changes in the pair counts.
//!
//! *Input.* The sorted postings in files of steps, those that an earlier run expanded and those
//! that came since; the common shingles of then. *Output.* Counts with signs, as one more file; the
//! common shingles of now and what each sketch loses to them. *Algorithm.* Of a shingle that new
//! documents have, the pairs with a new document are counted. If it becomes common, those of the
//! documents that stay are taken back; if it no longer is, all of its pairs are counted. What was
//! counted with documents that are dropped falls away where counts are read. So the sum is what
//! expanding all postings would give. *Memory.* A group up to the common limit; a group that does
//! not fit ends this way, and all is expanded. *Disk.* 12 bytes an increment while they are sorted,
//! then 12 a pair that changed.

use super::{COMMON, PairsOutput, LOST, PHASE, STEM, write};
use crate::words::{AddSigned, SumLost};
use engine::Engine;
use engine::levels::{self, Before, BySnapshot, Merged, Shrinking};
use format::{CommonRecord, FileKind, Levels, LostRecord, RecordReader};
use model::{PairCount, Posting};
use pairs::Expansion;
use runtime::{Error, PhaseName};
use sort::{Keep, Prefixes, Sorter};
use std::collections::BTreeMap;

/// Documents of a group that may be held however small the memory is.
const HELD_MIN: usize = 2048;

/// Postings after which progress is told.
const REPORT_EVERY: u64 = 1 << 14;

/// Whether postings sorted since can be told from those an earlier run expanded.
pub(super) fn can_follow(before: &Before, sorted: &Levels) -> bool {
    let seen = before.levels.source_step;
    let is_apart = |level: &format::Level| level.steps[1] <= seen || level.steps[0] > seen;
    before.levels.base == sorted.base && seen <= sorted.step && sorted.files.iter().all(is_apart)
}

/// Counts what changed; none if all has to be expanded.
pub(super) fn changed(
    engine: &Engine<'_>,
    step: u64,
    before: &Before,
    sorted: &Levels,
) -> Result<Option<PairsOutput>, Error> {
    let work = Error::work(PHASE);
    let now = levels::taken(&engine.manifest());
    let documents = engine.segments()?.documents();
    let memory = engine.budget.reserve_share(1, 1);
    let share = memory.bytes() / 16;
    let dir = engine.dir(PHASE);
    // Its name is that of the next one: if a run was killed after that was written, all is
    // expanded.
    let Some(common_before) = before.levels.others.get(COMMON) else {
        return Ok(None);
    };
    let Ok(common_before) =
        RecordReader::open_sealed(&engine.disk, &dir, common_before, FileKind::Common)
    else {
        return Ok(None);
    };
    let files = &sorted.files;
    let merged =
        Merged::<Posting>::open(engine, (PhaseName::Sort, FileKind::Postings), files, &now)?;
    let is_new: Vec<bool> = files
        .iter()
        .map(|level| level.steps[0] > before.levels.source_step)
        .collect();
    let mut changes = Changes {
        limit: u64::from(engine.config.pairs.common_shingle_limit),
        held_max: (share / 8).max(HELD_MIN),
        is_all: before.has_lost,
        has_crossed: false,
        sampling: engine.config.sketch.sampling,
        pairs: engine
            .sorter(PHASE, "changes", 12 * share, AddSigned)
            .expecting(Prefixes::documents(documents)),
        lost: engine
            .sorter(PHASE, LOST, share, SumLost)
            .expecting(Prefixes::documents(documents)),
        common: engine.sorter(PHASE, COMMON, share, Keep),
        common_before,
        next_common: None,
        seen: if before.has_lost {
            Expansion::default()
        } else {
            expansion(&before.levels.counts)
        },
        group: Group::default(),
    };
    changes.next_common = changes.common_before.next().map_err(work)?;
    let postings = files
        .iter()
        .map(|level| levels::live_records(level, &now))
        .sum();
    if !changes.expand(engine, merged, (&is_new, postings))? {
        return Ok(None);
    }
    let Changes {
        pairs,
        lost,
        common,
        seen,
        has_crossed,
        ..
    } = changes;
    let common = write(engine, common, (COMMON, FileKind::Common))?;
    let lost = write(engine, lost, (LOST, FileKind::Lost))?;
    let mut sums = pairs.finish().map_err(work)?;
    let mut writer = engine.writer::<PairCount>(
        PHASE,
        &levels::level_name(STEM, step, step),
        FileKind::Pairs,
    )?;
    let mut by_snapshot = BySnapshot::of(&now);
    while let Some(pair) = sums.next().map_err(work)? {
        if pair.shared != 0 {
            by_snapshot.add(pair.a);
            writer.push(&pair).map_err(work)?;
        }
    }
    let mut files = before.levels.files.clone();
    let counted = writer.finish().map_err(work)?;
    // No sketch of an older document is another than it was: then these are the pairs that nobody
    // has judged yet.
    let older = || {
        before
            .levels
            .snapshots
            .iter()
            .map(|snapshot| snapshot.documents)
            .sum()
    };
    let fresh = (!before.has_lost && !has_crossed).then(|| (older(), counted.clone()));
    files.push(levels::level(
        counted,
        [step; 2],
        &now,
        &by_snapshot.records,
    ));
    drop(sums);
    let spec = Shrinking {
        engine,
        phase: PHASE,
        kind: FileKind::Pairs,
        stem: STEM,
        step,
        now: &now,
    };
    let files = levels::shrink::<PairCount>(&spec, files, add_signed, |pair| pair.shared == 0)?;
    Ok(Some(PairsOutput {
        files,
        common,
        lost,
        fresh,
        counts: counts(seen, postings),
    }))
}

/// Adds a count to that of the same pair.
fn add_signed(into: &mut PairCount, next: &PairCount) -> bool {
    let is_same = (into.a, into.b) == (next.a, next.b);
    if is_same {
        into.shared = into.shared.wrapping_add(next.shared);
    }
    is_same
}

const NAMES: [&str; 5] = [
    "shingles",
    "shingles_in_one_document",
    "common_shingles",
    "common_postings",
    "increments",
];

fn expansion(counts: &BTreeMap<String, u64>) -> Expansion {
    let [shingles, single, common, common_postings, increments] =
        NAMES.map(|name| counts.get(name).copied().unwrap_or(0));
    Expansion {
        shingles,
        single,
        common,
        common_postings,
        increments,
        ..Expansion::default()
    }
}

fn counts(seen: Expansion, postings: u64) -> BTreeMap<String, u64> {
    let figures = [
        seen.shingles,
        seen.single,
        seen.common,
        seen.common_postings,
        seen.increments,
    ];
    let named = NAMES
        .into_iter()
        .zip(figures)
        .chain([("postings", postings)]);
    named.map(|(name, n)| (name.to_owned(), n)).collect()
}

/// The documents of a shingle that are there now.
#[derive(Default)]
struct Group {
    shingle: u64,
    /// Whether it was common.
    was_common: bool,
    documents: u64,
    new: u64,
    example: u32,
    /// Documents, and which are new; no more than the limit and one.
    held: Vec<(u32, bool)>,
    /// Those that are not, behind these.
    stay: Vec<u32>,
}

/// Changes under way.
struct Changes {
    limit: u64,
    held_max: usize,
    /// Whether figures are counted anew: then every group is looked at.
    is_all: bool,
    /// Whether a shingle of older documents became common, or ceased to be.
    has_crossed: bool,
    sampling: model::Sampling,
    pairs: Sorter<PairCount, AddSigned>,
    lost: Sorter<LostRecord, SumLost>,
    common: Sorter<CommonRecord, Keep>,
    common_before: RecordReader<CommonRecord>,
    next_common: Option<CommonRecord>,
    seen: Expansion,
    group: Group,
}

impl Changes {
    /// Goes through the groups that may have changed; false if one cannot be held. `is_new` says
    /// which files are.
    fn expand(
        &mut self,
        engine: &Engine<'_>,
        mut merged: Merged<Posting>,
        (is_new, postings): (&[bool], u64),
    ) -> Result<bool, Error> {
        let task = engine.reporter.task(PHASE, "postings", postings);
        let mut unreported = 0;
        loop {
            // Only groups with new documents and those that were common can change, unless
            // documents are gone.
            if !self.is_all {
                let common = self.next_common.map(|common| common.shingle);
                let wanted = merged
                    .least_prefix(|file| is_new[file])
                    .into_iter()
                    .chain(common)
                    .min();
                merged.skip_below(wanted.unwrap_or(u64::MAX), |file| !is_new[file])?;
                if wanted.is_none() {
                    break;
                }
            }
            let Some(shingle) = merged.least_prefix(|_| true) else {
                break;
            };
            self.begin(shingle)?;
            while merged.least_prefix(|_| true) == Some(shingle)
                && let Some((posting, file)) = merged.next()?
            {
                unreported += 1;
                if !self.put(posting.doc, is_new[file])? {
                    return Ok(false);
                }
            }
            self.close()?;
            if unreported > REPORT_EVERY {
                engine.disk.check_interrupt().map_err(Error::work(PHASE))?;
                task.add(std::mem::take(&mut unreported));
            }
        }
        task.finish();
        Ok(true)
    }

    fn begin(&mut self, shingle: u64) -> Result<(), Error> {
        while self
            .next_common
            .is_some_and(|common| common.shingle < shingle)
        {
            self.next_common = self.common_before.next().map_err(Error::work(PHASE))?;
        }
        let was_common = self
            .next_common
            .is_some_and(|common| common.shingle == shingle);
        let Group {
            mut held, mut stay, ..
        } = std::mem::take(&mut self.group);
        held.clear();
        stay.clear();
        self.group = Group {
            shingle,
            was_common,
            held,
            stay,
            ..Group::default()
        };
        Ok(())
    }

    /// Takes a document of the group; false if it cannot be held.
    fn put(&mut self, doc: u32, is_new: bool) -> Result<bool, Error> {
        let group = &mut self.group;
        if group.documents == 0 {
            group.example = doc;
        }
        group.documents += 1;
        group.new += u64::from(is_new);
        if group.documents <= self.limit + 1 {
            group.held.push((doc, is_new));
            if group.documents == self.limit + 1 {
                for at in 0..self.group.held.len() {
                    self.lose(self.group.held[at].0)?;
                }
            }
        } else {
            if !is_new && !group.was_common {
                group.stay.push(doc);
            }
            self.lose(doc)?;
        }
        Ok(self.group.held.len() + self.group.stay.len() <= self.held_max)
    }

    /// The sketch of a document loses the shingle of the group.
    fn lose(&mut self, doc: u32) -> Result<(), Error> {
        let level = self.sampling.coarsest_level_of(self.group.shingle) as u8;
        self.lost
            .push(LostRecord {
                doc,
                level,
                count: 1,
            })
            .map_err(Error::work(PHASE))
    }

    /// Counts what the group changes; the next common shingle is one behind it.
    fn close(&mut self) -> Result<(), Error> {
        while self
            .next_common
            .is_some_and(|common| common.shingle <= self.group.shingle)
        {
            self.next_common = self.common_before.next().map_err(Error::work(PHASE))?;
        }
        let Group {
            shingle,
            was_common,
            documents,
            new,
            example,
            ..
        } = self.group;
        if documents == 0 {
            return Ok(());
        }
        let is_common = documents > self.limit;
        self.has_crossed |= is_common != was_common && documents > new;
        if new == 0 && !was_common && !self.is_all {
            return Ok(());
        }
        self.tally(is_common);
        let (held, stay) = (
            std::mem::take(&mut self.group.held),
            std::mem::take(&mut self.group.stay),
        );
        if is_common {
            let number = u32::try_from(documents).unwrap_or(u32::MAX);
            let record = CommonRecord {
                shingle,
                documents: number,
                example,
            };
            self.common.push(record).map_err(Error::work(PHASE))?;
            if !was_common {
                let old = held
                    .iter()
                    .filter(|(_, is_new)| !is_new)
                    .map(|(doc, _)| *doc);
                let old: Vec<u32> = old.chain(stay.iter().copied()).collect();
                for (at, &a) in old.iter().enumerate() {
                    self.put_pairs(a, old[at + 1..].iter().copied(), u32::MAX)?;
                }
            }
        } else if new > 0 || was_common {
            self.count(&held, was_common)?;
        }
        (self.group.held, self.group.stay) = (held, stay);
        Ok(())
    }

    /// Counts the pairs of these documents: all, or those with a new one.
    fn count(&mut self, docs: &[(u32, bool)], all: bool) -> Result<(), Error> {
        let new: Vec<u32> = docs
            .iter()
            .filter(|(_, is_new)| *is_new)
            .map(|(doc, _)| *doc)
            .collect();
        for (at, &(a, is_new)) in docs.iter().enumerate() {
            if all || is_new {
                self.put_pairs(a, docs[at + 1..].iter().map(|(doc, _)| *doc), 1)?;
            } else {
                // Few are new, and mostly they are the last ones.
                let after = new.partition_point(|doc| *doc <= a);
                self.put_pairs(a, new[after..].iter().copied(), 1)?;
            }
        }
        Ok(())
    }

    fn put_pairs(
        &mut self,
        a: u32,
        others: impl Iterator<Item = u32>,
        sign: u32,
    ) -> Result<(), Error> {
        for b in others {
            self.pairs
                .push(PairCount { a, b, shared: sign })
                .map_err(Error::work(PHASE))?;
        }
        Ok(())
    }

    /// Figures of all groups: those of then are taken off, unless all are counted anew.
    fn tally(&mut self, is_common: bool) {
        let Group {
            was_common,
            documents,
            new,
            ..
        } = self.group;
        let pairs = |n: u64| n * n.saturating_sub(1) / 2;
        let seen = &mut self.seen;
        if !self.is_all {
            let old = documents - new;
            seen.shingles -= u64::from(old > 0);
            seen.single -= u64::from(old == 1);
            seen.common -= u64::from(was_common);
            seen.common_postings -= if was_common { old } else { 0 };
            seen.increments -= if was_common { 0 } else { pairs(old) };
        }
        seen.shingles += 1;
        seen.single += u64::from(documents == 1);
        seen.common += u64::from(is_common);
        seen.common_postings += if is_common { documents } else { 0 };
        seen.increments += if is_common { 0 } else { pairs(documents) };
    }
}
