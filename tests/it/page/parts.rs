//! The other sections of a page, and the sections that a published page leaves out.

use super::{article, page, tree};
use crate::support::html::Page;
use crate::support::{Scratch, one_node, reading, scenarios};

#[test]
fn every_governed_file_says_who_speaks_for_it() {
    let s = tree();
    s.write("src/e.rs", "fn e() {}\n");
    s.write(".spec/bare/spec.md", "---\ncode:\n  - src/e.rs\n---\n");
    let page = page(&s, &[]);
    let table = page.id("coverage");
    let rows: Vec<_> =
        page.inside(table).filter_map(|element| element.attr("data-path").map(|path| (path, &element.text))).collect();
    let paths: Vec<_> = rows.iter().map(|(path, _)| *path).collect();
    assert_eq!(
        paths,
        ["src/b.rs", "src/d.rs", "src/e.rs", "src/c.rs", "src/a.rs"],
        "what nothing speaks for comes first"
    );
    for (row, said) in rows.iter().zip(["1 fail", "1 unmeasured", "no scenario", "1 stale", "1 pass"]) {
        assert!(row.1.contains(said), "{row:?}");
    }
}

#[test]
fn a_file_that_many_scenarios_govern_names_the_first() {
    let s = Scratch::new();
    s.write("src/a.rs", "fn a() {}\n");
    let names: Vec<String> = (0..6).map(|n| format!("s{n}")).collect();
    let list: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "src")).collect();
    s.write(".spec/n/yatsu.md", scenarios(&list));
    s.commit("first");
    let page = page(&s, &[]);
    let row = page.one("the file", |element| element.has("data-path", "src/a.rs"));
    assert!(row.text.contains("n/s0n/s1n/s2+3") && row.text.contains("6 unmeasured"), "{}", row.text);
}

#[test]
fn goals_and_runs_stand_on_it_where_there_are_any() {
    let s = one_node();
    let plain = page(&s, &[]);
    for id in ["goals", "runs"] {
        assert!(!plain.elements.iter().any(|element| element.has("id", id)), "{id}");
    }
    let contract = "goal_contract:\n  version: 1\n  goal_text: It is fast\n  acceptance_criteria:\n    - id: latency\n      \
                    kind: metric_threshold\n      metric: latency\n      op: '<='\n      target: 20\n      unit: ms\n";
    let file = s.read(".spec/n/yatsu.md").replace("---\nscenarios", &format!("---\n{contract}scenarios"));
    s.write(".spec/n/yatsu.md", file);
    s.commit("a goal");
    s.yatsu(&["eval", "n", "--fail", "--metric", "latency=31ms"]).expect(0);
    s.yatsu(&["runlog", "start"]).expect(0);
    s.commit("measured");
    let page = page(&s, &[]);
    let goal = page.id("goals");
    assert!(goal.text.contains("It is fast"), "{}", goal.text);
    let criterion = page.one("the criterion", |element| element.has("data-criterion", "latency"));
    assert!(criterion.text.contains("latency <= 20 ms") && criterion.text.contains("31 ms"), "{}", criterion.text);
    assert!(criterion.has("data-status", "NOT_MET"), "{criterion:?}");
    assert!(page.inside(page.id("runs")).any(|element| element.attr("data-run").is_some()));
    let status = page.inside(criterion).find(|element| element.has("class", "pill fail"));
    assert_eq!(
        status.map(|pill| pill.text.as_str()),
        Some("NOT_MET"),
        "a criterion has the colour of a scenario that stands so"
    );
    assert_eq!(
        goal.text.matches("failing").count(),
        1,
        "what the table says is not said again below it: {}",
        goal.text
    );
}

#[test]
fn a_page_to_publish_has_no_bytes_no_notes_and_no_names() {
    let s = tree();
    let text = s.yatsu(&["report", "--html", "-", "--without-evidence"]).expect(0).out;
    for hidden in ["the border is missing", "Ada", "1 passed", "base64,R0lG", "actor:"] {
        assert!(!text.contains(hidden), "{hidden}");
        assert!(s.yatsu(&["report", "--html", "-"]).expect(0).out.contains(hidden) || hidden == "actor:", "{hidden}");
    }
    let page = page(&s, &["--without-evidence"]);
    let shown: Vec<_> = page.all(|element| element.attr("data-shown").is_some()).collect();
    assert!(shown.len() == 3 && shown.iter().all(|figure| figure.has("data-shown", "left-out")), "{shown:?}");
    assert_eq!(page.id("score").text, "4 scenarios: 2 fresh (1 pass, 1 fail), 1 stale, 1 unmeasured");
}

#[test]
fn what_was_taken_out_of_a_ledger_is_said_and_not_shown() {
    let s = one_node();
    reading(&s, ".spec/n", "works", "fail", 1);
    reading(&s, ".spec/n", "works", "pass", 2);
    s.commit("measured");
    let ts = "2026-01-01T00:01:00.000Z";
    s.yatsu(&["redact", "n", "--scenario", "works", "--ts", ts, "--reason", "names a customer"]).expect(0);
    let timeline = article(&page(&s, &[]), "works").text.clone();
    assert!(timeline.contains("redacted") && timeline.contains("names a customer"), "{timeline}");
}

#[test]
fn whoever_was_sent_a_page_reads_on_it_what_its_words_mean() {
    let s = tree();
    let words = |page: &Page| page.id("words").text.clone();
    let said = words(&page(&s, &[]));
    for word in ["scenario", "fresh", "stale", "unmeasured"] {
        assert!(said.contains(word), "{said}");
    }
    assert!(!said.contains("legacy") && !said.contains("not judged"), "words that do not occur: {said}");
    let empty = page(&Scratch::new(), &[]);
    assert!(!empty.elements.iter().any(|element| element.has("id", "words")), "there is nothing to explain");
    assert!(empty.elements.iter().any(|element| element.text == "yatsu-hook new NODE --code PATH"), "how one begins");
}

#[test]
fn paths_that_moved_stand_apart() {
    let s = Scratch::new();
    for name in ["a", "b", "c", "d"] {
        s.write(&format!("src/{name}.rs"), "one\n");
    }
    s.write(".spec/n/yatsu.md", scenarios(&[("works", "[src/a.rs, src/b.rs, src/c.rs, src/d.rs]")]));
    s.commit("first");
    reading(&s, ".spec/n", "works", "pass", 1);
    for name in ["a", "b", "c", "d"] {
        s.write(&format!("src/{name}.rs"), "two\n");
    }
    let page = page(&s, &[]);
    let said = &article(&page, "works").text;
    assert!(said.contains("moved: src/a.rs, src/b.rs and 2 more"), "{said}");
    assert!(said.contains("moved: src/a.rs, src/b.rs, src/c.rs, src/d.rs"), "{said}");
}

#[test]
fn passing_files_beyond_the_listed_ones_are_counted_too() {
    let s = Scratch::new();
    (0..5002).for_each(|at| s.write(&format!("src/f{at:04}"), "1\n"));
    s.write(".spec/n/yatsu.md", scenarios(&[("works", "src/*")]));
    s.commit("many files");
    s.yatsu(&["eval", "n", "--pass"]).expect(0);
    let said = s.yatsu(&["report", "--html", "-"]).expect(0).out;
    let count =
        "Governed files and units <span class=\"many\">5002</span>, with a fresh pass <span class=\"many\">5002</span>";
    assert!(said.contains(count) && said.contains("<p class=\"more\">and 2 more</p>"));
}

/// O6: a failing card says why, and what a reviewer asks next.
#[test]
fn a_failing_card_has_its_reason_the_last_pass_and_what_differs_since() {
    let s = one_node();
    s.yatsu(&["eval", "n", "--pass"]).expect(0);
    let passed = s.head();
    s.commit("measured");
    s.write("src/a.rs", "fn a() { broken }\n");
    s.commit("broken");
    s.yatsu(&["eval", "n", "--fail", "--note", "3 of 4 failed: <a>"]).expect(0);
    s.yatsu(&["eval", "n", "--fail", "--note", "again"]).expect(0);
    let made = page(&s, &[]);
    let card = article(&made, "works");
    let reason = made.inside(card).find(|element| element.has("class", "reason"));
    assert_eq!(reason.map(|reason| reason.text.as_str()), Some("again"), "the reading that counts");
    let last = made.inside(card).find(|element| element.attr("data-passed").is_some()).expect("the last pass");
    assert_eq!(last.attr("data-passed"), Some(&*passed));
    assert!(last.text.ends_with("The first fail had other content at src/a.rs"), "{}", last.text);
    let public = page(&s, &["--without-evidence"]);
    assert!(!public.elements.iter().any(|element| element.has("class", "reason")), "a note is private");
    // a pass again, a fail without a pass before it
    s.yatsu(&["eval", "n", "--pass"]).expect(0);
    assert!(!page(&s, &[]).elements.iter().any(|element| element.attr("data-passed").is_some()));
    let s = one_node();
    s.yatsu(&["eval", "n", "--fail"]).expect(0);
    assert!(!page(&s, &[]).elements.iter().any(|element| element.attr("data-passed").is_some()));
}

/// O5: a row a metric and unit, the oldest reading first, a gap where a reading has no value.
#[test]
fn metrics_are_a_row_of_dots() {
    let s = one_node();
    for (verdict, metric) in [("--pass", Some("latency=31ms")), ("--fail", None), ("--pass", Some("latency=12.5ms"))] {
        let mut args = vec!["eval", "n", verdict];
        args.extend(metric.iter().flat_map(|metric| ["--metric", metric]));
        s.yatsu(&args).expect(0);
    }
    s.yatsu(&["eval", "n", "--pass", "--metric", "latency=1s", "--metric", "size=3"]).expect(0);
    let page = page(&s, &[]);
    let rows: Vec<_> = page.all(|element| element.attr("data-metric").is_some()).collect();
    let said: Vec<_> = rows.iter().map(|row| (row.attr("data-metric").expect("a name"), row.text.as_str())).collect();
    assert_eq!(
        said,
        [
            ("latency", "latency 12.5 ms least 12.5, greatest 31 in 2 readings"),
            ("latency", "latency 1 s"),
            ("size", "size 3")
        ]
    );
    let dots = page.inside(rows[0]).filter(|element| element.name == "li");
    let dots: Vec<_> = dots.map(|dot| (dot.attr("data-value"), dot.attr("data-verdict"))).collect();
    let dot = |value, verdict| (Some(value), Some(verdict));
    assert_eq!(dots, [dot("31", "pass"), (None, None), dot("12.5", "pass"), (None, None)]);
}

/// The contents mark what has to be looked at; a mark is a link to the filter.
#[test]
fn the_contents_mark_fails_stale_and_unmeasured_scenarios() {
    let page = page(&tree(), &[]);
    let marks = page.all(|element| element.attr("data-mark").is_some());
    let marks: Vec<_> = marks.map(|mark| [mark.attr("data-mark"), mark.attr("href"), Some(&*mark.text)]).collect();
    let mark = |state, href, text| [Some(state), Some(href), Some(text)];
    assert_eq!(
        marks,
        [
            mark("fail", "#q=.spec/board&state=fail", "1 fail"),
            mark("stale", "#q=.spec/board/list&state=stale", "1 stale"),
            mark("unmeasured", "#q=.spec/board/list&state=unmeasured", "1 unmeasured"),
        ]
    );
}

/// One edit behind many scenarios is one card with their list.
#[test]
fn stale_scenarios_of_one_cause_are_one_card() {
    let s = Scratch::new();
    s.write("src/hub.rs", "fn hub() {}\n");
    s.write("src/own.rs", "fn own() {}\n");
    for node in ["m", "n"] {
        s.write(
            &format!(".spec/{node}/yatsu.md"),
            scenarios(&[("a", "[src/hub.rs]"), ("b", "[src/hub.rs, src/own.rs]")]),
        );
    }
    s.write(".spec/o/yatsu.md", scenarios(&[("alone", "src/own.rs")]));
    s.commit("first");
    for scenario in ["m/a", "m/b", "n/a", "n/b", "o/alone"] {
        s.yatsu(&["eval", scenario, "--pass"]).expect(0);
    }
    s.commit("measured");
    assert!(!page(&s, &[]).elements.iter().any(|element| element.has("id", "causes")));
    s.write("src/hub.rs", "fn hub() { moved }\n");
    s.write("src/own.rs", "fn own() { moved }\n");
    let page = page(&s, &[]);
    let cards: Vec<_> = page.all(|element| element.attr("data-cause").is_some()).collect();
    let said: Vec<_> =
        cards.iter().map(|card| (card.attr("data-cause").expect("a path"), card.text.as_str())).collect();
    assert_eq!(said, [("src/hub.rs", "stale src/hub.rs moved: 4 scenarios of 2 nodes\nm/am/bn/an/b")]);
    assert_eq!(page.inside(cards[0]).filter(|element| element.name == "a").count(), 4);
}

/// A scenario with a test is measured by the report of its run.
#[test]
fn a_test_is_named_and_the_command_takes_its_report() {
    let s = one_node();
    let file = s.read(".spec/n/yatsu.md").replace("    code:", "    test: {path: src/a.rs, name: 'a <b>'}\n    code:");
    s.write(".spec/n/yatsu.md", file);
    let page = page(&s, &[]);
    let card = article(&page, "works");
    let again = page.inside(card).find(|element| element.has("class", "again")).expect("the command");
    assert!(again.text.starts_with("yatsu-hook eval .spec/n/works --from-junit FILE"), "{}", again.text);
    assert!(card.text.contains("src/a.rs a <b>"), "{}", card.text);
}
