//! The answers to the events of a coding agent's harness. Input: what a door has to say, and the program that waits. Output:
//! the bytes of one JSON object, or none.
//!
//! Agents obey what they read, so a repository must not write it. A text holds sentences of this file, and names and paths
//! that [`NameRule`] allows; a command that a scenario declares is pointed to, never repeated. No answer has another key than
//! the ones below, and none grants a permission.

use crate::features::agents::model::agent_event::Speaker;
use crate::features::agents::model::reply::{
    AgentReply, ClaimNote, ClaimedThing, CommandPlace, DeclaredTest, DueScenario, EditNote, GoverningScenario,
    MOST_SCENARIOS, NameRule, NamedScenario, StartNote, StopNote, UncommittedReading,
};
use crate::text::shell;
use bstr::{BString, ByteSlice};
use serde_json::{Value, json};

/// The limits of a text: Cursor drops a long one whole.
const MAX_BYTES: usize = 2_000;
const MAX_LINES: usize = 12;
/// How many failing, and how many stale scenarios the start of a session names.
const MOST_AT_START: usize = 3;
/// How many claims one text names.
const MOST_CLAIMS: usize = 3;
/// How many readings that are not committed one text names.
const MOST_UNCOMMITTED: usize = 3;
/// The longest name, in characters.
const MAX_NAME: usize = 60;
/// What an agent must know that never saw this program.
const ABOUT_MEASURING: &str = "to measure: do what a scenario's yatsu.md describes, look at the result, file it as a pass or \
                               a fail; what and how: yatsu-hook next";

/// The answer as the program reads it. `event` is the name of the event.
pub(crate) fn encode(speaker: Speaker, event: &str, names: NameRule, reply: &AgentReply) -> Vec<u8> {
    let wording = Wording { speaker, names };
    let answer = match reply {
        AgentReply::Neutral => None,
        AgentReply::Start(note) => context(speaker, event, &wording.started(note)),
        AgentReply::Edit(note) => context(speaker, event, &wording.edited(note)),
        AgentReply::Ask(note) => question(speaker, &wording.stopped(note)),
        AgentReply::Say(note) => message(speaker, &wording.stopped(note)),
    };
    match answer {
        Some(answer) => answer.to_string().into_bytes(),
        None if speaker == Speaker::Cursor => b"{}".to_vec(),
        None => Vec::new(),
    }
}

/// Whether the program shows its user a message that stops nothing.
pub(crate) fn has_messages(speaker: Speaker) -> bool {
    message(speaker, "").is_some()
}

/// Whether the program lets a hook ask at a stop.
pub(crate) fn has_questions(speaker: Speaker) -> bool {
    question(speaker, "").is_some()
}

fn context(speaker: Speaker, event: &str, text: &str) -> Option<Value> {
    match speaker {
        Speaker::Claude | Speaker::Codex | Speaker::Gemini | Speaker::VsCode => {
            Some(json!({"hookSpecificOutput": {"hookEventName": event, "additionalContext": text}}))
        }
        Speaker::Cursor => Some(json!({"additional_context": text})),
        Speaker::Copilot => Some(json!({"additionalContext": text})),
    }
}

fn question(speaker: Speaker, text: &str) -> Option<Value> {
    match speaker {
        Speaker::Claude | Speaker::Codex | Speaker::Copilot => Some(json!({"decision": "block", "reason": text})),
        Speaker::Gemini => Some(json!({"decision": "deny", "reason": text})),
        Speaker::Cursor => Some(json!({"followup_message": text})),
        Speaker::VsCode => None,
    }
}

fn message(speaker: Speaker, text: &str) -> Option<Value> {
    match speaker {
        Speaker::Claude | Speaker::Codex | Speaker::Gemini => Some(json!({"systemMessage": text})),
        Speaker::Cursor | Speaker::Copilot | Speaker::VsCode => None,
    }
}

/// The sentences for one program, with the names that it may read.
#[derive(Clone, Copy)]
struct Wording {
    speaker: Speaker,
    names: NameRule,
}

impl Wording {
    fn started(self, note: &StartNote) -> String {
        let StartNote { score, failing, stale, claims } = note;
        let mut text = Lines::default();
        text.add(format!("yatsu-hook: {}", score.sentence()));
        text.add(ABOUT_MEASURING.to_owned());
        let lines = |of: &[NamedScenario], is: &str| {
            of.iter().map(|one| vec![format!("{} {is}", self.names.scenario(one))]).collect()
        };
        text.list(lines(failing, "fails"), MOST_AT_START, "yatsu-hook ls --failing");
        text.list(lines(stale, "is stale"), MOST_AT_START, "yatsu-hook ls --stale");
        text.list(self.claimed(claims), MOST_CLAIMS, "yatsu-hook claim ls");
        text.whole()
    }

    fn edited(self, note: &EditNote) -> String {
        let mut text = Lines::default();
        text.list(self.claimed(&note.claims), MOST_CLAIMS, "yatsu-hook claim ls");
        let line = |one: &GoverningScenario| {
            let test = match &one.test {
                DeclaredTest::Command(place) => self.names.command(place),
                DeclaredTest::Report | DeclaredTest::Unset => None,
            };
            let test = test.map(|place| format!("; test's command: {place}")).unwrap_or_default();
            let (path, scenario) = (self.names.path(&one.path), self.names.scenario(&one.scenario));
            vec![format!("{path} is governed by {scenario}{test}")]
        };
        let more = match note.governing.first().and_then(|one| self.names.word(&one.path)) {
            Some(path) => format!("yatsu-hook impact {path}"),
            None => "yatsu-hook ls".to_owned(),
        };
        text.list(note.governing.iter().map(line).collect(), MOST_SCENARIOS, &more);
        text.whole()
    }

    fn stopped(self, note: &StopNote) -> String {
        let (own, more) = (usize::from(!note.own.is_empty()), usize::from(!note.uncommitted.is_empty()));
        let mut text = Lines { reserved: own + more, ..Lines::default() };
        text.list(note.due.iter().map(|due| self.due(due)).collect(), MOST_SCENARIOS, "yatsu-hook ls --stale");
        text.reserved = own;
        let uncommitted = note.uncommitted.iter().map(|one| vec![self.uncommitted(one)]).collect();
        text.list(uncommitted, MOST_UNCOMMITTED, "git status");
        text.reserved = 0;
        if let Some((first, others)) = note.own.split_first() {
            let more = if others.is_empty() { String::new() } else { format!(" and {} more", others.len()) };
            text.add(format!(
                "this session claims {}{more}; if it is done: yatsu-hook claim release \"$YATSU_CLAIM\"",
                self.names.claimed(&first.on)
            ));
        }
        text.whole()
    }

    /// What moved and how to measure it, then the command that files the reading.
    fn due(self, due: &DueScenario) -> Vec<String> {
        let names = self.names;
        let state = if due.was_fresh { "was fresh" } else { "is required" };
        let elsewhere = self.elsewhere(due.tree.as_ref());
        let said = format!("{} moved: {} {state}{elsewhere}", names.path(&due.moved), names.scenario(&due.scenario));
        let NamedScenario { node, name } = &due.scenario;
        let node = names.word(node);
        let next = node.as_ref().map_or_else(|| "yatsu-hook next".to_owned(), |node| format!("yatsu-hook next {node}"));
        let commit = if due.dirty { "first git commit, then " } else { "" };
        let (Some(node), Some(name)) = (node, names.plain(name.as_bytes()).map(shell::word)) else {
            return vec![said, format!("  {commit}measure it: {next}")];
        };
        // these two alone hand over an exit code; without one an observation cannot be filed
        let is_seen = matches!(self.speaker, Speaker::Claude | Speaker::Cursor);
        let file = |verdict: &str| {
            let claim = if due.held { " --claim \"$YATSU_CLAIM\"" } else { "" };
            let rest = format!("{verdict}{claim}");
            format!("yatsu-hook eval {node} --scenario={name} {rest}")
        };
        let (measure, then) = match &due.test {
            DeclaredTest::Command(place) => {
                let place = names.command(place).unwrap_or(next);
                let verdict = if is_seen { "--observed" } else { "(--pass or --fail)" };
                (format!("run test's command: {place}"), file(verdict))
            }
            // a report files nothing for a claimed scenario
            DeclaredTest::Report if due.held => ("run its test".to_owned(), file("(--pass or --fail)")),
            DeclaredTest::Report => ("run its test".to_owned(), format!("yatsu-hook eval {node} --from-junit REPORT")),
            DeclaredTest::Unset => ("measure it".to_owned(), file("(--pass or --fail)")),
        };
        vec![format!("{said}; {commit}{measure}"), format!("  then: {then}")]
    }

    /// That a scenario moved in another work tree than the one of the event.
    fn elsewhere(self, tree: Option<&BString>) -> String {
        match tree.map(|tree| self.names.plain(tree)) {
            None => String::new(),
            Some(None) => ", in another work tree".to_owned(),
            Some(Some(tree)) => format!(", in the work tree `{tree}`"),
        }
    }

    /// The reading of a scenario that no commit has, with the command that adds it.
    fn uncommitted(self, one: &UncommittedReading) -> String {
        let scenario = self.names.scenario(&one.scenario);
        let elsewhere = self.elsewhere(one.tree.as_ref());
        let add = match self.names.word(&one.ledger) {
            Some(ledger) => format!("git add {ledger}"),
            None => format!("git add {}", self.names.path(&one.ledger)),
        };
        format!("the reading of {scenario} is not committed{elsewhere}: {add}, then git commit")
    }

    fn claimed(self, claims: &[ClaimNote]) -> Vec<Vec<String>> {
        let line = |claim: &ClaimNote| {
            let owner = self.names.plain(claim.owner.as_bytes());
            let by = owner.map(|owner| format!(" by `{owner}`")).unwrap_or_default();
            vec![format!("{} is claimed{by}", self.names.claimed(&claim.on))]
        };
        claims.iter().map(line).collect()
    }
}

impl NameRule {
    /// The name or path, if a text may show it. Every other one could be an order, or hide one.
    fn plain(self, text: &[u8]) -> Option<&str> {
        let is_allowed = |byte: &u8| {
            byte.is_ascii_alphanumeric() || b"._/-".contains(byte) || *byte == b' ' && self == Self::WithBlanks
        };
        let is_name = (1..=MAX_NAME).contains(&text.len()) && text.iter().all(is_allowed) && text.trim() == text;
        text.to_str().ok().filter(|_| is_name)
    }

    /// A path as one word of a command; `None` if it is not shown, or would be an option.
    fn word(self, path: &[u8]) -> Option<String> {
        let path = if path.is_empty() { &b"."[..] } else { path };
        self.plain(path).filter(|path| !path.starts_with('-')).map(shell::word)
    }

    fn path(self, path: &[u8]) -> String {
        self.plain(path).map_or_else(|| format!("a file{}", self.below(path)), |path| format!("`{path}`"))
    }

    fn scenario(self, one: &NamedScenario) -> String {
        self.scenario_at(one.node.strip_prefix(b".spec/").unwrap_or(&one.node), one)
    }

    /// The scenario with this spelling of the directory of its node.
    fn scenario_at(self, dir: &[u8], one: &NamedScenario) -> String {
        let dir = if dir.is_empty() { &b"."[..] } else { dir };
        match (self.plain(dir), self.plain(one.name.as_bytes()), self.plain(&one.node)) {
            (Some(dir), Some(name), _) => format!("`{dir}/{name}`"),
            (_, _, Some(node)) => format!("a scenario of `{node}`"),
            (_, _, None) => format!("a scenario{}", self.below(&one.node)),
        }
    }

    fn claimed(self, on: &ClaimedThing) -> String {
        match on {
            ClaimedThing::Scenario(one) => self.scenario_at(&one.node, one),
            ClaimedThing::Key(key) => {
                self.plain(key.as_bytes()).map_or_else(|| "a key".to_owned(), |key| format!("`key {key}`"))
            }
            ClaimedThing::Path(path) => match self.plain(path.as_bytes()) {
                Some(path) => format!("`path {path}`"),
                None => format!("a path{}", self.below(path.as_bytes())),
            },
        }
    }

    /// The place of a command, for example `.spec/board/yatsu.md:7`.
    fn command(self, place: &CommandPlace) -> Option<String> {
        self.plain(&place.file).map(|file| format!("`{file}:{}`", place.line))
    }

    /// The nearest directory above `path` that may be shown, as the end of a phrase; empty without one.
    fn below(self, path: &[u8]) -> String {
        let ends = path.iter().enumerate().rev().filter(|(_, byte)| **byte == b'/').map(|(at, _)| at);
        let above = ends.map(|end| &path[..end]).find_map(|dir| self.plain(dir));
        above.map(|dir| format!(" below `{dir}`")).unwrap_or_default()
    }
}

/// A text within the limits.
#[derive(Default)]
struct Lines {
    lines: Vec<String>,
    bytes: usize,
    /// How many lines to leave free.
    reserved: usize,
}

impl Lines {
    /// More bytes than the line about the others has.
    const MORE: usize = 400;

    fn add(&mut self, line: String) {
        self.bytes += line.len() + 1;
        self.lines.push(line);
    }

    /// Adds up to `most` items, each of some lines, and the number of the others with the command that lists them.
    fn list(&mut self, items: Vec<Vec<String>>, most: usize, command: &str) {
        let count = items.len();
        for (at, item) in items.into_iter().enumerate() {
            // a line stays free for the number of the others, here and in the lists that follow
            let lines = self.lines.len() + item.len() + 1 + self.reserved;
            let bytes = self.bytes + item.iter().map(|line| line.len() + 1).sum::<usize>();
            if at >= most || lines > MAX_LINES || bytes > MAX_BYTES - (1 + self.reserved) * Self::MORE {
                return self.add(format!("and {} more: {command}", count - at));
            }
            item.into_iter().for_each(|line| self.add(line));
        }
    }

    fn whole(self) -> String {
        self.lines.join("\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::view::tally::ScoreTally;
    use proptest::prelude::*;

    const RULES: [NameRule; 2] = [NameRule::WithBlanks, NameRule::WithoutBlanks];

    fn scenario(node: &str, name: &str) -> NamedScenario {
        NamedScenario { node: node.into(), name: name.into() }
    }

    /// All texts of a state with these names, each `count` times.
    fn texts(names: NameRule, name: &str, path: &str, count: usize) -> Vec<String> {
        let one = scenario(path, name);
        let on = [ClaimedThing::Scenario(one.clone()), ClaimedThing::Key(name.into()), ClaimedThing::Path(path.into())];
        let claims: Vec<ClaimNote> =
            on.into_iter().cycle().take(count).map(|on| ClaimNote { on, owner: name.into() }).collect();
        let scenarios = vec![one.clone(); count];
        let (failing, stale) = (scenarios.clone(), scenarios);
        let start = StartNote { score: ScoreTally::default(), failing, stale, claims: claims.clone() };
        let place = CommandPlace { file: format!("{path}/yatsu.md").into(), line: 7 };
        let tests = [DeclaredTest::Command(place), DeclaredTest::Report, DeclaredTest::Unset];
        let tests = || tests.iter().cloned().cycle().take(count);
        let governing =
            tests().map(|test| GoverningScenario { path: path.into(), scenario: one.clone(), test }).collect();
        let edit = EditNote { governing, claims: claims.clone() };
        let tree = Some(path.as_bytes().into());
        let due = |test| DueScenario {
            scenario: one.clone(),
            moved: path.into(),
            was_fresh: true,
            test,
            dirty: true,
            held: true,
            tree: tree.clone(),
        };
        let filed = UncommittedReading { scenario: one.clone(), ledger: path.into(), tree: tree.clone() };
        let stop = StopNote { due: tests().map(due).collect(), uncommitted: vec![filed; count], own: claims };
        let [claude, codex] = [Speaker::Claude, Speaker::Codex].map(|speaker| Wording { speaker, names });
        vec![claude.started(&start), claude.edited(&edit), claude.stopped(&stop), codex.stopped(&stop)]
    }

    /// The rule again, as a slow judge reads it.
    fn may_be_shown(names: NameRule, text: &str) -> bool {
        let blank = if names == NameRule::WithBlanks { " " } else { "" };
        let allowed = format!("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._/-{blank}");
        text.chars().all(|one| allowed.contains(one)) && text.chars().count() <= 60 && text.trim() == text
    }

    proptest! {
        #[test]
        fn every_text_is_short_and_shows_no_other_name_than_a_plain_one(
            before in "[a-zA-Z0-9 ._/-]{0,40}",
            odd in prop::sample::select(vec!["", "", "", " ", "`", "\n", "\"", "$(x)", ";", ":", "\u{202e}", "\u{1f980}", "\u{e9}"]),
            after in "[a-zA-Z0-9 ._/-]{0,40}",
            folder in "[a-z]{1,9}|[a-z ]{1,9}|[`$]{1,3}",
            count in 0_usize..40,
        ) {
            // the mark stands in the name itself, and not in the folder, which may be shown without the name
            let name = format!("{before}ZQX{odd}{after}");
            let path = format!("{folder}/{}", name.replace('/', "-"));
            for names in RULES {
                for text in texts(names, &name, &path, count) {
                    prop_assert!(text.len() <= MAX_BYTES && text.lines().count() <= MAX_LINES, "{} {text}", text.len());
                    prop_assert!(text.bytes().all(|byte| byte == b'\n' || matches!(byte, b' '..=b'~')), "{text}");
                    let files = [&name, &path, &format!("{path}/yatsu.md")];
                    let shown = files.into_iter().any(|file| may_be_shown(names, file));
                    prop_assert!(shown || !text.contains("ZQX"), "{names:?} {text}");
                    if names == NameRule::WithoutBlanks {
                        for name in text.split('`').skip(1).step_by(2) {
                            let name = name.strip_prefix("path ").or(name.strip_prefix("key ")).unwrap_or(name);
                            prop_assert!(!name.contains(' '), "{text}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn a_name_that_is_not_shown_is_told_by_the_nearest_directory() {
        let [words, single] = RULES;
        for (names, path, expected) in [
            (words, "src/a b.rs", "`src/a b.rs`"),
            (single, "src/a b.rs", "a file below `src`"),
            (words, "src/`x`/y.rs", "a file below `src`"),
            (words, "\u{e9}/y.rs", "a file"),
            (words, &format!("src/{}", "x".repeat(57)), "a file below `src`"),
        ] {
            assert_eq!(names.path(path.as_bytes()), expected);
        }
        for (names, node, name, expected) in [
            (words, ".spec/board", "draws lines", "`board/draws lines`"),
            (single, ".spec/board", "draws lines", "a scenario of `.spec/board`"),
            (words, ".spec/board", "x; rm", "a scenario of `.spec/board`"),
            (single, ".spec/odd dir", "s", "a scenario below `.spec`"),
            (words, "", "s", "`./s`"),
            (words, "", "`", "a scenario"),
        ] {
            assert_eq!(names.scenario(&scenario(node, name)), expected);
        }
    }

    #[test]
    fn only_two_programs_prove_an_exit_code() {
        let [_, _, claude, codex] = &texts(NameRule::WithoutBlanks, "s", ".spec/n", 1)[..] else { panic!() };
        assert!(
            claude.contains(
                "then run test's command: `.spec/n/yatsu.md:7`\n  then: yatsu-hook eval .spec/n --scenario=s --observed"
            ),
            "{claude}"
        );
        assert!(codex.contains("--scenario=s (--pass or --fail) --claim \"$YATSU_CLAIM\""), "{codex}");
    }
}
