//! Every verb where it does what it is for.

use crate::goals;
use crate::runlog::verbs::{START, started};
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
    insta::assert_snapshot!(begun + &measured);
}

#[cfg(feature = "units")]
#[test]
fn units() {
    insta::assert_snapshot!(fresh().session("yatsu-hook units src/a.rs"));
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
    let text = s.session(
        "yatsu-hook install --dry-run
         yatsu-hook install
         yatsu-hook doctor
         yatsu-hook uninstall
         yatsu-hook doctor",
    );
    let git = s.git(&["--version"]);
    let version: Vec<&str> = git.trim_start_matches("git version ").splitn(3, '.').take(2).collect();
    insta::assert_snapshot!(text.replace(&format!("git {}", version.join(".")), "git VERSION"));
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
