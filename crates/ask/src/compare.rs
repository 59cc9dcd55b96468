//! `pipeline compare`: resemblance and containment of two documents, exact and estimated.
//!
//! *Input.* [`CompareRequest`]. *Output.* [`Comparison`]. *Algorithm.* [`DocumentPair`]. *Memory.*
//! The texts, and 32 bytes a token, reserved in `work.memory`. *Disk.* Read-only. *Limits.* None
//! but memory.

use crate::document_pair::{CompareRequest, DocumentPair};
use crate::figures::{Figures, PairFigures};
use runtime::Error;
use serde::Serialize;
use std::fmt;

/// The figures of two documents.
#[derive(Clone, Debug, Serialize)]
pub struct Comparison {
    /// The first name.
    pub a: String,
    /// The second name.
    pub b: String,
    /// What the two share.
    #[serde(flatten)]
    pub figures: PairFigures,
}

/// Bytes a token takes while all shingles are sorted, and afterwards.
const TOKEN_BYTES: usize = 32;

/// Compares two documents.
///
/// # Errors
/// When one cannot be found or read, and when they do not fit `work.memory`.
pub fn compare(request: &CompareRequest) -> Result<Comparison, Error> {
    let pair = DocumentPair::read(request)?;
    let _memory = pair.reserve(2, TOKEN_BYTES, TOKEN_BYTES)?;
    let figures = pair.compare()?.figures;
    Ok(Comparison {
        a: pair.a.name,
        b: pair.b.name,
        figures,
    })
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "A {}\nB {}",
            self.a.escape_debug(),
            self.b.escape_debug()
        )?;
        self.figures.write_table(f)?;
        let counts = |figures: &Figures| {
            format!(
                "{} shared of {} and {} (modulus {})",
                figures.shared, figures.size_a, figures.size_b, figures.modulus
            )
        };
        writeln!(
            f,
            "shingles: {}; sampled: {}",
            counts(&self.figures.exact),
            counts(&self.figures.estimated)
        )?;
        match self.figures.common_shingles_left_out {
            Some(1) => writeln!(f, "1 common shingle of the run was left out"),
            Some(n) => writeln!(f, "{n} common shingles of the run were left out"),
            None => writeln!(
                f,
                "no common shingle was left out, because no run was given"
            ),
        }
    }
}
