//! `runlog-progress`: the page of a run agrees with its log.

use super::{all, only, silent, staged};
use crate::support::Scratch;
use crate::support::runlog::{LOG, begun, end};
use yatsu_hook::features::runlogs::judge::engine::page;
use yatsu_hook::features::runlogs::judge::engine::story::Story;
use yatsu_hook::features::runlogs::model::builtin::{QUALITY_PLAYBOOK, find};

const RULE: &str = "runlog-progress";
const PAGE: &str = "quality/PROGRESS.md";

fn rendered(log: &str, before: Option<&str>) -> Vec<u8> {
    let profile = find(QUALITY_PLAYBOOK).expect("a profile");
    let story = Story::read(log.as_bytes(), profile).expect("memory");
    page::render(&story, profile, before.map(str::as_bytes))
}

#[test]
fn a_log_without_a_page_is_fine() {
    let scratch = Scratch::new();
    scratch.write(LOG, begun());
    silent(staged(&scratch, RULE));
    silent(all(&scratch, RULE));
}

#[test]
fn a_page_that_somebody_edited_is_told_and_blocks_nothing() {
    let scratch = Scratch::new();
    scratch.write(LOG, begun());
    scratch.write(PAGE, rendered(&begun(), None));
    silent(staged(&scratch, RULE));
    scratch.commit("a run");
    let page = scratch.read(PAGE);
    scratch.write(PAGE, page.replacen("- [ ] Phase 2", "- [x] Phase 2", 1));
    assert_eq!(only(staged(&scratch, RULE))["path"], PAGE);
    insta::assert_snapshot!(scratch.session("yatsu-hook check --staged"));
    only(all(&scratch, RULE));
    scratch.hook("pre-commit", "pre-commit");
    scratch.git(&["commit", "-q", "-m", "edited"]);
}

#[test]
fn a_page_that_stays_behind_its_log_is_told() {
    let scratch = Scratch::new();
    scratch.write(LOG, begun());
    scratch.write(PAGE, rendered(&begun(), None));
    scratch.commit("a run");
    scratch.write(LOG, begun() + &end(2, 4));
    only(staged(&scratch, RULE));
    let own = String::from_utf8(rendered(&(begun() + &end(2, 4)), None)).expect("text") + "\n## Of my own\n\nstays\n";
    scratch.write(PAGE, own);
    silent(staged(&scratch, RULE));
}
