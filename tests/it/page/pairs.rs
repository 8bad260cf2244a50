//! The pictures before and after, beside each other.

use super::hostile::filed;
use super::{GIF, article, page};
use crate::support::html::{Element, Page};
use crate::support::{Scratch, one_node, sha256};

/// A second picture.
const OTHER: &[u8] = b"GIF89a\x03\x00\x01\x00\x00\x00\x00;";

/// Readings of `works`, one a minute: verdict and the bytes of its picture.
fn measured(s: &Scratch, readings: &[(&str, Option<&[u8]>)]) {
    for (at, (verdict, picture)) in readings.iter().enumerate() {
        let verdict = format!("--{verdict}");
        let file = format!("../shot{at}.gif");
        let mut args = vec!["eval", "n", verdict.as_str()];
        if let Some(bytes) = picture {
            s.write(&file, bytes);
            args.extend(["--image", file.as_str()]);
        }
        s.yatsu(&args).expect(0);
    }
}

/// The figures of the only pair: hash, how it is shown, caption.
fn figures(page: &Page) -> Vec<[String; 3]> {
    let pairs: Vec<&Element> = page.all(|element| element.attr("data-pair").is_some()).collect();
    assert!(pairs.len() < 2, "{pairs:?}");
    let figures = pairs.iter().flat_map(|pair| page.inside(pair)).filter(|element| element.name == "figure");
    let of = |figure: &Element| {
        let role = figure.text.split(',').next().unwrap_or_default();
        [figure.attr("data-evidence").expect("a hash"), figure.attr("data-shown").expect("a word"), role]
            .map(str::to_owned)
    };
    figures.map(of).collect()
}

// P16
#[test]
fn the_pictures_before_and_after_stand_beside_each_other() {
    let s = one_node();
    measured(&s, &[("fail", Some(GIF)), ("pass", Some(OTHER))]);
    let page = page(&s, &[]);
    let [before, after] = [sha256(GIF), sha256(OTHER)];
    let embedded = |hash: &str, role: &str| [hash, "embedded", role].map(str::to_owned);
    assert_eq!(figures(&page), [embedded(&before, "before fail"), embedded(&after, "after pass")]);
    let pictures: Vec<_> = page.all(|element| element.name == "img").collect();
    assert_eq!(pictures.len(), 2, "each is on the page once");
    for picture in pictures {
        let summary = page.around(picture);
        assert_eq!(summary.name, "summary", "it is enlarged without a script");
        assert!(page.around(summary).has("class", "zoom"));
    }
    let again: Vec<_> = page.inside(article(&page, "works")).filter(|one| one.has("data-evidence", &before)).collect();
    assert_eq!(again.len(), 2, "its reading in the timeline leads to it");
    assert!(again[1].text.contains("shown elsewhere on this page"), "{}", again[1].text);
    assert!(again[0].attr("id").is_some() && again[1].attr("id").is_none());
}

// P16
#[test]
fn there_is_no_pair_without_two_pictures_that_differ() {
    for (readings, why) in [
        (vec![("fail", Some(GIF)), ("pass", Some(GIF))], "equal"),
        (vec![("pass", Some(GIF))], "only after"),
        (vec![("fail", None), ("pass", Some(GIF))], "nothing before"),
        (vec![("fail", Some(GIF)), ("pass", None)], "nothing after"),
        (vec![("fail", Some(GIF)), ("pass", None), ("pass", Some(OTHER))], "not the reading before"),
    ] {
        let s = one_node();
        measured(&s, &readings);
        let page = page(&s, &[]);
        assert!(figures(&page).is_empty(), "{why}");
        let mut hashes: Vec<_> = readings.iter().filter_map(|(_, bytes)| bytes.map(sha256)).collect();
        hashes.sort();
        hashes.dedup();
        for hash in hashes {
            let homes = page.all(|one| one.has("data-evidence", &hash) && one.attr("id").is_some()).count();
            assert_eq!(homes, 1, "{why}: each piece stands at its reading");
        }
    }
}

// P16
#[test]
fn a_picture_by_the_word_of_a_ledger_alone_makes_no_pair() {
    let s = one_node();
    let text = filed(&s, 1, "image", b"<svg onload=alert(1)/>");
    filed(&s, 2, "image", GIF);
    let page = page(&s, &[]);
    assert!(figures(&page).is_empty());
    let home = page.one("its place", |one| one.has("data-evidence", &text) && one.attr("id").is_some());
    assert!(home.text.contains("<svg onload=alert(1)/>"), "{}", home.text);
}

// P16
#[test]
fn the_picture_before_gets_room_after_all_latest_pieces_and_before_others() {
    let s = Scratch::new();
    s.write("src/a.rs", "x");
    s.write(".spec/n/yatsu.md", crate::support::scenarios(&[("works", "src/a.rs"), ("other", "src/a.rs")]));
    s.commit("first");
    let picture = |of: &[u8]| [of, &vec![0; 20_000][..]].concat();
    let pieces = [picture(GIF), picture(OTHER), "new\n".repeat(5000).into_bytes(), "bad\n".repeat(5000).into_bytes()];
    let names = ["before.gif", "after.gif", "new.log", "bad.log"];
    names.iter().zip(&pieces).for_each(|(name, bytes)| s.write(&format!("../{name}"), bytes));
    for args in [
        // a failed piece of an earlier reading would go before the picture if the pair had no right of its own
        &["other", "--fail", "--result", "../bad.log"][..],
        &["works", "--pass", "--image", "../before.gif"],
        &["works", "--pass", "--image", "../after.gif"],
        &["other", "--pass", "--result", "../new.log"],
    ] {
        s.yatsu(&[&["eval", "n", "--scenario"], args].concat()).expect(0);
    }
    let hashes = pieces.map(sha256);
    let least = s.yatsu(&["report", "--html", "-", "--max-size", "0"]).expect(0).out.len();
    let room = |bytes: usize| page(&s, &["--max-size", &(least + bytes).to_string()]);
    let shown = |page: &Page| {
        hashes
            .each_ref()
            .map(|hash| page.all(|one| one.has("data-evidence", hash)).any(|one| !one.has("data-shown", "left-out")))
    };
    assert_eq!(shown(&room(60_000)), [false, true, true, false], "the latest pieces");
    assert!(figures(&room(60_000)).is_empty(), "half a pair is none");
    assert_eq!(shown(&room(85_000)), [true, true, true, false], "then the picture before");
    assert_eq!(figures(&room(85_000)).len(), 2);
    assert_eq!(shown(&room(120_000)), [true, true, true, true]);
    assert!(figures(&page(&s, &["--without-evidence"])).is_empty());
}

#[test]
fn the_pair_is_of_the_first_pictures_that_can_be_shown_as_in_a_comment() {
    let s = one_node();
    let pictures: Vec<Vec<u8>> = (0..4).map(|last| [GIF, &[last]].concat()).collect();
    for (verdict, shots) in [("--fail", &pictures[..2]), ("--pass", &pictures[2..])] {
        s.write("../first.gif", &shots[0]);
        s.write("../second.gif", &shots[1]);
        s.yatsu(&["eval", "n", verdict, "--image", "../first.gif", "--image", "../second.gif"]).expect(0);
    }
    for gone in [&pictures[0], &pictures[2]] {
        std::fs::remove_file(s.root.join(".git/spexcode/yatsu-blobs").join(sha256(gone))).unwrap();
    }
    let embedded = |picture: &Vec<u8>, role: &str| [sha256(picture), "embedded".to_owned(), role.to_owned()];
    let expected = [embedded(&pictures[1], "before fail"), embedded(&pictures[3], "after pass")];
    assert_eq!(figures(&page(&s, &[])), expected);
}
