//! `pipeline query like`, `within`, `contains`.

use std::io::{self, Write};

use pipeline::{LikeRequest, LikeSearch, LikeWanted};

use super::configuration::load;
use super::loudness::{Loudness, note_outdated};
use crate::args::{ConfigArgs, LikeArgs};
use crate::exit::Failure;
use crate::stdout::{Form, Results};

/// Prints the documents like one, or like each of a stream.
pub(super) fn like(
    config: &ConfigArgs,
    args: &LikeArgs,
    wanted: LikeWanted,
    count: Option<f64>,
    loudness: Loudness,
    results: &mut Results,
) -> Result<(), Failure> {
    let config = load(config)?;
    let request = LikeRequest {
        name: args.name.clone(),
        wanted,
        limit: args.how.limit as usize,
        least: args.min,
        count,
    };
    let form = Form::of(args.how.ask.json);
    pipeline::answer_signals()?;
    let search = LikeSearch::open(&config, &request)?;
    note_outdated(search.outdated(), loudness);
    if !args.batch {
        return results.print(&search.one()?, form);
    }
    search.batch(&mut |answer| {
        let written = match form {
            Form::Text => write!(results, "{answer}"),
            // a line an answer, as the stream came
            Form::Json => serde_json::to_string(answer)
                .map_err(io::Error::from)
                .and_then(|json| writeln!(results, "{}", pipeline::json_escaped(&json))),
        };
        written.map_err(|source| pipeline::Error::Io {
            action: "print an answer".to_owned(),
            source,
        })
    })?;
    Ok(())
}
