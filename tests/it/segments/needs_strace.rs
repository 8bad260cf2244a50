//! What a failing disk leaves of a change of several files.

use super::*;
use crate::support::{hermetic, program};

/// The disk fails between two files of one redaction. The first one is redacted then, and the same command ends it.
#[test]
#[ignore = "needs strace"]
fn a_redaction_that_fails_between_two_files_is_told_and_finished_by_the_same_command() {
    let s = team();
    let secret = format!(
        "{{\"scenario\":\"works\",\"verdict\":{{\"status\":\"pass\",\"note\":\"secret\"}},\"codeSha\":\"{}\",\"ts\":\"2026-01-01T00:01:00.000Z\"}}\n",
        s.head()
    );
    s.write(&segment("a"), &secret);
    s.write(&segment("b"), &secret);
    s.commit("copies");
    let request = ["redact", "n", "--ts", "2026-01-01T00:01:00.000Z", "--reason", "r"];
    let mut command = hermetic("strace", &s.home());
    command.current_dir(&s.root).args(["-f", "-qq", "-o", "/dev/null", "-e", "inject=renameat:error=EIO:when=2"]);
    let said = Said::of(command.arg(program()).args(request).output().expect("strace runs")).expect(3);
    assert!(said.err.contains("redacted in 1 of 2 files: run the same command again"), "{}", said.err);
    let holding = || segments(&s).iter().filter(|file| s.read(file).contains("secret")).count();
    assert_eq!(holding(), 1);
    s.yatsu(&request).expect(0);
    assert_eq!(holding(), 0);
}
