//! Objects that are huge, many, damaged or missing (hostile.md, "staged content and git's state").

use super::{calm, gate, of, one_node};
use crate::support::{Said, Scratch};
use std::io::Write;
use std::process::Stdio;

/// Feeds `input` to a git command; returns its output.
fn feed(scratch: &Scratch, args: &[&str], write: impl FnOnce(&mut dyn Write)) -> String {
    let mut child = scratch.git_command(args).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("git");
    let mut stdin = std::io::BufWriter::new(child.stdin.take().expect("a pipe"));
    write(&mut stdin);
    drop(stdin);
    let output = child.wait_with_output().expect("an end");
    assert!(output.status.success());
    String::from_utf8(output.stdout).expect("text").trim().to_owned()
}

/// A blob of `mebibytes` zeros: a few hundred kilobytes once compressed.
fn zeros(scratch: &Scratch, mebibytes: usize) -> String {
    let block = vec![0; 1 << 20];
    feed(scratch, &["-c", "core.bigFileThreshold=1k", "hash-object", "-w", "--stdin"], |out| {
        (0..mebibytes).for_each(|_| out.write_all(&block).expect("listening"));
    })
}

fn stage(scratch: &Scratch, id: &str, path: &str) {
    scratch.git(&["update-index", "--add", "--cacheinfo", &format!("100644,{id},{path}")]);
}

/// Peak memory in KiB of one run, and its output.
fn measured(scratch: &Scratch, args: &[&str]) -> (u64, Said) {
    let mut command = scratch.yatsu_command(args);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().expect("the program runs");
    let status = format!("/proc/{}/status", child.id());
    let watcher = std::thread::spawn(move || {
        let mut peak = 0;
        while let Ok(text) = std::fs::read_to_string(&status) {
            let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
            let Some(line) = line else { break };
            peak = peak.max(line.trim().trim_end_matches(" kB").parse().unwrap_or(0));
            std::thread::yield_now();
        }
        peak
    });
    let said = Said::of(child.wait_with_output().expect("an end"));
    (watcher.join().expect("a figure"), said)
}

#[test]
fn a_huge_staged_file_is_read_only_when_the_cache_holds_its_size() {
    let scratch = one_node();
    let id = zeros(&scratch, 70);
    stage(&scratch, &id, "huge.bin");
    let (peak, said) = measured(&scratch, &["pre-commit"]);
    said.expect(0);
    assert!(peak < 64 << 10, "{peak} KiB for a file that is not read");
    let cached = scratch.root.join(".git/spexcode/yatsu-blobs").join("a".repeat(64));
    std::fs::create_dir_all(cached.parent().unwrap()).unwrap();
    std::fs::File::create(&cached).unwrap().set_len(70 << 20).unwrap();
    assert_eq!(gate(&scratch, "an object of that size, other bytes").0, 0);
    std::fs::rename(&cached, cached.with_file_name(sha256_of_zeros(70))).unwrap();
    let (code, findings) = gate(&scratch, "the very bytes");
    assert_eq!((code, of(&findings, "stray-blob").len()), (1, 1), "{findings:#?}");
}

fn sha256_of_zeros(mebibytes: usize) -> String {
    use sha2::{Digest, Sha256};
    let block = vec![0; 1 << 20];
    let mut hash = Sha256::new();
    (0..mebibytes).for_each(|_| hash.update(&block));
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn a_compressed_bomb_named_as_one_of_our_files_costs_nothing() {
    let scratch = one_node();
    let id = zeros(&scratch, 200);
    for (path, rule) in [(".spec/n/yatsu.md", "yatsu-schema"), (".spec/n/yatsu.evals.ndjson", "ledger-schema")] {
        scratch.git(&["read-tree", "HEAD"]);
        stage(&scratch, &id, path);
        let (peak, said) = measured(&scratch, &["check", "--staged", "--format", "json"]);
        calm(&said, path);
        assert!(said.code == 1 || said.code == 3, "{path}: exit {} {}", said.code, said.out);
        assert!(said.code == 3 || said.out.contains(rule), "{path}: {}", said.out);
        assert!(peak < 96 << 10, "{path}: {peak} KiB");
    }
    for path in ["spexcode.json", ".spec/n/spec.md"] {
        scratch.git(&["read-tree", "HEAD"]);
        stage(&scratch, &id, path);
        let (peak, said) = measured(&scratch, &["pre-commit"]);
        calm(&said, path);
        assert_ne!(said.code, 0, "{path}: {}", said.err);
        assert!(peak < 96 << 10, "{path}: {peak} KiB");
    }
}

#[test]
fn a_hundred_thousand_staged_files_are_judged() {
    let scratch = one_node();
    let id = scratch.git(&["rev-parse", "HEAD:src/a.rs"]);
    let bad = feed(&scratch, &["hash-object", "-w", "--stdin"], |out| out.write_all(b"broken").expect("listening"));
    feed(&scratch, &["update-index", "--add", "--index-info"], |out| {
        for number in 0..100_000 {
            writeln!(out, "100644 {id}\tmany/{:03}/{number:06}.rs", number / 200).expect("listening");
        }
    });
    let (peak, said) = measured(&scratch, &["pre-commit"]);
    said.expect(0);
    assert!(peak < 256 << 10, "{peak} KiB");
    stage(&scratch, &bad, "many/050/yatsu.md");
    let said = scratch.yatsu(&["pre-commit"]).expect(1);
    assert!(said.err.starts_with("many/050/yatsu.md:1:1: error[yatsu-schema]"), "{}", said.err);
}

#[test]
fn one_directory_of_a_hundred_thousand_entries_is_read() {
    let scratch = one_node();
    let id = scratch.git(&["rev-parse", "HEAD:src/a.rs"]);
    let wide = feed(&scratch, &["mktree"], |out| {
        for number in 0..100_000 {
            writeln!(out, "100644 blob {id}\tf{number:06}").expect("listening");
        }
    });
    let node = scratch.git(&["rev-parse", "HEAD:.spec"]);
    let top = feed(&scratch, &["mktree"], |out| {
        writeln!(out, "040000 tree {node}\t.spec\n040000 tree {wide}\twide").expect("listening");
    });
    let commit = scratch.git(&["commit-tree", &top, "-m", "wide"]);
    let said = scratch.yatsu(&["check", "--rev", &commit]).expect(1);
    assert!((said.out + &said.err).contains("src/a.rs"), "the ghost is found");
}

/// The loose object file of `rev`.
fn object_file(scratch: &Scratch, rev: &str) -> std::path::PathBuf {
    let id = scratch.git(&["rev-parse", rev]);
    scratch.root.join(".git/objects").join(&id[..2]).join(&id[2..])
}

#[test]
fn what_cannot_be_read_is_never_a_pass() {
    for rev in
        ["HEAD^{tree}", "HEAD:.spec/n", "HEAD:.spec/n/yatsu.md", "HEAD", ":.spec/n/yatsu.md", ":0:.spec/m/yatsu.md"]
    {
        for damage in ["missing", "empty", "garbage"] {
            let scratch = one_node();
            scratch.write(".spec/m/yatsu.md", "broken");
            scratch.write("src/a.rs", "fn other() {}\n");
            scratch.git(&["add", "-A"]);
            let file = object_file(&scratch, rev);
            std::fs::remove_file(&file).unwrap();
            match damage {
                "empty" => std::fs::write(&file, "").unwrap(),
                "garbage" => std::fs::write(&file, "not compressed at all").unwrap(),
                _ => {}
            }
            let said = scratch.yatsu(&["pre-commit"]);
            calm(&said, rev);
            assert_eq!(said.code, 3, "{rev} {damage}: {}", said.err);
            assert!(said.err.contains("hint") || said.err.contains("help"), "{rev} {damage}: {}", said.err);
        }
    }
}

#[test]
fn a_damaged_index_is_never_a_pass() {
    let scratch = one_node();
    scratch.write(".spec/m/yatsu.md", "broken");
    scratch.git(&["add", "-A"]);
    let whole = std::fs::read(scratch.root.join(".git/index")).unwrap();
    let mut states =
        vec![Vec::new(), b"DIRC".to_vec(), vec![0; 4096], b"garbage".repeat(100), whole[..whole.len() / 2].to_vec()];
    states.extend((0..whole.len()).step_by(7).map(|at| {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x41;
        bytes
    }));
    for bytes in states {
        std::fs::write(scratch.root.join(".git/index"), &bytes).unwrap();
        let said = scratch.yatsu(&["pre-commit"]);
        calm(&said, "a damaged index");
        let passes_in_git = || {
            // a flipped bit can make another index that git considers sound
            let listed = scratch.try_git(&["ls-files", "-s", "--", ".spec/m/yatsu.md"]);
            listed.code == 0 && listed.out.is_empty()
        };
        assert!(said.code == 1 || said.code == 3 || passes_in_git(), "{} {}", said.code, said.err);
    }
}

mod needs_git_2_38 {
    use super::*;

    #[test]
    #[ignore = "needs git 2.38"]
    fn a_repository_of_somebody_else_is_refused_with_the_way_to_trust_it() {
        let scratch = one_node();
        for args in [&["pre-commit"][..], &["check"], &["scan"], &["check", "--rev", "HEAD"]] {
            let mut command = scratch.yatsu_command(args);
            let said = Said::of(command.env("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1").output().unwrap()).expect(3);
            let line = format!("git config --global --add safe.directory {}", scratch.root.display());
            assert!(said.err.contains(&line), "{}", said.err);
        }
    }
}
