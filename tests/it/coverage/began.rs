//! Edits during a measurement (V21): `begin` prints a token, and `eval --began` files only if the measured content is still
//! the same.

use crate::support::{Said, Scratch, hermetic, one_node, program, scenarios};
use std::fs;
use std::io::Write;
use std::process::{Child, Stdio};
use yatsu_hook::store::Store;

const LEDGER: &str = ".spec/n/yatsu.evals.ndjson";

/// Two nodes: `n` with the scenarios `works` of `src/a.rs` and `sorts` of everything below `src`, `m` with `draws`.
fn two_nodes() -> Scratch {
    let s = one_node();
    s.write(".spec/n/yatsu.md", scenarios(&[("works", "src/a.rs"), ("sorts", "src/*")]));
    s.write(".spec/m/yatsu.md", scenarios(&[("draws", "src/b.rs")]).replace("[cli]", "[desktop]"));
    s.commit("two nodes");
    s
}

fn begun(s: &Scratch, args: &[&str]) -> String {
    let said = s.yatsu(&[&["begin"], args].concat()).expect(0);
    assert_eq!((said.out.lines().count(), &*said.err), (1, ""), "{}{}", said.out, said.err);
    said.out.trim_end().to_owned()
}

fn eval(s: &Scratch, token: &str, args: &[&str]) -> Said {
    s.yatsu(&[&["eval"], args, &["--began", token]].concat())
}

fn filed(s: &Scratch) -> usize {
    fs::read_to_string(s.root.join(LEDGER)).map_or(0, |ledger| ledger.lines().count())
}

/// Asserts that nothing was filed, and returns the first line of the message.
#[track_caller]
fn refused(s: &Scratch, said: Said) -> String {
    let said = said.expect(1);
    assert!(said.err.ends_with("FAILED: nothing filed\n"), "{}", said.err);
    assert_eq!(filed(s), 0);
    said.err.lines().next().unwrap_or_default().to_owned()
}

/// The message about these changes.
fn changed(names: &str) -> String {
    format!("yatsu-hook: changed since begin: {names}")
}

/// V21, the same content.
#[test]
fn unchanged_content_is_filed_with_and_without_a_scenario_name() {
    let s = two_nodes();
    let before = s.git(&["status", "--porcelain", "--ignored"]);
    let token = begun(&s, &["n/works"]);
    for same in [&["n", "--scenario", "works"][..], &[".spec/n/works"], &["n/works", "n/works"]] {
        assert_eq!(begun(&s, same), token, "{same:?}");
    }
    assert_eq!(s.git(&["status", "--porcelain", "--ignored"]), before, "begin stores nothing");
    // another file, another scenario's text and the ledger itself are no part of it
    s.write("src/b.rs", "fn b() { 1 }\n");
    s.write(".spec/m/yatsu.md", s.read(".spec/m/yatsu.md").replace("draws works", "draws well"));
    for verdict in ["--pass", "--fail"] {
        eval(&s, &token, &["n/works", verdict]).expect(0);
    }
    assert_eq!(filed(&s), 2);
    assert!(!s.read(LEDGER).contains(&token), "no ledger holds a token");
}

/// V21, edited: the content, the mode, the text of the scenario, a new and a lost file of a glob.
#[test]
fn an_edit_since_begin_refuses_the_reading_and_is_named() {
    let s = two_nodes();
    let (works, all) = (begun(&s, &["n/works"]), begun(&s, &["n/sorts"]));
    let sorts = ["n/sorts", "--pass"];
    s.write("src/a.rs", "fn a() { 1 }\n");
    assert_eq!(refused(&s, eval(&s, &works, &["n/works", "--pass"])), changed("src/a.rs"));
    assert_eq!(refused(&s, eval(&s, &works, &["n/works", "--pass", "--dry-run"])), changed("src/a.rs"));
    assert_eq!(refused(&s, eval(&s, &all, &sorts)), changed("src/a.rs"));
    s.write("src/c.rs", "fn c() {}\n");
    assert_eq!(refused(&s, eval(&s, &all, &sorts)), changed("src/a.rs, src/c.rs"));
    s.git(&["checkout", "-q", "src/a.rs"]);
    assert_eq!(refused(&s, eval(&s, &all, &sorts)), changed("src/c.rs"));
    fs::remove_file(s.root.join("src/c.rs")).unwrap();
    fs::remove_file(s.root.join("src/b.rs")).unwrap();
    assert_eq!(refused(&s, eval(&s, &all, &sorts)), changed("and 1 that no list names now"));
    fs::remove_file(s.root.join("src/a.rs")).unwrap();
    assert_eq!(refused(&s, eval(&s, &works, &["n/works", "--pass"])), changed("src/a.rs"));
    s.git(&["checkout", "-q", "."]);
    s.write(".spec/n/yatsu.md", s.read(".spec/n/yatsu.md").replace("sorts works", "sorts well"));
    assert_eq!(refused(&s, eval(&s, &all, &sorts)), changed(".spec/n/yatsu.md"));
    eval(&s, &works, &["n/works", "--pass"]).expect(0);
}

#[test]
fn content_that_went_and_came_back_is_not_seen() {
    let s = one_node();
    let token = begun(&s, &["n"]);
    s.write("src/a.rs", "fn a() { 1 }\n");
    s.git(&["checkout", "-q", "src/a.rs"]);
    eval(&s, &token, &["n", "--pass"]).expect(0);
}

/// V21, beside the unit.
#[cfg(feature = "units")]
#[test]
fn an_edit_beside_the_unit_is_no_change_and_one_in_it_is() {
    let s = one_node();
    s.write("src/a.rs", "fn a() {}\nfn z() {}\n");
    s.write(".spec/n/yatsu.md", scenarios(&[("works", "src/a.rs#z")]));
    s.commit("a selector");
    let token = begun(&s, &["n"]);
    s.write("src/a.rs", "fn a() { 1 }\n\n\nfn z() {}\n");
    eval(&s, &token, &["n", "--pass"]).expect(0);
    fs::remove_file(s.root.join(LEDGER)).unwrap();
    for inside in ["fn a() {}\nfn z() { 1 }\n", "fn a() {}\n", "fn z() {\n"] {
        s.write("src/a.rs", inside);
        let said = refused(&s, eval(&s, &token, &["n", "--pass"]));
        assert!(said.starts_with(&changed("src/a.rs")), "{said}");
    }
}

/// V21, another selection.
#[test]
fn a_token_of_other_scenarios_is_refused() {
    let s = two_nodes();
    let draws = begun(&s, &["m"]);
    assert_ne!(draws, begun(&s, &["n"]));
    assert_eq!(draws, begun(&s, &["--tag", "desktop"]), "the same scenarios, selected otherwise");
    for other in [&["n"][..], &["n/sorts"], &["m"], &[], &["--tag", "cli"], &["n/works", "m"]] {
        let token = begun(&s, other);
        assert_eq!(
            refused(&s, eval(&s, &token, &["n/works", "--pass"])),
            "yatsu-hook: the token of --began is of other scenarios",
            "{other:?}"
        );
    }
    let said = eval(&s, &draws, &["n/works", "--pass"]);
    assert!(said.err.contains("yatsu-hook begin .spec/n/works\n"), "{}", said.err);
    eval(&s, &draws, &["m", "--pass"]).expect(0);
}

/// V21, a commit between.
#[test]
fn a_commit_between_is_no_change() {
    let s = two_nodes();
    s.write("src/a.rs", "fn a() { 1 }\n");
    let token = begun(&s, &["n/works"]);
    s.commit("the same bytes");
    s.write("src/b.rs", "fn b() { 1 }\n");
    s.commit("bytes that the scenario does not govern");
    eval(&s, &token, &["n/works", "--pass"]).expect(0);
    s.write("src/a.rs", "fn a() { 2 }\n");
    s.commit("governed bytes");
    fs::remove_file(s.root.join(LEDGER)).unwrap();
    assert_eq!(refused(&s, eval(&s, &token, &["n/works", "--pass"])), changed("src/a.rs"));
}

/// V21, a bad token.
#[test]
fn another_form_is_misuse() {
    let s = one_node();
    let token = begun(&s, &["n"]);
    let cut = &token[..token.len() - 1];
    for bad in ["", "x", "b1-", cut, &token.to_uppercase(), &format!("{token}-"), &token.replacen("b1", "b2", 1)] {
        let said = eval(&s, bad, &["n", "--pass"]).expect(2);
        assert!(said.err.contains("`yatsu-hook begin` prints a token"), "{bad}: {}", said.err);
    }
    assert_eq!(filed(&s), 0);
}

fn report(s: &Scratch) {
    s.write(
        "../report.xml",
        "<testsuites><testsuite name=\"t\"><testcase classname=\"t\" name=\"works\" file=\"src/a.rs\"/>\
         <testcase classname=\"t\" name=\"draws\" file=\"src/b.rs\"/></testsuite></testsuites>",
    );
}

/// A repository with the scenarios `n/works` and `m/draws`, each measured by a case of `../report.xml`.
fn tested() -> Scratch {
    let s = one_node();
    let test = |name: &str, file: &str| {
        scenarios(&[(name, file)]).replace("    code:", &format!("    test: {{path: {file}, name: {name}}}\n    code:"))
    };
    s.write(".spec/n/yatsu.md", test("works", "src/a.rs"));
    s.write(".spec/m/yatsu.md", test("draws", "src/b.rs").replace("[cli]", "[desktop]"));
    s.commit("tests");
    report(&s);
    s
}

const IMPORT: [&str; 2] = ["--from-junit", "../report.xml"];

/// V21, imports.
#[test]
fn an_import_files_all_of_its_selection_or_nothing() {
    let s = tested();
    let (all, gui) = (begun(&s, &[]), begun(&s, &["--tag", "desktop"]));
    s.write("src/b.rs", "fn b() { 1 }\n");
    report(&s);
    assert_eq!(refused(&s, eval(&s, &all, &IMPORT)), changed("src/b.rs"));
    assert_eq!(refused(&s, eval(&s, &gui, &[&IMPORT[..], &["--tag", "desktop"]].concat())), changed("src/b.rs"));
    let said = eval(&s, &gui, &[&["m"], &IMPORT[..]].concat());
    assert!(said.err.contains("yatsu-hook begin m\n"), "{}", said.err);
    assert_eq!(refused(&s, eval(&s, &gui, &IMPORT)), "yatsu-hook: the token of --began is of other scenarios");
    let now = begun(&s, &[]);
    let tags = ["--tag", "desktop", "--tag", "cli"];
    assert_eq!(now, begun(&s, &tags));
    eval(&s, &now, &[&IMPORT[..], &tags].concat()).expect(0);
    assert_eq!((filed(&s), s.read(".spec/m/yatsu.evals.ndjson").lines().count()), (1, 1));
}

/// Starts `eval` with an output that is read from standard input, and returns when the program reads it: then the first
/// comparison is done.
fn reading_its_output(s: &Scratch, token: &str) -> Child {
    let mut command = hermetic(program(), &s.home());
    command.current_dir(&s.root).args(["eval", "n", "--pass", "--result", "-", "--began", token]);
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program");
    // more than a pipe holds
    let input = child.stdin.as_mut().expect("standard input");
    input.write_all(&b"one more line of output\n".repeat(1 << 14)).expect("written");
    child
}

#[test]
fn an_edit_while_the_output_is_read_is_seen_before_the_line_is_written() {
    let s = one_node();
    let token = begun(&s, &["n"]);
    let child = reading_its_output(&s, &token);
    s.write("src/a.rs", "fn a() { 1 }\n");
    let said = Said::of(child.wait_with_output().unwrap());
    assert_eq!(refused(&s, said), changed("src/a.rs"));
    let child = reading_its_output(&s, &begun(&s, &["n"]));
    s.write("src/b.rs", "fn b() { 1 }\n");
    Said::of(child.wait_with_output().unwrap()).expect(0);
    assert_eq!(filed(&s), 1);
}

#[test]
fn an_edit_while_an_import_waits_for_the_lock_is_seen() {
    let s = tested();
    let token = begun(&s, &[]);
    let lock = Store::new(s.root.join(".git")).lock_ledger().unwrap();
    let mut command = hermetic(program(), &s.home());
    command.current_dir(&s.root).args(["eval", "--from-junit", "../report.xml", "--began", &token]);
    let child =
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program");
    // the evidence of both scenarios is stored after the first comparison and before the lock
    let stored = || fs::read_dir(s.root.join(".git/spexcode/yatsu-blobs")).map_or(0, Iterator::count);
    while stored() < 2 {
        std::thread::yield_now();
    }
    s.write("src/b.rs", "fn b() { 1 }\n");
    drop(lock);
    assert_eq!(refused(&s, Said::of(child.wait_with_output().unwrap())), changed("src/b.rs"));
}

/// A file that only an external filter could convert has no id in git, a submodule with edits neither.
#[test]
fn a_filtered_file_is_known_by_its_bytes() {
    let s = one_node();
    s.write(".gitattributes", "src/a.rs filter=lfs\n");
    s.write("src/a.rs", "one\n");
    let token = begun(&s, &["n"]);
    s.write("src/b.rs", "another\n");
    s.git(&["commit", "-q", "-m", "other", "src/b.rs"]);
    assert_eq!(begun(&s, &["n"]), token);
    s.write("src/a.rs", "two\n");
    assert_eq!(refused(&s, eval(&s, &token, &["n", "--pass"])), changed("src/a.rs"));
}

#[test]
fn names_that_a_terminal_would_obey_are_escaped_and_many_are_counted() {
    let s = one_node();
    s.write(".spec/n/yatsu.md", scenarios(&[("works", "src")]));
    for number in 0..6 {
        s.write(&format!("src/{number}\u{1b}[31m\n.rs"), "x\n");
    }
    s.commit("hostile");
    let token = begun(&s, &["n"]);
    for number in 0..6 {
        s.write(&format!("src/{number}\u{1b}[31m\n.rs"), "y\n");
    }
    let said = eval(&s, &token, &["n", "--pass"]).expect(1);
    assert!(!said.err.contains('\u{1b}') && said.err.contains("src/4") && !said.err.contains("src/5"), "{}", said.err);
    assert!(said.err.lines().next().is_some_and(|line| line.ends_with(", and 1 more")), "{}", said.err);
    for number in 0..70 {
        s.write(&format!("src/{number}.txt"), "x\n");
    }
    let token = begun(&s, &["n"]);
    assert_eq!(token.len(), "b1-0123456789abcdef-0123".len(), "so many entries are not named one by one");
    s.write("src/7.txt", "y\n");
    let said = refused(&s, eval(&s, &token, &["n", "--pass"]));
    assert_eq!(said, changed("what the scenarios govern, or their text"));
}

#[test]
fn a_selection_of_nothing_is_refused_and_a_wrong_one_is_misuse() {
    let s = two_nodes();
    s.write(".spec/empty/spec.md", "---\ntitle: empty\n---\n");
    let nothing = s.yatsu(&["begin", "empty"]).expect(1);
    assert!(nothing.err.starts_with("yatsu-hook: no scenario is selected") && !nothing.err.contains("FAILED"));
    s.yatsu(&["begin", "n", "--tag", "desktop"]).expect(1);
    for args in [
        &["nope"][..],
        &["n/nope"],
        &["n", "--scenario", "nope"],
        &["n", "m", "--scenario", "works"],
        &["n", "--scenario", "works", "--tag", "cli"],
        &["n", "--format", "sarif"],
        &["n", "--fail"],
        &["--tag", "tui"],
    ] {
        s.yatsu(&[&["begin"], args].concat()).expect(2);
    }
}

#[test]
fn the_node_of_the_current_directory_is_a_dot() {
    let s = two_nodes();
    let token = begun(&s, &["m"]);
    let mut command = s.yatsu_command(&["begin", "."]);
    let said = Said::of(command.current_dir(s.root.join(".spec/m")).output().unwrap()).expect(0);
    assert_eq!(said.out.trim_end(), token);
}

#[test]
fn a_program_learns_why_nothing_was_filed() {
    let s = two_nodes();
    let token = begun(&s, &["n/works"]);
    s.write("src/a.rs", "fn a() { 1 }\n");
    let reason = |said: Said| {
        let json: serde_json::Value = serde_json::from_str(&said.expect(1).out).unwrap();
        (json["reason"].as_str().unwrap().to_owned(), json["argv"].clone())
    };
    let json = ["n/works", "--pass", "--format", "json"];
    let again = serde_json::json!(["yatsu-hook", "begin", ".spec/n/works"]);
    assert_eq!(reason(eval(&s, &token, &json)), ("stale".to_owned(), again.clone()));
    let other = begun(&s, &["m"]);
    assert_eq!(reason(eval(&s, &other, &json)), ("invalid".to_owned(), again));
}
