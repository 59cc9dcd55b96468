//! The text of a page by html5ever's tokenizer, to compare ours with.
//!
//! [`by_rules`] switches the tokenizer by a short list of start tags; [`by_tree`] asks html5ever's
//! own tree builder, which knows what ours only approximates (but takes quadratic time on deep
//! pages). The rules of tags are written out a second time here, with strings and no care for
//! speed.

mod builder;

use builder::Names;
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::states::RawKind;
use html5ever::tokenizer::{
    BufferQueue, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts,
};
use html5ever::tree_builder::{TreeBuilder, TreeBuilderOpts};
use std::cell::RefCell;

const INLINE: &str = " a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark nobr q s samp small \
    span strike strong sub sup time tt u var wbr ";
const LEADING_OUT: &str = " b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li \
    listing menu meta nobr ol p pre ruby s small span strong strike sub sup table tt u ul var ";

const FRAMES: [&str; 3] = ["iframe", "noembed", "noframes"];

fn listed(list: &str, name: &str) -> bool {
    list.contains(&format!(" {name} "))
}

/// The text of `page`, start tags switching the tokenizer by name.
pub(crate) fn by_rules(page: &str) -> String {
    run(page, None)
}

/// The text of `page`, html5ever's tree builder switching the tokenizer.
pub(crate) fn by_tree(page: &str) -> String {
    let options = TreeBuilderOpts {
        scripting_enabled: false,
        ..TreeBuilderOpts::default()
    };
    run(page, Some(TreeBuilder::new(Names::default(), options)))
}

fn run(page: &str, tree: Option<TreeBuilder<usize, Names>>) -> String {
    let input = BufferQueue::default();
    input.push_back(StrTendril::from(page));
    let sink = Sink {
        tree,
        state: RefCell::default(),
    };
    let tokenizer = Tokenizer::new(sink, TokenizerOpts::default());
    while !input.is_empty() {
        // a script's end tag interrupts the feeding
        let _ = tokenizer.feed(&input);
    }
    tokenizer.end();
    tokenizer.sink.state.take().text
}

struct Sink {
    tree: Option<TreeBuilder<usize, Names>>,
    state: RefCell<State>,
}

#[derive(Default)]
struct State {
    text: String,
    templates: u64,
    /// The open script or style.
    dropped: Option<String>,
    /// Open elements: svg, math, and integration points with a star before their name.
    foreign: Vec<String>,
}

impl State {
    fn push(&mut self, text: &str) {
        if self.templates == 0 && self.dropped.is_none() {
            self.text.push_str(text);
        }
    }

    fn innermost(&self) -> &str {
        self.foreign.last().map_or("*", |name| name)
    }

    fn inside(&self) -> bool {
        !self.innermost().starts_with('*')
    }

    fn lead_out(&mut self) {
        while self.inside() {
            self.foreign.pop();
        }
    }

    /// Whether the element is foreign.
    fn enter(&mut self, name: &str, closes_itself: bool) -> bool {
        if self.inside() && listed(LEADING_OUT, name) {
            self.lead_out();
        }
        let entered = match (self.innermost(), name) {
            ("svg", "svg") => "svg".to_string(),
            ("math", "math") => "math".to_string(),
            ("svg", "foreignobject" | "desc" | "title") => format!("*{name}"),
            ("math", "mi" | "mo" | "mn" | "ms" | "mtext") => format!("*{name}"),
            ("svg" | "math", _) => return true,
            (_, "svg" | "math") => name.to_string(),
            _ => return false,
        };
        if !closes_itself {
            self.foreign.push(entered);
        }
        true
    }

    fn leave(&mut self, name: &str) -> bool {
        let before = self.foreign.len();
        if self.inside() && (name == "p" || name == "br") {
            self.lead_out();
        }
        for at in (0..self.foreign.len()).rev() {
            let open = &self.foreign[at];
            if open.trim_start_matches('*') == name {
                self.foreign.truncate(at);
                break;
            }
            if open.starts_with('*') {
                break;
            }
        }
        self.foreign.len() < before
    }

    fn start(&mut self, name: &str, closes_itself: bool) -> TokenSinkResult<usize> {
        if !listed(INLINE, name) {
            self.push("\n");
        }
        let foreign = self.enter(name, closes_itself);
        if !foreign {
            self.dropped = None;
        }
        let open = !foreign || !closes_itself;
        if name == "template" && open {
            self.templates += 1;
        }
        let drops = ["script", "style"].contains(&name) || !foreign && FRAMES.contains(&name);
        if drops && open && self.dropped.is_none() {
            self.dropped = Some(name.to_string());
        }
        match name {
            _ if foreign => TokenSinkResult::Continue,
            "title" | "textarea" => TokenSinkResult::RawData(RawKind::Rcdata),
            "style" | "xmp" | "iframe" | "noembed" | "noframes" => {
                TokenSinkResult::RawData(RawKind::Rawtext)
            }
            "script" => TokenSinkResult::RawData(RawKind::ScriptData),
            "plaintext" => TokenSinkResult::Plaintext,
            _ => TokenSinkResult::Continue,
        }
    }

    fn end(&mut self, name: &str) {
        if self.leave(name) || self.dropped.as_deref() == Some(name) {
            self.dropped = None;
        }
        if name == "template" {
            self.templates = self.templates.saturating_sub(1);
        }
        if !listed(INLINE, name) {
            self.push("\n");
        }
    }
}

impl TokenSink for Sink {
    type Handle = usize;

    fn process_token(&self, token: Token, line: u64) -> TokenSinkResult<usize> {
        let mut state = self.state.borrow_mut();
        let mut by_name = TokenSinkResult::Continue;
        match &token {
            Token::CharacterTokens(text) => state.push(text),
            Token::TagToken(tag) => match tag.kind {
                TagKind::StartTag => by_name = state.start(&tag.name, tag.self_closing),
                TagKind::EndTag => state.end(&tag.name),
            },
            _ => {}
        }
        match &self.tree {
            Some(tree) => tree.process_token(token, line),
            None => by_name,
        }
    }

    fn end(&self) {
        if let Some(tree) = &self.tree {
            tree.end();
        }
    }

    fn adjusted_current_node_present_but_not_in_html_namespace(&self) -> bool {
        match &self.tree {
            Some(tree) => tree.adjusted_current_node_present_but_not_in_html_namespace(),
            None => self.state.borrow().inside(),
        }
    }
}
