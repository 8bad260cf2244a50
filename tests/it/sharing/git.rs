//! Sharing through the project's own git server; here a bare repository over `file://`.

use super::{Clone, Two, json, last};
use std::fs;
use std::path::Path;

/// Gives a file the oldest possible time.
fn age(path: &Path) {
    super::age(path, "2020-01-01");
}

/// `a` shares through its git remote.
pub(super) fn sharing() -> Two {
    let two = Two::new();
    two.a.git(&["remote", "set-url", "origin", &format!("file://{}", two.a.base.join("server.git").display())]);
    two.a.yatsu(&["share", "on"]).expect(0);
    two
}

pub(super) fn other(two: &Two) -> Clone<'_> {
    let root = two.a.base.join("b");
    let url = two.a.git(&["remote", "get-url", "origin"]);
    two.a.git(&["clone", "-q", &url, "../b"]);
    let b = Clone { two, root };
    b.yatsu(&["share", "on"]).expect(0);
    b
}

#[test]
fn two_clones_share_through_the_server_that_they_have() {
    let two = sharing();
    assert_eq!(two.a.git(&["config", "yatsu.share"]), "origin");
    let hash = two.file("renders", "it rendered\n");
    two.publish();
    assert_eq!(last(&two.a.yatsu(&["share", "push"]).expect(0)), "pushed 1 (12 B), 0 there");
    assert_eq!(last(&two.a.yatsu(&["share", "push"]).expect(0)), "pushed 0 (0 B), 1 there");
    let b = other(&two);
    let shown = b.yatsu(&["show", "board"]).expect(0).out;
    assert!(shown.contains("not here, on origin: yatsu-hook share get"), "{shown}");
    assert_eq!(last(&b.yatsu(&["share", "get"]).expect(0)), "got 1 (12 B), 0 here already");
    assert_eq!(b.yatsu(&["evidence", "get", &hash]).expect(0).out, "it rendered\n");
    let page = b.yatsu(&["show", "board", "--open"]).expect(0).out;
    assert!(fs::read_to_string(page.trim()).expect("the page").contains("it rendered"));
    assert_eq!(last(&b.yatsu(&["share", "check", "--deep"]).expect(0)), "all 1 there");
}

#[test]
fn a_plain_clone_has_nothing_of_it() {
    let two = sharing();
    two.file("renders", "it rendered\n");
    two.publish();
    two.a.yatsu(&["share", "push"]).expect(0);
    two.a.git(&["clone", "-q", "--no-local", "../server.git", "../plain"]);
    let refs = two.a.git(&["-C", "../plain", "for-each-ref"]);
    assert!(!refs.contains("yatsu"), "{refs}");
    let blob = two.a.git(&["hash-object", "../out.txt"]);
    assert_ne!(two.a.try_git(&["-C", "../plain", "cat-file", "-e", &blob]).code, 0);
    assert_eq!(two.a.try_git(&["-C", "../server.git", "cat-file", "-e", &blob]).code, 0);
}

#[test]
fn what_somebody_deleted_on_the_server_is_named_and_healed() {
    let two = sharing();
    two.file("renders", "it rendered\n");
    two.publish();
    two.a.yatsu(&["share", "push"]).expect(0);
    two.a.git(&["clone", "-q", "../server.git", "../stranger"]);
    two.a.git(&["-C", "../stranger", "push", "-q", "--mirror", "origin"]);
    let told = json(&two.a.yatsu(&["--format", "json", "share", "check"]).expect(1));
    assert_eq!(told["left"][0]["readings"][0]["scenario"], "renders", "{told}");
    assert_eq!(last(&two.a.yatsu(&["share", "check", "--heal"]).expect(0)), "all 1 there; pushed 1 (12 B)");
    assert_eq!(last(&other(&two).yatsu(&["share", "get"]).expect(0)), "got 1 (12 B), 0 here already");
}

#[test]
fn a_branch_that_is_not_here_is_no_all_clear() {
    let two = sharing();
    two.file("renders", "it rendered\n");
    two.publish();
    two.a.yatsu(&["share", "push"]).expect(0);
    let b = other(&two);
    two.file("scrolls", "it scrolled\n");
    two.publish();
    let said = b.yatsu(&["share", "check"]).expect(3);
    assert!(said.err.contains("refs/heads/main") && said.err.contains("git fetch origin"), "{}", said.err);
    let said = b.yatsu(&["share", "push"]).expect(0);
    assert!(said.out.contains("1 branch of origin not fetched"), "{}", said.out);
}

#[test]
fn a_server_that_is_away_is_exit_3_and_names_no_credential() {
    let two = sharing();
    two.file("renders", "it rendered\n");
    two.publish();
    fs::rename(two.a.base.join("server.git"), two.a.base.join("away.git")).expect("renamed");
    for args in [&["share", "push"][..], &["share", "get"], &["share", "check"], &["share", "on"]] {
        let said = two.a.yatsu(args);
        let is_local = args[1] == "get";
        assert_eq!(said.code, if is_local { 0 } else { 3 }, "{args:?}: {}", said.err);
    }
    two.a.git(&["remote", "set-url", "origin", "http://me:hunter2@127.0.0.1:1/x"]);
    let said = two.a.yatsu(&["share", "push"]).expect(3);
    assert!(!said.err.contains("hunter2"), "{}", said.err);
    two.a.git(&["remote", "set-url", "origin", "ext::touch ../ran"]);
    two.a.yatsu(&["share", "push"]).expect(3);
    assert!(!two.a.base.join("ran").exists());
}

#[test]
fn what_is_too_large_for_a_git_server_stays_and_is_named() {
    let two = sharing();
    let hash = two.file("renders", "x".repeat((10 << 20) + 1));
    two.publish();
    for args in [&["share", "push", "--dry-run"][..], &["share", "push"]] {
        let said = two.a.yatsu(args).expect(1);
        assert!(said.out.contains(&hash[..12]) && said.out.contains("up to 10 MiB"), "{}", said.out);
    }
}

#[test]
fn a_server_that_takes_no_other_refs_keeps_it_in_branches() {
    let two = Two::new();
    two.a.git(&["-C", "../server.git", "config", "receive.hideRefs", "refs/yatsu"]);
    two.a.yatsu(&["share", "on"]).expect(3);
    assert_eq!(two.a.try_git(&["config", "yatsu.share"]).code, 1);
    two.file("renders", "it rendered\n");
    two.publish();
    two.a.yatsu(&["share", "on", "--branches"]).expect(0);
    assert_eq!(last(&two.a.yatsu(&["share", "push"]).expect(0)), "pushed 1 (12 B), 0 there");
    assert!(two.a.git(&["ls-remote", "origin"]).contains("refs/heads/yatsu/"));
    assert_eq!(last(&two.a.yatsu(&["share", "check"]).expect(0)), "all 1 there");
    assert_eq!(two.a.yatsu(&["share", "on", &two.place(), "--branches"]).code, 2);
    two.a.git(&["-C", "../server.git", "config", "--unset", "receive.hideRefs"]);
    let said = other(&two).yatsu(&["share", "get"]).expect(1);
    assert!(said.out.contains("yatsu-hook share on --branches"), "{}", said.out);
}

#[test]
fn a_branch_below_yatsu_that_keeps_no_evidence_is_published_like_any_other() {
    let two = sharing();
    two.file("renders", "it rendered\n");
    two.a.git(&["push", "-q", "origin", "HEAD:refs/heads/yatsu/feature"]);
    assert_eq!(last(&two.a.yatsu(&["share", "push"]).expect(0)), "pushed 1 (12 B), 0 there");
    assert_eq!(last(&two.a.yatsu(&["share", "check"]).expect(0)), "all 1 there");
}

#[test]
fn a_word_of_a_stranger_keeps_no_evidence_from_going() {
    let two = sharing();
    let hash = two.file("renders", "it rendered\n");
    two.publish();
    let server = ["-C", "../server.git"];
    let on_server = |words: &[&str]| two.a.git(&[&server[..], words].concat()).trim().to_owned();
    two.a.write("../else", "something else");
    let other = on_server(&["hash-object", "-w", "../else"]);
    let tree = on_server(&["write-tree"]);
    for kind in ["names", "evidence"] {
        let message = format!("{hash} {other} 12\n");
        let commit = on_server(&[
            "-c",
            "user.name=E",
            "-c",
            "user.email=e@example.invalid",
            "commit-tree",
            &tree,
            "-m",
            &message,
        ]);
        on_server(&["update-ref", &format!("refs/yatsu/{kind}/0123456789abcdef/2026-01"), &commit]);
    }
    assert_eq!(last(&two.a.yatsu(&["share", "push"]).expect(0)), "pushed 1 (12 B), 0 there");
}

#[test]
fn what_a_stranger_took_the_ref_of_away_stays_here() {
    let two = sharing();
    let hash = two.file("renders", "it rendered\n");
    two.publish();
    two.a.yatsu(&["share", "push"]).expect(0);
    let refs = two.a.git(&["ls-remote", "origin", "refs/yatsu/evidence/*"]);
    let name = refs.trim().split('\t').nth(1).expect("a ref").to_owned();
    two.a.git(&["push", "-q", "origin", &format!(":{name}")]);
    let cached = two.a.root.join(".git/spexcode/yatsu-blobs").join(&hash);
    age(&cached);
    two.a.yatsu(&["clean", "--shared"]).expect(0);
    assert!(cached.exists(), "no ref of the server leads to it any more");
    two.a.yatsu(&["share", "check"]).expect(1);
    assert_eq!(last(&two.a.yatsu(&["share", "push"]).expect(0)), "pushed 1 (12 B), 0 there");
    two.a.yatsu(&["clean", "--shared"]).expect(0);
    assert!(!cached.exists());
}

#[test]
fn what_another_machine_put_there_may_go_here_once_its_month_was_read_whole() {
    let two = sharing();
    let hash = two.file("renders", "it rendered\n");
    two.publish();
    two.a.yatsu(&["share", "push"]).expect(0);
    let b = other(&two);
    b.yatsu(&["share", "get"]).expect(0);
    age(&b.cached(&hash));
    b.yatsu(&["clean", "--shared", "--dry-run"]).expect(0);
    assert!(b.cached(&hash).exists());
    b.yatsu(&["clean", "--shared"]).expect(0);
    assert!(!b.cached(&hash).exists());
}

#[test]
fn what_is_given_by_its_id_and_stands_in_no_month_stays_here() {
    let two = sharing();
    let hash = two.file("renders", "it rendered\n");
    two.publish();
    two.a.yatsu(&["share", "push"]).expect(0);
    let b = other(&two);
    // the month's ref and its names are still there, but its commit is empty
    let refs = two.a.git(&["ls-remote", "origin", "refs/yatsu/evidence/*"]);
    let name = refs.trim().split('\t').nth(1).expect("a ref").to_owned();
    let tree = two.a.git(&["hash-object", "-w", "-t", "tree", "/dev/null"]);
    let empty = two.a.git(&["commit-tree", tree.trim(), "-m", "nothing"]);
    two.a.git(&["push", "-qf", "origin", &format!("{}:{name}", empty.trim())]);
    assert_eq!(last(&b.yatsu(&["share", "get"]).expect(0)), "got 1 (12 B), 0 here already");
    age(&b.cached(&hash));
    b.yatsu(&["clean", "--shared"]).expect(0);
    assert!(b.cached(&hash).exists());
}

#[test]
fn what_the_user_configures_for_this_repository_alone_is_seen() {
    let two = sharing();
    two.file("renders", "it rendered\n");
    two.publish();
    let base = format!("file://{}/", two.a.base.display());
    two.a.git(&["remote", "set-url", "origin", "team:server.git"]);
    let file = |name: &str, text: String| fs::write(two.a.home().join(name), text).expect("written");
    file("team", format!("[url \"{base}\"]\n\tinsteadOf = team:\n"));
    let git_dir = two.a.root.join(".git").display().to_string();
    let conditions = [format!("gitdir:{git_dir}"), format!("gitdir/i:{git_dir}"), "onbranch:main".to_owned()];
    // git before 2.32 reads this file whatever GIT_CONFIG_GLOBAL says
    let push = || {
        let mut command = two.a.yatsu_command(&["share", "push"]);
        command.env("GIT_CONFIG_GLOBAL", two.a.home().join(".gitconfig"));
        crate::support::Said::of(command.output().expect("the program runs"))
    };
    file(".gitconfig", String::new());
    push().expect(3);
    for condition in conditions {
        // in the user's file, and in the repository's own
        file(".gitconfig", format!("[includeIf \"{condition}\"]\n\tpath = team\n"));
        assert!(last(&push().expect(0)).ends_with(" there"), "{condition}");
        file(".gitconfig", String::new());
        let own = format!("includeIf.{condition}.path");
        two.a.git(&["config", &own, &two.a.home().join("team").display().to_string()]);
        assert!(last(&push().expect(0)).ends_with(" there"), "{condition}, its own");
        two.a.git(&["config", "--unset", &own]);
    }
}

#[test]
fn a_repository_without_a_remote_is_told_to_name_a_place() {
    let two = Two::new();
    two.a.git(&["remote", "remove", "origin"]);
    let said = two.a.yatsu(&["share", "on"]).expect(2);
    assert!(said.err.contains("no git remote") && said.err.contains("share on PLACE"), "{}", said.err);
    assert_eq!(two.a.yatsu(&["share", "on", "upstream"]).code, 2);
}

#[test]
fn a_piece_that_was_dropped_is_not_sent_again_and_nobody_gets_it() {
    let two = sharing();
    let hash = two.file("renders", "a name that must go\n");
    two.publish();
    two.a.yatsu(&["share", "push"]).expect(0);
    two.a.yatsu(&["share", "drop", &hash[..8], "--reason", "a name"]).expect(0);
    assert_eq!(two.a.yatsu(&["share", "push"]).code, 1, "it stays here, and that is said");
    for args in [&["share", "check"][..], &["share", "check", "--heal"]] {
        let said = two.a.yatsu(args).expect(1);
        assert!(said.out.contains("it was dropped: a name"), "{}", said.out);
        assert!(said.out.contains("yatsu-hook retract board/renders --ts "), "{}", said.out);
        assert!(!said.out.contains("--heal"), "{}", said.out);
    }
    let b = other(&two);
    b.yatsu(&["share", "get"]).expect(1);
    assert!(!b.cached(&hash).exists());
}

#[test]
fn a_drop_says_whether_it_can_come_back_and_whether_a_copy_is_here() {
    let two = sharing();
    let hash = two.file("renders", "a name that must go\n");
    two.publish();
    two.a.yatsu(&["share", "push"]).expect(0);
    fs::remove_file(two.a.root.join(".git/spexcode/yatsu-blobs").join(&hash)).expect("removed");
    let said = two.a.yatsu(&["share", "drop", &hash, "--reason", "a name"]).expect(0);
    assert!(said.out.contains("no push sends the piece again"), "{}", said.out);
    assert!(said.out.contains(&format!("no copy of {hash} is here")), "{}", said.out);
    let there = Two::sharing();
    let hash = there.file("renders", "a name that must go\n");
    there.publish();
    there.a.yatsu(&["share", "push"]).expect(0);
    let said = there.a.yatsu(&["share", "drop", &hash, "--reason", "a name"]).expect(0);
    assert!(said.out.contains("may send it again") && !said.out.contains("no copy of"), "{}", said.out);
}

#[test]
fn whoever_interrupts_a_push_repeats_it_and_all_is_there() {
    let two = sharing();
    two.file("renders", "x".repeat(3_000_000));
    two.file("scrolls", "y".repeat(3_000_000));
    two.publish();
    for hundredths in [2, 5, 9, 14, 20] {
        let mut cut = crate::support::hermetic("timeout", &two.a.home());
        cut.current_dir(&two.a.root).args(["-s", "INT", &format!("0.{hundredths:02}")]);
        cut.arg(crate::support::program()).args(["share", "push"]).output().expect("timeout");
    }
    two.a.yatsu(&["share", "push"]).expect(0);
    assert_eq!(last(&two.a.yatsu(&["share", "check", "--deep"]).expect(0)), "all 2 there");
    assert_eq!(last(&other(&two).yatsu(&["share", "get"]).expect(0)), "got 2 (6.0 MB), 0 here already");
}
