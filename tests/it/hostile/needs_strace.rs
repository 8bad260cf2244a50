//! The system calls of a hook, traced: it writes only its memo, runs only git, and opens no connection.

use super::one_node;
use crate::support::{Said, Scratch, hermetic, program, scenarios};
use std::os::unix::fs::PermissionsExt;

/// The output, and every traced call of the program and its children.
fn trace(scratch: &Scratch, calls: &str, args: &[&str]) -> (Said, Vec<String>) {
    let log = scratch.base.join("trace");
    let mut command = hermetic("strace", &scratch.home());
    command.current_dir(&scratch.root).args(["-f", "-qq", "-s", "4096", "-o"]).arg(&log).arg("-e").arg(calls);
    let said = Said::of(command.arg(program()).args(args).output().unwrap());
    let text = String::from_utf8_lossy(&std::fs::read(&log).unwrap()).into_owned();
    let calls: Vec<String> =
        text.lines().filter(|line| !line.contains("+++") && !line.contains("---")).map(str::to_owned).collect();
    (said, calls)
}

/// Calls that can change something or open a connection.
const CHANGING: &str = "trace=openat,open,openat2,creat,unlink,unlinkat,rename,renameat,renameat2,mkdir,mkdirat,rmdir,\
chmod,fchmod,fchmodat,chown,fchown,lchown,fchownat,link,linkat,symlink,symlinkat,mknod,mknodat,truncate,ftruncate,\
fallocate,fsync,fdatasync,sync,syncfs,utimensat,utime,utimes,futimesat,setxattr,lsetxattr,fsetxattr,removexattr,copy_file_range,sendfile,\
mount,socket,connect,bind,execve,execveat,memfd_create";

/// The calls other than reading, writing to a terminal or `/dev/null`, and starting git.
fn forbidden(calls: &[String]) -> Vec<&String> {
    let is_open = |call: &str| call.contains(" open(") || call.contains(" openat(") || call.contains(" openat2(");
    let writes = |call: &str| {
        ["O_WRONLY", "O_RDWR", "O_CREAT", "O_TRUNC", "O_APPEND", "O_TMPFILE"].iter().any(|flag| call.contains(flag))
    };
    let allowed = |call: &str| {
        if is_open(call) {
            return !writes(call) || call.contains("\"/dev/null\"");
        }
        if call.contains(" execve(") {
            return call.contains("yatsu-hook\"") || call.contains("/git\"");
        }
        // the second half of a call, and a call during which a child was killed
        call.contains("resumed>") || call.contains(" ???(")
    };
    calls.iter().filter(|call| !allowed(call)).collect()
}

/// Whether a call writes the memo: a temporary file is renamed in our directory, without a sync.
fn leaves_the_memo(call: &str) -> bool {
    let is_directory = call.contains(" mkdirat(") && call.contains("\"yatsu\"");
    let is_temporary = call.contains("\".yatsu-tmp-");
    let is_named = call.contains(" renameat(") && call.contains("\"memo-");
    is_directory || is_temporary && (call.contains(" openat(") || is_named)
}

#[test]
#[ignore = "needs strace"]
fn a_hook_writes_nothing_but_its_memo_and_starts_nothing_but_git() {
    for by_program in [false, true] {
        let scratch = one_node();
        // a temptation: an executable that a scenario names
        scratch.write("probe.sh", "#!/bin/sh\ntouch ../ran\n");
        std::fs::set_permissions(scratch.root.join("probe.sh"), std::fs::Permissions::from_mode(0o755)).unwrap();
        let with_test = scenarios(&[("works", "src/a.rs")]).replace("    code:", "    test: probe.sh\n    code:");
        scratch.write(".spec/n/yatsu.md", with_test);
        scratch.git(&["add", "-A"]);
        if by_program {
            scratch.git(&["config", "extensions.partialClone", "nowhere"]);
        }
        for (code, broken) in [(0, false), (1, true)] {
            if broken {
                scratch.write(".spec/m/yatsu.md", "broken");
                scratch.git(&["add", "-A"]);
            }
            for args in
                [&["pre-commit"][..], &["pre-merge-commit"], &["run"], &["pre-commit", "--format", "json", "-v"]]
            {
                let (said, calls) = trace(&scratch, CHANGING, args);
                said.expect(code);
                assert!(calls.iter().any(|call| call.contains("execve(")), "the trace is one");
                let mut caught = forbidden(&calls);
                caught.retain(|call| by_program || !leaves_the_memo(call));
                assert_eq!(caught, Vec::<&String>::new(), "{args:?}, by the program: {by_program}");
                assert_eq!(calls.iter().any(|call| call.contains("/git\"")), by_program, "{args:?}: {calls:#?}");
            }
        }
        assert!(!scratch.base.join("ran").exists());
    }
}

#[test]
#[ignore = "needs strace"]
fn the_trace_sees_who_writes() {
    let scratch = one_node();
    let (said, calls) = trace(&scratch, CHANGING, &["evidence", "put", "src/a.rs"]);
    said.expect(0);
    let caught = forbidden(&calls);
    for name in ["O_CREAT", "mkdir", "rename"] {
        assert!(caught.iter().any(|call| call.contains(name)), "{name}: {caught:#?}");
    }
}

#[test]
#[ignore = "needs strace"]
fn a_test_that_a_scenario_names_is_never_executed() {
    let scratch = one_node();
    scratch.write("probe.sh", "#!/bin/sh\ntouch ../ran\n");
    std::fs::set_permissions(scratch.root.join("probe.sh"), std::fs::Permissions::from_mode(0o755)).unwrap();
    let text =
        scenarios(&[("works", "src/a.rs")]).replace("    code:", "    test: { path: probe.sh, name: x }\n    code:");
    scratch.write(".spec/n/yatsu.md", text);
    scratch.commit("with a test");
    scratch.write("src/a.rs", "fn other() {}\n");
    scratch.git(&["add", "-A"]);
    let verbs: &[&[&str]] = &[
        &["pre-commit"],
        &["check", "--all"],
        &["check", "--rev", "HEAD"],
        &["scan"],
        &["validate", "--", ".spec/n/yatsu.md"],
        &["show", ".spec/n"],
        &["ls"],
        &["impact", "src/a.rs"],
        &["units", "src/a.rs"],
        &["eval", ".spec/n", "--scenario", "works", "--pass"],
    ];
    for args in verbs {
        let (_, calls) = trace(&scratch, "trace=execve,execveat", args);
        let started: Vec<_> = calls.iter().filter(|call| call.contains("probe")).collect();
        assert!(!calls.is_empty() && started.is_empty(), "{args:?}: {started:?}");
    }
    assert!(!scratch.base.join("ran").exists());
}
