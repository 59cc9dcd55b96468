//! The fixed-width records of a query index. All little-endian.

use crate::Sealed;
use model::{record, word_record};

/// ⟨key of a URL, document⟩, ordered by both; in an index the newest document of a key comes last.
/// 12 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct UrlRecord {
    /// A keyed hash of the URL.
    pub key: u64,
    /// A document with that URL.
    pub doc: u32,
}

record! { UrlRecord { key, doc }, |url| url.key }

/// ⟨group, document⟩, ordered by both: the documents of a cluster, or those that a representative
/// stands for. 8 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct GroupRecord {
    /// The cluster, or the representative.
    pub group: u32,
    /// A document of it.
    pub doc: u32,
}

record! {
    GroupRecord { group, doc },
    |member| u64::from(member.group) << 32 | u64::from(member.doc)
}
word_record! { GroupRecord { group, doc } }

/// Windows of a document, side by side, that stand side by side in another one first. 16 bytes, by
/// that place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct QuoteRecord {
    /// The document that has them first.
    pub source_doc: u32,
    /// The token at which the first of them begins there.
    pub source_begin: u32,
    /// The document that quotes it.
    pub doc: u32,
    /// The token at which the first of them begins.
    pub begin: u32,
}

record! {
    QuoteRecord { source_doc, source_begin, doc, begin },
    |quote| u64::from(quote.source_doc) << 32 | u64::from(quote.source_begin)
}
word_record! { QuoteRecord { source_doc, source_begin, doc, begin } }

/// The prefix of the first record of a block. 8 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct BlockKey(pub u64);

record! { BlockKey { 0 }, |key| key.0 }

/// Where a block of rows is, and which document its first row belongs to. 20 bytes, ordered by
/// document, then place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct BlockPlace {
    /// The document of its first row, relative to the snapshot.
    pub first: u32,
    /// The segment whose file it lies in.
    pub segment: u32,
    /// Its number in that file.
    pub block: u32,
    /// Byte of the file where it begins.
    pub offset: u64,
}

record! { BlockPlace { first, segment, block, offset }, |place| u64::from(place.first) }

/// Tells a finished file from another file of the same name. 24 bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Seal {
    /// Bytes of the file.
    pub bytes: u64,
    /// Records or rows.
    pub records: u64,
    /// Checksum of its trailer.
    pub checksum: u64,
}

impl Seal {
    /// The seal of a file that a manifest lists.
    pub fn of(sealed: &Sealed) -> Seal {
        Seal {
            bytes: sealed.bytes,
            records: sealed.records,
            checksum: u64::from_str_radix(&sealed.checksum, 16).unwrap_or(0),
        }
    }

    /// The entry of a manifest for a file of this name.
    pub fn named(&self, name: String) -> Sealed {
        Sealed {
            name,
            bytes: self.bytes,
            records: self.records,
            checksum: format!("{:016x}", self.checksum),
        }
    }
}

/// A segment of an index: its first document and its files, in the order documents, marks, sketch
/// sizes, sketches. 112 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SegmentRecord {
    /// Its first document.
    pub first: u32,
    /// Its documents.
    pub documents: u32,
    /// Number of its snapshot.
    pub snapshot: u32,
    /// Which segment of its snapshot it is.
    pub number: u32,
    /// Its files.
    pub files: [Seal; 4],
}

record! { Seal { bytes, records, checksum } }

impl SegmentRecord {
    /// The first part of the names of its files.
    pub fn name(&self) -> String {
        segment_name(self.snapshot, self.number)
    }
}

/// Name of a segment of a snapshot, also the first part of its files' names.
pub fn segment_name(snapshot: u32, number: u32) -> String {
    format!("segment-{snapshot}-{number:05}")
}

record! {
    SegmentRecord { first, documents, snapshot, number, files },
    |segment| u64::from(segment.first)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record_bytes::{bytes_of, counted, round_trip};
    use model::Record;
    use proptest::prelude::*;

    /// Publications of earlier runs stay readable.
    #[test]
    fn records_keep_their_bytes() {
        assert_eq!(bytes_of(UrlRecord { key: 1, doc: 2 }), counted(&[8, 4]));
        assert_eq!(bytes_of(GroupRecord { group: 1, doc: 2 }), counted(&[4, 4]));
        let quote = QuoteRecord {
            source_doc: 1,
            source_begin: 2,
            doc: 3,
            begin: 4,
        };
        assert_eq!(bytes_of(quote), counted(&[4; 4]));
        assert_eq!(bytes_of(BlockKey(1)), counted(&[8]));
        let place = BlockPlace {
            first: 1,
            segment: 2,
            block: 3,
            offset: 4,
        };
        assert_eq!(bytes_of(place), counted(&[4, 4, 4, 8]));
        let seal = |first: u64| Seal {
            bytes: first,
            records: first + 1,
            checksum: first + 2,
        };
        assert_eq!(bytes_of(seal(1)), counted(&[8; 3]));
        let segment = SegmentRecord {
            first: 1,
            documents: 2,
            snapshot: 3,
            number: 4,
            files: [seal(5), seal(8), seal(11), seal(14)],
        };
        let widths = [&[4; 4][..], &[8; 12]].concat();
        assert_eq!(bytes_of(segment), counted(&widths));
    }

    proptest! {
        #[test]
        fn records_read_back(key: u64, offset: u64, n: [u32; 3], seals: [[u64; 3]; 4]) {
            let [a, b, c] = n;
            round_trip(UrlRecord { key, doc: a });
            round_trip(GroupRecord { group: a, doc: b });
            round_trip(QuoteRecord { source_doc: a, source_begin: b, doc: c, begin: a ^ 1 });
            round_trip(BlockKey(key));
            round_trip(BlockPlace { first: a, segment: b, block: c, offset });
            let files = seals.map(|[bytes, records, checksum]| Seal { bytes, records, checksum });
            round_trip(SegmentRecord { first: a, documents: b, snapshot: b ^ 1, number: a ^ 2, files });
            for seal in files {
                prop_assert_eq!(Seal::of(&seal.named(String::new())), seal);
            }
        }

        #[test]
        fn prefixes_keep_the_order(x in [0_u32..3, 0_u32..3], y in [0_u32..3, 0_u32..3], k: [u64; 2]) {
            let group = |n: [u32; 2]| GroupRecord { group: n[0], doc: n[1] };
            prop_assert_eq!(group(x).cmp(&group(y)), group(x).prefix().cmp(&group(y).prefix()));
            let quote = |n: [u32; 2]| QuoteRecord { source_doc: n[0], source_begin: n[1], doc: 0, begin: 0 };
            prop_assert_eq!(quote(x).cmp(&quote(y)), quote(x).prefix().cmp(&quote(y).prefix()));
            prop_assert_eq!(BlockKey(k[0]).cmp(&BlockKey(k[1])), k[0].cmp(&k[1]));
        }
    }
}
