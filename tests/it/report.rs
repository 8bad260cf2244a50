//! Whole outputs of the four formats, and their validity.

use crate::support::{validate_published, validate_sarif};
use yatsu_hook::error::Error;
use yatsu_hook::finding::{Axis, Backend, DriftPath, Finding, Level, Location, NodeRef, Origin, RuleId, Verdict};
use yatsu_hook::report;
use yatsu_hook::report::{
    Format, ReadingState, Report, RuleText, ScenarioStand, Scope, ScopeMode, ScoreTally, ShownVerdict, Style, Summary,
};
use yatsu_hook::text::excerpt::Excerpt;

const SINCE: &str = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";

fn style() -> Style {
    Style {
        color: false,
        verbose: false,
        quiet: false,
        ascii: false,
        width: None,
        describe: |_| RuleText { summary: "Summary.", why: "Why.", mend: "Mend." },
    }
}

fn printed(report: &Report, format: Format, style: Style) -> String {
    let mut out = Vec::new();
    report::write(report, format, &style, &mut out).expect("a vector takes everything");
    String::from_utf8(out).expect("output is UTF-8")
}

fn print(report: &Report, format: Format) -> String {
    printed(report, format, style())
}

fn at(path: &[u8], line: u32, column: u32) -> Option<Location> {
    Some(Location { path: path.into(), line: Some(line), column: Some(column) })
}

fn board() -> Option<NodeRef> {
    Some(NodeRef { dir: ".spec/board".into(), id: "board".into() })
}

fn drift() -> Finding {
    Finding {
        level: Level::Warning,
        origin: Some(Origin::Introduced),
        node: board(),
        scenario: Some("renders".into()),
        location: at(b".spec/board/yatsu.md", 4, 5),
        axes: vec![Axis::Code, Axis::Scenario],
        since: Some(SINCE.into()),
        drift: vec![
            DriftPath { path: "src/a.ts".into(), symbol: None, why: None, commits: Some(1) },
            DriftPath { path: b"src/\xff.ts".into(), symbol: None, why: None, commits: None },
        ],
        tags: vec!["cli".into()],
        help: "measure again, then: yatsu-hook eval board/renders --pass".into(),
        key: "renders".into(),
        ..Finding::new(RuleId::YatsuDrift, "the latest reading no longer speaks for the code")
    }
}

fn stray() -> Finding {
    Finding {
        level: Level::Error,
        origin: Some(Origin::Introduced),
        location: Some(Location { path: "shots/a b,100%.png".into(), line: None, column: None }),
        help: "git rm --cached -- 'shots/a b,100%.png'".into(),
        key: "shots/a b,100%.png".into(),
        ..Finding::new(RuleId::StrayBlob, "evidence bytes are staged")
    }
}

fn misspelt() -> Finding {
    Finding {
        level: Level::Error,
        origin: Some(Origin::Inherited),
        node: board(),
        location: at(b".spec/board/yatsu.md", 9, 3),
        help: "write `expected`".into(),
        key: "unknown expcted".into(),
        ..Finding::new(RuleId::YatsuSchema, "unknown key `expcted`")
    }
}

fn failing() -> Report {
    Report {
        scope: Scope {
            mode: ScopeMode::Staged,
            base: Some(SINCE.into()),
            tip: None,
            backend: Some(Backend::Native),
            files: 5,
            nodes: 102,
        },
        findings: vec![drift(), stray(), misspelt()],
        beyond: vec![drift(); 7],
        scenarios: Vec::new(),
        score_limit: None,
        notes: Vec::new(),
        older: Some("12 older findings, not from this change: yatsu-hook scan".into()),
        summary: Summary {
            errors: 2,
            warnings: 8,
            inherited: 12,
            nodes_flagged: 1,
            malformed: 1,
            stale: 8,
            ..Summary::default()
        },
        verdict: Verdict::Fail,
        approval: None,
        unchecked: None,
    }
}

fn clean() -> Report {
    Report {
        findings: Vec::new(),
        beyond: Vec::new(),
        notes: Vec::new(),
        older: None,
        summary: Summary::default(),
        verdict: Verdict::Pass,
        ..failing()
    }
}

fn unchecked() -> Report {
    let error = Error::unchecked("the index is corrupt").hint("git fsck").hint("rm .git/index; git reset");
    Report::unchecked(Scope::unread(ScopeMode::Staged), &error)
}

/// Text of a repository with terminal escapes, the end of a command, and a link.
fn hostile() -> Report {
    let nasty = "\u{1b}[2J\r\n::error::x\u{9b}31m\u{202e}\u{7f} [click](http://x.invalid) ##[error]x %0A";
    let finding = Finding {
        level: Level::Error,
        node: Some(NodeRef { dir: nasty.into(), id: nasty.into() }),
        scenario: Some(nasty.into()),
        location: at(nasty.as_bytes(), 1, 1),
        axes: vec![Axis::Anchor],
        drift: vec![DriftPath { path: nasty.into(), symbol: None, why: None, commits: None }],
        tags: vec![nasty.into()],
        help: nasty.into(),
        ..Finding::new(RuleId::YatsuSchema, nasty)
    };
    Report {
        findings: vec![finding],
        notes: vec![nasty.into()],
        unchecked: Some((nasty.into(), vec![nasty.into()])),
        verdict: Verdict::Unchecked,
        ..failing()
    }
}

/// A short text with a command, markup, a link and escapes.
const NASTY: &str = "\u{1b}[2J::error::x ##[error] <b>]]> [a](http://x.invalid) @team `|` \u{202e}%0A";

/// The file with the finding of several lines.
const FLAWED: &str = "---\nscenarios:\n  - name: zählt\n    code: [src/a.rs,\n      \"\u{1b}[2J 日本語\",\n      b]\n";

/// Findings with a place of several lines, without a place, with hostile text, and an older one.
fn told_everywhere() -> [Finding; 4] {
    let node = |dir: &str| {
        Some(NodeRef { dir: dir.into(), id: dir.rsplit('/').next().map(str::to_owned).unwrap_or_default() })
    };
    let several = Finding {
        level: Level::Error,
        origin: Some(Origin::Introduced),
        node: node(".spec/zähler"),
        scenario: Some("zählt".into()),
        location: at(".spec/zähler/yatsu.md".as_bytes(), 4, 11),
        excerpt: Excerpt::of(FLAWED.as_bytes(), 4, Some(11)).map(Box::new),
        help: "name files".into(),
        ..Finding::new(RuleId::YatsuSchema, "`code` names what is not there")
    };
    let nowhere = Finding {
        level: Level::Error,
        origin: Some(Origin::Introduced),
        help: "push it as another name".into(),
        ..Finding::new(RuleId::ReplaceRef, "refs/replace/1 would change what commits are")
    };
    let nasty = Finding {
        level: Level::Warning,
        origin: Some(Origin::Introduced),
        node: node(NASTY),
        scenario: Some(NASTY.into()),
        location: at(NASTY.as_bytes(), 1, 1),
        tags: vec![NASTY.into()],
        help: NASTY.into(),
        ..Finding::new(RuleId::YatsuMissing, NASTY)
    };
    let older = Finding {
        level: Level::Info,
        origin: Some(Origin::Inherited),
        node: board(),
        scenario: Some("renders".into()),
        location: at(b".spec/board/yatsu.md", 3, 5),
        ..Finding::new(RuleId::YatsuFailing, "the latest reading is a fail")
    };
    [several, nowhere, nasty, older]
}

/// A report with every sort of content: all levels and origins, places of several lines, none and non-ASCII, hostile text,
/// scenarios in every state.
fn every_sort() -> Report {
    let [several, nowhere, nasty, older] = told_everywhere();
    let gone = Finding { origin: Some(Origin::Fixed), ..misspelt() };
    let stand = |name: &str, state, verdict| ScenarioStand {
        dir: ".spec/zähler".into(),
        name: name.into(),
        state,
        verdict,
        note: verdict.map(|_| NASTY.into()),
        moved: vec!["src/ä.ts".into()],
        test: Vec::new(),
        environments: Vec::new(),
    };
    Report {
        scope: Scope { mode: ScopeMode::Range, tip: Some(SINCE.into()), ..failing().scope },
        findings: vec![several, nowhere, drift(), nasty, gone, older],
        beyond: Vec::new(),
        scenarios: vec![
            stand("geht", ReadingState::Fresh, Some(ShownVerdict::Pass)),
            stand(NASTY, ReadingState::Fresh, Some(ShownVerdict::Fail)),
            stand("alt", ReadingState::Stale(vec![Axis::Code]), Some(ShownVerdict::Pass)),
            stand("neu", ReadingState::Unmeasured, None),
            stand("fern", ReadingState::NotJudged("its commit is not here".into()), Some(ShownVerdict::Pass)),
        ],
        notes: vec![NASTY.into()],
        older: None,
        summary: Summary {
            errors: 2,
            warnings: 2,
            inherited: 1,
            score: Some(ScoreTally {
                pass: 1,
                fail: 1,
                stale: 1,
                unmeasured: 1,
                not_judged: 1,
                ..ScoreTally::default()
            }),
            ..failing().summary
        },
        ..failing()
    }
}

#[test]
fn every_format_has_a_snapshot_with_every_sort_of_finding() {
    let report = every_sort();
    let wide = Style { width: Some(80), ..style() };
    insta::assert_snapshot!("every_sort_human_80", printed(&report, Format::Human, wide));
    let narrow = Style { ascii: true, width: Some(40), ..style() };
    insta::assert_snapshot!("every_sort_human_40_ascii", printed(&report, Format::Human, narrow));
    let colored = printed(&report, Format::Human, Style { color: true, ..wide });
    insta::assert_snapshot!("every_sort_human_colour", colored.replace('\u{1b}', "ESC"));
    let json = validate_published(&print(&report, Format::Json));
    insta::assert_snapshot!("every_sort_json", serde_json::to_string_pretty(&json).expect("json"));
    let mut sarif = validate_sarif(&print(&report, Format::Sarif));
    sarif["runs"][0]["tool"]["driver"]["semanticVersion"] = "VERSION".into();
    insta::assert_snapshot!("every_sort_sarif", serde_json::to_string_pretty(&sarif).expect("json"));
    insta::assert_snapshot!("every_sort_github", print(&report, Format::Github));
    insta::assert_snapshot!("every_sort_markdown", print(&report, Format::Markdown));
    insta::assert_snapshot!("every_sort_junit", print(&report, Format::Junit));
}

#[test]
fn human() {
    insta::assert_snapshot!(print(&failing(), Format::Human));
}

#[test]
fn human_in_colour_and_with_the_scope() {
    insta::assert_snapshot!(printed(&failing(), Format::Human, Style { color: true, verbose: true, ..style() }));
}

#[test]
fn human_is_silent_on_success() {
    assert_eq!(print(&clean(), Format::Human), "");
    assert_eq!(print(&clean(), Format::Github), "");
    assert!(clean().is_silent() && !failing().is_silent() && !unchecked().is_silent());
}

#[test]
fn human_unchecked() {
    insta::assert_snapshot!(print(&unchecked(), Format::Human));
}

#[test]
fn many_moved_paths_are_counted() {
    let mut report = failing();
    let path =
        |n: usize| DriftPath { path: format!("src/{n}").into(), symbol: None, why: None, commits: Some(n as u32) };
    report.findings[0].drift = (0..7).map(path).collect();
    let text = print(&report, Format::Human);
    assert!(text.contains("moved: src/0, src/1 +1 commit, src/2"), "an edit that nobody committed: {text}");
    assert!(text.contains("src/4 +4 commits, and 2 more: yatsu-hook scan -v\n"), "{text}");
    let text = printed(&report, Format::Human, Style { verbose: true, ..style() });
    assert!(text.contains("src/5 +5 commits, src/6 +6 commits\n"), "{text}");
}

#[test]
fn json() {
    insta::assert_snapshot!(print(&failing(), Format::Json));
    insta::assert_snapshot!(print(&unchecked(), Format::Json));
    insta::assert_snapshot!(print(&clean(), Format::Json));
}

#[test]
fn sarif() {
    let mut log = validate_sarif(&print(&failing(), Format::Sarif));
    log["runs"][0]["tool"]["driver"]["semanticVersion"] = "VERSION".into();
    insta::assert_snapshot!(serde_json::to_string_pretty(&log).expect("json"));
    let log = validate_sarif(&print(&unchecked(), Format::Sarif));
    insta::assert_snapshot!(serde_json::to_string_pretty(&log["runs"][0]["invocations"]).expect("json"));
}

#[test]
fn github() {
    insta::assert_snapshot!(print(&failing(), Format::Github));
    insta::assert_snapshot!(print(&unchecked(), Format::Github));
}

#[test]
fn a_workflow_command_says_whether_the_change_did_it_and_nothing_of_what_it_ended() {
    let with = |origin| {
        let report = Report { findings: vec![Finding { origin, ..misspelt() }], ..clean() };
        print(&report, Format::Github)
    };
    let said = |level: &str, mark: &str, help: &str| {
        let place = "file=.spec/board/yatsu.md,line=9,col=3,title=yatsu-schema";
        format!("::{level} {place}::board: unknown key `expcted`{mark}{help}\n")
    };
    let help = "%0Ahelp: write `expected`";
    assert_eq!(with(Some(Origin::Introduced)), said("error", " (introduced)", help));
    assert_eq!(with(Some(Origin::Inherited)), said("error", " (older, not from this change)", help));
    assert_eq!(with(None), said("error", "", help));
    assert_eq!(with(Some(Origin::Fixed)), "");
}

#[test]
fn every_machine_output_is_valid() {
    for report in [failing(), clean(), unchecked(), hostile(), every_sort(), failing().only_blocking()] {
        let json = validate_published(&print(&report, Format::Json));
        assert_eq!(json["findings"].as_array().expect("a list").len(), report.findings.len());
        validate_sarif(&print(&report, Format::Sarif));
    }
    for (rule, level) in RuleId::ALL.into_iter().zip([Level::Error, Level::Warning, Level::Info].into_iter().cycle()) {
        let finding = Finding { level, ..Finding::new(rule, "a message") };
        let report = Report { findings: vec![finding], ..clean() };
        validate_published(&print(&report, Format::Json));
        validate_sarif(&print(&report, Format::Sarif));
    }
}

#[test]
fn the_schema_refuses_what_is_not_the_format() {
    let valid = print(&failing(), Format::Json);
    for (from, to) in [
        ("findings/v1", "findings/v2"),
        ("\"mode\":\"staged\"", "\"mode\":\"index\""),
        ("\"level\":\"error\"", "\"level\":\"fatal\""),
        ("\"verdict\":\"fail\"", "\"verdict\":\"unchecked\""),
        ("\"line\":4", "\"line\":0"),
        ("\"tip\":null", "\"top\":null"),
        ("\"overOwned\":0", "\"overOwned\":-1"),
    ] {
        assert!(valid.contains(from), "{from}");
        let broken = valid.replace(from, to);
        assert!(std::panic::catch_unwind(|| validate_published(&broken)).is_err(), "{to}");
    }
}

#[test]
fn text_of_a_repository_cannot_act_on_a_terminal() {
    for format in [Format::Human, Format::Json, Format::Sarif, Format::Github, Format::Markdown, Format::Junit] {
        let text = printed(&hostile(), format, Style { verbose: true, ..style() });
        let acting = text.chars().find(|c| (c.is_control() && *c != '\n') || matches!(c, '\u{202a}'..='\u{202e}'));
        assert_eq!(acting, None, "{format:?}: {text}");
    }
}

#[test]
fn escaped_json_reads_back_as_the_same_text() {
    let report = hostile();
    let json = validate_published(&print(&report, Format::Json));
    assert_eq!(json["findings"][0]["message"], report.findings[0].message);
    assert_eq!(json["notes"][0], report.notes[0]);
}

#[test]
fn text_of_a_repository_cannot_make_a_command_or_a_link() {
    let text = print(&hostile(), Format::Github);
    assert!(text.lines().all(|line| line.starts_with("::error ") || line.starts_with("::notice::")), "{text}");
    assert_eq!(text.lines().count(), 5, "{text}");
    assert!(!text.contains("##["), "{text}");
    assert!(!text.contains(" %0A"), "{text}");
    let sarif = print(&hostile(), Format::Sarif);
    assert!(!sarif.contains("[click](http"), "{sarif}");
}

#[test]
fn quiet_keeps_what_blocks_and_the_verdict() {
    let quiet = failing().only_blocking();
    assert_eq!(quiet.findings, [stray()], "an inherited error does not block");
    assert_eq!((quiet.beyond.len(), quiet.notes.len(), quiet.verdict), (0, 0, Verdict::Fail));
}

#[test]
fn a_fingerprint_survives_a_shift_of_lines() {
    let print_of = |finding: Finding| {
        let log = validate_sarif(&print(&Report { findings: vec![finding], ..failing() }, Format::Sarif));
        log["runs"][0]["results"][0]["partialFingerprints"]["yatsuFinding/v1"].to_string()
    };
    let moved = Finding { location: at(b".spec/board/yatsu.md", 40, 1), ..misspelt() };
    let other = Finding { key: "unknown tests".into(), ..misspelt() };
    assert_eq!(print_of(moved), print_of(misspelt()));
    assert_ne!(print_of(other), print_of(misspelt()));
}

proptest::proptest! {
    #[test]
    fn any_text_stays_text(text in ".{0,40}", path in proptest::collection::vec(1u8.., 1..20)) {
        let finding = Finding {
            level: Level::Error,
            scenario: Some(text.clone()),
            location: at(&path, 1, 1),
            help: text.clone(),
            ..Finding::new(RuleId::YatsuSchema, format!("wrong {text}"))
        };
        let notes = vec![text.clone()];
        let report = Report { findings: vec![finding], notes, older: None, beyond: Vec::new(), ..failing() };
        let json: serde_json::Value = serde_json::from_str(&print(&report, Format::Json)).expect("JSON");
        assert_eq!(json["findings"][0]["help"], text);
        assert_eq!(json["notes"][0], text);
        let sarif: serde_json::Value = serde_json::from_str(&print(&report, Format::Sarif)).expect("JSON");
        let uri = sarif["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"].clone();
        assert_eq!(decoded(uri.as_str().expect("a URI")), path);
        let commands = print(&report, Format::Github);
        assert_eq!(commands.lines().count(), 2, "{commands}");
        assert_eq!(print(&report, Format::Human).lines().count(), if text.is_empty() { 3 } else { 4 });
        // XML that a parser accepts, with characters replaced that XML cannot hold
        print(&report, Format::Markdown);
        let xml = print(&report, Format::Junit);
        assert!(xml.chars().all(|c| c == '\n' || !c.is_control()), "{xml}");
    }
}

/// The text behind a percent-encoding.
fn decoded(uri: &str) -> Vec<u8> {
    let mut parts = uri.split('%');
    let mut bytes = parts.next().unwrap_or_default().as_bytes().to_vec();
    for part in parts {
        bytes.push(u8::from_str_radix(&part[..2], 16).expect("hex"));
        bytes.extend_from_slice(&part.as_bytes()[2..]);
    }
    bytes
}
