//! A list of features → the text of a document, one feature a line.
//!
//! *Input.* Features one by one. *Output.* The text, or nothing if the list holds anything but
//! strings without line feeds. *Memory.* The text.

/// The value that `features-field` has to have.
pub const FEATURES_EXPECTED: &str = "a list of strings without line feeds";

/// A list in the making; `None` once a feature cannot be used.
pub struct Features(Option<String>);

impl Features {
    /// An empty list whose text has at most so many bytes.
    pub fn with_capacity(bytes: usize) -> Features {
        Features(Some(String::with_capacity(bytes)))
    }

    /// Adds a feature; `None` is a value of another type.
    pub fn push(&mut self, feature: Option<&str>) {
        match (&mut self.0, feature) {
            (Some(text), Some(feature)) if !feature.contains('\n') => {
                text.push_str(feature);
                text.push('\n');
            }
            _ => self.0 = None,
        }
    }

    /// The text of all of them.
    pub fn into_text(self) -> Option<String> {
        self.0
    }
}
