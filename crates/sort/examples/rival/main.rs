//! Our sort beside others on the same records: `rival [--records N] [--mib N] [--threads N]
//! [--streamed] [NAME…]`.
//!
//! Each sorts N random postings of 12 bytes with so many MiB and writes them out in order, or with
//! `--streamed` only hands them out. Prints CPU seconds (user, system), records a CPU second, wall
//! time, bytes written, and peak memory. Each runs as a process of its own, so that peaks are its
//! own. NAME: `ours`, `extsort`, `gnu` (GNU sort, on lines of text), `duckdb` (through its Python
//! module, on a Parquet file that it writes first). Without a name: the first two.
//!
//! `extsort` counts its buffer in records, so it gets as many as fit; its own order is written by
//! us.

mod outside;
mod usage;

use extsort::{ExternalSorter, Sortable};
use format::{Disk, Durability, FileKind, RecordSpec, RecordWriter};
use model::{Posting, Record};
use sort::{Keep, Prefixes, SortSpec, Sorter};
use std::error::Error;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use usage::Usage;

type Failure = Box<dyn Error + Send + Sync>;

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Item(Posting);

impl Sortable for Item {
    fn encode<W: Write>(&self, writer: &mut W) -> std::io::Result<()> {
        let mut bytes = [0; Posting::SIZE];
        self.0.encode(&mut bytes);
        writer.write_all(&bytes)
    }
    fn decode<R: Read>(reader: &mut R) -> std::io::Result<Item> {
        let mut bytes = [0; Posting::SIZE];
        reader.read_exact(&mut bytes)?;
        Ok(Item(Posting::decode(&bytes)))
    }
}

/// What to do.
#[derive(Clone, Debug)]
pub(crate) struct Task {
    pub(crate) records: u64,
    pub(crate) mib: usize,
    pub(crate) threads: usize,
    streamed: bool,
    names: Vec<String>,
}

impl Task {
    fn from_arguments() -> Result<Task, Failure> {
        let mut task = Task {
            records: 100_000_000,
            mib: 256,
            threads: 1,
            streamed: false,
            names: Vec::new(),
        };
        let mut arguments = std::env::args().skip(1);
        while let Some(argument) = arguments.next() {
            let mut number = || arguments.next().ok_or(format!("{argument} needs a number"));
            match argument.as_str() {
                "--records" => task.records = number()?.parse()?,
                "--mib" => task.mib = number()?.parse()?,
                "--threads" => task.threads = number()?.parse()?,
                "--streamed" => task.streamed = true,
                name => task.names.push(name.to_owned()),
            }
        }
        if task.names.is_empty() {
            task.names = vec!["ours".to_owned(), "extsort".to_owned()];
        }
        Ok(task)
    }
}

/// Random postings, the same for all; a share of them for each of several threads.
pub(crate) fn postings(first: u64, records: u64) -> impl Iterator<Item = Posting> {
    (first..first + records).map(|n| {
        // SplitMix64.
        let mut z = n.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        Posting {
            shingle: z ^ (z >> 31),
            doc: n as u32,
        }
    })
}

/// Writes records in order, or only looks at them; a checksum of their order.
struct Out {
    writer: Option<RecordWriter<Posting>>,
    sum: u64,
    last: Posting,
}

impl Out {
    fn new(task: &Task, disk: &Disk, dir: &Path) -> Result<Out, Failure> {
        let spec = RecordSpec {
            durability: Durability::Durable,
            ..RecordSpec::durable(dir.join("sorted"), FileKind::Postings, [0; 16])
        };
        let writer = if task.streamed {
            None
        } else {
            Some(RecordWriter::create(disk, spec)?)
        };
        Ok(Out {
            writer,
            sum: 0,
            last: Posting { shingle: 0, doc: 0 },
        })
    }

    fn push_all(&mut self, records: &[Posting]) -> Result<(), Failure> {
        for record in records {
            assert!(*record >= self.last, "out of order");
            self.last = *record;
            self.sum = self.sum.wrapping_mul(31).wrapping_add(record.shingle);
        }
        Ok(self
            .writer
            .as_mut()
            .map_or(Ok(()), |writer| writer.push_all(records))?)
    }

    fn finish(self) -> Result<u64, Failure> {
        self.writer
            .map_or(Ok(()), |writer| writer.finish().map(|_| ()))?;
        Ok(self.sum)
    }
}

fn ours(task: &Task, dir: &Path) -> Result<(u64, u64), Failure> {
    let disk = Disk::default();
    let spec = SortSpec::new(
        disk.clone(),
        dir.to_path_buf(),
        "run".to_owned(),
        task.mib << 20,
    );
    let spec = SortSpec {
        threads: task.threads,
        fan_in_max: 248,
        prefixes: Prefixes::ALL,
        ..spec
    };
    let begun = Usage::now()?;
    let mut sorter = Sorter::new(spec, Keep);
    if task.threads == 1 {
        for posting in postings(0, task.records) {
            sorter.push(posting)?;
        }
    } else {
        let share = task.records.div_ceil(task.threads as u64);
        let feed = |first: u64| {
            let mut feeder = sorter.feeder();
            for posting in postings(first, share.min(task.records - first)) {
                feeder.push(posting)?;
            }
            feeder.finish()
        };
        std::thread::scope(|scope| {
            let firsts = (0..task.records).step_by(share as usize);
            let threads: Vec<_> = firsts
                .map(|first| scope.spawn(move || feed(first)))
                .collect();
            threads.into_iter().try_for_each(|thread| {
                thread
                    .join()
                    .map_err(|_| "a feeder panicked")?
                    .map_err(Failure::from)
            })
        })?;
    }
    let fed = Usage::now()?;
    let mut sorted = sorter.finish()?;
    let mut out = Out::new(task, &disk, dir)?;
    while let Some(records) = sorted.next_slice()? {
        out.push_all(records)?;
    }
    let sum = out.finish()?;
    let done = Usage::now()?;
    println!(
        "         fed in {}, given out in {}",
        fed.since(&begun),
        done.since(&fed)
    );
    Ok((sum, disk.traffic().0))
}

fn extsort(task: &Task, dir: &Path) -> Result<(u64, u64), Failure> {
    let segment = (task.mib << 20) / size_of::<Item>();
    let rival = ExternalSorter::new()
        .with_segment_size(segment)
        .with_sort_dir(dir.to_path_buf());
    let disk = Disk::default();
    let mut out = Out::new(task, &disk, dir)?;
    for item in rival.sort(postings(0, task.records).map(Item))? {
        out.push_all(&[item?.0])?;
    }
    Ok((out.finish()?, usage::written_bytes()?))
}

/// One of the sorts in a process of its own.
fn child(task: &Task, name: &str) -> Result<(), Failure> {
    let dir = tempfile::tempdir_in(".")?;
    let begun = Usage::now()?;
    let (sum, written) = match name {
        "ours" => ours(task, dir.path())?,
        "extsort" => extsort(task, dir.path())?,
        _ => return Err(format!("{name} is none of ours, extsort, gnu, duckdb").into()),
    };
    let used = Usage::now()?.since(&begun);
    let rate = task.records as f64 / used.cpu_seconds() / 1e6;
    let peak = usage::peak_bytes()? >> 20;
    println!(
        "{name:8} {used}  {rate:5.1} M records/CPU-s  {written} bytes written  peak {peak} MiB  order {sum:016x}"
    );
    Ok(())
}

fn main() -> Result<(), Failure> {
    let task = Task::from_arguments()?;
    if let [name] = task.names.as_slice()
        && std::env::var_os("RIVAL_CHILD").is_some()
    {
        return child(&task, name);
    }
    println!(
        "{} records of 12 bytes, {} MiB, {} threads",
        task.records, task.mib, task.threads
    );
    for name in &task.names {
        match name.as_str() {
            "gnu" => outside::gnu_sort(&task)?,
            "duckdb" => outside::duckdb(&task)?,
            name => {
                let program: PathBuf = std::env::current_exe()?;
                let others = std::env::args()
                    .skip(1)
                    .filter(|argument| !task.names.contains(argument));
                let mut command = std::process::Command::new(program);
                command.args(others).arg(name).env("RIVAL_CHILD", "1");
                if !command.status()?.success() {
                    return Err(format!("{name} failed").into());
                }
            }
        }
    }
    Ok(())
}
