//! The scenario that a context of a report belongs to, by the test cases of each scenario.
//!
//! coverage.py names a test by its function (`test_cart.test_sum`) or, through pytest-cov, by its node and phase
//! (`tests/test_cart.py::test_sum|run`). lcov has `TN:`, in which every character but letters, digits and `_` is `_`.

use super::RunContext;
use crate::features::coverage::model::reports::{Coverage, Format, MAX_NAME};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The scenario of a case, by an index that the caller chose; `None` for a case of no scenario.
pub(crate) type CaseOwner = Option<usize>;

/// The contexts of each scenario.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct ContextOwners {
    /// By scenario, the contexts that fit its cases alone.
    pub(crate) own: BTreeMap<usize, BTreeSet<usize>>,
    /// The contexts that fit cases of a scenario and also of something else: they belong to none.
    pub(crate) shared: BTreeSet<usize>,
}

/// Finds the scenario of each context. A case is its class, its name and its scenario.
pub(crate) fn context_owners(contexts: &[RunContext], cases: &[(&str, &str, CaseOwner)]) -> ContextOwners {
    let mut forms = ContextForms::of(contexts);
    cases.iter().for_each(|(class, name, owner)| forms.add(class.trim(), name.trim(), *owner));
    let mut found = ContextOwners::default();
    for (index, context) in contexts.iter().enumerate() {
        let [whole, ends] = &forms.owners[index];
        // a node of pytest is the whole name of a test; a name by function alone may begin anywhere
        let is_node = context.name.contains("::") && !whole.is_empty();
        let owners = if is_node { whole.clone() } else { whole | ends };
        match owners.iter().flatten().next() {
            None => {}
            Some(owner) if owners.len() == 1 => drop(found.own.entry(*owner).or_default().insert(index)),
            Some(_) => drop(found.shared.insert(index)),
        }
    }
    found
}

/// Whether a report has no names of tests. One `TN:` of a whole tracefile that is no case is the name of the run:
/// `GCOVR_report` of gcovr, or what `lcov --test-name` was given.
pub(crate) fn names_no_tests<'c>(report: &Coverage, mut cases: impl Iterator<Item = &'c str>) -> bool {
    match &report.contexts[..] {
        [] => true,
        [only] => report.format == Format::Lcov && !cases.any(|name| folded(name.trim()) == *only),
        _ => false,
    }
}

/// The contexts by the spelling that a case may have. The names of cases are looked up and never stored: each has many ends.
struct ContextForms {
    /// Names of coverage.py with dots. Several contexts may have one: the phases of a test.
    dotted: HashMap<String, Vec<usize>>,
    /// Names of lcov.
    folded: HashMap<String, Vec<usize>>,
    /// The scenarios of the cases that each context fits: first by the whole name of the case, then by an end of that name.
    owners: Vec<[BTreeSet<CaseOwner>; 2]>,
}

impl ContextForms {
    fn of(contexts: &[RunContext]) -> Self {
        let (mut by_dots, mut folded) = (HashMap::<_, Vec<usize>>::new(), HashMap::<_, Vec<usize>>::new());
        for (index, context) in contexts.iter().enumerate() {
            if context.is_folded {
                folded.entry(context.name.clone()).or_default().push(index);
            } else {
                by_dots.entry(dotted(without_phase(context.name.trim()))).or_default().push(index);
            }
        }
        Self { dotted: by_dots, folded, owners: vec![Default::default(); contexts.len()] }
    }

    fn add(&mut self, class: &str, name: &str, owner: CaseOwner) {
        for index in self.folded.get(&folded(name)).into_iter().flatten() {
            self.owners[*index][0].insert(owner);
        }
        // a context by function alone has no parameters: `adds` for `adds[1-2]`
        let bare = name.split_once('[').map(|(bare, _)| bare).filter(|bare| name.ends_with(']') && !bare.is_empty());
        for name in std::iter::once(name).chain(bare) {
            let whole = match class.is_empty() {
                true => dotted(name),
                false => format!("{}.{}", dotted(class), dotted(name)),
            };
            // no context is longer, and each end costs its length
            let first = whole.len().saturating_sub(MAX_NAME);
            let ends = whole.match_indices('.').map(|(at, _)| at + 1).filter(|at| *at >= first);
            for at in std::iter::once(0).chain(ends) {
                for index in self.dotted.get(&whole[at..]).into_iter().flatten() {
                    self.owners[*index][usize::from(at > 0)].insert(owner);
                }
            }
        }
    }
}

/// Whether a context is the test `name`, in any phase.
pub(crate) fn same_test(context: &str, name: &str) -> bool {
    let (context, name) = (dotted(without_phase(context)), dotted(without_phase(name)));
    context == name
}

/// The name of a test without the phase of pytest-cov, for example `|run`.
pub(crate) fn without_phase(name: &str) -> &str {
    let phase = |name: &str, phase: &str| name.len().checked_sub(phase.len()).filter(|_| name.ends_with(phase));
    let at = ["|run", "|setup", "|teardown"].iter().find_map(|end| phase(name, end));
    at.map_or(name, |at| &name[..at])
}

/// `tests.test_cart.test_sum` for `tests/test_cart.py::test_sum`.
fn dotted(name: &str) -> String {
    name.replace(".py::", ".").replace("::", ".").replace('/', ".")
}

fn folded(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn context(name: &str) -> RunContext {
        RunContext { name: name.into(), is_folded: false }
    }

    /// The owner of one context among these cases: a scenario, `shared` or `none`.
    fn owner(context: RunContext, cases: &[(&str, &str, CaseOwner)]) -> String {
        let owners = context_owners(&[context], cases);
        match (owners.own.keys().next(), owners.shared.len()) {
            (Some(scenario), 0) => scenario.to_string(),
            (None, 1) => "shared".into(),
            (None, 0) => "none".into(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_context_of_coverage_py_is_the_whole_name_of_a_case_or_its_end_at_a_dot() {
        let cases = [
            ("tests.test_cart", "test_sum", Some(0)),
            ("tests.test_cart.TestMail", "test_send", Some(1)),
            ("tests.test_cart", "test_many[1.5-a/b]", Some(2)),
            ("tests.test_cart", "test_many[2]", Some(2)),
        ];
        for (name, expected) in [
            ("tests/test_cart.py::test_sum|run", "0"),
            ("tests/test_cart.py::test_sum|setup", "0"),
            ("tests/test_cart.py::test_sum|teardown", "0"),
            ("tests/test_cart.py::test_sum", "0"),
            ("test_cart.test_sum", "0"),
            ("test_sum", "0"),
            ("tests/test_cart.py::TestMail::test_send|run", "1"),
            ("test_cart.TestMail.test_send", "1"),
            ("tests/test_cart.py::test_many[1.5-a/b]|run", "2"),
            ("test_cart.test_many", "2"),
            ("cart.test_sum", "none"),
            ("_sum", "none"),
            ("other.tests.test_cart.test_sum", "none"),
            ("tests.test_cart", "none"),
            ("tests/test_cart.py::test_sum|walk", "none"),
            ("", "none"),
        ] {
            assert_eq!(owner(context(name), &cases), expected, "{name}");
        }
    }

    #[test]
    fn a_context_that_fits_cases_of_two_scenarios_belongs_to_none() {
        let cases =
            [("a.test_cart", "test_sum", Some(0)), ("b.test_cart", "test_sum", Some(1)), ("c.test_x", "test_y", None)];
        assert_eq!(owner(context("test_cart.test_sum"), &cases), "shared");
        assert_eq!(owner(context("a.test_cart.test_sum"), &cases), "0");
        assert_eq!(owner(context("test_y"), &cases), "none");
        // the whole name of one case is the end of another one
        let nested = [("test_a", "test_one", Some(0)), ("x.test_a", "test_one", Some(1))];
        assert_eq!(owner(context("test_a.test_one"), &nested), "shared");
        assert_eq!(owner(context("test_a.py::test_one|run"), &nested), "0");
        assert_eq!(owner(context("x/test_a.py::test_one"), &nested), "1");
        // the same name in a case of no scenario: the context may be of that case
        let half = [("a.test_cart", "test_sum", Some(0)), ("b.test_cart", "test_sum", None)];
        assert_eq!(owner(context("test_cart.test_sum"), &half), "shared");
        // one case of two scenarios
        assert_eq!(owner(context("a.t.x"), &[("a.t", "x", Some(0)), ("a.t", "x", Some(1))]), "shared");
        // two cases of one scenario
        assert_eq!(owner(context("t.x"), &[("a.t", "x", Some(0)), ("b.t", "x", Some(0))]), "0");
    }

    #[test]
    fn a_test_name_of_lcov_has_an_underscore_for_other_characters() {
        let cases = [("Cart", "adds it > twice", Some(0)), ("Cart", "adds_it", Some(1))];
        let folded = |name: &str| RunContext { name: name.into(), is_folded: true };
        assert_eq!(owner(folded("adds_it___twice"), &cases), "0");
        assert_eq!(owner(folded("adds_it"), &cases), "1");
        assert_eq!(owner(folded("Cart_adds_it"), &cases), "none");
        assert_eq!(owner(folded("adds_it"), &[("", "adds it", Some(0)), ("", "adds-it", Some(1))]), "shared");
    }
}
