//! Writes `changes.parquet` and `moved.parquet` from the outcomes. Rows that an earlier run wrote
//! for the same two snapshots are copied.
//!
//! A pass over the document rows of the older snapshot gives the URLs that it had, in the order of
//! its documents. A pass over those of the newer one gives the new URLs. The new URL of a moved
//! page may lie anywhere: for as many moved pages as fit memory, all rows are read once more.

use super::by_step::StepTable;
use super::earlier_changes::ChangeTables;
use super::hosts::Hosts;
use super::job::Job;
use super::outcome::{Fate, Outcome, SuccessorPair, fate};
use super::statistics::{Intervals, StepFigures, class_of, relation};
use crate::publish::Publication;
use engine::{
    Error,
    intake::inputs::Inputs,
    segments::{SegmentFile, SegmentRows},
};
use format::{PublicIds, RecordReader, ScratchFile, ScratchWriter, Sealed, SnapshotSpan};
use model::LinkPolicy;
use model::Overlap;
use output::{ChangeRow, MovedRow};
use sketch::host_of;
use sort::{Lookup, SortedWords};

/// Bytes of a moved page, without its URLs.
const MOVED_BYTES: usize = 96;

/// Writes all tables from the outcomes and the documents of new URLs. `urls` says how many URLs
/// each snapshot has. Also gives the figures of each step.
pub(super) fn write(
    job: &Job<'_>,
    publication: &Publication,
    outcomes: SortedWords<Outcome>,
    new: &ScratchFile<u32>,
    urls: &[u64],
) -> Result<ChangeTables, Error> {
    let engine = job.engine;
    let mut writer = ChangeWriter {
        job,
        policy: engine.config.cluster.link_policy(),
        ids: engine.public_ids(),
        outcomes: Lookup::over(outcomes)?,
        group: Vec::new(),
        new: Lookup::over(new.read()?)?,
        moved: job.file("moved")?,
        table: StepTable::create(job, publication, 0)?,
        hosts: Hosts::new(job),
    };
    let mut steps = Vec::new();
    for (place, pair) in job.spans.windows(2).enumerate() {
        steps.push(match job.earlier.figures(place) {
            Some(figures) => figures.clone(),
            None => {
                let mut figures = writer.between(place, [&pair[0], &pair[1]])?;
                (figures.old_urls, figures.urls) = (urls[place], urls[place + 1]);
                figures
            }
        });
    }
    let ChangeWriter {
        table,
        moved,
        outcomes,
        hosts,
        policy,
        ..
    } = writer;
    drop(outcomes);
    let changes = table.finish()?;
    let moved = moved.finish()?;
    let mut between_hosts = vec![0; steps.len()];
    let moved = write_moved(job, publication, &policy, &moved, &mut between_hosts)?;
    for (place, step) in steps.iter_mut().enumerate() {
        if job.earlier.figures(place).is_none() {
            step.moved_between_hosts = between_hosts[place];
        }
    }
    let hosts = hosts.write(publication, &intervals(&engine.inputs), &mut steps)?;
    let groups = (0..steps.len())
        .map(|place| [&changes, &moved, &hosts].map(|(_, groups)| groups[place]))
        .collect();
    Ok(ChangeTables {
        tables: vec![changes.0, moved.0, hosts.0],
        groups,
        steps,
    })
}

/// Between two dates, if both are there and they ascend.
fn microseconds(old: Option<i64>, new: Option<i64>) -> Option<u64> {
    u64::try_from(new?.checked_sub(old?)?)
        .ok()
        .filter(|between| *between > 0)
}

/// Microseconds between each snapshot and the next: all that the tables take from the list of
/// snapshots besides what was read.
pub fn intervals(inputs: &Inputs) -> Intervals {
    let live: Vec<_> = inputs
        .snapshots
        .iter()
        .filter(|snapshot| !snapshot.retained_for_revisits)
        .collect();
    let between = live
        .windows(2)
        .map(|pair| microseconds(pair[0].date, pair[1].date));
    between
        .enumerate()
        .filter_map(|(place, microseconds)| Some((place, microseconds?)))
        .collect()
}

struct ChangeWriter<'a> {
    job: &'a Job<'a>,
    policy: LinkPolicy,
    ids: PublicIds,
    outcomes: Lookup<SortedWords<Outcome>>,
    /// All outcomes of one document.
    group: Vec<Outcome>,
    new: Lookup<RecordReader<u32>>,
    moved: ScratchWriter<Outcome>,
    table: StepTable<'a>,
    hosts: Hosts<'a>,
}

impl ChangeWriter<'_> {
    /// The rows of a snapshot and the one after it.
    fn between(
        &mut self,
        place: usize,
        [old, new]: [&SnapshotSpan; 2],
    ) -> Result<StepFigures, Error> {
        let segments = self.job.engine.segments()?;
        let mut statistics = StepFigures::default();
        let row = ChangeRow {
            old_snapshot: &old.name,
            new_snapshot: &new.name,
            url: "",
            old_doc_id: None,
            new_doc_id: None,
            class: "new",
            estimates: [None; 3],
        };
        let mut rows: SegmentRows = segments.rows_of_snapshot(old, SegmentFile::Documents);
        while let Some((doc, document)) = rows.next_document()? {
            self.outcomes.all_of(doc, &mut self.group)?;
            let Some(fate) = fate(&self.group) else {
                continue;
            };
            let class = self.class(&fate);
            statistics.add(class, Some(&fate));
            self.hosts
                .add(place, doc, document.url, class, Some(&fate))?;
            let successor = match fate {
                Fate::Stays(successor) => Some(successor),
                Fate::Moved(best) => {
                    self.moved.push(&best)?;
                    Some(SuccessorPair::of(&best))
                }
                Fate::Gone => None,
            };
            let row = ChangeRow {
                url: document.url.unwrap_or(""),
                old_doc_id: Some(self.ids.get(doc)),
                new_doc_id: successor.map(|successor| self.ids.get(successor.doc)),
                class,
                estimates: successor.map_or([None; 3], |successor| successor.figures()),
                ..row
            };
            self.table.write(place, &row)?;
        }
        let mut rows: SegmentRows = segments.rows_of_snapshot(new, SegmentFile::Documents);
        while let Some((doc, document)) = rows.next_document()? {
            if self.new.next_if(|new| *new == doc)?.is_none() {
                continue;
            }
            statistics.add("new", None);
            self.hosts.add(place, doc, document.url, "new", None)?;
            let row = ChangeRow {
                url: document.url.unwrap_or(""),
                new_doc_id: Some(self.ids.get(doc)),
                ..row
            };
            self.table.write(place, &row)?;
        }
        Ok(statistics)
    }

    fn class(&self, fate: &Fate) -> &'static str {
        let is_link =
            matches!(fate, Fate::Stays(successor) if is_link(&self.policy, &successor.overlap));
        class_of(fate, is_link)
    }
}

/// Whether `cluster` links such documents. What shares nothing has no pair count, and is not judged
/// there.
fn is_link(policy: &LinkPolicy, overlap: &Overlap) -> bool {
    let reached = policy.judge(overlap).filter(|_| overlap.shared > 0);
    reached.is_some_and(|reached| reached.resemblance)
}

/// Writes `moved.parquet`. Counts for each step the pages that moved to another host.
fn write_moved(
    job: &Job<'_>,
    publication: &Publication,
    policy: &LinkPolicy,
    moved: &ScratchFile<Outcome>,
    between_hosts: &mut [u64],
) -> Result<(Sealed, Vec<usize>), Error> {
    let (mut table, ids) = (
        StepTable::create(job, publication, 1)?,
        job.engine.public_ids(),
    );
    let documents = |moved: &Outcome| [moved.doc, moved.other];
    job.with_urls(moved.read()?, MOVED_BYTES, documents, |moved, urls| {
        let (old, new) = (moved.doc, moved.other);
        let place = job.snapshot_of(old) as usize;
        let [old_url, new_url] = [old, new].map(|doc| urls.find(doc).unwrap_or(""));
        let is_within = host_of(old_url).eq_ignore_ascii_case(host_of(new_url));
        if let Some(moves) = between_hosts.get_mut(place) {
            *moves += u64::from(!is_within);
        }
        let successor = SuccessorPair::of(moved);
        let snapshot = |doc| job.snapshot_name_of(doc);
        let row = MovedRow {
            old_snapshot: snapshot(old),
            new_snapshot: snapshot(new),
            old_url,
            new_url,
            old_doc_id: ids.get(old),
            new_doc_id: ids.get(new),
            class: relation(successor.equality, is_link(policy, &successor.overlap)),
            estimates: successor.figures(),
            candidates: i64::from(moved.candidates),
            appeared: snapshot(if moved.is_copy { old } else { new }),
        };
        table.write(place, &row)
    })?;
    table.finish()
}
