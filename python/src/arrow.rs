//! Record batches from and to Python by the Arrow PyCapsule interface; no column is copied.
//!
//! *Input.* Any object with `__arrow_c_stream__` or `__arrow_c_array__`: tables and record batches
//! of pyarrow, polars, pandas, DuckDB, nanoarrow; and datasets of Hugging Face, whose rows may be
//! others than those of the table below them. *Output.* [`Table`] and [`Array`], which all of these
//! take. *Memory.* Batches are held as long as the caller holds the table; tables of a
//! publication are read batch by batch, each time anew.

use crate::errors::{kind, raised, value};
use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema, from_ffi, to_ffi};
use arrow_array::ffi_stream::{FFI_ArrowArrayStream, RecordBatchStreamReader};
use arrow_array::{
    Array as _, ArrayRef, BooleanArray, RecordBatch, RecordBatchIterator, RecordBatchReader,
    StructArray,
};
use arrow_schema::{ArrowError, SchemaRef};
use model::Unpoisoned;
use output::ArrowBatches;
use pipeline::TableFiles;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict, PyIterator, PySlice, PyTuple};
use std::ffi::CStr;
use std::sync::Mutex;

const SCHEMA: &CStr = c"arrow_schema";
const ARRAY: &CStr = c"arrow_array";
const STREAM: &CStr = c"arrow_array_stream";

/// Record batches of the caller, one after another.
pub(crate) type Batches = Box<dyn RecordBatchReader + Send>;

/// The record batches of an object of the caller.
pub(crate) fn batches(object: &Bound<'_, PyAny>) -> PyResult<Batches> {
    if object.hasattr("__arrow_c_stream__")? {
        let capsule: Bound<'_, PyCapsule> = object.call_method0("__arrow_c_stream__")?.extract()?;
        let stream = capsule
            .pointer_checked(Some(STREAM))?
            .cast::<FFI_ArrowArrayStream>();
        // SAFETY: the name of the capsule says that it holds a stream. The stream is moved out and
        // an empty one left in its place, as the interface prescribes, so it is released once.
        let stream = unsafe { FFI_ArrowArrayStream::from_raw(stream.as_ptr()) };
        let reader = RecordBatchStreamReader::try_new(stream).map_err(value)?;
        return Ok(Box::new(reader));
    }
    if object.hasattr("with_format")? {
        return DatasetBatches::of(object);
    }
    if !object.hasattr("__arrow_c_array__")? {
        let got = object.get_type().name()?.to_string();
        let takes = "expected a table: an object with __arrow_c_stream__ or __arrow_c_array__, such \
                     as those of pyarrow, polars, pandas and DuckDB, or a datasets.Dataset";
        return Err(kind(format!("{takes}; got {got}")));
    }
    let capsules = object.call_method0("__arrow_c_array__")?;
    let (schema, array): (Bound<'_, PyCapsule>, Bound<'_, PyCapsule>) = capsules.extract()?;
    let schema = schema
        .pointer_checked(Some(SCHEMA))?
        .cast::<FFI_ArrowSchema>();
    let array = array.pointer_checked(Some(ARRAY))?.cast::<FFI_ArrowArray>();
    // SAFETY: the names of the capsules say what they hold. The schema lives until the end of this
    // block; the array is moved out as the interface prescribes, so it is released once.
    let data = unsafe { from_ffi(FFI_ArrowArray::from_raw(array.as_ptr()), schema.as_ref()) };
    let data = data.map_err(value)?;
    if !matches!(data.data_type(), arrow_schema::DataType::Struct(_)) || data.null_count() > 0 {
        return Err(kind("expected a record batch, got a single column"));
    }
    let batch = RecordBatch::from(StructArray::from(data));
    let schema = batch.schema();
    Ok(Box::new(RecordBatchIterator::new([Ok(batch)], schema)))
}

/// The error of a batch; of one that Python makes, that of Python.
pub(crate) fn failed(error: ArrowError) -> PyErr {
    match error {
        ArrowError::ExternalError(cause) => cause
            .downcast::<PyErr>()
            .map_or_else(value, |raised| *raised),
        error => value(error),
    }
}

/// How many rows of a dataset are in a batch.
const DATASET_ROWS: usize = 1000;

/// The rows of a `datasets.Dataset`, as it shows them: it may be a selection of its table.
struct DatasetBatches {
    schema: SchemaRef,
    tables: Py<PyIterator>,
    /// The batches of the table under way.
    batches: Batches,
}

impl DatasetBatches {
    fn of(dataset: &Bound<'_, PyAny>) -> PyResult<Batches> {
        if dataset.is_instance_of::<PyDict>() {
            return Err(kind(
                "got a DatasetDict, which holds several tables; pass one of them, such as \
                 dataset[\"train\"]",
            ));
        }
        if !dataset.hasattr("__len__")? {
            return Err(kind(
                "got an IterableDataset, whose rows have no numbers; pass a Dataset: load it \
                 without streaming, or make one by Dataset.from_list(list(stream))",
            ));
        }
        let rows = dataset.call_method1("with_format", ("arrow",))?;
        let none = rows.get_item(PySlice::new(dataset.py(), 0, 0, 1))?;
        let batches = batches(&none)?;
        let tables = rows.call_method1("iter", (DATASET_ROWS,))?;
        Ok(Box::new(DatasetBatches {
            schema: batches.schema(),
            tables: tables.try_iter()?.unbind(),
            batches,
        }))
    }

    /// The batches of the next table; `None` after the last.
    fn next_table(&self) -> PyResult<Option<Batches>> {
        Python::attach(|py| {
            let table = self.tables.bind(py).clone().next();
            table.map(|table| batches(&table?)).transpose()
        })
    }
}

impl Iterator for DatasetBatches {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(batch) = self.batches.next() {
                return Some(batch);
            }
            match self.next_table() {
                Ok(table) => self.batches = table?,
                Err(error) => return Some(Err(ArrowError::ExternalError(Box::new(error)))),
            }
        }
    }
}

impl RecordBatchReader for DatasetBatches {
    fn schema(&self) -> SchemaRef {
        SchemaRef::clone(&self.schema)
    }
}

/// A column of a batch by its name.
pub(crate) fn column<'a>(batch: &'a RecordBatch, name: &str) -> PyResult<&'a ArrayRef> {
    batch.column_by_name(name).ok_or_else(|| {
        let schema = batch.schema();
        let has: Vec<&str> = schema
            .fields()
            .iter()
            .map(|field| field.name().as_str())
            .collect();
        let has = has.join(", ");
        value(format!(
            "the table has no column {name:?}; its columns are {has}"
        ))
    })
}

/// Texts of a column, whichever of its forms it has.
pub(crate) enum Texts<'a> {
    Short(&'a arrow_array::StringArray),
    Long(&'a arrow_array::LargeStringArray),
    View(&'a arrow_array::StringViewArray),
    /// A column of nulls.
    None,
}

impl<'a> Texts<'a> {
    /// Of the column of this name.
    pub(crate) fn of(batch: &'a RecordBatch, name: &str) -> PyResult<Texts<'a>> {
        use arrow_array::cast::AsArray;
        use arrow_schema::DataType;
        let column = column(batch, name)?;
        match column.data_type() {
            DataType::Utf8 => Ok(Texts::Short(column.as_string())),
            DataType::LargeUtf8 => Ok(Texts::Long(column.as_string())),
            DataType::Utf8View => Ok(Texts::View(column.as_string_view())),
            DataType::Null => Ok(Texts::None),
            other => Err(kind(format!(
                "column {name:?} holds {other}, expected text"
            ))),
        }
    }

    /// The text of a row; `None` if it is null.
    pub(crate) fn at(&self, row: usize) -> Option<&'a str> {
        match self {
            Texts::Short(texts) => texts.is_valid(row).then(|| texts.value(row)),
            Texts::Long(texts) => texts.is_valid(row).then(|| texts.value(row)),
            Texts::View(texts) => texts.is_valid(row).then(|| texts.value(row)),
            Texts::None => None,
        }
    }
}

/// A table that other libraries take as it is, by the Arrow PyCapsule interface.
///
/// `pyarrow.table(t)`, `polars.DataFrame(t)` and `duckdb.from_arrow(t)` read it without a copy. A
/// table of a publication is read from its files each time, batch by batch.
#[pyclass(frozen, module = "altavista_dedup")]
pub(crate) struct Table(Source);

enum Source {
    Memory(SchemaRef, Vec<RecordBatch>),
    /// The schema, the number of rows, the files.
    Files(SchemaRef, u64, TableFiles),
    /// Batches that are made while they are taken, once.
    Once(SchemaRef, Mutex<Option<Batches>>),
}

impl Table {
    pub(crate) fn of(schema: SchemaRef, batches: Vec<RecordBatch>) -> Table {
        Table(Source::Memory(schema, batches))
    }

    /// Batches that are made while they are taken: this table is read once, and has no length.
    pub(crate) fn once(batches: Batches) -> Table {
        Table(Source::Once(batches.schema(), Mutex::new(Some(batches))))
    }

    /// The files of a published table.
    pub(crate) fn published(files: TableFiles) -> Result<Table, pipeline::Error> {
        let batches = ArrowBatches::open(&files)?;
        let found = batches.map(|batches| (batches.schema(), batches.rows()));
        let (schema, rows) =
            found.unwrap_or_else(|| (SchemaRef::new(arrow_schema::Schema::empty()), 0));
        Ok(Table(Source::Files(schema, rows, files)))
    }

    fn schema(&self) -> &SchemaRef {
        match &self.0 {
            Source::Memory(schema, _) | Source::Files(schema, ..) | Source::Once(schema, _) => {
                schema
            }
        }
    }

    fn reader(&self, py: Python<'_>) -> PyResult<Batches> {
        let batches = match &self.0 {
            Source::Memory(_, batches) => batches.clone(),
            Source::Files(_, _, files) => {
                match ArrowBatches::open(files).map_err(|error| raised(py, &error.into()))? {
                    Some(reader) => return Ok(Box::new(reader)),
                    None => Vec::new(),
                }
            }
            Source::Once(_, batches) => {
                let batches = batches.lock().unpoisoned().take();
                return batches.ok_or_else(|| value("the batches are taken already"));
            }
        };
        let batches = batches.into_iter().map(Ok::<RecordBatch, ArrowError>);
        Ok(Box::new(RecordBatchIterator::new(
            batches,
            SchemaRef::clone(self.schema()),
        )))
    }
}

#[pymethods]
impl Table {
    /// The batches, as a capsule that holds a C stream of Arrow.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // The interface allows to give the own schema whatever was asked for.
        drop(requested_schema);
        let reader = self.reader(py)?;
        PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(reader), STREAM)
    }

    /// The columns, as a capsule that holds a C schema of Arrow.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let schema = FFI_ArrowSchema::try_from(self.schema().as_ref()).map_err(value)?;
        PyCapsule::new_with_value(py, schema, SCHEMA)
    }

    fn __len__(&self) -> PyResult<usize> {
        match &self.0 {
            Source::Memory(_, batches) => Ok(batches.iter().map(RecordBatch::num_rows).sum()),
            Source::Files(_, rows, _) => Ok(usize::try_from(*rows).unwrap_or(usize::MAX)),
            Source::Once(..) => Err(kind("the rows of a stream are not counted")),
        }
    }

    fn __repr__(&self) -> String {
        let rows = self
            .__len__()
            .map_or("stream".to_owned(), |rows| format!("{rows} rows"));
        format!("Table({rows}: {})", self.column_names().join(", "))
    }

    /// The names of the columns, in order.
    #[getter]
    fn column_names(&self) -> Vec<String> {
        let fields = self.schema().fields().iter();
        fields.map(|field| field.name().clone()).collect()
    }
}

/// A column of booleans that other libraries take as it is, by the Arrow PyCapsule interface.
///
/// `pyarrow.array(a)` and `polars.Series(a)` read it without a copy.
#[pyclass(frozen, module = "altavista_dedup")]
pub(crate) struct Array(pub(crate) BooleanArray);

#[pymethods]
impl Array {
    /// The column, as a pair of capsules that hold a C schema and a C array of Arrow.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        drop(requested_schema);
        let (array, schema) = to_ffi(&self.0.to_data()).map_err(value)?;
        let schema = PyCapsule::new_with_value(py, schema, SCHEMA)?;
        let array = PyCapsule::new_with_value(py, array, ARRAY)?;
        PyTuple::new(py, [schema, array])
    }

    fn __len__(&self) -> usize {
        self.0.len()
    }

    /// The values as a list of bool.
    fn tolist(&self) -> Vec<bool> {
        (0..self.0.len()).map(|row| self.0.value(row)).collect()
    }
}
