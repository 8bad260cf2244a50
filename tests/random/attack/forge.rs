//! The changes that forgers make to the files of a commit.

use super::desk::{DIRS, Desk, EVIDENCE, LINK, State};
use super::seen::{nfc, scenario_of};
use crate::support::sha256;
use serde_json::json;

/// A forger's deed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Forge {
    EditVerdict,
    DropLine,
    Empty,
    ChangeTs,
    CopyEdited,
    MoveAndEdit,
    MoveAndDrop,
    MoveWithoutLedger,
    Swap,
    Park,
    DeleteDecoy,
    DeleteLedger,
    DeleteNode,
    Resurrect,
    OutOfRoots,
    EditOutside,
    BackIntoRoots,
    Exclude,
    EditHidden,
    Include,
    Roots,
    LowerAndEdit,
    OtherMain,
    ExcludeAndEdit,
    Evidence,
    OnlyEvidence,
    BesideNames,
    FalseRedaction,
    Link,
    Directory,
    LineEnds,
    Slip,
    RenameAndEdit,
    TakeAwayAndEdit,
    DropWithLines,
    SwitchOff,
    SwitchOnAndDrop,
    RootAlone,
    HideAny,
    Garbage,
    NoVerdict,
    ClaimFalsely,
    Unprotect,
}

const EVERY: [Forge; 43] = [
    Forge::EditVerdict,
    Forge::DropLine,
    Forge::Empty,
    Forge::ChangeTs,
    Forge::CopyEdited,
    Forge::MoveAndEdit,
    Forge::MoveAndDrop,
    Forge::MoveWithoutLedger,
    Forge::Swap,
    Forge::Park,
    Forge::DeleteDecoy,
    Forge::DeleteLedger,
    Forge::DeleteNode,
    Forge::Resurrect,
    Forge::OutOfRoots,
    Forge::EditOutside,
    Forge::BackIntoRoots,
    Forge::Exclude,
    Forge::EditHidden,
    Forge::Include,
    Forge::Roots,
    Forge::LowerAndEdit,
    Forge::OtherMain,
    Forge::ExcludeAndEdit,
    Forge::Evidence,
    Forge::OnlyEvidence,
    Forge::BesideNames,
    Forge::FalseRedaction,
    Forge::Link,
    Forge::Directory,
    Forge::LineEnds,
    Forge::Slip,
    Forge::RenameAndEdit,
    Forge::TakeAwayAndEdit,
    Forge::DropWithLines,
    Forge::SwitchOff,
    Forge::SwitchOnAndDrop,
    Forge::RootAlone,
    Forge::HideAny,
    Forge::Garbage,
    Forge::NoVerdict,
    Forge::ClaimFalsely,
    Forge::Unprotect,
];

impl Forge {
    pub(super) const ALL: [Self; 43] = EVERY;

    pub(super) fn do_at(self, desk: &mut Desk<'_>) {
        match self {
            Self::EditVerdict => desk.change_a_line(flipped),
            Self::DropLine => desk.change_a_line(|_| None),
            Self::ChangeTs => desk.change_a_line(later),
            Self::Empty => desk.empty(),
            Self::CopyEdited => desk.copy_edited(),
            Self::MoveAndEdit => desk.move_and(flipped),
            Self::MoveAndDrop => desk.move_and(|_| None),
            Self::MoveWithoutLedger => desk.move_without_ledger(),
            Self::Swap => desk.swap(),
            Self::Park => desk.park(),
            Self::DeleteDecoy => desk.remove_dir(".spec/decoy"),
            Self::DeleteLedger => desk.delete_ledger(),
            Self::DeleteNode => desk.delete_any(),
            Self::Resurrect => desk.resurrect(),
            Self::OutOfRoots => desk.out_of_roots(),
            Self::EditOutside => desk.edit_outside(),
            Self::BackIntoRoots => desk.back_into_roots(),
            Self::Exclude => desk.exclude(".spec/a"),
            Self::EditHidden => desk.edit_hidden(),
            Self::Include => desk.show_everything(),
            Self::Roots => desk.configure(&["yatsu", "roots"], json!(["specs"])),
            Self::LowerAndEdit => desk.lower_and_edit(),
            Self::OtherMain => desk.other_main(),
            Self::ExcludeAndEdit => desk.exclude_and_edit(),
            Self::Evidence => desk.evidence(),
            Self::OnlyEvidence => desk.only_evidence(),
            Self::BesideNames => desk.beside_names(),
            Self::FalseRedaction => desk.redact(false),
            Self::Link => desk.link(),
            Self::Directory => desk.directory(),
            Self::LineEnds => desk.line_ends(),
            Self::Slip => desk.slip(),
            Self::RenameAndEdit => desk.rename_and_edit(),
            Self::TakeAwayAndEdit => desk.take_away_and_edit(),
            Self::DropWithLines => desk.drop_with_lines(),
            Self::SwitchOff => desk.switch_off(),
            Self::SwitchOnAndDrop => desk.switch_on_and_drop(),
            Self::RootAlone => desk.rename_root(false),
            Self::HideAny => desk.hide_any(),
            Self::Garbage => desk.append_to_any(b"{\"scenario\":".to_vec()),
            Self::NoVerdict => desk.file_without_verdict(),
            Self::ClaimFalsely => desk.claim_falsely(),
            Self::Unprotect => desk.configure(&["yatsu", "protect"], json!([])),
        }
    }
}

/// The reading with the opposite verdict.
fn flipped(line: &[u8]) -> Option<Vec<u8>> {
    let text = String::from_utf8_lossy(line);
    let (pass, fail) = ("\"status\":\"pass\"", "\"status\":\"fail\"");
    let other = if text.contains(fail) { text.replace(fail, pass) } else { text.replace(pass, fail) };
    Some(other.into_bytes())
}

fn later(line: &[u8]) -> Option<Vec<u8>> {
    Some(String::from_utf8_lossy(line).replace(".000Z", ".500Z").into_bytes())
}

type Change = fn(&[u8]) -> Option<Vec<u8>>;

/// The deeds that change the configuration, alone or with lines.
impl Desk<'_> {
    fn edit_hidden(&mut self) {
        let change: Change = if self.dice.roll(2) == 0 { flipped } else { |_| None };
        self.change_lines_of(".spec/a", change);
    }

    fn lower_and_edit(&mut self) {
        self.switch_off();
        self.change_a_line(flipped);
    }

    fn other_main(&mut self) {
        self.configure(&["mainBranch"], "trunk".into());
        self.configure(&["yatsu", "protect"], json!([]));
    }

    fn exclude_and_edit(&mut self) {
        self.exclude(".spec/a");
        self.change_lines_of(".spec/a", flipped);
    }

    fn switch_on_and_drop(&mut self) {
        self.configure(&["yatsu", "rules"], json!({}));
        self.change_a_line(|_| None);
    }

    fn hide_any(&mut self) {
        if let Some(dir) = self.any(&self.with_lines()) {
            self.exclude(&dir);
        }
    }
}

impl Desk<'_> {
    fn evidence(&mut self) {
        let name = self.dice.pick(&["docs/shot.bin", "docs/HASH"]).replace("HASH", &sha256(EVIDENCE.as_bytes()));
        self.state.insert(name, EVIDENCE.as_bytes().to_vec());
    }

    fn only_evidence(&mut self) {
        self.state = State::from([(sha256(EVIDENCE.as_bytes()), EVIDENCE.as_bytes().to_vec())]);
    }

    fn with_lines(&self) -> Vec<String> {
        self.ledgers().into_iter().filter(|dir| !self.lines(dir).is_empty()).collect()
    }

    fn exclude(&mut self, dir: &str) {
        self.configure(&["yatsu", "exclude"], json!([dir]));
    }

    fn show_everything(&mut self) {
        self.configure(&["yatsu", "exclude"], json!([]));
        self.configure(&["yatsu", "roots"], json!([".spec"]));
        self.configure(&["mainBranch"], "main".into());
    }

    fn switch_off(&mut self) {
        self.configure(&["yatsu", "rules"], json!({"ledger-history": "off", "ledger-schema": "off"}));
    }

    fn append_to_any(&mut self, line: Vec<u8>) {
        if let Some(dir) = self.any(&self.with_lines()) {
            self.append(&dir, &[line]);
        }
    }

    fn file_without_verdict(&mut self) {
        let Some(dir) = self.any(&self.with_lines()) else { return };
        let Some(scenario) = self.any(&self.declared(&dir)) else { return };
        let line = self.filed(&scenario, ("none", None), false);
        let line = String::from_utf8_lossy(&line).replace("\"verdict\":{\"status\":\"none\"},", "");
        self.append(&dir, &[line.into_bytes()]);
    }

    /// Renames a scenario and edits a line of its ledger.
    fn rename_and_edit(&mut self) {
        self.rename_scenario();
        let orphaned = |dir: &String| {
            let declared = self.declared(dir);
            let is_declared = |name: &String| declared.iter().any(|one| nfc(&one.name) == *name);
            self.lines(dir).iter().filter_map(|line| scenario_of(line)).any(|name| !is_declared(&name))
        };
        let dirs: Vec<String> = self.with_lines().into_iter().filter(orphaned).collect();
        if let Some(dir) = self.any(&dirs) {
            let change: Change = if self.dice.roll(2) == 0 { flipped } else { |_| None };
            self.change_lines_of(&dir, change);
        }
    }

    /// Removes the scenario file and edits a line of the ledger.
    fn take_away_and_edit(&mut self) {
        let Some(dir) = self.any(&self.with_lines()) else { return };
        self.state.remove(&self.scenario_file(&dir));
        let change: Change = if self.dice.roll(2) == 0 { flipped } else { |_| None };
        self.change_lines_of(&dir, change);
    }

    /// Removes a scenario's lines from a ledger that stays.
    fn drop_with_lines(&mut self) {
        let Some(dir) = self.any(&self.with_lines()) else { return };
        let Some(dropped) = self.any(&self.declared(&dir)) else { return };
        let rest: Vec<_> = self.declared(&dir).into_iter().filter(|one| *one != dropped).collect();
        let mut all = self.lines(&dir);
        all.retain(|line| scenario_of(line) != Some(nfc(&dropped.name)));
        self.set_lines(&dir, &all);
        if !rest.is_empty() {
            self.declare(&dir, &rest);
        }
    }

    fn change_lines_of(&mut self, dir: &str, change: Change) {
        let mut all = self.lines(dir);
        if all.is_empty() {
            return;
        }
        let at = self.dice.roll(all.len());
        let line = all.remove(at);
        if let Some(line) = change(&line) {
            all.insert(at, line);
        }
        self.set_lines(dir, &all);
    }

    fn change_a_line(&mut self, change: Change) {
        if let Some(dir) = self.any(&self.with_lines()) {
            self.change_lines_of(&dir, change);
        }
    }

    fn empty(&mut self) {
        if let Some(dir) = self.any(&self.with_lines()) {
            self.state.insert(self.ledger(&dir), Vec::new());
        }
    }

    fn copy_edited(&mut self) {
        let (Some(from), Some(to)) = (self.any(&self.with_lines()), self.node()) else { return };
        let line = self.any(&self.lines(&from)).and_then(|line| flipped(&line));
        self.append(&to, &line.into_iter().collect::<Vec<_>>());
    }

    fn move_and(&mut self, change: Change) {
        let (Some(from), Some(to)) = (self.any(&self.with_lines()), self.free()) else { return };
        self.rename(&from, &to);
        self.change_lines_of(&to, change);
    }

    fn move_without_ledger(&mut self) {
        let (Some(from), Some(to)) = (self.any(&self.with_lines()), self.free()) else { return };
        self.rename(&from, &to);
        let stays = self.dice.roll(2) == 0;
        let all = self.lines(&to);
        self.set_lines(&to, &[]);
        if stays {
            self.set_lines(&from, &all);
        }
    }

    /// Two nodes exchange their ledgers.
    fn swap(&mut self) {
        let (Some(one), Some(other)) = (self.any(&self.with_lines()), self.node()) else { return };
        let (first, second) = (self.lines(&one), self.lines(&other));
        self.set_lines(&one, &second);
        self.set_lines(&other, &first);
    }

    /// Puts a line into another node that declares the same scenario.
    fn park(&mut self) {
        let Some(from) = self.any(&self.with_lines()) else { return };
        let mut all = self.lines(&from);
        let line = all.remove(self.dice.roll(all.len()));
        let declared = self.declared(&from);
        let name = scenario_of(&line);
        let Some(scenario) = declared.into_iter().find(|one| Some(nfc(&one.name)) == name) else { return };
        self.set_lines(&from, &all);
        if self.declared(".spec/decoy").is_empty() {
            self.declare(".spec/decoy", &[scenario]);
        }
        self.append(".spec/decoy", &[line]);
    }

    fn remove_dir(&mut self, dir: &str) {
        self.rename(dir, "gone");
        self.state.retain(|path, _| !path.starts_with("gone/"));
    }

    fn delete_ledger(&mut self) {
        if let Some(dir) = self.any(&self.with_lines()) {
            self.set_lines(&dir, &[]);
        }
    }

    fn delete_any(&mut self) {
        let nodes = self.nodes();
        if let Some(dir) = self.any(&nodes).filter(|_| nodes.len() > 1) {
            self.remove_dir(&dir);
        }
    }

    /// Brings back an old node, in its place or elsewhere, with fewer or other lines.
    fn resurrect(&mut self) {
        let memory = self.memory.to_vec();
        let Some((dir, line)) = self.any(&memory) else { return };
        let Some(name) = scenario_of(&line) else { return };
        let mut scenario = self.new_scenario();
        (scenario.description, scenario.name) = (format!("measure {name}"), name.clone());
        let dir = if self.dice.roll(3) > 0 { dir } else { self.free().unwrap_or(dir) };
        if self.declared(&dir).is_empty() {
            self.declare(&dir, &[scenario]);
        }
        let past = memory.iter().filter(|(_, line)| scenario_of(line).as_ref() == Some(&name)).map(|(_, line)| line);
        let altered: Vec<Vec<u8>> = match self.dice.roll(3) {
            0 => past.filter_map(|line| flipped(line)).collect(),
            1 => past.cloned().collect(),
            _ => past.skip(1).cloned().collect(),
        };
        self.append(&dir, &altered);
    }

    /// Moves a node out of the roots, under names that are recognised only below the roots.
    fn out_of_roots(&mut self) {
        let Some(dir) = self.any(&self.with_lines()).filter(|dir| dir.starts_with(".spec/")) else { return };
        let all = self.lines(&dir);
        let file = self.declared(&dir);
        let out = format!("docs/{}", &dir[".spec/".len()..]);
        self.remove_dir(&dir);
        self.state.insert(format!("{out}/eval.md"), super::desk::written(&file));
        self.state.insert(format!("{out}/evals.ndjson"), all.join(&b'\n').into_iter().chain(*b"\n").collect());
        if self.dice.roll(3) == 0 {
            self.change_lines_of(&out, flipped);
        }
    }

    fn outside(&mut self) -> Option<String> {
        let out: Vec<String> = self.all_ledgers().into_iter().filter(|dir| dir.starts_with("docs/")).collect();
        self.any(&out)
    }

    fn edit_outside(&mut self) {
        let Some(dir) = self.outside() else { return };
        let change: Change = if self.dice.roll(2) == 0 { flipped } else { |_| None };
        self.change_lines_of(&dir, change);
    }

    fn back_into_roots(&mut self) {
        let Some(dir) = self.outside() else { return };
        let back = format!(".spec/{}", &dir["docs/".len()..]);
        let to = if self.declared(&back).is_empty() { Some(back) } else { self.free() };
        if let Some(to) = to {
            self.rename(&dir, &to);
        }
    }

    /// Adds a ledger of the newer name beside the older one, with only some of its lines.
    fn beside_names(&mut self) {
        let Some(dir) = self.any(&self.with_lines()).filter(|dir| DIRS.contains(&dir.as_str())) else { return };
        let all = self.lines(&dir);
        self.set_lines(&dir, &all[..all.len() / 2]);
        let rest: Vec<u8> = all[all.len() / 2..].iter().flat_map(|line| [line, &b"\n"[..]].concat()).collect();
        let path = format!("{dir}/evals.ndjson");
        self.state.entry(path).or_insert(rest);
    }

    /// Replaces the ledger by a link to other lines, or to the same lines with a better end.
    fn link(&mut self) {
        let Some(dir) = self.any(&self.with_lines()) else { return };
        let ledger = self.ledger(&dir);
        let mut all = self.lines(&dir);
        let at = self.dice.roll(all.len());
        all[at] = flipped(&all[at]).unwrap_or_default();
        let better = all.iter().flat_map(|line| [line, &b"\n"[..]].concat()).collect();
        let to = self.dice.pick(&["elsewhere.ndjson", "../../docs/elsewhere.txt", "../b/yatsu.evals.ndjson"]);
        if to == "elsewhere.ndjson" {
            self.state.insert(format!("{dir}/{to}"), better);
        } else {
            self.state.insert("docs/elsewhere.txt".to_owned(), better);
        }
        self.state.insert(ledger, [LINK, to].concat().into_bytes());
    }

    /// Replaces the ledger by a directory of its name, with the lines or without.
    fn directory(&mut self) {
        let Some(dir) = self.any(&self.with_lines()) else { return };
        let bytes = self.state.remove(&self.ledger(&dir)).unwrap_or_default();
        let name = self.dice.pick(&["yatsu.evals.ndjson", "x"]);
        self.state.insert(format!("{}/{name}", self.ledger(&dir)), bytes);
    }

    /// Changes the line ends to another system's, and one line.
    fn line_ends(&mut self) {
        let Some(dir) = self.any(&self.with_lines()) else { return };
        self.change_lines_of(&dir, flipped);
        let ledger = self.ledger(&dir);
        let bytes = self.state.get(&ledger).map(|bytes| String::from_utf8_lossy(bytes).replace('\n', "\r\n"));
        self.state.extend(bytes.map(|bytes| (ledger, bytes.into_bytes())));
    }

    /// Makes the scenario file unreadable and removes a line of the ledger.
    fn slip(&mut self) {
        let Some(dir) = self.any(&self.with_lines()) else { return };
        let file = self.scenario_file(&dir);
        let slip = self.dice.pick(&["\texpected: [", "expected: a: b", "<<: *x"]);
        let bytes =
            self.state.get(&file).map(|bytes| String::from_utf8_lossy(bytes).replacen("expected: it works", slip, 1));
        self.state.extend(bytes.map(|bytes| (file, bytes.into_bytes())));
        self.change_lines_of(&dir, |_| None);
    }
}
