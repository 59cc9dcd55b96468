//! The documents of a shard as batches for Spark.
//!
//! *Input.* The files of the segments of a finished shard. *Output.* A row for each document but
//! revisits, in order. *Memory.* A batch of [`BATCH_ROWS`] documents, and a block of each file.

use crate::spark_columns;
use arrow_array::builder::{BinaryBuilder, Int32Builder, Int64Builder, ListBuilder};
use arrow_array::{ArrayRef, RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, DataType, Field, SchemaRef};
use engine::segments::SegmentFile;
use format::{
    Disk, FormatError, Manifest, Mark, RecordReader, RowReader, Sealed, SizesRow, SketchRow,
};
use model::SketchedFingerprints;
use pipeline::config::Config;
use std::collections::{BTreeMap, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Documents of a batch.
const BATCH_ROWS: usize = 1024;

/// Reads the documents of a shard.
pub(crate) struct ShardRows {
    config: Config,
    disk: Disk,
    dir: PathBuf,
    schema: SchemaRef,
    /// The segments that were not read yet: number, and files by extension.
    segments: VecDeque<(i32, BTreeMap<String, Sealed>)>,
    open: Option<OpenSegment>,
}

/// The files of a segment.
struct OpenSegment {
    number: i32,
    /// Documents that were read.
    documents: u32,
    marks: RecordReader<Mark>,
    sizes: RowReader,
    sketches: Shingles,
}

/// Rows of fingerprints, read one ahead: a document has none, one or several.
struct Shingles {
    reader: RowReader,
    next: Option<(u32, Vec<i64>)>,
}

impl Shingles {
    fn of(reader: RowReader) -> Result<Shingles, FormatError> {
        let mut shingles = Shingles { reader, next: None };
        shingles.advance()?;
        Ok(shingles)
    }

    fn advance(&mut self) -> Result<(), FormatError> {
        let row = self.reader.next::<SketchRow<'_>>()?;
        self.next = row.map(|row| (row.doc, row.iter().map(u64::cast_signed).collect()));
        Ok(())
    }

    /// The fingerprints of a document; documents are asked for in order.
    fn of_document(&mut self, doc: u32) -> Result<Vec<i64>, FormatError> {
        let mut all = Vec::new();
        while let Some((_, shingles)) = self.next.take_if(|(of, _)| *of == doc) {
            all.extend(shingles);
            self.advance()?;
        }
        Ok(all)
    }
}

/// The columns of a batch while they grow.
#[derive(Default)]
struct Columns {
    segment: Int32Builder,
    place: Int64Builder,
    keys: [BinaryBuilder; 3],
    sizes: ListBuilder<Int32Builder>,
    sketch: ListBuilder<Int64Builder>,
}

fn schema() -> SchemaRef {
    let list = |kind| DataType::List(Arc::new(Field::new_list_field(kind, true)));
    spark_columns::schema([
        ("segment", DataType::Int32),
        ("place", DataType::Int64),
        ("identical", DataType::Binary),
        ("lexical", DataType::Binary),
        ("shingle", DataType::Binary),
        ("sizes", list(DataType::Int32)),
        ("sketch", list(DataType::Int64)),
    ])
}

impl ShardRows {
    /// Opens the shard in a directory.
    pub(crate) fn open(config: &Config, dir: &Path) -> Result<ShardRows, FormatError> {
        let disk = Disk::default();
        let manifest = Manifest::load(&disk, dir)?.unwrap_or_default();
        let phase = pipeline::PhaseName::Sketch.name();
        let parts = manifest.parts.get(phase).cloned().unwrap_or_default();
        let segment = |(name, part): (String, format::PhaseRecord)| {
            let number = name
                .rsplit('-')
                .next()
                .and_then(|number| number.parse().ok());
            let files = part.outputs.into_iter().filter_map(|(name, sealed)| {
                let (_, extension) = name.rsplit_once('.')?;
                Some((extension.to_owned(), sealed))
            });
            number.map(|number| (number, files.collect()))
        };
        Ok(ShardRows {
            config: config.clone(),
            disk,
            dir: dir.join(phase),
            schema: schema(),
            segments: parts.into_iter().filter_map(segment).collect(),
            open: None,
        })
    }

    fn open_segment(
        &self,
        number: i32,
        files: &BTreeMap<String, Sealed>,
    ) -> Result<OpenSegment, FormatError> {
        let rows = |file: SegmentFile| {
            let sealed = files.get(file.extension());
            sealed
                .map(|sealed| RowReader::open_sealed(&self.disk, &self.dir, sealed, file.kind()))
                .transpose()
        };
        let marks = files.get(SegmentFile::Marks.extension());
        let missing = || FormatError::Damaged {
            path: self.dir.clone(),
            offset: 0,
            what: format!("segment {number} is not complete"),
        };
        let marks = RecordReader::open_sealed(
            &self.disk,
            &self.dir,
            marks.ok_or_else(missing)?,
            SegmentFile::Marks.kind(),
        )?;
        Ok(OpenSegment {
            number,
            documents: 0,
            marks,
            sizes: rows(SegmentFile::Sizes)?.ok_or_else(missing)?,
            sketches: Shingles::of(rows(SegmentFile::Sketches)?.ok_or_else(missing)?)?,
        })
    }

    /// Reads the next document into the columns; false after the last.
    fn read(&mut self, columns: &mut Columns) -> Result<bool, FormatError> {
        loop {
            if let Some(open) = &mut self.open
                && let Some(mark) = open.marks.next()?
            {
                let sampling = self.config.sketch.sampling;
                columns.push(
                    open,
                    &mark,
                    self.config.sketch.shingle_class_min,
                    sampling.levels(),
                )?;
                return Ok(true);
            }
            let Some((number, files)) = self.segments.pop_front() else {
                return Ok(false);
            };
            self.open = Some(self.open_segment(number, &files)?);
        }
    }

    fn batch(&mut self) -> Result<Option<RecordBatch>, ArrowError> {
        let mut columns = Columns::default();
        let external = |error: FormatError| ArrowError::ExternalError(Box::new(error));
        let mut rows = 0;
        while rows < BATCH_ROWS && self.read(&mut columns).map_err(external)? {
            rows += 1;
        }
        let schema = Arc::clone(&self.schema);
        (rows > 0)
            .then(|| RecordBatch::try_new(schema, columns.finish()))
            .transpose()
    }
}

impl Columns {
    fn push(
        &mut self,
        open: &mut OpenSegment,
        mark: &Mark,
        class_min: u32,
        levels: usize,
    ) -> Result<(), FormatError> {
        let doc = open.documents;
        open.documents += 1;
        self.segment.append_value(open.number);
        self.place.append_value(i64::from(doc));
        let keys = phases::distinct::keys(&SketchedFingerprints::from(mark), class_min);
        for (column, key) in self.keys.iter_mut().zip(keys) {
            column.append_option(key.map(u128::to_le_bytes));
        }
        if let Some(SizesRow(sizes)) = open.sizes.next()? {
            for size in &sizes.sizes[..levels] {
                self.sizes.values().append_value(size.cast_signed());
            }
        }
        self.sizes.append(true);
        self.sketch
            .values()
            .append_slice(&open.sketches.of_document(doc)?);
        self.sketch.append(true);
        Ok(())
    }

    fn finish(mut self) -> Vec<ArrayRef> {
        let [mut identical, mut lexical, mut shingle] = self.keys;
        vec![
            Arc::new(self.segment.finish()),
            Arc::new(self.place.finish()),
            Arc::new(identical.finish()),
            Arc::new(lexical.finish()),
            Arc::new(shingle.finish()),
            Arc::new(self.sizes.finish()),
            Arc::new(self.sketch.finish()),
        ]
    }
}

impl Iterator for ShardRows {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.batch().transpose()
    }
}

impl RecordBatchReader for ShardRows {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }
}
