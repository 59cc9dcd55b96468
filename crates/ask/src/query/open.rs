//! Opening the query index of a configuration.

use crate::index::Index;
use crate::index::line;
use config::Config;
use engine::{Error, PhaseName, runtime::parameters};
use format::{AtomicFile, Disk, FormatError, INDEX_MANIFEST, IndexManifest, Manifest};
use publication::HeldPublication;
use publication::origin::{other_origin, recorded_page};
use sketch::UrlKeys;

/// Opens the index of the newest publication.
///
/// # Errors
/// When there is no publication, or its index is missing, damaged, of another version, of another
/// publication, or made with another seed; when another configuration replaced the publication.
pub fn open(config: &Config) -> Result<Index, Error> {
    opened(config).map_err(|error| mendable(config, error))
}

/// The error of a publication. Where the work directory cannot be used, or is not there, with a
/// command that works nevertheless.
pub(crate) fn mendable(config: &Config, error: Error) -> Error {
    let work = config.work.dir.display();
    let is_there = match Manifest::load(&Disk::default(), &config.work.dir) {
        Ok(None) => false,
        Err(FormatError::Damaged { .. } | FormatError::Mismatch { .. }) => true,
        _ => return error,
    };
    match error {
        Error::Work {
            phase: Some(_),
            source,
        } => Error::Index {
            source,
            mend: match is_there {
                true => {
                    format!("nor can the work directory {work} be used: remove it and run again")
                }
                false => "`pipeline run` makes it anew".to_owned(),
            },
        },
        Error::NotFound(text) if is_there => Error::NotFound(format!(
            "{text}, after removing the work directory {work}, which cannot be used"
        )),
        error => error,
    }
}

fn opened(config: &Config) -> Result<Index, Error> {
    let output = &config.work.output;
    let Ok(publication) = HeldPublication::shown(output) else {
        return Err(Error::NotFound(format!(
            "failed to find {}; run `pipeline run` first",
            output.display()
        )));
    };
    let other = other_origin(config, publication.dir(), || recorded_page(config));
    if let Some(other) = other.filter(|other| other.is_replaced) {
        return Err(other.refusal("ask", config));
    }
    let dir = publication.dir().join("index");
    let disk = Disk::default();
    let manifest = IndexManifest::load(&disk, &dir)?;
    let report = publication.dir().join("report.json");
    if AtomicFile::verify(&disk, &report, &manifest.report).is_err() {
        let source = FormatError::Mismatch {
            path: dir.join(INDEX_MANIFEST),
            what: "publication",
            expected: manifest.report.checksum,
            got: format!("another {}", report.display()),
        };
        return Err(source.into());
    }
    let digest = |text: &str| line(text, "seed-digest").map(str::to_owned);
    let now = parameters::semantic(config);
    if digest(&manifest.parameters) != digest(&now) {
        return Err(Error::Usage(format!(
            "the results in {} were made with another seed than that of {}; restore that seed, or \
             run `pipeline run` to make the results anew",
            output.display(),
            config.file.display()
        )));
    }
    let index = Index::open(&disk, &dir, UrlKeys::of(&config.sketch.keys))?;
    Ok(index.held_by(publication.into_lock()))
}

/// The first parameter in which the publication differs from the configuration, in words. A
/// configuration without a run of its own may lead to the publication of another work directory.
pub fn outdated(index: &Index, config: &Config) -> Option<String> {
    let dir = index.dir().parent()?;
    let other = other_origin(config, dir, || recorded_page(config));
    let other = other.map(|other| {
        let work = config.work.dir.display();
        format!("dir was {}, is {work}", other.work)
    });
    // Passages may have been asked for by that run alone. Their parameters are the last ones.
    let published = index.parameters();
    let passages = published
        .find("passage-words = ")
        .filter(|_| config.passages.is_none());
    let published = passages.map_or(published, |at| &published[..at]);
    other.or_else(|| parameters::difference(published, &parameters::semantic(config)))
}

/// The error of a file of a publication that lies beside its index: phase `index` makes it.
pub(crate) fn damaged(source: FormatError) -> Error {
    Error::from_format(Some(PhaseName::Index), source)
}
