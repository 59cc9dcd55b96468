//! The imports between the files of a crate form no circle.
//!
//! *Algorithm.* Paths are read from `use` items and from code, tests left out. A path is followed
//! through `crate`, `self`, `super` and re-exports to the file that defines the name. The circles
//! are the strongly connected components of the graph of files (Tarjan 1972). *Limits.* Globs are
//! not followed; a name that a macro makes is not seen.

use crate::harness::repository;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// A module by the names from the root of its crate.
type Module = Vec<String>;

/// One name that a file uses, and what it is called there.
struct Import {
    path: Vec<String>,
    name: String,
    is_reexport: bool,
}

/// The modules of a crate, without tests.
struct Crate {
    imports: BTreeMap<Module, Vec<Import>>,
    /// Module → name → what it is called where it comes from.
    reexports: BTreeMap<Module, BTreeMap<String, Vec<String>>>,
}

fn words(path: &str) -> Vec<String> {
    path.split("::")
        .map(|word| word.trim().to_owned())
        .collect()
}

/// The paths of a use tree: `a::{self, b::C as D}` has `a` and `a::b::C`, called `D`.
fn use_tree(tree: &str, prefix: &[String], into: &mut Vec<(Vec<String>, String)>) {
    let tree = tree.trim();
    let Some((before, inner)) = tree.split_once('{') else {
        let (path, alias) = tree
            .split_once(" as ")
            .map_or((tree, None), |(p, a)| (p, Some(a)));
        let mut all = prefix.to_vec();
        all.extend(words(path));
        if all.len() > 1 && all.last().is_some_and(|last| last == "self") {
            all.pop();
        }
        let name = alias.map_or_else(
            || all[all.len() - 1].clone(),
            |alias| alias.trim().to_owned(),
        );
        return into.push((all, name));
    };
    let mut prefix = prefix.to_vec();
    prefix.extend(
        before
            .split("::")
            .map(str::trim)
            .filter(|word| !word.is_empty())
            .map(str::to_owned),
    );
    let inner = inner.trim_end().strip_suffix('}').expect("a closing brace");
    let (mut depth, mut from) = (0, 0);
    for (at, c) in inner.char_indices().chain([(inner.len(), ',')]) {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                if !inner[from..at].trim().is_empty() {
                    use_tree(&inner[from..at], &prefix, into);
                }
                from = at + 1;
            }
            _ => {}
        }
    }
}

/// The text without comments, and without items under `#[cfg(test)]`.
fn production(text: &str) -> String {
    let lines: Vec<&str> = text
        .lines()
        .map(|line| line.split("//").next().unwrap_or_default())
        .collect();
    let text = lines.join("\n");
    let mut kept = String::new();
    let mut rest = text.as_str();
    while let Some((before, after)) = rest.split_once("#[cfg(test)]") {
        kept += before;
        rest = &after[item_end(after)..];
    }
    kept + rest
}

/// Where the first item of a text ends: at its `;`, or behind its last brace.
pub(crate) fn item_end(text: &str) -> usize {
    let mut depth = 0;
    for (at, c) in text.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 1 => return at + 1,
            '}' => depth -= 1,
            ';' if depth == 0 => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// The paths that begin with `crate`, `super`, `self` or a lower-case name, in code without `use`.
fn paths_in_code(text: &str) -> Vec<Vec<String>> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
    let spans = text.split(|c| !is_word(c));
    let paths = spans.filter(|span| span.contains("::") && !span.starts_with(':'));
    let paths = paths.map(|span| span.split("::").map(str::to_owned).collect::<Vec<_>>());
    paths
        .filter(|path| path.iter().all(|word| !word.is_empty()))
        .collect()
}

/// The modules that a file declares without a body: they are files of their own.
fn read_file(text: &str) -> (Vec<Import>, String) {
    let text = production(text);
    let (mut imports, mut code) = (Vec::new(), String::new());
    let mut rest = text.as_str();
    while let Some(at) = next_use(rest) {
        let (before, item) = rest.split_at(at);
        let (item, after) = item.split_once(';').expect("a use item ends");
        let line = before.rsplit('\n').next().unwrap_or_default();
        let is_reexport = line.trim_start().starts_with("pub");
        let mut paths = Vec::new();
        use_tree(item.trim_start_matches("use "), &[], &mut paths);
        imports.extend(paths.into_iter().map(|(path, name)| Import {
            path,
            name,
            is_reexport,
        }));
        code += before;
        rest = after;
    }
    code += rest;
    (imports, code)
}

/// Where the next use item at the beginning of a line is, visibility aside.
fn next_use(text: &str) -> Option<usize> {
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let item = line.trim_start();
        let plain = ["pub ", "pub(crate) ", "pub(super) "]
            .iter()
            .find_map(|vis| item.strip_prefix(vis))
            .unwrap_or(item);
        if plain.starts_with("use ") {
            return Some(at + line.len() - plain.len());
        }
        at += line.len();
    }
    None
}

impl Crate {
    fn read(source: &Path) -> Crate {
        let mut of = Crate {
            imports: BTreeMap::new(),
            reexports: BTreeMap::new(),
        };
        let mut open = vec![source.to_path_buf()];
        while let Some(directory) = open.pop() {
            for entry in std::fs::read_dir(&directory).expect("a directory") {
                let path = entry.expect("an entry").path();
                let relative = path
                    .strip_prefix(source)
                    .expect("below it")
                    .to_string_lossy()
                    .into_owned();
                if relative.contains("test") || relative.starts_with("bin") {
                    continue;
                }
                if path.is_dir() {
                    open.push(path);
                } else if relative.ends_with(".rs") {
                    of.add(&relative, &std::fs::read_to_string(&path).expect("a file"));
                }
            }
        }
        of
    }

    fn add(&mut self, relative: &str, text: &str) {
        let mut module = words(&relative.trim_end_matches(".rs").replace('/', "::"));
        if module
            .last()
            .is_some_and(|last| ["mod", "lib", "main"].contains(&last.as_str()))
        {
            module.pop();
        }
        let (mut imports, code) = read_file(text);
        let reexports = self.reexports.entry(module.clone()).or_default();
        for import in &imports {
            reexports.insert(import.name.clone(), import.path.clone());
        }
        let name = String::new();
        let in_code = paths_in_code(&code).into_iter();
        imports.extend(in_code.map(|path| Import {
            path,
            name: name.clone(),
            is_reexport: false,
        }));
        self.imports.insert(module.clone(), imports);
    }

    /// A path from the root of the crate; `None` for other crates.
    fn absolute(&self, path: &[String], from: &Module) -> Option<Vec<String>> {
        let ups = path.iter().take_while(|word| *word == "super").count();
        if ups > 0 {
            let above = &from[..from.len().checked_sub(ups)?];
            return Some([above, &path[ups..]].concat());
        }
        match path.first()?.as_str() {
            "crate" => Some(path[1..].to_vec()),
            "self" => Some([from, &path[1..]].concat()),
            first => {
                let child = [&from[..], &path[..1]].concat();
                if self.imports.contains_key(&child) {
                    return Some([from, path].concat());
                }
                let imported = self.reexports.get(from)?.get(first)?;
                // A crate of others: its path begins with the name that is looked for.
                let is_ours = imported[0] != first;
                let whole = is_ours.then(|| [imported, &path[1..]].concat())?;
                self.absolute(&whole, from)
            }
        }
    }

    /// The module that defines what a path names, and whether it names more than a module.
    fn defined(&self, path: &[String], depth: usize) -> (Module, bool) {
        let mut at = path.len();
        while !self.imports.contains_key(&path[..at]) {
            at -= 1;
        }
        let (module, rest) = (path[..at].to_vec(), &path[at..]);
        if let Some(name) = rest.first()
            && depth < 8
            && let Some(from) = self
                .reexports
                .get(&module)
                .and_then(|names| names.get(name))
            && let Some(whole) = self.absolute(from, &module)
            && whole != path
        {
            return self.defined(&[&whole[..], &rest[1..]].concat(), depth + 1);
        }
        // A function may have the name of its module, and be passed on by the module above.
        if rest.is_empty()
            && depth < 8
            && let Some((name, above)) = module.split_last()
            && let Some(from) = self.reexports.get(above).and_then(|names| names.get(name))
            && let Some(whole) = self.absolute(from, &above.to_vec())
            && whole.len() > module.len()
        {
            return self.defined(&whole, depth + 1);
        }
        (module, !rest.is_empty())
    }

    /// Module → the modules whose names it uses.
    fn arrows(&self) -> BTreeMap<&Module, BTreeSet<Module>> {
        let of_module = |(module, imports): (&Module, &Vec<Import>)| {
            let needed = imports.iter().filter(|import| !import.is_reexport);
            let paths = needed.filter_map(|import| self.absolute(&import.path, module));
            let defined = paths.map(|path| self.defined(&path, 0));
            defined
                .filter(|(to, is_name)| *is_name && to != module)
                .map(|(to, _)| to)
                .collect()
        };
        self.imports
            .iter()
            .map(|entry| (entry.0, of_module(entry)))
            .collect()
    }

    /// The circles, each as its modules.
    fn circles(&self) -> Vec<BTreeSet<Module>> {
        let arrows = self.arrows();
        let reach = |from: &Module| {
            let (mut seen, mut open) = (BTreeSet::new(), vec![from.clone()]);
            while let Some(next) = open.pop() {
                for to in arrows.get(&next).into_iter().flatten() {
                    if seen.insert(to.clone()) {
                        open.push(to.clone());
                    }
                }
            }
            seen
        };
        let reached: BTreeMap<&Module, BTreeSet<Module>> = arrows
            .keys()
            .map(|module| (*module, reach(module)))
            .collect();
        let mut circles: BTreeSet<BTreeSet<Module>> = BTreeSet::new();
        for (module, to) in &reached {
            let back = to.iter().filter(|other| reached[other].contains(*module));
            let circle: BTreeSet<Module> = back.cloned().collect();
            if circle.len() > 1 {
                circles.insert(circle);
            }
        }
        circles.into_iter().collect()
    }
}

#[test]
fn no_imports_form_a_circle() {
    let mut circles = Vec::new();
    for entry in std::fs::read_dir(repository().join("crates")).expect("crates") {
        let source = entry.expect("an entry").path().join("src");
        for circle in Crate::read(&source).circles() {
            let names: Vec<String> = circle.iter().map(|module| module.join("::")).collect();
            circles.push(format!("{}: {}", source.display(), names.join(", ")));
        }
    }
    assert!(
        circles.is_empty(),
        "circles of imports:\n{}",
        circles.join("\n")
    );
}

/// What the test itself sees: re-exports are followed, tests and comments are not read, and what
/// comes after an inner `#[cfg(test)]` is.
#[test]
fn circles_are_seen_through_super_and_reexports() {
    let mut of = Crate {
        imports: BTreeMap::new(),
        reexports: BTreeMap::new(),
    };
    of.add("lib.rs", "mod a;\npub mod b;\npub use b::deep::Thing;\n");
    of.add("a.rs", "// use crate::Other;\nuse crate::{Thing as Known, b};\n#[cfg(test)]\nfn only() { b::none() }\npub struct A;\n");
    of.add("b/mod.rs", "pub mod deep;\nuse deep::Thing;\n");
    of.add("b/deep.rs", "pub struct Thing;\n");
    assert!(of.circles().is_empty());
    of.add(
        "b/deep.rs",
        "#[cfg(test)]\nmod tests { }\npub struct Thing;\nfn f() { super::super::a::A; }\n",
    );
    let circle: BTreeSet<Module> = [vec!["a".to_owned()], words("b::deep")].into();
    assert_eq!(of.circles(), [circle]);
}
