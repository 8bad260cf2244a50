//! `eval --coverage` beside test reports: each scenario gets what its own cases ran.

use crate::support::{Said, Scratch, fed};
use serde_json::{Value, json};
use std::collections::BTreeMap;

const LEDGER: &str = ".spec/shop/yatsu.evals.ndjson";

/// The scenarios `adds` and `pays` of `src/cart.py`, each with its test, and files that run only through the cart.
pub fn shop() -> Scratch {
    let s = Scratch::new();
    for name in ["cart", "gift", "price", "unused"] {
        s.write(&format!("src/{name}.py"), format!("def {name}():\n    return 1\n"));
    }
    for name in ["cart", "menu"] {
        s.write(&format!("tests/test_{name}.py"), "def test_adds():\n    pass\n\ndef test_pays():\n    pass\n");
    }
    s.write(".gitignore", "*.xml\n*.json\n*.info\n");
    node(&s, "[src/cart.py, src/unused.py]", "");
    s
}

/// Writes the two scenarios, `pays` with the test in `menu` if that is given.
fn node(s: &Scratch, code: &str, menu: &str) {
    let scenario = |name: &str, file: &str| {
        format!(
            "  - name: {name}\n    description: run it\n    expected: it works\n    tags: [cli]\n    code: {code}\n    \
             test: {{path: tests/test_{file}.py, name: test_{name}}}\n"
        )
    };
    let other = if menu.is_empty() {
        scenario("pays", "cart")
    } else {
        scenario(menu, "menu").replace("name: adds\n", "name: lists\n")
    };
    s.write(".spec/shop/yatsu.md", format!("---\nscenarios:\n{}{other}---\n", scenario("adds", "cart")));
    s.commit("declared");
}

/// A JUnit report as pytest writes it, of cases as `tests.test_cart test_adds`.
pub fn junit(cases: &[&str]) -> String {
    let case = |case: &&str| {
        let (class, name) = case.split_once(' ').expect("a class and a name");
        format!("<testcase classname=\"{class}\" name=\"{name}\"/>")
    };
    format!(
        "<testsuites><testsuite name=\"pytest\">{}</testsuite></testsuites>",
        cases.iter().map(case).collect::<String>()
    )
}

/// A JSON report of coverage.py: files with the contexts that ran the body of their function; without any it never ran.
pub fn coverage_py(files: &[(&str, &[&str])]) -> String {
    let file = |(name, contexts): &(&str, &[&str])| {
        let (ran, missing) = if contexts.is_empty() { (json!([]), json!([1, 2])) } else { (json!([1, 2]), json!([])) };
        let contexts = match contexts {
            [""] => json!({}),
            contexts => json!({"1": [""], "2": contexts}),
        };
        let of_file =
            json!({"executed_lines": ran, "missing_lines": missing, "excluded_lines": [], "contexts": contexts});
        ((*name).to_owned(), of_file)
    };
    let files: BTreeMap<String, Value> = files.iter().map(file).collect();
    json!({"meta": {"format": 3, "version": "7.6.1"}, "files": files}).to_string()
}

/// The files of each filed reading, by its scenario.
fn ran(s: &Scratch) -> BTreeMap<String, Value> {
    let line = |line: &str| {
        let line: Value = serde_json::from_str(line).expect("JSON");
        (line["scenario"].as_str().expect("a name").to_owned(), line["coverage"]["ran"].clone())
    };
    s.read(LEDGER).lines().map(line).collect()
}

fn import(s: &Scratch, cases: &[&str], coverage: &str, flags: &[&str]) -> Said {
    s.write("report.xml", junit(cases));
    s.write("coverage.json", coverage);
    let args = ["eval", "--from-junit", "report.xml", "--coverage", "coverage.json"];
    s.yatsu(&[&args[..], flags].concat())
}

const CART: [&str; 2] = ["tests.test_cart test_adds", "tests.test_cart test_pays"];

/// V10: by node id and phase as pytest-cov writes it, or by function as coverage.py does.
#[test]
fn each_scenario_gets_what_its_own_cases_of_coverage_py_ran() {
    for [adds, pays] in [
        ["tests/test_cart.py::test_adds|run", "tests/test_cart.py::test_pays|run"],
        ["test_cart.test_adds", "tests.test_cart.test_pays"],
    ] {
        let s = shop();
        let report = coverage_py(&[
            ("src/cart.py", &[adds, pays]),
            ("src/gift.py", &["tests/test_menu.py::test_lists|run"]),
            ("src/price.py", &[pays]),
            ("src/unused.py", &[]),
        ]);
        let said = import(&s, &CART, &report, &["-v"]).expect(0);
        let expected = [("adds", json!(["src/cart.py"])), ("pays", json!(["src/price.py", "src/cart.py"]))];
        assert_eq!(ran(&s), expected.map(|(name, ran)| (name.to_owned(), ran)).into());
        let sentence = "the measured run went through 1 file that its code list does not name: src/price.py";
        assert!(said.err.contains(&format!("warning: shop/pays: {sentence}\n")), "{}", said.err);
        assert!(!said.err.contains("shop/adds: the measured"), "{}", said.err);
        for name in ["adds", "pays"] {
            assert!(said.err.contains(&format!("shop/{name}: declared, never ran: src/unused.py\n")), "{}", said.err);
        }
        let before = s.read(LEDGER);
        let again = import(&s, &CART, &report, &[]).expect(0);
        assert!(!again.err.contains("never ran"), "{}", again.err);
        assert_eq!(s.read(LEDGER), before, "filed already");
    }
}

/// V10: `TN:` of lcov has an underscore for other characters.
#[test]
fn each_scenario_gets_what_its_own_cases_of_lcov_ran() {
    let s = shop();
    let of_file = |file: &str, ran: u8| {
        format!("SF:src/{file}.py\nFN:1,{file}\nFNDA:{ran},{file}\nDA:1,1\nDA:2,{ran}\nend_of_record\n")
    };
    let lcov =
        format!("TN:test_adds\n{}TN:test_pays\n{}{}", of_file("cart", 1), of_file("cart", 1), of_file("price", 1));
    s.write("lcov.info", lcov.replace("test_pays", "test_pays_1_2_"));
    let case = |name: &str| json!({"name": name, "status": "passed", "duration": 1, "filePath": "tests/test_cart.py"});
    let tests = json!([case("test_adds"), case("test_pays[1-2]")]);
    let report = json!({"reportFormat": "CTRF", "specVersion": "0.0.0", "results": {"tool": {"name": "pytest"}, "tests": tests}});
    s.write("ctrf.json", report.to_string());
    s.yatsu(&["eval", "--from-ctrf", "ctrf.json", "--coverage", "lcov.info"]).expect(0);
    let expected = [("adds", json!(["src/cart.py"])), ("pays", json!(["src/price.py", "src/cart.py"]))];
    assert_eq!(ran(&s), expected.map(|(name, ran)| (name.to_owned(), ran)).into());
}

/// V11: several scenarios and no names. One scenario gets the whole run.
#[test]
fn coverage_without_names_of_tests_is_given_to_one_scenario_and_to_none_of_several() {
    let s = shop();
    let report = coverage_py(&[("src/cart.py", &[""]), ("src/price.py", &[""])]);
    let said = import(&s, &CART, &report, &["--dry-run"]).expect(0);
    let sentence = "warning: coverage names no tests: given to none of 2 scenarios\n";
    assert!(said.err.contains(sentence), "{}", said.err);
    let said = import(&s, &CART, &report, &["-v"]).expect(0);
    assert!(said.err.contains(sentence) && !said.err.contains("src/price.py"), "{}", said.err);
    assert_eq!(
        ran(&s),
        [("adds", Value::Null), ("pays", Value::Null)].map(|(name, ran)| (name.to_owned(), ran)).into()
    );
    let s = shop();
    let said = import(&s, &CART[..1], &report, &[]).expect(0);
    assert!(!said.err.contains("given to none"), "{}", said.err);
    assert_eq!(ran(&s), [("adds".to_owned(), json!(["src/price.py", "src/cart.py"]))].into());
}

/// V11: names that no case has are no whole run either, and a file without names beside one with names is given to none.
#[test]
fn coverage_of_other_tests_is_given_to_none() {
    let s = shop();
    let report = coverage_py(&[("src/price.py", &["tests/test_other.py::test_x|run"])]);
    let said = import(&s, &CART[..1], &report, &[]).expect(0);
    let sentence = "warning: coverage names no test that is a case of them: given to none of 1 scenario\n";
    assert!(said.err.contains(sentence), "{}", said.err);
    assert_eq!(ran(&s), [("adds".to_owned(), Value::Null)].into());
    let s = shop();
    s.write("cover.out", "mode: set\nsrc/price.py:1.1,2.9 1 1\n");
    let report = coverage_py(&[("src/cart.py", &["tests/test_cart.py::test_adds|run"])]);
    let said = import(&s, &CART[..1], &report, &["--coverage", "cover.out"]).expect(0);
    let sentence = "warning: 1 of 2 coverage files without names of tests: given to none of 1 scenario\n";
    assert!(said.err.contains(sentence), "{}", said.err);
    assert_eq!(ran(&s), [("adds".to_owned(), json!(["src/cart.py"]))].into());
}

/// V11: gcovr writes one `TN:` for the whole file, and `lcov --test-name` too. It names the run, where no case has that name.
#[test]
fn one_test_name_of_a_whole_tracefile_that_no_case_has_is_the_name_of_the_run() {
    let record = |file: &str| format!("SF:src/{file}.py\nFN:1,f\nFNDA:1,f\nDA:1,1\nDA:2,1\nend_of_record\n");
    let lcov = format!("TN:GCOVR_report\n{}{}", record("cart"), record("price"));
    let s = shop();
    let said = import(&s, &CART[..1], &lcov, &[]).expect(0);
    assert!(!said.err.contains("given to none"), "{}", said.err);
    assert_eq!(ran(&s), [("adds".to_owned(), json!(["src/price.py", "src/cart.py"]))].into());
    let said = import(&s, &CART, &lcov, &["--dry-run"]).expect(0);
    assert!(said.err.contains("warning: coverage names no tests: given to none of 2 scenarios\n"), "{}", said.err);
    let shop = shop();
    let of_pays = [&lcov.replace("GCOVR_report", "test_pays"), "TN:test_other\n", &record("gift")].concat();
    for other in [lcov.replace("GCOVR_report", "test_pays"), of_pays] {
        let said = import(&shop, &[CART[0], CART[1]], &other, &["--dry-run"]).expect(0);
        assert!(said.err.contains("shop/pays: the measured") && !said.err.contains("shop/adds"), "{}", said.err);
    }
}

/// V12: a name that fits cases of two scenarios, or of one and of a case beside it.
#[test]
fn a_context_of_two_scenarios_is_given_to_none() {
    let cases = ["tests.test_cart test_adds", "tests.test_menu test_adds"];
    let report = coverage_py(&[
        ("src/cart.py", &["tests/test_cart.py::test_adds|run"]),
        ("src/price.py", &["test_adds", "test_adds|setup"]),
    ]);
    let sentence =
        "warning: coverage of test_adds is given to none: more than the cases of one scenario have this name\n";
    for menu in ["adds", "pays"] {
        let s = shop();
        node(&s, "[src/cart.py]", menu);
        let said = import(&s, &cases, &report, &[]).expect(0);
        assert!(said.err.contains(sentence), "{}", said.err);
        let mut expected = BTreeMap::from([("adds".to_owned(), json!(["src/cart.py"]))]);
        if menu == "adds" {
            expected.insert("lists".to_owned(), Value::Null);
        }
        assert_eq!(ran(&s), expected, "{menu}");
    }
}

/// V18, for imports: the union of two files, `-`, and a file older than the governed content.
#[test]
fn coverage_files_of_one_import_count_together() {
    let s = shop();
    s.write("report.xml", junit(&CART[..1]));
    s.write("one.out", "mode: set\nsrc/price.py:1.1,2.9 1 1\n");
    let args = ["eval", "--from-junit", "report.xml", "--coverage", "one.out", "--coverage", "-"];
    let said = fed(s.yatsu_command(&args), "mode: set\nsrc/cart.py:1.1,2.9 1 1\n").expect(0);
    assert!(said.err.contains("shop/adds: the measured run went through 1 file"), "{}", said.err);
    assert_eq!(ran(&s), [("adds".to_owned(), json!(["src/price.py", "src/cart.py"]))].into());
    s.yatsu(&["eval", "--from-junit", "-", "--coverage", "-"]).expect(2);
    s.yatsu(&["eval", "--from-junit", "report.xml", "--coverage", "report.xml"]).expect(2);
}
