//! A tree without nodes: html5ever's tree builder needs only the names of elements to decide how to
//! go on.

use html5ever::interface::{ElementFlags, NodeOrText, QuirksMode, TreeSink};
use html5ever::tendril::StrTendril;
use html5ever::{Attribute, ExpandedName, QualName};
use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;

/// Names of the elements by number; 0 is the document.
#[derive(Default)]
pub(crate) struct Names {
    last: Cell<usize>,
    names: RefCell<HashMap<usize, &'static QualName>>,
}

impl Names {
    fn next(&self) -> usize {
        // two numbers a node: a template's content has the second
        self.last.set(self.last.get() + 2);
        self.last.get()
    }
}

impl TreeSink for Names {
    type Handle = usize;
    type Output = ();
    type ElemName<'a> = ExpandedName<'a>;

    fn finish(self) {}

    fn get_document(&self) -> usize {
        0
    }

    fn get_template_contents(&self, target: &usize) -> usize {
        target + 1
    }

    fn same_node(&self, a: &usize, b: &usize) -> bool {
        a == b
    }

    fn elem_name<'a>(&'a self, target: &'a usize) -> ExpandedName<'a> {
        self.names
            .borrow()
            .get(target)
            .expect("an element")
            .expanded()
    }

    fn create_element(&self, name: QualName, _: Vec<Attribute>, _: ElementFlags) -> usize {
        let number = self.next();
        // kept for the life of the process: this is a test
        self.names
            .borrow_mut()
            .insert(number, Box::leak(Box::new(name)));
        number
    }

    fn create_comment(&self, _: StrTendril) -> usize {
        self.next()
    }

    fn create_pi(&self, _: StrTendril, _: StrTendril) -> usize {
        self.next()
    }

    fn append(&self, _: &usize, _: NodeOrText<usize>) {}
    fn append_before_sibling(&self, _: &usize, _: NodeOrText<usize>) {}
    fn append_based_on_parent_node(&self, _: &usize, _: &usize, _: NodeOrText<usize>) {}
    fn append_doctype_to_document(&self, _: StrTendril, _: StrTendril, _: StrTendril) {}
    fn add_attrs_if_missing(&self, _: &usize, _: Vec<Attribute>) {}
    fn remove_from_parent(&self, _: &usize) {}
    fn reparent_children(&self, _: &usize, _: &usize) {}
    fn parse_error(&self, _: Cow<'static, str>) {}
    fn set_quirks_mode(&self, _: QuirksMode) {}
}
