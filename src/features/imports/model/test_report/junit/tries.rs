//! Makes one case of the tries of one test. Some runners write each try as a case of the same name.

use crate::features::imports::model::test_report::{CaseState, TestCase};
use std::collections::HashMap;

/// What a second case of one name in a suite is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum SameName {
    /// Another test: `test.each` of jest makes such twins.
    #[default]
    OtherTest,
    /// Another try, with its own result: `gotestsum --rerun-fails`, `go test -count=2`.
    Try,
    /// Another try, before which pytest-rerunfailures writes each failed one as an empty case, like a pass. pytest itself
    /// writes a broken teardown as a second case with an error.
    TryAfterFailure,
}

/// The cases of a report, with one for all tries of a test. `same_name` has an entry for each suite.
pub(super) fn joined(cases: Vec<TestCase>, same_name: &[SameName]) -> Vec<TestCase> {
    let mut known = HashMap::new();
    let mut all: Vec<TestCase> = Vec::with_capacity(cases.len());
    for case in cases {
        let how = same_name.get(case.suite).copied().unwrap_or_default();
        let key = || (case.suite, case.file.clone(), case.classname.clone(), case.name.clone());
        match how {
            SameName::OtherTest => all.push(case),
            SameName::Try | SameName::TryAfterFailure => match known.entry(key()) {
                std::collections::hash_map::Entry::Occupied(at) => {
                    let at: &usize = at.get();
                    go_on(&mut all[*at], case, how);
                }
                std::collections::hash_map::Entry::Vacant(free) => {
                    free.insert(all.len());
                    all.push(case);
                }
            },
        }
    }
    all
}

/// Adds the next try. A pass after a failure is flaky; a failure stays one until a pass follows.
fn go_on(first: &mut TestCase, next: TestCase, how: SameName) {
    let is_after_failure = match first.state {
        CaseState::Failed | CaseState::Flaky => true,
        CaseState::Passed => how == SameName::TryAfterFailure,
        // a part of the test was skipped, for example a subtest
        CaseState::Skipped | CaseState::Unknown => false,
    };
    if how == SameName::Try {
        if first.tries.is_empty() {
            first.tries.push(first.state);
        }
        first.tries.push(next.state);
    }
    first.state = match next.state {
        CaseState::Passed if is_after_failure => CaseState::Flaky,
        other => first.state.worse(other),
    };
    first.told.extend(next.told);
}
