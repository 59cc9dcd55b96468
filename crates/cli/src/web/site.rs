//! A publication that is open.

use crate::web::table;
use crate::web::top_clusters::{ListedCluster, TopClusters};
use output::{BatchRow, Cell, Report, RunRecord, read_whole};
use pipeline::Error;
use pipeline::config::Config;
use pipeline::query::{self, Index, PassageLists};
use std::borrow::Cow;
use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Answers by one opened index: each touches some 3 MB of its files at most.
const ANSWERS: usize = 32;

/// Passages, and documents with passages, in the lists of them.
const PASSAGES: usize = 5_000;

/// Lost pages that are shown.
const MOVED: usize = 50;

/// The fates of a cluster.
pub(crate) const EVENTS: [&str; 7] = [
    "born", "grown", "merged", "split", "renamed", "shrunk", "died",
];

/// Everything that pages are made of.
pub(crate) struct Site {
    /// The configuration by which the publication is found.
    pub(crate) config: Config,
    /// Its query index.
    index: Mutex<Arc<Index>>,
    /// Answers since the index was opened.
    answers: AtomicUsize,
    /// The counts of the run.
    pub(crate) report: Report,
    /// The cost of the phases; `None` if that cannot be read, as of a restored backup.
    pub(crate) run: Option<RunRecord>,
    /// The clusters that lead a list.
    pub(crate) clusters: TopClusters,
    /// Pairs of hosts with copies, most first.
    pub(crate) host_pairs: Vec<HostPairRow>,
    /// Pages whose content has a new URL.
    pub(crate) moved: MovedPages,
    /// The passages and documents that lead their lists; `None` if the run did not look for them.
    pub(crate) passages: Option<PassageLists>,
    /// By publication: what became of clusters.
    pub(crate) events: BTreeMap<i64, ClusterEvents>,
}

/// A row of the table of pairs of hosts.
pub(crate) struct HostPairRow {
    pub(crate) host: String,
    pub(crate) kept_host: String,
    pub(crate) documents: u64,
    pub(crate) near: u64,
    pub(crate) bytes: u64,
}

/// The newest lost pages.
#[derive(Default)]
pub(crate) struct MovedPages {
    /// How many there are in all.
    pub(crate) count: u64,
    pub(crate) rows: VecDeque<MovedPage>,
}

/// A lost page, and where its content went.
pub(crate) struct MovedPage {
    pub(crate) new_snapshot: String,
    pub(crate) old_doc_id: i64,
    pub(crate) old_url: String,
    pub(crate) new_doc_id: i64,
    pub(crate) new_url: String,
    pub(crate) resemblance: f64,
}

/// The changes of clusters between two publications.
#[derive(Default)]
pub(crate) struct ClusterEvents {
    /// The newest snapshot.
    pub(crate) snapshot: String,
    /// In the order of [`EVENTS`].
    pub(crate) counts: [u64; EVENTS.len()],
}

impl Site {
    /// Opens the newest publication.
    pub(crate) fn open(config: &Config) -> Result<Site, Error> {
        let index = query::open(config)?;
        let dir = index.dir().parent().unwrap_or(Path::new("")).to_owned();
        let path = dir.join("report.json");
        // Its checksum is right, or the index would not be open.
        let report = serde_json::from_slice(&read_whole(&path)?).map_err(|error| {
            Error::io(format!("read {}", path.display()))(io::Error::other(error))
        })?;
        let run = read_whole(&dir.join("run.json")).ok();
        let run = run.and_then(|bytes| serde_json::from_slice(&bytes).ok());
        let passages = index.passages();
        let passages = passages.map(|_| PassageLists::read(&index, PASSAGES));
        Ok(Site {
            clusters: TopClusters::read(&dir.join("clusters.parquet"))?,
            host_pairs: host_pairs(&dir)?,
            moved: moved(&dir)?,
            events: events(&dir)?,
            passages: passages.transpose()?,
            config: config.clone(),
            index: Mutex::new(Arc::new(index)),
            answers: AtomicUsize::new(0),
            report,
            run,
        })
    }

    /// The publication that the link shows now.
    pub(crate) fn shown(config: &Config) -> Option<PathBuf> {
        config.work.output.canonicalize().ok()
    }

    /// The query index.
    pub(crate) fn index(&self) -> Arc<Index> {
        Arc::clone(&self.index.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Opens the index anew from time to time, so that the pages that were touched of its files do
    /// not add up to more and more resident memory.
    pub(crate) fn begin_answer(&self) {
        if self.answers.fetch_add(1, Ordering::Relaxed) % ANSWERS != ANSWERS - 1 {
            return;
        }
        // If that fails, the old index goes on answering.
        if let Ok(index) = query::open(&self.config)
            && index.dir() == self.index().dir()
        {
            *self.index.lock().unwrap_or_else(PoisonError::into_inner) = Arc::new(index);
        }
    }

    /// Whether the link shows another publication than this one by now.
    pub(crate) fn is_outdated(&self) -> bool {
        Site::shown(&self.config).as_deref() != self.index().dir().parent()
    }

    /// The table of clusters.
    pub(crate) fn clusters_table(&self) -> PathBuf {
        self.index().dir().with_file_name("clusters.parquet")
    }

    /// The name of the document that a cluster keeps.
    pub(crate) fn name_of_kept<'a>(&self, cluster: &'a ListedCluster) -> Cow<'a, str> {
        let held = cluster.kept_name.as_deref().map(Cow::Borrowed);
        held.unwrap_or_else(|| Cow::Owned(self.name_of(cluster.kept_doc_id)))
    }

    /// The URL of a document, its id in the input, or a name for it.
    pub(crate) fn name_of(&self, doc_id: i64) -> String {
        let index = self.index();
        let names = index.doc_of(doc_id).and_then(|doc| index.names(doc).ok());
        let name = names.and_then(|(id, url)| url.or(id));
        name.unwrap_or_else(|| format!("document {doc_id}"))
    }
}

/// Hands on all rows of a table. A publication of one snapshot may not have it: then there are
/// none.
fn each_row(
    path: &Path,
    columns: &[&str],
    mut take: impl FnMut(&BatchRow<'_>),
) -> Result<(), Error> {
    if matches!(path.try_exists(), Ok(false)) {
        return Ok(());
    }
    table::rows(path, columns, &mut take)
}

fn number(row: &BatchRow<'_>, at: usize) -> i64 {
    row.int64(at).unwrap_or(0)
}

fn text(row: &BatchRow<'_>, at: usize) -> String {
    row.text(at).unwrap_or_default().to_owned()
}

/// The table has 10,000 rows at most.
fn host_pairs(dir: &Path) -> Result<Vec<HostPairRow>, Error> {
    let columns = ["host", "kept_host", "documents", "near", "bytes"];
    let mut pairs = Vec::new();
    each_row(&dir.join("host_pairs.parquet"), &columns, |row| {
        let count = |at| number(row, at).unsigned_abs();
        pairs.push(HostPairRow {
            host: text(row, 0),
            kept_host: text(row, 1),
            documents: count(2),
            near: count(3),
            bytes: count(4),
        });
    })?;
    Ok(pairs)
}

fn moved(dir: &Path) -> Result<MovedPages, Error> {
    let columns = [
        "new_snapshot",
        "old_doc_id",
        "old_url",
        "new_doc_id",
        "new_url",
        "resemblance",
    ];
    let mut moved = MovedPages::default();
    each_row(&dir.join("moved.parquet"), &columns, |row| {
        moved.count += 1;
        if moved.rows.len() == MOVED {
            moved.rows.pop_front();
        }
        moved.rows.push_back(MovedPage {
            new_snapshot: text(row, 0),
            old_doc_id: number(row, 1),
            old_url: text(row, 2),
            new_doc_id: number(row, 3),
            new_url: text(row, 4),
            resemblance: match row.cell(5) {
                Cell::Double(resemblance) => resemblance,
                _ => 0.0,
            },
        });
    })?;
    Ok(moved)
}

fn events(dir: &Path) -> Result<BTreeMap<i64, ClusterEvents>, Error> {
    let columns = ["publication", "snapshot", "event"];
    let mut events: BTreeMap<i64, ClusterEvents> = BTreeMap::new();
    each_row(&dir.join("cluster_changes.parquet"), &columns, |row| {
        let of_publication = events.entry(number(row, 0)).or_default();
        if of_publication.snapshot.is_empty() {
            of_publication.snapshot = text(row, 1);
        }
        let Cell::Utf8(event) = row.cell(2) else {
            return;
        };
        if let Some(at) = EVENTS.iter().position(|name| *name == event) {
            of_publication.counts[at] += 1;
        }
    })?;
    Ok(events)
}
