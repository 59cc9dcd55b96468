//! Tells whether a place is inside SVG or MathML. There, and only there, `<![CDATA[` is text, `/>`
//! closes a tag, and `title`, `script` or `style` do not switch the tokenizer.
//!
//! Follows "the rules for parsing tokens in foreign content" of the WHATWG standard, with a stack
//! of only those elements that matter: `svg`, `math`, and the integration points inside which HTML
//! goes on. Not followed: `annotation-xml` and `font` depend on attributes, so the first never
//! leads back to HTML and the second always does not. At most [`DEPTH_MAX`] elements are kept,
//! deeper ones are taken for their surroundings.

use super::tag::Name;

/// Levels kept.
const DEPTH_MAX: usize = 32;

const SVG: Name = Name::of("svg");
const MATH: Name = Name::of("math");
const SVG_INTEGRATION: [Name; 3] = Name::list("foreignobject desc title");
const MATH_INTEGRATION: [Name; 5] = Name::list("mi mo mn ms mtext");
const P_AND_BR: [Name; 2] = Name::list("p br");

/// HTML start tags that end all foreign elements around them.
const LEADING_OUT: [Name; 44] = Name::list(
    "b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img \
     li listing menu meta nobr ol p pre ruby s small span strong strike sub sup table tt u ul \
     var",
);

/// An open element that matters.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Open {
    name: Name,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Svg,
    Math,
    /// An integration point: HTML again.
    Html,
}

/// The open elements that matter, outermost first.
#[derive(Default)]
pub(super) struct Foreign {
    open: Vec<Open>,
}

impl Foreign {
    /// Whether the innermost element is of SVG or MathML.
    #[inline]
    pub(super) fn is_inside(&self) -> bool {
        self.open.last().is_some_and(|open| open.kind != Kind::Html)
    }

    /// Whether no element is kept.
    pub(super) fn is_empty(&self) -> bool {
        self.open.is_empty()
    }

    /// Takes note of a start tag. Returns whether it starts an SVG or MathML element.
    #[inline]
    pub(super) fn start(&mut self, name: Name, closes_itself: bool) -> bool {
        if self.open.is_empty() && name != SVG && name != MATH {
            return false;
        }
        self.start_near(name, closes_itself)
    }

    fn start_near(&mut self, name: Name, closes_itself: bool) -> bool {
        if self.is_inside() && name.is_one_of(&LEADING_OUT) {
            self.lead_out();
        }
        let surroundings = self.open.last().map_or(Kind::Html, |open| open.kind);
        let kind = match surroundings {
            Kind::Html if name == SVG => Kind::Svg,
            Kind::Html if name == MATH => Kind::Math,
            Kind::Html => return false,
            Kind::Svg if name == SVG => Kind::Svg,
            Kind::Math if name == MATH => Kind::Math,
            Kind::Svg if name.is_one_of(&SVG_INTEGRATION) => Kind::Html,
            Kind::Math if name.is_one_of(&MATH_INTEGRATION) => Kind::Html,
            Kind::Svg | Kind::Math => return true,
        };
        if !closes_itself && self.open.len() < DEPTH_MAX {
            self.open.push(Open { name, kind });
        }
        true
    }

    /// Takes note of an end tag. Returns whether it closed any of the elements kept.
    #[inline]
    pub(super) fn end(&mut self, name: Name) -> bool {
        !self.open.is_empty() && self.end_near(name)
    }

    fn end_near(&mut self, name: Name) -> bool {
        let before = self.open.len();
        if self.is_inside() && name.is_one_of(&P_AND_BR) {
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
            if open.kind == Kind::Html {
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
