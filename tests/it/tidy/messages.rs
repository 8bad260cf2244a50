//! Every message of the program: a command in it must be accepted by the program, and a refusal must name a next step. The
//! documents follow the same rules.

use super::book::{pages, read};
use super::root;
use super::speech::{MadeError, Phrase, REFUSALS, UNCHECKED, made, phrases};
use crate::support::{Said, Scratch, fed, hermetic, program, reading, scenarios};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

const PROGRAM: &str = "yatsu-hook ";

/// Continuations of sentences that mention the program without a command.
const PROSE: [&str; 17] = [
    "and is left as it is",
    "and yatsu-hook-cloud are built",
    "for clean merges",
    "from {file}",
    "in PATH",
    "in {place}",
    "may know it",
    "may read them",
    "merge driver:",
    "relies on kernel locks",
    "runs nothing",
    "shim",
    // `command -v yatsu-hook >/dev/null`
    ">/dev/null",
    // a committer
    "<yatsu-hook@",
    // the mark of a comment on a forge
    "-->",
    // the script of a shell, which tests/shells.sh runs in that shell
    "-f -a '(__yatsu_hook)'",
    "-- (commandline",
];

/// Replacements for placeholders that only the user can fill in, also for placeholders of several arguments.
const FILLED: [(&str, &str); 19] = [
    ("{}{arguments}", "pre-commit"),
    ("{target}", "x/x"),
    ("{verb} {word}", "eval x/x"),
    ("runlog {verb}", "runlog phase start 1"),
    ("{rest}", "--pass"),
    ("{ts}", "2026-01-01T00:00:00.000Z"),
    ("{passed}", ""),
    ("start {n}", "start 1"),
    ("end {n}", "end 1"),
    ("end N", "end 1"),
    ("0..100", "50"),
    ("TOKEN", "0123456789abcdef0123456789abcdef"),
    ("\"$YATSU_CLAIM\"", "0123456789abcdef0123456789abcdef"),
    ("\"$code\"", "1"),
    ("\"$began\"", "b1-0123456789abcdef-0000"),
    ("\"$token\"", "0123456789abcdef0123456789abcdef"),
    ("{{hook_args}}", "x"),
    ("check \"$@\"", "check --all"),
    ("--for {name}", "--for claude"),
];

/// Commands that are incomplete on purpose, each with the reason.
const UNFINISHED: [(&str, &str); 5] = [
    ("eval {word}", "whoever measured says which verdict it is"),
    ("eval [OPTIONS] <--pass|--fail> [NODE]", "it says how the verb is called"),
    ("eval [OPTIONS] [NODE] <--runs <PASSED/RUNS>|--blocked <REASON>>", "it says how the verb is called"),
    (
        "eval [OPTIONS] [NODE]... <--from-junit|--from-ctrf|--from-promptfoo> <FILE>...",
        "it says how the verb is called",
    ),
    ("validate --", "a framework puts the names of files behind it"),
];

fn is_unfinished(command: &str) -> bool {
    UNFINISHED.iter().any(|(unfinished, _)| *unfinished == command)
}

/// The ends of commands without backticks.
const ENDS: [&str; 14] = ["\n", "\\n", "; ", ", ", " (", "  ", " | ", " >", " 2>", " && ", "</", " …", ": ", " #"];

/// The yatsu-hook commands in `text`, without the program's name.
fn commands(text: &str) -> Vec<String> {
    let starts = text.match_indices(PROGRAM).map(|(at, _)| at);
    let is_whole = |at: &usize| !text[..*at].ends_with(|c: char| c.is_alphanumeric() || "/.-_".contains(c));
    starts.filter(is_whole).filter_map(|at| command_at(text, at)).collect()
}

fn command_at(text: &str, at: usize) -> Option<String> {
    let (before, rest) = (&text[..at], &text[at + PROGRAM.len()..]);
    let end = if before.ends_with("$(") {
        rest.find(')')
    } else if let Some(quote) = before.chars().last().filter(|last| "`'\"".contains(*last)) {
        rest.find(quote)
    } else {
        let sentence = rest.match_indices(". ").map(|(at, _)| at).find(|at| !rest[..*at].ends_with('.'));
        ENDS.iter().filter_map(|end| rest.find(end)).chain(sentence).min()
    };
    let whole = &rest[..end.unwrap_or(rest.len())];
    let first = whole.split(" |").next()?.trim_end_matches([',', ':', ')', '`']).trim();
    let first = if first.ends_with("..") { first } else { first.trim_end_matches('.') };
    let is_prose = PROSE.iter().any(|prose| rest.starts_with(prose));
    (!is_prose && !first.is_empty()).then(|| first.to_owned())
}

/// The words of a command with every placeholder filled in.
fn filled(command: &str) -> Vec<String> {
    let known = FILLED.iter().fold(command.to_owned(), |text, (place, with)| text.replace(place, with));
    let mut text = String::new();
    let mut rest = known.as_str();
    while let Some((before, after)) = rest.split_once('{') {
        text += before;
        text.push('x');
        rest = after.split_once('}').unwrap_or_default().1;
    }
    text += rest;
    shlex::split(&text).unwrap_or_default()
}

/// Commands with the places that name them.
type NamedAt = BTreeMap<String, BTreeSet<String>>;

/// The commands that the program's own parser refuses.
fn refused(named: &NamedAt) -> Vec<String> {
    let nowhere = tempfile::tempdir().expect("a directory without a repository");
    let wrong = |(command, places): (&String, &BTreeSet<String>)| {
        let said = misuse(nowhere.path(), &filled(command))?;
        Some(format!("yatsu-hook {command}\n  {places:?}\n  {}", said.lines().next().unwrap_or_default()))
    };
    named.iter().filter(|(command, _)| !is_unfinished(command)).filter_map(wrong).collect()
}

/// The parser's error for these words; `None` if the program accepts them.
fn misuse(dir: &Path, words: &[String]) -> Option<String> {
    let said = Said::of(hermetic(program(), dir).current_dir(dir).args(words).output().expect("the program runs"));
    let is_misuse = said.code == 2 && (said.err.contains("try '--help'") || said.err.contains("Usage: "));
    is_misuse.then_some(said.err)
}

fn printed() -> NamedAt {
    let mut found = NamedAt::new();
    for Phrase { file, text } in phrases() {
        for command in commands(&text) {
            found.entry(command).or_default().insert(file.clone());
        }
    }
    found
}

#[test]
fn every_command_in_a_message_is_one_that_the_program_takes() {
    let printed = printed();
    assert!(printed.len() > 200, "too few commands are seen: {}", printed.len());
    let wrong = refused(&printed);
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), printed.len(), wrong.join("\n"));
}

/// Code in a document: text in backticks, and the lines of blocks; lines of transcripts only if `transcripts`.
fn code(page: &str, transcripts: bool) -> Vec<&str> {
    let mut is_fenced = false;
    let mut found = Vec::new();
    let mut block: Vec<&str> = Vec::new();
    for line in page.lines().chain([""]) {
        let is_fence = line.trim_start().starts_with("```");
        is_fenced ^= is_fence;
        match line.strip_prefix("    ") {
            Some(code) if !is_fenced => block.push(code),
            _ => {
                let is_transcript = block.iter().any(|line| line.starts_with("$ "));
                found.extend(block.drain(..).filter(|_| transcripts || !is_transcript));
                match is_fenced && !is_fence {
                    true => found.push(line.trim_start()),
                    false => found.extend(line.split('`').skip(1).step_by(2)),
                }
            }
        }
    }
    found
}

/// Whether a document only mentions a verb, without a line to type; its `--help` has the arguments.
fn is_mention(command: &str) -> bool {
    let is_word = |word: &str| word.chars().all(|c| c.is_ascii_lowercase() || c == '-') && !word.starts_with('-');
    let words: Vec<String> = command.split(' ').map(str::to_owned).collect();
    words.len() < 3 && words.iter().all(|word| is_word(word)) && {
        misuse(&root(), &[&words[..], &["--help".to_owned()]].concat()).is_none()
    }
}

/// The commands in the documents; those in transcripts only if `transcripts`.
fn documented(transcripts: bool) -> NamedAt {
    let mut pages = pages(&root().join("docs"));
    pages.extend(["README.md", "CONTRIBUTING.md", "DURABILITY.md", "CONSISTENCY.md"].map(|name| root().join(name)));
    let mut found = NamedAt::new();
    for page in &pages {
        let text = read(page);
        for command in code(&text, transcripts).into_iter().flat_map(commands).filter(|command| !is_mention(command)) {
            found.entry(command).or_default().insert(page.display().to_string());
        }
    }
    found
}

#[test]
fn every_command_in_a_document_is_one_that_the_program_takes() {
    let found = documented(true);
    assert!(found.len() > 100, "too few commands are seen: {}", found.len());
    let wrong = refused(&found);
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), found.len(), wrong.join("\n"));
}

/// Refusals with a hint that is added elsewhere, or that cannot occur, each with the reason.
const HINTED_ELSEWHERE: [(&str, &str); 3] = [
    ("src/model/reference.rs: resolve_reference", "`list` adds the nodes that are meant"),
    (
        "src/features/runlogs/judge/record/start.rs: new_path",
        "the path is made from the clock and a number, and is always one",
    ),
    ("src/store/ledger/mod.rs: way_to", "a ledger lies below a node and has a name"),
];

/// Asserts that each of `all` has a hint, except for `known`, and that each of `known` needs the exception.
fn assert_hinted(all: &[MadeError], known: &[(&str, &str)]) {
    let is_known = |place: &str| known.iter().any(|(known, _)| *known == place);
    let silent = || all.iter().filter(|made| !made.is_hinted);
    let wrong: Vec<String> =
        silent().filter(|made| !is_known(&made.place)).map(|made| format!("{} {:?}", made.place, made.texts)).collect();
    assert!(wrong.is_empty(), "{} of {} without a hint:\n{}", wrong.len(), all.len(), wrong.join("\n"));
    for (place, _) in known {
        assert!(silent().any(|made| made.place == *place), "{place} needs no exception any more");
    }
}

#[test]
fn every_refusal_says_what_to_do_next() {
    let all = made(REFUSALS);
    assert!(all.len() > 150, "too few refusals are seen: {}", all.len());
    assert_hinted(&all, &HINTED_ELSEWHERE);
}

/// Errors of exit 3 with a hint that is added elsewhere, each with the reason.
const LATER_HINTED: [(&str, &str); 3] = [
    ("src/engine/units/parse_batch.rs: put_off", "nobody sees it: it is asked again when all are parsed"),
    ("src/remote/git/probe.rs: move_to", "each step of a probe has a remedy of its own"),
    ("src/remote/git/names.rs: read_chain", "whoever reads a chain says whose it is and what to do about it"),
];

#[test]
fn everything_that_could_not_be_looked_at_comes_with_what_to_do_next() {
    let all = made(UNCHECKED);
    assert!(all.len() > 150, "too few are seen: {}", all.len());
    assert_hinted(&all, &LATER_HINTED);
}

/// A repository with everything that the examples name.
fn of_the_examples() -> Scratch {
    let scratch = Scratch::new();
    scratch.write("features/cart.feature", "Feature: f\nScenario: pays\n  When one pays\n  Then a bill comes\n");
    for (name, text) in [("board.ts", "class Board { draw() {} }\n"), ("list.ts", "1\n"), ("greet.rs", "fn f() {}\n")] {
        scratch.write(&format!("src/{name}"), text);
    }
    scratch.write("shot.png", b"\x89PNG\r\n\x1a\n shot");
    scratch.write("quality/EXPLORATION.md", "found\n");
    scratch.write("src/box.ts", "export class Box { shut() {} }\n");
    scratch.write("lcov.info", "TN:\nSF:src/board.ts\nDA:1,1\nend_of_record\n");
    scratch.write("report.xml", "<testsuite><testcase name=\"greets\"/></testsuite>\n");
    let result = r#"{"success":true,"testCase":{"metadata":{"yatsu":"greeter/greets"}}}"#;
    scratch.write("results.json", format!(r#"{{"results":{{"version":3,"results":[{result}]}}}}"#));
    scratch.write(".spec/board/yatsu.md", scenarios(&[("renders", "src/board.ts")]));
    scratch.write(".spec/greeter/yatsu.md", scenarios(&[("greets", "src/greet.rs")]));
    scratch.write(
        ".spec/classifier/yatsu.md",
        scenarios(&[("learns", "src/greet.rs")]).replacen("scenarios:", &format!("{CONTRACT}scenarios:"), 1),
    );
    scratch.write("spexcode.json", r#"{"lint": {"scenarioTags": ["cli", "frontend-e2e"]}}"#);
    scratch.commit("begin");
    scratch.git(&["config", "user.name", "Ann"]);
    let filed = ["eval", "greeter", "--scenario", "greets", "--pass", "--image", "shot.png", "--result", "report.xml"];
    scratch.yatsu(&filed).expect(0);
    scratch.commit("measured");
    scratch.git(&["branch", "feature"]);
    scratch.git(&["checkout", "-q", "-b", "work"]);
    scratch.git(&["tag", "v1"]);
    reading(&scratch, ".spec/board", "renders", "fail", 0);
    let filed = ["eval", "board", "--scenario", "renders", "--pass", "--image", "shot.png", "--run", "nightly-7"];
    scratch.yatsu(&filed).expect(0);
    let log =
        ["benchmark=chi", "lever_state=baseline", "runner=claude", "playbook_version=1.5.6", "target_path=repos/chi"];
    scratch.yatsu(&[&["runlog", "start", "quality/run_state.jsonl"], &log[..]].concat()).expect(0);
    let events = scratch.yatsu(&["graph", "ops"]).expect(0).out;
    scratch.write("state/events.jsonl", events);
    scratch.commit("measured");
    scratch.git(&["update-ref", "refs/remotes/origin/main", "HEAD~1"]);
    // a harness is used here, and by the user
    std::fs::create_dir(scratch.root.join(".claude")).expect("a directory");
    std::fs::create_dir(scratch.home().join(".claude")).expect("a directory");
    scratch.git(&["init", "-q", "--bare", "../server.git"]);
    scratch.git(&["remote", "add", "origin", &scratch.base.join("server.git").to_string_lossy()]);
    std::fs::create_dir(scratch.base.join("evidence")).expect("a directory");
    scratch.yatsu(&["share", "on", "file:../evidence"]).expect(0);
    scratch
}

const CONTRACT: &str = "goal_contract:\n  version: 1\n  goal_text: tell flowers apart\n  acceptance_criteria:\n    \
                        - {id: AC1, kind: marker_required, marker: DONE}\n";

/// Commands in messages that cannot succeed in that repository, with the reason.
const NO_ANSWER_THERE: [(&str, &str); 10] = [
    ("sign", "git signs with no key there"),
    ("sign board", "git signs with no key there"),
    ("sign board/renders --key ~/.ssh/id_ed25519", "no key is there"),
    ("export in-toto --sign --signing-key ~/.ssh/id_ed25519", "no key is there"),
    ("pre-receive", "git tells it on standard input what is pushed"),
    ("validate -- .spec/board/eval.md", "said of a repository that uses the newer names"),
    ("validate --", "a framework puts the names of files behind it"),
    ("evidence get greeter/greets", "of a reading with one piece; the line below it is of one with several"),
    ("show greeter --open", "it starts the browser of whoever asks"),
    ("eval greeter --tag cli --from-junit target/reports/*.xml", "a shell spells the names out"),
];

/// Verbs that change the repository: each gets its own.
const WRITING: [&str; 19] = [
    "agent",
    "claim",
    "clean",
    "eval",
    "evidence",
    "goal",
    "install",
    "new",
    "patch",
    "pre-commit",
    "pre-merge-commit",
    "redact",
    "repair",
    "report",
    "retract",
    "run",
    "runlog",
    "share",
    "uninstall",
];

/// Whether the command has no placeholders left.
fn is_whole(command: &str) -> bool {
    let is_name = |part: &str| {
        !part.is_empty()
            && part.chars().all(|c| c.is_ascii_uppercase() || c == '_')
            && !matches!(part, "HEAD" | "T" | "Z")
    };
    let is_left = |word: &str| {
        word.contains(['{', '…', '$', '%', '['])
            || word.ends_with("...")
            || word.split(['/', ':', '-', '=']).any(is_name)
    };
    !command.split_whitespace().any(is_left)
}

#[test]
fn every_whole_command_in_a_message_or_document_is_answered_in_a_repository_that_has_what_it_names() {
    let origin = of_the_examples();
    let is_answered = |command: &String| !NO_ANSWER_THERE.iter().any(|(known, _)| known == command);
    let mut named = printed();
    named.extend(documented(false));
    let whole: Vec<String> = named.into_keys().filter(|command| is_whole(command)).filter(is_answered).collect();
    assert!(whole.len() > 100, "too few commands are seen: {}", whole.len());
    let (home, read, whence) = (origin.home(), origin.base.join("read"), origin.root.clone());
    copied(&home, &whence, &read);
    let asked = |commands: &[String]| -> Vec<String> {
        let answer = |command: &String| match writes(command) {
            true => {
                let own = tempfile::tempdir().expect("a directory");
                std::fs::create_dir(own.path().join("evidence")).expect("a directory to share through");
                copied(&home, &whence, &own.path().join("repo"));
                unanswered(command, &own.path().join("repo"), &home)
            }
            false => unanswered(command, &read, &home),
        };
        commands.iter().filter_map(answer).collect()
    };
    let wrong: Vec<String> = std::thread::scope(|scope| {
        let started: Vec<_> = whole.chunks(40).map(|part| scope.spawn(|| asked(part))).collect();
        started.into_iter().flat_map(|part| part.join().expect("an end")).collect()
    });
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), whole.len(), wrong.join("\n"));
}

fn writes(command: &str) -> bool {
    command.split(' ').any(|word| WRITING.contains(&word))
}

fn copied(home: &Path, from: &Path, to: &Path) {
    assert!(hermetic("cp", home).arg("-a").args([from, to]).status().expect("cp").success());
}

/// The program's output in `dir` for a command that it refuses.
fn unanswered(command: &str, dir: &Path, home: &Path) -> Option<String> {
    let mut typed = hermetic(program(), home);
    typed.current_dir(dir).args(shlex::split(command).expect("words"));
    let said = fed(typed, "what it printed\n");
    (!matches!(said.code, 0 | 1)).then(|| format!("exit {}: yatsu-hook {command}\n  {}", said.code, said.err))
}
