//! N16: CI files what its reports say, by `.ci/action.sh file` as a runner starts it and by the lines of `.ci/gitlab-file.yml`,
//! and pushes to a real server.

use super::bulk::{project, report, test};
use crate::support::{Said, Scratch, executable, hermetic, program, search_path};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// A repository with two scenarios, a server, and the checkout of a job with a report of both.
struct Ci {
    s: Scratch,
    checkout: PathBuf,
}

fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

const PASSED: [(&str, &str); 2] = [("a", ""), ("b", "")];

impl Ci {
    fn new() -> Self {
        let s = project(&[("works", &test("a")), ("more", &test("b"))]);
        s.git(&["branch", "-M", "main"]);
        s.git(&["clone", "-q", "--bare", ".", "../server.git"]);
        s.git(&["remote", "add", "origin", "../server.git"]);
        let bin = s.base.join("bin");
        std::fs::create_dir(&bin).expect("a directory");
        std::os::unix::fs::symlink(program(), bin.join("yatsu-hook")).expect("a link");
        let ci = Self { checkout: s.base.join("job"), s };
        ci.check_out("job");
        ci
    }

    /// A checkout of the server's main branch, with a report that is written now.
    fn check_out(&self, name: &str) -> PathBuf {
        self.s.git(&["clone", "-q", "../server.git", &format!("../{name}")]);
        self.s.write(&format!("../{name}/report.xml"), report(&PASSED));
        self.s.base.join(name)
    }

    fn path(&self) -> OsString {
        let mut path = self.s.base.join("bin").into_os_string();
        path.push(":");
        path.push(search_path());
        path
    }

    /// The step `file` of the action in a checkout.
    fn step(&self, checkout: &Path, variables: &[(&str, &str)]) -> Said {
        let mut command = hermetic("bash", &self.s.home());
        command.current_dir(checkout).arg(file(".ci/action.sh")).arg("file").env("PATH", self.path());
        for (name, value) in [
            ("GITHUB_ACTION_PATH", env!("CARGO_MANIFEST_DIR")),
            ("GITHUB_EVENT_NAME", "push"),
            ("GITHUB_REF", "refs/heads/main"),
            ("GITHUB_REPOSITORY", "o/r"),
            ("DEFAULT_BRANCH", "main"),
            ("INPUT_FILE", "*.xml"),
        ] {
            command.env(name, value);
        }
        Said::of(command.envs(variables.iter().copied()).output().expect("bash"))
    }

    fn git(&self, checkout: &Path, args: &[&str]) -> String {
        self.s.git(&[&["-C", checkout.to_str().expect("text")], args].concat())
    }

    /// The commits of the server's branch, the newest first.
    fn subjects(&self, branch: &str) -> Vec<String> {
        let log = self.s.git(&["-C", "../server.git", "log", "--format=%s", branch, "--"]);
        log.lines().map(str::to_owned).collect()
    }

    /// The score of the server's main branch.
    fn score(&self) -> String {
        self.s.git(&["fetch", "-q", "origin"]);
        let said = self.s.yatsu(&["scan", "--rev", "origin/main"]);
        said.out.lines().last().unwrap_or_default().to_owned()
    }

    /// Someone else pushes this file to main.
    fn push_of_another(&self, path: &str, text: &str) {
        self.s.git(&["pull", "-q", "--ff-only", "origin", "main"]);
        self.s.write(path, text);
        self.s.commit("of another");
        self.s.git(&["push", "-q", "origin", "main"]);
    }
}

#[test]
fn the_main_branch_gets_a_commit_of_readings_and_no_second_one() {
    let ci = Ci::new();
    let said = ci.step(&ci.checkout, &[]).expect(0);
    assert!(said.out.ends_with("filed, and pushed to main\n"), "{said:?}");
    assert_eq!(ci.subjects("main"), ["File the readings of CI [skip ci]", "begin"]);
    assert_eq!(ci.score(), "2 scenarios: 2 fresh (2 pass, 0 fail), 0 stale, 0 unmeasured");
    let changed = ci.s.git(&["diff", "--name-only", "origin/main~1", "origin/main"]);
    assert!(changed.lines().all(|path| path.ends_with(".evals.ndjson")), "{changed}");
    // the same report, and the next run with other output
    assert!(ci.step(&ci.checkout, &[]).expect(0).out.ends_with("nothing is new\n"));
    let next = ci.check_out("next");
    ci.s.write("../next/report.xml", report(&[("a", "<system-out>x</system-out>"), ("b", "")]));
    assert!(ci.step(&next, &[]).expect(0).out.ends_with("nothing is new\n"));
    let all = ci.step(&next, &[("INPUT_FILE_ALL", "true")]).expect(0);
    assert!(all.out.ends_with("filed, and pushed to main\n"), "{all:?}");
}

#[test]
fn where_nothing_is_to_be_filed_nothing_is() {
    let ci = Ci::new();
    let head = ci.git(&ci.checkout, &["rev-parse", "HEAD"]);
    let pull = [("GITHUB_EVENT_NAME", "pull_request"), ("GITHUB_HEAD_REF", "side"), ("HEAD_OF_PULL_REQUEST", &*head)];
    for variables in [
        &[("GITHUB_REF", "refs/heads/side")][..],
        &[("GITHUB_REF", "refs/tags/v1"), ("INPUT_FILE_BRANCHES", "true")],
        &pull,
        &[&pull[..], &[("HEAD_REPOSITORY", "fork/r"), ("INPUT_FILE_BRANCHES", "true")]].concat(),
        &[("GITHUB_EVENT_NAME", "pull_request_target"), ("INPUT_FILE_BRANCHES", "true")],
        &[("GITHUB_EVENT_NAME", "merge_group")],
    ] {
        let said = ci.step(&ci.checkout, variables).expect(0);
        assert_eq!(
            said.out, "yatsu-hook: nothing is filed here; readings are filed on the main branch\n",
            "{variables:?}"
        );
    }
    assert_eq!(ci.subjects("main"), ["begin"]);
    // on request the branch of a pull request, without the words that a squash would carry to main
    let asked = [&pull[..], &[("HEAD_REPOSITORY", "o/r"), ("INPUT_FILE_BRANCHES", "true")]].concat();
    ci.git(&ci.checkout, &["push", "-q", "origin", "HEAD:side"]);
    ci.step(&ci.checkout, &asked).expect(0);
    assert_eq!(ci.subjects("side"), ["File the readings of CI", "begin"]);
    // a merge is checked out
    let said = ci.step(&ci.checkout, &asked).expect(2);
    assert!(said.out.contains("a merge is checked out, not the branch"), "{said:?}");
}

/// Two jobs of one commit: the second finds that nothing waits for it.
#[test]
fn two_jobs_at_once_file_once() {
    let ci = Ci::new();
    let second = ci.check_out("second");
    ci.step(&ci.checkout, &[]).expect(0);
    let said = ci.step(&second, &[]).expect(0);
    assert!(said.out.ends_with("nothing is new\n"), "{said:?}");
    assert_eq!(ci.subjects("main").len(), 2);
    assert_eq!(ci.git(&second, &["rev-parse", "HEAD"]), ci.s.git(&["-C", "../server.git", "rev-parse", "main"]));
}

/// What was measured moved meanwhile: nothing of it is filed. What did not is.
#[test]
fn after_a_push_of_another_it_begins_again_from_the_new_tip() {
    let ci = Ci::new();
    ci.push_of_another("README", "words\n");
    let said = ci.step(&ci.checkout, &[]).expect(0);
    assert!(said.out.ends_with("filed, and pushed to main\n"), "{said:?}");
    assert_eq!(ci.subjects("main"), ["File the readings of CI [skip ci]", "of another", "begin"]);
    assert_eq!(ci.score(), "2 scenarios: 2 fresh (2 pass, 0 fail), 0 stale, 0 unmeasured");
    let ci = Ci::new();
    ci.push_of_another("tests/test_greet.py", "# changed\n");
    // that commit is older than the report, as one that was made before the tests began and pushed while they ran
    let said = ci.step(&ci.checkout, &[]).expect(0);
    assert!(said.out.contains("tests/test_greet.py moved since") && said.out.ends_with("nothing is new\n"), "{said:?}");
    assert_eq!(ci.subjects("main"), ["of another", "begin"]);
}

/// The server refuses: said, and the checkout is as before.
#[test]
fn a_protected_branch_is_said_and_is_no_failure() {
    let ci = Ci::new();
    let hook = ci.s.base.join("server.git/hooks/pre-receive");
    executable(&hook, "#!/bin/sh\necho 'GH006: Protected branch update failed' >&2\nexit 1\n");
    let before = ci.git(&ci.checkout, &["rev-parse", "HEAD"]);
    let said = ci.step(&ci.checkout, &[]).expect(0);
    let notice = "::notice title=yatsu-hook::main takes no push, so the readings are not filed: ";
    assert!(said.out.contains(notice) && said.out.contains("GH006"), "{said:?}");
    assert_eq!(ci.git(&ci.checkout, &["rev-parse", "HEAD"]), before);
    assert_eq!(ci.git(&ci.checkout, &["status", "--porcelain", "--ignored=no"]), "");
}

#[test]
fn a_server_that_is_always_ahead_ends_after_three_times() {
    let ci = Ci::new();
    // a hook that lets another push in before each of ours
    let hook = ci.s.base.join("server.git/hooks/pre-receive");
    executable(
        &hook,
        "#!/bin/sh\nunset GIT_QUARANTINE_PATH GIT_OBJECT_DIRECTORY GIT_ALTERNATE_OBJECT_DIRECTORIES\n\
         export GIT_COMMITTER_NAME=A GIT_COMMITTER_EMAIL=a@b GIT_AUTHOR_NAME=A GIT_AUTHOR_EMAIL=a@b\n\
         new=$(git commit-tree -m ahead -p main main^{tree}) && git update-ref refs/heads/main \"$new\"\n",
    );
    let said = ci.step(&ci.checkout, &[]).expect(0);
    assert!(said.out.contains("others pushed to main three times meanwhile: the next run files"), "{said:?}");
    assert_eq!(ci.subjects("main"), ["ahead", "ahead", "ahead", "begin"]);
}

#[test]
fn a_report_that_does_not_prove_its_run_fails_the_job_and_leaves_nothing() {
    let ci = Ci::new();
    let said = ci.step(&ci.checkout, &[("INPUT_FILE_EXIT", "2")]).expect(1);
    assert!(said.err.contains("the tests ended with exit code 2"), "{said:?}");
    ci.step(&ci.checkout, &[("INPUT_FILE", "none-*.xml")]).expect(2);
    assert_eq!(ci.git(&ci.checkout, &["status", "--porcelain"]), "");
    assert_eq!(ci.subjects("main"), ["begin"]);
}

/// A fail is filed, too: the job of the tests is red, and the score says why.
#[test]
fn a_fail_is_filed_and_what_else_is_staged_stays() {
    let ci = Ci::new();
    ci.s.write("../job/report.xml", report(&[("a", "<failure message=\"no\"/>"), ("b", "")]));
    ci.s.write("../job/other.txt", "x\n");
    ci.git(&ci.checkout, &["add", "other.txt"]);
    ci.step(&ci.checkout, &[("INPUT_FILE_EXIT", "1")]).expect(0);
    assert_eq!(ci.score(), "2 scenarios: 2 fresh (1 pass, 1 fail), 0 stale, 0 unmeasured");
    assert_eq!(ci.git(&ci.checkout, &["status", "--porcelain", "--untracked-files=no"]), "A  other.txt");
}

/// The lines of GitLab's job, with its variables.
#[test]
fn the_job_of_gitlab_files_in_a_detached_checkout() {
    let ci = Ci::new();
    ci.git(&ci.checkout, &["checkout", "-q", "--detach"]);
    let job = std::fs::read_to_string(file(".ci/gitlab-file.yml")).expect("the job");
    let (_, script) = job.split_once("  script:\n").expect("its script");
    let lines: Vec<&str> = script.lines().filter_map(|line| line.trim_start().strip_prefix("- ")).collect();
    assert_eq!(lines.len(), 2, "{script}");
    let script = format!("'{}'", file(".ci/file.sh").display());
    let lines = lines.join("\n").replace("/tmp/yatsu-hook/.ci/file.sh", &script);
    let mut command = hermetic("sh", &ci.s.home());
    command.current_dir(&ci.checkout).args(["-euc", &lines]).env("PATH", ci.path());
    for (name, value) in [
        ("CI_SERVER_HOST", "gitlab.example"),
        ("CI_PROJECT_PATH", "o/r"),
        ("CI_JOB_TOKEN", "T"),
        ("CI_DEFAULT_BRANCH", "main"),
        ("YATSU_REPORTS", "report.xml"),
        ("GIT_CONFIG_COUNT", "1"),
        ("GIT_CONFIG_VALUE_0", "https://gitlab-ci-token:T@gitlab.example/o/r.git"),
    ] {
        command.env(name, value);
    }
    command.env("GIT_CONFIG_KEY_0", format!("url.{}.insteadOf", ci.s.base.join("server.git").display()));
    let said = Said::of(command.output().expect("sh")).expect(0);
    assert!(said.out.ends_with("filed, and pushed to main\n"), "{said:?}");
    assert_eq!(ci.subjects("main"), ["File the readings of CI [skip ci]", "begin"]);
}
