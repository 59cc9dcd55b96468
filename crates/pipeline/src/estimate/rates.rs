//! What one of each costs: the only numbers of the model that were measured and not counted.
//!
//! Names end in their unit: `_NS` are CPU nanoseconds, user and system, of the machine that
//! docs/BENCHMARKS.md describes, `_S` seconds by the clock, `_BYTES` bytes, `_SHARE` a part of 1; a
//! `_SLOWNESS` is a factor. `cargo run --release -p pipeline --example rates -- WORK_DIR…` prints
//! the times of finished work directories in the same form; take them from runs of some CPU
//! minutes.

/// Reading a byte of a body, when no sample says it.
pub(super) const READ_BODY_BYTE_NS: f64 = 1.2;
/// Sketching a byte of a body, when no sample says it.
pub(super) const SKETCH_BODY_BYTE_NS: f64 = 1.5;
/// Writing a document's rows into its segment and into the table of documents.
pub(super) const SKETCH_DOCUMENT_NS: f64 = 3_000.0;
/// Writing a byte of them.
pub(super) const SKETCH_ROW_BYTE_NS: f64 = 3.0;
/// Beginning and sealing the five files of a segment.
pub(super) const SKETCH_SEGMENT_NS: f64 = 1_000_000.0;
/// A document's three keys sorted, and its classes written.
pub(super) const DISTINCT_DOCUMENT_NS: f64 = 260.0;
/// A fingerprint read, of all documents.
pub(super) const SORT_SAMPLED_NS: f64 = 6.0;
/// A posting sorted and written, of representatives.
pub(super) const SORT_POSTING_NS: f64 = 42.0;
/// A posting read, grouped, and its list counted.
pub(super) const PAIRS_POSTING_NS: f64 = 8.0;
/// And more where there is a floor: put aside, counted by document, sifted.
pub(super) const PAIRS_FLOOR_POSTING_NS: f64 = 6.0;
/// An increment made and added up.
pub(super) const PAIRS_INCREMENT_NS: f64 = 6.0;
/// The same where there is a floor: most are left out, or added up as bits, and more than so many a
/// posting cost nothing.
pub(super) const PAIRS_FLOOR_INCREMENT_NS: f64 = 3.5;
pub(super) const PAIRS_FLOOR_INCREMENTS_MAX: f64 = 50.0;
/// A pair written.
pub(super) const PAIRS_PAIR_NS: f64 = 16.0;
/// A document's sketch sizes loaded, its cluster found and written.
pub(super) const CLUSTER_DOCUMENT_NS: f64 = 70.0;
/// A pair judged.
pub(super) const CLUSTER_PAIR_NS: f64 = 12.0;
/// A link written and joined.
pub(super) const CLUSTER_LINK_NS: f64 = 70.0;
/// Documents and links take so many times more where sizes do not fit beside the cells that join
/// documents.
pub(super) const CLUSTER_APART: f64 = 3.0;
/// A document's row in the table of memberships, and its URL in the map of URLs.
pub(super) const INDEX_DOCUMENT_NS: f64 = 900.0;
/// A link's row in the table of pairs.
pub(super) const INDEX_LINK_NS: f64 = 500.0;
/// Making a publication of its tables.
pub(super) const INDEX_PUBLICATION_NS: f64 = 5_000_000.0;
/// Touching a byte of memory for the first time: the system clears a page for it.
pub(super) const FIRST_TOUCH_BYTE_NS: f64 = 0.3;
/// Any phase: manifest, directories, threads.
pub(super) const PHASE_NS: f64 = 2_000_000.0;

/// A byte of the sample takes longer than a byte of the run by this factor: every slot begins anew.
pub(super) const SAMPLE_SLOWNESS: f64 = 1.1;
/// Sorting in memory, for a posting and a doubling of their number: the measure of another machine
/// against this one (`sort_ns` of `pipeline run --dry-run --json`).
pub(super) const MACHINE_SORT_NS: f64 = 1.6;

/// The part of a phase's CPU time that its threads share, in the order of the phases.
pub(super) const SHARED_WORK_SHARE: [f64; 6] = [0.97, 0.2, 0.5, 0.85, 0.3, 0.1];
/// Waiting for a file to be safe on the disk.
pub(super) const SYNC_S: f64 = 0.003;
/// What the disk takes or gives in a second.
pub(super) const DISK_BYTES_A_SECOND: f64 = 1e9;

/// Resident memory of the program itself.
pub(super) const PROGRAM_BYTES: f64 = 17e6;
/// Resident memory that the sample leaves, besides its postings.
pub(super) const SAMPLE_BYTES: f64 = 8e6;
/// Resident memory a thread takes while sketching.
pub(super) const SKETCH_THREAD_BYTES: f64 = 4.5e6;
/// Resident memory for a document while keys are sorted.
pub(super) const DISTINCT_DOCUMENT_BYTES: f64 = 60.0;
/// Resident memory for a posting while postings are sorted.
pub(super) const SORT_POSTING_BYTES: f64 = 18.0;
/// And for a thread's blocks.
pub(super) const SORT_THREAD_BYTES: f64 = 6e6;
/// What is put aside and parted for a posting where there is a floor, if its shingle is in one
/// document, and more for each increment, since shingles in many documents are what lists and rows
/// are made of: 1.7 bytes for 2.3 increments a posting (6 million documents, a third in clusters),
/// 5.3 for 10 (the Boost manual), and 4 for 216 (there without a common limit).
pub(super) const PAIRS_SIFTED_BYTES: f64 = 1.0;
pub(super) const PAIRS_SIFTED_INCREMENT_BYTES: f64 = 0.4;
/// Increments a posting that count for it.
pub(super) const PAIRS_SIFTED_INCREMENTS_MAX: f64 = 10.0;
/// Resident memory for a posting in the lists that are counted.
pub(super) const PAIRS_POSTING_BYTES: f64 = 12.0;
/// And for a pair that waits.
pub(super) const PAIRS_PAIR_BYTES: f64 = 6.0;
/// The part of its share that a sort fills before it writes.
pub(super) const FILLED_SHARE: f64 = 0.6;
/// The part of a phase's memory that the program keeps when the phase is done.
pub(super) const RETAINED_SHARE: f64 = 0.65;
/// But so much it keeps whole: it comes in pieces that are not given back.
pub(super) const RETAINED_BYTES: f64 = 64e6;

/// What is put aside of a posting that does not fit memory.
pub(super) const SORT_ASIDE_BYTES: f64 = 8.0;
/// Bytes of lists, parted on disk, for a posting or an increment, of which there are fewer, if
/// there is one part.
pub(super) const PAIRS_LIST_BYTES: f64 = 2.8;
/// And for each time that the parts are twice as many: 6.9 bytes in all for the 256 of 30 million
/// documents.
pub(super) const PAIRS_LIST_DOUBLING_BYTES: f64 = 0.5;
/// Documents of a part, and parts at most.
pub(super) const PAIRS_PART_DOCUMENTS: f64 = 4096.0;
pub(super) const PAIRS_PARTS_MAX: f64 = 256.0;
/// A pair count on disk: 3.5 of 30 million documents, 2.0 of 8,000.
pub(super) const PACKED_PAIR_BYTES: f64 = 3.5;
/// The weakest link of a document, put aside.
pub(super) const CLUSTER_ROW_BYTES: f64 = 12.0;
/// Memory that a document's URL takes while it is sorted.
pub(super) const INDEX_URL_HELD_BYTES: f64 = 24.0;
/// Bytes of a publication whatever its size: reports, the first page of the index, headers and
/// trailers.
pub(super) const INDEX_FILES_BYTES: f64 = 12e3;
/// Bytes of a document in the table of documents, compressed.
pub(super) const TABLE_DOCUMENT_BYTES: f64 = 40.0;
/// Bytes of a document in the table of memberships, compressed.
pub(super) const TABLE_MEMBER_BYTES: f64 = 5.0;
/// Bytes of a link in the table of pairs, compressed.
pub(super) const TABLE_LINK_BYTES: f64 = 57.0;
/// Bytes of a document that is in a cluster: its member record and its share of the cluster's.
pub(super) const CLUSTERED_DOCUMENT_BYTES: f64 = 21.0;
