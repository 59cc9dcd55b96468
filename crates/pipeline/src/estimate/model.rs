//! From counts to seconds, memory and disk of each phase.
//!
//! *Input.* [`Counts`], what the run is given, and how fast the sample was. *Output.* A
//! [`CostEstimate`] for each phase. *Algorithm.* Every phase is linear in what it goes through;
//! [`rates`](super::rates) has the factors. What does not fit its share of the memory is written
//! and read once more. *Limits.* One extra pass is counted, however small the memory.

use super::rates::*;
use super::{Counts, Speed};
use distinct::Keyed;
use format::{GroupRecord, LinkRecord, UrlRecord};
use model::{Class, PairCount, Posting, Record};
use output::CostEstimate;
use runtime::PhaseName;

/// What a run is given.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Given {
    pub(crate) threads: usize,
    pub(crate) memory_bytes: u64,
    pub(crate) input_bytes: u64,
    /// Segments of the sketch phase.
    pub(crate) segments: usize,
    /// The share of the sketch phase that earlier runs have left to do.
    pub(crate) sketch_left: f64,
    /// The share of the documents that `sort` and `pairs` have not taken in before.
    pub(crate) new_share: f64,
    /// Levels of a sketch's sizes.
    pub(crate) levels: usize,
    /// Whether pairs below a floor are left out.
    pub(crate) has_floor: bool,
    /// Postings in the sample that the run looks at before it begins.
    pub(crate) sample_postings: Option<u64>,
}

/// What a phase costs, and how much of what it writes stays.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Cost {
    pub(crate) estimate: CostEstimate,
    pub(crate) kept_bytes: u64,
}

/// The parts a cost is put together from.
struct Parts {
    cpu_ns: f64,
    memory_bytes: f64,
    /// Outputs, and what is written on the way.
    kept_bytes: f64,
    passing_bytes: f64,
    files: f64,
}

/// The cost of every phase, in order; those that run keep memory for the ones after them.
pub(crate) fn all(counts: &Counts, given: &Given, speed: &Speed, run: &[PhaseName]) -> [Cost; 6] {
    let mut before_bytes = 0.0;
    let sample_bytes =
        |postings: u64| SAMPLE_BYTES + postings as f64 * size_of::<(u64, u32)>() as f64;
    let program_bytes = PROGRAM_BYTES + given.sample_postings.map_or(0.0, sample_bytes);
    PhaseName::ALL.map(|phase| {
        let parts = parts(phase, counts, given, speed);
        let memory_bytes = program_bytes + parts.memory_bytes.max(before_bytes);
        if run.contains(&phase) {
            let kept_bytes = (parts.memory_bytes * RETAINED_SHARE)
                .max(RETAINED_BYTES)
                .min(parts.memory_bytes);
            before_bytes = kept_bytes.max(before_bytes);
        }
        let cpu_s = parts.cpu_ns / 1e9;
        let threads = match phase {
            PhaseName::Sketch => given.threads.min(given.segments),
            _ => given.threads,
        };
        let shared = SHARED_WORK_SHARE[phase as usize];
        let working_s = cpu_s * (1.0 - shared + shared / threads.max(1) as f64);
        let written = parts.kept_bytes + parts.passing_bytes;
        let read = if phase == PhaseName::Sketch {
            given.input_bytes as f64
        } else {
            parts.passing_bytes
        };
        let estimate = CostEstimate {
            wall_s: working_s.max((written + read) / DISK_BYTES_A_SECOND) + parts.files * SYNC_S,
            cpu_s,
            peak_memory_bytes: memory_bytes as u64,
            bytes_written: written as u64,
            peak_disk_bytes: written as u64,
        };
        Cost {
            estimate,
            kept_bytes: parts.kept_bytes as u64,
        }
    })
}

/// CPU nanoseconds of a phase on the recorded machine.
pub(super) fn cpu_ns(phase: PhaseName, counts: &Counts, given: &Given) -> f64 {
    parts(phase, counts, given, &Speed::default()).cpu_ns
}

/// What of `bytes` is over a share of the memory.
fn over(bytes: f64, given: &Given, share: f64) -> f64 {
    (bytes - share * given.memory_bytes as f64).max(0.0)
}

/// Bytes that are held of `bytes`, in a budget.
fn held(bytes: f64, given: &Given) -> f64 {
    bytes.min(FILLED_SHARE * given.memory_bytes as f64)
}

fn parts(phase: PhaseName, counts: &Counts, given: &Given, speed: &Speed) -> Parts {
    let n = counts.figures();
    // Classes of two are the most frequent, by far.
    let in_classes = (2.0 * (n.documents - n.representatives)).clamp(0.0, n.documents);
    let in_clusters = (in_classes + n.links / 2.0).min(n.documents);
    let mut parts = match phase {
        PhaseName::Sketch => sketch(&n, given, speed),
        PhaseName::Distinct => Parts {
            cpu_ns: n.documents * DISTINCT_DOCUMENT_NS,
            memory_bytes: held(n.documents * DISTINCT_DOCUMENT_BYTES, given),
            kept_bytes: in_classes * Class::SIZE as f64,
            passing_bytes: over(3.0 * n.documents * Keyed::SIZE as f64, given, 3.0 / 8.0),
            files: 2.0,
        },
        PhaseName::Sort => {
            let new = given.new_share;
            let bytes = n.postings * Posting::SIZE as f64 * new;
            let blocks = given.threads as f64 * SORT_THREAD_BYTES;
            Parts {
                cpu_ns: new * (n.sampled * SORT_SAMPLED_NS + n.postings * SORT_POSTING_NS),
                memory_bytes: held(new * n.postings * SORT_POSTING_BYTES + blocks, given),
                kept_bytes: bytes,
                passing_bytes: over(n.postings * SORT_ASIDE_BYTES * new, given, 7.0 / 16.0),
                files: 2.0,
            }
        }
        PhaseName::Pairs => pairs(&n, given),
        PhaseName::Cluster => {
            let sizes = n.documents * 4.0 * given.levels as f64;
            let is_parted = sizes > given.memory_bytes as f64 * 3.0 / 8.0;
            // With their sizes beside them, cells are waited for once.
            let is_beside = sizes + 4.0 * n.documents <= given.memory_bytes as f64 * 3.0 / 4.0;
            let apart = if is_beside { 1.0 } else { CLUSTER_APART };
            Parts {
                cpu_ns: apart * (n.documents * CLUSTER_DOCUMENT_NS + n.links * CLUSTER_LINK_NS)
                    + n.pairs * CLUSTER_PAIR_NS,
                memory_bytes: held(sizes + 4.0 * n.documents, given),
                kept_bytes: n.links * LinkRecord::SIZE as f64
                    + in_clusters * CLUSTERED_DOCUMENT_BYTES,
                passing_bytes: n.links.min(n.documents) * CLUSTER_ROW_BYTES
                    + if is_parted {
                        n.pairs * PairCount::SIZE as f64
                    } else {
                        0.0
                    },
                files: 4.0,
            }
        }
        PhaseName::Index => Parts {
            cpu_ns: n.documents * INDEX_DOCUMENT_NS
                + n.links * INDEX_LINK_NS
                + INDEX_PUBLICATION_NS,
            memory_bytes: held(INDEX_URL_HELD_BYTES * n.documents, given),
            kept_bytes: n.documents * (TABLE_MEMBER_BYTES + UrlRecord::SIZE as f64)
                + n.links * TABLE_LINK_BYTES
                + (in_clusters + in_classes / 2.0) * GroupRecord::SIZE as f64
                + in_clusters * 2.5
                + INDEX_FILES_BYTES,
            passing_bytes: over(n.documents * UrlRecord::SIZE as f64, given, 7.0 / 16.0),
            files: 16.0,
        },
    };
    parts.cpu_ns = (parts.cpu_ns + parts.memory_bytes * FIRST_TOUCH_BYTE_NS + PHASE_NS)
        * speed.corrections[phase as usize];
    parts
}

fn sketch(n: &Figures, given: &Given, speed: &Speed) -> Parts {
    let segments = given.segments as f64;
    let reading = speed.body_ns.map_or(
        n.body_bytes * (READ_BODY_BYTE_NS + SKETCH_BODY_BYTE_NS),
        |ns| n.body_bytes * ns,
    );
    let writing = n.documents * SKETCH_DOCUMENT_NS
        + n.row_bytes * SKETCH_ROW_BYTE_NS
        + segments * SKETCH_SEGMENT_NS;
    // The corrections are those of the machine; the sample has them already.
    let writing = if speed.body_ns.is_some() {
        writing * speed.machine
    } else {
        writing
    };
    let left = given.sketch_left;
    Parts {
        cpu_ns: (reading + writing) * left,
        memory_bytes: given.threads.min(given.segments) as f64 * SKETCH_THREAD_BYTES,
        kept_bytes: n.row_bytes * left + n.documents * TABLE_DOCUMENT_BYTES,
        passing_bytes: 0.0,
        files: segments * left * 5.0 / given.threads.max(1) as f64 + 2.0,
    }
}

fn pairs(n: &Figures, given: &Given) -> Parts {
    // All postings go by; of the pairs only those with new documents are made.
    let (budget, new) = (given.memory_bytes as f64, given.new_share);
    let pairs = n.pairs * new;
    let doublings = (n.documents / PAIRS_PART_DOCUMENTS)
        .clamp(1.0, PAIRS_PARTS_MAX)
        .log2();
    let increments = n.increments / n.postings.max(1.0);
    // Of a posting.
    let (ns, list_bytes) = if given.has_floor {
        let ns = PAIRS_FLOOR_POSTING_NS
            + new * PAIRS_FLOOR_INCREMENT_NS * increments.min(PAIRS_FLOOR_INCREMENTS_MAX);
        (
            ns,
            PAIRS_SIFTED_BYTES
                + PAIRS_SIFTED_INCREMENT_BYTES * increments.min(PAIRS_SIFTED_INCREMENTS_MAX),
        )
    } else {
        (
            new * PAIRS_INCREMENT_NS * increments,
            PAIRS_LIST_BYTES + doublings * PAIRS_LIST_DOUBLING_BYTES,
        )
    };
    Parts {
        cpu_ns: n.postings * (PAIRS_POSTING_NS + ns) + pairs * PAIRS_PAIR_NS,
        // Lists on their way to the parts and being counted, then pairs that wait for their turn.
        memory_bytes: (new * n.postings * PAIRS_POSTING_BYTES).min(budget * 9.0 / 16.0)
            + (pairs * PAIRS_PAIR_BYTES).min(budget * 3.0 / 16.0),
        kept_bytes: pairs * PACKED_PAIR_BYTES,
        passing_bytes: new * n.postings.min(n.increments) * list_bytes,
        files: 4.0,
    }
}

/// [`Counts`] as what is calculated with.
struct Figures {
    documents: f64,
    body_bytes: f64,
    row_bytes: f64,
    sampled: f64,
    representatives: f64,
    postings: f64,
    increments: f64,
    pairs: f64,
    links: f64,
}

impl Counts {
    fn figures(&self) -> Figures {
        Figures {
            documents: self.documents as f64,
            body_bytes: self.body_bytes as f64,
            row_bytes: self.row_bytes as f64,
            sampled: self.sampled as f64,
            representatives: self.representatives as f64,
            postings: self.postings as f64,
            increments: self.increments as f64,
            pairs: self.pairs as f64,
            links: self.links as f64,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn given(memory_bytes: u64) -> Given {
        Given {
            threads: 2,
            memory_bytes,
            input_bytes: 1 << 30,
            segments: 100,
            sketch_left: 1.0,
            new_share: 1.0,
            levels: 6,
            has_floor: true,
            sample_postings: Some(1000),
        }
    }

    fn counts(documents: u64) -> Counts {
        Counts {
            documents,
            rejected: 0,
            body_bytes: 5000 * documents,
            row_bytes: 900 * documents,
            sampled: 90 * documents,
            representatives: documents / 10 * 8,
            postings: 70 * documents,
            increments: 140 * documents,
            pairs: 20 * documents,
            links: documents / 3,
        }
    }

    proptest! {
        #[test]
        fn more_documents_cost_more_and_less_memory_writes_more(documents in 1u64..1 << 26, memory in 24u32..34) {
            let costs = |documents: u64, memory: u64| all(&counts(documents), &given(memory), &Speed::default(), &PhaseName::ALL);
            let (one, two) = (costs(documents, 1 << memory), costs(2 * documents, 1 << memory));
            for (one, two) in one.iter().zip(&two) {
                prop_assert!(two.estimate.cpu_s > one.estimate.cpu_s && two.estimate.wall_s > one.estimate.wall_s);
                prop_assert!(two.estimate.peak_disk_bytes >= one.estimate.peak_disk_bytes);
                prop_assert!(one.kept_bytes <= one.estimate.bytes_written);
                prop_assert!(one.estimate.wall_s.is_finite() && one.estimate.peak_memory_bytes <= (1 << memory) + (64 << 20));
            }
            for (less, more) in costs(documents, 1 << (memory - 1)).iter().zip(&one) {
                prop_assert!(less.estimate.bytes_written >= more.estimate.bytes_written);
            }
        }
    }

    #[test]
    fn what_does_not_fit_is_written_once_more() {
        let sort = |memory| {
            all(&counts(1_000_000), &given(memory), &Speed::default(), &[])
                [PhaseName::Sort as usize]
        };
        assert_eq!(sort(1 << 40).estimate.bytes_written, 840_000_000);
        let small = sort(64 << 20);
        assert_eq!(small.kept_bytes, 840_000_000);
        assert_eq!(
            small.estimate.bytes_written,
            840_000_000 + 560_000_000 - (7 * (64 << 20) / 16)
        );
    }

    #[test]
    fn a_slower_machine_takes_longer_and_a_resumed_run_has_less_left() {
        let counts = counts(100_000);
        let cpu = |given: Given, speed: Speed| all(&counts, &given, &speed, &[])[0].estimate.cpu_s;
        let slow = Speed {
            corrections: [2.0; 6],
            ..Speed::default()
        };
        assert!(cpu(given(1 << 30), slow) > 1.99 * cpu(given(1 << 30), Speed::default()));
        let half = Given {
            sketch_left: 0.5,
            ..given(1 << 30)
        };
        assert!(cpu(half, Speed::default()) < 0.6 * cpu(given(1 << 30), Speed::default()));
    }
}
