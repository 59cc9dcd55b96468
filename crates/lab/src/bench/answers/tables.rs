//! The tables of a publication that say which documents belong together.
//!
//! *Input.* The publication of a [`Run`]. *Output.* [`Tables`]. *Memory.* 24 bytes a document, 48 a
//! link.

use super::run::Run;
use crate::published::{PublishedDocument, documents, each_row, fraction, text, whole};
use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use std::collections::HashSet;

/// Published answers.
pub(super) struct Tables {
    /// Every document.
    pub(super) documents: Vec<PublishedDocument>,
    /// The links.
    pub(super) links: Vec<Link>,
    /// Fingerprints of common shingles.
    pub(super) common: HashSet<u64>,
}

/// A row of `pairs.parquet`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Link {
    /// Document A.
    pub(super) a: u32,
    /// Document B.
    pub(super) b: u32,
    /// The threshold that it reached.
    pub(super) kind: Kind,
    /// Share of A that is in B.
    pub(super) a_in_b: f64,
    /// Share of B that is in A.
    pub(super) b_in_a: f64,
}

/// `kind` of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Kind {
    /// Resemblance.
    Resemblance,
    /// Containment, in one direction at least.
    Containment,
    /// Resemblance and containment.
    Both,
}

impl Kind {
    /// All of them.
    pub(super) const ALL: [Kind; 3] = [Kind::Resemblance, Kind::Containment, Kind::Both];

    /// Whether the link says that the documents resemble each other.
    pub(super) fn is_resemblance(self) -> bool {
        self != Kind::Containment
    }

    /// The kind of a word in the table.
    fn of(name: &str) -> Result<Kind> {
        let unknown = || format!("pairs.parquet has links of the unknown kind {name}");
        serde_json::from_value(name.into()).with_context(unknown)
    }
}

/// Reads them.
pub(super) fn read(run: &Run) -> Result<Tables> {
    let out = run.out();
    let mut links = Vec::new();
    let names = ["a", "b", "kind", "containment_a_in_b", "containment_b_in_a"];
    each_row(&out.join("pairs.parquet"), &names, &mut |row| {
        links.push(Link {
            a: whole(row, 0)?,
            b: whole(row, 1)?,
            kind: Kind::of(text(row, 2)?)?,
            a_in_b: fraction(row, 3)?,
            b_in_a: fraction(row, 4)?,
        });
        Ok(())
    })?;
    let mut common = HashSet::new();
    let path = out.join("common_shingles.parquet");
    each_row(&path, &["shingle"], &mut |row| {
        let shingle = u64::from_str_radix(text(row, 0)?, 16);
        common.insert(shingle.context("common_shingles.parquet has a row without a fingerprint")?);
        Ok(())
    })?;
    Ok(Tables {
        documents: documents(&out, &run.work())?,
        links,
        common,
    })
}
