//! Documents of which every pair is a link: measures the cost of a link in the phase `cluster`.
//!
//! *Input.* How many links. *Output.* A collection with three tenths as many documents.
//! *Algorithm.* Groups of 7 and 8 documents whose places in the collection are shuffled; of a group
//! any two share three of four shingles (resemblance 0.6). So there are no pairs but links, as in a
//! bench of union-find alone, while in a crawl there are twenty pairs for a link. *Disk.* Some 60
//! bytes for each link.

use super::Permutation;
use super::sketches::{Collection, Sketched};
use model::Sampling;
use testkit::random::mix;

/// Groups of these sizes, in turn: 23 documents have 77 links.
const SIZES: [u64; 3] = [7, 8, 8];
const CYCLE_DOCUMENTS: u64 = 23;
const CYCLE_LINKS: u64 = 77;

/// Documents in shuffled groups of near-copies.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Groups {
    seed: u64,
    documents: u64,
    places: Permutation,
}

impl Groups {
    /// As many documents as have about so many links.
    pub(crate) fn of_links(seed: u64, links: u64) -> Groups {
        let documents = links.div_ceil(CYCLE_LINKS) * CYCLE_DOCUMENTS;
        Groups {
            seed,
            documents,
            places: Permutation::new(documents, seed),
        }
    }

    /// The links between all documents.
    pub(crate) fn links(&self) -> u64 {
        self.documents / CYCLE_DOCUMENTS * CYCLE_LINKS
    }

    /// Which group a document is in.
    fn group(&self, number: u64) -> u64 {
        let place = self.places.apply(number);
        let (cycle, mut within) = (place / CYCLE_DOCUMENTS, place % CYCLE_DOCUMENTS);
        let mut group = cycle * SIZES.len() as u64;
        for size in SIZES {
            if within < size {
                break;
            }
            (group, within) = (group + 1, within - size);
        }
        group
    }
}

impl Collection for Groups {
    fn seed(&self) -> u64 {
        self.seed
    }
    fn documents(&self) -> u64 {
        self.documents
    }
    fn sketch(&self, number: u64, sampling: Sampling, sketch: &mut Vec<u64>) -> Sketched {
        let modulus = u64::from(sampling.modulus_at(0));
        let shingle = |of: u64| mix(mix(self.seed) ^ of) / modulus * modulus;
        sketch.clear();
        sketch.extend((0..3).map(|at| shingle(self.group(number) << 2 | at)));
        sketch.push(shingle(number << 2 | 3));
        sketch.sort_unstable();
        Sketched {
            words: 100,
            level: 0,
            identity: number,
            lexical: number,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::altavista::sketches::tests::{counts_of_a_run, spec};

    #[test]
    fn the_real_phases_find_these_pairs_and_all_are_links() {
        let dir = tempfile::tempdir().unwrap();
        let spec = spec(dir.path());
        let groups = Groups::of_links(7, 3000);
        spec.write(&groups).unwrap();
        let counts = counts_of_a_run(&spec, "");
        assert_eq!(counts["pairs.pairs"], groups.links());
        assert_eq!(counts["cluster.links.resemblance"], groups.links());
    }
}
