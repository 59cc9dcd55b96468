//! `pipeline changes`: the URLs that changed from one snapshot to the next, the newest first.
//!
//! *Input.* `changes.parquet` of a publication, and its query index for the new URL of a page that
//! moved. *Output.* A [`ChangedUrl`] after the other: those of the newest snapshot first, each
//! snapshot in the order of the table. *Algorithm.* The table is read once for each snapshot that
//! is asked for. *Memory.* A batch of rows.

use crate::export::intact_files;
use crate::index::Index;
use crate::query;
use config::Config;
use engine::Error;
use output::{BatchRow, ColumnSelection, TableReader};
use publication::origin::run_record;
use serde::Serialize;

/// What became of a URL, as `changes.parquet` says it.
pub const CHANGE_CLASSES: [&str; 8] = [
    "identical",
    "lexical",
    "shingle",
    "similar",
    "changed",
    "new",
    "gone",
    "moved",
];

/// The URLs that are asked for.
#[derive(Clone, Debug, Default)]
pub struct ChangesRequest {
    /// The changes after this snapshot; those of the newest one if it is not given.
    pub since: Option<String>,
    /// Of these classes; of all but `identical` if there are none.
    pub classes: Vec<String>,
    /// Of this host.
    pub host: Option<String>,
}

/// What became of a URL.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ChangedUrl {
    /// The snapshot in which it changed.
    pub snapshot: String,
    /// The one before.
    pub old_snapshot: String,
    /// One of [`CHANGE_CLASSES`].
    pub class: String,
    /// The URL; of a page that moved, the old one.
    pub url: String,
    /// The URL to which it moved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub new_url: Option<String>,
    /// Its document in the older snapshot; null if it is new.
    pub old_doc_id: Option<i64>,
    /// Its document in the newer snapshot; null if it is gone.
    pub new_doc_id: Option<i64>,
    /// The resemblance of the two; null if there is one document.
    pub resemblance: Option<f64>,
}

const COLUMNS: [&str; 7] = [
    "new_snapshot",
    "old_snapshot",
    "class",
    "url",
    "old_doc_id",
    "new_doc_id",
    "resemblance",
];

/// When the publication was made, RFC 3339.
pub fn published_at(config: &Config) -> Result<String, Error> {
    let files = intact_files(config, "changes")?;
    let dir = files.first().and_then(|path| path.parent());
    let record = dir.and_then(run_record);
    let damaged = || Error::Usage("failed to read run.json; run `pipeline verify`".to_owned());
    Ok(record.ok_or_else(damaged)?.ended)
}

/// Hands on the URLs until `take` says `false`.
pub fn changes(
    config: &Config,
    request: &ChangesRequest,
    take: &mut dyn FnMut(&ChangedUrl) -> Result<bool, Error>,
) -> Result<(), Error> {
    let files = intact_files(config, "changes")?;
    let index = query::open(config)?;
    let names: Vec<&str> = index.snapshots().iter().map(|one| &*one.name).collect();
    let first = match &request.since {
        None => names.len().saturating_sub(1),
        Some(since) => {
            let unknown = || {
                Error::Usage(format!(
                    "failed to find snapshot {since}: the snapshots are {}",
                    names.join(", ")
                ))
            };
            let at = names.iter().position(|name| name == since);
            at.ok_or_else(unknown)? + 1
        }
    };
    let host = request.host.as_deref().map(str::to_lowercase);
    let is_wanted = |class: &str, url: &str| {
        let classes = &request.classes;
        let is_class = match classes.is_empty() {
            true => class != CHANGE_CLASSES[0],
            false => classes.iter().any(|one| one == class),
        };
        let is_host = |host: &String| sketch::host_of(url).to_lowercase() == *host;
        is_class && host.as_ref().is_none_or(is_host)
    };
    for snapshot in names[first.max(1)..].iter().rev() {
        for path in files.iter() {
            let mut reader = TableReader::open(path, ColumnSelection::Named(&COLUMNS))?;
            while let Some(batch) = reader.next_batch()? {
                for row in batch.iter() {
                    let text = |at| row.text(at).unwrap_or_default();
                    if text(0) != *snapshot || !is_wanted(text(2), text(3)) {
                        continue;
                    }
                    if !take(&changed(&index, &row)?)? {
                        return Ok(());
                    }
                }
            }
        }
    }
    Ok(())
}

fn changed(index: &Index, row: &BatchRow<'_>) -> Result<ChangedUrl, Error> {
    let text = |at| row.text(at).unwrap_or_default().to_owned();
    let (class, new_doc_id) = (text(2), row.int64(5));
    let moved = new_doc_id.filter(|_| class == "moved");
    let new_url = moved
        .and_then(|id| index.doc_of(id))
        .map(|doc| index.url(doc));
    Ok(ChangedUrl {
        snapshot: text(0),
        old_snapshot: text(1),
        class,
        url: text(3),
        new_url: new_url.transpose()?.flatten(),
        old_doc_id: row.int64(4),
        new_doc_id,
        resemblance: row.double(6),
    })
}
