use super::*;
use crate::model::config::Config;
use crate::model::ledger::{Event, encode_redaction, redact};
use crate::model::workspace::{Select, load};
use crate::tree::Kind;
use crate::tree::memory::MemoryTree;

fn line(scenario: &str, second: u32) -> String {
    let sha = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
    format!("{{\"scenario\":\"{scenario}\",\"codeSha\":\"{sha}\",\"ts\":\"2026-01-01T00:00:{second:02}.000Z\"}}")
}

/// The one entry that every well-formed scenario file needs, with this name.
fn declaring(names: &[&str]) -> String {
    let entry = |name: &&str| {
        format!("  - name: {name}\n    description: measure\n    expected: works\n    tags: [cli]\n    code: src\n")
    };
    format!("---\nscenarios:\n{}---\n", names.iter().map(entry).collect::<String>())
}

fn workspace(files: &[(&str, String)]) -> Workspace {
    let mut tree = MemoryTree::of_files(&[("src", "")]);
    files.iter().for_each(|(path, content)| tree.put(path, Kind::File, content.as_bytes()));
    load(&tree, Config::default(), &Select::All).unwrap()
}

const A: &str = ".spec/a/yatsu.md";
const A_LEDGER: &str = ".spec/a/yatsu.evals.ndjson";
const B: &str = ".spec/b/yatsu.md";
const B_LEDGER: &str = ".spec/b/yatsu.evals.ndjson";

/// Node `a` with the scenario `s` and these lines.
fn node_a(lines: &[String]) -> Workspace {
    workspace(&[(A, declaring(&["s"])), (A_LEDGER, lines.join("\n") + "\n")])
}

fn lost(new: &Workspace, base: &Workspace) -> Vec<Lost> {
    missing(new, base).lost
}

fn left(new: &Workspace, base: &Workspace) -> Vec<String> {
    missing(new, base).left.into_iter().map(|left| String::from_utf8(left.line).unwrap()).collect()
}

fn lost_lines(new: &Workspace, base: &Workspace) -> Vec<String> {
    lost(new, base).into_iter().map(|lost| String::from_utf8(lost.line).unwrap()).collect()
}

#[test]
fn appending_interleaving_and_collapsing_lose_nothing() {
    let (one, two, three) = (line("s", 1), line("s", 2), line("s", 3));
    let base = node_a(&[one.clone(), two.clone(), two.clone()]);
    for lines in [
        vec![one.clone(), two.clone(), two.clone(), three.clone()],
        vec![three.clone(), two.clone(), one.clone()],
        vec![one.clone(), two.clone()],
    ] {
        assert_eq!(lost_lines(&node_a(&lines), &base), [""; 0], "{lines:?}");
    }
    let crlf = workspace(&[(A, declaring(&["s"])), (A_LEDGER, format!("{one}\r\n\r\n{two}"))]);
    assert_eq!(lost(&crlf, &base), []);
}

#[test]
fn an_edited_and_a_removed_line_are_lost() {
    let (one, two) = (line("s", 1), line("s", 2));
    let base = node_a(&[one.clone(), two.clone()]);
    assert_eq!(lost_lines(&node_a(std::slice::from_ref(&two)), &base), std::slice::from_ref(&one));
    let edited = lost(&node_a(&[one.replace("01-01", "02-02"), two]), &base);
    assert_eq!(edited.len(), 1);
    assert_eq!((edited[0].scenario.as_deref(), edited[0].ledger.to_string()), (Some("s"), A_LEDGER.into()));
    assert_eq!(edited[0].line, one.as_bytes());
}

#[test]
fn a_line_goes_only_with_what_declares_it() {
    let base = node_a(&[line("s", 1)]);
    for gone in [vec![], vec![(".spec/a/spec.md", String::new())], vec![(A_LEDGER, String::new())]] {
        assert_eq!(lost(&workspace(&gone), &base), [], "{gone:?}");
        assert_eq!(left(&workspace(&gone), &base), [line("s", 1)], "{gone:?}");
    }
    assert_eq!(left(&workspace(&[(A, declaring(&["t"]))]), &base), [line("s", 1)], "the scenario alone");
    assert_eq!(lost(&workspace(&[(A, declaring(&["s"]))]), &base).len(), 1);
    assert_eq!(lost(&workspace(&[(".spec/a/eval.md", declaring(&["s"]))]), &base).len(), 1);
    let torn = "---\nscenarios:\n".to_owned();
    assert_eq!(lost(&workspace(&[(A, torn)]), &base).len(), 1, "nobody knows what it declares");
    let two = workspace(&[(A, declaring(&["t"])), (".spec/a/eval.md", declaring(&["s"]))]);
    assert_eq!(lost(&two, &base).len(), 1, "nobody read the second file");
    let tree = MemoryTree::from(&[(A, Kind::Link, "x")]);
    assert_eq!(lost(&load(&tree, Config::default(), &Select::All).unwrap(), &base).len(), 1, "nobody follows it");
}

fn redaction(line: &str) -> String {
    let Some(Event::Redaction(redaction)) = redact(line.as_bytes(), "a name", None) else { panic!("a redaction") };
    encode_redaction(&redaction)
}

#[test]
fn a_redaction_stands_for_its_line_alone() {
    let (one, two) = (line("s", 1), line("s", 2));
    let base = node_a(&[one.clone(), two.clone()]);
    assert_eq!(lost(&node_a(&[redaction(&one), two.clone()]), &base), []);
    assert_eq!(lost_lines(&node_a(&[redaction(&one)]), &base), std::slice::from_ref(&two));
    let other = redaction(&one).replace(":01.000Z", ":02.000Z");
    assert_eq!(
        lost_lines(&node_a(&[other, two.clone()]), &base),
        std::slice::from_ref(&one),
        "it keeps the line's own time"
    );
    assert_eq!(lost_lines(&node_a(&[one.clone(), two]), &node_a(&[redaction(&one)])), [redaction(&one)]);
}

#[test]
fn a_redaction_stands_where_its_line_must() {
    let one = line("s", 1);
    let base = node_a(std::slice::from_ref(&one));
    let elsewhere =
        |names: &[&str]| workspace(&[(B, declaring(&["s"])), (B_LEDGER, redaction(&one)), (A, declaring(names))]);
    assert_eq!(lost(&elsewhere(&["t"]), &base), [], "it moved with its scenario");
    assert_eq!(lost(&elsewhere(&["s"]), &base).len(), 1);
}

#[test]
fn a_line_moves_only_with_its_scenario() {
    let base = node_a(&[line("s", 1), line("s", 2)]);
    let moved_to = |files: &[(&str, String)]| lost(&workspace(files), &base);
    let both = format!("{}\n{}\n", line("s", 1), line("s", 2));
    let reworded = declaring(&["s"]).replace("measure", "look at it");
    assert_eq!(moved_to(&[(B, declaring(&["s"])), (B_LEDGER, both.clone())]), []);
    assert_eq!(moved_to(&[(B, reworded.clone()), (B_LEDGER, both.clone())]), []);
    for file in [declaring(&["s"]), reworded.clone()] {
        let found = moved_to(&[(B, file), (B_LEDGER, line("s", 2))]);
        assert_eq!(
            found.iter().map(|lost| (lost.line.clone(), lost.belongs.to_string())).collect::<Vec<_>>(),
            [(line("s", 1).into_bytes(), ".spec/b".to_owned())]
        );
    }
    let parked = moved_to(&[(A, declaring(&["s"])), (B, declaring(&["s"])), (B_LEDGER, both.clone())]);
    assert_eq!(parked.iter().map(|lost| lost.belongs.to_string()).collect::<Vec<_>>(), [".spec/a", ".spec/a"]);
    let decoy = [(B, declaring(&["s"])), (".spec/c/yatsu.md", reworded), (".spec/c/evals.ndjson", both)];
    assert_eq!(moved_to(&decoy).len(), 2, "a reworded one beside the same text is no heir");
}

#[test]
fn a_twin_of_the_same_text_inherits_and_one_of_another_does_not() {
    let (one, two) = (line("s", 1), line("s", 2));
    let reworded = declaring(&["s"]).replace("measure", "look at it");
    for (text, heirs) in [(declaring(&["s"]), 1), (reworded, 0)] {
        let twin = [(B, text), (B_LEDGER, two.clone())];
        let base = workspace(&[&twin[..], &[(A, declaring(&["s"])), (A_LEDGER, one.clone())]].concat());
        assert_eq!(lost(&workspace(&twin), &base).len(), heirs);
    }
}

#[test]
fn what_its_directory_no_longer_declared_stays_or_moves_whole() {
    let one = line("s", 1);
    let base = workspace(&[(A_LEDGER, one.clone())]);
    assert_eq!(lost(&workspace(&[]), &base).len(), 1);
    assert_eq!(lost(&workspace(&[(B_LEDGER, one.clone())]), &base), []);
    assert_eq!(lost(&workspace(&[(A, declaring(&["s"])), (B_LEDGER, one.clone())]), &base).len(), 1, "declared again");
    let copied = workspace(&[(A_LEDGER, one.clone()), (B_LEDGER, one.clone())]);
    assert_eq!(lost(&workspace(&[(B_LEDGER, one.clone())]), &copied).len(), 1, "it was there before");
    // an old line of a node that moves, or goes, goes with it
    let node = workspace(&[(A, declaring(&["t"])), (A_LEDGER, one.clone())]);
    assert_eq!(left(&workspace(&[]), &node), std::slice::from_ref(&one));
    let moved = |ledger: String| lost(&workspace(&[(B, declaring(&["t"])), (B_LEDGER, ledger)]), &node);
    assert_eq!((moved(one).len(), moved(String::new())[0].belongs.to_string()), (0, ".spec/b".to_owned()));
    let unnamed = node_a(&["{\"kind\":\"later\"}".into()]);
    assert_eq!(lost(&workspace(&[(A, declaring(&["t"]))]), &unnamed).len(), 1);
    assert_eq!(left(&workspace(&[]), &unnamed).len(), 1);
}

/// A scenario file with these scenarios and a contract that asks for so many findings.
fn with_goal(names: &[&str], least: u32) -> String {
    let goal = format!(
        "goal_contract:\n  version: 1\n  goal_text: g\n  acceptance_criteria:\n    \
         - {{id: A, kind: finding_count, minCount: {least}}}\n"
    );
    declaring(names).replacen("---\n", &format!("---\n{goal}"), 1)
}

/// A decision about a goal.
fn decision(kind: &str, second: u32) -> String {
    let about = "0".repeat(64);
    format!(
        "{{\"decision\":\"{kind}\",\"contract\":\"{about}\",\"readings\":\"{about}\",\"reason\":\"r\",\"by\":\"b\",\
         \"ts\":\"2026-01-01T00:00:{second:02}.000Z\"}}"
    )
}

/// Where the lines belong that are lost on the way from node `a`, which holds one decision, to these files.
fn decision_lost(base: &[(&str, String)], new: &[(&str, String)]) -> Vec<String> {
    lost(&workspace(new), &workspace(base)).iter().map(|lost| lost.belongs.to_string()).collect()
}

#[test]
fn a_decision_stays_where_its_goal_stays_also_where_the_contract_is_another_one() {
    let block = decision("block", 1);
    let base = [(A, with_goal(&["s"], 1)), (A_LEDGER, block.clone())];
    for file in [with_goal(&["s"], 1), with_goal(&["t"], 2), with_goal(&["s"], 0).replace("version: 1", "version: 2")] {
        let elsewhere = [(A, file.clone()), (B, with_goal(&["u"], 1)), (B_LEDGER, block.clone())];
        assert_eq!(decision_lost(&base, &elsewhere), [".spec/a"], "{file}");
        assert_eq!(decision_lost(&base, &[(A, file), (A_LEDGER, block.clone())]), [""; 0]);
    }
}

#[test]
fn a_decision_whose_node_has_no_contract_any_more_may_move_to_one_that_has() {
    let block = decision("block", 1);
    let base = [(A, with_goal(&["s"], 1)), (A_LEDGER, block.clone())];
    let moved = |to: String| [(A, declaring(&["s"])), (B, to), (B_LEDGER, block.clone())];
    assert_eq!(decision_lost(&base, &moved(with_goal(&["t"], 1))), [""; 0]);
    assert_eq!(decision_lost(&base, &moved(with_goal(&["t"], 2))), [""; 0]);
    assert_eq!(decision_lost(&base, &moved(declaring(&["t"]))), [".spec/a"], "there is no goal");
    assert_eq!(decision_lost(&base, &[(A, declaring(&["s"])), (A_LEDGER, block.clone())]), [""; 0], "it may stay");
    let old = [&base[..], &[(B, with_goal(&["t"], 2)), (B_LEDGER, block.clone())]].concat();
    assert_eq!(decision_lost(&old, &moved(with_goal(&["t"], 2))), [".spec/a"], "it was there before");
    // what is no decision about a goal is of its own directory
    let other = "{\"decision\":\"approve\",\"patch\":\"p\"}".to_owned();
    let base = [(A, with_goal(&["s"], 1)), (A_LEDGER, other.clone())];
    let moved = [(A, declaring(&["s"])), (B, with_goal(&["t"], 1)), (B_LEDGER, other)];
    assert_eq!(decision_lost(&base, &moved), [".spec/a"]);
}

#[test]
fn a_decision_goes_with_its_contract_and_not_to_another_one() {
    let block = decision("block", 1);
    const C: &str = ".spec/c/yatsu.md";
    let base = [(A, with_goal(&["s"], 1)), (A_LEDGER, block.clone()), (C, with_goal(&["u"], 2))];
    let shed = |a: Option<String>, ledger: &'static str| {
        let mut files = vec![(B, with_goal(&["s"], 1)), (C, with_goal(&["u"], 2)), (ledger, block.clone())];
        files.extend(a.map(|file| (A, file)));
        decision_lost(&base, &files)
    };
    const C_LEDGER: &str = ".spec/c/yatsu.evals.ndjson";
    for a in [None, Some(declaring(&["t"]))] {
        assert_eq!(shed(a.clone(), B_LEDGER), [""; 0], "the new place of the contract");
        assert_eq!(shed(a.clone(), C_LEDGER), [".spec/b"], "another goal's place");
        assert_eq!(shed(a.clone(), ".spec/d/yatsu.evals.ndjson"), [".spec/b"]);
        assert_eq!(shed(a, A_LEDGER), [".spec/b"], "left behind it would count for nothing");
    }
    // the node is gone, and with it what was decided about it
    assert_eq!(decision_lost(&base, &[(C, with_goal(&["u"], 2))]), [""; 0]);
}

#[test]
fn the_newer_ledger_name_in_the_same_directory_is_the_same_ledger() {
    let renamed = workspace(&[(A, declaring(&["other"])), (".spec/a/evals.ndjson", line("s", 1))]);
    assert_eq!(lost(&renamed, &node_a(&[line("s", 1)])), []);
}

#[test]
fn a_link_in_the_ledger_s_place_loses_its_lines() {
    let base = node_a(&[line("s", 1)]);
    let tree = MemoryTree::from(&[(A, Kind::File, declaring(&["s"])), (A_LEDGER, Kind::Link, "x".into())]);
    assert_eq!(lost(&load(&tree, Config::default(), &Select::All).unwrap(), &base).len(), 1);
}

#[test]
fn what_never_was_an_event_may_be_repaired() {
    let (one, two) = (line("s", 1), line("s", 2));
    let base = node_a(&["<<<<<<< ours".into(), one.clone() + &two, "=======".into(), "{\"torn".into(), "[1]".into()]);
    assert_eq!(lost(&node_a(&[one.clone(), two.clone()]), &base), []);
    assert_eq!(lost_lines(&node_a(std::slice::from_ref(&one)), &base), [one + &two]);
    let broken = "{\"scenario\":\"s\",\"codeSha\":\"short\"}".to_owned();
    let after = lost(&node_a(&[two]), &node_a(&[broken]));
    assert_eq!(after[0].scenario.as_deref(), Some("s"), "an object stays even when it breaks the schema");
}

#[test]
fn added_is_what_no_base_has() {
    let (one, two, three) = (line("s", 1), line("s", 2), line("s", 3));
    let new = node_a(&[one.clone(), two.clone(), three.clone(), "{}".into()]);
    let bases = [node_a(&[one]), workspace(&[(B, declaring(&["s"])), (B_LEDGER, two.clone())])];
    let found = added(&new, &[&bases[0], &bases[1]]);
    let lines: Vec<_> = found.iter().map(|added| (&*added.line.bytes, added.line.number, added.moved)).collect();
    assert_eq!(lines, [(two.as_bytes(), 2, true), (three.as_bytes(), 3, false)]);
    assert_eq!((found[1].line.event.scenario(), found[1].ledger.path.to_string()), (Some("s"), A_LEDGER.into()));
    assert_eq!(added(&new, &[]).len(), 3);
}

#[test]
fn a_copied_line_is_added_and_a_moved_one_is_not() {
    let both = |a: &[&str], b: &[&str]| {
        let lines = |lines: &[&str]| lines.join("\n") + "\n";
        let files = [(A, declaring(&["s"])), (A_LEDGER, lines(a)), (B, declaring(&["s"])), (B_LEDGER, lines(b))];
        workspace(&files)
    };
    let one = line("s", 1);
    let (only_a, only_b, copied) = (both(&[&one], &[]), both(&[], &[&one]), both(&[&one], &[&one]));
    let found = added(&copied, &[&only_a]);
    let places: Vec<_> = found.iter().map(|added| (added.ledger.path.to_string(), added.moved)).collect();
    assert_eq!(places, [(B_LEDGER.to_owned(), false)]);
    let moved = added(&only_b, &[&only_a]);
    assert_eq!(moved.iter().map(|added| added.moved).collect::<Vec<_>>(), [true]);
    assert_eq!(added(&copied, &[&only_a, &copied]).len(), 0, "a side of the merge had it there");
    assert_eq!(added(&copied, &[&copied]).len(), 0);
}

mod oracle;
