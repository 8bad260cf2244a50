//! Declarations of Rust files as `syn` reads them. `read-units FILE…` prints a line per piece: file, name, first byte,
//! end byte.

use std::ops::Range;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};

fn main() {
    for file in std::env::args().skip(1) {
        let source = std::fs::read_to_string(&file).expect("a file in UTF-8");
        match syn::parse_file(&source) {
            Ok(tree) => Reader { file, path: Vec::new(), in_code: false, offset: 0 }.visit_file(&tree),
            Err(_) => println!("{file}\t!"),
        }
    }
}

struct Reader {
    file: String,
    path: Vec<String>,
    /// Whether constants here are inside code and so are no units.
    in_code: bool,
    /// The offset of this file's positions.
    offset: usize,
}

impl Reader {
    fn note(&self, name: &str, at: Range<usize>) {
        let name = self.path.iter().map(String::as_str).chain([name]).collect::<Vec<_>>().join(".");
        println!("{}\t{name}\t{}\t{}", self.file, at.start - self.offset, at.end - self.offset);
    }

    /// A declaration and its content.
    fn unit(&mut self, name: &str, at: Range<usize>, in_code: bool, inner: impl FnOnce(&mut Self)) {
        self.note(name, at);
        self.scope(Some(name.to_owned()), in_code, inner);
    }

    fn scope(&mut self, name: Option<String>, in_code: bool, inner: impl FnOnce(&mut Self)) {
        let (depth, before) = (self.path.len(), self.in_code);
        self.path.extend(name);
        self.in_code = in_code;
        inner(self);
        self.path.truncate(depth);
        self.in_code = before;
    }

    fn value(&mut self, name: &str, at: Range<usize>, inner: impl FnOnce(&mut Self)) {
        match self.in_code || name == "_" {
            true => inner(self),
            false => self.unit(name, at, self.in_code, inner),
        }
    }
}

fn span(node: &impl Spanned) -> Range<usize> {
    node.span().byte_range()
}

/// The name of the type that an `impl` is of.
fn implemented(of: &syn::Type) -> Option<String> {
    match of {
        syn::Type::Path(path) => path.path.segments.last().map(|last| last.ident.to_string()),
        syn::Type::Reference(to) => implemented(&to.elem),
        syn::Type::Ptr(to) => implemented(&to.elem),
        syn::Type::Paren(of) => implemented(&of.elem),
        syn::Type::Group(of) => implemented(&of.elem),
        syn::Type::TraitObject(of) => of.bounds.iter().find_map(|bound| match bound {
            syn::TypeParamBound::Trait(of) => of.path.segments.last().map(|last| last.ident.to_string()),
            _ => None,
        }),
        _ => None,
    }
}

macro_rules! units {
    ($($visit:ident $item:ident $in_code:ident ($($name:ident).+);)*) => { $(
        fn $visit(&mut self, item: &'ast syn::$item) {
            self.unit(&item.$($name).+.to_string(), span(item), $in_code, |inner| visit::$visit(inner, item));
        }
    )* };
}

macro_rules! values {
    ($($visit:ident $item:ident;)*) => { $(
        fn $visit(&mut self, item: &'ast syn::$item) {
            self.value(&item.ident.to_string(), span(item), |inner| visit::$visit(inner, item));
        }
    )* };
}

const CODE: bool = true;
const TYPE: bool = false;

impl<'ast> Visit<'ast> for Reader {
    units! {
        visit_item_fn ItemFn CODE (sig.ident);
        visit_impl_item_fn ImplItemFn CODE (sig.ident);
        visit_trait_item_fn TraitItemFn CODE (sig.ident);
        visit_foreign_item_fn ForeignItemFn CODE (sig.ident);
        visit_item_struct ItemStruct TYPE (ident);
        visit_item_enum ItemEnum TYPE (ident);
        visit_item_union ItemUnion TYPE (ident);
        visit_item_trait ItemTrait TYPE (ident);
        visit_item_type ItemType TYPE (ident);
        visit_impl_item_type ImplItemType TYPE (ident);
        visit_trait_item_type TraitItemType TYPE (ident);
        visit_foreign_item_type ForeignItemType TYPE (ident);
        visit_item_mod ItemMod TYPE (ident);
    }
    values! {
        visit_item_const ItemConst;
        visit_item_static ItemStatic;
        visit_impl_item_const ImplItemConst;
        visit_trait_item_const TraitItemConst;
        visit_foreign_item_static ForeignItemStatic;
    }

    fn visit_item_macro(&mut self, item: &'ast syn::ItemMacro) {
        if let Some(name) = &item.ident {
            self.note(&name.to_string(), span(item));
        }
    }

    fn visit_item_impl(&mut self, item: &'ast syn::ItemImpl) {
        let in_code = self.in_code;
        self.scope(implemented(&item.self_ty), in_code, |inner| visit::visit_item_impl(inner, item));
    }

    fn visit_expr_closure(&mut self, closure: &'ast syn::ExprClosure) {
        self.scope(None, true, |inner| visit::visit_expr_closure(inner, closure));
    }

    fn visit_expr_const(&mut self, block: &'ast syn::ExprConst) {
        self.scope(None, true, |inner| visit::visit_expr_const(inner, block));
    }
}
