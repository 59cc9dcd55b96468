//! Decides which documents are removed.
//!
//! *Input.* Clusters or links. *Output.* A scratch file of [`RemovalRecord`]s, in document order.
//! *Algorithm.* Documents of references stay. With `--lossless`, [`lossless`] checks the removals.

use super::files::Files;
use super::request::DedupRequest;
use super::undecided::LosslessRule;
use super::{against, lossless};
use engine::{Error, PhaseName};
use exact::FingerprintedTexts;
use format::{FileKind, MemberRecord};
use model::Threshold;
use publication::removals::candidate::{Members, NONE, SIMILAR, from_clusters};
use publication::removals::evidence;
use publication::removals::removal::{REMOVALS, RemovalFile, RemovalRecord};
use publication::removals::task::RemovalTask;
use sort::Stream;

pub(super) fn decide(
    task: &RemovalTask<'_>,
    request: &DedupRequest,
    files: &Files,
    texts: &dyn FingerprintedTexts,
) -> Result<RemovalFile, Error> {
    let may_go = |doc| files.may_go(doc);
    if request.drop_all {
        let members =
            task.engine
                .reader::<MemberRecord>(PhaseName::Cluster, "members", FileKind::Members)?;
        let removals = members.filter_map(|member| {
            may_go(member.doc).then(|| RemovalRecord {
                doc: member.doc,
                kept: NONE,
                relation: SIMILAR,
                modulus: 1,
                ..RemovalRecord::default()
            })
        });
        return task.scratch.store(REMOVALS, removals);
    }
    let candidates = match request.against.is_empty() {
        false => against::from_links(task, files)?,
        true => from_clusters(task, Members::NotKeptAndCopied, may_go)?,
    };
    let mut removals = evidence::removals(task, candidates)?;
    let share = request
        .lossless
        .and_then(|share| Threshold::from_f64(share).ok());
    if let Some(share) = share {
        let rule = LosslessRule {
            task,
            share,
            files,
            is_against: !request.against.is_empty(),
            texts,
        };
        removals = lossless::decide(&rule, removals)?;
    }
    task.scratch.store(REMOVALS, removals)
}
