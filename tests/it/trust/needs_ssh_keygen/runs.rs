//! A scenario with runs and environments (docs/evals.md): the law over the readings of the grade alone.

use super::{SIGNED, Team};
use serde_json::Value;

/// A team whose scenario needs two of three runs, and has these further lines.
fn team(more: &str) -> Team {
    let team = Team::with_policy(SIGNED);
    let file = team.s.read(".spec/n/yatsu.md").replacen("    code:", &format!("{more}    code:"), 1);
    team.s.write(".spec/n/yatsu.md", file);
    team.s.commit("it is run again and again");
    team
}

// N14
#[test]
#[ignore = "needs ssh-keygen"]
fn n14_the_runs_of_the_grade_alone_must_pass() {
    let team = team("    runs: {of: 3, need: 2}\n");
    let base = team.head();
    let told = || team.told(&base, "trust-unmet");
    let run = |flags: &[&str]| drop(team.s.yatsu(&[&["eval", "n"], flags].concat()).expect(0));
    run(&["--runs", "1/1"]);
    team.sign("ann", &[]).expect(0);
    run(&["--runs", "1/1"]);
    team.s.commit("two passes, one is signed");
    assert_eq!(told(), ["the runs of that grade alone do not pass, and yatsu.trust asks for a signed pass"]);
    team.sign("bob", &[]).expect(0);
    team.s.commit("both are signed");
    assert_eq!(told(), [""; 0]);
    // failed runs that nobody signed count against the scenario: the fail is told, and no trust in it
    run(&["--runs", "0/2"]);
    team.s.commit("two fails, not signed");
    assert_eq!(told(), [""; 0]);
    assert_eq!(team.told(&base, "yatsu-failing").len(), 1);
}

// N14
#[test]
#[ignore = "needs ssh-keygen"]
fn n14_a_statement_for_each_environment_with_a_fresh_answer() {
    let team = team("    runs: {of: 3, need: 2}\n    env: [small, large, other]\n");
    for (env, runs) in [("small", "2/2"), ("large", "0/2"), ("other", "1/1")] {
        team.s.yatsu(&["eval", "n", "--runs", runs, "--env", env]).expect(0);
    }
    team.s.commit("measured");
    let said = team.s.yatsu(&["export", "in-toto"]).expect(0);
    let statements = said.out.lines().map(|line| serde_json::from_str::<Value>(line).expect("a statement"));
    let told: Vec<String> = statements
        .map(|one| {
            let predicate = &one["predicate"];
            let tests = ["passedTests", "failedTests"].map(|key| predicate[key].to_string()).join(" ");
            format!("{} {tests}", predicate["result"].as_str().expect("a result"))
        })
        .collect();
    let names = ["small", "large"].map(|env| format!("[\".spec/n#works [{env}]\"]"));
    assert_eq!(told, [format!("PASSED {} []", names[0]), format!("FAILED [] {}", names[1])]);
}
