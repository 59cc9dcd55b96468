//! Answers about passages as text.

use super::{DocumentPassages, ListedDocument, ListedPassage, PassageView, PassagesAnswer};
use crate::explain::clean;
use crate::query::show::write_more;
use crate::query::{Escaped, NamedDocument};
use output::{counted, thousands};
use std::fmt;

/// Characters of a passage that are printed.
const PRINTED: usize = 300;

/// Documents with the same passage that are printed.
const ALSO_PRINTED: usize = 5;

impl fmt::Display for NamedDocument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.doc_id)?;
        match self.url.as_ref().or(self.id.as_ref()) {
            Some(name) => write!(f, " {}", Escaped(name)),
            None => Ok(()),
        }
    }
}

/// How often a passage stands in the corpus.
fn places(passage: &PassageView) -> String {
    let places = match passage.places_min == passage.places_max {
        true => thousands(u64::from(passage.places_max)),
        false => {
            let [least, most] = [passage.places_min, passage.places_max].map(u64::from);
            format!("{} to {}", thousands(least), thousands(most))
        }
    };
    let documents = counted(u64::from(passage.documents), "document");
    format!("{places} places, {documents}")
}

/// The documents besides its own and its source that have a passage: the first by name.
fn also_in(one: &PassageView) -> String {
    let own = 1 + usize::from(one.source.is_some());
    let others = (one.documents as usize).saturating_sub(own);
    let shown = one.also_in.len().min(ALSO_PRINTED);
    let ids: Vec<String> = one.also_in[..shown].iter().map(i64::to_string).collect();
    let left = others.max(one.also_in.len()) - shown;
    let left = (left > 0).then(|| counted(left as u64, "other"));
    let named = (shown > 0).then(|| ids.join(", "));
    let parts: Vec<String> = named.into_iter().chain(left).collect();
    match parts.is_empty() {
        true => String::new(),
        false => format!("; also in {}", parts.join(" and ")),
    }
}

/// The beginning of the text of a passage, on a line.
fn write_text(f: &mut fmt::Formatter<'_>, passage: &PassageView) -> fmt::Result {
    let Some(text) = &passage.text else {
        return Ok(());
    };
    let words = clean(text);
    let (cut, more) = match words.char_indices().nth(PRINTED) {
        Some((at, _)) => (&words[..at], " …"),
        None => (&*words, ""),
    };
    writeln!(f, "  {cut}{more}")
}

impl fmt::Display for DocumentPassages {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "document   {}", self.document)?;
        if let Some(doc_id) = self.passages_of {
            writeln!(f, "class      its words are those of {doc_id}")?;
        }
        let words = counted(self.words, "word");
        let passages = counted(self.passages_total, "passage");
        match self.repeated_words.map(thousands) {
            Some(repeated) => writeln!(f, "text       {words}, {repeated} of them in {passages}")?,
            None => writeln!(
                f,
                "text       {words}; its passages are not known, as the run could not read it again"
            )?,
        }
        if let Some(why) = &self.no_text {
            writeln!(f, "no text    {}", Escaped(why))?;
        }
        for passage in &self.passages {
            write!(
                f,
                "\nwords {} to {}: {}; ",
                passage.begin,
                passage.end,
                places(passage)
            )?;
            match &passage.source {
                Some(source) => write!(f, "first at word {} of {source}", passage.source_begin)?,
                None if passage.is_source => write!(f, "first here")?,
                None => write!(f, "first at word {} here", passage.source_begin)?,
            }
            writeln!(f, "{}", also_in(passage))?;
            write_text(f, passage)?;
        }
        write_more(f, self.passages_total, self.passages.len())?;
        if self.quotes_total > 0 {
            let passages = counted(self.quotes_total, "passage");
            writeln!(
                f,
                "\nquoted     {passages} of other documents, by the word here"
            )?;
        }
        for quote in &self.quotes {
            let (here, there) = (quote.source_begin, quote.begin);
            writeln!(f, "{here:>9}  word {there} of {}", quote.document)?;
        }
        write_more(f, self.quotes_total, self.quotes.len())
    }
}

impl fmt::Display for PassagesAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (passages, shortest) = (counted(self.total, "passage"), self.shortest);
        if self.total == 0 {
            return writeln!(f, "no {shortest} words stand at more than one place");
        }
        writeln!(
            f,
            "{passages} of at least {shortest} words; the most repeated, where they stand first:"
        )?;
        for ListedPassage { document, passage } in &self.most_repeated {
            let PassageView { begin, end, .. } = passage;
            writeln!(
                f,
                "\n{}; words {begin} to {end} of {document}",
                places(passage)
            )?;
            write_text(f, passage)?;
        }
        writeln!(f, "\ndocuments of which most stands elsewhere, too:\n")?;
        writeln!(f, "repeated     words  document")?;
        for ListedDocument {
            document,
            words,
            repeated_words,
        } in &self.most_covered
        {
            let percent = 100.0 * *repeated_words as f64 / (*words).max(1) as f64;
            writeln!(f, "{percent:>6.1} %  {:>8}  {document}", thousands(*words))?;
        }
        Ok(())
    }
}
