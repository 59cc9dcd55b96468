//! Do our HTML scanner and html5ever see the same words? `cargo run --release -p sketch --example
//! agree -- DIR`
//!
//! For all pages below DIR, once with html5ever's tokenizer switched by tag names, once by its tree
//! builder: the share of pages with equal words, and every page that differs with its first
//! differing word.

use model::Content;
use sketch::{TokenRules, for_each_token};
use std::error::Error;

#[path = "../tests/oracle/mod.rs"]
mod oracle;
#[path = "../tests/pages/mod.rs"]
mod pages;

fn main() -> Result<(), Box<dyn Error>> {
    let directory = std::env::args().nth(1).ok_or("expected a directory")?;
    let paths = pages::below(directory.as_ref())?;
    for (method, text_of) in [
        ("rules", oracle::by_rules as fn(&str) -> String),
        ("tree", oracle::by_tree),
    ] {
        let (mut equal, mut words) = (0, 0);
        for path in &paths {
            let page = pages::read(path)?;
            let ours = tokens(Content::Html(&page));
            let theirs = tokens(Content::Text(&text_of(&page)));
            words += ours.len();
            if ours == theirs {
                equal += 1;
                continue;
            }
            let at = ours.iter().zip(&theirs).take_while(|(a, b)| a == b).count();
            let near =
                |words: &[String]| words.iter().skip(at).take(5).cloned().collect::<Vec<_>>();
            println!(
                "{method}: {}: word {at}: ours {:?}, html5ever {:?}",
                path.display(),
                near(&ours),
                near(&theirs)
            );
        }
        println!(
            "{method}: equal words in {equal} of {} pages, {words} words",
            paths.len()
        );
    }
    Ok(())
}

fn tokens(content: Content<'_>) -> Vec<String> {
    let mut tokens = Vec::new();
    let rules = TokenRules::WORDS;
    for_each_token(rules, content, &mut |token| tokens.push(token.to_string()));
    tokens
}
