//! What `--lossless` asks for.

use super::files::Files;
use exact::FingerprintedTexts;
use model::Threshold;
use publication::removals::task::Task;

/// The rule of a call.
pub(super) struct LosslessRule<'a> {
    pub(super) task: &'a Task<'a>,
    /// The share of a document that must be contained in the kept one.
    pub(super) share: Threshold,
    pub(super) files: &'a Files,
    /// With `--against`: others go in favour of documents of NAME only.
    pub(super) is_against: bool,
    pub(super) texts: &'a dyn FingerprintedTexts,
}
