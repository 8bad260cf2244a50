//! A second implementation of criteria and trust, slow and obvious, over ledgers and transcripts as text. It parses JSON
//! with another parser, reads markers word by word, and shares no code with the first. Both must give the same answer for
//! generated repositories. Also tests that the gates never report success without a reading that supports it.

use super::*;
use crate::engine::anchors::Anchors;
use crate::engine::facts;
use crate::error::Result;
use crate::features::goals::judge::engine::collect::{GoalEvidence, GoalView, HeldBytes, TrackedFiles};
use crate::model::config::Config;
use crate::model::ledger::Reading;
use crate::model::workspace::{self, Select};
use crate::text::markers::MarkerReader;
use crate::tree::memory::MemoryTree;
use crate::tree::oid::Oid;
use crate::tree::{Anchor, History};
use serde_json::{Value, json};
use std::rc::Rc;

const SHA: &str = "1111111111111111111111111111111111111111";

/// Small deterministic dice.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).expect("64 bits") % sides
    }

    fn pick<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[self.roll(list.len())]
    }
}

/// A generated node: criteria as `(kind, name, op, target)`, its lines and its transcripts by digit.
struct World {
    kind: &'static str,
    criteria: Vec<[String; 4]>,
    scenarios: usize,
    lines: Vec<Value>,
    texts: BTreeMap<String, String>,
}

const NUMBERS: [&str; 7] = ["0", "0.5", "0.9", "-1", "1e-3", "85", "2"];

fn world(dice: &mut Dice) -> World {
    let kinds = ["custom", "eda", "ml_regression", "statistical"];
    let criteria = (0..1 + dice.roll(3)).map(|_| criterion(dice)).collect();
    let mut world =
        World { kind: dice.pick(&kinds), criteria, scenarios: 1 + dice.roll(3), lines: vec![], texts: BTreeMap::new() };
    for number in 0..dice.roll(6) {
        line(dice, &mut world, number);
    }
    world
}

fn criterion(dice: &mut Dice) -> [String; 4] {
    let op = dice.pick(&[">=", ">", "<=", "<", "==", "!="]);
    let (kind, name) = match dice.roll(4) {
        0 => ("marker_required", dice.pick(&["X", "STAT:ci", "METRIC:m", "STAT"])),
        1 => ("finding_count", ""),
        _ => ("metric_threshold", dice.pick(&["m", "cv_m", "baseline"])),
    };
    let target = if kind == "finding_count" { dice.pick(&["0", "1", "2"]) } else { dice.pick(&NUMBERS) };
    [kind, name, op, target].map(str::to_owned)
}

fn line(dice: &mut Dice, world: &mut World, number: usize) {
    let digit = format!("{:x}", 1 + number);
    let mut text = String::new();
    for _ in 0..dice.roll(6) {
        text +=
            dice.pick(&["[X]\n", "[STAT:ci] 1\n", "[STAT:effect_size] 1\n", "[FINDING] f\n", "words\n", "[SHAP]\n"]);
        if dice.roll(2) == 0 {
            text += &format!("[METRIC:{}] {}\n", dice.pick(&["m", "cv_m", "baseline"]), dice.pick(&NUMBERS));
        }
    }
    let mut said = shown(&text);
    // a line that contradicts its text
    if dice.roll(6) == 0 {
        said["metrics"]["m"] = json!(0.25);
    }
    let mut fields = json!({
        "scenario": dice.pick(&["s0", "s1", "s2"]),
        "codeSha": SHA,
        "evaluator": dice.pick(&["manual@1", "manual@1", "manual@1", "manual@0"]),
        "verdict": {"status": dice.pick(&["pass", "pass", "fail"])},
        "ts": format!("2026-01-01T00:00:{number:02}.000Z"),
    });
    let object = fields.as_object_mut().expect("an object");
    if dice.roll(5) > 0 {
        object.extend(
            json!({"blob": digit.repeat(64), "blobKind": "transcript"}).as_object().cloned().expect("an object"),
        );
        if dice.roll(5) > 0 {
            world.texts.insert(digit.repeat(64), text);
        }
    }
    if dice.roll(8) > 0 {
        object.extend(said.as_object().cloned().expect("an object"));
    }
    world.lines.push(fields);
    if dice.roll(8) == 0 {
        let target = &world.lines[dice.roll(world.lines.len())];
        let retraction =
            json!({"retracts": target["ts"], "scenario": target["scenario"], "ts": "2026-01-02T00:00:00.000Z"});
        world.lines.push(retraction);
    }
}

/// The values in a transcript of these simple lines, as the keys of a reading.
fn shown(text: &str) -> Value {
    let lines: Vec<&str> = text.lines().collect();
    let (mut metrics, mut names) = (serde_json::Map::new(), Vec::new());
    let (mut total, mut verified, mut no_ci, mut no_effect, mut pairs) = (0, 0, 0, 0, Vec::new());
    for (at, line) in lines.iter().enumerate() {
        let Some((name, rest)) = line.strip_prefix('[').and_then(|line| line.split_once(']')) else { continue };
        if let Some(metric) = name.strip_prefix("METRIC:") {
            metrics.insert(metric.into(), serde_json::from_str(rest.trim()).expect("a number"));
        }
        names.push(name.to_owned());
        if name == "FINDING" {
            let before = |wanted: &str| (at.saturating_sub(10)..at).rev().find(|at| lines[*at].starts_with(wanted));
            let (ci, effect) = (before("[STAT:ci]"), before("[STAT:effect_size]"));
            total += 1;
            no_ci += usize::from(ci.is_none());
            no_effect += usize::from(effect.is_none());
            if let (Some(ci), Some(effect)) = (ci, effect) {
                verified += 1;
                pairs.push((ci, effect));
            }
        }
    }
    names.sort();
    names.dedup();
    let shared = pairs.iter().filter(|pair| pairs.iter().filter(|other| other == pair).count() > 1).count();
    let mut all = json!({});
    if !metrics.is_empty() {
        all["metrics"] = Value::Object(metrics);
    }
    if !names.is_empty() {
        all["markers"] = json!(names);
    }
    if total > 0 {
        all["findings"] = json!({"total": total, "verified": verified, "shared": shared, "withoutCi": no_ci, "withoutEffect": no_effect});
    }
    all
}

/// The evidence of a world.
struct Texts<'w>(&'w BTreeMap<String, String>);

impl GoalEvidence for Texts<'_> {
    fn held(&self, reading: &Reading) -> Result<HeldBytes> {
        let hash = reading.evidence.first().map(|piece| piece.hash.to_string());
        let text = hash.as_ref().map(|hash| self.0.get(hash));
        let says = match text {
            None => GoalBytes::NoText,
            Some(None) => GoalBytes::Absent,
            Some(Some(text)) => {
                let mut reader = MarkerReader::default();
                reader.take(text.as_bytes());
                GoalBytes::Say(reader.finish())
            }
        };
        Ok(HeldBytes { is_whole: says != GoalBytes::Absent, says, absent: BTreeSet::new() })
    }
}

/// Every commit holds the tree of the view.
struct Always(MemoryTree);

impl History for Always {
    fn anchor(&self, _: &Oid) -> Result<Anchor> {
        Ok(Anchor::Tree(Rc::new(self.0.clone())))
    }
}

/// The result of the first implementation: the statuses of the criteria, the score and whether the trust gate passes.
fn first(world: &World) -> (Vec<&'static str>, u32, bool) {
    let criteria = world.criteria.iter().enumerate().map(|(at, [kind, name, op, target])| match &**kind {
        "metric_threshold" => {
            format!("    - {{id: C{at}, kind: {kind}, metric: {name}, op: '{op}', target: {target}}}\n")
        }
        "marker_required" => format!("    - {{id: C{at}, kind: {kind}, marker: '{name}'}}\n"),
        _ => format!("    - {{id: C{at}, kind: {kind}, minCount: {target}}}\n"),
    });
    let criteria: String = criteria.collect();
    let scenario = |at| format!("  - name: s{at}\n    description: d\n    expected: e\n    tags: [cli]\n");
    let scenarios: String = (0..world.scenarios).map(scenario).collect();
    let kind = world.kind;
    let file = format!(
        "---\ngoal_contract:\n  version: 1\n  goal_text: g\n  goal_type: {kind}\n  acceptance_criteria:\n{criteria}scenarios:\n{scenarios}---\n"
    );
    let ledger: String = world.lines.iter().map(|line| format!("{line}\n")).collect();
    let tree = MemoryTree::of_files(&[(".spec/n/yatsu.md", &file), (".spec/n/yatsu.evals.ndjson", &ledger)]);
    let workspace = workspace::load(&tree, Config::default(), &Select::All).expect("a workspace");
    let anchors = Anchors::new(Rc::new(Always(tree.clone())));
    let facts = facts::collect_unowned(&tree, &anchors, workspace).expect("facts");
    let node = &facts.workspace.nodes[0];
    let (files, pushed) = (TrackedFiles::of(&tree), BTreeSet::new());
    let view = GoalView {
        node,
        scores: &facts.scores[0],
        filings: &facts.filings[0],
        lost: Vec::new(),
        pushed: &pushed,
        files: &files,
        evidence: &Texts(&world.texts),
    };
    let goal = &node.file.as_ref().expect("a file").goal;
    let facts = view.facts(goal.contract()).expect("facts of a goal");
    let gates = gates(goal, &facts);
    (gates.results.iter().map(|result| result.status.as_str()).collect(), gates.trust.score, gates.trust.passed)
}

/// The result of the second implementation.
fn second(world: &World) -> (Vec<&'static str>, u32, bool) {
    let latest = |at: usize| {
        let name = format!("s{at}");
        let gone = |line: &Value| {
            world.lines.iter().any(|other| other["retracts"] == line["ts"] && other["scenario"] == line["scenario"])
        };
        let mine = world.lines.iter().filter(|line| line["scenario"] == *name && line.get("retracts").is_none());
        mine.filter(|line| !gone(line)).max_by_key(|line| line["ts"].to_string())
    };
    let all: Vec<Option<&Value>> = (0..world.scenarios).map(latest).collect();
    let mut fresh: Vec<&Value> = all.iter().flatten().filter(|line| line["evaluator"] == "manual@1").copied().collect();
    fresh.sort_by_key(|line| std::cmp::Reverse(line["ts"].to_string()));
    let stale: Vec<&Value> = all.iter().flatten().filter(|line| line["evaluator"] != "manual@1").copied().collect();
    let met = |[kind, name, op, target]: &[String; 4]| match &**kind {
        "metric_threshold" => {
            let Some(line) = fresh.iter().find(|line| line["metrics"].get(name).is_some()) else { return false };
            let (value, target) =
                (line["metrics"][name].as_f64().expect("a number"), target.parse::<f64>().expect("a number"));
            let holds = match &**op {
                ">=" => value >= target,
                ">" => value > target,
                "<=" => value <= target,
                "<" => value < target,
                "==" => value == target,
                _ => value != target,
            };
            holds && passes(line)
        }
        "marker_required" => fresh.iter().any(|line| {
            let marks = line["markers"].as_array().cloned().unwrap_or_default();
            let is_it = |mark: &str| mark == name || mark.split(':').next() == Some(name) && !name.contains(':');
            passes(line) && marks.iter().any(|mark| mark.as_str().is_some_and(is_it))
        }),
        _ => {
            let passing: Vec<_> = fresh.iter().filter(|line| passes(line)).collect();
            let count: u64 = passing.iter().map(|line| line["findings"]["verified"].as_u64().unwrap_or(0)).sum();
            !passing.is_empty() && count >= target.parse::<u64>().expect("a count")
        }
    };
    let statuses = world.criteria.iter().map(|one| if met(one) { "MET" } else { "NOT_MET" }).collect();
    let (score, hard) = score(world, &fresh, stale.len() + all.iter().filter(|line| line.is_none()).count());
    (statuses, score, !hard && score >= 80)
}

fn passes(line: &Value) -> bool {
    line["verdict"]["status"] == "pass"
}

/// The points, and whether there is a hard reason. `short` is the number of scenarios without a fresh reading.
fn score(world: &World, fresh: &[&Value], short: usize) -> (u32, bool) {
    let mut lost = 30 * short;
    let mut hard = false;
    for line in fresh {
        let text = line["blob"].as_str().and_then(|hash| world.texts.get(hash));
        let said = text.map(|text| shown(text));
        let of = |value: &Value, key: &str| value.get(key).cloned().unwrap_or(json!({}));
        if let Some(said) = &said {
            let (mine, theirs) = (of(line, "metrics"), of(said, "metrics"));
            let all = theirs.as_object().expect("metrics");
            let wrong =
                all.iter().any(|(name, value)| mine.get(name).is_some_and(|mine| mine.as_f64() != value.as_f64()));
            let is_read = line.get("markers").is_some() || line.get("findings").is_some();
            let other = of(line, "markers") != of(said, "markers") || of(line, "findings") != of(said, "findings");
            let missing = all.keys().any(|name| mine.get(name).is_none());
            hard |= wrong || is_read && (other || missing);
        }
        lost += if passes(line) && line.get("blob").is_none() { 20 } else { 0 };
        let only_said = |name: &str| match (line.get("blob"), &said) {
            (None, _) => true,
            (Some(_), Some(said)) => of(said, "metrics").get(name).is_none(),
            (Some(_), None) => false,
        };
        let taken = world.criteria.iter().any(|[kind, name, ..]| {
            let first = fresh.iter().find(|line| line["metrics"].get(name).is_some());
            kind == "metric_threshold" && first.is_some_and(|first| first == line) && only_said(name)
        });
        lost += if taken { 20 } else { 0 };
    }
    let sum = |key: &str| fresh.iter().map(|line| line["findings"][key].as_u64().unwrap_or(0)).sum::<u64>();
    if matches!(world.kind, "eda" | "statistical") || world.criteria.iter().any(|[kind, ..]| kind == "finding_count") {
        lost += if sum("withoutCi") > 0 { 30 } else { 0 };
        lost += if sum("withoutEffect") > 0 { 30 } else { 0 };
    }
    if world.kind == "ml_regression" {
        let text = fresh.iter().map(|line| format!("{} {}", line["metrics"], line["markers"])).collect::<String>();
        lost += if text.contains("baseline") { 0 } else { 20 };
        lost += if text.contains("cv_m") { 0 } else { 25 };
        lost += if text.contains("SHAP") { 0 } else { 15 };
    }
    (100_u32.saturating_sub(u32::try_from(lost).expect("few")), hard)
}

#[test]
fn both_implementations_say_the_same_of_generated_ledgers_and_transcripts() {
    let worlds = if std::env::var_os("YATSU_FULL").is_some() { 20_000 } else { 400 };
    let mut dice = Dice(2026);
    let mut met = 0;
    for number in 0..worlds {
        let world = world(&mut dice);
        let (one, other) = (first(&world), second(&world));
        met += usize::from(one.0.contains(&"MET"));
        let lines: Vec<String> = world.lines.iter().map(Value::to_string).collect();
        assert_eq!(one, other, "world {number}: {:?}\n{}\n{:?}", world.criteria, lines.join("\n"), world.texts);
    }
    assert!(met > worlds / 10, "the worlds are worth something: {met}");
}

#[test]
fn whatever_the_gates_are_given_nothing_is_reached_where_no_passing_reading_speaks() {
    let mut dice = Dice(7);
    for _ in 0..2_000 {
        let mut world = world(&mut dice);
        // no reading that counts: no lines, stale lines, or truncated lines
        match dice.roll(3) {
            0 => world.lines.clear(),
            1 => world.lines.iter_mut().for_each(|line| line["evaluator"] = json!("manual@0")),
            _ => world
                .lines
                .iter_mut()
                .for_each(|line| drop(line.as_object_mut().expect("an object").remove("scenario"))),
        }
        let (statuses, _, passed) = first(&world);
        assert!(!statuses.contains(&"MET") && !passed, "{:?} {statuses:?}", world.criteria);
    }
}
