//! The sentences of freshness.md, one function each, without regard to speed.

use super::history::{self, Blobs};
use std::collections::{BTreeMap, BTreeSet};

/// The files of one tree: mode and id by path, and every blob's bytes.
pub(super) struct Listing<'b> {
    files: BTreeMap<String, (String, String)>,
    blobs: &'b Blobs,
}

/// A reading, with the list that the question is about.
#[derive(Clone)]
pub(super) struct Asked<'q> {
    pub(super) list: &'q [&'q str],
    pub(super) stamp: Option<&'q BTreeMap<String, String>>,
    pub(super) dirty: bool,
    pub(super) anchor: Option<&'q Listing<'q>>,
    /// The text behind `scenarioHash`.
    pub(super) hash_text: Option<String>,
    /// The test that the question's scenario declares.
    pub(super) test: Option<&'q str>,
    pub(super) test_stamp: Option<&'q BTreeMap<String, String>>,
}

/// The content at the end of a path, as a text: equal texts mean equal content.
#[derive(Debug, PartialEq)]
struct Content {
    links: Vec<String>,
    end: Option<String>,
    files: BTreeMap<String, String>,
}

impl<'b> Listing<'b> {
    pub(super) fn parse(listing: &[u8], blobs: &'b Blobs) -> Self {
        let text = String::from_utf8(listing.to_vec()).unwrap();
        let file = |line: &str| {
            let (head, path) = line.split_once('\t')?;
            let words: Vec<&str> = head.split(' ').collect();
            (words[1] != "tree").then(|| (path.to_owned(), (words[0].to_owned(), words[2].to_owned())))
        };
        Self { files: text.split('\0').filter_map(file).collect(), blobs }
    }

    /// The files that a stamp names.
    fn of_stamp(stamp: &BTreeMap<String, String>, blobs: &'b Blobs) -> Self {
        let file = |word: &str| match word.split_once(':') {
            Some(("x", id)) => ("100755".to_owned(), id.to_owned()),
            Some(("l", id)) => ("120000".to_owned(), id.to_owned()),
            Some((_, id)) => ("160000".to_owned(), id.to_owned()),
            None => ("100644".to_owned(), word.to_owned()),
        };
        let there = stamp.iter().filter(|(_, word)| *word != "-");
        Self { files: there.map(|(path, word)| (path.clone(), file(word))).collect(), blobs }
    }

    fn is_dir(&self, path: &str) -> bool {
        path.is_empty() || self.files.keys().any(|file| file.starts_with(&format!("{path}/")))
    }

    fn is_absent(&self, path: &str) -> bool {
        !self.files.contains_key(path) && !self.is_dir(path)
    }

    /// A stamp's word for a file.
    fn word(&self, path: &str) -> String {
        match self.files.get(path) {
            None => "-".to_owned(),
            Some((mode, id)) => match mode.as_str() {
                "100644" => id.clone(),
                "100755" => format!("x:{id}"),
                "120000" => format!("l:{id}"),
                _ => format!("m:{id}"),
            },
        }
    }

    /// Follows a path as a file system would: the links passed, and where it ends (`None`: outside or in a circle).
    fn follow(&self, path: &str) -> (Vec<String>, Option<String>) {
        let (mut links, mut done) = (Vec::new(), Vec::<String>::new());
        let mut todo: Vec<String> = path.split('/').rev().map(str::to_owned).collect();
        while let Some(part) = todo.pop() {
            match part.as_str() {
                "" | "." => continue,
                ".." if done.is_empty() => return (links, None),
                ".." => {
                    done.pop();
                    continue;
                }
                _ => done.push(part),
            }
            let here = done.join("/");
            let Some((mode, id)) = self.files.get(&here) else {
                if self.is_dir(&here) {
                    continue;
                }
                if todo.iter().any(|part| part == "..") {
                    todo = rest(std::mem::take(&mut done), todo).rsplit('/').map(str::to_owned).collect();
                    continue;
                }
                return (links, Some(rest(done, todo)));
            };
            if mode == "120000" {
                links.push(here);
                if links.len() > 40 {
                    return (links, None);
                }
                let target = String::from_utf8(self.blobs[id].clone()).unwrap();
                if target.starts_with('/') {
                    return (links, None);
                }
                done.pop();
                todo.extend(target.split('/').rev().map(str::to_owned));
            } else if todo.iter().any(|part| part == "..") {
                todo = rest(std::mem::take(&mut done), todo).rsplit('/').map(str::to_owned).collect();
            } else if todo.iter().any(|part| !part.is_empty() && part != ".") {
                return (links, Some(rest(done, todo)));
            }
        }
        (links, Some(done.join("/")))
    }

    /// "Content of a path", for a path that is no glob.
    fn content(&self, path: &str) -> Content {
        let (links, end) = self.follow(path);
        let mut content =
            Content { links: links.iter().map(|link| self.word(link)).collect(), end: None, files: BTreeMap::new() };
        let Some(end) = end else {
            content.end = Some("nowhere".to_owned());
            return content;
        };
        if self.is_dir(&end) {
            let below = if end.is_empty() { String::new() } else { format!("{end}/") };
            for file in self.files.keys().filter(|file| file.starts_with(&below)) {
                content.files.insert(file[below.len()..].to_owned(), self.word(file));
            }
            content.end = Some("directory".to_owned());
        } else {
            content.end = Some(self.word(&end));
        }
        content
    }

    fn is_glob_here(&self, entry: &str) -> bool {
        entry.contains('*') && self.is_absent(entry)
    }

    fn matching(&self, glob: &str) -> BTreeMap<String, String> {
        let glob: Vec<&str> = glob.split('/').collect();
        let matched = self.files.keys().filter(|file| matches(&glob, &file.split('/').collect::<Vec<_>>()));
        matched.map(|file| (file.clone(), self.word(file))).collect()
    }

    /// Every file of an entry: links with their targets, directories with their files.
    fn expansion(&self, entry: &str) -> BTreeMap<String, String> {
        let entry = entry.trim_start_matches('?');
        if self.is_glob_here(entry) {
            let matched = self.matching(entry);
            return if matched.is_empty() { BTreeMap::from([(entry.to_owned(), "-".to_owned())]) } else { matched };
        }
        let (links, end) = self.follow(entry);
        let mut files: BTreeMap<String, String> = links.iter().map(|link| (link.clone(), self.word(link))).collect();
        match end {
            Some(end) if self.is_dir(&end) => {
                let below = self.files.keys().filter(|file| is_within(file, &end));
                files.extend(below.map(|file| (file.clone(), self.word(file))));
            }
            Some(end) => {
                files.insert(end.clone(), self.word(&end));
            }
            None => {}
        }
        files
    }

    /// "The stamp" of formats.md.
    pub(super) fn stamp(&self, list: &[&str]) -> BTreeMap<String, String> {
        list.iter().flat_map(|entry| self.expansion(entry)).collect()
    }

    /// The directory of the node and its scenario's text, folded; the stray file belongs to no node.
    pub(super) fn declared_text(&self) -> Option<(String, String)> {
        let own = |file: &&String| is_scenario_file(file) && !file.contains("stray");
        let mut files: Vec<&String> = self.files.keys().filter(own).collect();
        files.sort_by_key(|file| file.ends_with("eval.md"));
        let file = files.first()?;
        Some((file.rsplit_once('/')?.0.to_owned(), self.text_of(file)?))
    }

    /// The governed list of a file's scenario: its own, otherwise its node's.
    fn list_of(&self, file: &str) -> BTreeSet<String> {
        let read =
            |file: &str| self.files.get(file).map(|(_, id)| String::from_utf8_lossy(&self.blobs[id]).into_owned());
        let list = |file: &str| history::list_in(&read(file).unwrap_or_default());
        let own = list(file);
        let own = if own.is_empty() { list(&format!("{}/spec.md", file.rsplit_once('/').unwrap().0)) } else { own };
        own.iter().map(|entry| entry.trim_start_matches('?').to_owned()).collect()
    }

    /// The governed list of the view's scenario, as declared.
    pub(super) fn declared_list(&self) -> Vec<String> {
        let own = |file: &&String| is_scenario_file(file) && !file.contains("stray");
        let mut files: Vec<&String> = self.files.keys().filter(own).collect();
        files.sort_by_key(|file| file.ends_with("eval.md"));
        files.first().map_or_else(Vec::new, |file| self.list_of(file).into_iter().collect())
    }

    /// The test of the view's scenario, as declared.
    pub(super) fn declared_test(&self) -> Option<String> {
        let own = |file: &&String| is_scenario_file(file) && !file.contains("stray");
        let file = self.files.keys().filter(own).min_by_key(|file| file.ends_with("eval.md"))?;
        history::test_in(&String::from_utf8_lossy(&self.blobs[&self.files[file].1]))
    }

    fn text_of(&self, file: &str) -> Option<String> {
        let text = String::from_utf8(self.blobs[&self.files.get(file)?.1].clone()).unwrap();
        let value = |key: &str| Some(text.lines().find_map(|line| line.trim().strip_prefix(key))?.trim().to_owned());
        Some(format!("{}\n{}", value("description:")?, value("expected:")?))
    }
}

fn rest(mut done: Vec<String>, todo: Vec<String>) -> String {
    for part in todo.into_iter().rev() {
        match part.as_str() {
            "" | "." => {}
            ".." => {
                done.pop();
            }
            _ => done.push(part),
        }
    }
    done.join("/")
}

fn is_scenario_file(path: &str) -> bool {
    path.ends_with("/yatsu.md") || path.ends_with("/eval.md")
}

fn is_within(path: &str, dir: &str) -> bool {
    dir.is_empty() || path == dir || path.starts_with(&format!("{dir}/"))
}

/// `*` is any name, `**` any number of directories, or everything below at the end.
fn matches(glob: &[&str], path: &[&str]) -> bool {
    match (glob, path) {
        ([], []) => true,
        (["**"], [_, ..]) => true,
        (["**", more @ ..], _) => matches(more, path) || (!path.is_empty() && matches(glob, &path[1..])),
        (["*", more @ ..], [_, below @ ..]) => matches(more, below),
        ([name, more @ ..], [part, below @ ..]) => name == part && matches(more, below),
        _ => false,
    }
}

/// "among the effective readings of a scenario, the latest (ts, line) whose `code` and `scenario` axes and whose stamped test
/// stand in V, else the latest": its index in `readings`, the effective ones, newest first.
pub(super) fn counting(view: &Listing<'_>, readings: &[Asked<'_>]) -> usize {
    for (place, asked) in readings.iter().enumerate().take(64) {
        let told = judge(view, asked);
        if asked.stamp.is_none() {
            return 0;
        }
        if told.axes.is_empty() {
            return place;
        }
        if !told.by_stamp {
            return 0;
        }
    }
    0
}

/// The answer about a reading.
pub(super) struct Told {
    /// The stale axes; the evaluator's by the test alone.
    pub(super) axes: String,
    /// Whether its stamp proves one of them.
    pub(super) by_stamp: bool,
}

/// The answer about the content of a list.
#[derive(Default)]
struct OfList {
    moved: bool,
    unknown: bool,
    by_stamp: bool,
}

/// The state of a reading.
pub(super) fn judge(view: &Listing<'_>, asked: &Asked<'_>) -> Told {
    let mut axes = Vec::new();
    let (dir, now) = view.declared_text().expect("a scenario in the view");
    let code = of_list(view, asked.list, asked.stamp, asked);
    let test: Vec<&str> = asked.test.into_iter().collect();
    // "Lines without the field: not asked"; "a test that stood at the commit did not measure"
    let by_stamp_alone = Asked { anchor: None, dirty: true, ..asked.clone() };
    let mut test = asked.test_stamp.map(|stamp| of_list(view, &test, Some(stamp), &by_stamp_alone)).unwrap_or_default();
    test.by_stamp |= test.moved || test.unknown;
    let text = match (&asked.hash_text, asked.anchor) {
        (Some(text), _) => Some(*text == now),
        (None, Some(anchor)) => Some(text_at(anchor, &dir, &now)),
        (None, None) => None,
    };
    let by_stamp = code.by_stamp || test.by_stamp || text == Some(false) && asked.hash_text.is_some();
    let stale = [
        (code.unknown || text.is_none(), "anchor"),
        (code.moved, "code"),
        (text == Some(false), "scenario"),
        (test.moved || test.unknown, "evaluator"),
    ];
    axes.extend(stale.into_iter().filter(|(is, _)| *is).map(|(_, axis)| axis));
    Told { axes: axes.join(" "), by_stamp }
}

/// "Every path of the stamp is compared with V, also one that left the list"; and every entry of the list.
fn of_list(view: &Listing<'_>, list: &[&str], stamp: Option<&BTreeMap<String, String>>, asked: &Asked<'_>) -> OfList {
    let mut found = OfList::default();
    let (dir, now) = view.declared_text().expect("a scenario in the view");
    let listed = asked.anchor.and_then(|anchor| listed_at(anchor, &dir, &now));
    let (mut appeared, mut compared) = (Vec::new(), BTreeSet::new());
    for entry in list.iter().map(|entry| entry.trim_start_matches('?')) {
        let standing = match (stamp, asked.anchor) {
            (Some(stamp), _) => self::by_stamp(view, entry, (stamp, asked), &mut compared),
            // "A reading that says `dirty` and has no stamp for what is asked is never fresh"
            (None, Some(_)) if asked.dirty => Standing::Unknown,
            (None, Some(anchor)) => by_tree(view, anchor, entry, listed.as_ref()),
            (None, None) => Standing::Unknown,
        };
        match standing {
            Standing::Fresh => {}
            Standing::Stale => found.moved = true,
            Standing::Proved => (found.moved, found.by_stamp) = (true, true),
            Standing::Unknown => found.unknown = true,
            Standing::Appeared(ways) => appeared.push(ways),
        }
    }
    let left = stamp.map_or_else(Vec::new, |stamp| left_files(stamp, &compared));
    let (gone, here): (Vec<_>, Vec<_>) = left.into_iter().partition(|(path, word)| view.is_absent(path) && word != "-");
    // an absent directory holds a file now
    let is_here = |(path, word): &(String, String)| !view.is_dir(path) && view.word(path) == *word;
    if !here.iter().all(is_here) {
        (found.moved, found.by_stamp) = (true, true);
    }
    let anchor = asked.anchor.filter(|_| !asked.dirty);
    let arrivals = anchor.map_or_else(BTreeMap::new, |anchor| arrivals(view, anchor));
    let after = |taken: &Way| all_renamed(&gone, taken, &arrivals);
    if can_all_come(&appeared, &Way::new(), &after) {
        return found;
    }
    // Which entries come decides which lost files stay lost, so the most that can come do.
    let come = most_that_come(&appeared);
    if come.iter().any(|come| !come) {
        *(if asked.dirty { &mut found.unknown } else { &mut found.moved }) = true;
    }
    let those: Vec<_> = appeared.into_iter().zip(come).filter(|(_, come)| *come).map(|(ways, _)| ways).collect();
    if !can_all_come(&those, &Way::new(), &after) {
        // "a clone with the commit may find the new name": without it nothing is proved
        found.moved = true;
        found.by_stamp |= asked.anchor.is_some() || asked.dirty;
    }
    found
}

/// What the stamp has and no entry compared.
fn left_files(stamp: &BTreeMap<String, String>, compared: &BTreeSet<String>) -> Vec<(String, String)> {
    let left = stamp.iter().filter(|(path, _)| !compared.contains(*path));
    left.map(|(path, word)| (path.clone(), word.clone())).collect()
}

/// The files that were absent from what was measured, by path.
fn arrivals(view: &Listing<'_>, anchor: &Listing<'_>) -> BTreeMap<String, String> {
    let new = view.files.keys().filter(|path| anchor.is_absent(path));
    new.map(|path| (path.clone(), view.word(path))).collect()
}

/// Whether each lost file became another one: one of `taken`, or an arrival with its content. One new file excuses one.
fn all_renamed(gone: &[(String, String)], taken: &Way, arrivals: &BTreeMap<String, String>) -> bool {
    let mut free: Vec<(&String, &String)> = arrivals.iter().filter(|(path, _)| !taken.contains_key(*path)).collect();
    gone.iter().filter(|(path, _)| !taken.values().any(|lost| lost == path)).all(|(_, word)| {
        let found = free.iter().position(|(_, content)| *content == word);
        found.map(|at| free.remove(at)).is_some()
    })
}

/// For each appeared entry whether it comes, in the way that lets the most come.
fn most_that_come(appeared: &[Vec<Way>]) -> Vec<bool> {
    let choices = (0..1_u32 << appeared.len()).map(|bits| (0..appeared.len()).map(move |at| bits & 1 << at != 0));
    let possible = choices.map(|choice| choice.collect::<Vec<bool>>()).filter(|choice| {
        let those: Vec<_> =
            appeared.iter().zip(choice).filter(|(_, come)| **come).map(|(ways, _)| ways.clone()).collect();
        can_all_come(&those, &Way::new(), &|_| true)
    });
    possible.max_by_key(|choice| choice.iter().filter(|come| **come).count()).unwrap_or_default()
}

/// The lost file behind each file that came by one rename.
type Way = BTreeMap<String, String>;

enum Standing {
    Fresh,
    Stale,
    /// Moved, as the stamp proves, without any commit.
    Proved,
    Unknown,
    /// It was not there. These are the renames by which it may have come.
    Appeared(Vec<Way>),
}

/// Whether each entry can have come by a rename, without using a lost file twice, so that `after` holds then.
fn can_all_come(appeared: &[Vec<Way>], taken: &Way, after: &dyn Fn(&Way) -> bool) -> bool {
    let Some((ways, more)) = appeared.split_first() else { return after(taken) };
    ways.iter().any(|way| {
        let fits = way.iter().all(|(now, lost)| {
            taken.get(now).is_none_or(|known| known == lost)
                && taken.iter().all(|(other, source)| source != lost || other == now)
        });
        let with_way = || taken.iter().chain(way).map(|(now, lost)| (now.clone(), lost.clone())).collect();
        fits && can_all_come(more, &with_way(), after)
    })
}

/// "the content of a governed path in V differs from what was measured", by A's tree; `listed` is the governed list there.
fn by_tree(view: &Listing<'_>, anchor: &Listing<'_>, entry: &str, listed: Option<&BTreeSet<String>>) -> Standing {
    if is_same(view, anchor, entry) {
        return Standing::Fresh;
    }
    let may_follow = listed.is_some_and(|listed| !listed.contains(entry));
    if may_follow && is_new(view, anchor, entry) {
        return Standing::Appeared(ways(view, anchor, entry));
    }
    Standing::Stale
}

fn is_same(view: &Listing<'_>, anchor: &Listing<'_>, entry: &str) -> bool {
    // A glob's content is paths and ids: the targets of matched links do not count.
    if view.is_glob_here(entry) && anchor.is_glob_here(entry) {
        return anchor.matching(entry) == view.matching(entry);
    }
    anchor.content(entry) == view.content(entry)
}

fn is_new(view: &Listing<'_>, anchor: &Listing<'_>, entry: &str) -> bool {
    if view.is_glob_here(entry) && anchor.is_glob_here(entry) {
        return anchor.matching(entry).is_empty();
    }
    anchor.follow(entry).0.is_empty() && anchor.expansion(entry).values().all(|word| word == "-")
}

/// "what was measured holds a path with the same content that is absent in V"; for a directory or a glob all its files,
/// each under its name.
fn ways(view: &Listing<'_>, old: &Listing<'_>, entry: &str) -> Vec<Way> {
    let mut dirs = BTreeSet::from([String::new()]);
    for file in old.files.keys() {
        dirs.extend(file.match_indices('/').map(|(end, _)| file[..end].to_owned()));
    }
    if view.is_glob_here(entry) {
        return dirs.iter().filter_map(|dir| glob_way(view, old, entry, dir)).collect();
    }
    let (links, _) = view.follow(entry);
    let now = view.content(entry);
    let lost_files = old.files.keys().filter(|path| view.is_absent(path));
    if let Some(link) = links.first() {
        let same = |from: &&String| old.content(&entry.replacen(link.as_str(), from, 1)) == now;
        return lost_files.filter(same).map(|from| Way::from([(link.clone(), from.clone())])).collect();
    }
    if view.is_dir(entry) {
        let lost = dirs.iter().filter(|dir| view.is_absent(dir) && old.content(dir) == now);
        let way =
            |dir: &String| now.files.keys().map(|file| (format!("{entry}/{file}"), format!("{dir}/{file}"))).collect();
        return lost.map(way).collect();
    }
    lost_files
        .filter(|from| old.content(from) == now)
        .map(|from| Way::from([(entry.to_owned(), from.clone())]))
        .collect()
}

fn glob_way(view: &Listing<'_>, old: &Listing<'_>, glob: &str, dir: &str) -> Option<Way> {
    let plain: Vec<&str> = glob.split('/').take_while(|part| !part.contains('*')).collect();
    let (top, pattern) = (plain.join("/"), glob.split('/').skip(plain.len()).collect::<Vec<_>>().join("/"));
    let below = |top: &str, files: BTreeMap<String, String>| -> BTreeMap<String, (String, String)> {
        let name = |file: &str| file[top.len()..].trim_start_matches('/').to_owned();
        files.into_iter().map(|(file, word)| (name(&file), (word, file))).collect()
    };
    let now = below(&top, view.matching(glob));
    let there = if dir.is_empty() { pattern } else { format!("{dir}/{pattern}") };
    let before = below(dir, old.matching(&there));
    let is_lost = |name: &String| {
        let (word, _) = &now[name];
        before.get(name).is_some_and(|(was, file)| was == word && view.is_absent(file))
    };
    let all = now.len() == before.len() && !now.is_empty() && now.keys().all(is_lost);
    all.then(|| now.iter().map(|(name, (_, file))| (file.clone(), before[name].1.clone())).collect())
}

/// The state by a stamp: if it names the entry it decides, path by path. These paths are added to `compared`.
fn by_stamp(
    view: &Listing<'_>,
    entry: &str,
    (stamp, asked): (&BTreeMap<String, String>, &Asked<'_>),
    compared: &mut BTreeSet<String>,
) -> Standing {
    let now = view.expansion(entry);
    let glob: Vec<&str> = entry.split('/').collect();
    let speaks = |path: &str| {
        let end = view.follow(entry).1.unwrap_or_else(|| entry.to_owned());
        let matched =
            stamp[path] != "-" && view.is_glob_here(entry) && matches(&glob, &path.split('/').collect::<Vec<_>>());
        let named = is_within(path, entry) || is_within(entry, path) || matched;
        (named, !view.is_glob_here(entry) && is_within(path, &end))
    };
    // The end of a link only counts together with the link itself.
    let speaks_at_all = stamp.keys().any(|path| speaks(path).0);
    let is_held = |path: &String| speaks_at_all && (speaks(path).0 || speaks(path).1);
    let held: BTreeSet<&String> = stamp.keys().filter(|path| is_held(path)).collect();
    if held.is_empty() {
        return since_list(view, entry, (stamp, asked.anchor.filter(|_| !asked.dirty)));
    }
    compared.extend(held.iter().map(|path| (*path).clone()).chain(now.keys().cloned()));
    let gone = held.iter().any(|path| stamp[*path] != view.word(path));
    // Without an entry in the stamp, a file proves something only by a present commit that was measured clean, because the
    // list may have been widened.
    let of_file = |(path, word): (&String, &String)| match stamp.get(path) {
        Some(stamped) if stamped == word => Standing::Fresh,
        Some(_) => Standing::Proved,
        None if word == "-" => Standing::Fresh,
        None if stamp.contains_key(entry) && is_within(path, entry) => Standing::Proved,
        None if asked.dirty => Standing::Stale,
        None => match asked.anchor {
            None => Standing::Stale,
            Some(anchor) if anchor.content(path) == view.content(path) => Standing::Fresh,
            Some(_) => Standing::Proved,
        },
    };
    let files: Vec<Standing> = now.iter().map(of_file).collect();
    if gone || files.iter().any(|one| matches!(one, Standing::Proved)) {
        return Standing::Proved;
    }
    if files.iter().any(|one| matches!(one, Standing::Stale)) { Standing::Stale } else { Standing::Fresh }
}

/// "For a path that is governed now and not in the stamp": A's tree, or a rename of a file in either.
fn since_list(
    view: &Listing<'_>,
    entry: &str,
    (stamp, anchor): (&BTreeMap<String, String>, Option<&Listing<'_>>),
) -> Standing {
    let mut ways_here = ways(view, &Listing::of_stamp(stamp, view.blobs), entry);
    match anchor {
        Some(anchor) if is_same(view, anchor, entry) => return Standing::Fresh,
        Some(anchor) if is_new(view, anchor, entry) => ways_here.extend(ways(view, anchor, entry)),
        _ => {}
    }
    Standing::Appeared(ways_here)
}

/// The governed list of the scenario in a tree, found by its text; `None` if it is not declared there.
fn listed_at(anchor: &Listing<'_>, dir: &str, now: &str) -> Option<BTreeSet<String>> {
    let leaf = |path: &str| path.rsplit('/').next().unwrap().to_owned();
    for name in ["yatsu.md", "eval.md"] {
        let file = format!("{dir}/{name}");
        if anchor.text_of(&file).is_some() {
            return Some(anchor.list_of(&file));
        }
    }
    let files: Vec<&String> = anchor.files.keys().filter(|file| is_scenario_file(file)).collect();
    let parent = |file: &str| file.rsplit_once('/').unwrap().0.to_owned();
    let namesakes: Vec<&String> = files.iter().copied().filter(|file| leaf(&parent(file)) == leaf(dir)).collect();
    let of_text = files.iter().copied().filter(|file| anchor.text_of(file).as_deref() == Some(now)).collect();
    let found = if namesakes.is_empty() { of_text } else { namesakes };
    (!found.is_empty()).then(|| found.into_iter().flat_map(|file| anchor.list_of(file)).collect())
}

/// "looked up at the same path, else in a directory with the same leaf name, else by (name, identical text) anywhere"
fn text_at(anchor: &Listing<'_>, dir: &str, now: &str) -> bool {
    let own = ["yatsu.md", "eval.md"].map(|name| anchor.text_of(&format!("{dir}/{name}")));
    let own: BTreeSet<String> = own.into_iter().flatten().collect();
    if !own.is_empty() {
        return own.contains(now);
    }
    let leaf = |path: &str| path.rsplit('/').next().unwrap().to_owned();
    let (mut namesakes, mut others) = (Vec::new(), Vec::new());
    for file in anchor.files.keys().filter(|file| is_scenario_file(file)) {
        let parent = file.rsplit_once('/').unwrap().0;
        let found = if leaf(parent) == leaf(dir) { &mut namesakes } else { &mut others };
        found.extend(anchor.text_of(file));
    }
    if namesakes.is_empty() { others.iter().any(|text| text == now) } else { namesakes.iter().any(|text| text == now) }
}
