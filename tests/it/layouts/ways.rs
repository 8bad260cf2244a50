//! One suite, two ways of reading: natively and through the git program. Both must give the same answer for every
//! staged state.

use super::{Place, story};
use crate::support::{reading_line, scenarios, validate_published};
use serde_json::Value;

/// The whole report without the backend.
fn report(place: &Place, args: &[&str]) -> (i32, Option<Value>, String) {
    let said = place.yatsu(args);
    if said.out.is_empty() || said.code == 3 {
        return (said.code, None, said.err);
    }
    let mut report = validate_published(&said.out);
    let who = report["scope"]["backend"].take().as_str().unwrap_or("-").to_owned();
    (said.code, Some(report), who)
}

/// Runs both ways in one repository. An extension without effect makes the program read through git.
#[track_caller]
fn same(place: &Place, what: &str) -> i32 {
    let mut staged = 0;
    for args in [
        &["check", "--staged", "--format", "json"][..],
        &["pre-commit", "--format", "json"],
        &["check", "--all", "--format", "json"],
        &["scan", "--staged", "--format", "json"],
        &["scan", "--format", "json"],
    ] {
        let native = report(place, args);
        place.git(&["config", "extensions.partialClone", "nowhere"]);
        let program = report(place, args);
        place.git(&["config", "--unset", "extensions.partialClone"]);
        assert_eq!((native.0, &native.1), (program.0, &program.1), "{what}: {args:?}");
        // a refused configuration is told before anything is read
        if native.0 != 2 && native.1.is_some() {
            assert_eq!(program.2, "git", "{what}: {args:?}");
        }
        if args[0] == "pre-commit" {
            staged = native.0;
        }
    }
    staged
}

/// A state to stage, its name, and the hook's exit code.
type State = (&'static str, fn(&Place), i32);

const STATES: &[State] = &[
    ("nothing", |_| {}, 0),
    ("a good change", |place| place.stage("src/a.rs", "fn a() { 3; }\n"), 0),
    ("a bad scenario file", |place| place.stage(".spec/n/yatsu.md", "broken"), 1),
    ("a ghost", |place| place.stage(".spec/n/yatsu.md", &scenarios(&[("fresh", "gone.rs")])), 1),
    ("a governed file removed", |place| drop(place.git(&["rm", "-q", "src/a.rs"])), 1),
    ("a node renamed", |place| drop(place.git(&["mv", ".spec/n", ".spec/m"])), 0),
    ("a node removed", |place| drop(place.git(&["rm", "-q", "-r", ".spec/n"])), 0),
    ("a ledger emptied", |place| place.stage(".spec/n/yatsu.evals.ndjson", ""), 1),
    (
        "a torn ledger",
        |place| {
            let ledger = std::fs::read_to_string(place.dir.join(".spec/n/yatsu.evals.ndjson")).expect("a ledger");
            place.stage(".spec/n/yatsu.evals.ndjson", &(ledger + "{\"scenario\":\"fre"));
        },
        1,
    ),
    (
        "a reading of a commit that is not there",
        |place| {
            let ledger = std::fs::read_to_string(place.dir.join(".spec/n/yatsu.evals.ndjson")).expect("a ledger");
            place.stage(".spec/n/yatsu.evals.ndjson", &(ledger + &reading_line(&"7".repeat(40), "fresh", "pass", 9)));
        },
        0,
    ),
    ("a stray blob", |place| place.stage("yatsu-blobs/x", "thirty-two bytes or more of evidence"), 1),
    (
        "a link in place of a scenario file",
        |place| {
            std::fs::remove_file(place.dir.join(".spec/n/yatsu.md")).expect("a file");
            std::os::unix::fs::symlink("../../src/a.rs", place.dir.join(".spec/n/yatsu.md")).expect("a link");
            place.git(&["add", "-A"]);
        },
        1,
    ),
    ("an executable ledger", |place| drop(place.git(&["update-index", "--chmod=+x", ".spec/n/yatsu.evals.ndjson"])), 1),
    (
        "a link on the way to a governed file",
        |place| {
            std::os::unix::fs::symlink("src", place.dir.join("way")).expect("a link");
            place.git(&["add", "-A"]);
            place.stage(
                ".spec/n/yatsu.md",
                &scenarios(&[("fresh", "way/a.rs"), ("stale", "src/b.rs"), ("new", "docs")]),
            );
        },
        0,
    ),
    (
        "an intent to add",
        |place| {
            std::fs::create_dir_all(place.dir.join("x")).expect("a directory");
            std::fs::write(place.dir.join("x/yatsu.md"), "broken").expect("a file");
            place.git(&["add", "-N", "x/yatsu.md"]);
        },
        0,
    ),
    (
        "names of every sort",
        |place| {
            for name in ["a b", "-rf", "new\nline", "\u{e9}", ":(top)x", "tab\t", "quote\""] {
                std::fs::write(place.dir.join(name), "x").expect("a file");
            }
            place.git(&["add", "-A"]);
        },
        0,
    ),
    ("a bad configuration", |place| place.stage("spexcode.json", "{\"yatsu\":{\"rooots\":[]}}"), 2),
    (
        "a weaker configuration",
        |place| place.stage("spexcode.json", "{\"yatsu\":{\"rules\":{\"node-id\":\"off\"}}}"),
        0,
    ),
    ("a mode", |place| drop(place.git(&["update-index", "--chmod=+x", "src/a.rs"])), 0),
    (
        "a submodule",
        |place| {
            let head = place.git(&["rev-parse", "HEAD"]);
            place.git(&["update-index", "--add", "--cacheinfo", &format!("160000,{head},sub")]);
        },
        0,
    ),
    (
        "a merge in progress",
        |place| {
            place.git(&["checkout", "-q", "-b", "side", "HEAD~1"]);
            place.stage("src/c.rs", "fn c() {}\n");
            place.git(&["commit", "-q", "-m", "side"]);
            place.git(&["checkout", "-q", "main"]);
            place.git(&["merge", "-q", "--no-ff", "--no-commit", "side"]);
        },
        0,
    ),
    (
        "a detached HEAD",
        |place| {
            place.git(&["checkout", "-q", "--detach", "HEAD~1"]);
            place.stage("lib/yatsu.md", "broken");
        },
        1,
    ),
    (
        "a rebase that stopped",
        |place| {
            place.scratch.try_git(&["rebase", "-q", "--exec", "false", "HEAD~1"]).expect(1);
            place.stage("lib/yatsu.md", "broken");
        },
        1,
    ),
    (
        "a bisection",
        |place| {
            place.git(&["bisect", "start", "HEAD", "HEAD~3"]);
            place.stage("lib/yatsu.md", "broken");
        },
        1,
    ),
    (
        "a conflict",
        |place| {
            place.git(&["checkout", "-q", "-b", "side", "HEAD~1"]);
            place.stage("src/b.rs", "fn other() {}\n");
            place.git(&["commit", "-q", "-m", "side"]);
            place.git(&["checkout", "-q", "main"]);
            place.scratch.try_git(&["merge", "-q", "side"]).expect(1);
        },
        3,
    ),
];

#[test]
fn both_ways_of_reading_say_the_same() {
    let check = |(name, stage, code): &State| {
        let place = Place::main(story(&[]));
        stage(&place);
        assert_eq!(same(&place, name), *code, "{name}");
    };
    let (left, right) = STATES.split_at(STATES.len() / 2);
    std::thread::scope(|scope| {
        let other = scope.spawn(|| right.iter().for_each(check));
        left.iter().for_each(check);
        other.join().expect("the second half agrees");
    });
}

#[test]
fn both_ways_agree_before_the_first_commit() {
    let place = Place::main(crate::support::Scratch::new());
    place.stage("src/a.rs", "fn a() {}\n");
    place.stage(".spec/n/yatsu.md", &scenarios(&[("fresh", "src/a.rs")]));
    assert_eq!(same(&place, "unborn, good"), 0);
    place.stage(".spec/n/yatsu.md", "broken");
    assert_eq!(same(&place, "unborn, bad"), 1);
}
