//! The formats that each verb can print. The refusal of other formats and the help of `--format` both use this table.

use crate::report::Format;

const HUMAN: &[Format] = &[Format::Human];
const ANSWER: &[Format] = &[Format::Human, Format::Json];
const FINDINGS: &[Format] = &[Format::Human, Format::Json, Format::Sarif, Format::Github];
const SCORE: &[Format] = &[Format::Human, Format::Json, Format::Sarif, Format::Github, Format::Markdown, Format::Junit];
const DRAWN: &[Format] = &[Format::Human, Format::Json, Format::Dot, Format::Mermaid];

/// The formats of the verb at `path`, the human one first; for example, `["graph", "show"]` has `dot`. SARIF and
/// workflow commands annotate findings, so only verbs that judge have them.
pub(super) fn of(path: &[&str]) -> &'static [Format] {
    match path {
        ["completions" | "man" | "merge-ledger" | "help"]
        | ["graph", "ops"]
        | ["export", "in-toto"]
        | ["agent", "event"] => HUMAN,
        ["graph", "show" | "lineage" | "why" | "replay"] => DRAWN,
        ["check" | "scan"] => SCORE,
        ["pre-commit" | "pre-merge-commit" | "pre-push" | "pre-receive" | "run" | "validate"]
        | ["runlog" | "graph", "check"] => FINDINGS,
        ["goal", "check"] => &[Format::Human, Format::Json, Format::Markdown],
        _ => ANSWER,
    }
}
