//! `pairs.parquet` and `common_shingles.parquet`, made of files of the work directory.

use super::metadata;
use crate::publish::Publication;
use clustering::{kind_of, published_links, reached};
use engine::Engine;
use format::{CommonRecord, FileKind, Sealed};
use output::{
    COMMON_SHINGLES, CommonShingleRow, Hexadecimal, PAIRS, PairRow, ParquetTable, Row, Table,
};
use runtime::{Error, PhaseName};

/// The file of a table, and the number of rows it will have.
struct TableFile<'a> {
    table: &'static Table,
    name: &'a str,
    rows: u64,
}

/// Writes a table with the rows that `next` gives.
fn table<R: Row>(
    engine: &Engine<'_>,
    publication: &Publication,
    TableFile { table, name, rows }: TableFile<'_>,
    mut next: impl FnMut() -> Result<Option<R>, Error>,
) -> Result<Sealed, Error> {
    let table = ParquetTable::new(table.schema(), &metadata(engine), publication.file(name)?);
    let mut table = table?.expecting(rows);
    while let Some(row) = next()? {
        table.write(&row)?;
    }
    let rows = table.rows();
    table.finish()?.commit(rows).map_err(Error::from)
}

/// Writes the links, of dense clusters only those that the phase `cluster` has selected.
pub fn pairs(engine: &Engine<'_>, publication: &Publication) -> Result<Sealed, Error> {
    let mut reader = published_links(engine)?;
    let (policy, ids, rows) = (
        engine.config.cluster.link_policy(),
        engine.public_ids(),
        reader.records(),
    );
    let count = |n: u32| i32::try_from(n).unwrap_or(i32::MAX);
    let file = TableFile {
        table: &PAIRS,
        name: "pairs.parquet",
        rows,
    };
    table(engine, publication, file, || {
        let Some(link) = reader.next()? else {
            return Ok(None);
        };
        let overlap = link.overlap();
        let sizes = overlap.sizes();
        let resemblance = overlap.resemblance();
        let [a_in_b, b_in_a] = [overlap.containment_a_in_b(), overlap.containment_b_in_a()]
            .map(|estimate| estimate.map(|one| one.with_ends()));
        let end = |estimate: Option<[f64; 3]>, at: usize| estimate.map(|values| values[at]);
        Ok(Some(PairRow {
            a: ids.get(link.a),
            b: ids.get(link.b),
            shared: count(link.shared),
            size_a: sizes.map(|[size, _]| count(size)),
            size_b: sizes.map(|[_, size]| count(size)),
            resemblance: resemblance.ratio.to_f64(),
            resemblance_low: resemblance.interval.low,
            resemblance_high: resemblance.interval.high,
            containment_a_in_b: end(a_in_b, 0),
            containment_a_in_b_low: end(a_in_b, 1),
            containment_a_in_b_high: end(a_in_b, 2),
            containment_b_in_a: end(b_in_a, 0),
            containment_b_in_a_low: end(b_in_a, 1),
            containment_b_in_a_high: end(b_in_a, 2),
            kind: kind_of(&link),
            certain: policy.certain(&overlap, reached(&link)),
            exact: link.modulus == 1,
        }))
    })
}

/// Writes the common shingles.
pub fn common(engine: &Engine<'_>, publication: &Publication) -> Result<Sealed, Error> {
    let mut reader = engine.reader::<CommonRecord>(PhaseName::Pairs, "common", FileKind::Common)?;
    let (ids, rows) = (engine.public_ids(), reader.records());
    table(
        engine,
        publication,
        TableFile {
            table: &COMMON_SHINGLES,
            name: "common_shingles.parquet",
            rows,
        },
        || {
            Ok(reader.next()?.map(|record| CommonShingleRow {
                shingle: Hexadecimal(record.shingle),
                documents: i64::from(record.documents),
                example_doc_id: ids.get(record.example),
            }))
        },
    )
}
