//! The verbs of sharing, each with the judge's check of its answer and of its effects.

use super::judge::{Look, Pieces};
use super::world::{CLONES, Kind, PIECES, World, hash};
use crate::support::{Said, sha256, validate_published};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;

/// Everything that a verb could damage, before it ran.
struct Before {
    kept: Pieces,
    there: Pieces,
    caches: Vec<Pieces>,
    code: BTreeMap<String, String>,
    repositories: Vec<String>,
    named: Pieces,
    evidence: BTreeMap<String, String>,
}

impl Before {
    fn of(world: &World) -> Self {
        let look = world.look();
        Self {
            kept: look.kept(),
            there: look.there(),
            caches: (0..CLONES).map(|clone| world.cached(clone)).collect(),
            code: look.code_refs(),
            repositories: (0..CLONES).map(|clone| repository(world, clone)).collect(),
            named: look.named(),
            evidence: look.family("evidence"),
        }
    }

    fn is_somewhere(&self, piece: &str) -> bool {
        self.kept.contains(piece) || self.caches.iter().any(|cache| cache.contains(piece))
    }
}

/// Refs and objects of the user's own repository.
fn repository(world: &World, clone: usize) -> String {
    let dir = world.clone_at(clone);
    let refs = world.git(&dir, &["for-each-ref"]).expect(0).out;
    let head = fs::read_to_string(dir.join(".git/HEAD")).expect("a HEAD");
    let mut objects: Vec<String> = Vec::new();
    for entry in fs::read_dir(dir.join(".git/objects")).expect("objects").flatten() {
        let below = fs::read_dir(entry.path()).into_iter().flatten().flatten();
        objects.extend(below.map(|file| file.path().display().to_string()));
    }
    objects.sort();
    refs + &head + &objects.join("\n")
}

fn left(json: &Value) -> Pieces {
    let rows = json["left"].as_array().expect("a list");
    rows.iter().map(|row| row["hash"].as_str().expect("a hash").to_owned()).collect()
}

impl World {
    /// Runs a verb and checks that it left everything else as it was. Only the pieces in `may_go` may be removed.
    fn judged(&mut self, clone: usize, args: &[&str], may_go: &Pieces) -> (Said, Before) {
        self.tell(format!("c{clone}: {}", args.join(" ")));
        let before = Before::of(self);
        let said = self.yatsu(clone, &[&["--format", "json"], args].concat());
        self.tell(format!("  {} {}", said.code, said.err.trim()));
        self.judge(matches!(said.code, 0 | 1 | 3), format!("exit {}: {}{}", said.code, said.out, said.err));
        let after = Before::of(self);
        for other in 0..CLONES {
            for name in self.cached(other) {
                let bytes = fs::read(self.cache(other).join(&name)).expect("bytes");
                self.judge(sha256(&bytes) == name, format!("the cache of c{other} has wrong bytes as {name}"));
            }
        }
        let lost =
            |piece: &&String| before.is_somewhere(piece) && !after.is_somewhere(piece) && !may_go.contains(*piece);
        let lost: Vec<_> = before.named.iter().filter(lost).collect();
        self.judge(lost.is_empty(), format!("lost, although readings name them: {lost:?}"));
        self.judge(after.code == before.code, "a ref of the code moved on the server");
        self.judge(after.repositories == before.repositories, "somebody's own repository changed");
        (said, before)
    }

    fn json(&self, said: &Said) -> Value {
        self.judge(matches!(said.code, 0 | 1), format!("no answer: {}", said.err));
        validate_published(&said.out)
    }

    fn writer(&self, clone: usize) -> String {
        self.git(&self.clone_at(clone), &["config", "-f", ".git/yatsu/evidence.git/config", "yatsu.writer"])
            .out
            .trim()
            .to_owned()
    }

    /// The pieces of `named` that are not sent, because of their content or because they were dropped.
    fn stays(&self, look: &Look<'_>, named: &Pieces) -> Pieces {
        let dropped = if self.kind == Kind::Directory { Pieces::new() } else { look.dropped() };
        let is_held = |piece: &&String| **piece == hash(PIECES - 1) || dropped.contains(*piece);
        named.iter().filter(is_held).cloned().collect()
    }

    pub fn push(&mut self, clone: usize, all: bool) {
        let mut args = vec!["share", "push"];
        args.extend(all.then_some("--all"));
        let dry_args: Vec<&str> = args.iter().copied().chain(["--dry-run"]).collect();
        let before = self.look();
        let tips = match all {
            true => BTreeSet::from([self.git(&self.clone_at(clone), &["rev-parse", "HEAD"]).out.trim().to_owned()]),
            false => before.tips_at(clone).0,
        };
        let here: Pieces = before.named_at(&self.clone_at(clone), &tips);
        let here: Pieces = here.intersection(&self.cached(clone)).cloned().collect();
        let writers = self.writer(clone);
        let (dry, then) = self.judged(clone, &dry_args, &Pieces::new());
        self.judge(self.look().family("evidence") == then.evidence, "a dry run moved something");
        let (said, then) = self.judged(clone, &args, &Pieces::new());
        let (dry, told) = (self.json(&dry), self.json(&said));
        let stays = self.stays(&self.look(), &here);
        self.judge(left(&told) == stays, format!("left {:?}, and {stays:?} had to stay", left(&told)));
        self.judge((said.code == 0) == stays.is_empty(), "the exit code says something else");
        self.judge(
            dry["moved"] == told["moved"],
            format!("the dry run says {}, and the run {}", dry["moved"], told["moved"]),
        );
        // a file of the right size is taken for the piece until it is read
        let kept = if self.kind == Kind::Directory { self.look().as_long() } else { self.look().kept() };
        let missing: Vec<_> = here.iter().filter(|piece| !stays.contains(*piece) && !kept.contains(*piece)).collect();
        self.judge(missing.is_empty(), format!("pushed, and not kept there: {missing:?}"));
        let own = [writers, self.writer(clone)];
        let is_own = |slot: &String| own.iter().any(|writer| !writer.is_empty() && slot.starts_with(writer.as_str()));
        let now = self.look().family("evidence");
        let others = |of: &BTreeMap<String, String>| {
            of.clone().into_iter().filter(|(slot, _)| !is_own(slot)).collect::<Vec<_>>()
        };
        let drops = self.look().dropped();
        // a clone that obeys a drop becomes a new writer once more
        self.judge(others(&now) == others(&then.evidence) || !drops.is_empty(), "a ref of another writer moved");
        let (again, _) = self.judged(clone, &args, &Pieces::new());
        let again = self.json(&again);
        self.judge(again["moved"] == 0, format!("a second push moved {}", again["moved"]));
    }

    pub fn get(&mut self, clone: usize) {
        let look = self.look();
        let (wanted, cached, there) = (look.named_by(clone), self.cached(clone), look.there());
        let wanted: Pieces = wanted.difference(&cached).cloned().collect();
        let (said, _) = self.judged(clone, &["share", "get", "--all"], &Pieces::new());
        let told = self.json(&said);
        let missing: Pieces = wanted.difference(&there).cloned().collect();
        self.judge(left(&told) == missing, format!("missing {:?}, and {missing:?} cannot be had", left(&told)));
        self.judge((said.code == 0) == missing.is_empty(), "the exit code says something else");
        let now = self.cached(clone);
        let lacks: Vec<_> = wanted.intersection(&there).filter(|piece| !now.contains(*piece)).collect();
        self.judge(lacks.is_empty(), format!("it is there and did not come: {lacks:?}"));
    }

    pub fn check(&mut self, clone: usize, deep: bool) {
        let mut args = vec!["share", "check"];
        args.extend(deep.then_some("--deep"));
        let look = self.look();
        let (tips, is_whole) = look.tips_at(clone);
        let named = look.named_at(&self.clone_at(clone), &tips);
        let has = if deep { look.there() } else { look.said() };
        let (said, _) = self.judged(clone, &args, &Pieces::new());
        if !is_whole {
            self.judge(said.code == 3, "a branch was not fetched, and it did not say so");
            return;
        }
        let missing: Pieces = named.difference(&has).cloned().collect();
        let told = self.json(&said);
        self.judge(left(&told) == missing, format!("missing {:?}, and the place lacks {missing:?}", left(&told)));
        self.judge((said.code == 0) == missing.is_empty(), "the exit code says something else");
    }

    pub fn heal(&mut self, clone: usize) {
        let look = self.look();
        let (tips, is_whole) = look.tips_at(clone);
        let named = look.named_at(&self.clone_at(clone), &tips);
        let here = self.cached(clone);
        let (said, _) = self.judged(clone, &["share", "check", "--deep", "--heal"], &Pieces::new());
        if !is_whole {
            self.judge(said.code == 3, "a branch was not fetched, and it did not say so");
            return;
        }
        let told = self.json(&said);
        let look = self.look();
        let stays = self.stays(&look, &named);
        let unhealed =
            |piece: &&String| here.contains(*piece) && !stays.contains(*piece) && !look.there().contains(*piece);
        let unhealed: Vec<_> = named.iter().filter(unhealed).collect();
        self.judge(unhealed.is_empty(), format!("not healed, although it is here: {unhealed:?}"));
        let missing: Pieces = named.difference(&look.there()).cloned().collect();
        self.judge(left(&told) == missing, format!("missing {:?}, and the place lacks {missing:?}", left(&told)));
    }

    pub fn drop_piece(&mut self, clone: usize, piece: usize) {
        let gone = hash(piece);
        // the first digits of a hash are refused if no known piece has them
        if !self.look().named_by(clone).contains(&gone) {
            return;
        }
        let (said, before) =
            self.judged(clone, &["share", "drop", &gone, "--reason", "so"], &Pieces::from([gone.clone()]));
        self.judge(said.code == 0, format!("it could not be dropped: {}", said.err));
        let look = self.look();
        self.judge(!look.there().contains(&gone), "dropped, and still there");
        let kept = look.kept();
        let went: Vec<_> = before.kept.iter().filter(|other| **other != gone && !kept.contains(*other)).collect();
        self.judge(went.is_empty(), format!("they went along with what was dropped: {went:?}"));
    }

    pub fn prune(&mut self, clone: usize) {
        for args in
            [&["share", "prune", "--before", "2024-01", "--dry-run"][..], &["share", "prune", "--before", "2024-01"]]
        {
            let (said, before) = self.judged(clone, args, &Pieces::new());
            let look = self.look();
            let (there, now) = (look.there(), look.family("evidence"));
            let went: Vec<_> =
                before.named.intersection(&before.there).filter(|piece| !there.contains(*piece)).collect();
            self.judge(went.is_empty(), format!("needed, and pruned: {went:?}"));
            let deleted = before.evidence.keys().any(|slot| !now.contains_key(slot));
            let is_dry = args.len() == 5;
            self.judge(!(deleted && (said.code == 3 || is_dry)), "in doubt, or only asked, and something was deleted");
            let old = |slot: &String| slot.split('/').nth(1).is_some_and(|month| month < "2024-01");
            self.judge(said.code == 3 || is_dry || !now.keys().any(old), "an old month stayed");
        }
    }

    pub fn clean_shared(&mut self, clone: usize) {
        let cache = fs::read_dir(self.cache(clone)).into_iter().flatten().flatten();
        for file in cache {
            let file = fs::File::open(file.path()).expect("a file");
            file.set_times(fs::FileTimes::new().set_modified(std::time::UNIX_EPOCH)).expect("a time");
        }
        let look = self.look();
        let dir = self.clone_at(clone);
        let published = look.named_at(&dir, &look.tips_at(clone).0);
        let own = look.named_by(clone);
        let (_, before) = self.judged(clone, &["clean", "--shared"], &Pieces::new());
        let (now, look) = (self.cached(clone), self.look());
        let kept = look.kept();
        let went = before.caches[clone].difference(&now);
        let wrong = |piece: &&String| {
            let is_named = own.contains(*piece) || published.contains(*piece);
            is_named && !(published.contains(*piece) && kept.contains(*piece))
        };
        let wrong: Vec<_> = went.filter(wrong).collect();
        self.judge(wrong.is_empty(), format!("nothing else keeps them: {wrong:?}"));
    }

    pub fn assert_no_secret_left(&self) {
        self.judge(!self.look().has_secret(), "a token was shared");
    }
}
