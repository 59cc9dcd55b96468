//! Passages that stand at more than one place: lists of all, those of a document, marks in a text.

use crate::web::page::{Medium, count_cell, document, pager, short, table};
use crate::web::safety::clean;
use crate::web::site::Site;
use maud::{Markup, html};
use output::{PassageCounts, counted, thousands};
use pipeline::query::{
    self, DocumentPassages, ListedDocument, ListedPassage, NamedDocument, PassageLists, PassageView,
};
use pipeline::{Error, RepeatedPart};

/// Passages on one page: each is read again from the input.
const PASSAGES: usize = 20;

/// Documents on one page.
const DOCUMENTS: usize = 50;

/// Passages and quotes of a document that are shown.
const OF_DOCUMENT: usize = 100;

/// The request to the lists.
#[derive(Clone, Copy, Debug, Default, serde::Deserialize)]
pub(crate) struct PassagesRequest {
    /// The documents of which most stands elsewhere, and not the passages.
    #[serde(default)]
    pub(crate) documents: bool,
    /// The page, from 1.
    #[serde(default)]
    pub(crate) page: usize,
}

/// The page without its frame.
pub(crate) fn passages(site: &Site, request: PassagesRequest) -> Result<Markup, Error> {
    let Some(lists) = &site.passages else {
        // Its error tells how a run finds them.
        return PassageLists::read(&site.index(), 0).map(|_| html! {});
    };
    let [passages, documents] = lists.counts();
    let (rows, per_page) = match request.documents {
        false => (passages, PASSAGES),
        true => (documents, DOCUMENTS),
    };
    let pages = rows.div_ceil(per_page).max(1);
    let page = request.page.clamp(1, pages);
    let (index, rows) = (site.index(), (page - 1) * per_page..page * per_page);
    let first = rows.start + 1;
    let [of_passages, of_documents] = [
        "the most repeated passages",
        "documents of which most stands elsewhere",
    ];
    Ok(html! {
        (counts(site.report.passages.as_ref()))
        @if request.documents {
            p { "Show: " a href="/passages" { (of_passages) } ", " strong { (of_documents) } }
            (covered(Medium::Server, &lists.documents(&index, rows)?))
        } @else {
            p { "Show: " strong { (of_passages) } ", " a href="/passages?documents=true" { (of_documents) } }
            (repeated(Medium::Server, &lists.passages(&index, &site.config, rows)?, first))
        }
        (pager(&format!("/passages?documents={}&page=", request.documents), page, pages))
    })
}

/// The first rows of both lists, for the report.
pub(crate) fn first_passages(site: &Site, lists: &PassageLists) -> Result<Markup, Error> {
    let (index, rows) = (site.index(), 0..10);
    Ok(html! {
        (counts(site.report.passages.as_ref()))
        h2 { "The most repeated passages" }
        (repeated(Medium::File, &lists.passages(&index, &site.config, rows.clone())?, 1))
        h2 { "Documents of which most stands elsewhere" }
        (covered(Medium::File, &lists.documents(&index, rows)?))
    })
}

/// How many words are repeated.
pub(crate) fn counts(counts: Option<&PassageCounts>) -> Markup {
    let Some(counts) = counts else {
        return html! {};
    };
    let share = 100.0 * counts.repeated_words as f64 / counts.words.max(1) as f64;
    html! {
        p {
            (counted(counts.passages, "passage")) " of at least " (counts.shortest) " words stand at more than one place. They hold "
            (thousands(counts.repeated_words)) " of " (counted(counts.words, "word")) " (" (format!("{share:.1}")) " %), in "
            (thousands(counts.documents_with_passages)) " of " (counted(counts.documents, "different document")) "."
        }
    }
}

fn named(medium: Medium, one: &NamedDocument) -> Markup {
    let name = one.url.as_ref().or(one.id.as_ref());
    let other = || format!("document {}", one.doc_id);
    document(medium, one.doc_id, &name.cloned().unwrap_or_else(other))
}

/// Passages as a list; the first one has the number `first`.
fn repeated(medium: Medium, passages: &[ListedPassage], first: usize) -> Markup {
    html! {
        @if passages.is_empty() { p { "No passage stands at more than one place." } }
        ol.passages start=(first) {
            @for ListedPassage { document, passage } in passages {
                li {
                    p {
                        strong { (thousands(u64::from(passage.places_max))) " places" } " in " (counted(u64::from(passage.documents), "document")) ", "
                        (counted(u64::from(passage.end - passage.begin), "word")) "; first in " (named(medium, document))
                        span.soft { ", word " (thousands(u64::from(passage.begin))) }
                    }
                    @match &passage.text { Some(text) => p.text { (short(text)) }, None => p.soft { "Its text cannot be read any more." } }
                }
            }
        }
    }
}

fn covered(medium: Medium, documents: &[ListedDocument]) -> Markup {
    let rows = html! {
        @for one in documents {
            tr {
                td.number data-value=(one.repeated_words as f64 / one.words.max(1) as f64) { (share(one.repeated_words, one.words)) }
                (count_cell(one.repeated_words))
                (count_cell(one.words))
                td.name { (named(medium, &one.document)) }
            }
        }
    };
    let heads = "#Share|#Words elsewhere, too|#Words|Document";
    html! {
        @if documents.is_empty() { p { "No document has a passage that stands at more than one place." } }
        @else { (table("Documents of which most stands elsewhere", heads, &rows)) }
    }
}

fn share(part: u64, of: u64) -> String {
    format!("{:.1} %", 100.0 * part as f64 / of.max(1) as f64)
}

/// The passages of a document, marked in its text, and who quotes it; nothing if the run did not
/// look for passages.
pub(crate) fn of_document(site: &Site, doc_id: i64) -> Result<Markup, Error> {
    if site.passages.is_none() {
        return Ok(html! {});
    }
    let (name, limit) = (doc_id.to_string(), OF_DOCUMENT);
    let found = query::passages(&site.index(), &site.config, &name, limit)?;
    let left = found.passages_total - found.passages.len() as u64;
    Ok(html! {
        h2 { "Its passages" }
        p {
            @match found.repeated_words {
                Some(words) => {
                    (thousands(words)) " of " (counted(found.words, "word")) " ("
                    (share(words, found.words)) ") stand at several places of the corpus."
                }
                None => { "They are not known: the run could not read the document again." }
            }
            @if let Some(other) = found.passages_of {
                " Its words are those of " a href={ "/document/" (other) } { "document " (other) } ", and both count as one."
            }
        }
        @if left > 0 { p { "The first " (found.passages.len()) " of " (thousands(found.passages_total)) " passages:" } }
        @if !found.passages.is_empty() {
            (table("Passages of the document", "#Words|#Places|#Documents|Stands first", &places(&found.passages)))
            h2 { "Its text" }
            @match &found.no_text {
                None => {
                    (legend())
                    p.text {
                        (with_marks(&found.text.text, &found.text.repeated))
                        @if found.text.words_behind > 0 { span.soft { " … and " (counted(found.text.words_behind as u64, "word")) " more" } }
                    }
                }
                Some(why) => p { "Its text cannot be shown: " (clean(why)) }
            }
        }
        (quotes(&found))
    })
}

/// Where passages stand, as rows.
fn places(passages: &[PassageView]) -> Markup {
    html! {
        @for passage in passages {
            @let [begin, end, source_begin] = [passage.begin, passage.end, passage.source_begin].map(|word| thousands(u64::from(word)));
            tr {
                td.number data-value=(passage.begin) { (begin) "–" (end) }
                (count_cell(u64::from(passage.places_max)))
                (count_cell(u64::from(passage.documents)))
                td.name {
                    @if let Some(source) = &passage.source { (named(Medium::Server, source)) } @else { "here" }
                    @if !passage.is_source { span.soft { ", word " (source_begin) } }
                }
            }
        }
    }
}

/// The documents that have passages of this one.
fn quotes(found: &DocumentPassages) -> Markup {
    let rows = html! {
        @for quote in &found.quotes {
            tr {
                td.number { (thousands(u64::from(quote.source_begin))) }
                td.number { (thousands(u64::from(quote.begin))) }
                td.name { (named(Medium::Server, &quote.document)) }
            }
        }
    };
    let left = found.quotes_total - found.quotes.len() as u64;
    html! {
        @if !found.quotes.is_empty() {
            h2 { "Who quotes it" }
            p { (counted(found.quotes_total, "passage")) " of other documents stand here first." }
            (table("Who quotes the document", "#Word here|#Word there|Document", &rows))
            @if left > 0 { p { "… and " (thousands(left)) " more." } }
        }
    }
}

/// What marks mean.
pub(crate) fn legend() -> Markup {
    html! {
        p.soft {
            mark { "Underlined words" } " stand at several places of the corpus. Point at them to see in how many documents."
        }
    }
}

/// Words that stand at several places.
fn mark(text: &str, documents: u32) -> Markup {
    let title = match documents {
        1 => "several times in this document".to_owned(),
        _ => format!("in {} documents", thousands(u64::from(documents))),
    };
    html! { mark title=(title) { (clean(text)) } }
}

/// A text with the parts of it that stand at several places marked.
pub(crate) fn with_marks(text: &str, parts: &[RepeatedPart]) -> Markup {
    let mut at = 0;
    let mut pieces = Vec::new();
    for part in parts {
        let end = part.bytes.end.min(text.len());
        let start = part.bytes.start.min(end);
        if let (Some(plain), Some(marked)) = (text.get(at..start), text.get(start..end)) {
            pieces.push(
                html! { (clean(plain)) @if !marked.is_empty() { (mark(marked, part.documents)) } },
            );
            at = end;
        }
    }
    html! { @for piece in &pieces { (piece) } (clean(text.get(at..).unwrap_or_default())) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_cut_at_the_end_of_the_text_and_nothing_is_markup() {
        let part = |bytes, documents| RepeatedPart { bytes, documents };
        let parts = [part(0..3, 1), part(5..9, 1200), part(9..20, 2)];
        assert_eq!(
            with_marks("<b>, é\n&x", &parts).into_string(),
            "<mark title=\"several times in this document\">&lt;b&gt;</mark>, \
             <mark title=\"in 1,200 documents\">é &amp;</mark>\
             <mark title=\"in 2 documents\">x</mark>"
        );
        assert_eq!(with_marks("é", &[part(1..2, 2)]).into_string(), "é");
        assert_eq!(with_marks("ab", &[]).into_string(), "ab");
    }
}
