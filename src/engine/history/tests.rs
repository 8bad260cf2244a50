use super::*;
use crate::model::config::Config;
use crate::model::reading::{encode_redaction, redact};
use crate::model::tree::Kind;
use crate::model::tree::memory::MemoryTree;
use crate::model::workspace::{Select, load};
use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

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
fn a_ledger_goes_only_with_its_node() {
    let base = node_a(&[line("s", 1)]);
    assert_eq!(lost(&workspace(&[]), &base), []);
    assert_eq!(lost(&workspace(&[(".spec/a/spec.md", String::new())]), &base), []);
    assert_eq!(lost(&workspace(&[(A, declaring(&["s"]))]), &base).len(), 1);
    assert_eq!(lost(&workspace(&[(".spec/a/eval.md", declaring(&["s"]))]), &base).len(), 1);
    assert_eq!(lost(&workspace(&[(A_LEDGER, String::new())]), &base).len(), 1, "the ledger stayed and was emptied");
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
        |names: &[&str]| workspace(&[(B, declaring(names)), (B_LEDGER, redaction(&one)), (A, declaring(&["t"]))]);
    assert_eq!(lost(&elsewhere(&["s"]), &base), [], "it moved with its scenario");
    assert_eq!(lost(&elsewhere(&["other"]), &base).len(), 1);
}

#[test]
fn a_line_may_move_to_where_its_scenario_is_declared() {
    let base = node_a(&[line("s", 1), line("t", 2)]);
    let moved_to = |names: &[&str]| {
        workspace(&[(A, declaring(&["t"])), (A_LEDGER, line("t", 2)), (B, declaring(names)), (B_LEDGER, line("s", 1))])
    };
    assert_eq!(lost(&moved_to(&["s"]), &base), []);
    assert_eq!(lost_lines(&moved_to(&["other"]), &base), [line("s", 1)]);
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
    let bases = [node_a(&[one]), workspace(&[(B, declaring(&["s"])), (B_LEDGER, two)])];
    let found = added(&new, &[&bases[0], &bases[1]]);
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].line.bytes.as_slice(), found[0].line.number), (three.as_bytes(), 3));
    assert_eq!((found[0].scenario(), found[0].ledger.path.to_string()), (Some("s"), A_LEDGER.into()));
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
    assert_eq!(found.iter().map(|added| added.ledger.path.to_string()).collect::<Vec<_>>(), [B_LEDGER]);
    assert_eq!(added(&only_b, &[&only_a]).len(), 0, "moved");
    assert_eq!(added(&copied, &[&only_a, &copied]).len(), 0, "a side of the merge had it there");
    assert_eq!(added(&copied, &[&copied]).len(), 0);
}

/// A state: per directory the declared scenarios and the lines (scenario, second); no entry = no node.
type State = BTreeMap<u8, Directory>;
type Directory = (BTreeSet<u8>, Vec<(u8, u32)>);

fn state() -> impl Strategy<Value = State> {
    let names = proptest::collection::btree_set(0..3_u8, 1..3);
    btree_map(0..3_u8, (names, vec((0..3_u8, 0..4_u32), 0..6)), 0..4)
}

fn built(state: &State) -> Workspace {
    let files = state.iter().flat_map(|(dir, (names, lines))| {
        let names: Vec<String> = names.iter().map(|name| format!("s{name}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let ledger: String = lines.iter().map(|(name, second)| line(&format!("s{name}"), *second) + "\n").collect();
        [(format!(".spec/n{dir}/yatsu.md"), declaring(&names)), (format!(".spec/n{dir}/yatsu.evals.ndjson"), ledger)]
    });
    let files: Vec<(String, String)> = files.collect();
    workspace(&files.iter().map(|(path, content)| (path.as_str(), content.clone())).collect::<Vec<_>>())
}

/// The rule again, over sets.
fn expected(new: &State, base: &State) -> BTreeSet<(u8, u8, u32)> {
    let mut found = BTreeSet::new();
    for (dir, (_, lines)) in base {
        for (name, second) in lines {
            let holds = |(at, (names, lines)): (&u8, &Directory)| {
                lines.contains(&(*name, *second)) && (at == dir || names.contains(name))
            };
            if new.contains_key(dir) && !new.iter().any(holds) {
                found.insert((*dir, *name, *second));
            }
        }
    }
    found
}

proptest! {
    #[test]
    fn the_rule_is_the_set_model(new in state(), base in state()) {
        let found: BTreeSet<(RepoPath, Vec<u8>)> =
            lost(&built(&new), &built(&base)).into_iter().map(|lost| (lost.dir, lost.line)).collect();
        let expected: BTreeSet<(RepoPath, Vec<u8>)> = expected(&new, &base)
            .into_iter()
            .map(|(dir, name, second)| {
                (RepoPath::from_git(format!(".spec/n{dir}")), line(&format!("s{name}"), second).into_bytes())
            })
            .collect();
        prop_assert_eq!(found, expected);
    }
}
