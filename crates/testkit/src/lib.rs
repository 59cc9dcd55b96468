//! For tests only: the answer by brute force, and corpora to compare it on.
//!
//! | module | what | input | output |
//! |---|---|---|---|
//! | [`oracle`] | the meaning of the program, in memory and quadratic | sketches as values | classes, links, clusters |
//! | [`corpus`] | random sketches with planted relations | a seed | [`oracle::OracleDocument`]s, parameters |
//! | [`text`] | random pages with planted relations | a seed | pages, as values or JSONL |
//! | [`hostile`] | loads that break programs of this kind | a size | pages, as values, JSONL or WARC |
//! | [`journal`] | what became of clusters, by the definitions | two memberships | [`journal::ClusterEvent`]s |
//! | [`random`] | the generator of random numbers under both | a seed | the same numbers on every machine |
//!
//! Nothing here shares code with a phase or does I/O (a writer is handed in). Everything is a
//! function of its seed, the same on every machine: random choices are made in whole numbers.
//! Memory: the oracle holds all documents and all pairs, so keep to some thousands of documents;
//! [`text::TextCorpus`] makes one page at a time and has no limit.

pub mod corpus;
pub mod hostile;
pub mod journal;
pub mod oracle;
pub mod random;
pub mod text;

pub use corpus::{CorpusShape, OracleCase};
pub use journal::{ClusterEvent, Membership, cluster_events, cluster_events_add_up};
pub use oracle::{
    OracleCluster, OracleComparedPair, OracleDocument, OracleKeep, OracleLink, OracleLinkage,
    OracleOutcome, OracleParams, OracleRow, run,
};
pub use random::Random;
pub use text::{Plant, TextCorpus, TextDocument, TextShape};
