//! O4: the score over time has the figures of `log`, as columns and as a table.

use super::{page, tree};
use crate::support::html::{Element, Page};
use crate::support::{Scratch, validate_published};
use serde_json::Value;

/// A history of six states.
fn aged() -> Scratch {
    let s = tree();
    s.commit("moved");
    for minute in 40..44 {
        s.write("src/a.rs", format!("fn a() {{ {minute} }}\n"));
        s.commit("an edit of <b>a</b>");
        let verdict = if minute == 42 { "--fail" } else { "--pass" };
        s.yatsu(&["eval", ".spec/board", "--scenario", "draws", verdict]).expect(0);
        s.commit("measured again");
    }
    s
}

/// What `log` says: each commit with its counts, the oldest first.
fn logged(s: &Scratch, words: &[&str]) -> Vec<(String, Vec<u64>)> {
    let said = s.yatsu(&[&["log", "--format", "json"], words].concat()).expect(0);
    let answer = validate_published(&said.out);
    let entries = answer["entries"].as_array().expect("entries").iter().rev();
    let counts = |score: &Value| {
        ["fail", "stale", "notJudged", "unmeasured", "legacy", "pass"]
            .map(|key| score[key].as_u64().expect(key))
            .to_vec()
    };
    entries.map(|entry| (entry["commit"].as_str().expect("an id").to_owned(), counts(&entry["score"]))).collect()
}

/// The rows of the table, the oldest first.
fn told(page: &Page) -> Vec<(String, Vec<u64>)> {
    let rows = page.all(|element| element.name == "tr" && element.attr("data-commit").is_some());
    let cells = |row: &Element| {
        let cells = page.inside(row).filter(|cell| cell.name == "td" && cell.attr("data-state").is_some());
        cells.map(|cell| cell.text.parse().expect("a number")).collect()
    };
    let mut rows: Vec<_> = rows.map(|row| (row.attr("data-commit").expect("an id").to_owned(), cells(row))).collect();
    rows.reverse();
    rows
}

/// The states of each column, from its top, with the heights in pixels.
fn columns(page: &Page) -> Vec<Vec<(String, u32)>> {
    let columns = page.all(|element| element.name == "li" && element.attr("data-commit").is_some());
    let height = |part: &Element| part.attr("class").and_then(|class| class[1..].parse().ok()).expect("a height");
    let parts = |column: &Element| {
        let parts = page.inside(column).filter(|part| part.name == "span");
        parts.map(|part| (part.attr("data-state").expect("a state").to_owned(), height(part))).collect()
    };
    columns.map(parts).collect()
}

#[test]
fn o4_the_columns_and_the_table_have_the_figures_of_the_log() {
    let s = aged();
    assert!(page(&s, &[]).all(|element| element.has("id", "history")).next().is_none(), "only where it is asked for");
    let shown = page(&s, &["--history", "60"]);
    let logged_all = logged(&s, &["-n", "60"]);
    assert_eq!(told(&shown), logged_all);
    let columns = columns(&shown);
    assert_eq!(columns.len(), logged_all.len());
    let most = logged_all.iter().map(|(_, counts)| counts[..5].iter().sum::<u64>()).max().expect("a column");
    for (column, (_, counts)) in columns.iter().zip(&logged_all) {
        let of = |state: &str| column.iter().find(|(found, _)| found == state).map_or(0, |(_, height)| *height);
        for (state, count) in ["fail", "stale", "unjudged", "unmeasured", "legacy", "pass"].iter().zip(counts) {
            assert_eq!(of(state) > 0, *count > 0, "{state} of {column:?}");
        }
        let above: u32 = column.iter().filter(|(state, _)| state != "pass").map(|(_, height)| height).sum();
        let exact = counts[..5].iter().sum::<u64>() as f64 * 64.0 / most as f64;
        assert!((f64::from(above) - exact).abs() <= 6.0, "{above} px for {exact}");
    }
    let scales: Vec<_> = shown.all(|element| element.has("class", "scale")).map(|scale| scale.text.clone()).collect();
    let now = &logged_all.last().expect("a commit").1;
    assert_eq!(
        scales[0],
        format!("fail, stale, unmeasured: at the last commit {}, at most {most}", now[..5].iter().sum::<u64>())
    );
    assert!(scales[1].starts_with(&format!("pass: at the last commit {}, at most ", now[5])), "{scales:?}");
    let subjects = shown.all(|element| element.name == "th" && element.text.contains("an edit of <b>a</b>")).count();
    assert_eq!(subjects, 4);
}

#[test]
fn the_history_is_that_of_the_selection_and_of_the_commit_of_the_page() {
    let s = aged();
    let of_node = ["--history", "60", "board"];
    assert_eq!(told(&page(&s, &of_node)), logged(&s, &["-n", "60", "board"]));
    assert_eq!(told(&page(&s, &["--history", "3", "--rev", "HEAD~2"])), logged(&s, &["-n", "3", "--to", "HEAD~2"]));
    let public = page(&s, &["--history", "60", "--without-evidence", "--links", "https://github.com/acme/board"]);
    assert!(public.all(|element| element.text.contains("an edit of")).next().is_none(), "no subjects");
    let linked = public.all(|element| element.name == "th").flat_map(|head| public.inside(head));
    let linked = linked.filter(|link| link.attr("href").is_some_and(|to| to.contains("/commit/"))).count();
    assert_eq!(linked, told(&public).len());
    let of_commit = page(&s, &["--history", "60", "--rev", "HEAD"]);
    let scale = of_commit.all(|element| element.has("class", "scale")).next().expect("a scale");
    assert!(scale.text.starts_with("fail, stale, unmeasured: now "), "{}", scale.text);
    let one = page(&s, &["--history", "1"]);
    assert!(one.all(|element| element.has("id", "history")).next().is_none(), "one commit is no course");
    for wrong in ["61", "-1", "many"] {
        s.yatsu(&["report", "--html", "-", "--history", wrong]).expect(2);
    }
}

/// Commits that only move a node have no column, and states have their words.
#[test]
fn columns_are_commits_that_changed_a_state() {
    let s = aged();
    for number in 0..5 {
        let place =
            |number: usize| format!(".spec/{}", if number == 0 { "board".to_owned() } else { format!("b{number}") });
        s.git(&["mv", &place(number), &place(number + 1)]);
        s.commit("moved");
    }
    assert_eq!(columns(&page(&s, &["--history", "2"])).len(), 2);
    let mut line = crate::support::reading_line(&s.head(), "filters", "pass", 50);
    line = line.replace(",\"verdict\":{\"status\":\"pass\"}", "");
    s.write(".spec/b5/list/yatsu.evals.ndjson", s.read(".spec/b5/list/yatsu.evals.ndjson") + &line);
    s.commit("legacy");
    let shown = page(&s, &["--history", "60"]);
    let scale = shown.all(|element| element.has("class", "scale")).next().expect("a scale");
    assert!(scale.text.starts_with("fail, stale, unmeasured, legacy: "), "{}", scale.text);
}

/// The page is about one state, so it is made where older ones cannot be read, and says why their course is not there.
#[test]
fn a_history_that_cannot_be_read_leaves_the_page() {
    let s = aged();
    s.git(&["config", "uploadpack.allowFilter", "true"]);
    s.git(&["clone", "-q", "--filter=blob:none", &format!("file://{}", s.root.display()), "../partial"]);
    let mut command = s.yatsu_command(&["report", "--html", "-", "--history", "60"]);
    let said = command.current_dir(s.base.join("partial")).output().expect("the program");
    let said = crate::support::Said::of(said).expect(0);
    let why = |text: &str| Page::parse(text).id("history").text.clone();
    assert!(why(&said.out).contains("Not known here: "), "{}", why(&said.out));
    s.write("spexcode.json", "{");
    s.commit("broken");
    std::fs::remove_file(s.root.join("spexcode.json")).expect("a file");
    s.write(".spec/new/yatsu.md", crate::support::scenarios(&[("fresh", "src/a.rs")]));
    for nodes in [&[][..], &["new"]] {
        let said =
            s.yatsu(&[&["report", "--html", "../page.html", "--force", "--history", "9"], nodes].concat()).expect(0);
        assert!(said.err.contains("hint: the page does not have the score over time: "), "{}", said.err);
    }
    s.yatsu(&["report", "--html", "-", "--history", "9", "nowhere"]).expect(2);
}
