//! The modules of the crate as their files declare them: which file names which other one, read as the compiler reads it.
//!
//! A module and its submodules are one room: a file may use everything of its parents. All other names count, also through
//! a re-export, so that every circle between two files is found.

use super::sources;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use syn::visit::{self, Visit};
use syn::{Attribute, File, Item, ItemMod, ItemUse, UseTree, Visibility};

/// A module's path from the crate's root: `["app", "push"]`.
type Path = Vec<String>;

/// A source file, parsed, without its tests.
pub struct Module {
    /// Its path from the top of the repository.
    pub file: String,
    /// Its path in the crate.
    pub path: Path,
    /// Its parsed content.
    pub code: File,
}

/// Every module of the crate except tests.
pub fn all() -> Vec<Module> {
    let files = sources("src").into_iter().filter(|(file, _)| !super::is_test(file));
    files.map(|(file, text)| parsed(file, &text)).collect()
}

fn parsed(file: String, text: &str) -> Module {
    let mut code = syn::parse_file(text).unwrap_or_else(|error| panic!("{file}: {error}"));
    code.items.retain(|item| !is_for_tests(item));
    let path = file.trim_start_matches("src/").trim_end_matches(".rs").split('/').map(str::to_owned).collect();
    Module { path: module_path(path), file, code }
}

fn module_path(mut path: Path) -> Path {
    if path.last().is_some_and(|last| last == "mod") || path == ["lib"] {
        path.pop();
    }
    path
}

fn is_for_tests(item: &Item) -> bool {
    match item {
        Item::Mod(ItemMod { attrs, .. }) | Item::Use(ItemUse { attrs, .. }) => is_test(attrs),
        _ => false,
    }
}

/// Whether the attributes contain `#[cfg(test)]`.
pub fn is_test(attributes: &[Attribute]) -> bool {
    let says_test = |attribute: &Attribute| attribute.parse_args::<syn::Ident>().is_ok_and(|word| word == "test");
    attributes.iter().any(|attribute| attribute.path().is_ident("cfg") && says_test(attribute))
}

/// Which file names which other one, by their indices in `modules`.
pub fn edges(modules: &[Module]) -> BTreeMap<usize, BTreeSet<usize>> {
    let by_path: HashMap<&[String], usize> =
        modules.iter().enumerate().map(|(at, module)| (module.path.as_slice(), at)).collect();
    let exports: Vec<HashMap<String, Path>> = modules.iter().map(|module| exports(module, &by_path)).collect();
    let mut edges: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
    for (at, module) in modules.iter().enumerate() {
        for named in names_of(module, &by_path) {
            let to = owner(&named, &by_path, &exports);
            let above = to.is_some_and(|to| module.path.starts_with(&modules[to].path));
            if let Some(to) = to.filter(|_| !above) {
                edges.entry(at).or_default().insert(to);
            }
        }
    }
    edges
}

/// The file that declares `named`: the longest prefix that is a module, followed through re-exports.
fn owner(named: &[String], by_path: &HashMap<&[String], usize>, exports: &[HashMap<String, Path>]) -> Option<usize> {
    let mut named = named.to_vec();
    for _ in 0..8 {
        let length = (0..=named.len()).rev().find(|length| by_path.contains_key(&named[..*length]))?;
        let at = by_path[&named[..length]];
        match named.get(length).and_then(|name| exports[at].get(name)) {
            Some(target) => named = target.clone(),
            None => return Some(at),
        }
    }
    None
}

/// The names that a module re-exports.
fn exports(module: &Module, by_path: &HashMap<&[String], usize>) -> HashMap<String, Path> {
    let mut found = HashMap::new();
    for item in &module.code.items {
        if let Item::Use(used) = item
            && !matches!(used.vis, Visibility::Inherited)
        {
            for (path, name) in leaves(&used.tree) {
                found.extend(absolute(module, &path, by_path).map(|path| (name, path)));
            }
        }
    }
    found
}

/// The paths of a `use`, each with its new name.
fn leaves(tree: &UseTree) -> Vec<(Path, String)> {
    match tree {
        UseTree::Path(path) => {
            let first = path.ident.to_string();
            let below = leaves(&path.tree).into_iter();
            below.map(|(rest, name)| ([vec![first.clone()], rest].concat(), name)).collect()
        }
        UseTree::Name(name) => vec![(vec![name.ident.to_string()], name.ident.to_string())],
        UseTree::Rename(rename) => vec![(vec![rename.ident.to_string()], rename.rename.to_string())],
        UseTree::Glob(_) => vec![(vec!["*".to_owned()], "*".to_owned())],
        UseTree::Group(group) => group.items.iter().flat_map(leaves).collect(),
    }
}

/// `path` from the crate's root; `None` if it is another crate's.
fn absolute(module: &Module, path: &[String], by_path: &HashMap<&[String], usize>) -> Option<Path> {
    let first = path.first()?;
    let rest = &path[1..];
    match first.as_str() {
        "crate" => Some(rest.to_vec()),
        "self" => Some([&module.path, rest].concat()),
        "super" => {
            let parent = &module.path[..module.path.len().checked_sub(1)?];
            let ups = rest.iter().take_while(|name| *name == "super").count();
            let top = &parent[..parent.len().checked_sub(ups)?];
            Some([top, &rest[ups..]].concat())
        }
        child => {
            let below = [module.path.clone(), vec![child.to_owned()]].concat();
            by_path.contains_key(below.as_slice()).then(|| [module.path.clone(), path.to_vec()].concat())
        }
    }
}

/// Every path of the crate that a module names, in `use` or in code.
fn names_of(module: &Module, by_path: &HashMap<&[String], usize>) -> Vec<Path> {
    let mut named = Named(Vec::new());
    named.visit_file(&module.code);
    named.0.iter().filter_map(|path| absolute(module, path, by_path)).collect()
}

struct Named(Vec<Path>);

impl<'ast> Visit<'ast> for Named {
    fn visit_item_mod(&mut self, item: &'ast ItemMod) {
        if !is_test(&item.attrs) {
            visit::visit_item_mod(self, item);
        }
    }

    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        self.0.extend(leaves(&item.tree).into_iter().map(|(path, _)| path));
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        self.0.push(path.segments.iter().map(|segment| segment.ident.to_string()).collect());
        visit::visit_path(self, path);
    }
}

/// The groups of files that name each other in a circle, each sorted.
pub fn circles(edges: &BTreeMap<usize, BTreeSet<usize>>) -> BTreeSet<BTreeSet<usize>> {
    let reach: BTreeMap<usize, BTreeSet<usize>> = edges.keys().map(|at| (*at, reachable(*at, edges))).collect();
    let reaches = |from: &usize, to: &usize| reach.get(from).is_some_and(|reached| reached.contains(to));
    let on_a_circle = edges.keys().filter(|at| reaches(at, at));
    on_a_circle.map(|at| reach[at].iter().filter(|other| reaches(other, at)).copied().collect()).collect()
}

fn reachable(from: usize, edges: &BTreeMap<usize, BTreeSet<usize>>) -> BTreeSet<usize> {
    let mut seen = BTreeSet::new();
    let mut open = vec![from];
    while let Some(at) = open.pop() {
        open.extend(edges.get(&at).into_iter().flatten().filter(|to| seen.insert(**to)));
    }
    seen
}
