//! The changes to the lines of a JSONL file: lines go, or members are added to their objects.

use std::path::Path;

use super::records::Removals;
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
pub struct LineChanges<'a> {
    path: &'a Path,
    source: LineSource<'a>,
    next: Option<Place>,
    /// What is added to the next one.
    members: String,
}

enum LineSource<'a> {
    Removals(&'a mut dyn Removals),
    Annotations(&'a mut dyn Annotations),
}

impl<'a> LineChanges<'a> {
    /// These lines go.
    pub fn removals(
        file: &'a SourceFile,
        removals: &'a mut dyn Removals,
    ) -> Result<Self, InputError> {
        LineChanges::of(file, LineSource::Removals(removals))
    }

    /// Members are added to the objects of these lines.
    pub fn annotations(
        file: &'a SourceFile,
        annotations: &'a mut dyn Annotations,
    ) -> Result<Self, InputError> {
        LineChanges::of(file, LineSource::Annotations(annotations))
    }

    fn of(file: &'a SourceFile, source: LineSource<'a>) -> Result<Self, InputError> {
        let mut changes = LineChanges {
            path: &file.path,
            source,
            next: None,
            members: String::new(),
        };
        changes.advance()?;
        Ok(changes)
    }

    /// The next one.
    pub fn place(&self) -> Option<Place> {
        self.next
    }

    /// The members that are added to it; `None` if it goes.
    pub fn members(&self) -> Option<&str> {
        matches!(self.source, LineSource::Annotations(_)).then_some(&*self.members)
    }

    /// The next one is met.
    pub fn advance(&mut self) -> Result<(), InputError> {
        self.members.clear();
        self.next = match &mut self.source {
            LineSource::Removals(source) => source.next()?.map(|removal| removal.place),
            LineSource::Annotations(source) => source.next(&mut self.members)?,
        };
        Ok(())
    }

    /// No line was found where one was named.
    pub fn not_met(&self) -> InputError {
        InputError::changed(self.path)
    }
}
