//! `pairs.parquet` and `common_shingles.parquet`, made of files of the work directory.

use crate::publish::{Publication, end_table};
use clustering::{kind_of, published_links, reached};
use engine::{Engine, Error, PhaseName};
use format::{CommonRecord, FileKind, Sealed};
use output::{COMMON_SHINGLES, CommonShingleRow, Hexadecimal, PAIRS, PairRow};

/// Writes the links, of dense clusters only those that the phase `cluster` has selected.
pub fn pairs(engine: &Engine<'_>, publication: &Publication) -> Result<Sealed, Error> {
    let mut reader = published_links(engine)?;
    let (policy, ids) = (engine.config.cluster.link_policy(), engine.public_ids());
    let rows = reader.records();
    let mut table = publication.table("pairs.parquet", PAIRS.schema(), rows)?;
    let count = |n: u32| i32::try_from(n).unwrap_or(i32::MAX);
    while let Some(link) = reader.next()? {
        let overlap = link.overlap();
        let sizes = overlap.sizes();
        let resemblance = overlap.resemblance();
        let [a_in_b, b_in_a] = [overlap.containment_a_in_b(), overlap.containment_b_in_a()]
            .map(|estimate| estimate.map(|one| one.with_ends()));
        let end = |estimate: Option<[f64; 3]>, at: usize| estimate.map(|values| values[at]);
        table.write(&PairRow {
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
        })?;
    }
    end_table(table)
}

/// Writes the common shingles.
pub fn common(engine: &Engine<'_>, publication: &Publication) -> Result<Sealed, Error> {
    let mut reader = engine.reader::<CommonRecord>(PhaseName::Pairs, "common", FileKind::Common)?;
    let (ids, rows) = (engine.public_ids(), reader.records());
    let (name, schema) = ("common_shingles.parquet", COMMON_SHINGLES.schema());
    let mut table = publication.table(name, schema, rows)?;
    while let Some(record) = reader.next()? {
        table.write(&CommonShingleRow {
            shingle: Hexadecimal(record.shingle),
            documents: i64::from(record.documents),
            example_doc_id: ids.get(record.example),
        })?;
    }
    end_table(table)
}
