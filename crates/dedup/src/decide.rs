//! What goes, written down once: every later step reads it in document order.
//!
//! *Input.* Clusters or links. *Output.* A scratch file of [`Fate`]s. *Algorithm.* With
//! `--lossless`, [`lossless`] goes on from there.

use super::choose::{self, NONE, SIMILAR};
use super::evidence::{self, Direct, Distances, Fate};
use super::exact::Texts;
use super::files::Files;
use super::lossless::{self, Lossless};
use super::{DedupRequest, Task, against, distance};
use cluster::Linkage;
use engine::cells::Store;
use format::{BLOCK_BYTES, Durability, FileKind, RecordReader, RecordSpec, RecordWriter};
use model::{Record, Threshold};
use phases::words::Words;
use runtime::{Error, PhaseName};
use std::path::{Path, PathBuf};

/// The documents that go.
pub(super) struct Fates {
    path: PathBuf,
    /// How many.
    pub(super) removed: u64,
}

impl Fates {
    /// From the first on.
    pub(super) fn read(&self, task: &Task<'_>) -> Result<RecordReader<Fate>, Error> {
        read(task, &self.path)
    }
}

/// Opens a scratch file of this call.
pub(super) fn read<R: Record>(task: &Task<'_>, path: &Path) -> Result<RecordReader<R>, Error> {
    RecordReader::open(&task.engine.disk, path, FileKind::Run)
        .map_err(|e| Error::from_format(None, e))
}

/// Starts a scratch file of this call.
pub(super) fn write<R: Record>(task: &Task<'_>, path: &Path) -> Result<RecordWriter<R>, Error> {
    let (path, kind, durability) = (path.to_owned(), FileKind::Run, Durability::Scratch);
    let spec = RecordSpec {
        path,
        kind,
        fingerprint: [0; 16],
        block_bytes: BLOCK_BYTES,
        durability,
    };
    RecordWriter::create(&task.engine.disk, spec).map_err(|e| Error::from_format(None, e))
}

/// Decides.
pub(super) fn decide(
    task: &Task<'_>,
    request: &DedupRequest,
    files: &Files,
    texts: &dyn Texts,
) -> Result<Fates, Error> {
    let engine = task.engine;
    let work = Error::work(PhaseName::Cluster);
    let path = task.dir.join("fates.run-0");
    let mut writer = write::<Fate>(task, &path)?;
    if request.drop_all {
        choose::all_members(engine, |doc| {
            writer
                .push(&Words([doc, NONE, SIMILAR, 0, 0, 0, 1, 0]))
                .map_err(work)
        })?;
    } else {
        let mut fates = if request.against.is_some() {
            evidence::fates(task, against::from_links(task, files)?, &mut Direct)?
        } else if engine.config.cluster.linkage == Linkage::Star {
            evidence::fates(
                task,
                choose::from_clusters::<Store>(task, None)?,
                &mut Direct,
            )?
        } else {
            let (cells, documents) = (task.dir.join("links.run-cells"), files.documents() as usize);
            let mut cells =
                Store::create(&engine.disk, &cells, documents, &engine.budget).map_err(work)?;
            let wants = choose::from_clusters(task, Some(&mut cells))?;
            distance::fill(engine, &mut cells)?;
            evidence::fates(task, wants, &mut Distances(cells))?
        };
        match request
            .lossless
            .and_then(|share| Threshold::from_f64(share).ok())
        {
            Some(share) => {
                let against = request.against.as_ref().map(|_| files);
                lossless::decide(
                    &Lossless {
                        task,
                        share,
                        against,
                        texts,
                    },
                    fates,
                    &mut writer,
                )?;
            }
            None => {
                while let Some(fate) = fates.next().map_err(work)? {
                    writer.push(&fate).map_err(work)?;
                }
            }
        }
    }
    let removed = writer.finish().map_err(work)?.records;
    Ok(Fates { path, removed })
}
