//! `log`: the commits at which states changed. The cases are those of the design (O1 to O3), by number.

use crate::support::{Said, Scratch, fed, reading, reading_line, scenarios, validate_published};
use serde_json::{Value, json};

/// The published answer to a question.
#[track_caller]
fn asked(s: &Scratch, words: &[&str]) -> Value {
    validate_published(&s.yatsu(&[&["log"], words, &["--format", "json"]].concat()).expect(0).out)
}

/// The answer about everything in another repository beside this one.
fn asked_in(s: &Scratch, name: &str) -> Value {
    let mut command = s.yatsu_command(&["log", "--format", "json"]);
    let output = command.current_dir(s.base.join(name)).output().expect("the program");
    validate_published(&Said::of(output).expect(0).out)
}

/// The answer about everything in a clone of the last two commits.
fn in_shallow_clone(s: &Scratch) -> Value {
    s.git(&["clone", "-q", "--depth", "2", &format!("file://{}", s.root.display()), "../shallow"]);
    asked_in(s, "shallow")
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
        told(&s, &[])[..3],
        [
            "drop: three/holds pass - dropped",
            "rename: two/keeps pass unmeasured renamed .spec/two/holds",
            "move: three/holds pass pass renamed .spec/one/holds",
        ]
    );
    // a name that is gone is found where it was
    assert_eq!(
        told(&s, &["three/holds"]),
        [
            "drop: three/holds pass - dropped",
            "move: three/holds pass pass renamed .spec/one/holds",
            "measure one: one/holds unmeasured pass measured",
            "declare one: one/holds - unmeasured new",
        ]
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
    let answer = in_shallow_clone(&s);
    assert_eq!((answer["shallow"].as_bool(), answer["entries"].as_array().map(Vec::len)), (Some(true), Some(1)));
    assert_eq!(answer["before"]["score"]["scenarios"], 2, "nothing is new where history was cut off");
    s.git(&["clone", "-q", "--bare", ".", "../bare"]);
    assert_eq!(asked_in(&s, "bare"), asked(&s, &[]));
}

#[test]
fn what_cannot_be_asked_is_refused_with_what_to_type() {
    let s = measured();
    for (words, expected) in [
        (&["main~1..main"][..], "--from main~1 --to main"),
        (&["src/one.rs"], "yatsu-hook impact src/one.rs"),
        (&["nowhere"], "nowhere"),
        (&["-n", "few"], "few"),
    ] {
        let said = s.yatsu(&[&["log"], words].concat()).expect(2);
        assert!(said.err.contains(expected), "{words:?}: {}", said.err);
    }
    // a clone may lack an end of a range: the same code as of `check`
    for words in
        ["log --from nowhere", "log --to nowhere", "check --from nowhere --to HEAD", "check --from HEAD --to nowhere"]
    {
        let said = s.yatsu(&words.split(' ').collect::<Vec<_>>()).expect(3);
        let expected = "of the range cannot be read in this clone: \"nowhere\" names no commit";
        assert!(said.err.contains(expected), "{words}: {}", said.err);
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

/// The first commit of a range, or of a shallow clone, is compared with the last state before it that could be judged.
#[test]
fn no_change_is_lost_beside_commits_that_cannot_be_judged() {
    let s = measured();
    s.write("spexcode.json", "{");
    s.commit("broken");
    s.write("src/one.rs", "2\n");
    s.commit("edited meanwhile");
    s.git(&["rm", "-q", "spexcode.json"]);
    s.commit("mended");
    let stale = "mended: one/holds pass stale stale";
    assert_eq!(told(&s, &["--from", "HEAD~1"]), [stale]);
    let answer = asked(&s, &["--from", "HEAD~1"]);
    assert_eq!((&answer["walked"], &answer["before"]["score"]["pass"]), (&1.into(), &2.into()), "{answer}");
    assert_eq!(answer["entries"].as_array().map(Vec::len), Some(1), "what is broken lies outside of the range");
    // the next question may begin where this one ends
    let answer = asked(&s, &["-n", "1"]);
    let next = answer["next"].as_str().expect("a commit");
    assert_eq!(s.git(&["log", "-1", "--format=%s", next]), "measure two");
    assert_eq!(answer["entries"][1]["subject"], "broken", "it does not count");
    assert_eq!(asked(&s, &["--to", next])["entries"].as_array().map(Vec::len), Some(4));
    // a name is not answered with what concerns no name
    assert_eq!(
        lines(&asked(&s, &["two", "-n", "1"])["entries"][0]),
        ["measure two: two/holds unmeasured pass measured"]
    );
    let answer = in_shallow_clone(&s);
    assert_eq!((answer["shallow"].as_bool(), answer["entries"].as_array().map(Vec::len)), (Some(true), Some(1)));
    let unread = answer["entries"][0]["unread"].as_str().expect("a reason");
    assert!(
        unread.contains("what it changed is not known") && answer["entries"][0]["score"]["scenarios"] == 2,
        "{answer}"
    );
}

/// Who asks since when something is stale gets the edit, not the move after it.
#[test]
fn a_renamed_scenario_is_followed_to_its_older_name() {
    let s = measured();
    s.write("src/one.rs", "2\n");
    s.commit("edit");
    s.git(&["mv", ".spec/one", ".spec/uno"]);
    s.commit("move");
    let moved = "move: uno/holds stale stale renamed .spec/one/holds";
    let edited = "edit: one/holds pass stale stale";
    assert_eq!(told(&s, &["uno/holds", "-n", "1"]), [moved, edited]);
    assert_eq!(told(&s, &["uno"]).len(), 4, "to its declaration");
    assert_eq!(asked(&s, &["uno"])["entries"][3]["score"]["scenarios"], 1, "the selection's score");
    // all scenarios of a moved node are one line
    s.write(
        ".spec/two/yatsu.md",
        scenarios(&[("holds", "src/two.rs"), ("more", "src/two.rs"), ("most", "src/two.rs")]),
    );
    s.commit("three");
    s.git(&["mv", ".spec/two", ".spec/due"]);
    s.commit("move three");
    let said = s.yatsu(&["log", "-n", "1"]).expect(0);
    assert!(said.out.contains("  moved from .spec/two: due/holds, due/more, due/most\n"), "{}", said.out);
}

/// A line that a revert takes out was not withdrawn, and a file that cannot be read drops nothing.
#[test]
fn what_only_looks_withdrawn_or_dropped_is_not_called_so() {
    let s = measured();
    s.write("src/two.rs", "2\n");
    s.commit("edit");
    reading(&s, ".spec/two", "holds", "fail", 9);
    s.commit("measure");
    s.git(&["revert", "--no-edit", "HEAD"]);
    assert_eq!(told(&s, &["-n", "1"])[0].rsplit(' ').next(), Some("other"));
    s.git(&["revert", "--no-edit", "HEAD"]);
    s.git(&["revert", "--no-commit", "HEAD", "HEAD~2", "HEAD~3"]);
    s.commit("both");
    assert_eq!(told(&s, &["-n", "1"]), ["both: two/holds fail pass returned"]);
    let redacted = s.yatsu(&["redact", "two", "--ts", "2026-01-01T00:02:00.000Z", "--reason", "r", "--by", "me"]);
    redacted.expect(0);
    s.commit("redact");
    assert_eq!(told(&s, &["-n", "1"]), ["redact: two/holds pass unmeasured withdrawn"]);
    let whole = s.read(".spec/one/yatsu.md");
    s.write(".spec/one/yatsu.md", "---\nscenarios: [\n---\n");
    s.commit("break");
    s.write(".spec/one/yatsu.md", whole);
    s.commit("mend");
    let expected = ["mend: one/holds - pass unreadable", "break: one/holds pass - unreadable"];
    assert_eq!(told(&s, &["-n", "2"]), expected);
    let said = s.yatsu(&["log", "-n", "2"]).expect(0).out;
    assert!(said.contains("  its file could not be read → pass: one/holds\n"), "{said}");
    assert!(said.contains("  pass → its file cannot be read: one/holds\n"), "{said}");
}

/// Names and tags of older commits are found behind the last listed commit, too, and those of none are refused.
#[test]
fn what_only_older_commits_know_can_be_asked_for() {
    let s = measured();
    let library = |tags: &str| s.write("spexcode.json", format!("{{\"lint\": {{\"scenarioTags\": [{tags}]}}}}"));
    s.write(".spec/two/yatsu.md", scenarios(&[("holds", "src/two.rs"), ("waits..then", "src/two.rs")]));
    s.commit("a name with dots");
    assert_eq!(told(&s, &["two/waits..then"]), ["a name with dots: two/waits..then - unmeasured new"]);
    s.git(&["rm", "-q", "-r", ".spec/two"]);
    s.commit("drop");
    s.write("src/one.rs", "2\n");
    s.commit("edit");
    reading(&s, ".spec/one", "holds", "fail", 9);
    s.commit("measure again");
    assert_eq!(told(&s, &["one", "two/holds", "-n", "1"]), ["measure again: one/holds stale fail measured"]);
    let said = s.yatsu(&["log", "one", "two/never", "-n", "1"]).expect(2);
    assert!(!said.err.contains("were looked at"), "all of the history was: {}", said.err);
    let said = s.yatsu(&["log", "HEAD~1..HEAD"]).expect(2);
    assert!(said.err.contains("yatsu-hook log --from HEAD~1 --to HEAD"), "{}", said.err);
    library("\"cli\", \"old\"");
    s.commit("a library");
    library("\"cli\"");
    s.commit("another");
    assert_eq!(told(&s, &["--tag", "old"]), Vec::<String>::new());
    s.yatsu(&["log", "--tag", "never"]).expect(2);
}

/// Each printed command goes on with the same question.
#[test]
fn the_printed_commands_ask_the_same_question() {
    let s = measured();
    let all: Vec<(String, String)> = (0..9).map(|at| (format!("s{at}"), format!("src/{at}.rs"))).collect();
    let all: Vec<(&str, &str)> = all.iter().map(|(name, path)| (&**name, &**path)).collect();
    s.write(".spec/a b/yatsu.md", scenarios(&all));
    (0..9).for_each(|at| s.write(&format!("src/{at}.rs"), "1\n"));
    s.commit("many");
    for minute in 0..9 {
        reading(&s, ".spec/a b", &format!("s{minute}"), "pass", minute);
    }
    s.commit("measure many");
    for at in 0..9 {
        s.write(&format!("src/{at}.rs"), "2\n");
    }
    s.commit("edit many");
    let id = |rev: &str| s.git(&["rev-parse", "--short=12", rev]);
    let said = s.yatsu(&["log", "--from", "HEAD~3", "-n", "1"]).expect(0).out;
    let more = format!("  and 1 more: yatsu-hook log --to {} -n 1 -v\n", id("HEAD"));
    let older = format!("older commits: yatsu-hook log --from 'HEAD~3' --to {} -n 1\n", id("HEAD~1"));
    assert!(said.contains(&more) && said.ends_with(&older), "{said}");
    // an older commit may not know a name
    s.git(&["mv", ".spec/a b", ".spec/c d"]);
    s.commit("move");
    let said = s.yatsu(&["log", "c d", "--tag", "cli", "--to", "HEAD", "-n", "1"]).expect(0).out;
    assert!(said.ends_with("older commits: yatsu-hook log 'c d' --tag cli --to HEAD -n 2\n"), "{said}");
    let more = told(&s, &["c d", "--tag", "cli", "--to", "HEAD", "-n", "2"]);
    assert_eq!(
        more.iter().filter(|line| line.starts_with("edit many") || line.starts_with("measure many")).count(),
        18
    );
}

#[test]
fn a_subject_is_the_first_line_with_words_and_an_unborn_branch_knows_no_revision() {
    let s = Scratch::new();
    s.yatsu(&["log", "--from", "nowhere"]).expect(3);
    s.write(".spec/n/yatsu.md", scenarios(&[("holds", "src/a.rs")]));
    s.git(&["add", "-A"]);
    s.git(&["commit", "-q", "--cleanup=verbatim", "-m", "\n\nwords\nmore"]);
    assert_eq!(asked(&s, &[])["entries"][0]["subject"], "words");
}

/// One question walks 10,000 commits, and then prints where the next one begins. That is a commit that can be judged.
#[test]
fn a_long_history_is_walked_in_parts() {
    let s = measured();
    let mut commits = String::new();
    for number in 0..10_003 {
        let parent = if number == 0 { "from refs/heads/main^0\n" } else { "" };
        let who = format!("A <a@example.invalid> {} +0000", 1_800_000_000 + number);
        commits += &format!("commit refs/heads/main\ncommitter {who}\ndata 1\nx\n{parent}");
        commits += &match number {
            0 => "M 100644 inline spexcode.json\ndata 1\n{\n".to_owned(),
            6 => "D spexcode.json\n".to_owned(),
            _ => format!("M 100644 inline other\ndata 5\n{number:05}\n"),
        };
    }
    fed(s.git_command(&["fast-import", "--quiet", "--force"]), commits).expect(0);
    let answer = asked(&s, &[]);
    assert_eq!((&answer["complete"], &answer["entries"][0]["changes"]), (&false.into(), &json!([])));
    let next = answer["next"].as_str().expect("a commit");
    assert_eq!(s.git(&["log", "-1", "--format=%s", next]), "measure two", "the first commits are broken");
    assert_eq!(asked(&s, &["--to", next])["entries"].as_array().map(Vec::len), Some(4));
    assert_eq!(asked(&s, &["-n", "0"])["entries"].as_array().map(Vec::len), Some(5));
    let said = s.yatsu(&["log", "never"]).expect(2);
    assert!(said.err.contains("10000 commits were looked at; --limit 0 looks at all"), "{}", said.err);
}

#[test]
fn an_edit_beside_a_configuration_that_cannot_be_used_is_told_of_the_commits_around_it() {
    let s = Scratch::new();
    let file = |name: &str| crate::support::scenarios(&[(name, "src/a.rs")]);
    s.write("src/a.rs", "one\n");
    s.write(".spec/n/yatsu.md", file("old"));
    s.write("spexcode.json", "{}");
    s.commit("good");
    s.write("spexcode.json", "{");
    s.commit("broken");
    s.write(".spec/n/yatsu.md", file("new"));
    s.write("spexcode.json", "{}");
    s.commit("mended");
    let said = s.yatsu(&["log", "--limit", "0"]).expect(0).out;
    assert!(said.contains("new, unmeasured: n/new\n") && said.contains("dropped, was unmeasured: n/old\n"), "{said}");
    assert!(said.ends_with("new, unmeasured: n/old\n"), "{said}");
}

#[test]
fn a_moved_file_is_a_copy_where_a_commit_brings_its_old_place_back() {
    let s = Scratch::new();
    s.write(".spec/n/yatsu.md", scenarios(&[("works", "other/b.rs")]));
    s.write("other/b.rs", "two\n");
    s.commit("declared");
    reading(&s, ".spec/n", "works", "pass", 1);
    s.commit("measured");
    s.git(&["mv", "other/b.rs", "b.rs"]);
    s.write(".spec/n/yatsu.md", scenarios(&[("works", "b.rs")]));
    s.commit("moved");
    for (content, subject) in [("three\n", "back"), ("four\n", "edited")] {
        s.write("other/b.rs", content);
        s.commit(subject);
    }
    let changes = told(&s, &["--limit", "0"]);
    assert_eq!(changes[..2], ["back: n/works pass stale stale", "measured: n/works unmeasured pass measured"]);
}
