//! Reports in formats that are not read, with the switch of their runner for one that is.

/// How many bytes of a file tell its format.
const HEAD: usize = 4096;

/// XML by its root element.
const ELEMENTS: [(&str, &str); 10] = [
    ("TestRun", "this is a TRX file of dotnet test: add the package JunitXml.TestLogger and write `--logger junit`"),
    ("test-run", "this is a file of NUnit: add the package JunitXml.TestLogger and write `dotnet test --logger junit`"),
    (
        "assemblies",
        "this is a file of xUnit.net: add the package JunitXml.TestLogger and write `dotnet test --logger junit`",
    ),
    ("robot", "this is a file of Robot Framework: write `robot --xunit report.xml`"),
    ("Site", "this is a file of CTest: write `ctest --output-junit report.xml`"),
    ("Catch2TestRun", "this is Catch2's own XML: write `-r junit`"),
    ("Catch", "this is Catch2's own XML: write `-r junit`"),
    ("doctest", "this is doctest's own XML: write `-r=junit`"),
    ("TestLog", "this is a log of Boost.Test: write `--log_format=JUNIT`"),
    ("testng-results", "this is TestNG's own XML: give the files in its directory junitreports"),
];

/// Other files by a part of their beginning; of several the first.
const PARTS: [(&str, &str); 12] = [
    ("\"reportFormat\"", "this is a report in CTRF: write --from-ctrf"),
    ("\"evalId\"", "this is the JSON of promptfoo: write --from-promptfoo"),
    (
        "\"numTotalTests\"",
        "this is the JSON of jest or vitest: use jest-junit or jest-ctrf-json-reporter, or `vitest --reporter=junit`",
    ),
    ("\"configFile\"", "this is the JSON of Playwright: write `--reporter=junit`"),
    ("\"Action\":", "this is the output of `go test -json`: write `gotestsum --junitfile report.xml`"),
    ("\"exitcode\"", "this is a file of pytest-json-report: write `pytest --junitxml=report.xml`"),
    (
        "\"examples\"",
        "this is the JSON of RSpec: write `--format RspecJunitFormatter`, of the gem rspec_junit_formatter",
    ),
    ("\"testsuites\"", "this is the JSON of googletest: write `--gtest_output=xml:report.xml`"),
    ("\"passes\"", "this is the JSON of mocha: use the reporter mocha-junit-reporter or mocha-ctrf-json-reporter"),
    ("\"elements\"", "this is the JSON of Cucumber: write `--format junit:report.xml`"),
    ("TAP version", "this is TAP: write `node --test --test-reporter=junit`, or `bats --report-formatter junit`"),
    ("1..", "this is TAP: write `node --test --test-reporter=junit`, or `bats --report-formatter junit`"),
];

/// The sentence about an XML file with this root element.
pub(super) fn of_element(root: &str) -> Option<&'static str> {
    ELEMENTS.iter().find(|(name, _)| *name == root).map(|(_, sentence)| *sentence)
}

/// The sentence about a file that is no XML.
pub(super) fn of_text(text: &str) -> Option<&'static str> {
    let head = text.trim_start();
    let end = (0..=HEAD.min(head.len())).rev().find(|at| head.is_char_boundary(*at)).unwrap_or_default();
    let (head, is_json) = (&head[..end], head.starts_with(['{', '[']));
    let has = |part: &str| if part.starts_with('"') { is_json && head.contains(part) } else { head.starts_with(part) };
    PARTS.iter().find(|(part, _)| has(part)).map(|(_, sentence)| *sentence)
}
