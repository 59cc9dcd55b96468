//! The frame of a page, and what a request is answered with.

use crate::web::safety::{clean, followed};
use maud::{DOCTYPE, Markup, PreEscaped, html};
use output::{counted, humane_bytes, thousands};
use pipeline::config_options;

/// The style of all pages.
pub(crate) const STYLE: &str = include_str!("style.css");

/// Keys, and tables sorted by a column; pages work without it.
pub(crate) const SCRIPT: &str = include_str!("script.js");

/// Two sheets, one before the other.
pub(crate) const ICON: &str = r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><path fill="#2f6fb7" d="M5 1h9v11H5z"/><path fill="#fff" stroke="#2f6fb7" d="M2.5 4.5h8v10h-8z"/></svg>"##;

/// Where a page is shown: that decides what its links lead to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Medium {
    /// A server answers every link.
    Server,
    /// One file: there are no other pages.
    File,
}

/// The answer to a request.
pub(crate) enum PageAnswer {
    /// A page.
    Page(Markup),
    /// The history of a document or cluster that is not there.
    Gone(Markup),
    /// Another address of this server.
    Redirect(String),
}

/// The views that the head of every page leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum View {
    Overview,
    Clusters,
    Threshold,
    Sites,
    Time,
    /// One of the pages that are reached from others.
    Other,
}

const VIEWS: [(View, &str, &str); 5] = [
    (View::Overview, "/", "Overview"),
    (View::Clusters, "/clusters", "Clusters"),
    (View::Threshold, "/threshold", "Threshold"),
    (View::Sites, "/sites", "Sites"),
    (View::Time, "/time", "Time"),
];

impl View {
    /// Its name in the head of every page.
    pub(crate) fn name(self) -> &'static str {
        let found = VIEWS.iter().find(|(own, ..)| *own == self);
        found.map_or("", |(_, _, name)| *name)
    }
}

/// A command with the options that name the configuration; that of the help needs none.
fn of_this_call(command: &str) -> String {
    let is_help = command.ends_with("--help");
    format!("{command}{}", if is_help { "" } else { config_options() })
}

/// A page with its head. `command` gives the same in a terminal.
pub(crate) fn page(view: View, title: &str, command: &str, content: &Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { (short(title)) " – pipeline" }
                link rel="stylesheet" href="/style.css";
                link rel="icon" type="image/svg+xml" href="/icon.svg";
                script src="/script.js" defer {}
            }
            body {
                a.skip href="#content" { "Skip to the content" }
                header {
                    nav aria-label="Views" {
                        @for (own, address, name) in VIEWS {
                            a href=(address) aria-current=[(own == view).then_some("page")] { (name) }
                        }
                    }
                    form role="search" action="/search" {
                        label.hidden for="q" { "URL, id or title" }
                        input #q name="q" type="search" placeholder="URL, id or title" required;
                        button { "Find" }
                    }
                }
                main #content {
                    h1.long[title.chars().nth(LONG).is_some()] { (short(title)) }
                    (content)
                }
                footer { p { "In a terminal: " code { (clean(&of_this_call(command))) } } }
            }
        }
    }
}

/// One file with everything in it.
pub(crate) fn file(title: &str, content: &Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'";
                title { (clean(title)) " – pipeline" }
                style { (PreEscaped(STYLE)) }
            }
            body {
                main {
                    h1 { (clean(title)) }
                    (content)
                }
            }
        }
    }
}

/// Characters of a title beyond which it is shown smaller.
const LONG: usize = 60;

/// Characters of a name that are shown.
const NAME_CHARS: usize = 300;

/// Characters of a value on the page of its document, of one difference, or of a frame.
const VALUE_CHARS: usize = 2_000;

/// A URL, a host or a title as it is shown: the start of a long one.
pub(crate) fn short(name: &str) -> String {
    match name.char_indices().nth(NAME_CHARS) {
        Some((cut, _)) => format!("{}…", clean(&name[..cut])),
        None => clean(name),
    }
}

/// The beginning of a text that is not shown whole.
pub(crate) fn beginning(text: &str) -> Option<&str> {
    let (cut, _) = text.char_indices().nth(VALUE_CHARS)?;
    text.get(..cut)
}

/// A value of a document: the start of a long one, and how much more there is.
pub(crate) fn value(text: &str, doc_id: i64) -> Markup {
    let (start, rest) = text.split_at(beginning(text).map_or(text.len(), str::len));
    html! {
        (clean(start))
        @if !rest.is_empty() {
            "… " span.soft {
                "and " (counted(rest.chars().count() as u64, "character")) " more; "
                code { "pipeline query doc " (doc_id) (clean(config_options())) } " shows them"
            }
        }
    }
}

/// A document by its name, with a link to its page.
pub(crate) fn document(medium: Medium, doc_id: i64, name: &str) -> Markup {
    html! {
        @if medium == Medium::Server {
            a.url href={ "/document/" (doc_id) } { (short(name)) }
        } @else if let Some(address) = followed(name).filter(|name| name.len() <= NAME_CHARS) {
            a.url href=(address) rel="noopener noreferrer nofollow" { (short(name)) }
        } @else {
            span.url { (short(name)) }
        }
    }
}

/// A table that a narrow screen scrolls sideways. `heads` are separated by bars; one that begins
/// with # is over numbers.
pub(crate) fn table(label: &str, heads: &str, rows: &Markup) -> Markup {
    table_with(
        label,
        &html! { @for name in heads.split('|') { (head(name)) } },
        rows,
    )
}

/// The head of a column.
pub(crate) fn head(name: &str) -> Markup {
    html! {
        @match name.strip_prefix('#') {
            Some(name) => th.number scope="col" { (name) },
            None => th scope="col" { (name) },
        }
    }
}

/// A table whose heads are not only names.
pub(crate) fn table_with(label: &str, heads: &Markup, rows: &Markup) -> Markup {
    html! {
        div.wide tabindex="0" role="region" aria-label=(label) {
            table { thead { tr { (heads) } } tbody { (rows) } }
        }
    }
}

/// A cell of a table: how many.
pub(crate) fn count_cell(count: u64) -> Markup {
    html! { td.number { (thousands(count)) } }
}

/// A cell of a table: bytes for people, and as a number to sort by.
pub(crate) fn bytes_cell(bytes: u64) -> Markup {
    html! { td.number data-value=(bytes) { (humane_bytes(bytes)) } }
}

/// A cluster by its id, with a link to its page.
pub(crate) fn cluster(medium: Medium, cluster_id: i64) -> Markup {
    html! {
        @if medium == Medium::Server {
            a href={ "/cluster/" (cluster_id) } { (cluster_id) }
        } @else {
            a href={ "#cluster-" (cluster_id) } { (cluster_id) }
        }
    }
}

/// The links to the pages of a list before and after one; `address` is that of a page but for its
/// number.
pub(crate) fn pager(address: &str, page: usize, pages: usize) -> Markup {
    html! {
        nav.pager aria-label="Pages" {
            @if page > 1 { a href={ (address) (page - 1) } rel="prev" { "← Page " (page - 1) } }
            span { "Page " (page) " of " (pages) }
            @if page < pages { a href={ (address) (page + 1) } rel="next" { "Page " (page + 1) " →" } }
        }
    }
}
