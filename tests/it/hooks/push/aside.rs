//! Refs of evidence and claims: their content does not change how a push is judged, and objects that only they reach do not
//! count as known when a branch brings them.

use super::*;

const MONTH: &str = "refs/yatsu/evidence/0123456789abcdef/2026-11";
const NAMES: &str = "refs/yatsu/names/0123456789abcdef/2026-11";
const CLAIM: &str = "refs/yatsu/claims/0123456789abcdef0123456789abcdef01234567";

/// A tree from lines as `ls-tree` prints them.
fn tree(scratch: &Scratch, lines: &str) -> String {
    support::fed(scratch.git_command(&["mktree"]), lines).expect(0).out.trim().to_owned()
}

fn blob(scratch: &Scratch, bytes: &[u8]) -> String {
    support::fed(scratch.git_command(&["hash-object", "-w", "--stdin"]), bytes).expect(0).out.trim().to_owned()
}

fn commit_of(scratch: &Scratch, tree: &str, parents: &[&str]) -> String {
    let mut args = vec!["commit-tree", tree, "-m", "shared"];
    parents.iter().for_each(|parent| args.extend(["-p", parent]));
    scratch.git(&args)
}

/// A commit with these bytes in the place of pieces.
fn pieces(scratch: &Scratch, bytes: &[u8], parents: &[&str]) -> String {
    let (hash, id) = (sha256(bytes), blob(scratch, bytes));
    let below = tree(scratch, &format!("100644 blob {id}\t{hash}\n"));
    let top = tree(scratch, &format!("040000 tree {below}\t{}\n", &hash[..2]));
    commit_of(scratch, &top, parents)
}

fn empty(scratch: &Scratch, parents: &[&str]) -> String {
    let tree = tree(scratch, "");
    commit_of(scratch, &tree, parents)
}

fn to(id: &str, name: &str) -> String {
    format!("{id}:{name}")
}

/// A server with the gate and a reading in its main branch.
fn server() -> Scratch {
    let (scratch, _) = measured();
    gate_on_server(&scratch);
    scratch
}

#[test]
fn evidence_names_and_claims_pass_beside_the_code_and_go_again() {
    for install in [gate_on_server, |_: &Scratch| {}] {
        let (scratch, _) = measured();
        install(&scratch);
        // the evidence of a reading is evidence everywhere, and this ref is its place
        reading(&scratch, ".spec/n", "works", "pass", 3);
        let first = pieces(&scratch, BYTES, &[]);
        let second = pieces(&scratch, b"more bytes, thirty-two of them and then some", &[&first]);
        let (names, claim) = (empty(&scratch, &[]), empty(&scratch, &[]));
        let said = passes(&scratch, &["push", "-q", "--atomic", "origin", &to(&second, MONTH), &to(&names, NAMES)]);
        assert_eq!(said.err, "");
        assert_eq!(passes(&scratch, &["push", "-q", "origin", &to(&claim, CLAIM)]).err, "");
        assert_eq!(passes(&scratch, &["push", "-q", "--force", "origin", &to(&first, MONTH)]).err, "");
        assert_eq!(passes(&scratch, &["push", "-q", "origin", &to("", MONTH), &to("", CLAIM)]).err, "");
        for kind in ["evidence/a/b", "claims/a"] {
            let branch = format!("refs/heads/yatsu/{kind}");
            let commit = if kind.starts_with('e') { &second } else { &claim };
            assert_eq!(passes(&scratch, &["push", "-q", "origin", &to(commit, &branch)]).err, "");
            assert_eq!(passes(&scratch, &["push", "-q", "origin", &to("", &branch)]).err, "");
        }
    }
}

#[test]
fn what_only_lies_beside_the_code_is_new_to_a_branch_and_to_a_tag() {
    for by_program in [false, true] {
        let scratch = server();
        if by_program {
            // a second work tree has its own HEAD, which only git knows
            std::fs::create_dir_all(origin(&scratch).join("worktrees/x")).expect("a directory");
        }
        let evidence = pieces(&scratch, BYTES, &[]);
        passes(&scratch, &["push", "-q", "origin", &to(&evidence, MONTH)]);
        let refused = |args: &[&str]| {
            let said = blocked(&scratch, &[&["push", "-q", "origin"], args].concat());
            assert!(said.err.contains("error[stray-blob]"), "{}", said.err);
        };
        refused(&[&to(&evidence, "refs/heads/taken")]);
        refused(&[&to(&evidence, "refs/tags/taken")]);
        refused(&[&to(&evidence, "refs/Yatsu/evidence/a/b")]);
        refused(&[&to(&evidence, "refs/heads/taken"), &to(&pieces(&scratch, b"x", &[&evidence]), MONTH)]);
        let tree = scratch.git(&["rev-parse", &format!("{evidence}^{{tree}}")]);
        refused(&[&to(&tree, "refs/tags/tree")]);
        let both = scratch.git(&["rev-parse", "main^{tree}"]);
        let both = scratch.git(&["ls-tree", &both]) + "\n" + &scratch.git(&["ls-tree", &tree]) + "\n";
        let both = self::tree(&scratch, &both);
        let merge = commit_of(&scratch, &both, &["main", &evidence]);
        refused(&[&to(&merge, "refs/heads/main")]);
        scratch.git(&["branch", "-q", "merged", &merge]);
        let dropped = commit_of(&scratch, &scratch.git(&["rev-parse", "main^{tree}"]), &["merged"]);
        refused(&[&to(&dropped, "refs/heads/main")]);
    }
}

#[test]
fn a_push_does_not_take_for_known_what_the_other_side_has_beside_the_code() {
    let (scratch, _) = measured();
    let evidence = pieces(&scratch, BYTES, &[]);
    passes(&scratch, &["push", "-q", "origin", &to(&evidence, "refs/heads/yatsu/evidence/a/b")]);
    scratch.git(&["fetch", "-q"]);
    scratch.git(&["rev-parse", "refs/remotes/origin/yatsu/evidence/a/b"]);
    let said = blocked(&scratch, &["push", "-q", "origin", &to(&evidence, "refs/heads/taken")]);
    assert!(said.err.contains("error[stray-blob]"), "{}", said.err);
    // in a shallow clone only git knows
    scratch.write(".git/shallow", format!("{}\n", scratch.git(&["rev-list", "--max-parents=0", "main"])));
    let said = blocked(&scratch, &["push", "-q", "origin", &to(&evidence, "refs/heads/taken")]);
    assert!(said.err.contains("error[stray-blob]"), "{}", said.err);
}

#[test]
fn a_mirror_of_everything_passes_the_hook_before_a_push() {
    let (scratch, _) = measured();
    let evidence = pieces(&scratch, BYTES, &[]);
    scratch.git(&["update-ref", MONTH, &evidence]);
    scratch.git(&["update-ref", "refs/yatsu/evil", "main"]);
    scratch.git(&["init", "-q", "--bare", "-b", "main", "../mirror.git"]);
    let said = scratch.try_git(&["push", "-q", "--mirror", "../mirror.git"]).expect(0);
    assert!(said.err.ends_with("\n2 infos\n") && !said.err.contains("error"), "{}", said.err);
    let there = scratch.git(&["ls-remote", "../mirror.git"]);
    assert!(there.contains(MONTH), "{there}");
}

#[test]
fn what_does_not_belong_beside_the_code_is_refused() {
    let scratch = server();
    let main = scratch.git(&["rev-parse", "main"]);
    let file = blob(&scratch, BYTES);
    let hash = sha256(BYTES);
    let commit = |lines: &str| commit_of(&scratch, &tree(&scratch, lines), &[]);
    let below = |mode: &str, name: &str| tree(&scratch, &format!("{mode} blob {file}\t{name}\n"));
    let in_dir = |dir: &str, tree: &str| commit(&format!("040000 tree {tree}\t{dir}\n"));
    let good = pieces(&scratch, BYTES, &[]);
    let refused = |id: &str, name: &str, words: &str| {
        let said = blocked(&scratch, &["push", "-q", "origin", &to(id, name)]);
        assert!(said.err.contains("error[stray-blob]") && said.err.contains(words), "{name}: {}", said.err);
        assert!(!said.err.contains("ledger-history"), "{}", said.err);
    };
    refused(&main, MONTH, "spec, which is no piece");
    refused(&main, NAMES, "files, and belongs to those without");
    refused(&main, CLAIM, "files");
    refused(&empty(&scratch, &[&main]), CLAIM, "files");
    refused(&pieces(&scratch, b"on top of the code", &[&main]), MONTH, "which is no piece");
    refused(&main, "refs/yatsu/evil", "only evidence, names, claims and probe");
    refused(&good, "refs/yatsu/evidence", "only evidence");
    refused(&good, "refs/yatsu", "only evidence");
    refused(&good, NAMES, "files");
    refused(&in_dir("zz", &below("100644", &hash)), MONTH, "zz");
    refused(&in_dir("ff", &below("100644", &hash)), MONTH, &hash);
    refused(&in_dir(&hash[..2], &below("100755", &hash)), MONTH, &hash);
    refused(&in_dir(&hash[..2], &below("120000", &hash)), MONTH, &hash);
    refused(&in_dir(&hash[..2], &below("100644", &hash.to_uppercase())), MONTH, "no piece");
    refused(&in_dir(&hash[..2], &below("100644", &hash[..63])), MONTH, "no piece");
    refused(&commit(&format!("100644 blob {file}\t{hash}\n")), MONTH, &hash);
    refused(&commit(&format!("160000 commit {main}\tab\n")), MONTH, "ab");
    let long = commit(&format!("100644 blob {}\tprobe\n", blob(&scratch, &[b'x'; 4097])));
    refused(&long, "refs/yatsu/probe/0123456789abcdef", "probe of 4097 bytes, and 4096 are taken");
    refused(&main, "refs/yatsu/probe/0123456789abcdef", "no piece");
    refused(&file, MONTH, "is no commit");
    scratch.git(&["tag", "-a", "-m", "a tag", "tagged", &good]);
    refused("refs/tags/tagged", MONTH, "is no commit");
    refused(&main, "refs/heads/yatsu/claims/x", "files");
    let one = commit(&format!("100644 blob {}\tprobe\n", blob(&scratch, b"a trial")));
    passes(&scratch, &["push", "-q", "origin", &to(&one, "refs/yatsu/probe/0123456789abcdef")]);
    passes(&scratch, &["push", "-q", "origin", &to(&main, "refs/heads/yatsu/fix")]);
}

#[test]
fn a_piece_larger_than_the_server_takes_is_refused() {
    let scratch = server();
    let config = |value: &str| {
        scratch.git(&["--git-dir", "../origin.git", "config", "yatsu.share.maxPiece", value]);
    };
    let piece = pieces(&scratch, &[b'x'; 2049], &[]);
    config("2k");
    let said = blocked(&scratch, &["push", "-q", "origin", &to(&piece, MONTH)]);
    assert!(said.err.contains("of 2049 bytes, and 2048 are taken"), "{}", said.err);
    config("much");
    let said = scratch.try_git(&["push", "-q", "origin", &to(&piece, MONTH)]).expect(1);
    assert!(said.err.contains("yatsu.share.maxpiece is not a number"), "{}", said.err);
    config("3k");
    passes(&scratch, &["push", "-q", "origin", &to(&piece, MONTH)]);
    passes(&scratch, &["push", "-q", "origin", &to("", MONTH)]);
    let large = tree(&scratch, &format!("100644 blob {}\t{}\n", blob(&scratch, b"x"), "0".repeat(64)));
    let mut lines = String::new();
    for number in 0..60_000 {
        lines += &format!("100644 blob {}\t00{number:062x}\n", blob_id(&scratch, &large));
    }
    let top = tree(&scratch, &format!("040000 tree {}\t00\n", tree(&scratch, &lines)));
    let said = blocked(&scratch, &["push", "-q", "origin", &to(&commit_of(&scratch, &top, &[]), MONTH)]);
    assert!(said.err.contains("a tree of more than 4 MiB"), "{}", said.err);
}

/// The only blob in a tree.
fn blob_id(scratch: &Scratch, tree: &str) -> String {
    thread_local!(static LAST: std::cell::RefCell<(String, String)> = std::cell::RefCell::default());
    LAST.with_borrow_mut(|last| {
        if last.0 != tree {
            let listed = scratch.git(&["ls-tree", tree]);
            *last = (tree.to_owned(), listed.split([' ', '\t']).nth(2).expect("a blob").to_owned());
        }
        last.1.clone()
    })
}

#[test]
fn a_symbolic_ref_beside_the_code_is_the_branch_that_it_stands_for() {
    let scratch = server();
    let alias = |name: &str, target: &str| scratch.git(&["--git-dir", "../origin.git", "symbolic-ref", name, target]);
    alias(CLAIM, "refs/heads/main");
    scratch.git(&["reset", "-q", "--hard", "HEAD~1"]);
    let said = blocked(&scratch, &["push", "-q", "--force", "origin", &to("main", CLAIM)]);
    assert!(said.err.contains("error[ledger-history]"), "{}", said.err);
    // the target of a symbolic branch is not known either
    let evidence = pieces(&scratch, BYTES, &[]);
    passes(&scratch, &["push", "-q", "origin", &to(&evidence, MONTH)]);
    alias("refs/heads/alias", MONTH);
    for by_program in [false, true] {
        if by_program {
            std::fs::create_dir_all(origin(&scratch).join("worktrees/x")).expect("a directory");
        }
        let said = blocked(&scratch, &["push", "-q", "origin", &to(&evidence, "refs/heads/taken")]);
        assert!(said.err.contains("error[stray-blob]"), "{}", said.err);
    }
}

#[test]
fn an_object_that_only_an_alternate_lends_is_new_to_a_branch() {
    let scratch = server();
    let evidence = pieces(&scratch, BYTES, &[]);
    let lent = scratch.root.join(".git/objects");
    std::fs::write(origin(&scratch).join("objects/info/alternates"), format!("{}\n", lent.display())).expect("lent");
    passes(&scratch, &["push", "-q", "origin", &to(&evidence, MONTH)]);
    let said = blocked(&scratch, &["push", "-q", "origin", &to(&evidence, "refs/heads/taken")]);
    assert!(said.err.contains("error[stray-blob]"), "{}", said.err);
}

#[test]
fn collecting_evidence_looks_at_no_ref_beside_the_code() {
    let (scratch, _) = measured();
    let hash = sha256(BYTES);
    cache(&scratch.root.join(".git"), BYTES);
    let other = "b".repeat(64);
    let named = |hash: &str, minute| {
        reading_line(&"1".repeat(40), "works", "pass", minute).replace("null", &format!("{hash:?}"))
    };
    scratch.write(LEDGER, scratch.read(LEDGER) + &named(&other, 8));
    scratch.commit("a reading with evidence");
    let clean = || scratch.yatsu(&["clean", "--grace", "0", "--dry-run"]).expect(0).out;
    // a ledger there is not recognised, and no gate lets it in
    let line =
        reading_line(&scratch.git(&["rev-parse", "main"]), "works", "pass", 9).replace("null", &format!("{hash:?}"));
    scratch.write(LEDGER, line);
    let evil = scratch.commit("names it");
    scratch.git(&["reset", "-q", "--hard", "HEAD~1"]);
    scratch.git(&["reflog", "expire", "--expire=now", "--all"]);
    std::fs::remove_file(scratch.root.join(".git/ORIG_HEAD")).expect("where it stood");
    scratch.git(&["update-ref", "refs/heads/other", &evil]);
    assert!(!clean().contains(&hash[..12]));
    scratch.git(&["update-ref", "-d", "refs/heads/other"]);
    for name in ["refs/yatsu/evil", MONTH] {
        scratch.git(&["-c", "core.logAllRefUpdates=always", "update-ref", "-m", "x", name, &evil]);
        assert!(clean().contains(&hash[..12]), "{}", clean());
    }
    scratch.git(&["pack-refs", "--all"]);
    assert!(clean().contains(&hash[..12]), "{}", clean());
    // a branch is attached there all the same
    scratch.git(&["symbolic-ref", "refs/heads/alias", "refs/yatsu/evil"]);
    let said = scratch.yatsu(&["clean", "--grace", "0", "--dry-run"]).expect(3);
    assert!(said.err.contains("stands for a ref below refs/yatsu"), "{}", said.err);
}
