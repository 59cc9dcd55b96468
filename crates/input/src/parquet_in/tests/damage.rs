//! Files that were damaged, or made to do damage.

use std::collections::BTreeMap;
use std::io::Write;

use bytes::Bytes;
use parquet::basic::Compression;
use parquet::file::metadata::{
    ColumnChunkMetaDataBuilder, ParquetMetaData, ParquetMetaDataReader, ParquetMetaDataWriter,
    RowGroupMetaData,
};
use proptest::prelude::*;

use super::*;
use decode::{
    document::{Document, Rejection, Sink, SinkError},
    options::Piece,
};

pub(super) fn metadata_of(content: &[u8]) -> ParquetMetaData {
    ParquetMetaDataReader::new()
        .parse_and_finish(&Bytes::copy_from_slice(content))
        .unwrap()
}

/// The file with another footer: `change` is applied to the first column of the first row group.
pub(super) fn with_footer(
    content: &[u8],
    rows: i64,
    change: impl FnOnce(ColumnChunkMetaDataBuilder) -> ColumnChunkMetaDataBuilder,
) -> Vec<u8> {
    let metadata = metadata_of(content);
    let old = metadata.row_group(0);
    let column = change(old.column(0).clone().into_builder())
        .build()
        .unwrap();
    let group = RowGroupMetaData::builder(old.schema_descr_ptr()).set_num_rows(rows);
    let group = group
        .set_total_byte_size(old.total_byte_size())
        .add_column_metadata(column)
        .build()
        .unwrap();
    with_row_groups(content, vec![group])
}

/// The file with a footer of these row groups.
pub(super) fn with_row_groups(content: &[u8], groups: Vec<RowGroupMetaData>) -> Vec<u8> {
    let footer = u32::from_le_bytes(*content[..content.len() - 4].last_chunk().unwrap()) as usize;
    let mut out = content[..content.len() - 8 - footer].to_vec();
    let builder = metadata_of(content).into_builder();
    let metadata = builder.set_row_groups(groups).build();
    ParquetMetaDataWriter::new(&mut out, &metadata)
        .finish()
        .unwrap();
    out
}

/// A file of one column whose only column chunk is `pages`, of which the first `dictionary` bytes
/// are a dictionary page.
fn with_pages(pages: &[u8], dictionary: Option<usize>, rows: i64, codec: Compression) -> Vec<u8> {
    let content = parquet(
        TEXT,
        plain().set_dictionary_enabled(false),
        &[vec![texts(&["a"])]],
    );
    let footer = u32::from_le_bytes(*content[..content.len() - 4].last_chunk().unwrap()) as usize;
    let (before, footer) = content.split_at(content.len() - 8 - footer);
    let offset = before.len() as i64;
    let moved = [before, pages, footer].concat();
    with_footer(&moved, rows, |column| {
        column
            .set_data_page_offset(offset + dictionary.unwrap_or(0) as i64)
            .set_dictionary_page_offset(dictionary.map(|_| offset))
            .set_total_compressed_size(pages.len() as i64)
            .set_num_values(rows)
            .set_compression(codec)
    })
}

/// A file of one column whose only page has this header and body.
fn with_page(header: &[u8], body: &[u8], rows: i64, codec: Compression) -> Vec<u8> {
    with_pages(&[header, body].concat(), None, rows, codec)
}

fn varint(mut value: u64, out: &mut Vec<u8>) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// A version 1 data page header: sizes, and one row count for a plain page.
fn page_header(uncompressed: u64, compressed: u64, values: u64) -> Vec<u8> {
    let mut header = vec![0x15, 0, 0x15];
    varint(uncompressed << 1, &mut header);
    header.push(0x15);
    varint(compressed << 1, &mut header);
    header.extend([0x2c, 0x15]);
    varint(values << 1, &mut header);
    header.extend([0x15, 0, 0x15, 6, 0x15, 6, 0, 0]);
    header
}

fn gzip(content: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}

fn good() -> Vec<u8> {
    parquet(
        TEXT,
        plain(),
        &[vec![texts(&["one", "two"])], vec![texts(&["three"])]],
    )
}

/// The only reason, and what it says.
fn refusal(content: &[u8]) -> (&'static str, String) {
    let collected = read(content);
    let [rejection] = &collected.rejected[..] else {
        panic!("{collected:?}")
    };
    assert_eq!(collected.documents.len(), 0);
    (rejection.reason, rejection.detail.clone())
}

/// Items 53, 54: what is wrong at the end of the file costs the file.
#[test]
fn footers_that_lie() {
    let good = good();
    let end = good.len();
    let with_tail =
        |length: u32, magic: &[u8; 4]| [&good[..end - 8], &length.to_le_bytes(), magic].concat();
    assert_eq!(refusal(b"P").0, "bad-parquet");
    assert_eq!(refusal(b"PAR1").0, "bad-parquet");
    assert_eq!(refusal(b"PAR1PAR1").0, "bad-parquet");
    assert_eq!(refusal(b"PAR1\0\0\0\0PAR1").0, "bad-parquet");
    assert_eq!(refusal(&good[..end - 1]).0, "bad-parquet");
    assert!(refusal(&good[..end / 2]).1.contains("truncated"));
    assert_eq!(refusal(&with_tail(10, b"PARE")).0, "encrypted");
    for length in [0, 1, end as u32, 1 << 31, u32::MAX] {
        assert_eq!(
            refusal(&with_tail(length, b"PAR1")).0,
            "bad-parquet",
            "{length}"
        );
    }
    // A list of 2^31 row groups, in a few bytes.
    let list = [
        b"PAR1".as_slice(),
        &[0x15, 2, 0x19, 0xfc, 0xff, 0xff, 0xff, 0xff, 7],
        &9u32.to_le_bytes(),
        b"PAR1",
    ]
    .concat();
    assert_eq!(refusal(&list).0, "bad-parquet");
    let piece = Piece {
        file: 0,
        start: 3,
        end: 6,
    };
    let end = crate::read_piece(
        &fixture(b"not parquet").file,
        &piece,
        None,
        &options(9, &[]),
        &mut Collected::default(),
    );
    assert_eq!(
        end.unwrap().first,
        None,
        "only the first piece speaks of the file"
    );
}

#[test]
fn a_footer_too_large_is_not_parsed() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("x.parquet");
    let mut file = std::fs::File::create(&path).unwrap();
    file.set_len(100 << 20).unwrap();
    std::io::Seek::seek(&mut file, std::io::SeekFrom::End(0)).unwrap();
    file.write_all(&[&(80u32 << 20).to_le_bytes()[..], b"PAR1"].concat())
        .unwrap();
    let (collected, _) = read_whole(&source(&path, Format::Parquet), &options(9, &[]));
    assert_eq!(collected.reasons(), ["footer-too-large"]);
}

/// Item 60.
#[test]
fn a_codec_that_is_not_there_is_named() {
    for (codec, name) in [
        (Compression::LZO, "LZO"),
        (Compression::LZ4_RAW, "LZ4_RAW"),
        (Compression::BROTLI(Default::default()), "BROTLI"),
    ] {
        let (reason, detail) = refusal(&with_footer(&good(), 2, |column| {
            column.set_compression(codec)
        }));
        assert_eq!(reason, "codec");
        assert!(detail.contains(name) && detail.contains("text"), "{detail}");
    }
}

/// Item 55 and what else a row group may claim: it costs the row group.
#[test]
fn row_groups_that_lie() {
    let good = good();
    let bad = |rows, change: fn(ColumnChunkMetaDataBuilder) -> ColumnChunkMetaDataBuilder| {
        let (reason, detail) = refusal(&with_footer(&good, rows, change));
        assert!(detail.contains("row group 0"), "{detail}");
        reason
    };
    assert_eq!(bad(-1, |column| column.set_num_values(-1)), "bad-parquet");
    assert_eq!(bad(3, |column| column), "bad-parquet");
    assert_eq!(
        bad(2, |column| column
            .set_data_page_offset(-5)
            .set_dictionary_page_offset(None)),
        "bad-parquet"
    );
    assert_eq!(
        bad(2, |column| column.set_dictionary_page_offset(Some(1 << 40))),
        "bad-parquet"
    );
    assert_eq!(
        bad(2, |column| column.set_total_compressed_size(i64::MAX)),
        "bad-parquet"
    );
    assert_eq!(
        bad(2, |column| column.set_total_compressed_size(7)),
        "bad-parquet"
    );
    assert_eq!(
        bad(1 << 40, |column| column.set_num_values(1 << 40)),
        "bad-parquet"
    );
    let collected = read(&with_footer(&good, 5, |column| column.set_num_values(5)));
    assert_eq!(
        (collected.texts(), collected.reasons()),
        (vec!["one", "two"], vec!["bad-parquet"]),
        "what is there is kept"
    );
    assert!(
        collected.rejected[0].detail.contains("from row 2 of 5"),
        "{:?}",
        collected.rejected
    );
}

/// Item 55: a damaged page header costs its row group; other row groups are read.
#[test]
fn a_damaged_row_group_does_not_cost_the_others() {
    let mut content = good();
    let (offset, _) = metadata_of(&content).row_group(0).column(0).byte_range();
    content[offset as usize] = 0xff;
    let collected = read(&content);
    assert_eq!(
        (collected.texts(), collected.reasons()),
        (vec!["three"], vec!["bad-parquet"])
    );
}

/// Item 55: where a page has a checksum, it is compared.
#[test]
fn the_checksum_of_a_page_is_checked() {
    // Levels: four bytes of length, a run of one 1. Then the value: its length and itself.
    let body = b"\x02\0\0\0\x02\x01\x01\0\0\0a";
    let page = |crc: u32| {
        let plain = page_header(11, 11, 1);
        let (sizes, rest) = plain.split_at(6);
        let mut header = sizes.to_vec();
        header.push(0x15);
        let crc = i64::from(crc.cast_signed());
        varint((crc << 1 ^ crc >> 63).cast_unsigned(), &mut header);
        // The field after the checksum has the next number: its type stays, the step becomes one.
        header.push(0x1c);
        header.extend(&rest[1..]);
        with_page(&header, body, 1, Compression::UNCOMPRESSED)
    };
    let mut crc = flate2::Crc::new();
    crc.update(body);
    assert_eq!(read(&page(crc.sum())).texts(), ["a"]);
    let (reason, detail) = refusal(&page(crc.sum() ^ 1));
    assert!(
        reason == "bad-parquet" && detail.contains("CRC"),
        "{detail}"
    );
}

/// Item 56: sizes that are claimed are not allocated.
#[test]
fn bombs_do_not_go_off() {
    let claims = with_page(
        &page_header((2 << 30) - 1, 5, 1),
        b"abcde",
        1,
        Compression::SNAPPY,
    );
    assert_eq!(refusal(&claims).0, "bad-parquet");
    let bomb = gzip(&vec![0; 70 << 20]);
    let lies = with_page(
        &page_header(100, bomb.len() as u64, 1),
        &bomb,
        1,
        Compression::GZIP(Default::default()),
    );
    let (reason, detail) = refusal(&lies);
    assert!(
        reason == "bad-parquet" && detail.contains("gzip"),
        "{detail}"
    );

    // A dictionary of one text of 1 MiB, and one run of 9,999 rows that are it.
    let text = "x".repeat(1 << 20);
    let small = parquet(
        TEXT,
        plain().set_dictionary_page_size_limit(2 << 20),
        &[vec![texts(&[&text])]],
    );
    let column = metadata_of(&small).row_group(0).column(0).clone();
    let (start, end) = (
        column.dictionary_page_offset().unwrap() as usize,
        column.data_page_offset() as usize,
    );
    // Levels: a run of 9,999 ones. Values: indices of one bit, a run of 9,999 zeros.
    let body = b"\x04\0\0\0\x9e\x9c\x01\x01\x01\x9e\x9c\x01\0";
    let mut header = page_header(body.len() as u64, body.len() as u64, 9_999);
    let encoding = header.len() - 7;
    assert_eq!(header[encoding], 0, "PLAIN");
    header[encoding] = 16;
    let pages = [&small[start..end], &header, body].concat();
    let bomb = with_pages(&pages, Some(end - start), 9_999, Compression::UNCOMPRESSED);
    let count = Count::of(&bomb);
    // 200 times its 1 MiB.
    let rest = BTreeMap::from([("expands-too-far", 9_999 - 200)]);
    assert_eq!((count.documents, count.lost), (200, rest));
}

/// The length that a stream of deltas claims is not allocated either.
#[test]
fn deltas_that_lie() {
    // Blocks of 128 values in 4 mini-blocks; values; the first one is 1. No deltas follow.
    let deltas = |count: u64| {
        let mut head = vec![0x80, 1, 4];
        varint(count, &mut head);
        head.push(2);
        head
    };
    let page = |encoding: u8, streams: &[&[u8]]| {
        // Levels: four bytes of length, a run of one 1.
        let body = [&b"\x02\0\0\0\x02\x01"[..], &streams.concat()].concat();
        let mut header = page_header(body.len() as u64, body.len() as u64, 1);
        let at = header.len() - 7;
        header[at] = encoding << 1;
        with_page(&header, &body, 1, Compression::UNCOMPRESSED)
    };
    const LENGTHS: u8 = 6;
    const PREFIXES: u8 = 7;
    let zero = [0x80, 1, 4, 1, 0];
    assert_eq!(read(&page(LENGTHS, &[&deltas(1), b"a"])).texts(), ["a"]);
    assert_eq!(
        read(&page(PREFIXES, &[&zero, &deltas(1), b"a"])).texts(),
        ["a"]
    );
    for count in [2, 1 << 50, u64::MAX] {
        for lie in [
            page(LENGTHS, &[&deltas(count), b"a"]),
            page(PREFIXES, &[&deltas(count), &deltas(1), b"a"]),
            page(PREFIXES, &[&zero, &deltas(count), b"a"]),
        ] {
            let (reason, detail) = refusal(&lie);
            assert!(
                reason == "bad-parquet" && detail.contains("more deltas"),
                "{detail}"
            );
        }
    }
}

/// The sums of many rows.
#[derive(Default)]
pub(super) struct Count {
    pub(super) documents: u64,
    /// Records rejected, by reason.
    pub(super) lost: BTreeMap<&'static str, u64>,
}

impl Count {
    pub(super) fn of(content: &[u8]) -> Count {
        let mut count = Count::default();
        let fixture = fixture(content);
        let piece = Piece::whole(0, fixture.file.stat.bytes);
        let options = options(1 << 20, &[]);
        crate::read_piece(&fixture.file, &piece, None, &options, &mut count).unwrap();
        count
    }
}

impl Sink for Count {
    fn document(&mut self, _: &Document<'_>) -> Result<(), SinkError> {
        self.documents += 1;
        Ok(())
    }

    fn rejected(&mut self, rejection: Rejection) -> Result<(), SinkError> {
        *self.lost.entry(rejection.reason).or_default() += rejection.records;
        Ok(())
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    /// Flipped bits anywhere: no panic reaches the caller, pieces still agree with one reader.
    #[test]
    fn flipped_bits_cost_what_they_hit(
        layout in layout(), flips in prop::collection::vec((any::<usize>(), 0u8..8), 1..6), cuts in prop::collection::vec(any::<u64>(), 0..3),
    ) {
        let mut content = written(&layout);
        for (at, bit) in flips {
            let at = at % content.len();
            content[at] ^= 1 << bit;
        }
        let fixture = fixture(&content);
        let options = options(10_000, &["x"]);
        let (whole, _) = read_whole(&fixture.file, &options);
        prop_assert_eq!(read_in_pieces(&fixture.file, &cuts, &options).unwrap(), whole);
    }

    #[test]
    fn a_file_cut_off_anywhere_is_refused(layout in layout(), keep in any::<usize>()) {
        let content = written(&layout);
        let cut = &content[..1 + keep % (content.len() - 1)];
        prop_assert_eq!(read(cut).reasons(), ["bad-parquet"]);
    }
}
