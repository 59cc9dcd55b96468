//! A document of the publication again, from the input, by the place where it was found.
//!
//! *Input.* Its row in the index, and the file it came from as that lies there now. *Output.* The
//! document, and what has become of it since. *Algorithm.* Size and time of the file say whether it
//! is still that of the run; the fingerprint of the body says whether the document is. The body of
//! a WARC `revisit` is that of any document equal to it that is none itself. *Memory.* The
//! document. *Limits.* A document that has moved within its file is not found.

use super::file::options;
use crate::query::damaged;
use config::Config;
use input::{Document, FormatChoice, PlaceContent, SourceFile};
use model::Class;
use phases::identity::identity;
use query::Index;
use runtime::Error;

/// What has become of a document since the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Since {
    /// It is what it was.
    Same,
    /// Its file has another size or time; the document is what it was.
    FileChanged,
    /// It is another one.
    Changed,
}

/// Hands a document to `f`, once; `name` is what messages call it.
///
/// # Errors
/// When its file is gone or cannot be read, or no document begins at its place.
pub fn read_again(
    (index, config): (&Index, &Config),
    doc: u32,
    name: &str,
    f: &mut dyn FnMut(&Document<'_>, Since),
) -> Result<(), Error> {
    if at_its_place((index, config), (doc, doc), name, f)? != PlaceContent::Revisit {
        return Ok(());
    }
    let identical = index.class(doc).map_err(damaged)?.lowest[0];
    let representative = index.class(doc).map_err(damaged)?.representative();
    let class = index.class_documents(representative).map_err(damaged)?;
    let others = class.iter().map(|record| record.map(|record| record.doc));
    for other in std::iter::once(Ok(representative)).chain(others) {
        let other = other.map_err(damaged)?;
        let is_equal = other != doc && identical != Class::NONE;
        if is_equal
            && index.class(other).map_err(damaged)?.lowest[0] == identical
            && at_its_place((index, config), (other, doc), name, f)? == PlaceContent::Document
        {
            return Ok(());
        }
    }
    let why =
        "it was found unchanged, and the record with its body is of a snapshot that was dropped";
    Err(Error::NotFound(format!(
        "failed to read {name} again: {why}"
    )))
}

/// Hands on what is at the place of a document, if that is a document; `of` is the one that it is
/// to be equal to.
fn at_its_place(
    (index, config): (&Index, &Config),
    (doc, of): (u32, u32),
    name: &str,
    f: &mut dyn FnMut(&Document<'_>, Since),
) -> Result<PlaceContent, Error> {
    let row = index.document(doc).map_err(damaged)?;
    let source = index.source(row.file).map_err(damaged)?;
    let failed = |why: &str| Error::NotFound(format!("failed to read {name} again: {why}"));
    let known = source
        .file(&config.base)
        .ok_or_else(|| failed(&format!("{} is of an unknown format", source.name)))?;
    let found = input::discover_file(&known.path, FormatChoice::Only(known.format));
    let now = found.map_err(|error| failed(&error.to_string()))?;
    let shown = known.path.display();
    let now = now.map_err(|why| {
        failed(&format!(
            "{shown} changed since the run: {} {}",
            why.reason, why.detail
        ))
    })?;
    let file_since = if (now.bytes, now.modified_ns) == (known.bytes, known.modified_ns) {
        Since::Same
    } else {
        Since::FileChanged
    };
    let wanted = index.mark(of).map_err(damaged)?.identity;
    let seed = config.sketch.keys.content_seed();
    let file = SourceFile {
        name: known.name.clone(),
        ..now
    };
    let read = input::read_document_at(&file, &row.place, &options(config), &mut |document| {
        let same = identity(document, seed) == wanted;
        f(document, if same { file_since } else { Since::Changed });
    });
    match read.map_err(Error::Input)? {
        PlaceContent::Nothing => Err(failed(&format!(
            "{shown} changed since the run, and no document begins at its place; run again"
        ))),
        found => Ok(found),
    }
}
