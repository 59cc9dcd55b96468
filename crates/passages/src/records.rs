//! The records between the steps. Documents are numbers in the order of `keep`
//! ([`DocumentOrder`](super::order::DocumentOrder)), but for those of [`Interval`].

use clustering::partition::Rank;
use exact::WantedDocument;
use format::{Characters, CutRecord, PassageRecord};
use model::{Record, Words, keyed, record, word_record};

/// A document by its rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct RankedDocument {
    /// Whether it is of no reference, where there are references.
    pub(super) is_data: bool,
    pub(super) rank: Rank,
    pub(super) doc: u32,
}

word_record! { RankedDocument { is_data, rank, doc } }

/// A run of windows of a document, by its anchor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct AnchorPlace {
    pub(super) anchor: u64,
    pub(super) doc: u32,
    /// The token at which the first window begins.
    pub(super) first: u32,
    pub(super) windows: u32,
    /// The fingerprint of its tokens.
    pub(super) tokens: u64,
}

word_record! { AnchorPlace { anchor, doc, first, windows, tokens } }

/// A run of windows by its class: equal anchor and equal tokens. Runs of a document that has the
/// anchor several times are a class of their own, so that a document counts once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ClassPlace {
    pub(super) anchor: u64,
    pub(super) tokens: u64,
    /// The document + 1 if it has the anchor several times, else 0.
    pub(super) own: u32,
    pub(super) doc: u32,
    pub(super) first: u32,
    pub(super) windows: u32,
}

word_record! { ClassPlace { anchor, tokens, own, doc, first, windows } }

/// All runs of one anchor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct AnchorGroup {
    pub(super) classes: u32,
    pub(super) places: u32,
    pub(super) documents: u32,
    /// The first place.
    pub(super) doc: u32,
    pub(super) first: u32,
    /// Whether the tokens of all runs are equal: then nothing more has to be compared.
    pub(super) is_equal: bool,
}

record! { AnchorGroup { classes, places, documents, doc, first, is_equal } }

/// A class of runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct RunClass {
    pub(super) places: u32,
    pub(super) own: u32,
    pub(super) windows: u32,
}

record! { RunClass { places, own, windows } }

/// A member of a class: a document, and the token at which its first window begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct RunMember {
    pub(super) doc: u32,
    pub(super) first: u32,
}

record! { RunMember { doc, first } }

/// The first member of a class whose windows have to be compared one by one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Question {
    /// The document that is read for it, and its number in the input.
    pub(super) wanted: WantedDocument,
    pub(super) first: u32,
    pub(super) windows: u32,
    pub(super) class: u64,
    pub(super) own: u32,
    pub(super) places: u32,
    /// The document by its number in the order of `keep`.
    pub(super) doc: u32,
}

record! { Question { wanted, first, windows, class, own, places, doc } }
word_record! { Question { wanted, first, windows, class, own, places, doc } }
keyed! { Question: WantedDocument = |question| question.wanted }

/// A window of a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct WindowPlace {
    pub(super) window: u64,
    pub(super) own: u32,
    pub(super) class: u64,
    /// The window among those of the class.
    pub(super) offset: u32,
    pub(super) places: u32,
    pub(super) doc: u32,
    pub(super) first: u32,
}

word_record! { WindowPlace { window, own, class, offset, places, doc, first } }

/// A window that stands at several places: the classes that have it follow in another file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct WindowGroup {
    pub(super) classes: u32,
    pub(super) repeated: Repeated,
}

record! { WindowGroup { classes, repeated } }

/// How often a window stands in the corpus, and where first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Repeated {
    pub(super) places: u32,
    pub(super) documents: u32,
    pub(super) doc: u32,
    pub(super) first: u32,
}

record! { Repeated { places, documents, doc, first } }
word_record! { Repeated { places, documents, doc, first } }

/// A class that has a window, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ClassWindow {
    pub(super) class: u64,
    pub(super) offset: u32,
}

record! { ClassWindow { class, offset } }

/// A repeated window of a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct RepeatedWindow {
    pub(super) class: u64,
    pub(super) offset: u32,
    pub(super) repeated: Repeated,
}

word_record! { RepeatedWindow { class, offset, repeated } }
keyed! { RepeatedWindow: u64 = |window| window.class }

/// Consecutive repeated windows of a document, which stand side by side at their first place, too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Interval {
    pub(super) doc: u32,
    /// The token at which the first window begins.
    pub(super) first: u32,
    pub(super) windows: u32,
    /// Places and documents, and the first place, of the first window.
    pub(super) repeated: Repeated,
    /// Whether this is the first place.
    pub(super) is_source: bool,
}

word_record! { Interval { doc, first, windows, repeated, is_source } }

/// The first or the last token of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct EdgeToken {
    /// The document that is read for the other one.
    pub(super) text: u32,
    pub(super) doc: u32,
    pub(super) token: u32,
}

record! { EdgeToken { text, doc, token } }
word_record! { EdgeToken { text, doc, token } }
keyed! { EdgeToken: WantedDocument = |edge| Words([edge.text, edge.doc]) }

/// The characters of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct TokenCharacters {
    pub(super) doc: u32,
    pub(super) token: u32,
    pub(super) characters: Characters,
}

record! { TokenCharacters { doc, token, characters } }
word_record! { TokenCharacters { doc, token, characters } }
keyed! { TokenCharacters: [u32; 2] = |one| [one.doc, one.token] }

/// A record that is a run of tokens.
pub(super) trait TokenRun: Record {
    /// Its document, its first token, the token after its last, and its characters.
    fn run(&mut self) -> (u32, [u32; 2], &mut Characters);

    /// Its document, its first token, and its last; `None` if it needs no characters: it is no
    /// token, or a whole document.
    fn edges(&mut self) -> Option<(u32, [u32; 2])> {
        let (doc, [begin, end], _) = self.run();
        (begin < end && end < u32::MAX).then(|| (doc, [begin, end - 1]))
    }
}

impl TokenRun for PassageRecord {
    fn run(&mut self) -> (u32, [u32; 2], &mut Characters) {
        (self.doc, [self.begin, self.end], &mut self.characters)
    }
}

impl TokenRun for CutRecord {
    fn run(&mut self) -> (u32, [u32; 2], &mut Characters) {
        (self.doc, [self.begin, self.end], &mut self.characters)
    }
}
