//! No message repeats more than 80 characters of an argument, of the environment or of a repository's text.

use super::one_node;
use crate::support::{Said, Scratch, fed, reading};
use std::collections::BTreeSet;

const TS: &str = "2026-01-01T00:01:00.000Z";

/// Every argument of every verb, marked by `{}`.
const LINES: &[(&str, &[&str])] = &[
    ("help", &["{}", "eval {}"]),
    (
        "new",
        &[
            "{} --code src/a.rs",
            "fresh --code {}",
            "fresh --code src/a.rs --from {}",
            "fresh --from-coverage {}",
            "fresh --code src/a.rs --test {}",
            // the entry to paste into an existing file is printed whole, but only for people
            "n --code src/a.rs --scenario {} --format json",
            "two --code src/a.rs --tag {}",
            "n --code src/a.rs --format json --title {}",
            "n --code src/a.rs --format json --description {}",
            "n --code src/a.rs --format json --expected {}",
        ],
    ),
    ("pre-push", &["{}", "origin {}"]),
    ("run", &["--stage {}"]),
    (
        "check",
        &[
            "--from {} --to HEAD",
            "--from HEAD --to {}",
            "--rev {}",
            "--from HEAD --to HEAD --inherited {}",
            "--from {} --require-approval",
            "-- {}",
        ],
    ),
    ("scan", &["{}", "--changed --base {}", "--rev {}", "--tag {}", "--limit {}"]),
    ("validate", &["-- {}", "{}"]),
    (
        "eval",
        &[
            "{} --pass",
            "n --pass --scenario {}",
            "n --observed {}",
            "n --runs {}",
            "n --pass --env {}",
            "n --blocked {}",
            "n --pass --note {}",
            "n --from-junit report.xml --exit {}",
            "n --from-junit report.xml --skips {}",
            "n --pass --image {}",
            "n --pass --result {}",
            "n --pass --video {}",
            "n --pass --metric {}",
            "n --pass --metric x={}",
            "n --pass --metric {}=1 --metric {}=2",
            "n --pass --artifact {}",
            "n --pass --timeline {} --result spec",
            "n --pass --evaluator {}",
            "n --pass --evaluator a@{}@b",
            "n --pass --by {}",
            "n --pass --began {}",
            "n --pass --coverage {}",
            "n --pass --claim {}",
            "n --pass --key {}",
            "n --pass --run {}",
            "n --pass --usage {}",
            "n --pass --tokens {}",
            "n --pass --tokens 1,2 --token-source {}",
            "n --pass --estimate-tokens {}",
            "--from-junit {}",
            "{} --from-junit report.xml",
            "--from-ctrf {}",
            "--from-promptfoo {}",
            "--from-junit report.xml --map {}",
            "--from-junit report.xml --tag {}",
            "--from-junit report.xml --flaky {}",
            "--from-junit report.xml --ran-at {}",
            "--from-junit report.xml --evaluator {}",
            "n --pass --sign --signing-key {}",
        ],
    ),
    ("begin", &["{}", "n --scenario {}", "--tag {}"]),
    ("next", &["{}", "--tag {}", "--limit {}"]),
    ("claim", &["{}"]),
    (
        "claim take",
        &[
            "{} --scenario works",
            "n --scenario {}",
            "n --scenario works --as {}",
            "n --scenario works --ttl {}",
            "n --scenario works --run {}",
            "n --scenario works --session {}",
            "--key {}",
            "--path {}",
        ],
    ),
    ("claim next", &["{}", "--tag {}", "--as {} n", "--ttl {}", "--run {} n", "--session {} n"]),
    ("claim renew", &["{}", "x --ttl {}"]),
    (
        "claim release",
        &[
            "{}",
            "--force --scenario {}",
            "--force --scenario works --reason {}",
            "--force --key {}",
            "--force --path {}",
        ],
    ),
    (
        "claim waive-budget",
        &[
            "{} --scenario works --reason r",
            "n --scenario {} --reason r",
            "n --scenario works --reason {}",
            "n --scenario works --reason r --by {}",
        ],
    ),
    ("claim log", &["{}", "--key {}", "--path {}"]),
    ("agent", &["{}"]),
    ("agent install", &["--for {}", "--plugin {}"]),
    ("agent uninstall", &["--for {}"]),
    ("runlog", &["{}"]),
    (
        "runlog start",
        &["{}", "quality/run_state.jsonl {}", "quality/run_state.jsonl {}=x", "--profile {}", "a.jsonl --profile {}"],
    ),
    ("runlog add", &["{}", "note {}", "note text={} --log {}", "note {}=1", "note a:={}", "note --log {}"]),
    ("runlog phase", &["{}"]),
    ("runlog phase start", &["{}", "1 --log {}"]),
    ("runlog phase end", &["{}", "1 {}", "1 --artifact {}", "1 --log {}"]),
    ("runlog end", &["{}", "failed --log {}"]),
    ("runlog check", &["{}"]),
    ("runlog resume", &["{}"]),
    ("runlog progress", &["{}"]),
    ("goal", &["{}"]),
    ("goal check", &["{}", "--rev {}"]),
    ("goal complete", &["{}", "n --by {}", "n --reason {}"]),
    ("goal pivot", &["{} --reason x", "n --reason {}", "n --reason x --by {}"]),
    ("goal rework", &["{} --reason x", "n --reason {}", "n --reason x --by {}"]),
    ("goal block", &["{} --reason x", "n --reason {}", "n --reason x --by {}"]),
    ("goal unblock", &["{} --reason x", "n --reason {}", "n --reason x --by {}"]),
    ("goal review", &["{} --score 1 --by x --note x", "n --score {} --by x --note x", "n --score 1 --by {} --note {}"]),
    ("patch", &["{}"]),
    ("patch show", &["{}"]),
    (
        "patch approve",
        &[
            "{} --reason x",
            "side --reason {}",
            "side --reason x --by {}",
            "side --reason x --by x --sign --signing-key {}",
        ],
    ),
    (
        "patch reject",
        &[
            "{} --reason x",
            "side --reason {}",
            "side --reason x --by {}",
            "side --reason x --by x --sign --signing-key {}",
        ],
    ),
    ("graph", &["{}"]),
    (
        "graph show",
        &[
            "{}",
            "--kind {}",
            "{} --depth {}",
            "goal:n --depth {}",
            "--nodes {}",
            "--rev {}",
            "--log {}",
            "--rev HEAD --log {}",
        ],
    ),
    ("graph lineage", &["{}", "goal:n --depth {}", "goal:n --nodes {}", "goal:n --rev {}", "goal:n --log {}"]),
    ("graph why", &["{}", "src --nodes {}", "src --rev {}", "src --log {}"]),
    ("graph diff", &["{}", "{}..HEAD", "HEAD..{}", "HEAD..HEAD --log {}"]),
    ("graph ops", &["--rev {}", "--log {}"]),
    ("graph replay", &["{}", "a --nodes {}"]),
    ("graph digest", &["--rev {}", "--log {}"]),
    ("graph check", &["--rev {}", "--log {}"]),
    (
        "retract",
        &[
            "{} --scenario works",
            "n --scenario {}",
            "n --scenario works --ts {}",
            "n --scenario works --note {}",
            "n --scenario works --env {}",
            "n --scenario works --sign --signing-key {}",
        ],
    ),
    ("sign", &["{}", "n --scenario {}", "n --ts {}", "n --key {}"]),
    (
        "redact",
        &[
            "{} --scenario works --ts TS --reason r",
            "n --scenario {} --ts TS --reason r",
            "n --scenario works --ts {} --reason r",
            "n --scenario works --ts TS --reason {}",
            "n --scenario works --ts TS --reason r --by {}",
            "n --scenario works --ts TS --reason r --sign --signing-key {}",
        ],
    ),
    ("clean", &["--grace {}"]),
    ("repair", &["--restore {}"]),
    ("merge-ledger", &["{} a b c.evals.ndjson", "a {} b c.evals.ndjson", "a b {} c.evals.ndjson", "a b c {}"]),
    ("evidence", &["{}"]),
    ("evidence put", &["{}"]),
    ("evidence get", &["{}", "n/{}", "{}/works", "n/works --kind {}", "HASH --output {}", "HASH -o {}"]),
    ("share on", &["{}", "file:{}"]),
    ("share push", &["--allow {}"]),
    ("share get", &["{}"]),
    ("share prune", &["--before {}"]),
    ("share drop", &["{} --reason r", "HASH --reason {}"]),
    ("show", &["{}"]),
    ("ls", &["--tag {}", "{}"]),
    ("fold", &["{}"]),
    ("log", &["--tag {}", "{}", "--from {}", "--to {}", "--limit {}"]),
    (
        "report",
        &[
            "--html {}",
            "--html - {}",
            "--badge {}",
            "--html - --tag {}",
            "--html - --rev {}",
            "--html a --max-size {}",
            "--html a --history {}",
            "--pr --from {} --to HEAD",
            "--pr --from HEAD --to {}",
            "--pr --from HEAD --to HEAD --page {}",
            "--pr --from HEAD --to HEAD --checked {}",
            "--pr --from HEAD --to HEAD --limit {}",
            "--html a --links {}",
        ],
    ),
    ("export", &["{}"]),
    ("export in-toto", &["{}", "--rev {}", "--sign --signing-key {}"]),
    ("impact", &["{}", "src/a.rs#{}", "--base {}"]),
    ("units", &["{}", "spec --rev {}"]),
    (
        "coverage",
        &[
            "suggest {} --coverage cover.out",
            "suggest n --coverage {}",
            "suggest n --coverage cover.out --test {}",
            "suggest n --coverage named.out",
        ],
    ),
    ("usage", &["{}", "--run {}"]),
    ("explain", &["{}"]),
    ("config", &["{}"]),
    ("completions", &["{}"]),
    ("install", &["--hooks {}"]),
    ("uninstall", &["--hooks {}"]),
    ("", &["{}", "-C {} scan", "--format {} scan", "--color {} scan", "scan --{}", "check --rev={}"]),
];

/// Texts that are too long to repeat: one word, a text too long for a file name, a path, words, and a text with control
/// characters.
fn long() -> [String; 5] {
    let numbered = |gap: &str| (0..60).map(|number| format!("part{number:02}{gap}")).collect::<String>();
    ["x".repeat(200), "x".repeat(5000), numbered("/") + "end", numbered(" ") + "end", numbered("\u{200b}") + "end"]
}

/// Panics if the output has more than 80 characters of `text`, raw or escaped.
#[track_caller]
fn brief(said: &Said, text: &str, what: &str) {
    assert!((0..=3).contains(&said.code), "{what}: {}", said.err);
    let said = format!("{}{}", said.out, said.err).replace("\\u{200b}", "\u{200b}");
    let all: Vec<char> = text.chars().collect();
    // `…` replaces the last character, or follows it
    let found = all.windows(82).map(|window| window.iter().collect::<String>()).find(|part| said.contains(part));
    assert!(found.is_none(), "{what} is repeated:\n{said}");
}

fn words(line: &str, text: &str) -> Vec<String> {
    let word = |word: &str| match word {
        "TS" => TS.to_owned(),
        "HASH" => "0".repeat(64),
        _ => word.replace("{}", text),
    };
    line.split_whitespace().map(word).collect()
}

#[test]
fn no_argument_is_repeated_at_length() {
    let scratch = one_node();
    reading(&scratch, ".spec/n", "works", "pass", 1);
    scratch.write("spec", "not much");
    scratch.commit("measured");
    let mut failed = Vec::new();
    for text in long() {
        scratch.write("cover.out", "mode: set\nsrc/a.rs:1.1,1.9 1 1\n");
        scratch.write("named.out", format!("mode: set\n/x/{text}.rs:1.1,1.9 1 1\n"));
        for (verb, lines) in LINES {
            for line in *lines {
                let args: Vec<String> = words(&format!("{verb} {line}"), &text);
                let args: Vec<&str> = args.iter().map(String::as_str).collect();
                let said = scratch.yatsu(&args);
                if std::panic::catch_unwind(|| brief(&said, &text, line)).is_err() {
                    failed.push(format!("{verb} {line} ({} characters)", text.chars().count()));
                }
            }
        }
    }
    assert!(failed.is_empty(), "{failed:#?}");
}

/// The options and positions in the help of a verb, without `-C`, `--format` and `--color`.
fn listed(scratch: &Scratch, verb: &str) -> BTreeSet<String> {
    let args: Vec<&str> = verb.split_whitespace().chain(["--help"]).collect();
    let help = scratch.yatsu(&args).expect(0).out;
    let options = help.lines().map(str::trim).filter_map(|line| {
        let name = line.split(['<', '[']).next()?.trim().rsplit([' ', ',']).next()?;
        let takes = line.contains(&format!("{name} <"));
        (name.starts_with("--") && takes && !["--format", "--color"].contains(&name)).then(|| name.to_owned())
    });
    let usage = help.lines().find_map(|line| line.strip_prefix("Usage: ")).expect("a usage");
    let words: Vec<&str> = usage.split_whitespace().collect();
    let places = words.iter().enumerate().filter(|(at, word)| {
        // an option's value and the group of a verdict are no positions
        word.starts_with(['[', '<']) && !words[at - 1].starts_with("--") && !word.contains("pass")
    });
    let places = places.map(|(_, word)| word.trim_matches(|c: char| !c.is_ascii_uppercase()).to_owned());
    let places = places.filter(|word| !["", "OPTIONS", "COMMAND"].contains(&&**word));
    options.chain(places).collect()
}

#[test]
fn the_table_has_every_argument_of_every_verb() {
    let scratch = one_node();
    let help = scratch.yatsu(&["--help"]).expect(0).out;
    let mut verbs: Vec<String> = help
        .lines()
        .skip_while(|line| *line != "Every day:")
        .take_while(|line| *line != "Options:")
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next().map(str::to_owned))
        .collect();
    verbs.extend(["evidence put", "evidence get"].map(str::to_owned));
    verbs
        .extend(["share on", "share push", "share get", "share check", "share drop", "share prune"].map(str::to_owned));
    verbs.extend(["take", "next", "renew", "release", "log"].map(|verb| format!("claim {verb}")));
    verbs.extend(["install", "uninstall"].map(|verb| format!("agent {verb}")));
    let of_runs = ["start", "add", "phase", "phase start", "phase end", "end", "check", "resume", "progress", "ls"];
    verbs.extend(of_runs.map(|verb| format!("runlog {verb}")));
    let decisions = ["check", "complete", "pivot", "rework", "block", "unblock", "review"];
    verbs.extend(decisions.map(|verb| format!("goal {verb}")));
    verbs.extend(["show", "approve", "reject"].map(|verb| format!("patch {verb}")));
    let questions = ["show", "lineage", "why", "diff", "ops", "replay", "digest", "check"];
    verbs.extend(questions.map(|verb| format!("graph {verb}")));
    for verb in verbs {
        let lines = LINES.iter().find(|(name, _)| *name == verb).map_or(&[][..], |(_, lines)| lines);
        let (options, places): (Vec<String>, Vec<String>) =
            listed(&scratch, &verb).into_iter().partition(|name| name.starts_with("--"));
        for option in &options {
            assert!(lines.iter().any(|line| line.contains(&format!("{option} {{}}"))), "{verb} {option}");
        }
        let is_place = |line: &&&str| {
            let all: Vec<&str> = line.split_whitespace().collect();
            all.iter()
                .enumerate()
                .any(|(at, word)| *word == "{}" && (at == 0 || !all[at - 1].starts_with("--") || all[at - 1] == "--"))
        };
        assert!(lines.iter().filter(is_place).count() >= places.len(), "{verb}: {places:?}");
    }
}

#[test]
fn no_line_of_standard_input_and_no_variable_is_repeated_at_length() {
    let scratch = one_node();
    let head = scratch.git(&["rev-parse", "HEAD"]);
    for text in long() {
        for verb in ["pre-push", "pre-receive"] {
            for input in [
                text.clone(),
                format!("{text} {head} refs/heads/main {head}"),
                format!("refs/heads/main {head} {text} {}", "0".repeat(40)),
                format!("{} {head} {text}", "0".repeat(40)),
                format!("{head} {text} refs/heads/main"),
            ] {
                brief(&fed(scratch.yatsu_command(&[verb]), input + "\n"), &text, verb);
            }
        }
        for name in [
            "PRE_COMMIT_FROM_REF",
            "PRE_COMMIT_TO_REF",
            "PRE_COMMIT_LOCAL_BRANCH",
            "PRE_COMMIT_REMOTE_BRANCH",
            "PRE_COMMIT_REMOTE_NAME",
            "PREK_HOOK_STAGE",
            "GIT_INDEX_FILE",
            "GIT_DIR",
            "SKIP",
            "YATSU_HOOK",
        ] {
            let mut command = scratch.yatsu_command(&["run", "--stage", "pre-push"]);
            command.env("PRE_COMMIT_TO_REF", "HEAD").env("PRE_COMMIT_FROM_REF", "HEAD").env(name, &text);
            brief(&Said::of(command.output().expect("the program runs")), &text, name);
        }
    }
}

/// The report on a repository in which every text is long, without the places and repairs of findings, because these must
/// be whole to be used.
fn said_of(scratch: &Scratch, line: &str) -> String {
    let args: Vec<&str> = line.split_whitespace().collect();
    let said = scratch.yatsu(&args);
    assert!((0..=3).contains(&said.code), "{line}: {}", said.err);
    let lines = format!("{}{}", said.out, said.err);
    let is_command =
        |line: &&str| ["help: ", "hint: git fetch "].iter().any(|mark| line.trim_start().starts_with(mark));
    let told = lines.lines().filter(|line| !is_command(line));
    told.map(|line| line.split_once(": ").map_or(line, |(_, told)| told)).map(|line| format!("{line}\n")).collect()
}

/// Settings that are refused, or accepted with a warning.
fn configurations(text: &str) -> Vec<String> {
    vec![
        format!("{{\"yatsu\":{{\"{}\":1}}}}", text),
        format!("{{\"yatsu\":{{\"rules\":{{\"{}\":\"off\"}}}}}}", text),
        format!("{{\"yatsu\":{{\"rules\":{{\"yatsu-drift\":\"{}\"}}}}}}", text),
        format!("{{\"yatsu\":{{\"roots\":[\"../{}\"]}}}}", text),
        format!("{{\"yatsu\":{{\"roots\":[\"{}\"]}}}}", text),
        format!("{{\"yatsu\":{{\"exclude\":[\"[{}\"]}}}}", text),
        format!("{{\"yatsu\":{{\"exclude\":[\"{}\"]}}}}", text),
        format!("{{\"yatsu\":{{\"redact\":\"{}\"}}}}", text),
        format!("{{\"yatsu\":{{\"evaluators\":{{\"{}@\":\"1\"}}}}}}", text),
        format!("{{\"yatsu\":{{\"evaluators\":{{\"{}\":1}}}}}}", text),
        format!("{{\"yatsu\":{{\"evaluators\":{{\"a\":\"{}@\"}}}}}}", text),
        format!("{{\"yatsu\":{{\"evidenceFor\":{{\"{}\":[\"x\"]}}}}}}", text),
        format!("{{\"yatsu\":{{\"evidenceFor\":{{\"a\":[\"{}\"]}}}}}}", text),
        format!("{{\"lint\":{{\"scenarioTags\":[\"{}\"]}}}}", text),
        format!("{{\"lint\":{{\"{}\":1}}}}", text),
        format!("{{\"mainBranch\":\"{}\"}}", text),
        format!("{{\"yatsu\":{{\"protect\":[\"{}\"]}}}}", text),
    ]
}

/// A goal contract with a fault in every value, each containing `text`.
fn contract(text: &str) -> String {
    let criteria = [
        format!("{{id: {text}, kind: {text}, {text}: 1}}"),
        format!(
            "{{id: {text}, kind: metric_threshold, metric: \"{text}:\", op: \"{text}\", target: {text}, unit: \"{text} 1\"}}"
        ),
        format!("{{id: b, kind: marker_required, marker: \"{text} b\", scenario: {text}}}"),
        format!("{{id: c, kind: artifact_exists, artifactPattern: \"../{text}\"}}"),
        format!("{{id: d, kind: finding_count, minCount: {text}}}"),
    ];
    let list: String = criteria.iter().map(|criterion| format!("    - {criterion}\n")).collect();
    format!(
        "goal_contract:\n  version: {text}\n  goal_type: {text}\n  max_goal_attempts: {text}\n  {text}: 1\n  acceptance_criteria:\n{list}"
    )
}

/// The output of a measurement is text of a stranger too.
#[test]
fn no_text_of_an_output_is_repeated_at_length() {
    let scratch = one_node();
    let file = ".spec/n/yatsu.md";
    let goal =
        "goal_contract: {version: 1, goal_text: g, acceptance_criteria: [{id: A, kind: finding_count, minCount: 1}]}\n";
    scratch.write(file, scratch.read(file).replacen("---\n", &format!("---\n{goal}"), 1));
    let long = "a".repeat(300);
    for output in [
        format!(
            "[METRIC:x] {long}\n[METRIC:x] 1 {long} 2\n[METRIC:x:unit={long}2] 1\n[STAT:{long}] 1\n[METRIC:x] nan\n"
        ),
        format!("[METRIC:x:unit={0}] 1 {0}b\n[METRIC:{0}[] 1\n", "a".repeat(120)),
    ] {
        scratch.write("out.txt", output);
        let said = said_of(&scratch, "eval n --pass --result out.txt");
        assert!(said.contains("is not recorded") && !said.contains(&"a".repeat(82)), "{said}");
    }
    scratch.write("out.txt", format!("[METRIC:{}] 1\n", "a".repeat(120)));
    for said in ["2", "0b"].map(|value| format!("eval n --pass --result out.txt --metric {}={value}", "a".repeat(120)))
    {
        let said = said_of(&scratch, &said);
        assert!(!said.contains(&"a".repeat(82)), "{said}");
    }
}

#[test]
fn no_text_of_a_repository_is_repeated_at_length() {
    let long = |letter: &str| letter.repeat(300);
    let head = |scratch: &Scratch| scratch.git(&["rev-parse", "HEAD"]);
    let line = |scratch: &Scratch, name: &str, more: &str| {
        format!(
            "{{\"scenario\":\"{name}\",\"codeSha\":\"{}\",\"evaluator\":\"e@1\",\"verdict\":{{\"status\":\"fail\"}},{more}\"ts\":\"{TS}\"}}\n",
            head(scratch)
        )
    };
    let scratch = one_node();
    let (name, tag) = (long("s"), "t".repeat(64));
    let file = format!(
        "---\nscenarios:\n  - name: {name}\n    description: d\n    expected: e\n    tags: [{tag}]\n    code: {}\n  - name: {name}\n",
        long("c")
    );
    scratch.write(".spec/n/yatsu.md", file + &format!("    {}: x\n{}---\n", long("k"), contract(&long("a"))));
    let ledger = [
        line(&scratch, &name, ""),
        line(&scratch, &name, &format!("\"by\":\"{}\",", long("b"))),
        line(&scratch, &long("o"), ""),
        line(&scratch, &name, &format!("\"blob\":\"{}\",", long("h"))),
        line(&scratch, &name, &format!("\"metrics\":{{\"{}\":1,\"{}:\":1}},", long("a"), long("a"))),
        line(&scratch, &name, &format!("\"markers\":[\"{}\"],\"units\":{{\"x\":\"{0}\"}},", long("a"))),
        line(&scratch, &name, &format!("\"artifacts\":{{\"../{}\":\"\"}},\"findings\":{{\"{0}\":1}},", long("a"))),
        format!("{{\"kind\":\"{}\"}}\n", long("u")),
        format!("{{\"retracts\":\"2020-01-01T00:00:00.000Z\",\"scenario\":\"{}\",\"ts\":\"{TS}\"}}\n", long("w")),
        format!("{}\n", long("l")),
    ];
    scratch.write(".spec/n/yatsu.evals.ndjson", ledger.concat());
    scratch.write(".spec/m/spec.md", format!("---\ntitle: m\ncode:\n  - {}\n---\n", long("g")));
    let mut told = String::new();
    scratch.git(&["add", "-A"]);
    for line in
        ["check", "check --staged", "pre-commit", "scan", "scan --staged", "validate -- .spec/n/yatsu.md", "doctor"]
    {
        told += &said_of(&scratch, line);
    }
    scratch.commit(&long("m"));
    scratch.write(".spec/n/yatsu.evals.ndjson", "");
    scratch.commit("lost");
    for line in
        ["check --from HEAD~1 --to HEAD", "check --from HEAD~2 --to HEAD -v", "-q repair --restore HEAD~1", "-q repair"]
    {
        told += &said_of(&scratch, line);
    }
    for config in configurations(&long("y")) {
        scratch.write("spexcode.json", &config);
        scratch.git(&["add", "-A"]);
        for line in ["check --staged", "config check", "scan --changed", "scan --tag nobody", "ls --tag nobody"] {
            told += &said_of(&scratch, line);
        }
    }
    let runs: Vec<String> = "stckbohuwlgmya".chars().map(|letter| std::iter::repeat_n(letter, 82).collect()).collect();
    let found: BTreeSet<&str> = told.lines().filter(|line| runs.iter().any(|run| line.contains(run))).collect();
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn the_note_of_a_fail_is_repeated_in_part() {
    let scratch = one_node();
    reading(&scratch, ".spec/n", "works", "fail", 1);
    let noted = scratch.read(".spec/n/yatsu.evals.ndjson");
    let noted = noted.replace("\"fail\"", &format!("\"fail\",\"note\":\"{}\"", "n".repeat(300)));
    scratch.write(".spec/n/yatsu.evals.ndjson", noted);
    let said = scratch.yatsu(&["scan"]).expect(0).out;
    assert!(said.contains(&format!("{}…", "n".repeat(80))), "{said}");
}
