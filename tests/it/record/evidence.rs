//! `evidence put`, `get`, `check`, `ls`.

use super::*;
use crate::support::validate_published;
use std::os::unix::fs::PermissionsExt;

fn evidence(s: &Scratch, args: &[&str]) -> Said {
    s.yatsu(&[&["evidence"], args].concat())
}

/// A repository with a reading whose evidence has one bit flipped; the hash.
fn flipped() -> (Scratch, String) {
    let s = repository("");
    s.write("shot.png", PNG);
    eval(&s, &["--pass", "--image", "shot.png"]).expect(0);
    let hash = last(&s)["blob"].as_str().expect("a hash").to_owned();
    let path = blobs(&s).join(&hash);
    let mut bytes = std::fs::read(&path).expect("read");
    bytes[9] ^= 4;
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).expect("mode");
    std::fs::write(&path, bytes).expect("written");
    (s, hash)
}

#[test]
fn bytes_go_in_and_come_out() {
    let s = repository("");
    s.write("shot.png", PNG);
    let hash = evidence(&s, &["put", "shot.png"]).expect(0).out;
    let hash = hash.trim_end();
    assert_eq!(hash.len(), 64);
    let mut get = s.yatsu_command(&["evidence", "get", hash]);
    assert_eq!(get.output().expect("it runs").stdout, PNG);
    let said = evidence(&s, &["get", hash, "-o", "copy.png"]).expect(0);
    assert_eq!(said.out, format!("wrote {hash} to copy.png ({} B)\n", PNG.len()));
    assert_eq!(std::fs::read(s.root.join("copy.png")).expect("read"), PNG);
    assert!(evidence(&s, &["ls"]).expect(0).out.starts_with(&format!("{hash} ")));
    let json =
        |args: &[&str]| validate_published(&s.yatsu(&[&["--format", "json", "evidence"], args].concat()).expect(0).out);
    assert_eq!(json(&["put", "shot.png"])["kind"], "image");
    assert_eq!(json(&["ls"])["evidence"][0]["size"], PNG.len());
    assert_eq!(json(&["get", hash, "-o", "copy.png"])["outcome"], "written");
    assert_eq!(json(&["check"])["files"], 1);
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").expect("/dev/full");
    Said::of(s.yatsu_command(&["evidence", "get", hash]).stdout(full).output().expect("it runs")).expect(3);
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    Said::of(s.yatsu_command(&["evidence", "get", hash]).stdout(writer).output().expect("it runs")).expect(0);
}

#[test]
fn what_is_not_there_is_a_miss() {
    let s = repository("");
    let said = evidence(&s, &["get", &"0".repeat(64)]).expect(1);
    assert!(said.out.is_empty() && said.err.contains("miss original file"), "{}", said.err);
    evidence(&s, &["get", "../../x"]).expect(2);
    evidence(&s, &["put", "nowhere"]).expect(2);
}

#[test]
fn a_flipped_bit_is_found_named_and_healed() {
    let (s, hash) = flipped();
    let said = evidence(&s, &["check"]).expect(1);
    let ts = last(&s)["ts"].as_str().expect("a time").to_owned();
    assert!(said.out.contains(&format!(": corrupt: expected {hash}, actual ")), "{}", said.out);
    assert!(said.out.contains(&format!("\n  hurts board/renders {ts}\n")), "{}", said.out);
    assert!(said.out.ends_with("1 file checked, 1 corrupt\n"), "{}", said.out);
    let json = s.yatsu(&["--format", "json", "evidence", "check"]).expect(1);
    assert_eq!(validate_published(&json.out)["corrupt"][0]["expected"], hash);
    let said = evidence(&s, &["get", &hash]).expect(3);
    assert!(said.out.is_empty() && said.err.contains("is corrupt"), "{}", said.err);
    evidence(&s, &["get", &hash, "-o", "copy.png"]).expect(3);
    assert!(!s.root.join("copy.png").exists());
    assert_eq!(evidence(&s, &["put", "shot.png"]).expect(0).out, format!("{hash}\n"));
    assert_eq!(evidence(&s, &["check"]).expect(0).out, "1 file checked, none is corrupt\n");
}

#[test]
fn the_store_is_shared_by_all_work_trees() {
    let s = repository("");
    s.write("shot.png", PNG);
    s.git(&["worktree", "add", "-q", "--detach", "../other"]);
    let other = s.base.join("other").to_string_lossy().into_owned();
    let shot = s.root.join("shot.png").to_string_lossy().into_owned();
    s.yatsu(&["-C", &other, "eval", "board", "--pass", "--image", &shot]).expect(0);
    assert_eq!((stored(&s), lines(&s).len()), (1, 0));
    // Only the other work tree names it, and nothing is committed.
    s.yatsu(&["clean", "--grace", "0"]).expect(0);
    assert_eq!(stored(&s), 1);
}
