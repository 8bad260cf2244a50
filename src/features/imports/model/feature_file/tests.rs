use super::*;
use proptest::prelude::*;

fn library() -> Vec<String> {
    ["cli", "slow", "wip"].map(String::from).into()
}

fn found(text: &str) -> FeatureFile {
    read(text, &library()).unwrap()
}

/// Each scenario as its name, its description and its expected result.
fn texts(text: &str) -> Vec<(String, String, String)> {
    let part = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
    let scenarios = found(text).scenarios.into_iter();
    scenarios.map(|one| (one.name, part(one.description), part(one.expected))).collect()
}

fn one(name: &str, description: &str, expected: &str) -> (String, String, String) {
    (name.to_owned(), description.to_owned(), expected.to_owned())
}

#[test]
fn the_first_then_of_a_gherkin_scenario_begins_its_expected_result() {
    let text = "\u{feff}# a comment\n@wip\nFeature: Cart\n  As a buyer\n  Given that is free text\n\n  Background:\n    Given a shop\n    \
                * open doors\n\n  @cli @unknown # @slow\n  Scenario: pays\n    free text\n    Given a cart\n    # no step\n    When \
                one pays\n    But late\n    Then a bill comes\n    And a mail\n    When one waits\n    * nothing\n  Example: \n    Then \
                it ends\n";
    let before = "Given a shop; * open doors";
    assert_eq!(
        texts(text),
        [
            one(
                "pays",
                &format!("{before}; Given a cart; When one pays; But late"),
                "Then a bill comes; And a mail; When one waits; * nothing"
            ),
            one("Example", before, "Then it ends"),
        ]
    );
    let tags = |at: usize| found(text).scenarios[at].tags.clone();
    assert_eq!((tags(0), tags(1)), (vec!["wip".to_owned(), "cli".to_owned()], vec!["wip".to_owned()]));
}

#[test]
fn tables_doc_strings_and_examples_are_text() {
    let text = "Feature: f\n  Scenario Outline: <a>\n    Given a file:\n      \"\"\"json\n      # kept\n        @kept\n\n      Scenario: \
                kept\n      \"\"\"\n    And users\n      | name |\n      # a comment\n      | Ann  |\n    Then <a>\n      ```\n      x\n      \
                ```\n\n    @slow\n    Examples: some\n      | a |\n      | 1 |\n    Scenarios:\n      | a |\n";
    assert_eq!(
        texts(text),
        [one(
            "<a>",
            "Given a file:\n\"\"\"json\n# kept\n  @kept\n\nScenario: kept\n\"\"\"; And users\n| name |\n| Ann  |; Examples: some\n| \
             a |\n| 1 |; Scenarios:\n| a |",
            "Then <a>\n```\nx\n```"
        )]
    );
    assert_eq!(found(text).scenarios[0].tags, ["slow"]);
}

#[test]
fn a_rule_adds_its_background_and_its_tags_to_its_own_scenarios() {
    let text = "Ability: f\nBackground:\nGiven a\nScenario: s\nThen x\n@cli\nRule: r\nBackground:\nGiven b\nExample: s\nThen y\nRule: \
                q\nScenario Template: s\nWhen c\n";
    assert_eq!(
        texts(text),
        [one("s", "Given a", "Then x"), one("s", "Given a; Given b", "Then y"), one("s", "Given a; When c", "-")]
    );
    assert_eq!(found(text).scenarios.iter().map(|one| one.tags.len()).collect::<Vec<_>>(), [0, 1, 0]);
}

#[test]
fn a_file_that_cannot_be_read_says_why() {
    use UnreadFeature::{Empty, Language, OpenComment, OpenDocString, OpenFence, Stray, TooLong, TooMany, UnknownKind};
    let many = |count: usize| format!("Feature: f\n{}", "Scenario: s\n".repeat(count));
    let long = format!("Feature: f\nBackground:\nGiven {}\n{}", "x".repeat(1 << 10), "Scenario: s\n".repeat(300));
    for (text, why) in [
        ("", UnknownKind),
        ("# Title\n\nFeature: no\n", Empty(FileKind::Gherkin, vec![])),
        ("Text\nFeature: no\n", UnknownKind),
        ("Funktionalit\u{e4}t: x\n", UnknownKind),
        ("# language: de\nFunktionalit\u{e4}t: x\n", Language("de".to_owned())),
        ("# x\n\n#language:en-lol\nOH HAI: x\n", Language("en-lol".to_owned())),
        ("Feature: f\nScenario: s\nGiven x\n\"\"\"\nThen y\n", OpenDocString(4)),
        ("Feature: f\nScenario: s\nThen y\n**Scenario:** t\nThen z\n", Stray(4)),
        ("Feature: f\nScenario: s\nThen y\nbackground:\n\"\"\"\n", Stray(4)),
        ("Feature: f\nScenario: s\nThen y\n\n  Scenario t\nThen z\n", Stray(5)),
        ("Feature: f\nScenario: s\nThen y\nand z\n", Stray(4)),
        ("Feature: f\nScenario: s\nThen y\nExamples:\n  some text\n| a |\nmore\n", Stray(7)),
        ("Feature: f\nscenario: s\n", Empty(FileKind::Gherkin, vec![2])),
        ("### Requirement: r\n\n### Scenario: s\n- **THEN** x\n", Empty(FileKind::OpenSpec, vec![3])),
        ("### Requirement: r\n#### Scenario: s\n- **THEN** x\n  ```\n#### Scenario: t\n", OpenFence(4)),
        ("### Requirement: r\n<!-- a -->\n<!-- b --> <!--\n#### Scenario: s\n", OpenComment(3)),
        (&many(501), TooMany(501)),
        (&long, TooLong),
        ("# Checklist\n\n- [ ] CHK001 Is **Acceptance** defined?\n", UnknownKind),
        ("```\n### Requirement: r\n```\n<!--\n### Requirement: r\n**Acceptance Scenarios**:\n-->\n", UnknownKind),
        ("### Requirement: r\n\ntext\n", Empty(FileKind::OpenSpec, vec![])),
    ] {
        assert_eq!(read(text, &[]), Err(why), "{}", &text[..text.len().min(80)]);
    }
    assert_eq!(found(&many(500)).scenarios.len(), 500);
    assert_eq!(texts("# language: en\nFeature: f\nScenario: s\n"), [one("s", "-", "-")]);
}

#[test]
fn an_open_spec_scenario_has_bold_words() {
    let text = "# Spec\n## Requirements\n### Requirement: r\nThe system SHALL pay.\n\n#### Scenario: **Pays** `src/**`\n\n- **GIVEN** a \
                cart\n- **AND** a card,\n  held ready\n- **WHEN** one pays `a**b` **twice**\n- **THEN** these come:\n  - a bill\n  1. a \
                mail\n\n  a paragraph\n- **AND** no `### Requirement:`\n```sh\n#### Scenario: no heading\n```\n<!-- a hint\n#### Scenario: \
                none\n-->\n#### Scenario: plain words\n* WHEN it runs\n* **Then**: it ends\n---\nnot a part\n";
    assert_eq!(
        texts(text),
        [
            one(
                "Pays `src/**`",
                "GIVEN a cart; AND a card, held ready; WHEN one pays `a**b` twice",
                "THEN these come:\n- a bill\n1. a mail\na paragraph; AND no `### Requirement:`\n```sh\n#### Scenario: no heading\n```"
            ),
            one("plain words", "WHEN it runs", "Then it ends"),
        ]
    );
}

#[test]
fn a_line_that_nearly_begins_a_scenario_is_counted() {
    let gherkin = "Feature: f\n  scenario: told\n  # scenario: a comment\n  Scenario: a\n  - Example: text\n  * Scenario: a step\n  Then \
                   scenario: x\n  \"\"\"\n  scenario: quoted\n  \"\"\"\n  And rows\n  | scenario: |\n";
    assert_eq!(found(gherkin).near, [2, 5]);
    assert_eq!(texts(gherkin).len(), 1);
    let spec = "### Requirement: r\n#### Scenario: a\n- **THEN** x\n#### **Scenario:** b\n- **THEN** y\n### Scenario: c\n##### scenario \
                d\n#### Scenario : e\n- **Scenario:** f\n## Scenarios\nScenario tests come later\n```\nScenario: no\n```\n## REMOVED \
                Requirements\n### Scenario: gone\n";
    assert_eq!(found(spec).near, [6, 7, 9]);
    assert_eq!(
        texts(spec),
        [one("a", "-", "THEN x"), one("b", "-", "THEN y"), one("Scenario : e", "Scenario: f", "-")]
    );
    let kit = "### User Story 1 - Pay\n**Acceptance Scenarios**:\n1. **Then** a\n### User Story 2 - Wait\n**Acceptance Scenarios:**\n1. \
               **Then** b\n#### Acceptance scenarios\n1. **Then** c\n- **Acceptance  Scenarios**\n";
    assert_eq!(found(kit).near, [5, 7, 9]);
    assert_eq!(texts(kit), [one("Pay 1", "-", "Then a")]);
}

/// Each file as Gherkin's own parser takes it: true where it is read. The answers are those of gherkin-official 42.0.1.
#[test]
fn gherkin_that_gherkin_refuses_is_refused() {
    let scenario = "Feature: f\nScenario: s\nGiven x\n";
    let (docs, table) = ("\"\"\"\na\n\"\"\"\n", "| a | b |\n| 1 | 2 |\n");
    for (text, is_read) in [
        (format!("{scenario}{table}"), true),
        (format!("{scenario}{table}# a comment\n\n| 3 | 4 |\n"), true),
        (format!("{scenario}| a |\n| 1 | 2 |\n"), false),
        (format!("{scenario}| a \\| b |\n| 1 |\n"), true),
        (format!("{scenario}| a \\\\| b |\n| 1 |\n"), false),
        (format!("{scenario}| a | b\n| 1 |\n"), true),
        (format!("{scenario}{docs}"), true),
        (format!("{scenario}{docs}{docs}"), false),
        (format!("{scenario}{docs}{table}"), true),
        (format!("{scenario}{table}{docs}"), true),
        (format!("{scenario}{docs}{table}{docs}"), false),
        (format!("{scenario}{table}{docs}{table}"), false),
        (format!("{scenario}{docs}And y\n{docs}"), true),
        (format!("{scenario}Examples:\n{table}"), true),
        (format!("{scenario}Examples:\nGiven text\nBackground: text\n{table}"), true),
        (format!("{scenario}Examples:\n| a |\n| 1 | 2 |\n"), false),
        (format!("{scenario}Examples:\n{table}Given y\n"), false),
        (format!("{scenario}Examples:\n{table}{docs}"), false),
        (format!("{scenario}Examples:\n{table}Examples:\n| a |\n"), true),
        ("@a @b\n@c\nFeature: f\nScenario: s\n".into(), true),
        ("Feature: f\n@a b\nScenario: s\n".into(), false),
        ("Feature: f\n@a @b #c d\nScenario: s\n".into(), true),
        ("Feature: f\n@a@b\nScenario: s\n".into(), true),
        ("Feature: f\nScenario: s\n@a\n".into(), false),
        (format!("{scenario}@a\nGiven y\n"), false),
        (format!("{scenario}@a\n# c\n\nScenario: t\n"), true),
        (format!("{scenario}@a\nExamples:\n{table}"), true),
        ("Feature: f\n@a\nBackground:\nScenario: s\n".into(), false),
        ("Feature: f\nBackground:\nGiven x\nBackground:\nGiven y\nScenario: s\n".into(), false),
        ("Feature: f\nBackground:\nBackground: text\nGiven y\nScenario: s\n".into(), true),
        (format!("{scenario}Background:\nGiven y\n"), false),
        ("Feature: f\nScenario: s\nBackground: text\nFeature: text\n".into(), true),
        ("Feature: f\nExamples: text\nScenario: s\n".into(), true),
        ("Feature: f\nBackground:\nGiven x\nExamples:\n| a |\nScenario: s\n".into(), false),
        (format!("{scenario}Feature: g\nScenario: t\n"), false),
        ("Feature: f\nFeature: text\nScenario: s\n".into(), true),
        ("Feature: f\nScenario : s\nScenario: t\n".into(), true),
        (format!("{scenario}Scenario : s\n"), false),
        (format!("{scenario}Given\ty\n"), false),
        ("# language: en\nScenario: s\n".into(), false),
        ("Feature: f\nRule: r\nBackground:\nGiven x\nExample: s\n".into(), true),
        (format!("{scenario}Rule: r\nScenario: t\nBackground: text\n"), true),
    ] {
        let said = read(&text, &library());
        assert_eq!(said.is_ok(), is_read, "{text}{said:?}");
    }
    let refused = |text: &str| match read(text, &library()) {
        Err(UnreadFeature::Refused(line, why)) => (line, why),
        other => panic!("{text}: {other:?}"),
    };
    assert_eq!(refused(&format!("{scenario}| a |\n| 1 | 2 |\n")).0, 5);
    assert_eq!(refused("Feature: f\nScenario: s\n@a b\nScenario: t\n"), (3, "a tag has a blank"));
    assert_eq!(refused("Feature: f\nScenario: s\n\n@a\n\n").0, 4);
}

#[test]
fn open_spec_takes_headings_in_any_case_and_every_fourth_level_below_a_requirement() {
    let text = "## Requirements\n### REQUIREMENT: r\n#### scenario: a\n- **THEN** x\n#### Edge case\n- **THEN** y\n## Notes\n#### \
                History\n## removed requirements\n- `### Requirement: gone`\n### requirement: left\n#### Scenario: no\n";
    assert_eq!(texts(text), [one("a", "-", "THEN x"), one("Edge case", "-", "THEN y")]);
    assert_eq!((found(text).removed, found(text).near), (2, vec![]));
}

#[test]
fn what_stands_behind_a_comment_is_read() {
    let text = "### Requirement: r\n<!-- one --> #### Scenario: a\n<!-- note --> - **WHEN** x\n<!-- a\n#### Scenario: none\n--> <!-- b --> - \
                **THEN** y <!-- kept -->\n";
    assert_eq!(texts(text), [one("a", "WHEN x", "THEN y <!-- kept -->")]);
}

#[test]
fn a_fence_may_open_behind_the_mark_of_an_item() {
    let text = "### Requirement: r\n#### Scenario: a\n- **THEN** x\n1. ```sh\n   #### Scenario: none\n   ```\n#### Scenario: b\n- **THEN** y\n";
    assert_eq!(
        texts(text),
        [one("a", "-", "THEN x\n1. ```sh\n   #### Scenario: none\n   ```"), one("b", "-", "THEN y")]
    );
}

#[test]
fn a_delta_gives_only_the_requirements_that_it_adds_or_changes() {
    let text = "## ADDED Requirements\n### Requirement: a\n#### Scenario: one\n- **THEN** x\n## REMOVED Requirements\n### Requirement: \
                b\n#### Scenario: two\n- **THEN** x\n### Requirement: c\n## RENAMED Requirements\n- FROM: `### Requirement: d`\n- TO: `### \
                Requirement: e`\n## MODIFIED Requirements\n### Requirement: f\n#### Scenario: three\n- **WHEN** y\n";
    assert_eq!(texts(text), [one("one", "-", "THEN x"), one("three", "WHEN y", "-")]);
    let file = found(text);
    assert_eq!((file.kind, file.removed, file.renamed), ("openspec", 2, 1));
}

#[test]
fn the_acceptance_scenarios_of_a_story_are_numbered() {
    let text = "# Feature Specification: Pay\n### User Story 1 - Pay by card (Priority: P1) \u{1f3af}\n\n**Independent Test**: \
                none\n\n**Acceptance Scenarios**:\n\n1. **Given** a card,\n   **When** one\n   pays, **Then** a bill comes, **And** a \
                mail\n   - to Ann\n2. **Given** none [NEEDS CLARIFICATION: which?]\n\n**Note**: not a part\n\n---\n### User Story 2 \u{2014} \
                (Priority: P2)\n**Acceptance Scenarios**\n1. It is late\n### Edge Cases\n- **Given** nothing, **When** x\n";
    assert_eq!(
        texts(text),
        [
            one("Pay by card \u{1f3af} 1", "Given a card; When one pays", "Then a bill comes; And a mail\n- to Ann"),
            one("Pay by card \u{1f3af} 2", "Given none [NEEDS CLARIFICATION: which?]", "-"),
            one("User Story 2 \u{2014} 1", "It is late", "-"),
        ]
    );
    assert_eq!(
        texts("**Acceptance Scenarios**:\n**Given** a **When** b **Then** c"),
        [one("Scenario 1", "Given a; When b", "Then c")]
    );
}

// time that grows with the square of the lines would be minutes here; a clock would fail on a busy machine
#[test]
fn lines_that_repeat_give_no_more_scenarios_than_a_file_may_have() {
    let heads = [
        "Feature: f\nScenario: s\nGiven x\n",
        "### Requirement: r\n#### Scenario: s\n",
        "**Acceptance Scenarios**:\n1. x\n",
    ];
    let lines = [
        "\"\"\"\n",
        "| a |\n",
        "@cli ",
        "**",
        "`",
        "`**",
        "**Given** ",
        "<!--\n",
        "- \n",
        "1. x\n",
        "# a\n",
        " ",
        "(Priority:",
        ",\n",
        ";",
    ];
    for head in heads {
        for line in lines {
            let text = head.to_owned() + &line.repeat(MAX_FEATURE_FILE / 4 / line.len());
            if let Ok(found) = read(&text, &library()) {
                assert!(found.scenarios.len() <= 500, "{head}{line}");
            }
        }
    }
}

/// Files from the words of all three formats.
fn file() -> impl Strategy<Value = String> {
    let word = prop::sample::select(vec![
        "Feature: f\n",
        "Scenario: ",
        "Examples:\n",
        "Background:\n",
        "Rule: r\n",
        "Given ",
        "When ",
        "Then ",
        "And ",
        "* ",
        "| a |\n",
        "\"\"\"\n",
        "```\n",
        "@cli\n",
        "# ",
        "### Requirement: r\n",
        "#### Scenario: ",
        "## REMOVED Requirements\n",
        "- **WHEN** ",
        "**Then** ",
        "**",
        "`",
        "**Acceptance Scenarios**:\n",
        "### User Story 1 - ",
        "(Priority: P1)",
        "1. ",
        "---\n",
        "<!--\n",
        "<!-- ",
        " -->",
        "scenario: ",
        "-->\n",
        "\n",
        "\r\n",
        "  ",
        "\u{2028}",
        "\u{200b}",
        "\u{1b}[2J",
        "\u{202e}",
        "x",
        "\u{e9}",
        "a: b",
        "\u{0}",
    ]);
    prop::collection::vec(word, 0..60).prop_map(|words| words.concat())
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused(head in 0..3_usize, text in file()) {
        let head = ["", "Feature: f\nScenario: s\n", "### Requirement: r\n#### Scenario: s\n"][head];
        if let Ok(file) = read(&(head.to_owned() + &text), &library()) {
            prop_assert!(!file.scenarios.is_empty());
            for one in file.scenarios {
                prop_assert!(!crate::text::escape::is_blank(&one.name));
                prop_assert!(!one.name.contains(|c: char| c.is_whitespace() && c != ' '));
                prop_assert!(one.tags.iter().all(|tag| tag == "cli"));
                for text in [one.description, one.expected].into_iter().flatten() {
                    prop_assert!(!crate::text::escape::is_blank(&text));
                }
            }
        }
    }
}
