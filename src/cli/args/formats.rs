//! The formats that each verb can print. The refusal of other formats and the help of `--format` both use this table.

use crate::report::Format;

pub(crate) const HUMAN: &[Format] = &[Format::Human];
pub(crate) const ANSWER: &[Format] = &[Format::Human, Format::Json];
pub(crate) const FINDINGS: &[Format] = &[Format::Human, Format::Json, Format::Sarif, Format::Github];
const SCORE: &[Format] = &[Format::Human, Format::Json, Format::Sarif, Format::Github, Format::Markdown, Format::Junit];

/// The formats of the verb at `path`, the human one first; for example, `["check"]` has `sarif`. SARIF and
/// workflow commands annotate findings, so only verbs that judge have them.
pub(super) fn of(path: &[&str]) -> &'static [Format] {
    match path {
        ["completions" | "man" | "merge-ledger" | "help"] => HUMAN,
        ["check" | "scan"] => SCORE,
        ["pre-commit" | "pre-merge-commit" | "pre-push" | "pre-receive" | "run" | "validate"] => FINDINGS,
        [verb, below @ ..] => super::formats_of_feature(verb, below).unwrap_or(ANSWER),
        [] => ANSWER,
    }
}
