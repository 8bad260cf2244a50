//! The terms of a reading and the result of its budget, as every output format prints them.

use crate::engine::budget::Judged;
use crate::model::ledger::{FilingTerms, Grade, Observed, ReadingVerdict, Status};
use crate::model::usage::Usage;
use crate::report::view::budget::{BudgetRow, EffectiveRow};
use crate::report::view::terms::{HowRow, RunCountsRow, TermsRow};
use crate::report::view::verdict::ShownVerdict;

/// The row that is printed for `terms`.
pub(crate) fn terms_row(terms: &FilingTerms) -> TermsRow {
    TermsRow {
        grade: terms.grade().as_str(),
        how: terms.how.as_ref().map(how_row),
        key: terms.key.as_ref().map(ToString::to_string),
        attempt: terms.attempt,
        run: terms.run.as_ref().map(ToString::to_string),
        usage: terms.usage.as_ref().map(Usage::spent),
        env: terms.env.as_ref().map(ToString::to_string),
        runs: terms.runs.map(|runs| RunCountsRow {
            pass: runs.pass,
            of: runs.of,
            report: runs.report.map(|report| report.to_string()),
        }),
    }
}

fn how_row(how: &Observed) -> HowRow {
    HowRow {
        kind: Grade::Observed.as_str(),
        harness: how.harness.clone(),
        command: how.command.clone(),
        exit: how.exit,
        output: how.output.map(|hash| hash.to_string()),
        at: how.at.to_string(),
    }
}

/// The row that is printed for the budgets of a reading with this recorded verdict.
pub(crate) fn budget_row(judged: &Judged, recorded: &ReadingVerdict) -> BudgetRow {
    BudgetRow {
        effective: EffectiveRow {
            verdict: shown_verdict(&judged.effective(recorded)),
            reason: judged.standing.as_ref().map(|_| "budget_exceeded"),
            breached_at: judged.standing.as_ref().map(|at| at.ts.to_string()),
        },
        breaches: judged.breaches.clone(),
        run_totals: judged.named_run_totals(),
    }
}

/// A verdict as it is printed.
pub(crate) fn shown_verdict(verdict: &ReadingVerdict) -> ShownVerdict {
    match verdict {
        ReadingVerdict::Measured(Status::Pass) => ShownVerdict::Pass,
        ReadingVerdict::Measured(Status::Fail) => ShownVerdict::Fail,
        ReadingVerdict::Legacy => ShownVerdict::Legacy,
    }
}
