//! The cost of reading alone: `cargo run --release -p input --example read_speed -- ROUNDS PATH…`
//!
//! *Input.* Files, directories or globs of any format. *Output.* One line: bytes on disk,
//! documents, bytes of their bodies, and of the best round the CPU seconds and both rates.
//! *Algorithm.* Every file is read as one piece into a sink that only counts. CPU time is that of
//! this thread, from the kernel's scheduler. *Limits.* Linux.

use std::error::Error;

use input::{
    Discovery, Document, FieldNames, LargeRecords, Piece, ReadOptions, Rejection, Sink, SinkError,
};

/// Counts.
#[derive(Clone, Copy, Debug, Default)]
struct Count {
    documents: u64,
    rejected: u64,
    body_bytes: u64,
    text_bytes: u64,
}

impl Sink for Count {
    fn document(&mut self, document: &Document<'_>) -> Result<(), SinkError> {
        self.documents += 1;
        self.body_bytes += document.body.len() as u64;
        self.text_bytes += document.content.as_str().len() as u64;
        Ok(())
    }

    fn rejected(&mut self, _: Rejection) -> Result<(), SinkError> {
        self.rejected += 1;
        Ok(())
    }
}

/// Nanoseconds this thread has run.
fn cpu_ns() -> Result<u64, Box<dyn Error>> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat")?;
    Ok(text
        .split_whitespace()
        .next()
        .ok_or("schedstat is empty")?
        .parse()?)
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let rounds: u32 = arguments.next().ok_or("read_speed ROUNDS PATH…")?.parse()?;
    let discovery = Discovery::of_all(arguments.collect(), std::env::current_dir()?);
    let listing = input::discover(&discovery)?;
    let options = ReadOptions {
        fields: FieldNames::default(),
        charset: None,
        max_document_bytes: 16 << 20,
        max_page_bytes: input::PAGE_BYTES,
        max_expansion: u32::MAX,
        max_url_bytes: input::URL_BYTES,
        max_field_bytes: input::FIELD_BYTES,
        large: LargeRecords::default(),
    };
    let mut best = u64::MAX;
    let mut count = Count::default();
    for _ in 0..rounds {
        count = Count::default();
        let before = cpu_ns()?;
        for file in &listing.files {
            let piece = Piece::whole(0, file.stat.bytes);
            input::read_piece(file, &piece, None, &options, &mut count)?;
        }
        best = best.min(cpu_ns()? - before);
    }
    let (disk_bytes, ns) = (listing.bytes(), best as f64);
    println!(
        "{disk_bytes} bytes on disk, {} documents of {} bytes ({} of text), {} rejected; {:.4} CPU-s: \
         {:.0} MB on disk/CPU-s, {:.0} MB of bodies/CPU-s, {:.3} ns a byte of body",
        count.documents,
        count.body_bytes,
        count.text_bytes,
        count.rejected,
        ns / 1e9,
        disk_bytes as f64 * 1e3 / ns,
        count.body_bytes as f64 * 1e3 / ns,
        ns / count.body_bytes as f64,
    );
    Ok(())
}
