//! Tells whether a place is inside SVG or MathML. There, and only there, `<![CDATA[` is text, `/>`
//! closes a tag, and `title`, `script` or `style` do not switch the tokenizer.
//!
//! Follows "the rules for parsing tokens in foreign content" of the WHATWG standard, with a stack
//! of only those elements that matter: `svg`, `math`, and the integration points inside which HTML
//! goes on. Not followed: `annotation-xml` and `font` depend on attributes, so the first never
//! leads back to HTML and the second always does not. At most [`DEPTH_MAX`] elements are kept,
//! deeper ones are taken for their surroundings.

use crate::tag_name::TagName;

/// Levels kept.
const DEPTH_MAX: usize = 32;

const SVG: TagName = TagName::of("svg");
const MATH: TagName = TagName::of("math");
const SVG_INTEGRATION: [TagName; 3] = TagName::list("foreignobject desc title");
const MATH_INTEGRATION: [TagName; 5] = TagName::list("mi mo mn ms mtext");
const P_AND_BR: [TagName; 2] = TagName::list("p br");

/// HTML start tags that end all foreign elements around them.
const LEADING_OUT: [TagName; 44] = TagName::list(
    "b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img \
     li listing menu meta nobr ol p pre ruby s small span strong strike sub sup table tt u ul \
     var",
);

/// An open element that matters.
#[derive(Clone, Copy, PartialEq, Eq)]
struct OpenForeign {
    name: TagName,
    kind: ForeignKind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ForeignKind {
    Svg,
    Math,
    /// An integration point: HTML again.
    Html,
}

/// The open elements that matter, outermost first.
#[derive(Default)]
pub(super) struct Foreign {
    open: Vec<OpenForeign>,
}

impl Foreign {
    /// Whether the innermost element is of SVG or MathML.
    #[inline]
    pub(super) fn is_inside(&self) -> bool {
        self.open
            .last()
            .is_some_and(|open| open.kind != ForeignKind::Html)
    }

    /// Whether no element is kept.
    pub(super) fn is_empty(&self) -> bool {
        self.open.is_empty()
    }

    /// Takes note of a start tag. Returns whether it starts an SVG or MathML element.
    #[inline]
    pub(super) fn start(&mut self, name: TagName, closes_itself: bool) -> bool {
        if self.open.is_empty() && name != SVG && name != MATH {
            return false;
        }
        self.start_near(name, closes_itself)
    }

    fn start_near(&mut self, name: TagName, closes_itself: bool) -> bool {
        if self.is_inside() && LEADING_OUT.contains(&name) {
            self.lead_out();
        }
        let surroundings = self.open.last().map_or(ForeignKind::Html, |open| open.kind);
        let kind = match surroundings {
            ForeignKind::Html if name == SVG => ForeignKind::Svg,
            ForeignKind::Html if name == MATH => ForeignKind::Math,
            ForeignKind::Html => return false,
            ForeignKind::Svg if name == SVG => ForeignKind::Svg,
            ForeignKind::Math if name == MATH => ForeignKind::Math,
            ForeignKind::Svg if SVG_INTEGRATION.contains(&name) => ForeignKind::Html,
            ForeignKind::Math if MATH_INTEGRATION.contains(&name) => ForeignKind::Html,
            ForeignKind::Svg | ForeignKind::Math => return true,
        };
        if !closes_itself && self.open.len() < DEPTH_MAX {
            self.open.push(OpenForeign { name, kind });
        }
        true
    }

    /// Takes note of an end tag. Returns whether it closed any of the elements kept.
    #[inline]
    pub(super) fn end(&mut self, name: TagName) -> bool {
        !self.open.is_empty() && self.end_near(name)
    }

    fn end_near(&mut self, name: TagName) -> bool {
        let before = self.open.len();
        if self.is_inside() && P_AND_BR.contains(&name) {
            self.lead_out();
        }
        // inside an integration point only its own end tag matters; among foreign elements the
        // innermost of that name
        let mut from = self.open.len();
        while from > 0 {
            from -= 1;
            let open = self.open[from];
            if open.name == name {
                self.open.truncate(from);
                break;
            }
            if open.kind == ForeignKind::Html {
                break;
            }
        }
        self.open.len() < before
    }

    fn lead_out(&mut self) {
        while self.is_inside() {
            self.open.pop();
        }
    }
}
