use super::*;
use proptest::prelude::*;

const ENTRY: &str = "  - name: a\n    description: measure it\n    expected: it works\n    tags: [cli]\n";

fn read(body: &str) -> ScenarioFile {
    let path = RepoPath::parse(b".spec/node/yatsu.md").unwrap();
    parse(&path, format!("---\nscenarios:\n{body}---\n").as_bytes(), &["cli".to_owned()])
}

fn only(file: &ScenarioFile) -> &Problem {
    match file.problems.as_slice() {
        [problem] => problem,
        other => panic!("not one problem: {other:#?}"),
    }
}

fn keys(file: &ScenarioFile) -> Vec<&str> {
    file.problems.iter().map(|problem| problem.key.as_str()).collect()
}

#[test]
fn a_scenario_is_what_its_entry_says() {
    let file = read(&format!("{ENTRY}    test: t.sh\n    code: a.rs#sym, ?src/{{b,c}}.rs\n    related: [x, y]\n"));
    assert!(file.problems.is_empty(), "{:?}", file.problems);
    let scenario = &file.scenarios[0];
    assert_eq!(scenario.at, Position { line: 3, column: 5 });
    assert_eq!(scenario.tags, ["cli"]);
    let code: Vec<_> = scenario.code.iter().map(|path| (path.text.as_str(), path.optional)).collect();
    assert_eq!(code, [("a.rs", false), ("src/{b,c}.rs", true)]);
    assert_eq!(scenario.related.len(), 2);
    assert_eq!(scenario.text_hash, text_hash("measure it", "it works"));
}

#[test]
fn a_number_sign_begins_a_selector_quoted_or_not() {
    let file = read(&format!("{ENTRY}    code: [\"a#b\", a#b.c, 'c,d']\n    related: e#f\n    test: g#h\n"));
    let scenario = &file.scenarios[0];
    let told: Vec<_> = scenario.code.iter().map(|path| (path.text.as_str(), path.symbol())).collect();
    assert_eq!(told, [("a", Some("b")), ("a", Some("b.c")), ("c,d", None)]);
    let others = scenario.related.iter().chain(&scenario.test);
    let told: Vec<_> = others.map(|path| (path.text.as_str(), path.symbol())).collect();
    assert_eq!(told, [("e", None), ("g", None)]);
}

#[test]
fn a_test_is_relative_to_the_top_or_to_the_node() {
    for test in ["sub/t.sh", "{path: sub/t.sh, name: one}"] {
        let file = read(&format!("{ENTRY}    test: {test}\n"));
        let path = file.scenarios[0].test.as_ref().unwrap();
        assert_eq!(path.path, RepoPath::parse(b"sub/t.sh"));
        assert_eq!(path.node_relative, RepoPath::parse(b".spec/node/sub/t.sh").ok());
    }
    let file = read(&format!("{ENTRY}    test: ../../t.sh\n"));
    assert!(file.problems.is_empty());
    assert_eq!(file.scenarios[0].test.as_ref().unwrap().node_relative, RepoPath::parse(b"t.sh").ok());
    let file = read(&format!("{ENTRY}    test: ../../../t.sh\n"));
    assert_eq!(only(&file).message, "`test` path `../../../t.sh` leaves the repository");
    let file = read(&format!("{ENTRY}    code: ../../t.sh\n"));
    assert_eq!(only(&file).message, "`code` path `../../t.sh` leaves the repository");
}

#[test]
fn a_malformed_file_still_gives_its_usable_scenarios() {
    let second = ENTRY.replace("name: a", "name: b").replace("    tags: [cli]\n", "");
    let third = ENTRY.replace("name: a", "name: c").replace("expected: it works", "expected: 1.0");
    let file = read(&format!("{ENTRY}{second}{third}"));
    let names: Vec<_> = file.scenarios.iter().map(|scenario| scenario.name.as_str()).collect();
    assert_eq!(names, ["a", "b", "c"]);
    let said: Vec<_> = file.problems.iter().map(|problem| (problem.scenario.as_deref(), problem.at.line)).collect();
    assert_eq!(said, [(Some("b"), 7), (Some("c"), 12)]);
    assert!(!file.cut_short);
}

#[test]
fn a_slip_of_yaml_in_one_entry_leaves_the_others_and_the_name() {
    let named = |name: &str| ENTRY.replace("name: a", &format!("name: {name}"));
    let other = named("c");
    for (slip, line, column) in [
        ("expected: it works: well", 10, 23),
        ("expected: it works: well\n      and goes on", 10, 23),
        ("expected: 'it works", 10, 15),
        ("expected: [it, works", 10, 5),
        ("expected: \"it\" works", 10, 20),
    ] {
        let file = read(&format!("{ENTRY}{}{other}", named("b").replace("expected: it works", slip)));
        let names: Vec<_> = file.scenarios.iter().map(|scenario| scenario.name.as_str()).collect();
        assert_eq!((names, file.cut_short), (vec!["a", "b", "c"], false), "{slip}");
        let problem = only(&file);
        assert_eq!(problem.scenario.as_deref(), Some("b"), "{slip}");
        assert_eq!(problem.at, Position { line: line - 1, column }, "{slip}");
        assert_eq!(
            file.scenarios.iter().map(|one| one.unread.text).collect::<Vec<_>>(),
            [false, true, false],
            "{slip}"
        );
        assert_eq!(file.scenarios[2].tags, ["cli"], "{slip}");
    }
    let kept = read(&ENTRY.replace("expected: it works", "expected: it works: well\n      and on   # or not"));
    assert_eq!(kept.scenarios[0].expected, "it works: well and on");
    let hash = text_hash("measure it", "it works: well and on");
    assert_eq!(kept.scenarios[0].text_hash, hash, "a text that more forgiving tools read is the text");
}

#[test]
fn an_entry_without_a_readable_name_may_declare_anything() {
    for broken in
        ["  - name: 'a\n", "  - name:\n    tags: [cli]\n", "  - [x\n", "  - name: a\n   - name: b\n    tags: [cli]\n"]
    {
        let file = read(&format!("{ENTRY}{broken}"));
        assert!(file.cut_short && !file.problems.is_empty(), "{broken}: {file:?}");
        assert_eq!(file.scenarios[0].name, "a", "{broken}");
    }
    let flow = read("  [{name: a, tags: [cli]}, {name: 'b}]\n");
    assert!(flow.cut_short && !flow.problems.is_empty(), "{flow:?}");
    let file = read(&format!("{ENTRY}{}", ENTRY.replace("name: a", "name: b: c")));
    let names: Vec<_> = file.scenarios.iter().map(|scenario| scenario.name.as_str()).collect();
    assert_eq!((names, file.cut_short), (vec!["a", "b: c"], false));
    assert_eq!(only(&file).at, Position { line: 7, column: 12 });
}

#[test]
fn of_two_names_the_first_usable_one_counts() {
    let broken = ENTRY.replace("    expected: it works\n", "");
    let file = read(&format!("{broken}{ENTRY}{}", ENTRY.replace("measure it", "other")));
    assert_eq!(file.scenarios.len(), 1);
    assert_eq!(file.scenarios[0].description, "measure it");
    assert_eq!(file.problems.len(), 3);
    assert!(file.problems[1].message.contains("first on line 3, again on line 6"));
}

#[test]
fn keys_survive_a_shift_and_a_new_wrapping() {
    let bad =
        "  - name: b\n    description: measure it twice\n    expected: it works\n    tags: [nope]\n    expcted: x\n";
    let wrapped = "    -   name: 'b'\n        description: >-\n          measure\n          it twice\n        expected: \"it works\"\n\n        tags:\n        - nope\n        expcted: x\n";
    let base = read(bad);
    assert_eq!(base.problems.len(), 2);
    assert_eq!(keys(&base), keys(&read(&format!("\n{ENTRY}{bad}"))));
    assert_eq!(keys(&base), keys(&read(wrapped)));
    assert_ne!(keys(&base), keys(&read(&bad.replace("twice", "thrice"))));
    assert!(keys(&base)[0].starts_with("tag-library:nope|"), "{:?}", keys(&base));
}

#[test]
fn a_second_copy_of_a_malformed_entry_is_another_problem() {
    let bad = "  - name: b\n    description: d\n";
    let once = read(bad);
    let twice = read(&format!("{bad}{bad}"));
    let unique: std::collections::HashSet<_> = keys(&twice).into_iter().collect();
    assert_eq!(unique.len(), twice.problems.len());
    assert!(keys(&once).iter().all(|key| unique.contains(key)));
}

#[test]
fn faults_of_the_syntax_belong_to_their_entry() {
    let file = read(&format!("{ENTRY}    related: &x y\n{}", ENTRY.replace("name: a", "name: b")));
    assert_eq!(only(&file).scenario.as_deref(), Some("a"));
    let shifted = read(&format!("# c\n\n{ENTRY}    related: &x y\n"));
    assert_eq!(keys(&file), keys(&shifted));
}

#[test]
fn a_test_may_allow_skips() {
    let skips = |test: &str| {
        let file = read(&format!("{ENTRY}    test: {test}\n"));
        (file.scenarios[0].test_skips, file.problems.first().map(|problem| problem.message.clone()))
    };
    assert_eq!(skips("{path: t.sh, skips: allow}"), (true, None));
    assert_eq!(skips("{path: t.sh}"), (false, None));
    for (test, message) in [
        ("{path: t.sh, skips: deny}", "`skips` is `deny`; its one value is `allow`"),
        ("{path: t.sh, skips: true}", "`skips` needs text: YAML reads `true` as a bool"),
        ("{path: t.sh, skips: [allow]}", "`skips` needs text, not a list"),
        ("{skips: allow}", "`test` has no `path` and no `command`"),
    ] {
        assert_eq!(skips(test).1.as_deref(), Some(message), "{test}");
    }
}

#[test]
fn a_command_is_found_at_its_line() {
    let text = "---\nscenarios:\n  - {name: a, test: {command: x}}\n  - name: b\n    test:\n      path: t.sh\n      command: y\n  - \
                {name: c, test: t.sh}\n  - {name: d, test: {command: \"a\\nb\"}}\n---\n";
    assert_eq!(command_lines(text.as_bytes()), [("a".to_owned(), 3), ("b".to_owned(), 7)]);
    assert_eq!(command_lines(b"no scenarios"), []);
}

#[test]
fn a_test_may_have_a_command_on_one_line() {
    let command = |test: &str| read(&format!("{ENTRY}    test: {test}\n")).scenarios[0].test_command.clone();
    assert_eq!(command("{command: \" cargo test --locked \"}").as_deref(), Some("cargo test --locked"));
    assert_eq!(command("{path: t.sh, command: \"sh\\tt.sh\"}").as_deref(), Some("sh\tt.sh"));
    assert_eq!(command("{path: t.sh}"), None);
    let longest = "\u{e9}".repeat(1000);
    assert_eq!(command(&format!("{{command: {longest}}}")), Some(longest.clone()));
    for (test, message) in [
        ("{name: one}".to_owned(), "`test` has no `path` and no `command`"),
        ("{command: \"a\\nb\"}".into(), "`command` holds a line break"),
        (format!("{{command: {longest}x}}"), "`command` has 1001 characters; the limit is 1000"),
        ("{command: [a]}".into(), "`command` needs text, not a list"),
        ("{command: ' '}".into(), "`command` is blank"),
    ] {
        let file = read(&format!("{ENTRY}    test: {test}\n"));
        assert_eq!(only(&file).message, message, "{test}");
        assert_eq!(file.scenarios[0].test_command, None, "{test}");
    }
}

#[test]
fn an_empty_library_switches_membership_off_and_nothing_else() {
    let of = |tags: &str| {
        let text = format!("---\nscenarios:\n{}---\n", ENTRY.replace("[cli]", tags));
        parse(&RepoPath::root(), text.as_bytes(), &[]).problems.len()
    };
    assert_eq!((of("[anything]"), of("[]"), of("[1]"), of("[\"\"]")), (0, 1, 1, 1));
}

#[test]
fn the_repair_names_both_ways() {
    let file = read(&ENTRY.replace("[cli]", "[clii]"));
    let problem = only(&file);
    assert!(problem.message.contains("library lint.scenarioTags (cli)"), "{problem:?}");
    assert!(problem.help.contains("use one of those") && problem.help.contains("add it to lint.scenarioTags"));
}

#[test]
fn the_nearest_key_is_offered() {
    for (key, help) in [
        ("expcted", "did you mean `expected`?"),
        ("Tags", "did you mean `tags`?"),
        ("naem", "did you mean `name`?"),
        ("desc", "did you mean `description`?"),
        ("owner", "the keys are name, description, expected, tags, test, code, related, runs, env"),
    ] {
        assert_eq!(only(&read(&format!("{ENTRY}    {key}: x\n"))).help, help, "{key}");
    }
}

#[test]
fn the_texts_of_an_old_version_are_found_by_name() {
    let text = format!("---\nscenarios:\n{}---\n", ENTRY.replace("name: a", "name: caf\u{e9}"));
    let told = |description: &str, expected: &str| OldScenario {
        name: "caf\u{e9}".into(),
        description: description.into(),
        expected: expected.into(),
        code: std::rc::Rc::default(),
    };
    assert_eq!(texts(text.as_bytes()), [told("measure it", "it works")]);
    assert!(texts(b"no frontmatter").is_empty());
    let scenario = &read(ENTRY).scenarios[0];
    assert_eq!(told("measure\n  it", " it works").text_hash(), scenario.text_hash);
    assert_ne!(told("measure it", "it worked").text_hash(), scenario.text_hash);
    assert_ne!(told("measure it it", "works").text_hash(), scenario.text_hash);
}

/// The expected result of [`texts`]: the scenarios that a complete reading finds.
fn told_by_parse(bytes: &[u8]) -> Vec<(String, EvidenceHash)> {
    let file = parse(&RepoPath::root(), bytes, &[]);
    file.scenarios.into_iter().map(|scenario| (scenario.name, scenario.text_hash)).collect()
}

/// The same from [`texts`]; if two have one name, the first counts.
fn told(bytes: &[u8]) -> Vec<(String, EvidenceHash)> {
    let mut met = std::collections::HashSet::new();
    let first = texts(bytes).into_iter().filter(|told| met.insert(crate::model::ids::nfc(&told.name)));
    first.map(|told| (told.name, text_hash(&told.description, &told.expected))).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]
    #[test]
    fn nothing_panics(body in "(  - |    |name|tags|test|code|: |a|\\[|\\]|\\{|\\}|,|'|\"|#|\\?|&|\\*|\n|\t|\u{e9}|\u{0}|\r|~|1){0,60}", bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let file = read(&format!("{body}\n"));
        let unique: std::collections::HashSet<_> = keys(&file).into_iter().collect();
        prop_assert_eq!(unique.len(), file.problems.len());
        parse(&RepoPath::root(), &bytes, &[]);
        let text = format!("---\nscenarios:\n{ENTRY}{body}\n---\n");
        prop_assert_eq!(told(text.as_bytes()), told_by_parse(text.as_bytes()));
        parse(&RepoPath::root(), &[b"---\nscenarios:\n", bytes.as_slice(), b"\n---\n"].concat(), &[]);
    }
}
