use super::*;
use crate::cli::global::Global;
use clap::error::ErrorKind;
use record::Input;

fn words(line: &str) -> Vec<OsString> {
    line.split_whitespace().map(OsString::from).collect()
}

fn verb(line: &str) -> Verb {
    parse(&words(line)).unwrap_or_else(|error| panic!("{line}: {error}")).verb
}

#[test]
fn the_description_is_consistent() {
    plain_command().debug_assert();
}

/// Every line of one to four of these words, and a few special lines.
fn lines() -> Vec<Vec<OsString>> {
    let vocabulary =
        words("pre-commit pre-merge-commit pre-push pre-receive run check origin --strict -v - -- help -1");
    let mut lines: Vec<Vec<OsString>> = vec![Vec::new(), vec!["pre-push".into(), "".into()]];
    let mut last: Vec<Vec<OsString>> = vec![Vec::new()];
    for _ in 0..4 {
        last = last
            .iter()
            .flat_map(|line| vocabulary.iter().map(|word| [line.as_slice(), std::slice::from_ref(word)].concat()))
            .collect();
        lines.extend(last.iter().filter(|line| hook(line).is_some() || line.len() < 3).cloned());
    }
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStringExt;
        lines.push(vec!["pre-push".into(), OsString::from_vec(b"\xff".to_vec()), "url".into()]);
        lines.push(vec![OsString::from_vec(b"run\xff".to_vec())]);
    }
    lines
}

#[test]
fn the_short_way_says_what_clap_says() {
    let mut short = 0;
    for line in lines() {
        if hook(&line).is_some() {
            short += 1;
            let told = |cli: Result<Cli, clap::Error>| cli.map_err(|error| error.to_string());
            assert_eq!(told(by_clap(&line)), told(parse(&line)), "{line:?}");
        }
    }
    assert!(short > 10, "{short} lines took the short way");
}

#[test]
fn what_git_types_takes_the_short_way() {
    for line in ["pre-commit", "pre-merge-commit", "pre-push origin ssh://x/y", "pre-push", "pre-receive", "run"] {
        assert!(hook(&words(line)).is_some(), "{line}");
    }
}

#[test]
fn flags_are_closed_on_every_verb() {
    for verb in plain_command().get_subcommands() {
        let error = parse(&words(&format!("{} --bogus", verb.get_name()))).expect_err(verb.get_name());
        assert_eq!(error.exit_code(), 2, "{}", verb.get_name());
    }
}

#[test]
fn every_verb_is_there_and_has_examples() {
    let expected = words(
        "new next pre-commit pre-merge-commit pre-push pre-receive run check scan validate begin eval claim runlog goal patch graph sign retract redact clean repair fold \
         merge-ledger evidence share show ls report log export impact units coverage usage explain doctor config completions man help install uninstall agent",
    );
    let command = plain_command();
    let found: Vec<OsString> = command.get_subcommands().map(|verb| verb.get_name().into()).collect();
    assert_eq!(found, expected);
    let nested = command.get_subcommands().flat_map(|verb| verb.get_subcommands());
    for verb in command.get_subcommands().chain(nested) {
        let help = verb.clone().render_long_help().to_string();
        assert!(help.contains("Examples:\n  "), "{help}");
        assert!(verb.get_about().is_some(), "{help}");
    }
}

/// Lines that contradict themselves, lack an argument or have one that no verb knows.
const REFUSED: &[&str] = &[
    "next --limit -1",
    "new --code",
    "",
    "check --staged --all",
    "check --rev a --staged",
    "check --to b",
    "check --to b",
    "check --from a --to b --all",
    "check --from a --to b --rev c",
    "check src",
    "scan --base main",
    "scan --staged --rev a",
    "validate",
    "validate --",
    "eval board --scenario s",
    "eval board --pass --fail",
    "eval board --pass --tokens 1,2",
    "eval board --pass --estimate-tokens prompt.txt",
    "claim",
    "claim release",
    "claim release --force board --scenario s",
    "claim next --export --dry-run",
    "graph",
    "graph lineage",
    "graph lineage goal:a --up --down",
    "graph show --depth 1",
    "graph why",
    "graph diff",
    "graph replay",
    "retract --scenario s --last --ts 1",
    "redact board --scenario s --ts t",
    "redact board --scenario s --reason r",
    "clean --keep-latest --all",
    "clean --undo --all",
    "clean --grace -1",
    "merge-ledger a b c",
    "evidence get abc --force",
    "evidence get abc --kind picture",
    "evidence",
    "share prune",
    "clean --shared --all",
    "share drop abcd",
    "share drop --reason r",
    "share on a b",
    "share get --heal",
    "share push --reason x",
    "config",
    "ls --stale --failing",
    "impact",
    "report --html a.html --badge a.svg",
    "report --pr",
    "report --pr --from a",
    "report --from a --to b",
    "report --html a --limit 5000",
    "report --pr --from a --to b --html c",
    "report --pr --from a --to b --limit 1999",
    "report --pr --from a --to b --page example.org",
    "report --html a --without-evidence --max-size 1",
    "report --badge a.svg --max-size 1",
    "report --pr --from a --to b --max-size 1",
    "report --badge a.svg --links https://github.com/o/r",
    "report --html a --links http://github.com/o/r",
    "impact src/a.ts --staged",
    "impact --staged --base main",
    "completions tcl",
    "install --hooks commit-msg",
    "pre-push a b c",
    "pre-commit a",
    "--format xml check",
];

#[test]
fn what_contradicts_itself_is_refused() {
    for line in REFUSED {
        let error = parse(&words(line)).expect_err(line);
        assert_eq!(error.exit_code(), 2, "{line}");
        assert!(!matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion), "{line}");
    }
}

#[test]
fn global_flags_stand_before_or_after_the_verb() {
    let before = parse(&words("-C dir --format json --color never -q check --staged")).unwrap();
    let after = parse(&words("check --staged -q --color never --format json -C dir")).unwrap();
    assert_eq!(before, after);
    assert!(Global::of(parse(&words("-q check -v")).unwrap().global).is_err());
}

#[test]
fn what_is_judged_is_known_before_anything_is_read() {
    for (line, expected) in [
        ("check", ScopeMode::All),
        ("check --all -- a", ScopeMode::All),
        ("check --staged", ScopeMode::Staged),
        ("check --rev v1", ScopeMode::Rev),
        ("check --from a --to b", ScopeMode::Range),
        ("scan --changed --base x", ScopeMode::All),
        ("scan --changed --staged", ScopeMode::Staged),
        ("scan --tag a --rev v1 --strict board", ScopeMode::Rev),
        ("validate -- a", ScopeMode::Files),
        ("run", ScopeMode::None),
    ] {
        assert_eq!(verb(line).mode(), Some(expected), "{line}");
    }
    assert_eq!(verb("ls").mode(), None);
}

#[test]
fn a_dash_is_standard_input_and_anything_else_a_file() {
    let Verb::Eval(args) = verb("eval board --scenario s --fail --image a --image b --result - --by me") else {
        panic!()
    };
    assert_eq!((args.pass, args.images.len(), args.result), (false, 2, Some(Input::Stdin)));
    let Verb::Evidence(EvidenceArgs::Put { file }) = verb("evidence put f") else { panic!() };
    assert_eq!(file, Input::File("f".into()));
}

#[test]
fn hooks_are_listed_with_commas() {
    let Verb::Install(args) = verb("install --hooks pre-push,pre-commit,pre-push --merge-driver") else { panic!() };
    assert_eq!((args.hooks.map(|hooks| hooks.len()), args.merge_driver), (Some(3), true));
    let Verb::Uninstall(args) = verb("uninstall --global --dry-run") else { panic!() };
    assert!(args.global && args.dry_run);
}

#[test]
fn every_verb_stands_under_one_heading() {
    let grouped: Vec<&str> = Heading::ALL.into_iter().flat_map(Heading::verbs).collect();
    let mut once = grouped.clone();
    once.sort_unstable();
    once.dedup();
    assert_eq!(once.len(), grouped.len(), "each verb once");
    let command = plain_command();
    let mut verbs: Vec<&str> = command.get_subcommands().map(clap::Command::get_name).collect();
    verbs.sort_unstable();
    assert_eq!(once, verbs);
}

#[test]
fn the_first_help_page_is_one_screen() {
    let page = first_page();
    assert!(page.lines().count() <= 24, "{} lines\n{page}", page.lines().count());
    let wide = page.lines().find(|line| line.chars().count() > 96);
    assert_eq!(wide, None);
}

/// What the check of Windows says about a line that clap takes.
fn path_refused(line: &str) -> Option<String> {
    let words = [words("yatsu-hook"), words(line)].concat();
    let matches = plain_command().try_get_matches_from(words).unwrap_or_else(|error| panic!("{line}: {error}"));
    typed_paths::refuse_others(&plain_command(), &matches, crate::sys::opens_another).err().map(|e| e.to_string())
}

#[test]
fn a_typed_device_is_no_file_of_windows() {
    let refused = [
        "eval demo/a --pass --result con",
        "eval demo/a --pass --result COM¹",
        "eval demo/a --pass --image a.png --image aux.md",
        "report --html x:y",
        "report --badge nul.svg",
        "evidence put con",
        "evidence get 00 --output a.",
        "-C nul ls",
        "impact src/a.rs src/prn.c",
        "new demo --code lpt9",
        "eval demo/a --pass --timeline a::$DATA",
    ];
    for line in refused {
        assert!(path_refused(line).is_some(), "{line}");
    }
    insta::assert_snapshot!(path_refused("report --html nul").unwrap(), @"error: nul names no file: Windows opens another thing by it, or alters it");
    let taken =
        ["eval demo/a --pass --result -", "report --html C:/x/y.html", "impact ./src/a.rs", "eval con/a --fail"];
    for line in taken {
        assert_eq!(path_refused(line), None, "{line}");
    }
}
