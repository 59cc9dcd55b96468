//! The hot loops, each alone: the table of stages times them, the guard counts their instructions.
//!
//! *Input.* [`Inputs`]: pages, random postings, groups and links. *Output.* Each [`Kernel`] makes a
//! closure that does the work once and tells its amount. *Memory.* [`Inputs`], some 60 MB at most.

use crate::bench::altavista::Model;
use crate::bench::altavista::pages::{Page, Pages};
use crate::bench::real_pages::read_below;
use crate::corpus::ten_words;
use anyhow::Result;
use clustering::partition::UnionFind;
use format::{Disk, FileKind, RecordReader, RecordSpec, RecordWriter};
use model::VecCells;
use model::{Content, Posting, Sampling, Shingle};
use phases::expansion::{
    ExpandParams, GroupSink, List, MinShared, PostingShard, PostingSource, RangeCounter, expand,
};
use sketch::{Cpu, Sketcher, TokenRules, for_each_token};
use sort::{KeepAll, SortSpec, Sorter};
use std::convert::Infallible;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use testkit::Random;

/// Pages of the model in [`Inputs::generated`].
const PAGES: u64 = 2000;

/// The sampling of 1996.
pub(crate) const MODULUS: Sampling = Sampling::Modulus { modulus: 25 };

/// The default sampling.
pub(crate) const ADAPTIVE: Sampling = Sampling::Adaptive {
    target: 128,
    coarsest_log2: 5,
};

/// Groups above `group_documents_max` documents are read twice; those above the limit are common.
const EXPAND: ExpandParams = ExpandParams {
    common_limit: 500,
    group_documents_max: 200,
};

/// The data that the kernels work on.
pub(crate) struct Inputs {
    /// Pages with markup.
    pub(crate) html: Vec<String>,
    /// Pages to be read as plain text.
    pub(crate) text: Vec<String>,
    scale: u32,
    postings: Vec<Posting>,
    /// Postings in order, in groups.
    groups: Vec<Posting>,
    links: Vec<(u32, u32)>,
}

impl Inputs {
    /// Pages of the model of 1996, and a million records; the same on every machine.
    pub(crate) fn generated() -> Inputs {
        let model = Model::of_pages(1, PAGES);
        let (pages, mut page) = (Pages::new(&model), Page::default());
        let (mut html, mut text) = (Vec::new(), Vec::new());
        for number in 0..PAGES {
            pages.html(number, &mut page);
            html.push(page.body.clone());
            pages.text(number, &mut page);
            text.push(page.body.clone());
        }
        Inputs::new(html, text, 4)
    }

    /// The inputs of the guard: the pages of `data-samples`, and 300,000 records.
    pub(crate) fn samples() -> Result<Inputs> {
        let html = read_below(&samples().join("tree"), &|_| true)?;
        Ok(Inputs::new(html.clone(), html, 1))
    }

    /// These pages, and `scale` times 300,000 records.
    pub(crate) fn new(html: Vec<String>, text: Vec<String>, scale: u32) -> Inputs {
        let mut random = Random::new(1);
        let posting = |doc| Posting {
            shingle: random.bits(),
            doc,
        };
        let postings = (0..scale * 300_000).map(posting).collect();
        // Groups of one to twelve documents, and now and then one too large to be held, or common.
        // A twentieth of the documents begin one, so that rows meet the same documents again.
        let (mut random, mut groups) = (Random::new(2), Vec::new());
        for shingle in 0..u64::from(scale) * 20_000 {
            let size = match shingle.is_multiple_of(1000) {
                true => 300 * (1 + shingle % 20_000 / 10_000),
                false => 1 + random.below(12),
            };
            let first = 20 * random.below(u64::from(scale) * 1000) as u32;
            groups.extend((first..first + size as u32).map(|doc| Posting { shingle, doc }));
        }
        let mut random = Random::new(3);
        let mut document = || random.below(u64::from(scale) * 100_000) as u32;
        let links = (0..scale * 200_000).map(|_| (document(), document()));
        Inputs {
            links: links.collect(),
            html,
            text,
            scale,
            postings,
            groups,
        }
    }
}

/// The sample crawl of the repository.
pub(crate) fn samples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data-samples")
}

/// Does the work of a kernel once and tells how much that was.
pub(crate) type Work<'a> = Box<dyn FnMut() -> Result<u64> + 'a>;

/// Makes everything that is not to be measured. The form is that in which sketches are made.
type Prepare = for<'a> fn(&'a Inputs, Cpu) -> Result<Work<'a>>;

/// A hot loop.
pub(crate) struct Kernel {
    /// Its name.
    pub(crate) name: &'static str,
    /// The unit of its amount.
    pub(crate) unit: &'static str,
    pub(crate) prepare: Prepare,
}

/// All of them, in the order of the phases.
pub(crate) const ALL: [Kernel; 10] = [
    kernel("tokenise-html", "B", |inputs, _| Ok(tokenise(&inputs.html))),
    kernel("sketch-text", "B", |inputs, cpu| {
        Ok(sketch(&inputs.text, (MODULUS, cpu), Content::Text))
    }),
    kernel("sketch-modulus", "B", |inputs, cpu| {
        Ok(sketch(&inputs.html, (MODULUS, cpu), Content::Html))
    }),
    kernel("sketch-adaptive", "B", |inputs, cpu| {
        Ok(sketch(&inputs.html, (ADAPTIVE, cpu), Content::Html))
    }),
    kernel("sort-memory", "records", |inputs, _| {
        sort(&inputs.postings, 64 << 20)
    }),
    kernel("sort-spill", "records", |inputs, _| {
        sort(&inputs.postings, 2 << 20)
    }),
    kernel("expand", "pairs", |inputs, _| Ok(expand_groups(inputs))),
    kernel("union-find", "links", |inputs, _| Ok(union_find(inputs))),
    kernel("records-write", "records", |inputs, _| {
        let dir = tempfile::tempdir()?;
        Ok(Box::new(move || {
            records_write(&inputs.postings, dir.path())
        }))
    }),
    kernel("records-read", "records", |inputs, _| {
        let dir = tempfile::tempdir()?;
        records_write(&inputs.postings, dir.path())?;
        Ok(Box::new(move || {
            records_read(dir.path())?;
            Ok(inputs.postings.len() as u64)
        }))
    }),
];

const fn kernel(name: &'static str, unit: &'static str, prepare: Prepare) -> Kernel {
    Kernel {
        name,
        unit,
        prepare,
    }
}

impl Kernel {
    /// The kernel of a name.
    pub(crate) fn named(name: &str) -> Option<Kernel> {
        ALL.into_iter().find(|kernel| kernel.name == name)
    }

    /// Whether it differs between the forms of the hot loops: the kernels that read pages do.
    pub(crate) fn has_forms(&self) -> bool {
        self.unit == "B"
    }
}

fn bytes(pages: &[String]) -> u64 {
    pages.iter().map(|page| page.len() as u64).sum()
}

fn tokenise(pages: &[String]) -> Work<'_> {
    let rules = TokenRules::WORDS;
    Box::new(move || {
        let mut letters = 0;
        for page in pages {
            for_each_token(rules, Content::Html(page), &mut |token| {
                letters += token.len() as u64;
            });
        }
        black_box(letters);
        Ok(bytes(pages))
    })
}

fn sketch<'a>(
    pages: &'a [String],
    (sampling, cpu): (Sampling, Cpu),
    content: fn(&'a str) -> Content<'a>,
) -> Work<'a> {
    let params = ten_words(sampling, "instructions");
    let mut sketcher = Sketcher::for_cpu(&params, cpu);
    Box::new(move || {
        let mut sampled = 0;
        for page in pages {
            sampled += sketcher.sketch(content(page)).fingerprints.len();
        }
        black_box(sampled);
        Ok(bytes(pages))
    })
}

fn sort(postings: &[Posting], memory_bytes: usize) -> Result<Work<'_>> {
    let dir = tempfile::tempdir()?;
    Ok(Box::new(move || {
        let path = dir.path().to_path_buf();
        let spec = SortSpec::new(Disk::default(), path, "sort".to_owned(), memory_bytes);
        let mut sorter = Sorter::new(spec, KeepAll);
        for posting in postings {
            sorter.push(*posting)?;
        }
        let (mut sorted, mut sum) = (sorter.finish()?, 0_u64);
        while let Some(posting) = sorted.next()? {
            sum = sum.wrapping_mul(31).wrapping_add(posting.shingle);
        }
        black_box(sum);
        Ok(postings.len() as u64)
    }))
}

/// Postings in memory, and the number of the next one.
struct Slice<'a>(&'a [Posting], usize);

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

/// Counts pairs in rows in memory, and adds up the rest.
struct Counted(RangeCounter, u64);

impl GroupSink for Counted {
    type Error = Infallible;
    fn list(&mut self, docs: &[u32]) -> Result<(), Infallible> {
        self.1 += u64::from(!self.0.add(List::of(docs, 1)));
        Ok(())
    }
    fn common(&mut self, shingle: Shingle, documents: u64, _: u32) -> Result<(), Infallible> {
        self.1 = self.1.wrapping_add(shingle ^ documents);
        Ok(())
    }
    fn common_of(&mut self, doc: u32, _: Shingle) -> Result<(), Infallible> {
        self.1 = self.1.wrapping_add(u64::from(doc));
        Ok(())
    }
}

fn expand_groups(inputs: &Inputs) -> Work<'_> {
    let (groups, scale) = (&inputs.groups, inputs.scale);
    let shard = PostingShard {
        start: 0,
        end: groups.len() as u64,
    };
    Box::new(move || {
        let mut counted = Counted(RangeCounter::new((scale as usize) << 24), 0);
        counted.1 += u64::from(!counted.0.begin(0..scale * 20_000 + 1000));
        let seen = expand(&mut Slice(groups, 0), shard, EXPAND, &mut counted)?;
        let mut sum = counted.1;
        counted.0.emit(&MinShared::none(), |pair| {
            sum = sum.wrapping_mul(31).wrapping_add(u64::from(
                pair.a ^ pair.b.rotate_left(9) ^ pair.shared.rotate_left(20),
            ));
            Ok::<_, Infallible>(())
        })?;
        black_box(sum);
        Ok(seen.increments)
    })
}

fn union_find(inputs: &Inputs) -> Work<'_> {
    let (links, documents) = (&inputs.links, inputs.scale * 100_000);
    Box::new(move || {
        let mut sets = UnionFind::new(VecCells::new(documents as usize));
        sets.prefetch(links.iter().copied());
        links.iter().try_for_each(|(a, b)| sets.join(*a, *b))?;
        black_box(sets.find(documents - 1)?);
        Ok(links.len() as u64)
    })
}

const RECORDS: &str = "postings";

fn records_write(postings: &[Posting], dir: &Path) -> Result<u64> {
    let spec = RecordSpec::durable(dir.join(RECORDS), FileKind::Postings, [0; 16]);
    let mut writer = RecordWriter::create(&Disk::default(), spec)?;
    for posting in postings {
        writer.push(posting)?;
    }
    Ok(writer.finish()?.records)
}

fn records_read(dir: &Path) -> Result<()> {
    let path = dir.join(RECORDS);
    let mut reader = RecordReader::<Posting>::open(&Disk::default(), &path, FileKind::Postings)?;
    let mut sum = 0_u64;
    while let Some(posting) = reader.next()? {
        sum = sum.wrapping_add(posting.shingle);
    }
    black_box(sum);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kernel_does_the_same_work_each_time() {
        let inputs = Inputs::samples().unwrap();
        for kernel in ALL {
            let mut work = (kernel.prepare)(&inputs, Cpu::chosen()).unwrap();
            let amount = work().unwrap();
            assert!(amount > 10_000, "{}: {amount}", kernel.name);
            assert_eq!(work().unwrap(), amount, "{}", kernel.name);
        }
    }
}
