//! Mutates the corpora and runs the targets: `cargo run -p fuzzing --example mutate -- SECONDS
//! [TARGET…]`
//!
//! *Input.* Seconds for each target, and targets (all without). *Output.* A row for each: how many
//! inputs it ran, and how many broke a promise; those are written to the directory `artifacts` of
//! this crate. Exit code 1 if there is one. *Algorithm.* A file of the corpus, or parts of two, and
//! some mutations of bytes and numbers; for formats that come compressed, in one of three inputs
//! before it is compressed. No coverage guides it. *Limits.* What takes five seconds counts as
//! broken; what hangs, hangs.

use flate2::Compression;
use flate2::write::GzEncoder;
use fuzzing::TARGETS;
use std::collections::hash_map::RandomState;
use std::fs;
use std::hash::{BuildHasher, Hasher};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

const SLOW: Duration = Duration::from_secs(5);
const BYTES_MAX: usize = 1 << 16;

/// Targets whose input may be a gzip member.
const COMPRESSED: [&str; 4] = ["gzip", "warc", "arc", "jsonl"];

/// What decoders look for.
const WORDS: [&[u8]; 28] = [
    b"\r\n\r\n",
    b"WARC/1.0\r\n",
    b"Content-Length: ",
    b"WARC-Type: response\r\n",
    b"HTTP/1.1 200 OK\r\n",
    b"Transfer-Encoding: chunked\r\n",
    b"Content-Encoding: gzip\r\n",
    b"\x1f\x8b\x08",
    b"\x28\xb5\x2f\xfd",
    b"PAR1",
    b"PK\x01\x02",
    b"PK\x05\x06",
    b"\\u",
    b"\\ud800",
    b"{\"text\": \"",
    b"<!--",
    b"-->",
    b"<script>",
    b"</script>",
    b"<![CDATA[",
    b"&#x",
    b"&amp;",
    b"<title>",
    b"charset=",
    b"\xef\xbb\xbf",
    b"\xff\xfe",
    b"\0\0\0\0",
    b"[[input.source]]\n",
];

/// Numbers (xorshift).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % end.max(1) as u64) as usize
    }
}

fn mutate(bytes: &mut Vec<u8>, other: &[u8], numbers: &mut Numbers) {
    for _ in 0..=numbers.below(6) {
        let at = numbers.below(bytes.len() + 1);
        let length = numbers.below(1 << numbers.below(9));
        let end = (at + length).min(bytes.len());
        match numbers.below(9) {
            0 | 1 if at < bytes.len() => bytes[at] ^= 1 << numbers.below(8),
            2 if at < bytes.len() => bytes[at] = numbers.below(256) as u8,
            3 => drop(bytes.drain(at..end)),
            4 => {
                let copy = bytes[at..end].to_vec();
                let to = numbers.below(bytes.len() + 1);
                drop(bytes.splice(to..to, copy));
            }
            5 => {
                let word = WORDS[numbers.below(WORDS.len())];
                drop(bytes.splice(at..at, word.iter().copied()));
            }
            6 => {
                let from = numbers.below(other.len() + 1);
                let to = (from + length).min(other.len());
                drop(bytes.splice(at..end, other[from..to].iter().copied()));
            }
            7 => {
                let number =
                    [0, 1, 0x7f, 0x80, 0xff, 0xffff, u32::MAX as u64, u64::MAX][numbers.below(8)];
                let raw = number.to_le_bytes();
                let raw = raw.iter().copied().take(1 << numbers.below(4));
                drop(bytes.splice(at..end.min(at + 8), raw));
            }
            _ => {
                let number =
                    ["0", "-1", "18446744073709551616", "1e999", "99999999"][numbers.below(5)];
                drop(bytes.splice(at..at, number.bytes()));
            }
        }
    }
    bytes.truncate(BYTES_MAX);
}

/// The same as gzip members.
fn compressed(bytes: &[u8], members: usize) -> Vec<u8> {
    let pieces = bytes.chunks(bytes.len() / members + 1);
    let encode = |piece: &[u8]| {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder
            .write_all(piece)
            .and_then(|()| encoder.finish())
            .unwrap_or_default()
    };
    pieces.flat_map(encode).collect()
}

fn corpus(name: &str) -> io::Result<Vec<Vec<u8>>> {
    let directory = here().join("corpus").join(name);
    let mut files: Vec<PathBuf> = fs::read_dir(directory)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<io::Result<_>>()?;
    files.sort();
    files.iter().map(fs::read).collect()
}

fn here() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Runs a target for so long; how many inputs, and how many of them broke a promise.
fn fuzz(name: &str, function: fn(&[u8]), length: Duration) -> io::Result<(u64, u64)> {
    let seeds = corpus(name)?;
    let mut numbers = Numbers(RandomState::new().build_hasher().finish() | 1);
    let (began, mut inputs, mut broken) = (Instant::now(), 0, 0);
    while began.elapsed() < length {
        let [seed, other] = [0; 2].map(|_| numbers.below(seeds.len()));
        let mut bytes = seeds[seed].clone();
        mutate(&mut bytes, &seeds[other], &mut numbers);
        if COMPRESSED.contains(&name) && numbers.below(3) == 0 {
            bytes = compressed(&bytes, 1 + numbers.below(4));
            if numbers.below(4) == 0 {
                mutate(&mut bytes, &seeds[other], &mut numbers);
            }
        }
        let started = Instant::now();
        let is_broken = std::panic::catch_unwind(|| function(&bytes)).is_err();
        if is_broken || started.elapsed() > SLOW {
            broken += 1;
            let directory = here().join("artifacts").join(name);
            fs::create_dir_all(&directory)?;
            fs::write(directory.join(format!("{inputs}")), &bytes)?;
        }
        inputs += 1;
    }
    Ok((inputs, broken))
}

fn main() -> io::Result<ExitCode> {
    let mut arguments = std::env::args().skip(1);
    let seconds = arguments.next().and_then(|text| text.parse().ok());
    let Some(seconds) = seconds else {
        writeln!(io::stderr(), "usage: mutate SECONDS [TARGET…]")?;
        return Ok(ExitCode::from(2));
    };
    let named: Vec<String> = arguments.collect();
    let mut all = 0;
    for (name, function) in TARGETS {
        if named.is_empty() || named.iter().any(|wanted| wanted == name) {
            let (inputs, broken) = fuzz(name, function, Duration::from_secs(seconds))?;
            writeln!(
                io::stdout(),
                "{name:<10}{inputs:>12} inputs {broken:>6} broken"
            )?;
            all += broken;
        }
    }
    Ok(ExitCode::from(u8::from(all > 0)))
}
