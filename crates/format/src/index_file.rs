//! The files of a query index: their names, and the kinds of their content.

use crate::FileKind;

/// The files of an index that have a name of their own, besides its first page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IndexFile {
    /// Classes of equal documents, by document.
    Classes,
    /// Common shingles, by shingle.
    Common,
    /// Links, by both documents.
    Links,
    /// Documents of clusters, by document.
    Members,
    /// Pairs whose shingles were all compared.
    Settled,
    /// Clusters, by id.
    Clusters,
    /// Documents, by key of their URL.
    Urls,
    /// Documents, by cluster.
    ClusterDocuments,
    /// Documents, by representative.
    ClassDocuments,
    /// Input files.
    Sources,
    /// Segments.
    Segments,
    /// Keys of the blocks of all sorted files.
    Keys,
    /// Places of the blocks of all files of rows.
    Blocks,
}

impl IndexFile {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            IndexFile::Classes => "classes",
            IndexFile::Common => "common",
            IndexFile::Links => "links",
            IndexFile::Members => "members",
            IndexFile::Settled => "settled",
            IndexFile::Clusters => "clusters",
            IndexFile::Urls => "urls",
            IndexFile::ClusterDocuments => "cluster-documents",
            IndexFile::ClassDocuments => "class-documents",
            IndexFile::Sources => "sources",
            IndexFile::Segments => "segments",
            IndexFile::Keys => "keys",
            IndexFile::Blocks => "blocks",
        }
    }

    /// The kind of its content.
    pub fn kind(self) -> FileKind {
        match self {
            IndexFile::Classes => FileKind::Classes,
            IndexFile::Common => FileKind::Common,
            IndexFile::Links => FileKind::Links,
            IndexFile::Members => FileKind::Members,
            IndexFile::Settled => FileKind::Settled,
            IndexFile::Clusters => FileKind::Clusters,
            IndexFile::Urls => FileKind::Urls,
            IndexFile::ClusterDocuments | IndexFile::ClassDocuments => FileKind::Groups,
            IndexFile::Sources => FileKind::Sources,
            IndexFile::Segments => FileKind::Segments,
            IndexFile::Keys => FileKind::Keys,
            IndexFile::Blocks => FileKind::Blocks,
        }
    }
}

/// The files of a segment that an index has, in the order of [`crate::SegmentRecord::files`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SegmentPart {
    /// Document rows.
    Documents,
    /// Marks.
    Marks,
    /// Sketch sizes.
    Sizes,
    /// Sketches.
    Sketches,
}

impl SegmentPart {
    /// All of them, in order.
    pub const ALL: [SegmentPart; 4] = [
        SegmentPart::Documents,
        SegmentPart::Marks,
        SegmentPart::Sizes,
        SegmentPart::Sketches,
    ];

    /// How the names of such files end; also the name of their part of the places.
    pub fn extension(self) -> &'static str {
        match self {
            SegmentPart::Documents => "documents",
            SegmentPart::Marks => "marks",
            SegmentPart::Sizes => "sizes",
            SegmentPart::Sketches => "sketches",
        }
    }

    /// The kind of their content.
    pub fn kind(self) -> FileKind {
        match self {
            SegmentPart::Documents => FileKind::Documents,
            SegmentPart::Marks => FileKind::Marks,
            SegmentPart::Sizes => FileKind::Sizes,
            SegmentPart::Sketches => FileKind::Sketches,
        }
    }
}
