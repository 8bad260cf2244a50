//! `selector-unread`: if the units of a file cannot be read, its selectors narrow nothing, and the user must know.

use super::{all, only, silent, staged};
use crate::support::{Scratch, scenarios};

/// A node with scenarios that govern units of these entries.
fn governing(entries: &[(&str, &str)], files: &[(&str, &str)]) -> Scratch {
    let scratch = Scratch::new();
    for (path, content) in files {
        scratch.write(path, *content);
    }
    scratch.write(".spec/n/yatsu.md", scenarios(entries));
    scratch.commit("begin");
    scratch
}

#[test]
fn a_file_of_a_language_that_nobody_reads_is_named_once_with_its_selectors() {
    let scratch = governing(&[("a", "src/a.zig#f"), ("b", "src/a.zig#g")], &[("src/a.zig", "fn f() {}\n")]);
    assert_eq!(only(all(&scratch, "selector-unread"))["path"], "src/a.zig");
    insta::assert_snapshot!(scratch.session("yatsu-hook check --all"));
}

#[test]
fn a_syntax_error_is_named_with_its_line_when_it_is_introduced() {
    let scratch = governing(&[("a", "src/a.ts#f")], &[("src/a.ts", "function f() {}\n")]);
    silent(all(&scratch, "selector-unread"));
    scratch.write("src/a.ts", "function f() {}\n)))\n");
    let found = only(staged(&scratch, "selector-unread"));
    assert_eq!((&found["origin"], &found["line"]), (&"introduced".into(), &2.into()));
    assert_eq!(found["message"], "the whole file is compared: the grammar cannot read it at line 2");
    silent(staged(&scratch, "yatsu-schema"));
    assert!(scratch.yatsu(&["pre-commit"]).expect(0).err.contains("warning[selector-unread]"));
    scratch.commit("broken");
    scratch.write("src/a.ts", "function f() {}\n))))\n");
    assert_eq!(only(staged(&scratch, "selector-unread"))["origin"], "inherited");
}

#[test]
fn a_file_without_selectors_is_nobodys_business() {
    let scratch = governing(&[("a", "src/a.zig")], &[("src/a.zig", "fn f() {}\n")]);
    silent(all(&scratch, "selector-unread"));
}

#[test]
fn what_is_too_large_or_binary_says_so() {
    let large = " ".repeat((1 << 20) + 1);
    let scratch = governing(
        &[("a", "src/a.ts#f"), ("b", "src/b.ts#f")],
        &[("src/a.ts", large.as_str()), ("src/b.ts", "function f() {}\0")],
    );
    let said: Vec<_> = all(&scratch, "selector-unread").iter().map(|found| found["message"].clone()).collect();
    assert_eq!(said, ["the whole file is compared: larger than 1 MiB", "the whole file is compared: binary"]);
}
