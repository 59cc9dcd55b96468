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
use super::statistics::{Intervals, StepFigures, class_of, days, relation};
use crate::publish::Publication;
use crate::urls::Urls;
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
use std::collections::BTreeSet;

/// Bytes of a moved page, without its URLs.
const MOVED_BYTES: usize = 96;

/// What is found before the tables are written.
pub(super) struct Findings {
    pub(super) outcomes: SortedWords<Outcome>,
    /// The documents of new URLs.
    pub(super) new: ScratchFile<u32>,
    /// How many URLs each snapshot has.
    pub(super) urls: Vec<u64>,
    /// The older snapshots of the steps in which a copy counted.
    pub(super) with_copies: BTreeSet<u32>,
}

/// Writes all tables.
pub(super) fn write(
    job: &Job<'_>,
    publication: &Publication,
    findings: Findings,
) -> Result<ChangeTables, Error> {
    let engine = job.engine;
    let urls = findings.urls;
    let mut writer = ChangeWriter {
        job,
        policy: engine.config.cluster.link_policy(),
        ids: engine.public_ids(),
        outcomes: Lookup::over(findings.outcomes)?,
        group: Vec::new(),
        new: Lookup::over(findings.new.read()?)?,
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
        ids,
        hosts,
        policy,
        ..
    } = writer;
    drop(outcomes);
    let changes = table.finish()?;
    let moved = moved.finish()?;
    let mut between_hosts = vec![0; steps.len()];
    let moved = MovedRows {
        job,
        ids: &ids,
        policy: &policy,
    }
    .write(publication, &moved, &mut between_hosts)?;
    for (place, moves) in between_hosts.into_iter().enumerate() {
        if job.earlier.figures(place).is_none() {
            steps[place].moved_between_hosts = moves;
        }
    }
    let days: Vec<_> = job
        .spans
        .windows(2)
        .map(|pair| days_between(job, &pair[0], &pair[1]))
        .collect();
    let hosts = hosts.write(publication, &days, &mut steps)?;
    let groups = (0..steps.len())
        .map(|place| [&changes, &moved, &hosts].map(|(_, groups)| groups[place]))
        .collect();
    Ok(ChangeTables {
        tables: vec![changes.0, moved.0, hosts.0],
        groups,
        steps,
        with_copies: findings.with_copies,
    })
}

fn days_between(job: &Job<'_>, old: &SnapshotSpan, new: &SnapshotSpan) -> Option<f64> {
    let snapshots = &job.engine.inputs.snapshots;
    let date = |span: &SnapshotSpan| {
        snapshots
            .iter()
            .find(|snapshot| snapshot.number == span.number)?
            .date
    };
    microseconds(date(old), date(new)).map(days)
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

/// The rows of `moved.parquet`.
struct MovedRows<'a> {
    job: &'a Job<'a>,
    ids: &'a PublicIds,
    policy: &'a LinkPolicy,
}

impl MovedRows<'_> {
    /// Writes the table, and counts for each step the pages that moved to another host.
    fn write(
        &self,
        publication: &Publication,
        moved: &ScratchFile<Outcome>,
        between_hosts: &mut [u64],
    ) -> Result<(Sealed, Vec<usize>), Error> {
        let mut table = StepTable::create(self.job, publication, 1)?;
        let documents = |moved: &Outcome| [moved.doc, moved.other];
        self.job
            .with_urls(moved.read()?, MOVED_BYTES, documents, |moved, urls| {
                let place = self.job.snapshot_of(moved.doc) as usize;
                let row = self.row(moved, urls);
                if let Some(moves) = between_hosts.get_mut(place) {
                    let hosts = [row.old_url, row.new_url].map(host_of);
                    *moves += u64::from(!hosts[0].eq_ignore_ascii_case(hosts[1]));
                }
                table.write(place, &row)
            })?;
        table.finish()
    }

    fn row<'u>(&'u self, moved: &Outcome, urls: &'u Urls) -> MovedRow<'u> {
        let (old, new) = (moved.doc, moved.other);
        let successor = SuccessorPair::of(moved);
        let snapshot = |doc| self.job.snapshot_name_of(doc);
        MovedRow {
            old_snapshot: snapshot(old),
            new_snapshot: snapshot(new),
            old_url: urls.find(old).unwrap_or(""),
            new_url: urls.find(new).unwrap_or(""),
            old_doc_id: self.ids.get(old),
            new_doc_id: self.ids.get(new),
            class: relation(successor.equality, is_link(self.policy, &successor.overlap)),
            estimates: successor.figures(),
            candidates: i64::from(moved.candidates),
            appeared: snapshot(if moved.is_copy { old } else { new }),
        }
    }
}
