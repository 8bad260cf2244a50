//! All texts of the program, read from its sources like the compiler reads them, and all refusals.

use super::modules::{self, Module};
use syn::buffer::Cursor;
use syn::parse::ParseStream;
use syn::visit::{self, Visit};
use syn::{Attribute, Expr, ExprCall, ExprMethodCall, ImplItemFn, Item, ItemFn, Lit, LitStr, Macro, Meta};

/// A text of the sources.
pub struct Phrase {
    /// The file of the text.
    pub file: String,
    /// The text; of a format string with its placeholders.
    pub text: String,
}

/// A place in the sources where an error is made.
pub struct MadeError {
    /// `file: function`.
    pub place: String,
    /// Whether it has a hint.
    pub is_hinted: bool,
    /// The texts of the error.
    pub texts: Vec<String>,
}

/// Every text of the program except comments: also arguments of macros, and comments that become `--help`.
pub fn phrases() -> Vec<Phrase> {
    modules::all().iter().flat_map(phrases_of).collect()
}

fn phrases_of(module: &Module) -> Vec<Phrase> {
    let mut texts = Texts { found: Vec::new(), is_help: module.file.starts_with("src/cli/args/") };
    texts.visit_file(&module.code);
    texts.found.into_iter().map(|text| Phrase { file: module.file.clone(), text }).collect()
}

struct Texts {
    found: Vec<String>,
    is_help: bool,
}

impl<'ast> Visit<'ast> for Texts {
    fn visit_lit_str(&mut self, text: &'ast LitStr) {
        self.found.push(text.value());
    }

    fn visit_macro(&mut self, called: &'ast Macro) {
        self.found.extend(called.parse_body_with(literals).unwrap_or_default());
    }

    fn visit_attribute(&mut self, attribute: &'ast Attribute) {
        match &attribute.meta {
            Meta::List(list) => self.found.extend(list.parse_args_with(literals).unwrap_or_default()),
            Meta::NameValue(_) if self.is_help => visit::visit_attribute(self, attribute),
            _ => {}
        }
    }

    fn visit_item(&mut self, item: &'ast Item) {
        if !is_for_tests(item) {
            visit::visit_item(self, item);
        }
    }
}

/// The texts among any tokens.
fn literals(input: ParseStream<'_>) -> syn::Result<Vec<String>> {
    input.step(|cursor| {
        let mut found = Vec::new();
        let rest = collect(*cursor, &mut found);
        Ok((found, rest))
    })
}

fn collect<'c>(mut cursor: Cursor<'c>, found: &mut Vec<String>) -> Cursor<'c> {
    while !cursor.eof() {
        if let Some((inside, _, _, after)) = cursor.any_group() {
            collect(inside, found);
            cursor = after;
        } else if let Some((literal, after)) = cursor.literal() {
            if let Lit::Str(text) = Lit::new(literal) {
                found.push(text.value());
            }
            cursor = after;
        } else if let Some((_, after)) = cursor.token_tree() {
            cursor = after;
        }
    }
    cursor
}

fn is_for_tests(item: &Item) -> bool {
    match item {
        Item::Fn(ItemFn { attrs, .. }) => modules::is_test(attrs),
        Item::Impl(item) => modules::is_test(&item.attrs),
        _ => false,
    }
}

/// Functions that make an error with exit code 1 or 2.
pub const REFUSALS: &[&str] = &["refused", "usage", "config"];
/// Functions that make an error with exit code 3: something could not be read or written.
pub const UNCHECKED: &[&str] = &["unchecked", "unparsed"];

/// Every error that the functions `made_by` of `Error` make.
pub fn made(made_by: &[&str]) -> Vec<MadeError> {
    modules::all().iter().flat_map(|module| made_in(module, made_by)).collect()
}

fn made_in(module: &Module, made_by: &[&str]) -> Vec<MadeError> {
    let mut makers = Makers {
        file: &module.file,
        made_by,
        function: String::new(),
        adds_a_hint: false,
        is_hinted: false,
        found: Vec::new(),
    };
    makers.visit_file(&module.code);
    makers.found
}

struct Makers<'m> {
    file: &'m str,
    made_by: &'m [&'m str],
    function: String,
    /// Whether the function adds a hint to an earlier error.
    adds_a_hint: bool,
    /// Whether the current expression gets a hint.
    is_hinted: bool,
    found: Vec<MadeError>,
}

impl Makers<'_> {
    fn inside(&mut self, name: &syn::Ident, body: &syn::Block) {
        let mut later = LaterHints(false);
        later.visit_block(body);
        let before = (std::mem::replace(&mut self.function, name.to_string()), self.adds_a_hint);
        self.adds_a_hint = later.0;
        self.visit_block(body);
        (self.function, self.adds_a_hint) = before;
    }
}

/// Finds `error.hint(…)` and `fold(error, Error::hint)`: a hint that is added outside of the expression that makes the
/// error.
struct LaterHints(bool);

impl<'ast> Visit<'ast> for LaterHints {
    fn visit_expr_method_call(&mut self, call: &'ast ExprMethodCall) {
        self.0 |= call.method == "hint" && matches!(&*call.receiver, Expr::Path(_));
        visit::visit_expr_method_call(self, call);
    }

    fn visit_expr_path(&mut self, path: &'ast syn::ExprPath) {
        self.0 |= path.path.segments.last().is_some_and(|last| last.ident == "hint");
    }
}

impl<'ast> Visit<'ast> for Makers<'_> {
    fn visit_item(&mut self, item: &'ast Item) {
        if !is_for_tests(item) {
            visit::visit_item(self, item);
        }
    }

    fn visit_item_fn(&mut self, function: &'ast ItemFn) {
        self.inside(&function.sig.ident, &function.block);
    }

    fn visit_impl_item_fn(&mut self, function: &'ast ImplItemFn) {
        self.inside(&function.sig.ident, &function.block);
    }

    fn visit_expr_method_call(&mut self, call: &'ast ExprMethodCall) {
        let before = self.is_hinted;
        self.is_hinted |= call.method == "hint";
        self.visit_expr(&call.receiver);
        self.is_hinted = before;
        call.args.iter().for_each(|arg| self.visit_expr(arg));
    }

    fn visit_expr_call(&mut self, call: &'ast ExprCall) {
        if is_made_by(&call.func, self.made_by) {
            let mut texts = Texts { found: Vec::new(), is_help: false };
            texts.visit_expr_call(call);
            let place = format!("{}: {}", self.file, self.function);
            let is_hinted = self.is_hinted || self.adds_a_hint;
            self.found.push(MadeError { place, is_hinted, texts: texts.found });
        }
        visit::visit_expr_call(self, call);
    }
}

fn is_made_by(function: &Expr, made_by: &[&str]) -> bool {
    let Expr::Path(path) = function else { return false };
    let names: Vec<String> = path.path.segments.iter().map(|segment| segment.ident.to_string()).collect();
    matches!(names.iter().map(String::as_str).collect::<Vec<_>>()[..], ["Error", name] if made_by.contains(&name))
}
