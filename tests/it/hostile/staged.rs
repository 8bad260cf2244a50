//! Odd entries at our paths, and evidence that is staged after all (hostile.md, "staged content and git's state").

use super::{gate, message, of, one_node};
use crate::support::{Scratch, fed, reading_line, scenarios, sha256};

/// Stages `mode,id,path` lines, independent of the work tree.
fn index_info(scratch: &Scratch, lines: &str) {
    fed(scratch.git_command(&["update-index", "--add", "--replace", "--index-info"]), lines).expect(0);
}

/// Writes `content` as a blob.
fn blob(scratch: &Scratch, content: impl AsRef<[u8]>) -> String {
    scratch.write("../blob", content);
    scratch.git(&["hash-object", "-w", "../blob"])
}

#[track_caller]
fn refused(scratch: &Scratch, rule: &str, words: &str) {
    let (code, findings) = gate(scratch, words);
    let said: Vec<_> = of(&findings, rule).into_iter().map(message).collect();
    assert!(code == 1 && said.iter().any(|text| text.contains(words)), "{code} {findings:#?}");
}

#[test]
fn names_that_are_equal_after_normalisation_are_one() {
    let scratch = one_node();
    scratch.write(".spec/n/yatsu.md", scenarios(&[("caf\u{e9}", "src/a.rs"), ("cafe\u{301}", "src/a.rs")]));
    scratch.git(&["add", "-A"]);
    let (code, findings) = gate(&scratch, "normalisation");
    let found = of(&findings, "yatsu-schema");
    assert_eq!((code, found.len()), (1, 1), "{findings:#?}");
    assert!(message(found[0]).contains('3') && found[0]["line"] == 8, "both lines are named: {found:#?}");
}

#[test]
fn a_scenario_file_or_ledger_that_is_no_regular_file_is_refused_by_its_mode() {
    let commit = one_node().git(&["rev-parse", "HEAD"]);
    let kinds = [("120000", "a symbolic link"), ("160000", "a submodule"), ("dir", "a directory")];
    for (path, rule) in [(".spec/n/yatsu.md", "yatsu-schema"), (".spec/n/yatsu.evals.ndjson", "ledger-schema")] {
        for (mode, words) in kinds {
            let scratch = one_node();
            let target = blob(&scratch, "../../src/a.rs");
            index_info(&scratch, &format!("0 {}\t{path}\n", "0".repeat(40)));
            index_info(
                &scratch,
                &match mode {
                    "dir" => format!("100644 {target}\t{path}/inner\n"),
                    "160000" => format!("160000 {commit}\t{path}\n"),
                    _ => format!("{mode} {target}\t{path}\n"),
                },
            );
            refused(&scratch, rule, words);
        }
    }
}

#[test]
fn a_symbolic_link_to_an_endless_file_is_never_opened() {
    for target in ["/dev/zero", "/proc/self/mem", "yatsu.md"] {
        let scratch = one_node();
        std::fs::remove_file(scratch.root.join(".spec/n/yatsu.md")).unwrap();
        std::os::unix::fs::symlink(target, scratch.root.join(".spec/n/yatsu.md")).unwrap();
        scratch.git(&["add", "-A"]);
        refused(&scratch, "yatsu-schema", "a symbolic link");
        let all = scratch.yatsu(&["check", "--all"]).expect(1);
        assert!(all.err.contains("a symbolic link") || all.out.contains("a symbolic link"), "{}{}", all.out, all.err);
    }
}

#[test]
fn names_that_only_look_like_ours_are_warned_about() {
    for path in ["docs/YATSU.MD", ".spec/n/yatsu.md ", ".spec/m/Spec.md", "x/Yatsu.Evals.ndjson", ".spec/n/yatsu.md."] {
        let scratch = one_node();
        scratch.write(path, scenarios(&[("works", "src/a.rs")]));
        scratch.git(&["add", "-A"]);
        let (code, findings) = gate(&scratch, path);
        let found = of(&findings, "yatsu-schema");
        assert_eq!((code, found.len()), (0, 1), "{path}: {findings:#?}");
        assert_eq!((found[0]["level"].as_str(), found[0]["path"].as_str()), (Some("warning"), Some(path)));
        assert_eq!(scratch.yatsu(&["check", "--staged", "--strict"]).code, 1, "as every warning does");
        let hook = || scratch.yatsu(&["pre-commit"]).err;
        let said = hook() + &scratch.yatsu(&["scan"]).out;
        assert!(said.contains("is not read") && hook().contains("is not read"), "with a memo too: {path}");
    }
    let scratch = one_node();
    scratch.write("docs/Spec.md", "somebody else's");
    scratch.git(&["add", "-A"]);
    let (_, findings) = gate(&scratch, "outside the roots");
    assert!(of(&findings, "yatsu-schema").is_empty(), "{findings:#?}");
}

#[test]
fn a_ledger_that_is_executable_or_a_pointer_is_refused() {
    let scratch = one_node();
    let head = scratch.git(&["rev-parse", "HEAD"]);
    scratch.write(".spec/n/yatsu.evals.ndjson", reading_line(&head, "works", "pass", 1));
    scratch.git(&["add", "-A"]);
    scratch.git(&["update-index", "--chmod=+x", ".spec/n/yatsu.evals.ndjson"]);
    refused(&scratch, "ledger-schema", "executable");
    let pointer = format!("version https://git-lfs.github.com/spec/v1\noid sha256:{}\nsize 9\n", "a".repeat(64));
    scratch.write(".spec/n/yatsu.evals.ndjson", pointer);
    scratch.git(&["add", "-A"]);
    refused(&scratch, "ledger-schema", "LFS pointer");
}

#[test]
fn conflict_markers_in_a_ledger_name_their_lines_and_the_merge_driver() {
    let scratch = one_node();
    let head = scratch.git(&["rev-parse", "HEAD"]);
    let (ours, theirs) = (reading_line(&head, "works", "pass", 1), reading_line(&head, "works", "fail", 2));
    scratch.write(".spec/n/yatsu.evals.ndjson", format!("<<<<<<< HEAD\n{ours}=======\n{theirs}>>>>>>> side\n"));
    scratch.git(&["add", "-A"]);
    let (code, findings) = gate(&scratch, "markers");
    let found = of(&findings, "ledger-schema");
    assert!(code == 1 && found.iter().any(|f| message(f).contains("conflict")), "{findings:#?}");
    assert!(found.iter().any(|f| f["help"].as_str().unwrap().contains("merge")), "{findings:#?}");
}

#[test]
fn evidence_is_found_under_any_name_and_extension() {
    let bytes = b"a picture, or a transcript, of some thirty-two bytes and more";
    for name in ["a.rs", "README.md", ".hidden", "deep/er/x.tar.gz", "na me", "-rf", "yatsu.md.bak"] {
        let scratch = one_node();
        scratch.write(&format!(".git/spexcode/yatsu-blobs/{}", sha256(bytes)), bytes);
        scratch.write(name, bytes);
        scratch.git(&["add", "-A"]);
        refused(&scratch, "stray-blob", "");
        scratch.git(&["rm", "-q", "--cached", "--", name]);
        assert_eq!(gate(&scratch, "taken out again").0, 0);
    }
}

#[test]
fn cached_bytes_that_are_other_bytes_do_not_disturb_the_gate() {
    let bytes = b"what a reading carries, thirty-two bytes and more of it";
    let scratch = one_node();
    let head = scratch.git(&["rev-parse", "HEAD"]);
    let line =
        reading_line(&head, "works", "pass", 1).replace("\"blob\":null", &format!("\"blob\":\"{}\"", sha256(bytes)));
    scratch.write(".spec/n/yatsu.evals.ndjson", line);
    scratch.write(&format!(".git/spexcode/yatsu-blobs/{}", sha256(bytes)), "something else");
    scratch.git(&["add", "-A"]);
    assert_eq!(gate(&scratch, "corrupt evidence").0, 0);
}

#[test]
fn the_index_is_judged_whatever_its_flags_say_and_conflicts_are_refused() {
    for flag in ["--skip-worktree", "--assume-unchanged"] {
        let scratch = one_node();
        scratch.write(".spec/n/yatsu.md", "broken");
        scratch.git(&["add", "-A"]);
        scratch.git(&["update-index", flag, ".spec/n/yatsu.md"]);
        scratch.write(".spec/n/yatsu.md", scenarios(&[("works", "src/a.rs")]));
        refused(&scratch, "yatsu-schema", "no frontmatter");
    }
    let scratch = one_node();
    scratch.write(".spec/m/yatsu.md", "broken");
    scratch.git(&["add", "-N", ".spec/m/yatsu.md"]);
    assert_eq!(gate(&scratch, "intent to add").0, 0, "it is in no commit yet");
    let id = blob(&scratch, "broken");
    index_info(&scratch, &format!("0 {}\tf\n100644 {id} 1\tf\n100644 {id} 2\tf\n", "0".repeat(40)));
    let said = scratch.yatsu(&["pre-commit"]).expect(3);
    assert!(said.err.contains("not merged") || said.err.contains("conflict"), "{}", said.err);
}
