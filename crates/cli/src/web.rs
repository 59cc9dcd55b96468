//! A publication as pages: `pipeline serve` answers a browser, and `pipeline report` writes one
//! file.
//!
//! *Input.* The publication that `out` shows: its query index, tables and `report.json`; for a
//! comparison, two documents of the input. *Output.* HTML that works without scripts. *Algorithm.*
//! Lookups, and one pass over the tables of clusters and of moved pages when a publication is
//! opened. *Memory.* What the query index maps, some thousand clusters and pairs of hosts, and for
//! each of at most two comparisons at a time what `explain` takes. *Disk.* Read-only, but for the
//! file of `report` and that of judgements. *Limits.* The lists of clusters end after the first
//! thousands. `serve` listens on the loopback interface alone. *Errors.* Pages need a publication
//! that is not damaged, `serve` a free port and a file of judgements that it can read and write.

mod answers;
mod chart;
mod connections;
mod dendrogram;
mod judgements;
mod page;
mod pages;
mod report;
mod safety;
mod sandbox;
mod server;
mod site;
mod table;
mod top_clusters;

pub(crate) use report::report;
pub(crate) use server::Server;
