//! Commands in messages to a user below the top of the work tree, or with `-C`: pasted where the program was called, each
//! command must work.

use crate::support::runlog::begun;
use crate::support::{Said, Scratch, hermetic, program, scenarios, search_path};
use std::path::Path;

/// A current directory with a file name that needs quotes.
const BELOW: &str = "src/in here";

fn repository() -> Scratch {
    let scratch = Scratch::new();
    scratch.write("src/greet.rs", "pub fn greet() {}\n");
    scratch.write(&format!("{BELOW}/deep.rs"), "pub fn deep() {}\n");
    scratch.write(".spec/n/yatsu.md", scenarios(&[("works", "src/greet.rs")]));
    scratch.commit("first");
    scratch
}

/// Runs the program in `dir` of the base directory.
fn called(scratch: &Scratch, dir: &Path, args: &[&str]) -> Said {
    let mut command = hermetic(program(), &scratch.home());
    Said::of(command.current_dir(dir).args(args).output().expect("the program runs"))
}

/// Every command in `text` that begins with `begins`, up to the end of the command.
fn offered(text: &str, begins: &str) -> String {
    let Some((_, rest)) = text.split_once(begins) else { panic!("no `{begins}` in:\n{text}") };
    let end = ["\n", "   (", "; ", ", ", " >"].iter().filter_map(|end| rest.find(end)).min().unwrap_or(rest.len());
    format!("{begins}{}", rest[..end].trim_end_matches(['?', '`']))
}

/// The answer of a shell in `dir` to the command.
#[track_caller]
fn pasted(scratch: &Scratch, dir: &Path, command: &str) -> Said {
    let mut shell = hermetic("sh", &scratch.home());
    let ours = program().parent().expect("a directory").to_owned();
    let path = std::env::join_paths(std::iter::once(ours).chain(std::env::split_paths(search_path())));
    shell.env("PATH", path.expect("a path")).current_dir(dir).args(["-c", command]);
    Said::of(shell.output().expect("a shell"))
}

/// Calls the program with `args` below the top, and from outside with `-C`. Each time it pastes, in the same place, the
/// command that begins with `git` or `yatsu-hook` and then `begins`.
#[track_caller]
fn each_does(scratch: &Scratch, args: &[&str], [tool, begins]: [&str; 2], done: impl Fn(&Said)) {
    let below = scratch.root.join(BELOW);
    let from_outside = format!("repo/{BELOW}");
    let outside = [&["-C", &from_outside][..], args].concat();
    for (dir, args, begins) in [
        (&below, args, format!("{tool} {begins}")),
        (&scratch.base, &outside, format!("{tool} -C '{from_outside}' {begins}")),
    ] {
        let said = called(scratch, dir, args);
        let command = offered(&(said.out + &said.err), &begins);
        let said = pasted(scratch, dir, &command);
        assert_eq!(said.code, 0, "{command}\n{}", said.err);
        done(&said);
    }
}

#[test]
fn evidence_in_the_tree_is_taken_out_from_wherever_the_command_was_told() {
    let scratch = repository();
    for path in ["docs/a b.bin", "src/in here/x's.bin", "-odd.bin"] {
        let bytes = format!("some evidence of {path} that is long enough to count");
        scratch.write(path, &bytes);
        scratch.yatsu(&["evidence", "put", &format!("./{path}")]).expect(0);
        scratch.git(&["add", "-A"]);
        each_does(&scratch, &["check", "--staged"], ["git", "rm --cached"], |_| {
            assert_eq!(scratch.git(&["diff", "--cached", "--name-only"]), "", "{path}");
            scratch.git(&["add", "-A"]);
        });
        scratch.git(&["rm", "-q", "--cached", "--", path]);
        std::fs::remove_file(scratch.root.join(path)).expect("gone");
    }
}

#[test]
fn bytes_that_only_a_reading_knows_are_kept_from_wherever_the_command_was_told() {
    let scratch = repository();
    scratch.write("shot one.png", b"\x89PNG\r\n\x1a\n a picture of enough bytes to count as one");
    scratch.yatsu(&["eval", "n", "--pass", "--image", "shot one.png"]).expect(0);
    let cache = scratch.root.join(".git");
    let found: Vec<_> = walk(&cache).into_iter().filter(|path| is_piece(path)).collect();
    assert_eq!(found.len(), 1, "one piece");
    found.iter().for_each(|piece| std::fs::remove_file(piece).expect("gone"));
    scratch.git(&["add", "-A"]);
    each_does(&scratch, &["check", "--staged"], ["yatsu-hook", "evidence put"], |said| {
        assert!(found[0].exists(), "{}", said.out);
        std::fs::remove_file(&found[0]).expect("gone");
    });
}

fn walk(dir: &Path) -> Vec<std::path::PathBuf> {
    let entries = std::fs::read_dir(dir).expect("a directory").map(|entry| entry.expect("an entry").path());
    entries.flat_map(|path| if path.is_dir() { walk(&path) } else { vec![path] }).collect()
}

fn is_piece(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.len() == 64)
}

#[test]
fn what_was_made_or_filed_is_added_from_wherever_it_was_told() {
    let scratch = repository();
    let staged = || scratch.git(&["diff", "--cached", "--name-only"]);
    let below = scratch.root.join(BELOW);
    scratch.write("src/in here/new one.rs", "fn new() {}\n");
    let said = called(&scratch, &below, &["new", "later", "--code", "new one.rs"]).expect(0);
    pasted(&scratch, &below, &offered(&said.err, "git add ")).expect(0);
    assert_eq!(staged(), ".spec/later/yatsu.md\nsrc/in here/new one.rs");
    scratch.commit("made");
    let said = called(&scratch, &below, &["eval", "n", "--pass"]).expect(0);
    pasted(&scratch, &below, &offered(&said.err, "git add ")).expect(0);
    assert_eq!(staged(), ".spec/n/yatsu.evals.ndjson");
    scratch.git(&["reset", "-q"]);
    each_does(&scratch, &["doctor"], ["git", "add"], |_| {
        assert_eq!(staged(), ".spec/n/yatsu.evals.ndjson");
        scratch.git(&["reset", "-q"]);
    });
    let said = called(&scratch, &scratch.base, &["-C", "repo/src", "eval", "n", "--fail"]).expect(0);
    pasted(&scratch, &scratch.base, &offered(&said.err, "git -C ")).expect(0);
    assert_eq!(staged(), ".spec/n/yatsu.evals.ndjson");
    scratch.git(&["reset", "-q"]);
    let ts = called(&scratch, &below, &["show", "n", "--format", "json"]).expect(0).out;
    let ts = ts.split("\"ts\":\"").nth(1).and_then(|rest| rest.get(..24)).expect("a time").to_owned();
    let redact = ["redact", "n", "--scenario", "works", "--ts", &ts, "--reason", "it names somebody"];
    let said = called(&scratch, &below, &redact).expect(0);
    pasted(&scratch, &below, &offered(&said.out, "git add ")).expect(0);
    assert_eq!(staged(), ".spec/n/yatsu.evals.ndjson");
}

#[test]
fn paths_that_are_not_judged_are_added_or_found_from_wherever_that_was_told() {
    let scratch = repository();
    scratch.write("src/in here/more of it.rs", "fn more() {}\n");
    each_does(&scratch, &["check", "--staged", "--", "more of it.rs"], ["git", "add"], |_| {
        assert_eq!(scratch.git(&["diff", "--cached", "--name-only"]), "src/in here/more of it.rs");
        scratch.git(&["reset", "-q"]);
    });
    each_does(&scratch, &["check", "--staged", "--", "more of it.rs"], ["yatsu-hook", "check --"], |_| {});
    scratch.write(".gitignore", "ignored*\n");
    scratch.write("src/in here/ignored one.rs", "");
    each_does(&scratch, &["check", "--", "ignored one.rs"], ["yatsu-hook", "validate --"], |_| {});
    let below = scratch.root.join(BELOW);
    for verb in [&["units"][..], &["impact"], &["check", "--"]] {
        let said = called(&scratch, &below, &[verb, &["../gret.rs"]].concat()).expect(2);
        let meant = offered(&said.err, "did you mean ").split_off("did you mean ".len());
        pasted(&scratch, &below, &format!("test -f {meant}")).expect(0);
    }
    let said = called(&scratch, &below, &["impact", "deep.rs#missing"]).expect(2);
    let units = pasted(&scratch, &below, &offered(&said.err, "yatsu-hook units ")).expect(0);
    assert!(units.out.contains("deep"), "{}", units.out);
}

#[test]
fn what_findings_offer_is_done_from_wherever_they_were_told() {
    let scratch = repository();
    scratch.write(".spec/n/yatsu.md", scenarios(&[("works", "src/greet.rs#missing")]));
    each_does(&scratch, &["check"], ["yatsu-hook", "units"], |said| {
        assert!(said.out.contains("greet"), "{}", said.out)
    });
    scratch.write(".spec/n/yatsu.md", scenarios(&[("works", "'src/in here/un tracked.rs'")]));
    scratch.write("src/in here/un tracked.rs", "");
    each_does(&scratch, &["check"], ["git", "add"], |_| {
        assert_eq!(scratch.git(&["diff", "--cached", "--name-only"]), "src/in here/un tracked.rs");
        scratch.git(&["reset", "-q"]);
    });
    scratch.commit("whole again");
    scratch.write("quality/run_state.jsonl", begun());
    scratch.write("quality/PROGRESS.md", "edited\n");
    scratch.commit("a run");
    each_does(&scratch, &["check"], ["yatsu-hook", "runlog progress"], |_| {
        assert_ne!(scratch.read("quality/PROGRESS.md"), "edited\n");
        scratch.write("quality/PROGRESS.md", "edited\n");
    });
}
