//! The column of a table that `keep` ranks its rows by, handed over with the texts.
//!
//! *Input.* The entries of the configuration, and batches. *Output.* A member of the JSON object of
//! a row, in the form in which the engine reads dates, URLs and carried fields.

use crate::arrow::{Texts, column};
use crate::errors::{kind, value, wrong};
use arrow_array::cast::AsArray;
use arrow_array::types::{
    Date32Type, Date64Type, Decimal128Type, Float16Type, Float32Type, Float64Type, Int8Type,
    Int16Type, Int32Type, Int64Type, TimestampMicrosecondType, TimestampMillisecondType,
    TimestampNanosecondType, TimestampSecondType, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrowPrimitiveType, RecordBatch};
use arrow_schema::{DataType, Schema, TimeUnit};
use pyo3::prelude::*;
use std::fmt::Display;

/// The carried field of `keep = "field:NAME"`. No column of a published table has this name, and no
/// text is looked for in it.
const CARRIED: &str = "kept-by";

/// The entry of the configuration that carries it.
pub(crate) const CARRIED_ENTRY: &str = "input.carry-fields=[\"kept-by\"]";

/// Of a text, only the first 31 bytes count.
const TEXT_BYTES: usize = 64;

const DAY_MICROS: i64 = 86_400_000_000;

/// The key of the ranks.
#[derive(Clone, Copy, PartialEq)]
enum By {
    Date,
    Url,
    Field,
}

/// The column of a table that `keep` needs.
pub(crate) struct Ranking {
    by: By,
    keep: String,
    column: String,
}

/// The JSON of the value of a row; `None` if it has none.
type JsonOf<'a> = Box<dyn Fn(usize) -> Option<String> + Send + Sync + 'a>;

impl Ranking {
    /// The column that `keep` needs, if it needs one. An entry that names a column names
    /// [`CARRIED`] then.
    pub(crate) fn of(entries: &mut Vec<String>) -> Option<Ranking> {
        let keep = text(entries, "cluster.keep")?;
        let named = |key, default: &str| text(entries, key).unwrap_or_else(|| default.to_owned());
        let (by, column) = if keep == "oldest" || keep == "newest" {
            (By::Date, named("input.date-field", "date"))
        } else if keep.starts_with("hosts:") {
            (By::Url, named("input.url-field", "url"))
        } else {
            let field = keep.strip_prefix("field:")?;
            let name = field.strip_suffix(":desc").unwrap_or(field);
            let order = &field[name.len()..];
            entries.retain(|entry| !entry.starts_with("cluster.keep="));
            entries.push(format!("cluster.keep=\"field:{CARRIED}{order}\""));
            entries.push(CARRIED_ENTRY.to_owned());
            (By::Field, name.to_owned())
        };
        Some(Ranking { by, keep, column })
    }

    /// Refuses a table without the column.
    pub(crate) fn check(&self, py: Python<'_>, schema: &Schema) -> PyResult<()> {
        let Ranking { by, keep, column } = self;
        if schema.column_with_name(column).is_some() {
            return Ok(());
        }
        let names = schema.fields().iter().map(|field| field.name().as_str());
        let names = names.collect::<Vec<_>>().join(", ");
        let how = match by {
            By::Date => "; name the column of dates by date-field in [input]",
            By::Url => "; name the column of URLs by url-field in [input]",
            By::Field => "",
        };
        Err(wrong(
            py,
            format!(
                "keep in [cluster] is {keep:?} and needs column {column:?}; the columns of the \
                 table are {names}{how}"
            ),
        ))
    }

    /// The name of the member.
    pub(crate) fn member(&self) -> &'static str {
        match self.by {
            By::Date => "date",
            By::Url => "url",
            By::Field => CARRIED,
        }
    }

    /// The values of a batch.
    pub(crate) fn values<'a>(&self, batch: &'a RecordBatch) -> PyResult<JsonOf<'a>> {
        let name = &self.column;
        let column = column(batch, name)?.as_ref();
        let is_date = self.by == By::Date;
        Ok(match column.data_type() {
            DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View | DataType::Null => {
                let texts = Texts::of(batch, name)?;
                let most = if self.by == By::Field {
                    TEXT_BYTES
                } else {
                    usize::MAX
                };
                Box::new(move |row| {
                    let text = texts.at(row)?;
                    serde_json::to_string(&text[..text.floor_char_boundary(most)]).ok()
                })
            }
            _ if self.by == By::Url => {
                Texts::of(batch, name)?;
                Box::new(|_| None)
            }
            DataType::Boolean if !is_date => {
                let column = column.as_boolean();
                Box::new(|row| column.is_valid(row).then(|| column.value(row).to_string()))
            }
            other => {
                let values = number_values(column).or_else(|| time_values(column, is_date));
                values.ok_or_else(|| {
                    let expected = if is_date {
                        "dates, numbers or texts"
                    } else {
                        "numbers, booleans, texts or dates"
                    };
                    let got = format!("column {name:?} holds {other}, expected {expected}");
                    kind(format!("{got}, for keep = {:?}; cast it", self.keep))
                })?
            }
        })
    }
}

/// The values of a column of numbers.
fn number_values(column: &dyn Array) -> Option<JsonOf<'_>> {
    Some(match column.data_type() {
        DataType::Int8 => numbers::<Int8Type>(column),
        DataType::Int16 => numbers::<Int16Type>(column),
        DataType::Int32 => numbers::<Int32Type>(column),
        DataType::Int64 => numbers::<Int64Type>(column),
        DataType::UInt8 => numbers::<UInt8Type>(column),
        DataType::UInt16 => numbers::<UInt16Type>(column),
        DataType::UInt32 => numbers::<UInt32Type>(column),
        DataType::UInt64 => numbers::<UInt64Type>(column),
        DataType::Float16 => floats::<Float16Type>(column),
        DataType::Float32 => floats::<Float32Type>(column),
        DataType::Float64 => floats::<Float64Type>(column),
        DataType::Decimal128(..) => {
            let column = column.as_primitive::<Decimal128Type>();
            Box::new(|row| column.is_valid(row).then(|| column.value_as_string(row)))
        }
        _ => return None,
    })
}

/// The values of a column of days or times.
fn time_values(column: &dyn Array, is_date: bool) -> Option<JsonOf<'_>> {
    let thousands = |ms: i64| ms.saturating_mul(1000);
    let millions = |seconds: i64| seconds.saturating_mul(1_000_000);
    Some(match column.data_type() {
        DataType::Date32 => {
            times::<Date32Type>(column, is_date, |days| days.saturating_mul(DAY_MICROS))
        }
        DataType::Date64 => times::<Date64Type>(column, is_date, thousands),
        DataType::Timestamp(unit, _) => match unit {
            TimeUnit::Second => times::<TimestampSecondType>(column, is_date, millions),
            TimeUnit::Millisecond => times::<TimestampMillisecondType>(column, is_date, thousands),
            TimeUnit::Microsecond => {
                times::<TimestampMicrosecondType>(column, is_date, |micros| micros)
            }
            TimeUnit::Nanosecond => {
                times::<TimestampNanosecondType>(column, is_date, |ns| ns.div_euclid(1000))
            }
        },
        _ => return None,
    })
}

fn numbers<T: ArrowPrimitiveType>(column: &dyn Array) -> JsonOf<'_>
where
    T::Native: Display,
{
    let column = column.as_primitive::<T>();
    Box::new(move |row| column.is_valid(row).then(|| column.value(row).to_string()))
}

/// JSON has no infinite number: the largest ones stand for them. What is no number has no value.
fn floats<T: ArrowPrimitiveType>(column: &dyn Array) -> JsonOf<'_>
where
    T::Native: Into<f64>,
{
    let column = column.as_primitive::<T>();
    Box::new(move |row| {
        let number: f64 = column.is_valid(row).then(|| column.value(row).into())?;
        (!number.is_nan()).then(|| format!("{:?}", number.clamp(f64::MIN, f64::MAX)))
    })
}

/// Microseconds as a number, or as a text: of a number as a date, the engine guesses the unit.
fn times<'a, T: ArrowPrimitiveType>(
    column: &'a dyn Array,
    is_date: bool,
    micros: impl Fn(i64) -> i64 + Send + Sync + 'a,
) -> JsonOf<'a>
where
    T::Native: Into<i64>,
{
    let column = column.as_primitive::<T>();
    Box::new(move |row| {
        let micros = column
            .is_valid(row)
            .then(|| micros(column.value(row).into()))?;
        Some(if is_date {
            format!("\"{}\"", output::rfc3339(micros))
        } else {
            micros.to_string()
        })
    })
}

/// The text of an entry, KEY=VALUE, if it is one.
fn text(entries: &[String], key: &str) -> Option<String> {
    let toml = entries
        .iter()
        .find_map(|entry| entry.strip_prefix(key)?.strip_prefix('='))?;
    let table: toml::Table = toml::from_str(&format!("text={toml}"))
        .map_err(value)
        .ok()?;
    table.get("text")?.as_str().map(str::to_owned)
}
