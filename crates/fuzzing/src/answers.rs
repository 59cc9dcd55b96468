//! Records of WARC and ARC files, held against those that warcio reads (`scripts/warcio-answers`).

use crate::containers::{file, options};
use decode::options::{Format, Piece};
use input::{Document, Rejection, Sink, SinkError, read_piece};
use serde_json::Value;
use std::fs;
use std::path::Path;

/// Places and URLs of documents, and the number of records of all sorts.
#[derive(Default)]
struct Read {
    documents: Vec<(u64, Option<String>)>,
    records: usize,
}

impl Sink for Read {
    fn document(&mut self, document: &Document<'_>) -> Result<(), SinkError> {
        let url = document.url.map(|url| url.to_string());
        self.documents.push((document.place.entry_offset, url));
        self.records += 1;
        Ok(())
    }

    fn rejected(&mut self, _rejection: Rejection) -> Result<(), SinkError> {
        self.records += 1;
        Ok(())
    }

    fn skipped(&mut self, _kind: &str) {
        self.records += 1;
    }
}

fn read(bytes: &[u8], format: Format) -> Read {
    let (_kept, source) = file(bytes, format);
    let whole = Piece::whole(0, source.stat.bytes);
    let mut read = Read::default();
    read_piece(&source, &whole, None, &options(), &mut read).expect("it is there");
    read
}

/// Where warcio complains, there is no answer. It passes over some damage in silence, behind which
/// this program finds more.
#[test]
fn records_are_those_of_warcio() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let answers = root.join("fuzz/answers/warcio.jsonl");
    let answers = fs::read_to_string(answers).expect("answers");
    let (mut documents, mut equal) = (0, 0);
    for line in answers.lines() {
        let answer: Value = serde_json::from_str(line).expect("JSON");
        let name = answer["file"].as_str().expect("a name");
        let format = match name.contains("/arc/") {
            true => Format::Arc,
            false => Format::Warc,
        };
        let read = read(&fs::read(root.join(name)).expect("a file"), format);
        let theirs: Vec<(u64, Option<&str>)> = answer["records"]
            .as_array()
            .expect("records")
            .iter()
            .map(|record| (record[0].as_u64().expect("a byte"), record[2].as_str()))
            .collect();
        let last = theirs.last().expect("a record").0;
        assert!(read.records >= theirs.len(), "{name}: {}", read.records);
        equal += usize::from(read.records == theirs.len());
        for (at, url) in read.documents.iter().filter(|(at, _)| *at <= last) {
            documents += 1;
            // A NUL in a URL is kept by warcio, and escaped here.
            let url = url.as_deref().map(|url| url.replace("\\x00", "\0"));
            let is_there = theirs.iter().any(|(byte, theirs)| {
                byte == at && theirs.is_none_or(|theirs| Some(theirs) == url.as_deref())
            });
            assert!(is_there, "{name}: {at} {url:?}");
        }
    }
    assert!(documents > 400, "{documents}");
    assert!(
        equal + 2 >= answers.lines().count(),
        "{equal} have as many records"
    );
}
