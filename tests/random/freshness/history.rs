//! Random histories, built by one `git fast-import` for a whole batch of seeds and read back by git alone.

use super::ENTRIES;
use crate::support::{Scratch, hermetic};
use std::collections::BTreeMap;
use std::io::Write;
use std::process::Stdio;
use std::rc::Rc;

/// Every object's bytes by id.
pub(super) type Blobs = BTreeMap<String, Vec<u8>>;

/// One commit, as git lists it.
pub(super) struct Commit {
    pub(super) id: String,
    /// `git ls-tree -r -t -z`.
    pub(super) listing: Vec<u8>,
}

/// A batch of histories in one repository.
pub(super) struct World {
    /// The repository with these histories.
    pub(super) scratch: Scratch,
    pub(super) histories: Vec<(u64, Vec<Commit>)>,
    pub(super) blobs: Rc<Blobs>,
}

/// A small generator of numbers (splitmix64): a seed always gives the same history.
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(super) fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % end as u64) as usize
    }

    pub(super) fn one_in(&mut self, odds: usize) -> bool {
        self.below(odds) == 0
    }

    pub(super) fn pick<'t, T>(&mut self, from: &'t [T]) -> &'t T {
        &from[self.below(from.len())]
    }
}

/// The content of a commit: mode and bytes by path.
type State = BTreeMap<String, (&'static str, String)>;

const FILES: [&str; 8] = ["src/a", "src/b", "src/deep/c", "lib/a", "lib/deep/c", "top", "other/c", "c"];
const CONTENTS: [&str; 5] = ["one\n", "two\n", "three\n", "\n", ""];
const LINKS: [&str; 4] = ["link", "dirlink", "lib/in", "src/out"];
const TARGETS: [&str; 12] =
    ["src/a", "src", "lib", "lib/a", "../src/a", "../src", "../..", "/etc", "gone", "link", "dirlink/a", "src/../top"];
const NODES: [&str; 4] = [".spec/n", ".spec/moved/n", ".spec/other", ".spec/x/y"];
const TEXTS: [&str; 2] = ["works", "works well"];
/// The tests that scenarios declare: files, a directory, a link, and one that is never there.
pub(super) const TESTS: [&str; 7] = ["src/b", "lib/a", "top", "c", "src/deep", "link", "never"];
const MOVES: [(&str, &str); 9] = [
    ("src/", "lib/"),
    ("lib/", "src/"),
    ("src/", "other/"),
    ("other/", "lib/"),
    ("link", "link2"),
    ("src/deep/", "lib/deep/"),
    ("src/a", "src/b"),
    ("top", "c"),
    ("other/", "src/"),
];

/// Builds and reads back the histories of these seeds.
pub(super) fn build(seeds: &[u64]) -> World {
    let scratch = Scratch::new();
    let (mut stream, mut marks) = (Vec::new(), Vec::new());
    let mut next = 1;
    for seed in seeds {
        let states = states(&mut Random::new(*seed));
        for (parents, state) in &states {
            emit(&mut stream, (*seed, next), &parents.iter().map(|parent| next - parent).collect::<Vec<_>>(), state);
            marks.push((*seed, next));
            next += 1;
        }
    }
    let ids = import(&scratch, &stream);
    let blobs = objects(&scratch);
    let mut histories: BTreeMap<u64, Vec<Commit>> = BTreeMap::new();
    for (seed, mark) in marks {
        histories.entry(seed).or_default().push(commit(&scratch, &ids[&mark]));
    }
    World { scratch, histories: histories.into_iter().collect(), blobs: Rc::new(blobs) }
}

/// The commits of one history: the distances to the parents, and the content.
fn states(random: &mut Random) -> Vec<(Vec<usize>, State)> {
    let mut states: Vec<(Vec<usize>, State)> = vec![(Vec::new(), first(random))];
    for _ in 0..3 + random.below(4) {
        let back = 1 + random.below(states.len());
        let base = states[states.len() - back].1.clone();
        if states.len() > 1 && random.one_in(4) {
            let other = 1 + random.below(states.len());
            let merged = merge(random, &base, &states[states.len() - other].1);
            let parents = if other == back { vec![back] } else { vec![back, other] };
            states.push((parents, merged));
        } else {
            let mut state = base;
            for _ in 0..1 + random.below(3) {
                change(random, &mut state);
            }
            states.push((vec![back], state));
        }
    }
    states
}

fn first(random: &mut Random) -> State {
    let mut state = State::new();
    for path in FILES {
        if !random.one_in(4) {
            state.insert(path.to_owned(), ("100644", (*random.pick(&CONTENTS)).to_owned()));
        }
    }
    for path in LINKS {
        if random.one_in(2) {
            put_link(random, &mut state, path);
        }
    }
    declare(random, &mut state);
    state
}

/// A merge that takes each path from one side or the other: clean, or with conflicts resolved at random.
fn merge(random: &mut Random, one: &State, other: &State) -> State {
    let mut merged = State::new();
    let side = |random: &mut Random| if random.one_in(2) { one.clone() } else { other.clone() };
    for path in one.keys().chain(other.keys()) {
        if let Some(file) = side(random).get(path) {
            put(&mut merged, path, file.clone());
        }
    }
    if !merged.keys().any(|path| path.starts_with(".spec/")) {
        declare(random, &mut merged);
    }
    merged
}

fn change(random: &mut Random, state: &mut State) {
    let paths: Vec<String> = state.keys().filter(|path| !path.starts_with(".spec/")).cloned().collect();
    match random.below(13) {
        0 | 1 => {
            let path = *random.pick(&FILES);
            put(state, path, ("100644", (*random.pick(&CONTENTS)).to_owned()));
        }
        2 if !paths.is_empty() => {
            state.remove(random.pick(&paths));
        }
        3 if !paths.is_empty() => {
            if let Some(file) = state.get_mut(random.pick(&paths)).filter(|file| file.0.starts_with("100")) {
                file.0 = if file.0 == "100644" { "100755" } else { "100644" };
            }
        }
        4 => {
            let path = *random.pick(&LINKS);
            put_link(random, state, path);
        }
        5 => {
            let moved = *random.pick(&MOVES);
            rename(state, moved);
            if random.one_in(2) {
                follow(state, moved);
            }
        }
        8 => {
            let path = *random.pick(&FILES);
            if let (Some(file), None) = (state.get(*random.pick(&FILES)).cloned(), state.get(path)) {
                put(state, path, file);
            }
        }
        9 | 10 => swap(state, (*random.pick(&FILES), *random.pick(&FILES))),
        11 | 12 => edit_list(random, state),
        6 => put(state, "sub", ("160000", random.pick(&["1", "2"]).repeat(40))),
        _ => declare(random, state),
    }
}

fn put_link(random: &mut Random, state: &mut State, path: &str) {
    let target = (*random.pick(&TARGETS)).to_owned();
    put(state, path, ("120000", target));
}

fn rename(state: &mut State, (from, to): (&str, &str)) {
    let moved: Vec<String> = state.keys().filter(|path| path.starts_with(from)).cloned().collect();
    for path in moved {
        let file = state.remove(&path).expect("a path of the state");
        put(state, &path.replacen(from, to, 1), file);
    }
}

/// Exchanges two files.
fn swap(state: &mut State, (one, other): (&str, &str)) {
    if let (Some(first), Some(second)) = (state.get(one).cloned(), state.get(other).cloned()) {
        state.insert(one.to_owned(), second);
        state.insert(other.to_owned(), first);
    }
}

/// Changes the lists after a rename.
fn follow(state: &mut State, (from, to): (&str, &str)) {
    let (dir, new_dir) = (from.trim_end_matches('/'), to.trim_end_matches('/'));
    for (_, file) in state.iter_mut().filter(|(path, _)| path.starts_with(".spec/")) {
        let followed = list_in(&file.1).into_iter().map(|entry| match entry.strip_prefix(from) {
            _ if entry == dir => new_dir.to_owned(),
            Some(rest) => format!("{to}{rest}"),
            None => entry,
        });
        let line = file.1.lines().find(|line| line.trim_start().starts_with("code: ")).map(str::to_owned);
        if let Some(line) = line {
            let indent = &line[..line.len() - line.trim_start().len()];
            file.1 = file.1.replace(&line, &format!("{indent}{}", code_line(&followed.collect::<Vec<_>>())));
        }
        if let Some(rest) = test_in(&file.1).and_then(|test| Some(test.strip_prefix(from)?.to_owned())) {
            file.1 = file.1.replace(&format!("test: {from}{rest}\n"), &format!("test: {to}{rest}\n"));
        }
    }
}

/// Narrows a list, swaps one of its entries, or makes it wider, without any other change of the node.
fn edit_list(random: &mut Random, state: &mut State) {
    let files: Vec<String> = state.keys().filter(|path| path.starts_with(".spec/")).cloned().collect();
    let Some(file) = (!files.is_empty()).then(|| random.pick(&files).clone()) else { return };
    let text = &mut state.get_mut(&file).expect("a path of the state").1;
    let Some(line) = text.lines().find(|line| line.trim_start().starts_with("code: ")).map(str::to_owned) else {
        return;
    };
    let mut list = list_in(&line);
    match random.below(3) {
        0 if !list.is_empty() => drop(list.remove(random.below(list.len()))),
        1 if !list.is_empty() => {
            let at = random.below(list.len());
            list[at] = (*random.pick(&ENTRIES)).to_owned();
        }
        _ => list.push((*random.pick(&ENTRIES)).to_owned()),
    }
    let indent = &line[..line.len() - line.trim_start().len()];
    *text = text.replace(&line, &format!("{indent}{}", code_line(&list)));
}

fn code_line(list: &[String]) -> String {
    let quoted: Vec<String> = list.iter().map(|entry| format!("'{entry}'")).collect();
    format!("code: [{}]", quoted.join(", "))
}

/// The list that [`code_line`] wrote into a file.
pub(super) fn list_in(file: &str) -> Vec<String> {
    let line = file.lines().find_map(|line| line.trim().strip_prefix("code: [")?.strip_suffix(']'));
    let entries = line.into_iter().flat_map(|line| line.split(", ")).map(|entry| entry.trim_matches('\'').to_owned());
    entries.filter(|entry| !entry.is_empty()).collect()
}

/// The test that [`declare`] wrote into a file.
pub(super) fn test_in(file: &str) -> Option<String> {
    file.lines().find_map(|line| line.trim().strip_prefix("test: ")).map(str::to_owned)
}

/// Adds a file and removes paths that clash with it.
fn put(state: &mut State, path: &str, file: (&'static str, String)) {
    state.retain(|other, _| !other.starts_with(&format!("{path}/")) && !path.starts_with(&format!("{other}/")));
    state.insert(path.to_owned(), file);
}

/// Moves, renames or rewords the node, or gives it another list.
fn declare(random: &mut Random, state: &mut State) {
    state.retain(|path, _| !path.starts_with(".spec/") || path.starts_with(".spec/stray"));
    let name = random.pick(&["yatsu.md", "eval.md"]);
    let text = *random.pick(&["works", "works well"]);
    let list: Vec<String> = (0..random.below(4)).map(|_| (*random.pick(&ENTRIES)).to_owned()).collect();
    let own = if random.one_in(3) { String::new() } else { format!("    {}\n", code_line(&list)) };
    let test = if random.one_in(2) { String::new() } else { format!("    test: {}\n", random.pick(&TESTS)) };
    let file = format!(
        "---\nscenarios:\n  - name: s\n    description: d\n    expected: {text}\n    tags: [cli]\n{own}{test}---\n"
    );
    let dir = *random.pick(&NODES);
    if own.is_empty() {
        state.insert(format!("{dir}/spec.md"), ("100644", format!("---\n{}\n---\n", code_line(&list))));
    }
    state.insert(format!("{dir}/{name}"), ("100644", file.clone()));
    if random.one_in(4) {
        let reworded = *random.pick(&TEXTS);
        let other = file.replace(text, reworded);
        state.insert(".spec/stray/n/yatsu.md".to_owned(), ("100644", other));
    }
}

fn emit(stream: &mut Vec<u8>, (seed, mark): (u64, usize), parents: &[usize], state: &State) {
    let mut say = |text: String| stream.extend_from_slice(text.as_bytes());
    say(format!("commit refs/heads/s{seed}\nmark :{mark}\n"));
    say(format!("committer A <a@example.invalid> {} +0000\ndata 0\n", 1_700_000_000 + mark));
    for (number, parent) in parents.iter().enumerate() {
        say(format!("{} :{parent}\n", if number == 0 { "from" } else { "merge" }));
    }
    say("deleteall\n".to_owned());
    for (path, (mode, content)) in state {
        if *mode == "160000" {
            say(format!("M 160000 {content} {path}\n"));
        } else {
            say(format!("M {mode} inline {path}\ndata {}\n{content}\n", content.len()));
        }
    }
    say("\n".to_owned());
}

fn import(scratch: &Scratch, stream: &[u8]) -> BTreeMap<usize, String> {
    let marks = scratch.base.join("marks");
    let mut child = hermetic("git", &scratch.home())
        .current_dir(&scratch.root)
        .args(["fast-import", "--quiet", "--force"])
        .arg(format!("--export-marks={}", marks.display()))
        .stdin(Stdio::piped())
        .spawn()
        .expect("git runs");
    child.stdin.take().expect("a pipe").write_all(stream).expect("a stream");
    assert!(child.wait().expect("an end").success());
    let lines = std::fs::read_to_string(marks).expect("marks");
    let mark = |line: &str| {
        let (mark, id) = line[1..].split_once(' ').expect("a mark");
        (mark.parse().expect("a number"), id.to_owned())
    };
    lines.lines().map(mark).collect()
}

fn objects(scratch: &Scratch) -> Blobs {
    let out = scratch.git_command(&["cat-file", "--batch-all-objects", "--batch"]).output().expect("git runs").stdout;
    let (mut blobs, mut rest) = (Blobs::new(), &out[..]);
    while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
        let head = String::from_utf8_lossy(&rest[..end]).into_owned();
        let parts: Vec<&str> = head.split(' ').collect();
        let size: usize = parts[2].parse().expect("a size");
        blobs.insert(parts[0].to_owned(), rest[end + 1..end + 1 + size].to_vec());
        rest = &rest[end + 2 + size..];
    }
    blobs
}

fn commit(scratch: &Scratch, id: &str) -> Commit {
    let listing = scratch.git_command(&["ls-tree", "-r", "-t", "-z", id]).output().expect("git runs").stdout;
    Commit { id: id.to_owned(), listing }
}
