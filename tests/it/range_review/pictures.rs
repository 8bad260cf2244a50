//! Pictures before and after: cases P11 and P12.

use super::{edit, plan, report, shop};
use crate::support::{Said, Scratch, reading_line, sha256};
use serde_json::json;
use std::fs;

const BEFORE: &[u8] = b"GIF89a\x02\x00\x01\x00\x00\x00\x00;";
const AFTER: &[u8] = b"GIF89a\x03\x00\x01\x00\x00\x00\x00;";
const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\0\x02\0\0\0\x01\x08\x02\0\0\0";

/// Files a reading at HEAD with these bytes as its picture. The bytes are in the cache only if `keeps`.
fn shoot(s: &Scratch, name: &str, status: &str, picture: Option<&[u8]>, keeps: bool, minute: u32) {
    let mut line = reading_line(&s.git(&["rev-parse", "HEAD"]), name, status, minute);
    if let Some(bytes) = picture {
        let evidence = format!("\"blob\":\"{}\",\"blobKind\":\"image\"", sha256(bytes));
        line = line.replace("\"blob\":null", &evidence);
        if keeps {
            s.write("../shot", bytes);
            s.yatsu(&["evidence", "put", "../shot"]).expect(0);
        }
    }
    let path = s.root.join(".spec/shop/yatsu.evals.ndjson");
    let ledger = fs::read_to_string(&path).unwrap_or_default();
    fs::write(path, ledger + &line).expect("a ledger");
}

/// Five scenarios: a pair, equal pictures, only an after, no bytes, only a before. The later readings fail where named so.
fn gallery() -> (Scratch, String) {
    let names = ["away", "equal", "failing", "gone", "only"];
    let s = shop(&names);
    shoot(&s, "away", "pass", Some(BEFORE), true, 0);
    shoot(&s, "equal", "pass", Some(BEFORE), true, 1);
    shoot(&s, "failing", "pass", Some(BEFORE), true, 2);
    shoot(&s, "gone", "pass", Some(BEFORE), true, 3);
    shoot(&s, "only", "pass", None, true, 4);
    let from = s.commit("measured");
    edit(&s, &names);
    s.commit("change");
    shoot(&s, "away", "pass", Some(b"GIF89a\x09\x00\x01\x00\x00\x00\x00;"), false, 60);
    shoot(&s, "equal", "pass", Some(BEFORE), true, 61);
    shoot(&s, "failing", "fail", Some(AFTER), true, 62);
    shoot(&s, "gone", "pass", None, true, 63);
    shoot(&s, "only", "pass", Some(PNG), true, 64);
    s.commit("measured again");
    (s, from)
}

// P11
#[test]
fn pictures_stand_side_by_side_once_alone_or_in_words() {
    let (s, from) = gallery();
    insta::assert_snapshot!("pictures", report(&s, &from, "HEAD", &["--pictures"]).expect(0).out);
    insta::assert_snapshot!("pictures_in_words", report(&s, &from, "HEAD", &[]).expect(0).out);
}

// P12
#[test]
fn each_command_of_the_plan_runs_and_brings_its_bytes() {
    let (s, from) = gallery();
    let plan = plan(&s, &from, "HEAD", &["--pictures"]);
    let attachments = plan["attachments"].as_array().unwrap();
    let said: Vec<_> =
        attachments.iter().map(|one| [&one["scenario"], &one["role"]].map(|text| text.as_str().unwrap())).collect();
    assert_eq!(said, [["failing", "after"], ["failing", "before"], ["only", "after"]], "each file once");
    let mut gh = vec!["gh", "pr", "comment", "--body-file", "BODY"];
    let files: Vec<String> = attachments.iter().map(|one| format!("./{}", one["file"].as_str().unwrap())).collect();
    files.iter().for_each(|file| gh.extend(["--attach", file]));
    assert_eq!(plan["gh"], json!(gh));
    fs::create_dir(s.base.join("out")).unwrap();
    for one in attachments {
        let argv: Vec<&str> = one["get"].as_array().unwrap().iter().map(|word| word.as_str().unwrap()).collect();
        assert_eq!(argv[0], "yatsu-hook");
        let mut get = s.yatsu_command(&[&["-C", s.root.to_str().unwrap()], &argv[1..argv.len() - 1]].concat());
        get.arg(s.base.join("out").join(argv[argv.len() - 1]));
        Said::of(get.output().unwrap()).expect(0);
        let file = one["file"].as_str().unwrap();
        let bytes = fs::read(s.base.join("out").join(file)).unwrap();
        assert_eq!(
            (sha256(&bytes).as_str(), bytes.len() as u64),
            (one["hash"].as_str().unwrap(), one["size"].as_u64().unwrap())
        );
        assert!(file.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-.".contains(&byte)), "{file}");
        assert!(plan["body"].as_str().unwrap().contains(&format!("](./{file})")));
    }
}

// P11
#[test]
fn at_most_ten_pairs_are_shown_fails_first() {
    let names: Vec<String> = (10..23).map(|number| format!("n{number}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let s = shop(&names);
    let from = s.git(&["rev-parse", "HEAD"]);
    for (at, name) in names.iter().enumerate() {
        let bytes = [BEFORE, &[at as u8]].concat();
        shoot(&s, name, if at == 12 { "fail" } else { "pass" }, Some(&bytes), true, at as u32);
    }
    s.commit("measured");
    let plan = plan(&s, &from, "HEAD", &["--pictures"]);
    let attachments = plan["attachments"].as_array().unwrap();
    assert_eq!((attachments.len(), &attachments[0]["scenario"], &plan["cut"]), (10, &"n22".into(), &3.into()));
    let body = plan["body"].as_str().unwrap();
    assert!(body.contains("\nand 3 more\n") && body.matches("![after]").count() == 10, "{body}");
}

// P11
#[test]
fn other_bytes_under_a_name_and_what_is_no_picture_are_not_shown() {
    let s = shop(&["a", "b"]);
    let from = s.git(&["rev-parse", "HEAD"]);
    shoot(&s, "a", "pass", Some(AFTER), true, 0);
    shoot(&s, "b", "pass", Some(b"<svg onload=alert(1)/>"), false, 1);
    s.commit("measured");
    let cache = s.root.join(".git/spexcode");
    let kept =
        fs::read_dir(&cache).unwrap().map(|dir| dir.unwrap().path().join(sha256(AFTER))).find(|file| file.is_file());
    let kept = kept.expect("the kept picture");
    fs::remove_file(&kept).unwrap();
    fs::write(&kept, BEFORE).unwrap();
    let plan = plan(&s, &from, "HEAD", &["--pictures"]);
    assert_eq!((&plan["attachments"], plan["body"].as_str().unwrap().contains("![")), (&json!([]), false), "{plan:#}");
}

#[test]
fn rows_in_words_take_no_place_of_a_picture() {
    let names: Vec<String> = (10..22).map(|number| format!("n{number}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let s = shop(&names);
    let from = s.git(&["rev-parse", "HEAD"]);
    for (at, name) in names.iter().enumerate() {
        let bytes = [BEFORE, &[at as u8]].concat();
        // the first two are not in this clone
        shoot(&s, name, "pass", Some(&bytes), at > 1, at as u32);
    }
    s.commit("measured");
    let plan = plan(&s, &from, "HEAD", &["--pictures"]);
    assert_eq!((plan["attachments"].as_array().map(Vec::len), &plan["cut"]), (Some(10), &0.into()));
}
