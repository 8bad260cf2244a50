//! `.ci/action.sh comment` and the job of `.ci/gitlab-comment.yml`, as a runner starts them, against a forge on loopback.
//! `gh` is tests/data/gh, which takes the arguments of the real one. Case P15.

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
fn the_first_own_comment_that_begins_with_the_marker_is_edited_else_one_is_made() {
    let pull = Pull::new();
    pull.forge.says("other", &format!("{MARKER}\nI am not you"));
    pull.forge.says(ME, &format!("> {MARKER}\nquoted"));
    pull.forge.says(ME, "hello");
    pull.comment(&[]).expect(0);
    assert_eq!(pull.forge.bodies()[3], pull.body());
    let first = pull.forge.requests();
    pull.forge.says(ME, &format!("{MARKER}\na twin is left"));
    let before = pull.forge.bodies();
    let measured = pull.comment(&[("INPUT_PAGE_URL", "https://example.org/page.html")]).expect(0);
    assert_eq!((measured.out.as_str(), pull.summary().as_str()), ("", ""));
    let after = pull.forge.bodies();
    let edited: Vec<usize> = (0..after.len()).filter(|at| before[*at] != after[*at]).collect();
    assert_eq!((after.len(), edited), (5, vec![3]));
    assert!(after[3].contains("](https://example.org/page.html#open=s-"), "{}", after[3]);
    insta::assert_snapshot!("requests_to_github", [first, pull.forge.requests()].concat().join("\n"));
}

// P15
#[test]
fn a_run_for_an_older_head_writes_nothing() {
    let pull = Pull::new();
    pull.forge.says(ME, &format!("{MARKER}\nas the newer run said it"));
    let newer = "0123456789012345678901234567890123456789";
    pull.forge.state().head = newer.to_owned();
    let said = pull.comment(&[]).expect(0);
    assert_eq!(said.out, format!("a newer commit was pushed, {newer}: its own run will comment\n"));
    assert_eq!(pull.forge.bodies(), [format!("{MARKER}\nas the newer run said it")]);
    assert_eq!((pull.forge.requests().len(), pull.summary()), (1, String::new()), "it is asked first");
}

// P15
#[test]
fn without_the_right_to_write_the_summary_has_the_comment_and_the_exit_code_stays() {
    let pull = Pull::new();
    pull.forge.state().is_read_only = true;
    let said = pull.comment(&[]).expect(0);
    assert!(said.out.starts_with("::notice title=yatsu-hook::the comment could not be posted"), "{}", said.out);
    assert!(said.err.contains("Resource not accessible by integration"), "{}", said.err);
    assert_eq!((pull.summary(), pull.forge.bodies().len()), (pull.body(), 0));
    fs::remove_file(pull.s.base.join("summary")).unwrap();
    pull.comment(&[("FORGE", "http://127.0.0.1:1")]).expect(0);
    assert_eq!(pull.summary(), pull.body(), "a forge that does not answer");
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
fn a_range_that_cannot_be_judged_is_said_on_the_pull_request() {
    let pull = Pull::new();
    pull.comment(&[("INPUT_FROM", "nowhere")]).expect(0);
    assert!(pull.forge.bodies()[0].starts_with(&format!("{MARKER}\n## yatsu-hook: unchecked\n")));
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
fn a_strict_action_comments_the_verdict_of_its_check() {
    let pull = Pull::new();
    pull.comment(&[("INPUT_STRICT", "true")]).expect(0);
    assert!(pull.forge.bodies()[0].contains("\n## yatsu-hook: fail\n"), "{:?}", pull.forge.bodies());
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

#[test]
fn the_commands_of_the_page_for_a_person_attach_each_picture() {
    let pull = Pull::new();
    pull.s.write("../shot.gif", crate::page::GIF);
    pull.s.yatsu(&["eval", "shop", "--scenario", "a", "--fail", "--image", "../shot.gif"]).expect(0);
    pull.s.commit("measured");
    pull.s.git(&["branch", "base", &pull.base]);
    let bin = pull.s.base.join("own/bin");
    executable(
        &bin.join("gh"),
        "#!/bin/sh\nprintf '%s\\n' \"$@\" >said\n[ -s \"$4\" ] && [ -s \"$6\" ] && [ $# = 6 ]\n",
    );
    let script =
        lines_of_the_page("replaces its name in the body:\n", "## GitLab").replace("--from main", "--from base");
    let mut bash = hermetic("bash", &pull.s.home());
    let path = [bin.into_os_string(), pull.path()].join(std::ffi::OsStr::new(":"));
    Said::of(bash.current_dir(&pull.s.root).args(["-e", "-c", &script]).env("PATH", path).output().expect("bash"))
        .expect(0);
    let picture = format!("./yatsu-{}.gif", &sha256(crate::page::GIF)[..12]);
    assert_eq!(pull.s.read("said"), format!("pr\ncomment\n--body-file\nBODY\n--attach\n{picture}\n"));
    assert!(pull.s.read("BODY").contains(&format!("![after]({picture})")));
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

#[test]
fn the_job_of_gitlab_uploads_pictures_and_edits_its_own_note() {
    let mut pull = Pull::new();
    pull.s.write("../shot.gif", crate::page::GIF);
    pull.s.yatsu(&["eval", "shop", "--scenario", "a", "--fail", "--image", "../shot.gif"]).expect(0);
    pull.head = pull.s.commit("measured");
    pull.forge.state().head.clone_from(&pull.head);
    pull.forge.says("other", &format!("{MARKER}\nI am not you"));
    pull.forge.says(ME, "hello");
    pull.job(&[]).expect(0);
    let picture = format!("![after](/uploads/0123456789abcdef/yatsu-{}.gif)", &sha256(crate::page::GIF)[..12]);
    let bodies = pull.forge.bodies();
    assert!(bodies.len() == 3 && bodies[2].starts_with(MARKER) && bodies[2].contains(&picture), "{bodies:#?}");
    let first = pull.forge.requests();
    pull.forge.state().comments[2].body = format!("{MARKER}\nold");
    pull.job(&[]).expect(0);
    assert_eq!(pull.forge.bodies(), bodies, "edited");
    insta::assert_snapshot!("requests_to_gitlab", [first, pull.forge.requests()].concat().join("\n"));
    pull.leaves_no_token();
}

// P15
#[test]
fn the_job_of_gitlab_posts_nothing_for_an_older_head_or_without_a_token() {
    let pull = Pull::new();
    let said = pull.job(&[("YATSU_HOOK_TOKEN", "")]).expect(0);
    assert!(said.out.contains("nothing is posted") && pull.forge.requests().is_empty(), "{}", said.out);
    pull.forge.state().head = "0123456789012345678901234567890123456789".into();
    let said = pull.job(&[]).expect(0);
    assert_eq!(
        (said.out.as_str(), pull.forge.bodies().len()),
        ("a newer commit was pushed: its own pipeline will comment\n", 0)
    );
    pull.leaves_no_token();
}

#[test]
fn the_job_of_gitlab_fails_where_the_forge_refuses_or_there_is_no_comment() {
    let pull = Pull::new();
    let said = pull.job(&[("CI_API_V4_URL", "http://127.0.0.1:1/api/v4")]);
    assert!(said.code != 0 && !said.out.contains("newer commit"), "{said:?}");
    pull.leaves_no_token();
    let own = pull.s.base.join("bin/yatsu-hook");
    fs::remove_file(&own).unwrap();
    executable(&own, "#!/bin/sh\nexit 2\n");
    let said = pull.job(&[]).expect(2);
    assert!(said.err.contains("the comment could not be made"), "{}", said.err);
    assert!(pull.forge.requests().is_empty());
    pull.leaves_no_token();
}
