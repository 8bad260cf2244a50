//! `log`: the commits at which states changed. The cases are those of the design (O1 to O3), by number.

use crate::support::{Said, Scratch, reading, reading_line, scenarios, validate_published};
use serde_json::Value;

/// The published answer to a question.
#[track_caller]
fn asked(s: &Scratch, words: &[&str]) -> Value {
    validate_published(&s.yatsu(&[&["log"], words, &["--format", "json"]].concat()).expect(0).out)
}

/// The changes of all entries, newest first: `SUBJECT: NODE/SCENARIO was is why`.
#[track_caller]
fn told(s: &Scratch, words: &[&str]) -> Vec<String> {
    let answer = asked(s, words);
    let entries = answer["entries"].as_array().expect("entries").iter();
    entries.flat_map(lines).collect()
}

fn lines(entry: &Value) -> Vec<String> {
    let text = |value: &Value| value.as_str().unwrap_or("-").to_owned();
    let line = |change: &Value| {
        let [node, scenario, was, is, why, from] =
            ["node", "scenario", "was", "is", "why", "from"].map(|key| text(&change[key]));
        let from = if from == "-" { String::new() } else { format!(" {from}") };
        format!("{}: {node}/{scenario} {was} {is} {why}{from}", text(&entry["subject"]))
    };
    entry["changes"].as_array().expect("changes").iter().map(line).collect()
}

/// Two nodes, each with a measured scenario.
fn measured() -> Scratch {
    let s = Scratch::new();
    for (node, minute) in [("one", 1), ("two", 2)] {
        s.write(&format!("src/{node}.rs"), "1\n");
        s.write(&format!(".spec/{node}/yatsu.md"), scenarios(&[("holds", &format!("src/{node}.rs"))]));
        s.commit(&format!("declare {node}"));
        reading(&s, &format!(".spec/{node}"), "holds", "pass", minute);
        s.commit(&format!("measure {node}"));
    }
    s
}

#[test]
fn o1_an_edit_a_measurement_and_a_revert_are_told_apart() {
    let s = measured();
    s.write("src/one.rs", "2\n");
    s.commit("edit");
    s.git(&["revert", "--no-edit", "HEAD"]);
    s.write("README.md", "words\n");
    s.commit("nothing of ours");
    s.write("src/two.rs", "2\n");
    s.commit("edit two");
    reading(&s, ".spec/two", "holds", "fail", 9);
    s.commit("measure again");
    let ledger = s.read(".spec/two/yatsu.evals.ndjson");
    let retracts =
        "{\"retracts\":\"2026-01-01T00:09:00.000Z\",\"scenario\":\"holds\",\"ts\":\"2026-01-01T00:10:00.000Z\"}\n";
    s.write(".spec/two/yatsu.evals.ndjson", ledger + retracts);
    s.commit("withdraw");
    assert_eq!(
        told(&s, &[]),
        [
            "withdraw: two/holds fail stale withdrawn",
            "measure again: two/holds stale fail measured",
            "edit two: two/holds pass stale stale",
            "Revert \"edit\": one/holds stale pass returned",
            "edit: one/holds pass stale stale",
            "measure two: two/holds unmeasured pass measured",
            "declare two: two/holds - unmeasured new",
            "measure one: one/holds unmeasured pass measured",
            "declare one: one/holds - unmeasured new",
        ]
    );
    let answer = asked(&s, &["one", "-n", "1"]);
    assert_eq!((answer["complete"].as_bool(), answer["walked"].as_u64()), (Some(false), Some(5)));
    let next = answer["next"].as_str().expect("a commit").to_owned();
    assert_eq!(asked(&s, &["one", "--to", &next])["entries"].as_array().expect("entries").len(), 3);
    insta::assert_snapshot!(named(&s, &s.yatsu(&["log", "-n", "5"]).expect(0).out));
}

/// The output with the ids of commits named by their subjects.
fn named(s: &Scratch, text: &str) -> String {
    let log = s.git(&["log", "--all", "--format=%H %s"]);
    log.lines().fold(text.to_owned(), |text, line| {
        let (id, subject) = line.split_once(' ').expect("an id and a subject");
        text.replace(&id[..12], &format!("[{subject:.11}]"))
    })
}

#[test]
fn o1_a_rename_is_one_change_and_so_is_each_scenario_of_a_moved_node() {
    let s = measured();
    s.git(&["mv", ".spec/one", ".spec/three"]);
    s.commit("move");
    // only a reading that says which text it measured tells a rename from another scenario
    s.yatsu(&["eval", "two", "--pass", "--note", "seen"]).expect(0);
    s.commit("measure by the text");
    let file = s.read(".spec/two/yatsu.md");
    s.write(".spec/two/yatsu.md", file.replace("name: holds", "name: keeps"));
    s.commit("rename");
    s.git(&["rm", "-q", "-r", ".spec/three"]);
    s.commit("drop");
    assert_eq!(
        told(&s, &["-n", "3"]),
        [
            "drop: three/holds pass - dropped",
            "rename: two/keeps pass unmeasured renamed .spec/two/holds",
            "move: three/holds pass pass renamed .spec/one/holds",
        ]
    );
    // a name that is gone is found where it was
    assert_eq!(
        told(&s, &["three/holds"]),
        ["drop: three/holds pass - dropped", "move: three/holds pass pass renamed .spec/one/holds"]
    );
    assert_eq!(told(&s, &[".spec/one"]).len(), 3, "with where it went");
}

#[test]
fn o1_a_merge_is_one_change_against_its_first_parent() {
    let s = measured();
    s.git(&["checkout", "-q", "-b", "side"]);
    s.write("src/one.rs", "2\n");
    s.commit("edit");
    reading(&s, ".spec/one", "holds", "fail", 8);
    s.commit("measure on the side");
    s.git(&["checkout", "-q", "main"]);
    s.write("README.md", "words\n");
    s.commit("meanwhile");
    s.git(&["merge", "-q", "--no-ff", "-m", "merge", "side"]);
    assert_eq!(told(&s, &["-n", "1"]), ["merge: one/holds pass fail measured"]);
    assert_eq!(told(&s, &["--from", "HEAD^2"]), ["merge: one/holds pass fail measured"]);
}

#[test]
fn o1_a_configuration_decides_by_the_commit_that_has_it() {
    let s = measured();
    s.write("spexcode.json", "{\"yatsu\":{\"evaluators\":{\"manual\":\"2\"}}}");
    s.commit("another evaluator");
    s.write("spexcode.json", "{");
    s.commit("broken");
    s.write("src/one.rs", "2\n");
    s.commit("edited meanwhile");
    s.git(&["rm", "-q", "spexcode.json"]);
    s.commit("mended");
    let answer = asked(&s, &["-n", "3"]);
    assert_eq!(lines(&answer["entries"][0]), ["mended: two/holds stale pass returned"]);
    assert!(answer["entries"][1]["unread"].as_str().is_some_and(|why| why.contains("spexcode.json")), "{answer}");
    assert_eq!((&answer["entries"][1]["subject"], &answer["entries"][1]["score"]), (&"broken".into(), &Value::Null));
    assert_eq!(lines(&answer["entries"][2]).len(), 2);
    insta::assert_snapshot!(named(&s, &s.yatsu(&["log", "-n", "3"]).expect(0).out));
    let said = s.yatsu(&["log", "--to", "HEAD~1"]).expect(2);
    assert!(said.err.contains("spexcode.json") && said.err.contains("--to"), "{}", said.err);
}

#[test]
fn o3_a_range_and_a_shallow_clone_begin_with_a_score() {
    let s = measured();
    s.write(".spec/three/yatsu.md", scenarios(&[("holds", "src/one.rs")]));
    s.commit("declare three");
    let answer = asked(&s, &["--from", "HEAD~2"]);
    assert_eq!(answer["entries"].as_array().map(Vec::len), Some(2));
    assert_eq!((&answer["before"]["score"]["scenarios"], answer["complete"].as_bool()), (&2.into(), Some(true)));
    s.git(&["clone", "-q", "--depth", "2", &format!("file://{}", s.root.display()), "../shallow"]);
    let mut shallow = s.yatsu_command(&["log", "--format", "json"]);
    shallow.current_dir(s.base.join("shallow"));
    let answer = validate_published(&Said::of(shallow.output().expect("the program")).expect(0).out);
    assert_eq!((answer["shallow"].as_bool(), answer["entries"].as_array().map(Vec::len)), (Some(true), Some(1)));
    assert_eq!(answer["before"]["score"]["scenarios"], 2, "nothing is new where history was cut off");
    s.git(&["clone", "-q", "--bare", ".", "../bare"]);
    let mut bare = s.yatsu_command(&["log", "--format", "json"]);
    bare.current_dir(s.base.join("bare"));
    let bare = validate_published(&Said::of(bare.output().expect("the program")).expect(0).out);
    assert_eq!(bare, asked(&s, &[]));
}

#[test]
fn what_cannot_be_asked_is_refused_with_what_to_type() {
    let s = measured();
    for (words, expected) in [
        (&["main~1..main"][..], "--from main~1 --to main"),
        (&["src/one.rs"], "yatsu-hook impact src/one.rs"),
        (&["nowhere"], "nowhere"),
        (&["--to", "nowhere"], "names no commit"),
        (&["-n", "few"], "few"),
    ] {
        let said = s.yatsu(&[&["log"], words].concat()).expect(2);
        assert!(said.err.contains(expected), "{words:?}: {}", said.err);
    }
    let unborn = Scratch::new();
    assert_eq!(unborn.yatsu(&["log"]).expect(0).out, "there is no commit yet\n");
    assert_eq!(asked(&unborn, &[])["tip"], Value::Null);
}

#[test]
fn changes_of_one_cause_are_one_line() {
    let s = Scratch::new();
    s.write("src/hub.rs", "1\n");
    let names: Vec<String> = (0..12).map(|number| format!("s{number:02}")).collect();
    let list: Vec<(&str, &str)> = names.iter().map(|name| (&**name, "src/hub.rs")).collect();
    s.write(".spec/hub/yatsu.md", scenarios(&list));
    let commit = s.commit("declare");
    let lines: String =
        names.iter().zip(1..).map(|(name, minute)| reading_line(&commit, name, "pass", minute)).collect();
    s.write(".spec/hub/yatsu.evals.ndjson", lines);
    s.commit("measure");
    s.write("src/hub.rs", "2\n");
    s.commit("edit");
    let said = s.yatsu(&["log", "-n", "1"]).expect(0).out;
    assert!(said.contains("\n  pass → stale, code src/hub.rs: hub/s00, hub/s01, hub/s02 and 9 more\n"), "{said}");
    assert!(s.yatsu(&["-v", "log", "-n", "1"]).expect(0).out.contains("hub/s11"), "{said}");
    assert_eq!(told(&s, &["--tag", "mobile"]), [""; 0]);
}
