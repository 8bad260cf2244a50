//! The frame of the command line: help, exit codes, streams that fail, arguments that are not UTF-8, colour.

use crate::support::{Said, Scratch, hermetic, program, validate_published, validate_sarif};
use std::ffi::OsStr;
use std::fs::OpenOptions;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::{Command, Stdio};

fn command(args: &[&str]) -> Command {
    let mut command = hermetic(program(), Path::new("/"));
    command.args(args);
    command
}

fn yatsu(args: &[&str]) -> Said {
    Said::of(command(args).output().expect("the program runs"))
}

/// Runs with standard output on a full device.
fn full(args: &[&str]) -> Said {
    let device = OpenOptions::new().write(true).open("/dev/full").expect("/dev/full");
    Said::of(command(args).stdout(device).output().expect("the program runs"))
}

/// A pipe with a closed reader.
fn broken() -> Stdio {
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    writer.into()
}

#[test]
fn help_explains_exit_codes_and_what_a_pass_does_not_prove() {
    for args in [&["--help"][..], &["help"]] {
        let said = yatsu(args).expect(0);
        assert_eq!(said.err, "");
        for part in [
            "Exit codes",
            "  3  could not check",
            "Exit code 3 blocks",
            "does not prove that the code works",
            "Examples:",
        ] {
            assert!(said.out.contains(part), "{part}\n{}", said.out);
        }
    }
}

#[test]
fn the_help_pages() {
    let pages = [&["-h"][..], &["help", "more"], &["help", "hooks"], &["ls", "-h"], &["graph", "show", "--help"]];
    let said = pages.map(|args| format!("$ yatsu-hook {}\n{}", args.join(" "), yatsu(args).expect(0).out));
    insta::assert_snapshot!(said.join("\n"));
    let said = yatsu(&["help", "claim", "nope"]).expect(2);
    assert_eq!(said.err, "yatsu-hook: there is no verb `claim nope`\n  hint: all verbs: yatsu-hook claim --help\n");
}

mod needs_script {
    use super::*;

    /// The program without a verb, in `dir`, at a terminal made by `script`.
    fn bare(dir: &Path, variable: (&str, &str)) -> (i32, String) {
        let mut command = hermetic("script", Path::new("/"));
        let program = format!("'{}'", program().display());
        let out = command.args(["-qec", &program, "/dev/null"]).env(variable.0, variable.1).current_dir(dir).output();
        let said = Said::of(out.expect("script runs"));
        (said.code, said.out.replace('\r', ""))
    }

    #[test]
    #[ignore = "needs script"]
    fn without_a_verb_a_person_gets_the_score_and_the_next_step_and_a_hook_fails() {
        let scratch = crate::support::Scratch::new();
        let (code, text) = bare(&scratch.base, ("A", "b"));
        assert!(code == 0 && text.starts_with("Keeps a repository honest"), "{code} {text}");
        assert!(text.ends_with("begin: yatsu-hook new NODE --code PATH, then yatsu-hook install\n"), "{text}");
        scratch.write("src/a.rs", "fn a() {}\n");
        scratch.write(".spec/n/yatsu.md", crate::support::scenarios(&[("works", "src/a.rs")]));
        scratch.commit("declare");
        let (code, text) = bare(&scratch.root, ("A", "b"));
        assert!(code == 0 && text.starts_with("1 scenario: 0 fresh"), "{code} {text}");
        assert!(text.contains("yatsu-hook eval"), "the next step: {text}");
        for variable in [("GIT_EXEC_PATH", "/usr/lib"), ("HUSKY", "1"), ("CI", "true")] {
            let (code, text) = bare(&scratch.root, variable);
            assert!(code == 2 && text.contains("Usage: "), "{code} {text}");
        }
        assert_eq!(yatsu(&[]).expect(2).out, "", "no terminal");
    }
}

#[test]
fn help_and_version_go_to_standard_output() {
    let said = yatsu(&["scan", "--help"]).expect(0);
    assert!(said.out.contains("yatsu-hook scan --changed --tag cli") && said.err.is_empty(), "{}", said.out);
    let said = yatsu(&["--version"]).expect(0);
    assert_eq!((said.out.as_str(), said.err.as_str()), (concat!("yatsu-hook ", env!("CARGO_PKG_VERSION"), "\n"), ""));
}

#[test]
fn the_whole_help() {
    insta::assert_snapshot!(yatsu(&["--help"]).expect(0).out);
    insta::assert_snapshot!(yatsu(&["check", "--help"]).expect(0).out);
    insta::assert_snapshot!(yatsu(&["eval", "--help"]).expect(0).out);
}

#[test]
fn misuse_is_exit_2_on_standard_error() {
    for args in [&[][..], &["bogus"], &["check", "--bogus"], &["check", "--staged", "--all"], &["explain", "bogus"]] {
        let said = yatsu(args).expect(2);
        assert_eq!(said.out, "", "{args:?}");
        assert!(!said.err.is_empty(), "{args:?}");
    }
    yatsu(&["clean", "--grace", "1.5"]).expect(2);
    assert_eq!(yatsu(&["-C", "/none\u{1b}", "scan"]).expect(2).err.matches('\u{1b}').count(), 0);
}

/// Every verb refuses a format that it cannot print, and names the ones that it can.
#[test]
fn a_format_that_a_verb_does_not_have_is_refused() {
    let hash = "ab".repeat(32);
    let judging = ["pre-commit", "pre-merge-commit", "pre-push", "pre-receive", "run", "check", "scan", "validate x"];
    let receipts =
        ["eval --pass", "retract --scenario s", "clean", "repair", "evidence put x", "evidence ls", "install"];
    let lists =
        ["explain", "show", "ls", "impact x", "doctor", "config show", "config check", "evidence check", "uninstall"];
    let get = [
        &format!("evidence get {hash} -o x")[..],
        &format!("evidence get {hash}"),
        &format!("evidence get {hash} -o -"),
    ];
    let texts = ["completions bash", "man", "merge-ledger a b c d"];
    let groups: [(&[&str], &[&str]); 5] = [
        (&judging, &["human", "json", "sarif", "github"]),
        (&receipts, &["human", "json"]),
        (&lists, &["human", "json"]),
        (&get, &["human", "json"]),
        (&texts, &["human"]),
    ];
    for (verbs, has) in groups {
        let hint = format!("\n  hint: --format {}\n", has.join(", or --format "));
        for (verb, format) in verbs.iter().flat_map(|verb| ["json", "sarif", "github"].map(|format| (verb, format))) {
            let args: Vec<&str> = ["-C", "/", "--format", format].into_iter().chain(verb.split(' ')).collect();
            let said = yatsu(&args);
            assert_eq!(said.err.contains("has no format"), !has.contains(&format), "{args:?}: {}", said.err);
            if !has.contains(&format) {
                let said = said.expect(2);
                // a program reads the refusal as a document
                assert!(said.out.is_empty() == (format != "json"), "{args:?}: {}", said.out);
                assert!(said.err.contains(&hint), "{args:?}: {}", said.err);
            }
        }
    }
}

#[test]
fn verbs_from_elsewhere_are_told_ours() {
    for verb in ["status", "verify"] {
        for args in [&[verb][..], &["--format", "json", verb, "--all"]] {
            let said = yatsu(args).expect(2);
            assert!(said.err.starts_with(&format!("yatsu-hook: there is no verb `{verb}`\n  hint: ")), "{}", said.err);
            assert!(said.err.contains("yatsu-hook scan\n") && said.err.contains("yatsu-hook check\n"), "{}", said.err);
        }
    }
}

/// The verbs of a family are suggested for a misspelt verb of that family only, and a missing verb is not an unknown one.
#[test]
fn a_misspelt_verb_is_answered_by_its_own_family() {
    for (args, expected) in [
        (&["runlog", "phase", "strat"][..], "there is no verb `runlog phase strat`\n  hint: did you mean start?"),
        (&["claim", "claim"], "there is no verb `claim claim`\n  hint: all verbs: yatsu-hook claim --help"),
        (&["-C", "report", "frob"], "there is no verb `frob`\n  hint: all verbs: yatsu-hook --help"),
        (&["-v"], "'yatsu-hook' requires a subcommand but one was not provided"),
        (&["claim", "--format", "json"], "'yatsu-hook claim' requires a subcommand but one was not provided"),
    ] {
        let said = yatsu(args).expect(2);
        assert!(said.err.contains(expected), "{args:?}: {}", said.err);
    }
}

/// A setting may be named in full, but only one that there is.
#[test]
fn only_settings_that_there_are_are_explained() {
    for known in ["yatsu.claims.grace", "yatsu.evidenceFor.cli", "yatsu.claims.perTag.gpu", "yatsu.rules.yatsu-drift"] {
        yatsu(&["explain", known]).expect(0);
    }
    for unknown in ["mainBranch.foo", "yatsu.rules.yatsu-drfit", "yatsu.stampContent.x", "yatsu.claims.grcae"] {
        yatsu(&["explain", unknown]).expect(2);
    }
}

#[test]
fn a_refused_filing_says_that_nothing_was_filed() {
    // not in the directory of the tests: there `retract` would withdraw what a developer just filed
    let scratch = Scratch::new();
    for args in [&["eval", "board"][..], &["--color", "never", "retract"], &["eval", "--pass", "--fail"]] {
        assert!(scratch.yatsu(args).expect(2).err.ends_with("\nFAILED: nothing filed\n"), "{args:?}");
    }
    for verb in [&["eval", "--pass"][..], &["retract", "--scenario", "s"]] {
        let said = yatsu(&[&["-C", "/no such directory"], verb].concat()).expect(2);
        assert!(said.err.ends_with("\nFAILED: nothing filed\n"), "{}", said.err);
    }
    assert!(!yatsu(&["explain", "evall"]).expect(2).err.contains("FAILED"));
}

#[test]
fn arguments_that_are_no_text_are_refused() {
    let no_text = OsStr::from_bytes(b"\xff\x1b[2J");
    let lines: [&[&OsStr]; 4] = [
        &[no_text],
        &[OsStr::new("scan"), no_text],
        &[OsStr::new("eval"), OsStr::new("--pass"), OsStr::new("--note"), no_text],
        &[OsStr::new("--format"), no_text, OsStr::new("scan")],
    ];
    for line in lines {
        let said = Said::of(command(&[]).args(line).output().expect("the program runs")).expect(2);
        assert_eq!(said.out, "");
        assert!(said.err.starts_with("yatsu-hook: ") && !said.err.contains(['\u{1b}', '\u{9b}']), "{}", said.err);
    }
}

#[test]
fn a_reader_that_went_away_is_nobodys_error() {
    for args in [&["--help"][..], &["man"], &["completions", "bash"], &["explain"], &["--version"]] {
        let said = Said::of(command(args).stdout(broken()).output().expect("the program runs")).expect(0);
        assert_eq!(said.err, "", "{args:?}");
    }
    let status = command(&["check", "--bogus"]).stdout(broken()).stderr(broken()).status().expect("the program runs");
    assert_eq!(status.code(), Some(2));
}

#[test]
fn text_that_cannot_be_written_is_an_error() {
    for args in [&["--help"][..], &["man"], &["completions", "bash"], &["explain"]] {
        let said = full(args).expect(3);
        assert!(said.err.starts_with("yatsu-hook: cannot write to standard output: "), "{args:?} {}", said.err);
    }
}

#[test]
fn closed_streams_change_no_exit_code() {
    for (line, code) in [("--help", 0), ("man", 0), ("explain", 0), ("bogus", 2)] {
        let script = format!("'{}' {line} >&- 2>&-", program().display());
        let said = Said::of(hermetic("sh", Path::new("/")).args(["-c", &script]).output().expect("sh runs"));
        said.expect(code);
    }
}

#[test]
fn rules_are_explained() {
    let one = yatsu(&["explain", "yatsu-drift"]).expect(0);
    assert!(one.out.starts_with("yatsu-drift: ") && one.out.contains("\nWhy: ") && one.out.contains("\nTo mend: "));
    let all = yatsu(&["explain"]).expect(0).out;
    let (rules, _) = all.split_once("\n\n").expect("what else it explains");
    assert_eq!(rules.lines().count(), yatsu_hook::finding::RuleId::ALL.len());
}

#[test]
fn completions_and_the_manual_know_every_verb() {
    for shell in ["elvish", "powershell"] {
        let script = yatsu(&["completions", shell]).expect(0).out;
        assert!(script.contains("merge-ledger") && script.contains("keep-latest"), "{shell}");
    }
    for shell in ["bash", "zsh", "fish"] {
        let script = yatsu(&["completions", shell]).expect(0).out;
        assert!(script.contains(&format!("YATSU_COMPLETE={shell}")), "it asks the program: {script}");
    }
    let page = yatsu(&["man"]).expect(0).out;
    for part in [".TH yatsu-hook 1", "YATSU-HOOK PRE\\-COMMIT", "YATSU-HOOK EVIDENCE PUT", "Exit codes"] {
        assert!(page.contains(part) || page.contains(&part.replace("\\-", "-")), "{part}");
    }
}

#[test]
fn colour_follows_the_flag_then_the_environment() {
    type Row<'a> = (&'a [&'a str], &'a [(&'a str, &'a str)], bool);
    let table: [Row<'_>; 8] = [
        (&[], &[], false),
        (&[], &[("CLICOLOR_FORCE", "1")], true),
        (&[], &[("CLICOLOR_FORCE", "0")], false),
        (&[], &[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")], false),
        (&[], &[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "")], true),
        (&["--color", "always"], &[("NO_COLOR", "1"), ("TERM", "dumb")], true),
        (&["--color", "never"], &[("CLICOLOR_FORCE", "1")], false),
        (&["--color", "auto"], &[("TERM", "xterm-256color")], false),
    ];
    for (flags, env, colored) in table {
        let output = command(flags).args(["-C", "/no such directory", "scan"]).envs(env.iter().copied()).output();
        let said = Said::of(output.expect("the program runs")).expect(2);
        assert_eq!(said.err.contains('\u{1b}'), colored, "{flags:?} {env:?}: {}", said.err);
    }
}

#[test]
fn hooks_are_skipped_on_demand_and_say_so() {
    for verb in ["pre-commit", "pre-merge-commit", "pre-push", "run"] {
        for (name, value) in [("YATSU_HOOK", "0"), ("SKIP", "lint,yatsu-hook")] {
            let said = Said::of(command(&[verb]).env(name, value).output().expect("the program runs")).expect(0);
            assert_eq!((said.out.as_str(), said.err.lines().count()), ("", 1), "{}", said.err);
            assert!(said.err.starts_with("yatsu-hook: not checked: "), "{}", said.err);
        }
    }
    for verb in ["check", "pre-receive"] {
        let said = Said::of(command(&[verb]).env("YATSU_HOOK", "0").output().expect("the program runs"));
        assert!(!said.err.contains("not checked: YATSU_HOOK"), "{}", said.err);
    }
}

/// `/` is no repository, so nothing can be checked there. Every format must say so on its stream.
#[test]
fn what_could_not_be_checked_is_said_in_every_format() {
    let unread: [(&[&str], &str); 4] =
        [(&["check"], "all"), (&["check", "--staged"], "staged"), (&["pre-commit"], "staged"), (&["scan"], "all")];
    for (verb, mode) in unread {
        let said = yatsu(&[&["-C", "/"], verb].concat()).expect(3);
        assert!(said.out.is_empty() && said.err.starts_with("yatsu-hook: could not check: "), "{}", said.err);
        let said = yatsu(&[&["-C", "/", "--format", "json"], verb].concat()).expect(3);
        let json = validate_published(&said.out);
        assert_eq!((&json["verdict"], &json["scope"]["mode"]), (&"unchecked".into(), &mode.into()));
        assert!(said.err.starts_with("yatsu-hook: could not check: "), "{}", said.err);
        let said = yatsu(&[&["-C", "/", "--format", "sarif"], verb].concat()).expect(3);
        assert_eq!(validate_sarif(&said.out)["runs"][0]["invocations"][0]["executionSuccessful"], false);
        let said = yatsu(&[&["-C", "/", "--format", "github"], verb].concat()).expect(3);
        assert!(said.out.starts_with("::error title=could not check::"), "{}", said.out);
    }
}

#[test]
fn lost_output_changes_no_verdict() {
    let said = full(&["-C", "/", "--format", "json", "check"]).expect(3);
    assert!(said.err.contains("yatsu-hook: cannot write to standard output: "), "{}", said.err);
    assert!(said.err.contains("; the exit code stands\n"), "{}", said.err);
    let json = command(&["-C", "/", "--format", "json", "check"]).stdout(broken()).stderr(broken()).status();
    assert_eq!(json.expect("the program runs").code(), Some(3));
}
