//! If the output never printed the number, no other approach is advised and no attempt is spent.

use super::*;

/// Files a passing reading of `learns` that shows `text`.
fn shown(s: &Scratch, text: &str) {
    s.write("../out.txt", text);
    s.yatsu(&["eval", "model", "--scenario", "learns", "--pass", "--result", "../out.txt", "--by", "filer"]).expect(0);
}

fn reason(goal: &Value) -> String {
    goal["goalGate"]["criteriaResults"][0]["reason"].as_str().unwrap_or_default().to_owned()
}

#[test]
fn a_metric_whose_line_is_malformed_is_called_that() {
    let s = repository();
    shown(&s, "[METRIC:accuracy] about ninety\n");
    let (goal, code) = check(&s, &[]);
    assert!(reason(&goal).starts_with("malformed: "), "{}", reason(&goal));
    assert!(reason(&goal).contains("about ninety"), "{}", reason(&goal));
    assert_eq!(code, 1);
    shown(&s, "[METRIC:accuracy] nan\n");
    assert_eq!(reason(&check(&s, &[]).0), "not finite");
}

#[test]
fn where_the_number_was_never_printed_the_next_step_is_to_print_it() {
    for text in ["it went well\n", "[METRIC:accuracy] about ninety\n"] {
        let s = repository();
        shown(&s, text);
        let (goal, _) = check(&s, &[]);
        assert_eq!(standing(&s), "PARTIAL PIVOT", "the matrix stays");
        let next = goal["next"].to_string();
        assert!(next.contains("print") && next.contains("[METRIC:accuracy]"), "{next}");
        assert!(next.contains("yatsu-hook eval model --scenario learns --pass --result FILE"), "{next}");
        assert!(!next.contains("goal pivot"), "{next}");
        let said = decide(&s, "pivot", &[]).expect(1);
        assert!(said.err.contains("print") && said.err.contains("--anyway"), "{}", said.err);
        assert_eq!(decided(&s), [""; 0], "no attempt is spent");
        decide(&s, "pivot", &["--anyway"]).expect(0);
        assert_eq!(decided(&s), ["pivot"]);
    }
}

#[test]
fn a_number_that_was_once_printed_or_is_not_finite_is_reason_for_another_approach() {
    let s = repository();
    shown(&s, "[METRIC:accuracy] 0.5\n");
    shown(&s, "it went well\n");
    decide(&s, "pivot", &[]).expect(0);
    let s = repository();
    shown(&s, "[METRIC:accuracy] nan\n");
    decide(&s, "pivot", &[]).expect(0);
}

#[test]
fn a_criterion_that_was_missed_beside_one_that_was_never_printed_is_reason_for_another_approach() {
    let s = repository();
    let more = "    - id: AC2\n      kind: metric_threshold\n      metric: recall\n      op: '>='\n      target: 0.9\n";
    s.write(FILE, contract(&(ACCURATE.to_owned() + more)));
    s.commit("two numbers");
    shown(&s, "[METRIC:accuracy] 0.5\n");
    let next = check(&s, &[]).0["next"].to_string();
    assert!(next.contains("goal pivot"), "{next}");
    decide(&s, "pivot", &[]).expect(0);
}

#[test]
fn on_the_last_attempt_the_number_is_asked_for_as_well() {
    let s = repository();
    s.write(FILE, contract(ACCURATE).replace("  goal_text", "  max_goal_attempts: 1\n  goal_text"));
    s.commit("one attempt");
    shown(&s, "it went well\n");
    let (goal, _) = check(&s, &[]);
    assert_eq!(standing(&s), "BLOCKED ESCALATE", "the matrix stays");
    let next = goal["next"].to_string();
    assert!(next.contains("[METRIC:accuracy]") && next.contains("yatsu-hook eval model"), "{next}");
    shown(&s, "[METRIC:accuracy] 0.95\n");
    assert_eq!(standing(&s), "SUCCESS ACCEPT");
}

#[test]
fn a_withdrawn_number_was_never_there() {
    let s = repository();
    shown(&s, "[METRIC:accuracy] 0.5\n");
    s.yatsu(&["retract", "model", "--scenario", "learns"]).expect(0);
    shown(&s, "it went well\n");
    decide(&s, "pivot", &[]).expect(1);
}
