//! The checked configuration.

use std::path::PathBuf;
use std::sync::Arc;

use input::{
    Charset, FieldNames, FormatChoice, LargeRecords, NamedSource, PAGE_BYTES, ReadOptions,
};
use model::{Keep, LinkPolicy, Linkage, PublishedLinks, Settle};
use model::{KeyRule, Sampling, Threshold};
use sketch::{
    Family, FingerprintBits, FingerprintKeys, ShingleKind, SketchParams, TextOfPages, TokenUnit,
};

/// A checked configuration.
#[derive(Clone, Debug)]
pub struct Config {
    /// The file as it was named.
    pub file: PathBuf,
    /// Its directory: what relative paths are relative to.
    pub base: PathBuf,
    /// The input that is read.
    pub input: InputConfig,
    /// Where and with what means.
    pub work: WorkConfig,
    /// The part of a document that is kept.
    pub sketch: SketchConfig,
    /// The definition of a pair.
    pub pairs: PairsConfig,
    /// The definition of a link and of a cluster.
    pub cluster: ClusterConfig,
    /// Crawl after crawl; `None`: the section is not there.
    pub snapshots: Option<SnapshotsConfig>,
    /// `[passages]`; `None`: they are not looked for.
    pub passages: Option<PassagesConfig>,
    /// Whether a list of snapshots is the input.
    pub has_snapshots: bool,
}

impl Config {
    /// Pairs of a lower resemblance are not counted; `None`: all are. Never above `resemblance`.
    /// Where links follow from containment, any pair may be one; and where snapshots come and go,
    /// what a pair shares and needs may change later.
    pub fn floor(&self) -> Option<Threshold> {
        if self.has_snapshots || self.cluster.containment.is_some() {
            return None;
        }
        let (floor, links) = (self.pairs.floor, self.cluster.resemblance);
        let lower = if links.to_f64() < floor.to_f64() {
            links
        } else {
            floor
        };
        (lower.to_f64() > 0.0).then_some(lower)
    }

    /// Pairs of a lower resemblance need no pair count. Sketches of a fixed size say by their
    /// comparison whether they reach the floor, not by a count.
    pub fn counted_floor(&self) -> Option<Threshold> {
        self.floor()
            .filter(|_| !self.sketch.sampling.has_fixed_size())
    }

    /// Whether sketches lose their common shingles. Those of a fixed size are compared whole.
    pub fn drops_common(&self) -> bool {
        self.pairs.common == Common::Drop && !self.sketch.sampling.has_fixed_size()
    }

    /// The place among `carry-fields` of the field that `keep` names; `None` if it names none.
    pub fn keep_field(&self) -> Option<usize> {
        match &self.cluster.keep {
            Keep::Field { name, .. } => self
                .input
                .fields
                .carry
                .iter()
                .position(|field| field == name),
            _ => None,
        }
    }

    /// The resemblance at which a page that is gone has moved to a new one.
    pub fn moved(&self) -> Threshold {
        let snapshots = self.snapshots.as_ref();
        snapshots.map_or(MOVED, |snapshots| snapshots.moved)
    }
}

/// The part of a configuration that names the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputFrom {
    /// In `paths` of `[input]`.
    Paths,
    /// In the list of snapshots: `paths` is refused.
    Snapshots,
    /// Wherever it is, or nowhere yet.
    Anywhere,
}

/// `[input]`.
#[derive(Clone, Debug, PartialEq)]
pub struct InputConfig {
    /// Files, directories, globs, `@lists`, as written; relative ones to [`Config::base`].
    pub paths: Vec<String>,
    /// Globs of what directories and globs among [`InputConfig::paths`] leave out.
    pub exclude: Vec<String>,
    /// Parts of the input with names; their paths come last in [`InputConfig::paths`].
    pub sources: Vec<SourceConfig>,
    /// The format of the files.
    pub format: FormatChoice,
    /// Field names of JSONL and Parquet.
    pub fields: FieldNames,
    /// The encoding of pages, if it is said.
    pub charset: Option<Charset>,
    /// Larger documents, after decoding, are rejected. At least 1.
    pub max_document_bytes: u64,
    /// Bytes that the pages of a row group of Parquet may take at once. At least 1.
    pub max_page_bytes: u64,
    /// Bytes that a gzip member, a zstd frame or a row group of Parquet may expand to, for each
    /// compressed one. At least 1.
    pub max_expansion: u32,
    /// Bytes of a URL. From 1 to [`input::FIELD_BYTES`].
    pub max_url_bytes: u64,
    /// Bytes of an id or a carried field. From 1 to [`input::FIELD_BYTES`].
    pub max_field_bytes: u64,
    /// Share of records, 0 to 1, above which rejections make the run fail.
    pub max_rejected: f64,
}

impl InputConfig {
    /// The options with which files are read, with a gate of their own for large records.
    pub fn read_options(&self) -> ReadOptions {
        ReadOptions {
            fields: self.fields.clone(),
            charset: self.charset,
            max_document_bytes: self.max_document_bytes,
            max_page_bytes: self.max_page_bytes,
            max_expansion: self.max_expansion,
            max_url_bytes: self.max_url_bytes,
            max_field_bytes: self.max_field_bytes,
            large: LargeRecords::default(),
        }
    }

    /// The source of this name.
    pub fn source(&self, name: &str) -> Option<&SourceConfig> {
        self.sources.iter().find(|one| one.source.name == name)
    }

    /// The share of the budget that pages of Parquet take: as far as they may be larger than usual.
    pub fn page_memory_bytes(&self) -> u64 {
        self.max_page_bytes.saturating_sub(PAGE_BYTES)
    }
}

/// `[[input.source]]`: a name for some of the files, and how they are read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceConfig {
    /// As [`InputConfig::paths`].
    pub paths: Vec<String>,
    /// The name, which no other source has, and the keys of its own; for all others those of
    /// `[input]`.
    pub source: Arc<NamedSource>,
}

/// `[work]`. Nothing here changes the results.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkConfig {
    /// Directory of the intermediate files.
    pub dir: PathBuf,
    /// Where results are published. It has a file name, and neither it nor `OUTPUT.d` lies in `dir`
    /// or holds it.
    pub output: PathBuf,
    /// The limits that every phase obeys. The engine knows the minimum.
    pub memory_bytes: u64,
    /// The bytes that intermediate files may take; `None`: as much as there is.
    pub disk_bytes: Option<u64>,
    /// Whether others are trusted who own `dir` or may write to it.
    pub shared: bool,
    /// 1 to 1024; 0 in the file stands for the processors there are.
    pub threads: usize,
    /// Where each run leaves its figures for the node exporter, if anywhere. Its name ends in
    /// `.prom`, and it lies neither in `dir` nor where results are published.
    pub metrics: Option<PathBuf>,
    /// The `dir` of the configuration that this one lies beside ([`Config::beside`]).
    pub beside: Option<PathBuf>,
}

impl WorkConfig {
    /// [`WorkConfig::memory_bytes`] for this machine.
    pub fn memory(&self) -> usize {
        usize::try_from(self.memory_bytes).unwrap_or(usize::MAX)
    }

    /// The directory of the shards that `pipeline sketch` makes here. It lies beside `dir`, and
    /// outlives it.
    pub fn shards_dir(&self) -> PathBuf {
        self.dir_with(".shards")
    }

    /// The work directory of the runs that `dedup` makes itself, beside `dir`.
    pub fn dedup_dir(&self) -> PathBuf {
        self.dir_with(".dedup")
    }

    fn dir_with(&self, extension: &str) -> PathBuf {
        let mut name = self.dir.components().collect::<PathBuf>().into_os_string();
        name.push(extension);
        name.into()
    }
}

/// `[sketch]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SketchConfig {
    /// The definition of a token.
    pub tokens: TokenUnit,
    /// Leave out tokens of digits only.
    pub drop_numbers: bool,
    /// Which text of a page counts.
    pub text_of_pages: TextOfPages,
    /// Tokens in a shingle, 1 to 1000.
    pub shingle_size: u32,
    /// How repeated shingles count.
    pub shingles: ShingleKind,
    /// Which fingerprints are kept.
    pub sampling: Sampling,
    /// The keys by which documents are brought together.
    pub sort_keys: KeyRule,
    /// Width of a fingerprint.
    pub bits: FingerprintBits,
    /// How the fingerprint of a shingle is made.
    pub family: Family,
    /// The secret constants, expanded from the seed. The seed itself is not kept.
    pub keys: FingerprintKeys,
    /// Whether the seed is [`super::DEFAULT_SEED`], which everyone knows.
    pub seed_is_default: bool,
    /// Shingles that a sketch needs for a class of equal sketches. At least 1.
    pub shingle_class_min: u32,
}

impl SketchConfig {
    /// The parameters that the phase `sketch` works with.
    pub fn params(&self) -> SketchParams {
        SketchParams {
            tokens: self.tokens,
            drop_numbers: self.drop_numbers,
            text_of_pages: self.text_of_pages,
            shingle_size: self.shingle_size,
            shingles: self.shingles,
            sampling: self.sampling,
            bits: self.bits,
            family: self.family,
            keys: self.keys.clone(),
        }
    }
}

/// `[pairs]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PairsConfig {
    /// Shingles in the sketches of more representatives than this are common;
    /// [`super::UNLIMITED_COMMON_SHINGLES`] for no limit. At least 1.
    pub common_shingle_limit: u32,
    /// Pairs of a lower resemblance need not be counted: as far as [`Config::floor`] allows.
    pub floor: Threshold,
    /// The treatment of common shingles.
    pub common: Common,
}

/// The treatment of common shingles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Common {
    /// They propose few pairs, and count in what two documents share.
    Count,
    /// They leave the sketches, as in 1997.
    Drop,
}

/// `[cluster]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClusterConfig {
    /// Resemblance of a link.
    pub resemblance: Threshold,
    /// Containment of a directed link; `None`: there are none.
    pub containment: Option<Threshold>,
    /// Whether directed links join clusters.
    pub containment_joins: bool,
    /// Sampled shingles two documents must share. At least 1.
    pub min_shared: u32,
    /// Which pairs are compared by all their shingles.
    pub settle: Settle,
    /// How links become clusters.
    pub linkage: Linkage,
    /// Which links are published.
    pub links: PublishedLinks,
    /// Which member is kept.
    pub keep: Keep,
}

impl ClusterConfig {
    /// The rule by which pairs are links.
    pub fn link_policy(&self) -> LinkPolicy {
        LinkPolicy {
            resemblance: self.resemblance,
            containment: self.containment,
            containment_joins: self.containment_joins,
            sampled_containment_min: LinkPolicy::SAMPLED_CONTAINMENT_MIN,
            min_shared: self.min_shared,
        }
    }
}

/// `[passages]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PassagesConfig {
    /// Tokens of the shortest passage.
    pub words: u32,
    /// Whether documents of equal tokens count one by one, and not as one.
    pub counts_all: bool,
}

/// `[snapshots]`. What it finds is in the list of snapshots from then on, so only `moved` is a
/// semantic parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SnapshotsConfig {
    /// Where new ones are found; `None`: they are added by hand.
    pub path: Option<SnapshotPath>,
    /// So many stay, the oldest are dropped; `None`: all stay. At least 1.
    pub keep: Option<u32>,
    /// The resemblance at which a page that is gone has moved to a new one.
    pub moved: Threshold,
}

/// [`SnapshotsConfig::moved`] of a configuration without `[snapshots]`.
pub(super) const MOVED: Threshold = Threshold::hundredths(30);

/// `path` of `[snapshots]`, cut at its `{name}`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SnapshotPath {
    /// As it is written; relative to [`Config::base`].
    pub written: String,
    /// The part before `{name}`: a directory, and the beginning of the names in it.
    pub before: String,
    /// The part after it: the end of the names, and what lies below.
    pub after: String,
    /// The file without which a directory is not taken.
    pub ready: String,
}
