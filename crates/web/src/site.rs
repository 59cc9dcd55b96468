//! A publication that is open.

use crate::top_clusters::TopClusters;
use output::{Report, RunRecord};
use pipeline::Error;
use pipeline::config::Config;
use pipeline::query::{self, Index};
use std::fs;
use std::path::{Path, PathBuf};

/// Everything that pages are made of.
pub(crate) struct Site {
    /// The configuration by which the publication is found.
    pub(crate) config: Config,
    /// Its query index.
    pub(crate) index: Index,
    /// What the run counted.
    pub(crate) report: Report,
    /// What the phases took; `None` if that cannot be read, as of a restored backup.
    pub(crate) run: Option<RunRecord>,
    /// The clusters that lead a list.
    pub(crate) clusters: TopClusters,
}

impl Site {
    /// Opens the newest publication.
    ///
    /// # Errors
    /// As [`query::open`]; when `report.json` or the table of clusters cannot be read.
    pub(crate) fn open(config: &Config) -> Result<Site, Error> {
        let index = query::open(config)?;
        let dir = index.dir().parent().unwrap_or(Path::new("")).to_owned();
        let report = dir.join("report.json");
        let bytes = fs::read(&report).map_err(Error::io(format!("read {}", report.display())))?;
        let report = serde_json::from_slice(&bytes).map_err(|error| {
            Error::Usage(format!("failed to read {}: {error}", report.display()))
        })?;
        let run = fs::read(dir.join("run.json"));
        let run = run
            .ok()
            .and_then(|bytes| serde_json::from_slice(&bytes).ok());
        Ok(Site {
            clusters: TopClusters::read(&dir.join("clusters.parquet"))?,
            config: config.clone(),
            index,
            report,
            run,
        })
    }

    /// The publication that the link shows now.
    pub(crate) fn shown(config: &Config) -> Option<PathBuf> {
        config.work.output.canonicalize().ok()
    }

    /// Whether the link shows another publication than this one by now.
    pub(crate) fn is_outdated(&self) -> bool {
        let own = self.index.dir().parent();
        Site::shown(&self.config).as_deref() != own
    }

    /// The URL of a document, or a name for it.
    pub(crate) fn name_of(&self, doc_id: i64) -> String {
        let doc = self.index.doc_of(doc_id);
        let url = doc.and_then(|doc| self.index.url(doc).ok()).flatten();
        url.unwrap_or_else(|| format!("document {doc_id}"))
    }
}
