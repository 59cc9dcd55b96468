//! Documents, clusters and members as they are shown.

use crate::index::Index;
use engine::Error;
use format::FieldCell;
use model::{Equality, Ratio};
use serde::Serialize;
use sketch::host_of;
use std::collections::BTreeMap;
use std::fmt::{self, Write};

/// A document, as the tables have it.
#[derive(Clone, Debug, Serialize)]
pub struct DocumentView {
    /// Its public id.
    pub doc_id: i64,
    /// Record id.
    pub id: Option<String>,
    /// URL.
    pub url: Option<String>,
    /// The host of its URL, in lower case.
    pub host: Option<String>,
    /// Its title, if it is a page that has one.
    pub title: Option<String>,
    /// Its date, RFC 3339.
    pub date: Option<String>,
    /// Its file.
    pub source: String,
    /// Byte of the file where decoding can start.
    pub entry_offset: u64,
    /// Byte, or row, after decoding from there.
    pub inner_offset: u64,
    /// Bytes of the record.
    pub length: u64,
    /// Bytes of the body.
    pub bytes: u64,
    /// Canonical tokens.
    pub words: u64,
    /// Places where a shingle begins.
    pub shingles: u64,
    /// Fingerprints kept.
    pub sketch_size: u32,
    /// One in so many was kept.
    pub modulus: u32,
    /// Oddities of the record, separated by spaces.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub flags: Option<String>,
    /// The lowest document of the strongest class it shares.
    pub same_as: Option<i64>,
    /// That class.
    pub same_kind: Option<&'static str>,
    /// Its cluster; its own id if it is alone.
    pub cluster_id: i64,
    /// Whether it is kept.
    pub keep: bool,
    /// The document that stays in its favour; its own id if it stays.
    pub kept_doc_id: i64,
    /// Carried fields.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub fields: BTreeMap<String, serde_json::Value>,
}

/// A document by its names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NamedDocument {
    /// Its public id.
    pub doc_id: i64,
    /// Its id in the input.
    pub id: Option<String>,
    /// Its URL.
    pub url: Option<String>,
}

impl NamedDocument {
    pub(crate) fn of(index: &Index, doc: u32) -> Result<NamedDocument, Error> {
        let (id, url) = index.names(doc)?;
        Ok(NamedDocument {
            doc_id: index.public_id(doc),
            id,
            url,
        })
    }
}

/// A cluster.
#[derive(Clone, Debug, Serialize)]
pub struct ClusterView {
    /// Its lowest document.
    pub cluster_id: i64,
    /// Documents in it.
    pub documents: u64,
    /// How many of them are kept.
    pub kept: u64,
    /// Different ones: classes of equal documents.
    pub distinct: u64,
    /// The weakest relation needed; none of a document alone.
    pub kind: Option<&'static str>,
    /// Resemblance of the weakest link, if there is one.
    pub min_resemblance: Option<f64>,
    /// The one that is kept; of several the best by `keep`.
    pub kept_doc_id: i64,
}

/// A document beside another one of its cluster.
#[derive(Clone, Debug, Serialize)]
pub struct MemberView {
    /// Its public id.
    pub doc_id: i64,
    /// Whether it is kept.
    pub keep: bool,
    /// The document that stays in its favour; its own id if it stays.
    pub kept_doc_id: i64,
    /// The narrowest class that both share, or `similar`.
    pub class: &'static str,
    /// Whether the two are linked, or equal; else they are together because others link them.
    pub linked: bool,
    /// Their resemblance.
    pub resemblance: f64,
    /// Lower end of its 95 % interval.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// Its id in the input.
    pub id: Option<String>,
    /// URL.
    pub url: Option<String>,
}

impl DocumentView {
    pub(super) fn of(index: &Index, doc: u32) -> Result<DocumentView, Error> {
        let member = index.member(doc)?;
        let names = index.field_names();
        let (file, view) = index.document(doc, |row| {
            let text = |text: Option<&str>| text.map(str::to_owned);
            let host = row.url.map(host_of).filter(|host| !host.is_empty());
            let fields = names.iter().cloned().zip(row.fields.iter().map(json));
            let view = DocumentView {
                doc_id: index.public_id(doc),
                id: text(row.id),
                url: text(row.url),
                host: host.map(str::to_lowercase),
                title: text(row.title),
                date: row.date.map(output::rfc3339),
                source: String::new(),
                entry_offset: row.entry_offset,
                inner_offset: row.inner_offset,
                length: row.length,
                bytes: row.bytes,
                words: row.words,
                shingles: row.shingles,
                sketch_size: row.sketch_size,
                modulus: row.modulus,
                flags: text(row.flags),
                same_as: member.same_as.map(|(_, lowest)| index.public_id(lowest)),
                same_kind: member.same_as.map(|(equality, _)| equality.name()),
                cluster_id: index.public_id(member.cluster),
                keep: member.kept == doc,
                kept_doc_id: index.public_id(member.kept),
                fields: fields.collect(),
            };
            (row.file, view)
        })?;
        Ok(DocumentView {
            source: index.source(file)?.name,
            ..view
        })
    }
}

fn json(cell: &FieldCell<'_>) -> serde_json::Value {
    match *cell {
        FieldCell::Null => serde_json::Value::Null,
        FieldCell::Integer(value) => value.into(),
        FieldCell::Float(value) => value.into(),
        FieldCell::Text(value) => value.into(),
        FieldCell::Bool(value) => value.into(),
    }
}

impl ClusterView {
    /// The cluster of this lowest document, be it alone in it.
    pub(super) fn of(index: &Index, cluster: u32) -> Result<ClusterView, Error> {
        let cluster_id = index.public_id(cluster);
        let Some(record) = index.cluster(cluster)? else {
            return Ok(ClusterView {
                cluster_id,
                documents: 1,
                kept: 1,
                distinct: 1,
                kind: None,
                min_resemblance: None,
                kept_doc_id: cluster_id,
            });
        };
        let weakest = Ratio::new(
            u64::from(record.weakest_shared),
            u64::from(record.weakest_union),
        );
        Ok(ClusterView {
            cluster_id,
            documents: u64::from(record.documents),
            kept: u64::from(record.keeps),
            distinct: u64::from(record.distinct),
            kind: Some(Equality::name_of_relation(record.kind.into())),
            min_resemblance: (record.weakest_union > 0).then(|| weakest.to_f64()),
            kept_doc_id: index.public_id(record.kept),
        })
    }
}

/// The URL of a document, or its id in the input, for a terminal.
pub(crate) fn shown_name<'a>(
    url: &'a Option<String>,
    id: &'a Option<String>,
) -> impl fmt::Display + 'a {
    let name = url.as_deref().or(id.as_deref());
    name.unwrap_or("(no URL)").escape_debug()
}

/// Displays a text of strangers with the characters escaped that a terminal takes as a command.
pub struct Escaped<'a>(pub &'a str);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.chars().try_for_each(|c| match c {
            '\'' | '"' | '\\' => f.write_char(c),
            c => write!(f, "{}", c.escape_debug()),
        })
    }
}

/// The line that ends a list of which some are not shown.
pub(super) fn write_more(f: &mut fmt::Formatter<'_>, all: u64, shown: usize) -> fmt::Result {
    match all.saturating_sub(shown as u64) {
        0 => Ok(()),
        more => writeln!(f, "… and {more} more; --limit shows them"),
    }
}

pub(super) fn url(url: Option<&String>) -> Escaped<'_> {
    Escaped(url.map_or("-", String::as_str))
}

impl fmt::Display for DocumentView {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kept = if self.keep { ", kept" } else { "" };
        writeln!(f, "document   {}{kept}", self.doc_id)?;
        if let Some(id) = &self.id {
            writeln!(f, "id         {}", Escaped(id))?;
        }
        writeln!(f, "url        {}", url(self.url.as_ref()))?;
        let inner = match self.inner_offset {
            0 => String::new(),
            offset => format!(", {offset} after decoding"),
        };
        let (source, entry) = (Escaped(&self.source), self.entry_offset);
        writeln!(f, "source     {source}, byte {entry}{inner}")?;
        if let Some(date) = &self.date {
            writeln!(f, "date       {date}")?;
        }
        if let Some(flags) = &self.flags {
            writeln!(f, "flags      {flags}")?;
        }
        let (words, shingles, kept) = (self.words, self.shingles, self.sketch_size);
        writeln!(
            f,
            "text       {words} words, {shingles} shingles, {kept} sampled (1 in {})",
            self.modulus
        )?;
        if let (Some(same_as), Some(kind)) = (self.same_as, self.same_kind) {
            match same_as == self.doc_id {
                true => writeln!(f, "class      {kind} with others")?,
                false => writeln!(f, "class      {kind} with {same_as}")?,
            }
        }
        for (name, value) in &self.fields {
            let (name, value) = (Escaped(name), value.to_string());
            writeln!(f, "field      {name} = {}", Escaped(&value))?;
        }
        Ok(())
    }
}

impl fmt::Display for ClusterView {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (cluster, kept_doc_id) = (self.cluster_id, self.kept_doc_id);
        let Some(kind) = self.kind else {
            return writeln!(f, "cluster    {cluster}, alone");
        };
        let (documents, distinct) = (self.documents, self.distinct);
        write!(
            f,
            "cluster    {cluster}, {kind}: {documents} documents, {distinct} different"
        )?;
        if let Some(weakest) = self.min_resemblance {
            write!(f, ", weakest link {weakest:.4}")?;
        }
        match self.kept {
            1 => writeln!(f, "; {kept_doc_id} is kept"),
            kept => writeln!(f, "; {kept} are kept, {kept_doc_id} first"),
        }
    }
}
