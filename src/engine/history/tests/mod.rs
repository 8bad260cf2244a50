use super::*;
use crate::model::config::Config;
use crate::model::ledger::{Event, encode_redaction, redact};
use crate::model::workspace::{Select, load};
use crate::tree::Kind;
use crate::tree::memory::MemoryTree;
use proptest::prelude::*;

fn line(scenario: &str, second: u32) -> String {
    let sha = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
    format!("{{\"scenario\":\"{scenario}\",\"codeSha\":\"{sha}\",\"ts\":\"2026-01-01T00:00:{second:02}.000Z\"}}")
}

/// A scenario file with a minimal entry for each of these names.
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
fn a_ledger_leaves_only_where_its_directory_declares_nothing() {
    let base = node_a(&[line("s", 1)]);
    for gone in [vec![], vec![(".spec/a/spec.md", String::new())]] {
        assert_eq!(lost(&workspace(&gone), &base), [], "{gone:?}");
        assert_eq!(left(&workspace(&gone), &base), [line("s", 1)], "{gone:?}");
    }
    assert_eq!(lost(&workspace(&[(A_LEDGER, String::new())]), &base).len(), 1, "a ledger that stays keeps every line");
    assert_eq!(lost(&workspace(&[(A, declaring(&["t"]))]), &base).len(), 1, "it declares another scenario");
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
fn a_twin_that_stood_there_with_those_words_is_no_heir() {
    let (one, two) = (line("s", 1), line("s", 2));
    let reworded = declaring(&["s"]).replace("measure", "look at it");
    for (before, heirs) in [(declaring(&["s"]), 0), (reworded, 1)] {
        let twin = [(B, before), (B_LEDGER, two.clone())];
        let base = workspace(&[&twin[..], &[(A, declaring(&["s"])), (A_LEDGER, one.clone())]].concat());
        let new = [(B, declaring(&["s"])), (B_LEDGER, two.clone())];
        assert_eq!(lost(&workspace(&new), &base).len(), heirs);
    }
}

#[test]
fn the_name_alone_makes_no_heir() {
    let base = node_a(&[line("s", 1)]);
    let begun = [(B, declaring(&["s"]).replace("measure", "look at it")), (B_LEDGER, line("s", 2))];
    assert_eq!(lost(&workspace(&begun), &base), []);
    assert_eq!(left(&workspace(&begun), &base), [line("s", 1)]);
    let same_words = [(B, declaring(&["s"])), (B_LEDGER, line("s", 2))];
    assert_eq!(lost(&workspace(&same_words), &base)[0].belongs.to_string(), ".spec/b");
}

#[test]
fn each_heir_takes_all_lines() {
    let base = node_a(&[line("s", 1), line("s", 2)]);
    let both = format!("{}\n{}\n", line("s", 1), line("s", 2));
    const C_LEDGER: &str = ".spec/c/yatsu.evals.ndjson";
    let split = [(B, declaring(&["s"])), (B_LEDGER, line("s", 1)), (C_LEDGER, line("s", 2))];
    let belongs: Vec<_> = lost(&workspace(&split), &base).iter().map(|lost| lost.belongs.to_string()).collect();
    assert_eq!(belongs, [".spec/c", ".spec/b"], "the lines of one scenario are not shared out");
    let copied = [(B, declaring(&["s"])), (B_LEDGER, both.clone()), (C_LEDGER, both)];
    assert_eq!(lost(&workspace(&copied), &base), []);
    let stays = [(A_LEDGER, format!("{}\n{}\n", line("s", 1), line("s", 2))), (B, declaring(&["s"]))];
    assert_eq!(lost(&workspace(&stays), &base).len(), 2, "left behind, the scenario starts anew unnoticed");
}

#[test]
fn of_two_nodes_that_move_with_the_same_words_each_takes_its_own_lines() {
    const C: &str = ".spec/c/yatsu.md";
    const D: &str = ".spec/d/yatsu.md";
    let both = |lines: &[String]| {
        let lines: String = lines.iter().map(|line| format!("{line}\n")).collect();
        workspace(&[(A, declaring(&["s"])), (A_LEDGER, lines), (D, declaring(&["s"]))])
    };
    let moved = [(B, declaring(&["s"])), (B_LEDGER, line("s", 1)), (C, declaring(&["s"]))];
    assert_eq!(lost(&workspace(&moved), &both(&[line("s", 1)])), []);
    assert_eq!(lost(&workspace(&moved), &both(&[line("s", 1), line("s", 2)])).len(), 1, "a part of the lines");
    assert_eq!(lost(&workspace(&moved), &node_a(&[line("s", 1)])).len(), 1, "of one node alone nothing starts anew");
}

#[test]
fn a_renamed_scenario_leaves_its_lines_in_the_ledger_that_stays() {
    let base = node_a(&[line("s", 1)]);
    let renamed = |ledger: String| workspace(&[(A, declaring(&["t"])), (A_LEDGER, ledger)]);
    assert_eq!(lost(&renamed(line("s", 1)), &base), []);
    assert_eq!(lost(&renamed(line("s", 1).replace("01-01", "02-02")), &base).len(), 1, "an edited line is a lost one");
    assert_eq!(lost(&renamed(line("t", 1)), &base).len(), 1);
    assert_eq!(lost(&workspace(&[(A_LEDGER, line("s", 3))]), &base).len(), 1, "without a scenario file, too");
}

#[test]
fn lines_that_nothing_declares_stay_with_the_ledger_or_go_with_it() {
    let one = line("s", 1);
    let base = workspace(&[(A_LEDGER, one.clone())]);
    assert_eq!((lost(&workspace(&[]), &base).len(), left(&workspace(&[]), &base).len()), (0, 1));
    assert_eq!(lost(&workspace(&[(B_LEDGER, one.clone())]), &base), []);
    assert_eq!(lost(&workspace(&[(A, declaring(&["s"])), (B_LEDGER, one.clone())]), &base).len(), 1, "declared again");
    let node = workspace(&[(A, declaring(&["t"])), (A_LEDGER, one.clone())]);
    assert_eq!(left(&workspace(&[]), &node), std::slice::from_ref(&one));
    assert_eq!(lost(&workspace(&[(B, declaring(&["t"])), (B_LEDGER, one)]), &node), []);
    let unnamed = node_a(&["{\"kind\":\"later\"}".into()]);
    assert_eq!(lost(&workspace(&[(A, declaring(&["t"]))]), &unnamed).len(), 1);
    assert_eq!(left(&workspace(&[]), &unnamed).len(), 1);
}

/// The lines that `new` edits, as (ledger, bytes of the base line).
fn edits(new: &Workspace, base: &Workspace) -> Vec<(String, String)> {
    let arrived = added(new, &[base]);
    let lines = arrived.iter().map(|one| (&one.ledger.path, one.line));
    let found = edited(new, lines, &[base], base);
    found.into_iter().map(|one| (one.ledger.to_string(), String::from_utf8(one.filed).unwrap())).collect()
}

#[test]
fn an_added_line_with_the_scenario_and_the_time_of_a_base_line_is_that_line_edited() {
    let one = line("s", 1);
    let forged = one.replace("\"ts\"", "\"by\":\"x\",\"ts\"");
    let base = node_a(std::slice::from_ref(&one));
    for files in [
        vec![(B, declaring(&["s"])), (B_LEDGER, forged.clone())],
        vec![(B_LEDGER, forged.clone())],
        vec![(A, declaring(&["s"])), (A_LEDGER, format!("{one}\n{forged}\n"))],
    ] {
        assert_eq!(edits(&workspace(&files), &base).len(), 1, "{files:?}");
    }
    assert_eq!(edits(&node_a(&[one.clone(), line("s", 2), line("t", 1)]), &base), []);
    assert_eq!(edits(&node_a(&[redaction(&one)]), &base), [], "a redaction replaces its line by the rule");
    let moved = workspace(&[(B, declaring(&["s"])), (B_LEDGER, one.clone())]);
    assert_eq!(edits(&moved, &base), []);
    let node_a =
        |b: &str| [(A, declaring(&["s"])), (A_LEDGER, one.clone()), (B, declaring(&["s"])), (B_LEDGER, b.into())];
    assert_eq!(edits(&workspace(&node_a(&forged)), &base), [], "two nodes were measured at one moment");
    let node_a = self::node_a;
    let withdrawn = one.replace("\"codeSha\"", "\"retracts\":\"2026-01-01T00:00:00.000Z\",\"codeSha\"");
    assert_eq!(edits(&node_a(&[one, withdrawn]), &base), [], "a retraction is another kind of event");
}

/// The edits, by a look at each pair of an added line and a base line.
fn edits_pairwise(new: &Workspace, base: &Workspace) -> Vec<(String, String)> {
    let arrived = added(new, &[base]);
    let is_known = |line: &Line| lines(base).any(|known| known.bytes == line.bytes);
    let mut found: Vec<(String, u32, String)> = Vec::new();
    for filed in lines(base).filter(|line| moment(&line.event).is_some()) {
        let holds = |node: &&Node| node.ledgers.iter().flat_map(|of| &of.raw).any(|raw| *raw == filed.bytes);
        let homes: Vec<_> = new.nodes.iter().filter(holds).map(|node| &node.dir).collect();
        for one in arrived.iter().filter(|one| moment(&one.line.event) == moment(&filed.event)) {
            let (ledger, number) = (one.ledger.path.to_string(), one.line.number);
            let is_new = !found.iter().any(|known| (&known.0, known.1) == (&ledger, number));
            let is_here = homes.is_empty() || homes.contains(&&one.node.dir);
            if is_new && is_here && !is_known(one.line) {
                found.push((ledger, number, String::from_utf8_lossy(&filed.bytes).into_owned()));
            }
        }
    }
    found.into_iter().map(|(ledger, _, filed)| (ledger, filed)).collect()
}

proptest! {
    #[test]
    fn looking_at_homes_finds_the_edits_that_looking_at_each_pair_finds(
        rows in prop::collection::vec((0..2_usize, 0..3_usize, 1..3_u32, 0..4_u8, any::<bool>()), 0..24),
    ) {
        let states = [false, true].map(|is_new| {
            let of = |home: usize| {
                let here = rows.iter().filter(|row| row.0 == home && (is_new || row.4) && !(is_new && row.1 == 2));
                let text = |(_, scenario, second, by, _): &(usize, usize, u32, u8, bool)| {
                    line(["s", "t", "s"][*scenario], *second).replace("\"ts\"", &format!("\"by\":\"{by}\",\"ts\"")) + "\n"
                };
                here.map(text).collect::<String>()
            };
            workspace(&[(A_LEDGER, of(0)), ("yatsu.evals.ndjson", of(1)), (A, declaring(&["s"]))])
        });
        prop_assert_eq!(edits(&states[1], &states[0]), edits_pairwise(&states[1], &states[0]));
    }
}

#[test]
fn an_edit_beside_its_line_is_one_at_the_top_of_the_repository_too() {
    let one = line("s", 1);
    let of = |text: String| workspace(&[("yatsu.evals.ndjson", text)]);
    let forged = one.replace("\"ts\"", "\"by\":\"x\",\"ts\"");
    assert_eq!(edits(&of(format!("{one}\n{forged}\n")), &of(one)).len(), 1);
}

/// A scenario file with these scenarios and a contract that requires `least` findings.
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

/// The directories that lack lost lines after node `a`, which holds one decision, became these files.
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
fn a_decision_stays_with_its_ledger_unless_a_scenario_of_the_node_moves() {
    let block = decision("block", 1);
    let base = [(A, with_goal(&["s"], 1)), (A_LEDGER, block.clone())];
    let no_scenario = [(A, declaring(&["s"])), (B, with_goal(&["t"], 1)), (B_LEDGER, block.clone())];
    assert_eq!(decision_lost(&base, &no_scenario), [".spec/a"]);
    assert_eq!(decision_lost(&base, &[(A, declaring(&["s"])), (A_LEDGER, block.clone())]), [""; 0], "it may stay");
    let two = [(A, with_goal(&["s", "t"], 1)), (A_LEDGER, format!("{block}\n{}\n", decision("unblock", 2)))];
    let went =
        |a: String, ledger: String| [(A, a), (A_LEDGER, line("t", 1)), (B, with_goal(&["s"], 1)), (B_LEDGER, ledger)];
    let whole = || two[1].1.clone();
    assert_eq!(decision_lost(&two, &went(declaring(&["t"]), whole())), [""; 0]);
    assert_eq!(decision_lost(&two, &went(with_goal(&["t"], 1), whole())), [".spec/a"; 2], "the contract stays");
    assert_eq!(decision_lost(&two, &went(declaring(&["t"]), block)), [".spec/a"; 2], "only whole");
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
        assert_eq!(shed(a, A_LEDGER), [""; 0], "it stays with the ledger");
    }
    // the node is gone, with the decisions about it
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

/// A signature for a ledger of `a` over these lines.
fn signature(lines: &[&String]) -> String {
    let mut hashes: Vec<String> = lines
        .iter()
        .map(|line| format!("\"{}\"", crate::model::ledger::LineHash::of_object(line.as_bytes())))
        .collect();
    hashes.sort();
    let hashes = hashes.join(",");
    format!(
        "{{\"kind\":\"signature\",\"home\":\".spec/a\",\"lines\":[{hashes}],\"ts\":\"2026-01-01T00:00:00.000Z\",\"sig\":\"U1NI\"}}"
    )
}

#[test]
fn a_signature_stays_and_a_scenario_that_moves_alone_takes_a_copy_along() {
    let (moving, staying) = (line("t", 1), line("s", 1));
    let (both, own) = (signature(&[&moving, &staying]), signature(&[&staying]));
    let lines = |lines: &[&String]| lines.iter().map(|line| format!("{line}\n")).collect::<String>();
    let base = workspace(&[(A, declaring(&["s", "t"])), (A_LEDGER, lines(&[&moving, &staying, &both, &own]))]);
    let after = |a: &[&String], b: &[&String]| {
        workspace(&[(A, declaring(&["s"])), (A_LEDGER, lines(a)), (B, declaring(&["t"])), (B_LEDGER, lines(b))])
    };
    assert_eq!(
        lost_lines(&node_a(&[staying.clone(), own.clone()]), &node_a(&[staying.clone(), own.clone(), both.clone()])),
        std::slice::from_ref(&both)
    );
    assert_eq!(lost_lines(&after(&[&staying, &both, &own], &[&moving, &both]), &base), [""; 0]);
    let bare = after(&[&staying, &both, &own], &[&moving]);
    assert_eq!(lost_lines(&bare, &base), std::slice::from_ref(&both));
    assert_eq!(lost(&bare, &base)[0].belongs.to_string(), ".spec/b");
    assert_eq!(
        lost_lines(&after(&[&staying, &own], &[&moving, &both]), &base),
        std::slice::from_ref(&both),
        "it also stays"
    );
    let copied = workspace(&[
        (A, declaring(&["s", "t"])),
        (A_LEDGER, lines(&[&moving, &staying, &both, &own])),
        (B, declaring(&["t"])),
        (B_LEDGER, lines(&[&moving])),
    ]);
    assert_eq!(lost_lines(&copied, &base), [""; 0], "a copied line is no moved one");
}
