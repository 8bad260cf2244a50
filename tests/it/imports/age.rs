//! Which reports are as new as what they are filed for, and what `--only-stale` files.

use super::bulk::{filed, import, lines, project, refused, report, test, written};
use crate::support::{Scratch, fed, validate_published};

/// A report that was written one second after HEAD.
fn report_of_head(s: &Scratch, text: &str) {
    s.write("report.xml", text);
    let date: i64 = s.git(&["log", "-1", "--format=%ct"]).parse().expect("a number");
    written(s, "report.xml", date + 1);
}

#[test]
fn a_commit_of_what_no_scenario_depends_on_makes_no_report_older() {
    let s = project(&[("works", &test("a"))]);
    report_of_head(&s, &report(&[("a", "")]));
    s.write("README", "words\n");
    s.write(".spec/other/spec.md", "---\ntitle: other\n---\n");
    s.commit("beside it");
    import(&s, &[]).expect(0);
    assert_eq!(filed(&s, "greet"), ["works pass"]);
}

/// Each thing that a reading depends on, changed after the report.
#[test]
fn what_moved_after_the_report_is_named() {
    let reworded = |s: &Scratch| {
        let file = s.read(".spec/greet/yatsu.md");
        s.write(".spec/greet/yatsu.md", file.replace("works works", "works well"));
    };
    let governed = |s: &Scratch| s.write("tests/test_greet.py", "# changed\n");
    let tested = |s: &Scratch| s.write("tests/unit/test_greet.py", "# changed\n");
    for (change, test, place, what) in [
        (&governed as &dyn Fn(&Scratch), test("a"), "tests.test_greet", "tests/test_greet.py moved since "),
        (&reworded, test("a"), "tests.test_greet", "the text of the scenario changed since "),
        (&tested, "tests/unit/test_greet.py".into(), "tests.unit.test_greet", "tests/unit/test_greet.py moved since "),
    ] {
        let s = project(&[("works", &test)]);
        report_of_head(&s, &report(&[("a", "")]).replace("tests.test_greet", place));
        let then = s.head();
        change(&s);
        s.commit("moved");
        s.write("README", "words\n");
        s.commit("more");
        let said = import(&s, &[]);
        assert!(said.err.contains(&then[..12]) && said.err.contains("--older-report"), "{}", said.err);
        refused(&s, said, &format!("report.xml is older than HEAD, and {what}"));
        let said = import(&s, &["--only-stale"]).expect(0);
        assert!(said.out.contains(what) && said.out.contains("1 skipped"), "{said:?}");
        assert_eq!(filed(&s, "greet"), [""; 0]);
    }
}

/// Times do not say what a test run saw; who knows its commit says it.
#[test]
fn a_report_is_compared_with_the_commit_at_which_the_tests_ran() {
    let s = project(&[("works", &test("a"))]);
    let then = s.head();
    s.write("tests/test_greet.py", "# changed\n");
    s.commit("made before the report, and pushed after it");
    s.write("report.xml", report(&[("a", "")]));
    let said = import(&s, &["--ran-at", &then]);
    refused(&s, said, "the tests did not run at HEAD, and tests/test_greet.py moved since ");
    let said = import(&s, &["--ran-at", &then, "--only-stale"]).expect(0);
    assert!(said.out.contains("tests/test_greet.py moved since") && said.out.contains("1 skipped"), "{said:?}");
    import(&s, &["--ran-at", "nowhere"]).expect(2);
    import(&s, &["--ran-at", &then, "--older-report"]).expect(2);
    assert_eq!(filed(&s, "greet"), [""; 0]);
    import(&s, &["--ran-at", "HEAD"]).expect(0);
    s.commit("filed");
    import(&s, &["--ran-at", "HEAD~1"]).expect(0);
    assert_eq!(filed(&s, "greet"), ["works pass", "works pass"], "nothing moved since");
}

/// What a branch brought is new at the merge, however old its commits are.
#[test]
fn a_merge_of_a_branch_is_younger_than_a_report_of_before() {
    let s = project(&[("works", &test("a"))]);
    s.git(&["checkout", "-q", "-b", "side"]);
    s.write("tests/test_greet.py", "# changed\n");
    s.commit("on a branch");
    s.git(&["checkout", "-q", "-"]);
    s.write("README", "words\n");
    s.commit("on main");
    report_of_head(&s, &report(&[("a", "")]));
    s.git(&["merge", "-q", "--no-edit", "side"]);
    refused(&s, import(&s, &[]), "tests/test_greet.py moved since ");
}

#[test]
fn only_what_is_stale_or_changes_is_filed() {
    let s = project(&[("works", &test("a")), ("more", &test("b"))]);
    s.write("report.xml", report(&[("a", ""), ("b", "")]));
    import(&s, &["--only-stale"]).expect(0);
    assert_eq!(filed(&s, "greet"), ["works pass", "more pass"]);
    s.commit("measured");
    // other words in the output: a reading of its own, but nothing waits for it
    let other = report(&[("a", "<system-out>again</system-out>"), ("b", "<system-out>again</system-out>")]);
    s.write("report.xml", &other);
    let said = import(&s, &["--only-stale"]).expect(0);
    assert_eq!(said.out, "filed 0 readings, 2 scenarios fresh already\n");
    let json = validate_published(&import(&s, &["--only-stale", "--format", "json"]).expect(0).out);
    assert_eq!(json["fresh"][1]["ts"], lines(&s, "greet")[1]["ts"], "{json}");
    assert_eq!(filed(&s, "greet").len(), 2);
    // a verdict that changes
    s.write("report.xml", report(&[("a", "<failure/>"), ("b", "")]));
    import(&s, &["--only-stale"]).expect(0);
    assert_eq!(filed(&s, "greet")[2..], ["works fail"]);
    // stale
    s.write("tests/test_greet.py", "# changed\n");
    s.commit("moved");
    s.write("report.xml", report(&[("a", "<failure/>"), ("b", "")]));
    import(&s, &["--only-stale"]).expect(0);
    assert_eq!(filed(&s, "greet")[3..], ["works fail", "more pass"]);
    // a report about nothing is still a fault
    s.write("report.xml", report(&[("unknown", "")]));
    import(&s, &["--only-stale"]).expect(1);
    let said = fed(s.yatsu_command(&["eval", "--only-stale", "--from-junit", "-"]), report(&[("a", "<skipped/>")]));
    assert!(said.expect(1).err.contains("the reports say of no scenario whether it works"));
}
