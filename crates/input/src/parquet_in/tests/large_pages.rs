//! Pages as DuckDB writes them: all values of a row group in one.

use super::*;
use parquet::basic::{GzipLevel, ZstdLevel};

/// Writes one page for each column.
fn one_page(codec: Compression, version: WriterVersion) -> WriterPropertiesBuilder {
    plain()
        .set_dictionary_enabled(false)
        .set_compression(codec)
        .set_writer_version(version)
        .set_encoding(Encoding::PLAIN)
        .set_data_page_size_limit(usize::MAX / 2)
        .set_data_page_row_count_limit(usize::MAX / 2)
        .set_write_batch_size(usize::MAX / 2)
}

/// Some 45 MiB of texts, of which every seventh is null.
fn values() -> Vec<Option<Vec<u8>>> {
    let text = |row: u64| -> Vec<u8> {
        let word = |at: u64| (row * 1000 + at).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
        let words =
            (0..if row == 9_000 { 700_000 } else { 450 }).map(|at| format!("{:x} ", word(at)));
        words.collect::<String>().into_bytes()
    };
    (0..15_000)
        .map(|row| (row % 7 != 3).then(|| text(row)))
        .collect()
}

#[test]
fn large_pages_are_read_as_many_small_ones() {
    let values = values();
    let expected: Vec<&[u8]> = values.iter().flatten().map(Vec::as_slice).collect();
    assert!(expected.iter().map(|text| text.len()).sum::<usize>() > 41 << 20);
    for (codec, version) in [
        (Compression::SNAPPY, WriterVersion::PARQUET_1_0),
        (Compression::SNAPPY, WriterVersion::PARQUET_2_0),
        (Compression::UNCOMPRESSED, WriterVersion::PARQUET_1_0),
        (
            Compression::GZIP(GzipLevel::default()),
            WriterVersion::PARQUET_2_0,
        ),
        (
            Compression::ZSTD(ZstdLevel::default()),
            WriterVersion::PARQUET_1_0,
        ),
    ] {
        let columns = vec![Values::Bytes(values.clone())];
        let file = parquet(TEXT, one_page(codec, version), &[columns]);
        let sizes = options(16 << 20, &[]);
        let fixture = fixture(&file);
        let collected = read_whole(&fixture.file, &sizes).0;
        let name = format!("{codec:?} {version:?}");
        let nulls = (values.len() - expected.len()) as u64;
        assert!(
            collected
                .reasons()
                .iter()
                .all(|reason| *reason == "no-text"),
            "{name}"
        );
        assert_eq!(collected.rejected.len() as u64, nulls, "{name}");
        let read: Vec<&[u8]> = collected
            .documents
            .iter()
            .map(|found| &found.body[..])
            .collect();
        assert!(read == expected, "{name}");
        for at in [0, 7_000, expected.len() - 1] {
            let found = &collected.documents[at];
            let mut text = Vec::new();
            let mut keep = |document: &crate::Document<'_>| text.extend_from_slice(document.body);
            read_document_at(&fixture.file, &found.place, &sizes, &mut keep).unwrap();
            assert!(text == found.body, "{name} {at}");
        }
    }
}

#[test]
fn a_value_too_long_or_damage_costs_the_rest_of_a_large_page() {
    let mut values = values();
    let before = values[..12_000].iter().flatten().count();
    values[12_000] = Some(vec![b'x'; 7 << 20]);
    let snappy = one_page(Compression::SNAPPY, WriterVersion::PARQUET_1_0);
    let file = parquet(TEXT, snappy, &[vec![Values::Bytes(values)]]);
    let collected = read_with(&file, &options(16 << 20, &[]));
    assert_eq!(collected.documents.len(), before);
    let last = collected.rejected.last().unwrap();
    assert_eq!((last.reason, last.records), ("bad-parquet", 3_000));
    let said = "a value has 7340032 bytes, at most 6990506 are read of so large a page";
    assert!(
        last.detail.contains(said) && last.detail.contains("max-page"),
        "{}",
        last.detail
    );
    // A tag of Snappy that no encoder writes.
    let mut damaged = file;
    let middle = damaged.len() / 2;
    damaged[middle..middle + 5000].fill(0xff);
    let collected = read_with(&damaged, &options(16 << 20, &[]));
    let rejected = collected.rejected.last().unwrap();
    assert!(collected.documents.len() > 4_000 && rejected.records > 4_000);
    assert_eq!(rejected.reason, "bad-parquet");
}
