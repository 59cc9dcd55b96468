//! The kernels: each prepares its input, then does its work inside [`measured`].

use anyhow::{Context, Result};
use bench::kernels::Slice;
use cluster::{UnionFind, VecCells};
use format::{Disk, FileKind, RecordReader, RecordSpec, RecordWriter};
use model::{Content, Posting, Sampling, Shingle};
use pairs::{ExpandParams, List, PairSink, Rows, Shard, expand};
use sketch::{
    Cpu, FingerprintBits, FingerprintKeys, ShingleKind, SketchParams, Sketcher, TokenRules,
    TokenUnit,
};
use sort::{Keep, SortSpec, Sorter};
use std::convert::Infallible;
use std::hint::black_box;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use testkit::Random;

/// A form of the hot loops to run a kernel in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// The kernel has but one.
    Any,
    /// The portable one.
    Portable,
    /// The best that valgrind's processor has.
    Best,
}

impl Form {
    /// Those of kernels that differ.
    pub(crate) const BOTH: &[Form] = &[Form::Portable, Form::Best];
}

/// A kernel.
pub(crate) struct Kernel {
    pub(crate) name: &'static str,
    pub(crate) forms: &'static [Form],
    run: fn() -> Result<()>,
}

/// All of them.
pub(crate) const ALL: [Kernel; 10] = [
    Kernel {
        name: "tokenise-html",
        forms: Form::BOTH,
        run: tokenise,
    },
    Kernel {
        name: "sketch-text",
        forms: Form::BOTH,
        run: || sketch_with(Input::Text, MODULUS),
    },
    Kernel {
        name: "sketch-modulus",
        forms: Form::BOTH,
        run: || sketch_with(Input::Html, MODULUS),
    },
    Kernel {
        name: "sketch-adaptive",
        forms: Form::BOTH,
        run: || sketch_with(Input::Html, ADAPTIVE),
    },
    Kernel {
        name: "sort-memory",
        forms: &[Form::Any],
        run: || sort_within(64 << 20),
    },
    Kernel {
        name: "sort-spill",
        forms: &[Form::Any],
        run: || sort_within(2 << 20),
    },
    Kernel {
        name: "expand",
        forms: &[Form::Any],
        run: expand_groups,
    },
    Kernel {
        name: "union-find",
        forms: &[Form::Any],
        run: union_find,
    },
    Kernel {
        name: "records-write",
        forms: &[Form::Any],
        run: || records(Direction::Write),
    },
    Kernel {
        name: "records-read",
        forms: &[Form::Any],
        run: || records(Direction::Read),
    },
];

const MODULUS: Sampling = Sampling::Modulus { modulus: 25 };
const ADAPTIVE: Sampling = Sampling::Adaptive {
    target: 128,
    coarsest_log2: 5,
};

/// Callgrind counts while this function runs, in whatever it calls.
#[inline(never)]
fn measured(work: &mut dyn FnMut() -> Result<u64>) -> Result<u64> {
    black_box(work())
}

/// Does the work twice and counts the second time: tables that are made once would hide what a
/// document costs. (Its name must not be like that of the function that counts.)
fn second_time(work: &mut dyn FnMut() -> Result<u64>) -> Result<()> {
    black_box(work()?);
    measured(work).map(drop)
}

/// Runs a kernel in a pool of one thread, so that nothing runs on another; prints the form of the
/// hot loops.
pub(crate) fn run(name: &str) -> Result<()> {
    let kernel = ALL
        .iter()
        .find(|kernel| kernel.name == name)
        .with_context(|| format!("no kernel {name}"))?;
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(1)
        .build()
        .context("failed to start a thread")?;
    writeln!(std::io::stdout(), "{}", Cpu::chosen())?;
    pool.install(kernel.run)
}

/// The form that the program takes under valgrind.
pub(crate) fn best_form(dir: &Path) -> Result<String> {
    let this = std::env::current_exe().context("failed to find this program")?;
    let mut command = Command::new("valgrind");
    command
        .args(["--tool=none", "-q"])
        .arg(this)
        .args(["--kernel", "union-find"]);
    let ended = command
        .current_dir(dir)
        .stdin(Stdio::null())
        .env_remove("PIPELINE_CPU")
        .output();
    Ok(
        String::from_utf8_lossy(&ended.context("failed to start valgrind")?.stdout)
            .trim()
            .to_owned(),
    )
}

/// The sample crawl.
pub(crate) fn samples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data-samples")
}

/// Its pages as HTML, in the order of their paths.
fn pages() -> Result<Vec<String>> {
    let (mut open, mut files) = (vec![samples().join("tree")], Vec::new());
    while let Some(path) = open.pop() {
        if !path.is_dir() {
            files.push(path);
            continue;
        }
        for entry in std::fs::read_dir(&path)
            .with_context(|| format!("failed to list {}", path.display()))?
        {
            open.push(entry?.path());
        }
    }
    files.sort();
    let mut pages = Vec::new();
    for file in &files {
        let bytes =
            std::fs::read(file).with_context(|| format!("failed to read {}", file.display()))?;
        pages.push(String::from_utf8_lossy(&bytes).into_owned());
    }
    Ok(pages)
}

fn tokenise() -> Result<()> {
    let (pages, rules) = (
        pages()?,
        TokenRules {
            unit: TokenUnit::Words,
            drop_numbers: false,
        },
    );
    second_time(&mut || {
        let mut bytes = 0;
        for page in &pages {
            sketch::for_each_token(rules, Content::Html(page), &mut |token| {
                bytes += token.len() as u64
            });
        }
        Ok(bytes)
    })
}

/// What the pages are taken as: plain text leaves out the work on markup.
#[derive(Clone, Copy)]
enum Input {
    Html,
    Text,
}

fn sketch_with(input: Input, sampling: Sampling) -> Result<()> {
    let pages = pages()?;
    let mut sketcher = Sketcher::new(&SketchParams {
        tokens: TokenUnit::Words,
        drop_numbers: false,
        shingle_size: 10,
        shingles: ShingleKind::Set,
        sampling,
        bits: FingerprintBits::B64,
        keys: FingerprintKeys::from_seed("instructions"),
    });
    second_time(&mut || {
        let mut sampled = 0;
        for page in &pages {
            let content = match input {
                Input::Html => Content::Html(page),
                Input::Text => Content::Text(page),
            };
            sampled += sketcher.sketch(content).fingerprints.len() as u64;
        }
        Ok(sampled)
    })
}

const RECORDS: u32 = 300_000;

fn postings() -> Vec<Posting> {
    let mut random = Random::new(1);
    (0..RECORDS)
        .map(|doc| Posting {
            shingle: random.bits(),
            doc,
        })
        .collect()
}

fn sort_within(memory_bytes: usize) -> Result<()> {
    let (postings, dir) = (
        postings(),
        tempfile::tempdir().context("failed to make a temporary directory")?,
    );
    let spec = SortSpec::new(
        Disk::default(),
        dir.path().to_path_buf(),
        "sort".to_owned(),
        memory_bytes,
    );
    measured(&mut || {
        let mut sorter = Sorter::new(spec.clone(), Keep);
        for posting in &postings {
            sorter.push(*posting)?;
        }
        let (mut sorted, mut sum) = (sorter.finish()?, 0_u64);
        while let Some(posting) = sorted.next()? {
            sum = sum.wrapping_mul(31).wrapping_add(posting.shingle);
        }
        Ok(sum)
    })
    .map(drop)
}

/// Counts the rows of the documents, and adds up the rest.
struct Counted(Rows, u64);

impl PairSink for Counted {
    type Error = Infallible;
    fn list(&mut self, docs: &[u32]) -> Result<(), Infallible> {
        self.1 += u64::from(!self.0.add(List::of(docs, 1)));
        Ok(())
    }
    fn common(&mut self, shingle: Shingle, documents: u64, _: u32) -> Result<(), Infallible> {
        self.1 = self.1.wrapping_add(shingle ^ documents);
        Ok(())
    }
    fn lost(&mut self, doc: u32, _: Shingle) -> Result<(), Infallible> {
        self.1 = self.1.wrapping_add(u64::from(doc));
        Ok(())
    }
}

fn expand_groups() -> Result<()> {
    // Groups of one to twelve documents, and now and then one too large to be held, or common.
    // A twentieth of the documents begin one, so that rows meet the same documents again.
    let (mut random, mut postings) = (Random::new(2), Vec::new());
    for shingle in 0..20_000_u64 {
        let size = if shingle.is_multiple_of(1000) {
            300 * (1 + shingle / 10_000)
        } else {
            1 + random.below(12)
        };
        let first = 20 * random.below(1000) as u32;
        postings.extend((first..first + size as u32).map(|doc| Posting { shingle, doc }));
    }
    let params = ExpandParams {
        common_limit: 500,
        held_max: 200,
    };
    measured(&mut || {
        let (mut source, mut counted) = (Slice(&postings, 0), Counted(Rows::new(1 << 24), 0));
        counted.1 += u64::from(!counted.0.begin(0..21_000));
        let shard = Shard {
            start: 0,
            end: postings.len() as u64,
        };
        let seen = expand(&mut source, shard, params, &mut counted)?;
        let mut sum = counted.1 ^ seen.increments;
        counted.0.emit(&pairs::Needs::none(), |pair| {
            sum = sum.wrapping_mul(31).wrapping_add(u64::from(
                pair.a ^ pair.b.rotate_left(9) ^ pair.shared.rotate_left(20),
            ));
            Ok::<_, anyhow::Error>(())
        })?;
        Ok(sum)
    })
    .map(drop)
}

fn union_find() -> Result<()> {
    let documents = 100_000;
    let mut random = Random::new(3);
    let mut one = || random.below(u64::from(documents)) as u32;
    let links: Vec<(u32, u32)> = (0..200_000).map(|_| (one(), one())).collect();
    measured(&mut || {
        let mut sets = UnionFind::new(VecCells::new(documents as usize));
        sets.ask(links.iter().copied());
        links.iter().try_for_each(|(a, b)| sets.join(*a, *b))?;
        let mut sets = sets.flatten(documents)?;
        Ok(u64::from(sets.of(documents - 1)?.unwrap_or(documents - 1)))
    })
    .map(drop)
}

/// Which half of a round trip is measured.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Direction {
    Write,
    Read,
}

fn records(direction: Direction) -> Result<()> {
    let (postings, dir) = (
        postings(),
        tempfile::tempdir().context("failed to make a temporary directory")?,
    );
    let (disk, path) = (Disk::default(), dir.path().join("postings"));
    let mut write = || -> Result<u64> {
        let mut writer = RecordWriter::create(
            &disk,
            RecordSpec::durable(path.clone(), FileKind::Postings, [0; 16]),
        )?;
        for posting in &postings {
            writer.push(posting)?;
        }
        Ok(writer.finish()?.records)
    };
    let mut read = || -> Result<u64> {
        let (mut reader, mut sum) = (
            RecordReader::<Posting>::open(&disk, &path, FileKind::Postings)?,
            0_u64,
        );
        while let Some(posting) = reader.next()? {
            sum = sum.wrapping_add(posting.shingle);
        }
        Ok(sum)
    };
    if direction == Direction::Write {
        return measured(&mut write).map(drop);
    }
    write()?;
    measured(&mut read).map(drop)
}
