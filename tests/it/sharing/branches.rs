//! Sharing through a server that takes and shows only branches: evidence and claims are in separate branches.

use super::{Clone, Two, last};
use crate::support::copy_executable;
use std::fs;

/// `a` shares evidence and claims through branches of a server that hides all other refs.
fn in_branches() -> Two {
    let two = Two::new();
    two.a.git(&["remote", "set-url", "origin", &format!("file://{}", two.a.base.join("server.git").display())]);
    on_server(&two, &["config", "transfer.hideRefs", "refs/yatsu"]);
    two.a.git(&["config", "yatsu.claims.shared", "origin"]);
    two.a.yatsu(&["share", "on", "--branches"]).expect(0);
    two
}

fn on_server(two: &Two, words: &[&str]) -> String {
    two.a.git(&[&["-C", "../server.git"], words].concat()).trim().to_owned()
}

/// Our branches on the server, as `<family>/<rest>`.
fn branches(two: &Two) -> Vec<String> {
    let text = on_server(two, &["for-each-ref", "--format=%(refname:lstrip=3)", "refs/heads/yatsu"]);
    text.lines().map(str::to_owned).collect()
}

/// The other machine, with everything that a plain clone fetches.
fn other(two: &Two) -> Clone<'_> {
    let url = two.a.git(&["remote", "get-url", "origin"]);
    two.a.git(&["clone", "-q", &url, "../b"]);
    let b = Clone { two, root: two.a.base.join("b") };
    two.a.git(&["-C", "../b", "config", "yatsu.claims.shared", "origin"]);
    b.yatsu(&["share", "on", "--branches"]).expect(0);
    b
}

#[test]
fn evidence_in_branches_goes_comes_and_is_checked() {
    let two = in_branches();
    let hash = two.file("renders", "it rendered\n");
    two.publish();
    assert_eq!(
        last(&two.a.yatsu(&["share", "push", "--dry-run"]).expect(0)),
        "would push 1 (12 B), 0 there; nothing was sent"
    );
    assert_eq!(last(&two.a.yatsu(&["share", "push"]).expect(0)), "pushed 1 (12 B), 0 there");
    let names = branches(&two);
    assert!(matches!(&names[..], [one, two] if one.starts_with("evidence/") && two.starts_with("names/")), "{names:?}");
    let b = other(&two);
    assert!(b.yatsu(&["show", "board"]).expect(0).out.contains("not here, on origin"));
    assert_eq!(last(&b.yatsu(&["share", "get"]).expect(0)), "got 1 (12 B), 0 here already");
    assert_eq!(b.yatsu(&["evidence", "get", &hash]).expect(0).out, "it rendered\n");
    for machine in
        [last(&b.yatsu(&["share", "check", "--deep"]).expect(0)), last(&two.a.yatsu(&["share", "check"]).expect(0))]
    {
        assert_eq!(machine, "all 1 there");
    }
    // a branch deleted there is healed
    on_server(&two, &["update-ref", "-d", &format!("refs/heads/yatsu/{}", names[0])]);
    two.a.yatsu(&["share", "check"]).expect(1);
    assert_eq!(last(&b.yatsu(&["share", "check", "--heal"]).expect(0)), "all 1 there; pushed 1 (12 B)");
}

#[test]
fn evidence_in_branches_is_pruned_and_dropped() {
    let two = in_branches();
    let [kept, dropped] = [two.file("renders", "it rendered\n"), two.file("scrolls", "a name that must go\n")];
    two.publish();
    two.a.yatsu(&["share", "push"]).expect(0);
    // it has been there since January
    for name in branches(&two) {
        let (old, at) = (format!("refs/heads/yatsu/{name}"), on_server(&two, &["rev-parse", &format!("yatsu/{name}")]));
        let (stem, _) = old.rsplit_once('/').expect("a month");
        on_server(&two, &["update-ref", &format!("{stem}/2026-01"), &at]);
        on_server(&two, &["update-ref", "-d", &old]);
    }
    let b = other(&two);
    let prune = ["share", "prune", "--before", "2026-02"];
    let said = b.yatsu(&[&prune[..], &["--dry-run"]].concat()).expect(0);
    assert_eq!(last(&said), "would prune 0 (0 B) from origin, 2 needed; nothing was deleted");
    assert_eq!(last(&b.yatsu(&prune).expect(0)), "pruned 0 (0 B) from origin, 2 needed");
    assert!(
        branches(&two).len() == 2 && !branches(&two).iter().any(|name| name.ends_with("2026-01")),
        "{:?}",
        branches(&two)
    );
    b.yatsu(&["share", "get", "--all"]).expect(0);
    b.yatsu(&["share", "drop", &dropped, "--reason", "a name"]).expect(0);
    let said = two.a.yatsu(&["share", "push"]).expect(1);
    assert!(said.out.contains("it was dropped: a name"), "{}", said.out);
    let c = b.yatsu(&["share", "check"]).expect(1);
    assert!(c.out.contains(&dropped[..12]) && !c.out.contains(&kept[..12]), "{}", c.out);
}

#[test]
fn claims_are_where_evidence_is() {
    let two = in_branches();
    let b = other(&two);
    let take = |owner: &'static str| ["claim", "take", "board", "--scenario", "renders", "--as", owner];
    two.a.yatsu(&take("Ann")).expect(0);
    let names = branches(&two);
    assert!(matches!(&names[..], [one] if one.starts_with("claims/")), "{names:?}");
    assert!(b.yatsu(&take("Bob")).expect(1).err.contains("is held by Ann until"));
    assert!(b.yatsu(&["claim", "ls"]).expect(0).out.contains("board/renders by Ann"));
    let force = ["claim", "release", "--force", "board", "--scenario", "renders", "--reason", "r"];
    b.yatsu(&force).expect(0);
    b.yatsu(&take("Bob")).expect(0);
    b.yatsu(&force).expect(0);
}

#[test]
fn branches_of_ours_pass_the_gates_and_are_nobodys_work() {
    let two = in_branches();
    two.a.yatsu(&["install"]).expect(0);
    two.a.hook("pre-receive", "pre-receive");
    fs::create_dir_all(two.a.base.join("server.git/hooks")).expect("hooks");
    copy_executable(&two.a.root.join(".git/hooks/pre-receive"), &two.a.base.join("server.git/hooks/pre-receive"));
    two.file("renders", "it rendered, and that took more than thirty-two bytes to tell\n");
    two.publish();
    two.a.yatsu(&["share", "push"]).expect(0);
    two.a.yatsu(&["claim", "take", "board", "--scenario", "renders", "--as", "Ann"]).expect(0);
    // they were fetched like any branch
    two.a.git(&["fetch", "-q", "origin"]);
    assert!(two.a.git(&["branch", "-r"]).contains("origin/yatsu/claims/"));
    for args in [&["check", "--all"][..], &["scan"], &["share", "push", "--all"], &["share", "check"]] {
        two.a.yatsu(args).expect(0);
    }
    let evidence = branches(&two).into_iter().find(|name| name.starts_with("evidence/")).expect("a branch");
    // this branch is no base for work
    two.a.git(&["branch", "-q", "--no-track", "mine", &format!("origin/yatsu/{evidence}")]);
    assert_ne!(two.a.try_git(&["push", "-q", "origin", "mine"]).code, 0);
    two.a.git(&["branch", "-q", "-D", "mine"]);
    two.file("scrolls", "it scrolled\n");
    two.publish();
}
