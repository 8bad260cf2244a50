//! The length of a comment, and the address of a page.

use super::{declare, edit, measure, plan, report, shop};
use crate::support::Scratch;

/// A range that makes `count` scenarios stale, measures half of them, and fails the last of these.
fn wide(count: usize) -> (Scratch, String) {
    let names: Vec<String> =
        (0..count).map(|number| format!("scenario number {number:04} with a name of some length")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let s = shop(&names);
    measure(&s, &names.iter().map(|name| (*name, "pass")).collect::<Vec<_>>(), 0);
    let from = s.commit("measured");
    edit(&s, &names);
    s.commit("change");
    let half: Vec<_> = names[..count / 2].iter().map(|name| (*name, "pass")).collect();
    let (last, rest) = half.split_last().expect("some");
    measure(&s, rest, 2000);
    measure(&s, &[(last.0, "fail")], 4000);
    s.commit("measured again");
    (s, from)
}

// P9
#[test]
fn a_comment_of_fifty_scenarios_is_short_and_one_click_from_the_failing_picture() {
    let (s, from) = wide(50);
    let plan = plan(&s, &from, "HEAD", &["--page", "https://example.org/artifacts/0123456789/page.html"]);
    let body = plan["body"].as_str().unwrap();
    assert!(body.len() < 60_000 && plan["cut"] == 0, "{}", body.len());
    assert_eq!(body.matches("#open=s-").count(), 50);
    let first = body.split("\n### Measured\n").nth(1).unwrap().lines().nth(3).unwrap();
    assert!(
        first.starts_with("| [`shop/scenario number 0024 ") && first.ends_with("| fresh pass | fresh fail |"),
        "{first}"
    );
}

// P9
#[test]
fn a_long_comment_is_cut_at_rows_and_says_how_many_are_left_out() {
    let (s, from) = wide(60);
    let whole = report(&s, &from, "HEAD", &[]).expect(0).out;
    let mut cut_before = 0;
    for limit in [9_000, 6_000, 5_000, 4_000, 3_000, 2_000] {
        let plan = plan(&s, &from, "HEAD", &["--limit", &limit.to_string()]);
        let (body, cut) = (plan["body"].as_str().unwrap(), plan["cut"].as_u64().unwrap());
        assert!(body.len() <= limit && cut >= cut_before, "{} of {limit}, {cut}", body.len());
        cut_before = cut;
        let mores =
            body.lines().filter_map(|line| line.strip_prefix("and ")?.strip_suffix(" more")?.parse::<u64>().ok());
        assert_eq!(mores.sum::<u64>(), cut, "{body}");
        assert_eq!(
            body.lines().take(4).collect::<Vec<_>>(),
            whole.lines().take(4).collect::<Vec<_>>(),
            "the numbers stand"
        );
        assert_eq!(body.lines().last(), whole.lines().last(), "the last line stands");
        assert!(body.lines().all(|line| line.starts_with("and ") || whole.contains(line)), "rows are whole: {body}");
        let rows = |heading: &str| {
            body.split(heading).nth(1).map_or(0, |rest| rest.split("\n#").next().unwrap().matches("\n| `").count())
        };
        assert!(rows("### Measured") == 0 || rows("### Nobody measured") == 30, "what was measured goes first: {body}");
    }
    assert!(cut_before > 40, "{cut_before}");
}

// P9
#[test]
fn errors_and_hints_are_cut_too() {
    let s = shop(&["a"]);
    let from = s.git(&["rev-parse", "HEAD"]);
    let names: Vec<String> = (0..60).map(|number| format!("n{number}")).collect();
    declare(&s, &names.iter().map(String::as_str).collect::<Vec<_>>());
    s.write(".spec/shop/yatsu.md", s.read(".spec/shop/yatsu.md").replace("    tags: [cli]\n", ""));
    s.commit("sixty errors");
    let plan = plan(&s, &from, "HEAD", &["--limit", "2000"]);
    let body = plan["body"].as_str().unwrap();
    assert!(body.len() <= 2000 && body.contains("### Errors") && body.contains(" more\n"), "{body}");
    let long = "x".repeat(5000);
    let said = report(&s, &long, &long, &["--limit", "2000"]).expect(3);
    assert!(said.out.len() <= 2000 && said.out.contains("unchecked"), "{}", said.out);
}

// P13
#[test]
fn an_address_that_could_leave_its_link_is_refused() {
    let s = shop(&["a"]);
    for bad in [
        "example.org/page",
        "javascript:alert(1)",
        "ftp://example.org/",
        "https://example.org/a b",
        "https://example.org/)",
        "https://example.org/]x",
        "https://example.org/<b>",
        "https://example.org/\"",
        "https://example.org/`",
        "https://example.org/|",
        "https://example.org/#top",
        "https://example.org/\u{1b}[2J",
        "https://example.org/\n",
    ] {
        let said = report(&s, "HEAD", "HEAD", &["--page", bad]).expect(2);
        assert!(said.out.is_empty() && !said.err.contains('\u{1b}'), "{bad:?}: {}", said.err);
    }
    let entity = report(&s, "HEAD", "HEAD", &["--page", "https://example.org/?a&copy;=1&b=2"]).expect(0);
    assert!(entity.out.ends_with(" · [page](https://example.org/?a&amp;copy;=1&b=2)</sub>\n"), "{}", entity.out);
    let good = report(&s, "HEAD", "HEAD", &["--page", "http://localhost:8000/a_b/page.html?job=1&x=%20"]).expect(0);
    assert!(good.out.ends_with(" · [page](http://localhost:8000/a_b/page.html?job=1&x=%20)</sub>\n"), "{}", good.out);
}
