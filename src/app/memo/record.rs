//! The memo's record of a parsed file. A file is stored completely or not at all: one with a problem, a contract, an
//! invalid path, repeated runs or a text too long for the memo is parsed every time.

use super::wire::{self, Remaining};
use crate::model::contract::Goal;
use crate::model::governed::{Found, Governed};
use crate::model::ledger::{self, EvidenceHash, Ledger, Line};
use crate::model::node::Spec;
use crate::model::scenario::{Scenario, ScenarioFile, Unread};
use crate::model::selector::Selector;
use crate::model::source::Position;
use crate::tree::path::RepoPath;

/// The bytes of a `spec.md`.
pub(super) fn of_spec(spec: &Spec) -> Option<Vec<u8>> {
    let Spec { path: _, title, status, code, related } = spec;
    let mut body = Vec::new();
    for text in [title, status] {
        put_texts(&mut body, text.as_slice())?;
    }
    for list in [code, related] {
        wire::put_list(&mut body, list, put_governed)?;
    }
    Some(body)
}

/// Reads a record of the `spec.md` at `path`.
pub(super) fn spec(path: &RepoPath, bytes: &[u8]) -> Option<Spec> {
    let mut cursor = Remaining::new(bytes);
    let [title, status] = [texts(&mut cursor)?.pop(), texts(&mut cursor)?.pop()];
    let spec =
        Spec { path: path.clone(), title, status, code: cursor.list(governed)?, related: cursor.list(governed)? };
    cursor.is_at_end().then_some(spec)
}

pub(super) fn of_scenarios(file: &ScenarioFile) -> Option<Vec<u8>> {
    let ScenarioFile { path: _, scenarios, goal, problems, cut_short } = file;
    if !matches!(goal, Goal::Unset) || !problems.is_empty() || *cut_short {
        return None;
    }
    let mut body = Vec::new();
    wire::put_list(&mut body, scenarios, put_scenario)?;
    Some(body)
}

/// Reads a record of the scenario file at `path`.
pub(super) fn scenarios(path: &RepoPath, bytes: &[u8]) -> Option<ScenarioFile> {
    let mut cursor = Remaining::new(bytes);
    let scenarios = cursor.list(scenario)?;
    let file = ScenarioFile { path: path.clone(), scenarios, ..ScenarioFile::default() };
    cursor.is_at_end().then_some(file)
}

/// The bytes of a ledger: the lines of the readings that may count, and the hashes that all other readings name.
pub(super) fn of_ledger(ledger: &Ledger) -> Option<Vec<u8>> {
    let Ledger { lines, superseded, .. } = ledger::may_count(ledger)?;
    let mut body = Vec::new();
    wire::put_count(&mut body, lines.len())?;
    for line in lines {
        wire::put_count(&mut body, line.number as usize)?;
        wire::put_bytes(&mut body, &line.bytes)?;
    }
    wire::put_count(&mut body, superseded.len())?;
    superseded.iter().for_each(|hash| body.extend_from_slice(&hash.0));
    Some(body)
}

/// Reads a record of the ledger at `path`, which holds only the readings that may count.
pub(super) fn ledger(path: &RepoPath, bytes: &[u8]) -> Option<Ledger> {
    let mut cursor = Remaining::new(bytes);
    let lines = cursor.list(|cursor| {
        let (number, bytes) = (u32::try_from(cursor.number()?).ok()?, cursor.bytes()?);
        Some(Line { number, event: ledger::event(bytes)?, bytes: bytes.into() })
    })?;
    let count = cursor.count()?;
    let superseded = cursor.hashes(count)?.iter().map(|hash| EvidenceHash(*hash)).collect();
    cursor.is_at_end().then(|| Ledger { path: path.clone(), lines, superseded, ..Ledger::default() })
}

fn put_scenario(body: &mut Vec<u8>, scenario: &Scenario) -> Option<()> {
    let Scenario {
        name,
        description,
        expected,
        tags,
        test,
        test_name,
        test_command,
        test_skips,
        code,
        related,
        runs,
        env,
        at,
        text_hash,
        unread,
    } = scenario;
    if *unread != Unread::default() || runs.is_some() || !env.is_empty() {
        return None;
    }
    [name, description, expected].into_iter().try_for_each(|text| wire::put_bytes(body, text.as_bytes()))?;
    put_texts(body, tags)?;
    put_texts(body, test_name.as_slice())?;
    put_texts(body, test_command.as_slice())?;
    body.push(u8::from(*test_skips));
    for list in [test.as_slice(), code, related] {
        wire::put_list(body, list, put_governed)?;
    }
    put_position(body, at)?;
    body.extend_from_slice(&text_hash.0);
    Some(())
}

fn scenario(cursor: &mut Remaining<'_>) -> Option<Scenario> {
    Some(Scenario {
        name: cursor.text()?,
        description: cursor.text()?,
        expected: cursor.text()?,
        tags: texts(cursor)?,
        test_name: texts(cursor)?.pop(),
        test_command: texts(cursor)?.pop(),
        test_skips: cursor.byte()? == 1,
        test: cursor.list::<_, Vec<_>>(governed)?.pop(),
        code: cursor.list(governed)?,
        related: cursor.list(governed)?,
        runs: None,
        env: Vec::new(),
        at: position(cursor)?,
        text_hash: EvidenceHash(*cursor.hashes(1)?.first()?),
        unread: Unread::default(),
    })
}

fn put_governed(body: &mut Vec<u8>, governed: &Governed) -> Option<()> {
    let Governed { text, selector, whole, optional, path, node_relative, at, found: Found::Unresolved } = governed
    else {
        return None;
    };
    wire::put_bytes(body, text.as_bytes())?;
    let flags = [*optional, node_relative.is_some(), selector.is_some(), whole.is_some()];
    body.push(flags.iter().rev().fold(0, |all, flag| all << 1 | u8::from(*flag)));
    wire::put_path(body, path.as_ref().ok()?)?;
    node_relative.iter().try_for_each(|path| wire::put_path(body, path))?;
    selector.iter().try_for_each(|selector| wire::put_bytes(body, selector.symbol.as_bytes()))?;
    put_position(body, at)?;
    whole.iter().try_for_each(|whole| put_governed(body, whole))
}

fn governed(cursor: &mut Remaining<'_>) -> Option<Governed> {
    let text = cursor.text()?;
    let flags = cursor.byte().filter(|flags| *flags < 16)?;
    let has = |bit: u8| flags & 1 << bit != 0;
    let path = Ok(cursor.path()?);
    let node_relative = if has(1) { Some(cursor.path()?) } else { None };
    let symbol = if has(2) { Some(cursor.text()?) } else { None };
    let selector = symbol.map(|symbol| Selector { symbol, fault: None });
    let at = position(cursor)?;
    let whole = if has(3) { Some(Box::new(governed(cursor)?)) } else { None };
    Some(Governed { text, selector, whole, optional: has(0), path, node_relative, at, found: Found::Unresolved })
}

fn put_position(body: &mut Vec<u8>, at: &Position) -> Option<()> {
    [at.line, at.column].into_iter().try_for_each(|number| wire::put_count(body, number as usize))
}

fn position(cursor: &mut Remaining<'_>) -> Option<Position> {
    let mut number = || u32::try_from(cursor.number()?).ok();
    Some(Position { line: number()?, column: number()? })
}

/// Adds texts with their count.
pub(crate) fn put_texts(body: &mut Vec<u8>, texts: &[String]) -> Option<()> {
    wire::put_list(body, texts, |body, text| wire::put_bytes(body, text.as_bytes()))
}

/// Reads texts with their count before them.
pub(crate) fn texts(cursor: &mut Remaining<'_>) -> Option<Vec<String>> {
    cursor.list(Remaining::text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{scenario, spec as specs};
    use proptest::prelude::*;

    /// Checks that decoding gives exactly the parsed file, and that a file with a problem has no record.
    fn same(text: &str) -> bool {
        let path = RepoPath::from_git(".spec/n/yatsu.md");
        let parsed = scenario::parse(&path, text.as_bytes(), &["cli".to_owned()]);
        let kept = of_scenarios(&parsed);
        assert!(kept.is_none() || parsed.problems.is_empty());
        if let Some(bytes) = &kept {
            assert_eq!(format!("{:?}", scenarios(&path, bytes)), format!("{:?}", Some(&parsed)), "{text}");
        }
        kept.is_some()
    }

    #[test]
    fn a_file_is_kept_whole_or_not_at_all() {
        let entry = |more: &str| {
            format!(
                "---\nscenarios:\n  - name: s\n    description: |\n      d\n      caf\u{e9}\n    expected: e\n    tags: [cli]\n{more}---\n"
            )
        };
        assert!(same(&entry("")));
        assert!(same(&entry(
            "    code: [a.rs, ?b.rs, 'lib/*.rs']\n    related: docs\n    test: {path: t.rs, name: adds}\n"
        )));
        assert!(!same(&entry("    code: /etc/passwd\n")), "no path of the repository");
        assert!(!same(&entry("    tags: [unknown]\n")));
        assert!(!same(&entry("goal: {type: custom}\n")));
        assert!(!same("no frontmatter\n"));
        let huge = RepoPath::from_git("n/spec.md");
        let told = |text: &str| of_spec(&specs::parse(&huge, text.as_bytes()));
        assert!(told(&format!("---\ntitle: {}\n---\n", "x".repeat(70_000))).is_none());
        assert!(told("---\ncode: ../..\n---\n").is_none());
        let bytes = told("---\ntitle: t\nstatus: s\ncode:\n  - a.rs#f\n  - \"b#c\"\nrelated: x\n---\n").unwrap();
        let parsed =
            specs::parse(&huge, b"---\ntitle: t\nstatus: s\ncode:\n  - a.rs#f\n  - \"b#c\"\nrelated: x\n---\n");
        assert_eq!(format!("{:?}", spec(&huge, &bytes)), format!("{:?}", Some(parsed)));
    }

    #[test]
    fn the_latest_readings_of_a_ledger_are_kept_with_their_lines() {
        let path = RepoPath::from_git("n/yatsu.evals.ndjson");
        let line = |scenario: &str, second: u32| {
            format!(
                "{{\"scenario\":\"{scenario}\",\"evaluator\":\"manual@1\",\"blob\":\"{}\",\"blobKind\":\"data\",\"ts\":\"2026-01-01T00:00:{second:02}.000Z\"}}\n",
                format!("{second:02}").repeat(32)
            )
        };
        let whole = ledger::parse(&path, [line("s", 1), line("t", 3), line("s", 2)].concat().as_bytes());
        let bytes = of_ledger(&whole).unwrap();
        assert_eq!(ledger(&path, &bytes), ledger::may_count(&whole));
        for len in 0..bytes.len() {
            assert_eq!(ledger(&path, &bytes[..len]), None, "cut to {len}");
        }
        assert_eq!(of_ledger(&ledger::parse(&path, (line("s", 1) + "{").as_bytes())), None);
    }

    proptest! {
        #[test]
        fn nothing_is_lost_of_what_was_parsed(
            names in proptest::collection::vec("[a-z:# '\"-]{1,12}", 1..4),
            lists in proptest::collection::vec("[a-z/.*?#, \\[\\]]{1,16}", 4),
        ) {
            let mut text = "---\nscenarios:\n".to_owned();
            for (name, list) in names.iter().zip(&lists) {
                text += &format!("  - name: {name}\n    description: {name}\n    expected: e\n    tags: cli\n    code: {list}\n    test: {}\n", lists[3]);
            }
            same(&(text + "---\n"));
        }
    }
}
