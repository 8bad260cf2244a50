//! Claims that are shared with other machines: real clones of one bare repository, and the real program.

mod switched;

use super::*;
use std::path::PathBuf;

/// A repository with its board pushed to a bare one beside it, where claims are shared.
pub(super) fn shared() -> Scratch {
    let s = repository();
    s.git(&["init", "-q", "--bare", "-b", "main", "../origin.git"]);
    let url = format!("file://{}", s.base.join("origin.git").display());
    s.git(&["remote", "add", "origin", &url]);
    s.git(&["push", "-q", "origin", "main"]);
    s.git(&["config", "yatsu.claims.shared", "origin"]);
    s
}

/// Another machine: a clone.
pub(super) struct Machine {
    home: PathBuf,
    root: PathBuf,
}

impl Machine {
    pub(super) fn of(s: &Scratch, name: &str) -> Self {
        let url = format!("file://{}", s.base.join("origin.git").display());
        s.git(&["clone", "-q", &url, &format!("../{name}")]);
        let root = s.base.join(name);
        s.git(&["-C", root.to_str().expect("a path"), "config", "yatsu.claims.shared", "origin"]);
        Self { home: s.home(), root }
    }

    pub(super) fn yatsu(&self, args: &[&str]) -> Said {
        let mut command = hermetic(program(), &self.home);
        Said::of(command.current_dir(&self.root).args(args).output().expect("the program runs"))
    }

    fn take(&self, scenario: &str, owner: &str) -> Said {
        self.yatsu(&["claim", "take", "board", "--scenario", scenario, "--as", owner, "--format", "json"])
    }
}

pub(super) fn refs(s: &Scratch) -> String {
    s.git(&["--git-dir", "../origin.git", "for-each-ref", "--format=%(refname) %(contents)", "refs/yatsu"])
}

fn rows(said: &Said) -> Vec<(String, String, String)> {
    let json = validate_published(&said.out);
    let text = |row: &Value, key: &str| row[key].as_str().unwrap_or_default().to_owned();
    let claims = json["claims"].as_array().expect("a list");
    claims.iter().map(|row| (text(row, "scenario"), text(row, "owner"), text(row, "seenBy"))).collect()
}

#[test]
fn two_clones_hold_no_scenario_at_once() {
    let s = shared();
    let other = Machine::of(&s, "other");
    let taken = take(&s, "draws", "Ann").expect(0);
    let public = refs(&s);
    assert!(public.starts_with("refs/yatsu/claims/") && public.contains("\"owner\":\"Ann\""), "{public}");
    assert!(!public.contains(&token(&taken)), "everybody can read it: {public}");
    assert_eq!(s.git(&["for-each-ref", "refs/yatsu"]), "", "nothing of it is in the user's repository");
    refused(other.take("draws", "Bob"), 1, "draws is held by Ann until");
    assert_eq!(
        claimed(&other.yatsu(&["claim", "next", "--as", "Bob", "--format", "json"]).expect(0))["scenario"],
        "sorts"
    );
    let seen = [("draws", "Ann"), ("sorts", "Bob")].map(|(name, who)| (name.into(), who.into(), "origin".into()));
    for said in [s.yatsu(&["claim", "ls", "--format", "json"]), other.yatsu(&["claim", "ls", "--format", "json"])] {
        assert_eq!(rows(&said.expect(0)), seen);
    }
    refused(s.yatsu(&["claim", "next", "--as", "Ann"]), 1, "nothing needs measuring");
    assert_eq!(rows(&s.yatsu(&["claim", "ls", "--local", "--format", "json"]).expect(0)).len(), 1);
    // an ended claim is free, here and there
    s.yatsu(&["claim", "release", &token(&taken)]).expect(0);
    assert!(!refs(&s).contains("Ann"), "{}", refs(&s));
    assert_eq!(claimed(&other.take("draws", "Bob").expect(0))["attempt"], 1);
}

#[test]
fn a_reading_ends_its_claim_there_and_needs_no_remote() {
    let s = shared();
    let other = Machine::of(&s, "other");
    let token = self::token(&take(&s, "draws", "Ann").expect(0));
    let said = eval(&s, &["--claim", &token]).expect(0);
    assert!(!said.err.contains("not confirmed"), "{}", said.err);
    assert_eq!(refs(&s), "");
    let token = self::token(&take(&s, "sorts", "Ann").expect(0));
    s.git(&["config", "remote.origin.url", "file:///nowhere/at/all.git"]);
    let args = ["eval", "board", "--scenario", "sorts", "--pass", "--claim", &token];
    let said = s.yatsu(&args).expect(0);
    assert!(said.err.contains("not confirmed on origin"), "{}", said.err);
    assert_eq!(filed(&s).len(), 2);
    refused(other.take("sorts", "Bob"), 1, "is held by Ann");
    // when the remote is back, the same command ends the claim there too
    s.git(&["config", "remote.origin.url", &format!("file://{}", s.base.join("origin.git").display())]);
    assert!(s.yatsu(&args).expect(0).out.contains("already filed"));
    assert_eq!(refs(&s), "");
}

#[test]
fn a_claim_that_another_machine_has_by_now_files_nothing() {
    let s = shared();
    let other = Machine::of(&s, "other");
    let token = self::token(&take(&s, "draws", "Ann").expect(0));
    let force = ["claim", "release", "--force", "board", "--scenario", "draws", "--reason", "its machine is gone"];
    other.yatsu(&force).expect(0);
    other.take("draws", "Bob").expect(0);
    refused(eval(&s, &["--claim", &token]), 1, "is lost");
    assert_eq!(filed(&s).len(), 0);
    refused(s.yatsu(&["claim", "renew", &token]), 1, "has ended: forced");
    let log = s.yatsu(&["claim", "log"]).expect(0).out;
    assert!(log.contains("lost: origin has the claim for another owner") && log.contains("intended"), "{log}");
}

#[test]
fn a_ref_that_is_gone_is_put_back_by_whoever_renews() {
    let s = shared();
    let other = Machine::of(&s, "other");
    let token = self::token(&take(&s, "draws", "Ann").expect(0));
    let before = refs(&s);
    let name = before.split(' ').next().expect("a name").to_owned();
    s.git(&["push", "-q", "origin", &format!(":{name}")]);
    s.yatsu(&["claim", "renew", &token, "--ttl", "1h"]).expect(0);
    assert!(refs(&s).starts_with(&name));
    refused(other.take("draws", "Bob"), 1, "is held by Ann");
}

#[test]
fn a_lapsed_claim_is_taken_over_by_another_machine_and_a_later_release_keeps_its_attempt() {
    let s = shared();
    s.write("spexcode.json", "{\"yatsu\": {\"claims\": {\"grace\": \"0s\"}}}\n");
    s.commit("no grace");
    s.git(&["push", "-q", "origin", "main"]);
    let other = Machine::of(&s, "other");
    s.yatsu(&["claim", "take", "board", "--scenario", "draws", "--as", "Ann", "--ttl", "1s"]).expect(0);
    let mut said = other.take("draws", "Bob");
    while said.code == 1 {
        said = other.take("draws", "Bob");
    }
    let taken = claimed(&said.expect(0));
    assert_eq!((&taken["event"], &taken["attempt"]), (&"reclaimed".into(), &2.into()));
    other.yatsu(&["claim", "release", taken["token"].as_str().expect("a token")]).expect(0);
    let public = refs(&s);
    assert!(public.contains("\"state\":\"free\"") && public.contains("\"attempt\":2"), "{public}");
    assert_eq!(rows(&s.yatsu(&["claim", "ls", "--format", "json"]).expect(0)), []);
    assert_eq!(claimed(&take(&s, "draws", "Ann").expect(0))["attempt"], 2);
}

#[test]
fn a_claim_that_was_taken_over_and_filed_is_lost_to_its_first_holder() {
    let s = shared();
    s.write("spexcode.json", "{\"yatsu\": {\"claims\": {\"grace\": \"0s\"}}}\n");
    s.commit("no grace");
    s.git(&["push", "-q", "origin", "main"]);
    let other = Machine::of(&s, "other");
    let first = token(
        &s.yatsu(&["claim", "take", "board", "--scenario", "draws", "--as", "Ann", "--ttl", "1s", "--format", "json"])
            .expect(0),
    );
    let mut said = other.take("draws", "Bob");
    while said.code == 1 {
        said = other.take("draws", "Bob");
    }
    let second = token(&said.expect(0));
    other.yatsu(&["eval", "board", "--scenario", "draws", "--pass", "--claim", &second]).expect(0);
    assert!(refs(&s).contains("\"state\":\"free\"") && refs(&s).contains("\"attempt\":1"), "{}", refs(&s));
    let before = refs(&s);
    refused(s.yatsu(&["eval", "board", "--scenario", "draws", "--pass", "--claim", &first]), 1, "lost");
    s.yatsu(&["claim", "renew", &first]).expect(1);
    assert_eq!(refs(&s), before);
    assert_eq!(claimed(&take(&s, "draws", "Ann").expect(0))["attempt"], 1);
}

#[test]
fn a_claim_that_was_ended_by_force_and_filed_elsewhere_does_not_come_back() {
    let s = shared();
    let other = Machine::of(&s, "other");
    let first = token(&take(&s, "draws", "Ann").expect(0));
    let force = ["claim", "release", "--force", "board", "--scenario", "draws", "--reason", "its machine is gone"];
    other.yatsu(&force).expect(0);
    let ends: [&dyn Fn(&str); 3] = [
        &|token| drop(other.yatsu(&["claim", "release", token]).expect(0)),
        &|token| drop(other.yatsu(&["eval", "board", "--scenario", "draws", "--pass", "--claim", token]).expect(0)),
        &|token| drop(other.yatsu(&["eval", "board", "--scenario", "draws", "--fail", "--claim", token]).expect(0)),
    ];
    for end in ends {
        let taken = claimed(&other.take("draws", "Bob").expect(0));
        assert_eq!(taken["attempt"], 1);
        let token = taken["token"].as_str().expect("a token");
        other.yatsu(&["claim", "renew", token]).expect(0);
        end(token);
        assert!(refs(&s).contains("\"state\":\"free\""), "who lost it finds out: {}", refs(&s));
    }
    let before = refs(&s);
    refused(eval(&s, &["--claim", &first]), 1, "is lost");
    s.yatsu(&["claim", "renew", &first]).expect(1);
    assert_eq!((filed(&s).len(), refs(&s)), (0, before));
    // a claim that was merely filed is not reported as lost
    let other_scenario = token(&take(&s, "sorts", "Ann").expect(0));
    s.yatsu(&["eval", "board", "--scenario", "sorts", "--pass", "--claim", &other_scenario]).expect(0);
    assert!(!refs(&s).contains("sorts"), "{}", refs(&s));
}

#[test]
fn a_claim_whose_end_cannot_be_meant_counts_from_when_it_was_first_seen() {
    let s = shared();
    let other = Machine::of(&s, "other");
    take(&s, "draws", "Ann").expect(0);
    // as a machine with a clock years ahead writes it
    let shown = refs(&s);
    let (name, text) = shown.split_once(' ').expect("a claim");
    let (head, until) = text.split_once("\"until\":\"").expect("an end");
    s.write("../note", format!("{head}\"until\":\"2099{}\n", &until[4..]));
    let server = |args: &[&str]| s.git(&[&["--git-dir", "../origin.git"], args].concat());
    let tree = server(&["write-tree"]);
    let commit = server(&["commit-tree", &tree, "-F", "../note"]);
    server(&["update-ref", name, &commit]);
    let held_until = || {
        let said = other.take("draws", "Bob").expect(1).err;
        said.lines().find_map(|line| line.split_once("held by Ann until ")).expect("an end").1.to_owned()
    };
    let first = held_until();
    assert!(!first.starts_with("2099"), "{first}");
    assert_eq!((held_until(), held_until()), (first.clone(), first));
    // a day and more later
    let memo = other.root.join(".git/yatsu/sights-1");
    let seen = std::fs::read_to_string(&memo).expect("the first sight");
    let at = seen.split_once(' ').expect("a moment").1;
    std::fs::write(&memo, seen.replace(&at[..4], "2020")).expect("written");
    let taken = claimed(&other.take("draws", "Bob").expect(0));
    assert_eq!((&taken["event"], &taken["attempt"]), (&"reclaimed".into(), &2.into()));
    // notes that are gone are forgotten
    other.yatsu(&["claim", "ls"]).expect(0);
    assert_eq!(std::fs::read_to_string(&memo).expect("the first sights"), "");
}

#[test]
fn without_the_remote_nothing_is_claimed_but_for_this_repository_alone() {
    let s = shared();
    let other = Machine::of(&s, "other");
    let url = s.git(&["config", "remote.origin.url"]);
    s.git(&["config", "remote.origin.url", "https://user:secret@host.invalid/x.git"]);
    s.git(&["config", "http.proxy", "http://127.0.0.1:1"]);
    for args in [&["claim", "take", "board", "--scenario", "draws"][..], &["claim", "next"], &["claim", "ls"]] {
        let said = s.yatsu(args).expect(3);
        assert!(
            said.err.contains("origin") && said.err.contains("--local") && !said.err.contains("secret"),
            "{}",
            said.err
        );
    }
    assert_eq!(journal(&s), "");
    s.yatsu(&["claim", "take", "board", "--scenario", "draws", "--local", "--as", "Ann"]).expect(0);
    s.git(&["config", "remote.origin.url", &url]);
    assert_eq!(rows(&s.yatsu(&["claim", "ls", "--format", "json"]).expect(0))[0].2, "local");
    assert_eq!(refs(&s), "");
    other.take("draws", "Bob").expect(0);
    s.git(&["config", "yatsu.claims.shared", "nowhere"]);
    let said = take(&s, "sorts", "Ann").expect(2);
    assert!(said.err.contains("there is no remote `nowhere`"), "{}", said.err);
}

#[test]
fn what_is_no_claim_is_said_and_stops_nobody() {
    let s = shared();
    let other = Machine::of(&s, "other");
    let taken = take(&s, "draws", "Ann").expect(0);
    let name = refs(&s).split(' ').next().expect("a name").to_owned();
    s.yatsu(&["claim", "release", &token(&taken)]).expect(0);
    // everyone with push rights can write anything there
    s.git(&["push", "-q", "origin", &format!("main:{name}"), &format!("main:refs/yatsu/claims/{}", "0".repeat(40))]);
    s.git(&["push", "-q", "origin", "main:refs/yatsu/claims/short"]);
    let said = other.yatsu(&["claim", "ls"]).expect(0);
    assert!(said.err.contains(&name) && said.err.contains("is not JSON"), "{}", said.err);
    other.take("sorts", "Bob").expect(0);
    let said = other.take("draws", "Bob").expect(1);
    assert!(
        said.err.contains("has no valid claim") && said.err.contains("claim release --force board/draws"),
        "{}",
        said.err
    );
    other.yatsu(&["claim", "release", "--force", "board", "--scenario", "draws", "--reason", "no claim"]).expect(0);
    other.take("draws", "Bob").expect(0);
}

#[test]
fn a_server_that_takes_no_claim_is_named_with_its_reason() {
    let s = shared();
    s.git(&["--git-dir", "../origin.git", "config", "receive.hideRefs", "refs/yatsu"]);
    let said = take(&s, "draws", "Ann").expect(3);
    assert!(
        said.err.contains("origin does not take the claim") && said.err.contains("deny updating a hidden ref"),
        "{}",
        said.err
    );
    s.git(&["--git-dir", "../origin.git", "config", "--unset", "receive.hideRefs"]);
    take(&s, "draws", "Bob").expect(0);
}

#[test]
fn a_server_that_takes_branches_alone_has_claims_in_branches_and_every_clone_must_say_so() {
    let s = shared();
    let other = Machine::of(&s, "other");
    s.hook("pre-receive", "pre-receive");
    let hooks = s.base.join("origin.git/hooks");
    std::fs::create_dir_all(&hooks).expect("hooks");
    crate::support::copy_executable(&s.root.join(".git/hooks/pre-receive"), &hooks.join("pre-receive"));
    s.git(&["--git-dir", "../origin.git", "config", "receive.hideRefs", "refs/yatsu"]);
    let said = take(&s, "draws", "Ann").expect(3);
    assert!(said.err.contains("git config yatsu.claims.branches true"), "{}", said.err);
    s.git(&["config", "yatsu.claims.branches", "true"]);
    let token = self::token(&take(&s, "draws", "Ann").expect(0));
    let branches = || {
        s.git(&["--git-dir", "../origin.git", "for-each-ref", "--format=%(refname) %(contents)", "refs/heads/yatsu"])
    };
    assert!(branches().starts_with("refs/heads/yatsu/claims/") && refs(&s).is_empty(), "{}", branches());
    // a clone that looks in the other place would hold the scenario too
    let take = ["claim", "take", "board", "--scenario", "draws", "--as", "Bob"];
    for args in [&["claim", "ls"][..], &["claim", "next", "--as", "Bob"], &take] {
        refused(other.yatsu(args), 2, "look where the others do: git config yatsu.claims.branches true");
    }
    s.git(&["-C", "../other", "config", "yatsu.claims.branches", "true"]);
    refused(other.take("draws", "Bob"), 1, "draws is held by Ann until");
    s.yatsu(&["claim", "renew", &token, "--ttl", "1h"]).expect(0);
    eval(&s, &["--claim", &token]).expect(0);
    assert_eq!(branches(), "");
    other.take("draws", "Bob").expect(0);
}

#[test]
fn a_claim_passes_our_own_gate_on_the_server() {
    let s = shared();
    s.hook("pre-receive", "pre-receive");
    let hooks = s.base.join("origin.git/hooks");
    std::fs::create_dir_all(&hooks).expect("hooks");
    crate::support::copy_executable(&s.root.join(".git/hooks/pre-receive"), &hooks.join("pre-receive"));
    let token = self::token(&take(&s, "draws", "Ann").expect(0));
    s.yatsu(&["claim", "renew", &token]).expect(0);
    s.yatsu(&["claim", "release", &token]).expect(0);
    assert_eq!(refs(&s), "");
}

#[test]
fn a_take_that_was_killed_is_completed_by_the_same_command() {
    let s = shared();
    let other = Machine::of(&s, "other");
    // killed after the remote had it: the journal has only the intent
    take(&s, "draws", "Ann").expect(0);
    let text = journal(&s);
    set_journal(&s, text.lines().next().map(|line| format!("{line}\n")).expect("a line").as_str());
    refused(other.take("draws", "Ann"), 1, "is held by Ann");
    refused(take(&s, "draws", "Bob"), 1, "is held by Ann");
    take(&s, "draws", "Ann").expect(0);
    assert_eq!(journal(&s).lines().count(), 2);
    // killed before
    take(&s, "sorts", "Ann").expect(0);
    let text = journal(&s);
    set_journal(&s, &text.lines().take(3).map(|line| format!("{line}\n")).collect::<String>());
    let left: Vec<String> = refs(&s).lines().filter(|line| line.contains("sorts")).map(str::to_owned).collect();
    let name = left[0].split(' ').next().expect("a name");
    s.git(&["push", "-q", "origin", &format!(":{name}")]);
    refused(take(&s, "sorts", "Bob"), 1, "is held by Ann");
    take(&s, "sorts", "Ann").expect(0);
    assert!(refs(&s).contains("sorts"));
}

#[test]
fn a_claim_is_looked_at_where_it_is_pushed_to() {
    let s = shared();
    s.git(&["init", "-q", "--bare", "../fork.git"]);
    let other = Machine::of(&s, "other");
    let fork = format!("file://{}", s.base.join("fork.git").display());
    let root = other.root.to_str().expect("a path").to_owned();
    let push_urls = |args: &[&str]| s.git(&[&["-C", &root, "remote", "set-url", "--push"], args].concat());
    push_urls(&["origin", &fork]);
    // the fork has its own board: its claims are seen, cannot be taken twice and can be released
    let taken = other.take("draws", "Bob").expect(0);
    refused(other.take("draws", "Eve"), 1, "draws is held by Bob until");
    let claims = || s.git(&["--git-dir", "../fork.git", "for-each-ref", "refs/yatsu"]);
    assert!(!claims().is_empty() && refs(&s).is_empty(), "one place is used");
    assert_eq!(rows(&other.yatsu(&["claim", "ls", "--format", "json"]).expect(0))[0].1, "Bob");
    other.yatsu(&["claim", "release", &token(&taken)]).expect(0);
    assert_eq!(claims(), "");
    // with two places to choose from, neither is
    let own = format!("file://{}", s.base.join("origin.git").display());
    push_urls(&["--add", "origin", &own]);
    refused(other.take("draws", "Bob"), 2, "git pushes to 2 places for the remote `origin`");
}

#[test]
fn a_url_in_place_of_the_remotes_name_is_refused_and_not_shown() {
    let s = shared();
    for url in ["http://me:s3cret@127.0.0.1:9/x", "http://127.0.0.1:9/x;password=s3cret"] {
        s.git(&["config", "yatsu.claims.shared", url]);
        let said = s.yatsu(&["claim", "ls"]).expect(2);
        assert!(!format!("{}{}", said.out, said.err).contains("s3cret"), "{}", said.err);
    }
    s.git(&["config", "yatsu.claims.shared", "origin"]);
    for url in
        ["git://me:s3cret@127.0.0.1:9/x", "http://me:p@ss/s3cret@127.0.0.1:9/x", "http://127.0.0.1:9/x;password=s3cret"]
    {
        s.git(&["remote", "set-url", "origin", url]);
        let said = s.yatsu(&["claim", "take", "board", "--scenario", "draws", "--as", "Ann"]).expect(3);
        assert!(!format!("{}{}", said.out, said.err).contains("s3cret"), "{}", said.err);
    }
}

#[test]
fn a_remote_that_was_renamed_is_named_anew_by_the_command_of_the_hint() {
    let s = shared();
    s.git(&["remote", "rename", "origin", "team"]);
    refused(s.yatsu(&["claim", "ls"]), 2, "git config yatsu.claims.shared team");
    s.git(&["config", "yatsu.claims.shared", "team"]);
    s.yatsu(&["claim", "ls"]).expect(0);
}

#[test]
fn who_waits_for_the_remotes_claims_is_told_so() {
    let s = shared();
    let mut command = hermetic(program(), &s.home());
    command.env("YATSU_PROGRESS", "0").current_dir(&s.root).args(["claim", "ls"]);
    let said = Said::of(command.output().expect("the program runs")).expect(0);
    assert!(said.err.contains("asking what is claimed"), "{}", said.err);
}

#[test]
fn share_prune_ends_what_kept_an_attempt_for_a_month() {
    let s = shared();
    let taken = take(&s, "draws", "Ann").expect(0);
    let message = refs(&s);
    let (name, message) = message.split_once(' ').expect("a name and a message");
    let free = message.replace("\"state\":\"held\"", "\"state\":\"free\"");
    s.yatsu(&["claim", "release", &token(&taken)]).expect(0);
    s.write("../out.txt", "it draws\n");
    s.yatsu(&["eval", "board", "--scenario", "draws", "--pass", "--result", "../out.txt"]).expect(0);
    s.commit("measured");
    s.git(&["push", "-q", "origin", "main"]);
    s.git(&["config", "yatsu.share", "origin"]);
    let year = &free[free.find("\"ts\":\"").expect("a time") + 6..][..4];
    for (message, is_kept) in [(free.clone(), true), (free.replace(&format!("\"{year}-"), "\"2020-"), false)] {
        assert!(message.contains("\"state\":\"free\""), "{message}");
        let tree = s.git(&["--git-dir", "../origin.git", "write-tree"]);
        let note = s.git(&["--git-dir", "../origin.git", "commit-tree", &tree, "-m", message.trim_end()]);
        s.git(&["--git-dir", "../origin.git", "update-ref", name, &note]);
        let said = s.yatsu(&["share", "prune", "--before", "2021-01"]).expect(0);
        assert_eq!((refs(&s).is_empty(), said.out.contains("1 free claim")), (!is_kept, !is_kept), "{}", said.out);
    }
}
