//! `.ci/action.sh comment` and the job of `.ci/gitlab-comment.yml`, as a runner starts them, against a forge on loopback.
//! `gh` is tests/data/gh, which takes the arguments of the real one. Case P15.

mod needs_curl_and_jq;

use super::forge::{Forge, ME};
use super::{edit, measure, shop};
use crate::support::{Said, Scratch, executable, hermetic, program, search_path, sha256};
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

const MARKER: &str = "<!-- yatsu-hook:pr -->";

/// A repository with a pull request, and the forge that has it.
struct Pull {
    s: Scratch,
    forge: Forge,
    base: String,
    head: String,
}

fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

impl Pull {
    fn new() -> Self {
        let s = shop(&["a", "b"]);
        measure(&s, &[("a", "pass")], 0);
        let base = s.commit("measured");
        edit(&s, &["a"]);
        let head = s.commit("change");
        let forge = Forge::start(&head);
        let bin = s.base.join("bin");
        executable(&bin.join("gh"), &fs::read_to_string(file("tests/data/gh")).expect("the stand-in"));
        std::os::unix::fs::symlink(program(), bin.join("yatsu-hook")).expect("a link");
        Self { s, forge, base, head }
    }

    fn path(&self) -> OsString {
        let mut path = self.s.base.join("bin").into_os_string();
        path.push(":");
        path.push(search_path());
        path
    }

    /// The step `comment` of the action with more variables.
    fn comment(&self, variables: &[(&str, &str)]) -> Said {
        let mut command = hermetic("bash", &self.s.home());
        command.current_dir(&self.s.root).arg(file(".ci/action.sh")).arg("comment").env("PATH", self.path());
        for (name, value) in [
            ("GITHUB_EVENT_NAME", "pull_request"),
            ("GITHUB_REPOSITORY", "o/r"),
            ("GH_TOKEN", "secret"),
            ("FORGE", &self.forge.url),
            ("INPUT_COMMENT", "true"),
            ("NUMBER_OF_PULL_REQUEST", "12"),
            ("BASE_OF_PULL_REQUEST", &self.base),
            ("HEAD_OF_PULL_REQUEST", &self.head),
        ] {
            command.env(name, value);
        }
        command.env("RUNNER_TEMP", &self.s.base).env("GITHUB_STEP_SUMMARY", self.s.base.join("summary"));
        Said::of(command.envs(variables.iter().copied()).output().expect("bash"))
    }

    fn summary(&self) -> String {
        fs::read_to_string(self.s.base.join("summary")).unwrap_or_default()
    }

    fn body(&self) -> String {
        super::report(&self.s, &self.base, &self.head, &[]).out
    }
}

#[test]
fn only_a_pull_request_gets_a_comment_and_only_if_it_was_asked_for() {
    let pull = Pull::new();
    for variables in [
        &[("INPUT_COMMENT", "false")][..],
        &[("GITHUB_EVENT_NAME", "push")],
        &[("GITHUB_EVENT_NAME", "pull_request_target")],
        &[("GITHUB_EVENT_NAME", "merge_group")],
    ] {
        let said = pull.comment(variables).expect(0);
        assert_eq!(
            (said.out.as_str(), pull.summary(), pull.forge.requests().len()),
            ("", String::new(), 0),
            "{variables:?}"
        );
    }
    pull.comment(&[("INPUT_CHECKED", "-x")]).expect(2);
}

#[test]
fn a_comment_that_was_cut_off_is_not_posted() {
    let pull = Pull::new();
    let whole = pull.body();
    let own = pull.s.base.join("bin/yatsu-hook");
    for end in [0, 30, whole.len() - 2] {
        fs::remove_file(&own).unwrap();
        let body = &whole[..end];
        executable(&own, &format!("#!/bin/sh\ncat <<'END'\n{body}\nEND\nexit 1\n"));
        let said = pull.comment(&[]).expect(2);
        assert!(said.out.contains("the comment could not be made"), "{}", said.out);
        assert_eq!((pull.forge.bodies().len(), pull.summary()), (0, String::new()), "{body}");
    }
}

#[test]
fn a_group_of_the_merge_queue_has_the_comparison_in_its_summary() {
    let pull = Pull::new();
    let group = [
        ("GITHUB_EVENT_NAME", "merge_group"),
        ("BASE_OF_PULL_REQUEST", ""),
        ("HEAD_OF_PULL_REQUEST", ""),
        ("BASE_OF_MERGE_GROUP", &pull.base),
        ("HEAD_OF_MERGE_GROUP", &pull.head),
        ("INPUT_CHECKED", &pull.head),
    ];
    pull.comment(&group).expect(0);
    let same = format!("\nThe same content as at {}: 2 scenarios.\n", &pull.head[..12]);
    assert!(pull.summary().contains(&same), "{}", pull.summary());
    assert_eq!(pull.forge.requests().len(), 0);
}

/// The lines between these two of the page about comments, without their indentation.
fn lines_of_the_page(begin: &str, end: &str) -> String {
    let page = fs::read_to_string(file("docs/pull-requests.md")).expect("the page");
    let (_, rest) = page.split_once(begin).expect("its beginning");
    let (block, _) = rest.split_once(end).expect("its end");
    block.lines().map(|line| format!("{}\n", line.trim_start())).collect()
}

#[test]
fn the_step_of_the_page_names_the_head_that_the_merge_queue_tries() {
    let pull = Pull::new();
    pull.s.git(&["clone", "-q", "--bare", ".", "../origin.git"]);
    pull.s.git(&["remote", "add", "origin", "../origin.git"]);
    pull.s.git(&["push", "-q", "origin", &format!("{}:refs/pull/12/head", pull.head)]);
    let script = lines_of_the_page("        run: |\n", "      - uses:");
    let mut bash = hermetic("bash", &pull.s.home());
    bash.current_dir(&pull.s.root).args(["-e", "-c", &script]).env("GITHUB_OUTPUT", pull.s.base.join("output"));
    let queue = format!("refs/heads/gh-readonly-queue/main/pr-12-{}", pull.base);
    Said::of(bash.env("GITHUB_REF", queue).output().expect("bash")).expect(0);
    assert_eq!(fs::read_to_string(pull.s.base.join("output")).unwrap(), format!("checked={}\n", pull.head));
}

impl Pull {
    #[track_caller]
    fn leaves_no_token(&self) {
        let files = self.s.base.read_dir().expect("a directory").map(|one| one.expect("a file").file_name());
        let left: Vec<_> = files.filter(|name| name.to_string_lossy().starts_with("tmp.")).collect();
        assert!(left.is_empty(), "{left:?}");
    }

    /// The script of GitLab's job, as its runner hands it to a shell.
    fn job(&self, variables: &[(&str, &str)]) -> Said {
        let text = fs::read_to_string(file(".ci/gitlab-comment.yml")).expect("the job");
        let script = text.split("\n  script:\n    - |\n").nth(1).expect("a script");
        let script: String =
            script.lines().map(|line| format!("{}\n", line.strip_prefix("      ").unwrap_or(line))).collect();
        let api = format!("{}/api/v4", self.forge.url);
        let mut command = hermetic("bash", &self.s.home());
        command
            .current_dir(&self.s.root)
            .args(["-e", "-c", &script])
            .env("PATH", self.path())
            .env("TMPDIR", &self.s.base);
        for (name, value) in [
            ("CI_API_V4_URL", api.as_str()),
            ("CI_PROJECT_ID", "1"),
            ("CI_MERGE_REQUEST_IID", "12"),
            ("CI_MERGE_REQUEST_DIFF_BASE_SHA", &self.base),
            ("CI_COMMIT_SHA", &self.head),
            ("YATSU_HOOK_TOKEN", "secret"),
        ] {
            command.env(name, value);
        }
        Said::of(command.envs(variables.iter().copied()).output().expect("bash"))
    }
}
