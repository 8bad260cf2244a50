//! Where sharing can be used: every layout of a repository; and that its configuration holds no credentials.

use super::{Two, last};
use crate::support::{Said, Scratch, hermetic, program, scenarios};

#[test]
fn no_credential_is_written_down_or_repeated() {
    let two = Two::new();
    for place in ["https://me:hunter2@host/x", "s3://key:hunter2@bucket/x", "ssh://git:hunter2@host/x"] {
        let said = two.a.yatsu(&["share", "on", place]).expect(2);
        assert!(!said.err.contains("hunter2") && !said.out.contains("hunter2"), "{}", said.err);
        assert_eq!(two.a.try_git(&["config", "yatsu.share"]).code, 1);
        two.a.git(&["config", "yatsu.share", place]);
        let said = two.a.yatsu(&["share", "push"]).expect(2);
        assert!(!said.err.contains("hunter2"), "{}", said.err);
        two.a.git(&["config", "--unset", "yatsu.share"]);
    }
}

#[test]
fn off_leaves_the_remote_as_it_is_and_says_so() {
    let two = Two::sharing();
    let hash = two.file("renders", "it rendered\n");
    two.publish();
    two.a.yatsu(&["share", "push"]).expect(0);
    let said = two.a.yatsu(&["share", "off"]).expect(0);
    assert!(said.out.contains("stays there") && last(&said) == "sharing is off", "{}", said.out);
    assert!(two.piece(&hash).exists());
    assert_eq!(two.a.try_git(&["config", "yatsu.share"]).code, 1);
    assert!(two.a.yatsu(&["share", "off"]).expect(0).out.contains("off before"));
}

#[test]
fn on_says_who_can_read_and_what_would_go_and_sends_nothing() {
    let two = Two::new();
    let hash = two.file("renders", "it rendered\n");
    two.publish();
    let said = two.a.yatsu(&["share", "on", &two.place(), "--dry-run"]).expect(0);
    assert!(last(&said).ends_with("would send 1 (12 B); nothing was changed"), "{}", said.out);
    assert_eq!(two.a.try_git(&["config", "yatsu.share"]).code, 1);
    let said = two.a.yatsu(&["share", "on", &two.place()]).expect(0);
    assert!(said.out.contains("everyone who may read that directory"), "{}", said.out);
    assert!(last(&said).contains("is on; would send 1 (12 B)"), "{}", said.out);
    assert_eq!(two.a.git(&["config", "yatsu.share"]), two.place());
    assert!(!two.piece(&hash).exists());
    assert_eq!(std::fs::read_dir(two.shared()).expect("a directory").count(), 0, "nothing of the probe is left");
}

#[test]
fn a_directory_is_named_from_where_one_stands_and_written_down_from_the_top() {
    let two = Two::new();
    std::fs::create_dir_all(two.a.root.join("src/deep")).expect("a directory");
    for (at, place) in
        [(".", "file:../shared/."), ("src", "file:../.././x/../shared"), ("src/deep", "file:../../../shared/")]
    {
        std::fs::create_dir_all(two.a.base.join("x")).expect("a directory");
        let said = two.a.yatsu(&["-C", at, "share", "on", place]).expect(0);
        assert!(said.out.contains(&format!("sharing through {} is on", two.place())), "{}", said.out);
        assert_eq!(two.a.git(&["config", "yatsu.share"]), two.place());
    }
    assert!(two.a.yatsu(&["share", "on", "--help"]).expect(0).out.contains("from where you stand"));
}

#[test]
fn a_linked_work_tree_and_a_bare_repository_share_too() {
    let two = Two::sharing();
    let hash = two.file("renders", "it rendered\n");
    two.publish();
    two.a.git(&["worktree", "add", "-q", "../linked"]);
    let at = |dir: &str, args: &[&str]| {
        let mut command = hermetic(program(), &two.a.home());
        Said::of(command.current_dir(two.a.base.join(dir)).args(args).output().expect("the program runs"))
    };
    assert_eq!(last(&at("linked", &["share", "push"]).expect(0)), "pushed 1 (12 B), 0 there");
    at("server.git", &["share", "on", &two.place()]).expect(0);
    assert_eq!(last(&at("server.git", &["share", "get"]).expect(0)), "got 1 (12 B), 0 here already");
    assert_eq!(at("server.git", &["evidence", "get", &hash]).expect(0).out, "it rendered\n");
}

#[test]
fn where_there_is_no_remote_every_local_branch_is_published() {
    let s = Scratch::new();
    s.write("src/a.rs", "fn a() {}\n");
    s.write(".spec/board/yatsu.md", scenarios(&[("renders", "src/a.rs")]));
    s.write("../out.txt", "it rendered\n");
    std::fs::create_dir(s.base.join("shared")).expect("a directory");
    s.commit("begin");
    s.yatsu(&["eval", "board", "--pass", "--result", "../out.txt"]).expect(0);
    s.commit("measured");
    s.yatsu(&["share", "on", "file:../shared"]).expect(0);
    assert_eq!(last(&s.yatsu(&["share", "push"]).expect(0)), "pushed 1 (12 B), 0 there");
}
