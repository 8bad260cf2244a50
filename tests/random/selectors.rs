//! Random edits of random sources in every language, judged by the commit, by the stamp with its contents, and by the stamp
//! alone. An edit outside every named unit makes nothing stale, and an edit of any byte inside always does. The order of
//! units does not count. An unparsable file is fresh only if it is unchanged. `YATSU_FULL=1` runs thousands of edits per
//! language.

use crate::support::{Dice, path, seeds};
use bstr::BString;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::rc::Rc;
use yatsu_hook::engine::anchors::Anchors;
use yatsu_hook::engine::freshness::{Freshness, Judge};
use yatsu_hook::engine::units::{SymbolFound, UnitBook};
use yatsu_hook::error::Result;
use yatsu_hook::model::governed::Governed;
use yatsu_hook::model::ledger::{Event, Reading, StampedUnit, parse};
use yatsu_hook::model::node::Node;
use yatsu_hook::model::scenario;
use yatsu_hook::model::source::Position;
use yatsu_hook::model::stamp;
use yatsu_hook::text::units::{Language, language, read};
use yatsu_hook::tree::oid::Oid;
use yatsu_hook::tree::path::RepoPath;
use yatsu_hook::tree::{Anchor, Entry, History, Kind, MissingAnchor, Tree};

/// The form of a language's units: file name, the text above the first unit, a comment, the units with `@` for a number,
/// and the text below the last one.
struct Spelling {
    file: &'static str,
    head: &'static str,
    comment: &'static str,
    units: &'static [&'static str],
    tail: &'static str,
}

const SPELLINGS: [Spelling; 8] = [
    Spelling {
        file: "a.ts",
        head: "import { x } from 'x';\n",
        comment: "// ",
        units: &[
            "export function f@(a: number): number {\n  return a + @;\n}",
            "interface I@ {\n  a@: string;\n}",
            "export class C@<T> {\n  m@(): void { this.n = @; }\n}",
            "const v@ = (a) => {\n  `${a} @`;\n};",
            "type T@ = { a: 'b@' } | null;",
        ],
        tail: "",
    },
    Spelling {
        file: "a.tsx",
        head: "import React from 'react';\n",
        comment: "// ",
        units: &["export function F@() {\n  return <p id=\"@\">text {@}</p>;\n}", "const G@ = () => <b>@</b>;"],
        tail: "",
    },
    Spelling {
        file: "a.js",
        head: "'use strict';\n",
        comment: "// ",
        units: &[
            "function f@(a) {\n  return a / @;\n}",
            "exports.g@ = function (a) { return /@/.test(a); };",
            "class C@ {\n  get p() { return @; }\n}",
            "let v@ = { a: @ };",
        ],
        tail: "",
    },
    Spelling {
        file: "a.py",
        head: "import os\n",
        comment: "# ",
        units: &[
            "def f@(a):\n    \"\"\"doc @\"\"\"\n    return a + @",
            "@decorated\nclass C@:\n    x = @\n    def m(self):\n        return @",
            "V@ = [@, @]",
        ],
        tail: "",
    },
    Spelling {
        file: "a.go",
        head: "package a\n\nimport \"fmt\"\n",
        comment: "// ",
        units: &[
            "func F@(a int) int {\n\treturn a + @\n}",
            "type T@ struct {\n\tA int // @\n}",
            "func (t *R) M@() { fmt.Println(@) }",
            "const K@ = @",
            "var v@ = \"@\"",
        ],
        tail: "",
    },
    Spelling {
        file: "a.rs",
        head: "use std::fmt;\n",
        comment: "// ",
        units: &[
            "pub fn f@(a: u8) -> u8 {\n    a + @\n}",
            "#[derive(Debug)]\nstruct S@ {\n    a: [u8; @],\n}",
            "impl R {\n    fn m@(&self) -> &'static str { \"@\" }\n}",
            "const K@: u8 = @;",
        ],
        tail: "",
    },
    Spelling {
        file: "A.java",
        head: "package a;\n\nimport b.C;\n\nclass A {\n",
        comment: "    // ",
        units: &[
            "    @Override\n    public int f@(int a) {\n        return a + @;\n    }",
            "    static final int K@ = @;",
            "    enum E@ { ONE, TWO }",
        ],
        tail: "}\n",
    },
    Spelling {
        file: "a.rb",
        head: "require 'set'\n",
        comment: "# ",
        units: &["def f@(a)\n  a + @\nend", "class C@\n  def m(a)\n    \"#{a} @\"\n  end\nend", "K@ = [@].freeze"],
        tail: "",
    },
];

/// Files by path; equal content has equal ids.
#[derive(Clone, Default)]
struct Files(BTreeMap<RepoPath, Vec<u8>>);

fn id_of(content: &[u8]) -> Oid {
    let hex: String = Sha256::digest(content)[..20].iter().map(|byte| format!("{byte:02x}")).collect();
    Oid::from_hex(hex.as_bytes()).expect("40 digits")
}

impl Tree for Files {
    fn entry(&self, path: &RepoPath) -> Result<Option<Entry>> {
        Ok(self.0.get(path).map(|content| Entry { kind: Kind::File, id: Some(id_of(content)) }))
    }

    fn children(&self, dir: &RepoPath) -> Result<Vec<(BString, Entry)>> {
        let all = if dir.is_root() { self.files(dir, &|_| true)? } else { Vec::new() };
        Ok(all.into_iter().map(|(path, entry)| (path.as_bstr().to_owned(), entry)).collect())
    }

    fn files(&self, _: &RepoPath, want: &dyn Fn(&RepoPath) -> bool) -> Result<Vec<(RepoPath, Entry)>> {
        let entry = |content: &Vec<u8>| Entry { kind: Kind::File, id: Some(id_of(content)) };
        Ok(self.0.iter().filter(|(path, _)| want(path)).map(|(path, file)| (path.clone(), entry(file))).collect())
    }

    fn size(&self, path: &RepoPath) -> Result<Option<u64>> {
        Ok(self.0.get(path).map(|content| content.len() as u64))
    }

    fn read(&self, path: &RepoPath) -> Result<Option<Vec<u8>>> {
        Ok(self.0.get(path).cloned())
    }
}

/// The remaining data of the measured content.
#[derive(Clone)]
struct Past {
    commit: Option<Files>,
    contents: Files,
}

impl History for Past {
    fn anchor(&self, _: &Oid) -> Result<Anchor> {
        let tree = self.commit.clone().map(|files| Rc::new(files) as Rc<dyn Tree>);
        Ok(tree.map_or(Anchor::Missing(MissingAnchor::Pruned), Anchor::Tree))
    }

    fn content(&self, id: &Oid) -> Result<Option<Vec<u8>>> {
        Ok(self.contents.0.values().find(|content| id_of(content) == *id).cloned())
    }

    fn content_id(&self, content: &[u8]) -> Result<Oid> {
        Ok(id_of(content))
    }
}

/// A source, unit by unit.
#[derive(Clone)]
struct Source {
    spelling: &'static Spelling,
    units: Vec<String>,
    gaps: Vec<String>,
}

impl Source {
    fn random(spelling: &'static Spelling, dice: &mut Dice) -> Self {
        let count = 2 + dice.roll(4);
        let spelled = |number: usize, dice: &mut Dice| {
            // a decorator also begins with `@`
            let kind = spelling.units[dice.roll(spelling.units.len())];
            kind.replace("@decorated", "\0decorated")
                .replace("@Override", "\0Override")
                .replace('@', &number.to_string())
                .replace('\0', "@")
        };
        let units = (1..=count).map(|number| spelled(number, dice)).collect();
        let gaps = (0..=count).map(|_| Self::gap(spelling, dice)).collect();
        Self { spelling, units, gaps }
    }

    /// A possible text between two units.
    fn gap(spelling: &Spelling, dice: &mut Dice) -> String {
        let words = ["", "x", "one { two", "'", "f1", "é", "return 7;"];
        match dice.roll(3) {
            0 => "\n".to_owned(),
            1 => "\n\n\n".to_owned(),
            _ => format!("\n\n{}{}\n\n", spelling.comment, words[dice.roll(words.len())]),
        }
    }

    fn text(&self) -> String {
        let body: String = self.units.iter().zip(&self.gaps).map(|(unit, gap)| format!("{gap}{unit}")).collect();
        format!("{}{body}{}{}", self.spelling.head, self.gaps[self.units.len()], self.spelling.tail)
    }

    fn shuffled(&self, dice: &mut Dice) -> Self {
        let mut units = self.units.clone();
        for at in (1..units.len()).rev() {
            units.swap(at, dice.roll(at + 1));
        }
        Self { units, ..self.clone() }
    }

    fn with_other_gaps(&self, dice: &mut Dice) -> Self {
        let gaps = self.gaps.iter().map(|_| Self::gap(self.spelling, dice)).collect();
        Self { gaps, ..self.clone() }
    }
}

/// A measured file with one governed unit.
struct Measured {
    file: RepoPath,
    before: Files,
    node: Node,
    reading: Reading,
}

impl Measured {
    fn new(file: &str, text: &str, symbol: &str) -> Self {
        let file = path(file);
        let before = Files(BTreeMap::from([(file.clone(), text.as_bytes().to_vec())]));
        let declared = "---\nscenarios:\n  - name: s\n    description: d\n    expected: e\n    tags: [cli]\n---\n";
        let mut parsed = scenario::parse(&path(".spec/n/yatsu.md"), declared.as_bytes(), &[]);
        let entry = Governed::parse(&format!("{file}#{symbol}"), Position::default(), None);
        let stamp = stamp::stamp(&before, std::slice::from_ref(&entry)).expect("a stamp");
        parsed.scenarios[0].code = vec![entry];
        let line = format!(
            "{{\"scenario\":\"s\",\"codeSha\":\"{}\",\"scenarioHash\":\"{}\",\"blob\":null,\"verdict\":{{\"status\":\"pass\"}},\"ts\":\"2026-01-01T00:00:00.000Z\"}}\n",
            "1".repeat(40),
            parsed.scenarios[0].text_hash
        );
        let mut ledger = parse(&RepoPath::root(), line.as_bytes());
        let Event::Reading(reading) = ledger.lines.remove(0).event else { panic!("a reading") };
        let mut reading = Reading { governed: stamp, ..Rc::unwrap_or_clone(reading) };
        let past = Past { commit: None, contents: before.clone() };
        let book = UnitBook::new(Rc::new(past), None);
        if let Some(SymbolFound::Unit(id)) = book.in_view(&before, &file, symbol).expect("an answer") {
            reading.units.insert(StampedUnit { path: file.clone(), symbol: symbol.to_owned() }, id);
        }
        let node = Node { dir: path(".spec/n"), file: Some(parsed), ..Node::default() };
        Self { file, before, node, reading }
    }

    /// Whether the reading is fresh with the file as `after`, by each witness; all must agree.
    fn is_fresh(&self, after: &[u8]) -> bool {
        let view = Files(BTreeMap::from([(self.file.clone(), after.to_vec())]));
        let unstamped = Reading { governed: None, units: BTreeMap::new(), ..self.reading.clone() };
        let here = Past { commit: Some(self.before.clone()), contents: self.before.clone() };
        let gone = Past { commit: None, contents: Files::default() };
        let told = |past: &Past, reading: &Reading| judged(&view, past, &self.node, reading).axes.is_empty();
        let answers = [told(&here, &unstamped), told(&here, &self.reading), told(&gone, &self.reading)];
        assert!(answers.iter().all(|answer| *answer == answers[0]), "{answers:?}\n{}", String::from_utf8_lossy(after));
        answers[0]
    }
}

fn judged(view: &Files, past: &Past, node: &Node, reading: &Reading) -> Freshness {
    let (anchors, evaluators) = (Anchors::new(Rc::new(past.clone())), BTreeMap::new());
    let scenario = &node.file.as_ref().expect("a file").scenarios[0];
    Judge::new(view, &anchors, &evaluators).freshness(node, scenario, reading).expect("an answer")
}

/// The number of judged edits of each sort.
#[derive(Default, Debug)]
struct Edits {
    outside: usize,
    inside: usize,
    orders: usize,
    unread: usize,
}

fn one_source(spelling: &'static Spelling, dice: &mut Dice, edits: &mut Edits) {
    let source = Source::random(spelling, dice);
    let text = source.text();
    let written_in = language(spelling.file).expect("a language");
    let units = read(written_in, text.as_bytes(), &mut || false).unwrap_or_else(|why| panic!("{why}:\n{text}"));
    assert!(units.all().len() >= source.units.len(), "{text}");
    // the class around the units of a Java file changes with every edit
    let mut known = units.all().iter().filter(|unit| written_in != Language::Java || unit.name != "A");
    let unit = known.nth(dice.roll(source.units.len())).expect("a unit");
    let measured = Measured::new(spelling.file, &text, &unit.name);
    assert!(measured.is_fresh(text.as_bytes()));
    for other in [source.with_other_gaps(dice), source.shuffled(dice), source.with_other_gaps(dice).shuffled(dice)] {
        let after = other.text();
        assert!(measured.is_fresh(after.as_bytes()), "{}\n{text}\n---\n{after}", unit.name);
        edits.outside += 1;
        edits.orders += usize::from(other.units != source.units);
    }
    for _ in 0..4 {
        let piece = &unit.pieces[dice.roll(unit.pieces.len())];
        let at = piece.start + dice.roll(piece.len());
        let mut after = text.clone().into_bytes();
        match dice.roll(3) {
            0 => drop(after.remove(at)),
            1 => after.insert(at, b" x1;\n"[dice.roll(5)]),
            _ => after[at] = if after[at] == b'7' { b'8' } else { b'7' },
        }
        // an insertion before the first byte is not inside, nor one that equals an insertion after the last byte
        let is_inside = at > piece.start || after.len() <= text.len();
        if is_inside && after.get(piece.clone()) != Some(&text.as_bytes()[piece.clone()]) {
            assert!(!measured.is_fresh(&after), "{}\n{text}\n---\n{}", unit.name, String::from_utf8_lossy(&after));
            edits.inside += 1;
        }
    }
    for broken in [format!("{text})))\u{0}"), format!("{text}{}", "}".repeat(3)), format!("{text}\n{{[(<")] {
        let is_read = read(written_in, broken.as_bytes(), &mut || false)
            .is_ok_and(|units| matches!(units.find(&unit.name), yatsu_hook::text::units::Found::Unit(_)));
        if !is_read {
            assert!(!measured.is_fresh(broken.as_bytes()), "{broken}");
            assert!(Measured::new(spelling.file, &broken, &unit.name).is_fresh(broken.as_bytes()), "equal by id");
            edits.unread += 1;
        }
    }
}

#[test]
fn edits_around_a_unit_are_none_and_edits_inside_are() {
    for spelling in &SPELLINGS {
        let mut edits = Edits::default();
        for seed in seeds(6, 1500) {
            one_source(spelling, &mut Dice(seed), &mut edits);
        }
        println!("{}: {edits:?}", spelling.file);
        assert!(edits.outside > 0 && edits.inside > 0 && edits.orders > 0 && edits.unread > 0, "{edits:?}");
    }
}
