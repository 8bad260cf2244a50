//! What asks the forge: `tests/data/gh` and the job of GitLab do it with `curl`, and read the answers with `jq`.

use super::*;

#[test]
#[ignore = "needs curl and jq"]
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
#[ignore = "needs curl and jq"]
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
#[ignore = "needs curl and jq"]
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
#[ignore = "needs curl and jq"]
fn a_range_that_cannot_be_judged_is_said_on_the_pull_request() {
    let pull = Pull::new();
    pull.comment(&[("INPUT_FROM", "nowhere")]).expect(0);
    assert!(pull.forge.bodies()[0].starts_with(&format!("{MARKER}\n## yatsu-hook: unchecked\n")));
}

#[test]
#[ignore = "needs curl and jq"]
fn a_strict_action_comments_the_verdict_of_its_check() {
    let pull = Pull::new();
    pull.comment(&[("INPUT_STRICT", "true")]).expect(0);
    assert!(pull.forge.bodies()[0].contains("\n## yatsu-hook: fail\n"), "{:?}", pull.forge.bodies());
}

#[test]
#[ignore = "needs curl and jq"]
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

#[test]
#[ignore = "needs curl and jq"]
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
#[ignore = "needs curl and jq"]
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
#[ignore = "needs curl and jq"]
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
