//! One document: what is known of it, its copies, and its passages.

use super::cluster::members;
use super::passages;
use crate::web::page::{Medium, cluster, value};
use crate::web::safety::{clean, followed};
use crate::web::site::Site;
use maud::{Markup, html};
use output::{counted, thousands};
use pipeline::Error;
use pipeline::query::by_id;

/// Members of its cluster that are listed.
const MEMBERS: usize = 50;

/// The page without its frame.
pub(crate) fn document(site: &Site, doc_id: i64) -> Result<Markup, Error> {
    let answer = by_id(&site.index(), doc_id, MEMBERS)?;
    let (row, view) = (&answer.document, &answer.cluster);
    Ok(html! {
        dl.facts {
            dt { "doc_id" } dd { (row.doc_id) }
            @if let Some(id) = &row.id { dt { "id" } dd { (value(id, doc_id)) } }
            @if let Some(url) = &row.url {
                dt { "URL" }
                dd.url {
                    @if let Some(address) = followed(url) { a href=(address) rel="noopener noreferrer nofollow" { (value(url, doc_id)) } }
                    @else { (value(url, doc_id)) }
                }
            }
            @if let Some(date) = &row.date { dt { "Date" } dd { (clean(date)) } }
            dt { "Source" } dd { (clean(&row.source)) ", byte " (thousands(row.entry_offset)) }
            dt { "Size" } dd { (counted(row.bytes, "byte")) ", " (counted(row.words, "word")) }
            dt { "Result" }
            dd {
                @if view.documents < 2 { "no copies were found" }
                @else if row.keep { "kept" }
                @else { "can go: " (row.kept_doc_id) " is kept instead; " a href={ "/compare/" (row.kept_doc_id) "/" (row.doc_id) } { "compare the two" } }
            }
            @for (name, of_field) in &row.fields { dt { (clean(name)) } dd { (value(&of_field.to_string(), doc_id)) } }
        }
        @if view.documents > 1 {
            h2 { "Its cluster, " (cluster(Medium::Server, view.cluster_id)) }
            p { (thousands(view.documents)) " documents. Each is shown beside this one." }
            (members(Medium::Server, view, &answer.members))
        }
        (passages::of_document(site, doc_id)?)
    })
}
