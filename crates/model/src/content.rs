//! The decoded text of a document.

/// Decoded text on its way to the tokenizer. The readers make it, the sketcher takes it; neither
/// knows the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content<'a> {
    /// Markup: tags, comments, scripts and attributes are not text.
    Html(&'a str),
    /// HTML in the syntax of XML, where `<title/>` is an element without content.
    Xhtml(&'a str),
    /// Plain text, taken as it stands.
    Text(&'a str),
    /// Tokens that were made elsewhere, one a line, taken as they stand.
    Features(&'a str),
}

/// Whether a text has markup, and in which syntax.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Markup {
    /// Plain text.
    None,
    /// A list of tokens.
    Features,
    /// HTML, which may begin with an XML declaration.
    Html,
    /// XHTML.
    Xhtml,
}

impl Markup {
    /// The media type of a text of JSONL or Parquet.
    pub fn media_type(self) -> &'static str {
        match self {
            Markup::None => "text/plain",
            Markup::Features => "text/x-features",
            Markup::Html => "text/html",
            Markup::Xhtml => "application/xhtml+xml",
        }
    }
}

impl<'a> Content<'a> {
    /// A text with this markup.
    pub fn new(markup: Markup, text: &'a str) -> Content<'a> {
        match markup {
            Markup::None => Content::Text(text),
            Markup::Features => Content::Features(text),
            Markup::Html => Content::Html(text),
            Markup::Xhtml => Content::Xhtml(text),
        }
    }

    /// Its markup.
    pub fn markup(&self) -> Markup {
        match self {
            Content::Text(_) => Markup::None,
            Content::Features(_) => Markup::Features,
            Content::Html(_) => Markup::Html,
            Content::Xhtml(_) => Markup::Xhtml,
        }
    }

    /// The characters, markup included.
    pub fn as_str(&self) -> &'a str {
        match self {
            Content::Html(text)
            | Content::Xhtml(text)
            | Content::Text(text)
            | Content::Features(text) => text,
        }
    }
}
