//! O6: a fail that a report brings says why.

use super::bulk::{filed, import, lines, project, report, test};

#[test]
fn a_fail_has_the_reason_of_the_report_as_its_note() {
    let s = project(&[("works", "tests/test_greet.py"), ("more", &test("b"))]);
    let cases =
        [("a", ""), ("b", "<failure message=\"AssertionError: 3 != 4\">at line 7</failure>"), ("c", "<failure/>")];
    s.write("report.xml", report(&cases));
    import(&s, &[]).expect(0);
    let notes: Vec<_> = lines(&s, "greet").iter().map(|line| line["verdict"]["note"].clone()).collect();
    assert_eq!(notes, ["2 of 3 failed: b: AssertionError: 3 != 4", "1 of 1 failed: b: AssertionError: 3 != 4"]);
    let listed = s.yatsu(&["ls"]).expect(0).out;
    assert!(listed.contains("2 of 3 failed: b"), "{listed}");
    s.git(&["add", "-A"]);
    let hook = s.yatsu(&["pre-commit"]);
    assert!(hook.err.contains("AssertionError: 3 != 4"), "{}", hook.err);
    // a pass has none, and what the user says comes first
    s.write("report.xml", report(&[("a", ""), ("b", ""), ("c", "")]));
    import(&s, &[]).expect(0);
    assert!(lines(&s, "greet")[2]["verdict"].get("note").is_none());
    s.write("report.xml", report(&cases));
    import(&s, &["--note", "the server was down"]).expect(0);
    assert_eq!(lines(&s, "greet")[4]["verdict"]["note"], "the server was down");
}

/// The reason is no part of the measurement: an older program filed the same without it.
#[test]
fn a_note_from_a_report_makes_no_second_reading() {
    let s = project(&[("works", &test("a"))]);
    s.write("report.xml", report(&[("a", "<failure message=\"no\"/>")]));
    import(&s, &["--note", "by hand"]).expect(0);
    assert!(import(&s, &[]).expect(0).out.starts_with("already filed"), "another note");
    let ledger = ".spec/greet/yatsu.evals.ndjson";
    s.write(ledger, s.read(ledger).replace(",\"note\":\"by hand\"", ""));
    assert!(import(&s, &[]).expect(0).out.starts_with("already filed"), "no note");
    import(&s, &["--note", "typed"]).expect(0);
    assert_eq!(filed(&s, "greet").len(), 2, "a typed note is a reading of its own, as ever");
}
