//! Work files → the query index of a publication.
//!
//! *Input.* Sketches, classes, postings, common shingles, links, members, clusters. *Output.* The
//! directory `index` of the publication, complete in itself: what exists is given a second name
//! there, so that the next run cannot take it away; the four maps of *Syntactic Clustering of the
//! Web*, "Query support", that do not exist yet are made by sorting; and for every sorted file the
//! first key of each block. *Memory.* The sorts keep to their share of the budget, one after the
//! other. *Disk.* 12 bytes a URL and an id, 8 a document of a cluster, 8 a document that another
//! one stands for, 16 a passage, 8 to 20 a block.

mod blocks;
mod groups;
mod urls;

use crate::PHASE;
use crate::publish::Publication;
use blocks::SEGMENT_FILES;
use engine::{Engine, Error, PhaseName, runtime::parameters};
use format::{
    Disk, Fingerprint, INDEX_MANIFEST, INDEX_VERSION, IndexFile, IndexManifest, RecordSpec,
    RecordWriter, RowWriter, Sealed,
};
use model::Record;
use std::collections::BTreeMap;
use std::path::PathBuf;
pub use urls::UrlMap;

/// Files of fixed names that exist already, and the phase whose they are.
const LINKED: [(PhaseName, IndexFile); 6] = [
    (PhaseName::Distinct, IndexFile::Classes),
    (PhaseName::Pairs, IndexFile::Common),
    (PhaseName::Settle, IndexFile::Settled),
    (PhaseName::Cluster, IndexFile::Links),
    (PhaseName::Cluster, IndexFile::Members),
    (PhaseName::Cluster, IndexFile::Clusters),
];

/// Bytes of the blocks of maps: what a lookup reads, checks, and needs little of.
const MAP_BLOCK_BYTES: usize = 16 << 10;

/// The index being made: its directory and the header of its files.
struct IndexFiles {
    disk: Disk,
    dir: PathBuf,
    fingerprint: Fingerprint,
}

impl IndexFiles {
    fn of(engine: &Engine<'_>, publication: &Publication) -> IndexFiles {
        let inputs = parameters::inputs_of(PHASE, &engine.manifest());
        let made_from = publication.parameters().to_owned() + &inputs;
        IndexFiles {
            disk: engine.disk.clone(),
            dir: publication.path("index"),
            fingerprint: parameters::fingerprint(&made_from),
        }
    }

    /// A new file of rows of the index.
    fn row_writer(&self, file: IndexFile) -> Result<RowWriter, Error> {
        let path = self.dir.join(file.name());
        let writer = RowWriter::create(&self.disk, path, file.kind(), self.fingerprint);
        writer.map_err(Error::from)
    }

    /// A new file of records of the index.
    fn writer<R: Record>(&self, file: IndexFile) -> Result<RecordWriter<R>, Error> {
        let path = self.dir.join(file.name());
        let spec = RecordSpec {
            block_bytes: MAP_BLOCK_BYTES,
            ..RecordSpec::durable(path, file.kind(), self.fingerprint)
        };
        RecordWriter::create(&self.disk, spec).map_err(Error::from)
    }
}

/// Makes the map of URLs and ids, the first file of the index.
pub fn urls(engine: &Engine<'_>, publication: &Publication) -> Result<UrlMap, Error> {
    let maps = IndexFiles::of(engine, publication);
    urls::urls(engine, maps.writer(IndexFile::Urls)?)
}

/// Makes the index; gives its files by their names in the publication, whose report it is bound to,
/// and whose journal it vouches for.
pub fn build(
    engine: &Engine<'_>,
    publication: &Publication,
    urls: UrlMap,
    report: &Sealed,
    journal: Option<&Sealed>,
) -> Result<BTreeMap<String, Sealed>, Error> {
    let maps = IndexFiles::of(engine, publication);
    let mut outputs: BTreeMap<String, Sealed> = BTreeMap::new();
    let mut put = |sealed: &Sealed| {
        let name = format!("index/{}", sealed.name);
        outputs.insert(
            name.clone(),
            Sealed {
                name,
                ..sealed.clone()
            },
        );
    };
    let link = |phase, name: &str| {
        publication.link(&engine.dir(phase).join(name), &format!("index/{name}"))
    };
    let segments = engine.segments()?;
    for segment in 0..segments.count() {
        for file in SEGMENT_FILES {
            if let Some((_, sealed)) = segments.sealed(segment, file) {
                link(PhaseName::Sketch, &sealed.name)?;
                put(sealed);
            }
        }
    }
    let mut files: BTreeMap<String, Sealed> = BTreeMap::new();
    for (phase, file) in LINKED {
        let sealed = engine.sealed(phase, file.name())?;
        link(phase, &sealed.name)?;
        files.insert(file.name().to_owned(), sealed);
    }
    if engine.config.passages.is_some() {
        let (phase, name) = (PhaseName::Passages, IndexFile::Passages.name());
        link(phase, name)?;
        files.insert(name.to_owned(), engine.sealed(phase, name)?);
        let quotes = groups::quotes(engine, maps.writer(IndexFile::Quotes)?)?;
        files.insert(quotes.name.clone(), quotes);
    }
    let postings = engine.levels(PhaseName::Sort).unwrap_or_default().files;
    for level in &postings {
        link(PhaseName::Sort, &level.sealed.name)?;
        files.insert(level.sealed.name.clone(), level.sealed.clone());
    }
    for (file, sealed) in [
        (IndexFile::Urls, urls.sealed),
        (
            IndexFile::ClusterDocuments,
            groups::cluster_documents(engine, maps.writer(IndexFile::ClusterDocuments)?)?,
        ),
        (
            IndexFile::ClassDocuments,
            groups::class_documents(engine, maps.writer(IndexFile::ClassDocuments)?)?,
        ),
        (
            IndexFile::Segments,
            blocks::segments(&segments, maps.writer(IndexFile::Segments)?)?,
        ),
        (
            IndexFile::Sources,
            blocks::sources(engine, maps.row_writer(IndexFile::Sources)?)?,
        ),
    ] {
        files.insert(file.name().to_owned(), sealed);
    }
    let mut parts = BTreeMap::new();
    let index = (&engine.disk, &*maps.dir);
    let writer = maps.writer(IndexFile::Keys)?;
    let keys = blocks::keys(index, &files, &postings, &mut parts, writer)?;
    let writer = maps.writer(IndexFile::Blocks)?;
    let places = blocks::places(index, &segments, &files, &mut parts, writer)?;
    files.insert(IndexFile::Keys.name().to_owned(), keys);
    files.insert(IndexFile::Blocks.name().to_owned(), places);
    files.values().for_each(&mut put);
    let manifest = IndexManifest {
        version: INDEX_VERSION,
        parameters: publication.parameters().to_owned(),
        sampling: engine.config.sketch.sampling,
        keys: engine.config.sketch.sort_keys,
        report: report.clone(),
        journal: journal.cloned(),
        fields: engine.config.input.fields.carry.clone(),
        snapshots: engine.spans(),
        postings,
        files,
        parts,
    };
    let page = manifest.store(&engine.disk, &maps.dir)?;
    debug_assert_eq!(page.name, INDEX_MANIFEST);
    put(&page);
    Ok(outputs)
}
