//! Every verb where it does what it is for.

use crate::coverage::import::{coverage_py, junit, shop};
use crate::goals;
use crate::runlogs::verbs::{START, started};
use crate::support::session::{BEFORE_CONFIGURED_HOOKS, pretend_git};
use crate::support::{Scratch, one_node, reading, scenarios};

/// A repository with `src/a.rs`, a place for evidence, and a user.
pub fn fresh() -> Scratch {
    let s = Scratch::new();
    s.write("src/a.rs", "fn a() {}\nfn b() {}\n");
    s.write("../out.txt", "every card is there, in its column\n");
    s.commit("first");
    s.git(&["config", "user.name", "Ann"]);
    s
}

/// The same with the scenario `draws` of the node `board`, committed.
pub fn declared() -> Scratch {
    let s = fresh();
    s.write(".spec/board/yatsu.md", scenarios(&[("draws", "src/a.rs")]));
    s.commit("declared");
    s
}

#[test]
fn a_first_scenario_and_its_reading() {
    let s = fresh();
    let begun = s.session(
        "yatsu-hook new board --code src/a.rs --scenario draws
         yatsu-hook next",
    );
    s.write(".spec/board/yatsu.md", scenarios(&[("draws", "src/a.rs"), ("sorts", "src/a.rs")]));
    s.commit("declared");
    let measured = s.session(
        "yatsu-hook validate .spec/board/yatsu.md
         yatsu-hook eval board/draws --pass --result ../out.txt --note 'by hand' --tokens 900,100 --token-source meter
         yatsu-hook ls
         yatsu-hook show board
         yatsu-hook check
         yatsu-hook scan
         yatsu-hook usage
         yatsu-hook impact src/a.rs
         yatsu-hook report --html ../page.html",
    );
    // the page's size changes with its style and script: only that it is the file's size matters here
    let page = std::fs::metadata(s.base.join("page.html")).expect("the page").len();
    let size = format!("({:.1} kB)", page as f64 / 1000.0);
    insta::assert_snapshot!(begun + &measured.replace(&size, "(SIZE)"));
}

#[test]
fn since_when_a_scenario_is_stale() {
    let s = declared();
    insta::assert_snapshot!(s.session(
        "yatsu-hook -q eval board/draws --pass
         git add -A && GIT_COMMITTER_DATE=2026-01-02T00:00:00Z git commit -qm measured
         echo 'fn c() {}' >>src/a.rs
         GIT_COMMITTER_DATE=2026-01-03T00:00:00Z git commit -qam change
         yatsu-hook log board/draws -n 1
         yatsu-hook log -n 2 --format json
         yatsu-hook log --from HEAD~1
         yatsu-hook log HEAD~1..HEAD
         yatsu-hook log src/a.rs"
    ));
}

#[test]
fn a_comment_on_a_pull_request() {
    let s = declared();
    insta::assert_snapshot!(s.session(
        "yatsu-hook -q eval board/draws --pass
         git add -A && git commit -qm measured
         echo 'fn c() {}' >>src/a.rs
         git commit -qam change
         yatsu-hook report --pr --from HEAD~1 --to HEAD --page https://example.org/page.html
         yatsu-hook report --pr --from HEAD~1 --to HEAD --checked HEAD~1 --format json
         yatsu-hook report --pr --from gone --to HEAD
         yatsu-hook report --pr --from HEAD
         yatsu-hook report --pr --from HEAD --to HEAD --page example.org
         yatsu-hook report --pr --html page.html --from HEAD --to HEAD"
    ));
}

#[test]
fn drafts_of_a_file_and_their_first_reading() {
    let s = fresh();
    s.write(
        "features/board.feature",
        "Feature: Board\nScenario: draws\n  When one opens it\n  Then every card is there\n",
    );
    s.commit("theirs");
    insta::assert_snapshot!(s.session(
        "yatsu-hook new --from features/board.feature --code src/a.rs --dry-run
         yatsu-hook -q new --from features/board.feature --code src/a.rs --format json
         git add -A && git commit -qm ours
         yatsu-hook next
         yatsu-hook eval board/draws --pass --result ../out.txt"
    ));
}

#[test]
fn a_measurement_between_begin_and_eval() {
    let s = declared();
    insta::assert_snapshot!(s.session(
        "yatsu-hook begin board/draws
         yatsu-hook begin board/draws >../token
         yatsu-hook eval board/draws --pass --began $(cat ../token)
         echo 'fn c() {}' >>src/a.rs
         yatsu-hook eval board/draws --fail --began $(cat ../token)
         yatsu-hook eval board/draws --fail --began $(cat ../token) --format json
         yatsu-hook eval board/draws --pass --began $(yatsu-hook begin)"
    ));
}

#[cfg(feature = "units")]
#[test]
fn units() {
    insta::assert_snapshot!(fresh().session("yatsu-hook units src/a.rs"));
}

#[test]
fn a_list_that_a_coverage_file_completes() {
    let s = declared();
    s.write("src/b.rs", "fn b() {\n    a()\n}\n");
    s.commit("more");
    s.write("../cover.out", "mode: set\nsrc/a.rs:1.1,1.9 1 1\nsrc/b.rs:1.1,3.2 1 1\nsrc/c.rs:1.1,3.2 1 1\n");
    insta::assert_snapshot!(s.session(
        "yatsu-hook coverage suggest board/draws --coverage ../cover.out
         yatsu-hook coverage suggest board/draws --coverage ../cover.out --format json
         yatsu-hook new sums --from-coverage ../cover.out"
    ));
}

#[test]
fn readings_with_what_their_runs_went_through() {
    let s = shop();
    s.git(&["config", "user.name", "Ann"]);
    let (adds, pays) = ("tests/test_cart.py::test_adds|run", "tests/test_cart.py::test_pays|run");
    let cart: (&str, &[&str]) = ("src/cart.py", &[adds, pays]);
    s.write("coverage.json", coverage_py(&[cart, ("src/price.py", &[pays]), ("src/unused.py", &[])]));
    s.write("whole.json", coverage_py(&[("src/cart.py", &[""]), ("src/gift.py", &[""])]));
    s.write("report.xml", junit(&["tests.test_cart test_adds", "tests.test_cart test_pays"]));
    insta::assert_snapshot!(s.session(
        "yatsu-hook -v eval shop/adds --pass --coverage coverage.json
         yatsu-hook eval --from-junit report.xml --coverage whole.json --dry-run
         yatsu-hook -v eval --from-junit report.xml --coverage coverage.json
         yatsu-hook scan
         git add -A && git commit -qm measured
         yatsu-hook eval shop/adds --pass --coverage report.xml"
    ));
}

#[test]
fn the_doors_of_a_coding_agent() {
    let s = declared();
    reading(&s, ".spec/board", "draws", "pass", 1);
    s.commit("measured");
    let event = |fields: &str| {
        format!("echo '{{\"session_id\":\"a\",\"hook_event_name\":{fields}}}' | yatsu-hook agent event; echo\n")
    };
    let edit = r#""PostToolUse","tool_name":"Edit","tool_input":{"file_path":"src/a.rs"}"#;
    let commands = [
        event("\"SessionStart\""),
        "echo 'fn c() {}' >src/a.rs\n".to_owned(),
        event(edit),
        event(edit),
        event("\"Stop\""),
        event("\"Stop\""),
        "echo garbage | yatsu-hook agent event --for cursor; echo\n".to_owned(),
        "echo '{}' | yatsu-hook agent event --block\n".to_owned(),
    ];
    insta::assert_snapshot!(s.session(&commands.concat()));
}

#[test]
fn a_reading_that_is_withdrawn_and_one_that_is_redacted() {
    let s = declared();
    for (minute, status) in [(1, "fail"), (2, "pass"), (3, "pass")] {
        reading(&s, ".spec/board", "draws", status, minute);
    }
    s.commit("measured");
    insta::assert_snapshot!(s.session(
        "yatsu-hook retract board/draws
         yatsu-hook redact board/draws --ts 2026-01-01T00:02:00.000Z --reason 'a name'
         yatsu-hook repair
         yatsu-hook repair --restore HEAD"
    ));
}

#[test]
fn evidence_is_put_listed_fetched_and_collected() {
    let s = declared();
    insta::assert_snapshot!(s.session(
        "yatsu-hook evidence put ../out.txt
         yatsu-hook evidence ls
         yatsu-hook evidence check
         yatsu-hook eval board --pass --result ../out.txt
         yatsu-hook evidence get board/draws
         echo 'a piece that no reading names' | yatsu-hook evidence put -
         yatsu-hook clean
         touch -d 2020-01-01 .git/spexcode/yatsu-blobs/*
         yatsu-hook clean
         yatsu-hook clean --undo"
    ));
}

#[test]
fn the_gate_is_installed_looked_at_and_taken_out() {
    let s = declared();
    pretend_git(&s.base.join("bin"), BEFORE_CONFIGURED_HOOKS);
    insta::assert_snapshot!(s.session(
        "yatsu-hook install --dry-run
         yatsu-hook install
         yatsu-hook doctor
         yatsu-hook uninstall
         yatsu-hook doctor"
    ));
}

#[test]
fn a_harness_is_set_up_looked_at_and_left_as_it_was() {
    let s = declared();
    s.write(".claude/settings.json", "{\n  \"model\": \"opus\" // mine\n}\n");
    s.write(".codex/config.toml", "[features]\nhooks = false\n");
    s.commit("settings");
    insta::assert_snapshot!(s.session(
        "yatsu-hook agent ls
         yatsu-hook agent install --dry-run
         yatsu-hook agent install
         git diff
         yatsu-hook agent install
         yatsu-hook agent ls
         yatsu-hook doctor | grep -A1 -e claude -e codex -e entries
         git add -A && git commit -q --no-verify -m installed
         echo '{}' >.codex/hooks.json && git add -A && yatsu-hook check --staged
         yatsu-hook agent uninstall
         git status --short
         yatsu-hook agent uninstall
         yatsu-hook agent install --user --for copilot --format json
         yatsu-hook agent uninstall --user
         yatsu-hook agent install --plugin ../plugin"
    ));
}

#[test]
fn what_words_and_settings_mean() {
    let s = declared();
    s.write("spexcode.json", "{\"yatsu\": {\"rules\": {\"yatsu-drift\": \"error\"}}}");
    insta::assert_snapshot!(s.session(
        "yatsu-hook explain yatsu-drift
         yatsu-hook explain yatsu.budgets
         yatsu-hook explain stale
         yatsu-hook explain src/a.rs
         yatsu-hook config show
         yatsu-hook config check
         yatsu-hook completions bash | head -3
         yatsu-hook man | sed -n '/SH NAME/,/SH SYNOPSIS/p' | head -3
         yatsu-hook help goal pivot | head -3"
    ));
}

#[test]
fn a_claim_from_its_taking_to_its_end() {
    let s = declared();
    insta::assert_snapshot!(s.session(
        "yatsu-hook claim take board/draws > ../claim
         sed -n 's/^token //p' ../claim > ../token
         cat ../claim
         yatsu-hook claim ls
         yatsu-hook claim renew $(cat ../token) --ttl 2h
         yatsu-hook claim release $(cat ../token) --reason lunch
         yatsu-hook claim next
         yatsu-hook claim release --force board/draws --reason abandoned
         yatsu-hook claim log"
    ));
}

#[test]
fn a_claim_on_a_key_and_one_on_a_path() {
    let s = declared();
    insta::assert_snapshot!(s.session(
        "yatsu-hook claim take --key deploy/staging --as agent-1 --session 01J > ../claim
         cat ../claim
         yatsu-hook claim take --path 'src/**' --as agent-1 --export > ../export
         yatsu-hook claim ls
         yatsu-hook claim renew $(sed -n 's/^token //p' ../claim) --ttl 2h
         yatsu-hook claim release $(sed -n 's/^token //p' ../claim) --reason deployed
         yatsu-hook claim release --force --path 'src/**' --reason abandoned
         yatsu-hook claim log --key deploy/staging
         yatsu-hook claim log --path 'src/**'
         yatsu-hook claim log"
    ));
}

#[test]
fn a_budget_that_is_waived() {
    let s = declared();
    s.write("spexcode.json", "{\"yatsu\": {\"budgets\": {\"maxTaskTotalTokens\": 100}}}");
    s.commit("limited");
    insta::assert_snapshot!(s.session(
        "yatsu-hook eval board --pass --tokens 900,100 --token-source meter
         yatsu-hook usage board
         yatsu-hook claim take board/draws
         yatsu-hook claim waive-budget board/draws --reason 'a slow day'
         yatsu-hook ls"
    ));
}

#[test]
fn a_goal_from_its_first_attempt_to_its_completion() {
    let s = goals::repository();
    goals::measured(&s, 0.82, serde_json::json!({}));
    let first = s.session(
        "yatsu-hook goal check
         yatsu-hook goal complete model
         yatsu-hook goal pivot model --reason 'a line is too little'
         yatsu-hook goal block model --reason 'no data'
         yatsu-hook goal unblock model --reason 'data came'
         yatsu-hook goal review model --score 90 --by Bob --note 'looked at it'",
    );
    goals::measured(&s, 0.95, serde_json::json!({}));
    let second = s.session(
        "yatsu-hook goal check
         yatsu-hook goal complete model
         yatsu-hook goal rework model --reason 'the plot is missing'",
    );
    insta::assert_snapshot!(first + &second);
}

#[test]
fn a_branch_that_is_approved_and_one_that_is_rejected() {
    let s = declared();
    s.git(&["checkout", "-q", "-b", "feature"]);
    s.write("src/a.rs", "fn a() { 1 }\n");
    s.commit("feature");
    let proposed = s.session(
        "yatsu-hook patch ls
         yatsu-hook patch show feature
         yatsu-hook patch approve feature --reason 'looks good'
         yatsu-hook eval board --pass",
    );
    s.commit("measured");
    let decided = s.session(
        "yatsu-hook patch show feature
         yatsu-hook patch approve feature --reason 'looks good'
         yatsu-hook patch reject feature --reason 'on second thought'
         yatsu-hook patch ls",
    );
    insta::assert_snapshot!(proposed + &decided);
}

#[test]
fn evidence_is_shared_between_two_clones() {
    let s = declared();
    s.git(&["init", "-q", "--bare", "-b", "main", "../server.git"]);
    s.git(&["remote", "add", "origin", "../server.git"]);
    let on = s.session(
        "yatsu-hook share
         yatsu-hook share on
         yatsu-hook eval board --pass --result ../out.txt",
    );
    s.commit("measured");
    s.git(&["push", "-q", "origin", "main"]);
    insta::assert_snapshot!(
        on + &s.session(
            "yatsu-hook share push
             yatsu-hook share
             yatsu-hook share check --deep
             git clone -q ../server.git ../bob
             yatsu-hook -C ../bob share on
             yatsu-hook -C ../bob share get
             yatsu-hook -C ../bob evidence get board/draws
             yatsu-hook share prune --before 2026-02 --dry-run
             yatsu-hook share drop board/draws --reason 'it shows a name'
             yatsu-hook share off"
        )
    );
}

#[test]
fn a_run_from_its_start_to_its_end() {
    let s = Scratch::new();
    s.write("README", "x");
    s.commit("begin");
    let (log, fields) = (START[2], START[3..].join(" "));
    insta::assert_snapshot!(s.session(&format!(
        "yatsu-hook runlog start {log} {fields}
         yatsu-hook runlog add artifact_written relative_path=quality/EXPLORATION.md byte_size:=512
         yatsu-hook runlog phase end 1
         (echo '## Finding 1'; yes line | head -130) > quality/EXPLORATION.md
         yatsu-hook runlog phase end 1 findings_total=12 patterns_walked=7 --artifact quality/EXPLORATION.md
         yatsu-hook runlog phase start 2
         yatsu-hook runlog ls
         yatsu-hook runlog resume
         yatsu-hook runlog progress
         yatsu-hook runlog check
         yatsu-hook runlog end aborted
         yatsu-hook runlog ls"
    )));
}

#[test]
fn a_torn_log_is_repaired() {
    let s = started();
    insta::assert_snapshot!(s.session(
        "printf '{\"event\":\"phase_st' >> quality/run_state.jsonl
         yatsu-hook runlog check
         yatsu-hook repair --dry-run
         yatsu-hook repair"
    ));
}

#[test]
fn questions_to_the_graph() {
    let s = one_node();
    reading(&s, ".spec/n", "works", "fail", 1);
    s.commit("measured");
    reading(&s, ".spec/n", "works", "pass", 2);
    s.commit("measured again");
    insta::assert_snapshot!(s.session(
        "yatsu-hook graph show
         yatsu-hook graph show scenario:n#works
         yatsu-hook graph lineage scenario:n#works
         yatsu-hook graph why src/a.rs
         yatsu-hook graph diff HEAD~1..HEAD
         yatsu-hook graph ops | head -2
         yatsu-hook graph ops | yatsu-hook graph replay -
         yatsu-hook graph digest
         yatsu-hook graph check"
    ));
}

#[test]
fn segments_and_their_fold() {
    let s = declared();
    s.git(&["remote", "add", "origin", "../server.git"]);
    insta::assert_snapshot!(s.session(
        "yatsu-hook eval board/draws --pass
         yatsu-hook ls
         git add -A && git commit -q --no-verify -m measured
         yatsu-hook eval board/draws --fail --note 'not any more'
         yatsu-hook fold --dry-run
         yatsu-hook fold
         yatsu-hook fold
         git checkout -q -b side && yatsu-hook fold"
    ));
}

#[test]
fn the_hooks_of_git() {
    let s = declared();
    let zero = "0".repeat(40);
    reading(&s, ".spec/board", "draws", "pass", 1);
    s.commit("measured");
    s.write("src/a.rs", "fn a() { 1 }\n");
    s.git(&["add", "-A"]);
    s.write("../base", "");
    s.write("../ours", s.read(".spec/board/yatsu.evals.ndjson"));
    s.write("../theirs", s.read(".spec/board/yatsu.evals.ndjson").replace("00:01:00", "00:02:00"));
    let commits = s.session(
        "yatsu-hook pre-commit
         yatsu-hook pre-merge-commit
         yatsu-hook run
         yatsu-hook merge-ledger ../base ../ours ../theirs .spec/board/yatsu.evals.ndjson
         wc -l < ../ours",
    );
    let tip = s.commit("drifts");
    insta::assert_snapshot!(
        commits
            + &s.session(&format!(
                "echo refs/heads/main {tip} refs/heads/main {zero} | yatsu-hook pre-push origin url
                 echo {zero} {tip} refs/heads/main | yatsu-hook pre-receive"
            ))
    );
}
