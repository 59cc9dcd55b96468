//! How far a file may expand, and how many rows are lost with what is given up.

use std::collections::BTreeMap;

use super::damage::{Count, metadata_of, with_footer, with_row_groups};
use super::*;
use decode::expansion::{EXPANDS_TOO_FAR, FREE_BYTES};

/// Two columns of text, `id` before `text`.
const ID_AND_TEXT: &str = "optional binary id (UTF8); optional binary text (UTF8);";

fn repeated(text: &str, rows: usize) -> Values {
    Values::Bytes(vec![Some(text.as_bytes().to_vec()); rows])
}

fn dictionary() -> WriterPropertiesBuilder {
    plain().set_dictionary_page_size_limit(2 << 20)
}

#[test]
fn a_plain_column_of_few_values_is_read() {
    let content = parquet(TEXT, dictionary(), &[vec![repeated("a b c", 200_000)]]);
    assert!(content.len() < 2_000);
    let count = Count::of(&content);
    assert_eq!((count.documents, count.lost), (200_000, BTreeMap::new()));
}

#[test]
fn a_value_counts_in_every_row_that_refers_to_it() {
    let long = "x".repeat(1 << 20);
    let rows = || vec![repeated(&long, 40), repeated("a b c", 40)];
    let content = parquet(
        ID_AND_TEXT,
        dictionary().set_compression(zstd()),
        &[rows(), rows(), rows()],
    );
    assert!(content.len() < 5_000);
    let collected = read(&content);
    // The allowance is that of the file.
    let most = FREE_BYTES >> 20;
    let documents = collected.documents.len() as u64;
    assert!(documents <= most && documents + 2 > most, "{documents}");
    let lost: u64 = collected.rejected.iter().map(|one| one.records).sum();
    assert_eq!(lost, 120 - documents);
    assert_eq!(collected.reasons(), [EXPANDS_TOO_FAR, EXPANDS_TOO_FAR]);
    let detail = &collected.rejected[0].detail;
    assert!(
        detail.starts_with("row group 1, from row 24 of 40: ")
            && detail.contains("raise max-expansion in [input], which is 200"),
        "{detail}"
    );
    // As much as is allowed is read.
    let more = ReadOptions {
        max_expansion: u32::MAX,
        ..options(1 << 20, &[])
    };
    assert_eq!(read_with(&content, &more).documents.len(), 120);
}

#[test]
fn texts_under_other_names_and_rows_of_nothing_count_too() {
    let schema = "optional binary text (UTF8); optional binary content (UTF8);";
    let long = "x".repeat(1 << 20);
    let group = vec![Values::Bytes(vec![None; 100]), repeated(&long, 100)];
    let count = Count::of(&parquet(
        schema,
        dictionary().set_compression(zstd()),
        &[group],
    ));
    assert_eq!(
        count.lost,
        BTreeMap::from([(EXPANDS_TOO_FAR, 100 - count.documents)])
    );
    assert!(count.documents == 64, "{}", count.documents);
    // A rejection takes more than 64 bytes of a work file.
    let nulls = vec![Values::Bytes(vec![None; 2 << 20])];
    let count = Count::of(&parquet(TEXT, dictionary(), &[nulls]));
    let rejected = count.lost["no-text"];
    assert!((1 << 18..1 << 20).contains(&rejected), "{rejected}");
    assert_eq!(count.lost[EXPANDS_TOO_FAR], (2 << 20) - rejected);
}

#[test]
fn pages_that_a_footer_names_many_times_are_bytes_of_one_row_group() {
    let long = "x".repeat(1 << 20);
    let content = parquet(TEXT, dictionary(), &[vec![repeated(&long, 10)]]);
    let group = metadata_of(&content).row_group(0).clone();
    let content = with_row_groups(&content, vec![group; 100]);
    let documents = Count::of(&content).documents;
    // The bytes of the file allow 200 for each of them once, and the free ones come once.
    let allowed = (content.len() as u64 * 200).max(FREE_BYTES) + FREE_BYTES;
    assert!(documents << 20 <= allowed, "{documents}");
}

#[test]
fn all_rows_of_what_is_refused_are_counted() {
    let rows = |count: usize| vec![repeated("a b c", count)];
    let apart = plain().set_dictionary_enabled(false);
    let mut damaged = parquet(TEXT, apart.clone(), &[rows(7), rows(5)]);
    let (start, _) = metadata_of(&damaged).row_group(0).column(0).byte_range();
    damaged[start as usize] ^= 0xff;
    let claiming = |rows_claimed: i64| {
        with_footer(
            &parquet(TEXT, apart.clone(), &[rows(3)]),
            rows_claimed,
            |column| column.set_num_values(rows_claimed),
        )
    };
    let unnamed = parquet(
        &TEXT.replace("text", "x"),
        apart.clone(),
        &[rows(7), rows(5)],
    );
    for (content, documents, reason, lost) in [
        (damaged, 5, "bad-parquet", 7),
        // Three of the rows are there.
        (claiming(10), 3, "bad-parquet", 7),
        // Nobody believes so many.
        (claiming(1 << 40), 0, "bad-parquet", 1),
        (unnamed, 0, "no-text-column", 12),
    ] {
        let count = Count::of(&content);
        let expected = BTreeMap::from([(reason, lost)]);
        assert_eq!((count.documents, count.lost), (documents, expected));
    }
}

fn zstd() -> Compression {
    Compression::ZSTD(Default::default())
}
