//! Our sort beside the `extsort` crate on the same records: `rival [RECORDS] [MIB]`.
//!
//! Each sorts RECORDS random postings of 12 bytes with MIB of buffer on one thread and hands them out in order. Prints CPU
//! seconds of the thread, records a CPU second, and bytes written. The rival counts its buffer in records, so it gets as
//! many as fit.

use extsort::{ExternalSorter, Sortable};
use format::Disk;
use model::{Posting, Record};
use sort::{Keep, SortSpec, Sorter};
use std::error::Error;
use std::io::{Read, Write};

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

/// Random postings, the same for both.
fn postings(records: u64) -> impl Iterator<Item = Posting> {
    let mut state = 88_172_645_463_325_252_u64;
    (0..records).map(move |n| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        Posting { shingle: state, doc: n as u32 }
    })
}

/// User and system time of this process in seconds.
fn cpu_seconds() -> Result<f64, Box<dyn Error>> {
    let text = std::fs::read_to_string("/proc/self/stat")?;
    let fields = text.rsplit(')').next().ok_or("no fields")?.split_ascii_whitespace().skip(11).take(2);
    let ticks: Result<Vec<u64>, _> = fields.map(str::parse).collect();
    Ok(ticks?.iter().sum::<u64>() as f64 / 100.0)
}

fn main() -> Result<(), Box<dyn Error>> {
    let numbers: Vec<u64> = std::env::args().skip(1).filter_map(|argument| argument.parse().ok()).collect();
    let records = numbers.first().copied().unwrap_or(100_000_000);
    let memory_bytes = numbers.get(1).copied().unwrap_or(256) as usize * (1 << 20);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    let mut out = std::io::stdout().lock();
    writeln!(out, "{records} records of 12 bytes, {} MiB", memory_bytes >> 20)?;

    let dir = tempfile::tempdir_in(".")?;
    let disk = Disk::default();
    let before = cpu_seconds()?;
    let sum = pool.install(|| -> Result<u64, format::FormatError> {
        let (name, dir) = ("run".to_owned(), dir.path().to_path_buf());
        let spec = SortSpec { disk: disk.clone(), dir, name, memory_bytes, fan_in_max: 512 };
        let mut sorter = Sorter::new(spec, Keep);
        for posting in postings(records) {
            sorter.push(posting)?;
        }
        let mut sorted = sorter.finish()?;
        let (mut sum, mut last) = (0_u64, 0);
        while let Some(posting) = sorted.next()? {
            assert!(posting.shingle >= last, "out of order");
            last = posting.shingle;
            sum = sum.wrapping_mul(31).wrapping_add(posting.shingle);
        }
        Ok(sum)
    })?;
    let ours = cpu_seconds()? - before;
    let rate = |seconds: f64| records as f64 / seconds / 1e6;
    writeln!(out, "ours     {ours:6.2} CPU-s  {:5.1} M records/CPU-s  {} bytes written", rate(ours), disk.traffic().0)?;

    let dir = tempfile::tempdir_in(".")?;
    let before = cpu_seconds()?;
    let segment = memory_bytes / size_of::<Item>();
    let rival = ExternalSorter::new().with_segment_size(segment).with_sort_dir(dir.path().to_path_buf());
    let mut theirs_sum = 0_u64;
    for item in rival.sort(postings(records).map(Item))? {
        theirs_sum = theirs_sum.wrapping_mul(31).wrapping_add(item?.0.shingle);
    }
    let theirs = cpu_seconds()? - before;
    writeln!(out, "extsort  {theirs:6.2} CPU-s  {:5.1} M records/CPU-s", rate(theirs))?;
    writeln!(out, "ratio    {:.2} times the CPU time of ours; same order: {}", theirs / ours, sum == theirs_sum)?;
    Ok(())
}
