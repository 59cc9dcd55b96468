//! The memory that one sketcher needs at most.

use crate::gf64::Multiplier;
use crate::params::{Family, ShingleKind, SketchParams, TextOfPages};
use crate::sample::{LIST_LENGTH_MIN, least_full};
use crate::text::TOKEN_BYTES_MAX;
use crate::word_cache;
use model::Sampling;

/// Room for the named buffers' small change: the least text buffer, lists of one batch, token
/// buffers, class tables, the copy of a sample for its digest.
const FIXED_BYTES: u64 = 512 * 1024;

/// Upper bound on what one [`Sketcher`](crate::Sketcher) holds for a document of that many UTF-8
/// bytes.
///
/// The sum of
/// - the text of an HTML page: 6/5 of its bytes, because two named references are longer as text
///   (`&nGt;`, `&nLt;`);
/// - the hashes of the last `shingle_size` tokens, and of as many that wait;
/// - the sampled fingerprints, twice, 8 bytes each: as many as the document has tokens, divided by
///   the modulus (the coarsest one when adaptive), plus eight standard deviations. With modulus 1
///   this is every window. Of the smallest ones it is twice as many as are kept;
/// - the outline of a page, where its main part counts;
/// - `labelled`: every window, 8 bytes each, because a label is known only after all windows were
///   seen;
/// - other families than ours: the text of a shingle, and of the tokens that wait;
/// - tables and token buffers of a fixed size.
///
/// For plain text the first term is not used; it is counted all the same.
pub fn memory_bytes_max(params: &SketchParams, document_bytes_max: u64) -> u64 {
    let tokens = params.tokens.tokens_max(document_bytes_max);
    let expected = match params.sampling {
        // Twice as many fingerprints as are kept wait in the list.
        Sampling::Min { size, .. } => 2 * u64::from(size),
        Sampling::MinHash { .. } => LIST_LENGTH_MIN as u64,
        sampling => {
            let modulus = sampling.modulus_at(sampling.levels() - 1).max(1);
            (tokens / u64::from(modulus)).saturating_add(1)
        }
    };
    let kept = expected
        .saturating_add(8 * expected.isqrt())
        .max(least_full(params.sampling) as u64)
        .min(tokens)
        + 64;
    kept_memory_bytes(params, document_bytes_max, kept)
}

/// The memory of [`Sketcher::set_pieces`](crate::Sketcher::set_pieces) with pieces of so many
/// fingerprints.
pub fn piece_memory_bytes(
    params: &SketchParams,
    document_bytes_max: u64,
    fingerprints_max: u64,
) -> u64 {
    let kept = fingerprints_max.max(LIST_LENGTH_MIN as u64) + 64;
    kept_memory_bytes(params, document_bytes_max, kept)
}

/// The memory of a sketcher that keeps `kept` fingerprints.
fn kept_memory_bytes(params: &SketchParams, document_bytes_max: u64, kept: u64) -> u64 {
    let bytes = document_bytes_max;
    let text = bytes.saturating_add(bytes / 5);
    let tokens = params.tokens.tokens_max(bytes);
    let ring = 16 * tokens.min(u64::from(params.shingle_size.max(1)));
    let windows = match params.shingles {
        ShingleKind::Set => 0,
        ShingleKind::Labelled => tokens.saturating_mul(8),
    };
    // the text of a shingle: at most twice as long where it waits, in a list that doubles; normal
    // form and lower case make a text at most three times as long
    let shingle_text = match params.family {
        Family::Keyed => 0,
        _ => {
            let tokens_max = u64::from(params.shingle_size.max(1)).saturating_add(1);
            4 * bytes
                .saturating_mul(3)
                .min(tokens_max.saturating_mul(TOKEN_BYTES_MAX as u64 + 1))
                + 16 * tokens.min(tokens_max)
        }
    };
    let outline = match params.text_of_pages {
        TextOfPages::Whole => 0,
        TextOfPages::Main { .. } | TextOfPages::Frame => crate::main_part::memory_bytes_max(bytes),
    };
    let fixed = FIXED_BYTES
        + 5 * Multiplier::MEMORY_BYTES
        + word_cache::MEMORY_BYTES
        + 8 * TOKEN_BYTES_MAX as u64;
    [
        ring,
        kept.saturating_mul(2 * 8),
        windows,
        shingle_text,
        outline,
        fixed,
    ]
    .iter()
    .fold(text, |sum, part| sum.saturating_add(*part))
}
