//! `new --from`: drafts of scenarios from the files of other tools.

use crate::start::everything;
use crate::support::{Said, Scratch, validate_published};

const FEATURE: &str = "\
# a comment
@wip
Feature: Cart
  As a buyer

  Background:
    Given a shop

  @cli @slow
  Scenario: pays
    Given a cart
    # no step
    And users:
      | name |
      | Ann  |
    When one pays
    But late
    Then a bill comes
    * a mail
    And this text:
      \"\"\"
      Scenario: not a heading
      \"\"\"

  Scenario Outline: pays
    When one pays <sum>
    Then <sum> is paid

    Examples:
      | sum |
      | 1   |

  Rule: night
    Background:
      Given it is dark
    Example: waits
      Then it is shut
    Scenario Template: leaves
      When one leaves
";

const SPEC: &str = "\
# Pay

```
### Requirement: in a fence
```
<!--
### Requirement: in a comment
-->

### Requirement: Paying
The shop SHALL take money.

#### Scenario: By **card**
- **GIVEN** a card
- **AND** a shop
- **WHEN** one pays in `src/**`
- **THEN** these come:
  - a bill
- **AND** a mail

#### Scenario: By card
- **WHEN** it rains
";

const DELTA: &str = "\
## ADDED Requirements
### Requirement: a
#### Scenario: added
- **WHEN** x
- **THEN** y
## MODIFIED Requirements
### Requirement: b
#### Scenario: modified
- **WHEN** x
- **THEN** z
## REMOVED Requirements
### Requirement: c
#### Scenario: removed
- **THEN** y
### Requirement: d
## RENAMED Requirements
- FROM: `### Requirement: e`
- TO: `### Requirement: f`
";

const STORIES: &str = "\
# Feature Specification: Pay

### User Story 1 - Pay by card (Priority: P1)

**Independent Test**: none

**Acceptance Scenarios**:

1. **Given** a card, **When** one
   pays, **Then** a bill
   comes, **And** a mail
2. **Given** no card, **When** one pays, **Then** [NEEDS CLARIFICATION: what?]

### User Story 2 \u{2014} Leave (Priority: P2)

**Acceptance Scenarios**:

1. **When** one leaves

### Edge Cases

- not read
";

/// A committed repository with this file and `src/a.rs`.
fn with(file: &str, text: &str) -> Scratch {
    let s = Scratch::new();
    s.write("src/a.rs", "fn a() {}\n");
    s.write(file, text);
    s.commit("theirs");
    s
}

/// The session of `new --from FILE`, and the scenario file. What was written passes the gate.
fn drafted(file: &str, text: &str, node: &str) -> String {
    let s = with(file, text);
    let session = s.session(&format!("yatsu-hook new --from {file} --code src/a.rs"));
    s.git(&["add", "."]);
    s.yatsu(&["check", "--staged"]).expect(0);
    session + &s.read(&format!(".spec/{node}/yatsu.md"))
}

/// Runs `new --from FILE --code src/a.rs` with further arguments.
fn new(s: &Scratch, file: &str, more: &[&str]) -> Said {
    s.yatsu(&[&["new", "--code", "src/a.rs", "--from", file], more].concat())
}

// P17
#[test]
fn a_gherkin_feature_becomes_drafts() {
    insta::assert_snapshot!(drafted("features/cart.feature", FEATURE, "cart"));
}

// P17
#[test]
fn gherkin_in_another_language_is_not_read() {
    let s = with("a.feature", "# language: de\nFunktionalit\u{e4}t: x\n");
    let said = new(&s, "a.feature", &[]).expect(2);
    assert!(said.err.contains("is in the language `de`"), "{}", said.err);
}

// P18
#[test]
fn an_open_spec_becomes_drafts() {
    insta::assert_snapshot!(drafted("openspec/specs/pay/spec.md", SPEC, "pay"));
}

// P19
#[test]
fn a_delta_gives_the_added_and_the_modified_requirements() {
    insta::assert_snapshot!(drafted("openspec/changes/x/specs/pay/spec.md", DELTA, "pay"));
}

// P20
#[test]
fn the_stories_of_spec_kit_become_drafts() {
    insta::assert_snapshot!(drafted("specs/001-pay/spec.md", STORIES, "001-pay"));
    let s =
        with("specs/001-pay/checklists/requirements.md", "# Checklist\n\n- [ ] CHK001 Is each scenario testable?\n");
    let said = new(&s, "specs/001-pay/checklists/requirements.md", &[]).expect(2);
    assert!(said.err.contains("is no file of Gherkin, OpenSpec or spec-kit"), "{}", said.err);
}

// P21
#[test]
fn a_scenario_without_a_then_waits_for_words() {
    let s = with(
        "a.feature",
        "Feature: f\nScenario: no result\n  Given x\nScenario: no steps\n  Then y\nScenario: both\n  Given x\n  Then y\n",
    );
    let receipt = validate_published(&new(&s, "a.feature", &["--format", "json"]).expect(0).out);
    assert_eq!(receipt["from"]["drafts"], serde_json::json!(["no result", "no steps"]));
    assert_eq!(receipt["from"]["scenarios"].as_array().map(Vec::len), Some(3));
    s.commit("ours");
    for name in ["no result", "no steps"] {
        let refused = s.yatsu(&["eval", "a", "--scenario", name, "--pass"]).expect(1);
        assert!(refused.err.ends_with("FAILED: nothing filed\n"), "{}", refused.err);
    }
    s.yatsu(&["eval", "a", "--scenario", "both", "--pass"]).expect(0);
}

// P22
#[test]
fn a_file_that_is_there_is_kept_and_the_entries_are_printed() {
    let s = with("a.feature", "Feature: f\nScenario: one\n  Given x\n  Then y\nScenario: two\n  Then y\n");
    s.write(".spec/a/yatsu.md", crate::support::scenarios(&[("one", "src/a.rs")]));
    s.commit("ours");
    let before = everything(&s);
    insta::assert_snapshot!(s.session(
        "yatsu-hook new --from a.feature --code src/a.rs
         yatsu-hook new --from a.feature --code src/a.rs --dry-run --format json"
    ));
    assert_eq!(everything(&s), before);
    let entries = new(&s, "a.feature", &[]).expect(1).out;
    let file = s.read(".spec/a/yatsu.md");
    s.write(".spec/a/yatsu.md", file.trim_end_matches("---\n").to_owned() + &entries + "---\n");
    s.git(&["add", "."]);
    s.yatsu(&["check", "--staged"]).expect(0);
    let again = new(&s, "a.feature", &[]).expect(1);
    assert!(again.out.is_empty() && again.err.contains("it declares all these scenarios already"), "{}", again.err);
}

// P22: a new scenario of an old name is the one to paste
#[test]
fn a_new_scenario_with_the_name_of_a_declared_one_is_printed() {
    let s = with("a.feature", "Feature: f\nScenario: a\n  Given x\n  Then one\nScenario: a\n  Given x\n  Then two\n");
    new(&s, "a.feature", &[]).expect(0);
    s.commit("ours");
    let text = s.read("a.feature");
    s.write("a.feature", text.replacen("Scenario: a", "Scenario: a\n  Given x\n  Then new\nScenario: a", 1));
    let printed = new(&s, "a.feature", &[]).expect(1).out;
    assert!(printed.contains("name: \"a (3)\"") && printed.contains("Then new"), "{printed}");
    assert_eq!(printed.matches("name:").count(), 1, "{printed}");
    let file = s.read(".spec/a/yatsu.md");
    s.write(".spec/a/yatsu.md", file.trim_end_matches("---\n").to_owned() + &printed + "---\n");
    s.yatsu(&["check", "--all"]).expect(0);
    assert!(new(&s, "a.feature", &[]).expect(1).err.contains("it declares all these scenarios already"));
}

// what is spelled nearly right is said, and refused where it would be glued to another scenario
#[test]
fn a_scenario_that_is_spelled_nearly_right_is_said_or_refused() {
    let spec =
        "### Requirement: r\n#### Scenario: a\n- **THEN** x\n#### **Scenario:** b\n- **THEN** y\n### Scenario: c\n";
    let s = with("pay/spec.md", spec);
    s.write("glued.feature", "Feature: f\nScenario: a\n  Then x\nscenario: b\n  Then y\n");
    s.write("fence.md", "### Requirement: r\n#### Scenario: a\n- **THEN** x\n```sh\n#### Scenario: b\n");
    s.write("comment.md", "### Requirement: r\n<!-- note\n#### Scenario: a\n- **THEN** x\n");
    s.write("none.md", "### Requirement: r\n### Scenario: a\n");
    insta::assert_snapshot!(s.session(
        "yatsu-hook new --from pay/spec.md --code src/a.rs
         yatsu-hook new --from pay/spec.md --code src/a.rs
         yatsu-hook new --from glued.feature --code src/a.rs
         yatsu-hook new --from fence.md --code src/a.rs
         yatsu-hook new --from comment.md --code src/a.rs
         yatsu-hook new --from none.md --code src/a.rs"
    ));
    let receipt = new(&s, "pay/spec.md", &["other", "--dry-run", "--format", "json"]).expect(0).out;
    assert_eq!(validate_published(&receipt)["from"]["near"], serde_json::json!([6]));
}

// P23
#[test]
fn hostile_texts_stay_texts() {
    let long = "x".repeat(3000);
    let text = format!(
        "Feature: f\nScenario: ---\nGiven ---\nThen - a: b # c\nScenario: <script>alert(1)</script> --> @team #1\nGiven \u{1b}[2J\u{202e}x\nThen \
         {{a: &b *c !d | > % `x` '\"\\\nScenario: \u{202e}x\u{200b}\u{1b}]8\nGiven null\nThen true\nScenario: {long}\nGiven {long}\nThen \
         {long}\nScenario: \u{200b}\nGiven \u{85}a\tb\u{2028}c\nThen \u{feff}\n"
    );
    let s = with("a.feature", &text);
    let shown = new(&s, "a.feature", &["--dry-run"]).expect(0);
    let said = new(&s, "a.feature", &[]).expect(0);
    for out in [&shown.out, &shown.err, &said.out, &said.err, &s.read(".spec/a/yatsu.md")] {
        assert!(!out.contains(['\u{1b}', '\u{202e}', '\u{200b}', '\u{2028}', '\u{85}', '\u{feff}']), "{out}");
    }
    s.git(&["add", "."]);
    s.yatsu(&["check", "--staged"]).expect(0);
    insta::assert_snapshot!(said.out + &said.err + &s.read(".spec/a/yatsu.md").replace(&long, "LONG"));
}

// P23
#[test]
fn a_name_beyond_the_limit_is_refused_and_nothing_is_written() {
    let s = with("a.feature", &format!("Feature: f\nScenario: {}\nThen y\n", "x".repeat(5000)));
    let before = everything(&s);
    let said = new(&s, "a.feature", &[]).expect(1);
    assert!(said.err.contains("the limit is 4096"), "{}", said.err);
    assert_eq!(everything(&s), before);
}

// P17: what FILE may be
#[test]
fn only_a_readable_file_of_the_work_tree_is_read() {
    let s = with("a.feature", "Feature: f\nScenario: s\n  Given x\n  Then y\n");
    s.write("empty.feature", "Feature: f\n");
    s.write("open.feature", "Feature: f\nScenario: s\n  Given x\n  \"\"\"\n");
    s.write("many.feature", format!("Feature: f\n{}", "Scenario: s\n".repeat(501)));
    s.write("large.feature", format!("Feature: f\n{}", "# x\n".repeat(70_000)));
    std::fs::write(s.root.join("latin.feature"), b"Feature: f\nScenario: caf\xe9\n").expect("a file");
    s.write("../outside.feature", "Feature: f\nScenario: s\n");
    std::os::unix::fs::symlink("../outside.feature", s.root.join("out.feature")).expect("a link");
    std::os::unix::fs::symlink("a.feature", s.root.join("in.feature")).expect("a link");
    let before = everything(&s);
    insta::assert_snapshot!(s.session(
        "yatsu-hook new --from gone.feature --code src/a.rs
         yatsu-hook new --from src --code src/a.rs
         yatsu-hook new --from '*.feature' --code src/a.rs
         yatsu-hook new --from ../outside.feature --code src/a.rs
         yatsu-hook new --from out.feature --code src/a.rs
         yatsu-hook new --from latin.feature --code src/a.rs
         yatsu-hook new --from large.feature --code src/a.rs
         yatsu-hook new --from open.feature --code src/a.rs
         yatsu-hook new --from many.feature --code src/a.rs
         yatsu-hook new --from empty.feature --code src/a.rs
         yatsu-hook new --from src/a.rs --code src/a.rs
         yatsu-hook new --from a.feature
         yatsu-hook new --from a.feature --code src/a.rs --scenario s
         yatsu-hook new --from a.feature --code src/a.rs --tag nope
         yatsu-hook new --fro a.feature --code src/a.rs"
    ));
    assert_eq!(everything(&s), before);
    s.yatsu(&["new", "board", "--from", "in.feature", "--code", "src/a.rs", "--tag", "mobile"]).expect(0);
    assert!(
        s.read(".spec/board/yatsu.md").contains("tags: [mobile]\n    code: [src/a.rs]\n    related: [in.feature]\n")
    );
    s.git(&["add", "."]);
    s.yatsu(&["check", "--staged"]).expect(0);
}

#[test]
fn a_change_of_the_other_tools_file_makes_nothing_stale() {
    let s = with("a.feature", "Feature: f\nScenario: s\n  Given x\n  Then y\n");
    new(&s, "a.feature", &[]).expect(0);
    s.commit("ours");
    s.yatsu(&["eval", "a", "--pass"]).expect(0);
    s.write("a.feature", "Feature: g\n");
    s.commit("theirs");
    assert!(s.yatsu(&["ls"]).expect(0).out.contains("fresh"));
}
