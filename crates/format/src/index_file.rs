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
    /// Passages, by document; only where they are looked for.
    Passages,
    /// Passages by the place where they stand first; only where they are looked for.
    Quotes,
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
        self.described().0
    }

    /// The kind of its content.
    pub fn kind(self) -> FileKind {
        self.described().1
    }

    fn described(self) -> (&'static str, FileKind) {
        match self {
            IndexFile::Classes => ("classes", FileKind::Classes),
            IndexFile::Common => ("common", FileKind::Common),
            IndexFile::Links => ("links", FileKind::Links),
            IndexFile::Members => ("members", FileKind::Members),
            IndexFile::Settled => ("settled", FileKind::Settled),
            IndexFile::Clusters => ("clusters", FileKind::Clusters),
            IndexFile::Passages => ("passages", FileKind::Passages),
            IndexFile::Quotes => ("quotes", FileKind::Quotes),
            IndexFile::Urls => ("urls", FileKind::Urls),
            IndexFile::ClusterDocuments => ("cluster-documents", FileKind::Groups),
            IndexFile::ClassDocuments => ("class-documents", FileKind::Groups),
            IndexFile::Sources => ("sources", FileKind::Sources),
            IndexFile::Segments => ("segments", FileKind::Segments),
            IndexFile::Keys => ("keys", FileKind::Keys),
            IndexFile::Blocks => ("blocks", FileKind::Blocks),
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
        self.described().0
    }

    /// The kind of their content.
    pub fn kind(self) -> FileKind {
        self.described().1
    }

    fn described(self) -> (&'static str, FileKind) {
        match self {
            SegmentPart::Documents => ("documents", FileKind::Documents),
            SegmentPart::Marks => ("marks", FileKind::Marks),
            SegmentPart::Sizes => ("sizes", FileKind::Sizes),
            SegmentPart::Sketches => ("sketches", FileKind::Sketches),
        }
    }
}
