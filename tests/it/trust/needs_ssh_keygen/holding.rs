//! When a signature holds: the key, the line, the place, the project and the time.

use super::{ByHand, INDEPENDENT, JUDGES, LEDGER, SIGNED, Team};
use crate::support::{Said, fed, findings, scenarios, seconds_ahead};

const UNSIGNED: &str = "no known key signed the pass, and yatsu.trust asks for a signed pass";

// T6
#[test]
#[ignore = "needs ssh-keygen"]
fn a_change_that_admits_its_own_key_is_judged_without_it() {
    let team = Team::with_policy(SIGNED);
    let base = team.head();
    team.s.write(JUDGES, team.s.read(JUDGES) + &team.judge("eve@example.org", "eve"));
    team.edit("changed");
    team.signed_pass(&["eve"]);
    assert_eq!(team.told(&base, "trust-unmet"), [UNSIGNED]);
    let unknown = team.told(&base, "signature-unknown");
    assert!(unknown[0].ends_with("and the base does not know the key"), "{unknown:?}");
    let lowered = team.told(&base, "gate-lowered");
    assert!(lowered[0].starts_with("yatsu.trust.signers gains the line `eve@example.org ssh-ed25519"), "{lowered:?}");
    let after = team.head();
    team.s.write("src/b.rs", "fn b() { 1 }\n");
    team.s.commit("a later change");
    assert_eq!(team.told(&after, "trust-unmet"), [""; 0], "later changes know the key");
}

/// The line and its signature stay in their home, in whatever file.
#[test]
#[ignore = "needs ssh-keygen"]
fn a_signature_holds_after_a_fold_of_either_line() {
    let team = Team::with_policy(SIGNED);
    let base = team.head();
    team.edit("changed");
    team.signed_pass(&["ann"]);
    let ledger = team.s.read(LEDGER);
    let place = |name: &str| LEDGER.replace("yatsu.", &format!("yatsu.{name}."));
    let lines: Vec<&str> = ledger.lines().collect();
    let signature = lines
        .iter()
        .rposition(|line| line.contains("SSH SIGNATURE") || line.contains("\"signature\""))
        .expect("a signature");
    team.s.git(&["rm", "-q", LEDGER]);
    team.s.write(&place("b"), lines[..signature].join("\n") + "\n");
    team.s.write(&place("a"), lines[signature..].join("\n") + "\n");
    team.s.commit("as segments");
    assert_eq!(team.told(&base, "trust-unmet"), [""; 0]);
    team.s.yatsu(&["fold", "--here"]).expect(0);
    team.s.commit("folded");
    assert_eq!(team.told(&base, "trust-unmet"), [""; 0]);
    assert_eq!(team.told(&base, "signature-unknown"), [""; 0]);
}

// T7
#[test]
#[ignore = "needs ssh-keygen"]
fn a_key_that_left_since_does_not_count_although_it_was_there_at_the_fork() {
    let team = Team::with_policy(SIGNED);
    team.s.git(&["checkout", "-qb", "topic"]);
    team.edit("changed");
    team.signed_pass(&["ann"]);
    assert_eq!(team.told("main", "trust-unmet"), [""; 0]);
    team.s.git(&["checkout", "-q", "main"]);
    team.s.write(JUDGES, team.judge("bob@example.org", "bob"));
    team.s.commit("ann leaves");
    team.s.git(&["checkout", "-q", "topic"]);
    assert_eq!(team.told("main", "trust-unmet"), [UNSIGNED]);
}

// T8
#[test]
#[ignore = "needs ssh-keygen"]
fn a_signature_of_another_line_or_in_another_ledger_does_not_hold_and_a_moved_scenario_keeps_its_own() {
    let team = Team::with_policy(SIGNED);
    let base = team.head();
    team.edit("changed");
    team.signed_pass(&["ann"]);
    let ledger = team.s.read(LEDGER);
    let edited = ledger.replacen("\"status\":\"pass\"", "\"status\":\"pass\",\"note\":\"better\"", 1);
    team.s.write(LEDGER, &edited);
    team.s.git(&["commit", "-qa", "--amend", "-m", "edited"]);
    assert_eq!(team.told(&base, "trust-unmet"), [UNSIGNED]);
    assert_eq!(team.told(&base, "signature-unknown"), ["this signature signs no line of this ledger"]);
    team.s.write(LEDGER, &ledger);
    team.s.git(&["commit", "-qa", "--amend", "-m", "as it was"]);
    assert_eq!(team.told(&base, "trust-unmet"), [""; 0]);
    // a copy beside another scenario of the same name and content
    team.s.write(".spec/m/yatsu.md", scenarios(&[("works", "src/a.rs")]));
    team.s.write(".spec/m/yatsu.evals.ndjson", &ledger);
    team.s.commit("copied");
    let copied = findings(&team.s, "trust-unmet", &["--from", &base, "--to", "HEAD"]);
    assert_eq!(copied.iter().filter(|one| one["node"]["id"] == "m" || one["node"] == "m").count(), 1, "{copied:?}");
    assert!(team.told(&base, "signature-unknown").contains(&"this signature was made for another ledger".to_owned()));
    // a whole node that moves
    let here = team.head();
    team.s.git(&["rm", "-rq", ".spec/m"]);
    team.s.git(&["mv", ".spec/n", ".spec/moved"]);
    team.s.commit("moved");
    assert_eq!(team.told(&here, "trust-unmet"), [""; 0]);
    assert_eq!(team.told(&here, "signature-unknown"), [""; 0]);
    assert_eq!(findings(&team.s, "trust-unmet", &["--all"]).len(), 0);
}

/// The words of `home` prove nothing: the ledger there must have held the line.
#[test]
#[ignore = "needs ssh-keygen"]
fn a_signature_for_a_home_that_never_held_its_line_does_not_hold() {
    let team = Team::with_policy(SIGNED);
    let base = team.head();
    team.edit("changed");
    team.signed_pass(&[]);
    team.by_hand("ann", 0, &ByHand { home: ".spec/never", ts: &seconds_ahead(5), ..ByHand::default() });
    let forged = team.s.commit("signed for another place");
    assert_eq!(team.told(&base, "trust-unmet"), [UNSIGNED]);
    assert_eq!(team.told(&base, "signature-unknown"), ["this signature was made for another ledger"]);
    // neither later, nor after the home came and went
    assert_eq!(findings(&team.s, "trust-unmet", &["--all"]).len(), 1);
    team.s.write(".spec/never/yatsu.md", scenarios(&[("works", "src/a.rs")]));
    team.s.write(".spec/never/yatsu.evals.ndjson", "");
    team.s.commit("the home comes");
    team.s.git(&["rm", "-rq", ".spec/never"]);
    team.s.commit("and goes");
    assert_eq!(findings(&team.s, "trust-unmet", &["--all"]).len(), 1);
    assert_eq!(findings(&team.s, "trust-unmet", &["--from", &base, "--to", &forged]).len(), 1);
}

/// A history that is too long for an answer is no answer: neither the advice nor the gate takes the line for one that never was
/// there.
#[test]
#[ignore = "needs ssh-keygen"]
fn a_home_with_too_long_a_history_is_not_judged() {
    let team = Team::with_policy(SIGNED);
    team.signed_pass(&[]);
    team.by_hand("ann", 0, &ByHand { home: ".spec/busy", ts: &seconds_ahead(5), ..ByHand::default() });
    team.s.commit("signed in a place that moved");
    let mut stream = String::new();
    for at in 0..10_001 {
        let from = if at == 0 { "from refs/heads/main^0\n" } else { "" };
        let text = format!("{{\"n\":{at}}}\n");
        let file = format!("M 100644 inline .spec/busy/yatsu.evals.ndjson\ndata {}\n{text}", text.len());
        stream +=
            &format!("commit refs/heads/main\ncommitter a <a@b> {} +0000\ndata 0\n{from}{file}\n", 2_000_000_000 + at);
    }
    stream += "commit refs/heads/main\ncommitter a <a@b> 2000020000 +0000\ndata 0\nD .spec/busy\n\n";
    fed(team.s.git_command(&["fast-import", "--quiet"]), stream).expect(0);
    let said = team.s.yatsu(&["check", "--all"]).expect(0);
    let text = said.out + &said.err;
    assert!(text.contains("more than 10000 commits changed the ledger in .spec/busy"), "{text}");
    assert!(!text.contains("trust-unmet"), "{text}");
    let config = team.s.read("spexcode.json");
    team.s.write("spexcode.json", config.replace("\"trust\"", "\"rules\": {\"trust-unmet\": \"error\"}, \"trust\""));
    let said = team.s.yatsu(&["check", "--all"]).expect(3);
    assert!(said.err.contains("more than 10000 commits changed the ledger in .spec/busy"), "{}", said.err);
}

/// One question about its history answers for all lines of a ledger.
#[test]
#[ignore = "needs ssh-keygen"]
fn the_history_of_a_home_is_listed_once_for_all_lines_that_moved() {
    use std::os::unix::fs::PermissionsExt;
    let team = Team::with_policy(SIGNED);
    // the lines of one ledger in several files
    team.s.git(&["remote", "add", "origin", "../server.git"]);
    let names: Vec<String> = (0..4).map(|at| format!("s{at}")).collect();
    let declared: Vec<(&str, &str)> = names.iter().map(|name| (&**name, "src/a.rs")).collect();
    team.s.write(".spec/n/yatsu.md", scenarios(&declared));
    team.s.commit("four scenarios");
    for name in &names {
        team.s.yatsu(&["eval", &format!("n/{name}"), "--pass"]).expect(0);
        team.sign("ann", &["--scenario", name]).expect(0);
        team.s.commit("measured");
    }
    assert!(crate::support::newest_ledger(&team.s, ".spec/n").contains("/yatsu.2"));
    team.s.git(&["mv", ".spec/n", ".spec/moved"]);
    team.s.commit("moved");
    let (bin, log) = (team.s.home().join("bin"), team.s.home().join("asked"));
    std::fs::create_dir_all(&bin).expect("a directory");
    let git = crate::support::found("git");
    let script = format!("#!/bin/sh\necho \"$*\" >> '{}'\nexec '{}' \"$@\"\n", log.display(), git.display());
    std::fs::write(bin.join("git"), script).expect("a script");
    std::fs::set_permissions(bin.join("git"), std::fs::Permissions::from_mode(0o755)).expect("a mode");
    let path = std::env::var("PATH").expect("a path");
    let mut command = team.s.yatsu_command(&["check", "--all", "--format", "json"]);
    command.env("PATH", format!("{}:{path}", bin.display()));
    let said = Said::of(command.output().expect("it runs")).expect(0);
    assert!(!said.out.contains("trust-unmet"), "{}", said.out);
    let asked = std::fs::read_to_string(&log).expect("questions");
    let full = asked.lines().filter(|line| line.contains("--full-history")).count();
    assert_eq!(full, 1, "{asked}");
}

/// The history of the main branch alone never had the line in the first place.
#[test]
#[ignore = "needs ssh-keygen"]
fn a_signature_that_moved_within_a_merged_branch_holds() {
    let team = Team::with_policy(SIGNED);
    team.s.git(&["checkout", "-qb", "topic"]);
    team.s.write(".spec/z/yatsu.md", scenarios(&[("more", "src/b.rs")]));
    team.s.commit("a new node");
    team.s.yatsu(&["eval", "z", "--pass"]).expect(0);
    team.s.yatsu(&["sign", "z", "--key", &team.key("ann").display().to_string()]).expect(0);
    team.s.commit("signed");
    team.s.git(&["mv", ".spec/z", ".spec/moved"]);
    team.s.commit("moved");
    team.s.git(&["checkout", "-q", "main"]);
    team.edit("main goes on");
    team.s.git(&["merge", "-q", "--no-ff", "--no-edit", "topic"]);
    let unmet = findings(&team.s, "trust-unmet", &["--all"]);
    assert!(unmet.iter().all(|one| one["scenario"] != "more"), "{unmet:?}");
}

// T8
#[test]
#[ignore = "needs ssh-keygen"]
fn a_scenario_that_moves_alone_takes_copies_of_its_signatures_along() {
    let team = Team::with_policy(SIGNED);
    super::two_scenarios(&team.s);
    team.s.yatsu(&["eval", "n/works", "--pass"]).expect(0);
    team.s.yatsu(&["eval", "n/more", "--pass"]).expect(0);
    team.sign("ann", &[]).expect(0);
    let base = team.s.commit("measured");
    let ledger = team.s.read(LEDGER);
    let of = |name: &str| {
        ledger
            .lines()
            .filter(|line| line.contains(&format!("\"scenario\":\"{name}\"")))
            .map(|line| format!("{line}\n"))
            .collect::<String>()
    };
    let signature = format!("{}\n", ledger.lines().find(|line| line.contains("signature")).unwrap_or_default());
    team.s.write(".spec/n/yatsu.md", scenarios(&[("works", "src/a.rs")]));
    team.s.write(".spec/o/yatsu.md", scenarios(&[("more", "src/b.rs")]));
    team.s.write(LEDGER, of("works") + &signature);
    team.s.write(".spec/o/yatsu.evals.ndjson", of("more"));
    team.s.commit("moved without its signature");
    assert_eq!(team.since(&base, "ledger-history").len(), 1);
    team.s.write(".spec/o/yatsu.evals.ndjson", of("more") + &signature);
    team.s.git(&["commit", "-qa", "--amend", "-m", "moved"]);
    for rule in ["ledger-history", "trust-unmet", "signature-unknown", "signature-broken"] {
        assert_eq!(team.told(&base, rule), [""; 0], "{rule}");
    }
}

// T9
#[test]
#[ignore = "needs ssh-keygen"]
fn a_signature_for_another_project_does_not_hold() {
    let team = Team::with_policy(SIGNED);
    let config = team.s.read("spexcode.json").replace("\"signers\"", "\"project\": \"urn:ours\", \"signers\"");
    team.s.write("spexcode.json", config);
    let base = team.s.commit("a project");
    team.edit("changed");
    team.signed_pass(&["ann"]);
    assert_eq!(team.told(&base, "trust-unmet"), [""; 0], "sign takes the name from the main branch");
    assert!(team.last_line().contains("\"project\":\"urn:ours\""));
    for project in [None, Some("urn:theirs")] {
        team.s.git(&["reset", "-q", "--hard", &base]);
        team.edit("changed");
        team.s.yatsu(&["eval", "n", "--pass"]).expect(0);
        team.by_hand("ann", 0, &ByHand { project, ts: &seconds_ahead(5), ..ByHand::default() });
        team.s.commit("signed elsewhere");
        assert_eq!(team.told(&base, "trust-unmet"), [UNSIGNED], "{project:?}");
        assert_eq!(team.told(&base, "signature-unknown"), ["this signature is for another project"]);
    }
}

// T10
#[test]
#[ignore = "needs ssh-keygen"]
fn a_signature_for_another_use_of_the_key_is_an_error() {
    let team = Team::with_policy(SIGNED);
    let base = team.head();
    team.s.yatsu(&["eval", "n", "--pass"]).expect(0);
    team.by_hand("ann", 0, &ByHand { namespace: "git", ts: &seconds_ahead(5), ..ByHand::default() });
    team.s.git(&["add", "-A"]);
    let said = team.s.yatsu(&["pre-commit"]).expect(1);
    assert!(
        said.err.contains("error[signature-broken]") && said.err.contains("is for `git` and not for yatsu-hook"),
        "{}",
        said.err
    );
    team.s.commit("lifted");
    assert_eq!(team.since(&base, "signature-broken").len(), 1);
    assert_eq!(team.told(&base, "trust-unmet"), [UNSIGNED]);
}

// T11
#[test]
#[ignore = "needs ssh-keygen"]
fn a_corrupted_signature_is_an_error_when_added_and_nothing_when_it_is_old() {
    let team = Team::with_policy(SIGNED);
    let base = team.head();
    team.s.yatsu(&["eval", "n", "--pass"]).expect(0);
    team.sign("ann", &[]).expect(0);
    let line = team.last_line();
    let (before, sig) = line.split_once("\"sig\":\"").expect("a signature");
    let at = sig.len() - 20;
    let other = if &sig[at..=at] == "A" { "B" } else { "A" };
    let flipped = format!("{}{other}{}", &sig[..at], &sig[at + 1..]);
    for (wrong, rule) in [
        (format!("{before}\"sig\":\"{flipped}"), "signature-broken"),
        (format!("{before}\"sig\":\"U1NIU0lH\"}}"), "signature-broken"),
        (line.replacen("\"ts\":\"20", "\"ts\":\"19", 1), "signature-broken"),
        // the same values, in other bytes than the signed ones
        (line.replacen("\"home\":", "\"home\": ", 1), "signature-broken"),
        (line.replacen("signature", "\\u0073ignature", 1), "signature-broken"),
        (format!("{before}\"sig\":\"no base64!\"}}"), "ledger-schema"),
        (format!("{{\"sig\":\"U1NI\",{}}}", before.trim_start_matches('{').trim_end_matches(',')), "ledger-schema"),
    ] {
        team.replace_last(&wrong);
        team.s.git(&["add", "-A"]);
        let said = team.s.yatsu(&["pre-commit"]).expect(1);
        assert!(said.err.contains(&format!("error[{rule}]")), "{wrong}: {}", said.err);
    }
    let filed = team.s.commit("anyway");
    assert_eq!(team.told(&base, "trust-unmet"), [UNSIGNED]);
    team.s.write("src/b.rs", "fn b() { 2 }\n");
    team.s.commit("later");
    for rule in ["signature-broken", "ledger-schema"] {
        assert_eq!(team.told(&filed, rule), [""; 0]);
        assert_eq!(findings(&team.s, rule, &["--all"]).len(), 0, "{rule}: a score says nothing about old ones");
    }
}

// T11
#[test]
#[ignore = "needs ssh-keygen"]
fn a_forged_signature_is_an_error_also_where_no_key_counts() {
    let unread = Team::with_policy(SIGNED);
    revoke(&unread, "a line that is no key\n");
    for team in [unread, Team::new()] {
        let base = team.head();
        team.edit("changed");
        team.signed_pass(&["ann"]);
        assert_eq!((team.since(&base, "signature-unknown").len(), team.since(&base, "signature-broken").len()), (1, 0));
        team.replace_last(&team.last_line().replacen("\"home\":", "\"home\": ", 1));
        team.s.git(&["commit", "-qa", "--no-verify", "--amend", "-m", "forged"]);
        assert_eq!((team.since(&base, "signature-unknown").len(), team.since(&base, "signature-broken").len()), (0, 1));
    }
}

fn revoke(team: &Team, content: impl AsRef<[u8]>) {
    let config = team.s.read("spexcode.json");
    if !config.contains("revoked") {
        team.s.write("spexcode.json", config.replace("\"signers\"", "\"revoked\": \"trust/revoked\", \"signers\""));
    }
    team.s.write("trust/revoked", content);
    team.s.commit("revoked");
}

// T12
#[test]
#[ignore = "needs ssh-keygen"]
fn a_revoked_key_never_held_whether_it_is_listed_as_a_key_or_in_a_revocation_list() {
    let team = Team::with_policy(SIGNED);
    team.signed_pass(&["ann"]);
    assert_eq!(findings(&team.s, "trust-unmet", &["--all"]).len(), 0);
    revoke(&team, team.public("bob") + "\n");
    assert_eq!(findings(&team.s, "trust-unmet", &["--all"]).len(), 0);
    revoke(&team, format!("{}\n{} lost\n", team.public("bob"), team.public("ann")));
    assert_eq!(findings(&team.s, "trust-unmet", &["--all"]).len(), 1);
    let (before, list) = (team.head(), team.s.root.join("list").display().to_string());
    team.keygen(&["-q", "-k", "-f", &list, &format!("{}.pub", team.key("ann").display())]).expect(0);
    let bytes = std::fs::read(&list).expect("a list");
    std::fs::remove_file(&list).expect("a file");
    revoke(&team, bytes);
    assert_eq!(findings(&team.s, "trust-unmet", &["--all"]).len(), 1);
    let lowered = team.told(&before, "gate-lowered");
    assert!(lowered[0].starts_with("yatsu.trust.revoked loses keys, or may"), "{lowered:?}");
    let before = team.head();
    revoke(&team, "");
    assert_eq!(team.told(&before, "gate-lowered").len(), 1);
    let later = team.head();
    team.edit("changed");
    team.signed_pass(&["ann"]);
    assert_eq!(team.told(&later, "trust-unmet"), [""; 0]);
    revoke(&team, team.public("ann") + "\n");
    let later = team.head();
    team.s.yatsu(&["eval", "n", "--fail"]).expect(0);
    team.sign("ann", &[]).expect(0);
    team.s.commit("by a revoked key");
    let unknown = team.told(&later, "signature-unknown");
    assert!(unknown[0].ends_with("and the key is revoked"), "{unknown:?}");
}

#[test]
#[ignore = "needs ssh-keygen"]
fn a_revoked_file_with_a_line_that_cannot_be_read_lets_no_key_count_until_it_is_mended() {
    let team = Team::with_policy(SIGNED);
    team.signed_pass(&["ann"]);
    revoke(&team, format!("\u{feff}{}\r\n", team.public("bob")));
    assert_eq!(findings(&team.s, "trust-unmet", &["--all"]).len(), 0, "a mark and line ends of Windows are readable");
    revoke(&team, format!("{}\nann@example.org {}\n", team.public("bob"), team.public("ann")));
    assert_eq!(findings(&team.s, "trust-unmet", &["--all"]).len(), 1);
    let said = team.s.yatsu(&["config", "check"]);
    let text = format!("{}{}", said.out, said.err);
    assert!(
        text.contains("trust/revoked:2: the line is not read as a key: it has no key")
            && text.contains("no key counts"),
        "{text}"
    );
    let base = team.head();
    team.edit("changed");
    team.signed_pass(&["ann"]);
    let unknown = team.told(&base, "signature-unknown");
    assert!(
        unknown[0].ends_with("and no key counts while a line of yatsu.trust.revoked cannot be read"),
        "{unknown:?}"
    );
    let broken = team.head();
    revoke(&team, format!("{}\n", team.public("bob")));
    assert_eq!(team.told(&broken, "gate-lowered"), [""; 0], "to mend it loses no key");
    assert_eq!(findings(&team.s, "trust-unmet", &["--all"]).len(), 0);
}

// T13
#[test]
#[ignore = "needs ssh-keygen"]
fn an_expired_key_holds_for_its_time_and_signs_nothing_new_and_a_backdated_line_does_not_help() {
    let team = Team::new();
    let line = |options: &str| format!("ann@example.org {options} {}\n", team.public("ann"));
    team.admit(&line("valid-before=\"20200101\""), SIGNED);
    let base = team.head();
    team.s.yatsu(&["eval", "n", "--pass"]).expect(0);
    team.s.write(LEDGER, team.s.read(LEDGER).replacen("\"ts\":\"20", "\"ts\":\"19", 1));
    let ledger = team.s.read(LEDGER);
    team.by_hand("ann", 0, &ByHand { ts: "2019-12-31T23:00:00.000Z", ..ByHand::default() });
    team.s.commit("backdated");
    let unknown = team.told(&base, "signature-unknown");
    assert!(unknown[0].ends_with("and the key is not valid any more"), "{unknown:?}");
    assert_eq!(team.told(&base, "trust-unmet"), [UNSIGNED]);
    team.s.write("src/b.rs", "fn b() { 3 }\n");
    team.s.commit("later");
    assert_eq!(findings(&team.s, "trust-unmet", &["--all"]).len(), 0, "what was filed in its time stays");
    team.s.write(LEDGER, &ledger);
    team.by_hand("ann", 0, &ByHand { ts: "2020-01-02T00:00:00.000Z", ..ByHand::default() });
    team.s.commit("too late");
    assert_eq!(findings(&team.s, "trust-unmet", &["--all"]).len(), 1);
    team.s.write(JUDGES, line("valid-after=\"20250101\""));
    team.s.commit("from another day on");
    assert_eq!(findings(&team.s, "trust-unmet", &["--all"]).len(), 1, "too early");
}

// T14
#[test]
#[ignore = "needs ssh-keygen"]
fn a_certificate_counts_by_its_authority_and_its_own_names() {
    let team = Team::new();
    team.admit(&format!("*@example.org cert-authority {}\n", team.public("authority")), SIGNED);
    let base = team.head();
    let authority = team.key("authority").display().to_string();
    let public = |key: &str| format!("{}.pub", team.key(key).display());
    team.keygen(&["-q", "-s", &authority, "-I", "ann", "-n", "ann@example.org", &public("ann")]).expect(0);
    team.edit("changed");
    team.s.yatsu(&["eval", "n", "--pass"]).expect(0);
    let plain = team.sign("ann", &[]).expect(0);
    assert!(plain.err.contains("the main branch does not know the key"), "{}", plain.err);
    team.s.write(LEDGER, team.s.read(LEDGER).lines().next().map(|line| format!("{line}\n")).unwrap_or_default());
    let certificate = public("ann").replace(".pub", "-cert.pub");
    let signed = team.s.yatsu(&["sign", "n", "--key", &certificate]).expect(0);
    assert!(signed.out.contains("(ann@example.org)"), "{} {}", signed.out, signed.err);
    team.s.commit("signed");
    assert_eq!(team.told(&base, "trust-unmet"), [""; 0]);
    // a certificate for a name that the authority may not give
    team.keygen(&["-q", "-s", &authority, "-I", "eve", "-n", "eve@elsewhere", &public("eve")]).expect(0);
    let here = team.head();
    team.edit("changed again");
    team.s.yatsu(&["eval", "n", "--pass"]).expect(0);
    team.s.yatsu(&["sign", "n", "--key", &public("eve").replace(".pub", "-cert.pub")]).expect(0);
    team.s.commit("signed");
    assert_eq!(team.told(&here, "trust-unmet"), [UNSIGNED]);
}

// T15
#[test]
#[ignore = "needs ssh-keygen"]
fn a_committed_signature_cannot_be_stripped() {
    let team = Team::with_policy(SIGNED);
    team.signed_pass(&["ann"]);
    let base = team.head();
    let first = team.s.read(LEDGER).lines().next().map(|line| format!("{line}\n"));
    team.s.write(LEDGER, first.unwrap_or_default());
    team.s.git(&["add", "-A"]);
    assert!(team.s.yatsu(&["pre-commit"]).expect(1).err.contains("ledger-history"));
    team.s.commit("stripped");
    assert_eq!(team.since(&base, "ledger-history").len(), 1);
}

// T16
#[test]
#[ignore = "needs ssh-keygen"]
fn keys_in_a_link_a_directory_or_a_missing_file_are_misuse_before_they_are_on_the_main_branch() {
    for (make, what) in [
        ("ln -s ../src/a.rs trust/allowed_signers", "is a link"),
        ("mkdir -p trust/allowed_signers; echo x > trust/allowed_signers/x", "is a directory"),
        (":", "is not there"),
        ("head -c 1048577 /dev/zero | tr '\\0' '#' > trust/allowed_signers", "1048577 bytes"),
    ] {
        let team = Team::with_policy(SIGNED);
        let base = team.head();
        std::fs::remove_file(team.s.root.join(JUDGES)).expect("a file");
        let script = format!("mkdir -p trust; {make}");
        let mut shell = crate::support::hermetic("sh", &team.s.home());
        assert!(shell.current_dir(&team.s.root).args(["-c", &script]).status().expect("a shell").success());
        team.s.git(&["add", "-A"]);
        let said = team.s.yatsu(&["pre-commit"]).expect(2);
        assert!(said.err.contains(what) && said.err.contains("yatsu.trust.signers"), "{what}: {}", said.err);
        team.s.commit("anyway");
        team.s.yatsu(&["check", "--from", &base, "--to", "HEAD"]).expect(2);
        team.s.yatsu(&["config", "check"]).expect(2);
    }
}

#[test]
#[ignore = "needs ssh-keygen"]
fn config_check_names_a_line_that_admits_nobody() {
    let team = Team::with_policy(INDEPENDENT);
    team.s.write(
        JUDGES,
        format!("{}ann@example.org ssh-ed25519 nonsense\n\"a b\" {}\n", team.s.read(JUDGES), team.public("bob")),
    );
    let said = team.s.yatsu(&["config", "check"]);
    let text = format!("{}{}", said.out, said.err);
    assert!(text.contains("trust/allowed_signers:3: the line is not read as a key"), "{text}");
    assert!(
        text.contains("trust/allowed_signers:4: the line is not read as a key: its principals are quoted"),
        "{text}"
    );
}
