//! What decides a call: clusters and lists, or passages.
//!
//! *Input.* The request, the configuration, the manifest. *Output.* The phases that have to be up
//! to date, and the names of the files of the call.

use super::files::FileRole;
use super::request::DedupRequest;
use super::target::{DEDUP, PASSAGES, TargetNames};
use config::{Config, PassagesConfig};
use engine::{Error, PhaseName};
use format::Manifest;
use input::{Format, Listing};

/// What decides a call.
pub(super) enum Decision {
    /// The clusters, and the values of the request.
    Clusters,
    /// The passages, and these options.
    Passages {
        /// As they are part of the fingerprint.
        options: String,
    },
}

impl Decision {
    /// The phases that have to be up to date.
    pub(super) fn phases(&self, request: &DedupRequest) -> Vec<PhaseName> {
        let decides = |phase: &PhaseName| match self {
            Decision::Clusters => *phase <= request.last_phase(),
            Decision::Passages { .. } => {
                *phase == PhaseName::Passages || PhaseName::Passages.reads().contains(phase)
            }
        };
        PhaseName::ALL.into_iter().filter(decides).collect()
    }

    /// The command that makes the run that the call needs.
    pub(super) fn run_command(&self, request: &DedupRequest, config: &Config) -> String {
        match (self, config.passages) {
            (Decision::Passages { .. }, Some(passages)) => {
                format!("pipeline run --passages {}", passages.words)
            }
            _ => request.run_command().to_owned(),
        }
    }

    /// The names of the files of the call.
    pub(super) fn target(&self) -> TargetNames {
        match self {
            Decision::Clusters => DEDUP,
            Decision::Passages { .. } => PASSAGES,
        }
    }

    /// The passages that the run looked for, unless the configuration says which.
    pub(super) fn passages(
        &self,
        config: &Config,
        manifest: &Manifest,
    ) -> Result<Option<PassagesConfig>, Error> {
        if config.passages.is_some() || matches!(self, Decision::Clusters) {
            return Ok(config.passages);
        }
        let phase = manifest.phases.get(PhaseName::Passages.name());
        let of_run = phase.and_then(|phase| PassagesConfig::of_parameters(&phase.parameters));
        of_run.map(Some).ok_or_else(|| {
            let text = "failed to find passages: the run did not look for them; run `pipeline run \
                        --passages 50` first";
            Error::NotFound(text.to_owned())
        })
    }

    /// Refuses input of which passages cannot be cut, by the name of its first file.
    pub(super) fn check_formats(&self, listing: &Listing, roles: &[FileRole]) -> Result<(), Error> {
        if matches!(self, Decision::Clusters) {
            return Ok(());
        }
        let can_be_cut = |format| matches!(format, Format::Jsonl | Format::Parquet | Format::Text);
        let mut copied = listing.files.iter().zip(roles);
        let refused =
            copied.find(|(file, role)| **role == FileRole::Data && !can_be_cut(file.format));
        refused.map_or(Ok(()), |(file, _)| {
        let (path, format) = (file.path.display(), file.format.name());
        Err(Error::Usage(format!(
            "failed to cut passages: {path} is {format}, and only JSONL, Parquet and texts can be \
             cut; run over those files alone, or read the passages in passages.parquet"
        )))
    })
    }
}
