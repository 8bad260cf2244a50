//! Tests each step of judging an entry with a selector, on trees in memory: by the commit, by a stamp, and by a stamp with
//! files that are gone from the object database. A real history is in `tests/it/selectors`.

use super::*;
use crate::engine::anchors::Anchors;
use crate::finding::Axis;
use crate::model::governed::Governed;
use crate::model::ledger::{Reading, parse};
use crate::model::node::Node;
use crate::model::resolve::resolve_list;
use crate::model::scenario;
use crate::model::source::Position;
use crate::model::stamp;
use crate::tree::memory::{MemoryTree, id_of};
use crate::tree::{Anchor, History, MissingAnchor, Tree};
use std::collections::BTreeMap;
use std::rc::Rc;

/// One commit, and the contents in the object database.
struct Past {
    tree: Option<Rc<MemoryTree>>,
    contents: BTreeMap<Oid, Vec<u8>>,
}

impl History for Past {
    fn anchor(&self, _: &Oid) -> crate::error::Result<Anchor> {
        let tree = self.tree.clone().map(|tree| tree as Rc<dyn Tree>);
        Ok(tree.map_or(Anchor::Missing(MissingAnchor::Pruned), Anchor::Tree))
    }

    fn content(&self, id: &Oid) -> crate::error::Result<Option<Vec<u8>>> {
        Ok(self.contents.get(id).cloned())
    }

    fn content_id(&self, content: &[u8]) -> crate::error::Result<Oid> {
        Ok(id_of(content))
    }
}

/// The record of the measured content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Witness {
    /// The commit alone.
    Commit,
    /// The stamp and the contents that it names.
    Contents,
    /// The stamp of files alone, as an older tool wrote it, and the contents.
    Files,
    /// The stamp alone, without the commit and the contents.
    Stamp,
}

const ALL: [Witness; 4] = [Witness::Commit, Witness::Contents, Witness::Files, Witness::Stamp];

type Source<'s> = &'s [(&'s str, &'s str)];

/// A node with a scenario that governs `code`, resolved in the view.
fn node(code: &[&str], view: &MemoryTree) -> Node {
    let text = "---\nscenarios:\n  - name: s\n    description: d\n    expected: e\n    tags: [cli]\n---\n";
    let mut file = scenario::parse(&RepoPath::from_git(".spec/n/yatsu.md"), text.as_bytes(), &[]);
    let mut list: Vec<_> = code.iter().map(|text| Governed::parse(text, Position::default(), None)).collect();
    resolve_list(view, &mut list).expect("memory");
    file.scenarios[0].code = list;
    Node { dir: RepoPath::from_git(".spec/n"), file: Some(file), ..Node::default() }
}

/// The moved content if `before` was measured under the list `code` and the view is `after` under the list `now`; `-` if
/// the measured content is unknown.
fn told((code, before): (&[&str], Source<'_>), (now, after): (&[&str], Source<'_>), witness: Witness) -> String {
    let (old, view) = (MemoryTree::of_files(before), MemoryTree::of_files(after));
    let text = scenario_file(code);
    let mut committed = old.clone();
    committed.put(".spec/n/yatsu.md", Kind::File, text.as_bytes());
    let is_here = witness != Witness::Stamp;
    let contents =
        before.iter().filter(|_| is_here).map(|(_, text)| (id_of(text.as_bytes()), text.as_bytes().to_vec()));
    let past = Past { tree: is_here.then(|| Rc::new(committed)), contents: contents.collect() };
    let anchors = Anchors::new(Rc::new(past));
    let line = format!(
        "{{\"scenario\":\"s\",\"codeSha\":\"{}\",\"scenarioHash\":\"{}\",\"blob\":null,\"verdict\":{{\"status\":\"pass\"}},\"ts\":\"2026-01-01T00:00:00.000Z\"}}\n",
        "1".repeat(40),
        scenario::text_hash("d", "e")
    );
    let mut ledger = parse(&RepoPath::root(), line.as_bytes());
    let crate::model::ledger::Event::Reading(reading) = ledger.lines.remove(0).event else { panic!("a reading") };
    let mut reading = Rc::unwrap_or_clone(reading);
    let measured = node(code, &old).file.expect("memory").scenarios.remove(0).code;
    if witness != Witness::Commit {
        reading.governed = stamp::stamp(&old, &measured).expect("memory");
    }
    if matches!(witness, Witness::Contents | Witness::Stamp) {
        for entry in &measured {
            let (Ok(path), Some(symbol)) = (&entry.path, entry.symbol()) else { continue };
            if let Some(SymbolFound::Unit(id)) = anchors.units().in_view(&old, path, symbol).expect("memory") {
                reading.units.insert(StampedUnit { path: path.clone(), symbol: symbol.to_owned() }, id);
            }
        }
    }
    let (node, evaluators) = (node(now, &view), BTreeMap::new());
    let declared = node.file.as_ref().expect("memory").scenarios[0].clone();
    let found = Judge::new(&view, &anchors, &evaluators).freshness(&node, &declared, &reading).expect("memory");
    assert_eq!(found.axes.contains(&Axis::Code), !found.moved.is_empty());
    if found.axes.contains(&Axis::Anchor) {
        return "-".into();
    }
    let one = |moved: &crate::engine::freshness::MovedContent| match &moved.why {
        Some(why) => format!("{moved} ({})", why.as_str()),
        None => moved.to_string(),
    };
    found.moved.iter().map(one).collect::<Vec<_>>().join(", ")
}

fn scenario_file(code: &[&str]) -> String {
    let list: Vec<String> = code.iter().map(|text| format!("      - '{text}'\n")).collect();
    format!(
        "---\nscenarios:\n  - name: s\n    description: d\n    expected: e\n    tags: [cli]\n    code:\n{}---\n",
        list.concat()
    )
}

/// The same with one list for both.
fn edited(code: &[&str], before: Source<'_>, after: Source<'_>, witness: Witness) -> String {
    told((code, before), (code, after), witness)
}

const F: &str = "function f() { return 1 }\n";
const G: &str = "function g() { return 2 }\n";

#[test]
fn an_edit_outside_the_unit_is_none_and_one_inside_is() {
    let before: Source<'_> = &[("a.ts", "function f() { return 1 }\nfunction g() { return 2 }\n")];
    for witness in ALL {
        let after = |text: &str| edited(&["a.ts#f"], before, &[("a.ts", text)], witness);
        assert_eq!(
            after("import 'x'\n\nfunction g() { return 3 }\n// f\nfunction f() { return 1 }\n"),
            "",
            "{witness:?}"
        );
        assert_eq!(after("function f() { return 2 }\nfunction g() { return 2 }\n"), "a.ts#f");
        assert_eq!(after("function f() {  return 1 }\n"), "a.ts#f", "white space counts");
        assert_eq!(after("function h() { return 1 }\n"), "a.ts#f (no such unit)");
        assert_eq!(edited(&["a.ts#f"], before, &[], witness), "a.ts#f");
    }
}

/// With a stamp of files alone and missing contents, only the whole file can be compared.
#[test]
fn what_cannot_be_narrowed_is_the_whole_file() {
    let good = [("a.ts", F)];
    for witness in ALL {
        let same = |symbol: &str, text: &str| edited(&[symbol], &[("a.ts", text)], &[("a.ts", text)], witness);
        assert_eq!(same("a.ts#f", "function f( {{{\n"), "", "what never parsed and never changed is fresh");
        assert_eq!(same("a.ts#gone", F), "");
        let broken = edited(&["a.ts#f"], &good, &[("a.ts", "function f() { return 1 }\n}}}\n")], witness);
        assert_eq!(broken, "a.ts#f (the grammar cannot read it at line 2)", "{witness:?}");
    }
    for witness in [Witness::Commit, Witness::Contents, Witness::Files] {
        let was_broken = edited(&["a.ts#f"], &[("a.ts", "function f() { return 1 }\n}}}\n")], &good, witness);
        assert_eq!(was_broken, "a.ts#f (the grammar cannot read it at line 2 where it was measured)");
        let was_dead = edited(&["a.ts#f"], &[("a.ts", G)], &good, witness);
        assert_eq!(was_dead, "a.ts#f (no such unit where it was measured)");
        let unknown = edited(&["a.zig#f"], &[("a.zig", "1")], &[("a.zig", "2")], witness);
        assert_eq!(unknown, "a.zig#f (no units known for .zig)");
    }
    let classes = "class A { run() {} }\nclass B { run() {} }\n";
    let more = format!("{classes}let x\n");
    let ambiguous = edited(&["a.ts#run"], &[("a.ts", classes)], &[("a.ts", &more)], Witness::Contents);
    assert_eq!(ambiguous, "a.ts#run (ambiguous: A.run, B.run)");
    let unstamped = edited(&["a.ts#gone"], &good, &[("a.ts", "function gone() {}\n")], Witness::Stamp);
    assert_eq!(unstamped, "a.ts#gone (the measured content is not here any more)");
}

#[test]
fn the_bytes_testify_where_they_are_and_the_stamp_only_where_they_are_not() {
    let (before, after): (Source<'_>, Source<'_>) = (&[("a.ts", F)], &[("a.ts", "let x\nfunction f() { return 1 }\n")]);
    assert_eq!(edited(&["a.ts#f"], before, after, Witness::Stamp), "");
    let changed: Source<'_> = &[("a.ts", "function f() { return 7 }\n")];
    assert_eq!(edited(&["a.ts#f"], before, changed, Witness::Stamp), "a.ts#f");
}

#[test]
fn a_unit_that_went_to_another_file_stays_what_it_was() {
    let (both, rest) = (format!("{F}{G}"), format!("let y\n{G}"));
    let moved = format!("let x\n{F}");
    for witness in [Witness::Contents, Witness::Stamp] {
        let went = |code: &[&str], after: Source<'_>| {
            told((&["a.ts#f"], &[("a.ts", &both), ("b.ts", G)]), (code, after), witness)
        };
        assert_eq!(went(&["b.ts#f"], &[("a.ts", &rest), ("b.ts", &moved)]), "", "into a file that was there");
        assert_eq!(went(&["c.ts#f"], &[("a.ts", &rest), ("b.ts", G), ("c.ts", &moved)]), "", "into a new one");
        assert_eq!(went(&["c.ts#f"], &[("c.ts", &moved)]), "", "with its file");
        let copied = went(&["c.ts#f"], &[("a.ts", &both), ("c.ts", &moved)]);
        assert_eq!(copied, "c.ts#f", "a copy leaves the old one standing");
        let left = "a.ts#f (left the list, and moved)";
        let edited = went(&["c.ts#f"], &[("a.ts", &rest), ("c.ts", "function f() { return 3 }\n")]);
        assert_eq!(edited, format!("{left}, c.ts#f"));
        let renamed = went(&["c.ts#h"], &[("a.ts", &rest), ("c.ts", "function h() { return 1 }\n")]);
        assert_eq!(renamed, format!("{left}, c.ts#h"));
        let twice = went(&["c.ts#f", "d.ts#f"], &[("a.ts", &rest), ("c.ts", F), ("d.ts", F)]);
        assert_eq!(twice, "d.ts#f", "one that was lost has not become two");
        let unread = went(&["c.ts#f"], &[("a.ts", "}}}\n"), ("c.ts", F)]);
        assert_eq!(unread, format!("{left}, c.ts#f"), "the unit may still be there");
    }
}

#[test]
fn a_file_that_was_renamed_and_edited_around_its_unit_keeps_it() {
    let moved = format!("let x\n{F}");
    let old: Source<'_> = &[("src/a.ts", F), ("src/b.ts", G)];
    for witness in ALL {
        let went = |code: &[&str], after: Source<'_>| told((&["src/a.ts#f"], old), (code, after), witness);
        assert_eq!(went(&["lib/a.ts#f"], &[("lib/a.ts", F)]), "", "{witness:?}: a pure rename");
        if witness != Witness::Stamp && witness != Witness::Files {
            assert_eq!(went(&["lib/a.ts#f"], &[("lib/a.ts", &moved)]), "", "{witness:?}");
        }
        assert_ne!(went(&["lib/a.ts#f"], &[("src/a.ts", F), ("lib/a.ts", &moved)]), "", "{witness:?}: a copy");
    }
}

#[test]
fn a_list_that_was_narrowed_is_judged_whole_by_a_stamp_and_a_widened_one_whole() {
    let (before, after): (Source<'_>, Source<'_>) = (&[("a.ts", F)], &[("a.ts", "let x\nfunction f() { return 1 }\n")]);
    for witness in [Witness::Commit, Witness::Contents, Witness::Files] {
        let narrowed = if witness == Witness::Commit { "" } else { "a.ts (left the list, and moved)" };
        assert_eq!(told((&["a.ts"], before), (&["a.ts#f"], after), witness), narrowed, "{witness:?}");
        assert_eq!(told((&["a.ts#f"], before), (&["a.ts"], after), witness), "a.ts");
        assert_eq!(told((&["a.ts#f"], before), (&["a.ts#f", "a.ts"], after), witness), "a.ts", "a faulty list");
    }
}

/// Case 63, and what stands around it.
#[test]
fn a_unit_that_left_the_list_is_compared_too() {
    let both = "function f() { return 1 }\nfunction g() { return 2 }\n";
    let before: Source<'_> = &[("a.ts", both)];
    let swapped = |after: Source<'_>, witness| told((&["a.ts#f"], before), (&["a.ts#g"], after), witness);
    let (f_edited, g_edited) = (both.replace("return 1", "return 3"), both.replace("return 2", "return 3"));
    let (beside, moved) = (format!("let x\n{both}"), format!("{G}let x\n"));
    for witness in [Witness::Contents, Witness::Stamp] {
        assert_eq!(swapped(&[("a.ts", both)], witness), "", "{witness:?}");
        assert_eq!(swapped(&[("a.ts", &f_edited)], witness).split(' ').next(), Some("a.ts#f"), "{witness:?}");
        let gone = told((&["a.ts#f"], before), (&["b.ts"], &[("a.ts", G), ("b.ts", "")]), witness);
        assert!(gone.contains("a.ts#f (left the list, and moved)"), "{witness:?}: {gone}");
    }
    assert_eq!(swapped(&[("a.ts", &beside)], Witness::Contents), "", "an edit around both units");
    assert_eq!(swapped(&[("a.ts", &g_edited)], Witness::Contents), "a.ts#g");
    assert_eq!(swapped(&[("a.ts", &f_edited)], Witness::Commit), "", "no stamp: the list decides");
    // the unit moved to a listed one
    let after: Source<'_> = &[("a.ts", &moved), ("b.ts", F)];
    assert_eq!(told((&["a.ts#f"], before), (&["b.ts#f"], after), Witness::Contents), "");
    assert_eq!(
        told((&["a.ts#f", "a.ts#g"], before), (&["a.ts#g"], &[("a.ts", G)]), Witness::Contents),
        "a.ts#f (left the list, and moved)"
    );
}

#[test]
fn another_kind_or_mode_has_moved() {
    let mut old = MemoryTree::of_files(&[("a.ts", F)]);
    let stamp = stamp::stamp(&old, &[Governed::parse("a.ts#f", Position::default(), None)]).expect("memory");
    let contents = BTreeMap::from([(id_of(F.as_bytes()), F.as_bytes().to_vec())]);
    let anchors = Anchors::new(Rc::new(Past { tree: None, contents }));
    old.put("a.ts", Kind::Exec, format!("let x\n{F}").as_bytes());
    let node = node(&["a.ts#f"], &old);
    let line = "{\"scenario\":\"s\",\"codeSha\":\"1111111111111111111111111111111111111111\",\"blob\":null,\"ts\":\"2026-01-01T00:00:00.000Z\"}\n";
    let crate::model::ledger::Event::Reading(reading) = parse(&RepoPath::root(), line.as_bytes()).lines.remove(0).event
    else {
        panic!("a reading")
    };
    let reading =
        Reading { governed: stamp, scenario_hash: Some(scenario::text_hash("d", "e")), ..Rc::unwrap_or_clone(reading) };
    let evaluators = BTreeMap::new();
    let scenario = &node.file.as_ref().expect("memory").scenarios[0];
    let found = Judge::new(&old, &anchors, &evaluators).freshness(&node, scenario, &reading).expect("memory");
    assert_eq!(found.moved.iter().map(ToString::to_string).collect::<Vec<_>>(), ["a.ts#f"]);
    assert_eq!(found.moved[0].why, None);
}
