//! The schema of a table as Parquet has it.

use std::sync::Arc;

use parquet::basic::{LogicalType, Repetition, TimeUnit, Type as Physical};
use parquet::errors::ParquetError;
use parquet::schema::types::{Type, TypePtr};

use crate::{Column, ColumnType, Schema};

/// A column in the schema of Parquet.
pub(crate) fn field_of(column: &Column) -> Result<Type, ParquetError> {
    let (physical, logical) = match column.kind {
        ColumnType::Int32 => (Physical::INT32, None),
        ColumnType::Int64 => (Physical::INT64, None),
        ColumnType::Double => (Physical::DOUBLE, None),
        ColumnType::Bool => (Physical::BOOLEAN, None),
        ColumnType::Utf8 => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
        ColumnType::TimestampMicros => (
            Physical::INT64,
            Some(LogicalType::timestamp(true, TimeUnit::MICROS)),
        ),
    };
    let repetition = if column.nullable {
        Repetition::OPTIONAL
    } else {
        Repetition::REQUIRED
    };
    Type::primitive_type_builder(&column.name, physical)
        .with_logical_type(logical)
        .with_repetition(repetition)
        .build()
}

/// The columns of a table.
pub(crate) fn parquet_schema(schema: &Schema) -> Result<TypePtr, ParquetError> {
    let fields = schema
        .columns()
        .iter()
        .map(|column| field_of(column).map(Arc::new));
    let fields = fields.collect::<Result<_, _>>()?;
    Ok(Arc::new(
        Type::group_type_builder(schema.name())
            .with_fields(fields)
            .build()?,
    ))
}
