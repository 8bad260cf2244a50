//! Selectors at the doors: a hook parses for a short time, a server parses nothing.

use super::measured;
use crate::support::{Scratch, fed};

const A: &str = "export function pack() {\n  return 1;\n}\nconst rest = 1;\n";

fn of_pack() -> Scratch {
    measured("src/a.ts#pack", &[("src/a.ts", A)])
}

#[cfg(feature = "units")]
#[test]
fn the_hook_before_a_commit_tells_of_the_unit() {
    let s = of_pack();
    s.write("src/a.ts", A.replace("rest = 1", "rest = 2"));
    s.git(&["add", "-A"]);
    let said = s.yatsu(&["pre-commit"]).expect(0);
    assert_eq!(said.out + &said.err, "", "an edit around it is none");
    s.write("src/a.ts", A.replace("return 1", "return 2"));
    s.git(&["add", "-A"]);
    let said = s.yatsu(&["pre-commit"]).expect(0);
    assert!((said.out + &said.err).contains("src/a.ts#pack"));
}

/// A stranger's file must not reach a parser on a server.
#[test]
fn a_server_does_not_judge_what_it_would_have_to_parse() {
    let s = of_pack();
    let old = s.git(&["rev-parse", "HEAD"]);
    let receive = |new: &str| {
        let line = format!("{} {} refs/heads/main\n", old.trim(), new.trim());
        fed(s.yatsu_command(&["pre-receive"]), line).expect(0)
    };
    for (from, to) in [("rest = 1", "rest = 2"), ("return 1", "return 2")] {
        s.write("src/a.ts", A.replace(from, to));
        let new = s.commit("edited");
        s.git(&["update-ref", "refs/heads/main", old.trim()]);
        let said = receive(&new);
        let told = said.out + &said.err;
        assert!(!told.contains("#pack"), "{told}");
        s.git(&["update-ref", "refs/heads/main", new.trim()]);
    }
}

#[cfg(feature = "units")]
#[test]
fn a_server_counts_what_it_did_not_judge_only_where_the_push_concerns_it() {
    let s = of_pack();
    s.write("plain.txt", "plain\n");
    s.write("src/a.ts", A.replace("rest = 1", "rest = 2"));
    s.commit("not what was measured");
    let push = |path: &str, text: &str| {
        let old = s.git(&["rev-parse", "HEAD"]);
        s.write(path, text);
        let new = s.commit("pushed");
        s.git(&["update-ref", "refs/heads/main", old.trim()]);
        let line = format!("{} {} refs/heads/main\n", old.trim(), new.trim());
        let said = fed(s.yatsu_command(&["pre-receive"]), line).expect(0);
        s.git(&["update-ref", "refs/heads/main", new.trim()]);
        said.out + &said.err
    };
    assert_eq!(push("plain.txt", "changed\n"), "");
    assert_eq!(push("new.txt", "new\n"), "");
    let told = push("src/a.ts", &A.replace("return 1", "return 2"));
    assert!(told.contains("not judged: 1 (what is pushed is not parsed here)"), "{told}");
}

/// Only the author's machine and CI report that the name is gone.
#[cfg(feature = "units")]
#[test]
fn a_selector_that_a_change_left_without_its_unit_is_refused_where_it_is_pushed_and_not_by_the_server() {
    let s = of_pack();
    let old = s.git(&["rev-parse", "HEAD"]);
    s.write("src/a.ts", A.replace("pack()", "wrap()"));
    let new = s.commit("renamed");
    s.git(&["update-ref", "refs/heads/main", old.trim()]);
    let line = format!("{} {} refs/heads/main\n", old.trim(), new.trim());
    let said = fed(s.yatsu_command(&["pre-receive"]), line).expect(0);
    let told = said.out + &said.err;
    assert!(!told.contains("names no unit"), "{told}");
    let line = format!("refs/heads/main {} refs/heads/main {}\n", new.trim(), old.trim());
    let told = fed(s.yatsu_command(&["pre-push", "origin", "elsewhere"]), line).expect(1);
    assert!((told.out + &told.err).contains("`src/a.ts#pack` names no unit in that file"));
}

/// A report must name the unit that moved, because other units of the file did not.
#[cfg(feature = "units")]
#[test]
fn every_report_names_the_unit_that_moved() {
    let s = of_pack();
    let measured = s.git(&["rev-parse", "HEAD"]);
    s.write("src/a.ts", A.replace("return 1", "return 2"));
    s.commit("edited");
    let ls = ["ls"];
    let page = ["report", "--html", "-"];
    let range = |format| ["check", "--from", measured.trim(), "--to", "HEAD", "--format", format];
    for (args, expected) in [
        (&ls[..], "code: src/a.ts#pack\n"),
        (&range("github"), "moved: src/a.ts#pack%0A"),
        (&range("markdown"), "moved: `src/a.ts#pack`"),
        (&range("sarif"), "moved: src/a.ts#pack\\n"),
        (&range("junit"), "src/a.ts#pack"),
        (&page, "data-moved=\"src/a.ts#pack\""),
        (&page, "<tr data-path=\"src/a.ts#pack\">"),
    ] {
        let said = s.yatsu(args).expect(0);
        assert!(said.out.contains(expected), "{args:?}\n{}", said.out);
    }
}
