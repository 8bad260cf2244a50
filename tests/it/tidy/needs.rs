//! Which programs tests may call. `cargo test` needs git and the usual commands of a Unix system. A test that needs more is
//! ignored in a module that names what it needs: cargo counts it as ignored, and `.ci/run` runs it where it can.

use super::{root, sources};
use std::collections::BTreeSet;
use std::fs;
use syn::visit::{self, Visit};
use syn::{Expr, ExprCall, ExprLit, Ident, ItemFn, ItemMod, Lit, Meta};

/// The programs that every test may call, beside git.
const USUAL: [&str; 15] = [
    "git",
    "sh",
    "/bin/sh",
    "bash",
    "chmod",
    "cp",
    "date",
    "env",
    "find",
    "mkfifo",
    "sha256sum",
    "timeout",
    "touch",
    "yatsu-hook",
    "true",
];

/// A helper of tests, the module of tests that may use it, and the file and the program of the helper itself.
const HELPERS: [(&str, &str, (&str, &str)); 1] =
    [("Team", "needs_ssh_keygen", ("tests/it/trust/mod.rs", "ssh-keygen"))];

/// What is wrong in the tests of one file.
struct Tests<'a> {
    file: &'a str,
    /// The names of the modules around the visited code that begin with `needs_`.
    needs: Vec<String>,
    is_test: bool,
    seen: BTreeSet<String>,
    wrong: Vec<String>,
}

impl Tests<'_> {
    fn complain(&mut self, what: &str) {
        self.wrong.push(format!("{}: {what}", self.file));
    }
}

impl<'ast> Visit<'ast> for Tests<'_> {
    fn visit_item_mod(&mut self, item: &'ast ItemMod) {
        let name = item.ident.to_string();
        let is_need = name.starts_with("needs_");
        if is_need {
            self.needs.push(name);
        }
        visit::visit_item_mod(self, item);
        if is_need {
            self.needs.pop();
        }
    }

    fn visit_item_fn(&mut self, item: &'ast ItemFn) {
        if item.attrs.iter().any(|attribute| attribute.path().is_ident("test")) {
            let name = item.sig.ident.to_string();
            let reason = item.attrs.iter().find(|attribute| attribute.path().is_ident("ignore"));
            let says_need = reason.is_some_and(|reason| match &reason.meta {
                Meta::NameValue(value) => matches!(&value.value, Expr::Lit(ExprLit { lit: Lit::Str(text), .. })
                    if text.value().starts_with("needs ")),
                _ => false,
            });
            if says_need == self.needs.is_empty() {
                self.complain(&format!(
                    "{name} is `#[ignore = \"needs …\"]` exactly if its module is called `needs_…`"
                ));
            }
            self.seen.extend(self.needs.iter().cloned());
            self.is_test = true;
        }
        visit::visit_item_fn(self, item);
        self.is_test = false;
    }

    fn visit_expr_call(&mut self, call: &'ast ExprCall) {
        let starts = match &*call.func {
            Expr::Path(path) => {
                let words: Vec<String> = path.path.segments.iter().map(|word| word.ident.to_string()).collect();
                words.ends_with(&["hermetic".to_owned()]) || words.ends_with(&["Command".to_owned(), "new".to_owned()])
            }
            _ => false,
        };
        if let Some(Expr::Lit(ExprLit { lit: Lit::Str(program), .. })) = call.args.first()
            && starts
            && self.needs.is_empty()
            && !USUAL.contains(&program.value().as_str())
            && !HELPERS.iter().any(|(.., helper)| *helper == (self.file, &program.value()))
        {
            self.complain(&format!("`{}` is not on every machine: call it in a module `needs_…`", program.value()));
        }
        visit::visit_expr_call(self, call);
    }

    fn visit_ident(&mut self, ident: &'ast Ident) {
        for (helper, module, _) in HELPERS {
            if self.is_test && ident == helper && !self.needs.iter().any(|needs| needs == module) {
                self.complain(&format!("{helper} is used outside of a module `{module}`"));
            }
        }
    }
}

fn looked_at<'a>(file: &'a str, text: &str) -> Tests<'a> {
    let modules = file.trim_end_matches(".rs").split('/');
    let needs = modules.filter(|name| name.starts_with("needs_")).map(str::to_owned).collect();
    let mut tests = Tests { file, needs, is_test: false, seen: BTreeSet::new(), wrong: Vec::new() };
    tests.visit_file(&syn::parse_file(text).unwrap_or_else(|error| panic!("{file}: {error}")));
    tests
}

#[test]
fn a_test_that_needs_a_program_is_ignored_in_a_module_that_names_the_program() {
    let (mut wrong, mut seen) = (Vec::new(), BTreeSet::new());
    for (file, text) in sources("tests/it").into_iter().chain(sources("tests/random")) {
        let tests = looked_at(&file, &text);
        wrong.extend(tests.wrong);
        seen.extend(tests.seen);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let ci = fs::read_to_string(root().join(".ci/run")).expect(".ci/run");
    let unknown: Vec<&String> = seen.iter().filter(|module| !ci.contains(&format!("need {module} "))).collect();
    assert!(
        unknown.is_empty() && seen.len() > 4,
        ".ci/run says for each module what it needs: {unknown:?} of {seen:?}"
    );
}

#[test]
fn the_check_sees_a_test_that_is_run_without_its_program() {
    let wrong = |text: &str| looked_at("tests/it/x.rs", text).wrong.len();
    let ignored = "#[test] #[ignore = \"needs strace\"] fn t() { hermetic(\"strace\", h); }";
    assert_eq!(wrong(&format!("mod needs_strace {{ {ignored} }}")), 0);
    assert_eq!(wrong("mod needs_strace { #[test] fn t() {} }"), 1, "not ignored");
    assert_eq!(wrong("#[test] #[ignore = \"needs strace\"] fn t() {}"), 1, "not in a module that names it");
    assert_eq!(wrong("#[test] fn t() { crate::support::hermetic(\"strace\", h); }"), 1, "called");
    assert_eq!(wrong("#[test] fn t() { std::process::Command::new(\"jq\"); }"), 1, "called");
    assert_eq!(wrong("#[test] fn t() { Team::new(); }"), 1, "by a helper");
    assert_eq!(wrong("#[test] fn t() { hermetic(\"git\", h); }"), 0);
}

#[test]
fn the_readme_names_the_compilers_and_the_git_that_are_needed_and_nothing_else() {
    let manifest = fs::read_to_string(root().join("Cargo.toml")).expect("Cargo.toml");
    let rust = manifest.lines().find_map(|line| line.strip_prefix("rust-version = ")).expect("a version");
    let needed = format!("Rust {}, a C compiler, git 2.31; nothing else.", rust.trim_matches('"'));
    let readme = fs::read_to_string(root().join("README.md")).expect("README.md");
    assert!(readme.contains(&needed), "README.md does not say: {needed}");
}
