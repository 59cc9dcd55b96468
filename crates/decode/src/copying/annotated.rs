//! The changes to the lines of a JSONL file: lines go, members are added to their objects, or
//! their texts are cut.

use std::ops::Range;
use std::path::Path;

use super::cuts::{DocumentCut, DocumentCuts};
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

/// Hands on a line without some characters of its text; `false` if it has no such text.
pub trait CutLine {
    /// Cuts the line.
    fn cut(
        &self,
        line: &[u8],
        ranges: &[Range<u32>],
        keep: &mut dyn FnMut(&[u8]) -> Result<(), InputError>,
    ) -> Result<bool, InputError>;
}

/// The change of a line.
#[derive(Clone, Copy)]
pub enum LineAction<'c> {
    /// It goes.
    Remove,
    /// These members are added to its object.
    Annotate(&'c str),
    /// These characters of its text go.
    Cut(&'c dyn CutLine, &'c [Range<u32>]),
}

/// The lines that change, in file order.
pub struct LineChanges<'a> {
    path: &'a Path,
    source: LineSource<'a>,
    next: Option<Place>,
    /// What is added to the next one.
    members: String,
    /// What goes of the text of the next one; nothing if all of it goes.
    ranges: Vec<Range<u32>>,
}

enum LineSource<'a> {
    Annotations(&'a mut dyn Annotations),
    Cuts(&'a mut dyn DocumentCuts, &'a dyn CutLine),
}

impl<'a> LineChanges<'a> {
    /// Members are added to the objects of these lines.
    pub fn annotations(
        file: &'a SourceFile,
        annotations: &'a mut dyn Annotations,
    ) -> Result<Self, InputError> {
        LineChanges::of(file, LineSource::Annotations(annotations))
    }

    /// These lines go, or parts of their texts, which `cutter` finds.
    pub fn cuts(
        file: &'a SourceFile,
        cuts: &'a mut dyn DocumentCuts,
        cutter: &'a dyn CutLine,
    ) -> Result<Self, InputError> {
        LineChanges::of(file, LineSource::Cuts(cuts, cutter))
    }

    fn of(file: &'a SourceFile, source: LineSource<'a>) -> Result<Self, InputError> {
        let mut changes = LineChanges {
            path: &file.path,
            source,
            next: None,
            members: String::new(),
            ranges: Vec::new(),
        };
        changes.advance()?;
        Ok(changes)
    }

    /// The next one.
    pub fn place(&self) -> Option<Place> {
        self.next
    }

    /// The change of the next one.
    pub fn action(&self) -> LineAction<'_> {
        match &self.source {
            LineSource::Annotations(_) => LineAction::Annotate(&self.members),
            LineSource::Cuts(_, cutter) if !self.ranges.is_empty() => {
                LineAction::Cut(*cutter, &self.ranges)
            }
            LineSource::Cuts(..) => LineAction::Remove,
        }
    }

    /// The next one is met.
    pub fn advance(&mut self) -> Result<(), InputError> {
        self.members.clear();
        self.ranges.clear();
        self.next = match &mut self.source {
            LineSource::Annotations(source) => source.next(&mut self.members)?,
            LineSource::Cuts(source, _) => source.next()?.map(|(place, cut)| {
                if let DocumentCut::Parts(ranges) = cut {
                    self.ranges = ranges;
                }
                place
            }),
        };
        Ok(())
    }

    /// No line was found where one was named.
    pub fn not_met(&self) -> InputError {
        InputError::changed(self.path)
    }
}
