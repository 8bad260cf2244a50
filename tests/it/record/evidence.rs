//! `evidence put`, `get`, `check`, `ls`.

use super::*;
use crate::support::validate_published;
use std::os::unix::fs::PermissionsExt;

fn evidence(s: &Scratch, args: &[&str]) -> Said {
    s.yatsu(&[&["evidence"], args].concat())
}

/// A repository with a reading and one flipped bit in its evidence; the hash.
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
    assert!(evidence(&s, &["ls"]).expect(0).out.starts_with(&format!("{hash} - ")));
    let json =
        |args: &[&str]| validate_published(&s.yatsu(&[&["--format", "json", "evidence"], args].concat()).expect(0).out);
    assert_eq!(json(&["put", "shot.png"])["kind"], "image");
    assert_eq!(json(&["ls"])["evidence"][0]["size"], PNG.len());
    assert_eq!(json(&["get", hash, "-o", "copy.png", "--force"])["outcome"], "written");
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
    // Only the other work tree names it, in no commit.
    s.yatsu(&["clean", "--grace", "0"]).expect(0);
    assert_eq!(stored(&s), 1);
}

/// A repository with two readings: `renders` has a picture and a text, `other` a text; and the hash of the picture.
fn shown() -> (Scratch, String) {
    let s = with_scenarios(&[("renders", ""), ("other", ""), ("never", "")]);
    s.write("shot.png", PNG);
    s.write("out.txt", "said\n\x1b[31mred\u{202e}\n");
    eval(&s, &["--scenario", "renders", "--pass", "--image", "shot.png", "--result", "out.txt"]).expect(0);
    s.write("other.txt", "something else");
    eval(&s, &["--scenario", "other", "--fail", "--result", "other.txt"]).expect(0);
    (s, crate::support::sha256(PNG))
}

#[test]
fn the_first_digits_of_a_hash_do_where_only_one_piece_has_them() {
    let (s, hash) = shown();
    let mut get = s.yatsu_command(&["evidence", "get", &hash[..4]]);
    assert_eq!(get.output().expect("it runs").stdout, PNG);
    // a piece that only a ledger names counts too
    let head = s.git(&["rev-parse", "HEAD"]);
    let twin = format!("{}{}", &hash[..6], "0".repeat(58));
    let line = crate::support::reading_line(&head, "never", "pass", 1).replace("null", &format!("\"{twin}\""));
    let ledger = s.read(LEDGER);
    s.write(LEDGER, ledger + &line);
    let said = evidence(&s, &["get", &hash[..6]]).expect(2);
    for one in [&hash, &twin] {
        assert!(said.err.contains(&format!("\n  hint: {one}\n")), "{}", said.err);
    }
    for (text, code, word) in [
        (&hash[..3], 2, "is no piece of evidence"),
        (&hash.to_uppercase()[..], 2, "lower-case"),
        ("0123456789", 1, "no piece of evidence begins with 0123456789"),
        (&twin[..10], 1, "miss original file"),
    ] {
        let said = evidence(&s, &["get", text]).expect(code);
        assert!(said.err.contains(word) && said.out.is_empty(), "{text}: {}", said.err);
    }
}

#[test]
fn a_scenario_stands_for_what_its_latest_reading_shows() {
    let (s, hash) = shown();
    assert_eq!(evidence(&s, &["get", "board/other"]).expect(0).out, "something else");
    assert_eq!(evidence(&s, &["get", ".spec/board/other"]).expect(0).out, "something else");
    let several = evidence(&s, &["get", "board/renders"]).expect(2);
    assert!(
        several.err.contains("shows 2 pieces") && several.err.contains(&format!("image {hash}")),
        "{}",
        several.err
    );
    let picture = s.yatsu_command(&["evidence", "get", "board/renders", "--kind", "image"]).output().expect("it runs");
    assert_eq!(picture.stdout, PNG);
    for (args, code, word) in [
        (&["board/renders", "--kind", "video"][..], 1, "shows no video"),
        (&["board/never"], 1, "has no reading"),
        (&["board/nothing"], 2, "is no scenario of a node"),
        (&["nowhere/other"], 2, "is no scenario of a node"),
        (&[&hash, "--kind", "image"], 2, "--kind chooses among those of NODE/SCENARIO"),
    ] {
        let said = evidence(&s, &[&["get"], args].concat()).expect(code);
        assert!(said.err.contains(word) && said.out.is_empty(), "{args:?}: {}", said.err);
    }
    // withdrawn, so the reading before would count, and there is none
    s.yatsu(&["retract", "board", "--scenario", "other"]).expect(0);
    evidence(&s, &["get", "board/other"]).expect(1);
}

#[test]
fn a_text_with_two_readings_of_it_is_cut_where_only_one_cut_means_something() {
    let s = with_scenarios(&[("a/b", "")]);
    s.write("out.txt", "one");
    eval(&s, &["--scenario", "a/b", "--pass", "--result", "out.txt"]).expect(0);
    assert_eq!(evidence(&s, &["get", "board/a/b"]).expect(0).out, "one");
    s.write(".spec/board/a/yatsu.md", scenarios(&[("b", "src/a.rs")]));
    let said = evidence(&s, &["get", ".spec/board/a/b"]).expect(2);
    assert!(said.err.contains("in more ways than one") && said.err.contains("scenario a/b"), "{}", said.err);
}

#[test]
fn a_file_that_is_there_is_replaced_only_when_that_is_asked_for() {
    let (s, hash) = shown();
    s.write("theirs.png", "theirs");
    let said = evidence(&s, &["get", &hash, "-o", "theirs.png"]).expect(1);
    assert!(said.err.contains("theirs.png is there already") && said.err.contains("--force"), "{}", said.err);
    assert_eq!(s.read("theirs.png"), "theirs");
    std::os::unix::fs::symlink("theirs.png", s.root.join("link.png")).expect("a link");
    for flags in [&[][..], &["--force"]] {
        let said = evidence(&s, &[&["get", &hash, "-o", "link.png"], flags].concat()).expect(1);
        assert!(said.err.contains("is no regular file"), "{}", said.err);
        evidence(&s, &[&["get", &hash, "-o", "src"], flags].concat()).expect(1);
    }
    assert_eq!(s.read("theirs.png"), "theirs");
    evidence(&s, &["get", &hash, "-o", "theirs.png", "--force"]).expect(0);
    assert_eq!(std::fs::read(s.root.join("theirs.png")).expect("read"), PNG);
}

mod needs_script {
    use super::*;

    /// The program's output on a terminal, and its exit code.
    fn on_a_terminal(s: &Scratch, args: &[&str]) -> Said {
        let words: Vec<String> = args.iter().map(|word| format!("'{word}'")).collect();
        let command = format!("'{}' {}", crate::support::program().display(), words.join(" "));
        let mut script = crate::support::hermetic("script", &s.home());
        let search = format!("{}:{}:./bin", s.root.join("bin").display(), s.base.join("desktop").display());
        script.current_dir(&s.root).env("TERM", "dumb").args(["-qec", &command, "/dev/null"]);
        script.env("PATH", format!("{search}:{}", std::env::var("PATH").unwrap_or_default()));
        Said::of(script.output().expect("script runs"))
    }

    #[test]
    #[ignore = "needs script"]
    fn a_terminal_gets_texts_escaped_and_for_a_picture_the_command_to_use() {
        let (s, _) = shown();
        let said = on_a_terminal(&s, &["evidence", "get", "board/renders", "--kind", "image"]).expect(2);
        assert!(said.out.contains("is no text, and this is a terminal"), "{}", said.out);
        assert!(said.out.contains("hint: yatsu-hook evidence get board/renders --kind image -o FILE"), "{}", said.out);
        assert!(!said.out.contains("PNG"), "{}", said.out);
        let said = on_a_terminal(&s, &["evidence", "get", "board/renders", "--kind", "transcript"]);
        assert_eq!(said.expect(0).out, "said\r\n\\u{1b}[31mred\\u{202e}\r\n");
    }

    #[test]
    #[ignore = "needs script"]
    fn a_page_is_opened_by_the_desktops_program_and_never_by_one_of_the_tree() {
        let (s, _) = shown();
        let page = |said: &Said| std::path::PathBuf::from(said.out.trim_end());
        let piped = s.yatsu(&["show", "board", "--open"]).expect(0);
        assert!(std::fs::read_to_string(page(&piped)).expect("a page").contains("data-yatsu-page"), "{}", piped.out);
        assert!(piped.out.contains("/.git/yatsu/view/"), "{}", piped.out);
        let opener = |dir: &str, mark: &str| {
            let mark = s.base.join(mark);
            let text = format!("#!/bin/sh\nprintf '%s\\n' \"$@\" >'{}'\n", mark.display());
            crate::support::executable(&s.base.join(dir).join("xdg-open"), &text);
            mark
        };
        let (tree, desktop) = (opener("repo/bin", "tree"), opener("desktop", "pipe"));
        let made = crate::support::hermetic("mkfifo", &s.home()).arg(&desktop).status();
        assert!(made.expect("mkfifo").success());
        let said = on_a_terminal(&s, &["show", "board", "--open"]).expect(0);
        // the program does not wait for the viewer; this reader does
        let mut reader = crate::support::hermetic("timeout", &s.home());
        let given = Said::of(reader.arg("60").arg("cat").arg(&desktop).output().expect("it runs")).expect(0);
        assert_eq!(given.out, format!("{}\n", page(&said).display()));
        assert!(!tree.exists(), "a program of the tree was started");
    }
}

#[test]
fn the_list_tells_kind_size_age_and_who_names_each_piece() {
    let (s, hash) = shown();
    s.write("loose.txt", "nobody's");
    let loose = evidence(&s, &["put", "loose.txt"]).expect(0).out;
    let text = crate::support::sha256("something else");
    std::fs::remove_file(blobs(&s).join(&text)).expect("removed");
    let said = evidence(&s, &["ls"]).expect(0).out;
    let line =
        |hash: &str| said.lines().find(|line| line.starts_with(hash)).unwrap_or_else(|| panic!("{said}")).to_owned();
    assert_eq!(line(&hash), format!("{hash} image            {} B  now  board/renders", PNG.len()));
    assert_eq!(
        line(loose.trim_end()),
        format!("{} -                 8 B  now  named by no reading of the work tree", loose.trim_end())
    );
    assert_eq!(line(&text), format!("{text} transcript    missing    -  board/other"));
    let json = validate_published(&s.yatsu(&["--format", "json", "evidence", "ls"]).expect(0).out);
    let all = json["evidence"].as_array().expect("a list");
    let of = |hash: &str| all.iter().find(|piece| piece["hash"] == hash).expect("listed");
    assert_eq!((&of(&text)["present"], &of(&text)["size"]), (&false.into(), &serde_json::Value::Null));
    assert_eq!((&of(&hash)["kinds"][0], &of(&hash)["namedBy"][0]["scenario"]), (&"image".into(), &"renders".into()));
}

#[test]
fn nothing_is_opened_where_nobody_could_see_it() {
    let (s, _) = shown();
    s.yatsu(&["show", "board", "--open", "--format", "json"]).expect(2);
    s.yatsu(&["show", "nowhere", "--open"]).expect(2);
    s.yatsu(&["show", "board", "--open", "--all"]).expect(2);
}
