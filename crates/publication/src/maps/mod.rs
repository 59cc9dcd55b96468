//! Work files → the query index of a publication.
//!
//! *Input.* Sketches, classes, postings, common shingles, links, members, clusters. *Output.* The
//! directory `index` of the publication, complete in itself: what exists is given a second name
//! there, so that the next run cannot take it away; the four maps of *Syntactic Clustering of the
//! Web*, "Query support", that do not exist yet are made by sorting; and for every sorted file the
//! first key of each block. *Memory.* The sorts keep to their share of the budget, one after the
//! other. *Disk.* 12 bytes a URL and an id, 8 a document of a cluster, 8 a document that another
//! one stands for, 8 to 20 a block.

mod blocks;
mod groups;
mod index_files;
mod urls;

use super::PHASE;
use crate::publish::Publication;
use engine::{Engine, Error, PhaseName, runtime::parameters};
use format::{INDEX_MANIFEST, INDEX_VERSION, IndexFile, IndexManifest, Sealed};
use index_files::{IndexFiles, SEGMENT_FILES};
use std::collections::BTreeMap;
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

/// Makes the map of URLs and ids, the first file of the index.
pub fn urls(engine: &Engine<'_>, publication: &Publication) -> Result<UrlMap, Error> {
    urls::urls(&index_files(engine, publication), &engine.segments()?)
}

fn index_files<'a>(engine: &'a Engine<'a>, publication: &Publication) -> IndexFiles<'a> {
    let made_from =
        parameters::semantic(engine.config) + &parameters::inputs_of(PHASE, &engine.manifest());
    IndexFiles {
        engine,
        dir: publication.path("index"),
        fingerprint: parameters::fingerprint(&made_from),
    }
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
    let maps = index_files(engine, publication);
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
    let postings = engine.levels(PhaseName::Sort).unwrap_or_default().files;
    for level in &postings {
        link(PhaseName::Sort, &level.sealed.name)?;
        files.insert(level.sealed.name.clone(), level.sealed.clone());
    }
    for (file, sealed) in [
        (IndexFile::Urls, urls.sealed),
        (
            IndexFile::ClusterDocuments,
            groups::cluster_documents(&maps)?,
        ),
        (IndexFile::ClassDocuments, groups::class_documents(&maps)?),
        (IndexFile::Segments, blocks::segments(&maps, &segments)?),
        (IndexFile::Sources, blocks::sources(&maps)?),
    ] {
        files.insert(file.name().to_owned(), sealed);
    }
    let mut parts = BTreeMap::new();
    let keys = blocks::keys(&maps, &files, &postings, &mut parts)?;
    let places = blocks::places(&maps, &segments, &files, &mut parts)?;
    files.insert(IndexFile::Keys.name().to_owned(), keys);
    files.insert(IndexFile::Blocks.name().to_owned(), places);
    files.values().for_each(&mut put);
    let manifest = IndexManifest {
        version: INDEX_VERSION,
        parameters: parameters::semantic(engine.config),
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
