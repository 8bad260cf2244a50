//! What the program says to commands that cannot be meant (exit 2), and in repositories where a verb has nothing to work with.

use super::verbs::{declared, fresh};
use crate::goals;
use crate::runlogs::verbs::started;
use crate::support::session::{BEFORE_CONFIGURED_HOOKS, pretend_git};
use crate::support::{Scratch, conflict, reading, scenarios};

const LEDGER: &str = ".spec/board/yatsu.evals.ndjson";

#[test]
fn a_repository_without_a_commit_or_a_main_branch() {
    let s = Scratch::new();
    s.write("src/a.rs", "fn a() {}\n");
    s.write(".spec/board/yatsu.md", scenarios(&[("draws", "src/a.rs")]));
    let empty = s.session(
        "yatsu-hook scan --changed
         yatsu-hook patch ls
         yatsu-hook goal check
         yatsu-hook eval board --pass",
    );
    s.commit("first");
    s.write("spexcode.json", "{\"mainBranch\": \"gone\"}");
    let gone = s.session("yatsu-hook scan --changed");
    s.write("spexcode.json", "{}");
    s.git(&["checkout", "-q", "--orphan", "other"]);
    s.commit("another beginning");
    let orphan = s.session("yatsu-hook scan --changed --base main");
    s.git(&["branch", "-q", "-D", "main"]);
    insta::assert_snapshot!(
        empty
            + &gone
            + &orphan
            + &s.session(
                "yatsu-hook scan --changed
                 yatsu-hook patch ls"
            )
    );
}

#[test]
fn a_bare_repository_a_shallow_one_and_one_that_is_none() {
    let s = declared();
    reading(&s, ".spec/board", "draws", "pass", 1);
    s.commit("measured");
    s.git(&["clone", "-q", "--bare", ".", "../bare.git"]);
    let url = format!("file://{}", s.root.display());
    s.git(&["clone", "-q", "--depth", "1", &url, "../shallow"]);
    insta::assert_snapshot!(s.session(
        "yatsu-hook -C ../bare.git show
         yatsu-hook -C ../bare.git clean
         yatsu-hook -C ../bare.git runlog resume
         yatsu-hook evidence put ../out.txt
         yatsu-hook clean --grace 0
         yatsu-hook -C ../shallow evidence put ../out.txt
         yatsu-hook -C ../shallow clean
         yatsu-hook -C ../shallow doctor | grep -v '^ok'
         yatsu-hook -C ../bare.git redact board/draws --ts 2026-01-01T00:01:00.000Z --reason 'a name'
         GIT_DIR=nowhere yatsu-hook ls"
    ));
}

#[test]
fn a_path_or_a_revision_that_cannot_be_judged() {
    let s = declared();
    s.write("src/new.rs", "fn new() {}\n");
    s.write(".gitignore", "out/\n");
    s.write("out/x", "x");
    insta::assert_snapshot!(s.session(
        "yatsu-hook check -- src/new.rs
         yatsu-hook check -- out/x
         yatsu-hook check -- src/gone.rs
         yatsu-hook check --rev gone
         yatsu-hook check --rev ''
         yatsu-hook check --to HEAD
         yatsu-hook impact 'src/a.rs#gone'
         yatsu-hook units .gitignore
         yatsu-hook graph why .gitignore
         yatsu-hook graph show --kind thing
         yatsu-hook graph diff main
         yatsu-hook graph show --log .gitignore
         yatsu-hook usage --run night
         yatsu-hook ls --cost board board
         yatsu-hook ls -q -v
         yatsu-hook show board --open --format json"
    ));
}

#[test]
fn a_node_that_is_not_meant_by_its_name_alone() {
    let s = declared();
    s.write(".spec/a/n/yatsu.md", scenarios(&[("draws", "src/a.rs")]));
    s.write(".spec/b/n/yatsu.md", scenarios(&[("draws", "src/a.rs"), ("sorts", "src/a.rs")]));
    s.commit("more nodes");
    insta::assert_snapshot!(s.session(
        "yatsu-hook show n
         yatsu-hook eval b_n --pass
         yatsu-hook eval board a_n --pass
         yatsu-hook eval board/draws --scenario sorts --pass
         yatsu-hook goal check b_n/draws"
    ));
}

#[test]
fn a_new_scenario_that_has_no_place_or_governs_nothing() {
    let s = declared();
    s.write(".gitignore", "out/\n");
    s.write("out/x.rs", "fn x() {}\n");
    s.write(".spec/a/b_c/yatsu.md", scenarios(&[("draws", "src/a.rs")]));
    s.write(".spec/y/c/yatsu.md", scenarios(&[("draws", "src/a.rs")]));
    s.commit("nodes");
    insta::assert_snapshot!(s.session(
        "yatsu-hook new .spec --code src/a.rs
         yatsu-hook new ../up --code src/a.rs
         yatsu-hook new Board --code src/a.rs
         yatsu-hook new z/b/c --code src/a.rs
         yatsu-hook new one --code 'src/*.zig'
         yatsu-hook new one --code out/x.rs
         yatsu-hook new one --code out
         yatsu-hook new one --code 'src/a.rs#gone'
         ln -s / away
         yatsu-hook new one --code away/etc
         yatsu-hook new one --code src/a.rs --scenario ''"
    ));
}

#[test]
fn a_reading_that_is_said_in_a_wrong_way() {
    let s = declared();
    s.write("../usage.json", "{\"promptTokens\": 1}");
    insta::assert_snapshot!(s.session(
        "yatsu-hook eval board --pass --metric a=1 --metric a=2
         yatsu-hook eval board --pass --metric a=fast
         yatsu-hook eval board --pass --artifact ../out.txt --artifact ../out.txt
         yatsu-hook eval board --pass --timeline ../out.txt
         yatsu-hook eval board --pass --evaluator bob
         yatsu-hook eval board --pass --result - --usage -
         yatsu-hook eval board --pass --usage ../usage.json --tokens 1,2 --token-source meter
         yatsu-hook eval board --pass --usage ../usage.json
         yatsu-hook eval board --pass --tokens 1,2
         yatsu-hook eval board --pass --result src
         yatsu-hook eval --from-junit - -
         YATSU_CLAIM=mine yatsu-hook eval board --pass
         yatsu-hook report --badge ../badge.txt
         yatsu-hook report --html - --format json
         mkdir ../dir
         yatsu-hook report --html ../dir"
    ));
}

#[test]
fn a_claim_and_a_reading_of_different_runs() {
    let s = declared();
    s.write("spexcode.json", "{\"yatsu\": {\"redact\": \"refuse\", \"budgets\": {\"maxTaskTotalTokens\": 100}}}");
    reading(&s, ".spec/board", "draws", "pass", 1);
    s.commit("measured");
    insta::assert_snapshot!(s.session(
        "yatsu-hook claim take board --export --format json
         yatsu-hook claim take board/draws --run one > ../claim
         yatsu-hook eval board --pass --run two --claim $(sed -n 's/^token //p' ../claim)
         yatsu-hook claim waive-budget board/draws --reason 'a slow day'
         yatsu-hook redact board/draws --ts 2026-01-01T00:01:00.000Z --reason 'a name'"
    ));
}

#[test]
fn a_goal_whose_contract_cannot_be_read_and_branches_that_are_no_patches() {
    let s = goals::repository();
    s.write(goals::FILE, goals::contract("    - id: A\n      kind: other\n"));
    let unread = s.session(
        "yatsu-hook goal check
         yatsu-hook goal block model --reason 'no data'",
    );
    s.git(&["checkout", "-q", "--", "."]);
    s.git(&["branch", "same"]);
    insta::assert_snapshot!(
        unread
            + &s.session(
                "yatsu-hook patch show same
                 yatsu-hook patch show
                 git checkout -q --detach
                 yatsu-hook patch show"
            )
    );
}

#[test]
fn a_run_log_that_is_said_in_a_wrong_way() {
    let s = fresh();
    let first = s.session(
        "yatsu-hook runlog start quality/run_state.jsonl
         yatsu-hook runlog start quality/run_state.jsonl benchmark=chi lever_state=baseline runner=claude playbook_version=1.5.6 target_path=. colour=red
         yatsu-hook runlog start quality/run_state.jsonl ts=2026-01-01T00:00:00Z
         yatsu-hook runlog add note --log gone.jsonl
         yatsu-hook runlog check gone.jsonl
         yatsu-hook runlog check .
         yatsu-hook runlog progress gone.jsonl",
    );
    let s = started();
    let second = s.session(
        "yatsu-hook runlog add phase_start
         yatsu-hook runlog phase start x
         yatsu-hook runlog phase start 9
         yatsu-hook runlog add error message=slow colour
         echo garbage >> quality/run_state.jsonl
         yatsu-hook runlog phase end 1",
    );
    s.write("spexcode.json", "{\"yatsu\": {\"runlogs\": [{\"path\": \"x/log.jsonl\", \"profile\": \"none\"}]}}");
    insta::assert_snapshot!(first + &second + &s.session("yatsu-hook runlog ls"));
}

#[test]
fn a_place_that_evidence_is_not_shared_through() {
    let s = declared();
    s.git(&["remote", "add", "one", "../one.git"]);
    s.git(&["remote", "add", "two", "../two.git"]);
    insta::assert_snapshot!(s.session(
        "yatsu-hook share on
         yatsu-hook share on nonsense
         yatsu-hook share on file:
         yatsu-hook share on https://ann:secret@example.invalid/x
         yatsu-hook share on s3://
         mkdir ../shared
         yatsu-hook share on file:../shared --branches
         yatsu-hook share on file:$(cd ../shared && pwd)
         yatsu-hook share prune --before soon
         yatsu-hook share prune --before 2026-13
         yatsu-hook share prune --before 2099-01
         yatsu-hook evidence get board/gone
         yatsu-hook evidence get abcd --kind image"
    ));
}

#[test]
fn a_hook_that_is_not_installed_where_others_would_run_it() {
    let s = declared();
    pretend_git(&s.base.join("bin"), BEFORE_CONFIGURED_HOOKS);
    insta::assert_snapshot!(s.session(
        "yatsu-hook install --global --merge-driver
         git config core.hooksPath ../hooks
         yatsu-hook install
         yatsu-hook doctor | grep -v '^ok'"
    ));
}

#[test]
fn an_unfinished_merge_and_a_merge_of_what_was_edited() {
    let s = declared();
    reading(&s, ".spec/board", "draws", "pass", 1);
    let line = s.read(LEDGER);
    s.write("../base", &line);
    s.write("../ours", &line);
    s.write("../theirs", line.replace("pass", "fail"));
    let edited = s.session(&format!("yatsu-hook merge-ledger ../base ../ours ../theirs {LEDGER}"));
    s.git(&["rm", "-q", "--cached", "--ignore-unmatch", LEDGER]);
    conflict(&s, LEDGER);
    insta::assert_snapshot!(
        edited
            + &s.session(
                "yatsu-hook pre-commit
                 yatsu-hook check --staged
                 printf 'refs/heads/main 1' | yatsu-hook pre-push"
            )
    );
}

#[test]
fn evidence_that_is_corrupt_and_a_ledger_that_is_a_link() {
    let s = declared();
    insta::assert_snapshot!(s.session(
        "yatsu-hook eval board --pass --result ../out.txt
         chmod -R u+w .git/spexcode
         for f in .git/spexcode/yatsu-blobs/*; do echo more >> $f; done
         yatsu-hook evidence check
         yatsu-hook evidence get board/draws
         rm .spec/board/yatsu.evals.ndjson
         ln -s ../../src/a.rs .spec/board/yatsu.evals.ndjson
         yatsu-hook eval board --pass
         yatsu-hook check"
    ));
}
