//! The hints of a start tag on its element, as bits.

/// It names itself content: `main`, `article`, `post-content`.
pub(super) const CONTENT: u16 = 1;
/// It is the main part by its name or role.
pub(super) const MAIN: u16 = 1 << 1;
/// It is an article by its name or role.
pub(super) const ARTICLE: u16 = 1 << 2;
/// Its name begins as those of parts of content do.
pub(super) const OF_CONTENT: u16 = 1 << 3;
/// Its text is never content.
pub(super) const NEVER: u16 = 1 << 4;
/// An attribute hides it.
pub(super) const NOT_SHOWN: u16 = 1 << 5;
/// It is a part of the frame by its element or role.
pub(super) const FRAME_ELEMENT: u16 = 1 << 6;
/// It is a part of the frame by its class or id.
pub(super) const FRAME_NAME: u16 = 1 << 7;
/// So much so that it is, even where it is most of a page: comments, footers.
pub(super) const FIRM: u16 = 1 << 8;
/// The words below a picture.
pub(super) const CAPTION: u16 = 1 << 9;
/// It may lead to another page.
pub(super) const TEASER: u16 = 1 << 10;
/// Its text is code, or what else is read line by line.
pub(super) const CODE: u16 = 1 << 11;
/// It is the head of a page or of an article.
pub(super) const HEADER: u16 = 1 << 13;
/// Its text stands for the page where the page is not shown: a title, what is said without scripts.
pub(super) const STANDS_IN: u16 = 1 << 12;
