//! The same actors in real clones of a real server: installed hooks, git's own merges and conflicts, real pushes into
//! quarantine, readings filed by `eval`. One clone has every hook and the merge driver, one only `pre-commit`, one
//! nothing.

use super::counts;
use super::deeds::Careful;
use super::desk::{Desk, LINK, State};
use super::doors::{errors_of, score_of};
use super::graph;
use super::judge::{self, Fault, Judge, Kind, Server, Update};
use super::seen::Git;
use super::steps::{Deed, Graph, Push, Step};
use super::world::{BRANCHES, Tally};
use crate::support::{Dice, Said, hermetic, program, scratch_dir};
use git2::{Oid, Repository};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;

/// A clone and its actor.
struct Seat {
    dir: PathBuf,
    branch: String,
    /// Whether the actor uses the hooks.
    gated: bool,
}

/// A server and three clones.
pub(super) struct RealWorld {
    _dir: tempfile::TempDir,
    base: PathBuf,
    judge: Judge,
    holds: Server,
    seats: Vec<Seat>,
    now: u64,
    memory: Vec<(String, Vec<u8>)>,
    pub(super) script: String,
    pub(super) tally: Tally,
    pub(super) faults: Vec<Fault>,
}

impl RealWorld {
    pub(super) fn new() -> Self {
        let dir = scratch_dir();
        let base = dir.path().canonicalize().expect("a real path");
        fs::create_dir_all(base.join("home")).expect("a home");
        let git = clones(&base);
        let seats =
            (0..3).map(|at| Seat { dir: base.join(format!("clone{at}")), branch: "main".into(), gated: at < 2 });
        let mut world = Self {
            seats: seats.collect(),
            judge: Judge::new(git),
            holds: Server::default(),
            now: 1_767_225_600,
            memory: Vec::new(),
            script: "git init -q --bare -b main server.git\ngit -C server.git config receive.denyDeleteCurrent ignore\nfor at in 0 1 2; do git clone -q server.git clone$at; done\n".to_owned(),
            tally: Tally::default(),
            faults: Vec::new(),
            base,
            _dir: dir,
        };
        world.set_up();
        world
    }

    fn set_up(&mut self) {
        let tool = program().display().to_string();
        let server = self.server();
        self.run(&server, &tool, &["install", "--hooks", "pre-receive"]).expect(0);
        let first = self.seats[0].dir.clone();
        self.run(&first, &tool, &["install", "--merge-driver"]).expect(0);
        let second = self.seats[1].dir.clone();
        self.run(&second, &tool, &["install", "--hooks", "pre-commit"]).expect(0);
        self.write(&first, &super::desk::first());
        self.git(0, &["add", "-A"]).expect(0);
        self.git(0, &["commit", "-q", "-m", "first"]).expect(0);
        self.push(0, Push::Plain, &mut Dice(0));
        assert_eq!(self.holds.refs.len(), 1, "{}", self.script);
        self.edit(0, Dice(7), |desk| Careful::File.do_at(desk));
        self.push(0, Push::Plain, &mut Dice(0));
        for at in 1..3 {
            self.git(at, &["pull", "-q", "origin", "main"]).expect(0);
        }
    }

    fn server(&self) -> PathBuf {
        self.base.join("server.git")
    }

    /// Runs a program, without a line in the replay.
    fn ask(&self, dir: &Path, tool: &str, args: &[&str]) -> Said {
        let mut command = hermetic(tool, &self.base.join("home"));
        Said::of(command.current_dir(dir).args(args).output().expect("it runs"))
    }

    /// Runs a program and notes the command for the replay.
    fn run(&mut self, dir: &Path, tool: &str, args: &[&str]) -> Said {
        let said = self.ask(dir, tool, args);
        let (name, place) = (tool.rsplit('/').next().unwrap_or(tool), dir.strip_prefix(&self.base).unwrap_or(dir));
        let telling = |line: &&str| ["error[", "fatal:", "rejected", "CONFLICT"].iter().any(|word| line.contains(word));
        let words: String = said.err.lines().filter(telling).map(|line| format!("\n    # {line}")).collect();
        self.script += &format!("(cd {} && {name} {})   # {}{words}\n", place.display(), args.join(" "), said.code);
        said
    }

    fn git(&mut self, seat: usize, args: &[&str]) -> Said {
        let dir = self.seats[seat].dir.clone();
        self.run(&dir, "git", args)
    }

    pub(super) fn step(&mut self, step: &Step) {
        self.tally.steps += 1;
        let mut dice = Dice(step.seed);
        match step.deed {
            Deed::Careful(Careful::File) if dice.roll(2) == 0 => self.eval(step.seat, &mut dice),
            Deed::Careful(deed) => self.edit(step.seat, dice, |desk| deed.do_at(desk)),
            Deed::Forge(deed) => self.edit(step.seat, dice, |desk| deed.do_at(desk)),
            Deed::Graph(deed) => self.graph(step.seat, deed, &mut dice),
            Deed::Push(Push::Around) => {
                Push::AROUND.into_iter().for_each(|push| self.push(step.seat, push, &mut dice));
            }
            Deed::Push(push) => self.push(step.seat, push, &mut dice),
            Deed::Alias => self.alias(&mut dice),
        }
    }

    /// Adds a symbolic ref to the server.
    fn alias(&mut self, dice: &mut Dice) {
        let (name, target) = (dice.pick(&graph::ALIASES), format!("refs/heads/{}", dice.pick(&BRANCHES)));
        if !self.holds.refs.contains_key(name) {
            let server = self.server();
            self.run(&server, "git", &["symbolic-ref", name, &target]).expect(0);
            self.holds.aliases.insert(name.to_owned(), target);
        }
    }

    fn head(&self, seat: usize) -> Option<Oid> {
        let repo = Repository::open(&self.seats[seat].dir).expect("a clone");
        repo.head().ok()?.target()
    }

    /// The files of the work tree.
    fn state(&self, seat: usize) -> State {
        let top = &self.seats[seat].dir;
        let (mut state, mut open) = (State::new(), vec![top.clone()]);
        while let Some(dir) = open.pop() {
            for entry in fs::read_dir(dir).expect("a directory").map(|entry| entry.expect("an entry").path()) {
                let path = entry.strip_prefix(top).expect("below").to_str().expect("UTF-8").to_owned();
                if path == ".git" || path == ".gitattributes" {
                    continue;
                }
                if entry.is_symlink() {
                    let to = fs::read_link(&entry).expect("a link");
                    state.insert(path, [LINK.as_bytes(), to.as_os_str().as_encoded_bytes()].concat());
                } else if entry.is_dir() {
                    open.push(entry)
                } else {
                    drop(state.insert(path, fs::read(&entry).expect("bytes")))
                }
            }
        }
        state
    }

    fn write(&mut self, dir: &Path, state: &State) {
        let seat = self.seats.iter().position(|seat| seat.dir == dir).expect("a seat");
        let before = self.state(seat);
        for path in before.keys().filter(|path| !state.contains_key(*path)) {
            fs::remove_file(dir.join(path)).expect("removed");
            self.script += &format!("rm clone{seat}/{path}\n");
        }
        for (path, bytes) in state.iter().filter(|(path, bytes)| before.get(*path) != Some(bytes)) {
            let content = String::from_utf8_lossy(bytes);
            make_way(dir, path);
            if let Some(to) = content.strip_prefix(LINK) {
                std::os::unix::fs::symlink(to, dir.join(path)).expect("a link");
                self.script += &format!("ln -sfT {to} clone{seat}/{path}\n");
                continue;
            }
            fs::write(dir.join(path), bytes).expect("written");
            self.script += &format!("cat >clone{seat}/{path} <<'EOF'\n{}\nEOF\n", content.trim_end_matches('\n'));
        }
    }

    fn edit(&mut self, seat: usize, dice: Dice, deed: impl Fn(&mut Desk<'_>)) {
        let Some(head) = self.head(seat) else { return };
        let state = self.state(seat);
        let id = |bytes: &Vec<u8>| Oid::hash_object(git2::ObjectType::Blob, bytes).expect("an id").to_string();
        let code = state.iter().filter(|(path, _)| path.ends_with(".rs"));
        let ids: BTreeMap<String, String> = code.map(|(path, bytes)| (path.clone(), id(bytes))).collect();
        let memory = self.memory.clone();
        let mut desk = Desk { state, dice, head: head.to_string(), now: self.now, ids, memory: &memory };
        deed(&mut desk);
        self.now = desk.now + 60;
        let (state, dir) = (desk.state, self.seats[seat].dir.clone());
        self.write(&dir, &state);
        self.git(seat, &["add", "-A"]).expect(0);
        self.commit(seat, &["-m", "edit"]);
    }

    /// Files a reading through the program.
    fn eval(&mut self, seat: usize, dice: &mut Dice) {
        let (state, head) = (self.state(seat), String::new());
        let mut desk = Desk { state, dice: Dice(dice.0), head, now: 0, ids: BTreeMap::new(), memory: &[] };
        let Some(node) = desk.node() else { return };
        let Some(scenario) = desk.any(&desk.declared(&node)) else { return };
        let (dir, tool) = (self.seats[seat].dir.clone(), program().display().to_string());
        let verdict = dice.pick(&["--pass", "--fail"]);
        self.run(&dir, &tool, &["eval", &node, "--scenario", &scenario.name, verdict]);
        self.git(seat, &["add", "-A"]).expect(0);
        self.commit(seat, &["-m", "measured"]);
    }

    /// Commits the staged changes. A gate that refuses must have a reason, and a commit that it takes must lose nothing.
    fn commit(&mut self, seat: usize, args: &[&str]) -> bool {
        if self.ask(&self.seats[seat].dir, "git", &["diff", "--cached", "--quiet"]).code == 0 {
            return true;
        }
        let gated = self.seats[seat].gated;
        if gated {
            self.compare_memos(seat);
        }
        let lost = if gated { self.lost_by_commit(seat) } else { None };
        let verify: &[&str] = if gated { &[] } else { &["--no-verify"] };
        let said = self.git(seat, &[&["commit", "-q", "--allow-empty-message"], verify, args].concat());
        if !gated {
            return said.code == 0;
        }
        self.tally.commits_judged += 1;
        let refused = errors_of(&said.err);
        let plain = lost.as_ref().and_then(|lost| lost.iter().find(|fault| !fault.kind.is_arguable()));
        match (plain, &lost) {
            (Some(lost), _) if said.code == 0 => {
                self.faults.push(Fault::new(lost.kind, format!("a commit: {}", lost.what)))
            }
            (None, Some(lost)) if refused.iter().any(|rule| !judge::explains(lost, rule, false)) => {
                self.faults.push(Fault::new(Kind::FalseRefusal, said.err))
            }
            _ => {}
        }
        if said.code != 0 {
            self.git(seat, &["reset", "-q", "--hard"]);
        }
        said.code == 0
    }

    /// The losses of a commit of the staged changes; `None` if the rule is off.
    fn lost_by_commit(&mut self, seat: usize) -> Option<Vec<Fault>> {
        let dir = self.seats[seat].dir.clone();
        let tree = self.ask(&dir, "git", &["write-tree"]).out.trim().to_owned();
        let mut parents = vec![self.head(seat)?.to_string()];
        let merging = fs::read_to_string(dir.join(".git/MERGE_HEAD")).unwrap_or_default();
        parents.extend(merging.lines().map(str::to_owned));
        let arguments: Vec<&str> = parents.iter().flat_map(|parent| ["-p", parent]).collect();
        let id = self.ask(&dir, "git", &[&["commit-tree", &tree, "-m", "x"][..], &arguments].concat()).out;
        self.judge.lost_by_commit(id.trim(), &parents)
    }

    /// The gate must give the same answer with the present memo and without one. Now and then the memo is renewed,
    /// dropped, or replaced by another clone's.
    fn compare_memos(&mut self, seat: usize) {
        let (dir, tool) = (self.seats[seat].dir.clone(), program().display().to_string());
        let kept = dir.join(".git/yatsu");
        if !kept.exists() {
            return;
        }
        let with = self.ask(&dir, &tool, &["pre-commit"]);
        fs::rename(&kept, dir.join(".git/yatsu-aside")).expect("moved aside");
        let without = self.ask(&dir, &tool, &["pre-commit"]);
        let _ = fs::remove_dir_all(&kept);
        fs::rename(dir.join(".git/yatsu-aside"), &kept).expect("back");
        self.tally.memos += 1;
        if (with.code, &with.err) != (without.code, &without.err) {
            let what = format!("with: {} {}\nwithout: {} {}", with.code, with.err, without.code, without.err);
            self.faults.push(Fault::new(Kind::MemoDiffers, what));
        }
    }

    fn stir_memos(&mut self, seat: usize, dice: &mut Dice) {
        let dir = self.seats[seat].dir.clone();
        let memos = |dir: &Path| dir.join(".git/yatsu");
        match dice.roll(4) {
            0 | 1 => drop(self.run(&dir, &program().display().to_string(), &["scan"])),
            2 => drop(fs::remove_dir_all(memos(&dir))),
            _ => {
                let from = memos(&self.seats[(seat + 1) % 3].dir.clone());
                for name in ["memo", "anchors"] {
                    let _ = fs::create_dir_all(memos(&dir));
                    let _ = fs::copy(from.join(name), memos(&dir).join(name));
                }
            }
        }
    }

    fn graph(&mut self, seat: usize, deed: Graph, dice: &mut Dice) {
        self.stir_memos(seat, dice);
        self.git(seat, &["fetch", "-q", "--prune", "origin"]);
        let branch = self.seats[seat].branch.clone();
        let other = format!("origin/{}", dice.pick(&BRANCHES));
        let here = format!("origin/{branch}");
        let from = if dice.roll(2) == 0 { &here } else { &other };
        let how = dice.roll(3);
        let said = match deed {
            Graph::Sync => self.git(seat, &["reset", "-q", "--hard", &here]),
            Graph::Merge => self.git(seat, &["merge", "-q", "--no-edit", from]),
            Graph::MergeOf(branch) => {
                self.git(seat, &["merge", "-q", "--no-ff", "--no-edit", &format!("origin/{branch}")])
            }
            Graph::Squash => self.git(seat, &["merge", "-q", "--squash", from]),
            Graph::Rebase => self.git(seat, &["rebase", "-q", from]),
            Graph::Pick => self.git(seat, &["cherry-pick", from]),
            Graph::Revert => self.git(seat, &["revert", "--no-edit", "HEAD"]),
            Graph::Amend => self.git(seat, &["commit", "-q", "--amend", "--no-edit", "--no-verify"]),
            Graph::Reset => self.git(seat, &["reset", "-q", "--hard", "HEAD~1"]),
            Graph::Switch => self.switch(seat, dice.pick(&BRANCHES)),
            Graph::To(branch) => self.switch(seat, branch),
        };
        self.conclude(seat, (deed, said.code), how);
    }

    fn switch(&mut self, seat: usize, branch: &str) -> Said {
        let there = format!("origin/{branch}");
        let onto = if self.git(seat, &["rev-parse", "-q", "--verify", &there]).code == 0 { &there } else { "HEAD" };
        branch.clone_into(&mut self.seats[seat].branch);
        self.git(seat, &["checkout", "-q", "--no-track", "-B", branch, onto])
    }

    /// Ends an operation that stopped in a conflict, with one side or carefully; aborts one that does not end.
    fn conclude(&mut self, seat: usize, (deed, code): (Graph, i32), how: usize) {
        let go_on = match deed {
            Graph::Merge | Graph::MergeOf(_) | Graph::Squash => ["commit", "--no-edit"],
            Graph::Rebase => ["rebase", "--continue"],
            Graph::Pick => ["cherry-pick", "--continue"],
            Graph::Revert => ["revert", "--continue"],
            _ => return,
        };
        for _ in 0..6 {
            if self.git(seat, &["ls-files", "-u"]).out.is_empty() {
                break;
            }
            self.resolve(seat, how);
            match deed {
                Graph::Merge | Graph::MergeOf(_) | Graph::Squash => drop(self.commit(seat, &["-m", "merged"])),
                _ => drop(self.git(seat, &go_on)),
            }
        }
        if deed == Graph::Squash && code == 0 {
            self.commit(seat, &["-m", "squashed"]);
        }
        if matches!(deed, Graph::Rebase | Graph::Pick | Graph::Revert | Graph::Merge | Graph::MergeOf(_)) {
            self.git(seat, &[go_on[0].replace("commit", "merge").as_str(), "--abort"]);
        }
        self.git(seat, &["reset", "-q", "--hard"]);
        let branch = self.seats[seat].branch.clone();
        if self.git(seat, &["symbolic-ref", "-q", "HEAD"]).code != 0 {
            self.git(seat, &["checkout", "-q", "-B", &branch]);
        }
    }

    fn resolve(&mut self, seat: usize, how: usize) {
        let side = if how == 1 { "--theirs" } else { "--ours" };
        let unmerged = self.git(seat, &["diff", "--name-only", "--diff-filter=U"]).out;
        for path in unmerged.lines() {
            if self.git(seat, &["checkout", "-q", side, "--", path]).code != 0 {
                self.git(seat, &["rm", "-q", "--cached", path]);
                let _ = fs::remove_file(self.seats[seat].dir.join(path));
            }
        }
        if how == 2 {
            let repo = Repository::open(&self.seats[seat].dir).expect("a clone");
            let heads = ["HEAD", "MERGE_HEAD"].map(|name| repo.revparse_single(name).ok().map(|object| object.id()));
            let parents: Vec<State> = heads.into_iter().flatten().map(|id| graph::state(&repo, id)).collect();
            let healed = graph::healed(self.state(seat), &parents);
            let dir = self.seats[seat].dir.clone();
            self.write(&dir, &healed);
        }
        self.git(seat, &["add", "-A"]);
    }

    fn push(&mut self, seat: usize, push: Push, dice: &mut Dice) {
        let Some(head) = self.head(seat) else { return };
        let branch = format!("refs/heads/{}", self.seats[seat].branch);
        let specs = match push {
            Push::Plain | Push::Force => vec![(branch, Some(head.to_string()))],
            Push::ToMain => vec![("refs/heads/main".to_owned(), Some(head.to_string()))],
            Push::Many => vec![(branch, Some(head.to_string())), ("refs/tags/many".to_owned(), Some(head.to_string()))],
            Push::Delete => vec![(branch, None)],
            Push::Aside => vec![(graph::ASIDE.to_owned(), self.holds.refs.get(&branch).cloned())],
            Push::Alias | Push::ForceAlias => vec![(dice.pick(&graph::ALIASES).to_owned(), Some(head.to_string()))],
            Push::DeleteAlias => vec![(dice.pick(&graph::ALIASES).to_owned(), None)],
            Push::BothNames => {
                let alias = dice.pick(&graph::ALIASES);
                let target = self.holds.resolve(alias).to_owned();
                let both = [alias.to_owned()].into_iter().chain((target != alias).then_some(target));
                both.map(|name| (name, Some(head.to_string()))).collect()
            }
            Push::NewProtected | Push::Three => {
                let name = format!("refs/heads/release/{}", 2 + dice.roll(4));
                let topic = (push == Push::Three).then(|| "refs/heads/topic".to_owned());
                topic.into_iter().chain([name]).map(|name| (name, Some(head.to_string()))).collect()
            }
            Push::DeleteAside | Push::Around => vec![(graph::ASIDE.to_owned(), None)],
            Push::Tag => vec![(format!("refs/tags/t{}", dice.roll(3)), Some(head.to_string()))],
            Push::TagBlob | Push::Replace => {
                let repo = Repository::open(&self.seats[seat].dir).expect("a clone");
                let made = if push == Push::TagBlob {
                    graph::tag_of_evidence(&repo, dice)
                } else {
                    graph::replacement(&repo, head)
                };
                made.map(|(name, id)| (name, Some(id.to_string()))).into_iter().collect()
            }
        };
        let update =
            |(name, new): (String, Option<String>)| Update { old: self.holds.standing(&name).cloned(), name, new };
        let updates: Vec<Update> = specs.into_iter().map(update).filter(|update| update.old != update.new).collect();
        if !updates.is_empty() {
            self.send(seat, &updates, push.is_forced());
        }
    }

    fn send(&mut self, seat: usize, updates: &[Update], forced: bool) {
        let spec = |update: &Update| format!("{}:{}", update.new.as_deref().unwrap_or_default(), update.name);
        let specs: Vec<String> = updates.iter().map(spec).collect();
        let mut args = vec!["push", "-q", "--atomic"];
        args.extend(forced.then_some("--force"));
        args.extend((!self.seats[seat].gated).then_some("--no-verify"));
        args.push("origin");
        args.extend(specs.iter().map(String::as_str));
        let said = self.git(seat, &args);
        let faults = self.judge.faults(&self.holds, updates, said.err.contains("warning[ledger-history]"));
        if said.code == 0 {
            self.accept(updates, faults);
            return;
        }
        let rules = errors_of(&said.err);
        if rules.is_empty() && !said.err.contains("hook declined") {
            return;
        }
        let is_explained = |rule: &String| judge::explains(&faults, rule, false);
        if !rules.iter().all(is_explained) || (faults.is_empty() && rules.is_empty()) {
            self.faults.push(Fault::new(Kind::FalseRefusal, said.err));
        }
        for rule in rules {
            *self.tally.refused.entry(rule).or_default() += 1;
        }
        if let Some(fault) = faults.first() {
            *self.tally.caught.entry(fault.kind).or_default() += 1;
        }
        self.git(seat, &["fetch", "-q", "--prune", "origin"]);
        let branch = format!("origin/{}", self.seats[seat].branch);
        self.git(seat, &["reset", "-q", "--hard", &branch]);
    }

    fn accept(&mut self, updates: &[Update], faults: Vec<Fault>) {
        self.tally.accepted += 1;
        let faults: Vec<Fault> = faults.into_iter().filter(|fault| !fault.kind.is_arguable()).collect();
        faults.iter().for_each(|fault| *self.tally.laundered.entry(fault.kind).or_default() += 1);
        self.faults.extend(faults);
        let server = self.server();
        let listed = self.ask(&server, "git", &["for-each-ref", "--format=%(refname) %(objectname) %(symref)"]).out;
        let direct = |line: &str| match line.split(' ').collect::<Vec<_>>()[..] {
            [name, id, ""] => Some((name.to_owned(), id.to_owned())),
            _ => None,
        };
        self.holds.refs = listed.lines().filter_map(direct).collect();
        for id in updates.iter().filter_map(|update| update.new.clone()) {
            let Some(tip) = self.judge.tip(&id) else { continue };
            self.memory.extend(tip.lines().map(|(dir, line)| (dir.clone(), line.clone())));
            self.tally.looked_fresh += 1;
            let args = ["scan", "--rev", &id, "--format", "json"];
            let said = self.ask(&server, &program().display().to_string(), &args);
            self.faults.extend(counts::faults(&mut self.judge, &tip, &score_of(&said)));
        }
        self.memory.sort();
        self.memory.dedup();
    }
}

/// Removes anything that is in the place of a file.
fn make_way(dir: &Path, path: &str) {
    let (file, parent) = (dir.join(path), dir.join(path).parent().expect("a parent").to_owned());
    let _ = fs::remove_file(&file);
    let _ = fs::remove_dir_all(&file);
    if parent.is_file() {
        fs::remove_file(&parent).expect("removed");
    }
    fs::create_dir_all(parent).expect("a directory");
}

/// A server and its clones. The judge gets the objects of all, because refused ones never reach the server.
fn clones(base: &Path) -> Git {
    let home = base.join("home");
    let run = |args: &[&str]| {
        assert!(
            hermetic("git", &home).current_dir(base).args(args).stderr(Stdio::null()).status().expect("git").success()
        );
    };
    run(&["init", "-q", "--bare", "-b", "main", "server.git"]);
    run(&["-C", "server.git", "config", "receive.denyDeleteCurrent", "ignore"]);
    run(&["init", "-q", "--bare", "view.git"]);
    let mut all = format!("{}/server.git/objects\n", base.display());
    for at in 0..3 {
        run(&["clone", "-q", "server.git", &format!("clone{at}")]);
        all += &format!("{}/clone{at}/.git/objects\n", base.display());
    }
    fs::write(base.join("view.git/objects/info/alternates"), all).expect("alternates");
    Git::open(&base.join("view.git"), &home)
}
