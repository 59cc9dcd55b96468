//! The hot loops, each alone on the same generated input: what `benches/kernels.rs` and the table
//! of stages time.
//!
//! *Input.* Pages of the model of 1996 ([`crate::altavista`]), random postings, groups and links.
//! *Output.* For each [`Kernel`] a number that depends on all of its work, so that none is left
//! out. *Memory.* [`Inputs`], some 60 MB.

use crate::altavista::Model;
use crate::altavista::pages::{Page, Pages};
use cluster::{UnionFind, VecCells};
use format::Disk;
use model::{Content, Posting, Sampling};
use pairs::{ExpandParams, List, PairSink, PostingSource, Rows, Shard, expand};
use sketch::{
    FingerprintBits, FingerprintKeys, ShingleKind, SketchParams, Sketcher, TokenRules, TokenUnit,
    for_each_token,
};
use sort::{Keep, SortSpec, Sorter};
use std::convert::Infallible;
use testkit::Random;

/// Pages, records, documents to work on.
const PAGES: u64 = 2000;
const RECORDS: u64 = 1 << 20;
const DOCUMENTS: u32 = 1 << 20;
const SEED: u64 = 1;

/// The sampling of the paper and the default.
pub const SAMPLINGS: [Sampling; 2] = [
    Sampling::Modulus { modulus: 25 },
    Sampling::Adaptive {
        target: 128,
        coarsest_log2: 5,
    },
];

/// What the kernels work on.
pub struct Inputs {
    /// Pages with markup.
    pub html: Vec<String>,
    /// The same pages without.
    pub text: Vec<String>,
    /// Random postings, in no order.
    pub postings: Vec<Posting>,
    /// Postings in order, in groups of 1 to 30.
    pub groups: Vec<Posting>,
    /// Random links.
    pub links: Vec<(u32, u32)>,
}

impl Inputs {
    /// The same on every machine.
    pub fn generated() -> Inputs {
        let model = Model::of_pages(SEED, PAGES);
        let (pages, mut page) = (Pages::new(&model), Page::default());
        let mut inputs = Inputs::of_pages(Vec::new());
        for number in 0..PAGES {
            pages.html(number, &mut page);
            inputs.html.push(page.body.clone());
            pages.text(number, &mut page);
            inputs.text.push(page.body.clone());
        }
        inputs
    }

    /// These pages, and generated records; there is no text.
    pub fn of_pages(html: Vec<String>) -> Inputs {
        let mut random = Random::new(SEED);
        let postings: Vec<Posting> = (0..RECORDS as u32)
            .map(|doc| Posting {
                shingle: random.bits(),
                doc,
            })
            .collect();
        let mut groups = Vec::new();
        while groups.len() < RECORDS as usize {
            let (shingle, first) = (groups.len() as u64, random.below(1 << 20) as u32);
            groups.extend((0..random.within(1, 30) as u32).map(|at| Posting {
                shingle,
                doc: first + 7 * at,
            }));
        }
        let mut document = || random.below(u64::from(DOCUMENTS)) as u32;
        let links = (0..RECORDS).map(|_| (document(), document())).collect();
        Inputs {
            html,
            text: Vec::new(),
            postings,
            groups,
            links,
        }
    }
}

/// One hot loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kernel {
    /// Markup to tokens.
    Tokenise,
    /// Text to sketches at modulus 25: words, fingerprints, sampling.
    Fingerprint,
    /// Markup to sketches at modulus 25.
    SketchModulus,
    /// Markup to adaptive sketches.
    SketchAdaptive,
    /// Postings put in order in memory.
    Sort,
    /// Groups of postings to pairs.
    Expand,
    /// Links to sets.
    UnionFind,
}

impl Kernel {
    /// All of them, along the line.
    pub const ALL: [Kernel; 7] = [
        Kernel::Tokenise,
        Kernel::Fingerprint,
        Kernel::SketchModulus,
        Kernel::SketchAdaptive,
        Kernel::Sort,
        Kernel::Expand,
        Kernel::UnionFind,
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Kernel::Tokenise => "tokenise HTML",
            Kernel::Fingerprint => "text to sketches",
            Kernel::SketchModulus => "HTML to sketches, mod 25",
            Kernel::SketchAdaptive => "HTML to sketches, adaptive",
            Kernel::Sort => "sort in memory",
            Kernel::Expand => "expand",
            Kernel::UnionFind => "union-find",
        }
    }

    /// How much of what it works on: bytes, records, pairs, links.
    pub fn amount(self, inputs: &Inputs) -> (u64, &'static str) {
        let bytes = |pages: &[String]| pages.iter().map(|page| page.len() as u64).sum();
        match self {
            Kernel::Tokenise | Kernel::SketchModulus | Kernel::SketchAdaptive => {
                (bytes(&inputs.html), "B")
            }
            Kernel::Fingerprint => (bytes(&inputs.text), "B"),
            Kernel::Sort => (inputs.postings.len() as u64, "records"),
            Kernel::Expand => (self.run(inputs), "pairs"),
            Kernel::UnionFind => (inputs.links.len() as u64, "links"),
        }
    }

    /// Does all of it once. 0 when the sort fails, which it has no reason to.
    pub fn run(self, inputs: &Inputs) -> u64 {
        match self {
            Kernel::Tokenise => tokenise(&inputs.html),
            Kernel::Fingerprint => sketches(&inputs.text, SAMPLINGS[0], Content::Text),
            Kernel::SketchModulus => sketches(&inputs.html, SAMPLINGS[0], Content::Html),
            Kernel::SketchAdaptive => sketches(&inputs.html, SAMPLINGS[1], Content::Html),
            Kernel::Sort => sorted(&inputs.postings).unwrap_or(0),
            Kernel::Expand => expanded(&inputs.groups),
            Kernel::UnionFind => joined(&inputs.links),
        }
    }
}

fn tokenise(pages: &[String]) -> u64 {
    let rules = TokenRules {
        unit: TokenUnit::Words,
        drop_numbers: false,
    };
    let mut letters = 0;
    for page in pages {
        for_each_token(rules, Content::Html(page), &mut |token| {
            letters += token.len() as u64
        });
    }
    letters
}

/// Sketches all pages with new tables; gives the words and the sample.
fn sketches<'a>(
    pages: &'a [String],
    sampling: Sampling,
    content: fn(&'a str) -> Content<'a>,
) -> u64 {
    let mut sketcher = Sketcher::new(&SketchParams {
        tokens: TokenUnit::Words,
        drop_numbers: false,
        shingle_size: 10,
        shingles: ShingleKind::Set,
        sampling,
        bits: FingerprintBits::B64,
        keys: FingerprintKeys::from_seed("kernels"),
    });
    let mut sum = 0_u64;
    for page in pages {
        let sketched = sketcher.sketch(content(page));
        sum = sum
            .wrapping_add(sketched.words)
            .wrapping_add(sketched.fingerprints.iter().fold(0, |a, b| a ^ b));
    }
    sum
}

fn sorted(postings: &[Posting]) -> Result<u64, format::FormatError> {
    // All of it fits, so the directory is not used.
    let dir = std::env::temp_dir();
    let spec = SortSpec::new(
        Disk::default(),
        dir,
        "kernel".to_owned(),
        16 * size_of_val(postings),
    );
    let mut sorter = Sorter::new(spec, Keep);
    sorter.push_all(postings)?;
    let (mut sorted, mut sum) = (sorter.finish()?, 0_u64);
    while let Some(records) = sorted.next_slice()? {
        for record in records {
            sum = sum.wrapping_mul(31).wrapping_add(record.shingle);
        }
    }
    Ok(sum)
}

/// Postings in memory, and the number of the next one.
pub struct Slice<'a>(pub &'a [Posting], pub usize);

impl PostingSource for Slice<'_> {
    type Error = Infallible;
    fn next_slice(&mut self) -> Result<Option<&[Posting]>, Infallible> {
        let rest = &self.0[self.1.min(self.0.len())..];
        self.1 = self.0.len();
        Ok((!rest.is_empty()).then_some(rest))
    }
    fn seek(&mut self, position: u64) -> Result<(), Infallible> {
        self.1 = position as usize;
        Ok(())
    }
}

/// Rows of all documents, counted in memory.
struct Counted(Rows);

impl PairSink for Counted {
    type Error = Infallible;
    fn list(&mut self, docs: &[u32]) -> Result<(), Infallible> {
        assert!(self.0.add(List::of(docs, 1)), "the kernel's lists fit");
        Ok(())
    }
    fn common(&mut self, _: u64, _: u64, _: u32) -> Result<(), Infallible> {
        Ok(())
    }
    fn lost(&mut self, _: u32, _: u64) -> Result<(), Infallible> {
        Ok(())
    }
}

fn expanded(groups: &[Posting]) -> u64 {
    let params = ExpandParams {
        common_limit: 1000,
        held_max: 1 << 16,
    };
    let (shard, mut sink) = (
        Shard {
            start: 0,
            end: groups.len() as u64,
        },
        Counted(Rows::new(1 << 30)),
    );
    let documents = groups
        .iter()
        .map(|posting| posting.doc + 1)
        .max()
        .unwrap_or(0);
    assert!(sink.0.begin(0..documents), "the kernel's documents fit");
    let Ok(_) = expand(&mut Slice(groups, 0), shard, params, &mut sink);
    let mut increments = 0;
    let Ok(()) = sink.0.emit(&pairs::Needs::none(), |pair| {
        increments += u64::from(pair.shared);
        Ok::<_, Infallible>(())
    });
    increments
}

fn joined(links: &[(u32, u32)]) -> u64 {
    let mut sets = UnionFind::new(VecCells::new(DOCUMENTS as usize));
    sets.ask(links.iter().copied());
    for (a, b) in links {
        let Ok(()) = sets.join(*a, *b);
    }
    let Ok(mut sets) = sets.flatten(DOCUMENTS);
    let mut of = |document| {
        let Ok(set) = sets.of(document);
        u64::from(set.unwrap_or(document))
    };
    (0..DOCUMENTS).step_by(4096).map(&mut of).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_do_their_work() {
        let model = Model::of_pages(SEED, 20);
        let (pages, mut page) = (Pages::new(&model), Page::default());
        let mut inputs = Inputs::of_pages(Vec::new());
        for number in 0..20 {
            pages.html(number, &mut page);
            inputs.html.push(page.body.clone());
            pages.text(number, &mut page);
            inputs.text.push(page.body.clone());
        }
        for kernel in Kernel::ALL {
            assert!(
                kernel.run(&inputs) > 0 && kernel.run(&inputs) == kernel.run(&inputs),
                "{}",
                kernel.name()
            );
        }
        let mut postings = inputs.postings.clone();
        postings.sort_unstable();
        assert_eq!(
            sorted(&postings).unwrap(),
            sorted(&inputs.postings).unwrap()
        );
        // Text and markup are the same words.
        let html = sketches(&inputs.html, SAMPLINGS[0], Content::Html);
        assert_eq!(html, sketches(&inputs.text, SAMPLINGS[0], Content::Text));
    }
}
