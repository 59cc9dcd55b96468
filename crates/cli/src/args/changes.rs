//! `pipeline changes`: which URLs, and in what form.

use clap::Args;
use clap::builder::PossibleValuesParser;
use pipeline::CHANGE_CLASSES;

/// The text after the help.
pub(super) const AFTER_HELP: &str = "\
A run over two snapshots or more compares each with the one before. The newest snapshot comes first.

Examples:
  pipeline changes
  pipeline changes --class gone,moved --host www.example.org
  pipeline changes --since 2026-01 --json
  pipeline changes --feed > changes.atom";

/// `pipeline changes`.
#[derive(Args, Debug)]
pub(crate) struct ChangesArgs {
    /// Show the changes of all snapshots after this one [default: those of the newest]
    #[arg(long, value_name = "SNAPSHOT")]
    pub(crate) since: Option<String>,

    /// Show URLs of these classes [default: all but identical]
    #[arg(long = "class", value_name = "CLASS", value_delimiter = ',', value_parser = PossibleValuesParser::new(CHANGE_CLASSES))]
    pub(crate) classes: Vec<String>,

    /// Show URLs of this host
    #[arg(long, value_name = "HOST")]
    pub(crate) host: Option<String>,

    /// Show at most so many [default: all; of a feed, 1000]
    #[arg(long, value_name = "NUMBER")]
    pub(crate) limit: Option<u64>,

    /// Print an Atom feed, as readers of news and watchers of pages take it
    #[arg(long, conflicts_with = "json")]
    pub(crate) feed: bool,

    /// Print one JSON object for each URL
    #[arg(long)]
    pub(crate) json: bool,
}
