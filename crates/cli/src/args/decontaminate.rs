//! `pipeline decontaminate`: the references, the input, and what is written.

use clap::{Args, ValueHint};
use std::ffi::OsString;
use std::path::PathBuf;

/// The text after the help.
pub(super) const AFTER_HELP: &str = "\
References are JSONL, Parquet or text, small enough for memory: a row is an item, and a text file is \
one. The input is what the configuration names, with -c or found here, or what stands behind --. \
Without a configuration, the last of several paths is the input.

The exit code is 0 whatever is found; it is 2 or 3 if a reference cannot be read or has no item, or \
if the input has no document.

Examples:
  pipeline decontaminate gsm8k.jsonl -- crawl/
  pipeline decontaminate evals/*.parquet -c pipeline.toml --table found.parquet
  pipeline decontaminate evals/ -o clean -- crawl/
  pipeline decontaminate evals/ -o clean --passages -- pages.jsonl
  pipeline decontaminate book.txt --min 0.2 --json -- crawl/";

/// `pipeline decontaminate`.
#[derive(Args, Debug)]
pub(crate) struct DecontaminateArgs {
    /// Files, directories and globs of the references
    #[arg(value_name = "REFERENCE", required = true, value_hint = ValueHint::AnyPath)]
    pub(crate) references: Vec<OsString>,

    /// Files, directories and globs to search, `@FILE` for a list of them, - for a list on standard
    /// input; without a configuration
    #[arg(value_name = "INPUT", last = true, value_hint = ValueHint::AnyPath)]
    pub(crate) inputs: Vec<OsString>,

    /// Write copies of the input without the documents that hold an item, and the table
    /// contamination.parquet, to this directory: new or empty, or one where the same command was
    /// interrupted
    #[arg(short, long, value_name = "DIR")]
    pub(crate) output: Option<PathBuf>,

    /// Leave out only the stretches that hold an item, and keep the rest of the documents
    #[arg(long, requires = "output", conflicts_with = "annotate")]
    pub(crate) passages: bool,

    /// Remove nothing, but write the rows of JSONL and Parquet with the item and its share
    #[arg(long, requires = "output")]
    pub(crate) annotate: bool,

    /// Write the table to this Parquet file, and no copies
    #[arg(long, value_name = "FILE", conflicts_with = "output")]
    pub(crate) table: Option<PathBuf>,

    /// The share of the words of an item, 0 to 1, from which on a document holds it
    #[arg(long, value_name = "SHARE", default_value_t = 0.8)]
    pub(crate) min: f64,

    /// Leave out items of fewer words, and search for no shorter field by itself
    #[arg(long, value_name = "WORDS", default_value_t = 13)]
    pub(crate) least: u32,

    /// Words that must stand together to count
    #[arg(long, value_name = "WORDS", default_value_t = 8)]
    pub(crate) ngram: u32,

    /// The fields of a reference that are its item, in this order [default: those that usually hold
    /// texts, such as question, choices, answer, prompt, passage, text, messages]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) fields: Vec<String>,

    /// Print the result as JSON
    #[arg(long)]
    pub(crate) json: bool,
}
