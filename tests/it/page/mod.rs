//! `report --html`: the page of the score, read back by another parser.

mod history;
mod hostile;
mod links;
mod pairs;
mod parts;

use crate::support::html::{Element, Page};
use crate::support::{Scratch, one_node, reading, scenarios, sha256, validate_published};
use std::fs;

/// Two nodes, the second below the first: a fresh pass with a picture and a transcript, a fresh fail, a stale one, an
/// unmeasured one.
pub fn tree() -> Scratch {
    let s = Scratch::new();
    for name in ["a", "b", "c", "d"] {
        s.write(&format!("src/{name}.rs"), format!("fn {name}() {{}}\n"));
    }
    s.write(".spec/board/spec.md", "---\ntitle: The board\n---\n");
    let board = scenarios(&[("draws", "src/a.rs"), ("fails", "src/b.rs")]);
    s.write(".spec/board/yatsu.md", board);
    let list =
        scenarios(&[("sorts", "src/c.rs"), ("filters", "src/d.rs")]).replace("tags: [cli]", "tags: [mobile, cli]");
    s.write(".spec/board/list/yatsu.md", list);
    s.commit("first");
    s.write("../shot.gif", GIF);
    s.write("../run.log", "\u{1b}[32mok\u{1b}[0m 1 passed\n");
    let eval = |args: &[&str]| s.yatsu(&[&["eval"], args].concat()).expect(0);
    eval(&[".spec/board", "--scenario", "fails", "--fail", "--note", "the border is missing", "--by", "Ada"]);
    eval(&[".spec/board/list", "--scenario", "sorts", "--pass"]);
    eval(&[".spec/board", "--scenario", "draws", "--fail", "--result", "../run.log"]);
    eval(&[".spec/board", "--scenario", "draws", "--pass", "--image", "../shot.gif", "--result", "../run.log"]);
    s.commit("measured");
    s.write("src/c.rs", "fn c() { moved }\n");
    s
}

/// The smallest picture that has a size.
pub const GIF: &[u8] = b"GIF89a\x02\x00\x01\x00\x00\x00\x00;";

/// The page with these arguments.
#[track_caller]
pub fn page(scratch: &Scratch, args: &[&str]) -> Page {
    Page::parse(&scratch.yatsu(&[&["report", "--html", "-"], args].concat()).expect(0).out)
}

#[track_caller]
pub fn article<'p>(page: &'p Page, scenario: &str) -> &'p Element {
    page.one(scenario, |element| element.name == "article" && element.has("data-scenario", scenario))
}

fn scenarios_of(page: &Page) -> Vec<&str> {
    page.all(|element| element.name == "article").filter_map(|element| element.attr("data-scenario")).collect()
}

#[test]
fn a_page_says_of_every_scenario_what_the_score_says() {
    let s = tree();
    let page = page(&s, &[]);
    assert_eq!(page.id("score").text, "4 scenarios: 2 fresh (1 pass, 1 fail), 1 stale, 1 unmeasured");
    assert_eq!(page.id("source").attr("data-commit"), Some(&*s.git(&["rev-parse", "HEAD"])));
    assert_eq!(scenarios_of(&page), ["fails", "draws", "sorts", "filters"], "passes stand last");
    for (scenario, node, state, verdict, tags) in [
        ("draws", ".spec/board", "fresh", "pass", "cli"),
        ("fails", ".spec/board", "fresh", "fail", "cli"),
        ("sorts", ".spec/board/list", "stale", "pass", "mobile cli"),
        ("filters", ".spec/board/list", "unmeasured", "none", "mobile cli"),
    ] {
        let article = article(&page, scenario);
        let said = ["data-node", "data-state", "data-verdict", "data-tags"].map(|name| article.attr(name).unwrap());
        assert_eq!(said, [node, state, verdict, tags]);
        let anchor = &sha256([node.as_bytes(), b"\0", scenario.as_bytes()].concat())[..12];
        assert_eq!(article.attr("id"), Some(&*format!("s-{anchor}")));
        let chips: Vec<_> = page.inside(article).filter_map(|element| element.attr("data-tag")).collect();
        assert_eq!(chips.join(" "), tags);
        assert!(article.text.contains(&format!("{scenario} works")), "{}", article.text);
    }
    let moved: Vec<_> = page.inside(article(&page, "sorts")).filter_map(|element| element.attr("data-moved")).collect();
    assert_eq!(moved, ["src/c.rs"]);
    assert!(article(&page, "fails").text.contains("the border is missing"));
}

#[test]
fn nodes_are_sections_inside_of_each_other() {
    let s = tree();
    s.write(".spec/board-b/yatsu.md", scenarios(&[("aside", "src/a.rs")]));
    s.write(".spec/empty/spec.md", "---\ntitle: nothing to see\n---\n");
    let page = page(&s, &[]);
    let sections: Vec<_> = page.all(|element| element.attr("id").is_some_and(|id| id.starts_with("n-"))).collect();
    let dirs: Vec<_> = sections.iter().filter_map(|section| section.attr("data-node")).collect();
    assert_eq!(dirs, [".spec/board", ".spec/board/list", ".spec/board-b"]);
    assert!(page.around(sections[1]).has("data-node", ".spec/board"));
    assert_eq!(
        [page.around(sections[0]), page.around(sections[2])].map(|element| element.name.as_str()),
        ["main", "main"]
    );
    let heading = page.inside(sections[0]).find(|element| element.name == "h2").map(|heading| heading.text.as_str());
    assert_eq!(heading, Some("The board"));
    for section in sections {
        let link = format!("#{}", section.attr("id").unwrap());
        page.one("a link in the contents", |element| element.has("href", &link));
    }
}

#[test]
fn the_timeline_has_every_reading_and_its_evidence_once() {
    let s = tree();
    let page = page(&s, &[]);
    let draws = article(&page, "draws");
    let readings: Vec<_> = page.inside(draws).filter(|element| element.attr("data-reading").is_some()).collect();
    let verdicts: Vec<_> = readings.iter().filter_map(|reading| reading.attr("data-verdict")).collect();
    assert_eq!(verdicts, ["pass", "fail"]);
    assert!(readings[0].attr("data-ts") > readings[1].attr("data-ts"));
    assert!(readings.iter().all(|reading| reading.has("data-state", "fresh")));
    let log = sha256("\u{1b}[32mok\u{1b}[0m 1 passed\n");
    let figures: Vec<_> = page.inside(draws).filter(|element| element.has("data-evidence", &log)).collect();
    assert_eq!(figures.len(), 2, "both readings name it");
    assert!(figures.iter().all(|figure| figure.has("data-shown", "embedded") && figure.has("data-kind", "transcript")));
    assert_eq!(
        page.inside(figures[0]).find(|element| element.name == "pre").map(|pre| pre.text.as_str()),
        Some("\nok 1 passed\n")
    );
    let id = figures[0].attr("id").unwrap();
    let link = page.inside(figures[1]).find(|element| element.name == "a").and_then(|link| link.attr("href"));
    assert_eq!(link, Some(&*format!("#{id}")), "the second time it is a link");
    let picture = page.one("the picture", |element| element.name == "img");
    assert_eq!(["width", "height"].map(|name| picture.attr(name).unwrap()), ["2", "1"]);
    assert!(picture.attr("src").unwrap().starts_with("data:image/gif;base64,R0lGODlh"));
    assert!(picture.above.iter().any(|at| page.elements[*at].has("data-evidence", &sha256(GIF))));
}

#[test]
fn a_long_timeline_says_how_many_older_readings_there_are() {
    let s = one_node();
    (1..=23).for_each(|minute| reading(&s, ".spec/n", "works", "pass", minute));
    let page = page(&s, &[]);
    assert_eq!(page.all(|element| element.attr("data-reading").is_some()).count(), 20);
    assert!(article(&page, "works").text.contains("and 3 older"));
}

#[test]
fn the_same_view_gives_the_same_page_byte_for_byte() {
    let s = tree();
    let text = |args: &[&str]| s.yatsu(&[&["report", "--html", "-"], args].concat()).expect(0).out;
    assert_eq!(text(&[]), text(&[]));
    let head = s.git(&["rev-parse", "HEAD"]);
    let before = text(&["--rev", &head]);
    s.write("src/a.rs", "changed\n");
    s.commit("later");
    assert_eq!(text(&["--rev", &head]), before, "a commit says what it said");
    assert_ne!(text(&[]), before);
}

#[test]
fn what_fails_or_is_stale_stands_first_and_passes_are_folded() {
    let s = tree();
    s.write(".spec/a/yatsu.md", scenarios(&[("calm", "src/a.rs"), ("quiet", "src/a.rs")]));
    s.commit("a node of passes");
    ["calm", "quiet"].iter().for_each(|name| reading(&s, ".spec/a", name, "pass", 1));
    let page = page(&s, &[]);
    assert_eq!(scenarios_of(&page), ["fails", "draws", "sorts", "filters", "calm", "quiet"]);
    let groups: Vec<_> = page.all(|element| element.has("class", "passes")).collect();
    let inside = |group: &Element| -> Vec<String> {
        page.inside(group).filter_map(|element| element.attr("data-scenario").map(str::to_owned)).collect()
    };
    assert_eq!(groups.iter().map(|group| inside(group)).collect::<Vec<_>>(), [vec!["draws"], vec!["calm", "quiet"]]);
    let summaries = groups.iter().map(|group| page.inside(group).next().map(|summary| summary.text.as_str()));
    assert_eq!(summaries.collect::<Vec<_>>(), [Some("1 pass"), Some("2 pass")]);
    let open = page
        .all(|element| element.name == "article")
        .filter(|article| page.inside(article).next().is_some_and(|details| details.attr("open").is_some()));
    let open: Vec<_> = open.filter_map(|article| article.attr("data-scenario")).collect();
    assert_eq!(open, ["fails", "sorts", "filters"], "a short page unfolds all but passes");
}

#[test]
fn filters_are_the_parts_of_the_score_and_add_up() {
    let s = tree();
    reading(&s, ".spec/board/list", "filters", "fail", 1);
    s.write("src/d.rs", "fn d() { moved }\n");
    let page = page(&s, &[]);
    assert_eq!(page.id("score").text, "4 scenarios: 2 fresh (1 pass, 1 fail), 2 stale, 0 unmeasured");
    let filters: Vec<_> =
        page.all(|element| element.attr("data-filter-state").is_some()).map(|one| one.text.as_str()).collect();
    assert_eq!(filters, ["fail 1", "stale 2", "pass 1"], "a stale fail is stale");
}

#[test]
fn the_last_ten_verdicts_stand_in_a_strip_the_newest_at_its_end() {
    let s = one_node();
    assert!(!page(&s, &[]).elements.iter().any(|element| element.has("class", "strip")), "it was never measured");
    for minute in 1..=12 {
        reading(&s, ".spec/n", "works", if minute % 5 == 3 { "fail" } else { "pass" }, minute);
    }
    let page = page(&s, &[]);
    let strip = page.one("the strip", |element| element.has("class", "strip"));
    let label = strip.attr("aria-label").unwrap();
    assert_eq!(
        label,
        "last verdicts, the newest at the end: fail, pass, pass, pass, pass, fail, pass, pass, pass, pass"
    );
    let bars: Vec<_> = page.inside(strip).filter_map(|bar| bar.attr("class")).collect();
    assert!(label.ends_with(&bars.join(", ")) && bars.len() == 10, "{bars:?}");
}

#[test]
fn the_command_that_measures_again_has_no_verdict() {
    let s = Scratch::new();
    s.write("src/a.rs", "fn a() {}\n");
    s.write(".spec/n/yatsu.md", scenarios(&[("it's $(fine)", "src/a.rs")]));
    s.commit("first");
    let page = page(&s, &[]);
    let again = page.one("the command", |element| element.has("class", "again"));
    let command = page.inside(again).find(|element| element.name == "code").map(|code| code.text.clone()).unwrap();
    assert_eq!(command, r#"yatsu-hook eval ".spec/n/it's "'$(fine)'"#);
    let words = shlex::split(&command).unwrap();
    let refused = s.yatsu(&words[1..].iter().map(String::as_str).collect::<Vec<_>>()).expect(2);
    assert!(refused.out.is_empty(), "{refused:?}");
    assert!(!s.root.join(".spec/n/yatsu.evals.ndjson").exists(), "without a verdict it files nothing");
}

#[test]
fn a_page_names_its_project_and_its_branch() {
    let s = tree();
    let named = |args: &[&str]| {
        let page = page(&s, args);
        let title = page.all(|element| element.name == "title").next().unwrap().text.clone();
        let h1 = page.all(|element| element.name == "h1").next().unwrap().text.clone();
        assert!(title.starts_with(&format!("{h1} · 4 scenarios: ")), "{title}");
        (h1, page.id("source").attr("data-branch").map(str::to_owned))
    };
    let project = s.root.file_name().unwrap().to_string_lossy().into_owned();
    let on = |branch: &str| (project.clone(), Some(branch.to_owned()));
    let off = (project.clone(), None);
    assert_eq!(named(&[]), on("main"));
    assert_eq!(named(&["--rev", "HEAD"]), on("main"));
    assert_eq!(named(&["--rev", "main"]), on("main"));
    assert_eq!(named(&["--rev", &s.git(&["rev-parse", "HEAD"])]), off, "a commit is on no branch of its own");
    assert_eq!(named(&["--without-evidence"]), off, "a branch may have the name of a person");
    s.git(&["worktree", "add", "-q", "-b", "ada/fix", "../beside"]);
    let beside = s.base.join("beside");
    let said = s.yatsu(&["-C", beside.to_str().unwrap(), "report", "--html", "-"]).expect(0).out;
    let page = Page::parse(&said);
    assert_eq!(page.all(|element| element.name == "h1").next().map(|h1| h1.text.clone()), Some(project.clone()));
    assert_eq!(page.id("source").attr("data-branch"), Some("ada/fix"));
    s.git(&["checkout", "-q", "--detach"]);
    assert_eq!(named(&[]), off);
}

#[test]
fn a_page_of_tags_that_no_scenario_has_says_that_nothing_was_found() {
    let s = tree();
    let said = s.yatsu(&["report", "--html", "-", "--tag", "desktop"]).expect(0);
    assert!(said.out.contains("Nothing found: no scenario has these nodes and tags."), "{}", said.out);
    assert!(!said.out.contains("No scenarios here"), "there are some");
}

#[test]
fn the_whole_page() {
    let s = Scratch::new();
    s.write("src/a.rs", "fn a() {}\n");
    s.write(".spec/n/yatsu.md", scenarios(&[("works", "src/a.rs"), ("sleeps", "src/a.rs")]));
    s.commit("first");
    reading(&s, ".spec/n", "works", "fail", 1);
    reading(&s, ".spec/n", "works", "pass", 2);
    let page = s.yatsu(&["report", "--html", "-"]).expect(0).out;
    let cut = |text: &str, from: &str, to: &str| {
        let (before, rest) = text.split_once(from).expect(from);
        format!("{before}{from}…{to}{}", rest.split_once(to).expect(to).1)
    };
    let page = page.replace(&s.root.file_name().unwrap().to_string_lossy().into_owned(), "PROJECT");
    let page = cut(&cut(&page, "<style>", "</style>"), "<script>", "</script>");
    let page = cut(&cut(&page, "style-src &#39;", "&#39;"), "script-src &#39;", "&#39;");
    insta::assert_snapshot!(page);
}

#[test]
fn nodes_tags_and_a_commit_narrow_a_page() {
    let s = tree();
    assert_eq!(scenarios_of(&page(&s, &["list"])), ["sorts", "filters"]);
    assert_eq!(scenarios_of(&page(&s, &["--tag", "mobile"])), ["sorts", "filters"]);
    assert_eq!(scenarios_of(&page(&s, &["board"])), ["fails", "draws"]);
    let narrowed = page(&s, &["list"]);
    assert_eq!(narrowed.id("score").text, "2 scenarios: 0 fresh (0 pass, 0 fail), 1 stale, 1 unmeasured");
    let sections: Vec<_> =
        narrowed.all(|element| element.name == "section").filter_map(|one| one.attr("data-node")).collect();
    assert_eq!(sections, [".spec/board", ".spec/board/list"], "what is above stays as the way there");
    assert!(
        article(&page(&s, &["--rev", "HEAD"]), "sorts").has("data-state", "fresh"),
        "the work tree's change is not in it"
    );
    for (args, said) in [
        (&["nowhere"][..], "nowhere"),
        (&["--tag", "nowhere"], "the tag nowhere is not in lint.scenarioTags"),
        (&["--rev", "nowhere"], "nowhere"),
    ] {
        let refused = s.yatsu(&[&["report", "--html", "-"], args].concat()).expect(2);
        assert!(refused.err.contains(said) && refused.out.is_empty(), "{refused:?}");
    }
}

#[test]
fn a_file_that_is_no_page_of_ours_is_not_replaced() {
    let s = tree();
    let file = s.base.join("page.html");
    let at = file.to_str().unwrap();
    let said = s.yatsu(&["report", "--html", at]).expect(0);
    let line = said.out.trim_end();
    assert!(
        line.starts_with(&format!("wrote {at} (")) && line.contains(": 4 scenarios, 2 pieces of evidence; "),
        "{line}"
    );
    assert!(line.ends_with("; everyone who has the file can read them") && said.err.is_empty(), "{said:?}");
    s.yatsu(&["report", "--html", at]).expect(0);
    fs::write(&file, "my thesis").unwrap();
    s.yatsu(&["report", "--html", at]).expect(1);
    assert_eq!(fs::read(&file).unwrap(), b"my thesis");
    s.yatsu(&["report", "--html", at, "--force"]).expect(0);
    assert!(fs::read(&file).unwrap().starts_with(b"<!DOCTYPE html>\n<html lang=\"en\" data-yatsu-page=\"1\">"));
}

#[test]
fn a_path_that_ends_in_a_slash_is_no_file() {
    let s = tree();
    for args in [["--html", "new/"], ["--html", "new/."], ["--badge", "new.svg/"]] {
        let said = s.yatsu(&[&["report"], args.as_slice()].concat()).expect(2);
        assert!(said.err.contains("is a directory's name\n  hint: name a file to write\n"), "{}", said.err);
    }
    assert!(!s.root.join("new").exists() && !s.root.join("new.svg").exists());
}

#[test]
fn a_receipt_says_what_is_on_the_page() {
    let s = tree();
    let file = s.base.join("page.html");
    let at = file.to_str().unwrap();
    let receipt = validate_published(&s.yatsu(&["report", "--html", at, "--format", "json"]).expect(0).out);
    let numbers = ["scenarios", "shown", "leftOut", "missing", "masked"].map(|key| receipt[key].as_u64().unwrap());
    assert_eq!((receipt["verb"].as_str(), numbers), (Some("report"), [4, 2, 0, 0, 0]));
    assert_eq!(receipt["size"].as_u64(), Some(fs::metadata(&file).unwrap().len()));
    let said = s.yatsu(&["report", "--html", "-", "--format", "json"]).expect(2);
    assert!(said.err.contains("not both"), "{}", said.err);
}

#[test]
fn a_page_in_the_work_tree_that_git_would_take_in_is_said() {
    let s = tree();
    let said = s.yatsu(&["report", "--html", "page.html"]).expect(0);
    assert!(said.err.contains("hint: git does not ignore page.html"), "{}", said.err);
    s.write(".gitignore", "*.html\n");
    assert_eq!(s.yatsu(&["report", "--html", "page.html"]).expect(0).err, "");
    assert_eq!(s.yatsu(&["report", "--html", "page.html", "-q"]).expect(0).err, "");
}

#[test]
fn a_bare_repository_has_the_page_of_its_head() {
    let s = tree();
    s.git(&["clone", "-q", "--bare", ".", "../bare.git"]);
    let bare = s.base.join("bare.git");
    let said = s.yatsu(&["-C", bare.to_str().unwrap(), "report", "--html", "-"]).expect(0);
    let page = Page::parse(&said.out);
    assert_eq!(page.id("score").text, "4 scenarios: 3 fresh (2 pass, 1 fail), 0 stale, 1 unmeasured");
    let missing: Vec<_> = page.all(|element| element.has("data-shown", "missing")).collect();
    assert_eq!(missing.len(), 3, "its cache has none of the bytes");
    assert!(missing[0].text.contains("miss original file"));
}
