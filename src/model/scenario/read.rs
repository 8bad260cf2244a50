//! Reads the file around the entries.

use super::entry::{self, Context, NamedByEntry};
use super::fields::unknown_key;
use super::problems::{Owner, Problems};
use super::{MAX_FILE, MAX_SCENARIOS, OldScenario, Scenario, ScenarioFile};
use crate::model::contract::{self, Declared, Goal};
use crate::model::ids::nfc;
use crate::model::source::{Fault, Position};
use crate::text::escape::echo;
use crate::text::frontmatter::{self, Frontmatter, NoFrontmatter};
use crate::text::nearest::nearest;
use crate::text::yaml::{self, Parsed, Value, YamlEntry, YamlKind};
use crate::tree::path::RepoPath;
use bstr::ByteSlice;
use std::cell::OnceCell;
use std::collections::HashMap;
use std::rc::Rc;

const TOP_KEYS: [&str; 2] = ["scenarios", contract::KEY];

/// Reads the scenario file `bytes` at `path`. `tag_library` is `lint.scenarioTags`; an empty one turns only the membership
/// check off. The size is checked before parsing.
pub fn parse(path: &RepoPath, bytes: &[u8], tag_library: &[String]) -> ScenarioFile {
    let front = match readable(bytes) {
        Ok(front) => front,
        Err(fault) => return unreadable(path, bytes, fault),
    };
    let parsed = yaml::parse(&front);
    let dir = path.parent().unwrap_or_default();
    let mut reader = ScenarioReader::new(&front, Context { dir: &dir, library: tag_library });
    reader.top(&parsed);
    reader.goal(&front, &parsed);
    reader.finish(path, &parsed)
}

/// The texts of the scenarios in an old version of a file, in file order: the same scenarios that [`parse`] finds. If two
/// have one name, the first counts.
pub fn texts(bytes: &[u8]) -> Vec<OldScenario> {
    items(bytes).iter().filter_map(entry::texts).collect()
}

/// What each entry of the file at `path` names, at least for all scenarios that [`parse`] finds. Entries that are no scenarios
/// may add more.
pub(crate) fn named(path: &RepoPath, bytes: &[u8]) -> Vec<NamedByEntry> {
    let dir = path.parent().unwrap_or_default();
    items(bytes).iter().map(|item| entry::named(item, &dir)).collect()
}

/// The scenarios of the file that declare a command, each with the line of the command. If two have one name, the first
/// counts.
pub(crate) fn command_lines(bytes: &[u8]) -> Vec<(String, u32)> {
    items(bytes).iter().filter_map(entry::command_line).collect()
}

/// The entries of the file, up to the limit.
fn items(bytes: &[u8]) -> Vec<Value> {
    let Ok(front) = readable(bytes) else { return Vec::new() };
    let Some(Value { kind: YamlKind::Mapping(entries), .. }) = yaml::parse(&front).value else { return Vec::new() };
    let scenarios = entries.into_iter().find(|entry| entry.key == "scenarios");
    let Some(YamlKind::Sequence(mut items)) = scenarios.map(|entry| entry.value.kind) else { return Vec::new() };
    items.truncate(MAX_SCENARIOS);
    items
}

fn readable(bytes: &[u8]) -> Result<Frontmatter<'_>, Fault> {
    if bytes.len() as u64 > MAX_FILE {
        let message = format!("the file has {} bytes; the limit is {MAX_FILE}", bytes.len());
        return Err(of_file(
            "size",
            message,
            "split the node: one scenario file per node, each with its own scenarios",
        ));
    }
    frontmatter::split(bytes).map_err(|reason| match reason {
        NoFrontmatter::NotOpened => {
            let message = "no frontmatter: the first line is not `---`".to_owned();
            of_file("no-frontmatter", message, "begin the file with `---`, `scenarios:` and its list, and `---`")
        }
        NoFrontmatter::NotClosed => {
            let message = "unterminated frontmatter: no second `---` line".to_owned();
            of_file("unterminated", message, "put a line `---` below the scenarios")
        }
        NoFrontmatter::Utf16 => {
            let message = "not UTF-8: the file is UTF-16 from byte 0".to_owned();
            of_file("encoding", message, "save the file as UTF-8")
        }
    })
}

fn of_file(kind: &'static str, message: String, help: &str) -> Fault {
    Fault::new(Position::START, kind, message, help)
}

fn unreadable(path: &RepoPath, bytes: &[u8], fault: Fault) -> ScenarioFile {
    let mut problems = Problems::new(b"", 1);
    problems.of_file(fault);
    let goal = if mentions_goal(bytes) { Goal::Invalid(Vec::new()) } else { Goal::Unset };
    ScenarioFile { path: path.clone(), scenarios: Vec::new(), goal, problems: problems.finish(), cut_short: true }
}

/// Whether an unreadable text may have a contract.
fn mentions_goal(text: &[u8]) -> bool {
    text.contains_str(contract::KEY)
}

/// A name that occurred: its line, and whether its scenario is usable.
struct Met {
    line: u32,
    usable: bool,
}

struct ScenarioReader<'a, 'v> {
    context: Context<'a>,
    problems: Problems<'a>,
    owners: Vec<Owner<'v>>,
    names: HashMap<String, Met>,
    scenarios: Vec<Scenario>,
    /// The places of YAML errors: the entry around such a place may be misread.
    slips: Vec<Position>,
    /// Whether an entry has no readable name.
    unnamed: bool,
    /// Whether the top level has a key that may belong below another one.
    stray_keys: bool,
    contract: Option<&'v YamlEntry>,
    goal: Goal,
}

impl<'a, 'v> ScenarioReader<'a, 'v> {
    fn new(front: &Frontmatter<'a>, context: Context<'a>) -> Self {
        Self {
            context,
            problems: Problems::new(front.block, front.first_line),
            owners: Vec::new(),
            names: HashMap::new(),
            scenarios: Vec::new(),
            slips: Vec::new(),
            unnamed: false,
            stray_keys: false,
            contract: None,
            goal: Goal::Unset,
        }
    }

    fn top(&mut self, parsed: &'v Parsed) {
        let slips = parsed.faults.iter().filter(|fault| matches!(fault.kind, "syntax" | "tab"));
        self.slips = slips.map(|fault| fault.at).collect();
        let entries: &'v [YamlEntry] = match &parsed.value {
            Some(Value { kind: YamlKind::Mapping(entries), .. }) => entries,
            None | Some(Value { kind: YamlKind::Refused, .. }) => &[],
            Some(value) if parsed.cut_short && matches!(value.kind, YamlKind::Scalar(_)) => &[],
            Some(value) => return self.problems.of_file(not_top(value)),
        };
        for entry in entries.iter().filter(|entry| !TOP_KEYS.contains(&&*entry.key)) {
            self.stray_keys = true;
            if nearest(&entry.key, [contract::KEY]).is_some() {
                // meant as a contract
                self.goal = Goal::Invalid(Vec::new());
            }
            self.problems.of_place(&[], unknown_key(entry, "", &TOP_KEYS));
        }
        self.contract = entries.iter().find(|entry| entry.key == contract::KEY);
        match entries.iter().find(|entry| entry.key == "scenarios") {
            Some(entry) => self.list(entry, parsed.cut_short),
            None if parsed.cut_short => {}
            None => self.problems.of_file(no_scenarios()),
        }
    }

    fn list(&mut self, scenarios: &'v YamlEntry, cut_short: bool) {
        let items = match &scenarios.value.kind {
            YamlKind::Sequence(items) => items,
            YamlKind::Refused => {
                self.unnamed = true;
                return;
            }
            _ if cut_short => return,
            _ => return self.problems.of_file(not_a_list(scenarios)),
        };
        if items.is_empty() && !cut_short {
            self.problems.of_file(empty_list(scenarios));
        }
        if let Some(first) = items.get(MAX_SCENARIOS) {
            self.unnamed = true;
            self.problems.of_file(too_many(first.at, items.len()));
        }
        for (index, item) in items.iter().take(MAX_SCENARIOS).enumerate() {
            self.entry(item, index + 1);
        }
    }

    fn entry(&mut self, item: &'v Value, number: usize) {
        let mut read = entry::read(item, number, &self.context);
        if let Some(scenario) = &mut read.scenario {
            scenario.unread.text |= self.slips.iter().any(|slip| item.at <= *slip && *slip < item.end);
        }
        let name = read.name.as_ref().map(|(name, _)| name.clone());
        self.unnamed |= name.is_none();
        let owner = Owner { item, name, fingerprint: OnceCell::new() };
        read.faults.into_iter().for_each(|fault| self.problems.of_entry(&owner, fault));
        if let Some((name, at)) = &read.name {
            self.named(name, *at, read.scenario, &owner);
        }
        self.owners.push(owner);
    }

    /// Adds the scenario, unless an earlier usable one has its name.
    fn named(&mut self, name: &str, at: Position, scenario: Option<Scenario>, owner: &Owner<'v>) {
        let folded = nfc(name);
        let usable = scenario.is_some();
        let taken = match self.names.get_mut(&folded) {
            None => {
                self.names.insert(folded, Met { line: at.line, usable });
                false
            }
            Some(met) => {
                self.problems.of_entry(owner, duplicate_name(name, at, met.line));
                let taken = met.usable;
                met.usable |= usable;
                taken
            }
        };
        if !taken {
            self.scenarios.extend(scenario);
        }
    }

    /// Reads the contract, after all scenarios are known. The contract is invalid if the block has a fault outside the
    /// scenarios or may be incomplete, because the contract may then differ from the written one.
    fn goal(&mut self, front: &Frontmatter<'_>, parsed: &'v Parsed) {
        let in_scenario = |at: Position| self.owners.iter().any(|owner| owner.item.at <= at && at < owner.item.end);
        let is_sound = !parsed.cut_short && !self.stray_keys && parsed.faults.iter().all(|fault| in_scenario(fault.at));
        let Some(entry) = self.contract else {
            if (parsed.cut_short || !parsed.faults.is_empty()) && mentions_goal(front.block) {
                self.goal = Goal::Invalid(Vec::new());
            }
            return;
        };
        let names = self.scenarios.iter().map(|scenario| scenario.name.as_str()).collect();
        let declared = Declared { names, are_all: !self.unnamed && is_sound };
        let (read, faults) = contract::read(entry, &declared);
        let owner = Owner { item: &entry.value, name: None, fingerprint: OnceCell::new() };
        faults.iter().for_each(|fault| self.problems.of_entry(&owner, fault.clone()));
        self.goal = match read {
            Some(contract) if is_sound => Goal::Set(Rc::new(contract)),
            _ => Goal::Invalid(faults),
        };
        let next = self.owners.partition_point(|known| known.item.at <= owner.item.at);
        self.owners.insert(next, owner);
    }

    fn finish(mut self, path: &RepoPath, parsed: &Parsed) -> ScenarioFile {
        for fault in &parsed.faults {
            self.problems.of_place(&self.owners, fault.clone());
        }
        ScenarioFile {
            path: path.clone(),
            scenarios: self.scenarios,
            goal: self.goal,
            problems: self.problems.finish(),
            cut_short: parsed.cut_short || self.unnamed,
        }
    }
}

fn not_top(value: &Value) -> Fault {
    let message = format!("the frontmatter is {}, not a map with the key `scenarios`", value.describe());
    Fault::new(value.at, "top", message, "put `scenarios:` above the list and indent the list below it")
}

fn no_scenarios() -> Fault {
    let at = Position { line: 2, column: 1 };
    Fault::new(at, "no-scenarios", "no `scenarios`", "add `scenarios:` with a list of at least one entry")
}

fn not_a_list(scenarios: &YamlEntry) -> Fault {
    let message = format!("`scenarios` is {}, not a list", scenarios.value.describe());
    Fault::new(scenarios.at, "not-a-list", message, "write one entry per scenario, each beginning with `- name:`")
}

fn empty_list(scenarios: &YamlEntry) -> Fault {
    let help = "add an entry, or delete the file when the node has nothing to measure";
    Fault::new(scenarios.at, "empty-list", "`scenarios` is an empty list", help)
}

fn too_many(at: Position, count: usize) -> Fault {
    let message = format!("{count} scenarios; the limit is {MAX_SCENARIOS}: those from here on are not read");
    Fault::new(at, "limit", message, "split the node: one scenario file per node, each with its own scenarios")
        .about("scenarios")
}

fn duplicate_name(name: &str, at: Position, first: u32) -> Fault {
    let shown = echo(name);
    let message = format!("duplicate name `{shown}`: first on line {first}, again on line {}", at.line);
    Fault::new(at, "duplicate-name", message, "give each scenario its own name; the first one is used").about(name)
}
