//! Decides which documents are removed.
//!
//! *Input.* Clusters or links. *Output.* A scratch file of [`RemovalRecord`]s, in document order.
//! *Algorithm.* Documents of references stay. With `--lossless`, [`lossless`] checks them.

use super::against;
use super::distance::{self, ChainLengths};
use super::files::Files;
use super::lossless;
use super::lossless_rule::LosslessRule;
use super::request::DedupRequest;
use engine::cells::SpillableCells;
use exact::FingerprintedTexts;
use model::Threshold;
use publication::removals::candidate::Members::NotKeptAndCopied;
use publication::removals::candidate::{self, NONE, SIMILAR};
use publication::removals::evidence::{self, AllLinked};
use publication::removals::removal::{RemovalFile, RemovalRecord};
use publication::removals::task::Task;
use runtime::Error;

/// Writes the removals.
pub(super) fn decide(
    task: &Task<'_>,
    request: &DedupRequest,
    files: &Files,
    texts: &dyn FingerprintedTexts,
) -> Result<RemovalFile, Error> {
    let engine = task.engine;
    let path = task.dir.join("fates.run-0");
    let mut writer = task.write::<RemovalRecord>(&path)?;
    let may_go = |doc| files.may_go(doc);
    if request.drop_all {
        candidate::all_members(engine, |doc| match files.may_go(doc) {
            true => {
                let removal = RemovalRecord {
                    doc,
                    kept: NONE,
                    relation: SIMILAR,
                    modulus: 1,
                    ..RemovalRecord::default()
                };
                writer.push(&removal).map_err(Error::from)
            }
            false => Ok(()),
        })?;
    } else {
        let mut removals = if request.against.is_some() {
            evidence::removals(task, against::from_links(task, files)?, &mut AllLinked)?
        } else if engine.config.cluster.linkage.is_direct() {
            evidence::removals(
                task,
                candidate::from_clusters::<SpillableCells>(task, NotKeptAndCopied, may_go, None)?,
                &mut AllLinked,
            )?
        } else {
            let mut cells = task.cells("links.run-cells", files.documents())?;
            let candidates =
                candidate::from_clusters(task, NotKeptAndCopied, may_go, Some(&mut cells))?;
            distance::fill(engine, &mut cells)?;
            evidence::removals(task, candidates, &mut ChainLengths(cells))?
        };
        match request
            .lossless
            .and_then(|share| Threshold::from_f64(share).ok())
        {
            Some(share) => {
                lossless::decide(
                    &LosslessRule {
                        task,
                        share,
                        files,
                        is_against: request.against.is_some(),
                        texts,
                    },
                    removals,
                    &mut writer,
                )?;
            }
            None => {
                while let Some(removal) = removals.next()? {
                    writer.push(&removal)?;
                }
            }
        }
    }
    let removed = writer.finish()?.records;
    Ok(RemovalFile { path, removed })
}
