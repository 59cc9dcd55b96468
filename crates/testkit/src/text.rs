//! Random pages with planted relations, for tests of the whole program.
//!
//! Input: a seed and a [`TextShape`]. Output: pages, as values or as JSONL. Algorithm: page `n` is
//! a function of (seed, `n`) alone. Its [`Plant`] says whether it is fresh or derives from an
//! earlier page, which is then made again; so any page can be had without those before it, and a
//! corpus larger than memory is written one page at a time. A page is a list of word numbers (what
//! is compared) and a style (what is not: markup of sentences, capitals, composition of accents).
//! Random words: strangers share no run of ten words but a template's.
//!
//! Memory: one page and the page it derives from.

mod style;

use std::fmt::Write as _;
use std::io::{self, Write};

use crate::random::Random;
use style::Style;

/// The shape of a random corpus of pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextShape {
    /// Number of pages.
    pub pages: u32,
    /// Words of a fresh page, at least.
    pub words_min: u64,
    /// Words of a fresh page, at most.
    pub words_max: u64,
    /// How many of a thousand pages derive from an earlier one.
    pub derived_per_mille: u64,
    /// How many of a thousand fresh pages stand in a template.
    pub template_per_mille: u64,
    /// Different templates.
    pub templates: u64,
    /// Words of a template, half above the text and half below.
    pub template_words: u64,
    /// Different words.
    pub vocabulary: u64,
}

impl Default for TextShape {
    /// 200 pages of 150 to 600 words, half of them derived, a third of the others in one of three
    /// templates.
    fn default() -> TextShape {
        TextShape {
            pages: 200,
            words_min: 150,
            words_max: 600,
            derived_per_mille: 500,
            template_per_mille: 330,
            templates: 3,
            template_words: 60,
            vocabulary: 20_000,
        }
    }
}

/// How a page came about. `of` is the number of an earlier page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Plant {
    /// Words of its own.
    Fresh,
    /// Words of its own within the words of a template.
    Templated {
        /// Number of the template.
        template: u64,
    },
    /// The same text under another address.
    Mirror {
        /// The page.
        of: u32,
    },
    /// The same words in another style: other characters, the same tokens.
    Restyled {
        /// The page.
        of: u32,
    },
    /// Of a hundred words this many replaced, dropped or joined by a new one.
    Edited {
        /// The page.
        of: u32,
        /// Edits for a hundred words.
        per_cent: u64,
    },
    /// A run of the words, a quarter to a half.
    Excerpt {
        /// The page.
        of: u32,
    },
}

/// A page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextDocument {
    /// Its id, different for each.
    pub id: String,
    /// Its address, different for each, under a name reserved for examples.
    pub url: String,
    /// Its text.
    pub text: String,
}

/// A corpus of pages, made when asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextCorpus {
    seed: u64,
    shape: TextShape,
}

/// Streams of random numbers that a page uses for different things.
#[derive(Clone, Copy)]
enum Purpose {
    Plant = 1,
    Words = 2,
    Style = 3,
    Template = 4,
}

impl TextCorpus {
    /// The corpus of a seed.
    pub fn new(seed: u64, shape: TextShape) -> TextCorpus {
        TextCorpus { seed, shape }
    }

    /// How page `n` comes about.
    pub fn plant(&self, n: u32) -> Plant {
        let mut random = self.random(Purpose::Plant, u64::from(n));
        if n > 0 && random.chance(self.shape.derived_per_mille) {
            let of = random.below(u64::from(n)) as u32;
            return match random.below(10) {
                0 | 1 => Plant::Mirror { of },
                2 | 3 => Plant::Restyled { of },
                4..=7 => Plant::Edited {
                    of,
                    per_cent: random.pick([1, 2, 5, 10, 20, 30]),
                },
                _ => Plant::Excerpt { of },
            };
        }
        if random.chance(self.shape.template_per_mille) {
            return Plant::Templated {
                template: random.below(self.shape.templates),
            };
        }
        Plant::Fresh
    }

    /// Page `n`, whether or not it is below the number of pages.
    pub fn page(&self, n: u32) -> TextDocument {
        let site = match self.plant(n) {
            Plant::Templated { template } => format!("site-{template}.example"),
            Plant::Mirror { .. } => "mirror.example".to_owned(),
            _ => "pages.example".to_owned(),
        };
        let mut text = String::new();
        self.style(n).write(&self.words(n), &mut text);
        TextDocument {
            id: format!("page-{n:08}"),
            url: format!("https://{site}/{n}?q=\"a\\b\"&r=ä"),
            text,
        }
    }

    /// The word numbers of page `n`: equal words are equal tokens. Each word is one token.
    pub fn words(&self, n: u32) -> Vec<u64> {
        let mut random = self.random(Purpose::Words, u64::from(n));
        match self.plant(n) {
            Plant::Fresh => self.fresh(&mut random),
            Plant::Templated { template } => {
                let mut of_template = self.random(Purpose::Template, template);
                let frame: Vec<u64> = (0..self.shape.template_words)
                    .map(|_| self.word(&mut of_template))
                    .collect();
                let (above, below) = frame.split_at(frame.len() / 2);
                [above, &self.fresh(&mut random), below].concat()
            }
            Plant::Mirror { of } | Plant::Restyled { of } => self.words(of),
            Plant::Edited { of, per_cent } => self.edited(&self.words(of), per_cent, &mut random),
            Plant::Excerpt { of } => {
                let words = self.words(of);
                let length = random.within(words.len() as u64 / 4, words.len() as u64 / 2) as usize;
                let start = random.index(words.len() - length + 1);
                words.into_iter().skip(start).take(length).collect()
            }
        }
    }

    /// All pages, one at a time.
    pub fn pages(&self) -> impl Iterator<Item = TextDocument> + '_ {
        (0..self.shape.pages).map(|n| self.page(n))
    }

    /// Writes all pages as JSONL with the fields `id`, `url` and `text`.
    pub fn write_jsonl(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut line = String::new();
        for page in self.pages() {
            line.clear();
            for (opening, value) in [
                ("{\"id\":", &page.id),
                (",\"url\":", &page.url),
                (",\"text\":", &page.text),
            ] {
                line.push_str(opening);
                push_json_string(value, &mut line);
            }
            line.push_str("}\n");
            out.write_all(line.as_bytes())?;
        }
        Ok(())
    }

    /// The style of a page; a mirror has that of the page it mirrors.
    fn style(&self, n: u32) -> Style {
        let mut styled = n;
        while let Plant::Mirror { of } = self.plant(styled) {
            styled = of;
        }
        Style::new(self.random(Purpose::Style, u64::from(styled)))
    }

    fn fresh(&self, random: &mut Random) -> Vec<u64> {
        let length = random.within(self.shape.words_min, self.shape.words_max);
        (0..length).map(|_| self.word(random)).collect()
    }

    fn edited(&self, words: &[u64], per_cent: u64, random: &mut Random) -> Vec<u64> {
        let mut edited = Vec::new();
        for &word in words {
            if !random.chance(10 * per_cent) {
                edited.push(word);
                continue;
            }
            match random.below(4) {
                0 => {}
                1 => edited.extend([word, self.word(random)]),
                _ => edited.push(self.word(random)),
            }
        }
        edited
    }

    fn word(&self, random: &mut Random) -> u64 {
        random.below(self.shape.vocabulary)
    }

    fn random(&self, purpose: Purpose, number: u64) -> Random {
        Random::for_item(self.seed ^ ((purpose as u64) << 56), number)
    }
}

/// Appends a string as JSON (RFC 8259, section 7): quotes, backslashes and control characters
/// escaped, all else as it is.
pub(crate) fn push_json_string(value: &str, out: &mut String) {
    out.push('"');
    for character in value.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            control if control < ' ' => {
                // writing to a string cannot fail
                let _ = write!(out, "\\u{:04x}", u32::from(control));
            }
            other => out.push(other),
        }
    }
    out.push('"');
}

#[cfg(test)]
mod tests;
