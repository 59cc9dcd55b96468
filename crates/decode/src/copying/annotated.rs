//! What changes in the lines of a JSONL file: lines go, or members are added to their objects.

use super::records::Pending;
use crate::{
    document::{Place, SinkError},
    error::InputError,
    options::SourceFile,
};

/// Where the members come from that are added to JSON objects.
pub trait Annotations {
    /// The place of the next record, in file order. `members` gets what is added behind the opening
    /// brace of its object, with a comma behind it.
    fn next(&mut self, members: &mut String) -> Result<Option<Place>, SinkError>;
}

/// The lines that change, in file order.
pub trait LineChanges {
    /// The next one.
    fn place(&self) -> Option<Place>;
    /// What is added to it; `None` if it goes.
    fn members(&self) -> Option<&str>;
    /// The next one is met.
    fn advance(&mut self) -> Result<(), InputError>;
    /// No line was found where one was named.
    fn not_met(&self) -> InputError;
}

impl LineChanges for Pending<'_> {
    fn place(&self) -> Option<Place> {
        self.peek().map(|removal| removal.place)
    }
    fn members(&self) -> Option<&str> {
        None
    }
    fn advance(&mut self) -> Result<(), InputError> {
        Pending::advance(self)
    }
    fn not_met(&self) -> InputError {
        Pending::not_met(self)
    }
}

/// The annotations of a file, and the next of them.
pub struct Annotated<'a> {
    /// The file.
    pub file: &'a SourceFile,
    /// Where the annotations come from.
    pub source: &'a mut dyn Annotations,
    /// The place of the next one.
    pub next: Option<Place>,
    /// What is added there.
    pub members: String,
}

impl LineChanges for Annotated<'_> {
    fn place(&self) -> Option<Place> {
        self.next
    }
    fn members(&self) -> Option<&str> {
        Some(&self.members)
    }
    fn advance(&mut self) -> Result<(), InputError> {
        self.members.clear();
        let next = self.source.next(&mut self.members);
        self.next = next?;
        Ok(())
    }
    fn not_met(&self) -> InputError {
        let path = self.file.path.clone();
        InputError::Changed { path }
    }
}
