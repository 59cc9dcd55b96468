//! The kind that an input was taken for: the formats of its files, and the fields that have the
//! text.
//!
//! *Input.* A [`Listing`]. *Output.* An [`InputSummary`]. *Algorithm.* Of the first [`FILES_MOST`]
//! files of JSONL or Parquet, the first [`RECORDS_MOST`] records are read, as far as they have a
//! MiB of text. *Memory.* One document. *Limits.* Another record may have its text in another
//! field.

use std::fmt;

use crate::Error;
use config::Config;
use format::Manifest;
use input::{
    Document, FieldNames, Format, Listing, Piece, ReadOptions, Rejection, Sink, SinkError,
    USUAL_TEXT_FIELDS, read_piece,
};

use crate::intake::listing::discover_after;

/// The most files that are looked into.
const FILES_MOST: usize = 8;

/// The most records of a file that are looked at, and of their text.
const RECORDS_MOST: u32 = 100;
const TEXT_BYTES_MOST: usize = 1 << 20;

/// The formats and the text field of an input.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InputSummary {
    /// Each format with the number of its files, in the order of [`Format::ALL`].
    pub formats: Vec<(Format, usize)>,
    /// Bytes of all files.
    pub bytes: u64,
    /// Files that cannot be read or are no pages.
    pub left_out: usize,
    /// The fields that have the texts of the first documents of JSONL or Parquet, each once.
    pub text_fields: Vec<String>,
    /// The remedy where none of the first records of JSONL or Parquet has a text.
    pub text_advice: Option<String>,
}

impl InputSummary {
    /// Lists the input of a configuration, and looks at its files.
    pub fn of_input(config: &Config) -> Result<InputSummary, Error> {
        let (listing, _) = discover_after(config, &Manifest::default(), None)?;
        Ok(InputSummary::of(&listing, config))
    }

    /// Looks at the files of a listing.
    pub fn of(listing: &Listing, config: &Config) -> InputSummary {
        let options = config.input.read_options();
        let count = |format: Format| {
            let files = listing.files.iter();
            (format, files.filter(|file| file.format == format).count())
        };
        let formats = Format::ALL.into_iter().map(count);
        let (text_fields, text_advice) = text_fields(listing, &options);
        InputSummary {
            formats: formats.filter(|(_, files)| *files > 0).collect(),
            bytes: listing.bytes(),
            left_out: listing.rejected.len(),
            text_fields,
            text_advice,
        }
    }

    /// The field that has the text, if it is one.
    pub fn text_field(&self) -> Option<&str> {
        match &self.text_fields[..] {
            [field] => Some(field),
            _ => None,
        }
    }

    /// A hint for newcomers, to read before they look at the results.
    pub fn note(&self) -> Option<&'static str> {
        let has = |wanted| self.formats.iter().any(|(format, _)| *format == wanted);
        (has(Format::Warc) && has(Format::Html)).then_some(
            "crawlers such as wget --mirror --warc-file write each page twice, to a WARC file and \
             as a file; name the WARC files alone to count each page once",
        )
    }
}

impl fmt::Display for InputSummary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = |files: usize| if files == 1 { "file" } else { "files" };
        let shown = |(format, files): &(Format, usize)| {
            let name = match format {
                Format::Parquet => "Parquet".to_owned(),
                Format::Text => "text".to_owned(),
                _ => format.name().to_uppercase(),
            };
            format!("{files} {} of {name}", word(*files))
        };
        let formats: Vec<String> = self.formats.iter().map(shown).collect();
        match formats.is_empty() {
            true => f.write_str("no file that can be read")?,
            false => write!(f, "{}, {} bytes", formats.join(", "), self.bytes)?,
        }
        if self.left_out > 0 {
            write!(f, "; {} {} left out", self.left_out, word(self.left_out))?;
        }
        match &self.text_fields[..] {
            [] => Ok(()),
            [field] => write!(f, "; the text is in the field {field}"),
            [fields @ .., last] => {
                let fields = fields.join(", ");
                write!(f, "; the text is in the fields {fields} and {last}")
            }
        }
    }
}

/// The fields that have the texts of the first documents; or what to do if no record has one.
fn text_fields(listing: &Listing, options: &ReadOptions) -> (Vec<String>, Option<String>) {
    let has_fields = |format| matches!(format, Format::Jsonl | Format::Parquet);
    let files = listing.files.iter().filter(|file| has_fields(file.format));
    let mut first = FirstRecords {
        names: &options.fields,
        records: 0,
        text_bytes: 0,
        fields: Vec::new(),
        advice: None,
    };
    for file in files.take(FILES_MOST) {
        let whole = Piece::whole(0, file.stat.bytes);
        (first.records, first.text_bytes) = (0, 0);
        first.names = file
            .reading()
            .map_or(&options.fields, |source| &source.fields);
        // A file that cannot be read is reported by the phase that reads it.
        let _ = read_piece(file, &whole, Some(0), options, &mut first);
    }
    let advice = first.advice.filter(|_| first.fields.is_empty());
    (first.fields, advice)
}

struct FirstRecords<'a> {
    /// The names of the fields of the file that is read.
    names: &'a FieldNames,
    records: u32,
    text_bytes: usize,
    fields: Vec<String>,
    advice: Option<String>,
}

impl FirstRecords<'_> {
    fn count(&mut self, text_bytes: usize) -> Result<(), SinkError> {
        self.records += 1;
        self.text_bytes += text_bytes;
        match self.records < RECORDS_MOST && self.text_bytes < TEXT_BYTES_MOST {
            true => Ok(()),
            false => Err("enough was read".into()),
        }
    }
}

impl Sink for FirstRecords<'_> {
    fn document(&mut self, document: &Document<'_>) -> Result<(), SinkError> {
        let fields = self.names;
        let mut usual = USUAL_TEXT_FIELDS.iter();
        let usual = usual.find(|(_, flag)| document.flags.contains(flag));
        let field = match usual {
            Some((name, _)) => *name,
            None if document.media_type == "text/html" => fields.html.as_str(),
            None => fields.text.as_str(),
        };
        if self.fields.iter().all(|known| known != field) {
            self.fields.push(field.to_owned());
        }
        self.count(document.content.as_str().len())
    }

    fn rejected(&mut self, rejection: Rejection) -> Result<(), SinkError> {
        if rejection.reason.starts_with("no-text") && self.advice.is_none() {
            self.advice = Some(rejection.detail);
        }
        self.count(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn summary(files: &[(&str, &str)]) -> InputSummary {
        let dir = tempfile::tempdir().unwrap();
        for (name, text) in files {
            std::fs::write(dir.path().join(name), text).unwrap();
        }
        let text = "version = 1\n[input]\npaths = [\".\"]\n[sketch]\nseed = \"s\"\n";
        let config = config::parse(text, &dir.path().join("pipeline.toml")).unwrap();
        InputSummary::of_input(&config).unwrap()
    }

    #[test]
    fn formats_and_the_text_field_are_told() {
        let other = "{\"id\":1}\n{\"id\":2,\"content\":\"words\"}\n";
        for (line, field) in [
            (other, "content"),
            ("{\"text\":\"words\",\"content\":\"x\"}\n", "text"),
            ("{\"html\":\"<p>words\"}\n", "html"),
        ] {
            let one = summary(&[("a.jsonl", line)]);
            let bytes = line.len();
            let told = format!("1 file of JSONL, {bytes} bytes; the text is in the field {field}");
            assert_eq!(one.to_string(), told);
        }
        let page = ("b.html", "<html>words");
        let mixed = summary(&[("a.jsonl", other), page, ("c.html", page.1), ("d.css", "p")]);
        assert_eq!(
            mixed.to_string(),
            "1 file of JSONL, 2 files of HTML, 58 bytes; 1 file left out; the text is in the field content"
        );
        let text = "{\"text\":\"words\"}\n";
        let in_one = format!("{other}{text}");
        for files in [
            &[("a.jsonl", other), ("b.jsonl", text)][..],
            &[("a.jsonl", &*in_one)],
        ] {
            let two = summary(files);
            assert_eq!(two.text_field(), None);
            assert!(two.to_string().ends_with("in the fields content and text"));
        }
        let nothing = summary(&[("d.css", "p")]);
        assert_eq!(
            nothing.to_string(),
            "no file that can be read; 1 file left out"
        );
    }

    #[test]
    fn many_rejections_end_the_search() {
        let bad = "{\"id\":1}\n".repeat(100);
        let late = bad.clone() + "{\"content\":\"words\"}\n";
        assert_eq!(summary(&[("a.jsonl", &late)]).text_field(), None);
        let early = bad[9..].to_owned() + "{\"content\":\"words\"}\n";
        let early = summary(&[("a.jsonl", &early)]);
        assert_eq!(early.text_field(), Some("content"));
    }
}
