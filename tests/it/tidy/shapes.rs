//! The form of names and signatures: each type name has one meaning, and a caller can distinguish the arguments of a
//! function.

use super::modules::Module;
use std::collections::{BTreeMap, BTreeSet};
use syn::visit::{self, Visit};
use syn::{FnArg, ImplItemFn, ItemFn, Signature, TraitItemFn, Type};

/// Every type name with the files that declare it.
pub fn type_names(modules: &[Module]) -> BTreeMap<String, BTreeSet<String>> {
    let mut names: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for module in modules {
        let mut types = Types(Vec::new());
        types.visit_file(&module.code);
        for name in types.0 {
            names.entry(name).or_default().insert(module.file.clone());
        }
    }
    names
}

struct Types(Vec<String>);

impl<'ast> Visit<'ast> for Types {
    fn visit_item_struct(&mut self, item: &'ast syn::ItemStruct) {
        self.0.push(item.ident.to_string());
    }
    fn visit_item_enum(&mut self, item: &'ast syn::ItemEnum) {
        self.0.push(item.ident.to_string());
    }
    fn visit_item_trait(&mut self, item: &'ast syn::ItemTrait) {
        self.0.push(item.ident.to_string());
        visit::visit_item_trait(self, item);
    }
    fn visit_item_type(&mut self, item: &'ast syn::ItemType) {
        self.0.push(item.ident.to_string());
    }
}

/// Functions with arguments that a caller can confuse: a tuple that is no pair of one kind, or two bare bools.
pub fn unnamed_arguments(modules: &[Module]) -> Vec<String> {
    let mut wrong = Vec::new();
    for module in modules {
        let mut functions = Functions { file: &module.file, wrong: &mut wrong };
        functions.visit_file(&module.code);
    }
    wrong
}

struct Functions<'a> {
    file: &'a str,
    wrong: &'a mut Vec<String>,
}

impl Functions<'_> {
    fn look(&mut self, signature: &Signature) {
        let types = signature.inputs.iter().filter_map(|input| match input {
            FnArg::Typed(typed) => Some(&*typed.ty),
            FnArg::Receiver(_) => None,
        });
        let (mut tuples, mut bools) = (0, 0);
        for kind in types {
            tuples += usize::from(is_mixed_tuple(kind));
            bools += usize::from(is_bool(kind));
        }
        if tuples > 0 || bools > 1 {
            self.wrong.push(format!("{}: {}", self.file, signature.ident));
        }
    }
}

fn is_bool(kind: &Type) -> bool {
    matches!(kind, Type::Path(path) if path.path.is_ident("bool"))
}

fn is_mixed_tuple(kind: &Type) -> bool {
    match kind {
        Type::Reference(reference) => is_mixed_tuple(&reference.elem),
        Type::Tuple(tuple) => {
            let elements: Vec<_> = tuple.elems.iter().collect();
            !matches!(elements.as_slice(), [] | [_]) && !matches!(elements.as_slice(), [a, b] if a == b && !is_bool(a))
        }
        _ => false,
    }
}

impl<'ast> Visit<'ast> for Functions<'_> {
    fn visit_item_fn(&mut self, item: &'ast ItemFn) {
        self.look(&item.sig);
        visit::visit_item_fn(self, item);
    }
    fn visit_impl_item_fn(&mut self, item: &'ast ImplItemFn) {
        self.look(&item.sig);
        visit::visit_impl_item_fn(self, item);
    }
    fn visit_trait_item_fn(&mut self, item: &'ast TraitItemFn) {
        self.look(&item.sig);
        visit::visit_trait_item_fn(self, item);
    }
}
