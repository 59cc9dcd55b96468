//! The decoded text of a document.

/// Decoded text on its way to the tokenizer. The readers make it, the sketcher takes it; neither
/// knows the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content<'a> {
    /// Markup: tags, comments, scripts and attributes are not text.
    Html(&'a str),
    /// Plain text, taken as it stands.
    Text(&'a str),
}

impl<'a> Content<'a> {
    /// The characters, markup included.
    pub fn as_str(&self) -> &'a str {
        match self {
            Content::Html(text) | Content::Text(text) => text,
        }
    }
}
