//! The view of the judge: objects through the git program, files and lines as bytes. Nothing here is shared with the
//! program under test.

use super::judge::{Fault, Kind};
use crate::support::{hermetic, sha256};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use unicode_normalization::UnicodeNormalization;

/// The objects of a repository, from one `git cat-file --batch` that runs as long as a history.
pub(super) struct Git {
    child: Child,
    ask: ChildStdin,
    answer: BufReader<ChildStdout>,
}

/// A commit, as git stores it.
#[derive(Clone, Debug)]
pub(super) struct Commit {
    pub(super) tree: String,
    pub(super) parents: Vec<String>,
}

impl Git {
    /// Opens the real objects: replacements are not followed.
    pub(super) fn open(dir: &Path, home: &Path) -> Self {
        let mut command = hermetic("git", home);
        command.current_dir(dir).env("GIT_NO_REPLACE_OBJECTS", "1").args(["cat-file", "--batch"]);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("git runs");
        let ask = child.stdin.take().expect("a pipe");
        let answer = BufReader::new(child.stdout.take().expect("a pipe"));
        Self { child, ask, answer }
    }

    /// The kind and the bytes of an object; `None` if it does not exist.
    pub(super) fn object(&mut self, id: &str) -> Option<(String, Vec<u8>)> {
        writeln!(self.ask, "{id}").and_then(|()| self.ask.flush()).expect("git listens");
        let mut head = String::new();
        self.answer.read_line(&mut head).expect("git answers");
        let mut words = head.split_whitespace().skip(1);
        let kind = words.next()?.to_owned();
        let size: usize = words.next()?.parse().ok()?;
        let mut bytes = vec![0; size + 1];
        self.answer.read_exact(&mut bytes).expect("the bytes");
        bytes.pop();
        Some((kind, bytes))
    }

    pub(super) fn commit(&mut self, id: &str) -> Option<Commit> {
        let (kind, bytes) = self.object(id)?;
        let text = String::from_utf8_lossy(&bytes);
        let head = text.split("\n\n").next()?;
        let all = |key: &str| head.lines().filter_map(|line| line.strip_prefix(key)).map(str::to_owned).collect();
        let parents: Vec<String> = all("parent ");
        let tree = Vec::<String>::pop(&mut all("tree "))?;
        (kind == "commit").then_some(Commit { tree, parents })
    }

    /// Every file below a tree: its mode and id by its path.
    pub(super) fn files(&mut self, tree: &str) -> BTreeMap<String, (String, String)> {
        let mut files = BTreeMap::new();
        let mut open = vec![(String::new(), tree.to_owned())];
        while let Some((prefix, id)) = open.pop() {
            let (_, bytes) = self.object(&id).expect("a tree");
            let mut rest = bytes.as_slice();
            while let Some(end) = rest.iter().position(|byte| *byte == 0) {
                let (mode, name) =
                    std::str::from_utf8(&rest[..end]).expect("UTF-8").split_once(' ').expect("a mode and a name");
                let path = format!("{prefix}{name}");
                let id = hex(&rest[end + 1..end + 21]);
                rest = &rest[end + 21..];
                if mode == "40000" {
                    open.push((format!("{path}/"), id));
                } else {
                    files.insert(path, (mode.to_owned(), id));
                }
            }
        }
        files
    }
}

impl Drop for Git {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The values of `yatsu.goals.gate`, the milder first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Gate {
    Off,
    Claimed,
    Protected,
}

/// The configuration keys that the attack changes.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Config {
    pub(super) roots: Vec<String>,
    pub(super) exclude: Vec<String>,
    pub(super) main: Option<String>,
    pub(super) protect: Vec<String>,
    pub(super) gate: Gate,
    /// Whether `ledger-history` is off.
    pub(super) forgets: bool,
    /// Whether `ledger-schema` is off.
    pub(super) takes_any_line: bool,
    /// Whether `promoted-unproven` is an error.
    pub(super) asks_for_proof: bool,
}

impl Config {
    pub(super) fn of(text: Option<&[u8]>) -> Self {
        let json: Value = text.and_then(|text| serde_json::from_slice(text).ok()).unwrap_or_default();
        let yatsu = &json["yatsu"];
        let list = |key: &str| -> Vec<String> {
            let items = yatsu[key].as_array().into_iter().flatten();
            items.filter_map(Value::as_str).map(|text| text.trim_end_matches("/*").to_owned()).collect()
        };
        let gate = match yatsu["goals"]["gate"].as_str() {
            Some("off") => Gate::Off,
            Some("protected") => Gate::Protected,
            _ => Gate::Claimed,
        };
        Self {
            roots: if yatsu["roots"].is_array() { list("roots") } else { vec![".spec".to_owned()] },
            exclude: list("exclude"),
            main: json["mainBranch"].as_str().map(str::to_owned),
            protect: list("protect"),
            gate,
            forgets: yatsu["rules"]["ledger-history"] == "off",
            takes_any_line: yatsu["rules"]["ledger-schema"] == "off",
            asks_for_proof: yatsu["rules"]["promoted-unproven"] == "error",
        }
    }

    pub(super) fn is_main(&self, branch: &str) -> bool {
        self.main.as_ref().map_or(branch == "main" || branch == "master", |main| main == branch)
    }

    pub(super) fn protects(&self, branch: &str) -> bool {
        self.is_main(branch) || self.protect.iter().any(|dir| is_below(branch, dir))
    }

    /// Whether a path is recognised. Outside the roots only the names that no other tool uses are; an excluded path
    /// never is.
    pub(super) fn sees(&self, path: &str) -> bool {
        let (dir, name) = path.rsplit_once('/').unwrap_or(("", path));
        let ours = match name {
            "yatsu.md" | "yatsu.evals.ndjson" => true,
            "eval.md" | "evals.ndjson" => self.roots.iter().any(|root| is_below(dir, root)),
            _ => false,
        };
        ours && !self.exclude.iter().any(|excluded| is_below(path, excluded))
    }
}

pub(super) fn is_below(path: &str, dir: &str) -> bool {
    path == dir || path.strip_prefix(dir).is_some_and(|rest| rest.starts_with('/'))
}

pub(super) fn dir_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(dir, _)| dir)
}

/// A declared scenario.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Scenario {
    pub(super) name: String,
    pub(super) description: String,
    pub(super) expected: String,
    pub(super) code: Vec<String>,
}

impl Scenario {
    pub(super) fn text(&self) -> String {
        format!("{}\n{}", self.description, self.expected)
    }
}

/// The scenarios of a file, in the simple form that the actors write.
pub(super) fn scenarios(file: &[u8]) -> Vec<Scenario> {
    let text = String::from_utf8_lossy(file);
    let entries = text.split("  - name: ").skip(1);
    let value = |entry: &str, key: &str| {
        entry.lines().find_map(|line| line.trim().strip_prefix(key)).unwrap_or_default().trim().to_owned()
    };
    entries
        .map(|entry| Scenario {
            name: entry.lines().next().unwrap_or_default().to_owned(),
            description: value(entry, "description:"),
            expected: value(entry, "expected:"),
            code: value(entry, "code:").split(", ").filter(|path| !path.is_empty()).map(str::to_owned).collect(),
        })
        .collect()
}

pub(super) fn nfc(text: &str) -> String {
    text.nfc().collect()
}

/// The filed lines of one directory.
#[derive(Clone, Debug, Default)]
pub(super) struct House {
    pub(super) scenarios: Vec<Scenario>,
    pub(super) has_contract: bool,
    pub(super) has_ledger: bool,
    /// In the order of the files: the older name first.
    pub(super) lines: Vec<Vec<u8>>,
}

impl House {
    pub(super) fn declares(&self, scenario: &str) -> Option<&Scenario> {
        self.scenarios.iter().find(|declared| nfc(&declared.name) == nfc(scenario))
    }

    /// Whether the line is here, or its redaction in its place.
    pub(super) fn holds(&self, line: &[u8]) -> bool {
        self.lines.iter().any(|own| own == line || stands_for(own, line))
    }
}

pub(super) type Houses = BTreeMap<String, House>;

/// One commit as the judge sees it.
pub(super) struct Tip {
    /// Mode and id of every file.
    pub(super) ids: BTreeMap<String, (String, String)>,
    /// The bytes of the files with one of our names, in any place.
    pub(super) ours: BTreeMap<String, Vec<u8>>,
    pub(super) parents: Vec<String>,
    pub(super) config: Config,
    /// The filed lines by directory, as the commit's own configuration sees them.
    pub(super) houses: Houses,
}

impl Tip {
    pub(super) fn read(git: &mut Git, id: &str) -> Option<Self> {
        let commit = git.commit(id)?;
        let ids = git.files(&commit.tree);
        let names = ["yatsu.md", "eval.md", "yatsu.evals.ndjson", "evals.ndjson"];
        // a link is no ledger, whatever its target
        let is_file = |path: &String| ids[path].0.starts_with("100");
        let is_ours = |path: &&String| is_file(path) && names.contains(&path.rsplit('/').next().unwrap_or_default());
        let mut read = |path: &String| Some((path.clone(), git.object(&ids[path].1)?.1));
        let ours: BTreeMap<String, Vec<u8>> = ids.keys().filter(is_ours).filter_map(&mut read).collect();
        let config = ids.get("spexcode.json").and_then(|(_, id)| git.object(id));
        let config = Config::of(config.as_ref().map(|(_, bytes)| bytes.as_slice()));
        let houses = houses(&ours, &config);
        Some(Self { ids, ours, parents: commit.parents, config, houses })
    }

    /// The ledgers, in any place.
    pub(super) fn ledgers(&self) -> impl Iterator<Item = (&String, &Vec<u8>)> {
        self.ours.iter().filter(|(path, _)| path.ends_with(".ndjson"))
    }

    /// Whether a line, or its redaction, is in a visible ledger.
    pub(super) fn holds(&self, line: &[u8]) -> bool {
        self.houses.values().any(|house| house.holds(line))
    }

    /// The directories that declare two scenarios of one name.
    pub(super) fn named_twice(&self) -> impl Iterator<Item = Fault> {
        let is_twice = |house: &House| {
            let names: BTreeSet<String> = house.scenarios.iter().map(|scenario| nfc(&scenario.name)).collect();
            names.len() < house.scenarios.len()
        };
        let dirs = self.houses.iter().filter(move |(_, house)| is_twice(house));
        dirs.map(|(dir, _)| Fault::new(Kind::NamedTwice, dir))
    }

    /// All visible lines, with their directories.
    pub(super) fn lines(&self) -> impl Iterator<Item = (&String, &Vec<u8>)> {
        self.houses.iter().flat_map(|(dir, house)| house.lines.iter().map(move |line| (dir, line)))
    }
}

fn houses(ours: &BTreeMap<String, Vec<u8>>, config: &Config) -> Houses {
    let mut houses = Houses::new();
    // reversed, because `yatsu` sorts after `eval` and the older name must come first
    for (path, bytes) in ours.iter().filter(|(path, _)| config.sees(path)).rev() {
        let house = houses.entry(dir_of(path).to_owned()).or_default();
        if path.ends_with(".md") {
            house.scenarios.extend(scenarios(bytes));
            house.has_contract |= has_contract(bytes);
        } else {
            house.has_ledger = true;
            house.lines.extend(lines(bytes).map(<[u8]>::to_vec));
        }
    }
    houses
}

pub(super) fn has_contract(file: &[u8]) -> bool {
    String::from_utf8_lossy(file).contains("\ngoal_contract:")
}

/// The lines without their ends, of either system.
pub(super) fn lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let lines = bytes.split(|byte| *byte == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line));
    lines.filter(|line| !line.is_empty())
}

/// Whether a redaction stands for a line: it has the hash of the bytes, and the line's scenario, time and retraction.
pub(super) fn stands_for(redaction: &[u8], line: &[u8]) -> bool {
    let Some((own, of)) = event(redaction).zip(event(line)) else { return false };
    let keeps = ["scenario", "ts", "retracts"].iter().all(|key| word(&own, key) == word(&of, key));
    keeps && word(&own, "redacts") == sha256(line)
}

/// A ledger line with a scenario; `None` for every other line.
pub(super) fn event(line: &[u8]) -> Option<Value> {
    object(line).filter(|json| json["scenario"].is_string())
}

/// A ledger line that is a JSON object.
pub(super) fn object(line: &[u8]) -> Option<Value> {
    serde_json::from_slice::<Value>(line).ok().filter(Value::is_object)
}

pub(super) fn word<'v>(event: &'v Value, key: &str) -> &'v str {
    event[key].as_str().unwrap_or_default()
}

/// The scenario that a line names, in NFC.
pub(super) fn scenario_of(line: &[u8]) -> Option<String> {
    event(line).map(|event| nfc(word(&event, "scenario")))
}
