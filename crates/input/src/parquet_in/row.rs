//! One row → a document.
//!
//! *Input.* The cells of the columns read. *Output.* A document or a rejection. *Memory.* None of
//! its own: texts stay in their pages. *Limits.* A number as `id` is written in decimal; times of a
//! `carry-fields` column stay numbers.

use std::borrow::Cow;

use model::{Content, Markup};
use parquet::data_type::Int96;

use super::cells::StoredCell;
use super::columns::{ColumnUse, OtherColumn, ReadColumn, ReadColumns};
use super::other_texts::OtherTexts;
use decode::date::{self, IMPOSSIBLE_DATE};
use decode::features::FEATURES_EXPECTED;
use decode::{
    document::{
        CarriedField, Date, Document, FieldValue, ID_NOT_TEXT, Place, Refusal, Rejection, Sink,
        URL_NOT_TEXT,
    },
    error::InputError,
    options::ReadOptions,
};

/// Julian day of 1970-01-01.
const EPOCH_DAY: i128 = 2_440_588;

/// Bytes that a row counts for besides its values, so that rows of nothing are not free either.
const ROW_BYTES: u64 = 16;

const DAY_MICROS: i64 = 86_400_000_000;

/// Hands on rows.
#[derive(Clone, Copy)]
pub(super) struct Emit<'a> {
    pub(super) columns: &'a ReadColumns,
    pub(super) options: &'a ReadOptions,
}

/// Gives the cell of a column.
trait CellOf<'c>: Fn(Option<ReadColumn>) -> Option<(&'c StoredCell, ColumnUse)> {}

impl<'c, F: Fn(Option<ReadColumn>) -> Option<(&'c StoredCell, ColumnUse)>> CellOf<'c> for F {}

/// The text of a row.
struct RowText<'c> {
    text: &'c str,
    markup: Markup,
    /// The flag of a text in another column than the configured one.
    flag: Option<&'static str>,
}

impl RowText<'_> {
    /// Whether the text of another column is preferred.
    fn is_blank(&self) -> bool {
        self.markup != Markup::Features && self.text.trim_start().is_empty()
    }
}

impl Emit<'_> {
    /// Hands on one row, as a document or a rejection; gives what that counts for in the expansion
    /// of the file besides its values.
    pub(super) fn row(
        &self,
        cells: &[StoredCell],
        others: &mut OtherTexts<'_>,
        place: Place,
        row: u64,
        sink: &mut dyn Sink,
    ) -> Result<u64, InputError> {
        let cell = |column: Option<ReadColumn>| {
            column.and_then(|column| Some((cells.get(column.slot)?, column.kind)))
        };
        let names = &self.options.fields;
        // A document can be without a URL and an id.
        let url = utf8(cell(self.columns.url), &names.url);
        let mut unread: Vec<&str> = url.is_err().then_some(URL_NOT_TEXT).into_iter().collect();
        let url = url.unwrap_or_default();
        let id = id_of(cell(self.columns.id), &names.id);
        unread.extend(id.is_err().then_some(ID_NOT_TEXT));
        let id = id.unwrap_or_default();
        let mut other = None;
        let document = (|| {
            let body = match self.text(&cell)? {
                None if names.fields_only => RowText {
                    text: "",
                    markup: Markup::None,
                    flag: None,
                },
                Some(body) if !body.is_blank() => body,
                blank => {
                    other = self.other_text(others, place.inner_offset)?;
                    self.first_with_text(blank, other.as_ref(), &cell)?
                }
            };
            let mut flags: Vec<&str> = body.flag.into_iter().collect();
            flags.extend(&self.columns.flags);
            flags.extend(unread);
            let date = date_of(cell(self.columns.date));
            flags.extend(date.is_err().then_some(IMPOSSIBLE_DATE));
            let carried = names.carry.iter().zip(&self.columns.carry);
            let fields =
                carried.map(|(name, column)| Ok((name.clone(), value_of(cell(*column), name)?)));
            Ok((
                body,
                date.unwrap_or_default(),
                flags,
                fields.collect::<Result<Vec<CarriedField>, Refusal>>()?,
            ))
        })();
        let (body, date, flags, fields) = match document {
            Ok(parts) => parts,
            Err((reason, detail)) => {
                let detail = place.within_entry(detail);
                let rejection = Rejection {
                    url: url.map(str::to_owned),
                    ..Rejection::new(place.entry_offset, reason, detail)
                };
                let bytes = rejection.stored_bytes();
                sink.rejected(rejection)?;
                return Ok(bytes);
            }
        };
        let RowText { text, markup, .. } = body;
        let document = Document {
            id: id.as_deref(),
            url,
            date,
            place,
            row: Some(row),
            payload: None,
            content: Content::new(markup, text),
            body: text.as_bytes(),
            media_type: markup.media_type(),
            charset: "UTF-8",
            fields: &fields,
            flags: &flags,
        };
        let _guard = others.room.enter_with(text.len());
        sink.document(&document)?;
        Ok(ROW_BYTES)
    }

    /// The features, or else the text.
    fn text<'c>(&self, cell: &impl CellOf<'c>) -> Result<Option<RowText<'c>>, Refusal> {
        let names = &self.options.fields;
        if let Some((StoredCell::Features(features), _)) = cell(self.columns.features) {
            let name = names.features.as_deref().unwrap_or_default();
            let text = features
                .as_deref()
                .ok_or_else(|| ("bad-field", format!("{name} must be {FEATURES_EXPECTED}")))?;
            self.check_size(text.len())?;
            return Ok(Some(RowText {
                text,
                markup: Markup::Features,
                flag: None,
            }));
        }
        let text = self.text_in(cell(self.columns.text), &self.columns.text_name)?;
        Ok(text.map(|text| RowText {
            text,
            markup: Markup::None,
            flag: self.columns.text_flag,
        }))
    }

    /// The value of the first of the other columns that has text in this row of the group; or of
    /// the first that has blanks.
    fn other_text(
        &self,
        others: &mut OtherTexts<'_>,
        row: u64,
    ) -> Result<Option<(StoredCell, OtherColumn)>, Refusal> {
        let mut blank = None;
        for (index, column) in self.columns.others.iter().enumerate() {
            let cell = others.value(index, row)?;
            match self.text_in(Some((&cell, ColumnUse::Bytes)), column.name)? {
                Some(text) if text.trim_start().is_empty() => {
                    blank.get_or_insert((cell, *column));
                }
                Some(_) => return Ok(Some((cell, *column))),
                None => {}
            }
        }
        Ok(blank)
    }

    /// The first that has text of another column and the HTML; or the first that has blanks.
    fn first_with_text<'c>(
        &self,
        blank: Option<RowText<'c>>,
        other: Option<&'c (StoredCell, OtherColumn)>,
        cell: &impl CellOf<'c>,
    ) -> Result<RowText<'c>, Refusal> {
        let names = &self.options.fields;
        let other = match other {
            None => None,
            Some((cell, column)) => {
                let text = utf8(Some((cell, ColumnUse::Bytes)), column.name)?;
                text.map(|text| RowText {
                    text,
                    markup: Markup::None,
                    flag: Some(column.flag),
                })
            }
        };
        let other = match other {
            Some(other) if !other.is_blank() => return Ok(other),
            other => other,
        };
        let html = self.text_in(cell(self.columns.html), &names.html)?;
        let html = html.map(|text| RowText {
            text,
            markup: Markup::Html,
            flag: None,
        });
        let blank = blank.or(other);
        html.filter(|html| blank.is_none() || !html.is_blank())
            .or(blank)
            .ok_or_else(|| self.no_text())
    }

    fn no_text(&self) -> Refusal {
        let others = self.columns.others.iter().map(|other| other.name);
        let names: Vec<&str> = std::iter::once(&*self.columns.text_name)
            .chain(others)
            .collect();
        let html = &self.options.fields.html;
        let detail = match &names[..] {
            [text] => format!("the row has neither {text} nor {html}"),
            names => format!("the row has none of {} and {html}", names.join(", ")),
        };
        ("no-text", detail)
    }

    /// The text of a cell that is not null, unless it is too large.
    fn text_in<'c>(
        &self,
        cell: Option<(&'c StoredCell, ColumnUse)>,
        name: &str,
    ) -> Result<Option<&'c str>, Refusal> {
        if let Some((StoredCell::Bytes(bytes), _)) = cell {
            self.check_size(bytes.len())?;
        }
        utf8(cell, name)
    }

    fn check_size(&self, bytes: usize) -> Result<(), Refusal> {
        let max = self.options.max_document_bytes;
        if bytes as u64 <= max {
            return Ok(());
        }
        Err((
            "too-large",
            format!("{bytes} bytes of text, max-document is {max}"),
        ))
    }
}

fn utf8<'c>(
    cell: Option<(&'c StoredCell, ColumnUse)>,
    name: &str,
) -> Result<Option<&'c str>, Refusal> {
    let Some((StoredCell::Bytes(bytes), _)) = cell else {
        return Ok(None);
    };
    std::str::from_utf8(bytes.data())
        .map(Some)
        .map_err(|error| {
            let detail = format!("invalid UTF-8 in {name} at byte {}", error.valid_up_to());
            ("bad-utf8", detail)
        })
}

fn id_of<'c>(
    cell: Option<(&'c StoredCell, ColumnUse)>,
    name: &str,
) -> Result<Option<Cow<'c, str>>, Refusal> {
    Ok(match value_of(cell, name)? {
        FieldValue::Null => None,
        FieldValue::Text(_) => utf8(cell, name)?.map(Cow::Borrowed),
        FieldValue::Bool(value) => Some(Cow::Owned(value.to_string())),
        FieldValue::Integer(value) => Some(Cow::Owned(value.to_string())),
        FieldValue::Float(value) => Some(Cow::Owned(match cell {
            // The largest unsigned numbers are floats only as carried fields.
            Some((StoredCell::Integer(bits), ColumnUse::Unsigned64)) => {
                bits.cast_unsigned().to_string()
            }
            _ => value.to_string(),
        })),
    })
}

fn value_of(cell: Option<(&StoredCell, ColumnUse)>, name: &str) -> Result<FieldValue, Refusal> {
    Ok(match cell {
        Some((StoredCell::Features(Some(texts)), ColumnUse::Texts)) => {
            FieldValue::Text(texts.clone())
        }
        None | Some((StoredCell::Null | StoredCell::Features(_), _)) => FieldValue::Null,
        Some((StoredCell::Bytes(_), _)) => {
            utf8(cell, name)?.map_or(FieldValue::Null, |text| FieldValue::Text(text.to_owned()))
        }
        Some((StoredCell::Bool(value), _)) => FieldValue::Bool(*value),
        Some((StoredCell::Float(value), _)) => FieldValue::Float(*value),
        Some((StoredCell::Julian(value), _)) => {
            julian(*value).map_or(FieldValue::Null, FieldValue::Integer)
        }
        Some((StoredCell::Integer(value), ColumnUse::Unsigned32)) => {
            FieldValue::Integer(value & i64::from(u32::MAX))
        }
        Some((StoredCell::Integer(value), ColumnUse::Unsigned64)) if *value < 0 => {
            FieldValue::Float(value.cast_unsigned() as f64)
        }
        Some((StoredCell::Integer(value), _)) => FieldValue::Integer(*value),
    })
}

/// A date; an error for text that is none, and for years that no calendar shows.
fn date_of(cell: Option<(&StoredCell, ColumnUse)>) -> Result<Option<Date>, ()> {
    let Some((cell, kind)) = cell else {
        return Ok(None);
    };
    let date = match (cell, kind) {
        (StoredCell::Null, _) => return Ok(None),
        (StoredCell::Bytes(bytes), _) => {
            std::str::from_utf8(bytes.data()).ok().and_then(date::parse)
        }
        (StoredCell::Float(number), _) => date::from_float(*number),
        (StoredCell::Julian(value), _) => julian(*value),
        (StoredCell::Integer(days), ColumnUse::Days) => days.checked_mul(DAY_MICROS),
        (StoredCell::Integer(ticks), ColumnUse::Ticks(1_000)) => ticks.checked_mul(1_000),
        (StoredCell::Integer(ticks), ColumnUse::Ticks(1_000_000)) => Some(*ticks),
        (StoredCell::Integer(ticks), ColumnUse::Ticks(_)) => Some(ticks.div_euclid(1_000)),
        (StoredCell::Integer(seconds), ColumnUse::Unsigned32) => {
            date::from_number(seconds & i64::from(u32::MAX))
        }
        (StoredCell::Integer(number), ColumnUse::Unsigned64) if *number < 0 => None,
        (StoredCell::Integer(number), _) => date::from_number(*number),
        (StoredCell::Bool(_) | StoredCell::Features(_), _) => None,
    };
    date.and_then(date::within_years).map(Some).ok_or(())
}

fn julian(value: Int96) -> Option<Date> {
    let &[low, high, day] = value.data().first_chunk()?;
    let nanos = i128::from(low) | i128::from(high) << 32;
    let micros = (i128::from(day) - EPOCH_DAY) * i128::from(DAY_MICROS) + nanos / 1_000;
    Date::try_from(micros).ok()
}
