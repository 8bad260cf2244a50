//! The givers of decisions: who counts as one person, and the last word of each.

use super::{JudgedDecision, Outcome};
use crate::features::goals::person;
use crate::features::trust::Person;
use crate::model::ledger::PatchDecisionKind;
use std::collections::BTreeSet;

/// Everything that is known to name a person: names and addresses, in lower case.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Giver(BTreeSet<String>);

impl Giver {
    /// A person by name and address; a blank one counts for nothing.
    pub(crate) fn of<'n>(names: impl IntoIterator<Item = &'n str>) -> Self {
        Self(names.into_iter().map(person).filter(|name| !name.is_empty()).collect())
    }

    /// Whether both may be the same person.
    pub(crate) fn is(&self, other: &Self) -> bool {
        !self.0.is_disjoint(&other.0)
    }

    /// Whether this may be the owner of a key. A pattern among the owner's names may stand for anyone whom it fits.
    pub(crate) fn is_owner(&self, owner: &Person) -> bool {
        self.0.iter().any(|name| owner.is(name))
    }

    fn join(&mut self, other: &Self) {
        self.0.extend(other.0.iter().cloned());
    }
}

/// A giver of a decision, and the name to print.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct GivenWord {
    pub(crate) giver: Giver,
    pub(crate) by: String,
}

/// The last decision of a person.
pub(super) struct LastWord {
    giver: Giver,
    pub(super) kind: PatchDecisionKind,
    /// The person as the line or the key names them.
    pub(super) by: String,
}

/// The last word of each person among decisions in the order of their times.
pub(super) fn last_words(judged: &[JudgedDecision<'_>]) -> Vec<LastWord> {
    let mut words: Vec<LastWord> = Vec::new();
    for one in judged {
        let Outcome::Holds(givers) = &one.outcome else { continue };
        for GivenWord { giver, by } in givers {
            let mut word = LastWord { giver: giver.clone(), kind: one.decision.kind, by: by.clone() };
            // a person of two names who signs once with both is one person from then on
            for before in words.extract_if(.., |before| before.giver.is(giver)) {
                word.giver.join(&before.giver);
            }
            words.push(word);
        }
    }
    words
}
