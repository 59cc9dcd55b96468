//! The records to which a copy adds something.

use decode::{
    document::{Place, SinkError},
    error::InputError,
    options::SourceFile,
};

/// Where the members come from that are added to JSON objects.
pub trait Annotations {
    /// The place of the next record, in file order. `members` gets what is added behind the opening
    /// brace of its object, with a comma behind it.
    ///
    /// # Errors
    /// Whatever stops the source.
    fn next(&mut self, members: &mut String) -> Result<Option<Place>, SinkError>;
}

/// The annotations of a file, and the next of them.
pub(crate) struct Annotated<'a> {
    path: &'a std::path::Path,
    source: &'a mut dyn Annotations,
    next: Option<Place>,
    members: String,
}

impl<'a> Annotated<'a> {
    /// The annotations of a file, the first of them read.
    pub(super) fn new(
        file: &'a SourceFile,
        source: &'a mut dyn Annotations,
    ) -> Result<Self, InputError> {
        let mut annotated = Annotated {
            path: &file.path,
            source,
            next: None,
            members: String::new(),
        };
        annotated.advance()?;
        Ok(annotated)
    }

    /// The place of the next record.
    pub(crate) fn place(&self) -> Option<Place> {
        self.next
    }

    /// What is added to it.
    pub(crate) fn members(&self) -> &str {
        &self.members
    }

    /// The next one is met.
    pub(crate) fn advance(&mut self) -> Result<(), InputError> {
        self.members.clear();
        self.next = self
            .source
            .next(&mut self.members)
            .map_err(InputError::Sink)?;
        Ok(())
    }

    /// No record was found where one was named.
    pub(crate) fn not_met(&self) -> InputError {
        InputError::Changed {
            path: self.path.to_owned(),
        }
    }
}
