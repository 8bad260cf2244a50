//! Paths in `code`, `related` and `test` (hostile.md, "paths").

use super::{gate, message, of, one_node};
use crate::support::Scratch;
use serde_json::json;
use std::os::unix::fs::symlink;

/// Stages one scenario with `path` in this key; returns the findings of `yatsu-schema`.
fn judged(scratch: &Scratch, key: &str, path: &str) -> (i32, Vec<String>) {
    let text = format!(
        "---\nscenarios:\n  - name: works\n    description: d\n    expected: e\n    tags: [cli]\n    {key}: [{}]\n---\n",
        json!(path)
    );
    scratch.write(
        ".spec/n/yatsu.md",
        text.replace(&format!("test: [{}]", json!(path)), &format!("test: {}", json!(path))),
    );
    scratch.git(&["add", ".spec"]);
    let (code, findings) = gate(scratch, path);
    (code, of(&findings, "yatsu-schema").into_iter().map(|finding| message(finding).to_owned()).collect())
}

#[test]
fn no_path_leads_out_or_into_git() {
    let scratch = one_node();
    let out = ["../x", "a/../../b", "/etc/passwd", "C:\\x", "\\\\srv\\x", "~/x", "file:///x", "src/../../x"];
    let git = [
        ".git/config",
        ".GIT/config",
        "git~1/x",
        "a/.git/hooks/x",
        ".git",
        ".g\u{200c}it/config",
        ".git /x",
        ".git./x",
    ];
    for path in out.iter().chain(&git) {
        for key in ["code", "related"] {
            let (code, said) = judged(&scratch, key, path);
            assert!(code == 1 && said.len() == 1, "{key}: {path}: {said:?}");
            assert!(!said[0].contains("does not exist"), "refused before it is looked for: {said:?}");
        }
    }
    for path in out.iter().chain(&git).filter(|path| !path.starts_with("../")) {
        assert_eq!(judged(&scratch, "test", path).0, 1, "test: {path}");
    }
}

#[test]
fn links_are_followed_in_the_tree_and_nowhere_else() {
    let scratch = one_node();
    for (link, target) in
        [("out", "/"), ("up", "../../.."), ("loop", "loop"), ("ping", "pong"), ("pong", "ping"), ("g", ".git")]
    {
        symlink(target, scratch.root.join(link)).unwrap();
    }
    symlink("src", scratch.root.join("inside")).unwrap();
    scratch.git(&["add", "-A"]);
    for path in ["out/etc/passwd", "up/etc", "loop/x", "ping", "g/config", "out"] {
        let (code, said) = judged(&scratch, "code", path);
        assert!(code == 1 && said[0].contains("leads out of the repository"), "{path}: {said:?}");
    }
    assert_eq!(judged(&scratch, "code", "inside/a.rs"), (0, vec![]));
}

#[test]
fn what_looks_like_an_option_or_a_pathspec_is_a_file_name() {
    let scratch = one_node();
    for path in ["-rf", "--output=/tmp/x", ":(exclude)*", "[a", ":!src", ":/src", "$(touch x)", "`touch x`", "a;b"] {
        let (code, said) = judged(&scratch, "code", path);
        assert!(code == 1 && said[0].contains("does not exist"), "{path}: {said:?}");
    }
    for path in ["-rf", ":(exclude)*", "[a", "$(touch x)"] {
        scratch.write(path, "real");
        scratch.git(&["--literal-pathspecs", "add", "--", path]);
        assert_eq!(judged(&scratch, "code", path), (0, vec![]), "{path} is literal");
    }
}

#[test]
fn globs_have_limits() {
    let scratch = one_node();
    for path in ["{".repeat(2000), "*a".repeat(500), "**/".repeat(1000), "{a,".repeat(1000)] {
        let (code, said) = judged(&scratch, "code", &path);
        assert!(
            code == 1 && said.iter().any(|text| text.contains("limit") || text.contains("does not exist")),
            "{said:?}"
        );
        assert!(said.iter().all(|text| text.len() < 5000));
    }
}

#[test]
fn a_path_is_judged_by_the_view() {
    let scratch = one_node();
    scratch.write(".gitignore", "ignored.rs\n");
    scratch.write("untracked.rs", "");
    scratch.write("ignored.rs", "");
    scratch.write("deleted.rs", "");
    scratch.git(&["add", ".gitignore", "deleted.rs"]);
    scratch.git(&["commit", "-q", "--no-verify", "-m", "x"]);
    scratch.git(&["rm", "-q", "--cached", "deleted.rs"]);
    for path in ["untracked.rs", "ignored.rs", "deleted.rs"] {
        let (code, said) = judged(&scratch, "code", path);
        assert!(code == 1 && said.len() == 1 && said[0].contains(path), "{path}: {said:?}");
    }
    let all = scratch.yatsu(&["check", "--all"]).expect(1);
    assert!((all.out + &all.err).contains("is not tracked by git"));
}
