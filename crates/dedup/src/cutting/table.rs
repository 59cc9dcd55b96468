//! `cuts.parquet`: every part that was cut, and every document that went.

use super::documents::{CutDocuments, Fate};
use engine::runtime::parameters;
use engine::{Engine, Error};
use format::{AtomicFile, Sealed};
use output::{CUTS, CutRow};
use publication::publish::{begin_table, end_table};

/// Fills the table, in the order of documents and words.
pub(super) fn write(
    engine: &Engine<'_>,
    mut documents: CutDocuments<'_>,
    file: AtomicFile,
) -> Result<Sealed, Error> {
    let parameters = parameters::semantic(engine.config);
    let mut table = begin_table(&parameters, CUTS.schema(), file)?;
    let ids = engine.public_ids();
    while let Some(document) = documents.next()? {
        let row = &document.row;
        let whole = CutRow {
            doc_id: ids.get(document.doc),
            id: row.id,
            url: row.url,
            source: &engine.inputs.listing.files[row.file as usize].name,
            begin_word: 0,
            end_word: i64::try_from(row.words).unwrap_or(i64::MAX),
            begin_character: None,
            end_character: None,
            is_whole: true,
            reason: "passage",
        };
        match document.fate {
            Fate::Cut => {
                for part in &document.parts {
                    table.write(&CutRow {
                        begin_word: i64::from(part.begin),
                        end_word: i64::from(part.end),
                        begin_character: Some(i64::from(part.characters.begin)),
                        end_character: Some(i64::from(part.characters.end)),
                        is_whole: false,
                        ..whole
                    })?;
                }
            }
            Fate::Equal => table.write(&CutRow {
                reason: "equal",
                ..whole
            })?,
            Fate::Rest => table.write(&CutRow {
                reason: "rest",
                ..whole
            })?,
            Fate::Uncut | Fate::Aside => {}
        }
    }
    end_table(table)
}
