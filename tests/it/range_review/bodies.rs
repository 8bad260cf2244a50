//! Whole comments: golden ones, hostile names, the same bytes again, and the comparison of a merge queue.

use super::{declare, edit, measure, plan, report, shop};
use crate::support::{Scratch, scenarios, sha256};

/// A range with every section of a comment, at fixed times. Returns both ends.
fn every_section() -> (Scratch, String) {
    let s = shop(&["again", "back", "dropped", "fails", "left", "never", "old", "twice"]);
    let all = ["again", "back", "dropped", "fails", "left", "old", "twice"];
    measure(&s, &all.map(|name| (name, if name == "dropped" { "fail" } else { "pass" })), 0);
    s.commit("measured");
    edit(&s, &["old"]);
    let from = s.commit("old is stale");
    edit(&s, &["again", "fails", "left", "twice"]);
    s.write("src/new", "1\n");
    declare(&s, &["again", "back", "fails", "left", "never", "new", "old", "twice"]);
    s.commit("change");
    measure(&s, &[("again", "pass"), ("fails", "fail"), ("twice", "fail"), ("twice", "pass"), ("never", "pass")], 60);
    s.commit("measured again");
    (s, from)
}

#[test]
fn golden_comments() {
    let (s, from) = every_section();
    insta::assert_snapshot!("every_section", report(&s, &from, "HEAD", &[]).expect(0).out);
    let linked = report(&s, &from, "HEAD", &["--page", "https://example.org/p/page.html", "--checked", &from]);
    insta::assert_snapshot!("with_a_page_and_a_checked_commit", linked.expect(0).out);
    insta::assert_snapshot!("nothing_touched", report(&s, "HEAD", "HEAD", &[]).expect(0).out);
    insta::assert_snapshot!("unchecked", report(&s, "HEAD~9", "HEAD", &[]).expect(3).out);
    insta::assert_snapshot!("short", report(&s, &from, "HEAD", &["--limit", "2000"]).expect(0).out);
}

#[test]
fn the_working_tree_is_not_judged_and_no_file_is_written() {
    let (s, from) = every_section();
    let clean = report(&s, &from, "HEAD", &[]).expect(0).out;
    edit(&s, &["again", "fails", "left"]);
    s.write(".spec/shop/yatsu.md", "---\nscenarios: broken\n---\n");
    assert_eq!(report(&s, &from, "HEAD", &[]).expect(0).out, clean);
    assert_eq!(s.git(&["status", "--porcelain"]).lines().count(), 4);
}

// P8
#[test]
fn hostile_names_stay_in_code_spans() {
    let s = Scratch::new();
    let names = [
        "@team #1",
        "x](javascript:alert(1))",
        "a|b",
        "a\\|b <img src=x>",
        "a\\\\|b @team",
        "`ticks` and ``more``",
        "--> <b>bold</b> <!-- yatsu-hook:pr -->",
        "![](https://example.org/x.png)",
        "</sub></details>",
    ];
    let entry = |name: &&str| {
        format!("  - name: '{name}'\n    description: d\n    expected: e\n    tags: [cli]\n    code: src/a\n")
    };
    s.write("src/a", "1\n");
    let from = s.commit("empty");
    let entries: String = names.iter().map(entry).collect();
    s.write(".spec/shop/yatsu.md", format!("---\nscenarios:\n{entries}---\n"));
    s.commit("hostile");
    let plan = plan(&s, &from, "HEAD", &["--page", "https://example.org/page.html"]);
    let body = plan["body"].as_str().unwrap();
    insta::assert_snapshot!("hostile_names", body);
    for line in body.lines().filter(|line| line.starts_with("| [")) {
        let cells = cells(line);
        assert_eq!(cells.len(), 2, "{line}");
        let (name, link) = cells[0].rsplit_once("](").expect("a link");
        assert!(link.starts_with("https://example.org/page.html#open=s-") && link.ends_with(')'), "{line}");
        let fence = name[1..].chars().take_while(|c| *c == '`').count();
        let inside = &name[1 + fence..name.len() - fence];
        let runs = inside.split(|c| c != '`').map(str::len);
        assert!(runs.max().unwrap_or(0) < fence, "no row of backticks ends the span early: {line}");
    }
    assert_eq!(body.matches("\n<!--").count(), 0, "no second marker begins a line");
}

/// The cells of a table row, as GitHub's parser cuts them: a backslash takes the next character with it.
fn cells(line: &str) -> Vec<String> {
    let (mut cells, mut cell, mut chars) = (Vec::new(), String::new(), line.chars());
    while let Some(c) = chars.next() {
        match c {
            '\\' => cell.extend([Some('\\'), chars.next()].into_iter().flatten()),
            '|' => cells.push(std::mem::take(&mut cell).trim().to_owned()),
            c => cell.push(c),
        }
    }
    cells[1..].to_vec()
}

// P8
#[test]
fn control_and_reversing_characters_are_shown_as_their_code() {
    let s = Scratch::new();
    s.write("src/a", "1\n");
    let from = s.commit("empty");
    s.write(".spec/shop/yatsu.md", scenarios(&[("\"es\\x1b[2Jc \\u202e rtl\"", "\"src/a\\u200b\"")]));
    s.commit("hostile");
    let said = report(&s, &from, "HEAD", &[]);
    let is_bad = |c: char| c.is_control() && c != '\n' || ('\u{200b}'..='\u{202e}').contains(&c);
    assert!(!said.out.contains(is_bad), "{:?}", said.out);
}

// P10
#[test]
fn the_same_range_gives_the_same_bytes() {
    let (s, from) = every_section();
    let args = ["--page", "https://example.org/page.html", "--pictures", "--format", "json"];
    let first = report(&s, &from, "HEAD", &args).out;
    s.git(&["gc", "-q"]);
    s.git(&["clone", "-q", ".", "../other"]);
    let mut elsewhere = s.yatsu_command(&[&["report", "--pr", "--from", &from, "--to", "HEAD"][..], &args].concat());
    let elsewhere = elsewhere.current_dir(s.base.join("other")).env("TZ", "Asia/Tokyo").output().unwrap();
    assert_eq!(String::from_utf8(elsewhere.stdout).unwrap(), first);
}

#[test]
fn a_scenario_links_to_its_article_on_the_page() {
    let (s, from) = every_section();
    let plan = plan(&s, &from, "HEAD", &["--page", "https://example.org/page.html"]);
    let row = &plan["rows"][0];
    assert_eq!((&row["scenario"], &row["after"]["verdict"]), (&"fails".into(), &"fail".into()));
    let id = format!("s-{}", &sha256(".spec/shop\0fails")[..12]);
    assert_eq!(row["article"], id.as_str());
    let link = format!("| [`shop/fails`](https://example.org/page.html#open={id}) |");
    assert!(plan["body"].as_str().unwrap().contains(&link));
    assert!(
        s.yatsu(&["report", "--html", "-"]).expect(0).out.contains(&format!("id=\"{id}\"")),
        "as the page names it"
    );
}

// P14
#[test]
fn a_merge_queue_learns_whether_the_content_is_the_checked_one() {
    let s = shop(&["a", "b", "c"]);
    let base = s.git(&["rev-parse", "HEAD"]);
    s.git(&["checkout", "-q", "-b", "side"]);
    edit(&s, &["a"]);
    let checked = s.commit("side");
    s.git(&["checkout", "-q", "main"]);
    s.write("README", "main goes on\n");
    s.commit("beside");
    s.git(&["merge", "-q", "--no-ff", "-m", "queued", "side"]);
    let same = plan(&s, &base, "HEAD", &["--checked", &checked]);
    assert_eq!((&same["checked"]["same"], &same["checked"]["scenarios"]), (&true.into(), &3.into()));
    let short = &checked[..12];
    assert!(same["body"].as_str().unwrap().contains(&format!("\nThe same content as at {short}: 3 scenarios.\n")));

    edit(&s, &["b"]);
    s.write(".spec/shop/yatsu.md", s.read(".spec/shop/yatsu.md").replace("c works", "c works well"));
    s.commit("main changed what the branch was checked with");
    let other = plan(&s, &base, "HEAD", &["--checked", &checked]);
    let differ = other["checked"]["differ"].as_array().unwrap();
    let said: Vec<_> = differ.iter().map(|one| (one["scenario"].as_str().unwrap(), one["paths"].to_string())).collect();
    assert_eq!(said, [("b", "[\"src/b\"]".to_owned()), ("c", "[]".to_owned())], "c differs in its text");
    let body = other["body"].as_str().unwrap();
    let sentence = format!("\n2 of 3 scenarios govern other content than at {short}:\n\n- `shop/b`\n- `shop/c`\n");
    assert!(body.contains(&sentence), "{body}");
}

// P14
#[test]
fn at_most_ten_differing_scenarios_are_named() {
    let names: Vec<String> = (10..25).map(|number| format!("n{number}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let s = shop(&names);
    let checked = s.git(&["rev-parse", "HEAD"]);
    edit(&s, &names);
    s.commit("all change");
    let plan = plan(&s, &checked, "HEAD", &["--checked", &checked]);
    let body = plan["body"].as_str().unwrap();
    assert!(body.contains("- `shop/n19`\n\nand 5 more\n") && !body.contains("- `shop/n20`"), "{body}");
    assert_eq!(plan["checked"]["differ"].as_array().map(Vec::len), Some(15));
}

/// O6: a comment cannot be redacted, so it has notes on request alone.
#[test]
fn a_comment_shows_notes_on_request_alone() {
    let s = shop(&["a"]);
    let base = s.commit("before");
    s.yatsu(&["eval", "shop", "--scenario", "a", "--fail", "--note", "3 != 4 | `x`\u{202e}"]).expect(0);
    let head = s.commit("measured");
    let with = report(&s, &base, &head, &["--notes"]).out;
    assert!(with.contains("3 != 4 \\| "), "{with}");
    assert!(!report(&s, &base, &head, &[]).out.contains("3 != 4"));
}
