//! The anchors of the documents that stand at several places, in classes of equal runs.
//!
//! *Input.* Documents. *Output.* [`AnchorClasses`]. *Algorithm.* ⟨anchor, document, place⟩ is
//! sorted; an anchor that stands once is dropped. The others are sorted again by their runs.
//! *Memory.* Two sorts, of half the free budget each. *Disk.* 32 bytes an anchor, twice; 8 bytes an
//! anchor that stands at several places.

use crate::job::{PassageTexts, Passages};
use crate::memory;
use crate::records::{AnchorGroup, AnchorPlace, ClassPlace, RunClass, RunMember};
use engine::Error;
use exact::WantedDocuments;
use format::{FormatError, RecordReader, ScratchFile, ScratchWriter};
use model::{Cells, Unpoisoned, Words};
use sketch::Winnower;
use sort::{Lookup, Prefixes, SortedWords, WordSorter};

/// The runs of the anchors that stand at several places.
pub(super) struct AnchorClasses {
    pub(super) groups: ScratchFile<AnchorGroup>,
    pub(super) classes: ScratchFile<RunClass>,
    pub(super) members: ScratchFile<RunMember>,
}

/// Finds the classes of the wanted documents.
pub(super) fn find(
    passages: &Passages<'_>,
    wanted: WantedDocuments,
    texts: &dyn PassageTexts,
) -> Result<AnchorClasses, Error> {
    let scratch = &passages.scratch;
    let by_anchor = scratch.budget.take(memory::ANCHORS);
    let sorter = scratch.sorter::<AnchorPlace>("anchors", by_anchor.bytes());
    let params = passages.engine.config.sketch.params();
    let sorted = passages.sorted((wanted, texts), sorter.expecting(Prefixes::ALL), &|| {
        let mut winnower = Winnower::new(&params, passages.words);
        Ok(Box::new(move |Words([_, doc]), content, batch| {
            passages.unread.lock().unpoisoned().set(doc, 0)?;
            let doc = passages.order.lock().unpoisoned().of(doc)?;
            winnower.runs(content, |run| {
                batch.push(AnchorPlace {
                    anchor: run.anchor,
                    doc,
                    first: run.first,
                    windows: run.windows,
                    tokens: run.tokens,
                });
            });
            Ok(())
        }))
    })?;
    let by_class = scratch.budget.take(memory::CLASSES);
    let sorter = scratch.sorter::<ClassPlace>("classes", by_class.bytes());
    let sorted = several(sorted, sorter.expecting(Prefixes::ALL))?;
    drop(by_anchor);
    let classes = write(passages, sorted)?;
    drop(by_class);
    Ok(classes)
}

/// Passes on the runs whose anchor stands at several places.
fn several(
    mut sorted: SortedWords<AnchorPlace>,
    mut sorter: WordSorter<ClassPlace>,
) -> Result<SortedWords<ClassPlace>, Error> {
    let (mut before, mut run) = (None, sorted.next()?);
    while let Some(here) = run {
        let next = sorted.next()?;
        let is_beside = |other: Option<AnchorPlace>,
                         same: fn(&AnchorPlace, &AnchorPlace) -> bool| {
            other.is_some_and(|other| same(&other, &here))
        };
        let same_anchor = |a: &AnchorPlace, b: &AnchorPlace| a.anchor == b.anchor;
        let same_document =
            |a: &AnchorPlace, b: &AnchorPlace| (a.anchor, a.doc) == (b.anchor, b.doc);
        if is_beside(before, same_anchor) || is_beside(next, same_anchor) {
            let has_several = is_beside(before, same_document) || is_beside(next, same_document);
            sorter.push(ClassPlace {
                anchor: here.anchor,
                tokens: here.tokens,
                own: if has_several { here.doc + 1 } else { 0 },
                doc: here.doc,
                first: here.first,
                windows: here.windows,
            })?;
        }
        (before, run) = (run, next);
    }
    drop(sorted);
    sorter.finish().map_err(Error::from)
}

/// Writes groups, classes and members.
fn write(passages: &Passages<'_>, sorted: SortedWords<ClassPlace>) -> Result<AnchorClasses, Error> {
    let mut groups = passages.scratch.file::<AnchorGroup>("groups.run-list")?;
    let mut classes = passages.scratch.file::<RunClass>("classes.run-list")?;
    let mut members = passages.scratch.file::<RunMember>("members.run-list")?;
    let mut sorted = Lookup::over(sorted)?;
    while let Some(first) = sorted.peek() {
        let mut group = AnchorGroup {
            classes: 0,
            places: 0,
            documents: 0,
            doc: u32::MAX,
            first: u32::MAX,
            is_equal: true,
        };
        while let Some(head) = sorted.next_if(|run| run.anchor == first.anchor)? {
            let class = write_class(head, &mut sorted, &mut members)?;
            classes.push(&class)?;
            group.classes = group.classes.saturating_add(1);
            group.places = group.places.saturating_add(class.places);
            group.documents = group.documents.saturating_add(documents_of(&class));
            group.is_equal &= head.tokens == first.tokens;
            if (head.doc, head.first) < (group.doc, group.first) {
                (group.doc, group.first) = (head.doc, head.first);
            }
        }
        groups.push(&group)?;
    }
    Ok(AnchorClasses {
        groups: groups.finish()?,
        classes: classes.finish()?,
        members: members.finish()?,
    })
}

/// Writes the members of the class of `head`, the first of them.
fn write_class(
    head: ClassPlace,
    sorted: &mut Lookup<SortedWords<ClassPlace>>,
    members: &mut ScratchWriter<RunMember>,
) -> Result<RunClass, Error> {
    let key = |run: &ClassPlace| (run.anchor, run.tokens, run.own);
    let mut class = RunClass {
        places: 0,
        own: head.own,
        windows: head.windows,
    };
    let mut member = Some(head);
    while let Some(ClassPlace { doc, first, .. }) = member {
        members.push(&RunMember { doc, first })?;
        class.places = class.places.saturating_add(1);
        member = sorted.next_if(|run| key(run) == key(&head))?;
    }
    Ok(class)
}

/// The documents of a class.
fn documents_of(class: &RunClass) -> u32 {
    if class.own == 0 { class.places } else { 1 }
}

/// A class with its number and the group of its anchor.
pub(super) struct ClassOfGroup<'a> {
    pub(super) number: u64,
    pub(super) class: RunClass,
    pub(super) group: AnchorGroup,
    members: &'a mut RecordReader<RunMember>,
    left: u32,
}

impl ClassOfGroup<'_> {
    /// The next member, in the order of documents.
    pub(super) fn next_member(&mut self) -> Result<Option<RunMember>, FormatError> {
        let Some(left) = self.left.checked_sub(1) else {
            return Ok(None);
        };
        self.left = left;
        self.members.next()
    }
}

impl AnchorClasses {
    /// Calls `take` with each class, in order.
    pub(super) fn each(
        &self,
        mut take: impl FnMut(&mut ClassOfGroup<'_>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut groups = self.groups.read()?;
        let (mut classes, mut members) = (self.classes.read()?, self.members.read()?);
        let mut number = 0;
        while let Some(group) = groups.next()? {
            for _ in 0..group.classes {
                let Some(class) = classes.next()? else { break };
                let mut class = ClassOfGroup {
                    number,
                    class,
                    group,
                    left: class.places,
                    members: &mut members,
                };
                take(&mut class)?;
                while class.next_member()?.is_some() {}
                number += 1;
            }
        }
        Ok(())
    }
}
