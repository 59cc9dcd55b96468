//! The whole program as a process: what users see, what survives, what comes out byte for byte.
//!
//! | module | holds |
//! |---|---|
//! | `harness` | a place to run in, corpora, digests of directories |
//! | `runs` | the first run, reruns, parts of the line, other formats of the same pages |
//! | `determinism` | same bytes for threads, memory, interruptions |
//! | `crash` | kills and failing operations at every step, full disk, two runs at once, signals |
//! | `dedup` | copies without the duplicates: what goes, and in favour of what |
//! | `dedup_passages` | copies without the passages that stay elsewhere |
//! | `dedup_files` | the copies: every format, kills and full disks, whose directory |
//! | `sources` | named parts of the input: references, keys of their own, sources without a document |
//! | `lists` | lists of documents that `dedup --remove` removes |
//! | `references` | files that `dedup --against` takes as references, without a configuration |
//! | `annotated` | rows with their clusters, documents that stay, differences in numbers |
//! | `decontaminate` | items of references in documents, and copies without them |
//! | `dense_clusters` | clusters of which few links are published |
//! | `changes` | what changed between snapshots, lost URLs, histories |
//! | `copied` | pages that are copied first and removed later |
//! | `journal` | clusters over time, whatever was killed, lost or damaged |
//! | `gone` | what became of clusters that are gone |
//! | `corrupt` | damaged work files |
//! | `state` | what is taken over from earlier runs, and what is not |
//! | `samples` | the clusters of data-samples |
//! | `bad_input` | bad records, files, configurations, command lines |
//! | `features` | tokens that were made elsewhere, and characters with white space |
//! | `config` | values of the command line, and documents that follow from the table of keys |
//! | `methods` | every method of sketches: bytes, links, questions, refusals |
//! | `papers` | what docs/papers.md says of commands, presets, keys and tables; comparisons and trees |
//! | `memory` | peak memory under a real limit |
//! | `estimates` | what a run will cost: forecast before it, held against what it cost |
//! | `hostile` | loads made to break the program, within the smallest budget |
//! | `asking` | names of documents, pipes, changed files, what only common shingles have |
//! | `likeness` | documents like one, explanations, other thresholds |
//! | `lengths` | how long a page has to be, to be found inside a longer one |
//! | `main_part` | the main part of pages in every command, the frame beside it |
//! | `tables` | the tables of a publication beside one another, row by row |
//! | `architecture`, `imports` | the crates and files themselves |
//! | `one_command` | runs without a configuration, and where a configuration is found |
//! | `query` | answers of the index, and what becomes of a damaged one |
//! | `decoding` | charsets, codings and members that are not what their labels say |
//! | `reading` | which records and files are documents, skipped or rejected |
//! | `readers` | commands that read while runs go on |
//! | `read_errors` | a disk that fails while input files are listed and read |
//! | `read_sweep` | a disk that fails once, at each read of a file of each format |
//! | `outputs` | two configurations that publish to one output |
//! | `revisit` | pages that a crawl found unchanged, and what a drop leaves of them |
//! | `snapshots` | the list of snapshots, and what a run takes in |
//! | `crowds` | more near-copies of a page than share a shingle |
//! | `cron` | runs that nobody watches: nothing new, another run, logs |
//! | `metrics` | the figures for the node exporter |
//! | `nightly` | the systemd units, and a restored backup |
//! | `shards` | machines that sketch shards, and one that adopts them |
//! | `nights` | crawl after crawl, beside runs from scratch |
//! | `first_result` | the screen at the end of a run |
//! | `documents` | what README, the guide and `--help` claim |
//! | `browser` | the same pages in Chromium, if it is there |
//! | `connections` | clients of `serve` that are silent or slow |
//! | `web`, `views` | the pages of `serve`, and what their figures count |
//! | `report` | the one file that `report` writes |
//! | `trust` | files, limits and bytes made to trouble the program |
//! | `sqlite` | tables in a database, in builds with the feature `sqlite` |
//! | `cookbook` | the questions in SQL, asked with DuckDB |
//! | `guide` | every command that docs/guide shows, with its output |

mod annotated;
mod architecture;
mod asking;
mod bad_input;
mod browser;
mod changes;
mod changes_list;
mod config;
mod connections;
mod cookbook;
mod copied;
mod corrupt;
mod crash;
mod cron;
mod crowds;
mod decoding;
mod decontaminate;
mod decontaminate_references;
mod dedup;
mod dedup_files;
mod dedup_lossless;
mod dedup_passages;
mod dense_clusters;
mod determinism;
mod documents;
mod estimates;
mod features;
mod first_result;
mod gone;
mod guide;
mod harness;
mod hostile;
mod imports;
mod journal;
mod lengths;
mod likeness;
mod lists;
mod main_part;
mod memory;
mod methods;
mod metrics;
mod nightly;
mod nights;
mod one_command;
mod outputs;
mod papers;
mod passage_views;
mod passages;
mod query;
mod read_errors;
mod read_sweep;
mod readers;
mod reading;
mod references;
mod report;
mod revisit;
mod runs;
mod samples;
mod shards;
mod snapshots;
mod sources;
#[cfg(feature = "sqlite")]
mod sqlite;
mod state;
mod tables;
mod trust;
mod views;
mod web;
