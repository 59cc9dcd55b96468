//! The configuration as it is written: every key of `pipeline.toml`, with its place, before
//! anything is checked.
//!
//! The structs here are the only list of known keys. A key that is absent is `None`; what it then
//! means is decided in [`super::validate`].

use super::read::{Field, Given, RawTable, Scalar, Table};

/// Declares a table of the file: a struct of optional fields, its keys, and how it is read.
macro_rules! raw_tables {
    ($($(#[$about:meta])* $name:ident { $($field:ident : $kind:ty = $key:literal,)+ })+) => {$(
        $(#[$about])*
        #[derive(Debug, Default)]
        pub(super) struct $name {
            $(pub(super) $field: Field<$kind>,)+
        }

        impl RawTable for $name {
            const KEYS: &'static [&'static str] = &[$($key),+];

            fn take(table: &mut Table<'_, '_>) -> Self {
                $name { $($field: table.take($key),)+ }
            }
        }
    )+};
}

raw_tables! {
    /// The whole file.
    RawFile {
        version: i128 = "version",
        input: RawInput = "input",
        work: RawWork = "work",
        sketch: RawSketch = "sketch",
        pairs: RawPairs = "pairs",
        cluster: RawCluster = "cluster",
        snapshots: RawSnapshots = "snapshots",
    }

    /// `[input]`: what is read.
    RawInput {
        paths: Vec<Given<String>> = "paths",
        source: Vec<Given<RawSource>> = "source",
        format: String = "format",
        id_field: String = "id-field",
        text_field: String = "text-field",
        html_field: String = "html-field",
        url_field: String = "url-field",
        date_field: String = "date-field",
        carry_fields: Vec<Given<String>> = "carry-fields",
        max_document: Scalar = "max-document",
        max_rejected: Scalar = "max-rejected",
    }

    /// `[[input.source]]`: a part of the input with a name.
    RawSource {
        name: String = "name",
        paths: Vec<Given<String>> = "paths",
    }

    /// `[work]`: where and with what means.
    RawWork {
        dir: String = "dir",
        output: String = "output",
        memory: Scalar = "memory",
        disk: Scalar = "disk",
        threads: i128 = "threads",
        metrics: String = "metrics",
    }

    /// `[sketch]`: what is kept of a document.
    RawSketch {
        tokens: String = "tokens",
        drop_numbers: bool = "drop-numbers",
        shingle_size: i128 = "shingle-size",
        shingles: String = "shingles",
        method: RawMethod = "method",
        fingerprint_bits: i128 = "fingerprint-bits",
        seed: String = "seed",
        seed_file: String = "seed-file",
        shingle_class_min: i128 = "shingle-class-min",
    }

    /// `[sketch] method`: the sampling.
    RawMethod {
        kind: String = "kind",
        modulus: i128 = "modulus",
        target: i128 = "target",
        coarsest: i128 = "coarsest",
    }

    /// `[pairs]`: what makes a pair.
    RawPairs {
        common_shingle_limit: Scalar = "common-shingle-limit",
        floor: Scalar = "floor",
    }

    /// `[cluster]`: what makes a link and a cluster.
    RawCluster {
        resemblance: Scalar = "resemblance",
        containment: Scalar = "containment",
        containment_joins: bool = "containment-joins",
        min_shared: i128 = "min-shared",
        linkage: String = "linkage",
        keep: String = "keep",
    }

    /// `[snapshots]`: crawl after crawl.
    RawSnapshots {
        path: String = "path",
        ready: String = "ready",
        keep: i128 = "keep",
    }
}

/// Every table by name with its keys; the whole file has the empty name.
pub(super) const TABLES: &[(&str, &[&str])] = &[
    ("", RawFile::KEYS),
    ("input", RawInput::KEYS),
    ("input.source", RawSource::KEYS),
    ("work", RawWork::KEYS),
    ("sketch", RawSketch::KEYS),
    ("sketch.method", RawMethod::KEYS),
    ("pairs", RawPairs::KEYS),
    ("cluster", RawCluster::KEYS),
    ("snapshots", RawSnapshots::KEYS),
];
