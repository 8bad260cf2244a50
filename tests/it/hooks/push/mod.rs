//! `pre-push`, `pre-receive` and `check --from --to`, through the real `git push`. Each case was a real failure of some
//! tool.

mod aliases;
mod aside;
mod beside;
mod history;
mod law;
mod long;
mod moved;
mod received;
mod takes;

use crate::support::{
    self, BAD, Said, Scratch, copy_executable, hermetic, one_node, program, reading, reading_line, scenarios, sha256,
    validate_published,
};
use std::path::PathBuf;

const LEDGER: &str = ".spec/n/yatsu.evals.ndjson";
const BYTES: &[u8] = b"a picture, or a transcript, of some thirty-two bytes and more";
const NO_SUCH: &str = "1234567890123456789012345678901234567890";
const ZERO: &str = "0000000000000000000000000000000000000000";

/// A repository with one good scenario, pushed to the bare repository `origin`; the gate is installed afterwards.
fn pushed() -> Scratch {
    let scratch = one_node();
    scratch.git(&["init", "-q", "--bare", "-b", "main", "../origin.git"]);
    scratch.git(&["remote", "add", "origin", "../origin.git"]);
    scratch.git(&["push", "-q", "-u", "origin", "main"]);
    scratch.hook("pre-push", "pre-push \"$@\"");
    scratch
}

/// Moves the gate from the pushing side to the receiving one.
fn gate_on_server(scratch: &Scratch) {
    let _ = std::fs::remove_file(scratch.root.join(".git/hooks/pre-push"));
    std::fs::create_dir_all(origin(scratch).join("hooks")).expect("hooks");
    copy_executable(&shim(scratch, "pre-receive"), &origin(scratch).join("hooks/pre-receive"));
}

/// A `sh` shim that runs the program with the verb `verb`.
fn shim(scratch: &Scratch, verb: &str) -> PathBuf {
    scratch.hook("update", verb);
    let hook = scratch.root.join(".git/hooks/shim");
    std::fs::rename(scratch.root.join(".git/hooks/update"), &hook).expect("a shim");
    hook
}

fn origin(scratch: &Scratch) -> PathBuf {
    scratch.base.join("origin.git")
}

/// The commit of `name` on the remote; empty if there is none.
fn there(scratch: &Scratch, name: &str) -> String {
    scratch.git(&["ls-remote", "../origin.git", name]).split('\t').next().unwrap_or_default().to_owned()
}

/// Runs the program with `input` on standard input.
fn fed(scratch: &Scratch, args: &[&str], input: &[u8]) -> Said {
    support::fed(scratch.yatsu_command(args), input)
}

#[track_caller]
fn blocked(scratch: &Scratch, args: &[&str]) -> Said {
    let before = scratch.git(&["ls-remote", "../origin.git"]);
    let said = scratch.try_git(args).expect(1);
    assert!(said.err.contains("error["), "{}", said.err);
    assert_eq!(before, scratch.git(&["ls-remote", "../origin.git"]), "the other side moved");
    said
}

const LEDGER_ERROR: &str = "error[ledger-history]";

/// Every door of a push refuses the branch because of its ledger with these words, and `check --from --to` says the
/// same.
#[track_caller]
fn refused_everywhere(scratch: &Scratch, from: &str, words: &str) {
    let told = |text: &str| assert!(text.contains(LEDGER_ERROR) && text.contains(words), "{text}");
    told(&scratch.yatsu(&["check", "--from", from, "--to", "HEAD"]).expect(1).out);
    told(&blocked(scratch, &["push", "-q", "origin", "main"]).err);
    gate_on_server(scratch);
    told(&blocked(scratch, &["push", "-q", "origin", "main"]).err);
}

#[track_caller]
fn passes(scratch: &Scratch, args: &[&str]) -> Said {
    let before = scratch.git(&["ls-remote", "../origin.git"]);
    let said = scratch.try_git(args).expect(0);
    assert_ne!(before, scratch.git(&["ls-remote", "../origin.git"]), "the other side did not move");
    said
}

fn on_branch(scratch: &Scratch, name: &str) {
    scratch.git(&["checkout", "-q", "-b", name, "main"]);
}

fn cache(git_dir: &std::path::Path, bytes: &[u8]) {
    let dir = git_dir.join("spexcode/yatsu-blobs");
    std::fs::create_dir_all(&dir).expect("a cache");
    std::fs::write(dir.join(sha256(bytes)), bytes).expect("evidence");
}

/// A repository with a pushed main branch with two readings.
fn measured() -> (Scratch, String) {
    let scratch = pushed();
    reading(&scratch, ".spec/n", "works", "pass", 1);
    scratch.commit("measured");
    reading(&scratch, ".spec/n", "works", "fail", 2);
    let full = scratch.commit("measured again");
    passes(&scratch, &["push", "-q", "origin", "main"]);
    (scratch, full)
}

#[test]
fn success_and_up_to_date_print_nothing() {
    let scratch = pushed();
    scratch.write("src/c.rs", "fn c() {}\n");
    scratch.commit("good");
    let said = passes(&scratch, &["push", "-q", "origin", "main"]);
    assert_eq!((said.out.as_str(), said.err.as_str()), ("", ""));
    let said = scratch.try_git(&["push", "-q", "origin", "main"]).expect(0);
    assert_eq!((said.out.as_str(), said.err.as_str()), ("", ""));
    let said = scratch.yatsu(&["pre-push", "origin", "../origin.git"]).expect(0);
    assert_eq!((said.out.as_str(), said.err.as_str()), ("", ""));
}

#[test]
fn every_ref_is_judged_by_its_own_tree_wherever_head_is() {
    let scratch = pushed();
    on_branch(&scratch, "a");
    scratch.write("src/c.rs", "fn c() {}\n");
    scratch.commit("good");
    on_branch(&scratch, "b");
    scratch.write(".spec/n/yatsu.md", BAD);
    scratch.commit("bad");
    scratch.git(&["checkout", "-q", "main"]);
    let said = blocked(&scratch, &["push", "-q", "origin", "a", "b"]);
    assert!(said.err.contains("error[yatsu-schema]") && said.err.contains("refs/heads/b: "), "{}", said.err);
    assert!(!said.err.contains("refs/heads/a: "), "{}", said.err);
    assert!(!said.err.contains('\u{1b}'), "no escapes, no progress into a pipe: {}", said.err);
    passes(&scratch, &["push", "-q", "origin", "a"]);
}

#[test]
fn tips_with_one_base_are_each_judged_by_their_own_configuration() {
    let scratch = pushed();
    scratch.write(".spec/n/yatsu.md", BAD);
    let main = scratch.commit("bad, and known there");
    scratch.git(&["push", "-q", "--no-verify", "origin", "main"]);
    let branch = |name: &str, path: &str, content: &str| {
        on_branch(&scratch, name);
        scratch.write(path, content);
        format!("refs/heads/{name} {} refs/heads/{name} {ZERO}\n", scratch.commit(name))
    };
    let good = branch("good", "src/c.rs", "fn c() {}\n");
    let excluded = branch("excluded", "spexcode.json", "{\"yatsu\": {\"exclude\": [\".spec/n\"]}}\n");
    let bad = branch("bad", ".spec/m/yatsu.md", BAD);
    for (lines, code) in [([&excluded, &good], 0), ([&good, &excluded], 0), ([&good, &good], 0), ([&good, &bad], 1)] {
        let said =
            fed(&scratch, &["pre-push", "origin", "../origin.git"], lines.map(String::as_str).concat().as_bytes())
                .expect(code);
        assert!(!said.err.contains(".spec/n/yatsu.md:"), "what {main} holds is inherited: {}", said.err);
    }
}

#[test]
fn the_work_tree_and_the_index_are_not_asked() {
    let scratch = pushed();
    scratch.write("src/c.rs", "fn c() {}\n");
    scratch.commit("good");
    scratch.write(".spec/n/yatsu.md", BAD);
    scratch.git(&["add", "."]);
    passes(&scratch, &["push", "-q", "origin", "main"]);
}

#[test]
fn deleting_passes_alone_and_with_others() {
    let scratch = pushed();
    scratch.git(&["push", "-q", "origin", "main:old", "main:older"]);
    passes(&scratch, &["push", "-q", "origin", ":old"]);
    scratch.write(".spec/n/yatsu.md", BAD);
    scratch.commit("bad");
    blocked(&scratch, &["push", "-q", "origin", ":older", "main"]);
    gate_on_server(&scratch);
    passes(&scratch, &["push", "-q", "origin", ":older"]);
}

/// Pushes a malformed file to the remote without the gate.
fn push_past_the_gate(scratch: &Scratch) {
    scratch.git(&["config", "core.hooksPath", "/dev/null"]);
    scratch.write(".spec/m/yatsu.md", BAD);
    scratch.commit("bad, past the gate");
    scratch.git(&["push", "-q", "origin", "main"]);
    scratch.git(&["config", "--unset", "core.hooksPath"]);
}

#[test]
fn a_new_branch_answers_only_for_its_own_commits() {
    let scratch = pushed();
    push_past_the_gate(&scratch);
    on_branch(&scratch, "topic");
    scratch.write("src/c.rs", "fn c() {}\n");
    scratch.commit("good");
    assert_eq!(passes(&scratch, &["push", "-q", "origin", "topic"]).err, "");
    passes(&scratch, &["push", "-q", "origin", "topic:nothing-new"]);
    scratch.write("src/d.rs", "fn d() {}\n");
    scratch.commit("good, too");
    scratch.write(".spec/o/yatsu.md", BAD);
    scratch.commit("bad");
    let said = blocked(&scratch, &["push", "-q", "origin", "topic"]);
    assert!(said.err.contains(".spec/o/") && !said.err.contains(".spec/m/"), "{}", said.err);
    gate_on_server(&scratch);
    assert_eq!(passes(&scratch, &["push", "-q", "origin", "topic~1:refs/heads/received"]).err, "");
    blocked(&scratch, &["push", "-q", "origin", "topic:received"]);
}

#[test]
fn merging_the_errors_of_main_is_nobodys_fault() {
    let scratch = pushed();
    on_branch(&scratch, "topic");
    scratch.write("src/c.rs", "fn c() {}\n");
    scratch.commit("good");
    passes(&scratch, &["push", "-q", "origin", "topic"]);
    scratch.git(&["checkout", "-q", "main"]);
    scratch.write(".spec/m/yatsu.md", BAD);
    scratch.commit("bad, past the gate");
    scratch.git(&["push", "-q", "--no-verify", "origin", "main"]);
    scratch.git(&["checkout", "-q", "topic"]);
    scratch.git(&["merge", "-q", "--no-edit", "main"]);
    passes(&scratch, &["push", "-q", "origin", "topic"]);
}

#[test]
fn the_first_push_is_compared_with_nothing() {
    let scratch = pushed();
    scratch.git(&["init", "-q", "--bare", "../empty.git"]);
    scratch.git(&["remote", "add", "empty", "../empty.git"]);
    scratch.try_git(&["push", "-q", "empty", "main"]).expect(0);
    scratch.git(&["init", "-q", "--bare", "../other.git"]);
    scratch.git(&["remote", "add", "other", "../other.git"]);
    scratch.write(".spec/n/yatsu.md", BAD);
    scratch.commit("bad");
    assert!(scratch.try_git(&["push", "-q", "other", "main"]).expect(1).err.contains("yatsu-schema"));
}

#[test]
fn an_unknown_remote_id_is_no_doubt() {
    let scratch = pushed();
    scratch.write("src/c.rs", "fn c() {}\n");
    let good = scratch.commit("good");
    let line = |id: &str| format!("refs/heads/main {id} refs/heads/main {NO_SUCH}\n");
    let said = fed(&scratch, &["pre-push", "origin", "../origin.git"], line(&good).as_bytes()).expect(0);
    assert_eq!(said.err, "");
    scratch.write(".spec/n/yatsu.md", BAD);
    let bad = scratch.commit("bad");
    fed(&scratch, &["pre-push", "origin", "../origin.git"], line(&bad).as_bytes()).expect(1);
    // the same through git: another clone has pushed, and this push is forced
    scratch.git(&["clone", "-q", "../origin.git", "../other"]);
    let other = |args: &[&str]| {
        let output = hermetic("git", &scratch.home()).current_dir(scratch.base.join("other")).args(args).output();
        Said::of(output.expect("git")).expect(0)
    };
    other(&["commit", "-q", "--allow-empty", "-m", "elsewhere"]);
    other(&["push", "-q", "origin", "main"]);
    blocked(&scratch, &["push", "-q", "--force", "origin", "main"]);
    scratch.git(&["reset", "-q", "--hard", &good]);
    passes(&scratch, &["push", "-q", "--force", "origin", "main"]);
}

#[test]
fn a_new_ref_and_a_tag_of_a_tag_are_followed() {
    let scratch = pushed();
    scratch.git(&["tag", "-a", "good", "-m", "t"]);
    passes(&scratch, &["push", "-q", "origin", "good"]);
    scratch.write(".spec/n/yatsu.md", BAD);
    let bad = scratch.commit("bad");
    scratch.git(&["tag", "-a", "v1", "-m", "t"]);
    scratch.git(&["tag", "-a", "v2", "v1", "-m", "t"]);
    assert!(blocked(&scratch, &["push", "-q", "origin", "v2"]).err.contains("yatsu-schema"));
    blocked(&scratch, &["push", "-q", "origin", "HEAD^{/bad}:refs/heads/odd"]);
    let line = format!("HEAD^{{/a b}} {bad} refs/heads/odd {ZERO}\n");
    fed(&scratch, &["pre-push", "origin", "../origin.git"], line.as_bytes()).expect(1);
}

#[test]
fn a_tag_of_a_blob_or_a_tree_brings_no_commit() {
    let scratch = pushed();
    let blob = scratch.git(&["hash-object", "-w", "src/a.rs"]);
    scratch.git(&["tag", "blob", &blob]);
    scratch.git(&["tag", "-a", "of-blob", "blob", "-m", "t"]);
    scratch.git(&["tag", "-a", "tree", "HEAD^{tree}", "-m", "t"]);
    for tag in ["blob", "of-blob", "tree"] {
        let said = passes(&scratch, &["push", "-q", "origin", tag]);
        assert_eq!((said.out.as_str(), said.err.as_str()), ("", ""), "{tag}");
    }
    gate_on_server(&scratch);
    scratch.git(&["tag", "again", &blob]);
    passes(&scratch, &["push", "-q", "origin", "again"]);
    // other changes of the push are judged all the same
    scratch.write(".spec/n/yatsu.md", BAD);
    scratch.commit("bad");
    scratch.git(&["tag", "third", &blob]);
    blocked(&scratch, &["push", "-q", "origin", "third", "main"]);
}

#[test]
fn a_tag_that_leads_to_nothing_here_cannot_be_judged() {
    let scratch = pushed();
    let mut tag = scratch.git(&["rev-parse", "HEAD"]);
    for number in 0..17 {
        let name = format!("t{number}");
        scratch.git(&["tag", "-a", &name, &tag, "-m", "t"]);
        tag = scratch.git(&["rev-parse", &name]);
    }
    for id in [tag.as_str(), NO_SUCH] {
        let line = format!("refs/tags/t {id} refs/tags/t {ZERO}\n");
        let said = fed(&scratch, &["pre-push", "origin", "../origin.git"], line.as_bytes()).expect(3);
        assert!(said.err.contains("refs/tags/t leads to"), "{}", said.err);
    }
}

#[test]
fn a_push_by_url_knows_the_remote_of_that_url() {
    let scratch = pushed();
    push_past_the_gate(&scratch);
    scratch.write("src/c.rs", "fn c() {}\n");
    scratch.commit("good");
    passes(&scratch, &["push", "-q", "../origin.git", "main:refs/heads/new"]);
    let path = origin(&scratch);
    let url = path.to_str().expect("text");
    let said = blocked(&scratch, &["push", "-q", url, "main:refs/heads/newer"]);
    assert!(said.err.contains(".spec/m/"), "nothing is known of that URL: {}", said.err);
    // the URL is one of several, and git rewrites what was typed
    scratch.git(&["remote", "set-url", "--add", "origin", "../elsewhere.git"]);
    let base = path.parent().expect("a directory").display();
    scratch.git(&["config", &format!("url.{base}/.insteadOf"), "short:"]);
    let said = blocked(&scratch, &["push", "-q", "short:origin.git", "main:refs/heads/newer"]);
    assert!(said.err.contains(".spec/m/"), "nothing is known of that URL: {}", said.err);
    scratch.git(&["config", "remote.origin.pushurl", "short:origin.git"]);
    passes(&scratch, &["push", "-q", "short:origin.git", "main:refs/heads/newer"]);
    scratch.git(&["config", "--unset", "remote.origin.pushurl"]);
    passes(&scratch, &["push", "-q", url, "main"]);
}

mod needs_script {
    use super::*;

    #[test]
    #[ignore = "needs script"]
    fn without_standard_input_head_is_judged() {
        let scratch = pushed();
        let terminal = |scratch: &Scratch| {
            let mut command = hermetic("script", &scratch.home());
            let run = format!("'{}' pre-push origin ../origin.git", program().display());
            command.current_dir(&scratch.root).args(["-qec", &run, "/dev/null"]);
            Said::of(command.output().expect("script runs"))
        };
        terminal(&scratch).expect(0);
        scratch.write(".spec/n/yatsu.md", BAD);
        scratch.commit("bad");
        let said = terminal(&scratch).expect(1);
        assert!(said.out.contains("yatsu-schema"), "{}", said.out);
    }
}

#[test]
fn frameworks_tell_the_range_in_their_environment() {
    let scratch = pushed();
    let first = scratch.git(&["rev-parse", "HEAD"]);
    let run = |args: &[&str], env: &[(&str, &str)]| {
        let mut command = scratch.yatsu_command(args);
        Said::of(command.envs(env.iter().copied()).output().expect("the program runs"))
    };
    scratch.write(".spec/n/yatsu.md", BAD);
    let bad = scratch.commit("bad");
    scratch.write(".spec/n/yatsu.md", scenarios(&[("works", "src/a.rs")]));
    let good = scratch.commit("good");
    let remote = ("PRE_COMMIT_REMOTE_NAME", "origin");
    for args in [&["run"][..], &["pre-push"]] {
        run(args, &[("PRE_COMMIT_FROM_REF", &first), ("PRE_COMMIT_TO_REF", &bad), remote]).expect(1);
        run(args, &[("PRE_COMMIT_FROM_REF", &first), ("PRE_COMMIT_TO_REF", &good), remote]).expect(0);
        run(args, &[("PRE_COMMIT_FROM_REF", NO_SUCH), ("PRE_COMMIT_TO_REF", &bad), remote]).expect(1);
        run(args, &[("PRE_COMMIT_TO_REF", &bad), remote]).expect(1);
        run(args, &[("PRE_COMMIT_LOCAL_BRANCH", "refs/heads/main"), remote]).expect(0);
    }
    scratch.git(&["reset", "-q", "--hard", &bad]);
    run(&["run", "--stage", "pre-push"], &[]).expect(1);
    run(&["run"], &[("PRE_COMMIT_LOCAL_BRANCH", "refs/heads/main"), remote]).expect(1);
}

#[test]
fn hostile_standard_input_is_doubt() {
    let scratch = pushed();
    let head = scratch.git(&["rev-parse", "HEAD"]);
    let endless = vec![b'x'; 9 << 20];
    let lines = format!("refs/heads/x {head} refs/heads/x {ZERO}\n").repeat(10_001);
    for input in [&b"garbage\n"[..], b"\n", b"\0\0\0\n", &endless, lines.as_bytes()] {
        for verb in ["pre-push", "pre-receive"] {
            let said = fed(&scratch, &[verb], input).expect(3);
            assert!(said.err.contains("standard input") || said.err.contains("refs are pushed"), "{}", said.err);
        }
    }
    let gone = format!("refs/heads/x {NO_SUCH} refs/heads/x {ZERO}\n");
    fed(&scratch, &["pre-push"], gone.as_bytes()).expect(3);
    let said = fed(&scratch, &["pre-push", "--format", "json"], b"garbage\n").expect(3);
    assert_eq!(validate_published(&said.out)["verdict"], "unchecked");
}

#[test]
fn a_shallow_clone_pushes() {
    let scratch = pushed();
    scratch.write("src/c.rs", "fn c() {}\n");
    scratch.commit("second");
    passes(&scratch, &["push", "-q", "origin", "main"]);
    let url = format!("file://{}", origin(&scratch).display());
    scratch.git(&["clone", "-q", "--depth=1", &url, "../shallow"]);
    let shallow = scratch.base.join("shallow");
    std::fs::create_dir_all(shallow.join(".git/hooks")).expect("hooks");
    copy_executable(&scratch.root.join(".git/hooks/pre-push"), &shallow.join(".git/hooks/pre-push"));
    let git = |args: &[&str]| {
        let output = hermetic("git", &scratch.home()).current_dir(&shallow).args(args).output();
        Said::of(output.expect("git"))
    };
    std::fs::write(shallow.join("src/d.rs"), "fn d() {}\n").expect("a file");
    git(&["add", "."]).expect(0);
    git(&["commit", "-q", "-m", "from the shallow clone"]).expect(0);
    assert_eq!(git(&["push", "-q", "origin", "HEAD:topic"]).expect(0).err, "");
    gate_on_server(&scratch);
    assert_eq!(git(&["push", "-q", "origin", "HEAD:main"]).expect(0).err, "");
    std::fs::write(shallow.join(".spec/n/yatsu.md"), BAD).expect("a file");
    git(&["commit", "-q", "-a", "-m", "bad"]).expect(0);
    git(&["push", "-q", "origin", "HEAD:main"]).expect(1);
    let mut check = hermetic(program(), &scratch.home());
    check.current_dir(&shallow).args(["check", "--from", "HEAD~9", "--to", "HEAD"]);
    let said = Said::of(check.output().expect("the program runs")).expect(3);
    assert!(said.err.contains("fetch-depth: 0") && said.err.contains("git fetch --unshallow"), "{}", said.err);
}

#[test]
fn a_range_is_judged_against_where_it_began() {
    let scratch = pushed();
    let first = scratch.git(&["rev-parse", "HEAD"]);
    on_branch(&scratch, "topic");
    scratch.write(".spec/n/yatsu.md", scenarios(&[("works", "src/a.rs"), ("more", "src/b.rs")]));
    scratch.commit("topic");
    scratch.git(&["checkout", "-q", "main"]);
    scratch.write(LEDGER, reading_line(&first, "works", "pass", 1));
    scratch.commit("main goes on");
    let json = |args: &[&str]| {
        let said = scratch.yatsu(&[&["check", "--format", "json"], args].concat());
        (said.code, validate_published(&said.out))
    };
    let (code, report) = json(&["--from", "main", "--to", "topic"]);
    assert_eq!((code, report["scope"]["base"].as_str()), (0, Some(first.as_str())), "{report}");
    scratch.git(&["checkout", "-q", "topic"]);
    scratch.write(".spec/m/yatsu.md", BAD);
    scratch.commit("bad");
    assert_eq!(json(&["--from", "main", "--to", "topic"]).0, 1);
    assert_eq!(json(&["--from", "main", "--to", "topic", "--", "src"]).0, 0);
    assert_eq!(json(&["--from", "topic", "--to", "topic"]).0, 0);
    assert_eq!(json(&["--from", NO_SUCH, "--to", "topic"]).0, 3);
    let bare = scratch.base.join("bare.git");
    scratch.git(&["clone", "-q", "--bare", ".", "../bare.git"]);
    let mut check = hermetic(program(), &scratch.home());
    check.current_dir(&bare).args(["check", "--from", "main", "--to", "topic"]);
    Said::of(check.output().expect("the program runs")).expect(1);
}

#[test]
fn nothing_of_ours_is_none_of_our_business() {
    let scratch = Scratch::new();
    scratch.git(&["init", "-q", "--bare", "-b", "main", "../origin.git"]);
    scratch.git(&["remote", "add", "origin", "../origin.git"]);
    scratch.write("spexcode.json", "{ no json");
    scratch.commit("somebody else's");
    scratch.hook("pre-push", "pre-push \"$@\"");
    assert_eq!(passes(&scratch, &["push", "-q", "origin", "main"]).err, "");
    gate_on_server(&scratch);
    scratch.write("x", "y");
    scratch.commit("more");
    assert_eq!(passes(&scratch, &["push", "-q", "origin", "main"]).err, "");
}
