//! Links from a page to commits and files on a forge.

use super::{page, tree};
use crate::support::html::Page;
use crate::support::{Scratch, reading, scenarios};

const GITHUB: &str = "https://github.com/acme/board";

/// The addresses off the page, in order.
fn away(page: &Page) -> Vec<String> {
    let links = page.all(|element| element.name == "a").filter_map(|link| link.attr("href"));
    links.filter(|to| !to.starts_with('#')).map(str::to_owned).collect()
}

#[test]
fn commits_and_files_are_links_where_a_forge_is_named() {
    let s = tree();
    s.write("src/new.rs", "not in the commit\n");
    s.write(".spec/new/yatsu.md", scenarios(&[("fresh air", "src/new.rs")]));
    assert!(away(&page(&s, &[])).is_empty(), "none is");
    let head = s.git(&["rev-parse", "HEAD"]);
    let measured = s.git(&["rev-parse", "HEAD~1"]);
    for (typed, middle) in
        [(GITHUB, ""), ("https://gitlab.com/acme/board", "/-"), ("https://git.acme.org/a/b/board/-", "/-")]
    {
        let page = page(&s, &["--links", typed]);
        let base = typed.strip_suffix("/-").unwrap_or(typed);
        let links = away(&page);
        assert_eq!(links[0], base, "the project");
        assert_eq!(page.all(|element| element.name == "h1").next().map(|h1| h1.text.as_str()), Some("board"));
        assert_eq!(links[1], format!("{base}{middle}/commit/{head}"), "the commit of the page");
        assert!(links.contains(&format!("{base}{middle}/commit/{measured}")), "the commit of a reading: {links:?}");
        let file = |path: &str| format!("{base}{middle}/blob/{head}/{path}");
        let code = |name: &str, value: &str| {
            let mut found = page.all(|element| element.has(name, value));
            let link = match name {
                // the line that unfolds the scenario has the path, too, without a link
                "data-moved" => found.map(|path| page.around(path)).find(|link| link.name == "a"),
                _ => page
                    .inside(found.next().expect("the path"))
                    .find(|element| element.name == "a" && !element.attr("href").unwrap().starts_with('#')),
            };
            link.and_then(|link| link.attr("href")).map(str::to_owned)
        };
        assert_eq!(code("data-moved", "src/c.rs"), Some(file("src/c.rs")));
        assert_eq!(code("data-path", "src/a.rs"), Some(file("src/a.rs")));
        assert_eq!(code("data-path", "src/new.rs"), None, "the commit has no such file");
        let lines = page.all(|element| element.name == "summary");
        let inside: Vec<_> = lines.flat_map(|line| page.inside(line)).filter(|element| element.name == "a").collect();
        assert!(inside.is_empty(), "a link in what unfolds a scenario: {inside:?}");
        assert!(
            page.all(|element| element.name == "a")
                .all(|link| link.attr("href").unwrap().starts_with('#') || link.has("rel", "noreferrer"))
        );
    }
}

#[test]
fn another_form_of_the_address_is_refused() {
    let s = tree();
    for typed in [
        "http://github.com/o/r",
        "github.com/o/r",
        "https://github.com/o",
        "https://github.com/o/r/tree/main",
        "https://github.com/o/r.git",
        "https://user:secret@github.com/o/r",
        "javascript:alert(1)//o/r",
        "https://github.com/o/r\" onclick=\"x",
    ] {
        let refused = s.yatsu(&["report", "--html", "-", "--links", typed]).expect(2);
        assert!(refused.out.is_empty() && refused.err.contains("https://HOST/OWNER/REPO"), "{typed}: {refused:?}");
    }
}

#[test]
fn a_path_in_a_link_is_escaped_and_a_unit_leads_to_its_file() {
    let s = Scratch::new();
    let path = "src/a \"<b>#x?%.rs";
    s.write(path, "fn one() {}\nfn two() {}\n");
    s.write(".spec/n/yatsu.md", scenarios(&[("works", "'src/a \"<b>*'"), ("unit", "src/c.rs#one")]));
    s.write("src/c.rs", "fn one() {}\n");
    s.commit("first");
    reading(&s, ".spec/n", "works", "pass", 1);
    s.write(path, "fn one() { moved }\n");
    let head = s.git(&["rev-parse", "HEAD"]);
    let links = away(&page(&s, &["--links", GITHUB]));
    let escaped = format!("{GITHUB}/blob/{head}/src/a%20%22%3Cb%3E%23x%3F%25.rs");
    assert_eq!(links.iter().filter(|link| **link == escaped).count(), 2, "moved, and governed: {links:?}");
    assert!(links.contains(&format!("{GITHUB}/blob/{head}/src/c.rs")), "{links:?}");
}

#[test]
fn before_the_first_commit_no_file_is_a_link() {
    let s = Scratch::new();
    s.write("src/a.rs", "fn a() {}\n");
    s.write(".spec/n/yatsu.md", scenarios(&[("works", "src/a.rs")]));
    assert_eq!(away(&page(&s, &["--links", GITHUB])), [GITHUB]);
}
