//! Writes a generated corpus as JSONL to standard output: `corpus SEED PAGES`. Equal arguments give
//! equal bytes.

use std::io::{self, BufWriter, Write};
use std::process::ExitCode;
use testkit::{TextCorpus, TextShape};

fn main() -> ExitCode {
    let numbers: Vec<u64> = std::env::args()
        .skip(1)
        .filter_map(|argument| argument.parse().ok())
        .collect();
    let (Some(&seed), Some(pages)) = (
        numbers.first(),
        numbers.get(1).and_then(|&n| u32::try_from(n).ok()),
    ) else {
        let _ = writeln!(io::stderr(), "usage: corpus SEED PAGES > FILE.jsonl");
        return ExitCode::from(2);
    };
    let mut out = BufWriter::new(io::stdout().lock());
    let corpus = TextCorpus::new(
        seed,
        TextShape {
            pages,
            ..TextShape::default()
        },
    );
    match corpus.write_jsonl(&mut out).and_then(|()| out.flush()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}
