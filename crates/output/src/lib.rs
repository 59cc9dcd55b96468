//! The results for users: tables, the report of a run, and exports.
//!
//! Input: rows handed over one at a time, in order. Output: Parquet, JSON lines, CSV or Arrow
//! into a writer of the caller. The caller names, syncs and publishes the file. Only [`export()`],
//! [`carry()`], [`TableGroups`] and [`TableReader`] open files, for reading.
//!
//! | part | what it holds |
//! |---|---|
//! | [`Table`], [`Schema`], [`Column`] | one description of each table, from which every writer and reader works |
//! | [`DocumentRow`], [`MembershipRow`], … | one row of each table, as plain fields |
//! | [`ParquetTable`], [`LineTable`] | streaming writers of the same rows |
//! | [`TableReader`], [`export()`], [`carry()`], [`carry_groups`] | reading a published Parquet file back, turning it into another format, going on with it |
//! | [`Report`], [`RunRecord`], [`summary()`], [`details()`] | `report.json`, `run.json`, and what is shown at the end of a run |
//! | [`CopyWriter`], [`copy_parquet`] | copies of the input without some of its records |
//! | [`Cost`], [`cost_table`] | what a run costs, and the table shown before it |
//!
//! Same rows, same metadata: same bytes. Nothing here knows the time, the number of threads, or a
//! path of the writer's.
//!
//! Errors ([`OutputError`]): the writer handed over fails; a file cannot be read, or is damaged; a
//! row does not fit its table. After an error a table cannot go on. Its bytes so far stay written.
//!
//! Memory: a Parquet writer holds one row group (see [`RowGroupLimits`]) and the metadata of the
//! row groups already written, a few hundred bytes a column; [`ParquetTable::memory_bytes`] tells
//! how much. The others hold one row.

mod arrow;
mod arrow_batches;
mod batch;
mod carry;
mod cell;
mod change_counts;
mod changes;
mod checksummed_pages;
mod column_values;
mod contamination;
mod copies;
mod cost;
mod csv;
mod declaration;
mod details;
mod error;
mod export;
mod humane;
mod jsonl;
mod line_table;
mod order;
mod parquet_columns;
mod parquet_schema;
mod parquet_table;
mod passage_counts;
mod read;
mod report;
mod row;
mod run;
mod schema;
mod summary;
mod tables;
mod terminal;
#[cfg(test)]
mod tests;
mod threshold_figures;
mod time;

pub use arrow_batches::ArrowBatches;
pub use batch::{BatchRow, RowBatch};
pub use carry::{TableGroups, carry, carry_groups};
pub use cell::{Cell, ColumnType};
pub use change_counts::{
    ChangeClasses, ChangeCounts, ChangeShares, ChangesBetween, HalfLife, HostChanges,
};
pub use changes::{
    CHANGES, CLUSTER_CHANGES, ChangeRow, ClusterChangeRow, HOST_CHANGES, HostChangeRow, MOVED,
    MovedRow,
};
pub use contamination::{CONTAMINATION, CONTAMINATION_NOTE, ContaminationNote, ContaminationRow};
pub use copies::{
    ANNOTATION, Annotation, CUTS, CopyWriter, CutRow, OpenCuts, RowAnnotations, annotate_parquet,
    copy_parquet, write_members,
};
pub use cost::{Cost, cost_table};
pub use csv::FormulaGuard;
pub use details::{costs, details};
pub use error::OutputError;
pub use export::{ExportFormat, export};
pub use humane::{counted, humane_bytes, humane_seconds, most_frequent, thousands};
pub use line_table::{LineFormat, LineTable};
pub use parquet_table::{ParquetTable, RowGroupLimits};
pub use passage_counts::{CoveredDocument, PassageCounts, RepeatedPassage};
pub use read::{ColumnSelection, TableReader, read_whole};
pub use report::{
    ClassCount, ClassCounts, ClusterCounts, ClusterSize, GroupCount, InputCounts, LeastAlike,
    RemovedCount, RemovedCounts, RemovedHost, Report, ReportedPairs, SketchCounts, json_file,
};
pub use row::{Hexadecimal, Micros, Row};
pub use run::{PhaseRun, PhaseState, RunRecord, RunTotals};
pub use schema::{Column, Repetition, Schema, Table};
pub use summary::{RejectedExample, summary};
pub use tables::{
    CLUSTERS, COMMON_SHINGLES, ClusterRow, CommonShingleRow, DOCUMENTS, DocumentRow, HOST_PAIRS,
    HostPairRow, KeptInFavour, MEMBERSHIP, MembershipRow, PAIRS, PASSAGES, PairRow, PassageRow,
    REJECTED, REMOVED, RejectedRow, RemovedRow, TABLES, TABLES_VERSION,
};
pub use terminal::{beginning, is_harmful, shell_word, shortened};
pub use threshold_figures::{ComparedPair, FiguresAtThreshold, RESEMBLANCE_BINS, ThresholdFigures};
pub use time::rfc3339;
