//! N15: what counts of random ledgers, by a slow judge that reads the lines of the ledger and shares no code with the program.

use crate::support::{Dice, Scratch, seeds, sha256, validate_published};
use serde_json::{Value, json};
use std::collections::HashSet;

const LEDGERS: [&str; 2] = [".spec/n/evals.ndjson", ".spec/n/yatsu.evals.ndjson"];
const ENVIRONMENTS: [&str; 3] = ["a", "b", "c"];

/// The keys of the scenario.
#[derive(Clone, Debug)]
struct Keys {
    /// `of` and `need`.
    runs: Option<(u64, u64)>,
    env: Vec<&'static str>,
}

impl Keys {
    fn random(dice: &mut Dice) -> Self {
        let of = 1 + dice.roll(8);
        let runs = (dice.roll(5) > 0).then(|| (of as u64, 1 + dice.roll(of) as u64));
        let env = ENVIRONMENTS[..dice.roll(3)].to_vec();
        if runs.is_none() && env.is_empty() { Self { runs: Some((2, 1)), env } } else { Self { runs, env } }
    }

    fn text(&self) -> String {
        let runs = self.runs.map(|(of, need)| format!("    runs: {{of: {of}, need: {need}}}\n")).unwrap_or_default();
        let env = if self.env.is_empty() { String::new() } else { format!("    env: [{}]\n", self.env.join(", ")) };
        format!(
            "---\nscenarios:\n  - name: s\n    description: measure it\n    expected: it works\n    tags: [cli]\n    code: src/a.rs\n{runs}{env}---\n"
        )
    }
}

/// What the work tree holds, and how contents are named.
struct World {
    s: Scratch,
    /// The object ids of the contents of `src/a.rs`.
    blobs: Vec<String>,
    commit: String,
    content: usize,
}

impl World {
    fn new() -> Self {
        let s = Scratch::new();
        s.write(".spec/n/spec.md", "---\ntitle: n\n---\n");
        let blobs = (0..2)
            .map(|content| {
                s.write("src/a.rs", format!("{content}\n"));
                s.git(&["hash-object", "-w", "src/a.rs"])
            })
            .collect();
        s.write("src/a.rs", "0\n");
        let commit = s.commit("begin");
        Self { s, blobs, commit, content: 0 }
    }

    fn line(&self, dice: &mut Dice, moment: u64) -> Value {
        let verdict = dice.pick(&["pass", "pass", "fail"]);
        let mut line = json!({
            "scenario": "s", "codeSha": self.commit, "blob": null, "evaluator": "manual@1",
            "scenarioHash": sha256("measure it\nit works"),
            "governed": {"src/a.rs": self.blobs[dice.roll(2)]},
            "verdict": {"status": verdict},
        });
        if dice.roll(12) == 0 {
            line.as_object_mut().expect("an object").remove("verdict");
        } else if dice.roll(2) == 0 {
            let of = 1 + dice.roll(4);
            let pass = dice.roll(of + 1);
            let verdict = if pass == of || pass > 0 && dice.roll(2) == 0 { "pass" } else { "fail" };
            line["runs"] = json!({"pass": pass, "of": of});
            line["verdict"]["status"] = json!(verdict);
            if dice.roll(2) == 0 {
                line["runs"]["report"] = json!(sha256(format!("report {}", dice.roll(2))));
            }
        }
        if dice.roll(4) > 0 {
            line["env"] = json!(dice.pick(&ENVIRONMENTS));
        }
        line["ts"] = json!(at(moment));
        line
    }
}

fn at(moment: u64) -> String {
    format!("2026-01-01T00:{:02}:{:02}.000Z", moment / 60, moment % 60)
}

/// The effective readings with a verdict or without, oldest first: exact copies once, withdrawn ones not at all.
fn effective(lines: &[Value]) -> Vec<&Value> {
    let mut seen = HashSet::new();
    let gone: Vec<&str> = lines.iter().filter_map(|line| line["retracts"].as_str()).collect();
    let mut all: Vec<&Value> = lines
        .iter()
        .filter(|line| line.get("codeSha").is_some() && seen.insert(line.to_string()))
        .filter(|line| !gone.contains(&line["ts"].as_str().expect("a time")))
        .collect();
    all.sort_by_key(|line| line["ts"].as_str().expect("a time").to_owned());
    all
}

/// The answer in one environment: a word, and the passes and the size of the window.
fn answer(keys: &Keys, env: Option<&str>, lines: &[Value], blob: &str) -> (String, Option<(u64, u64)>) {
    let mut reports = HashSet::new();
    let mut mine: Vec<&Value> = Vec::new();
    for line in effective(lines) {
        if env.is_some_and(|env| line["env"] != env) {
            continue;
        }
        let report = line["runs"]["report"].as_str();
        // what says something else is another reading, whatever report it names
        let said = || [&line["env"], &line["runs"], &line["governed"], &line["scenarioHash"]].map(Value::to_string);
        if report.is_none_or(|_| reports.insert(said())) {
            mine.push(line);
        }
    }
    mine.reverse();
    let is_here = |line: &&&Value| line["governed"]["src/a.rs"] == blob;
    let Some((of, need)) = keys.runs else {
        let counts = mine.iter().find(is_here).or(mine.first());
        let word = match counts.map(|line| (is_here(&line), line["verdict"]["status"].as_str())) {
            None => "unmeasured",
            Some((false, _)) => "stale",
            Some((true, None)) => "legacy",
            Some((true, Some(verdict))) => verdict,
        };
        return (word.to_owned(), None);
    };
    // every run is laid on the table, the newest first, until the window is full
    let mut window: Vec<bool> = Vec::new();
    for line in mine.iter().filter(is_here).filter(|line| line.get("verdict").is_some()) {
        let single = u64::from(line["verdict"]["status"] == "pass");
        let (pass, all) = match line.get("runs") {
            None => (single, 1),
            Some(runs) => (runs["pass"].as_u64().expect("a number"), runs["of"].as_u64().expect("a number")),
        };
        let taken = all.min(of - window.len() as u64);
        let passed = (0..=taken).rev().find(|passed| passed * all <= pass * taken).expect("zero at least");
        window.extend((0..taken).map(|run| run < passed));
    }
    let (count, passed) = (window.len() as u64, window.iter().filter(|passed| **passed).count() as u64);
    // what can still come: the runs that are missing, all passed or none
    let missing = of - count;
    let word = match (passed >= need, passed + missing < need) {
        (true, _) => "pass",
        (_, true) => "fail",
        _ if count > 0 => "partial",
        // the reading that counts stands only if it is no run
        _ if mine.is_empty() || mine.iter().any(|line| is_here(&line)) => "unmeasured",
        _ => "stale",
    };
    (word.to_owned(), Some((passed, count)))
}

/// The answer of the scenario, from those of its environments.
fn whole(answers: &[String]) -> &'static str {
    let any = |word: &str| answers.iter().any(|one| one == word);
    match () {
        () if any("fail") => "fail",
        () if any("unmeasured") || any("partial") => "unmeasured",
        () if any("stale") => "stale",
        () if any("legacy") => "legacy",
        () => "pass",
    }
}

/// The state of an environment, and of its window how many runs passed and how many count.
type EnvironmentTold = (String, Option<(u64, u64)>);

/// What the program says: the scenario, then each environment.
fn told(s: &Scratch) -> (String, Vec<EnvironmentTold>) {
    let json = validate_published(&s.yatsu(&["ls", "--format", "json"]).expect(0).out);
    let word = |state: &str, verdict: Option<&str>| match state {
        "fresh" => verdict.expect("a verdict").to_owned(),
        other => other.to_owned(),
    };
    let row = &json["scenarios"][0];
    let score = &json["score"];
    let verdict = ["pass", "fail", "legacy"].into_iter().find(|word| score[word] == 1);
    let environments = row["environments"].as_array().expect("environments").iter().map(|one| {
        let runs = &one["runs"];
        let window = runs["pass"].as_u64().zip(runs["counted"].as_u64());
        (word(one["state"].as_str().expect("a state"), one["verdict"].as_str()), window)
    });
    (word(row["state"].as_str().expect("a state"), verdict), environments.collect())
}

fn write(world: &World, files: &[Vec<Value>; 2]) {
    for (path, lines) in LEDGERS.iter().zip(files) {
        world.s.write(path, lines.iter().map(|line| format!("{line}\n")).collect::<String>());
    }
}

#[test]
fn n15_random_ledgers_stand_as_a_slow_judge_says() {
    for seed in seeds(24, 400) {
        let mut dice = Dice(seed);
        let mut world = World::new();
        let mut files: [Vec<Value>; 2] = Default::default();
        let mut moment = 0;
        for round in 0..8 {
            let keys = Keys::random(&mut dice);
            world.s.write(".spec/n/yatsu.md", keys.text());
            for _ in 0..dice.roll(6) {
                let file = dice.roll(2);
                let line = match (dice.roll(8), files[file].len()) {
                    (0, count) if count > 0 => files[file][dice.roll(count)].clone(),
                    (1, count) if count > 0 => {
                        let ts = files[file][dice.roll(count)]["ts"].clone();
                        json!({"retracts": ts, "scenario": "s", "ts": at(moment)})
                    }
                    _ => {
                        // two different readings of one moment are another rule's business
                        moment += 1;
                        world.line(&mut dice, moment)
                    }
                };
                files[file].push(line);
            }
            if dice.roll(3) == 0 {
                world.content ^= 1;
                world.s.write("src/a.rs", format!("{}\n", world.content));
            }
            write(&world, &files);
            let lines: Vec<Value> = files.concat();
            let blob = &world.blobs[world.content];
            let names: Vec<Option<&str>> =
                if keys.env.is_empty() { vec![None] } else { keys.env.iter().map(|env| Some(*env)).collect() };
            let expected: Vec<_> = names.iter().map(|env| answer(&keys, *env, &lines, blob)).collect();
            let words: Vec<String> = expected.iter().map(|(word, _)| word.clone()).collect();
            let (state, environments) = told(&world.s);
            assert_eq!(environments, expected, "seed {seed}, round {round}: {keys:?}\n{lines:#?}");
            assert_eq!(state, whole(&words), "seed {seed}, round {round}: {keys:?} {words:?}");
            one_more(&world, &keys, &files, moment, &state, (seed, round));
        }
    }
}

/// A pass more never lowers the answer, a fail more never raises it.
fn one_more(world: &World, keys: &Keys, files: &[Vec<Value>; 2], moment: u64, state: &str, which: (u64, u64)) {
    let rank = |state: &str| match state {
        "fail" => 0,
        "pass" => 2,
        _ => 1,
    };
    for verdict in ["pass", "fail"] {
        let mut line = json!({
            "scenario": "s", "codeSha": world.commit, "blob": null, "evaluator": "manual@1",
            "scenarioHash": sha256("measure it\nit works"), "governed": {"src/a.rs": world.blobs[world.content]},
            "verdict": {"status": verdict}, "ts": at(moment + 1),
        });
        if let Some(env) = keys.env.first() {
            line["env"] = json!(env);
        }
        let mut more = files.clone();
        more[1].push(line);
        write(world, &more);
        let (after, _) = told(&world.s);
        let (before, after) = (rank(state), rank(&after));
        let is_lawful = if verdict == "pass" { after >= before } else { after <= before };
        assert!(is_lawful, "{which:?}: {keys:?}: a {verdict} more took {before} to {after}");
    }
    write(world, files);
}
