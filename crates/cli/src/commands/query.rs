//! `pipeline query`.

use super::configuration::load;
use super::like::like;
use super::loudness::{Loudness, note_outdated};
use crate::args::{AskArgs, ConfigArgs, QueryArgs, Question};
use crate::exit::Failure;
use crate::stdout::{Form, Results};
use pipeline::LikeWanted;
use pipeline::config::Config;
use pipeline::query::{self, Index};
use std::fmt::Display;
use std::io;

/// Answers a question from the newest publication.
pub(super) fn query(
    config: &ConfigArgs,
    args: &QueryArgs,
    loudness: Loudness,
    results: &mut Results,
) -> Result<(), Failure> {
    match &args.question {
        Question::Url(args) => {
            let limit = args.how.limit as usize;
            answer(config, &args.how.ask, loudness, results, |index, _| {
                query::by_url(index, &args.url, limit)
            })
        }
        Question::Doc(args) => {
            let limit = args.how.limit as usize;
            answer(
                config,
                &args.how.ask,
                loudness,
                results,
                |index, _| match args.document.parse() {
                    Ok(id) => query::by_id(index, id, limit),
                    Err(_) => query::by_url(index, &args.document, limit),
                },
            )
        }
        Question::Cluster(args) => {
            let limit = args.how.limit as usize;
            cluster(config, &args.how.ask, args.id, limit, loudness, results)
        }
        Question::Lost(args) => answer(config, &args.ask, loudness, results, |index, _| {
            query::lost(index, &args.url)
        }),
        Question::History(args) => answer(config, &args.ask, loudness, results, |index, _| {
            query::history(index, &args.url)
        }),
        Question::Group(ask) => answer(config, ask, loudness, results, |index, config| {
            query::group(index, config, &mut io::stdin().lock())
        }),
        Question::Common(args) => {
            let limit = args.limit as usize;
            answer(config, &args.ask, loudness, results, |index, config| {
                query::common(index, config, limit)
            })
        }
        Question::Like(args) => like(config, args, LikeWanted::Like, None, loudness, results),
        Question::Within(args) => like(
            config,
            &args.like,
            LikeWanted::Within,
            args.count,
            loudness,
            results,
        ),
        Question::Contains(args) => {
            like(config, args, LikeWanted::Contains, None, loudness, results)
        }
    }
}

/// A cluster; of one that is gone what became of it, which is no success.
fn cluster(
    config: &ConfigArgs,
    ask: &AskArgs,
    id: i64,
    limit: usize,
    loudness: Loudness,
    results: &mut Results,
) -> Result<(), Failure> {
    let (index, _) = opened(config, loudness)?;
    if let Some(gone) = query::gone(&index, id, limit)? {
        results.print(&gone, Form::of(ask.json))?;
        return Err(Failure::Reported(1));
    }
    results.print(&query::by_cluster(&index, id, limit)?, Form::of(ask.json))
}

/// Opens the index, asks it, and prints the answer.
fn answer<T: Display + serde::Serialize>(
    config: &ConfigArgs,
    ask: &AskArgs,
    loudness: Loudness,
    results: &mut Results,
    question: impl FnOnce(&Index, &Config) -> Result<T, pipeline::Error>,
) -> Result<(), Failure> {
    let (index, config) = opened(config, loudness)?;
    results.print(&question(&index, &config)?, Form::of(ask.json))
}

fn opened(config: &ConfigArgs, loudness: Loudness) -> Result<(Index, Config), Failure> {
    let config = load(config)?;
    let index = query::open(&config)?;
    note_outdated(query::outdated(&index, &config), loudness);
    Ok((index, config))
}
