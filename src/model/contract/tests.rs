use super::*;
use crate::model::scenario::{ScenarioFile, parse};
use crate::model::source::Problem;
use crate::tree::path::RepoPath;
use proptest::prelude::*;

const SCENARIOS: &str = "scenarios:\n  - name: works\n    description: d\n    expected: e\n    tags: [cli]\n";

const WHOLE: &str = r#"goal_contract:
  version: 1
  goal_text: Tell wines apart
  goal_type: ml_classification
  acceptance_criteria:
    - id: AC1
      kind: metric_threshold
      metric: CV-Accuracy
      op: ">="   # at least
      target: 0.90
    - id: AC2
      kind: marker_required
      marker: METRIC:baseline-accuracy
    - id: AC3
      kind: artifact_exists
      artifactPattern: "*.pkl"
    - id: AC4
      kind: finding_count
      minCount: 3
      scenario: works
      description: three of them
"#;

fn read(contract: &str) -> ScenarioFile {
    let text = format!("---\n{SCENARIOS}{contract}---\n");
    parse(&RepoPath::from_git("n/yatsu.md"), text.as_bytes(), &[])
}

/// The contract of a file without problems.
fn whole(contract: &str) -> Contract {
    let file = read(contract);
    assert_eq!(file.problems, []);
    file.goal.contract().expect("a contract").clone()
}

/// The only problem of a file with an invalid contract.
fn only(contract: &str) -> Problem {
    let file = read(contract);
    assert!(matches!(file.goal, Goal::Invalid(_)), "{contract}");
    match file.problems.as_slice() {
        [problem] => problem.clone(),
        other => panic!("not one problem: {other:#?}\n{contract}"),
    }
}

fn with(from: &str, to: &str) -> String {
    assert!(WHOLE.contains(from), "{from}");
    WHOLE.replace(from, to)
}

#[test]
fn a_contract_is_what_its_keys_say() {
    let contract = whole(WHOLE);
    assert_eq!((&*contract.goal_text, contract.goal_type), ("Tell wines apart", GoalType::MlClassification));
    assert_eq!(contract.max_goal_attempts, 3);
    assert_eq!(contract.at, Position { line: 7, column: 1 });
    let kinds: Vec<_> = contract.criteria.iter().map(|criterion| (&*criterion.id, criterion.kind.clone())).collect();
    assert_eq!(
        kinds[0],
        (
            "AC1",
            CriterionKind::MetricThreshold {
                metric: "cv_accuracy".into(),
                op: Op::AtLeast,
                target: Finite::new(0.9).unwrap(),
                unit: None
            }
        )
    );
    let marker = MarkerName::parse("METRIC:baseline_accuracy").unwrap();
    assert_eq!(kinds[1].1, CriterionKind::MarkerRequired { marker });
    assert!(matches!(&kinds[2].1, CriterionKind::ArtifactExists { pattern } if pattern.as_str() == "*.pkl"));
    assert_eq!(kinds[3].1, CriterionKind::FindingCount { min_count: 3 });
    assert_eq!(contract.criteria[3].scenario.as_deref(), Some("works"));
    assert_eq!(contract.criteria[3].at, Position { line: 23, column: 7 });
}

#[test]
fn a_file_without_a_contract_says_nothing_of_a_goal() {
    assert_eq!(read("").goal, Goal::Unset);
    let broken = parse(&RepoPath::root(), b"---\nscenarios: [\n---\n", &[]);
    assert_eq!((broken.goal, broken.problems.is_empty()), (Goal::Unset, false));
}

/// A contract that is only partly readable has no known meaning. So it is neither absent nor reduced to its readable part.
#[test]
fn a_contract_that_cannot_be_read_is_invalid_and_not_absent() {
    for text in [
        with("  goal_text: Tell", "  goal_text: 'Tell"),
        with("op: \">=\"", "op: >="),
        with("three of them", "three: of them"),
        with("Tell wines apart", "Tell: wines apart"),
        with("version: 1", "version: 1: 1"),
        with("op: \">=\"", "op: !="),
        with("version: 1", "version: &v 1"),
        with("version: 1", "version: 1\n  version: 1"),
        with("kind: finding_count", "kind: finding_count\n      kind: marker_required"),
        with("goal_contract:", "goal_contract: *x\nother:"),
        format!("{WHOLE}goal_contract:\n  version: 1\n"),
        format!("x: [\n{WHOLE}"),
        with("goal_contract", "goal-contract"),
        with("  goal_type", "goal_type"),
        format!("{WHOLE}y: {{\n"),
        "goal_contract:\n".to_owned(),
        "goal_contract: []\n".to_owned(),
        "goal_contract: x\n".to_owned(),
        "\tgoal_contract: {}\n".to_owned(),
    ] {
        for text in [format!("---\n{SCENARIOS}{text}---\n"), format!("---\n{text}{SCENARIOS}---\n")] {
            let file = parse(&RepoPath::root(), text.as_bytes(), &[]);
            assert!(matches!(file.goal, Goal::Invalid(_)), "{text}");
            assert!(!file.problems.is_empty(), "{text}");
        }
    }
    for bytes in [&b"goal_contract: x"[..], b"---\ngoal_contract: x\n", b"---\ngoal_contract: [\n---\n"] {
        assert_eq!(parse(&RepoPath::root(), bytes, &[]).goal, Goal::Invalid(Vec::new()), "{bytes:?}");
    }
}

#[test]
fn an_operator_that_yaml_reads_as_something_else_is_told_to_be_quoted() {
    for op in [">=", ">", "!="] {
        let problem = only(&with("\">=\"   # at least", op));
        assert!(problem.help.contains("quote"), "{op}: {problem:?}");
    }
    for op in ["<", "<=", "==", "\"!=\"", "'>'"] {
        whole(&with("\">=\"", op));
    }
}

/// The reports for one wrong value: the original text, its replacement, and parts of the message and the help.
const WRONG: [(&str, &str, &str, &str); 45] = [
    ("  version: 1\n", "", "no `version`", "add `version: 1`"),
    ("version: 1", "version: 2", "`version` must be 1, not `2`", "write `version: 1`"),
    ("version: 1", "version: 1.0", "`version` must be 1, not `1.0`", "write `version: 1`"),
    ("version: 1", "version: \"1\"", "`version` is the text \"1\"", "remove the quotes: version: 1"),
    ("version: 1", "version: [1]", "`version` needs a whole number, not a list", "write a whole number"),
    ("  goal_text: Tell wines apart\n", "", "no `goal_text`", "add `goal_text:"),
    ("Tell wines apart", "\" \"", "`goal_text` is blank", "write what"),
    ("Tell wines apart", "7", "`goal_text` needs text", "quote it"),
    ("ml_classification", "ml_clasification", "`goal_type` is `ml_clasification`", "did you mean `ml_classification`?"),
    ("ml_classification", "hypothesis_test", "`goal_type` is", "did you mean `statistical_test`?"),
    ("ml_classification", "poetry", "`goal_type` is", "write one of ml_classification, ml_regression"),
    ("  goal_type", "  max_goal_attempts: 0\n  goal_type", "from 1 to 100, not `0`", "one of these numbers"),
    ("  goal_type", "  max_goal_attempts: 101\n  goal_type", "from 1 to 100, not `101`", "one of these numbers"),
    ("  goal_type", "  max_goal_attempts: '3'\n  goal_type", "is the text \"3\"", "remove the quotes"),
    (
        "  goal_type",
        "  max_attempts: 3\n  goal_type",
        "unknown key `max_attempts`",
        "did you mean `max_goal_attempts`?",
    ),
    ("  goal_type", "  goalType: eda\n  goal_type", "unknown key `goalType`", "did you mean `goal_type`?"),
    ("AC2", "AC1", "duplicate id `AC1`: first on line 12, again on line 17", "its own id"),
    ("- id: AC2\n      kind", "- kind", "criterion 2: no `id`", "add `id: AC1`"),
    ("id: AC2", "id: 2", "criterion 2: `id` needs text", "quote it"),
    ("metric: CV-Accuracy", "metric: a:b", "criterion `AC1`: `metric` is `a:b`", "write the name alone"),
    ("      metric: CV-Accuracy\n", "", "criterion `AC1`: no `metric`", "add `metric: accuracy`"),
    ("\">=\"", "\"=>\"", "`op` is `=>`, which is none of >=, >, <=, <, ==, !=", "did you mean `>=`?"),
    ("\">=\"", "\"\u{2265}\"", "`op` is `\u{2265}`", "did you mean `>=`?"),
    ("\">=\"", "about", "`op` is `about`", "write one of >=, >, <=, <, ==, !="),
    ("op:", "operator:", "", "did you mean `op`?"),
    ("0.90", "\"0.90\"", "`target` is the text \"0.90\", not a number", "remove the quotes: target: 0.90"),
    ("0.90", ".nan", "`target` must be a finite number, not .nan", "enough"),
    ("0.90", "-.inf", "`target` must be a finite number, not -.inf", "enough"),
    ("0.90", "1e999", "which no finite number stands for", "write a number"),
    ("0.90", "85%", "`target` needs a number, not `85%`", "`unit: \"%\"`"),
    ("0.90", "1_000", "`target` needs a number, not `1_000`", "write digits"),
    ("0.90", "0x1F", "`target` needs a number, not `0x1F`", "write digits"),
    ("0.90", "true", "`target` needs a number, not `true`", "write digits"),
    ("0.90", "", "`target` is empty", "write a number"),
    ("target: 0.90", "target: 0.9\n      unit: m s", "`unit` is `m s`", "one word"),
    ("finding_count", "statistical_significance", "`kind` is `statistical_significance`", "marker_required"),
    ("artifact_exists", "artifact", "`kind` is `artifact`", "did you mean `artifact_exists`?"),
    ("finding_count", "min_count", "`kind` is `min_count`", "did you mean `finding_count`?"),
    ("minCount: 3", "min_count: 3", "", "did you mean `minCount`?"),
    ("minCount: 3", "minCount: -1", "`minCount` must be a whole number from 0, not `-1`", "digits"),
    ("minCount: 3", "minCount: 1.5", "`minCount` must be a whole number from 0, not `1.5`", "digits"),
    (
        "scenario: works",
        "scenario: wroks",
        "`scenario` names `wroks`, which this file does not declare",
        "did you mean `works`?",
    ),
    ("minCount: 3", "minCount: 3\n      target: 3", "`target` is a key of another kind", "this one has id, kind"),
    ("METRIC:baseline-accuracy", "\"a b\"", "`marker` is `a b`", "NAME or NAME:subtype"),
    ("\"*.pkl\"", "\"[a\"", "`artifactPattern` `[a` is no glob", "glob"),
];

#[test]
fn every_wrong_value_is_named_with_its_place_and_the_right_word() {
    for (from, to, message, help) in WRONG {
        let text = with(from, to);
        let file = read(&text);
        assert!(matches!(file.goal, Goal::Invalid(_)), "{to}");
        let says = |problem: &&Problem| problem.message.contains(message) && problem.help.contains(help);
        let problem = file.problems.iter().find(says).unwrap_or_else(|| panic!("{to}: {:#?}", file.problems));
        let line = text.lines().nth(problem.at.line as usize - 1 - 6).unwrap_or_default();
        let at_key = line.trim_start().starts_with("- ") || line.starts_with("goal_contract");
        let changed = to.is_empty() || to.lines().chain(from.lines()).any(|part| line.contains(part.trim()));
        assert!(changed || at_key, "{to}: {problem:?} points at {line:?}");
        assert!(problem.at.column > 0 && problem.at.line > 6, "{problem:?}");
    }
}

#[test]
fn a_list_of_criteria_has_one_to_a_hundred() {
    let head = WHOLE.split("    - id").next().unwrap();
    let of = |count: usize| {
        let criteria = (0..count).map(|n| format!("    - {{id: c{n}, kind: finding_count, minCount: {n}}}\n"));
        format!("{head}{}", criteria.collect::<String>())
    };
    assert_eq!(whole(&of(100)).criteria.len(), 100);
    assert_eq!(only(&of(101)).message, "101 criteria; the limit is 100");
    let empty = head.replace("acceptance_criteria:", "acceptance_criteria: []");
    assert!(only(&empty).message.contains("empty list"));
    assert!(only(head).message.contains("is empty, not a list"));
    assert!(only(&head.replace("acceptance_criteria:", "acceptance_criteria: [1]")).message.contains("entry 1"));
    let said = read(&head.replace("acceptance_criteria:", "criteria: [1]")).problems;
    assert_eq!((said.len(), &*said[1].help), (2, "did you mean `acceptance_criteria`?"));
}

#[test]
fn numbers_are_numbers_however_yaml_spells_them() {
    for (spelled, value) in [
        ("0.9", 0.9),
        (".9", 0.9),
        ("+0.9", 0.9),
        ("9e-1", 0.9),
        ("1e-3  # small", 1e-3),
        ("0", 0.0),
        ("-0.0", 0.0),
        ("7", 7.0),
    ] {
        let contract = whole(&with("0.90", spelled));
        let CriterionKind::MetricThreshold { target, .. } = &contract.criteria[0].kind else { panic!() };
        assert_eq!(*target, Finite::new(value).unwrap(), "{spelled}");
    }
}

#[test]
fn every_operator_compares_below_at_and_above_its_target() {
    let held = |op: Op| [0.4, 0.5, 0.6].map(|value| op.holds(Finite::new(value).unwrap(), Finite::new(0.5).unwrap()));
    let table = Op::ALL.map(|op| (op.as_str(), held(op)));
    assert_eq!(
        table,
        [
            (">=", [false, true, true]),
            (">", [false, false, true]),
            ("<=", [true, true, false]),
            ("<", [true, false, false]),
            ("==", [false, true, false]),
            ("!=", [true, false, true]),
        ]
    );
}

#[test]
fn a_pattern_without_a_slash_matches_a_name_and_one_with_a_slash_a_whole_path() {
    let matches =
        |pattern: &str, name: &str| ArtifactPattern::parse(pattern).unwrap().is_match(&RepoPath::from_git(name));
    for (pattern, yes, no) in [
        ("*.pkl", "reports/r/model.pkl", "model.pkl/x"),
        ("*.pkl", "model.pkl", "model.pklx"),
        ("models/**/*.pkl", "models/a.pkl", "xmodels/a.pkl"),
        ("models/**/*.pkl", "models/deep/er/a.pkl", "models/deep/er/a.txt"),
        ("figures/*.png", "figures/a.png", "x/figures/a.png"),
        ("figures/*.png", "figures/b.png", "figures/sub/a.png"),
        ("a?c", "abc", "x/abbc"),
        ("x/a?c", "x/abc", "x/a/c"),
        ("*.{pkl,onnx}", "m/a.onnx", "m/a.pt"),
        ("fold[0-9].txt", "fold7.txt", "foldx.txt"),
        ("./figures/*.png", "figures/a.png", "a.png"),
    ] {
        assert!(matches(pattern, yes), "{pattern} {yes}");
        assert!(!matches(pattern, no), "{pattern} {no}");
    }
}

#[test]
fn a_pattern_that_leaves_the_repository_is_unsafe() {
    for pattern in [
        "../x",
        "a/../b",
        "a/..",
        "/etc/*",
        "\\srv\\x",
        "C:\\x",
        "~/m.pkl",
        "a/~b",
        "{../x,y}",
        "{/etc/x,y}",
        "{a,/b}",
        "..\\x",
    ] {
        let said = ArtifactPattern::parse(pattern).unwrap_err();
        assert!(said.starts_with("is an unsafe pattern"), "{pattern}: {said}");
    }
    for (pattern, said) in [
        ("", "names no file"),
        ("a/", "names no file"),
        ("./", "names no file"),
        ("{a", "is no glob"),
        ("[z-a]", "is no glob"),
    ] {
        let found = ArtifactPattern::parse(pattern).unwrap_err();
        assert!(found.contains(said), "{pattern}: {found}");
    }
    assert!(ArtifactPattern::parse(&"*a".repeat(40)).unwrap_err().contains("limit"));
    assert!(ArtifactPattern::parse("a..b/x..").is_ok());
}

/// The texts were written by hand from docs/formats.md; the hashes were computed with Python's hashlib.
#[test]
fn the_content_hash_is_that_of_the_canonical_text() {
    let contract = whole(WHOLE);
    assert_eq!(
        canonical::text(&contract),
        r#"{"acceptance_criteria":[{"id":"AC1","kind":"metric_threshold","metric":"cv_accuracy","op":">=","target":0.9},{"id":"AC2","kind":"marker_required","marker":"METRIC:baseline_accuracy"},{"artifactPattern":"*.pkl","id":"AC3","kind":"artifact_exists"},{"id":"AC4","kind":"finding_count","minCount":3,"scenario":"works"}],"goal_type":"ml_classification","max_goal_attempts":3,"version":1}"#
    );
    assert_eq!(contract.content_hash().to_string(), "fc9f3b063b4e6ccb5235e1920ef0acdef07aedda2c8f6a060ceeaa622f357099");
    let small = "goal_contract:\n  version: 1\n  goal_text: g\n  acceptance_criteria: [{id: \"\u{e9}\\\"\", kind: metric_threshold, metric: t, op: <, target: 1.50e-9, unit: ms}]\n";
    assert_eq!(
        whole(small).content_hash().to_string(),
        "5d0313fc61d7e86ab778016682fde6de612f4d2ae483e73b0e2c58526f0c0009"
    );
}

/// The example in docs/formats.md.
#[test]
fn the_documents_vector_is_the_hash_of_its_contract() {
    let documented = include_str!("../../../docs/formats.md");
    let text =
        "goal_contract: {version: 1, goal_text: g, acceptance_criteria: [{id: A, kind: finding_count, minCount: 1}]}\n";
    let contract = whole(text);
    let vector = format!("    {}\n    {}\n", canonical::text(&contract), contract.content_hash());
    assert!(documented.contains(&vector), "{vector}");
}

#[test]
fn rewording_comments_order_and_spelling_leave_the_content_as_it_is() {
    let content = |text: &str| whole(text).content_hash();
    let before = content(WHOLE);
    let first = "    - id: AC1\n      kind: metric_threshold\n      metric: CV-Accuracy\n      op: \">=\"   # at least\n      target: 0.90\n";
    for text in [
        with("Tell wines apart", "Something else"),
        with("three of them", "or four"),
        with("      description: three of them\n", ""),
        with("   # at least", ""),
        format!("{}{first}", with(first, "")),
        with("0.90", "9e-1"),
        with("CV-Accuracy", "cv_accuracy"),
        with("METRIC:baseline-accuracy", "metric:Baseline_Accuracy"),
        with("\"*.pkl\"", "./*.pkl"),
        with("goal_type:", "max_goal_attempts: 3\n  goal_type:"),
    ] {
        assert_eq!(content(&text), before, "{text}");
    }
    let custom = content(&with("  goal_type: ml_classification\n", ""));
    assert_eq!(custom, content(&with("ml_classification", "custom")));
    assert_eq!(
        content(&with("ml_classification", "statistical")),
        content(&with("ml_classification", "statistical_test"))
    );
    for text in [
        with("0.90", "0.91"),
        with("\">=\"", "\">\""),
        with("AC1", "AC9"),
        with("target: 0.90", "target: 0.90\n      unit: ms"),
        with("      scenario: works\n", ""),
        with("goal_type:", "max_goal_attempts: 4\n  goal_type:"),
        with("minCount: 3", "minCount: 4"),
        with("*.pkl", "*.onnx"),
    ] {
        assert_ne!(content(&text), before, "{text}");
    }
}

#[test]
fn a_scenario_that_an_unreadable_entry_may_declare_is_not_complained_of() {
    let text = format!("---\n{SCENARIOS}  - name: 'b\n{}---\n", with("scenario: works", "scenario: b"));
    let file = parse(&RepoPath::root(), text.as_bytes(), &[]);
    assert!(matches!(file.goal, Goal::Invalid(_)));
    assert!(file.problems.iter().all(|problem| !problem.message.contains("does not declare")), "{:?}", file.problems);
}

#[test]
fn a_contract_may_stand_before_the_scenarios_and_the_faults_of_each_stay_apart() {
    let broken = SCENARIOS.replace("    tags: [cli]\n", "    tags: &t [cli]\n");
    for text in [format!("---\n{WHOLE}{broken}---\n"), format!("---\n{broken}{WHOLE}---\n")] {
        let file = parse(&RepoPath::root(), text.as_bytes(), &[]);
        let said: Vec<_> = file.problems.iter().map(|problem| problem.scenario.as_deref()).collect();
        assert_eq!(said, [Some("works")], "{:?}", file.problems);
        assert!(file.goal.contract().is_some());
        let contract = text.replace("version: 1", "version: 2").replace("&t ", "");
        let file = parse(&RepoPath::root(), contract.as_bytes(), &[]);
        let said: Vec<_> = file.problems.iter().map(|problem| problem.scenario.as_deref()).collect();
        assert_eq!(said, [None], "{:?}", file.problems);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]
    #[test]
    fn nothing_panics_and_only_a_file_without_problems_in_its_contract_has_one(
        cut in 0..WHOLE.len(),
        put in "(  |    - |id|kind|op|target|: |\\[|\\]|\\{|\\}|,|'|\"|#|&|\\*|!|>|\n|\t|\u{e9}|~|1|0.9|AC1|metric_threshold){0,8}",
        drop in 0usize..12,
    ) {
        let end = (cut + drop).min(WHOLE.len());
        let file = read(&format!("{}{put}{}\n", &WHOLE[..cut], &WHOLE[end..]));
        prop_assert!(!matches!(file.goal, Goal::Invalid(_)) || !file.problems.is_empty());
        if let Goal::Set(contract) = &file.goal {
            let above = |problem: &Problem| problem.scenario.is_some() && problem.at < contract.at;
            prop_assert!(file.problems.iter().all(above), "{:?}", file.problems);
            prop_assert!(!contract.criteria.is_empty());
        }
    }
}
