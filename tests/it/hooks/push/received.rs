//! Pushes as the receiving side judges them.

use super::*;

#[test]
fn a_bare_repository_takes_what_is_good() {
    let scratch = pushed();
    gate_on_server(&scratch);
    scratch.write("src/c.rs", "fn c() {}\n");
    scratch.commit("good");
    assert_eq!(passes(&scratch, &["push", "-q", "origin", "main", "main:new"]).err, "");
    scratch.write(".spec/n/yatsu.md", BAD);
    scratch.commit("bad");
    // the pushed objects are in quarantine and visible only with git's variables
    let said = blocked(&scratch, &["push", "-q", "origin", "main"]);
    assert!(said.err.contains("remote: .spec/n/yatsu.md:3:5: error[yatsu-schema]"), "{}", said.err);
    let kept = origin(&scratch).join("objects");
    assert!(
        !kept
            .read_dir()
            .expect("objects")
            .any(|entry| { entry.expect("an entry").file_name().to_string_lossy().starts_with("tmp_objdir-incoming") })
    );
}

#[test]
fn a_received_push_does_not_choose_its_judge() {
    let scratch = pushed();
    gate_on_server(&scratch);
    scratch.write(".spec/n/yatsu.md", BAD);
    scratch.write("spexcode.json", "{\"yatsu\": {\"rules\": {\"yatsu-schema\": \"off\"}}}\n");
    scratch.commit("bad, and switched off");
    let said = blocked(&scratch, &["push", "-q", "origin", "main"]);
    assert!(said.err.contains("error[yatsu-schema]") && said.err.contains("gate-lowered"), "{}", said.err);
    assert!(said.err.contains("judged by spexcode.json of the default branch"), "{}", said.err);
    scratch.write("spexcode.json", "{ no json");
    scratch.commit("malformed");
    let said = scratch.try_git(&["push", "-q", "origin", "main"]).expect(1);
    assert!(said.err.contains("spexcode.json:1:"), "{}", said.err);
}

#[test]
fn the_first_push_to_a_server_is_judged_by_what_it_brings() {
    let scratch = pushed();
    scratch.git(&["init", "-q", "--bare", "-b", "main", "../origin2.git"]);
    gate_on_server(&scratch);
    let hooks = scratch.base.join("origin2.git/hooks");
    std::fs::create_dir_all(&hooks).expect("hooks");
    copy_executable(&origin(&scratch).join("hooks/pre-receive"), &hooks.join("pre-receive"));
    let tagged = scenarios(&[("works", "src/a.rs")]).replace("[cli]", "[own]");
    scratch.write(".spec/n/yatsu.md", tagged);
    scratch.write("spexcode.json", "{\"lint\": {\"scenarioTags\": [\"own\"]}}\n");
    scratch.commit("its own tags");
    scratch.try_git(&["push", "-q", "../origin2.git", "main"]).expect(0);
    scratch.write(".spec/n/yatsu.md", BAD);
    scratch.commit("bad");
    scratch.try_git(&["push", "-q", "../origin2.git", "main"]).expect(1);
}

#[test]
fn a_server_takes_a_thousand_refs_and_finds_the_bad_one() {
    let scratch = pushed();
    gate_on_server(&scratch);
    scratch.write("src/c.rs", "fn c() {}\n");
    let good = scratch.commit("good");
    let create: String = (0..1000).map(|number| format!("create refs/heads/many/{number} {good}\n")).collect();
    support::fed(scratch.git_command(&["update-ref", "--stdin"]), create).expect(0);
    passes(&scratch, &["push", "-q", "origin", "refs/heads/many/*"]);
    scratch.git(&["checkout", "-q", "many/777"]);
    scratch.write(".spec/n/yatsu.md", BAD);
    scratch.commit("bad");
    let said = blocked(&scratch, &["push", "-q", "origin", "refs/heads/many/*"]);
    assert!(said.err.contains("yatsu-schema"), "{}", said.err);
}

#[test]
fn a_tree_that_git_would_not_write_is_rejected() {
    for name in ["..", ".git"] {
        let scratch = pushed();
        gate_on_server(&scratch);
        let blob = scratch.git(&["hash-object", "-w", "src/a.rs"]);
        let raw: Vec<u8> =
            (0..40).step_by(2).map(|at| u8::from_str_radix(&blob[at..at + 2], 16).expect("hex")).collect();
        let tree = [format!("100644 {name}\0").as_bytes(), &raw].concat();
        scratch.write("../tree", tree);
        let inner = scratch.git(&["hash-object", "-w", "-t", "tree", "--literally", "../tree"]);
        let outer = scratch.git(&["ls-tree", "HEAD"]) + &format!("\n040000 tree {inner}\tz\n");
        let outer = support::fed(scratch.git_command(&["mktree"]), outer).expect(0).out;
        let commit = scratch.git(&["commit-tree", outer.trim(), "-p", "HEAD", "-m", "hostile"]);
        let before = there(&scratch, "refs/heads/main");
        let said = scratch.try_git(&["push", "-q", "origin", &format!("{commit}:refs/heads/main")]).expect(1);
        assert!(said.err.contains("with a name that is"), "{}", said.err);
        assert_eq!(there(&scratch, "refs/heads/main"), before);
    }
}

#[test]
fn the_default_branch_is_protected_whatever_it_is_called() {
    let (scratch, _) = measured();
    scratch.git(&["push", "-q", "origin", "main:develop"]);
    scratch.git(&["reset", "-q", "--hard", "HEAD~1"]);
    let args = ["push", "-q", "--force", "origin", "main:develop"];
    // like in a clone
    scratch.git(&["symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/develop"]);
    assert!(blocked(&scratch, &args).err.contains("error[ledger-history]"));
    scratch.git(&["symbolic-ref", "--delete", "refs/remotes/origin/HEAD"]);
    gate_on_server(&scratch);
    let head = |branch: &str| std::fs::write(origin(&scratch).join("HEAD"), format!("ref: refs/heads/{branch}\n"));
    head("develop").expect("HEAD");
    assert!(blocked(&scratch, &args).err.contains("error[ledger-history]"));
    head("main").expect("HEAD");
    passes(&scratch, &args);
}

#[test]
fn behind_the_hook_of_a_forge_the_file_beside_it_judges_the_push() {
    let scratch = pushed();
    let _ = std::fs::remove_file(scratch.root.join(".git/hooks/pre-push"));
    let hooks = origin(&scratch).join("hooks");
    // the dispatcher of forges: every file of a directory gets git's input, and each can refuse
    let dispatch = "#!/bin/sh\nsaid=$(cat)\nfor hook in \"$GIT_DIR\"/hooks/pre-receive.d/*; do\n  \
                    printf '%s\\n' \"$said\" | \"$hook\" || exit 1\ndone\n";
    support::executable(&hooks.join("pre-receive"), dispatch);
    let ours = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("hooks/pre-receive");
    copy_executable(&ours, &hooks.join("pre-receive.d/yatsu-hook"));
    let mut path = support::program().parent().expect("a directory").as_os_str().to_owned();
    path.push(":");
    path.push(support::search_path());
    let push =
        || Said::of(scratch.git_command(&["push", "-q", "origin", "main"]).env("PATH", &path).output().expect("git"));
    scratch.write("src/c.rs", "fn c() {}\n");
    scratch.commit("good");
    push().expect(0);
    scratch.write(".spec/n/yatsu.md", BAD);
    scratch.commit("bad");
    let said = push().expect(1);
    assert!(said.err.contains("remote: .spec/n/yatsu.md:3:5: error[yatsu-schema]"), "{}", said.err);
}
