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
fn goals_runs_and_lineage_stand_on_it_where_there_are_any() {
    let s = one_node();
    let plain = page(&s, &[]);
    for id in ["goals", "runs", "lineage"] {
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
    let lineage = page.id("lineage");
    assert!(lineage.text.contains("n/works") && !lineage.text.contains("failure:"), "{}", lineage.text);
    let failure = page.one("the failure", |element| {
        element.attr("data-step").is_some_and(|id| id.starts_with("failure:.spec/n#works@"))
    });
    let above: Vec<_> = failure.above.iter().filter_map(|at| page.elements[*at].attr("data-step")).collect();
    assert!(above.len() == 1 && above[0].starts_with("reading:"), "a failure stands in its reading: {above:?}");
    assert!(failure.text.starts_with("failure 20") && failure.text.ends_with(": open"), "{}", failure.text);
    let anchor = article(&page, "works").attr("id").unwrap();
    page.one("the way there", |element| element.has("href", &format!("#l-{anchor}")));
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
fn the_contents_say_where_something_fails() {
    let page = page(&tree(), &[]);
    let nav = page.one("the contents", |element| element.has("aria-label", "Contents"));
    let failing: Vec<_> = page.inside(nav).filter(|element| element.has("class", "fail")).collect();
    assert_eq!(failing.iter().map(|element| element.text.as_str()).collect::<Vec<_>>(), ["1 fail"]);
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
