//! The declarations of each language: a table of the nodes of its grammar.

mod go;
mod java;
mod names;
mod python;
mod ruby;
mod rust;
mod script;

use super::Language;
use super::table::Grammar;

pub(super) fn of(language: Language) -> &'static Grammar {
    match language {
        Language::TypeScript => &script::TYPESCRIPT,
        Language::Tsx => &script::TSX,
        Language::JavaScript => &script::JAVASCRIPT,
        Language::Python => &python::PYTHON,
        Language::Go => &go::GO,
        Language::Rust => &rust::RUST,
        Language::Java => &java::JAVA,
        Language::Ruby => &ruby::RUBY,
    }
}
