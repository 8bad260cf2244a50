use super::*;
use crate::features::runlogs::model::builtin::{self, MEASURE, QUALITY_PLAYBOOK};
use crate::features::runlogs::model::parse_profile;
use std::cell::RefCell;
use std::collections::BTreeMap;

/// A directory in memory.
#[derive(Default)]
struct Dir {
    files: BTreeMap<String, String>,
    untracked: Vec<String>,
    readings: u64,
    goals: Vec<NodeGoal>,
    /// Every path that was looked up.
    asked: RefCell<Vec<String>>,
}

impl Dir {
    fn of(files: &[(&str, &str)]) -> Self {
        let files = files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
        Self { files, ..Self::default() }
    }

    fn with(mut self, path: &str, text: &str) -> Self {
        self.files.insert(path.to_owned(), text.to_owned());
        self
    }

    fn without(mut self, path: &str) -> Self {
        self.files.remove(path);
        self
    }
}

impl Target for Dir {
    fn size(&self, path: &RepoPath) -> Result<Option<u64>> {
        self.asked.borrow_mut().push(path.to_string());
        Ok(self.files.get(&path.to_string()).map(|text| text.len() as u64))
    }

    fn read(&self, path: &RepoPath) -> Result<Option<Vec<u8>>> {
        Ok(self.files.get(&path.to_string()).map(|text| text.clone().into_bytes()))
    }

    fn below(&self, dir: &RepoPath) -> Result<Vec<RepoPath>> {
        let all = self.files.keys().map(|path| RepoPath::from_git(path.clone()));
        Ok(all.filter(|path| path.is_within(dir)).collect())
    }

    fn is_untracked(&self, path: &RepoPath) -> Result<bool> {
        Ok(self.untracked.contains(&path.to_string()))
    }

    fn readings(&self) -> Result<u64> {
        Ok(self.readings)
    }

    fn goals(&self) -> Result<Vec<NodeGoal>> {
        Ok(self.goals.clone())
    }
}

/// The unmet requirements of phase `n` of the playbook in `dir`.
fn phase(n: u32, dir: &Dir) -> Vec<String> {
    let playbook = builtin::find(QUALITY_PLAYBOOK).unwrap();
    told(&playbook.phase(n).unwrap().requires, dir, &LogEnds::default())
}

fn told(rules: &[ArtifactRule], dir: &Dir, ends: &LogEnds) -> Vec<String> {
    unmet(rules, dir, ends).unwrap().into_iter().map(|unmet| unmet.what).collect()
}

const NOTHING: [&str; 0] = [];

fn explored(lines: usize, heading: &str) -> Dir {
    let text = "text\n".repeat(lines.saturating_sub(1)) + heading + "\n";
    Dir::of(&[("quality/EXPLORATION.md", &text)])
}

#[test]
fn exploring_leaves_a_hundred_and_twenty_lines_with_a_finding() {
    for heading in ["## Finding 1", "## Open Exploration Findings", "## 3. Third", "##   Findings"] {
        assert_eq!(phase(1, &explored(120, heading)), NOTHING, "{heading}");
    }
    assert_eq!(phase(1, &explored(119, "## Finding")), ["quality/EXPLORATION.md has 119 lines, and needs 120"]);
    for heading in ["# Finding", "### Finding", " ## Finding", "## Summary", "##Finding"] {
        let [what] = &phase(1, &explored(120, heading))[..] else { panic!("{heading}") };
        assert!(what.contains("no line that matches"), "{heading}: {what}");
    }
    assert_eq!(phase(1, &Dir::default()), ["quality/EXPLORATION.md is not there"]);
}

const GENERATED: [&str; 10] = [
    "quality/REQUIREMENTS.md",
    "quality/QUALITY.md",
    "quality/CONTRACTS.md",
    "quality/COVERAGE_MATRIX.md",
    "quality/COMPLETENESS_REPORT.md",
    "quality/RUN_CODE_REVIEW.md",
    "quality/RUN_INTEGRATION_TESTS.md",
    "quality/RUN_SPEC_AUDIT.md",
    "quality/RUN_TDD_TESTS.md",
    "quality/test_functional.rs",
];

fn generated() -> Dir {
    Dir::of(&GENERATED.map(|path| (path, "x")))
}

#[test]
fn generating_leaves_nine_files_and_a_functional_test_none_of_them_empty() {
    assert_eq!(phase(2, &generated()), NOTHING);
    for path in GENERATED {
        assert_eq!(phase(2, &generated().without(path)).len(), 1, "without {path}");
        assert_eq!(phase(2, &generated().with(path, "")).len(), 1, "empty {path}");
    }
    let renamed = generated().without("quality/test_functional.rs").with("quality/test_functional.py", "x");
    assert_eq!(phase(2, &renamed), NOTHING, "of any language");
    let deeper = generated().without("quality/test_functional.rs").with("quality/a/test_functional.py", "x");
    assert_eq!(phase(2, &deeper).len(), 1);
}

#[test]
fn a_review_leaves_a_file_and_a_patch_where_there_are_bugs() {
    let reviewed = Dir::of(&[("quality/code_reviews/1.md", "")]);
    assert_eq!(phase(3, &reviewed), NOTHING);
    assert_eq!(phase(3, &Dir::default()), ["quality/code_reviews/* must match at least 1 file, and matches 0"]);
    let with_bugs = reviewed.with("quality/BUGS.md", "# Bugs\n### BUG-001: x\n");
    assert_eq!(
        phase(3, &with_bugs),
        ["quality/patches/BUG-*-regression-test.patch must match at least 1 file, and matches 0"]
    );
    assert_eq!(phase(3, &with_bugs.with("quality/patches/BUG-001-regression-test.patch", "")), NOTHING);
    let without = Dir::of(&[("quality/code_reviews/1.md", ""), ("quality/BUGS.md", "no ### BUG-001\n## BUG-1\n")]);
    assert_eq!(phase(3, &without), NOTHING);
}

#[test]
fn an_audit_leaves_a_triage_and_an_auditor_or_two_files_of_other_names() {
    let audit = |names: &[&str]| {
        let dir = names.iter().fold(Dir::default(), |dir, name| dir.with(&format!("quality/spec_audits/{name}"), ""));
        phase(4, &dir).len()
    };
    assert_eq!(audit(&["2026-triage.md", "2026-auditor-1.md"]), 0);
    assert_eq!(audit(&["a.md", "b.md"]), 0);
    assert_eq!(audit(&["a.md"]), 2);
    assert_eq!(audit(&["2026-triage.md", "b.md"]), 1, "one pattern matches: no falling back");
    assert_eq!(audit(&["2026-auditor-1.md", "2026-auditor-2.md"]), 1);
    assert_eq!(audit(&[]), 2);
}

#[test]
fn reconciling_leaves_results_and_two_files_for_each_bug() {
    assert_eq!(phase(5, &Dir::default()), NOTHING);
    let bugs = Dir::of(&[("quality/BUGS.md", "### BUG-001: a\n### BUG-H2\r\n### BUG-001 again\n")]);
    assert_eq!(
        phase(5, &bugs),
        [
            "quality/results/tdd-results.json is not there",
            "quality/writeups/BUG-001.md is not there",
            "quality/results/BUG-001.red.log is not there",
            "quality/writeups/BUG-H2.md is not there",
            "quality/results/BUG-H2.red.log is not there",
        ]
    );
    let done = ["BUG-001", "BUG-H2"].iter().fold(bugs.with("quality/results/tdd-results.json", "{}"), |dir, bug| {
        dir.with(&format!("quality/writeups/{bug}.md"), "").with(&format!("quality/results/{bug}.red.log"), "")
    });
    assert_eq!(phase(5, &done), NOTHING);
    assert_eq!(phase(5, &done.with("quality/results/tdd-results.json", "")).len(), 1);
}

#[test]
fn verifying_leaves_the_log_of_the_gate_and_a_section_of_the_page() {
    let page = |text| Dir::of(&[("quality/results/quality-gate.log", "ok"), ("quality/PROGRESS.md", text)]);
    assert_eq!(phase(6, &page("# P\n\n## Terminal Gate Verification\n")), NOTHING);
    assert_eq!(phase(6, &page("the Terminal Gate Verification is to come\n")).len(), 1);
    assert_eq!(phase(6, &page("## Terminal Gate Verification").with("quality/results/quality-gate.log", "")).len(), 1);
    assert_eq!(phase(6, &Dir::default()).len(), 2);
}

#[test]
fn the_end_of_a_run_counts_the_bugs() {
    let end = |text: &str, said: Option<i64>| {
        let dir = if text.is_empty() { Dir::default() } else { Dir::of(&[("quality/BUGS.md", text)]) };
        let count = said.map(|said| (("phase_end".to_owned(), "key_counts.bugs_md_count".to_owned()), said));
        let ends = LogEnds { counts: count.into_iter().collect(), ..LogEnds::default() };
        told(&builtin::find(QUALITY_PLAYBOOK).unwrap().end, &dir, &ends)
    };
    assert_eq!(end("### BUG-1\n### BUG-2\n", Some(2)), NOTHING);
    assert_eq!(end("", Some(0)), NOTHING, "no file is none");
    assert_eq!(end("### BUG-1\n", Some(2)), ["phase_end says key_counts.bugs_md_count 2, and quality/BUGS.md has 1"]);
    assert_eq!(end("### BUG-1\n", Some(-1)).len(), 1);
    assert_eq!(end("", None), ["no phase_end says key_counts.bugs_md_count, and quality/BUGS.md has 0"]);
}

#[test]
fn a_run_of_our_own_leaves_readings_and_goals() {
    let measure = builtin::find(MEASURE).unwrap();
    let rules = |n| &measure.phase(n).unwrap().requires;
    let none = LogEnds::default();
    assert_eq!(told(rules(3), &Dir::default(), &none), ["1 reading of this run must be filed, and 0 are"]);
    assert_eq!(told(rules(3), &Dir { readings: 1, ..Dir::default() }, &none), NOTHING);
    let goal = |status: &str| NodeGoal { node: ".spec/n".into(), status: status.into() };
    assert_eq!(told(rules(4), &Dir { goals: vec![goal("SUCCESS")], ..Dir::default() }, &none), NOTHING);
    assert_eq!(told(rules(4), &Dir::default(), &none), NOTHING, "a node without a contract is fine");
    let short = Dir { goals: vec![goal("PARTIAL")], ..Dir::default() };
    assert_eq!(
        told(rules(4), &short, &none),
        ["the goal of .spec/n must be SUCCESS, and is PARTIAL: yatsu-hook goal check .spec/n"]
    );
}

/// The rules of a project.
fn rules(text: &str) -> Vec<ArtifactRule> {
    let profile = format!(
        r#"{{"name":"p","schemaVersion":"1","events":{{"_index":{{"position":"first"}},"go":{{"position":"second"}}}},"end":{{"requires":[{text}]}}}}"#
    );
    parse_profile("p", profile.as_bytes()).unwrap().end
}

#[test]
fn what_leads_out_of_the_directory_is_not_there_and_nobody_looks() {
    let out = r#"{"file":"../secret"},{"file":"/etc/passwd"},{"file":"a/../../b"},{"file":".git/config"},
                 {"glob":"../*"},{"glob":"/etc/*"},
                 {"forEachHeading":{"file":"list","regex":"^(.*)$"},"files":["{1}"]},
                 {"whenHeading":{"file":"../x","regex":"."},"then":[{"file":"never"}]}"#;
    let dir = Dir::of(&[("list", "../../etc/passwd\n"), ("b", "")]);
    let found = told(&rules(out), &dir, &LogEnds::default());
    assert_eq!(found.len(), 7, "{found:#?}");
    assert!(found.iter().all(|what| what.contains("leads out of the run's directory")), "{found:#?}");
    assert_eq!(dir.asked.borrow().as_slice(), ["list"]);
}

#[test]
fn untracked_and_not_there_are_told_apart() {
    let dir = Dir { untracked: vec!["quality/EXPLORATION.md".into()], ..Dir::default() };
    let found = unmet(&builtin::find(QUALITY_PLAYBOOK).unwrap().phase(1).unwrap().requires, &dir, &LogEnds::default());
    let [unmet] = &found.unwrap()[..] else { panic!("one") };
    assert!(unmet.untracked && unmet.what.contains("is untracked: git add it"), "{unmet:?}");
}

#[test]
fn a_bound_from_above_asks_for_nothing_to_be_there() {
    let most = rules(r#"{"glob":"a/*","max":1}"#);
    assert_eq!(told(&most, &Dir::default(), &LogEnds::default()), NOTHING);
    let two = Dir::of(&[("a/1", ""), ("a/2", "")]);
    assert_eq!(told(&most, &two, &LogEnds::default()), ["a/* must match at most 1 file, and matches 2"]);
}
