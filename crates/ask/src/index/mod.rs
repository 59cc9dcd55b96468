//! The query index of a publication, opened for reading.
//!
//! *Input.* The directory `index` of a publication, and the secret constants of its run. *Output.*
//! Documents by number, URL or cluster; their sketches; documents by shingle. *Algorithm.* The four
//! maps of *Syntactic Clustering of the Web*, "Query support": URL → ids, id → cluster, cluster →
//! ids, id → URL; and the sorted postings as an inverted index (Manning, Raghavan and Schütze,
//! *Introduction to Information Retrieval*, 1.2). Each is a sorted file with a sparse index of the
//! first key of each block. *Memory.* One bit a block of the files that were touched. *Disk.*
//! Opening reads the first page and maps each file but those of segments, which are opened when
//! they are needed: the size of the corpus does not matter. A file is compared with the first page
//! at its first use. A lookup reads a few blocks. *Limits.* Files that are opened later
//! must stay where they are: [`Index::held_by`].

mod documents;
mod groups;
mod marks;
mod passages;
mod posting_file;
mod postings;
mod sketches;
mod urls;

pub use documents::StoredSource;
pub use groups::{Membership, Relation};
pub use passages::IndexedPassages;
pub(crate) use passages::line;
pub use postings::Postings;
pub use sketches::StoredSketch;
pub use urls::UrlMatches;

use format::{
    BlockKey, BlockPlace, ClusterRecord, CommonRecord, Disk, FileKind, FormatError, GroupRecord,
    IndexFile, IndexManifest, KeyRange, LinkRecord, MappedRecords, MappedRows, MemberRecord,
    PlaceRange, PublicIds, SegmentFiles, SegmentPart, SegmentRecord, SettledRecord, SnapshotSpan,
    SortedRecords, UrlRecord,
};
use marks::IndexedMarks;
use model::{Class, KeyRule, Record, Sampling};
use posting_file::PostingFile;
use sketch::UrlKeys;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// An open index. Documents have numbers of their own in it, from 0 up, in the order of their
/// public ids.
///
/// Answers are errors at damage, and where there is no such document or file.
#[derive(Debug)]
pub struct Index {
    dir: PathBuf,
    keys: UrlKeys,
    manifest: IndexManifest,
    ids: PublicIds,
    sampling: Sampling,
    key_rule: KeyRule,
    /// Whether common shingles do not count in what two documents share.
    drops_common: bool,
    documents: u32,
    urls: SortedRecords<UrlRecord>,
    classes: SortedRecords<Class>,
    class_documents: SortedRecords<GroupRecord>,
    members: SortedRecords<MemberRecord>,
    clusters: SortedRecords<ClusterRecord>,
    cluster_documents: SortedRecords<GroupRecord>,
    links: SortedRecords<LinkRecord>,
    settled: SortedRecords<SettledRecord>,
    postings: Vec<PostingFile>,
    common: SortedRecords<CommonRecord>,
    passages: Option<IndexedPassages>,
    rows: MappedRows,
    sketch_sizes: MappedRows,
    sketches: MappedRows,
    sources: MappedRows,
    marks: IndexedMarks,
    /// The lock that keeps runs from removing the files that are not yet opened.
    _lock: Option<File>,
}

/// The line of the parameters by which common shingles are dropped.
const DROPS_COMMON: &str = "common = drop";

/// Opens the files that the first page names.
struct Opener<'a> {
    disk: &'a Disk,
    dir: &'a Path,
    manifest: &'a IndexManifest,
}

impl Opener<'_> {
    fn records<R: Record>(&self, file: IndexFile) -> Result<MappedRecords<R>, FormatError> {
        let sealed = self.manifest.file(self.dir, file.name())?;
        MappedRecords::open_sealed(self.disk, self.dir, sealed, file.kind())
    }

    /// Records with the part `name` of the keys of blocks.
    fn with_keys<R: Record>(
        &self,
        records: MappedRecords<R>,
        name: &str,
        keys: &Arc<MappedRecords<BlockKey>>,
    ) -> Result<SortedRecords<R>, FormatError> {
        let range = self.manifest.part(self.dir, name)?;
        let keys = Arc::clone(keys);
        Ok(SortedRecords::new(records, KeyRange { keys, range }))
    }

    fn sorted<R: Record>(
        &self,
        file: IndexFile,
        keys: &Arc<MappedRecords<BlockKey>>,
    ) -> Result<SortedRecords<R>, FormatError> {
        self.with_keys(self.records(file)?, file.name(), keys)
    }

    /// The postings, file by file.
    fn postings(
        &self,
        keys: &Arc<MappedRecords<BlockKey>>,
    ) -> Result<Vec<PostingFile>, FormatError> {
        let open = |level: &format::MergeLevel| {
            let (sealed, kind) = (&level.sealed, FileKind::Postings);
            let records = MappedRecords::open_sealed(self.disk, self.dir, sealed, kind)?;
            let records = self.with_keys(records, &sealed.name, keys)?;
            Ok(PostingFile::new(records, level, &self.manifest.snapshots))
        };
        self.manifest.postings.iter().map(open).collect()
    }

    /// The passages, if the run looked for them.
    fn passages(
        &self,
        keys: &Arc<MappedRecords<BlockKey>>,
    ) -> Result<Option<IndexedPassages>, FormatError> {
        let IndexManifest {
            files, parameters, ..
        } = self.manifest;
        if !files.contains_key(IndexFile::Passages.name()) {
            return Ok(None);
        }
        let passages = self.sorted(IndexFile::Passages, keys)?;
        let quotes = self.sorted(IndexFile::Quotes, keys)?;
        Ok(Some(IndexedPassages::new(passages, quotes, parameters)))
    }

    fn places(
        &self,
        name: &str,
        places: &Arc<MappedRecords<BlockPlace>>,
    ) -> Result<PlaceRange, FormatError> {
        let range = self.manifest.part(self.dir, name)?;
        Ok(PlaceRange {
            places: Arc::clone(places),
            range: range.start..range.end.min(places.len()),
        })
    }
}

impl Index {
    /// Opens the index in this directory. `keys` are those of the seed that the run had.
    /// A file that is damaged or another one is an error of the first answer that needs it.
    pub fn open(disk: &Disk, dir: &Path, keys: UrlKeys) -> Result<Index, FormatError> {
        let manifest = IndexManifest::load(disk, dir)?;
        let open = Opener {
            disk,
            dir,
            manifest: &manifest,
        };
        let block_keys = Arc::new(open.records::<BlockKey>(IndexFile::Keys)?);
        let places = Arc::new(open.records::<BlockPlace>(IndexFile::Blocks)?);
        let segments = Arc::new(open.records::<SegmentRecord>(IndexFile::Segments)?);
        let files = |part: SegmentPart| SegmentFiles {
            disk: disk.clone(),
            dir: dir.to_path_buf(),
            segments: Arc::clone(&segments),
            part,
        };
        let rows = |part: SegmentPart| -> Result<MappedRows, FormatError> {
            Ok(MappedRows::of_segments(
                files(part),
                open.places(part.extension(), &places)?,
            ))
        };
        let sources = manifest.file(dir, IndexFile::Sources.name())?;
        let source_places = open.places(IndexFile::Sources.name(), &places)?;
        let documents = manifest.snapshots.iter().map(|snapshot| snapshot.documents);
        Ok(Index {
            documents: documents.fold(0, u32::saturating_add),
            sampling: manifest.sampling,
            drops_common: manifest.parameters.lines().any(|line| line == DROPS_COMMON),
            key_rule: manifest.keys,
            keys,
            urls: open.sorted(IndexFile::Urls, &block_keys)?,
            classes: open.sorted(IndexFile::Classes, &block_keys)?,
            class_documents: open.sorted(IndexFile::ClassDocuments, &block_keys)?,
            members: open.sorted(IndexFile::Members, &block_keys)?,
            clusters: open.sorted(IndexFile::Clusters, &block_keys)?,
            cluster_documents: open.sorted(IndexFile::ClusterDocuments, &block_keys)?,
            links: open.sorted(IndexFile::Links, &block_keys)?,
            settled: open.sorted(IndexFile::Settled, &block_keys)?,
            postings: open.postings(&block_keys)?,
            common: open.sorted(IndexFile::Common, &block_keys)?,
            passages: open.passages(&block_keys)?,
            rows: rows(SegmentPart::Documents)?,
            sketch_sizes: rows(SegmentPart::Sizes)?,
            sketches: rows(SegmentPart::Sketches)?,
            marks: IndexedMarks::new(files(SegmentPart::Marks)),
            sources: MappedRows::of_file(disk, dir, sources, FileKind::Sources, source_places)?,
            dir: dir.to_path_buf(),
            ids: PublicIds::new(manifest.snapshots.clone()),
            manifest,
            _lock: None,
        })
    }

    /// This index, with a lock that it holds as long as it lives.
    pub fn held_by(self, lock: Option<File>) -> Index {
        Index {
            _lock: lock,
            ..self
        }
    }

    /// The directory of the index.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Documents in it.
    pub fn documents(&self) -> u32 {
        self.documents
    }

    /// The semantic parameters of the run that made it, one a line; of the seed a digest.
    pub fn parameters(&self) -> &str {
        &self.manifest.parameters
    }

    /// The rule its sketches were kept by.
    pub fn sampling(&self) -> Sampling {
        self.sampling
    }

    /// The keys that its postings have.
    pub(crate) fn key_rule(&self) -> KeyRule {
        self.key_rule
    }

    /// The snapshots, oldest first, and where their documents begin.
    pub fn snapshots(&self) -> &[SnapshotSpan] {
        &self.manifest.snapshots
    }

    /// The snapshot that a document belongs to.
    pub fn snapshot_of(&self, doc: u32) -> Option<&SnapshotSpan> {
        self.ids.span_of(doc)
    }

    /// The public id of a document.
    pub fn public_id(&self, doc: u32) -> i64 {
        self.ids.get(doc)
    }

    /// The document with a public id, if there is one.
    pub fn doc_of(&self, id: i64) -> Option<u32> {
        self.ids.find(id)
    }
}
