//! Which columns of a file are read.
//!
//! *Input.* The schema, the names of the configuration. *Output.* [`ReadColumns`], or why the file
//! cannot be read. *Limits.* Only columns that are not nested, of the types named in [`kind_of`].

use std::iter::Peekable;

use parquet::basic::{
    Compression, ConvertedType, LogicalType, Repetition, TimeUnit, Type as Physical,
};
use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData};
use parquet::schema::types::{ColumnDescriptor, SchemaDescriptor, Type};

use decode::date::IMPOSSIBLE_DATE;
use decode::document::Refusal;
use decode::document::{ID_NOT_TEXT, URL_NOT_TEXT};
use decode::options::{FieldNames, TEXTS_WITHIN};

/// The columns to read, as leaves of the schema. The same leaf may serve several purposes.
#[derive(Debug)]
pub(super) struct ReadColumns {
    pub(super) text: Option<ReadColumn>,
    /// The name of the text column.
    pub(super) text_name: String,
    /// The flag of a text in this column, if it is not the configured one.
    pub(super) text_flag: Option<&'static str>,
    /// The columns that have the text under another usual name. They are read where a row has none
    /// in the text column.
    pub(super) others: Vec<OtherColumn>,
    /// The flags of all documents: of columns that cannot be read.
    pub(super) flags: Vec<&'static str>,
    pub(super) html: Option<ReadColumn>,
    pub(super) features: Option<ReadColumn>,
    pub(super) id: Option<ReadColumn>,
    pub(super) url: Option<ReadColumn>,
    pub(super) date: Option<ReadColumn>,
    pub(super) carry: Vec<Option<ReadColumn>>,
    /// The leaves, each once, in the order of the schema. [`ReadColumn::slot`] is an index into
    /// this.
    pub(super) leaves: Vec<usize>,
}

/// A column that may have the text of a row.
#[derive(Clone, Copy, Debug)]
pub(super) struct OtherColumn {
    pub(super) leaf: usize,
    pub(super) name: &'static str,
    /// The flag of a document that has its text there.
    pub(super) flag: &'static str,
}

/// A column that is read.
#[derive(Clone, Copy, Debug)]
pub(super) struct ReadColumn {
    /// Index into [`ReadColumns::leaves`].
    pub(super) slot: usize,
    pub(super) kind: ColumnUse,
}

/// The use of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ColumnUse {
    /// Text, it is hoped.
    Bytes,
    /// A list of texts. An element is there from this definition level on.
    Features(i16),
    /// The texts in a column of lists or records.
    Texts,
    /// True or false.
    Bool,
    /// A whole number.
    Signed,
    /// Without a sign, of 32 bits.
    Unsigned32,
    /// Without a sign, of 64 bits.
    Unsigned64,
    /// Any number.
    Float,
    /// Whole days since 1970.
    Days,
    /// So many to the second, since 1970.
    Ticks(i64),
    /// Nanoseconds of a Julian day.
    Julian,
}

impl ReadColumns {
    /// Finds the columns, and checks types and codecs.
    pub(super) fn find(metadata: &ParquetMetaData, names: &FieldNames) -> Result<Self, Refusal> {
        let schema = metadata.file_metadata().schema_descr();
        let mut leaves: Vec<usize> = Vec::new();
        let mut column =
            |name: &str, allowed: fn(ColumnUse) -> bool| -> Result<Option<ReadColumn>, Refusal> {
                let is_features = Some(name) == names.features.as_deref();
                let found = match leaf_named(schema, name) {
                    _ if is_features => list_named(schema, name)?,
                    Err(_) | Ok(None) if names.fields_only => texts_named(schema, name),
                    found => found?,
                };
                let Some((leaf, kind)) = found else {
                    return Ok(None);
                };
                if !allowed(kind) {
                    return Err(bad_column(
                        name,
                        &format!("{:?}", schema.column(leaf).physical_type()),
                    ));
                }
                let slot = leaves
                    .iter()
                    .position(|&known| known == leaf)
                    .unwrap_or_else(|| {
                        leaves.push(leaf);
                        leaves.len() - 1
                    });
                Ok(Some(ReadColumn { slot, kind }))
            };
        let bytes = |kind| kind == ColumnUse::Bytes;
        let any = |_| true;
        let (mut text_name, mut text_flag, mut flags) = (&*names.text, None, Vec::new());
        let is_missing = matches!(leaf_named(schema, text_name), Ok(None));
        let mut others = other_columns(schema, names);
        if let Some(first) = others.next_if(|_| is_missing) {
            (text_name, text_flag) = (first.name, Some(first.flag));
        }
        let text = column(text_name, bytes).map_err(|(reason, detail)| {
            let advice = names.text_field_advice(&string_columns(schema));
            (reason, format!("{detail}; {advice}"))
        })?;
        // A document can be without these.
        let mut readable = |name: &str, allowed: fn(ColumnUse) -> bool, flag: &'static str| {
            column(name, allowed).unwrap_or_else(|_| {
                flags.push(flag);
                None
            })
        };
        let url = readable(&names.url, bytes, URL_NOT_TEXT);
        let id = readable(&names.id, any, ID_NOT_TEXT);
        let date = readable(&names.date, |kind| kind != ColumnUse::Bool, IMPOSSIBLE_DATE);
        let columns = ReadColumns {
            text,
            text_name: text_name.to_owned(),
            text_flag,
            others: others.collect(),
            flags,
            html: column(&names.html, bytes)?,
            features: (names.features.as_deref()).map_or(Ok(None), |name| column(name, any))?,
            id,
            url,
            date,
            carry: names
                .carry
                .iter()
                .map(|name| column(name, any))
                .collect::<Result<_, _>>()?,
            leaves,
        };
        let needs_text = !names.fields_only;
        if needs_text
            && columns.text.is_none()
            && columns.html.is_none()
            && columns.features.is_none()
        {
            return Err(("no-text-column", names.text_advice(&string_columns(schema))));
        }
        check_codecs(metadata, &columns.leaves)?;
        Ok(columns)
    }
}

/// The columns that hold text under another usual name, in the order in which they count. A number
/// of such a name has nothing to do with the text.
fn other_columns<'s>(
    schema: &'s SchemaDescriptor,
    names: &'s FieldNames,
) -> Peekable<impl Iterator<Item = OtherColumn> + 's> {
    let columns = names.usual_text().filter_map(|(name, flag)| {
        let Ok(Some((leaf, ColumnUse::Bytes))) = leaf_named(schema, name) else {
            return None;
        };
        Some(OtherColumn { leaf, name, flag })
    });
    columns.peekable()
}

/// The first columns that may hold text.
fn string_columns(schema: &SchemaDescriptor) -> Vec<&str> {
    let fields = schema.root_schema().get_fields().iter();
    fields
        .map(|field| field.name())
        .filter(|name| matches!(leaf_named(schema, name), Ok(Some((_, ColumnUse::Bytes)))))
        .take(20)
        .collect()
}

/// The leaf for a top-level column, `None` if there is no column of that name.
fn leaf_named(
    schema: &SchemaDescriptor,
    name: &str,
) -> Result<Option<(usize, ColumnUse)>, Refusal> {
    let Some(field) = schema
        .root_schema()
        .get_fields()
        .iter()
        .find(|field| field.name() == name)
    else {
        return Ok(None);
    };
    let is_repeated = field.get_basic_info().has_repetition()
        && field.get_basic_info().repetition() == Repetition::REPEATED;
    if !field.is_primitive() || is_repeated {
        return Err(bad_column(name, "nested"));
    }
    let leaf = schema
        .columns()
        .iter()
        .position(|column| column.path().parts() == [name]);
    let Some(leaf) = leaf else { return Ok(None) };
    let descriptor = schema.column(leaf);
    // The encoding that pyarrow writes for a column without a value: it has nothing but nulls.
    if matches!(descriptor.logical_type_ref(), Some(LogicalType::Unknown)) {
        return Ok(None);
    }
    match kind_of(&descriptor) {
        Some(kind) => Ok(Some((leaf, kind))),
        None => Err(bad_column(
            name,
            &format!("{:?}", descriptor.physical_type()),
        )),
    }
}

/// The leaf for a top-level column that is a list of texts.
fn list_named(
    schema: &SchemaDescriptor,
    name: &str,
) -> Result<Option<(usize, ColumnUse)>, Refusal> {
    let fields = schema.root_schema().get_fields();
    let Some(mut node) = fields.iter().find(|field| field.name() == name) else {
        return Ok(None);
    };
    let not_a_list = || bad_column(name, "of no list of texts");
    let (mut level, mut element) = (0, 0);
    loop {
        let repetition = node.get_basic_info().repetition();
        level += i16::from(repetition != Repetition::REQUIRED);
        if repetition == Repetition::REPEATED {
            element = level;
        }
        match &**node {
            Type::PrimitiveType { .. } => break,
            Type::GroupType { fields, .. } => {
                let [only] = &fields[..] else {
                    return Err(not_a_list());
                };
                node = only;
            }
        }
    }
    let mut columns = schema.columns().iter();
    let leaf =
        columns.position(|column| column.path().parts().first().is_some_and(|at| at == name));
    match leaf.map(|leaf| (leaf, schema.column(leaf))) {
        Some((leaf, column))
            if column.max_rep_level() == 1 && column.physical_type() == Physical::BYTE_ARRAY =>
        {
            Ok(Some((leaf, ColumnUse::Features(element))))
        }
        _ => Err(not_a_list()),
    }
}

/// The leaf with the texts of a top-level column that is nested: below fields that are alone, or
/// are named behind a dot, or have one of the names of [`TEXTS_WITHIN`].
fn texts_named(schema: &SchemaDescriptor, name: &str) -> Option<(usize, ColumnUse)> {
    let fields = schema.root_schema().get_fields();
    let mut inner = name.split('.').peekable();
    let first = inner.next()?;
    let mut node = fields.iter().find(|field| field.name() == first)?;
    let mut path = vec![first];
    while let Type::GroupType { fields, .. } = &**node {
        let named = |name: &&str| fields.iter().find(|field| field.name() == *name);
        let wanted = inner.peek().and_then(named);
        node = match (wanted, &fields[..]) {
            (Some(wanted), _) => wanted,
            (None, [only]) => only,
            _ => TEXTS_WITHIN.iter().find_map(named)?,
        };
        inner.next_if(|_| wanted.is_some());
        path.push(node.name());
    }
    if inner.next().is_some() {
        return None;
    }
    let leaf = schema
        .columns()
        .iter()
        .position(|column| column.path().parts() == path)?;
    let is_text = schema.column(leaf).physical_type() == Physical::BYTE_ARRAY;
    is_text.then_some((leaf, ColumnUse::Texts))
}

fn bad_column(name: &str, what: &str) -> Refusal {
    (
        "bad-column",
        format!("column {name} has the type {what}, which cannot be read"),
    )
}

/// The meaning of a type; `None` for fixed-length bytes.
fn kind_of(column: &ColumnDescriptor) -> Option<ColumnUse> {
    let unsigned = matches!(column.logical_type_ref(), Some(LogicalType::Integer(integer)) if !integer.is_signed)
        || matches!(
            column.converted_type(),
            ConvertedType::UINT_8
                | ConvertedType::UINT_16
                | ConvertedType::UINT_32
                | ConvertedType::UINT_64
        );
    match column.physical_type() {
        Physical::BYTE_ARRAY => Some(ColumnUse::Bytes),
        Physical::BOOLEAN => Some(ColumnUse::Bool),
        Physical::INT32 if unsigned => Some(ColumnUse::Unsigned32),
        Physical::INT64 if unsigned => Some(ColumnUse::Unsigned64),
        Physical::INT32 if column.converted_type() == ConvertedType::DATE => Some(ColumnUse::Days),
        Physical::INT32 if matches!(column.logical_type_ref(), Some(LogicalType::Date)) => {
            Some(ColumnUse::Days)
        }
        Physical::INT32 => Some(ColumnUse::Signed),
        Physical::INT64 => Some(ticks_of(column).map_or(ColumnUse::Signed, ColumnUse::Ticks)),
        Physical::INT96 => Some(ColumnUse::Julian),
        Physical::FLOAT | Physical::DOUBLE => Some(ColumnUse::Float),
        Physical::FIXED_LEN_BYTE_ARRAY => None,
    }
}

fn ticks_of(column: &ColumnDescriptor) -> Option<i64> {
    match (column.logical_type_ref(), column.converted_type()) {
        (Some(LogicalType::Timestamp(timestamp)), _) => Some(match timestamp.unit {
            TimeUnit::MILLIS => 1_000,
            TimeUnit::MICROS => 1_000_000,
            TimeUnit::NANOS => 1_000_000_000,
        }),
        (_, ConvertedType::TIMESTAMP_MILLIS) => Some(1_000),
        (_, ConvertedType::TIMESTAMP_MICROS) => Some(1_000_000),
        _ => None,
    }
}

fn check_codecs(metadata: &ParquetMetaData, leaves: &[usize]) -> Result<(), Refusal> {
    let groups = metadata.row_groups().iter();
    let mut columns =
        groups.flat_map(|group| leaves.iter().filter_map(|&leaf| group.columns().get(leaf)));
    columns.try_for_each(check_codec)
}

/// Refuses a column whose codec is not read.
pub(super) fn check_codec(column: &ColumnChunkMetaData) -> Result<(), Refusal> {
    match column.compression() {
        Compression::UNCOMPRESSED
        | Compression::SNAPPY
        | Compression::GZIP(_)
        | Compression::ZSTD(_) => Ok(()),
        other => {
            let name = format!("{other:?}");
            let name = name.split('(').next().unwrap_or_default();
            let detail = format!(
                "column {} is compressed with {name}, which is not read; use zstd, snappy or gzip",
                column.column_path()
            );
            Err(("codec", detail))
        }
    }
}
