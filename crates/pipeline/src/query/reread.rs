//! A document again, from the input, by the place where it was found.

use super::damaged;
use crate::Error;
use crate::config::Config;
use input::{Document, InputError, LargeRecords, ReadOptions};
use query::Index;

/// Hands the document to `f`, once.
///
/// # Errors
/// When its file is gone, cannot be read, or is not the one that was read by the run.
pub(crate) fn read_again(
    (index, config): (&Index, &Config),
    doc: u32,
    f: &mut dyn FnMut(&Document<'_>),
) -> Result<(), Error> {
    let row = index.document(doc).map_err(damaged)?;
    let source = index.source(row.file).map_err(damaged)?;
    let changed = || {
        let (id, name) = (index.public_id(doc), &source.name);
        Error::NotFound(format!("failed to read document {id} again: {name} changed since the run; run again"))
    };
    let options = ReadOptions {
        fields: config.input.fields.clone(),
        max_document_bytes: config.input.max_document_bytes,
        large: LargeRecords::default(),
    };
    let file = source.file(&config.base).ok_or_else(changed)?;
    match input::read_document_at(&file, &row.place, &options, f) {
        Ok(true) => Ok(()),
        Ok(false) | Err(InputError::Changed { .. }) => Err(changed()),
        Err(error) => Err(Error::Input(error)),
    }
}
