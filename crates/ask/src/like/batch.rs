//! A stream of documents, answered in their order.

use super::{LikeAnswer, LikeQuery, LikeSearch};
use crate::asked_document::{self, is_file, read_file};
use crate::index::StoredSketch;
use engine::Error;
use input::{Document, FormatChoice, InputError, Rejection, Sink, SinkError};

impl LikeSearch<'_> {
    /// Answers for every document of a stream, in its order; `give` gets each. An empty stream has
    /// no answer.
    pub fn batch(
        &self,
        give: &mut dyn FnMut(&LikeAnswer) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let name = &self.request.name;
        if !is_file(name) {
            let shown = asked_document::display_name(name);
            return Err(Error::NotFound(format!(
                "failed to find {shown}: --batch takes a file, or - for standard input; leave --batch out to ask about a doc_id or URL"
            )));
        }
        let mut batch = StreamBatch {
            search: self,
            waiting: Vec::new(),
            waiting_bytes: 0,
            number: 0,
            give,
        };
        match read_file(self.corpus.config, name, FormatChoice::Auto, &mut batch) {
            Err(Error::Input(InputError::Sink(stop))) => {
                return Err(match stop.downcast::<StreamStop>() {
                    Ok(stop) => stop.0,
                    Err(other) => Error::Input(InputError::Sink(other)),
                });
            }
            other => other?,
        }
        batch.flush()
    }
}

/// The error that stops a stream, through the reader.
#[derive(Debug, thiserror::Error)]
#[error("stopped")]
struct StreamStop(Error);

/// Documents of a stream that wait for their answers.
struct StreamBatch<'a, 'g> {
    search: &'a LikeSearch<'a>,
    waiting: Vec<LikeQuery>,
    waiting_bytes: usize,
    number: u64,
    give: &'g mut dyn FnMut(&LikeAnswer) -> Result<(), Error>,
}

impl StreamBatch<'_, '_> {
    fn take(
        &mut self,
        name: Option<String>,
        probe: StoredSketch,
        rejected: Option<String>,
    ) -> Result<(), SinkError> {
        // a fingerprint once in the sketch and once in the order of the postings
        self.waiting_bytes +=
            200 + 24 * probe.fingerprints.len() + name.as_ref().map_or(0, String::len);
        self.waiting.push(LikeQuery {
            name,
            number: self.number,
            probe,
            doc: None,
            rejected,
        });
        self.number += 1;
        let full = self.waiting_bytes > self.search.search.memory_bytes / 2;
        let gone_on = self
            .search
            .check_stop()
            .and_then(|()| if full { self.flush() } else { Ok(()) });
        gone_on.map_err(|error| Box::new(StreamStop(error)).into())
    }

    fn flush(&mut self) -> Result<(), Error> {
        self.waiting_bytes = 0;
        for answer in self.search.answers(std::mem::take(&mut self.waiting))? {
            self.search.check_stop()?;
            (self.give)(&answer)?;
        }
        Ok(())
    }
}

impl Sink for StreamBatch<'_, '_> {
    fn document(&mut self, document: &Document<'_>) -> Result<(), SinkError> {
        let name = document.id.or(document.url).map(str::to_owned);
        let probe = self.search.probe(document.content);
        self.take(name, probe, None)
    }
    fn rejected(&mut self, rejection: Rejection) -> Result<(), SinkError> {
        let why = format!("{} {}", rejection.reason, rejection.detail)
            .trim_end()
            .to_owned();
        self.take(rejection.url, StoredSketch::default(), Some(why))
    }
}
