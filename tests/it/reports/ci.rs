//! The reports for CI: the places of annotations, their number, and that text of a repository is never markup or a
//! command.

use crate::support::{Scratch, one_node, reading, scenarios, validate_published, validate_sarif};

/// Allows many scenarios to govern one file.
const MANY: &str = "{\"lint\": {\"maxOwners\": 1000}}";

/// A node with this number of measured scenarios over `code`.
fn many(count: usize, code: &str) -> Scratch {
    let s = Scratch::new();
    s.write("src/a.rs", "fn a() {}\n");
    s.write("spexcode.json", MANY);
    let names: Vec<String> = (0..count).map(|n| format!("s{n:03}")).collect();
    let list: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), code)).collect();
    s.write(".spec/n/yatsu.md", scenarios(&list));
    s.commit("first");
    names.iter().for_each(|name| reading(&s, ".spec/n", name, "pass", 1));
    s.commit("measured");
    s
}

fn range<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&["check", "--from", "HEAD~1", "--to", "HEAD"], more].concat()
}

#[test]
fn what_moved_is_shown_on_a_file_that_is_still_there() {
    let s = many(2, "src");
    s.write("src/b.rs", "fn b() {}\n");
    s.commit("beside");
    s.git(&["rm", "-q", "src/a.rs"]);
    s.write("src/b.rs", "fn b() { 1; }\n");
    s.commit("one goes, one changes");
    let said = s.yatsu(&range(&["--format", "github"])).expect(0).out;
    assert!(!said.contains("file=src/a.rs"), "{said}");
}

#[test]
fn a_scenario_that_is_called_like_a_command_is_none() {
    for name in ["'::error::x'", "'##[error]x'", "'%0A::error::x'", "'] ::stop-commands::x'"] {
        let s = one_node();
        s.write(".spec/n/yatsu.md", s.read(".spec/n/yatsu.md").replace("works\n", &format!("{name}\n")));
        s.commit("named");
        let said = s.yatsu(&["check", "--format", "github"]);
        let ours = ["::error ", "::warning ", "::notice "];
        assert!(said.out.lines().all(|line| ours.iter().any(|begin| line.starts_with(begin))), "{}", said.out);
        assert!(!said.out.contains("##[") && !said.out.contains(" %0A"), "{}", said.out);
    }
}

#[test]
fn older_findings_are_one_sentence_or_folded() {
    let s = many(3, "src");
    s.write("src/a.rs", "fn a() { 1; }\n");
    s.commit("moved");
    s.write("README.md", "harmless\n");
    s.commit("harmless");
    let said = |how: &str| s.yatsu(&range(&["--format", "markdown", "--inherited", how])).expect(0).out;
    assert!(said("count").ends_with("\n### Older\n\n`3 older findings, not from this change: yatsu-hook scan`\n"));
    let listed = said("list");
    assert!(
        listed.contains("<details><summary>3 older findings, not from this change</summary>\n\n| level"),
        "{listed}"
    );
    assert!(!said("hide").contains("Older"));
    s.write("src/a.rs", "fn a() {}\n");
    s.commit("taken back");
    assert!(said("count").contains("\n### This change\n\nThis change ends 3 findings.\n"), "{}", said("count"));
    let github = s.yatsu(&range(&["--format", "github"])).expect(0).out;
    assert_eq!(github, "", "what ended is no annotation");
}

#[test]
fn two_commits_give_the_same_fingerprints() {
    let s = many(3, "src");
    let prints = |s: &Scratch| -> Vec<String> {
        let log = validate_sarif(&s.yatsu(&["scan", "--format", "sarif"]).expect(0).out);
        let results = log["runs"][0]["results"].as_array().expect("a list").clone();
        results.iter().map(|result| result["partialFingerprints"]["yatsuFinding/v1"].to_string()).collect()
    };
    s.write("src/a.rs", "fn a() { 1; }\n");
    s.commit("moved");
    let before = prints(&s);
    assert_eq!(before.len(), 3);
    let shifted = s.read(".spec/n/yatsu.md").replace("scenarios:\n", "# a line above\n\nscenarios:\n");
    s.write(".spec/n/yatsu.md", shifted);
    s.write("src/a.rs", "fn a() { 2; }\n");
    s.commit("moved again, and all lines shifted");
    assert_eq!(prints(&s), before);
}

/// The value of an attribute in an element.
fn value<'x>(element: &'x str, key: &str) -> &'x str {
    let at = element.find(&format!(" {key}=\"")).unwrap_or_else(|| panic!("{key} in {element}")) + key.len() + 3;
    element[at..].split('"').next().expect("a value")
}

#[test]
fn an_error_about_a_scenario_is_the_message_of_its_test_case() {
    let s = one_node();
    let file = s.read(".spec/n/yatsu.md").replace("name: works", "name: works\n    colour: red");
    let said = |s: &Scratch| s.yatsu(&["check", "--format", "junit"]).expect(1).out;
    s.write(".spec/n/yatsu.md", &file);
    let error = "yatsu-schema: unknown key `colour`";
    assert!(said(&s).contains(&format!("<failure message=\"{error}\"/>")), "unmeasured: {}", said(&s));
    for (minute, status, element) in [
        (1, "pass", format!("<error message=\"{error}\"/>")),
        (2, "fail", format!("<failure message=\"fail; {error}\"/>")),
    ] {
        reading(&s, ".spec/n", "works", status, minute);
        assert!(said(&s).contains(&element), "{status}: {}", said(&s));
    }
    s.write("src/a.rs", "fn a() { 1; }\n");
    let stale = format!("<failure message=\"stale: code: src/a.rs; {error}\"/>");
    assert!(said(&s).contains(&stale), "{}", said(&s));
}

#[test]
fn scenarios_are_test_cases_whose_counts_add_up() {
    let s = Scratch::new();
    s.write("src/a.rs", "fn a() {}\n");
    s.write("src/b.rs", "fn b() {}\n");
    s.write(".spec/n/yatsu.md", scenarios(&[("passes", "src/a.rs"), ("fails", "src/a.rs"), ("never", "src/a.rs")]));
    s.write(".spec/ü/yatsu.md", scenarios(&[("moved", "src/b.rs")]));
    s.commit("first");
    reading(&s, ".spec/n", "passes", "pass", 1);
    reading(&s, ".spec/n", "fails", "fail", 1);
    reading(&s, ".spec/ü", "moved", "pass", 1);
    s.write("src/b.rs", "fn b() { 1; }\n");
    s.commit("measured");
    let said = s.yatsu(&["scan", "--format", "junit"]).expect(0).out;
    let root = said.lines().nth(1).expect("a root");
    assert!(root.starts_with("<testsuites name=\"yatsu-hook\""), "whoever files readings of reports knows it: {said}");
    let counts = ["tests", "failures", "errors", "skipped"].map(|key| value(root, key));
    assert_eq!(counts, ["4", "1", "0", "2"]);
    assert!(said.contains("<testcase classname=\".spec/n\" name=\"passes\"/>"), "{said}");
    assert!(
        said.contains("<failure message=\"fail\"/>") && said.contains("<skipped message=\"unmeasured\"/>"),
        "{said}"
    );
    assert!(said.contains("<skipped message=\"stale: code: src/b.rs\"/>"), "{said}");
    let strict = s.yatsu(&["scan", "--strict", "--format", "junit"]).expect(1).out;
    let root = strict.lines().nth(1).expect("a root");
    assert_eq!([value(root, "failures"), value(root, "skipped")], ["3", "0"], "{strict}");
    s.write(".spec/n/yatsu.md", s.read(".spec/n/yatsu.md").replace("name: passes", "name: passes\n    colour: red"));
    s.write(".spec/n/yatsu.evals.ndjson", s.read(".spec/n/yatsu.evals.ndjson") + "{\"torn\n");
    let broken = s.yatsu(&["check", "--format", "junit"]).expect(1).out;
    assert!(broken.contains("<error message=\"yatsu-schema: unknown key `colour`\"/>"), "{broken}");
    assert!(
        broken.contains("classname=\"yatsu-hook\" name=\"ledger-schema .spec/n/yatsu.evals.ndjson:3\""),
        "{broken}"
    );
    let json = validate_published(&s.yatsu(&["check", "--format", "json"]).expect(1).out);
    let errors = value(broken.lines().nth(1).expect("a root"), "errors").to_owned();
    assert_eq!(json["summary"]["errors"].to_string(), errors);
    for (verb, format) in
        [("ls", "junit"), ("validate", "markdown"), ("goal check", "junit"), ("pre-commit", "markdown")]
    {
        let words: Vec<&str> = verb.split(' ').chain(["--format", format]).collect();
        s.yatsu(&words).expect(2);
    }
}

/// The text outside of its code spans, which begin and end with the same number of backticks.
fn outside_of_code(text: &str) -> String {
    let (mut plain, mut rest) = (String::new(), text);
    while let Some(at) = rest.find('`') {
        plain += &rest[..at];
        let ticks = rest[at..].len() - rest[at..].trim_start_matches('`').len();
        let fence = "`".repeat(ticks);
        let after = &rest[at + ticks..];
        let is_whole = |end: &usize| !after[end + ticks..].starts_with('`') && !after[..*end].ends_with('`');
        let end = after.match_indices(&fence).map(|(end, _)| end).find(is_whole).expect("the end of a code span");
        rest = &after[end + ticks..];
    }
    plain + rest
}

#[test]
fn in_a_comment_no_name_is_a_link_a_mention_an_image_or_markup() {
    let names = ["@team", "#1", "![](http://example.invalid/x)", "</details>", "a|b`c``d", "``", "<!-- yatsu-hook -->"];
    let s = Scratch::new();
    s.write("src/a.rs", "fn a() {}\n");
    let entry =
        |name: &&str| format!("  - {{name: {name:?}, description: d, expected: e, tags: [cli], code: src/a.rs}}\n");
    s.write(".spec/n/yatsu.md", format!("---\nscenarios:\n{}---\n", names.iter().map(entry).collect::<String>()));
    s.commit("first");
    let said = s.yatsu(&["scan", "--format", "markdown"]).expect(0).out;
    assert!(names.iter().all(|name| said.contains(&name.replace('|', "\\|"))), "{said}");
    let plain = outside_of_code(said.strip_prefix("<!-- yatsu-hook -->\n").expect("the mark of our comments"));
    for sign in ["@", "#1", "![", "](", "</", "<!--", "http", "team"] {
        assert!(!plain.contains(sign), "{sign} in {plain}");
    }
}

#[test]
fn a_comment_that_is_too_long_is_cut_at_a_row_and_says_how_much_is_missing() {
    let s = Scratch::new();
    s.write("src/a.rs", "fn a() {}\n");
    let long = "long ".repeat(30);
    let names: Vec<String> = (0..400).map(|number| format!("{long}{number:03}")).collect();
    let list: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "src/a.rs")).collect();
    s.write(".spec/n/yatsu.md", scenarios(&list));
    s.commit("first");
    let said = s.yatsu(&["scan", "--format", "markdown"]).expect(0).out;
    assert!((50_000..=60_000).contains(&said.len()), "{}", said.len());
    let rows = said.lines().filter(|line| line.starts_with("| warning |")).count();
    let rest = said.trim_end().lines().last().and_then(|line| line.strip_prefix("and ")?.strip_suffix(" more"));
    let left_out: usize = rest.and_then(|rest| rest.parse().ok()).expect("how many are left out");
    // one more reports that too many scenarios govern one file
    assert_eq!(rows + left_out, names.len() + 1);
    assert!(said.lines().all(|line| !line.starts_with('|') || line.ends_with('|')), "a row is cut");
}

#[test]
fn github_is_given_ten_warnings_of_which_the_last_says_how_many_more_the_log_has() {
    let s = Scratch::new();
    s.write("src/a.rs", "fn a() {}\n");
    s.write("spexcode.json", MANY);
    let names: Vec<String> = (0..14).map(|number| format!("s{number}")).collect();
    let list: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "src/a.rs")).collect();
    s.write(".spec/n/yatsu.md", scenarios(&list));
    s.commit("first");
    let said = s.yatsu(&["check", "--format", "github"]).expect(0).out;
    let warnings: Vec<&str> = said.lines().filter(|line| line.starts_with("::warning")).collect();
    assert_eq!((warnings.len(), warnings[9]), (10, "::warning::5 more warnings: see the log of this step"));
    let grouped = said.lines().skip_while(|line| !line.starts_with("::group::")).skip(1);
    assert_eq!(grouped.take_while(|line| *line != "::endgroup::").count(), 5, "{said}");
    assert!(names.iter().all(|name| said.contains(&format!("n/{name}: "))), "{said}");
}

#[test]
fn forty_scenarios_that_one_file_moved_are_one_annotation_on_it() {
    let s = many(40, "src/a.rs");
    s.write("src/a.rs", "fn a() { 1; }\n");
    s.commit("moved");
    let said = s.yatsu(&["check", "--all", "--format", "github"]).expect(0).out;
    let drift: Vec<&str> = said.lines().filter(|line| line.contains("title=yatsu-drift")).collect();
    assert_eq!(drift.len(), 1, "{said}");
    assert!(drift[0].starts_with("::warning file=src/a.rs,line=1,") && drift[0].contains("40 scenarios"), "{said}");
}

#[test]
fn forty_scenarios_that_one_file_moved_are_one_annotation_in_a_range_too() {
    let s = many(40, "src/a.rs");
    let errors = "}, \"yatsu\": {\"rules\": {\"yatsu-drift\": \"error\", \"promoted-unproven\": \"error\"}}}";
    s.write("spexcode.json", MANY.replace("}}", errors));
    s.commit("stricter");
    s.write("src/a.rs", "fn a() { 1; }\n");
    s.commit("moved");
    for format in ["github", "markdown"] {
        let said = s.yatsu(&range(&["--format", format])).expect(1).out;
        let rows: Vec<&str> = said.lines().filter(|line| line.contains("src/a.rs")).collect();
        assert_eq!(rows.len(), 1, "{said}");
        assert!(rows[0].contains("40 scenarios") && rows[0].contains("promoted without proof: stale"), "{said}");
        assert!(!rows[0].contains("yatsu.md"), "nobody touched it: {said}");
        assert!(!said.contains("promoted-unproven"), "{said}");
    }
    let json = validate_published(&s.yatsu(&range(&["--format", "json"])).expect(1).out);
    assert_eq!(json["findings"].as_array().map(Vec::len), Some(80), "programs are told of each");
    let places = validate_sarif(&s.yatsu(&range(&["--format", "sarif"])).expect(1).out);
    let results = places["runs"][0]["results"].as_array().expect("a list").clone();
    let at = |result: &serde_json::Value| {
        result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"].as_str().map(str::to_owned)
    };
    assert!(results.iter().all(|result| at(result).as_deref() == Some("src/a.rs")), "{places}");
}

#[test]
fn what_is_promoted_as_an_error_or_without_a_reading_is_an_annotation_of_its_own() {
    let s = many(3, "src/a.rs");
    s.write("spexcode.json", MANY.replace("}}", "}, \"yatsu\": {\"rules\": {\"promoted-unproven\": \"error\"}}}"));
    let listed = [("s000", "src/a.rs"), ("s001", "src/a.rs"), ("s002", "src/a.rs"), ("new", "src/a.rs")];
    s.write(".spec/n/yatsu.md", scenarios(&listed));
    s.commit("stricter");
    s.write("src/a.rs", "fn a() { 1; }\n");
    s.commit("moved");
    let said = s.yatsu(&range(&["--format", "github"])).expect(1).out;
    let errors: Vec<&str> = said.lines().filter(|line| line.starts_with("::error ")).collect();
    assert_eq!(errors.len(), 2, "{said}");
    assert!(errors.iter().all(|line| line.contains("title=promoted-unproven")), "{said}");
    assert!(errors[0].contains(".spec/n/yatsu.md") && errors[1].contains("file=src/a.rs,line=1"), "{said}");
}

#[cfg(feature = "units")]
#[test]
fn where_one_unit_of_a_file_moved_its_first_line_is_shown() {
    let s = many(2, "src/a.rs#second");
    s.write("src/a.rs", "fn first() {}\n\nfn second() {}\n");
    s.commit("written");
    ["s000", "s001"].iter().for_each(|name| reading(&s, ".spec/n", name, "pass", 2));
    s.commit("measured");
    s.write("src/a.rs", "// above\n\nfn first() {}\n\nfn second() {\n    1;\n}\n");
    s.commit("moved");
    let said = s.yatsu(&range(&["--format", "github"])).expect(0).out;
    assert!(said.contains("::warning file=src/a.rs,line=5,title=yatsu-drift::"), "{said}");
    s.write("src/a.rs", "fn first() {}\n\nfn second( {\n");
    s.commit("broken");
    let said = s.yatsu(&range(&["--format", "github", "--inherited", "list"])).expect(0).out;
    assert!(said.contains("file=src/a.rs,line=1,title=yatsu-drift::"), "the whole file is compared: {said}");
}
