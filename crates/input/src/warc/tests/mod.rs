//! Files are built here, byte by byte; each test names the damage it does.

mod arc;
mod damage;
mod declared;
mod expansion;
mod fixtures;
mod framing;
mod memory;
mod pieces;
mod responses;
mod revisits;
mod whole;

use decode::document::{Document, Rejection, Sink, SinkError};
use fixtures::Event;

/// Keeps all that is reported to it.
#[derive(Default)]
pub(crate) struct Events(pub(crate) Vec<Event>);

impl Sink for Events {
    fn document(&mut self, document: &Document<'_>) -> Result<(), SinkError> {
        self.0.push(Event::page(document));
        Ok(())
    }

    fn rejected(&mut self, rejection: Rejection) -> Result<(), SinkError> {
        self.0.push(Event::Rejected(rejection));
        Ok(())
    }

    fn skipped(&mut self, kind: &str) {
        self.0.push(Event::Skipped(kind.to_owned()));
    }
}
