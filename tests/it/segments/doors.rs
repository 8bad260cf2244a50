//! S14: at every door the verdict about lines is the same, in whatever files of their home they lie.

use super::*;
use crate::support::{Dice, every_door, reading_line, scenarios, seeds, sha256, validate_published};

/// The lines of each home.
type Ledgers = BTreeMap<&'static str, Vec<String>>;

const HOMES: [&str; 2] = [".spec/n", ".spec/m"];

fn repository() -> Scratch {
    let s = team();
    s.write("spexcode.json", "{\"yatsu\": {\"segments\": \"always\"}}");
    s.write(".spec/m/yatsu.md", scenarios(&[("works", "src/b.rs"), ("shines", "src/a.rs")]));
    s.commit("two nodes");
    s
}

/// A random line about a scenario of a home.
fn any_line(dice: &mut Dice, commit: &str, minute: u32) -> String {
    let scenario = dice.pick(&["works", "works", "shines"]);
    let reading = reading_line(commit, scenario, dice.pick(&["pass", "fail"]), minute);
    match dice.roll(6) {
        0 => reading.replace("\"ts\"", &format!("\"key\":\"k{}\",\"ts\"", dice.roll(3))),
        1 => format!(
            "{{\"retracts\":\"2026-01-01T00:{:02}:00.000Z\",\"scenario\":\"{scenario}\",\"ts\":\"2026-01-01T00:{minute:02}:00.000Z\"}}\n",
            dice.roll(minute as usize + 1)
        ),
        _ => reading,
    }
}

/// What a change may do to the ledgers, well or badly.
fn changed(dice: &mut Dice, commit: &str, before: &Ledgers) -> Ledgers {
    let mut now = before.clone();
    for step in 0..1 + dice.roll(3) {
        let [home, other] = if dice.roll(2) == 0 { HOMES } else { [HOMES[1], HOMES[0]] };
        let count = now[home].len();
        let at = dice.roll(count.max(1));
        let lines = now.get_mut(home).expect("a home");
        match dice.roll(8) {
            0..=2 => lines.push(any_line(dice, commit, 30 + u32::try_from(step).expect("few"))),
            3 if count > 0 => drop(lines.remove(at)),
            4 if count > 0 => lines[at] = lines[at].replace("pass", "fail").replace("\"works\"", "\"shines\""),
            5 if count > 0 => {
                let line: serde_json::Value = serde_json::from_str(&lines[at]).expect("a line");
                let hash = sha256(lines[at].trim_end());
                if line.get("retracts").is_none() && line.get("redacts").is_none() && line.get("key").is_none() {
                    lines[at] = format!(
                        "{{\"redacts\":\"{hash}\",\"scenario\":{},\"ts\":{},\"reason\":\"r\"}}\n",
                        line["scenario"], line["ts"]
                    );
                }
            }
            6 if count > 0 => {
                let line = lines[at].clone();
                now.get_mut(other).expect("a home").push(line);
            }
            7 if count > 0 => {
                let line = lines.remove(at);
                now.get_mut(other).expect("a home").push(line);
            }
            _ => {}
        }
    }
    now
}

/// Writes the ledgers: into trunk files alone, or into random files.
fn write(s: &Scratch, ledgers: &Ledgers, mut split: Option<&mut Dice>) {
    for (home, lines) in ledgers {
        for old in segments_of(s, home).into_iter().chain([format!("{home}/yatsu.evals.ndjson")]) {
            let _ = std::fs::remove_file(s.root.join(old));
        }
        let mut files: BTreeMap<String, String> = BTreeMap::new();
        for line in lines {
            let name = split.as_mut().map_or("", |dice| dice.pick(&["", "a.", "b.", "c."]));
            *files.entry(format!("{home}/yatsu.{name}evals.ndjson")).or_default() += line;
            // the copy of a squash
            let again = split.as_mut().and_then(|dice| (dice.roll(4) == 0).then(|| dice.pick(&["d.", "e."])));
            if let Some(name) = again {
                *files.entry(format!("{home}/yatsu.{name}evals.ndjson")).or_default() += line;
            }
        }
        files.iter().for_each(|(path, text)| s.write(path, text));
    }
}

/// What a report says, without the places of lines. A duplicate is one within a file, so where lines lie apart there is none.
fn told(json: &str) -> Vec<String> {
    let report = validate_published(json);
    let findings = report["findings"].as_array().expect("a list").iter();
    let mut told: Vec<String> = findings
        .filter(|finding| finding["rule"] != "ledger-duplicate")
        .map(|finding| {
            ["rule", "level", "origin", "node", "scenario", "message"].map(|key| finding[key].to_string()).join(" ")
        })
        .collect();
    told.sort();
    // a line that is gone is named at each place that it had
    told.dedup();
    told
}

#[test]
fn every_door_judges_lines_and_not_files() {
    for seed in seeds(12, 400) {
        let answers = |split: bool| {
            let s = repository();
            let mut dice = Dice(seed);
            let mut files = Dice(seed.wrapping_add(1));
            let commit = s.head();
            let mut before = Ledgers::new();
            // each line has a time of its own, also beside those of the other home: of equal ones the names of files decide
            for (home, first) in HOMES.into_iter().zip([1, 11]) {
                let count = dice.roll(6);
                let lines = (0..count).map(|at| any_line(&mut dice, &commit, first + u32::try_from(at).expect("few")));
                before.insert(home, lines.collect());
            }
            write(&s, &before, split.then_some(&mut files));
            let base = s.commit("base");
            let now = changed(&mut dice, &commit, &before);
            write(&s, &now, split.then_some(&mut files));
            s.write("src/c.rs", "changed\n");
            s.git(&["add", "-A"]);
            let staged = told(&s.yatsu(&["check", "--staged", "--format", "json"]).out);
            let score = s.yatsu(&["ls", "--format", "json"]).expect(0).out;
            let codes: Vec<_> = every_door(&s, &base).into_iter().map(|(door, said)| (door, said.code)).collect();
            let range = told(&s.yatsu(&["check", "--from", &base, "--to", "HEAD", "--format", "json"]).out);
            (staged, codes, range, score.replace(&*s.base.to_string_lossy(), ""))
        };
        assert_eq!(answers(false), answers(true), "YATSU_SEED={seed}");
    }
}
