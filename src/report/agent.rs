//! The answers to the events of a coding agent's harness. Input: what a door has to say, and the program that waits. Output:
//! the bytes of one JSON object, or none.
//!
//! Agents obey what they read, so a repository must not write it: names, paths and owners are escaped, between backticks and
//! short; descriptions, notes and reasons are never repeated. No answer has another key than the ones below, and none grants
//! a permission.

use super::view::agent::{
    AgentReply, ClaimNote, DueScenario, EditNote, GoverningScenario, MOST_SCENARIOS, NamedScenario, StartNote, StopNote,
};
use crate::text::agent_event::Speaker;
use crate::text::escape::{ECHO, clip, terminal};
use crate::text::shell;
use bstr::ByteSlice;
use serde_json::{Value, json};

/// The limits of a text: Cursor drops a long one whole.
const MAX_BYTES: usize = 2_000;
const MAX_LINES: usize = 12;
/// How many failing, and how many stale scenarios the start of a session names.
const MOST_AT_START: usize = 3;
/// How many claims one text names.
const MOST_CLAIMS: usize = 3;
/// What measuring is, at the start of a session.
const MEASURING: &str = "to measure: do what the scenario describes, compare with what it expects, then file what you saw: \
                         yatsu-hook eval NODE/SCENARIO --pass (or --fail); with a test: --from-junit FILE, the report of its run";
/// The longest command that is repeated, in characters.
const MAX_COMMAND: usize = 200;
/// The longest word of a command, in bytes.
const MAX_WORD: usize = 240;

/// The answer as the program reads it. `event` is the name of the event.
pub(crate) fn encode(speaker: Speaker, event: &str, reply: &AgentReply) -> Vec<u8> {
    let answer = match reply {
        AgentReply::Neutral => None,
        AgentReply::Start(note) => context(speaker, event, &started(note)),
        AgentReply::Edit(note) => context(speaker, event, &edited(note)),
        AgentReply::Ask(note) => question(speaker, &stopped(speaker, note)),
        AgentReply::Say(note) => message(speaker, &stopped(speaker, note)),
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

fn started(note: &StartNote) -> String {
    let StartNote { score, failing, stale, claims } = note;
    let mut text = Lines::beginning(format!("yatsu-hook: {}", score.sentence()));
    text.add(MEASURING.to_owned());
    let lines = |of: &[NamedScenario], is: &str| of.iter().map(|one| vec![format!("{} {is}", called(one))]).collect();
    text.list(lines(failing, "fails"), MOST_AT_START, "yatsu-hook ls --failing");
    text.list(lines(stale, "is stale"), MOST_AT_START, "yatsu-hook ls --stale");
    text.list(claimed(claims), MOST_CLAIMS, "yatsu-hook claim ls");
    text.whole()
}

fn edited(note: &EditNote) -> String {
    let mut text = Lines::default();
    text.list(claimed(&note.claims), MOST_CLAIMS, "yatsu-hook claim ls");
    let line = |one: &GoverningScenario| {
        let measure = match shown_command(one.command.as_deref()) {
            Some(command) => format!("; measured by `{command}`"),
            None => String::new(),
        };
        vec![format!("{} is governed by {}{measure}", quoted(&one.path), called(&one.scenario))]
    };
    let more = match note.governing.first().and_then(|one| plain_word(&one.path)) {
        Some(path) => format!("yatsu-hook impact {path}"),
        None => "yatsu-hook ls".to_owned(),
    };
    text.list(note.governing.iter().map(line).collect(), MOST_SCENARIOS, &more);
    text.whole()
}

fn stopped(speaker: Speaker, note: &StopNote) -> String {
    let mut text = Lines { reserved: usize::from(!note.own.is_empty()), ..Lines::default() };
    let due = note.due.iter().map(|due| self::due(speaker, due)).collect();
    text.list(due, MOST_SCENARIOS, "yatsu-hook ls --stale");
    text.reserved = 0;
    if let Some((first, others)) = note.own.split_first() {
        let more = if others.is_empty() { String::new() } else { format!(" and {} more", others.len()) };
        text.add(format!(
            "this session claims {}{more}; if it is done: yatsu-hook claim release \"$YATSU_CLAIM\"",
            quoted(first.on.as_bytes())
        ));
    }
    text.whole()
}

/// What moved and how to measure it, then the command that files the reading.
fn due(speaker: Speaker, due: &DueScenario) -> Vec<String> {
    let state = if due.was_fresh { "was fresh" } else { "is required" };
    let said = format!("{} moved: {} {state}", quoted(&due.moved), called(&due.scenario));
    let NamedScenario { node, name } = &due.scenario;
    let (Some(path), Some(scenario)) = (plain_word(node), plain_word(name.as_bytes())) else {
        let node = plain_word(node).map(|path| format!(" {path}")).unwrap_or_default();
        return vec![said, format!("  measure it: yatsu-hook next{node}")];
    };
    let commit = if due.dirty { "first git commit, then " } else { "" };
    // these two alone hand over an exit code; without one an observation cannot be filed
    let is_seen = matches!(speaker, Speaker::Claude | Speaker::Cursor);
    let (measure, verdict) = match (&due.command, shown_command(due.command.as_deref())) {
        (Some(_), Some(command)) if is_seen => (format!("run `{command}`"), "--observed"),
        (Some(_), None) if is_seen => (format!("run what yatsu-hook next {path} says"), "--observed"),
        (Some(_), Some(command)) => (format!("run `{command}`"), "(--pass or --fail)"),
        (_, _) => ("measure it".to_owned(), "(--pass or --fail)"),
    };
    let rest = format!("{verdict}{}", if due.held { " --claim \"$YATSU_CLAIM\"" } else { "" });
    vec![format!("{said}; {commit}{measure}"), format!("  then: yatsu-hook eval {path} --scenario={scenario} {rest}")]
}

fn claimed(claims: &[ClaimNote]) -> Vec<Vec<String>> {
    let line = |claim: &ClaimNote| {
        vec![format!("{} is claimed by {}", quoted(claim.on.as_bytes()), quoted(claim.owner.as_bytes()))]
    };
    claims.iter().map(line).collect()
}

/// A text between backticks that can neither end them nor hide anything, at most 80 characters.
fn quoted(text: &[u8]) -> String {
    let text = terminal(text).replace('`', "\\u{60}");
    let shown = if text.chars().count() > ECHO { clip(&text, ECHO - 1) } else { text.as_str().into() };
    format!("`{shown}`")
}

fn called(scenario: &NamedScenario) -> String {
    let node = scenario.node.to_str_lossy();
    let node = node.strip_prefix(".spec/").unwrap_or(&node);
    quoted(format!("{node}/{}", scenario.name).as_bytes())
}

/// A text as one word of a command; `None` if it is too long, would be an option, or must be escaped to be shown.
fn plain_word(text: &[u8]) -> Option<String> {
    let text = text
        .to_str()
        .ok()
        .filter(|text| text.chars().count() <= ECHO && terminal(text) == *text && !text.starts_with('-'))?;
    Some(shell::word(if text.is_empty() { "." } else { text })).filter(|word| word.len() <= MAX_WORD)
}

/// A declared command, unless it is long or could be mistaken for another text.
fn shown_command(command: Option<&str>) -> Option<&str> {
    command.filter(|text| text.chars().count() <= MAX_COMMAND && terminal(text) == *text && !text.contains('`'))
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

    fn beginning(line: String) -> Self {
        let mut text = Self::default();
        text.add(line);
        text
    }

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

    fn scenario(node: &str, name: &str) -> NamedScenario {
        NamedScenario { node: node.into(), name: name.into() }
    }

    /// All texts of a state with these names, each `count` times.
    fn texts(name: &str, path: &str, command: Option<String>, count: usize) -> Vec<String> {
        let (one, claim) = (scenario(path, name), ClaimNote { on: path.into(), owner: name.into() });
        let (scenarios, claims) = (vec![one.clone(); count], vec![claim; count]);
        let (failing, stale) = (scenarios.clone(), scenarios.clone());
        let start = StartNote { score: ScoreTally::default(), failing, stale, claims: claims.clone() };
        let governing = GoverningScenario { path: path.into(), scenario: one.clone(), command: command.clone() };
        let edit = EditNote { governing: vec![governing; count], claims: claims.clone() };
        let due = DueScenario { scenario: one, moved: path.into(), was_fresh: true, command, dirty: true, held: true };
        let stop = StopNote { due: vec![due; count], own: claims };
        vec![started(&start), edited(&edit), stopped(Speaker::Claude, &stop), stopped(Speaker::Codex, &stop)]
    }

    proptest! {
        #[test]
        fn every_text_is_short_and_nothing_in_it_ends_a_quotation(
            name in "\\PC{0,120}|[`'\u{202e}\n\u{1f980}é]{0,120}",
            path in "\\PC{0,120}|[`'\u{202e}\n\u{1f980}é/]{0,120}",
            command in proptest::option::of("\\PC{0,300}|[`\u{1f980}]{0,300}"),
            count in 0_usize..40,
        ) {
            for text in texts(&name, &path, command.clone(), count) {
                prop_assert!(text.len() <= MAX_BYTES && text.lines().count() <= MAX_LINES, "{} {text}", text.len());
                prop_assert_eq!(text.lines().map(crate::text::escape::terminal).collect::<Vec<_>>().join("\n"), text);
            }
            let quoted = quoted(name.as_bytes());
            prop_assert_eq!(quoted.matches('`').count(), 2);
            prop_assert!(quoted.chars().count() <= ECHO + 3);
        }
    }

    #[test]
    fn only_two_programs_prove_an_exit_code() {
        let observed = |speaker| {
            texts("s", ".spec/n", Some("make".into()), 1)[if speaker == Speaker::Claude { 2 } else { 3 }].clone()
        };
        assert!(
            observed(Speaker::Claude)
                .contains("then run `make`\n  then: yatsu-hook eval .spec/n --scenario=s --observed")
        );
        assert!(observed(Speaker::Codex).contains("--scenario=s (--pass or --fail) --claim \"$YATSU_CLAIM\""));
    }
}
