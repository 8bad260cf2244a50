use super::*;
use crate::model::budgets::RequireUsage;
use crate::model::ledger::Timestamp;
use proptest::prelude::*;

fn read(text: &str) -> Config {
    parse(text.as_bytes()).unwrap()
}

#[track_caller]
fn refused(text: &str) -> String {
    let error = parse(text.as_bytes()).unwrap_err();
    assert_eq!(error.kind.exit_code(), 2);
    error.message
}

#[test]
fn nothing_said_is_the_default() {
    assert_eq!(read("{}"), Config::default());
    assert_eq!(read(r#"{"sessions":{"maxActive":6},"lint":{"altitude":[1]},"yatsu":{}}"#), Config::default());
    let default = Config::default();
    assert!(default.source_extensions().contains(&"vue"));
    assert!(!["css", "json", "md", "sh"].iter().any(|extension| default.source_extensions().contains(extension)));
}

#[test]
fn every_key_is_read() {
    let config = read(
        r#"{"lint":{"scenarioTags":["a"],"maxOwners":5,"sourceExtensions":[".ts","rs"]},"mainBranch":"trunk",
        "yatsu":{"roots":[".","./specs/"],"rules":{"yatsu-drift":"error","yatsu-owners":"off"},
        "evaluators":{"robot":"7"},"evidenceFor":{"cli":["transcript","data"]},"stampContent":false,
        "allowInTree":["docs/*.png"],"protect":["release/*"],"redact":"refuse","exclude":["./vendor/"]}}"#,
    );
    assert_eq!(config.scenario_tags, ["a"]);
    assert_eq!(config.max_owners, 5);
    assert_eq!(config.source_extensions(), ["ts", "rs"]);
    assert!(config.given.contains("lint.sourceExtensions") && !config.stamp_content);
    assert_eq!(config.main_branch.as_deref(), Some("trunk"));
    assert_eq!(config.roots, [RepoPath::root(), RepoPath::from_git("specs")]);
    assert_eq!(config.level(RuleId::YatsuDrift, Level::Warning), Some(Level::Error));
    assert_eq!(config.level(RuleId::YatsuOwners, Level::Warning), None);
    assert_eq!(config.level(RuleId::NodeId, Level::Error), Some(Level::Error));
    assert_eq!(config.evaluators["manual"], "1");
    assert_eq!(config.evaluators["robot"], "7");
    assert_eq!(config.evidence_for["cli"], [EvidenceKind::Transcript, EvidenceKind::Data]);
    assert!(config.allow_in_tree.is_match(&RepoPath::from_git("docs/a.png")));
    assert!(config.protect.is_match_name("release/1") && !config.protect.is_match_name("release/1/x"));
    assert!(!config.redact && Config::default().redact);
    assert!(config.exclude.covers(&RepoPath::from_git("vendor/x/yatsu.md")));
    assert_eq!(config.root_of(&RepoPath::from_git("specs/a")).unwrap(), &RepoPath::from_git("specs"));
}

#[test]
fn every_limit_of_budgets_is_read() {
    let limits = (1..).zip(Budgets::KEYS).map(|(limit, (scope, metric))| format!("\"{}\":{limit}", scope.key(metric)));
    let text = |more: &str| {
        format!("{{\"yatsu\":{{\"budgets\":{{{}{more}}}}}}}", limits.clone().collect::<Vec<_>>().join(","))
    };
    let budgets = read(&text("")).budgets;
    let found: Vec<_> = Budgets::KEYS.into_iter().map(|(scope, metric)| budgets.of(scope).get(metric)).collect();
    assert_eq!(found, (1..=12).map(Some).collect::<Vec<_>>());
    assert_eq!(budgets.require_usage, RequireUsage::No);
    assert!(read("{}").budgets.is_unlimited() && !budgets.is_unlimited());
    let required = |value: &str| read(&text(&format!(",\"requireUsage\":{value}"))).budgets.require_usage;
    assert_eq!([required("true"), required("false")], [RequireUsage::Always, RequireUsage::No]);
    let from = Timestamp::parse("2026-01-01T00:00:00.000Z").unwrap();
    assert_eq!(required("\"2026-01-01T00:00:00.000Z\""), RequireUsage::From(from));
}

#[test]
fn a_wrong_value_names_its_place_and_the_type() {
    assert_eq!(
        refused("{\n \"lint\": {\n  \"maxOwners\": \"3\"}}"),
        "spexcode.json:3:16: lint.maxOwners must be a whole number of at least 1, not a string"
    );
    assert_eq!(refused("[]"), "spexcode.json:1:1: the configuration must be an object, not a list");
    let rows = [
        (r#"{"lint":null}"#, "lint must be an object, not null"),
        (r#"{"lint":{"maxOwners":0}}"#, "not the number 0"),
        (r#"{"lint":{"maxOwners":1.5}}"#, "not the number 1.5"),
        (r#"{"lint":{"scenarioTags":"cli"}}"#, "lint.scenarioTags must be a list of strings, not a string"),
        (r#"{"lint":{"scenarioTags":[1]}}"#, "lint.scenarioTags must be a string, not the number 1"),
        (r#"{"mainBranch":7}"#, "mainBranch must be a string"),
        (r#"{"yatsu":{"root":[]}}"#, "yatsu.root is no setting; there are needs, roots, rules"),
        (r#"{"yatsu":{"roots":[]}}"#, "at least one"),
        (r#"{"yatsu":{"roots":["../x"]}}"#, "leaves the repository"),
        (r#"{"yatsu":{"roots":[".git"]}}"#, "lies inside .git"),
        (r#"{"yatsu":{"rules":{"drift":"off"}}}"#, "is no rule"),
        (r#"{"yatsu":{"rules":{"yatsu-drift":"warn"}}}"#, "must be error, warning, info or off, not \"warn\""),
        (r#"{"yatsu":{"rules":{"yatsu-drift":false}}}"#, "must be a string, not a boolean"),
        (r#"{"yatsu":{"evaluators":{"a@1":"1"}}}"#, "has no @"),
        (r#"{"yatsu":{"evaluators":{"manual":1}}}"#, "yatsu.evaluators.manual must be a string"),
        (r#"{"yatsu":{"evidenceFor":{"cli":["picture"]}}}"#, "not \"picture\""),
        (r#"{"yatsu":{"evidenceFor":{"cli":[]}}}"#, "at least one"),
        (r#"{"yatsu":{"segments":"sometimes"}}"#, "must be auto, always or never, not \"sometimes\""),
        (r#"{"yatsu":{"redact":false}}"#, "yatsu.redact must be a string"),
        (r#"{"yatsu":{"redact":"never"}}"#, "must be allow or refuse, not \"never\""),
        (r#"{"yatsu":{"budgets":[]}}"#, "yatsu.budgets must be an object, not a list"),
        (
            r#"{"yatsu":{"budgets":{"maxTaskTokens":1}}}"#,
            "yatsu.budgets.maxTaskTokens is no setting; there are maxTask",
        ),
        (r#"{"yatsu":{"budgets":{"maxTaskRssBytes":-1}}}"#, "must be a whole number from 0 to 18446744073709551615"),
        (r#"{"yatsu":{"budgets":{"maxTaskRssBytes":1.5}}}"#, "not the number 1.5"),
        (r#"{"yatsu":{"budgets":{"maxRunTotalTokens":18446744073709551616}}}"#, "not the number 18446744073709551616"),
        (r#"{"yatsu":{"budgets":{"maxRunTotalTokens":null}}}"#, "not null"),
        (r#"{"yatsu":{"budgets":{"maxRunTotalTokens":1,"maxRunTotalTokens":1}}}"#, "twice"),
        (r#"{"yatsu":{"budgets":{"requireUsage":"2026-01-01"}}}"#, "must be true, false or the time from which on"),
        (r#"{"yatsu":{"budgets":{"requireUsage":1}}}"#, "yatsu.budgets.requireUsage must be true, false or the time"),
        (r#"{"yatsu":{"stampContent":"no"}}"#, "must be true or false"),
        (r#"{"yatsu":{"exclude":["ok","[a"]}}"#, "1:27: yatsu.exclude: \"[a\" is no glob"),
        (r#"{"yatsu":{"exclude":["/"]}}"#, "matches nothing"),
        (r#"{"yatsu":{"stampContent":true,"stampContent":false}}"#, "twice"),
        (r#"{"lint":{},"lint":{}}"#, "twice"),
        ("", "is empty"),
        ("{", "ends inside a value"),
        ("{} x", "goes on"),
        ("{// comment\n}", "is not JSON"),
    ];
    for (text, part) in rows {
        let message = refused(text);
        assert!(message.starts_with("spexcode.json:") && message.contains(part), "{text}: {message}");
    }
    assert!(refused(&format!("{{\"yatsu\":{{\"exclude\":[\"{}\"]}}}}", "**/".repeat(1000))).contains("limit"));
    assert!(refused(&format!("{{\"x\":{}", "[".repeat(50_000))).contains("nested deeper"));
    assert!(refused(&" ".repeat(MAX_CONFIG + 1)).contains("the limit is"));
    assert!(parse(b"{\"a\":\n\"\xff\"}").unwrap_err().message.starts_with("spexcode.json:2:2: "));
}

#[test]
fn an_unknown_key_is_pointed_at_and_not_its_value() {
    for (text, place) in [
        ("{\"yatsu\": {\n  \"rotos\": [\".spec\"]}}", "2:3"),
        ("{\"yatsu\": {\n  \"ro\\\"t\\\\\" : \n 1}}", "2:3"),
        (r#"{"yatsu":{"rules":{"drift":"off"}}}"#, "1:20"),
        (r#"{"yatsu":{"evaluators":{"a@1":"1"}}}"#, "1:25"),
        (r#"{"yatsu":{"budgets":{"maxTaskTokens":1}}}"#, "1:22"),
        (r#"{"yatsu":{"claims":{"gracious":1}}}"#, "1:21"),
        (r#"{"yatsu":{"goals":{"threshold":1}}}"#, "1:20"),
        (r#"{"yatsu":{"patches":{"x":1}}}"#, "1:22"),
        (r#"{"yatsu":{"agents":{"x":1}}}"#, "1:21"),
        (r#"{"yatsu":{"trust":{"x":1}}}"#, "1:20"),
        (r#"{"yatsu":{"trust":{"readings":{"cli":{"x":1}}}}}"#, "1:39"),
        (r#"{"yatsu":{"runlogs":[{"path":"a","profil":"b"}]}}"#, "1:34"),
        (r#"{"yatsu":{"roots":[7]}}"#, "1:20"),
    ] {
        let message = refused(text);
        assert!(message.starts_with(&format!("spexcode.json:{place}: ")), "{text}: {message}");
    }
}

#[test]
fn what_weakens_the_gate_is_said() {
    let rows = [
        ("{}", r#"{"yatsu":{"rules":{"stray-blob":"warning"}}}"#, "stray-blob is lowered from error to warning"),
        (r#"{"yatsu":{"rules":{"yatsu-drift":"error"}}}"#, "{}", "yatsu-drift is lowered from error to warning"),
        ("{}", r#"{"yatsu":{"rules":{"yatsu-orphan":"off"}}}"#, "yatsu-orphan is lowered from info to off"),
        ("{}", r#"{"yatsu":{"exclude":["src/**"]}}"#, "yatsu.exclude gains"),
        ("{}", r#"{"yatsu":{"allowInTree":["**"]}}"#, "yatsu.allowInTree gains"),
        ("{}", r#"{"yatsu":{"roots":[".spec","x"]}}"#, "yatsu.roots gains \"x\""),
        ("{}", r#"{"yatsu":{"roots":["x"]}}"#, "yatsu.roots loses \".spec\""),
        (r#"{"yatsu":{"protect":["r/*"]}}"#, "{}", "yatsu.protect loses \"r/*\""),
        (r#"{"mainBranch":"trunk"}"#, r#"{"mainBranch":"other"}"#, "mainBranch is no longer \"trunk\""),
        ("{}", r#"{"mainBranch":"other"}"#, "mainBranch is now \"other\""),
        (r#"{"yatsu":{"evidenceFor":{"cli":["data"]}}}"#, "{}", "yatsu.evidenceFor loses \"cli\""),
        (
            r#"{"yatsu":{"evidenceFor":{"cli":["data"]}}}"#,
            r#"{"yatsu":{"evidenceFor":{"cli":["data","image"]}}}"#,
            "yatsu.evidenceFor.cli accepts image too",
        ),
        ("{}", r#"{"lint":{"scenarioTags":[]}}"#, "lint.scenarioTags is emptied"),
        ("{}", r#"{"lint":{"maxOwners":9}}"#, "lint.maxOwners is raised from 3 to 9"),
        (r#"{"lint":{"sourceExtensions":["a","b"]}}"#, r#"{"lint":{"sourceExtensions":["a"]}}"#, "loses b"),
        (r#"{"yatsu":{"evaluators":{"robot":"1"}}}"#, "{}", "yatsu.evaluators loses \"robot\""),
        (r#"{"yatsu":{"redact":"refuse"}}"#, "{}", "yatsu.redact no longer refuses"),
        ("{}", r#"{"yatsu":{"stampContent":false}}"#, "yatsu.stampContent is switched off"),
        (
            r#"{"yatsu":{"budgets":{"maxTaskRssBytes":5}}}"#,
            r#"{"yatsu":{"budgets":{"maxTaskRssBytes":6}}}"#,
            "yatsu.budgets.maxTaskRssBytes is raised from 5 to 6",
        ),
        (r#"{"yatsu":{"budgets":{"maxRunTotalTokens":0}}}"#, "{}", "yatsu.budgets.maxRunTotalTokens is removed"),
        (r#"{"yatsu":{"budgets":{"requireUsage":true}}}"#, "{}", "yatsu.budgets.requireUsage is switched off"),
        (
            r#"{"yatsu":{"budgets":{"requireUsage":true}}}"#,
            r#"{"yatsu":{"budgets":{"requireUsage":"2026-01-01T00:00:00.000Z"}}}"#,
            "asks only from 2026-01-01T00:00:00.000Z on",
        ),
        (
            r#"{"yatsu":{"budgets":{"requireUsage":"2026-01-01T00:00:00.000Z"}}}"#,
            r#"{"yatsu":{"budgets":{"requireUsage":"2026-01-01T00:00:00.001Z"}}}"#,
            "asks only from 2026-01-01T00:00:00.001Z on",
        ),
        (r#"{"yatsu":{"claims":{"maxPerOwner":1}}}"#, "{}", "yatsu.claims.maxPerOwner is removed: it was 1"),
        ("{}", r#"{"yatsu":{"agents":{"stop":"say"}}}"#, "yatsu.agents.stop is lowered from block to say"),
        (r#"{"yatsu":{"trust":{"readings":{"*":{"grade":"observed"}}}}}"#, "{}", "yatsu.trust.readings loses \"*\""),
        ("{}", r#"{"yatsu":{"claims":{"maxPerRun":9}}}"#, "yatsu.claims.maxPerRun is raised from 8 to 9"),
        ("{}", r#"{"yatsu":{"claims":{"maxAttempts":4}}}"#, "yatsu.claims.maxAttempts is raised from 3 to 4"),
        (r#"{"yatsu":{"claims":{"perTag":{"cli":1}}}}"#, "{}", "yatsu.claims.perTag.cli is removed: it was 1"),
        (r#"{"yatsu":{"needs":"0.1"}}"#, "{}", "yatsu.needs is taken away: programs before 0.1 judge again"),
        (r#"{"yatsu":{"needs":"0.1"}}"#, r#"{"yatsu":{"needs":"0.0.9"}}"#, "yatsu.needs is lowered to 0.0.9"),
    ];
    for (old, new, part) in rows {
        let found = lowered(&read(old), &read(new));
        assert!(found.iter().any(|sentence| sentence.contains(part)), "{old} -> {new}: {found:?}");
    }
}

#[test]
fn what_strengthens_the_gate_is_not() {
    let strong = r#"{"yatsu":{"rules":{"yatsu-drift":"error"},"redact":"refuse","protect":["r/*"],"evidenceFor":{"cli":["data"]}},
        "lint":{"maxOwners":1},"mainBranch":"main"}"#;
    let limited = r#"{"yatsu":{"budgets":{"maxTaskRssBytes":5,"requireUsage":"2026-01-01T00:00:00.000Z"},
        "claims":{"maxPerOwner":2,"maxPerRun":2,"maxAttempts":1,"perTag":{"cli":1}}}}"#;
    let tighter = r#"{"yatsu":{"budgets":{"maxTaskRssBytes":5,"maxRunTotalTokens":0,"requireUsage":true},
        "claims":{"maxPerOwner":1,"maxPerRun":1,"maxAttempts":1,"perTag":{"cli":1,"desktop":1}}}}"#;
    assert_eq!(lowered(&read("{}"), &read(limited)), Vec::<String>::new());
    assert_eq!(lowered(&read(limited), &read(tighter)), Vec::<String>::new());
    assert_eq!(lowered(&read(limited), &read(limited)), Vec::<String>::new());
    assert_eq!(lowered(&read("{}"), &read(strong)), Vec::<String>::new());
    assert_eq!(
        lowered(&read(r#"{"yatsu":{"needs":"0.0"}}"#), &read(r#"{"yatsu":{"needs":"0.1"}}"#)),
        Vec::<String>::new()
    );
    let excluding = read(r#"{"yatsu":{"exclude":["a"],"allowInTree":["b"]}}"#);
    assert_eq!(lowered(&excluding, &Config::default()), Vec::<String>::new());
    assert_eq!(lowered(&excluding, &excluding), Vec::<String>::new());
}

proptest! {
    #[test]
    fn any_bytes_are_read_or_refused(bytes: Vec<u8>) {
        let _ = parse(&bytes);
    }

    #[test]
    fn any_near_configuration_is_read_or_refused(text in r#"(\{|\}|\[|\]|"yatsu"|"lint"|"rules"|"roots"|:|,|"\[a"|"a"|1|null){0,20}"#) {
        let _ = parse(text.as_bytes());
    }
}
