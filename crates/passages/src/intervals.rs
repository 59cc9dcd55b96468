//! Repeated windows of classes → repeated windows of documents.
//!
//! *Input.* [`AnchorClasses`]; the repeated windows of those that are not all alike. *Output.*
//! [`Interval`]s, by document. *Memory.* A sort of half the free budget, and the windows of a
//! class. *Disk.* 32 bytes an interval of a document.

use crate::anchors::AnchorClasses;
use crate::job::{HeldRecords, Passages};
use crate::memory;
use crate::records::{Interval, Repeated, RepeatedWindow};
use engine::Error;
use model::Unpoisoned;

/// Consecutive windows of a class that are repeated alike.
struct Stretch {
    offset: u32,
    windows: u32,
    repeated: Repeated,
}

/// Finds the intervals of all documents.
pub(super) fn find(
    passages: &Passages<'_>,
    anchors: &AnchorClasses,
    mut windows: HeldRecords<RepeatedWindow>,
) -> Result<HeldRecords<Interval>, Error> {
    let scratch = &passages.scratch;
    let memory = scratch.budget.take(memory::INTERVALS);
    let mut sorter = scratch.by_document::<Interval>("intervals", memory.bytes());
    let (mut of_class, mut stretches) = (Vec::new(), Vec::new());
    let mut order = passages.order.lock().unpoisoned();
    anchors.each(|class| {
        let group = class.group;
        stretches.clear();
        if group.is_equal {
            stretches.push(Stretch {
                offset: 0,
                windows: class.class.windows,
                repeated: Repeated {
                    places: group.places,
                    documents: group.documents,
                    doc: group.doc,
                    first: group.first,
                },
            });
        } else {
            windows.records.all_of(class.number, &mut of_class)?;
            stretch(&of_class, &mut stretches);
        }
        if stretches.is_empty() {
            return Ok(());
        }
        while let Some(member) = class.next_member()? {
            let doc = order.document(member.doc)?;
            for stretch in &stretches {
                let (first, mut repeated) = (member.first + stretch.offset, stretch.repeated);
                let is_source = (repeated.doc, repeated.first) == (member.doc, first);
                repeated.doc = order.document(repeated.doc)?;
                sorter.push(Interval {
                    doc,
                    first,
                    windows: stretch.windows,
                    repeated,
                    is_source,
                })?;
            }
        }
        Ok(())
    })?;
    drop(windows);
    HeldRecords::of(sorter, memory)
}

/// Joins windows that follow one another here and at their first place.
fn stretch(windows: &[RepeatedWindow], into: &mut Vec<Stretch>) {
    for window in windows {
        let (offset, repeated) = (window.offset, window.repeated);
        if let Some(last) = into.last_mut()
            && offset == last.offset + last.windows
            && repeated
                == (Repeated {
                    first: last.repeated.first + last.windows,
                    ..last.repeated
                })
        {
            last.windows += 1;
            continue;
        }
        into.push(Stretch {
            offset,
            windows: 1,
            repeated,
        });
    }
}
