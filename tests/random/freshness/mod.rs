//! Random histories and random readings. The engine, on the program's own views of commits, index and working tree, is
//! compared with a slow judge. The judge follows the sentences of freshness.md over `git ls-tree` and the bytes of
//! objects, and shares no code with the engine. `YATSU_FULL=1` runs thousands of histories; `YATSU_SEED=N` runs one.

#![allow(clippy::unwrap_used)]

mod history;
mod slow_judge;

use crate::support::measured::{listed, unstamped, words};
use crate::support::real::{self, View};
use crate::support::{Scratch, oid};
use history::{Commit, Random, World};
use slow_judge::{Asked, Listing};
use std::collections::BTreeMap;
use std::rc::Rc;
use yatsu_hook::app::memo::anchors as memo;
use yatsu_hook::app::memo::anchors::AnchorsMemo;
use yatsu_hook::engine::anchors::Anchors;
use yatsu_hook::engine::effective::Effective;
use yatsu_hook::engine::freshness::Judge;
use yatsu_hook::model::ledger::{EvidenceHash, Reading, Stamped, StampedTest, Timestamp, encode_reading, parse};
use yatsu_hook::model::node::Node;
use yatsu_hook::model::scenario;
use yatsu_hook::model::stamp;
use yatsu_hook::repo::Repo;
use yatsu_hook::tree::Tree;
use yatsu_hook::tree::path::RepoPath;

const HISTORIES: u64 = 150;
const FULL_HISTORIES: u64 = 3000;
const QUESTIONS: usize = 12;

/// Entries of governed lists, for any history.
const ENTRIES: [&str; 26] = [
    "src/a",
    "src/b",
    "src/deep/c",
    "lib/a",
    "top",
    "src",
    "src/deep",
    "lib",
    "*",
    "src/*",
    "**/c",
    "lib/**",
    "link",
    "dirlink",
    "dirlink/a",
    "lib/in",
    "sub",
    "?never",
    "never",
    "empty",
    "empty/**",
    "lib/*",
    "lib/deep",
    "other",
    "other/*",
    "link2",
];

#[test]
fn the_engine_agrees_with_a_slow_obvious_judge() {
    let seeds = crate::support::seeds(HISTORIES, FULL_HISTORIES);
    let mut told = BTreeMap::new();
    for batch in seeds.chunks(150) {
        let world = history::build(batch);
        let repo = real::repo(&world.scratch);
        let mut memo = Vec::new();
        for (seed, commits) in &world.histories {
            for question in 0..QUESTIONS {
                let axes = ask(*seed, question, commits, (&world, &repo, &mut memo));
                *told.entry(axes).or_insert(0) += 1;
                let which = ask_which_counts(*seed, question, commits, (&world, &repo));
                *told.entry(which).or_insert(0) += 1;
            }
        }
    }
    println!("{told:?}");
    if seeds.len() >= 100 {
        let counts = ["the latest fresh", "the latest stale", "an earlier one fresh", "none"];
        for axes in ["", "code", "scenario", "code scenario", "anchor", "evaluator"].into_iter().chain(counts) {
            assert!(told.contains_key(axes), "no history led to {axes:?}: {told:?}");
        }
    }
}

/// The content of a commit as one of the three views that can be judged.
fn view_of(random: &mut Random, (scratch, repo): (&Scratch, &Repo), commit: &Commit) -> (Rc<dyn Tree>, &'static str) {
    match random.below(12) {
        0 => {
            scratch.git(&["checkout", "-q", "-f", "--detach", &commit.id]);
            scratch.git(&["clean", "-q", "-ffdx"]);
            litter(random, scratch);
            (real::view(scratch, &View::Worktree), "working tree")
        }
        1 | 2 => {
            let index = scratch.base.join("judged-index");
            let mut command = scratch.git_command(&["read-tree", &commit.id]);
            assert!(command.env("GIT_INDEX_FILE", &index).status().unwrap().success());
            let repo = real::repo_with(scratch, &[("GIT_INDEX_FILE", &index)]);
            (repo.index_view().unwrap(), "index")
        }
        _ => (repo.commit_view(&oid(&commit.id)).unwrap(), "commit"),
    }
}

/// Directories that git ignores: empty ones, and ones with only ignored files.
fn litter(random: &mut Random, scratch: &Scratch) {
    scratch.write(".git/info/exclude", "*.ignored\n");
    for dir in ["never", "empty/deep", "lib", "other/deep", "src/deep", "gone", "dirlink"] {
        let at = scratch.root.join(dir);
        // not where a file or a link stands
        let is_free = at.ancestors().take_while(|above| **above != scratch.root).all(|above| {
            above.symlink_metadata().is_ok_and(|about| about.is_dir()) || above.symlink_metadata().is_err()
        });
        if is_free && !random.one_in(3) {
            std::fs::create_dir_all(&at).unwrap();
            if random.one_in(2) {
                std::fs::write(at.join("x.ignored"), "ignored\n").unwrap();
            }
        }
    }
}

/// Two lists, for the question and for the reading: as declared, or random.
fn lists<'l>(random: &mut Random, (now, then): (&'l [String], &'l [String])) -> (Vec<&'l str>, Vec<&'l str>) {
    let declared = |list: &'l [String]| list.iter().map(String::as_str).collect::<Vec<&str>>();
    if !now.is_empty() && random.one_in(2) {
        return (declared(now), declared(if then.is_empty() { now } else { then }));
    }
    let list: Vec<&str> = (0..1 + random.below(3)).map(|_| *random.pick(&ENTRIES)).collect();
    let filed = if random.one_in(3) { vec![*random.pick(&ENTRIES)] } else { list.clone() };
    (list, filed)
}

/// Two tests, for the question and for the reading: as declared, or random.
fn tests(random: &mut Random, (now, then): (&Listing<'_>, &Listing<'_>)) -> (Option<String>, Option<String>) {
    let mut any = |declared: Option<String>| match random.below(4) {
        0 | 1 => declared,
        2 => Some((*random.pick(&history::TESTS)).to_owned()),
        _ => None,
    };
    (any(now.declared_test()), any(then.declared_test()))
}

/// Asks both judges one random question and returns the answer.
fn ask(seed: u64, question: usize, commits: &[Commit], (world, repo, memo): (&World, &Repo, &mut Vec<u8>)) -> String {
    let mut random = Random::new(seed.wrapping_mul(1000) + question as u64 + 1);
    let (anchor, measured, judged) = (random.pick(commits), random.pick(commits), random.pick(commits));
    let measured = if random.one_in(2) { anchor } else { measured };
    let lost = random.one_in(6);
    let is_stamped = random.one_in(2);
    let has_hash = random.one_in(2);

    let listings = [anchor, measured, judged].map(|commit| Listing::parse(&commit.listing, &world.blobs));
    let [at_anchor, at_measuring, in_view] = &listings;
    let Some(text) = in_view.declared_text() else { return "no scenario".to_owned() };
    let declared = (in_view.declared_list(), at_measuring.declared_list());
    let (list, filed_list) = lists(&mut random, (&declared.0, &declared.1));
    let stamp = is_stamped.then(|| at_measuring.stamp(&filed_list));
    let (test, filed_test) = tests(&mut random, (in_view, at_measuring));
    let test_stamp = filed_test.as_deref().map(|test| at_measuring.stamp(&[test]));
    let asked = Asked {
        list: &list,
        stamp: stamp.as_ref(),
        dirty: match &stamp {
            Some(stamp) => *stamp != at_anchor.stamp(&filed_list),
            None => random.one_in(4),
        },
        anchor: (!lost).then_some(at_anchor),
        hash_text: has_hash.then(|| at_measuring.declared_text().map_or_else(String::new, |(_, text)| text)),
        test: test.as_deref(),
        test_stamp: test_stamp.as_ref(),
    };
    let expected = slow_judge::judge(in_view, &asked).axes;

    let (view, form) = view_of(&mut random, (&world.scratch, repo), judged);
    let what = format!(
        "YATSU_SEED={seed} question {question}: list {list:?}, filed with {filed_list:?}, anchor {} (lost: {lost}), measured {}, \
         {form} {}, stamp {stamp:?}, dirty {}, hash {:?}, test {test:?}, its stamp {test_stamp:?}",
        anchor.id, measured.id, judged.id, asked.dirty, asked.hash_text
    );
    let found = engine(&*view, &text, &asked, (anchor, lost), &Anchors::new(repo.history()));
    assert_eq!(found, expected, "{what}");
    let knowing = match AnchorsMemo::open(memo.clone()) {
        Some(known) => Anchors::knowing(repo.history(), Box::new(known)),
        None => Anchors::new(repo.history()),
    };
    assert_eq!(engine(&*view, &text, &asked, (anchor, lost), &knowing), expected, "with the memo: {what}");
    if let Some(learned) = knowing.learned() {
        *memo = memo::encode(&[learned.asked, learned.others].concat()).unwrap();
    }
    let measured = repo.commit_view(&oid(&measured.id)).unwrap();
    let own = stamp::stamp(&*measured, &filed_list.iter().map(|text| listed(text)).collect::<Vec<_>>());
    assert!(stamp.is_none_or(|stamp| own.unwrap().unwrap() == parsed(&stamp)), "the stamp: {what}");
    found
}

fn engine(
    view: &dyn Tree,
    (dir, _): &(String, String),
    asked: &Asked<'_>,
    (anchor, lost): (&Commit, bool),
    anchors: &Anchors,
) -> String {
    let node = node(view, dir, (asked.list, asked.test));
    let reading = reading(asked, (anchor, lost));
    let evaluators = BTreeMap::new();
    let scenario = &node.file.as_ref().unwrap().scenarios[0];
    words(&Judge::new(view, anchors, &evaluators).freshness(&node, scenario, &reading).unwrap())
}

/// The asked reading in the form of the program.
fn reading(asked: &Asked<'_>, (anchor, lost): (&Commit, bool)) -> Reading {
    let id = if lost { "1".repeat(40) } else { anchor.id.clone() };
    Reading {
        governed: asked.stamp.map(parsed),
        test: asked.test_stamp.map(|stamp| StampedTest { files: parsed(stamp), ..StampedTest::default() }),
        dirty: asked.dirty,
        scenario_hash: asked.hash_text.as_ref().map(|text| {
            use sha2::Digest;
            EvidenceHash(sha2::Sha256::digest(text).into())
        }),
        ..unstamped("s", &id)
    }
}

/// A reading of a random history: its anchor and its line.
struct FiledReading<'c> {
    anchor: &'c Commit,
    lost: bool,
    measured: Listing<'c>,
    at_anchor: Listing<'c>,
    stamp: Option<BTreeMap<String, String>>,
    test_stamp: Option<BTreeMap<String, String>>,
    has_hash: bool,
    dirty: bool,
    ts: i64,
}

/// The lines of these readings, and of the retraction of the reading at `withdrawn`.
fn ledger_of(filed: &[FiledReading<'_>], (list, test): (&[&str], Option<&str>), withdrawn: Option<i64>) -> String {
    let lines = filed.iter().enumerate().map(|(number, one)| {
        let (by, ts) = (Some(number.to_string()), Timestamp { millis: one.ts });
        encode_reading(&Reading { ts, by, ..reading(&one.asked(list, test), (one.anchor, one.lost)) }) + "\n"
    });
    let time = |millis: i64| format!("1970-01-01T00:00:00.{millis:03}Z");
    let retraction =
        withdrawn.map(|ts| format!("{{\"retracts\":\"{}\",\"scenario\":\"s\",\"ts\":\"{}\"}}\n", time(ts), time(9)));
    lines.chain(retraction).collect()
}

/// Files random readings of two branches and of their merges, and asks both judges which one counts, at any commit
/// before and after, with reverts among them. Some readings have no stamp, some were measured on an edit, some are
/// withdrawn.
fn ask_which_counts(seed: u64, question: usize, commits: &[Commit], (world, repo): (&World, &Repo)) -> String {
    let mut random = Random::new(seed.wrapping_mul(7919) + question as u64 + 1);
    let judged = random.pick(commits);
    let in_view = Listing::parse(&judged.listing, &world.blobs);
    let Some(text) = in_view.declared_text() else { return "no scenario".to_owned() };
    let declared = in_view.declared_list();
    let (list, filed_list) = lists(&mut random, (&declared, &declared));
    let (test, filed_test) = tests(&mut random, (&in_view, &in_view));
    let mut filed = Vec::new();
    for _ in 0..1 + random.below(6) {
        let anchor = random.pick(commits);
        // one in two of the judged content, because otherwise few readings would be fresh
        let measured = if random.one_in(3) { judged } else { anchor };
        let at = |commit: &'_ Commit| Listing::parse(&commit.listing, &world.blobs);
        let (measured, at_anchor) = (at(measured), at(anchor));
        let stamp = (!random.one_in(8)).then(|| measured.stamp(&filed_list));
        let dirty = stamp.as_ref().map_or(random.one_in(3), |stamp| *stamp != at_anchor.stamp(&filed_list));
        let (lost, has_hash, ts) = (random.one_in(6), random.one_in(2), random.below(5) as i64);
        let test_stamp = filed_test.as_deref().filter(|_| stamp.is_some()).map(|test| measured.stamp(&[test]));
        filed.push(FiledReading { anchor, lost, measured, at_anchor, stamp, test_stamp, has_hash, dirty, ts });
    }
    let withdrawn = random.one_in(3).then(|| random.below(5) as i64);

    let test = test.as_deref();
    let ledger = ledger_of(&filed, (&list, test), withdrawn);
    let mut effective: Vec<usize> = (0..filed.len()).filter(|number| Some(filed[*number].ts) != withdrawn).collect();
    effective.sort_by_key(|number| std::cmp::Reverse((filed[*number].ts, *number)));
    let newest_first: Vec<Asked<'_>> = effective.iter().map(|number| filed[*number].asked(&list, test)).collect();
    let expected = (!effective.is_empty()).then(|| {
        let place = slow_judge::counting(&in_view, &newest_first);
        (effective[place], slow_judge::judge(&in_view, &newest_first[place]).axes)
    });

    let (view, form) = view_of(&mut random, (&world.scratch, repo), judged);
    let path = RepoPath::from_git("ledger");
    let node = Node { ledgers: vec![parse(&path, ledger.as_bytes())], ..node(&*view, &text.0, (&list, test)) };
    let (anchors, evaluators) = (Anchors::new(repo.history()), BTreeMap::new());
    let judge = Judge::new(&*view, &anchors, &evaluators);
    let found = judge.counting(&node, &node.file.as_ref().unwrap().scenarios[0], &Effective::of(&node));
    let found = found.map(|one| (one.filed.line as usize - 1, words(&one.freshness.unwrap())));
    assert_eq!(
        found, expected,
        "YATSU_SEED={seed} which counts {question}: list {list:?}, filed with {filed_list:?}, test {test:?}, {form} {}, withdrawn {withdrawn:?}, ledger\n{}",
        judged.id, ledger
    );
    match expected {
        None => "none".to_owned(),
        Some((number, axes)) => {
            let which = if number == effective[0] { "the latest" } else { "an earlier one" };
            format!("{which} {}", if axes.is_empty() { "fresh" } else { "stale" })
        }
    }
}

impl FiledReading<'_> {
    fn asked<'q>(&'q self, list: &'q [&'q str], test: Option<&'q str>) -> Asked<'q> {
        let text = || self.measured.declared_text().map_or_else(String::new, |(_, text)| text);
        Asked {
            list,
            stamp: self.stamp.as_ref(),
            dirty: self.dirty,
            anchor: (!self.lost).then_some(&self.at_anchor),
            hash_text: self.has_hash.then(text),
            test,
            test_stamp: self.test_stamp.as_ref(),
        }
    }
}

/// The node of that directory, with the question's list and test instead of the file's.
fn node(view: &dyn Tree, dir: &str, (list, test): (&[&str], Option<&str>)) -> Node {
    let dir = RepoPath::from_git(dir);
    let read = |name: &str| {
        let path = dir.child(name.as_bytes());
        view.read(&path).unwrap().map(|bytes| scenario::parse(&path, &bytes, &[]))
    };
    let mut file = read("yatsu.md").or_else(|| read("eval.md")).unwrap();
    file.scenarios[0].code = list.iter().map(|text| listed(text)).collect();
    file.scenarios[0].test = test.map(listed);
    Node { dir, file: Some(file), ..Node::default() }
}

fn parsed(stamp: &BTreeMap<String, String>) -> BTreeMap<RepoPath, Stamped> {
    let value = |text: &str| match text.split_once(':') {
        Some(("x", id)) => Stamped::Exec(oid(id)),
        Some(("l", id)) => Stamped::Link(oid(id)),
        Some(("m", id)) => Stamped::Submodule(oid(id)),
        _ if text == "-" => Stamped::Absent,
        _ => Stamped::File(oid(text)),
    };
    stamp.iter().map(|(path, text)| (RepoPath::from_git(path.as_str()), value(text))).collect()
}
