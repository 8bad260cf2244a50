//! Generated histories: three writers who all file readings, with branches, merges, squashes, rebases (with dropped and
//! reordered commits) and cherry-picks. Every ledger is merged by the merge driver's own function. No line is lost, no
//! honest push is refused by the history rule, and no edit of a committed line gets through. `YATSU_FULL=1` runs
//! thousands of seeds; `YATSU_SEED=N` runs one.

mod writers;

use crate::support::{Scratch, hermetic, scenarios};
use std::io::Write;
use std::process::Stdio;
use writers::{Honesty, NODES, Push, SCENARIOS, Story};
use yatsu_hook::app::doors::push::refs::Update;
use yatsu_hook::app::doors::push::{How, Remote, push};
use yatsu_hook::app::judge::Options;
use yatsu_hook::app::judge::verdict::Reader;
use yatsu_hook::finding::{Level, RuleId};
use yatsu_hook::model::ledger::Timestamp;
use yatsu_hook::repo::Repo;
use yatsu_hook::repo::open::env::Env;
use yatsu_hook::tree::oid::Oid;

const SEEDS: u64 = 100;
const FULL_SEEDS: u64 = 3000;
/// Seeds that share a repository and one run of fast-import.
const BATCH: u64 = 50;

/// The results of the pushes of some stories.
#[derive(Debug, Default)]
struct Tally {
    merges: usize,
    honest: usize,
    tampered: usize,
}

#[test]
fn writers_lose_nothing_and_tampering_is_caught() {
    let full = std::env::var_os("YATSU_FULL").is_some();
    let seeds: Vec<u64> = match std::env::var("YATSU_SEED").ok().and_then(|text| text.parse().ok()) {
        Some(seed) => vec![seed],
        None => (0..if full { FULL_SEEDS } else { SEEDS }).collect(),
    };
    let mut sum = Tally::default();
    for batch in seeds.chunks(BATCH as usize) {
        let tally = run(batch);
        sum.merges += tally.merges;
        sum.honest += tally.honest;
        sum.tampered += tally.tampered;
    }
    println!("{} histories: {sum:?}", seeds.len());
    assert!(sum.merges >= seeds.len() && sum.honest >= seeds.len() && sum.tampered >= seeds.len(), "{sum:?}");
}

fn run(seeds: &[u64]) -> Tally {
    let stories: Vec<Story> = seeds.iter().map(|seed| writers::tell(*seed)).collect();
    let scratch = Scratch::new();
    let ids = import(&scratch, &stories);
    let path = ("PATH".into(), std::env::var_os("PATH").unwrap_or_default());
    let mut env = Env::from_vars([path, ("HOME".into(), scratch.home().into())]);
    env.euid = rustix::process::geteuid().as_raw();
    let repo = Repo::open(&env, &scratch.root).expect("a repository");
    let mut tally = Tally::default();
    for (story, ids) in stories.iter().zip(&ids) {
        tally.merges += story.merges;
        for pushed in &story.pushes {
            judge(&repo, story.seed, pushed, ids);
            *if pushed.honesty == Honesty::Tampered { &mut tally.tampered } else { &mut tally.honest } += 1;
        }
    }
    tally
}

/// Pushes in the library like the hook does: the other branches of the remote are known too.
fn judge(repo: &Repo, seed: u64, pushed: &Push, ids: &[Oid]) {
    let update = |branch: &str, old: Option<usize>, new: Option<usize>| Update {
        name: format!("refs/heads/{branch}").into(),
        old: old.map(|at| ids[at]),
        new: new.map(|at| ids[at]),
    };
    let mut updates = vec![update(pushed.branch, pushed.old, Some(pushed.new))];
    updates.extend(pushed.known.iter().map(|at| update("elsewhere", Some(*at), None)));
    let now = Timestamp { millis: 4_000_000_000_000 };
    let options = Options {
        strict: false,
        now,
        reader: Reader::Person,
        reads_files: true,
        scores_goals: false,
        approval: Default::default(),
    };
    let how = How { options, progress: &|_| {}, briefly: true };
    let report = push(repo, &updates, &Remote::default(), how).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
    let lost = report.findings.iter().filter(|finding| finding.rule == RuleId::LedgerHistory);
    let worst = lost.map(|finding| finding.level).max();
    let right = match pushed.honesty {
        Honesty::Kept => worst.is_none_or(|level| level == Level::Info),
        Honesty::Dropped => worst.is_none_or(|level| level <= Level::Warning),
        Honesty::Tampered => worst == Some(Level::Error),
    };
    assert!(right, "seed {seed}: {pushed:?} {updates:?}\n{:#?}", report.findings);
    if pushed.honesty != Honesty::Tampered {
        let errors: Vec<_> = report.findings.iter().filter(|finding| finding.level == Level::Error).collect();
        assert!(errors.is_empty(), "seed {seed}: {errors:#?}");
    }
}

/// Imports every commit of every story by one run of fast-import; returns the ids in the stories' order.
fn import(scratch: &Scratch, stories: &[Story]) -> Vec<Vec<Oid>> {
    let mut stream = Vec::new();
    let mut mark = 0;
    for (number, story) in stories.iter().enumerate() {
        let first = mark + 1;
        for (at, commit) in story.commits.iter().enumerate() {
            mark += 1;
            let date = 1_767_225_600 + at * 60;
            stream.extend(format!("commit refs/gen/{number}/{at}\nmark :{mark}\ncommitter A <a@example.invalid> {date} +0000\ndata 1\nx\n").bytes());
            for (nth, parent) in commit.parents.iter().enumerate() {
                stream.extend(format!("{} :{}\n", if nth == 0 { "from" } else { "merge" }, first + parent).bytes());
            }
            stream.extend(b"deleteall\n");
            file(&mut stream, "src/a.rs", b"fn a() {}\n");
            for (dir, ledger) in NODES.iter().zip(&commit.ledgers) {
                file(&mut stream, &format!("{dir}/yatsu.md"), scenarios(&[(SCENARIOS[0], "src/a.rs")]).as_bytes());
                file(&mut stream, &format!("{dir}/yatsu.evals.ndjson"), ledger);
            }
        }
    }
    let marks = scratch.base.join("marks");
    let mut command = hermetic("git", &scratch.home());
    command.current_dir(&scratch.root).args(["fast-import", "--quiet", "--force"]);
    let mut child =
        command.arg(format!("--export-marks={}", marks.display())).stdin(Stdio::piped()).spawn().expect("git");
    child.stdin.take().expect("a pipe").write_all(&stream).expect("written");
    assert!(child.wait().expect("git ends").success());
    let text = std::fs::read_to_string(marks).expect("marks");
    let mut by_mark: Vec<(usize, Oid)> = text
        .lines()
        .map(|line| line.split_once(' ').expect("a mark"))
        .map(|(mark, id)| (mark[1..].parse().expect("a number"), Oid::from_hex(id.as_bytes()).expect("an id")))
        .collect();
    by_mark.sort_unstable_by_key(|(mark, _)| *mark);
    let mut ids = by_mark.into_iter().map(|(_, id)| id);
    stories.iter().map(|story| ids.by_ref().take(story.commits.len()).collect()).collect()
}

fn file(stream: &mut Vec<u8>, path: &str, content: &[u8]) {
    stream.extend(format!("M 100644 inline {path}\ndata {}\n", content.len()).bytes());
    stream.extend(content);
    stream.push(b'\n');
}
