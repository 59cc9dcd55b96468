//! The JSONL twin of any input: `cargo run --release -p input --example to_jsonl -- html|text
//! MAX_BYTES PATH… > FILE`
//!
//! *Input.* Files, directories or globs of any format; documents whose body is over `MAX_BYTES` are
//! left out. *Output.* One JSON object a document: `url`, `date` in seconds, and `html` or `text`.
//! *Algorithm.* `html` writes the decoded page as it is. `text` leaves out everything between `<`
//! and `>`, scripts, styles and blank lines, and undoes the few character references that are
//! common: it is there to measure with, the pipeline's own rules are finer. *Memory.* One document.

use std::error::Error;
use std::io::{self, Write};

use input::{Discovery, Document, FieldNames, LargeRecords, Piece, ReadOptions, SinkError};
use model::Content;

/// Writes a document.
fn write(document: &Document<'_>, as_text: bool, out: &mut impl Write) -> Result<(), SinkError> {
    let mut record = serde_json::Map::new();
    if let Some(url) = document.url {
        record.insert("url".to_owned(), url.into());
    }
    if let Some(date) = document.date {
        record.insert("date".to_owned(), (date / 1_000_000).into());
    }
    let (field, value) = match document.content {
        Content::Html(page) | Content::Xhtml(page) if as_text => ("text", visible(page)),
        Content::Html(page) | Content::Xhtml(page) => ("html", page.to_owned()),
        Content::Text(text) | Content::Features(text) => ("text", text.to_owned()),
    };
    record.insert(field.to_owned(), value.into());
    serde_json::to_writer(&mut *out, &record)?;
    Ok(out.write_all(b"\n")?)
}

/// The part of a page that is neither a tag nor a script, roughly.
fn visible(page: &str) -> String {
    let mut text = String::with_capacity(page.len() / 2);
    let mut rest = page;
    while let Some((before, tag)) = rest.split_once('<') {
        text.push_str(before);
        let start: String = tag.chars().take(6).collect::<String>().to_ascii_lowercase();
        let end = match start.as_str() {
            "script" => "</script>",
            start if start.starts_with("style") => "</style>",
            start if start.starts_with("!--") => "-->",
            _ => ">",
        };
        rest = tag.split_once(end).map_or("", |(_, after)| after);
    }
    text.push_str(rest);
    for (reference, char) in [
        ("&nbsp;", "\u{a0}"),
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&amp;", "&"),
    ] {
        text = text.replace(reference, char);
    }
    let lines = text
        .lines()
        .map(str::trim_end)
        .filter(|line| !line.is_empty());
    lines.collect::<Vec<_>>().join("\n")
}

fn main() -> Result<(), Box<dyn Error>> {
    const USAGE: &str = "to_jsonl html|text MAX_BYTES PATH…";
    let mut arguments = std::env::args().skip(1);
    let as_text = arguments.next().ok_or(USAGE)? == "text";
    let max_bytes: usize = arguments.next().ok_or(USAGE)?.parse()?;
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
    let mut out = io::BufWriter::new(io::stdout().lock());
    let mut take = |document: &Document<'_>| match document.body.len() > max_bytes {
        true => Ok(()),
        false => write(document, as_text, &mut out),
    };
    for file in &listing.files {
        let piece = Piece::whole(0, file.stat.bytes);
        input::read_piece(file, &piece, None, &options, &mut take)?;
    }
    out.flush()?;
    Ok(())
}
