//! `pipeline query`.

use super::call::Call;
use crate::args::{LikeArgs, Question, ResultArgs};
use crate::exit::Failure;
use pipeline::config::Config;
use pipeline::query::{self, Index};
use pipeline::{LikeRequest, LikeSearch, LikeWanted};
use std::fmt::Display;
use std::io::{self, Write};

/// Answers a question from the newest publication.
pub(super) fn query(call: &mut Call<'_>, question: Question) -> Result<(), Failure> {
    match question {
        Question::Url(args) => call.answer(&args.how.form, |index, _| {
            query::by_url(index, &args.url, args.how.limit)
        }),
        Question::Doc(args) => {
            call.answer(&args.how.form, |index, _| match args.document.parse() {
                Ok(id) => query::by_id(index, id, args.how.limit),
                Err(_) => query::by_url(index, &args.document, args.how.limit),
            })
        }
        Question::Cluster(args) => {
            let (index, _) = call.opened()?;
            let (limit, json) = (args.how.limit, args.how.form.json);
            // Of a cluster that is gone what became of it, which is no success.
            if let Some(gone) = query::gone(&index, args.id, limit)? {
                call.print(&gone, json)?;
                return Err(Failure::Reported(1));
            }
            call.print(&query::by_cluster(&index, args.id, limit)?, json)
        }
        Question::Lost(args) => call.answer(&args.form, |index, _| query::lost(index, &args.url)),
        Question::History(args) => {
            call.answer(&args.form, |index, _| query::history(index, &args.url))
        }
        Question::Group(form) => call.answer(&form, |index, config| {
            query::group(index, config, &mut io::stdin().lock())
        }),
        Question::Common(args) => call.answer(&args.form, |index, config| {
            query::common(index, config, args.limit)
        }),
        Question::Passages(args) => match &args.document {
            Some(name) => call.answer(&args.how.form, |index, config| {
                query::passages(index, config, name, args.how.limit)
            }),
            None => call.answer(&args.how.form, |index, config| {
                query::leading_passages(index, config, args.how.limit)
            }),
        },
        Question::Like(args) => call.like(args, LikeWanted::Like, None),
        Question::Within(args) => call.like(args.like, LikeWanted::Within, args.count),
        Question::Contains(args) => call.like(args, LikeWanted::Contains, None),
    }
}

impl Call<'_> {
    /// Opens the index, asks it, and prints the answer.
    fn answer<T: Display + serde::Serialize>(
        &mut self,
        form: &ResultArgs,
        question: impl FnOnce(&Index, &Config) -> Result<T, pipeline::Error>,
    ) -> Result<(), Failure> {
        let (index, config) = self.opened()?;
        self.print(&question(&index, &config)?, form.json)
    }

    fn opened(&self) -> Result<(Index, Config), Failure> {
        let config = self.load()?;
        let index = query::open(&config)?;
        self.note_outdated(query::outdated(&index, &config));
        Ok((index, config))
    }

    /// Prints the documents like one, or like each of a stream.
    fn like(
        &mut self,
        args: LikeArgs,
        wanted: LikeWanted,
        count: Option<f64>,
    ) -> Result<(), Failure> {
        let config = self.load()?;
        let request = LikeRequest {
            name: args.name,
            wanted,
            limit: args.how.limit,
            least: args.min,
            count,
        };
        let as_json = args.how.form.json;
        pipeline::answer_signals()?;
        let search = LikeSearch::open(&config, &request)?;
        self.note_outdated(search.outdated());
        if !args.batch {
            return self.print(&search.one()?, as_json);
        }
        search.batch(&mut |answer| {
            let written = match as_json {
                false => write!(self.results, "{answer}"),
                // a line an answer, as the stream came
                true => serde_json::to_string(answer)
                    .map_err(io::Error::from)
                    .and_then(|json| writeln!(self.results, "{}", pipeline::json_escaped(&json))),
            };
            written.map_err(pipeline::Error::io("print an answer"))
        })?;
        Ok(())
    }
}
