//! `runlog-artifacts`: a finished phase or run has left the files that its profile requires.

use crate::features::runlogs::judge::change::{LogChange, UnmetEnd, WeakerProfile};
use crate::finding::{Finding, Grounds, Location, RuleId};
use crate::rules::gate_lowered::gate;
use crate::rules::wording::at_line;
use crate::rules::{CHANGES, Change, Check, Explanation, Rule, plain_rule};

pub(crate) const RULE: Rule = plain_rule(
    RuleId::RunlogArtifacts,
    &Explanation::of(
        "A phase or a run has ended in the log, and files that it must leave behind are missing.",
        "Resuming a run trusts the files more than the events: later phases cannot build on a phase without its files.",
        "git add the files of the phase, or end the phase when they are there: `yatsu-hook runlog phase end N` checks them first. \
         `yatsu-hook runlog check` judges the files on disk.",
    ),
    CHANGES,
    &[Check::Change(check), Check::Change(profile_lowered)],
);

/// The number of missing artifacts that one finding names.
const NAMED: usize = 5;

fn check(change: &Change<'_>, found: &mut Vec<Finding>) {
    change.view.parts.get().into_iter().for_each(|logs| unmet_ends(logs, found));
}

/// Names each profile of the project that requires less than before, by the rule `gate-lowered`.
fn profile_lowered(change: &Change<'_>, found: &mut Vec<Finding>) {
    if let (Some(_), Some(logs)) = (gate(change), change.view.parts.get::<LogChange>()) {
        found.extend(logs.weaker.iter().map(asks_for_less));
    }
}

fn asks_for_less(weaker: &WeakerProfile) -> Finding {
    let mut finding = Finding::new(RuleId::GateLowered, format!("this profile asks for less: {}", weaker.what));
    finding.location = Some(Location { path: weaker.file.to_bstring(), line: None, column: None });
    finding.help =
        "say in the commit message why, or take it back; later changes to run logs are judged by it alone".into();
    finding.key = format!("{}|{}", weaker.file, weaker.what);
    finding
}

pub(crate) fn unmet_ends(logs: &LogChange, found: &mut Vec<Finding>) {
    found.extend(logs.unmet.iter().map(finding));
}

fn finding(end: &UnmetEnd) -> Finding {
    let mut named: Vec<&str> = end.unmet.iter().take(NAMED).map(|unmet| unmet.what.as_str()).collect();
    let rest = format!("and {} more", end.unmet.len().saturating_sub(NAMED));
    if end.unmet.len() > NAMED {
        named.push(&rest);
    }
    let mut finding = Finding::new(RuleId::RunlogArtifacts, format!("{} ended, but: {}", end.what, named.join("; ")));
    finding.location = at_line(&end.path, end.line);
    finding.help = if end.unmet.iter().any(|unmet| unmet.untracked) {
        "git add what is untracked; the files on disk: yatsu-hook runlog check".into()
    } else {
        "produce what is missing; the files on disk: yatsu-hook runlog check".into()
    };
    if end.unmet.iter().all(|unmet| unmet.uncounted) {
        finding.grounds = Grounds::Entry;
    }
    finding.key = format!("{}|{}", end.path, end.what);
    finding
}

#[cfg(test)]
mod tests {
    use crate::features::runlogs::judge::change::{LogChange, UnmetEnd, WeakerProfile};
    use crate::features::runlogs::judge::engine::artifacts::Unmet;
    use crate::finding::RuleId;
    use crate::rules::tests::case::Case;
    use crate::tree::path::RepoPath;

    #[test]
    fn an_end_names_what_it_lacks_and_whether_it_is_only_untracked() {
        let told = |untracked| {
            let what = if untracked { "a/quality/BUGS.md is untracked" } else { "a/quality/BUGS.md is not there" };
            let unmet = vec![Unmet { untracked, ..Unmet::of(what.into()) }];
            let end = UnmetEnd {
                path: RepoPath::from_git("a/quality/run_state.jsonl"),
                line: 4,
                what: "phase 3".into(),
                unmet,
            };
            let logs = LogChange { unmet: vec![end], ..LogChange::default() };
            Case::new().committed().told_of(RuleId::RunlogArtifacts, |_, facts| facts.parts.put(logs.clone()), |_| {})
        };
        insta::assert_snapshot!(told(false), @"
        a/quality/run_state.jsonl:4:1: warning[runlog-artifacts]: phase 3 ended, but: a/quality/BUGS.md is not there
            help: produce what is missing; the files on disk: yatsu-hook runlog check
        ");
        insta::assert_snapshot!(told(true), @"
        a/quality/run_state.jsonl:4:1: warning[runlog-artifacts]: phase 3 ended, but: a/quality/BUGS.md is untracked
            help: git add what is untracked; the files on disk: yatsu-hook runlog check
        ");
    }

    #[test]
    fn a_profile_that_asks_for_less_is_named_at_its_file() {
        let weaker = WeakerProfile { file: RepoPath::from_git("own.json"), what: "phase 2 is gone".into() };
        let logs = LogChange { weaker: vec![weaker], ..LogChange::default() };
        let told = Case::new().committed();
        let told = told.told_of(RuleId::GateLowered, |_, facts| facts.parts.put(logs.clone()), |_| {});
        insta::assert_snapshot!(told, @"
        own.json: warning[gate-lowered]: this profile asks for less: phase 2 is gone
            help: say in the commit message why, or take it back; later changes to run logs are judged by it alone
        ");
    }
}
