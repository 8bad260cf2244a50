//! Whatever text the fields of a page hold, the page contains only this program's markup. A second parser reads the
//! pages back.

#[path = "../../../../../tests/it/support/html.rs"]
#[allow(dead_code, unreachable_pub, clippy::unwrap_used)]
mod html;

use super::*;
use crate::features::goals::{ActualValue, Completion, CriterionRow, GatesRow, GoalRow, TrustGate};
use crate::features::page::model::links::ForgeLinks;
use crate::features::page::model::page::{
    GovernedRow, HistoryStep, LastPass, PageLinks, PageNode, PagePhase, PagePiece, PageRun, PageScenario, PageSource,
    PicturePair, PieceShown,
};
use crate::finding::{Axis, DriftPath, NodeRef};
use crate::report::view::score::{
    BlockedRow, EnvironmentRow, EvidenceRow, ReadingRow, ReadingState, RedactedRow, RunsRow, ScenarioRow,
};
use crate::report::view::tally::ScoreTally;
use crate::report::view::terms::{HowRow, TermsRow};
use crate::report::view::verdict::ShownVerdict;
use crate::text::escape::{lines, terminal};
use bstr::BString;
use html::Page;
use proptest::prelude::*;
use std::collections::BTreeMap;

/// Every element that a page may contain.
const ELEMENTS: &str = "html head meta title style body a header h1 p code div span form label input output button b nav ul li \
                        main section h2 h3 h4 h5 h6 article details summary small time dl dt dd blockquote figure figcaption \
                        img video pre ol table thead tbody tr th td br script";
/// Every attribute that a page may contain. None of them runs code, and `style` is not among them.
const ATTRIBUTES: &str = "lang charset http-equiv content name id class href role hidden for type autocomplete spellcheck \
                          placeholder aria-label aria-pressed aria-hidden tabindex open datetime loading decoding alt width \
                          height src controls preload scope rel";

/// The repository of the user.
const FORGE: &str = "https://github.com/acme/board";

/// Texts that end a string, tag, comment or section in some context.
const NASTY: [&str; 24] = [
    "<script>alert(1)</script>",
    "</script>",
    "]]>",
    "-->",
    "<!--",
    "</pre>",
    "</textarea></title></style>",
    "\"",
    "'",
    "`",
    "&",
    "&lt;",
    "&#x3c;",
    "javascript:alert(1)",
    "data:text/html,x",
    " onload=alert(1) ",
    "\u{202e}",
    "\u{feff}",
    "\0",
    "\x1b]0;t\x07",
    "\r\n",
    "\u{2028}",
    "\u{10ffff}",
    "<img src=x onerror=alert(1)>",
];

fn hostile() -> impl Strategy<Value = String> {
    let part = prop_oneof![(0..NASTY.len()).prop_map(|at| NASTY[at].to_owned()), ".{0,8}", "[a-z<>&\"'= /]{0,12}",];
    proptest::collection::vec(part, 0..4).prop_map(|parts| parts.concat())
}

/// A page with a text of `words` in every text field.
fn filled(words: &[String]) -> PageContent {
    let mut next = words.iter().cycle().cloned();
    let mut text = || next.next().unwrap_or_default();
    let hashes: Vec<String> = (0..6).map(|n| format!("{n}").repeat(64)).collect();
    let home = ["s-000000000000".to_owned(), text()];
    let row = scenario_row(&hashes, &home[1], &mut text);
    let unjudged = ScenarioRow { state: ReadingState::NotJudged(text()), ..row.clone() };
    let scenario =
        |row: ScenarioRow, anchor: &str, [description, command, test, passed_by]: [String; 4]| PageScenario {
            anchor: anchor.to_owned(),
            row,
            description,
            command,
            pair: Some(PicturePair {
                ts: "earlier".to_owned(),
                before: EvidenceRow { kind: "image", hash: hashes[2].clone(), size: Some(1), absent: None },
                after: EvidenceRow { kind: "image", hash: hashes[3].clone(), size: Some(1), absent: None },
            }),
            older: 1,
            is_open: true,
            test: Some(test),
            last_pass: Some(LastPass {
                commit: "b".repeat(40),
                ts: "earlier".to_owned(),
                differing: vec![passed_by.into()],
            }),
        };
    let passed = ScenarioRow {
        state: ReadingState::Fresh,
        readings: vec![ReadingRow { verdict: ShownVerdict::Pass, ..row.readings[0].clone() }],
        ..row.clone()
    };
    let scenarios = vec![(row, &*home[0]), (unjudged, "s-111111111111"), (passed, "s-222222222222")];
    let scenarios =
        scenarios.into_iter().map(|(row, anchor)| scenario(row, anchor, [text(), text(), text(), text()])).collect();
    let nodes = vec![node(0, Vec::new(), &mut text), node(1, scenarios, &mut text)];
    let file: BString = text().into();
    PageContent {
        source: source(&mut text),
        score: ScoreTally { stale: 1, not_judged: 1, ..ScoreTally::default() },
        no_history: Some(text()),
        history: (0..3).map(|pass| history_step(pass, text())).collect(),
        nodes,
        pieces: pieces(&hashes, &home, &mut text),
        goals: vec![goal(&mut text)],
        runs: vec![run(&mut text)],
        governed: vec![GovernedRow {
            path: text().into(),
            file: file.clone(),
            score: ScoreTally::default(),
            first: Vec::new(),
        }],
        uncounted: 1,
        proven: 0,
        links: Some(PageLinks {
            forge: ForgeLinks::parse(FORGE).unwrap(),
            commit: Some("b".repeat(40)),
            files: [file].into(),
        }),
    }
}

fn history_step(pass: usize, subject: String) -> HistoryStep {
    let score = ScoreTally { pass, fail: 1, ..ScoreTally::default() };
    HistoryStep { commit: "c".repeat(40), date: "2026-01-01T00:00:00.000Z".to_owned(), subject: Some(subject), score }
}

fn source(text: &mut dyn FnMut() -> String) -> PageSource {
    PageSource {
        project: text().into(),
        branch: Some(text().into()),
        commit: Some("b".repeat(40)),
        is_work_tree: true,
        is_published: false,
        is_narrowed: false,
        masked: 2,
    }
}

fn node(depth: usize, scenarios: Vec<PageScenario>, text: &mut dyn FnMut() -> String) -> PageNode {
    let title = (depth > 0).then(&mut *text);
    PageNode { dir: text().into(), id: text(), title, depth, scenarios, shows_passes: depth == 0 }
}

fn environment_row(text: &mut dyn FnMut() -> String) -> EnvironmentRow {
    let runs = Some(RunsRow { of: 10, need: 8, counted: 3, pass: 3, fail: 0, all: 3 });
    EnvironmentRow { env: Some(text()), state: "partial", verdict: None, axes: Vec::new(), runs }
}

fn blocked_row(text: &mut dyn FnMut() -> String) -> BlockedRow {
    BlockedRow { env: Some(text()), reason: text(), by: Some(text()), ts: text(), evidence: Vec::new() }
}

fn scenario_row(hashes: &[String], ts: &str, text: &mut dyn FnMut() -> String) -> ScenarioRow {
    let evidence = hashes
        .iter()
        .map(|hash| EvidenceRow { kind: "data", hash: hash.clone(), size: Some(1), absent: None })
        .collect();
    let reading = ReadingRow {
        verdict: ShownVerdict::Fail,
        note: Some(text()),
        state: ReadingState::Stale(vec![Axis::Code, Axis::Scenario]),
        drift: (0..4).map(|_| DriftPath { path: text().into(), symbol: None, why: None, commits: None }).collect(),
        filed: 0,
        counts: true,
        retracted: None,
        evaluator: Some(text()),
        by: Some(text()),
        commit: Some("a".repeat(40)),
        dirty: true,
        ts: ts.to_owned(),
        evidence,
        signers: Vec::new(),
        terms: TermsRow {
            grade: "observed",
            how: Some(HowRow {
                kind: "observed",
                harness: text(),
                command: text(),
                exit: 1,
                output: Some(text()),
                at: text(),
            }),
            key: Some(text()),
            attempt: Some(1),
            run: Some(text()),
            usage: None,
            env: Some(text()),
            runs: None,
        },
        measures: Default::default(),
        budget: None,
    };
    ScenarioRow {
        node: NodeRef { dir: text().into(), id: text() },
        scenario: text(),
        tags: vec![text(), text()],
        description: String::new(),
        expected: text(),
        state: ReadingState::Stale(vec![Axis::Code]),
        readings: vec![
            reading.clone(),
            ReadingRow { state: ReadingState::NotJudged(text()), counts: false, ..reading },
        ],
        decided: None,
        environments: vec![environment_row(text)],
        blocked: vec![blocked_row(text)],
        trust: None,
        redacted: vec![RedactedRow { ts: text(), reason: text(), by: Some(text()), line: text() }],
        because: Vec::new(),
    }
}

fn pieces(hashes: &[String], home: &[String; 2], text: &mut dyn FnMut() -> String) -> BTreeMap<String, PagePiece> {
    let bytes = text().into_bytes();
    let shown = [
        PieceShown::Text { head: text(), tail: Some((1, text())) },
        PieceShown::Steps(vec![[text(), text()]]),
        PieceShown::Picture { mime: "image/png", size: [1, 1], bytes: bytes.clone() },
        PieceShown::Film { mime: "video/mp4", bytes },
        PieceShown::LeftOut("x"),
        PieceShown::Missing("x"),
    ];
    let piece = |shown: PieceShown| PagePiece { size: Some(1), shown, home: home.clone() };
    hashes.iter().cloned().zip(shown.map(piece)).collect()
}

fn run(text: &mut dyn FnMut() -> String) -> PageRun {
    PageRun {
        file: text(),
        profile: text(),
        state: text(),
        began: Some(text()),
        last: Some(text()),
        phases: vec![PagePhase { number: 1, name: text(), state: "done", counts: vec![[text(), text()]] }],
        events: vec![[text(), text(), text()]],
        errors: 1,
    }
}

fn goal(text: &mut dyn FnMut() -> String) -> GoalRow {
    let criterion = CriterionRow {
        id: text(),
        passed: true,
        status: "MET",
        asks: text(),
        description: Some(text()),
        actual: Some(ActualValue::Named(text())),
        unit: None,
        target: None,
        gap: None,
        reason: text(),
        scenario: None,
        reading: None,
        is_unverified: false,
    };
    let gates = GatesRow {
        contract: String::new(),
        readings: String::new(),
        trust: TrustGate { passed: true, score: 1, threshold: 1, deductions: Vec::new() },
        goal: "MET",
        criteria: vec![criterion],
        action: "ACCEPT",
        attempt: 1,
        max_attempts: 1,
        restarted: false,
    };
    GoalRow {
        node: NodeRef { dir: text().into(), id: text() },
        text: Some(text()),
        status: "SUCCESS",
        is_fine: true,
        gates: Some(gates),
        blockers: vec![text()],
        next: Vec::new(),
        completed: Some(Completion { by: text(), ts: text() }),
    }
}

/// Panics if the page has an element, an attribute or an address that this program never writes.
fn is_ours(page: &Page) {
    let (elements, attributes): (Vec<_>, Vec<_>) =
        (ELEMENTS.split_whitespace().collect(), ATTRIBUTES.split_whitespace().collect());
    for element in &page.elements {
        assert!(elements.contains(&&*element.name), "<{}>", element.name);
        for (name, value) in &element.attrs {
            assert!(name.starts_with("data-") || attributes.contains(&&**name), "<{} {name}>", element.name);
            match name.as_str() {
                // an address off the page begins with the forge of the user, and has nothing that a browser obeys
                "href" => {
                    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/%".contains(&byte);
                    let away = value.strip_prefix(FORGE).is_some_and(|rest| rest.bytes().all(plain));
                    assert!(value.starts_with('#') || away, "{value}");
                }
                "src" => {
                    assert!(value.starts_with("data:image/png;base64,") || value.starts_with("data:video/mp4;base64,"))
                }
                _ => {}
            }
            assert!(!value.chars().any(|c| terminal(&c.to_string()) != c.to_string()), "{name}={value:?}");
        }
    }
    assert_eq!(page.all(|element| element.name == "script").count(), 1);
    assert_eq!(page.all(|element| element.name == "style").count(), 1);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn whatever_a_repository_says_is_text(words in proptest::collection::vec(hostile(), 40..60)) {
        let content = filled(&words);
        let text = write(&content);
        let page = Page::parse(&text);
        is_ours(&page);
        let row = &content.nodes[1].scenarios[0].row;
        let article = page.id("s-000000000000");
        prop_assert_eq!(article.attr("data-scenario"), Some(&*terminal(&row.scenario)));
        let head = match &content.pieces[&"0".repeat(64)].shown { PieceShown::Text { head, .. } => head, other => panic!("{other:?}") };
        let shown = page.all(|element| element.name == "pre").next().map(|pre| pre.text.trim_start_matches('\n').to_owned());
        prop_assert_eq!(shown, Some(lines(head).trim_start_matches('\n').to_owned()));
        prop_assert_eq!(page.all(|element| element.name == "h1").next().map(|h1| h1.text.clone()),
            Some(if content.source.project.is_empty() { "Scenarios".to_owned() } else { terminal(&content.source.project).into_owned() }));
        let branch = content.source.branch.as_ref().map(|branch| terminal(branch).into_owned());
        prop_assert_eq!(page.id("source").attr("data-branch"), branch.as_deref());
        let command = page.inside(article).find(|element| element.has("class", "again")).and_then(|again| page.inside(again).find(|element| element.name == "code"));
        prop_assert_eq!(command.map(|code| code.text.clone()), Some(terminal(&content.nodes[1].scenarios[0].command).into_owned()));
        let expected = page.inside(article).find(|element| element.has("class", "expected")).map(|element| element.text.clone());
        prop_assert_eq!(expected, Some(lines(row.expected.trim_end())));
    }
}

#[test]
fn the_policy_names_the_only_style_and_the_only_script() {
    let page = Page::parse(&write(&PageContent::default()));
    is_ours(&page);
    let policy = page.one("the policy", |element| element.has("http-equiv", "Content-Security-Policy"));
    let policy = policy.attr("content").unwrap();
    for (directive, element) in [("style-src", "style"), ("script-src", "script")] {
        let text = &page.one(element, |found| found.name == element).text;
        let hash = base64(&Sha256::digest(text));
        assert!(policy.contains(&format!("; {directive} 'sha256-{hash}'; ")), "{policy}");
    }
    for other in
        ["default-src 'none'; ", "img-src data:; ", "media-src data:; ", "base-uri 'none'; ", "form-action 'none'"]
    {
        assert!(policy.contains(other), "{policy}");
    }
    assert!(!policy.contains("unsafe"), "{policy}");
    // the policy comes before the style and the script
    let at = |name: &str| page.elements.iter().position(|element| element.name == name).unwrap();
    let meta = page.elements.iter().position(|element| element.attr("http-equiv").is_some()).unwrap();
    assert!(meta < at("style") && meta < at("script") && page.elements[meta - 1].attr("charset").is_some());
}

#[test]
fn a_page_begins_as_whoever_replaces_one_expects() {
    assert!(write(&PageContent::default()).starts_with(BEGINNING));
}
