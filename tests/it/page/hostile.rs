//! Pages of hostile content.

use super::{article, page};
use crate::support::html::Page;
use crate::support::{Scratch, one_node, reading_line, scenarios, sha256};
use std::fs;

/// Puts bytes into the place of evidence, and a reading that names them into the ledger of `.spec/n`.
pub(super) fn filed(s: &Scratch, minute: u32, kind: &str, bytes: &[u8]) -> String {
    let hash = sha256(bytes);
    let cache = s.root.join(".git/spexcode/yatsu-blobs");
    fs::create_dir_all(&cache).expect("a cache");
    fs::write(cache.join(&hash), bytes).expect("a piece");
    let line = reading_line(&s.git(&["rev-parse", "HEAD"]), "works", "pass", minute);
    append(s, &line.replace("\"blob\":null", &format!("\"blob\":\"{hash}\",\"blobKind\":\"{kind}\"")));
    hash
}

fn append(s: &Scratch, line: &str) {
    let path = s.root.join(".spec/n/yatsu.evals.ndjson");
    fs::write(&path, fs::read_to_string(&path).unwrap_or_default() + line).expect("a ledger");
}

fn shown(page: &Page, hash: &str) -> String {
    let figure = page.all(|element| element.has("data-evidence", hash)).next().expect("a figure");
    figure.attr("data-shown").expect("how it is shown").to_owned()
}

#[test]
fn markup_and_controls_in_names_notes_and_transcripts_are_text() {
    let s = Scratch::new();
    let nasty = "<script>alert(1)</script>]]>&amp;\" onload=x '";
    s.write("src/<b>.rs", "x");
    let file = scenarios(&[("works", "'src/<b>.rs'")]);
    let file = file.replace("measure works", &format!("'{}'", nasty.replace('\'', "''")));
    s.write(".spec/n/yatsu.md", file.replace("works works", "\"javascript:alert(1) </dd><iframe srcdoc=x>\""));
    s.write(".spec/n/spec.md", "---\ntitle: </h2><svg onload=alert(1)>\n---\n");
    s.commit("first");
    let svg = "<svg xmlns=\"http://www.w3.org/2000/svg\" onload=\"alert(1)\"><script>alert(2)</script></svg>\u{202e}\x1b[2J\0";
    let hash = filed(&s, 1, "image", svg.trim_end_matches('\0').as_bytes());
    let line = reading_line(&s.git(&["rev-parse", "HEAD"]), "works", "fail", 2);
    let note = serde_json::to_string(&format!("{nasty}\u{202e}\u{1b}]0;x\u{7}")).unwrap();
    append(&s, &line.replace("\"status\":\"fail\"", &format!("\"status\":\"fail\",\"note\":{note}")));
    let page = page(&s, &[]);
    let article = article(&page, "works");
    assert!(article.text.contains(nasty), "{}", article.text);
    assert!(article.text.contains("\\u{202e}\\u{1b}]0;x\\u{7}"), "{}", article.text);
    assert!(article.text.contains("javascript:alert(1) </dd><iframe srcdoc=x>"));
    assert_eq!(shown(&page, &hash), "embedded");
    let pre = page.inside(article).find(|element| element.name == "pre").expect("the svg as text");
    assert!(pre.text.contains("onload=\"alert(1)\"") && pre.text.contains("\\u{202e}"), "{}", pre.text);
    let row = page.one("the file", |element| element.has("data-path", "src/<b>.rs"));
    assert_eq!(row.name, "tr");
    for element in &page.elements {
        assert!(!matches!(&*element.name, "svg" | "iframe" | "object" | "embed" | "link" | "base"), "{}", element.name);
        for (name, value) in &element.attrs {
            assert!(!name.starts_with("on") && name != "style" && name != "srcdoc", "{name}={value}");
        }
    }
    assert_eq!(page.all(|element| element.name == "script").count(), 1);
}

#[test]
fn markup_in_the_project_and_the_branch_is_text() {
    let s = one_node();
    let (project, branch) = ("<img src=x onerror=a>&\"'", "<script>x</script>\"onload=x'&");
    s.git(&["checkout", "-q", "-b", branch]);
    let moved = s.base.join(project);
    s.git(&["clone", "-q", ".", moved.to_str().unwrap()]);
    let said = s.yatsu(&["-C", moved.to_str().unwrap(), "report", "--html", "-"]).expect(0).out;
    let page = Page::parse(&said);
    assert_eq!(page.all(|element| element.name == "h1").next().map(|h1| h1.text.as_str()), Some(project));
    assert_eq!(page.id("source").attr("data-branch"), Some(branch));
    assert!(page.id("source").text.starts_with(&format!("Branch {branch} · ")), "{}", page.id("source").text);
    assert_eq!(page.all(|element| matches!(&*element.name, "script" | "img")).count(), 1, "the script of the page");
}

#[test]
fn a_picture_of_sixty_thousand_pixels_a_side_is_left_out() {
    let s = one_node();
    let side = 60_000_u32.to_be_bytes();
    let bomb = [&b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR"[..], &side, &side, &[8, 2, 0, 0, 0]].concat();
    let hash = filed(&s, 1, "image", &bomb);
    let page = page(&s, &[]);
    assert_eq!(shown(&page, &hash), "left-out");
    let figure = page.one("its figure", |element| element.has("data-evidence", &hash));
    assert!(
        figure.text.contains("40 megapixels")
            && figure.text.contains(&format!("yatsu-hook evidence get {hash} -o FILE"))
    );
    assert!(page.all(|element| element.name == "img").next().is_none());
}

#[test]
fn a_hundred_megabytes_of_evidence_make_a_page_of_five() {
    let s = one_node();
    for n in 0..120_u32 {
        let (kind, head): (&str, &[u8]) =
            if n % 2 == 0 { ("image", b"GIF89a\x10\x00\x10\x00") } else { ("transcript", b"") };
        let mut bytes = [head, format!("piece {n}\n").as_bytes()].concat();
        bytes.resize(if n % 2 == 0 { 500_000 } else { 1_300_000 }, b'<');
        filed(&s, n + 1, kind, &bytes);
    }
    let said = s.yatsu(&["report", "--html", "-"]).expect(0);
    assert!(said.out.len() <= 5_000_000, "{} bytes", said.out.len());
    let page = Page::parse(&said.out);
    let newest = page.inside(article(&page, "works")).find(|element| element.attr("data-shown").is_some()).unwrap();
    assert!(newest.has("data-shown", "cut"), "the latest reading's comes first: {newest:?}");
    let left_out = page.all(|element| element.has("data-shown", "left-out")).count();
    assert!(left_out > 0 && said.err.contains("left out"), "{}", said.err);
    let small = s.yatsu(&["report", "--html", "-", "--max-size", "200000"]).expect(0).out;
    assert!(small.len() <= 200_000 && Page::parse(&small).all(|element| element.has("data-shown", "cut")).count() == 0);
}

#[test]
fn the_latest_failed_reading_gets_room_before_others() {
    let s = Scratch::new();
    s.write("src/a.rs", "x");
    s.write(".spec/n/yatsu.md", scenarios(&[("works", "src/a.rs"), ("other", "src/a.rs")]));
    s.commit("first");
    let old = filed(&s, 1, "transcript", "old\n".repeat(2000).as_bytes());
    let new = filed(&s, 9, "transcript", "new\n".repeat(2000).as_bytes());
    let failed = filed(&s, 5, "transcript", "bad\n".repeat(2000).as_bytes());
    let ledger = s.read(".spec/n/yatsu.evals.ndjson");
    let (before, last) = ledger.trim_end().rsplit_once('\n').unwrap();
    let last = last.replace("\"works\"", "\"other\"").replace("\"pass\"", "\"fail\"");
    s.write(".spec/n/yatsu.evals.ndjson", format!("{before}\n{last}\n"));
    let bare = s.yatsu(&["report", "--html", "-", "--max-size", "0"]).expect(0).out.len();
    let room = |bytes: usize| page(&s, &["--max-size", &(bare + bytes).to_string()]);
    let of = |page: &Page| [&failed, &new, &old].map(|hash| shown(page, hash));
    assert_eq!(of(&room(0)), ["left-out", "left-out", "left-out"]);
    assert_eq!(of(&room(10_000)), ["embedded", "left-out", "left-out"]);
    assert_eq!(of(&room(20_000)), ["embedded", "embedded", "left-out"]);
    assert_eq!(of(&room(40_000)), ["embedded", "embedded", "embedded"]);
}

#[test]
fn known_secrets_are_masked_and_counted() {
    let s = one_node();
    let token = format!("ghp_{}", "0123456789abcdefghijklmnopqrstuvwxyz");
    filed(&s, 1, "transcript", format!("Authorization: Bearer {token}\n{token}\n").as_bytes());
    let line = reading_line(&s.git(&["rev-parse", "HEAD"]), "works", "pass", 2);
    append(&s, &line.replace("\"status\":\"pass\"", &format!("\"status\":\"pass\",\"note\":\"with {token}\"")));
    let text = s.yatsu(&["report", "--html", "-"]).expect(0).out;
    assert!(!text.contains(&token), "the token is on the page");
    let page = Page::parse(&text);
    assert!(article(&page, "works").text.contains("[masked: github token]"));
    assert!(page.id("source").text.contains("3 secrets masked"), "{}", page.id("source").text);
}

#[test]
fn no_field_of_a_line_shows_a_secret() {
    let s = one_node();
    s.write(".spec/n/spec.md", "---\ntitle: TOKEN\n---\n".replace("TOKEN", &secret('a')));
    let mut letters = 'b'..;
    let mut token = || secret(letters.next().expect("a letter"));
    let line = reading_line(&s.git(&["rev-parse", "HEAD"]), "works", "pass", 2);
    let observed = format!(
        r#""how":{{"kind":"observed","harness":"claude","command":"TOKEN={} make","exit":0,"at":"2026-01-01T00:00:00.000Z"}}"#,
        token()
    );
    let [by, evaluator, key, run, metric, marker] = std::array::from_fn(|_| token());
    let more = format!(
        r#""by":"{by}",{observed},"key":"{key}","run":"{run}","metrics":{{"{metric}":1}},"markers":["{marker}"],"ts""#
    );
    let line = line.replace("manual", &evaluator);
    append(&s, &line.replace("\"ts\"", &more));
    for published in [&[][..], &["--without-evidence"]] {
        let text = s.yatsu(&[&["report", "--html", "-"][..], published].concat()).expect(0).out;
        assert!(!text.contains("ghp_"), "{}", &text[text.find("ghp_").unwrap_or_default()..][..60]);
        assert!(text.contains("[masked: github token]"));
    }
    assert!(s.yatsu(&["show", "n"]).expect(0).out.contains(&by), "the line is read");
}

/// A token as GitHub makes them.
fn secret(letter: char) -> String {
    format!("ghp_{}", letter.to_string().repeat(36))
}

#[test]
fn bytes_that_are_gone_or_others_are_said() {
    let s = one_node();
    let gone = filed(&s, 1, "transcript", b"gone");
    let other = filed(&s, 2, "transcript", b"other");
    fs::remove_file(s.root.join(".git/spexcode/yatsu-blobs").join(&gone)).unwrap();
    fs::write(s.root.join(".git/spexcode/yatsu-blobs").join(&other), "somebody else's").unwrap();
    let page = page(&s, &[]);
    assert_eq!([shown(&page, &gone), shown(&page, &other)], ["missing", "missing"]);
    assert!(!article(&page, "works").text.contains("somebody else's"));
}

#[test]
fn an_empty_repository_has_an_empty_page() {
    let s = Scratch::new();
    let page = page(&s, &[]);
    assert_eq!(page.id("score").text, "0 scenarios: 0 fresh (0 pass, 0 fail), 0 stale, 0 unmeasured");
    assert_eq!(page.id("source").attr("data-commit"), None);
    let said = s.yatsu(&["report", "--html", "-"]).expect(0).err;
    assert!(said.starts_with("no scenarios here yet; start: yatsu-hook new NODE --code PATH\n"), "{said}");
}
