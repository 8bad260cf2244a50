//! What `ssh-keygen` says, and what it does not say: an answer is taken from its own words alone, about every line of the
//! judges that names a key.

use super::{JUDGES, LEDGER, SIGNED, Team};
use crate::support::{Said, executable, findings};

impl Team {
    /// Runs the program with this script as `ssh-keygen`.
    fn with_keygen(&self, script: &str, args: &[&str]) -> Said {
        let bin = self.s.home().join("other-keygen");
        std::fs::create_dir_all(&bin).expect("a directory");
        executable(&bin.join("ssh-keygen"), &format!("#!/bin/sh\n{script}\n"));
        let path =
            std::env::join_paths(std::iter::once(bin).chain(std::env::split_paths(crate::support::search_path())));
        let mut command = self.s.yatsu_command(args);
        Said::of(command.env("PATH", path.expect("a path")).output().expect("the program"))
    }
}

#[test]
#[ignore = "needs ssh-keygen"]
fn a_program_that_gives_no_answer_denies_no_signature() {
    let team = Team::with_policy(SIGNED);
    let base = team.head();
    team.edit("changed");
    team.signed_pass(&["ann"]);
    let check = ["check", "--from", &base, "--to", "HEAD"];
    for script in [
        "exit 1",
        "exit 0",
        "kill -9 $$",
        "echo 'unknown option -- Y' >&2; exit 1",
        "echo 'ssh-keygen: error while loading shared libraries: libcrypto.so.3' >&2; exit 127",
        "echo 'sshbuf_new failed' >&2; echo 'No principal matched.' >&2; exit 255",
        // it finds the principals, and crashes when it verifies
        "case \"$*\" in *find-principals*) echo ann@example.org ;; *) exit 139 ;; esac",
        "case \"$*\" in *find-principals*) echo ann@example.org ;; *) echo 'Could not verify signature.'; kill -9 $$ ;; esac",
    ] {
        let _ = std::fs::remove_dir_all(team.s.root.join(".git/yatsu"));
        let said = team.with_keygen(script, &check).expect(3);
        assert!(said.err.contains("ssh-keygen gave no answer about a signature"), "{script}: {}", said.err);
        for word in ["signature-unknown", "signature-broken", "trust-unmet"] {
            assert!(!said.out.contains(word) && !said.err.contains(word), "{script}: {} {}", said.out, said.err);
        }
    }
    assert_eq!(team.told(&base, "trust-unmet"), [""; 0], "nothing of that was remembered");
}

#[test]
#[ignore = "needs ssh-keygen"]
fn every_line_that_names_a_key_is_asked() {
    let team = Team::new();
    let public = team.public("ann");
    let line = |names: &str, options: &str| format!("{names} {options} {public}\n");
    team.admit(&line("ann@example.org", ""), SIGNED);
    team.edit("changed");
    team.signed_pass(&["ann"]);
    for (name, lines) in [
        ("ann@example.org", line("old@example.org", "valid-before=\"20200101\"") + &line("ann@example.org", "")),
        (
            "ann@example.org",
            line("git@example.org", "namespaces=\"git\"") + &line("ann@example.org", "namespaces=\"yatsu-hook\""),
        ),
        ("ann@example.org", line("ca@example.org", "cert-authority") + &line("ann@example.org", "")),
        ("ann@example.org", line("!ann@example.org", "") + &line("ann@example.org", "")),
        ("*@example.org", line("ann@example.org", "namespaces=\"file\"") + &line("*@example.org", "")),
        ("ann@example.org,eve@example.org", line("eve@example.org", "") + &line("ann@example.org", "")),
    ] {
        for lines in [lines.clone(), lines.lines().rev().map(|line| format!("{line}\n")).collect()] {
            team.s.write(JUDGES, &lines);
            team.s.commit("other lines");
            assert_eq!(findings(&team.s, "trust-unmet", &["--all"]).len(), 0, "{lines}");
            let shown = team.s.yatsu(&["ls", "n", "--format", "json"]).expect(0).out;
            let shown: serde_json::Value = serde_json::from_str(&shown).expect("JSON");
            assert!(shown.to_string().contains(&format!("\"principal\":\"{name}\"")), "{lines}: {shown}");
        }
    }
    for lines in [
        line("ann@example.org", "cert-authority"),
        line("!ann@example.org", ""),
        line("ann@example.org", "namespaces=\"git\""),
    ] {
        team.s.write(JUDGES, &lines);
        team.s.commit("other lines");
        assert_eq!(findings(&team.s, "trust-unmet", &["--all"]).len(), 1, "{lines}");
    }
}

#[test]
#[ignore = "needs ssh-keygen"]
fn a_certificate_is_asked_about_at_every_line_of_its_authority() {
    let team = Team::new();
    let authority =
        |names: &str, options: &str, key: &str| format!("{names} cert-authority{options} {}\n", team.public(key));
    team.admit(
        &[
            authority("*@elsewhere.org", "", "authority"),
            authority("*@example.org", ",valid-before=\"20200101\"", "authority"),
            authority("*@example.org", "", "stranger"),
            authority("ann@*", "", "authority"),
        ]
        .concat(),
        SIGNED,
    );
    let base = team.head();
    let public = format!("{}.pub", team.key("ann").display());
    let key = team.key("authority").display().to_string();
    team.keygen(&["-q", "-s", &key, "-I", "ann", "-n", "ann@example.org", &public]).expect(0);
    team.edit("changed");
    team.s.yatsu(&["eval", "n", "--pass"]).expect(0);
    let signed = team.s.yatsu(&["sign", "n", "--key", &public.replace(".pub", "-cert.pub")]).expect(0);
    assert!(signed.out.contains("(ann@example.org)"), "{} {}", signed.out, signed.err);
    team.s.commit("signed");
    assert_eq!(team.told(&base, "trust-unmet"), [""; 0]);
}

#[test]
#[ignore = "needs ssh-keygen"]
fn any_number_of_new_signatures_is_verified_and_remembered() {
    let team = Team::with_policy(SIGNED);
    let key = team.key("ann").display().to_string();
    team.s.yatsu(&["eval", "n", "--pass"]).expect(0);
    team.s.yatsu(&["sign", "n", "--key", &key]).expect(0);
    let line = team.last_line();
    let (before, after) = line.split_once("\"ts\":\"20").expect("a time");
    let more: Vec<String> = (3000..3257).map(|year| format!("{before}\"ts\":\"{year}{}\n", &after[2..])).collect();
    team.s.write(LEDGER, format!("{}{}", team.s.read(LEDGER), more.concat()));
    team.s.commit("258 signatures");
    let _ = std::fs::remove_dir_all(team.s.root.join(".git/yatsu"));
    let said = team.s.yatsu(&["check", "--all"]).expect(0);
    assert!(!said.out.contains("trust-unmet") && !said.out.contains("not judged"), "{}", said.out);
    // without the program: every answer is remembered
    let again = team.s.yatsu_command(&["check", "--all"]).env("PATH", team.without_keygen()).output();
    let again = again.expect("the program runs");
    assert_eq!(Said::of(again).expect(0).out, said.out);
}
