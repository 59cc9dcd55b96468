//! The removals that deserve a look: documents that resemble the one kept in their favour least.
//!
//! *Input.* The removals of a call; the publication of the run, if it is shown. *Output.* How many
//! documents are unlike the kept one, how many are only linked to it by others, and the least alike
//! with what differs. *Memory.* Ten removals, and what `explain` takes for one pair at a time.

use ask::Index;
use ask::explain::{ExplainRequest, ExplainView, TextDifference, explain};
use ask::{Basis, CompareRequest};
use config::Config;
use engine::{Engine, Error, PhaseName};
use format::{AtomicFile, Disk, Manifest};
use publication::origin::first_page;
use publication::removals::removal::{NOT_COUNTED, RemovalFile};
use serde::Serialize;
use std::fmt;
use std::sync::Arc;

/// Documents below this resemblance to the kept one deserve a look.
pub(super) const UNLIKE: f64 = 0.7;

/// Removals that are shown.
const SHOWN: usize = 10;

/// A document that would go although it resembles the kept one less than others do.
#[derive(Clone, Debug, Serialize)]
pub struct DoubtfulRemoval {
    /// The document that would go.
    pub doc_id: i64,
    /// Its id in the input.
    pub id: Option<String>,
    /// Its URL.
    pub url: Option<String>,
    /// The document that is kept in its favour.
    pub kept_doc_id: i64,
    /// The id of that one in the input.
    pub kept_id: Option<String>,
    /// The URL of that one.
    pub kept_url: Option<String>,
    /// Their resemblance.
    pub resemblance: f64,
    /// How much of the one that would go is in the kept one; `null` if min-hashes were compared.
    pub containment_in_kept: Option<f64>,
    /// How many differences there are; `null` if they could not be read again, or if another
    /// publication is shown.
    pub differences: Option<usize>,
    /// Of which kinds they are.
    pub kinds: Vec<&'static str>,
}

/// The result of a look at the removals.
#[derive(Clone, Debug, Default)]
pub(super) struct Look {
    /// Documents whose resemblance to the kept one is below [`UNLIKE`].
    pub(super) unlike: u64,
    /// Documents that are linked to the kept one only by others.
    pub(super) chained: u64,
    /// ⟨resemblance, document, kept document, containment in it⟩ of the least alike, the least
    /// first.
    least: Vec<(f64, u32, u32, Option<f64>)>,
}

impl Look {
    pub(super) fn at(removals: &RemovalFile) -> Result<Look, Error> {
        let mut look = Look::default();
        let mut reader = removals.read()?;
        while let Some(removal) = reader.next()? {
            look.chained += u64::from(removal.links == NOT_COUNTED);
            let (Some(kept), Some(resemblance)) = (removal.kept_document(), removal.resemblance())
            else {
                continue;
            };
            look.unlike += u64::from(resemblance < UNLIKE);
            let containment = removal.overlap().containment_a_in_b();
            let containment = containment.map(|estimate| estimate.ratio.to_f64());
            let one = (resemblance, removal.doc, kept, containment);
            let place = look.least.partition_point(|other| *other <= one);
            if place < SHOWN && resemblance < 1.0 {
                look.least.insert(place, one);
                look.least.truncate(SHOWN);
            }
        }
        Ok(look)
    }

    /// The least alike with their URLs and what differs.
    pub(super) fn shown(
        &self,
        engine: &Engine<'_>,
        index: Option<&Arc<Index>>,
    ) -> Result<Vec<DoubtfulRemoval>, Error> {
        let ids = engine.public_ids();
        let docs = self.least.iter().flat_map(|one| [one.1, one.2]);
        let names = engine.segments()?.names(&docs.collect())?;
        let name = |doc| names.get(&doc).cloned().unwrap_or_default();
        let shown = self
            .least
            .iter()
            .map(|&(resemblance, doc, kept, containment)| {
                let (doc_id, kept_doc_id) = (ids.get(doc), ids.get(kept));
                let difference =
                    index.and_then(|index| difference(engine.config, index, kept_doc_id, doc_id));
                let ([url, id], [kept_url, kept_id]) = (name(doc), name(kept));
                DoubtfulRemoval {
                    doc_id,
                    id,
                    url,
                    kept_doc_id,
                    kept_id,
                    kept_url,
                    resemblance,
                    containment_in_kept: containment,
                    differences: difference.as_ref().map(|found| found.differences_in_all),
                    kinds: difference
                        .map(|found| found.kinds.iter().map(|kind| kind.name()).collect())
                        .unwrap_or_default(),
                }
            });
        Ok(shown.collect())
    }
}

/// The index of a publication, if it is that of the run: another one may be of other documents.
pub(super) fn own_index(index: Index, manifest: &Manifest) -> Option<Arc<Index>> {
    let page = first_page(manifest.phases.get(PhaseName::Index.name())?)?;
    let shown = index.dir().parent()?.join(&page.name);
    AtomicFile::verify(&Disk::default(), &shown, &page).ok()?;
    Some(Arc::new(index))
}

/// The differences between two documents, if both can still be read.
fn difference(
    config: &Config,
    index: &Arc<Index>,
    kept_doc_id: i64,
    doc_id: i64,
) -> Option<TextDifference> {
    let request = ExplainRequest {
        pair: CompareRequest {
            a: kept_doc_id.to_string().into(),
            b: doc_id.to_string().into(),
            basis: Basis::Run(config.clone(), Some(Arc::clone(index))),
        },
        limit: 0,
        view: ExplainView::Differences,
    };
    explain(&request).ok().map(|found| found.difference)
}

impl fmt::Display for DoubtfulRemoval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = |url: &Option<String>, id: &Option<String>| {
            let name = url.as_deref().or(id.as_deref()).unwrap_or("-");
            name.replace(output::is_harmful, "")
        };
        let (url, kept) = (
            name(&self.url, &self.id),
            name(&self.kept_url, &self.kept_id),
        );
        writeln!(f, "  {:.4}  {} {url}", self.resemblance, self.doc_id)?;
        writeln!(f, "          kept: {} {kept}", self.kept_doc_id)?;
        if let Some(share) = self.containment_in_kept {
            write!(
                f,
                "          {share:.4} of its shingles are in the kept one"
            )?;
            if let Some(count) = self.differences {
                write!(f, "; differences: {count} ({})", self.kinds.join(", "))?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}
