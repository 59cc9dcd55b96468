//! The table of all keys. The file of `init`, the guide's table, the schema for editors, every
//! check of a single value and every default follow from it.
//!
//! A new key needs a row here and a line in `validate`.

use crate::Common;
use input::{FIELD_BYTES, Format, FormatChoice};
use model::PermutationFamily;
use model::{DensityLimits, Linkage, PublishedLinks, Settle};
use sketch::{Blanks, Family, ShingleKind, TokenUnit};

use super::kind::KeyKind::{
    Among, Choice, Flag, Forms, Limit, Number, PowerOfTwo, Share, Size, Table, Tables, Text, Texts,
    Threshold,
};
use super::kind::{Key, LineRole, Section};
use super::rules;
use super::size::SIZE_BYTES_MAX;

/// Names and what they mean.
pub(super) type Named<T, const N: usize> = [(&'static str, T); N];

pub(super) const FORMATS: Named<FormatChoice, 9> = [
    ("auto", FormatChoice::Auto),
    ("warc", FormatChoice::Only(Format::Warc)),
    ("wet", FormatChoice::Only(Format::Warc)),
    ("arc", FormatChoice::Only(Format::Arc)),
    ("wacz", FormatChoice::Only(Format::Wacz)),
    ("jsonl", FormatChoice::Only(Format::Jsonl)),
    ("parquet", FormatChoice::Only(Format::Parquet)),
    ("html", FormatChoice::Only(Format::Html)),
    ("text", FormatChoice::Only(Format::Text)),
];

pub(super) const TOKENS: Named<TokenUnit, 5> = [
    ("words", TokenUnit::Words),
    ("chars", TokenUnit::Chars(Blanks::Drop)),
    ("chars-and-spaces", TokenUnit::Chars(Blanks::Collapse)),
    ("all-chars", TokenUnit::Chars(Blanks::Keep)),
    ("lines", TokenUnit::Lines),
];
/// Which text of a page counts: whether only its main part does.
pub(super) const CONTENTS: Named<bool, 2> = [("page", false), ("main", true)];

pub(super) const SHINGLES: Named<ShingleKind, 2> = [
    ("set", ShingleKind::Set),
    ("labelled", ShingleKind::Labelled),
];

pub(super) const FINGERPRINTS: Named<Family, 7> = [
    ("keyed", Family::Keyed),
    ("rabin", Family::Rabin),
    ("modular", Family::Modular),
    ("multiplicative", Family::Multiplicative),
    ("murmur3", Family::Murmur3),
    ("xxh64", Family::Xxh64),
    ("xxh3", Family::Xxh3),
];

pub(super) const LINKAGES: Named<Linkage, 3> = [
    ("components", Linkage::Components),
    ("star", Linkage::Star),
    ("leader", Linkage::Leader),
];

pub(super) const SETTLE: Named<Settle, 2> = [("links", Settle::Links), ("off", Settle::Off)];

pub(super) const COMMON: Named<Common, 2> = [("count", Common::Count), ("drop", Common::Drop)];
pub(super) const LINKS: Named<PublishedLinks, 2> = [
    (
        "strongest",
        PublishedLinks::Strongest(DensityLimits::DEFAULT),
    ),
    ("all", PublishedLinks::All),
];

pub(super) const METHODS: &[&str] = &[
    "modulus",
    "adaptive-modulus",
    "min",
    "min-of-modulus",
    "minhash",
    "super-shingles",
];

pub(super) const FAMILIES: Named<PermutationFamily, 2> = [
    ("keyed", PermutationFamily::Keyed),
    ("linear", PermutationFamily::Linear),
];

/// The sketches that super-shingles are made of.
const SUPER_SHINGLE_SKETCHES: Named<&str, 2> = [("min", "min"), ("minhash", "minhash")];

const KEEP_FORMS: &[&str] = &[
    "first",
    "longest",
    "oldest",
    "newest",
    "field:NAME[:desc]",
    "hosts:[A,B]",
];

/// The coarsest modulus of adaptive sampling.
pub(super) const COARSEST_MAX: u32 = 1 << (model::Sampling::LEVELS_MAX - 1);

/// The shortest and the longest shortest passage.
const PASSAGE_WORDS_MIN: u32 = 5;
const PASSAGE_WORDS_MAX: u32 = 10_000;

/// Whether each document counts by itself, for passages.
pub(super) const PASSAGE_COUNTS: Named<bool, 2> = [("once", false), ("all", true)];

/// The most threads of a run.
pub(super) const THREADS_MAX: u32 = 1024;

/// The name of a choice; the first one of equals.
pub(super) fn name_of<T: PartialEq>(choices: &[(&'static str, T)], value: &T) -> &'static str {
    let found = choices.iter().find(|(_, other)| other == value);
    found.map_or(choices[0].0, |(name, _)| *name)
}

/// Declares sections. A row is: role, line of the file, kind, help.
macro_rules! sections {
    ($($section:ident $name:literal {
        $($role:ident $line:literal $kind:expr, $help:literal;)+
    })+) => {
        $(pub(super) static $section: Section = Section {
            name: $name,
            keys: &[$(Key { line: $line, role: LineRole::$role, kind: $kind, help: $help }),+],
        };)+
    };
}

sections! {
FILE "" {
    Required "version = 1" Among(&[1], "1, the only one this program reads"),
        "the version of this file's format";
    Default "input" Table(&INPUT),
        "the input files, and how they are read";
    Default "work" Table(&WORK),
        "directories, memory, disk and threads; no key here changes a result";
    Default "sketch" Table(&SKETCH),
        "how a document becomes a sketch, a sample of its shingles";
    Default "pairs" Table(&PAIRS),
        "which pairs of documents are counted";
    Default "cluster" Table(&CLUSTER),
        "which pairs become links, and how links become clusters";
    Example "passages" Table(&PASSAGES),
        "also find the passages that stand at more than one place; needs `words`";
    Example "snapshots" Table(&SNAPSHOTS),
        "instead of `paths`: one crawl after another; see also `pipeline snapshot`";
}
INPUT "input" {
    Usual r#"paths = ["data-samples/web/*.warc.gz"]"# Texts(rules::listed_path),
        "files, directories, globs; `@FILE` names a list of paths, plain or gzip";
    Default "exclude = []" Texts(rules::listed_path),
        "globs of what directories and globs in `paths` leave out; one without `/` is for names";
    Example "source" Tables(&SOURCE),
        "a named part of the input; with `paths` beside it a reference, of which nothing goes; there may be several";
    Default r#"format = "auto""# Choice(&FORMATS),
        "`auto`: by content, then by extension";
    Default r#"charset = "auto""# Text(rules::charset),
        "the encoding of all pages but those of JSONL and Parquet; `auto`: as they declare, if the bytes fit it";
    Default r#"id-field = "id""# Text(rules::field),
        "the field of JSONL and Parquet that identifies a document";
    Default r#"text-field = "text""# Text(rules::field),
        "the field that holds plain text; where `text` is missing, `content`, `body` and the like";
    Default r#"html-field = "html""# Text(rules::field),
        "the field that holds HTML, used where a record has no text";
    Example r#"features-field = "features""# Text(rules::field),
        "the field that holds a list of strings, each a token as it is; used before the text";
    Default r#"url-field = "url""# Text(rules::field),
        "the field that holds the URL";
    Default r#"date-field = "date""# Text(rules::field),
        "the field that holds the date: RFC 3339, or seconds or finer units since 1970";
    Default "carry-fields = []" Texts(rules::column),
        "other fields to copy into the document table, for `keep` and exports";
    Default r#"max-document = "16MiB""# Size { least: 1, most: SIZE_BYTES_MAX, unlimited: false },
        "documents that are larger after decoding are rejected";
    Default r#"max-page = "40MiB""# Size { least: 1, most: SIZE_BYTES_MAX, unlimited: false },
        "a row group of Parquet whose pages take more at once is rejected";
    Default "max-expansion = 200" Number(1, u32::MAX),
        "a gzip member, zstd frame or row group that expands further, beyond 64 MiB, is given up there";
    Default r#"max-url = "64KiB""# Size { least: 1, most: FIELD_BYTES, unlimited: false },
        "a document whose URL is longer has none, and is flagged; 1MiB at most";
    Default r#"max-field = "1MiB""# Size { least: 1, most: FIELD_BYTES, unlimited: false },
        "a record whose id is longer is rejected, a longer carried field is missing; 1MiB at most";
    Default r#"max-rejected = "100%""# Share,
        "if a larger share of the records is rejected, the exit code is 3";
}
SOURCE "input.source" {
    Required r#"name = "archive""# Text(rules::source),
        "the name of the source";
    Required r#"paths = ["archive/*.warc.gz"]"# Texts(rules::listed_path),
        "its files, written as in `paths` of `[input]`";
    Example r#"format = "jsonl""# Choice(&FORMATS),
        "this key and those below: for its files, instead of those of `[input]`";
    Example r#"charset = "windows-1251""# Text(rules::charset),
        "the encoding of its pages";
    Example r#"id-field = "id""# Text(rules::field),
        "the field that identifies a document";
    Example r#"text-field = "question""# Text(rules::field),
        "the field that holds plain text";
    Example r#"html-field = "html""# Text(rules::field),
        "the field that holds HTML";
    Example r#"features-field = "features""# Text(rules::field),
        "the field that holds a list of tokens";
    Example r#"url-field = "url""# Text(rules::field),
        "the field that holds the URL";
    Example r#"date-field = "date""# Text(rules::field),
        "the field that holds the date";
}
WORK "work" {
    Default r#"dir = "work""# Text(rules::path),
        "the directory of work files; an interrupted run resumes from them";
    Default r#"output = "out""# Text(rules::path),
        "a link to the newest results, which are in `out.d` beside it";
    Default r#"memory = "1GiB""# Size { least: 0, most: SIZE_BYTES_MAX, unlimited: false },
        "the budget of every phase; 64MiB are enough with the other defaults";
    Default r#"disk = "unlimited""# Size { least: 0, most: SIZE_BYTES_MAX, unlimited: true },
        "the most that work files and a new publication take, such as \"100GiB\"";
    Default "threads = 0" Number(0, THREADS_MAX),
        "0: one for each processor";
    Default "shared = false" Flag,
        "true: `dir` may belong to another user, or be writable by others, who are trusted";
    Example r#"metrics = "/var/lib/prometheus/node-exporter/pipeline.prom""# Text(rules::prom),
        "each run writes its figures to this file, for the node exporter";
}
SKETCH "sketch" {
    Default r#"content = "main""# Choice(&CONTENTS),
        "what counts of a page of HTML: its main part, without the frame of its site, or all its text";
    Default "min-words = 16" Number(0, u32::MAX),
        "with `main`, a page with fewer words in its main part is only like pages with the same source";
    Default r#"tokens = "words""# Choice(&TOKENS),
        "units of shingles; `chars` drops white space, `chars-and-spaces` collapses it";
    Default "drop-numbers = false" Flag,
        "true: leave out tokens that consist of digits";
    Default "shingle-size = 10" Number(1, 1000),
        "tokens in a shingle";
    Default r#"shingles = "set""# Choice(&SHINGLES),
        "`labelled` counts every repetition of a shingle";
    Default r#"method = { kind = "adaptive-modulus", target = 128, coarsest = 32 }"# Table(&METHOD),
        "how shingles are sampled; AltaVista used { kind = \"modulus\", modulus = 25 }";
    Default r#"fingerprint = "keyed""# Choice(&FINGERPRINTS),
        "the family of functions that make a number of a shingle; the others are for comparisons";
    Default "fingerprint-bits = 64" Among(&[64, 40, 32], "64, 40 or 32"),
        "AltaVista used 40";
    Default r#"seed = "change me""# Text(rules::seed),
        "keep it secret: whoever knows it can write pages that steer the sample";
    Example r#"seed-file = "seed""# Text(rules::path),
        "instead of `seed`: a file that holds it";
    Default "shingle-class-min = 16" Number(1, u32::MAX),
        "the fewest shingles with which equal sketches make a shingle class";
}
METHOD "sketch.method" {
    Required r#"kind = "adaptive-modulus""# Forms(METHODS),
        "`adaptive-modulus` samples long documents more coarsely";
    Example "modulus = 25" Number(1, u32::MAX),
        "for `modulus`: one shingle in this many is kept; 1 keeps all; for `min-of-modulus`: 4 if not set";
    Default "target = 128" Number(1, u32::MAX),
        "for `adaptive-modulus`: at most this many shingles are kept, except of very long documents";
    Default "coarsest = 32" PowerOfTwo(COARSEST_MAX),
        "for `adaptive-modulus`: at least one shingle in this many is kept";
    Example "size = 128" Number(1, model::Sampling::FIXED_SIZE_MAX),
        "for `min` and `min-of-modulus`: so many of the smallest fingerprints are kept; 128 if not set";
    Example "permutations = 200" Number(1, model::Sampling::PERMUTATIONS_MAX),
        "for `minhash`: the least value under each of so many permutations is kept; 200 if not set";
    Example r#"family = "keyed""# Choice(&FAMILIES),
        "for `minhash`: the permutations; `linear`: a x + b modulo 2^61 - 1; `keyed` if not set";
    Example "numpy-seed = 42" Number(0, u32::MAX),
        "for `minhash`, instead of `family`: the constants that text-dedup (42) and datatrove (1) draw";
    Example "bands = 25" Number(1, model::Sampling::PERMUTATIONS_MAX),
        "for `minhash`: only pages that are equal in one of so many bands are compared";
    Example r#"sketch = "min""# Choice(&SUPER_SHINGLE_SKETCHES),
        "for `super-shingles`: the sketch that they are made of, with the keys of that kind; `min` if not set";
    Example "length = 4" Number(1, model::Sampling::FIXED_SIZE_MAX),
        "for `super-shingles`: elements of the sorted sketch in one of them; 4 if not set";
    Example "shared = 1" Number(1, model::Sampling::FIXED_SIZE_MAX),
        "for `bands` and `super-shingles`: only pages that share so many are compared; 1 if not set";
}
PAIRS "pairs" {
    Default "common-shingle-limit = 1000" Limit,
        "a shingle in more documents is common: it proposes few pairs; or \"unlimited\"";
    Default "floor = 0.25" Threshold,
        "pairs below it are not counted, except with `containment` or snapshots";
    Default r#"common = "count""# Choice(&COMMON),
        "`count`: common shingles count in what two pages share; `drop`: they do not, as in 1997";
}
CLUSTER "cluster" {
    Default "resemblance = 0.5" Threshold,
        "pairs of this resemblance or more are links";
    Example "containment = 0.9" Threshold,
        "also list documents of which at least this share is in another one";
    Default "containment-joins = false" Flag,
        "true: such documents join the cluster of the other one";
    Default "min-shared = 2" Number(1, u32::MAX),
        "shingles that two linked documents must share, of those that are compared";
    Default r#"settle = "links""# Choice(&SETTLE),
        "all links are compared exactly; `off`: estimates decide, and the input is read once";
    Default r#"linkage = "star""# Choice(&LINKAGES),
        "what goes of a cluster: all but one document, or only those linked to one that stays";
    Default r#"links = "strongest""# Choice(&LINKS),
        "`strongest` publishes few of the links of a dense cluster";
    Default r#"keep = "first""# Forms(KEEP_FORMS),
        "the documents of a cluster that are kept";
}
PASSAGES "passages" {
    Example "words = 50" Number(PASSAGE_WORDS_MIN, PASSAGE_WORDS_MAX),
        "tokens of the shortest passage";
    Default r#"count = "once""# Choice(&PASSAGE_COUNTS),
        "`once`: documents of equal tokens count as one; `all`: each counts by itself";
}
SNAPSHOTS "snapshots" {
    Example r#"path = "crawls/{name}/""# Text(rules::snapshot_path),
        "where new snapshots are found; {name} stands for their names";
    Default r#"ready = "_SUCCESS""# Text(rules::file_name),
        "a directory is complete when this file is in it";
    Example "keep = 12" Number(1, u32::MAX),
        "the number of snapshots to keep; older ones are dropped for good; without it all are kept";
    Default "moved = 0.3" Threshold,
        "a page that is gone has moved to a new one of this resemblance or more";
}
}
