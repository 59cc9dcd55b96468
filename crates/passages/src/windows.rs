//! The windows of classes that are not all alike, compared one by one.
//!
//! *Input.* [`AnchorClasses`]. *Output.* The windows of each class that stand at several places.
//! *Algorithm.* The first member of each class is read again, and its windows are sorted by their
//! fingerprints. How often a window stands is added up over its classes. *Memory.* Two sorts, of
//! half the free budget each, and what reading takes. *Disk.* 32 bytes a class, 48 bytes a window
//! of a class, 12 and 32 bytes a repeated one.

use crate::anchors::AnchorClasses;
use crate::job::{HeldRecords, PassageTexts, Passages};
use crate::memory;
use crate::records::{ClassWindow, Question, Repeated, RepeatedWindow, WindowGroup, WindowPlace};
use engine::Error;
use format::{FormatError, ScratchFile};
use model::Unpoisoned;
use sketch::Winnower;
use sort::{Lookup, Prefixes, SortedWords};

/// Finds the repeated windows of the classes, by class.
pub(super) fn find(
    passages: &Passages<'_>,
    classes: &AnchorClasses,
    texts: &dyn PassageTexts,
) -> Result<HeldRecords<RepeatedWindow>, Error> {
    let scratch = &passages.scratch;
    let questions = questions(passages, classes)?;
    let by_window = scratch.budget.take(memory::WINDOWS);
    let sorter = scratch.sorter::<WindowPlace>("windows", by_window.bytes());
    let params = passages.engine.config.sketch.params();
    let mut reader = questions.read()?;
    let wanted = passages.wanted(|| Ok::<_, FormatError>(reader.next()?.map(|one| one.wanted)))?;
    let sorted = passages.sorted((wanted, texts), sorter.expecting(Prefixes::ALL), &|| {
        let mut winnower = Winnower::new(&params, passages.words);
        let mut questions = Lookup::over(questions.read()?)?;
        Ok(Box::new(move |wanted, content, batch| {
            let (mut question, mut place) = (questions.next_of(wanted), 0);
            winnower.windows(content, |window| {
                if let Ok(Some(asked)) = question
                    && asked.first <= place
                {
                    batch.push(WindowPlace {
                        window,
                        own: asked.own,
                        class: asked.class,
                        offset: place - asked.first,
                        places: asked.places,
                        doc: asked.doc,
                        first: place,
                    });
                    if place + 1 == asked.first + asked.windows {
                        question = questions.next_of(wanted);
                    }
                }
                place += 1;
            });
            question.map(drop)
        }))
    })?;
    drop(questions);
    let (groups, members) = add_up(passages, sorted)?;
    drop(by_window);
    let memory = scratch.budget.take(memory::REPEATED);
    let mut sorter = scratch.sorter::<RepeatedWindow>("repeated", memory.bytes());
    let (mut groups, mut members) = (groups.read()?, members.read()?);
    while let Some(WindowGroup { classes, repeated }) = groups.next()? {
        for _ in 0..classes {
            if let Some(ClassWindow { class, offset }) = members.next()? {
                sorter.push(RepeatedWindow {
                    class,
                    offset,
                    repeated,
                })?;
            }
        }
    }
    HeldRecords::of(sorter, memory)
}

/// The first member of each class that is not alike to all others of its anchor, by document.
fn questions(
    passages: &Passages<'_>,
    anchors: &AnchorClasses,
) -> Result<ScratchFile<Question>, Error> {
    let scratch = &passages.scratch;
    let memory = scratch.budget.take(memory::QUESTIONS);
    let mut sorter = scratch.by_document::<Question>("questions", memory.bytes());
    let mut order = passages.order.lock().unpoisoned();
    anchors.each(|class| {
        if !class.group.is_equal
            && let Some(first) = class.next_member()?
        {
            sorter.push(Question {
                wanted: passages.text_of(order.document(first.doc)?)?,
                first: first.first,
                windows: class.class.windows,
                class: class.number,
                own: class.class.own,
                places: class.class.places,
                doc: first.doc,
            })?;
        }
        Ok(())
    })?;
    scratch.store("questions.run-list", sorter.finish()?)
}

/// Adds up how often each window stands; writes those that stand at several places, and the classes
/// that have them.
fn add_up(
    passages: &Passages<'_>,
    sorted: SortedWords<WindowPlace>,
) -> Result<(ScratchFile<WindowGroup>, ScratchFile<ClassWindow>), Error> {
    let mut groups = passages.scratch.file::<WindowGroup>("windows.run-list")?;
    let mut members = passages
        .scratch
        .file::<ClassWindow>("class-windows.run-list")?;
    let mut sorted = Lookup::over(sorted)?;
    while let Some(head) = sorted.next()? {
        let is_again = |other: &WindowPlace| other.window == head.window;
        if head.places == 1 && !sorted.peek().is_some_and(|next| is_again(&next)) {
            continue;
        }
        let mut repeated = Repeated {
            places: 0,
            documents: 0,
            doc: head.doc,
            first: head.first,
        };
        let (mut classes, mut own_before, mut member) = (0_u32, 0, Some(head));
        while let Some(window) = member {
            members.push(&ClassWindow {
                class: window.class,
                offset: window.offset,
            })?;
            classes = classes.saturating_add(1);
            repeated.places = repeated.places.saturating_add(window.places);
            let documents = match window.own {
                0 => window.places,
                own => u32::from(own != own_before),
            };
            repeated.documents = repeated.documents.saturating_add(documents);
            own_before = window.own;
            if (window.doc, window.first) < (repeated.doc, repeated.first) {
                (repeated.doc, repeated.first) = (window.doc, window.first);
            }
            member = sorted.next_if(is_again)?;
        }
        groups.push(&WindowGroup { classes, repeated })?;
    }
    Ok((groups.finish()?, members.finish()?))
}
