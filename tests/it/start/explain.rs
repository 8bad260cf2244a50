//! `explain`: rules, keys, files, topics.

use super::somebodys;
use crate::support::{Said, hermetic, one_node, program};

#[test]
fn rules_come_first_then_keys_then_files_then_topics() {
    let scratch = one_node();
    let said = |word: &str| scratch.yatsu(&["explain", word]).expect(0).out;
    assert!(said("yatsu-drift").contains("\nTo mend: "));
    assert!(said("yatsu.roots").starts_with("yatsu.roots in spexcode.json: Where nodes live"));
    assert_eq!(said("code").lines().count(), 2, "in the spec file and in an entry");
    assert!(said("exit-codes").contains("\n3  Could not check"));
    assert!(said("agents").starts_with("<!-- yatsu-hook:begin -->"));
    scratch.write("agents", "a file of this name");
    assert!(said("agents").starts_with("agents: a file\n"), "a file comes before a topic");
    scratch.write("yatsu-drift", "x");
    assert!(said("./yatsu-drift").starts_with("yatsu-drift: a file\n"), "this is always a file");
}

#[test]
fn a_file_is_explained_by_whose_it_is_and_who_governs_it() {
    let scratch = one_node();
    scratch.write("new.rs", "x");
    scratch.write(".gitignore", "*.log\n");
    scratch.write("a.log", "x");
    for (path, expected) in [
        ("src/a.rs", "src/a.rs: a file\ngoverned by n \u{b7} works (unmeasured)\n"),
        (
            ".spec/n/yatsu.md",
            ".spec/n/yatsu.md: the scenario file of node n; it declares: works\ngoverned by no scenario\n",
        ),
        (".spec/n", ".spec/n: the directory of node n; scenarios: works\ngoverned by no scenario\n"),
        ("new.rs", "new.rs: a file\ngit does not track it yet\ngoverned by no scenario\n"),
        ("a.log", "a.log: a file\ngit ignores it, by `*.log` (.gitignore:1)\ngoverned by no scenario\n"),
    ] {
        assert_eq!(scratch.yatsu(&["explain", path]).expect(0).out, expected);
    }
}

#[test]
fn what_nobody_knows_is_misuse_with_what_is_near_and_topics_need_no_repository() {
    let said = somebodys().yatsu(&["explain", "yatsu-drif"]).expect(2);
    assert!(said.err.contains("did you mean yatsu-drift?"), "{}", said.err);
    assert!(somebodys().yatsu(&["explain", "./nope"]).expect(2).err.contains("no file here"));
    let scratch = somebodys();
    let outside = |word: &str| {
        let mut command = hermetic(program(), &scratch.home());
        Said::of(command.current_dir(scratch.home()).args(["explain", word]).output().unwrap())
    };
    outside("exit-codes").expect(0);
    outside("yatsu.rules").expect(0);
    outside("nope").expect(2);
}
