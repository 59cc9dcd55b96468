//! The options of a call.

use config::Reference;
use engine::PhaseName;
use model::Linkage;
use run::OnInput;
use std::path::{Path, PathBuf};

/// The options of a call.
#[derive(Clone, Debug, Default)]
pub struct DedupRequest {
    /// The kind of output.
    pub deliver: Deliver,
    /// Another `linkage` for this call.
    pub linkage: Option<Linkage>,
    /// Another `keep` for this call, as `[cluster]` has it.
    pub keep: Option<String>,
    /// The share of a document, 0 to 1, that must be contained in the document kept in its favour.
    /// All shingles of both are compared.
    pub lossless: Option<f64>,
    /// The sources or snapshots whose documents stay; others are removed only in favour of one of
    /// them.
    pub against: Vec<String>,
    /// Files that are no part of the input, each as one of `against`.
    pub references: Vec<Reference>,
    /// Makes the run that the call needs, beside that of the configuration, and calls this once
    /// there is input. `None`: the run of the configuration is finished.
    pub beside: Option<OnInput>,
    /// Whether to remove all documents of every cluster.
    pub drop_all: bool,
    /// A list of the documents to remove; clusters decide nothing.
    pub remove: Option<PathBuf>,
}

impl DedupRequest {
    /// The last phase of the run that the call needs: a list needs what the input is.
    pub(super) fn last_phase(&self) -> PhaseName {
        match self.remove {
            Some(_) => PhaseName::Sketch,
            None => PhaseName::Cluster,
        }
    }

    /// The command that makes it.
    pub(super) fn run_command(&self) -> &'static str {
        match self.last_phase() {
            PhaseName::Sketch => "pipeline run --until sketch",
            _ => "pipeline run",
        }
    }
}

/// The options of a call that cuts passages.
#[derive(Clone, Debug, Default)]
pub struct CutRequest {
    /// The kind of output; rows cannot be marked.
    pub deliver: Deliver,
    /// A document goes whole if fewer of its words would stay, or none.
    pub rest: u32,
    /// The text that stands in place of a part that goes; nothing: a blank, where one is needed.
    pub marker: String,
}

impl Deliver {
    /// The directory that is written, if one is.
    pub fn directory(&self) -> Option<&Path> {
        match self {
            Deliver::Copies(output) | Deliver::Annotated(output) => Some(output),
            Deliver::Ids { .. } | Deliver::Counts => None,
        }
    }

    /// Whether rows are marked and none is removed.
    pub(super) fn annotates(&self) -> bool {
        matches!(self, Deliver::Annotated(_))
    }
}

/// The kind of output.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Deliver {
    /// Copies of the input, in this directory.
    Copies(PathBuf),
    /// The input with the cluster, class and fate of each document, in this directory; nothing is
    /// removed.
    Annotated(PathBuf),
    /// The ids of documents, one a line.
    Ids {
        /// The documents that stay, instead of the documents that go.
        kept: bool,
        /// As JSON lines, with the document's own id and URL.
        as_json: bool,
    },
    /// The number of removed documents.
    #[default]
    Counts,
}
