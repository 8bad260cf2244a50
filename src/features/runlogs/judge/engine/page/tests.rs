//! Tests each section of the page on the smallest log that shows it.

use super::*;
use crate::features::runlogs::judge::engine::story::Story;
use crate::features::runlogs::model::builtin::{self, CALIBRATION_CYCLE, MEASURE};
use proptest::prelude::*;

const BEGIN: &str = r#"{"event":"_index","ts":"2026-05-15T14:32:01Z","schema_version":"1.5.6","event_types":["_index","run_start","phase_start","phase_end","artifact_written","error","run_end","phase_reopened","documentation_state","aborted_missing_docs","note","gate_check"],"benchmark":"chi-1.5.1","lever_state":"post-pattern7","started_at":"2026-05-15T14:32:01Z"}
{"event":"run_start","ts":"2026-05-15T14:32:01Z","runner":"claude","playbook_version":"1.5.6","target_path":"/home/a/chi"}
"#;

fn at(time: &str, name: &str, rest: &str) -> String {
    let comma = if rest.is_empty() { "" } else { "," };
    format!("{{\"event\":\"{name}\",\"ts\":\"2026-05-15T{time}Z\"{comma}{rest}}}\n")
}

fn page_of(lines: &[String], before: Option<&str>) -> String {
    let log = format!("{BEGIN}{}", lines.concat());
    let profile = builtin::find(QUALITY_PLAYBOOK).unwrap();
    let story = Story::read(log.as_bytes(), profile).unwrap();
    String::from_utf8(render(&story, profile, before.map(str::as_bytes))).unwrap()
}

/// The lines of one section.
fn section(page: &str, heading: &str) -> Vec<String> {
    let body = page.split(&format!("{heading}\n\n")).nth(1).unwrap_or_else(|| panic!("no {heading} in\n{page}"));
    body.lines().take_while(|line| !line.is_empty()).map(str::to_owned).collect()
}

#[test]
fn the_header_says_who_runs_what_since_when() {
    let page = page_of(&[], None);
    let head = "# QPB Run Progress\n\n\
        **Started:** 2026-05-15T14:32:01Z **Benchmark:** chi-1.5.1 **Lever:** post-pattern7\n\
        **Runner:** claude **Playbook version:** 1.5.6\n\n## Phases\n";
    assert!(page.starts_with(head), "{page}");
    let page = page_of(&[at("14:40:00", "run_end", r#""status":"aborted""#)], None);
    assert!(page.contains("\n**Ended:** 2026-05-15T14:40:00Z **Status:** aborted\n"), "{page}");
}

#[test]
fn a_run_without_documentation_says_so_in_its_header() {
    let state = at("14:33:00", "documentation_state", r#""state":"code_only","reason":"empty""#);
    assert!(page_of(&[state], None).contains("\n\nDocumentation state: code_only\n\n## Phases"));
    let state = at("14:33:00", "documentation_state", r#""state":"with_docs","reason":"there""#);
    assert!(!page_of(&[state], None).contains("Documentation state"));
    let aborted = at("14:33:00", "aborted_missing_docs", r#""reason":"reference_docs/ empty""#);
    assert!(page_of(&[aborted], None).contains("\n\nERROR: aborted_missing_docs — reference_docs/ empty\n\n## Phases"));
}

#[test]
fn the_checklist_has_durations_counts_and_what_is_in_progress() {
    let end = r#""phase":1,"key_counts":{"findings_total":12,"patterns_walked":7},"artifacts_produced":["a","b"]"#;
    let lines = [
        at("14:32:01", "phase_start", "\"phase\":1"),
        at("14:42:11.5", "phase_end", end),
        at("14:42:11", "phase_start", "\"phase\":2"),
        at("15:42:13", "phase_end", r#""phase":2,"key_counts":{},"artifacts_produced":["a"]"#),
        at("15:50:00", "phase_start", "\"phase\":3"),
        at("15:49:00", "phase_end", r#""phase":3,"key_counts":{"gate_verdict":"pass"},"artifacts_produced":[]"#),
        at("15:51:00", "phase_reopened", r#""phase":3,"reason":"gone""#),
        at("15:52:31", "phase_start", "\"phase\":5"),
    ];
    let expected = [
        "- [x] Phase 1 — Explore (10:10, 12 findings total, 7 patterns walked, 2 artifacts produced)",
        "- [x] Phase 2 — Generate (1:00:02, 1 artifact produced)",
        "- [ ] Phase 3 — Code Review *(reopened)*",
        "- [ ] Phase 4 — Spec Audit",
        "- [ ] Phase 5 — Reconciliation *(in progress, started 15:52:31Z)*",
        "- [ ] Phase 6 — Verify",
    ];
    assert_eq!(section(&page_of(&lines, None), "## Phases"), expected);
    let closed = section(&page_of(&lines[..6], None), "## Phases");
    assert_eq!(closed[2], "- [x] Phase 3 — Code Review (0:00, gate verdict pass)", "never negative");
}

#[test]
fn the_last_ten_events_stand_there_newest_first() {
    let mut lines = vec![at("14:33:00", "phase_start", "\"phase\":1")];
    lines.extend(
        (1..=9).map(|n| at(&format!("14:33:0{n}"), "gate_check", &format!("\"gate_name\":\"g{n}\",\"x\":[1,\"b\"]"))),
    );
    let found = section(&page_of(&lines, None), "## Recent events (last 10)");
    assert_eq!(found.len(), 10, "of twelve");
    assert_eq!(found[0], "- 2026-05-15T14:33:09Z — gate_check gate_name=g9 x=\\[1,b\\]");
    assert_eq!(found[9], "- 2026-05-15T14:33:00Z — phase_start phase=1");
}

#[test]
fn artifacts_have_their_latest_size_once_each() {
    let written = |path: &str, size: u64| {
        at("14:33:00", "artifact_written", &format!("\"relative_path\":\"{path}\",\"byte_size\":{size}"))
    };
    let lines = [
        written("quality/EXPLORATION.md", 7),
        written("a b.md", 1),
        written("quality/EXPLORATION.md", 1_234_567),
        at("14:34:00", "phase_end", r#""phase":1,"key_counts":{},"artifacts_produced":["a b.md","c.md"]"#),
    ];
    let found = section(&page_of(&lines, None), "## Artifacts produced");
    assert_eq!(found, ["- quality/EXPLORATION.md (1,234,567 bytes)", "- a b.md (1 byte)", "- c.md"]);
    assert_eq!(section(&page_of(&[], None), "## Artifacts produced"), ["(none yet)"]);
    for (number, text) in [(0, "0"), (999, "999"), (1000, "1,000"), (12034, "12,034"), (100_000, "100,000")] {
        assert_eq!(separated(number), text);
    }
}

#[test]
fn a_run_without_phases_has_none_yet() {
    let profile = builtin::find(CALIBRATION_CYCLE).unwrap();
    let story = Story::read(&b""[..], profile).unwrap();
    let page = String::from_utf8(render(&story, profile, None)).unwrap();
    assert_eq!(section(&page, "## Phases"), ["(none yet)"]);
    assert!(page.starts_with("# Run Progress\n"));
}

#[test]
fn a_page_is_named_after_its_log() {
    let name = |profile: &str, log: &str| super::name(builtin::find(profile).unwrap(), log);
    assert_eq!(name(QUALITY_PLAYBOOK, "run_state.jsonl").as_deref(), Some("PROGRESS.md"));
    assert_eq!(name(MEASURE, "20260515T143201Z-0af3.jsonl").as_deref(), Some("20260515T143201Z-0af3.md"));
    assert_eq!(name(CALIBRATION_CYCLE, "run_state.jsonl"), None);
}

#[test]
fn other_sections_stay_as_they_are_below_ours() {
    let before = "# QPB Run Progress\nold header\n\n## Phases\n- old\n\n### A note of mine\nkept\n\n## Recent events (last 10)\n- old\n\
        ```\n## Phases of the moon\n```\n## Terminal Gate Verification\n\n```\n## Phases\n```\nall **good**  \n\n## Artifacts produced\n- old\n";
    let page = page_of(&[], Some(before));
    let (ours, theirs) = page.split_once(&format!("{}\n", foreign_text::MARK)).unwrap();
    assert!(!ours.contains("old") && !ours.contains("note of mine"), "{ours}");
    assert!(!theirs.contains("- old"), "a list of ours is rendered again: {theirs}");
    assert_eq!(
        theirs,
        "\nold header\n\n### A note of mine\nkept\n\n```\n## Phases of the moon\n```\n## Terminal Gate Verification\n\n```\n## Phases\n```\nall **good**\n"
    );
    assert_eq!(page_of(&[], Some(&page)), page, "rendered again it is the same");
    let edited = format!("{page}\nanything\r\n## Phases\r\nis theirs down here  \n");
    assert_eq!(page_of(&[], Some(&edited)), edited);
    assert_eq!(page_of(&[], Some("just a note\n")).split_once(foreign_text::MARK).unwrap().1, "\n\njust a note\n");
    assert_eq!(page_of(&[], Some("")), page_of(&[], None));
}

#[test]
fn words_between_our_headings_are_moved_and_never_lost() {
    let page = page_of(&[], None);
    let edited = page
        .replace("\n## Phases\n", "\nread this first\n\n## Phases\n")
        .replace("\n## Recent", "\nphase 2 is slow\n\n## Recent")
        .replace("**Runner:** claude", "**Runner:** another")
        .replace("\n## Artifacts", "\n**Note:** mine\n\n## Artifacts");
    let now = page_of(&[], Some(&edited));
    let (ours, theirs) = now.split_once(&format!("{}\n", foreign_text::MARK)).unwrap();
    assert_eq!(theirs, "\nread this first\n\nphase 2 is slow\n\n**Note:** mine\n");
    assert_eq!(format!("{ours}{}\n", foreign_text::MARK), page, "what is ours is rendered again");
    assert_eq!(page_of(&[], Some(&now)), now);
}

#[test]
fn a_page_that_somebody_edited_renders_to_another_one() {
    let page = page_of(&[], None);
    let edited = page.replace("- [ ] Phase 1", "- [x] Phase 1");
    assert_ne!(edited, page);
    assert_eq!(page_of(&[], Some(&edited)), page);
}

#[test]
fn what_a_log_says_is_text_on_the_page() {
    let hostile = r"a\nb ![x](http://e/p.png) <script>alert(1)</script> [l](https://e) `c` **b** _i_ | # h https://e www.e.org a@e.org {{x}} $m$ <!-- &amp; ~~s~~";
    let lines = [
        at("14:33:00", "note", &format!("\"text\":\"{}\"", &hostile[..60])),
        at("14:33:00", "note", &format!("\"text\":\"{}\"", &hostile[60..])),
        at("14:33:00", "artifact_written", r#""relative_path":"x\n## Phases\n- [x] Phase 6 \u202e<b>""#),
        at("14:33:00", "a<b>\\n# c", r#""](http://e)":"v""#),
    ];
    let page = page_of(&lines, None);
    for syntax in [
        "<script",
        "<b>",
        "![x](",
        "[l](",
        "https://",
        "http://",
        "www.e",
        "a@e",
        "{{",
        "\n## Phases\n- [x] Phase 6",
        "\u{202e}",
    ] {
        assert!(!page.contains(syntax), "{syntax} in\n{page}");
    }
    assert_eq!(page.lines().filter(|line| line.starts_with('#')).count(), 4, "{page}");
    assert_eq!(page.matches("<!--").count(), 1, "only our own mark");
    assert_eq!(markdown::plain("phase_start a_b _c_"), "phase_start a_b \\_c\\_");
    assert_eq!(markdown::plain("::://x a: b"), "::\\://x a: b");
    assert_eq!(markdown::plain("a\\b <i>&"), "a\\\\b &lt;i&gt;&amp;");
}

proptest! {
    #[test]
    fn no_text_becomes_syntax(text in "[a\\\\`*_\\[\\]()<>#!|~:/.w@&{}$\n\u{202e}-]{0,40}") {
        let shown = markdown::plain(&text);
        prop_assert!(!shown.contains(['<', '>', '\n', '\u{202e}']), "syntax");
        // An escaped character is text: a space stands for it here. Without the space, `:\\{//` would read as `://`.
        let mut letters = shown.chars();
        let mut bare = String::new();
        while let Some(letter) = letters.next() {
            if letter == '\\' { letters.next(); bare.push(' '); } else { bare.push(letter); }
        }
        prop_assert!(!bare.contains("://"), "an address");
        prop_assert!(!bare.contains(['`', '*', '[', ']', '{', '}', '#', '|', '~', '$', '@', '!']), "{shown}");
    }

    #[test]
    fn rendered_twice_is_rendered_once(before in "(# QPB Run Progress|## Phases|## Recent events|## Artifacts produced|# own|text|```|===|---|- x|\r| ){0,12}(\n(## Phases|# own|text|```|---|=====|)){0,12}") {
        let once = page_of(&[], Some(&before));
        prop_assert_eq!(page_of(&[], Some(&once)), once);
    }
}
