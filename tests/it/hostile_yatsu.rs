//! Every hostile scenario file of `tests/data/hostile/yatsu`: the violations, their places, and how many scenarios are
//! still usable. Huge files are made here.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use yatsu_hook::model::scenario;
use yatsu_hook::model::scenario::ScenarioFile;
use yatsu_hook::model::source::Problem;
use yatsu_hook::text::escape::terminal;
use yatsu_hook::tree::path::RepoPath;

fn parse(bytes: &[u8]) -> ScenarioFile {
    let library = ["frontend-e2e", "backend-api", "cli", "desktop", "mobile"].map(String::from);
    scenario::parse(&RepoPath::parse(b".spec/n/yatsu.md").expect("a path"), bytes, &library)
}

/// One line per problem: place, usable scenarios, message; a single `ok` line without problems.
fn outcome(file: &ScenarioFile) -> Vec<String> {
    let usable = file.scenarios.len();
    if file.problems.is_empty() {
        return vec![format!("-\t{usable}\tok")];
    }
    let row = |problem: &Problem| {
        let at = problem.at;
        assert!(!problem.help.is_empty(), "{problem:?}");
        format!("{}:{}\t{usable}\t{}", at.line, at.column, terminal(&problem.message))
    };
    file.problems.iter().map(row).collect()
}

fn directory() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data/hostile/yatsu")
}

fn expected() -> BTreeMap<String, Vec<String>> {
    let table = fs::read_to_string(directory().join("expected.tsv")).expect("the table");
    let mut rows: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for line in table.lines().filter(|line| !line.starts_with('#')) {
        let (file, rest) = line.split_once('\t').expect("columns");
        rows.entry(file.into()).or_default().push(rest.into());
    }
    rows
}

#[test]
fn every_file_has_the_outcome_of_the_table() {
    let (mut rows, mut wrong) = (expected(), String::new());
    for entry in fs::read_dir(directory()).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        if name == "expected.tsv" {
            continue;
        }
        let wanted = rows.remove(&name).unwrap_or_else(|| panic!("{name} is not in expected.tsv"));
        let said = outcome(&parse(&fs::read(directory().join(&name)).unwrap()));
        let same =
            said.len() == wanted.len() && said.iter().zip(&wanted).all(|(said, wanted)| said.starts_with(wanted));
        if !same {
            wrong += &format!("{name}\nsaid:   {said:#?}\nwanted: {wanted:#?}\n");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    assert!(rows.is_empty(), "files that are not there: {:?}", rows.keys());
}

fn frontmatter(body: &str) -> String {
    format!("---\nscenarios:\n{body}---\n")
}

fn entry(name: &str, rest: &str) -> String {
    format!("  - name: {name}\n    description: d\n    expected: e\n    tags: [cli]\n{rest}")
}

#[test]
fn huge_files_are_refused_with_one_sentence() {
    let many = frontmatter(&(0..200_000).map(|i| entry(&format!("s{i}"), "")).collect::<String>());
    let long = frontmatter(&format!("  - name: {}\n", "x".repeat(5 << 20)));
    for bytes in [many, long] {
        let file = parse(bytes.as_bytes());
        assert_eq!(file.problems.len(), 1);
        assert!(file.problems[0].message.contains("the limit is 262144"), "{:?}", file.problems);
        assert!(file.cut_short);
    }
}

#[test]
fn nesting_stops_at_its_limit() {
    for deep in
        ["[".repeat(80_000), "- ".repeat(3_000), "{a: ".repeat(3_000), "? ".repeat(3_000), "[a: ".repeat(60_000)]
    {
        let file = parse(frontmatter(&format!("  - name: a\n    code:\n      {deep}\n")).as_bytes());
        assert!(file.problems.iter().any(|problem| problem.message == "nested deeper than 16 levels"), "{:.20}", deep);
        assert!(file.problems.len() <= 3, "{:?}", file.problems);
    }
}

#[test]
fn an_alias_bomb_expands_nothing() {
    let mut bomb = String::from("---\na0: &a0 [x]\n");
    for level in 1..40 {
        let row = vec![format!("*a{}", level - 1); 9].join(", ");
        bomb += &format!("a{level}: &a{level} [{row}]\n");
    }
    let file = parse((bomb + "---\n").as_bytes());
    assert!(file.problems.iter().any(|problem| problem.message.starts_with("an alias")));
}

#[test]
fn the_five_hundred_and_first_scenario_is_one_too_many() {
    let list = |count| frontmatter(&(0..count).map(|i| entry(&format!("s{i}"), "")).collect::<String>());
    assert!(parse(list(500).as_bytes()).problems.is_empty());
    let file = parse(list(501).as_bytes());
    assert_eq!((file.scenarios.len(), file.problems.len(), file.cut_short), (500, 1, true));
    assert_eq!(file.problems[0].at.line, 3 + 500 * 4);
}

#[test]
fn endless_problems_are_counted_not_listed() {
    let file =
        parse(frontmatter(&entry("a", &(0..5000).map(|i| format!("    k{i}: x\n")).collect::<String>())).as_bytes());
    assert_eq!(file.problems.len(), 501);
    assert!(file.problems.iter().any(|problem| problem.message == "4500 more problems in this file are not listed"));
    let aliases = "*a, ".repeat(50_000);
    assert!(
        parse(frontmatter(&entry("a", &format!("    code: [&a x, {aliases}]\n"))).as_bytes()).problems.len() <= 501
    );
}

#[test]
fn a_long_tag_is_cut_in_the_message() {
    let file = parse(frontmatter(&entry("a", "").replace("cli", &"t".repeat(200_000))).as_bytes());
    assert_eq!(file.problems.len(), 1);
    assert!(file.problems[0].message.chars().count() < 200);
}
