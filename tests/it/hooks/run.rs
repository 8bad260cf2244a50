//! `run` without a git hook: the environment that pre-commit and prek leave when they are run by hand or in CI. Each of
//! these cases printed "Passed" although nothing was examined.

use crate::support::{BAD, Said, Scratch, one_node, scenarios};

/// A repository with a malformed scenario file that the last commit but one brought past its hooks. Nothing is staged.
fn committed_bad() -> Scratch {
    let scratch = one_node();
    scratch.write(".spec/n/yatsu.md", BAD);
    scratch.commit("bad");
    scratch.write("src/b.rs", "fn other() {}\n");
    scratch.commit("harmless");
    scratch
}

fn run(scratch: &Scratch, args: &[&str], env: &[(&str, &str)]) -> Said {
    let mut command = scratch.yatsu_command(args);
    Said::of(command.envs(env.iter().copied()).output().expect("the program runs"))
}

const ALL_FILES: [&[(&str, &str)]; 6] = [
    &[("PRE_COMMIT", "1")],
    &[("PREK_HOOK_STAGE", "pre-commit")],
    &[("PREK_HOOK_STAGE", "pre-merge-commit")],
    &[("PREK_HOOK_STAGE", "manual")],
    &[("PREK_HOOK_STAGE", "commit-msg")],
    &[("PREK_HOOK_STAGE", "pre-push")],
];

#[test]
fn all_files_of_a_framework_are_the_whole_index() {
    let scratch = committed_bad();
    for env in ALL_FILES {
        let said = run(&scratch, &["run"], env).expect(1);
        assert!(said.err.contains("error[yatsu-schema]"), "{env:?}: {}", said.err);
    }
    for stage in ["pre-commit", "pre-merge-commit", "manual", "pre-push"] {
        run(&scratch, &["run", "--stage", stage], &[]).expect(1);
    }
}

/// Everything was pushed before, so nothing is new to the remote. The gate must still judge something.
#[test]
fn the_push_stage_by_hand_looks_at_the_index_where_nothing_is_left_to_push() {
    let scratch = committed_bad();
    scratch.git(&["init", "-q", "--bare", "../origin.git"]);
    scratch.git(&["remote", "add", "origin", "../origin.git"]);
    scratch.git(&["push", "-q", "origin", "main"]);
    for (args, env) in [(&["run"][..], &[("PREK_HOOK_STAGE", "pre-push")][..]), (&["run", "--stage", "pre-push"], &[])]
    {
        let said = run(&scratch, args, env).expect(1);
        assert!(said.err.contains("error[yatsu-schema]"), "{}", said.err);
    }
}

#[test]
fn a_range_that_a_framework_names_is_judged_whatever_the_stage() {
    let scratch = committed_bad();
    // the remote has all of it, so none of this would be new in a push
    scratch.git(&["init", "-q", "--bare", "../origin.git"]);
    scratch.git(&["remote", "add", "origin", "../origin.git"]);
    scratch.git(&["push", "-q", "origin", "main"]);
    let range = [("PRE_COMMIT_FROM_REF", "HEAD~2"), ("PRE_COMMIT_TO_REF", "HEAD~1")];
    for env in ALL_FILES {
        let said = run(&scratch, &["run", "-v"], &[&range[..], env].concat()).expect(1);
        assert!(said.err.contains("error[yatsu-schema]") && said.err.contains("examined range"), "{}", said.err);
    }
    let later = [("PRE_COMMIT_FROM_REF", "HEAD~1"), ("PRE_COMMIT_TO_REF", "HEAD")];
    assert_eq!(run(&scratch, &["run"], &later).expect(0).err, "");
    let gone = [("PRE_COMMIT_FROM_REF", "nowhere"), ("PRE_COMMIT_TO_REF", "HEAD")];
    run(&scratch, &["run"], &gone).expect(3);
}

#[test]
fn what_is_staged_goes_before_the_whole_index() {
    let scratch = one_node();
    scratch.write(".spec/n/yatsu.md", BAD);
    scratch.git(&["add", "-A"]);
    // a push judges commits
    let not_pushing = || ALL_FILES.into_iter().filter(|env| env[0].1 != "pre-push");
    for env in not_pushing() {
        run(&scratch, &["run"], env).expect(1);
    }
    scratch.write(".spec/n/yatsu.md", scenarios(&[("works", "src/a.rs")]));
    scratch.write("src/b.rs", "fn other() {}\n");
    scratch.git(&["add", "-A"]);
    for env in not_pushing() {
        let said = run(&scratch, &["run", "-v"], env).expect(0);
        assert!(said.err.contains("examined staged"), "{env:?}: {}", said.err);
    }
}

/// With the index of a commit in the environment an empty commit is really empty: there is nothing to examine.
#[test]
fn a_real_commit_is_judged_against_head() {
    let scratch = committed_bad();
    for env in [&[("PREK_HOOK_STAGE", "pre-commit")][..], &[("PREK_HOOK_STAGE", "pre-merge-commit")], &[]] {
        let said = run(&scratch, &["run"], &[&[("GIT_INDEX_FILE", ".git/index")][..], env].concat()).expect(0);
        assert_eq!(said.err, "");
    }
}

#[test]
fn every_hook_of_the_manifest_describes_itself_and_the_recipe_shows_advice() {
    let manifest = include_str!("../../../.pre-commit-hooks.yaml");
    let described: Vec<&str> = manifest.lines().filter_map(|line| line.strip_prefix("  description: ")).collect();
    assert_eq!(described.len(), manifest.matches("- id: ").count(), "prek shows each alone in a list");
    assert!(described.iter().all(|text| !text.starts_with("The same")), "{described:?}");
    let recipe = include_str!("../../../docs/hooks.md");
    assert!(recipe.contains("  - id: yatsu-hook ") && recipe.contains("\n    verbose: true "), "{recipe}");
}
