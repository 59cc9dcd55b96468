//! `pipeline sketch` as it is typed.

use clap::Args;
use pipeline::Shard;

pub(super) const AFTER_HELP: &str = "\
The input is divided into N shards of whole files. Shard I is written to WORK.shards/I-of-N, where \
WORK is dir of [work]. After an interruption, the same command resumes.

Examples:
  pipeline sketch --shard 3/7
  pipeline sketch --shard 3/7 --set work.dir=/scratch/work";

/// `pipeline sketch`.
#[derive(Args, Debug)]
pub(crate) struct SketchArgs {
    /// Sketch this share of the input, from 1/N to N/N
    #[arg(long, value_name = "I/N")]
    pub(crate) shard: Shard,

    /// Print the result as JSON
    #[arg(long)]
    pub(crate) json: bool,
}
