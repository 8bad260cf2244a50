//! A repository of the newer generation: `eval.md`, `evals.ndjson` and their own evidence directory.

use super::*;
use std::collections::BTreeSet;

/// One node `.spec/board` with its scenario in an `eval.md`, committed with a picture.
fn newer() -> Scratch {
    let scratch = Scratch::new();
    scratch.write("src/a.rs", "fn a() {}\n");
    scratch.write(".spec/board/spec.md", "---\ntitle: board\ncode:\n  - src/a.rs\n---\n");
    scratch.write(".spec/board/eval.md", scenarios(&[("renders", "")]));
    scratch.commit("begin");
    scratch.write("shot.png", PNG);
    scratch
}

/// The pieces in a directory of the cache.
fn pieces(scratch: &Scratch, directory: &str) -> BTreeSet<String> {
    let dir = scratch.root.join(".git/spexcode").join(directory);
    let names = std::fs::read_dir(dir).into_iter().flatten().map(|entry| entry.expect("an entry").file_name());
    names.map(|name| name.to_string_lossy().into_owned()).collect()
}

/// Makes everything in the cache a year old, so that only references protect it.
fn age(scratch: &Scratch) {
    let script = "find .git/spexcode -type f -exec touch -d '365 days ago' {} +";
    let mut shell = std::process::Command::new("sh");
    assert!(shell.current_dir(&scratch.root).args(["-c", script]).status().expect("sh").success());
}

#[test]
fn new_evidence_goes_where_its_own_tools_look() {
    let s = newer();
    eval(&s, &["--pass", "--image", "shot.png"]).expect(0);
    let ledger = s.read(".spec/board/evals.ndjson");
    let line: serde_json::Value = serde_json::from_str(&ledger).expect("a line");
    let hash = line["blob"].as_str().expect("a hash").to_owned();
    assert_eq!((pieces(&s, "evidence"), pieces(&s, "yatsu-blobs")), (BTreeSet::from([hash.clone()]), BTreeSet::new()));
    s.write("other.txt", "other evidence");
    let other = s.yatsu(&["evidence", "put", "other.txt"]).expect(0).out.trim_end().to_owned();
    assert_eq!(pieces(&s, "evidence"), BTreeSet::from([hash.clone(), other]));
    assert_eq!(s.yatsu_command(&["evidence", "get", &hash]).output().expect("it runs").stdout, PNG);
    assert!(s.yatsu(&["show", "board"]).expect(0).out.contains(&format!("image {}", &hash[..6])));
}

#[test]
fn where_only_the_newer_directory_exists_it_is_written() {
    let s = repository("");
    std::fs::create_dir_all(s.root.join(".git/spexcode/evidence")).expect("a directory");
    s.write("shot.png", PNG);
    eval(&s, &["--pass", "--image", "shot.png"]).expect(0);
    assert_eq!((pieces(&s, "evidence").len(), pieces(&s, "yatsu-blobs").len()), (1, 0));
    // With both it is an older repository beside a newer tool.
    std::fs::create_dir_all(blobs(&s)).expect("a directory");
    s.write("other.txt", "other evidence");
    s.yatsu(&["evidence", "put", "other.txt"]).expect(0);
    assert_eq!((pieces(&s, "evidence").len(), pieces(&s, "yatsu-blobs").len()), (1, 1));
}

/// Evidence from before the repository took the newer names is read and collected.
#[test]
fn both_directories_are_read_and_collected_from() {
    let s = newer();
    eval(&s, &["--pass", "--image", "shot.png"]).expect(0);
    let named = pieces(&s, "evidence");
    let mut loose = BTreeSet::new();
    for (file, move_to) in [("one.txt", None), ("two.txt", Some("yatsu-blobs"))] {
        s.write(file, format!("the content of {file}"));
        let hash = s.yatsu(&["evidence", "put", file]).expect(0).out.trim_end().to_owned();
        if let Some(directory) = move_to {
            let (from, to) = (s.root.join(".git/spexcode/evidence"), s.root.join(".git/spexcode").join(directory));
            std::fs::create_dir_all(&to).expect("a directory");
            std::fs::rename(from.join(&hash), to.join(&hash)).expect("moved");
            s.yatsu(&["evidence", "get", &hash]).expect(0);
        }
        loose.insert(hash);
    }
    age(&s);
    assert!(s.yatsu(&["clean"]).expect(0).out.contains("collected 2 pieces"));
    assert_eq!((pieces(&s, "evidence"), pieces(&s, "yatsu-blobs")), (named.clone(), BTreeSet::new()));
    assert!(s.yatsu(&["clean", "--undo"]).expect(0).out.contains("restored 2 pieces"));
    assert_eq!(pieces(&s, "evidence"), named.union(&loose).cloned().collect());
}

/// The newer directory of an older repository belongs to another tool.
#[test]
fn a_directory_that_is_not_written_is_not_collected_from() {
    let s = repository("");
    s.write("shot.png", PNG);
    eval(&s, &["--pass", "--image", "shot.png"]).expect(0);
    let theirs = "a".repeat(64);
    s.write(&format!(".git/spexcode/evidence/{theirs}"), "theirs");
    age(&s);
    s.yatsu(&["clean"]).expect(0);
    assert_eq!(pieces(&s, "evidence"), BTreeSet::from([theirs]));
}

#[test]
fn messages_name_the_file_that_the_repository_would_have() {
    let s = newer();
    s.write("src/b.rs", "fn b() {}\n");
    s.write(".spec/list/spec.md", "---\ntitle: list\ncode:\n  - src/b.rs\n---\n");
    s.commit("a node without scenarios");
    let said = s.yatsu(&["eval", "list", "--pass"]).expect(2);
    assert!(said.err.contains("declare one in .spec/list/eval.md"), "{}", said.err);
    let said = s.yatsu(&["scan"]).expect(0);
    assert!(said.out.contains("declare how to measure it in .spec/list/eval.md"), "{}", said.out);
    let s = repository("");
    s.write(".spec/list/spec.md", "---\ntitle: list\n---\n");
    s.commit("a node without scenarios");
    let said = s.yatsu(&["eval", "list", "--pass"]).expect(2);
    assert!(said.err.contains("declare one in .spec/list/yatsu.md"), "{}", said.err);
}
