//! Masks and counts the secrets in the texts of a page. A page for publication has no notes and no names of people at all.

use crate::features::goals::{Completion, GoalRow};
use crate::report::view::measures::MeasuresRow;
use crate::report::view::score::{BlockedRow, ReadingRow, RedactedRow};
use crate::report::view::terms::TermsRow;
use crate::text::secrets::mask;
use std::collections::BTreeMap;

/// Masks texts and counts their secrets.
#[derive(Debug, Default)]
pub(super) struct Masker {
    /// Whether the page is to be published.
    pub(super) publishes: bool,
    /// Secrets that were masked so far.
    pub(super) count: usize,
}

impl Masker {
    /// `text` without secrets of a known shape, e.g. a GitHub token.
    pub(super) fn text(&mut self, text: &str) -> String {
        let masked = mask(text);
        self.count += masked.count;
        masked.text.into_owned()
    }

    fn each<'t>(&mut self, texts: impl IntoIterator<Item = &'t mut String>) {
        for text in texts {
            *text = self.text(text);
        }
    }

    /// A note or the name of a person.
    fn private(&mut self, text: &mut Option<String>) {
        *text = text.take().filter(|_| !self.publishes);
        self.each(text);
    }

    fn names<V>(&mut self, map: &mut BTreeMap<String, V>) {
        *map = std::mem::take(map).into_iter().map(|(name, value)| (self.text(&name), value)).collect();
    }

    /// Every text of a reading that a ledger line chose freely. All fields are named, so that a new one cannot be shown with
    /// its secrets.
    pub(super) fn reading(&mut self, reading: &mut ReadingRow) {
        let ReadingRow { note, by, evaluator, retracted, terms, signers, measures, .. } = reading;
        // the names of environments and hashes of reports are not free texts
        let TermsRow { how, key, run, usage, grade: _, attempt: _, env: _, runs: _ } = terms;
        let MeasuresRow { metrics, units, markers, artifacts, findings: _ } = measures;
        self.private(note);
        self.private(by);
        retracted.iter_mut().for_each(|gone| self.private(&mut gone.note));
        self.each(evaluator);
        self.each(how.iter_mut().map(|how| &mut how.command));
        self.each(key.iter_mut().chain(run));
        self.each(usage.iter_mut().filter_map(|usage| usage.source.as_mut()));
        self.each(units.values_mut().chain(markers));
        self.names(metrics);
        self.names(units);
        self.names(artifacts);
        if self.publishes {
            signers.clear();
        }
        self.each(signers.iter_mut().map(|signer| &mut signer.principal));
    }

    /// The texts about what blocks a scenario.
    pub(super) fn blocked(&mut self, one: &mut BlockedRow) {
        self.private(&mut one.by);
        one.reason = if self.publishes { String::new() } else { self.text(&one.reason) };
    }

    /// The texts of a redaction.
    pub(super) fn redaction(&mut self, gone: &mut RedactedRow) {
        self.private(&mut gone.by);
        gone.reason = if self.publishes { String::new() } else { self.text(&gone.reason) };
    }

    /// The texts of a goal.
    pub(super) fn goal(&mut self, row: &mut GoalRow) {
        self.each(row.text.iter_mut().chain(&mut row.blockers));
        self.each(row.next.iter_mut().flat_map(|next| std::iter::once(&mut next.said).chain(&mut next.command)));
        row.completed = row.completed.take().filter(|_| !self.publishes);
        self.each(row.completed.iter_mut().map(|Completion { by, ts: _ }| by));
        for criterion in row.gates.iter_mut().flat_map(|gates| &mut gates.criteria) {
            self.each(criterion.description.iter_mut().chain([&mut criterion.reason]));
        }
    }
}
