//! Values of known keys, each checked by itself.

use std::ops::Range;

use super::kind::{Section, Value};
use super::problem::Problems;

/// A text of the file, with its place.
#[derive(Clone, Debug)]
pub(super) struct TextInFile {
    pub(super) text: String,
    /// Its bytes in the file.
    pub(super) at: Range<usize>,
    /// The name of its key in messages: `keep in [cluster]`.
    pub(super) name: String,
}

impl TextInFile {
    /// A text of a key.
    pub(super) fn new(text: &str, at: Range<usize>, name: &str) -> TextInFile {
        let (text, name) = (text.to_owned(), name.to_owned());
        TextInFile { text, at, name }
    }
}

/// The values of a section: those of the file, else the defaults.
#[derive(Clone)]
pub(super) struct SectionValues {
    pub(super) section: &'static Section,
    /// The bytes of the section in the file; `0..0` if it is not there.
    pub(super) at: Range<usize>,
    /// One for each key of the section.
    pub(super) fields: Vec<ReadKey>,
}

/// A key of a section that was read.
#[derive(Clone)]
pub(super) struct ReadKey {
    /// The value, else the default; `None` if there is neither.
    pub(super) value: Option<Value>,
    /// The bytes of the value in the file, right or wrong.
    pub(super) at: Option<Range<usize>>,
    /// The key is there, or was meant by a misspelt one, but its value cannot be used.
    pub(super) is_wrong: bool,
}

impl SectionValues {
    /// Reports a problem with the value of a key, if the file has the key.
    pub(super) fn tell(&self, key: &str, message: &str, problems: &mut Problems<'_>) {
        if let Some(at) = self.at(key) {
            let name = self.section.full_name(key);
            problems.at(&at, format!("{name}: {message}"));
        }
    }

    /// Reports a required key that is absent.
    pub(super) fn require(&self, key: &str, advice: &str, problems: &mut Problems<'_>) {
        if self.is_absent(key) {
            let place = match self.section.name {
                "" => String::new(),
                // The one section that may be there many times.
                "input.source" => " in [[input.source]]".to_owned(),
                name => format!(" in [{name}]"),
            };
            problems.at(&self.at, format!("missing key {key:?}{place}; {advice}"));
        }
    }

    fn field(&self, key: &str) -> &ReadKey {
        let position = self.section.keys.iter().position(|row| row.name() == key);
        &self.fields[position.expect("a row of the table of keys")]
    }

    /// The value of a key, or its default, if there is one of this type.
    pub(super) fn find<T: Clone + 'static>(&self, key: &str) -> Option<T> {
        self.field(key).value.as_ref()?.downcast_ref().cloned()
    }

    /// The value of a key that has a default.
    pub(super) fn get<T: Clone + 'static>(&self, key: &str) -> T {
        self.find(key).expect("a default of this type")
    }

    /// The text of a key, if the file gives one and it is right.
    pub(super) fn given(&self, key: &str) -> Option<TextInFile> {
        let at = self.at(key).filter(|_| !self.is_wrong(key))?;
        let text: String = self.find(key)?;
        Some(TextInFile::new(&text, at, &self.section.full_name(key)))
    }

    /// The place of what the file gives for a key, right or wrong.
    pub(super) fn at(&self, key: &str) -> Option<Range<usize>> {
        self.field(key).at.clone()
    }

    /// Whether what the file gives for a key cannot be used; that was told.
    pub(super) fn is_wrong(&self, key: &str) -> bool {
        self.field(key).is_wrong
    }

    /// Whether the file does not give a key, nor anything that was meant for it.
    pub(super) fn is_absent(&self, key: &str) -> bool {
        self.at(key).is_none() && !self.is_wrong(key)
    }
}
