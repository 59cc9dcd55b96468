//! Names that the files of this phase share.

use engine::PhaseName;

pub(super) const PHASE: PhaseName = PhaseName::Sort;

/// Beginning of the names of files of postings.
pub(super) const STEM: &str = "postings";

/// Name, among the files of the phase, of the bits that mark representatives.
pub(super) const REPRESENTATIVES: &str = "representatives";
