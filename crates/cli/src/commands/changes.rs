//! `pipeline changes`: as lines, as JSON lines, as an Atom feed (RFC 4287).

use std::fmt::Write as _;
use std::io::Write as _;

use output::is_harmful;
use pipeline::query::Escaped;
use pipeline::{ChangedUrl, ChangesRequest};

use super::call::Call;
use crate::args::ChangesArgs;
use crate::exit::Failure;

/// Entries of a feed, if no limit is given: readers fetch it whole, again and again.
const FEED_ENTRIES: u64 = 1000;

/// Prints the URLs that changed.
pub(super) fn changes(call: &mut Call<'_>, args: ChangesArgs) -> Result<(), Failure> {
    let config = call.load()?;
    let request = ChangesRequest {
        since: args.since,
        classes: args.classes,
        host: args.host,
    };
    let limit = args.limit.or(args.feed.then_some(FEED_ENTRIES));
    let mut left = limit.unwrap_or(u64::MAX);
    let results = &mut *call.results;
    let updated = match args.feed {
        true => pipeline::published_at(&config)?,
        false => String::new(),
    };
    if args.feed {
        results.text(&feed_head(&updated))?;
    }
    let (mut snapshot, mut shown, mut failed) = (String::new(), 0_u64, None);
    pipeline::changes(&config, &request, &mut |one| {
        if left == 0 {
            return Ok(false);
        }
        (left, shown) = (left - 1, shown + 1);
        let written = if args.feed {
            results.text(&entry(one, &updated))
        } else if args.json {
            results.json_line(one)
        } else {
            let head = match snapshot == one.snapshot {
                true => String::new(),
                false => head(one, &mut snapshot),
            };
            results.text(&(head + &line(one)))
        };
        failed = written.err();
        Ok(failed.is_none())
    })?;
    if let Some(failure) = failed {
        return Err(failure);
    }
    if args.feed {
        results.text("</feed>")?;
    } else if !args.json && shown == 0 {
        results.text("no URL has changed so")?;
    }
    results.flush().map_err(Failure::Stdout)
}

/// The line above the URLs of a snapshot.
fn head(first: &ChangedUrl, snapshot: &mut String) -> String {
    let between = match snapshot.is_empty() {
        true => "",
        false => "\n",
    };
    snapshot.clone_from(&first.snapshot);
    let (new, old) = (Escaped(&first.snapshot), Escaped(&first.old_snapshot));
    format!("{between}{new}, after {old}\n")
}

fn line(one: &ChangedUrl) -> String {
    let resemblance = one.resemblance.map(|one| format!("{one:.2}"));
    let new_url = one.new_url.as_deref();
    let to = new_url.map_or(String::new(), |url| format!(" -> {}", Escaped(url)));
    format!(
        "{:<9}  {:>4}  {}{to}",
        one.class,
        resemblance.as_deref().unwrap_or("-"),
        Escaped(&one.url)
    )
}

fn feed_head(updated: &str) -> String {
    format!(
        "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<feed xmlns=\"http://www.w3.org/2005/Atom\">\n\
         <id>urn:altavista-dedup:changes</id>\n<title>Changed pages</title>\n\
         <updated>{updated}</updated>\n<author><name>pipeline</name></author>"
    )
}

fn entry(one: &ChangedUrl, updated: &str) -> String {
    let now = one.new_url.as_deref().unwrap_or(&one.url);
    let doc = one.new_doc_id.or(one.old_doc_id).unwrap_or_default();
    let what = match (&one.new_url, one.resemblance) {
        (Some(_), _) => format!("moved from {}", one.url),
        (None, Some(resemblance)) => format!("{}, resemblance {resemblance:.2}", one.class),
        (None, None) => one.class.clone(),
    };
    let mut entry = String::from("<entry>\n");
    let id = format!("urn:altavista-dedup:changes:{}:{doc}", one.class);
    let title = format!("{}: {now}", one.class);
    for (name, text) in [("id", &*id), ("title", &title), ("summary", &what)] {
        let _ = writeln!(entry, "<{name}>{}</{name}>", xml(text));
    }
    let _ = writeln!(entry, "<link href=\"{}\"/>", xml(now));
    let _ = writeln!(entry, "<category term=\"{}\"/>", xml(&one.class));
    entry + &format!("<updated>{updated}</updated>\n</entry>")
}

/// A text of strangers in XML.
fn xml(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            // what XML cannot hold, or what would turn the text around
            c if is_harmful(c) || matches!(c, '\u{FFFE}' | '\u{FFFF}') => out.push('?'),
            c => out.push(c),
        }
    }
    out
}
