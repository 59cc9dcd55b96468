//! Passages that stand at more than one place: lists of all, those of a document, marks in a text.

use crate::web::page::{Medium, beginning, count_cell, document, pager, short, table};
use crate::web::safety::clean;
use crate::web::site::Site;
use maud::{Markup, html};
use output::{PassageCounts, counted, thousands};
use pipeline::query::{
    DocumentPassages, ListedDocument, ListedPassage, NamedDocument, PassageLists, PassageView,
    SourcedPassage, TextStretch, marked_text, passages_by_id,
};
use pipeline::{Error, RepeatedPart};

/// Passages on one page: each is read again from the input.
const PASSAGES: usize = 20;

/// Documents on one page.
const DOCUMENTS: usize = 50;

/// Passages and quotes of a document that are shown.
const OF_DOCUMENT: usize = 100;

/// The list that is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum PassageList {
    /// The passages that stand at most places.
    #[default]
    Repeated,
    /// The documents of which most stands elsewhere.
    Covered,
}

/// The request to the lists.
#[derive(Clone, Copy, Debug, Default, serde::Deserialize)]
pub(crate) struct PassagesRequest {
    #[serde(default)]
    pub(crate) list: PassageList,
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
    let (list, per_page, name) = match request.list {
        PassageList::Repeated => (lists.passage_count(), PASSAGES, "repeated"),
        PassageList::Covered => (lists.document_count(), DOCUMENTS, "covered"),
    };
    let pages = list.div_ceil(per_page).max(1);
    let page = request.page.clamp(1, pages);
    let rows = (page - 1) * per_page..page * per_page;
    let names = [
        (
            PassageList::Repeated,
            "repeated",
            "the most repeated passages",
        ),
        (
            PassageList::Covered,
            "covered",
            "documents of which most stands elsewhere",
        ),
    ];
    Ok(html! {
        (counts(site.report.passages.as_ref()))
        p {
            "Show: "
            @for (at, (list, name, words)) in names.into_iter().enumerate() {
                @if at > 0 { ", " }
                @if list == request.list { strong { (words) } } @else { a href={ "/passages?list=" (name) } { (words) } }
            }
        }
        @match request.list {
            PassageList::Repeated => { (repeated(Medium::Server, &lists.passages(&site.index(), &site.config, rows.clone())?, rows.start + 1)) }
            PassageList::Covered => (covered(Medium::Server, &lists.documents(&site.index(), rows)?)),
        }
        (pager(&format!("/passages?list={name}&page="), page, pages))
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
    let index = site.index();
    let Some(doc) = index.doc_of(doc_id).filter(|_| site.passages.is_some()) else {
        return Ok(html! {});
    };
    let found = passages_by_id(&index, doc_id, OF_DOCUMENT)?;
    if found.passages.is_empty() {
        return Ok(html! {
            h2 { "Its passages" }
            p { "No passage of it stands at another place." }
        });
    }
    let marked = marked_text(&index, &site.config, doc, OF_DOCUMENT)?;
    Ok(html! {
        h2 { "Its passages" }
        p {
            (thousands(found.repeated_words)) " of " (counted(found.words, "word")) " ("
            (share(found.repeated_words, found.words)) ") stand at several places of the corpus."
            @if let Some(other) = found.passages_of {
                " Its words are those of " a href={ "/document/" (other) } { "document " (other) } ", and both count as one."
            }
        }
        (places(&found))
        @match &marked {
            Ok(marked) => {
                h2 { "Its text" }
                (legend())
                p.text {
                    @for one in &marked.stretches { (stretch(one)) }
                    @if marked.words_behind > 0 { span.soft { "… and " (counted(marked.words_behind as u64, "word")) " more" } }
                }
            }
            Err(why) => p { "Its text cannot be shown: " (clean(why)) }
        }
        (quotes(&found))
    })
}

/// Where the passages of a document stand.
fn places(found: &DocumentPassages) -> Markup {
    let rows = html! {
        @for SourcedPassage { passage, source, source_begin, .. } in &found.passages {
            @let PassageView { begin, end, places_max, documents, .. } = *passage;
            tr {
                td.number data-value=(begin) { (thousands(u64::from(begin))) "–" (thousands(u64::from(end))) }
                (count_cell(u64::from(places_max)))
                (count_cell(u64::from(documents)))
                td.name {
                    @match source {
                        Some(source) => { (named(Medium::Server, source)) span.soft { ", word " (thousands(u64::from(*source_begin))) } }
                        None if passage.is_source => "here",
                        None => { "here, word " (thousands(u64::from(*source_begin))) }
                    }
                }
            }
        }
    };
    let left = found.passages_total - found.passages.len() as u64;
    html! {
        (table("Passages of the document", "#Words|#Places|#Documents|Stands first", &rows))
        @if left > 0 { p { "… and " (thousands(left)) " more." } }
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

fn stretch(one: &TextStretch) -> Markup {
    let words = |text: &str| {
        let shown = beginning(text).unwrap_or(text);
        html! {
            @match one.documents { Some(documents) => (mark(shown, documents)), None => (clean(shown)) }
            @if shown.len() < text.len() { " …" }
        }
    };
    html! {
        (words(&one.text))
        @if one.folded_words > 0 { span.soft { " … " (counted(one.folded_words as u64, "word")) " … " } (words(&one.end)) }
    }
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
