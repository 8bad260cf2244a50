//! What `ssh-keygen` says, and what it does not say: an answer is taken from its own words alone, about every line of the
//! judges that names a key.

use super::{JUDGES, LEDGER, SIGNED, Team};
use crate::support::{Dice, Said, executable, findings, found, hermetic, seeds};
use std::collections::{BTreeSet, HashSet};
use std::fs::{self, File};

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
        "exit 139",
        "echo 'Could not verify signature.'; kill -9 $$",
        "echo ann@example.org",
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
    let months = (0..257).map(|month| format!("{}-{:02}-01", 1990 + month / 12, 1 + month % 12));
    let more: Vec<String> = months.map(|day| format!("{before}\"ts\":\"{day}{}\n", &after[8..])).collect();
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

#[test]
#[ignore = "needs ssh-keygen"]
fn one_question_is_asked_about_a_key_however_many_lines_name_it() {
    let team = Team::new();
    let public = team.public("ann");
    let many: String = (0..400).map(|number| format!("ann{number}@example.org {public}\n")).collect();
    let expired = format!("old@example.org valid-before=\"20200101\" {public}\n");
    team.admit(&[many, expired, team.judge("ann@example.org", "ann")].concat(), SIGNED);
    team.edit("changed");
    team.signed_pass(&["ann"]);
    let asked = team.s.home().join("asked");
    let script = format!("echo \"$*\" >>'{}'; exec '{}' \"$@\"", asked.display(), found("ssh-keygen").display());
    fs::remove_dir_all(team.s.root.join(".git/yatsu")).expect("the memo");
    team.with_keygen(&script, &["scan"]).expect(0);
    let questions = fs::read_to_string(&asked).expect("questions");
    assert_eq!(questions.lines().count(), 2, "one for the lines without options, one for the other: {questions}");
    team.with_keygen(&script, &["scan"]).expect(0);
    assert_eq!(fs::read_to_string(&asked).expect("questions"), questions, "the answers are remembered");
}

#[test]
#[ignore = "needs ssh-keygen"]
fn a_key_that_the_base_admits_under_many_options_is_not_asked_about() {
    let team = Team::with_policy(SIGNED);
    let public = team.public("ann");
    team.edit("changed");
    team.signed_pass(&["ann"]);
    let line = |day: usize| format!("ann@example.org valid-before=\"209901{day:02}\" {public}\n");
    let sign = |options: usize| {
        team.s.write(JUDGES, (1..=options).map(line).collect::<String>());
        team.s.commit("many options");
        team.s.yatsu(&["sign", "n", "--key", &team.key("ann").display().to_string()])
    };
    let said = sign(17).expect(3);
    assert!(said.err.contains("under more than 16 different options"), "{}", said.err);
    sign(16).expect(0);
}

/// A signature at the end of a ledger, for questions by hand.
struct SignedBytes {
    ledger: String,
    armour: String,
    message: String,
    /// `YYYYMMDDHHMMSS`.
    time: String,
    is_certified: bool,
}

impl SignedBytes {
    fn of(ledger: String, is_certified: bool) -> Self {
        let signed = ledger.lines().last().unwrap_or_default();
        let (before, after) = signed.split_once(",\"sig\":\"").expect("a signature");
        let base64 = after.trim_end_matches("\"}").as_bytes().chunks(70).map(String::from_utf8_lossy);
        let lines = base64.collect::<Vec<_>>().join("\n");
        let armour = format!("-----BEGIN SSH SIGNATURE-----\n{lines}\n-----END SSH SIGNATURE-----\n");
        let ts = before.split("\"ts\":\"").nth(1).expect("a time");
        let time = ts.chars().filter(char::is_ascii_digit).take(14).collect();
        Self { armour, message: format!("{before}}}\n"), time, ledger, is_certified }
    }
}

impl Team {
    /// The principals for whom the lines of the judges admit the signature, as a person would find out: each line is asked
    /// alone which principals it names for the key, and then whether it admits each of them.
    fn asked_alone(&self, signed: &SignedBytes, lines: &[String]) -> BTreeSet<String> {
        let [judges, sig, message] = ["one-judge", "one.sig", "message"].map(|name| self.s.home().join(name));
        fs::write(&sig, &signed.armour).expect("a file");
        fs::write(&message, &signed.message).expect("a file");
        let time = format!("-Overify-time={}", signed.time);
        let mut admitted = BTreeSet::new();
        for line in lines.iter().collect::<HashSet<_>>() {
            fs::write(&judges, format!("{line}\n")).expect("a file");
            let asked = |verb: &str, more: &[&str]| {
                let mut command = hermetic("ssh-keygen", &self.s.home());
                command.args(["-Y", verb, &time]).args(more).arg("-f").arg(&judges).arg("-s").arg(&sig);
                Said::of(command.stdin(File::open(&message).expect("a file")).output().expect("ssh-keygen runs"))
            };
            let named = asked("find-principals", &[]).out;
            for name in named.lines().filter(|name| !name.starts_with('!')) {
                if asked("verify", &["-n", "yatsu-hook", "-I", name]).code == 0 {
                    admitted.insert(name.to_owned());
                }
            }
        }
        admitted
    }

    /// The ledger after a pass that this key or certificate signed.
    fn signed_by(&self, key: &str) -> SignedBytes {
        let _ = fs::remove_file(self.s.root.join(LEDGER));
        self.s.yatsu(&["eval", "n", "--pass"]).expect(0);
        self.s.yatsu(&["sign", "n", "--key", key]).expect(0);
        SignedBytes::of(self.s.read(LEDGER), key.ends_with(".pub"))
    }

    /// Signatures by Ann's key, and by it with certificates of several names and times.
    fn signatures(&self) -> Vec<SignedBytes> {
        let known = format!("* cert-authority {}\n", self.public("authority"));
        self.s.write(JUDGES, self.judge("ann@x", "ann") + &known);
        self.s.commit("known keys");
        self.edit("changed");
        let (ann, authority) = (self.key("ann").display().to_string(), self.key("authority").display().to_string());
        let mut all = vec![self.signed_by(&ann)];
        for names in ["ann@x", "a,an*,!a@x,ann@x", "\u{e9}@x,Ann@X,-a,a", "n,a?", "*", "an,ann,annn,N@x"] {
            self.keygen(&["-q", "-s", &authority, "-I", "a", "-n", names, &format!("{ann}.pub")]).expect(0);
            all.push(self.signed_by(&format!("{ann}-cert.pub")));
        }
        all
    }
}

/// Names and patterns that often meet.
const KNOWN: &str = "a n an ann@x Ann@X * ? a* a? *@x *n ??n !a !n !*@x !? !a* !*n !ann@x !ANN@x !\u{e9}@x !?? -a";

/// A random line of the judges, mostly about the key that made the signature.
fn random_line(dice: &mut Dice, team: &Team, signed: &SignedBytes) -> String {
    let parts = ["a", "n", "ann", "*", "?", "@x", "\u{e9}", "N", "!", "-", "**", "[a]", "\\", "~"];
    let name = |dice: &mut Dice| {
        if dice.roll(4) > 0 {
            return dice.pick(&KNOWN.split(' ').collect::<Vec<_>>()).to_owned();
        }
        let text: String = (0..1 + dice.roll(3)).map(|_| dice.pick(&parts)).collect();
        if text.trim_start_matches('!').is_empty() { "*".to_owned() } else { text }
    };
    let names = (0..1 + dice.roll(5)).map(|_| name(dice)).collect::<Vec<_>>().join(",");
    let near = |seconds: i64| (signed.time.parse::<i64>().expect("a time") / 100 * 100 + seconds).to_string();
    let at = signed.time.clone();
    let (years, days) = (["20200101", "20990101"].map(str::to_owned), at[..12].to_owned());
    let times = [&[near(0), near(60), at, days], &years[..]].concat();
    let spaces =
        ["git", "yatsu-hook", "yatsu*,!git", "*,!yatsu-hook", "YATSU-HOOK", "y?tsu-hook,git", "!*", "yatsu-hook, git"];
    let mut options = Vec::new();
    let is_authority = (dice.roll(8) == 0) != signed.is_certified;
    if is_authority {
        options.push(dice.pick(&["cert-authority", "Cert-Authority"]).to_owned());
    }
    let time = times[dice.roll(times.len())].clone();
    let of_time = ["valid-after", "VALID-before"].map(|name| format!("{name}=\"{time}\""));
    let both = "valid-before=\"20990101\",valid-after=\"20200101\"";
    for option in [format!("namespaces=\"{}\"", dice.pick(&spaces)), of_time[dice.roll(2)].clone(), both.to_owned()] {
        if dice.roll(8) == 0 && !(option == both && options.iter().any(|known| of_time.contains(known))) {
            options.insert(dice.roll(options.len() + 1), option);
        }
    }
    let key = if dice.roll(8) == 0 { "bob" } else { ["ann", "authority"][usize::from(is_authority)] };
    let options = if options.is_empty() { String::new() } else { format!("{} ", options.join(",")) };
    format!("{names} {options}{}{}", team.public(key), dice.pick(&["", "", " a comment", " ann@x"]))
}

/// Lines that admit nobody here, although `ssh-keygen` reads some of them.
const NO_LINES: [&str; 5] = ["", "# ann@x", "\"ann@x\" KEY", "ann@x restrict KEY", "ann@x"];

#[test]
#[ignore = "needs ssh-keygen"]
fn whom_the_lines_admit_is_what_asking_about_each_line_alone_gives() {
    let team = Team::with_policy(SIGNED);
    let signatures = team.signatures();
    let mut admitted = 0;
    for seed in seeds(40, 3000) {
        println!("YATSU_SEED={seed}");
        let mut dice = Dice(seed);
        let signed = &signatures[if dice.roll(3) == 0 { 0 } else { dice.roll(signatures.len()) }];
        let mut lines: Vec<String> = (0..1 + dice.roll(5)).map(|_| random_line(&mut dice, &team, signed)).collect();
        if dice.roll(4) == 0 {
            lines.push(lines[0].clone());
        }
        let expected = team.asked_alone(signed, &lines).into_iter().collect::<Vec<_>>().join(",");
        let junk = dice.pick(&NO_LINES).replace("KEY", &team.public("ann"));
        lines.insert(dice.roll(lines.len() + 1), junk);
        let text: String = lines.iter().map(|line| format!("{line}{}", dice.pick(&["\n", "\n", "\r\n"]))).collect();
        team.s.write(JUDGES, &text);
        team.s.write(LEDGER, &signed.ledger);
        team.s.commit("other lines");
        let shown = team.s.yatsu(&["ls", "n", "--format", "json"]).expect(0).out;
        let shown = serde_json::from_str::<serde_json::Value>(&shown).expect("JSON").to_string();
        let principal =
            shown.split("\"principal\":\"").nth(1).map_or("", |rest| rest.split('"').next().unwrap_or_default());
        assert_eq!(principal.replace("\\\\", "\\"), expected, "{text}\n{shown}");
        admitted += usize::from(!expected.is_empty());
    }
    assert!(admitted > 8, "{admitted} of the lists admit somebody");
}
