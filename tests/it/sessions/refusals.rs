//! Every verb where it refuses: what contradicts the repository (exit 1), misuse (exit 2), and what could not be done or
//! checked (exit 3).

use super::verbs::{declared, fresh};
use crate::goals;
use crate::runlogs::verbs::started;
use crate::support::session::{BEFORE_CONFIGURED_HOOKS, pretend_git};
use crate::support::{Scratch, reading, scenarios};
use std::fs;

const LEDGER: &str = ".spec/board/yatsu.evals.ndjson";

/// A line of the journal of claims: Ann took `draws` years ago, for half an hour.
fn lapsed(token: &str) -> String {
    format!(
        "{{\"v\":1,\"ts\":\"2020-01-01T00:00:00.000Z\",\"event\":\"taken\",\"node\":\".spec/board\",\"scenario\":\"draws\",\
         \"owner\":\"Ann\",\"token\":\"{}\",\"attempt\":1,\"until\":\"2020-01-01T00:30:00.000Z\"}}\n",
        token.repeat(32)
    )
}

#[test]
fn a_scenario_that_is_not_begun() {
    let s = declared();
    s.write(".gitignore", "hidden/\n");
    s.write("spexcode.json", "{\"yatsu\": {\"exclude\": [\".spec/left-out\"]}}");
    s.commit("settings");
    insta::assert_snapshot!(s.session(
        "yatsu-hook new board --code src/a.rs
         yatsu-hook new other --code src/gone.rs
         yatsu-hook new hidden/board --code src/a.rs
         yatsu-hook new left-out --code src/a.rs
         yatsu-hook new"
    ));
}

#[test]
fn a_reading_that_is_not_filed() {
    let s = declared();
    let first = s.session(
        "yatsu-hook eval board/draw --pass
         yatsu-hook eval bord --pass
         yatsu-hook eval board
         yatsu-hook eval board --pass --fail
         yatsu-hook eval board --pass --result ../gone.txt
         yatsu-hook eval board --pass --tokens 1,2,3
         yatsu-hook eval board --pass --claim 00112233445566778899aabbccddeeff
         yatsu-hook eval board --pass --key k
         yatsu-hook eval board --fail --key k
         yatsu-hook claim take board/draws --as Bob >../claim
         yatsu-hook eval board --fail",
    );
    s.write(LEDGER, s.read(LEDGER) + "{\"scenario\":\"dra");
    let torn = s.session("yatsu-hook eval board --fail --claim $(sed -n 's/^token //p' ../claim)");
    let s = declared();
    reading(&s, ".spec/board", "draws", "pass", 1);
    s.write(LEDGER, s.read(LEDGER).replace("2026-01", "2099-01"));
    s.write("src/a.rs", "fn a() { 1 }\n");
    let advised = s.session(
        "yatsu-hook eval board --fail
         yatsu-hook retract board/draws
         yatsu-hook eval board --fail --strict",
    );
    let s = fresh();
    s.write(
        ".spec/board/yatsu.md",
        scenarios(&[("draws", "src/a.rs")]).replace("draws works", "Say what a perfect result looks like."),
    );
    let unwritten = s.session(
        "yatsu-hook eval board --pass
         yatsu-hook next -v",
    );
    insta::assert_snapshot!(first + &torn + &advised + &unwritten);
}

#[test]
fn a_measurement_that_is_not_begun_or_of_other_content() {
    let s = declared();
    s.write(".spec/list/yatsu.md", scenarios(&[("sorts", "src/a.rs")]));
    s.write("../report.xml", "<testsuites><testsuite name=\"t\"><testcase name=\"draws\"/></testsuite></testsuites>");
    insta::assert_snapshot!(s.session(
        "yatsu-hook begin bord
         yatsu-hook begin board --scenario sorts
         yatsu-hook begin board list --scenario draws
         yatsu-hook begin board --tag desktop
         yatsu-hook eval board --pass --began b1-nothing
         yatsu-hook eval board --pass --began $(yatsu-hook begin)
         token=$(yatsu-hook begin); echo 'fn c() {}' >>src/a.rs; yatsu-hook eval --from-junit ../report.xml --began $token"
    ));
}

#[test]
fn a_test_report_that_is_not_filed() {
    let s = declared();
    s.write("../report.xml", "<testsuites><testsuite name=\"t\"><testcase name=\"other\"/></testsuite></testsuites>");
    s.write("../torn.xml", "<testsuites><testsuite");
    insta::assert_snapshot!(s.session(
        "yatsu-hook eval --from-junit ../report.xml
         yatsu-hook eval --from-junit ../torn.xml
         yatsu-hook eval --from-junit ../gone.xml"
    ));
}

#[test]
fn a_coverage_file_that_proposes_nothing() {
    let s = declared();
    s.write("../empty.json", "{}");
    s.write("../other.out", "mode: set\nexample.com/x/y.go:1.1,1.9 1 1\n");
    insta::assert_snapshot!(s.session(
        "yatsu-hook coverage suggest bord --coverage ../other.out
         yatsu-hook coverage suggest board/draws --coverage ../other.out
         yatsu-hook coverage suggest board/draws --coverage ../empty.json
         yatsu-hook coverage suggest board/draws --coverage ../gone.out"
    ));
}

#[test]
fn a_line_that_is_not_withdrawn_redacted_or_repaired() {
    let s = declared();
    let none = s.session(
        "yatsu-hook retract board/draws
         yatsu-hook retract board/draws --ts yesterday
         yatsu-hook redact board/draws --ts 2026-01-01T00:01:00.000Z --reason 'a name'
         yatsu-hook repair --restore nowhere
         yatsu-hook merge-ledger ../out.txt ../out.txt ../out.txt notes.txt",
    );
    crate::support::conflict(&s, LEDGER);
    insta::assert_snapshot!(
        none + &s.session(
            "yatsu-hook eval board --pass
             yatsu-hook eval board/draws --pass
             yatsu-hook retract board/draws
             yatsu-hook redact board/draws --ts 2026-01-01T00:01:00.000Z --reason 'a name'"
        )
    );
}

#[test]
fn evidence_that_is_not_there() {
    let s = declared();
    reading(&s, ".spec/board", "draws", "pass", 1);
    let gone = "ab".repeat(32);
    insta::assert_snapshot!(s.session(&format!(
        "yatsu-hook evidence get {gone}
         yatsu-hook evidence get abcd
         yatsu-hook evidence get ab
         yatsu-hook evidence get board/draws
         yatsu-hook evidence put ../gone.txt
         yatsu-hook clean --undo
         yatsu-hook clean --grace soon
         echo mine > ../page.html
         yatsu-hook report --html ../page.html
         yatsu-hook report"
    )));
}

#[test]
fn an_installation_that_is_refused() {
    let s = declared();
    pretend_git(&s.base.join("bin"), BEFORE_CONFIGURED_HOOKS);
    s.hook("pre-commit", "other");
    s.write(".git/hooks/pre-commit", "#!/bin/sh\nexit 0\n");
    insta::assert_snapshot!(s.session(
        "yatsu-hook install
         chmod +x .git/hooks/pre-commit
         yatsu-hook install
         yatsu-hook install --hooks nothing
         cp .git/hooks/pre-push ../pre-push
         echo '#!/bin/sh' > .git/hooks/pre-commit
         yatsu-hook install
         cd .. && yatsu-hook install"
    ));
}

#[test]
fn words_that_nobody_explains() {
    insta::assert_snapshot!(declared().session(
        "yatsu-hook explain yatsu-drfit
         yatsu-hook explain yatsu.budgets.maxTaskTotalTokens
         yatsu-hook frob
         yatsu-hook check --bogus
         yatsu-hook check --staged --all
         yatsu-hook ls --format sarif
         yatsu-hook ls bord
         yatsu-hook usage bord
         yatsu-hook show
         yatsu-hook impact src/gone.rs
         yatsu-hook units README
         yatsu-hook validate gone/yatsu.md
         yatsu-hook check --from nowhere
         yatsu-hook -C gone ls
         yatsu-hook completions tcsh
         yatsu-hook help nothing"
    ));
}

#[test]
fn a_claim_that_is_not_given() {
    let s = declared();
    s.write("spexcode.json", "{\"yatsu\": {\"claims\": {\"maxPerOwner\": 1}}}");
    s.write(".spec/board/yatsu.md", scenarios(&[("draws", "src/a.rs"), ("sorts", "src/a.rs")]));
    s.commit("limited");
    let live = s.session(
        "yatsu-hook claim take board/draws > ../claim
         sed -n 's/^token //p' ../claim > ../token
         yatsu-hook claim take board/draws
         yatsu-hook claim take board/draws --as Bob
         yatsu-hook claim take board/sorts
         yatsu-hook claim take board/other
         yatsu-hook claim renew 00112233445566778899aabbccddeeff
         yatsu-hook claim renew $(cat ../token) --ttl 25h
         yatsu-hook eval board/sorts --pass --claim $(cat ../token)
         yatsu-hook claim release --force board/sorts --reason abandoned
         yatsu-hook claim release $(cat ../token) --reason lunch
         yatsu-hook claim release $(cat ../token)
         yatsu-hook claim renew $(cat ../token)
         yatsu-hook claim waive-budget board/draws --reason 'a slow day'
         yatsu-hook eval board/draws --pass
         yatsu-hook eval board/sorts --pass
         yatsu-hook claim next",
    );
    let s = declared();
    s.write(".git/yatsu/claims.ndjson", lapsed("1"));
    let late = s.session(&format!(
        "yatsu-hook claim ls
         yatsu-hook claim take board/draws > ../claim
         yatsu-hook claim renew {}
         yatsu-hook eval board --pass --claim {}
         yatsu-hook claim log",
        "1".repeat(32),
        "1".repeat(32)
    ));
    s.write("spexcode.json", "{\"yatsu\": {\"claims\": {\"maxAttempts\": 1}}}");
    s.write(".git/yatsu/claims.ndjson", lapsed("1"));
    let last = s.session("yatsu-hook claim take board/draws");
    s.write(".git/yatsu/claims.ndjson", "garbage\n".to_owned() + &lapsed("1"));
    insta::assert_snapshot!(live + &late + &last + &s.session("yatsu-hook claim take board/draws"));
}

#[test]
fn a_key_or_a_path_that_is_not_given() {
    let s = declared();
    insta::assert_snapshot!(s.session(
        "yatsu-hook claim take --key deploy --as Bob > ../claim
         yatsu-hook claim take --key deploy
         yatsu-hook claim take --key 'deploy it'
         yatsu-hook eval board/draws --pass --claim $(sed -n 's/^token //p' ../claim)
         yatsu-hook claim take --path 'src/*.rs' --as Bob > ../path
         yatsu-hook claim take --path src/a.rs
         yatsu-hook claim take --path src/a.rs --format json
         yatsu-hook claim take --path ../elsewhere
         yatsu-hook claim take --path 'src/['
         yatsu-hook claim release --key deploy
         yatsu-hook claim release --force --path src/a.rs --reason abandoned
         yatsu-hook claim take board --key deploy"
    ));
}

#[test]
fn a_breach_that_stops_the_next_claim() {
    let s = declared();
    s.write("spexcode.json", "{\"yatsu\": {\"budgets\": {\"maxTaskTotalTokens\": 100, \"maxRunTotalTokens\": 500}}}");
    s.commit("limited");
    insta::assert_snapshot!(s.session(
        "yatsu-hook eval board --pass --tokens 900,100 --token-source meter --run night
         yatsu-hook claim take board/draws
         yatsu-hook claim take board/draws --run night
         yatsu-hook eval board --pass --tokens 1,2 --token-source meter --run night
         yatsu-hook claim waive-budget board/other --reason 'a slow day'"
    ));
}

#[test]
fn a_decision_about_a_goal_that_is_refused() {
    let s = goals::repository();
    s.write(".spec/plain/yatsu.md", scenarios(&[("works", "src/model.py")]));
    s.commit("a node without a contract");
    insta::assert_snapshot!(s.session(
        "yatsu-hook goal complete model
         yatsu-hook goal complete plain
         yatsu-hook goal check plain
         yatsu-hook goal check gone
         yatsu-hook goal unblock model --reason 'data came'
         yatsu-hook goal rework model --reason 'the plot is missing'
         yatsu-hook goal pivot model --reason 'another way'
         yatsu-hook goal review model --score 101 --by Bob --note much
         yatsu-hook goal block model --reason 'no data'
         yatsu-hook goal pivot model --reason 'another way'"
    ));
}

#[test]
fn a_decision_about_a_branch_that_is_refused() {
    let s = declared();
    s.write("spexcode.json", "{\"yatsu\": {\"patches\": {\"requireOther\": true}}}");
    s.commit("two pairs of eyes");
    s.git(&["checkout", "-q", "-b", "feature"]);
    s.write("src/a.rs", "fn a() { 1 }\n");
    s.commit("feature");
    let unmeasured = s.session(
        "yatsu-hook patch approve feature --reason 'looks good'
         yatsu-hook patch approve featur --reason 'looks good'
         yatsu-hook patch approve main --reason 'looks good'
         yatsu-hook eval board --pass",
    );
    s.commit("measured");
    let decided = s.session(
        "yatsu-hook patch approve feature --reason 'looks good'
         yatsu-hook patch reject feature --reason 'not so'
         yatsu-hook patch approve feature --reason 'looks good' --by Bob",
    );
    insta::assert_snapshot!(unmeasured + &decided);
}

#[test]
fn evidence_that_is_not_shared() {
    let s = declared();
    let alone = s.session(
        "yatsu-hook share on
         yatsu-hook share push
         yatsu-hook share get",
    );
    s.git(&["remote", "add", "origin", "../gone.git"]);
    insta::assert_snapshot!(
        alone
            + &s.session(
                "yatsu-hook share on
                 yatsu-hook share on file:/nowhere/at/all
                 yatsu-hook share status
                 yatsu-hook share drop board/draws --reason 'it shows a name'"
            )
    );
}

#[test]
fn an_event_that_a_run_log_does_not_take() {
    let s = started();
    insta::assert_snapshot!(s.session(
        "yatsu-hook runlog start quality/run_state.jsonl benchmark=chi lever_state=baseline runner=claude playbook_version=1.5.6 target_path=.
         yatsu-hook runlog start elsewhere/log.jsonl
         yatsu-hook runlog add note text=long
         yatsu-hook runlog add error message=slow
         yatsu-hook runlog phase start 3
         yatsu-hook runlog phase end 1
         yatsu-hook runlog end success
         yatsu-hook runlog end aborted
         yatsu-hook runlog add error message=slow recoverable:=true
         yatsu-hook runlog add error message=slow recoverable:=true --log quality/run_state.jsonl"
    ));
}

#[test]
fn a_question_that_the_graph_cannot_answer() {
    insta::assert_snapshot!(declared().session(
        "yatsu-hook graph show goal:gone
         yatsu-hook graph show thing:gone
         yatsu-hook graph why src/gone.rs
         yatsu-hook graph diff main..nowhere
         echo garbage > ../log && yatsu-hook graph show --log ../log
         echo garbage | yatsu-hook graph replay -"
    ));
}

#[test]
fn a_configuration_that_cannot_be_used() {
    let s = declared();
    s.write("spexcode.json", "{\"yatsu\": {\"rules\": {\"yatsu-drift\": \"loud\"}}}");
    let wrong = s.session(
        "yatsu-hook config check
         yatsu-hook ls
         git add -A && yatsu-hook pre-commit",
    );
    s.write("spexcode.json", "{\"yatsu\": {\"rules\": ");
    insta::assert_snapshot!(wrong + &s.session("yatsu-hook check"));
}

#[test]
fn a_check_that_could_not_be_made() {
    let s = declared();
    let zero = "0".repeat(40);
    let blob = s.git(&["rev-parse", "HEAD:.spec/board/yatsu.md"]);
    let elsewhere = s.session(
        "cd .. && yatsu-hook check
         cd .. && yatsu-hook pre-commit
         echo garbage | yatsu-hook pre-push origin url
         yatsu-hook report --html ../nowhere/page.html
         yatsu-hook ls > /dev/full",
    );
    let tip = s.git(&["rev-parse", "HEAD"]);
    fs::remove_file(s.root.join(".git/objects").join(&blob[..2]).join(&blob[2..])).expect("an object");
    insta::assert_snapshot!(
        elsewhere
            + &s.session(&format!(
                "yatsu-hook check --rev HEAD
                 echo refs/heads/main {tip} refs/heads/main {zero} | yatsu-hook pre-push origin url
                 echo {zero} {tip} refs/heads/main | yatsu-hook pre-receive
                 yatsu-hook goal check --rev HEAD"
            ))
    );
}

/// One for each reason, and what a program gets for misuse and for a check that could not be made.
#[test]
fn documents_of_refusals_for_programs() {
    let s = declared();
    s.write(".gitignore", "hidden/\n");
    s.commit("a rule");
    s.git(&["init", "-q", "--bare", "../server.git"]);
    s.git(&["checkout", "-q", "-b", "feature"]);
    s.write("src/a.rs", "fn a() { 1 }\n");
    s.commit("feature");
    let today = s.session(&format!(
        "yatsu-hook claim release --force board/draws --reason abandoned --format json
         yatsu-hook new board --code src/a.rs --scenario sorts --format json
         yatsu-hook new hidden/board --code src/a.rs --format json
         yatsu-hook evidence get {} -o ../piece --format json
         yatsu-hook patch approve feature --reason 'looks good' --format json
         yatsu-hook -C ../server.git eval board --pass --format json
         yatsu-hook eval board --pass --key k
         yatsu-hook eval board --fail --key k --format json
         yatsu-hook claim take board --as Bob > ../claim
         yatsu-hook claim take board --format json
         yatsu-hook ls --bogus --format json
         yatsu-hook evl board --format json
         yatsu-hook eval board/drwas --pass --format json
         yatsu-hook -C / check --format json
         echo '[]' > spexcode.json
         yatsu-hook scan --format json
         rm spexcode.json",
        "ab".repeat(32)
    ));
    s.write(".git/yatsu/claims.ndjson", lapsed("1"));
    s.yatsu(&["claim", "take", "board"]).expect(0);
    let renew = format!("yatsu-hook claim renew {} --format json", "1".repeat(32));
    insta::assert_snapshot!(today + &s.session(&renew));
}

/// A repository that a verb must not write to.
#[test]
fn a_bare_repository_takes_no_reading() {
    let s = Scratch::with_init(&["--bare"]);
    insta::assert_snapshot!(s.session(
        "yatsu-hook eval board --pass
         yatsu-hook new board --code src/a.rs
         yatsu-hook claim take board
         yatsu-hook runlog start log.jsonl"
    ));
    // a user without a name is not asked for one
    for verb in [
        "claim take board",
        "claim next",
        "claim waive-budget board --reason r",
        "goal complete board",
        "patch approve main --reason r",
    ] {
        let said = s.session(&format!("GIT_AUTHOR_NAME= yatsu-hook {verb}"));
        assert!(said.contains("a bare repository has no work tree") && said.contains("[exit 1]"), "{said}");
    }
}

#[test]
fn settings_of_a_harness_that_are_left_alone() {
    let s = declared();
    s.write(".claude/settings.json", "{\n  \"model\": \"a\"\n  \"hooks\": {}\n}\n");
    s.write(".codex/hooks.json", "{}\n// mine\n");
    s.write(".gemini/settings.json", "{\"a\": 1, \"a\": 2}");
    s.write(".cursor/hooks.json", "{\"hooks\": []}");
    insta::assert_snapshot!(s.session(
        "yatsu-hook agent install
         yatsu-hook agent install --for codex
         yatsu-hook agent install --for gemini
         yatsu-hook agent install --for cursor --format json
         ln -s ../../elsewhere .github
         yatsu-hook agent install --for copilot
         yatsu-hook agent uninstall --for claude
         yatsu-hook agent install --plugin .claude
         rm -r .claude .codex .gemini .cursor .github
         yatsu-hook agent install
         yatsu-hook agent ls"
    ));
}
