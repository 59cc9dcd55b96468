//! Objects of S3 and of web servers as input files, in builds with the feature `s3`.
//!
//! *Input.* URLs: `s3://BUCKET/KEY`, `https://HOST/PATH`. *Output.* Figures and bytes for
//! `decode::objects`. *Algorithm.* Objects that are read in order are read ahead, in several
//! requests at once. Each request names the ETag, so an object that was replaced is told and never
//! mixed. A request that fails is tried again with growing pauses. *Memory.* The read-ahead, within
//! the share that the caller reserves (`decode::objects::ObjectStore::reserve`). *Limits.*
//! Credentials come from the environment (`AWS_ACCESS_KEY_ID`, `AWS_ENDPOINT`, …) only. URLs with a
//! query are refused. Web servers have to support ranges, and are not listed.
//!
//! Without the feature the program never uses the network.

mod clients;
mod object;
mod read_ahead;
mod stores;

pub(crate) use stores::use_objects;
