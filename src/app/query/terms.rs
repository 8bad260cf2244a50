//! The terms of a reading as every form prints them.

use crate::model::ledger::FilingTerms;
use crate::model::usage::Usage;
use crate::report::view::terms::{TermsRow, UsageRow};

/// What is printed of `terms`.
pub(crate) fn terms_row(terms: &FilingTerms) -> TermsRow {
    let usage = |usage: &Usage| UsageRow {
        amounts: usage.named().into_iter().collect(),
        source: usage.tokens.as_ref().map(|tokens| tokens.source.clone()),
    };
    TermsRow {
        key: terms.key.as_ref().map(ToString::to_string),
        attempt: terms.attempt,
        run: terms.run.as_ref().map(ToString::to_string),
        usage: terms.usage.as_ref().map(usage),
    }
}
