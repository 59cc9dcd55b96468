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
use super::outcome::{Fate, NONE, Outcome, Successor, fate};
use super::statistics::{Intervals, StepFigures, class_of, days, relation};
use cluster::LinkPolicy;
use engine::intake::inputs::Inputs;
use engine::segments::{SegmentFile, SegmentRows};
use format::{PublicIds, RecordReader, RecordWriter, Sealed, SnapshotSpan};
use model::{Overlap, Words};
use output::{ChangeRow, MovedRow};
use publication::publish::Publication;
use publication::urls::Urls;
use runtime::Error;
use sketch::host_of;
use sort::SortedWords;
use std::collections::BTreeSet;

/// Bytes of a moved page, without its URLs.
const MOVED_BYTES: usize = 96;
/// The fewest taken at a time.
const BATCH_MIN: usize = 256;

/// Outcomes of moved pages: ⟨as [`Outcome`], candidates of all kinds⟩.
type MovedOutcome = Outcome;

/// Writes all tables. `urls` are those of each snapshot.
pub(super) fn write(
    job: &Job<'_>,
    publication: &Publication,
    outcomes: SortedWords<Outcome>,
    urls: &[u64],
) -> Result<ChangeTables, Error> {
    let engine = job.engine;
    let mut writer = ChangeWriter {
        job,
        policy: engine.config.cluster.link_policy(),
        ids: engine.public_ids(),
        outcomes: Outcomes::open(outcomes)?,
        new: job.read("new")?,
        next_new: None,
        moved: job.write("moved")?,
        table: StepTable::create(job, publication, 0)?,
        hosts: Hosts::new(job),
    };
    writer.next_new = writer.new.next()?;
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
    moved.finish()?;
    let mut between_hosts = vec![0; steps.len()];
    let moved = write_moved(job, publication, &ids, &policy, &mut between_hosts)?;
    for (place, moves) in between_hosts.into_iter().enumerate() {
        if job.earlier.figures(place).is_none() {
            steps[place].moved_between_hosts = moves;
        }
    }
    job.remove("moved")?;
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
        with_copies: BTreeSet::new(),
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

/// All that was found of one document at a time.
struct Outcomes {
    sorted: SortedWords<Outcome>,
    next: Option<Outcome>,
    group: Vec<Outcome>,
}

impl Outcomes {
    fn open(mut sorted: SortedWords<Outcome>) -> Result<Outcomes, Error> {
        let next = sorted.next()?;
        Ok(Outcomes {
            sorted,
            next,
            group: Vec::new(),
        })
    }

    /// Documents are asked for in ascending order.
    fn of(&mut self, doc: u32) -> Result<&[Outcome], Error> {
        self.group.clear();
        while let Some(next) = self.next.filter(|next| next.0[0] <= doc) {
            if next.0[0] == doc {
                self.group.push(next);
            }
            self.next = self.sorted.next()?;
        }
        Ok(&self.group)
    }
}

struct ChangeWriter<'a> {
    job: &'a Job<'a>,
    policy: LinkPolicy,
    ids: PublicIds,
    outcomes: Outcomes,
    new: RecordReader<u32>,
    next_new: Option<u32>,
    moved: RecordWriter<MovedOutcome>,
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
        let mut rows: SegmentRows = segments.rows_of_snapshot(old, SegmentFile::Documents);
        while let Some((doc, row)) = rows.next_document()? {
            let found = self.outcomes.of(doc)?;
            let Some(fate) = fate(found) else { continue };
            if let (Fate::Moved(_, candidates), Some(best)) = (&fate, found.get(1)) {
                let mut moved = *best;
                moved.0[3] = *candidates;
                self.moved.push(&moved)?;
            }
            let class = self.class(&fate);
            statistics.add(class, Some(&fate));
            self.hosts.add(place, doc, row.url, class, Some(&fate))?;
            let successor = match fate {
                Fate::Stays(successor) | Fate::Moved(successor, _) => Some(successor),
                Fate::Gone => None,
            };
            let row = ChangeRow {
                old_snapshot: &old.name,
                new_snapshot: &new.name,
                url: row.url.unwrap_or(""),
                old_doc_id: Some(self.ids.get(doc)),
                new_doc_id: successor.map(|successor| self.ids.get(successor.doc)),
                class,
                estimates: successor.map_or([None; 3], |successor| successor.figures()),
            };
            self.table.write(place, &row)?;
        }
        let mut rows: SegmentRows = segments.rows_of_snapshot(new, SegmentFile::Documents);
        while let Some((doc, row)) = rows.next_document()? {
            if self.next_new != Some(doc) {
                continue;
            }
            self.next_new = self.new.next()?;
            statistics.add("new", None);
            self.hosts.add(place, doc, row.url, "new", None)?;
            let (old_snapshot, new_snapshot, url) =
                (old.name.as_str(), new.name.as_str(), row.url.unwrap_or(""));
            let new_doc_id = Some(self.ids.get(doc));
            let (old_doc_id, class, estimates) = (None, "new", [None; 3]);
            let row = ChangeRow {
                old_snapshot,
                new_snapshot,
                url,
                old_doc_id,
                new_doc_id,
                class,
                estimates,
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

fn write_moved(
    job: &Job<'_>,
    publication: &Publication,
    ids: &PublicIds,
    policy: &LinkPolicy,
    between_hosts: &mut [u64],
) -> Result<(Sealed, Vec<usize>), Error> {
    let engine = job.engine;
    let mut table = StepTable::create(job, publication, 1)?;
    let mut reader: RecordReader<MovedOutcome> = job.read("moved")?;
    let room_bytes = job.share_bytes;
    let mut most = (room_bytes / MOVED_BYTES / 2).max(BATCH_MIN);
    let mut next = 0;
    while next < reader.records() {
        reader.seek(next)?;
        let mut batch: Vec<MovedOutcome> = Vec::new();
        while batch.len() < most
            && let Some(moved) = reader.next()?
        {
            batch.push(moved);
        }
        let docs = batch
            .iter()
            .flat_map(|moved| [moved.0[0], moved.0[2]])
            .filter(|doc| *doc != NONE)
            .collect();
        let room = room_bytes.saturating_sub(batch.len() * MOVED_BYTES);
        let room = if batch.len() <= BATCH_MIN {
            usize::MAX
        } else {
            room
        };
        let Some(urls) = Urls::of(&engine.segments()?, docs, room)? else {
            most = (batch.len() / 2).max(BATCH_MIN);
            continue;
        };
        next += batch.len() as u64;
        for moved in &batch {
            let place = job.snapshot_of(moved.0[0]) as usize;
            let row = moved_row(job, moved, &urls, ids, policy);
            if let Some(moves) = between_hosts.get_mut(place) {
                let hosts = [row.old_url, row.new_url].map(host_of);
                *moves += u64::from(!hosts[0].eq_ignore_ascii_case(hosts[1]));
            }
            table.write(place, &row)?;
        }
    }
    table.finish()
}

fn moved_row<'a>(
    job: &'a Job<'_>,
    moved: &MovedOutcome,
    urls: &'a Urls,
    ids: &PublicIds,
    policy: &LinkPolicy,
) -> MovedRow<'a> {
    let Words([old, kind, new, candidates, .., is_copy]) = *moved;
    let successor = Successor::moved(moved, kind);
    let snapshot = |doc: u32| {
        job.spans
            .get(job.snapshot_of(doc) as usize)
            .map_or("", |span| span.name.as_str())
    };
    MovedRow {
        old_snapshot: snapshot(old),
        new_snapshot: snapshot(new),
        old_url: urls.find(old).unwrap_or(""),
        new_url: urls.find(new).unwrap_or(""),
        old_doc_id: ids.get(old),
        new_doc_id: ids.get(new),
        class: relation(successor.equality, is_link(policy, &successor.overlap)),
        estimates: successor.figures(),
        candidates: i64::from(candidates),
        appeared: snapshot(if is_copy == 1 { old } else { new }),
    }
}
